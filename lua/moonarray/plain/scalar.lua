--- Elements that keep their dtype, for code that runs in its plain form: for each element as Lua.
---
--- An element is a struct of the FFI, because ==, < and <= of such a struct and a number call its metamethods; those
--- of a table or a userdata do not. What is computed with it is computed by the library, which takes it for a scalar of
--- its dtype (src/bind/lua/value.c). A bool is a Lua boolean, so that `if` sees it.

local tostring = require("moonarray.text").tostring
local vector = require "moonarray.vector"

return function(ma, core)
  local found, ffi = pcall(require, "ffi")
  if not found then core.fail(nil, "no ffi in this Lua; the plain form needs LuaJIT's") end

  local common = require "moonarray.common" (core)
  local istype = ffi.istype
  local names, whole = {}, {}                          -- of dtypes, by their numbers
  local Element
  local word = ffi.cast("uint64_t", 2 ^ 32)

  local function is_element(value) return istype(Element, value) end

  --- The value as a number, a boolean, an int64 of LuaJIT's or a complex scalar.
  local function item(element)
    if type(element) ~= "cdata" or not is_element(element) then return element end
    return ma.array({ element }):item()
  end

  --- A value in another dtype. Floats are truncated to integers as everywhere.
  local function cast(value, dtype)
    return core.elements(ma.array({ value }, { dtype = dtype }))[1]
  end

  local FAR = 2 ^ 52

  --- An element as a whole number of Lua's, as a conversion to int64 makes it, but not beyond 2^52.
  local function whole_of(element)
    local number = element.real_
    if whole[element.number_] then number = tonumber(element.int_) end
    if number ~= number then return 0 end
    number = number < 0 and math.ceil(number) or math.floor(number)
    return math.max(-FAR, math.min(FAR, number))
  end

  --- The first element of an array.
  local function first_of(array) return core.elements(array)[1] end

  local attributes = {
    dtype = function(element) return names[element.number_] end,
    ndim = function() return 0 end,
    real = function(element) return ma.real(element) end,
    imag = function(element) return ma.imag(element) end,
  }

  local methods = { item = item, astype = cast, copy = function(element) return element end }
  for name, ufunc in pairs { lt = "less", le = "less_equal", gt = "greater", ge = "greater_equal", eq = "equal",
    ne = "not_equal" } do
    methods[name] = function(a, b) return ma[ufunc](a, b) end
  end
  for name in ("around clip nan_to_num round"):gmatch "%S+" do
    methods[name] = function(...) return ma[name](...) end
  end

  --- What an element, or a boolean, has under a key: the functions of single elements, and no other method of arrays.
  local function index(element, key)
    if attributes[key] and type(element) == "cdata" then return attributes[key](element) end
    if methods[key] then return methods[key] end
    local known, ufunc = pcall(function() return ma[key] end)
    if known and type(key) == "string" and type(ufunc) == "userdata" then
      methods[key] = function(...) return ufunc(...) end
      return methods[key]
    end
    error(("moonarray: '%s' of one element; code in its plain form has the functions of single elements"):format(
      tostring(key)), 2)
  end

  local operators = { __index = index }
  for name, ufunc in pairs { add = "add", sub = "subtract", mul = "multiply", div = "divide", mod = "remainder",
    pow = "power" } do
    local event = "__" .. name
    operators[event] = function(a, b)
      if vector.parts(b) then return getmetatable(b)[event](a, b) end
      return ma[ufunc](a, b)
    end
  end
  local remainder = operators.__mod
  operators.__unm = function(a) return ma.negative(a) end

  local meta = { __tostring = function(element) return tostring(item(element)) end }
  for name, f in pairs(operators) do meta[name] = f end
  meta.__lt = function(a, b) return ma.less(a, b) end
  meta.__le = function(a, b) return ma.less_equal(a, b) end
  meta.__eq = function(a, b)
    if not (core.is_number(a) and core.is_number(b)) then return false end       -- nil, a text
    return ma.equal(a, b)
  end
  meta.__concat = function(a, b) return tostring(item(a)) .. tostring(item(b)) end

  Element = ffi.metatype(ffi.typeof [[
    struct { union { int64_t int_; uint64_t bits_; struct { double real_, imag_; }; }; int32_t number_; }]], meta)

  local known = core.hook "int64"
  core.set_hook("int64", function(value)
    if is_element(value) then return 4 + value.number_ end
    return known(value)
  end)

  core.set_hook("push_element", function(number, name, first, second)
    if not names[number] then
      names[number], whole[number] = name, ma.issubdtype(name, "integer")
    end
    local element = Element()
    element.number_ = number
    if whole[number] then
      element.bits_ = ffi.cast("uint64_t", first) * word + ffi.cast("uint64_t", second)
    else
      element.real_, element.imag_ = first, second
    end
    return element
  end)

  local function is_float(value) return is_element(value) and common.is.inexact[value.dtype] end

  --- Takes % of floats as kernels in Lua do, in Lua's own steps, or as arrays do. Returns what was taken before.
  local in_kernel = false
  local function as_kernel(flag)
    local before = in_kernel
    in_kernel = flag
    return before
  end

  meta.__mod = function(a, b)
    local result = remainder(a, b)
    if not in_kernel or vector.parts(b) or not is_float(result) then return result end
    local quotient = a / b
    local dtype = quotient.dtype
    if dtype ~= "float16" and dtype ~= "bfloat16" then return a - ma.floor(quotient) * b end
    local x, y = cast(cast(a, dtype), "float32"), cast(cast(b, dtype), "float32")      -- rounded to 16 bits once
    return cast(x - ma.floor(x / y) * y, dtype)
  end

  --- Arithmetic of booleans is that of bool arrays; kernels in Lua have none.
  local function of_booleans(name)
    return function(a, b)
      if vector.parts(b) then return operators[name](a, b) end
      if in_kernel then error("moonarray: arithmetic on a boolean; wanted a number: c and 1 or 0", 2) end
      local function data(v) return type(v) == "boolean" and ma.array { v } or v end
      return first_of(operators[name](data(a), data(b)))
    end
  end

  local booleans = { __index = index, __unm = operators.__unm }
  for name in ("add sub mul div mod pow"):gmatch "%S+" do booleans["__" .. name] = of_booleans("__" .. name) end

  return { is = is_element, item = item, cast = cast, whole = whole_of, first = first_of,
    booleans = booleans, as_kernel = as_kernel }
end
