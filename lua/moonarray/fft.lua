--- Fourier transforms: the functions of numpy.fft, by cuFFT on a GPU and FFTW on the CPU. These libraries transform the
--- last axes of an array, without a factor (core.fft). This file does the rest by arithmetic on arrays: other axes,
--- lengths, norms and the Hermitian forms.

local sqrt, floor = math.sqrt, math.floor
local concat, sformat = table.concat, require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is

  local MOST_AXES = 3                    -- axes that one call of the libraries transforms

  -- ==== Arguments ==================================================================================================

  local function single(dtype)
    return dtype == "float16" or dtype == "bfloat16" or dtype == "float32" or dtype == "complex64"
  end

  local function complex_of(a)
    a = core.asarray(a)
    return a:astype(single(a.dtype) and "complex64" or "complex128", { copy = false })
  end

  local function real_of(name, a)
    a = core.asarray(a)
    if is.complexfloating[a.dtype] then
      fail(name, "a is a " .. a.dtype .. " array; wanted real elements (a.real, or moonarray.fft.fft)")
    end
    return a:astype(single(a.dtype) and "float32" or "float64", { copy = false })
  end

  --- The factor that the norm asks for after a transform of n elements.
  local function factor(name, norm, inverse, n)
    norm = norm or "backward"
    if norm == "ortho" then return 1 / sqrt(n) end
    if norm ~= "backward" and norm ~= "forward" then
      fail(name, "norm is " .. core.describe(norm) .. "; wanted 'backward', 'ortho' or 'forward'")
    end
    return (norm == "forward") ~= inverse and 1 / n or 1
  end

  --- The array with n elements along an axis: cut, or padded with zeros.
  local function fit(a, axis, n)
    local have = a.shape[axis]
    if have == n then return a end
    if have > n then return common.along(a, axis, 1, n) end
    local shape = a.shape
    shape[axis] = n
    local wide = ma.zeros(shape, a.dtype, { device = a.device })
    if have > 0 and a.size > 0 then wide[common.slice(a.ndim, axis, 1, have)] = a end
    return wide
  end

  --- The axes and their lengths, from `s` and `axes` as in NumPy.
  local function axes_of(name, a, s, axes)
    s = s and common.list(name, "s", s)
    axes = axes and common.list(name, "axes", axes)
    local list, lengths = {}, {}
    if axes then
      if s and #s ~= #axes then fail(name, #s .. " lengths for " .. #axes .. " axes; wanted one an axis") end
      for k, axis in ipairs(axes) do list[k] = common.axis(name, axis, a.ndim) end
    else
      local n = s and #s or a.ndim
      if n > a.ndim then fail(name, n .. " lengths for an array of " .. a.ndim .. " axes") end
      for k = 1, n do list[k] = a.ndim - n + k end
    end
    if #list == 0 then fail(name, "no axes; wanted at least one") end
    for k, axis in ipairs(list) do
      lengths[k] = s and s[k] ~= -1 and common.whole(name, "a length", s[k], 1) or a.shape[axis]
    end
    return list, lengths, s
  end

  local function check_length(name, n)
    if n < 1 then fail(name, n .. " elements to transform; wanted at least 1") end
    return n
  end

  -- ==== The transforms =============================================================================================

  --- Calls the library's transform along some axes of an array.
  local function along_axes(a, kind, axes, inverse, last)
    local ends, ndim, count, there = {}, a.ndim, #axes, true
    for k = 1, count do
      ends[k] = ndim - count + k
      there = there and axes[k] == ends[k]
    end
    if there then return core.fft(a, kind, count, inverse, last) end
    local moved = core.fft(a:moveaxis(axes, ends), kind, count, inverse, last)
    return moved:moveaxis(ends, axes)
  end

  --- Transforms complex numbers along any number of axes, a few axes in each call. An axis named twice is done twice.
  local function complex_along(a, axes, inverse)
    if #axes == 1 then return along_axes(a, "complex", axes, inverse) end
    local from = 1
    while from <= #axes do
      local group, seen = {}, {}
      while from <= #axes and #group < MOST_AXES and not seen[axes[from]] do
        seen[axes[from]] = true
        group[#group + 1] = axes[from]
        from = from + 1
      end
      a = along_axes(a, "complex", group, inverse)
    end
    return a
  end

  -- ==== Plans that are passed ======================================================================================

  local plans = setmetatable({}, { __mode = "k" })       -- the data of each plan that fft.get_plan made

  --- Checks that a plan fits a transform of `a`, whose axes were brought to their lengths before.
  local function check_plan(name, plan, value_type, a, list)
    if plan == nil then return end
    local of = type(plan) == "table" and plans[plan]
    if not of then fail(name, "plan is " .. core.describe(plan) .. "; wanted one of fft.get_fft_plan") end
    if not of.kept then fail(name, "a plan that was freed; wanted a new one") end
    local function said(x)
      return sformat("%s of %s (%s) along (%s) on %s", x.value_type, x.dtype, concat(x.shape, ", "),
        concat(x.axes, ", "), x.device)
    end
    local here = said { value_type = value_type, dtype = a.dtype, shape = a.shape, axes = list, device = a.device }
    if said(of) ~= here then fail(name, sformat("a plan for %s; wanted one for %s", said(of), here)) end
  end

  local function check_out(name, result, out)
    if out == nil or not core.is_array(out) then return end
    if is.complexfloating[result.dtype] and not is.complexfloating[out.dtype] then
      fail(name, "out of " .. out.dtype .. " for complex terms; wanted complex64 or complex128")
    end
    if not ma.same_shape(out, result) then
      fail(name, sformat("out of shape (%s) for a result of (%s)", concat(out.shape, ", "), concat(result.shape, ", ")))
    end
  end

  local function finish(name, result, scale, out)
    check_out(name, result, out)
    if scale ~= 1 then result:imul(scale) end
    return common.finish(name, result, out)
  end

  local product = common.product

  --- Whether to transform real elements as such, which on the CPU takes half the time of complex ones.
  local function is_of_reals(a, axes, plan)
    if a.device ~= "cpu" or plan ~= nil or #axes > MOST_AXES or is.complexfloating[a.dtype] then
      return false
    end
    for k = 2, #axes do
      for j = 1, k - 1 do
        if axes[j] == axes[k] then return false end
      end
    end
    return true
  end

  local function complex_transform(name, a, s, axes, norm, out, plan, inverse)
    a = core.asarray(a)
    local list, lengths = axes_of(name, a, s, axes)
    local of_reals = is_of_reals(a, list, plan)
    a = of_reals and a:astype(single(a.dtype) and "float32" or "float64", { copy = false }) or complex_of(a)
    for k, axis in ipairs(list) do a = fit(a, axis, check_length(name, lengths[k])) end
    check_plan(name, plan, "C2C", a, list)
    local scale = factor(name, norm, inverse, product(lengths))
    local terms
    if of_reals then terms = along_axes(a, "whole", list, inverse) else terms = complex_along(a, list, inverse) end
    return finish(name, terms, scale, out)
  end

  local function split_last(list)
    return common.before_last(list), list[#list]
  end

  --- Whether the library transforms all axes in one call. cuFFT drops a last axis of one element and halves another.
  local function at_once(list, lengths) return #list <= MOST_AXES and (#list == 1 or lengths[#list] > 1) end

  --- Transforms real elements along the last of the axes first, and the complex result along the others.
  local function real_transform(name, a, s, axes, norm, out, plan)
    a = real_of(name, a)
    local list, lengths = axes_of(name, a, s, axes)
    for k, axis in ipairs(list) do a = fit(a, axis, check_length(name, lengths[k])) end
    check_plan(name, plan, "R2C", a, list)
    local scale = factor(name, norm, false, product(lengths))
    if at_once(list, lengths) then return finish(name, along_axes(a, "to_complex", list, false), scale, out) end
    local before, last = split_last(list)
    return finish(name, complex_along(along_axes(a, "to_complex", { last }, false), before, false), scale, out)
  end

  --- The inverse of it. The last axis becomes real, and has 2 (m - 1) elements unless its length is given.
  local function inverse_real(name, a, s, axes, norm, out, plan, forward)
    a = complex_of(a)
    local list, lengths, given = axes_of(name, a, s, axes)
    local last = #list
    if not (given and given[last] ~= -1) then lengths[last] = 2 * (lengths[last] - 1) end
    check_length(name, lengths[last])
    for k, axis in ipairs(list) do
      a = fit(a, axis, k == last and floor(lengths[k] / 2) + 1 or check_length(name, lengths[k]))
    end
    check_plan(name, plan, "C2R", a, list)
    local scale = factor(name, norm, not forward, product(lengths))
    local before, axis = split_last(list)
    if at_once(list, lengths) then
      return finish(name, along_axes(a, "to_real", list, true, lengths[last]), scale, out)
    end
    return finish(name, along_axes(complex_along(a, before, true), "to_real", { axis }, true, lengths[last]), scale,
      out)
  end

  --- Calls a transform of many axes for one axis, by default the last.
  local function one(transform, name, inverse)
    return function(a, n, axis, norm, out, _, plan)
      a = core.asarray(a)
      if a.ndim == 0 then fail(name, "a 0-d array; wanted at least one axis") end
      if n then common.whole(name, "n", n, 1) end
      return transform(name, a, n and { n }, { axis or -1 }, norm, out, plan, inverse)
    end
  end

  local function some(transform, axes, name, inverse)
    return function(a, s, given, norm, out, _, plan)
      return transform(name, a, s, given or axes, norm, out, plan, inverse)
    end
  end

  local LAST_TWO = { -2, -1 }
  local line = "(a: data, n?: integer, axis?: integer|integer[], norm?: norm, out?: array; overwrite_x?: boolean, "
    .. "plan?: plan) -> array"
  local plane = "(a: data, s?: integer|integer[], axes?: integer|integer[], norm?: norm, "
    .. "out?: array; overwrite_x?: boolean, plan?: plan) -> array"
  local all = plane

  --> fft.fft({1, 2, 3, 4})
  def("fft.fft" .. line,
    "Discrete Fourier transform along an axis: X[k] = sum of x[j] exp(-2 pi i j k / n), j and k from 0. "
    .. "Complex64 for float32 and smaller, else complex128. `n` cuts or fills with zeros; norm 'backward' " ..
      "(default), 'ortho' or 'forward'.",
    one(complex_transform, "fft.fft", false))
  --> fft.ifft: ma.fft.ifft(ma.fft.fft({1, 2, 3, 4})).real
  def("fft.ifft" .. line, "Inverse of fft.fft: the sum with exp(+2 pi i j k / n), divided by n.",
    one(complex_transform, "fft.ifft", true))
  --> fft.fft2({{1, 2}, {3, 4}})
  def("fft.fft2" .. plane, "Fourier transform along two axes, the last two by default.",
    some(complex_transform, LAST_TWO, "fft.fft2", false))
  --> fft.ifft2: ma.fft.ifft2(ma.fft.fft2({{1, 2}, {3, 4}})).real
  def("fft.ifft2" .. plane, "Inverse of fft.fft2.", some(complex_transform, LAST_TWO, "fft.ifft2", true))
  --> fft.fftn({{1, 2}, {3, 4}})
  def("fft.fftn" .. all, "Fourier transform along several axes, all by default.",
    some(complex_transform, nil, "fft.fftn", false))
  --> fft.ifftn: ma.fft.ifftn(ma.fft.fftn({{1, 2}, {3, 4}})).real
  def("fft.ifftn" .. all, "Inverse of fft.fftn.", some(complex_transform, nil, "fft.ifftn", true))
  def("fft.rfft" .. line,
    "Fourier transform of real elements along an axis: the n / 2 + 1 terms that are not conjugates of others.",
    one(real_transform, "fft.rfft"))
  def("fft.irfft" .. line, "Inverse of fft.rfft: n real elements, 2 (m - 1) unless n is given.",
    one(inverse_real, "fft.irfft"))
  --> fft.rfft2({{1, 2}, {3, 4}})
  def("fft.rfft2" .. plane, "Fourier transform of real elements along two axes; the last of them is halved.",
    some(real_transform, LAST_TWO, "fft.rfft2"))
  --> fft.irfft2: ma.fft.irfft2(ma.fft.rfft2({{1, 2}, {3, 4}}))
  def("fft.irfft2" .. plane, "Inverse of fft.rfft2.", some(inverse_real, LAST_TWO, "fft.irfft2"))
  --> fft.rfftn({{1, 2}, {3, 4}})
  def("fft.rfftn" .. all, "Fourier transform of real elements along several axes; the last of them is halved.",
    some(real_transform, nil, "fft.rfftn"))
  --> fft.irfftn: ma.fft.irfftn(ma.fft.rfftn({{1, 2}, {3, 4}}))
  def("fft.irfftn" .. all, "Inverse of fft.rfftn.", some(inverse_real, nil, "fft.irfftn"))

  --> fft.hfft({1, 2, 3})
  def("fft.hfft" .. line,
    "Fourier transform of a signal with Hermitian symmetry, given by its first half: a real spectrum of n elements.",
    function(a, n, axis, norm, out, _, plan)
      return inverse_real("fft.hfft", ma.conj(complex_of(a)), n and { n }, { axis or -1 }, norm, out, plan, true)
    end)

  local mirrored = { ortho = "ortho", forward = "backward", backward = "forward" }

  --- The norm with which a forward transform has the factor of the inverse transform, and the other way round.
  local function mirror(name, norm)
    return mirrored[norm or "backward"] or factor(name, norm, true, 1)
  end

  --> fft.ihfft({1, 2, 3, 4})
  def("fft.ihfft" .. line, "Inverse of fft.hfft: the first half of the signal.",
    function(a, n, axis, norm, out, _, plan)
      local half = real_transform("fft.ihfft", a, n and { n }, { axis or -1 }, mirror("fft.ihfft", norm), nil, plan)
      return finish("fft.ihfft", ma.conj(half), 1, out)
    end)

  local function hermitian(name, default)
    return function(a, s, axes, norm, out, _, plan)
      return inverse_real(name, ma.conj(complex_of(a)), s, axes or default, norm, out, plan, true)
    end, function(a, s, axes, norm, out, _, plan)
      name = name:gsub("fft%.h", "fft.ih")
      return finish(name, ma.conj(real_transform(name, a, s, axes or default, mirror(name, norm), nil, plan)), 1, out)
    end
  end

  --> fft.hfft2({{1, 2}, {3, 4}})
  --> fft.ihfft2({{1, 2}, {3, 4}})
  --> fft.hfftn({{1, 2}, {3, 4}})
  --> fft.ihfftn({{1, 2}, {3, 4}})
  for _, form in ipairs { { "hfft2", LAST_TWO, "two axes, the last two by default" },
    { "hfftn", nil, "several axes, all by default" } } do
    local forward, inverse = hermitian("fft." .. form[1], form[2])
    def("fft." .. form[1] .. plane,
      "Fourier transform of a signal with Hermitian symmetry along " .. form[3] .. ": a real spectrum. The last of " ..
        "them is halved in the signal.", forward)
    def("fft.i" .. form[1] .. plane, "Inverse of fft." .. form[1] .. ".", inverse)
  end

  -- ==== Half precision =============================================================================================

  local function is_power_of_two(n)
    while n % 2 == 0 and n > 0 do n = n / 2 end
    return n == 1
  end

  --- Computes in float32 and rounds at the end: on the CPU, without cuFFT, and for lengths that it does not support in
  --- float16.
  local function half_by_single(a, axes, inverse)
    local function part(k) return a[common.slice(a.ndim, a.ndim, k, k)]:astype("float32") end
    local z = ma.empty(common.before_last(a.shape), "complex64", { device = a.device })
    ma.real(z):assign(part(1):reshape(z.shape))
    ma.imag(z):assign(part(2):reshape(z.shape))
    z = complex_along(z, axes, inverse)
    return ma.stack({ ma.real(z), ma.imag(z) }, -1):astype("float16")
  end

  local function half_transform(name, inverse, a, axes, norm, out)
    a = core.asarray(a)
    if a.dtype ~= "float16" or a.ndim < 2 or a.shape[a.ndim] ~= 2 then
      fail(name, sformat("a is a %s array of shape (%s); wanted float16, real and imaginary parts along a last " ..
        "axis of 2", a.dtype, concat(a.shape, ", ")))
    end
    local list, n, powers, ends = {}, 1, true, {}
    for k, axis in ipairs(axes and common.list(name, "axes", axes) or { -1 }) do
      list[k] = common.axis(name, axis, a.ndim - 1)
      local extent = check_length(name, a.shape[list[k]])
      n, powers = n * extent, powers and is_power_of_two(extent)
    end
    if #list == 0 then fail(name, "no axes; wanted at least one") end
    local scale = factor(name, norm, inverse, n)
    local half
    if a.device ~= "cpu" and powers and #list <= MOST_AXES then
      for k = 1, #list do ends[k] = a.ndim - 1 - #list + k end
      half = core.fft16(a:moveaxis(list, ends), #list, inverse)
    end
    local result = half and half:moveaxis(ends, list) or half_by_single(a, list, inverse)
    return finish(name, result, scale, out)
  end

  local HALF = " of complex numbers as pairs of float16, along a last axis of 2; along the axis before it unless " ..
    "axes are given. On a GPU with cuFFT and for powers "
    .. "of two in half precision throughout, else in float32, rounded at the end."
  --> fft.fft16(ma.ones({4, 2}, "float16"))
  def("fft.fft16(a: data, axes?: integer|integer[], norm?: norm, out?: array) -> array",
    "Fourier transform" .. HALF, function(a, axes, norm, out)
    return half_transform("fft.fft16", false, a, axes, norm, out)
  end)
  --> fft.ifft16(ma.ones({4, 2}, "float16"))
  def("fft.ifft16(a: data, axes?: integer|integer[], norm?: norm, out?: array) -> array",
    "Inverse of fft.fft16," .. HALF, function(a, axes, norm, out)
    return half_transform("fft.ifft16", true, a, axes, norm, out)
  end)

  -- ==== Helpers ====================================================================================================

  --- The frequencies in float64, or cast to the float dtype that is asked for.
  local function frequencies(name, f, dtype)
    if dtype == nil then return f end
    dtype = ma.result_type(dtype)
    if not is.floating[dtype] then fail(name, dtype .. " for dtype; a float dtype") end
    return f:astype(dtype, { copy = false })
  end

  --> fft.fftfreq(4)
  def("fft.fftfreq(n: integer, d?: number; dtype?: dtype, device?: string) -> array",
    "Frequencies of fft.fft's terms for n samples that are d apart: 0, 1 ... and then the negative ones, over d n.",
    function(n, d, dtype, device)
      n = common.whole("fft.fftfreq", "n", n, 1)
      d = d and common.number("fft.fftfreq", "d", d)
      local positive = floor((n - 1) / 2) + 1
      local k = ma.arange(0, n, { dtype = "float64", device = device })
      return frequencies("fft.fftfreq", (k - ma.where(k:ge(positive), n, 0)) * (1 / ((d or 1) * n)), dtype)
    end)

  --> fft.rfftfreq(4)
  def("fft.rfftfreq(n: integer, d?: number; dtype?: dtype, device?: string) -> array",
    "Frequencies of fft.rfft's terms for n samples that are d apart.",
    function(n, d, dtype, device)
    n = common.whole("fft.rfftfreq", "n", n, 1)
    d = d and common.number("fft.rfftfreq", "d", d)
    local k = ma.arange(0, floor(n / 2) + 1, { dtype = "float64", device = device })
    return frequencies("fft.rfftfreq", k * (1 / ((d or 1) * n)), dtype)
  end)

  local function shifted(name, x, axes, sign)
    x = core.asarray(x)
    local shape, shift = x.shape, {}
    axes = common.axes(name, axes, #shape)
    for k, axis in ipairs(axes) do shift[k] = sign * floor(shape[axis] / 2) end
    return #axes > 0 and ma.roll(x, shift, axes) or x
  end

  --> fft.fftshift({0, 1, 2, 3})
  def("fft.fftshift(x: data, axes?: integer|integer[]) -> array", "Moves the term of frequency 0 to the middle.",
    function(x, axes) return shifted("fft.fftshift", x, axes, 1) end)
  --> fft.ifftshift({2, 3, 0, 1})
  def("fft.ifftshift(x: data, axes?: integer|integer[]) -> array", "Inverse of fft.fftshift.",
    function(x, axes) return shifted("fft.ifftshift", x, axes, -1) end)

  -- ==== The cache of plans =========================================================================================

  --> fft.get_plan_cache: type(ma.fft.get_plan_cache())
  def("fft.get_plan_cache() -> table",
    "The libraries' plans that are kept: size, max_size, hits, misses; methods set_size(n) and clear().", function()
    local size, limit, hits, misses = core.fft_cache()
    return {
      size = size, max_size = limit, hits = hits, misses = misses,
      set_size = function(_, n)
        if common.whole("fft.get_plan_cache", "the size", n, 0) >= 2 ^ 31 then
          fail("fft.get_plan_cache", "the size is " .. n .. "; wanted less than 2^31")
        end
        core.fft_cache_limit(n)
      end,
      clear = function() core.fft_cache_clear() end,
    }
  end)

  --> fft.config.get_plan_cache: type(ma.fft.config.get_plan_cache())
  def("fft.config.get_plan_cache() -> table",
    "The same as fft.get_plan_cache.", function() return ma.fft.get_plan_cache() end)
  --> fft.config.clear_plan_cache: local cache, y = ma.fft.config.get_plan_cache(), ma.fft.fft(ma.ones(7))
  -->   local before = cache.size
  -->   ma.fft.config.clear_plan_cache()
  -->   return cache.size < before
  def("fft.config.clear_plan_cache()", "Frees the plans that are kept.", function() core.fft_cache_clear() end)
  --> fft.config.get_plan_cache_size: ma.fft.config.get_plan_cache_size() > 0
  def("fft.config.get_plan_cache_size() -> integer", "How many plans are kept at most.",
    function() return ma.fft.get_plan_cache().max_size end)
  --> fft.config.set_plan_cache_size: local before = ma.fft.config.get_plan_cache_size()
  -->   ma.fft.config.set_plan_cache_size(4)
  -->   print(ma.fft.config.get_plan_cache_size())
  -->   ma.fft.config.set_plan_cache_size(before)
  def("fft.config.set_plan_cache_size(size: integer)", "Keeps at most so many plans; 0: none.",
    function(size) ma.fft.get_plan_cache():set_size(size) end)
  --> fft.config.show_plan_cache_info: type(ma.fft.config.show_plan_cache_info)
  def("fft.config.show_plan_cache_info()", "Prints how many plans are kept, at most, and how often one was found.",
    function()
      local cache = ma.fft.get_plan_cache()
      print(sformat("plans: %d of at most %d; found %d times, made %d times", cache.size, cache.max_size, cache.hits,
        cache.misses))
    end)

  local shared = { single = single, factor = factor, fit = fit, axes_of = axes_of, along_axes = along_axes,
    check_length = check_length, plans = plans, most_axes = MOST_AXES }
  require "moonarray.fft.plan" (ma, core, shared)
  require "moonarray.fft.cosine" (ma, core, shared)
  require "moonarray.fft.hankel" (ma, core)
end
