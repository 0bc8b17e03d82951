--- Sorting and what follows from it: order, search, sets, and order statistics. Bins are in histogram.lua. The core sorts rows of any
-- dtype, stably, NaN last; positions count from 1.

local sformat, floor, max, min = string.format, math.floor, math.max, math.min

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local axis_of, along, finish = common.axis, common.along, common.finish
  local concatenate = ma.concatenate

  local function inexact(a) return ma.issubdtype(a.dtype, "inexact") end

  --- The last axis by default. A 0-d array has none.
  local function last(name, a, axis)
    if a.ndim == 0 and (axis == nil or axis == -1) then return 1 end
    return axis_of(name, axis or -1, a.ndim)
  end

  local kinds = { quicksort = true, heapsort = true, mergesort = true, stable = true }
  local function check_kind(name, kind)
    if kind == nil or kinds[kind] then return end
    fail(name, sformat("%s for kind; quicksort, heapsort, mergesort or stable, all of them stable here", core.describe(kind)))
  end

  -- ==== Order ==============================================================================================================

  def("sort(arr, axis?, kind?; out?)", "A sorted copy, along an axis (the last). Stable; NaN comes last. x:sort() sorts in place.",
    function(a, axis, kind, out)
      a = ma.asarray(a)
      check_kind("sort", kind)
      return finish("sort", core.sort(a, last("sort", a, axis)), out)
    end)

  def(":sort(a, axis?, kind?)", "Sorts the array itself along an axis (the last), and returns it. Stable; NaN comes last.",
    function(a, axis, kind)
      check_kind("sort", kind)
      return core.sort_in_place(a, last("sort", a, axis))
    end)

  def("argsort(a, axis?, kind?; out?)", "The positions, along an axis (the last), of the elements in ascending order. Stable.",
    function(a, axis, kind, out)
      a = ma.asarray(a)
      check_kind("argsort", kind)
      return finish("argsort", core.argsort(a, last("argsort", a, axis)), out)
    end)

  def("sort_complex(a)", "A sorted copy along the last axis, complex: by the real parts, then the imaginary ones.",
    function(a)
      a = ma.asarray(a)
      local narrow = { float32 = true, float16 = true, bfloat16 = true, int8 = true, uint8 = true, int16 = true, uint16 = true, complex64 = true }
      return core.sort(a:astype(narrow[a.dtype] and "complex64" or "complex128"), last("sort_complex", a))
    end)

  --- Positions of the order statistics that are wanted: a number or a table, each 1 .. n or negative from the end.
  local function check_kth(name, a, kth, axis)
    local n = a.ndim == 0 and 1 or a.shape[axis]
    for _, k in ipairs(common.list(name, "kth", kth)) do
      common.whole(name, "kth", k)
      if k == 0 or k > n or k < -n then fail(name, sformat("kth is %d of %d elements; 1 to %d, or negative from the end", k, n, n)) end
    end
  end

  -- A whole sort is a partition about every position.
  def("partition(arr, kth, axis?, kind?; out?)",
    "A copy whose kth element is where a sort would put it, none after it smaller, none before greater. x:partition() works in place.",
    function(a, kth, axis, _, out)
      a = ma.asarray(a)
      axis = last("partition", a, axis)
      check_kth("partition", a, kth, axis)
      return finish("partition", core.sort(a, axis), out)
    end)

  def(":partition(a, kth, axis?, kind?)", "Puts the array's kth element where a sort would, none after it smaller, none before greater; returns the array.",
    function(a, kth, axis)
      axis = last("partition", a, axis)
      check_kth("partition", a, kth, axis)
      return core.sort_in_place(a, axis)
    end)

  def("argpartition(a, kth, axis?, kind?)", "Positions that partition the array about its kth element along an axis (the last).",
    function(a, kth, axis)
      a = ma.asarray(a)
      axis = last("argpartition", a, axis)
      check_kth("argpartition", a, kth, axis)
      return core.argsort(a, axis)
    end)

  def("lexsort(keys, axis?)", "Positions that sort by several keys, the last one first: a table of arrays of one shape, or the rows of an array.",
    function(keys, axis)
      local list = {}
      if core.is_array(keys) then
        if keys.ndim < 2 then fail("lexsort", sformat("%d axes of keys; 2 at least, a row a key", keys.ndim)) end
        for k = 1, keys.shape[1] do list[k] = keys[k] end
      else
        for k, key in ipairs(common.type("lexsort", "keys", keys, "table")) do list[k] = ma.asarray(key) end
      end
      if #list == 0 then fail("lexsort", "no keys; at least one") end
      local first = list[1]
      axis = last("lexsort", first, axis)
      for k = 2, #list do
        if not ma.same_shape(first, list[k]) then fail("lexsort", sformat("key %d has another shape than the first; one shape", k)) end
      end
      local order = core.argsort(first, axis)
      if first.ndim == 0 then return order end
      for k = 2, #list do
        local again = core.argsort(ma.take_along_axis(list[k], order, axis), axis)
        order = ma.take_along_axis(order, again, axis)
      end
      return order
    end)

  -- ==== Search =============================================================================================================

  --- Arrays of the dtype that holds both.
  local function alike(a, b)
    local dtype = ma.promote_types(a.dtype, b.dtype)
    return a:astype(dtype, { copy = false }), b:astype(dtype, { copy = false })
  end

  local function on_device_of(a, v)
    if core.is_array(v) then return v end
    v = ma.asarray(v)
    return v.device == a.device and v or v:to(a.device)
  end

  local function side_of(name, side)
    if side ~= nil and side ~= "left" and side ~= "right" then fail(name, sformat("%s for side; left or right", core.describe(side))) end
    return side == "right"
  end

  def("searchsorted(a, v, side?, sorter?)", "Positions, from 1, before which values go to keep a sorted: left of what is equal, or right of it.",
    function(a, v, side, sorter)
      a = ma.asarray(a)
      local keys, values = alike(a, on_device_of(a, v))
      if sorter ~= nil then
        sorter = on_device_of(a, sorter)
        if not ma.issubdtype(sorter.dtype, "integer") then fail("searchsorted", sformat("a sorter of %s; integers", sorter.dtype)) end
        sorter = sorter:astype("int64", { copy = false })
      end
      return core.search(keys, values, side_of("searchsorted", side), sorter)
    end)

  def("digitize(x, bins, right?)",
    "For each value the position of the first edge above it (right: not below it); bins ascend or descend. From 1, one past the end for what is above all.",
    function(x, bins, right)
      x = ma.asarray(x)
      bins = on_device_of(x, bins)
      if bins.ndim ~= 1 then fail("digitize", sformat("bins of %d axes; 1", bins.ndim)) end
      local n = bins.size
      local up, down = true, false
      if n > 1 then
        local left, after = along(bins, 1, 1, n - 1), along(bins, 1, 2, n)
        up = ma.less_equal(left, after):all()
        down = not up and ma.greater_equal(left, after):all()
      end
      if not up and not down then fail("digitize", "bins that go up and down; ascending or descending ones") end
      local keys, values = alike(bins, x)
      if up then return core.search(keys, values, not right) end
      return n + 2 - core.search(ma.flip(keys), values, not right)
    end)

  -- ==== Distinct elements ==================================================================================================

  --- What unique gives of elements, or rows, that are sorted: `changes` says which differ from the one before, `order` where each came from.
  local function distinct(sorted, order, changes, shape, index, inverse, counts)
    local results = { sorted[changes] }
    if index then results[#results + 1] = order[changes] end
    if inverse then
      local places = ma.empty_like(order)
      places[order] = changes:cumsum({ dtype = "int64" })
      results[#results + 1] = places:reshape(shape)
    end
    if counts then
      local starts = ma.flatnonzero(changes)
      local m = starts.size
      local lengths = ma.empty_like(starts)
      if m > 0 then
        lengths[{ { 1, m - 1 } }] = along(starts, 1, 2, m) - along(starts, 1, 1, m - 1)
        lengths[m] = changes.size + 1 - along(starts, 1, m, m)
      end
      results[#results + 1] = lengths
    end
    return results
  end

  local function unique(a, index, inverse, counts, equal_nan)
    local flat = ma.ravel(a)
    local sorted, order
    if index or inverse then sorted, order = core.sort_both(flat, 1) else sorted = core.sort(flat, 1) end
    return unpack(distinct(sorted, order, core.changes(sorted, equal_nan ~= false), a.shape, index, inverse, counts))
  end

  --- The positions that sort the rows of a matrix: by the last column first, each sort stable.
  local function order_of_rows(rows, n, m)
    local order = ma.range(1, n, { device = rows.device })
    for k = m, 1, -1 do order = order:take(core.argsort(rows[{ {}, k }]:take(order), 1)) end
    return order
  end

  --- Whole slices along an axis, in the order of their first elements, then their second ones ... NaN differs from NaN, as in NumPy.
  local function unique_along(a, axis, index, inverse, counts)
    local moved = ma.moveaxis(a, axis, 1)
    local shape = moved.shape
    local n, m = shape[1], 1
    for d = 2, #shape do m = m * shape[d] end
    local rows = moved:reshape(n, m)
    local order = order_of_rows(rows, n, m)
    local sorted = rows:take(order, 1)
    local changes = ma.zeros(n, { dtype = "bool", device = a.device })
    if n > 0 then
      changes[1] = true
      changes[{ { 2, n } }] = ma.not_equal(along(sorted, 1, 2, n), along(sorted, 1, 1, n - 1)):any(2)
    end
    local results = distinct(sorted, order, changes, n, index, inverse, counts)
    shape[1] = results[1].shape[1]
    results[1] = ma.moveaxis(results[1]:reshape(shape), 1, axis)
    return unpack(results)
  end

  def("unique(a, return_index?, return_inverse?, return_counts?, axis?; equal_nan?)",
    "The distinct elements (with axis: slices along it), sorted; on demand where each is first, where all are among them, how often each occurs. Waits.",
    function(a, index, inverse, counts, axis, equal_nan)
      a = ma.asarray(a)
      if axis == nil then return unique(a, index, inverse, counts, equal_nan) end
      axis = axis_of("unique", axis, a.ndim)
      if a.ndim == 1 then return unique(a, index, inverse, counts, equal_nan) end
      return unique_along(a, axis, index, inverse, counts)
    end)

  def("unique_all(x)", "The distinct elements, positions of the first of each, positions of all among them, and counts.",
    function(a) return unique(ma.asarray(a), true, true, true, false) end)
  def("unique_counts(x)", "The distinct elements and how often each occurs.",
    function(a) return unique(ma.asarray(a), false, false, true, false) end)
  def("unique_inverse(x)", "The distinct elements and the position of each element among them.",
    function(a) return unique(ma.asarray(a), false, true, false, false) end)
  def("unique_values(x)", "The distinct elements.",
    function(a) return unique(ma.asarray(a), false, false, false, false) end)

  -- ==== Sets ===============================================================================================================

  local function isin(element, test, invert)
    local shape = element.shape
    local x, keys = alike(element, ma.ravel(on_device_of(element, test)))
    if keys.size == 0 then return ma.full_like(element, invert or false, { dtype = "bool" }) end
    keys = core.sort(keys, 1)
    local place = ma.minimum(core.search(keys, x, false), keys.size)
    local found = ma.take(keys, place):reshape(shape)
    if invert then return ma.not_equal(found, x) end
    return ma.equal(found, x)
  end

  def("isin(element, test_elements, assume_unique?, invert?, kind?)", "Which elements are among the others (invert: are not).",
    function(element, test, _, invert) return isin(ma.asarray(element), test, invert) end)

  def("in1d(ar1, ar2, assume_unique?, invert?)", "isin of the flattened array.",
    function(a, test, _, invert) return isin(ma.ravel(a), test, invert) end)

  local function flat_pair(a, b)
    a = ma.ravel(a)
    b = ma.ravel(on_device_of(a, b))
    return alike(a, b)
  end

  def("union1d(ar1, ar2)", "The distinct elements of both, sorted.",
    function(a, b)
      a, b = flat_pair(a, b)
      return (unique(concatenate { a, b }))
    end)

  def("intersect1d(ar1, ar2, assume_unique?, return_indices?)",
    "The distinct elements that both have, sorted; on demand their first positions in either.",
    function(a, b, assume_unique, indices)
      a, b = flat_pair(a, b)
      local at_a, at_b
      if not assume_unique then
        if indices then
          a, at_a = unique(a, true)
          b, at_b = unique(b, true)
        else
          a, b = unique(a), unique(b)
        end
      end
      local n = a.size
      local sorted, order = core.sort_both(concatenate { a, b }, 1)
      local total = sorted.size
      if total < 2 then
        local none = ma.empty_like(order, { shape = 0 })
        if indices then return along(sorted, 1, 1, 0), none, none end
        return along(sorted, 1, 1, 0)
      end
      local same = ma.equal(along(sorted, 1, 1, total - 1), along(sorted, 1, 2, total))
      local values = along(sorted, 1, 1, total - 1)[same]
      if not indices then return values end
      local first, second = along(order, 1, 1, total - 1)[same], along(order, 1, 2, total)[same] - n
      if not assume_unique then first, second = at_a:take(first), at_b:take(second) end
      return values, first, second
    end)

  def("setdiff1d(ar1, ar2, assume_unique?)", "The elements of the first that the second has not: distinct and sorted, unless they are distinct already.",
    function(a, b, assume_unique)
      a = ma.ravel(a)
      if not assume_unique then a = unique(a) end
      return a[isin(a, b, true)]
    end)

  def("setxor1d(ar1, ar2, assume_unique?)", "The distinct elements that one has and the other has not, sorted.",
    function(a, b, assume_unique)
      a, b = flat_pair(a, b)
      if not assume_unique then a, b = unique(a), unique(b) end
      local sorted = core.sort(concatenate { a, b }, 1)
      local n = sorted.size
      if n < 2 then return sorted end
      local alone = ma.ones_like(sorted, { dtype = "bool" })
      local differ = ma.not_equal(along(sorted, 1, 1, n - 1), along(sorted, 1, 2, n))
      local before, after = ma.copy(alone), ma.copy(alone)
      before[{ { 2, n } }] = differ
      after[{ { 1, n - 1 } }] = differ
      return sorted[before * after]
    end)

  -- ==== Order statistics ===================================================================================================

  --- Where in n sorted elements, from 0, the quantile lies, by two numbers (Hyndman and Fan); `linear` has n - 1 steps.
  local continuous = {
    interpolated_inverted_cdf = { 0, 1 }, hazen = { 0.5, 0.5 }, weibull = { 0, 0 }, linear = { 1, 1 },
    median_unbiased = { 1 / 3, 1 / 3 }, normal_unbiased = { 3 / 8, 3 / 8 },
  }
  --- An element itself, whose dtype the result has; and the mean of two.
  local discrete = { lower = true, higher = true, nearest = true, inverted_cdf = true, closest_observation = true }
  local halfway = { midpoint = true, averaged_inverted_cdf = true }
  local methods = "linear, lower, higher, nearest, midpoint, hazen, weibull, median_unbiased, normal_unbiased, inverted_cdf, averaged_inverted_cdf, "
    .. "closest_observation or interpolated_inverted_cdf"

  --- The operations of the same names on numbers and on arrays.
  local on_numbers = { floor = floor, ceil = math.ceil, clip = function(x, lo, hi) return max(lo, min(x, hi)) end,
    nearest = function(x)                               -- halves to the even
      local below = floor(x)
      local part = x - below
      return (part > 0.5 or part == 0.5 and below % 2 == 1) and below + 1 or below
    end }
  local on_arrays = { floor = ma.floor, ceil = ma.ceil, clip = ma.clip, nearest = ma.rint }

  --- The lower and the upper place, from 0, and the weight of the upper.
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

  --- NumPy's interpolation, from the nearer end, so that it never goes past one.
  local function between(a, b, weight)
    if type(weight) == "number" then
      if weight == 0 then return a end
      if weight < 0.5 then return a + (b - a) * weight end
      return b - (b - a) * (1 - weight)
    end
    weight = weight:astype(a.dtype)
    return ma.where(weight:lt(0.5), a + (b - a) * weight, b - (b - a) * (1 - weight))
  end

  --- The array with the axes that are reduced joined as its last one, and the shape of the result if those are kept.
  local function gather_axes(name, a, axis)
    local order, gone = {}, {}
    for _, d in ipairs(axis == nil and {} or common.list(name, "axis", axis)) do
      d = axis_of(name, d, a.ndim)
      if gone[d] then fail(name, sformat("axis %d twice; each once", d)) end
      gone[d] = true
    end
    if axis == nil then for d = 1, a.ndim do gone[d] = true end end
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

  local function as_float(a)
    return inexact(a) and a or a:astype("float64")
  end

  --- Along the last axis, from sorted elements: a view for a whole axis.
  local function element(sorted, k)
    local index = { "..." }
    index[2] = k
    return sorted[index]
  end

  local function of_rows(rows, n, q, method, ignore_nan)
    local real = discrete[method] and rows or as_float(rows)
    local sorted = core.sort(real, real.ndim)
    if not ignore_nan or not inexact(real) then
      local low, high, weight = places(on_numbers, method, n, q)
      local result = between(element(sorted, low + 1), element(sorted, high + 1), weight)
      if not inexact(rows) then return weight == 0 and result:copy() or result end
      local top = element(sorted, n)
      return ma.where(ma.isnan(top), top, result)
    end
    local count = ma.sum(ma.logical_not(ma.isnan(real)), -1, { keepdims = true }):astype("float64")
    local low, high, weight = places(on_arrays, method, ma.maximum(count, 1), q)
    local a = ma.take_along_axis(sorted, (low + 1):astype("int64"), -1)
    local b = ma.take_along_axis(sorted, (high + 1):astype("int64"), -1)
    return ma.squeeze(between(a, b, weight), -1)
  end

  local function quantile(name, a, q, axis, out, method, keepdims, ignore_nan, scale)
    a = ma.asarray(a)
    method = method or "linear"
    if not continuous[method] and not discrete[method] and not halfway[method] then fail(name, sformat("%s for method; %s", core.describe(method), methods)) end
    if ma.issubdtype(a.dtype, "complexfloating") then fail(name, sformat("dtype %s; real numbers", a.dtype)) end
    if core.is_array(q) then q = q.ndim == 0 and q:item() or q:totable() end
    local rows, n, keep = gather_axes(name, a, axis)
    if n == 0 then fail(name, "no elements along the axis; at least one") end
    local function one(fraction)
      common.number(name, "q", fraction)
      if not (fraction >= 0 and fraction <= scale) then fail(name, sformat("q is %s; 0 to %d", tostring(fraction), scale)) end
      local result = of_rows(rows, n, fraction / scale, method, ignore_nan)
      return keepdims and result:reshape(keep) or result
    end
    local function all(list)
      if type(list) ~= "table" then return one(list) end
      local parts = {}
      for k, x in ipairs(list) do parts[k] = all(x) end
      if #parts == 0 then fail(name, "no q; at least one") end
      return ma.stack(parts)
    end
    return finish(name, all(q), out)
  end

  local arguments = "(a, q, axis?, out?, overwrite_input?, method?, keepdims?)"
  for name, row in pairs {
    percentile = { 100, false, "The value below which q percent of the elements lie, along axes; q may be a table." },
    quantile = { 1, false, "The value below which the fraction q of the elements lies, along axes; q may be a table." },
    nanpercentile = { 100, true, "percentile without NaN." },
    nanquantile = { 1, true, "quantile without NaN." },
  } do
    def(name .. arguments, row[3] .. (row[2] and "" or " method: " .. methods .. "."),
      function(a, q, axis, out, _, method, keepdims)
        return quantile(name, a, q, axis, out, method, keepdims, row[2], row[1])
      end)
  end

  --- The mean of the two in the middle.
  local function median(name, a, axis, out, keepdims)
    a = ma.asarray(a)
    local rows, n, keep = gather_axes(name, a, axis)
    if n == 0 then fail(name, "no elements along the axis; at least one") end
    local sorted = core.sort(as_float(rows), rows.ndim)
    local low, high = element(sorted, floor((n + 1) / 2)), element(sorted, floor(n / 2) + 1)
    local result = n % 2 == 1 and low or (low + high) / 2
    if inexact(rows) then
      local top = element(sorted, n)
      result = ma.where(ma.isnan(top), top, result)
    elseif n % 2 == 1 then result = result:copy() end
    return finish(name, keepdims and result:reshape(keep) or result, out)
  end

  def("median(a, axis?, out?, overwrite_input?, keepdims?)",
    "The element in the middle of the sorted ones, or the mean of the two there, along axes. NaN where there is one.",
    function(a, axis, out, _, keepdims) return median("median", a, axis, out, keepdims) end)

  def("nanmedian(a, axis?, out?, overwrite_input?, keepdims?)", "median without NaN.",
    function(a, axis, out, _, keepdims)
      a = ma.asarray(a)
      if not inexact(a) then return median("nanmedian", a, axis, out, keepdims) end
      local rows, n, keep = gather_axes("nanmedian", a, axis)
      if n == 0 then fail("nanmedian", "no elements along the axis; at least one") end
      local sorted = core.sort(rows, rows.ndim)
      local count = ma.maximum(ma.sum(ma.logical_not(ma.isnan(sorted)), -1, { keepdims = true }), 1)
      local low = ma.take_along_axis(sorted, ma.floor_divide(count + 1, 2), -1)
      local high = ma.take_along_axis(sorted, ma.floor_divide(count, 2) + 1, -1)
      local result = ma.squeeze(ma.where((count % 2):eq(1), low, (low + high) / 2), -1)
      return finish("nanmedian", keepdims and result:reshape(keep) or result, out)
    end)
end
