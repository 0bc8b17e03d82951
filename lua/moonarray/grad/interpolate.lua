--- What flows back through the parts of ma.interpolate: B-splines by points and by coefficients, systems whose matrix
--- is a band, and values between the points of a grid.

return function(core, tape, kit)
  local ma, plainly, note, note_by_operations = core.library, core.plainly, tape.note, kit.note_by_operations
  local define, refuse, is_known = kit.define, kit.refuse, tape.is_known

  --- The B-splines that are not 0 at points: their slopes are those of the next order.
  define("core.bspline_basis", function(_, call, t, k, points, nu)
    if is_known(t) then refuse("interpolate.BSpline", "has no derivative by knots") end
    local first, basis = plainly(call, t, k, points, nu)
    note("interpolate.BSpline", { points }, basis, function(g)
      local _, slopes = core.bspline_basis(t, k, points, nu + 1)
      return (g * slopes):sum(1)
    end, { points, t })
    return first, basis
  end)

  define("core.bspline_sums", function(_, call, t, k, points, nu, rows)
    if is_known(t) then refuse("interpolate.BSpline", "has no derivative by knots") end
    local r = plainly(call, t, k, points, nu, rows)
    local shape = r.shape
    return note_by_operations("interpolate.BSpline", { points, rows }, r, function(x, coefficients)
      local first, basis = core.bspline_basis(t, k, x, nu)
      local sum = 0
      for j = 0, k do
        local weight = basis[{ { j + 1, j + 1 }, {} }]:reshape(x.size, 1)
        sum = sum + weight * coefficients:take(first:flatten() + j, 1)
      end
      return sum:reshape(shape)
    end, nil, { t })
  end)

  --- The band of the transpose: row i of a band has the elements from column i - lower on.
  local function turned(bands, lower)
    local width = bands.shape[2]
    local upper, columns = width - 1 - lower, {}
    for c = 0, width - 1 do
      columns[c + 1] = ma.roll(bands[{ {}, { width - c, width - c } }], upper - c, 1)
    end
    return core.contiguous(ma.concatenate(columns, 2)), upper
  end

  define("core.linalg_banded", function(_, call, name, bands, lower, b)
    if is_known(bands) then refuse(name, "has no derivative by its points") end
    return note(name, { b }, plainly(call, name, bands, lower, b), function(g)
      local band, below = turned(bands, lower)
      return core.linalg_banded(name, band, below, core.contiguous(g))
    end, { bands })
  end)

  --- Rows of values between the corners of a grid's cells, or of the nearest corner.
  local function between(points, rows, axes, nearest, fill)
    local corners, stride, outside = { { 0, 1 } }, 1, nil
    for d = #axes, 1, -1 do
      local axis, x, found = axes[d], points[{ {}, { d, d } }]:flatten(), {}
      local n = axis.size
      local at = core.unrecorded(function()
        return ma.clip(ma.searchsorted(axis, x, "right") - 1, 1, math.max(n - 1, 1)):astype("int64")
      end)
      local part = n > 1 and (x - axis:take(at)) / (axis:take(at + 1) - axis:take(at)) or x * 0
      if nearest then part = ma.where(ma.greater(part, 0.5), 1, 0) end
      local beyond = ma.logical_or(ma.less(x, core.along(axis, 1, 1, 1)), ma.greater(x, core.along(axis, 1, n, n)))
      outside = outside and ma.logical_or(outside, beyond) or beyond
      for _, corner in ipairs(corners) do
        found[#found + 1] = { corner[1] + (at - 1) * stride, corner[2] * (1 - part) }
        if n > 1 then found[#found + 1] = { corner[1] + at * stride, corner[2] * part } end
      end
      corners, stride = found, stride * n
    end
    local sum = 0
    for _, corner in ipairs(corners) do
      local weight = corner[2]
      sum = sum + rows:take(corner[1] + 1, 1) * weight:astype(rows.dtype):reshape(points.shape[1], 1)
    end
    return fill and ma.where(outside:reshape(points.shape[1], 1), fill, sum) or sum
  end

  define("core.regular_grid", function(_, call, points, rows, axes, nearest, fill, with_outside)
    local name = "interpolate.RegularGridInterpolator"
    for _, axis in ipairs(axes) do
      if is_known(axis) then refuse(name, "has no derivative by the places of its grid") end
    end
    local r, outside = plainly(call, points, rows, axes, nearest, fill, with_outside)
    local shape = r.shape
    note_by_operations(name, { points, rows }, r, function(x, values)
      return between(x, values, axes, nearest, fill):reshape(shape)
    end, nil, axes)
    return r, outside
  end)
end
