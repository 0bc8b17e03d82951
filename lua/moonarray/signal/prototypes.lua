--- Analog lowpass filters with a corner at 1, as lists of zeros and poles and a gain, and the elliptic integrals for
--- some of them.
--# signal_design

local sqrt, pi, exp, sin, cos, abs, log, huge = math.sqrt, math.pi, math.exp, math.sin, math.cos, math.abs, math.log,
  math.huge

return function(_, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local host = shared.host
  local complex = host.complex
  local prototypes, elliptic = {}, {}
  shared.prototypes, shared.elliptic = prototypes, elliptic

  local function asinh(x) return x < 0 and -log(-x + sqrt(x * x + 1)) or log(x + sqrt(x * x + 1)) end
  --- 10^x - 1 without cancellation.
  local function pow10m1(x)
    local y = x * log(10)
    if abs(y) < 1e-5 then return y * (1 + y / 2 * (1 + y / 3)) end
    return exp(y) - 1
  end
  shared.pow10m1 = pow10m1

  -- ==== Elliptic integrals and functions ===========================================================================

  --- The complete integral K of parameter 1 - p.
  function elliptic.km1(p)
    if p == 0 then return huge end
    local a, b = 1, sqrt(p)
    for _ = 1, 60 do
      if abs(a - b) <= 4e-16 * a then break end
      a, b = (a + b) / 2, sqrt(a * b)
    end
    return pi / (2 * a)
  end

  function elliptic.k(m) return elliptic.km1(1 - m) end

  --- Jacobi's sn, cn and dn of real u and parameter m in [0, 1].
  function elliptic.jacobi(u, m)
    if m < 1e-15 then return sin(u), cos(u), 1 end
    if m >= 1 then
      local t = math.tanh(u)
      local c = 1 / math.cosh(u)
      return t, c, c
    end
    local a, c, b, twon, i = { 1 }, { sqrt(m) }, sqrt(1 - m), 1, 1
    while abs(c[i] / a[i]) > 1.2e-16 and i < 12 do
      local ai = a[i]
      i = i + 1
      c[i], a[i], b = (ai - b) / 2, (ai + b) / 2, sqrt(ai * b)
      twon = twon * 2
    end
    local phi, last = twon * a[i] * u, 0
    for k = i, 2, -1 do
      last = phi
      phi = (math.asin(c[k] * sin(phi) / a[k]) + phi) / 2
    end
    local sn, cn = sin(phi), cos(phi)
    local factor = cos(phi - last)
    return sn, cn, abs(factor) < 0.1 and sqrt(1 - m * sn * sn) or cn / factor
  end

  --- The parameter of an elliptic filter of degree n, from that of its gains.
  local function degree(n, m1)
    local q = exp(-pi * elliptic.km1(m1) / elliptic.k(m1)) ^ (1 / n)
    local num, den = 0, 1
    for k = 0, 7 do
      num = num + q ^ (k * (k + 1))
      den = den + 2 * q ^ ((k + 1) ^ 2)
    end
    return 16 * q * (num / den) ^ 4
  end

  --- The imaginary part of the inverse of sn at i w.
  local function inverse_sc1(w, m)
    local list, wn, product = { sqrt(m) }, complex.new(0, w), 1
    while list[#list] ~= 0 and #list < 12 do
      local k = list[#list]
      local p = sqrt((1 - k) * (1 + k))
      list[#list + 1] = (1 - p) / (1 + p)
      product = product * (1 + list[#list])
    end
    for k = 1, #list - 1 do
      local x = list[k] * wn
      wn = 2 * wn / ((1 + list[k + 1]) * (1 + complex.sqrt((1 - x) * (1 + x))))
    end
    -- arcsin z = -i log(i z + sqrt(1 - z^2))
    local i = complex.new(0, 1)
    local arc = complex.log(i * wn + complex.sqrt(1 - wn * wn)) * complex.new(0, -1)
    return complex.im(product * pi / 2 * (2 / pi) * arc)
  end

  -- ==== Prototypes =================================================================================================

  local function negative(x) return -1 * x end

  function prototypes.butter(n)
    local p = {}
    for m = 1 - n, n - 1, 2 do p[#p + 1] = -1 * complex.polar(1, pi * m / (2 * n)) end
    if n % 2 == 1 then p[(n + 1) / 2] = -1 end
    return {}, p, 1
  end

  function prototypes.cheby1(n, rp)
    if n == 0 then return {}, {}, 10 ^ (-rp / 20) end
    local eps = sqrt(pow10m1(0.1 * rp))
    local mu, p = asinh(1 / eps) / n, {}
    for m = 1 - n, n - 1, 2 do
      p[#p + 1] = -1 * complex.sinh(complex.new(mu, pi * m / (2 * n)))
    end
    if n % 2 == 1 then p[(n + 1) / 2] = -math.sinh(mu) end
    local k = complex.re(host.product(host.map(p, negative)))
    if n % 2 == 0 then k = k / sqrt(1 + eps * eps) end
    return {}, p, k
  end

  function prototypes.cheby2(n, rs)
    if n == 0 then return {}, {}, 1 end
    local de = 1 / sqrt(pow10m1(0.1 * rs))
    local mu, z, p = asinh(1 / de) / n, {}, {}
    for m = 1 - n, n - 1, 2 do
      if m ~= 0 then z[#z + 1] = complex.new(0, 1 / sin(m * pi / (2 * n))) end
      local e = -1 * complex.polar(1, pi * m / (2 * n))
      local re, im = complex.parts(e)
      if m == 0 then im = 0 end
      p[#p + 1] = 1 / complex.new(math.sinh(mu) * re, math.cosh(mu) * im)
    end
    local k = complex.re(host.product(host.map(p, negative)) / host.product(host.map(z, negative)))
    return z, p, k
  end

  function prototypes.ellip(n, rp, rs, name)
    if n == 0 then return {}, {}, 10 ^ (-rp / 20) end
    local eps2 = pow10m1(0.1 * rp)
    if n == 1 then
      local p = -sqrt(1 / eps2)
      return {}, { p }, -p
    end
    local ck1 = eps2 / pow10m1(0.1 * rs)
    if ck1 == 0 or ck1 >= 1 then fail(name, "rp and rs leave no filter; wanted rs above rp, not too far") end
    local m = degree(n, ck1)
    local capk = elliptic.k(m)
    local z, p, pairs_z = {}, {}, {}
    local v0 = capk * inverse_sc1(1 / sqrt(eps2), ck1) / (n * elliptic.k(ck1))
    local sv, cv, dv = elliptic.jacobi(v0, 1 - m)
    for j = 1 - n % 2, n - 1, 2 do
      local s, c, d = elliptic.jacobi(j * capk / n, m)
      if abs(s) > 2e-16 then pairs_z[#pairs_z + 1] = complex.new(0, 1 / (sqrt(m) * s)) end
      p[#p + 1] = complex.new(-c * d * sv * cv, -s * dv) / (1 - (d * sv) ^ 2)
    end
    for k = 1, #pairs_z do z[k] = pairs_z[k] end
    for k = 1, #pairs_z do z[#z + 1] = complex.conj(pairs_z[k]) end
    for k = 1, #p do
      if complex.im(p[k]) ~= 0 then p[#p + 1] = complex.conj(p[k]) end
    end
    local k = complex.re(host.product(host.map(p, negative)) / host.product(host.map(z, negative)))
    if n % 2 == 0 then k = k / sqrt(1 + eps2) end
    return z, p, k
  end

  --- Frequency at which |k / prod(i w - p)| is 1 / sqrt(2), by bisection.
  local function corner(p, k)
    local function gain(w)
      local value = k
      for j = 1, #p do value = value / complex.abs(complex.new(0, w) - p[j]) end
      return value
    end
    local lo, hi = 0, 1
    while gain(hi) > sqrt(0.5) do hi = hi * 2 end
    for _ = 1, 200 do
      local middle = (lo + hi) / 2
      if middle == lo or middle == hi then break end
      if gain(middle) > sqrt(0.5) then lo = middle else hi = middle end
    end
    return (lo + hi) / 2
  end

  function prototypes.bessel(n, norm)
    if n == 0 then return {}, {}, 1 end
    -- the coefficients of the reverse Bessel polynomial, from the highest power down, over the last of them
    local a, log_last = { 1 }, 0
    for k = n - 1, 0, -1 do
      -- a_k / a_(k + 1)
      local ratio = (2 * n - k) * (k + 1) / (2 * (n - k))
      a[#a + 1] = a[#a] * ratio
      log_last = log_last + log(ratio)
    end
    local p = host.roots(a)
    local scale = 1
    if norm == "phase" then scale = exp(-log_last / n)
    elseif norm == "mag" then scale = 1 / corner(p, exp(log_last)) end
    p = host.map(p, function(x) return x * scale end)
    return {}, p, norm == "phase" and 1 or exp(log_last + n * log(scale))
  end

  local function order(name, n) return common.whole(name, "N", n, 0, 500) end

  local function give(z, p, k) return host.complex_array(z), host.complex_array(p), k end

  --> signal.buttap(2)
  def("signal.buttap(N: integer) -> array, array, number",
    "Zeros, poles and gain of Butterworth's analog lowpass filter with its corner at 1.",
    function(n) return give(prototypes.butter(order("signal.buttap", n))) end)
  --> signal.cheb1ap(2, 1)
  def("signal.cheb1ap(N: integer, rp: number) -> array, array, number",
    "Zeros, poles and gain of Chebyshev's analog lowpass filter with rp dB of ripple.",
    function(n, rp)
      return give(prototypes.cheby1(order("signal.cheb1ap", n), common.number("signal.cheb1ap", "rp", rp)))
    end)
  --> signal.cheb2ap(2, 40)
  def("signal.cheb2ap(N: integer, rs: number) -> array, array, number",
    "Zeros, poles and gain of the inverse Chebyshev filter with rs dB of attenuation.",
    function(n, rs)
      return give(prototypes.cheby2(order("signal.cheb2ap", n), common.number("signal.cheb2ap", "rs", rs)))
    end)
  --> signal.ellipap(2, 1, 40)
  def("signal.ellipap(N: integer, rp: number, rs: number) -> array, array, number",
    "Zeros, poles and gain of the elliptic filter with rp dB of ripple, rs dB of "
    .. "attenuation.",
    function(n, rp, rs)
      local name = "signal.ellipap"
      return give(prototypes.ellip(order(name, n), common.number(name, "rp", rp), common.number(name, "rs", rs), name))
    end)
  --> signal.besselap(2)
  def("signal.besselap(N: integer, norm?: norm) -> array, array, number",
    "Zeros, poles and gain of Bessel's filter; norm 'phase', 'delay' or 'mag'.",
    function(n, norm)
      local name = "signal.besselap"
      return give(prototypes.bessel(order(name, n), shared.choice(name, "norm", norm or "phase", "phase", "delay",
        "mag")))
    end)
end
