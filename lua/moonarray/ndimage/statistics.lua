--- Measurements of the elements of an image that have each label. Each result comes from one scatter or one sort, so
--- labels are not looked at one after the other.
--# ndimage_measure

local sformat = require("moonarray.text").format
local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

return function(ma, core, shared)
  local def, fail, is_array = core.def, core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local is = common.is

  -- ==== Groups =====================================================================================================

  --- Numbers that follow one another, from a table or an array of the CPU: the first one, else nil. An array of a GPU
  --- is not looked at, since that would wait.
  local function consecutive(index)
    if is_array(index) then
      if index.device ~= "cpu" or index.size == 0 or not is.integer[index.dtype] then return nil end
      index = index:ravel()
      local first = tonumber(index[1])
      return ma.array_equal(index, ma.range(first, first + index.size - 1, { device = "cpu" })) and first or nil
    end
    for k = 1, #index do
      if type(index[k]) ~= "number" or index[k] ~= index[1] + k - 1 then return nil end
    end
    return index[1] ~= nil and index[1] == math.floor(index[1]) and index[1] or nil
  end

  --- Sets g.keys and g.first, so that the elements of group k are those whose key is g.first + k - 1, and g.n, the
  --- number of groups. Returns the group of each entry of `index` if that is not its place.
  local function set_keys(g, labels, index)
    g.n = is_array(index) and index.size or #index
    local whole = labels.dtype == "bool" or is.integer[labels.dtype]
    local first = whole and labels.dtype ~= "uint64" and consecutive(index)
    if first then
      g.keys = labels.dtype == "int32" and labels or labels:astype("int64", { copy = false })
      g.first = first
      return nil
    end
    local wanted = (is_array(index) and index or ma.array(index, { device = labels.device })):ravel()
    wanted, labels = common.alike(wanted:to(labels.device), labels)
    local sorted = ma.sort(wanted)
    local at = ma.searchsorted(sorted, labels)
    g.first = 1
    if g.n == 0 then g.keys = at
    else g.keys = ma.where(sorted:take(ma.minimum(at, g.n)):eq(labels), at, g.n + 1) end
    return ma.searchsorted(sorted, wanted)
  end

  --- The group of each element, as 1 .. n, or n + 1 for none.
  local function group_of(g)
    if g.group then return g.group end
    if not g.keys then
      g.group = ma.ones(g.values.shape, { dtype = "int64", device = g.values.device })
    else
      local at = g.keys:astype("int64", { copy = false }) - (g.first - 1)
      g.group = ma.where(at:ge(1):and_(at:le(g.n)), at, g.n + 1)
    end
    return g.group
  end

  --- The results of one group without the axis of groups.
  local function single(r) return r:reshape { unpack(r.shape, 2) } end

  --- The elements and their groups: `values` and `keys` have one axis, `image` and `shape` are the image's. `pick(r)`
  --- puts results of n groups into the shape of `index`. Without labels, or without an index, all is one group.
  local function groups(name, input, labels, index, real)
    local image = real and shared.real_image(name, input) or shared.image(name, input)
    local g = { image = image, shape = image.shape, n = 1, pick = single }
    if labels == nil then
      if index ~= nil then fail(name, "an index without labels; wanted both") end
      g.values = image:ravel()
      return g
    end
    labels = shared.real_image(name, labels):to(image.device)
    local ok, shape = pcall(ma.broadcast_shapes, image.shape, labels.shape)
    if not ok then
      fail(name, sformat("labels %s beside an image %s; wanted shapes that broadcast", common.shape_text(labels),
        common.shape_text(image)))
    end
    g.shape, g.image = shape, image:broadcast_to(shape)
    labels = labels:broadcast_to(shape):ravel()
    g.values = g.image:ravel()
    if index == nil then
      g.keys, g.first = labels:gt(0):astype("int32"), 1
      return g
    end
    local out = {}
    if is_array(index) then out = index.shape
    elseif type(index) == "table" then
      if #index > 0 and type(index[1]) == "table" then index = ma.array(index, { device = image.device }) end
      out = is_array(index) and index.shape or { #index }
    elseif type(index) == "number" then index = { index }
    else fail(name, sformat("index is %s; wanted a label, a table or an array of labels", core.describe(index))) end
    local places = set_keys(g, labels, index)
    function g.pick(r)
      if places then r = ma.take(r, places, 1) end
      local whole = {}
      for d = 1, #out do whole[d] = out[d] end
      for d = 2, r.ndim do whole[#whole + 1] = r.shape[d] end
      return r:reshape(whole)
    end
    return g
  end

  --- Values as the core adds them up.
  local function floats(values)
    return values.dtype == "float32" and values or values:astype("float64", { copy = false })
  end

  --- The sum of each group's elements, in a dtype that has room for it. Complex numbers and whole ones have no sums of
  --- the core's own.
  local function add_up(g, values, dtype)
    if not g.keys then return ma.sum(values, { dtype = dtype }):reshape(1) end
    if dtype == "float64" then return core.groups(g.keys, g.first, g.n, floats(values)) end
    if g.n == 1 then return ma.sum(ma.where(g.keys:eq(g.first), values, 0), { dtype = dtype }):reshape(1) end
    local sums = ma.zeros(g.n + 1, { dtype = dtype, device = values.device })
    if values.size > 0 then sums:iadd_at(group_of(g), values:astype(dtype, { copy = false })) end
    return sums[{ { 1, g.n } }]
  end

  local function counts_of(g)
    if g.counts then return g.counts end
    if not g.keys then g.counts = ma.full(1, g.values.size, { dtype = "int64", device = g.values.device })
    else g.counts = core.groups(g.keys, g.first, g.n):astype("int64") end
    return g.counts
  end

  --- A result of groups for each element.
  local function spread(g, r)
    if not g.keys then return r end
    local wide = ma.concatenate { r, ma.zeros(1, { dtype = r.dtype, device = r.device }) }
    return ma.take(wide, group_of(g))
  end

  local function float_of(values)
    return is.complexfloating[values.dtype] and "complex128" or "float64"
  end

  local LABELS = " Of all elements without labels; of those whose label is above 0 without index; else for each label "
    .. "in index, in its shape."

  local function means(g)
    return add_up(g, g.values, float_of(g.values)) / counts_of(g)
  end

  -- ==== Sums and moments ===========================================================================================

  local function sum(name)
    return function(input, labels, index)
      local g = groups(name, input, labels, index)
      local kind = g.values.dtype
      local whole = kind == "bool" or is.integer[kind]
      local one = labels == nil or index == nil or type(index) == "number"
      local dtype = float_of(g.values)
      if one and whole then dtype = kind:find("^uint") and "uint64" or "int64" end
      if one and not whole then return g.pick(add_up(g, g.values, dtype)):astype(kind, { copy = false }) end
      return g.pick(add_up(g, g.values, dtype))
    end
  end

  --> ndimage.sum_labels({3, 1, 2}, ma.array({1, 1, 2}, "int64"), {1, 2})
  def("ndimage.sum_labels(input: data, labels?: data, index?: integer|integer[]|array) -> array",
    "The sum of the elements that have a label." .. LABELS, sum("ndimage.sum_labels"))
  --> ndimage.sum({3, 1, 2}, ma.array({1, 1, 2}, "int64"), {1, 2})
  def("ndimage.sum(input: data, labels?: data, index?: integer|integer[]|array) -> array",
    "The same as sum_labels.", sum("ndimage.sum"))

  --> ndimage.mean({3, 1, 2})
  def("ndimage.mean(input: data, labels?: data, index?: integer|integer[]|array) -> array",
    "The mean of the elements that have a label, NaN if none has." .. LABELS,
    function(input, labels, index)
      local g = groups("ndimage.mean", input, labels, index)
      return g.pick(means(g))
    end)

  local ARGUMENTS = "(input: data, labels?: data, index?: integer|integer[]|array) -> array"

  --- Defines a measurement measure(g) of the groups of a real image.
  local function define(name, doc, measure, check)
    name = "ndimage." .. name
    def(name .. ARGUMENTS, doc .. LABELS, function(input, labels, index)
      local g = groups(name, input, labels, index, true)
      if check then check(name, g) end
      return g.pick(measure(g))
    end)
  end

  local function variance(g)
    local middle = means(g)
    if g.keys then return core.groups(g.keys, g.first, g.n, floats(g.values), middle) / counts_of(g) end
    local off = g.values:astype("float64", { copy = false }) - middle
    return ma.mean(off * off):reshape(1)
  end

  --> ndimage.variance({3, 1, 2})
  define("variance", "The variance of the elements that have a label.", variance)
  --> ndimage.standard_deviation({3, 1, 2})
  define("standard_deviation", "The standard deviation of the elements that have a label.",
    function(g) return ma.sqrt(variance(g)) end)

  --> ndimage.center_of_mass({{0, 0}, {0, 2}})
  define("center_of_mass", "The mean position of the elements that have a label, weighted by their values: a last axis "
    .. "has the position along each axis, counted from 1.", function(g)
      local values, ndim = floats(g.values), #g.shape
      local keys = g.keys or ma.ones(1, { dtype = "int32", device = values.device }):broadcast_to(values.shape)
      local total, parts, inner = add_up(g, values, "float64"), {}, 1
      for d = ndim, 1, -1 do
        parts[d] = core.groups(keys, g.first or 1, g.n, values, nil, inner, math.max(g.shape[d], 1)) / total + 1
        inner = inner * math.max(g.shape[d], 1)
      end
      return ma.stack(parts, 2)
    end, function(name, g)
      if #g.shape == 0 then fail(name, "an image without axes; wanted one axis at least") end
    end)

  -- ==== Extremes ===================================================================================================

  --- The last value of a dtype in the order that `greatest` is the end of.
  local function edge(dtype, greatest)
    if dtype == "bool" then return greatest and 0 or 1 end
    if is.inexact[dtype] then return greatest and -math.huge or math.huge end
    local info = ma.iinfo(dtype)
    return greatest and info.min or info.max
  end

  --- The least or the greatest of each group, 0 for an empty one.
  local function extreme(g, greatest)
    local values = g.values
    -- Elements of 4 bytes and more have scatters of their own.
    if values.dtype == "bool" or values.itemsize < 4 and is.integer[values.dtype] then
      values = values:astype("int32")
    end
    local r = ma.full(g.n + 1, edge(values.dtype, greatest), { dtype = values.dtype, device = values.device })
    local group = group_of(g)
    if values.size > 0 then
      if greatest then r:scatter_max(group, values) else r:scatter_min(group, values) end
    end
    r = ma.where(counts_of(g):gt(0), r[{ { 1, g.n } }], 0)
    return r:astype(g.values.dtype, { copy = false })
  end

  local function need_elements(name, g)
    if g.values.size == 0 then fail(name, "no elements; wanted one at least") end
    return g
  end

  --- The position of each group's first element that equals its extreme, 0 for an empty group, with an axis behind for
  --- the image's axes.
  local function positions(g, r)
    local size = g.values.size
    local place = ma.range(1, size, { device = g.values.device })
    place = ma.where(g.values:eq(spread(g, r)), place, size + 1)
    local first = ma.full(g.n + 1, size + 1, { dtype = "int64", device = g.values.device })
    first:scatter_min(group_of(g), place)
    first = first[{ { 1, g.n } }]
    local along = shared.positions(first - 1, g.shape)
    for d = 1, #along do along[d] = ma.where(first:le(size), along[d], 0) end
    if #along == 0 then return ma.zeros({ g.n, 0 }, { dtype = "int64", device = g.values.device }) end
    return ma.stack(along, 2)
  end

  for name, greatest in pairs { minimum = false, maximum = true } do
    local which = greatest and "greatest" or "least"
    define(name, "The " .. which .. " of the elements that have a label, 0 if none has.",
      function(g) return extreme(g, greatest) end, need_elements)
    define(name .. "_position", "The position of the first " .. which .. " of the elements that have a label, as "
      .. "int64: a last axis has the position along each axis, 0 if no element has the label.",
      function(g) return positions(g, extreme(g, greatest)) end, need_elements)
  end

  --> ndimage.extrema({3, 1, 2})
  def("ndimage.extrema(input: data, labels?: data, index?: integer|integer[]|array) -> array, array, array, array",
    --> ndimage.maximum({3, 1, 2})
    --> ndimage.minimum({3, 1, 2})
    --> ndimage.minimum_position({3, 1, 4})
    "The results of minimum, maximum, minimum_position and "
    --> ndimage.maximum_position({3, 1, 4})
    .. "maximum_position." .. LABELS,
    function(input, labels, index)
      local g = need_elements("ndimage.extrema", groups("ndimage.extrema", input, labels, index, true))
      local low, high = extreme(g, false), extreme(g, true)
      return g.pick(low), g.pick(high), g.pick(positions(g, low)),
        g.pick(positions(g, high))
    end)

  -- ==== Sorted groups ==============================================================================================

  --- Offsets, in C order, of the elements sorted by group, and the number of elements in front of each group.
  local function sorted(g, order)
    local by_group = ma.argsort(ma.take(group_of(g), order))           -- stable
    local counts = counts_of(g)
    return ma.take(order, by_group), ma.cumsum(counts) - counts, counts
  end

  --> ndimage.median({3, 1, 2})
  define("median", "The median of the elements that have a label, NaN if none has; float64 for whole numbers.",
    function(g)
      local order, start, counts = sorted(g, ma.argsort(g.values))
      local values = ma.take(g.values, order)
      if not is.inexact[values.dtype] then values = values:astype("float64") end
      local size = values.size
      local function at(place) return ma.take(values, ma.clip(place + 1, 1, size)) end
      local low = at(start + ma.floor_divide(ma.maximum(counts - 1, 0), 2))
      local high = at(start + ma.floor_divide(counts, 2))
      return ma.where(counts:gt(0), common.middle(ma, low, high), ma.nan):astype(values.dtype, { copy = false })
    end, need_elements)

  --> ndimage.histogram({1, 2, 2, 5}, 0, 6, 3)
  def("ndimage.histogram(input: data, min: number, max: number, bins: integer, labels?: data, "
    .. "index?: integer|integer[]|array) -> array", "How many of the elements that have a label lie in "
    .. "each of `bins` equal parts of min .. max, the last of which includes max; the bins are the last axis."
    .. LABELS,
    function(input, least, most, bins, labels, index)
      local name = "ndimage.histogram"
      common.number(name, "min", least)
      common.number(name, "max", most)
      common.whole(name, "bins", bins, 1)
      if least ~= least or most ~= most or least > most then
        fail(name, sformat("a range from %g to %g; wanted an ascending one", least, most))
      end
      local g = groups(name, input, labels, index, true)
      local device = g.values.device
      local values = g.values:astype("float64", { copy = false })
      local edges = ma.linspace(least, most, bins + 1, { device = device })
      if not g.keys then return g.pick(core.histogram(g.values, edges, true):reshape(1, bins)) end
      local bin = ma.searchsorted(edges, values, "right") - 1
      bin = ma.minimum(ma.where(values:eq(most), bins, bin), bins)
      local group = group_of(g)
      local inside = values:ge(least):and_(values:le(most)):and_(group:le(g.n)):and_(bin:ge(1))
      local counts = ma.zeros(g.n * bins + 1, { dtype = "int64", device = device })
      if values.size > 0 then
        counts:iadd_at(ma.where(inside, (group - 1) * bins + bin, g.n * bins + 1), 1)
      end
      return g.pick(counts[{ { 1, g.n * bins } }]:reshape(g.n, bins))
    end)

  --> ndimage.labeled_comprehension: local labels = ma.array({1, 1, 2}, "int64")
  -->   return ma.ndimage.labeled_comprehension({1, 2, 3}, labels, {1, 2}, ma.sum, "float64", 0)
  def("ndimage.labeled_comprehension(input: data, labels?: data, index?: integer|integer[]|array, func?: function, "
    .. "out_dtype?: dtype, default?: number, pass_positions?: boolean) -> array",
    "What func(values) gives for the elements of each label, as an array of out_dtype; `default` for a label that no "
    .. "element has. values has one axis. With pass_positions func(values, positions) also gets the positions of the "
    .. "elements, counted from 1 in C order. out_dtype is float64 and default 0 unless they are given. Waits.",
    function(input, labels, index, func, out_dtype, default, pass_positions)
      local name = "ndimage.labeled_comprehension"
      common.callable(name, "func", func)
      out_dtype = ma.result_type(out_dtype == nil and "float64" or out_dtype)
      if default == nil then default = 0 end
      local g = groups(name, input, labels, index)
      local size, results = g.values.size, {}
      local order, start, counts = sorted(g, ma.range(1, size, { device = g.values.device }))
      local values = ma.take(g.values, order)
      local firsts, numbers = start:totable(), counts:totable()
      for k = 1, g.n do
        local first, count = tonumber(firsts[k]), tonumber(numbers[k])
        local result = default
        if count > 0 then
          local part = { { first + 1, first + count } }
          if pass_positions then result = func(values[part], order[part]) else result = func(values[part]) end
        end
        results[k] = core.asarray(result, { device = g.values.device }):astype(out_dtype):reshape({})
      end
      if g.n == 0 then return g.pick(ma.zeros(0, { dtype = out_dtype, device = g.values.device })) end
      return g.pick(ma.stack(results))
    end)

  --> ndimage.value_indices: ma.ndimage.value_indices(ma.array({1, 2, 1}, "int64"))[1][1]
  def("ndimage.value_indices(arr: data; ignore_value?: any) -> table",
    "For each value of an array of whole numbers where it stands: a "
    .. "table by value, of a list with the positions along each axis, as int64 arrays in C order. ignore_value is "
    .. "left out. Waits.",
    function(arr, ignore)
      local name = "ndimage.value_indices"
      arr = shared.image(name, arr)
      if arr.dtype == "bool" or not is.integer[arr.dtype] then
        fail(name, sformat("arr is %s; wanted whole numbers", core.describe(arr)))
      end
      local found = {}
      if arr.size == 0 then return found end
      local flat, shape = arr:ravel(), arr.shape
      local order = ma.argsort(flat)
      local values, counts = ma.unique(flat, { return_counts = true })
      local along, first = shared.positions(order - 1, shape), 0
      local keys, numbers = values:totable(), counts:totable()
      for k = 1, #keys do
        local key, count = tonumber(keys[k]), tonumber(numbers[k])
        if key ~= ignore then
          local list = {}
          for d = 1, #shape do list[d] = along[d][{ { first + 1, first + count } }] end
          found[key] = list
        end
        first = first + count
      end
      return found
    end)
end
