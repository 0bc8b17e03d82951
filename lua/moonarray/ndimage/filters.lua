--- ma.ndimage: filters by fixed weights, means, extremes and ranks.

local sformat, floor, exp, abs = require("moonarray.text").format, math.floor, math.exp, math.abs

return function(ma, core, shared, kernels)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  -- ==== Weights ====================================================================================================

  --- Weights as numbers, and their imaginary parts if they are complex.
  local function split(list)
    local re, im, complex = {}, {}, false
    for k, w in ipairs(list) do
      re[k], im[k] = kernels.split(w)
      complex = complex or type(w) ~= "number"
    end
    return re, complex and im or nil
  end

  local function negated(list)
    for k = 1, #list do list[k] = -list[k] end
    return list
  end

  --- Sums of weights times neighbours over some axes. With `convolves` the weights are taken in the opposite order, and
  --- are not conjugated.
  local function weighted(name, input, axes, list, shape, origins, modes, output, cval, convolves, sparse)
    local re, im = split(list)
    if convolves then
      re, im = shared.turned(re), im and shared.turned(im)
      origins = shared.turned_origins(origins, shape)
    elseif im then
      im = negated(im)
    end
    origins = shared.origins(name, origins, shape)
    local function filter(part, w, value, kind, target)
      return kernels.correlate(name, part, axes, shape, w, origins, modes, value, kind, target, sparse)
    end
    if not im then
      return kernels.filtered(name, input, output, cval, function(part, ...) return filter(part, re, ...) end)
    end
    local dtype, out = shared.output(name, output, input)
    dtype = kernels.complex_of(dtype)
    local real = kernels.real_of(dtype)
    local c_re, c_im = kernels.split(shared.cval(name, cval, true))
    local a = ma.real(input)
    local sum, other = filter(a, re, c_re, real), filter(a, im, c_re, real)
    if ma.iscomplexobj(input) then
      local b = ma.imag(input)
      sum, other = sum - filter(b, im, c_im, real), other + filter(b, re, c_im, real)
    end
    return shared.finish(kernels.join(sum, other, dtype), out)
  end

  local function correlate1d(name, input, weights, axis, output, mode, cval, origin, convolves)
    input = shared.image(name, input)
    local list, shape = shared.host_values(name, "weights", weights)
    if #shape ~= 1 or #list == 0 then
      fail(name, sformat("weights of %d axes and %d elements; wanted one axis and one element at least", #shape, #list))
    end
    axis = common.axis(name, axis or -1, input.ndim)
    origin = origin == nil and 0 or shared.a_whole(name, "origin", origin)
    return weighted(name, input, { axis }, list, { #list }, { origin }, { shared.mode(name, mode) }, output, cval,
      convolves)
  end

  --> ndimage.correlate1d({1, 2, 3, 4}, {1, 1, 1})
  def("ndimage.correlate1d(input: data, weights: data, axis?: integer|integer[], output?: array|dtype, "
    .. "mode?: string|string[], cval?: number, origin?: number|number[]|array) -> array",
    "The sum of weights times neighbours along an axis, the last one by default: result[i] is the sum of "
      .. "weights[k] * input[i + k - middle]. Complex weights are conjugated.",
    function(input, weights, axis, output, mode, cval, origin)
      return correlate1d("ndimage.correlate1d", input, weights, axis, output, mode, cval, origin)
    end)

  --> ndimage.convolve1d({1, 2, 3, 4}, {1, 1, 1})
  def("ndimage.convolve1d(input: data, weights: data, axis?: integer|integer[], output?: array|dtype, "
    .. "mode?: string|string[], cval?: number, origin?: number|number[]|array) -> array",
    "correlate1d with the weights in the opposite order, and without conjugation.",
    function(input, weights, axis, output, mode, cval, origin)
      return correlate1d("ndimage.convolve1d", input, weights, axis, output, mode, cval, origin, true)
    end)

  local function correlate(name, input, weights, output, mode, cval, origin, axes, convolves)
    input = shared.image(name, input)
    axes = shared.axes(name, axes, input.ndim)
    local list, shape = shared.host_values(name, "weights", weights)
    if #shape ~= #axes then fail(name, sformat("weights have %d axes; wanted %d", #shape, #axes)) end
    if #list == 0 then fail(name, "weights have no elements; wanted one at least") end
    local origins = shared.per_axis(name, "origin", origin == nil and 0 or origin, #axes, shared.a_whole)
    return weighted(name, input, axes, list, shape, origins, shared.modes(name, mode, #axes), output, cval, convolves,
      true)
  end

  --> ndimage.correlate({1, 2, 3, 4}, {1, 1, 1})
  def("ndimage.correlate(input: data, weights: data, output?: array|dtype, mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "The sum of weights times the elements around each element. The weights have as many axes as are filtered; "
      .. "places with weight 0 are not read. Complex weights are conjugated.",
    function(input, weights, output, mode, cval, origin, axes)
      return correlate("ndimage.correlate", input, weights, output, mode, cval, origin, axes)
    end)

  --> ndimage.convolve({1, 2, 3, 4}, {1, 1, 1})
  def("ndimage.convolve(input: data, weights: data, output?: array|dtype, mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "correlate with the weights in the opposite order along each axis, and without conjugation.",
    function(input, weights, output, mode, cval, origin, axes)
      return correlate("ndimage.convolve", input, weights, output, mode, cval, origin, axes, true)
    end)

  -- ==== Gaussians ==================================================================================================

  --- The weights of a Gaussian or of a derivative of it, at -radius .. radius.
  local function gaussian_weights(sigma, order, radius)
    local phi, sum, variance = {}, 0, sigma * sigma
    for x = -radius, radius do
      local v = exp(-0.5 / variance * x * x)
      phi[x], sum = v, sum + v
    end
    -- The derivative is q(x) * phi(x): q' = q' - q x / variance, one step for each order.
    local q = { [0] = 1 }
    for k = 1, order do q[k] = 0 end
    for _ = 1, order do
      local p = {}
      for k = 0, order do
        p[k] = (k < order and (k + 1) * q[k + 1] or 0) + (k > 0 and q[k - 1] / -variance or 0)
      end
      q = p
    end
    local weights = {}
    for x = -radius, radius do
      local value, power = 0, 1
      for k = 0, order do value, power = value + q[k] * power, power * x end
      weights[#weights + 1] = value * (phi[x] / sum)
    end
    return weights
  end

  local function radius_of(name, sigma, truncate, radius)
    if radius == nil then radius = floor(truncate * sigma + 0.5) end
    return common.whole(name, "radius", radius, 0, shared.LONGEST / 2)
  end

  local function an_order(name, what, value)
    return common.whole(name, what, value, 0, 32)
  end

  local function gaussian_step(sigma, axis, order, radius, mode)
    return { axis = axis, mode = mode, weights = shared.turned(gaussian_weights(sigma, order, radius)) }
  end

  --> ndimage.gaussian_filter1d({0, 0, 1, 0, 0}, 1)
  def("ndimage.gaussian_filter1d(input: data, sigma: number|number[]|array, axis?: integer|integer[], "
    .. "order?: integer|integer[]|array, output?: array|dtype, mode?: string|string[], cval?: number, "
    .. "truncate?: number; radius?: number|number[]|array) -> array",
    "Blurs along an axis, the last one by default, by a Gaussian of standard deviation sigma. order 1, 2 and so on: "
      .. "by that derivative of the Gaussian. The window ends at truncate (4) standard deviations, or at radius.",
    function(input, sigma, axis, order, output, mode, cval, truncate, radius)
      local name = "ndimage.gaussian_filter1d"
      input = shared.image(name, input)
      if shared.not_negative(name, "sigma", sigma) == 0 then fail(name, "sigma is 0; wanted a number above 0") end
      axis = common.axis(name, axis or -1, input.ndim)
      order = an_order(name, "order", order or 0)
      radius = radius_of(name, sigma, shared.not_negative(name, "truncate", truncate or 4), radius)
      return kernels.steps(name, input, output, cval,
        { gaussian_step(sigma, axis, order, radius, shared.mode(name, mode)) })
    end)

  local function gaussian(name, input, sigma, order, output, mode, cval, truncate, radius, axes)
    input = shared.image(name, input)
    axes = shared.axes(name, axes, input.ndim)
    local sigmas = shared.per_axis(name, "sigma", sigma, #axes, shared.not_negative)
    local orders = shared.per_axis(name, "order", order == nil and 0 or order, #axes, an_order)
    local modes = shared.modes(name, mode, #axes)
    truncate = shared.not_negative(name, "truncate", truncate or 4)
    local radii = {}
    radius = common.plain(radius)
    if type(radius) == "table" then
      radii = shared.per_axis(name, "radius", radius, #axes, function(_, what, r) common.whole(name, what, r, 0) end)
    end
    local steps = {}
    for k = 1, #axes do
      if sigmas[k] > 1e-15 then
        steps[#steps + 1] = gaussian_step(sigmas[k], axes[k], orders[k],
          radius_of(name, sigmas[k], truncate, type(radius) == "table" and radii[k] or radius), modes[k])
      end
    end
    return kernels.steps(name, input, output, cval, steps)
  end

  --> ndimage.gaussian_filter({0, 0, 1, 0, 0}, 1)
  def("ndimage.gaussian_filter(input: data, sigma: number|number[]|array, order?: integer|integer[]|array, "
    .. "output?: array|dtype, mode?: string|string[], cval?: number, "
    .. "truncate?: number; radius?: number|number[]|array, axes?: integer|integer[]|array) -> array",
    "Blurs by a Gaussian along each axis, one axis after the other. sigma, order, mode and radius: one, or one for "
      .. "each axis; an axis whose sigma is 0 is left out. What is between the axes has the dtype of the result.",
    function(...) return gaussian("ndimage.gaussian_filter", ...) end)

  --- Sums of squares, or of second derivatives, of Gaussian derivatives along the axes.
  local function of_gaussians(name, order, input, sigma, output, mode, cval, axes, truncate, radius, combine, finish)
    input = shared.image(name, input)
    axes = shared.axes(name, axes, input.ndim)
    local sigmas = shared.per_axis(name, "sigma", sigma, #axes, shared.not_negative)
    return kernels.along_axes(name, input, function(image, axis, dtype, mode_of)
      local orders, all = {}, {}
      for d = 1, image.ndim do orders[d], all[d] = d == axis and order or 0, 0 end
      for k, d in ipairs(axes) do all[d] = sigmas[k] end
      return gaussian(name, image, all, orders, dtype, mode_of, cval, truncate, radius)
    end, output, mode, cval, axes, combine, finish)
  end

  --> ndimage.gaussian_laplace({0, 0, 1, 0, 0}, 1)
  def("ndimage.gaussian_laplace(input: data, sigma: number|number[]|array, output?: array|dtype, "
    .. "mode?: string|string[], cval?: number; axes?: integer|integer[]|array, truncate?: number, "
    .. "radius?: number|number[]|array) -> array",
    "The sum of the second derivatives of the image blurred by a Gaussian.",
    function(input, sigma, output, mode, cval, axes, truncate, radius)
      return of_gaussians("ndimage.gaussian_laplace", 2, input, sigma, output, mode, cval, axes, truncate, radius,
        kernels.add)
    end)

  --> ndimage.gaussian_gradient_magnitude({0, 0, 1, 1}, 1)
  def("ndimage.gaussian_gradient_magnitude(input: data, sigma: number|number[]|array, output?: array|dtype, "
    .. "mode?: string|string[], cval?: number; axes?: integer|integer[]|array, truncate?: number, "
    .. "radius?: number|number[]|array) -> array",
    "The length of the gradient of the image blurred by a Gaussian.",
    function(input, sigma, output, mode, cval, axes, truncate, radius)
      return of_gaussians("ndimage.gaussian_gradient_magnitude", 1, input, sigma, output, mode, cval, axes, truncate,
        radius, kernels.add_square, ma.sqrt)
    end)

  -- ==== Derivatives by small windows ===============================================================================

  local function derivative(name, input, axis, output, mode, cval, across)
    input = shared.image(name, input)
    axis = common.axis(name, axis or -1, input.ndim)
    local modes = shared.modes(name, mode, input.ndim)
    local steps = { { axis = axis, mode = modes[axis], weights = { -1, 0, 1 } } }
    for d = 1, input.ndim do
      if d ~= axis then steps[#steps + 1] = { axis = d, mode = modes[d], weights = across } end
    end
    return kernels.steps(name, input, output, cval, steps)
  end

  --> ndimage.sobel({1, 4, 9, 16})
  def("ndimage.sobel(input: data, axis?: integer|integer[], output?: array|dtype, mode?: string|string[], "
    .. "cval?: number) -> array",
    "The derivative along an axis, the last one by default, by the differences of neighbours, summed over the other "
      .. "axes with the weights 1, 2, 1.",
    function(input, axis, output, mode, cval)
      return derivative("ndimage.sobel", input, axis, output, mode, cval, { 1, 2, 1 })
    end)

  --> ndimage.prewitt({1, 4, 9, 16})
  def("ndimage.prewitt(input: data, axis?: integer|integer[], output?: array|dtype, mode?: string|string[], "
    .. "cval?: number) -> array",
    "As sobel, with the weights 1, 1, 1.",
    function(input, axis, output, mode, cval)
      return derivative("ndimage.prewitt", input, axis, output, mode, cval, { 1, 1, 1 })
    end)

  --> ndimage.laplace({1, 4, 9, 16})
  def("ndimage.laplace(input: data, output?: array|dtype, mode?: string|string[], "
    .. "cval?: number; axes?: integer|integer[]|array) -> array",
    "The sum of the second differences along the axes.",
    function(input, output, mode, cval, axes)
      local name = "ndimage.laplace"
      input = shared.image(name, input)
      return kernels.along_axes(name, input, function(image, axis, dtype, mode_of)
        return kernels.steps(name, image, dtype, cval,
          { { axis = axis, mode = shared.mode(name, mode_of), weights = { 1, -2, 1 } } })
      end, output, mode, cval, axes, kernels.add)
    end)

  -- ==== Means and extremes =========================================================================================

  --- One function of neighbours along an axis.
  local function line_filter(name, op, input, size, axis, output, mode, cval, origin)
    input = op == kernels.MEAN and shared.image(name, input) or shared.real_image(name, input)
    axis = common.axis(name, axis or -1, input.ndim)
    size = shared.a_size(name, "size", size)
    origin = shared.origins(name, origin, { size })[1]
    return kernels.steps(name, input, output, cval,
      { { axis = axis, mode = shared.mode(name, mode), op = op, size = size, origin = origin } })
  end

  --- The same along several axes, one after the other.
  local function line_filters(name, op, input, sizes, axes, output, mode, cval, origin)
    local modes, origins, steps = shared.modes(name, mode, #axes), shared.origins(name, origin, sizes), {}
    for k, axis in ipairs(axes) do
      if sizes[k] > 1 then
        steps[#steps + 1] = { axis = axis, mode = modes[k], op = op, size = sizes[k], origin = origins[k] }
      end
    end
    return kernels.steps(name, input, output, cval, steps)
  end

  for _, row in ipairs {
    --> ndimage.uniform_filter1d({3, 1, 2, 4}, 3)
    { "uniform_filter1d", kernels.MEAN, "The mean of size neighbours along an axis, the last one by default" },
    --> ndimage.minimum_filter1d({3, 1, 2, 1}, 3)
    { "minimum_filter1d", kernels.MIN, "The least of size neighbours along an axis, the last one by default" },
    --> ndimage.maximum_filter1d({3, 1, 2, 1}, 3)
    { "maximum_filter1d", kernels.MAX, "The greatest of size neighbours along an axis, the last one by default" },
  } do
    local name = "ndimage." .. row[1]
    def(name .. "(input: data, size: integer|integer[]|array, axis?: integer|integer[], output?: array|dtype, "
      .. "mode?: string|string[], cval?: number, origin?: number|number[]|array) -> array", row[3]
      .. ". The time does not depend on size.",
      function(input, size, axis, output, mode, cval, origin)
        return line_filter(name, row[2], input, size, axis, output, mode, cval, origin)
      end)
  end

  --> ndimage.uniform_filter({3, 1, 2, 4}, 3)
  def("ndimage.uniform_filter(input: data, size?: integer|integer[]|array, output?: array|dtype, "
    .. "mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "The mean of a box of elements, of size 3 along each axis by default, one axis after the other. The time does not "
      .. "depend on size.",
    function(input, size, output, mode, cval, origin, axes)
      local name = "ndimage.uniform_filter"
      input = shared.image(name, input)
      axes = shared.axes(name, axes, input.ndim)
      local sizes = shared.per_axis(name, "size", size == nil and 3 or size, #axes, shared.a_size)
      return line_filters(name, kernels.MEAN, input, sizes, axes, output, mode, cval, origin)
    end)

  -- ==== Ranks ======================================================================================================

  --- rank_of(count) gives the rank from 0 in a window of so many places.
  local function ranked(name, rank_of, input, size, footprint, output, mode, cval, origin, axes)
    input = shared.real_image(name, input)
    axes = shared.axes(name, axes, input.ndim)
    local shape, taken = shared.window(name, size, footprint, axes)
    local count = 1
    for k = 1, #shape do count = count * shape[k] end
    if taken then
      count = 0
      for k = 1, #taken do count = count + (taken[k] and 1 or 0) end
    end
    local rank = rank_of(count)
    local op = rank == 0 and kernels.MIN or rank == count - 1 and kernels.MAX
    if op and not taken then return line_filters(name, op, input, shape, axes, output, mode, cval, origin) end
    local origins, modes = shared.origins(name, origin, shape), shared.modes(name, mode, #axes)
    return kernels.filtered(name, input, output, cval, function(part, value, dtype, out)
      return kernels.order(name, part, op or kernels.RANK, axes, shape, taken, origins, modes, value, dtype, out, rank)
    end)
  end

  local function least() return 0 end
  local function greatest(count) return count - 1 end

  --> ndimage.minimum_filter({3, 1, 2, 1}, 3)
  def("ndimage.minimum_filter(input: data, size?: integer|integer[]|array, footprint?: data, output?: array|dtype, "
    .. "mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "The least element of a window: a box of that size, or the places where footprint is true.",
    function(...) return ranked("ndimage.minimum_filter", least, ...) end)

  --> ndimage.maximum_filter({3, 1, 2, 1}, 3)
  def("ndimage.maximum_filter(input: data, size?: integer|integer[]|array, footprint?: data, output?: array|dtype, "
    .. "mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "The greatest element of a window: a box of that size, or the places where footprint is true.",
    function(...) return ranked("ndimage.maximum_filter", greatest, ...) end)

  --> ndimage.rank_filter({3, 1, 2, 1}, -1, 3)
  def("ndimage.rank_filter(input: data, rank: integer, size?: integer|integer[]|array, footprint?: data, "
    .. "output?: array|dtype, mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "The element of that rank in a window: 1 is the least, 2 the next, -1 the greatest.",
    function(input, rank, size, footprint, output, mode, cval, origin, axes)
      local name = "ndimage.rank_filter"
      common.whole(name, "rank", rank)
      return ranked(name, function(count)
        if rank == 0 or abs(rank) > count then
          fail(name, sformat("rank is %d in a window of %d; wanted 1 to %d, or negative from the greatest", rank, count,
            count))
        end
        return rank > 0 and rank - 1 or count + rank
      end, input, size, footprint, output, mode, cval, origin, axes)
    end)

  --> ndimage.median_filter({3, 1, 2, 1}, 3)
  def("ndimage.median_filter(input: data, size?: integer|integer[]|array, footprint?: data, output?: array|dtype, "
    .. "mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "The middle element of a window: a box of that size, or the places where footprint is true. Of an even number of "
      .. "elements it is the greater of the two in the middle.",
    function(input, size, footprint, output, mode, cval, origin, axes)
      return ranked("ndimage.median_filter", function(count) return floor(count / 2) end, input, size, footprint,
        output, mode, cval, origin, axes)
    end)

  --> ndimage.percentile_filter({3, 1, 2, 1}, 50, 3)
  def("ndimage.percentile_filter(input: data, percentile: number, size?: integer|integer[]|array, footprint?: data, "
    .. "output?: array|dtype, mode?: string|string[], cval?: number, "
    .. "origin?: number|number[]|array; axes?: integer|integer[]|array) -> array",
    "The element of a window that so many percent of its elements are below; a negative percentile counts from 100.",
    function(input, percentile, size, footprint, output, mode, cval, origin, axes)
      local name = "ndimage.percentile_filter"
      local p = shared.a_number(name, "percentile", percentile)
      p = p < 0 and p + 100 or p
      if not (p >= 0 and p <= 100) then
        fail(name, sformat("percentile is %g; wanted 0 to 100, or -100 to 0", percentile))
      end
      return ranked(name, function(count) return p == 100 and count - 1 or floor(count * p / 100) end, input, size,
        footprint, output, mode, cval, origin, axes)
    end)
end
