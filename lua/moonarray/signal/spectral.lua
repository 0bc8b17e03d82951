--- Spectra: periodograms, short-time transforms and their inverse, coherence, Lomb's and Scargle's periodogram.

local sformat, floor, pi, min, max = require("moonarray.text").format, math.floor, math.pi, math.min, math.max

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local host = shared.host
  local along = shared.along

  local is_list = shared.is_values

  local function check_nfft(name, nfft, nperseg)
    if common.whole(name, "nfft", nfft, 1) < nperseg then
      fail(name, sformat("nfft is %d; wanted at least nperseg, %d", nfft, nperseg))
    end
    return nfft
  end

  --- The distance of segments that overlap.
  local function step_of(name, nperseg, noverlap)
    if common.whole(name, "noverlap", noverlap, 0) >= nperseg then
      fail(name, sformat("noverlap is %d; wanted less than nperseg, %d", noverlap, nperseg))
    end
    return nperseg - noverlap
  end

  --- The values of a window and the length of a segment, for a signal of n elements.
  local function segments_of(name, window, nperseg, n, device)
    if is_list(window) then
      local w = shared.floating(shared.vector(name, "window", window, device))
      if nperseg ~= nil and nperseg ~= w.size then
        fail(name, sformat("nperseg is %s for a window of %d elements; wanted the same", common.shown(nperseg), w.size))
      end
      if w.size > n then fail(name, sformat("a window of %d elements for %d; wanted at most as many", w.size, n)) end
      return w, w.size
    end
    nperseg = common.whole(name, "nperseg", nperseg or 256, 1)
    if nperseg > n then nperseg = n end
    return shared.window(name, window, nperseg, true, device), nperseg
  end

  -- ==== Detrending =================================================================================================

  --- Without the line of best fit along the last axis, from `first` to `last`.
  local function without_line(x)
    local n = x.shape[x.ndim]
    local dtype = shared.is_complex(x) and (x.dtype == "complex64" and "float32" or "float64") or x.dtype
    local t = ma.arange(n, { dtype = dtype, device = x.device }) - (n - 1) / 2
    local square = n * (n * n - 1) / 12
    local mean = ma.mean(x, -1, { keepdims = true })
    if n < 2 then return x - mean end
    local slope = ma.sum(x * t, -1, { keepdims = true }) / square
    return x - mean - slope * t
  end

  local function detrend(name, x, axis, kind, breaks)
    shared.choice(name, "type", kind, "linear", "l", "constant", "c")
    if x.size == 0 then return x:copy() end
    if kind:sub(1, 1) == "c" then return x - ma.mean(x, axis, { keepdims = true }) end
    local n = x.shape[axis]
    local places, seen = {}, {}
    for _, b in ipairs(host.concat(breaks, { 0, n })) do
      common.whole(name, "bp", b, 0)
      if b > n then fail(name, sformat("bp is %d; wanted at most %d", b, n)) end
      if not seen[b] then places[#places + 1] = b end
      seen[b] = true
    end
    table.sort(places)
    local moved, pieces = x:moveaxis(axis, -1), {}
    for k = 1, #places - 1 do
      pieces[k] = without_line(along(moved, moved.ndim, places[k] + 1, places[k + 1]))
    end
    return (#pieces == 1 and pieces[1] or ma.concatenate(pieces, moved.ndim)):moveaxis(-1, axis)
  end

  --> signal.detrend({1, 2, 4, 4})
  def("signal.detrend(data: data, axis?: integer|integer[], type?: string, bp?: integer|integer[]) -> array",
    "Without the line of best fit along an axis, or with type 'constant' "
    .. "the mean. bp: numbers of elements in front of places at which a new line begins.",
    function(data, axis, kind, bp)
      local name = "signal.detrend"
      local x = shared.signal(name, "data", data)
      return detrend(name, x, common.axis(name, axis or -1, x.ndim), kind or "linear",
        bp ~= nil and host.list(name, "bp", bp) or {})
    end)

  local function detrender(name, kind)
    if kind == nil then kind = "constant" end
    if kind == false then return function(x) return x end end
    if type(kind) == "function" then return kind end
    shared.choice(name, "detrend", kind, "linear", "l", "constant", "c")
    return function(x) return detrend(name, x, x.ndim, kind, {}) end
  end

  -- ==== Segments ===================================================================================================

  --- Spectra of segments along the last axis: a row of nfft terms, or half of them, for each.
  local function spectra(x, window, nperseg, step, nfft, trend, sides)
    local pieces = ma.lib.stride_tricks.sliding_window_view(x, nperseg, x.ndim)
    pieces = along(pieces, pieces.ndim - 1, 1, pieces.shape[pieces.ndim - 1])
    if step > 1 then pieces = shared.every(pieces, pieces.ndim - 1, step) end
    pieces = trend(pieces) * window
    return (sides == "onesided" and ma.fft.rfft or ma.fft.fft)(pieces, nfft, -1)
  end

  --- Frequencies, times and spectra of segments, [..., frequency, ..., time]. options as scipy.signal's.
  local function helper(name, x, y, axis, o)
    local same = y == nil or y == x
    local device = shared.device_of(x, y)
    x, axis = shared.lines(name, x, axis, device)
    if not same then
      y = shared.signal(name, "y", y, device)
      x, y = common.alike(x, y)
    end
    local fs = common.number(name, "fs", o.fs or 1)
    x = x:moveaxis(axis, -1)
    if not same then
      y = y:moveaxis(common.axis(name, axis, y.ndim), -1)
      local n, m = x.shape[x.ndim], y.shape[y.ndim]
      if n < m then x = shared.window_along(x, x.ndim, 1, m) elseif m < n then
        y = shared.window_along(y, y.ndim, 1, n)
      end
    end
    local n = x.shape[x.ndim]
    if n == 0 then fail(name, "no elements along the axis; wanted at least one") end
    local window, nperseg = segments_of(name, o.window or "hann", o.nperseg, n, x.device)
    window = window:astype(shared.real_dtype(x), { copy = false })
    local nfft = check_nfft(name, o.nfft or nperseg, nperseg)
    local step = step_of(name, nperseg, o.noverlap or floor(nperseg / 2))
    if o.boundary and o.boundary ~= "none" then
      local kinds = { zeros = "constant", even = "reflect", odd = "reflect", constant = "edge" }
      if not kinds[o.boundary] then
        fail(name, sformat("boundary is %s; wanted 'zeros', 'even', 'odd', 'constant' or 'none'",
          core.describe(o.boundary)))
      end
      local half = floor(nperseg / 2)
      local pad = { mode = kinds[o.boundary], reflect_type = o.boundary == "odd" and "odd" or nil }
      x = shared.pad_along(x, x.ndim, half, half, pad)
      if not same then y = shared.pad_along(y, y.ndim, half, half, pad) end
    end
    if o.padded then
      local have = x.shape[x.ndim]
      local more = (-(have - nperseg)) % step % nperseg
      if more > 0 then
        x = shared.window_along(x, x.ndim, 1, have + more)
        if not same then y = shared.window_along(y, y.ndim, 1, have + more) end
      end
    end
    local sides = o.return_onesided == false and "twosided" or "onesided"
    if shared.is_complex(x) then sides = "twosided" end
    local trend = detrender(name, o.detrend)
    local result = spectra(x, window, nperseg, step, nfft, trend, sides)
    local scaling, scale = o.scaling or "density"
    shared.choice(name, "scaling", scaling, "density", "spectrum", "psd")
    local wide = window:astype("float64", { copy = false })
    if scaling == "spectrum" then scale = 1 / wide:sum() ^ 2
    else scale = 1 / ((wide * wide):sum() * fs) end
    if o.mode == "stft" then
      result = result * ma.sqrt(scale):astype(window.dtype)
    else
      scale = scale:astype(window.dtype)
      if same then
        result = (ma.real(result) ^ 2 + ma.imag(result) ^ 2) * scale
      else
        result = ma.conj(result) * spectra(y, window, nperseg, step, nfft, trend, sides) * scale
      end
      if sides == "onesided" then
        local last = result.shape[result.ndim] - (nfft % 2 == 0 and 1 or 0)
        if last >= 2 then along(result, result.ndim, 2, last):imul(2) end
      end
    end
    local f = sides == "onesided" and ma.fft.rfftfreq(nfft, 1 / fs, { device = x.device }) or
      ma.fft.fftfreq(nfft, 1 / fs, { device = x.device })
    local count = result.shape[result.ndim - 1]
    local t = (ma.arange(count, { dtype = "float64", device = x.device }) * step + nperseg / 2) / fs
    if o.boundary and o.boundary ~= "none" then t = t - nperseg / 2 / fs end
    return f, t, result:moveaxis(-1, axis)
  end

  local bias_of = function(n)
    local sum = 1
    for k = 1, floor((n - 1) / 2) do sum = sum + 1 / (2 * k + 1) - 1 / (2 * k) end
    return sum
  end

  local function averaged(name, x, y, axis, o)
    local f, _, p = helper(name, x, y, axis, o)
    local kind = shared.choice(name, "average", o.average or "mean", "mean", "median")
    local n = p.shape[p.ndim]
    if n == 1 then
      local shape = p.shape
      shape[#shape] = nil
      return f, core.contiguous(p):reshape(shape)
    end
    if kind == "mean" then return f, p:mean(-1) end
    if shared.is_complex(p) then
      return f, (ma.median(ma.real(p), -1) + ma.median(ma.imag(p), -1) * ma.complex(0, 1)) / bias_of(n)
    end
    return f, ma.median(p, -1) / bias_of(n)
  end

  local OPTIONS = "fs?: number, window?: string|table|number|array, nperseg?: integer, noverlap?: integer, "
    .. "nfft?: integer, detrend?: string|false, return_onesided?: boolean, scaling?: string, "
    .. "axis?: integer|integer[], average?: string"
  local NAMES = "fs window nperseg noverlap nfft detrend return_onesided scaling axis average"
  local ABOUT = " From overlapping segments of nperseg (256) elements that are detrended ('constant', 'linear' or "
    .. "false) and weighed by a window ('hann'). scaling 'density' or 'spectrum'; average 'mean' or 'median'."

  --> signal.csd: (ma.signal.csd(ma.arange(16) % 3, ma.arange(16) % 5, {nperseg = 8}))
  def(sformat("signal.csd(x: data, y: data, %s) -> array, array",
    OPTIONS), "Frequencies and the cross power spectral density of two signals." ..
    ABOUT, shared.by_name("x y " .. NAMES, function(o) return averaged("signal.csd", o.x, o.y, o.axis, o) end))
  --> signal.welch: (ma.signal.welch(ma.arange(16) % 3, {nperseg = 8}))
  def(sformat("signal.welch(x: data, %s) -> array, array",
    OPTIONS), "Frequencies and the power spectral density by Welch's method." .. ABOUT,
    shared.by_name("x " .. NAMES, function(o) return averaged("signal.welch", o.x, nil, o.axis, o) end))

  --> signal.periodogram({1, 2, 1, 0})
  def("signal.periodogram(x: data, fs?: number, window?: string|table|number|array, nfft?: integer, "
    .. "detrend?: string|false, return_onesided?: boolean, scaling?: string, axis?: integer|integer[]) -> array, array",
    "Frequencies and the power spectral density from one transform of the whole signal, cut or filled with zeros to "
      .. "nfft elements.",
    function(x, fs, window, nfft, trend, onesided, scaling, axis)
      local name = "signal.periodogram"
      x, axis = shared.lines(name, x, axis)
      local n = x.shape[axis]
      if n == 0 then fail(name, "no elements along the axis; wanted at least one") end
      local nperseg = n
      if nfft ~= nil and common.whole(name, "nfft", nfft, 1) < n then
        x = along(x, axis, 1, nfft)
        nperseg = nfft
      end
      if is_list(window) then nperseg = nil end
      return averaged(name, x, nil, axis, { fs = fs, window = window or "boxcar", nperseg = nperseg, noverlap = 0,
        nfft = nfft, detrend = trend, return_onesided = onesided, scaling = scaling })
    end)

  --> signal.coherence: (ma.signal.coherence(ma.arange(16) % 3, ma.arange(16) % 5, {nperseg = 8}))
  def("signal.coherence(x: data, y: data, fs?: number, window?: string|table|number|array, nperseg?: integer, "
    .. "noverlap?: integer, nfft?: integer, detrend?: string|false, axis?: integer|integer[]) -> array, array",
    "Frequencies and how much of two signals' power belongs together there, from 0 to 1.",
    shared.by_name("x y fs window nperseg noverlap nfft detrend axis", function(o)
      local name = "signal.coherence"
      local f, pxx = averaged(name, o.x, nil, o.axis, o)
      local _, pyy = averaged(name, o.y, nil, o.axis, o)
      local _, pxy = averaged(name, o.x, o.y, o.axis, o)
      return f, ma.abs(pxy) ^ 2 / pxx / pyy
    end))

  --> signal.spectrogram: (ma.signal.spectrogram(ma.arange(16) % 3, {nperseg = 8}))
  def("signal.spectrogram(x: data, fs?: number, window?: string|table|number|array, nperseg?: integer, "
    .. "noverlap?: integer, nfft?: integer, detrend?: string|false, return_onesided?: boolean, scaling?: string, "
    .. "axis?: integer|integer[], "
    .. "mode?: string) -> array, array, array",
      "Frequencies, times and spectra of segments: mode 'psd', 'complex', 'magnitude', 'angle' or 'phase'.",
    shared.by_name("x fs window nperseg noverlap nfft detrend return_onesided scaling axis mode", function(o)
      local name = "signal.spectrogram"
      local mode = shared.choice(name, "mode", o.mode or "psd", "psd", "complex", "magnitude", "angle", "phase")
      local x = shared.signal(name, "x", o.x)
      local own = common.axis(name, o.axis or -1, x.ndim)
      local length
      o.window, length = segments_of(name, o.window or { "tukey", 0.25 }, o.nperseg, x.shape[own], x.device)
      o.nperseg, o.noverlap, o.mode = nil, o.noverlap or floor(length / 8), mode ~= "psd" and "stft" or nil
      local f, t, s = helper(name, x, nil, own, o)
      if mode == "magnitude" then s = ma.abs(s)
      elseif mode == "angle" then s = ma.angle(s)
      elseif mode == "phase" then s = ma.unwrap(ma.angle(s), { axis = own }) end
      return f, t, s
    end))

  --> signal.stft: select(3, ma.signal.stft(ma.arange(16) % 3, {nperseg = 8})).shape[2]
  def("signal.stft(x: data, fs?: number, window?: string|table|number|array, nperseg?: integer, noverlap?: integer, "
    .. "nfft?: integer, detrend?: string|false, return_onesided?: boolean, boundary?: string, padded?: boolean, "
    .. "axis?: integer|integer[], scaling?: string) -> array, array, array",
      "Frequencies, times and the spectra of overlapping segments, [..., frequency, ..., time]. boundary "
    .. "'zeros', 'even', 'odd', 'constant' or 'none' extends the signal by half a segment on both sides; padded: to "
    .. "whole segments.",
    shared.by_name("x fs window nperseg noverlap nfft detrend return_onesided boundary padded axis scaling", function(o)
      if o.detrend == nil then o.detrend = false end
      if o.boundary == nil then o.boundary = "zeros" end
      o.padded, o.scaling, o.mode = o.padded ~= false, o.scaling or "spectrum", "stft"
      return helper("signal.stft", o.x, nil, o.axis, o)
    end))

  --- Rows of segments added up, each `step` behind the one before it: [..., segment, element].
  local function overlap_add(pieces, step)
    local count, length = pieces.shape[pieces.ndim - 1], pieces.shape[pieces.ndim]
    local shape = pieces.shape
    shape[#shape] = nil
    local blocks = math.ceil(length / step)
    shape[#shape] = count + blocks - 1
    shape[#shape + 1] = step
    local sum = ma.zeros(shape, { dtype = pieces.dtype, device = pieces.device })
    for k = 1, blocks do
      local part = along(pieces, pieces.ndim, (k - 1) * step + 1, min(k * step, length))
      local target = along(along(sum, sum.ndim - 1, k, k + count - 1), sum.ndim, 1, part.shape[part.ndim])
      target:iadd(part)
    end
    local size = sum.shape[sum.ndim - 1] * step
    shape[#shape] = nil
    shape[#shape] = size
    return along(sum:reshape(shape), #shape, 1, (count - 1) * step + length)
  end

  --> signal.istft: local _, _, z = ma.signal.stft(ma.arange(16) % 3, {nperseg = 8})
  -->   local _, x = ma.signal.istft(z, {nperseg = 8})
  -->   return x["1:4"]:round(6) + 0
  def("signal.istft(Zxx: data, fs?: number, window?: string|table|number|array, nperseg?: integer, "
    .. "noverlap?: integer, nfft?: integer, input_onesided?: boolean, boundary?: boolean, time_axis?: integer, "
    .. "freq_axis?: integer, scaling?: string) -> array, array",
    "Times and the signal of spectra that stft made with the same window and overlap.",
    function(z, fs, window, nperseg, noverlap, nfft, onesided, boundary, time_axis, freq_axis, scaling)
      local name = "signal.istft"
      z = shared.signal(name, "Zxx", z)
      if z.ndim < 2 then fail(name, "one axis; wanted frequencies and times") end
      time_axis, freq_axis = common.axis(name, time_axis or -1, z.ndim), common.axis(name, freq_axis or -2, z.ndim)
      if time_axis == freq_axis then fail(name, "time_axis is freq_axis; wanted two axes") end
      fs = common.number(name, "fs", fs or 1)
      onesided = onesided ~= false
      local terms = z.shape[freq_axis]
      local full = onesided and 2 * (terms - 1) or terms
      nperseg = common.whole(name, "nperseg", nperseg or (is_list(window) and #host.list(name, "window", window)) or
        full, 1)
      nfft = nfft or (onesided and nperseg == full + 1 and nperseg or full)
      check_nfft(name, nfft, nperseg)
      local step = step_of(name, nperseg, noverlap or floor(nperseg / 2))
      local win = segments_of(name, window or "hann", nperseg, nperseg, z.device)
      win = win:astype(shared.real_dtype(z), { copy = false })
      z = z:moveaxis({ time_axis, freq_axis }, { -2, -1 })
      local pieces
      if onesided then pieces = ma.fft.irfft(z, nfft, -1) else pieces = ma.fft.ifft(z, nfft, -1) end
      pieces = along(pieces, pieces.ndim, 1, nperseg)
      scaling = shared.choice(name, "scaling", scaling or "spectrum", "spectrum", "psd")
      local factor = scaling == "spectrum" and win:sum() or ma.sqrt((win * win):sum() * fs)
      local count = pieces.shape[pieces.ndim - 1]
      local x = overlap_add(pieces * (win * factor), step)
      local norm = overlap_add((win * win):broadcast_to({ count, nperseg }), step)
      if boundary ~= false and boundary ~= "none" then
        local half = floor(nperseg / 2)
        x = along(x, x.ndim, half + 1, x.shape[x.ndim] - half)
        norm = along(norm, 1, half + 1, norm.size - half)
      end
      x = x / ma.where(norm:gt(1e-10), norm, 1)
      local n = x.shape[x.ndim]
      if x.ndim > 1 then
        -- the time stands where the first of both axes was
        local place = time_axis - (freq_axis < time_axis and 1 or 0)
        x = x:moveaxis(-1, place)
      end
      return ma.arange(n, { dtype = "float64", device = x.device }) / fs, x
    end)

  -- ==== Checks of windows ==========================================================================================

  local function overlaps(name, window, nperseg, noverlap)
    common.whole(name, "nperseg", nperseg, 1)
    local step = step_of(name, nperseg, noverlap)
    local w = is_list(window) and host.list(name, "window", window) or
      host.list(name, "window", shared.window(name, window, nperseg, true, "cpu"))
    if #w ~= nperseg then fail(name, sformat("a window of %d elements; wanted %d", #w, nperseg)) end
    return w, step, {}
  end

  --> signal.check_COLA("hann", 8, 4)
  def("signal.check_COLA(window: string|table|number|array, nperseg: integer, noverlap: integer, "
    .. "tol?: number) -> boolean",
    "Whether a window adds up to a constant with its overlaps.", function(window, nperseg, noverlap, tol)
      local w, step, sums = overlaps("signal.check_COLA", window, nperseg, noverlap)
      for k = 1, #w do sums[(k - 1) % step + 1] = (sums[(k - 1) % step + 1] or 0) + w[k] end
      table.sort(sums)
      local n = #sums
      local middle = (sums[floor((n + 1) / 2)] + sums[floor(n / 2) + 1]) / 2
      return max(middle - sums[1], sums[n] - middle) < (tol or 1e-10)
    end)
  --> signal.check_NOLA("hann", 8, 4)
  def("signal.check_NOLA(window: string|table|number|array, nperseg: integer, noverlap: integer, "
    .. "tol?: number) -> boolean",
    "Whether the squares of a window add up to something above 0 everywhere, so that istft can invert.",
    function(window, nperseg, noverlap, tol)
      local w, step, sums = overlaps("signal.check_NOLA", window, nperseg, noverlap)
      for k = 1, #w do sums[(k - 1) % step + 1] = (sums[(k - 1) % step + 1] or 0) + w[k] * w[k] end
      for k = 1, #sums do
        if sums[k] <= (tol or 1e-10) then return false end
      end
      return true
    end)

  -- ==== Uneven samples =============================================================================================

  --- What lombscargle gives, from the power in squared units of y, the coefficients of cos and sin, their phase, and
  --- the weighted mean square of y.
  local FORMS = {
    power = function(n, power) return power * (n / 4) end,
    normalize = function(_, power, _, _, _, square) return power * (0.5 / square) end,
    amplitude = function(_, _, a, b, tau)
      return (a + b * ma.complex(0, 1)) * (ma.cos(tau) + ma.sin(tau) * ma.complex(0, 1))
    end,
  }

  --> signal.lombscargle({0, 1, 2, 3}, {0, 1, 0, -1}, {1, 2})
  def("signal.lombscargle(x: data, y: data, freqs: data, precenter?: boolean, normalize?: boolean|string, "
    .. "weights?: data; floating_mean?: boolean) -> array", "The periodogram of "
    .. "measurements y at places x that are not evenly spaced, at angular frequencies. precenter subtracts the mean; "
    .. "floating_mean fits it with each frequency. normalize: false or 'power' for squared amplitudes times n / 4, "
    .. "true or 'normalize' for shares of the whole power, 'amplitude' for complex amplitudes. weights (1): of the "
    .. "measurements, whose sum is looked at, which waits.",
    function(x, y, freqs, precenter, normalize, weights, floating_mean)
      local name = "signal.lombscargle"
      if type(normalize) ~= "string" then normalize = normalize and "normalize" or "power" end
      local form = FORMS[normalize]
      if not form then
        fail(name, sformat("'%s' for normalize; wanted false or 'power', true or 'normalize', or 'amplitude'",
          normalize))
      end
      local device = shared.device_of(x, y, freqs)
      local function vector(what, value)
        return shared.vector(name, what, value, device):astype("float64", { copy = false })
      end
      x, y, freqs = vector("x", x), vector("y", y), vector("freqs", freqs)
      if x.size ~= y.size or x.size == 0 then
        fail(name, sformat("%d places and %d measurements; wanted as many, at least one", x.size, y.size))
      end
      local w = 1 / x.size
      if weights ~= nil then
        w = vector("weights", weights)
        if w.size ~= x.size then
          fail(name, sformat("%d weights of %d measurements; wanted as many", w.size, x.size))
        end
        if not (w:min():item() >= 0 and w:sum():item() > 0) then
          fail(name, "weights below 0, or none above; wanted numbers from 0 on with a sum above 0")
        end
        w = w / w:sum()
      end
      if precenter then y = y - y:mean() end
      local turns = ma.expand_dims(freqs, 2) * x
      local function mean(v) return (v * w):sum(-1) end
      --- Means of cos^2 and cos sin, and of cos and sin if the mean is to be fitted.
      local function moments(c, s)
        local cc, cs = mean(c * c), mean(c * s)
        local ss = 1 - cc
        if not floating_mean then return cc, ss, cs end
        local mc, ms = mean(c), mean(s)
        return cc - mc * mc, ss - ms * ms, cs - mc * ms, mc, ms
      end
      local cc, ss, cs = moments(ma.cos(turns), ma.sin(turns))
      local tau = ma.arctan2(cs * 2, cc - ss) / 2
      turns = turns - ma.expand_dims(tau, 2)
      local c, s = ma.cos(turns), ma.sin(turns)
      local yc, ys, middle = mean(c * y), mean(s * y), mean(y)
      local _, mc, ms
      cc, ss, _, mc, ms = moments(c, s)
      if floating_mean then yc, ys = yc - middle * mc, ys - middle * ms end
      local least = 2 ^ -53
      local a, b = yc / ma.maximum(cc, least), ys / ma.maximum(ss, least)
      local square = mean(y * y)
      if floating_mean then square = square - middle * middle end
      return form(x.size, (a * yc + b * ys) * 2, a, b, tau, square)
    end)

  --> signal.vectorstrength({0, 1, 2}, 1)
  def("signal.vectorstrength(events: data, period: data) -> array, array",
    "How well events keep a period (0 to 1), and their phase; a vector of periods gives vectors.",
    function(events, period)
      local name = "signal.vectorstrength"
      events, period = shared.both(events, period)
      events, period = shared.floating(events), shared.floating(period)
      if events.ndim > 1 or period.ndim > 1 then fail(name, "more than one axis; wanted vectors") end
      if period:le(0):any() then fail(name, "a period that is not above 0; wanted such") end
      local turn = ma.exp(events:reshape(1, events.size) / period:reshape(period.size, 1) * ma.complex(0, 2 * pi))
      local mean = turn:mean(-1):reshape(period.shape)
      return ma.abs(mean), ma.angle(mean)
    end)
end
