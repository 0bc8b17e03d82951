--- ma.signal.windows: the windows of scipy.signal.windows, float64 vectors by SciPy's formulas, and get_window.

local sformat, floor, pi = require("moonarray.text").format, math.floor, math.pi
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  local FORM = " A window of M points: symmetric, or with sym = false one period of it."

  local make = {}                        -- NAME: make(M, sym, device, parameters...), for windows by name

  --- Defines windows.NAME(M, parameters..., sym?). formula(n, M, parameters...) gets the positions 0 .. M - 1. A
  --- periodic window drops the last point: it is not computed at all, unless `whole` says that the other points depend
  --- on it.
  ---@param parameters string ", beta", or ""
  ---@param defaults any[] of the parameters
  local function window(name, parameters, defaults, doc, formula, whole)
    local full = "signal.windows." .. name
    local _, count = parameters:gsub(",", "")
    local function points(m, sym, device, values)
      common.whole(full, "M", m, 0)
      for k = 1, count do
        if values[k] == nil then values[k] = defaults[k] end
      end
      local options = { dtype = "float64", device = device }
      if m <= 1 then return ma.ones(m, options) end
      local size = sym == false and m + 1 or m
      local w = formula(ma.arange(0, whole and size or m, 1, options), size, values, sym ~= false, options)
      return size == m and w or whole and w[{ { 1, m } }]:copy() or w
    end
    make[name] = points
    def(sformat("%s(M: integer%s, sym?: boolean; device?: string) -> array",
      full, parameters), doc .. FORM, function(m, ...)
      if count == 0 then
        local sym, device = ...
        return points(m, sym, device)
      end
      local given = { ... }
      local sym, device = given[count + 1], given[count + 2]
      given[count + 1], given[count + 2] = nil, nil
      return points(m, sym, device, given)
    end)
  end

  local function cosines(n, m, list)
    local sum
    for k = #list, 1, -1 do
      local term = k == 1 and list[1] or ma.cos(n * (2 * pi * (k - 1) / (m - 1)) - pi * (k - 1)) * list[k]
      sum = sum and sum + term or term
    end
    return type(sum) == "number" and ma.full_like(n, sum) or sum
  end

  local function cosine_sum(name, doc, list)
    window(name, "", {}, doc, function(n, m) return cosines(n, m, list) end)
  end

  local function check_number(name, what, value) return common.number("signal.windows." .. name, what, value) end

  --> signal.windows.boxcar(5)
  window("boxcar", "", {}, "All ones.", function(n) return ma.ones_like(n) end)
  --> signal.windows.triang(5)
  window("triang", "", {}, "A triangle whose ends are not 0.", function(n, m)
    return 1 - ma.abs(n * 2 - (m - 1)) / (m % 2 == 0 and m or m + 1)
  end)
  --> signal.windows.parzen(5)
  window("parzen", "", {}, "Parzen's window: four boxes convolved.", function(n, m)
    local x = ma.eval(ma.abs(n - (m - 1) / 2) / (m / 2))
    local left = ma.eval(1 - x)
    local near = 1 - x * x * left * 6
    return ma.where(x:le((m - 1) / (2 * m)), near, left * left * left * 2)
  end)
  --> signal.windows.bohman(5)
  window("bohman", "", {}, "Two half cosines convolved; 0 at both ends.", function(n, m)
    local x = ma.abs(n * (2 / (m - 1)) - 1)
    local inside = n:gt(0) * n:lt(m - 1)
    return ma.where(inside, (1 - x) * ma.cos(x * pi) + ma.sin(x * pi) / pi, 0)
  end)
  --> signal.windows.blackman(5)
  cosine_sum("blackman", "0.42, 0.5 and 0.08 of cosines.", { 0.42, 0.5, 0.08 })
  --> signal.windows.nuttall(5)
  cosine_sum("nuttall", "Nuttall's four cosines with the least sidelobes.",
    { 0.3635819, 0.4891775, 0.1365995, 0.0106411 })
  --> signal.windows.blackmanharris(5)
  cosine_sum("blackmanharris", "Blackman's and Harris's four cosines.", { 0.35875, 0.48829, 0.14128, 0.01168 })
  --> signal.windows.flattop(5)
  cosine_sum("flattop", "Five cosines with a flat top in the spectrum, for measuring amplitudes.",
    { 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368 })
  --> signal.windows.hann(5)
  cosine_sum("hann", "A raised cosine that is 0 at its ends.", { 0.5, 0.5 })
  --> signal.windows.hamming(5)
  cosine_sum("hamming", "A raised cosine that is 0.08 at its ends.", { 0.54, 0.46 })
  --> signal.windows.bartlett(5)
  window("bartlett", "", {}, "A triangle that is 0 at its ends.",
    function(n, m) return 1 - ma.abs(n * (2 / (m - 1)) - 1) end)
  --> signal.windows.barthann(5)
  window("barthann", "", {}, "Bartlett's and Hann's windows mixed.", function(n, m)
    local x = ma.abs(n / (m - 1) - 0.5)
    return 0.62 - x * 0.48 + ma.cos(x * (2 * pi)) * 0.38
  end)
  --> signal.windows.cosine(5)
  window("cosine", "", {}, "Half a period of a sine.", function(n, m) return ma.sin((n + 0.5) * (pi / m)) end)
  --> signal.windows.lanczos(5)
  window("lanczos", "", {}, "The main lobe of sin(x) / x.", function(n, m)
    return ma.sinc(ma.abs(n * 2 - (m - 1)) / (m - 1))
  end)

  --> signal.windows.general_cosine(5, {0.5, 0.5})
  window("general_cosine", ", a: data", {},
    "A sum of cosines with weights a: a[1] - a[2] cos + a[3] cos of twice the angle.",
    function(n, m, v)
      local list = core.is_array(v[1]) and v[1]:totable() or v[1]
      if type(list) ~= "table" or #list == 0 then
        fail("signal.windows.general_cosine", sformat("a is %s; wanted a list of weights", core.describe(v[1])))
      end
      for _, weight in ipairs(list) do check_number("general_cosine", "a weight", weight) end
      return cosines(n, m, list)
    end)
  --> signal.windows.general_hamming(5, 0.6)
  window("general_hamming", ", alpha: number", {}, "A raised cosine: alpha - (1 - alpha) cos.", function(n, m, v)
    local alpha = check_number("general_hamming", "alpha", v[1])
    return cosines(n, m, { alpha, 1 - alpha })
  end)
  window("kaiser", ", beta: number", {}, "Bessel's window: a larger beta makes it narrower.",
    function(n, m, v, _, options)
    local beta = check_number("kaiser", "beta", v[1])
    local x = n * (2 / (m - 1)) - 1
    return ma.i0(ma.sqrt(ma.maximum(1 - x * x, 0)) * beta) / ma.i0(ma.full({}, beta, options))
  end)
  --> signal.windows.gaussian(5, 1)
  window("gaussian", ", std: number", {}, "exp(-x^2 / (2 std^2)).", function(n, m, v)
    local std = check_number("gaussian", "std", v[1])
    local x = n - (m - 1) / 2
    return ma.exp(x * x * (-1 / (2 * std * std)))
  end)
  --> signal.windows.general_gaussian(5, 1, 1)
  window("general_gaussian", ", p: number, sig: number", {}, "exp(-|x / sig|^(2 p) / 2).", function(n, m, v)
    local p, sig = check_number("general_gaussian", "p", v[1]), check_number("general_gaussian", "sig", v[2])
    return ma.exp(ma.abs((n - (m - 1) / 2) / sig) ^ (2 * p) * -0.5)
  end)
  --> signal.windows.exponential(5)
  window("exponential", ", center?: number, tau?: number", { nil, 1 },
    "exp(-|n - center| / tau), with center counted from 0; the middle unless sym is false.",
    function(n, m, v, sym)
      if sym and v[1] ~= nil then
        fail("signal.windows.exponential", "center of a symmetric window; wanted sym = false with it")
      end
      local tau = check_number("exponential", "tau", v[2] or 1)
      return ma.exp(ma.abs(n - (v[1] and check_number("exponential", "center", v[1]) or (m - 1) / 2)) / -tau)
    end)
  --> signal.windows.tukey(5, 0.5)
  window("tukey", ", alpha?: number", { 0.5 }, "A flat top with cosines at both ends, which take the part alpha of it.",
    function(n, m, v)
      local alpha = check_number("tukey", "alpha", v[1])
      if alpha <= 0 then return ma.ones_like(n) end
      if alpha >= 1 then return cosines(n, m, { 0.5, 0.5 }) end
      local width = floor(alpha * (m - 1) / 2)
      local x = n * (2 / alpha / (m - 1))
      local rise, fall = (ma.cos((x - 1) * pi) + 1) * 0.5, (ma.cos((x + (1 - 2 / alpha)) * pi) + 1) * 0.5
      return ma.where(n:le(width), rise, ma.where(n:lt(m - width - 1), 1, fall))
    end)

  local function acosh(x) return math.log(x + math.sqrt(x * x - 1)) end

  --> signal.windows.chebwin(5, 100)
  window("chebwin", ", at: number", {},
    "Dolph's and Chebyshev's window, whose sidelobes are all at dB below the main lobe.",
    function(n, m, v, _, options)
      local at = math.abs(check_number("chebwin", "at", v[1]))
      local order = m - 1
      local beta = math.cosh(acosh(10 ^ (at / 20)) / order)
      local x = ma.cos(n * (pi / m)) * beta
      local size = ma.abs(x)
      local outside = ma.cosh(ma.arccosh(ma.maximum(size, 1)) * order)
      local p = ma.where(size:gt(1), ma.where(x:lt(0), m % 2 == 1 and 1 or -1, 1) * outside,
        ma.cos(ma.arccos(ma.clip(x, -1, 1)) * order))
      local w, half
      if m % 2 == 1 then
        half = (m + 1) / 2
        w = ma.real(ma.fft.fft(p))[{ { 1, half } }]
        w = ma.concatenate { w[{ { half, 2, -1 } }], w }
      else
        half = m / 2 + 1
        local turn = ma.exp(ma.arange(0, m, 1, options) * ma.complex(0, pi / m))
        w = ma.real(ma.fft.fft(p * turn))[{ { 2, half } }]
        w = ma.concatenate { w["::-1"], w }
      end
      return w / w:max()
    end, true)

  --> signal.windows.taylor(5)
  window("taylor", ", nbar?: integer, sll?: number, norm?: boolean", { 4, 30, true },
    "Taylor's window: nbar - 1 sidelobes beside the main lobe at sll dB below it; norm: 1 in the middle.",
    function(n, m, v)
      local nbar = common.whole("signal.windows.taylor", "nbar", v[1], 1, 1000)
      local sll = check_number("taylor", "sll", v[2])
      local a = acosh(10 ^ (sll / 20)) / pi
      local s2 = nbar ^ 2 / (a ^ 2 + (nbar - 0.5) ^ 2)
      local function sum_at(x)
        local sum = 1
        for k = 1, nbar - 1 do
          local numerator, denominator = k % 2 == 1 and 1 or -1, 2
          for j = 1, nbar - 1 do
            numerator = numerator * (1 - k * k / s2 / (a ^ 2 + (j - 0.5) ^ 2))
            if j ~= k then denominator = denominator * (1 - k * k / (j * j)) end
          end
          local angle = (x - m / 2 + 0.5) * (2 * pi * k / m)
          local cosine = type(angle) == "number" and math.cos(angle) or ma.cos(angle)
          sum = cosine * (2 * numerator / denominator) + sum
        end
        return sum
      end
      local w = sum_at(n)
      if type(w) == "number" then w = ma.ones_like(n) end
      return v[3] and w / sum_at((m - 1) / 2) or w
    end)

  --> signal.windows.kaiser_bessel_derived(4, 4)
  def("signal.windows.kaiser_bessel_derived(M: integer, beta: number; sym?: boolean, device?: string) -> array",
    "A window of an even number of points whose square and the square of its halves exchanged add up to 1.",
    function(m, beta, sym, device)
      local name = "signal.windows.kaiser_bessel_derived"
      if sym == false then fail(name, "sym = false; this window is only symmetric") end
      if common.whole(name, "M", m, 0) % 2 == 1 then fail(name, sformat("M is %d; wanted an even number", m)) end
      if m == 0 then return ma.zeros(0, { dtype = "float64", device = device }) end
      local half = m / 2
      local sums = ma.cumsum(ma.signal.windows.kaiser(half + 1, beta, { device = device }))
      local w = ma.sqrt(sums[{ { 1, half } }] / sums[{ { half + 1, half + 1 } }])
      return ma.concatenate { w, w["::-1"] }
    end)

  -- ==== By name ====================================================================================================

  --- A line each: the window, how many parameters it takes (least, most), its names.
  local TABLE = [[
    barthann 0 0 barthann brthan bth
    bartlett 0 0 bartlett bart brt
    blackman 0 0 blackman black blk
    blackmanharris 0 0 blackmanharris blackharr bkh
    bohman 0 0 bohman bman bmn
    boxcar 0 0 boxcar box ones rect rectangular
    chebwin 1 1 chebwin cheb
    cosine 0 0 cosine halfcosine
    exponential 0 2 exponential poisson
    flattop 0 0 flattop flat flt
    gaussian 1 1 gaussian gauss gss
    general_cosine 1 1 general_cosine
    general_gaussian 2 2 general_gaussian general_gauss ggs
    general_hamming 1 1 general_hamming
    hamming 0 0 hamming hamm ham
    hann 0 0 hann han
    kaiser 1 1 kaiser ksr
    kaiser_bessel_derived 1 1 kaiser_bessel_derived kbd
    lanczos 0 0 lanczos sinc
    nuttall 0 0 nuttall nutl nut
    parzen 0 0 parzen parz par
    taylor 0 3 taylor taylorwin
    triang 0 0 triangle triang tri
    tukey 0 1 tukey tuk
  ]]
  local by_name = {}
  for line in TABLE:gmatch("[^\n]+") do
    local name, least, most, names = line:match("(%S+) (%d) (%d) (.*)$")
    for other in (names or ""):gmatch("%S+") do
      by_name[other] = { name = name, least = tonumber(least), most = tonumber(most) }
    end
  end

  --- A window by what get_window takes; name is that of the calling function.
  function shared.window(name, wanted, n, periodic, device)
    --> signal.windows.kaiser(5, 14)
    if type(wanted) == "number" then wanted = { "kaiser", wanted } end
    local text = type(wanted) == "table" and wanted[1] or wanted
    if type(text) ~= "string" then
      fail(name, sformat("window is %s; wanted a name, {name, parameters ...} or the beta of kaiser",
        core.describe(wanted)))
    end
    local entry = by_name[text]
    if not entry then
      local plain = text:gsub(" ", "_")
      local base, form = plain:match("^(.*)_(symmetric)$")
      if not base then base, form = plain:match("^(.*)_(periodic)$") end
      if base then plain, periodic = base, form == "periodic" end
      entry = by_name[plain]
    end
    if not entry then fail(name, sformat("window is '%s'; wanted a name such as 'hann' (docs/signal.md)", text)) end
    local values = type(wanted) == "table" and { unpack(wanted, 2) } or {}
    if #values < entry.least or #values > entry.most then
      fail(name, sformat("%d parameters of window '%s'; wanted %s", #values, text, entry.least == entry.most and
        tostring(entry.least) or entry.least .. " to " .. entry.most))
    end
    local points = make[entry.name]
    if points then return points(n, not periodic, device, values) end
    values[#values + 1] = { sym = not periodic, device = device }
    return ma.signal.windows[entry.name](n, unpack(values))
  end

  local ABOUT = "A window by name: 'hann', {'kaiser', beta}, {'tukey', alpha}, or a number, the beta of kaiser. One " ..
    "period of it for spectra, unless fftbins is false."
  --# signal_windows
  --> signal.get_window("hann", 4)
  --> signal.windows.get_window("hamming", 5)
  for _, name in ipairs { "signal.get_window", "signal.windows.get_window" } do
    def(name .. "(window: string|table|number|array, Nx: integer, fftbins?: boolean; device?: string) -> array",
      ABOUT, function(wanted, n, fftbins, device)
      common.whole(name, "Nx", n, 1)
      return shared.window(name, wanted, n, fftbins ~= false, device)
    end)
  end

  --- Windows of a call: a name, or the values themselves, of n points, on a device.
  function shared.window_values(name, wanted, n, device, dtype)
    if shared.is_values(wanted) then
      local w = core.asarray(wanted, { device = device })
      if w.ndim ~= 1 or (n and w.size ~= n) then
        fail(name, sformat("a window in %s; wanted a vector%s", core.describe(w), n and " of " .. n or ""))
      end
      return dtype and w:astype(dtype, { copy = false }) or w
    end
    if type(wanted) == "function" then return core.asarray(wanted(ma.fft.fftfreq(n, { device = device }))) end
    local w = shared.window(name, wanted, n, true, device)
    return dtype and w:astype(dtype, { copy = false }) or w
  end
end
