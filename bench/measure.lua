--- Measures the keys of one table, bench/keys/TABLE.lua, on one device in a process of its own, and prints
--- `key value peak-bytes` lines.
--
-- usage: MOONARRAY_DEVICE=cuda|cpu luajit bench/measure.lua TABLE [divisor] [pattern]
--   TABLE     basic, fields, groups, rows or sparse
--   divisor   makes the large arrays so many times smaller: a trial of the script, no measurement
--   pattern   only the keys that it matches
--
-- A table is a chunk that gets what stands at the end of this file. It calls `record(key, measure, f, ...)` for each of
-- its keys, where `measure` is `host` (microseconds of the calling thread for one call on small arrays), `events`
-- (milliseconds between two events of the stream), `wall` (milliseconds) or `least` (the same, the least of many
-- rounds); the others give the median. Each call of ours ends in eval(), so that a deferred result counts.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"
local core = require "moonarray.core"

local keys, divisor, pattern = arg[1] or "basic", tonumber(arg[2]) or 1, arg[3]
local device = ma.zeros(1).device
local on_gpu = device ~= "cpu"
local clock, time_device = ma.time, core.time_device

local function sync() ma.zeros(1):get() end

-- The method, or nothing to do where results are never deferred.
local has_eval = pcall(function() return ma.zeros(1).eval end)
local function eval(x) return has_eval and x:eval() or x end

local function median(list)
  table.sort(list)
  return list[math.floor(#list / 2) + 1]
end

-- Results of a GPU's call may lie on the host.
local pools = on_gpu and { ma.get_default_memory_pool(), ma.get_default_memory_pool("cpu") }
  or { ma.get_default_memory_pool() }
local function bytes(what)
  local sum = 0
  for _, pool in ipairs(pools) do sum = sum + pool[what](pool) end
  return sum
end

--- Calls `f` until nothing more is compiled in the background for it, and until the collector gives back garbage
--- without the pools having grown since it did so before: memory that the driver or the system has just given is slow
--- to write at first. `f` may leave no garbage, or take long.
local function settle(f)
  local _, before, after
  repeat
    _, before = core.background(true)
    for _ = 1, 3 do f() end
    sync()
    _, after = core.background(true)
  until after == before
  local start, still, held = clock(), 0, nil
  for _ = 1, 200 do
    local used = bytes("used_bytes")
    f()
    local change, total = bytes("used_bytes") - used, bytes("total_bytes")
    if change < 0 then
      if held == total then break end
      held = total
    end
    still = change == 0 and still + 1 or 0
    if still == 5 or clock() - start > 2 then break end
  end
  sync()
end

--- Forgets what LuaJIT compiled for other keys, and that it gave up: each key has traces of its own, as a script's loop
--- has. Else a call is reached through the traces of all calls that the loop made before.
local function compile_anew(measure, f)
  jit.flush()
  jit.on(measure, true)
  jit.on(f, true)
end

--- Prints the time of `measure(f)` and the most bytes that one call needs beside what is held already.
local function record(key, measure, f, ...)
  if pattern and not key:find(pattern) then return end
  compile_anew(measure, f)
  pcall(settle, f)
  local ok, value = pcall(measure, f, ...)
  if not ok then
    print(key .. " - " .. tostring(value):gsub("\n.*", ""))
    return
  end
  collectgarbage()
  collectgarbage()
  local before = core.pool(true)
  pcall(f)
  local _, _, peak = core.pool(true)
  print(("%s %.6g %.0f"):format(key, value, peak - before))
  io.stdout:flush()
end

local function host(f, n, repeats)
  n, repeats = n or 3000, repeats or 15
  for _ = 1, 200 do f() end
  sync()
  local times = {}
  for k = 1, repeats do
    local start = clock()
    for _ = 1, n do f() end
    times[k] = (clock() - start) / n * 1e6
    sync()
  end
  return median(times)
end

local function events(f, n, warm)
  for _ = 1, warm or 3 do f() end
  local times = {}
  for k = 1, n or 15 do times[k] = time_device(f) end
  return median(times)
end

local function wall(f, n, warm)
  for _ = 1, warm or 2 do f() end
  local times = {}
  for k = 1, n or 7 do
    local start = clock()
    f()
    core.flush("it is measured")                        -- what a call that makes several arrays left for later
    times[k] = (clock() - start) * 1e3
  end
  return median(times)
end

--- The least of many rounds over a quarter of a second, of as many calls each as take a millisecond: where the machine
--- is shared, the median tells of the others.
local function least(f)
  local calls = 1
  local function round()
    local start = clock()
    for _ = 1, calls do f() end
    core.flush("it is measured")
    return (clock() - start) * 1e3
  end
  round()
  while round() < 1 do calls = calls * 4 end
  local best, finish, rounds = math.huge, clock() + 0.25, 0
  while clock() < finish or rounds < 5 do
    best, rounds = math.min(best, round() / calls), rounds + 1
  end
  return best
end

-- Uniform numbers in [0, 1), made on the device from whole numbers: no generator is needed, no value repeats soon.
local function spread(n)
  local x = ma.arange(n)
  x = ma.remainder(ma.multiply(x, 40503), 65536)
  return x:astype("float32") / 65536
end

--- What a table of keys works with. `prefix` stands before the names of its keys.
local given = { divisor = divisor, pattern = pattern, device = device, on_gpu = on_gpu, eval = eval, sync = sync,
  record = record, host = host, events = events, wall = wall, least = least, spread = spread,
  prefix = on_gpu and "dev." or "cpu." }

local folder = arg[0]:match("^(.*)/[^/]*$") or "."
assert(loadfile(folder .. "/keys/" .. keys .. ".lua"))(given)
