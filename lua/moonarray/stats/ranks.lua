--- Ranks, and the correlations of values and of ranks.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local floats, both, along = shared.floats, shared.both, shared.along

  -- ==== Ranks ======================================================================================================

  --- Whether each element of sorted rows differs from the one before it; true at the first.
  local function begins(s)
    local n = s.shape[s.ndim]
    local first = ma.ones_like(s["..., 1:1"], { dtype = "bool" })
    if n == 1 then return first end
    return ma.concatenate({ first, s["..., 2:"]:ne(s["..., :-2"]) }, -1)
  end

  -- The ranks of sorted rows of n elements, by method; `start` says where an element differs from the one before it.
  local methods = {}
  local function places(s) return ma.range(1, s.shape[s.ndim], { device = s.device }) end
  function methods.ordinal(start) return ma.broadcast_to(places(start), start.shape) end
  function methods.dense(start) return ma.cumsum(start, -1, { dtype = "int64" }) end
  function methods.min(start) return ma.maximum.accumulate(ma.where(start, places(start), 0), -1) end
  function methods.max(start)
    local n = start.shape[start.ndim]
    local last = ma.ones_like(start["..., 1:1"])
    if n > 1 then last = ma.concatenate({ start["..., 2:"], last }, -1) end
    local back = ma.where(last, places(start), n)["..., ::-1"]
    return ma.minimum.accumulate(back, -1)["..., ::-1"]
  end
  function methods.average(start) return (methods.min(start) + methods.max(start)):astype("float64") / 2 end

  --- Ranks along the last axis; NaN counts as the greatest and each of them as its own.
  local function ranks(a, method)
    if a.size == 0 then return ma.zeros_like(a, { dtype = method == "average" and "float64" or "int64" }) end
    local sorted, order = core.sort_both(a, a.ndim)
    local rank = methods[method](begins(sorted))
    return ma.take_along_axis(rank, core.argsort(order, a.ndim), -1)
  end

  --> stats.rankdata({10, 30, 20, 20})
  def("stats.rankdata(a: data, method?: string; axis?: integer|integer[], nan_policy?: string) -> array",
    "The ranks of the elements along an axis (of all as one axis), from 1 on. method says what equal elements get: " ..
      "their 'average' (default), 'min' or 'max' rank, 'dense' (as min, without gaps) or 'ordinal' (in their " ..
      "order). nan_policy: with 'propagate' a NaN makes all ranks of its axis NaN, with 'omit' its own; for the " ..
      "methods of whole numbers that is looked at and waits.",
    function(a, method, axis, nan_policy)
      local name = "stats.rankdata"
      a = core.asarray(a)
      if ma.iscomplexobj(a) then fail(name, sformat("a is %s; wanted real numbers", core.describe(a))) end
      method = method or "average"
      if not methods[method] then
        fail(name, sformat("%s for method; average, min, max, dense or ordinal", common.shown(method)))
      end
      local is_float = is.floating[a.dtype]
      local x
      x, axis = along(name, a, axis)
      local policy = is_float and shared.policy(name, nan_policy, x) or "propagate"
      x = ma.moveaxis(x, axis, -1)
      local rank = ranks(x, method)
      if is_float and policy ~= "raise" and x.size > 0 then
        local nan = ma.isnan(x)
        local is_whole = method ~= "average"
        if not is_whole or nan:any() then
          local bad = policy == "omit" and nan or nan:any(-1, { keepdims = true })
          rank = ma.where(bad, ma.nan, rank)
        end
      end
      return ma.moveaxis(rank, -1, axis)
    end)

  -- ==== Correlations ===============================================================================================

  --- Divides rows by a power of two near their greatest magnitude, so that neither their sums nor their squares
  --- leave the range of the dtype. The digits stay as they are.
  local function scaled(x)
    local most = ma.absolute(x):max(-1, { keepdims = true })
    local _, power = ma.frexp(ma.where(ma.isfinite(most), most, 1))
    return ma.ldexp(x, -power)
  end

  --- Rows without their mean, divided by their norm. A row whose elements are all the same is NaN, also if the rounding
  --- of its mean leaves something.
  local function unit(x)
    local constant = x:eq(x["..., 1:1"]):all(-1, { keepdims = true })
    x = scaled(x)
    x = scaled(x - x:mean(-1, { keepdims = true }))
    return ma.where(constant, ma.nan, x / ma.sqrt((x * x):sum(-1, { keepdims = true })))
  end

  --- The correlation of rows. That of two points is exactly 1 or -1.
  local function correlation(x, y)
    local r = (unit(x) * unit(y)):sum(-1)
    return x.shape[x.ndim] == 2 and ma.sign(r) or ma.clip(r, -1, 1)
  end

  --> stats.pearsonr: (ma.stats.pearsonr({1, 2, 3}, {1, 2, 4}))
  def("stats.pearsonr(x: data, y: data; alternative?: string, axis?: integer|integer[]) -> array, array",
    "r, p: the correlation of two samples along an axis (the first), and the probability of one as far from 0 if " ..
      "both are independent and normal. alternative: 'two-sided', or 'less' or 'greater' for one side.",
    function(x, y, alternative, axis)
      local name = "stats.pearsonr"
      local a, b = both(name, "x", x, "y", y)
      a, b = ma.broadcast_arrays(a, b)
      local along_axis
      a, along_axis = along(name, a, axis, 1)
      b = along(name, b, axis, 1)
      local n = a.shape[along_axis]
      if n < 2 then fail(name, sformat("%d pairs; wanted two at least", n)) end
      local r = correlation(ma.moveaxis(a, along_axis, -1), ma.moveaxis(b, along_axis, -1))
      return r, shared.correlation_p(name, r, n, alternative)
    end)

  --> stats.spearmanr: (ma.stats.spearmanr({1, 2, 3}, {1, 3, 2}))
  def("stats.spearmanr(a: data, b?: data, axis?: integer|integer[], nan_policy?: string, "
    .. "alternative?: string) -> array, array",
    "r, p: the correlation of the ranks of two samples, and its probability if both are independent. A matrix has a " ..
      "variable in each column (with axis = 2 in each row); for more than two variables r and p are matrices. axis " ..
      "\"none\" takes all elements of a and of b. nan_policy: 'propagate' or 'raise'.",
    function(a, b, axis, nan_policy, alternative)
      local name = "stats.spearmanr"
      local x, y
      if b == nil then x = floats(name, "a", a) else x, y = both(name, "a", a, "b", b) end
      axis = axis or 1
      if axis == "none" then
        x, y = x:ravel(), y and y:ravel()
        axis = 1
      end
      if x.ndim > 2 or (y and y.ndim > 2) or x.ndim == 0 then
        fail(name, sformat("a is %s; wanted a vector or a matrix", core.describe(x)))
      end
      local function variables(v)
        if v == nil then return nil end
        if v.ndim == 1 then return v:reshape(1, v.size) end
        if v.ndim ~= 2 then fail(name, sformat("b is %s; wanted a vector or a matrix", core.describe(v))) end
        return common.axis(name, axis, 2) == 1 and v:transpose() or v
      end
      x, y = variables(x), variables(y)
      if y then
        if x.shape[2] ~= y.shape[2] then
          fail(name, sformat("%d and %d observations; wanted as many of a as of b", x.shape[2], y.shape[2]))
        end
        x = ma.concatenate({ x, y })
      end
      local m, n = x.shape[1], x.shape[2]
      if m < 2 then fail(name, "one variable; wanted two at least") end
      if n < 2 then fail(name, sformat("%d observations; wanted two at least", n)) end
      if shared.policy(name, nan_policy, x) == "omit" then
        fail(name, "nan_policy is 'omit'; wanted 'propagate' or 'raise'")
      end
      local rank = ma.where(ma.isnan(x):any(2, { keepdims = true }), ma.nan, ranks(x, "average"))
      if m == 2 then
        local r = correlation(rank["1"], rank["2"])
        return r, shared.correlation_p(name, r, n, alternative)
      end
      local z = unit(rank)
      local r = ma.clip(ma.matmul(z, z:transpose()), -1, 1)
      r = ma.where(ma.eye(m, { dtype = "bool", device = r.device }) * ma.logical_not(ma.isnan(r)), 1, r)
      return r, shared.correlation_p(name, r, n, alternative)
    end)
end
