--- Device functions: a C++ function for each combination of argument types, and its calls. Methods of a function's
--- translation.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"
local prints = require "moonarray.prints.translate"
local random = require "moonarray.jit.random"
local structs = require "moonarray.struct.kernel"
local taken = require "moonarray.captures.kernel"

local closure = require "moonarray.jit.closure"
local elements = require "moonarray.jit.element"
local lists = require "moonarray.lists.translate"
local is_fixed, fixed_text = closure.is_fixed, closure.fixed_text
local flat = require("moonarray.vector.translate").flat

local D = {}

-- ==== Parameters ====

--- Makes a parameter of the called function from a caller's value: `bind` gives it a name, `list` holds the
--- declarations.
function D:scalar_parameter(name, k, v)
  local parameter = { name = name, dtype = v.kind == "bool" and "bool" or v.dtype, weak = v.weak }
  local constants = v.kind ~= "bool" and self:constants_of_parameter() or nil
  return parameter, function()
    local variable = self:declare(self.tree, k, name)
    variable.constants = constants
    variable.dtype = variable.dtype or parameter.dtype
    if not self.module.near then
      variable.weak, variable.host = not self.assigned[name] and parameter.weak or nil, v.host
    elseif not variable.begun then       -- an assignment may make it another one
      variable.begun, variable.weak, variable.host = true, parameter.weak, not self.assigned[name] and v.host or nil
    end
    parameter.c = self:unique(name)
    self:emit(self.tree.line, ("%s %s = %s;"):format(types.register[variable.dtype], variable.c,
      types.convert(parameter.c, parameter.dtype, variable.dtype)))
    self:bound(variable, parameter.dtype == "int64" and self:single(parameter.c) or nil)
  end
end

--- An array whose pointer, extents and strides are parameters; those that are used are declared.
function D.array_parameter(c, dtype, ndim, contiguous)
  local array = { dtype = dtype, ndim = ndim, pointer = c, extents = {}, strides = {}, contiguous = contiguous }
  function array.extent(axis)
    array.extents[axis] = true
    return ("%s_n%d"):format(c, axis)
  end
  function array.stride(axis)
    if not contiguous then
      array.strides[axis] = true
      return ("%s_s%d"):format(c, axis)
    end
    if axis == ndim then return "1" end
    local product = {}
    for k = axis + 1, ndim do product[#product + 1] = array.extent(k) end
    return #product == 1 and product[1] or "(" .. table.concat(product, " * ") .. ")"
  end
  return array
end

--- Declarations for an array's parameters, in the order of a call's arguments. `of`: the function that has them, or a
--- kernel's module.
function D.array_declarations(of, array, given, outermost)
  if array.appended then return { lists.declaration(array) } end
  local list, half = {}, outermost and types.is_half(array.dtype)
  list[1] = ("%s%s *%s%s"):format(array.written and "" or "const ", outermost and types.parameter(array.dtype)
    or types.memory[array.dtype],
    array.pointer, half and "_v" or "")
  if given > 0 then
    list[#list + 1] = ("%s %s_at"):format(elements.has_limits(of, array) and "jit_at" or "i8", array.pointer)
  end
  if not array.static then
    for axis = 1, array.ndim do
      if array.extents[axis] then list[#list + 1] = ("int64_t %s_n%d"):format(array.pointer, axis) end
    end
    for axis = 1, array.ndim do
      if array.strides[axis] then list[#list + 1] = ("int64_t %s_s%d"):format(array.pointer, axis) end
    end
  end
  return list
end

--- Names an object among the parameters.
function D:name_object(name, v)
  if v.object.helper then self:help(v.object.helper) end
  self.scope.names[name] = { name = name, alias = v }
end

-- ==== Specialisation ====

--- The argument types of a device function as text. Arguments behind `given` are what it reads around it.
local function signature(args, given)
  local parts = {}
  for k, v in ipairs(args) do
    if v.kind == "array" and v.array.field then parts[k] = "field:" .. v.array.field.number
    elseif v.kind == "array" then
      local shape = {}
      for axis = 1, v.array.ndim do
        local extent = v.array.static and v.array.extent(axis)
        shape[axis] = tostring(extent or "?")
      end
      local of = v.array.struct and v.array.struct.key or v.array.dtype
      local list = v.array.list and (v.array.list.ordered and "list" or "unordered") or v.array.private and "private"
        or "array"
      parts[k] = table.concat({ list, of, v.array.ndim, v.given, tostring(v.array.contiguous),
        table.concat(shape, "x") }, ":")
    elseif v.object then parts[k] = v.object.key
    elseif v.taken then parts[k] = v.taken.c
    elseif v.constant ~= nil then parts[k] = ("constant:%s:%s"):format(v.weak or "bool",
      types.literal(v.constant == true and 1 or v.constant or 0, "float64"))
    elseif v.kind == "bool" then parts[k] = "bool"
    elseif v.kind == "vector" then parts[k] = ("%s(%s)"):format(v.vector.name, signature(v, #v))
    elseif v.kind == "number" then parts[k] = v.dtype .. ":" .. tostring(v.weak)
    elseif k > given and is_fixed(v) then parts[k] = fixed_text(v)
    else return nil, k end
  end
  return table.concat(parts, ",")
end

--- A device function for arguments of these kinds. `self` is the class: F.
function D:specialise(module, device, args, key)
  local tree, captured = device.tree, device.captured or {}
  local fn = self:new(module, tree, device.outside)
  fn.own = key:find "^own" ~= nil                          -- it is called for elements, whose values are its own
  fn.results, fn.parameters, fn.device, fn.numbered = {}, {}, device, module.numbered
  module.unique = module.unique + 1
  fn.c = ("jit_%s_%d"):format(tree.name or "function", module.unique)
  local binds = {}
  for k, v in ipairs(args) do
    local around = captured[k - #tree.params]
    local name = tree.params[k] or around.variable.name
    if v.kind == "array" and v.array.field then
      fn.parameters[#fn.parameters + 1] = {}
      binds[k] = function() fn.scope.names[name] = { name = name, alias = v } end
    elseif v.kind == "array" then
      local source, c = v.array, ("p%d_%s"):format(k, name)
      local array = source.static and setmetatable({ pointer = c, written = false, read = false }, { __index = source })
        or D.array_parameter(c, source.dtype, source.ndim, source.contiguous)
      array.input, array.by_value, array.list = source.input, source.by_value, source.list
      structs.with_fields(array, source.struct).argument = source.argument
      fn.parameters[#fn.parameters + 1] = { array = array, given = v.given }
      local alias = { kind = "array", array = array, name = name, at = v.given > 0 and c .. "_at" or nil,
        given = v.given }
      binds[k] = function() fn.scope.names[name] = { name = name, alias = alias } end
    elseif v.object then
      local c = ("p%d_%s"):format(k, name)
      fn.parameters[#fn.parameters + 1] = { object = v.object.c .. c }
      local alias = value.renamed(v, c, name)
      binds[k] = function() fn:name_object(name, alias) end
    elseif v.kind == "vector" then
      binds[k] = fn:vector_parameter(name, k, v, fn.parameters)
    elseif v.taken and not fn.assigned[name] then
      fn.parameters[#fn.parameters + 1] = {}
      binds[k] = function()
        fn.scalars[v.taken.c] = v.taken
        fn.scope.names[name] = { name = name, alias = v }
      end
    elseif v.constant ~= nil and not fn.assigned[name] or around and is_fixed(v) then
      fn.parameters[#fn.parameters + 1] = {}
      binds[k] = function() fn.scope.names[name] = { name = name, alias = v } end
    else
      fn.parameters[#fn.parameters + 1], binds[k] = fn:scalar_parameter(name, k, v)
    end
    if around then binds[k] = fn:inherit(around, name, binds[k]) end
  end
  fn.bind = function()
    for _, bind in ipairs(binds) do bind() end
  end
  module.running[device] = true
  fn:settle_types()
  for _, parameter in ipairs(fn.parameters) do lists.check(fn, parameter.array) end
  module.running[device] = nil
  module.functions[key] = fn
  return fn
end

--- Binds what a function reads around it. Only what it names itself has its name there.
function D:inherit(around, name, bind)
  return function()
    local names = self.scope.names
    local before = names[name]
    bind()
    self.inherited[around.variable] = names[name]
    if around.hidden then names[name] = before end
  end
end

function D.result_type(fn)
  if not fn.results.count or fn.results.count == 0 then return "void" end
  if fn.results.count == 1 then return types.register[fn.results[1].dtype] end
  return fn.c .. "_results"
end

-- ==== Calls ====

--- The arguments of a call in C++.
local function passed(self, callee, args)
  local module = self.module
  local texts = module.check and { "faults" } or {}
  for _, text in ipairs(random.passed(self, callee)) do texts[#texts + 1] = text end
  for _, text in ipairs(prints.passed(self, callee)) do texts[#texts + 1] = text end
  for _, text in ipairs(taken.passed(self, callee)) do texts[#texts + 1] = text end
  if callee.numbered then texts[#texts + 1] = "jit_i, jit_n" end
  if module.near then texts[#texts + 1] = "jit_near" end
  for k, v in ipairs(flat(args)) do
    local parameter = callee.parameters[k]
    if parameter.array then
      local to, from = parameter.array, v.array
      if to.written then from.written = true end
      if to.read then from.read = true end
      structs.spread_use(to, from)
      from.appended = from.appended or to.appended
      texts[#texts + 1] = to.appended and from.pointer .. "_list" or from.pointer
      if v.given > 0 then
        texts[#texts + 1] = v.at or elements.has_limits(module, from) and "jit_start()" or "0"
      end
      if not to.static and not to.appended then taken.pass_layout(texts, to, from) end
    elseif parameter.object then
      texts[#texts + 1] = v.text
    elseif parameter.dtype then
      texts[#texts + 1] = v.kind == "bool" and v.text or value.as(v, parameter.dtype)
    end
  end
  return table.concat(texts, ", ")
end

local function result_value(self, result, text, args)
  if result.dtype == "bool" then return value.bool(text) end
  local v, list = value.number(text, result.dtype, result.weak), {}
  for k, c in ipairs(result.constants or {}) do list[k] = c.number end
  v.constants = self.constants_given(list, args)
  return v
end

--- Values and arrays for the parameters; surplus results of a last call are dropped.
function D:arguments_of(fn, node)
  local args, wanted = self:values(node.args, node.line), #fn.device.tree.params
  if #args ~= wanted and not args.open and (#args < wanted or #node.args > wanted) then
    self:fail(node.line, ("'%s' with %d arguments; wanted %d"):format(fn.name, #args, wanted))
  end
  for k = #args, wanted + 1, -1 do args[k] = nil end
  return args
end

--- The translation of a device function for arguments.
function D:callee(device, args, line, name)
  local module = self.module
  local kinds, bad = signature(args, #device.tree.params)
  if not kinds then
    self:fail(line, ("argument %d of '%s' is %s; wanted a number, a boolean, an array, a grid or a texture"):format(bad,
      name, self:describe(args[bad])))
  end
  if module.running[device] then
    self:fail(line, ("'%s' calls itself; recursion is not available in a kernel"):format(name))
  end
  local key = device.id .. ":" .. kinds .. (module.check and "!" or "")
  local callee = module.functions[key] or self:specialise(module, device, args, key)
  if not self.callees[callee] then
    self.callees[callee] = true
    self.order[#self.order + 1] = callee
  end
  return callee
end

--- A device function as an operator of two values `a` and `b` of a dtype: the text of what it gives.
function D:operator(fn, dtype, line)
  local params = fn.device.tree.params
  if #params ~= 2 then self:fail(line, ("'%s' has %d parameters; wanted 2"):format(fn.name, #params)) end
  local args = { value.number("a", dtype), value.number("b", dtype),
    unpack(self:captured_constants(fn.device, line, fn.name)) }
  local callee = self:callee(fn.device, args, line, fn.name)
  local result = callee.results[1]
  if callee.results.count ~= 1 or result.dtype == "bool" then
    self:fail(line, ("'%s' returns %s; wanted a number"):format(fn.name, callee.results.count == 1 and "a boolean"
      or (callee.results.count or 0) .. " values"))
  end
  if next(callee.scalars) then self:fail(line, ("'%s' takes numbers that change, as an operator"):format(fn.name)) end
  if next(callee.places) then self:fail(line, ("'%s' draws random numbers, as an operator"):format(fn.name)) end
  return types.convert(("%s(%s)"):format(callee.c, passed(self, callee, args)), result.dtype, dtype)
end

--- A call is a statement of its own, so that calls run in Lua's order.
function D:call_device(fn, node)
  local args = self:arguments_of(fn, node)
  for k, v in ipairs(self:captured_values(fn.device, node.line, fn.name)) do args[#fn.device.tree.params + k] = v end
  for _, v in pairs(args) do
    if self.is_unknown(v) then return { value.unknown, open = true } end
  end
  return self:call_values(fn.device, args, node.line, fn.name)
end

--- Calls a device function with values for all of its parameters; returns its results.
function D:call_values(device, args, line, shown)
  local callee = self:callee(device, args, line, shown)
  local all = flat(args)
  self:check_given(callee, all)
  local call, count = ("%s(%s)"):format(callee.c, passed(self, callee, args)), callee.results.count or 0
  if count == 0 then
    self:emit(line, call .. ";")
    return {}
  end
  local name = self:unique(count == 1 and "result" or "results")
  self:emit(line, ("const %s %s = %s;"):format(D.result_type(callee), name, call))
  if count == 1 then return { result_value(self, callee.results[1], name, all) } end
  local list = {}
  for k = 1, count do list[k] = result_value(self, callee.results[k], ("%s.v%d"):format(name, k), all) end
  return self.grouped(list, callee.results.groups, callee.results.shares and args)
end

return D
