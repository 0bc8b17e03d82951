-- A flock: each boid keeps away from those that are close, and flies where those that are near are and fly. The left
-- mouse button attracts them, the right one scares them.

local ma = require "moonarray"

local N, WIDTH, HEIGHT = 500, 800, 600
local NEAR, CLOSE, SLOW, FAST = 50, 16, 90, 180       -- pixels, pixels a second

local position, velocity, flock, boid, shader

-- Draws the boid's triangle once for each position, turned by its heading. LÖVE gives each instance its own.
local code = [[
  attribute vec2 BoidPosition;
  attribute vec2 BoidVelocity;
  varying float heading;

  vec4 position(mat4 transform_projection, vec4 vertex) {
    vec2 ahead = normalize(BoidVelocity);
    heading = atan(ahead.y, ahead.x);
    vertex.xy = BoidPosition + vertex.x * ahead + vertex.y * vec2(-ahead.y, ahead.x);
    return transform_projection * vertex;
  }
]]
local pixel_code = [[
  varying float heading;

  vec4 effect(vec4 color, Image image, vec2 at, vec2 screen) {
    return vec4(0.65 + 0.35 * cos(heading + vec3(0.0, 2.1, 4.2)), 1.0);
  }
]]

function love.load()
  ma.random.seed(7)
  position = ma.random.rand(N, 2):astype("float32") * ma.array({ WIDTH, HEIGHT }, "float32")
  local angle = ma.random.rand(N):astype("float32") * (2 * math.pi)
  velocity = ma.stack({ ma.cos(angle), ma.sin(angle) }, 2) * FAST

  -- Arrays over the vertices of a mesh that has one vertex for each boid.
  local each = love.graphics.newMesh({ { "BoidPosition", "float", 2 }, { "BoidVelocity", "float", 2 } }, N, "points",
    "stream")
  flock = ma.love.vertices(each, { device = position.device })
  boid = love.graphics.newMesh({ { 7, 0 }, { -5, 4 }, { -3, 0 }, { -5, -4 } }, "fan", "static")
  boid:attachAttribute("BoidPosition", each, "perinstance")
  boid:attachAttribute("BoidVelocity", each, "perinstance")
  shader = love.graphics.newShader(pixel_code, code)
end

--- The shortest way from a to b on an axis whose ends meet.
local function way(a, b, length)
  local d = b - a
  return d - length * ma.rint(d / length)
end

--- How the flock changes its velocity in a second: (N, 2).
local function steer()
  local x, y = position[":, 1"], position[":, 2"]
  local dx = way(x:reshape(N, 1), x:reshape(1, N), WIDTH)       -- (N, N): from each to each
  local dy = way(y:reshape(N, 1), y:reshape(1, N), HEIGHT)
  local square = dx * dx + dy * dy
  local near = square:lt(NEAR ^ 2):astype("float32")
  local close = square:lt(CLOSE ^ 2) / (square + 1)
  local count = near:sum(2)
  local function rule(d, v)
    local together = (near * d):sum(2) / count
    local along = (near * v:reshape(1, N)):sum(2) / count - v
    local apart = (close * d):sum(2)
    return 1.5 * together + 2.5 * along - 400 * apart
  end
  return ma.stack({ rule(dx, velocity[":, 1"]), rule(dy, velocity[":, 2"]) }, 2)
end

--- Towards the mouse, or away from it.
local function follow()
  local left, right = love.mouse.isDown(1), love.mouse.isDown(2)
  if not left and not right then return 0 end
  local to = ma.array({ { love.mouse.getPosition() } }, "float32") - position
  local distance = ma.sqrt((to * to):sum(2, { keepdims = true })) + 1
  return to / distance * (left and 400 or -900) * distance:lt(250)
end

local function step(dt)
  velocity:iadd((steer() + follow()) * dt)
  local speed = ma.sqrt((velocity * velocity):sum(2, { keepdims = true })) + 1e-6
  velocity:imul(ma.clip(speed, SLOW, FAST) / speed)
  position:iadd(velocity * dt)
  position:assign(position % ma.array({ WIDTH, HEIGHT }, "float32"))
  flock.BoidPosition:assign(position)
  flock.BoidVelocity:assign(velocity)
end

function love.update(dt)
  ma.scope(step, math.min(dt, 1 / 30))
  flock:upload()
end

function love.draw()
  love.graphics.clear(0.05, 0.06, 0.1)
  love.graphics.setShader(shader)
  love.graphics.drawInstanced(boid, N)
  love.graphics.setShader()
  love.graphics.print(("%d boids   %d frames a second on %s"):format(N, love.timer.getFPS(), position.device), 8, 8)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
end
