--- What flows back through sums over neighbours, and through values at places between elements: convolutions of
--- vectors, ma.interp, the filters and the splines of ma.ndimage.
---
--- Forward each is one kernel. Backward, what they compute is said once more by operations that have derivatives
--- (`note_by_operations`), so that all orders follow from these.

return function(core, tape, kit)
  local ma, plainly, note, is_array = core.library, core.plainly, tape.note, core.is_array
  local define, refuse, is_real = kit.define, kit.refuse, tape.is_real
  local floor, min, max = math.floor, math.min, math.max
  local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

  --- Notes that `result` is what compute(inputs ...) gives, within rounding. `also`: other arrays that compute reads.
  local function note_by_operations(name, inputs, result, compute, written, also)
    local reads = { unpack(inputs) }
    for _, array in ipairs(also or {}) do reads[#reads + 1] = array end
    return note(name, inputs, result, function(g, k)
      local list = {}
      for i = 1, #inputs do list[i] = inputs[i] end
      local _, pull = ma.vjp(function(x)
        list[k] = x
        return compute(unpack(list)) + ma.where(false, x, 0):sum()   -- so that it depends on x in any case
      end, inputs[k])
      return (pull(g))
    end, reads, written)
  end
  kit.note_by_operations = note_by_operations

  -- ==== Vectors ======================================================================================================

  --- The sums of products that ma.convolve gives, or ma.correlate (no turns).
  local function slide(a, v, mode, turns)
    local n, m = a.size, v.size
    if m > n and not turns then return slide(v, a, mode, false)["::-1"] end
    local short, long = min(n, m), max(n, m)
    local first, count = 1, n + m - 1
    if mode == "same" then first, count = floor((short - 1) / 2) + 1, long end
    if mode == "valid" then first, count = short, long - short + 1 end
    local full = ma.signal.convolve(a, turns and v or v["::-1"], "full", "direct")
    return full[{ { first, first + count - 1 } }]
  end

  --- Long vectors go by other calls.
  define("core.signal_slide", function(_, call, a, v, mode, turns)
    local r = { plainly(call, a, v, mode, turns) }
    if not is_real(r[1]) then return unpack(r, 1, 7) end
    local taken = mode or (turns and "full" or "valid")
    return note_by_operations("convolve", { core.asarray(a), core.asarray(v) }, r[1], function(x, y)
      return slide(x, y, taken, turns)
    end)
  end)

  --- The piecewise linear function through points.
  local function interp(x, xp, fp, left, right)
    local n = xp.size
    local first, last = core.along(fp, 1, 1, 1), core.along(fp, 1, n, n)
    local y
    if n == 1 then y = ma.broadcast_to(first, x.shape)
    else
      local at = core.unrecorded(function()
        return ma.clip(ma.searchsorted(xp, x:flatten(), "right") - 1, 1, n - 1):astype("int64")
      end)
      local x0, f0 = xp:take(at), fp:take(at)
      local slope = (fp:take(at + 1) - f0) / (xp:take(at + 1) - x0)
      y = (f0 + (x:flatten() - x0) * slope):reshape(x.shape)
    end
    y = ma.where(ma.less(x, core.along(xp, 1, 1, 1)), left or first, y)
    return ma.where(ma.greater(x, core.along(xp, 1, n, n)), right or last, y)
  end

  define("core.interp", function(_, call, x, xp, fp, left, right)
    local y = plainly(call, x, xp, fp, left, right)
    if not is_array(y) then return y end
    local inputs = { core.asarray(x), core.asarray(xp), core.asarray(fp) }
    local falls = core.unrecorded(function()
      local points, n = inputs[2], inputs[2].size
      return n > 1 and ma.any(ma.less(core.along(points, 1, 2, n), core.along(points, 1, 1, n - 1)))
    end)
    if falls then refuse("interp", "points xp that do not ascend, in a function that is differentiated") end
    return note_by_operations("interp", inputs, y, function(a, b, c) return interp(a, b, c, left, right) end)
  end)

  --- Rows with up - 1 zeros between their elements, filtered by taps, of which every down-th is kept, from number
  --- `first` on. Backward the steps are exchanged and the taps turned, with zeros in front so that all begins together.
  define("core.signal_upfirdn", function(_, call, a, taps, up, down, first, count)
    if tape.is_known(taps) then refuse("signal.upfirdn", "has no derivative by its taps") end
    local r, n, m = plainly(call, a, taps, up, down, first, count), a.shape[a.ndim], taps.size
    if not is_real(r) then return r end
    return note("signal.upfirdn", { a }, r, function(g)
      local width = {}
      for d = 1, g.ndim do width[d] = { d == g.ndim and first or 0, 0 } end
      local off = (1 - m) % up
      local turned = core.contiguous(ma.pad(ma.flip(taps), { off, 0 }))
      return core.signal_upfirdn(core.contiguous(ma.pad(g, width)), turned, down, up, (m - 1 + off) / up, n)
    end, { taps })
  end)

  --- Filters with feedback over rows: backward they run from the end. States before the first element take part by what
  --- they alone give.
  define("core.signal_recurrence", function(_, call, a, coefficients, powers, start, sections, with_end)
    local r, ends = plainly(call, a, coefficients, powers, start, sections, with_end)
    local name = "signal.lfilter"
    if not is_real(r) then refuse(name, "has no derivative at complex values") end
    local function filtered(rows, states)
      return core.signal_recurrence(core.contiguous(rows), coefficients, powers, states, sections, false)
    end
    note(name, { a, start }, r, function(g, k)
      if k == 1 then return ma.flip(filtered(ma.flip(g, 2)), 2) end
      local order = start.shape[2]
      local options = { dtype = g.dtype, device = g.device }
      local alone = core.unrecorded(filtered, ma.zeros({ order, g.shape[2] }, options), ma.eye(order, options))
      return ma.matmul(g, alone.T)
    end, { coefficients, powers })
    if ends then
      note(name, { a, start }, ends, function()
        core.fail("grad", name .. ": the states behind the last element have no derivative")
      end)
    end
    return r, ends
  end)

  -- ==== Windows ======================================================================================================

  --- The numbers that ma.ndimage gives operations and modes, once it is loaded.
  local function numbers_of(name)
    return setmetatable({}, { __index = function(_, key) return core[name][key] end })
  end
  local OPERATIONS, MODES = numbers_of "filter_operations", numbers_of "filter_modes"
  -- of np.pad, by the number of a mode
  local PADS = { [0] = "edge", "wrap", "symmetric", "reflect", "constant", "wrap", "constant" }

  --- A function of the image moved by one of the offsets, with what is beyond its edges.
  local function moved(x, offsets, count, modes, cval)
    local ndim, shape, low = x.ndim, x.shape, {}
    for d = 1, ndim do
      local before, behind, width = 0, 0, {}
      for k = 1, count do
        before, behind = max(before, -offsets[(k - 1) * ndim + d]), max(behind, offsets[(k - 1) * ndim + d])
      end
      low[d] = before
      for e = 1, ndim do width[e] = { 0, 0 } end
      width[d] = { before, behind }
      local mode = PADS[modes[d]]
      if before + behind > 0 then
        x = ma.pad(x, width, mode, mode == "constant" and { constant_values = cval } or nil)
      end
    end
    return function(k)
      local ranges = {}
      for d = 1, ndim do
        local first = 1 + low[d] + offsets[(k - 1) * ndim + d]
        ranges[d] = { first, first + shape[d] - 1 }
      end
      return x[ranges]
    end
  end

  local function window(x, op, offsets, weights, modes, cval, rank)
    local count = #offsets / x.ndim
    local at = moved(x, offsets, count, modes, cval)
    local parts = {}
    for k = 1, count do
      local weight = weights and weights[k]
      parts[k] = at(k)
      if op == OPERATIONS.CORRELATE then parts[k] = parts[k] * weight
      elseif weight then parts[k] = parts[k] + weight end
    end
    if op == OPERATIONS.RANK then
      local all = ma.stack(parts)
      local place = core.unrecorded(function() return core.along(ma.argsort(all, 1), 1, rank + 1, rank + 1):copy() end)
      return all:take_along_axis(place, 1):reshape(x.shape)
    end
    if op == OPERATIONS.MIN then return ma.stack(parts):min(1) end
    if op == OPERATIONS.MAX then return ma.stack(parts):max(1) end
    local sum = parts[1]
    for k = 2, count do sum = sum + parts[k] end
    return op == OPERATIONS.MEAN and sum / count or sum
  end

  define("core.filter_window", function(_, call, name, from, to, op, compute, offsets, weights, symmetry, rank, modes,
    cval)
    local known = op == OPERATIONS.CORRELATE or op == OPERATIONS.MIN or op == OPERATIONS.MAX or op == OPERATIONS.RANK
    if not known then refuse(name) end
    tape.check_write(name, to)
    local r = plainly(call, name, from, to, op, compute, offsets, weights, symmetry, rank, modes, cval)
    if not is_real(to) then return r end
    note_by_operations(name, { from }, to, function(x)
      return window(x, op, offsets, weights, modes, cval, rank)
    end, true)
    return r
  end)

  define("core.filter_line", function(_, call, name, from, to, op, compute, axis, size, before, mode, cval)
    tape.check_write(name, to)
    local r = plainly(call, name, from, to, op, compute, axis, size, before, mode, cval)
    if not is_real(to) then return r end
    local offsets, modes, ndim = {}, {}, from.ndim
    for k = 1, size do
      for d = 1, ndim do offsets[(k - 1) * ndim + d] = d == axis and k - 1 - before or 0 end
    end
    for d = 1, ndim do modes[d] = d == axis and mode or 0 end
    note_by_operations(name, { from }, to, function(x) return window(x, op, offsets, nil, modes, cval) end, true)
    return r
  end)

  -- ==== Splines ======================================================================================================

  --- The coefficients of a spline, in place of the elements: a product of each line with a matrix.
  define("core.filter_spline", function(_, call, name, data, axis, order, mode)
    tape.check_write(name, data)
    local n = data.shape[axis]
    local r = core.unrecorded(function()
      local copy = data:copy()
      plainly(call, name, copy, axis, order, mode)
      return copy
    end)
    note(name, { data }, r, function(g)
      local lines = ma.eye(n, { dtype = g.dtype, device = g.device })
      core.unrecorded(function() core.filter_spline(name, lines, 1, order, mode) end)
      return ma.matmul(g:moveaxis(axis, -1), lines):moveaxis(-1, axis)
    end)
    kit.replace(name, data, r)
  end)

  --- Places from 0 to n - 1 for those beyond the edges, and which of them are inside.
  local function mapped(p, n, mode)
    local last = n - 1
    if mode == MODES.CONSTANT then
      return ma.clip(p, 0, last), ma.logical_and(ma.greater_equal(p, 0), ma.less_equal(p, last))
    end
    if mode == MODES.NEAREST then return ma.clip(p, 0, last) end
    if mode == MODES.GRID_CONSTANT then return p end
    if n == 1 then return p * 0 end
    if mode == MODES.WRAP then
      return ma.where(ma.logical_or(ma.less(p, 0), ma.greater(p, last)), p - ma.floor(p / last) * last, p)
    end
    if mode == MODES.GRID_WRAP then return p - ma.floor(p / n) * n end
    local half = mode == MODES.MIRROR and last or n
    local round = mode == MODES.MIRROR and p or p + 0.5
    round = round - ma.floor(round / (2 * half)) * (2 * half)
    round = ma.where(ma.greater(round, half), 2 * half - round, round)
    return mode == MODES.MIRROR and round or round - 0.5
  end

  --- The same for whole places, which are elements: the rule by which coefficients continue.
  local function element(p, n, mode)
    if mode == MODES.GRID_CONSTANT or mode == MODES.CONSTANT or mode == MODES.WRAP then mode = MODES.MIRROR end
    if mode == MODES.NEAREST then mode = MODES.REFLECT end
    if n == 1 then return p * 0 end
    if mode == MODES.GRID_WRAP then return p % n end
    if mode == MODES.MIRROR then
      p = p % (2 * n - 2)
      return ma.where(ma.greater(p, n - 1), 2 * n - 2 - p, p)
    end
    p = p % (2 * n)
    return ma.where(ma.greater(p, n - 1), 2 * n - 1 - p, p)
  end

  --- The B-spline of an order, at a distance from its middle.
  local function spline(u, order)
    if order == 0 then return 1 end
    local sum, binomial, factorial = 0, 1, 1
    for k = 2, order do factorial = factorial * k end
    for k = 0, order + 1 do
      sum = sum + binomial / factorial * ma.maximum(u + ((order + 1) / 2 - k), 0) ^ order
      binomial = -binomial * (order + 1 - k) / (k + 1)
    end
    return sum
  end

  --- The places, from 0 on, at which a transform reads: rows of coordinates, or the matrix times the place of a result.
  local function places_of(given, ndim, shape, d)
    if given.coordinates then
      return given.coordinates[{ { d, d } }]:reshape(#shape > 0 and shape or { 1 }) - 1
    end
    local sum, matrix = given.shift[d], given.matrix
    local diagonal = #matrix == ndim and #shape == ndim and (ndim > 1 or given.before ~= nil)
    for k = 1, #shape do
      local factor = diagonal and (k == d and matrix[d] or 0) or not diagonal and matrix[(d - 1) * #shape + k]
      local extents = {}
      for e = 1, #shape do extents[e] = e == k and shape[k] or 1 end
      local place = ma.arange(shape[k], { dtype = "float64", device = given.device }):reshape(extents)
      if given.before then place = place + given.before[k] end
      if factor ~= 0 then sum = sum + place * factor end
    end
    return ma.broadcast_to(sum, shape)
  end

  --- The image's values by splines: all products of the weights of each axis.
  local function values(image, shape, order, mode, cval, pad, given)
    local ndim, inside, axes, stride = image.ndim, nil, {}, 1
    for d = ndim, 1, -1 do
      local n, p = image.shape[d], places_of(given, ndim, shape, d)
      local place, within = mapped(pad > 0 and p + pad or p, n, mode)
      if within then inside = inside and ma.logical_and(inside, within) or within end
      local base = ma.floor(order % 2 == 1 and place or place + 0.5) - floor(order / 2)
      axes[d] = {}
      for l = 0, order do
        local tap, at = { weight = spline(place - (base + l), order) }, base + l
        if mode == MODES.GRID_CONSTANT then
          tap.inside = ma.logical_and(ma.greater_equal(at, 0), ma.less_equal(at, n - 1))
        end
        tap.offset = core.unrecorded(function() return element(at, n, mode):astype("int64") * stride end)
        axes[d][l + 1] = tap
      end
      stride = stride * n
    end
    local flat, sum = image:reshape(image.size), 0
    local function add(d, offset, weight, within)
      if d > ndim then
        local value = flat:take((offset + 1):flatten()):reshape(offset.shape)
        if within then value = ma.where(within, value, cval) end
        sum = sum + value * weight
        return
      end
      for _, tap in ipairs(axes[d]) do
        local both = within
        if tap.inside then both = both and ma.logical_and(both, tap.inside) or tap.inside end
        add(d + 1, offset and offset + tap.offset or tap.offset, weight * tap.weight, both)
      end
    end
    add(1, nil, 1, nil)
    return inside and ma.where(inside, sum, cval) or sum
  end

  define("core.filter_transform", function(_, call, name, from, to, order, mode, cval, pad, coordinates, matrix, shift,
    before)
    tape.check_write(name, to)
    local r = plainly(call, name, from, to, order, mode, cval, pad, coordinates, matrix, shift, before)
    if not is_real(to) then return r end
    local shape, device, inputs = to.shape, to.device, { from, coordinates }
    if order == 0 and tape.is_known(coordinates) then                 -- it steps by places
      tape.note_cut(name)
      inputs, coordinates = { from }, ma.stop_gradient(coordinates)
    end
    note_by_operations(name, inputs, to, function(image, places)
      return values(image, shape, order, mode, cval, pad, { coordinates = places or coordinates, matrix = matrix,
        shift = shift, before = before, device = device }):reshape(shape)
    end, true)
    return r
  end)
end
