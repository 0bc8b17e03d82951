--- The translation of one function: its text, its locals, and the order of its effects.
---
--- Lua evaluates from left to right. C++ leaves the order within an expression open. So everything with an effect (a
--- call of a device function, an atomic, a barrier) becomes a statement, and a value that was read before such a
--- statement is kept in a constant. `capture` finds out whether there are statements, `sequence` puts them in order.
---
--- A function is walked until the types of its locals no longer change (they only grow), then once more: the text of
--- that last walk is the result. A local has the type of its first assignment, widened by the others.

local lexer = require "moonarray.jit.lexer"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local F = {}
F.__index = F
for _, part in ipairs { "jit.expression", "jit.logic", "jit.element", "jit.statement", "jit.device", "jit.bounds",
  "jit.closure", "element.constants", "vector.translate", "struct.kernel" } do
  for name, method in pairs(require("moonarray." .. part)) do F[name] = method end
end

function F:fail(line, text) lexer.fail(self.tree.chunk, line, text) end

function F:help(name) self.helpers[name] = true end

-- ==== Text ====

local SOMEWHERE = -1e6                 -- the line of the next statement is not known

function F:emit(line, text)
  if line ~= self.line then
    self.lines[#self.lines + 1] = ("#line %d %s"):format(line, self.module.quoted(self.tree.chunk))
  end
  self.lines[#self.lines + 1] = ("  "):rep(self.indent) .. text
  self.line = line + 1
end

function F:open(line, text)
  self:emit(line, text)
  self.indent = self.indent + 1
end

function F:close(text)
  self.indent = self.indent - 1
  self.lines[#self.lines + 1] = ("  "):rep(self.indent) .. (text or "}")
  self.line = self.line + 1
end

function F:unique(name)
  self.count = self.count + 1
  return ("%s_%d"):format(name, self.count)
end

-- ==== Order ====

--- Returns the results of a function, and the statements that must precede them, which are not in the text yet.
function F:capture(evaluate)
  local lines, line = self.lines, self.line
  self.lines, self.line = {}, SOMEWHERE
  local v = evaluate()
  local captured = self.lines
  self.lines, self.line = lines, line
  return v, captured
end

function F:append(captured)
  if #captured == 0 then return end
  for _, text in ipairs(captured) do self.lines[#self.lines + 1] = text end
  self.line = SOMEWHERE
end

--- Emits a constant with the present value of a number or a boolean.
function F:constant(name, dtype, text, line)
  local c = self:unique(name)
  self:emit(line, ("const %s %s = %s;"):format(types.register[dtype], c, text))
  return c
end

local hold = {}

function hold.number(self, v, line)
  local held = value.number(self:constant("value", v.dtype, v.text, line), v.dtype, v.weak)
  held.host, held.bounds, held.constants, held.parts = v.host, v.bounds, v.constants, v.parts
  return held
end

function hold.bool(self, v, line) return value.bool(self:constant("value", "bool", v.text, line)) end
function hold.mixed(self, v, line) return { kind = "mixed", truth = self:constant("value", "bool", v.truth, line) } end
function hold.vector(self, v, line) return self:held_vector(v, line) end
function hold.array(self, v, line) return self:fixed(v, ((v.name or "part"):gsub("%W", "_")), line) end

--- A table whose items have been evaluated.
function hold.table(self, v, line)
  for k, item in ipairs(v.items or {}) do v.items[k] = self:held(item, line) end
  return v
end

function hold.maybe(self, v, line)
  local test = self:constant("test", "bool", v.truth, line)
  return self:chosen(test, self:constant("value", v.dtype, v.choose(v.dtype, types.literal(0, v.dtype)), line), v.dtype,
    v.weak, v.parts)
end

--- Keeps the present value, whatever is written later; with `names` also that of a name that can be assigned to.
function F:held(v, line, names)
  if v.constant ~= nil or v.taken or not hold[v.kind] then return v end
  if not names and v.text and v.text:find("^[%w_.]+$") then return v end
  return hold[v.kind](self, v, line)
end

--- The values of evaluate(1), evaluate(2) ..., in this order.
function F:sequence(n, line, evaluate, all)
  local list, captured, last = {}, {}, all and n + 1 or 0
  for k = 1, n do
    list[k], captured[k] = self:capture(function() return evaluate(k, list) end)
    if #captured[k] > 0 and not all then last = k end
  end
  for k = 1, n do
    self:append(captured[k])
    if k < last then list[k] = self:held(list[k], line, all) end
  end
  return list
end

--- The value is not used, but reading it may find a fault.
function F:drop(v, line)
  if v.kind == "vector" then
    for k = 1, #v do self:drop(v[k], line) end
  end
  local text = v.kind == "array" and v.at or v.text
  if self.module.check and text and v.constant == nil and not text:find("^[%w_.]+$") then
    self:emit(line, ("(void)%s;"):format(text))
  end
end

-- ==== Locals ====

function F:find(name)
  local scope = self.scope
  while scope do
    if scope.names[name] then return scope.names[name] end
    scope = scope.outer
  end
end

function F:push() self.scope = { names = {}, outer = self.scope } end
function F:pop() self.scope = self.scope.outer end

--- The variable that a node declares, which is the same in every walk.
function F:declare(node, k, name)
  local list = self.variables[node] or {}
  self.variables[node] = list
  local variable = list[k] or { name = name }
  list[k] = variable
  variable.c = self:unique(name)
  self.scope.names[name] = variable
  self:begin_constants(variable)
  return variable
end

--- Widens a variable's type for a value. Beside values of elements a variable keeps what Lua's numbers are: weak.
function F:widen(variable, v, line)
  if v.kind == "unknown" then return end
  if v.kind == "vector" or variable.vector then return self:widen_vector(variable, v, line) end
  if v.kind ~= "number" and v.kind ~= "bool" then
    self:fail(line, ("'%s' gets %s; wanted a number or a boolean"):format(variable.name, self:describe(v)))
  end
  local old, old_weak, keeps = variable.dtype, variable.weak, self.module.near ~= nil
  if v.kind == "bool" or old == "bool" then
    if old and (old == "bool") ~= (v.kind == "bool") then
      self:fail(line, ("'%s' is %s and gets %s"):format(variable.name, old == "bool" and "a boolean" or "a " .. old,
        self:describe(v)))
    end
    variable.dtype = "bool"
  elseif not old then
    variable.dtype, variable.weak = v.weak and value.default[v.weak] or v.dtype, keeps and v.weak or variable.weak
  else
    local dtype, weak = value.join({ dtype = old, weak = keeps and old_weak or nil }, v)
    if keeps then variable.weak = weak end
    if v.constant and not keeps and types.is_integer(dtype) and not types.holds(dtype, v.constant) then
      dtype = types.promote(dtype, v.dtype)
    end
    variable.dtype = dtype
  end
  if variable.dtype ~= old or variable.weak ~= old_weak then self.changed = true end
end

--- A result stays weak while only constants are returned.
function F:widen_result(result, v, line)
  if v.kind ~= "number" or v.kind == "unknown" then return self:widen(result, v, line) end
  if not result.dtype then
    result.dtype, result.weak, self.changed = v.dtype, v.weak, true
    return
  end
  if result.dtype == "bool" then return self:widen(result, v, line) end
  local dtype, weak = value.join({ dtype = result.dtype, weak = result.weak }, v)
  if dtype ~= result.dtype or weak ~= result.weak then result.dtype, result.weak, self.changed = dtype, weak, true end
end

-- ==== Walking ====

--- Names that a block and its inner blocks assign to, or to components of, whatever variables they are.
local function assigned_names(block, names)
  for _, statement in ipairs(block) do
    if statement.kind == "assign" then
      for _, target in ipairs(statement.targets) do
        if target.kind == "index" then target = target.object end
        if target.kind == "name" then names[target.name] = true end
      end
    end
    if statement.block then assigned_names(statement.block, names) end
    if statement.otherwise then assigned_names(statement.otherwise, names) end
    for _, inner in ipairs(statement.blocks or {}) do assigned_names(inner, names) end
  end
  return names
end

F.assigned_names = assigned_names

--- Translates the tree of a function again until its types are settled.
function F:settle_types()
  for pass = 1, 100 do
    self.changed, self.lines, self.line, self.indent, self.count = false, {}, SOMEWHERE, 1, 0
    self.helpers, self.callees, self.order, self.places, self.scalars, self.wholes = {}, {}, {}, {}, {}, {}
    self.scope, self.turn_names, self.loops, self.demands = nil, {}, {}, {}
    self:begin_proof()
    self:push()
    self.bind(self)
    self:block(self.tree.block)
    if self.final then return end
    self.final = not self.changed
    if pass == 99 then self:fail(self.tree.line, "the types of this function do not settle") end
  end
end

function F:new(module, tree, outside)
  return setmetatable({ module = module, check = module.check, tree = tree, outside = outside, variables = {},
    closures = {}, inherited = {}, loop_constants = {}, assigned = assigned_names(tree.block, {}) }, F)
end

return F
