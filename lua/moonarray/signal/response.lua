--- Responses of filters to frequencies.
--# signal_systems

local sformat, pi, floor = require("moonarray.text").format, math.pi, math.floor

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local host, forms = shared.host, shared.forms
  local complex = host.complex

  --- Frequencies as angles and as the caller counts them. points: a number of them, or the frequencies themselves.
  local function angles(name, points, whole, fs, include_nyquist, device)
    fs = fs == nil and 2 * pi or common.number(name, "fs", fs)
    if points == nil then points = 512 end
    if type(points) == "number" then
      common.whole(name, "worN", points, 0)
      local options = { dtype = "float64", device = device }
      local last = whole and 2 * pi or pi
      local steps = include_nyquist and not whole and points - 1 or points
      local w = ma.arange(0, points, 1, options) * (last / math.max(steps, 1))
      return w, w * (fs / (2 * pi)), points
    end
    local given = shared.floating(shared.vector(name, "worN", points, device))
    return given * (2 * pi / fs), given
  end

  local SHORT = 24                       -- coefficients up to which steps of Horner's rule take less than a matrix

  --- The polynomial with these coefficients of powers 0, 1 ... at z = exp(i w), or at 1 / z if the sign is -1. `z` has
  --- these numbers if they are known. Returns the values, and z.
  local function at_angles(list, w, sign, z)
    if #list > SHORT then
      local c = host.array(list, w.device, true)
      local k = ma.arange(0, #list, 1, { dtype = "float64", device = w.device })
      return (ma.exp(ma.expand_dims(w, 2) * k * ma.complex(0, sign)) * c):sum(-1), z
    end
    z = z or ma.exp(w * ma.complex(0, sign)):eval()
    if #list == 1 then return z * 0 + host.value(list[1]), z end
    local sum = z * host.value(list[#list])
    for k = #list - 1, 2, -1 do sum = (sum + host.value(list[k])) * z end
    return sum + host.value(list[1]), z
  end

  local function response(name, b, a, w) -- luacheck: ignore name
    local h, z = at_angles(b, w, -1)
    if #a == 1 and a[1] == 1 then return h end
    return h / (at_angles(a, w, -1, z))
  end

  --- The response at s of zeros, poles and gain.
  local function of_zpk(s, zeros, poles, gain)
    local h = s * 0 + host.value(gain)
    for _, x in ipairs(zeros) do h = h * (s - host.value(x)) end
    for _, x in ipairs(poles) do h = h / (s - host.value(x)) end
    return h
  end

  --> signal.freqz: (ma.signal.freqz({0.5, 0.5}, 1, {worN = 2}))
  def("signal.freqz(b: data, a?: data, worN?: integer|array, whole?: boolean, plot?: function, fs?: number, "
    .. "include_nyquist?: boolean) -> array, array", "Frequencies and the response of a digital "
    .. "filter there: at worN of them (512) up to half of the sampling rate, or all of it with whole, or at those that "
    .. "worN lists. fs: 2 pi unless it is given. plot: a function that gets both.",
    function(b, a, points, whole, plot, fs, include_nyquist)
      local name = "signal.freqz"
      local list_b, list_a, device = shared.read_tf(name, b, a == nil and 1 or a)
      local w, own, n = angles(name, points, whole, fs, include_nyquist, device or shared.device_of(points))
      local h
      local length = n and (whole and n or include_nyquist and 2 * (n - 1) or 2 * n) or 0
      if #list_a == 1 and #list_b > 64 and length >= #list_b and common.has_transforms[w.device] then
        h = ma.fft.fft(host.array(list_b, w.device), length)[{ { 1, n } }] / host.value(list_a[1])
      else
        h = response(name, list_b, list_a, w)
      end
      if plot ~= nil then common.callable(name, "plot", plot)(own, h) end
      return own, h
    end)

  --> signal.freqz_zpk: (ma.signal.freqz_zpk({}, {0.5}, 1, {worN = 2}))
  def("signal.freqz_zpk(z: data, p: data, k: data, worN?: integer|array, whole?: boolean, fs?: number) -> array, array",
    "freqz of zeros, poles and gain.",
    function(z, p, k, points, whole, fs)
      local name = "signal.freqz_zpk"
      local list_z, list_p, gain, device = shared.read_zpk(name, z, p, k)
      local w, own = angles(name, points, whole, fs, false, device or shared.device_of(points))
      return own, of_zpk(ma.exp(w * ma.complex(0, 1)), list_z, list_p, gain)
    end)

  --> signal.freqz_sos: (ma.signal.freqz_sos({{1, 0, 0, 1, 0.5, 0}}, {worN = 2}))
  --> signal.sosfreqz: (ma.signal.sosfreqz({{1, 0, 0, 1, 0.5, 0}}, {worN = 2}))
  for _, short in ipairs { "freqz_sos", "sosfreqz" } do
    local name = "signal." .. short
    def(name .. "(sos: data, worN?: integer|array, whole?: boolean, fs?: number) -> array, array",
      "freqz of sections.", function(sos, points, whole, fs)
      local rows, device = shared.read_sections(name, sos)
      local w, own = angles(name, points, whole, fs, false, device or shared.device_of(points))
      local h
      for _, s in ipairs(rows) do
        local one = response(name, { s[1], s[2], s[3] }, { s[4], s[5], s[6] }, w)
        h = h and h * one or one
      end
      return own, h
    end)
  end

  -- ==== Analog filters =============================================================================================

  --- The powers of ten between which a filter's poles and zeros show.
  local function range_of(zeros, poles)
    if #poles == 0 then poles = { -1000 } end
    local most, least = -math.huge, math.huge
    local function look(x)
      local size = complex.abs(x)
      local re, im = complex.parts(x)
      local integrates = size < 1e-10 and 1 or 0
      most = math.max(most, 3 * math.abs(re + integrates) + 1.5 * im)
      least = math.min(least, math.abs(re + integrates) + 2 * im)
    end
    for _, x in ipairs(poles) do
      if complex.im(x) >= 0 then look(x) end
    end
    for _, x in ipairs(zeros) do
      if complex.abs(x) < 1e5 and complex.im(x) >= 0 then look(x) end
    end
    local function round(v) -- to even at a half, as Python does
      local r = floor(v + 0.5)
      return v - floor(v) == 0.5 and r % 2 == 1 and r - 1 or r
    end
    return round(math.log10(0.1 * least) - 0.5), round(math.log10(most) + 0.5)
  end

  local function frequencies_of(name, zeros, poles, n, device)
    local lo, hi = range_of(zeros, poles)
    return ma.logspace(lo, hi, common.whole(name, "N", n, 0), { device = device })
  end

  --> signal.findfreqs({1}, {1, 1}, 3)
  def("signal.findfreqs(num: data, den: data, N: integer, kind?: string) -> array",
    "N frequencies, evenly spread in their logarithms, that show the "
    .. "response of an analog filter; kind 'ba', or 'zp' for zeros and poles.", function(num, den, n, kind)
    local name = "signal.findfreqs"
    kind = shared.choice(name, "kind", kind or "ba", "ba", "zp")
    local zeros, device = host.list(name, "num", num)
    local poles = host.list(name, "den", den)
    if kind == "ba" then zeros, poles = host.roots(zeros), host.roots(poles) end
    return frequencies_of(name, zeros, poles, n, device)
  end)

  local function analog_points(name, zeros, poles, points, device)
    if points == nil then points = 200 end
    if type(points) == "number" then return frequencies_of(name, zeros, poles, points, device) end
    return shared.floating(shared.vector(name, "worN", points, device))
  end

  local function at_s(list, w)
    local s, sum = w * ma.complex(0, 1), nil
    for k = 1, #list do sum = sum and sum * s + host.value(list[k]) or s * 0 + host.value(list[k]) end
    return sum
  end

  --> signal.freqs: (ma.signal.freqs({1}, {1, 1}, {worN = {1, 10}}))
  def("signal.freqs(b: data, a: data, worN?: integer|array, plot?: function) -> array, array",
    "Frequencies and the response of an analog filter there: at worN of them "
    .. "(200) that show it, or at those that worN lists.", function(b, a, points, plot)
    local name = "signal.freqs"
    local list_b, list_a, device = shared.read_tf(name, b, a)
    local counts = points == nil or type(points) == "number"
    local w = analog_points(name, counts and host.roots(list_b) or {}, counts and host.roots(list_a) or {}, points,
      device or shared.device_of(points))
    local h = at_s(list_b, w) / at_s(list_a, w)
    if plot ~= nil then common.callable(name, "plot", plot)(w, h) end
    return w, h
  end)

  --> signal.freqs_zpk: (ma.signal.freqs_zpk({}, {-1}, 1, {worN = {1, 10}}))
  def("signal.freqs_zpk(z: data, p: data, k: data, worN?: integer|array) -> array, array",
    "freqs of zeros, poles and gain.", function(z, p, k, points)
    local name = "signal.freqs_zpk"
    local list_z, list_p, gain, device = shared.read_zpk(name, z, p, k)
    local w = analog_points(name, list_z, list_p, points, device or shared.device_of(points))
    return w, of_zpk(w * ma.complex(0, 1), list_z, list_p, gain)
  end)

  --> signal.group_delay: (ma.signal.group_delay({{0.5, 0.5}, {1}}, {w = 2}))
  def("signal.group_delay(system: system|table, w?: data, whole?: boolean, fs?: number) -> array, array",
    "Frequencies and the delay in samples of a digital filter there; "
    .. "system is {b, a}. 0 where it is not determined.", function(system, points, whole, fs)
    local name = "signal.group_delay"
    if type(system) ~= "table" or #system ~= 2 then
      fail(name, sformat("system is %s; wanted {b, a}", core.describe(system)))
    end
    local b, a, device = shared.read_tf(name, system[1], system[2])
    local w, own = angles(name, points, whole, fs, false, device or (is_array(points) and points.device or nil))
    local c = host.polymul(b, host.map(host.reversed(a), complex.conj))
    local weighted = {}
    for k = 1, #c do weighted[k] = c[k] * (k - 1) end
    local num, z = at_angles(weighted, w, -1)
    local den = at_angles(c, w, -1, z)
    local singular = ma.abs(den):lt(10 * 2.2e-16)
    return own, ma.where(singular, 0, ma.real(num / ma.where(singular, 1, den)) - (#a - 1))
  end)

  return forms
end
