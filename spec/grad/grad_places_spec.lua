-- Derivatives of sums over neighbours and of values between elements: convolutions of vectors, interp, ndimage.

local ma = require "moonarray"
local check = ma.testing.check_grad
local orders = require "spec.grad.grad_orders"
local image = ma.ndimage

-- A pretended GPU has no libraries of products and factors.
local able = pcall(function() return ma.linalg.det(ma.eye(2)):item() end)
local given = able and it or pending

local function array(list) return ma.array(list, "float64") end
local function numbers(...) return ma.random.default_rng(5):standard_normal { ... } end

describe("derivatives of convolutions of vectors", function()
  it("are right for each mode, length and order of the two", function()
    for _, f in ipairs { ma.convolve, ma.correlate } do
      local function all(a, v) return f(a, v), f(a, v, "same"), f(a, v, "valid"), f(a, v, "full") end
      orders(all, { numbers(5), numbers(3) })
      check(all, { numbers(4), numbers(7) })
      check(all, { numbers(70), numbers(20) })
      check(function(a) return f(a, { 1, -2, 0.5 }), f({ 1, 2 }, a) end, { numbers(5) })
    end
  end)
end)

describe("derivatives of interp", function()
  local points, values = array { 0, 1, 2, 3 }, array { 0, 5, 2, 3 }
  local at = array { 0.5, 1.5, 2.2, -1.2, 7.4 }

  it("are right by places, by points and by values", function()
    orders(function(x, xp, fp) return ma.interp(x, xp, fp) end, { at, points, values })
    check(function(x, fp) return ma.interp(x, points, fp, 7, 9), ma.interp(x, points, fp, nil, nil, 4) end,
      { at, values })
    check(function(x) return ma.interp(x:reshape(1, 5), points, values), ma.interp(x, { 1 }, { 2 }) + x end, { at })
  end)

  it("are those of the values alone outside of the points", function()
    local g = ma.grad(function(x) return ma.interp(x, points, values):sum() end)(at)
    assert.same({ 5, -3, 1, 0, 0 }, g:round(9):totable())
    local ok, why = pcall(ma.grad(function(fp) return ma.interp(at, { 2, 1, 3 }, fp):sum() end), numbers(3))
    assert(not ok and why:find("interp: points xp that do not ascend", 1, true), why)
  end)
end)

describe("derivatives of splines and grids", function()
  local interpolate, x = ma.interpolate, ma.arange(6)
  local at = array { 0.5, 1.7, 3.3 }

  given("are right by values, coefficients and places", function()
    orders(function(y, q) return interpolate.CubicSpline(x, y)(q) end, { numbers(6), at })
    check(function(y) return interpolate.CubicSpline(x, y, { bc_type = "natural" })(at, 1) end, { numbers(6) })
    check(function(y) return interpolate.make_interp_spline(x, y)(at), interpolate.PchipInterpolator(x, y)(at) end,
      { numbers(6) })
    check(function(y) return interpolate.Akima1DInterpolator(x, y)(at), interpolate.interp1d(x, y)(at) end,
      { numbers(6) })
    orders(function(c, q) return interpolate.BSpline(ma.arange(9), c, 3)(q + 3) end, { numbers(5), at })
    local ok, why = pcall(ma.grad(function(t) return interpolate.BSpline(t, numbers(5), 3)(at + 3):sum() end),
      ma.arange(9, { dtype = "float64" }))
    assert(not ok and why:find("has no derivative", 1, true), why)
  end)

  it("are right in a grid", function()
    local grid, points = { ma.arange(4), ma.arange(5) }, array { { 0.5, 1.7 }, { 2.2, 3.1 } }
    orders(function(v, p) return interpolate.RegularGridInterpolator(grid, v)(p) end, { numbers(4, 5), points })
    check(function(v) return interpolate.RegularGridInterpolator(grid, v, { method = "nearest" })(points) end,
      { numbers(4, 5) })
    check(function(v, p)
      local options = { bounds_error = false, fill_value = 7 }
      return interpolate.RegularGridInterpolator(grid, v, options)(p), interpolate.interpn(grid, v, p, options)
    end, { numbers(4, 5), array { { 0.5, 1.7 }, { 5.2, 3.1 } } })
  end)
end)

describe("derivatives of filters of signals", function()
  local signal = ma.signal
  local sections = signal.butter(4, 0.3, { output = "sos" })

  given("run back from the end", function()
    orders(function(x) return signal.lfilter({ 1, 0.5 }, { 1, -0.3, 0.2 }, x) end, { numbers(8) })
    check(function(x) return signal.lfilter({ 1, 0.5 }, { 1, -0.3, 0.2 }, x, 1) end, { numbers(5, 2) })
    check(function(x, z)
      return (signal.lfilter({ 1, 0.5 }, { 1, -0.3, 0.2 }, x, 1, z)), (signal.lfilter({ 1, 0.5, 2 }, { 1 }, x, 1, z))
    end, { numbers(8), numbers(2) })
    check(function(x) return signal.sosfilt(sections, x), signal.filtfilt({ 1, 0.5 }, { 1, -0.3 }, x) end,
      { numbers(12) })
    check(function(x) return signal.sosfiltfilt(sections, x) end, { numbers(40) })
    local ok, why = pcall(ma.grad(function(x)
      return (select(2, signal.lfilter({ 1, 0.5 }, { 1, -0.3, 0.2 }, x, 1, { 0, 0 }))):sum()
    end), numbers(8))
    assert(not ok and why:find("the states behind the last element have no derivative", 1, true), why)
  end)

  given("exchange up and down", function()
    orders(function(x) return signal.upfirdn({ 1, 2, 3 }, x, 2, 3), signal.upfirdn({ 1, 2, 3, 4, 5 }, x, 3, 2) end,
      { numbers(7) })
    check(function(x) return signal.resample_poly(x, 3, 2), signal.savgol_filter(x, 5, 2) end, { numbers(12) })
    check(function(x) return signal.decimate(x, 2) end, { numbers(60) })
    check(function(x) return (select(2, signal.welch(x, 1, { nperseg = 8 }))) end, { numbers(24) })
  end)
end)

local MODES = { "reflect", "constant", "nearest", "mirror", "wrap" }

describe("derivatives of filters", function()
  it("are right for sums over windows, under each mode", function()
    local x = numbers(4, 5)
    for _, mode in ipairs(MODES) do
      check(function(a)
        return image.convolve(a, { { 1, 2, 3 }, { 4, 5, 7 } }, nil, mode),
          image.correlate1d(a, { 1, 2, 4 }, 1, nil, mode), image.gaussian_filter(a, 1, { mode = mode }),
          image.uniform_filter(a, 3, { mode = mode })
      end, { x })
    end
    orders(function(a) return image.gaussian_filter(a, 1) end, { numbers(3, 4) })
    check(function(a)
      return image.sobel(a), image.laplace(a), image.prewitt(a), image.gaussian_laplace(a, 1),
        image.gaussian_gradient_magnitude(a, 1)
    end, { x })
  end)

  it("are right for the least, the greatest and ranks", function()
    local x = numbers(4, 5)
    check(function(a)
      return image.minimum_filter(a, 3), image.maximum_filter1d(a, 3), image.grey_erosion(a, 3),
        image.grey_dilation(a, 3)
    end, { x })
    for _, mode in ipairs(MODES) do
      orders(function(a) return image.median_filter(a, 3, { mode = mode }) end, { x })
    end
    check(function(a)
      return image.rank_filter(a, 2, { size = { 2, 3 } }), image.percentile_filter(a, 20, 3),
        image.median_filter(a, nil, { { 0, 1, 0 }, { 1, 1, 1 }, { 0, 1, 0 } })
    end, { x })
    check(function(a) return ma.signal.medfilt(a, 3) end, { numbers(7) })
  end)
end)

describe("derivatives of images at other places", function()
  local at = array { { 0.5, 1.2, 2.7, 3.3, -2.2, 9.3 }, { 1.5, 3.2, 0.1, 4.4, 7.7, 2.9 } }

  for _, mode in ipairs { "constant", "nearest", "mirror", "reflect", "wrap", "grid-wrap", "grid-constant" } do
    it("are right under " .. mode, function()
      for order = 0, 5 do
        local options = { order = order, mode = mode, cval = 0.3 }
        check(function(a) return image.map_coordinates(a, at, options) end, { numbers(4, 5) })
        if order > 0 then
          check(function(c) return image.map_coordinates(numbers(4, 5), c, options) end, { at },
            { rtol = 1e-5, atol = 1e-6 })
        end
      end
    end)
  end

  it("are right again, and constant by places where these are rounded", function()
    orders(function(a, c) return image.map_coordinates(a, c, { order = 3, mode = "mirror" }) end,
      { numbers(3, 4), array { { 0.5, 1.2 }, { 1.5, 3.2 } } }, { rtol = 1e-4, atol = 1e-4 })
    local function rounded(c) return image.map_coordinates(numbers(4, 5), c, { order = 0 }):sum() end
    local ok, why = pcall(ma.grad(rounded), at)
    assert(not ok and why:find("these calls give constants: ndimage.map_coordinates", 1, true), why)
  end)

  it("are right of the functions that move a whole image", function()
    check(function(a) return image.shift(a, 0.5, { order = 1 }), image.shift(a, { 0.5, -1.2 }) end, { numbers(4, 5) })
    check(function(a) return image.zoom(a, 2, { order = 1 }), image.zoom(a, 1.5) end, { numbers(4, 5) })
    check(function(a) return image.rotate(a, 20, { order = 1 }), image.rotate(a, 33) end, { numbers(4, 5) })
    check(function(a)
      return image.affine_transform(a, { { 1, 0.1 }, { 0.1, 1 } }, { order = 1 }),
        image.affine_transform(a, { 1.1, 0.8 }, 0.3), image.affine_transform(a, { { 1, 0.1, 0.5 }, { 0.1, 1, 0.7 } })
    end, { numbers(4, 5) })
    check(function(a)
      return image.shift(a, 0.5), image.zoom(a, 2), image.affine_transform(a, { 0.7 }),
        image.affine_transform(a, { { 0.7 } })
    end, { numbers(6) })
    check(function(a)
      return image.spline_filter(a), image.spline_filter1d(a, 2, 1, nil, "reflect"),
        image.spline_filter1d(a, 3, 2, nil, "grid-wrap")
    end, { numbers(4, 5) })
  end)
end)
