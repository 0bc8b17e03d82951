--- Peaks: local maxima with their heights, prominences and widths, and relative extremes. Positions are 1-based.

local sformat, ceil, max, min = require("moonarray.text").format, math.ceil, math.max, math.min
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is
  local along = shared.along

  local function signal_of(name, x) return shared.real(name, shared.vector(name, "x", x)) end

  --- Positions of peaks as int64 beside x, inside of it.
  local function positions(name, x, peaks)
    peaks = is_array(peaks) and peaks or core.asarray(peaks, { dtype = "int64", device = x.device })
    if peaks.ndim ~= 1 or not is.integer[peaks.dtype] then
      fail(name, sformat("peaks are %s; wanted a vector of positions", core.describe(peaks)))
    end
    peaks = core.contiguous(peaks:astype("int64", { copy = false }))
    if peaks.size == 0 then return peaks end
    local least, most = ma.item(peaks:min(), peaks:max())
    least, most = tonumber(least), tonumber(most)
    if least < 1 or most > x.size then
      fail(name, sformat("position %d in a signal of %d elements", least < 1 and least or most, x.size))
    end
    return peaks
  end

  local function empty(x, dtype) return ma.zeros(0, { dtype = dtype, device = x.device }) end

  local function window_length(name, wlen)
    if wlen == nil then return 0 end
    if common.number(name, "wlen", wlen) <= 1 then fail(name, sformat("wlen is %g; wanted more than 1", wlen)) end
    return ceil(wlen)
  end

  local function wide(x) return core.contiguous(x:astype("float64", { copy = false })) end

  local function prominences_of(x, peaks, wlen)
    if peaks.size == 0 then return empty(x, "float64"), empty(x, "int64"), empty(x, "int64") end
    return core.signal_prominences(wide(x), peaks, wlen)
  end

  local function widths_of(x, peaks, part, prominences, left, right)
    if peaks.size == 0 then
      return empty(x, "float64"), empty(x, "float64"), empty(x, "float64"), empty(x, "float64")
    end
    return core.signal_widths(wide(x), peaks, part, prominences, left, right)
  end

  --> signal.peak_prominences: (ma.signal.peak_prominences({1, 3, 2, 4, 1}, {2, 4}))
  def("signal.peak_prominences(x: data, peaks: data, wlen?: number) -> array, array, array",
    "How far each peak stands out from its surroundings, of at most wlen "
    .. "elements, and the positions of the lowest elements on its left and right.",
    function(x, peaks, wlen)
      local name = "signal.peak_prominences"
      x = signal_of(name, x)
      return prominences_of(x, positions(name, x, peaks), window_length(name, wlen))
    end)

  --> signal.peak_widths: (ma.signal.peak_widths({1, 3, 2, 4, 1}, {2, 4}))
  def("signal.peak_widths(x: data, peaks: data, rel_height?: number, prominence_data?: table, "
    .. "wlen?: number) -> array, array, array, array", "Widths of peaks at the part rel_height "
    .. "(0.5) of their prominence below them, the heights there, and the positions, with fractions, of both sides. "
    .. "prominence_data: a list of what peak_prominences gives.",
    function(x, peaks, rel_height, data, wlen)
      local name = "signal.peak_widths"
      x = signal_of(name, x)
      peaks = positions(name, x, peaks)
      rel_height = common.number(name, "rel_height", rel_height or 0.5)
      if rel_height < 0 then fail(name, sformat("rel_height is %g; wanted 0 or more", rel_height)) end
      if data == nil then
        data = { prominences_of(x, peaks, window_length(name, wlen)) }
      else
        common.type(name, "prominence_data", data, "table")
        data = { core.asarray(data[1], { device = x.device }):astype("float64"), positions(name, x, data[2]),
          positions(name, x, data[3]) }
        for k = 1, 3 do
          if data[k].size ~= peaks.size then
            fail(name, sformat("%d prominences or bases of %d peaks; wanted as many", data[k].size, peaks.size))
          end
          data[k] = core.contiguous(data[k])
        end
      end
      return widths_of(x, peaks, rel_height, data[1], data[2], data[3])
    end)

  --- The middles and both ends of stretches of equal elements that are higher than the elements beside them. Waits for
  --- their number.
  local function local_maxima(x)
    if x.device == "cpu" then
      local dtype = x.dtype
      if dtype ~= "int64" and dtype ~= "uint64" and dtype ~= "float64" then x = x:astype("float64") end
      local middle, left, right = core.signal_maxima(core.contiguous(x))
      return middle, left or middle, right or middle
    end
    local n = x.size
    if n < 3 then return empty(x, "int64"), empty(x, "int64"), empty(x, "int64") end
    local before, here, behind = x[{ { 1, n - 2 } }], x[{ { 2, n - 1 } }], x[{ { 3, n } }]
    if not here:eq(behind):any() then                      -- no element equals the one before it: each is a stretch
      local peaks = ma.nonzero(here:gt(before) * here:gt(behind)) + 1
      return peaks, peaks, peaks
    end
    local begins = ma.concatenate({ ma.ones(1, { dtype = "bool", device = x.device }),
      x[{ { 2, n } }]:ne(x[{ { 1, n - 1 } }]) })
    local first = ma.nonzero(begins)
    local m = first.size
    if m < 3 then return empty(x, "int64"), empty(x, "int64"), empty(x, "int64") end
    local value = x:take(first)
    here = value[{ { 2, m - 1 } }]
    local above = here:gt(value[{ { 1, m - 2 } }]) * here:gt(value[{ { 3, m } }])
    local left = first[{ { 2, m - 1 } }][above]
    local right = first[{ { 3, m } }][above] - 1
    return ma.floor_divide(left + right, 2), left, right
  end

  --- The bounds that a condition gives: a least value, or {least, most}, each a number, an array or nil.
  local function bounds(name, what, condition)
    if type(condition) == "number" then return condition, nil end
    if is_array(condition) then return condition, nil end
    if type(condition) ~= "table" then
      fail(name, sformat("%s is %s; wanted a number or {least, most}", what, core.describe(condition)))
    end
    return condition[1], condition[2]
  end

  --- Which of the peaks a condition keeps, or nil: all of them. A bound in an array has an element for each sample.
  local function within(name, what, condition, property, x, peaks)
    local least, most = bounds(name, what, condition)
    local keep
    local function bound(v)
      if not is_array(v) then return common.number(name, what, v) end
      if v.size ~= x.size then fail(name, sformat("%d bounds in %s; wanted %d", v.size, what, x.size)) end
      return v:take(peaks)
    end
    if least ~= nil then keep = property:ge(bound(least)) end
    if most ~= nil then
      local below = property:le(bound(most))
      keep = keep and keep * below or below
    end
    return keep
  end

  --- Keeps the highest ones of peaks that are nearer than a distance. The host looks at one after the other.
  local function apart(peaks, heights, distance)
    local order = core.argsort(core.contiguous(heights), 1)
    return core.signal_apart(peaks:to("cpu"), order:to("cpu"), distance):to(peaks.device)
  end

  local ABOUT = "Positions of local maxima that fulfil all conditions that are given, and a table of what these "
    .. "measured: peak_heights, left_thresholds and right_thresholds, prominences with left_bases and right_bases, "
    .. "widths with width_heights, left_ips and right_ips, plateau_sizes with left_edges and right_edges; heights, "
    .. "thresholds, prominences and widths are float64. A condition is a least value or {least, most}; {} measures "
    .. "alone. Peaks nearer than `distance` give way to the highest."

  --> signal.find_peaks: (ma.signal.find_peaks({1, 3, 2, 4, 1}))
  def("signal.find_peaks(x: data, height?: number|number[]|array, threshold?: number|number[]|array, "
    .. "distance?: integer, prominence?: number|number[]|array, width?: number|number[]|array, wlen?: number, "
    .. "rel_height?: number, plateau_size?: number|number[]|array) -> array, table",
    ABOUT, function(x, height, threshold, distance, prominence, width, wlen, rel_height, plateau)
      local name = "signal.find_peaks"
      x = signal_of(name, x)
      if distance ~= nil and common.number(name, "distance", distance) < 1 then
        fail(name, sformat("distance is %g; wanted 1 or more", distance))
      end
      wlen = window_length(name, wlen)
      rel_height = common.number(name, "rel_height", rel_height or 0.5)
      local peaks, left, right = local_maxima(x)
      local found = {}
      local function select(keep)
        if keep == nil then return end
        peaks = peaks[keep]
        for key, list in pairs(found) do found[key] = list[keep] end
      end
      if plateau ~= nil then
        found.plateau_sizes, found.left_edges, found.right_edges = right - left + 1, left, right
        select(within(name, "plateau_size", plateau, found.plateau_sizes, x, peaks))
      end
      if height ~= nil then
        found.peak_heights = x:take(peaks):astype("float64")
        select(within(name, "height", height, found.peak_heights, x, peaks))
      end
      if threshold ~= nil then
        local function at(places) return x:take(places):astype("float64") end
        local top = at(peaks)
        found.left_thresholds, found.right_thresholds = top - at(peaks - 1), top - at(peaks + 1)
        local least, most = bounds(name, "threshold", threshold)
        if least ~= nil then
          local both = ma.minimum(found.left_thresholds, found.right_thresholds)
          select(within(name, "threshold", { least }, both, x, peaks))
        end
        if most ~= nil then
          local both = ma.maximum(found.left_thresholds, found.right_thresholds)
          select(within(name, "threshold", { nil, most }, both, x, peaks))
        end
      end
      if distance ~= nil and peaks.size > 0 then select(apart(peaks, x:take(peaks), ceil(distance))) end
      if prominence ~= nil or width ~= nil then
        found.prominences, found.left_bases, found.right_bases = prominences_of(x, peaks, wlen)
      end
      if prominence ~= nil then select(within(name, "prominence", prominence, found.prominences, x, peaks)) end
      if width ~= nil then
        found.widths, found.width_heights, found.left_ips, found.right_ips = widths_of(x, peaks, rel_height,
          found.prominences, found.left_bases, found.right_bases)
        select(within(name, "width", width, found.widths, x, peaks))
      end
      return peaks, found
    end)

  -- ==== Relative extremes ==========================================================================================

  --- The array shifted along an axis, with the element at the end repeated, or from the other end.
  local function shifted(a, axis, shift, mode)
    local n = a.shape[axis]
    if mode == "wrap" then return ma.roll(a, -shift, axis) end
    local size = min(math.abs(shift), n)
    local shape = a.shape
    shape[axis] = size
    local edge = shift > 0 and n or 1
    local ends = along(a, axis, edge, edge):broadcast_to(shape)
    if size == n then return ends end
    local rest = shift > 0 and along(a, axis, size + 1, n) or along(a, axis, 1, n - size)
    return ma.concatenate(shift > 0 and { rest, ends } or { ends, rest }, axis)
  end

  local function extremes(name, data, comparator, axis, order, mode)
    local a = core.asarray(data)
    if a.ndim == 0 then fail(name, "a 0-d array; wanted at least one axis") end
    axis = common.axis(name, axis or 1, a.ndim)
    order = common.whole(name, "order", order or 1, 1)
    mode = shared.choice(name, "mode", mode or "clip", "clip", "wrap")
    local found
    local function holds(x, y)
      local result = comparator(x, y)
      if not is_array(result) then
        fail(name, sformat("comparator gives %s; wanted an array, as ma.greater gives", core.describe(result)))
      end
      return result
    end
    -- An element at an end is no strict extreme, and neighbours beyond the end repeat the element there.
    if order == 1 and mode == "clip" and (comparator == ma.greater or comparator == ma.less) and a.shape[axis] > 2 then
      local n = a.shape[axis]
      local here = along(a, axis, 2, n - 1)
      local inside = { ma.nonzero(holds(here, along(a, axis, 1, n - 2)) * holds(here, along(a, axis, 3, n))) }
      inside[axis]:iadd(1)
      return unpack(inside)
    end
    for shift = 1, a.size > 0 and max(1, min(order, a.shape[axis])) or 0 do
      local both = holds(a, shifted(a, axis, shift, mode)) * holds(a, shifted(a, axis, -shift, mode))
      found = found and found * both or both
    end
    return ma.nonzero(found or ma.zeros(a.shape, { dtype = "bool", device = a.device }))
  end

  local FORM = " along an axis (the first): `order` of them on both sides; mode 'clip' repeats the ends, 'wrap' goes "
    .. "on at the other one. Positions as ma.nonzero gives them."

  --> signal.argrelextrema({1, 3, 2, 4, 1}, ma.greater)
  def("signal.argrelextrema(data: data, comparator: function, axis?: integer|integer[], order?: integer, "
    .. "mode?: string) -> array",
    "Where a comparison of two arrays, such as ma.greater, holds against all neighbours" .. FORM,
    function(data, comparator, axis, order, mode)
      local name = "signal.argrelextrema"
      return extremes(name, data, common.callable(name, "comparator", comparator), axis, order, mode)
    end)
  --> signal.argrelmax({1, 3, 2, 4, 1})
  --> signal.argrelmin({1, 3, 2, 4, 1})
  for name, word in pairs { ["signal.argrelmax"] = "greater", ["signal.argrelmin"] = "less" } do
    def(name .. "(data: data, axis?: integer|integer[], order?: integer, mode?: string) -> array",
      sformat("Where elements are %s than their neighbours", word) .. FORM,
      function(data, axis, order, mode) return extremes(name, data, ma[word], axis, order, mode) end)
  end
end
