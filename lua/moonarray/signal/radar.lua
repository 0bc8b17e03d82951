--- The functions of cupyx.signal beside those of scipy.signal: pulses, detection, beams, cepstra, channels, shifts of
--- frequency.

local tostring = require("moonarray.text").tostring
local sformat, floor, pi = require("moonarray.text").format, math.floor, math.pi

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local function matrix(name, what, x)
    x = shared.floating(x)
    if x.ndim ~= 2 or x.size == 0 then
      fail(name, sformat("%s is %s; wanted a matrix with elements", what, core.describe(x)))
    end
    return x
  end

  --- A window for a spectrum, which is of complex numbers. The product of a window and a signal is complex only if the
  --- signal is.
  local function window_of(name, window, n, x)
    return shared.window_values(name, window, n, x.device, shared.real_dtype(x))
  end

  -- ==== Radar ======================================================================================================

  --> signal.pulse_compression: ma.signal.pulse_compression(ma.ones({2, 4}), {1, 1}).shape[1]
  def("signal.pulse_compression(x: data, template: data, normalize?: boolean, window?: string|table|number|array, "
    .. "nfft?: integer) -> array", "Each row of x, a pulse, correlated with a "
    .. "template by transforms of nfft elements: x's columns unless it is given. A window weighs the template, and "
    .. "normalize divides it by its norm.",
    function(x, template, normalize, window, nfft)
      local name = "signal.pulse_compression"
      x = matrix(name, "x", x)
      template = shared.floating(shared.vector(name, "template", template, x.device))
      if nfft then common.whole(name, "nfft", nfft, 1) end
      if window ~= nil then template = template * window_of(name, window, template.size, template) end
      if normalize then template = template / ma.linalg.norm(template) end
      nfft = nfft or x.shape[2]
      return ma.fft.ifft(ma.fft.fft(x, nfft, 2) * ma.conj(ma.fft.fft(template, nfft)), nfft, 2)
    end)

  --> signal.pulse_doppler: ma.signal.pulse_doppler(ma.ones({2, 4})).shape[1]
  def("signal.pulse_doppler(x: data, window?: string|table|number|array, nfft?: integer) -> array",
    "The transform of x's columns over its rows, the pulses, of nfft elements; a window weighs the pulses.",
    function(x, window, nfft)
      local name = "signal.pulse_doppler"
      x = matrix(name, "x", x)
      if nfft then common.whole(name, "nfft", nfft, 1) end
      if window ~= nil then x = x * ma.expand_dims(window_of(name, window, x.shape[1], x), 2) end
      return ma.fft.fft(x, nfft or x.shape[1], 1)
    end)

  local function alpha_of(name, pfa, n)
    common.number(name, "pfa", pfa)
    if not (pfa > 0 and pfa <= 1) then fail(name, sformat("pfa is %s; wanted a probability above 0", tostring(pfa))) end
    return n * (pfa ^ (-1 / n) - 1)
  end

  --> signal.cfar_alpha(1e-3, 8)
  def("signal.cfar_alpha(pfa: number, N: integer) -> number",
    "The factor by which a threshold stands above the mean of N cells of noise for a rate pfa of false alarms.",
    function(pfa, n) return alpha_of("signal.cfar_alpha", pfa, common.whole("signal.cfar_alpha", "N", n, 1)) end)

  --- Sums over windows of 2 reach + 1 elements along an axis, from running sums, where all of a window is inside.
  local function window_sums(running, axis, from, to, reach)
    local function at(shift) return shared.along(running, axis, from + shift + 1, to + shift + 1) end
    return at(reach) - at(-reach - 1)
  end

  local function pair(name, what, value, ndim)
    if ndim == 1 and type(value) == "number" then value = { value } end
    if type(value) ~= "table" or #value ~= ndim then
      fail(name, sformat("%s is %s; wanted %s", what, core.describe(value), ndim == 1 and "a number" or "two numbers"))
    end
    for _, v in ipairs(value) do common.whole(name, what, v, 0) end
    return value
  end

  --> signal.ca_cfar: (ma.signal.ca_cfar(ma.arange(20) / 1, 1, 3)).size
  def("signal.ca_cfar(array: array, guard_cells: integer, reference_cells: integer, pfa?: number) -> array, array",
    "Detection at a constant rate pfa (0.001) of false "
    .. "alarms: thresholds from the mean of the reference cells around each cell, without the guard cells beside it, "
    .. "and whether the cell is above its own. Cells whose surroundings are not all inside have threshold 0. For a "
    .. "matrix, cells are pairs of numbers.",
    function(array, guard_cells, reference_cells, pfa)
      local name = "signal.ca_cfar"
      local a = shared.real(name, shared.signal(name, "array", array))
      if a.ndim > 2 then fail(name, sformat("%d axes; wanted one or two", a.ndim)) end
      local guard = pair(name, "guard_cells", guard_cells, a.ndim)
      local reference = pair(name, "reference_cells", reference_cells, a.ndim)
      local all, inner, cells, held, running = {}, {}, 1, 1, a:astype("float64", { copy = false })
      for axis = 1, a.ndim do
        inner[axis], all[axis] = guard[axis], guard[axis] + reference[axis]
        cells, held = cells * (2 * all[axis] + 1), held * (2 * inner[axis] + 1)
        if a.shape[axis] <= 2 * all[axis] then
          fail(name, sformat("%d cells along axis %d; wanted more than %d", a.shape[axis], axis, 2 * all[axis]))
        end
        running = ma.concatenate({ shared.zeros_along(running, axis, 1), ma.cumsum(running, axis) }, axis)
      end
      if cells == held then fail(name, "no reference cells; wanted at least one") end
      local around, beside, place = running, running, {}
      for axis = 1, a.ndim do
        local from, to = all[axis] + 1, a.shape[axis] - all[axis]
        around = window_sums(around, axis, from, to, all[axis])
        beside = window_sums(beside, axis, from, to, inner[axis])
        place[axis] = { from, to }
      end
      local n = cells - held
      local threshold = ma.zeros(a.shape, { dtype = a.dtype, device = a.device })
      threshold[place] = (around - beside) * (alpha_of(name, pfa or 1e-3, n) / n)
      return threshold, a:gt(threshold)
    end)

  --> signal.mvdr: ma.signal.mvdr({{1, 0, 2}, {0, 1, 1}}, {1, 1}).size
  def("signal.mvdr(x: data, sv: data, calc_cov?: boolean) -> array",
    "The weights of sensors for a beam of least variance towards the steering "
    .. "vector sv, for x with a row of samples for each sensor; with calc_cov = false x is their covariance.",
    function(x, sv, calc_cov)
      local name = "signal.mvdr"
      x = matrix(name, "x", x)
      sv = shared.floating(sv, x.device)
      if x.shape[1] > x.shape[2] then
        fail(name, sformat("%d sensors and %d samples; wanted at least as many samples", x.shape[1], x.shape[2]))
      end
      if sv.ndim < 1 or sv.ndim > 2 or sv.shape[1] ~= x.shape[1] then
        fail(name, sformat("sv is %s for %d sensors; wanted one row for each", core.describe(sv), x.shape[1]))
      end
      local covariance = calc_cov == false and x or ma.cov(x)
      local weights = ma.matmul(ma.linalg.inv(covariance), sv)
      return weights / ma.matmul(ma.conj(sv).T, weights)
    end)

  -- ==== Cepstra ====================================================================================================

  --> signal.real_cepstrum({1, 2, 3, 1})
  def("signal.real_cepstrum(x: data, n?: integer, axis?: integer|integer[]) -> array",
    "The inverse transform of the logarithm of the spectrum's magnitude.",
    function(x, n, axis)
      local name = "signal.real_cepstrum"
      x, axis = shared.lines(name, x, axis)
      return ma.real(ma.fft.ifft(ma.log(ma.abs(ma.fft.fft(x, n, axis))), n, axis)):copy()
    end)

  local function ramp(n, device, dtype)
    local center = floor((n + 1) / 2)
    if n == 1 then center = 0 end
    return ma.arange(n, { dtype = dtype, device = device }) * (pi / center), center
  end

  local real_dtype = shared.real_dtype

  --> signal.complex_cepstrum: (ma.signal.complex_cepstrum({1, 2, 3, 1})).size
  def("signal.complex_cepstrum(x: data, n?: integer, axis?: integer|integer[]) -> array, array",
    "The inverse transform of the logarithm of the spectrum, whose phase is "
    .. "unwrapped along the last axis and freed of a delay, and the number of samples of that delay.",
    function(x, n, axis)
      local name = "signal.complex_cepstrum"
      x, axis = shared.lines(name, x, axis)
      local spectrum = ma.fft.fft(x, n, axis)
      local size = spectrum.shape[spectrum.ndim]
      if size < 2 then fail(name, "one element along the last axis; wanted at least two") end
      local phase = ma.unwrap(ma.angle(spectrum))
      local slope, center = ramp(size, x.device, real_dtype(spectrum))
      local delay = ma.rint(shared.along(phase, phase.ndim, center + 1, center + 1) / pi)
      phase = phase - delay * slope
      local cepstrum = ma.real(ma.fft.ifft(ma.log(ma.abs(spectrum)) + phase * ma.complex(0, 1)))
      local shape = delay.shape
      shape[#shape] = nil
      return cepstrum:copy(), delay:reshape(shape)
    end)

  --> signal.inverse_complex_cepstrum: ma.signal.inverse_complex_cepstrum({0, 0.5, 0, 0}, 0).size
  def("signal.inverse_complex_cepstrum(ceps: data, ndelay: integer) -> array",
    "The signal of a complex cepstrum and its delay.",
    function(ceps, delay)
      local name = "signal.inverse_complex_cepstrum"
      ceps = shared.signal(name, "ceps", ceps)
      local spectrum = ma.fft.fft(ceps)
      if type(delay) ~= "number" then
        delay = ma.expand_dims(core.asarray(delay, { device = ceps.device }):astype(real_dtype(ceps)), -1)
      end
      local phase = ma.imag(spectrum) + delay * ramp(ceps.shape[ceps.ndim], ceps.device, real_dtype(ceps))
      return ma.real(ma.fft.ifft(ma.exp(ma.real(spectrum) + phase * ma.complex(0, 1)))):copy()
    end)

  --- The signal of the same magnitudes whose delays are least, by the cepstrum over n points.
  local function least_phase(x, n)
    local cepstrum = ma.signal.real_cepstrum(x, n)
    local place = ma.arange(n, { dtype = "int64", device = x.device })
    local half = n / 2
    local weight = ma.where(place:eq(0) + place:eq(half), 1, ma.where(place:lt(half), 2, 0)):astype(real_dtype(x))
    return ma.real(ma.fft.ifft(ma.exp(ma.fft.fft(cepstrum * weight)))):copy()
  end

  --- scipy.signal.minimum_phase: a filter from a symmetric one.
  local function filter_of(name, h, method, n_fft, half)
    h = shared.floating(shared.vector(name, "h", h))
    if shared.is_complex(h) or h.size <= 2 then
      fail(name, sformat("h is %s; wanted more than two real coefficients", core.describe(h)))
    end
    shared.choice(name, "method", method, "homomorphic", "hilbert")
    if half == false and method == "hilbert" then fail(name, "half = false with 'hilbert'; wanted 'homomorphic'") end
    if n_fft == nil then n_fft = 2 ^ math.ceil(math.log(2 * (h.size - 1) / 0.01) / math.log(2) - 1e-12) end
    if common.whole(name, "n_fft", n_fft, 1) < h.size then
      fail(name, sformat("n_fft is %d; wanted at least %d", n_fft, h.size))
    end
    local n, kept = h.size, half == false and h.size or floor(h.size / 2) + h.size % 2
    local middle = floor(n_fft / 2)
    if method == "hilbert" then
      local place = ma.arange(n_fft, { dtype = "int64", device = h.device })
      local turn = ma.exp(place:astype("float64") * ma.complex(0, 2 * pi / n_fft * floor(n / 2)))
      local response = ma.real(ma.fft.fft(h, n_fft) * turn)
      local above, below = response:max() - 1, 0 - response:min()
      local scale = 4 / (ma.sqrt(above + 1 + below) + ma.sqrt(1 - above + below)) ^ 2
      local magnitude = ma.sqrt(ma.maximum(response + below, 0) * scale) + 1e-10
      local sign = ma.where(place:eq(0) + place:eq(middle), 0, ma.where(place:lt(middle), 1, -1))
      local phase = ma.fft.fft(ma.fft.ifft(ma.log(magnitude)) * sign)
      return ma.real(ma.fft.ifft(magnitude * ma.exp(phase)))[{ { 1, kept } }]:copy()
    end
    -- Logarithms of magnitudes are even. So half of the terms determine the real numbers behind each transform.
    local log = ma.abs(ma.fft.rfft(h, n_fft)):eval()
    local least = ma.where(log:gt(0), log, ma.inf):min()
    log = ma.log(log + least * 1e-7)
    if half ~= false then log = log * 0.5 end
    local causal = ma.zeros(n_fft, { dtype = log.dtype, device = h.device })
    local cepstrum = ma.fft.irfft(log, n_fft)
    causal[{ { 1, 1 } }] = cepstrum[{ { 1, 1 } }]
    if middle > 1 then causal[{ { 2, middle } }] = cepstrum[{ { 2, middle } }] * 2 end
    if n_fft % 2 == 1 and middle > 0 then
      causal[{ { middle + 1, middle + 1 } }] = cepstrum[{ { middle + 1, middle + 1 } }]
    end
    return ma.fft.irfft(ma.exp(ma.fft.rfft(causal)), n_fft)[{ { 1, kept } }]:copy()
  end

  --# signal_design
  --> signal.minimum_phase: ma.signal.minimum_phase(ma.signal.firwin(9, 0.5)).size
  def("signal.minimum_phase(h: data, method?: string, n_fft?: integer; half?: boolean) -> array",
    "A filter of minimum phase from one of linear phase h, of "
    .. "half its length: the square root of its magnitudes, or with half = false the same magnitudes and length; "
    .. "method 'homomorphic' or 'hilbert'. With a number of points as method: the signal of minimum phase "
    .. "with the magnitudes of h over so many points, which is cupyx.signal.minimum_phase(h, n).",
    function(h, method, n_fft, half)
      local name = "signal.minimum_phase"
      if type(method) == "number" then
        return least_phase(shared.floating(shared.vector(name, "h", h)), common.whole(name, "the number of points",
          method, 1))
      end
      return filter_of(name, h, method or "homomorphic", n_fft, half)
    end)

  -- ==== Frequencies ================================================================================================

  --# -
  --> signal.freq_shift: ma.signal.freq_shift({1, 1}, 1, 4).real:round(6)
  def("signal.freq_shift(x: data, freq: data, fs: number) -> array",
    "x times exp(-2 pi i freq k / fs) for its samples k = 0, 1 ... along the last axis, at fs samples a second.",
    function(x, freq, fs)
      local name = "signal.freq_shift"
      x = shared.signal(name, "x", x)
      common.number(name, "freq", freq)
      common.number(name, "fs", fs)
      local k = ma.arange(x.shape[x.ndim], { dtype = "float64", device = x.device })
      return x * ma.exp(k * ma.complex(0, -2 * pi * freq / fs))
    end)

  --> signal.channelize_poly: ma.signal.channelize_poly(ma.ones(16), ma.ones(8), 4).shape[1]
  def("signal.channelize_poly(x: data, h: data, n_chans: integer) -> array",
    "The signal x as n_chans channels of neighbouring frequencies, a row each, by the polyphase parts of a filter h.",
    function(x, h, n)
      local name = "signal.channelize_poly"
      x = shared.floating(shared.vector(name, "x", x))
      h = shared.vector(name, "h", h, x.device)
      common.whole(name, "n_chans", n, 1)
      if h.size % n ~= 0 or h.size == 0 then
        fail(name, sformat("%d coefficients for %d channels; wanted as many for each", h.size, n))
      end
      if x.size < n then fail(name, sformat("%d samples for %d channels; wanted at least one each", x.size, n)) end
      local taps, count = h.size / n, floor(x.size / n)
      local dtype = ma.promote_types(x.dtype, shared.wide_dtype(h.dtype))
      local rows = ma.conj(ma.flip(x[{ { 1, count * n } }]:astype(dtype):reshape(count, n), 2))
      local weights = ma.conj(h:astype(dtype):reshape(taps, n))
      local sum
      for t = 1, math.min(taps, count) do
        local part = shared.along(rows, 1, 1, count - t + 1) * shared.along(weights, 1, t, t)
        if sum then shared.along(sum, 1, t, count):iadd(part) else sum = part:copy() end
      end
      return ma.conj(ma.fft.fft(sum, nil, 2)).T:copy()
    end)
end
