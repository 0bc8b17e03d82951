--- What the parts of ma.stats share: operands, axes, the rule for NaN, and a probability.

local sformat = require("moonarray.text").format

return function(ma, core)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local shared = {}

  --- An argument as a float array, on the device of `beside` unless it is an array. float16 and bfloat16 stay.
  function shared.floats(name, what, value, beside)
    local a = is_array(value) and value or core.asarray(value, { device = beside and beside.device or nil })
    if ma.iscomplexobj(a) then fail(name, sformat("%s is %s; wanted real numbers", what, core.describe(a))) end
    return is.floating[a.dtype] and a or a:astype("float64")
  end

  --- Two operands in one dtype, each on the device of the other if that is an array.
  function shared.both(name, what_a, a, what_b, b)
    local x = shared.floats(name, what_a, a, is_array(b) and b or nil)
    return common.alike(x, shared.floats(name, what_b, b, x))
  end

  --- The array and the axis 1 .. ndim. axis nil: `default`, or of all elements as one axis if that is nil too;
  --- "none" is SciPy's None.
  function shared.along(name, a, axis, default)
    if axis == nil then axis = default end
    if axis == nil or axis == "none" then return a:ravel(), 1 end
    if a.ndim == 0 then a = a:reshape(1) end
    return a, common.axis(name, axis, a.ndim)
  end

  --- SciPy's nan_policy. "raise" looks for NaN, which waits.
  function shared.policy(name, policy, ...)
    policy = policy or "propagate"
    if policy ~= "propagate" and policy ~= "omit" and policy ~= "raise" then
      fail(name, sformat("%s for nan_policy; 'propagate', 'omit' or 'raise'", common.shown(policy)))
    end
    if policy == "raise" then
      for k = 1, select("#", ...) do
        if ma.isnan((select(k, ...))):any() then fail(name, "NaN among the values, and nan_policy is 'raise'") end
      end
    end
    return policy
  end

  --- The probability that a correlation of n independent pairs is as far from 0 as r, or on one side of it: Student's
  --- t with n - 2 degrees of freedom.
  function shared.correlation_p(name, r, n, alternative)
    alternative = alternative or "two-sided"
    if alternative ~= "two-sided" and alternative ~= "less" and alternative ~= "greater" then
      fail(name, sformat("%s for alternative; 'two-sided', 'less' or 'greater'", common.shown(alternative)))
    end
    local x = r:astype("float64", { copy = false })
    local p = ma.where(ma.isnan(x), ma.nan, 1)
    if n > 2 then
      -- beyond |r|, on one side
      local tail = ma.special.betainc(n / 2 - 1, 0.5, ma.maximum((1 - x) * (1 + x), 0)) / 2
      if alternative == "two-sided" then p = 2 * tail
      else p = ma.where(alternative == "greater" and x:gt(0) or x:le(0), tail, 1 - tail) end
    end
    return p:astype(r.dtype, { copy = false })
  end

  return shared
end
