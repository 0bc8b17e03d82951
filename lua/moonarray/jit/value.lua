--- The value of an expression in a kernel, for the translator: its type and its text.
--
-- kind     fields
-- number   dtype (of the text), text, weak ("int", "float" or nil), constant (its value if it is known),
--          host (fn(args): the value of a weak whole number that depends on arguments of a function of scalars)
-- bool     text, perhaps constant
-- maybe    the result of `c and x`: dtype, weak, truth (text), choose(dtype, otherwise)
-- mixed    true, false or a number: only truth
-- array    array, given (number of positions), at (text: their place; nil: the first element)
-- texture  text (a texture object's number), read (dtype, channels, ndim, linear), name, object
-- grid     text (a jit_grid), grid (dtype, ndim, wrap), name, object
-- string, table, lua, builtin, device    known during the translation
-- unknown  a variable without a type yet
--
-- What has `object` is passed on as it is: c (its type as a parameter, up to the name), key, which tells functions of
-- such parameters apart, and perhaps the helper that has the type.
--
-- A text only reads. Everything with an effect is a statement of its own (function.lua). So a text may be used
-- anywhere, several times or not at all.

local types = require "moonarray.jit.types"

local value = {}

local default = { int = "int64", float = "float64" }
value.default = default

function value.number(text, dtype, weak) return { kind = "number", dtype = dtype, weak = weak, text = text } end

function value.constant(number, weak)
  return { kind = "number", dtype = default[weak], weak = weak, constant = number,
    text = types.literal(number, default[weak]) }
end

--- Whether a Lua number is a whole one that an int64 holds, as the core takes numbers.
function value.is_whole(number) return number == math.floor(number) and number >= -2 ^ 63 and number < 2 ^ 63 end

--- The kind of a Lua number, by its value.
function value.weak_of(number)
  return value.is_whole(number) and not (number == 0 and 1 / number < 0) and "int" or "float"
end

--- A Lua number as a weak scalar.
function value.of_number(number) return value.constant(number, value.weak_of(number)) end

--- A 64-bit integer of LuaJIT, by its digits as an unsigned one. One below 2^53 is a whole number of Lua.
function value.of_integer(dtype, digits, number)
  if math.abs(number) < 2 ^ 53 then return value.constant(number, "int") end
  return value.number(("%s(%sULL)"):format(types.suffix[dtype], digits), dtype)
end

function value.bool(text) return { kind = "bool", text = text } end

--- A boolean or a number, by its dtype.
function value.element(text, dtype, weak)
  return dtype == "bool" and value.bool(text) or value.number(text, dtype, weak)
end

function value.boolean(constant) return { kind = "bool", text = tostring(constant), constant = constant } end

--- A texture object; `read` says what reads of it give.
function value.texture(text, read, name)
  return { kind = "texture", text = text, read = read, name = name, object = { c = "unsigned long long ",
    key = table.concat({ "texture", read.dtype, read.channels, read.ndim, tostring(read.linear) }, ":") } }
end

--- An object under another name.
function value.renamed(v, text, name)
  local copy = {}
  for key, field in pairs(v) do copy[key] = field end
  copy.text, copy.name = text, name
  return copy
end

value.unknown = { kind = "unknown", text = "0" }

function value.is_scalar(v) return v.kind == "number" or v.kind == "bool" or v.kind == "maybe" end

--- The common type of numbers: dtype and weakness.
function value.join(a, b)
  if a.weak and b.weak then
    local weak = (a.weak == "float" or b.weak == "float") and "float" or "int"
    return default[weak], weak
  end
  if a.weak then return types.weaken(b.dtype, a.weak) end
  if b.weak then return types.weaken(a.dtype, b.weak) end
  return types.promote(a.dtype, b.dtype)
end

--- A number's or a bool's text in a dtype.
function value.as(v, dtype)
  if v.kind == "bool" then return types.convert(v.text, "bool", dtype) end
  if v.constant and dtype ~= "bool" then
    if not types.is_integer(dtype) then return types.literal(v.constant, dtype) end
    if v.constant == math.floor(v.constant) and types.holds(dtype, v.constant) then
      return types.literal(v.constant, dtype)
    end
  end
  return types.convert(v.text, v.dtype, dtype)
end

--- The text of a Lua test: numbers are true.
function value.truth(v)
  if v.kind == "bool" or v.kind == "unknown" then return v.text end
  return v.truth or "true"
end

return value
