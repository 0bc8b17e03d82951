--- Arrays as Images of LÖVE, which are brought up to date by one call in each frame: on a GPU that draws the window
--- without the host's memory (names.lua).

local sformat = require("moonarray.text").format

-- For each format whose values are shown unchanged: the dtype of a channel, and the number of channels.
local raw = {
  r8 = { "uint8", 1 }, rg8 = { "uint8", 2 }, rgba8 = { "uint8", 4 },
  r16 = { "uint16", 1 }, rg16 = { "uint16", 2 }, rgba16 = { "uint16", 4 },
  r16f = { "float16", 1 }, rg16f = { "float16", 2 }, rgba16f = { "float16", 4 },
  r32f = { "float32", 1 }, rg32f = { "float32", 2 }, rgba32f = { "float32", 4 },
}

local COLOURS = 256

return function(ma, core, module)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local opengl = require "moonarray.love.names" (ma)
  local is = common.is

  --> = picture | - | An Image of LÖVE that shows an array.
  --> . image: userdata | the Image
  --> . data: userdata | its ImageData, by whose memory an array reaches the Image where it is not shared
  --> . pixels: array | a view of that
  --> . is_shared: boolean | whether the last update let the GPU copy, without the host's memory
  local Picture = {}
  Picture.__index = Picture

  local function check_format(name, format)
    if raw[format] then return format end
    local names = {}
    for other in pairs(raw) do names[#names + 1] = other end
    table.sort(names)
    fail(name, sformat("format is %s; wanted one of %s", type(format) == "string" and sformat("%q", format)
      or core.describe(format), table.concat(names, ", ")))
  end

  --- A table of colours as words of four bytes: those of the colormap, and after them the colour of NaN.
  local function palette(name, colormap, bad)
    local colours = ma.empty({ COLOURS + 1, 4 }, { dtype = "uint8", device = "cpu" })
    colours["1:-2, 1:3"] = ma.rint(ma.image.colormap(colormap, { n = COLOURS, device = "cpu" }) * 255):astype("uint8")
    colours[":, 4"] = 255
    bad = common.list(name, "bad", bad or { 0, 0, 0, 0 })
    colours[-1] = { bad[1], bad[2], bad[3], bad[4] or 255 }
    return ma.frombuffer(colours:tobytes(), { COLOURS + 1 }, "uint32", { device = "cpu" })
  end

  -- ==== What an update writes ========================================================================================

  local function limits(self, a)
    if self.min and self.max then return self.min, self.max end
    local finite = ma.where(ma.isfinite(a), a, ma.nan)
    return self.min or ma.nanmin(finite), self.max or ma.nanmax(finite)
  end

  --- The memory on a device from which the Image is written: `texels`, and for numbers the same as `words`. On the CPU
  --- it is the ImageData.
  local function memory_on(self, device)
    local own = self.on[device]
    if own then return own end
    own = {}
    if self.palette then
      own.words = ma.keep(ma.zeros({ self.pixels.shape[1], self.pixels.shape[2], 1 }, "uint32", { device = device }))
      own.texels = ma.keep(own.words:view "uint8")
      own.words = ma.keep(own.words[":, :, 1"])
    else
      own.texels = ma.keep(ma.zeros(self.pixels.shape, self.pixels.dtype, { device = device }))
    end
    self.on[device] = own
    return own
  end

  -- Each returns what the Image is to show: the array itself, or memory of that device into which it wrote.

  local function write_numbers(self, device, a)
    if not is.floating[a.dtype] then a = a:astype("float32") end
    local min, max = limits(self, a)
    local width = max - min
    width = is_array(width) and ma.where(width:eq(0), 1, width) or width == 0 and 1 or width
    local place = ma.clip((a - min) * (COLOURS / width) + 1, 1, COLOURS)
    place = ma.where(ma.isnan(a), COLOURS + 1, place):astype("int64")
    if self.palette.device ~= a.device then self.palette = ma.keep(self.palette:to(a.device)) end
    local memory = memory_on(self, device)
    memory.words:assign(ma.take(self.palette, place, 1))
    return memory.texels
  end

  --- Colours of uint8, or from 0 to 1, of 1 to 4 channels.
  local function write_colours(self, device, a)
    if a.dtype ~= "uint8" then a = ma.rint(ma.clip(a, 0, 1) * 255):astype("uint8") end
    local n = a.shape[3]
    if n == 4 then return a end
    local texels, has_alpha = memory_on(self, device).texels, n == 2
    texels[":, :, 1:3"] = n == 3 and a or a[":, :, 1:1"]
    texels[":, :, 4"] = has_alpha and a[":, :, 2"] or 255
    return texels
  end

  local function write_raw(self, _, a) return common.cast(a, self.pixels.dtype) end

  local function show(self, graphics, a)
    local resource = opengl.texture(self.of_image, graphics, self.image, a.device)
    self.is_shared = resource ~= nil
    if resource then return resource:write(self:write(a.device, a)) end
    local texels = self:write("cpu", a)
    if texels ~= self.pixels then self.pixels:assign(texels) end
    self.image:replacePixels(self.data)
  end

  local function is_colours(a) return a.ndim == 3 and a.shape[3] >= 1 and a.shape[3] <= 4 end

  --- The function that writes an array of this form into the picture.
  local function way(name, a, format)
    if not is_array(a) or a.size == 0 or is.complexfloating[a.dtype] then
      fail(name, sformat("a is %s; wanted an array of real numbers with elements", core.describe(a)))
    end
    if format then
      local n = raw[format][2]
      if a.ndim ~= (n == 1 and 2 or 3) or (n > 1 and a.shape[3] ~= n) then
        fail(name, sformat("a has shape %s; %s takes (height, width%s)", common.shape_text(a), format,
          n == 1 and "" or ", " .. n))
      end
      return write_raw
    end
    if a.ndim == 2 then return write_numbers end
    if is_colours(a) then return write_colours end
    fail(name, sformat("a has shape %s; wanted (height, width), or (height, width, 1 to 4 channels)",
      common.shape_text(a)))
  end

  -- ==== Pictures =====================================================================================================

  --> :update(a: data) -> picture | Shows another array of the same form from now on.
  --> love picture:update picture:draw: local picture = ma.love.picture(ma.zeros {64, 64})
  -->   function love.draw() picture:update(ma.random.random {64, 64}):draw(10, 10) end
  --> = It prints nothing: each frame shows other grey in the window.
  function Picture:update(a)
    local name = "love.picture.update"
    local write = way(name, a, self.format)
    local shape = self.pixels.shape
    if a.shape[1] ~= shape[1] or a.shape[2] ~= shape[2] or write ~= self.write then
      fail(name, sformat("a has shape %s; the picture was made of %s", common.shape_text(a), self.made_of))
    end
    ma.scope(show, self, module(name, "graphics"), a)
    return self
  end

  --> :draw(x?: number, y?: number, r?: number, sx?: number, sy?: number) | love.graphics.draw of the Image.
  function Picture:draw(...) module("love.picture.draw", "graphics").draw(self.image, ...) end

  common.guard("love.picture", Picture, Picture)

  --> love love.picture: local picture = ma.love.picture(ma.random.random({64, 64}))
  -->   function love.draw() picture:draw(10, 10) end
  --> = It prints nothing: it shows random grey in the window.
  def("love.picture(a: data; colormap?: string, min?: number, max?: number, bad?: number[], format?: string, "
    .. "filter?: string) -> picture",
    "An Image of LÖVE that shows an array. p:update(a) shows another one of the same shape, p:draw(...) is "
    .. "love.graphics.draw of p.image. Numbers of (height, width) get colours as in ma.image.to_rgba8, by `colormap`, "
    .. "`min` and `max`, which are looked for in each update unless they are given, and `bad` for NaN. (height, width, "
    .. "1 to 4) are colours, of uint8 or from 0 to 1. With `format`, such as \"r32f\", a shader gets the values "
    .. "themselves. `filter` is \"nearest\" or \"linear\".",
    function(a, colormap, min, max, bad, format, filter)
      local name = "love.picture"
      local image, graphics = module(name, "image"), module(name, "graphics")
      if format ~= nil then check_format(name, format) end
      local write = way(name, a, format)
      if min ~= nil then common.number(name, "min", min) end
      if max ~= nil then common.number(name, "max", max) end
      local height, width = a.shape[1], a.shape[2]
      local data = image.newImageData(width, height, format or "rgba8")
      local self = setmetatable({
        data = data, pixels = ma.keep(ma.love.view(data)), format = format, write = write, min = min, max = max,
        made_of = common.shape_text(a), on = {}, of_image = {}, is_shared = false,
      }, Picture)
      self.on.cpu = { texels = self.pixels }
      if write == write_numbers then
        self.on.cpu.words = ma.keep(ma.love.view(data, { dtype = "uint32" }))
        self.palette = ma.keep(palette(name, colormap == nil and "viridis" or colormap, bad))
      end
      self.image = graphics.newImage(data)
      self.image:setFilter(filter or "nearest", filter or "nearest")
      return self:update(a)
    end)
end
