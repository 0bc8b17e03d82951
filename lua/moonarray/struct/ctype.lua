--- What LuaJIT's FFI knows of C types: the dtypes of numbers, and the fields of structs.

local found, ffi = pcall(require, "ffi")
if not found then return {} end                        -- plain Lua

local bit = require "bit"
local band, rshift = bit.band, bit.rshift

-- The numbers in LuaJIT's ffi.typeinfo (lj_ctype.h). The highest 4 bits of `info` are the kind of type, the lowest 16
-- the number of another type, and those between are flags.
local NUM, STRUCT, PTR, ARRAY, ENUM, TYPEDEF, ATTRIB, FIELD = 0, 1, 2, 3, 5, 7, 8, 9
local BOOL, FP, UNSIGNED, COMPLEX, REFERENCE, CONST = 0x08000000, 0x04000000, 0x00800000, 0x04000000, 0x00800000,
  0x02000000
local QUALIFIES = 1

local ctype = { STRUCT = STRUCT, PTR = PTR }

--- A type without its names and attributes: its number, kind, size and flags, and the number of its elements' type.
function ctype.describe(id)
  local constant = false
  while true do
    local t = ffi.typeinfo(id)   ---@diagnostic disable-line: undefined-field
    local kind = rshift(t.info, 28)
    if kind ~= ATTRIB and kind ~= TYPEDEF and kind ~= ENUM then
      return { id = id, kind = kind, size = t.size, info = t.info, child = band(t.info, 0xffff), sib = t.sib,
        constant = constant or kind == NUM and band(t.info, CONST) ~= 0 }
    end
    -- an attribute that qualifies has the flags in its size; a struct has the flag also if one of its fields has it
    if kind == ATTRIB and band(rshift(t.info, 16), 0xff) == QUALIFIES then
      constant = constant or band(t.size, CONST) ~= 0
    end
    id = band(t.info, 0xffff)
  end
end

local function has(t, flag) return band(t.info, flag) ~= 0 end

function ctype.is_reference(t) return t.kind == PTR and has(t, REFERENCE) end

--- An array of C, which a complex number is in typeinfo too.
function ctype.is_array(t) return t.kind == ARRAY and not has(t, COMPLEX) end

--- The dtype of a C type that is a number; nil for other types.
function ctype.dtype(t)
  if t.kind == ARRAY and has(t, COMPLEX) then
    return ({ [8] = "complex64", [16] = "complex128" })[t.size]
  elseif t.kind ~= NUM then return nil
  elseif has(t, BOOL) then return "bool"
  elseif has(t, FP) then return ({ [4] = "float32", [8] = "float64" })[t.size] end
  return t.size <= 8 and (has(t, UNSIGNED) and "uint" or "int") .. 8 * t.size or nil
end

--- Calls fn(name, type, offset) for each field of a struct or union, and for the fields of nameless structs in it.
function ctype.each_field(t, offset, fn)
  local id = t.sib
  while id do
    local field = ffi.typeinfo(id)   ---@diagnostic disable-line: undefined-field
    local kind = rshift(field.info, 28)
    if kind == FIELD then fn(field.name, ctype.describe(band(field.info, 0xffff)), offset + field.size)
    elseif kind == ATTRIB and not field.name then
      ctype.each_field(ctype.describe(band(field.info, 0xffff)), offset + field.size, fn)
    end
    id = field.sib
  end
end

return ctype
