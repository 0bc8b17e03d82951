--- Splines through values, or as near to them as knots allow: banded systems of B-splines.

local sformat = require("moonarray.text").format

return function(ma, core, shared, bspline)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local construct = {}

  local function filled(value, n) return ma.broadcast_to(value, { n }) end

  --- Knots of a spline of degree k through all positions, without a kink at the outer ones.
  function construct.knots(x, k)
    local n = x.size
    if k == 0 then return ma.concatenate({ x, x["-1:-1"] }) end
    if k == 1 then return ma.concatenate({ x["1:1"], x, x["-1:-1"] }) end
    local inner
    if k % 2 == 1 then
      local m = (k + 1) / 2
      inner = m + 1 <= n - m and x[{ { m + 1, n - m } }] or nil
    else
      local m = k / 2
      local middle = (x["2:"] + x[":-2"]) / 2
      inner = m + 1 <= n - 1 - m and middle[{ { m + 1, n - 1 - m } }] or nil
    end
    local list = { filled(x["1:1"], k + 1), inner, filled(x["-1:-1"], k + 1) }
    if not inner then list = { list[1], filled(x["-1:-1"], k + 1) } end
    return ma.concatenate(list)
  end

  -- ==== Conditions at the ends =====================================================================================

  local names = { ["not-a-knot"] = {}, natural = { 2 }, clamped = { 1 } }

  --- One end: a list of {order, value as a row of the right side}.
  local function end_conditions(name, bc, count, device)
    if bc == nil or bc == "not-a-knot" then return {} end
    if type(bc) == "string" then
      if not names[bc] then
        fail(name, sformat("'%s' for bc_type; not-a-knot, natural, clamped, or lists of {order, value}", bc))
      end
      return { { names[bc][1], ma.zeros({ 1, count }, { device = device }) } }
    end
    local list = {}
    if type(bc) ~= "table" then
      fail(name, sformat("bc_type has %s; wanted lists of {order, value}", core.describe(bc)))
    end
    for k, pair in ipairs(bc) do
      if type(pair) ~= "table" or pair[2] == nil then
        fail(name, "bc_type; wanted for each end a list of {order of the derivative, value}")
      end
      local value = shared.values(pair[2], { device = device })
      list[k] = { shared.whole(name, "an order in bc_type", pair[1], 1), ma.broadcast_to(value:reshape(1, value.size),
        { 1, count }) }
    end
    return list
  end

  local function both_ends(name, bc, count, device)
    if type(bc) == "table" then
      return end_conditions(name, bc[1], count, device), end_conditions(name, bc[2], count, device)
    end
    return end_conditions(name, bc, count, device), end_conditions(name, bc, count, device)
  end

  -- ==== Interpolation ==============================================================================================

  --- The coefficients of the periodic spline over the knots t. The last k unknowns are the first ones again, so the
  --- matrix has a corner, which a small system takes in.
  local function periodic(name, x, rows, k)
    local n = x.size - 1                                 -- unknowns; the last value is the first one
    if n < k + 1 then
      fail(name, sformat("%d positions; wanted k + 2 = %d at least for a periodic spline", n + 1, k + 2))
    end
    local period = x["-1:-1"] - x["1:1"]
    local t
    if k % 2 == 1 then t = x
    else
      t = ma.concatenate({ x["1:1"] - (x["-1:-1"] - x["-2:-2"]) / 2, (x["2:"] + x[":-2"]) / 2 })
    end
    if k > 0 then
      t = ma.concatenate({ t[{ { n + 1 - k, n } }] - period, t, t[{ { 2, k + 1 } }] + period })
    end
    local first, basis = bspline.basis(t, k, x[{ { 1, n } }], 0)
    -- A dense matrix is enough where the corners meet. Otherwise bands and a small system would do.
    local matrix = ma.zeros({ n, n }, { device = x.device })
    local columns = ma.range(1, n, { device = x.device }):reshape(1, n)
    for r = 1, #basis do
      local at = ma.remainder(first + (r - 2), n) + 1
      matrix = matrix + ma.where(columns:eq(at:reshape(n, 1)), basis[r]:reshape(n, 1), 0)
    end
    local c = ma.linalg.solve(matrix, rows[{ { 1, n }, {} }])
    local m = t.size - k - 1
    return t, ma.concatenate({ c, c[{ { 1, m - n } }] })
  end

  function construct.interpolate(name, x, rows, k, t, bc)
    local n, count = x.size, rows.shape[2]
    if bc == "periodic" then return periodic(name, x, rows, k) end
    if k == 0 then return ma.concatenate({ x, x["-1:-1"] }), rows end
    local left, right = both_ends(name, bc, count, x.device)
    if t == nil then
      if #left == 0 and #right == 0 then t = construct.knots(x, k)
      else
        local wide = { filled(x["1:1"], k + 1) }
        if n > 2 then wide[2] = x["2:-2"] end
        wide[#wide + 1] = filled(x["-1:-1"], k + 1)
        t = ma.concatenate(wide)
      end
    else t = shared.positions(name, "t", t, 2 * k + 2, x, true) end
    local unknowns = t.size - k - 1
    if unknowns ~= n + #left + #right then
      fail(name, sformat("%d positions with %d and %d conditions for %d coefficients; wanted as many conditions as " ..
        "coefficients", n, #left, #right, unknowns))
    end
    -- Rows are not exchanged, so the conditions are put between the outer values and the others, those of higher order
    -- further inside.
    local function by_order(a, b) return a[1] < b[1] end
    table.sort(left, by_order)
    table.sort(right, by_order)
    local parts, right_sides, row = {}, {}, 0
    local function add(points, nu, values)
      parts[#parts + 1] = core.bspline_bands(t, k, points, nu, row, k, k)
      right_sides[#right_sides + 1] = values
      row = row + points.size
    end
    if #left + #right == 0 then add(x, 0, rows)
    else
      add(x["1:1"], 0, rows["1:1, :"])
      for j = 1, #left do add(x["1:1"], left[j][1], left[j][2]) end
      if n > 2 then add(x["2:-2"], 0, rows["2:-2, :"]) end
      for j = #right, 1, -1 do add(x["-1:-1"], right[j][1], right[j][2]) end
      add(x["-1:-1"], 0, rows["-1:-1, :"])
    end
    local is_complex = rows.dtype ~= "float64"
    for j = 1, #right_sides do if is_complex then right_sides[j] = right_sides[j]:astype(rows.dtype) end end
    if #parts == 1 then return t, shared.solve_banded(name, parts[1], k, right_sides[1]) end
    return t, shared.solve_banded(name, ma.concatenate(parts), k, ma.concatenate(right_sides))
  end

  local function shaped_back(c, trailing) return c:reshape(common.joined({ c.shape[1] }, trailing)) end

  --> interpolate.make_interp_spline: ma.interpolate.make_interp_spline({0, 1, 2, 3}, {0, 1, 4, 9})(1.5)
  def("interpolate.make_interp_spline(x: data, y: data, k?: integer, t?: data, bc_type?: table|string, "
    .. "axis?: integer) -> spline",
    "The BSpline of degree k (3) through values y at growing x, along an axis (the first). t: knots; bc_type: " ..
      "'not-a-knot' (default), 'natural', 'clamped', 'periodic', or for the two ends a table of lists of {order, " ..
      "value} of derivatives.",
    function(x, y, k, t, bc, axis)
      local name = "interpolate.make_interp_spline"
      k = shared.whole(name, "k", k or 3, 0)
      local rows, trailing, along
      x, rows, trailing, along = shared.data(name, x, y, axis)
      if t == nil and bc == nil and x.size < k + 1 then
        fail(name, sformat("%d positions; wanted k + 1 = %d at least", x.size, k + 1))
      end
      local knots, c = construct.interpolate(name, x, rows, k, t, bc)
      return bspline.new(knots, shaped_back(c, trailing), k, bc == "periodic" and "periodic" or true, along)
    end)

  -- ==== Least squares ==============================================================================================

  --- The normal equations of the B-splines at the points, as bands, and their right side.
  function construct.least_squares(name, x, rows, t, k, w)
    local n, m = t.size - k - 1, x.size
    local first, basis = bspline.basis(t, k, x, 0)
    local count = rows.shape[2]
    local o = { device = x.device }
    local bands = ma.zeros({ n * (2 * k + 1) }, o)
    local b = ma.zeros({ n, count }, { dtype = rows.dtype, device = x.device })
    for i = 1, k + 1 do
      local weighted = w and basis[i] * w * w or basis[i]
      for j = 1, k + 1 do
        ma.add.at(bands, (first + (i - 2)) * (2 * k + 1) + (j - i + k + 1), weighted * basis[j])
      end
      ma.add.at(b, first + (i - 1), weighted:reshape(m, 1) * rows)
    end
    return shared.solve_banded(name, bands:reshape(n, 2 * k + 1), k, b)
  end

  local function weights(name, w, n, x)
    if w == nil then return nil end
    w = shared.reals(name, "w", w, x)
    if w.ndim ~= 1 or w.size ~= n then fail(name, sformat("w is %s; wanted %d weights", core.describe(w), n)) end
    return w
  end

  --> interpolate.make_lsq_spline: local x, t = ma.arange(6) / 1, {0, 0, 0, 0, 5, 5, 5, 5}
  -->   return ma.interpolate.make_lsq_spline(x, x ^ 2, t)(1.5):round(6)
  def("interpolate.make_lsq_spline(x: data, y: data, t: data, k?: integer, w?: data, axis?: integer) -> spline",
    "The BSpline of degree k (3) over knots t that makes the sum of (w (spline - y))^2 at growing x least, along an " ..
      "axis (the first). t: with k + 1 knots at both ends, as of BSpline.",
    function(x, y, t, k, w, axis)
      local name = "interpolate.make_lsq_spline"
      k = shared.whole(name, "k", k or 3, 0)
      x = shared.positions(name, "x", x, 1, y, true)
      local rows, trailing, along = shared.rows(name, y, x.size, axis, x)
      t = shared.positions(name, "t", t, 2 * k + 2, x, true)
      if x.size < t.size - k - 1 then
        fail(name, sformat("%d values for %d coefficients; wanted as many at least", x.size, t.size - k - 1))
      end
      local c = construct.least_squares(name, x, rows, t, k, weights(name, w, x.size, x))
      return bspline.new(t, shaped_back(c, trailing), k, true, along)
    end)

  -- ==== FITPACK's objects ==========================================================================================

  local methods = {}
  local Meta
  local extensions = { [0] = 0, 1, 2, 3, extrapolate = 0, zeros = 1, raise = 2, const = 3 }

  local function extension(name, ext)
    local code = extensions[ext == nil and 0 or ext]
    if code then return code end
    fail(name, sformat("ext is %s; wanted 0 to 3, 'extrapolate', 'zeros', 'raise' or 'const'", core.describe(ext)))
  end

  function methods:__call(x, nu, ext)
    local name = self.kind
    if type(nu) == "table" and not is_array(nu) then nu, ext = nu.nu, nu.ext end
    ext = ext == nil and self.ext or extension(name, ext)
    local spline = self.spline
    local first, last = bspline.edges(spline)
    local points = shared.reals(name, "x", x, spline.t)
    if ext == 3 then points = ma.minimum(ma.maximum(points, first:reshape({})), last:reshape({})) end
    local result = bspline.evaluate(spline, points, nu, true)
    if ext ~= 1 and ext ~= 2 then return result end
    local outside = points:lt(first:reshape({})) + points:gt(last:reshape({}))
    if ext == 2 and outside:any() then fail(name, "a point outside of the spline, and ext is 'raise'") end
    return ext == 1 and ma.where(outside, 0, result) or result
  end

  --> = univariate_spline | ma.interpolate.UnivariateSpline({0, 1, 2, 3, 4}, {0, 1, 4, 9, 16}) | A spline through
  --> \ points.
  --> . ext: any | what it is outside of the points
  --> . x: array | the points
  --> . y: array | the values
  --> + call(data, integer?, any): array
  --> :get_coeffs() -> array | The coefficients.
  --> univariate_spline:get_coeffs: univariate_spline:get_coeffs().size
  function methods:get_coeffs() return self.spline.c end
  --> :get_knots() -> array | The knots.
  --> univariate_spline:get_knots: univariate_spline:get_knots()
  function methods:get_knots() return self.spline.t[{ { self.spline.k + 1, self.spline.n + 1 } }] end

  --> :get_residual() -> array | The sum of the squared, weighted residuals.
  --> univariate_spline:get_residual: ma.round(univariate_spline:get_residual(), 3)
  function methods:get_residual()
    local difference = (bspline.evaluate(self.spline, self.x, 0, true) - self.y)
    if self.w then difference = difference * self.w end
    return (difference * difference):sum()
  end

  --> :integral(a: number, b: number) -> array | The integral from a to b.
  --> univariate_spline:integral: ma.round(univariate_spline:integral(0, 4), 3)
  function methods:integral(a, b)
    local name = "UnivariateSpline.integral"
    a, b = shared.bound(name, "a", a), shared.bound(name, "b", b)
    return self.spline:integrate(a, b, false)
  end

  --> :derivatives(x: number) -> array | All derivatives at x.
  --> univariate_spline:derivatives: ma.round(univariate_spline:derivatives(2), 3)
  function methods:derivatives(x)
    local list = {}
    for nu = 0, self.spline.k do list[nu + 1] = bspline.evaluate(self.spline, x, nu, true) end
    return ma.stack(list)
  end

  local function like(self, spline) return setmetatable({ spline = spline, ext = self.ext, kind = self.kind, x = self.x,
    y = self.y, w = self.w }, Meta) end

  --> :derivative(n?: integer) -> univariate_spline | The derivative of order n, 1 unless it is said.
  --> univariate_spline:derivative: ma.round(univariate_spline:derivative()(2), 3)
  function methods:derivative(n) return like(self, self.spline:derivative(n)) end
  --> :antiderivative(n?: integer) -> univariate_spline | The integral of order n, 1 unless it is said.
  --> univariate_spline:antiderivative: ma.round(univariate_spline:antiderivative()(3), 3)
  function methods:antiderivative(n) return like(self, self.spline:antiderivative(n)) end
  --> :roots() -> array | Where it is 0.
  --> univariate_spline:roots: local s = ma.interpolate.UnivariateSpline({0, 1, 2, 3}, {-1, 0, 1, 2}, {s = 0})
  -->   return ma.round(s:roots(), 3)
  function methods:roots() return bspline.to_ppoly(self.spline, false):roots() end

  local smoothing = require "moonarray.interpolate.smoothing"

  --- The spline of a smoothing factor. Reads the values.
  local function smoothed(name, x, y, w, first, last, k, s)
    s = s == nil and x.size or s
    if type(s) ~= "number" or s < 0 or s ~= s then
      fail(name, sformat("s is %s; wanted a number from 0 on", core.describe(s)))
    end
    local list = {}
    for i = 1, x.size do list[i] = 1 end
    local t, c = smoothing(x:totable(), y:totable(), w and w:totable() or list, first:item(), last:item(), k, s)
    local o = { device = x.device }
    return ma.array(t, o), ma.array(c, o)
  end

  --> :set_smoothing_factor(s: number) | Fits it anew.
  --> univariate_spline:set_smoothing_factor: univariate_spline:set_smoothing_factor(100)
  -->   return univariate_spline:get_knots()
  function methods:set_smoothing_factor(s)
    local spline, name = self.spline, "UnivariateSpline.set_smoothing_factor"
    if self.kind ~= "UnivariateSpline" then fail(name, sformat("a %s; wanted a UnivariateSpline", self.kind)) end
    local t, c = smoothed(name, self.x, self.y, self.w, spline.t["1:1"], spline.t["-1:-1"], spline.k, s)
    self.spline = bspline.new(t, c, spline.k, true, 1)
  end

  Meta = shared.class("UnivariateSpline", methods, { derivative = "n", antiderivative = "n" })

  --- Arguments that the three classes share. Returns x, y, w, k, ext and the two ends.
  local function univariate(name, x, y, w, bbox, k, ext)
    k = shared.whole(name, "k", k or 3, 1)
    if k > 5 then fail(name, sformat("k is %d; wanted 1 to 5", k)) end
    x = shared.positions(name, "x", x, k + 1, y)
    y = shared.reals(name, "y", y, x)
    if y.ndim ~= 1 or y.size ~= x.size then
      fail(name, sformat("y is %s; wanted a value for each of %d positions", core.describe(y), x.size))
    end
    local first, last = x["1:1"], x["-1:-1"]
    if bbox then
      if bbox[1] then first = shared.values({ bbox[1] }, x) end
      if bbox[2] then last = shared.values({ bbox[2] }, x) end
    end
    return x, y, weights(name, w, x.size, x), k, extension(name, ext), first, last
  end

  local function object(kind, x, y, w, ext, t, k, c)
    return setmetatable({ spline = bspline.new(t, c:reshape(c.shape[1]), k, true, 1), x = x, y = y, w = w, ext = ext,
      kind = kind }, Meta)
  end

  local about = "An object that is called with points (and nu, ext), and has derivative(n), antiderivative(n), " ..
    "derivatives(x), integral(a, b), roots(), get_knots(), get_coeffs() and get_residual(). bbox: the two ends, of " ..
    "x where none are given. ext: outside 'extrapolate' (0, default), 'zeros' (1), 'raise' (2, which waits) or " ..
    "'const' (3)."

  --- The knots of an interpolating spline over first .. last.
  local function interpolating(name, x, y, k, first, last)
    local t = construct.knots(x, k)
    local m = t.size
    t = ma.concatenate({ filled(first, k + 1), m > 2 * k + 2 and t[{ { k + 2, m - k - 1 } }] or t[{ { 1, 1 } }]:take(
      ma.zeros({ 0 }, { dtype = "int64", device = t.device })), filled(last, k + 1) })
    return construct.interpolate(name, x, y:reshape(y.size, 1), k, t)
  end

  --> interpolate.InterpolatedUnivariateSpline: local x = ma.arange(5) / 1
  -->   return ma.interpolate.InterpolatedUnivariateSpline(x, x ^ 2)(1.5)
  def("interpolate.InterpolatedUnivariateSpline(x: data, y: data, w?: data, bbox?: number[], k?: integer, "
    .. "ext?: integer|string) -> univariate_spline",
    "The spline of degree k (3, from 1 to 5) through values y at growing x. " .. about,
    function(x, y, w, bbox, k, ext)
      local name = "interpolate.InterpolatedUnivariateSpline"
      local first, last
      x, y, w, k, ext, first, last = univariate(name, x, y, w, bbox, k, ext)
      local t, c = interpolating(name, x, y, k, first, last)
      return object("InterpolatedUnivariateSpline", x, y, w, ext, t, k, c)
    end)

  --> interpolate.UnivariateSpline: local x = ma.arange(5) / 1
  -->   return ma.interpolate.UnivariateSpline(x, x ^ 2, {s = 0})(1.5)
  def("interpolate.UnivariateSpline(x: data, y: data, w?: data, bbox?: number[], k?: integer, s?: number, "
    .. "ext?: integer|string) -> univariate_spline",
    "The spline of degree k (3, from 1 to 5) with as few knots as keep the sum of (w (spline - y))^2 at most s (as " ..
      "many as there are values; 0 goes through all), and as smooth as they allow: P. Dierckx's method. Reads the " ..
      "values, which waits. Also has set_smoothing_factor(s). " .. about,
    function(x, y, w, bbox, k, s, ext)
      local name = "interpolate.UnivariateSpline"
      local first, last
      x, y, w, k, ext, first, last = univariate(name, x, y, w, bbox, k, ext)
      local t, c = smoothed(name, x, y, w, first, last, k, s)
      return object("UnivariateSpline", x, y, w, ext, t, k, c)
    end)

  --> interpolate.LSQUnivariateSpline: local x = ma.arange(6) / 1
  -->   return ma.interpolate.LSQUnivariateSpline(x, x ^ 2, {2.5})(1.5):round(6)
  def("interpolate.LSQUnivariateSpline(x: data, y: data, t: data, w?: data, bbox?: number[], k?: integer, "
    .. "ext?: integer|string) -> univariate_spline",
    "The spline of degree k (3, from 1 to 5) with the inner knots t that makes the sum of (w (spline - y))^2 least. " ..
      about,
    function(x, y, t, w, bbox, k, ext)
      local name = "interpolate.LSQUnivariateSpline"
      local first, last
      x, y, w, k, ext, first, last = univariate(name, x, y, w, bbox, k, ext)
      local inner = shared.positions(name, "t", t, 0, x)
      t = ma.concatenate({ filled(first, k + 1), inner, filled(last, k + 1) })
      if x.size < t.size - k - 1 then
        fail(name, sformat("%d values for %d coefficients; wanted as many at least", x.size, t.size - k - 1))
      end
      return object("LSQUnivariateSpline", x, y, w, ext, t, k,
        construct.least_squares(name, x, y:reshape(y.size, 1), t, k, w))
    end)

  bspline.make = construct
end
