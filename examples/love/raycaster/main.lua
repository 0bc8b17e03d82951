-- A maze in the light of lamps, whose walls throw shadows. A kernel in Lua sends a ray through each column of the
-- screen, and another one colours each pixel. The arrow keys walk and turn. Without a GPU this needs a C++ compiler.

local ma = require "moonarray"
local jit = ma.jit
local vec2, vec3 = jit.vec2, jit.vec3

local WIDTH, HEIGHT, SCALE = 320, 200, 3              -- pixels, and how large the window shows them
local WIDE, TALL = 1.32, 1.32 * HEIGHT / WIDTH        -- what is seen at distance 1; a wall is 1 high
local SPEED, TURN, BODY = 2, 2, 0.25                  -- cells and radians a second, and the player's half width

local plan = {                                        -- cells: 1 is brick, 2 is stone
  { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
  { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
  { 1, 0, 0, 2, 0, 1, 1, 0, 1, 2, 0, 1 },
  { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
  { 1, 0, 1, 0, 2, 0, 2, 0, 0, 2, 0, 1 },
  { 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1 },
  { 1, 0, 0, 2, 2, 2, 2, 0, 2, 0, 0, 1 },
  { 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1 },
  { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
}
local eye, angle = vec2(1.5, 3.5), 0                  -- from the left and from the top of the plan
local cells, lamps, columns, rows, canvas, picture    -- a lamp has x, y and a strength; the last one is the player's

--- Follows a ray from cell to cell to the first wall, but not farther than `longest`: how far, in lengths of `way`, and
--- whether the line that it crossed last runs along y.
local function follow(maze, from, way, longest)
  local column, row = math.floor(from.x), math.floor(from.y)
  local right, down = way.x > 0, way.y > 0
  local each_x, each_y = math.abs(1 / way.x), math.abs(1 / way.y)         -- from a line of the grid to the next
  local next_x = each_x * (right and column + 1 - from.x or from.x - column)
  local next_y = each_y * (down and row + 1 - from.y or from.y - row)
  while true do
    local along_y, far = next_x < next_y, math.min(next_x, next_y)
    if far >= longest then return longest, along_y end
    if along_y then
      column, next_x = column + (right and 1 or -1), next_x + each_x
    else
      row, next_y = row + (down and 1 or -1), next_y + each_y
    end
    if maze[row + 1][column + 1] > 0 then return far, along_y end
  end
end

--- The light at a place, of the lamps that can be seen from there.
local function light(maze, lit, at)
  local sum = ma.float32(0.12)
  for k = 1, #lit do
    local way = vec2(lit[k][1], lit[k][2]) - at
    local square = way:dot(way)
    if square < 36 and follow(maze, at, way, 1) == 1 then
      sum = sum + lit[k][3] * (1 - square / 36) / (0.5 + square)
    end
  end
  return sum
end

--- Of a column: the ray through it, how far the wall is, where along the wall the ray ends, its light, and its kind.
local look = jit.elementwisekernel(function(across, from, ahead, maze, lit)
  local way = ahead + vec2(-ahead.y, ahead.x) * across
  local far, along_y = follow(maze, from, way, 64)
  local at, inside = from + way * (far - 1e-3), from + way * (far + 1e-3)
  local kind = maze[math.floor(inside.y) + 1][math.floor(inside.x) + 1]
  return way, far, along_y and at.y or at.x, light(maze, lit, at) * (along_y and 1 or 0.7), kind
end, { in_params = "T across, vec2 from, vec2 ahead, raw uint8 maze, raw T lit",
  out_params = "vec2 way, T far, T along, T bright, uint8 kind" })

--- The colour of a pixel, which shows a wall, the sky above it, or the floor below. `y` is 0 at the height of the eye.
local paint = jit.elementwisekernel(function(way, y, far, along, bright, kind, from, maze, lit)
  if math.abs(y) * far <= 0.5 then
    local v = (y * far + 0.5) * 8
    local u = along * 4 + math.floor(v) % 2 / 2       -- every second row of bricks is moved by half a brick
    if u % 1 < 0.07 or v % 1 < 0.13 then bright = bright * 0.7 end
    return (kind == 1 and vec3(1, 0.45, 0.3) or vec3(0.6, 0.62, 0.68)) * bright
  end
  if y < 0 then return vec3(0.04, 0.06, 0.14) - y * vec3(0.1, 0.15, 0.4) end
  local at = from + way * (0.5 / y)
  local tile = (math.floor(at.x * 2) + math.floor(at.y * 2)) % 2
  return vec3(0.3, 0.34, 0.3) * ((1 + 0.6 * tile) * light(maze, lit, at))
end, { in_params = "vec2 way, T y, T far, T along, T bright, uint8 kind, vec2 from, raw uint8 maze, raw T lit",
  out_params = "vec3 colour" })

function love.load()
  cells = ma.array(plan, "uint8")
  lamps = ma.array({ { 4.5, 2.2, 1.2 }, { 3.6, 5.3, 0.8 }, { 9.3, 3.2, 1.2 }, { 0, 0, 0.4 } }, "float32")
  columns = ((ma.arange(WIDTH) + 0.5) / WIDTH - 0.5):astype("float32") * WIDE
  rows = ((ma.arange(HEIGHT) + 0.5) / HEIGHT - 0.5):astype("float32"):reshape(HEIGHT, 1) * TALL
  canvas = ma.zeros({ HEIGHT, WIDTH, 3 }, "float32")
  picture = ma.love.picture(canvas)
end

--- Goes by a way, along each axis as far as the body stays outside of walls.
local function go(way)
  local function free(x, y)
    local left, right = math.floor(x - BODY) + 1, math.floor(x + BODY) + 1
    local top, bottom = plan[math.floor(y - BODY) + 1], plan[math.floor(y + BODY) + 1]
    return top[left] + top[right] + bottom[left] + bottom[right] == 0
  end
  if free(eye.x + way.x, eye.y) then eye.x = eye.x + way.x end
  if free(eye.x, eye.y + way.y) then eye.y = eye.y + way.y end
end

function love.update(dt)
  local function held(key) return love.keyboard.isDown(key) and math.min(dt, 1 / 30) or 0 end
  angle = angle + TURN * (held "right" - held "left")
  local ahead = vec2(math.cos(angle), math.sin(angle))
  go(ahead * SPEED * (held "up" - held "down"))
  ma.scope(function()
    local from = ma.array({ eye:unpack() }, "float32")
    lamps["4, 1:2"] = from
    local way, far, along, bright, kind = look(columns, from, ma.array({ ahead:unpack() }, "float32"), cells, lamps)
    paint(way, rows, far, along, bright, kind, from, cells, lamps, { out = canvas })
  end)
  picture:update(canvas)
end

function love.draw()
  picture:draw(0, 0, 0, SCALE, SCALE)
  love.graphics.print(("%d frames a second on %s"):format(love.timer.getFPS(), canvas.device), 8, 8)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
end
