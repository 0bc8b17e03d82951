--- Derivatives of the rows of kernels/ops.def and special.def: the expressions of kernels/derivatives.def as functions,
--- and the handler of the operations that a differentiated function applies.

local sformat = require("moonarray.text").format
local load = rawget(_G, "loadstring") or load

return function(core, tape)
  local ma, plainly, place = core.library, core.plainly, core.place

  local function operation(name)
    local call = core.operation(name)
    return function(...) return call(nil, nil, nil, ...) end
  end

  local names = setmetatable({ pull = operation "pull", pull_divide = operation "pull_divide",
    where = operation "where", clip = operation "clip" }, { __index = ma })

  local FLOATS = { float16 = true, bfloat16 = true, float32 = true, float64 = true }
  local COMPLEX = { complex64 = true, complex128 = true }
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

  --- What a record of a row needs if the operands of a mask depend on an argument: [1..4] whether it reads an operand,
  --- [5] the result, and `back`, the function of a record; no `back` where nothing flows.
  local function needs_of(rule, mask)
    local needs, flows = { false, false, false, false, false }, {}
    for k = 1, rule.n do
      if math.floor(mask / 2 ^ (k - 1)) % 2 == 1 then
        if rule.texts[k] == "none" then refuse(rule, k) end
        flows[k] = rule.flows[k]
        for j = 1, flows[k] and 5 or 0 do needs[j] = needs[j] or rule.reads[k][j] end
      end
    end
    if next(flows) ~= nil then
      function needs.back(g, k, record)
        if not flows[k] then return nil end
        if record.where then g = names.where(record.where, g, 0) end
        return flows[k](g, record.x, record.y, record.z, record.w, record.r)
      end
    end
    return needs
  end

  local function read(word, name, ...)
    local rule = { word = word, name = name, n = select("#", ...), flows = {}, texts = { ... }, reads = {},
      call = core.operation(name) }
    for k = 1, word == "rule" and rule.n or 0 do rule.flows[k], rule.reads[k] = compile(rule.texts[k]) end
    rule.needs = setmetatable({}, { __index = function(all, mask)
      local needs = needs_of(rule, mask)
      all[mask] = needs
      return needs
    end })
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

  --- The handler of operations: runs the operation and notes it.
  local function row(op, out, dtype, where, casting, x, y, z, w)
    local rule = rules[op]
    if out ~= nil or casting ~= nil or type(x) == "table" or type(y) == "table" then
      check(rule, out, casting, x, y, z, w)
    end
    local r = plainly(rule.call, out, dtype, where, x, y, z, w)
    if rule.word == "constant" then return r end
    if FLOATS[r.dtype] then
      if rule.word == "none" and tape.any_known(x, y, z, w) then refuse(rule) end
      tape.note_row(rule, where, r, x, y, z, w)
    elseif COMPLEX[r.dtype] and tape.any_known(x, y, z, w) then
      tape.raise(rule.name, "has complex values in a function that is differentiated; ma.grad takes real ones")
    end
    return r
  end

  return { row = row, pairs = { divmod = true, modf = true, frexp = true } }
end
