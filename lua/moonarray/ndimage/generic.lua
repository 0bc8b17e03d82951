--- ma.ndimage: filters that are made of functions of the user's.

local sformat, floor, max, min = require("moonarray.text").format, math.floor, math.max, math.min
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, shared, kernels)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local loaded

  --- What makes kernels of functions, loaded when a filter first needs it.
  local function translated()
    loaded = loaded or require "moonarray.ndimage.translated" (ma, core)
    return loaded
  end

  --- The arguments behind those that a filter gives.
  local function extras(name, list, keywords)
    list = list == nil and {} or common.type(name, "extra_arguments", list, "table")
    local result = { unpack(list) }
    if keywords ~= nil then result[#result + 1] = common.type(name, "extra_keywords", keywords, "table") end
    return result
  end

  --- Calls the user's derivative(input, axis, output, mode, cval, ...) along each axis, and puts the results together.
  local function along_axes(name, input, derivative, output, mode, cval, arguments, keywords, axes, combine, finish)
    input = shared.image(name, input)
    common.callable(name, name:find("laplace") and "derivative2" or "derivative", derivative)
    local more = extras(name, arguments, keywords)
    return kernels.along_axes(name, input, function(image, axis, dtype, mode_of)
      local part = derivative(image, axis, dtype, mode_of, cval, unpack(more))
      if not core.is_array(part) or not ma.same_shape(part, image) then
        fail(name, sformat("the function gave %s; wanted an array of input's shape", core.describe(part)))
      end
      return part
    end, output, mode, cval, axes, combine, finish)
  end

  --> ndimage.generic_laplace({1, 4, 9, 16}, function(a, axis) return ma.ndimage.correlate1d(a, {1, -2, 1}, axis) end)
  def("ndimage.generic_laplace(input: data, derivative2: function, output?: array|dtype, mode?: string|string[], "
    .. "cval?: number, extra_arguments?: any[], extra_keywords?: table; axes?: integer|integer[]|array) -> array",
    "The sum of second derivatives along the axes, by derivative2(input, axis, output, mode, cval, ...), whose "
      .. "further arguments are those of the table extra_arguments; extra_keywords is its last argument, a table of "
      .. "options.",
    function(input, derivative2, output, mode, cval, arguments, keywords, axes)
      return along_axes("ndimage.generic_laplace", input, derivative2, output, mode, cval, arguments, keywords, axes,
        kernels.add)
    end)

  --> ndimage.generic_gradient_magnitude({1, 4, 9, 16}, ma.ndimage.sobel)
  def("ndimage.generic_gradient_magnitude(input: data, derivative: function, output?: array|dtype, "
    .. "mode?: string|string[], cval?: number, extra_arguments?: any[], "
      .. "extra_keywords?: table; axes?: integer|integer[]|array) -> array",
    "The length of the gradient, from derivative(input, axis, output, mode, cval, ...) along each axis; "
      .. "extra_arguments and extra_keywords as in generic_laplace.",
    function(input, derivative, output, mode, cval, arguments, keywords, axes)
      return along_axes("ndimage.generic_gradient_magnitude", input, derivative, output, mode, cval, arguments,
        keywords, axes, kernels.add_square, ma.sqrt)
    end)

  --- Whether it is a kernel that reduces an axis.
  local function is_reduction(fn)
    local text = type(fn) ~= "function" and tostring(fn) or ""
    return text:find("^<ReductionKernel") ~= nil or text:find("^jit reduction kernel") ~= nil
  end

  -- ==== Functions of windows =======================================================================================

  local MOST = 2 ^ 24                    -- elements of windows that are held at once

  --- The image continued beyond its edges, for functions of windows. Whole numbers become float64.
  local function extended(input, axes, shape, origins, modes, cval)
    if not is.floating[input.dtype] then input = input:astype("float64") end
    return shared.continued(input, axes, shape, origins, modes, cval)
  end

  --- Calls the user's function, or a kernel that reduces the last axis. `why` tells why the function is not a kernel
  --- itself.
  local function apply(name, fn, values, shape, more, why)
    local result
    if is_reduction(fn) then
      result = fn(values, { axis = -1 })
    else
      local done
      done, result = pcall(fn, values, unpack(more))
      if not done and type(result) == "string" then
        error(sformat("%s\n(called with an array, because it is no kernel: %s)", result, why), 0)
      elseif not done then
        error(result, 0)
      end
    end
    if not core.is_array(result) or not common.equal(result.shape, shape) then
      fail(name, sformat("the function gave %s; wanted an array of shape (%s)%s", core.describe(result),
        table.concat(shape, ", "), why and ", or a function that can be a kernel, which it is not: " .. why or ""))
    end
    return result
  end

  local function callable(name, fn)
    if type(fn) ~= "string" then common.callable(name, "function_", fn) end
  end

  --- The function as a kernel, by make(translated), or nil and why it cannot be one. A kernel that reduces an axis
  --- cannot.
  local function as_kernel(fn, keywords, make)
    if is_reduction(fn) then return nil end
    if keywords ~= nil and not translated().is_kernel(fn) then return nil, "it is called with extra_keywords" end
    return make(translated())
  end

  --- Runs a kernel of windows over the whole image.
  local function run_windows(kernel, wide, offsets, low, result)
    local n = result.ndim
    local steps, places, walk = translated().steps(wide.shape), {}, {}
    for place = 0, #offsets / n - 1 do
      local at = 0
      for d = 1, n do at = at + (offsets[place * n + d] + low[d]) * steps[d] end
      places[place + 1] = at
    end
    for d = 1, n do walk[d], walk[n + d] = result.shape[d], steps[d] end
    kernel(translated().numbers(places, wide), translated().numbers(walk, wide), result)
  end

  --- Runs a kernel of lines along an axis: a thread a line.
  local function run_lines(kernel, wide, axis, result)
    local n = result.ndim
    local from, to, walk, lines = translated().steps(wide.shape), translated().steps(result.shape), {}, 1
    for d = 1, n do
      walk[d], walk[n + d], walk[2 * n + d] = d == axis and 1 or result.shape[d], from[d], to[d]
      lines = lines * walk[d]
    end
    for k, number in ipairs { wide.shape[axis], from[axis], result.shape[axis], to[axis] } do
      walk[3 * n + k] = number
    end
    kernel(translated().numbers(walk, wide), lines, result)
  end

  --> ndimage.generic_filter: local function spread(w) return w:max(-1) - w:min(-1) end
  -->   return ma.ndimage.generic_filter({1, 5, 2}, spread, 3)
  def("ndimage.generic_filter(input: data, function_: function, size?: integer|integer[]|array, footprint?: data, "
    .. "output?: array|dtype, mode?: string|string[], cval?: number, origin?: number|number[]|array, "
    .. "extra_arguments?: any[], "
      .. "extra_keywords?: table; axes?: integer|integer[]|array, plain?: boolean) -> array",
    "What a function makes of the elements of each window. function_(w, ...) is a function of the elements w[1] to "
      .. "w[#w] of one window, in C order, which returns a number and becomes a kernel as in ma.jit. Or it is array "
      .. "code, called once for many windows: it gets an array whose last axis has the elements of a window, and "
      .. "returns an array without that axis. It may be a ReductionKernel too. Elements are float64 unless the image "
      .. "has floats. plain = true calls the function for each window instead, as Lua, for a debugger.",
    function(input, fn, size, footprint, output, mode, cval, origin, arguments, keywords, axes, plain)
      local name = "ndimage.generic_filter"
      input = shared.real_image(name, input)
      callable(name, fn)
      axes = shared.axes(name, axes, input.ndim)
      local shape, taken = shared.window(name, size, footprint, axes)
      local origins, modes = shared.origins(name, origin, shape), shared.modes(name, mode, #axes)
      local dtype, out = shared.output(name, output, input)
      local more = extras(name, arguments, keywords)
      local count = 1
      for k = 1, #axes do count = count * shape[k] end
      local result = ma.empty(input.shape, { dtype = dtype, device = input.device })
      if input.size == 0 then return shared.finish(result, out) end
      local wide = extended(input, axes, shape, origins, modes, shared.cval(name, cval))
      local offsets, rows, n = kernels.offsets(input.ndim, axes, shape, origins,
        taken and function(k) return not taken[k] end), input.shape[1], input.ndim
      local low = {}
      for d = 1, n do low[d] = 0 end
      for k, axis in ipairs(axes) do low[axis] = floor(shape[k] / 2) + origins[k] end
      --- The image at each place of the window, for some of its rows.
      local function parts(from, to)
        local list, part_shape = {}, {}
        for d = 1, n do part_shape[d] = d == 1 and to - from + 1 or input.shape[d] end
        for place = 0, #offsets / n - 1 do
          local index = {}
          for d = 1, n do
            local at = offsets[place * n + d] + low[d]
            index[d] = d == 1 and { from + at, to + at } or { 1 + at, input.shape[d] + at }
          end
          list[place + 1] = wide[index]
        end
        return list, part_shape
      end
      local own = type(fn) == "table" and core.jit and core.jit.language.devices[fn] and fn.fn or fn
      local is_plain = plain or core.wants_plain(plain) and type(own) == "function"
      local function by_program()
        return translated().shifted(name, fn, #offsets / n, function() return (parts(1, rows)) end, more, result)
      end
      if not is_plain and keywords == nil and not is_reduction(fn) and by_program() then
        return shared.finish(result, out)
      end
      local kernel, why = as_kernel(fn, keywords, function(make)
        return make.window(name, fn, wide.dtype, dtype, n, #offsets / n, wide, more)
      end)
      if plain or kernel and is_plain then
        if type(own) ~= "function" then fail(name, "plain of " .. core.describe(fn) .. "; wanted a Lua function") end
        return shared.finish(core.plain.windows(name, own, wide, offsets, low, result, more), out)
      elseif kernel then
        local done, message = pcall(run_windows, kernel, wide.is_contiguous and wide or wide:copy(), offsets, low,
          result)
        if not done and not (translated().stands_in(name, fn, #offsets / n, dtype, message) and by_program()) then
          error(message, 0)
        end
        return shared.finish(result, out)
      end
      if type(fn) == "string" then fail(name, why) end
      local step = max(1, floor(MOST / (count * input.size / rows)))
      -- A function of one window's elements, as of window[1], is refused by the shape that it gives. So no part has the
      -- shape of one element of its stacked windows.
      local alike = count > 1
      for d = 2, n do alike = alike and input.shape[d] == count end
      local first = 1
      while first <= rows do
        local last = min(first + step - 1, rows)
        if alike and last - first + 1 == count then last = last - 1 end
        local list, part_shape = parts(first, last)
        result[common.slice(n, 1, first, last)] = apply(name, fn, ma.stack(list, -1), part_shape, more, why)
        first = last + 1
      end
      return shared.finish(result, out)
    end)

  --> ndimage.generic_filter1d({1, 5, 2}, function(line) return line["..., 2:-2"] * 2 end, 3)
  def("ndimage.generic_filter1d(input: data, function_: function, filter_size: integer, axis?: integer|integer[], "
    .. "output?: array|dtype, mode?: string|string[], cval?: number, origin?: number|number[]|array, "
      .. "extra_arguments?: any[], extra_keywords?: table) -> array",
    "What a function makes of lines along an axis, the last one by default. function_(line, out, ...) reads line[1] to "
      .. "line[#line], a line of n elements and filter_size - 1 more beyond its ends, writes out[1] to out[n], and "
      .. "becomes a kernel as in ma.jit. Or it is array code: function_(lines, ...) gets an array whose last axis has "
      .. "such a line, and returns n elements for each.",
    function(input, fn, filter_size, axis, output, mode, cval, origin, arguments, keywords)
      local name = "ndimage.generic_filter1d"
      input = shared.real_image(name, input)
      callable(name, fn)
      axis = common.axis(name, axis or -1, input.ndim)
      local size = shared.a_size(name, "filter_size", filter_size)
      local origins = shared.origins(name, origin, { size })
      local dtype, out = shared.output(name, output, input)
      local wide = extended(input, { axis }, { size }, origins, { shared.mode(name, mode) }, shared.cval(name, cval))
      local more = extras(name, arguments, keywords)
      local kernel, why = as_kernel(fn, keywords, function(make)
        return make.line(name, fn, wide.dtype, dtype, input.ndim, wide, more)
      end)
      if kernel then
        local result = ma.zeros(input.shape, { dtype = dtype, device = input.device })
        if input.size > 0 then run_lines(kernel, wide.is_contiguous and wide or wide:copy(), axis, result) end
        return shared.finish(result, out)
      end
      if type(fn) == "string" then fail(name, why) end
      wide = wide:moveaxis(axis, -1)
      local result = apply(name, fn, wide, input:moveaxis(axis, -1).shape, more, why)
      return shared.finish(result:moveaxis(-1, axis):astype(dtype), out)
    end)
end
