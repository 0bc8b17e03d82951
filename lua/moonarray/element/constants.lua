--- Which constants a variable of C++ may hold where it is read: those that were assigned to it on some way there. A
--- dtype that it is converted to must hold them, as if they stood there. What is computed from a variable is no
--- constant, and wraps around. Methods of a function's translation (lua/moonarray/jit/function.lua).
---
--- A function is translated once for all calls with arguments of the same types. So a list of constants may have
--- { parameter =, by number } for those of an argument, and what the function demands of it each call looks at.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local C = {}

local MOST = 64                          -- of a variable

local function add(list, number)
  for k = 1, #list do
    if list[k] == number then return end
  end
  if #list < MOST then list[#list + 1] = number end
end

--- Adds the constants that a value may be to a list, and returns the list.
local function add_all(list, v)
  if v.kind == "number" and v.constant then add(list, v.constant) end
  for _, part in ipairs(v.parts or {}) do add_all(list, part) end
  for _, number in ipairs(v.constants or {}) do add(list, number) end
  return list
end

function C.constants_of(v) return add_all({}, v) end

--- Where a variable is declared.
function C:begin_constants(variable, v)
  variable.block, variable.around = self.scope, #self.loops
  variable.constants = v and add_all({}, v) or nil
end

--- Where it is assigned to. In the block in which it was declared the old constants are no more; in an inner one they
--- are on the other side of a branch, or in another turn of a loop.
function C:set_constants(variable, v)
  local new = add_all({}, v)
  if self.scope ~= variable.block then
    for k = (variable.around or 0) + 1, #self.loops do
      local assigned = self.loop_constants[self.loops[k]]
      assigned[variable] = assigned[variable] or {}
      for _, number in ipairs(new) do add(assigned[variable], number) end
    end
    for _, number in ipairs(variable.constants or {}) do add(new, number) end
  end
  variable.constants = new
end

--- Walks a loop, in which variables may hold from the beginning what is assigned to them further on.
function C:in_loop(node, walk)
  self.loop_constants[node] = self.loop_constants[node] or {}
  for variable, list in pairs(self.loop_constants[node]) do
    local all = {}
    for _, number in ipairs(variable.constants or {}) do add(all, number) end
    for _, number in ipairs(list) do add(all, number) end
    variable.constants = all
  end
  self.loops[#self.loops + 1] = node
  local result = walk()
  self.loops[#self.loops] = nil
  return result
end

--- The constants of a parameter that has just been made, in the order of `parameters`.
function C:constants_of_parameter()
  if not self.parameters then return nil end
  local k = #self.parameters + 1
  self.given_constants = self.given_constants or {}
  self.given_constants[k] = self.given_constants[k] or { { parameter = k } }
  return self.given_constants[k]
end

--- Puts the constants of a call's arguments in the place of those of parameters.
function C.constants_given(list, args)
  local all = {}
  for _, c in ipairs(list) do
    if type(c) == "table" then add_all(all, args[c.parameter]) else add(all, c) end
  end
  return all
end

--- Looks at the constants of a call's arguments for what the callee demands of them.
function C:check_given(callee, args)
  for _, demand in ipairs(self.final and callee.demands or {}) do
    for _, c in ipairs(add_all({}, args[demand.parameter])) do
      if type(c) == "table" then
        self.demands[#self.demands + 1] = { parameter = c.parameter, dtype = demand.dtype, line = demand.line,
          of = demand.of }
      else
        demand.of:check_constant(c, demand.dtype, demand.line)
      end
    end
  end
end

--- Raises an error if a dtype lacks a constant.
function C:check_constant(number, dtype, line)
  if type(number) == "table" then
    self.demands[#self.demands + 1] = { parameter = number.parameter, dtype = dtype, line = line, of = self }
    return
  end
  if not types.is_integer(dtype) or not value.is_whole(number) or types.holds(dtype, number) then return end
  self:fail(line, types.misfit(dtype, number))
end

--- Notes the constants that a result may be, whose dtype may be known later.
function C:note_constants(result, v, line)
  result.constants = result.constants or {}
  for _, number in ipairs(add_all({}, v)) do
    result.constants[#result.constants + 1] = { number = number, line = line }
  end
end

--- Checks those of a result that gets a dtype.
function C:check_result(result, dtype)
  for _, c in ipairs(result.constants or {}) do
    if type(c.number) == "number" then self:check_constant(c.number, dtype, c.line) end
  end
end

return C
