-- Games of LÖVE in archives, and arrays over its Data: make test-love.

local stage = require "spec.love.stage"
local run = require("spec.file").run
local play = stage.play

local folder
setup(function()
  stage.start()
  folder = stage.folder
end)
teardown(stage.finish)

describe("arrays over LÖVE's Data", function()
  --- Runs a program in LÖVE without a window, and returns what it prints.
  local function printed(program)
    local path = folder .. "/data_game"
    assert(run(("rm -rf %s && mkdir -p %s && sh scripts/game %s"):format(path, path, path)))
    local conf = [[function love.conf(t)
      t.window = false                                   -- a window alone takes 90 MB
      for name in pairs(t.modules) do t.modules[name] = false end
      for _, name in ipairs { "data", "image", "sound", "event" } do t.modules[name] = true end
    end]]
    for name, code in pairs { conf = conf, main = program .. "\nlove.event.quit()" } do
      local file = assert(io.open(("%s/%s.lua"):format(path, name), "w"))
      file:write(code)
      file:close()
    end
    return "\n" .. play("love " .. path, "")
  end

  it("keep their memory when the game releases the Data", function()
    local text = printed [[
      local ma = require "moonarray"
      local function bytes() return (ma.arange(16384) % 256):astype("uint8"):tobytes() end
      local makers = {
        ImageData = function() return love.image.newImageData(64, 64) end,
        ByteData = function() return love.data.newByteData(bytes()) end,
        SoundData = function() return love.sound.newSoundData(8192, 44100, 16, 1) end,
        FileData = function() return love.filesystem.newFileData(bytes(), "name") end,
      }
      local ways = {
        view = function(data) return ma.love.view(data) end,
        frombuffer = function(data) return ma.frombuffer(data, nil, "uint8", { device = "cpu" }) end,
        owner = function(data)
          return ma.frombuffer(data:getFFIPointer(), 16384, "uint8", { owner = data, device = "cpu" })
        end,
      }
      for class, make in pairs(makers) do
        for way, array_over in pairs(ways) do
          local data = make()
          local whole = array_over(data)
          whole:fill(9)
          local part = whole[":"]
          data:release()
          whole:free()
          local others, before, changed = {}, {}, 0
          for k = 1, 50 do
            others[k] = make()
            before[k] = others[k]:getString()
          end
          local right = part:eq(9):all()
          part:fill(7)
          for k = 1, 50 do
            if others[k]:getString() ~= before[k] then changed = changed + 1 end
          end
          print(class, way, right and part:eq(7):all(), changed)
        end
      end]]
    for _, class in ipairs { "ImageData", "ByteData", "SoundData", "FileData" } do
      for _, way in ipairs { "view", "frombuffer", "owner" } do
        assert.matches(("\n%s\t%s\ttrue\t0\n"):format(class, way), text)
      end
    end
  end)

  it("let go of it with their last view, so that many of them do not fill the memory", function()
    local text = printed [[
      local ma = require "moonarray"
      ma.zeros(1)
      local function resident()
        local file = assert(io.open("/proc/self/statm"))
        local pages = file:read("*a"):match("%d+ (%d+)")
        file:close()
        return tonumber(pages) * 4096 / 1e6
      end
      for _, way in ipairs { "release", "release and free", "drop" } do
        for _ = 1, 200 do
          local data = love.data.newByteData(1e7)
          local view = ma.love.view(data)
          view:fill(1)
          if way ~= "drop" then data:release() end
          if way == "release and free" then view:free() end
        end
        print(("%s: %.0f MB"):format(way, resident()))
      end]]
    for _, way in ipairs { "release", "release and free", "drop" } do
      local megabytes = tonumber(text:match("\n" .. way .. ": (%d+) MB"))
      assert(megabytes and megabytes < 100, text)
    end
  end)
end)

local small_game = [[
local ma = require "moonarray"

local double = ma.vectorize(function(x)
  if x > 2 then return x * 2 end
  return x
end)
print("kernel " .. tostring(double(ma.array { 1, 2, 3 }):sum():item()))

local thread = love.thread.newThread("worker.lua")
local shared = ma.zeros(3)
thread:start(ma.export(shared))
thread:wait()
print("thread " .. tostring(thread:getError() or shared:sum():item()))
print(select(2, pcall(ma.sum, "x")))
]]
local worker = [[
local ma = require "moonarray"
ma.import((...)):fill(5)
]]

describe("a game in an archive", function()
  it("takes a library that lies beside it, and says where there is none", function()
    local path = folder .. "/bare"
    assert(run(("mkdir -p %s/bare && sh scripts/game %s && cp spec/love/driver.lua %s/main.lua"):format(path, path,
      path)))
    assert(run(("echo 'print(require(\"moonarray\").arange(4):sum():item())' > %s/game.lua && cd %s && mkdir moved && "
      .. "mv moonarray/core.so moved && zip -q1r bare/bare.love main.lua game.lua moonarray"):format(path, path)))
    local text = play("love " .. path .. "/bare/bare.love", "return { frames = 2 }", true)
    assert.matches("moonarray: there is no moonarray/core.so in the game, nor beside it", text)
    assert.matches("make demo builds it, and make game GAME=folder puts it into a game", text)
    assert(run(("cd %s && mkdir bare/moonarray && mv moved/core.so bare/moonarray"):format(path)))
    assert.matches("\n6\nframes 3", "\n" .. play("love " .. path .. "/bare/bare.love", "return { frames = 2 }"))
  end)

  it("has a bundle of what was recorded, so that a player needs no compiler", function()
    local path, record = folder .. "/carried", folder .. "/carried.rec"
    assert(run(("mkdir -p %s && cp spec/love/driver.lua %s/main.lua"):format(path, path)))
    local file = assert(io.open(path .. "/game.lua", "w"))
    file:write([[
local ma = require "moonarray"
local twice = ma.ElementwiseKernel("T x", "T y", "y = x + x", "twice_of")
print("sum " .. twice(ma.arange(4)):sum():item())
local report = ma.bundle.report()
print("bundles " .. #report.bundles, report.bundles[1] and report.bundles[1].name, #report.refused)
]])
    file:close()
    assert(run(("cd %s && zip -q1r ../carried.love ."):format(path)))
    local player = "env MOONARRAY_CACHE_DIR=" .. folder .. "/carried.cache MOONARRAY_COMPILER=0 "
    assert(run(("sh scripts/game %s.love"):format(path)))
    local two = "return { frames = 2 }"
    local text = play("env MOONARRAY_BUNDLE=record:" .. record .. " love " .. path .. ".love", two, nil, "cpu")
    assert.matches("\nsum 12\nbundles 0\tnil\t0\n", "\n" .. text)
    text = play(player .. "love " .. path .. ".love", two, true, "cpu")
    assert.matches("no C%+%+ compiler was found %(MOONARRAY_COMPILER is 0%)", text)
    local ok, made = run(("sh scripts/game %s.love %s"):format(path, record))
    assert(ok and made:find("images of 1 kernels in moonarray/kernels.mab", 1, true), made)
    text = play(player .. "love " .. path .. ".love", two, nil, "cpu")
    assert.matches("\nsum 12\nbundles 1\t[^\n]*/carried.love/moonarray/kernels.mab\t0\n", "\n" .. text)
    ok, made = run("sh scripts/game " .. record)
    assert(not ok and made:find("is no folder and no file ending .love; wanted a game", 1, true), made)
  end)

  it("has kernels in Lua, threads, and errors with lines of its own", function()
    local path = folder .. "/small"
    assert(run(("mkdir -p %s && sh scripts/game %s && cp spec/love/driver.lua %s/main.lua"):format(path, path, path)))
    for name, code in pairs { game = small_game, worker = worker } do
      local file = assert(io.open(("%s/%s.lua"):format(path, name), "w"))
      file:write(code)
      file:close()
    end
    assert(run(("cd %s && zip -q1r ../small.love ."):format(path)))
    local text = play("love " .. folder .. "/small.love", "return { frames = 2 }")
    assert.matches("\nkernel 9\nthread 15\ngame.lua:14: moonarray.sum: ", "\n" .. text)
  end)
end)
