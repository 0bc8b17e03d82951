-- ma.sparse: products that keep the order of columns, products of two by the lengths of their rows, diagonals and lists
-- of rows, beside the same on arrays.

local helper = require "spec.helper"
local ma, fails = helper.ma, helper.fails
local core = require "moonarray.core"
local S = ma.sparse

local function same(a, b) ma.testing.assert_array_equal(a, b) end
local function close(a, b) ma.testing.assert_allclose(a, b, { rtol = 1e-12, atol = 1e-12 }) end

--- Whole numbers at places with repeats; row 2 is dense.
local function whole(m, n, count, dtype)
  local rng = ma.random.default_rng(m * n)
  local row = ma.concatenate({ rng:integers(1, m + 1, { size = count }), ma.full(n, 2, "int64") })
  local col = ma.concatenate({ rng:integers(1, n + 1, { size = count }), ma.range(1, n, "int64") })
  return S.coo_matrix({ rng:integers(1, 5, { size = count + n }):astype(dtype or "float64"), { row, col } },
    { shape = { m, n } })
end

--- The product of two arrays of whole numbers; on a GPU by sums, which are exact.
local function times(a, b) return (a:reshape(a.shape[1], a.shape[2], 1) * b):sum(2) end

describe("a product with a transposed sparse matrix", function()
  it("follows what is written into the entries", function()
    for _, dtype in ipairs { "float64", "float32", "complex128", "int32" } do
      local A = whole(50, 30, 200, dtype):tocsc()
      local D = A:toarray()
      local x, wide = (ma.range(1, 30) % 7):astype(dtype), (ma.range(1, 120) % 5):astype(dtype):reshape(30, 4)
      local y = (ma.range(1, 50) % 7):astype(dtype)
      local turned = A:tocsr().T
      for _ = 1, 3 do
        same(A:matmul(x), times(D, x:reshape(30, 1)):reshape(50))
        same(A:matmul(wide), times(D, wide))
        same(turned:matmul(y), times(D.T, y:reshape(50, 1)):reshape(30))
        same(A:sum(2), D:sum(2))
        A.data:imul(2)
        turned.data:imul(2)
        D = D * 2
      end
      A.data = ma.ones_like(A.data)
      same(A:sum(2), A:toarray():sum(2))
      same(A:conj():matmul(x), times(A:toarray():conj(), x:reshape(30, 1)):reshape(50))
    end
  end)

  it("keeps nothing that a scope frees", function()
    local A = whole(20, 30, 50):tocsc()
    local x = ma.range(1, 30) % 3
    ma.scope(function() A:matmul(x) end)
    same(A:matmul(x), times(A:toarray(), x:reshape(30, 1)):reshape(20))
  end)
end)

describe("values that are narrower than their positions", function()
  -- An odd number of columns, and a row that is too long for the short sorts: what lies behind the values in scratch
  -- memory is aligned all the same, which UBSan looks at (make asan).
  it("are multiplied and sorted", function()
    for _, dtype in ipairs { "bool", "int8", "uint8", "int16", "float32", "complex64" } do
      local A = whole(7, 77, 9, dtype):tocsr()
      A.data = ma.ones_like(A.data)
      local B = A.T:tocsr()
      local wanted = ma.matmul(A:toarray():astype("float64"), B:toarray():astype("float64"))
      same(A:matmul(B):toarray(), dtype == "bool" and wanted:ne(0) or wanted:astype(dtype))
      same(B:matmul(A):toarray():sum(), ma.matmul(B:toarray():astype("float64"), A:toarray():astype("float64"))
        :astype(dtype):sum())
      local turned = S.csr_matrix({ A.data["::-1"], A.indices["::-1"], A.indptr(8) + 1 - A.indptr["::-1"] },
        { shape = A.shape })
      same(turned:sort_indices():toarray(), A:toarray()["::-1"])
    end
  end)
end)

describe("the rows of a sparse matrix", function()
  it("have their sums, whatever their lengths", function()
    for _, dtype in ipairs { "float64", "float32", "complex64", "int16", "bool" } do
      for _, shape in ipairs { { 300, 40, 900 }, { 5, 30000, 40000 }, { 20000, 3, 50000 } } do
        local A = whole(shape[1], shape[2], shape[3], dtype)
        local csr = A:tocsr()
        same(csr:sum(2), csr:toarray():sum(2))
        same(csr:tocsc():sum(1), csr:toarray():sum(1))
        if dtype ~= "bool" then same(csr:matmul(ma.ones(shape[2], dtype)), csr:toarray():sum(2):astype(dtype)) end
      end
    end
  end)

  it("are refused where their ends were overwritten, before anything is read", function()
    if helper.device ~= "cpu" then return pending("a GPU's kernels skip such positions") end
    local A = whole(9000, 50, 90000):tocsr()
    for _, row in ipairs { 2, 777, 4500, 9000 } do
      for _, value in ipairs { -5, 0, A.nnz + 2, 2 ^ 31 - 1 } do
        local bad = A:copy()
        bad.indptr[{ { row, row } }] = value
        for _, call in ipairs { function() return bad:matmul(ma.ones(50)) end, function() return bad:sum(2) end,
          function() return bad:matmul(ma.ones({ 50, 3 })) end } do
          assert.matches("indptr of a sparse matrix falls", fails(call), 1, true)
        end
      end
    end
  end)
end)

describe("a product of two sparse matrices", function()
  local function check(a, b)
    local c = a:matmul(b)
    assert.is_true(c:sorted_indices().has_canonical_format)
    same(c:toarray(), times(a:toarray(), b:toarray()))
  end

  it("is right for rows of any number of products", function()
    for _, per in ipairs { 1, 2, 3, 5, 7, 11, 16, 24 } do
      local n = 60
      local k = ma.arange(0, n * per, 1, "int64")
      local row = ma.floor_divide(k, per) + 1
      local col = (row * 7 + k * k) % n + 1
      local A = S.coo_matrix({ (k % 5 + 1):astype("float64"), { row, col } }, { shape = { n, n } })
      check(A:tocsr(), A:tocsr())
      check(A:tocsc(), A:tocsc())
    end
  end)

  it("is right where rows differ, and where positions are repeated or out of order", function()
    local A = whole(40, 70, 90)
    check(A:tocsr(), whole(70, 45, 60):tocsr())
    check(A:tocsr(), whole(70, 900, 300):tocsr())
    check(whole(600, 600, 100):tocsr(), whole(600, 3, 100):tocsr())
    local function int(t) return ma.array(t, "int32") end
    local mixed = S.csr_matrix({ ma.ones(6), int { 3, 1, 3, 2, 2, 2 }, int { 1, 4, 4, 7 } }, { shape = { 3, 3 } })
    check(mixed, mixed)
    check(S.csr_matrix({ 3, 4 }), S.csr_matrix({ 4, 5 }))
  end)
end)

describe("a sampled product", function()
  it("has the elements of the whole one at the entries of a matrix", function()
    for _, dtype in ipairs { "float64", "complex128", "int32" } do
      local A = whole(12, 9, 40)
      local x, y = (ma.range(1, 60) % 7):astype(dtype):reshape(12, 5), (ma.range(1, 45) % 5):astype(dtype):reshape(5, 9)
      local at = A:toarray():ne(0)
      for _, format in ipairs { "csr", "csc", "coo" } do
        local P = S.sampled_matmul(A:asformat(format), x, y)
        assert.equal(dtype, P.dtype)
        same(P:toarray(), times(x, y) * at)
        same((A * P):toarray(), A:toarray() * times(x, y))
      end
    end
    local half = ma.ones({ 2, 2 }, "float16")
    assert.equal("float32", S.sampled_matmul(S.eye(2), half, half).dtype)
    same(S.sampled_matmul(S.eye(2), ma.ones { 2, 0 }, ma.ones { 0, 2 }):toarray(), ma.zeros { 2, 2 })
    same(S.sampled_matmul(S.csr_matrix { 2, 3 }, ma.ones { 2, 1 }, ma.ones { 1, 3 }):toarray(), ma.zeros { 2, 3 })
  end)

  it("is scaled by alpha and adds beta times the matrix", function()
    local A = whole(12, 9, 40)
    local x, y = (ma.range(1, 60) % 7 + 0.0):reshape(12, 5), (ma.range(1, 45) % 5 + 0.0):reshape(5, 9)
    local at = A:toarray():ne(0)
    for _, format in ipairs { "csr", "csc", "coo" } do
      local P = S.sampled_matmul(A:asformat(format), x, y, { alpha = -2, beta = 3 })
      same(P:toarray(), times(x, y) * at * -2 + A:toarray() * 3)
      same(S.sampled_matmul(A:asformat(format), x, y, { alpha = 0.5 }):toarray(), times(x, y) * at * 0.5)
    end
    assert.matches("alpha", fails(S.sampled_matmul, A, x, y, { alpha = "2" }))
    assert.matches("beta", fails(S.sampled_matmul, A, x, y, { beta = {} }))
  end)

  it("takes rows of any length, with positions of either width, and reads nothing outside", function()
    for _, inner in ipairs { 1, 2, 3, 7, 8, 9, 31, 63, 64, 65, 100 } do
      for _, dtype in ipairs { "float32", "float64", "complex64", "complex128", "int8", "uint64", "bool" } do
        local x = (ma.range(1, 6 * inner) % 5):astype(dtype):reshape(6, inner)
        local y = (ma.range(1, 4 * inner) % 3):astype(dtype):reshape(4, inner)
        for _, index in ipairs { "int32", "int64" } do
          local row, column = ma.array({ 6, 1, 3, 3, 2 }, index), ma.array({ 4, 1, 2, 1, 4 }, index)
          local got = core.sparse_sampled("f", row, column, x, y)
          local want = times(x, y.T):astype(dtype)
          assert.equal(dtype, got.dtype)
          for k = 1, 5 do assert.equal(want(row(k), column(k)), got(k)) end
        end
      end
    end
    local one, x = ma.ones(1, "int32"), ma.ones { 2, 3 }
    for _, wrong in ipairs { 0, 3, -1, 2 ^ 31 - 1 } do
      local bad = ma.array({ wrong }, "int32")
      for _, at in ipairs { { bad, one }, { one, bad } } do
        if helper.device == "cpu" or not helper.compiles then
          assert.matches("wanted", fails(function() return core.sparse_sampled("f", at[1], at[2], x, x):item() end))
        else assert.equal(0, core.sparse_sampled("f", at[1], at[2], x, x):item()) end
      end
    end
    assert.matches("do not fit", fails(core.sparse_sampled, "f", one, one, x, ma.ones { 2, 2 }))
    assert.matches("do not fit", fails(core.sparse_sampled, "f", one, one, x, ma.ones({ 2, 3 }, "float32")))
  end)

  it("is cut where it is long", function()
    local n = 300
    local A = S.csr_matrix(ma.ones { n, n })
    local x, y = ma.range(1, n * 64):reshape(n, 64) % 11, ma.range(1, n * 64):reshape(64, n) % 13
    same(S.sampled_matmul(A, x, y):toarray(), times(x, y))
  end)

  it("refuses operands that do not fit", function()
    local A = S.eye(3):tocsr()
    local function refused(why, ...) assert.matches(why, fails(S.sampled_matmul, ...), 1, true) end
    refused("operands of shapes (3, 2) and (3, 3); wanted (3, k) and (k, 3)", A, ma.ones { 3, 2 }, ma.ones { 3, 3 })
    refused("x is", A, ma.ones(3), ma.ones { 3, 3 })
    refused("y is", A, ma.ones { 3, 3 }, A)
    refused("wanted a sparse matrix", ma.ones { 3, 3 }, A, A)
  end)
end)

describe("the position of an extreme", function()
  it("is the first in C order, of entries or of what is not stored", function()
    local rng = ma.random.default_rng(5)
    for trial = 1, 40 do
      local m, n = trial % 4 + 1, trial % 3 + 1
      local D = rng:integers(-2, 3, { size = { m, n } }):astype(trial % 5 == 0 and "int32" or "float64")
      if trial % 3 == 0 then D = ma.minimum(D, 0) elseif trial % 3 == 1 then D = ma.maximum(D, -1) end
      local A = S.csr_matrix(D)
      if trial % 4 == 0 then
        A.data = ma.where(A.data:gt(1), 0, A.data)             -- zeros that are stored
        D = A:toarray()
      end
      for _, what in ipairs { "argmax", "argmin" } do
        for _, format in ipairs { "csr", "csc", "coo" } do
          assert.equal(D[what](D):item(), A:asformat(format)[what](A:asformat(format)):item())
        end
      end
    end
    local B = S.csr_matrix({ { 1, -2 }, { ma.nan, 3 } })
    assert.equal(3, B:argmax():item())
    assert.equal(3, B:argmin():item())
    assert.equal(1, S.csr_matrix({ 3, 4 }):argmax():item())
  end)
end)

describe("blocks and diagonals", function()
  local function sparse_one(m, n, dtype)
    local rng = ma.random.default_rng(m + n)
    return (rng:integers(1, 4, { size = { m, n } }) * rng:random({ m, n }):lt(0.3)):astype(dtype)
  end

  it("are rows and products like the same in other formats", function()
    for k, dtype in ipairs { "float64", "complex64", "int32", "bool", "float32" } do
      for _, size in ipairs { { k, 3 }, { 2, k }, { k, k } } do
        local h, w = size[1], size[2]
        local D = sparse_one(7 * h, 5 * w, dtype)
        local A = S.csr_matrix(D)
        local B, C = A:tobsr({ h, w }), A:todia()
        assert.is_true(B.has_canonical_format)
        for _, format in ipairs { "csr", "csc" } do
          same(B:asformat(format):toarray(), D)
          same(C:asformat(format):toarray(), D)
          assert.is_true(C:asformat(format).has_canonical_format)
        end
        local x, wide = ma.ones(5 * w, dtype), (ma.range(1, 15 * w) % 3):astype(dtype):reshape(5 * w, 3)
        local out = ma.zeros(7 * h, dtype)
        same(A:tocoo():matmul(x), A:matmul(x))
        same(C:matmul(wide), A:matmul(wide))
        same(B:matmul(x), A:matmul(x))
        same(B:matmul(wide), A:matmul(wide))
        B:matmul(x, { out = out })
        same(out, A:matmul(x))
        if not dtype:find("complex") then
          for _, M in ipairs { B, C } do
            same(M:gt(1):toarray(), D:gt(1))
            same(M:maximum(2):toarray(), ma.maximum(D, 2))
            same(M[M:gt(1)], D[D:gt(1)])
          end
        end
      end
    end
  end)

  it("may be out of order, twice at a place, or longer than the matrix", function()
    local function int(t) return ma.array(t, "int32") end
    local twice = S.bsr_matrix({ ma.ones { 3, 2, 2 }, int { 2, 1, 1 }, int { 1, 4, 4 } }, { shape = { 4, 4 } })
    assert.is_false(twice.has_canonical_format)
    same(twice:tocsr():toarray(), { { 2, 2, 1, 1 }, { 2, 2, 1, 1 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } })
    assert.is_true(twice:tocsr().has_canonical_format)
    same(twice:matmul(ma.ones(4)), { 6, 6, 0, 0 })
    same((twice ^ 2):toarray(), twice:toarray() ^ 2)
    assert.equal(2, twice:max():item())
    local d = S.spdiags(ma.range(1, 12):reshape(3, 4), { 2, -1, 0 }, 5, 6)
    same(d:tocsr():toarray(), d:tocoo():toarray())
    same(d:tocsr():sum(2), d:toarray():sum(2))
    same(S.eye(3, 5, { k = 1, format = "csr" }):toarray(), ma.eye(3, 5, 1))
    same(S.eye(4, 2, { k = -3, format = "csr" }):toarray(), ma.eye(4, 2, -3))
    for _, format in ipairs { "csr", "csc" } do
      for _, n in ipairs { 0, 1, 4 } do
        local one = S.identity(n, { dtype = "complex64", format = format })
        assert.same({ format, "complex64", n, "int32" }, { one.format, one.dtype, one.nnz, one.indices.dtype })
        same(one:toarray(), ma.eye(n, { dtype = "complex64" }))
        assert.is_true(one.has_canonical_format)
      end
    end
    assert.equal(0, S.csr_matrix({ 3, 3 }):todia():tocsr().nnz)
    for _, shape in ipairs { { 0, 4 }, { 4, 0 }, { 4, 4 } } do
      local none = S.csr_matrix(shape):tobsr({ 2, 2 })
      same(none:tocsr().indptr, ma.ones(shape[1] + 1))
      same(none:matmul(ma.ones(shape[2])), ma.zeros(shape[1]))
    end
  end)
end)

describe("elements by pairs of positions", function()
  it("are those of an array in any order, ascending along rows and with repeats", function()
    local A = whole(40, 30, 300):tocsr()
    local D = A:toarray()
    local all = ma.range(0, 1199)
    local row, col = ma.floor_divide(all, 30):astype("int64") + 1, (all % 30):astype("int64") + 1
    local orders = { all + 1, 1200 - all, ma.floor_divide(all, 3) + 1, ma.random.default_rng(1):permutation(1200) }
    for _, order in ipairs(orders) do
      local i, j = row:take(order:astype("int64")), col:take(order:astype("int64"))
      same(A[{ i, j }], D[{ i, j }])
    end
    same(A[D:gt(2)], D[D:gt(2)])
    same(A[A:gt(2)], D[D:gt(2)])
  end)

  it("are read and written where entries are and where none is", function()
    local A = whole(40, 30, 200)
    local D = A:toarray()
    local rng = ma.random.default_rng(9)
    local row, col = rng:integers(1, 41, { size = 90 }), rng:integers(1, 31, { size = 90 })
    for _, format in ipairs { "csr", "csc", "coo" } do
      local B = A:asformat(format)
      same(B[{ row, col }], D[{ row, col }])
      same(B[B:gt(2)], D[D:gt(2)])
      local there, other = B:copy(), B:copy()
      there[there:gt(2)] = -1                              -- positions stay
      same(there:toarray(), ma.where(D:gt(2), -1, D))
      assert.equal(A:tocsr().nnz, there:tocsr().nnz)
      there[there:lt(0)] = 0                               -- and are left out
      same(there:toarray(), ma.where(D:gt(2), 0, D))
      assert.equal(there:tocsr().nnz, there:tocsr():count_nonzero())
      other[{ row, col }] = ma.range(1, 90):astype("float64")
      local want = D:copy()
      for k = 1, 90 do want[{ row(k), col(k) }] = k end
      same(other:toarray(), want)
      same(B:toarray(), D)
    end
  end)
end)

describe("parts of a sparse matrix", function()
  it("are its diagonals", function()
    for _, shape in ipairs { { 9, 14 }, { 14, 9 }, { 4, 700 }, { 700, 4 } } do
      local A = whole(shape[1], shape[2], 60)
      local D = A:toarray()
      for _, format in ipairs { "csr", "csc", "coo" } do
        local B = A:asformat(format)
        for _, k in ipairs { 0, 1, -1, 3, -3, shape[2] - 1, 1 - shape[1], shape[2], -shape[1] } do
          same(B:diagonal(k), D:diagonal(k))
        end
      end
    end
    local twice = S.csr_matrix({ { 1, 2, 4 }, { { 1, 1, 2 }, { 1, 1, 2 } } }, { shape = { 2, 2 } })
    local repeated = S.csr_matrix({ ma.array { 1, 2, 4 }, ma.array({ 1, 1, 2 }, "int32"),
      ma.array({ 1, 3, 4 }, "int32") }, { shape = { 2, 2 } })
    same(twice:diagonal(), { 3, 4 })
    same(repeated:diagonal(), { 3, 4 })
  end)

  it("are its diagonals where rows begin anywhere, are long and have entries twice", function()
    local lengths, row, col, data = { 600, 300 }, {}, {}, {}
    for r = 3, 60 do lengths[r] = r * 7 % 41 end
    for r = 1, 60 do
      for k = 1, lengths[r] do
        local at = #row + 1
        row[at], col[at], data[at] = r, (r * 5 + k * 11) % 64 + 1, (r + k) % 13 - 6
      end
    end
    local coo = S.coo_matrix({ data, { row, col } }, { shape = { 60, 64 } })
    local D, first = coo:toarray(), { 1 }
    for r = 1, 60 do first[r + 1] = first[r] + lengths[r] end
    for _, index in ipairs { "int32", "int64" } do
      for _, skip in ipairs { 0, 1, 2, 3 } do
        -- Positions that begin at any address.
        local positions = ma.concatenate { ma.ones(skip, index), ma.array(col, index) }[{ { skip + 1, skip + #col } }]
        local A = S.csr_matrix({ ma.array(data), positions, ma.array(first, index) }, { shape = { 60, 64 } })
        for _, k in ipairs { 0, 5, -7, 63, -59 } do same(A:diagonal(k), D:diagonal(k)) end
      end
    end
  end)

  it("are rows and columns in the order of a list", function()
    local A = whole(30, 20, 100)
    local D = A:toarray()
    local rows, columns = ma.array({ 3, -1, 3, 30, -30, 2 }, "int64"), ma.array({ 20, 1, -2, 1 }, "int32")
    local function at(list, n) return ma.index(ma.where(list:lt(0), list + (n + 1), list)) end
    for _, format in ipairs { "csr", "csc" } do
      local B = A:asformat(format)
      same(B[rows]:toarray(), D[at(rows, 30)])
      same(B[{ {}, columns }]:toarray(), D[{ {}, at(columns, 20) }])
      same(B[{ rows, { 2, 5 } }]:toarray(), D[at(rows, 30)]["1:6, 2:5"])
      assert.equal(0, B[ma.zeros(0, "int64")].shape[1])
    end
  end)

  it("names the first position that a list has too many", function()
    for _, format in ipairs { "csr", "csc" } do
      local A = whole(30, 20, 100):asformat(format)
      for _, wrong in ipairs { 31, 0, -31 } do
        assert.matches("position " .. wrong .. " on axis 1 of extent 30; wanted 1 .. 30",
          fails(function() return A[ma.array({ 1, 2, wrong, 99 }, "int64")] end), 1, true)
      end
      assert.matches("position 21 on axis 2 of extent 20", fails(function()
        return A[{ {}, ma.array({ 1, 21 }, "int64") }]
      end), 1, true)
      assert.matches("position 21 on axis 2 of extent 20", fails(function()
        A[{ ma.array({ 1, 1 }, "int64"), ma.array({ 1, 21 }, "int64") }] = 3
      end), 1, true)
    end
  end)

  it("agree with arrays where rows are long and many", function()
    local A = whole(3000, 500, 9000)
    close(A:tocsr()[ma.range(3000, 1, { step = -1, dtype = "int64" })]:sum(2), ma.flip(A:toarray():sum(2)))
  end)

  it("empty ranges take nothing, wherever they begin", function()
    local dense = ma.array { { 1, 0, 2 }, { 0, 3, 0 }, { 4, 0, 5 }, { 0, 0, 6 } }
    for _, format in ipairs { "csr", "csc", "coo" } do
      local a = S.csr_matrix(dense):asformat(format)
      for _, index in ipairs { "1:0, :", ":, 1:0", "1:0, 1:0", "3:2, :", "5:, :", ":, 9:4", "2:1", ":0", ":, :-4",
        { { 1, 0 }, {} }, { {}, { 1, 0 } }, { { 4, 1, 1 }, { 1, 2 } }, { ma.index { 1, 3 }, { 1, 0 } },
        { { 1, 0 }, ma.index { 1, 2 } }, "::-1, 3:2", "4:1:-1, :" } do
        local part = a[index]
        same(part:toarray(), dense[index])
        if format ~= "coo" then
          local changed, want = a:copy(), dense:copy()
          changed[index], want[index] = 7, 7
          same(changed:toarray(), want)
        end
      end
      assert.equal("0x1", ("%dx%d"):format(a["3:2, 2"].shape[1], a["3:2, 2"].shape[2]))
    end
    local none = S.csr_matrix(ma.zeros { 0, 3 })
    for _, index in ipairs { "1:0, :", "::-1, :", ":, 2:3", { { 1, 0 }, {} } } do
      assert.equal(0, none[index].shape[1])
    end
    local a = S.csr_matrix(dense)
    assert.matches("a range that visits position 5 on axis 1", fails(function() return a["2:5, :"] end))
    assert.matches("a range that visits position 0 on axis 2", fails(function() return a[":, 0:1"] end))
    assert.matches("the number 1.5 in a range", fails(function() return a[{ { 1.5, 2 }, {} }] end))
  end)

  it("conjugates keep their dtype", function()
    for _, dtype in ipairs { "bool", "int8", "uint64", "float32", "complex64" } do
      local a = S.csr_matrix(ma.eye(2):astype(dtype))
      assert.equal(dtype, a:conj().dtype)
      assert.equal(dtype, a:conjugate().dtype)
      same(a:conj():toarray(), a:toarray())
    end
  end)
end)
