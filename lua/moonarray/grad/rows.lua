--- Derivatives of the rows of kernels/ops.def and special.def: the expressions of kernels/derivatives.def as functions,
--- and the handler of the operations that a differentiated function applies.

local sformat = require("moonarray.text").format
local load = rawget(_G, "loadstring") or load
local places = require "moonarray.grad.record"
local FILTER, X, Y, Z, W, R = places.FILTER, places.X, places.Y, places.Z, places.W, places.R

return function(core, tape)
  local ma, place = core.library, core.place
  local kind_of, REAL, COMPLEX = core.kind, 1, 2
  local shows_cuts = core.is_topic "grad"

  local function operation(name)
    local call = core.operation(name)
    return function(...) return call(nil, nil, nil, ...) end
  end

  --- Of a number that flows, as an exponent, it is known here whether it is 0.
  local pull = operation "pull"
  local function pull_by(g, p)
    if type(g) ~= "number" or g ~= g then return pull(g, p) end
    return g == 0 and 0 or g * p
  end

  local names = setmetatable({ pull = pull_by, pull_divide = operation "pull_divide",
    clip = operation "clip", i = ma.complex(0, 1) }, { __index = ma })

  function names.power(x, y)
    if y == 1 then return x end
    return ma.power(x, y)
  end

  --- An operand may be a number, of which a truth is one of Lua. It needs no array.
  local choose = operation "where"
  function names.where(truth, x, y)
    if type(truth) ~= "boolean" then return choose(truth, x, y) end
    return truth and x or y
  end
  function names.isnan(x)
    if type(x) == "number" then return x ~= x end
    return ma.isnan(x)
  end
  function names.shared(truth, g) return truth and choose(truth, 0.5 * g, g) or g end

  local OWN = debug and debug.getinfo and debug.getinfo(1, "S").source or "=moonarray"   -- errors name the user's line
  local VARIABLES = { "x", "y", "z", "w", "r" }

  --- The function(g, x, y, z, w, r) of an expression, and which of these it reads; nothing if nothing flows there.
  local function compile(text)
    if text == "0" or text == "none" then return nil, {} end
    local made = assert(load(sformat("return function(g, x, y, z, w, r) return %s end", text), OWN))
    local reads = {}
    for k, variable in ipairs(VARIABLES) do reads[k] = text:find("%f[%w_]" .. variable .. "%f[^%w_]") ~= nil end
    return setfenv(made, names)(), reads
  end

  local function refuse(rule, k)
    local of = k and rule.n > 1 and sformat(" by operand %d", k) or ""
    tape.raise(rule.name, sformat("has no derivative%s; ma.stop_gradient(x) makes x a constant", of))
  end

  --- What a record of a row needs if the operands of a mask depend on an argument: [1] bits of the operands that it
  --- reads, and of the result behind them, and [2] the function of a record; nothing there where nothing flows.
  local function needs_of(rule, mask)
    local needs, flows = { false, false, false, false, false }, {}
    for k = 1, rule.n do
      if math.floor(mask / 2 ^ (k - 1)) % 2 == 1 then
        if rule.texts[k] == "none" then refuse(rule, k) end
        flows[k] = rule.flows[k]
        for j = 1, flows[k] and 5 or 0 do needs[j] = needs[j] or rule.reads[k][j] end
      end
    end
    if next(flows) == nil then return { 0 } end
    local conjugates, conjugate, reads = rule.conjugates, ma.conjugate, 0
    for j = 1, 5 do reads = needs[j] and reads + 2 ^ (j - 1) or reads end
    return { reads, function(g, k, record)
      if not flows[k] then return nil end
      if record[FILTER] then g = names.where(record[FILTER], g, 0) end
      if conjugates then g = conjugate(g) end
      local c = flows[k](g, record[X], record[Y], record[Z], record[W], record[R])
      if c == 0 then return nil end                                    -- a truth of Lua chose that nothing flows
      return conjugates and conjugate(c) or c
    end }
  end

  --- The rule of n operands to which these texts lead.
  local function rule_of(word, name, n, texts, conjugates)
    local rule = { n, name, word = word, name = name, n = n, flows = {}, texts = texts, reads = {},
      conjugates = conjugates }
    for k = 1, word ~= "constant" and word ~= "none" and n or 0 do
      rule.flows[k], rule.reads[k] = compile(texts[k])
    end
    -- what src/bind/grad/tape.c reads: [1] n, [2] the name, and these
    rule[3] = setmetatable({}, { __index = function(all, mask)
      local needs = needs_of(rule, mask)
      all[mask] = needs
      return needs
    end })
    rule[4] = core.operation(name)
    rule[5] = word ~= "constant" and word ~= "none"                    -- its real results are noted as they are
    return rule
  end

  --- A row's rule. `complex`: that of complex results, where what flows through an analytic function f is multiplied by
  --- the conjugate of f'; `parted`: that of a real result of a complex operand.
  local function read(word, name, n, ...)
    local rule = rule_of(word, name, n, { ... })
    if word == "analytic" then rule.complex = rule_of(word, name, n, { ... }, true) end
    if word == "parted" then rule.parted = rule_of(word, name, n, { (select(2, ...)) }) end
    if name == "cast" then rule.parted = rule end
    return rule
  end

  --- What is known of a row: rules[opcode].
  local rules = setmetatable({}, { __index = function(all, op)
    local rule = read(core.derivative(op))
    all[op] = rule
    return rule
  end })

  --- What a call of a row cannot be, where it concerns an argument or what a record reads.
  local function check(rule, out, casting, x, y, z, w)
    if (out ~= nil or casting ~= nil) and (place(out) or tape.any_known(x, y, z, w)) then
      tape.raise(rule.name, "out or casting in a function that is differentiated; take what the call returns")
    end
    if (type(x) == "table" and tape.any_known(x)) or (type(y) == "table" and tape.any_known(y)) then
      tape.raise(rule.name, "a table of arrays in a function that is differentiated; ma.stack makes an array of them")
    end
  end

  --- Complex values go through rows that have a derivative there.
  local function check_real(rule, ...)
    if not tape.any_known(...) then return end
    tape.raise(rule.name, "has no derivative at complex values; ma.stop_gradient(x) makes x a constant")
  end

  --- Notes a result that is not of real operands.
  local function look(rule, where, r, x, y, z, w)
    local kind = kind_of(r)
    if kind == COMPLEX then
      if rule.complex then tape.note_row(rule.complex, where, r, x, y, z, w) else check_real(rule, x, y, z, w) end
    elseif kind == REAL and rule.word ~= "constant" then
      if rule.n == 1 and kind_of(x) == COMPLEX then
        if not rule.parted then check_real(rule, x) end
        rule = rule.parted or rule
      end
      if rule.word == "none" and tape.any_known(x, y, z, w) then refuse(rule) end
      tape.note_row(rule, where, r, x, y, z, w)
    elseif shows_cuts and tape.any_known(x, y, z, w) then
      tape.note_cut(rule.name)
    end
  end

  return { row = tape.handler(rules, check, look),
    pairs = { divmod = true, modf = true, frexp = true }, pull = names.pull,
    pull_divide = names.pull_divide, rules = rules }
end
