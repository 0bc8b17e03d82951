--- Translates expressions to values (value.lua). Methods of a function's translation.

local sformat = require("moonarray.text").format
local types = require "moonarray.jit.types"
local taken = require "moonarray.captures.kernel"
local value = require "moonarray.jit.value"

local join, as, number, bool = value.join, value.as, value.number, value.bool

local E = {}

-- ==== Checks of values ====

local called = { array = "an array", string = "a string", table = "a table", list = "a table", lua = "a table",
  builtin = "a function", device = "a function", texture = "a texture", shape = "a shape", group = "a group of threads",
  collective = "what combines values of threads",
  grid = "a grid" }

function E:describe(v)
  if v.kind == "number" then return v.constant and sformat("the number %.14g", v.constant) or "a " .. v.dtype end
  if v.kind == "bool" then return "a boolean" end
  if v.kind == "maybe" then return "false or a number" end
  if v.kind == "vector" then return "a " .. v.vector.name end
  if v.kind == "choice" then return "false or a " .. v.choices.vector.name end
  if v.kind == "mixed" then return "a boolean or a number" end
  if self.is_struct(v) then return "a struct" end
  if v.name and v.kind ~= "array" then return "'" .. v.name .. "'" end
  return called[v.kind] or v.kind
end

--- Checks that a value is a number; the error says what it is.
function E:as_number(v, line, what)
  if v.kind ~= "number" and v.kind ~= "unknown" then
    local hint = v.kind == "bool" and " (ma.int32(x) makes a number of it)" or ""
    self:fail(line, ("%s is %s; wanted a number%s"):format(what, self:describe(v), hint))
  end
  return v
end

function E:number(node, what) return self:as_number(self:expression(node), node.line, what) end

--- A number or a boolean.
function E:as_scalar(v, line, what)
  if v.kind ~= "number" and v.kind ~= "bool" and v.kind ~= "unknown" then
    self:fail(line, ("%s is %s; wanted a number or a boolean"):format(what, self:describe(v)))
  end
  return v
end

--- A whole constant.
function E:as_whole(v, line, what)
  v = taken.constant(self, self:as_number(v, line, what))
  if not v.constant or v.constant ~= math.floor(v.constant) then
    self:fail(line, ("%s is %s; wanted a whole constant"):format(what, v.constant and self:describe(v)
      or "not constant"))
  end
  return v.constant
end

function E:whole(node, what) return self:as_whole(self:expression(node), node.line, what) end

--- Notes that a number computed from arguments must fit a dtype; vectorize checks that at each call.
function E:must_fit(v, dtype)
  local fits = self.module.fits
  fits[#fits + 1] = { value = v.host, dtype = dtype }
end

local function host_of(v)
  return v.host or v.weak == "int" and v.constant and function() return v.constant end or nil
end

--- The text of a number in a dtype. A constant that does not fit is an error once types are settled.
function E:cast(v, dtype, line)
  if v.taken and (types.is_half(dtype) or v.weak == "float" and types.is_integer(dtype)) then
    v = taken.constant(self, v)
  end
  if v.kind == "number" and v.constant and types.is_integer(dtype) and self.final
    and not (v.constant == math.floor(v.constant) and types.holds(dtype, v.constant)) then
    self:fail(line, types.misfit(dtype, v.constant))
  end
  if self.final and v.weak and not v.constant and types.is_integer(dtype) then
    for _, c in ipairs(self.constants_of(v)) do self:check_constant(c, dtype, line) end
  end
  if v.host and self.final and types.is_integer(dtype) then self:must_fit(v, dtype) end
  return as(v, dtype)
end

--- A position or a count as an int64.
function E:integer(v)
  if v.kind == "unknown" then return "i8(0)" end
  if v.dtype == "int64" then return v.text end
  if types.is_integer(v.dtype) then return ("i8(%s)"):format(v.text) end
  return ("ma_to_i8(%s)"):format(as(v, "float64"))
end

-- ==== Arithmetic ====

local fold = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end,
  ["/"] = function(a, b) return a / b end, ["%"] = function(a, b) return a % b end,
  ["^"] = function(a, b) return a ^ b end,
}

--- Rules have Lua's numbers, which are whole by their values.
local function fold_constants(self, op, a, b)
  local result = fold[op](a.constant, b.constant)
  if self.module.near then return value.of_number(result) end
  local weak = (a.weak == "int" and b.weak == "int" and value.is_whole(result) and op ~= "/") and "int" or "float"
  return value.constant(result, weak)
end

local integer_op = { ["+"] = "ma_int_add", ["-"] = "ma_int_subtract", ["*"] = "ma_int_multiply",
  ["%"] = "ma_int_remainder" }
local complex_op = { ["+"] = "ma_cadd", ["-"] = "ma_csubtract", ["*"] = "ma_cmultiply", ["/"] = "ma_cdivide",
  ["^"] = "ma_cpower" }

--- The text of a ^ constant, if a cheaper operation gives it.
local function power_text(x, exponent)
  if exponent == 2 then return ("jit_square(%s)"):format(x) end
  if exponent == 1 then return x end
  if exponent == 0.5 then return ("jit_root(%s)"):format(x) end
end

function E:rounded(text, dtype)
  if not types.is_half(dtype) then return text end
  return ("%s(%s)"):format(dtype == "float16" and "ma_round_f16" or "ma_round_bf16", text)
end

--- The text of op for operands in the register of one dtype.
function E:operation(op, x, y, dtype, exponent, line)
  if types.is_integer(dtype) then return ("%s(%s, %s)"):format(integer_op[op], x, y) end
  if types.is_complex(dtype) then
    if not complex_op[op] then self:fail(line, ("'%s' of complex numbers is not available in a kernel"):format(op)) end
    return ("%s(%s, %s)"):format(complex_op[op], x, y)
  end
  local text
  if op == "%" then
    text = ("jit_modulo(%s, %s)"):format(x, y)
    self:help "jit_modulo"
  elseif op == "^" then
    if exponent == 2 or exponent == 0.5 then self:help "jit_power" end
    text = power_text(x, exponent) or ("ma_power(%s, %s)"):format(x, y)
  else
    text = ("(%s %s %s)"):format(x, op, y)
  end
  return self:rounded(text, dtype)
end

local operation_names = { ["+"] = "add", ["-"] = "subtract", ["*"] = "multiply", ["/"] = "divide", ["%"] = "remainder",
  ["^"] = "power", ["<"] = "less", [">"] = "greater", ["<="] = "less_equal", [">="] = "greater_equal", ["=="] = "equal",
  ["~="] = "not_equal" }

--- An operation in a function of elements, by lua/moonarray/element/operation.lua; nil in others.
function E:of_elements(name, values, line)
  local near = self.module.near
  return near and near.apply(self, name, values, line)
end

function E:arithmetic(op, a, b, line)
  if a.kind == "unknown" or b.kind == "unknown" then return value.unknown end
  local made = self:of_elements(operation_names[op], { a, b }, line)
  if made then return made end
  if a.constant and b.constant then return fold_constants(self, op, a, b) end
  local known = taken.computed(self, op, { a, b }, function(x, y) return fold_constants(self, op, x, y) end)
  if known then return known end
  if op == "^" then b = taken.constant(self, b) end
  local dtype, weak = join(a, b)
  if (op == "/" or op == "^") and types.is_integer(dtype) then
    dtype, weak = "float64", weak and "float"
  end
  local text = self:operation(op, self:cast(a, dtype, line), self:cast(b, dtype, line), dtype, b.constant, line)
  local result = number(text, dtype, weak)
  if dtype == "int64" then result.bounds = self:combined_bounds(op, a, b) end
  local left, right, f = host_of(a), host_of(b), fold[op]
  if weak == "int" and left and right then result.host = function(args) return f(left(args), right(args)) end end
  return result
end

--- Evaluates both sides of an operator, in order.
function E:sides(node, want)
  return unpack(self:sequence(2, node.line, function(k)
    local side = k == 1 and node.a or node.b
    return want(self, self:expression(side), side.line, ("the %s side of '%s'"):format(k == 1 and "left" or "right",
      node.op))
  end))
end

local c_comparison = { ["<"] = "<", [">"] = ">", ["<="] = "<=", [">="] = ">=", ["=="] = "==", ["~="] = "!=" }

function E:comparison(node)
  local op, line = node.op, node.line
  local a, b = self:sides(node, self.as_compared)
  if a.kind == "vector" or b.kind == "vector" then return self:vector_comparison(op, a, b, line) end
  return self:compare(op, a, b, line)
end

function E:compare(op, a, b, line)
  if a.kind == "unknown" or b.kind == "unknown" then return bool("false") end
  local made = a.kind == "number" and b.kind == "number" and self:of_elements(operation_names[op], { a, b }, line)
  if made then return made end
  if a.kind ~= b.kind or (a.kind == "bool" and op ~= "==" and op ~= "~=") then
    self:fail(line, ("'%s' of %s and %s"):format(op, self:describe(a), self:describe(b)))
  end
  if a.kind == "bool" then return bool(("(%s %s %s)"):format(a.text, c_comparison[op], b.text)) end
  local dtype = join(a, b)
  -- A constant that the other's dtype cannot hold is compared in its own type.
  for _, v in ipairs { a, b } do
    if v.constant and types.is_integer(dtype) and not types.holds(dtype, v.constant) then
      dtype = types.promote(dtype, v.constant >= 2 ^ 63 and "uint64" or "int64")
    end
  end
  -- Such numbers are compared in int64, whatever their values are.
  if (a.host or b.host) and types.is_integer(dtype) and dtype ~= "uint64" then dtype = "int64" end
  local x, y = self:cast(a, dtype, line), self:cast(b, dtype, line)
  if types.is_complex(dtype) then
    if op ~= "==" and op ~= "~=" then self:fail(line, ("'%s' of complex numbers"):format(op)) end
    return bool(("(%sma_cequal(%s, %s))"):format(op == "==" and "" or "!", x, y))
  end
  return bool(("(%s %s %s)"):format(x, c_comparison[op], y))
end

-- ==== Names and fields ====

function E:name(node)
  local variable = self:find(node.name)
  if not variable then return self:global(node) end
  return self:value_of(variable, node.line)
end

function E:value_of(variable, line)
  if variable.alias then return variable.alias end
  if variable.vector then return self:value_of_vector(variable, line) end
  if not variable.dtype then
    if self.final then self:fail(line, ("'%s' has no value"):format(variable.name)) end
    return value.unknown
  end
  if variable.dtype == "bool" then return bool(variable.c) end
  local v = number(variable.c, variable.dtype, variable.weak)
  v.host, v.constants = variable.weak == "int" and variable.host or nil, variable.constants
  v.bounds = self.facts[variable] or variable.bounds
  return v
end

--- Whether a call compares a Lua object with what it was.
local function is_watched(self, found)
  local language = self.module.language
  return found ~= nil and not language.libraries[found] and not language.values[found]
    and not language.is_array(found)
end

--- The parameter of the kernel that stands for what was found outside; nil if there is none, and then it is watched.
--- `node`: an array that is read at positions, or asked for its extents, is a whole one.
local function parameter_of(self, node, outside, object, key, found)
  local v = taken.value(self, outside, object, key, found)
    or node.of_whole and taken.whole(self, outside, object, key, found)
    or taken.array(self, outside, object, key, found)
  if not v and is_watched(self, found) then self.module:remember(outside, object, key, found) end
  return v
end

--- The value of a Lua object that the translation meets.
function E:of_lua(found, name, line)
  local kind = type(found)
  if kind == "number" then return value.of_number(found) end
  if kind == "boolean" then return value.boolean(found) end
  if kind == "string" then return { kind = "string", value = found } end
  local dtype, digits, near = types.of_cdata(found)
  if dtype then return value.of_integer(dtype, digits, near) end
  local vector = self.module.language.vector_of(found)
  if vector then return self:vector_of_lua(vector, name, line) end
  if found ~= nil then
    local known, of_elements = self.module.language.values[found], self.module.near
    known = of_elements and of_elements.known(found, known) or known
    if known then return { kind = "builtin", builtin = known, name = name } end
    if self.module.language.devices[found] then return { kind = "device", device = found, name = name } end
    if of_elements and of_elements.arrays and self.module.language.is_array(found) then
      return self:outside_array(found)
    end
    if self.module.language.is_array(found) then
      self:fail(line, ("'%s', which '%s' takes from outside, is an array; give it among the arguments"):format(name,
        self.tree.name or "the function"))
    end
    local meta = kind == "table" and getmetatable(found)
    if type(meta) == "table" and rawget(meta, "jit_argument") then
      self:fail(line, ("'%s' is an object from outside; give it among the arguments"):format(name))
    end
    if kind == "table" then return { kind = "lua", lua = found, name = name } end
  end
  if kind == "function" then
    local device = self.module.read_function(found)
    if device then return { kind = "device", device = device, name = name } end
  end
  self:fail(line, ("'%s' is not available in a kernel"):format(name))
end

function E:global(node)
  local found = self.outside(node.name)
  local parameter = parameter_of(self, node, self.outside, nil, node.name, found)
  if parameter then return parameter end
  if found == nil then
    local known = self.module.language.names[node.name]
    if known and known.constant then return value.constant(known.constant, "int") end
    if known then
      return { kind = known.lua and "lua" or "builtin", builtin = known, lua = known.lua, name = node.name }
    end
    self:fail(node.line, ("'%s' is not available in a kernel"):format(node.name))
  end
  return self:of_lua(found, node.name, node.line)
end

local components = { re = true, im = true, real = true, imag = true }

function E:index(node)
  local object, positions = self:indexed(node)
  local key = node.key
  if object.kind == "array" then
    local member = not positions and self:member(object, key.value)
    if not positions and not member then return self:attribute(object, key) end
    local part = member or self:part(object, positions, key.line)
    return part.given == part.array.ndim and not part.array.struct and self:read(part) or part
  end
  if object.kind == "shape" then return self:axis_of_shape(object, key) end
  if object.kind == "vector" then return self:vector_field(object, node) end
  if key.kind == "string" and object.kind == "lua" then
    local name = object.name .. "." .. key.value
    local fine, found = pcall(function() return object.lua[key.value] end)
    if not fine then found = nil end
    return parameter_of(self, node, nil, object.lua, key.value, found) or self:of_lua(found, name, key.line)
  end
  if key.kind == "string" and object.kind == "builtin" and object.builtin.fields then
    self:check_block(object, key.line)
    local field = object.builtin.fields[key.value]
    if field then
      return type(field) == "table" and { kind = "builtin", builtin = field, name = key.value } or field(self)
    end
    self:fail(key.line, ("'%s.%s' is not available in a kernel"):format(object.name, key.value))
  end
  if key.kind == "string" and object.kind == "number" and types.is_complex(object.dtype) and components[key.value] then
    return number(("(%s).%s"):format(object.text, key.value:sub(1, 2)), object.dtype == "complex64" and "float32"
      or "float64")
  end
  if object.kind == "unknown" then return object end
  local attribute = key.kind == "string" and object.attributes and object.attributes[key.value]
  if attribute then return attribute(self, object, key.line) end
  if object.attributes then
    self:fail(key.line, ("'%s' of %s is not available in a kernel; wanted n or radius"):format(key.value or "[]",
      self:describe(object)))
  end
  local module, hint = self.module, ""
  if object.kind == "lua" then
    hint = "; give it as an array, as in ma.array(t), or in a local"
  elseif object.kind == "number" and (module.takes_arrays or module.near) then
    hint = "; one from outside is read at positions by its own name"
  end
  self:fail(node.line, ("%s is indexed; wanted an array%s"):format(self:describe(object), hint))
end

-- ==== Calls ====

--- `object:name`, of what has methods: groups of threads, and what combines their values.
function E:method(node)
  local object = self:expression(node.object)
  if object.kind == "vector" then return self:vector_method(node, object) end
  if object.kind == "unknown" then return object end
  local methods = object.methods
  if not methods then
    self:fail(node.line, ("the method call ':%s' is not available in a kernel"):format(node.name))
  end
  local method = methods[node.name]
  if not method then self:fail(node.line, ("%s has no method ':%s'"):format(self:describe(object), node.name)) end
  return { kind = "builtin", name = ":" .. node.name, builtin = {
    least = method.least, most = method.most,
    over = method.over and function(fn, loop, call) return method.over(fn, loop, call, object) end,
    call = function(fn, args, line, name) return method.call(fn, args, line, name, object) end,
  } }
end

local function check_count(self, node, fn, found)
  local builtin = fn.builtin
  local least, most = builtin.least or 0, builtin.most or builtin.least or 0
  if found < least or #node.args > most then
    local wanted = least == most and tostring(least) or most == math.huge and least .. " or more" or least .. " to "
      .. most
    self:fail(node.line, ("'%s' with %d arguments; wanted %s"):format(fn.name, #node.args, wanted))
  end
end

--- A function of elements has no block of threads.
function E:check_block(v, line)
  if v.kind == "builtin" and v.builtin.of_block and self.module.scalar then
    self:fail(line, ("'%s': a function of scalars has no %s; a rawkernel has"):format(v.name, v.builtin.of_block))
  end
end

--- All results of a call. `open`: their number is not known yet.
function E:call(node)
  local fn = self:expression(node.fn)
  self:check_block(fn, node.line)
  if fn.kind == "builtin" and fn.builtin.call then
    if fn.builtin.takes_nodes then
      check_count(self, node, fn, #node.args)
      return { fn.builtin.call(self, node.args, node.line, fn.name) }
    end
    local args = self:values(node.args, node.line)
    check_count(self, node, fn, #args)
    for k = #args, (fn.builtin.most or fn.builtin.least or 0) + 1, -1 do args[k] = nil end
    local call, class = fn.builtin.call, getmetatable(self)  -- constants need no translation, which would be kept alive
    local known = fn.builtin.folds and taken.computed(self, fn.name, args, function(...)
      return call(class, { ... }, node.line, fn.name)
    end)
    if known then return { known } end
    return { fn.builtin.call(self, args, node.line, fn.name) }
  end
  if fn.kind == "device" then return self:call_device(fn, node) end
  if fn.kind == "array" and fn.array.field then
    return { self:neighbour(fn, self:values(node.args, node.line), node.line) }
  end
  if fn.kind == "unknown" then return { fn, open = true } end
  self:fail(node.line, ("%s is called; wanted a function"):format(self:describe(fn)))
end

function E:negative(v)
  if v.kind == "unknown" then return v end
  local known = taken.computed(self, "negative", { v }, function(x) return E.negative(E, x) end)
  if known then return known end
  local c = v.constant
  if c then return value.constant(-c, c ~= 0 and value.is_whole(-c) and v.weak or "float") end
  local made = self:of_elements("negative", { v }, self.tree.line)
  if made then return made end
  local text
  if types.is_integer(v.dtype) then text = ("ma_int_negative(%s)"):format(v.text)
  elseif types.is_complex(v.dtype) then text = ("ma_cnegative(%s)"):format(v.text)
  else text = ("(-%s)"):format(v.text) end
  local result = number(text, v.dtype, v.weak)
  if v.host then result.host = function(args) return -v.host(args) end end
  return result
end

local unary = {
  ["not"] = function(self, node) return self:negation(node) end,
  ["-"] = function(self, node)
    local v = self:as_operand(self:expression(node.a), node.a.line, "the operand of '-'")
    if v.kind == "vector" then return self:vector_negative(v, node.line) end
    return self:negative(v)
  end,
  ["#"] = function(self, node)
    node.a.of_whole = true
    local v = self:expression(node.a)
    if v.kind == "shape" then return value.constant(v.of.array.ndim - v.of.given, "int") end
    if v.kind ~= "array" or v.given == v.array.ndim then
      self:fail(node.line, ("'#' of %s; wanted an array"):format(self:describe(v)))
    end
    self:drop(v, node.line)
    return self:extent(v, v.given + 1, node.line)
  end,
}

local visit = {
  number = function(self, node)
    if node.integer then return value.of_integer(node.integer, node.value, tonumber(node.value)) end
    if self.module.near then return value.of_number(node.value) end
    return value.constant(node.value, not node.is_float and value.is_whole(node.value) and "int" or "float")
  end,
  string = function(_, node) return { kind = "string", value = node.value } end,
  boolean = function(_, node) return value.boolean(node.value) end,
  nil_ = function(self, node) self:fail(node.line, "'nil' is not available in a kernel") end,
  table = function(self, node)
    self:check_table(node)
    return { kind = "table", node = node }
  end,
  paren = function(self, node) return self:expression(node.inner) end,
  function_ = function(self, node) return self:closure(node) end,
  name = E.name,
  index = E.index,
  call = function(self, node)
    local v = self:call(node)[1]
    if not v then self:fail(node.line, "the call gives no value") end
    return v
  end,
  method = E.method,
  unary = function(self, node) return unary[node.op](self, node) end,
  binary = function(self, node)
    local op = node.op
    if op == "and" or op == "or" then return self:logical(node) end
    if c_comparison[op] then return self:comparison(node) end
    local a, b = self:sides(node, self.as_operand)
    if a.kind == "vector" or b.kind == "vector" then return self:vector_arithmetic(op, a, b, node.line) end
    return self:arithmetic(op, a, b, node.line)
  end,
}

--- Keys stand in the options of ma.noise alone.
function E:check_table(node)
  if next(node.keys) then self:fail(node.line, "a table with keys is not available in a kernel") end
end

function E:expression(node) return visit[node.kind](self, node) end

--- All values of the last expression in a list: for a call, all of its results.
function E:all_of(node)
  if node.kind == "call" then return self:call(node) end
  return { self:expression(node) }
end

--- The values of a list; a call at the end gives all of its results. `one`(node, k) gives the value of another
--- expression, if there is such a function.
function E:values(nodes, line, one)
  if #nodes == 0 then return {} end
  one = one or function(node) return self:expression(node) end
  local list = self:sequence(#nodes, line, function(k)
    local node = nodes[k]
    if k < #nodes then return one(node, k) end
    return { kind = "values", list = node.kind == "table" and { one(node, k) } or self:all_of(node) }
  end)
  local last = table.remove(list).list
  for _, v in ipairs(last) do list[#list + 1] = v end
  list.open = last.open
  return list
end

return E
