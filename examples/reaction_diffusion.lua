-- Two substances that react and diffuse (Gray and Scott), in plain operators: spots grow, divide and fill the plane.
-- usage: luajit examples/reaction_diffusion.lua [n] [steps] [picture.png]      (examples/cupy/reaction_diffusion.py is
--                                                                              the same in CuPy)

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;./examples/?.lua;" .. package.path
local ma = require "moonarray"

local FEED, KILL = 0.037, 0.06

local function start(n)
  local u, v = ma.ones({ n, n }, "float32"), ma.zeros({ n, n }, "float32")
  for k = 1, 20 do                                      -- drops, always in the same places
    local row, column = 2 + k * 7919 % (n - 10), 2 + k * 104729 % (n - 10)
    u[{ { row, row + 7 }, { column, column + 7 } }] = 0.5
    v[{ { row, row + 7 }, { column, column + 7 } }] = 0.25
  end
  return { u = u, v = v }
end

local function laplacian(a)
  return a["1:-3, 2:-2"] + a["3:, 2:-2"] + a["2:-2, 1:-3"] + a["2:-2, 3:"] - a["2:-2, 2:-2"] * 4
end

local function step(s)
  local u, v = s.u["2:-2, 2:-2"], s.v["2:-2, 2:-2"]
  local reaction = u * v * v
  local du = laplacian(s.u) * 0.21 - reaction + (1 - u) * FEED
  local dv = laplacian(s.v) * 0.105 + reaction - v * (FEED + KILL)
  u:iadd(du)
  v:iadd(dv)
end

require "simulation" ({
  name = "reaction-diffusion", n = 256, start = start, step = step, keys = { "u", "v" },
  picture = function(s) return s.v * 2.5 end,
}, arg)
