--- Sums, means, extremes and counts, over all elements or along an axis. Results are arrays.

return function(ma, core, sp)
  local fail = core.fail
  local common = require "moonarray.common" (core)
  local method, state_of = sp.method, sp.state

  local function axis_of(name, axis)
    if axis == nil then return nil end
    return common.axis(name, axis, 2)
  end

  local function finish(name, result, out)
    return common.finish(name, result, out)
  end

  -- ==== Sums =======================================================================================================

  --- The dtype of a sum, as for arrays: int64 for bools and short integers.
  local function sum_dtype(s) return ma.sum(ma.zeros(0, { dtype = s.data.dtype })).dtype end

  local function sum(name, s, axis, dtype)
    if axis == nil then
      if s.format == "dia" then s = sp.to.coo(s, name) end
      return ma.sum(s.data, { dtype = dtype })
    end
    local wide = dtype or sum_dtype(s)
    s = sp.cast(sp.either(name, s), sp.dtype(wide))
    local t = axis == 2 and s or rawget(sp.transposed(s), sp.key)
    local rows = sp.row_sums(name, t)
    if rows then return rows.dtype == wide and rows or rows:astype(wide) end
    local ones = ma.ones(t.columns, { dtype = s.data.dtype, device = s.data.device })
    local result = sp.matmul(name, sp.new(t), ones)
    return result.dtype == wide and result or result:astype(wide)
  end

  --> sparse.Matrix.sum(1)
  method("sum(a: sparse_matrix, axis?: integer, dtype?: dtype, out?: array) -> array",
    "The sum of all elements, or along an axis: 1 down the columns, 2 along the " ..
    "rows.", function(a, axis, dtype, out)
    local name = "sparse.Matrix.sum"
    return finish(name, sum(name, state_of(name, a), axis_of(name, axis), dtype), out)
  end)

  --> sparse.Matrix.mean(2)
  method("mean(a: sparse_matrix, axis?: integer, dtype?: dtype, out?: array) -> array",
    "The mean of all elements, zeros included, or along an axis.",
    function(a, axis, dtype, out)
      local name = "sparse.Matrix.mean"
      local s = state_of(name, a)
      axis = axis_of(name, axis)
      local n = axis == nil and s.rows * s.columns or axis == 1 and s.rows or s.columns
      local inexact = ma.mean(ma.ones(1, { dtype = s.data.dtype })).dtype
      local total = sum(name, s, axis, dtype or inexact)
      return finish(name, total / n, out)
    end)

  --> sparse.Matrix.trace()
  method("trace(a: sparse_matrix, offset?: integer) -> array", "The sum of a diagonal.", function(a, offset)
    state_of("sparse.Matrix.trace", a)
    return a:diagonal(offset):sum()
  end)

  -- ==== Extremes ===================================================================================================

  --- Whether a reduction has no elements.
  local function is_nothing(m, n, axis)
    return axis == nil and m * n == 0 or axis == 1 and m == 0 or axis == 2 and n == 0
  end

  local function no_elements(name, what) fail(name, "the " .. what .. " of no elements; wanted at least one") end

  local function extreme(name, what, op, s, axis, skips)
    local fn = ma[op]
    local m, n = s.rows, s.columns
    if is_nothing(m, n, axis) then no_elements(name, what) end
    if axis == nil then
      s = sp.summed(name, s.format == "dia" and sp.to.csr(s, name) or s)
      if s.data.size == 0 then return ma.zeros({}, { dtype = s.data.dtype, device = s.data.device }) end
      local found = ma[skips and "nan" .. what or what](s.data)
      if s.data.size == m * n then return found end
      return fn(found, ma.zeros({}, { dtype = s.data.dtype, device = s.data.device }))
    end
    return sp.extremes(name, op, s, axis, false)
  end

  for what, op in pairs { max = "maximum", min = "minimum" } do
    --> sparse.Matrix.max(1)
    --> sparse.Matrix.min(1)
    method(what .. "(a: sparse_matrix, axis?: integer, out?: array) -> array",
      "The " .. op .. " of all elements, zeros included, or along an axis, as an " ..
      "array.", function(a, axis, out)
      local name = "sparse.Matrix." .. what
      return finish(name, extreme(name, what, op, state_of(name, a), axis_of(name, axis)), out)
    end)
    local nan = what == "max" and "fmax" or "fmin"
    --> sparse.Matrix.nanmax(1)
    --> sparse.Matrix.nanmin(1)
    method("nan" .. what .. "(a: sparse_matrix, axis?: integer, out?: array) -> array",
      "The " .. op .. " of the elements that are not NaN, zeros included.",
      function(a, axis, out)
        local name = "sparse.Matrix.nan" .. what
        return finish(name, extreme(name, what, nan, state_of(name, a), axis_of(name, axis), true), out)
      end)
  end

  --- The first position in C order without an entry, in a canonical CSR that has such positions. Waits.
  local function first_free(s)
    local ends = s.indptr
    local m = ends.size - 1
    local short = (ends[{ { 2, m + 1 } }] - ends[{ { 1, m } }]):lt(s.columns)
    local row = tonumber(short:argmax():item())
    local first, last = ma.item(ends[{ { row, row } }], ends[{ { row + 1, row + 1 } }])
    first, last = tonumber(first), tonumber(last)
    local column = last - first + 1
    if last > first then
      local there = s.indices[{ { first, last - 1 } }]
      local apart = there:ne(ma.range(1, last - first, { dtype = there.dtype, device = there.device }))
      local any, at = ma.item(apart:max(), apart:argmax())
      if any then column = tonumber(at) end
    end
    return (row - 1) * s.columns + column
  end

  --- The position in C order of the extreme of a canonical CSR of real numbers. Waits.
  local function arg_all(s, what)
    --> sparse.Matrix.argmax(1)
    local entry, best = ma.item(s.data[what](s.data), what == "argmax" and s.data:max() or s.data:min())
    entry = tonumber(entry)
    if type(best) == "boolean" then best = best and 1 or 0 end
    local function place()
      local at = ma.searchsorted(s.indptr, ma.full(1, entry, { dtype = s.indptr.dtype, device = s.data.device }),
        "right") - 1
      local row, column = ma.item(at, s.indices[{ { entry, entry } }])
      return (tonumber(row) - 1) * s.columns + tonumber(column)
    end
    --> sparse.Matrix.argmin(1)
    local beaten = what == "argmax" and best < 0 or what == "argmin" and best > 0
    if s.data.size == s.rows * s.columns or best ~= 0 and not beaten then return place() end
    return best == 0 and math.min(place(), first_free(s)) or first_free(s)
  end

  for what, op in pairs { argmax = "greatest", argmin = "least" } do
    method(what .. "(a: sparse_matrix, axis?: integer, out?: array) -> array",
      "The position of the " .. op .. " element, zeros included: in the flattened " ..
      "matrix in C order, or along an axis.", function(a, axis, out)
      local name = "sparse.Matrix." .. what
      local s = state_of(name, a)
      axis = axis_of(name, axis)
      local m, n = s.rows, s.columns
      if is_nothing(m, n, axis) then no_elements(name, what) end
      local fn = what == "argmax" and "maximum" or "minimum"
      s = sp.canonical(name, s)
      if axis then return finish(name, sp.extremes(name, fn, s, axis, true), out) end
      s = sp.to.csr(s, name)
      if s.data.size > 0 and not ma.iscomplexobj(s.data) then
        return finish(name, ma.full({}, arg_all(s, what), { dtype = "int64", device = s.data.device }), out)
      end
      local row = ma[what](sp.extremes(name, fn, s, 2, false))
      return finish(name, (row - 1) * n + sp.extremes(name, fn, s, 2, true):take(row), out)
    end)
  end

  -- ==== Counts =====================================================================================================

  --- The number of entries in each column or row.
  local function counted(name, s, axis)
    local either = sp.either(name, s)
    if axis == nil then return s.data.size end
    local along = (either.format == "csr") == (axis == 2)
    if along then
      local n = either.indptr.size
      return either.indptr[{ { 2, n } }] - either.indptr[{ { 1, n - 1 } }]
    end
    local extent = axis == 2 and s.rows or s.columns
    return ma.bincount(either.indices, { minlength = extent + 1 })[{ { 2, extent + 1 } }]
  end

  --> sparse.Matrix.getnnz(2)
  method("getnnz(a: sparse_matrix, axis?: integer) -> integer|array",
    "The number of stored entries: of the matrix, a number, or of each column (axis 1) or " ..
    "row (axis 2), an array.", function(a, axis)
    local name = "sparse.Matrix.getnnz"
    local s = state_of(name, a)
    axis = axis_of(name, axis)
    if axis == nil then return sp.nnz(s) end
    return counted(name, s, axis)
  end)

  --> sparse.Matrix.count_nonzero(1)
  method("count_nonzero(a: sparse_matrix, axis?: integer) -> array",
    "The number of entries that are not 0: of the matrix, a number, or along an " ..
    "axis, an array. Waits.", function(a, axis)
    local name = "sparse.Matrix.count_nonzero"
    local s = state_of(name, a)
    axis = axis_of(name, axis)
    s = sp.drop_zeros(sp.canonical(name, s))
    if axis == nil then return s.data.size end
    return counted(name, s, axis)
  end)

  --> sparse.Matrix.nonzero: (ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):nonzero())
  method("nonzero(a: sparse_matrix) -> array, array",
    "The rows and the columns of the entries that are not 0, in C order, in two arrays. " ..
    "Waits.", function(a)
    local name = "sparse.Matrix.nonzero"
    local coo = sp.to.coo(sp.to.csr(sp.drop_zeros(sp.canonical(name, state_of(name, a))), name), name)
    return coo.row, coo.col
  end)
end
