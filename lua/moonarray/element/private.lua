--- Private arrays: tables of numbers or booleans in a local of a kernel, whose elements are read and set at positions
--- that the kernel computes. Methods of a function's translation. A table that is not indexed stands for its values.
---
--- The elements have the type of all that is put into them, as a variable has. What lies outside is 0 or false, and
--- cannot be set; a kernel that checks positions notes the fault.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local P = {}

--- The names that a part of a tree indexes: true; false: those that are assigned to.
local function indexed(node, names)
  local name = node.kind == "index" and node.object.kind == "name" and node.object.name
  if name and names[name] == nil then names[name] = true end
  for _, target in ipairs(node.kind == "assign" and node.targets or {}) do
    if target.kind == "name" then names[target.name] = false end
  end
  for _, part in pairs(node) do
    if type(part) == "table" then indexed(part, names) end
  end
  return names
end

--- Whether a local of that name is an array, if it is a table.
function P:is_private(name)
  self.indexes = self.indexes or indexed(self.tree.block, {})
  return self.indexes[name]
end

--- Declares the array of a table; `node` and `k` say which local it is.
function P:private_list(node, k, name, table_node)
  self:check_table(table_node)
  local items, line = self:values(table_node.items, node.line), node.line
  if #items == 0 then self:fail(line, ("'%s' is an empty table; wanted as many numbers as it has"):format(name)) end
  local variable, texts = self:declare(node, k, name), {}
  for _, item in ipairs(items) do self:widen(variable, self:as_scalar(item, line, "an element of a table"), line) end
  if variable.dtype then
    for j, item in ipairs(items) do texts[j] = self:cast(item, variable.dtype, line) end
    self:emit(line, ("%s %s[%d] = {%s};"):format(types.register[variable.dtype], variable.c, #items,
      table.concat(texts, ", ")))
  end
  return { name = name, alias = { kind = "list", variable = variable, n = #items, name = name } }
end

--- Where an element is: the text of its place from 0, and a test whether it is there, nil if that is known.
function P:list_place(list, position, line)
  local at = position.constant
  if at then
    if at ~= math.floor(at) or at < 1 or at > list.n then
      self:fail(line, ("position %s of '%s', a table of %d"):format(tostring(at), list.name, list.n))
    end
    return ("%d"):format(at - 1)
  end
  local place = self:constant("place", "int64", self:integer(position), line)
  local inside = ("u8(%s - 1) < %d"):format(place, list.n)
  if self.module.check then
    self:help "jit_check"
    self:emit(line, ("if (!(%s)) jit_outside(faults, %d, 1, %s, %d);"):format(inside, line, place, list.n))
  end
  return place .. " - 1", inside
end

function P:check_position(list, positions, line)
  if not positions or #positions ~= 1 then
    self:fail(line, ("'%s' is a table; wanted one position"):format(list.name))
  end
end

function P:read_list(list, positions, line)
  local variable = list.variable
  self:check_position(list, positions, line)
  if positions[1].kind == "unknown" or not variable.dtype then return value.unknown end
  local place, inside = self:list_place(list, positions[1], line)
  local text = ("%s[%s]"):format(variable.c, place)
  if inside then text = ("(%s ? %s : %s)"):format(inside, text, variable.dtype == "bool" and "false"
    or types.literal(0, variable.dtype)) end
  return variable.dtype == "bool" and value.bool(text) or value.number(text, variable.dtype, variable.weak)
end

--- The target of an assignment.
function P:list_target(list, positions, line)
  self:check_position(list, positions, line)
  local place, inside
  if positions[1].kind ~= "unknown" then place, inside = self:list_place(list, positions[1], line) end
  return { kind = "list", variable = list.variable, place = place, inside = inside }
end

function P:assign_list(target, v, line)
  local variable = target.variable
  self:widen(variable, v, line)
  if not target.place or not variable.dtype then return end
  self:emit(line, ("%s%s[%s] = %s;"):format(target.inside and "if (" .. target.inside .. ") " or "", variable.c,
    target.place, self:cast(v, variable.dtype, line)))
end

return P
