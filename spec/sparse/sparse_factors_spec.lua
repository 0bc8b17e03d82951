-- Factors of sparse matrices that a GPU computes and keeps, by cuDSS: splu, factorized, spsolve, inv. Of the pretended
-- cuDSS (make test-pretend), calls fail one by one too.

local helper = require "spec.helper"
local ma = helper.ma

local L, sp = ma.sparse.linalg, ma.sparse
local LUA = os.getenv("LUAJIT") or "luajit"
local is_there = helper.device ~= "cpu" and ma.show_config(true):match("\n  cuDSS +%d+%.%d+%.%d+: ") ~= nil
local EPS = { float32 = 2 ^ -23, float64 = 2 ^ -52, complex64 = 2 ^ -23, complex128 = 2 ^ -52 }

local function fails(text, f)
  assert.matches(text, helper.fails(f), 1, true)
end

--- A band that is not symmetric, of a dtype.
local function band(n, dtype)
  local A = n < 3 and sp.identity(n, { format = "csr" }) * 3 or
    sp.diags({ -1, -0.5, 3, -1.25 }, { -2, -1, 0, 1 }, { shape = { n, n } }):tocsr()
  A = A:astype(dtype or "float64")
  if dtype == "complex64" or dtype == "complex128" then A.data = A.data * ma.complex(1, 0.25) end
  return A
end

local function right(n, dtype) return (ma.remainder(ma.arange(n) * 7, 5) + 1):astype(dtype or "float64") end

local function is_solved(A, x, b, dtype)
  local left = ma.abs(A:matmul(x) - b):max():item()
  local scale = 8 * ma.abs(x):max():item() + ma.abs(b):max():item()
  assert.is_true(left <= 64 * EPS[dtype] * scale, ("residual %g of %g"):format(left, scale))
end

local function on_device(lu) return tostring(lu):find("on " .. lu.device, 1, true) ~= nil end

if helper.device ~= "cpu" and not is_there then
  describe("without cuDSS", function()
    it("the CPU's factors are taken", function()
      assert.is_false(on_device(L.splu(band(5))))
    end)
  end)
end

if not is_there then return end

local ffi = require "ffi"
ffi.cdef "int pretend_cudss_live(void); void pretend_cudss_fail(int n, int status);"
local found, library = pcall(ffi.load, "libcudss.so.1")
local pretended = found and pcall(function() return library.pretend_cudss_live end) and library or nil

describe("factors on the GPU", function()
  it("solve systems of every dtype, transposed and not", function()
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      for _, n in ipairs { 1, 2, 40 } do
        local A = band(n, dtype)
        local lu = L.splu(A)
        assert.same({ dtype, true, n }, { lu.dtype, on_device(lu), lu.shape[2] })
        for _, b in ipairs { right(n, dtype), ma.stack({ right(n, dtype), 2 - right(n, dtype) }, 2) } do
          local x = lu:solve(b)
          assert.same({ dtype, A.device, b.ndim, true }, { x.dtype, x.device, x.ndim, x.is_contiguous })
          is_solved(A, x, b, dtype)
          is_solved(A.T, lu:solve(b, "T"), b, dtype)
          is_solved(A.T:conj(), lu:solve(b, "H"), b, dtype)
        end
      end
    end
  end)

  it("take right sides of other dtypes and devices, and matrices of every format", function()
    local A, b = band(12), right(12)
    local complex = b * ma.complex(1, -2)
    is_solved(A, L.spsolve(A, complex), complex, "complex128")
    is_solved(A, L.factorized(A)(complex), complex, "complex128")
    local x = L.spsolve(band(12, "float32"), b)
    assert.equal("float64", x.dtype)
    is_solved(A, x, b, "float64")                     -- factorised in float64, as b is
    x = L.factorized(A)(b:to("cpu"))
    assert.equal("cpu", x.device)
    is_solved(A, x:to(A.device), b, "float64")
    for _, other in ipairs { A:tocsc(), A:tocoo(), A:todia(), A:toarray() } do
      assert.is_true(on_device(L.splu(other)))
      is_solved(A, L.spsolve(other, b), b, "float64")
    end
    local twice = sp.csr_matrix({ ma.ones(4), { 1, 1, 2, 2 }, { 1, 3, 5 } }, { shape = { 2, 2 } })
    ma.testing.assert_allclose(L.spsolve(twice, { 2, 4 }), { 1, 2 })
    ma.testing.assert_allclose(L.spsolve(sp.csr_matrix({ { 2, 1 }, { 1, 3 } }):astype("int32"), { 3, 4 }), { 1, 1 })
    assert.equal(0, L.splu(A):solve(ma.zeros({ 12, 0 })).size)
    assert.equal(0, L.spsolve(sp.csr_matrix({ 0, 0 }), ma.zeros(0)).size)
    local one = sp.identity(12, { format = "csc" })
    ma.testing.assert_allclose(A:matmul(L.inv(A)):toarray(), one:toarray(), { atol = 1e-14 })
    ma.testing.assert_allclose(A:matmul(L.spsolve(A, one)):toarray(), one:toarray(), { atol = 1e-14 })
  end)

  it("stay those of A as it was, and serve on every stream", function()
    local A, b = band(30), right(30)
    local before, solve = A:copy(), L.factorized(A)
    A.data[{}] = 0
    is_solved(before, solve(b), b, "float64")
    local stream = ma.Stream()
    local x = stream:with(function() return solve(b):eval() end)
    is_solved(before, x, b, "float64")
    is_solved(before, solve(2 * b), 2 * b, "float64")
    stream:synchronize()
    local M = L.splu(before)
    local y, info = L.gmres(before, b, { M = M, rtol = 1e-10 })
    assert.equal(0, info)
    is_solved(before, y, b, "float64")
  end)

  it("have L, U and the permutations from the CPU", function()
    local A = band(20)
    local lu = L.splu(A)
    local left = A:toarray():take(ma.argsort(lu.perm_r), 1):take(ma.argsort(lu.perm_c), 2)
    ma.testing.assert_allclose(lu.L:matmul(lu.U):toarray(), left, { atol = 1e-14 })
    assert.same({ A.device, lu.L.nnz + lu.U.nnz - 20 }, { lu.L.device, lu.nnz })
    assert.is_true(on_device(lu))
    assert.is_false(on_device(L.splu(A, "NATURAL")))
    assert.is_false(on_device(L.splu(A, { diag_pivot_thresh = 1 })))
    is_solved(A, L.spsolve(A, right(20), "COLAMD"), right(20), "float64")
    fails("'best' for permc_spec", function() L.spsolve(A, right(20), "best") end)
  end)

  it("of tiny and huge elements are as good", function()
    for _, scale in ipairs { 2 ^ -200, 2 ^ 200 } do
      local A = band(25) * scale
      local lu = L.splu(A)
      assert.is_true(on_device(lu))
      is_solved(band(25), lu:solve(right(25) * scale), right(25), "float64")
    end
  end)

  it("are the CPU's where a pivot is near 0, and singular matrices are errors", function()
    local swap = sp.csr_matrix({ { 0, 2, 0 }, { 0, 0, 3 }, { 4, 0, 0 } })
    ma.testing.assert_allclose(L.spsolve(swap, { 2, 3, 4 }), { 1, 1, 1 })
    ma.testing.assert_allclose(L.factorized(swap)({ 2, 3, 4 }), { 1, 1, 1 })
    fails("exactly singular: pivot 2 is 0", function() L.splu(sp.csr_matrix { { 1, 1 }, { 1, 1 } }) end)
    fails("exactly singular: pivot 1 is 0", function() L.spsolve(sp.csr_matrix({ 2, 2 }), { 1, 2 }) end)
    fails("exactly singular", function() L.factorized(sp.csr_matrix { { 1, 0, 2 }, { 0, 0, 0 }, { 3, 0, 1 } }) end)
    local tiny = sp.csr_matrix({ { 1e-20, 1 }, { 1, 1 } })
    ma.testing.assert_allclose(L.spsolve(tiny, { 1, 2 }), { 1, 1 })
  end)

  it("refuse what does not fit", function()
    local A = band(6)
    local lu = L.splu(A)
    fails("wanted as many rows", function() lu:solve(ma.ones(5)) end)
    fails("'N', 'T' or 'H'", function() lu:solve(ma.ones(6), "X") end)
    fails("A is 2 x 3; wanted a square matrix", function() L.splu(sp.csr_matrix({ 2, 3 })) end)
    A.indices[3] = 99
    fails("99", function() L.splu(A) end)
    fails("a solution by factors cannot be recorded", function() ma.cuda.graph(function() lu:solve(ma.ones(6)) end) end)
  end)

  if pretended then
    it("leave nothing behind, whatever call fails", function()
      local A, b = band(9), right(9)
      collectgarbage()
      collectgarbage()
      local before = pretended.pretend_cudss_live()
      local x = L.spsolve(A, b)
      local said = {}
      for n = 1, 60 do
        pretended.pretend_cudss_fail(n, 6)
        local ok, why = pcall(L.spsolve, A, b)
        pretended.pretend_cudss_fail(0, 0)
        collectgarbage()
        collectgarbage()
        assert.equal(before, pretended.pretend_cudss_live())
        if ok then break end
        assert.matches("moonarray.sparse.linalg.spsolve: cudss%w+: CUDSS_STATUS_INTERNAL_ERROR %(6%), a matrix of " ..
          "9 x 9 with 32 entries", why)
        said[#said + 1] = why:match("cudss(%w+)")
      end
      assert.equal("Create SetStream SetDeviceMemHandler ConfigCreate ConfigSet DataCreate MatrixCreateCsr " ..
        "MatrixCreateDn MatrixCreateDn Execute MatrixCreateDn MatrixCreateDn Execute DataGet DataGet " ..
        "SetStream MatrixCreateDn MatrixCreateDn Execute SetStream MatrixCreateDn MatrixCreateDn Execute",
        table.concat(said, " "))
      for _, status in ipairs { 2, 4, 5 } do           -- a second try; and twice the CPU
        pretended.pretend_cudss_fail(status == 2 and 1 or 10, status)
        ma.testing.assert_allclose(L.spsolve(A, b), x, { rtol = 1e-14 })
      end
      pretended.pretend_cudss_fail(0, 0)
      ma.testing.assert_allclose(L.spsolve(A, b), x)
    end)
  end

  it("are the CPU's where the library cannot be opened", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert.equal(0, os.execute("mkdir " .. folder))
    for k = 0, 1 do assert(io.open(folder .. "/libcudss.so." .. k, "w")):close() end
    local script = folder .. "/try.lua"
    local file = assert(io.open(script, "w"))
    file:write([[
local ma = require "moonarray"
local A = ma.sparse.csr_matrix({ { 2, 1 }, { 1, 3 } })
print(ma.sparse.linalg.splu(A))
print(ma.sparse.linalg.spsolve(A, { 3, 4 }))
print(ma.show_config(true):match("cuDSS [^\n]+"))
]])
    file:close()
    local pipe = assert(io.popen(("MOONARRAY_TRACE=linalg LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH '%s' %s 2>&1")
      :format(folder, LUA, script)))
    local text = pipe:read("*a")
    pipe:close()
    os.execute("rm -rf " .. folder)
    for _, wanted in ipairs { "by splu, 4 entries", "%[1%. 1%.%]", "cuDSS %(.-%) cannot be opened: ",
      "; the CPU does it" } do
      assert.matches(wanted, text)
    end
  end)
end)
