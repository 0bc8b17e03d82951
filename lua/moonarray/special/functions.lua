--- ma.special: functions that are several operations, or one with optional arguments.

local sformat = require("moonarray.text").format
local MOST_DIMENSIONS, BLOCK = 2 ^ 24, 2048               -- of multigammaln

return function(ma, core)
  local is = require "moonarray.common" (core).is
  local def, elementwise, operation, fail = core.def, core.elementwise, core.operation, core.fail

  local riemann_zeta, hurwitz_zeta = operation "riemann_zeta", operation "hurwitz_zeta"

  --> special.zeta({2, 4})
  def("special.zeta(x: data, q?: data, out?: array; dtype?: dtype, where?: array) -> array|scalar",
    "Hurwitz's zeta function, the sum of (q + k)^-x over k = 0, 1 ...; without q Riemann's, for any x.",
    function(x, q, out, dtype, where)
      if q == nil then return riemann_zeta(out, dtype, where, x) end
      return hurwitz_zeta(out, dtype, where, x, q)
    end)

  local spherical_yn, spherical_yn_slope = operation "spherical_yn_value", operation "spherical_yn_slope"

  --> special.spherical_yn(0, {1, 2})
  def("special.spherical_yn(n: data, z: data, derivative?: boolean) -> array|scalar",
    "The spherical Bessel function of the second kind, of whole order n, or its derivative.",
    function(n, z, derivative)
      return (derivative and spherical_yn_slope or spherical_yn)(nil, nil, nil, n, z)
    end)

  local amplitude = operation "ellipj_ph"
  local of_amplitude = { operation "ellipj_sn", operation "ellipj_cn", operation "ellipj_dn" }

  --> special.ellipj(0.5, 0.5)
  elementwise("special.ellipj(u: data, m: data) -> array|number, array|number, array|number, array|number",
    "Jacobi's elliptic functions sn, cn, dn with the parameter m, and the amplitude ph with sn = sin(ph).",
    function(u, m)
      local function operand(x) return type(x) == "number" and x or core.asarray(x) end
      u, m = operand(u), operand(m)
      -- The amplitude is computed once, in float64, since the others are steep in it.
      local dtype = ma.result_type(u, m)
      local narrow = (dtype == "float32" or dtype == "float16" or dtype == "bfloat16") and dtype
      if narrow then u, m = core.asarray(u):astype("float64"), core.asarray(m):astype("float64") end
      local phi = amplitude(nil, nil, nil, u, m):eval()
      local results = {}
      for k, part in ipairs(of_amplitude) do results[k] = part(nil, nil, nil, phi, u, m) end
      results[4] = phi
      for k = 1, narrow and 4 or 0 do results[k] = results[k]:astype(narrow) end
      return unpack(results)
    end)

  --> special.multigammaln({3, 4}, 2)
  elementwise("special.multigammaln(a: data, d: integer) -> array|scalar",
    "The logarithm of the gamma function of d dimensions, for a > (d - 1) / 2.",
    function(a, d)
      a = core.asarray(a)
      if type(d) ~= "number" or d < 1 or d % 1 ~= 0 or d > MOST_DIMENSIONS then
        fail("special.multigammaln", ("d is %s; wanted a whole number from 1 to %d"):format(core.describe(d),
          MOST_DIMENSIONS))
      end
      if ma.any(ma.less_equal(a, (d - 1) / 2)) then
        fail("special.multigammaln", sformat("an element of a is not above (d - 1) / 2 = %g", (d - 1) / 2))
      end
      local sum = ma.special.gammaln(a) + d * (d - 1) / 4 * math.log(math.pi)
      for j = 2, math.min(d, 33) do sum = sum + ma.special.gammaln(a - (j - 1) / 2) end
      local wide = ma.expand_dims(a, -1)
      for first = 34, d, BLOCK do
        local halves = ma.arange(first - 1, math.min(first + BLOCK - 1, d), { device = a.device }) / 2
        sum = sum + ma.special.gammaln(wide - halves):sum(-1)
      end
      return sum
    end)

  --- A float array whose complex form is of the same precision.
  local function complex_of(z)
    z = core.asarray(z)
    if is.complexfloating[z.dtype] then return z end
    return z:astype((z.dtype == "float32" or z.dtype == "float16" or z.dtype == "bfloat16") and "complex64"
      or "complex128")
  end

  local lambertw, faddeeva, harmonic_size = operation "lambertw_branch", operation "faddeeva", operation "harmonic"

  --> special.lambertw({0, 1})
  elementwise("special.lambertw(z: data, k?: integer, tol?: number) -> array|scalar",
    "The w of w exp(w) == z on the branch k, by default 0; complex. tol is taken for SciPy's sake: the result " ..
    "has all its digits.",
    function(z, k) return lambertw(nil, nil, nil, complex_of(z), k or 0) end)

  --> special.wofz({0, 1})
  elementwise("special.wofz(z: data) -> array", "Faddeeva's function, exp(-z^2) erfc(-i z); complex.",
    function(z) return faddeeva(nil, nil, nil, complex_of(z)) end)

  --- exp(i m theta) times the normalised Legendre function.
  local function harmonic(m, n, theta, phi)
    local size, angle = harmonic_size(nil, nil, nil, m, n, phi), ma.multiply(m, theta)
    return ma.exp(ma.multiply(angle, ma.complex(0, 1))) * size
  end

  --> special.sph_harm(0, 1, 0, 0)
  def("special.sph_harm(m: data, n: data, theta: data, phi: data) -> array|scalar",
    "The spherical harmonic of degree n and order m at the azimuth theta and the polar angle phi; complex.",
    function(m, n, theta, phi) return harmonic(m, n, theta, phi) end)

  --> special.sph_harm_y(1, 0, 0, 0)
  def("special.sph_harm_y(n: data, m: data, theta: data, phi: data) -> array|scalar",
    "The spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi; complex.",
    function(n, m, theta, phi) return harmonic(m, n, phi, theta) end)
end
