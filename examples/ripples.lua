-- Rain on a pond, as a film: ripples.gif. usage: luajit examples/ripples.lua [FILE.gif]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"                           -- the GPU if there is one, else the CPU

local rows, columns = 130, 300
local y = ma.arange(rows):reshape(rows, 1)               -- a column; with a row it spans the pond
local x = ma.arange(columns)
local wave = ma.stencil(function(u, before)              -- the next height at one place
  local pull = u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)
  return u(0, 0) + 0.998 * (u(0, 0) - before(0, 0)) + 0.25 * pull, u(0, 0)
end, { out = 2, boundary = "mirror" })

local rain = ma.random.default_rng(3)
local height = ma.zeros({ rows, columns })
local before = height
local film = ma.image.animation(arg and arg[1] or "ripples.gif",
  { delay = 0.08, colormap = "coolwarm", min = -0.2, max = 0.2 })
for frame = 1, 62 do
  if frame % 5 == 1 then                                 -- a drop
    local drop = ma.exp(-((x - rain:random() * columns) ^ 2 + (y - rain:random() * rows) ^ 2) / 20)
    height, before = height - drop, before - drop
  end
  height, before = wave:run(height, before, { steps = 4 })
  if frame > 30 then film:add(height:round(2)) end
end
print(film:close() .. " pictures")
