--- Conversions between formats, and what the library knows of the order of entries.
---
--- The core's functions take the state of an object (matrix.lua) in any format and make a CSR. Of a CSC they make the
--- CSR of its transpose. They return indptr, indices, data, and whether the result is sorted and canonical where they
--- know that.

local sformat = require("moonarray.text").format

return function(ma, core, sp)
  local fail = core.fail
  local method, new, state_of, attributes = sp.method, sp.new, sp.state, sp.attributes
  local to = {}                        -- to[format](s) -> state
  sp.to = to

  -- ==== Compressed formats =========================================================================================

  local OTHER = { csr = "csc", csc = "csr" }

  --- The state of a compressed matrix.
  function sp.compressed(format, rows, columns, indptr, indices, data, sorted, canonical)
    return { format = format, rows = rows, columns = columns, indptr = indptr, indices = indices, data = data,
      sorted = sorted, canonical = canonical }
  end
  local compressed = sp.compressed

  --- The state of a matrix that has some entries of `s`, in the order that they have there.
  function sp.some_of(s, rows, columns, indptr, indices, data)
    return compressed(s.format, rows, columns, indptr, indices, data, s.sorted, s.canonical)
  end

  function sp.copy(s)
    local copy = {}
    for key, value in pairs(s) do copy[key] = core.is_array(value) and value:copy() or value end
    copy.turn = nil
    return copy
  end

  --- Converts CSR to CSC and back. The result is sorted; duplicates stay.
  local function turned(name, s)
    local other = compressed(OTHER[s.format], s.rows, s.columns, core.sparse_transpose(name, s))
    other.canonical = s.canonical
    return other
  end

  local function from_coo(name, s, format)
    local by_rows = format == "csr" and s or
      { format = "coo", rows = s.columns, columns = s.rows, row = s.col, col = s.row, data = s.data }
    return compressed(format, s.rows, s.columns, core.sparse_order(name, by_rows, true))
  end

  --- The matrix as CSR or CSC; a compressed matrix is returned as it is.
  function sp.either(name, s)
    if s.format == "csr" or s.format == "csc" then return s end
    return to.csr(s, name)
  end

  local function to_compressed(format)
    return function(s, name)
      if s.format == format then return s end
      if s.format == OTHER[format] then return turned(name, s) end
      if s.format == "coo" then return from_coo(name, s, format) end
      local by_rows = s.format == "dia" and sp.dia_to_csr(s, name) or sp.bsr_to_csr(s, name)
      return format == "csr" and by_rows or turned(name, by_rows)
    end
  end
  to.csr, to.csc = to_compressed("csr"), to_compressed("csc")

  --- The row (of CSR) or column (of CSC) of each entry.
  function sp.majors(name, s) return core.sparse_expand(name, s) end

  function to.coo(s, name)
    if s.format == "coo" then return s end
    if s.format == "dia" then return sp.dia_to_coo(s) end
    if s.format == "bsr" then return sp.bsr_to_coo(s, name) end
    local major, minor = sp.majors(name, s), s.indices
    if s.format == "csc" then major, minor = minor, major end
    return { format = "coo", rows = s.rows, columns = s.columns, row = major, col = minor, data = s.data,
      canonical = s.format == "csr" and s.canonical or nil }
  end

  --- The matrix in a format; a matrix that has the format is returned as it is.
  function sp.as(name, s, format)
    if not to[format] then
      fail(name, sformat("the format %s; wanted \"csr\", \"csc\", \"coo\", \"dia\" or \"bsr\"", core.describe(format)))
    end
    return to[format](s, name)
  end

  -- ==== Order ======================================================================================================

  --- Finds out whether a compressed matrix is sorted and canonical. Waits.
  local function look(name, s) s.sorted, s.canonical = core.sparse_look(name, s) end

  function attributes.has_sorted_indices(s)
    if s.format ~= "csr" and s.format ~= "csc" and s.format ~= "bsr" then return nil end
    if s.sorted == nil then look("sparse.Matrix", s) end
    return s.sorted
  end

  function attributes.has_canonical_format(s)
    if s.canonical == nil then
      if s.format == "coo" then
        s.canonical = false
      elseif s.format ~= "dia" then
        look("sparse.Matrix", s)
      else
        s.canonical = true
      end
    end
    return s.canonical
  end

  --- Sorts the rows in new arrays, because other matrices may share the old ones.
  local function sort(name, s)
    if attributes.has_sorted_indices(s) then return s end
    s.indptr, s.indices, s.data = core.sparse_order(name, s)
    s.sorted = true
    s.canonical = s.canonical or nil                   -- it may have lacked only the order
    return s
  end

  --- A compressed matrix with sorted rows and without duplicates, which are added up.
  local function united(name, s)
    return compressed(s.format, s.rows, s.columns, core.sparse_order(name, s, true))
  end

  --- Adds up duplicates in place.
  local function sum_duplicates(name, s)
    if attributes.has_canonical_format(s) then return s end
    local one = s.format == "coo" and to.coo(from_coo(name, s, "csr"), name) or united(name, s)
    for key, value in pairs(one) do s[key] = value end
    s.sorted, s.canonical = true, true
    return s
  end

  --- The state with sorted rows and without duplicates. The given state does not change.
  function sp.canonical(name, s)
    if s.format ~= "csr" and s.format ~= "csc" then s = to.csr(s, name) end
    if attributes.has_canonical_format(s) then return s end
    return united(name, s)
  end

  --> sparse.Matrix.sort_indices sparse.Matrix.sorted_indices:
  --> \ ma.sparse.csr_matrix({{1, 2}, {3, 1}, {1, 3}}, {shape = {1, 3}}):sort_indices().indices
  method("sort_indices(a: sparse_matrix) -> sparse_matrix",
    "Sorts the columns of each row (in CSC the rows of each column) in place; returns the " ..
    "matrix.", function(a)
    local name = "sparse.Matrix.sort_indices"
    local s = state_of(name, a)
    if s.format == "csr" or s.format == "csc" then sort(name, s) end
    return a
  end)

  method("sorted_indices(a: sparse_matrix) -> sparse_matrix",
    "A matrix with the columns of each row sorted; the matrix itself stays as it is.",
    function(a)
      local name = "sparse.Matrix.sorted_indices"
      return new(sort(name, sp.copy(sp.either(name, state_of(name, a)))))
    end)

  --> sparse.Matrix.sum_duplicates:
  --> \ ma.sparse.coo_matrix({{1, 2}, {{1, 1}, {3, 3}}}, {shape = {1, 3}}):sum_duplicates().data
  method("sum_duplicates(a: sparse_matrix) -> sparse_matrix",
    "Adds up entries at the same place, in place, and sorts; returns the matrix.",
    function(a)
      local name = "sparse.Matrix.sum_duplicates"
      local s = state_of(name, a)
      if s.format == "csr" or s.format == "csc" or s.format == "coo" then sum_duplicates(name, s) end
      return a
    end)

  --- The entries of a COO matrix where a mask is true.
  function sp.coo_where(s, mask)
    return { format = "coo", rows = s.rows, columns = s.columns, row = s.row[mask], col = s.col[mask],
      data = s.data[mask], canonical = s.canonical }
  end

  --> sparse.Matrix.eliminate_zeros: (ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}) * 0):eliminate_zeros().nnz
  method("eliminate_zeros(a: sparse_matrix) -> sparse_matrix",
    "Removes stored entries that are 0, in place; returns the matrix. Waits.", function(a)
    local name = "sparse.Matrix.eliminate_zeros"
    local s = state_of(name, a)
    if s.format == "dia" or s.data.size == 0 then return a end
    local other
    if s.format == "bsr" then
      other = to.bsr(sp.drop_zeros(to.csr(s, name)), name, s.data.shape[2], s.data.shape[3])
    else
      other = sp.drop_zeros(s)
    end
    for key, value in pairs(other) do s[key] = value end
    return a
  end)

  --- The matrix without stored zeros; a matrix that has none is returned as it is. Waits.
  function sp.drop_zeros(s)
    if s.data.size == 0 then return s end
    if s.format == "bsr" then s = to.csr(s, "sparse.Matrix") end       -- blocks stay whole
    if s.format == "coo" then
      local mask = s.data:ne(0)
      return mask:min():item() and s or sp.coo_where(s, mask)
    end
    local indptr, indices, data = core.sparse_make("sparse.Matrix", "full", s, false)
    return indices and sp.some_of(s, s.rows, s.columns, indptr, indices, data) or s
  end

  -- ==== Dense ======================================================================================================

  --- The matrix as an array.
  function sp.dense(name, s)
    if s.format == "dia" or s.format == "bsr" then s = to.coo(s, name) end
    local m, n = s.rows, s.columns
    local row, col = s.row, s.col
    if not row then
      row, col = sp.majors(name, s), s.indices
      if s.format == "csc" then row, col = col, row end
    end
    local flat = ma.zeros(m * n, { dtype = s.data.dtype, device = s.data.device })
    if s.data.size > 0 then
      local place = ma.index((row:astype("int64") - 1) * n + col)
      if s.canonical then flat[place] = s.data else flat:iadd_at(place, s.data) end
    end
    return flat:reshape(m, n)
  end

  for _, name in ipairs { "toarray", "todense" } do
    --> sparse.Matrix.toarray sparse.Matrix.todense: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):toarray()
    method(name .. "(a: sparse_matrix, order?: string, out?: array) -> array",
      "The matrix as an array; duplicates are added up. order: \"C\" or \"F\".",
      function(a, order, out)
        local full = "sparse.Matrix." .. name
        local s = state_of(full, a)
        if order ~= nil and order ~= "C" and order ~= "F" then
          fail(full, sformat("order is %s; wanted \"C\" or \"F\"", core.describe(order)))
        end
        local dense = sp.dense(full, s)
        if order == "F" then dense = core.asarray(dense, nil, "F") end
        if out == nil then return dense end
        if not core.is_array(out) or out.shape ~= dense.shape then
          fail(full, sformat("out is %s; wanted an array of shape (%d, %d)", core.describe(out), s.rows, s.columns))
        end
        return out:assign(dense)
      end)
  end

  --- The entries of a dense matrix that are not 0, in CSR. Waits.
  function sp.from_dense(a)
    local m, n = a.shape[1], a.shape[2]
    local mask = a:ne(0)
    local row, col = ma.nonzero(mask)
    local index = sp.index_dtype(m, n, row.size)
    local indptr = ma.searchsorted(row, ma.range(1, m + 1, { device = a.device }))
    return compressed("csr", m, n, sp.positions(indptr, index), sp.positions(col, index), sp.values(a[mask]), true,
      true)
  end

  -- ==== Methods ====================================================================================================

  for _, format in ipairs { "csr", "csc", "coo", "dia" } do
    --> sparse.Matrix.tocsr().format
    --> sparse.Matrix.tocsc().format
    --> sparse.Matrix.tocoo().format
    --> sparse.Matrix.todia().format
    method("to" .. format .. "(a: sparse_matrix, copy?: boolean) -> sparse_matrix",
      "The matrix in the format " .. format .. ", which shares what can be " ..
      "shared unless copy is true.", function(a, copy)
      local name = "sparse.Matrix.to" .. format
      local s = state_of(name, a)
      local result = to[format](s, name)
      if copy then return new(sp.copy(result)) end
      return result == s and a or new(result)
    end)
  end

  --> sparse.Matrix.asformat("coo").row
  method("asformat(a: sparse_matrix, format?: string, copy?: boolean) -> sparse_matrix",
    "The matrix in a format: \"csr\", \"csc\", \"coo\", \"dia\" or \"bsr\".",
    function(a, format, copy)
      local name = "sparse.Matrix.asformat"
      local s = state_of(name, a)
      local result = format == nil and s or sp.as(name, s, format)
      if copy then return new(sp.copy(result)) end
      return result == s and a or new(result)
    end)

  --> sparse.Matrix.copy().nnz
  method("copy(a: sparse_matrix) -> sparse_matrix", "A matrix with arrays of its own.", function(a)
    return new(sp.copy(state_of("sparse.Matrix.copy", a)))
  end)

  --> sparse.Matrix.astype("float32").dtype
  method("astype(a: sparse_matrix, dtype: dtype, copy?: boolean) -> sparse_matrix",
    "The matrix with another dtype.", function(a, dtype, copy)
    local name = "sparse.Matrix.astype"
    local s = state_of(name, a)
    local data = s.data:astype(dtype)
    if sp.dtype(data.dtype) ~= data.dtype then
      fail(name, sformat("dtype %s; a sparse matrix has none of 16 bits", data.dtype))
    end
    if data.dtype == s.data.dtype and copy == false then return a end
    return sp.with_data(s, data)
  end)

  --- The transpose: shares the arrays.
  function sp.transposed(s)
    local t = sp.share(s)
    t.rows, t.columns = s.columns, s.rows
    if OTHER[s.format] then
      t.format = OTHER[s.format]
    elseif s.format == "coo" then
      t.row, t.col, t.canonical = s.col, s.row, nil
    else
      return new(sp.turned_other(s))
    end
    return new(t)
  end

  --> sparse.Matrix.transpose():toarray()
  method("transpose(a: sparse_matrix, axes?: integer|integer[], copy?: boolean) -> sparse_matrix",
    "The transpose: CSR becomes CSC and the reverse, with the same arrays.",
    function(a, axes, copy)
      local name = "sparse.Matrix.transpose"
      if axes ~= nil and not (type(axes) == "table" and axes[1] == 2 and axes[2] == 1) then
        fail(name, sformat("axes is %s; wanted none, or {2, 1}", core.describe(axes)))
      end
      local t = sp.transposed(state_of(name, a))
      return copy and t:copy() or t
    end)

  --- The matrix on another device.
  local function on(name)
    return function(a, device)
      local s = state_of(name, a)
      local t = {}
      for key, value in pairs(s) do t[key] = core.is_array(value) and value:to_device(device) or value end
      t.turn = nil
      return new(t)
    end
  end
  --> sparse.Matrix.to_device sparse.Matrix.get: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):get().device
  method("to_device(a: sparse_matrix, device: string) -> sparse_matrix",
    "The matrix on a device, such as \"cuda\" or \"cpu\".", on("sparse.Matrix.to_device"))
  method("get(a: sparse_matrix) -> sparse_matrix",
    "The matrix on the CPU.", function(a) return on("sparse.Matrix.get")(a, "cpu") end)
end
