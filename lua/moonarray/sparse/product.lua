--- Products: of sparse matrices with vectors, with dense matrices and with each other.

local sformat = require("moonarray.text").format

return function(ma, core, sp)
  local fail, is_array, describe = core.fail, core.is_array, core.describe
  local common = require "moonarray.common" (core)
  local method, new, state_of = sp.method, sp.new, sp.state

  local function contiguous(x, dtype)
    if x.dtype ~= dtype then x = x:astype(dtype) end
    return x.is_contiguous and x or x:copy()
  end

  local function misfit(name, columns, rows)
    fail(name, sformat("a sparse matrix of %d columns and an operand of %d rows; wanted as many", columns, rows))
  end

  --- The dtype of a product with an array or another matrix.
  local function dtype_of(a, b) return sp.dtype(ma.promote_types(a.dtype, b.dtype)) end

  -- ==== Dense ======================================================================================================

  --- Whether the host may read from the GPU now, which it may not while a graph is recorded.
  local function may_wait() return not ma.cuda.get_current_stream():is_capturing() end

  --- The number of entries in the longest row, by which a GPU chooses how to multiply. It is counted once, which waits;
  --- 0 where it is not known. `s` is a state, or a table with indptr.
  local function longest(s)
    local indptr = s.indptr
    local n = indptr.size - 1
    if indptr.device == "cpu" or n == 0 then return 0 end
    if s.counted ~= indptr then
      if not may_wait() then return 0 end
      s.longest = tonumber((indptr[{ { 2, n + 1 } }] - indptr[{ { 1, n } }]):max():item())
      s.counted = indptr
    end
    return math.max(s.longest, 0)
  end

  --- The transposed positions of a compressed matrix on a GPU: indptr, indices, and the place of each entry in the
  --- matrix's data, so that the data may change. They are made once and kept in the table `turn`, which matrices with
  --- the same positions share (sp.share). nil if they cannot be made now.
  local function turn_of(name, s)
    local kept = s.turn
    if kept and rawequal(kept.from, s.indptr) and rawequal(kept.of, s.indices) then return kept end
    if s.data.size == 0 or not may_wait() then return nil end
    local places = ma.range(1, s.data.size, { dtype = s.indptr.dtype, device = s.data.device })
    local p, i, order = core.sparse_transpose(name, { format = s.format, rows = s.rows, columns = s.columns,
      indptr = s.indptr, indices = s.indices, data = places })
    ma.keep { p, i, order }
    if not kept or kept.from then
      kept = {}
      s.turn = kept
    end
    kept.from, kept.of, kept.indptr, kept.indices, kept.order = s.indptr, s.indices, p, i, order
    return kept
  end

  -- For each table `turn`, the data in the order of the transposed positions. The core drops them if memory is short.
  core.copies = core.copies or setmetatable({}, { __mode = "k" })
  local copies = core.copies

  --- The data in the order of the transposed positions, and nil; or the data as it is, and the order in which to read
  --- it. The copy is made for the second product that finds the same data. So data that is used once, or changes
  --- between products, costs no copy.
  local function values_of(name, turn, data)
    if not may_wait() then return data, turn.order end                 -- a graph reads the data when it runs
    local state = core.sparse_writes(name, data)
    if not state or turn.state ~= state then
      copies[turn], turn.state = nil, state
      return data, turn.order
    end
    if copies[turn] == nil then
      local made, values = pcall(ma.take, data, turn.order)
      if made then ma.keep(values) end
      copies[turn] = made and values or false                          -- false: there was no room
    end
    if copies[turn] then return copies[turn], nil end
    return data, turn.order
  end

  --- A CSC matrix on a GPU as the CSR of the same matrix, by the transposed positions. nil for other matrices, or where
  --- they cannot be made now. `count`: also count the longest row.
  local function as_rows(name, s, data, count)
    local turn = s.format == "csc" and data.device ~= "cpu" and turn_of(name, s)
    if not turn then return nil end
    local values, order = values_of(name, turn, data)
    return { format = "csr", rows = s.rows, columns = s.columns, indptr = turn.indptr, indices = turn.indices,
      data = values, order = order, longest = count and longest(turn) or turn.longest }
  end

  --- The sums of the rows of a CSR or CSC; nil if a product with ones must compute them.
  function sp.row_sums(name, s)
    if s.data.size == 0 then return nil end
    if s.format == "csc" then
      s = as_rows(name, s, s.data, true)
      return s and core.sparse_product(name, s)
    end
    longest(s)
    return core.sparse_product(name, s)
  end

  --- The extremes along an axis by `op`, or their positions.
  function sp.extremes(name, op, s, axis, positions)
    s = sp.canonical(name, sp.either(name, s))
    if axis == 1 then s = rawget(sp.transposed(s), sp.key) end
    if s.rows == 0 then
      return ma.zeros(0, { dtype = positions and "int64" or s.data.dtype, device = s.data.device })
    end
    local rows = s.format == "csr" and s or as_rows(name, s, s.data) or sp.to.csr(s, name)
    return core.sparse_extreme(name, rows, op, positions)
  end

  --- a x, for a matrix in any format.
  local function times_dense(name, s, x, out)
    if x.ndim ~= 1 and x.ndim ~= 2 then
      fail(name, sformat("%s; wanted a vector%s", describe(x), s.format == "dia" and " or a matrix" or
        ", a matrix or a sparse matrix"))
    end
    if x.shape[1] ~= s.columns then misfit(name, s.columns, x.shape[1]) end
    local dtype = dtype_of(s.data, x)
    if s.format == "dia" or (s.format == "bsr" or s.format == "coo") and s.data.size > 0 then
      s = sp.cast(s, dtype)
      if not s.data.is_contiguous then s = rawget(sp.with_data(s, s.data:copy()), sp.key) end
      return common.finish(name, core.sparse_product(name, s, contiguous(x, dtype)), out)
    end
    s = sp.either(name, s)
    if s.format == "csr" then longest(s) end
    local rows = as_rows(name, s, sp.cast(s, dtype).data, true) or sp.cast(s, dtype)
    return core.sparse_product(name, rows, contiguous(x, dtype), out)
  end

  -- ==== Sparse =====================================================================================================

  --- Two matrices with the same index dtype.
  function sp.one_index(a, b)
    if a.indptr.dtype == b.indptr.dtype then return a, b end
    local function wide(s)
      if s.indptr.dtype == "int64" then return s end
      return sp.compressed(s.format, s.rows, s.columns, s.indptr:astype("int64"), s.indices:astype("int64"), s.data,
        s.sorted, s.canonical)
    end
    return wide(a), wide(b)
  end

  local function times_sparse(name, a, b)
    if a.columns ~= b.rows then misfit(name, a.columns, b.rows) end
    local dtype = dtype_of(a.data, b.data)
    local format = a.format == "csc" and b.format == "csc" and "csc" or "csr"
    a, b = sp.cast(sp.as(name, a, format), dtype), sp.cast(sp.as(name, b, format), dtype)
    a, b = sp.one_index(a, b)
    local first, second = a, b
    if format == "csc" then first, second = b, a end           -- (a b)^T = b^T a^T
    return sp.compressed(format, a.rows, b.columns, core.sparse_multiply(name, first, second))
  end

  -- ==== Sampled ====================================================================================================

  local function operand(name, what, value, device)
    if type(value) == "table" and not sp.is(value) then value = ma.array(value, { device = device }) end
    if not is_array(value) or value.ndim ~= 2 then
      fail(name, sformat("%s is %s; wanted a matrix", what, describe(value)))
    end
    if value.device ~= device then
      fail(name, sformat("operands on %s and %s; move one with x:to_device", device, value.device))
    end
    return value
  end

  --> sparse.sampled_matmul: ma.sparse.sampled_matmul(ma.sparse.eye(2), {{1, 2}, {3, 4}}, {{1, 1}, {0, 2}}):toarray()
  core.def("sparse.sampled_matmul(a: sparse_matrix|data, x: data, y: data; alpha?: data, "
    .. "beta?: number) -> sparse_matrix", "The elements of alpha (1) times the matrix product " ..
    "x y, plus beta (0) times a, at the entries of the sparse matrix a, as a sparse matrix with its positions; the " ..
    "other elements are not computed. Without beta the values of a do not count: a * ma.sparse.sampled_matmul(a, x, " ..
    "y) has both.", function(a, x, y, alpha, beta)
    local name = "sparse.sampled_matmul"
    local s = sp.canonical(name, state_of(name, a))
    x, y = operand(name, "x", x, s.data.device), operand(name, "y", y, s.data.device)
    if x.shape[1] ~= s.rows or y.shape[2] ~= s.columns or x.shape[2] ~= y.shape[1] then
      fail(name, sformat("operands of shapes (%d, %d) and (%d, %d); wanted (%d, k) and (k, %d)", x.shape[1], x.shape[2],
        y.shape[1], y.shape[2], s.rows, s.columns))
    end
    local dtype, coo = dtype_of(x, y), sp.to.coo(s, name)
    local data = core.sparse_sampled(name, coo.row, coo.col, contiguous(x, dtype), contiguous(y.T, dtype))
    if alpha ~= nil then data = data * common.number(name, "alpha", alpha) end
    if beta ~= nil then data = data + s.data * common.number(name, "beta", beta) end
    return sp.with_data(s, sp.values(data))
  end)

  -- ==== Methods ====================================================================================================

  local function matmul(name, a, x, out)
    local s = state_of(name, a)
    if sp.is(x) then
      if out ~= nil then fail(name, "out beside two sparse operands; their product is a new matrix") end
      local function run() return new(times_sparse(name, s, state_of(name, x))) end
      if core.is_recording() then return core.flows.sparse_times(name, a, x, run) end
      return run()
    end
    if type(x) == "table" then x = ma.array(x, { device = s.data.device }) end
    if not is_array(x) then
      fail(name, sformat("%s; wanted a vector, a matrix or a sparse matrix", describe(x)))
    end
    if x.device ~= s.data.device then
      fail(name, sformat("operands on %s and %s; move one with x:to_device", s.data.device, x.device))
    end
    if core.is_recording() and out == nil then
      return core.flows.sparse_product(name, a, x, function() return times_dense(name, s, x) end)
    end
    return times_dense(name, s, x, out)
  end
  sp.matmul = matmul

  for _, name in ipairs { "matmul", "dot" } do
    --> sparse.Matrix.matmul sparse.Matrix.dot: ma.sparse.csr_matrix({{1, 0, 2}, {0, 3, 0}}):matmul({1, 2, 3})
    method(name .. "(a: sparse_matrix, b: sparse_matrix|data; out?: array) -> array|sparse_matrix",
      "The matrix product with a vector, a matrix or a sparse matrix, which gives a " ..
      "sparse one. out: an array for the result of a dense operand.", function(a, b, out)
      return matmul("sparse.Matrix." .. name, a, b, out)
    end)
  end

  --> sparse.Matrix.rmatmul({3, 4})
  method("rmatmul(a: sparse_matrix, x: data) -> array",
    "x a: the product with a vector or a matrix from the left.", function(a, x)
    local name = "sparse.Matrix.rmatmul"
    local s = state_of(name, a)
    if sp.is(x) then return matmul(name, x, a) end
    x = is_array(x) and x or ma.array(x, { device = s.data.device })
    local t = sp.transposed(s)
    if x.ndim < 2 then return matmul(name, t, x) end
    return matmul(name, t, x.T).T
  end)
end
