--- Arrays in tables, in tables too: what is differentiated, what an optimiser changes, what a function returns.

local text, concat = require "moonarray.text", table.concat
local sformat, tostring = text.format, text.tostring
local nested = {}

local DEEPEST = 16                                         -- deeper is a table that has itself in it
local TOP = { depth = 0 }

--- Where a value is, as Lua writes it: "[layers][1]".
---@return string
function nested.text(path)
  local keys = {}
  while path.up do
    table.insert(keys, 1, sformat("[%s]", tostring(path.key)))
    path = path.up
  end
  return concat(keys)
end

--- What a value has at a path; nil if there is no such place.
function nested.at(value, path)
  if not path.up then return value end
  local above = nested.at(value, path.up)
  if type(above) ~= "table" then return nil end
  return above[path.key]
end

--- Calls visit(array, path) for an array or for all arrays in a table, and returns what it gives, in a table likewise.
--- refuse(path, said) is called for what is neither. So it is for an object, which is a table with a metatable: its
--- fields are its own affair. Without `refuse`, arrays are looked for in any table, and what is none is passed over.
function nested.map(core, value, visit, refuse, path)
  path = path or TOP
  if core.is_array(value) then return visit(value, path) end
  local is_table = type(value) == "table"
  if not is_table or path.depth == DEEPEST or refuse and getmetatable(value) ~= nil then
    if not refuse then return nil end
    local said = is_table and (path.depth == DEEPEST and sformat("a table of more than %d tables in tables", DEEPEST)
      or "an object, a table with a metatable") or core.describe(value)
    return refuse(path, said .. "; wanted an array of floats, or a table of them")
  end
  local made = {}
  for key, item in pairs(value) do
    made[key] = nested.map(core, item, visit, refuse, { up = path, key = key, depth = path.depth + 1 })
  end
  return made
end

--- A table of its own with the same values, so that a later change of the user's table has no effect. Objects stay.
function nested.copy(value, depth)
  depth = depth or 0
  if type(value) ~= "table" or getmetatable(value) ~= nil or depth == DEEPEST then return value end
  local made = {}
  for key, item in pairs(value) do made[key] = nested.copy(item, depth + 1) end
  return made
end

return nested
