--- Values of several numbers in code for one element: their kinds, and the names of their components.
---
--- A kind has `name`, `count` (of components) and `family`. The operations of operations.lua take vectors as plain
--- lists of components with the field `kind`, whatever a component is: a number, an element, or C++ text.

local kinds = {}

local letters = { "xyzw", "rgba" }

local function add(family, name, count)
  kinds[name] = { name = name, family = family, count = count }
end

for n = 2, 4 do add("vec", "vec" .. n, n) end

--- The kind of a vector of n components.
local function of_count(n) return kinds["vec" .. n] end

--- Where the letters of a field's name lead, as a list of components; nil if it names none.
local function places(kind, key)
  if type(key) ~= "string" or #key > 4 then return nil end
  for _, set in ipairs(letters) do
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
  local text = letters[1]:sub(1, kind.count):gsub(".", "%0, "):sub(1, -3)
  local other = letters[2]:sub(1, kind.count):gsub(".", "%0, "):sub(1, -3)
  return ("%s, as colours %s, and several of them, as in v.xy"):format(text, other)
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

--- Spreads what a constructor is given: a list of components for a kind, or nil and what is wrong. `parts(v)` gives
--- the components of a vector, nil of another value.
local function spread(kind, given, n, parts)
  local list = { kind = kind }
  for k = 1, n do
    local inner = parts(given[k])
    if inner then
      for j = 1, #inner do list[#list + 1] = inner[j] end
    else
      list[#list + 1] = given[k]
    end
  end
  if #list == 1 and n == 1 then
    for k = 2, kind.count do list[k] = list[1] end
  end
  if #list ~= kind.count then
    return nil, ("%d number%s; wanted %d, or one for all of them"):format(#list, #list == 1 and "" or "s", kind.count)
  end
  return list
end

return { named = kinds, of_count = of_count, places = places, fields = fields, repeats = repeats, spread = spread }
