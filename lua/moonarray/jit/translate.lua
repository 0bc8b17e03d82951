--- Statements and functions: a tree and the types of its arguments give CUDA C++.
--
-- A function is walked until the types of its locals no longer change (they only grow), then once more: the text of that last walk
-- is the result. A local has the type of its first assignment, widened by the others.

local lexer = require "moonarray.jit.lexer"
local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"
local expression = require "moonarray.jit.expression"
local helpers = require "moonarray.jit.helpers"

local F = {}
F.__index = F
for name, method in pairs(expression) do F[name] = method end

function F:fail(line, text) lexer.fail(self.tree.chunk, line, text) end

function F:help(name) self.helpers[name] = true end

-- ==== Text ====

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

--- The variable that a node declares: the same in every walk.
function F:declare(node, k, name)
  local list = self.variables[node] or {}
  self.variables[node] = list
  local variable = list[k] or { name = name }
  list[k] = variable
  variable.c = self:unique(name)
  self.scope.names[name] = variable
  return variable
end

--- Makes room for a value in a variable.
function F:widen(variable, v, line)
  if v.kind == "unknown" then return end
  if v.kind ~= "number" and v.kind ~= "bool" then
    self:fail(line, ("'%s' gets %s; wanted a number or a boolean"):format(variable.name, self:describe(v)))
  end
  local old = variable.dtype
  if v.kind == "bool" or old == "bool" then
    if old and (old == "bool") ~= (v.kind == "bool") then
      self:fail(line, ("'%s' is %s and gets %s"):format(variable.name, old == "bool" and "a boolean" or "a " .. old, self:describe(v)))
    end
    variable.dtype = "bool"
  elseif not old then
    variable.dtype = v.weak and value.default[v.weak] or v.dtype
  else
    local dtype = value.join({ dtype = old }, v)
    if v.constant and types.is_integer(dtype) and not types.holds(dtype, v.constant) then dtype = types.promote(dtype, v.dtype) end
    variable.dtype = dtype
  end
  if variable.dtype ~= old then self.changed = true end
end

local function register(dtype) return types.register[dtype] end

--- Names that a block assigns to, inner blocks included, whatever they stand for there.
local function assigned_names(block, names)
  for _, statement in ipairs(block) do
    if statement.kind == "assign" then
      for _, target in ipairs(statement.targets) do
        if target.kind == "name" then names[target.name] = true end
      end
    end
    if statement.block then assigned_names(statement.block, names) end
    if statement.otherwise then assigned_names(statement.otherwise, names) end
    for _, inner in ipairs(statement.blocks or {}) do assigned_names(inner, names) end
  end
  return names
end

-- ==== Statements ====

local known_kinds = { array = true, string = true, table = true, lua = true, builtin = true, device = true, shape = true }

--- An array's place is taken where the local is declared, not where it is used.
function F:fixed(v, name, line)
  if v.kind ~= "array" or #v.prefix == 0 then return v end
  local offset = self:unique(name)
  self:emit(line, ("const i8 %s = %s;"):format(offset, table.concat(v.prefix, " + ")))
  return { kind = "array", array = v.array, name = v.name, prefix = { offset }, given = v.given }
end

local statements = {}

function statements.local_(self, node)
  local list = self:values(node.values)
  if #list > math.max(#node.names, 1) then self:fail(node.line, ("%d values for %d names"):format(#list, #node.names)) end
  local made = {}
  for k, name in ipairs(node.names) do                       -- the values do not see the names
    local v = list[k]
    if v and (known_kinds[v.kind] or (v.constant ~= nil and not self.assigned[name])) then
      made[k] = { name = name, alias = self:fixed(v, name, node.line) }
    else
      made[k] = self:declare(node, k, name)
      self.scope.names[name] = nil
      if v then self:widen(made[k], v, node.line) end
    end
  end
  for k = 1, #node.names do
    local variable, v = made[k], list[k]
    if variable.dtype and not variable.alias then
      self:emit(node.line, v and ("%s %s = %s;"):format(register(variable.dtype), variable.c, self:cast(v, variable.dtype, node.line))
        or ("%s %s{};"):format(register(variable.dtype), variable.c))
    end
  end
  for k, name in ipairs(node.names) do self.scope.names[name] = made[k] end
end

--- Where a value goes: a function that writes its text.
function F:target(node, fix)
  if node.kind == "name" then
    local variable = self:find(node.name)
    if not variable then self:fail(node.line, ("'%s' is not a local; a kernel's results go into arrays"):format(node.name)) end
    if variable.alias then self:fail(node.line, ("'%s' stands for %s and cannot be assigned to"):format(node.name, self:describe(variable.alias))) end
    return function(v)
      self:widen(variable, v, node.line)
      if variable.dtype then self:emit(node.line, ("%s = %s;"):format(variable.c, self:cast(v, variable.dtype, node.line))) end
    end
  end
  local object = self:expression(node.object)
  if object.kind ~= "array" then self:fail(node.line, ("%s is assigned into; wanted an array"):format(self:describe(object))) end
  local part = self:element(object, node.key)
  if #part.given < part.array.ndim then
    self:fail(node.line, ("%d positions of %s, an array of %d axes"):format(#part.given, part.name or "an array", part.array.ndim))
  end
  if fix then part = self:fixed(part, "place", node.line) end
  return function(v) self:write(part, v, node.line) end
end

function F:write(part, v, line)
  local dtype = part.array.dtype
  part.array.written = true
  if v.kind == "unknown" then return end
  if v.kind ~= "number" and v.kind ~= "bool" then self:fail(line, ("%s is written; wanted a number or a boolean"):format(self:describe(v))) end
  if dtype == "bool" and v.kind == "number" then
    self:fail(line, ("%s is written into %s, a bool array; wanted a boolean"):format(self:describe(v), part.name or "an array"))
  end
  self:emit(line, ("%s = %s;"):format(self.place(part), types.store(self:cast(v, dtype, line), dtype)))
end

function statements.assign(self, node)
  local list = self:values(node.values)
  if #list ~= #node.targets then
    self:fail(node.line, ("%d values for %d places"):format(#list, #node.targets))
  end
  if #list == 1 then return self:target(node.targets[1])(list[1]) end
  local targets = {}
  for k, target in ipairs(node.targets) do targets[k] = self:target(target, true) end
  for k, v in ipairs(list) do                                -- all values are taken before one is written
    if v.kind == "number" and not v.constant then
      local name = self:unique "value"
      self:emit(node.line, ("const %s %s = %s;"):format(register(v.dtype), name, v.text))
      list[k] = { kind = "number", dtype = v.dtype, weak = v.weak, text = name }
    elseif v.kind == "bool" then
      local name = self:unique "value"
      self:emit(node.line, ("const bool %s = %s;"):format(name, v.text))
      list[k] = value.bool(name)
    end
  end
  for k, target in ipairs(targets) do target(list[k]) end
end

function statements.call_(self, node)
  local v = self:call(node.call, true)[1]
  if v and v.text and v.impure then self:emit(node.line, ("(void)(%s);"):format(v.text)) end
end

function F:block(list)
  self:push()
  for _, statement in ipairs(list) do statements[statement.kind](self, statement) end
  self:pop()
end

function statements.if_(self, node)
  for k, test in ipairs(node.tests) do
    local text = ("if (%s) {"):format(self:test(test))
    if k == 1 then
      self:open(node.line, text)
    else
      self:close("} else " .. text)
      self.indent = self.indent + 1
    end
    self:block(node.blocks[k])
  end
  if node.otherwise then
    self:close("} else {")
    self.indent = self.indent + 1
    self:block(node.otherwise)
  end
  self:close()
end

function statements.while_(self, node)
  self:open(node.line, ("while (%s) {"):format(self:test(node.test)))
  self:block(node.block)
  self:close()
end

function statements.repeat_(self, node)
  self:open(node.line, "for (;;) {")
  self:push()
  for _, statement in ipairs(node.block) do statements[statement.kind](self, statement) end
  local last = node.block[#node.block]
  if not (last and (last.kind == "break_" or last.kind == "return_")) then      -- the test sees the block's locals
    self:emit(node.test_line, ("if (%s) break;"):format(self:test(node.test)))
  end
  self:pop()
  self:close()
end

function statements.do_(self, node)
  self:open(node.line, "{")
  self:block(node.block)
  self:close()
end

function statements.break_(self, node) self:emit(node.line, "break;") end

--- for name = start, stop, step, with a copy of the counter for the body to change.
function F:loop(node, name, start, stop, step)
  local line = node.line
  step = step or value.constant(1, "int")
  for _, v in ipairs { start, stop, step } do
    if v.kind == "unknown" then                              -- known in a later walk; the body may be what makes it so
      self:push()
      self:declare(node, 1, name)
      self:block(node.block)
      self:pop()
      return
    end
  end
  if step.constant == 0 then self:fail(line, "the step of 'for' is 0") end
  local function whole(v) return v.weak == "int" or (not v.weak and types.is_integer(v.dtype)) end
  local dtype = whole(start) and whole(step) and "int64" or "float64"
  local limit, by, counter = self:unique "stop", self:unique "step", self:unique "count"
  local stop_text
  if dtype == "int64" and not whole(stop) then
    local round = step.constant and (step.constant > 0 and "floor(%s)" or "ceil(%s)")
      or ("(%s > 0 ? floor(%%s) : ceil(%%s))"):format(by)
    stop_text = ("ma_to_i8(%s)"):format((round:gsub("%%s", function() return value.as(stop, "float64") end)))
  else
    stop_text = value.as(stop, dtype)
  end
  local c = register(dtype)
  self:push()
  self:open(line, "{")
  local first = self:unique "start"
  self:emit(line, ("%s %s = %s;"):format(c, first, self:cast(start, dtype, line)))
  if not step.constant then self:emit(line, ("const %s %s = %s;"):format(c, by, self:cast(step, dtype, line))) end
  self:emit(line, ("const %s %s = %s;"):format(c, limit, stop_text))
  local test
  if step.constant then
    by = types.literal(step.constant, dtype)
    test = ("%s %s %s"):format(counter, step.constant > 0 and "<=" or ">=", limit)
  else
    test = ("%s > 0 ? %s <= %s : %s < 0 && %s >= %s"):format(by, counter, limit, by, counter, limit)
  end
  self:open(line, ("for (%s %s = %s; %s; %s += %s) {"):format(c, counter, first, test, counter, by))
  local variable = self:declare(node, 1, name)
  self:widen(variable, value.number(counter, dtype), line)
  self:emit(line, ("%s %s = %s;"):format(register(variable.dtype), variable.c, types.convert(counter, dtype, variable.dtype)))
  self:block(node.block)
  self:close()
  self:close()
  self:pop()
end

local function loop_number(self, node, what)
  local v = self:number(node, what)
  if v.kind == "number" and types.is_complex(v.dtype) then self:fail(node.line, what .. " is complex") end
  return v
end

function statements.for_number(self, node)
  self:loop(node, node.name, loop_number(self, node.start, "the start of 'for'"), loop_number(self, node.stop, "the end of 'for'"),
    node.step and loop_number(self, node.step, "the step of 'for'"))
end

function statements.for_in(self, node)
  local call = node.values[1]
  local fn = call.kind == "call" and self:expression(call.fn)
  if not fn or fn.kind ~= "builtin" or not fn.builtin.iterates then
    self:fail(node.line, "'for ... in' of this is not available in a kernel; wanted ma.jit.range(start, stop, step)")
  end
  if #node.names ~= 1 or #node.values ~= 1 then self:fail(node.line, "ma.jit.range gives one number at a time") end
  local args = call.args
  if #args < 1 or #args > 3 then self:fail(call.line, ("ma.jit.range with %d arguments; wanted 1 to 3"):format(#args)) end
  local start = #args > 1 and loop_number(self, args[1], "the start of 'range'") or value.constant(1, "int")
  self:loop(node, node.names[1], start, loop_number(self, args[#args > 1 and 2 or 1], "the end of 'range'"),
    args[3] and loop_number(self, args[3], "the step of 'range'"))
end

function statements.return_(self, node)
  if not self.results then
    if #node.values > 0 then self:fail(node.line, "a kernel returns nothing; its results go into arrays") end
    return self:emit(node.line, "return;")
  end
  local list = self:values(node.values)
  if self.results.count and self.results.count ~= #list then
    self:fail(node.line, ("%d values are returned here, %d above"):format(#list, self.results.count))
  end
  self.results.count = #list
  local texts = {}
  for k, v in ipairs(list) do
    local result = self.results[k] or { name = "result " .. k }
    self.results[k] = result
    self:widen_result(result, v, node.line)
    texts[k] = result.dtype and v.kind ~= "unknown" and self:cast(v, result.dtype, node.line) or "0"
  end
  if #list == 0 then return self:emit(node.line, "return;") end
  self:emit(node.line, #list == 1 and ("return %s;"):format(texts[1]) or ("return {%s};"):format(table.concat(texts, ", ")))
end

--- Results stay weak while only constants have been returned.
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

-- ==== Functions ====

--- The tree of a function walked until its types are settled.
local function walk(self)
  for pass = 1, 100 do
    self.changed, self.lines, self.line, self.indent, self.count = false, {}, 0, 1, 0
    self.helpers, self.callees, self.order = {}, {}, {}
    self.scope = nil
    self:push()
    self.bind(self)
    self:block(self.tree.block)
    if self.final then return end
    self.final = not self.changed
    if pass == 99 then self:fail(self.tree.line, "the types of this function do not settle") end
  end
end

local function new(module, tree, outside)
  return setmetatable({ module = module, tree = tree, outside = outside, variables = {}, shared = {},
    assigned = assigned_names(tree.block, {}) }, F)
end

--- Parameters as a caller gives them, in the function that is called: `bind` names them, `list` holds their declarations.
local function scalar_parameter(self, name, k, v)
  local parameter = { name = name, dtype = v.kind == "bool" and "bool" or v.dtype, weak = v.weak }
  return parameter, function()
    local variable = self:declare(self.tree, k, name)
    variable.dtype = variable.dtype or parameter.dtype
    variable.weak = not self.assigned[name] and parameter.weak or nil
    parameter.c = self:unique(name)
    self:emit(self.tree.line, ("%s %s = %s;"):format(register(variable.dtype), variable.c, types.convert(parameter.c, parameter.dtype, variable.dtype)))
  end
end

--- An array whose parts are parameters: a pointer, extents, strides; those that are used are declared.
local function array_parameter(c, dtype, ndim, contiguous)
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

--- What a device function is to be compiled for, as text.
local function signature(args)
  local parts = {}
  for k, v in ipairs(args) do
    if v.kind == "array" then
      local shape = {}
      for axis = 1, v.array.ndim do
        local extent = v.array.static and v.array.extent(axis)
        shape[axis] = tostring(extent or "?")
      end
      parts[k] = table.concat({ "array", v.array.dtype, v.array.ndim, #v.given, tostring(v.array.contiguous), table.concat(shape, "x") }, ":")
    elseif v.constant ~= nil then parts[k] = ("constant:%s:%s"):format(v.weak or "bool", types.literal(v.constant == true and 1 or v.constant or 0, "float64"))
    elseif v.kind == "bool" then parts[k] = "bool"
    elseif v.kind == "number" then parts[k] = v.dtype .. ":" .. tostring(v.weak)
    else return nil, k end
  end
  return table.concat(parts, ",")
end

--- A device function for arguments of these kinds.
local function specialise(module, device, args, key)
  local tree = device.tree
  local self = new(module, tree, device.outside)
  self.results, self.parameters, self.device = {}, {}, device
  module.unique = module.unique + 1
  self.c = ("jit_%s_%d"):format(tree.name or "function", module.unique)
  local binds = {}
  for k, v in ipairs(args) do
    local name = tree.params[k]
    if v.kind == "array" then
      local source = v.array
      local array = source.static and setmetatable({ pointer = ("p%d_%s"):format(k, name), written = false, read = false }, { __index = source })
        or array_parameter(("p%d_%s"):format(k, name), source.dtype, source.ndim, source.contiguous)
      self.parameters[k] = { array = array, given = v.given }
      local prefix = #v.given > 0 and { ("p%d_%s_at"):format(k, name) } or {}
      local alias = { kind = "array", array = array, name = name, prefix = prefix, given = v.given }
      binds[k] = function() self.scope.names[name] = { name = name, alias = alias } end
    elseif v.constant ~= nil and not self.assigned[name] then
      self.parameters[k] = {}
      binds[k] = function() self.scope.names[name] = { name = name, alias = v } end
    else
      self.parameters[k], binds[k] = scalar_parameter(self, name, k, v)
    end
  end
  self.bind = function()
    for _, bind in ipairs(binds) do bind() end
  end
  module.running[device] = true
  walk(self)
  module.running[device] = nil
  module.functions[key] = self
  return self
end

--- The declarations of an array's parameters, in the order in which a call gives them.
local function array_declarations(array, given, outermost)
  local list, half = {}, outermost and types.is_half(array.dtype)
  list[1] = ("%s%s *%s%s"):format(array.written and "" or "const ", outermost and types.parameter(array.dtype) or types.memory[array.dtype],
    array.pointer, half and "_v" or "")
  if #given > 0 then list[#list + 1] = ("i8 %s_at"):format(array.pointer) end
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

local function result_type(fn)
  if not fn.results.count or fn.results.count == 0 then return "void" end
  if fn.results.count == 1 then return register(fn.results[1].dtype) end
  return fn.c .. "_results"
end

function F:call_device(fn, node, several)
  local device, module = fn.device, self.module
  local args = #node.args == #device.tree.params and {} or self:values(node.args)
  if #node.args == #device.tree.params then
    for k, arg in ipairs(node.args) do args[k] = self:expression(arg) end
  end
  if #args ~= #device.tree.params then
    self:fail(node.line, ("'%s' with %d arguments; wanted %d"):format(fn.name, #args, #device.tree.params))
  end
  for _, v in ipairs(args) do
    if v.kind == "unknown" then return { value.unknown, value.unknown, value.unknown, value.unknown } end
  end
  local kinds, bad = signature(args)
  if not kinds then
    self:fail(node.line, ("argument %d of '%s' is %s; wanted a number, a boolean or an array"):format(bad, fn.name, self:describe(args[bad])))
  end
  if module.running[device] then self:fail(node.line, ("'%s' calls itself; recursion is not available in a kernel"):format(fn.name)) end
  local key = device.id .. ":" .. kinds
  local callee = module.functions[key] or specialise(module, device, args, key)
  if not self.callees[callee] then
    self.callees[callee] = true
    self.order[#self.order + 1] = callee
  end
  local texts = {}
  for k, v in ipairs(args) do
    local parameter = callee.parameters[k]
    if parameter.array then
      local to, from = parameter.array, v.array
      if to.written then from.written = true end
      if to.read then from.read = true end
      texts[#texts + 1] = from.pointer
      if #v.given > 0 then texts[#texts + 1] = #v.prefix > 0 and table.concat(v.prefix, " + ") or "0" end
      if not to.static then
        for axis = 1, to.ndim do
          if to.extents[axis] then texts[#texts + 1] = from.extent(axis) end
        end
        for axis = 1, to.ndim do
          if to.strides[axis] then texts[#texts + 1] = from.stride(axis) end
        end
      end
    elseif parameter.dtype then
      texts[#texts + 1] = v.kind == "bool" and v.text or value.as(v, parameter.dtype)
    end
  end
  local call = ("%s(%s)"):format(callee.c, table.concat(texts, ", "))
  local count = callee.results.count or 0
  if count == 0 then
    self:emit(node.line, call .. ";")
    return {}
  end
  local list = {}
  if count > 1 and not several then
    count = 1
    list[1] = { text = call .. ".v1", impure = true }
  elseif count > 1 then
    local name = self:unique "results"
    self:emit(node.line, ("const %s %s = %s;"):format(result_type(callee), name, call))
    for k = 1, count do list[k] = { text = ("%s.v%d"):format(name, k) } end
  else
    list[1] = { text = call, impure = true }
  end
  for k = 1, count do
    local result = callee.results[k]
    list[k].kind, list[k].dtype, list[k].weak = result.dtype == "bool" and "bool" or "number", result.dtype, result.weak
  end
  return list
end

-- ==== Modules ====

local Module = {}
Module.__index = Module

--- Constants that were read while translating: the text holds as long as they have not changed.
function Module:remember(outside, object, key, found)
  self.reads[#self.reads + 1] = { outside = outside, object = object, key = key, value = found }
end

function Module.quoted(chunk) return '"' .. chunk:gsub('[\\"%c]', "_") .. '"' end

local function new_module(language)
  return setmetatable({ language = language, reads = {}, functions = {}, running = {}, unique = 0 }, Module)
end

--- Appends what a function needs, what it calls first, each once.
local function gather(fn, out)
  for name in pairs(fn.helpers) do out.helpers[name] = true end
  for _, callee in ipairs(fn.order) do
    if not out.seen[callee] then
      out.seen[callee] = true
      gather(callee, out)
      local declarations = {}
      for _, parameter in ipairs(callee.parameters) do
        if parameter.array then
          for _, text in ipairs(array_declarations(parameter.array, parameter.given)) do declarations[#declarations + 1] = text end
        elseif parameter.dtype then
          declarations[#declarations + 1] = ("%s %s"):format(register(parameter.dtype), parameter.c)
        end
      end
      local result = result_type(callee)
      local text = out.text
      if callee.results.count and callee.results.count > 1 then
        local fields = {}
        for k, field in ipairs(callee.results) do fields[k] = ("%s v%d;"):format(register(field.dtype), k) end
        text[#text + 1] = ("struct %s { %s };"):format(result, table.concat(fields, " "))
      end
      text[#text + 1] = ("static __device__ __forceinline__ %s %s(%s) {"):format(result, callee.c, table.concat(declarations, ", "))
      for _, line in ipairs(callee.lines) do text[#text + 1] = line end
      if result ~= "void" then text[#text + 1] = ("  return %s{};"):format(result) end
      text[#text + 1] = "}"
    end
  end
end

local function finish(fn, own)
  local out = { helpers = {}, seen = {}, text = {} }
  gather(fn, out)
  local text = { '#line 1 "jit.cuh"' }
  for _, helper in ipairs(helpers) do
    if out.helpers[helper.name] or helper.always then text[#text + 1] = helper.text end
  end
  for _, line in ipairs(out.text) do text[#text + 1] = line end
  for _, line in ipairs(own) do text[#text + 1] = line end
  return table.concat(text, "\n") .. "\n"
end

local translate = {}

---@class moonarray.jit.argument
---@field dtype string
---@field ndim? integer  of an array
---@field contiguous? boolean

--- A kernel's text for arguments of these types, and what a call passes: a list of {argument, "pointer"|"value"|"extent"|"stride", axis}.
---@param language table  what names mean, see init.lua
---@param kernel { tree: moonarray.jit.tree, outside: fun(name: string): any }
---@param name string
---@param arguments moonarray.jit.argument[]
function translate.kernel(language, kernel, name, arguments)
  local module, tree = new_module(language), kernel.tree
  local self = new(module, tree, kernel.outside)
  local binds, arrays = {}, {}
  for k, argument in ipairs(arguments) do
    local parameter = tree.params[k]
    if argument.ndim then
      local array = array_parameter(("a%d_%s"):format(k, parameter), argument.dtype, argument.ndim, argument.contiguous)
      arrays[k] = array
      local alias = { kind = "array", array = array, name = parameter, prefix = {}, given = {} }
      binds[k] = function() self.scope.names[parameter] = { name = parameter, alias = alias } end
    else
      local v = argument.dtype == "bool" and value.bool("") or value.number("", argument.dtype)
      local scalar
      scalar, binds[k] = scalar_parameter(self, parameter, k, v)
      arrays[k] = { scalar = scalar }
    end
  end
  self.bind = function()
    for _, bind in ipairs(binds) do bind() end
  end
  walk(self)
  local declarations, passed = {}, {}
  for k, array in ipairs(arrays) do
    if array.scalar then
      local dtype = array.scalar.dtype
      declarations[#declarations + 1] = ("%s %s"):format(types.is_integer(dtype) and types.parameter(dtype) or register(dtype), array.scalar.c)
      passed[#passed + 1] = { k, "value" }
    else
      for _, text in ipairs(array_declarations(array, {}, true)) do declarations[#declarations + 1] = text end
      passed[#passed + 1] = { k, "pointer" }
      for axis = 1, array.ndim do
        if array.extents[axis] then passed[#passed + 1] = { k, "extent", axis } end
      end
      for axis = 1, array.ndim do
        if array.strides[axis] then passed[#passed + 1] = { k, "stride", axis } end
      end
    end
  end
  local own = { ('extern "C" __global__ void %s(%s) {'):format(name, table.concat(declarations, ", ")) }
  for _, array in ipairs(arrays) do
    if not array.scalar and types.is_half(array.dtype) then
      local c = array.written and "u2" or "const u2"
      own[#own + 1] = ("  %s *%s = (%s *)%s_v;"):format(c, array.pointer, c, array.pointer)
    end
  end
  for _, line in ipairs(self.lines) do own[#own + 1] = line end
  own[#own + 1] = "}"
  return { text = finish(self, own), passed = passed, reads = module.reads }
end

--- A function of scalars for vectorize: the text of it, its name, its results' types.
---@param arguments { dtype: string, weak?: string }[]
function translate.scalar(language, device, arguments)
  local module = new_module(language)
  local args = {}
  for k, argument in ipairs(arguments) do
    args[k] = argument.dtype == "bool" and value.bool("") or value.number("", argument.dtype)
    args[k].weak = argument.weak
  end
  local fn = specialise(module, device, args, "scalar")
  if not fn.results.count or fn.results.count == 0 then fn:fail(device.tree.line, "the function returns nothing; wanted a value") end
  local results = {}
  for k, result in ipairs(fn.results) do results[k] = { dtype = result.dtype, weak = result.weak } end
  local holder = { helpers = {}, order = { fn }, callees = {} }
  return { text = finish(holder, {}), c = fn.c, results = results, reads = module.reads }
end

return translate
