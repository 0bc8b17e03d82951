--- ma.ndimage: splines through an image, and images at other places: maps, affine transforms, rotations, shifts, zooms.
--# ndimage_measure

local sformat, floor, max, min = require("moonarray.text").format, math.floor, math.max, math.min
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, shared, kernels)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)

  local PAD = 12                         -- elements beyond each edge, where coefficients have no rule of their own
  local MOST_AXES = 8

  local function spline_order(name, order, least)
    order = order == nil and 3 or order
    if common.whole(name, "order", order) >= least and order <= 5 then return order end
    fail(name, sformat("order is %d; wanted %d to 5", order, least))
  end

  --- The rule by which coefficients continue, of the three that the core has.
  local function coefficient_rule(mode)
    if mode == shared.REFLECT or mode == shared.NEAREST then return shared.REFLECT end
    return mode == shared.GRID_WRAP and shared.GRID_WRAP or shared.MIRROR
  end

  -- ==== Coefficients ===============================================================================================

  --- The coefficients of a spline through a real image, along all axes or one, as a new array of float32 or float64.
  local function coefficients(name, input, order, mode, dtype, axis)
    local data = ma.empty(input.shape, { dtype = dtype, device = input.device }):assign(input)
    if order > 1 then
      for d = axis or 1, axis or input.ndim do
        core.filter_spline(name, data, d, order, coefficient_rule(mode))
      end
    end
    return data
  end

  local function spline(name, input, order, axis, output, mode)
    input = shared.image(name, input)
    if axis then axis = common.axis(name, axis, input.ndim) end
    mode = shared.mode(name, mode == nil and "mirror" or mode, true)
    if output == nil then output = "float64" end
    return kernels.filtered(name, input, output, 0, function(part, _, kind)
      local data = coefficients(name, part, order, mode, kind == "float32" and kind or "float64", axis)
      return data:astype(kind, { copy = false })
    end)
  end

  --> ndimage.spline_filter1d({1, 2, 3, 4})
  def("ndimage.spline_filter1d(input: data, order?: integer|integer[]|array, axis?: integer|integer[], "
    .. "output?: array|dtype, mode?: string|string[]) -> array",
    "The coefficients of a spline of that order (3) through the elements along an axis, the last one by default. The "
      .. "result is float64 unless output says otherwise; order 0 and 1 copy.",
    function(input, order, axis, output, mode)
      local name = "ndimage.spline_filter1d"
      return spline(name, input, spline_order(name, order, 0), axis or -1, output, mode)
    end)

  --> ndimage.spline_filter({1, 2, 3, 4})
  def("ndimage.spline_filter(input: data, order?: integer|integer[]|array, output?: array|dtype, "
    .. "mode?: string|string[]) -> array",
    "The coefficients of a spline of order 2 to 5 (3) through the elements along all axes, for map_coordinates and its "
      .. "kin with prefilter = false.",
    function(input, order, output, mode)
      local name = "ndimage.spline_filter"
      return spline(name, input, spline_order(name, order, 2), nil, output, mode)
    end)

  -- ==== Places =====================================================================================================

  --- What the functions below share: order, mode, cval, the image that values are taken from and its pad.
  local function prepared(name, input, order, mode, cval, prefilter)
    if input.ndim < 1 or input.ndim > MOST_AXES then
      fail(name, sformat("input has %d axes; wanted 1 to %d", input.ndim, MOST_AXES))
    end
    if prefilter == false or order < 2 or input.size == 0 then return input, 0 end
    local pad, image = 0, input
    if mode == shared.NEAREST or mode == shared.GRID_CONSTANT then
      pad = PAD
      image = ma.pad(input, PAD, mode == shared.NEAREST and "edge" or "constant",
        mode == shared.GRID_CONSTANT and { constant_values = cval } or nil)
    end
    return coefficients(name, image, order, mode, kernels.sums_of(input.dtype, input.dtype)), pad
  end

  --- Runs one transform of a real or complex image. given: coordinates, or matrix, shift and perhaps before.
  local function transform(name, input, shape, output, order, mode, cval, prefilter, given)
    order = spline_order(name, order, 0)
    mode = shared.mode(name, mode == nil and "constant" or mode, true)
    return kernels.filtered(name, input, output, cval, function(part, value, kind, target)
      local image, pad = prepared(name, part, order, mode, value, prefilter)
      local result = kernels.target(input, target, kind, shape)
      core.filter_transform(name, image, result, order, mode, value, pad, given.coordinates, given.matrix, given.shift,
        given.before)
      if image ~= part and image ~= input then image:free() end
      return result
    end, shape)
  end

  --> ndimage.map_coordinates({10, 20, 30}, {{1, 2.5}}, {order = 1})
  def("ndimage.map_coordinates(input: data, coordinates: data, output?: array|dtype, order?: integer|integer[]|array, "
    .. "mode?: string|string[], cval?: number, prefilter?: boolean) -> array",
    "The image's values at places between elements, by a spline of that order (3). coordinates[k] has the positions "
      .. "along axis k, which count from 1 as positions do; its further axes are those of the result. mode "
      .. "(\"constant\") says what is beyond the edges. prefilter = false takes the image for coefficients.",
    function(input, coordinates, output, order, mode, cval, prefilter)
      local name = "ndimage.map_coordinates"
      input = shared.image(name, input)
      if not is_array(coordinates) and type(coordinates) ~= "table" then
        fail(name, sformat("coordinates is %s; wanted an array", core.describe(coordinates)))
      end
      if not is_array(coordinates) then coordinates = core.asarray(coordinates, { device = input.device }) end
      if ma.iscomplexobj(coordinates) then
        fail(name, sformat("coordinates is %s; wanted real numbers", core.describe(coordinates)))
      end
      if coordinates.ndim < 2 or coordinates.shape[1] ~= input.ndim then
        fail(name, sformat("coordinates is %s; wanted a row for each of %d axes", core.describe(coordinates),
          input.ndim))
      end
      return transform(name, input, { unpack(coordinates.shape, 2) }, output, order, mode, cval, prefilter,
        { coordinates = coordinates })
    end)

  local function output_shape_of(name, input, output, output_shape)
    if output_shape ~= nil then return common.shape(name, "output_shape", output_shape) end
    return { unpack(is_array(output) and output.shape or input.shape) }
  end

  local function rows_differ(name, found, wanted)
    fail(name, sformat("matrix has %s; wanted a vector or a matrix for %d axes, or a homogeneous one", found, wanted))
  end

  --> ndimage.affine_transform({1, 2, 3}, {1})
  def("ndimage.affine_transform(input: data, matrix: data, offset?: number|number[]|array, "
    .. "output_shape?: integer|integer[]|array, output?: array|dtype, order?: integer|integer[]|array, "
    .. "mode?: string|string[], cval?: number, prefilter?: boolean) -> array",
    "result[o] is the image at matrix times o plus offset, where o and that place are distances from the first "
      .. "element, so that SciPy's matrices work as they are. matrix: a matrix, a vector (its diagonal), or a "
      .. "homogeneous matrix of one row and column more or of one column more, whose last column is the offset.",
    function(input, matrix, offset, output_shape, output, order, mode, cval, prefilter)
      local name = "ndimage.affine_transform"
      input = shared.image(name, input)
      local list, extents = shared.real_values(name, "matrix", matrix)
      local n, out_shape = input.ndim, output_shape_of(name, input, output, output_shape)
      local shift = shared.per_axis(name, "offset", offset == nil and 0 or offset, n, shared.a_number)
      local rows, columns = extents[1], extents[2]
      if #extents == 2 and columns == n + 1 and (rows == n or rows == n + 1) then
        local inner = {}
        for d = 1, n do
          for k = 1, n do inner[(d - 1) * n + k] = list[(d - 1) * columns + k] end
          shift[d] = list[d * columns]
        end
        for k = 1, rows == n + 1 and columns or 0 do
          if list[n * columns + k] ~= (k == columns and 1 or 0) then
            fail(name, "the last row of matrix is not 0, ..., 0, 1; wanted it so for a homogeneous matrix")
          end
        end
        list, rows, columns = inner, n, n
      end
      if #extents < 1 or #extents > 2 or rows ~= n then
        rows_differ(name, sformat("the shape (%s)", table.concat(extents, ", ")), n)
      end
      if #extents == 1 then
        if #out_shape ~= n then rows_differ(name, "one axis for a result of other axes", n) end
        local before, zeros = {}, {}
        for d = 1, n do before[d], zeros[d] = shift[d] / list[d], 0 end
        return transform(name, input, out_shape, output, order, mode, cval, prefilter,
          { matrix = list, shift = zeros, before = before })
      end
      if columns ~= #out_shape then rows_differ(name, columns .. " columns", #out_shape) end
      return transform(name, input, out_shape, output, order, mode, cval, prefilter, { matrix = list, shift = shift })
    end)

  --> ndimage.shift({1, 2, 3}, 1, {order = 1})
  def("ndimage.shift(input: data, shift: number|number[]|array, output?: array|dtype, "
    .. "order?: integer|integer[]|array, mode?: string|string[], cval?: number, prefilter?: boolean) -> array",
    "The image moved by shift, one number or one for each axis: result[i] is the image at i - shift.",
    function(input, shift, output, order, mode, cval, prefilter)
      local name = "ndimage.shift"
      input = shared.image(name, input)
      local before, ones, zeros = shared.per_axis(name, "shift", shift, input.ndim, shared.a_number), {}, {}
      for d = 1, input.ndim do before[d], ones[d], zeros[d] = -before[d], 1, 0 end
      return transform(name, input, output_shape_of(name, input), output, order, mode, cval, prefilter,
        { matrix = ones, shift = zeros, before = before })
    end)

  --- The nearest whole number, halves to the even one, as Python rounds.
  local function rounded(x)
    local low = floor(x)
    if x - low ~= 0.5 then return floor(x + 0.5) end
    return low % 2 == 0 and low or low + 1
  end

  --> ndimage.zoom({1, 2, 3}, 2, {order = 1})
  def("ndimage.zoom(input: data, zoom: number|number[]|array, output?: array|dtype, order?: integer|integer[]|array, "
    .. "mode?: string|string[], cval?: number, prefilter?: boolean; grid_mode?: boolean) -> array",
    "The image with zoom times as many elements along each axis, one number or one for each. The middles of the first "
      .. "and the last elements stay where they are, or, if grid_mode is true, the outer edges of these elements.",
    function(input, zoom, output, order, mode, cval, prefilter, grid_mode)
      local name = "ndimage.zoom"
      input = shared.image(name, input)
      local factors = shared.per_axis(name, "zoom", zoom, input.ndim, shared.not_negative)
      local shape, matrix, before, shift, same = {}, {}, {}, {}, true
      for d = 1, input.ndim do
        local n, m = input.shape[d], rounded(input.shape[d] * factors[d])
        shape[d], same = m, same and factors[d] == 1
        before[d], shift[d] = grid_mode and 0.5 or 0, grid_mode and -0.5 or 0
        local over, under = grid_mode and n or n - 1, grid_mode and m or m - 1
        matrix[d] = under ~= 0 and over / under or 1
      end
      if same and prefilter ~= false then
        local dtype, out = shared.output(name, output, input)
        return shared.finish(input:astype(dtype), out)
      end
      return transform(name, input, shape, output, order, mode, cval, prefilter,
        { matrix = matrix, shift = shift, before = before })
    end)

  -- ==== Rotation ===================================================================================================

  local CORNERS = { [0] = { 1, 0 }, [90] = { 0, 1 }, [180] = { -1, 0 }, [270] = { 0, -1 } }

  local function cosine_and_sine(angle)
    local corner = CORNERS[angle % 360]
    if corner then return corner[1], corner[2] end
    return math.cos(math.rad(angle)), math.sin(math.rad(angle))
  end

  --- Applies fn(image, out) to each plane of the axes a < b.
  local function by_planes(name, input, a, b, shape, output, fn)
    local dtype, out = shared.output(name, output, input, shape)
    if ma.iscomplexobj(input) then dtype = kernels.complex_of(dtype) end
    local result = ma.empty(shape, { dtype = dtype, device = input.device })
    if result.size > 0 then
      local from, to = input:moveaxis({ a, b }, { -2, -1 }), result:moveaxis({ a, b }, { -2, -1 })
      for image, index in common.vectors(from, 2) do to[index] = fn(image, dtype) end
    end
    return shared.finish(result, out)
  end

  --> ndimage.rotate({{1, 2}, {3, 4}}, 90, {order = 0})
  def("ndimage.rotate(input: data, angle: number, axes?: integer|integer[]|array, reshape?: boolean, "
    .. "output?: array|dtype, order?: integer|integer[]|array, mode?: string|string[], cval?: number, "
    .. "prefilter?: boolean) -> array",
    "The image turned by an angle in degrees in the plane of two axes, {2, 1} by default. reshape (true): the result "
      .. "is large enough for the whole image.",
    function(input, angle, axes, reshape, output, order, mode, cval, prefilter)
      local name = "ndimage.rotate"
      input = shared.image(name, input)
      if input.ndim < 2 then fail(name, sformat("input has %d axes; wanted two at least", input.ndim)) end
      shared.a_number(name, "angle", angle)
      local plane = shared.axes(name, axes == nil and { 2, 1 } or axes, input.ndim)
      if #plane ~= 2 then fail(name, sformat("%d axes; wanted two", #plane)) end
      local a, b = min(plane[1], plane[2]), max(plane[1], plane[2])
      local c, s = cosine_and_sine(angle)
      local h, w = input.shape[a], input.shape[b]
      local rows, columns = h, w
      if reshape ~= false then
        -- The spread of the four corners.
        rows = floor(max(0, c * h, s * w, c * h + s * w) - min(0, c * h, s * w, c * h + s * w) + 0.5)
        columns = floor(max(0, -s * h, c * w, c * w - s * h) - min(0, -s * h, c * w, c * w - s * h) + 0.5)
      end
      local y, x = (rows - 1) / 2, (columns - 1) / 2
      local matrix, shift, shape, n = {}, {}, {}, input.ndim
      for d = 1, n do
        shape[d], shift[d] = input.shape[d], 0
        for k = 1, n do matrix[(d - 1) * n + k] = d == k and 1 or 0 end
      end
      shape[a], shape[b] = rows, columns
      shift[a], shift[b] = (h - 1) / 2 - (c * y + s * x), (w - 1) / 2 - (c * x - s * y)
      matrix[(a - 1) * n + a], matrix[(a - 1) * n + b] = c, s
      matrix[(b - 1) * n + a], matrix[(b - 1) * n + b] = -s, c
      if n > 2 then
        return by_planes(name, input, a, b, shape, output, function(image, out)
          return transform(name, image, { rows, columns }, out, order, mode, cval, prefilter,
            { matrix = { c, s, -s, c }, shift = { shift[a], shift[b] } })
        end)
      end
      return transform(name, input, shape, output, order, mode, cval, prefilter, { matrix = matrix, shift = shift })
    end)
end
