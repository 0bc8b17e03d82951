--- Sorting, searching and sets. quantile.lua has order statistics, histogram.lua bins. The core sorts rows of any
--- dtype, stably, with NaN last; positions are 1-based.
--# sort

local sformat = require("moonarray.text").format

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local axis_of, along, beside, alike, neighbours = common.axis, common.along, common.beside, common.alike,
    common.neighbours
  local concatenate = ma.concatenate

  --- The axis, by default the last. A 0-d array has none.
  local function last(name, a, axis)
    if a.ndim == 0 and (axis == nil or axis == -1) then return 1 end
    return axis_of(name, axis or -1, a.ndim)
  end

  -- ==== Order ======================================================================================================

  --> topk({3, 1, 2}, 2)
  def("topk(a: data, k: integer, axis?: integer|integer[]; largest?: boolean, sorted?: boolean) -> array, array",
    "The k largest elements along an axis (the last), the largest first, and their positions; with largest = false "
      .. "the smallest, the smallest first. Among equals the first come first; NaN is taken last.",
    function(a, k, axis, largest)
      a = core.asarray(a)
      axis = last("topk", a, axis)
      local n = a.ndim == 0 and 1 or a.shape[axis]
      k = common.whole("topk", "k", k, 0)
      if k > n then fail("topk", sformat("k is %d of %d elements; at most as many", k, n)) end
      if a.ndim == 0 then a = a:reshape(1) end
      local values, positions = core.top(a, k, axis, largest ~= false)
      if values then return values, positions end
      values, positions = core.sort_both(largest == false and a or core.opposite(a), axis)
      values, positions = along(values, axis, 1, k):copy(), along(positions, axis, 1, k):copy()
      return largest == false and values or core.opposite(values), positions
    end)

  --> sort_complex({3, 1, 2})
  def("sort_complex(a: data) -> array",
    "A sorted copy along the last axis, complex: by the real parts, then the imaginary ones.",
    function(a)
      a = core.asarray(a)
      if a.ndim == 0 then fail("sort_complex", "a 0-d array; wanted at least one axis") end
      local narrow = { int8 = true, uint8 = true, int16 = true, uint16 = true, complex64 = true }
      return core.sort(a:astype(narrow[a.dtype] and "complex64" or "complex128"), last("sort_complex", a))
    end)

  --> lexsort({{1, 1, 0}, {3, 2, 1}})
  def("lexsort(keys: data[], axis?: integer|integer[]) -> array",
    "Positions that sort by several keys, the last one first: a table of arrays of one " ..
    "shape, or the rows of an array.",
    function(keys, axis)
      local list = {}
      if core.is_array(keys) then
        if keys.ndim < 2 then fail("lexsort", sformat("%d axes of keys; 2 at least, a row a key", keys.ndim)) end
        local n = keys.shape[1]
        for k = 1, keys.size > 0 and n or math.min(n, 1) do list[k] = keys[k] end
      else
        for k, key in ipairs(common.type("lexsort", "keys", keys, "table")) do list[k] = core.asarray(key) end
      end
      if #list == 0 then fail("lexsort", "no keys; at least one") end
      local first = list[1]
      axis = last("lexsort", first, axis)
      for k = 2, #list do
        if not ma.same_shape(first, list[k]) then
          fail("lexsort", sformat("key %d has another shape than the first; one shape", k))
        end
      end
      local order = core.argsort(first, axis)
      if first.ndim == 0 then return order end
      for k = 2, #list do
        local again = core.argsort(ma.take_along_axis(list[k], order, axis), axis)
        order = ma.take_along_axis(order, again, axis)
      end
      return order
    end)

  -- ==== Search =====================================================================================================

  local function side_of(name, side)
    if side ~= nil and side ~= "left" and side ~= "right" then
      fail(name, sformat("%s for side; left or right", core.describe(side)))
    end
    return side == "right"
  end

  --> searchsorted({1, 3, 5}, {2, 5})
  def("searchsorted(a: data, v: data, side?: string, sorter?: array) -> array",
    "Positions, from 1, before which values go to keep a sorted: left of what is equal, or right of it.",
    function(a, v, side, sorter)
      a = beside(a, nil, v)
      local keys, values = alike(a, beside(v, nil, a))
      if sorter ~= nil then
        sorter = beside(sorter, nil, a)
        if not is.integer[sorter.dtype] then
          common.no_integers("searchsorted", sorter.dtype, "a sorter of integers")
        end
        sorter = sorter:astype("int64", { copy = false })
      end
      return core.search(keys, values, side_of("searchsorted", side), sorter)
    end)

  local FEW_BINS = 1024                  -- that the host looks at one by one

  --# reduce
  --> digitize({0.5, 1.5}, {0, 1, 2})
  def("digitize(x: data, bins: data, right?: boolean) -> array",
    "For each value the position of the first edge above it (right: not below it); bins ascend or descend. From 1, "
      .. "" ..
      "one past the end for what is above all.",
    function(x, bins, right)
      x = beside(x, nil, bins)
      bins = beside(bins, nil, x)
      if bins.ndim ~= 1 then fail("digitize", sformat("bins of %d axes; 1", bins.ndim)) end
      local n, way = bins.size, 1
      if n <= FEW_BINS and not ma.iscomplexobj(bins) then
        way = core.way(bins)
      elseif n > 1 then
        local left, after = neighbours(bins, 1)
        way = ma.less_equal(left, after):all() and 1 or ma.greater_equal(left, after):all() and -1 or 0
      end
      if way == 0 then fail("digitize", "bins that go up and down; ascending or descending ones") end
      local keys, values = alike(bins, x)
      if way > 0 then return core.search(keys, values, not right) end
      return n + 2 - core.search(ma.flip(keys), values, not right)
    end)

  -- ==== Distinct elements ==========================================================================================

  --- The results of unique for sorted elements or rows. `changes` tells which ones differ from the one before, `order`
  --- gives the original positions.
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
        lengths[{ { 1, m - 1 } }] = ma.diff(starts)
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

  --- The positions that sort the rows of a matrix: stable sorts by each column, from the last one on.
  local function order_of_rows(rows, n, m)
    local order = ma.range(1, n, { device = rows.device })
    for k = n > 1 and m or 0, 1, -1 do order = order:take(core.argsort(rows[{ {}, k }]:take(order), 1)) end
    return order
  end

  --- Unique slices along an axis, sorted by their first elements, then their second ones, and so on. NaN differs from
  --- NaN, as in NumPy.
  local function unique_along(a, axis, index, inverse, counts)
    local moved = ma.moveaxis(a, axis, 1)
    local shape = moved.shape
    local n, m = shape[1], common.product(shape, 2)
    local rows = moved:reshape(n, m)
    local order = order_of_rows(rows, n, m)
    local sorted = rows:take(order, 1)
    local changes = ma.zeros(n, { dtype = "bool", device = a.device })
    if n > 0 then
      changes[1] = true
      changes[{ { 2, n } }] = ma.not_equal(neighbours(sorted, 1)):any(2)
    end
    local results = distinct(sorted, order, changes, n, index, inverse, counts)
    shape[1] = results[1].shape[1]
    results[1] = ma.moveaxis(results[1]:reshape(shape), 1, axis)
    return unpack(results)
  end

  --# sort
  --> unique({3, 1, 3})
  def("unique(a: data, return_index?: boolean, return_inverse?: boolean, return_counts?: boolean, "
    .. "axis?: integer|integer[]; equal_nan?: boolean) -> array, array?, array?, array?",
    "The distinct elements (with axis: slices along it), sorted; on demand where each is first, where all are " ..
      "among them, how often each occurs. Waits.",
    function(a, index, inverse, counts, axis, equal_nan)
      a = core.asarray(a)
      if axis == nil then return unique(a, index, inverse, counts, equal_nan) end
      axis = axis_of("unique", axis, a.ndim)
      if a.ndim == 1 then return unique(a, index, inverse, counts, equal_nan) end
      return unique_along(a, axis, index, inverse, counts)
    end)

  --> unique_all({3, 1, 3})
  def("unique_all(x: data) -> array, array, array, array",
    "The distinct elements, positions of the first of each, positions of all among them, and counts.",
    function(a) return unique(core.asarray(a), true, true, true, false) end)
  --> unique_counts({3, 1, 3})
  def("unique_counts(x: data) -> array, array", "The distinct elements and how often each occurs.",
    function(a) return unique(core.asarray(a), false, false, true, false) end)
  --> unique_inverse({3, 1, 3})
  def("unique_inverse(x: data) -> array, array", "The distinct elements and the position of each element among them.",
    function(a) return unique(core.asarray(a), false, true, false, false) end)
  --> unique_values({3, 1, 3})
  def("unique_values(x: data) -> array", "The distinct elements.",
    function(a) return unique(core.asarray(a), false, false, false, false) end)

  -- ==== Sets =======================================================================================================

  local FEW = 8                                                        -- keys that a search is not worth

  local function isin(element, test, invert)
    local shape = element.shape
    local x, keys = alike(element, ma.ravel(beside(test, nil, element)))
    if keys.size == 0 then return ma.full_like(element, invert or false, { dtype = "bool" }) end
    if keys.size <= FEW then                                           -- one pass of comparisons
      local found
      for k = 1, keys.size do
        local same = ma.equal(x, along(keys, 1, k, k):squeeze())
        found = found and found + same or same
      end
      return invert and ma.logical_not(found) or found
    end
    local mask = core.member(x, keys, invert)
    if mask then return mask end
    keys = core.sort(keys, 1)
    local place = ma.minimum(core.search(keys, x, false), keys.size)
    local found = ma.take(keys, place):reshape(shape)
    if invert then return ma.not_equal(found, x) end
    return ma.equal(found, x)
  end

  --> isin({1, 2, 3}, {2, 3})
  def("isin(element: data, test_elements: data, assume_unique?: boolean, invert?: boolean, kind?: string) -> array",
    "Which elements are among the others (invert: are not).",
    function(element, test, _, invert) return isin(beside(element, nil, test), test, invert) end)

  --> in1d({1, 2, 3}, {2, 3})
  def("in1d(ar1: data, ar2: data, assume_unique?: boolean, invert?: boolean) -> array", "isin of the flattened array.",
    function(a, test, _, invert) return isin(ma.ravel(beside(a, nil, test)), test, invert) end)

  local function flat_pair(a, b)
    a = beside(a, nil, b)
    return alike(ma.ravel(a), ma.ravel(beside(b, nil, a)))
  end

  --> union1d({1, 2}, {2, 3})
  def("union1d(ar1: data, ar2: data) -> array", "The distinct elements of both, sorted.",
    function(a, b)
      a, b = flat_pair(a, b)
      return (unique(concatenate { a, b }))
    end)

  --> intersect1d({1, 2, 3}, {2, 3, 4})
  def("intersect1d(ar1: data, ar2: data, assume_unique?: boolean, return_indices?: boolean) -> array, array?, array?",
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
      if sorted.size < 2 then
        local none = ma.empty_like(order, { shape = 0 })
        if indices then return along(sorted, 1, 1, 0), none, none end
        return along(sorted, 1, 1, 0)
      end
      local one, next_one = neighbours(sorted, 1)
      local same = ma.equal(one, next_one)
      local values = one[same]
      if not indices then return values end
      local first, second = neighbours(order, 1)
      first, second = first[same], second[same] - n
      if not assume_unique then first, second = at_a:take(first), at_b:take(second) end
      return values, first, second
    end)

  --> setdiff1d({1, 2, 3}, {2})
  def("setdiff1d(ar1: data, ar2: data, assume_unique?: boolean) -> array",
    "The elements of the first that the second has not: distinct and sorted, unless they are distinct already.",
    function(a, b, assume_unique)
      a = ma.ravel(beside(a, nil, b))
      if not assume_unique then a = unique(a) end
      return a[isin(a, b, true)]
    end)

  --> setxor1d({1, 2}, {2, 3})
  def("setxor1d(ar1: data, ar2: data, assume_unique?: boolean) -> array",
    "The distinct elements that one has and the other has not, sorted.",
    function(a, b, assume_unique)
      a, b = flat_pair(a, b)
      if not assume_unique then a, b = unique(a), unique(b) end
      local sorted = core.sort(concatenate { a, b }, 1)
      local n = sorted.size
      if n < 2 then return sorted end
      local alone = ma.ones_like(sorted, { dtype = "bool" })
      local differ = ma.not_equal(neighbours(sorted, 1))
      local before, after = alone:copy(), alone:copy()
      before[{ { 2, n } }] = differ
      after[{ { 1, n - 1 } }] = differ
      return sorted[before * after]
    end)
end
