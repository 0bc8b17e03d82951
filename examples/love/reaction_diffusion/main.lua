-- Two substances react and diffuse (Gray and Scott). The left mouse button adds the second one, the right one removes
-- it, 1 to 4 choose another rule, space clears the plane.

local ma = require "moonarray"

local N, STEPS, BRUSH = 256, 8, 5                     -- cells along a side, steps a frame, the brush's radius in cells

-- Rules: how fast the first substance is fed, and the second one removed.
local rules = {
  { name = "corals", feed = 0.0545, kill = 0.062 },
  { name = "spots that divide", feed = 0.0367, kill = 0.0649 },
  { name = "worms", feed = 0.046, kill = 0.063 },
  { name = "waves", feed = 0.014, kill = 0.045 },
}
local rule = rules[1]
local feed, kill = ma.zeros({}, "float32"), ma.zeros({}, "float32")    -- read by the kernel, changed in place

local function spread(u)
  return 0.2 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1))
    + 0.05 * (u(-1, -1) + u(-1, 1) + u(1, -1) + u(1, 1)) - u(0, 0)
end

local react = ma.stencil(function(u, v)
  local reaction = u(0, 0) * v(0, 0) * v(0, 0)
  return u(0, 0) + spread(u) - reaction + feed * (1 - u(0, 0)),
    v(0, 0) + 0.5 * spread(v) + reaction - (feed + kill) * v(0, 0)
end, { boundary = "wrap", out = 2 })

local u, v, picture

local function choose(k)
  rule = rules[k]
  feed:fill(rule.feed)
  kill:fill(rule.kill)
end

--- Fills a square around a cell.
local function paint(row, column, first, second)
  local top, bottom = math.max(1, row - BRUSH), math.min(N, row + BRUSH)
  local left, right = math.max(1, column - BRUSH), math.min(N, column + BRUSH)
  if top > bottom or left > right then return end
  u[{ { top, bottom }, { left, right } }] = first
  v[{ { top, bottom }, { left, right } }] = second
end

function love.load()
  choose(1)
  u, v = ma.ones({ N, N }, "float32"), ma.zeros({ N, N }, "float32")
  paint(N / 2, N / 2, 0.5, 0.25)
  picture = ma.love.picture(v, { colormap = "magma", min = 0, max = 0.4, filter = "linear" })
end

function love.update()
  local x, y = love.mouse.getPosition()
  local row = math.floor(y / love.graphics.getHeight() * N) + 1
  local column = math.floor(x / love.graphics.getWidth() * N) + 1
  if love.mouse.isDown(1) then paint(row, column, 0.5, 0.25) end
  if love.mouse.isDown(2) then paint(row, column, 1, 0) end

  ma.scope(function()                                 -- frees what the frame makes
    local next_u, next_v = react:run(u, v, { steps = STEPS })
    u:assign(next_u)
    v:assign(next_v)
  end)
  picture:update(v)
end

function love.draw()
  picture:draw(0, 0, 0, love.graphics.getWidth() / N, love.graphics.getHeight() / N)
  love.graphics.print(("%s   %d frames a second on %s"):format(rule.name, love.timer.getFPS(), v.device), 8, 8)
end

function love.keypressed(key)
  if key == "escape" then love.event.quit() end
  if key == "space" then
    u:fill(1)
    v:fill(0)
  end
  if tonumber(key) and rules[tonumber(key)] then choose(tonumber(key)) end
end
