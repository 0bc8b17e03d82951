--- NumPy's classic polynomials: a vector of coefficients from the highest power down. poly1d.lua has the object.
--# polynomials

local sformat = require("moonarray.text").format
local MOST_ORDERS = 1000               -- of derivatives and integrals, each of which is a step of its own

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local shared = require "moonarray.polynomial.shared" (ma, core)
  local poly1d = require "moonarray.polynomial.poly1d" (ma, core, shared)
  local at, floating, is_poly1d = shared.at, shared.floating, poly1d.is

  --- The coefficients of an argument: of an object, or a vector.
  local function coefficients(name, p)
    if is_poly1d(p) then return p.coeffs end
    local a = ma.atleast_1d(p)
    if a.ndim ~= 1 then fail(name, sformat("%s; wanted a vector of coefficients", core.describe(a))) end
    return a
  end

  --- The coefficients of both operands on one device, and the form of the result: an object if one of them is.
  local function operands(name, a, b)
    local object = is_poly1d(a) or is_poly1d(b)
    if is_poly1d(a) then a = a.coeffs end
    if is_poly1d(b) then b = b.coeffs end
    a, b = shared.both(a, b)
    return coefficients(name, a), coefficients(name, b), function(c) return object and poly1d.new(c) or c end
  end

  -- ==== Roots ======================================================================================================

  --- Whether complex roots form conjugate pairs, so that the polynomial has real coefficients. Waits.
  local function is_conjugate_symmetric(z)
    local function sorted(w) return ma.sort_complex(w) end
    return ma.array_equal(sorted(z), sorted(ma.conjugate(z)))
  end

  --> poly({1, 2})
  def("poly(seq_of_zeros: data) -> array",
    "The coefficients of the polynomial with these roots, the highest power first; of a square matrix, of its " ..
      "characteristic polynomial. "
    .. "float32 and complex roots keep their dtype, others are float64. Complex roots that come in conjugate pairs " ..
      "give real coefficients, "
    .. "which is looked at and waits. poly({1, 2}) is {1, -3, 2}.",
    function(roots)
      local z, real = ma.atleast_1d(roots), nil
      local shape = z.shape
      if z.ndim == 2 and shape[1] == shape[2] and shape[1] > 0 then
        real = not ma.iscomplexobj(z)                          -- eigenvalues of a real matrix are conjugate pairs
        z = ma.linalg.eigvals(z)
      elseif z.ndim ~= 1 then
        fail("poly", sformat("%s; wanted a vector of roots or a square matrix", core.describe(z)))
      elseif z.dtype ~= "float32" and not ma.iscomplexobj(z) then
        z = z:astype("float64")
      end
      local n = z.size
      if n == 0 then return core.asarray(1, { device = z.device }) end
      local a = shared.zeros(z, n + 1)
      a[{ { 1, 1 } }] = 1
      for k = 1, n do
        a[{ { 2, k + 1 } }] = a[{ { 2, k + 1 } }] + a[{ { 1, k } }] * -at(z, k)
      end
      if not ma.iscomplexobj(a) then return a end
      if real == nil then real = is_conjugate_symmetric(z) end
      return real and ma.real(a):copy() or a
    end)

  --> roots: ma.roots({1, -3, 2}):round(6)
  def("roots(p: data; check?: boolean) -> array",
    "The roots of a polynomial, as the eigenvalues of its companion matrix; p has the highest power first. Real if " ..
      "all imaginary parts are 0, "
    .. "else complex. Waits. roots({1, -3, 2}) is {2, 1}.",
    function(p, check)
      p = coefficients("roots", p)
      local first, last = shared.span(p)
      if not first then return ma.zeros({ 0 }, { device = p.device }) end
      local at_zero = p.size - last
      local c = floating(p[{ { first, last } }])
      local n = c.size
      local found
      if n > 1 then
        local companion = ma.eye(n - 1, { k = -1, dtype = c.dtype, device = c.device })
        companion[1] = -c[{ { 2, n } }] / c[{ { 1, 1 } }]
        found = shared.eigenvalues(companion, check)
      else
        found = ma.zeros({ 0 }, { device = c.device })
      end
      return shared.zeros_behind(found, at_zero)
    end)
  poly1d.roots = function(c) return ma.roots(c) end

  -- ==== Arithmetic =================================================================================================

  for name, row in pairs {
    polyadd = { "sum", function(a, b) return a + b end }, polysub = { "difference", function(a, b) return a - b end },
  } do
    def(name .. "(a1: data, a2: data) -> array",
      "The " .. row[1] .. " of two polynomials: vectors of coefficients, the highest power first, or poly1d objects, "
        .. "which give one.",
      function(a, b)
        local give
        a, b, give = operands(name, a, b)
        local n = math.max(a.size, b.size)
        return give(row[2](shared.zeros_before(a, n - a.size), shared.zeros_before(b, n - b.size)))
      end)
  end

  --> polyadd({1, 2}, {3, 4})
  --> polysub({1, 2}, {3, 4})
  --> polymul({1, 2}, {3, 4})
  def("polymul(a1: data, a2: data) -> array",
    "The product of two polynomials: vectors of coefficients, the highest power first, or poly1d objects, which " ..
      "give one. "
    .. "Zeros in front are left out, which is looked at and waits.",
    function(a, b)
      local give
      a, b, give = operands("polymul", a, b)
      return give(shared.convolve("polymul", poly1d.trim(a), poly1d.trim(b)))
    end)

  --> polydiv({1, 5, 6}, {1, 2})
  def("polydiv(u: data, v: data) -> array, array",
    "The quotient and the remainder of two polynomials: vectors of coefficients, the highest power first, or " ..
      "poly1d objects, which give them. "
    .. "Whole numbers are divided in float64. The remainder's length is looked at, which waits.",
    function(u, v)
      local give
      u, v, give = operands("polydiv", u, v)
      if u.size == 0 or v.size == 0 then fail("polydiv", "no coefficients; wanted at least one of each polynomial") end
      u, v = floating(u), floating(v)
      local dtype = ma.result_type(u, v)
      local m, n = u.size - 1, v.size - 1
      local q = ma.zeros({ math.max(m - n + 1, 1) }, { dtype = dtype, device = u.device })
      local r = u:astype(dtype)
      local scale = 1 / at(v, 1)
      for k = 1, m - n + 1 do
        local d = scale * at(r, k)
        q[{ { k, k } }] = d
        r[{ { k, k + n } }] = r[{ { k, k + n } }] - d * v
      end
      local small = ma.isclose(r, 0, 1e-14)
      local first, all = ma.item(small:argmin(), small:min())
      if all then first = r.size end
      return give(q), give(r[{ { first, r.size } }]:copy())
    end)

  -- ==== Derivatives and integrals ==================================================================================

  local function check_order(name, m)
    return common.whole(name, "m", m or 1, 0, MOST_ORDERS)
  end

  --- n, n - 1 .. 1.
  local function falling(c, n) return ma.arange(n, 0, -1, { dtype = "int64", device = c.device }) end

  --> polyder({1, 2, 3})
  def("polyder(p: data, m?: integer) -> array",
    "The m-th (1) derivative of a polynomial: coefficients from the highest power down, or a " ..
    "poly1d object, which gives one.",
    function(p, m)
      m = check_order("polyder", m)
      local c = coefficients("polyder", p)
      for _ = 1, m do
        local n = c.size
        if n == 0 then break end
        c = c[{ { 1, n - 1 } }] * falling(c, n - 1)
      end
      return is_poly1d(p) and poly1d.new(c) or c
    end)

  --> polyint({2, 2})
  def("polyint(p: data, m?: integer, k?: data) -> array",
    "The m-th (1) integral of a polynomial: coefficients from the highest power down, or a poly1d object, which " ..
      "gives one. "
    .. "k (0): the constants, one for each integration in turn or one for all.",
    function(p, m, k)
      m = check_order("polyint", m)
      local c = coefficients("polyint", p)
      k = ma.atleast_1d(shared.beside(c, k or 0))
      if k.ndim ~= 1 or (k.size ~= 1 and k.size < m) then
        fail("polyint", sformat("k is %s; wanted one number or %d", core.describe(k), m))
      end
      for order = 1, m do
        local constant = k[k.size == 1 and { { 1, 1 } } or { { order, order } }]
        c = ma.concatenate({ c / falling(c, c.size), constant })
      end
      return is_poly1d(p) and poly1d.new(c) or c
    end)

  -- ==== Values =====================================================================================================

  --> polyval({1, 2, 3}, 2)
  def("polyval(p: data, x: data) -> array",
    "The values of a polynomial at x, of x's shape, by Horner's rule; p has the highest power first. The dtype is " ..
      "that of p and x together. "
    .. "Of a poly1d object x, the polynomial of x: another one. polyval({1, 0, 2}, 3) is 11.",
    function(p, x)
      if is_poly1d(p) then p = p.coeffs end
      if is_poly1d(x) then
        local y = poly1d.new(core.asarray(0, { device = x.coeffs.device }))
        p = core.asarray(p)
        for k = 1, p.size do y = y * x + at(p, k) end
        return y
      end
      p, x = shared.both(p, x)
      if p.ndim == 0 then fail("polyval", "a 0-d array of coefficients; wanted a vector") end
      local y = core.horner(p, x)
      if y then return y end
      y = ma.zeros_like(x)
      for k = 1, p.shape[1] do y = y * x + at(p, k) end
      return y
    end)

  -- ==== Fits =======================================================================================================

  --> polyfit: ma.polyfit({0, 1, 2}, {1, 3, 5}, 1):round(6) + 0
  def("polyfit(x: data, y: data, deg: integer, rcond?: number, full?: boolean, w?: data, "
    .. "cov?: boolean|string; check?: boolean) -> array, table?",
    "The coefficients, the highest power first, of the polynomial of degree deg that makes the sum of |w (p(x) - " ..
      "y)|^2 least; one column for each "
    .. "column of y. rcond: singular values of at most rcond (len(x) eps) times the largest count as 0. full: also " ..
      "residuals, rank, singular "
    .. "values and rcond, as in linalg.lstsq. cov: also the covariance of the coefficients, scaled by the " ..
      "residuals unless it is \"unscaled\". "
    .. "check: as in linalg.lstsq.",
    function(x, y, deg, rcond, full, w, cov, check)
      local name = "polyfit"
      deg = shared.degree(name, "deg", deg)
      x, y, w = shared.fit_data(name, x, y, w)
      if cov ~= nil and type(cov) ~= "boolean" and cov ~= "unscaled" then
        fail(name, sformat("cov is %s; wanted true, false or \"unscaled\"", core.describe(cov)))
      end
      local order, n = deg + 1, x.size
      if rcond == nil then rcond = n * shared.epsilon(x) end
      local left, right = ma.vander(x, order), y
      if w then left, right = shared.scale_rows(left, w), shared.scale_rows(y, w):astype(y.dtype) end
      local scale = ma.sqrt((left * left):sum(1))
      left = left / scale
      if cov and cov ~= "unscaled" and n <= order and not full then
        fail(name, sformat("%d points for %d coefficients; a scaled covariance wants more points", n, order))
      end
      if cov and not full then check = false end               -- without residuals, they are NaN
      local c, residuals, rank, s = ma.linalg.lstsq(left, right, { rcond = rcond, check = check })
      c = shared.divide_rows(c, scale)
      if full then return c, residuals, rank, s, rcond end
      if not cov then return c end
      local base = ma.linalg.inv(ma.matmul(left.T, left), { check = check }) / ma.outer(scale, scale)
      if cov == "unscaled" then return c, y.ndim == 1 and base or ma.expand_dims(base, 3) end
      local factor = residuals / (n - order)
      return c, (y.ndim == 1 and base or ma.expand_dims(base, 3)) * factor
    end)
end
