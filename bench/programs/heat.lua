--- The loop in which laziness could cost more than it saves: a heat equation that is written in place by `assign`,
--- boundaries that are written between, temporaries of the old state that are reduced after it was overwritten, and a
--- collector that never runs. With operators that defer and with operators evaluated at once: time a step, launches a
--- step, memory.
--
-- usage: luajit bench/programs/heat.lua [n] [steps]        ($MOONARRAY_DEVICE picks the device)
-- Evaluated at once and without a collector each step keeps a dozen arrays of n x n float32: mind n and steps.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local core = require "moonarray.core"
local ma = require "moonarray"

local n = tonumber(arg and arg[1]) or 512
local steps = tonumber(arg and arg[2]) or 100
local MB = 2 ^ 20
local set_fusion = rawget(ma, "set_fusion")

local function new_plate()
  local x = ma.linspace(0, 1, n, { dtype = "float32" })
  return ma.sin(x * 9) * ma.sin(x:reshape(n, 1) * 7)
end

local function laplacian(u)
  return u["1:-3, 2:-2"] + u["3:, 2:-2"] + u["2:-2, 1:-3"] + u["2:-2, 3:"] - u["2:-2, 2:-2"] * 4
end

local function boundaries(u)
  u[1], u[-1] = 0, 0
  u[":, 1"], u[":, -1"] = 0, 0
end

local loops = {
  { "assign", function(u)                              -- the interior from itself
    local inside = u["2:-2, 2:-2"]
    inside:assign(inside + laplacian(u) * 0.2)
  end },
  { "assign, edges", function(u)
    local inside = u["2:-2, 2:-2"]
    inside:assign(inside + laplacian(u) * 0.2)
    boundaries(u)
  end },
  { "whole assign", function(u)                        -- all of the array: new memory in place of the old
    u:assign(u + ma.sin(u) * 0.01 - u * 0.001)
  end },
  { "sum before", function(u, k)                       -- a reduction of a temporary that the assignment takes too
    local flow = laplacian(u)
    local moved = (flow * flow):sum()
    u["2:-2, 2:-2"]:iadd(flow * 0.2)
    boundaries(u)
    if k % 10 == 0 then return moved:item() end
  end },
  { "sum behind", function(u, k)                       -- a temporary of the old state, read when it was overwritten
    local flow = laplacian(u)
    u["2:-2, 2:-2"]:iadd(flow * 0.2)
    boundaries(u)
    if k % 10 == 0 then return ma.absolute(flow):max():item() end
  end },
  { "unread", function(u)                              -- temporaries that nobody reads, of every step
    local inside = u["2:-2, 2:-2"]
    local flow = laplacian(u)
    local _, _ = ma.sqrt(flow * flow + 1), ma.exp(flow)
    inside:assign(inside + flow * 0.2)
    boundaries(u)
  end },
}

local function measure(step, stopped)
  local u = new_plate()
  for k = 1, 5 do step(u, k) end
  ma.synchronize()
  collectgarbage()
  collectgarbage()
  local before = core.pool(true)
  if stopped then collectgarbage("stop") end
  local launches = core.work()
  local start = ma.time()
  for k = 1, steps do step(u, k) end
  local host = ma.time() - start
  ma.synchronize()
  local time = ma.time() - start
  local after = core.work()
  local now, _, peak = core.pool()
  if stopped then collectgarbage("restart") end
  local bytes = u:tobytes()
  collectgarbage()
  return { time = time / steps * 1e3, host = host / steps * 1e6, launches = (after - launches) / steps,
    left = (now - before) / MB,
    peak = (peak - before) / MB, bytes = bytes }
end

local modes = set_fusion and { { "deferred", true }, { "at once", false } } or { { "at once", false } }
print(("%d x %d float32 on %s, %d steps"):format(n, n, ma.zeros(1).device, steps))
print(("%-14s %-10s %-9s %10s %12s %10s %10s %10s"):format("loop", "operators", "collector", "ms a step", "us of host",
  "launches", "MB left", "MB, most"))
for _, loop in ipairs(loops) do
  for _, collector in ipairs { "runs", "stopped" } do
    local results = {}
    for k, mode in ipairs(modes) do
      if set_fusion then set_fusion(mode[2]) end
      -- until nothing more is compiled in the background
      local before, compiled
      repeat
        before = compiled
        measure(loop[2], false)
        compiled = select(2, core.background(true))
      until compiled == before
      local r = measure(loop[2], collector == "stopped")
      results[k] = r
      print(("%-14s %-10s %-9s %10.4f %12.2f %10.2f %10.1f %10.1f"):format(loop[1], mode[1], collector, r.time, r.host,
        r.launches, r.left, r.peak))
    end
    assert(not results[2] or results[1].bytes == results[2].bytes, "the results differ")
  end
end
