--- csr_matrix, csc_matrix, coo_matrix, dia_matrix: matrices from dense ones, from their arrays, or empty ones.

local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core, sp)
  local def, fail, is_array, describe = core.def, core.fail, core.is_array, core.describe
  local common = require "moonarray.common" (core)
  local new, state_of = sp.new, sp.state

  -- ==== Checks =====================================================================================================

  local function vector(name, what, value, device)
    local a = is_array(value) and value or (type(value) == "table" and ma.array(value, { device = device }))
    if not a or a.ndim ~= 1 then fail(name, sformat("%s is %s; wanted a vector", what, describe(value))) end
    return a
  end

  --- Positions as an array that keeps its integer dtype.
  local function positions(name, what, value, device)
    if type(value) == "table" and not is_array(value) then
      value = ma.array(value, { dtype = "int64", device = device })
    end
    local a = vector(name, what, value)
    if not a.dtype:find("int") then fail(name, sformat("%s is %s; wanted positions", what, describe(a))) end
    return a
  end

  local function one_device(name, a, b, what)
    if a.device ~= b.device then
      fail(name, sformat("data on %s and %s on %s; wanted one device", a.device, what, b.device))
    end
  end

  --- The two numbers of a shape {m, n}.
  local function shape_of(name, shape)
    if type(shape) ~= "table" or #shape ~= 2 then
      fail(name, sformat("shape is %s; wanted {rows, columns}", describe(shape)))
    end
    return common.whole(name, "an extent", shape[1], 0), common.whole(name, "an extent", shape[2], 0)
  end
  sp.extents = shape_of

  local function inside(name, what, least, most, extent)
    least, most = tonumber(least), tonumber(most)
    if least >= 1 and most <= extent then return end
    fail(name, sformat("%s has position %.0f; wanted 1 .. %.0f", what, least < 1 and least or most, extent))
  end

  --- Checks the arrays of a compressed matrix. Waits once.
  local function check_compressed(name, indptr, indices, nnz, extent, names)
    local n = indptr.size
    local first, last = indptr[{ { 1, 1 } }]:reshape({}), indptr[{ { n, n } }]:reshape({})
    local falls = n > 1 and indptr[{ { 2, n } }]:lt(indptr[{ { 1, n - 1 } }]):max() or first:lt(0)
    local any, least, most = indices.size > 0, first, first
    if any then least, most = indices:min(), indices:max() end
    first, last, falls, least, most = ma.item(first, last, falls, least, most)
    first, last = tonumber(first), tonumber(last)
    if first ~= 1 then fail(name, sformat("indptr begins with %.0f; wanted 1, where the first row begins", first)) end
    if falls then fail(name, "indptr falls; wanted numbers that ascend") end
    if last - 1 > nnz then
      fail(name, sformat("indptr ends with %.0f; wanted at most %.0f, one more than the entries", last, nnz + 1))
    end
    if any then inside(name, names, least, most, extent) end
    return last - 1
  end

  -- ==== From arrays ================================================================================================

  local function typed(data, dtype)
    if dtype then data = data:astype(dtype) end
    return sp.values(data)
  end

  --- {data, indices, indptr}; `format` is csr or csc.
  local function from_compressed(name, list, shape, dtype, format)
    local device = is_array(list[1]) and list[1].device or is_array(list[2]) and list[2].device or nil
    local data = vector(name, "data", list[1], device)
    local indices = positions(name, "indices", list[2], data.device)
    local indptr = positions(name, "indptr", list[3], data.device)
    one_device(name, data, indices, "indices")
    one_device(name, data, indptr, "indptr")
    if indices.size ~= data.size then
      fail(name, sformat("%d elements in data and %d in indices; wanted as many", data.size, indices.size))
    end
    if indptr.size == 0 then fail(name, "indptr is empty; wanted one element more than rows") end
    local rows, columns
    if shape then
      rows, columns = shape_of(name, shape)
    else
      local minor = indices.size > 0 and tonumber(indices:max():item()) or 0
      rows, columns = indptr.size - 1, minor
      if format == "csc" then rows, columns = columns, rows end
    end
    local major, minor = rows, columns
    if format == "csc" then major, minor = columns, rows end
    if indptr.size ~= major + 1 then
      fail(name, sformat("%d elements in indptr; wanted %d, one more than %s", indptr.size, major + 1,
        format == "csr" and "rows" or "columns"))
    end
    local used = check_compressed(name, indptr, indices, data.size, minor, "indices")
    if used < data.size then
      data, indices = common.along(data, 1, 1, used), common.along(indices, 1, 1, used)
    end
    local index = sp.index_dtype(rows, columns, used)
    return sp.compressed(format, rows, columns, sp.positions(indptr, index), sp.positions(indices, index),
      typed(data, dtype))
  end

  --- {data, {row, col}}.
  local function from_entries(name, list, shape, dtype)
    local device = is_array(list[1]) and list[1].device or is_array(list[2][1]) and list[2][1].device or nil
    local row = positions(name, "row", list[2][1], device)
    local col = positions(name, "col", list[2][2], row.device)
    local data = list[1]
    if type(data) == "number" then
      data = ma.full(row.size, data, { device = row.device })
    else
      data = vector(name, "data", data, row.device)
    end
    one_device(name, data, row, "row")
    one_device(name, data, col, "col")
    if row.size ~= data.size or col.size ~= data.size then
      fail(name, sformat("%d elements in data, %d in row and %d in col; wanted as many", data.size, row.size, col.size))
    end
    local rows, columns
    if shape then rows, columns = shape_of(name, shape) end
    if row.size > 0 then
      local r0, r1, c0, c1 = ma.item(row:min(), row:max(), col:min(), col:max())
      if not shape then rows, columns = tonumber(r1), tonumber(c1) end
      inside(name, "row", r0, r1, rows)
      inside(name, "col", c0, c1, columns)
    elseif not shape then
      fail(name, "no entries and no shape; wanted {shape = {rows, columns}}")
    end
    local index = sp.index_dtype(rows, columns, row.size)
    return { format = "coo", rows = rows, columns = columns, row = sp.positions(row, index),
      col = sp.positions(col, index), data = typed(data, dtype) }
  end

  --- A matrix without entries.
  function sp.empty(rows, columns, dtype, device)
    local o = { dtype = sp.index_dtype(rows, columns, 0), device = device }
    return sp.compressed("csr", rows, columns, ma.ones(rows + 1, o), ma.zeros(0, o),
      ma.zeros(0, { dtype = sp.dtype(dtype or ma.get_default_dtype()), device = device }), true, true)
  end

  local function from_dense(name, value, shape, dtype, device)
    local a = is_array(value) and value or ma.array(value, { device = device })
    if a.ndim == 0 then a = a:reshape(1, 1) end
    if a.ndim == 1 then a = a:reshape(1, a.size) end
    if a.ndim ~= 2 then fail(name, sformat("%s; wanted a matrix", describe(a))) end
    if shape then
      local rows, columns = shape_of(name, shape)
      if rows ~= a.shape[1] or columns ~= a.shape[2] then
        fail(name, sformat("a matrix of shape %s and shape (%d, %d); wanted the same", common.shape_text(a), rows,
          columns))
      end
    end
    if dtype then a = a:astype(dtype) end
    return sp.from_dense(a)
  end

  -- ==== What an argument is ========================================================================================

  local function is_count(v) return type(v) == "number" and v == floor(v) and v >= 0 end
  local function is_list(v) return is_array(v) or type(v) == "table" end

  --- A matrix in CSR, CSC or COO, of anything that can be one.
  local function anything(name, value, shape, dtype, format, device)
    if sp.is(value) then
      local s = state_of(name, value)
      if shape then
        local rows, columns = shape_of(name, shape)
        if rows ~= s.rows or columns ~= s.columns then fail(name, "another shape than the matrix has") end
      end
      return dtype and sp.cast(s, sp.dtype(dtype)) or s
    end
    if is_array(value) or type(value) ~= "table" then
      if not is_array(value) and type(value) ~= "number" then
        fail(name, sformat("%s; wanted a matrix, {rows, columns}, {data, indices, indptr} or {data, {row, col}}",
          describe(value)))
      end
      return from_dense(name, value, shape, dtype, device)
    end
    if #value == 2 and is_count(value[1]) and is_count(value[2]) then
      return sp.empty(value[1], value[2], dtype, device)
    end
    if #value == 2 and type(value[2]) == "table" and #value[2] == 2 and is_list(value[2][1]) and
      is_list(value[2][2]) then
      return from_entries(name, value, shape, dtype)
    end
    local has_array = is_array(value[1]) or is_array(value[2]) or is_array(value[3])
    if #value == 3 and (has_array or shape) and (format == "csr" or format == "csc") then
      return from_compressed(name, value, shape, dtype, format)
    end
    if #value == 2 and format == "dia" and (shape or has_array) then return sp.from_diagonals(name, value, shape,
      dtype) end
    return from_dense(name, value, shape, dtype, device)
  end
  sp.anything = anything

  --- Any operand as a state, for functions that take sparse and dense matrices.
  function sp.coerce(name, value, device)
    if sp.is(value) then return state_of(name, value) end
    return anything(name, value, nil, nil, "coo", device)
  end

  local DOC = "A sparse matrix in the format %s from another one, from an array or nested tables, empty from {rows, " ..
    "columns}, from {data, {row, col}}%s. Positions count from 1; those out of range are an error, for which the " ..
    "call waits. Arrays are shared where they have the right dtype, unless copy is true. dtype: that of the entries."

  --- A matrix that is another object than the given one: with arrays of its own, or the same ones.
  function sp.another(s, given, copy)
    if copy then return new(sp.copy(s)) end
    return s == given and sp.with_data(s, s.data) or new(s)
  end

  --- Defines the constructors of a format.
  function sp.constructor(format, doc)
    for _, kind in ipairs { "matrix", "array" } do
      local name = sformat("sparse.%s_%s", format, kind)
      --> sparse.csr_matrix sparse.csr_array: print(ma.sparse.csr_matrix({{1, 0, 2}, {0, 0, 3}}))
      --> sparse.csc_matrix sparse.csc_array: ma.sparse.csc_matrix({{1, 0, 2}, {0, 0, 3}}).indices
      --> sparse.coo_matrix sparse.coo_array:
      --> \ ma.sparse.coo_matrix({{5, 6}, {{1, 2}, {3, 1}}}, {shape = {2, 3}}):toarray()
      --> sparse.dia_matrix sparse.dia_array: ma.sparse.dia_matrix({{{1, 2, 3}}, {0}}, {shape = {3, 3}}):toarray()
      def(name .. "(arg1: sparse_matrix|data, shape?: integer|integer[], dtype?: dtype, "
        .. "copy?: boolean; device?: string) -> sparse_matrix", doc,
        function(arg1, shape, dtype, copy, device)
          local given = sp.is(arg1) and state_of(name, arg1)
          return sp.another(sp.as(name, anything(name, arg1, shape, dtype, format, device), format), given, copy)
        end)
    end
  end

  sp.constructor("csr", sformat(DOC, "CSR", ", or {data, indices, indptr}, by rows"))
  sp.constructor("csc", sformat(DOC, "CSC", ", or {data, indices, indptr}, by columns"))
  sp.constructor("coo", sformat(DOC, "COO", ""))

  --> sparse.sparray sparse.spmatrix: ma.sparse.spmatrix(ma.sparse.eye(3))
  for _, kind in ipairs { "spmatrix", "sparray" } do
    local name = "sparse." .. kind
    def(name .. "(x: data) -> sparse_matrix",
      "x as a sparse matrix: x itself if it is one, else its entries in CSR.", function(x)
      if sp.is(x) then return x end
      return new(sp.as(name, anything(name, x, nil, nil, "csr"), "csr"))
    end)
  end
end
