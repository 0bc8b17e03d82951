-- What was tuned stands in src/tuning.def: finds numbers elsewhere that look as if they were tuned.
-- usage: luajit scripts/tuning.lua      prints "N rows, N numbers beside them", or each one that is wrong.
--
-- A number is a #define, an enum constant or a static const of src and kernels. It counts as tuned if one of the words
-- below is a part of its name: such names say when a way begins to pay, or how much is done at once. `apart` has those
-- that are called so for another reason. A number in a call of ma_cpu_parallel is one too: what a thread is worth.

local files = dofile("scripts/files.lua")
local words = {}
for word in ([[AFTER AHEAD ALONE BATCH CHUNK FAR FEW FEWEST FROM GRAIN KEEP LARGE MANY NEAR ORDERED PIECE PIECES SHORT
  SHORTEST SLOW SMALL SPIN SPINS TERMS TOGETHER TURN TURNED WORTH]]):gmatch("%a+")
do words[word] = true end

-- By path: the names, and why they stay.
local apart = dofile("scripts/tuning_apart.lua")

local rows, nrow, used = {}, 0, {}
for line in io.lines("src/tuning.def") do
  local name = line:match("^TUNE%((%u[%u%d_]*),")
  if name then
    rows[name] = true
    nrow = nrow + 1
  end
end

local function looks_tuned(name)
  for word in name:gmatch("%w+") do
    for part in word:gmatch("[^_]+") do
      if words[part] then return true end
    end
  end
  return false
end

--- The name of a number that the line defines, or nil.
local function number_of(line)
  local name, value = line:match("^%s*#%s*define%s+([%u][%u%d_]*)%s+(.+)")
  if not name then name, value = line:match("^%s*static const [%w_]+ ([%w_]+) = (.+);") end
  if not name then name, value = line:match("^%s*enum {%s*([%u][%u%d_]*) = ([^,}]+)}") end
  return name and value:match("^%(*[%a_]*%)?%(?%-?%d") and name:upper() or nil
end

local wrong, beside, excused = {}, 0, {}
local sources = "find src kernels -name '*.[ch]' -o -name '*.cuh' -o -name '*.loops' | sort"
for _, path in ipairs(files.lines(sources)) do
  local k = 0
  for line in io.lines(path) do
    k = k + 1
    for name in line:gmatch("TUNE_([%u%d_]+)") do used[name] = true end
    local name = number_of(line)
    if name then
      beside = beside + 1
      local names = apart[path]
      if type(names) == "table" and names[name] then excused[path .. name] = true
      elseif looks_tuned(name) and type(names) ~= "string" then
        wrong[#wrong + 1] = ("%s:%d looks tuned, and is no row of src/tuning.def: %s"):format(path, k, line)
      end
    end
    if line:match("ma_cpu_parallel%([^;]*[^%w_.]%d%d+[^%w_]") and type(apart[path]) ~= "string" then
      wrong[#wrong + 1] = ("%s:%d says by a number what a thread is worth: %s"):format(path, k, line)
    end
  end
end
for name in pairs(rows) do
  if not used[name] then wrong[#wrong + 1] = "src/tuning.def: nobody reads " .. name end
end
for path, names in pairs(apart) do
  for name in pairs(type(names) == "table" and names or {}) do
    if not excused[path .. name] then
      wrong[#wrong + 1] = ("scripts/tuning_apart.lua: %s has no %s"):format(path, name)
    end
  end
end
assert(nrow > 0, "no rows")
if #wrong > 0 then
  table.sort(wrong)
  print(table.concat(wrong, "\n"))
  os.exit(1)
end
print(("%d rows, %d numbers beside them"):format(nrow, beside))
