--- Grey morphology: the least and the greatest of an element's neighbours, less or plus the structure, and what is made
--- of them. Flat structures are the filters minimum_filter and maximum_filter.

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core, shared)
  local is = require "moonarray.common" (core).is
  local def, fail, is_array = core.def, core.fail, core.is_array

  local NARROW = { bool = true, int8 = true, uint8 = true, int16 = true, uint16 = true }

  --- The dtype in which sums of elements and weights are those of float64.
  local function working(dtype, weights)
    if dtype ~= "float32" and dtype ~= "float16" and not NARROW[dtype] then return "float64" end
    for _, weight in ipairs(weights) do
      if weight ~= floor(weight) or math.abs(weight) > 2 ^ 20 then return "float64" end
    end
    return "float32"
  end

  --- The least of the neighbours minus the structure, or the greatest of the neighbours plus the structure.
  local function fold(name, image, axes, weights, taken, shape, dtype, mode, cval, origins, greatest)
    local work = working(image.dtype, weights)
    local wide = shared.continued(image:astype(work, { copy = false }), axes, shape, origins,
      shared.modes(name, mode, #axes), cval)
    local best, index, ndim = nil, {}, image.ndim
    for d = 1, ndim do index[d] = {} end
    for k = 1, #weights do
      if taken[k] then
        local rest, weight = k - 1, greatest and weights[k] or -weights[k]
        for d = #axes, 1, -1 do
          local first = rest % shape[d] + 1
          index[axes[d]] = { first, first + image.shape[axes[d]] - 1 }
          rest = floor(rest / shape[d])
        end
        local part = ndim > 0 and wide[index] or wide
        if weight ~= 0 then part = part + weight end
        best = not best and part or greatest and ma.maximum(best, part) or ma.minimum(best, part)
      end
    end
    if is.integer[dtype] then best = best:astype("int64") end     -- wraps, as SciPy's does
    return best:astype(dtype)
  end

  --- An erosion, or with `greatest` a dilation.
  local function grey(name, input, size, footprint, structure, output, mode, cval, origin, axes, greatest)
    local image = shared.real_image(name, input)
    axes = shared.axes(name, axes, image.ndim)
    if size == nil and footprint == nil and structure == nil then
      fail(name, "no size, footprint or structure; wanted one of them")
    end
    local ndim, taken, shape, weights = #axes, nil, nil, nil
    if footprint ~= nil then
      taken, shape = shared.real_values(name, "footprint", footprint)
      if #shape ~= ndim then fail(name, sformat("footprint has %d axes; wanted %d", #shape, ndim)) end
      for k = 1, #taken do taken[k] = taken[k] ~= 0 end
    end
    if structure ~= nil then
      local extents
      weights, extents = shared.real_values(name, "structure", structure)
      if #extents ~= ndim then fail(name, sformat("structure has %d axes; wanted %d", #extents, ndim)) end
      for d = 1, shape and ndim or 0 do
        if shape[d] ~= extents[d] then
          fail(name, sformat("structure has %d elements along axis %d, footprint %d; wanted one shape", extents[d], d,
            shape[d]))
        end
      end
      shape = extents
    end
    shape = shape or shared.per_axis(name, "size", size, ndim, shared.a_size)
    local origins = shared.origins(name, origin, shape)
    if greatest then
      origins = shared.turned_origins(origins, shape)
      taken, weights = taken and shared.turned(taken), weights and shared.turned(weights)
    end
    local dtype, out = shared.output(name, output, image)
    cval = shared.cval(name, cval)
    local result
    if not weights then
      local filter = greatest and ma.ndimage.maximum_filter or ma.ndimage.minimum_filter
      local window = taken and ma.array(taken, { device = "cpu" }):reshape(shape)
      return filter(image, { size = not window and shape or nil, footprint = window, output = out or dtype, mode = mode,
        cval = cval, origin = origins, axes = axes })
    end
    if not taken then
      taken = {}
      for k = 1, #weights do taken[k] = true end
    end
    local any = false
    for k = 1, #taken do any = any or taken[k] end
    if not any then fail(name, "footprint has no element that is true; wanted one at least") end
    if image.size == 0 then result = image:astype(dtype)
    else result = fold(name, image, axes, weights, taken, shape, dtype, mode, cval, origins, greatest) end
    return shared.finish(result, out)
  end

  local function erosion(name, ...) return grey(name, ...) end

  local function dilation(name, input, size, footprint, structure, output, mode, cval, origin, axes)
    return grey(name, input, size, footprint, structure, output, mode, cval, origin, axes, true)
  end

  local ARGUMENTS = "(input: data, size?: integer|integer[]|array, footprint?: data, structure?: data, "
    .. "output?: array|dtype, mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array"
  local ABOUT = " The neighbours are a box of `size`, those where footprint is true, or those that structure covers, "
    .. "whose values are weights."

  --- Defines a function of SciPy's arguments. run(name, a, more) gets the image, and erosion and dilation as functions
  --- of an image and an output.
  local function define(name, doc, run)
    local full = "ndimage." .. name
    def(full .. ARGUMENTS, doc .. ABOUT, function(input, size, footprint, structure, output, mode, cval, origin, axes)
      local image = shared.real_image(full, input)
      local function by(fn, a, out) return fn(full, a, size, footprint, structure, out, mode, cval, origin, axes) end
      local function erode(a, out) return by(erosion, a, out) end
      local function dilate(a, out) return by(dilation, a, out) end
      return run(full, image, output, erode, dilate)
    end)
  end

  --- a - b, or for two bool arrays where they differ.
  local function apart(a, b)
    if a.dtype == "bool" and b.dtype == "bool" then return a:ne(b) end
    return a - b
  end

  local function settled(name, result, output, image)
    if output == nil then return result end
    local dtype, out = shared.output(name, output, image)
    if out then return out:assign(result) end
    return result:astype(dtype, { copy = false })
  end

  --- The dtype of steps in between: that of output, so that they round as the result does.
  local function between(output) return is_array(output) and output.dtype or output end

  --> ndimage.grey_erosion({3, 1, 3, 3}, 3)
  define("grey_erosion", "The least of an element's neighbours, less the structure.",
    function(_, image, output, erode) return erode(image, output) end)
  --> ndimage.grey_dilation({1, 3, 1, 1}, 3)
  define("grey_dilation", "The greatest of an element's neighbours, plus the structure; the neighbours lie where the "
    .. "window, turned round its centre, covers them.",
    function(_, image, output, _, dilate) return dilate(image, output) end)
  --> ndimage.grey_opening({1, 3, 1, 1}, 2)
  define("grey_opening", "A grey erosion, then a grey dilation: removes bright spots smaller than the window.",
    function(_, image, output, erode, dilate) return dilate(erode(image), output) end)
  --> ndimage.grey_closing({3, 1, 3, 3}, 2)
  define("grey_closing", "A grey dilation, then a grey erosion: removes dark spots smaller than the window.",
    function(_, image, output, erode, dilate) return erode(dilate(image), output) end)
  --> ndimage.morphological_gradient({3, 1, 2, 1}, 3)
  define("morphological_gradient", "A grey dilation less a grey erosion: the range of the neighbours.",
    function(name, image, output, erode, dilate)
      return settled(name, apart(dilate(image, between(output)), erode(image, between(output))), output, image)
    end)
  --> ndimage.morphological_laplace({3, 1, 2, 1}, 3)
  define("morphological_laplace", "A grey dilation plus a grey erosion less twice the image.",
    function(name, image, output, erode, dilate)
      local sum = dilate(image, between(output)) + erode(image, between(output))
      return settled(name, sum - image - image, output, image)
    end)
  --> ndimage.white_tophat({1, 3, 1, 1}, 2)
  define("white_tophat", "The image less its grey opening: bright spots smaller than the window.",
    function(name, image, output, erode, dilate)
      return settled(name, apart(image, dilate(erode(image), between(output))), output, image)
    end)
  --> ndimage.black_tophat({3, 1, 3, 3}, 2)
  define("black_tophat", "The grey closing of the image less the image: dark spots smaller than the window.",
    function(name, image, output, erode, dilate)
      return settled(name, apart(erode(dilate(image), between(output)), image), output, image)
    end)
end
