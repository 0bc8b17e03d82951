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
