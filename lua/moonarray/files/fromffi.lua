--- ma.fromffi: FFI arrays of structs by field, over the structs' own memory.
--# create

local sformat, concat = require("moonarray.text").format, table.concat

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local NAME = "fromffi"
  local found, ffi = pcall(require, "ffi")
  local has_types = found and ffi.typeinfo   ---@diagnostic disable-line: undefined-field
  local ctype = has_types and require "moonarray.struct.ctype"

  --- The address and the type of the structs, and how many there are (nil for one struct that is no array).
  local function describe_object(object, count)
    if type(object) ~= "cdata" then
      fail(NAME, sformat("object is %s; wanted an FFI array, pointer or struct", core.describe(object)))
    end
    local t = ctype.describe(tonumber(ffi.typeof(object)))
    local n
    if t.kind == ctype.PTR then
      local target = ctype.describe(t.child)
      if not ctype.is_reference(t) then
        if count == nil then
          fail(NAME, "object is a pointer, which does not say how many structs there are; give count")
        end
        n = common.whole(NAME, "count", count, 0)
      elseif count ~= nil then fail(NAME, "count is given for one struct") end
      t = target
    elseif ctype.is_array(t) then
      local element = ctype.describe(t.child)
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
    while ctype.is_array(t) do
      local element = ctype.describe(t.child)
      if element.size == 0 then break end
      shape[#shape + 1], strides[#strides + 1] = t.size / element.size, element.size
      t, constant = element, constant or element.constant
    end
    local dtype = ctype.dtype(t)
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
    if t.kind ~= ctype.STRUCT then return make(from, t, offset, device, path) end
    local result = {}
    ctype.each_field(t, offset, function(name, field, at)
      result[name] = make_all(from, field, at, device, path == "" and name or path .. "." .. name)
    end)
    return result
  end

  local function find_field(t, offset, path)
    for name in path:gmatch "[^.]+" do
      local names, found_type = {}, nil
      if t.kind == ctype.STRUCT then
        ctype.each_field(t, offset, function(other, field, at)
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
      if not has_types then fail(NAME, "needs LuaJIT 2.1's ffi, which is not here") end
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
