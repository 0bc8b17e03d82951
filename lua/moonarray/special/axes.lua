--- ma.special over axes: logsumexp, softmax, log_softmax.

return function(ma, core)
  local is = require "moonarray.common" (core).is
  local def = core.def

  local function float(a)
    a = core.asarray(a)
    return is.inexact[a.dtype] and a or a:astype("float64")
  end

  --- Whether all elements share one sum, on the CPU. On a GPU, and along the rows of a matrix, one program does all.
  local function is_one(x, axis) return x.device == "cpu" and (axis == nil or x.ndim == 1) end

  --- Evaluates a value that all elements of one sum need. It would be computed again for each of them otherwise.
  local function once(value, x, axis) return is_one(x, axis) and ma.eval(value) or value end

  --- The greatest elements along the axes, kept as axes of extent 1: of complex numbers of the greatest real part.
  local function greatest(a, axis)
    local keep = { keepdims = true }
    if not ma.iscomplexobj(a) then return once(a:max(axis, keep), a, axis) end
    local re = once(a.real:max(axis, keep), a, axis)
    local im = once(ma.where(ma.equal(a.real, re), a.imag, -math.huge):max(axis, keep), a, axis)
    return once((re + im * ma.complex(0, 1)):astype(a.dtype), a, axis)
  end

  --- The sum of exp(a - top) along the axes, weighted by b, in two parts: the terms of the greatest elements, which are
  --- whole numbers or weights, and the others, which may be small beside them.
  local function sums(a, top, axis, b)
    local keep = { keepdims = true }
    local shift = ma.where(ma.isfinite(top), top, 0):astype(a.dtype)     -- infinities stay as they are
    local is_top = ma.equal(a, top)
    local others = ma.where(is_top, 0, ma.exp(a - shift)):astype(a.dtype)
    if b == nil then return is_top:astype(a.dtype):sum(axis, keep), others:sum(axis, keep) end
    return ma.where(is_top, b, 0):sum(axis, keep), (others * b):sum(axis, keep)
  end

  --- Of a 16-bit float, in float32: many terms are beyond its range.
  local function wider(a)
    local narrow = (a.dtype == "float16" or a.dtype == "bfloat16") and a.dtype
    return narrow and a:astype("float32") or a, narrow
  end

  --- The logarithm of the magnitude of count + rest, and what has its sign.
  local function log_of_weighted(count, rest)
    local sum, part = count + rest, rest / count
    local size = ma.where(ma.absolute(part):lt(0.5), ma.log1p(part) + ma.log(ma.absolute(count)),
      ma.log(ma.absolute(sum)))
    return size, sum
  end

  --> special.logsumexp({0, 0})
  def("special.logsumexp(a: data, axis?: integer|integer[], b?: data, keepdims?: boolean, "
    .. "return_sign?: boolean) -> array, array?",
    "log(sum(b exp(a))) without overflow, over the axes or all elements; b weighs the terms. With return_sign, the " ..
    "logarithm of the sum's magnitude, and its sign.",
    function(a, axis, b, keepdims, return_sign)
      local narrow
      a = float(a)
      if b == nil and not return_sign and not ma.iscomplexobj(a) then
        return ma.logsumexp(a, axis, { keepdims = keepdims })
      end
      a, narrow = wider(a)
      if b ~= nil then
        b = core.asarray(b)
        if b.device ~= a.device then b = b:to(a.device) end
        local shape = ma.broadcast_shapes(a.shape, b.shape)
        a = ma.where(ma.not_equal(b, 0), ma.broadcast_to(a, shape), ma.full({}, -math.huge, a.dtype))
      end
      local top = greatest(a, axis)
      local count, rest = sums(a, top, axis, b)
      local size, sum, sign
      if ma.iscomplexobj(rest) or ma.iscomplexobj(count) then
        sum = count + rest
        size = ma.log1p(rest / count) + ma.log(count)
        size = ma.where(ma.equal(count, 0), ma.log(sum), size) + top
        if return_sign then
          sign = ma.exp(size.imag * ma.complex(0, 1))
          size = size.real
        end
      elseif b == nil then
        size = ma.log1p(rest / count) + ma.log(count) + top
        sign = return_sign and ma.sign(count + rest)
      else
        size, sum = log_of_weighted(count, rest)
        size = (return_sign and size or ma.where(sum:lt(0), 0 / 0, size)) + top
        sign = return_sign and ma.sign(sum)
      end
      local function finish(x)
        if narrow then x = x:astype(narrow) end
        if keepdims then return x end
        return axis == nil and x:reshape({}) or ma.squeeze(x, axis)
      end
      if return_sign then return finish(size), finish(sign) end
      return finish(size)
    end)

  --> special.softmax({1, 2, 3})
  def("special.softmax(x: data, axis?: integer|integer[]) -> array",
    "exp(x) / sum(exp(x)) along the axes, or over all elements.", function(x, axis)
    x = float(x)
    local terms = once(ma.exp(x - once(x:max(axis, { keepdims = true }), x, axis)), x, axis)
    local sum = terms:sum(axis, { keepdims = true })
    if is_one(x, axis) and not core.is_recording() then return terms:idiv(sum) end
    return terms / sum                                   -- what flows back through exp reads its result
  end)

  --> special.log_softmax({1, 2, 3})
  def("special.log_softmax(x: data, axis?: integer|integer[]) -> array",
    "log(softmax(x)), exact where softmax(x) underflows.", function(x, axis)
    local narrow
    x, narrow = wider(float(x))
    local top = greatest(x, axis)
    local count, rest = sums(x, top, axis)
    local shift = ma.where(ma.isfinite(top), top, 0):astype(x.dtype)
    local result = x - shift - once(ma.log1p(rest / count) + ma.log(count) + (top - shift), x, axis)
    return narrow and result:astype(narrow) or result
  end)
end
