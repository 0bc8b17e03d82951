--- Arithmetic of values of several numbers, over their components. It is the same for Lua's numbers, for elements, and
--- for texts in C++, which all have Lua's operators. A vector is a list of components with the field `kind`.
---
--- `of` has what operators do not say: sqrt(x), and keep(x), which is x where it is used more than once.

local operations = {}

local plain = {
  ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
  ["%"] = function(a, b) return a % b end,
}
operations.plain = plain

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

--- What `a op b` is, where one side is a vector at least; or nil and what is wrong.
function operations.binary(op, a, b)
  local of_a, of_b = kind_of(a), kind_of(b)
  if plain[op] and (not of_a or not of_b or of_a == of_b) then return each(plain[op], a, b) end
  return nil, ("'%s' of %s and %s%s"):format(op, called(a), called(b), plain[op] and "; wanted two of one kind" or "")
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

methods.dot = { has = "vec", takes = "same", call = function(_, a, b) return dot(a, b) end }

methods.cross = { has = "vec3", takes = "same", call = function(_, a, b)
  return { kind = a.kind, a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end }

methods.length = { has = "vec", call = length }

methods.normalize = { has = "vec", call = function(of, a) return each(plain["/"], a, of.keep(length(of, a))) end }

methods.distance = { has = "vec", takes = "same", call = function(of, a, b)
  local between = each(plain["-"], a, b)
  for k = 1, a.kind.count do between[k] = of.keep(between[k]) end
  return length(of, between)
end }

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

--- Checks the argument of a method: nil, or what is wrong. `given`: it is a value of several numbers or one number.
function operations.refused(method, kind, argument)
  local wanted = method.takes == "same" and kind.name or method.takes
  if not wanted then return nil end
  local found = kind_of(argument)
  if not found or found.name ~= wanted then return ("%s; wanted a %s"):format(called(argument), wanted) end
end

return operations
