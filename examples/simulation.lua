-- What examples/heat.lua, nbody.lua and reaction_diffusion.lua share: a simulation is run with operators that defer and
-- with operators that are evaluated at once; both must end in the same bits. Printed are times, kernels, launches and
-- memory.

local core = require "moonarray.core"
local ma = require "moonarray"

local MB = 2 ^ 20
local set_fusion = rawget(ma, "set_fusion")

--- The bytes of the arrays that are compared.
local function bytes_of(state, names)
  local parts = {}
  for k, name in ipairs(names) do parts[k] = state[name]:tobytes() end
  return table.concat(parts)
end

--- `steps` steps of a fresh state. Ten of them first, by which time every array that the loop needs has been made.
local function run(simulation, n, steps, want_picture)
  local state = simulation.start(n)
  for _ = 1, 10 do simulation.step(state) end
  ma.synchronize()
  collectgarbage()
  local early = core.pool(true)
  local launches, _, kernels = core.work()
  local start = ma.time()
  for _ = 11, steps do simulation.step(state) end
  local host = ma.time() - start
  ma.synchronize()
  local time = ma.time() - start
  local launches_after, _, kernels_after = core.work()
  collectgarbage()
  local late, _, peak = core.pool()
  local turns = math.max(1, steps - 10)
  return {
    bytes = bytes_of(state, simulation.keys), device = state[simulation.keys[1]].device, picture = want_picture
    and simulation.picture(state):get(),
    time = time / turns * 1e3, host = host / turns * 1e3, launches = (launches_after - launches) / turns,
    late_kernels = kernels_after - kernels, early = early / MB, late = late / MB, peak = peak / MB,
  }
end

--- Steps until nothing more is compiled in the background.
local function settle(simulation, n)
  local state = simulation.start(n)
  local _, before, after
  repeat
    _, before = core.background(true)
    for _ = 1, 3 do simulation.step(state) end
    ma.synchronize()
    _, after = core.background(true)
  until after == before
end

--- Colours of values from 0 to 1: black, red, yellow, white.
local function colours(t)
  t = ma.clip(t, 0, 1) * 3
  return ma.stack({ ma.clip(t, 0, 1), ma.clip(t - 1, 0, 1), ma.clip(t - 2, 0, 1) }, 3) * 255
end

--- simulation: name, start(n) -> state, step(state), keys (the state's arrays that are compared), picture(state) ->
--- values from 0 to 1
return function(simulation, arguments)
  local n = tonumber(arguments and arguments[1]) or simulation.n
  local steps = tonumber(arguments and arguments[2]) or 1000
  local out = arguments and arguments[3]
  local results = {}
  if set_fusion then
    set_fusion(true)
    results[1] = { "first run", run(simulation, n, steps) }       -- kernels are compiled meanwhile
    settle(simulation, n)
    results[2] = { "deferred", run(simulation, n, steps) }
    set_fusion(false)
  end
  results[#results + 1] = { "at once", run(simulation, n, steps, out) }
  if set_fusion then set_fusion(true) end

  print(("%s, n = %d, on %s, %d steps"):format(simulation.name, n, results[1][2].device, steps))
  print(("%-10s %10s %10s %10s %12s %14s %12s %10s"):format("", "ms a step", "of host", "launches", "new kernels",
    "MB, 10 steps", "MB at end", "MB, most"))
  for _, result in ipairs(results) do
    local r = result[2]
    print(("%-10s %10.4f %10.4f %10.2f %12d %14.1f %12.1f %10.1f"):format(result[1], r.time, r.host, r.launches,
      r.late_kernels, r.early, r.late, r.peak))
  end
  local _, compiled, kernels = core.work()
  print(("kernels in all: %d, of them compiled now: %d"):format(kernels, compiled))
  local last = results[#results][2]
  if #results > 1 then
    assert(results[1][2].bytes == last.bytes and results[2][2].bytes == last.bytes, "the results differ")
    print(("equal bits; %.2f times as fast deferred"):format(last.time / results[2][2].time))
  end
  if out then
    ma.image.write(out, ma.rint(colours(last.picture)):astype("uint8"))
    print("see " .. out)
  end
end
