--- Types of values in a kernel: dtypes, their promotion, and their text in CUDA C++.
---
--- A number's C type is types.register[dtype] in a register and types.memory[dtype] in memory. float16 and bfloat16 are
--- floats that are rounded after every operation.

local tonumber = require("moonarray.text").tonumber
local sformat = require("moonarray.text").format
local types = {}

local suffix = { bool = "b1", int8 = "i1", int16 = "i2", int32 = "i4", int64 = "i8", uint8 = "u1", uint16 = "u2",
  uint32 = "u4",
  uint64 = "u8", float16 = "f2", bfloat16 = "bf", float32 = "f4", float64 = "f8", complex64 = "c8", complex128 = "c16" }
local size = { int8 = 1, int16 = 2, int32 = 4, int64 = 8, uint8 = 1, uint16 = 2, uint32 = 4, uint64 = 8 }

local bytes = { bool = 1, float16 = 2, bfloat16 = 2, float32 = 4, float64 = 8, complex64 = 8, complex128 = 16 }

local float_rank = { float16 = 1, bfloat16 = 1, float32 = 2, float64 = 3 }

types.suffix = suffix
types.register = { bool = "bool", float16 = "float", bfloat16 = "float", float32 = "float", float64 = "double",
  complex64 = "ma_c64",
  complex128 = "ma_c128" }
types.memory = { bool = "u1", float16 = "u2", bfloat16 = "u2", float32 = "float", float64 = "double",
  complex64 = "ma_c64",
  complex128 = "ma_c128" }
for dtype in pairs(size) do
  types.register[dtype], types.memory[dtype] = suffix[dtype], suffix[dtype]
end

--- The declared type of a parameter, which the launcher knows. 16-bit floats are passed as void pointers.
function types.parameter(dtype)
  if dtype == "float16" or dtype == "bfloat16" then return "void" end
  if dtype == "bool" then return "uint8_t" end
  return size[dtype] and dtype .. "_t" or types.memory[dtype]
end

--- Of an element in memory.
function types.bytes(dtype) return bytes[dtype] or size[dtype] end

function types.is_integer(dtype) return size[dtype] ~= nil end
function types.is_float(dtype) return float_rank[dtype] ~= nil end
function types.is_complex(dtype) return dtype == "complex64" or dtype == "complex128" end
function types.is_half(dtype) return dtype == "float16" or dtype == "bfloat16" end

local function is_unsigned(dtype) return dtype:sub(1, 1) == "u" end

local function integers(a, b)
  if is_unsigned(a) == is_unsigned(b) then return size[a] >= size[b] and a or b end
  if is_unsigned(a) then a, b = b, a end
  if size[a] > size[b] then return a end
  return size[b] == 8 and "float64" or "int" .. size[b] * 16
end

local found, ffi = pcall(require, "ffi")

--- The dtype of a 64-bit integer of LuaJIT, its digits as an unsigned one, and the nearest number; else nil.
function types.of_cdata(object)
  if type(object) ~= "cdata" or not found then return end
  local dtype = ffi.istype("int64_t", object) and "int64" or ffi.istype("uint64_t", object) and "uint64" or nil
  if dtype then return dtype, tostring(ffi.cast("uint64_t", object)):match "%d+", tonumber(object) end
end

local float_of_size = { float16 = { "float16", "float32", nil, "float64" },
  bfloat16 = { "bfloat16", "float32", nil, "float64" },
  float32 = { "float32", "float32", nil, "float64" }, float64 = {} }

local function with_float(float, other)
  if size[other] then return float_of_size[float][size[other]] or "float64" end
  if float_rank[float] == float_rank[other] then return float == other and float or "float32" end
  return float_rank[float] > float_rank[other] and float or other
end

--- NumPy's promotion of two dtypes other than bool.
function types.promote(a, b)
  if a == b then return a end
  if types.is_complex(a) or types.is_complex(b) then
    if not types.is_complex(a) then a, b = b, a end
    local part = b == "complex64" and "float32" or b == "complex128" and "float64" or b
    local whole = a == "complex64" and "float32" or "float64"
    return types.promote(whole, part) == "float64" and "complex128" or "complex64"
  end
  if float_rank[a] then return with_float(a, b) end
  if float_rank[b] then return with_float(b, a) end
  return integers(a, b)
end

--- The type of an operation on a dtype and a weak scalar.
function types.weaken(dtype, kind)
  if kind == "float" and size[dtype] then return "float64" end
  return dtype
end

--- Whether an integer dtype holds a whole number.
function types.holds(dtype, value)
  local bits = size[dtype] * 8
  if is_unsigned(dtype) then return value >= 0 and value < 2 ^ bits end
  return value >= -2 ^ (bits - 1) and value < 2 ^ (bits - 1)
end

--- Says that a dtype lacks a number, as the core does (src/base/dtype.c).
function types.misfit(dtype, number)
  return sformat(number == math.floor(number) and "the number %.0f does not fit %s" or
    "the number %.14g does not fit %s", number, dtype)
end

local function real_literal(value)
  if value ~= value then return "jit_nan()" end
  if value == math.huge or value == -math.huge then return value > 0 and "jit_infinity()" or "-jit_infinity()" end
  local text = sformat("%.17g", value)
  local short = sformat("%.15g", value)
  if tonumber(short) == value then text = short end
  return text:find("[.eE]") and text or text .. ".0"
end

local function integer_literal(value)
  if value == -2 ^ 63 then return "(-9223372036854775807LL - 1)" end
  return ("%.0f%s"):format(value, value >= 2 ^ 63 and "ULL" or math.abs(value) >= 2 ^ 31 and "LL" or "")
end

--- A constant as an expression of a dtype's register type.
function types.literal(value, dtype)
  if size[dtype] then return ("%s(%s)"):format(suffix[dtype], integer_literal(value)) end
  local text = real_literal(value)
  if dtype == "float64" then return value < 0 and "(" .. text .. ")" or text end
  if dtype == "float32" then return ("float(%s)"):format(text) end
  return ("ma_to_%s(%s)"):format(suffix[dtype], text)
end

--- Converts an expression between register types. A float becomes an integer as everywhere: truncated and saturated,
--- NaN gives 0.
function types.convert(text, from, to)
  if from == to then return text end
  if to == "bool" then return ("(ma_to_b1(%s) != 0)"):format(text) end
  if from == "bool" then text = ("u1(%s)"):format(text) end
  if (to == "float32" and types.is_half(from)) then return text end
  local plain = not types.is_complex(from)
    and (to == "float64" or to == "float32" or (size[to] and (size[from] or from == "bool")))
  if plain then return ("%s(%s)"):format(types.register[to], text) end
  return ("ma_to_%s(%s)"):format(suffix[to], text)
end

--- Converts an element in memory to a register.
function types.load(place, dtype)
  if dtype == "bool" then return ("(%s != 0)"):format(place) end
  if dtype == "float16" then return ("ma_f16_to_float(%s)"):format(place) end
  if dtype == "bfloat16" then return ("ma_bf16_to_float(%s)"):format(place) end
  return place
end

--- Converts a register for storing in memory.
function types.store(text, dtype)
  if dtype == "bool" then return ("u1(%s)"):format(text) end
  if dtype == "float16" then return ("ma_float_to_f16(%s)"):format(text) end
  if dtype == "bfloat16" then return ("ma_float_to_bf16(%s)"):format(text) end
  return text
end

return types
