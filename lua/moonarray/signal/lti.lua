--- Linear systems as objects, their responses in time and to frequencies, and poles at places.
--# signal_systems

local tostring = require("moonarray.text").tostring
local sformat, max, abs, pi, floor = require("moonarray.text").format, math.max, math.abs, math.pi, math.floor
local MOST_TIMES = 2 ^ 20              -- of a response, which is computed in Lua

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local host, forms, systems = shared.host, shared.forms, shared.systems
  local complex = host.complex

  -- ==== Objects ====================================================================================================

  local KINDS = { TransferFunction = 2, ZerosPolesGain = 3, StateSpace = 4 }
  local FIELDS = {
    TransferFunction = { num = 1, den = 2 },
    ZerosPolesGain = { zeros = 1, poles = 2, gain = 3 },
    StateSpace = { A = 1, B = 2, C = 3, D = 4 },
  }
  local methods, meta = {}, {}

  local function make(kind, parts, dt)
    return setmetatable({ kind = kind, parts = parts, dt = dt or false }, meta)
  end

  local function is_system(x) return type(x) == "table" and getmetatable(x) == meta end

  --> = system | ma.signal.lti({1}, {1, 1}) | A linear system.
  --> . dt: number|false | the step of a discrete system
  --> . kind: string | "TransferFunction", "ZerosPolesGain" or "StateSpace"
  --> . zeros: array | of the transfer function
  --> . poles: array | of the transfer function
  --> . gain: number | of the transfer function
  --> . num: array | of a TransferFunction
  --> . den: array | of a TransferFunction
  --> :impulse(...: any) -> any ... | As signal.impulse or dimpulse.
  --> system:impulse: local t, y = system:impulse {T = {0, 1, 2}}
  -->   return t, y
  --> :freqresp(w?: data, n?: integer) -> array, array | As signal.freqresp or dfreqresp.
  --> system:freqresp: local w, h = system:freqresp {0, 1}
  -->   return w, h
  --> :bode(w?: data, n?: integer) -> array, array, array | As signal.bode or dbode.
  --> system:bode: local w, magnitude, phase = system:bode {0.1, 1, 10}
  -->   return magnitude, phase
  function meta.__index(self, key)
    local place = FIELDS[rawget(self, "kind")][key]
    if place then
      local part = rawget(self, "parts")[place]
      return type(part) == "table" and core.asarray(part) or part
    end
    if methods[key] then return methods[key] end
    if key == "poles" or key == "zeros" or key == "gain" then return methods.to_zpk(self)[key] end
    core.unknown("signal." .. rawget(self, "kind"), key, FIELDS[rawget(self, "kind")], methods)
  end

  function meta.__tostring(self)
    local text = {}
    for k, v in ipairs(self.parts) do text[k] = tostring(type(v) == "table" and core.asarray(v) or v) end
    return sformat("%s(\n%s,\ndt: %s)", self.kind, table.concat(text, ",\n"), self.dt and tostring(self.dt) or "none")
  end

  --- The system's numbers as lists: {rows of num, den}, {z, p, k}, or matrices.
  local function state_space(name, s)
    local p = s.parts
    --> signal.StateSpace: ma.signal.StateSpace({{-1}}, {{1}}, {{1}}, {{0}}).A
    if s.kind == "StateSpace" then return systems.normal(name, p[1], p[2], p[3], p[4]) end
    --> signal.TransferFunction: ma.signal.TransferFunction({1}, {1, 1}).den
    if s.kind == "TransferFunction" then
      return systems.tf2ss(name, systems.numerators(name, p[1]), (host.coefficients(name, "den", p[2])))
    end
    local z, poles, k = shared.read_zpk(name, p[1], p[2], p[3])
    local b, a = forms.zpk2tf(z, poles, k)
    return systems.tf2ss(name, { b }, a)
  end

  local function transfer(name, s)
    local p = s.parts
    if s.kind == "TransferFunction" then
      local rows = systems.numerators(name, p[1])
      return rows[1], (host.coefficients(name, "den", p[2]))
    end
    --> signal.ZerosPolesGain: ma.signal.ZerosPolesGain({}, {-1}, 1).gain
    if s.kind == "ZerosPolesGain" then
      local z, poles, k = shared.read_zpk(name, p[1], p[2], p[3])
      return forms.zpk2tf(z, poles, k)
    end
    local a, b, c, d = state_space(name, s)
    local rows, den = systems.ss2tf(a, b, c, d, 1)
    return rows[1], den
  end

  --- The system that a function was given: an object, or a list of 2, 3 or 4 parts, with a step behind them if
  --- `discrete`.
  local function system_of(name, value, discrete)
    if is_system(value) then
      if discrete and not value.dt then fail(name, "a continuous system; wanted a discrete one") end
      if not discrete and value.dt then fail(name, "a discrete system; wanted a continuous one") end
      return value
    end
    local n = type(value) == "table" and not is_array(value) and #value or 0
    local parts = {}
    local last = discrete and n - 1 or n
    for k = 1, last do parts[k] = value[k] end
    for kind, count in pairs(KINDS) do
      if count == last then return make(kind, parts, discrete and common.number(name, "dt", value[n]) or nil) end
    end
    fail(name, sformat("system is %s; wanted an object, or {num, den}, {zeros, poles, gain} or {A, B, C, D}%s",
      core.describe(value), discrete and ", with dt behind" or ""))
  end

  local function constructor(kind, signature, doc)
    local name = "signal." .. kind
    def(name .. signature, doc .. " With dt it is a discrete system.", function(...)
      local count, given, parts = KINDS[kind], { ... }, {}
      for k = 1, count do
        if given[k] == nil then fail(name, sformat("%d parts; wanted %d", k - 1, count)) end
        local what = type(given[k])
        if what ~= "number" and what ~= "table" and not is_array(given[k]) and not ma.iscomplexobj(given[k]) then
          fail(name, sformat("part %d is %s; wanted a number, a list or an array", k, core.describe(given[k])))
        end
        parts[k] = given[k]
      end
      local dt = given[count + 1]
      local s = make(kind, parts, dt and common.number(name, "dt", dt))
      state_space(name, s)
      return s
    end)
  end
  constructor("TransferFunction", "(num: data, den: data; dt?: number) -> system",
    "A system by numerator and denominator.")
  constructor("ZerosPolesGain", "(zeros: data, poles: data, gain: data; dt?: number) -> system",
    "A system by zeros, poles and gain.")
  constructor("StateSpace", "(A: data, B: data, C: data, D: data; dt?: number) -> system",
    "A system by its four matrices.")

  local function by_parts(name, discrete)
    return function(a, b, c, d, dt)
      local list = { a, b, c, d }
      if discrete then list[#list + 1] = dt or 1 end
      return system_of(name, list, discrete)
    end
  end
  --> signal.lti: ma.signal.lti({1}, {1, 2}):to_zpk().gain
  def("signal.lti(a: data, b: data, c?: data, d?: data) -> system",
    "A continuous system of two parts (num, den), three (zeros, poles, gain) or four "
    .. "(matrices).", by_parts("signal.lti", false))
  --> signal.dlti: ma.signal.dlti({1}, {1, -0.5}).dt
  def("signal.dlti(a: data, b: data, c?: data, d?: data; dt?: number) -> system",
    "A discrete system of two, three or four parts, with steps of dt (1).",
    by_parts("signal.dlti", true))

  --> :to_tf() -> system | As a TransferFunction.
  --> system:to_tf: system:to_tf().num, system:to_tf().den
  function methods.to_tf(self)
    local b, a = transfer("signal.lti.to_tf", self)
    return make("TransferFunction", { host.array(b), host.array(a) }, self.dt)
  end
  --> :to_zpk() -> system | As a ZerosPolesGain.
  --> system:to_zpk: system:to_zpk().poles
  function methods.to_zpk(self)
    if self.kind == "ZerosPolesGain" then return self end
    local b, a = transfer("signal.lti.to_zpk", self)
    local z, p, k = forms.tf2zpk("signal.lti.to_zpk", b, a)
    return make("ZerosPolesGain", { host.complex_array(z), host.complex_array(p), host.value(k) }, self.dt)
  end
  --> :to_ss() -> system | As a StateSpace.
  --> system:to_ss: system:to_ss().A
  function methods.to_ss(self)
    local a, b, c, d, inputs = state_space("signal.lti.to_ss", self)
    return make("StateSpace", { host.matrix_array(a, nil, #a), host.matrix_array(b, nil, inputs),
      host.matrix_array(c, nil, #a), host.matrix_array(d, nil, inputs) }, self.dt)
  end
  --> :to_discrete(dt: number, method?: string, alpha?: number) -> system | Sampled with steps of dt.
  --> system:to_discrete: system:to_discrete(0.1).dt
  function methods.to_discrete(self, dt, method, alpha)
    local results = { ma.signal.cont2discrete(host.from(self.parts, 1), dt, method, alpha) }
    results[#results] = nil
    return make(self.kind, results, dt)
  end

  -- ==== Responses in time ==========================================================================================

  local function times(name, t)
    local list = host.coefficients(name, "T", t)
    if list[1] ~= 0 and #list == 1 then fail(name, "one time that is not 0; wanted times from 0 on") end
    return list
  end

  --- The state behind x with the input u: a x + b u.
  local function advanced(a, b, x, u)
    local y = {}
    for i = 1, #a do
      local sum = 0
      for j = 1, #a do sum = sum + a[i][j] * x[j] end
      for j = 1, #u do sum = sum + b[i][j] * u[j] end
      y[i] = sum
    end
    return y
  end

  --- Simulates the states at equal steps. Between the steps inputs follow a line, or keep their value for `steps`.
  local function simulate(name, a, b, c, d, u, dt, start, interpolates)
    local n, inputs, count = #a, #d[1], #u
    local step
    if interpolates then
      local ad, bd, _, dd = systems.discrete(name, a, b, systems.identity(n), systems.zeros(n, inputs), inputs, dt,
        "foh")
      -- the states of "foh" are x - gamma2 u, with gamma2 in dd
      --> :step(...: any) -> any ... | As signal.step or dstep.
      --> system:step: local t, y = system:step {T = {0, 1, 2}}
      -->   return t, y
      step = function(x, now, next)
        local y = {}
        for i = 1, n do
          local sum = 0
          for j = 1, n do sum = sum + ad[i][j] * (x[j]) end
          for j = 1, inputs do
            -- bd = gamma1 - gamma2 + ad gamma2; gamma1 - gamma2 = bd - ad dd
            local gap = bd[i][j]
            for k = 1, n do gap = gap - ad[i][k] * dd[k][j] end
            sum = sum + gap * now[j] + dd[i][j] * next[j]
          end
          y[i] = sum
        end
        return y
      end
    else
      local ad, bd = systems.discrete(name, a, b, c, d, inputs, dt, "zoh")
      step = function(x, now) return advanced(ad, bd, x, now) end
    end
    local states = { start }
    for k = 2, count do states[k] = step(states[k - 1], u[k - 1], u[k]) end
    return states
  end

  local function outputs(c, d, states, u)
    local y = {}
    for k = 1, #states do
      y[k] = {}
      for r = 1, #d do
        local sum = 0
        for j = 1, #states[k] do sum = sum + c[r][j] * states[k][j] end
        for j = 1, #d[1] do sum = sum + d[r][j] * u[k][j] end
        y[k][r] = sum
      end
    end
    return y
  end

  --- Inputs as rows, one for each time.
  local function inputs_of(name, u, count, inputs)
    if u == nil or u == 0 then
      return host.zeros(count, inputs)
    end
    local rows
    if is_array(u) and u.ndim == 2 or type(u) == "table" and type(u[1]) == "table" then
      rows = host.matrix(name, "U", u)
    else
      rows = host.map(host.coefficients(name, "U", u), function(v) return { v } end)
    end
    if count and #rows ~= count or #rows[1] ~= inputs then
      fail(name, sformat("U of %d rows and %d columns; wanted %s and %d", #rows, #rows[1], count or "any", inputs))
    end
    return rows
  end

  --- A vector where there is one column, else a matrix.
  local function squeeze(rows, device)
    if #rows > 0 and #rows[1] == 1 then
      return host.array(host.map(rows, function(row) return row[1] end), device)
    end
    return host.matrix_array(rows, device)
  end

  local function start_of(name, x0, n)
    if x0 == nil then return host.repeated(0, n) end
    local list = host.list(name, "X0", x0)
    if #list ~= n then fail(name, sformat("%d states in X0; wanted %d", #list, n)) end
    return list
  end

  --> signal.lsim: (ma.signal.lsim({{1}, {1, 1}}, {1, 1, 1}, {0, 1, 2}))
  def("signal.lsim(system: system|table, U: data, T: data, X0?: data, interp?: boolean) -> array, array, array",
    "Times, outputs and states of a continuous system for inputs U at "
    .. "equally spaced times T, between which they go along lines, or stay with interp = false.",
    function(system, u, t, x0, interp)
      local name = "signal.lsim"
      local a, b, c, d = state_space(name, system_of(name, system))
      local list = times(name, t)
      local rows = inputs_of(name, u, #list, #d[1])
      local dt = list[2] and list[2] - list[1] or 1
      for k = 3, #list do
        if abs(list[k] - list[k - 1] - dt) > 1e-8 * max(abs(dt), 1e-300) * 10 then
          fail(name, "T that is not equally spaced; wanted equal steps")
        end
      end
      local start = start_of(name, x0, #a)
      if list[1] ~= 0 and #a > 0 then
        local ahead = systems.expm(systems.combine(systems.zeros(#a, #a), a, list[1]))
        start = host.map(systems.multiply(ahead, host.map(start, function(v) return { v } end)),
          function(row) return row[1] end)
      end
      local states = simulate(name, a, b, c, d, rows, dt, start, interp ~= false)
      return host.array(list), squeeze(outputs(c, d, states, rows)), squeeze(states)
    end)

  --- Times up to which a response is about at rest.
  local function default_times(name, a, n)
    local den = systems.characteristic(a)
    local slowest
    for _, p in ipairs(host.roots(den)) do
      local r = abs(complex.re(p))
      slowest = slowest and math.min(slowest, r) or r
    end
    if not slowest or slowest == 0 then slowest = 1 end
    local list = {}
    common.whole(name, "N", n, 2, MOST_TIMES)
    for k = 1, n do list[k] = 7 / slowest * (k - 1) / (n - 1) end
    return list
  end

  --- Times and outputs for an input that stays, 1, or for an impulse in front of an input of 0.
  local function response(name, system, x0, t, n, input)
    local a, b, c, d = state_space(name, system_of(name, system))
    if #d[1] ~= 1 then fail(name, sformat("%d inputs; wanted one", #d[1])) end
    local list = t ~= nil and times(name, t) or default_times(name, a, n or 100)
    local start, rows = start_of(name, x0, #a), {}
    for i = 1, input == 0 and #a or 0 do start[i] = start[i] + b[i][1] end
    for k = 1, #list do rows[k] = { input } end
    local states = simulate(name, a, b, c, d, rows, list[2] and list[2] - list[1] or 1, start, false)
    return host.array(list), squeeze(outputs(c, input == 0 and systems.zeros(#d, 1) or d, states, rows))
  end

  --> signal.impulse: (ma.signal.impulse({{1}, {1, 1}}, {N = 3})).size
  def("signal.impulse(system: system|table, X0?: data, T?: data, N?: integer) -> array, array",
    "Times and the output of a continuous system behind an impulse, at N "
    .. "(100) times that show it, or at T.", function(system, x0, t, n)
    return response("signal.impulse", system, x0, t, n, 0)
  end)

  --> signal.step: (ma.signal.step({{1}, {1, 1}}, {N = 3})).size
  def("signal.step(system: system|table, X0?: data, T?: data, N?: integer) -> array, array",
    "Times and the output of a continuous system whose input becomes 1 at time 0.",
    function(system, x0, t, n) return response("signal.step", system, x0, t, n, 1) end)

  --- States and outputs of a discrete system, as rows.
  local function run(name, s, rows, x0)
    local a, b, c, d = state_space(name, s)
    local states = { start_of(name, x0, #a) }
    for k = 2, #rows do states[k] = advanced(a, b, states[k - 1], rows[k - 1]) end
    return outputs(c, d, states, rows), states
  end

  local function steps(n, dt)
    local list = {}
    for k = 1, n do list[k] = (k - 1) * dt end
    return host.array(list)
  end

  --> signal.dlsim: select(2, ma.signal.dlsim({{1}, {1, -0.5}, 1}, {1, 1, 1}))
  def("signal.dlsim(system: system|table, u: data, t?: data, x0?: data) -> array, array",
    "Times and outputs of a discrete system for inputs u, and its states if it "
    .. "is in state space. With times t, u goes along lines between equally spaced ones up to the last of them.",
    function(system, u, t, x0)
      local name = "signal.dlsim"
      local s = system_of(name, system, true)
      local _, _, _, d = state_space(name, s)
      local rows, out = inputs_of(name, u, nil, #d[1]), {}
      if t ~= nil then
        local at = host.coefficients(name, "t", t)
        if #at ~= #rows then fail(name, sformat("%d times of %d inputs; wanted as many", #at, #rows)) end
        local given, k = rows, 1
        rows = {}
        local stop = at[#at]
        local count = floor(stop / s.dt) + 1
        if count ~= count or count < 1 or count > MOST_TIMES then
          fail(name, sformat("t ends at %g with steps of %g; wanted 1 to %d steps", stop, s.dt, MOST_TIMES))
        end
        for i = 0, count - 1 do
          local now = count > 1 and stop * i / (count - 1) or 0
          out[i + 1] = now
          while k < #at - 1 and now > at[k + 1] do k = k + 1 end
          local part = at[k + 1] and (now - at[k]) / (at[k + 1] - at[k]) or 0
          rows[i + 1] = {}
          for j = 1, #given[1] do
            rows[i + 1][j] = given[k][j] + ((given[k + 1] or given[k])[j] - given[k][j]) * math.min(max(part, 0), 1)
          end
        end
      end
      local y, x = run(name, s, rows, x0)
      local when = t ~= nil and host.array(out) or steps(#rows, s.dt)
      if s.kind ~= "StateSpace" then return when, host.matrix_array(y) end
      return when, host.matrix_array(y), host.matrix_array(x, nil, x[1] and #x[1])
    end)

  --- For each input the response to value(k) at it, with 0 at all others.
  local function each_input(name, system, x0, t, n, value)
    local s = system_of(name, system, true)
    local _, _, _, d = state_space(name, s)
    local count = common.whole(name, "n", n or 100, 1, MOST_TIMES)
    if t ~= nil then count = #host.coefficients(name, "t", t) end
    local list = {}
    for input = 1, #d[1] do
      local rows = {}
      for k = 1, count do
        rows[k] = host.repeated(0, #d[1])
        rows[k][input] = value(k)
      end
      list[input] = host.matrix_array((run(name, s, rows, x0)))
    end
    return t ~= nil and core.asarray(t) or steps(count, s.dt), list
  end

  --> signal.dimpulse: (ma.signal.dimpulse({{1}, {1, -0.5}, 1}, {n = 3}))
  def("signal.dimpulse(system: system|table, x0?: data, t?: data, n?: integer) -> array, table",
    "Times, and a list with the output of a discrete system behind an "
    .. "impulse at each of its inputs.", function(system, x0, t, n)
    return each_input("signal.dimpulse", system, x0, t, n, function(k) return k == 1 and 1 or 0 end)
  end)
  --> signal.dstep: (ma.signal.dstep({{1}, {1, -0.5}, 1}, {n = 3}))
  def("signal.dstep(system: system|table, x0?: data, t?: data, n?: integer) -> array, table",
    "Times, and a list with the output of a discrete system for an input of 1 "
    .. "at each of its inputs.", function(system, x0, t, n)
    return each_input("signal.dstep", system, x0, t, n, function() return 1 end)
  end)

  -- ==== Responses to frequencies ===================================================================================

  --> signal.freqresp: (ma.signal.freqresp({{1}, {1, 1}}, {1, 10}))
  def("signal.freqresp(system: system|table, w?: data, n?: integer) -> array, array",
    "Frequencies and the response of a continuous system there.",
    function(system, w, n)
      local name = "signal.freqresp"
      local b, a = transfer(name, system_of(name, system))
      return ma.signal.freqs(b, a, w or n or 10000)
    end)
  --> signal.dfreqresp: (ma.signal.dfreqresp({{1}, {1, -0.5}, 1}, {0.1, 1}))
  def("signal.dfreqresp(system: system|table, w?: data, n?: integer, whole?: boolean) -> array, array",
    "Frequencies, in radians a sample, and the response of a discrete "
    .. "system there.", function(system, w, n, whole)
    local name = "signal.dfreqresp"
    local b, a = transfer(name, system_of(name, system, true))
    b, a = host.trim(b), host.trim(a)
    -- freqz takes powers of 1 / z from 0 on
    return ma.signal.freqz(host.concat(host.repeated(0, max(#a - #b, 0)), b), a, w or n or 10000, whole)
  end)

  local function decibels(w, h)
    return w, ma.log10(ma.abs(h)) * 20, ma.unwrap(ma.angle(h)) * (180 / pi)
  end
  --> signal.bode: (ma.signal.bode({{1}, {1, 1}}, {1, 10}))
  def("signal.bode(system: system|table, w?: data, n?: integer) -> array, array, array",
    "Frequencies, magnitudes in dB and phases in degrees of a continuous system.",
    function(system, w, n) return decibels(ma.signal.freqresp(system, w, n or 100)) end)
  --> signal.dbode: (ma.signal.dbode({{1}, {1, -0.5}, 1}, {0.1, 1}))
  def("signal.dbode(system: system|table, w?: data, n?: integer) -> array, array, array",
    "Frequencies in radians a second, magnitudes in dB and phases in degrees of a "
    .. "discrete system.", function(system, w, n)
    local s = system_of("signal.dbode", system, true)
    local own, h = ma.signal.dfreqresp(s, w, n or 100)
    return decibels(own / s.dt, h)
  end)

  for _, short in ipairs { "impulse", "step", "freqresp", "bode" } do
    methods[short] = function(self, ...)
      if self.dt then return ma.signal["d" .. short](self, ...) end
      return ma.signal[short](self, ...)
    end
  end
  --> :output(u: data, t: data, x0?: data) -> array, array, array | As signal.lsim or dlsim.
  --> system:output: local t, y = system:output({1, 1, 1}, {0, 1, 2})
  -->   return y
  function methods.output(self, u, t, x0)
    if self.dt then return ma.signal.dlsim(self, u, t, x0) end
    return ma.signal.lsim(self, u, t, x0)
  end
end
