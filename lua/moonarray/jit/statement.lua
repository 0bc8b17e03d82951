--- Translates statements. Methods of a function's translation.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local S = {}

local statements, loops = {}, { for_number = true, for_in = true, while_ = true, repeat_ = true }
for kind, statement in pairs(require "moonarray.jit.loop") do statements[kind] = statement end

--- Whether what follows an `if` runs only where its test does not hold.
local function leaves(node)
  local last = #node.tests == 1 and not node.otherwise and node.blocks[1][#node.blocks[1]]
  return last and (last.kind == "return_" or last.kind == "break_")
end

--- Translates the statements of a block in the open scope.
function S:run(list)
  local facts, heads = self.facts, self.proof and list == self.tree.block
  for k, statement in ipairs(list) do
    self.heading = heads and (k == #list and "last" or "before") or nil
    local function walk() return statements[statement.kind](self, statement) end
    if loops[statement.kind] then heads = self:in_loop(statement, walk) and heads else heads = walk() and heads end
    if statement.kind == "if_" and leaves(statement) then self:suppose(statement.tests[1], false) end
  end
  self.facts = facts
end

function S:block(list)
  self:push()
  self:run(list)
  self:pop()
end

--- The block of a loop. A `break` leaves the innermost loop of the text, or goes to a label behind several.
function S:body(list, label)
  local around = self.label
  self.label = label
  self:block(list)
  self.label = around
end

-- ==== Locals and assignments ====

local known_kinds = { array = true, string = true, table = true, lua = true, builtin = true, device = true,
  shape = true, group = true, collective = true, grid = true }

--- As in Lua, surplus results of a last call are dropped.
local function fit(list, nodes, wanted)
  local last = nodes[#nodes]
  if last and last.kind == "call" and #nodes <= wanted then
    for k = #list, wanted + 1, -1 do list[k] = nil end
  end
end

function statements.local_(self, node)
  local list = self:values(node.values, node.line, function(one, k)
    if one.kind ~= "table" or not node.names[k] then return self:expression(one) end
    return self:table_values(one, node.names[k])
  end)
  fit(list, node.values, #node.names)
  if #list > #node.names then self:fail(node.line, ("%d values for %d names"):format(#list, #node.names)) end
  local made = {}
  for k, name in ipairs(node.names) do                       -- the values cannot use the new names
    local v = list[k]
    if v and v.kind == "table" then
      v = self:table_array(v, node, k)
      list[k] = v
    end
    if v and v.kind == "vector" and not self.assigned[name] then
      made[k] = self:vector_alias(name, v, node.line)
    elseif v and (known_kinds[v.kind] or ((v.constant ~= nil or v.taken) and not self.assigned[name])) then
      made[k] = { name = name, alias = self:fixed(v, name, node.line) }
    else
      made[k] = self:declare(node, k, name)
      self.scope.names[name] = nil
      if v then self:widen(made[k], v, node.line) end
      if made[k].vector then self:declare_parts(node, k, made[k]) end
    end
  end
  for k = 1, #node.names do
    local variable, v = made[k], list[k]
    if not variable.alias then
      self:bound(variable, v and v.dtype == "int64" and v.bounds or nil)
      self:begin_constants(variable, v)
    end
    if variable.vector then self:set_vector(variable, v, node.line, true) end
    if variable.dtype and not variable.alias then
      local register = types.register[variable.dtype]
      self:emit(node.line, v and ("%s %s = %s;"):format(register, variable.c, self:cast(v, variable.dtype, node.line))
        or ("%s %s{};"):format(register, variable.c))
    end
  end
  for k, name in ipairs(node.names) do self.scope.names[name] = made[k] end
  for k = 1, #node.names do
    local v = list[k]
    if not v or not (v.bounds or v.constant ~= nil or v.kind == "builtin" or v.kind == "lua") then return false end
  end
  return true
end

function statements.local_function(self, node)
  self.scope.names[node.name] = { name = node.name, alias = self:closure(node, node.name) }
end

--- The target of an assignment: { kind = "variable" } or an element.
function S:target(node)
  if node.kind == "name" then
    local variable = self:find(node.name)
    if not variable then
      self:fail(node.line, ("'%s' is not a local; a kernel's results go into arrays"):format(node.name))
    end
    if variable.alias then
      self:fail(node.line, ("'%s' stands for %s and cannot be assigned to"):format(node.name,
        self:describe(variable.alias)))
    end
    return { kind = "variable", variable = variable }
  end
  local object, positions = self:indexed(node)
  if object.kind == "vector" then return self:vector_target(object, node) end
  if object.kind == "unknown" then return { kind = "unknown" } end
  if object.kind ~= "array" then
    self:fail(node.line, ("%s is assigned into; wanted an array"):format(self:describe(object)))
  end
  local member = not positions and self:member(object, node.key.value)
  if member then return self:place(member, node.line) end
  if not positions and object.array.struct then self:attribute(object, node.key) end
  if not positions then
    self:fail(node.line, ("the field '%s' is assigned to; wanted an element"):format(node.key.value))
  end
  local part = self:part(object, positions, node.line)
  if part.given < part.array.ndim then return part end       -- into which a vector may be written
  return self:place(part, node.line)
end

function S:assign(target, v, line)
  if target.kind == "component" then return self:assign_component(target, v, line) end
  if target.kind == "unknown" then return end
  if target.kind == "array" and target.given < target.array.ndim then return self:write_vector(target, v, line) end
  if target.kind ~= "variable" then return self:write(target, v, line) end
  local variable = target.variable
  self:widen(variable, v, line)
  if variable.vector then return self:set_vector(variable, v, line) end
  self:set_constants(variable, v)
  if variable.dtype then self:emit(line, ("%s = %s;"):format(variable.c, self:cast(v, variable.dtype, line))) end
end

--- Evaluates the targets, then the values, then assigns from right to left, as LuaJIT does.
function statements.assign(self, node)
  local targets, n = node.targets, #node.targets
  local values = node.values
  local list = self:sequence(n + #values, node.line, function(k)
    if k <= n then return self:target(targets[k]) end
    if k < n + #values then return self:expression(values[k - n]) end
    local all = self:all_of(values[#values])
    fit(all, { values[#values] }, n - #values + 1)
    if n > 1 then
      for j, v in ipairs(all) do all[j] = self:held(v, node.line, true) end
    end
    return { kind = "values", list = all }
  end, n > 1)
  local given, last = {}, list[n + #values].list
  for k = 1, #values - 1 do given[k] = list[n + k] end
  for _, v in ipairs(last) do given[#given + 1] = v end
  for _, v in ipairs(n > 1 and given or {}) do
    if self.is_struct(v) then self:fail(node.line, "a struct among several values; wanted an assignment of its own") end
  end
  if #given ~= n and not last.open then self:fail(node.line, ("%d values for %d places"):format(#given, n)) end
  for k = n, 1, -1 do self:assign(list[k], given[k] or value.unknown, node.line) end
end

function statements.call_(self, node)
  for _, v in ipairs(self:call(node.call)) do self:drop(v, node.line) end
end

-- ==== Control ====

function statements.if_(self, node)
  local facts, heading = self.facts, self.heading
  self.heading = nil
  local leads = heading and leaves(node) and node.blocks[1][#node.blocks[1]].kind == "return_" and #node.blocks[1] == 1
  local chosen = #node.tests == 1 and not node.otherwise and (leads or heading == "last")
    and self:chooses_threads(node.tests[1], not leads)
  local inner = 0                      -- nested tests: a test with statements of its own is inside of an `else`
  for k, test in ipairs(node.tests) do
    local text, before = self:capture(function() return self:test(test) end)
    if k == 1 then
      self:append(before)
      if chosen then text = ("%sma_here.ma_fits %s (%s)"):format(leads and "!" or "", leads and "&&" or "||", text) end
      self:open(node.line, ("if (%s) {"):format(text))
    elseif #before == 0 then
      self:close(("} else if (%s) {"):format(text))
      self.indent = self.indent + 1
    else
      inner = inner + 1
      self:close("} else {")
      self.indent = self.indent + 1
      self:append(before)
      self:open(test.line, ("if (%s) {"):format(text))
    end
    local around = self.facts
    self:suppose(test, true)
    self:block(node.blocks[k])
    self.facts = around
    self:suppose(test, false)
  end
  if node.otherwise then
    self:close("} else {")
    self.indent = self.indent + 1
    self:block(node.otherwise)
  end
  self.facts = facts
  for _ = 0, inner do self:close() end
  return leads and chosen
end

function statements.do_(self, node)
  self:open(node.line, "{")
  self:block(node.block)
  self:close()
end

function statements.break_(self, node)
  if not self.label then return self:emit(node.line, "break;") end
  self.label.used = true
  self:emit(node.line, ("goto %s;"):format(self.label.name))
end

function statements.return_(self, node)
  if not self.results then
    if #node.values > 0 then self:fail(node.line, "a kernel returns nothing; its results go into arrays") end
    return self:emit(node.line, "return;")
  end
  local list = self:values(node.values, node.line)
  if list.open then return end                               -- a later walk knows the number of results
  self:give(list, node)
end

--- A block that Lua prints, of a device function of the library's.
function statements.printed(self, node) self:give(node.print(self), node) end

--- Returns values.
function S:give(list, node)
  list = self:returned(list, node.line)
  if not list then return end
  if self.results.count and self.results.count ~= #list then
    self:fail(node.line, ("%d values are returned here, %d above"):format(#list, self.results.count))
  end
  self.results.count = #list
  local texts = {}
  for k, v in ipairs(list) do
    local result = self.results[k] or { name = "result " .. k }
    self.results[k] = result
    self:widen_result(result, v, node.line)
    if self.final then self:note_constants(result, v, node.line) end
    texts[k] = result.dtype and v.kind ~= "unknown" and self:cast(v, result.dtype, node.line) or "0"
  end
  if #list == 0 then return self:emit(node.line, "return;") end
  self:emit(node.line, #list == 1 and ("return %s;"):format(texts[1])
    or ("return {%s};"):format(table.concat(texts, ", ")))
end

return S
