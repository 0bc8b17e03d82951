--- What flows back through functions that are no rows: each returns how a call of it runs and is noted, as
--- rule(signature, call, ...) over what the call was given. `call` is the function itself.

local sformat = require("moonarray.text").format

return function(core, tape, rows)
  local ma, plainly, place = core.library, core.plainly, core.place
  local is_array, arguments, note, any_known = core.is_array, core.arguments, tape.note, tape.any_known
  local rules = {}
  local unpack = rawget(_G, "unpack") or rawget(table, "unpack")
  local is_real, is_complex = tape.is_real, tape.is_complex
  local cut

  local function refuse(name, why)
    tape.raise(name, (why or "has no derivative") .. "; ma.stop_gradient(x) makes x a constant")
  end

  local function any_complex(...)
    for k = 1, select("#", ...) do
      if is_complex((select(k, ...))) then return true end
    end
    return false
  end

  --- A rule for calls that depend on an argument; others run as they are. `complex`: it holds for complex values too.
  local function define(name, rule, complex)
    rules[name] = function(signature, call, ...)
      if not any_known(...) then return plainly(call, ...) end
      if not complex and any_complex(...) then refuse(name, "has no derivative at complex values") end
      return rule(signature, call, ...)
    end
  end

  --- The arguments by name. An array that the result goes to is no argument of a function that is differentiated.
  local function read(name, signature, ...)
    local given = arguments(signature, ...)
    if given.out ~= nil then refuse(name, "out in a function that is differentiated") end
    return given
  end

  --- Refuses arguments other than `a` that depend on a differentiated array.
  local function check_others(name, given)
    for argument, value in pairs(given) do
      if argument ~= "a" and argument ~= "where" and any_known(value) then
        refuse(name, sformat("a differentiated array as %s", argument))
      end
    end
  end

  -- What the other files of rules use.
  local kit = { rules = rules, define = define, refuse = refuse, read = read, check_others = check_others,
    pull = rows.pull, pull_divide = rows.pull_divide }

  -- ==== The same elements elsewhere ==================================================================================

  --- Functions whose result has the elements of the first argument, in C order.
  local function same(name)
    define(name, function(signature, call, x, ...)
      local r = plainly(call, x, ...)
      if not is_array(x) then
        if any_known(x) then refuse(name, "an array made of a table of arrays that are differentiated") end
        return r
      end
      if not is_real(r) and not is_complex(r) then return r end
      local shape, device = x.shape, x.device
      if place(r) ~= place(x) and r.ndim ~= x.ndim and arguments(signature, x, ...).order == "F" then
        refuse(name, 'order "F"')
      end
      return note(name, { x }, r, function(g) return g:reshape(shape):to(device) end)
    end, true)
  end

  for _, name in ipairs { "reshape", "ravel", "flatten", "copy", ":copy", "asarray", "array", "astype", "to", "get",
    "asnumpy", "core.contiguous", "core.asarray", "core.beside", "core.operand" } do same(name) end

  --- Functions whose result is a view of the first argument, which needs no record. A table becomes an array first.
  for _, name in ipairs { "transpose", "permute_dims", "matrix_transpose", "swapaxes", "moveaxis", "squeeze",
    "expand_dims", "flip", "flipud", "fliplr", "broadcast_to", "diagonal", "lib.stride_tricks.as_strided",
    "core.pieces", "real", "imag" } do
    define(name, function(_, call, x, ...)
      if not is_array(x) then refuse(name, "an array made of a table of arrays that are differentiated") end
      return plainly(call, x, ...)
    end, true)
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
    end, true)
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
  define("core.opposite", function(_, _, x) return -x end, true)
  sort("core.sort_both", function(call, _, _, ...) return plainly(call, ...) end)
  define("core.top", function(_, call, x, k, axis, largest)
    local r, places = plainly(call, x, k, axis, largest)
    if not r then return nil end
    return note_picked("topk", x, r, positions_of(x, function(positions)
      return positions:take_along_axis(places, axis)
    end)), places
  end)

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
    end, true)
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
  end, true)

  --- What functions of the Lua layer ask for while calls are recorded, where their parts have no derivatives.
  core.flows = {}

  require "moonarray.grad.reductions" (core, tape, kit)

  -- ==== Products =====================================================================================================

  define("matmul", function(signature, call, ...)
    local given = read("matmul", signature, ...)
    local a, b = given.a, given.b
    for _, operand in ipairs { a, b } do                              -- a sparse matrix has a product of its own
      local meta = type(operand) == "table" and getmetatable(operand)
      if meta and meta.__operation then return meta.__operation("matmul", a, b) end
    end
    local r = plainly(call, ...)
    if not (is_array(a) and is_array(b)) or given.axes ~= nil then refuse("matmul", "such arguments") end
    if not is_real(r) and not is_complex(r) then return r end
    local function turned(x)
      x = x:swapaxes(-1, -2)
      return is_complex(x) and ma.conj(x) or x
    end
    local function shaped(c, like, shape) return like and c:reshape(shape) or c end
    local ashape, bshape, row, column = a.shape, b.shape, a.ndim == 1, b.ndim == 1
    local needs_a, needs_b = tape.is_known(b) and a, tape.is_known(a) and b
    return note("matmul", { a, b }, r, function(g, k)
      if column then g = g:expand_dims(-1) end
      if row then g = g:expand_dims(-2) end
      if k == 1 then
        local other = column and needs_b:reshape(bshape[1], 1) or needs_b
        local c = ma.matmul(g, turned(other))
        return shaped(tape.narrow(c, row and { 1, ashape[1] } or ashape), row, ashape)
      end
      local other = row and needs_a:reshape(1, ashape[1]) or needs_a
      local c = ma.matmul(turned(other), g)
      return shaped(tape.narrow(c, column and { bshape[1], 1 } or bshape), column, bshape)
    end, { needs_a or needs_b, needs_a and needs_b or nil })
  end, true)

  define("dot", function(signature, _, ...)
    local given = read("dot", signature, ...)
    local a, b = core.asarray(given.a), core.asarray(given.b)
    if a.ndim == 0 or b.ndim == 0 then return a * b end
    if b.ndim <= 2 then return ma.matmul(a, b) end
    return ma.tensordot(a, b, { { a.ndim }, { b.ndim - 1 } })
  end, true)
  define("inner", function(signature, _, ...)
    local given = read("inner", signature, ...)
    local a, b = core.asarray(given.a), core.asarray(given.b)
    if a.ndim == 0 or b.ndim == 0 then return a * b end
    return ma.tensordot(a, b, { { a.ndim }, { b.ndim } })
  end, true)
  define("outer", function(signature, _, ...)
    local given = read("outer", signature, ...)
    local a, b = core.asarray(given.a), core.asarray(given.b)
    return a:reshape(a.size, 1) * b:reshape(1, b.size)
  end, true)
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
      if k == 2 then return require "moonarray.signal.inside" (ma, core)(signal, g) end
      return core.signal_correlate(core.contiguous(ma.pad(g, width)), core.contiguous(ma.flip(kept)))
    end, { signal, kept })
  end)

  require "moonarray.grad.writes" (core, tape, kit)

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
    end, true)
  end

  require "moonarray.grad.linalg" (core, tape, kit)
  require "moonarray.grad.fourier" (core, tape, kit)
  require "moonarray.grad.stencils" (core, tape, rows)
  require "moonarray.grad.kernels" (core, tape, kit)
  require "moonarray.grad.places" (core, tape, kit)
  require "moonarray.grad.interpolate" (core, tape, kit)
  require "moonarray.grad.sparse" (core, tape, kit)
  require "moonarray.grad.choices" (core, tape, kit)
  require "moonarray.grad.distances" (core, tape, kit)

  --- The handler of a function that has no derivative.
  function rules.none(name)
    return function(_, call, ...)
      if any_known(...) then refuse(name) end
      return plainly(call, ...)
    end
  end

  return rules
end
