-- ma.signal: windows, convolutions, filters over signals and cupyx.signal's functions: SciPy's values, long signals
-- against a loop, layouts, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local FILE = "signal_first"
local function needs(fn)
  local works, why = pcall(fn)
  return works and it or function(name) pending(name .. ": " .. tostring(why)) end
end
local it_solves = needs(function() return ma.linalg.lstsq(ma.ones({ 2, 1 }), ma.ones(2)) end)
local it_inverts = needs(function() return ma.linalg.inv(ma.eye(2)) end)
local it_transforms = needs(function() return ma.fft.fft(ma.ones(4)) end)

local TOLERANCE = { float32 = 2e-6, complex64 = 2e-6, float64 = 1e-11, complex128 = 1e-11 }

describe("ma.signal", function()
  it_transforms("windows", function() run("windows", FILE, { float64 = 2e-12 }) end)
  it_transforms("convolutions", function() run("convolve", FILE, TOLERANCE) end)
  it("filters", function() run("filter", FILE, TOLERANCE) end)
  it_solves("filters by Gustafsson's method", function() run("gust", FILE, { float64 = 1e-8 }) end)
  it_transforms("the functions of cupyx.signal", function() run("cupyx", FILE, { float64 = 1e-7 }) end)
  -- The least magnitude is 0 up to rounding, and its logarithm counts as one of 8192.
  it_transforms("filters of minimum phase by Hilbert's transform",
    function() run("least", FILE, { float64 = 2e-3 }) end)
  it_inverts("beams", function() run("inverse", FILE, { float64 = 1e-9 }) end)
end)

-- ==== Long signals ==================================================================================================

--- The filter as its definition says, on the host.
local function loop(b, a, x, z)
  local y, order = {}, math.max(#b, #a) - 1
  z = z or {}
  for k = 1, order do z[k] = z[k] or 0 end
  z[order + 1] = 0
  for i = 1, #x do
    local out = b[1] * x[i] + z[1]
    for k = 1, order do z[k] = (b[k + 1] or 0) * x[i] - (a[k + 1] or 0) * out + z[k + 1] end
    y[i] = out
  end
  z[order + 1] = nil
  return y, z
end

local function noise(...) return ma.random.default_rng(helper.seed or 7):standard_normal({ ... }) end

local function near(found, wanted, tolerance)
  local worst = ma.abs(found - wanted):max():item() / math.max(1, ma.abs(wanted):max():item())
  assert(worst <= tolerance, ("off by %g"):format(worst))
end

describe("long signals through", function()
  -- lengths around those at which rows are cut, and orders with and without loops of their own
  local filters = {
    { { 0.2 }, { 1, -0.75 } },
    { { 0.1, 0.2, 0.1 }, { 1, -1.1, 0.4 } },
    { { 0.1, 0.2, 0.3, 0.4 }, { 1, -0.5, 0.2, 0.1 } },
    { { 0.05, 0.1, 0.3, 0.1, 0.05 }, { 1, -1.6, 1.5, -0.7, 0.2 } },
    { { 1 }, { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0.5 } },
  }
  for _, n in ipairs { 31, 512, 513, 2048, 2049, 8191, 8192, 9000, 40001 } do
    it("lfilter, " .. n .. " samples", function()
      local x = noise(n)
      local values = x:totable()
      for _, filter in ipairs(filters) do
        local b, a = filter[1], filter[2]
        local order = math.max(#b, #a) - 1
        local zi, list = {}, {}
        for k = 1, order do
          zi[k] = k / 4
          list[k] = zi[k]
        end
        local wanted, states = loop(b, a, values, list)
        local y, zf = ma.signal.lfilter(b, a, x, -1, zi)
        near(y, ma.array(wanted), 1e-11)
        near(zf, ma.array(states), 1e-11)
        near(ma.signal.lfilter(b, a, x), ma.array((loop(b, a, values))), 1e-11)
      end
    end)
  end

  it("lfilter, rows of every number", function()
    local b, a = filters[4][1], filters[4][2]
    for _, rows in ipairs { 2, 7, 8, 9, 17 } do
      local x = noise(rows, 9001)
      local y = ma.signal.lfilter(b, a, x)
      for _, k in ipairs { 1, rows } do near(y[k], ma.signal.lfilter(b, a, x[k]), 1e-12) end
      near(ma.signal.lfilter(b, a, x.T, 1).T, y, 1e-12)
      near(ma.signal.lfilter(b, a, x["..., ::-1"]), ma.signal.lfilter(b, a, x["..., ::-1"]:copy()), 0)
    end
  end)

  it("lfilter in float32 and complex numbers", function()
    local b, a = filters[4][1], filters[4][2]
    local x = noise(20000)
    local y = ma.signal.lfilter(b, a, x)
    local single = ma.signal.lfilter(b, a, x:astype("float32"))
    assert.equal("float32", single.dtype)
    near(single, y, 1e-6)
    local z = x + noise(20000) * ma.complex(0, 1)
    local complex = ma.signal.lfilter(b, a, z)
    near(ma.real(complex), y, 1e-11)
    assert.equal("complex64", ma.signal.lfilter(b, a, z:astype("complex64")).dtype)
    near(ma.signal.lfilter(b, a, z:astype("complex64")), complex, 1e-6)
  end)

  it("sosfilt, one to twenty sections", function()
    local x = noise(20000)
    local section, sos = { 0.1, 0.2, 0.1, 1, -1.1, 0.4 }, {}
    local wanted = x
    for count = 1, 20 do
      sos[count] = section
      wanted = ma.signal.lfilter({ 0.1, 0.2, 0.1 }, { 1, -1.1, 0.4 }, wanted)
      if count <= 5 or count % 5 == 0 then near(ma.signal.sosfilt(sos, x), wanted, 1e-11) end
    end
  end)

  it("a filter of more states than a thread of a GPU holds", function()
    local a = { 1 }
    for k = 2, 41 do a[k] = 0 end
    a[41] = 0.5
    local x = noise(300)
    near(ma.signal.lfilter({ 1 }, a, x), ma.array((loop({ 1 }, a, x:totable()))), 1e-12)
  end)

  it("filters in pieces, whose states go on", function()
    local b, a = filters[4][1], filters[4][2]
    local x = noise(30000)
    local whole = ma.signal.lfilter(b, a, x)
    local first, z = ma.signal.lfilter(b, a, x[{ { 1, 12345 } }], 1, { 0, 0, 0, 0 })
    local second = ma.signal.lfilter(b, a, x[{ { 12346, 30000 } }], 1, z)
    near(ma.concatenate { first, second }, whole, 1e-11)
  end)

  it("upfirdn, against convolve", function()
    local x, h = noise(3, 5000), noise(37)
    for k = 1, 3 do
      near(ma.signal.upfirdn(h, x)[k], ma.signal.convolve(x[k], h, "full", "direct"), 1e-12)
    end
    near(ma.signal.upfirdn(h, x, 1, 3), ma.signal.upfirdn(h, x)["..., ::3"], 1e-12)
  end)

  it_transforms("mode 'same', which has the shape of the first by every method", function()
    local shapes = {}
    for h = 1, 4 do
      for w = 1, 4 do shapes[#shapes + 1] = { h, w } end
    end
    local function middle(full, shape)
      local index = {}
      for d, n in ipairs(shape) do
        local first = math.floor((full.shape[d] - n) / 2) + 1
        index[d] = { first, first + n - 1 }
      end
      return full[index]
    end
    for _, n in ipairs(shapes) do
      for _, m in ipairs(shapes) do
        local x, y = noise(n[1] * n[2]):reshape(n), noise(m[1] * m[2]):reshape(m)
        local wanted = middle(ma.signal.convolve(x, y, "full", "direct"), n)
        for _, made in ipairs { ma.signal.fftconvolve(x, y, "same"), ma.signal.oaconvolve(x, y, "same"),
          ma.signal.convolve(x, y, "same", "direct"), ma.signal.convolve(x, y, "same", "fft"),
          ma.signal.correlate(x, ma.flip(y), "same", "direct"), ma.signal.correlate(x, ma.flip(y), "same", "fft") } do
          assert.equal(wanted.shape, made.shape)
          near(made, wanted, 1e-12)
        end
      end
    end
    -- along an axis that is broadcast, not convolved, it is the middle too
    local x, y = ma.ones { 1, 3 }, ma.arange(9):reshape(3, 3)
    near(ma.signal.fftconvolve(x, y, "same", 2), ma.signal.fftconvolve(x, y["2:2"], "same", 2), 1e-12)
    near(ma.signal.oaconvolve(x, y, "same", 2), ma.signal.fftconvolve(x, y["2:2"], "same", 2), 1e-12)
  end)

  it_transforms("convolve, whose methods agree", function()
    local a, b = noise(40, 300), noise(5, 17)
    for _, mode in ipairs { "full", "same", "valid" } do
      near(ma.signal.convolve(a, b, mode, "direct"), ma.signal.convolve(a, b, mode, "fft"), 1e-12)
    end
    local x, h = noise(70000), noise(2000)
    near(ma.signal.oaconvolve(x, h, "same"), ma.signal.fftconvolve(x, h, "same"), 1e-12)
    assert.equal("fft", ma.signal.choose_conv_method(x, h))
    assert.equal("direct", ma.signal.choose_conv_method(x, h[{ { 1, 3 } }]))
    local method, times = ma.signal.choose_conv_method(x, h, { measure = true })
    assert(times[method] <= times[method == "fft" and "direct" or "fft"])
    local whole = ma.full(5000, 2 ^ 40, "int64")
    assert.equal("direct", ma.signal.choose_conv_method(whole, whole))
    assert.equal("fft", ma.signal.choose_conv_method(ma.ones(20000, "int32"), ma.ones(20000, "int32")))
    ma.testing.assert_array_equal(ma.signal.convolve(ma.ones(20000, "int32"), ma.ones(20000, "int32"), "same"),
      ma.convolve(ma.ones(20000, "int32"), ma.ones(20000, "int32"), "same"))
  end)
end)

describe("sums at few places", function()
  it("of many weights are those of a transform", function()
    for dtype, within in pairs { float32 = 1e-4, float64 = 1e-11, complex128 = 1e-11, int64 = 0 } do
      for _, sizes in ipairs { { { 4100 }, { 4096 } }, { { 70, 81 }, { 66, 80 } } } do
        local a, b = ma.random.standard_normal(sizes[1]) * 9, ma.random.standard_normal(sizes[2]) * 9
        a, b = a:astype(dtype), b:astype(dtype)
        local got = ma.signal.convolve(a, b, "valid", "direct")
        assert.equal(dtype, got.dtype)
        local want = ma.signal.convolve(a:astype "complex128", b:astype "complex128", "valid", "fft")
        assert(ma.abs(got - want):max():item() <= (within > 0 and within or 1e-6) * ma.abs(want):max():item(), dtype)
      end
    end
  end)
end)

describe("ma.signal says what is wrong with", function()
  local function said(pattern, ...) assert.matches(pattern, fails(...)) end
  local s = ma.signal

  it("windows", function()
    said("moonarray.signal.windows.hann: M is %-1; wanted a whole number from 0", s.windows.hann, -1)
    said("moonarray.signal.get_window: window is 'hat'; wanted a name", s.get_window, "hat", 4)
    said("moonarray.signal.get_window: 0 parameters of window 'kaiser'; wanted 1", s.get_window, "kaiser", 4)
    said("moonarray.signal.get_window: window is a boolean", s.get_window, true, 4)
    said("M is 7; wanted an even number", s.windows.kaiser_bessel_derived, 7, 2)
    said("center of a symmetric window", s.windows.exponential, 7, 2)
    said("a is the number 3; wanted a list of weights", s.windows.general_cosine, 7, 3)
  end)

  -- scipy.signal.upfirdn({ 1, -2, 3, 1 }, { 1, 4, 2, 8 }, 3, 2, mode=...), and resample_poly of eight elements.
  local BEYOND = {
    symmetric = { { 2, 3, -8, 6, 6, -16, 16 }, { 0, 0.57345386773, 1.00051747059, 1.35593563047 } },
    reflect = { { 5, 3, -8, 6, 6, -16, 10 }, { 0, 0.36946230253, 1.00051747059, 1.41569085689 } },
    edge = { { 2, 3, -8, 6, 6, -16, 16 }, { 0, 0.50904898848, 1.00051747059, 1.37612774129 } },
    wrap = { { 9, 3, -8, 6, 6, -16, 9 }, { 0, -0.3185847015, 1.00051747059, 1.79628189537 } },
    smooth = { { -1, 3, -8, 6, 6, -16, 22 }, { 0, 0.57989364008, 1.00051747059, 1.35426682785 } },
    antisymmetric = { { 0, 3, -8, 6, 6, -16, 0 }, { 0, 0.48281798967, 1.00051747059, 1.31441212886 } },
    antireflect = { { -1, 3, -8, 6, 6, -16, 22 }, { 0, 0.6211097107, 1.00051747059, 1.35338796605 } },
  }

  it("goes on beyond the ends in every mode", function()
    local x = ma.array { 0, 1, 2, 3, 2, 1, 0, 4 }
    for mode, want in pairs(BEYOND) do
      local y = ma.signal.upfirdn({ 1, -2, 3, 1 }, { 1, 4, 2, 8 }, 3, 2, { mode = mode })
      assert.same(want[1], y:totable(), mode)
      ma.testing.assert_allclose(ma.signal.resample_poly(x, 2, 1, { padtype = mode })["1:4"], want[2],
        { atol = 1e-9, err_msg = mode })
      local rows = ma.stack({ x, x * 2 }, 2)
      ma.testing.assert_allclose(ma.signal.resample_poly(rows, 2, 1, { padtype = mode })["1:4, 2"],
        ma.array(want[2]) * 2, { atol = 1e-8, err_msg = mode })
    end
    assert.matches("padtype is the string 'smoth'; wanted 'constant', 'line'",
      fails(ma.signal.resample_poly, x, 2, 1, { padtype = "smoth" }))
    assert.matches("mode is the string 'smoth'; wanted", fails(ma.signal.upfirdn, { 1, 2 }, x, { mode = "smoth" }))
  end)

  it("convolutions", function()
    said("moonarray.signal.convolve: in1 has 1 axes and in2 2", s.convolve, { 1 }, { { 1 } })
    said("mode is the string 'half'; wanted 'full', 'same' or 'valid'", s.convolve, { 1 }, { 1 }, "half")
    said("method is the string 'x'; wanted 'auto'", s.convolve, { 1 }, { 1 }, "full", "x")
    said("shapes %(2, 3%) and %(3, 2%) for mode 'valid'", s.convolve, ma.ones({ 2, 3 }), ma.ones({ 3, 2 }), "valid")
    said("boundary is the string 'x'", s.convolve2d, ma.ones({ 2, 2 }), ma.ones({ 2, 2 }), "full", "x")
    said("arrays of 1 axes; wanted two", s.convolve2d, { 1 }, { 1 })
    said("wanted the same extent", s.fftconvolve, ma.ones({ 2, 3 }), ma.ones({ 3, 3 }), "full", 2)
    said("wanted at least as many elements as weights", s.convolve1d2o, { 1, 2 }, ma.ones({ 3, 3 }))
  end)

  it("filters", function()
    said("moonarray.signal.lfilter: a%[1%] is 0", s.lfilter, { 1 }, { 0, 1 }, { 1, 2 })
    said("b is empty; wanted at least one coefficient", s.lfilter, {}, { 1 }, { 1, 2 })
    said("zi of shape %(3,%); wanted %(1%)", s.lfilter, { 1 }, { 1, 0.5 }, { 1, 2 }, -1, { 1, 2, 3 })
    said("axis 2 of an array of 1 axes", s.lfilter, { 1 }, { 1, 0.5 }, { 1, 2 }, 2)
    said("a row of 3 numbers in sos; wanted 6", s.sosfilt, { { 1, 2, 3 } }, { 1 })
    said("sos%(1, 4%) is 2; wanted 1", s.sosfilt, { { 1, 0, 0, 2, 0, 0 } }, { 1 })
    said("wanted more than padlen, 6", s.filtfilt, { 1 }, { 1, 0.5 }, { 1, 2, 3 })
    said("add up to 0; wanted a filter that comes to rest", s.lfilter_zi, { 1 }, { 1, -1 })
    said("up is 0; wanted a whole number from 1", s.upfirdn, { 1 }, { 1 }, 0)
    said("padtype is the string 'x'", s.filtfilt, { 1 }, { 1, 0.5 }, ma.ones(20), 1, "x")
  end)

  it("the functions of cupyx.signal", function()
    said("moonarray.signal.ca_cfar: 5 cells along axis 1; wanted more than 6", s.ca_cfar, ma.ones(5), 1, 2)
    said("no reference cells", s.ca_cfar, ma.ones(5), 1, 0)
    said("pfa is 0; wanted a probability", s.cfar_alpha, 0, 3)
    said("7 coefficients for 2 channels", s.channelize_poly, ma.ones(9), ma.ones(7), 2)
    said("3 sensors and 2 samples", s.mvdr, ma.ones({ 3, 2 }), ma.ones({ 3, 1 }))
    said("x is .-; wanted a matrix", s.pulse_doppler, { 1, 2 })
    said("n_fft is 4; wanted at least 5", s.minimum_phase, { 1, 2, 3, 2, 1 }, "homomorphic", 4)
  end)
end)
