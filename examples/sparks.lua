-- Particles that fall, and emit others where they reach the ground. The kernel that moves them appends the new ones to
-- lists, whose counts stay on the device, so that no step waits for it.
-- usage: luajit examples/sparks.lua [steps]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"
local jit = ma.jit

local MOST, DT, GRAVITY = 4096, 0.02, -9.8
local names = { "x", "y", "vx", "vy" }

--- A generation of particles: a list for each field.
local function generation()
  local lists = {}
  for _, name in ipairs(names) do lists[name] = ma.list(MOST, "float32") end
  return lists
end

-- One thread a particle: those that fly on are appended, and one that hits the ground fast enough becomes three.
local step = jit.rawkernel(function(x, y, vx, vy, nx, ny, nvx, nvy)
  local i = jit.grid(1)
  if i > #x then return end
  local function emit(px, py, pvx, pvy)
    jit.append(nx, px)
    jit.append(ny, py)
    jit.append(nvx, pvx)
    jit.append(nvy, pvy)
  end
  local speed = vy[i] + GRAVITY * DT
  local px, py = x[i] + vx[i] * DT, y[i] + speed * DT
  if py > 0 then
    emit(px, py, vx[i], speed)
  elseif speed < -2 then
    for k = -1, 1 do emit(px, -py, vx[i] + k, -0.5 * speed) end
  end
end, { name = "step" })

local now, later = generation(), generation()

-- The first ones are appended by a kernel too.
jit.rawkernel(function(x, y, vx, vy, n)
  local i = jit.grid(1)
  if i > n then return end
  jit.append(x, i / n)
  jit.append(y, 1 + i % 7 / 7)
  jit.append(vx, 0)
  jit.append(vy, 0)
end)(1, 64, { now.x, now.y, now.vx, now.vy, 50 })

local steps = tonumber(arg and arg[1]) or 100
for k = 1, steps do
  for _, name in ipairs(names) do later[name]:clear() end
  step(MOST / 128, 128, { now.x, now.y, now.vx, now.vy, later.x, later.y, later.vx, later.vy })
  now, later = later, now
  if k % 25 == 0 or k == steps then
    local height = now.y:array()
    print(("step %3d: %4d particles, the highest at %.3f"):format(k, height.size,
      height.size > 0 and height:max():item() or 0))
  end
end
