--- Numbers as colours: colour maps, normalisation, RGBA for the screen; and pictures of another size.

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local anchors = require "moonarray.image.colormaps"

  local names = {}
  for name in pairs(anchors) do names[#names + 1] = name end
  table.sort(names)

  -- 256 colours of each map that was used, (256, 3) float32, as bytes.
  local tables = {}

  local function check_name(name, colormap)
    if anchors[colormap] then return end
    fail(name, sformat("colormap is %s; wanted one of %s",
      type(colormap) == "string" and sformat("%q", colormap) or core.describe(colormap), table.concat(names, ", ")))
  end

  local function make_table(colormap)
    local colours, columns = {}, {}
    for digits in anchors[colormap]:gmatch("%x%x%x%x%x%x") do
      local rgb = {}
      for c = 1, 3 do rgb[c] = tonumber(digits:sub(2 * c - 1, 2 * c), 16) / 255 end
      colours[#colours + 1] = rgb
    end
    local fixed = ma.array(colours, { dtype = "float64", device = "cpu" })
    local at = ma.linspace(0, #colours - 1, 256, { device = "cpu" })
    local places = ma.arange(#colours, { dtype = "float64", device = "cpu" })
    for c = 1, 3 do columns[c] = ma.interp(at, places, fixed[{ {}, c }]) end
    return ma.stack(columns, 2):astype("float32"):tobytes()
  end

  local function table_of(colormap, device)
    tables[colormap] = tables[colormap] or make_table(colormap)
    return ma.frombuffer(tables[colormap], { 256, 3 }, "float32", { device = "cpu" }):to(device)
  end

  --> image.colormap("viridis", {n = 3})
  def("image.colormap(name: string; n?: integer, device?: string) -> array",
    "A colour map as (n, 3) float32 from 0 to 1; n is 256. Names: " .. table.concat(names, ", ") .. ".",
    function(name, n, device)
      check_name("image.colormap", name)
      n = common.whole("image.colormap", "n", n == nil and 256 or n, 1)
      local full = table_of(name, device or ma.zeros(1).device)
      if n == 256 then return full:copy() end
      local host, at, columns = full:get(), ma.linspace(0, 255, n, { device = "cpu" }), {}
      local places = ma.arange(256, { dtype = "float64", device = "cpu" })
      for c = 1, 3 do columns[c] = ma.interp(at, places, host[{ {}, c }]) end
      return ma.stack(columns, 2):astype("float32"):to(full.device)
    end)

  --- An end of the range of values: nil, a number or an array.
  local function an_end(name, what, value)
    if value == nil or type(value) == "number" or is_array(value) then return value end
    local number = type(value) == "cdata" and tonumber(value)
    return number or fail(name, sformat("%s is %s; wanted a number or an array", what, core.describe(value)))
  end

  --- Values between 0 and 1, as an expression that is not evaluated yet.
  local function normal(name, a, min, max)
    if not is_array(a) then fail(name, sformat("a is %s; wanted an array", core.describe(a))) end
    if is.complexfloating[a.dtype] then fail(name, "a is complex; wanted real numbers") end
    if not is.floating[a.dtype] then a = a:astype("float32") end
    min, max = an_end(name, "min", min), an_end(name, "max", max)
    if a.size == 0 then return a end
    local finite = (min == nil or max == nil) and ma.where(ma.isfinite(a), a, ma.nan)
    min = min == nil and ma.nanmin(finite) or min
    max = max == nil and ma.nanmax(finite) or max
    local width = max - min
    width = is_array(width) and ma.where(width:eq(0), 1, width) or width == 0 and 1 or width
    return ma.clip((a - min) / width, 0, 1)
  end

  --> image.normalize(ma.array {1, 2, 3})
  def("image.normalize(a: data; min?: number, max?: number) -> array",
    "The values with min at 0 and max at 1, and those beyond at 0 and 1. min and max are the least and the greatest "
    .. "finite value unless they are given. NaN stays.", function(a, min, max)
      return normal("image.normalize", a, min, max)
    end)

  --> image.to_rgba8: ma.image.to_rgba8(ma.array {{0, 1}}).shape[3]
  def("image.to_rgba8(a: data; colormap?: string, min?: number, max?: number, bad?: number[]) -> array",
    "Colours of numbers, (height, width, 4) of uint8: each value by its place between min and max (see "
    .. "ma.image.normalize) in a colour map, viridis unless it is given. NaN gets `bad`, a table of 3 or 4 numbers "
    .. "from 0 to 255; transparent black unless it is given. An image of uint8 with 1 to 4 channels gets the channels "
    .. "that it lacks.", function(a, colormap, min, max, bad)
      local name = "image.to_rgba8"
      if is_array(a) and a.ndim == 3 and a.dtype == "uint8" and a.shape[3] <= 4 and colormap == nil then
        local channels, parts = a.shape[3], {}
        local grey = channels < 3
        for c = 1, 3 do parts[c] = a[{ {}, {}, { grey and 1 or c, grey and 1 or c } }] end
        local has_alpha = channels == 2 or channels == 4
        parts[4] = has_alpha and a[{ {}, {}, { channels, channels } }]
          or ma.full({ a.shape[1], a.shape[2], 1 }, 255, { dtype = "uint8", device = a.device })
        return ma.concatenate(parts, 3)
      end
      if not is_array(a) or a.ndim ~= 2 then
        fail(name, sformat("a is %s; wanted (height, width), or an image of uint8", core.describe(a)))
      end
      colormap = colormap == nil and "viridis" or colormap
      check_name(name, colormap)
      bad = bad == nil and { 0, 0, 0, 0 } or common.list(name, "bad", bad)
      local t = normal(name, a, min, max)
      local place = ma.where(ma.isnan(t), 0, ma.rint(t * 255)):astype("int64") + 1
      local colours = ma.take(table_of(colormap, a.device), place, 1)
      local rgba = ma.empty({ a.shape[1], a.shape[2], 4 }, { dtype = "uint8", device = a.device })
      rgba[":, :, 1:3"] = ma.rint(colours * 255):astype("uint8")
      rgba[":, :, 4"] = 255
      local fill = ma.array({ bad[1], bad[2], bad[3], bad[4] or 255 }, { dtype = "uint8", device = a.device })
      return ma.where(ma.expand_dims(ma.isnan(t), 3), fill, rgba)
    end)

  -- ==== Size =========================================================================================================

  --- The image along an axis at n places, by the two pixels beside each, in the image's float dtype.
  local function resample(a, axis, n)
    local m = a.shape[axis]
    if n == m then return a end
    local at = ma.clip((ma.arange(n, { dtype = "float64", device = a.device }) + 0.5) * (m / n) + 0.5, 1, m)
    local low = ma.floor(at)
    local shape = {}
    for d = 1, a.ndim do shape[d] = d == axis and n or 1 end
    local part = (at - low):astype(a.dtype):reshape(shape)
    local first = ma.take(a, low:astype("int64"), axis)
    local second = ma.take(a, ma.minimum(low + 1, m):astype("int64"), axis)
    return first + (second - first) * part
  end

  --- Means over whole pixels, which make an axis of m one of at most twice n, so that later steps leave no pixel out.
  local function shrink(a, axis, n)
    local m = a.shape[axis]
    local step = floor(m / n)
    if step < 2 then return a end
    local whole, index = step * floor(m / step), {}
    for d = 1, a.ndim do index[d] = d == axis and { 1, whole } or {} end
    local shape = {}
    for d = 1, a.ndim do
      if d == axis then shape[#shape + 1] = whole / step end
      shape[#shape + 1] = d == axis and step or a.shape[d]
    end
    return a[index]:reshape(shape):mean(axis + 1)
  end

  --> image.resize: ma.image.resize(ma.ones({4, 4}), {2, 2})
  def("image.resize(image: array, shape: integer|integer[]; smooth?: boolean) -> array",
    "The image with another height and width, `shape` = {height, width}. Pixels are mixed in proportion to their "
    .. "distance, and those of a larger image averaged; with smooth = false each is the nearest one. The dtype stays.",
    function(image, shape, smooth)
      local name = "image.resize"
      if not is_array(image) or (image.ndim ~= 2 and image.ndim ~= 3) or image.size == 0 then
        fail(name, sformat("image is %s; wanted (height, width) or (height, width, channels)", core.describe(image)))
      end
      shape = common.list(name, "shape", shape)
      local n = { common.whole(name, "height", shape[1], 1), common.whole(name, "width", shape[2], 1) }
      if smooth == false then
        for axis = 1, 2 do
          local m = image.shape[axis]
          local at = (ma.arange(n[axis], { dtype = "float64", device = image.device }) + 0.5) * (m / n[axis])
          image = ma.take(image, ma.clip(ma.floor(at) + 1, 1, m):astype("int64"), axis)
        end
        return image
      end
      local float = is.inexact[image.dtype]
      local a = float and image or image:astype("float32")
      for axis = 1, 2 do a = resample(shrink(a, axis, n[axis]), axis, n[axis]) end
      return float and a or ma.rint(a):astype(image.dtype)
    end)
end
