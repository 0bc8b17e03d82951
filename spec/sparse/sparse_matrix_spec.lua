-- ma.sparse: what golden values do not show: wrong and hostile input, order and duplicates, long rows, files, printing,
-- operands on the left, what two ways of computing the same agree on.

local helper = require "spec.helper"
local file = require "spec.file"
local ma, fails = helper.ma, helper.fails
local S = ma.sparse

local function same(a, b) ma.testing.assert_array_equal(a, b) end
local function close(a, b) ma.testing.assert_allclose(a, b, { rtol = 1e-12, atol = 1e-12 }) end
local function refused(pattern, f, ...) assert.matches(pattern, fails(f, ...), 1, true) end
local function int(t) return ma.array(t, "int32") end

--- A matrix of random places, in which some rows are empty and one is dense.
local function uneven(m, n, per)
  local rng = ma.random.default_rng(m + n)
  local count = m * per
  local row = rng:integers(1, m + 1, { size = count })
  row = ma.where((row % 5):eq(0), ma.minimum(row + 1, m), row)
  local col = rng:integers(1, n + 1, { size = count })
  local dense = ma.range(1, n)
  return S.coo_matrix({ rng:random(count + n), { ma.concatenate({ row, ma.full(n, 3, "int64") }),
    ma.concatenate({ col, dense }) } }, { shape = { m, n } })
end

describe("a sparse matrix", function()
  local A = S.csr_matrix({ { 1, 0, 2 }, { 0, 0, 3 } })
  ma.eval(A.data, A.indices, A.indptr)

  it("refuses positions out of range", function()
    refused("position 9; wanted 1 .. 3", S.csr_matrix, { ma.ones(2), int { 1, 9 }, int { 1, 3 } }, { shape = { 1, 3 } })
    refused("position 0; wanted 1 .. 3", S.csr_matrix, { ma.ones(2), int { 0, 1 }, int { 1, 3 } }, { shape = { 1, 3 } })
    refused("position -5", S.csc_matrix, { ma.ones(1), int { -5 }, int { 1, 2 } }, { shape = { 3, 1 } })
    refused("indptr falls", S.csr_matrix, { ma.ones(2), int { 1, 2 }, int { 1, 3, 2, 3 } }, { shape = { 3, 3 } })
    refused("indptr begins with 0", S.csr_matrix, { ma.ones(2), int { 1, 2 }, int { 0, 2 } }, { shape = { 1, 3 } })
    refused("indptr ends with 4", S.csr_matrix, { ma.ones(2), int { 1, 2 }, int { 1, 4 } }, { shape = { 1, 3 } })
    refused("wanted 3, one more than rows", S.csr_matrix, { ma.ones(2), int { 1, 2 }, int { 1, 3 } },
      { shape = { 2, 3 } })
    refused("row has position 4", S.coo_matrix, { { 1 }, { { 4 }, { 1 } } }, { shape = { 3, 3 } })
    refused("col has position 0", S.coo_matrix, { { 1 }, { { 1 }, { 0 } } }, { shape = { 3, 3 } })
    refused("wanted as many", S.coo_matrix, { { 1, 2 }, { { 1 }, { 1 } } }, { shape = { 3, 3 } })
    refused("wanted positions", S.csr_matrix, { ma.ones(1), ma.ones(1), int { 1, 2 } }, { shape = { 1, 3 } })
  end)

  it("refuses shapes and operands that do not fit", function()
    refused("3 columns and an operand of 2 rows", A.matmul, A, ma.ones(2))
    refused("3 columns and an operand of 2 rows", A.matmul, A, A)
    refused("wanted one shape", function() return A + A.T end)
    refused("whose sum is not sparse", function() return A + 1 end)
    refused("0 nearly everywhere", function() return 1 / A end)
    refused("wanted a vector, a matrix or a sparse matrix", A.matmul, A, 3)
    refused("wanted a sparse matrix", A.matmul, {}, 3)
    refused("position 3 on axis 1 of extent 2", function() return A(3, 1) end)
    refused("no attribute 'foo'", function() return A.foo end)
    refused("did you mean 'indptr'", function() return A.indptrs end)
    refused("cannot be set", function() A.shape = { 1, 2 } end)
    refused("wanted one of shape", function() A.data = ma.ones(7) end)
    refused("16 bits", A.astype, A, "float16")
  end)

  it("reads nothing outside when its positions were overwritten", function()
    if helper.device ~= "cpu" then return pending("a GPU's kernels skip such positions") end
    local function broken(change)
      local B = A:copy()
      change(B)
      return B
    end
    local B = broken(function(b) b.indices[{ { 2, 2 } }] = 1000000 end)
    local other = broken(function(b) b.indptr[{ { 2, 2 } }] = 100 end)
    local negative = broken(function(b) b.indices[{ { 1, 1 } }] = -7 end)
    for _, bad in ipairs { B, other, negative } do
      for _, call in ipairs { function() return bad:matmul(ma.ones(3)) end,
        function() return bad.T:matmul(ma.ones(2)) end,
        function() return bad:matmul(ma.ones({ 3, 9 })) end, function() return bad.T:matmul(ma.ones({ 2, 9 })) end,
        function() return bad:matmul(A.T:tocsr()) end, function() return bad:tocsc() end,
        function() return bad:tocoo():tocsr() end, function() return bad + A end } do
        refused("of a sparse matrix", call)
      end
    end
  end)

  it("adds up duplicates in their order and sorts, whatever the lengths of rows", function()
    for _, size in ipairs { { 1, 1, 3 }, { 40, 7, 9 }, { 300, 500, 3 }, { 7, 3000, 200 } } do
      local coo = uneven(size[1] + 2, size[2], size[3])
      local m, n = coo.shape[1], coo.shape[2]
      local want = ma.zeros(m * n)
      want:iadd_at(ma.index((coo.row:astype("int64") - 1) * n + coo.col), coo.data)
      want = want:reshape(m, n)
      local csr, csc = coo:tocsr(), coo:tocsc()
      close(csr:toarray(), want)
      close(csc:toarray(), want)
      assert.is_true(csr.has_canonical_format)
      local fresh = S.csr_matrix({ csr.data, csr.indices, csr.indptr }, { shape = { m, n } })
      assert.is_true(fresh.has_canonical_format)
      close(csr.T:tocsr():toarray(), want.T)
      close(coo:matmul(ma.ones({ n, 3 })), ma.matmul(want, ma.ones({ n, 3 })))
      close(csr:matmul(ma.arange(n)), ma.matmul(want, ma.arange(n)))
      close(csc:matmul(ma.arange(n)), ma.matmul(want, ma.arange(n)))
      close(csr.T:matmul(ma.arange(m)), ma.matmul(want.T, ma.arange(m)))
      close((csr * csr - csr):toarray(), want * want - want)
      close(csr:matmul(csr.T):toarray(), ma.matmul(want, want.T))
    end
  end)

  it("has rows so long that they are cut", function()
    local n = 40000
    local x = ma.arange(n) / n
    local long = S.csr_matrix(ma.stack({ x, x * 0, x * x }))
    close(long:matmul(x), ma.stack({ (x * x):sum(), ma.zeros({}), (x * x * x):sum() }))
    close(long:matmul(ma.stack({ x, x }, 2)), ma.stack({ long:matmul(x), long:matmul(x) }, 2))
    same(long:tocsc():tocsr().indices, long.indices)
  end)

  it("multiplies rows of few and of thousands of products", function()
    local rows = ma.array({ 0, 3, 110, 1, 8, 12, 25, 0, 30, 45, 60, 80, 7 }, "int64")
    local each = ma.arange(0, 5600, 1, "int64")
    local row_of_b, column_of_b = ma.floor_divide(each, 50) + 1, each * 31 % 257
    local row = ma.repeat_(ma.range(1, 13), rows)
    local col = (ma.arange(0, row.size, 1, "int64") * 37 + row) % 112
    for _, dtype in ipairs { "float64", "complex128", "float32", "int32" } do
      local function values(k, by) return (k % by + 1):astype(dtype) end
      local left = S.coo_matrix({ values(col, 5), { row, col + 1 } }, { shape = { 13, 112 } }):tocsr()
      local function right(step, columns)
        local places = { row_of_b, column_of_b * step + 1 }
        return S.coo_matrix({ values(each, 7), places }, { shape = { 112, columns } }):tocsr()
      end
      local near = left:matmul(right(1, 257))
      same(near:toarray():astype("complex128"),
        ma.matmul(left:toarray():astype("complex128"), right(1, 257):toarray():astype("complex128")))
      local far = left:matmul(right(11000, 3000000)) -- positions too large for short keys
      near:sort_indices()
      far:sort_indices()
      assert.is_true(near.has_canonical_format)
      same(far.indptr, near.indptr)
      same(far.indices, (near.indices - 1) * 11000 + 1)
      same(far.data, near.data)
    end
  end)

  it("takes empty matrices and empty operands", function()
    local none = S.csr_matrix({ 0, 3 })
    assert.equal(0, none:matmul(ma.ones(3)).size)
    same(none.T:matmul(ma.zeros(0)), ma.zeros(3))
    same(S.csr_matrix({ 2, 3 }):matmul(ma.ones(3)), ma.zeros(2))
    assert.equal(0, S.csr_matrix({ 2, 3 }):matmul(S.csr_matrix({ 3, 4 })).nnz)
    assert.equal(0, (S.csr_matrix({ 2, 3 }) + S.csr_matrix({ 2, 3 })).nnz)
    same(A:matmul(ma.zeros({ 3, 0 })).shape[2], 0)
    assert.equal("(3, 2)", tostring(S.csr_matrix({ 2, 3 }).T.shape))
  end)

  it("is an operand on either side of arrays", function()
    local x = ma.array({ { 1, 2, 3 }, { 4, 5, 6 } })
    same(x + A, x + A:toarray())
    same(x - A, x - A:toarray())
    same((x * A):toarray(), x * A:toarray())
    local fresh = S.csr_matrix(A:toarray())                       -- which keeps the order of its columns on a GPU
    same(ma.matmul(x, fresh.T), ma.matmul(x, A:toarray().T))
    same(ma.array { 1, 2 }:matmul(fresh), ma.matmul(ma.array { 1, 2 }, A:toarray()))
    same(ma.sqrt(A):toarray(), ma.sqrt(A:toarray()))
    same(ma.add(A, A):toarray(), A:toarray() * 2)
    refused("write a:toarray()", ma.cos, A)
  end)

  it("gives products into an array that is there", function()
    local y = ma.full(2, 7)
    assert.is_true(rawequal(A:matmul(ma.ones(3), { out = y }), y))
    same(y, { 3, 3 })
    refused("another shape, dtype or layout", A.matmul, A, ma.ones(3), { out = ma.ones(3) })
  end)

  it("refuses what is no table, no matrix and no order where one of these is wanted", function()
    for _, wrong in ipairs { 0 / 0, "int8", true, 5LL, print } do
      refused("moonarray.sparse.get_index_dtype: arrays is ", S.get_index_dtype, wrong)
      refused("moonarray.sparse.permute_dims: axes is ", S.permute_dims, A, wrong)
      refused("moonarray.sparse.diags: diagonals is ", S.diags, wrong == "int8" and false or wrong)
      refused("moonarray.sparse.linalg.splu: ", S.linalg.splu, S.eye(2), wrong)
      refused("moonarray.sparse.Matrix.trace: ", A.trace, wrong)
    end
    for _, wrong in ipairs { true, print, 5LL, ma.ones({}) } do
      refused("moonarray.sparse.diags: offsets is ", S.diags, { ma.ones(2) }, wrong)
      refused("moonarray.sparse.diags_array: offsets is ", S.diags_array, { ma.ones(2) }, { offsets = wrong })
    end
  end)

  it("keeps 64-bit positions beside 32-bit ones", function()
    local wide = S.csr_matrix({ ma.array { 1, 2 }, ma.array({ 1, 3 }, "int64"), ma.array({ 1, 3 }, "int64") },
      { shape = { 1, 2 ^ 40 } })
    assert.equal("int64", wide.indices.dtype)
    assert.equal("int32", A.indices.dtype)
    assert.equal(2, (wide + wide).nnz)
    same(wide.T:tocoo().row, { 1, 3 })
    assert.equal("int64", S.get_index_dtype({}, 2 ^ 33))
    assert.equal("int32", S.get_index_dtype({ ma.array({ 5 }, "int64") }, { check_contents = true }))
    for _, dtype in ipairs { "complex64", "float64" } do     -- only integers are looked at, as in SciPy
      assert.equal("int64", S.get_index_dtype({ ma.ones(2, dtype) }, { check_contents = true }))
    end
    refused("does not fit int8", S.safely_cast_index_arrays, S.eye(200):tocsr(), "int8")
  end)

  it("prints what it is, its first and its last entries", function()
    assert.equal("sparse csr (2, 3) of 3 entries, float64, " .. helper.device ..
      "\n  (1, 1)  1\n  (1, 3)  2\n  (2, 3)  3", tostring(A))
    assert.matches("...\n", tostring(S.eye(100):tocsr()), 1, true)
    assert.equal("A is ", ("A is " .. A):sub(1, 5))
  end)

  it("sorts and drops in place", function()
    local B = S.csr_matrix({ { 1, 2, 0 }, { 3, 1, 3 }, { 1, 3, 4 } }, { shape = { 2, 3 } })
    assert.is_false(B.has_sorted_indices)
    local sorted = B:sorted_indices()
    assert.is_false(B.has_sorted_indices)
    same(B:sort_indices().indices, { 1, 3, 3 })
    same(sorted.data, { 2, 1, 0 })
    assert.equal(2, B:eliminate_zeros().nnz)
    local C = S.coo_matrix({ { 1, 2, -2 }, { { 1, 1, 1 }, { 2, 1, 1 } } }, { shape = { 1, 2 } })
    same(C:sum_duplicates().data, { 0, 1 })
    assert.equal(1, C:eliminate_zeros().nnz)
    assert.equal(2, S.csr_matrix({ { 0, 1 }, { 1, 2 }, { 1, 3 } }, { shape = { 1, 2 } }).nnz)
  end)

  it("writes and reads SciPy's files, whose positions count from 0", function()
    local name = os.tmpname()
    os.remove(name)
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
      for _, compressed in ipairs { true, false } do
        local M = S.random(12, 9, 0.3, { random_state = 5 }):asformat(format)
        S.save_npz(name, M, compressed)
        local again = S.load_npz(name .. ".npz")
        assert.equal(format, again.format)
        same(again:toarray(), M:toarray())
        assert.equal(format, ma.load(name .. ".npz").format)
      end
    end
    S.save_npz(name, S.eye(3):tocsr())
    same(ma.load(name .. ".npz").indptr, { 0, 1, 2, 3 })
    ma.savez(name, { x = ma.ones(2) })
    refused("wanted one of save_npz", S.load_npz, name .. ".npz")
    os.remove(name .. ".npz")
    for line in helper.golden_lines("sparse") do
      local bytes = line:match("^file\tload%('(%x+)'%)")
      if bytes then
        file.write(name, (bytes:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end)))
        local want = line:match("\tint32\t4,6\t([^\t]+)$")
        assert.equal(want, table.concat(S.load_npz(name):toarray():ravel():totable(), " "))
      end
    end
    os.remove(name)
  end)

  it("is drawn at as many different places as asked for", function()
    for _, density in ipairs { 0, 0.01, 0.5, 1 } do
      local R = S.random(40, 50, density, { random_state = 3 })
      assert.equal(density * 2000, R:tocsr().nnz)
    end
    same(S.random(9, 9, 0.3, { random_state = 1 }):toarray(), S.random(9, 9, 0.3, { random_state = 1 }):toarray())
    same(S.random_array({ 3, 3 }, { density = 1, data_sampler = function(k) return ma.full(k, 4) end }):toarray(),
      ma.full({ 3, 3 }, 4))
  end)

  it("keeps blocks", function()
    local dense = ma.array { { 1, 2, 0, 0 }, { 3, 4, 0, 0 }, { 0, 0, 5, 0 }, { 0, 0, 0, 6 } }
    local B = S.bsr_matrix(dense, { blocksize = { 2, 2 } })
    assert.equal("(2, 2, 2)", tostring(B.data.shape))
    same(B:toarray(), dense)
    same(B.T:toarray(), dense.T)
    same(B:matmul { 1, 2, 3, 4 }, ma.matmul(dense, { 1, 2, 3, 4 }))
    same(S.bsr_matrix({ B.data, B.indices, B.indptr }, { shape = { 4, 4 } }):tocsr():toarray(), dense)
    assert.equal(2, S.csr_matrix(ma.ones({ 4, 4 })):tobsr({ 2, 4 }).indices.size)
    refused("wanted a size that divides it", B.tobsr, B, { 3, 2 })
  end)
end)
