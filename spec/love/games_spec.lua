-- The games of examples/love in LÖVE: make test-love. spec/love/driver.lua plays them by a script, and the content of
-- the last frame is looked at.

local helper = require "spec.helper"
local ma = helper.ma
local stage = require "spec.love.stage"
local run = require("spec.file").run
local read = require("spec.file").read
local copy_of, driven, play = stage.copy_of, stage.driven, stage.play
local screenshot, lit, colours = stage.screenshot, stage.lit, stage.colours

local folder, data
setup(function()
  stage.start()
  folder, data = stage.folder, stage.folder .. "/data"
end)
teardown(stage.finish)

describe("reaction_diffusion", function()
  -- The brush goes from left to right along y = 200, for 60 frames.
  local script = [[return {
    frames = 140,
    mouse = function(frame)
      if frame < 70 then return 120 + 8 * frame, 200, 1 end
      return 0, 0
    end,
  }]]

  it("grows where the mouse was", function()
    local image = screenshot(play("love " .. driven(copy_of "reaction_diffusion"), script), "reaction_diffusion")
    assert.same({ 768, 768, 3 }, { image:dims() })
    assert(lit(image["150:250, 150:650"]) > 0.4, "the stroke")
    assert(lit(image["330:440, 330:440"]) > 0.2, "the drop in the middle")
    assert.equal(0, lit(image["560:768, :"]))
    assert.equal(0, lit(image["60:768, 740:768"]))
    assert(colours(image) > 60)
  end)

  it("is another one by another rule, and clear after the space key", function()
    local path = folder .. "/reaction_diffusion"
    local first = screenshot(play("love " .. path, [[return { frames = 40 }]]))
    local fourth = screenshot(play("love " .. path, [[return { frames = 40, keys = { [3] = "4" } }]]))
    assert(ma.abs(first - fourth)["300:468, 300:468"]:max():item() > 0.3)
    local clear = screenshot(play("love " .. path, [[return { frames = 40, keys = { [39] = "space" } }]]))
    assert.equal(0, lit(clear["60:768, :"]))
    assert(lit(clear["1:30, 1:200"]) > 0.02, "the name of the rule")
  end)

  it("runs from an archive, whose library is copied out once", function()
    assert(run(("cd %s/reaction_diffusion && rm -f ../game.love && zip -q1r ../game.love ."):format(folder)))
    local count = "find " .. data .. " -name 'core-*.so' -newermt '2000-01-01' | wc -l"
    local script_of_two = [[return { frames = 2 }]]
    local text = play("love " .. folder .. "/game.love", script_of_two)
    assert.equal("1", select(2, run(count)):match("%d+"))
    local _, first = run("ls -i $(find " .. data .. " -name 'core-*.so')")
    assert.same({ 768, 768, 3 }, { screenshot(text):dims() })
    play("love " .. folder .. "/game.love", script_of_two)
    assert.equal(first, select(2, run("ls -i $(find " .. data .. " -name 'core-*.so')")))
    -- A new version of the game makes a new copy, and removes the old one.
    assert(run(("cd %s && touch -d '2001-02-03' reaction_diffusion/moonarray/core.so && rm game.love && " ..
      "cd reaction_diffusion && zip -q1r ../game.love ."):format(folder)))
    play("love " .. folder .. "/game.love", script_of_two)
    local _, second = run("ls -i $(find " .. data .. " -name 'core-*.so')")
    assert.not_equal(first:match("core%-.*"), second:match("core%-.*"))
    assert.equal("1", select(2, run(count)):match("%d+"))
  end)

  it("runs when it is fused with LÖVE", function()
    local fused = folder .. "/fused"
    assert(run(("cat \"$(readlink -f \"$(command -v love)\")\" %s/game.love > %s && chmod +x %s"):format(folder, fused,
      fused)))
    assert.same({ 768, 768, 3 }, { screenshot(play(fused .. " --fused", [[return { frames = 2 }]])):dims() })
  end)
end)

describe("boids", function()
  it("fly to the mouse", function()
    local image = screenshot(play("love " .. driven(copy_of "boids"), [[return {
      frames = 120, mouse = function() return 600, 300, 1 end,
    }]]), "boids")
    assert.same({ 600, 800, 3 }, { image:dims() })
    assert(colours(image) > 100, "one colour for each heading")
    local sky = image["300, 10"]:totable()
    assert(sky[1] < 0.1 and sky[3] < 0.2, "the sky")
    local near = lit(image["200:400, 500:700"], 0.3)
    assert(near > 0.05 and near > 2 * lit(image["40:600, :"], 0.3), "the flock")
  end)
end)

describe("swarm", function()
  it("flies to the mouse, and away from it", function()
    local path, script = driven(copy_of "swarm"), [[return {
      frames = 120, mouse = function() return 600, 300, %d end,
    }]]
    local function near(button, name)
      local image = screenshot(play("love " .. path, script:format(button)), name)
      assert.same({ 600, 800, 3 }, { image:dims() })
      assert(colours(image) > 100, "one colour for each heading")
      return lit(image["200:400, 500:700"], 0.3), lit(image["40:600, :"], 0.3)
    end
    local here, all = near(1, "swarm")
    assert(here > 0.15 and here > 2 * all, "they come")
    here, all = near(2)
    assert(all > 0.05 and here < all / 4, "they flee")
  end)
end)

describe("raycaster", function()
  local path
  setup(function() path = driven(copy_of "raycaster") end)

  local function view(frames, held, name)
    local script = ("return { frames = %d, held = function(frame) return %s end }"):format(frames, held)
    local image = screenshot(play("love " .. path, script), name)
    assert.same({ 600, 960, 3 }, { image:dims() })
    return image
  end

  --- How many rows of the middle column show brick: it is red, sky and floor are not. A row of the game has three.
  local function brick(image)
    local red, green = image[":, 480, 1"], image[":, 480, 2"]
    return ma.sum(red:gt(1.3 * green)):item() / 3
  end

  it("shows the wall ahead as high as its distance says, until the player stands before it", function()
    local function height(distance) return 200 / 0.825 / distance end
    local start, nearer = view(2, "nil", "raycaster"), view(200, '"up"')
    assert(colours(start) > 300)
    assert(math.abs(brick(start) - height(9.5)) <= 1, brick(start))
    assert(math.abs(brick(nearer) - height(9.5 - 200 * 2 / 60)) <= 1, brick(nearer))
    assert.equal(200, brick(view(400, '"up"')))
  end)

  it("turns, and turns back", function()
    local start = view(2, "nil")
    local turned, back = view(30, '"right"'), view(60, 'frame <= 30 and "right" or "left"')
    assert(ma.abs(turned - start):mean():item() > 0.05)
    assert(ma.abs(back - start):mean():item() < 0.002)
  end)
end)

describe("spectrum", function()
  local path
  setup(function() path = driven(copy_of "spectrum") end)

  it("shows the notes that were played", function()
    local image = screenshot(play("love " .. path, [[love.audio = nil return { frames = 100 }]]), "spectrum")
    -- A look is two pixels wide, the last one at the right; a semitone is four pixels high.
    local function brightness(note, frame) return image(4 * (83 - note) + 2, 800 - 2 * (100 - frame) - 1, 1) end
    for k, note in ipairs { 36, 40, 43, 48, 52 } do
      local frame = math.floor(((k - 1) * 0.3 + 0.1) * 60)
      assert(brightness(note, frame) > 0.8, note)
      assert(brightness(note + 3, frame) < brightness(note, frame) - 0.15, note)
    end
    assert.equal(0, lit(image["40:330, 1:590"]))
    local function bar(note) return image(560, math.floor((note + 0.5) * 800 / 84), 3) end
    assert(bar(48) > 0.3 and bar(52) > 0.3 and bar(80) == 0)
  end)

  it("plays where there is a device for sound", function()
    assert.matches("frames 21", play("love " .. path, [[return { frames = 20 }]]))
  end)
end)

describe("water", function()
  it("bends the light where a stone fell", function()
    local path = driven(copy_of "water")
    local script = "return { frames = 20, keys = { [1] = 'space' }, %s }"
    script = script:gsub("'", '"')                       -- the shell has the others
    local flat = screenshot(play("love " .. path, script:format("")))
    local stone = screenshot(play("love " .. path,
      script:format("mouse = function(frame) return 300, 400, frame > 3 and 1 or nil end")), "water")
    assert(colours(flat) < 300 and colours(stone) > 1000)
    local change = ma.abs(stone - flat):max(3)
    assert(change["360:440, 260:340"]:max():item() > 0.3, "the stone")
    assert.equal(0, change["40:768, 500:768"]:max():item())
    local rain = screenshot(play("love " .. path, "return { frames = 60 }"))
    assert(ma.abs(rain - flat)["40:768"]:max():item() > 0.2, "rain")
  end)
end)

describe("cloth", function()
  local function cloth(image) return image["40:600, :, 1"]:gt(0.3):astype("float64") end

  it("hangs by its corners, follows the mouse, and swings when a corner is let go", function()
    local path = driven(copy_of "cloth")
    local hanging = cloth(screenshot(play("love " .. path, "return { frames = 60 }")))
    assert(hanging:mean():item() > 0.15, "the cloth")
    assert.equal(0, hanging[":, 1:150"]:sum():item() + hanging[":, 650:800"]:sum():item())
    local pulled = cloth(screenshot(play("love " .. path, [[return {
      frames = 60, mouse = function(frame) return 400 + 5 * math.min(frame, 50), 300, 1 end,
    }]]), "cloth"))
    assert(pulled[":, 640:800"]:sum():item() > 20, "it is pulled to the right")
    local loose = cloth(screenshot(play("love " .. path, [[return { frames = 60, keys = { [5] = "space" } }]])))
    assert(loose["1:80, 211:300"]:sum():item() < 0.5 * hanging["1:80, 211:300"]:sum():item(), "a corner is free")
  end)
end)

describe("forest_fire", function()
  it("burns with the wind from where the mouse lit it", function()
    local path = driven(copy_of "forest_fire")
    local script = [[return { frames = %d, keys = { [1] = "space", [2] = "%s" },
      mouse = function(frame) return 384, 500, frame == 3 and %s end }]]
    local function play_it(wind, button, name)
      return screenshot(play("love " .. path, script:format(70, wind, button)), name)
    end
    local function change(wind, name)
      local d = ma.abs(play_it(wind, "1", name) - play_it(wind, "nil")):max(3)
      assert.equal(0, ma.concatenate({ d["40:300"]:ravel(), d["700:768"]:ravel() }):max():item(), "far away")
      return d["300:700, 1:384"]:gt(0.1):sum():item(), d["300:700, 385:768"]:gt(0.1):sum():item()
    end
    local west, east = change("right", "forest_fire")
    assert(east > 1500 and east > 2 * west, "a wind to the right")
    west, east = change "left"
    assert(west > 1500 and west > 2 * east, "a wind to the left")
  end)

  it("has grown on bare earth, and has trees where the right button planted them", function()
    local path = folder .. "/forest_fire"
    local function green(button, frames)
      local script = ([[return { frames = %d, keys = { [1] = "space" },
        mouse = function(frame) return 410, 500, frame == 3 and 1 or frame == 48 and %s end }]]):format(frames, button)
      local image = screenshot(play("love " .. path, script))
      local trees = image[":, :, 2"]:gt(image[":, :, 1"])
      return ma.mean(trees["494:506, 404:416"]):item(), ma.mean(trees):item()
    end
    assert(select(2, green("nil", 1)) > 0.5)
    assert(green("nil", 50) < 0.2 and green("2", 50) > 0.9)
  end)
end)

describe("sand", function()
  --- How many grains there are: a cell is 2 x 2 pixels, and only grains are more red than blue.
  local function grains(image)
    return image["1:-1:2, 1:-1:2, 1"]:gt(image["1:-1:2, 1:-1:2, 3"] + 0.1):sum():item()
  end

  it("falls, and no grain is lost or doubled", function()
    local path = driven(copy_of "sand")
    local script = [[return { frames = %d, keys = { [1] = "space" }, mouse = function(frame)
      return 60 + 18 * frame, 60 + 3 * frame, frame >= 3 and frame < 36 and 1
    end }]]
    local early, late = screenshot(play("love " .. path, script:format(36))),
      screenshot(play("love " .. path, script:format(400)))
    assert.same({ 576, 768, 3 }, { early:dims() })
    assert(grains(early) > 1500 and grains(early["400:576"]) == 0)
    assert.equal(grains(early), grains(late))
    assert(grains(late["560:576"]) > 300, "on the ground")
    assert(grains(late["160:280, 250:420"]) > 20, "on a ledge")
  end)

  it("is held by walls, dug away, and poured by the tap in its colours", function()
    local path = folder .. "/sand"
    local script = [[return { frames = %d, mouse = function(frame)
      if frame <= 24 then return 240 + 8 * frame, 100, 2 end
      return 340, 90, frame == %d and 3
    end }]]
    local held = screenshot(play("love " .. path, script:format(100, 0)))
    assert.equal(0, grains(held["120:170"]), "under the wall")
    local all, less = grains(held["60:100, 300:380"]), grains(screenshot(play("love " .. path, script:format(100, 100)))
      ["60:100, 300:380"])
    assert(all > 100 and less < all - 20, "dug")
    local long = screenshot(play("love " .. path, "return { frames = 1100 }"), "sand")
    assert(grains(long) > 5000 and colours(long) >= 9)
  end)
end)


describe("the documents", function()
  -- The mouse goes down to the right with the left button held, for so many frames.
  local script = [[return { frames = %d, mouse = function(frame) return 100 + 10 * frame, 100 + 6 * frame, 1 end }]]

  for page, wanted in pairs { love = { count = 6, frames = 5 }, recipes = { count = 3, frames = 40 },
    love_tutorial = { count = 6, frames = 60 } } do
    local name = page:gsub("_", "-") .. ".md"
    it("have programs in " .. name .. " that run in LÖVE and draw something", function()
      local path, count = folder .. "/block", 0
      assert(run(("rm -rf %s && mkdir -p %s && sh scripts/game %s && cp spec/love/driver.lua %s/main.lua"):format(path,
        path, path, path)))
      local failures = helper.failures()
      for code in read("docs/" .. name):gmatch("```lua\n(%-%- not run: in LÖVE\n.-)```") do
        count = count + 1
        local file = assert(io.open(path .. "/game.lua", "w"))
        file:write(code)
        file:close()
        failures:run("block " .. count, function()
          local text = play("love " .. path, script:format(wanted.frames))
          assert(colours(screenshot(text, page:gsub("^love_", "") .. "_" .. count)) > 1, "an empty screen")
        end)
      end
      failures:check()
      assert.equal(wanted.count, count)
    end)
  end

  it("have a recipe that records frames", function()
    local bytes = read(folder .. "/film.gif")
    assert.equal("GIF89a", bytes:sub(1, 6))
    local _, frames = bytes:gsub("!\249\4", "")
    assert(frames > 2, frames)
  end)
end)

describe("docs/threads.md", function()
  it("has a worker that takes tickets and gives tickets", function()
    local path, count = folder .. "/thread", 0
    assert(run(("mkdir -p %s && sh scripts/game %s && cp spec/love/driver.lua %s/main.lua"):format(path, path, path)))
    for code in read("docs/threads.md"):gmatch("```lua\n(%-%- not run: in LÖVE\n.-)```") do
      count = count + 1
      for name, text in pairs { worker = code, game = [[
        local ma = require "moonarray"
        local jobs, results = love.thread.getChannel("jobs"), love.thread.getChannel("results")
        local thread = love.thread.newThread("worker.lua")
        thread:start()
        jobs:push(ma.export(ma.array { 1, 4, 9 }))
        local found = ma.import(results:demand())
        jobs:push("stop")
        thread:wait()
        print("roots " .. ma.array_str(found) .. tostring(thread:getError()))]] } do
        local file = assert(io.open(("%s/%s.lua"):format(path, name), "w"))
        file:write(text)
        file:close()
      end
      assert.matches("roots %[1. 2. 3.%]nil", play("love " .. path, "return { frames = 2 }"))
    end
    assert.equal(1, count)
  end)
end)

describe("docs/frames.md", function()
  local game, in_thread = [[
local ma = require "moonarray"
local thread = love.thread.newThread("worker.lua")
thread:start()
local job, got = ma.job(function(x) return ma.await((x * 2):sum()) end, ma.ones(10))
coroutine.wrap(function() got = ma.await(job) end)()
print("outside", ma.await(ma.ones(4):sum()))
function love.update()
  ma.allow_synchronize(false, ma.update)
  if got then print("game", got) got = nil end
end
function love.keypressed()
  thread:wait()
  print("thread", thread:getError() or love.thread.getChannel("sum"):demand())
end]], [[
local ma = require "moonarray"
local sum
coroutine.wrap(function() sum = ma.await(ma.ones(5):sum()) end)()
while not sum do ma.update() end
love.thread.getChannel("sum"):push(sum)]]

  for where, on in pairs { [helper.device] = helper.device, ["a pretended GPU whose work takes a while"] = "" } do
    it("says what awaits in a game and in a thread do: " .. where, function()
      local gpu = require "spec.pretend.gpu"
      if on == "" and not gpu.is_built() then return pending "no pretended GPU; make pretend" end
      local path = folder .. "/awaits"
      assert(run(("mkdir -p %s && sh scripts/game %s && cp spec/love/driver.lua %s/main.lua"):format(path, path, path)))
      for name, code in pairs { game = game, worker = in_thread } do
        require("spec.file").write(("%s/%s.lua"):format(path, name), code)
      end
      local libraries = ("%s/%s"):format(os.getenv "PWD", gpu.driver:match "^(.*)/")
      local late = ("cuda PRETEND_DELAY=9 CUDA_PATH= LD_LIBRARY_PATH=%s MOONARRAY_CACHE_DIR=%s/cache"):format(libraries,
        libraries)
      local script = [[return { frames = 40, keys = { [30] = "x" } }]]
      local text = play("love " .. path, script, false, on == "" and late or on)
      assert.matches("outside\t4\n", text)
      assert.matches("\ngame\t20\n", text)
      assert.matches("\nthread\t5\n", text)
    end)
  end
end)

describe("the reference", function()
  it("has examples that run in LÖVE and print what it says", function()
    local reference, examples = dofile("scripts/reference.lua"), require "moonarray.help.examples"
    local path, count = folder .. "/reference", 0
    assert(run(("mkdir -p %s && sh scripts/game %s && cp spec/love/driver.lua %s/main.lua"):format(path, path, path)))
    local lines = { 'ma = require "moonarray"' }
    for name, example in pairs(examples) do
      if example.gpu == "in LÖVE" and name == example.names[1] then
        count = count + 1
        lines[#lines + 1] = ([[do
          io.write("<%s>")
          love.draw = nil
          local mesh = love.graphics.newMesh(3)
          %s
          if love.draw then love.draw() end
          io.write("</>\n")
        end]]):format(name, reference.program(example))
      end
    end
    local file = assert(io.open(path .. "/game.lua", "w"))
    file:write(table.concat(lines, "\n"))
    file:close()
    local text = play("love " .. path, "return { frames = 2 }")
    local failures = helper.failures()
    for name, printed in text:gmatch("<([%w_.:]+)>(.-)\n?</>") do
      count = count - 1
      failures:run(name, function() assert.equal(examples[name].prints or "", printed) end)
    end
    failures:check()
    assert.equal(0, count, text)
  end)
end)

describe("the pretended GPU", function()
  -- What mixes arrays of two devices, or writes to a CPU's memory from a GPU, dies there.
  local script = [[return { frames = 4, keys = { [1] = "space" },
    mouse = function(frame) return 300 + 8 * frame, 300, frame > 1 and 1 or nil end }]]
  local here = os.getenv("PWD")
  local libraries = ("%s/%s/pretend"):format(here, os.getenv("BUILD") or "build")
  local device = ("cuda CUDA_PATH= LD_LIBRARY_PATH=%s MOONARRAY_CACHE_DIR=%s/cache"):format(libraries, libraries)

  for _, game in ipairs { "boids", "forest_fire", "raycaster", "reaction_diffusion", "sand", "spectrum", "swarm",
    "water" } do
    it("plays " .. game, function()
      if helper.device ~= "cpu" then return pending "the tests above are on a GPU" end
      assert(run("test -e " .. libraries .. "/libcuda.so.1"), "make pretend")
      assert.matches("frames 5", play("love " .. driven(copy_of(game)), script, false, device))
    end)
  end
end)
