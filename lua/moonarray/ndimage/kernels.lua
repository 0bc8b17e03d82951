--- ma.ndimage: calls of the core's filters with results of their own: memory for results, complex images, windows as
--- lists of distances.

local floor, abs = math.floor, math.abs
local EPSILON = 2 ^ -52

return function(ma, core, shared)
  local kernels = { CORRELATE = 0, MIN = 1, MAX = 2, RANK = 3, MEAN = 4 }
  core.filter_operations, core.filter_modes = kernels, shared

  local NARROW_FLOATS = { float16 = true, bfloat16 = true, float32 = true }
  -- The dtype in which elements are compared, which holds each of them.
  local ORDERED = { bool = "float32", int8 = "float32", int16 = "float32", uint8 = "float32", uint16 = "float32",
    float16 = "float32", bfloat16 = "float32", float32 = "float32", int32 = "float64", uint32 = "float64",
    float64 = "float64", int64 = "int64", uint64 = "uint64" }

  local COMPLEX_OF = { float32 = "complex64", float16 = "complex64", bfloat16 = "complex64" }
  local function real_of(dtype)
    return dtype == "complex64" and "float32" or dtype == "complex128" and "float64" or dtype
  end
  local function complex_of(dtype)
    if dtype == "complex64" or dtype == "complex128" then return dtype end
    return COMPLEX_OF[dtype] or "complex128"
  end
  kernels.complex_of, kernels.real_of = complex_of, real_of

  --- The real and the imaginary part of a number.
  local function split(number)
    if type(number) == "number" then return number, 0 end
    return number.re, number.im
  end
  kernels.split = split

  --- Memory for a result of a kernel: `out`, if the kernel can write there, else a new array.
  function kernels.target(input, out, dtype, shape)
    if out and out.dtype == dtype and out.flags.c_contiguous and not ma.may_share_memory(out, input) then return out end
    return ma.empty(shape or input.shape, { dtype = dtype, device = input.device })
  end

  --- Calls filter(part, cval, dtype, out) for a real image, or for both parts of a complex one.
  function kernels.by_parts(input, cval, dtype, out, filter)
    if not ma.iscomplexobj(input) then return filter(input, cval, dtype, out) end
    local re, im = split(cval)
    dtype = complex_of(dtype)
    local a = filter(ma.real(input), re, real_of(dtype))
    local b = filter(ma.imag(input), im, real_of(dtype))
    return kernels.join(a, b, dtype)
  end

  --- The same where `output` says: in that array of `shape`, the image's by default, in that dtype, or in the image's.
  function kernels.filtered(name, input, output, cval, filter, shape)
    local dtype, out = shared.output(name, output, input, shape)
    local complex = ma.iscomplexobj(input)
    cval = shared.cval(name, cval, complex)
    return shared.finish(kernels.by_parts(input, cval, complex and complex_of(dtype) or dtype, out, filter), out)
  end

  --- Real and imaginary parts as one complex array.
  function kernels.join(a, b, dtype)
    local z = ma.empty(a.shape, { dtype = dtype, device = a.device })
    ma.real(z):assign(a)
    ma.imag(z):assign(b)
    return z
  end

  --- Applies steps along one axis each, one after the other. A step is {axis =, mode =} with weights, or with an op of
  --- `size` neighbours and their origin. Without steps the result is a copy.
  function kernels.steps(name, input, output, cval, steps)
    return kernels.filtered(name, input, output, cval, function(part, value, dtype, out)
      if #steps == 0 then return part:astype(dtype) end
      local before = part
      for k, s in ipairs(steps) do
        local to, result = k == #steps and out or nil
        if s.op then
          result = kernels.line(name, before, s.op, s.axis, s.size, s.origin, s.mode, value, dtype, to)
        else
          result = kernels.correlate(name, before, { s.axis }, { #s.weights }, s.weights, { 0 }, { s.mode }, value,
            dtype, to)
        end
        if before ~= part then before:free() end
        before = result
      end
      return before
    end)
  end

  --- Calls derivative(input, axis, dtype, mode, cval) along each axis, and puts the results together.
  function kernels.along_axes(name, input, derivative, output, mode, cval, axes, combine, finish)
    axes = shared.axes(name, axes, input.ndim)
    shared.modes(name, mode, #axes)
    local dtype, out = shared.output(name, output, input)
    if ma.iscomplexobj(input) then dtype = kernels.complex_of(dtype) end
    local sum
    for k, axis in ipairs(axes) do
      local part = derivative(input, axis, dtype, type(mode) == "table" and mode[k] or mode, cval)
      sum = combine(sum, part:astype(dtype, { copy = false }))
    end
    if sum and finish then sum = finish(sum) end
    return shared.finish((sum or input):astype(dtype, { copy = sum == nil }), out)
  end

  function kernels.add(sum, part) return sum and sum + part or part end
  function kernels.add_square(sum, part) return sum and sum + part * part or part * part end

  -- ==== Windows ====================================================================================================

  --- The distances of the places of a window over some axes of ndim, as a flat list in C order, and their number.
  --- Places for which skip(k) is true are left out.
  function kernels.offsets(ndim, axes, shape, origins, skip)
    local list, n, places, at = {}, 0, 1, {}
    for k = 1, #axes do
      places = places * shape[k]
      at[k] = 0
    end
    for place = 1, places do
      if not (skip and skip(place)) then
        local first = n * ndim
        for d = 1, ndim do list[first + d] = 0 end
        for k, axis in ipairs(axes) do list[first + axis] = at[k] - floor(shape[k] / 2) - origins[k] end
        n = n + 1
      end
      for k = #axes, 1, -1 do
        at[k] = at[k] + 1
        if at[k] < shape[k] then break end
        at[k] = 0
      end
    end
    return list, n
  end

  --- The modes by axis, from those of the filtered axes.
  function kernels.modes(ndim, axes, modes)
    local list = {}
    for d = 1, ndim do list[d] = 0 end
    for k, axis in ipairs(axes) do list[axis] = modes[k] end
    return list
  end

  --- The dtype of sums of elements of one dtype for results of another.
  function kernels.sums_of(from, to) return NARROW_FLOATS[from] and NARROW_FLOATS[to] and "float32" or "float64" end

  --- Sums of weights times elements. Weights that are 0 are left out with `sparse`.
  function kernels.correlate(name, input, axes, shape, weights, origins, modes, cval, dtype, out, sparse)
    local list, symmetry = weights, 0
    local skip
    if sparse then
      list, skip = {}, function(k) return abs(weights[k]) <= EPSILON end
      for k = 1, #weights do
        if not skip(k) then list[#list + 1] = weights[k] end
      end
      if #list == 0 then return ma.zeros(input.shape, { dtype = dtype, device = input.device }) end
    end
    local offsets = kernels.offsets(input.ndim, axes, shape, origins, skip)
    if not sparse then symmetry = kernels.symmetry(weights) end
    if not sparse and symmetry == 0 and #axes == 1 then         -- SciPy's sum begins with the last place
      local last, ndim = #weights, input.ndim
      list = { weights[last] }
      for k = 1, last - 1 do list[k + 1] = weights[k] end
      for _ = 1, ndim do table.insert(offsets, 1, table.remove(offsets)) end
    end
    local result = kernels.target(input, out, dtype)
    return core.filter_window(name, input, result, kernels.CORRELATE, kernels.sums_of(input.dtype, dtype), offsets,
      list, symmetry, 0, kernels.modes(input.ndim, axes, modes), cval)
  end

  --- 1 for weights that are the same from both ends, -1 for opposite ones, else 0.
  function kernels.symmetry(weights)
    local n = #weights
    if n % 2 == 0 then return 0 end
    local half, even, odd = floor(n / 2), true, true
    for k = 1, half do
      even = even and abs(weights[k] - weights[n + 1 - k]) <= EPSILON
      odd = odd and abs(weights[k] + weights[n + 1 - k]) <= EPSILON
    end
    return even and 1 or odd and 0 - 1 or 0
  end

  --- Calls fn. If other whole numbers would lose digits on the way, its result has the image's own dtype.
  local function in_own_dtype(input, dtype, out, fn)
    if ORDERED[input.dtype]:find("int") and dtype ~= input.dtype then
      return fn(kernels.target(input, nil, input.dtype)):astype(dtype)
    end
    return fn(kernels.target(input, out, dtype))
  end

  --- The least, the greatest, or the element of a rank in a window; `values`: what is added to elements, or nil.
  function kernels.order(name, input, op, axes, shape, taken, origins, modes, cval, dtype, out, rank, values)
    local skip = taken and function(k) return not taken[k] end
    local offsets = kernels.offsets(input.ndim, axes, shape, origins, skip)
    return in_own_dtype(input, dtype, out, function(result)
      return core.filter_window(name, input, result, op, values and "float64" or ORDERED[input.dtype], offsets, values,
        0, rank or 0, kernels.modes(input.ndim, axes, modes), cval)
    end)
  end

  --- The least, the greatest or the mean of neighbours along an axis.
  function kernels.line(name, input, op, axis, size, origin, mode, cval, dtype, out)
    local function run(result)
      return core.filter_line(name, input, result, op, op == kernels.MEAN and "float64" or ORDERED[input.dtype], axis,
        size, floor(size / 2) + origin, mode, cval)
    end
    if op == kernels.MEAN then return run(kernels.target(input, out, dtype)) end
    return in_own_dtype(input, dtype, out, run)
  end

  return kernels
end
