-- Bodies that attract each other, in plain operators: all pairs of n bodies are n x n arrays, which exist as arithmetic
-- only.
-- usage: luajit examples/nbody.lua [n] [steps] [picture.png]      (examples/cupy/nbody.py is the same in CuPy)

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;./examples/?.lua;" .. package.path
local ma = require "moonarray"

local DT, SOFT = 1e-3, 1e-3

local function start(n)
  local angle = ma.arange(n, "float32") * 2.399963          -- a disc, turning
  local radius = ma.sqrt((ma.arange(n, "float32") + 0.5) / n)
  local x, y = radius * ma.cos(angle), radius * ma.sin(angle)
  local height = 0.05 * ma.sin(angle * 7)
  return { x = x, y = y, z = height, vx = -y * 0.8, vy = x * 0.8, vz = ma.zeros(n, "float32"),
    m = ma.full(n, 1 / n, "float32") }
end

local function step(s)
  -- from each body (rows) to each other
  local dx, dy, dz = s.x - s.x[":, _"], s.y - s.y[":, _"], s.z - s.z[":, _"]
  local squared = dx * dx + dy * dy + dz * dz + SOFT
  local pull = s.m / (squared * ma.sqrt(squared))
  s.vx:iadd((dx * pull):sum(2) * DT)
  s.vy:iadd((dy * pull):sum(2) * DT)
  s.vz:iadd((dz * pull):sum(2) * DT)
  s.x:iadd(s.vx * DT)
  s.y:iadd(s.vy * DT)
  s.z:iadd(s.vz * DT)
end

--- How many bodies are in each cell of a grid.
local function density(s)
  local cells = 256
  local function cell(a) return ma.clip(ma.floor((a + 1.5) * (cells / 3)), 0, cells - 1):astype("int64") end
  local count = ma.zeros(cells * cells, "int64")
  count:iadd_at(cell(s.y) * cells + cell(s.x) + 1, 1)
  return ma.sqrt(count:reshape(cells, cells):astype("float32")) / 2
end

require "simulation" ({
  name = "n-body", n = 256, start = start, step = step, keys = { "x", "y", "z", "vx", "vy", "vz" }, picture = density,
}, arg)
