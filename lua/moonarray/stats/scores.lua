--- Scores, means and entropies.

local tostring = require("moonarray.text").tostring
local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local floats, both, along, policy_of = shared.floats, shared.both, shared.along, shared.policy

  -- ==== Standard scores ============================================================================================

  local function mean_and_std(x, axis, ddof, policy)
    local o = { keepdims = true, ddof = ddof }
    if policy == "omit" then return ma.nanmean(x, axis, { keepdims = true }), ma.nanstd(x, axis, o) end
    return x:mean(axis, { keepdims = true }), x:std(axis, o)
  end

  local EPS = { float16 = 2 ^ -10, bfloat16 = 2 ^ -7, float32 = 2 ^ -23, float64 = 2 ^ -52 }

  --> stats.zscore({1, 2, 3})
  def("stats.zscore(a: data, axis?: integer|integer[], ddof?: number, nan_policy?: string) -> array",
    "How many standard deviations each element is above the mean along an axis (the first; \"none\": of all " ..
      "elements). NaN where all elements are the same. ddof (0): as of std. nan_policy: 'propagate', 'omit' NaN, or " ..
      "'raise', which looks and waits.",
    function(a, axis, ddof, nan_policy)
      local name = "stats.zscore"
      a = floats(name, "a", a)
      local policy = policy_of(name, nan_policy, a)
      local whole = axis == "none"
      local x
      x, axis = along(name, a, axis, 1)
      local mean, std = mean_and_std(x, axis, ddof or 0, policy)
      local z = ma.where(std:le(ma.absolute(mean * EPS[x.dtype])), ma.nan, (x - mean) / std)
      return whole and z:reshape(a.shape) or z
    end)

  --> stats.zmap({2}, {1, 2, 3})
  def("stats.zmap(scores: data, compare: data, axis?: integer|integer[], ddof?: number, nan_policy?: string) -> array",
    "How many standard deviations of compare each score is above its mean, along an axis (the first; \"none\": of " ..
      "all elements). ddof (0): as of std. nan_policy: what to do with NaN in compare: 'propagate', 'omit' it, or " ..
      "'raise', which looks and waits.",
    function(scores, compare, axis, ddof, nan_policy)
      local name = "stats.zmap"
      local s, c = both(name, "scores", scores, "compare", compare)
      local policy = policy_of(name, nan_policy, c)
      c, axis = along(name, c, axis, 1)
      local mean, std = mean_and_std(c, axis, ddof or 0, policy)
      if c.ndim == 1 and s.ndim ~= 1 then mean, std = mean:reshape({}), std:reshape({}) end
      return (s - mean) / std
    end)

  -- ==== Means ======================================================================================================

  --> stats.trim_mean({1, 2, 3, 100}, 0.25)
  def("stats.trim_mean(a: data, proportiontocut: number, axis?: integer|integer[]) -> array",
    "The mean along an axis (the first; \"none\": of all elements) without that part of the elements at each end of " ..
      "their order, rounded down.",
    function(a, part, axis)
      local name = "stats.trim_mean"
      a = floats(name, "a", a)
      part = common.number(name, "proportiontocut", part)
      a, axis = along(name, a, axis, 1)
      local n = a.shape[axis]
      local cut = floor(part * n)
      if part < 0 or part ~= part or (2 * cut >= n and a.size > 0) then
        fail(name, sformat("proportiontocut is %s of %d elements; wanted less than half of them", tostring(part), n))
      end
      if cut == 0 then return a:mean(axis) end
      local sorted = core.sort(a, axis)
      local last = common.along(sorted, axis, n, n):squeeze(axis)     -- NaN if there is one
      return ma.where(ma.isnan(last), ma.nan, common.along(sorted, axis, cut + 1, n - cut):mean(axis))
    end)

  -- ==== Entropy ====================================================================================================

  --- -p log p, 0 for 0 and -inf below.
  local function of_one(p) return ma.where(p:gt(0), -p * ma.log(p), ma.where(p:lt(0), -ma.inf, -p)) end

  --- p log(p / q), 0 for p = 0 and q >= 0, inf elsewhere out of range.
  local function of_two(p, q)
    local inside = p:gt(0) * q:gt(0)
    local rest = ma.where(p:eq(0) * q:ge(0), 0, ma.where(ma.isnan(p + q), p + q, ma.inf))
    return ma.where(inside, p * ma.log(p / q), rest)
  end

  --> stats.entropy({0.5, 0.5})
  def("stats.entropy(pk: data, qk?: data, base?: number, axis?: integer|integer[]; nan_policy?: string, "
    .. "keepdims?: boolean) -> array",
    "The entropy -sum(pk log pk) of a distribution along an axis (the first; \"none\": of all elements), which is " ..
      "divided by its sum first; with qk the relative entropy sum(pk log(pk / qk)). base (e): of the logarithm. " ..
      "nan_policy: 'propagate', 'omit' NaN, or 'raise', which looks and waits.",
    function(pk, qk, base, axis, nan_policy, keepdims)
      local name = "stats.entropy"
      if base ~= nil and common.number(name, "base", base) <= 0 then
        fail(name, sformat("base is %s; wanted a number above 0", tostring(base)))
      end
      local p, q
      if qk == nil then p = floats(name, "pk", pk) else p, q = both(name, "pk", pk, "qk", qk) end
      if q then p, q = ma.broadcast_arrays(p, q) end
      local policy = q and policy_of(name, nan_policy, p, q) or policy_of(name, nan_policy, p)
      local axes = p.ndim
      if q then q = along(name, q, axis, 1) end
      p, axis = along(name, p, axis, 1)
      local sum, dropped = ma.sum, nil
      if policy == "omit" then
        dropped = ma.isnan(q and p + q or p)
        p, q = ma.where(dropped, 0, p), q and ma.where(dropped, 0, q)
      end
      local function scaled(x) return x / sum(x, axis, { keepdims = true }) end
      local vec = q and of_two(scaled(p), scaled(q)) or of_one(scaled(p))
      if dropped then vec = ma.where(dropped, 0, vec) end
      local s = sum(vec, axis, { keepdims = keepdims })
      if keepdims and s.ndim < axes then s = s:reshape(common.upright(axes, 1, 1)) end
      return base and s / math.log(base) or s
    end)

  -- ==== Box and Cox ================================================================================================

  --> stats.boxcox_llf(1, {1, 2, 3})
  def("stats.boxcox_llf(lmb: data, data: data; axis?: integer|integer[], keepdims?: boolean) -> array",
    "The log-likelihood of the Box-Cox transformation (data^lmb - 1) / lmb of positive data along an axis (the " ..
      "first; \"none\": of all elements), where 0 for lmb is the logarithm.",
    function(lmb, data, axis, keepdims)
      local name = "stats.boxcox_llf"
      lmb = common.number(name, "lmb", lmb)
      local x
      x, axis = along(name, floats(name, "data", data), axis, 1)
      local n = x.shape[axis]
      local logs = ma.log(x)
      local o = { keepdims = keepdims }
      local log_var
      if lmb == 0 then log_var = ma.log(logs:var(axis, o))
      else
        -- Relative to the mean logarithm, so that large powers do not overflow.
        local middle = logs:mean(axis, { keepdims = true })
        local spread = ma.exp((logs - middle) * lmb):var(axis, o)
        if not keepdims then middle = middle:reshape(spread.shape) end
        log_var = ma.log(spread) + 2 * lmb * middle - 2 * math.log(math.abs(lmb))
      end
      return (lmb - 1) * logs:sum(axis, o) - n / 2 * log_var
    end)
end
