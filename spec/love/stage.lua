-- What the specs of LÖVE share: a folder, games that are played by a script, and what their last frame shows. The
-- screen is one that Xvfb keeps in memory, or SDL by EGL with SDL_VIDEODRIVER=offscreen. LOVE_PICTURES=folder keeps the
-- screenshots.

local helper = require "spec.helper"
local ma = helper.ma

local run = require("spec.file").run

local stage = {}

-- What a game is started by: SDL's own screen in memory takes no server.
local screen = os.getenv "SDL_VIDEODRIVER" == "offscreen" and "" or "xvfb-run -a"

--- Makes the folder for the file's tests, stage.folder; `finish` removes it.
function stage.start()
  assert(run("command -v love && command -v zip" .. (screen == "" and "" or " && command -v xvfb-run")),
    "make test-love needs LÖVE, Xvfb and zip: apt-get install love xvfb zip")
  stage.folder = os.tmpname()
  os.remove(stage.folder)
  assert(run("mkdir -p " .. stage.folder .. "/data"))
end

function stage.finish() run("rm -rf " .. stage.folder) end

--- A copy of a game of examples/love, with the library.
function stage.copy_of(game)
  local to = stage.folder .. "/" .. game
  assert(run(("rm -rf %s && cp -R examples/love/%s %s && sh scripts/game %s"):format(to, game, to, to)))
  return to
end

--- In front of a program: an error ends it and is printed, where LÖVE would show it and wait.
stage.ends_on_errors = [[function love.errorhandler(why)
  print(why)
  os.exit(1)
end
]]

--- Puts the driver in front of a game.
function stage.driven(path)
  assert(run(("mv %s/main.lua %s/game.lua && cp spec/love/driver.lua %s/main.lua"):format(path, path, path)))
  return path
end

--- What LÖVE prints; the path is a folder, an archive or a program. `on` is another device, with its environment.
function stage.play(command, script, may_fail, on)
  -- As a player runs it: without the paths of the specs, and from another folder.
  local environment = ("cd %s && env -u LUA_PATH -u LUA_CPATH XDG_DATA_HOME=%s/data ALSOFT_DRIVERS=null " ..
    "MOONARRAY_DEVICE=%s DRIVER='%s'"):format(stage.folder, stage.folder, on or helper.device, script)
  local ok, text = run(("%s timeout 120 %s %s"):format(environment, screen, command))
  assert(ok or may_fail, text)
  return text
end

--- The last frame, as float64 from 0 to 1.
function stage.screenshot(text, name)
  local saved = assert(text:match("\nsaved ([^\n]+)"), text)
  local path = saved .. "/shot.png"
  local image = ma.image.read(path)
  local pictures = os.getenv("LOVE_PICTURES")
  if pictures and name then assert(run(("cp %s %s/love_%s.png"):format(path, pictures, name))) end
  os.remove(path)
  if image.ndim == 2 then image = ma.stack({ image, image, image }, 3) end           -- LÖVE stores grey ones so
  return image[":, :, 1:3"]:get():astype("float64") / 255
end

--- The part of pixels that are brighter than a limit.
function stage.lit(image, limit) return ma.mean(image:max(3):gt(limit or 0.1)):item() end

--- How many different colours there are.
function stage.colours(image)
  local bytes = ma.rint(image * 255):astype("int64")
  return ma.unique(bytes[":, :, 1"] * 65536 + bytes[":, :, 2"] * 256 + bytes[":, :, 3"]).size
end

return stage
