--- Values of several numbers in code for one element: their kinds, and the names of their components.
---
--- A kind has `name`, `family`, `count` (of components) and `extents`: one, or those of a matrix, whose components are
--- in the order of its rows. The operations of operations.lua take vectors as plain lists of components with the field
--- `kind`, whatever a component is: a number, an element, or C++ text.

local sformat = require("moonarray.text").format

local kinds = {}

local letters = { vec = { "xyzw", "rgba" }, quat = { "xyzw" }, mat = {} }

local function add(family, name, count, extents)
  kinds[name] = { name = name, family = family, count = count, extents = extents, letters = letters[family] }
end

for n = 2, 4 do
  add("vec", "vec" .. n, n, { n })
  add("mat", "mat" .. n, n * n, { n, n })
end
add("quat", "quat", 4, { 4 })

--- The kind of a vector of n components.
local function of_count(n) return kinds["vec" .. n] end

--- Where a number in brackets leads: a component, or those of a row of a matrix. Nil and what was wanted, if nowhere.
local function numbered(kind, key)
  local most = kind.extents[1]
  if key < 1 or key > most or key ~= math.floor(key) then
    local what = kind.extents[2] and "row" or "component"
    return nil, sformat("%s %.14g of a %s; wanted 1 to %d", what, key, kind.name, most)
  end
  if not kind.extents[2] then return { key } end
  local list = {}
  for k = 1, most do list[k] = (key - 1) * most + k end
  return list
end

--- Where the letters of a field's name lead, as a list of components; nil if it names none.
local function places(kind, key)
  if type(key) ~= "string" or #key > 4 then return nil end
  for _, set in ipairs(kind.letters) do
    local list = {}
    for k = 1, #key do
      local place = set:find(key:sub(k, k), 1, true)
      if not place or place > kind.count then break end
      list[k] = place
    end
    if #key > 0 and #list == #key then return list end
  end
end

--- The names of a kind's fields, for an error.
local function fields(kind)
  if kind.family == "mat" then return ("the rows m[1] to m[%d]"):format(kind.extents[1]) end
  local sets = {}
  for k, set in ipairs(kind.letters) do sets[k] = set:sub(1, kind.count):gsub(".", "%0, "):sub(1, -3) end
  return table.concat(sets, ", as colours ") .. ", and several of them, as in v.xy"
end

--- Whether a list of components that are assigned to has one twice.
local function repeats(list)
  local seen = {}
  for _, place in ipairs(list) do
    if seen[place] then return true end
    seen[place] = true
  end
  return false
end

local most = { vec = ", or one for all of them", mat = ", or one for its diagonal", quat = "" }

--- Spreads what a constructor is given: a list of components for a kind, or nil and what is wrong. `parts(v)` gives
--- the components of a vector, nil of another value. `zero` is the number 0.
local function spread(kind, given, n, parts, zero)
  local list = { kind = kind }
  for k = 1, n do
    local inner = parts(given[k])
    if inner then
      for j = 1, #inner do list[#list + 1] = inner[j] end
    else
      list[#list + 1] = given[k]
    end
  end
  if #list == 1 and n == 1 and kind.family ~= "quat" then
    for k = 2, kind.count do
      list[k] = (kind.family == "vec" or (k - 1) % (kind.extents[1] + 1) == 0) and list[1] or zero
    end
  end
  if #list ~= kind.count then
    return nil, ("%d number%s; wanted %d%s"):format(#list, #list == 1 and "" or "s", kind.count, most[kind.family])
  end
  return list
end

return { named = kinds, of_count = of_count, numbered = numbered, places = places, fields = fields, repeats = repeats,
  spread = spread }
