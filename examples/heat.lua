-- Heat in a plate on a grid, in plain operators: an uneven conductivity, a source, a loss to the air, and an edge whose
-- temperature swings. The plate is updated in place, and one reduction of a temporary is read now and then.
-- usage: luajit examples/heat.lua [n] [steps] [picture.png]      (examples/cupy/heat.py is the same in CuPy)

-- also from a checkout that is not installed
package.path = "./lua/?.lua;./lua/?/init.lua;./examples/?.lua;" .. package.path
local ma = require "moonarray"

local function start(n)
  local x = ma.linspace(0, 1, n, { dtype = "float32" })
  local y = x:reshape(n, 1)
  local conductivity = 0.15 + 0.1 * ma.sin(x * 40) * ma.sin(y * 30)
  local source = 0.5 * ma.exp(-((x - 0.6) ^ 2 + (y - 0.5) ^ 2) * 200)
  return { u = ma.zeros({ n, n }, "float32"), k = conductivity["2:-2, 2:-2"]:copy(), q = source["2:-2, 2:-2"]:copy(),
    t = 0 }
end

local function step(s)
  local u = s.u
  s.t = s.t + 1
  u[1] = 50 + 50 * math.sin(s.t / 40)
  local inside = u["2:-2, 2:-2"]
  local flow = u["1:-3, 2:-2"] + u["3:, 2:-2"] + u["2:-2, 1:-3"] + u["2:-2, 3:"] - inside * 4
  inside:assign(inside + flow * s.k + s.q - (inside - 10) * 0.0005)
end

require "simulation" ({
  name = "heat", n = 256, start = start, step = step, keys = { "u" },
  picture = function(s) return s.u / 100 end,
}, arg)
