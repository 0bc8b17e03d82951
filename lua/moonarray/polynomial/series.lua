--- The functions of one family of polynomials, as numpy.polynomial.chebyshev has them: values, fits and Vandermonde
--- matrices are array code that waits for nothing; sums, products, quotients and roots are computed from Lua's numbers.

local sformat = require("moonarray.text").format
local MOST_ORDERS = 1000               -- of derivatives and integrals
local MOST_TERMS = 65536               -- of a series that Lua computes with

return function(ma, core, shared, host)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local families = require "moonarray.polynomial.families"
  local floating = shared.floating

  --- What each family's functions are built of; object.lua takes it too.
  local series = {}

  -- ==== Sums, products, quotients of lists =========================================================================

  function series.multiply(family, a, b)
    if family.prefix == "poly" then return host.trim(common.convolved(a, b)) end
    if #a < #b then a, b = b, a end
    return host.trim(families.combine(family, family, b, a, host))
  end

  --- Quotient and remainder.
  function series.divide(name, family, a, b)
    if host.is_zero(b[#b]) then fail(name, "a divisor that is 0; wanted a series that is not") end
    if #a < #b then return { a[1] * 0 }, a end
    if #b == 1 then
      local quotient = {}
      for k = 1, #a do quotient[k] = a[k] / b[1] end
      return quotient, { a[1] * 0 }
    end
    local quotient, rest = {}, {}
    for k = 1, #a do rest[k] = a[k] end
    for k = #a - #b, 0, -1 do
      local unit = {}
      for j = 1, k do unit[j] = 0 end
      unit[k + 1] = 1
      local product = series.multiply(family, unit, b)
      local q = rest[#b + k] / product[#b + k]
      for j = 1, #b + k - 1 do rest[j] = rest[j] - product[j] * q end
      rest[#b + k], quotient[k + 1] = nil, q
    end
    return quotient, host.trim(rest)
  end

  function series.power(name, family, c, n, most)
    n = common.whole(name, "pow", n, 0, most and common.whole(name, "maxpower", most, 0))
    if n == 0 then return { 1 } end
    if (#c - 1) * n >= MOST_TERMS or n > MOST_TERMS then
      fail(name, sformat("a power of %.0f coefficients; wanted at most %d", (#c - 1) * n + 1, MOST_TERMS))
    end
    local product = c
    for _ = 2, n do product = series.multiply(family, product, c) end
    return product
  end

  --- The series with these roots: lines multiplied in pairs.
  function series.from_roots(family, roots)
    local p = {}
    for k, root in ipairs(host.sort(roots)) do p[k] = family.line(-root, 1) end
    while #p > 1 do
      local half = math.floor(#p / 2)
      local next_ones = {}
      for k = 1, half do next_ones[k] = series.multiply(family, p[k], p[k + half]) end
      if #p % 2 == 1 then next_ones[1] = series.multiply(family, next_ones[1], p[#p]) end
      p = next_ones
    end
    return p[1]
  end

  --- A list's companion matrix as rows of numbers; the list is trimmed.
  local function companion_of(name, family, c)
    local n = #c - 1
    if n < 1 then fail(name, "a series of one coefficient; wanted at least two") end
    if n == 1 then return { { (-c[1] / c[2] - family.shift(1)) / family.slope(1) } } end
    if n > 4096 then fail(name, sformat("a series of degree %d; wanted at most 4096", n)) end
    local m = {}
    for j = 1, n do
      m[j] = {}
      for k = 1, n do m[j][k] = 0 end
    end
    family.companion(c, n, m)
    return m
  end

  --- The roots of a list, sorted, as an array.
  function series.roots(name, family, array, c, check)
    if #c < 2 then return array({ 0 })[{ { 2, 1 } }] end
    local m = array(companion_of(name, family, c))
    if #c == 2 then return m:reshape(-1) end
    if family.prefix ~= "poly" then m = m["::-1, ::-1"] end              -- NumPy's, for less error
    local found = shared.eigenvalues(m, check)
    return ma.iscomplexobj(found) and ma.sort_complex(found) or ma.sort(found)
  end

  -- ==== Values =====================================================================================================

  --- Coefficients as an array of floats with at least one axis.
  local function coefficients(name, c, near)
    c = floating(shared.beside(near, c))
    if c.ndim == 0 then c = c:reshape(1) end
    if c.shape[1] == 0 then fail(name, "no coefficients; wanted at least one") end
    return c
  end

  --- x as it was given if it is a number, which has no dtype of its own.
  local function points(x, c)
    if type(x) == "number" then return x, 0 end
    x = is_array(x) and x or core.asarray(x, { device = is_array(c) and c.device or nil })
    return x, x.ndim
  end

  function series.value(name, family, x, c, tensor)
    local ndim
    x, ndim = points(x, c)
    if type(x) == "number" then c = coefficients(name, c, core.asarray(0, { device = is_array(c) and c.device or nil }))
    else c = coefficients(name, c, x) end
    local shape = c.shape
    local n = table.remove(shape, 1)
    if tensor ~= false then
      for _ = 1, ndim do shape[#shape + 1] = 1 end
    end
    local function at(k)
      local view = shared.at(c, k)
      return tensor ~= false and view.ndim ~= #shape and view:reshape(shape) or view
    end
    return families.value(family, at, n, x)
  end

  --- Another coordinate as an array of the first one's shape.
  local function coordinate(name, first, x)
    x = shared.beside(first, x)
    if ma.same_shape(first, x) then return x end
    fail(name, sformat("coordinates in %s and %s; wanted one shape", core.describe(first), core.describe(x)))
  end

  --- Values at points whose coordinates are of one shape.
  function series.value_nd(name, family, c, ...)
    local first, others = (...), { select(2, ...) }
    first = points(first, c)
    if type(first) == "number" then first = core.asarray(first) end
    local value = series.value(name, family, first, c)
    for _, x in ipairs(others) do
      x = coordinate(name, first, x)
      if value.ndim == x.ndim then
        fail(name, "coefficients of fewer axes than there are coordinates; wanted one axis each")
      end
      value = series.value(name, family, x, value, false)
    end
    return value
  end

  --- Values on the grid of the coordinates.
  function series.grid(name, family, c, ...)
    for k = 1, select("#", ...) do
      c = series.value(name, family, (select(k, ...)), c)
    end
    return c
  end

  function series.vander(family, x, degree)
    x = floating(x)
    if x.ndim == 0 then x = x:reshape(1) end
    return ma.stack(families.columns(family, x, degree), -1)
  end

  local function degrees(name, deg, n)
    if type(deg) ~= "table" or #deg ~= n then
      fail(name, sformat("deg is %s; wanted a table of %d degrees", core.describe(deg), n))
    end
    for k = 1, n do shared.degree(name, "deg", deg[k]) end
    return deg
  end

  --- Products of the columns of several coordinates, the last one's running fastest.
  function series.vander_nd(name, family, deg, ...)
    local xs = { ... }
    degrees(name, deg, #xs)
    for k = 2, #xs do xs[k] = coordinate(name, core.asarray(xs[1]), xs[k]) end
    local dtype = ma.result_type(unpack(xs))
    if not is.inexact[dtype] then dtype = "float64" end
    local product
    for k = 1, #xs do
      local x = core.asarray(xs[k]):astype(dtype, { copy = false })
      local columns = ma.stack(families.columns(family, x, deg[k]), -1)
      if not product then product = columns
      else
        local joined = ma.expand_dims(product, -1) * ma.expand_dims(columns, -2)
        local shape = x.shape
        shape[#shape + 1] = product.shape[product.ndim] * (deg[k] + 1)
        product = joined:reshape(shape)
      end
    end
    return product
  end

  -- ==== Fits =======================================================================================================

  --- The degrees of a fit, sorted, and whether they were given as a list.
  local function fit_degrees(name, deg)
    if is_array(deg) then deg = deg:totable() end                -- a number of a 0-d array
    if type(deg) ~= "table" then return shared.degree(name, "deg", deg), nil end
    if #deg == 0 then fail(name, "no degrees; wanted a number or a table of numbers") end
    local list = {}
    for k = 1, #deg do list[k] = shared.degree(name, "deg", deg[k]) end
    table.sort(list)
    return list[#list], list
  end

  function series.fit(name, family, x, y, deg, rcond, full, w, check)
    x, y, w = shared.fit_data(name, x, y, w)
    local most, list = fit_degrees(name, deg)
    local left = series.vander(family, x, most)
    local positions
    if list then
      positions = {}
      for k = 1, #list do positions[k] = list[k] + 1 end
      positions = core.asarray(positions, { dtype = "int64", device = x.device })
      left = left:take(positions, 2)
    end
    local right = y
    if w then left, right = shared.scale_rows(left, w), shared.scale_rows(y, w) end
    if rcond == nil then rcond = x.size * shared.epsilon(x) end
    local scale = ma.sqrt(ma.square(ma.absolute(left)):sum(1))
    scale = ma.where(scale:eq(0), 1, scale)
    local c, residuals, rank, s = ma.linalg.lstsq(left / scale, right, { rcond = rcond, check = check })
    c = shared.divide_rows(c, scale)
    if list then
      local shape = c.shape
      shape[1] = most + 1
      local all = ma.zeros(shape, { dtype = c.dtype, device = c.device })
      all[positions] = c
      c = all
    end
    if full then return c, residuals, rank, s, rcond end
    return c
  end

  -- ==== Derivatives and integrals: along an axis, number by number or as arrays ====================================

  local function check_order(name, m)
    return common.whole(name, "m", m or 1, 0, MOST_ORDERS)
  end

  --- A number, or a 0-d array, which need not be read.
  local function check_scalar(name, what, value)
    return is_array(value) and value.ndim == 0 and value or shared.scalar(name, what, value)
  end

  --- Coefficients with the axis in front, as a list of views; the axis.
  local function slices(name, c, axis)
    c = floating(c)
    if c.ndim == 0 then c = c:reshape(1) end
    axis = common.axis(name, axis or 1, c.ndim)
    local moved = ma.moveaxis(c, axis, 1)
    local list = {}
    for k = 1, moved.shape[1] do list[k] = shared.at(moved, k) end
    if #list == 0 then fail(name, "no coefficients; wanted at least one") end
    return c, list, axis
  end

  local function joined(list, axis) return ma.moveaxis(ma.stack(list), 1, axis) end

  function series.derivative(name, family, c, m, scale, axis)
    m = check_order(name, m)
    scale = check_scalar(name, "scl", scale == nil and 1 or scale)
    local list
    c, list, axis = slices(name, c, axis)
    if m == 0 then return c:copy() end
    if m >= #list then return joined({ list[1] * 0 }, axis):astype(c.dtype) end
    for _ = 1, m do
      for k = 1, #list do list[k] = list[k] * scale end
      list = family.derive(list, #list - 1)
    end
    return joined(list, axis):astype(c.dtype, { copy = false })
  end

  --- The constants of m integrations: 0 where none is given.
  local function constants(name, k, m)
    if is_array(k) then k = k.ndim == 0 and { k } or k:totable() end
    if type(k) ~= "table" then k = { k } end
    if #k > m then fail(name, sformat("%d constants for %d integrations; wanted at most one each", #k, m)) end
    local list = {}
    for order = 1, m do list[order] = k[order] == nil and 0 or check_scalar(name, "a constant", k[order]) end
    return list
  end

  function series.integral(name, family, c, m, k, lower, scale, axis)
    m = check_order(name, m)
    k = constants(name, k == nil and {} or k, m)
    scale = check_scalar(name, "scl", scale == nil and 1 or scale)
    lower = check_scalar(name, "lbnd", lower == nil and 0 or lower)
    local list
    c, list, axis = slices(name, c, axis)
    if m == 0 then return c:copy() end
    for order = 1, m do
      local n = #list
      for j = 1, n do list[j] = list[j] * scale end
      if n == 1 and list[1]:eq(0):all() then
        list[1] = list[1] + k[order]
      else
        local t = { list[1] * 0 }
        family.integrate(list, n, t)
        local at_lower = families.value(family, function(j) return t[j] end, #t, lower)
        t[1] = t[1] + (k[order] - at_lower)
        list = t
      end
    end
    return joined(list, axis):astype(c.dtype, { copy = false })
  end

  series.companion_of = companion_of
  return series
end
