-- ma.sparse.linalg: LinearOperator, the iterative solvers of cg's kind, and factors (splu and its kin).

local helper = require "spec.helper"
local ma = helper.ma

local L = ma.sparse.linalg

local function fails(text, f)
  assert.matches(text, helper.fails(f), 1, true)
end

--- A matrix of n rows with few entries, and a definite one.
local function some(n, dtype)
  local rng = ma.random.default_rng(n + 1)
  local a = rng:standard_normal({ n, n })
  a = a * ma.abs(a):gt(1) + 3 * ma.eye(n)
  if dtype == "complex128" or dtype == "complex64" then a = a + ma.complex(0, 1) * a.T * 0.5 end
  return a:astype(dtype or "float64")
end

local function definite(n, dtype)
  local a = some(n, dtype)
  return (ma.matmul(a, ma.conjugate(a.T)) + ma.eye(n)):astype(a.dtype)
end

local EPS = { float32 = 2 ^ -23, float64 = 2 ^ -52, complex64 = 2 ^ -23, complex128 = 2 ^ -52 }

--- |b - A x| stays below eps |A| |x| times a small number, as backward stability has it.
local function is_solved(a, x, b, dtype)
  if x.size == 0 then return end
  local left = ma.abs(ma.matmul(a, x) - b):max():item()
  local scale = ma.abs(a):sum(2):max():item() * ma.abs(x):max():item() + ma.abs(b):max():item()
  assert.is_true(left <= 64 * EPS[dtype] * scale, ("residual %g of %g"):format(left, scale))
end

describe("LinearOperator:", function()
  it("products of functions, their adjoints and sums", function()
    local a, b = some(4, "complex128")["1:3, :"], some(4)["1:3, :"]
    local function of(m)
      return L.LinearOperator({ 3, 4 }, function(x) return ma.matmul(m, x) end,
        function(x) return ma.matmul(ma.conjugate(m.T), x) end, { dtype = m.dtype })
    end
    local A, B = of(a), of(b)
    local x, y = ma.arange(4) + 1, ma.arange(3) + ma.complex(1, 2)
    local near = { rtol = 1e-13 }
    ma.testing.assert_allclose(A:matvec(x), ma.matmul(a, x), near)
    ma.testing.assert_allclose(A:rmatvec(y), ma.matmul(ma.conjugate(a.T), y), near)
    ma.testing.assert_allclose(A.H:matvec(y), ma.matmul(ma.conjugate(a.T), y), near)
    ma.testing.assert_allclose(A.T:matvec(y), ma.matmul(a.T, y), near)
    ma.testing.assert_allclose((A + B):matvec(x), ma.matmul(a + b, x), near)
    ma.testing.assert_allclose((A - B * 2):matvec(x), ma.matmul(a - 2 * b, x), near)
    ma.testing.assert_allclose((-A):dot(x), -ma.matmul(a, x), near)
    ma.testing.assert_allclose((A * B.H):matvec(y), ma.matmul(a, ma.matmul(b.T, y)), near)
    ma.testing.assert_allclose(A:matmat(ma.stack({ x, 2 * x }, 2)), ma.matmul(a, ma.stack({ x, 2 * x }, 2)), near)
    ma.testing.assert_allclose(L.aslinearoperator(a):rmatmat(ma.eye(3)), ma.conjugate(a.T), near)
    assert.same({ 3, 4 }, { A.shape[1], A.shape[2] })
    assert.equal("complex128", (A + B).dtype)
    assert.matches("LinearOperator of 3 x 4, complex128", tostring(A))
  end)

  it("refuses what does not fit", function()
    local one = L.LinearOperator({ 2, 3 }, function() return ma.ones(5) end)
    fails("returned", function() one:matvec(ma.ones(3)) end)
    fails("beside an operator of 2 x 3", function() one:matvec(ma.ones(2)) end)
    fails("no rmatvec", function() one:rmatvec(ma.ones(2)) end)
    fails("a sum of 2 x 3 and 3 x 2", function() return one + one.H end)
    fails("wanted a matrix or a LinearOperator", function() L.aslinearoperator(ma.ones(3)) end)
    fails("write object:matvec", function() one.matvec(ma.ones(3)) end)
  end)
end)

describe("cg, cgs and bicgstab:", function()
  for _, method in ipairs { "cg", "cgs", "bicgstab" } do
    it(method .. " of every float dtype, with and without preconditioner, from guesses", function()
      for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
        local a = definite(20, dtype)
        local b = ma.arange(20, dtype) + 1
        local single = EPS[dtype] > 1e-10
        local tol = single and 1e-4 or 1e-9
        for _, M in ipairs { false, ma.diag(1 / ma.diag(a)), L.spilu(a) } do
          local x, info = L[method](a, b, { rtol = tol, M = M or nil })
          assert.same({ 0, dtype }, { info, x.dtype })
          assert.is_true((ma.linalg.norm(ma.matmul(a, x) - b) / ma.linalg.norm(b)):item() < 4 * tol)
        end
        local exact = ma.linalg.solve(a, b)
        local x, info = L[method](a, b, exact, { rtol = single and 1e-2 or 1e-6 })
        assert.equal(0, info)
        ma.testing.assert_allclose(x, exact, { rtol = single and 1e-2 or 1e-6 })
      end
    end)

    it(method .. " counts steps and calls back", function()
      local a, calls = definite(30), 0
      local operator = L.LinearOperator({ 30, 30 }, function(x) return ma.matmul(a, x) end)
      local x, info = L[method](operator, ma.ones(30), { maxiter = 3, rtol = 1e-14, callback = function(now)
        calls = calls + 1
        assert.equal(30, now.size)
      end })
      assert.same({ 3, 3 }, { info, calls })
      local again = L[method](a, ma.ones(30), { maxiter = 3, rtol = 1e-14 })     -- recorded
      ma.testing.assert_allclose(again, x, { rtol = 1e-10 })
      x, info = L[method](a, ma.zeros({ 30, 1 }))
      assert.same({ 0, 2, 0 }, { info, x.ndim, ma.abs(x):sum():item() })
      x, info = L[method](ma.zeros({ 0, 0 }), ma.zeros(0))
      assert.same({ 0, 0 }, { info, x.size })
    end)
  end

  it("refuse what does not fit, and pass errors on", function()
    fails("wanted a square matrix", function() L.cg(ma.ones({ 2, 3 }), ma.ones(2)) end)
    fails("wanted a vector of 2 elements", function() L.cg(ma.eye(2), ma.ones(3)) end)
    fails("M is 3 x 3; wanted 2 x 2", function() L.cg(ma.eye(2), ma.ones(2), { M = ma.eye(3) }) end)
    fails("wanted 0 or more", function() L.cg(ma.eye(2), ma.ones(2), { rtol = -1 }) end)
    local operator = L.LinearOperator({ 2, 2 }, function() error("my own") end, { dtype = "float64" })
    assert.matches("my own", select(2, pcall(L.cg, operator, ma.ones(2))))
  end)
end)

describe("factors:", function()
  it("solve systems of every dtype, transposed and not", function()
    for _, n in ipairs { 0, 1, 2, 9, 40 } do
      for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
        local a = some(n, dtype)
        local factors = L.splu(a)
        assert.equal(dtype, factors.dtype)
        for _, b in ipairs { ma.ones(n, dtype), ma.arange(3 * n, dtype):reshape(n, 3) } do
          is_solved(a, factors:solve(b), b, dtype)
          is_solved(a.T, factors:solve(b, "T"), b, dtype)
          is_solved(ma.conjugate(a.T), factors:solve(b, "H"), b, dtype)
        end
        local b = ma.ones(n) * ma.complex(1, 2)
        is_solved(a, L.spsolve(a, b), b, dtype)
        is_solved(ma.triu(a), L.spsolve_triangular(a, ma.ones(n), false), ma.ones(n), dtype)
        is_solved(ma.tril(a), L.spsolve_triangular(a, ma.ones(n)), ma.ones(n), dtype)
      end
    end
  end)

  it("by every order of columns, and of matrices with a dense row and without symmetry", function()
    local a = some(60)
    a["7, :"], a[":, 9"] = 1, 1
    a["1:30, 31:60"] = 0
    for _, order in ipairs { "COLAMD", "MMD_ATA", "MMD_AT_PLUS_A", "NATURAL" } do
      is_solved(a, L.spsolve(a, ma.ones(60), order), ma.ones(60), "float64")
    end
    fails("'best' for permc_spec", function() L.splu(a, "best") end)
  end)

  it("need pivots off the diagonal where that is 0", function()
    local a = ma.array { { 0, 2, 0 }, { 0, 0, 3 }, { 4, 0, 0 } }
    ma.testing.assert_allclose(L.spsolve(a, { 2, 3, 4 }), { 1, 1, 1 })
    ma.testing.assert_allclose(L.factorized(a)({ 2, 3, 4 }), { 1, 1, 1 })
    local unit = L.spsolve_triangular({ { 5, 0 }, { 2, 0 } }, { 1, 2 }, { unit_diagonal = true })
    ma.testing.assert_allclose(unit, { 1, 0 })
  end)

  it("that are triangles need no factors, in any format and with duplicates", function()
    local places = { { 1, 2, 2, 3, 3, 3, 1 }, { 1, 2, 1, 3, 3, 1, 3 } }
    for _, format in ipairs { "csr", "csc", "coo" } do
      for _, dtype in ipairs { "float32", "float64", "complex64", "complex128", "int32" } do
        local a = ma.sparse.coo_matrix({ ma.array({ 2, 4, 3, 1, 4, 5, 7 }, dtype), places }, { shape = { 3, 3 } })
        a = a:asformat(format)
        for _, b in ipairs { ma.array { 2, 7, 15 }, ma.array { { 2, 4 }, { 7, 14 }, { 15, 30 } } } do
          local x, want = L.spsolve_triangular(a, b), b.ndim == 1 and { 1, 1, 2 } or { { 1, 2 }, { 1, 2 }, { 2, 4 } }
          assert.equal(dtype == "complex64" and "complex128" or dtype == "complex128" and dtype or "float64", x.dtype)
          ma.testing.assert_allclose(x, want, { rtol = 1e-14 })
          x = L.spsolve_triangular(a, b, false, { unit_diagonal = true })
          ma.testing.assert_allclose(x, b.ndim == 1 and { -103, 7, 15 } or { { -103, -206 }, { 7, 14 }, { 15, 30 } })
          assert.equal(24, (b.ndim == 1 and b or b[":, 1"]):sum():item())              -- b is as it was
        end
        assert.equal(0, L.spsolve_triangular(a, ma.zeros({ 3, 0 })).size)
        a:setdiag(ma.array { 2, 0, 1 })
        fails("0 on the diagonal of row 2", function() L.spsolve_triangular(a, ma.ones(3)) end)
        fails("wanted as many rows", function() L.spsolve_triangular(a, ma.ones(4)) end)
      end
    end
    local line = ma.sparse.diags({ { -1 }, { 4 }, { -1 } }, { -1, 0, 1 }, { 30, 30 }, "csr")
    local grid = ma.sparse.kronsum(line, line, "csr")                    -- whose rows need those before them
    local right = ma.arange(900, "float64") % 7
    for _, part in ipairs { "tril", "triu" } do
      local a = ma.sparse[part](grid, 0, "csr")
      for _, b in ipairs { right, ma.stack({ right, right + 1 }, 2) } do
        local x = L.spsolve_triangular(a, b, part == "tril")
        ma.testing.assert_allclose(a:matmul(x), b, { rtol = 1e-14, atol = 1e-14 })
      end
      right[3] = 0 / 0
      local x = L.spsolve_triangular(a, right, part == "tril")
      assert.equal(part == "tril" and 840 or 3, ma.isnan(x):sum():item())
      right[3] = 2
    end
    if ma.zeros(1).device == "cpu" then return end
    local run = "local ma = require 'moonarray' local a = ma.sparse.eye(9, 9, { format = 'csr' }) " ..
      "print(ma.sparse.linalg.spsolve_triangular(a, ma.ones(9)):sum():item())"
    local pipe = assert(io.popen(("MOONARRAY_DEBUG=2 '%s' -e %q 2>&1"):format(os.getenv("LUAJIT") or "luajit", run)))
    local said = pipe:read("*a")
    pipe:close()
    assert.is_truthy(said:find("csr_solve", 1, true) and said:find("\n9\n", 1, true), said)
  end)

  it("of singular and other wrong matrices are errors", function()
    fails("exactly singular: pivot 2 is 0", function() L.splu { { 1, 1 }, { 1, 1 } } end)
    fails("exactly singular: pivot 1 is 0", function() L.spsolve(ma.zeros({ 2, 2 }), { 1, 2 }) end)
    fails("0 on the diagonal of row 1", function() L.spsolve_triangular({ { 0, 1 }, { 1, 2 } }, { 1, 2 }) end)
    fails("A is 2 x 3; wanted a square matrix", function() L.splu(ma.ones({ 2, 3 })) end)
    fails("wanted as many rows", function() L.spsolve(ma.eye(2), ma.ones(3)) end)
    fails("'X' for trans", function() L.splu(ma.eye(2)):solve(ma.ones(2), "X") end)
    fails("wanted 1 or more", function() L.spilu(ma.eye(2), { fill_factor = 0 }) end)
  end)

  it("incomplete ones are near, and keep few entries", function()
    local a = definite(50)
    local whole, part = L.splu(a), L.spilu(a, { drop_tol = 0.05, fill_factor = 1 })
    assert.is_true(part.nnz < whole.nnz / 1.5)
    is_solved(a, L.spilu(a, { drop_tol = 0, fill_factor = 50 }):solve(ma.ones(50)), ma.ones(50), "float64")
    assert.equal(50, L.spilu(ma.zeros({ 50, 50 })):solve(ma.ones(50)).size)      -- pivots of 0 are replaced
  end)
end)
