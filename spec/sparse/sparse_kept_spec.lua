-- ma.sparse: extremes along an axis and products of entries over rows of all lengths; what a GPU keeps for products by
-- the other axis does not outlive a write into the data.

local ma = require "moonarray"
local helper = require "spec.helper"
local core = require "moonarray.core"
local S = ma.sparse

local function same(got, want) assert.is_true(ma.array_equal(got, want, { equal_nan = true })) end

--- Rows without entries, short ones, and one of `long` entries; values repeat, and some are zeros of either sign.
local function uneven(m, n, long, dtype)
  local rng = ma.random.default_rng(m + long)
  local row = ma.concatenate { rng:integers(1, m + 1, 3 * m), ma.full(long, 3, "int64") }
  local col = ma.concatenate { rng:integers(1, n + 1, 3 * m), rng:permutation(n)[{ { 1, long } }] }
  row = ma.where(row:eq(5), ma.full_like(row, 6), row)
  local value = rng:integers(-4, 5, row.size):astype("float64")
  value = ma.where(value:eq(0), -value, value)
  if dtype == "bool" or dtype:find("uint") then value = ma.abs(value) end
  value = value:astype(dtype)
  if dtype:find("complex") then value = value * ma.complex(1, 2) + rng:integers(0, 2, row.size):astype(dtype) end
  return S.coo_matrix({ value, { row, col } }, { shape = { m, n } })
end

describe("extremes of", function()
  local sizes = { { 40, 60, 0 }, { 30, 6000, 5000 } }
  for _, dtype in ipairs { "float64", "float32", "int32", "uint8", "bool", "complex64" } do
    it(dtype .. " are those of the array", function()
      for k, size in ipairs(sizes) do
        local coo = uneven(size[1], size[2], size[3], dtype)
        local A = k == 1 and coo:tocsr() or coo:tocsc()
        local dense = A:toarray()
        for axis = 1, 2 do
          for _, name in ipairs { "max", "min", "argmax", "argmin" } do
            local got, want = A[name](A, axis), dense[name](dense, axis)
            assert.is_true(ma.array_equal(got, want), name .. " " .. axis .. " of size " .. k)
          end
        end
      end
    end)
  end

  it("NaN and of duplicates are those of the array", function()
    local A = S.csr_matrix({ ma.array { 1, ma.nan, -3, 2, -2, ma.nan, -1, -5, 5, 3 },
      ma.array({ 4, 2, 1, 3, 3, 1, 2, 1, 1, 2 }, "int64"), ma.array({ 1, 4, 4, 6, 8, 11 }, "int64") },
      { shape = { 5, 4 } })
    local dense = A:toarray()
    for _, B in ipairs { A, A:tocsc(), A:astype("complex128") } do
      for axis = 1, 2 do
        for _, name in ipairs { "max", "min", "nanmax", "nanmin" } do
          same(B[name](B, axis):astype("float64"), ma[name](dense, axis))
        end
        same(B:argmax(axis), dense:argmax(axis))
        same(B:argmin(axis), dense:argmin(axis))
      end
    end
  end)
end)

describe("the product of entries", function()
  for _, dtype in ipairs { "float64", "int32", "bool", "complex64" } do
    it("of " .. dtype .. " is that of the arrays over rows of all lengths", function()
      for _, size in ipairs { { 600, 50, 0 }, { 30, 6000, 5000 } } do
        local A = uneven(size[1], size[2], size[3], dtype):tocsr()
        local B = uneven(size[1], size[2], size[3], dtype)
        B = B:tocsr()
        local C = S.vstack({ B[{ { 2, size[1] } }], B[{ { 1, 1 } }] }, "csr")
        for _, other in ipairs { B, C } do
          local got = A * other
          same(got:toarray(), A:toarray() * other:toarray())
          assert.is_true(got.has_canonical_format)
          assert.equal(ma.count_nonzero(got:toarray()):item(), got.nnz)
        end
        assert.equal(0, (A * S.csr_matrix(A.shape, { dtype = dtype })).nnz)
        assert.equal(0, (S.csr_matrix(A.shape, { dtype = dtype }) * A).nnz)
      end
    end)
  end

  it("has NaN where an infinity or NaN of one meets no entry of the other", function()
    local A = uneven(50, 40, 0, "float64"):tocsr()
    for _, value in ipairs { ma.inf, -ma.inf, ma.nan } do
      local B = S.coo_matrix({ ma.array { 1, value, 2 }, { { 1, 7, 50 }, { 3, 40, 1 } } }, { shape = { 50, 40 } })
        :tocsr()
      local dense = A:toarray() * B:toarray()
      same((A * B):toarray(), dense)
      same((B * A):toarray(), dense)
    end
  end)
end)

describe("products by the other axis", function()
  local n = 30

  --- Compares all that is computed by the turned positions, twice, so that a copy of the values is made and read.
  local function check(A)
    local x = ma.arange(n) + 1
    for _ = 1, 3 do
      local dense = A:toarray()
      assert.is_true(ma.allclose(A:matmul(x), ma.matmul(dense, x), { rtol = 1e-13 }))
      assert.is_true(ma.allclose(A:sum(2), dense:sum(2), { rtol = 1e-13 }))
      same(A:max(2), dense:max(2))
    end
  end

  local writes = {
    ["iadd"] = function(A) A.data:iadd(1) end,
    ["an assigned part"] = function(A) A.data[{ { 3, 9 } }] = 7 end,
    ["one element"] = function(A) A.data[5] = -9 end,
    ["fill"] = function(A) A.data:fill(3) end,
    ["a view"] = function(A) A.data[{ { 4, 20, 2 } }]:imul(-2) end,
    ["assign from an array"] = function(A) A.data:assign(ma.arange(A.nnz) * 2) end,
    ["a program that waits"] = function(A) A.data:assign((A.data * 2 + 1) / 3) end,
    ["other data"] = function(A) A.data = A.data * 5 end,
    ["other data at once freed"] = function(A)
      A.data = A.data + 1
      collectgarbage()
      A.data = A.data + 1
    end,
    ["out"] = function(A) ma.add(A.data, 4, { out = A.data }) end,
    ["a kernel"] = function(A)
      ma.ElementwiseKernel("T a", "T b", "b = a + 1", "add_one")(A.data:copy(), A.data)
    end,
    ["put"] = function(A) A.data:put(ma.array({ 2, 4 }, "int64"), 11) end,
    ["sort"] = function(A) A.data:sort() end,
  }
  for what, write in pairs(writes) do
    it("see the data after " .. what, function()
      if what == "a kernel" and helper.device == "cpu" then return pending("a GPU keeps values; the CPU does not") end
      local A = S.random(n, n, 0.2, { format = "csc", random_state = 3 })
      check(A)
      write(A)
      check(A)
      write(A)
      check(A)
    end)
  end

  it("keep a copy of data that is not written, and drop it when memory is short", function()
    if helper.device == "cpu" then return pending("a GPU keeps values; the CPU does not") end
    local function copies()
      collectgarbage()
      collectgarbage()
      local count = 0
      for _, values in pairs(core.copies) do count = count + (values and 1 or 0) end
      return count
    end
    local A = S.random(n, n, 0.2, { format = "csc", random_state = 3 })
    local before, x = copies(), ma.arange(n)
    A:matmul(x)
    assert.equal(before, copies())
    A:matmul(x)
    assert.equal(before + 1, copies())
    core.fail_allocation(1, 1)
    local y = ma.ones(1000):eval()
    core.fail_allocation(0)
    assert.equal(1000, y:sum():item())
    assert.equal(0, copies())
    check(A)
    assert.equal(1, copies())
    A.data = A.data:copy()
    A:matmul(x)
    assert.equal(0, copies())
  end)

  it("of a recorded graph see the data at each launch", function()
    if helper.device == "cpu" then return pending("graphs are the GPU's here") end
    local A = S.random(n, n, 0.2, { format = "csc", random_state = 3 })
    check(A)
    local x, y = ma.arange(n) + 1, ma.zeros(n)
    local stream = ma.cuda.Stream()
    local graph
    stream:with(function()
      stream:begin_capture()
      A:matmul(x, { out = y })
      graph = stream:end_capture()
    end)
    for k = 1, 3 do
      A.data:fill(k)
      ma.synchronize()
      graph:launch(stream)
      stream:synchronize()
      assert.is_true(ma.allclose(y, ma.matmul(A:toarray(), x)))
    end
    check(A)
  end)
end)
