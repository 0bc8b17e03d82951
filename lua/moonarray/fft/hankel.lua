--- The fast Hankel transform of samples at logarithmic distances (Hamilton's FFTLog), under SciPy's names.

local pi = math.pi
local LN_2 = math.log(2)

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  local log_gamma

  --- The same far below 0, as log pi - log sin(pi z) - log gamma(1 - z). The growth of the sine is taken out.
  local function reflected(x, y)
    local re, im = log_gamma(1 - x, y)                    -- of conj(1 - z)
    local around, fall = 2 * pi * (x % 1), ma.exp(-2 * pi * y)
    local rest = ma.complex(1, 0) - fall * math.cos(around) - fall * math.sin(around) * ma.complex(0, 1)
    local sine = ma.log(rest)                             -- of sin(pi z) (-2 i) exp(i pi z)
    local turns = pi * (x % 2) - pi / 2
    return math.log(2 * pi) - pi * y - ma.real(sine) - re, turns - ma.imag(sine) + im
  end

  --- The logarithm of the gamma function at x + i y as its real and imaginary part, but for multiples of 2 pi, for a
  --- number x and an array y >= 0: Stirling's series beyond 9, and the recurrence down from there.
  function log_gamma(x, y)
    if x < -50 then return reflected(x, y) end
    local shift = x < 9 and math.ceil(9 - x) or 0
    local z = y * ma.complex(0, 1) + (x + shift)
    local w = 1 / (z * z)
    local series = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - w * (691 / 360360
      - w / 156)))))) / z
    local r = (z - 0.5) * ma.log(z) - z + 0.5 * math.log(2 * pi) + series
    local product
    for k = 0, shift - 1 do
      local factor = y * ma.complex(0, 1) + (x + k)
      product = product and product * factor or factor
    end
    if product then r = r - ma.log(product) end
    return ma.real(r), ma.imag(r)
  end

  local function is_pole(x) return x <= 0 and x == math.floor(x) end

  --- 2^q gamma(xp) / gamma(xm) where one of them is infinite.
  local function at_pole(q, xp, xm)
    if not is_pole(xm) then return math.huge end
    if not is_pole(xp) then return 0 end
    local a, b, ratio = -xp, -xm, 1
    for k = math.min(a, b) + 1, math.max(a, b) do
      ratio = a < b and ratio * k or ratio / k
      if ratio == 0 or ratio == math.huge then break end
    end
    return 2 ^ q * ratio * ((a - b) % 2 == 0 and 1 or -1)
  end

  --- The coefficients of n samples.
  local function coefficients(n, dln, mu, offset, bias, inverse, device)
    local xp, xm = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    local half = math.floor(n / 2)
    local y = ma.arange(half + 1, "float64", { device = device }) * (pi / (n * dln))
    local re, im = log_gamma(xp, y)
    local re_below, im_below = log_gamma(xm, y)
    local size = ma.exp(re - re_below + LN_2 * bias)
    local angle = im + im_below + y * (2 * (LN_2 - offset))
    local u = size * ma.cos(angle) + size * ma.sin(angle) * ma.complex(0, 1)
    if n % 2 == 0 then ma.imag(u)["-1"] = 0 end
    if is_pole(xp) or is_pole(xm) then
      local first = at_pole(bias, xp, xm)
      if first == math.huge and not inverse then first = 0 end      -- SciPy's choice: the transform is singular
      if first == 0 and inverse then first = math.huge end
      u["1"] = first
    end
    return u
  end

  local function arguments(name, a, dln, mu, offset, bias)
    a = core.asarray(a)
    if a.ndim == 0 or a.shape[a.ndim] < 1 then
      fail(name, core.describe(a) .. "; wanted at least one sample along the last axis")
    end
    if is.complexfloating[a.dtype] then fail(name, "a is complex; wanted real samples") end
    common.number(name, "dln", dln)
    common.number(name, "mu", mu)
    return a, a.shape[a.ndim], common.number(name, "offset", offset or 0), common.number(name, "bias", bias or 0)
  end

  --- exp(-bias dln (j - centre)), the power law by which a bias divides the samples.
  local function power(a, n, dln, bias, offset)
    local j = ma.arange(n, "float64", { device = a.device }) - (n - 1) / 2
    return ma.exp((j * dln + (offset or 0)) * -bias)
  end

  local function transform(a, n, u, inverse)
    local terms = ma.fft.rfft(a)
    terms = inverse and terms / ma.conj(u) or terms * u
    return ma.fft.irfft(terms, n)["..., ::-1"]
  end

  --> fft.fht: ma.fft.fht({1, 2, 3, 4}, 0.1, 0.5).size
  def("fft.fht(a: data, dln: number, mu: number, offset?: number, bias?: number) -> array",
    "The fast Hankel transform of order mu of samples along the last axis, at places whose logarithms are dln " ..
      "apart. offset: the logarithm of the product of the middle places of samples and result (fft.fhtoffset gives " ..
      "a good one); bias: the exponent of a power law that the samples are divided by first.",
    function(a, dln, mu, offset, bias)
      local n
      a, n, offset, bias = arguments("fft.fht", a, dln, mu, offset, bias)
      if bias ~= 0 then a = a * power(a, n, dln, bias) end
      local r = transform(a, n, coefficients(n, dln, mu, offset, bias, false, a.device), false)
      return bias ~= 0 and r * power(a, n, dln, bias, offset) or r
    end)

  --> fft.ifht: ma.fft.ifht(ma.fft.fht({1, 2, 3, 4}, 0.1, 0.5), 0.1, 0.5):round(6)
  def("fft.ifht(A: data, dln: number, mu: number, offset?: number, bias?: number) -> array",
    "Inverse of fft.fht.", function(a, dln, mu, offset, bias)
    local n
    a, n, offset, bias = arguments("fft.ifht", a, dln, mu, offset, bias)
    if bias ~= 0 then a = a / power(a, n, dln, bias, offset) end
    local r = transform(a, n, coefficients(n, dln, mu, offset, bias, true, a.device), true)
    return bias ~= 0 and r / power(a, n, dln, bias) or r
  end)

  --- The imaginary part of the logarithm of the gamma function at x + i y, for numbers.
  local function gamma_angle(x, y)
    local _, im = log_gamma(x, ma.array({ y }, "float64", { device = "cpu" }))
    return im(1)
  end

  --> fft.fhtoffset(0.1, 0.5)
  def("fft.fhtoffset(dln: number, mu: number, initial?: number, bias?: number) -> number",
    "The offset next to `initial` with which fft.fht has little ringing: a number.",
    function(dln, mu, initial, bias)
      local name = "fft.fhtoffset"
      common.number(name, "dln", dln)
      common.number(name, "mu", mu)
      initial, bias = common.number(name, "initial", initial or 0), common.number(name, "bias", bias or 0)
      local xp, xm, y = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2, pi / (2 * dln)
      local angle = (LN_2 - initial) / dln + (gamma_angle(xp, y) + gamma_angle(xm, y)) / pi
      local whole = math.floor(angle)
      local rest = angle - whole
      if rest > 0.5 or (rest == 0.5 and whole % 2 == 1) then whole = whole + 1 end
      return initial + (angle - whole) * dln
    end)

end
