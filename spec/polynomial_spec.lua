-- Polynomials: NumPy's values over dtypes, layouts, empty and 0-d arrays and NaN, the object poly1d, fits, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

describe("polynomials of NumPy's first kind:", function()
  it("arithmetic, values, derivatives and integrals", function()
    run("classic", "polynomial", { float16 = 4e-3, float32 = 2e-6, complex64 = 2e-6, float64 = 1e-12 })
  end)
  it("roots", function() run("roots", "polynomial", { float32 = 1e-5, complex64 = 1e-5, float64 = 1e-9 }) end)
  it("fits", function() run("fit", "polynomial", { float64 = 1e-8 }) end)
  it("poly1d", function() run("poly1d", "polynomial", { float32 = 1e-6, float64 = 1e-12 }) end)
  it("poly1d as text", function() run("text", "polynomial") end)

  it("products of many coefficients, in pieces", function()
    local n, m = 3000, 2500
    for _, dtype in ipairs { "int64", "float32" } do
      local got = ma.polymul(ma.ones(n, dtype), ma.ones(m, dtype))
      local k = ma.range(1, n + m - 1)
      ma.testing.assert_array_equal(got, ma.minimum(ma.minimum(k, n + m - k), m))
      assert.equal(dtype, got.dtype)
    end
  end)

  it("keep the device and the dtype of arrays beside numbers and tables", function()
    local a = ma.array({ 1, 2, 3 }, "float32")
    assert.equal("float32", ma.polyval(a, a).dtype)
    assert.equal(helper.device, ma.polyval({ 1, 2 }, a).device)
    assert.equal(helper.device, ma.polyadd({ 1, 2 }, a).device)
    local host = a:get()
    assert.equal("cpu", ma.polyval({ 1, 2 }, host).device)
    assert.equal("cpu", ma.polyfit(host, { 1, 2, 3 }, 1).device)
    assert.equal("cpu", (ma.poly1d(host) * { 1, 2 }).coeffs.device)
    assert.equal("cpu", ma.poly1d(a):get().coeffs.device)
  end)

  it("say what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    said("moonarray.poly: a float64 array %(2, 3%); wanted a vector of roots or a square matrix", ma.poly,
      ma.zeros({ 2, 3 }))
    said("moonarray.roots: .-%(2, 2%); wanted a vector of coefficients", ma.roots, ma.zeros({ 2, 2 }))
    said("moonarray.polyadd: .-wanted a vector of coefficients", ma.polyadd, ma.zeros({ 2, 2 }), 1)
    said("moonarray.polydiv: no coefficients", ma.polydiv, ma.zeros(0), { 1 })
    said("moonarray.polyder: m is %-1; wanted a whole number from 0 on", ma.polyder, { 1, 2 }, -1)
    said("moonarray.polyint: k is .-; wanted one number or 3", ma.polyint, { 1, 2 }, 3, { 1, 2 })
    said("moonarray.polyint: m is 100000; wanted at most 1000", ma.polyint, { 1, 2 }, 100000)
    said("moonarray.polyval: a 0%-d array of coefficients", ma.polyval, 3, { 1 })
    said("moonarray.polyfit: deg is %-1; wanted a whole number from 0 on", ma.polyfit, { 1, 2 }, { 1, 2 }, -1)
    said("moonarray.polyfit: deg is a boolean", ma.polyfit, { 1, 2 }, { 1, 2 }, true)
    said("moonarray.polyfit: x is a float64 array %(0,%); wanted a vector with elements", ma.polyfit, ma.zeros(0),
      ma.zeros(0), 1)
    said("moonarray.polyfit: 2 positions x and 3 values y", ma.polyfit, { 1, 2 }, { 1, 2, 3 }, 1)
    said("moonarray.polyfit: w is .-; wanted a vector of 2 weights", ma.polyfit, { 1, 2 }, { 1, 2 }, 1, { w = { 1 } })
    said("moonarray.polyfit: 2 points for 2 coefficients; a scaled covariance wants more", ma.polyfit, { 1, 2 },
      { 1, 2 }, 1, { cov = true })
    said("moonarray.polyfit: cov is the string 'x'; wanted true, false", ma.polyfit, { 1, 2 }, { 1, 2 }, 1,
      { cov = "x" })
    said("moonarray.polyfit: full is the number 0; wanted true or false", ma.polyfit, { 1, 2 }, { 1, 2 }, 1,
      { full = 0 })
    said("moonarray.poly1d: r is the number 0; wanted a boolean", ma.poly1d, { 1 }, 0)
    said("moonarray.poly1d: a float64 array %(1, 1%); wanted a vector of coefficients", ma.poly1d, { { 1 } })
  end)
end)

describe("poly1d", function()
  local p
  before_each(function() p = ma.poly1d({ 1, 2, 3 }) end)
  after_each(function() p = nil end)

  it("has its coefficients under five names, and what follows from them", function()
    for _, name in ipairs { "coeffs", "c", "coef", "coefficients" } do assert.same({ 1, 2, 3 }, p[name]:totable()) end
    assert.same({ 2, 2, "x" }, { p.order, p.o, p.variable })
    ma.testing.assert_allclose(ma.absolute(p.roots), math.sqrt(3))
    ma.testing.assert_array_equal(p.r, p.roots)
    assert.equal("z", ma.poly1d({ 1 }, false, "z").variable)
    assert.equal("z", ma.poly1d(ma.poly1d({ 1 }, { variable = "z" })).variable)
    assert.equal("y", ma.poly1d(ma.poly1d({ 1 }, { variable = "z" }), { variable = "y" }).variable)
  end)

  it("gives and takes the coefficient of a power", function()
    assert.same({ 3, 2, 1, 0, 0 }, { p[0], p[1], p[2], p[3], p[-1] })
    p[1] = 7
    assert.same({ 1, 7, 3 }, p.coeffs:totable())
    p[4] = 5
    assert.same({ 5, 0, 1, 7, 3 }, p.coeffs:totable())
    assert.matches("a power is %-1; wanted a whole number from 0 on", fails(function() p[-1] = 2 end))
    assert.matches("a power is 1.5", fails(function() return p[1.5] end))
    assert.matches("'coeffs' cannot be set", fails(function() p.coeffs = 2 end))
    assert.matches("no attribute 'degree'; it has coeffs", fails(function() return p.degree end))
    assert.matches("write object:deriv%(%.%.%.%)", fails(function() return p.deriv(3) end))
  end)

  it("does not change the array it was made from", function()
    local a = ma.array({ 1, 2, 3 })
    local q = ma.poly1d(a)
    q[0] = 9
    assert.same({ 1, 2, 3 }, a:totable())
    local double = ma.poly1d(q)
    double[0] = 1
    assert.equal(9, q[0])
  end)

  it("is equal to one of the same coefficients", function()
    assert.is_true(p == ma.poly1d({ 0, 1, 2, 3 }))
    assert.is_false(p == ma.poly1d({ 1, 2 }))
    assert.is_true(ma.polydiv(p * p, p) == p)
  end)

  it("divides into a quotient and a remainder", function()
    local q = ma.poly1d({ 1, 1 })
    local quotient, remainder = ma.polydiv(p, q)
    assert.is_true(quotient == p / q and remainder == p % q)
    assert.is_true(q * quotient + remainder == p)
  end)

  it("is taken by the functions, and given back", function()
    for _, value in ipairs { ma.polyadd(p, { 1 }), ma.polysub({ 1 }, p), ma.polymul(p, 2), ma.polyder(p), ma.polyint(p),
      (ma.polydiv(p, { 1, 1 })) } do
      assert.equal("table", type(value))
      assert.equal(getmetatable(p), getmetatable(value))
    end
    assert.equal(11, ma.polyval(p, 2):item())
    assert.equal(2, ma.roots(p).size)
    p:set(ma.poly1d({ 4, 5 }, { variable = "t" }))
    assert.same({ { 4, 5 }, "t" }, { p.coeffs:totable(), p.variable })
  end)

  it("refuses what is no polynomial", function()
    assert.matches("moonarray.poly1d: the exponent is %-1", fails(function() return p ^ -1 end))
    assert.matches("moonarray.poly1d: the exponent is 100000000000000000000; wanted at most 65536",
      fails(function() return p ^ 1e20 end))
    assert.matches("the string 'x' as an operand", fails(function() return p + "x" end))
    assert.matches("wanted a poly1d object", fails(function() return p:set(3) end))
    assert.matches("a polynomial as an exponent", fails(function() return 2 ^ p end))
  end)
end)
