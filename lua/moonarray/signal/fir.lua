--- Filters without feedback from what they are to do: windowed, by frequencies, by least squares.
--# signal_design

local sformat = require("moonarray.text").format
local pi, abs, floor, ceil, sin, cos = math.pi, math.abs, math.floor, math.ceil, math.sin,
  math.cos

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local host = shared.host

  local function kaiser_beta(a)
    if a > 50 then return 0.1102 * (a - 8.7) end
    if a > 21 then return 0.5842 * (a - 21) ^ 0.4 + 0.07886 * (a - 21) end
    return 0
  end

  local function kaiser_atten(numtaps, width) return 2.285 * (numtaps - 1) * pi * width + 7.95 end

  --> signal.kaiser_beta(40)
  def("signal.kaiser_beta(a: number) -> number", "The beta of Kaiser's window for an attenuation of a dB.",
    function(a) return kaiser_beta(common.number("signal.kaiser_beta", "a", a)) end)
  --> signal.kaiser_atten(9, 0.2)
  def("signal.kaiser_atten(numtaps: integer, width: number) -> number",
    "The attenuation in dB of a filter by Kaiser's window, from its length and the width of its transition.",
    function(n, width)
      local name = "signal.kaiser_atten"
      return kaiser_atten(common.number(name, "numtaps", n), common.number(name, "width", width))
    end)
  --> signal.kaiserord(40, 0.2)
  def("signal.kaiserord(ripple: number, width: number) -> integer, number",
    "Length and beta of a filter by Kaiser's window with so many dB of ripple.",
    function(ripple, width)
      local name = "signal.kaiserord"
      local a = abs(common.number(name, "ripple", ripple))
      if a < 8 then fail(name, sformat("ripple is %g dB; wanted at least 8", a)) end
      return ceil((a - 7.95) / 2.285 / (pi * common.number(name, "width", width)) + 1), kaiser_beta(a)
    end)

  --- sin(pi x) / (pi x)
  local function sinc(x) return x == 0 and 1 or sin(pi * x) / (pi * x) end

  local function half_rate(name, fs)
    fs = fs == nil and 2 or common.number(name, "fs", fs)
    if fs <= 0 then fail(name, sformat("fs is %g; wanted a rate above 0", fs)) end
    return fs / 2
  end

  local PASS = { bandpass = false, lowpass = true, highpass = false, bandstop = true }

  function shared.firwin(name, numtaps, cutoff, options)
    common.whole(name, "numtaps", numtaps, 1, 2 ^ 20)
    local nyq = half_rate(name, options.fs)
    local edges = host.map(host.coefficients(name, "cutoff", cutoff), function(w) return w / nyq end)
    for k = 1, #edges do
      if edges[k] <= 0 or edges[k] >= 1 then
        fail(name, sformat("cutoff is %g; wanted between 0 and %g", edges[k] * nyq, nyq))
      end
      if k > 1 and edges[k] <= edges[k - 1] then fail(name, "cutoff is not ascending; wanted ascending frequencies") end
    end
    local window = options.window or "hamming"
    if options.width ~= nil then
      window = { "kaiser", kaiser_beta(kaiser_atten(numtaps, common.number(name, "width", options.width) / nyq)) }
    end
    local pass = options.pass_zero
    if pass == nil then pass = true end
    if type(pass) == "string" then
      shared.choice(name, "pass_zero", pass, "bandpass", "lowpass", "highpass", "bandstop")
      local two = pass == "bandpass" or pass == "bandstop"
      if two ~= (#edges > 1) then
        fail(name, sformat("%d frequencies of a %s filter; wanted %s", #edges, pass, two and "at least 2" or "1"))
      end
      pass = PASS[pass]
    end
    local passes_top = (#edges % 2 == 1) ~= pass
    if passes_top and numtaps % 2 == 0 then
      fail(name, sformat("numtaps is %d; a filter that passes the highest frequency wants an odd number", numtaps))
    end
    if pass then table.insert(edges, 1, 0) end
    if passes_top then edges[#edges + 1] = 1 end
    local taps = host.list(name, "window", shared.window(name, window, numtaps, false, "cpu"))
    local alpha = (numtaps - 1) / 2
    local function ideal(m)
      local sum = 0
      for k = 1, #edges, 2 do
        sum = sum + edges[k + 1] * sinc(edges[k + 1] * m) - edges[k] * sinc(edges[k] * m)
      end
      return sum
    end
    for k = 1, numtaps do taps[k] = taps[k] * ideal(k - 1 - alpha) end
    if options.scale ~= false then
      local left, right = edges[1], edges[2]
      local frequency = left == 0 and 0 or right == 1 and 1 or (left + right) / 2
      local sum = 0
      for k = 1, numtaps do sum = sum + taps[k] * cos(pi * (k - 1 - alpha) * frequency) end
      for k = 1, numtaps do taps[k] = taps[k] / sum end
    end
    return taps
  end

  --> signal.firwin(3, 0.5)
  def("signal.firwin(numtaps: integer, cutoff: data, width?: number, window?: string|table|number|array, "
    .. "pass_zero?: boolean|string, scale?: number|array, fs?: number; device?: string) -> array",
    "A filter without feedback "
    .. "by a window: lowpass with its corner at cutoff, or with several frequencies passing every other band. "
    .. "pass_zero: whether frequency 0 passes, or 'lowpass', 'highpass', 'bandpass', 'bandstop'. width "
    .. "chooses Kaiser's window.",
    function(numtaps, cutoff, width, window, pass_zero, scale, fs, device)
      return host.array(shared.firwin("signal.firwin", numtaps, cutoff, { width = width, window = window,
        pass_zero = pass_zero, scale = scale, fs = fs }), device)
    end)

  --- Linear interpolation in ascending x, where equal neighbours were moved apart.
  local function interpolate(x, y, at)
    local k = 1
    return function(v)
      while k < #x - 1 and v > x[k + 1] do k = k + 1 end
      if v <= x[1] then return y[1] end
      if v >= x[#x] then return y[#y] end
      return y[k] + (y[k + 1] - y[k]) * (v - x[k]) / (x[k + 1] - x[k])
    end, at
  end

  --> signal.firwin2(5, {0, 0.5, 1}, {1, 1, 0})
  def("signal.firwin2(numtaps: integer, freq: data, gain: data, nfreqs?: integer, window?: string|table|number|array, "
    .. "antisymmetric?: boolean, fs?: number; device?: string) -> array",
    "A filter without feedback whose gain goes along lines between the gains at frequencies, smoothed by a window "
      .. "(false: none).",
    function(numtaps, freq, gain, nfreqs, window, antisymmetric, fs, device)
      local name = "signal.firwin2"
      local nyq = half_rate(name, fs)
      common.whole(name, "numtaps", numtaps, 1, 2 ^ 20)
      local x, y = host.coefficients(name, "freq", freq), host.coefficients(name, "gain", gain)
      if #x ~= #y then fail(name, sformat("%d frequencies and %d gains; wanted as many", #x, #y)) end
      if x[1] ~= 0 or x[#x] ~= nyq then
        fail(name, sformat("freq from %g to %g; wanted 0 to %g", x[1], x[#x], nyq))
      end
      for k = 2, #x do
        if x[k] < x[k - 1] then fail(name, "freq descends; wanted frequencies in order") end
        if x[k] == x[k - 1] and x[k] == x[k - 2] then fail(name, "three equal frequencies; wanted at most two") end
      end
      local kind = antisymmetric and (numtaps % 2 == 0 and 4 or 3) or (numtaps % 2 == 0 and 2 or 1)
      if (kind == 2 or kind == 3) and y[#y] ~= 0 then fail(name, "a gain at the highest frequency; wanted 0 there") end
      if (kind == 3 or kind == 4) and y[1] ~= 0 then fail(name, "a gain at frequency 0; wanted 0 there") end
      if nfreqs == nil then
        nfreqs = 1
        while nfreqs < numtaps do nfreqs = nfreqs * 2 end
        nfreqs = nfreqs + 1
      end
      if common.whole(name, "nfreqs", nfreqs, 2, 2 ^ 24) <= numtaps / 2 then
        fail(name, sformat("nfreqs is %d; wanted more than half of numtaps", nfreqs))
      end
      local eps = 2.220446049250313e-16 * nyq
      for k = 1, #x - 1 do
        if x[k] == x[k + 1] then x[k], x[k + 1] = x[k] - eps, x[k + 1] + eps end
      end
      local at = interpolate(x, y)
      local re, im = {}, {}
      for k = 1, nfreqs do
        local w = nyq * (k - 1) / (nfreqs - 1)
        local g = at(w)
        local angle = -(numtaps - 1) / 2 * pi * w / nyq
        re[k], im[k] = g * cos(angle), g * sin(angle)
        if kind > 2 then re[k], im[k] = -im[k], re[k] end
      end
      local options = { dtype = "float64", device = device }
      local spectrum = core.asarray(re, options) + core.asarray(im, options) * ma.complex(0, 1)
      local out = ma.fft.irfft(spectrum, 2 * (nfreqs - 1))[{ { 1, numtaps } }]
      if window ~= false then out = out * shared.window(name, window or "hamming", numtaps, false, device) end
      if kind == 3 then
        local middle = floor(numtaps / 2)
        out = out * ma.arange(numtaps, { device = device }):ne(middle)
      end
      return out * 1
    end)

  --- Solves a symmetric system on the host, by elimination with pivots.
  local function solve(name, a, b)
    local n = #b
    for k = 1, n do
      local pivot = k
      for i = k + 1, n do
        if abs(a[i][k]) > abs(a[pivot][k]) then pivot = i end
      end
      if a[pivot][k] == 0 then fail(name, "a singular system; wanted bands that determine the filter") end
      a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
      for i = k + 1, n do
        local f = a[i][k] / a[k][k]
        if f ~= 0 then
          for j = k, n do a[i][j] = a[i][j] - f * a[k][j] end
          b[i] = b[i] - f * b[k]
        end
      end
    end
    for k = n, 1, -1 do
      local sum = b[k]
      for j = k + 1, n do sum = sum - a[k][j] * b[j] end
      b[k] = sum / a[k][k]
    end
    return b
  end
  shared.solve = solve

  --> signal.firls(3, {0, 0.3, 0.6, 1}, {1, 1, 0, 0})
  def("signal.firls(numtaps: integer, bands: data, desired: data, weight?: data, "
    .. "fs?: number; device?: string) -> array", "The filter without feedback that is nearest to "
    .. "gains along lines in bands, pairs of frequencies, by least squares; numtaps is odd.",
    function(numtaps, bands, desired, weight, fs, device)
      local name = "signal.firls"
      local nyq = half_rate(name, fs)
      if common.whole(name, "numtaps", numtaps, 1, 2 ^ 12) % 2 == 0 then
        fail(name, sformat("numtaps is %d; wanted an odd number", numtaps))
      end
      local function flat(what, value)
        if type(value) == "table" and type(value[1]) == "table" then
          local list = {}
          for _, pair in ipairs(value) do
            for _, v in ipairs(pair) do list[#list + 1] = v end
          end
          value = list
        elseif core.is_array(value) then value = value:ravel() end
        return host.coefficients(name, what, value)
      end
      local edges, gains = flat("bands", bands), flat("desired", desired)
      if #edges % 2 == 1 or #edges ~= #gains then
        fail(name, sformat("%d edges and %d gains; wanted as many, in pairs", #edges, #gains))
      end
      edges = host.map(edges, function(w) return w / nyq end)
      for k = 1, #edges do
        if edges[k] < 0 or edges[k] > 1 or (k > 1 and edges[k] < edges[k - 1]) or
          (k % 2 == 0 and edges[k] == edges[k - 1]) then
          fail(name, sformat("bands that do not ascend from 0 to %g; wanted such", nyq))
        end
      end
      local weights = weight ~= nil and flat("weight", weight) or host.repeated(1, #edges / 2)
      if #weights ~= #edges / 2 then
        fail(name, sformat("%d weights for %d bands; wanted one each", #weights, #edges / 2))
      end
      local m = (numtaps - 1) / 2
      local q, b = {}, {}
      for n = 0, numtaps - 1 do
        local sum = 0
        for k = 1, #weights do
          local f0, f1 = edges[2 * k - 1], edges[2 * k]
          sum = sum + weights[k] * (f1 * sinc(f1 * n) - f0 * sinc(f0 * n))
        end
        q[n] = sum
      end
      for n = 0, m do
        local sum = 0
        for k = 1, #weights do
          local f0, f1, d0, d1 = edges[2 * k - 1], edges[2 * k], gains[2 * k - 1], gains[2 * k]
          local slope = (d1 - d0) / (f1 - f0)
          local c = d0 - f0 * slope
          local function part(f)
            local v = f * (slope * f + c) * sinc(f * n)
            if n == 0 then return v - slope * f * f / 2 end
            return v + slope * cos(n * pi * f) / (pi * n) ^ 2
          end
          sum = sum + weights[k] * (part(f1) - part(f0))
        end
        b[n + 1] = sum
      end
      local a = {}
      for i = 0, m do
        local row = {}
        for j = 0, m do row[j + 1] = q[abs(i - j)] + q[i + j] end
        a[i + 1] = row
      end
      local half, taps = solve(name, a, b), {}
      for k = m + 1, 2, -1 do taps[#taps + 1] = half[k] end
      taps[#taps + 1] = 2 * half[1]
      for k = 2, m + 1 do taps[#taps + 1] = half[k] end
      return host.array(taps, device)
    end)

  --> signal.qmf({1, 2, 3, 4})
  def("signal.qmf(hk: data) -> array",
    "The highpass filter of a pair from its lowpass one: reversed, with alternating signs.",
    function(hk)
      local name = "signal.qmf"
      hk = shared.vector(name, "hk", hk)
      local sign = ma.arange(hk.size, { dtype = hk.dtype, device = hk.device }) % 2 * -2 + 1
      return ma.flip(hk, 1) * sign
    end)
end
