-- ma.signal: splines and wavelets: SciPy's values, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local FILE = "signal_third"

describe("ma.signal:", function()
  it("splines", function() run("spline", FILE, { float64 = 1e-6 }) end)
  -- SciPy ends its sums where the square of a term is below 1e-11.
  it("splines that smooth", function() run("smooth", FILE, { float64 = 1e-5 }) end)
  it("wavelets", function() run("wavelet", FILE, { float64 = 1e-12 }) end)

  it("splines go through their samples", function()
    local x = ma.random.default_rng(5):standard_normal(50)
    assert(ma.allclose(ma.signal.cspline1d_eval(ma.signal.cspline1d(x), ma.arange(50)), x))
    local inside = ma.signal.qspline1d_eval(ma.signal.qspline1d(x), ma.arange(50))[{ { 2, 49 } }]
    assert(ma.allclose(inside, x[{ { 2, 49 } }]))
  end)

  it("say what is wrong with splines and wavelets", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    local s = ma.signal
    said("moonarray.signal.symiirorder1: |z1| is not below 1", s.symiirorder1, { 1, 2 }, 1, 1)
    said("lamb is 0.005; wanted 0, or more than 1 / 144", s.cspline1d, { 1, 2 }, 0.005)
    said("lamb is not 0", s.qspline1d, { 1, 2 }, 1)
    said("input is .-; wanted a matrix", s.cspline2d, { 1, 2 })
    said("2 coefficients; wanted an odd number", s.sepfir2d, ma.ones({ 3, 3 }), { 1, 2 }, { 1 })
    said("a width of 0; wanted at least 1", s.cwt, { 1, 2 }, s.ricker, { 0 })
    said("M is %-1; wanted a whole number", s.morlet, -1)
  end)
end)
