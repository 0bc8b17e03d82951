--- Diagonals: the format dia, and the diagonals of any matrix.
---
--- Row d of a DIA matrix's data is diagonal offsets[d]: data[d, j] is in column j, so in row j - offsets[d]. An offset
--- is a distance: 0 is the main diagonal, 1 the one above it.

local sformat, min, max = require("moonarray.text").format, math.min, math.max

return function(ma, core, sp)
  local def, fail, is_array, describe = core.def, core.fail, core.is_array, core.describe
  local common = require "moonarray.common" (core)
  local method, new, state_of = sp.method, sp.new, sp.state

  local function make(rows, columns, data, shifts, device)
    return { format = "dia", rows = rows, columns = columns, data = data, shifts = shifts,
      offsets = ma.array(shifts, { dtype = sp.index_dtype(rows, columns, 0), device = device or data.device }) }
  end

  --- The columns first .. last that a diagonal has within the matrix and its data.
  local function extent(s, shift)
    return max(1, 1 + shift), min(s.columns, s.rows + shift, s.data.shape[2])
  end

  function sp.dia_nnz(s)
    local n = 0
    for _, shift in ipairs(s.shifts) do
      local first, last = extent(s, shift)
      n = n + max(0, last - first + 1)
    end
    return n
  end

  --- {data, offsets} as dia_matrix takes it.
  function sp.from_diagonals(name, list, shape, dtype)
    if not shape then fail(name, "diagonals without a shape; wanted {shape = {rows, columns}}") end
    local rows, columns = sp.extents(name, shape)
    local data = is_array(list[1]) and list[1] or ma.array(list[1])
    local shifts = list[2]
    if type(shifts) == "number" then shifts = { shifts } end
    if is_array(shifts) then shifts = ma.atleast_1d(shifts):totable() end
    if data.ndim == 1 then data = data:reshape(1, data.size) end
    if data.ndim ~= 2 or data.shape[1] ~= #shifts then
      fail(name, sformat("data is %s with %d offsets; wanted a row for each", describe(data), #shifts))
    end
    local seen, plain = {}, {}
    for k, shift in ipairs(shifts) do
      plain[k] = common.whole(name, "an offset", tonumber(shift) or shift)
      if seen[plain[k]] then fail(name, sformat("offset %d twice", plain[k])) end
      seen[plain[k]] = true
    end
    if dtype then data = data:astype(dtype) end
    return make(rows, columns, sp.values(data), plain)
  end

  -- ==== Conversions ================================================================================================

  --- The entries that are not 0, diagonal by diagonal. Waits.
  function sp.dia_to_coo(s)
    local device = s.data.device
    local d, n = s.data.shape[1], s.data.shape[2]
    local index = sp.index_dtype(s.rows, s.columns, d * n)
    local col = ma.broadcast_to(ma.range(1, n, { dtype = "int64", device = device }), { d, n })
    local row = col - s.offsets:astype("int64"):reshape(d, 1)
    local mask = row:ge(1) * row:le(s.rows) * col:le(s.columns) * s.data:ne(0)
    return { format = "coo", rows = s.rows, columns = s.columns, row = sp.positions(row[mask], index),
      col = sp.positions(col:copy()[mask], index), data = s.data[mask] }
  end

  --- The entries that are not 0, row by row. Waits.
  function sp.dia_to_csr(s, name)
    local index = sp.index_dtype(s.rows, s.columns, s.data.size)
    if not s.data.is_contiguous then s = rawget(sp.with_data(s, s.data:copy()), sp.key) end
    local indptr, indices, data = core.sparse_make(name, "stripes", s, index == "int64")
    return sp.compressed("csr", s.rows, s.columns, indptr, indices, data, true, true)
  end

  --- Waits.
  function sp.to.dia(s, name)
    if s.format == "dia" then return s end
    local coo = sp.to.coo(sp.summed(name, s), name)
    local device = s.data.device
    if coo.data.size == 0 then
      return make(s.rows, s.columns, ma.zeros({ 0, 0 }, { dtype = s.data.dtype, device = device }), {}, device)
    end
    local shift = coo.col:astype("int64") - coo.row
    local shifts, which = ma.unique(shift, { return_inverse = true })
    local width = tonumber(coo.col:max():item())
    local data = ma.zeros(shifts.size * width, { dtype = s.data.dtype, device = device })
    data[ma.index((which:astype("int64") - 1) * width + coo.col)] = coo.data
    local plain = {}
    for k, value in ipairs(shifts:totable()) do plain[k] = tonumber(value) end
    return make(s.rows, s.columns, data:reshape(shifts.size, width), plain)
  end

  --- The transpose of a DIA matrix.
  function sp.turned_other(s)
    if s.format == "bsr" then return sp.turned_blocks(s) end
    local d, device = #s.shifts, s.data.device
    local data = ma.zeros({ d, s.rows }, { dtype = s.data.dtype, device = device })
    local shifts = {}
    for k, shift in ipairs(s.shifts) do
      shifts[k] = -shift
      local first, last = extent(s, shift)
      if first <= last then
        data[{ k, { first - shift, last - shift } }] = s.data[{ k, { first, last } }]
      end
    end
    return make(s.columns, s.rows, data, shifts, device)
  end

  sp.constructor("dia",
    "A sparse matrix by diagonals, from another matrix, an array or nested tables, empty from {rows, columns}, or " ..
      "from {data, offsets} with shape: row d of data is the diagonal offsets[d], and data[d, j] lies in column j.")

  -- ==== Diagonals of any matrix ====================================================================================

  local function shift_of(name, s, k)
    k = common.diagonal(name, k)
    if k >= s.columns and s.columns > 0 and k > 0 or -k >= s.rows and s.rows > 0 and k < 0 then return k, 0 end
    return k, max(0, min(s.rows + min(k, 0), s.columns - max(k, 0)))
  end

  --> sparse.Matrix.diagonal()
  method("diagonal(a: sparse_matrix, k?: integer) -> array",
    "Diagonal k (0) as a vector: above the main one for k > 0.", function(a, k)
    local name = "sparse.Matrix.diagonal"
    local s = state_of(name, a)
    local n
    k, n = shift_of(name, s, k)
    if n > 0 and s.data.size > 0 and (s.format == "csr" or s.format == "csc") then
      return core.sparse_diagonal(name, s, k, n)
    end
    local coo = sp.to.coo(s, name)
    local result = ma.zeros(n, { dtype = s.data.dtype, device = s.data.device })
    if n == 0 or coo.data.size == 0 then return result end
    local mask = (coo.col:astype("int64") - coo.row):eq(k)
    local at = (k < 0 and coo.col or coo.row)[mask]
    if at.size > 0 then result:iadd_at(ma.index(at), coo.data[mask]) end
    return result
  end)

  --> sparse.Matrix.setdiag(9):toarray()
  method("setdiag(a: sparse_matrix, values: data, k?: integer) -> sparse_matrix",
    "Writes diagonal k (0): a number, or as many values as it has, or fewer. Returns " ..
    "the matrix.", function(a, values, k)
    local name = "sparse.Matrix.setdiag"
    local s = state_of(name, a)
    local n
    k, n = shift_of(name, s, k)
    if n == 0 and k ~= 0 then fail(name, sformat("diagonal %d of a matrix of shape (%d, %d)", k, s.rows, s.columns)) end
    local device = s.data.device
    values = is_array(values) and values or core.asarray(values, { device = device })
    if values.ndim > 1 then fail(name, sformat("%s; wanted a number or a vector", describe(values))) end
    if values.ndim == 1 then n = min(n, values.size) end
    if n == 0 then return a end
    local at = ma.range(1, n, { dtype = "int64", device = device })
    if values.ndim == 1 and values.size > n then values = values[{ { 1, n } }] end
    a[{ k < 0 and at - k or at, k > 0 and at + k or at }] = values
    return a
  end)

  -- ==== Matrices of diagonals ======================================================================================

  --- DIA from a list of vectors (or one) and their offsets.
  local function diags(name, diagonals, offsets, shape, dtype)
    if type(offsets) == "number" or offsets == nil then
      local one = offsets or 0
      local single = is_array(diagonals) and diagonals.ndim == 1 or type(diagonals) == "table" and
        (#diagonals == 0 or type(diagonals[1]) == "number")
      offsets = { one }
      if single then diagonals = { diagonals } end
    end
    if is_array(offsets) and offsets.ndim == 1 then offsets = offsets:totable() end
    common.type(name, "offsets", offsets, "table")
    if not is_array(diagonals) then common.type(name, "diagonals", diagonals, "table") end
    local list, device = {}, nil
    for k = 1, #offsets do
      local v = diagonals[k]
      if type(v) == "number" then v = { v } end
      list[k] = is_array(v) and v or ma.array(v)
      if list[k].ndim > 1 then fail(name, sformat("diagonal %d is %s; wanted a vector", k, describe(list[k]))) end
      device = device or list[k].device
    end
    local count = is_array(diagonals) and diagonals.shape[1] or #diagonals
    if count ~= #offsets then
      fail(name, sformat("%d diagonals and %d offsets; wanted as many", count, #offsets))
    end
    if #offsets == 0 then fail(name, "no diagonals; wanted at least one") end
    local shifts = {}
    for k, shift in ipairs(offsets) do shifts[k] = common.whole(name, "an offset", tonumber(shift) or shift) end
    local m, n
    if shape then
      m, n = sp.extents(name, shape)
    else
      m = list[1].size + math.abs(shifts[1])
      n = m
    end
    local kind = dtype or sp.dtype(ma.result_type(common.unpack(name, list)))
    local data = ma.zeros({ #list, n }, { dtype = kind, device = device })
    for k, v in ipairs(list) do
      local shift = shifts[k]
      local length = min(m + shift, n - shift, min(m, n))
      if length < 0 then fail(name, sformat("offset %d outside of a matrix of shape (%d, %d)", shift, m, n)) end
      if v.size ~= length and v.size ~= 1 then
        fail(name, sformat("diagonal %d (offset %d) has %d elements; wanted %d or 1", k, shift, v.size, length))
      end
      local first = max(1, 1 + shift)
      if length > 0 then data[{ k, { first, first + length - 1 } }] = v end
    end
    return sp.state(name, ma.sparse.dia_matrix({ data, shifts }, { shape = { m, n } }))
  end

  --> sparse.diags sparse.diags_array: ma.sparse.diags({{1, 2, 3}, {4, 5}}, {0, 1}):toarray()
  for _, name in ipairs { "diags", "diags_array" } do
    local full = "sparse." .. name
    def(full .. "(diagonals: data, offsets?: integer|integer[], shape?: integer|integer[], format?: string, "
      .. "dtype?: dtype) -> sparse_matrix",
      "A sparse matrix with these vectors on the diagonals offsets (0): one vector, or a table of vectors with a " ..
        "table of offsets; a vector of one element fills its diagonal. format: \"dia\" unless it is given.",
      function(diagonals, offsets, shape, format, dtype)
        return new(sp.as(full, diags(full, diagonals, offsets, shape, dtype), format or "dia"))
      end)
  end

  --> sparse.spdiags: ma.sparse.spdiags({{1, 2, 3}}, {1}, 3, 3):toarray()
  def("sparse.spdiags(data: data, diags: data, m?: integer, n?: integer, format?: string) -> sparse_matrix",
    "A sparse matrix of m rows and n columns from diagonals as rows of a matrix: data[d, j] lies in column j of " ..
      "diagonal diags[d]. m may be {rows, columns}.",
    function(data, offsets, m, n, format)
      local name = "sparse.spdiags"
      local shape = type(m) == "table" and m or { m, n }
      return new(sp.as(name, sp.from_diagonals(name, { data, offsets }, shape), format or "dia"))
    end)

  sp.make_dia = make
end
