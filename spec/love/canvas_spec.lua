-- Canvases of LÖVE as arrays by way of the host: make test-love. shared_spec.lua has those on a GPU.

local stage = require "spec.love.stage"
local file = require "spec.file"
local run, write = file.run, file.write
local play = stage.play

local folder
setup(function()
  stage.start()
  folder = stage.folder
end)
teardown(stage.finish)

--- Runs a program in LÖVE with a small window, and returns what it prints.
local function printed(program, on)
  local path = folder .. "/canvas_game"
  assert(run(("rm -rf %s && mkdir -p %s && sh scripts/game %s"):format(path, path, path)))
  write(path .. "/conf.lua", [[function love.conf(t)
    t.window.width, t.window.height = 64, 64
    t.modules.audio, t.modules.joystick, t.modules.physics = false, false, false
  end]])
  write(path .. "/main.lua", stage.ends_on_errors .. program .. "\nlove.event.quit()")
  return play("love " .. path, "", nil, on)
end

describe("a canvas of LÖVE", function()
  it("is read and written by way of the host", function()
    local text = printed([[
      local ma = require "moonarray"
      local graphics = love.graphics
      for _, msaa in ipairs { 0, 4 } do
        local drawn = graphics.newCanvas(8, 4, { msaa = msaa })
        local canvas = ma.love.canvas(drawn)
        graphics.setCanvas(drawn)
        graphics.clear(0, 0, 0, 1)
        graphics.setColor(1, 0, 0)
        graphics.rectangle("fill", 0, 0, 8, 1)               -- the first row
        local a = canvas:read()                              -- while it is drawn to
        assert(graphics.getCanvas() == drawn and select(2, graphics.getColor()) == 0)
        graphics.setCanvas()
        assert(a.dtype == "uint8" and tostring(a.shape) == "(4, 8, 4)", tostring(a))
        assert(a[":, :, 1"]:sum():item() == 8 * 255 and a(1, 8, 1) == 255 and a(2, 1, 1) == 0)
        assert(a[":, :, 4"]:min():item() == 255)
        local b = (ma.arange(128) * 2 % 256):astype("uint8"):reshape(4, 8, 4)
        canvas:write(b)
        assert(ma.array_equal(canvas:read(), b))
        assert(drawn:newImageData():getString() == b:tobytes())
        canvas:write(ma.flip(b, 1):astype("float32"))        -- again: a view, of another dtype
        assert(ma.array_equal(canvas:read(), ma.flip(b, 1)))
        assert(not canvas.is_shared and graphics.getCanvas() == nil)
      end
      for format, dtype in pairs { r32f = "float32", rgba16f = "float16", r8 = "uint8" } do
        local canvas = ma.love.canvas(graphics.newCanvas(8, 4, { format = format }))
        local shape = format:find "^rgba" and { 4, 8, 4 } or { 4, 8 }
        local b = ma.arange(ma.zeros(shape).size):astype(dtype):reshape(shape)
        canvas:write(b)
        local got = canvas:read()
        assert(got.dtype == dtype and ma.array_equal(got, b), format)
      end
      local canvas = ma.love.canvas(graphics.newCanvas(8, 4))
      print(select(2, pcall(canvas.write, canvas, ma.zeros { 8, 4, 4 })))
      print(select(2, pcall(ma.love.canvas, love.image.newImageData(2, 2))))
      print(select(2, pcall(ma.love.canvas, graphics.newCanvas(8, 8, 2, { type = "array" }))))
      canvas.canvas:release()
      print(select(2, pcall(canvas.read, canvas)))
      print "all right"]], "cpu")
    for _, wanted in ipairs { "a is a float64 array (8, 4, 4); the canvas takes uint8 (4, 8, 4)",
      "wanted a Canvas of LÖVE", "a canvas of type 'array'; wanted '2d'", "a canvas that was released", "all right" } do
      assert(text:find(wanted, 1, true), wanted .. ":\n" .. text)
    end
  end)

  it("fades, as the page says", function()
    local program
    for block in file.read("docs/love.md"):gmatch("```lua\n(.-)```") do
      if block:find("ma.love.canvas", 1, true) then program = block end
    end
    local path = folder .. "/fading"
    assert(run(("rm -rf %s && mkdir -p %s && sh scripts/game %s"):format(path, path, path)))
    write(path .. "/main.lua", assert(program, "docs/love.md has no program with a canvas"))
    local image = stage.screenshot(play("love " .. stage.driven(path), "return { frames = 5 }"))
    local middle, corner = image["140:160, 190:210"], image["1:20, 1:20"]
    assert(middle:min():item() > 0.8 and middle:max():item() < 0.99, tostring(middle:min()))
    assert.equal(0, corner:max():item())
  end)

  it("is copied under way, as LÖVE 11 has it at once", function()
    local text = printed([[
      local ma = require "moonarray"
      local canvas = ma.love.canvas(love.graphics.newCanvas(8, 4))
      canvas:write(ma.full({ 4, 8, 4 }, 7, "uint8"))
      local copy = canvas:read_async()
      assert(copy:ready() and copy:get():sum():item() == 7 * 128)
      assert(ma.await(copy):sum():item() == 7 * 128)
      print "all right"]], "cpu")
    assert(text:find("all right", 1, true), text)
  end)
end)
