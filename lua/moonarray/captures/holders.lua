--- Where a function finds what it takes from outside: a place is a holder and a key. A function as a holder has its
--- upvalues by their numbers, and a table its fields. Sets of places have the keys by holders.

local holders = {}

function holders.put(set, holder, key)
  set[holder] = set[holder] or {}
  set[holder][key] = true
end

function holders.has(set, holder, key) return set[holder] ~= nil and set[holder][key] == true end

--- A set that keeps no holder alive.
function holders.weak_set() return setmetatable({}, { __mode = "k" }) end

--- The table that has a field which another one gives.
function holders.holder_of(object, key)
  for _ = 1, 100 do
    if type(object) ~= "table" or rawget(object, key) ~= nil then return object end
    local meta = debug.getmetatable(object)
    object = type(meta) == "table" and rawget(meta, "__index")
  end
end

--- What is at a place.
function holders.value(holder, key)
  if type(holder) ~= "function" then return rawget(holder, key) end
  local _, found = debug.getupvalue(holder, key)
  return found
end

--- Whether a number is another one than before. -0 is not 0.
function holders.differ(now, before) return now ~= before or 1 / now ~= 1 / before end

return holders
