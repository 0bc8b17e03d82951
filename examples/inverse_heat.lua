-- Where was the heat? A plate was hot in a few places, and the heat has spread. From the temperatures afterwards, which
-- are known with an error, the first ones are looked for: those from which the same spreading leads to what was
-- measured. The derivative of the misfit by the first temperatures flows back through all steps (docs/grad.md).
-- usage: luajit examples/inverse_heat.lua [n] [steps] [picture.png]
-- The picture shows the plate at first, what was measured, and what was found.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local n, steps, path = tonumber(arg and arg[1]) or 48, tonumber(arg and arg[2]) or 40, arg and arg[3]

local spread = ma.stencil(function(u)
  return u(0, 0) + 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0))
end, { boundary = "nearest" })

local function later(first)
  return (ma.iterate(steps, function(u) return spread(u) end, first))
end

--- A ring, a bar and a spot.
local function make()
  local x = ma.linspace(-1, 1, n)
  local y = x:reshape(n, 1)
  local ring = ma.abs(ma.hypot(x + 0.4, y + 0.35) - 0.32):lt(0.08)
  local bar = ma.abs(x - 0.5):lt(0.1) * ma.abs(y + 0.2):lt(0.5)
  local spot = ma.hypot(x - 0.1, y - 0.6):lt(0.16)
  return ma.where(ring + bar + spot, 1, 0):astype("float64")
end

local truth = make()
local measured = later(truth) + 0.002 * ma.random.default_rng(4):standard_normal({ n, n })

--- How far a guess is from what was measured. The second part keeps errors of the measurement from being blown up: it
--- is the length of all edges of the plate, more or less.
local function misfit(u)
  local down, right = u["2:, :"] - u[":-2, :"], u[":, 2:"] - u[":, :-2"]
  local edges = ma.sqrt(down ^ 2 + 1e-4):sum() + ma.sqrt(right ^ 2 + 1e-4):sum()
  return ((later(u) - measured) ^ 2):sum() + 1e-4 * edges
end

local function distance(u) return ma.sqrt(((u - truth) ^ 2):mean()):item() end

local found = measured:copy()
local descend = ma.optim.lbfgs(found, { history = 20 })
local start = ma.time()
print(("%d x %d, %d steps, on %s"):format(n, n, steps, found.device))
print(("search %3d: misfit %8.5f, %.4f from the truth"):format(0, misfit(found):item(), distance(found)))
for k = 1, 60 do
  local value, done = ma.scope(function() return descend:step(misfit) end)
  if k % 15 == 0 or done then
    print(("search %3d: misfit %8.5f, %.4f from the truth"):format(k, value, distance(found)))
  end
  if done then break end
end
print(("%.1f s"):format(ma.time() - start))

if path then
  local gap = ma.zeros({ n, 2 })
  local sheet = ma.concatenate({ truth, gap, measured, gap, found }, 2)
  local colours = ma.image.to_rgba8(sheet, { colormap = "inferno", min = 0, max = 1.1 })
  ma.image.write(path, ma.image.resize(colours, { 5 * n, 5 * (3 * n + 4) }, { smooth = false }))
  print("see " .. path)
end
