--- ma.ndimage: filters that are made of functions of the user's.

local sformat, floor, max, min = string.format, math.floor, math.max, math.min
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, shared, kernels)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  --- The arguments behind those that a filter gives.
  local function extras(name, list, keywords)
    list = list == nil and {} or common.type(name, "extra_arguments", list, "table")
    local result = { unpack(list) }
    if keywords ~= nil then result[#result + 1] = common.type(name, "extra_keywords", keywords, "table") end
    return result
  end

  --- Calls derivative(input, axis, output, mode, cval, ...) along each axis, and puts the results together.
  local function along_axes(name, input, derivative, output, mode, cval, arguments, keywords, axes, combine, finish)
    input = shared.image(name, input)
    common.callable(name, name:find("laplace") and "derivative2" or "derivative", derivative)
    axes = shared.axes(name, axes, input.ndim)
    shared.modes(name, mode, #axes)
    local dtype, out = shared.output(name, output, input)
    local more, sum = extras(name, arguments, keywords), nil
    for k, axis in ipairs(axes) do
      local part = derivative(input, axis, dtype, type(mode) == "table" and mode[k] or mode, cval, unpack(more))
      if not core.is_array(part) or not ma.same_shape(part, input) then
        fail(name, sformat("the function gave %s; wanted an array of input's shape", core.describe(part)))
      end
      sum = combine(sum, part:astype(dtype, { copy = false }))
    end
    if sum and finish then sum = finish(sum, dtype) end
    sum = (sum or input):astype(dtype, { copy = sum == nil })
    return shared.finish(sum, out)
  end

  def("ndimage.generic_laplace(input, derivative2, output?, mode?, cval?, extra_arguments?, extra_keywords?; axes?)",
    "The sum of second derivatives along the axes, by derivative2(input, axis, output, mode, cval, ...), whose "
      .. "further arguments are those of the table extra_arguments; extra_keywords is its last argument, a table of "
      .. "options.",
    function(input, derivative2, output, mode, cval, arguments, keywords, axes)
      return along_axes("ndimage.generic_laplace", input, derivative2, output, mode, cval, arguments, keywords, axes,
        function(sum, part) return sum and sum + part or part end)
    end)

  def("ndimage.generic_gradient_magnitude(input, derivative, output?, mode?, cval?, extra_arguments?, "
      .. "extra_keywords?; axes?)",
    "The length of the gradient, from derivative(input, axis, output, mode, cval, ...) along each axis; "
      .. "extra_arguments and extra_keywords as in generic_laplace.",
    function(input, derivative, output, mode, cval, arguments, keywords, axes)
      return along_axes("ndimage.generic_gradient_magnitude", input, derivative, output, mode, cval, arguments,
        keywords, axes, function(sum, part) return sum and sum + part * part or part * part end,
        function(sum) return ma.sqrt(sum) end)
    end)

  --- Whether it is a kernel that reduces an axis.
  local function is_reduction(fn)
    local text = type(fn) ~= "function" and tostring(fn) or ""
    return text:find("^<ReductionKernel") ~= nil or text:find("^jit reduction kernel") ~= nil
  end

  -- ==== Functions of windows =======================================================================================

  local PADS = { [shared.REFLECT] = "symmetric", [shared.MIRROR] = "reflect", [shared.NEAREST] = "edge",
    [shared.WRAP] = "wrap", [shared.CONSTANT] = "constant" }
  local MOST = 2 ^ 24                    -- elements of windows that are held at once

  --- The image with `before` and `after` elements more along each of some axes. Whole numbers become float64.
  local function extended(input, axes, before, after, modes, cval)
    if not ma.issubdtype(input.dtype, "floating") then input = input:astype("float64") end
    for k, axis in ipairs(axes) do
      local widths = {}
      for d = 1, input.ndim do widths[d] = { 0, 0 } end
      widths[axis] = { before[k], after[k] }
      if before[k] + after[k] > 0 then
        local mode = PADS[modes[k]]
        input = ma.pad(input, widths, mode, mode == "constant" and { constant_values = cval } or nil)
      end
    end
    return input
  end

  --- Calls the user's function, or a kernel that reduces the last axis.
  local function apply(name, fn, values, shape, more)
    local result = is_reduction(fn) and fn(values, { axis = -1 }) or fn(values, unpack(more))
    local same = core.is_array(result) and result.ndim == #shape
    for d = 1, #shape do same = same and result.shape[d] == shape[d] end
    if not same then
      fail(name, sformat("the function gave %s; wanted an array of shape (%s)", core.describe(result),
        table.concat(shape, ", ")))
    end
    return result
  end

  def("ndimage.generic_filter(input, function_, size?, footprint?, output?, mode?, cval?, origin?, extra_arguments?, "
      .. "extra_keywords?; axes?)",
    "What a function makes of the elements of each window. The function is called once for many windows: "
      .. "function_(w, ...) gets an array whose last axis has the elements of a window, in C order, and returns an "
      .. "array without that axis. It may be a ReductionKernel too. Elements are float64 unless the image has floats. "
      .. "Example: ma.ndimage.generic_filter(image, function(w) return w:max(-1) - w:min(-1) end, 3).",
    function(input, fn, size, footprint, output, mode, cval, origin, arguments, keywords, axes)
      local name = "ndimage.generic_filter"
      input = shared.real_image(name, input)
      common.callable(name, "function_", fn)
      axes = shared.axes(name, axes, input.ndim)
      local shape, taken = shared.window(name, size, footprint, axes)
      local origins, modes = shared.origins(name, origin, shape), shared.modes(name, mode, #axes)
      local dtype, out = shared.output(name, output, input)
      local more = extras(name, arguments, keywords)
      local before, after, count = {}, {}, 1
      for k = 1, #axes do
        before[k] = floor(shape[k] / 2) + origins[k]
        after[k] = shape[k] - 1 - before[k]
        count = count * shape[k]
      end
      local result = ma.empty(input.shape, { dtype = dtype, device = input.device })
      if input.size == 0 then return shared.finish(result, out) end
      local wide = extended(input, axes, before, after, modes, shared.cval(name, cval))
      local offsets, rows, n = kernels.offsets(input.ndim, axes, shape, origins,
        taken and function(k) return not taken[k] end), input.shape[1], input.ndim
      local low = {}
      for d = 1, n do low[d] = 0 end
      for k, axis in ipairs(axes) do low[axis] = before[k] end
      local step = max(1, floor(MOST / (count * input.size / rows)))
      for first = 1, rows, step do
        local last, parts, part_shape = min(first + step - 1, rows), {}, {}
        for d = 1, n do part_shape[d] = d == 1 and last - first + 1 or input.shape[d] end
        for place = 0, #offsets / n - 1 do
          local index = {}
          for d = 1, n do
            local at = offsets[place * n + d] + low[d]
            index[d] = d == 1 and { first + at, last + at } or { 1 + at, input.shape[d] + at }
          end
          parts[place + 1] = wide[index]
        end
        result[common.slice(n, 1, first, last)] = apply(name, fn, ma.stack(parts, -1), part_shape, more)
      end
      return shared.finish(result, out)
    end)

  def("ndimage.generic_filter1d(input, function_, filter_size, axis?, output?, mode?, cval?, origin?, "
      .. "extra_arguments?, extra_keywords?)",
    "What a function makes of lines along an axis, the last one by default. function_(lines, ...) gets an array whose "
      .. "last axis has a line of n elements and filter_size - 1 more beyond its ends, and returns n for each line.",
    function(input, fn, filter_size, axis, output, mode, cval, origin, arguments, keywords)
      local name = "ndimage.generic_filter1d"
      input = shared.real_image(name, input)
      common.callable(name, "function_", fn)
      axis = common.axis(name, axis or -1, input.ndim)
      local size = shared.a_size(name, "filter_size", filter_size)
      local before = floor(size / 2) + shared.origins(name, origin, { size })[1]
      local dtype, out = shared.output(name, output, input)
      local wide = extended(input, { axis }, { before }, { size - 1 - before }, { shared.mode(name, mode) },
        shared.cval(name, cval)):moveaxis(axis, -1)
      local shape = {}
      for d, extent in ipairs(input:moveaxis(axis, -1).shape) do shape[d] = extent end
      local result = apply(name, fn, wide, shape, extras(name, arguments, keywords))
      return shared.finish(result:moveaxis(-1, axis):astype(dtype), out)
    end)
end
