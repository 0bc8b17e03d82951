-- The main.lua of a game under test: runs the game's own main.lua, which lies beside it as game.lua, for a number of
-- frames of a 60th of a second, with a mouse and keys that follow a script, and leaves a screenshot in the save
-- directory.
--
-- DRIVER is a chunk of Lua: {frames = n, mouse = function(frame) return x, y, button end, keys = {[frame] = key},
-- held = function(frame) return key end}.

local script = assert(loadstring(assert(os.getenv "DRIVER")))()
local frame, x, y, button = 0, 0, 0, nil

love.mouse.getPosition = function() return x, y end
love.mouse.getX, love.mouse.getY = function() return x end, function() return y end
love.mouse.isDown = function(which) return which == button end
love.keyboard.isDown = function(key) return script.held ~= nil and script.held(frame) == key end

local function fail(text)
  io.stderr:write("the game ended by an error: ", tostring(text), "\n", debug.traceback(), "\n")
  os.exit(1)
end
love.errorhandler, love.errhand = fail, fail

function love.run()
  local longest, total = 0, 0
  love.load({}, {})
  return function()
    frame = frame + 1
    love.event.pump()
    local was_down = button
    if script.mouse then x, y, button = script.mouse(frame) end
    if button and not was_down and love.mousepressed then love.mousepressed(x, y, button) end
    if script.keys and script.keys[frame] then love.keypressed(script.keys[frame]) end
    local start = love.timer.getTime()
    love.timer.step()
    if love.update then love.update(1 / 60) end
    love.graphics.origin()
    love.graphics.clear(love.graphics.getBackgroundColor())
    if love.draw then love.draw() end
    local time = love.timer.getTime() - start
    if frame > 1 then longest, total = math.max(longest, time), total + time end
    if frame == script.frames then love.graphics.captureScreenshot("shot.png") end
    love.graphics.present()
    if frame < script.frames + 1 then return end
    print(("frames %d, mean %.2f ms, longest %.2f ms"):format(frame, total / (frame - 1) * 1e3, longest * 1e3))
    print("saved " .. love.filesystem.getSaveDirectory())
    if love.quit then love.quit() end
    return 0
  end
end

love.load = function() end
assert(love.filesystem.load("game.lua"))()
