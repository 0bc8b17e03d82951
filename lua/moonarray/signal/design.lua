--- Recursive filters from what they are to do: the usual families, their orders, notches, combs and gammatones.
--# signal_design

local sformat = require("moonarray.text").format
local sqrt, pi, tan, abs, log, exp, cos, sin, ceil, huge = math.sqrt, math.pi, math.tan,
  math.abs, math.log, math.exp, math.cos, math.sin, math.ceil, math.huge

return function(_, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local host, forms, prototypes, elliptic = shared.host, shared.forms, shared.prototypes, shared.elliptic
  local complex, pow10m1 = host.complex, shared.pow10m1

  local BANDS = { band = "bandpass", bandpass = "bandpass", pass = "bandpass", bp = "bandpass", bs = "bandstop",
    bandstop = "bandstop", bands = "bandstop", stop = "bandstop", l = "lowpass", low = "lowpass", lowpass = "lowpass",
    lp = "lowpass", high = "highpass", highpass = "highpass", h = "highpass", hp = "highpass" }
  local FAMILIES = { butter = "butter", butterworth = "butter", cheby1 = "cheby1", chebyshev1 = "cheby1",
    chebyshevi = "cheby1", cheby2 = "cheby2", chebyshev2 = "cheby2", chebyshevii = "cheby2", ellip = "ellip",
    elliptic = "ellip", cauer = "ellip", bessel = "bessel" }

  --- One or two frequencies as a list.
  local function frequencies(name, what, value)
    local list = host.list(name, what, value)
    if #list < 1 or #list > 2 then fail(name, sformat("%d numbers in %s; wanted one or two", #list, what)) end
    for k = 1, #list do
      if type(list[k]) ~= "number" then fail(name, what .. " is complex; wanted real frequencies") end
    end
    return list
  end

  local function give(output, device, z, p, k)
    if output == "zpk" then return shared.give_zpk(device, z, p, k) end
    return shared.give_tf(device, forms.zpk2tf(z, p, k))
  end

  local function iirfilter(name, n, wn, options)
    common.whole(name, "N", n, 0, 500)
    local output, analog = options.output or "ba", options.analog
    shared.choice(name, "output", output, "ba", "zpk", "sos")
    local list = frequencies(name, "Wn", wn)
    local fs = options.fs
    if fs ~= nil then
      if analog then fail(name, "fs of an analog filter; wanted none") end
      common.number(name, "fs", fs)
      list = host.map(list, function(w) return 2 * w / fs end)
    end
    for k = 1, #list do
      if list[k] <= 0 or (not analog and list[k] >= 1) then
        fail(name, sformat("Wn is %g; wanted a frequency above 0%s", list[k] * (fs and fs / 2 or 1), analog and "" or
          sformat(" and below %g", fs and fs / 2 or 1)))
      end
    end
    if #list == 2 and list[1] >= list[2] then
      fail(name, "Wn[1] is not below Wn[2]; wanted the lower frequency first")
    end
    local kind = BANDS[options.btype or "bandpass"]
    if not kind then fail(name, sformat("btype is %s; wanted 'lowpass', 'highpass', 'bandpass' or 'bandstop'",
      core.describe(options.btype))) end
    local two = kind == "bandpass" or kind == "bandstop"
    if two ~= (#list == 2) then
      fail(name, sformat("%d frequencies of a %s filter; wanted %d", #list, kind, two and 2 or 1))
    end
    local family = FAMILIES[options.ftype or "butter"]
    if not family then fail(name, sformat("ftype is %s; wanted a family such as 'butter'", core.describe(
      options.ftype))) end
    for _, gain in ipairs { "rp", "rs" } do
      local wanted = gain == "rp" and (family == "cheby1" or family == "ellip") or
        gain == "rs" and (family == "cheby2" or family == "ellip")
      if wanted and (type(options[gain]) ~= "number" or options[gain] < 0) then
        fail(name, sformat("%s is %s; wanted a number of dB above 0", gain, core.describe(options[gain])))
      end
    end
    local z, p, k
    if family == "butter" then z, p, k = prototypes.butter(n)
    elseif family == "cheby1" then z, p, k = prototypes.cheby1(n, options.rp)
    elseif family == "cheby2" then z, p, k = prototypes.cheby2(n, options.rs)
    elseif family == "ellip" then z, p, k = prototypes.ellip(n, options.rp, options.rs, name)
    else
      z, p, k = prototypes.bessel(n, shared.choice(name, "norm", options.norm or "phase", "phase", "delay", "mag"))
    end
    local rate = 2
    if not analog then list = host.map(list, function(w) return 2 * rate * tan(pi * w / rate) end) end
    if kind == "lowpass" then z, p, k = forms.lp2lp_zpk(name, z, p, k, list[1])
    elseif kind == "highpass" then z, p, k = forms.lp2hp_zpk(name, z, p, k, list[1])
    else
      local bw, wo = list[2] - list[1], sqrt(list[1] * list[2])
      z, p, k = forms[kind == "bandpass" and "lp2bp_zpk" or "lp2bs_zpk"](name, z, p, k, wo, bw)
    end
    if not analog then z, p, k = forms.bilinear_zpk(name, z, p, k, rate) end
    if output == "sos" then
      return host.matrix_array(forms.zpk2sos(name, z, p, k, nil, analog), options.device)
    end
    return give(output, options.device, z, p, k)
  end

  local FORM = " Wn: a frequency, or two for 'bandpass' and 'bandstop'; 1 is half of the sampling rate unless fs is "
    .. "given. output: 'ba' (b and a), 'zpk' (zeros, poles, gain) or 'sos' (sections)."

  local NAMES, RESULT = "btype analog output fs device", "-> array, array?, number?"
  local TAIL = ", btype?: string, analog?: boolean, output?: string, fs?: number; device?: string) " .. RESULT

  --> signal.iirfilter: (ma.signal.iirfilter(2, 0.5, {btype = "low"}))
  def("signal.iirfilter(N: integer, Wn: data, rp?: number, rs?: number, btype?: string, analog?: boolean, "
    .. "ftype?: string, output?: string, fs?: number; device?: string) " .. RESULT,
    "A recursive filter of order N of a family, ftype." .. FORM,
    shared.by_name("N Wn rp rs btype analog ftype output fs device",
      function(o) return iirfilter("signal.iirfilter", o.N, o.Wn, o) end))

  --- Defines the filter of a family, with its gains in front of Wn.
  local function define(family, gains, doc, tail, names)
    local name, arguments = "signal." .. family, "N: integer"
    for gain in gains:gmatch("%S+") do arguments = arguments .. ", " .. gain .. ": number" end
    def(name .. "(" .. arguments .. ", Wn: data" .. (tail or TAIL), doc,
      shared.by_name("N " .. gains .. " Wn " .. (names or NAMES), function(o)
        o.btype, o.ftype = o.btype or "low", family
        return iirfilter(name, o.N, o.Wn, o)
      end))
  end

  --> signal.butter(2, 0.5)
  --> signal.cheby1(2, 1, 0.5)
  --> signal.cheby2(2, 40, 0.5)
  --> signal.ellip(2, 1, 40, 0.5)
  --> signal.bessel(2, 0.5)
  define("butter", "", "Butterworth's filter: flat." .. FORM)
  define("cheby1", "rp", "Chebyshev's filter with rp dB of ripple where it passes." .. FORM)
  define("cheby2", "rs", "Chebyshev's filter with ripple rs dB down where it stops." .. FORM)
  define("ellip", "rp rs", "Cauer's filter with ripple in both bands: the steepest one." .. FORM)
  define("bessel", "", "Bessel's filter, whose delay is flat; norm 'phase', 'delay' or 'mag'." .. FORM,
    ", btype?: string, analog?: boolean, output?: string, norm?: norm, fs?: number; device?: string) " .. RESULT,
    "btype analog output norm fs device")

  -- ==== Orders =====================================================================================================

  --- Finds the least value of a function between two bounds, by Brent's method, in the steps of SciPy's fminbound.
  local function least_between(fn, x1, x2)
    local golden, eps, xatol = 0.5 * (3 - sqrt(5)), sqrt(2.2e-16), 1e-5
    local a, b = x1, x2
    local fulc = a + golden * (b - a)
    local nfc, xf, rat, e = fulc, fulc, 0, 0
    local x = xf
    local fx = fn(x)
    local ffulc, fnfc = fx, fx
    local xm = 0.5 * (a + b)
    local tol1 = eps * abs(xf) + xatol / 3
    local count = 1
    while abs(xf - xm) > 2 * tol1 - 0.5 * (b - a) and count < 500 do
      local is_golden = true
      if abs(e) > tol1 then
        is_golden = false
        local r, q = (xf - nfc) * (fx - ffulc), (xf - fulc) * (fx - fnfc)
        local p = (xf - fulc) * q - (xf - nfc) * r
        q = 2 * (q - r)
        if q > 0 then p = -p end
        q, r, e = abs(q), e, rat
        if abs(p) < abs(0.5 * q * r) and p > q * (a - xf) and p < q * (b - xf) then
          rat = p / q
          x = xf + rat
          if x - a < 2 * tol1 or b - x < 2 * tol1 then rat = tol1 * (xm >= xf and 1 or -1) end
        else is_golden = true end
      end
      if is_golden then
        e = xf >= xm and a - xf or b - xf
        rat = golden * e
      end
      x = xf + (rat >= 0 and 1 or -1) * math.max(abs(rat), tol1)
      local fu = fn(x)
      count = count + 1
      if fu <= fx then
        if x >= xf then a = xf else b = xf end
        fulc, ffulc, nfc, fnfc, xf, fx = nfc, fnfc, xf, fx, x, fu
      else
        if x < xf then a = x else b = x end
        if fu <= fnfc or nfc == xf then fulc, ffulc, nfc, fnfc = nfc, fnfc, x, fu
        elseif fu <= ffulc or fulc == xf or fulc == nfc then fulc, ffulc = x, fu end
      end
      xm = 0.5 * (a + b)
      tol1 = eps * abs(xf) + xatol / 3
    end
    return xf
  end

  local function acosh(x) return log(x + sqrt(x * x - 1)) end
  local function log10(x) return log(x) / log(10) end

  --- The order, not rounded, that a ratio of frequencies asks for.
  local function fraction_of(kind, nat, gpass, gstop)
    local stop, pass = pow10m1(0.1 * abs(gstop)), pow10m1(0.1 * abs(gpass))
    if kind == "butter" then return log10(stop / pass) / (2 * log10(nat)) end
    if kind == "cheby" then return acosh(sqrt(stop / pass)) / acosh(nat) end
    local arg0, arg1 = 1 / (nat * nat), pass / stop
    return elliptic.k(arg0) * elliptic.km1(arg1) / (elliptic.km1(arg0) * elliptic.k(arg1))
  end

  local function stop_ratio(pass, stop)
    local least = huge
    for k = 1, 2 do
      least = math.min(least, abs(stop[k] * (pass[1] - pass[2]) / (stop[k] ^ 2 - pass[1] * pass[2])))
    end
    return least
  end

  local function band_stop_obj(wp, which, pass, stop, gpass, gstop, kind)
    local changed = { pass[1], pass[2] }
    changed[which] = wp
    return fraction_of(kind, stop_ratio(changed, stop), gpass, gstop)
  end

  --> signal.band_stop_obj: ma.signal.band_stop_obj(0.3, 1, {0.1, 0.8}, {0.3, 0.6}, 1, 40, "butter") > 0
  def("signal.band_stop_obj(wp: data, ind: data, passb: number, stopb: number, gpass: number, gstop: number, "
    .. "type: string) -> number", "The order, with a fraction, of a bandstop "
    .. "filter whose edge number ind (1 or 2) of passb is moved to wp; type 'butter', 'cheby' or 'ellip'.",
    function(wp, ind, passb, stopb, gpass, gstop, kind)
      local name = "signal.band_stop_obj"
      shared.choice(name, "type", kind, "butter", "cheby", "ellip")
      if ind ~= 1 and ind ~= 2 then fail(name, sformat("ind is %s; wanted 1 or 2", core.describe(ind))) end
      local pass, stop = frequencies(name, "passb", passb), frequencies(name, "stopb", stopb)
      if #pass ~= 2 or #stop ~= 2 then fail(name, "one edge of a band; wanted two") end
      return band_stop_obj(host.scalar(name, "wp", wp), ind, pass, stop, common.number(name, "gpass", gpass),
        common.number(name, "gstop", gstop), kind)
    end)

  --- Edges of both bands, the kind of filter, and the ratio of frequencies that it must manage.
  local function bands(name, wp, ws, gpass, gstop, analog, fs, kind)
    local pass, stop = frequencies(name, "wp", wp), frequencies(name, "ws", ws)
    if #pass ~= #stop then fail(name, sformat("%d edges in wp and %d in ws; wanted as many", #pass, #stop)) end
    common.number(name, "gpass", gpass)
    common.number(name, "gstop", gstop)
    if gpass <= 0 or gstop <= 0 or gpass > gstop then
      fail(name, sformat("gpass is %g and gstop %g; wanted numbers above 0, gstop the greater", gpass, gstop))
    end
    if fs ~= nil then
      if analog then fail(name, "fs of an analog filter; wanted none") end
      local function scaled(w) return 2 * w / fs end
      pass, stop = host.map(pass, scaled), host.map(stop, scaled)
    end
    local form = 2 * (#pass - 1) + 1 + (pass[1] >= stop[1] and 1 or 0)
    if not analog then
      local function warp(w) return tan(pi * w / 2) end
      pass, stop = host.map(pass, warp), host.map(stop, warp)
    end
    local nat
    if form == 1 then nat = stop[1] / pass[1]
    elseif form == 2 then nat = pass[1] / stop[1]
    elseif form == 3 then
      local given = { pass[1], pass[2] }
      pass[1] = least_between(function(w) return band_stop_obj(w, 1, pass, stop, gpass, gstop, kind) end, given[1],
        stop[1] - 1e-12)
      pass[2] = least_between(function(w) return band_stop_obj(w, 2, pass, stop, gpass, gstop, kind) end,
        stop[2] + 1e-12, given[2])
      nat = stop_ratio(pass, stop)
    else nat = 1 / huge end
    if form == 4 then
      nat = huge
      for k = 1, 2 do
        nat = math.min(nat, abs((stop[k] ^ 2 - pass[1] * pass[2]) / (stop[k] * (pass[1] - pass[2]))))
      end
    end
    return pass, form, abs(nat), ceil(fraction_of(kind, abs(nat), gpass, gstop))
  end

  --- Frequencies for a filter's Wn: a number or an array of two.
  local function give_order(order, list, analog, fs)
    if not analog then list = host.map(list, function(w) return 2 / pi * math.atan(w) end) end
    if fs then list = host.map(list, function(w) return w * fs / 2 end) end
    if #list == 1 then return order, list[1] end
    return order, host.array(list)
  end

  local function sorted(x, y)
    x, y = abs(x), abs(y)
    return x <= y and { x, y } or { y, x }
  end

  local ORDER = " Least order, and Wn for it, of a filter that loses at most gpass dB up to wp and at least gstop dB "
    .. "from ws on; two frequencies each for a band."

  local orders = {}
  function orders.butter(pass, form, _, order, gpass)
    local w0 = pow10m1(0.1 * abs(gpass)) ^ (-1 / (2 * order))
    if form == 1 then return { w0 * pass[1] } end
    if form == 2 then return { pass[1] / w0 } end
    local width, product = pass[2] - pass[1], pass[1] * pass[2]
    if form == 3 then
      local root = sqrt(width ^ 2 + 4 * w0 ^ 2 * product)
      return sorted((width + root) / (2 * w0), (width - root) / (2 * w0))
    end
    local root = sqrt(w0 ^ 2 / 4 * width ^ 2 + product)
    return sorted(w0 * width / 2 + root, -w0 * width / 2 + root)
  end
  function orders.cheby1(pass) return pass end
  orders.ellip = orders.cheby1
  function orders.cheby2(pass, form, _, order, gpass, gstop)
    local ratio = acosh(sqrt(pow10m1(0.1 * abs(gstop)) / pow10m1(0.1 * abs(gpass))))
    local new = 1 / math.cosh(ratio / order)
    if form == 1 then return { pass[1] / new } end
    if form == 2 then return { pass[1] * new } end
    local factor = form == 3 and new or 1 / new
    local width, product = pass[1] - pass[2], pass[1] * pass[2]
    local first = factor / 2 * width + sqrt(factor ^ 2 * width ^ 2 / 4 + product)
    return { first, product / first }
  end

  local function order_of(name, family, wp, ws, gpass, gstop, analog, fs)
    local kind = (family == "cheby1" or family == "cheby2") and "cheby" or family
    local pass, form, nat, order = bands(name, wp, ws, gpass, gstop, analog, fs, kind)
    return give_order(order, orders[family](pass, form, nat, order, gpass, gstop), analog, fs)
  end

  --> signal.buttord(0.2, 0.3, 1, 40)
  --> signal.cheb1ord(0.2, 0.3, 1, 40)
  --> signal.cheb2ord(0.2, 0.3, 1, 40)
  --> signal.ellipord(0.2, 0.3, 1, 40)
  for name, family in pairs { buttord = "butter", cheb1ord = "cheby1", cheb2ord = "cheby2", ellipord = "ellip" } do
    local full = "signal." .. name
    def(full .. "(wp: data, ws: data, gpass: number, gstop: number, analog?: boolean, fs?: number) -> number, number",
      "For " .. family .. "." .. ORDER,
      function(wp, ws, gpass, gstop, analog, fs)
        return order_of(full, family, wp, ws, gpass, gstop, analog, fs)
      end)
  end

  --> signal.iirdesign: (ma.signal.iirdesign(0.2, 0.3, 1, 40)).size
  def("signal.iirdesign(wp: data, ws: data, gpass: number, gstop: number, analog?: boolean, ftype?: string, "
    .. "output?: string, fs?: number; device?: string) -> array, array?, number?",
    "A recursive filter of least order that loses at most gpass dB up to wp and at least gstop dB from ws on.",
    function(wp, ws, gpass, gstop, analog, ftype, output, fs, device)
      local name = "signal.iirdesign"
      local family = FAMILIES[ftype or "ellip"]
      if not family or not orders[family] then
        fail(name, sformat("ftype is %s; wanted 'butter', 'cheby1', 'cheby2' or 'ellip'", core.describe(ftype)))
      end
      local pass, stop = frequencies(name, "wp", wp), frequencies(name, "ws", ws)
      if #pass ~= #stop then fail(name, sformat("%d edges in wp and %d in ws; wanted as many", #pass, #stop)) end
      local inside = #pass == 2 and ((stop[1] < pass[1] and pass[2] < stop[2]) or
        (pass[1] < stop[1] and stop[2] < pass[2]))
      if #pass == 2 and not inside then
        fail(name, "bands wp and ws that lie beside each other; wanted one inside of the other")
      end
      local kind = #pass == 1 and (pass[1] < stop[1] and "lowpass" or "highpass") or
        (pass[1] < stop[1] and "bandstop" or "bandpass")
      local n, wn = order_of(name, family, wp, ws, gpass, gstop, analog, fs)
      return iirfilter(name, n, wn, { rp = gpass, rs = gstop, analog = analog, btype = kind, ftype = family,
        output = output, fs = fs, device = device })
    end)

  -- ==== Notches, combs, gammatones =================================================================================

  local function notch(name, w0, q, fs, is_notch, device)
    fs = common.number(name, "fs", fs or 2)
    w0, q = 2 * common.number(name, "w0", w0) / fs, common.number(name, "Q", q)
    if w0 <= 0 or w0 >= 1 then fail(name, sformat("w0 is %g; wanted between 0 and %g", w0 * fs / 2, fs / 2)) end
    local gain = 1 / (1 + tan(pi * w0 / q / 2))
    w0 = pi * w0
    local b = is_notch and { gain, -2 * gain * cos(w0), gain } or { 1 - gain, 0, gain - 1 }
    return shared.give_tf(device, b, { 1, -2 * gain * cos(w0), 2 * gain - 1 })
  end

  --> signal.iirnotch: (ma.signal.iirnotch(0.5, 30))
  def("signal.iirnotch(w0: number, Q: number, fs?: number; device?: string) -> array, array",
    "b and a of a filter that takes the frequency w0 away; Q: how narrow.",
    function(w0, q, fs, device) return notch("signal.iirnotch", w0, q, fs, true, device) end)
  --> signal.iirpeak: (ma.signal.iirpeak(0.5, 30))
  def("signal.iirpeak(w0: number, Q: number, fs?: number; device?: string) -> array, array",
    "b and a of a filter that keeps the frequency w0 alone; Q: how narrow.",
    function(w0, q, fs, device) return notch("signal.iirpeak", w0, q, fs, false, device) end)

  --> signal.iircomb: (ma.signal.iircomb(0.25, 30)).size
  def("signal.iircomb(w0: number, Q: number, ftype?: string, fs?: number; pass_zero?: boolean, "
    .. "device?: string) -> array, array",
    "b and a of a filter with notches, or with ftype 'peak' peaks, at all multiples of w0, which divides fs.",
    function(w0, q, ftype, fs, pass_zero, device)
      local name = "signal.iircomb"
      fs = common.number(name, "fs", fs or 2)
      w0, q = common.number(name, "w0", w0), common.number(name, "Q", q)
      ftype = shared.choice(name, "ftype", ftype or "notch", "notch", "peak")
      if w0 <= 0 or w0 >= fs / 2 then fail(name, sformat("w0 is %g; wanted between 0 and %g", w0, fs / 2)) end
      local n = math.floor(fs / w0 + 0.5)
      if n > 2 ^ 20 then fail(name, sformat("w0 is %g; wanted %g at least, fs / 2^20", w0, fs / 2 ^ 20)) end
      if abs(w0 - fs / n) / fs > 1e-14 then fail(name, sformat("w0 is %g; wanted a divisor of fs, %g", w0, fs)) end
      local delta = 2 * pi * w0 / fs / q
      local g0, g = 1, 0
      if ftype == "peak" then g0, g = 0, 1 end
      local beta = sqrt((0.5 - g0 ^ 2) / (g ^ 2 - 0.5)) * tan(n * delta / 4)
      local sign = ((ftype == "peak") == (pass_zero == true)) and -1 or 1
      local b, a = host.repeated(0, n + 1), host.repeated(0, n + 1)
      b[1], b[n + 1] = (g0 + g * beta) / (1 + beta), sign * (g0 - g * beta) / (1 + beta)
      a[1], a[n + 1] = 1, sign * (1 - beta) / (1 + beta)
      return shared.give_tf(device, b, a)
    end)

  --> signal.gammatone: (ma.signal.gammatone(440, "iir", {fs = 16000})).size
  def("signal.gammatone(freq: data, ftype: string, order?: integer, numtaps?: integer, "
    .. "fs?: number; device?: string) -> array, array",
    "b and a of the filter of an ear's place for a frequency; ftype 'fir' (of numtaps) or 'iir'.",
    function(freq, ftype, order, numtaps, fs, device)
      local name = "signal.gammatone"
      fs, freq = common.number(name, "fs", fs or 2), common.number(name, "freq", freq)
      shared.choice(name, "ftype", ftype, "fir", "iir")
      if freq <= 0 or freq >= fs / 2 then fail(name, sformat("freq is %g; wanted between 0 and %g", freq, fs / 2)) end
      local bw = 1.019 * (freq / 9.26449 + 24.7)
      if ftype == "fir" then
        order = common.whole(name, "order", order or 4, 1, 24)
        numtaps = common.whole(name, "numtaps", numtaps or math.max(math.floor(fs * 0.015), 15), 1, 2 ^ 20)
        local scale, b = 2 * (2 * pi * bw) ^ order / fs, {}
        for k = 2, order - 1 do scale = scale / k end
        for k = 1, numtaps do
          local t = (k - 1) / fs
          b[k] = t ^ (order - 1) * exp(-2 * pi * bw * t) * cos(2 * pi * freq * t) * scale
        end
        return shared.give_tf(device, b, { 1 })
      end
      if order ~= nil then fail(name, "order of an 'iir' gammatone; wanted none") end
      if numtaps ~= nil then fail(name, "numtaps of an 'iir' gammatone; wanted none") end
      local t, fr = 1 / fs, 2 * pi * freq / fs
      local bwt = 2 * pi * bw * t
      local turn = complex.polar(1, 2 * fr)
      local g1, g2 = -2 * turn * t, 2 * complex.polar(exp(-bwt), fr) * t
      local g3, g4 = sqrt(3 + 2 ^ 1.5) * sin(fr), sqrt(3 - 2 ^ 1.5) * sin(fr)
      local g = (g1 + g2 * (cos(fr) - g4)) * (g1 + g2 * (cos(fr) + g4)) * (g1 + g2 * (cos(fr) - g3)) *
        (g1 + g2 * (cos(fr) + g3))
      g = complex.abs(g / complex.power(-2 / exp(2 * bwt) - 2 * turn + 2 * (1 + turn) / exp(bwt), 4))
      local function decay(k) return exp(-k * bwt) end
      local scale = t ^ 4 / g
      local b = { scale, -4 * scale * cos(fr) * decay(1), 6 * scale * cos(2 * fr) * decay(2),
        -4 * scale * cos(3 * fr) * decay(3), scale * cos(4 * fr) * decay(4) }
      local odd, even = -8 * (6 * cos(fr) + cos(3 * fr)), 4 * (4 + 3 * cos(2 * fr))
      local a = { 1, -8 * cos(fr) * decay(1), even * decay(2), odd * decay(3),
        2 * (18 + 16 * cos(2 * fr) + cos(4 * fr)) * decay(4), odd * decay(5), even * decay(6),
        -8 * cos(fr) * decay(7), decay(8) }
      return shared.give_tf(device, b, a)
    end)
end
