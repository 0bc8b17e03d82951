--- A program for ranks with a GPU each: 2^28 elements, NCCL in a graph, a rank that does not come, and what calls cost.

local ma = require "moonarray"

local D = ma.distributed
D.init { timeout = 60 }
local rank, size = D.rank(), D.size()
local function say(...) if rank == 0 then print(string.format(...)) end end

local big = ma.full(2 ^ 28, rank + 1, "float32")
D.all_reduce(big, { out = big })
assert(ma.all(big:eq(size * (size + 1) / 2)))
say("2^28 float32: right")

-- ==== In a graph ====
local x, y = ma.full(1000, rank + 1, "float32"), ma.zeros(1000, "float32")
local step = ma.cuda.graph(function()
  D.all_reduce(x * 2, { out = y })
  x:assign(x + 1)
end)
for k = 1, 3 do
  step()
  assert(ma.all(y:eq(2 * (size * (size + 1) / 2 + k * size))), "graph " .. k)
end
say("a graph: right")

-- ==== Time ====
local function seconds(repeats, fn)
  local best = math.huge
  for _ = 1, 7 do
    ma.synchronize()
    D.barrier()
    local begun = ma.time()
    for _ = 1, repeats do fn() end
    ma.synchronize()
    best = math.min(best, (ma.time() - begun) / repeats)
  end
  return best
end

for _, n in ipairs { 2, 1024, 2 ^ 20, 2 ^ 28 } do
  local a = ma.zeros(n, "float32")
  local time = seconds(n > 2 ^ 24 and 5 or 200, function() D.all_reduce(a, { out = a }) end)
  say("all_reduce of %d float32: %.1f us, %.1f GB/s (algorithm)", n, time * 1e6, n * 4 / time / 1e9)
end

-- ==== A rank that does not come ====
if rank == 0 then
  local begun = ma.time()
  local ok, why = pcall(function()
    local got = D.all_reduce(ma.ones(10), { timeout = 2 })
    return got:sum():item()
  end)
  print(("alone in a call: %s after %.1f s: %s"):format(ok and "NO ERROR" or "an error", ma.time() - begun,
    tostring(why)))
else
  ma.sleep(5)
end
