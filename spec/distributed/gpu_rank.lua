--- A program for ranks with a GPU each: 2^28 elements (a pretended GPU: 2^16), NCCL in a graph, and a rank that does
--- not come.

local ma = require "moonarray"

local D = ma.distributed
D.init { timeout = 60 }
local rank, size = D.rank(), D.size()
local function say(...) if rank == 0 then print(string.format(...)) end end

local many = os.getenv "PRETEND_DEVICES" and 2 ^ 16 or 2 ^ 28
local big = ma.full(many, rank + 1, "float32")
D.all_reduce(big, { out = big })
assert(ma.all(big:eq(size * (size + 1) / 2)))
say("%d float32: right", many)

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

-- ==== A rank that does not come ====
local both = D.split(0)
local z = ma.ones(10)
local again = ma.cuda.graph(function() both:all_reduce(z, { out = z, timeout = 2 }) end)
again()
D.barrier()
if rank == 0 then
  local begun = ma.time()
  local ok, why = pcall(function()
    again()
    return z:sum():item()
  end)
  print(("alone in a graph: %s after %.1f s: %s"):format(ok and "NO ERROR" or "an error", ma.time() - begun,
    tostring(why)))
else
  ma.sleep(5)
end
D.barrier()

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
