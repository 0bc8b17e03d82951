-- What a C program finds the header by, and the examples of windows by SDL2, with OpenGL and with Vulkan: make
-- test-embed. It needs pkg-config, CMake, headers of SDL2, OpenGL and Vulkan, a Vulkan driver such as Mesa's, and Xvfb.

local helper = require "spec.helper"
local ma = helper.ma
local read = require("spec.file").read

local run = require("spec.file").run

local function must(command)
  local ok, output = run(command)
  assert(ok, command .. ":\n" .. output)
  return output
end

local write = require("spec.file").write

local folder, prefix
local flags = "-Wall -Wextra -Werror -std=c99"
setup(function()
  assert(run "command -v cmake && command -v xvfb-run && pkg-config --exists sdl2 gl vulkan luajit",
    "make test-embed needs apt-get install cmake pkg-config libluajit-5.1-dev libsdl2-dev libgl-dev libvulkan-dev " ..
    "mesa-vulkan-drivers xvfb")
  folder = os.tmpname()
  os.remove(folder)
  prefix = folder .. "/usr"
  must("make -s install PREFIX=" .. prefix)
end)
teardown(function() run("rm -rf " .. folder) end)

--- The environment of a program that finds the installed library alone.
local function installed()
  return ("LUA_PATH='%s/share/lua/5.1/?.lua;%s/share/lua/5.1/?/init.lua' LUA_CPATH='%s/lib/lua/5.1/?.so' " ..
    "MOONARRAY_DEVICE=%s"):format(prefix, prefix, prefix, helper.device)
end

local function plays_the_game(host)
  local output = must(("%s %s examples/embed/game.lua"):format(installed():gsub("cuda%S*$", "cpu"), host))
  assert.matches("\ncentre: 10.5 20.5\n", output)
end

describe("an installed header", function()
  it("is found by pkg-config, with its version", function()
    local pkg = ("PKG_CONFIG_PATH=%s/share/pkgconfig pkg-config "):format(prefix)
    assert.equal(ma.version .. "\n", must(pkg .. "--modversion moonarray"))
    must(("cc %s $(%s --cflags moonarray luajit) examples/embed/host.c -o %s/host $(%s --libs moonarray luajit)")
      :format(flags, pkg, folder, pkg))
    plays_the_game(folder .. "/host")
  end)

  it("is found by CMake, as the page says", function()
    local snippet = assert(read("docs/embedding.md"):match("```cmake\n(.-)```"))
    must(("mkdir -p %s/program && cp examples/embed/host.c %s/program"):format(folder, folder))
    write(folder .. "/program/CMakeLists.txt", snippet)
    local command = "cmake -S %s/program -B %s/made -DCMAKE_PREFIX_PATH=%s"
    must(command:format(folder, folder, prefix) .. (" && cmake --build %s/made"):format(folder))
    plays_the_game(folder .. "/made/host")
    -- A version that is not there, and a checkout that is not installed.
    write(folder .. "/program/CMakeLists.txt", (snippet:gsub("moonarray [%d.]+ REQUIRED", "moonarray 99 REQUIRED")))
    local ok, output = run(command:format(folder, folder .. "/other", prefix))
    assert.is_false(ok)
    assert.matches("requested%s+version \"99\"", output)
    write(folder .. "/program/CMakeLists.txt", snippet)
    must(("cmake -S %s/program -B %s/checkout -Dmoonarray_DIR=$PWD/include/cmake"):format(folder, folder))
    must(("cmake --build %s/checkout"):format(folder))
  end)
end)

describe("memory of Vulkan's", function()
  it("is written by a script and copied by Vulkan, in rounds", function()
    must(("cc %s -I%s/include $(pkg-config --cflags luajit vulkan) examples/embed/vulkan.c -o %s/vulkan " ..
      "$(pkg-config --libs luajit vulkan)"):format(flags, prefix, folder))
    local ok, output = run(("%s timeout 60 %s/vulkan examples/embed/vulkan.lua 10000"):format(installed(), folder))
    if ok then return assert.matches("10000 rounds: Vulkan copied what the script wrote", output) end
    -- Without a GPU, or without Vulkan on it, the example says so.
    assert(output:find("moonarray.identity: ", 1, true) or output:find("does not know the GPU", 1, true) or
      output:find("vkCreateInstance", 1, true) or output:find("vkEnumeratePhysicalDevices", 1, true), output)
    pending("no Vulkan on a GPU of CUDA's: " .. output)
  end)
end)

--- Looks at the picture that both windows show in their 20th frame.
local function check_picture(path)
  local image = ma.image.read(path):get():astype("float64")
  assert.same({ 512, 512, 3 }, { image:dims() })
  -- The two sources are alike, so the picture is symmetrical but for the third between them that is no whole number.
  local blue = image[":, :, 3"]
  assert(blue:max():item() > 190 and blue:min():item() < 90)
  local mirrored = ma.flip(blue, 1)
  assert(ma.abs(blue["2:"] - mirrored["1:-2"]):max():item() <= 1, "the first row is at the top")
  local rows = ma.arange(512):reshape(512, 1)
  local function waves(row, column)
    local distance = ma.sqrt((rows - row) ^ 2 + (ma.arange(512) - column) ^ 2)
    return ma.sin(distance * 0.2 - 19 * 0.3) / (1 + 0.01 * distance)
  end
  local height = waves(256, 512 / 3) + waves(256, 1024 / 3)
  for channel, colour in ipairs { { 64, 48 }, { 96, 48 }, { 140, 55 } } do
    local wanted = ma.trunc((colour[1] + colour[2] * height):get())
    assert(ma.abs(image[{ {}, {}, channel }] - wanted):max():item() <= 1, channel)
  end
end

describe("a window by SDL2", function()
  it("and OpenGL shows what a script computes", function()
    local picture = folder .. "/picture.png"
    must(("cc %s -I%s/include $(pkg-config --cflags luajit sdl2) examples/embed/window.c -o %s/window " ..
      "$(pkg-config --libs luajit sdl2 gl)"):format(flags, prefix, folder))
    -- SDL's own screen in memory by EGL, which a machine with a GPU has too; else Xvfb's.
    local command = ("%s %%s timeout 60 %%s %s/window examples/embed/window.lua 20 %s"):format(installed(), folder,
      picture)
    local ok, output = run(command:format("SDL_VIDEODRIVER=offscreen", ""))
    if not ok then output = must(command:format("", "xvfb-run -a")) end
    assert.matches("^OpenGL by ", output)
    check_picture(picture)
  end)

  it("and Vulkan shows what a script writes into Vulkan's memory, and the layers find no fault", function()
    local picture = folder .. "/vulkan.png"
    must(("cc %s -I%s/include $(pkg-config --cflags luajit sdl2 vulkan) examples/embed/vulkan_window.c " ..
      "-o %s/vulkan_window $(pkg-config --libs luajit sdl2 vulkan)"):format(flags, prefix, folder))
    -- The layers are a package of their own. Without it Vulkan's loader goes on.
    local layers = run "test -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
      and "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation" or ""
    local output = must(("%s %s timeout 60 xvfb-run -a %s/vulkan_window examples/embed/vulkan_window.lua 20 %s"):format(
      installed(), layers, folder, picture))
    assert.matches("^Vulkan by [^\n]*\n$", output)
    check_picture(picture)
  end)
end)
