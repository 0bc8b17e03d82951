--- Canvases of LÖVE as arrays, on a GPU that draws the window without the host's memory (names.lua).

local sformat = require("moonarray.text").format

return function(ma, core, module)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local names = require "moonarray.love.names" (ma)
  local waiting = require "moonarray.frames.waiting" (ma, core)
  local apart = names.apart

  --> = readback | - | A copy of a Canvas to the CPU that LÖVE 12 makes.
  --> . done: boolean | whether it is there
  local Readback, readback = waiting.Readback, {}

  --> :ready() -> boolean | Whether it is there, without waiting; the same as done.
  --> love readback:ready readback:get: local copy = ma.love.canvas(love.graphics.newCanvas(8, 4)):read_async()
  -->   return copy:get().shape, copy:ready()
  --> > (4, 8, 4)	true
  function readback:ready() return self.way:isComplete() end

  --> :get() -> array | Waits for the copy and gives the array.
  function readback:get()
    if not self.array then
      self.way:wait()
      if self.way:hasError() then fail("love.canvas.read_async", "LÖVE could not copy the canvas") end
      self.array = ma.keep(ma.love.view(self.way:getImageData()))
    end
    return self.array
  end

  function Readback.__index(self, name)
    if name == "done" then return readback.ready(self) end
    return readback[name]
  end

  common.guard("love.canvas.read_async", Readback, readback)

  --> = love_canvas | - | A Canvas of LÖVE that is read and written as an array.
  --> . canvas: userdata | the Canvas
  --> . is_shared: boolean | whether the last call let the GPU copy, without the host's memory
  local Canvas = {}
  Canvas.__index = Canvas

  local function check(name, self)
    local graphics = module(name, "graphics")
    local ok, width, height = pcall(self.canvas.getPixelDimensions, self.canvas)
    if not ok then fail(name, "a canvas that was released; wanted one that LÖVE still has") end
    return graphics, width, height
  end

  -- ==== Reading ======================================================================================================

  --- LÖVE 12 has moved the canvases' function.
  local function host_data(graphics, canvas)
    if graphics.readbackTexture then return graphics.readbackTexture(canvas) end
    return canvas:newImageData()
  end

  local function shared(self, graphics, device)
    local resource = names.texture(self, graphics, self.canvas, device)
    self.is_shared = resource ~= nil
    return resource
  end

  --> :read() -> array | A copy of its texels: (height, width, channels), or (height, width) of one channel.
  --> love love_canvas:read love_canvas:write: local canvas = ma.love.canvas(love.graphics.newCanvas(8, 4))
  -->   canvas:write(ma.full({4, 8, 4}, 255, "uint8"))
  -->   return canvas:read():sum():item()
  --> > 32640
  function Canvas:read()
    local graphics = check("love.canvas.read", self)
    local resource = shared(self, graphics, ma.device().name)
    if resource then return resource:read() end
    return ma.array(ma.love.view(apart(graphics, host_data, graphics, self.canvas)))
  end

  --> :read_async() -> copy|readback | The same on the CPU, under way: a handle for ready(), get() and ma.await.
  --> love love_canvas:read_async: local canvas = ma.love.canvas(love.graphics.newCanvas(8, 4))
  -->   return ma.await(canvas:read_async()).shape
  --> > (4, 8, 4)
  function Canvas:read_async()
    local graphics = check("love.canvas.read_async", self)
    local resource = shared(self, graphics, ma.device().name)
    if resource then return ma.scope(function() return resource:read():get_async() end) end
    if graphics.readbackTextureAsync then
      return setmetatable({ way = apart(graphics, graphics.readbackTextureAsync, self.canvas) }, Readback)
    end
    local data = apart(graphics, host_data, graphics, self.canvas)
    return ma.array(ma.love.view(data), { device = "cpu" }):get_async()
  end

  -- ==== Writing ======================================================================================================

  --- The Image that is drawn over the canvas.
  local function make_image(self, graphics)
    if self.image then return end
    self.image = graphics.newImage(self.data, { linear = true, dpiscale = self.canvas:getDPIScale() })
    self.image:setFilter("nearest", "nearest")
    self.of_image = {}
  end

  local function draw(graphics, self)
    graphics.setCanvas(self.canvas)
    graphics.setBlendMode("replace", "premultiplied")
    graphics.draw(self.image)
  end

  --- What is written to the texture of a canvas with several samples is lost when it is resolved again: an Image with
  --- the texels is drawn over it, which writes all samples.
  local function write(self, graphics, a)
    local is_smooth = self.canvas:getMSAA() > 1
    local resource = not is_smooth and shared(self, graphics, a.device)
    if resource then return resource:write(a) end
    make_image(self, graphics)
    resource = is_smooth and names.texture(self.of_image, graphics, self.image, a.device)
    self.is_shared = resource and true or false
    if resource then resource:write(a)
    else
      self.pixels:assign(a)
      self.image:replacePixels(self.data)
    end
    apart(graphics, draw, graphics, self)
  end

  --> :write(a: data) | Gives it the texels of an array of its shape.
  function Canvas:write(a)
    local name = "love.canvas.write"
    local graphics, width, height = check(name, self)
    if not self.data then
      self.data = module(name, "image").newImageData(width, height, self.canvas:getFormat())
      self.pixels = ma.keep(ma.love.view(self.data))
    end
    if not is_array(a) or not ma.same_shape(a, self.pixels) then
      fail(name, sformat("a is %s; the canvas takes %s %s", core.describe(a), self.pixels.dtype,
        common.shape_text(self.pixels)))
    end
    ma.scope(function() write(self, graphics, common.cast(a, self.pixels.dtype)) end)
  end

  common.guard("love.canvas", Canvas, Canvas)

  --> love love.canvas: ma.love.canvas(love.graphics.newCanvas(8, 4)):read().shape
  --> > (4, 8, 4)
  def("love.canvas(canvas: userdata) -> love_canvas",
    "A Canvas of LÖVE as an object: c:read() copies its texels to an array, c:write(a) copies an array to it. On a GPU "
    .. "that draws the window too, the texels do not pass through the host's memory.",
    function(canvas)
      local name = "love.canvas"
      local ok, is_canvas = pcall(function() return canvas.isCanvas and canvas:isCanvas() or canvas:typeOf "Canvas" end)
      if not ok or not is_canvas then
        fail(name, sformat("canvas is %s; wanted a Canvas of LÖVE", core.describe(canvas)))
      end
      if canvas:getTextureType() ~= "2d" then
        fail(name, sformat("a canvas of type '%s'; wanted '2d'", canvas:getTextureType()))
      end
      return setmetatable({ canvas = canvas, is_shared = false }, Canvas)
    end)
end
