--- ma.jit.vec3, mat3, quat and their like: values of several numbers in code for one element. This is their form in
--- Lua: an object over components that are numbers, elements of a function that ma.fuse or ma.stencil runs, or elements
--- in the plain form. Kernels in C++ have them by translate.lua.

local kinds = require "moonarray.vector.kinds"
local operations = require "moonarray.vector.operations"

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
local PARTS = {}                         -- the key of the components

local vector = { kinds = kinds.named }
local Vector = { __name = "vector" }
local run                                -- the run of a function of elements that vectors belong to
local writes = 0                         -- how often a component was assigned to

--- Looks again at the two vectors of a joined one: a component is chosen anew if one of theirs is another one.
local function look(v, join)
  local parts, a, b = rawget(v, PARTS), vector.parts(join.a), vector.parts(join.b)
  for k = 1, #a do
    if not (rawequal(join.of_a[k], a[k]) and rawequal(join.of_b[k], b[k])) then
      join.of_a[k], join.of_b[k] = a[k], b[k]
      parts[k] = join.masks.merge(join.mask, a[k], b[k])
    end
  end
  join.at = writes
end

--- The components of a vector, with `kind`; nil of another value.
function vector.parts(v)
  if type(v) ~= "table" or getmetatable(v) ~= Vector then return nil end
  local join = rawget(v, "join")
  if join and join.at ~= writes then look(v, join) end
  return rawget(v, PARTS)
end
local parts_of = vector.parts

--- A vector of a list of components with `kind`.
function vector.make(parts) return setmetatable({ [PARTS] = parts, run = run }, Vector) end
local make = vector.make

--- What is the vector a for the elements of a mask, and b for the others. It is neither of them but stands for both:
--- what is assigned to its components is assigned to theirs. `masks`: merge, both and negate.
function vector.join(mask, a, b, masks)
  return setmetatable({ [PARTS] = { kind = parts_of(a).kind }, run = run,
    join = { mask = mask, a = a, b = b, masks = masks, of_a = {}, of_b = {} } }, Vector)
end

--- Assigns to a component for the elements of a mask.
function vector.set(v, place, value, mask)
  local join = rawget(v, "join")
  if join then
    local masks = join.masks
    vector.set(join.a, place, value, masks.both(mask, join.mask))
    return vector.set(join.b, place, value, masks.both(mask, masks.negate(join.mask)))
  end
  local parts = rawget(v, PARTS)
  if mask == true then parts[place] = value else parts[place] = vector.merge(mask, value, parts[place]) end
  writes = writes + 1
end

--- Sets the run that new vectors belong to. Returns the one before.
function vector.enter(new)
  local before = run
  run = new
  return before
end

--- Whether something holds of all vectors that one stands for.
local function all(v, holds)
  local join = rawget(v, "join")
  if not join then return holds(v) end
  return all(join.a, holds) and all(join.b, holds)
end

--- Whether a vector was made in the present run.
function vector.is_own(v) return all(v, function(one) return rawget(one, "run") == run end) end

local function is_no_row(v) return not rawget(v, "row") end

--- Refuses a vector as a result where each result is an array.
function vector.refuse_result(v, fail)
  local parts = vector.parts(v)
  if parts then fail(("a %s as a result; return its components: v:unpack()"):format(parts.kind.name)) end
end

function vector.load(ma, core)
  local fail = core.fail

  local of = { keep = function(x) return x end }
  for name in ("sqrt sin cos"):gmatch "%S+" do
    of[name] = function(x)
      if type(x) == "userdata" then return ma[name](x) end
      return math[name](x)               -- the plain form has another function here
    end
  end

  --- A result of operations.lua.
  local function result(made) return type(made) == "table" and made.kind and make(made) or made end

  local function name_of(kind) return "jit." .. kind.name end

  --- The value of an operand: components, or a number; `nil` raises.
  local function operand(name, op, v)
    local parts = parts_of(v)
    if parts then return parts end
    local kind = type(v)
    if kind == "number" or kind == "cdata" or kind == "userdata" then return v end
    fail(name, ("'%s' of %s; wanted a vector or a number"):format(op, core.describe(v)))
  end

  for name, op in pairs { add = "+", sub = "-", mul = "*", div = "/", mod = "%" } do
    Vector["__" .. name] = function(a, b)
      local shown = name_of((parts_of(a) or parts_of(b)).kind)
      local made, wrong = operations.binary(op, operand(shown, op, a), operand(shown, op, b))
      if not made then fail(shown, wrong) end
      return result(made)
    end
  end

  function Vector.__unm(a) return make(operations.negative(parts_of(a))) end

  function Vector.__eq(a, b)
    local x, y = parts_of(a), parts_of(b)
    if not x or not y then return false end
    if x.kind ~= y.kind then fail(name_of(x.kind), ("'==' of a %s and a %s"):format(x.kind.name, y.kind.name)) end
    for k = 1, x.kind.count do
      if x[k] ~= y[k] then return false end
    end
    return true
  end

  function Vector.__tostring(v)
    local list, parts = {}, parts_of(v)
    for k = 1, #parts do list[k] = tostring(parts[k]) end
    return ("%s(%s)"):format(parts.kind.name, table.concat(list, ", "))
  end

  -- ==== Fields and methods =======================================================================================

  local methods = { unpack = function(v) return unpack(parts_of(v)) end }

  for name, method in pairs(operations.methods) do
    methods[name] = function(v, argument)
      local parts = parts_of(v)
      if not parts then fail("jit", (":%s of %s; wanted a vector"):format(name, core.describe(v))) end
      local shown = name_of(parts.kind) .. ":" .. name
      argument = method.takes and operand(shown, name, argument)
      local wrong = operations.refused(method, parts.kind, argument)
      if wrong then fail(shown, wrong) end
      return result(method.call(of, parts, argument))
    end
  end

  local function no_field(kind, key)
    fail(name_of(kind), ("no field '%s'; there are %s, and %s"):format(tostring(key), kinds.fields(kind),
      operations.names(kind)))
  end

  --- Where a key leads: a list of components.
  function vector.places(kind, key)
    if type(key) == "number" then
      local places, wrong = kinds.numbered(kind, key)
      return places or fail(name_of(kind), wrong)
    end
    return kinds.places(kind, key) or no_field(kind, key)
  end

  function Vector.__index(v, key)
    local parts = parts_of(v)
    if key == "unpack" or operations.method(parts.kind, key) then return methods[key] end
    local places = vector.places(parts.kind, key)
    if #places == 1 then return parts[places[1]] end
    local made = { kind = kinds.of_count(#places) }
    for k, place in ipairs(places) do made[k] = parts[place] end
    made = make(made)
    if parts.kind.family == "mat" then rawset(made, "row", true) end
    return made
  end

  --- The components that an assignment to `key` sets, and a list of the new ones.
  function vector.assigned(v, key, value)
    local kind = parts_of(v).kind
    if not all(v, is_no_row) then
      fail(name_of(kind), "a component of a row of a matrix is assigned to; a row is a copy: write m[i] = v")
    end
    local places, new = vector.places(kind, key), parts_of(value)
    if kinds.repeats(places) then
      fail(name_of(kind), ("'%s' has a component twice, and is assigned to"):format(key))
    end
    if #places == 1 then
      if new or not (type(value) == "number" or type(value) == "cdata" or type(value) == "userdata"
        or vector.is_choice(value)) then
        fail(name_of(kind), ("'%s' gets %s; wanted a number"):format(tostring(key),
          new and "a " .. new.kind.name or core.describe(value)))
      end
      return places, { value }
    end
    if not new or #new ~= #places then
      fail(name_of(kind), ("'%s' gets %s; wanted a vec%d"):format(tostring(key), new and "a " .. new.kind.name
        or core.describe(value), #places))
    end
    return places, { unpack(new) }                       -- v.xy = v.yx, or v itself
  end

  function vector.is_choice() return false end           -- of a function of elements (element/value.lua)

  function Vector.__newindex(v, key, value)
    local places, new = vector.assigned(v, key, value)
    for k, place in ipairs(places) do vector.set(v, place, new[k], true) end
  end

  -- ==== Constructors =============================================================================================

  local function constructor(name)
    local kind = kinds.named[name]
    return function(...)
      local n, shown, given = select("#", ...), name_of(kind), { ... }
      while n > 0 and given[n] == nil do n = n - 1 end
      for k = 1, n do operand(shown, name, given[k]) end
      local parts, wrong = kinds.spread(kind, given, n, parts_of, 0)
      if not parts then fail(shown, wrong) end
      return make(parts)
    end
  end

  --> = vector | ma.jit.vec3(1, 2, 2) | Several numbers in code for one element.
  --> . x: any | the first component, also r; y, z and w are the others; several of them are a vector: v.xy
  --> + add(any): moonarray.vector
  --> + sub(any): moonarray.vector
  --> + mul(any): moonarray.vector
  --> + div(any): moonarray.vector
  --> + mod(any): moonarray.vector
  --> + unm: moonarray.vector
  --> :dot(other: vector) -> any | The sum of the products of the components.
  --> vector:dot: vector:dot(ma.jit.vec3(1, 0, 2))
  --> :cross(other: vector) -> vector | The vector product of two vec3.
  --> vector:cross: tostring(vector:cross(ma.jit.vec3(1, 0, 2)))
  --> :length() -> any | The root of the sum of the squares.
  --> vector:length: vector:length()
  --> :normalize() -> vector | The vector divided by its length.
  --> vector:normalize: tostring(vector:normalize())
  --> :distance(other: vector) -> any | The length of the difference.
  --> vector:distance: vector:distance(ma.jit.vec3(1, 0, 2))
  --> :unpack() -> any | The components, as several values.
  --> vector:unpack: vector:unpack()

  --> jit.vec2: tostring(ma.jit.vec2(3, 4) * 2)
  core.def("jit.vec2(x: any, y?: any) -> vector",
    "A vector of two numbers in code for one element: x and y, one for both, or another vec2.", constructor "vec2")
  --> jit.vec3: tostring(ma.jit.vec3(1, 2, 3).zyx)
  core.def("jit.vec3(x: any, y?: any, z?: any) -> vector",
    "As jit.vec2: a vector of three numbers. Vectors among the arguments give their components.", constructor "vec3")
  --> jit.vec4: tostring(ma.jit.vec4(ma.jit.vec3(0), 1))
  core.def("jit.vec4(x: any, y?: any, z?: any, w?: any) -> vector", "As jit.vec3: a vector of four numbers.",
    constructor "vec4")

  --> = matrix | ma.jit.mat2(1, 2, 3, 4) | A square matrix in code for one element; matrix[i] is row i.
  --> + add(matrix): moonarray.matrix
  --> + sub(matrix): moonarray.matrix
  --> + mul(any): any
  --> + div(any): moonarray.matrix
  --> + unm: moonarray.matrix
  --> :transpose() -> matrix | The matrix with columns for rows.
  --> matrix:transpose: tostring(matrix:transpose())
  --> :unpack() -> any | The components by rows, as several values.
  --> matrix:unpack: matrix:unpack()

  --> = quaternion | ma.jit.quat(0, 0, 0.6, 0.8) | A turn in code for one element, x i + y j + z k + w.
  --> . x: any | the first component; y, z and w are the others; several of them are a vector: q.xyz
  --> + add(quaternion): moonarray.quaternion
  --> + sub(quaternion): moonarray.quaternion
  --> + mul(any): moonarray.quaternion
  --> + div(any): moonarray.quaternion
  --> + unm: moonarray.quaternion
  --> :rotate(v: vector) -> vector | A vec3, turned by a quaternion of length 1.
  --> quaternion:rotate: tostring(quaternion:rotate(ma.jit.vec3(1, 0, 0)))
  --> :conjugate() -> quaternion | What turns back.
  --> quaternion:conjugate: tostring(quaternion:conjugate())
  --> :dot(other: quaternion) -> any | The sum of the products of the components.
  --> quaternion:dot: quaternion:dot(ma.jit.quat(0, 0, 0, 1))
  --> :length() -> any | The root of the sum of the squares.
  --> quaternion:length: quaternion:length()
  --> :normalize() -> quaternion | The quaternion divided by its length.
  --> quaternion:normalize: tostring((quaternion * 2):normalize())
  --> :unpack() -> any | The components, as several values.
  --> quaternion:unpack: quaternion:unpack()

  --> jit.mat2: tostring(ma.jit.mat2(1, 2, 3, 4) * ma.jit.vec2(1, 0))
  core.def("jit.mat2(row1: any, row2?: any, ...) -> matrix",
    "A matrix in code for one element: two rows, four numbers by rows, or one for the diagonal.", constructor "mat2")
  --> jit.mat3: tostring(ma.jit.mat3(2)[1])
  core.def("jit.mat3(row1: any, row2?: any, row3?: any, ...) -> matrix", "As jit.mat2: three rows of three numbers.",
    constructor "mat3")
  --> jit.mat4: tostring((ma.jit.mat4(2) * ma.jit.mat4(1))[4])
  core.def("jit.mat4(row1: any, row2?: any, row3?: any, row4?: any, ...) -> matrix",
    "As jit.mat2: four rows of four numbers.", constructor "mat4")
  --> jit.quat: tostring(ma.jit.quat(0, 0, 1, 0) * ma.jit.quat(1, 0, 0, 0))
  core.def("jit.quat(x: any, y?: any, z?: any, w?: any) -> quaternion",
    "A quaternion in code for one element: w is its real part.", constructor "quat")

  --> jit.rotation: tostring(ma.jit.rotation(ma.jit.vec3(0, 0, 1), 0))
  core.def("jit.rotation(axis: vector, angle: any) -> quaternion",
    "The quaternion of a turn around an axis, a vec3 of any length, by an angle in radians.",
    function(axis, angle)
      local given = parts_of(axis)
      if not given or given.kind.name ~= "vec3" then
        fail("jit.rotation", ("axis is %s; wanted a vec3"):format(given and "a " .. given.kind.name
          or core.describe(axis)))
      end
      if parts_of(angle) then fail("jit.rotation", "angle is a vector; wanted a number") end
      angle = operand("jit.rotation", "angle", angle)
      return make(operations.rotation(of, given, angle))
    end)
  return vector
end

return vector
