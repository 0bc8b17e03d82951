--- Declared parameters of kernels over elements, such as "float32 x, raw T y", and their dtypes for the arguments of a
--- call.

local columns = require "moonarray.vector.columns"
local lists = require "moonarray.lists.translate"
local types = require "moonarray.jit.types"
local prints = require "moonarray.prints.translate"
local random = require "moonarray.jit.random"
local taken = require "moonarray.captures.kernel"
local vectors = require("moonarray.vector.kinds").named

local parameters = {}

---@class moonarray.jit.declared
---@field name string
---@field dtype? string
---@field placeholder? string  a type that the arguments determine
---@field raw boolean
---@field object boolean  a HashGrid
---@field vector? table  the kind of a vector, or of what has this component

--- A list as written. `fail(text)` raises.
---@return moonarray.jit.declared[]
function parameters.parse(text, what, known_dtype, fail)
  local list = {}
  if type(text) ~= "string" then fail(("%s is not a string such as 'float32 x, raw T y'"):format(what)) end
  if not text:find("%S") then return list end
  for item in (text .. ","):gmatch("([^,]*),") do
    local words = {}
    for word in item:gmatch("%S+") do words[#words + 1] = word end
    local raw = words[1] == "raw"
    if raw then table.remove(words, 1) end
    local kind, name = words[1], words[2]
    if #words ~= 2 or not name:find("^[%a_][%w_]*$") then
      fail(("parameter \"%s\" of %s; wanted a type and a name, such as \"float32 x\", \"T x\" or \"raw T x\""):format(
        item:match("^%s*(.-)%s*$"), what))
    end
    local dtype = known_dtype(kind)
    if not dtype and not kind:find("^[%a_][%w_]*$") then
      fail(("parameter \"%s\" of %s: no type '%s'; wanted a dtype such as float32, or a placeholder such as T"):format(
        item:match("^%s*(.-)%s*$"), what, kind))
    end
    local object, vector = kind == "HashGrid", vectors[kind]
    if vector and raw then
      fail(("parameter '%s' of %s: a %s is not raw; declare raw T %s, and read jit.%s(%s[i])"):format(name, what, kind,
        name, kind, name))
    end
    if object and raw then fail(("parameter '%s' of %s: a HashGrid is not raw"):format(name, what)) end
    list[#list + 1] = { name = name, dtype = dtype, raw = raw, object = object, vector = vector,
      placeholder = not dtype and (vector and kind .. " " .. name or kind) or nil }
  end
  return list
end

--- Checks that inputs have the names of the function's parameters.
function parameters.match(list, params, what, fail)
  local names = {}
  for k, declared in ipairs(list) do names[k] = declared.name end
  if table.concat(names, ", ") ~= table.concat(params, ", ") then
    fail(("%s are (%s); the function's parameters are (%s)"):format(what, table.concat(names, ", "),
      table.concat(params, ", ")))
  end
end

local rank = { int64 = 1, float64 = 2 }

--- Handles declared parameters: of the function, inputs and then raw outputs; and outputs that it returns.
function parameters.declare(kernel, options, known_dtype, refuse)
  local inputs = options.in_params and parameters.parse(options.in_params, "in_params", known_dtype, refuse)
  local outputs = options.out_params and parameters.parse(options.out_params, "out_params", known_dtype, refuse)
  if not inputs and not outputs then return end
  local returned = outputs and {}
  if not inputs then                   -- each may have any type
    inputs = {}
    for k, name in ipairs(kernel.tree.params) do
      inputs[k] = { name = name, placeholder = "type of " .. name, raw = false, object = false }
    end
    for k = #(outputs or {}), 1, -1 do
      if outputs[k].raw then table.remove(inputs) end
    end
  end
  for _, output in ipairs(outputs or {}) do
    output.written = output.raw
    if output.raw and #returned > 0 then
      refuse(("raw output '%s' behind others; raw ones are the function's last parameters and come first"):format(
        output.name))
    end
    local list = output.raw and inputs or returned
    list[#list + 1] = output
  end
  parameters.match(inputs, kernel.tree.params, "the inputs and raw outputs", refuse)
  kernel.inputs, kernel.groups = columns.flat(inputs)
  kernel.outputs = returned
  if returned then kernel.out_groups = select(2, columns.flat(returned)) end
  kernel.declared = {}                 -- inputs, raw outputs, outputs that are returned
  for _, declared in ipairs(kernel.inputs) do
    kernel.has_raw = kernel.has_raw or declared.raw
    kernel.declared[#kernel.declared + 1] = declared
  end
  for _, declared in ipairs(kernel.outputs or {}) do kernel.declared[#kernel.declared + 1] = declared end
end

--- What each placeholder stands for: an array's dtype, else that of the numbers.
---@param list moonarray.jit.declared[]
---@param given { dtype: string, weak?: string, array?: boolean }[]  as `list`; nil where nothing is given
function parameters.resolve(list, given, n, fail)
  local found, by = {}, {}
  for k = 1, n do
    local declared, argument = list[k], given[k]
    local T = declared.placeholder
    if argument and not argument.weak and not argument.grid then
      if declared.dtype and argument.dtype ~= declared.dtype then
        fail(("%s is %s; wanted %s, as it is declared"):format(declared.name, argument.dtype, declared.dtype))
      end
      if T and found[T] and found[T] ~= argument.dtype then
        fail(("%s is %s and %s is %s; both are declared %s"):format(by[T], found[T], declared.name, argument.dtype, T))
      end
      if T and not found[T] then found[T], by[T] = argument.dtype, declared.name end
    end
  end
  for k = 1, n do
    local T, argument = list[k].placeholder, given[k]
    if T and not by[T] and argument and argument.weak
      and (not found[T] or rank[argument.dtype] > rank[found[T]]) then
      found[T] = argument.dtype
    end
  end
  return found
end

--- The dtype of a declared parameter.
function parameters.dtype(declared, found, fail)
  local dtype = declared.dtype or found[declared.placeholder]
  if not dtype then
    fail(("no argument says what %s is, the type of '%s'; give %s an array by out, or a type"):format(
      declared.placeholder, declared.name, declared.name))
  end
  return dtype
end

-- ==== In C++ ====

--- The view of a raw array for the function that reads it, as text: a pointer, then the extents and steps that it uses.
--- `name` is the raw array's. A contiguous array with one axis is only a pointer and a size.
function parameters.of_raw(name, array)
  if array.struct then return name end   -- bytes of the element's own
  local memory = types.memory[array.dtype]
  local plain = array.contiguous and array.ndim == 1
  local list = { ("(%s%s *)%s"):format(array.written and "" or "const ", memory,
    plain and "&" .. name .. "[0]" or name .. ".p") }
  for axis = 1, array.ndim do
    if array.extents[axis] then
      list[#list + 1] = plain and name .. ".size()" or ("%s.extents[%d]"):format(name, axis - 1)
    end
  end
  for axis = 1, array.ndim do
    if array.strides[axis] then
      list[#list + 1] = ("%s.steps[%d] / (ptrdiff_t)sizeof(%s)"):format(name, axis - 1, memory)
    end
  end
  return table.concat(list, ", ")
end

--- The call of a translated function: `names` are its arguments in C++, raw arrays by their names.
function parameters.call(fn, names, faults)
  local list = {}
  if fn.check then list[1] = faults end
  for _, text in ipairs(random.of_element(fn, "i")) do list[#list + 1] = text end
  if fn.prints then list[#list + 1] = prints.printer("&jit_words[0]", "i") end
  for _, text in ipairs(taken.passed(fn, fn, parameters.of_raw)) do list[#list + 1] = text end
  if fn.numbered then list[#list + 1] = "i, n" end
  for k, parameter in ipairs(fn.parameters) do
    if parameter.array and parameter.array.list then
      list[#list + 1] = lists.argument(names[k], parameter.array, faults)
    elseif parameter.array then
      list[#list + 1] = parameters.of_raw(names[k], parameter.array)
    elseif parameter.dtype or parameter.object then
      list[#list + 1] = names[k]
    end
  end
  return ("%s(%s)"):format(fn.c, table.concat(list, ", "))
end

--- The object with which a kernel over elements notes positions, from two inputs of its own.
function parameters.faults(check, shown)
  if check == "cpu" then return ('jit_faults{"%s", (ma_cpu_block *)jit_record}'):format(shown) end
  return "jit_faults{(fault_record *)jit_record, jit_number}"
end

parameters.record = { "uint64 jit_record", "int32 jit_number" }

--- A function from a list of elements to the dtypes that a kernel with declared parameters has for them, and to those
--- of its results.
function parameters.resolver(kernel, element_dtype, refuse)
  return function(list)
    local arguments, dtypes, outputs = {}, {}, kernel.outputs and {}
    for k = 1, #kernel.inputs do
      local dtype, weak = element_dtype(list[k])
      arguments[k] = weak and { dtype = weak == "int" and "int64" or "float64", weak = weak }
        or { dtype = dtype, array = true }
    end
    local found = parameters.resolve(kernel.declared, arguments, #kernel.declared, refuse)
    for k, declared in ipairs(kernel.inputs) do dtypes[k] = parameters.dtype(declared, found, refuse) end
    for k, declared in ipairs(kernel.outputs or {}) do outputs[k] = parameters.dtype(declared, found, refuse) end
    return dtypes, outputs
  end
end

return parameters
