--- Measures sorts of the CPU on the mix that decides which of their ways stay: sorted, random, few-valued and skewed
--- data of four dtypes, at 100, 10^4 and 10^6 elements and in 10^4 rows of 16. Prints `key milliseconds` lines, the
--- least of many rounds: `key` is what.data.dtype.size.
--
-- usage: MOONARRAY_DEVICE=cpu luajit bench/programs/sorts.lua [seconds a key] [pattern] > FILE
--        luajit bench/programs/sorts.lua compare BEFORE AFTER
-- The latter prints times of the second over the first: geometric means of each part, and the worst.

local function read(name)
  local times = {}
  for line in assert(io.open(name)):lines() do
    local key, time = line:match("^(%S+) (%S+)$")
    if key then times[key] = math.min(times[key] or math.huge, tonumber(time)) end
  end
  return times
end

--- A file may be several runs, one behind the other: the least of each key counts.
local function compare(before, after)
  local sums, counts, worst = {}, {}, {}
  for key, time in pairs(after) do
    if before[key] then
      local ratio = time / before[key]
      worst[#worst + 1] = { ratio, key }
      local parts = { "all" }
      for part in key:gmatch("[^.]+") do parts[#parts + 1] = part end
      parts[#parts + 1] = parts[2] .. " " .. parts[#parts]
      parts[#parts + 1] = parts[2] .. " " .. parts[3]
      for _, part in ipairs(parts) do
        sums[part], counts[part] = (sums[part] or 0) + math.log(ratio), (counts[part] or 0) + 1
      end
    end
  end
  local names = {}
  for name in pairs(sums) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do print(("%-24s %.2f"):format(name, math.exp(sums[name] / counts[name]))) end
  table.sort(worst, function(a, b) return a[1] > b[1] end)
  for k = 1, math.min(20, #worst) do print(("%5.2f %s"):format(worst[k][1], worst[k][2])) end
end

if arg[1] == "compare" then return compare(read(arg[2]), read(arg[3])) end

local ma = require "moonarray"
local seconds, pattern = tonumber(arg[1]) or 0.1, arg[2]
local rng = ma.random.default_rng(7)

local function least(f)
  local calls = 1
  local function round()
    local start = ma.time()
    for _ = 1, calls do f() end
    return (ma.time() - start) * 1e3
  end
  round()
  while round() < 1 and calls < 4096 do calls = calls * 4 end
  local best, finish, rounds = math.huge, ma.time() + seconds, 0
  while ma.time() < finish or rounds < 3 do
    best, rounds = math.min(best, round() / calls), rounds + 1
    if rounds % 8 == 0 then collectgarbage() end
  end
  return best
end

local dtypes = { "int32", "int64", "float32", "float64" }
local kinds = {
  random = function(u) return u * 2 ^ 31 - 2 ^ 30 end,
  sorted = function(u) return ma.sort(u * 2 ^ 31 - 2 ^ 30, -1) end,
  few = function(u) return ma.floor(u * 40) * 2 end,
  skewed = function(u) return u ^ 12 * 2 ^ 31 end,
}
local sizes = { { "100", { 100 } }, { "10k", { 10000 } }, { "1M", { 1000000 } }, { "rows", { 10000, 16 } } }
local calls = {
  sort = function(a) return ma.sort(a) end,
  argsort = function(a) return ma.argsort(a) end,
  partition = function(a, n) return ma.partition(a, n) end,
  argpartition = function(a, n) return ma.argpartition(a, n) end,
  median = function(a) return ma.median(a, -1) end,
}

for _, what in ipairs { "sort", "argsort", "partition", "argpartition", "median" } do
  for _, kind in ipairs { "random", "sorted", "few", "skewed" } do
    for _, dtype in ipairs(dtypes) do
      for _, size in ipairs(sizes) do
        local key = ("%s.%s.%s.%s"):format(what, kind, dtype, size[1])
        if not pattern or key:find(pattern) then
          local a = ma.eval(kinds[kind](rng:random(size[2], "float64")):astype(dtype))
          local middle = math.floor(a.shape[a.ndim] / 2) + 1
          local call = calls[what]
          print(("%s %.6g"):format(key, least(function() call(a, middle) end)))
        end
      end
    end
  end
end
