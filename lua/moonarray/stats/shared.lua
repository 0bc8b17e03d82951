--- What the parts of ma.stats share: operands, axes, the rule for NaN, and a probability.

local sformat, abs, exp, log = require("moonarray.text").format, math.abs, math.exp, math.log

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
    local y = shared.floats(name, what_b, b, x)
    local dtype = ma.promote_types(x.dtype, y.dtype)
    return x:astype(dtype, { copy = false }), y:astype(dtype, { copy = false })
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

  -- ==== Probabilities ==============================================================================================

  local LANCZOS = { 0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7 }

  --- The logarithm of the gamma function of x >= 0.5, by Lanczos' sum.
  local function log_gamma(x)
    x = x - 1
    local sum = LANCZOS[1]
    for k = 1, 8 do sum = sum + LANCZOS[k + 1] / (x + k) end
    local t = x + 7.5
    return 0.91893853320467274178 + (x + 0.5) * log(t) - t + log(sum)
  end

  --- The regularized incomplete beta function of numbers, a and b of 0.5 at least, by Lentz's continued fraction.
  local function beta_part(a, b, x)
    if x ~= x then return x end
    if x <= 0 then return 0 end
    if x >= 1 then return 1 end
    if x > (a + 1) / (a + b + 2) then return 1 - beta_part(b, a, 1 - x) end
    local front = exp(a * log(x) + b * log(1 - x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b)) / a
    local tiny = 1e-300
    local c, d = 1, 1 - (a + b) * x / (a + 1)
    if abs(d) < tiny then d = tiny end
    d = 1 / d
    local h = d
    for m = 1, 10000 do
      for part = 1, 2 do
        local step = part == 1 and m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
          or -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 + step * d
        c = 1 + step / c
        if abs(d) < tiny then d = tiny end
        if abs(c) < tiny then c = tiny end
        d = 1 / d
        h = h * d * c
        if part == 2 and abs(d * c - 1) < 1e-16 then return front * h end
      end
    end
    return front * h
  end

  --- The probability that a correlation of n independent pairs is as far from 0 as r, or on one side of it: Student's
  --- t with n - 2 degrees of freedom. Reads r, which waits.
  function shared.correlation_p(name, r, n, alternative)
    alternative = alternative or "two-sided"
    if alternative ~= "two-sided" and alternative ~= "less" and alternative ~= "greater" then
      fail(name, sformat("%s for alternative; 'two-sided', 'less' or 'greater'", common.shown(alternative)))
    end
    local function p_of(value)
      if n < 3 then return n == 2 and value == value and 1 or 0 / 0 end
      if value ~= value then return value end
      local tail = beta_part(n / 2 - 1, 0.5, math.max(0, (1 - value) * (1 + value))) / 2   -- beyond |r|, on one side
      if alternative == "two-sided" then return 2 * tail end
      if (alternative == "greater") == (value > 0) then return tail end
      return 1 - tail
    end
    local values = r:ravel():totable()
    for k = 1, #values do values[k] = p_of(values[k]) end
    if #values == 0 then return ma.zeros_like(r) end
    return ma.array(values, { dtype = r.dtype, device = r.device }):reshape(r.shape)
  end

  return shared
end
