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
    if not wide and host.is_real(list) then return ma.asarray(list, options) end
    options.dtype = "complex128"
    local values = {}
    for k = 1, #list do values[k] = ma.complex(complex.parts(list[k])) end
    return ma.asarray(values, options)
  end

  --- Zeros and poles are always complex128.
  function host.complex_array(list, device) return host.array(list, device, true) end

  function host.matrix_array(rows, device, columns)
    if #rows == 0 or columns == 0 then
      return ma.zeros({ #rows, columns or (rows[1] and #rows[1]) or 0 }, { dtype = "float64", device = device })
    end
    local flat = {}
    for k = 1, #rows do
      for j = 1, #rows[k] do flat[#flat + 1] = rows[k][j] end
    end
    return host.array(flat, device):reshape(#rows, #rows[1])
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
    if first == 1 then return p end
    local q = {}
    for k = first, #p do q[#q + 1] = p[k] end
    return q
  end

  --- Quotient and remainder.
  function host.polydiv(a, b)
    local rest, quotient = {}, {}
    for k = 1, #a do rest[k] = a[k] end
    for k = 1, #a - #b + 1 do
      local q = rest[k] / b[1]
      quotient[k] = q
      for j = 1, #b do rest[k + j - 1] = rest[k + j - 1] - q * b[j] end
    end
    if #quotient == 0 then return { 0 }, host.trim(rest) end
    local remainder = {}
    for k = #quotient + 1, #rest do remainder[#remainder + 1] = rest[k] end
    if #remainder == 0 then remainder[1] = 0 end
    return quotient, remainder
  end

  --- All roots at once by the method of Aberth and Ehrlich. Of real coefficients, roots come as reals and pairs.
  function host.roots(p)
    p = host.trim(p)
    local zeros = 0
    local n = #p
    while n > 1 and p[n] == 0 do
      n, zeros = n - 1, zeros + 1
    end
    local q, roots = {}, {}
    for k = 1, n do q[k] = p[k] end
    local degree = n - 1
    if degree == 1 then roots[1] = -q[2] / q[1]
    elseif degree == 2 then
      local a, b, c = q[1], q[2], q[3]
      local d = complex.sqrt(b * b - 4 * a * c)
      local plus, minus = b + d, b - d
      local larger = complex.abs(plus) >= complex.abs(minus) and plus or minus
      if larger == 0 then roots[1], roots[2] = 0, 0
      else
        roots[1] = larger * -0.5 / a
        roots[2] = c * -2 / larger
      end
    elseif degree > 2 then
      roots = host.aberth(q, degree)
    end
    for _ = 1, zeros do roots[#roots + 1] = 0 end
    if host.is_real(p) then roots = host.pair(roots) end
    return roots
  end

  --- |re + i im|, without overflow of the squares.
  local function size_of(re, im)
    local a, b = math.abs(re), math.abs(im)
    if a < b then a, b = b, a end
    if b == 0 or a == math.huge then return a end
    local r = b / a
    return a * math.sqrt(1 + r * r)
  end

  --- (a + i b) / (c + i d) by Smith's method, without overflow of the squares.
  local function quotient(a, b, c, d)
    if math.abs(c) >= math.abs(d) then
      local r = d / c
      local s = c + d * r
      return (a + b * r) / s, (b - a * r) / s
    end
    local r = c / d
    local s = c * r + d
    return (a * r + b) / s, (b * r - a) / s
  end

  --- The Newton step p(x) / p'(x) at x, for |x| > 1 by the reversed polynomial, and whether p(x) is 0 but for rounding.
  --- Coefficients are lists of real and imaginary parts and sizes.
  local function newton(re, im, size, degree, xr, xi)
    local outside = size_of(xr, xi) > 1
    local ar, ai, at, by = xr, xi, 1, 1
    if outside then
      ar, ai = quotient(1, 0, xr, xi)
      at, by = degree + 1, -1
    end
    local r = size_of(ar, ai)
    local vr, vi, sr, si, bound = re[at], im[at], 0, 0, size[at]
    for _ = 1, degree do
      at = at + by
      sr, si = sr * ar - si * ai + vr, sr * ai + si * ar + vi
      vr, vi = vr * ar - vi * ai + re[at], vr * ai + vi * ar + im[at]
      bound = bound * r + size[at]
    end
    if vr == 0 and vi == 0 then return 0, 0, true end
    local done = size_of(vr, vi) <= bound * 4e-16
    if outside then                                        -- p(x) = x^n r(1/x): p'/p = (n - (1/x) r'/r) / x
      local fr, fi = quotient(ar * sr - ai * si, ar * si + ai * sr, vr, vi)
      local tr, ti = quotient(xr, xi, degree - fr, -fi)
      return tr, ti, done
    end
    if sr == 0 and si == 0 then return 1e-3, 1e-3, false end
    local tr, ti = quotient(vr, vi, sr, si)
    return tr, ti, done
  end

  function host.aberth(q, degree)
    local re, im, size, xr, xi, settled = {}, {}, {}, {}, {}, {}
    for k = 1, degree + 1 do
      re[k], im[k] = complex.parts(q[k])
      size[k] = size_of(re[k], im[k])
    end
    local radius = math.exp((math.log(size[degree + 1]) - math.log(size[1])) / degree)
    for k = 1, degree do
      local angle = 2 * math.pi * (k - 1) / degree + 0.4
      xr[k], xi[k], settled[k] = radius * math.cos(angle), radius * math.sin(angle), false
    end
    for _ = 1, 200 do
      local moving = false
      for k = 1, degree do
        if not settled[k] then
          local ur, ui = xr[k], xi[k]
          local tr, ti, done = newton(re, im, size, degree, ur, ui)
          local pr, pi = 0, 0
          for j = 1, degree do
            if j ~= k then
              local gr, gi = ur - xr[j], ui - xi[j]
              if gr == 0 and gi == 0 then gr = 1e-14 * (size_of(ur, ui) + 1e-300) end
              local wr, wi = quotient(1, 0, gr, gi)
              pr, pi = pr + wr, pi + wi
            end
          end
          local mr, mi = quotient(tr, ti, 1 - (tr * pr - ti * pi), -(tr * pi + ti * pr))
          local moved = size_of(mr, mi)
          if mr == mr and mi == mi and moved < math.huge then xr[k], xi[k] = ur - mr, ui - mi end
          settled[k] = done or moved <= 1e-16 * size_of(xr[k], xi[k])
          moving = moving or not settled[k]
        end
      end
      if not moving then break end
    end
    local roots = {}
    for k = 1, degree do roots[k] = complex.new(xr[k], xi[k]) end
    return roots
  end

  --- Roots of real coefficients: those near their conjugates become real, others exact pairs.
  function host.pair(roots)
    local left, result = {}, {}
    for k = 1, #roots do left[k] = roots[k] end
    while #left > 0 do
      local x = table.remove(left)
      local own = math.abs(2 * complex.im(x))
      local best, best_gap = nil, own
      for k = 1, #left do
        local gap = complex.abs(left[k] - complex.conj(x))
        if gap <= best_gap then best, best_gap = k, gap end
      end
      if best and complex.im(x) ~= 0 and complex.im(left[best]) * complex.im(x) < 0 then
        local y = table.remove(left, best)
        local re = (complex.re(x) + complex.re(y)) / 2
        local im = (math.abs(complex.im(x)) + math.abs(complex.im(y))) / 2
        result[#result + 1] = complex.new(re, im)
        result[#result + 1] = complex.new(re, -im)
      else
        result[#result + 1] = complex.re(x)
      end
    end
    return result
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

  function host.concat(a, b)
    local result = {}
    for k = 1, #a do result[k] = a[k] end
    for k = 1, #b do result[#result + 1] = b[k] end
    return result
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
