--- The frames of a game that computes 256 x 256 cells: how long the median, one in a hundred, the worst and the first
--- frame take, by several ways to write the same. docs/frames.md has the figures.
--
-- usage: luajit bench/programs/budget.lua [frames [size]]
--
-- On the CPU it runs on one thread and counts that thread's processor time, which other programs do not lengthen; on a
-- GPU it counts the time until the frame's results are there.

local ffi = require "ffi"
ffi.cdef [[
int setenv(const char *name, const char *value, int replace);
struct budget_time { long s, ns; };
int clock_gettime(int clock, struct budget_time *time);
]]
ffi.C.setenv("MOONARRAY_NUM_THREADS", "1", 0)
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local frames, n = tonumber(arg[1]) or 600, tonumber(arg[2]) or 256
local on_gpu = ma.zeros(1).device ~= "cpu"
local MONOTONIC, THREAD = 1, 3
local time = ffi.new("struct budget_time")

local function now()
  ffi.C.clock_gettime(on_gpu and MONOTONIC or THREAD, time)
  return tonumber(time.s) * 1e3 + tonumber(time.ns) * 1e-6
end

local function measure(name, make)
  collectgarbage()
  collectgarbage()
  local frame = make()
  local times = {}
  for k = 1, frames do
    local start = now()
    frame()
    if on_gpu then ma.synchronize() end
    times[k] = now() - start
  end
  local first = table.remove(times, 1)
  table.sort(times)
  print(("%-46s %7.2f %7.2f %7.2f %7.2f"):format(name, times[math.ceil(#times / 2)], times[math.ceil(#times * 0.99)],
    times[#times], first))
end

local function field() return ma.random.rand(n, n):astype("float32") end

--- Diffusion by operators: four shifted views, and temporaries for what lies between.
local function by_operators(u)
  local p = ma.pad(u, 1, "wrap")
  return u + 0.2 * (p["1:-3, 2:-2"] + p["3:, 2:-2"] + p["2:-2, 1:-3"] + p["2:-2, 3:"] - 4 * u)
end

local function by_stencil()
  return ma.stencil(function(u)
    return u(0, 0) + 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0))
  end, { boundary = "wrap" })
end

--- Tables that stay, as a game has them: about 100 bytes for each.
local function heap(count)
  local list = {}
  for k = 1, count do list[k] = { x = k, y = k } end
  return list
end

print(("%d frames of %d x %d float32 on %s, ms"):format(frames, n, n, ma.zeros(1).device))
print(("%-46s %7s %7s %7s %7s"):format("", "median", "99 %", "worst", "first"))

measure("operators; the collector frees", function()
  local u = field()
  return function() u = by_operators(u):eval() end
end)
measure("operators in ma.scope", function()
  local u = field()
  return function() ma.scope(function() u:assign(by_operators(u)) end) end
end)
measure("a stencil; the collector frees", function()
  local u, step = field(), by_stencil()
  return function() u = step(u) end
end)
measure("a stencil in ma.scope", function()
  local u, step = field(), by_stencil()
  return function() ma.scope(function() u:assign(step(u)) end) end
end)
measure("a stencil with out", function()
  local u, v, step = field(), field(), by_stencil()
  return function()
    step(u, { out = v })
    u, v = v, u
  end
end)
local kept = heap(200000)
measure("operators; beside 200000 tables of the game", function()
  local u = field()
  return function() u = by_operators(u):eval() end
end)
measure("operators in ma.scope beside them", function()
  local u = field()
  return function() ma.scope(function() u:assign(by_operators(u)) end) end
end)
measure("and collectgarbage() in each frame", function()
  local u = field()
  return function()
    ma.scope(function() u:assign(by_operators(u)) end)
    collectgarbage()
  end
end)
kept[1] = nil
measure("colours by ma.image.to_rgba8", function()
  local u = field()
  return function() ma.scope(function() ma.image.to_rgba8(u, { min = 0, max = 1 }):eval() end) end
end)
