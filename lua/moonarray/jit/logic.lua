--- and, or, not, and tests. The right side is evaluated only if needed: its statements go into an `if`. Methods of a
--- function's translation.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local join, truth, number, bool = value.join, value.truth, value.number, value.bool

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

local L = {}

local function mixed(text) return { kind = "mixed", truth = text } end

--- The numbers that a choice is one of.
local function parts_of(v) return v.parts or { v } end

--- A number if the test holds, else false. Both are given as texts.
function L:chosen(test, text, dtype, weak, parts)
  local v = number(text, dtype, weak)
  return { kind = "maybe", dtype = dtype, weak = weak, truth = test, parts = parts, choose = function(into, otherwise)
    return ("(%s ? %s : %s)"):format(test, value.as(v, into), otherwise)
  end }
end

--- The text of a number, or of its alternative.
function L:alternative(v, dtype, otherwise, line)
  if v.kind == "maybe" then return v.choose(dtype, otherwise) end
  return self:cast(v, dtype, line)
end

-- ==== Without statements ====

function L:both(a, b, line)
  local text = ("(%s && %s)"):format(truth(a), truth(b))
  if b.kind == "bool" then return bool(text) end
  if b.kind == "mixed" then return mixed(text) end
  local condition = truth(a)
  local function choose(dtype, otherwise)
    return ("(%s ? %s : %s)"):format(condition, self:alternative(b, dtype, otherwise, line), otherwise)
  end
  return { kind = "maybe", dtype = b.dtype, weak = b.weak, truth = text, parts = parts_of(b), choose = choose }
end

function L:either(a, b, line)
  local text = ("(%s || %s)"):format(truth(a), truth(b))
  if a.kind == "bool" and b.kind == "bool" then return bool(text) end
  if a.kind ~= "maybe" or (b.kind ~= "number" and b.kind ~= "maybe") then return mixed(text) end
  local dtype, weak = join(a, b)
  local parts = { unpack(parts_of(a)) }
  for _, part in ipairs(parts_of(b)) do parts[#parts + 1] = part end
  if b.kind == "number" then
    local v = number(a.choose(dtype, self:cast(b, dtype, line)), dtype, weak)
    v.parts = parts
    return v
  end
  return { kind = "maybe", dtype = dtype, weak = weak, truth = text, parts = parts, choose = function(into, otherwise)
    return a.choose(into, b.choose(into, otherwise))
  end }
end

-- ==== With statements on the right ====

--- `a and b` or `a or b`, where `lines` must run before b. The result has the kind that the texts would give.
function L:branch(op, a, b, lines, line)
  local result = op == "and" and self:both(a, b, line) or op == "or" and self:either(a, b, line)
  local test, dtype, v = self:unique "test", result.dtype, nil
  self:emit(line, ("bool %s = %s;"):format(test, truth(a)))
  if result.kind == "number" or result.kind == "maybe" then
    v = self:unique "value"
    local zero = types.literal(0, dtype)
    self:emit(line, ("%s %s = %s;"):format(types.register[dtype], v, op == "or" and a.choose(dtype, zero) or zero))
  end
  self:open(line, ("if (%s%s) {"):format(op == "or" and "!" or "", test))
  self:append(lines)
  if v then self:emit(line, ("%s = %s;"):format(v, self:alternative(b, dtype, types.literal(0, dtype), line))) end
  self:emit(line, ("%s = %s;"):format(test, truth(b)))
  self:close()
  if result.kind == "bool" then return bool(test) end
  if result.kind == "mixed" then return mixed(test) end
  if result.kind == "maybe" then return self:chosen(test, v, dtype, result.weak, result.parts) end
  local chosen = number(v, dtype, result.weak)
  chosen.parts = result.parts
  return chosen
end

function L:logical(node)
  local function side(which)
    local v = self:expression(which)
    if not (value.is_scalar(v) or v.kind == "mixed" or v.kind == "unknown" or v.kind == "vector"
      or v.kind == "choice") then
      self:fail(which.line, ("%s beside '%s'; wanted numbers or booleans"):format(self:describe(v), node.op))
    end
    return v
  end
  local a = side(node.a)
  local facts = self.facts
  self:suppose(node.a, node.op == "and")
  local b, lines = self:capture(function() return side(node.b) end)
  self.facts = facts
  if a.kind == "number" then                       -- always true
    if node.op == "or" then return a end
    self:drop(a, node.line)
    self:append(lines)
    return b
  end
  if self.is_unknown(a) or self.is_unknown(b) then return value.unknown end
  if a.kind == "vector" or a.kind == "choice" or b.kind == "vector" or b.kind == "choice" then
    return self:vector_choice(node.op, a, b, lines, node.line)
  end
  if #lines > 0 then return self:branch(node.op, a, b, lines, node.line) end
  return node.op == "and" and self:both(a, b, node.line) or node.op == "or" and self:either(a, b, node.line)
end

function L:negation(node)
  local v = self:expression(node.a)
  if not (value.is_scalar(v) or v.kind == "mixed" or v.kind == "unknown") then
    self:fail(node.line, ("'not' of %s; wanted a boolean or a number"):format(self:describe(v)))
  end
  if v.constant ~= nil and v.kind == "bool" then return value.boolean(not v.constant) end
  if v.kind == "number" then self:drop(v, node.line) end
  local text = truth(v)
  return bool("!" .. (text:find("^[%w_.]*$") and text or "(" .. text .. ")"))
end

--- The text of a test for `if`, `while` and `until`.
function L:test(node)
  local v = self:expression(node)
  if not (value.is_scalar(v) or v.kind == "mixed" or v.kind == "unknown") then
    self:fail(node.line, ("the condition is %s; wanted a boolean or a number"):format(self:describe(v)))
  end
  if v.kind == "number" then self:drop(v, node.line) end
  return truth(v)
end

return L
