--- Expressions: from tree to value (see value.lua). Methods of a function's translation.

local types = require "moonarray.jit.types"
local value = require "moonarray.jit.value"

local join, as, truth, number, bool = value.join, value.as, value.truth, value.number, value.bool

local E = {}

-- ==== What is wanted of a value ====

local called = { array = "an array", string = "a string", table = "a table", lua = "a table", builtin = "a function", device = "a function" }

function E:describe(v)
  if v.kind == "number" then return v.constant and ("the number %.14g"):format(v.constant) or "a " .. v.dtype end
  if v.kind == "bool" then return "a boolean" end
  if v.kind == "maybe" then return "false or a number" end
  if v.kind == "mixed" then return "a boolean or a number" end
  if v.name and v.kind ~= "array" then return "'" .. v.name .. "'" end
  return called[v.kind] or v.kind
end

--- A number, or the error that says what was found.
function E:number(node, what)
  local v = self:expression(node)
  if v.kind ~= "number" and v.kind ~= "unknown" then
    local hint = v.kind == "bool" and " (ma.int32(x) makes a number of it)" or ""
    self:fail(node.line, ("%s is %s; wanted a number%s"):format(what, self:describe(v), hint))
  end
  return v
end

--- A number or a boolean.
function E:scalar(node, what)
  local v = self:expression(node)
  if v.kind ~= "number" and v.kind ~= "bool" and v.kind ~= "unknown" then
    self:fail(node.line, ("%s is %s; wanted a number or a boolean"):format(what, self:describe(v)))
  end
  return v
end

--- What `if`, `while` and `until` test.
function E:test(node)
  local v = self:expression(node)
  if not (value.is_scalar(v) or v.kind == "mixed" or v.kind == "unknown") then
    self:fail(node.line, ("the condition is %s; wanted a boolean or a number"):format(self:describe(v)))
  end
  return value.truth(v)
end

--- A whole constant.
function E:whole(node, what)
  local v = self:number(node, what)
  if not v.constant or v.constant ~= math.floor(v.constant) then
    self:fail(node.line, ("%s is %s; wanted a whole constant"):format(what, v.constant and self:describe(v) or "not constant"))
  end
  return v.constant
end

--- A number's text in a dtype; a constant that does not fit is an error once types are settled.
function E:cast(v, dtype, line)
  if v.kind == "number" and v.constant and types.is_integer(dtype) and self.final
    and not (v.constant == math.floor(v.constant) and types.holds(dtype, v.constant)) then
    self:fail(line, ("the number %.14g does not fit in %s"):format(v.constant, dtype))
  end
  return as(v, dtype)
end

--- A position or a count as an int64.
function E:integer(v)
  if v.kind == "unknown" then return "i8(0)" end
  if v.dtype == "int64" then return v.text end
  return ("i8(%s)"):format(v.text)
end

-- ==== Arithmetic ====

local fold = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end, ["*"] = function(a, b) return a * b end,
  ["/"] = function(a, b) return a / b end, ["%"] = function(a, b) return a % b end, ["^"] = function(a, b) return a ^ b end,
}

local function fold_constants(op, a, b)
  local result = fold[op](a.constant, b.constant)
  local whole = result == math.floor(result) and math.abs(result) <= 2 ^ 53
  local weak = (a.weak == "int" and b.weak == "int" and whole and op ~= "/") and "int" or "float"
  return value.constant(result, weak)
end

local integer_op = { ["+"] = "ma_int_add", ["-"] = "ma_int_subtract", ["*"] = "ma_int_multiply", ["%"] = "ma_int_remainder" }
local complex_op = { ["+"] = "ma_cadd", ["-"] = "ma_csubtract", ["*"] = "ma_cmultiply", ["/"] = "ma_cdivide", ["^"] = "ma_cpower" }

--- a ^ constant, where that is another operation.
local function power_text(x, exponent)
  if exponent == 2 then return ("jit_square(%s)"):format(x) end
  if exponent == 1 then return x end
  if exponent == 0.5 then return ("ma_sqrt(%s)"):format(x) end
end

function E:rounded(text, dtype)
  if not types.is_half(dtype) then return text end
  return ("%s(%s)"):format(dtype == "float16" and "ma_round_f16" or "ma_round_bf16", text)
end

--- The text of op on texts of one dtype's register.
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
    if exponent == 2 then self:help "jit_square" end
    text = power_text(x, exponent) or ("ma_power(%s, %s)"):format(x, y)
  else
    text = ("(%s %s %s)"):format(x, op, y)
  end
  return self:rounded(text, dtype)
end

function E:arithmetic(op, a, b, line)
  if a.kind == "unknown" or b.kind == "unknown" then return value.unknown end
  if a.constant and b.constant then return fold_constants(op, a, b) end
  local dtype, weak = join(a, b)
  if (op == "/" or op == "^") and types.is_integer(dtype) then
    dtype, weak = "float64", weak and "float"
  end
  local text = self:operation(op, self:cast(a, dtype, line), self:cast(b, dtype, line), dtype, b.constant, line)
  local v = number(text, dtype, a.impure or b.impure)
  v.weak = weak
  return v
end

local c_comparison = { ["<"] = "<", [">"] = ">", ["<="] = "<=", [">="] = ">=", ["=="] = "==", ["~="] = "!=" }

function E:comparison(node)
  local op, line = node.op, node.line
  local a, b = self:scalar(node.a, "the left side of '" .. op .. "'"), self:scalar(node.b, "the right side of '" .. op .. "'")
  local impure = a.impure or b.impure
  if a.kind == "unknown" or b.kind == "unknown" then return bool("false", impure) end
  if a.kind ~= b.kind or (a.kind == "bool" and op ~= "==" and op ~= "~=") then
    self:fail(line, ("'%s' of %s and %s"):format(op, self:describe(a), self:describe(b)))
  end
  if a.kind == "bool" then return bool(("(%s %s %s)"):format(a.text, c_comparison[op], b.text), impure) end
  local dtype = join(a, b)
  for _, v in ipairs { a, b } do                   -- what a constant does not fit into is compared as the constant's own type
    if v.constant and types.is_integer(dtype) and not types.holds(dtype, v.constant) then
      dtype = types.promote(dtype, v.constant >= 2 ^ 63 and "uint64" or "int64")
    end
  end
  local x, y = as(a, dtype), as(b, dtype)
  if types.is_complex(dtype) then
    if op ~= "==" and op ~= "~=" then self:fail(line, ("'%s' of complex numbers"):format(op)) end
    return bool(("(%sma_cequal(%s, %s))"):format(op == "==" and "" or "!", x, y), impure)
  end
  return bool(("(%s %s %s)"):format(x, c_comparison[op], y), impure)
end

-- ==== and, or, not ====

local function sequence(a, b)                      -- a for what it does, b for its value
  if not a.impure then return b end
  local v = {}
  for key, field in pairs(b) do v[key] = field end
  v.constant, v.impure = nil, true
  local function after(text) return text and ("((void)(%s), %s)"):format(a.text, text) end
  v.text, v.truth = after(b.text), after(b.truth)
  v.choose = b.choose and function(...) return after(b.choose(...)) end
  return v
end

local function mixed(text, impure) return { kind = "mixed", truth = text, impure = impure } end

function E:and_(a, b)
  if a.kind == "unknown" or b.kind == "unknown" then return value.unknown end
  if a.kind == "number" then return sequence(a, b) end
  local impure = a.impure or b.impure
  local both = ("(%s && %s)"):format(truth(a), truth(b))
  if a.kind == "mixed" or b.kind == "mixed" then return mixed(both, impure) end
  if b.kind == "bool" then
    if a.kind == "maybe" or a.kind == "bool" then return bool(both, impure) end
  end
  local condition = truth(a)
  return { kind = "maybe", dtype = b.dtype, weak = b.weak, truth = both, impure = impure, choose = function(dtype, otherwise)
    local chosen = b.kind == "maybe" and b.choose(dtype, otherwise) or as(b, dtype)
    return ("(%s ? %s : %s)"):format(condition, chosen, otherwise)
  end }
end

function E:or_(a, b)
  if a.kind == "number" then return a end
  if a.kind == "unknown" or b.kind == "unknown" then return value.unknown end
  local impure = a.impure or b.impure
  local either = ("(%s || %s)"):format(truth(a), truth(b))
  if a.kind == "bool" and b.kind == "bool" then return bool(either, impure) end
  if a.kind ~= "maybe" or (b.kind ~= "number" and b.kind ~= "maybe") then return mixed(either, impure) end
  local dtype, weak = join(a, b)
  if b.kind == "number" then
    local v = number(a.choose(dtype, as(b, dtype)), dtype, impure)
    v.weak = weak
    return v
  end
  return { kind = "maybe", dtype = dtype, weak = weak, truth = either, impure = impure, choose = function(into, otherwise)
    return a.choose(into, b.choose(into, otherwise))
  end }
end

function E:logical(node)
  local sides = {}
  for k, side in ipairs { node.a, node.b } do
    sides[k] = self:expression(side)
    local kind = sides[k].kind
    if not (value.is_scalar(sides[k]) or kind == "mixed" or kind == "unknown") then
      self:fail(side.line, ("%s beside '%s'; wanted numbers or booleans"):format(self:describe(sides[k]), node.op))
    end
  end
  return node.op == "and" and self:and_(sides[1], sides[2]) or node.op == "or" and self:or_(sides[1], sides[2])
end

-- ==== Arrays ====

--- The offset in elements that positions along the first axes give, as text.
function E:offset(array, prefix, positions, line)
  local terms, first = {}, #prefix
  for k, v in ipairs(prefix) do terms[k] = v end
  for k, v in ipairs(positions) do
    local stride = array.stride(first + k)
    local text
    if v.constant then
      if v.constant ~= math.floor(v.constant) or v.constant < 1 then
        self:fail(line, ("position %.14g of axis %d; positions are whole numbers from 1 on"):format(v.constant, first + k))
      end
      text = v.constant > 1 and ("%.0f"):format(v.constant - 1)
    else
      text = ("(%s - 1)"):format(self:integer(v))
    end
    if text then terms[#terms + 1] = stride == "1" and text or ("%s * %s"):format(text, stride) end
  end
  return terms
end

local function positions_of(self, key)
  local list = {}
  if key.kind ~= "table" then return { self:number(key, "a position") } end
  for k, item in ipairs(key.items) do list[k] = self:number(item, "position " .. k) end
  return list
end

--- An element or, with fewer positions than axes, a part of an array.
function E:element(v, key)
  local array, positions = v.array, positions_of(self, key)
  local given = #v.given + #positions
  if given > array.ndim then
    self:fail(key.line, ("%d positions of %s, an array of %d axes"):format(given, v.name or "an array", array.ndim))
  end
  local impure = v.impure
  for _, position in ipairs(positions) do impure = impure or position.impure end
  local terms = self:offset(array, v.prefix, positions, key.line)
  local all = {}
  for k = 1, given do all[k] = true end
  return { kind = "array", array = array, name = v.name, prefix = terms, given = all, impure = impure }
end

function E.place(v) return ("%s[%s]"):format(v.array.pointer, #v.prefix > 0 and table.concat(v.prefix, " + ") or "0") end

function E:read(v)
  v.array.read = true
  local dtype = v.array.dtype
  local text = types.load(self.place(v), dtype)
  if dtype == "bool" then return bool(text, v.impure) end
  return number(text, dtype, v.impure)
end

local function whole_only(self, v, what, line)
  if #v.given > 0 then self:fail(line, what .. " of a part of an array; take it from the array") end
end

--- An extent is weak as the number that it is in Lua: `x[i] / #x` keeps the type of x.
local function weak_int(text)
  local v = number(text, "int64")
  v.weak = "int"
  return v
end

function E:extent(v, axis, line)
  local text = v.array.extent(axis)
  if not text then self:fail(line, "the extent of dynamic shared memory is not known to a kernel") end
  return type(text) == "number" and value.constant(text, "int") or weak_int(text)
end

local attributes = {
  ndim = function(_, v) return value.constant(v.array.ndim - #v.given, "int") end,
  dtype = function(_, v) return { kind = "string", value = v.array.dtype } end,
  shape = function(_, v) return { kind = "shape", of = v } end,
  size = function(self, v, line)
    local size = value.constant(1, "int")
    whole_only(self, v, "the size", line)
    for axis = 1, v.array.ndim do size = self:arithmetic("*", size, self:extent(v, axis, line), line) end
    return size
  end,
}

-- ==== Names and fields ====

function E:name(node)
  local variable = self:find(node.name)
  if not variable then return self:global(node) end
  if variable.alias then return variable.alias end
  if not variable.dtype then
    if self.final then self:fail(node.line, ("'%s' has no value"):format(node.name)) end
    return value.unknown
  end
  variable.used = true
  return variable.dtype == "bool" and bool(variable.c) or { kind = "number", dtype = variable.dtype, weak = variable.weak, text = variable.c }
end

--- A Lua value that the kernel meets while it is translated.
function E:of_lua(found, name, line)
  local kind = type(found)
  if kind == "number" then return value.of_number(found) end
  if kind == "boolean" then return value.boolean(found) end
  if kind == "string" then return { kind = "string", value = found } end
  if found ~= nil then
    local known = self.module.language.values[found]
    if known then return { kind = "builtin", builtin = known, name = name } end
    if self.module.language.devices[found] then return { kind = "device", device = found, name = name } end
    if self.module.language.is_array(found) then
      self:fail(line, ("'%s' is an array from outside; give it among the arguments"):format(name))
    end
    if kind == "table" then return { kind = "lua", lua = found, name = name } end
  end
  if kind == "function" then
    local own = type(debug) == "table" and debug.getinfo and debug.getinfo(found, "S").what ~= "C"
    self:fail(line, ("'%s' is not available in a kernel%s"):format(name, own and "; ma.jit.device makes a function of yours so" or ""))
  end
  self:fail(line, ("'%s' is not available in a kernel"):format(name))
end

function E:global(node)
  local found = self.outside(node.name)
  if type(found) == "number" or type(found) == "boolean" then self.module:remember(self.outside, node.name, nil, found) end
  if found == nil then
    local known = self.module.language.names[node.name]
    if known and known.constant then return value.constant(known.constant, "int") end
    if known then return { kind = known.lua and "lua" or "builtin", builtin = known, lua = known.lua, name = node.name } end
    self:fail(node.line, ("'%s' is not available in a kernel"):format(node.name))
  end
  return self:of_lua(found, node.name, node.line)
end

local components = { re = true, im = true, real = true, imag = true }

function E:index(node)
  local object = self:expression(node.object)
  local key = node.key
  if object.kind == "array" then
    if key.kind == "string" then
      local attribute = attributes[key.value]
      if not attribute then self:fail(key.line, ("'%s' of an array is not available in a kernel"):format(key.value)) end
      return attribute(self, object, key.line)
    end
    local part = self:element(object, key)
    return #part.given == part.array.ndim and self:read(part) or part
  end
  if object.kind == "shape" then
    local axis, v = self:whole(key, "the axis of a shape"), object.of
    local ndim = v.array.ndim - #v.given
    if axis < 1 or axis > ndim then self:fail(key.line, ("axis %d of an array of %d axes"):format(axis, ndim)) end
    return self:extent(v, axis + #v.given, key.line)
  end
  if key.kind == "string" and object.kind == "lua" then
    local name = object.name .. "." .. key.value
    local fine, found = pcall(function() return object.lua[key.value] end)
    if not fine then found = nil end
    if type(found) == "number" or type(found) == "boolean" then self.module:remember(nil, object.lua, key.value, found) end
    return self:of_lua(found, name, key.line)
  end
  if key.kind == "string" and object.kind == "builtin" and object.builtin.fields then
    local field = object.builtin.fields[key.value]
    if field then return type(field) == "table" and { kind = "builtin", builtin = field, name = key.value } or field(self) end
    self:fail(key.line, ("'%s.%s' is not available in a kernel"):format(object.name, key.value))
  end
  if key.kind == "string" and object.kind == "number" and types.is_complex(object.dtype) and components[key.value] then
    return number(("(%s).%s"):format(object.text, key.value:sub(1, 2)), object.dtype == "complex64" and "float32" or "float64", object.impure)
  end
  if object.kind == "unknown" then return object end
  self:fail(node.line, ("%s is indexed; wanted an array"):format(self:describe(object)))
end

-- ==== Calls ====

--- All values of a call, where `several` are wanted and statements may stand before; else perhaps the first alone.
function E:call(node, several)
  local fn = self:expression(node.fn)
  if fn.kind == "builtin" and fn.builtin.call then
    local builtin = fn.builtin
    local least, most = builtin.least or 0, builtin.most or builtin.least or 0
    if #node.args < least or #node.args > most then
      local wanted = least == most and tostring(least) or most == math.huge and least .. " or more" or least .. " to " .. most
      self:fail(node.line, ("'%s' with %d arguments; wanted %s"):format(fn.name, #node.args, wanted))
    end
    return { builtin.call(self, node.args, node.line, fn.name) }
  end
  if fn.kind == "device" then return self:call_device(fn, node, several) end
  if fn.kind == "unknown" then return { fn } end
  self:fail(node.line, ("%s is called; wanted a function"):format(self:describe(fn)))
end

local unary = {
  ["not"] = function(self, node)
    local v = self:expression(node.a)
    if not (value.is_scalar(v) or v.kind == "mixed" or v.kind == "unknown") then
      self:fail(node.line, ("'not' of %s; wanted a boolean or a number"):format(self:describe(v)))
    end
    if v.constant ~= nil and v.kind == "bool" then return value.boolean(not v.constant) end
    return bool(("!%s"):format(truth(v):find("^[%w_]*$") and truth(v) or "(" .. truth(v) .. ")"), v.impure)
  end,
  ["-"] = function(self, node)
    local v = self:number(node.a, "the operand of '-'")
    if v.kind == "unknown" then return v end
    if v.constant then
      return v.constant == 0 and value.constant(-v.constant, "float") or value.constant(-v.constant, v.weak)
    end
    local text
    if types.is_integer(v.dtype) then text = ("ma_int_negative(%s)"):format(v.text)
    elseif types.is_complex(v.dtype) then text = ("ma_cnegative(%s)"):format(v.text)
    else text = ("(-%s)"):format(v.text) end
    local result = number(text, v.dtype, v.impure)
    result.weak = v.weak
    return result
  end,
  ["#"] = function(self, node)
    local v = self:expression(node.a)
    if v.kind == "shape" then return value.constant(v.of.array.ndim - #v.of.given, "int") end
    if v.kind ~= "array" or #v.given == v.array.ndim then self:fail(node.line, ("'#' of %s; wanted an array"):format(self:describe(v))) end
    return self:extent(v, #v.given + 1, node.line)
  end,
}

local visit = {
  number = function(_, node) return value.constant(node.value, node.is_float and "float" or math.abs(node.value) < 2 ^ 53
    and node.value == math.floor(node.value) and "int" or "float") end,
  string = function(_, node) return { kind = "string", value = node.value } end,
  boolean = function(_, node) return value.boolean(node.value) end,
  nil_ = function(self, node) self:fail(node.line, "'nil' is not available in a kernel") end,
  table = function(_, node) return { kind = "table", node = node } end,
  paren = function(self, node) return self:expression(node.inner) end,
  name = E.name,
  index = E.index,
  call = function(self, node)
    local v = self:call(node)[1]
    if not v then self:fail(node.line, "the call gives no value") end
    return v
  end,
  unary = function(self, node) return unary[node.op](self, node) end,
  binary = function(self, node)
    local op = node.op
    if op == "and" or op == "or" then return self:logical(node) end
    if c_comparison[op] then return self:comparison(node) end
    local a = self:number(node.a, "the left side of '" .. op .. "'")
    return self:arithmetic(op, a, self:number(node.b, "the right side of '" .. op .. "'"), node.line)
  end,
}

function E:expression(node) return visit[node.kind](self, node) end

--- The values of a list, its last call giving all of its own.
function E:values(nodes)
  local list = {}
  for k, node in ipairs(nodes) do
    if k == #nodes and node.kind == "call" then
      for _, v in ipairs(self:call(node, true)) do list[#list + 1] = v end
    else
      list[k] = self:expression(node)
    end
  end
  return list
end

return E
