--- ma.fromffi: FFI arrays of structs by field, over the structs' own memory.
--# create

local sformat, concat = require("moonarray.text").format, table.concat

-- The numbers in LuaJIT's ffi.typeinfo (lj_ctype.h). The highest 4 bits of `info` are the kind of type, the lowest 16
-- the number of another type, and those between are flags.
local NUM, STRUCT, PTR, ARRAY, ENUM, TYPEDEF, ATTRIB, FIELD = 0, 1, 2, 3, 5, 7, 8, 9
local BOOL, FP, UNSIGNED, COMPLEX, REFERENCE, CONST = 0x08000000, 0x04000000, 0x00800000, 0x04000000, 0x00800000,
  0x02000000
local QUALIFIES = 1

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local NAME = "fromffi"
  local found, ffi = pcall(require, "ffi")
  local bit = found and require "bit"
  local band = found and bit.band

  --- A type without its names and attributes: its number, kind, size and flags, and the number of its elements' type.
  local function describe(id)
    local constant = false
    while true do
      local t = ffi.typeinfo(id)   ---@diagnostic disable-line: undefined-field
      local kind = bit.rshift(t.info, 28)
      if kind ~= ATTRIB and kind ~= TYPEDEF and kind ~= ENUM then
        return { kind = kind, size = t.size, info = t.info, child = band(t.info, 0xffff), sib = t.sib,
          constant = constant or kind == NUM and band(t.info, CONST) ~= 0 }
      end
      -- an attribute that qualifies has the flags in its size; a struct has the flag also if one of its fields has it
      if kind == ATTRIB and band(bit.rshift(t.info, 16), 0xff) == QUALIFIES then
        constant = constant or band(t.size, CONST) ~= 0
      end
      id = band(t.info, 0xffff)
    end
  end

  local function has(t, flag) return band(t.info, flag) ~= 0 end

  --- The dtype of a C type that is a number; nil for other types.
  local function dtype_of(t)
    if t.kind == ARRAY and has(t, COMPLEX) then
      return ({ [8] = "complex64", [16] = "complex128" })[t.size]
    elseif t.kind ~= NUM then return nil
    elseif has(t, BOOL) then return "bool"
    elseif has(t, FP) then return ({ [4] = "float32", [8] = "float64" })[t.size] end
    return t.size <= 8 and (has(t, UNSIGNED) and "uint" or "int") .. 8 * t.size or nil
  end

  --- Calls fn(name, type, offset) for each field of a struct or union, and for the fields of nameless structs in it.
  local function each_field(t, offset, fn)
    local id = t.sib
    while id do
      local field = ffi.typeinfo(id)   ---@diagnostic disable-line: undefined-field
      local kind = bit.rshift(field.info, 28)
      if kind == FIELD then fn(field.name, describe(band(field.info, 0xffff)), offset + field.size)
      elseif kind == ATTRIB and not field.name then
        each_field(describe(band(field.info, 0xffff)), offset + field.size, fn)
      end
      id = field.sib
    end
  end

  --- The address and the type of the structs, and how many there are (nil for one struct that is no array).
  local function describe_object(object, count)
    if type(object) ~= "cdata" then
      fail(NAME, sformat("object is %s; wanted an FFI array, pointer or struct", core.describe(object)))
    end
    local t = describe(tonumber(ffi.typeof(object)))
    local n
    if t.kind == PTR then
      local target = describe(t.child)
      if not has(t, REFERENCE) then
        if count == nil then
          fail(NAME, "object is a pointer, which does not say how many structs there are; give count")
        end
        n = common.whole(NAME, "count", count, 0)
      elseif count ~= nil then fail(NAME, "count is given for one struct") end
      t = target
    elseif t.kind == ARRAY and not has(t, COMPLEX) then
      local element = describe(t.child)
      local most = ffi.sizeof(object) / element.size
      n = count == nil and most or common.whole(NAME, "count", count, 0)
      if n > most then fail(NAME, sformat("count is %d; the array has %d elements", n, most)) end
      t = element
    elseif count ~= nil then fail(NAME, "count is given for one struct") end
    local address = ffi.cast("uint8_t *", object)
    if address == nil then fail(NAME, "object is a NULL pointer") end
    return address, t, n
  end

  --- An array of the number that lies at `offset` in each of n structs. C arrays inside the struct become further axes.
  local function make(from, t, offset, device, path)
    local shape, strides, constant = { from.n }, { from.n and from.stride }, t.constant
    while t.kind == ARRAY and not has(t, COMPLEX) do
      local element = describe(t.child)
      if element.size == 0 then break end
      shape[#shape + 1], strides[#strides + 1] = t.size / element.size, element.size
      t, constant = element, constant or element.constant
    end
    local dtype = dtype_of(t)
    if not dtype then return nil end
    local size, last, empty = t.size, 0, false
    local place = tonumber(ffi.cast("uintptr_t", from.address)) + offset
    for d = 1, #shape do
      if strides[d] % size ~= 0 then place = 1 end
      last, empty = last + (shape[d] - 1) * strides[d], empty or shape[d] == 0
    end
    if place % size ~= 0 and size > 1 then
      fail(NAME, sformat("%s does not lie at multiples of its %d bytes, as %s must", path, size, dtype))
    end
    if empty then return ma.zeros(shape, { dtype = dtype, device = device }) end
    local start = from.address + offset
    if from.constant or constant then start = ffi.cast("const uint8_t *", start) end
    local base = ma.frombuffer(start, { last + size }, "uint8", { owner = from.owner, device = device or ma.device() })
    local first = base["1:" .. size]:view(dtype):reshape {}
    return ma.lib.stride_tricks.as_strided(first, shape, strides)
  end

  local function make_all(from, t, offset, device, path)
    if t.kind ~= STRUCT then return make(from, t, offset, device, path) end
    local result = {}
    each_field(t, offset, function(name, field, at)
      result[name] = make_all(from, field, at, device, path == "" and name or path .. "." .. name)
    end)
    return result
  end

  local function find_field(t, offset, path)
    for name in path:gmatch "[^.]+" do
      local names, found_type = {}, nil
      if t.kind == STRUCT then
        each_field(t, offset, function(other, field, at)
          names[#names + 1] = other
          if other == name then found_type = { field, at } end
        end)
      end
      if not found_type then
        fail(NAME, sformat("no field '%s' of '%s'; %s", name, path, #names > 0 and "there are " .. concat(names, ", ")
          or "it is no struct"))
      end
      t, offset = found_type[1], found_type[2]
    end
    return t, offset
  end

  --> fromffi: local ffi = require "ffi"
  -->   return ma.fromffi(ffi.new("struct { double x, y; }[2]", {{1, 2}, {3, 4}}), "x", {device = "cpu"})
  def("fromffi(object: ffi.cdata*, field?: string; count?: integer, device?: string) -> array|table",
    "Arrays over the fields of FFI structs: of an array of structs, of a pointer to `count` of them, or of one struct. "
    .. "`field` is a name, or names with dots for structs within structs; without it a table of arrays by field, for "
    .. "all fields that are numbers. A field that is an array gives further axes. On the CPU nothing is copied: what "
    .. "is written to the array is in the structs.", function(object, field, count, device)
      ---@diagnostic disable-next-line: undefined-field
      if not found or not ffi.typeinfo then fail(NAME, "needs LuaJIT 2.1's ffi, which is not here") end
      local address, t, n = describe_object(object, count)
      local from = { address = address, n = n, stride = t.size, owner = object, constant = t.constant }
      if field == nil then return make_all(from, t, 0, device, "") end
      local of, offset = find_field(t, 0, common.type(NAME, "field", field, "string"))
      local result = make_all(from, of, offset, device, field)
      if result == nil then
        fail(NAME, sformat("the field '%s' is no number, and no array or struct of them", field))
      end
      return result
    end)
end
