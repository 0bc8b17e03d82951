-- Polynomials: NumPy's values over dtypes, layouts, empty and 0-d arrays and NaN, the object poly1d, fits, and errors.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails

-- A GPU whose cuSOLVER has no general eigenvalues (before CUDA 12.6), or a machine without LAPACK, has nothing to test.
local function needs(fn)
  local works, why = pcall(fn)
  return works and it or function(name) pending(name .. ": " .. tostring(why)) end
end
local it_finds_roots = needs(function() return ma.linalg.eigvals(ma.ones({ 2, 2 })) end)
local it_fits = needs(function() return ma.linalg.lstsq(ma.ones({ 2, 1 }), ma.ones(2)) end)

describe("polynomials of NumPy's first kind:", function()
  it("arithmetic, values, derivatives and integrals", function()
    run("classic", "polynomial", { float16 = 4e-3, float32 = 2e-6, complex64 = 2e-6, float64 = 1e-12 })
  end)
  it_finds_roots("roots",
    function() run("roots", "polynomial", { float32 = 1e-5, complex64 = 1e-5, float64 = 1e-9 }) end)
  it_fits("fits", function() run("fit", "polynomial", { float64 = 1e-8 }) end)
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
    said("moonarray.polyint: m is 100000; at most 1000 is taken", ma.polyint, { 1, 2 }, 100000)
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

  it_finds_roots("has its coefficients under five names, and what follows from them", function()
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
    assert.matches("no attribute 'degree'; it has c, coef, coefficients, coeffs, o, order",
      fails(function() return p.degree end))
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
    assert.matches("moonarray.poly1d: the exponent is 1e%+20; at most 65536 is taken",
      fails(function() return p ^ 1e20 end))
    assert.matches("the string 'x' as an operand", fails(function() return p + "x" end))
    assert.matches("wanted a poly1d object", fails(function() return p:set(3) end))
    assert.matches("a polynomial as an exponent", fails(function() return 2 ^ p end))
  end)
end)

describe("ma.polynomial:", function()
  local modules = { "polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre" }
  for _, module in ipairs(helper.part(modules)) do
    it(module, function()
      run(module, "polynomial", { float32 = 1e-4, complex64 = 1e-4, float64 = 1e-9 })
    end)
  end
  it("values of two precisions",
    function() run("mixed", "polynomial", { float32 = 1e-4, complex64 = 1e-4, float64 = 1e-4 }) end)
  it_finds_roots("roots of series",
    function() run("series roots", "polynomial", { float32 = 2e-4, complex64 = 2e-4, float64 = 2e-7 }) end)
  it_fits("fits of series", function() run("series fit", "polynomial", { float32 = 1e-3, float64 = 1e-8 }) end)
  it("objects", function() run("object", "polynomial", { float64 = 1e-9 }) end)
  it("polyutils", function() run("utils", "polynomial") end)

  it("takes zeros out of the way of what it finds", function()
    local P = ma.polynomial.polynomial
    assert.equal("2x3", helper.shape(P.polyval(ma.ones({ 2, 3 }), { 1 })))
    assert.equal("2x0", helper.shape(P.polyval(ma.ones(0), ma.ones({ 3, 2 }))))
    assert.equal("0x3", helper.shape(P.polyvander(ma.zeros(0), 2)))
    assert.same({ 0 }, P.polysub({ 1, 2 }, { 1, 2 }):totable())
    assert.same({ -1, 1 }, ma.polynomial.chebyshev.chebdomain)
    assert.same({ 1, -1 }, ma.polynomial.laguerre.lagx)
    ma.testing.assert_array_equal(ma.polynomial.hermite.hermval({ 1, 2 }, ma.polynomial.hermite.hermx), { 1, 2 })
  end)

  it("keep the device of arrays beside numbers and tables", function()
    local host = ma.ones(3, "float32"):get()
    local C = ma.polynomial.chebyshev
    assert.equal("cpu", C.chebval(0.5, host).device)
    assert.equal("float32", C.chebval(0.5, host).dtype)
    assert.equal("cpu", C.chebval({ 1, 2 }, host).device)
    assert.equal("cpu", C.chebval(host, { 1, 2 }).device)
    assert.equal("cpu", C.chebmul(host, { 1, 2 }).device)
    assert.equal("cpu", (ma.polynomial.Chebyshev(host) * 2 + { 1 }).coef.device)
    local x, y = ma.polynomial.Chebyshev(host):linspace(3)
    assert.same({ "cpu", "cpu" }, { x.device, y.device })
  end)

  it("say what is wrong", function()
    local function said(pattern, ...) assert.matches(pattern, fails(...)) end
    local P, C, utils = ma.polynomial.polynomial, ma.polynomial.chebyshev, ma.polynomial.polyutils
    said("moonarray.polynomial.polynomial.polyval: no coefficients", P.polyval, 1, ma.zeros(0))
    said("moonarray.polynomial.chebyshev.chebadd: coefficients in .-%(2, 2%); wanted a vector with elements", C.chebadd,
      ma.ones({ 2, 2 }), 1)
    said("chebdiv: a divisor that is 0", C.chebdiv, { 1, 2 }, { 0, 0 })
    said("chebpow: pow is 17; at most 16 is taken", C.chebpow, { 1, 2 }, 17)
    said("polypow: pow is %-1; wanted a whole number from 0 on", P.polypow, { 1, 2 }, -1)
    said("polypow: a power of 100000000001 coefficients; wanted at most 65536", P.polypow, { 1, 2 }, 1e11)
    said("chebcompanion: a series of one coefficient", C.chebcompanion, { 1 })
    said("chebvander: deg is %-1", C.chebvander, { 1 }, -1)
    said("chebvander2d: deg is .-; wanted a table of 2 degrees", C.chebvander2d, { 1 }, { 1 }, 2)
    said("chebvander2d: coordinates in .- and .-; wanted one shape", C.chebvander2d, { 1 }, { 1, 2 }, { 1, 1 })
    said("chebval2d: coordinates in .-; wanted one shape", C.chebval2d, { 1 }, { 1, 2 }, ma.ones({ 2, 2 }))
    said("chebfit: no degrees", C.chebfit, { 1, 2 }, { 1, 2 }, ma.zeros(0))
    said("chebfit: deg is 1.5", C.chebfit, { 1, 2 }, { 1, 2 }, 1.5)
    said("chebder: axis 3 of an array of 1 axes", C.chebder, { 1, 2 }, { axis = 3 })
    said("chebint: 2 constants for 1 integrations", C.chebint, { 1, 2 }, 1, { 1, 2 })
    said("chebint: lbnd is .-; wanted a number", C.chebint, { 1, 2 }, { lbnd = { 1, 2 } })
    said("chebline: scl is .-; wanted a number", C.chebline, 1, "x")
    said("chebval: tensor is the number 0; wanted true or false", C.chebval, 1, { 1 }, 0)
    said("polyvalfromroots: x of 1 axes and r of 1", P.polyvalfromroots, { 1 }, { 1 }, false)
    said("as_series: an empty table", utils.as_series, ma.index and {} or {})
    said("trimcoef: tol is %-1", utils.trimcoef, { 1 }, -1)
    said("mapparms: old is .-; wanted its two ends", utils.mapparms, { 1, 2, 3 }, { 1, 2 })
    said("polynomial.Polynomial: symbol is the string '1x'; wanted a name", ma.polynomial.Polynomial, { 1 },
      { symbol = "1x" })
    said("polynomial.Polynomial: domain is .-; wanted its two ends", ma.polynomial.Polynomial, { 1 }, { 1 })
  end)
end)

describe("roots and fits", function()
  it_finds_roots("stay on the device of what they are found from", function()
    local host = ma.array({ 1, -3, 2 }, "float32"):get()
    assert.same({ "cpu", "float32" }, { ma.roots(host).device, ma.roots(host).dtype })
    assert.equal("cpu", ma.polynomial.chebyshev.chebroots(host).device)
    assert.equal(helper.device, ma.roots(ma.array({ 1, -3, 2 })).device)
  end)

  it_fits("of tables go where the points are", function()
    local host = ma.arange(3):get()
    assert.equal("cpu", ma.polyfit(host, { 1, 2, 3 }, 1).device)
    assert.equal("cpu", ma.polynomial.chebyshev.chebfit(host, { 1, 2, 3 }, 1).device)
  end)
end)

describe("objects of ma.polynomial", function()
  local P, C = ma.polynomial.Polynomial, ma.polynomial.Chebyshev

  it("have what they were made of", function()
    local p = P({ 1, 2, 0 }, { 0, 4 }, { -1, 3 }, "t")
    assert.same({ { 1, 2, 0 }, { 0, 4 }, { -1, 3 }, "t", 2 },
      { p.coef:totable(), p.domain, p.window, p.symbol, p:degree() })
    assert.same({ -1, 1 }, { p:mapparms() })
    assert.same({ { -1, 1 }, "x" }, { P({ 1 }).domain, P({ 1 }).symbol })
    assert.same({ 0, 1 }, ma.polynomial.Laguerre({ 1 }).domain)
    assert.same({ 1, 2, 0 }, p:copy().coef:totable())
    assert.equal(ma.polynomial.polynomial.Polynomial, P)
    assert.same({ { 0, 4 }, "t" }, { (p * p).domain, p:deriv().symbol })
  end)

  it("are equal where coefficients, domains, windows and symbols are", function()
    local p = P({ 1, 2 })
    assert.is_true(p == P({ 1, 2 }))
    for _, other in ipairs { P({ 1, 3 }), P({ 1, 2, 0 }), P({ 1, 2 }, { 0, 1 }), P({ 1, 2 }, { window = { 0, 1 } }),
      P({ 1, 2 }, { symbol = "y" }) } do
      assert.is_false(p == other)
    end
    assert.is_true(p:has_samecoef(P({ 1, 2 }, { 0, 1 })) and p:has_samewindow(p)
      and not p:has_samedomain(P({ 1 }, { 0, 1 })))
    assert.is_true(p:has_sametype(P({ 3 })) and not p:has_sametype(C({ 3 })))
  end)

  it("divide into a quotient and a remainder", function()
    local a, b = C({ 1, 2, 3, 4 }), C({ 1, 1 })
    local quotient, rest = a:divmod(b)
    assert.is_true(quotient == a / b and rest == a % b)
    ma.testing.assert_allclose((b * quotient + rest).coef, a.coef, 1e-12)
  end)

  it_fits("fit values, with their domain", function()
    local x = ma.linspace(2, 6, 30)
    local fitted = C.fit(x, x ^ 3 - x, 3)
    assert.same({ 2, 6 }, fitted.domain)
    ma.testing.assert_allclose(fitted(x), x ^ 3 - x, 1e-10)
    ma.testing.assert_allclose(fitted:convert(P).coef, { 0, -1, 0, 1 }, 0, 1e-9)
    assert.same({ 1, 3 }, C.fit({ 2, 2 }, { 1, 1 }, 0).domain)
  end)

  it("say what is wrong", function()
    local p = P({ 1, 2 })
    local function said(pattern, fn) assert.matches(pattern, fails(fn)) end
    said("a polynomial.Polynomial and a polynomial.Chebyshev; convert one of them", function() return p + C({ 1 }) end)
    said("two domains; convert", function() return p + P({ 1 }, { 0, 1 }) end)
    said("two windows; convert", function() return p + P({ 1 }, { window = { 0, 1 } }) end)
    said("the symbols 'x' and 'y'; wanted one", function() return p * P({ 1 }, { symbol = "y" }) end)
    said("the string 'a' as an operand", function() return p * "a" end)
    said("pow is 101; at most 100 is taken", function() return p ^ 101 end)
    said("a series as an exponent", function() return 2 ^ p end)
    said("no attribute 'coeffs'; did you mean 'coef'?", function() return p.coeffs end)
    said("'coef' cannot be set", function() p.coef = 3 end)
    said("write object:deriv", function() return p.deriv(3) end)
    said("kind is .-; wanted one as moonarray.polynomial.Chebyshev", function() return p:convert(3) end)
    said("no attribute 'nothing'; it has basis, cast, fit", function() return P.nothing end)
    said("wanted an object of moonarray.polynomial", function() return P.cast(3) end)
    said("moonarray.polynomial.Polynomial.fit: y is .-; wanted a vector",
      function() return P.fit({ 1, 2 }, ma.ones({ 2, 2 }), 1) end)
  end)
end)
