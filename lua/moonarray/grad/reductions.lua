--- What flows back through reductions and scans.

return function(core, tape, kit)
  local ma, plainly, note, is_array = core.library, core.plainly, tape.note, core.is_array
  local define, refuse, read, check_others = kit.define, kit.refuse, kit.read, kit.check_others
  local is_real, is_complex, pull = tape.is_real, tape.is_complex, kit.pull

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
  --- result with the reduced axes. `saves`: whether it reads x and r. `complex`: whether it holds for complex values.
  local function reduction(name, saves, flow, complex)
    define(name, function(signature, call, ...)
      local given = read(name, signature, ...)
      check_others(name, given)
      local x, where, r = given.a, given.where, plainly(call, ...)
      if not is_array(x) then refuse(name) end
      if not is_real(r) and not is_complex(r) then return r end
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
    end, complex)
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

  reduction("sum", false, function(wide) return wide end, true)
  reduction("nansum", true, function(wide, x) return not_nan(x, wide) end)
  reduction("mean", false, function(wide, _, _, given, axes, shape) return wide / count_of(given, axes, shape) end,
    true)
  reduction("nanmean", true, function(wide, x, _, given, axes)
    return not_nan(x, wide / valid(x, given):sum(axes, { keepdims = true, dtype = "int64" }))
  end)

  --- What is equal to the extreme, or NaN as it is, shares evenly.
  local function extreme(wide, x, r, given, axes)
    local equal = ma.logical_or(ma.equal(x, r), ma.logical_and(ma.isnan(x), ma.isnan(r)))
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

  for name, skips in pairs { var = false, nanvar = true } do
    reduction(name, true, function(wide, x, _, given, axes) return 2 * wide * spread(x, given, axes, skips) end)
  end
  --- What rises along x by a length or a spread r: 0 where that is 0, whatever rounding leaves of x.
  local function over(x, r) return ma.where(ma.equal(r, 0), 0, x / r) end

  for name, skips in pairs { std = false, nanstd = true } do
    reduction(name, true, function(wide, x, r, given, axes)
      return pull(wide, over(spread(x, given, axes, skips), r))
    end)
  end

  reduction("logsumexp", true, function(wide, x, r) return pull(wide, ma.exp(x - r)) end)
  reduction("core.norm", true, function(wide, x, r) return pull(wide, over(x, r)) end, true)

  --- The products of the elements before each along the last axis and of those behind it.
  local function others(x)
    local n = x.shape[x.ndim]
    local one = ma.ones_like(core.along(x, x.ndim, 1, 1))
    local before = ma.concatenate({ one, core.along(x, x.ndim, 1, n - 1) }, x.ndim):cumprod(x.ndim)
    local behind = ma.flip(ma.concatenate({ one, ma.flip(core.along(x, x.ndim, 2, n), x.ndim) }, x.ndim)
      :cumprod(x.ndim), x.ndim)
    return before * behind
  end
  kit.products_of_others = others

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
    return pull(wide, back(others(rows)) * initial)
  end)

  -- ==== Scans ========================================================================================================

  --- Scans along an axis, or over all elements: flow(g, x, axis).
  local function scan(name, saves, flow, complex)
    define(name, function(signature, call, ...)
      local given = read(name, signature, ...)
      check_others(name, given)
      local x, r = given.a, plainly(call, ...)
      if not is_array(x) then refuse(name) end
      if not is_real(r) and not is_complex(r) then return r end
      local shape, axis, operand = x.shape, given.axis or 1, saves and x
      if axis < 0 then axis = r.ndim + 1 + axis end
      return note(name, { x }, r, function(g)
        return flow(g, operand and (given.axis and operand or operand:reshape(operand.size)), axis):reshape(shape)
      end, saves and { x } or nil)
    end, complex)
  end

  scan("cumsum", false, function(g, _, axis) return ma.flip(ma.flip(g, axis):cumsum(axis), axis) end, true)
  scan("nancumsum", true, function(g, x, axis)
    return not_nan(x, ma.flip(ma.flip(g, axis):cumsum(axis), axis))
  end)

  --- s with s(i) = g(i) + a(i) s(i + 1) along an axis, from its end: each step joins what twice as many elements give.
  local function recurrence(g, a, axis)
    local n, step = g.shape[axis], 1
    while step < n do
      local zeros = ma.zeros_like(core.along(g, axis, 1, step))
      local function ahead(x)
        local part = core.along(a, axis, 1, n - step) * core.along(x, axis, step + 1, n)
        return ma.concatenate({ part, zeros }, axis)
      end
      g, a = g + ahead(g), ahead(a)
      step = 2 * step
    end
    return g
  end

  --- Without division, so that elements may be 0: the product of the elements before each, times what flows to it and,
  --- by the elements between, to those behind it.
  scan("cumprod", true, function(g, x, axis)
    local n = x.shape[axis]
    if n < 2 then return g end
    local first = core.along(x, axis, 1, 1)
    local before = ma.concatenate({ ma.ones_like(first), core.along(x, axis, 1, n - 1) }, axis):cumprod(axis)
    local behind = ma.concatenate({ core.along(x, axis, 2, n), ma.zeros_like(first) }, axis)
    return recurrence(g, behind, axis) * before
  end)
end
