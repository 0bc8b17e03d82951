-- Canvases that LÖVE 12 copies under way: ma.love.canvas(c):read_async(). LÖVE 12 is in no package, so a made-up
-- `love` stands for it, with the functions that the call needs.

local helper = require "spec.helper"
local ffi = require "ffi"
local ma = helper.ma

local asked, left                        -- how many copies began; after how many questions one is there
local has_failed = false

--- An ImageData of 2 x 1 pixels with the bytes 0 to 7.
local function image_data()
  local bytes = ffi.new("uint8_t[8]", 0, 1, 2, 3, 4, 5, 6, 7)
  return { getFFIPointer = function() return bytes end, getSize = function() return 8 end,
    getFormat = function() return "rgba8" end, getDimensions = function() return 2, 1 end,
    typeOf = function(_, class) return class == "ImageData" end }
end

local function readback()
  return { isComplete = function()
    left = left - 1
    return left <= 0
  end, wait = function() left = 0 end, hasError = function() return has_failed end, getImageData = image_data }
end

local drawn, depth = { isCanvas = function() return true end, getTextureType = function() return "2d" end,
  getPixelDimensions = function() return 2, 1 end }, 0

setup(function()
  rawset(_G, "love", { graphics = {
    push = function() depth = depth + 1 end, pop = function() depth = depth - 1 end, reset = function() end,
    readbackTexture = function(texture)
      assert.equal(drawn, texture)
      return image_data()
    end,
    readbackTextureAsync = function(texture)
      assert.equal(drawn, texture)
      asked, left = asked + 1, 3
      return readback()
    end } })
end)
teardown(function() rawset(_G, "love", nil) end)
before_each(function() asked, has_failed = 0, false end)

local function check(a)
  assert.same({ 1, 2, 4 }, { a:dims() })
  assert.equal("cpu", a.device)
  assert.equal("\0\1\2\3\4\5\6\7", a:tobytes())
end

describe("a canvas of LÖVE 12", function()
  it("is copied under way, and its handle is asked as others are", function()
    local canvas = ma.love.canvas(drawn)
    local copy = canvas:read_async()
    assert.equal(1, asked)
    assert.equal(0, depth)
    assert.is_false(copy:ready())
    assert.is_false(copy.done)
    assert.is_true(copy:ready())
    check(copy:get())
    assert.equal(copy:get(), copy:get())
    local early = canvas:read_async()
    check(early:get())                                         -- waits
    assert.is_true(early.done)
    check(canvas:read():get())
  end)

  it("is awaited: a coroutine yields until LÖVE has it", function()
    local got, sum, frames = nil, nil, 0
    coroutine.wrap(function() got, sum = ma.await(ma.love.canvas(drawn):read_async(), ma.ones(3):sum()) end)()
    assert.is_nil(got)
    repeat
      frames = frames + 1
      ma.allow_synchronize(false, ma.update)
    until got or frames > 100
    check(got)
    assert.equal(3, sum)
    check(ma.await(ma.love.canvas(drawn):read_async()))        -- outside a coroutine it waits
  end)

  it("says that LÖVE could not copy it, and what a handle is", function()
    has_failed = true
    local copy = ma.love.canvas(drawn):read_async()
    assert.matches("moonarray.love.canvas.read_async: LÖVE could not copy the canvas", helper.fails(copy.get, copy))
    assert.matches("LÖVE could not copy", helper.fails(ma.await, copy))
    assert.matches("in place of the object; write object:ready", helper.fails(copy.ready, {}))
  end)
end)
