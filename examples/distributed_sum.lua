-- The integral of a function of six variables by 2^22 random points, divided over the ranks. Each block of points has a
-- generator of its own, and the blocks' sums are added in the order of blocks: so the points and the result are the
-- same bits, whatever the number of ranks.
--
--     luajit examples/distributed_sum.lua
--     mpirun -np 2 luajit examples/distributed_sum.lua

local ma = require "moonarray"

local D = ma.distributed
local world = D.init()

local BLOCKS, POINTS, VARIABLES, SEED = 64, 2 ^ 16, 6, 42

--- The sum of f over the points of one block, and of its square.
local function block(k)
  local x = ma.random.default_rng(SEED + k):random({ POINTS, VARIABLES })
  local f = ma.exp(-(x * x):sum(2))
  return f:sum(), (f * f):sum()
end

-- rank r has the blocks first .. last
local first = math.floor(BLOCKS * world.rank / world.size) + 1
local last = math.floor(BLOCKS * (world.rank + 1) / world.size)
local mine = ma.zeros({ last - first + 1, 2 })
for k = first, last do
  local sum, squares = block(k)
  mine[{ k - first + 1, 1 }], mine[{ k - first + 1, 2 }] = sum, squares
end

local sizes = {}
for r = 0, world.size - 1 do
  sizes[r + 1] = math.floor(BLOCKS * (r + 1) / world.size) - math.floor(BLOCKS * r / world.size)
end
local all = D.gather(mine, 0, { sizes = sizes })          -- (blocks, 2), the same whatever the number of ranks
if world.rank == 0 then
  local n = BLOCKS * POINTS
  local mean, square = all[":, 1"]:sum():item() / n, all[":, 2"]:sum():item() / n
  local exact = (math.sqrt(math.pi) / 2 * ma.special.erf(1)) ^ VARIABLES
  print(("%.17g +- %.1g, exactly %.17g"):format(mean, math.sqrt((square - mean ^ 2) / n), exact))
end
