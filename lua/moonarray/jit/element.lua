--- Arrays in a kernel: positions, elements, rows, extents. Methods of a function's translation.
---
--- `at` is the text of the place that the given positions lead to: an offset in elements, or where positions are looked
--- at a jit_at, which also tells whether all were inside (helpers.lua). Those of private arrays are looked at in every
--- kernel: what lies outside of one is the thread's own stack.

local sformat = require("moonarray.text").format
local types = require "moonarray.jit.types"
local taken = require "moonarray.captures.kernel"
local value = require "moonarray.jit.value"

local number = value.number

local A = {}

local ANY = "0x7fffffffffffffffLL"     -- stands for an unknown extent

-- ==== Positions ====

--- `most`: the extent, if it is known.
local function check_constant(self, v, axis, line, most)
  if v.constant and (v.constant ~= math.floor(v.constant) or v.constant < 1) then
    self:fail(line, sformat("position %.14g of axis %d; positions are whole numbers from 1 on", v.constant, axis))
  end
  if v.constant and most and v.constant > most then
    self:fail(line, sformat("position %.14g on axis %d of a private array; wanted 1..%d", v.constant, axis, most))
  end
end

--- The offset that one more position adds, as text; nil if there is none.
local function term(self, array, axis, v)
  local text
  if v.constant then
    text = v.constant > 1 and ("%.0f"):format(v.constant - 1) or nil
  else
    text = ("(%s - 1)"):format(self:integer(v))
  end
  local stride = text and array.stride(axis)
  return text and (stride == "1" and text or ("%s * %s"):format(text, stride))
end

--- Whether places in an array are of type jit_at, in a function or a module.
function A.has_limits(of, array) return of.check or array.private end

--- The text of `at` with one more position, which is looked at.
local function step(self, at, array, axis, v, line)
  self:help(self.module.check and "jit_check" or "jit_at")
  local extent, text = array.extent(axis) or ANY
  if v.constant then
    text = ("i8(%.0f)"):format(v.constant)
  elseif types.is_integer(v.dtype) then
    text = v.dtype == "uint64" and ("jit_signed(%s)"):format(v.text) or self:integer(v)
  else
    text = value.as(v, "float64")
  end
  if not self.module.check then
    return ("jit_step(%s, %s, %s, %s)"):format(at or "jit_start()", text, extent, array.stride(axis))
  end
  local known = self:proves_position(v, extent)
  return ("jit_step(%sfaults, %s, %s, %s, %s, %d, %d)"):format(known and "ma_here.ma_fits, " or "",
    at or "jit_start()", text, extent, array.stride(axis), axis, line)
end

--- The part of an array at more positions along its next axes: an element if every axis has a position.
function A:part(v, positions, line)
  local array, at = v.array, v.at
  if array.field then
    self:fail(line, ("a position of '%s', a field of a stencil; wanted offsets, as in %s(0, 0)"):format(v.name, v.name))
  end
  if v.given + #positions > array.ndim then
    self:fail(line, ("%d positions of %s, an array of %d axes"):format(v.given + #positions, v.name or "an array",
      array.ndim))
  end
  for k, position in ipairs(positions) do
    local axis = v.given + k
    if position.kind == "number" and types.is_complex(position.dtype) then
      self:fail(line, ("position %d is complex"):format(axis))
    end
    if position.weak == "float" then position = taken.constant(self, position) end
    check_constant(self, position, axis, line, array.private and array.extent(axis))
    if A.has_limits(self.module, array) then
      at = step(self, at, array, axis, position, line)
    else
      local more = term(self, array, axis, position)
      at = at and more and at .. " + " .. more or at or more
    end
  end
  return { kind = "array", array = array, name = v.name, at = at, given = v.given + #positions }
end

--- The values of a key in brackets: one, or those of a table.
function A:positions(key)
  if key.kind ~= "table" then return { self:number(key, "a position") } end
  self:check_table(key)
  return self:sequence(#key.items, key.line, function(k) return self:number(key.items[k], "position " .. k) end)
end

--- `object[key]`, and with `between` other values too; the object is evaluated first.
function A:indexed(node)
  local object
  node.object.of_whole = true
  local list = self:sequence(2, node.line, function(k)
    if k == 1 then
      object = self:expression(node.object)
      return object
    end
    return { kind = "positions", list = object.kind == "array" and node.key.kind ~= "string"
      and self:positions(node.key) }
  end)
  return list[1], list[2].list
end

--- Computes where a part lies at this point of the text, and not where the part is used.
function A:fixed(v, name, line)
  if v.kind ~= "array" or not v.at then return v end
  local c = self:unique(name)
  self:emit(line, ("const %s %s = %s;"):format(A.has_limits(self.module, v.array) and "jit_at" or "i8", c, v.at))
  return { kind = "array", array = v.array, name = v.name, at = c, given = v.given }
end

-- ==== Elements ====

--- The text of an element in memory.
function A:element(v)
  local form = A.has_limits(self.module, v.array) and v.at and "jit_element(%s, %s)" or "%s[%s]"
  return form:format(v.array.pointer, v.at or "0")
end

function A:read(v)
  v.array.read = true
  local dtype = v.array.dtype
  local text = types.load(self:element(v), dtype)
  local variable = v.array.variable
  return value.element(text, dtype, variable and variable.weak)
end

--- An element of which all positions are given, so that it can be written. Where positions are looked at, its place is
--- computed once.
function A:place(v, line)
  if v.given < v.array.ndim then
    self:fail(line, ("%d position%s of %s, an array of %d axes, for what is written; wanted an element, or a vector "
      .. "for the last axis"):format(v.given, v.given == 1 and "" or "s", v.name or "an array", v.array.ndim))
  end
  if v.array.outside then
    self:fail(line, ("'%s' is an array from outside, which a function of elements reads; wanted it among the arguments "
      .. "of a kernel to write into"):format(v.name))
  end
  if v.array.input then
    self:fail(line, ("%s is an input; wanted a raw output to write into: out_params = 'raw T %s'"):format(v.name
      or "an array", v.name or "y"))
  end
  if v.array.by_value then self:fail(line, ("%s is of a struct that is given by value"):format(v.name)) end
  v.array.written = true
  return A.has_limits(self.module, v.array) and self:fixed(v, "place", line) or v
end

--- The text of an action on a place; where positions are looked at, only if the place is inside.
function A:guarded(place, text)
  if not place.at or not A.has_limits(self.module, place.array) then
    return text:format(("%s[%s]"):format(place.array.pointer, place.at or "0"))
  end
  return ("if (%s.in) "):format(place.at) .. text:format(("%s[%s.at]"):format(place.array.pointer, place.at))
end

function A:write(place, v, line)
  if place.array.struct then return self:write_struct(place, v, line) end
  if place.array.variable then self:widen(place.array.variable, v, line) end
  local dtype = place.array.dtype
  if v.kind == "unknown" then return end
  if v.kind ~= "number" and v.kind ~= "bool" then
    self:fail(line, ("%s is written; wanted a number or a boolean"):format(self:describe(v)))
  end
  if dtype == "bool" and v.kind == "number" then
    self:fail(line, ("%s is written into %s, a bool array; wanted a boolean"):format(self:describe(v), place.name
      or "an array"))
  end
  local text = types.store(self:cast(v, dtype, line), dtype)
  self:emit(line, (self:guarded(place, "%s = ") .. "%s;"):format(text))
end

-- ==== Fields of stencils ====

local MOST_OFFSET = 4096

--- Where an element lies that is read at offsets of which some depend on elements, as text. The field is an input too.
local function reached(self, v, offsets)
  local near, texts, number_of = self.module.near, {}, v.array.field.number
  local own, place = { number_of }, nil
  for axis = 1, near.ndim do own[axis + 1] = 0 end
  self:given(own, v.array.dtype)
  for k, field in ipairs(near.reached) do
    if field == number_of then place = k - 1 end
  end
  if not place then
    near.reached[#near.reached + 1], place = number_of, #near.reached
  end
  for axis = 1, 3 do                                             -- a backend's fields have three axes
    local offset = offsets[axis - 3 + near.ndim]
    if offset and offset.constant ~= 0 then
      local whole = types.is_float(offset.dtype) and ("ma_reach_whole(%s)"):format(value.as(offset, "float64"))
      texts[axis] = ("ma_reach_place(jit_near.reach, %d, %s)"):format(axis - 1, whole or self:integer(offset))
    else
      texts[axis] = ("jit_near.reach->at[%d]"):format(axis - 1)
    end
  end
  return ("*(const %s *)ma_reach_at(jit_near.reach, %d, %s)"):format(types.memory[v.array.dtype], place,
    table.concat(texts, ", "))
end

--- `u(o, ...)`: the element that lies at distances from that of the position. If they are constant it is a value that
--- the function is given; the module notes which ones those are.
function A:neighbour(v, offsets, line)
  local array, read, depends = v.array, { v.array.field.number }, false
  if array.struct then self:fail(line, ("a call of the struct '%s'; wanted one of a field"):format(v.name)) end
  if #offsets ~= array.ndim then
    self:fail(line, ("a neighbour by %d offsets of a field of %d axes; wanted one for each axis"):format(#offsets,
      array.ndim))
  end
  for axis, offset in ipairs(offsets) do
    offset = taken.constant(self, self:as_number(offset, line, ("offset %d of '%s'"):format(axis, v.name)))
    offsets[axis], depends = offset, depends or offset.constant == nil
    if offset.kind == "number" and types.is_complex(offset.dtype) then
      self:fail(line, ("offset %d of '%s' is complex"):format(axis, v.name))
    end
    local o = offset.constant
    if o and (o ~= math.floor(o) or math.abs(o) > MOST_OFFSET) then
      self:fail(line, ("offset %d of '%s'; wanted a constant whole number from %d to %d"):format(axis, v.name,
        -MOST_OFFSET, MOST_OFFSET))
    end
    read[axis + 1] = o
  end
  if not depends then return self:given(read, array.dtype) end
  return value.element(types.load(reached(self, v, offsets), array.dtype), array.dtype)
end

--- The value of a read, {field, offset, ...}, which the function is given.
function A:given(read, dtype)
  local near, key = self.module.near, table.concat(read, ",")
  if not near.places[key] then
    near.reads[#near.reads + 1], near.places[key] = read, #near.reads
    read.dtype = dtype
  end
  return value.element(("jit_near.v%d"):format(near.places[key]), dtype)
end

--- The element at the position of an array from outside, which is a field behind those of the call.
function A:outside_array(found)
  local near, number_of, read = self.module.near, nil, {}
  for k, known in ipairs(near.arrays) do
    if rawequal(known, found) then number_of = k end
  end
  if not number_of then
    number_of = #near.arrays + 1
    near.arrays[number_of] = found
  end
  read[1] = near.nfield + number_of - 1
  for axis = 1, near.ndim do read[axis + 1] = 0 end
  return self:given(read, found.dtype)
end

--- An array from outside that is read at positions. Two fields stand for it, of one element each: where a block of
--- numbers lies (near.block), its address, extents and strides; and its first element, for which a run waits.
function A:outside_whole(found)
  local near = self.module.near
  for _, known in ipairs(near.wholes) do
    if rawequal(known.found, found) then return known end
  end
  local function one(array)
    local read = { near.nfield + #near.arrays }
    near.arrays[#near.arrays + 1] = array
    for axis = 1, near.ndim do read[axis + 1] = 0 end
    return self:given(read, array.dtype)
  end
  local block, first = near.block(found)
  one(first)
  local numbers, dtype, ndim, packed = ("((const i8 *)%s)"):format(one(block).text), found.dtype, found.ndim,
    found.is_contiguous
  local array = { found = found, dtype = dtype, ndim = ndim, static = true, input = true, outside = true,
    pointer = ("((const %s *)%s[0])"):format(types.memory[dtype], numbers) }
  function array.extent(axis) return ("%s[%d]"):format(numbers, axis) end
  function array.stride(axis) return packed and axis == ndim and "1" or ("%s[%d]"):format(numbers, ndim + axis) end
  near.wholes[#near.wholes + 1] = array
  return array
end

-- ==== Private arrays ====

local MOST_PRIVATE = 16384              -- bytes, which the threads of a block on the CPU have on their stacks

--- An array of a shape that is known; dynamic shared memory has none, and one axis.
function A.static_array(c, dtype, shape)
  local array = { dtype = dtype, ndim = shape and #shape or 1, pointer = c, static = true, contiguous = true,
    extents = {}, strides = {} }
  function array.extent(axis) return shape and shape[axis] end
  function array.stride(axis)
    local product = 1
    for k = axis + 1, array.ndim do product = product * shape[k] end
    return ("%.0f"):format(product)
  end
  return array
end

--- Declares an array that each thread has for itself, with these values. `variable` has its type, which grows with what
--- is written.
function A:private(c, dtype, shape, values, line, variable)
  local array, size = A.static_array(c, dtype, shape), 1
  for _, extent in ipairs(shape) do size = size * extent end
  if size * types.bytes(dtype) > MOST_PRIVATE then
    self:fail(line, ("a private array of %.0f bytes; at most %d"):format(size * types.bytes(dtype), MOST_PRIVATE))
  end
  self:emit(line, ("%s %s[%.0f] = {%s};"):format(types.memory[dtype], c, size, values))
  array.private, array.variable = true, variable
  return { kind = "array", array = array, given = 0 }
end

--- The expressions of a table, or of a table of tables, and its shape.
local function items_of(self, node)
  local list, shape, first = {}, { #node.items }, node.items[1]
  local inner = first and first.kind == "table" and #first.items or nil
  if inner then shape[2] = inner end
  for _, item in ipairs(node.items) do
    if (item.kind == "table") ~= (inner ~= nil) or inner and #item.items ~= inner then
      self:fail(item.line, "rows of a table that have different lengths")
    end
    for _, one in ipairs(inner and item.items or { item }) do list[#list + 1] = one end
  end
  if #list == 0 then self:fail(node.line, "a table without elements; jit.local_memory(dtype, shape) makes one") end
  return list, shape
end

--- A table with its items, which are evaluated here.
function A:table_values(node, name)
  self:check_table(node)
  local items, shape = items_of(self, node)
  return { kind = "table", node = node, shape = shape, items = self:sequence(#items, node.line, function(j)
    return self:as_scalar(self:expression(items[j]), items[j].line, ("element %d of '%s'"):format(j, name))
  end) }
end

--- `local name = {...}`: a private array with these elements; it is the k-th local of `node`.
function A:table_array(of, node, k)
  local name, list = node.names[k], of.items
  local variable, texts = self:declare(node, k, name), {}
  self.scope.names[name] = nil
  for _, v in ipairs(list) do self:widen(variable, v, node.line) end
  local dtype = variable.dtype or "int64"
  for j, v in ipairs(list) do
    texts[j] = v.kind == "unknown" and "0" or types.store(self:cast(v, dtype, node.line), dtype)
  end
  local made = self:private(variable.c, dtype, of.shape, table.concat(texts, ", "), node.line, variable)
  made.name, made.node = name, of.node
  return made
end

-- ==== Extents ====

--- An extent is weak, like the Lua number that it is: `x[i] / #x` keeps the type of x.
function A:extent(v, axis, line)
  local text = v.array.extent(axis)
  if not text then self:fail(line, "the extent of dynamic shared memory is not known to a kernel") end
  if type(text) == "number" then return value.constant(text, "int") end
  local extent = number(text, "int64", "int")
  extent.bounds = self:single(text)
  return extent
end

local attributes = {
  ndim = function(_, v) return value.constant(v.array.ndim - v.given, "int") end,
  dtype = function(_, v) return { kind = "string", value = v.array.dtype } end,
  shape = function(_, v) return { kind = "shape", of = v } end,
  size = function(self, v, line)
    local size = value.constant(1, "int")
    for axis = v.given + 1, v.array.ndim do size = self:arithmetic("*", size, self:extent(v, axis, line), line) end
    return size
  end,
}

function A:attribute(v, key)
  local attribute = attributes[key.value]
  if not attribute and v.array.struct then
    self:fail(key.line, ("no field '%s' of %s"):format(key.value, v.array.struct.name))
  end
  if not attribute then self:fail(key.line, ("'%s' of an array is not available in a kernel"):format(key.value)) end
  self:drop(v, key.line)
  return attribute(self, v, key.line)
end

--- shape[k]
function A:axis_of_shape(shape, key)
  local axis, v = self:whole(key, "the axis of a shape"), shape.of
  local ndim = v.array.ndim - v.given
  if axis < 1 or axis > ndim then self:fail(key.line, ("axis %d of an array of %d axes"):format(axis, ndim)) end
  return self:extent(v, axis + v.given, key.line)
end

return A
