--- BSpline: sums of B-splines of degree k over knots t. The values of the k + 1 B-splines that are not 0 at a point
--- come from de Boor's recurrence, in C (kernels/interpolate/bspline.h).

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core, shared, piecewise)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local bspline, methods = {}, {}

  --- For a vector of points: the 1-based position of the first B-spline that is not 0 there, and the values of the
  --- k + 1 B-splines, or of their nu-th derivatives, as a list of vectors.
  function bspline.basis(t, k, points, nu)
    local first, basis = core.bspline_basis(t, k, points, nu)
    local list = {}
    for r = 1, k + 1 do list[r] = basis[{ r, {} }] end
    return first, list
  end

  --- The sum over the B-splines of rows of coefficients.
  local function values_at(self, points, nu) return core.bspline_sums(self.t, self.k, points, nu, self.rows) end

  local function trailing_of(c) return shared.trailing(c, 2) end

  --- c: with the axis of interpolation first.
  function bspline.new(t, c, k, extrapolate, axis, kind)
    local n = t.size - k - 1
    local _, count = trailing_of(c)
    local rows = core.contiguous(c:reshape(c.shape[1], count))
    return setmetatable({ t = t, c = c, k = k, n = n, rows = rows, extrapolate = extrapolate == nil and true or
      extrapolate, axis = axis or 1, kind = kind or "BSpline" }, bspline.Meta)
  end

  local function edges(self) return self.t[{ { self.k + 1, self.k + 1 } }], self.t[{ { self.n + 1, self.n + 1 } }] end

  local function evaluate(self, x, nu, extrapolate)
    local first, last = edges(self)
    return shared.evaluated(self, self.kind, x, nu, extrapolate, first, last, (trailing_of(self.c)),
      function(points, order) return values_at(self, points, order) end)
  end
  bspline.evaluate, bspline.edges = evaluate, edges

  function methods:__call(x, nu, extrapolate)
    if type(nu) == "table" and not is_array(nu) then nu, extrapolate = nu.nu, nu.extrapolate end
    return evaluate(self, x, nu, extrapolate)
  end

  --- The factors a, one for each row of c, in a shape that broadcasts against c.
  local function upright(a, c) return a:reshape(common.upright(c.ndim, 1, a.size)) end

  --> = spline | ma.interpolate.BSpline({0, 1, 2, 3}, {1, 2}, 1) | A spline of basis functions, called with positions.
  --> . t: array | the knots
  --> . c: array | the coefficients
  --> . k: integer | the degree
  --> . axis: integer | the axis of the values
  --> . extrapolate: boolean|string | what it is outside of the knots
  --> + call(data, integer?, boolean|string|nil): array
  --> :derivative(nu?: integer) -> spline | The derivative of order nu, 1 unless it is said.
  --> spline:derivative: spline:derivative()(1.5)
  function methods:derivative(nu)
    nu = shared.whole("BSpline.derivative", "nu", nu == nil and 1 or nu, 0)
    local t, c, k = self.t, self.c[{ { 1, self.n } }], self.k
    if nu > k then fail("BSpline.derivative", sformat("nu is %d; wanted %d at most, the degree", nu, k)) end
    for _ = 1, nu do
      local n = c.shape[1]
      local width = t[{ { k + 2, n + k } }] - t[{ { 2, n } }]
      c = (c["2:"] - c[":-2"]) * upright(ma.where(width:gt(0), k / width, 0), c)
      t = t["2:-2"]
      k = k - 1
    end
    return bspline.new(t:copy(), c:eval(), k, self.extrapolate, self.axis)
  end

  --> :antiderivative(nu?: integer) -> spline | The integral of order nu, 1 unless it is said.
  --> spline:antiderivative: spline:antiderivative()(2)
  function methods:antiderivative(nu)
    nu = shared.antiderivative_order("BSpline.antiderivative", nu, 0)
    local t, c, k = self.t, self.c[{ { 1, self.n } }], self.k
    for _ = 1, nu do
      local n = c.shape[1]
      local width = t[{ { k + 2, n + k + 1 } }] - t[{ { 1, n } }]
      local sums = ma.cumsum(c * upright(width / (k + 1), c), 1)
      c = ma.concatenate({ ma.zeros_like(sums["1:1"]), sums })
      t = ma.concatenate({ t["1:1"], t, t["-1:-1"] })
      k = k + 1
    end
    local extrapolate = self.extrapolate
    if extrapolate == "periodic" and nu > 0 then extrapolate = false end
    return bspline.new(t, c:eval(), k, extrapolate, self.axis)
  end

  --> :integrate(a: number, b: number, extrapolate?: boolean|string) -> array | The integral from a to b.
  --> spline:integrate: spline:integrate(1, 2)
  function methods:integrate(a, b, extrapolate)
    return shared.integral(self, "BSpline.integrate", a, b, extrapolate, function() return ma.item(edges(self)) end,
      function(at, from, to, first, last)                    -- outside the spline counts as 0
        return at(math.min(math.max(to, first), last)) - at(math.min(math.max(from, first), last))
      end)
  end

  --- The piecewise polynomial between the knots: Taylor's coefficients at each.
  function bspline.to_ppoly(self, extrapolate)
    local t, k, n = self.t, self.k, self.n
    local left = t[{ { k + 1, n } }]
    local coefficients, factor = {}, 1
    for nu = 0, k do
      if nu > 0 then factor = factor * nu end
      -- The values at the left ends are taken exactly, also for intervals without width, in which no point can be.
      coefficients[k + 1 - nu] = values_at(self, left, nu) / factor
    end
    local c = ma.stack(coefficients)
    local shape = common.joined({ k + 1, n - k }, (trailing_of(self.c)))
    return piecewise.new(c:reshape(shape):eval(), t[{ { k + 1, n + 1 } }]:copy(), extrapolate, self.axis)
  end

  bspline.Meta = shared.class("BSpline", methods, {
    derivative = "nu", antiderivative = "nu", integrate = "a b extrapolate",
  })

  --- Checked arguments of a spline.
  function bspline.arguments(name, t, c, k, axis)
    k = shared.whole(name, "k", k, 0)
    t = shared.positions(name, "t", t, 2, is_array(c) and c or nil, true)
    c = shared.values(c, t)
    local n = t.size - k - 1
    if c.ndim == 0 then fail(name, "c is a 0-d array; wanted coefficients along an axis") end
    if axis ~= nil and (type(axis) ~= "number" or axis ~= floor(axis)) then
      fail(name, sformat("axis is %s; wanted a whole number", core.describe(axis)))
    end
    axis = (axis or 1) < 0 and c.ndim + 1 + axis or axis or 1
    if n < k + 1 or axis < 1 or axis > c.ndim or c.shape[axis] < n then
      fail(name, sformat("%d knots and %s; wanted 2 k + 2 = %d knots at least, and a coefficient for all but k + 1",
        t.size, core.describe(c), 2 * k + 2))
    end
    return t, ma.moveaxis(c, axis, 1), k, axis
  end

  --> interpolate.BSpline: ma.interpolate.BSpline({0, 0, 1, 2, 2}, {1, 2, 3}, 1)(0.5)
  def("interpolate.BSpline(t: data, c: data, k: integer, extrapolate?: boolean|string, axis?: integer) -> spline",
    "The spline of degree k over knots t that is the sum of B-splines times coefficients c, whose axis of the " ..
      "B-splines is the first. An object that is called with points (and nu, extrapolate), and has derivative(nu), " ..
      "antiderivative(nu), integrate(a, b), t, c and k. extrapolate (true): true, false for NaN outside, or " ..
      "'periodic'.",
    function(t, c, k, extrapolate, axis)
      local name = "interpolate.BSpline"
      t, c, k, axis = bspline.arguments(name, t, c, k, axis)
      return bspline.new(t, c, k, shared.extrapolation(name, extrapolate, true), axis)
    end)

  local function is(value) return type(value) == "table" and getmetatable(value) == bspline.Meta end
  bspline.is = is

  --- A spline as an object, and whether it was a table {t, c, k}.
  local function spline_of(name, tck)
    if is(tck) then return tck, false end
    if type(tck) ~= "table" or #tck ~= 3 then
      fail(name, sformat("%s; wanted a BSpline or {t, c, k}", core.describe(tck)))
    end
    local t, c, k = bspline.arguments(name, tck[1], tck[2], tck[3])
    return bspline.new(t, c, k), true
  end

  local function differentiated(name, method)
    return function(tck, n)
      local spline, is_table = spline_of(name, tck)
      local result = spline[method](spline, n)
      if not is_table then return result end
      return { result.t, result.c, result.k }
    end
  end
  --> interpolate.splder:
  --> \ ma.interpolate.splder(ma.interpolate.make_interp_spline({0, 1, 2, 3}, {0, 1, 4, 9}))(1):round(6)
  def("interpolate.splder(tck: spline, n?: integer) -> spline",
    "The n-th (1) derivative of a BSpline, or of a spline {t, c, k}, which gives one.",
    differentiated("interpolate.splder", "derivative"))
  --> interpolate.splantider: ma.interpolate.splantider(ma.interpolate.BSpline({0, 0, 1, 1}, {0, 2}, 1))(1)
  def("interpolate.splantider(tck: spline, n?: integer) -> spline",
    "The n-th (1) antiderivative of a BSpline, or of a spline {t, c, k}, which gives one.",
    differentiated("interpolate.splantider", "antiderivative"))

  return bspline
end
