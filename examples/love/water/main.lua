-- Rain on a pool: the waves are an array, and a shader draws light on them. The mouse button drops a stone, space stops
-- the rain.

local ma = require "moonarray"

local N, SPEED, LOSS = 256, 0.3, 0.996                -- cells along a side, and how fast waves go and fade
local height, last, picture, shader
local rains = true

-- The heights as they are, one float a pixel: the slope bends what is seen of the tiles below, and shines.
local code = [[
  uniform float cell;

  vec4 effect(vec4 color, Image heights, vec2 at, vec2 screen) {
    float left = Texel(heights, at - vec2(cell, 0.0)).r, right = Texel(heights, at + vec2(cell, 0.0)).r;
    float above = Texel(heights, at - vec2(0.0, cell)).r, below = Texel(heights, at + vec2(0.0, cell)).r;
    vec3 normal = normalize(vec3(left - right, above - below, 0.35));

    vec2 tile = fract((at + 0.06 * normal.xy) * 8.0);
    vec2 edge = smoothstep(0.0, 0.06, tile) * smoothstep(0.0, 0.06, 1.0 - tile);
    vec3 floor_colour = mix(vec3(0.75, 0.85, 0.85), vec3(0.15, 0.5, 0.6), edge.x * edge.y);

    vec3 light = normalize(vec3(-0.5, -0.6, 0.65));
    float shine = pow(max(dot(reflect(-light, normal), vec3(0.0, 0.0, 1.0)), 0.0), 40.0);
    return vec4(floor_colour * (0.45 + 0.75 * max(dot(normal, light), 0.0)) + shine, 1.0);
  }
]]

local wave = ma.stencil(function(now, before)
  local around = now(-1, 0) + now(1, 0) + now(0, -1) + now(0, 1)
  return LOSS * (2 * now(0, 0) - before(0, 0) + SPEED * (around - 4 * now(0, 0))), now(0, 0)
end, { boundary = "reflect", out = 2 })

--- A drop: the water is pressed down around a cell.
local function drop(row, column, radius, depth)
  local top, bottom = math.max(1, row - 2 * radius), math.min(N, row + 2 * radius)
  local left, right = math.max(1, column - 2 * radius), math.min(N, column + 2 * radius)
  if top > bottom or left > right then return end
  local rows = ma.range(top, bottom):astype("float32"):reshape(bottom - top + 1, 1) - row
  local columns = ma.range(left, right):astype("float32") - column
  local dent = depth * ma.exp(-(rows * rows + columns * columns) * (2 / radius ^ 2))
  height[{ { top, bottom }, { left, right } }]:isub(dent)
end

function love.load()
  height, last = ma.zeros({ N, N }, "float32"), ma.zeros({ N, N }, "float32")
  picture = ma.love.picture(height, { format = "r32f", filter = "linear" })
  shader = love.graphics.newShader(code)
  shader:send("cell", 1 / N)
end

function love.update()
  ma.scope(function()
    if rains and love.math.random() < 0.15 then drop(love.math.random(N), love.math.random(N), 3, 0.5) end
    local now, before = wave:run(height, last, { steps = 2 })
    height:assign(now)
    last:assign(before)
  end)
  picture:update(height)
end

function love.draw()
  love.graphics.setShader(shader)
  picture:draw(0, 0, 0, love.graphics.getWidth() / N, love.graphics.getHeight() / N)
  love.graphics.setShader()
  love.graphics.print(("%d frames a second on %s"):format(love.timer.getFPS(), height.device), 8, 8)
end

function love.mousepressed(x, y)
  ma.scope(drop, math.floor(y / love.graphics.getHeight() * N) + 1, math.floor(x / love.graphics.getWidth() * N) + 1, 6,
    1.5)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
  if key == "space" then rains = not rains end
end
