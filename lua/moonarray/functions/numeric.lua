--- Comparison of whole arrays, differences, averages and interpolation: expressions over ufuncs and reductions.
--# logic

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format

return function(ma, core)
  local def, elementwise, fail = core.def, core.elementwise, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local axis_of, along, upright, beside = common.axis, common.along, common.upright, common.beside

  local floating, both = common.floating, common.both

  -- ==== Yes or no ==================================================================================================

  --> allclose({1, 1 + 1e-9}, {1, 1})
  def("allclose(a: data, b: data, rtol?: number, atol?: number, equal_nan?: boolean) -> boolean",
    "Whether all elements are close: |a - b| <= atol + rtol |b|. A Lua boolean; waits.",
    function(a, b, rtol, atol, equal_nan)
      return ma.all(ma.isclose(a, b, { rtol = rtol, atol = atol, equal_nan = equal_nan }))
    end)

  --- Whether elements are equal; with equal_nan, NaN equals NaN.
  local function equal(a, b, equal_nan)
    local same = ma.equal(a, b)
    if equal_nan and is.inexact[a.dtype] and is.inexact[b.dtype] then
      same = same + ma.isnan(a) * ma.isnan(b)
    end
    return same:all()
  end

  --> array_equal({1, 2}, {1, 2})
  def("array_equal(a: data, b: data, equal_nan?: boolean) -> boolean",
    "Whether two arrays have one shape and equal elements. A Lua boolean; waits.",
    function(a, b, equal_nan)
      a, b = both(a, b)
      return ma.same_shape(a, b) and equal(a, b, equal_nan)
    end)

  --> array_equiv({1, 1}, {{1, 1}, {1, 1}})
  def("array_equiv(a: data, b: data) -> boolean",
    "Whether two arrays broadcast to one shape and are equal there. A Lua boolean; waits.",
    function(a, b)
      a, b = both(a, b)
      return (pcall(ma.broadcast_shapes, a.shape, b.shape)) and equal(a, b)
    end)

  local function is_array(x) return core.is_array(x) end

  --> isscalar(3)
  def("isscalar(element: any) -> boolean",
    "Whether this is a number, a boolean or a complex number, not an array or a table.",
    function(x)
      local kind = type(x)
      if kind == "userdata" or kind == "cdata" then return not is_array(x) end
      return kind == "number" or kind == "boolean" or kind == "string"
    end)

  --> iscomplexobj(ma.ones(2))
  def("iscomplexobj(x: data) -> boolean", "Whether the dtype is complex.",
    function(x) return ma.issubdtype(core.asarray(x), "complexfloating") end)
  --> isrealobj(ma.ones(2))
  def("isrealobj(x: data) -> boolean", "Whether the dtype is not complex.",
    function(x) return not ma.issubdtype(core.asarray(x), "complexfloating") end)
  --> iscomplex({1, 2})
  def("iscomplex(a: data) -> array|boolean",
    "Where the imaginary part is not 0.", function(a) return ma.not_equal(ma.imag(a), 0) end)
  --> isreal({1, 2})
  def("isreal(a: data) -> array|boolean",
    "Where the imaginary part is 0.", function(a) return ma.equal(ma.imag(a), 0) end)

  --> isposinf({1, ma.inf})
  def("isposinf(a: data, out?: array) -> array|boolean", "Where elements are positive infinity.",
    function(a, out) return ma.logical_and(ma.isinf(a), ma.logical_not(ma.signbit(a)), { out = out }) end)
  --> isneginf({1, -ma.inf})
  def("isneginf(a: data, out?: array) -> array|boolean", "Where elements are negative infinity.",
    function(a, out) return ma.logical_and(ma.isinf(a), ma.signbit(a), { out = out }) end)

  --# mathematics
  --> real_if_close: ma.real_if_close(ma.array {ma.complex(1, 0)})
  elementwise("real_if_close(a: data, tol?: number) -> array|scalar",
    "The real part if all imaginary parts are within tol (100) epsilons of 0, else the array itself. Waits.",
    function(a, tol)
      a = core.asarray(a)
      if not is.complexfloating[a.dtype] then return a end
      tol = common.number("real_if_close", "tol", tol or 100)
      if tol > 1 then tol = tol * ma.finfo(a.dtype).eps end
      if ma.absolute(ma.imag(a)):lt(tol):all() then return ma.real(a) end
      return a
    end)


  -- ==== Differences ================================================================================================

  --# reduce
  --> diff({1, 4, 9})
  def("diff(a: data, n?: integer, axis?: integer|integer[], prepend?: data, append?: data) -> array",
    "Differences of neighbours along an axis (the last), n times over.",
    function(a, n, axis, prepend, append)
      a = beside(a, nil, prepend, append)
      n = n or 1
      n = common.whole("diff", "n", n, 0)
      if n == 0 then return a end
      axis = axis_of("diff", axis or -1, a.ndim)
      local function edge(value)
        -- As for NumPy's integers.
        value = beside(value, type(value) == "number" and value % 1 == 0 and "int64" or nil, a)
        if value.ndim == 0 then
          local shape = a.shape
          shape[axis] = 1
          value = value:broadcast_to(shape)
        end
        return value
      end
      if prepend then a = ma.concatenate({ edge(prepend), a }, axis) end
      if append then a = ma.concatenate({ a, edge(append) }, axis) end
      local subtract = a.dtype == "bool" and ma.not_equal or ma.subtract
      for _ = 1, n do
        if a.shape[axis] == 0 then return a end
        local left, right = common.neighbours(a, axis)
        a = subtract(right, left)
      end
      return a
    end)

  --> ediff1d({1, 4, 9})
  def("ediff1d(a: data, to_end?: data, to_begin?: data) -> array",
    "Differences of neighbours of the flattened array, with values put before and behind.",
    function(a, to_end, to_begin)
      a = ma.ravel(a)
      if a.dtype == "bool" then fail("ediff1d", "bool elements, which have no differences; numbers") end
      local parts = { ma.diff(a) }
      if to_begin then table.insert(parts, 1, ma.ravel(beside(to_begin, nil, a)):astype(a.dtype)) end
      if to_end then parts[#parts + 1] = ma.ravel(beside(to_end, nil, a)):astype(a.dtype) end
      return #parts == 1 and parts[1] or ma.concatenate(parts)
    end)

  --- Second order inside, and first (or second) order at the ends; `h` is a number, or the coordinates along the axis.
  local function gradient_axis(f, h, axis, order)
    local n = f.shape[axis]
    if n < order + 1 then
      fail("gradient", sformat("axis %d has %d elements; at least %d for edge_order %d", axis, n, order + 1, order))
    end
    local function at(lo, hi) return along(f, axis, lo, hi) end
    local result = ma.empty_like(f)
    local function put(lo, hi, value) along(result, axis, lo, hi):assign(value) end
    if type(h) == "number" then
      if n > 2 then put(2, n - 1, (at(3, n) - at(1, n - 2)) / (2 * h)) end
      if order == 1 then
        put(1, 1, (at(2, 2) - at(1, 1)) / h)
        put(n, n, (at(n, n) - at(n - 1, n - 1)) / h)
      else
        put(1, 1, (at(1, 1) * -1.5 + at(2, 2) * 2 - at(3, 3) * 0.5) / h)
        put(n, n, (at(n - 2, n - 2) * 0.5 - at(n - 1, n - 1) * 2 + at(n, n) * 1.5) / h)
      end
      return result
    end
    local step = h:diff():reshape(upright(f.ndim, axis, n - 1))
    local function dx(lo, hi) return along(step, axis, lo, hi) end
    if n > 2 then
      local a, b = dx(1, n - 2), dx(2, n - 1)
      put(2, n - 1, at(1, n - 2) * -(b / (a * (a + b))) + at(2, n - 1) * ((b - a) / (a * b)) + at(3, n)
        * (a / (b * (a + b))))
    end
    if order == 1 then
      put(1, 1, (at(2, 2) - at(1, 1)) / dx(1, 1))
      put(n, n, (at(n, n) - at(n - 1, n - 1)) / dx(n - 1, n - 1))
    else
      local a, b = dx(1, 1), dx(2, 2)
      put(1, 1, at(1, 1) * -((a * 2 + b) / (a * (a + b))) + at(2, 2) * ((a + b) / (a * b)) - at(3, 3)
        * (a / (b * (a + b))))
      a, b = dx(n - 2, n - 2), dx(n - 1, n - 1)
      put(n, n, at(n - 2, n - 2) * (b / (a * (a + b))) - at(n - 1, n - 1) * ((b + a) / (a * b))
        + at(n, n) * ((b * 2 + a) / (b * (a + b))))
    end
    return result
  end

  --> gradient({1, 4, 9})
  def("gradient(a: data; axis?: integer|integer[], edge_order?: number, ...) -> array ...",
    "Central differences along each axis, one result an axis; then one spacing, or one an axis: a number or " ..
      "coordinates. The derivative of a function is ma.grad.",
    function(a, axis, order, ...)
      a = core.asarray(a)
      if a.dtype == "bool" then fail("gradient", "bool elements, which have no differences; numbers") end
      a = floating(a)
      order = order or 1
      if order ~= 1 and order ~= 2 then fail("gradient", sformat("%s for edge_order; 1 or 2", tostring(order))) end
      local axes = type(axis) == "table" and axis or axis and { axis } or common.axes("gradient", nil, a.ndim)
      local spacing = { ... }
      if #spacing > 1 and #spacing ~= #axes then
        fail("gradient", sformat("%d spacings for %d axes; one, or one an axis", #spacing, #axes))
      end
      local results = {}
      for k = 1, #axes do
        local h, d = spacing[k] or spacing[1] or 1, axis_of("gradient", axes[k], a.ndim)
        if type(h) ~= "number" then
          if type(h) == "boolean" or type(h) == "function" then
            fail("gradient", sformat("%s for a spacing; a number or coordinates", core.describe(h)))
          end
          h = floating(h)
          if h.ndim == 0 then h = h:item()
          elseif h.ndim ~= 1 or h.size ~= a.shape[d] then
            fail("gradient", sformat("%d coordinates for axis %d of extent %d; as many", h.size, d, a.shape[d]))
          end
        end
        results[k] = gradient_axis(a, h, d, order)
      end
      return unpack(results)
    end)

  --> trapezoid({1, 4, 9})
  def("trapezoid(a: data, x?: data, dx?: number, axis?: integer|integer[]) -> array",
    "The integral along an axis by the trapezoidal rule, over coordinates x or steps of dx.",
    function(y, x, dx, axis)
      y = beside(y, nil, x)
      axis = axis_of("trapezoid", axis or -1, y.ndim)
      local n = y.shape[axis]
      local width = dx or 1
      if x then
        x = beside(x, nil, y)
        if x.ndim == 1 then
          width = x:diff():reshape(upright(y.ndim, axis, n - 1))
        else
          width = x:diff({ axis = axis })
        end
      end
      if n < 2 then return ma.sum(floating(along(y, axis, 1, 0)), axis) end
      local left, right = common.neighbours(y, axis)
      return ma.sum((right + left) * width / 2, axis)
    end)

  --# mathematics
  --> unwrap({0, 3, 6.5, 9.5})
  def("unwrap(a: data, discont?: number, axis?: integer|integer[], period?: number) -> array",
    "Angles with jumps of more than half a period replaced by their complement.",
    function(p, discont, axis, period)
      p = core.asarray(p)
      period = common.number("unwrap", "period", period or (2 * math.pi))
      local whole = is.integer[p.dtype] and period % 1 == 0         -- then the result is whole, too
      if not whole then p = floating(p) end
      discont = common.number("unwrap", "discont", discont or period / 2)
      axis = axis_of("unwrap", axis or -1, p.ndim)
      local n = p.shape[axis]
      if n < 2 then return p:copy() end
      local half = whole and math.floor(period / 2) or period / 2
      local step = p:diff({ axis = axis })
      local folded = (step + half) % period - half
      if half == period / 2 then folded = ma.where(folded:eq(-half) * step:gt(0), half, folded) end
      local correction = ma.where(ma.absolute(step):lt(math.max(discont, period / 2)), 0, folded - step)
      local result = p:copy()
      result[common.slice(p.ndim, axis, 2, n)] = along(p, axis, 2, n) + correction:cumsum(axis)
      return result
    end)

  -- ==== Averages and interpolation =================================================================================

  --# reduce
  --> average({1, 2, 3}, {weights = {3, 2, 1}})
  def("average(a: data, axis?: integer|integer[], weights?: data, returned?: boolean, keepdims?: boolean) -> array, "
    .. "array?",
    "The weighted mean along axes; with returned, the sums of the weights as a second result. Sums of weights are " ..
      "looked at, which waits: 0 is an error.",
    function(a, axis, weights, returned, keepdims)
      a = beside(a, nil, weights)
      if not weights then
        local mean = a:mean(axis, { keepdims = keepdims })
        if not returned then return mean end
        return mean, ma.full_like(mean, a.size / math.max(mean.size, 1))
      end
      weights = beside(weights, nil, a)
      if not ma.same_shape(a, weights) then
        if type(axis) ~= "number" or weights.ndim ~= 1 then
          fail("average", "weights of another shape; the array's shape, or a vector along one axis")
        end
        local d = axis_of("average", axis, a.ndim)
        if weights.size ~= a.shape[d] then
          fail("average", sformat("%d weights for %d elements along axis %d; as many", weights.size, a.shape[d], d))
        end
        weights = weights:reshape(upright(a.ndim, d, weights.size)):broadcast_to(a.shape)
      end
      local dtype = ma.result_type(a.dtype, weights.dtype)
      if a.dtype == "bool" or is.integer[a.dtype] then dtype = ma.result_type(dtype, "float64") end
      -- Narrow floats are weighed in wide ones, as in mean. So large numbers make no sum that is too large for their
      -- dtype.
      local wide = is.complexfloating[dtype] and "complex128" or "float64"
      local total = ma.sum(weights, axis, { keepdims = keepdims, dtype = wide })
      if total:eq(0):any() then fail("average", "weights that add up to 0; wanted another sum") end
      local mean = ma.sum(ma.multiply(a, weights, { dtype = wide }), axis, { keepdims = keepdims }) / total
      mean = mean:astype(dtype, { copy = false })
      if returned then return mean, total:astype(dtype, { copy = false }) end
      return mean
    end)

  local function is_number(value) return value == nil or type(value) == "number" end

  --- interp for the cases that the core does not take: a period, complex values, or arrays for what lies outside.
  local function interp(x, xp, fp, left, right, period)
    local dtype = ma.iscomplexobj(fp) and "complex128" or "float64"        -- as in NumPy, whatever the points are
    x, xp, fp = beside(x, "float64", xp, fp), ma.ravel(beside(xp, "float64", x, fp)),
      ma.ravel(beside(fp, dtype, x, xp))
    if xp.size ~= fp.size or xp.size == 0 then
      fail("interp", sformat("%d positions and %d values; as many, at least one", xp.size, fp.size))
    end
    if period then
      x, xp = x % period, xp % period
      local order = xp:argsort()
      xp, fp = xp:take(order), fp:take(order)
      local n = xp.size
      xp = ma.concatenate({ along(xp, 1, n, n) - period, xp, along(xp, 1, 1, 1) + period })
      fp = ma.concatenate({ along(fp, 1, n, n), fp, along(fp, 1, 1, 1) })
    end
    local n = xp.size
    if dtype == "float64" and is_number(left) and is_number(right) then
      if period then left, right = nil, nil end
      return core.interp(x, xp, fp, left, right)
    end
    local result
    if dtype == "float64" then result = core.interp(x, xp, fp)
    else                                                  -- the real and the imaginary parts by themselves
      local parts, columns = fp:view("float64"):reshape(n, 2), {}
      for k = 1, 2 do columns[k] = core.interp(x, xp, parts[{ {}, k }]) end
      result = ma.stack(columns, -1):view(dtype):reshape(x.shape)
    end
    if not period then
      result = ma.where(x:lt(along(xp, 1, 1, 1):squeeze()), left or along(fp, 1, 1, 1):squeeze(), result)
      result = ma.where(x:gt(along(xp, 1, n, n):squeeze()), right or along(fp, 1, n, n):squeeze(), result)
    end
    return ma.where(ma.isnan(x), x, result)
  end

  --> interp({0.5, 1.5}, {0, 1, 2}, {0, 10, 20})
  def("interp(x: data, xp: data, fp: data, left?: number, right?: number, period?: number) -> array",
    "Values at x of the piecewise linear function through the points (xp, fp), xp ascending.",
    function(x, xp, fp, left, right, period)
      local plain = period == nil and is_number(left) and is_number(right) and core.interp(x, xp, fp, left, right)
      return plain or interp(x, xp, fp, left, right, period)
    end)
end
