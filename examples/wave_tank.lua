-- A wave tank seen from above: a straight wave meets a wall with two gaps, and behind them the waves interfere. Each
-- step is one call of a stencil.
-- usage: luajit examples/wave_tank.lua [n] [steps] [picture.png]

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
local ma = require "moonarray"

local n = tonumber(arg[1]) or 512
local steps = tonumber(arg[2]) or math.floor(1.15 * n)
local path = arg[3]

local y = ma.range(1, n):astype("float32"):reshape(n, 1)
local x = ma.range(1, n):astype("float32"):reshape(1, n)

local along = ma.abs(x - n / 2):le(n / 100 + 1)
local gaps = ma.minimum(ma.abs(y - n * 0.4), ma.abs(y - n * 0.6)):lt(n / 40)
local wall = ma.logical_and(along, ma.logical_not(gaps))

-- The square of the waves' speed in cells a step: 0 in the wall. Near the edges waves fade, so that none comes back.
local speed = ma.where(wall, 0, 0.25):astype("float32")
local edge = ma.minimum(ma.minimum(x, n + 1 - x), ma.minimum(y, n + 1 - y))
local keep = (1 - 0.1 * ma.clip(1 - edge / (n / 12), 0, 1) ^ 2):astype("float32")

local wave = ma.stencil(function(u, before, c, k)
  local here = u(0, 0)
  local curvature = u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * here
  return k(0, 0) * (here + k(0, 0) * (here - before(0, 0)) + c(0, 0) * curvature)
end, { boundary = "nearest" })

-- Crests that move to the right by half a cell a step: what they were a step ago lies half a cell to the left.
local function crests(shift)
  local place = x + shift - n / 4
  local height = ma.exp(-(place / (n / 10)) ^ 2) * ma.cos(place * (2 * math.pi / (n / 22)))
  return (height + ma.zeros({ n, 1 }, "float32")):astype("float32"):copy()
end

local u, before, after = crests(0), crests(0.5), ma.empty({ n, n }, "float32")
local start = ma.sum(u ^ 2):item()
local options = {}
for _ = 1, steps do
  options.out = after
  wave(u, before, speed, keep, options)
  before, u, after = u, after, before
end

local behind = ma.sum(u[{ {}, { math.floor(0.55 * n), n } }] ^ 2):item() / start
print(("%d x %d on %s, %d steps: %.1f %% of the wave's square is behind the wall"):format(n, n, u.device, steps,
  100 * behind))

if path then
  local t = ma.clip(u / (3 * ma.std(u)), -1, 1)                      -- troughs are blue, crests orange
  local colours = ma.stack({ ma.clip(0.1 + t, 0, 1), 0.1 + 0.6 * ma.abs(t), ma.clip(0.1 - t, 0, 1) }, 3)
  colours = ma.where(ma.expand_dims(wall, 3), 0.6, colours)
  ma.image.write(path, ma.rint(ma.clip(colours, 0, 1) * 255):astype("uint8"))
  print("see " .. path)
end
