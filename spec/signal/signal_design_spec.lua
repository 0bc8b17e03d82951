-- ma.signal: the design of filters, their responses, spectra, other rates, smoothing, peaks and waveforms: SciPy's
-- values, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local FILE = "signal_second"
local function needs(fn)
  local works, why = pcall(fn)
  return works and it or function(name) pending(name .. ": " .. tostring(why)) end
end
local it_transforms = needs(function() return ma.fft.fft(ma.ones(4)) end)

describe("ma.signal:", function()
  it("filters by what they are to do", function() run("design", FILE, { float64 = 1e-9 }) end)
  it("poles and zeros in any order", function() run("sets", FILE, { float64 = 1e-6 }) end)
  it("orders", function() run("order", FILE, { float64 = 1e-6 }) end)
  it_transforms("filters by transforms", function() run("transform", FILE, { float64 = 1e-12 }) end)
  it_transforms("responses", function() run("response", FILE, { float64 = 1e-10 }) end)
  it_transforms("spectra", function() run("spectral", FILE, { float64 = 1e-10 }) end)
  it("Lomb's and Scargle's periodogram", function() run("lomb", FILE, { float64 = 1e-9 }) end)
  it_transforms("other rates by transforms", function() run("rates", FILE, { float64 = 1e-11 }) end)
  it("other rates and smoothing by sums", function() run("direct", FILE, { float64 = 1e-9 }) end)
  it("peaks", function() run("peaks", FILE, { float64 = 1e-12 }) end)
  it("waveforms", function() run("wave", FILE, { float64 = 1e-9 }) end)

  it_transforms("stft and istft give the signal back", function()
    local x = ma.random.default_rng(3):standard_normal({ 2, 3000 })
    for _, options in ipairs { { nperseg = 64 }, { nperseg = 100, noverlap = 75 }, { nperseg = 33 } } do
      local _, _, z = ma.signal.stft(x, options)
      local _, y = ma.signal.istft(z, options)
      assert(ma.allclose(y[{ {}, { 1, 3000 } }], x))
    end
  end)

  it("keeps float32", function()
    local x = ma.random.default_rng(3):standard_normal(200):astype("float32")
    assert.equal("float32", ma.signal.savgol_filter(x, 5, 2).dtype)
    assert.equal("float32", ma.signal.resample_poly(x, 3, 2).dtype)
    assert.equal("float32", ma.signal.wiener(x).dtype)
    assert.equal("float32", ma.signal.decimate(x, 2).dtype)
  end)

  it_transforms("keeps float32 in spectra", function()
    local x = ma.random.default_rng(3):standard_normal(200):astype("float32")
    local _, p = ma.signal.welch(x, { nperseg = 32 })
    assert.equal("float32", p.dtype)
    assert.equal("complex64", ma.signal.hilbert(x).dtype)
    assert.equal("float32", ma.signal.resample(x, 150).dtype)
  end)
end)

describe("ma.signal says what is wrong with", function()
  local function said(pattern, ...) assert.matches(pattern, fails(...)) end
  local s = ma.signal

  it("roots that are near each other multiply back", function()
    local n = ma.arange(40, "float64")
    local x = ma.cos(n * 0.7) + ma.sin(n * n) * 0.3
    local S = ma.signal
    -- A GPU joins the pieces of a signal by powers of the filter's matrix. In one part of order 9 they lose two digits
    -- more than the CPU does, which takes 40 elements in turn: the CPU's results are the measure.
    for order = 1, 12 do
      for _, kind in ipairs { "low", "high" } do
        local b, a = S.butter(order, 0.3, kind)
        local measure = S.lfilter(b:to "cpu", a:to "cpu", x:to "cpu")
        local far = ma.abs(S.sosfilt(S.tf2sos(b, a), x):to "cpu" - measure):max():item()
        assert.is_true(far < 1e-12, ("order %d, %s: %g"):format(order, kind, far))
        local zeros, poles, gain = S.tf2zpk(b, a)
        local back = S.zpk2tf(zeros, poles, gain)
        assert.is_true((ma.abs(back - b):max() / ma.abs(b):max()):item() < 2e-15)
      end
    end
    for _, roots in ipairs { { 1, 1, 1, 1, 1, 1, 1, 1 }, { 0.5, 0.5, 0.5, 2, 2, 2 }, { 3, 3, 3, -2, -2, 0.1 } } do
      local p = S.zpk2tf(ma.array(roots), {}, 1)
      local back = S.zpk2tf(S.tf2zpk(p, { 1 }), {}, 1)
      assert.is_true((ma.abs(back - p):max() / ma.abs(p):max()):item() < 1e-14)
    end
  end)

  it("systems without states", function()
    local S = ma.signal
    local function near(got, want) ma.testing.assert_allclose(got, want, { rtol = 1e-14 }) end
    local gains = { { { 2 }, { 1 } }, { {}, {}, 2 }, { {}, {}, { {} }, { { 2 } } }, { { {} }, { {} }, {}, { { 2 } } },
      { ma.zeros { 0, 0 }, ma.zeros { 0, 1 }, ma.zeros { 1, 0 }, ma.array { { 2 } } } }
    for _, system in ipairs(gains) do
      for _, interp in ipairs { true, false } do
        local t, y, x = S.lsim(system, { 1, 2, 3 }, { 0, 1, 2 }, nil, interp)
        near(t, { 0, 1, 2 })
        near(y, { 2, 4, 6 })
        assert.equal("3x0", helper.shape(x))
      end
      near(select(2, S.step(system, { T = { 0, 1, 2 } })), { 2, 2, 2 })
      near(select(2, S.impulse(system, { N = 3 })), { 0, 0, 0 })
      near(select(2, S.freqresp(system, { 1, 2 })), { 2, 2 })
      near(select(3, S.bode(system, { 1, 2 })), { 0, 0 })
      local steps = { unpack(system) }
      steps[#steps + 1] = 0.5
      near(select(2, S.dlsim(steps, { 1, 2, 3 })), { { 2 }, { 4 }, { 6 } })
      near(select(2, S.dstep(steps, { n = 3 }))[1], { { 2 }, { 2 }, { 2 } })
      near(S.lti(unpack(system)):to_discrete(0.5):to_tf().num, { 2 })
      for _, method in ipairs { "zoh", "foh", "bilinear", "euler", "backward_diff" } do
        local results = { S.cont2discrete(system, 0.5, method) }
        if #system == 4 then
          local shapes = {}
          for k = 1, 4 do shapes[k] = helper.shape(results[k]) end
          assert.same({ "0x0", "0x1", "1x0", "1x1" }, shapes)
          near(results[4], { { 2 } })
        end
      end
    end
    local wide = { {}, {}, {}, { { 1, 2 }, { 3, 4 } } }
    near(select(2, S.lsim(wide, { { 1, 0 }, { 0, 1 } }, { 0, 1 })), { { 1, 3 }, { 2, 4 } })
  end)

  it("an option of lombscargle is one of SciPy's", function()
    local S = ma.signal
    local x, y, w = ma.array { 0, 1.1, 2.3, 3.1, 4.6 }, ma.array { 0, 1, 0.5, -1, 0.3 }, ma.array { 0.7, 1.9 }
    local function is(options, want)
      ma.testing.assert_allclose(S.lombscargle(x, y, w, options), want, { rtol = 1e-6 })
    end
    local power, share = { 0.18782964, 0.62191086 }, { 0.16053816, 0.53154774 }
    for _, normalize in ipairs { false, "power" } do is({ normalize = normalize }, power) end
    is(nil, power)
    for _, normalize in ipairs { true, "normalize" } do is({ normalize = normalize }, share) end
    is({ normalize = "amplitude" }, { ma.complex(0.33667215, 0.148266929), ma.complex(-0.58319991, 0.187944104) })
    is({ normalize = "normalize", floating_mean = true, weights = { 1, 2, 0, 3, 0.5 } }, { 0.53641681, 0.99959037 })
    is({ floating_mean = true }, { 0.15904081, 0.64999423 })
    is({ weights = { 1, 2, 0, 3, 0.5 } }, { 1.06030245, 1.72568451 })
    assert.matches("'powr' for normalize; wanted", fails(S.lombscargle, x, y, w, { normalize = "powr" }))
    assert.matches("2 weights of 5 measurements", fails(S.lombscargle, x, y, w, { weights = { 1, 2 } }))
    assert.matches("weights below 0", fails(S.lombscargle, x, y, w, { weights = { 1, 2, -1, 3, 1 } }))
  end)

  it("a peak's width between equal neighbours, and at the ends", function()
    local S = ma.signal
    local function widths(x, peak, data)
      local list = { S.peak_widths(x, ma.array({ peak }, "int64"), { prominence_data = data }) }
      for k = 1, 4 do list[k] = list[k]:item() end
      return list
    end
    assert.same({ 0.5, 1.5, 2, 2.5 }, widths({ 0, 1, 1 }, 2, { { -1 }, { 1 }, { 3 } }))
    assert.same({ 0.5, 1.5, 1.5, 2 }, widths({ 1, 1, 0 }, 2, { { -1 }, { 1 }, { 3 } }))
    assert.same({ 0.5, 2.5, 3, 3.5 }, widths({ 0, 1, 2 }, 3, { { -1 }, { 3 }, { 3 } }), "no neighbour behind the last")
    assert.same({ 0.5, 2.5, 0.5, 1 }, widths({ 2, 1, 0 }, 1, { { -1 }, { 1 }, { 1 } }), "nor before the first")
  end)

  it("what peaks measure is float64", function()
    local x = ma.array({ -100, 100, -100, 3, 0 }, "int8")
    local peaks, found = ma.signal.find_peaks(x, { height = 1, threshold = 0, prominence = 0, width = 0 })
    assert.same({ 2, 4 }, peaks:totable())
    for _, key in ipairs { "peak_heights", "left_thresholds", "right_thresholds", "prominences", "widths" } do
      assert.equal("float64", found[key].dtype, key)
    end
    assert.same({ 200, 103 }, found.left_thresholds:totable())
  end)

  it("the design of filters", function()
    said("moonarray.signal.butter: Wn is 1; wanted a frequency above 0 and below 1", s.butter, 2, 1)
    said("N is 1.5; wanted a whole number", s.butter, 1.5, 0.3)
    said("btype is the string 'x'", s.butter, 2, 0.3, "x")
    said("1 frequencies of a bandpass filter; wanted 2", s.butter, 2, 0.3, "band")
    said("output is the string 'x'", s.butter, 2, 0.3, { output = "x" })
    said("rp is nil; wanted a number of dB", s.iirfilter, 2, 0.3, { ftype = "cheby1", btype = "low" })
    said("Wn%[1%] is not below Wn%[2%]", s.butter, 2, { 0.5, 0.3 }, "band")
    said("fs of an analog filter", s.butter, 2, 0.3, { analog = true, fs = 2 })
    said("w0 is 3; wanted between 0 and 1", s.iirnotch, 3, 1)
    said("w0 is 30; wanted a divisor of fs", s.iircomb, 30, 1, { fs = 100 })
    said("numtaps is 8; a filter that passes the highest", s.firwin, 8, 0.3, { pass_zero = false })
    said("numtaps is 8; wanted an odd number", s.firls, 8, { 0, 1 }, { 1, 1 })
    said("freq from 0 to 0.5; wanted 0 to 1", s.firwin2, 8, { 0, 0.5 }, { 1, 1 })
    said("complex numbers without their conjugates", s.zpk2sos, {}, { ma.complex(0, 1) }, 1)
    said("2 zeros and 1 poles; wanted at least as many", s.lp2lp_zpk, { 1, 2 }, { 1 }, 1)
    said("gpass is 40 and gstop 1", s.buttord, 0.2, 0.3, 40, 1)
  end)

  it("spectra and rates", function()
    said("noverlap is 8; wanted less than nperseg, 8", s.welch, ma.ones(20), { nperseg = 8, noverlap = 8 })
    said("nfft is 4; wanted at least nperseg", s.welch, ma.ones(20), { nperseg = 8, nfft = 4 })
    said("detrend is the string 'x'", s.welch, ma.ones(20), { nperseg = 8, detrend = "x" })
    said("boundary is the string 'x'", s.stft, ma.ones(20), { nperseg = 8, boundary = "x" })
    said("num is 0; wanted a whole number from 1", s.resample, ma.ones(4), 0)
    said("padtype is the string 'x'", s.resample_poly, ma.ones(4), 2, 1, { padtype = "x" })
    said("wanted a real signal", s.hilbert, ma.ones(4, "complex64"))
    said("hilbert2: N is a function; wanted a number or two", s.hilbert2, ma.ones { 2, 3 }, print)
    said("polyorder is 5; wanted less than window_length, 5", s.savgol_filter, ma.ones(9), 5, 5)
    said("window_length is 11 for 9 elements", s.savgol_filter, ma.ones(9), 11, 2)
    said("a size is 2; wanted an odd number", s.medfilt, ma.ones(9), 2)
    said("a period that is not above 0", s.vectorstrength, { 1 }, 0)
  end)

  it("peaks and waveforms", function()
    said("position 9 in a signal of 3 elements", s.peak_prominences, { 1, 2, 1 }, { 9 })
    said("distance is 0; wanted 1 or more", s.find_peaks, { 1, 2, 1 }, { distance = 0 })
    said("wlen is 1; wanted more than 1", s.find_peaks, { 1, 2, 1 }, { prominence = 1, wlen = 1 })
    said("x is .-; wanted a vector", s.find_peaks, ma.ones({ 2, 2 }))
    said("comparator is the number 1; wanted a function", s.argrelextrema, { 1 }, 1)
    said("method is the string 'x'", s.chirp, { 1 }, 1, 1, 1, "x")
    said("bwr is 1; wanted less than 0", s.gausspulse, { 1 }, { bwr = 1 })
    said("nbits is 40 without taps", s.max_len_seq, 40)
    said("a state of zeros", s.max_len_seq, 3, { 0, 0, 0 })
  end)
end)
