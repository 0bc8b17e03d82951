--- Convolutions and correlations: directly, by Fourier transforms, and by transforms of pieces.

local sformat, max, min, floor, log = require("moonarray.text").format, math.max, math.min, math.floor, math.log

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local along = shared.along
  local inside = require "moonarray.signal.inside" (ma, core)

  local MODES = { full = true, same = true, valid = true }

  local function check_mode(name, mode)
    mode = mode or "full"
    if not MODES[mode] then fail(name, sformat("mode is %s; wanted 'full', 'same' or 'valid'", core.describe(mode))) end
    return mode
  end

  local function shape_text(a) return common.shape_text(a) end

  local function read(name, in1, in2)
    in1, in2 = shared.both(in1, in2)
    if in1.ndim ~= in2.ndim then
      fail(name, sformat("in1 has %d axes and in2 %d; wanted as many of both", in1.ndim, in2.ndim))
    end
    return in1, in2
  end

  --- Whether mode "valid" exchanges the operands. If in2 is larger along one axis, it must be larger along every axis.
  local function must_swap(name, mode, in1, in2, axes)
    if mode ~= "valid" then return false end
    local less, more = false, false
    for _, axis in ipairs(axes) do
      local n, m = in1.shape[axis], in2.shape[axis]
      less, more = less or n < m, more or n > m
    end
    if less and more then
      fail(name, sformat("shapes %s and %s for mode 'valid'; one must be as large as the other along every axis",
        shape_text(in1), shape_text(in2)))
    end
    return less
  end

  local function all_axes(a) return common.axes(nil, nil, a.ndim) end

  -- ==== Directly ===================================================================================================

  --- The dtype of sums of products: half precision is summed in float32, and whole numbers in 64 bits.
  local function loop_dtype(dtype)
    if is.inexact[dtype] then return shared.wide_dtype(dtype) end
    return "int64"
  end

  --- Sums of products at all places where the taps lie inside of `a`, along one axis or two.
  local function correlate_inside(a, taps)
    if a.ndim <= 2 then return inside(a, taps) end
    local sum
    for k = 1, taps.shape[1] do
      local part = along(a, 1, k, k + a.shape[1] - taps.shape[1])
      local slices = {}
      for j = 1, part.shape[1] do slices[j] = correlate_inside(part[j], taps[k]) end
      local whole = ma.stack(slices)
      sum = sum and sum:iadd(whole) or whole
    end
    return sum
  end

  --- in1 * in2 where both are not empty, by direct sums. firsts, counts: the part that is wanted, by axis.
  local function direct(in1, in2, firsts, counts, pad)
    local dtype = ma.promote_types(in1.dtype, in2.dtype)
    local loop = loop_dtype(dtype)
    local a, taps = in1:astype(loop, { copy = false }), ma.flip(in2:astype(loop, { copy = false }))
    for axis = 1, a.ndim do
      local m = in2.shape[axis]
      local first, count = firsts[axis] - m + 1, counts[axis] + m - 1
      a = pad and pad(a, axis, first, count) or shared.window_along(a, axis, first, count)
    end
    local sums = correlate_inside(a, taps)
    if a ~= in1 then a:free() end                          -- the next array gets memory that a cache has
    return sums:astype(dtype, { copy = false })
  end

  local function parts(mode, in1, in2)
    local firsts, counts = {}, {}
    for axis = 1, in1.ndim do
      firsts[axis], counts[axis] = common.extent(mode, in1.shape[axis], in2.shape[axis])
    end
    return firsts, counts
  end

  local function empty_result(in1, in2)
    return ma.zeros(0, { dtype = ma.promote_types(in1.dtype, in2.dtype), device = in1.device })
  end

  -- ==== By transforms ==============================================================================================

  --- The axes along which both have more than one element, of the list or of all; others are broadcast.
  local function transformed_axes(name, in1, in2, axes)
    local list, taken = common.axes(name, axes, in1.ndim), {}
    for _, axis in ipairs(list) do
      if taken[axis] then fail(name, sformat("axis %d twice; wanted each once", axis)) end
      taken[axis] = true
    end
    if #list == 0 then fail(name, "no axes; wanted at least one") end
    local kept, is_kept = {}, {}
    for _, axis in ipairs(list) do
      if in1.shape[axis] ~= 1 and in2.shape[axis] ~= 1 then
        kept[#kept + 1] = axis
        is_kept[axis] = true
      end
    end
    for axis = 1, in1.ndim do
      local n, m = in1.shape[axis], in2.shape[axis]
      if not is_kept[axis] and n ~= m and n ~= 1 and m ~= 1 then
        fail(name, sformat("shapes %s and %s; wanted the same extent along the axes that are not convolved",
          shape_text(in1), shape_text(in2)))
      end
    end
    return kept
  end

  local function transforms_of(in1, in2)
    if shared.is_complex(in1) or shared.is_complex(in2) then return ma.fft.fftn, ma.fft.ifftn end
    return ma.fft.rfftn, ma.fft.irfftn
  end

  --- The part of full sums that a mode takes: "same" is the middle in in1's shape, along broadcast axes too.
  local function take(full, mode, in1, in2, axes)
    for _, axis in ipairs(mode == "same" and all_axes(in1) or axes) do
      local m, length = in2.shape[axis], full.shape[axis]
      local first, count = common.extent(mode, in1.shape[axis], mode == "same" and length - in1.shape[axis] + 1 or m)
      if count < length then full = along(full, axis, first, first + count - 1) end
    end
    return full
  end

  local function float_pair(in1, in2)
    local dtype = shared.wide_dtype(ma.promote_types(in1.dtype, in2.dtype))
    local real = shared.real_dtype({ dtype = dtype })
    local function cast(a) return a:astype(shared.is_complex(a) and dtype or real, { copy = false }) end
    return cast(in1), cast(in2)
  end

  local function fft_full(in1, in2, axes)
    if #axes == 0 then return in1 * in2 end
    local lengths = {}
    for k, axis in ipairs(axes) do lengths[k] = ma.fft.next_fast_len(in1.shape[axis] + in2.shape[axis] - 1) end
    local forward, back = transforms_of(in1, in2)
    local full = back(forward(in1, lengths, axes) * forward(in2, lengths, axes), lengths, axes)
    for _, axis in ipairs(axes) do full = along(full, axis, 1, in1.shape[axis] + in2.shape[axis] - 1) end
    return full
  end

  local function by_transforms(name, in1, in2, mode, axes, full)
    in1, in2 = read(name, in1, in2)
    if in1.ndim == 0 then return in1 * in2 end
    if in1.size == 0 or in2.size == 0 then return empty_result(in1, in2) end
    local list = transformed_axes(name, in1, in2, axes)
    if must_swap(name, mode, in1, in2, list) then in1, in2 = in2, in1 end
    local dtype = ma.promote_types(in1.dtype, in2.dtype)
    in1, in2 = float_pair(in1, in2)
    local result = take(full(in1, in2, list), mode, in1, in2, list)
    if dtype == "float16" or dtype == "bfloat16" then result = result:astype(dtype) end
    return result
  end

  -- ==== Which method ===============================================================================================

  --- SciPy's estimate of the work of both methods.
  local function work(in1, in2, mode)
    local result, full, size1, size2 = 1, 1, in1.size, in2.size
    for axis = 1, in1.ndim do
      local n, m = in1.shape[axis], in2.shape[axis]
      full = full * (n + m - 1)
      result = result * (mode == "full" and n + m - 1 or mode == "same" and n or math.abs(n - m) + 1)
    end
    local products = mode == "same" and size1 * size2 or min(size1, size2) * result
    return 3 * full * log(max(full, 2)), products
  end

  -- Seconds for a step of a transform and for a product, by device. On a GPU direct sums pass over few bytes.
  local COST = { cpu = { 2e-9, 2.5e-10 }, gpu = { 2e-11, 1.5e-12 } }

  local function faster_by_transforms(in1, in2, mode)
    local transform, products = work(in1, in2, mode)
    local cost = in1.device == "cpu" and COST.cpu or COST.gpu
    return transform * cost[1] + 2e-5 < products * cost[2]
  end

  local MOST_EXACT = 2 ^ 52 - 1
  --- Whether transforms in float64 give exact sums of whole numbers. Waits for the largest of them.
  local function exact(in1, in2)
    local largest = tonumber(ma.abs(in1:astype("float64")):max():item() * ma.abs(in2:astype("float64")):max():item())
    return largest * min(in1.size, in2.size) <= MOST_EXACT
  end

  local function choose(in1, in2, mode)
    if in1.size == 0 or in2.size == 0 or not common.has_transforms[in1.device] then return "direct" end
    if ma.promote_types(in1.dtype, in2.dtype) == "bool" or not faster_by_transforms(in1, in2, mode) then
      return "direct"
    end
    if (not shared.is_float(in1) or not shared.is_float(in2)) and not (exact(in1, in2)) then return "direct" end
    return "fft"
  end

  --> signal.choose_conv_method({1, 2, 3}, {1, 1})
  def("signal.choose_conv_method(in1: data, in2: data, mode?: string; measure?: boolean) -> string",
    "The method, 'fft' or 'direct', that signal.convolve "
    .. "takes for these: the faster one by an estimate, and only an exact one for whole numbers. With measure the "
    .. "times of both in seconds follow, as a table.",
    function(in1, in2, mode, measure)
      local name = "signal.choose_conv_method"
      mode = check_mode(name, mode)
      in1, in2 = read(name, in1, in2)
      if not measure then return choose(in1, in2, mode) end
      local times = {}
      for _, method in ipairs { "fft", "direct" } do
        ma.eval(ma.signal.convolve(in1, in2, mode, method))
        local start, stop = ma.Event(), ma.Event()
        start:record()
        ma.eval(ma.signal.convolve(in1, in2, mode, method))
        stop:record()
        times[method] = ma.get_elapsed_time(start, stop) * 1e-3
      end
      return times.fft < times.direct and "fft" or "direct", times
    end)

  local function convolve(name, in1, in2, mode, method)
    mode, method = check_mode(name, mode), method or "auto"
    in1, in2 = read(name, in1, in2)
    if in1.ndim == 0 then return in1 * in2 end
    if in1.size == 0 or in2.size == 0 then return empty_result(in1, in2) end
    if must_swap(name, mode, in1, in2, all_axes(in1)) then in1, in2 = in2, in1 end
    if method == "auto" then method = choose(in1, in2, mode) end
    if method == "direct" then return direct(in1, in2, parts(mode, in1, in2)) end
    local dtype = ma.promote_types(in1.dtype, in2.dtype)
    local result = by_transforms(name, in1, in2, mode, nil, fft_full)
    if is.inexact[dtype] then return result end
    return ma.rint(result):astype(dtype)
  end

  local METHODS = " method: 'direct', 'fft', or 'auto' (choose_conv_method)."

  --> signal.convolve({1, 2, 3}, {1, 1})
  def("signal.convolve(in1: data, in2: data, mode?: string, method?: string) -> array",
    "Convolution of two arrays of as many axes: all sums of products (mode 'full'), those at in1's places ('same'), "
      .. "or those without zeros beside the ends ('valid')." .. METHODS,
    function(in1, in2, mode, method)
      local name = "signal.convolve"
      if method ~= nil then shared.choice(name, "method", method, "auto", "direct", "fft") end
      return convolve(name, in1, in2, mode, method)
    end)

  local function reversed_conjugate(a)
    a = ma.flip(a)
    return shared.is_complex(a) and ma.conj(a) or a
  end

  --> signal.correlate({1, 2, 3}, {1, 1})
  def("signal.correlate(in1: data, in2: data, mode?: string, method?: string) -> array",
    "Cross-correlation: sums of in1 times the conjugate of in2, at every shift that the mode takes." .. METHODS,
    function(in1, in2, mode, method)
      local name = "signal.correlate"
      if method ~= nil then shared.choice(name, "method", method, "auto", "direct", "fft") end
      in1, in2 = read(name, in1, in2)
      return convolve(name, in1, reversed_conjugate(in2), mode, method)
    end)

  --> signal.correlation_lags(3, 2)
  def("signal.correlation_lags(in1_len: integer, in2_len: integer, mode?: string; device?: string) -> array",
    "The shifts that the elements of signal.correlate stand for, int64.", function(n, m, mode, device)
      local name = "signal.correlation_lags"
      mode = check_mode(name, mode)
      common.whole(name, "in1_len", n, 0)
      common.whole(name, "in2_len", m, 0)
      local lo, hi = 1 - m, n
      if mode == "same" then
        local middle = floor((n + m - 1) / 2)
        lo = lo + middle - floor(n / 2)
        hi = lo + n
      elseif mode == "valid" then
        lo, hi = min(n - m, 0), max(n - m, 0) + 1
      end
      return ma.arange(lo, hi, { dtype = "int64", device = device })
    end)

  --> signal.fftconvolve({1, 2, 3}, {1, 1})
  def("signal.fftconvolve(in1: data, in2: data, mode?: string, axes?: integer|integer[]) -> array",
    "Convolution by Fourier transforms, along all axes or along `axes`; the others are broadcast.",
    function(in1, in2, mode, axes)
      local name = "signal.fftconvolve"
      return by_transforms(name, in1, in2, check_mode(name, mode), axes, fft_full)
    end)

  -- ==== By pieces ==================================================================================================

  --- The length of transforms of pieces that costs least an element, for an overlap of m - 1.
  local function piece_length(n, m)
    local best, best_cost
    local length = ma.fft.next_fast_len(2 * m)
    while length < n + m do
      local cost = length * log(length) / (length - m + 1)
      if best and cost >= best_cost then break end
      best, best_cost = length, cost
      length = ma.fft.next_fast_len(length * 2)
    end
    return best
  end

  --- Full sums by transforms of pieces along the axis with the greatest ratio of lengths; whole along the others.
  local function pieces_full(in1, in2, axes)
    local long, ratio = nil, 2
    for k, axis in ipairs(axes) do
      local n, m = in1.shape[axis], in2.shape[axis]
      if max(n, m) / min(n, m) > ratio then long, ratio = k, max(n, m) / min(n, m) end
    end
    if not long then return fft_full(in1, in2, axes) end
    local axis = axes[long]
    if in1.shape[axis] < in2.shape[axis] then in1, in2 = in2, in1 end
    local n, m = in1.shape[axis], in2.shape[axis]
    local length = piece_length(n, m)
    if not length then return fft_full(in1, in2, axes) end
    local step = length - m + 1
    local count = math.ceil((n + m - 1) / step)
    local function split(a, rows, columns)
      local shape = a.shape
      shape[axis] = rows
      table.insert(shape, axis + 1, columns)
      return a:reshape(shape)
    end
    local lengths, moved = {}, {}
    for k, d in ipairs(axes) do
      moved[k] = d >= axis and d + 1 or d
      lengths[k] = d == axis and length or ma.fft.next_fast_len(in1.shape[d] + in2.shape[d] - 1)
    end
    local forward, back = transforms_of(in1, in2)
    local pieces = split(shared.window_along(in1, axis, 1, count * step), count, step)
    local sums = back(forward(pieces, lengths, moved) * forward(split(in2, 1, m), lengths, moved), lengths, moved)
    local result = along(sums, axis + 1, 1, step):copy()
    if count > 1 then
      local behind = along(along(sums, axis + 1, step + 1, length), axis, 1, count - 1)
      along(along(result, axis + 1, 1, m - 1), axis, 2, count):iadd(behind)
    end
    local flat = result.shape
    flat[axis] = count * step
    table.remove(flat, axis + 1)
    result = result:reshape(flat)
    for _, d in ipairs(axes) do result = along(result, d, 1, in1.shape[d] + in2.shape[d] - 1) end
    return result
  end

  --> signal.oaconvolve({1, 2, 3}, {1, 1})
  def("signal.oaconvolve(in1: data, in2: data, mode?: string, axes?: integer|integer[]) -> array",
    "Convolution by Fourier transforms of overlapping pieces: for a long array and a short one.",
    function(in1, in2, mode, axes)
      local name = "signal.oaconvolve"
      return by_transforms(name, in1, in2, check_mode(name, mode), axes, pieces_full)
    end)

  -- ==== Images =====================================================================================================

  local PAD = { fill = "constant", pad = "constant", wrap = "wrap", circular = "wrap", symm = "symmetric",
    symmetric = "symmetric" }

  local function padding(name, boundary, fillvalue)
    local kind = PAD[boundary or "fill"]
    if not kind then
      fail(name, sformat("boundary is %s; wanted 'fill', 'wrap' or 'symm'", core.describe(boundary)))
    end
    if kind == "constant" and (fillvalue == nil or fillvalue == 0) then return nil end
    return function(a, axis, first, count)
      local before, behind = max(1 - first, 0), max(first + count - 1 - a.shape[axis], 0)
      if before + behind > 0 then
        a = shared.pad_along(a, axis, before, behind,
          { mode = kind, constant_values = kind == "constant" and fillvalue or nil })
      end
      return along(a, axis, first + before, first + before + count - 1)
    end
  end

  local function image(name, in1, in2, mode, boundary, fillvalue, correlates)
    mode = check_mode(name, mode)
    in1, in2 = read(name, in1, in2)
    if in1.ndim ~= 2 then fail(name, sformat("arrays of %d axes; wanted two", in1.ndim)) end
    if in1.size == 0 or in2.size == 0 then fail(name, "an empty array; wanted at least one element of both") end
    local pad = padding(name, boundary, fillvalue)
    local swapped = must_swap(name, mode, in1, in2, { 1, 2 })
    if correlates then in2 = shared.is_complex(in2) and ma.conj(in2) or in2 end
    if swapped then in1, in2 = in2, in1 end
    if correlates then in2 = ma.flip(in2) end
    local firsts, counts = parts(mode, in1, in2)
    if correlates and mode == "same" then
      for axis = 1, 2 do firsts[axis] = floor(in2.shape[axis] / 2) + 1 end
    end
    local result = direct(in1, in2, firsts, counts, pad)
    return correlates and swapped and ma.flip(result) or result
  end

  local EDGES = " boundary: 'fill' (with fillvalue, 0), 'wrap' or 'symm'."
  --> signal.convolve2d({{1, 2}, {3, 4}}, {{1, 1}})
  def("signal.convolve2d(in1: data, in2: data, mode?: string, boundary?: string, fillvalue?: number) -> array",
    "Convolution of two matrices by direct sums, with elements beyond in1's edges." .. EDGES,
    function(in1, in2, mode, boundary, fillvalue)
      return image("signal.convolve2d", in1, in2, mode, boundary, fillvalue, false)
    end)
  --> signal.correlate2d({{1, 2}, {3, 4}}, {{1, 1}})
  def("signal.correlate2d(in1: data, in2: data, mode?: string, boundary?: string, fillvalue?: number) -> array",
    "Cross-correlation of two matrices by direct sums, with elements beyond in1's edges." .. EDGES,
    function(in1, in2, mode, boundary, fillvalue)
      return image("signal.correlate2d", in1, in2, mode, boundary, fillvalue, true)
    end)

  -- ==== Products of two and three elements =========================================================================

  --- Sums of products of two (or three) elements of each stretch of a vector with a matrix (or cube) of weights.
  local function higher(name, in1, in2, mode, method, order)
    if mode ~= nil then shared.choice(name, "mode", mode, "valid") end
    if method ~= nil then shared.choice(name, "method", method, "direct") end
    in1, in2 = shared.both(in1, in2)
    in1 = shared.vector(name, "in1", in1)
    if in2.ndim ~= order then fail(name, sformat("in2 has %d axes; wanted %d", in2.ndim, order)) end
    local dtype = shared.wide_dtype(ma.promote_types(in1.dtype, in2.dtype))
    in1, in2 = in1:astype(dtype, { copy = false }), ma.flip(in2:astype(dtype, { copy = false }))
    local most = 0
    for axis = 1, order do most = max(most, in2.shape[axis]) end
    local count = in1.size - most + 1
    if count < 1 or in2.size == 0 then
      fail(name, sformat("%d elements and weights of shape %s; wanted at least as many elements as weights along "
        .. "each axis, and one of each", in1.size, shape_text(in2)))
    end
    --- The elements that meet the weights of an axis of extent m, a row each.
    local function stretch(m)
      return ma.lib.stride_tricks.sliding_window_view(along(in1, 1, 1, count + m - 1), m)
    end
    local result = in2
    if order == 3 then
      -- sum over k of h[i, j, k] x[n + k], then over j, then over i
      result = ma.matmul(result:reshape(in2.shape[1] * in2.shape[2], in2.shape[3]), stretch(in2.shape[3]).T)
      result = result:reshape(in2.shape[1], in2.shape[2], count)
      result = (result * ma.expand_dims(stretch(in2.shape[2]).T, 1)):sum(2)
    else
      result = ma.matmul(result, stretch(in2.shape[2]).T)
    end
    return (result * stretch(in2.shape[1]).T):sum(1)
  end

  --> signal.convolve1d2o: ma.signal.convolve1d2o({1, 2, 3}, {{1, 0}, {0, 1}})
  def("signal.convolve1d2o(in1: data, in2: data, mode?: string, method?: string) -> array",
    "Convolution of a vector with a filter of second order: sums "
    .. "of in2[i, j] times the elements i and j of each stretch, counted from its end.",
    function(in1, in2, mode, method) return higher("signal.convolve1d2o", in1, in2, mode, method, 2) end)
  --> signal.convolve1d3o: ma.signal.convolve1d3o({1, 2, 3}, ma.ones({2, 2, 2}))
  def("signal.convolve1d3o(in1: data, in2: data, mode?: string, method?: string) -> array",
    "Convolution of a vector with a filter of third order: sums of "
    .. "in2[i, j, k] times the elements i, j and k of each stretch, counted from its end.",
    function(in1, in2, mode, method) return higher("signal.convolve1d3o", in1, in2, mode, method, 3) end)
end
