--- Waveforms: sweeps, pulses, square and saw-toothed waves, sequences.

local sformat = require("moonarray.text").format
local pi, floor, log, exp, sqrt = math.pi, math.floor, math.log, math.exp, math.sqrt
local has_ffi = pcall(require, "ffi")

--- The sum of two bits.
local function add(a, b) return a == b and 0 or 1 end

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local host = shared.host

  local function times(name, t)
    t = shared.floating(t)
    if shared.is_complex(t) then fail(name, sformat("t is a %s array; wanted real times", t.dtype)) end
    return t
  end

  local function part_of(name, what, value, t)
    if is_array(value) then return shared.floating(value) end
    return common.number(name, what, value), t
  end

  --> signal.sawtooth({0, 1, 2})
  def("signal.sawtooth(t: data, width?: data|number) -> array",
    "A wave of period 2 pi that rises from -1 to 1 in the part width (1) of it and "
    .. "falls in the rest; NaN where width is not in 0 .. 1.", function(t, width)
    local name = "signal.sawtooth"
    t = times(name, t)
    width = part_of(name, "width", width == nil and 1 or width)
    local phase = ma.mod(t, 2 * pi)
    local w = core.asarray(width, { device = t.device, dtype = t.dtype })
    local rising = phase:lt(w * (2 * pi))
    local up = phase / (ma.where(w:eq(0), 1, w) * pi) - 1
    local down = ((w + 1) * pi - phase) / (ma.where(w:eq(1), 2, 1 - w) * pi)
    local bad = w:gt(1) + w:lt(0)
    return ma.where(bad, ma.nan, ma.where(rising, up, down))
  end)

  --> signal.square({0, 1, 4})
  def("signal.square(t: data, duty?: number) -> array",
    "A wave of period 2 pi that is 1 in the part duty (0.5) of it and -1 in the rest; NaN "
    .. "where duty is not in 0 .. 1.", function(t, duty)
    local name = "signal.square"
    t = times(name, t)
    duty = part_of(name, "duty", duty == nil and 0.5 or duty)
    local d = core.asarray(duty, { device = t.device, dtype = t.dtype })
    local bad = d:gt(1) + d:lt(0)
    return ma.where(bad, ma.nan, ma.where(ma.mod(t, 2 * pi):lt(d * (2 * pi)), 1, -1)):astype(t.dtype)
  end)

  --> signal.gausspulse({0, 0.1}, 2)
  def("signal.gausspulse(t: data, fc?: number, bw?: number, bwr?: number, tpr?: number, retquad?: boolean, "
    .. "retenv?: boolean) -> array", "A cosine of fc (1000) Hz in a Gaussian "
    .. "envelope of relative bandwidth bw (0.5) at bwr (-6) dB. t = 'cutoff': the time at which the envelope is tpr "
    .. "(-60) dB down. With retquad the sine follows, with retenv the envelope.",
    function(t, fc, bw, bwr, tpr, retquad, retenv)
      local name = "signal.gausspulse"
      fc, bw, bwr = common.number(name, "fc", fc or 1000), common.number(name, "bw", bw or 0.5),
        common.number(name, "bwr", bwr or -6)
      tpr = common.number(name, "tpr", tpr or -60)
      if fc < 0 then fail(name, sformat("fc is %g; wanted 0 or more", fc)) end
      if bw <= 0 then fail(name, sformat("bw is %g; wanted more than 0", bw)) end
      if bwr >= 0 then fail(name, sformat("bwr is %g; wanted less than 0", bwr)) end
      local a = -(pi * fc * bw) ^ 2 / (4 * log(10 ^ (bwr / 20)))
      if t == "cutoff" then
        if tpr >= 0 then fail(name, sformat("tpr is %g; wanted less than 0", tpr)) end
        return sqrt(-log(10 ^ (tpr / 20)) / a)
      end
      t = times(name, t)
      local envelope = ma.exp(t * t * -a)
      local results = { envelope * ma.cos(t * (2 * pi * fc)) }
      if retquad then results[#results + 1] = envelope * ma.sin(t * (2 * pi * fc)) end
      if retenv then results[#results + 1] = envelope end
      return unpack(results)
    end)

  local METHODS = { linear = "linear", lin = "linear", li = "linear", quadratic = "quadratic", quad = "quadratic",
    q = "quadratic", logarithmic = "logarithmic", log = "logarithmic", lo = "logarithmic", hyperbolic = "hyperbolic",
    hyp = "hyperbolic" }

  --> signal.chirp({0, 0.5, 1}, 1, 1, 4)
  def("signal.chirp(t: data, f0: number, t1: number, f1: number, method?: string, phi?: number, "
    .. "vertex_zero?: boolean; complex?: boolean) -> array", "A cosine whose frequency goes from f0 at "
    .. "time 0 to f1 at t1: 'linear', 'quadratic', 'logarithmic' or 'hyperbolic'; phi: its phase in degrees.",
    function(t, f0, t1, f1, method, phi, vertex_zero, is_complex)
      local name = "signal.chirp"
      t = times(name, t)
      f0, t1, f1 = common.number(name, "f0", f0), common.number(name, "t1", t1), common.number(name, "f1", f1)
      local kind = METHODS[method or "linear"]
      if not kind then fail(name, sformat("method is %s; wanted 'linear', 'quadratic', 'logarithmic' or 'hyperbolic'",
        core.describe(method))) end
      local phase
      if kind == "linear" then
        phase = (t * f0 + t * t * ((f1 - f0) / t1 / 2)) * (2 * pi)
      elseif kind == "quadratic" then
        local beta = (f1 - f0) / t1 ^ 2
        if vertex_zero ~= false then phase = (t * f0 + t ^ 3 * (beta / 3)) * (2 * pi)
        else phase = (t * f1 + ((t1 - t) ^ 3 - t1 ^ 3) * (beta / 3)) * (2 * pi) end
      elseif kind == "logarithmic" then
        if f0 * f1 <= 0 then fail(name, "f0 and f1 of different signs or 0; wanted one sign for 'logarithmic'") end
        if f0 == f1 then phase = t * (2 * pi * f0) else
          local beta = t1 / log(f1 / f0)
          phase = (ma.exp(t * (log(f1 / f0) / t1)) - 1) * (2 * pi * beta * f0)
        end
      else
        if f0 == 0 or f1 == 0 then fail(name, "a frequency of 0; wanted others for 'hyperbolic'") end
        if f0 == f1 then phase = t * (2 * pi * f0) else
          local sing = -f1 * t1 / (f0 - f1)
          phase = ma.log(ma.abs(1 - t / sing)) * (2 * pi * -sing * f0)
        end
      end
      phase = phase + common.number(name, "phi", phi or 0) * (pi / 180)
      if is_complex then return ma.exp(phase * ma.complex(0, 1)) end
      return ma.cos(phase)
    end)

  --> signal.sweep_poly({0, 0.5}, {1, 0})
  def("signal.sweep_poly(t: data, poly: data, phi?: number) -> array",
    "A cosine whose frequency at time t is a polynomial of it, with coefficients "
    .. "from the highest power down; phi: its phase in degrees.", function(t, poly, phi)
    local name = "signal.sweep_poly"
    t = times(name, t)
    if type(poly) == "table" and rawget(poly, "coeffs") == nil and type(poly[1]) ~= "number" and poly.coeffs then
      poly = poly.coeffs
    end
    local list, sum = host.coefficients(name, "poly", poly), nil
    for k = 1, #list do
      local c = list[k] / (#list - k + 1)
      sum = sum and sum * t + c or t * 0 + c
    end
    return ma.cos(sum * t * (2 * pi) + common.number(name, "phi", phi or 0) * (pi / 180))
  end)

  --> signal.unit_impulse(4, 2)
  def("signal.unit_impulse(shape: integer|integer[], idx?: integer|integer[]|string, "
    .. "dtype?: dtype; device?: string) -> array",
    "Zeros with a 1 at position idx: the first along all axes, 'mid', a number or one for each axis.",
    function(shape, idx, dtype, device)
      local name = "signal.unit_impulse"
      shape = common.shape(name, "shape", shape)
      local place = {}
      for d = 1, #shape do
        local k
        if idx == nil then k = 1 elseif idx == "mid" then k = floor(shape[d] / 2) + 1
        elseif type(idx) == "table" then k = idx[d] else k = idx end
        place[d] = common.whole(name, "idx", k)
      end
      if type(idx) == "table" and #idx ~= #shape then
        fail(name, sformat("%d positions for %d axes; wanted one each", #idx, #shape))
      end
      local a = ma.zeros(shape, { dtype = dtype or "float64", device = device })
      a[place] = 1
      return a
    end)

  -- By the number of bits, from 2 on.
  local TAPS = { { 1 }, { 2 }, { 3 }, { 3 }, { 5 }, { 6 }, { 7, 6, 1 }, { 5 }, { 7 }, { 9 }, { 11, 10, 4 },
    { 12, 11, 8 }, { 13, 12, 2 }, { 14 }, { 15, 13, 4 }, { 14 }, { 11 }, { 18, 17, 14 }, { 17 }, { 19 }, { 21 },
    { 18 }, { 23, 22, 17 }, { 22 }, { 25, 24, 20 }, { 26, 25, 22 }, { 25 }, { 27 }, { 29, 28, 7 }, { 28 },
    { 31, 30, 10 } }

  --> signal.max_len_seq: (ma.signal.max_len_seq(3))
  def("signal.max_len_seq(nbits: integer, state?: data, length?: integer, taps?: data; device?: string) -> array, "
    .. "array", "A sequence of 0 and 1 of a register of nbits with "
    .. "feedback, 2^nbits - 1 long before it repeats, and the last state, both int8.",
    function(nbits, state, length, taps, device)
      local name = "signal.max_len_seq"
      common.whole(name, "nbits", nbits, 2)
      if taps == nil then
        taps = TAPS[nbits - 1]
        if not taps then fail(name, sformat("nbits is %d without taps; wanted 2 to 32", nbits)) end
      else
        local seen, list = {}, {}
        for _, tap in ipairs(host.list(name, "taps", taps)) do
          if common.whole(name, "a tap", tap, 0) > nbits then
            fail(name, sformat("a tap is %d; wanted at most nbits, %d", tap, nbits))
          end
          if not seen[tap] then list[#list + 1] = tap end
          seen[tap] = true
        end
        taps = list
      end
      local most = 2 ^ nbits - 1
      length = common.whole(name, "length", length or most, 0)
      local bits, any = {}, false
      if state == nil then
        for k = 1, nbits do bits[k - 1] = 1 end
        any = true
      else
        local list = host.list(name, "state", state)
        if #list ~= nbits then fail(name, sformat("a state of %d bits; wanted %d", #list, nbits)) end
        for k = 1, nbits do
          bits[k - 1] = list[k] ~= 0 and 1 or 0
          any = any or list[k] ~= 0
        end
      end
      if not any then fail(name, "a state of zeros; wanted a 1 in it") end
      -- Each bit is the sum of those nbits and tap places before it, so the register is the sequence's end.
      local all = ma.zeros(length + nbits, { dtype = "int8", device = "cpu" })
      local to = has_ffi and all:data() or {}
      for k = 0, nbits - 1 do to[k] = bits[k] end
      local first, second, third = taps[1], taps[2], taps[3]
      if #taps == 1 then
        for k = 0, length - 1 do to[k + nbits] = add(to[k], to[k + first % nbits]) end
      elseif #taps == 3 then
        first, second, third = first % nbits, second % nbits, third % nbits
        for k = 0, length - 1 do
          to[k + nbits] = add(add(to[k], to[k + first]), add(to[k + second], to[k + third]))
        end
      else
        for k = 0, length - 1 do
          local feedback = to[k]
          for j = 1, #taps do feedback = add(feedback, to[k + taps[j] % nbits]) end
          to[k + nbits] = feedback
        end
      end
      if not has_ffi then
        for k = 0, length + nbits - 1 do all[{ k + 1 }] = to[k] end
      end
      device = device or ma.device()
      return all[{ { 1, length } }]:to(device), all[{ { length + 1, length + nbits } }]:copy():to(device)
    end)

  return exp
end
