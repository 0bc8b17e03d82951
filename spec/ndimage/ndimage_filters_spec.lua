-- ma.ndimage: filters by weights, means, extremes and ranks, against SciPy's values over dtypes, axes, modes, origins,
-- layouts, empty images and NaN; large windows; what is wrong with arguments.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local nd = ma.ndimage
-- float32 images are summed in float32, SciPy's in float64.
local tolerances = { float32 = 2e-6, complex64 = 2e-6, float64 = 1e-12 }

describe("filters:", function()
  for section, what in pairs {
    line = "correlate1d and convolve1d", window = "correlate and convolve",
    gaussian = "Gaussians and their derivatives",
    derivative = "sobel, prewitt and laplace", mean = "uniform_filter", extreme = "minimum_filter and maximum_filter",
    rank = "median, rank and percentile filters",
  } do
    it(what .. " give SciPy's values", function() run(section, "ndimage_filters", tolerances) end)
  end

  local x = ((ma.arange(30 * 40) * 7919) % 1009):reshape(30, 40)
  x:eval()

  --- The elements around each one, along a new last axis, by the plain means of the library.
  local function windows(a, h, w)
    local padded = ma.pad(a, { { math.floor(h / 2), h - 1 - math.floor(h / 2) },
      { math.floor(w / 2), w - 1 - math.floor(w / 2) } }, "symmetric")
    local list = {}
    for i = 1, h do
      for j = 1, w do
        list[#list + 1] = padded[{ { i, i + a.shape[1] - 1 }, { j, j + a.shape[2] - 1 } }]
      end
    end
    return ma.stack(list, -1)
  end

  it("ranks of small and large windows are those of sorted windows", function()
    for _, dtype in ipairs { "int16", "float32", "float64", "int64", "uint64" } do
      local a = x:astype(dtype)
      for _, size in ipairs { { 3, 3 }, { 5, 5 }, { 1, 7 }, { 7, 9 }, { 9, 9 } } do
        local sorted = ma.sort(windows(a, size[1], size[2]), -1)
        local n = size[1] * size[2]
        for _, rank in ipairs { 1, 2, math.floor(n / 2) + 1, n - 1, n } do
          ma.testing.assert_array_equal(nd.rank_filter(a, rank, size), sorted[{ {}, {}, rank }])
        end
      end
    end
  end)

  it("64-bit integers keep all of their digits", function()
    local big = ma.array({ 1, 5, 3, 2, 4 }, "int64") + ma.left_shift(ma.array(1, "int64"), 60)
    ma.testing.assert_array_equal(nd.median_filter(big, 3) - big, ma.array({ 0, -2, 0, 1, 0 }, "int64"))
    ma.testing.assert_array_equal(nd.maximum_filter(big, 3) - big, ma.array({ 4, 0, 2, 2, 0 }, "int64"))
    ma.testing.assert_array_equal(nd.minimum_filter(big:astype("uint64"), 3),
      nd.minimum_filter(big, 3):astype("uint64"))
  end)

  it("means, extremes and sums of long windows, beyond the image too", function()
    for _, size in ipairs { 17, 39, 40, 41, 100 } do
      local wanted = windows(x, 1, size > 40 and 1 or size)
      if size <= 40 then
        ma.testing.assert_array_equal(nd.maximum_filter1d(x, size), wanted:max(-1))
        ma.testing.assert_array_equal(nd.minimum_filter1d(x:astype("float32"), size), wanted:min(-1):astype("float32"))
        ma.testing.assert_allclose(nd.uniform_filter1d(x:astype("float64"), size), wanted:mean(-1), { rtol = 1e-13 })
      end
      local ones = {}
      for k = 1, size do ones[k] = 1 / size end
      ma.testing.assert_allclose(nd.uniform_filter1d(x:astype("float64"), size, 1, { mode = "wrap" }),
        nd.correlate1d(x:astype("float64"), ones, 1, { mode = "wrap" }), { rtol = 1e-12 })
    end
  end)

  it("few long lines are cut into pieces", function()
    local n = 20011
    for _, rows in ipairs { 1, 3 } do
      local long = ((ma.arange(rows * n) * 7919) % 1009):reshape(rows, n)
      local tall = long.T:copy()
      for _, mode in ipairs { "reflect", "constant", "wrap" } do
        for _, size in ipairs { 1, 4, 15, 700 } do
          local options = { mode = mode, cval = 3, origin = size > 1 and 1 or 0 }
          for _, dtype in ipairs { "float32", "int64" } do
            ma.testing.assert_array_equal(nd.maximum_filter1d(long:astype(dtype), size, 2, options),
              nd.maximum_filter1d(tall:astype(dtype), size, 1, options).T)
          end
          ma.testing.assert_allclose(nd.uniform_filter1d(long:astype("float64"), size, 2, options),
            nd.uniform_filter1d(tall:astype("float64"), size, 1, options).T, { rtol = 1e-13 })
        end
      end
      ma.testing.assert_allclose(nd.spline_filter1d(long, 3, 2), nd.spline_filter1d(tall, 3, 1).T, { rtol = 1e-9 })
    end
  end)

  it("run in graphs, with their windows", function()
    local a = x:astype("float32")
    local step = ma.cuda.graph(function()
      return nd.gaussian_filter(a, 1), nd.median_filter(a, 3), nd.correlate(a, { { 1, 2 }, { 3, 4 } }),
        nd.rank_filter(a, 7, 9), nd.uniform_filter(a, 5), nd.zoom(a, 2, { order = 3 })
    end)
    for k = 1, 2 do
      a:assign(x * k)
      collectgarbage()
      local blur, median, sum, rank, mean, large = step()
      ma.testing.assert_array_equal(blur, nd.gaussian_filter(a, 1))
      ma.testing.assert_array_equal(median, nd.median_filter(a, 3))
      ma.testing.assert_array_equal(sum, nd.correlate(a, { { 1, 2 }, { 3, 4 } }))
      ma.testing.assert_array_equal(rank, nd.rank_filter(a, 7, 9))
      ma.testing.assert_array_equal(mean, nd.uniform_filter(a, 5))
      ma.testing.assert_array_equal(large, nd.zoom(a, 2, { order = 3 }))
    end
    step:free()
  end)

  it("NaN stays in the windows that have it", function()
    local a = x:astype("float32")
    a[{ 10, 20 }] = 0 / 0
    local hit = ma.zeros({ 30, 40 }, "bool")
    hit["9:11, 19:21"] = true
    for _, filter in ipairs { "uniform_filter", "minimum_filter", "maximum_filter" } do
      ma.testing.assert_array_equal(ma.isnan(nd[filter](a, 3)), hit)
    end
    local median = nd.median_filter(a, 3)
    assert.is_false(ma.isnan(median):any())
    ma.testing.assert_array_equal(median["9, 19"], ma.sort(a["8:10, 18:20"]:ravel())["5"])
    assert.equal(9, ma.isnan(nd.rank_filter(a, -1, 3)):sum():item())
  end)

  it("find the middle of 3 x 3 in images of all widths", function()
    for width = 1, 9 do
      local a = x["1:6, 1:" .. width]:copy()
      local around = ma.pad(a, 1, "symmetric")
      local parts = {}
      for k = 0, 8 do
        local row, column = math.floor(k / 3), k % 3
        parts[k + 1] = around[{ { 1 + row, 6 + row }, { 1 + column, width + column } }]
      end
      local wanted = ma.sort(ma.stack(parts, -1), -1)["..., 5"]
      ma.testing.assert_array_equal(nd.median_filter(a, 3), wanted)
      ma.testing.assert_array_equal(nd.median_filter(a:astype("float32"), 3), wanted:astype("float32"))
    end
  end)

  it("write into output, even if it is the image", function()
    local a = x:astype("float32")
    local wanted = nd.gaussian_filter(a, 2)
    local out = ma.zeros({ 30, 40 }, "float32")
    assert.equal(out, nd.gaussian_filter(a, 2, { output = out }))
    ma.testing.assert_array_equal(out, wanted)
    nd.gaussian_filter(a, 2, { output = a })
    ma.testing.assert_array_equal(a, wanted)
    local turned = ma.zeros({ 40, 30 }, "float64").T
    nd.median_filter(x, 3, { output = turned })
    ma.testing.assert_array_equal(turned, nd.median_filter(x, 3):astype("float64"))
  end)

  it("take every real dtype", function()
    for _, dtype in ipairs(helper.dtypes) do
      if not dtype:find("complex") then
        local a = (x % 2):astype(dtype)
        local wanted = nd.maximum_filter((x % 2):astype("float64"), 3):astype(dtype)
        ma.testing.assert_array_equal(nd.maximum_filter(a, 3), wanted)
        ma.testing.assert_array_equal(nd.correlate(a, { { 0, 1 } }), a)
      end
    end
  end)

  it("say what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    said("uniform_filter: size is 9.22.-; at most 16777216 is taken", nd.uniform_filter, x, 2 ^ 63)
    said("gaussian_filter: radius is 4e%+18; at most 8388608 is taken", nd.gaussian_filter, x, 1e18)
    said("moonarray.ndimage.correlate1d: weights of 2 axes", nd.correlate1d, x, { { 1, 2 } })
    said("moonarray.ndimage.correlate: weights have 1 axes; wanted 2", nd.correlate, x, { 1, 2 })
    said("weights is no regular table; wanted rows of one length", nd.correlate, x, { { 1, 2 }, { 3 } })
    said("weights is no regular table", nd.correlate, x, { 1, { 3 } })
    said("weights is no regular table", nd.correlate, x, { { 1 }, 3 })
    said("weights has .-; wanted numbers", nd.correlate, x, { { "x" } })
    said("origin is 2 for a window of 3; wanted %-1 to 1", nd.uniform_filter, x, 3, { origin = 2 })
    said("sigma is %-1; wanted a finite number from 0 on", nd.gaussian_filter, x, -1)
    said("sigma is 0; wanted a number above 0", nd.gaussian_filter1d, x, 0)
    said("radius is 1.5; wanted a whole number from 0 on", nd.gaussian_filter, x, 1, { radius = 1.5 })
    said("size is 0; wanted a whole number from 1 on", nd.median_filter, x, 0)
    said("no window; wanted size or footprint", nd.maximum_filter, x)
    said("footprint has no element that is true", nd.median_filter, x, { footprint = { { 0, 0 } } })
    said("rank is 0 in a window of 9; wanted 1 to 9", nd.rank_filter, x, 0, 3)
    said("percentile is 101; wanted 0 to 100", nd.percentile_filter, x, 101, 3)
    said("input is .-complex128.-; wanted real elements", nd.median_filter, ma.ones({ 3, 3 }, "complex128"), 3)
    said("cval is .-; wanted a number", nd.sobel, x, { cval = "x" })
  end)

  it("keeps imaginary parts where output is a real dtype", function()
    local z = ma.array({ 1, 2, 4, 3, 9 }) * ma.complex(1, 1)
    for _, call in ipairs {
      function(options) return nd.laplace(z, options) end,
      function(options) return nd.gaussian_laplace(z, 1, options) end,
      function(options) return nd.gaussian_gradient_magnitude(z, 1, options) end,
      function(options) return nd.sobel(z, options) end,
      function(options) return nd.gaussian_filter(z, 1, options) end,
    } do
      local wide, narrow = call {}, call { output = "float32" }
      assert.equal("complex64", narrow.dtype)
      assert.is_true(ma.allclose(narrow, wide, 1e-5))
    end
  end)
end)
