-- ma.interpolate: SciPy's values of piecewise polynomials, splines, grids and scattered points; what holds between
-- them; errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local I = ma.interpolate
local near = { float64 = 1e-10, complex128 = 1e-10 }

-- A machine without LAPACK solves no dense systems.
local has_solve, why = pcall(function() return ma.linalg.solve(ma.eye(2), ma.ones(2)) end)
local function it_solves(name, fn)
  if has_solve then it(name, fn) else pending(name .. ": " .. tostring(why)) end
end

describe("ma.interpolate:", function()
  it("PPoly and BPoly", function() run("ppoly", "interpolate", near) end)
  it("cubics", function() run("cubic", "interpolate", near) end)
  it_solves("B-splines", function() run("spline", "interpolate", { float64 = 1e-9, complex128 = 1e-9 }) end)
  it("one polynomial", function() run("polynomial", "interpolate", { float64 = 1e-9, complex128 = 1e-9 }) end)
  it("interp1d", function() run("line", "interpolate", near) end)
  it("grids", function() run("grid", "interpolate", { float64 = 1e-9 }) end)
  it_solves("scattered points", function() run("scattered", "interpolate", { float64 = 1e-7 }) end)

  it("splines go through many values, in many columns", function()
    local rng = ma.random.default_rng(8)
    local x = ma.cumsum(rng:random(2000) + 0.1)
    local y = rng:standard_normal({ 2000, 70 })
    for name, spline in pairs { cubic = I.CubicSpline(x, y), pchip = I.PchipInterpolator(x, y),
      akima = I.Akima1DInterpolator(x, y), b3 = I.make_interp_spline(x, y), b5 = I.make_interp_spline(x, y, 5) } do
      ma.testing.assert_allclose(spline(x), y, { atol = 1e-9, err_msg = name })
    end
    local middle = (x["2:"] + x[":-2"]) / 2
    ma.testing.assert_allclose(I.CubicSpline(x, y)(middle), I.make_interp_spline(x, y)(middle), { atol = 1e-9 })
    ma.testing.assert_allclose(I.CubicSpline(x, y)(x["2:-2"] - 1e-9, 2), I.CubicSpline(x, y)(x["2:-2"] + 1e-9, 2),
      { atol = 1e-3 })
  end)

  it("splines have one value whether few points or many are asked for", function()
    local rng = ma.random.default_rng(9)
    local x = ma.cumsum(rng:random(12) + 0.1)
    local points = rng:random(600) * (x(12) - x(1)) + x(1)
    for k = 1, 5 do
      for _, y in ipairs { rng:standard_normal(12), rng:standard_normal({ 12, 2 }) * ma.complex(1, 2) } do
        local spline, few = I.make_interp_spline(x, y, k), {}
        for nu = 0, k do
          for j = 1, 6 do few[j] = spline(points[{ { 100 * j - 99, 100 * j } }], nu) end
          ma.testing.assert_allclose(spline(points, nu), ma.concatenate(few), { rtol = 1e-9, atol = 1e-9 })
        end
      end
    end
  end)

  it("a spline at points in no order is the sum of its B-splines", function()
    local x = ma.linspace(0, 10, 40)
    local s = I.make_interp_spline(x, ma.stack({ ma.sin(x), x * x }, 2), 4)
    local points = ma.remainder(ma.arange(150, "float64") * 7.77, 12) - 1
    for nu = 0, 5 do
      local product = I.NdBSpline({ s.t }, s.c, 4)(points:reshape(150, 1), { nu })
      ma.testing.assert_array_equal(s(points, nu), product)
    end
    ma.testing.assert_allclose(s(points)[{ points:ge(0) * points:le(10), 2 }], (points * points)[points:ge(0) *
      points:le(10)], { atol = 1e-9 })
  end)

  it("a grid is linear in each cell, at any number of points and of columns", function()
    local x, y, z = ma.array { 0, 1, 3, 4 }, ma.array { -1, 0, 2 }, ma.array { 2, 5 }
    local function f(a, b, c) return a * b * c + 2 * a - b end
    local values = f(x:reshape(4, 1, 1), y:reshape(1, 3, 1), z:reshape(1, 1, 2))
    local u = ma.remainder(ma.arange(200 * 3, "float64") * 0.377, 1):reshape(200, 3)
    local at = u * ma.array { 4, 3, 3 } + ma.array { 0, -1, 2 }
    local wanted = f(at[":, 1"], at[":, 2"], at[":, 3"])
    ma.testing.assert_allclose(I.interpn({ x, y, z }, values, at), wanted, { atol = 1e-12 })
    local wide = ma.stack({ values, ma.complex(0, 1) * values }, -1)
    local found = I.interpn({ x, y, z }, wide, at)
    ma.testing.assert_allclose(found[":, 1"].real, wanted, { atol = 1e-12 })
    ma.testing.assert_allclose(found[":, 2"].imag, wanted, { atol = 1e-12 })
    local outside = I.RegularGridInterpolator({ x, y, z }, wide, { bounds_error = false, fill_value = 7 })
    ma.testing.assert_array_equal(outside({ { -1, 0, 3 } }), ma.array({ { 7, 7 } }, "complex128"))
    assert.has_error(function() I.interpn({ x, y, z }, values, { { 0, 0, 6 } }) end)
  end)

  it("objects that were first called in a scope go on", function()
    local x, y = ma.arange(9, "float64"), ma.sin(ma.arange(9, "float64"))
    local grid = I.RegularGridInterpolator({ x, x }, y:reshape(9, 1) * y, "cubic")
    local line, lagrange = I.CubicSpline(x, y), I.BarycentricInterpolator(x, y)
    for _, call in ipairs { function() return line({ 1.5 }) end, function() return grid({ { 1.5, 2.5 } }) end,
      function() return lagrange:derivative({ 1.5 }) end } do
      local inside = ma.scope(function() return call():totable()[1] end)
      assert.equal(inside, call():totable()[1])
    end
  end)

  it("a periodic spline repeats with its slopes", function()
    local x = ma.array({ 0, 0.7, 1, 2.2, 3 })
    local s = I.CubicSpline(x, { 1, 2, 0, -1, 1 }, { bc_type = "periodic" })
    for nu = 0, 2 do
      ma.testing.assert_allclose(s(0, nu), s(3 - 1e-12, nu), { atol = 1e-7 })
      ma.testing.assert_allclose(s({ 0.4, 1.9 }, nu), s({ 3.4, -1.1 }, nu), { atol = 1e-12 })
    end
    ma.testing.assert_allclose(s:integrate(0.5, 6.5), s:integrate(0, 6), { atol = 1e-12 })
  end)

  it("monotone values give monotone PCHIP", function()
    local x = ma.arange(12)
    local y = ma.cumsum(ma.array({ 0, 0, 0, 5, 0.1, 0.1, 9, 9, 0, 1, 1, 7 }))
    local values = I.pchip(x, y)(ma.linspace(0, 11, 1000))
    assert.is_true((values["2:"] - values[":-2"]):ge(-1e-12):all())
  end)

  it("objects keep the device, and float32 gives float64", function()
    local x = ma.arange(5, "float32")
    assert.equal("float64", I.CubicSpline(x, x)(x).dtype)
    assert.equal(helper.device, I.CubicSpline({ 0, 1, 2 }, ma.array({ 1, 2, 0 }))(0.5).device)
    assert.equal("cpu", I.CubicSpline(x:get(), { 1, 2, 0, 3, 4 })({ 0.5 }).device)
    assert.equal("CubicSpline of moonarray.interpolate", tostring(I.CubicSpline(x, x)))
  end)

  it("a smoothing spline leaves residuals of s, and takes another s", function()
    local x = ma.arange(60)
    local u = I.UnivariateSpline(x, ma.sin(x / 5) + x * 7 % 3 / 10, { s = 0.4 })
    ma.testing.assert_allclose(u:get_residual(), 0.4, { rtol = 1e-3 })
    local knots = u:get_knots().size
    u:set_smoothing_factor(1.5)
    assert.is_true(u:get_knots().size < knots)
    ma.testing.assert_array_equal(u(x), I.UnivariateSpline(x, ma.sin(x / 5) + x * 7 % 3 / 10, { s = 1.5 })(x))
    assert.matches("a LSQUnivariateSpline; wanted a UnivariateSpline", fails(function()
      I.LSQUnivariateSpline(x, x, { 20 }):set_smoothing_factor(1)
    end))
    assert.matches("s is the number %-1; wanted a number from 0 on", fails(I.UnivariateSpline, x, x, { s = -1 }))
  end)

  -- Whether results at {NaN, inside, far below, far above} are NaN at the first alone, or also outside.
  local function only_nan(what, f, outside)
    local found = ma.isnan(f(ma.array { ma.nan, 2.5, -9, 99 })):totable()
    assert.same({ true, false, outside or false, outside or false }, found, what)
  end

  it("NaN comes out where it goes in", function()
    local x, y = { 1, 2, 3, 4, 5, 6 }, { 2, 1, 4, 3, 7, 8 }
    for _, kind in ipairs { "linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", 0, 1 } do
      only_nan(kind, I.interp1d(x, y, kind, { bounds_error = false, fill_value = { -5, 5 } }))
      only_nan(kind, I.interp1d(x, ma.array(y) * ma.complex(0, 1), kind, { bounds_error = false, fill_value = 7 }))
    end
    only_nan("a constant", I.PPoly({ { 1, 2 } }, { 1, 2, 3 }))
    only_nan("derivatives of a constant", function(p) return I.PPoly({ { 1, 2 } }, { 1, 2, 3 })(p, 2) end)
    only_nan("one beyond the edges", I.PPoly({ { 1, 2 } }, { 1, 2, 3 }, false), true)
    only_nan("a periodic one", I.PPoly({ { 1, 2 } }, { 1, 2, 3 }, "periodic"))
    only_nan("in Bernstein's form", I.BPoly({ { 1, 2 } }, { 1, 2, 3 }))
    only_nan("a spline of degree 0", I.BSpline({ 1, 2, 3 }, { 4, 5 }, 0))
    only_nan("a derivative", function(p) return I.BSpline({ 1, 1, 2, 3, 3 }, { 4, 5, 6 }, 1)(p, 3) end)
    only_nan("one value", I.KroghInterpolator({ 1 }, { 5 }))
    only_nan("its slope", function(p) return I.KroghInterpolator({ 1 }, { 5 }):derivative(p) end)
    only_nan("barycentric", I.BarycentricInterpolator({ 1 }, { 5 }))
    only_nan("pchip", I.pchip(x, y))
    only_nan("akima", I.Akima1DInterpolator(x, y), true)
    for _, ext in ipairs { 0, 1, 3 } do
      only_nan("univariate " .. ext, I.InterpolatedUnivariateSpline(x, y, { k = 1, ext = ext }))
    end
    local function places(p) return ma.stack({ p, p * 0 + 2 }, 2) end
    local function in_plane(what, f, outside) only_nan(what, function(p) return f(places(p)) end, outside) end
    local grid, values = { x, x }, ma.arange(36, "float64"):reshape(6, 6)
    for _, method in ipairs { "linear", "nearest", "slinear" } do
      in_plane(method, I.RegularGridInterpolator(grid, values, method, { bounds_error = false, fill_value = 0 }))
      in_plane(method, I.RegularGridInterpolator(grid, values, method,
        { bounds_error = false, fill_value = "extrapolate" }))
    end
    in_plane("splines of degree 0", I.NdBSpline({ { 1, 2, 3 }, { 1, 2, 3 } }, ma.ones { 2, 2 }, 0))
    in_plane("constants", I.NdPPoly(ma.ones { 1, 1, 2, 2 }, { { 1, 2, 3 }, { 1, 2, 3 } }))
    local scattered = ma.array { { 0, 0 }, { 1, 0 }, { 0, 4 }, { 4, 1.2 }, { 5, 3 }, { 2, 0.1 } }
    in_plane("nearest", I.NearestNDInterpolator(scattered, y))
    in_plane("triangles", I.LinearNDInterpolator(scattered, y, 0))
    in_plane("smooth triangles", I.CloughTocher2DInterpolator(scattered, y, 0))
    if not has_solve then return end
    in_plane("radial", I.RBFInterpolator(scattered, y))
    in_plane("radial of neighbours", I.RBFInterpolator(scattered, y, 4, { kernel = "linear" }))
  end)

  it("a slope of Akima's depends on its own column", function()
    local x = { 1, 2, 3, 4, 5, 6 }
    local small = ma.array { 2, 1, 4, 3, 7, 8 } * 1e-12
    local both = I.Akima1DInterpolator(x, ma.stack({ small, small * 1e24 }, 2))({ 1.5, 3.3 })
    ma.testing.assert_array_equal(both[":, 1"], I.Akima1DInterpolator(x, small)({ 1.5, 3.3 }))
  end)

  it("a spline counts as 0 outside of its base interval", function()
    local t, c = { 0, 0, 1, 2, 3, 3 }, { 1, 2, 3, 4 }
    local s = I.BSpline(t, c, 1, { extrapolate = false })
    ma.testing.assert_allclose(s:integrate(-1, 4), 7.5, { rtol = 1e-14 })
    ma.testing.assert_allclose(s:integrate(4, -1), -7.5, { rtol = 1e-14 })
    for _, ends in ipairs { { 5, 6 }, { 6, 5 }, { -3, -2 }, { 3, 9 } } do
      assert.equal(0, s:integrate(ends[1], ends[2]):item())
      assert.equal(0, I.BSpline(t, c, 1):integrate(ends[1], ends[2], false):item())
    end
    local steps = I.make_interp_spline({ 0.5, 1, 2, 3, 5 }, { -1, -2.5, -1.5, 0.5, 0 }, 0)
    for _, ends in ipairs { { 0.5, 5 }, { -0.5, 7.5 } } do
      ma.testing.assert_allclose(steps:integrate(ends[1], ends[2], false), -3.5, { rtol = 1e-14 })
    end
    assert.equal(0, steps(5):item())
    assert.equal(-3.5, steps:antiderivative()(5):item())
    assert.equal(0, ma.abs(I.BSpline(t, ma.array(c) * ma.complex(1, 2), 1):integrate(5, 6, false)):item())
  end)

  it("lines beside NaN and infinities follow NumPy's rules: ma.interp and interp1d", function()
    local nan, inf = ma.nan, ma.inf
    --- One value, as NumPy computes it: a position has its own value; NaN from one side is tried from the other.
    local function plain(at, x, y)
      if at ~= at then return at end
      local n, k = #x, 1
      if at < x[1] then return y[1] elseif at > x[n] then return y[n] end
      while k < n and x[k + 1] <= at do k = k + 1 end
      if k == n or x[k] == at then return y[k] end
      local slope = (y[k + 1] - y[k]) / (x[k + 1] - x[k])
      local result = slope * (at - x[k]) + y[k]
      if result ~= result then result = slope * (at - x[k + 1]) + y[k + 1] end
      if result ~= result and y[k] == y[k + 1] then return y[k] end
      return result
    end
    ma.testing.assert_array_equal(ma.interp({ 1, 1.5, 2, 3 }, { 1, 2, 3 }, { 10, nan, 30 }), { 10, nan, nan, 30 })
    ma.testing.assert_array_equal(ma.interp({ 0, 0.5, 1 }, { 0, 1 }, { inf, 2 }), { inf, inf, 2 })
    ma.testing.assert_array_equal(ma.interp({ -inf, -1, 0, inf }, { -inf, 0, inf }, { 1, 2, 5 }), { 1, 2, 2, 5 })
    local rng = ma.random.default_rng(5)
    local values, places = { nan, inf, -inf, 1, 2, -3, 0, 5 }, { nan, -inf, -2, -1.5, -1, -0.25, 0, 0.5, 1, 2, 3, inf }
    local chosen = rng:integers(1, 9, { 60, 2, 6 }):totable()
    for round, rows in ipairs(chosen) do
      local n = round % 5 + 2
      local x, y, z, wanted = {}, {}, {}, {}
      for k = 1, n do x[k], y[k], z[k] = -2 + (k - 1) * (round % 3 + 1) / 2, values[rows[1][k]], values[rows[2][k]] end
      if round % 4 == 0 then x[1], x[n] = -inf, inf end
      for k, at in ipairs(places) do wanted[k] = { plain(at, x, y), plain(at, x, z) } end
      wanted = ma.array(wanted)
      local both, ends = ma.array { y, z }:transpose(), { bounds_error = false, fill_value = { y[1], y[n] } }
      local complex = ma.ascontiguousarray(both):view("complex128"):reshape(n)
      ma.testing.assert_array_equal(ma.interp(places, x, y), wanted[":, 1"])
      ma.testing.assert_array_equal(I.interp1d(x, y, ends)(places), wanted[":, 1"])
      local made = ma.interp(places, x, complex)
      ma.testing.assert_array_equal(made.real, wanted[":, 1"])
      ma.testing.assert_array_equal(made.imag["2:"], wanted["2:, 2"])         -- at NaN it is NaN + 0i
      local inside = ma.array(places)
      inside = inside:ge(x[1]) * inside:le(x[n])
      local points = ma.array(places)[inside]
      ma.testing.assert_array_equal(I.interp1d(x, both, { axis = 1 })(points), wanted[inside])
      ma.testing.assert_array_equal(I.interp1d(x, complex)(points).imag, wanted[inside][":, 2"])
      ma.testing.assert_array_equal(I.interp1d(x, ma.array(y, "float32"))(points), wanted[inside][":, 1"])
    end
  end)

  it("say what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    local x, y = { 0, 1, 2, 3 }, { 1, 2, 0, 1 }
    said("moonarray.interpolate.CubicSpline: x does not grow everywhere", I.CubicSpline, { 0, 2, 1 }, { 1, 2, 3 })
    said("y has 3 values along axis 1; wanted one for each of 4", I.CubicSpline, x, { 1, 2, 3 })
    said("'free' for bc_type; not%-a%-knot", I.CubicSpline, x, y, { bc_type = "free" })
    said("the first and the last value of y differ", I.CubicSpline, x, { 1, 2, 3, 4 }, { bc_type = "periodic" })
    said("extrapolate is the number 3; wanted true, false or 'periodic'", I.PchipInterpolator, x, y,
      { extrapolate = 3 })
    said("'bezier' for method", I.Akima1DInterpolator, x, y, { method = "bezier" })
    said("c is .- for 4 breakpoints; wanted %(k, 3, %.%.%.%)", I.PPoly, ma.ones({ 2, 4 }), x)
    said("nu is %-1; wanted a whole number from 0 on", function() I.CubicSpline(x, y)({ 1 }, -1) end)
    said("write object:derivative", function() I.CubicSpline(x, y).derivative(1) end)
    said("no argument 'order'; it takes nu", function() I.CubicSpline(x, y):derivative({ order = 1 }) end)
    said("4 positions; wanted k %+ 1 = 6 at least", I.make_interp_spline, x, y, 5)
    said("4 positions with 1 and 0 conditions for 6 coefficients", I.make_interp_spline, x, y, 3,
      { t = { 0, 0, 0, 0, 1.5, 1.7, 3, 3, 3, 3 }, bc_type = { { { 1, 0 } }, {} } })
    said("6 knots and .-; wanted 2 k %+ 2 = 8 knots", I.BSpline, { 0, 0, 1, 2, 3, 3 }, { 1, 2, 3 }, 3)
    said("k is 6; wanted 1 to 5", I.InterpolatedUnivariateSpline, ma.arange(9), ma.arange(9), { k = 6 })
    said("ext is the string 'no'", I.InterpolatedUnivariateSpline, x, y, { ext = "no" })
    said("a point outside of the spline, and ext is 'raise'", function()
      I.InterpolatedUnivariateSpline(x, y, { ext = "raise" })({ 5 })
    end)
    said("a point outside of the positions, and bounds_error", function() I.interp1d(x, y)({ 5 }) end)
    said("'spline' for kind; linear, nearest", I.interp1d, x, y, "spline")
    said("a point outside of the grid, and bounds_error", function() I.interpn({ x }, y, { 5 }) end)
    said("'splinef2d' for method", I.interpn, { x }, y, { 1 }, "splinef2d")
    said("3 positions along axis 1 of", I.RegularGridInterpolator, { { 0, 1, 2 } }, y)
    said("xi is .-; wanted points of 2 coordinates", function()
      I.RegularGridInterpolator({ x, x }, ma.ones({ 4, 4 }))(ma.ones({ 2, 3 }))
    end)
    said("4 positions along axis 1; wanted 6 at least", function() I.interpn({ x }, y, { 1 }, "quintic") end)
    if not has_solve then return end
    said("'wave' for kernel", I.RBFInterpolator, ma.ones({ 3, 2 }), { 1, 2, 3 }, { kernel = "wave" })
    said("no epsilon; the kernel gaussian wants one", I.RBFInterpolator, ma.ones({ 3, 2 }), { 1, 2, 3 },
      { kernel = "gaussian" })
    said("3 points for 6 monomials", I.RBFInterpolator, ma.ones({ 3, 2 }), { 1, 2, 3 }, { degree = 2 })
    said("y is .-; wanted a value for each of 3 points", I.NearestNDInterpolator, ma.ones({ 3, 2 }), { 1, 2 })
  end)
end)
