-- The flock of ../boids with 10,000 of them: a grid of cells finds who is near, and a kernel in Lua has the rule for
-- one boid. The left mouse button attracts them, the right one scares them. Without a GPU this needs a C++ compiler.

local ma = require "moonarray"

local N, WIDTH, HEIGHT = 10000, 800, 600
local NEAR, CLOSE, SLOW, FAST = 12, 5, 60, 120         -- pixels, pixels a second

local position, velocity, next_position, next_velocity, grid, flock, boid, shader

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

-- A boid's velocity and place after a frame. `now` has the frame's time, where the mouse is, and how it pulls.
local fly = ma.jit.rawkernel(function(cells, x, v, to_x, to_v, now)
  local k = jit.grid(1)
  if k > cells.n then return end
  local i, count, zero = cells:point(k), 0, ma.float32(0)
  local dt, px, py, vx, vy, ax, ay = now[1], zero, zero, zero, zero, zero, zero
  for j, dx, dy in cells:near(x[i], NEAR) do            -- the shortest way, over the edges of the screen too
    local square = dx * dx + dy * dy
    count, px, py, vx, vy = count + 1, px + dx, py + dy, vx + v[{ j, 1 }], vy + v[{ j, 2 }]
    if square < CLOSE * CLOSE then ax, ay = ax - dx / (square + 1), ay - dy / (square + 1) end
  end
  local u, w = v[{ i, 1 }], v[{ i, 2 }]
  ax, ay = 3 * px / count + 2.5 * (vx / count - u) + 300 * ax, 3 * py / count + 2.5 * (vy / count - w) + 300 * ay
  local mx, my = now[2] - x[{ i, 1 }], now[3] - x[{ i, 2 }]
  local far = math.sqrt(mx * mx + my * my) + 1
  if far < 250 then ax, ay = ax + now[4] * mx / far, ay + now[4] * my / far end
  u, w = u + dt * ax, w + dt * ay
  local speed = math.sqrt(u * u + w * w) + 1e-6
  local by = math.min(math.max(speed, SLOW), FAST) / speed
  to_v[{ i, 1 }], to_v[{ i, 2 }] = by * u, by * w
  to_x[{ i, 1 }], to_x[{ i, 2 }] = (x[{ i, 1 }] + dt * by * u) % WIDTH, (x[{ i, 2 }] + dt * by * w) % HEIGHT
end)

function love.load()
  ma.random.seed(7)
  position = ma.random.rand(N, 2):astype("float32") * ma.array({ WIDTH, HEIGHT }, "float32")
  local angle = ma.random.rand(N):astype("float32") * (2 * math.pi)
  velocity = (ma.stack({ ma.cos(angle), ma.sin(angle) }, 2) * FAST):copy()
  next_position, next_velocity = ma.empty_like(position), ma.empty_like(velocity)
  grid = ma.spatial.HashGrid({ 0, 0 }, { WIDTH, HEIGHT }, NEAR, { wrap = true })

  -- Arrays over the vertices of a mesh that has one vertex for each boid.
  local each = love.graphics.newMesh({ { "BoidPosition", "float", 2 }, { "BoidVelocity", "float", 2 } }, N, "points",
    "stream")
  flock = ma.love.vertices(each, { device = position.device })
  boid = love.graphics.newMesh({ { 3.5, 0 }, { -2.5, 2 }, { -1.5, 0 }, { -2.5, -2 } }, "fan", "static")
  boid:attachAttribute("BoidPosition", each, "perinstance")
  boid:attachAttribute("BoidVelocity", each, "perinstance")
  shader = love.graphics.newShader(pixel_code, code)
end

local function step(dt)
  local x, y = love.mouse.getPosition()
  local pull = love.mouse.isDown(1) and 400 or love.mouse.isDown(2) and -900 or 0
  local now = ma.array({ dt, x, y, pull }, "float32")
  grid:build(position)
  fly(math.ceil(N / 128), 128, { grid, position, velocity, next_position, next_velocity, now })
  position, velocity, next_position, next_velocity = next_position, next_velocity, position, velocity
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
