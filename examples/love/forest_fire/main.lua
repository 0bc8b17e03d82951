-- A forest: lightning lights trees, fire spreads with the wind, and trees grow again on the ash. The left mouse button
-- lights a fire, the right one plants trees, the arrow keys turn the wind, space stops lightning and starts it again.

local ma = require "moonarray"

local N, BRUSH = 384, 6                               -- cells along a side, the brush's radius in cells
local EARTH, ASH, FIRE, TREE, OLD = 1, 2, 7, 8, 12    -- a fire goes out from 7 to 3, a tree grows from 8 to 12
local GROWTH, SEEDS, AGEING, LIGHTNING = 0.0002, 0.006, 0.01, 2e-7    -- the chances of a cell in a frame

-- The chances that fire comes over from each side, and that lightning strikes: read by the kernel, changed in place.
local from = { up = ma.zeros {}, down = ma.zeros {}, left = ma.zeros {}, right = ma.zeros {} }
local lightning = ma.full({}, LIGHTNING)

local palette = ma.array({
  { 41, 31, 24 }, { 72, 68, 66 }, { 120, 28, 14 }, { 180, 44, 12 }, { 232, 88, 16 }, { 250, 150, 40 },
  { 255, 228, 120 }, { 88, 134, 44 }, { 68, 116, 40 }, { 48, 98, 38 }, { 34, 82, 36 }, { 24, 68, 34 },
}, "uint8")

local function burns(cell) return cell > ASH and cell < TREE end
local function heat(cell, chance) return burns(cell) and chance or 0 end
local function seeds(cell) return cell >= TREE and SEEDS or 0 end

local forest = ma.stencil(function(u)
  local cell = u(0, 0)
  local up, down, left, right = u(-1, 0), u(1, 0), u(0, -1), u(0, 1)
  if burns(cell) then return cell - 1 end
  local chance = math.random()
  if cell == ASH then return chance < AGEING and EARTH or ASH end
  if cell == EARTH then
    return chance < GROWTH + seeds(up) + seeds(down) + seeds(left) + seeds(right) and TREE or EARTH
  end
  local warm = heat(up, from.up) + heat(down, from.down) + heat(left, from.left) + heat(right, from.right)
  if chance < warm * (cell - ASH) / OLD + lightning then return FIRE end              -- old trees burn best
  return math.random() < AGEING and math.min(cell + 1, OLD) or cell
end, { boundary = "wrap" })

local cells, picture

--- What the picture shows: the colour of each cell.
local function colours() return ma.take(palette, cells, 1) end

--- Makes something else of a disc of cells.
local function paint(row, column, make)
  local top, bottom = math.max(1, row - BRUSH), math.min(N, row + BRUSH)
  local left, right = math.max(1, column - BRUSH), math.min(N, column + BRUSH)
  if top > bottom or left > right then return end
  local rows, columns = ma.range(top, bottom):reshape(bottom - top + 1, 1) - row, ma.range(left, right) - column
  local part = cells[{ { top, bottom }, { left, right } }]
  part:assign(ma.where((rows * rows + columns * columns):le(BRUSH * BRUSH), make(part), part))
end

local function light(part) return ma.where(part:ge(TREE), FIRE, part) end
local function plant(part) return ma.where(part:le(ASH), TREE, part) end

--- Lets the wind blow to a side: fire comes from the other one.
local function blow(to)
  local against = { up = "down", down = "up", left = "right", right = "left" }
  for side in pairs(against) do from[side]:fill(0.2) end
  from[to]:fill(0.04)
  from[against[to]]:fill(0.36)
end

function love.load()
  blow "right"
  ma.random.seed(3)
  cells = forest:run(ma.full({ N, N }, EARTH, "uint8"), { steps = 800 })
  picture = ma.love.picture(colours())
end

function love.update()
  local x, y = love.mouse.getPosition()
  local row = math.floor(y / love.graphics.getHeight() * N) + 1
  local column = math.floor(x / love.graphics.getWidth() * N) + 1
  ma.scope(function()                                 -- frees what the frame makes
    if love.mouse.isDown(1) then paint(row, column, light) end
    if love.mouse.isDown(2) then paint(row, column, plant) end
    cells:assign(forest(cells))
    picture:update(colours())
  end)
end

function love.draw()
  picture:draw(0, 0, 0, love.graphics.getWidth() / N, love.graphics.getHeight() / N)
  love.graphics.print(("%d frames a second on %s"):format(love.timer.getFPS(), cells.device), 8, 8)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
  if key == "space" then lightning:fill(lightning:item() == 0 and LIGHTNING or 0) end
  if from[key] then blow(key) end
end
