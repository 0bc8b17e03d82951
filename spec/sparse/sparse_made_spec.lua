-- ma.sparse: matrices that one pass makes of others: stacks, Kronecker products, columns, entries that are written,
-- blocks, sorted rows; products in COO and by diagonals. All beside the same on arrays, and with positions that were
-- overwritten.

local helper = require "spec.helper"
local core = require "moonarray.core"
local ma, fails = helper.ma, helper.fails
local S = ma.sparse

local function same(a, b) ma.testing.assert_array_equal(a, b) end

--- Whole numbers at about `count` places, some of which are there twice; row 2 is dense, row 3 is empty.
local function coo(m, n, count, dtype)
  local rng = ma.random.default_rng(m * n + count)
  local row = ma.concatenate({ rng:integers(1, m + 1, { size = count }), ma.full(n, 2, "int64") })
  row = ma.where(row:eq(3), 1, row)
  local col = ma.concatenate({ rng:integers(1, n + 1, { size = count }), ma.range(1, n, "int64") })
  return S.coo_matrix({ rng:integers(1, 5, { size = count + n }):astype(dtype or "float64"), { row, col } },
    { shape = { m, n } })
end

local DTYPES = { "float64", "float32", "complex64", "complex128", "int8", "int64", "bool" }

local function canonical(a) assert.is_true(a.has_canonical_format) return a end

describe("sparse matrices beside and below each other", function()
  it("have the elements of arrays so joined", function()
    for _, dtype in ipairs(DTYPES) do
      local A, B, C = coo(5, 7, 20, dtype):tocsr(), coo(5, 4, 9):tocsc(), coo(6, 7, 12, "float32"):tocoo()
      for _, format in ipairs { "csr", "csc", "coo" } do
        same(canonical(S.hstack({ A, B }, format):tocsr()):toarray(), ma.hstack { A:toarray(), B:toarray() })
        same(S.vstack({ A, C, A }, format):toarray(), ma.vstack { A:toarray(), C:toarray(), A:toarray() })
        local G = S.bmat({ { A, false, B }, { false, C, false }, { A, S.csr_matrix { 5, 7 }, B } }, format)
        same(G:toarray(), ma.vstack {
          ma.hstack { A:toarray(), ma.zeros { 5, 7 }, B:toarray() },
          ma.hstack { ma.zeros { 6, 7 }, C:toarray(), ma.zeros { 6, 4 } },
          ma.hstack { A:toarray(), ma.zeros { 5, 7 }, B:toarray() } })
        if format ~= "coo" then canonical(G) end
        assert.equal("complex64", S.hstack({ A, A }, format, "complex64").dtype)
        assert.matches("one in each column", helper.fails(S.hstack, { A, [2 ^ 53] = A }, format))
        assert.matches("positions from 1", helper.fails(S.hstack, { [0] = A, A }, format))
        local D = S.block_diag({ A, S.csr_matrix { 0, 3 }, B, S.csr_matrix { 2, 0 } }, format)
        assert.same({ 12, 14 }, { D.shape[1], D.shape[2] })
        same(D[{ { 6, 10 }, { 11, 14 } }]:toarray(), B:toarray())
        assert.equal(A:toarray():astype("float64"):ne(0):sum():item() + B:count_nonzero(), D:count_nonzero())
      end
    end
    same(S.vstack({ S.csr_matrix { 0, 3 }, S.csr_matrix { 0, 3 } }, "csr"):toarray(), ma.zeros { 0, 3 })
  end)

  it("keep rows that are not sorted as they are", function()
    local function int(t) return ma.array(t, "int32") end
    local A = S.csr_matrix({ ma.arange(1, 5, 1, "float64"), int { 3, 1, 2, 2 }, int { 1, 3, 5 } }, { shape = { 2, 3 } })
    local V = S.vstack({ A, A }, "csr")
    same(V.indices, int { 3, 1, 2, 2, 3, 1, 2, 2 })
    assert.is_false(V.has_sorted_indices)
    same(S.hstack({ A, A }, "csr"):toarray(), ma.hstack { A:toarray(), A:toarray() })
  end)
end)

describe("a Kronecker product", function()
  it("has the elements of that of arrays", function()
    for _, dtype in ipairs(DTYPES) do
      local A, B = coo(4, 5, 7, dtype), coo(6, 3, 9, dtype)
      for _, format in ipairs { "csr", "csc", "coo" } do
        same(S.kron(A, B, format):toarray(), ma.kron(A:toarray(), B:toarray()))
      end
      canonical(S.kron(A:tocsr(), B:tocsr(), "csr"))
    end
    assert.equal("complex64", S.kron(S.eye(2, { dtype = "complex64" }), coo(4, 4, 3, "float32"), "csr").dtype)
    same(S.kron(S.csr_matrix { 2, 2 }, S.eye(3), "csr"):toarray(), ma.zeros { 6, 6 })
  end)
end)

describe("columns of a sparse matrix", function()
  it("are those of a list or a range", function()
    for _, dtype in ipairs(DTYPES) do
      local A = coo(40, 30, 200, dtype)
      local D = A:toarray()
      for _, list in ipairs { { 7, 2, 2, 30, -1, 1, -30, 7 }, { 5 }, { 1, 2, 3 } } do
        local at = ma.array(list, "int64")
        for _, format in ipairs { "csr", "csc" } do
          same(canonical(A:asformat(format)[{ {}, at }]):toarray(), D[{ {}, at }])
        end
      end
      for _, range in ipairs { { 3, 20 }, { 2, 29, 4 }, { 30, 1, -3 }, { 30, 30 }, { 1, 30, 29 } } do
        same(canonical(A:tocsr()[{ {}, range }]):toarray(), D[{ {}, range }])
      end
    end
    local A = coo(5, 6, 9):tocsr()
    assert.matches("position 7 on axis 2", fails(function() return A[{ {}, ma.array({ 1, 7 }, "int64") }] end), 1, true)
    assert.matches("position 0 on axis 2", fails(function() return A[{ {}, ma.array({ 0 }, "int64") }] end), 1, true)
    same(A[{ {}, ma.zeros(6, "bool") }]:toarray(), ma.zeros { 5, 0 })
  end)
end)

describe("entries that are written into a sparse matrix", function()
  it("take the place of those that are there", function()
    for _, dtype in ipairs { "float64", "complex64", "int32" } do
      for _, format in ipairs { "csr", "csc", "coo" } do
        local A = coo(20, 25, 80, dtype):asformat(format)
        local D = A:toarray()
        local function write(key, value)
          A[key], D[key] = value, value
          assert.equal(format, A.format)
          same(A:toarray(), D)
          assert.equal(D:ne(0):sum():item(), A:count_nonzero())
        end
        write({ 3, 4 }, 5)
        write({ 3, 4 }, 6)
        write({ 3, 4 }, 0)
        write({ 20, 25 }, 1)
        write({ 2, {} }, 0)
        write({ { 19, 1, -3 }, { 2, 9 } }, 7)
        write({ {}, { 6, 6 } }, ma.range(1, 20):reshape(20, 1):astype(dtype))
        write({ { 4, 6 }, { 4, 6 } }, ma.array({ { 1, 0, 2 }, { 0, 0, 0 }, { 3, 4, 0 } }, dtype))
        local rows, columns = ma.array({ 1, 5, 1, 9 }, "int64"), ma.array({ 2, 3, 2, 9 }, "int64")
        D[{ 1, 2 }] = 3                          -- the last value of an element counts; of arrays, on the CPU alone
        D[{ ma.array({ 5, 9 }, "int64"), ma.array({ 3, 9 }, "int64") }] = ma.array({ 2, 0 }, dtype)
        A[{ rows, columns }] = ma.array({ 1, 2, 3, 0 }, dtype)
        same(A:toarray(), D)
        assert.equal(tostring(ma.array({ 3 }, dtype):item()), tostring(A(1, 2)))
        A:setdiag(9)
        same(A:diagonal(), ma.full(20, 9, dtype))
      end
    end
  end)
end)

describe("blocks of a sparse matrix", function()
  it("hold all its elements, whatever their size", function()
    for _, dtype in ipairs(DTYPES) do
      local A = coo(24, 36, 60, dtype)
      for _, size in ipairs { { 1, 1 }, { 2, 2 }, { 3, 4 }, { 24, 36 }, { 1, 36 }, { 24, 1 }, { 6, 9 } } do
        for _, format in ipairs { "csr", "csc", "coo" } do
          local B = A:asformat(format):tobsr(size)
          same(B:toarray(), A:toarray())
          assert.is_true(B.has_canonical_format)
          same(B:tocsr():toarray(), A:toarray())
        end
      end
    end
    same(S.csr_matrix({ 4, 6 }):tobsr({ 2, 3 }):toarray(), ma.zeros { 4, 6 })
  end)
end)

describe("duplicates of a sparse matrix", function()
  it("are added up in their order in rows of any length, and rows are sorted", function()
    for _, n in ipairs { 1, 5, 8, 9, 16, 17, 31, 32, 33, 100, 1000 } do
      for _, dtype in ipairs { "float32", "complex128", "int16", "bool" } do
        local rng = ma.random.default_rng(n)
        local col = rng:integers(1, n + 1, { size = 3 * n })
        local data = (rng:random(3 * n) * 100):astype(dtype)
        local A = S.csr_matrix({ data, col:astype("int32"), ma.array({ 1, n + 1, n + 1, 3 * n + 1 }, "int32") },
          { shape = { 3, n } })
        local row = ma.concatenate { ma.full(n, 1, "int64"), ma.full(2 * n, 3, "int64") }
        local C = S.coo_matrix({ data, { row, col } }, { shape = { 3, n } }):tocsr()
        local B = A:copy():sum_duplicates()
        same(B.data, C.data)
        same(B.indices, C.indices)
        same(B.indptr, C.indptr)
        local sorted = A:sorted_indices()
        local order = ma.concatenate { ma.argsort(col[{ { 1, n } }], { stable = true }),
          ma.argsort(col[{ { n + 1, 3 * n } }], { stable = true }) + n }
        same(sorted.data, data:take(order))
        assert.is_true(sorted.has_sorted_indices)
      end
    end
  end)

  it("and order are seen wherever they are", function()
    local n = 50
    local k = ma.arange(0, n * 8, 1, "int64")
    local base = (k % 8 * 6 + 10):astype("int32")
    local ends = (ma.arange(0, n + 1, 1, "int64") * 8 + 1):astype("int32")
    for _, at in ipairs { 2, 8, 9, 10, 200, 399, 400 } do
      for _, delta in ipairs { -6, -7, 0 } do
        local indices = base:copy()
        indices[{ { at, at } }] = tonumber(indices[{ { at, at } }]:item()) + delta
        local A = S.csr_matrix({ ma.ones(n * 8), indices, ends }, { shape = { n, 60 } })
        local first = at % 8 == 1
        assert.equal(first or delta == 0 or delta == -6, A.has_sorted_indices)
        assert.equal(first or delta == 0, A.has_canonical_format)
      end
    end
  end)

  it("are gone with zeros, which no sign keeps", function()
    for _, dtype in ipairs { "float64", "float32", "complex64", "complex128", "int8", "int16", "int32", "int64",
      "bool" } do
      local A = coo(30, 40, 300, dtype):tocsr()
      A.data[{ { 1, -1, 3 } }] = 0
      if dtype:find("float") or dtype:find("complex") then
        A.data[{ { 2, 2 } }], A.data[{ { 5, 5 } }] = -0.0, 0 / 0
      end
      local there = A.data:ne(0)
      local B = A:copy():eliminate_zeros()
      same(B.data, A.data[there])
      same(B.indices, A.indices[there])
      assert.equal(B.nnz, A:count_nonzero())
    end
  end)
end)

describe("an operation on two sparse matrices", function()
  it("is right for rows of any lengths, taken two at a time", function()
    for _, dtype in ipairs { "float64", "float32", "complex64", "int16" } do
      for _, shape in ipairs { { 301, 40, 900 }, { 2, 500, 700 }, { 50, 300, 6000 }, { 2500, 3, 3000 } } do
        local A = coo(shape[1], shape[2], shape[3], dtype):tocsr()
        local B = coo(shape[1], shape[2], shape[3] + 1, dtype):tocsr()
        local top = { { 1, math.min(7, shape[1]) }, {} }
        B[top] = A[top]
        local D, E = A:toarray(), B:toarray()
        same(canonical(A + B):toarray(), D + E)
        same(canonical(A - B):toarray(), D - E)
        same(canonical(A * B):toarray(), D * E)
        assert.equal(0, (A - A:copy()).nnz)
        same((A + S.csr_matrix({ shape[1], shape[2] }, { dtype = dtype })):toarray(), D)
      end
    end
  end)
end)

describe("a product", function()
  it("of entries in any order is that of an array", function()
    for _, dtype in ipairs { "float64", "complex64", "int32", "bool" } do
      local A = coo(300, 200, 900, dtype)
      local x, wide = (ma.range(1, 200) % 7):astype(dtype), (ma.range(1, 600) % 5):astype(dtype):reshape(200, 3)
      same(A:matmul(x), A:tocsr():matmul(x))
      same(A:matmul(wide), A:tocsr():matmul(wide))
    end
    local long = coo(50, 40, 200000)
    local x = ma.range(1, 40) % 3
    same(long:matmul(x), long:tocsr():matmul(x))
  end)

  it("by diagonals is that of an array, however long they are", function()
    for _, dtype in ipairs { "float64", "complex128", "int64", "bool" } do
      for _, shape in ipairs { { 5, 9 }, { 9, 5 }, { 3000, 2500 } } do
        local data = (ma.range(1, 4 * 7) % 5):astype(dtype):reshape(4, 7)
        local A = S.dia_matrix({ data, { 2, -3, 0, -2000 } }, { shape = shape })
        local x, wide = (ma.range(1, shape[2]) % 7):astype(dtype), (ma.range(1, shape[2] * 2) % 5):astype(dtype)
        wide = wide:reshape(shape[2], 2)
        local C = A:tocsr()
        same(A:matmul(x), C:matmul(x))
        same(A:matmul(wide), C:matmul(wide))
        same(C:todia():tocsr():toarray(), C:toarray())
      end
    end
  end)
end)

describe("positions that were overwritten", function()
  if helper.device ~= "cpu" then return end
  local function int(t, dtype) return ma.array(t, dtype) end
  local function csr(p, i, d, m, n)
    return { format = "csr", rows = m, columns = n, indptr = p, indices = i, data = d }
  end
  local function entries(r, c, d, m, n) return { format = "coo", rows = m, columns = n, row = r, col = c, data = d } end
  local function dia(d, shifts, n) return { format = "dia", rows = n, columns = n, data = d, shifts = shifts } end

  it("are refused by whatever looks them up", function()
    for _, dtype in ipairs { "int32", "int64" } do
      local ends, columns, data = int({ 1, 3, 3, 5, 6 }, dtype), int({ 1, 4, 2, 3, 4 }, dtype), ma.ones(5)
      local list, x = int({ 2, 1 }, "int64"), ma.ones(4)
      local calls = {
        function(p, i) return core.sparse_make("f", "block", csr(p, i, data, 4, 4), 2, 2) end,
        function(p, i) return core.sparse_make("f", "columns", csr(p, i, data, 4, 4), list) end,
        function(p, i) return core.sparse_make("f", "range", csr(p, i, data, 4, 4), 2, 1, 2) end,
        function(p, i) return core.sparse_make("f", "full", csr(p, i, data, 4, 4), false) end,
        function(p, i) return core.sparse_order("f", csr(p, i, data, 4, 4), true) end,
        function(p, i) return core.sparse_make("f", "put", csr(p, i, data, 4, 4), csr(p, i, data, 4, 4)) end,
        function(p, i) return core.sparse_make("f", "kron", csr(p, i, data, 4, 4), csr(p, i, data, 4, 4)) end,
        function(p, i)
          local a = csr(p, i, data, 4, 4)
          return core.sparse_stack("f", { a, 0, 0, a, 0, 4 }, 4, 8)
        end,
        function(_, i) return core.sparse_product("f", entries(columns, i, data, 4, 4), x) end,
        function(_, i) return core.sparse_product("f", entries(i, columns, data, 4, 4), x) end,
      }
      local wide = dtype == "int64" and 2 ^ 52 or 2 ^ 31 - 1
      for number, call in ipairs(calls) do
        call(ends, columns)
        for k = 1, 5 do
          for _, value in ipairs { -wide, -5, 0, 7, 1000, wide } do
            local bad, falls = columns:copy(), ends:copy()
            bad[{ { k, k } }], falls[{ { k, k } }] = value, value
            local ok = pcall(call, ends, bad)                        -- an error, or a result; nothing is read outside
            if number == 1 or number == 2 or number > 8 then assert.is_false(ok) end
            if number < 9 and value ~= 7 or number < 9 and k < 5 then
              assert.matches("indptr of a sparse matrix", fails(call, falls, columns), 1, true)
            end
          end
        end
      end
    end
  end)

  it("out of order are an error for blocks, and for nothing else", function()
    local A = coo(8, 8, 30):tocsr()
    assert.is_true(A.has_canonical_format)
    A.indices[{ { 1, -1 } }] = A.indices["::-1"]:copy()
    assert.matches("not sorted", fails(function() return A:tobsr({ 2, 2 }) end), 1, true)
    A[{ 2, 3 }] = 4
  end)

  it("of pieces and columns are checked", function()
    local e, i, d = int({ 1, 2, 3 }, "int32"), int({ 1, 2 }, "int32"), ma.ones(2)
    local function refused(why, fn, ...) assert.matches(why, fails(fn, ...), 1, true) end
    local a = csr(e, i, d, 2, 2)
    refused("out of place", core.sparse_stack, "f", { a, 1, 0 }, 3, 2)
    refused("out of place", core.sparse_stack, "f", { a, 0, 1 }, 2, 2)
    refused("out of place", core.sparse_stack, "f", { a, 0, 0, a, 0, 1 }, 2, 4)
    refused("pieces of 2 rows; wanted 3", core.sparse_stack, "f", { a, 0, 0 }, 3, 2)
    refused("no pieces", core.sparse_stack, "f", {}, 3, 2)
    refused("wanted one dtype", core.sparse_stack, "f", { a, 0, 0, csr(e, i, d:astype("float32"), 2, 2), 0, 2 }, 2, 4)
    refused("does not have", core.sparse_make, "f", "range", a, 2, 1, 2)
    refused("does not have", core.sparse_make, "f", "range", a, 1, 1, 3)
    refused("a size that divides", core.sparse_make, "f", "block", a, 2, 3)
    refused("two shapes", core.sparse_make, "f", "put", a, csr(e, i, d, 2, 3))
    refused("too large", core.sparse_make, "f", "kron", csr(e, i, d, 2, 2 ^ 30), csr(e, i, d, 2, 4))
    refused("a diagonal out of range", core.sparse_product, "f", dia(ma.ones { 1, 2 }, { 2 ^ 60 }, 2), d)
    refused("wanted as many", core.sparse_product, "f", dia(ma.ones { 1, 2 }, { 1 }, 2), ma.ones(3))
    refused("wanted as many", core.sparse_product, "f", entries(i, i, d, 2, 2), ma.ones(3))
    refused("no sparse matrix", core.sparse_product, "f", { format = "other" }, d)
  end)
end)
