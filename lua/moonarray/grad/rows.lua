--- Derivatives of the rows of kernels/ops.def and special.def: the expressions of kernels/derivatives.def as functions,
--- and the handler of the operations that a differentiated function applies.

local sformat = require("moonarray.text").format
local load = rawget(_G, "loadstring") or load

return function(core, tape)
  local ma, fail, plainly, place = core.library, core.fail, core.plainly, core.place

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

  --- What is known of a row: rules[opcode].
  local rules = setmetatable({}, { __index = function(rules, op)
    local function read(word, name, ...)
      local rule = { word = word, name = name, n = select("#", ...), back = {}, texts = { ... },
        call = core.operation(name), reads = { false, false, false, false, false }, reads_for = {} }
      for k = 1, word == "rule" and rule.n or 0 do
        local reads
        rule.back[k], reads = compile(rule.texts[k])
        rule.reads_for[k] = reads
      end
      return rule
    end
    local rule = read(core.derivative(op))
    rules[op] = rule
    return rule
  end })

  local function refuse(rule, k)
    local of = k and rule.n > 1 and sformat(" by operand %d", k) or ""
    fail(rule.name, sformat("has no derivative%s; ma.stop_gradient(x) makes x a constant", of))
  end

  --- Notes the operation if an operand is differentiated.
  local function note(rule, r, where, operands)
    local flows, reads = {}, {}
    for k = 1, rule.n do
      if tape.is_known(operands[k]) then
        if rule.texts[k] == "none" then refuse(rule, k) end
        flows[k] = rule.back[k]
        for j = 1, flows[k] and 5 or 0 do reads[j] = reads[j] or rule.reads_for[k][j] end
      end
    end
    if next(flows) == nil then return end
    operands[5] = r
    local saved = { where }
    for j = 1, 5 do
      if not reads[j] then operands[j] = type(operands[j]) == "number" and operands[j] or nil
      elseif core.is_array(operands[j]) then saved[#saved + 1] = operands[j] end
    end
    local x, y, z, w, result = operands[1], operands[2], operands[3], operands[4], operands[5]
    return function(g, k)
      if where then g = names.where(where, g, 0) end
      return flows[k] and flows[k](g, x, y, z, w, result)
    end, saved
  end

  --- The handler of operations: runs the operation and notes it.
  local function row(op, out, dtype, where, casting, x, y, z, w)
    local rule = rules[op]
    local known = tape.any_known(x, y, z, w)
    if out ~= nil or casting ~= nil then
      if known or (out ~= nil and place(out)) then
        fail(rule.name, "out or casting in a function that is differentiated; take what the call returns")
      end
    end
    local r = plainly(rule.call, out, dtype, where, x, y, z, w)
    if not known or rule.word == "constant" then return r end
    if rule.word == "none" then refuse(rule) end
    if not FLOATS[r.dtype] then
      if COMPLEX[r.dtype] then
        fail(rule.name, "has complex values in a function that is differentiated; ma.grad takes real ones")
      end
      return r
    end
    local inputs = { x, y, z, w, n = rule.n }
    if (type(x) == "table" and tape.any_known(x)) or (type(y) == "table" and tape.any_known(y)) then
      fail(rule.name, "a table of arrays in a function that is differentiated; ma.stack makes an array of them")
    end
    local back, saved = note(rule, r, where, { x, y, z, w })
    if back then tape.note(rule.name, inputs, r, back, saved) end
    return r
  end

  return { row = row, pairs = { divmod = true, modf = true, frexp = true } }
end
