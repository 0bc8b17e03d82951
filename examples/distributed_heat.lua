-- Heat in a plate whose rows are divided among several processes. Each step, neighbours exchange a row while they
-- compute their own. The result has the bits of one process, which rank 0 checks where the plate is small.
-- usage: mpirun -np 2 luajit examples/distributed_heat.lua [n] [steps] [picture.png]

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local D = ma.distributed
D.init()
local n, steps, path = tonumber(arg[1]) or 512, tonumber(arg[2]) or 500, arg[3]
local CHECKED = 1024          -- a plate up to this size is checked

local function rule(u) return u(0, 0) + 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)) end

--- Three hot discs, at the given rows of the plate.
local function start(first, last)
  local y = (ma.arange(first, last + 1, "float32") / n):reshape(-1, 1)
  local x = ma.arange(1, n + 1, "float32") / n
  local u = ma.zeros({ last - first + 1, n }, "float32")
  for _, disc in ipairs { { 0.3, 0.3, 0.1 }, { 0.5, 0.7, 0.15 }, { 0.8, 0.4, 0.05 } } do
    u = ma.where(((y - disc[1]) ^ 2 + (x - disc[2]) ^ 2):lt(disc[3] ^ 2), 100, u)
  end
  return u:astype "float32"
end

local function seconds(fn)
  ma.synchronize()
  D.barrier()
  local begun = ma.time()
  fn()
  ma.synchronize()
  D.barrier()
  return ma.time() - begun
end

local u = D.zeros({ n, n }, { dtype = "float32" })
u.part:assign(start(u.first, u.last))
local heat = D.stencil(rule, { boundary = "nearest" })
local before = u:sum({ dtype = "float64" }):item()
heat:run(u, { steps = 20 })                      -- what is compiled, is compiled now
local result
local time = seconds(function() result = heat:run(u, { steps = steps }) end)
local after, hottest = result:sum({ dtype = "float64" }):item(), result:max():item()

local whole = (n <= CHECKED or path) and result:gather(0)
if D.rank() == 0 then
  print(("%d x %d on %d ranks, device %s: %.1f steps per second"):format(n, n, D.size(), result.device, steps / time))
  print(("heat before %.3f, after %.3f; the hottest place has %.3f"):format(before, after, hottest))
  if n <= CHECKED then
    local one = ma.stencil(rule, { boundary = "nearest" }):run(start(1, n), { steps = steps })
    print(ma.array_equal(one, whole) and "the bits of one rank" or "NOT the bits of one rank")
  end
  if path then
    ma.image.write(path, ma.image.to_rgba8(whole, { colormap = "inferno", min = 0, max = 100 }))
    print("wrote " .. path)
  end
end
