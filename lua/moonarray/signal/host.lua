--- Numbers of the host: lists of coefficients, poles and zeros, and arrays of them. Filters are designed there: they
--- are few numbers, and each step waits for the last one.

local sformat = require("moonarray.text").format
local complex = require "moonarray.signal.complex"

return function(ma, core, shared)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local host = { complex = complex }

  local function plain(value)
    local kind = type(value)
    if kind == "number" then return value end
    if kind == "boolean" then return value and 1 or 0 end
    if kind == "cdata" and tonumber(value) then return tonumber(value) end
    if kind == "table" and getmetatable(value) == getmetatable(complex.new(0, 1)) then return value end
    local re, im = value.re, value.im
    if type(re) == "number" and type(im) == "number" then return complex.new(re, im) end
  end

  --- A number of the host, of a Lua number or a complex scalar.
  function host.scalar(name, what, value)
    if is_array(value) and value.size == 1 then value = value:reshape({}):item() end
    local ok, v = pcall(plain, value)
    if ok and v ~= nil then return v end
    fail(name, sformat("%s is %s; wanted a number", what, core.describe(value)))
  end

  --- A vector as a list, read from the device if it is an array, which waits. Its device and dtype follow; nil: it is
  --- no array.
  function host.list(name, what, value)
    local device, dtype
    if type(value) ~= "table" and not is_array(value) then return { host.scalar(name, what, value) } end
    if is_array(value) then
      if value.ndim > 1 then fail(name, sformat("%s is %s; wanted a vector", what, core.describe(value))) end
      device, dtype = value.device, value.dtype
      value = value.ndim == 0 and { value:item() } or value:totable()
    end
    local result = {}
    for k = 1, #value do
      local v = value[k]
      if type(v) ~= "number" then
        local ok
        ok, v = pcall(plain, v)
        if not ok or v == nil then
          fail(name, sformat("%s holds %s; wanted numbers", what, core.describe(value[k])))
        end
      end
      result[k] = v
    end
    return result, device, dtype
  end

  --- A list that is not empty.
  function host.coefficients(name, what, value)
    local list, device, dtype = host.list(name, what, value)
    if #list == 0 then fail(name, sformat("%s is empty; wanted at least one coefficient", what)) end
    return list, device, dtype
  end

  --- Rows of a matrix as lists.
  function host.matrix(name, what, value)
    if is_array(value) then
      if value.ndim ~= 2 then fail(name, sformat("%s is %s; wanted a matrix", what, core.describe(value))) end
      local rows = value:totable()
      for k = 1, #rows do rows[k] = host.list(name, what, rows[k]) end
      return rows, value.device, value.dtype
    end
    if type(value) ~= "table" then
      fail(name, sformat("%s is %s; wanted a matrix", what, core.describe(value)))
    end
    local rows = {}
    for k = 1, #value do
      rows[k] = host.list(name, what, value[k])
      if #rows[k] ~= #rows[1] then fail(name, sformat("rows of %d and %d numbers in %s; wanted as many in all",
        #rows[1], #rows[k], what)) end
    end
    return rows
  end

  function host.is_real(list)
    for k = 1, #list do
      if type(list[k]) ~= "number" then return false end
    end
    return true
  end

  --- An array of a list: float64, or complex128 if a number is not real or `wide` is true.
  function host.array(list, device, wide)
    local options = { dtype = "float64", device = device }
    if not wide and host.is_real(list) then return core.asarray(list, options) end
    options.dtype = "complex128"
    local values = {}
    for k = 1, #list do values[k] = ma.complex(complex.parts(list[k])) end
    return core.asarray(values, options)
  end

  --- Zeros and poles are always complex128.
  function host.complex_array(list, device) return host.array(list, device, true) end

  function host.matrix_array(rows, device, columns)
    columns = columns or rows[1] and #rows[1] or 0
    if #rows == 0 or columns == 0 then
      return ma.zeros({ #rows, columns }, { dtype = "float64", device = device })
    end
    local flat = {}
    for k = 1, #rows do
      for j = 1, #rows[k] do flat[#flat + 1] = rows[k][j] end
    end
    return host.array(flat, device):reshape(#rows, columns)
  end

  --- A scalar for Lua: a number, or a complex scalar.
  function host.value(x) return type(x) == "number" and x or ma.complex(x[1], x[2]) end

  -- ==== Polynomials, from the highest power down ===================================================================

  --- The coefficients of the monic polynomial with these roots: real ones where the roots are in conjugate pairs.
  function host.poly(roots)
    local p = { 1 }
    for k = 1, #roots do
      p[#p + 1] = 0
      for j = #p, 2, -1 do p[j] = p[j] - roots[k] * p[j - 1] end
    end
    if host.is_real(p) then return p end
    local function key(x) return sformat("%.17g %.17g", complex.parts(x)) end
    local balance = {}
    for k = 1, #roots do
      local re, im = complex.parts(roots[k])
      if im ~= 0 then
        local own = key(complex.new(re, math.abs(im)))
        balance[own] = (balance[own] or 0) + (im > 0 and 1 or -1)
      end
    end
    for _, n in pairs(balance) do
      if n ~= 0 then return p end
    end
    for k = 1, #p do p[k] = complex.re(p[k]) end
    return p
  end

  function host.polyval(p, x)
    local sum = 0
    for k = 1, #p do sum = sum * x + p[k] end
    return sum
  end

  host.polymul = common.convolved

  --- Sum of two polynomials, the second one times `factor`.
  function host.polyadd(a, b, factor)
    local n, p = math.max(#a, #b), {}
    for k = 1, n do
      local x, y = a[k - n + #a] or 0, b[k - n + #b] or 0
      p[k] = x + (factor and y * factor or y)
    end
    return p
  end

  function host.polyder(p)
    local q = {}
    for k = 1, #p - 1 do q[k] = p[k] * (#p - k) end
    return #q > 0 and q or { 0 }
  end

  --- Without zeros in front.
  function host.trim(p)
    local first = 1
    while first < #p and p[first] == 0 do first = first + 1 end
    return first == 1 and p or host.from(p, first)
  end

  --- Quotient and remainder.
  function host.polydiv(a, b)
    local rest, quotient = host.from(a, 1), {}
    for k = 1, #a - #b + 1 do
      local q = rest[k] / b[1]
      quotient[k] = q
      for j = 1, #b do rest[k + j - 1] = rest[k + j - 1] - q * b[j] end
    end
    if #quotient == 0 then return { 0 }, host.trim(rest) end
    local remainder = host.from(rest, #quotient + 1)
    if #remainder == 0 then remainder[1] = 0 end
    return quotient, remainder
  end

  --- By real and then by imaginary part.
  function host.sort(list)
    table.sort(list, function(x, y)
      local a, b = complex.parts(x)
      local c, d = complex.parts(y)
      if a ~= c then return a < c end
      return b < d
    end)
    return list
  end

  function host.product(list, start)
    local p = start or 1
    for k = 1, #list do p = p * list[k] end
    return p
  end

  function host.map(list, fn)
    local result = {}
    for k = 1, #list do result[k] = fn(list[k]) end
    return result
  end

  host.concat = common.joined

  --- The elements of a list from one on.
  function host.from(list, first)
    local result = {}
    for k = first, #list do result[#result + 1] = list[k] end
    return result
  end

  function host.reversed(list)
    local result = {}
    for k = #list, 1, -1 do result[#result + 1] = list[k] end
    return result
  end

  --- n rows of m zeros.
  function host.zeros(n, m)
    local rows = {}
    for i = 1, n do rows[i] = host.repeated(0, m) end
    return rows
  end

  --- n times the same.
  function host.repeated(value, n)
    local result = {}
    for k = 1, n do result[k] = value end
    return result
  end

  shared.host = host
  return host
end
