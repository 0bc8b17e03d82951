--- Joining, repeating and iterating over arrays, with views and copies.
--# shape

local MOST_AXES = 16
local sformat, min, max = require("moonarray.text").format, math.min, math.max

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local axis_of, whole, along, beside = common.axis, common.whole, common.along, common.beside

  local function check_list(name, arrays)
    if type(arrays) ~= "table" then fail(name, core.describe(arrays) .. "; wanted a table of arrays, {a, b}") end
    return arrays
  end

  -- ==== Attributes as functions, for tables and numbers too ==========================================================

  --> shape: ma.shape({{1, 2, 3}})[2]
  def("shape(array: data) -> integer[]", "The extents as a table.", function(a) return core.asarray(a).shape end)
  --> ndim({{1, 2, 3}})
  def("ndim(array: data) -> integer", "The number of axes.", function(a) return core.asarray(a).ndim end)
  --> size({{1, 2, 3}})
  def("size(array: data, axis?: integer|integer[]) -> integer",
    "The number of elements, or the extent of one axis.", function(a, axis)
    a = core.asarray(a)
    return axis and a.shape[axis_of("size", axis, a.ndim)] or a.size
  end)

  -- ==== Least number of axes =========================================================================================

  local deepened = {
    function() return { 1 } end,
    function(s) return { 1, s[1] or 1 } end,
    function(s) return s[2] and { s[1], s[2], 1 } or { 1, s[1] or 1, 1 } end,
  }

  local function atleast(a, n)
    a = core.asarray(a)
    return a.ndim >= n and a or a:reshape(deepened[n](a.shape))
  end

  for n, count in ipairs { "one", "2", "3" } do
    --> atleast_1d(5)
    --> atleast_2d({1, 2})
    --> atleast_3d: ma.atleast_3d({1, 2}).ndim
    def(sformat("atleast_%dd(a: data, ...) -> array ...",
      n), sformat("The arrays, each with new axes of extent 1 where it has fewer than "
      .. "%s.", count), function(...)
      local arrays = { ... }
      for k = 1, #arrays do arrays[k] = atleast(arrays[k], n) end
      return unpack(arrays)
    end)
  end

  -- ==== Joining ====================================================================================================

  local function each(arrays, fn, name, n)
    local views, first = {}, nil
    for _, a in ipairs(check_list(name, arrays)) do first = first or core.is_array(a) and a or nil end
    for k, a in ipairs(arrays) do views[k] = fn(beside(a, nil, first), n) end
    return views
  end

  --> hstack({{1, 2}, {3}})
  def("hstack(arrays: data[]; dtype?: dtype) -> array",
    "Arrays side by side: joined along the second axis, vectors along their only one.",
    function(arrays, dtype)
      local views = each(arrays, atleast, "hstack", 1)
      return ma.concatenate(views, views[1] and views[1].ndim == 1 and 1 or 2, nil, dtype)
    end)

  for _, name in ipairs { "vstack", "row_stack" } do
    def(name .. "(arrays: data[]; dtype?: dtype) -> array",
      "Arrays one below the other: joined along the first axis, vectors as rows.",
      function(arrays, dtype) return ma.concatenate(each(arrays, atleast, name, 2), 1, nil, dtype) end)
  end
  --> vstack({{1, 2}, {3, 4}})
  --> row_stack({{1, 2}, {3, 4}})

  --> dstack({{1, 2}, {3, 4}})
  def("dstack(arrays: data[]; dtype?: dtype) -> array", "Arrays one behind the other: joined along the third axis.",
    function(arrays, dtype)
      return ma.concatenate(each(arrays, atleast, "dstack", 3), 3, nil, dtype)
    end)

  --> column_stack({{1, 2}, {3, 4}})
  def("column_stack(arrays: data[]; dtype?: dtype) -> array", "Arrays side by side, vectors as columns.",
    function(arrays, dtype)
      local function column(a)
        a = core.asarray(a)
        return a.ndim < 2 and a:reshape(-1, 1) or a
      end
      return ma.concatenate(each(arrays, column, "column_stack"), 2, nil, dtype)
    end)

  --> append({1, 2}, {3})
  def("append(a: data, values: data, axis?: integer|integer[]) -> array",
    "The array with more values behind it, along an axis or flattened.",
    function(a, values, axis)
      if not axis then
        return ma.concatenate({ ma.ravel(beside(a, nil, values)), ma.ravel(beside(values, nil, a)) })
      end
      return ma.concatenate({ a, values }, axis)
    end)

  --> block({{ma.ones({2, 2}), ma.zeros({2, 1})}})
  def("block(arrays: data[]) -> array",
    "One array of nested tables of blocks: the innermost along the last axis, the next along the one before it.",
    function(arrays)
      local depth, level = 0, arrays
      while type(level) == "table" do
        depth, level = depth + 1, level[1]
        if depth > MOST_AXES then
          fail("block", sformat("tables nested deeper than %d; wanted one level an axis at most", MOST_AXES))
        end
      end
      local ndim, first = depth, nil
      local function widest(part, at)
        if (type(part) == "table") ~= (at <= depth) then
          fail("block", sformat("%s at depth %d; wanted arrays at depth %d alone, as the first is", core.describe(part),
            at - 1, depth))
        end
        if type(part) ~= "table" then
          first = first or core.is_array(part) and part or nil
          ndim = max(ndim, core.asarray(part).ndim)
          return
        end
        for k = 1, #part do widest(part[k], at + 1) end
      end
      widest(arrays, 1)
      local function join(part, at)
        if type(part) ~= "table" then
          local a = beside(part, nil, first)
          local shape = a.shape
          while #shape < ndim do table.insert(shape, 1, 1) end
          return a:reshape(shape)
        end
        local parts = {}
        for k = 1, #part do parts[k] = join(part[k], at + 1) end
        return ma.concatenate(parts, ndim - depth + at)
      end
      return join(arrays, 1)
    end)

  -- ==== Order ======================================================================================================

  --> rollaxis: ma.rollaxis(ma.ones({2, 3, 4}), 3).shape[1]
  def("rollaxis(a: data, axis: integer|integer[], start?: number) -> array",
    "A view with one axis moved to lie before another; ndim + 1 is behind the last.",
    function(a, axis, start)
      a = core.asarray(a)
      local ndim = a.ndim
      axis = axis_of("rollaxis", axis, ndim)
      -- -1 is the last axis, not the place behind it.
      if start ~= ndim + 1 then start = axis_of("rollaxis", start or 1, ndim) end
      if axis < start then start = start - 1 end
      return a:moveaxis(axis, start)
    end)

  local function roll_axis(a, shift, axis)
    local n = a.shape[axis]
    return ma.concatenate({ along(a, axis, n - shift + 1, n), along(a, axis, 1, n - shift) }, axis)
  end

  --- Moves elements by shift[d] along each axis d of a list, in one pass. Each axis splits each part in two.
  local function roll_axes(a, shift, axes)
    if #axes == 1 then return roll_axis(a, shift[axes[1]], axes[1]) end
    local result, shape = ma.empty_like(a), a.shape
    local function put(k, to, from)
      local d = axes[k]
      if not d then
        to:assign(from)
        return
      end
      local n, s = shape[d], shift[d]
      put(k + 1, along(to, d, 1, s), along(from, d, n - s + 1, n))
      put(k + 1, along(to, d, s + 1, n), along(from, d, 1, n - s))
    end
    put(1, result, a)
    return result
  end

  local MOST_ROLLED = 3                  -- axes of one pass, which has 2 parts for one and 8 for three

  --> roll({1, 2, 3}, 1)
  def("roll(a: data, shift: integer|integer[], axis?: integer|integer[]) -> array",
    "Elements moved along an axis, or along the flattened array; those that leave come back at the other end.",
    function(a, shift, axis)
      a = core.asarray(a)
      if not axis then return ma.roll(a:ravel(), whole("roll", "shift", shift), 1):reshape(a.shape) end
      local axes, sum, shape = type(axis) == "table" and axis or { axis }, {}, a.shape
      for k = 1, max(#axes, type(shift) == "table" and #shift or 1) do
        local step = type(shift) == "table" and (shift[k] or #shift == 1 and shift[1]) or shift
        local d = axes[k] or #axes == 1 and axes[1]
        if not d or type(step) == "table" then fail("roll", "as many shifts as axes, or one of either") end
        d = axis_of("roll", d, #shape)
        sum[d] = (sum[d] or 0) + whole("roll", "shift", step)
      end
      local result, moved = a, {}
      for d = 1, #shape do
        local n = shape[d]
        sum[d] = sum[d] and n > 0 and sum[d] % n or 0
        if sum[d] > 0 then moved[#moved + 1] = d end
        if #moved == MOST_ROLLED or d == #shape and #moved > 0 then
          result, moved = roll_axes(result, sum, moved), {}
        end
      end
      return result == a and a:copy() or result
    end)

  --> rot90({{1, 2}, {3, 4}})
  def("rot90(a: data, k?: integer, axes?: integer|integer[]) -> array",
    "A view turned by k quarter turns in the plane of two axes, from the first towards the second.",
    function(a, k, axes)
      a = core.asarray(a)
      axes = common.type("rot90", "axes", axes or { 1, 2 }, "table")
      if a.ndim < 2 or #axes ~= 2 then
        fail("rot90", sformat("%d axes of an array of %d; two of at least two", #axes, a.ndim))
      end
      local first, second = axis_of("rot90", axes[1], a.ndim), axis_of("rot90", axes[2], a.ndim)
      if first == second then fail("rot90", sformat("axis %d twice; two axes", first)) end
      k = whole("rot90", "k", k or 1) % 4
      if k == 0 then return a:reshape(a.shape) end
      if k == 2 then return a:flip({ first, second }) end
      if k == 1 then return a:flip(second):swapaxes(first, second) end
      return a:swapaxes(first, second):flip(second)
    end)

  -- ==== Repeating ==================================================================================================

  --> tile({1, 2}, 2)
  def("tile(a: data, reps: integer|integer[]) -> array", "The array repeated as a tile, so often along each axis.",
    function(a, reps)
      a = core.asarray(a)
      if type(reps) == "number" then reps = { reps } end
      if type(reps) ~= "table" then
        fail("tile", sformat("a %s for reps; a number or a table of numbers", type(reps)))
      end
      local ndim, missing, counts = a.ndim, #reps - a.ndim, {}
      if missing > 0 then
        local shape = a.shape
        for _ = 1, missing do table.insert(shape, 1, 1) end
        a, ndim = a:reshape(shape), #reps
      end
      for d = 1, ndim do counts[d] = whole("tile", "a number of repeats", reps[d - ndim + #reps] or 1, 0) end
      return core.repeated(a, counts, false)
    end)

  --- A table of positions for counts: {2, 0, 1} gives 1, 1, 3.
  local function repeated(name, counts, n)
    if #counts ~= n then fail(name, sformat("%d counts for %d elements; one a piece", #counts, n)) end
    local index, total = {}, 0
    for k = 1, n do
      total = total + whole(name, "a count", tonumber(counts[k]), 0)
      if total > 2 ^ 26 then fail(name, sformat("%g positions from a table of counts; at most 2^26", total)) end
      for _ = 1, tonumber(counts[k]) do index[#index + 1] = k end
    end
    return index
  end

  --- The same for an array of whole counts: each element says how many counts end in front of that position. Waits.
  local function repeated_by(counts, n)
    counts = counts:ravel():astype("int64", { copy = false })
    if counts.size ~= n then
      fail("repeat_", sformat("%d counts for %d elements; one a piece", counts.size, n))
    end
    whole("repeat_", "a count", tonumber(counts:min():item()), 0)
    local ends = ma.cumsum(counts)
    local total = tonumber(ends(n))
    local steps = ma.zeros(total + 1, { dtype = "int64", device = counts.device })
    steps:iadd_at(ends + 1, 1)
    return ma.cumsum(steps)[{ { 1, total } }] + 1
  end

  --> repeat_({1, 2}, 2)
  def("repeat_(a: data, repeats: integer|integer[]|array, axis?: integer|integer[]) -> array",
    "Each element repeated so often, along an axis or flattened.",
    function(a, repeats, axis)
      a = core.asarray(a)
      if not axis then a, axis = a:ravel(), 1 end
      axis = axis_of("repeat_", axis, a.ndim)
      if type(repeats) ~= "number" then
        if core.is_array(repeats) and repeats.size > 1 and is.integer[repeats.dtype] then
          return a:take(repeated_by(repeats:to(a.device), a.shape[axis]), axis)
        end
        local counts = type(repeats) == "table" and repeats or ma.ravel(repeats):totable()
        if #counts == 1 then repeats = tonumber(counts[1])
        else return a:take(ma.index(repeated("repeat_", counts, a.shape[axis])), axis) end
      end
      if whole("repeat_", "repeats", repeats, 0) == 1 then return a:copy() end
      return core.repeated(a, common.upright(a.ndim, axis, repeats), true)
    end)

  --> resize({1, 2, 3}, {2, 2})
  def("resize(a: data, new_shape: integer|integer[]) -> array",
    "A new array of this shape, filled with as many repeats of the elements as it takes.",
    function(a, shape)
      local flat = ma.ravel(a)
      if type(shape) == "number" then shape = { shape } end
      common.type("resize", "new_shape", shape, "table")
      local size = 1
      for d = 1, #shape do size = size * whole("resize", "an extent", shape[d], 0) end
      if size == 0 or flat.size == 0 then return ma.zeros(shape, { dtype = flat.dtype, device = flat.device }) end
      local times = math.ceil(size / flat.size)
      return along(flat:tile(times), 1, 1, size):reshape(shape)
    end)

  --> broadcast_arrays({1, 2}, {{3}, {4}})
  def("broadcast_arrays(...) -> array ...", "Read-only views of the arrays, all of the shape they broadcast to.",
    function(...)
      local arrays, shapes = { ... }, {}
      for k = 1, #arrays do
        arrays[k] = core.asarray(arrays[k])
        shapes[k] = arrays[k].shape
      end
      local shape = ma.broadcast_shapes(unpack(shapes))
      for k = 1, #arrays do arrays[k] = arrays[k]:broadcast_to(shape) end
      return unpack(arrays)
    end)

  -- ==== Inserting and deleting =======================================================================================

  --- Positions as a plain table of 1 .. n, from a number, a table, an integer array, or a mask. With `beyond`, n + 1 is
  --- accepted too, but -1 still means n.
  local function position_list(name, obj, n, beyond)
    local list = obj
    if type(obj) == "number" then list = { obj }
    elseif type(obj) ~= "table" then
      obj = core.asarray(obj)
      if obj.dtype == "bool" then obj = ma.nonzero(obj) end
      list = obj:ravel():totable()
    end
    return common.positions(name, list, n, beyond and n + 1 or n)
  end

  local FEW_CUTS = 32                    -- positions up to which parts are joined; more make one list of positions

  local function mask_without(list, n, device)
    local mask = ma.ones(n, { dtype = "bool", device = device })
    if #list > 0 then mask[ma.index(list)] = false end
    return mask
  end

  --> delete({1, 2, 3}, 2)
  def("delete(a: data, obj: integer|integer[]|array, axis?: integer|integer[]) -> array",
    "A copy without the elements at these positions, along an axis or flattened.",
    function(a, obj, axis)
      a = core.asarray(a)
      if not axis then a, axis = a:ravel(), 1 end
      axis = axis_of("delete", axis, a.ndim)
      local n = a.shape[axis]
      local gone = position_list("delete", obj, n)
      if #gone > FEW_CUTS then return a:take(ma.nonzero(mask_without(gone, n, a.device)), axis) end
      table.sort(gone)
      local parts, from = {}, 1
      for _, p in ipairs(gone) do
        if p > from then parts[#parts + 1] = along(a, axis, from, p - 1) end
        from = max(from, p + 1)
      end
      if from <= n or #parts == 0 then parts[#parts + 1] = along(a, axis, from, n) end
      return #parts == 1 and parts[1]:copy() or ma.concatenate(parts, axis)
    end)

  --- The array with `values` before the positions, by parts of both; `order` has the places of `before` sorted.
  local function joined(a, values, axis, before, order)
    local parts, from = {}, 1
    for _, k in ipairs(order) do
      local p = before[k]
      if p > from then parts[#parts + 1] = along(a, axis, from, p - 1) end
      parts[#parts + 1] = along(values, axis, k, k)
      from = max(from, p)
    end
    if from <= a.shape[axis] then parts[#parts + 1] = along(a, axis, from, a.shape[axis]) end
    return ma.concatenate(parts, axis)
  end

  --> insert({1, 2, 3}, 2, 9)
  def("insert(a: data, obj: integer|integer[]|array, values: data, axis?: integer|integer[]) -> array",
    "A copy with values put before these positions, along an axis or flattened; n + 1 is behind the last.",
    function(a, obj, values, axis)
      a = core.asarray(a)
      if not axis then a, axis = a:ravel(), 1 end
      axis = axis_of("insert", axis, a.ndim)
      local shape = a.shape
      local n = shape[axis]
      local before = position_list("insert", obj, n, true)
      -- A number that does not fit is an error.
      values = (core.is_array(values) and values:astype(a.dtype) or core.asarray(values, a.dtype)):to(a.device)
      if type(obj) == "number" then
        while values.ndim < a.ndim do values = values:expand_dims(1) end
        values = values:moveaxis(1, axis)
        for _ = 2, values.shape[axis] do before[#before + 1] = before[1] end
      end
      local count = #before
      shape[axis] = count
      values = values:broadcast_to(shape)
      if type(obj) == "number" and count > 0 then        -- all before one position
        return ma.concatenate({ along(a, axis, 1, before[1] - 1), values, along(a, axis, before[1], n) }, axis)
      end
      local order = {}
      for k = 1, count do order[k] = k end
      table.sort(order, function(j, k) return before[j] < before[k] or before[j] == before[k] and j < k end)
      if count > 0 and count <= FEW_CUTS then return joined(a, values, axis, before, order) end
      local new, from = {}, {}
      for j, k in ipairs(order) do new[j], from[j] = before[k] + j - 1, n + k end
      local index = ma.empty(n + count, { dtype = "int64", device = a.device })
      index[mask_without(new, n + count, a.device)] = ma.range(1, n, { device = a.device })
      if count > 0 then index[ma.index(new)] = ma.array(from, "int64", { device = a.device }) end
      return ma.concatenate({ a, values }, axis):take(index, axis)
    end)

  --- Numbers of the host: for each axis the first and last position that has an element which is not 0, or nil if
  --- there is none. Waits once.
  local function extent_of_nonzero(a)
    local set, ends = a:ne(0), {}
    for d = 1, a.ndim do
      local others = {}
      for k = 1, a.ndim do if k ~= d then others[#others + 1] = k end end
      local own = #others > 0 and ma.any(set, others) or set
      ends[2 * d - 1], ends[2 * d] = own:argmax(), own:flip():argmax()
    end
    local found = { ma.item(ma.count_nonzero(set), unpack(ends)) }
    if tonumber(found[1]) == 0 then return nil end
    local first, last = {}, {}
    for d = 1, a.ndim do
      first[d], last[d] = tonumber(found[2 * d]), a.shape[d] + 1 - tonumber(found[2 * d + 1])
    end
    return first, last
  end

  --> trim_zeros({0, 0, 1, 2, 0})
  def("trim_zeros(a: data, trim?: string, axis?: integer|integer[]) -> array",
    "The array without the borders of zeros at the front (\"f\"), back (\"b\") or "
    .. "both (\"fb\") of axes, of all by default. Waits.",
    function(a, trim, axis)
      a = core.asarray(a)
      trim = common.type("trim_zeros", "trim", trim or "fb", "string"):lower()
      if trim ~= "fb" and trim ~= "bf" and trim ~= "f" and trim ~= "b" then
        fail("trim_zeros", sformat("'%s' for trim; 'f', 'b' or 'fb'", trim))
      end
      local index, trimmed = {}, {}
      for _, d in ipairs(axis == nil and {} or common.list("trim_zeros", "axis", axis)) do
        trimmed[axis_of("trim_zeros", d, a.ndim)] = true
      end
      if a.ndim == 0 then return a end
      local first, last
      if a.size > 0 then first, last = extent_of_nonzero(a) end
      for d = 1, a.ndim do
        local n = a.shape[d]
        if axis ~= nil and not trimmed[d] then index[d] = {}
        elseif not first then index[d] = { 1, 0 }
        else index[d] = { trim:find("f") and first[d] or 1, trim:find("b") and last[d] or n } end
      end
      return a[index]
    end)

  --# devices
  --> to_device(ma.array {1, 2}, "cpu")
  def("to_device(a: data, device: string; stream?: stream) -> array",
    "The array on a device: itself if it is there, else a copy, made on the current "
    .. "stream or another.", function(a, device, stream)
    a = core.asarray(a)
    if stream == nil then return a:to(device) end
    if type(stream) ~= "userdata" or core.is_array(stream) then
      fail("to_device", sformat("stream is %s; wanted a stream", core.describe(stream)))
    end
    return stream:with(function() return a:to(device) end)
  end)

  -- ==== Iterating ====================================================================================================

  --# indexing
  --> blocks: local list = {}
  -->   for lo, hi in ma.blocks(5, 2) do list[#list + 1] = lo .. "-" .. hi end
  -->   return table.concat(list, " ")
  def("blocks(n: integer, size: integer) -> fun(): any, any",
    "An iterator over the pieces of an axis: `for lo, hi in ma.blocks(n, 32) do`.",
    function(n, size)
      n = whole("blocks", "n", n, 0)
      size = whole("blocks", "size", size, 1)
      local lo = 1 - size
      return function()
        lo = lo + size
        if lo <= n then return lo, min(lo + size - 1, n) end
      end
    end)

  --> rows: local n = 0
  -->   for _, row in ma.ones({2, 3}):rows() do n = n + row.size end
  -->   return n
  def("rows(a: data) -> fun(): any, any", "An iterator over the first axis: `for i, row in a:rows() do`.",
    function(a)
      a = core.asarray(a)
      if a.ndim == 0 then fail("rows", "a 0-d array; at least one axis") end
      local i, n, vector = 0, a.shape[1], a.ndim == 1
      return function()
        i = i + 1
        if i > n then return nil end
        if vector then return i, along(a, 1, i, i):squeeze(1) end
        return i, a[i]
      end
    end)

  --> each: local sum = 0
  -->   for v in ma.range(1, 3):each() do sum = sum + v end
  -->   return sum
  def("each(a: data) -> fun(): any, any",
    "An iterator over all elements as Lua values, after one copy to the host: `for v in a:each() do`.",
    function(a)
      local list = ma.ravel(a):totable()
      local i = 0
      return function()
        i = i + 1
        return list[i]
      end
    end)

  --# functions
  --> map: pcall(ma.map, ma.ones(2), print)
  def("map(a: data, fn: function)", "An error that says how to apply a function to every element.",
    function() fail("map", "no function runs on the device element by element; operators, ma.where and ufuncs do " ..
      "(ma.vectorize makes a kernel)") end)
end
