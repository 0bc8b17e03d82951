--- Splines of samples: their coefficients by filters that run forward and backward over mirrored signals, their values,
--- and filters by them.

local sformat = require("moonarray.text").format
local sqrt, sin, cos, floor, pi = math.sqrt, math.sin, math.cos, math.floor, math.pi
local ceil, log, min, max = math.ceil, math.log, math.min, math.max

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local host = shared.host
  local along = shared.along

  -- ==== Symmetric recursive filters ================================================================================

  local function numbers(x, from, n)
    return ma.arange(from, from + n, 1, { dtype = shared.real_dtype(x), device = x.device })
  end

  --- How many of the n elements along the last axis matter when they are multiplied by powers of r. Where the powers
  --- are 0, elements do not. If an element is no number, all matter.
  local function counting(x, r, n)
    local count = min(n, ceil(-760 / log(max(r, 1e-300))) + 3)
    return count < n / 2 and x.device == "cpu" and ma.all(ma.isfinite(x)) and count or n
  end

  --- c0 / ((1 - z / s) (1 - z s)) along the last axis of a signal that is mirrored beyond its ends.
  local function order1(x, c0, z)
    local d, n = x.ndim, x.shape[x.ndim]
    local count = counting(x, host.complex.abs(z), n)
    local first = along(x, d, 1, 1) + (along(x, d, 1, count) * host.value(z) ^ numbers(x, 1, count)):sum(-1,
      { keepdims = true })
    local forward = first
    if n > 1 then
      local rest = ma.signal.lfilter({ 1 }, { 1, -1 * z }, along(x, d, 2, n), d, first * z)
      forward = ma.concatenate({ first, rest }, d)
    end
    local last = along(forward, d, n, n) * (c0 / (1 - z))
    if n == 1 then return last end
    local back = ma.signal.lfilter({ c0 }, { 1, -1 * z }, ma.flip(along(forward, d, 1, n - 1), d), d, last * z)
    return ma.flip(ma.concatenate({ last, back }, d), d)
  end

  --- Responses of a pair of poles r exp(+- i omega) in one direction and in both, at k.
  local function responses(r, omega)
    local gain = 1 - 2 * r * cos(omega) + r * r
    local c0 = gain * gain * (1 + r * r) / (1 - r * r) / (1 - 2 * r * r * cos(2 * omega) + r ^ 4)
    local gamma = (1 - r * r) / (1 + r * r) / math.tan(omega)
    local function one(k) return ma.sin((k + 1) * omega) * r ^ k * (gain / sin(omega)) end
    local function both(k)
      k = ma.abs(k)
      return (ma.cos(k * omega) + ma.sin(k * omega) * gamma) * r ^ k * c0
    end
    return gain, one, both
  end

  --- The same for a pair of poles. `swapped`: the second state takes elements in the order in which cspline1d smooths.
  local function order2(x, r, omega, swapped)
    local d, n = x.ndim, x.shape[x.ndim]
    local gain, one, both = responses(r, omega)
    local count = counting(x, r, n)
    local k, zero = numbers(x, 0, count), numbers(x, 0, 1)
    local function sum(weights, of) return (along(of, d, 1, count) * weights):sum(-1, { keepdims = true }) end
    local x0, x1 = along(x, d, 1, 1), along(x, d, 2, 2)
    if swapped then x0, x1 = x1, x0 end
    local y0 = along(x, d, 1, 1) * one(zero) + sum(one(k + 1), x)
    local y1 = x1 * one(zero) + x0 * one(zero + 1) + sum(one(k + 2), x)
    local a = { 1, -2 * r * cos(omega), r * r }
    --- Continues two results, of which `last` is the later one.
    local function go_on(before, last, rest)
      if rest.shape[d] == 0 then return ma.concatenate({ before, last }, d) end
      local state = ma.concatenate({ last * (-a[2]) - before * a[3], last * (-a[3]) }, d)
      return ma.concatenate({ before, last, (ma.signal.lfilter({ gain }, a, rest, d, state)) }, d)
    end
    local forward = go_on(y0, y1, n > 2 and along(x, d, 3, n) or shared.zeros_along(x, d, 0))
    local turned = ma.flip(x, d)
    local last, before = sum(both(k) + both(k + 1), turned), sum(both(k - 1) + both(k + 2), turned)
    local rest = n > 2 and ma.flip(along(forward, d, 1, n - 2), d) or shared.zeros_along(x, d, 0)
    return ma.flip(go_on(last, before, rest), d)
  end

  local function real_or_complex(name, x)
    x = shared.signal(name, "input", x)
    if x.size == 0 then fail(name, "no elements; wanted at least one") end
    return x
  end

  --> signal.symiirorder1({1, 2, 3, 4}, 1, 0.5)
  def("signal.symiirorder1(input: data, c0: number, z1: number, precision?: number) -> array",
    "c0 / ((1 - z1 / s) (1 - z1 s)) along the last axis, forward "
    .. "and backward over a signal that is mirrored at its ends. |z1| < 1. All elements count, whatever the precision.",
    function(input, c0, z1)
      local name = "signal.symiirorder1"
      c0, z1 = host.scalar(name, "c0", c0), host.scalar(name, "z1", z1)
      if host.complex.abs(z1) >= 1 then fail(name, "|z1| is not below 1; wanted a filter that comes to rest") end
      return order1(real_or_complex(name, input), c0, z1)
    end)

  --> signal.symiirorder2({1, 2, 3, 4, 5, 6, 7, 8}, 0.5, 0.5)
  def("signal.symiirorder2(input: data, r: number, omega: number, precision?: number) -> array",
    "The same for a pair of poles r exp(+- i omega), with gain 1.",
    function(input, r, omega)
      local name = "signal.symiirorder2"
      input = real_or_complex(name, input)
      common.number(name, "r", r)
      common.number(name, "omega", omega)
      if r >= 1 then fail(name, sformat("r is %g; wanted less than 1", r)) end
      if input.shape[input.ndim] < 2 then fail(name, "one element along the last axis; wanted at least two") end
      return order2(input, r, omega)
    end)

  -- ==== Coefficients ===============================================================================================

  local CUBIC, QUADRATIC = -2 + sqrt(3), -3 + 2 * sqrt(2)

  --- Radius and angle of the poles that smooth by lambda.
  local function smoothing(lambda)
    local root = sqrt(3 + 144 * lambda)
    local xi = 1 - 96 * lambda + 24 * lambda * root
    local omega = math.atan2(sqrt(144 * lambda - 1), sqrt(xi))
    return (24 * lambda - 1 - sqrt(xi)) / (24 * lambda) * sqrt((48 * lambda + 24 * lambda * root) / xi), omega
  end

  local function lambda_of(name, lambda)
    lambda = common.number(name, "lamb", lambda or 0)
    if lambda < 0 or (lambda > 0 and lambda <= 1 / 144) then
      fail(name, sformat("lamb is %g; wanted 0, or more than 1 / 144", lambda))
    end
    return lambda
  end

  local function no_smoothing(name, lambda)
    if lambda == nil or lambda == 0 then return end
    fail(name, "lamb is not 0; wanted 0, since quadratic splines do not smooth")
  end

  local function vector(name, signal)
    local x = shared.floating(shared.vector(name, "signal", signal))
    if x.size == 0 then fail(name, "no elements; wanted at least one") end
    return x
  end

  --> signal.cspline1d({1, 2, 3, 4})
  def("signal.cspline1d(signal: data, lamb?: number) -> array",
    "Coefficients of the cubic spline through samples, or near them if lamb is "
    .. "above 0, mirrored at the ends.", function(signal, lamb)
    local name = "signal.cspline1d"
    local x, lambda = vector(name, signal), lambda_of(name, lamb)
    -- SciPy leaves the factor out for one sample
    if lambda == 0 then return order1(x, (x.size == 1 and -1 or -6) * CUBIC, CUBIC) end
    if x.size < 2 then fail(name, "one sample; wanted at least two") end
    local r, omega = smoothing(lambda)
    return order2(x, r, omega, true)
  end)

  --> signal.qspline1d({1, 2, 3, 4})
  def("signal.qspline1d(signal: data, lamb?: number) -> array",
    "Coefficients of the quadratic spline through samples; lamb is 0.",
    function(signal, lamb)
      local name = "signal.qspline1d"
      no_smoothing(name, lamb)
      local x = vector(name, signal)
      return order1(x, (x.size == 1 and -1 or -8) * QUADRATIC, QUADRATIC)
    end)

  local function matrix(name, x)
    x = shared.signal(name, "input", x)
    if x.ndim ~= 2 or x.size == 0 then
      fail(name, sformat("input is %s; wanted a matrix with elements", core.describe(x)))
    end
    return x
  end

  local function both_axes(x, fn) return fn(fn(x).T).T:copy() end

  local function cspline2d(name, x, lambda)
    if lambda == 0 then return both_axes(x, function(v) return order1(v, -6 * CUBIC, CUBIC) end) end
    local r, omega = smoothing(lambda)
    if x.shape[1] < 2 or x.shape[2] < 2 then fail(name, "one element along an axis; wanted at least two") end
    return both_axes(x, function(v) return order2(v, r, omega) end)
  end

  --> signal.cspline2d: ma.signal.cspline2d(ma.ones({4, 4})).size
  def("signal.cspline2d(signal: data, lamb?: number, precision?: number) -> array",
    "Coefficients of the cubic spline of a matrix; lamb above 0 smooths.",
    function(signal, lamb)
      local name = "signal.cspline2d"
      return cspline2d(name, matrix(name, signal), lambda_of(name, lamb))
    end)
  --> signal.qspline2d: ma.signal.qspline2d(ma.ones({4, 4})).size
  def("signal.qspline2d(signal: data, lamb?: number, precision?: number) -> array",
    "Coefficients of the quadratic spline of a matrix.",
    function(signal, lamb)
      local name = "signal.qspline2d"
      no_smoothing(name, lamb)
      return both_axes(matrix(name, signal), function(v) return order1(v, -8 * QUADRATIC, QUADRATIC) end)
    end)

  -- ==== Values =====================================================================================================

  local function cubic(x)
    x = ma.abs(x)
    return ma.where(x:lt(1), x * x * (2 - x) * -0.5 + 2 / 3, ma.where(x:lt(2), (2 - x) ^ 3 / 6, 0))
  end
  local function quadratic(x)
    x = ma.abs(x)
    return ma.where(x:lt(0.5), 0.75 - x * x, ma.where(x:lt(1.5), (x - 1.5) ^ 2 * 0.5, 0))
  end

  local function evaluate(name, cj, newx, dx, x0, terms, basis)
    local device = shared.device_of(cj, newx)
    cj = shared.floating(shared.vector(name, "cj", cj, device))
    newx = shared.floating(newx, device)
    local n = cj.size
    if n == 0 then fail(name, "no coefficients; wanted at least one") end
    local x = (newx - common.number(name, "x0", x0 or 0)) / common.number(name, "dx", dx or 1)
    local period = math.max(2 * (n - 1), 1)
    x = ma.mod(x, period)
    if n > 1 then x = ma.where(x:gt(n - 1), period - x, x) end
    local low, sum = ma.floor(x - terms / 2) + 1, nil
    for k = 0, terms - 1 do
      local place = low + k
      local term = cj:take(ma.clip(place, 0, n - 1):astype("int64") + 1) * basis(x - place)
      sum = sum and sum + term or term
    end
    return sum
  end

  local PLACES = " at places newx, for samples dx apart from x0 on; beyond the ends the spline is mirrored."
  --> signal.cspline1d_eval: ma.signal.cspline1d_eval(ma.signal.cspline1d({1, 2, 3, 4}), {1.5})
  def("signal.cspline1d_eval(cj: data, newx: data, dx?: number, x0?: data) -> array",
    "Values of the cubic spline of coefficients cj" .. PLACES,
    function(cj, newx, dx, x0) return evaluate("signal.cspline1d_eval", cj, newx, dx, x0, 4, cubic) end)
  --> signal.qspline1d_eval: ma.signal.qspline1d_eval(ma.signal.qspline1d({1, 2, 3, 4}), {1.5})
  def("signal.qspline1d_eval(cj: data, newx: data, dx?: number, x0?: data) -> array",
    "Values of the quadratic spline of coefficients cj" .. PLACES,
    function(cj, newx, dx, x0) return evaluate("signal.qspline1d_eval", cj, newx, dx, x0, 3, quadratic) end)

  --> signal.gauss_spline({0, 0.5}, 2)
  def("signal.gauss_spline(x: data, n: integer) -> array",
    "The Gaussian that is near the B-spline of degree n.", function(x, n)
    local name = "signal.gauss_spline"
    local square = (common.number(name, "n", n) + 1) / 12
    x = shared.floating(x)
    return ma.exp(x * x * (-0.5 / square)) * (1 / sqrt(2 * pi * square))
  end)

  -- ==== Filters ====================================================================================================

  --- Sums of products with odd taps along the last axis, mirrored at the ends.
  local function mirrored(x, taps)
    local half = floor(taps.size / 2)
    local wide = half > 0 and ma.pad(x, { { 0, 0 }, { half, half } }, { mode = "symmetric" }) or x
    local weights = core.contiguous(ma.flip(taps:astype(x.dtype), 1)):reshape(1, taps.size)
    return core.signal_correlate(core.contiguous(wide), weights)
  end

  local function sepfir2d(name, x, hrow, hcol)
    hrow, hcol = shared.vector(name, "hrow", hrow, x.device), shared.vector(name, "hcol", hcol, x.device)
    for _, taps in ipairs { hrow, hcol } do
      if taps.size % 2 == 0 then fail(name, sformat("%d coefficients; wanted an odd number", taps.size)) end
    end
    return mirrored(mirrored(x, hrow).T, hcol).T:copy()
  end

  --> signal.sepfir2d: ma.signal.sepfir2d(ma.ones({3, 3}), {1, 1, 1}, {1, 1, 1})
  def("signal.sepfir2d(input: data, hrow: data, hcol: data) -> array",
    "A matrix convolved with hrow along its rows and hcol along its columns, "
    .. "both odd, and mirrored at the edges.", function(input, hrow, hcol)
    local name = "signal.sepfir2d"
    return sepfir2d(name, matrix(name, input), hrow, hcol)
  end)

  --> signal.spline_filter: ma.signal.spline_filter(ma.ones({4, 4})).size
  def("signal.spline_filter(Iin: data, lmbda?: data) -> array",
    "A matrix smoothed by a cubic spline, more for a larger lmbda (5).",
    function(input, lmbda)
      local name = "signal.spline_filter"
      local taps = { 1 / 6, 4 / 6, 1 / 6 }
      local c = cspline2d(name, matrix(name, input), lambda_of(name, lmbda or 5))
      return sepfir2d(name, c, taps, taps)
    end)

  -- ==== Wavelets ===================================================================================================

  local FORTH = pi ^ -0.25

  --> signal.morlet: ma.signal.morlet(4).size
  def("signal.morlet(M: integer, w?: number, s?: number, complete?: boolean; device?: string) -> array",
    "Morlet's wavelet at M points of -2 pi s .. 2 pi s, of frequency "
    .. "w; complete takes its mean away.", function(m, w, s, complete, device)
    local name = "signal.morlet"
    common.whole(name, "M", m, 0)
    w, s = common.number(name, "w", w or 5), common.number(name, "s", s or 1)
    local x = ma.linspace(-s * 2 * pi, s * 2 * pi, m, { dtype = "float64", device = device })
    local wave = ma.exp(x * ma.complex(0, w))
    if complete ~= false then wave = wave - math.exp(-0.5 * w * w) end
    return wave * ma.exp(x * x * -0.5) * FORTH
  end)

  --> signal.morlet2: ma.signal.morlet2(4, 1).size
  def("signal.morlet2(M: integer, s: number, w?: number; device?: string) -> array",
    "Morlet's wavelet of width s at M points, for cwt.",
  function(m, s, w, device)
    local name = "signal.morlet2"
    common.whole(name, "M", m, 0)
    w, s = common.number(name, "w", w or 5), common.number(name, "s", s)
    local x = (ma.arange(0, m, 1, { dtype = "float64", device = device }) - (m - 1) / 2) / s
    return ma.exp(x * ma.complex(0, w)) * ma.exp(x * x * -0.5) * (FORTH * sqrt(1 / s))
  end)

  --> signal.ricker(5, 1)
  def("signal.ricker(points: integer, a: number; device?: string) -> array",
    "The Mexican hat of width a.", function(points, a, device)
    local name = "signal.ricker"
    common.whole(name, "points", points, 0)
    common.number(name, "a", a)
    local x = ma.arange(0, points, 1, { dtype = "float64", device = device }) - (points - 1) / 2
    local square = x * x
    return (1 - square / (a * a)) * ma.exp(square * (-0.5 / (a * a))) * (2 / sqrt(3 * a) * FORTH)
  end)

  --> signal.cwt: ma.signal.cwt(ma.ones(8), ma.signal.ricker, {1, 2}).shape[1]
  def("signal.cwt(data: data, wavelet: function, widths: data) -> array",
    "The continuous wavelet transform: a row for each width, data convolved "
    .. "with what wavelet(points, width) gives.", function(data, wavelet, widths)
    local name = "signal.cwt"
    data = vector(name, data)
    common.callable(name, "wavelet", wavelet)
    local rows = {}
    for k, width in ipairs(host.coefficients(name, "widths", widths)) do
      width = floor(width)
      if width < 1 then fail(name, sformat("a width of %g; wanted at least 1", width)) end
      local w = core.asarray(wavelet(math.min(10 * width, data.size), width), { device = data.device })
      if shared.is_complex(w) then w = ma.conj(w) end
      rows[k] = ma.signal.convolve(data, ma.flip(w, 1), "same")
    end
    return ma.stack(rows)
  end)
end
