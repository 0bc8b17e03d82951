--- pad: an array with a border, by NumPy's modes: the elements are copied once, and a mode gives what is written
--- around them, axis by axis: numbers, views, elements at positions folded back, or what it computes from the edges.
--# shape

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local along = common.along

  --- Reads a number, {before, after} for all axes, or {{before, after}, ...} for each, as two lists by axis.
  local function pairs_of(what, value, ndim, least)
    local before, after = {}, {}
    local function check(x)
      if type(x) ~= "number" or (least and (x ~= floor(x) or x < least)) then
        fail("pad", sformat("%s holds %s; %s", what, common.shown(x), least and "whole numbers from 0 on" or "numbers"))
      end
      return x
    end
    for d = 1, ndim do
      local own = value
      if type(value) == "table" and type(value[1]) == "table" then
        if #value ~= 1 and #value ~= ndim then
          fail("pad", sformat("%d pairs in %s for %d axes; one pair an axis", #value, what, ndim))
        end
        own = value[d] or value[1]
      end
      if type(own) == "table" then before[d], after[d] = check(own[1]), check(own[2] or own[1])
      else before[d], after[d] = check(own), check(own) end
    end
    return before, after
  end

  --- A dictionary of widths by axis as a list of pairs, {0, 0} where it has none; a list stays. A table is a dictionary
  --- if it has keys that no list has: {[2] = {1, 1}}, {[-1] = 3}.
  local function widths_of(width, ndim)
    if type(width) ~= "table" or core.is_array(width) then return width end
    local count = 0
    for _ in pairs(width) do count = count + 1 end
    if count == 0 or count == #width then return width end
    local pairs_, named = {}, {}
    for d = 1, ndim do pairs_[d] = { 0, 0 } end
    for axis, own in pairs(width) do
      local d = common.axis("pad", axis, ndim)
      if named[d] then fail("pad", sformat("axis %d twice in pad_width", d)) end
      if type(own) ~= "number" and (type(own) ~= "table" or #own ~= 2) then
        fail("pad", sformat("pad_width of axis %d is %s; a number or {before, after}", d, core.describe(own)))
      end
      named[d], pairs_[d] = true, type(own) == "number" and { own, own } or own
    end
    return pairs_
  end

  --- For each mode: positions p (0 for the first element, any sign) folded into 0 .. n-1.
  local folds = {
    wrap = function(p, n) return p % n end,
    symmetric = function(p, n)
      local q = p % (2 * n)
      return ma.minimum(q, 2 * n - 1 - q)
    end,
    reflect = function(p, n)
      if n == 1 then return p * 0 end
      local q = p % (2 * n - 2)
      return ma.minimum(q, 2 * n - 2 - q)
    end,
  }

  --- For each mode the first and the last of the n elements that make a border, at the front or the back, if none is
  --- needed twice; and whether they are turned round.
  local nearest = {
    edge = function(n, front)
      local at = front and 1 or n
      return at, at
    end,
    wrap = function(n, front, width)
      if width > n then return nil end
      if front then return n - width + 1, n end
      return 1, width
    end,
    symmetric = function(n, front, width)
      if width > n then return nil end
      if front then return 1, width, true end
      return n - width + 1, n, true
    end,
    reflect = function(n, front, width)
      if width >= n then return nil end
      if front then return 2, width + 1, true end
      return n - width, n - 1, true
    end,
  }

  --- An array of the final shape around the elements, the place of the elements in it, and its shape.
  local function frame(a, before, after)
    local shape, total, inner = a.shape, {}, {}
    for d = 1, a.ndim do
      total[d] = before[d] + shape[d] + after[d]
      inner[d] = { before[d] + 1, before[d] + shape[d] }
    end
    local result = ma.empty(total, { dtype = a.dtype, device = a.device })
    result[inner] = a
    return result, inner, total
  end

  --- An index of the padded array: a range along axis d, everything along the axes before it, and along the axes behind
  --- it only what lies between the borders. So the slabs of later axes cover the corners.
  local function slab(inner, d, range)
    local index = {}
    for k = 1, #inner do index[k] = k < d and {} or inner[k] end
    index[d] = range
    return index
  end

  --- Writes the borders along axis d: numbers, or arrays that broadcast.
  local function put(result, inner, d, total, front, back)
    local lo, hi = inner[d][1], inner[d][2]
    if lo > 1 then result[slab(inner, d, { 1, lo - 1 })] = front end
    if hi < total[d] then result[slab(inner, d, { hi + 1, total[d] })] = back end
  end

  local function pad_constant(a, before, after, values)
    local low, high = pairs_of("constant_values", values or 0, a.ndim)
    local result, inner, total = frame(a, before, after)
    for d = 1, a.ndim do put(result, inner, d, total, low[d], high[d]) end
    return result
  end

  -- ==== Reflected ==================================================================================================

  --- Twice the edge less elements, in the array's dtype; bools are integers, as in NumPy.
  local function about(edge, elements)
    local dtype = elements.dtype
    if dtype ~= "bool" then return edge * 2 - elements end
    return (edge:astype("int64") * 2 - elements:astype("int64")):astype(dtype)
  end

  --- The array mirrored about the values of its edges. Each step makes it at most three times as long. Only whole
  --- periods of the first `extent` elements are mirrored, so that the border goes on as an endless one would.
  local function reflect_odd(a, d, before, after, with_edge)
    local extent = a.shape[d]
    local shift, period = with_edge and 1 or 0, with_edge and extent or extent - 1
    local low, high = before, after                              -- elements that are missing
    while low > 0 or high > 0 do
      local n = a.shape[d]
      local most = with_edge and floor(n / period) * period or floor((n - 1) / period) * period
      local left, right = math.min(most, low), math.min(most, high)
      local parts = { a }
      if left > 0 then
        table.insert(parts, 1, about(along(a, d, 1, 1), along(a, d, 2 - shift, left + 1 - shift):flip(d)))
      end
      if right > 0 then
        parts[#parts + 1] = about(along(a, d, n, n), along(a, d, n + shift - right, n - 1 + shift):flip(d))
      end
      a = ma.concatenate(parts, { axis = d, dtype = a.dtype })
      low, high = low - left, high - right
    end
    return along(a, d, 1, before), along(a, d, before + extent + 1, before + extent + after)
  end

  -- ==== From the edges =============================================================================================

  --- The borders of an array along an axis, in front and behind, each made by part(front, width).
  local function both(before, after, part)
    return before > 0 and part(true, before) or nil, after > 0 and part(false, after) or nil
  end

  local function pad_fold(mode, odd)
    local near, fold = nearest[mode], folds[mode]
    return function(a, d, before, after)
      local n = a.shape[d]
      if odd and n > 1 then return reflect_odd(a, d, before, after, mode == "symmetric") end
      return both(before, after, function(front, width)
        local lo, hi, turned = near(n, front, width)
        if lo then
          local part = along(a, d, lo, hi)
          return turned and part:flip(d) or part
        end
        local first = front and -width or n
        return a:take(fold(ma.range(first, first + width - 1, { device = a.device }), n) + 1, d)
      end)
    end
  end

  local function pad_ramp(values, ndim)
    local low, high = pairs_of("end_values", values or 0, ndim)
    return function(a, d, before, after)
      local n = a.shape[d]
      return both(before, after, function(front, width)
        local edge = front and along(a, d, 1, 1) or along(a, d, n, n)
        local ramp = ma.linspace(front and low[d] or high[d], edge:squeeze(d),
          { num = width, endpoint = false, dtype = a.dtype, axis = d })
        return front and ramp or ramp:flip(d)
      end)
    end
  end

  local statistics = {
    maximum = function(x, d) return ma.max(x, d, { keepdims = true }) end,
    minimum = function(x, d) return ma.min(x, d, { keepdims = true }) end,
    mean = function(x, d) return ma.mean(x, d, { keepdims = true }) end,
    median = function(x, d) return ma.median(x, { axis = d, keepdims = true }) end,
  }

  local function pad_statistic(mode, stat_length, ndim)
    local low, high = nil, nil
    if stat_length ~= nil then low, high = pairs_of("stat_length", stat_length, ndim, 0) end
    local statistic = statistics[mode]
    return function(a, d, before, after)
      local n = a.shape[d]
      local left, right = math.min(low and low[d] or n, n), math.min(high and high[d] or n, n)
      if (left == 0 or right == 0) and (mode == "maximum" or mode == "minimum") then
        fail("pad", sformat("stat_length is 0, of which there is no %s; 1 or more", mode))
      end
      return both(before, after, function(front)
        local value = statistic(front and along(a, d, 1, left) or along(a, d, n - right + 1, n), d)
        if is.integer[a.dtype] then value = ma.round(value) end
        return value:astype(a.dtype, { copy = false })
      end)
    end
  end

  -- ==== By a function ==============================================================================================

  --- Calls fn(vector, widths, axis), which changes the vector, for each vector of the array padded with zeros, one axis
  --- after another.
  local function pad_by(fn, a, before, after)
    local result = pad_constant(a, before, after, 0)
    for d = 1, a.ndim do
      for vector in common.vectors(result:moveaxis(d, -1)) do fn(vector, { before[d], after[d] }, d) end
    end
    return result
  end

  -- ==== pad ========================================================================================================

  local takes = {                                        -- the option of each mode
    constant = "constant_values", linear_ramp = "end_values", maximum = "stat_length", mean = "stat_length",
    median = "stat_length", minimum = "stat_length", reflect = "reflect_type", symmetric = "reflect_type",
    edge = "", wrap = "", empty = "",
  }
  local modes = "constant, edge, linear_ramp, maximum, mean, median, minimum, reflect, symmetric, wrap, empty or a "
    .. "function"

  local function check_options(mode, options)
    for option in pairs(options) do
      if takes[mode] ~= option then
        fail("pad", sformat("%s with mode '%s'; %s", option, mode, takes[mode] == "" and "no such "
          .. "option" or takes[mode]))
      end
    end
    local kind = options.reflect_type
    if kind ~= nil and kind ~= "even" and kind ~= "odd" then
      fail("pad", sformat("%s for reflect_type; 'even' or 'odd'", core.describe(kind)))
    end
  end

  --- Returns fn(a, axis, before, after), which gives the borders along one axis, or what broadcasts to them.
  local function along_axis(mode, options, ndim)
    if mode == "linear_ramp" then return pad_ramp(options.end_values, ndim) end
    if statistics[mode] then return pad_statistic(mode, options.stat_length, ndim) end
    return pad_fold(mode, options.reflect_type == "odd")
  end

  --> pad({1, 2}, 1)
  core.def("pad(a: data, pad_width: integer|integer[]|integer[][], mode?: string|function, "
    .. "constant_values?: data; end_values?: data, stat_length?: integer|integer[], reflect_type?: string) -> array",
    "The array with a border, of its dtype. Widths: n, {before, after}, a pair an axis, or by axis as in "
      .. "{[-1] = {1, 2}}; what an option gives is of the first three forms. The border is of "
      .. "constant_values (0); \"edge\" repeats the edges; \"linear_ramp\" goes "
      .. "down evenly from them to end_values (0); \"maximum\", \"mean\", \"median\" and \"minimum\" are of all "
      .. "elements along the axis, or of the stat_length next to the border; \"reflect\" mirrors the array at its "
      .. "edges, \"symmetric\" behind them, with reflect_type \"odd\" about the edges' values; \"wrap\" begins it "
      .. "anew; \"empty\" leaves the border unset; a function(vector, widths, axis) changes each vector of the array "
      .. "with zeros around it.",
    function(a, width, mode, constant_values, end_values, stat_length, reflect_type)
      a = core.asarray(a)
      mode = mode or "constant"
      local before, after = pairs_of("pad_width", widths_of(width, a.ndim), a.ndim, 0)
      if not core.is_array(mode) and core.is_callable(mode) then return pad_by(mode, a, before, after) end
      if not takes[mode] then fail("pad", sformat("%s for mode; %s", common.shown(mode), modes)) end
      local options = { constant_values = constant_values, end_values = end_values, stat_length = stat_length,
        reflect_type = reflect_type }
      check_options(mode, options)
      if a.ndim == 0 then return a:copy() end
      if mode == "constant" then return pad_constant(a, before, after, constant_values) end
      if mode == "empty" then return (frame(a, before, after)) end
      local borders, result, inner, total = along_axis(mode, options, a.ndim), frame(a, before, after)
      for d = 1, a.ndim do
        if before[d] + after[d] > 0 then
          if a.shape[d] == 0 then fail("pad", sformat("axis %d is empty; modes 'constant' and 'empty' alone pad "
            .. "it", d)) end
          put(result, inner, d, total, borders(result[slab(inner, d, inner[d])], d, before[d], after[d]))
        end
      end
      return result
    end)
end
