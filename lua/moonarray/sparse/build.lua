--- Matrices that are made: identities, random ones, blocks, Kronecker products, triangles.

local tostring = require("moonarray.text").tostring
local sformat, floor = require("moonarray.text").format, math.floor

return function(ma, core, sp)
  local def, fail, is_array, describe = core.def, core.fail, core.is_array, core.describe
  local common = require "moonarray.common" (core)
  local new, state_of = sp.new, sp.state

  -- ==== Identities =================================================================================================

  local function eye(name, m, n, k, dtype, format, device)
    m = common.whole(name, "m", m, 0)
    n = n == nil and m or common.whole(name, "n", n, 0)
    k = common.diagonal(name, k)
    local o = { dtype = dtype, device = device }
    if k == 0 and m == n and (format == "csr" or format == "csc") then
      local kind = { dtype = sp.index_dtype(n, n, n), device = device }
      return new(sp.compressed(format, n, n, ma.range(1, n + 1, kind), ma.range(1, n, kind), sp.values(ma.ones(n, o)),
        true, true))
    end
    local s = sp.make_dia(m, n, ma.ones({ 1, n }, o), { k })
    return new(sp.as(name, s, format or "dia"))
  end

  --> sparse.eye sparse.eye_array sparse.identity: ma.sparse.eye(2, 3, 1):toarray()
  def("sparse.eye(m: integer, n?: integer, k?: integer, dtype?: dtype, "
    .. "format?: string; device?: string) -> sparse_matrix",
    "A sparse matrix with ones on diagonal k (0) of m rows and n columns (m).",
    function(m, n, k, dtype, format, device) return eye("sparse.eye", m, n, k, dtype, format, device) end)
  def("sparse.eye_array(m: integer, n?: integer; k?: integer, dtype?: dtype, format?: string, "
    .. "device?: string) -> sparse_matrix",
    "A sparse matrix with ones on diagonal k (0) of m rows and n columns (m).",
    function(m, n, k, dtype, format, device) return eye("sparse.eye_array", m, n, k, dtype, format, device) end)
  def("sparse.identity(n: integer, dtype?: dtype, format?: string; device?: string) -> sparse_matrix",
    "The sparse identity matrix of n rows.",
    function(n, dtype, format, device) return eye("sparse.identity", n, n, 0, dtype, format, device) end)

  -- ==== Random matrices ============================================================================================

  --- k different numbers of 1 .. total, in any order. Waits if there are repeats.
  local function choose(total, k, rng, device)
    if k * 3 > total then return rng:permutation(total)[{ { 1, k } }] end
    local found = ma.zeros(0, { dtype = "int64", device = device })
    while found.size < k do
      local more = rng:integers(1, total + 1, { size = (k - found.size) * 2 })
      local all = ma.concatenate({ found, more:astype("int64") })
      local _, first = ma.unique(all, { return_index = true })
      found = all:take(ma.sort(first))
      if found.size > k then found = found[{ { 1, k } }] end
    end
    return found
  end

  local function random(name, m, n, density, format, dtype, rng, values)
    m, n = common.whole(name, "m", m, 0), common.whole(name, "n", n, 0)
    density = common.number(name, "density", density == nil and 0.01 or density)
    if not (density >= 0 and density <= 1) then
      fail(name, sformat("density is %s; wanted a number from 0 to 1", tostring(density)))
    end
    if type(rng) == "number" then rng = ma.random.default_rng(rng) end
    rng = rng or ma.random.default_rng()
    local k = floor(density * m * n + 0.5)
    local index = sp.index_dtype(m, n, k)
    local data, key
    if k == 0 then
      data = ma.zeros(0, { dtype = dtype })
      key = ma.zeros(0, { dtype = "int64" })
    else
      key = choose(m * n, k, rng) - 1
      data = values and values(k) or rng:random(k)
    end
    if not is_array(data) or data.ndim ~= 1 or data.size ~= k then
      fail(name, sformat("data_rvs gives %s; wanted a vector of %d", describe(data), k))
    end
    if dtype then data = data:astype(dtype) end
    local s = { format = "coo", rows = m, columns = n, row = (ma.floor_divide(key, math.max(n, 1)) + 1):astype(index),
      col = (ma.remainder(key, math.max(n, 1)) + 1):astype(index), data = sp.values(data) }
    return new(sp.as(name, s, format or "coo"))
  end

  --> sparse.random sparse.rand: ma.sparse.random(100, 100, 0.05).nnz
  def("sparse.random(m: integer, n: integer, density?: boolean, format?: string, dtype?: dtype, "
    .. "random_state?: integer, data_rvs?: function) -> sparse_matrix",
    "A sparse matrix with density (0.01) of its elements at random places, drawn from 0 to 1 or by data_rvs(count). " ..
      "random_state: a number or a generator.",
    function(m, n, density, format, dtype, rng, values)
      return random("sparse.random", m, n, density, format, dtype, rng, values)
    end)
  def("sparse.rand(m: integer, n: integer, density?: boolean, format?: string, dtype?: dtype, "
    .. "random_state?: integer) -> sparse_matrix",
    "A sparse matrix with density (0.01) of its elements at random places, drawn from 0 to 1.",
    function(m, n, density, format, dtype, rng) return random("sparse.rand", m, n, density, format, dtype, rng) end)
  --> sparse.random_array: ma.sparse.random_array({100, 100}, {density = 0.05}).nnz
  def("sparse.random_array(shape: integer|integer[]; density?: boolean, format?: string, dtype?: dtype, "
    .. "rng?: generator|integer, random_state?: integer, data_sampler?: function) -> sparse_matrix",
    "A sparse matrix with density (0.01) of its elements at random places, drawn from 0 to 1 or by " ..
      "data_sampler(count). rng: a number or a generator.",
    function(shape, density, format, dtype, rng, state, values)
      local name = "sparse.random_array"
      local m, n = sp.extents(name, shape)
      return random(name, m, n, density, format, dtype, rng or state, values)
    end)

  -- ==== Blocks =====================================================================================================

  --- Puts pieces {row of blocks, column of blocks, state} together in one pass. All pieces are in `format`, csr or csc.
  local function stacked(name, pieces, top, left, m, n, format)
    local dtype, nnz, list = pieces[1][3].data.dtype, 0, {}
    for _, piece in ipairs(pieces) do
      local s = piece[3]
      dtype, nnz = ma.promote_types(dtype, s.data.dtype), nnz + s.data.size
    end
    local index = sp.index_dtype(m, n, nnz)
    local turned = format == "csc"
    if turned then table.sort(pieces, function(a, b) return a[2] < b[2] or a[2] == b[2] and a[1] < b[1] end) end
    for _, piece in ipairs(pieces) do
      local s = sp.cast(piece[3], dtype)
      local above, before = top[piece[1]], left[piece[2]]
      if turned then above, before = before, above end
      if (turned and s.columns or s.rows) > 0 then
        list[#list + 1] = sp.compressed(format, s.rows, s.columns, sp.positions(s.indptr, index),
          sp.positions(s.indices, index), s.data)
        list[#list + 1], list[#list + 2] = above, before
      end
    end
    if #list == 0 then return sp.as(name, sp.empty(m, n, dtype, pieces[1][3].data.device), format) end
    return sp.compressed(format, m, n, core.sparse_stack(name, list, turned and n or m, turned and m or n))
  end

  --- A matrix of blocks: a table of rows, each a table of blocks or false.
  local function blocks(name, grid, format, dtype)
    if type(grid) ~= "table" or type(grid[1]) ~= "table" then
      fail(name, sformat("blocks are %s; wanted a table of rows of blocks", describe(grid)))
    end
    local heights, widths, parts = {}, {}, {}
    local columns, count = 0, 0
    for _, line in ipairs(grid) do
      for key in pairs(line) do
        if type(key) == "number" then
          if key < 1 or key % 1 ~= 0 then
            fail(name, sformat("a row of blocks has one at %s; wanted positions from 1 on", tostring(key)))
          end
          columns, count = math.max(columns, key), count + 1
        end
      end
    end
    if columns > count then
      fail(name, sformat("a block in column %.0f, and %d in all; wanted one in each column", columns, count))
    end
    for i, line in ipairs(grid) do
      for j = 1, columns do
        local block = line[j]
        if block then
          local s = sp.coerce(name, block)
          if (heights[i] or s.rows) ~= s.rows or (widths[j] or s.columns) ~= s.columns then
            fail(name, sformat("block (%d, %d) of shape (%d, %d); wanted %d rows and %d columns, as beside it",
              i, j, s.rows, s.columns, heights[i] or s.rows, widths[j] or s.columns))
          end
          heights[i], widths[j] = s.rows, s.columns
          parts[#parts + 1] = { i, j, s }
        end
      end
    end
    local top, left, m, n, nnz = {}, {}, 0, 0, 0
    for i = 1, #grid do
      if not heights[i] then fail(name, sformat("no block in row %d of blocks, so its height is unknown", i)) end
      top[i] = m
      m = m + heights[i]
    end
    for j = 1, columns do
      if not widths[j] then fail(name, sformat("no block in column %d of blocks, so its width is unknown", j)) end
      left[j] = n
      n = n + widths[j]
    end
    if (format == "csr" or format == "csc") and parts[1] then
      for _, part in ipairs(parts) do part[3] = sp.canonical(name, sp.as(name, part[3], format)) end
      local s = stacked(name, parts, top, left, m, n, format)
      s.sorted, s.canonical = true, true
      return new(dtype and sp.cast(s, sp.dtype(dtype)) or s)
    end
    for _, part in ipairs(parts) do
      part[3] = sp.to.coo(part[3], name)
      nnz = nnz + part[3].data.size
    end
    local index = sp.index_dtype(m, n, nnz)
    local row, col, data, canonical = {}, {}, {}, true
    for k, part in ipairs(parts) do
      local s = part[3]
      row[k] = s.row:astype(index) + top[part[1]]
      col[k] = s.col:astype(index) + left[part[2]]
      data[k] = s.data
      canonical = canonical and s.canonical
    end
    local all = ma.concatenate(data)
    if dtype then all = all:astype(dtype) end
    local s = { format = "coo", rows = m, columns = n, row = sp.positions(ma.concatenate(row), index),
      col = sp.positions(ma.concatenate(col), index), data = sp.values(all), canonical = canonical or nil }
    return new(sp.as(name, s, format or "coo"))
  end

  local BLOCKS = "A sparse matrix of blocks, given as a table of rows of blocks; false is a block without entries. " ..
    "format: \"coo\" unless it is given."
  --> sparse.bmat sparse.block_array: ma.sparse.bmat({{ma.sparse.eye(2), false}, {false, {{7}}}}):toarray()
  def("sparse.bmat(blocks: sparse_matrix|data, format?: string, dtype?: dtype) -> sparse_matrix", BLOCKS,
    function(grid, format, dtype) return blocks("sparse.bmat", grid, format, dtype) end)
  def("sparse.block_array(blocks: sparse_matrix|data; format?: string, dtype?: dtype) -> sparse_matrix", BLOCKS,
    function(grid, format, dtype) return blocks("sparse.block_array", grid, format, dtype) end)

  local function check_list(name, list)
    if type(list) ~= "table" or sp.is(list) or #list == 0 then
      fail(name, sformat("%s; wanted a table of matrices", describe(list)))
    end
    return list
  end

  --- Puts CSR matrices below each other, or CSC matrices side by side, in one pass.
  local function below(states, own, rows, columns)
    local pieces, top, left, at, sorted, canonical = {}, {}, {}, 0, true, true
    for k, s in ipairs(states) do
      pieces[k] = own == "csr" and { k, 1, s } or { 1, k, s }
      top[k], left[k] = 0, 0
      if own == "csr" then top[k] = at else left[k] = at end
      at = at + (own == "csr" and s.rows or s.columns)
      sorted, canonical = sorted and s.sorted, canonical and s.canonical
    end
    local s = stacked("sparse", pieces, top, left, rows, columns, own)
    s.sorted, s.canonical = sorted or nil, canonical or nil
    return s
  end

  --- Joins CSR matrices below each other, or CSC matrices side by side. nil if a block is another one or does not fit.
  local function joined(list, own, format)
    if format ~= nil and format ~= own then return nil end
    local states, major = {}, 0
    local minor = own == "csr" and "columns" or "rows"
    for k, block in ipairs(list) do
      local s = sp.is(block) and state_of("sparse", block)
      if not s or s.format ~= own or s[minor] ~= (states[1] or s)[minor] then return nil end
      states[k] = s
      major = major + s.rows + s.columns - s[minor]
    end
    local first = states[1]
    if own == "csc" then return below(states, own, first.rows, major) end
    return below(states, own, major, first.columns)
  end

  local function along(name, list, own, format, dtype, grid)
    local s = joined(check_list(name, list), own, format)
    if not s then return blocks(name, grid(), format, dtype) end
    return new(dtype and sp.cast(s, sp.dtype(dtype)) or s)
  end

  --> sparse.hstack: ma.sparse.hstack({ma.sparse.eye(2), {{5}, {6}}}):toarray()
  def("sparse.hstack(blocks: sparse_matrix|data, format?: string, dtype?: dtype) -> sparse_matrix",
    "Sparse matrices side by side.", function(list, format, dtype)
    return along("sparse.hstack", list, "csc", format, dtype, function() return { list } end)
  end)
  --> sparse.vstack: ma.sparse.vstack({ma.sparse.eye(2), {{5, 6}}}):toarray()
  def("sparse.vstack(blocks: sparse_matrix|data, format?: string, dtype?: dtype) -> sparse_matrix",
    "Sparse matrices below each other.", function(list, format, dtype)
    return along("sparse.vstack", list, "csr", format, dtype, function()
      local grid = {}
      for k, block in ipairs(list) do grid[k] = { block } end
      return grid
    end)
  end)
  --> sparse.block_diag: ma.sparse.block_diag({{{1, 2}}, {{3}}}):toarray()
  def("sparse.block_diag(mats: sparse_matrix|data, format?: string, dtype?: dtype) -> sparse_matrix",
    "Matrices along the diagonal of a sparse matrix.",
    function(mats, format, dtype)
      local name = "sparse.block_diag"
      local grid = {}
      for k, block in ipairs(check_list(name, mats)) do
        grid[k] = {}
        for j = 1, #mats do grid[k][j] = j == k and block end
      end
      return blocks(name, grid, format, dtype)
    end)

  -- ==== Kronecker products =========================================================================================

  --- The Kronecker product of two CSR matrices without duplicates; nil for other matrices.
  local function kron_csr(name, s, t, index)
    s, t = sp.to.csr(s, name), sp.to.csr(t, name)
    if not sp.attributes.has_canonical_format(s) or not sp.attributes.has_canonical_format(t) then return nil end
    local dtype = sp.dtype(ma.promote_types(s.data.dtype, t.data.dtype))
    local function of(u)
      return sp.compressed("csr", u.rows, u.columns, sp.positions(u.indptr, index), sp.positions(u.indices, index),
        sp.cast(u, dtype).data)
    end
    local indptr, indices, data = core.sparse_make(name, "kron", of(s), of(t))
    return sp.compressed("csr", s.rows * t.rows, s.columns * t.columns, indptr, indices, data, true, true)
  end

  local function kron(name, a, b, format)
    local s = sp.coerce(name, a)
    local t = sp.coerce(name, b, s.data.device)
    local m, n, nnz = s.rows * t.rows, s.columns * t.columns, s.data.size * t.data.size
    local direct = format == "csr" and nnz > 0 and kron_csr(name, s, t, sp.index_dtype(m, n, nnz))
    if direct then return new(direct) end
    s, t = sp.to.coo(s, name), sp.to.coo(t, name)
    nnz = s.data.size * t.data.size
    local index = sp.index_dtype(m, n, nnz)
    local function spread(x, y, extent)
      local outer = ((x:astype("int64") - 1) * extent):reshape(x.size, 1) + y:astype("int64"):reshape(1, y.size)
      return outer:reshape(nnz):astype(index)
    end
    local data = (s.data:reshape(s.data.size, 1) * t.data:reshape(1, t.data.size)):reshape(nnz)
    local result = { format = "coo", rows = m, columns = n, row = spread(s.row, t.row, t.rows),
      col = spread(s.col, t.col, t.columns), data = sp.values(data) }
    return new(sp.as(name, result, format or "coo"))
  end

  --> sparse.kron: ma.sparse.kron({{1, 2}}, ma.sparse.eye(2)):toarray()
  def("sparse.kron(a: sparse_matrix|data, b: sparse_matrix|data, format?: string) -> sparse_matrix",
    "The Kronecker product of two matrices, sparse.",
    function(a, b, format) return kron("sparse.kron", a, b, format) end)

  --> sparse.kronsum: ma.sparse.kronsum({{1}}, {{2, 0}, {0, 3}}):toarray()
  def("sparse.kronsum(a: sparse_matrix|data, b: sparse_matrix|data, format?: string) -> sparse_matrix",
    "The Kronecker sum of two square matrices: kron(I, a) + kron(b, I).",
    function(a, b, format)
      local name = "sparse.kronsum"
      local s = sp.coerce(name, a)
      local t = sp.coerce(name, b, s.data.device)
      if s.rows ~= s.columns or t.rows ~= t.columns then
        fail(name, sformat("matrices of shapes (%d, %d) and (%d, %d); wanted square ones", s.rows, s.columns, t.rows,
          t.columns))
      end
      local dtype = ma.promote_types(s.data.dtype, t.data.dtype)
      local function one(n) return ma.sparse.eye(n, { dtype = dtype, device = s.data.device }) end
      local left, right = kron(name, one(t.rows), new(s), "csr"), kron(name, new(t), one(s.rows), "csr")
      return (left + right):asformat(format or "csr")
    end)

  -- ==== Parts ======================================================================================================

  --> sparse.tril: ma.sparse.tril(ma.ones({3, 3})):toarray()
  --> sparse.triu: ma.sparse.triu(ma.ones({3, 3}), 1):toarray()
  for name, above in pairs { tril = false, triu = true } do
    local full = "sparse." .. name
    def(full .. "(A: sparse_matrix|data, k?: integer, format?: string) -> sparse_matrix",
      above and "The elements on and above diagonal k (0), as a sparse matrix. Waits." or
      "The elements on and below diagonal k (0), as a sparse matrix. Waits.", function(a, k, format)
      k = common.diagonal(full, k)
      local given = sp.coerce(full, a)
      local s = sp.to.coo(given, full)
      local shift = s.col:astype("int64") - s.row
      local t = sp.coo_where(s, above and shift:ge(k) or shift:le(k))
      return new(sp.as(full, t, format or "coo"))
    end)
  end

  --> sparse.find: (ma.sparse.find(ma.array({{0, 5}, {6, 0}})))
  def("sparse.find(A: sparse_matrix|data) -> array, array, array",
    "The rows, the columns and the values of the entries that are not 0, in three arrays; " ..
    "entries at the same place are added up. Waits.", function(a)
    local name = "sparse.find"
    local s = sp.to.coo(sp.drop_zeros(sp.canonical(name, sp.to.csr(sp.coerce(name, a), name))), name)
    return s.row, s.col, s.data
  end)

  -- ==== Axes =======================================================================================================

  local function transposed(name)
    return function(a, axes)
      local list = axes == nil and { 2, 1 } or common.type(name, "axes", axes, "table")
      state_of(name, a)
      local first, second = common.axis(name, list[1], 2), common.axis(name, list[2], 2)
      if first == second then fail(name, sformat("axis %d twice", first)) end
      return first == 2 and a.T or a
    end
  end
  --> sparse.matrix_transpose sparse.permute_dims: ma.sparse.matrix_transpose(ma.sparse.eye(2, 3)).shape[1]
  def("sparse.matrix_transpose(a: sparse_matrix|data) -> sparse_matrix",
    "The transpose of a sparse matrix.", function(a)
    return transposed("sparse.matrix_transpose")(a)
  end)
  def("sparse.permute_dims(a: sparse_matrix|data, axes?: integer|integer[]) -> sparse_matrix",
    "A sparse matrix with its axes in another order: the transpose for {2, 1}.",
    transposed("sparse.permute_dims"))
  --> sparse.swapaxes: ma.sparse.swapaxes(ma.sparse.eye(2, 3), 1, 2).shape[1]
  def("sparse.swapaxes(a: sparse_matrix|data, axis1: integer, axis2: integer) -> sparse_matrix",
    "A sparse matrix with two axes exchanged.", function(a, axis1, axis2)
    local name = "sparse.swapaxes"
    state_of(name, a)
    return common.axis(name, axis1, 2) ~= common.axis(name, axis2, 2) and a.T or a
  end)

  -- ==== Index dtypes ===============================================================================================

  --- int32 where maxval and all elements of the arrays fit, else int64.
  --> sparse.get_index_dtype: ma.sparse.get_index_dtype({}, 2 ^ 40)
  def("sparse.get_index_dtype(arrays?: data[], maxval?: number, check_contents?: boolean) -> dtype",
    "The dtype of positions, \"int32\" or \"int64\", for these index arrays and up to maxval; with check_contents " ..
      "the arrays' elements count, not their dtypes. Waits with check_contents.",
    function(arrays, maxval, check)
      local name = "sparse.get_index_dtype"
      local wide = maxval ~= nil and common.number(name, "maxval", maxval) > 2 ^ 31 - 1
      if is_array(arrays) then arrays = { arrays } end
      for _, a in ipairs(arrays and common.type(name, "arrays", arrays, "table") or {}) do
        if not is_array(a) then fail(name, sformat("%s; wanted arrays of positions", describe(a))) end
        if not ma.can_cast(a.dtype, "int32") then
          local counts = check and common.is.integer[a.dtype]  -- its elements do
          local least, most
          if counts and a.size > 0 then least, most = ma.item(a:min(), a:max()) end
          if not counts or (least and (tonumber(least) < -2 ^ 31 or tonumber(most) > 2 ^ 31 - 1)) then wide = true end
        end
      end
      return wide and "int64" or "int32"
    end)

  --> sparse.safely_cast_index_arrays: (ma.sparse.safely_cast_index_arrays(ma.sparse.eye(2):tocsr(), "int64"))
  def("sparse.safely_cast_index_arrays(A: sparse_matrix|data, idx_dtype?: dtype, msg?: string) -> array, array",
    "The index arrays of a sparse matrix in another dtype; an error if a position does not fit. Waits.",
    function(a, dtype, msg)
      local name = "sparse.safely_cast_index_arrays"
      local s = state_of(name, a)
      dtype = dtype == nil and "int32" or dtype
      local list = {}
      for _, field in ipairs { "row", "col", "indices", "indptr", "offsets" } do
        local x = s[field]
        if x then
          local cast = x:astype(dtype)
          if x.size > 0 and not cast:astype(x.dtype):eq(x):min():item() then
            fail(name, sformat("%s does not fit %s%s", field, dtype, msg and " " .. tostring(msg) or ""))
          end
          list[#list + 1] = cast
        end
      end
      return common.unpack(name, list)
    end)
end
