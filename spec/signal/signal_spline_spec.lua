-- ma.signal: splines, wavelets, partial fractions and forms of systems: SciPy's values, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

local FILE = "signal_third"

describe("ma.signal:", function()
  it("splines", function() run("spline", FILE, { float64 = 1e-6 }) end)
  -- SciPy ends its sums where the square of a term is below 1e-11.
  it("splines that smooth", function() run("smooth", FILE, { float64 = 1e-5 }) end)
  it("wavelets", function() run("wavelet", FILE, { float64 = 1e-12 }) end)

  it("partial fractions", function() run("fractions", FILE, { float64 = 1e-6 }) end)
  it("state space and discrete time", function() run("forms", FILE, { float64 = 1e-10 }) end)

  it("responses of systems", function() run("systems", FILE, { float64 = 1e-8 }) end)

  it("systems as objects", function()
    local s = ma.signal.TransferFunction({ 1 }, { 1, 1 })
    assert.same({ 1, 1 }, s.den:totable())
    assert(ma.allclose(s.poles, { -1 }))
    local t, y = s:step { T = ma.arange(5) }
    assert(ma.allclose(y, 1 - ma.exp(-t)))
    local discrete = s:to_discrete(0.5)
    assert.equal(0.5, discrete.dt)
    assert(ma.allclose(discrete:to_ss().A, math.exp(-0.5)))
    local _, list = discrete:step { n = 4 }
    assert(ma.allclose(list[1]:ravel(), 1 - ma.exp(ma.arange(4) * -0.5)))
    assert(ma.allclose(ma.signal.StateSpace({ { -1 } }, { { 1 } }, { { 1 } }, { { 0 } }):to_zpk().poles, { -1 }))
    assert.matches("TransferFunction", tostring(s))
    assert.matches("signal.TransferFunction: no attribute 'nme'; it has den, num", fails(function() return s.nme end))
    assert.matches("a continuous system; wanted a discrete one", fails(ma.signal.dlsim, s, { 1 }))
    assert.matches("system is .-; wanted an object", fails(ma.signal.step, 3))
    assert.matches("T that is not equally spaced", fails(ma.signal.lsim, s, { 1, 1, 1 }, { 0, 1, 3 }))
  end)

  it("splines go through their samples", function()
    local x = ma.random.default_rng(5):standard_normal(50)
    assert(ma.allclose(ma.signal.cspline1d_eval(ma.signal.cspline1d(x), ma.arange(50)), x))
    local inside = ma.signal.qspline1d_eval(ma.signal.qspline1d(x), ma.arange(50))[{ { 2, 49 } }]
    assert(ma.allclose(inside, x[{ { 2, 49 } }]))
  end)

  it("long signals through symmetric filters are those of their halves where the weights have died away", function()
    local x = ma.random.default_rng(6):standard_normal(4000)
    for _, filter in ipairs { function(v) return ma.signal.symiirorder1(v, 1, 0.6) end,
      function(v) return ma.signal.symiirorder2(v, 0.5, 0.8) end } do
      local all, near = filter(x), filter(x[{ { 1, 1000 } }])
      assert(ma.allclose(all[{ { 1, 700 } }], near[{ { 1, 700 } }], { rtol = 1e-12, atol = 1e-13 }))
      assert(ma.allclose(filter(x["::-1"])["::-1"], all, { rtol = 1e-9, atol = 1e-11 }))
      local hole = x:copy()
      hole[3900] = 0 / 0
      assert(ma.isnan(filter(hole))(1))
    end
  end)

  it("peaks nearer than a distance give way to the highest, and of equal ones to the last", function()
    local x = ma.array { 0, 3, 0, 3, 0, 1, 0, 0, 5, 0, 4, 0, 2, 0 }
    -- Whole numbers that no float64 tells apart, small ones, and stretches at the ends of blocks.
    local whole = ma.array({ 0, 0, 0, 0 }, "int64") + ma.array({ 0, 1, 0, 1 }, "int64") + 2 ^ 60
    ma.testing.assert_array_equal((ma.signal.find_peaks(whole)), { 2 })
    ma.testing.assert_array_equal((ma.signal.find_peaks(ma.array({ 1, 255, 3 }, "uint8"))), { 2 })
    local long = ma.zeros(3000)
    long[{ { 1024, 1026 } }], long["2047:2048"], long["2999:3000"] = 1, 2, 3
    local middle, ends = ma.signal.find_peaks(long, { plateau_size = 1 })
    ma.testing.assert_array_equal(middle, { 1025, 2047 })
    ma.testing.assert_array_equal(ends.right_edges, { 1026, 2048 })
    local function peaks(distance) return (ma.signal.find_peaks(x, { distance = distance })):totable() end
    local function numbers(list) for k = 1, #list do list[k] = tonumber(list[k]) end return list end
    assert.same({ 2, 4, 6, 9, 11, 13 }, numbers(peaks(2)))
    assert.same({ 4, 9, 13 }, numbers(peaks(3)))
    assert.same({ 2, 9 }, numbers(peaks(6)))
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

  it("say what is wrong with systems", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    local s = ma.signal
    said("2 residues and 1 poles; wanted as many", s.invres, { 1, 2 }, { 1 }, {})
    said("rtype is the string 'x'", s.unique_roots, { 1 }, 1, "x")
    said("wanted a proper fraction", s.tf2ss, { 1, 2, 3 }, { 1, 2 })
    said("D of 1 rows and 1 columns; wanted 1 and 2", s.ss2tf, { { 1 } }, { { 1, 2 } }, { { 1 } }, { { 1 } })
    said("input is 2 of 1", s.ss2tf, { { 1 } }, { { 1 } }, { { 1 } }, { { 1 } }, 2)
    said("method is the string 'x'", s.cont2discrete, { { 1 }, { 1, 1 } }, 0.1, "x")
    said("system is .-; wanted {num, den}", s.cont2discrete, 1, 0.1)
  end)
end)
