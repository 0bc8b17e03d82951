--- Convolution and correlation of vectors: sums of products, exact for whole numbers. Two long vectors of floats use
--- Fourier transforms in float64.
--# reduce

local min, max = math.min, math.max

return function(ma, core)
  local common = require "moonarray.common" (core)
  local is = common.is
  local along = common.along

  local LONG = 1024                      -- with this many sums of this many products, three transforms are faster
  local FEW_TAPS = 8                     -- products and sums that become one kernel
  local ONE_PASS = 2 ^ 20                -- products that are held at once
  local narrow = { float16 = "float32", bfloat16 = "float32" }   -- summed in that dtype and rounded once, as in NumPy

  --- Elements first .. first + count - 1 of a vector, with zeros for positions outside of it.
  local function window(a, first, count)
    local n, parts = a.size, {}
    local function zeros(k)
      if k > 0 then parts[#parts + 1] = ma.zeros(k, { dtype = a.dtype, device = a.device }) end
    end
    zeros(min(1 - first, count))
    local lo, hi = max(first, 1), min(first + count - 1, n)
    if lo <= hi then parts[#parts + 1] = along(a, 1, lo, hi) end
    zeros(min(first + count - 1 - n, count))
    return #parts == 1 and parts[1] or ma.concatenate(parts)
  end

  --- The same in one pass. The rows of products are one element longer than those of sums. Read as rows of the sums'
  --- length, each begins one place further.
  local function in_one_pass(a, v, first, count)
    local n, m, dtype = a.size, v.size, v.dtype
    local length = n + m - 1
    local products = ma.zeros({ m, n + m }, { dtype = dtype, device = a.device })
    products[{ {}, { 1, n } }] = ma.expand_dims(v["::-1"], 2) * a
    local rows = products:reshape(-1)[{ { 1, m * length } }]:reshape(m, length)
    rows = along(rows, 2, first, first + count - 1)
    if dtype == "bool" then return ma.any(rows, 1) end
    return ma.sum(rows, 1, { dtype = dtype })
  end

  --- The sums over j of a[k + j - 1] * v[j]. They are made by one product for each tap, or by one sum of products for
  --- each result if results are fewer, or in one pass if all products are few. What is outside of `a` takes no part: an
  --- infinity of v times a zero there would be nan.
  local function direct(a, v, first, count)
    local n, m = a.size, v.size
    if count < m then                                              -- then nothing stands outside
      local sums = {}
      for k = 1, count do sums[k] = ma.sum(along(a, 1, first - m + k, first + k - 1) * v, { dtype = v.dtype }) end
      return ma.stack(sums)
    end
    if m > FEW_TAPS and m * (n + m) <= ONE_PASS then return in_one_pass(a, v, first, count) end
    local from, length = first - m + 1, count + m - 1
    local outside = (from < 1 or from + length - 1 > n) and is.inexact[v.dtype]
    local inside = outside and window(ma.ones(n, { dtype = "bool", device = a.device }), from, length)
    a = window(a, from, length)
    local function tap(j)
      local product = along(a, 1, j, j + count - 1) * along(v, 1, j, j)
      return inside and ma.where(along(inside, 1, j, j + count - 1), product, 0) or product
    end
    local sum = tap(1)
    for j = 2, m do sum = sum + tap(j) end
    return sum
  end

  --- The same in the dtype of the result. The CPU adds the products of all taps while a block of sums is in the cache:
  --- one pass over memory, for any dtype.
  local function sums_of(a, v, dtype, first, count)
    if a.device == "cpu" and count >= v.size then
      a, v = a:astype(dtype, { copy = false }), v:astype(dtype, { copy = false })
      return core.signal_correlate(core.contiguous(a), core.contiguous(v), v.size - first, count)
    end
    local loop = narrow[dtype] or dtype
    a, v = a:astype(loop, { copy = false }), v:astype(loop, { copy = false })
    return direct(a, v, first, count):astype(dtype, { copy = false })
  end

  --- All sums of products of two vectors, one of them reversed; never by transforms.
  core.convolve = function(a, v)
    if v.size > a.size then a, v = v, a end
    return sums_of(a, v["::-1"], ma.promote_types(a.dtype, v.dtype), 1, a.size + v.size - 1)
  end

  --- Which of the n + m - 1 sums include an element that is not finite, from running sums.
  local function touched(a, m, first, count)
    local bad = ma.cumsum(ma.logical_not(ma.isfinite(a)):astype("int64"))
    local n = a.size
    local place = ma.range(first, first + count - 1, { device = a.device })
    local function upto(p) return ma.where(p:lt(1), 0, bad:take(ma.clip(p, 1, n))) end
    return (upto(place) - upto(place - m)):gt(0)
  end

  --- The same sums by the convolution theorem. An element that is not finite would spoil all of them, so it is left
  --- out, and its sums become nan afterwards.
  local function transformed(a, v, dtype, first, count)
    local n, m = a.size, v.size
    local is_complex = is.complexfloating[dtype]
    local forward, back = is_complex and ma.fft.fft or ma.fft.rfft, is_complex and ma.fft.ifft or ma.fft.irfft
    local length = ma.fft.next_fast_len(n + m - 1)
    local wide = is_complex and "complex128" or "float64"
    local function spectrum(x)
      x = x:astype(wide, { copy = false })
      return forward(ma.where(ma.isfinite(x), x, 0), length)
    end
    local sums = along(back(spectrum(a) * spectrum(v["::-1"]), length), 1, first, first + count - 1)
    local spoilt = ma.logical_or(touched(a, m, first, count), touched(v["::-1"], n, first, count))
    return ma.where(spoilt, ma.nan, sums):astype(dtype, { copy = false })
  end

  local slide = core.signal_slide        -- reads the operands, and forms few sums itself

  --- Makes many sums of products of the vectors that core.signal_slide read.
  local function many(a, v, dtype, first, count, swapped, turns)
    if turns then v = v["::-1"] end
    local by_transforms = min(v.size, count) >= LONG and is.inexact[dtype] and common.has_transforms[a.device]
    local sums = by_transforms and transformed(a, v, dtype, first, count) or sums_of(a, v, dtype, first, count)
    return swapped and not turns and sums["::-1"] or sums
  end

  --- The function of convolve (`turns`: the shorter vector is reversed) or of correlate.
  local function function_of(turns)
    return function(a, v, mode)
      local sums, long, short, dtype, first, count, swapped = slide(a, v, mode, turns)
      return sums or many(long, short, dtype, first, count, swapped, turns)
    end
  end

  local accuracy = "Whole numbers are exact and wrap as their dtype does. Two vectors of floats with 1024 elements or "
    .. "more go by Fourier transforms in float64: then an error is small beside the product of both vectors' norms "
    .. "(2^-52 times the logarithm of the length), and inf gives nan. "

  --> convolve({1, 2, 3}, {0, 1, 0.5})
  core.def("convolve(a: data, v: data, mode?: string) -> array",
    "The sums of products of two vectors, one of them reversed, at every overlap: all n + m - 1 of them (mode "
    .. "\"full\"), as many as the longer has (\"same\"), or those without its ends (\"valid\"). " .. accuracy,
    function_of(true))

  --> correlate({1, 2, 3}, {0, 1, 0.5})
  core.def("correlate(a: data, v: data, mode?: string) -> array",
    "The sums over j of a[k + j] times the conjugate of v[j], at every overlap that the mode takes: \"valid\" (the "
    .. "default), \"same\" or \"full\". " .. accuracy,
    function_of(false))
end
