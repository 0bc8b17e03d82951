--- Arrays of structs in kernels in Lua. Methods of a function's translation (lua/moonarray/jit).
---
--- Such an array is one of bytes whose positions count structs. A field is an array too, over the same bytes: its
--- strides are those of the structs in elements of its dtype, so whatever takes an array takes a field. `members` are
--- the fields that were met, and whether they are read or written. One struct has all positions given, and is a
--- reference: to an element of an array, to an argument of a kernel over elements, or to one that is given by value.

local types = require "moonarray.jit.types"

local T = {}

--- Gives an array of bytes the fields of a struct.
function T.with_fields(array, struct)
  array.struct, array.members = struct, struct and {} or nil
  return array
end

--- Makes the array the one struct that a kernel gets as a parameter, not by a pointer.
function T.by_value(array) array.by_value, array.pointer = array.pointer, ("((u1 *)&%s)"):format(array.pointer) end

--- What is done with a field is done with its array.
local function remember(member, key, flag)
  rawset(member, key, flag)
  if key == "read" or key == "written" then member.owner[key] = flag end
end

--- The array of a field.
local function member_of(array, field)
  local member = array.members[field.name]
  if member then return member end
  local outer, scale = array.ndim, array.struct.size / field.itemsize
  member = { owner = array, dtype = field.dtype, ndim = outer + #field.shape, extents = {}, strides = {},
    contiguous = false, input = array.input, by_value = array.by_value,
    pointer = ("((%s *)(%s + %d))"):format(types.memory[field.dtype], array.pointer, field.offset) }
  function member.extent(axis)
    if axis > outer then return field.shape[axis - outer] end
    return array.extent(axis)
  end
  function member.stride(axis)
    if axis <= outer then
      local stride = array.stride(axis)
      return stride == "1" and ("%d"):format(scale) or ("%d * %s"):format(scale, stride)
    end
    local step = 1
    for k = axis - outer + 1, #field.shape do step = step * field.shape[k] end
    return ("%d"):format(step)
  end
  array.members[field.name] = setmetatable(member, { __newindex = remember })
  return member
end

--- `u.x` of a stencil's structs: a field of the stencil behind those of the call (element.lua).
local function stencil_field(self, array, field)
  local near, known = self.module.near, array.members[field.name]
  if known then return known end
  near.arrays[#near.arrays + 1] = { place = array.field.number, name = field.name }
  array.members[field.name] = { field = { number = near.nfield + #near.arrays - 1 }, dtype = field.dtype,
    ndim = array.ndim, input = true }
  return array.members[field.name]
end

--- `units.x` or `units[i].x`: the field of as many structs; nil if there is none of that name.
function T:member(v, name)
  local array = v.array
  local field = array.struct and array.struct.by[name]
  if not field then return nil end
  if array.field and #field.shape == 0 then
    return { kind = "array", array = stencil_field(self, array, field), name = (v.name or "a struct") .. "." .. name,
      given = 0 }
  end
  local at, scale = v.at, array.struct.size / field.itemsize
  if at and scale > 1 then
    if self.module.check then self:help "jit_scaled" end
    at = (self.module.check and "jit_scaled(%s, %d)" or "(%s) * %d"):format(at, scale)
  end
  return { kind = "array", array = member_of(array, field), name = (v.name or "a struct") .. "." .. name, at = at,
    given = v.given }
end

--- Whether a value is one struct.
function T.is_struct(v) return v.kind == "array" and v.array.struct ~= nil and v.given == v.array.ndim end

--- What a device function does with the fields of its parameter is done with those of the argument.
function T.spread_use(to, from)
  for name, member in pairs(to.members or {}) do
    local own = member_of(from, from.struct.by[name])
    if member.read then own.read = true end
    if member.written then own.written = true end
  end
end

--- The type of a struct's bytes as a whole.
function T.struct_type(module, struct)
  local name = ("jit_struct_%d_%d"):format(struct.size, struct.align)
  module.struct_types[name] = ("struct %s { alignas(%d) u1 bytes[%d]; };"):format(name, struct.align, struct.size)
  return name
end

--- The texts of these types, for a module's text.
function T.struct_types(module)
  local list = {}
  for _, text in pairs(module.struct_types) do list[#list + 1] = text end
  table.sort(list)
  return list
end

--- Copies a struct into another's place.
function T:write_struct(place, v, line)
  if v.kind == "unknown" then return end
  if not T.is_struct(v) or v.array.struct.id ~= place.array.struct.id then
    self:fail(line, ("%s is written into %s, an array of structs %s; wanted one of these"):format(self:describe(v),
      place.name or "an array", place.array.struct.name))
  end
  local whole = T.struct_type(self.module, place.array.struct)
  local function bytes(of)
    return { array = { pointer = ("((%s *)%s)"):format(whole, of.array.pointer), dtype = "struct" }, at = of.at }
  end
  v.array.read = true
  self:emit(line, (self:guarded(bytes(place), "%s = ") .. "%s;"):format(self:element(bytes(v))))
end

-- ==== Functions of ma.fuse and ma.stencil in C++ ==================================================================

--- The arguments of C++ for structs: of a stencil's function field `number`, else those of an element.
function T.argument(struct, ndim, number)
  return { dtype = "uint8", struct = struct, ndim = ndim or 0, contiguous = not number, input = number ~= nil,
    field = number and { number = number } }
end

--- The inputs of a function of elements for its structs, and the text that brings them together; they are not written.
function T.inputs(module, arguments, fn, fail)
  local by, outputs, before = T.elementwise(module, arguments, fn, fail)
  if #outputs > 0 then fail "a field of a struct is set; return the value, and store it behind the call" end
  return by, before
end

-- ==== Kernels over elements =======================================================================================

--- The fields that a function uses of a parameter: a list of { field, number, read, written }. `fail(text)` raises.
local function used_fields(array, fail)
  local list = {}
  for k, field in ipairs(array.struct.fields) do
    local member = array.members[field.name]
    if member and (member.read or member.written) then
      if #field.shape > 0 then
        fail(("the field '%s' is an array; wanted a number, or a rawkernel"):format(field.name))
      end
      list[#list + 1] = { field = field, number = k, written = member.written }
    end
  end
  return list
end

--- Whether the first n extents are those of structs, of whose bytes `rows` is the shape.
local function is_shape_of(shape, n, rows)
  for d = 1, n do
    if shape[d] ~= rows[d] then return false end
  end
  return n == #rows - 1
end

--- Whether a kernel over elements finds all structs by the number of the element: they lie one after another, arrays
--- have their shape, and no two arguments share memory; and how many elements there are, if no array says so. Lists
--- that the function gets as a whole (`lists`) say nothing.
function T.in_place(core, args, n, has_outputs, lists)
  local function is_whole(k) return lists and lists[k] and lists[k].whole end
  local rows, memory, is_said, is_other = nil, {}, false, false
  for k = 1, n do
    local held = type(args[k]) == "userdata" and core.held(args[k])
    local bytes = held and held.bytes
    if bytes and not (bytes.is_contiguous and (not rows or is_shape_of(bytes.shape, bytes.ndim - 1, rows))) then
      return false
    end
    rows = rows or bytes and bytes.shape
    memory[#memory + 1] = bytes or core.is_array(args[k]) and args[k] or nil
  end
  if not rows then return false end
  for k, array in ipairs(memory) do
    for j = 1, k - 1 do
      if core.gap(array, memory[j]) then return false end
    end
  end
  for k = 1, n do
    local array = core.is_array(args[k]) and not is_whole(k) and args[k]
    local is_full = array and is_shape_of(array.shape, array.ndim, rows)
    if array and not is_full and array.ndim > 0 then return false end
    is_said, is_other = is_said or is_full, is_other or array and not is_full
  end
  if is_said then return true end
  return not is_other and #rows == 2 and not has_outputs, rows[1]
end

--- Whether a struct among the arguments has fields with axes, where a function has positions.
function T.have_axes(core, args)
  for _, arg in ipairs(args) do
    local held = type(arg) == "userdata" and core.held(arg)
    for _, field in ipairs(held and held.bytes and held.struct.fields or {}) do
      if #field.shape > 0 then return true end
    end
  end
  return false
end

--- What a kernel over elements adds for its structs. Where they lie one after another, as the elements do, it is given
--- their bytes, and finds a struct by the number of the element. Else the fields that it uses become inputs, and those
--- that it writes outputs too; in between they lie in a struct of the element's own.
---@param arguments table[]  as the translator was told
---@param fn table           the translated function
---@return table by_argument, table outputs, string before, string after
function T.elementwise(module, arguments, fn, fail)
  local by, outputs, before, after = {}, {}, {}, {}
  for _, parameter in ipairs(fn.parameters) do
    local array = parameter.array
    local k = array and array.struct and array.argument
    if k and arguments[k].in_place then
      by[k] = { in_place = true, written = array.written }
      if array.written then outputs[#outputs + 1] = ("raw uint8 x%d"):format(k) end
    elseif k then
      by[k] = used_fields(array, fail)
      before[#before + 1] = ("%s s%d;"):format(T.struct_type(module, arguments[k].struct), k)
      for _, used in ipairs(by[k]) do
        local field, dtype = used.field, used.field.dtype
        local place = ("*(%s *)(s%d.bytes + %d)"):format(types.memory[dtype], k, field.offset)
        before[#before + 1] = ("%s = %s;"):format(place, types.store(("x%d_f%d"):format(k, used.number), dtype))
        if used.written then
          outputs[#outputs + 1] = ("%s s%d_f%d"):format(dtype, k, used.number)
          after[#after + 1] = ("s%d_f%d = %s;"):format(k, used.number, types.load(place, dtype))
        end
      end
    end
  end
  return by, outputs, table.concat(before, " "), table.concat(after, " ")
end

return T
