--- Canvases of LÖVE as arrays. LÖVE gives no name of OpenGL's to Lua, but a canvas that is drawn is bound, and OpenGL
--- says what is bound. So on a GPU the texels do not pass through the host's memory.

local sformat = require("moonarray.text").format

-- Numbers of OpenGL's.
local TEXTURE_BINDING_2D, ACTIVE_TEXTURE, TEXTURE0 = 0x8069, 0x84E0, 0x84C0

--- A function of OpenGL's context, which is current on LÖVE's thread; nil without LuaJIT's FFI, or without SDL in
--- reach.
local function opener()
  local has_ffi, ffi = pcall(require, "ffi")
  if not has_ffi then return end
  pcall(ffi.cdef, "void *SDL_GL_GetProcAddress(const char *name); void *SDL_GL_GetCurrentContext(void);")
  local function in_library(library)
    local found, sdl = pcall(library)
    return found and pcall(function() return sdl.SDL_GL_GetProcAddress end) and sdl or nil
  end
  local sdl = in_library(function() return ffi.C end) or in_library(function() return ffi.load "SDL2" end)
  if not sdl then return end
  local geti, active = sdl.SDL_GL_GetProcAddress "glGetIntegerv", sdl.SDL_GL_GetProcAddress "glActiveTexture"
  if geti == nil or active == nil then return end
  geti, active = ffi.cast("void (*)(unsigned, int *)", geti), ffi.cast("void (*)(unsigned)", active)
  local value = ffi.new "int[1]"
  local function ask(what)
    geti(what, value)
    return value[0]
  end
  --- The texture of the first unit, and the context that it belongs to.
  return function()
    local unit = ask(ACTIVE_TEXTURE)
    active(TEXTURE0)
    local bound = ask(TEXTURE_BINDING_2D)
    active(unit)
    return bound, tostring(sdl.SDL_GL_GetCurrentContext())
  end
end

return function(ma, core, module)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local bound                                                   -- false: there is no such function

  --> = love_canvas | - | A Canvas of LÖVE that is read and written as an array.
  --> . canvas: userdata | the Canvas
  --> . is_shared: boolean | whether the last call let the GPU copy, without the host's memory
  local Canvas = {}
  Canvas.__index = Canvas

  --- Runs `fn` while no canvas is active and nothing is transformed or coloured.
  local function apart(graphics, fn, ...)
    graphics.push "all"
    graphics.reset()
    local ok, result = pcall(fn, ...)
    graphics.pop()
    if ok then return result end
    error(result, 0)
  end

  --- Draws no pixel of the canvas, which resolves one with several samples and binds its texture.
  local function bind(graphics, canvas)
    graphics.setScissor(0, 0, 0, 0)
    graphics.draw(canvas)
    graphics.flushBatch()
  end

  --- The canvas as a resource of ma.cuda.gl on the current device; nil where there is none. It is registered anew if
  --- LÖVE made another texture, as it does when the window changes.
  local function shared(self, graphics)
    local device = ma.device()
    if device.type ~= "cuda" then return end
    if bound == nil then bound = opener() or false end
    if not bound then return end
    apart(graphics, bind, graphics, self.canvas)
    local name, context = bound()
    local key = sformat("%d %s %s", name, context, device.name)
    if self.key ~= key then
      self.key = key
      local ok, resource = pcall(ma.cuda.gl.register_image, name)
      self.resource = ok and resource or nil
    end
    return self.resource
  end

  local function check(name, self)
    local graphics = module(name, "graphics")
    local ok, width, height = pcall(self.canvas.getPixelDimensions, self.canvas)
    if not ok then fail(name, "a canvas that was released; wanted one that LÖVE still has") end
    return graphics, width, height
  end

  --> :read() -> array | A copy of its texels: (height, width, channels), or (height, width) of one channel.
  --> love love_canvas:read love_canvas:write: local canvas = ma.love.canvas(love.graphics.newCanvas(8, 4))
  -->   canvas:write(ma.full({4, 8, 4}, 255, "uint8"))
  -->   return canvas:read():sum():item()
  --> > 32640
  function Canvas:read()
    local graphics = check("love.canvas.read", self)
    local resource = shared(self, graphics)
    self.is_shared = resource ~= nil
    if resource then return resource:read() end
    return ma.array(ma.love.view(apart(graphics, self.canvas.newImageData, self.canvas)))
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
    -- What is written to the texture of a canvas with several samples is lost when it is resolved again.
    local resource = self.canvas:getMSAA() <= 1 and shared(self, graphics) or nil
    self.is_shared = resource ~= nil
    if resource then return resource:write(common.cast(a, self.pixels.dtype)) end
    ma.scope(function() self.pixels:assign(common.cast(a, self.pixels.dtype)) end)
    if self.image then self.image:replacePixels(self.data)
    else
      self.image = graphics.newImage(self.data, { linear = true, dpiscale = self.canvas:getDPIScale() })
      self.image:setFilter("nearest", "nearest")
    end
    apart(graphics, function()
      graphics.setCanvas(self.canvas)
      graphics.setBlendMode("replace", "premultiplied")
      graphics.draw(self.image)
    end)
  end

  common.guard("love.canvas", Canvas, Canvas)

  --> love love.canvas: ma.love.canvas(love.graphics.newCanvas(8, 4)):read().shape
  --> > (4, 8, 4)
  def("love.canvas(canvas: userdata) -> love_canvas",
    "A Canvas of LÖVE as an object: c:read() copies its texels to an array, c:write(a) copies an array to it. On a GPU "
    .. "that draws the window too, the texels do not pass through the host's memory.",
    function(canvas)
      local name = "love.canvas"
      local ok, is_canvas = pcall(function() return canvas:typeOf "Canvas" end)
      if not ok or not is_canvas then
        fail(name, sformat("canvas is %s; wanted a Canvas of LÖVE", core.describe(canvas)))
      end
      if canvas:getTextureType() ~= "2d" then
        fail(name, sformat("a canvas of type '%s'; wanted '2d'", canvas:getTextureType()))
      end
      return setmetatable({ canvas = canvas, is_shared = false }, Canvas)
    end)
end
