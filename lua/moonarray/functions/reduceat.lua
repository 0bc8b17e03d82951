--- ufunc.reduceat: reductions of parts of an axis, which begin at positions and end before the next ones.

local sformat = string.format

return function(ma, core)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local along = common.along

  local FEW = 64                         -- parts that are reduced one after another

  -- Where brackets do not matter, parts are put together out of powers of 2.
  local associative = {}
  for name in ("add multiply maximum minimum fmax fmin logical_and logical_or logical_xor bitwise_and bitwise_or "
    .. "bitwise_xor gcd lcm hypot logaddexp logaddexp2"):gmatch("%S+") do associative[name] = true end

  local rounds = { add = true, multiply = true, hypot = true, logaddexp = true, logaddexp2 = true }

  -- What rounds is computed wider where floats are narrow, and rounded once.
  local wide = { float16 = "float64", bfloat16 = "float64", float32 = "float64", complex64 = "complex128" }

  --- Positions as a list of numbers from 1 to n where nobody waits for them, else as an array of them.
  local function positions_of(name, indices, n)
    if type(indices) == "number" then fail(name, "indices is a number; wanted a table or an array of positions") end
    if core.is_array(indices) then
      if indices.ndim ~= 1 then fail(name, sformat("indices of %d axes; wanted one", indices.ndim)) end
      if not ma.issubdtype(indices.dtype, "integer") then
        fail(name, sformat("indices of dtype %s; integers", indices.dtype))
      end
      if indices.device ~= "cpu" then
        indices = indices:astype("int64")
        return nil, ma.where(indices:lt(0), indices + (n + 1), indices)
      end
      indices = indices:totable()
    end
    local list = {}
    for k, p in ipairs(common.type(name, "indices", indices, "table")) do
      p = common.whole(name, "a position", tonumber(p) or p)
      if p == 0 or p > n or p < -n then
        fail(name, sformat("position %d of %d elements; 1 to %d, or negative from the end", p, n, n))
      end
      list[k] = p < 0 and n + 1 + p or p
    end
    return list, nil
  end

  --- How many elements each part has: one where the next position is not further on.
  local function lengths_of(list, n)
    local lengths = {}
    for k = 1, #list do
      local stop = list[k + 1] or n + 1
      lengths[k] = stop > list[k] and stop - list[k] or 1
    end
    return lengths
  end

  local function one_by_one(ufunc, a, axis, dtype, list, lengths)
    local parts = {}
    for k = 1, #list do
      local part = along(a, axis, list[k], list[k] + lengths[k] - 1)
      if lengths[k] > 1 then part = ufunc.reduce(part, { axis = axis, dtype = dtype, keepdims = true }) end
      parts[k] = part
    end
    return ma.concatenate(parts, { axis = axis, dtype = dtype })
  end

  --- Of powers[j], the reduction of 2^k elements from j on, each part takes the powers that its length is made of; in
  -- log2(most) steps, none of which looks at a position.
  local function by_powers(ufunc, a, axis, first, length, most)
    local n, m = a.shape[axis], first.size
    local shape = common.upright(a.ndim, axis, m)
    local powers, step = a, 1
    local result, started = nil, nil
    while true do
      local takes = ma.bitwise_and(length, step):ne(0)
      local inside = step == 1 and first or ma.minimum(first, powers.shape[axis])
      local piece = powers:take(inside, axis)                  -- what is not taken may be any
      if not result then result, started = piece, takes
      else
        local joined = ma.where(started:reshape(shape), ufunc(result, piece), piece)
        result = ma.where(takes:reshape(shape), joined, result)
        started = ma.logical_or(started, takes)
      end
      first = ma.where(takes, first + step, first)
      if step * 2 > most then return result end
      powers = ufunc(along(powers, axis, 1, n - 2 * step + 1), along(powers, axis, step + 1, n - step + 1))
      step = step * 2
    end
  end

  --- a: the operand in the dtype of the loop.
  local function reduce_parts(ufunc, name, a, axis, dtype, list, places)
    local n = a.shape[axis]
    local lengths = list and lengths_of(list, n)
    if list and (#list <= FEW or not associative[ufunc.name]) then
      return one_by_one(ufunc, a, axis, dtype, list, lengths)
    end
    if not associative[ufunc.name] then                        -- folded in order, which takes numbers
      list = positions_of(name, places:get(), n)
      return one_by_one(ufunc, a, axis, dtype, list, lengths_of(list, n))
    end
    local most, length = n
    if list then
      most = 1
      for k = 1, #lengths do most = math.max(most, lengths[k]) end
      places = ma.array(list, { dtype = "int64", device = a.device })
      length = ma.array(lengths, { dtype = "int64", device = a.device })
    else
      local stop = ma.concatenate { along(places, 1, 2, places.size), ma.full_like(places, n + 1, { shape = 1 }) }
      length = ma.maximum(stop - places, 1)
    end
    local loop = rounds[ufunc.name] and wide[dtype] or dtype
    local result = by_powers(ufunc, a:astype(loop, { copy = false }), axis, places, length, most)
    return result:astype(dtype, { copy = false })
  end

  --- What the core's method reduceat of a ufunc calls.
  function core.reduceat(ufunc, a, indices, axis, dtype, out)
    local name = ufunc.name .. ".reduceat"
    a = ma.asarray(a)
    axis = common.axis(name, axis or 1, a.ndim)
    local n = a.shape[axis]
    local list, places = positions_of(name, indices, n)
    local m = list and #list or places.size
    local like = ma.ones_like(a, { shape = 2 })
    local folded = ufunc.reduce(like, { axis = 1, dtype = dtype })       -- an error where there is no reduction
    if not dtype then
      local widens = ufunc.name == "add" or ufunc.name == "multiply"
      dtype = widens and folded.dtype or ufunc(like, like).dtype
    end
    local result
    if m == 0 then
      local shape = a.shape
      shape[axis] = 0
      result = ma.empty(shape, { dtype = dtype, device = a.device })
    else
      result = reduce_parts(ufunc, name, a:astype(dtype, { copy = false }), axis, dtype, list, places)
    end
    return common.finish(name, result, out)
  end
end
