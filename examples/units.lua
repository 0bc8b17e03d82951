-- Two armies in an engine's own memory, an FFI array of C structs: array code over their fields, and kernels in Lua
-- over the structs.
-- usage: luajit examples/units.lua [units on each side] [steps]

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"
local ffi = require "ffi"
local jit = ma.jit

local N, STEPS = tonumber(arg and arg[1]) or 200, tonumber(arg and arg[2]) or 60

ffi.cdef [[
typedef struct {
  float x, y, vx, vy;
  int32_t hp;
  uint8_t side;
  void *sprite;              /* of the engine; no kernel looks at it */
} unit_t;
typedef struct { float reach; int32_t damage; float dt; } rules_t;
]]

local unit = ma.struct("unit_t", { { "x", "float32" }, { "y", "float32" }, { "vx", "float32" }, { "vy", "float32" },
  { "hp", "int32" }, { "side", "uint8" } })

-- The engine's units: the first half marches to the right, the second to the left.
local own = ffi.new("unit_t[?]", 2 * N)
for i = 0, 2 * N - 1 do
  local u, right = own[i], i >= N
  u.x, u.y = (right and 12 or 0) + i % 5, math.floor(i % N / 5) * 0.5
  u.vx, u.hp, u.side = right and -1 or 1, 20, right and 1 or 0
end

-- Moves one unit; those that have fallen stay where they are.
local move = jit.elementwisekernel(function(u, dt)
  if u.hp > 0 then u.x, u.y = u.x + u.vx * dt, u.y + u.vy * dt end
end)

-- Each unit strikes the nearest enemy within reach. Blows are counted apart, so that their order does not matter.
local strike = jit.rawkernel(function(units, blows, rules)
  local i = jit.grid(1)
  if i > #units then return end
  local u, nearest, best = units[i], 0, rules.reach * rules.reach
  if u.hp <= 0 then return end
  for j = 1, #units do
    local other = units[j]
    local dx, dy = other.x - u.x, other.y - u.y
    local d = dx * dx + dy * dy
    if other.side ~= u.side and other.hp > 0 and d < best then nearest, best = j, d end
  end
  if nearest > 0 then
    jit.atomic_add(blows, nearest, rules.damage)
    u.vx = 0                                     -- it stands and fights
  end
end, { name = "strike" })

-- On the CPU the array lies over the engine's structs; a GPU gets a copy, which comes back at the end.
local units = ma.frombuffer(own, nil, unit, { device = ma.device() })
local rules = ffi.new("rules_t", 1.5, 3, 0.1)
local blows = ma.zeros(2 * N, "int32")
for _ = 1, STEPS do
  move(units, rules.dt)
  blows:fill(0)
  strike(math.ceil(2 * N / 128), 128, { units, blows, rules })
  units.hp:isub(blows)
end

local function standing(side) return (units.hp:gt(0) * units.side:eq(side)):sum():item() end
print(("%d structs of %d bytes on %s, %d steps: %d and %d stand"):format(#units, unit.itemsize, units.device, STEPS,
  standing(0), standing(1)))
local weakest = units[units.hp:argmin():item()]
print(("the weakest has %d points at (%.1f, %.1f)"):format(weakest.hp, weakest.x, weakest.y))

ma.frombuffer(own, nil, unit):assign(units)      -- nothing to do on the CPU
local alive = 0
for i = 0, 2 * N - 1 do alive = alive + (own[i].hp > 0 and 1 or 0) end
print(("the engine counts %d"):format(alive))
