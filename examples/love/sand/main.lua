-- Sand: each grain says where it wants to go, and an empty cell takes the one grain that comes to it, so none is lost.
-- The left mouse button pours sand, the right one builds walls, the middle one digs, space turns the tap, c clears.

local ma = require "moonarray"

local ROWS, COLUMNS, STEPS, BRUSH = 288, 384, 3, 4    -- cells, steps a frame, the brush's radius in cells
local EMPTY, WALL, FIRST, LAST = 1, 2, 3, 10          -- from FIRST to LAST are grains, by their colours
local STAY, DOWN, LEFT, RIGHT = 0, 1, 2, 3

local palette = ma.array({
  { 18, 20, 28 }, { 104, 108, 120 }, { 236, 200, 128 }, { 228, 178, 96 }, { 214, 150, 72 }, { 196, 118, 60 },
  { 176, 90, 62 }, { 150, 72, 74 }, { 176, 90, 62 }, { 206, 134, 66 },
}, "uint8")

-- Where a grain goes. Aside only past an empty cell, so never into one that a grain falls into from above.
local aim = ma.stencil(function(u)
  local cell, chance = u(0, 0), math.random()
  if cell < FIRST then return STAY end
  if u(1, 0) == EMPTY then return chance < 0.9 and DOWN or STAY end
  local left = u(0, -1) == EMPTY and u(1, -1) == EMPTY
  local right = u(0, 1) == EMPTY and u(1, 1) == EMPTY
  if left and (chance < 0.5 or not right) then return LEFT end
  return right and RIGHT or STAY
end, { value = WALL })

-- Two grains may want the cell between and below them: then the one on the right goes, and the other one stays.
local move = ma.stencil(function(u, way)
  local cell, to = u(0, 0), way(0, 0)
  if cell == EMPTY then
    if way(-1, 0) == DOWN then return u(-1, 0) end
    if way(-1, 1) == LEFT then return u(-1, 1) end
    if way(-1, -1) == RIGHT then return u(-1, -1) end
    return EMPTY
  end
  if to == STAY or (to == RIGHT and way(0, 2) == LEFT) then return cell end
  return EMPTY
end, { value = STAY })

local cells, picture
local runs, frame = true, 0

--- What the picture shows: the colour of each cell.
local function colours() return ma.take(palette, cells, 1) end

--- Makes something of the cells of a disc: sand and walls where it is empty, and empty what was there.
local function paint(row, column, radius, what)
  local top, bottom = math.max(1, row - radius), math.min(ROWS, row + radius)
  local left, right = math.max(1, column - radius), math.min(COLUMNS, column + radius)
  if top > bottom or left > right then return end
  local rows, columns = ma.range(top, bottom):reshape(bottom - top + 1, 1) - row, ma.range(left, right) - column
  local part = cells[{ { top, bottom }, { left, right } }]
  local here = (rows * rows + columns * columns):le(radius * radius)
  if what ~= EMPTY then here = here * part:eq(EMPTY) end
  part:assign(ma.where(here, what, part))
end

--- The colour of what is poured now: it changes every two seconds.
local function grain() return FIRST + math.floor(frame / 120) % (LAST - FIRST + 1) end

--- An empty box with some ledges.
local function clear()
  cells:fill(EMPTY)
  for k = 0, 80 do
    paint(90 + math.floor(0.6 * k), 130 + k, 2, WALL)
    paint(200 - math.floor(0.6 * k), 195 + k, 2, WALL)
    paint(205 + math.floor(0.4 * k), 60 + k, 2, WALL)
  end
end

function love.load()
  ma.random.seed(3)
  cells = ma.empty({ ROWS, COLUMNS }, "uint8")
  ma.scope(clear)
  picture = ma.love.picture(colours())
end

function love.update()
  local x, y = love.mouse.getPosition()
  local row = math.floor(y / love.graphics.getHeight() * ROWS) + 1
  local column = math.floor(x / love.graphics.getWidth() * COLUMNS) + 1
  frame = frame + 1
  ma.scope(function()                                 -- frees what the frame makes
    for button, what in ipairs { grain(), WALL, EMPTY } do
      if love.mouse.isDown(button) then paint(row, column, BRUSH, what) end
    end
    for _ = 1, STEPS do
      if runs then cells[{ 1, { 168, 171 } }] = grain() end
      cells:assign(move(cells, aim(cells)))
    end
    picture:update(colours())
  end)
end

function love.draw()
  picture:draw(0, 0, 0, love.graphics.getWidth() / COLUMNS, love.graphics.getHeight() / ROWS)
  love.graphics.print(("%d frames a second on %s"):format(love.timer.getFPS(), cells.device), 8, 8)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
  if key == "space" then runs = not runs end
  if key == "c" then ma.scope(clear) end
end
