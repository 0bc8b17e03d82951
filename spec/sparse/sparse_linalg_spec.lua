-- ma.sparse.linalg: SciPy's values; residuals of the iterative solvers, eigenvectors and least squares, held against
-- what eps and the condition allow.

local helper = require "spec.helper"
local run = require "spec.expressions"
local ma = helper.ma

local L, sp = ma.sparse.linalg, ma.sparse

local function fails(text, f)
  assert.matches(text, helper.fails(f), 1, true)
end

local function norm(x) return ma.linalg.norm(x):item() end

--- The 5-point Laplacian of a square grid, plus what makes it unsymmetric.
local function poisson(n, skew)
  local T = sp.diags({ -1 - skew, 2, -1 + skew }, { -1, 0, 1 }, { shape = { n, n } })
  local I = sp.identity(n)
  return (sp.kron(I, T) + sp.kron(T, I)):tocsr()
end

describe("sparse.linalg:", function()
  for section, tolerance in pairs { solve = 1e-12, norm = 1e-13, expm = 1e-11, eigen = 1e-11, least = 1e-9,
    ends = 1e-9 } do
    it("SciPy's values: " .. section, function() run(section, "sparse_linalg", { float64 = tolerance,
      complex128 = tolerance }) end)
  end

  it("iterative solvers reach what they are asked for, in every float dtype", function()
    for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
      local single = dtype == "float32" or dtype == "complex64"
      local tol = single and 1e-4 or 1e-9
      for method, skew in pairs { cg = 0, minres = 0, cgs = 0.3, bicgstab = 0.3, gmres = 0.3 } do
        local A = poisson(9, skew):astype(dtype)
        if dtype == "complex64" or dtype == "complex128" then
          local hermitian = method == "minres" or method == "cg"
          A = (A + sp.identity(81) * (hermitian and 0 or ma.complex(0, 1))):astype(dtype)
        end
        local b = ma.ones(81, dtype)
        local x, info = L[method](A, b, { rtol = tol })
        assert.same({ 0, dtype }, { info, x.dtype })
        -- minres is told how far by |A| |x|; squares of polynomials make the residual of cgs drift from the true one.
        local times = (method == "minres" or method == "cgs") and 100 or 4
        assert.is_true(norm(A:matmul(x) - b) <= times * tol * 9, method .. dtype)
      end
    end
  end)

  it("preconditioners save steps", function()
    local A, b = poisson(20, 0.2), ma.ones(400)
    local M = L.spilu(A, { drop_tol = 1e-3 })
    for _, method in ipairs { "cgs", "bicgstab", "gmres" } do
      local plain, better = 0, 0
      L[method](A, b, { rtol = 1e-8, callback = function() plain = plain + 1 end })
      local x, info = L[method](A, b, { rtol = 1e-8, M = M, callback = function() better = better + 1 end })
      assert.equal(0, info)
      assert.is_true(norm(A:matmul(x) - b) <= 4e-7)
      assert.is_true(better * 2 < plain, method)
    end
  end)

  it("gmres with restarts, callbacks and a step that ends it", function()
    local A, b = poisson(8, 0.4), ma.ones(64)
    local sizes, calls = {}, 0
    local x, info = L.gmres(A, b, { restart = 5, rtol = 1e-10, callback = function(size) sizes[#sizes + 1] = size end })
    assert.equal(0, info)
    assert.is_true(norm(A:matmul(x) - b) <= 8e-10 and sizes[#sizes] <= 1e-10 and sizes[1] < 1)
    L.gmres(A, b, { restart = 4, maxiter = 3, callback_type = "x", callback = function(now)
      calls = calls + 1
      assert.equal(64, now.size)
    end })
    assert.equal(3, calls)
    assert.equal(2, select(2, L.gmres(A, b, { restart = 3, maxiter = 2, rtol = 1e-12 })))
    x, info = L.gmres(ma.eye(4) * 2, ma.ones(4))
    assert.equal(0, info)
    ma.testing.assert_allclose(x, ma.full(4, 0.5))
    fails("for callback_type", function() L.gmres(A, b, { callback_type = "y" }) end)
  end)

  it("minres of an indefinite matrix, with a shift, from a guess", function()
    local A = poisson(9, 0) - sp.identity(81) * 1.7
    local b = ma.arange(81) / 9
    local x, info = L.minres(A, b, { rtol = 1e-13 })
    assert.equal(0, info)
    assert.is_true(norm(A:matmul(x) - b) <= 1e-9 * norm(b))
    local y = L.minres(poisson(9, 0), b, { rtol = 1e-13, shift = 1.7 })
    ma.testing.assert_allclose(y, x, { rtol = 1e-7, atol = 1e-8 })
    assert.equal(0, select(2, L.minres(A, b, x, { rtol = 1e-8 })))
    assert.equal(0, norm((L.minres(A, ma.zeros(81)))))
    fails("A is not symmetric", function() L.minres(poisson(5, 0.3), ma.ones(25), { check = true }) end)
    fails("M is not positive definite", function() L.minres(A, b, { M = -ma.eye(81) }) end)
  end)

  it("eigenvectors and singular vectors are such, and orthonormal", function()
    for _, dtype in ipairs { "float32", "float64", "complex128" } do
      local A = poisson(8, 0)
      local dense = A:toarray()
      if dtype == "complex128" then dense = dense + ma.complex(0, 1) * (ma.eye(64, 64, 1) - ma.eye(64, 64, -1)) end
      dense = dense:astype(dtype)
      local tol = dtype == "float32" and 2e-4 or 1e-11
      local w, v = L.eigsh(dense, 5, { which = "SA" })
      assert.is_true(norm(ma.matmul(dense, v) - v * w) < tol)
      assert.is_true(norm(ma.matmul(ma.conjugate(v.T), v) - ma.eye(5)) < tol)
      ma.testing.assert_allclose(w, ma.linalg.eigvalsh(dense)["1:5"], { rtol = 100 * tol, atol = tol })
      for _, part in ipairs { dense["1:20, :"], dense[":, 1:20"] } do
        local u, s, vh = L.svds(part, 3)
        assert.is_true(norm(ma.matmul(part, ma.conjugate(vh.T)) - u * s) < tol)
        assert.is_true(norm(ma.matmul(ma.conjugate(u.T), u) - ma.eye(3)) < tol)
      end
    end
    ma.testing.assert_allclose((L.eigsh(ma.eye(30) * 3, 2)), { 3, 3 }, { rtol = 1e-14 })
    assert.equal(0, norm((L.eigsh(ma.zeros({ 30, 30 }), 2))))
    fails("k is 4 of 4 eigenvalues", function() L.eigsh(ma.eye(4), 4) end)
    fails("wanted a square matrix", function() L.eigsh(ma.ones({ 3, 4 }), 1) end)
    fails("M is given", function() L.eigsh(ma.eye(9), 1, ma.eye(9)) end)
    fails("for which", function() L.eigsh(ma.eye(9), 1, { which = "XX" }) end)
    fails("after 1 restarts", function() L.eigsh(poisson(20, 0), 3, { which = "SA", maxiter = 1 }) end)
    fails("k is 3 beside 3 x 5", function() L.svds(ma.ones({ 3, 5 }), 3) end)
  end)

  it("lobpcg with preconditioner, second matrix and constraints", function()
    local A = poisson(8, 0)
    local exact = ma.linalg.eigvalsh(A:toarray())
    local X = ma.random.default_rng(3):standard_normal { 64, 3 }
    local w, v, values, norms = L.lobpcg(A, X, { largest = false, maxiter = 60, tol = 1e-8, M = L.splu(A),
      retLambdaHistory = true, retResidualNormsHistory = true })
    ma.testing.assert_allclose(w, exact["1:3"], { rtol = 1e-9 })
    assert.is_true(norm(A:matmul(v) - v * w) < 1e-7)
    assert.is_true(#values == #norms and #values > 2)
    local big = L.lobpcg(A, X, { maxiter = 100, tol = 1e-7 })
    ma.testing.assert_allclose(big, ma.flip(exact["-3:-1"]), { rtol = 1e-8 })
    local half = L.lobpcg(A, X, sp.identity(64) * 2, { largest = false, maxiter = 100, tol = 1e-7, M = L.splu(A) })
    ma.testing.assert_allclose(half, exact["1:3"] / 2, { rtol = 1e-8 })
    local rest = L.lobpcg(A, X[":, 1:1"], { largest = false, maxiter = 100, tol = 1e-7, Y = v, M = L.splu(A) })
    ma.testing.assert_allclose(rest, exact["4:4"], { rtol = 1e-8 })
    fails("wanted some vectors of 64", function() L.lobpcg(A, ma.ones { 3, 3 }) end)
  end)

  it("least squares of other shapes, of operators and of zero", function()
    local rng = ma.random.default_rng(8)
    local a = rng:standard_normal { 30, 8 } + ma.complex(0, 1) * rng:standard_normal { 30, 8 }
    local b = rng:standard_normal(30)
    local exact = ma.linalg.lstsq(a, b)
    local operator = L.LinearOperator({ 30, 8 }, function(x) return ma.matmul(a, x) end,
      function(x) return ma.matmul(ma.conjugate(a.T), x) end, { dtype = "complex128" })
    for _, A in ipairs { a, operator } do
      local x, istop, itn, r1 = L.lsqr(A, b, { atol = 1e-12, btol = 1e-12 })
      ma.testing.assert_allclose(x, exact, { rtol = 1e-8, atol = 1e-10 })
      assert.is_true(istop == 2 and itn <= 16 and math.abs(r1 - norm(ma.matmul(a, x) - b)) < 1e-9)
      x = L.lsmr(A, b, { atol = 1e-12, btol = 1e-12, maxiter = 40 })
      ma.testing.assert_allclose(x, exact, { rtol = 1e-7, atol = 1e-9 })
    end
    for _, method in ipairs { "lsqr", "lsmr" } do
      local x, istop, itn = L[method](a, ma.zeros(30))
      assert.same({ 0, 0, 0 }, { istop, itn, norm(x) })
      x = L[method](a, b, { x0 = exact, atol = 1e-10, btol = 1e-10 })
      ma.testing.assert_allclose(x, exact, { rtol = 1e-6, atol = 1e-8 })
    end
  end)

  it("steps of least squares do not wait for a GPU", function()
    local A = sp.diags({ -1, 4, -1 }, { -1, 0, 1 }, { shape = { 30, 30 }, format = "csr" })
    local b, back = ma.cos(ma.range(1, 30)), A.T:tocsr()
    for _, method in ipairs { "lsqr", "lsmr" } do
      local calls, from = 0, helper.device == "cpu" and math.huge or 10
      -- A product begins; then the scalars are read after each four steps of two products.
      local function product(M)
        return function(x)
          calls = calls + 1
          if calls == from then ma.allow_synchronize(false) end
          if calls == from + 7 then ma.allow_synchronize(true) end
          return M:matmul(x)
        end
      end
      local steps = method == "lsqr" and "iter_lim" or "maxiter"
      local operator = L.LinearOperator({ 30, 30 }, product(A), product(back), { dtype = "float64" })
      local found = { pcall(L[method], operator, b, { atol = 1e-10, btol = 1e-10, damp = 0.5, [steps] = 40 }) }
      ma.allow_synchronize(true)
      assert.is_true(found[1], found[2])
      -- What a step after the last one does is nothing: both stop at the step at which SciPy does.
      local istop, itn = found[3], found[4]
      assert.same({ 2, true }, { istop, itn > 13 and itn % 4 ~= 0 })
      local x = L[method](A, b, { atol = 1e-10, btol = 1e-10, damp = 0.5, [steps] = itn })
      assert.is_true(norm(x - found[2]) <= 1e-14 * norm(x), method)
    end
  end)

  it("factors give L U of the permuted matrix, sparse", function()
    local A = poisson(6, 0.3)
    local lu = L.splu(A)
    local n = 36
    local left = A:toarray():take(ma.argsort(lu.perm_r), 1):take(ma.argsort(lu.perm_c), 2)
    ma.testing.assert_allclose(lu.L:matmul(lu.U):toarray(), left, { atol = 1e-14 })
    assert.is_true(lu.nnz == lu.L.nnz + lu.U.nnz - n and lu.nnz < n * n / 2)
    fails("wanted splu(A) or spilu(A)", function() L.SuperLU() end)
  end)

  it("positions that lie outside of a matrix are errors", function()
    local A = poisson(4, 0)
    A.indices[3] = 99
    local function solve() return L.spsolve_triangular(A, ma.ones(16)).size end
    if A.device ~= "cpu" and helper.compiles then -- a GPU's kernels skip such positions
      return assert.equal(16, solve())
    end
    fails("indices[3] of a sparse matrix is 99", solve)
  end)

  it("refuse what does not fit", function()
    fails("wanted as many rows", function() L.expm_multiply(ma.eye(3), ma.ones(4)) end)
    fails("for ord", function() L.norm(poisson(3, 0), "nuc") end)
    fails("power is -1", function() L.matrix_power(poisson(3, 0), -1) end)
  end)
end)
