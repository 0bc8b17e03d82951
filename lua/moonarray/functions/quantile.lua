--- Order statistics: medians and quantiles of sorted elements, in which NaN comes last.
--# reduce

local tostring = require("moonarray.text").tostring
local sformat, floor, max, min = require("moonarray.text").format, math.floor, math.max, math.min

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local along, finish = common.along, common.finish

  local function inexact(a) return is.inexact[a.dtype] end

  --- The 0-based place of a quantile in n sorted elements, from two numbers (Hyndman and Fan); `linear` has n - 1
  --- steps.
  local continuous = {
    interpolated_inverted_cdf = { 0, 1 }, hazen = { 0.5, 0.5 }, weibull = { 0, 0 }, linear = { 1, 1 },
    median_unbiased = { 1 / 3, 1 / 3 }, normal_unbiased = { 3 / 8, 3 / 8 },
  }
  --- Methods that return an element, in its dtype; and those that return the mean of two.
  local discrete = { lower = true, higher = true, nearest = true, inverted_cdf = true, closest_observation = true }
  local halfway = { midpoint = true, averaged_inverted_cdf = true }
  local methods = "linear, lower, higher, nearest, midpoint, hazen, weibull, median_unbiased, normal_unbiased, " ..
    "inverted_cdf, averaged_inverted_cdf, "
    .. "closest_observation or interpolated_inverted_cdf"

  --- The same operations on numbers and on arrays.
  local on_numbers = { floor = floor, ceil = math.ceil, clip = function(x, lo, hi) return max(lo, min(x, hi)) end,
    nearest = function(x)                               -- ties go to the even number
      local below = floor(x)
      local part = x - below
      return (part > 0.5 or part == 0.5 and below % 2 == 1) and below + 1 or below
    end }
  local on_arrays = { floor = ma.floor, ceil = ma.ceil, clip = ma.clip, nearest = ma.rint }

  --- The lower and the upper place, 0-based, and the weight of the upper one.
  local function places(math, method, n, q)
    local rule = continuous[method]
    if rule then
      local at = method == "linear" and (n - 1) * q or n * q + (rule[1] + q * (1 - rule[1] - rule[2])) - 1
      at = math.clip(at, 0, n - 1)
      local low = math.floor(at)
      return low, math.clip(low + 1, 0, n - 1), at - low
    end
    local low, high
    if method == "lower" then low = math.floor((n - 1) * q)
    elseif method == "higher" then low = math.ceil((n - 1) * q)
    elseif method == "nearest" then low = math.nearest((n - 1) * q)
    elseif method == "midpoint" then low, high = math.floor((n - 1) * q), math.ceil((n - 1) * q)
    elseif method == "inverted_cdf" then low = math.ceil(n * q - 1)
    elseif method == "closest_observation" then low = math.nearest(n * q) - 1
    else low, high = math.ceil(n * q - 1), math.floor(n * q) end
    low = math.clip(low, 0, n - 1)
    if not high then return low, low, 0 end
    return low, math.clip(high, 0, n - 1), 0.5
  end

  --- NumPy's interpolation from the nearer end, which never exceeds an end.
  local function on_line(a, b, weight)
    if type(weight) == "number" then
      if weight < 0.5 then return a + (b - a) * weight end
      return b - (b - a) * (1 - weight)
    end
    return ma.where(weight:lt(0.5), a + (b - a) * weight, b - (b - a) * (1 - weight))
  end

  --- The same. If the distance of two finite ends is too large for the dtype, they are halved first.
  local function between(a, b, weight)
    if weight == 0 then return a end
    if type(weight) ~= "number" then weight = weight:astype(a.dtype) end
    local far = ma.isinf(b - a) * ma.isfinite(a) * ma.isfinite(b)
    return ma.where(far, on_line(a / 2, b / 2, weight) * 2, on_line(a, b, weight))
  end

  --- The array with the reduced axes merged into its last one, and the result's shape with these axes kept.
  local function gather_axes(name, a, axis)
    local order, gone = {}, {}
    for _, d in ipairs(common.axes(name, axis, a.ndim, "axis")) do
      if gone[d] then fail(name, sformat("axis %d twice; each once", d)) end
      gone[d] = true
    end
    local shape, n, keep = {}, 1, a.shape
    for d = 1, a.ndim do
      if gone[d] then
        n = n * a.shape[d]
        keep[d] = 1
      else
        order[#order + 1] = d
        shape[#shape + 1] = a.shape[d]
      end
    end
    for d = 1, a.ndim do if gone[d] then order[#order + 1] = d end end
    shape[#shape + 1] = n
    if a.ndim == 0 then return a:reshape(1), 1, {} end
    return a:transpose(order):reshape(shape), n, keep
  end

  --- Element k along the last axis of sorted elements; for one k a view.
  local function element(sorted, k) return sorted[{ "...", k }] end

  --- A result of sorted rows, or NaN where their last element is NaN.
  local function unless_nan(sorted, n, result)
    local top = element(sorted, n)
    return ma.where(ma.isnan(top), top, result)
  end

  --- The 1-based places in n sorted elements that the quantiles need, and the last one, where NaN would be.
  local function ranks(method, n, fractions)
    local list = { n }
    for _, q in ipairs(fractions) do
      local low, high = places(on_numbers, method, n, q)
      list[#list + 1], list[#list + 2] = low + 1, high + 1
    end
    return list
  end

  --- Returns a function that gives quantiles of the rows. The rows are sorted once, only near the places of these
  --- fractions. A value between two elements is computed in the dtype `wide`.
  local function by_count(rows, n, method, ignore_nan, wide, fractions)
    local function widened(x) return discrete[method] and x or x:astype(wide, { copy = false }) end
    local all_count = not ignore_nan or not inexact(rows)
    -- Integers are sorted as such, which is faster; their floats have the same order.
    local sorted = core.sort(rows, rows.ndim, all_count and ranks(method, n, fractions) or nil)
    if all_count then
      local function at(k) return widened(element(sorted, k)) end
      return function(q)
        local low, high, weight = places(on_numbers, method, n, q)
        local result = between(at(low + 1), at(high + 1), weight)
        if not inexact(rows) then return weight == 0 and result:copy() or result end
        return unless_nan(sorted, n, result)
      end
    end
    local count = ma.maximum(ma.sum(ma.logical_not(ma.isnan(rows)), -1, { keepdims = true }):astype("float64"), 1)
    return function(q)
      local low, high, weight = places(on_arrays, method, count, q)
      local a = widened(ma.take_along_axis(sorted, (low + 1):astype("int64"), -1))
      local b = widened(ma.take_along_axis(sorted, (high + 1):astype("int64"), -1))
      return ma.squeeze(between(a, b, weight), -1)
    end
  end

  -- ==== Weighted elements ============================================================================================

  local function print_shape(a) return "(" .. table.concat(a.shape, ", ") .. ")" end

  --- Weights of all elements, or of those along the axes, in the rows' order, as float64.
  local function rows_of_weights(name, weights, a, axis)
    weights = core.asarray(weights)
    if is.complexfloating[weights.dtype] then
      fail(name, sformat("weights of dtype %s; wanted real numbers", weights.dtype))
    end
    if not ma.same_shape(weights, a) then
      local axes, order, shape, fits = axis and common.axes(name, axis, a.ndim, "axis") or {}, {}, {}, axis ~= nil
      for k in ipairs(axes) do order[k] = k end
      for d = 1, a.ndim do shape[d] = 1 end
      for k, d in ipairs(axes) do
        shape[d] = a.shape[d]
        fits = fits and weights.ndim == #axes and weights.shape[k] == shape[d]
      end
      if not fits then
        fail(name, sformat("weights of shape %s for elements of shape %s%s; wanted one for each, or for each along " ..
          "axis", print_shape(weights),
          print_shape(a), axis == nil and " without axis" or ""))
      end
      table.sort(order, function(i, j) return axes[i] < axes[j] end)
      weights = weights:transpose(order):reshape(shape)
    end
    return (gather_axes(name, weights:astype("float64"), axis))
  end

  --- The same with weights: the first element where the running weight reaches q times the sum. Waits to read the
  --- weights.
  local function by_weight(name, rows, n, weights, ignore_nan)
    local order = core.argsort(rows, rows.ndim)
    local sorted = ma.take_along_axis(rows, order, -1)
    local lost = inexact(rows) and ma.isnan(sorted)
    local negative = ma.sum(weights:lt(0))
    weights = ma.take_along_axis(weights:broadcast_to(rows.shape), order, -1)
    if lost and ignore_nan then weights = ma.where(lost, 0, weights) end
    local share = ma.cumsum(weights, -1)
    local total = along(share, share.ndim, n, n)
    local useless = ma.logical_not(total:gt(0) * total:lt(ma.inf))
    if lost and ignore_nan then useless = useless * ma.logical_not(along(lost, lost.ndim, 1, 1)) end
    local below, none = ma.item(negative, ma.sum(useless))
    if below > 0 then fail(name, "weights below 0; wanted 0 or more") end
    if none > 0 then fail(name, "weights whose sum is 0, inf or nan; wanted finite ones, some above 0") end
    share = share / total
    share = ma.where(share:eq(0), -1, share)            -- elements of weight 0 are below q = 0 too
    return function(q)
      local result = ma.squeeze(ma.take_along_axis(sorted, ma.sum(share:lt(q), -1, { keepdims = true }) + 1, -1), -1)
      return (not lost or ignore_nan) and result or unless_nan(sorted, n, result)
    end
  end

  --- The quantile of no elements: nan for every row.
  local function nothing(rows, keep, keepdims)
    local shape = rows.shape
    shape[#shape] = nil
    return ma.full(keepdims and keep or shape, ma.nan, inexact(rows) and rows.dtype or "float64",
      { device = rows.device })
  end

  --- The numbers q, a number or tables of them, as fractions in a list.
  local function fractions_of(name, q, scale, list)
    if type(q) == "table" then
      for _, x in ipairs(q) do fractions_of(name, x, scale, list) end
      return list
    end
    common.number(name, "q", q)
    if not (q >= 0 and q <= scale) then fail(name, sformat("q is %s; 0 to %d", tostring(q), scale)) end
    list[#list + 1] = q / scale
    return list
  end

  local function quantile(name, a, q, axis, out, method, keepdims, weights, ignore_nan, scale)
    a = core.asarray(a)
    method = method or "linear"
    if not continuous[method] and not discrete[method] and not halfway[method] then
      fail(name, sformat("%s for method; %s", core.describe(method), methods))
    end
    if is.complexfloating[a.dtype] then fail(name, sformat("dtype %s; real numbers", a.dtype)) end
    if weights ~= nil and method ~= "inverted_cdf" then
      fail(name, sformat("weights with method %s; wanted inverted_cdf", method))
    end
    local wide = inexact(a) and a.dtype or "float64"
    if type(q) == "table" and next(q) ~= nil then q = core.asarray(q, "float64", { device = "cpu" }) end
    if core.is_array(q) then                              -- a number is weak, an array has a dtype of its own
      wide = ma.result_type(a.dtype, inexact(q) and q.dtype or "float64")
      q = q.ndim == 0 and q:item() or q:totable()
    end
    local rows, n, keep = gather_axes(name, a, axis)
    if n == 0 and not ignore_nan then fail(name, "no elements along the axis; at least one") end
    local fractions = fractions_of(name, q, scale, {})
    local of
    if n == 0 then of = function() return nothing(rows, keep) end
    elseif weights == nil then of = by_count(rows, n, method, ignore_nan, wide, fractions)
    else of = by_weight(name, rows, n, rows_of_weights(name, weights, a, axis), ignore_nan) end
    local function all(list)
      if type(list) ~= "table" then
        local result = of(list / scale)
        return keepdims and result:reshape(keep) or result
      end
      local parts = {}
      for k, x in ipairs(list) do parts[k] = all(x) end
      if #parts == 0 then fail(name, "no q; at least one") end
      return ma.stack(parts)
    end
    return finish(name, all(q), out)
  end

  local arguments = "(a: data, q: data, axis?: integer|integer[], out?: array, overwrite_input?: boolean, "
    .. "method?: string, keepdims?: boolean; weights?: data) -> array"
  for name, row in pairs {
    percentile = { 100, false, "The value below which q percent of the elements lie, along axes; q may be a table." },
    quantile = { 1, false, "The value below which the fraction q of the elements lies, along axes; q may be a table." },
    --> percentile({1, 2, 3, 4}, 75)
    --> nanpercentile({1, ma.nan, 3}, 50)
    nanpercentile = { 100, true, "percentile without NaN." },
    --> quantile({1, 2, 3, 4}, 0.25)
    --> nanquantile({1, ma.nan, 3}, 0.5)
    nanquantile = { 1, true, "quantile without NaN." },
  } do
    def(name .. arguments,
      row[3] .. (row[2] and "" or " method: " .. methods .. "; the elements may have weights with inverted_cdf."),
      function(a, q, axis, out, _, method, keepdims, weights)
        return quantile(name, a, q, axis, out, method, keepdims, weights, row[2], row[1])
      end)
  end

  --- The mean of the two middle elements of sorted rows, which has NaN where one is.
  local function middle_of(rows, n)
    local before, behind = floor((n + 1) / 2), floor(n / 2) + 1
    local sorted = core.sort(rows, rows.ndim, { before, behind, n })
    local low, high = common.floating(element(sorted, before)), common.floating(element(sorted, behind))
    local result = n % 2 == 1 and low or common.middle(ma, low, high)
    if inexact(rows) then return unless_nan(sorted, n, result) end
    return n % 2 == 1 and result:copy() or result
  end

  --- The same of the elements that are not NaN.
  local function middle_without_nan(rows)
    local sorted = core.sort(rows, rows.ndim)
    local count = ma.maximum(ma.sum(ma.logical_not(ma.isnan(sorted)), -1, { keepdims = true }), 1)
    local low = ma.take_along_axis(sorted, ma.floor_divide(count + 1, 2), -1)
    local high = ma.take_along_axis(sorted, ma.floor_divide(count, 2) + 1, -1)
    return ma.squeeze(ma.where((count % 2):eq(1), low, common.middle(ma, low, high)), -1)
  end

  local function median(name, a, axis, out, keepdims, ignore_nan)
    a = core.asarray(a)
    local rows, n, keep = gather_axes(name, a, axis)
    if n == 0 then return finish(name, nothing(rows, keep, keepdims), out) end
    local result = ignore_nan and inexact(a) and middle_without_nan(rows) or middle_of(rows, n)
    return finish(name, keepdims and result:reshape(keep) or result, out)
  end

  --> median({1, 3, 9, 4})
  def("median(a: data, axis?: integer|integer[], out?: array, overwrite_input?: boolean, keepdims?: boolean) -> array",
    "The element in the middle of the sorted ones, or the mean of the two there, along axes. NaN where there is one.",
    function(a, axis, out, _, keepdims) return median("median", a, axis, out, keepdims) end)

  --> nanmedian({1, ma.nan, 3})
  def("nanmedian(a: data, axis?: integer|integer[], out?: array, overwrite_input?: boolean, "
    .. "keepdims?: boolean) -> array", "median without NaN.",
    function(a, axis, out, _, keepdims) return median("nanmedian", a, axis, out, keepdims, true) end)
end
