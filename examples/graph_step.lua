-- A step of a simulation as a graph: waves on a square membrane, a dozen small kernels a step that cost more to launch
-- than to run. The same steps are launched one by one and replayed by graph, and both end in the same bits.
-- usage: luajit examples/graph_step.lua [n] [steps]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local n = tonumber(arg and arg[1]) or 128
local steps = tonumber(arg and arg[2]) or 500

-- Height and speed of the membrane, whose rim stays at 0; a drop has fallen in.
local function membrane()
  local r = (ma.arange(n, "float32") - n / 3) / (n / 16)
  local drop = ma.exp(-(r * r))
  local height = drop:reshape(n, 1) * drop:reshape(1, n)
  return { height = height, speed = ma.zeros({ n, n }, "float32") }
end

-- One step. All that the next one needs is written in place: a graph replays the same operations on the same memory.
local function step(m)
  local h, v = m.height, m.speed
  local inside = h["2:-2, 2:-2"]
  local pull = h["1:-3, 2:-2"] + h["3:-1, 2:-2"] + h["2:-2, 1:-3"] + h["2:-2, 3:-1"] - inside * 4
  local moving = v["2:-2, 2:-2"]
  moving:assign((moving + pull * 0.25) * 0.999)
  inside:assign(inside + moving)
  return (h * h):sum() + (v * v):sum()
end

local function time(fn)
  local start, stop = ma.Event(), ma.Event()
  local before = ma.time()
  start:record()
  for _ = 1, steps do fn() end
  stop:record()
  local host = ma.time() - before
  stop:synchronize()
  return ma.get_elapsed_time(start, stop) / steps * 1e3, host / steps * 1e6
end

local plain = membrane()
step(plain)                                          -- the first compiles what is to compile
local plain_device, plain_host = time(function() step(plain) end)

local replayed = membrane()
local graph = ma.cuda.graph(step, replayed)          -- runs the step once, then records it
local graph_device, graph_host = time(graph)
local graph_energy = graph()                         -- one more, for what it returns
local energy = step(plain)

print(("%d x %d on %s, %d steps"):format(n, n, plain.height.device, steps))
print(("%-10s %12s %16s"):format("", "us a step", "us of the host"))
print(("%-10s %12.2f %16.2f"):format("launched", plain_device, plain_host))
print(("%-10s %12.2f %16.2f"):format("graph", graph_device, graph_host))
assert(ma.array_equal(plain.height, replayed.height) and ma.array_equal(plain.speed, replayed.speed),
  "the membranes differ")
assert(energy:item() == graph_energy:item(), "the energies differ")
print(("equal after %d steps, energy %.6g"):format(steps + 2, energy:item()))
