--- ma.special over axes: logsumexp, softmax, log_softmax.

return function(ma, core)
  local def = core.def

  local function float(a)
    a = core.asarray(a)
    return ma.issubdtype(a.dtype, "inexact") and a or a:astype("float64")
  end

  --- The greatest elements along the axes, kept as axes of extent 1; 0 where they are infinite or NaN, so that
  --- subtracting them leaves infinities as they are.
  local function greatest(a, axis)
    local top = a:max(axis, { keepdims = true })
    return ma.where(ma.isfinite(top), top, ma.zeros_like(top))
  end

  --- Whether all elements share one sum, on the CPU. On a GPU, and along the rows of a matrix, one program does all.
  local function is_one(x, axis) return x.device == "cpu" and (axis == nil or x.ndim == 1) end

  --- Evaluates what all elements of one sum need: it would be computed again for each of them.
  local function once(value, x, axis) return is_one(x, axis) and ma.eval(value) or value end

  def("special.logsumexp(a, axis?, b?, keepdims?, return_sign?)",
    "log(sum(b exp(a))) without overflow, over the axes or all elements; b weighs the terms. With return_sign, the " ..
    "logarithm of the sum's magnitude, and its sign.",
    function(a, axis, b, keepdims, return_sign)
      a = float(a)
      if b ~= nil then
        b = core.asarray(b)
        if b.device ~= a.device then b = b:to(a.device) end
        local shape = ma.broadcast_shapes(a.shape, b.shape)
        a = ma.where(ma.not_equal(b, 0), ma.broadcast_to(a, shape), ma.full({}, -math.huge, a.dtype))
      end
      local top = once(greatest(a, axis), a, axis)
      local terms = ma.exp(a - top)
      if b ~= nil then terms = terms * b end
      local sum = terms:sum(axis, { keepdims = true })
      local sign
      if return_sign then
        sign = ma.sign(sum)
        sum = ma.absolute(sum)
      end
      local result = ma.log(sum) + top
      if not keepdims then
        result = axis == nil and result:reshape({}) or ma.squeeze(result, axis)
        sign = sign and (axis == nil and sign:reshape({}) or ma.squeeze(sign, axis))
      end
      return result, sign
    end)

  def("special.softmax(x, axis?)", "exp(x) / sum(exp(x)) along the axes, or over all elements.", function(x, axis)
    x = float(x)
    local terms = once(ma.exp(x - once(x:max(axis, { keepdims = true }), x, axis)), x, axis)
    local sum = terms:sum(axis, { keepdims = true })
    return is_one(x, axis) and terms:idiv(sum) or terms / sum
  end)

  def("special.log_softmax(x, axis?)", "log(softmax(x)), exact where softmax(x) underflows.", function(x, axis)
    x = float(x)
    local top = once(greatest(x, axis), x, axis)
    return x - top - once(ma.log(ma.exp(x - top):sum(axis, { keepdims = true })), x, axis)
  end)
end
