--- Values of several numbers in kernels: a vector is its components, each a value (jit/value.lua) of its own, and a
--- local that is assigned to has a C++ variable for each. Methods of a function's translation.
---
--- A vector value is { kind = "vector", vector = kind (kinds.lua), components ... }. One that a name stands for has
--- `variable`: in Lua it is the same object, so a component of either may not be assigned to.

local kinds = require "moonarray.vector.kinds"
local operations = require "moonarray.vector.operations"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local V = {}


--- Adds the variables whose vector a value may be.
local function add_sources(list, v)
  local variable = v.variable
  for _, one in ipairs(v.sources or variable and (variable.either or { variable }) or {}) do list[#list + 1] = one end
  return list
end

--- What a vector is that a choice or a function gives: that of one of these variables, or a new one.
local function either(list) return { parameter = true, either = list } end

local function new(kind, list)
  list.kind, list.vector = "vector", kind
  return list
end

--- Whether a value, or a component of it, has no type yet.
function V.is_unknown(v)
  if v.kind ~= "vector" then return v.kind == "unknown" end
  for k = 1, #v do
    if v[k].kind == "unknown" then return true end
  end
  return false
end

-- ==== Components with Lua's operators ============================================================================

local Component = {}

local function component(self, v, line) return setmetatable({ value = v, self = self, line = line }, Component) end

for name, op in pairs { add = "+", sub = "-", mul = "*", div = "/", mod = "%" } do
  Component["__" .. name] = function(a, b)
    local of = getmetatable(a) == Component and a or b
    local function bare(x) return type(x) == "number" and value.of_number(x) or x.value end
    return component(of.self, of.self:arithmetic(op, bare(a), bare(b), of.line), of.line)
  end
end

function Component.__unm(a) return component(a.self, a.self:negative(a.value), a.line) end

local of = {}

function of.keep(x)
  if x.value.kind == "unknown" then return x end
  return component(x.self, x.self:held(x.value, x.line), x.line)
end

local mathematics = require("moonarray.jit.builtins").math

for name in ("sqrt sin cos"):gmatch "%S+" do
  of[name] = function(x)
    return component(x.self, mathematics[name].call(x.self, { x.value }, x.line, name), x.line)
  end
end

--- A value as operations.lua takes it. `keep`: it may be used more than once.
local function operand(self, v, line, keep)
  if v.kind ~= "vector" then return keep and of.keep(component(self, v, line)) or component(self, v, line) end
  local list = { kind = v.vector }
  for k = 1, #v do
    list[k] = component(self, v[k], line)
    if keep then list[k] = of.keep(list[k]) end
  end
  return list
end

--- What operations.lua gives, as a value.
local function result(made)
  if getmetatable(made) == Component then return made.value end
  local list = {}
  for k = 1, made.kind.count do list[k] = made[k].value end
  return new(made.kind, list)
end

-- ==== Operators and methods ======================================================================================

--- A number or a vector.
function V:as_operand(v, line, what)
  if v.kind ~= "vector" then return self:as_number(v, line, what) end
  return v
end

--- A number, a boolean or a vector.
function V:as_compared(v, line, what)
  if v.kind ~= "vector" then return self:as_scalar(v, line, what) end
  return v
end

function V:vector_arithmetic(op, a, b, line)
  if a.kind == "unknown" or b.kind == "unknown" then return value.unknown end
  local keep = not operations.uses_once(op, a.vector, b.vector)
  local made, wrong = operations.binary(op, operand(self, a, line, keep), operand(self, b, line, keep))
  if not made then self:fail(line, wrong) end
  return result(made)
end

function V:vector_negative(v, line) return result(operations.negative(operand(self, v, line))) end

--- `a == b` or `a ~= b` of two values, one of which is a vector.
function V:vector_comparison(op, a, b, line)
  if a.kind == "unknown" or b.kind == "unknown" then return value.bool "false" end
  if a.kind ~= b.kind or a.vector ~= b.vector or op ~= "==" and op ~= "~=" then
    self:fail(line, ("'%s' of %s and %s"):format(op, self:describe(a), self:describe(b)))
  end
  if a.variable and not a.variable.either and a.variable == b.variable then return value.boolean(op == "==") end
  local texts = {}
  for k = 1, #a do texts[k] = self:compare("==", a[k], b[k], line).text end
  return value.bool(("%s(%s)"):format(op == "~=" and "!" or "", table.concat(texts, " && ")))
end

--- `v:name`, as a function that is called.
function V:vector_method(node, object)
  local kind, name, line = object.vector, node.name, node.line
  if name == "unpack" then
    return { kind = "builtin", name = ":unpack", builtin = { least = 0, call = function() return unpack(object) end } }
  end
  local method = operations.method(kind, name)
  if not method then
    self:fail(line, ("a %s has no method ':%s'; there are %s"):format(kind.name, name, operations.names(kind)))
  end
  return { kind = "builtin", name = ":" .. name, builtin = { least = method.takes and 1 or 0,
    call = function(fn, args, at)
      local argument = args[1]
      if argument and argument.kind == "unknown" then return argument end
      if argument then
        argument = operand(fn, fn:as_operand(argument, at, "the argument of ':" .. name .. "'"), at, true)
      end
      local wrong = operations.refused(method, kind, argument)
      if wrong then fn:fail(at, ("':%s' of %s"):format(name, wrong)) end
      return result(method.call(of, operand(fn, object, at, true), argument))
    end } }
end

-- ==== Constructors ===============================================================================================

--- The places of the components of a vector in a part of an array.
local function places_in(self, part, kind, line)
  local list = {}
  for i = 1, kind.extents[1] do
    for j = 1, kind.extents[2] or 1 do
      local positions = { value.constant(i, "int"), kind.extents[2] and value.constant(j, "int") }
      list[#list + 1] = self:part(part, positions, line)
    end
  end
  return list
end

--- The elements of a part of an array, as components.
local function of_part(self, part, kind, line)
  local list = places_in(self, part, kind, line)
  for k, place in ipairs(list) do list[k] = self:read(place) end
  return new(kind, list)
end

--- Writes a vector into a part of an array, `p[i] = v`.
function V:write_vector(part, v, line)
  if v.kind == "unknown" then return end
  if v.kind ~= "vector" or part.given ~= part.array.ndim - #v.vector.extents then return self:place(part, line) end
  local held = self:held(v, line)
  for k, place in ipairs(places_in(self, part, v.vector, line)) do
    self:write(self:place(place, line), held[k], line)
  end
end

local function parts(v) return v.kind == "vector" and v or nil end

--- What `jit.vec3` and its like are in a kernel.
function V.constructor(kind)
  return { least = 1, most = 16, call = function(self, args, line, name)
    if args[1].kind == "array" and #args == 1 and args[1].given == args[1].array.ndim - #kind.extents then
      return of_part(self, args[1], kind, line)
    end
    for k, v in ipairs(args) do
      if v.kind == "unknown" then return v end
      if v.kind ~= "vector" then self:as_number(v, line, ("argument %d of '%s'"):format(k, name)) end
    end
    local given = args
    if #args == 1 and args[1].kind == "number" then given = { self:held(args[1], line) } end
    local list, wrong = kinds.spread(kind, given, #given, parts, value.constant(0, "int"))
    if not list then self:fail(line, ("'%s' of %s"):format(name, wrong)) end
    return new(kind, list)
  end }
end

--- jit.rotation in a kernel.
V.rotation = { least = 2, call = function(self, args, line, name)
  for _, v in ipairs(args) do
    if v.kind == "unknown" then return v end
  end
  if args[1].kind ~= "vector" or args[1].vector.name ~= "vec3" then
    self:fail(line, ("the axis of '%s' is %s; wanted a vec3"):format(name, self:describe(args[1])))
  end
  self:as_number(args[2], line, ("the angle of '%s'"):format(name))
  return result(operations.rotation(of, operand(self, args[1], line, true), component(self, args[2], line)))
end }

--- A vector of the program's, as constants, which each call looks at.
function V:vector_of_lua(found, name, line)
  local list = {}
  for k = 1, #found do
    if type(found[k]) ~= "number" then
      self:fail(line, ("component %d of '%s', a %s from outside, is no number; give what it has among the arguments")
        :format(k, name or "a vector", found.kind.name))
    end
    self.module:remember(nil, found, k, found[k])
    list[k] = value.of_number(found[k])
  end
  return new(found.kind, list)
end

-- ==== Fields =====================================================================================================

--- Where `v.key` leads: a list of components.
local function places_of(self, v, node)
  local kind, key = v.vector, node.key
  if key.kind == "string" then
    local places = kinds.places(kind, key.value)
    if places then return places end
    self:fail(key.line, ("a %s has no field '%s'; there are %s, and %s"):format(kind.name, key.value,
      kinds.fields(kind), operations.names(kind)))
  end
  local places, wrong = kinds.numbered(kind, self:whole(key, ("the component of a %s"):format(kind.name)))
  return places or self:fail(key.line, wrong)
end

function V:vector_field(v, node)
  local places, list = places_of(self, v, node), {}
  if #places == 1 then return v[places[1]] end
  for k, place in ipairs(places) do list[k] = self:held(v[place], node.line) end
  return new(kinds.of_count(#places), list)
end

--- Whether a local may be the same vector as another one where the text is translated now: it became so before, or in a
--- loop that it outlives.
local function is_shared(self, variable)
  local shared = variable.shared
  return shared and (shared.for_ever or shared.walk == self.loops)
end

local function note_shared(self, variable, name, for_ever)
  if is_shared(self, variable) and (variable.shared.for_ever or not for_ever) then return end
  variable.shared = { name = name, walk = self.loops, for_ever = for_ever }
end

--- Notes that a local is the same vector as another one from here on.
local function share(self, variable, v)
  local other, first = v.variable, variable.parts and variable.parts[1]
  if not other then return end
  local for_ever = first and #self.loops > (first.around or 0)
  note_shared(self, variable, other.name and "'" .. other.name .. "'" or "another value", for_ever)
  for _, one in ipairs(other.either or { other }) do note_shared(self, one, "'" .. variable.name .. "'", for_ever) end
end

--- The target `v.key` of an assignment.
function V:vector_target(v, node)
  local places, variable = places_of(self, v, node), v.variable
  if not variable or not variable.parts or node.object.kind ~= "name" then
    self:fail(node.line, ("a component of a %s that no local holds is assigned to"):format(v.vector.name))
  end
  if kinds.repeats(places) then
    self:fail(node.line, ("'%s' has a component twice, and is assigned to"):format(node.key.value))
  end
  if variable.parameter then
    self:fail(node.line, ("a component of the parameter '%s' is assigned to, which is the caller's vector too; take a "
      .. "copy: local v = ma.jit.%s(%s)"):format(variable.name, v.vector.name, variable.name))
  end
  if is_shared(self, variable) then
    self:fail(node.line, ("a component of '%s' is assigned to, and %s may be the same vector; take a copy by "
      .. "ma.jit.%s"):format(variable.name, variable.shared.name, v.vector.name))
  end
  return { kind = "component", variable = variable, places = places }
end

-- ==== Locals =====================================================================================================

--- Whole constants are fractions in a local that is assigned to, so that it takes the type of what is added. In a
--- function of elements, whose variables are weak, they are what they are.
local function loose(self, v)
  if v.weak ~= "int" or self.module.near then return v end
  if v.constant then return value.constant(v.constant, "float") end
  return value.number(value.as(v, "float64"), "float64", "float")
end

--- Declares the C++ variables of a vector.
function V:declare_parts(node, k, variable)
  variable.parts = variable.parts or {}
  local name = variable.name
  local before = self.scope.names[name]
  for j = 1, variable.vector.count do variable.parts[j] = self:declare(node, k .. ":" .. j, name) end
  self.scope.names[name] = before
end

--- A local that is never assigned to stands for the components as they are now.
function V:vector_alias(name, v, line)
  local held, alias = self:held(v, line, true), { name = name }
  share(self, alias, v)
  local list = {}
  for j = 1, #held do list[j] = held[j] end
  alias.alias = new(v.vector, list)
  alias.alias.variable = alias
  return alias
end

--- Widens the types of a local for a vector, or says why it cannot be one.
function V:widen_vector(variable, v, line)
  if v.kind == "unknown" then return end
  if variable.dtype or v.kind ~= "vector" or variable.vector and variable.vector ~= v.vector then
    self:fail(line, ("'%s' is %s and gets %s"):format(variable.name, variable.vector and "a " .. variable.vector.name
      or variable.dtype == "bool" and "a boolean" or "a " .. variable.dtype, self:describe(v)))
  end
  if not variable.vector then variable.vector, self.changed = v.vector, true end
  share(self, variable, v)
  for j, part in ipairs(variable.parts or {}) do
    if v[j].kind ~= "unknown" then self:widen_result(part, loose(self, v[j]), line) end
  end
end

--- The statements that set the variables of a vector; `begins`: they are declared.
function V:set_vector(variable, v, line, begins)
  local held = v and v.kind == "vector" and (begins and v or self:held(v, line, true))
  for j, part in ipairs(variable.parts or {}) do
    if part.dtype then
      local text = held and (held[j].kind == "unknown" and "0" or self:cast(held[j], part.dtype, line))
      if held then self[begins and "begin_constants" or "set_constants"](self, part, held[j]) end
      if begins then
        self:emit(line, ("%s %s%s;"):format(types.register[part.dtype], part.c, text and " = " .. text or "{}"))
      elseif text then
        self:emit(line, ("%s = %s;"):format(part.c, text))
      end
    end
  end
end

--- Assigns to components of a local.
function V:assign_component(target, v, line)
  local variable, places = target.variable, target.places
  if v.kind == "unknown" then return end
  local list = #places == 1 and { self:as_number(v, line, "a component's new value") } or v
  if #places > 1 and (v.kind ~= "vector" or #v ~= #places) then
    self:fail(line, ("%d components get %s; wanted a vec%d"):format(#places, self:describe(v), #places))
  end
  local given = { kind = "vector", vector = variable.vector }
  for j, part in ipairs(variable.parts) do given[j] = { kind = "unknown", of = part } end
  for k, place in ipairs(places) do
    if list[k].kind ~= "unknown" then
      self:widen_result(variable.parts[place], loose(self, list[k]), line)
      given[place] = #places > 1 and self:held(list[k], line, true) or list[k]
    end
  end
  for _, place in ipairs(places) do
    local part = variable.parts[place]
    if part.dtype and given[place].kind ~= "unknown" then
      self:set_constants(part, given[place])
      self:emit(line, ("%s = %s;"):format(part.c, self:cast(given[place], part.dtype, line)))
    end
  end
end

--- The value of a local that is a vector.
function V:value_of_vector(variable, line)
  if not variable.parts then return value.unknown end
  local list = {}
  for j, part in ipairs(variable.parts) do list[j] = self:value_of(part, line) end
  local v = new(variable.vector, list)
  v.variable = variable
  return v
end

function V:held_vector(v, line)
  local list = {}
  for j = 1, #v do list[j] = self:held(v[j], line, true) end
  local held = new(v.vector, list)
  held.variable = v.variable
  return held
end

-- ==== Choices ====================================================================================================

--- `a and b` or `a or b`, where a vector is among them. `lines` must run before b.
function V:vector_choice(op, a, b, lines, line)
  if a.kind == "vector" then
    if op == "and" then self:append(lines) end
    return op == "and" and b or a
  end
  if op == "and" and a.kind == "bool" and b.kind == "vector" then
    local test = self:constant("test", "bool", value.truth(a), line)
    local choices = { vector = b.vector, sources = add_sources({}, b) }
    local names = {}
    for j = 1, #b do
      names[j] = self:unique "value"
      self:emit(line, ("%s %s{};"):format(types.register[b[j].dtype], names[j]))
    end
    self:open(line, ("if (%s) {"):format(test))
    self:append(lines)
    for j = 1, #b do self:emit(line, ("%s = %s;"):format(names[j], self:cast(b[j], b[j].dtype, line))) end
    self:close()
    for j = 1, #b do choices[j] = self:chosen(test, names[j], b[j].dtype, b[j].weak) end
    return { kind = "choice", truth = test, choices = choices }
  end
  local one, other = a.choices, b.kind == "vector" and b or b.choices
  if op == "or" and one and other and one.vector == other.vector then
    local list, texts, test = {}, {}, nil
    if b.choices then
      test = self:unique "test"
      self:emit(line, ("bool %s = %s;"):format(test, a.truth))
    end
    for j = 1, #other do
      local dtype, weak = value.join(one[j], other[j])
      local name = self:unique "value"
      self:emit(line, ("%s %s = %s;"):format(types.register[dtype], name, one[j].choose(dtype,
        types.literal(0, dtype))))
      list[j], texts[j] = value.number(name, dtype, weak), name
    end
    self:open(line, ("if (!%s) {"):format(a.truth))
    self:append(lines)
    for j = 1, #other do
      local dtype = list[j].dtype
      local text = b.choices and other[j].choose(dtype, types.literal(0, dtype)) or self:cast(other[j], dtype, line)
      self:emit(line, ("%s = %s;"):format(texts[j], text))
    end
    if b.choices then self:emit(line, ("%s = %s;"):format(test, b.truth)) end
    self:close()
    if b.choices then
      local choices = { vector = other.vector, sources = add_sources(add_sources({}, one), other) }
      for j = 1, #list do choices[j] = self:chosen(test, texts[j], list[j].dtype, list[j].weak) end
      return { kind = "choice", truth = test, choices = choices }
    end
    local v = new(b.vector, list)
    v.variable = either(add_sources(add_sources({}, one), other))
    return v
  end
  self:fail(line, ("'%s' of %s and %s; wanted `test and a or b` of two vectors of one kind"):format(op,
    self:describe(a), self:describe(b)))
end

-- ==== Functions ==================================================================================================

--- Parameters for the components of a vector, which are added to a list. Returns what binds them to the name.
function V:vector_parameter(name, k, v, list)
  local variable, binds = { name = name, vector = v.vector, parts = {}, parameter = not self.own }, {}
  for j = 1, #v do
    local part = v[j]
    if part.constant ~= nil and not self.assigned[name] then
      list[#list + 1] = {}
      binds[j] = function() return { name = name, alias = part } end
    else
      part = self.assigned[name] and loose(self, part) or part
      local parameter, bind = self:scalar_parameter(name, k .. ":" .. j, part)
      list[#list + 1] = parameter
      binds[j] = function()
        local known = variable.parts[j]
        local weak = part.weak
        if known then weak = known.weak end
        bind()
        local made = self.scope.names[name]
        made.weak = weak
        return made
      end
    end
  end
  return function()
    for j = 1, #binds do variable.parts[j] = binds[j]() end
    self.scope.names[name] = variable
  end
end

--- Values with the components of vectors in their place. The second list has the kind of each vector that was there,
--- false for another value; it is nil if there is none.
function V.flat(values)
  local list, groups, any = {}, {}, false
  for k, v in ipairs(values) do
    groups[k] = v.kind == "vector" and v.vector or false
    if groups[k] then
      any = true
      for j = 1, #v do list[#list + 1] = v[j] end
    else
      list[#list + 1] = v
    end
  end
  return list, any and groups or nil
end

--- The values of `return`, flat. Notes where vectors are among them.
function V:returned(list, line)
  for _, v in ipairs(list) do
    if self.is_unknown(v) and not self.final then return nil end       -- a later walk knows how many there are
    if v.variable and v.variable.parameter then self.results.shares = true end
  end
  local values, groups = V.flat(list)
  local known = self.results.groups
  if self.results.count then
    for k = 1, math.max(#(known or {}), #(groups or {})) do
      if (known and known[k] or false) ~= (groups and groups[k] or false) then
        self:fail(line, "vectors are returned here, and other results above; wanted the same kinds")
      end
    end
  end
  self.results.groups = groups
  return values
end

--- The opposite of flat, for results of a call. They may be vectors among `args` of the caller, if there are any.
function V.grouped(list, groups, args)
  if not groups then return list end
  local made, n, sources = {}, 0, args and {}
  for _, v in pairs(args or {}) do
    if v.kind == "vector" then add_sources(sources, v) end
  end
  for k, kind in ipairs(groups) do
    if kind then
      local v = { unpack(list, n + 1, n + kind.count) }
      made[k], n = new(kind, v), n + kind.count
      v.variable = sources and either(sources) or nil
    else
      n = n + 1
      made[k] = list[n]
    end
  end
  return made
end

return V
