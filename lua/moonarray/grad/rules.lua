--- What flows back through functions that are no rows: each returns how a call of it runs and is noted, as
--- rule(signature, call, ...) over what the call was given. `call` is the function itself.

return function(core, tape)
  local ma, fail, plainly, place = core.library, core.fail, core.plainly, core.place
  local is_array, arguments, note, any_known = core.is_array, core.arguments, tape.note, tape.any_known
  local rules = {}
  local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
  local FLOATS = { float16 = true, bfloat16 = true, float32 = true, float64 = true }
  local cut

  local function refuse(name, why)
    name = core.outer_call() or name
    fail(name:gsub("[:()]", ""), (why or "has no derivative") .. "; ma.stop_gradient(x) makes x a constant")
  end

  --- A rule for calls that depend on an argument; others run as they are.
  local function define(name, rule)
    rules[name] = function(signature, call, ...)
      if not any_known(...) then return plainly(call, ...) end
      return rule(signature, call, ...)
    end
  end

  --- The arguments by name. An array that the result goes to is no argument of a function that is differentiated.
  local function read(name, signature, ...)
    local given = arguments(signature, ...)
    if given.out ~= nil then refuse(name, "out in a function that is differentiated") end
    return given
  end

  local function is_real(r) return is_array(r) and FLOATS[r.dtype] or false end

  -- ==== The same elements elsewhere ==================================================================================

  --- Functions whose result has the elements of the first argument, in C order.
  local function same(name)
    define(name, function(signature, call, x, ...)
      local r = plainly(call, x, ...)
      if not is_array(x) then
        if any_known(x) then refuse(name, "an array made of a table of arrays that are differentiated") end
        return r
      end
      if not is_real(r) then
        if is_array(r) and ma.issubdtype(r.dtype, "complexfloating") then refuse(name, "complex values") end
        return r
      end
      local shape, device = x.shape, x.device
      if place(r) ~= place(x) and r.ndim ~= x.ndim and arguments(signature, x, ...).order == "F" then
        refuse(name, 'order "F"')
      end
      return note(name, { x }, r, function(g) return g:reshape(shape):to(device) end)
    end)
  end

  for _, name in ipairs { "reshape", "ravel", "flatten", "copy", ":copy", "asarray", "array", "astype", "to", "get",
    "asnumpy", "core.contiguous", "core.asarray", "core.beside", "core.operand" } do same(name) end

  --- Functions whose result is a view of the first argument, which needs no record. A table becomes an array first.
  for _, name in ipairs { "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "squeeze",
    "expand_dims", "flip", "flipud", "fliplr", "broadcast_to", "diagonal", "lib.stride_tricks.as_strided",
    "core.pieces" } do
    define(name, function(_, call, x, ...)
      if not is_array(x) then refuse(name, "an array made of a table of arrays that are differentiated") end
      return plainly(call, x, ...)
    end)
  end

  -- ==== Elements by their positions ==================================================================================

  --- The positions that the elements of a result have in x, from 1 on in C order: what the call gives for these.
  local function positions_of(x, pick) return core.unrecorded(function()
    return pick(ma.range(1, x.size, { dtype = "int64", device = x.device }):reshape(x.shape))
  end) end

  --- Notes that result r has the elements of x at these positions.
  local function note_picked(name, x, r, positions)
    local shape, size, device, dtype = x.shape, x.size, x.device, x.dtype
    return note(name, { x }, r, function(g)
      local sums = ma.zeros(size, { dtype = dtype, device = device })
      sums:iadd_at(positions:flatten(), g:flatten())
      return sums:reshape(shape)
    end, { positions })
  end

  --- Functions that pick elements of one array: argument `which`, without regard to their values.
  local function gather(name, which)
    define(name, function(_, call, ...)
      local given, n = { ... }, select("#", ...)
      local x, r = given[which or 1], plainly(call, ...)
      if not is_array(x) or not tape.is_known(x) then refuse(name) end
      local id = place(x)
      if not is_array(r) then
        cut((name:gsub(":", "")))
        return r
      end
      if place(r) == id then return r end
      return note_picked(name:gsub(":", ""), x, r, positions_of(x, function(positions)
        given[which or 1] = positions
        return call(unpack(given, 1, n))
      end))
    end)
  end

  for _, name in ipairs { ":index", "take", "take_along_axis", "core.repeated" } do gather(name) end
  gather("compress", 2)
  gather("extract", 2)

  --- Sorts: the elements by the positions of their order.
  local function sort(name, order)
    define(name, function(signature, call, ...)
      local given = read(name, signature, ...)
      local x = given.a or given.arr
      if not is_array(x) or type(given.axis or 1) ~= "number" then refuse(name, "such arguments") end
      local r, places = order(call, given, x, ...)
      return note_picked(name, x, r, positions_of(x, function(positions)
        return positions:take_along_axis(places, given.axis or x.ndim)
      end)), places
    end)
  end

  sort("sort", function(call, given, x, ...)
    local options = { descending = given.descending, stable = given.stable, kind = given.kind }
    local r = plainly(call, ...)
    return r, core.unrecorded(function() return ma.argsort(x, given.axis, options) end)
  end)
  define("core.sort", function(_, _, x, axis, places)
    return x:take_along_axis(core.unrecorded(function() return core.argsort(x, axis, places) end), axis)
  end)
  define("core.opposite", function(_, _, x) return -x end)
  sort("core.sort_both", function(call, _, _, ...) return plainly(call, ...) end)

  -- ==== Joins ========================================================================================================

  local function list_of(name, arrays)
    local inputs = {}
    for k = 1, #arrays do
      inputs[k] = arrays[k]
      if not is_array(arrays[k]) and any_known(arrays[k]) then refuse(name, "a table of tables of arrays") end
    end
    return inputs
  end

  local function concatenate(name)
    define(name, function(signature, call, ...)
      local given = read(name, signature, ...)
      if is_array(given.arrays) then refuse(name, "an array in place of a table of arrays") end
      local r, inputs = plainly(call, ...), list_of(name, given.arrays)
      local axis, first, last, shapes = given.axis or 1, {}, {}, {}
      if axis ~= "none" and type(axis) ~= "number" then refuse(name, "several axes") end
      local at = 0
      if type(axis) == "number" and axis < 0 then axis = r.ndim + 1 + axis end
      for k, x in ipairs(inputs) do
        x = core.unrecorded(core.asarray, x)
        shapes[k] = x.shape
        first[k], at = at + 1, at + (axis == "none" and x.size or x.shape[axis])
        last[k] = at
      end
      return note(name, inputs, r, function(g, k)
        return core.along(g, axis == "none" and 1 or axis, first[k], last[k]):reshape(shapes[k])
      end)
    end)
  end

  concatenate("concatenate")
  concatenate("concat")

  define("stack", function(signature, call, ...)
    local given = read("stack", signature, ...)
    local r, axis = plainly(call, ...), given.axis or 1
    if type(axis) ~= "number" or is_array(given.arrays) then refuse("stack", "such arguments") end
    if axis < 0 then axis = r.ndim + 1 + axis end
    return note("stack", list_of("stack", given.arrays), r, function(g, k)
      return core.along(g, axis, k, k):squeeze(axis)
    end)
  end)

  -- ==== Reductions ===================================================================================================

  --- The axes as a list from 1 on.
  local function axes_of(x, axis)
    local list = {}
    if axis == nil then
      for d = 1, x.ndim do list[d] = d end
    else
      for k, d in ipairs(type(axis) == "table" and axis or { axis }) do list[k] = d < 0 and x.ndim + 1 + d or d end
    end
    return list
  end

  --- A function of a result that gives it the reduced axes again, each with one element.
  local function widened(x, axes)
    local shape = {}
    for d, extent in ipairs(x.shape) do shape[d] = extent end
    for _, d in ipairs(axes) do shape[d] = 1 end
    return function(g) return g:reshape(shape) end
  end

  --- Reductions. flow(wide, x, r, given, axes) is what flows to x, before it is spread over x; wide: what flows to the
  --- result with the reduced axes. `saves`: whether it reads x and r.
  local function reduction(name, saves, flow)
    define(name, function(signature, call, ...)
      local given = read(name, signature, ...)
      local x, where, r = given.a, given.where, plainly(call, ...)
      if not is_array(x) then refuse(name) end
      if not is_real(r) then return r end
      local axes, shape = axes_of(x, given.axis), x.shape
      local widen, operand, result = widened(x, axes), saves and x, saves and r
      if where == true then where = nil end
      local saved = { where }
      if saves then saved = { x, r, where } end
      return note(name, { x }, r, function(g)
        local wide = widen(g)
        local c = flow(wide, operand, saves and widen(result), given, axes, shape)
        if where then c = ma.where(where, c, 0) end
        return ma.broadcast_to(c, shape)
      end, saved)
    end)
  end

  --- How many elements are reduced to one.
  local function count_of(given, axes, shape)
    if given.where and given.where ~= true then
      return ma.broadcast_to(given.where, shape):sum(axes, { keepdims = true, dtype = "int64" })
    end
    local n = 1
    for _, d in ipairs(axes) do n = n * shape[d] end
    return n
  end

  local function not_nan(x, c) return ma.where(ma.isnan(x), 0, c) end
  local function valid(x, given)
    local seen = ma.logical_not(ma.isnan(x))
    if given.where and given.where ~= true then seen = ma.logical_and(seen, given.where) end
    return seen
  end

  reduction("sum", false, function(wide) return wide end)
  reduction("nansum", true, function(wide, x) return not_nan(x, wide) end)
  reduction("mean", false, function(wide, _, _, given, axes, shape) return wide / count_of(given, axes, shape) end)
  reduction("nanmean", true, function(wide, x, _, given, axes)
    return not_nan(x, wide / valid(x, given):sum(axes, { keepdims = true, dtype = "int64" }))
  end)

  --- What is equal to the extreme shares evenly.
  local function extreme(wide, x, r, given, axes)
    local equal = ma.equal(x, r)
    if given.where and given.where ~= true then equal = ma.logical_and(equal, given.where) end
    return ma.where(equal, wide / equal:sum(axes, { keepdims = true, dtype = "int64" }), 0)
  end
  for _, name in ipairs { "min", "max", "amin", "amax", "nanmin", "nanmax" } do reduction(name, true, extreme) end

  --- The distance from the mean over the count less ddof.
  local function spread(x, given, axes, skips)
    local ddof, options = given.ddof or given.correction or 0, { keepdims = true }
    local seen = (skips or (given.where and given.where ~= true)) and (skips and valid(x, given) or given.where)
    if not seen then return (x - x:mean(axes, options)) / (count_of(given, axes, x.shape) - ddof) end
    seen = ma.broadcast_to(seen, x.shape)
    local n = seen:sum(axes, { keepdims = true, dtype = "int64" })
    local y = ma.where(seen, x, 0)
    return ma.where(seen, y - y:sum(axes, options) / n, 0) / (n - ddof)
  end

  local pull, pull_divide = core.operation "pull", core.operation "pull_divide"
  for name, skips in pairs { var = false, nanvar = true } do
    reduction(name, true, function(wide, x, _, given, axes) return 2 * wide * spread(x, given, axes, skips) end)
  end
  for name, skips in pairs { std = false, nanstd = true } do
    reduction(name, true, function(wide, x, r, given, axes)
      return pull_divide(nil, nil, nil, pull(nil, nil, nil, wide, spread(x, given, axes, skips)), r)
    end)
  end

  reduction("logsumexp", true, function(wide, x, r) return pull(nil, nil, nil, wide, ma.exp(x - r)) end)
  reduction("core.norm", true, function(wide, x, r)
    return pull_divide(nil, nil, nil, pull(nil, nil, nil, wide, x), r)
  end)

  --- The product of the elements before each along the last axis, and of those behind it.
  local function others(x)
    local n = x.shape[x.ndim]
    local one = ma.ones_like(core.along(x, x.ndim, 1, 1))
    local before = ma.concatenate({ one, core.along(x, x.ndim, 1, n - 1) }, x.ndim):cumprod(x.ndim)
    local behind = ma.flip(ma.concatenate({ one, ma.flip(core.along(x, x.ndim, 2, n), x.ndim) }, x.ndim)
      :cumprod(x.ndim), x.ndim)
    return before * behind
  end

  --- The reduced axes last, as one; and the way back.
  local function rows_of(x, axes)
    local last, kept, reduced = {}, {}, 1
    for _, d in ipairs(axes) do last[d] = true end
    for d = 1, x.ndim do if not last[d] then kept[#kept + 1] = d end end
    local order, shape, back = {}, {}, {}
    for k, d in ipairs(kept) do order[k], shape[k] = d, x.shape[d] end
    for _, d in ipairs(axes) do
      order[#order + 1] = d
      reduced = reduced * x.shape[d]
    end
    shape[#shape + 1] = reduced
    for k, d in ipairs(order) do back[d] = k end
    local moved = x:transpose(order)
    local wide = moved.shape
    return moved:reshape(shape), function(y) return y:reshape(wide):transpose(back) end
  end

  reduction("prod", true, function(wide, x, _, given, axes)
    if x.ndim == 0 or x.size == 0 then return wide end
    if given.where and given.where ~= true then x = ma.where(given.where, x, 1) end
    local rows, back = rows_of(x, axes)
    local initial = given.initial or 1
    return pull(nil, nil, nil, wide, back(others(rows)) * initial)
  end)

  -- ==== Scans ========================================================================================================

  --- Scans along an axis, or over all elements: flow(g, x, axis).
  local function scan(name, saves, flow)
    define(name, function(signature, call, ...)
      local given = read(name, signature, ...)
      local x, r = given.a, plainly(call, ...)
      if not is_array(x) then refuse(name) end
      if not is_real(r) then return r end
      local shape, axis, operand = x.shape, given.axis or 1, saves and x
      if axis < 0 then axis = r.ndim + 1 + axis end
      return note(name, { x }, r, function(g)
        return flow(g, operand and (given.axis and operand or operand:reshape(operand.size)), axis):reshape(shape)
      end, saves and { x } or nil)
    end)
  end

  scan("cumsum", false, function(g, _, axis) return ma.flip(ma.flip(g, axis):cumsum(axis), axis) end)
  scan("nancumsum", true, function(g, x, axis)
    return not_nan(x, ma.flip(ma.flip(g, axis):cumsum(axis), axis))
  end)

  --- Without division, so that elements may be 0: s(i) = g(i) + x(i + 1) s(i + 1), from the end.
  scan("cumprod", true, function(g, x, axis)
    local n = x.shape[axis]
    if n == 0 then return g end
    local before, parts = ma.ones_like(core.along(x, axis, 1, 1)), {}
    if n > 1 then before = ma.concatenate({ before, core.along(x, axis, 1, n - 1) }, axis):cumprod(axis) end
    for i = n, 1, -1 do
      parts[i] = core.along(g, axis, i, i)
      if i < n then parts[i] = parts[i] + core.along(x, axis, i + 1, i + 1) * parts[i + 1] end
    end
    return ma.concatenate(parts, axis) * before
  end)

  -- ==== Products =====================================================================================================

  define("matmul", function(signature, call, ...)
    local given = read("matmul", signature, ...)
    local a, b, r = given.a, given.b, plainly(call, ...)
    if not (is_array(a) and is_array(b)) or given.axes ~= nil then refuse("matmul", "such arguments") end
    if not is_real(r) then
      if ma.issubdtype(r.dtype, "complexfloating") then refuse("matmul", "complex values") end
      return r
    end
    local ashape, bshape, row, column = a.shape, b.shape, a.ndim == 1, b.ndim == 1
    local needs_a, needs_b = tape.is_known(b) and a, tape.is_known(a) and b
    return note("matmul", { a, b }, r, function(g, k)
      if column then g = g:expand_dims(-1) end
      if row then g = g:expand_dims(-2) end
      if k == 1 then
        local other = column and needs_b:reshape(bshape[1], 1) or needs_b
        local c = ma.matmul(g, other:swapaxes(-1, -2))
        return tape.narrow(c, row and { 1, ashape[1] } or ashape):reshape(ashape)
      end
      local other = row and needs_a:reshape(1, ashape[1]) or needs_a
      local c = ma.matmul(other:swapaxes(-1, -2), g)
      return tape.narrow(c, column and { bshape[1], 1 } or bshape):reshape(bshape)
    end, { needs_a or needs_b, needs_a and needs_b or nil })
  end)

  define("dot", function(signature, _, ...)
    local given = read("dot", signature, ...)
    local a, b = core.asarray(given.a), core.asarray(given.b)
    if a.ndim == 0 or b.ndim == 0 then return a * b end
    if b.ndim <= 2 then return ma.matmul(a, b) end
    return ma.tensordot(a, b, { { a.ndim }, { b.ndim - 1 } })
  end)
  define("inner", function(signature, _, ...)
    local given = read("inner", signature, ...)
    local a, b = core.asarray(given.a), core.asarray(given.b)
    if a.ndim == 0 or b.ndim == 0 then return a * b end
    return ma.tensordot(a, b, { { a.ndim }, { b.ndim } })
  end)
  define("outer", function(signature, _, ...)
    local given = read("outer", signature, ...)
    local a, b = core.asarray(given.a), core.asarray(given.b)
    return a:reshape(a.size, 1) * b:reshape(1, b.size)
  end)
  define("ptp", function(signature, _, ...)
    local given = read("ptp", signature, ...)
    local options = { keepdims = given.keepdims }
    return ma.max(given.a, given.axis, options) - ma.min(given.a, given.axis, options)
  end)

  --- Sums of products at all places where the taps lie inside of a, along one axis or two. With `before` they begin so
  --- many elements before a, beside which there are zeros.
  define("core.signal_correlate", function(_, call, a, taps, before, count)
    if before then
      local behind = count + taps.size - 1 - before - a.size
      a = ma.pad(a, { before, math.max(behind, 0) })
      if behind < 0 then a = core.contiguous(core.along(a, 1, 1, a.size + behind)) end
    end
    local r = plainly(call, a, taps)
    if not is_real(r) then refuse("signal.convolve", "complex values") end
    -- views, since who calls may free its own arrays
    local signal, kept, width = a:reshape(a.shape), taps:reshape(taps.shape), {}
    for d, extent in ipairs(taps.shape) do width[d] = { extent - 1, extent - 1 } end
    return note("signal.convolve", { a, taps }, r, function(g, k)
      if k == 2 then return core.signal_correlate(signal, core.contiguous(g)) end
      return core.signal_correlate(core.contiguous(ma.pad(g, width)), core.contiguous(ma.flip(kept)))
    end, { signal, kept })
  end)

  -- ==== Writes =======================================================================================================

  --- Writes to an array: any array whose buffer has a number comes here, since a record may read it.
  local function write(name, rule) rules[name] = rule end

  local function assign(name)
    write(name, function(_, call, x, value)
      tape.check_write(name, x)
      local r = plainly(call, x, value)
      if any_known(x, value) then
        if type(value) == "table" and any_known(value) then refuse(name, "a table of arrays") end
        tape.note_write(name, x, value)
      end
      return r
    end)
  end
  assign("assign")
  assign("fill")

  --- The index as one that gives a view: positions become ranges of one element.
  local function as_ranges(key)
    if type(key) == "number" then return { { key, key } } end
    if type(key) ~= "table" or is_array(key) then return key end
    local ranges = {}
    for k, item in ipairs(key) do ranges[k] = type(item) == "number" and { item, item } or item end
    return ranges
  end

  --- Puts an array that is computed and recorded in place of the elements of another.
  local function replace(name, x, r)
    core.unrecorded(function() x:assign(r) end)
    tape.note_write(name, x, r)
    return x
  end

  --- Writes to picked elements: the array as a whole gets a value that has them.
  local function write_picked(x, key, value)
    local r = core.unrecorded(function()
      local copy = x:copy()
      copy[key] = value
      return copy
    end)
    local shape = is_array(value) and value.shape
    local parts = is_array(key) and { key } or type(key) == "table" and key or {}
    local saved = {}
    for _, part in ipairs(parts) do if is_array(part) then saved[#saved + 1] = part end end
    note("index", { x, value, n = 2 }, r, function(g, k)
      if k == 2 then return tape.narrow(g[key], shape) end
      local c = g:copy()
      c[key] = 0
      return c
    end, saved)
    replace("index", x, r)
  end

  write("index=", function(_, call, x, key, value)
    tape.check_write("index", x)
    if not any_known(x, value) then return plainly(call, x, key, value) end
    local id = place(x, true)
    local view = core.unrecorded(function() return x[as_ranges(key)] end)
    if not is_array(view) or place(view) ~= id then return write_picked(x, key, value) end
    plainly(call, x, key, value)
    tape.note_write("index", view, value)
  end)

  write("copyto", function(signature, call, ...)
    local given = arguments(signature, ...)
    local x, value = given.dst, given.src
    tape.check_write("copyto", x)
    if not any_known(x, value) then return plainly(call, ...) end
    local r = core.asarray(value)
    if given.where ~= nil then r = ma.where(given.where, r, x) end
    return replace("copyto", x, r)
  end)

  --- a:iadd(b) is a[...] = a + b.
  for name, of in pairs { iadd = "add", isub = "subtract", imul = "multiply", idiv = "divide", ipow = "power" } do
    write(name, function(_, call, x, value, options, ...)
      tape.check_write(name, x)
      if not any_known(x, value) then return plainly(call, x, value, options, ...) end
      if options ~= nil then refuse(name, "where in a function that is differentiated") end
      local r = ma[of]((of == "add" or of == "subtract") and x or x:copy(), value)
      return replace(name, x, r)
    end)
  end

  write("iadd_at", function(signature, call, ...)
    local given = arguments(signature, ...)
    local x, value, indices = given.a, given.b, given.indices
    tape.check_write("iadd_at", x)
    if not any_known(x, value) then return plainly(call, ...) end
    local picked = core.unrecorded(function() return x[indices] end)
    if not is_array(value) then
      return plainly(call, ...)                        -- adds a constant
    end
    -- what is added flows from the array that it is added to, whose own derivative stays
    local sum = core.unrecorded(function() return x:copy():iadd_at(indices, value) end)
    local vshape, pshape = value.shape, is_array(picked) and picked.shape or {}
    note("iadd_at", { x, value }, sum, function(g, k)
      if k == 1 then return g end
      local c = g[indices]
      if not is_array(c) then c = ma.full({}, c, { dtype = g.dtype, device = g.device }) end
      return tape.narrow(c:reshape(pshape), vshape)
    end, is_array(indices) and { indices } or nil)
    return replace("iadd_at", x, sum)
  end)

  rules["add.at"] = rules.iadd_at

  for _, name in ipairs { "put", "put_along_axis", "fill_diagonal", ":sort", ":partition" } do
    write(name, function(_, call, x, ...)
      if is_array(x) then tape.check_write(name:gsub(":", ""), x) end
      if any_known(x, ...) then refuse(name:gsub(":", ""), "a write in a function that is differentiated") end
      return plainly(call, x, ...)
    end)
  end

  -- ==== Elements as Lua values =======================================================================================

  -- What shows values to the user may read them, and so may the user. What the library computes from them on the host
  -- would have no derivative.
  local SHOWS = { tostring = true, concat = true, array_str = true, array_repr = true, array2string = true }

  function cut(name)
    local outer = core.outer_call()
    if outer and outer ~= name and not SHOWS[outer] then refuse(outer) end
    if not SHOWS[outer] then tape.note_cut(name) end
  end

  for _, name in ipairs { "item", "totable", "tolist", "index()" } do
    define(name, function(_, call, ...)
      cut((name:gsub("%(%)", "")))
      return plainly(call, ...)
    end)
  end

  require "moonarray.grad.linalg" (core, tape, define, refuse)

  --- The handler of a function that has no derivative.
  function rules.none(name)
    return function(_, call, ...)
      if any_known(...) then refuse(name) end
      return plainly(call, ...)
    end
  end

  return rules
end
