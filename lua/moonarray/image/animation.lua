--- Animations: frames one after the other, as GIF, as PNG with several pictures, or as pictures with numbers.

local tostring = require("moonarray.text").tostring
local sformat = require("moonarray.text").format
local gif = require "moonarray.image.gif"

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local apng = require "moonarray.image.apng" (core)

  -- An animation is a list of one element, which no call takes for a table of options.
  --> = animation | - | Frames on their way to a file.
  --> @ image.Animation.
  local Animation = {}

  local function check(name, value)
    if type(value) ~= "table" or getmetatable(value) ~= Animation then
      fail(name, sformat("%s in place of the animation; write animation:%s(...)", core.describe(value),
        name:match("%w+$")))
    end
    if value[1].closed then fail(name, sformat("the animation %s is closed", value[1].path)) end
    return value[1]
  end

  local function check_delay(name, delay, default)
    if delay == nil then return default end
    common.number(name, "delay", delay)
    if delay ~= delay or delay < 0 or delay > 65 then
      fail(name, sformat("delay is %s; wanted seconds from 0 to 65", tostring(delay)))
    end
    return delay
  end

  -- ==== Frames =======================================================================================================

  --- The frame as an array of uint8 on the host: a picture, or places in the palette.
  local function pixels_of(name, state, frame)
    if type(frame) == "table" and not is_array(frame) then
      local ok, image = pcall(function() return frame:to_image() end)            -- a figure
      if ok and is_array(image) then frame = image end
    end
    if not is_array(frame) then
      fail(name, sformat("frame is %s; wanted an array or a figure", core.describe(frame)))
    end
    if state.colormap then
      if frame.ndim ~= 2 or is.complexfloating[frame.dtype] then
        fail(name, sformat("frame is %s; wanted a real matrix, for the colour map", core.describe(frame)))
      end
      local t = ma.image.normalize(frame, { min = state.min, max = state.max })
      return ma.rint(ma.where(ma.isnan(t), 0, t) * 255):astype("uint8"):get()
    end
    local channels = frame.ndim == 3 and frame.shape[3] or 1
    if frame.dtype ~= "uint8" or (frame.ndim ~= 2 and frame.ndim ~= 3) or channels < 1 or channels > 4
      or frame.size == 0 then
      fail(name, sformat("frame is %s; wanted (height, width) or (height, width, 1 to 4) of uint8; colormap = takes "
        .. "numbers", core.describe(frame)))
    end
    if state.palette and frame.ndim ~= 2 then
      fail(name, sformat("frame is %s; wanted (height, width), places in the palette", core.describe(frame)))
    end
    return frame:get()
  end

  local kinds = {}

  --- GIF: a palette for each frame, if none is given.
  kinds.gif = { most = 65535 }
  function kinds.gif.add(state, pixels, delay)
    local height, width = pixels.shape[1], pixels.shape[2]
    if state.palette then
      state.parts[#state.parts + 1] = gif.frame(width, height, state.palette_bytes, pixels:tobytes(), delay)
      return
    end
    local rgba = ma.image.to_rgba8(pixels:reshape(height, width, pixels.ndim == 3 and pixels.shape[3] or 1))
    local channels = pixels.ndim == 3 and pixels.shape[3] or 1
    local has_alpha = channels == 2 or channels == 4
    local flat = rgba:reshape(height * width, 4)
    local palette, places = gif.quantize(ma, flat[":, 1:3"], has_alpha and 255 or 256)
    local clear
    if has_alpha then
      clear = #palette / 3
      palette = palette .. "\0\0\0"
      local seen = ma.frombuffer(places, "uint8", { device = "cpu" })
      places = ma.where(flat[":, 4"]:lt(128), clear, seen):astype("uint8"):tobytes()
    end
    state.parts[#state.parts + 1] = gif.frame(width, height, palette, places, delay, clear)
  end
  function kinds.gif.finish(state)
    return gif.head(state.width, state.height, state.loop) .. table.concat(state.parts) .. "\59"
  end

  kinds.png = { most = 2 ^ 31 - 1 }
  function kinds.png.add(state, pixels, delay)
    local png = ma.image.encode(pixels, { palette = state.palette })
    local head, part, sequence = apng.frame(png, state.count, state.width, state.height, delay, state.sequence or 0)
    state.head, state.sequence = state.head or head, sequence
    state.parts[#state.parts + 1] = part
  end
  function kinds.png.finish(state)
    return state.head .. apng.control(state.count, state.loop) .. table.concat(state.parts) .. apng.tail
  end

  --- Pictures of their own, with the frame's number in their names.
  kinds.numbers = { most = 2 ^ 31 - 1 }
  function kinds.numbers.add(state, pixels)
    ma.image.write(sformat(state.path, state.count), pixels, { palette = state.palette })
  end

  -- ==== The calls ====================================================================================================

  local function kind_of(name, path)
    if type(path) ~= "string" then fail(name, sformat("path is %s; wanted a string", core.describe(path))) end
    if path:find("%%%d*d") then
      if select(2, path:gsub("%%", "")) ~= 1 then
        fail(name, sformat("%s has more than one %%; wanted one, as in frame%%04d.png", path))
      end
      return kinds.numbers
    end
    local ending = (path:match("%.(%w+)$") or ""):lower()
    if ending == "gif" then return kinds.gif end
    if ending == "png" or ending == "apng" then return kinds.png end
    fail(name, sformat("%s ends in no known format; wanted .gif, .png or .apng, or a number as in frame%%04d.png",
      path))
  end

  local function check_palette(name, palette)
    if not is_array(palette) or palette.dtype ~= "uint8" or palette.ndim ~= 2 or palette.shape[2] ~= 3
      or palette.shape[1] < 1 or palette.shape[1] > 256 then
      fail(name, sformat("palette is %s; wanted (n, 3) of uint8 with n from 1 to 256", core.describe(palette)))
    end
    return palette:get():copy()
  end

  local function new(name, path, delay, loop, palette, colormap, min, max)
    local state = { path = path, kind = kind_of(name, path), delay = check_delay(name, delay, 0.05),
      loop = common.whole(name, "loop", loop == nil and 0 or loop, 0, 65535), count = 0, parts = {},
      min = min, max = max, colormap = colormap }
    if palette ~= nil and colormap ~= nil then fail(name, "a palette and a colormap; wanted one of them") end
    if palette ~= nil then state.palette = check_palette(name, palette) end
    if colormap ~= nil then
      local map = ma.image.colormap(colormap, { device = "cpu" })
      state.palette = ma.rint(map * 255):astype("uint8")
    end
    if state.palette then state.palette_bytes = state.palette:tobytes() end
    return setmetatable({ state }, Animation)
  end

  local OPTIONS = "delay?: number, loop?: integer|boolean, palette?: array, colormap?: string, min?: number, "
    .. "max?: number"

  local function add(name, state, frame, delay)
    local pixels = pixels_of(name, state, frame)
    local height, width = pixels.shape[1], pixels.shape[2]
    local shape = common.shape_text(pixels)
    if state.shape and state.shape ~= shape then
      fail(name, sformat("a frame of shape %s; wanted %s, as the first one has", shape, state.shape))
    end
    if height > state.kind.most or width > state.kind.most then
      fail(name, sformat("a frame of %d x %d pixels; a GIF has at most 65535 of each", height, width))
    end
    if state.palette and not state.colormap and pixels:max():item() >= state.palette.shape[1] then
      fail(name, sformat("a place of %d in a palette of %d colours; they count from 0", pixels:max():item(),
        state.palette.shape[1]))
    end
    state.shape, state.height, state.width, state.count = shape, height, width, state.count + 1
    state.kind.add(state, pixels, delay)
  end

  local function close(name, state)
    if state.kind.finish then
      if state.count == 0 then fail(name, "an animation without frames; wanted one at least") end
      core.write_file(state.path, state.kind.finish(state))
    end
    state.closed, state.parts = true, nil
    return state.count
  end

  --> image.animation image.Animation.add image.Animation.close: local name = os.tmpname() .. ".gif"
  -->   local animation = ma.image.animation(name)
  -->   animation:add(ma.zeros({4, 4}, "uint8"))
  -->   local n = animation:close()
  -->   os.remove(name)
  -->   return n
  def("image.animation(path: string; " .. OPTIONS .. ") -> animation",
    "An animation that is written frame by frame: animation:add(frame), and animation:close() at the end. path ends in "
    .. ".gif, .png or .apng, or has a number as in frame%04d.png. Each frame is shown for delay seconds, 0.05 unless "
    .. "it is given, all of them loop times, for ever with 0. GIF's 256 colours are found for each frame. With "
    .. "palette, frames are places in it, from 0 on; with colormap they are numbers between min and max.",
    function(path, ...) return new("image.animation", path, ...) end)

  def("image.Animation.add(animation: animation, frame: array|figure; delay?: number) -> animation",
    "Adds a frame: an array (height, width) or (height, width, 1 to 4) of uint8, or a figure of ma.plot. delay is this "
    .. "one's.", function(self, frame, delay)
      local name = "image.Animation.add"
      local state = check(name, self)
      add(name, state, frame, check_delay(name, delay, state.delay))
      return self
    end)

  def("image.Animation.close(animation: animation) -> integer",
    "Writes the file. Returns the number of frames.", function(self)
    local name = "image.Animation.close"
    return close(name, check(name, self))
  end)

  --> image.write_animation: local name = os.tmpname() .. ".png"
  -->   local n = ma.image.write_animation(name, ma.zeros({2, 4, 4}, "uint8"))
  -->   os.remove(name)
  -->   return n
  def("image.write_animation(path: string, frames: table|array|function; " .. OPTIONS .. ") -> integer",
    "Writes frames as an animation; see ma.image.animation. frames is a list of them, an array of them along its first "
    .. "axis, or a function that returns the next one, and nil behind the last. Returns their number.",
    function(path, frames, ...)
      local name = "image.write_animation"
      local state = new(name, path, ...)[1]
      if is_array(frames) then
        if frames.ndim < 3 then
          fail(name, sformat("frames is %s; wanted frames along the first axis", core.describe(frames)))
        end
        for k = 1, frames.shape[1] do add(name, state, frames[k], state.delay) end
      elseif type(frames) == "table" then
        for _, frame in ipairs(frames) do add(name, state, frame, state.delay) end
      else
        common.callable(name, "frames", frames)
        for frame in frames do add(name, state, frame, state.delay) end
      end
      return close(name, state)
    end)

  local methods = ma.image.Animation
  Animation.__index = function(_, key)
    local method = type(key) == "string" and rawget(methods, key)
    if method then return method end
    if type(key) == "number" then return nil end
    core.unknown("image.Animation", key, methods)
  end
  Animation.__tostring = function(self) return sformat("animation %s, %d frames", self[1].path, self[1].count) end
end
