-- docs/engines.md: its program for LÖVR runs with a made-up `lovr`, whose functions are as in LÖVR's manual.

require "spec.helper"
local ffi = require "ffi"
local read = require("spec.file").read

describe("docs/engines.md", function()
  it("has a program for LÖVR that writes the memory of an Image in each frame", function()
    local bytes, seen, time = ffi.new("uint8_t[?]", 256 * 256 * 4), {}, 0
    local image = { getPointer = function() return ffi.cast("void *", bytes) end }
    local lovr = { data = { newImage = function(width, height, format)
      assert.same({ 256, 256, "rgba8" }, { width, height, format })
      return image
    end }, timer = { getTime = function() return time end }, graphics = { newTexture = function(of)
      assert.equal(image, of)
      return { setPixels = function(_, from)
        assert.equal(image, from)
        seen[#seen + 1] = { bytes[0], bytes[1], bytes[4 * 100], bytes[256 * 256 * 4 - 4] }
      end }
    end } }
    local program = assert(read("docs/engines.md"):match("```lua\n(%-%- not run: in LÖVR.-)```"))
    setfenv(assert(loadstring(program)), setmetatable({ lovr = lovr }, { __index = _G }))()
    lovr.update()
    time = 1
    lovr.update()
    local function red(column, at) return math.floor(127 * (1 + math.sin(column / 20 + at))) end
    assert.same({ { red(0, 0), 0, red(100, 0), red(255, 0) }, { red(0, 1), 0, red(100, 1), red(255, 1) } }, seen)
  end)
end)
