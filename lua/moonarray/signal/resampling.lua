--- Other rates, analytic signals, and filters that smooth.

local sformat, floor, ceil, max, min = require("moonarray.text").format, math.floor, math.ceil, math.max, math.min

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local host = shared.host
  local along = shared.along

  -- ==== Rates ======================================================================================================

  local function put(target, axis, lo, hi, values)
    if hi >= lo then target[common.slice(target.ndim, axis, lo, hi)] = values end
  end

  --> signal.resample({1, 2, 3, 2}, 8)
  def("signal.resample(x: data, num: integer, t?: data, axis?: integer|integer[], window?: string|table|number|array, "
    .. "domain?: string) -> array", "num samples along an axis (the first) in place of those "
    .. "that are there, by Fourier transforms, as if the signal were periodic. With places t their new places follow. "
    .. "domain 'freq': x is a spectrum already.",
    function(x, num, t, axis, window, domain)
      local name = "signal.resample"
      x, axis = shared.lines(name, x, axis or 1)
      common.whole(name, "num", num, 1)
      domain = shared.choice(name, "domain", domain or "time", "time", "freq")
      local n = x.shape[axis]
      if x.size == 0 then fail(name, "no elements; wanted at least one") end
      local real = not shared.is_complex(x)
      local spectrum = x
      if domain == "time" then spectrum = (real and ma.fft.rfft or ma.fft.fft)(x, nil, axis) end
      if domain == "freq" and real then spectrum, real = x:astype(x.dtype == "float32" and "complex64" or "complex128"),
        false end
      if window ~= nil then
        local w
        if shared.is_values(window) or type(window) == "function" then
          w = shared.window_values(name, window, n, x.device)
        else
          w = ma.fft.ifftshift(shared.window(name, window, n, true, x.device))
        end
        w = w:astype(shared.real_dtype(x))
        if real then
          if n > 1 then w = ma.concatenate { w[{ { 1, 1 } }], (w[{ { 2, n } }] + w[{ { n, 2, -1 } }]) * 0.5 } end
          w = w[{ { 1, floor(n / 2) + 1 } }]
        end
        spectrum = spectrum * shared.upright(w, x.ndim, axis)
      end
      local shape = spectrum.shape
      shape[axis] = real and floor(num / 2) + 1 or num
      local y = ma.zeros(shape, { dtype = spectrum.dtype, device = x.device })
      local least = min(num, n)
      local nyq = floor(least / 2) + 1
      put(y, axis, 1, nyq, along(spectrum, axis, 1, nyq))
      if not real and least > 2 then
        put(y, axis, num - (least - nyq) + 1, num, along(spectrum, axis, n - (least - nyq) + 1, n))
      end
      if least % 2 == 0 then
        local middle = least / 2 + 1
        if num < n then
          local edge = along(y, axis, middle, middle)
          if real then edge:imul(2) else
            edge:iadd(along(spectrum, axis, n - least / 2 + 1, n - least / 2 + 1))
          end
        elseif n < num then
          along(y, axis, middle, middle):imul(0.5)
          if not real then
            put(y, axis, num - least / 2 + 1, num - least / 2 + 1, along(y, axis, middle, middle):copy())
          end
        end
      end
      local result = real and ma.fft.irfft(y, num, axis) or ma.fft.ifft(y, num, axis)
      result = result * (num / n)
      if t == nil then return result end
      t = shared.floating(shared.vector(name, "t", t, x.device))
      if t.size < 2 then fail(name, "fewer than two places t; wanted at least two") end
      local first, second = ma.item(t[{ { 1, 1 } }]:reshape({}), t[{ { 2, 2 } }]:reshape({}))
      return result, ma.arange(num, { dtype = "float64", device = x.device }) * ((second - first) * n / num) + first
    end)

  local BACKGROUND = {
    mean = function(x, axis) return x:mean(axis, { keepdims = true }) end,
    median = function(x, axis) return ma.median(x, axis, { keepdims = true }) end,
    minimum = function(x, axis) return x:min(axis, { keepdims = true }) end,
    maximum = function(x, axis) return x:max(axis, { keepdims = true }) end,
  }

  local function resample_poly(name, x, up, down, axis, window, padtype, cval)
    up, down = common.whole(name, "up", up, 1), common.whole(name, "down", down, 1)
    local divisor = common.gcd(up, down)
    up, down = up / divisor, down / divisor
    if up == 1 and down == 1 then return x:copy() end
    if x.size == 0 then fail(name, "no elements; wanted at least one") end
    padtype = padtype or "constant"
    if cval ~= nil and padtype ~= "constant" then fail(name, "cval without padtype 'constant'; wanted none") end
    local n = x.shape[axis]
    local n_out = ceil(n * up / down)
    local taps
    if shared.is_values(window) then
      taps = host.coefficients(name, "window", window)
    else
      local rate = max(up, down)
      taps = shared.firwin(name, 2 * 10 * rate + 1, 1 / rate, { window = window or { "kaiser", 5 } })
    end
    local half = floor((#taps - 1) / 2)
    local before = down - half % down
    local remove = (half + before) / down
    local h = host.array(host.concat(host.repeated(0, before), host.map(taps, function(v) return v * up end)), x.device)
    h = h:astype(x.dtype)
    local background = BACKGROUND[padtype]
    if background then
      local level = background(x, axis)
      return shared.upfirdn(name, h, x - level, up, down, axis, remove, n_out) + level
    end
    if padtype == "constant" and (cval == nil or cval == 0) then
      return shared.upfirdn(name, h, x, up, down, axis, remove, n_out)
    end
    return shared.upfirdn_beyond(name, "padtype", h, x, up, down, axis, padtype, cval, remove, n_out)
  end

  --> signal.resample_poly: ma.signal.resample_poly({1, 2, 3, 2}, 2, 1).size
  def("signal.resample_poly(x: data, up: integer, down: integer, axis?: integer|integer[], "
    .. "window?: string|table|number|array, padtype?: string, cval?: number) -> array",
    "up / down times as many samples along an "
    .. "axis (the first), by a filter without feedback: a window ({'kaiser', 5}) or its coefficients. padtype: what "
    .. "lies beyond the ends: 'constant' (cval), 'mean', 'median', 'maximum', 'minimum', or a mode of upfirdn.",
    function(x, up, down, axis, window, padtype, cval)
      local name = "signal.resample_poly"
      x = shared.signal(name, "x", x)
      return resample_poly(name, x, up, down, common.axis(name, axis or 1, x.ndim), window, padtype, cval)
    end)

  --> signal.decimate: ma.signal.decimate(ma.arange(40) / 1, 4).size
  def("signal.decimate(x: data, q: integer, n?: integer, ftype?: string|system, axis?: integer|integer[], "
    .. "zero_phase?: boolean) -> array", "Every q-th sample along an axis, behind a filter: "
    .. "'iir' (Chebyshev's of order n, 8) or 'fir' (of n + 1 coefficients), forward and backward unless zero_phase is "
    .. "false.",
    function(x, q, n, ftype, axis, zero_phase)
      local name = "signal.decimate"
      x, axis = shared.lines(name, x, axis)
      common.whole(name, "q", q, 1)
      ftype = shared.choice(name, "ftype", ftype or "iir", "iir", "fir")
      local size = x.shape[axis]
      if ftype == "fir" then
        n = common.whole(name, "n", n or (20 * q), 1)
        local taps = shared.firwin(name, n + 1, 1 / q, { window = "hamming" })
        if zero_phase ~= false then return resample_poly(name, x, 1, q, axis, taps) end
        return shared.upfirdn(name, host.array(taps, x.device):astype(x.dtype), x, 1, q, axis, 0, ceil(size / q))
      end
      n = common.whole(name, "n", n or 8, 1)
      local sos = ma.signal.cheby1(n, 0.05, 0.8 / q, { output = "sos", device = "cpu" })
      sos = host.matrix(name, "sos", sos)
      local y = zero_phase ~= false and ma.signal.sosfiltfilt(sos, x, axis) or ma.signal.sosfilt(sos, x, axis)
      return shared.every(y, axis, q):copy()
    end)

  -- ==== Analytic signals ===========================================================================================

  --- Factors for one side of a spectrum: 1 for frequency 0, `middle` for the highest frequency of an even number of
  --- terms, 2 for those between, and 0 for negative ones.
  local function one_sided(n, like, middle)
    local k = ma.arange(n, { dtype = "float64", device = like.device })
    local half = n / 2
    local w = ma.where(k:eq(0), 1, ma.where(k:lt(half), 2, ma.where(k:eq(half), middle, 0)))
    return w:astype(shared.real_dtype(like))
  end

  local function real_signal(name, x)
    x = shared.signal(name, "x", x)
    if shared.is_complex(x) then fail(name, sformat("a %s array; wanted a real signal", x.dtype)) end
    return x
  end

  --> signal.hilbert: ma.signal.hilbert({1, 0, -1, 0}).imag
  def("signal.hilbert(x: data, N?: integer, axis?: integer|integer[]) -> array",
    "The analytic signal along an axis: x, and as imaginary part its Hilbert "
    .. "transform, from a transform of N elements.",
    function(x, n, axis)
      local name = "signal.hilbert"
      x = real_signal(name, x)
      axis = common.axis(name, axis or -1, x.ndim)
      n = common.whole(name, "N", n or x.shape[axis], 1)
      local spectrum = ma.fft.fft(x, n, axis)
      return ma.fft.ifft(spectrum * shared.upright(one_sided(n, x, 1), x.ndim, axis), n, axis)
    end)

  --> signal.hilbert2: ma.signal.hilbert2({{1, 0}, {0, 1}}).shape[1]
  def("signal.hilbert2(x: data, N?: integer) -> array",
    "The analytic signal of a matrix, over both axes; N: one or two numbers of elements.",
    function(x, n)
      local name = "signal.hilbert2"
      x = real_signal(name, x)
      if x.ndim ~= 2 then fail(name, sformat("%d axes; wanted two", x.ndim)) end
      if n == nil then n = x.shape elseif type(n) == "number" then n = { n, n } end
      if type(n) ~= "table" then fail(name, "N is " .. core.describe(n) .. "; wanted a number or two") end
      common.whole(name, "N", n[1], 1)
      common.whole(name, "N", n[2], 1)
      local spectrum = ma.fft.fft2(x, { n[1], n[2] })
      local k1 = ma.expand_dims(one_sided(n[1], x, 0), 2)
      return ma.fft.ifft2(spectrum * k1 * one_sided(n[2], x, 0))
    end)

  -- ==== Savitzky and Golay =========================================================================================

  --- Coefficients whose sum with a window's elements is the derivative of the polynomial of best fit at place `pos`,
  --- from 0: the least ones that are right for all powers, by orthogonal polynomials.
  local function savgol(length, order, deriv, delta, pos)
    local x, scale = {}, 1
    for k = 1, length do
      x[k] = k - 1 - pos
      scale = max(scale, math.abs(x[k]))
    end
    local basis, inner = {}, {}                      -- orthonormal columns, and their products with the powers
    for j = 0, order do
      local column = {}
      for k = 1, length do column[k] = (x[k] / scale) ^ j end
      local q = host.from(column, 1)
      for _ = 1, 2 do
        for i = 0, j - 1 do
          local dot = 0
          for k = 1, length do dot = dot + basis[i][k] * q[k] end
          for k = 1, length do q[k] = q[k] - dot * basis[i][k] end
        end
      end
      local norm = 0
      for k = 1, length do norm = norm + q[k] * q[k] end
      norm = math.sqrt(norm)
      for k = 1, length do q[k] = q[k] / norm end
      basis[j] = q
      inner[j] = {}
      for i = 0, j do
        local dot = 0
        for k = 1, length do dot = dot + basis[i][k] * column[k] end
        inner[j][i] = dot
      end
    end
    local c = host.repeated(0, length)
    if deriv > order then return c end
    local goal = 1
    for k = 2, deriv do goal = goal * k end
    goal = goal / (scale * delta) ^ deriv
    local solved = {}
    for j = 0, order do
      local sum = j == deriv and goal or 0
      for i = 0, j - 1 do sum = sum - inner[j][i] * solved[i] end
      solved[j] = sum / inner[j][j]
      for k = 1, length do c[k] = c[k] + solved[j] * basis[j][k] end
    end
    return c
  end

  local function check_savgol(name, length, order, deriv, delta)
    common.whole(name, "window_length", length, 1, 2 ^ 20)
    if common.whole(name, "polyorder", order, 0) >= length then
      fail(name, sformat("polyorder is %d; wanted less than window_length, %d", order, length))
    end
    return common.whole(name, "deriv", deriv or 0, 0), common.number(name, "delta", delta or 1)
  end

  local function centre(length) return length % 2 == 1 and (length - 1) / 2 or length / 2 - 0.5 end

  --# signal_design
  --> signal.savgol_coeffs(5, 2)
  def("signal.savgol_coeffs(window_length: integer, polyorder: integer, deriv?: integer, delta?: number, "
    .. "pos?: integer, use?: string; device?: string) -> array", "Coefficients that give "
    .. "the polynomial of best fit, or its derivative, at a position of a window (its middle): for convolution (use "
    .. "'conv'), or for a sum of products ('dot').",
    function(length, order, deriv, delta, pos, use, device)
      local name = "signal.savgol_coeffs"
      deriv, delta = check_savgol(name, length, order, deriv, delta)
      use = shared.choice(name, "use", use or "conv", "conv", "dot")
      if pos ~= nil and (common.number(name, "pos", pos) < 1 or pos > length) then
        fail(name, sformat("pos is %g; wanted 1 to %d", pos, length))
      end
      local c = savgol(length, order, deriv, delta, pos and pos - 1 or centre(length))
      if use == "dot" then return host.array(c, device) end
      return host.array(host.reversed(c), device)
    end)

  local PAD = { mirror = "reflect", nearest = "edge", constant = "constant", wrap = "wrap" }

  --# -
  --> signal.savgol_filter({1, 4, 9, 16, 25}, 3, 1)
  def("signal.savgol_filter(x: data, window_length: integer, polyorder: integer, deriv?: integer, delta?: number, "
    .. "axis?: integer|integer[], mode?: string, cval?: number) -> array", "Each element along an "
    .. "axis as the value, or derivative, of the polynomial of best fit around it. mode: beyond the ends 'mirror', "
    .. "'nearest', 'constant' (cval), 'wrap', or 'interp', where polynomials of the first and last window go on.",
    function(x, length, order, deriv, delta, axis, mode, cval)
      local name = "signal.savgol_filter"
      x = shared.signal(name, "x", x)
      deriv, delta = check_savgol(name, length, order, deriv, delta)
      axis = common.axis(name, axis or -1, x.ndim)
      mode = shared.choice(name, "mode", mode or "interp", "interp", "mirror", "nearest", "constant", "wrap")
      if x.size == 0 then return x:copy() end
      local moved = x:moveaxis(axis, -1)
      local n, last = x.shape[axis], x.ndim
      if mode == "interp" and length > n then
        fail(name, sformat("window_length is %d for %d elements; wanted at most as many with mode 'interp'", length, n))
      end
      local left = floor((length - 1) / 2)
      local right = length - 1 - left
      local taps = host.array(savgol(length, order, deriv, delta, centre(length)), x.device):astype(x.dtype)
      local wide
      if mode == "interp" then wide = shared.window_along(moved, last, 1 - left, n + length - 1)
      else
        wide = shared.pad_along(moved, last, left, right,
          { mode = PAD[mode], constant_values = mode == "constant" and (cval or 0) or nil })
      end
      local rows = core.contiguous(wide):reshape(x.size / n, n + length - 1)
      local y = core.signal_correlate(rows, taps:reshape(1, length)):reshape(moved.shape)
      if mode == "interp" then
        local half = floor(length / 2)
        local function fit(lo, hi, first)
          -- the derivative at places lo .. hi of the window of n elements that begins at `first`
          local matrix = {}
          for k = lo, hi do matrix[#matrix + 1] = savgol(length, order, deriv, delta, k) end
          if #matrix == 0 then return end
          local weights = host.matrix_array(matrix, x.device):astype(x.dtype)
          local window = along(moved, last, first, first + length - 1)
          return (ma.expand_dims(window, -2) * weights):sum(-1)
        end
        local head, tail = fit(0, half - 1, 1), fit(length - half, length - 1, n - length + 1)
        if head then
          put(y, last, 1, half, head)
          put(y, last, n - half + 1, n, tail)
        end
      end
      return y:moveaxis(-1, axis)
    end)

  -- ==== Ranks and noise ============================================================================================

  local function sizes(name, a, value)
    local list = {}
    if value == nil then value = 3 end
    if is_array(value) then value = value:totable() end
    for d = 1, a.ndim do
      list[d] = common.whole(name, "a size", type(value) == "table" and (value[d] or value[1]) or value, 1,
        2 ^ 20)
    end
    return list
  end

  --- The element of a rank (from 1) among those where the footprint, a list of shifts, is: zeros outside.
  local function ranked(name, a, footprint, rank)
    if rank > footprint.size then fail(name, sformat("rank is %d of %d elements", rank, footprint.size)) end
    return ma.ndimage.rank_filter(a, rank, { footprint = footprint, mode = "constant", cval = 0 })
  end

  local function median(name, volume, size)
    local a = shared.real(name, core.asarray(volume))
    if a.ndim == 0 then return a:copy() end
    local list, count = sizes(name, a, size), 1
    for d = 1, a.ndim do
      if list[d] % 2 == 0 then fail(name, sformat("a size is %d; wanted an odd number", list[d])) end
      count = count * list[d]
    end
    if a.size == 0 then return a:copy() end
    return ranked(name, a, ma.ones(list, { dtype = "bool", device = a.device }), (count + 1) / 2)
  end

  --> signal.medfilt({1, 9, 2, 3}, 3)
  def("signal.medfilt(volume: data, kernel_size?: integer|integer[]) -> array",
    "The median of the elements around each, in a box of odd sizes (3), with "
    .. "zeros outside.", function(volume, size) return median("signal.medfilt", volume, size) end)
  --> signal.medfilt2d({{1, 2, 3}, {4, 9, 6}, {7, 8, 9}}, 3)
  def("signal.medfilt2d(input: data, kernel_size?: integer|integer[]) -> array",
    "medfilt of a matrix.", function(input, size)
    local a = core.asarray(input)
    if a.ndim ~= 2 then fail("signal.medfilt2d", sformat("%d axes; wanted two", a.ndim)) end
    return median("signal.medfilt2d", a, size)
  end)
  --> signal.order_filter({1, 9, 2, 3}, {1, 1, 1}, 3)
  def("signal.order_filter(a: data, domain: data, rank: integer) -> array",
    "The element of a rank, from 1 for the least on, among those around each "
    .. "where domain, of odd extents, is not 0; zeros outside.", function(a, domain, rank)
    local name = "signal.order_filter"
    a, domain = shared.both(a, domain)
    if a.ndim ~= domain.ndim then fail(name, sformat("domain has %d axes; wanted %d", domain.ndim, a.ndim)) end
    for d = 1, domain.ndim do
      if domain.shape[d] % 2 == 0 then fail(name, sformat("domain of extent %d; wanted odd ones", domain.shape[d])) end
    end
    common.whole(name, "rank", rank, 1)
    if a.size == 0 then return a:copy() end
    return ranked(name, a, domain:ne(0), rank)
  end)

  --> signal.wiener({1, 9, 2, 3}, 3)
  def("signal.wiener(im: data, mysize?: integer|integer[], noise?: number) -> array",
    "Noise taken away by Wiener's filter, from means and variances in boxes of "
    .. "mysize (3) around each element; noise: its power, else the mean of the variances.",
    function(im, mysize, noise)
      local name = "signal.wiener"
      im = shared.signal(name, "im", im)
      local list, count = sizes(name, im, mysize), 1
      for d = 1, #list do count = count * list[d] end
      local box = ma.ones(list, { dtype = im.dtype, device = im.device })
      local mean = ma.signal.correlate(im, box, "same", "direct"):idiv(count)
      local squares = (im * im):eval()
      local variance = ma.signal.correlate(squares, box, "same", "direct"):idiv(count):isub(mean * mean)
      squares:free()
      if noise == nil then noise = variance:mean() end
      return ma.where(variance:lt(noise), mean, (im - mean) * (1 - noise / variance) + mean)
    end)
end
