-- ma.linalg's matrices of a known form, equations by Cholesky's factors, and ma.lapack: SciPy's values over dtypes,
-- layouts, empty input and NaN, properties of large ones, and errors; small systems in a graph.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma, fails = helper.ma, helper.fails
local linalg, lapack = ma.linalg, ma.lapack

local works, why = pcall(linalg.inv, ma.eye(2))
local test = works and it or function(name) pending(name .. ": " .. tostring(why)) end

local function said(pattern, ...) assert.matches(pattern, fails(...)) end

describe("Matrices of a known form:", function()
  it("with constant diagonals", function() run("diagonals", "matrices") end)
  it("of polynomials, populations and names", function() run("known", "matrices") end)
  it("out of matrices", function() run("of matrices", "matrices") end)

  it("are new and contiguous", function()
    local c = ma.arange(5)
    for _, a in ipairs { linalg.toeplitz(c), linalg.hankel(c), linalg.circulant(c), linalg.convolution_matrix(c, 3) } do
      assert.is_true(a.is_contiguous)
      a:fill(7)
    end
    assert.same({ 0, 1, 2, 3, 4 }, c:totable())
  end)

  it("of many rows keep what they are known for", function()
    local n = 512
    local i = ma.eye(n) * n
    local hadamard, helmert = linalg.hadamard(n, "float64"), linalg.helmert(n, true)
    ma.testing.assert_array_equal(hadamard:matmul(hadamard:transpose()), i)
    ma.testing.assert_allclose(helmert:matmul(helmert:transpose()), ma.eye(n), { atol = 1e-12 })
    local x = ma.sin(ma.arange(n, "float64"))
    ma.testing.assert_allclose(linalg.dft(n):matmul(x:astype "complex128"), ma.fft.fft(x), { atol = 1e-10 })
    local h = ma.arange(100, "float64")
    ma.testing.assert_allclose(linalg.convolution_matrix(h, n):matmul(x), ma.convolve(h, x), { atol = 1e-9 })
    assert.same({ n - 1, 3 }, { linalg.bandwidth(ma.tril(ma.ones { n, n }, 3)) })
  end)

  it("keep the device and the dtype of arrays beside tables", function()
    local c = ma.array({ 1, 2, 3 }, "float32")
    assert.equal("float32", linalg.toeplitz(c).dtype)
    assert.equal("float64", linalg.toeplitz(c, { 1, 2 }).dtype)
    local host = c:get()
    for _, a in ipairs { linalg.toeplitz(host, { 1, 2 }), linalg.leslie(host, { 1, 2 }), linalg.companion(host),
      linalg.block_diag(host, { 1 }), linalg.khatri_rao(ma.numpy.ones { 2, 2 }, { { 1, 2 } }) } do
      assert.equal("cpu", a.device)
    end
  end)

  it("say what is wrong", function()
    said("moonarray.linalg.companion: a is .- %(1,%); wanted vectors of 2 or more elements", linalg.companion, { 1 })
    said("f of 3 elements and s of 3; wanted one less in s", linalg.leslie, { 1, 2, 3 }, { 1, 2, 3 })
    said("n is 6; wanted a power of 2", linalg.hadamard, 6)
    said("n is 0; wanted a whole number from 1 on", linalg.hadamard, 0)
    said("n is 1.5; wanted a whole number", linalg.hilbert, 1.5)
    said("wanted nil, 'sqrtn' or 'n'", linalg.dft, 3, "m")
    said("wanted full, same or valid", linalg.convolution_matrix, { 1, 2 }, 3, "half")
    said("wanted vectors of 1 or more", linalg.convolution_matrix, ma.zeros(0), 3)
    said("array 2 is .-wanted at most two axes", linalg.block_diag, 1, ma.zeros { 1, 1, 1 })
    said("as many columns", linalg.khatri_rao, ma.zeros { 2, 3 }, ma.zeros { 2, 2 })
    said("wanted one matrix", linalg.bandwidth, ma.zeros { 2, 2, 2 })
    said("wanted a matrix", linalg.kron, ma.zeros(3), ma.zeros { 2, 2 })
  end)
end)

describe("Tolerances", function()
  test("may be one for each matrix of a stack", function()
    local equal, near = ma.testing.assert_array_equal, ma.testing.assert_allclose
    local a = ma.stack({ ma.diag { 4, 1 }, ma.diag { 4, 1 } })
    for _, tol in ipairs { ma.array { 0.1, 0.5 }, { 0.1, 0.5 } } do
      near(linalg.pinv(a, { rtol = tol }), { { { 0.25, 0 }, { 0, 1 } }, { { 0.25, 0 }, { 0, 0 } } }, { atol = 1e-15 })
      near(linalg.pinv(a, tol), linalg.pinv(a, { rtol = tol }))
      equal(linalg.matrix_rank(a, { rtol = tol }), { 2, 1 })
    end
    equal(linalg.matrix_rank(a, ma.array { 0.5, 2 }), { 2, 1 })
    local many = ma.random.default_rng(1):standard_normal { 2, 3, 4, 5 }
    local tol = ma.array { { 0.1, 0.5, 0.9 }, { 0.2, 0.4, 0.99 } }
    local ranks, inverses = linalg.matrix_rank(many, { rtol = tol }), linalg.pinv(many, { rtol = tol })
    for i = 1, 2 do
      for j = 1, 3 do
        assert.equal(linalg.matrix_rank(many[{ i, j }], { rtol = tol(i, j) }):item(), ranks(i, j))
        near(inverses[{ i, j }], linalg.pinv(many[{ i, j }], tol(i, j)), { atol = 1e-14 })
      end
    end
    near(linalg.pinv(ma.full({ 2, 1, 1 }, 4), { rtol = ma.array { 1e-9, 1e-9 } }), ma.full({ 2, 1, 1 }, 0.25))
    near(linalg.pinv(ma.eye(2), ma.array(0.5)), ma.eye(2))
    said("rtol is a float64 array %(3,%); wanted a number, or one for each matrix of a stack %(2%)", linalg.pinv, a,
      { rtol = ma.ones(3) })
    said("moonarray.linalg.matrix_rank: tol is", linalg.matrix_rank, ma.eye(2), ma.ones(2))
  end)
end)

describe("Cholesky's factors", function()
  local near = { float32 = 1e-4, complex64 = 1e-4, float64 = 1e-10 }
  test("solve equations as NumPy does", function() run("cholesky", "matrices", near) end)
  test("and the other methods of ma.lapack", function() run("lapack", "matrices", near) end)

  test("read one triangle alone", function()
    local a = ma.array { { 4, 1, 2 }, { 1, 5, 3 }, { 2, 3, 6 } }
    local b, x = ma.array { 1, 2, 3 }, linalg.solve(a, ma.array { 1, 2, 3 })
    local lower = ma.where(ma.tri(3):eq(1), a, ma.nan)
    local upper = ma.where(ma.tri(3):transpose():eq(1), a, ma.nan)
    ma.testing.assert_allclose(linalg.cho_solve({ linalg.cho_factor(upper) }, b), x, { atol = 1e-12 })
    ma.testing.assert_allclose(linalg.cho_solve({ linalg.cho_factor(lower, true) }, b), x, { atol = 1e-12 })
    ma.testing.assert_allclose(linalg.invh(lower), linalg.inv(a), { atol = 1e-12 })
    ma.testing.assert_allclose(linalg.lschol(lower, b), x, { atol = 1e-12 })
    ma.testing.assert_allclose(lapack.posv(lower, b), x, { atol = 1e-12 })
  end)

  test("take matrices without elements", function()
    local c, lower = linalg.cho_factor(ma.zeros { 0, 0 })
    assert.same({ 0, 2 }, { unpack(linalg.cho_solve({ c, lower }, ma.zeros { 0, 2 }).shape) })
    assert.same({ 0, 0 }, { unpack(linalg.invh(ma.zeros { 0, 0 }).shape) })
    assert.same({ 3, 2 }, { unpack(lapack.gels(ma.zeros { 0, 3 }, ma.zeros { 0, 2 }).shape) })
  end)

  test("say what is wrong", function()
    local indefinite = ma.array { { 1, 2 }, { 2, 1 } }
    said("moonarray.linalg.cho_factor: .-not positive definite", linalg.cho_factor, indefinite)
    said("moonarray.linalg.invh: .-not positive definite", linalg.invh, indefinite)
    said("moonarray.linalg.lschol: .-not positive definite", linalg.lschol, indefinite, { 1, 2 })
    said("moonarray.lapack.posv: .-not positive definite", lapack.posv, indefinite, { 1, 2 })
    said("c_and_lower is .-; wanted {c, lower}", linalg.cho_solve, ma.eye(2), { 1, 2 })
    said("as many rows", linalg.cho_solve, { ma.eye(2), true }, { 1, 2, 3 })
    said("moonarray.lapack.gesv: a is .-; wanted square matrices", lapack.gesv, ma.ones { 2, 3 }, { 1, 2 })
    said("moonarray.lapack.gels: a is .-; wanted one matrix", lapack.gels, ma.ones { 2, 2, 2 }, { 1, 2 })
    local x = linalg.invh(indefinite, { check = false })
    assert.is_true(ma.isnan(x):all())
  end)
end)

describe("Small systems", function()
  test("are recorded on a GPU, where nothing is waited for", function()
    if ma.zeros(1).device == "cpu" then return pending("no GPU") end
    local a, b, out = ma.eye(4) * 2 + ma.zeros { 6, 1, 1 }, ma.ones { 6, 4, 2 }, ma.zeros { 6, 4, 2 }
    linalg.solve(a, b, { check = false })
    local graph = ma.cuda.graph(function() out:assign(linalg.solve(a, b, { check = false })) end)
    b:fill(8)
    graph:launch()
    assert.are.equal(192, out:sum():item())
    local ok, message = pcall(ma.cuda.graph, function() out:assign(linalg.solve(a, b)) end)
    assert.is_false(ok)
    assert.is_truthy(message:find("check = false", 1, true), message)
  end)
end)

describe("Cholesky's factors of many matrices", function()
  test("are each as alone", function()
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      for _, n in ipairs { 1, 3, 8, 13, 32, 33 } do
        local m = ((ma.arange(5 * n * n) * 37 % 101 / 101):reshape(5, n, n)):astype(dtype)
        if dtype:find "complex" then m = m * ma.complex(1, 0.5) + ma.swapaxes(m, 2, 3) * ma.complex(0, 0.25) end
        local function H(a) return ma.conjugate(ma.swapaxes(a, -1, -2)) end
        local eps = (dtype == "float32" or dtype == "complex64") and 1e-5 or 1e-13
        local function close(a, b) assert(ma.allclose(a, b, eps * n, eps * n), dtype .. n) end
        local many = ma.matmul(m, H(m)) + ma.eye(n, { dtype = dtype }) * 3
        local l = linalg.cholesky(many)
        for k = 1, 5 do close(linalg.cholesky(many[k]), l[k]) end
        assert(ma.array_equal(ma.tril(l), l))
        close(linalg.cholesky(many, { upper = true }), H(l))
        many[{ 2, n, n }] = -1
        local some = linalg.cholesky(many, { check = false })
        assert(ma.array_equal(some[3], l[3]) and ma.isnan(some[{ 2, n, n }]))
        assert(not pcall(linalg.cholesky, many))
      end
    end
  end)
end)
