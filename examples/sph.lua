-- Water falls over in a tank, as particles that carry a part of it each (smoothed particle hydrodynamics). In each step
-- a grid finds who is near to whom, one kernel in Lua computes densities, another forces. Printed are density and
-- energy; a second run ends in the same bits, and so does one on the CPU where the first was on a GPU.
-- usage: luajit examples/sph.lua [particles] [steps] [picture.png]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"

local wanted = tonumber(arg and arg[1]) or 4000
local steps = tonumber(arg and arg[2]) or 2000
local path = arg and arg[3]

-- A column of water, 0.5 wide and 1 high, stands in a tank of width 2 and height 1.2. Gravity is 1, the density of
-- water 1, and sound has ten times the speed that water reaches as it falls.
local WIDTH, HEIGHT = 2, 1.2
local SPACING = math.sqrt(0.5 / wanted)
local COLUMNS, ROWS = math.floor(0.5 / SPACING), math.floor(1 / SPACING)
local N = COLUMNS * ROWS
local REACH = 2.5 * SPACING            -- of a particle
local SOUND = 10 * math.sqrt(2)
local STIFF = SOUND ^ 2 / 2            -- pressure is STIFF * (density ^ 2 - 1), and 0 where water is thinner
local DT = 0.2 * REACH / SOUND
local VISCOSITY = 0.02

-- Wendland's weight of a particle at a distance of q * REACH, and what of its slope depends on q.
local function weight(q) return 7 / math.pi / REACH ^ 2 * (1 - q) ^ 4 * (1 + 4 * q) end

-- The mass with which the particles of a whole plane, which lie on a lattice, have density 1.
local sum = 0
for i = -3, 3 do
  for j = -3, 3 do
    local q = math.sqrt(i * i + j * j) * SPACING / REACH
    if q < 1 then sum = sum + weight(q) end
  end
end
local MASS = 1 / sum
local WEIGHT, SLOPE = MASS * 7 / math.pi / REACH ^ 2, -MASS * 140 / math.pi / REACH ^ 4

local densities = ma.jit.rawkernel(function(grid, p, density)
  local k = jit.grid(1)
  if k > grid.n then return end
  local i, all = grid:point(k), ma.float32(0)
  for _, dx, dy in grid:near(p[i], REACH) do
    local q = math.sqrt(dx * dx + dy * dy) / REACH
    local rest = 1 - q
    all = all + rest * rest * rest * rest * (1 + 4 * q)
  end
  density[i] = WEIGHT * all
end)

-- A particle's velocity by the pressure and the friction of those that are near, and its next place. It moves where no
-- other thread reads: places are those of the grid.
local move = ma.jit.rawkernel(function(grid, p, v, density, next_v)
  local k = jit.grid(1)
  if k > grid.n then return end
  local i, ax, ay = grid:point(k), ma.float32(0), ma.float32(-1)
  local here, vx, vy = density[i], v[{ i, 1 }], v[{ i, 2 }]
  local push = math.max(STIFF * (here * here - 1), 0) / (here * here)
  for j, dx, dy in grid:near(p[i], REACH) do
    local square, there = dx * dx + dy * dy, density[j]
    local rest = 1 - math.sqrt(square) / REACH
    local slope = SLOPE * rest * rest * rest
    local force = push + math.max(STIFF * (there * there - 1), 0) / (there * there)
    local closing = (v[{ j, 1 }] - vx) * dx + (v[{ j, 2 }] - vy) * dy
    if closing < 0 then
      force = force - VISCOSITY * SOUND * REACH * closing / (square + 0.01 * REACH * REACH) * 2 / (here + there)
    end
    ax, ay = ax + force * slope * dx, ay + force * slope * dy
  end
  vx, vy = vx + DT * ax, vy + DT * ay
  local x, y = p[{ i, 1 }] + DT * vx, p[{ i, 2 }] + DT * vy
  if x < 0 or x > WIDTH then x, vx = (x < 0 and 0 or 2 * WIDTH) - x, -vx end           -- the walls throw it back
  if y < 0 or y > HEIGHT then y, vy = (y < 0 and 0 or 2 * HEIGHT) - y, -vy end
  p[{ i, 1 }], p[{ i, 2 }], next_v[{ i, 1 }], next_v[{ i, 2 }] = x, y, vx, vy
end)

-- The energies of motion, of height and of pressure.
local function energies(p, v, density)
  return MASS / 2 * (v * v):sum():item(), MASS * p[":, 2"]:sum():item(),
    MASS * STIFF * ma.where(density:gt(1), density + 1 / density - 2, 0):sum():item()
end

local function run(show)
  local at = ma.arange(N)
  local p = ma.stack({ (at % COLUMNS + 0.5) * SPACING, (ma.floor(at / COLUMNS) + 0.5) * SPACING }, 2):astype "float32"
  local v, next_v, density = ma.zeros({ N, 2 }, "float32"), ma.zeros({ N, 2 }, "float32"), ma.ones(N, "float32")
  local grid = ma.spatial.HashGrid({ 0, 0 }, { WIDTH, HEIGHT }, REACH)
  local block = 128
  local blocks = math.ceil(N / block)
  for step = 0, steps do
    grid:build(p)
    densities(blocks, block, { grid, p, density })
    if show and step % math.max(1, math.floor(steps / 5)) == 0 then
      local motion, height, pressure = energies(p, v, density)
      show(step, density, motion, height, pressure)
    end
    if step < steps then
      move(blocks, block, { grid, p, v, density, next_v })
      v, next_v = next_v, v
    end
  end
  return p, v, density
end

print(("%d particles in a tank on %s"):format(N, ma.zeros(1).device))
print(("%5s %8s %10s %10s %10s %10s %10s"):format("step", "time", "density", "motion", "height", "pressure", "all"))
local first, last, densest = nil, nil, 0
local p, v, density = run(function(step, now, motion, height, pressure)
  last, densest = motion + height + pressure, math.max(densest, now:max():item())
  first = first or last
  print(("%5d %8.3f %10.4f %10.5f %10.5f %10.5f %10.5f"):format(step, step * DT, now:mean():item(), motion, height,
    pressure, last))
end)
assert(last <= first, "energy comes from nowhere")
assert(densest < 1.1, "water is pressed together")
print(("at most %.3f times as dense, %.1f %% of the energy went into friction"):format(densest,
  100 * (1 - last / first)))

local function same_as(q, w, other)
  return ma.array_equal(p:get(), q:get()) and ma.array_equal(v:get(), w:get())
    and ma.array_equal(density:get(), other:get())
end
assert(same_as(run()), "a second run differs")
local on_cpu = p.device ~= "cpu"
if on_cpu then assert(same_as(ma.device("cpu"):with(run)), "the CPU differs") end
print("the same bits in a second run" .. (on_cpu and ", and on the CPU" or ""))

-- Each particle as a square of its own size, the lighter the faster.
if path then
  local scale = 400
  local wide, high = WIDTH * scale, HEIGHT * scale
  local speed = ma.clip(ma.sqrt((v * v):sum(2)) / 1.2, 0, 1)
  local colours = ma.stack({ 0.1 + 0.8 * speed, 0.35 + 0.6 * speed, 0.75 + 0.25 * speed }, 2)
  local picture = ma.full({ high * wide, 3 }, 0.08, "float32")
  local reach = math.ceil(SPACING * scale / 2)
  for i = -reach, reach do
    for j = -reach, reach do
      local x = ma.clip(ma.floor(p[":, 1"] * scale) + i, 0, wide - 1)
      local y = ma.clip(high - 1 - ma.floor(p[":, 2"] * scale) + j, 0, high - 1)
      picture[(y * wide + x + 1):astype "int64"] = colours
    end
  end
  ma.image.write(path, ma.rint(picture:reshape(high, wide, 3) * 255):astype "uint8")
  print("see " .. path)
end
