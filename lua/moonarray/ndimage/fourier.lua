--- Filters of Fourier transforms: each multiplies a transform by that of a window, one factor for each axis.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  local pi = math.pi

  --- The transform, with the dtype that the result has.
  local function transform(name, input, output)
    input = shared.image(name, input)
    local dtype = input.dtype
    if dtype ~= "float32" and dtype ~= "complex64" and dtype ~= "complex128" then dtype = "float64" end
    local wanted, out = shared.output(name, output, input, nil, dtype)
    return input:astype(dtype, { copy = false }), wanted, out
  end

  --- The frequencies along an axis, in cycles an element, as a float64 vector along it: from a transform of all
  --- elements, or, along `axis`, from that of n real ones.
  local function frequencies(input, d, n, axis)
    local extent = input.shape[d]
    local shape, options = common.upright(input.ndim, d, extent), { dtype = "float64", device = input.device }
    if d == axis and n >= 0 then return (ma.arange(extent, options) / n):reshape(shape) end
    local k = ma.arange(extent, options)
    return (ma.where(k:lt(math.floor((extent + 1) / 2)), k, k - extent) / extent):reshape(shape)
  end

  --- The arguments that all filters share: the transform, its result's dtype and array, and n and axis.
  local function read(name, input, n, axis, output)
    local a, dtype, out = transform(name, input, output)
    n = common.whole(name, "n", n == nil and -1 or n)
    if a.ndim == 0 then fail(name, "a transform without axes; wanted one axis at least") end
    return a, dtype, out, n, common.axis(name, axis == nil and -1 or axis, a.ndim)
  end

  local function finish(result, dtype, out)
    if out then return out:assign(result) end
    return result:astype(dtype, { copy = false })
  end

  local ABOUT = " input is a Fourier transform, of real elements along `axis`, of which there were n; with n below 0, "
    .. "the default, it is that of complex ones along all axes."

  --- The length of the window along each axis.
  local function lengths(name, what, value, ndim) return shared.per_axis(name, what, value, ndim, shared.a_number) end

  --- The transform multiplied by a factor for each axis that has elements.
  local function multiply(a, factor)
    if a.size == 0 then return a:copy() end
    local dtype = a.dtype
    local real = (dtype == "float32" or dtype == "complex64") and "float32" or "float64"
    for d = 1, a.ndim do
      local f = factor(d)
      if f then a = a * (f.dtype == "float64" and f:astype(real, { copy = false }) or f) end
    end
    return a:astype(dtype, { copy = false })
  end

  def("ndimage.fourier_gaussian(input: data, sigma: number|number[]|array, n?: integer, axis?: integer|integer[], "
    .. "output?: array|dtype) -> array", "A Fourier transform multiplied by that of a "
    .. "Gaussian of standard deviation sigma, one number or one for each axis." .. ABOUT,
    function(input, sigma, n, axis, output)
      local name = "ndimage.fourier_gaussian"
      local a, dtype, out
      a, dtype, out, n, axis = read(name, input, n, axis, output)
      local list = lengths(name, "sigma", sigma, a.ndim)
      return finish(multiply(a, function(d)
        local f = frequencies(a, d, n, axis)
        return ma.exp(f * f * (-2 * pi * pi * list[d] * list[d]))
      end), dtype, out)
    end)

  def("ndimage.fourier_uniform(input: data, size: number|number[]|array, n?: integer, axis?: integer|integer[], "
    .. "output?: array|dtype) -> array", "A Fourier transform multiplied by that of a box "
    .. "of a size, one number or one for each axis." .. ABOUT,
    function(input, size, n, axis, output)
      local name = "ndimage.fourier_uniform"
      local a, dtype, out
      a, dtype, out, n, axis = read(name, input, n, axis, output)
      local list = lengths(name, "size", size, a.ndim)
      return finish(multiply(a, function(d) return ma.sinc(frequencies(a, d, n, axis) * list[d]) end), dtype, out)
    end)

  def("ndimage.fourier_shift(input: data, shift: number|number[]|array, n?: integer, axis?: integer|integer[], "
    .. "output?: array|dtype) -> array", "A Fourier transform multiplied by that of a shift by "
    .. "`shift` elements, one number or one for each axis. The result is complex." .. ABOUT,
    function(input, shift, n, axis, output)
      local name = "ndimage.fourier_shift"
      local a, dtype, out
      a, dtype, out, n, axis = read(name, input, n, axis, output)
      if not is.complexfloating[dtype] then
        if output ~= nil then fail(name, sformat("output of %s; wanted a complex dtype", dtype)) end
        dtype = "complex128"
      end
      local list = lengths(name, "shift", shift, a.ndim)
      if a.dtype ~= "complex64" then a = a:astype("complex128", { copy = false }) end
      return finish(multiply(a, function(d)
        local angle = frequencies(a, d, n, axis) * (-2 * pi * list[d])
        return (ma.cos(angle) + ma.complex(0, 1) * ma.sin(angle)):astype(a.dtype, { copy = false })
      end), dtype, out)
    end)

  def("ndimage.fourier_ellipsoid(input: data, size: number|number[]|array, n?: integer, axis?: integer|integer[], "
    .. "output?: array|dtype) -> array", "A Fourier transform of one to three axes "
    .. "multiplied by that of an ellipsoid whose axes have these sizes, one number or one for each axis." .. ABOUT,
    function(input, size, n, axis, output)
      local name = "ndimage.fourier_ellipsoid"
      local a, dtype, out
      a, dtype, out, n, axis = read(name, input, n, axis, output)
      if a.ndim > 3 then fail(name, sformat("%d axes; wanted at most 3", a.ndim)) end
      local list = lengths(name, "size", size, a.ndim)
      if a.size == 0 then return finish(a:copy(), dtype, out) end
      local square
      for d = 1, a.ndim do
        local f = frequencies(a, d, n, axis) * (pi * list[d])
        square = square and square + f * f or f * f
      end
      local r = ma.sqrt(square)
      local safe = ma.where(r:gt(0), r, 1)
      local factor
      if a.ndim == 1 then factor = ma.sin(safe) / safe
      elseif a.ndim == 2 then factor = 2 * ma.special.j1(safe) / safe
      else factor = 3 * (ma.sin(safe) - safe * ma.cos(safe)) / (safe * safe * safe) end
      factor = ma.where(r:gt(0), factor, 1)
      return finish((a * factor):astype(a.dtype, { copy = false }), dtype, out)
    end)
end
