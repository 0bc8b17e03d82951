--- Arithmetic of values of several numbers, over their components. It is the same for Lua's numbers, for elements, and
--- for texts in C++, which all have Lua's operators. A vector is a list of components with the field `kind`.
---
--- `of` has what operators do not say: sqrt(x), sin(x), cos(x), and keep(x), which is x where it is used more than
--- once. What is given to an operation here is kept already.

local kinds = require "moonarray.vector.kinds"

local operations = {}

local plain = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
  ["%"] = function(a, b) return a % b end,
}

--- The kind of a list of components; nil of one component.
local function kind_of(v) return type(v) == "table" and getmetatable(v) == nil and v.kind or nil end

local function called(v)
  local kind = kind_of(v)
  return kind and "a " .. kind.name or "a number"
end

--- One operation for each component; a side that is a number stands beside all of them.
local function each(f, a, b)
  local of_a, of_b = kind_of(a), kind_of(b)
  local made = { kind = of_a or of_b }
  for k = 1, made.kind.count do made[k] = f(of_a and a[k] or a, of_b and b[k] or b) end
  return made
end

--- A row of a times a column of b, from the components `i` and `j` on, of which every `by`th in b.
local function product(a, i, b, j, n, by)
  local sum = a[i] * b[j]
  for k = 1, n - 1 do sum = sum + a[i + k] * b[j + k * by] end
  return sum
end

-- What `*` gives for two vectors, by their families, but for two of family vec.
local products = {}

function products.mat_mat(a, b)
  local made, n = { kind = a.kind }, a.kind.extents[1]
  for i = 0, n - 1 do
    for j = 1, n do made[i * n + j] = product(a, i * n + 1, b, j, n, n) end
  end
  return made
end

function products.mat_vec(a, b)
  local made, n = { kind = b.kind }, b.kind.count
  for i = 0, n - 1 do made[i + 1] = product(a, i * n + 1, b, 1, n, 1) end
  return made
end

function products.quat_quat(a, b)
  return { kind = a.kind,
    a[4] * b[1] + a[1] * b[4] + a[2] * b[3] - a[3] * b[2],
    a[4] * b[2] - a[1] * b[3] + a[2] * b[4] + a[3] * b[1],
    a[4] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[4],
    a[4] * b[4] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3] }
end

local hints = { vec_mat = "; wanted the matrix on the left", quat_vec = "; wanted q:rotate(v)" }

--- Whether `a op b` is computed component by component. A number may stand beside any vector for `*`, behind it for
--- `/`, and beside a vec for all operators.
local function by_component(op, of_a, of_b)
  local family = (of_a or of_b).family
  if of_a and of_b then
    return of_a == of_b and (family == "vec" or op == "+" or op == "-")
  end
  return family == "vec" or op == "*" or op == "/" and of_a ~= nil
end

--- Whether the operator uses each component of two vectors once.
function operations.uses_once(op, of_a, of_b) return of_a == of_b and by_component(op, of_a, of_b) end

--- What `a op b` is, where one side is a vector at least; or nil and what is wrong.
function operations.binary(op, a, b)
  local of_a, of_b = kind_of(a), kind_of(b)
  if plain[op] and by_component(op, of_a, of_b) then return each(plain[op], a, b) end
  local families = of_a and of_b and of_a.family .. "_" .. of_b.family
  local multiplied = op == "*" and products[families]
  if multiplied and of_a.extents[1] == of_b.extents[1] then return multiplied(a, b) end
  local wanted = plain[op] and of_a and of_b and of_a.family == of_b.family and of_a ~= of_b
    and "; wanted two of one kind" or op == "*" and hints[families] or ""
  return nil, ("'%s' of %s and %s%s"):format(op, called(a), called(b), wanted)
end

function operations.negative(a)
  local made = { kind = a.kind }
  for k = 1, a.kind.count do made[k] = -a[k] end
  return made
end

-- ==== Methods ====================================================================================================

local function dot(a, b)
  local sum = a[1] * b[1]
  for k = 2, a.kind.count do sum = sum + a[k] * b[k] end
  return sum
end

local function length(of, a) return of.sqrt(dot(a, a)) end

-- By name: the families that have it or the kinds, the kind of its argument if there is one ("same": that of the
-- vector), and what it gives.
local methods = {}
operations.methods = methods

methods.dot = { has = "vec quat", takes = "same", call = function(_, a, b) return dot(a, b) end }

methods.cross = { has = "vec3", takes = "same", call = function(_, a, b)
  return { kind = a.kind, a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end }

methods.length = { has = "vec quat", call = length }

methods.normalize = { has = "vec quat", call = function(of, a) return each(plain["/"], a, of.keep(length(of, a))) end }

methods.distance = { has = "vec", takes = "same", call = function(of, a, b)
  local between = each(plain["-"], a, b)
  for k = 1, a.kind.count do between[k] = of.keep(between[k]) end
  return length(of, between)
end }

methods.transpose = { has = "mat", call = function(_, a)
  local made, n = { kind = a.kind }, a.kind.extents[1]
  for k = 0, a.kind.count - 1 do made[k + 1] = a[k % n * n + math.floor(k / n) + 1] end
  return made
end }

methods.conjugate = { has = "quat", call = function(_, a) return { kind = a.kind, -a[1], -a[2], -a[3], a[4] } end }

--- v + w t + u x t, where t = 2 u x v, and q is u and w.
methods.rotate = { has = "quat", takes = "vec3", call = function(of, q, v)
  local cross = methods.cross.call
  local t = each(plain["*"], cross(of, { kind = v.kind, q[1], q[2], q[3] }, v), 2)
  for k = 1, 3 do t[k] = of.keep(t[k]) end
  local other = cross(of, { kind = v.kind, q[1], q[2], q[3] }, t)
  return each(plain["+"], each(plain["+"], v, each(plain["*"], t, q[4])), other)
end }

--- The quaternion of a turn around an axis of any length.
function operations.rotation(of, axis, angle)
  local half = of.keep(angle * 0.5)
  local factor = of.keep(of.sin(half) / length(of, axis))
  return { kind = kinds.named.quat, axis[1] * factor, axis[2] * factor, axis[3] * factor, of.cos(half) }
end

--- The method of a kind, or nil.
function operations.method(kind, name)
  local method = methods[name]
  return method and (method.has == kind.name or (" " .. method.has .. " "):find(" " .. kind.family .. " ", 1, true))
    and method or nil
end

--- The names of a kind's methods, sorted, for an error.
function operations.names(kind)
  local list = { "unpack" }
  for name in pairs(methods) do
    if operations.method(kind, name) then list[#list + 1] = name end
  end
  table.sort(list)
  return table.concat(list, ", ")
end

--- Checks the argument of a method: nil, or what is wrong.
function operations.refused(method, kind, argument)
  local wanted = method.takes == "same" and kind.name or method.takes
  if not wanted then return nil end
  local found = kind_of(argument)
  if not found or found.name ~= wanted then return ("%s; wanted a %s"):format(called(argument), wanted) end
end

return operations
