-- ma.ndimage's measurements, distances, grey morphology and filters of Fourier transforms: SciPy's values over labels,
-- indices, dtypes, layouts and boundary modes; empty labels, NaN; errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails
local equal, nd = ma.testing.assert_array_equal, ma.ndimage

describe("ndimage, as SciPy:", function()
  for _, section in ipairs { "measure", "distance", "grey", "fourier" } do
    it(section, function() run(section, "ndimage_measure") end)
  end
end)

describe("measurements", function()
  local x = ma.array({ 4, 7, 1, 3, 9 }, "int64")
  local labels = ma.array({ 1, 1, 0, 2, 2 }, "int32")
  ma.eval(x, labels)

  it("of labels that no element has", function()
    equal(nd.sum_labels(x, labels, { 1, 9 }), ma.array { 11, 0 })
    equal(nd.mean(x, labels, { 9, 2 }), ma.array { ma.nan, 6 })
    equal(nd.minimum(x, labels, { 9, 2 }), ma.array({ 0, 3 }, "int64"))
    equal(nd.maximum(x, labels, { 9 }), ma.array({ 0 }, "int64"))
    equal(nd.median(x, labels, { 9, 2 }), ma.array { ma.nan, 6 })
    equal(nd.maximum_position(x, labels, { 9, 2 }), ma.array({ { 0 }, { 5 } }, "int64"))
    equal(nd.histogram(x, 0, 10, 2, labels, { 9, 1 }), ma.array({ { 0, 0 }, { 1, 1 } }, "int64"))
    equal(nd.sum_labels(x, labels, {}), ma.zeros(0))
    equal(nd.labeled_comprehension(x, labels, { 9, 1 }, function(v) return v:max() end, "int16", -1),
      ma.array({ -1, 7 }, "int16"))
  end)

  it("of one label, of all labels, and of all elements", function()
    assert.equal(12, nd.sum_labels(x, labels, 2):item())
    equal(nd.sum_labels(x, labels), ma.asarray(23, "int64"))
    equal(nd.sum_labels(x), ma.asarray(24, "int64"))
    equal(nd.sum(x, labels, 2), nd.sum_labels(x, labels, 2))
    equal(nd.mean(x:astype("float32"), labels, 2):astype("float64"), ma.asarray(6, "float64"))
    assert.same({ 5 }, nd.maximum_position(x, labels):totable())
    assert.same({ 4.5 }, nd.center_of_mass(ma.array { 0, 0, 0, 2, 2 }, labels, 2):totable())
    equal(nd.sum_labels(ma.array { 1, 2, 3 }, ma.array { 0.5, 1, 1 }, { 1 }), ma.array { 5 })
    equal(nd.sum_labels(ma.array { 1, 2, 3 }, ma.array { 0.5, 1, 1 }, { 0.5, 1 }), ma.array { 1, 5 })
    equal(nd.sum_labels(ma.ones({ 2, 3 }), ma.array { 1, 2, 2 }, { 1, 2 }), ma.array { 2, 4 })
    equal(nd.sum_labels(ma.ones({ 0, 3 }), ma.zeros({ 0, 3 }), { 1, 2 }), ma.zeros(2))
  end)

  it("say the first of equal extremes, and keep dtypes", function()
    local same = ma.array({ { 3, 1, 3 }, { 1, 3, 1 } }, "uint8")
    assert.same({ 1, 1 }, nd.maximum_position(same):totable())
    assert.same({ 1, 2 }, nd.minimum_position(same):totable())
    assert.equal("uint8", nd.minimum(same).dtype)
    assert.equal("int64", nd.minimum_position(same).dtype)
    equal(nd.minimum(same:gt(2)), ma.asarray(false))
    equal(nd.maximum(ma.array({ -5, -3 }, "int8"), ma.array { 1, 1 }, { 1 }), ma.array({ -3 }, "int8"))
    equal(nd.maximum(ma.array { -ma.inf, -ma.inf }), ma.asarray(-ma.inf))
  end)

  it("of many labels are those of each", function()
    local image = ((ma.arange(5000) * 7919) % 10007):reshape(50, 100)
    local parts = image % 40
    local sums, medians = nd.sum_labels(image, parts, ma.arange(40)), nd.median(image, parts, ma.arange(40))
    local spread = nd.standard_deviation(image, parts, ma.arange(40))
    for k = 0, 39, 13 do
      local own = image[parts:eq(k)]
      assert.equal(tonumber(own:sum():item()), sums(k + 1))
      assert.equal(ma.median(own):item(), medians(k + 1))
      ma.testing.assert_allclose(ma.std(own), spread[k + 1], { rtol = 1e-13 })
    end
  end)

  it("of long images are those of bincount, for few labels and many", function()
    local k = ma.arange(200000)
    local values = (k * 7919) % 10007 - 5000
    for _, most in ipairs { 3, 3000 } do
      for _, dtype in ipairs { "int32", "int64" } do
        local parts = ma.floor_divide((k * 31) % 104729, 7) % most - 1
        local own = parts:astype(dtype)
        local counts = ma.bincount(parts + 1)
        local sums = ma.bincount(parts + 1, values)
        local index = ma.range(-1, most - 2)
        equal(nd.sum_labels(values, own, index), sums)
        equal(nd.sum_labels(values:astype("float32"), own, index), sums)
        equal(nd.sum_labels(values, own, index["::-1"]), sums["::-1"])
        equal(nd.mean(values, own, index), sums / counts)
        local off = values - ma.take(sums / counts, parts + 2)
        ma.testing.assert_allclose(nd.variance(values, own, index), ma.bincount(parts + 1, off * off) / counts,
          { rtol = 1e-12 })
        local rows = ma.floor_divide(k, 500)
        ma.testing.assert_allclose(nd.center_of_mass((values + 5000):reshape(400, 500), own:reshape(400, 500), index)
          [":, 1"], ma.bincount(parts + 1, (values + 5000) * rows) / ma.bincount(parts + 1, values + 5000) + 1,
          { rtol = 1e-12 })
      end
    end
  end)

  it("value_indices leaves a value out", function()
    local found = nd.value_indices(x % 3, { ignore_value = 0 })
    assert.is_nil(found[0])
    equal(found[1][1], ma.array({ 1, 2, 3 }, "int64"))
    assert.same({}, nd.value_indices(ma.zeros({ 0, 2 }, "int32")))
  end)

  it("say what is wrong", function()
    assert.matches("moonarray.ndimage.mean: an index without labels; wanted both", fails(nd.mean, x, nil, { 1 }))
    assert.matches("moonarray.ndimage.mean: labels %(4,%) beside an image %(5,%)", fails(nd.mean, x, ma.ones(4)))
    assert.matches("index is .-; wanted a label, a table or an array", fails(nd.mean, x, labels, "x"))
    assert.matches("moonarray.ndimage.minimum: no elements", fails(nd.minimum, ma.zeros(0)))
    assert.matches("input is .-wanted real elements", fails(nd.variance, ma.ones(3, "complex64")))
    assert.matches("a range from 3 to 1; wanted an ascending one", fails(nd.histogram, x, 3, 1, 5))
    assert.matches("bins is 0; wanted a whole number from 1 on", fails(nd.histogram, x, 0, 1, 0))
    assert.matches("arr is .-; wanted whole numbers", fails(nd.value_indices, ma.ones(3)))
    assert.matches("func is .-; wanted a function", fails(nd.labeled_comprehension, x, labels, { 1 }, 3))
  end)
end)

describe("grey morphology", function()
  local image = ((ma.arange(63) * 5) % 17):reshape(7, 9)
  ma.eval(image)

  it("with a structure of zeros is that of a flat window", function()
    for _, mode in ipairs { "reflect", "constant", "nearest", "mirror", "wrap" } do
      for _, name in ipairs { "grey_erosion", "grey_dilation", "morphological_gradient", "black_tophat" } do
        for _, shape in ipairs { { 3, 3 }, { 2, 5 }, { 1, 4 }, { 9, 11 } } do
          equal(nd[name](image, { structure = ma.zeros(shape), mode = mode }), nd[name](image, shape, { mode = mode }))
        end
      end
    end
  end)

  it("takes any dtype and layout, and output", function()
    local structure = { { 0, 1, 0 }, { 1, 2, 1 }, { 0, 1, 0 } }
    local wanted = nd.grey_erosion(image, { structure = structure })
    for _, dtype in ipairs { "int8", "float16", "float32", "float64", "int32" } do
      local got = nd.grey_erosion(image:astype(dtype), { structure = structure })
      assert.equal(dtype, got.dtype)
      equal(got, wanted:astype(dtype))
    end
    equal(nd.grey_erosion(image:transpose(), { structure = structure }), wanted:transpose())
    local out = ma.zeros({ 7, 9 }, "float32")
    for _, name in ipairs { "grey_erosion", "grey_closing", "morphological_gradient", "morphological_laplace",
      "white_tophat" } do
      assert.equal(out, nd[name](image, { structure = structure, output = out }))
      equal(out, nd[name](image, { structure = structure }):astype("float32"))
      equal(nd[name](image, 3, { output = "float64" }), nd[name](image, 3):astype("float64"))
    end
    equal(nd.grey_erosion(ma.zeros({ 0, 3 }), { structure = ma.ones({ 3, 3 }) }), ma.zeros({ 0, 3 }))
    equal(nd.grey_erosion(ma.asarray(5, "int64"), { structure = ma.asarray(2) }), ma.asarray(3, "int64"))
    -- More terms than a kernel has room for.
    equal(nd.grey_dilation(image, { structure = ma.ones({ 7, 7 }) }), nd.grey_dilation(image, 7) + 1)
  end)

  it("says what is wrong", function()
    local function said(pattern, ...) assert.matches("moonarray.ndimage.grey_erosion: " .. pattern, fails(...)) end
    said("no size, footprint or structure", nd.grey_erosion, image)
    said("structure has 1 axes; wanted 2", nd.grey_erosion, image, { structure = { 1, 2 } })
    said("structure has 2 elements along axis 2, footprint 3; wanted one shape", nd.grey_erosion, image,
      { structure = ma.ones({ 1, 2 }), footprint = ma.ones({ 1, 3 }) })
    said("footprint has no element that is true", nd.grey_erosion, image,
      { structure = ma.ones({ 1, 2 }), footprint = ma.zeros({ 1, 2 }) })
    said("origin is 2 for a window of 3", nd.grey_erosion, image, { structure = ma.ones({ 3, 3 }), origin = 2 })
    said("mode is \"x\"; wanted", nd.grey_erosion, image, { structure = ma.ones({ 3, 3 }), mode = "x" })
    said("input is .-wanted real elements", nd.grey_erosion, ma.ones({ 3, 3 }, "complex64"), 3)
  end)
end)

describe("filters of Fourier transforms", function()
  it("shift and smooth what they transform", function()
    local image = ((ma.arange(80) * 37) % 19):reshape(8, 10):astype("float64")
    local whole = ma.fft.fftn(image)
    ma.testing.assert_allclose(ma.real(ma.fft.ifftn(nd.fourier_shift(whole, { 3, -2 }))),
      ma.roll(image, { 3, -2 }, { 1, 2 }), { atol = 1e-12 })
    ma.testing.assert_allclose(ma.fft.irfft2(nd.fourier_shift(ma.fft.rfft2(image), { 1, 4 }, 10), { 8, 10 }),
      ma.roll(image, { 1, 4 }, { 1, 2 }), { atol = 1e-12 })
    local out = ma.zeros_like(whole)
    assert.equal(out, nd.fourier_gaussian(whole, 1, { output = out }))
    equal(out, nd.fourier_gaussian(whole, 1))
    equal(nd.fourier_uniform(ma.zeros({ 0, 4 }), 3), ma.zeros({ 0, 4 }))
  end)

  it("say what is wrong", function()
    assert.matches("moonarray.ndimage.fourier_gaussian: 3 values for sigma; wanted one, or one for each of 2 axes",
      fails(nd.fourier_gaussian, ma.ones({ 3, 4 }), { 1, 2, 3 }))
    assert.matches("axis 3 of an array of 2 axes", fails(nd.fourier_uniform, ma.ones({ 3, 4 }), 1, -1, 3))
    assert.matches("4 axes; wanted at most 3", fails(nd.fourier_ellipsoid, ma.ones({ 1, 1, 1, 1 }), 1))
    assert.matches("output of float64; wanted a complex dtype",
      fails(nd.fourier_shift, ma.ones(3), 1, { output = "float64" }))
  end)
end)
