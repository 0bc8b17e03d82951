--- Lists in kernels: `append`, and what a kernel gets for a list among its arguments. init.lua makes the objects and
--- prepares launches.
---
--- A kernel reads a list as an array of one axis, whose extent is the list's count in device memory. A kernel that
--- appends gets an object instead (helpers.lua): it claims a place by an atomic, and an ordered list's item is staged
--- there with the number of its element and its number among those of the element.

local types = require "moonarray.jit.types"

local list = {}

--- The metatable of lists.
list.class = { is_data = true, __name = "list" }

function list.is(v) return type(v) == "table" and getmetatable(v) == list.class end

--- Words of 64 bits for a staged item: the element, the number there, the value. The counts of elements lie behind all.
function list.words(dtype) return dtype == "complex128" and 4 or 3 end

-- ==== Text ====

--- The type of the object to append to.
local function object_type(array)
  return ("jit_%s<%s>"):format(array.list.ordered and "ordered" or "unordered", types.memory[array.dtype])
end

--- Declares what a device function gets of a list that it appends to.
function list.declaration(array) return ("const %s &%s_list"):format(object_type(array), array.pointer) end

--- The object, out of texts: the number of the element and of the object with which faults are noted, and a function
--- for the list's parameters.
function list.object(array, element, faults, of)
  local memory = types.memory[array.dtype]
  local start = ("(i8 *)%s, %s"):format(of "count", of "most")
  if not array.list.ordered then
    return ("%s{(%s *)%s, %s, %s}"):format(object_type(array), memory, of "values", start, faults)
  end
  return ("%s{%s, (i8 *)%s, %s, %s}"):format(object_type(array), start, of "work", element, faults)
end

--- How many items a list has that a kernel reads.
function list.size(of) return ("jit_size(*(const i8 *)%s, %s)"):format(of "count", of "most") end

--- The part with the items: an ordered list's are staged in "work" where they are appended.
local function part_of(array) return array.appended and array.list.ordered and "work" or "values" end

--- What a launch passes for a list, in order.
function list.parts(array) return { part_of(array), "count", "most" } end

local parameter = { count = "int64_t *%s_count", most = "int64_t %s_most", work = "int64_t *%s_work" }

--- The parameters of a kernel for a list.
function list.declarations(array)
  local declarations = {}
  for k, part in ipairs(list.parts(array)) do
    local c = array.pointer
    if part == "values" then
      declarations[k] = ("%s%s *%s%s"):format((array.appended or array.written) and "" or "const ",
        types.parameter(array.dtype), c, (array.appended or types.is_half(array.dtype)) and "_v" or "")
    else
      declarations[k] = (part == "count" and not array.appended and "const " or "") .. parameter[part]:format(c)
    end
  end
  return declarations
end

--- The statement with which a kernel begins: the object, or the count.
function list.beginning(array, element, faults)
  local c = array.pointer
  local function of(part) return c .. (part == "values" and "_v" or "_" .. part) end
  if array.appended then
    return ("  const %s %s_list = %s;"):format(object_type(array), c, list.object(array, element, faults, of))
  end
  return ("  const i8 %s_n1 = %s;"):format(c, list.size(of))
end

--- Lists that are appended to are not read: what their items are is known after the launch.
function list.check(self, array)
  if array and array.appended and (array.read or array.written or array.extents[1]) then
    self:fail(array.appended, "an append to a list that the kernel also reads; wanted two lists")
  end
end

-- ==== Kernels over elements ====

-- What the function is given for a list over whose items the kernel runs.
local ITEMS = {}

--- By the number of each argument that is a list what the function is given for it: an array of its parameters, or no
--- array, where the kernel runs over the items.
function list.arrays(fn, arguments)
  local arrays
  for k, argument in ipairs(arguments) do
    if argument.list or argument.counted then
      arrays = arrays or {}
      arrays[k] = ITEMS
      fn:help "jit_size"
    end
    for _, of in ipairs(argument.list and fn.parameters or {}) do
      if of.array and of.array.list == argument.list then arrays[k] = of.array end
    end
  end
  return arrays
end

--- Whether a kernel appends to one of the lists.
function list.appends(arrays)
  for _, array in pairs(arrays or {}) do
    if array.appended then return true end
  end
  return false
end

--- What a kernel declares for a list, whose C++ name is `name`: inputs and outputs.
function list.declare(name, dtype, array, inputs, outputs)
  inputs[#inputs + 1] = ("int64 %s_most"):format(name)
  local to = array.appended and outputs or inputs
  to[#to + 1] = ("raw int64 %s_count"):format(name)
  to[#to + 1] = part_of(array) == "work" and ("raw int64 %s_work"):format(name)
    or ("%s%s %s"):format(array == ITEMS and "" or "raw ", dtype, name)
end

--- What a call passes for it, in the same order.
function list.pass(parts, array, inputs, outputs)
  inputs[#inputs + 1] = parts.most
  local to = array.appended and outputs or inputs
  to[#to + 1] = parts.count
  to[#to + 1] = parts[part_of(array)]
end

local function of_name(name)
  return function(part)
    if part == "most" then return name .. "_most" end
    return part == "values" and ("&%s[0]"):format(name) or ("&%s_%s[0]"):format(name, part)
  end
end

--- The argument of the function that reads the list or appends to it.
function list.argument(name, array, faults)
  local of = of_name(name)
  if array.appended then return list.object(array, "i", faults, of) end
  return ("(const %s *)%s%s"):format(types.memory[array.dtype], of "values", array.extents[1] and ", " .. list.size(of)
    or "")
end

--- Puts tests before a kernel's body that leave elements behind the last item of a list. `results`: how many it sets.
function list.guard(arrays, names, body, results)
  local text = {}
  for y = 1, results do text[y] = ("y%d = {};"):format(y) end
  for k, array in pairs(arrays or {}) do
    if array == ITEMS then text[#text + 1] = ("if (i >= %s) return;"):format(list.size(of_name(names[k]))) end
  end
  if #text > results then table.insert(body, 1, table.concat(text, " ")) end
end

-- ==== append ====

list.append = { least = 2, most = 2, call = function(self, args, line)
  local to, v = args[1], self:as_scalar(args[2], line, "the value of 'append'")
  if to.kind == "unknown" then return end
  if to.kind ~= "array" or not to.array.list or to.given > 0 then
    self:fail(line, ("the first argument of 'append' is %s; wanted a list of ma.list among the kernel's arguments")
      :format(self:describe(to)))
  end
  local array = to.array
  array.appended = line
  self:help "jit_check"
  self:help "jit_list"
  if v.kind == "unknown" then return end
  if (array.dtype == "bool") ~= (v.kind == "bool") then
    self:fail(line, ("'append' of %s to a list of %s; wanted a %s"):format(self:describe(v), array.dtype,
      array.dtype == "bool" and "boolean" or "number"))
  end
  self:emit(line, ("jit_append(%s_list, %s(%s), %d);"):format(array.pointer, types.memory[array.dtype],
    types.store(self:cast(v, array.dtype, line), array.dtype), line))
end }

list.documents = {
  --> jit.append: local low = ma.list(4, "int64")
  -->   local pick = ma.jit.elementwisekernel(function(x, low)
  -->     if x < 0 then ma.jit.append(low, ma.jit.grid(1)) end
  -->   end)
  -->   pick(ma.array {1, -2, -3}, low)
  -->   return low:array()
  { "jit.append(list: list, value: number|boolean)",
    "In a kernel: puts a value behind the items of a list, in the order of elements or threads." },
}

-- ==== Parameters of functions of elements ====

--- `appended`: only those that it appends to.
local function visit(node, uses, appended)
  if type(node) ~= "table" then return end
  local function note(object)
    if object and object.kind == "name" then uses[object.name] = true end
  end
  if node.kind == "index" and not appended then note(node.object) end
  if node.kind == "unary" and node.op == "#" and not appended then note(node.a) end
  if node.kind == "call" and node.fn.kind == "index" and node.fn.key.value == "append" then note(node.args[1]) end
  for key, part in pairs(node) do
    if key ~= "tree" or node.kind == "function_" then visit(part, uses, appended) end
  end
end

--- Whether the text of a function appends to a list by name.
function list.text_appends(tree)
  local uses = {}
  visit(tree.block, uses, true)
  return next(uses) ~= nil
end

--- The lists among the arguments of a kernel over elements, or nil: { list, whole }. A list is whole if its parameter
--- is declared raw or the function indexes it, measures it or appends to it; else the kernel runs over its items. Puts
--- the arrays of the values in their places.
function list.among(kernel, args)
  local held
  for k, name in ipairs(kernel.params) do
    if list.is(args[k]) then
      if not kernel.whole then
        kernel.whole = {}
        visit(kernel.tree.block, kernel.whole)
      end
      held = held or {}
      local whole
      if kernel.inputs then whole = kernel.inputs[k].raw else whole = kernel.whole[name] or false end
      held[k] = { list = args[k], whole = whole }
      args[k] = args[k].values
    end
  end
  return held
end

--- Adds to the translator's description of an argument that it is a list.
function list.describe(argument, held)
  if held.whole then
    argument.ndim, argument.contiguous, argument.input = 1, true, true
    argument.list = { ordered = held.list.ordered }
  else
    argument.counted = true
  end
end

--- What tells it from others.
function list.key(argument)
  if argument.counted then return "l" end
  return argument.list and (argument.list.ordered and "o" or "u") or ""
end

return list
