--- Series as lists of Lua's numbers: list[k + 1] is the coefficient of the k-th polynomial. Sums, products and
--- quotients of series are computed in Lua. They are without trailing zeros, so their values must be read in any case,
--- and they are few.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local fail = core.fail
  local host = {}

  function host.is_zero(v)
    if type(v) == "number" then return v == 0 end
    return v.re == 0 and v.im == 0
  end
  local is_zero = host.is_zero

  function host.trim(list)
    while #list > 1 and is_zero(list[#list]) do list[#list] = nil end
    return list
  end

  --- What was given, as vectors of one dtype on one device, neither empty.
  function host.vectors(name, ...)
    local arrays = { ... }
    for k = 1, #arrays do
      local a = ma.atleast_1d(core.beside(arrays[k], nil, ...))
      if a.ndim ~= 1 or a.size == 0 then
        fail(name, sformat("coefficients in %s; wanted a vector with elements", core.describe(a)))
      end
      arrays[k] = shared.floating(a)
    end
    local dtype = ma.result_type(unpack(arrays))
    for k = 1, #arrays do arrays[k] = arrays[k]:astype(dtype, { copy = false }) end
    return arrays
  end

  --- Lists of what was given, trimmed unless `whole`, and a function that makes arrays of lists. Waits.
  function host.series(name, whole, ...)
    local arrays = host.vectors(name, ...)
    local lists = {}
    for k, a in ipairs(arrays) do lists[k] = whole and a:totable() or host.trim(a:totable()) end
    local dtype, device = arrays[1].dtype, arrays[1].device
    local function array(list) return core.asarray(list, { dtype = dtype, device = device }) end
    return array, unpack(lists)
  end

  -- ==== Arithmetic of lists ========================================================================================

  function host.scale(list, factor)
    local result = {}
    for k = 1, #list do result[k] = list[k] * factor end
    return result
  end

  --- a + sign b
  function host.add(a, b, sign)
    local result = {}
    for k = 1, math.max(#a, #b) do
      local v = b[k] and (sign == -1 and -b[k] or b[k])
      result[k] = not a[k] and v or v and a[k] + v or a[k]
    end
    return result
  end

  --- Numbers in order, complex ones by real and then by imaginary part; NaN last.
  function host.sort(list)
    local function key(v)
      if type(v) == "number" then return v, 0 end
      return v.re, v.im
    end
    table.sort(list, function(a, b)
      local ar, ai = key(a)
      local br, bi = key(b)
      if ar ~= ar or br ~= br then return ar == ar and br ~= br end
      if ar ~= br then return ar < br end
      return ai < bi
    end)
    return list
  end

  return host
end
