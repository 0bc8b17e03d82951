-- Planets around a sun, in a kernel in Lua over vectors: each step turns positions and velocities of three numbers into
-- new ones. Then the plane of the orbits is turned by a quaternion, and what is left of the energy is printed.
-- usage: luajit examples/orbits.lua [steps]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"
local vec3, rotation = ma.jit.vec3, ma.jit.rotation

local steps = tonumber(arg[1]) or 1000
local PLANETS, DT = 5, 0.002

--- Leapfrog: half a kick, a drift, half a kick.
local step = ma.jit.elementwisekernel(function(p, v)
  local function pull(at) return -at / at:length() ^ 3 end
  v = v + pull(p) * (DT / 2)
  p = p + v * DT
  return p, v + pull(p) * (DT / 2)
end, { in_params = "vec3 p, vec3 v", out_params = "vec3 q, vec3 w", name = "step" })

local turn = ma.jit.elementwisekernel(function(p, angle)
  return rotation(vec3(1, 0, 0), angle):rotate(p)
end, { in_params = "vec3 p, float64 angle", out_params = "vec3 q", name = "turn" })

local energy = ma.jit.reductionkernel {
  map = function(p, v) return v:dot(v) / 2 - 1 / p:length() end,
  reduce = function(a, b) return a + b end,
  in_params = "vec3 p, vec3 v",
}

-- Circles of growing radius, each planet at its own angle.
local radius, angle = ma.linspace(0.5, 2, PLANETS), ma.arange(PLANETS) * 1.3
local speed = 1 / ma.sqrt(radius)
local p = ma.stack({ radius * ma.cos(angle), radius * ma.sin(angle), radius * 0 }, 2)
local v = ma.stack({ -speed * ma.sin(angle), speed * ma.cos(angle), radius * 0 }, 2)

local before = energy(p, v):item()
for _ = 1, steps do step(p, v, { out = { p, v } }) end
print(("energy %.9f, and %.9f after %d steps"):format(before, energy(p, v):item(), steps))
print("distances", (p ^ 2):sum(2):sqrt():round(3))
print("seen from the side", turn(p, math.pi / 2):round(3))
