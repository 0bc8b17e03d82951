--- Filters of Fourier transforms: each multiplies a transform by that of a window, one factor for each axis.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  local pi = math.pi

  --- The frequencies along an axis, in cycles an element, as a float64 vector along it: from a transform of all
  --- elements, or, along `axis`, from that of n real ones.
  local function frequencies(input, d, n, axis)
    local extent = input.shape[d]
    local shape, options = common.upright(input.ndim, d, extent), { dtype = "float64", device = input.device }
    if d == axis and n >= 0 then return (ma.arange(extent, options) / n):reshape(shape) end
    local k = ma.arange(extent, options)
    return (ma.where(k:lt(math.floor((extent + 1) / 2)), k, k - extent) / extent):reshape(shape)
  end

  local ABOUT = " input is a Fourier transform, of real elements along `axis`, of which there were n; with n below 0, "
    .. "the default, it is that of complex ones along all axes."

  --- Defines a filter whose lengths, one for each axis, are its argument `what`. multiply(name, a, list, f) multiplies
  --- the transform, where f(d) has the frequencies along axis d.
  local function define(name, what, doc, multiply, complex)
    name = "ndimage." .. name
    def(sformat("%s(input: data, %s: number|number[]|array, n?: integer, axis?: integer|integer[], "
      .. "output?: array|dtype) -> array", name, what), doc .. ABOUT, function(input, value, n, axis, output)
      input = shared.image(name, input)
      local dtype = input.dtype
      if dtype ~= "float32" and dtype ~= "complex64" and dtype ~= "complex128" then dtype = "float64" end
      local wanted, out = shared.output(name, output, input, nil, dtype)
      n = common.whole(name, "n", n == nil and -1 or n)
      if input.ndim == 0 then fail(name, "a transform without axes; wanted one axis at least") end
      axis = common.axis(name, axis == nil and -1 or axis, input.ndim)
      if complex and not is.complexfloating[wanted] then
        if output ~= nil then fail(name, sformat("output of %s; wanted a complex dtype", wanted)) end
        wanted = "complex128"
      end
      local list = shared.per_axis(name, what, value, input.ndim, shared.a_number)
      if complex and dtype ~= "complex64" then dtype = "complex128" end
      local a = input:astype(dtype, { copy = false })
      local result = multiply(name, a, list, function(d) return frequencies(a, d, n, axis) end)
      result = result:astype(dtype, { copy = false })
      if out then return out:assign(result) end
      return result:astype(wanted, { copy = false })
    end)
  end

  --- A filter whose factor is a product of factor(frequencies, length) along each axis.
  local function by_axes(factor)
    return function(_, a, list, f)
      if a.size == 0 then return a:copy() end
      local narrow = a.dtype == "float32" or a.dtype == "complex64"
      for d = 1, a.ndim do
        local one = factor(f(d), list[d])
        a = a * (narrow and one:astype(is.complexfloating[one.dtype] and "complex64" or "float32") or one)
      end
      return a
    end
  end

  --> ndimage.fourier_gaussian({1, 2, 3}, 1)
  define("fourier_gaussian", "sigma", "A Fourier transform multiplied by that of a Gaussian of standard deviation "
    .. "sigma, one number or one for each axis.",
    by_axes(function(f, sigma) return ma.exp(f * f * (-2 * pi * pi * sigma * sigma)) end))

  --> ndimage.fourier_uniform({1, 2, 3}, 2)
  define("fourier_uniform", "size", "A Fourier transform multiplied by that of a box of a size, one number or one for "
    .. "each axis.", by_axes(function(f, size) return ma.sinc(f * size) end))

  --> ndimage.fourier_shift({1, 2, 3}, 1)
  define("fourier_shift", "shift", "A Fourier transform multiplied by that of a shift by `shift` elements, one number "
    .. "or one for each axis. The result is complex.", by_axes(function(f, shift)
      local angle = f * (-2 * pi * shift)
      return ma.cos(angle) + ma.complex(0, 1) * ma.sin(angle)
    end), true)

  --> ndimage.fourier_ellipsoid({1, 2, 3}, 1)
  define("fourier_ellipsoid", "size", "A Fourier transform of one to three axes multiplied by that of an ellipsoid "
    .. "whose axes have these sizes, one number or one for each axis.", function(name, a, list, f)
      if a.ndim > 3 then fail(name, sformat("%d axes; wanted at most 3", a.ndim)) end
      if a.size == 0 then return a:copy() end
      local square
      for d = 1, a.ndim do
        local part = f(d) * (pi * list[d])
        square = square and square + part * part or part * part
      end
      local r = ma.sqrt(square)
      local safe = ma.where(r:gt(0), r, 1)
      local factor
      if a.ndim == 1 then factor = ma.sin(safe) / safe
      elseif a.ndim == 2 then factor = 2 * ma.special.j1(safe) / safe
      else factor = 3 * (ma.sin(safe) - safe * ma.cos(safe)) / (safe * safe * safe) end
      return a * ma.where(r:gt(0), factor, 1)
    end)
end
