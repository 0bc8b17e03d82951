-- ma.ndimage: splines, maps, affine transforms, rotations, shifts and zooms, against SciPy's values over orders, modes,
-- dtypes and layouts; what is wrong with arguments.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local nd = ma.ndimage
-- float32 images are summed in float32, SciPy's in float64.
local tolerances = { float32 = 4e-6, complex64 = 4e-6, float64 = 2e-12, complex128 = 2e-12 }

describe("interpolation:", function()
  for section, what in pairs {
    spline = "spline_filter", map = "map_coordinates", affine = "affine_transform and rotate", zoom = "zoom and shift",
  } do
    it(what .. " give SciPy's values", function() run(section, "ndimage_interpolation", tolerances) end)
  end

  it("a spline goes through its elements, in every mode", function()
    local x = ((ma.arange(5 * 6) * 7919) % 101):reshape(5, 6):astype("float64") / 8
    x:eval()
    local at = ma.indices({ 5, 6 })
    for order = 0, 5 do
      for _, mode in ipairs { "constant", "nearest", "reflect", "mirror", "wrap", "grid-wrap", "grid-constant" } do
        ma.testing.assert_allclose(nd.map_coordinates(x, at, { order = order, mode = mode }), x, { atol = 1e-9 })
        ma.testing.assert_allclose(nd.affine_transform(x, { 1, 1 }, { order = order, mode = mode }), x, { atol = 1e-9 })
        ma.testing.assert_allclose(nd.zoom(x, 1, { order = order, mode = mode }), x, { atol = 1e-9 })
      end
    end
  end)

  it("one matrix gives the same as a diagonal, and as coordinates", function()
    local x = ((ma.arange(40 * 50) * 7919) % 1009):reshape(40, 50):astype("float32")
    x:eval()
    for order = 0, 5 do
      for _, mode in ipairs { "constant", "mirror", "grid-wrap" } do
        local options = { order = order, mode = mode, offset = { 3.21, -2.57 } }
        local wanted = nd.affine_transform(x, { 0.7, 1.3 }, options)
        local full = nd.affine_transform(x, { { 0.7, 0 }, { 0, 1.3 } }, options)
        ma.testing.assert_allclose(full, wanted, { rtol = 1e-5, atol = 1e-2 })
        local i, j = ma.meshgrid(ma.arange(40), ma.arange(50), { indexing = "ij" })
        local places = ma.stack { i * 0.7 + 3.21 + 1, j * 1.3 - 2.57 + 1 }
        ma.testing.assert_allclose(nd.map_coordinates(x, places, { order = order, mode = mode }), wanted,
          { rtol = 1e-5, atol = 1e-2 })
      end
    end
  end)

  it("places that are no numbers or far away are beyond the edges", function()
    local x = ma.ones({ 4, 4 })
    local places = ma.array({ { 0 / 0, 1, math.huge, -math.huge, 1e300, 2 }, { 1, 0 / 0, 1, 1, 1, 2 } })
    for _, mode in ipairs { "constant", "mirror", "reflect", "wrap", "grid-wrap", "grid-constant" } do
      for order = 0, 5 do
        local got = nd.map_coordinates(x, places, { mode = mode, cval = 7, order = order })
        ma.testing.assert_allclose(got["1:2"], { 7, 7 })
        assert.is_true(ma.isfinite(got):all())
      end
    end
  end)

  it("numbers for each axis may be an array", function()
    local image = ma.arange(12, "float64"):reshape(3, 4) ^ 2
    local equal, list = ma.testing.assert_array_equal, { 0.5, 1 }
    local both = ma.array(list)
    equal(nd.affine_transform(image, ma.eye(2), both, { order = 1 }), nd.affine_transform(image, ma.eye(2), list,
      { order = 1 }))
    equal(nd.affine_transform(image, ma.eye(2), both, ma.array({ 2, 2 }, "int32")),
      nd.affine_transform(image, ma.eye(2), list, { 2, 2 }))
    equal(nd.affine_transform(image, ma.eye(2), ma.array(0.5)), nd.affine_transform(image, ma.eye(2), 0.5))
    equal(nd.shift(image, both), nd.shift(image, list))
    equal(nd.zoom(image, ma.array { 2, 1.5 }), nd.zoom(image, { 2, 1.5 }))
    equal(nd.gaussian_filter(image, both), nd.gaussian_filter(image, list))
    equal(nd.gaussian_filter(image, 1, { radius = ma.array({ 1, 2 }, "int64") }),
      nd.gaussian_filter(image, 1, { radius = { 1, 2 } }))
    equal(nd.gaussian_gradient_magnitude(image, both), nd.gaussian_gradient_magnitude(image, list))
    local sizes = ma.array({ 2, 3 }, "int64")
    for _, name in ipairs { "uniform_filter", "minimum_filter", "median_filter", "grey_erosion", "white_tophat" } do
      equal(nd[name](image, sizes), nd[name](image, { 2, 3 }))
    end
    equal(nd.maximum_filter(image, 3, { origin = ma.array({ 1, 0 }, "int32") }),
      nd.maximum_filter(image, 3, { origin = { 1, 0 } }))
    equal(nd.distance_transform_edt(image, both), nd.distance_transform_edt(image, list))
    equal(nd.fourier_gaussian(image, both), nd.fourier_gaussian(image, list))
    equal(nd.fourier_uniform(image, sizes), nd.fourier_uniform(image, { 2, 3 }))
    equal(nd.fourier_shift(image, both), nd.fourier_shift(image, list))
    equal(nd.fourier_ellipsoid(image, sizes), nd.fourier_ellipsoid(image, { 2, 3 }))
    equal(nd.rotate(image, 30, ma.array({ 2, 1 }, "int32")), nd.rotate(image, 30))
    assert.matches("3 values for shift; wanted one, or one for each of 2 axes", fails(nd.shift, image, ma.ones(3)))
  end)

  it("say what is wrong", function()
    local x = ma.ones({ 4, 5 })
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    said("moonarray.ndimage.zoom: order is 6; wanted 0 to 5", nd.zoom, x, 2, { order = 6 })
    said("moonarray.ndimage.spline_filter: order is 1; wanted 2 to 5", nd.spline_filter, x, 1)
    said("coordinates is .-; wanted a row for each of 2 axes", nd.map_coordinates, x, ma.ones({ 3, 4 }))
    said("matrix has the shape %(3, 3, 3%)", nd.affine_transform, x, ma.ones({ 3, 3, 3 }))
    said("matrix has 2 columns; wanted", nd.affine_transform, x, ma.eye(2), { output_shape = { 3 } })
    said("the last row of matrix is not 0", nd.affine_transform, x, ma.ones({ 3, 3 }))
    said("zoom is %-1; wanted a finite number from 0 on", nd.zoom, x, -1)
    said("input has 1 axes; wanted two at least", nd.rotate, ma.ones(3), 30)
    said("1 axes; wanted two", nd.rotate, x, 30, { axes = { 1 } })
    said("3 values for shift; wanted one, or one for each of 2 axes", nd.shift, x, { 1, 2, 3 })
    said("an image without elements", nd.map_coordinates, ma.zeros({ 0 }), { { 1 } })
  end)
end)
