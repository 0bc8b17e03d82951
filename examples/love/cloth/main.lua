-- A cloth that hangs by its upper corners. What it does follows from its energy alone: the forces are the derivative,
-- by ma.grad. The mouse pulls at it, and space lets go of a corner.

local ma = require "moonarray"

local ROWS, COLUMNS, CELL = 20, 28, 14                -- points, and the length of a thread in pixels
local STIFF, PULL, GRAVITY, LOSS = 9000, 400, 900, 0.6
local SUBSTEPS = 6

local position, velocity, cloth, mesh, free, holds
local held, mouse, shader

-- Squares of two colours, darker where threads lean.
local code = [[
  vec4 effect(vec4 color, Image image, vec2 at, vec2 screen) {
    vec2 square = floor(at * vec2(14.0, 10.0));
    float odd = mod(square.x + square.y, 2.0);
    float lean = length(vec2(dFdx(at.x), dFdy(at.y))) * 380.0;
    vec3 colour = mix(vec3(0.85, 0.25, 0.2), vec3(0.95, 0.85, 0.7), odd);
    return vec4(colour * clamp(0.35 + 0.5 * lean, 0.3, 1.1), 1.0);
  }
]]

--- The energy of threads between two views of the points, of that length.
local function threads(a, b, length)
  local d = a - b
  return ((ma.sqrt((d * d):sum(3)) - length) ^ 2):sum() * (STIFF / 2)
end

local function energy(p)
  local across = threads(p[":, 2:, :"], p[":, :-2, :"], CELL)
  local down = threads(p["2:, :, :"], p[":-2, :, :"], CELL)
  local slanted = threads(p["2:, 2:, :"], p[":-2, :-2, :"], CELL * math.sqrt(2))
    + threads(p["2:, :-2, :"], p[":-2, 2:, :"], CELL * math.sqrt(2))
  local sum = across + down + slanted * 0.2 - p[":, :, 2"]:sum() * GRAVITY
  if held then sum = sum + ((p[held] - mouse) ^ 2):sum() * (PULL * 10) end
  return sum
end

local slope = ma.grad(energy)

local function step(dt)
  velocity:iadd(slope(position) * -dt)
  velocity:imul(free * math.exp(-LOSS * dt))
  position:iadd(velocity * dt)
end

--- The cells as triangles.
local function corners()
  local map = {}
  for y = 1, ROWS - 1 do
    for x = 1, COLUMNS - 1 do
      local k = (y - 1) * COLUMNS + x
      for _, at in ipairs { k, k + 1, k + COLUMNS, k + 1, k + COLUMNS + 1, k + COLUMNS } do map[#map + 1] = at end
    end
  end
  return map
end

local function hang()
  holds = { true, true }
  free:fill(1)
  free["1, 1"], free[{ 1, COLUMNS }] = 0, 0
end

function love.load()
  local x, y = ma.arange(COLUMNS, "float32"), ma.arange(ROWS, "float32"):reshape(ROWS, 1)
  local shape = { ROWS, COLUMNS }
  position = ma.stack({ ma.broadcast_to(x * CELL, shape) + 211, ma.broadcast_to(y * CELL, shape) + 60 }, 3)
  velocity, free = ma.zeros_like(position), ma.ones_like(position)
  hang()
  mesh = love.graphics.newMesh(ROWS * COLUMNS, "triangles", "stream")
  mesh:setVertexMap(corners())
  cloth = ma.love.vertices(mesh)
  cloth.VertexTexCoord:assign(ma.stack({ ma.broadcast_to(x / (COLUMNS - 1), shape),
    ma.broadcast_to(y / (ROWS - 1), shape) }, 3):reshape(ROWS * COLUMNS, 2))
  shader = love.graphics.newShader(code)
end

--- The point that the mouse has, as a key: the nearest one when the button went down.
local function take_hold()
  if not love.mouse.isDown(1) then
    held = nil
    return
  end
  mouse = ma.array({ love.mouse.getPosition() }, "float32")
  if held then return end
  local d = position - mouse
  local k = (d * d):sum(3):argmin():item() - 1
  held = { math.floor(k / COLUMNS) + 1, k % COLUMNS + 1, {} }
end

function love.update(dt)
  ma.scope(function()
    take_hold()
    for _ = 1, SUBSTEPS do step(math.min(dt, 1 / 30) / SUBSTEPS) end
    cloth.VertexPosition:assign(position:reshape(ROWS * COLUMNS, 2))
  end)
  cloth:upload()
end

function love.draw()
  love.graphics.clear(0.1, 0.12, 0.16)
  love.graphics.setShader(shader)
  love.graphics.draw(mesh)
  love.graphics.setShader()
  love.graphics.print(("%d threads   %d frames a second on %s"):format(4 * ROWS * COLUMNS, love.timer.getFPS(),
    position.device), 8, 8)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
  if key ~= "space" then return end
  if holds[1] then
    holds[1] = false
    free["1, 1"] = 1
  else
    hang()
  end
end
