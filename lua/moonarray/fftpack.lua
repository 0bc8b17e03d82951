--- ma.fftpack: the older names of scipy.fftpack that CuPy has. A real transform is held as real numbers by rfft and
--- irfft: the real part and the imaginary part of each term in turn.

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local fft = ma.fft

  --> fftpack.fft({1, 2, 3, 4})
  --> fftpack.ifft: ma.fftpack.ifft(ma.fftpack.fft({1, 2, 3, 4})).real
  for _, name in ipairs { "fft", "ifft" } do
    def(("fftpack.%s(x: data, n?: integer, axis?: integer|integer[], overwrite_x?: boolean, "
      .. "plan?: plan) -> array"):format(name), "moonarray.fft." .. name,
      function(x, n, axis, _, plan) return fft[name](x, { n = n, axis = axis, plan = plan }) end)
  end
  --> fftpack.fft2({{1, 2}, {3, 4}})
  --> fftpack.ifft2: ma.fftpack.ifft2(ma.fftpack.fft2({{1, 2}, {3, 4}})).real
  --> fftpack.fftn({{1, 2}, {3, 4}})
  --> fftpack.ifftn: ma.fftpack.ifftn(ma.fftpack.fftn({{1, 2}, {3, 4}})).real
  for _, name in ipairs { "fft2", "ifft2", "fftn", "ifftn" } do
    def(("fftpack.%s(x: data, shape?: integer|integer[], axes?: integer|integer[], overwrite_x?: boolean, "
      .. "plan?: plan) -> array"):format(name), "moonarray.fft." .. name,
      function(x, shape, axes, _, plan) return fft[name](x, { s = shape, axes = axes, plan = plan }) end)
  end
  --> fftpack.get_fft_plan: local plan = ma.fftpack.get_fft_plan(ma.ones(4))
  -->   return ma.fftpack.fft({1, 2, 3, 4}, {plan = plan})
  def("fftpack.get_fft_plan(a: data, shape?: integer|integer[], axes?: integer|integer[], value_type?: string) -> plan",
    "moonarray.fft.get_fft_plan",
    function(a, shape, axes, value_type) return fft.get_fft_plan(a, shape, axes, value_type) end)

  local function arguments(name, x, n, axis)
    x = core.asarray(x)
    if is.complexfloating[x.dtype] then
      fail(name, "x is a " .. x.dtype .. " array; wanted real elements")
    end
    if x.ndim == 0 then fail(name, "a 0-d array; wanted at least one axis") end
    axis = common.axis(name, axis or -1, x.ndim)
    return x, n and common.whole(name, "n", n, 1) or x.shape[axis], axis
  end

  --> fft.rfft({1, 2, 3, 4})
  --> fftpack.rfft({1, 2, 3, 4})
  def("fftpack.rfft(x: data, n?: integer, axis?: integer|integer[], overwrite_x?: boolean, plan?: plan) -> array",
    "The transform of n real elements as n real numbers: y[1], and the real and imaginary part of each further term.",
    function(x, n, axis, _, plan)
      x, n, axis = arguments("fftpack.rfft", x, n, axis)
      local terms = fft.rfft(x, { n = n, axis = axis, plan = plan }):moveaxis(axis, -1):copy()
      local parts = terms:view(terms.dtype == "complex64" and "float32" or "float64")
      local y = parts["..., 1:1"]
      if n > 1 then y = ma.concatenate({ y, parts[{ "...", { 3, n + 1 } }] }, -1) end
      return y:moveaxis(-1, axis)
    end)

  --> fft.irfft: ma.fft.irfft(ma.fft.rfft({1, 2, 3, 4}))
  --> fftpack.irfft: ma.fftpack.irfft(ma.fftpack.rfft({1, 2, 3, 4}))
  def("fftpack.irfft(x: data, n?: integer, axis?: integer|integer[], overwrite_x?: boolean) -> array",
    "Inverse of fftpack.rfft.", function(x, n, axis)
    x, n, axis = arguments("fftpack.irfft", x, n, axis)
    if n ~= x.shape[axis] then x = common.along(x, axis, 1, math.min(n, x.shape[axis])) end
    x = x:moveaxis(axis, -1)
    local have, shape = x.shape[x.ndim], x.shape
    shape[x.ndim] = 2 * (math.floor(n / 2) + 1)
    local single = x.dtype == "float32" or x.dtype == "float16" or x.dtype == "bfloat16"
    local parts = ma.zeros(shape, single and "float32" or "float64", { device = x.device })
    parts["..., 1"] = x["..., 1"]
    if have > 1 then parts[{ "...", { 3, have + 1 } }] = x[{ "...", { 2, have } }] end
    return fft.irfft(parts:view(single and "complex64" or "complex128"), n):moveaxis(-1, axis)
  end)
end
