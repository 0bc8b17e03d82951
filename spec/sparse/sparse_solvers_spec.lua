-- ma.sparse.linalg's iterative solvers on awkward matrices: what their errors are held against is eps times the
-- condition, or what they were asked for times it.

local helper = require "spec.helper"
local ma = helper.ma

local sp, L = ma.sparse, ma.sparse.linalg
local EPS = 2 ^ -52
local SOLVERS = { "cg", "cgs", "bicgstab", "gmres", "minres" }

local function fails(text, f)
  assert.matches(text, helper.fails(f), 1, true)
end

local function norm(x) return ma.linalg.norm(x):item() end

--- tri(-1, 4, -1), of eigenvalues in 2 .. 6 and condition 3, in a format.
local function band(n, format)
  return sp.diags({ -1, 4, -1 }, { -1, 0, 1 }, { shape = { n, n }, format = format or "csr" })
end

--- |x - exact| / |exact| of a solution by a method that is asked for all that rounding leaves.
local function error_of(method, A, exact, o)
  local b = A:matmul(exact)
  o = o or {}
  o.rtol = o.rtol or 1e-14
  local x = L[method](A, b, o)
  assert.equal(exact.dtype, x.dtype)
  return norm(x - exact) / math.max(norm(exact), 1e-300)
end

local function finite(x) return ma.count_nonzero(ma.isfinite(x)):item() == x.size end

describe("iterative solvers:", function()
  it("errors are bounded by eps times the condition", function()
    for _, condition in ipairs { 1, 1e2, 1e4 } do
      -- Rotations of a diagonal matrix have its condition.
      local n = 40
      local q = ma.linalg.qr(ma.random.default_rng(7):standard_normal { n, n })
      local values = condition ^ (-ma.arange(n) / (n - 1))
      local A = ma.matmul(q * values, q.T)
      A = (A + A.T) / 2
      local exact = ma.cos(ma.range(1, n))
      for _, method in ipairs(SOLVERS) do
        local found = error_of(method, A, exact, { maxiter = 4000, restart = method == "gmres" and n or nil })
        -- What was asked for, 1e-14 of |b|, is 45 eps; squares of polynomials lose digits of the residual on the way.
        local times = method == "cgs" and 1e5 or 1000
        assert.is_true(found <= times * EPS * condition, ("%s: %g at %g"):format(method, found, condition))
      end
      for _, method in ipairs { "lsqr", "lsmr" } do
        local b = ma.matmul(A, exact)
        local x = L[method](A, b, method == "lsqr" and { atol = 0, btol = 0, conlim = 0, iter_lim = 2000 } or
          { atol = 0, btol = 0, conlim = 0, maxiter = 2000 })
        assert.is_true(norm(x - exact) <= 1000 * EPS * condition ^ 1.5 * norm(exact), method)
      end
    end
  end)

  it("matrices in every format, unsorted, with duplicates, of other dtypes", function()
    local n = 30
    local exact = ma.sin(ma.range(1, n))
    local plain = band(n)
    local order = ma.range(plain.nnz, 1, { step = -1, dtype = "int64" })
    local coo = plain:tocoo()
    local function turned(a) return a:take(order) end
    local twice = sp.coo_matrix({ ma.concatenate { turned(coo.data) / 2, coo.data / 2 },
      { ma.concatenate { turned(coo.row), coo.row }, ma.concatenate { turned(coo.col), coo.col } } },
      { shape = { n, n } })
    local unsorted = sp.csr_matrix({ plain.data:copy(), plain.indices:copy(), plain.indptr }, { shape = { n, n } })
    unsorted.data[{ { 1, 2 } }], unsorted.indices[{ { 1, 2 } }] = { -1, 4 }, { 2, 1 }
    local matrices = { twice = twice, unsorted = unsorted, dense = plain:toarray(), int32 = plain:astype("int32"),
      float32 = plain:astype("float32") }
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do matrices[format] = band(n, format) end
    for name, A in pairs(matrices) do
      for _, method in ipairs(SOLVERS) do
        assert.is_true(error_of(method, A, exact) <= 1e-12, name .. " by " .. method)
      end
      assert.is_true(norm((L.lsqr(A, A:matmul(exact), { atol = 1e-14, btol = 1e-14 })) - exact) < 1e-12, name)
      assert.is_true(norm((L.lsmr(A, A:matmul(exact), { atol = 1e-14, btol = 1e-14 })) - exact) < 1e-12, name)
      ma.testing.assert_allclose((L.eigsh(A, 2)), 4 + 2 * ma.cos(ma.array { 2, 1 } * math.pi / (n + 1)),
        { rtol = name == "float32" and 1e-5 or 1e-12 })
    end
    -- The system is complex where one of both is.
    local right = exact * ma.complex(1, 2)
    for _, method in ipairs(SOLVERS) do
      local x = L[method](plain, plain:matmul(right), { rtol = 1e-13 })
      assert.is_true(x.dtype == "complex128" and norm(x - right) < 1e-11, method)
    end
  end)

  it("diagonal matrices, a dense row, rows of zeros and empty matrices", function()
    local n = 25
    local diagonal = sp.diags({ ma.range(1, n) }, { 0 }, { shape = { n, n }, format = "csr" })
    local exact = ma.ones(n)
    for _, method in ipairs(SOLVERS) do
      assert.is_true(error_of(method, diagonal, exact, { restart = method == "gmres" and n or nil }) < 1e-10, method)
      local x, info = L[method](sp.csr_matrix { 0, 0 }, ma.zeros(0))
      assert.same({ 0, 0 }, { x.size, info })
      x, info = L[method](sp.eye(n, { format = "csr" }), exact)
      assert.is_true(info == 0 and norm(x - exact) <= 4 * EPS * norm(exact), method)
    end
    local arrow = (sp.eye(n, { format = "csr" }) * 30):toarray()
    arrow["3, :"], arrow[":, 3"] = 1, 1
    arrow[{ 3, 3 }] = 30
    for _, method in ipairs(SOLVERS) do
      assert.is_true(error_of(method, sp.csr_matrix(arrow), exact) < 1e-12, method)
    end
    -- A row and a column of zeros: the least solution has 0 there, and what is asked for there stays.
    local hole = diagonal:toarray()
    hole[{ 5, 5 }] = 0
    local b = ma.range(1, n)
    for _, method in ipairs { "lsqr", "lsmr" } do
      local x, istop = L[method](sp.csr_matrix(hole), b, { atol = 1e-13, btol = 1e-13,
        [method == "lsqr" and "iter_lim" or "maxiter"] = 200 })
      local want = ma.ones(n)
      want[5] = 0
      assert.is_true(norm(x - want) < 1e-9 and istop == 2, method)
      x, istop = L[method](sp.csr_matrix { 4, 3 }, ma.ones(4))
      assert.same({ 0, 0 }, { norm(x), istop })
    end
  end)

  it("functions of the user's that return their argument, or one array again and again", function()
    local n = 20
    local one = L.LinearOperator({ n, n }, function(x) return x end, function(x) return x end, { dtype = "float64" })
    local room, A = ma.zeros(n), band(n)
    local again = L.LinearOperator({ n, n }, function(x) return A:matmul(x, { out = room }) end,
      function(x) return A:matmul(x, { out = room }) end, { dtype = "float64" })
    local exact = ma.sin(ma.range(1, n))
    for _, method in ipairs(SOLVERS) do
      assert.is_true(norm((L[method](one, exact)) - exact) < 1e-14, method)
      assert.is_true(norm((L[method](A, A:matmul(exact), { rtol = 1e-13, M = one })) - exact) < 1e-11, method)
      assert.is_true(norm((L[method](again, A:matmul(exact), { rtol = 1e-13 })) - exact) < 1e-11, method)
    end
    for _, method in ipairs { "lsqr", "lsmr" } do
      assert.is_true(norm((L[method](one, exact, { atol = 1e-13, btol = 1e-13 })) - exact) < 1e-12, method)
      assert.is_true(norm((L[method](again, A:matmul(exact), { atol = 1e-13, btol = 1e-13 })) - exact) < 1e-11, method)
    end
    local w = L.eigsh(again, 2)
    ma.testing.assert_allclose(w, (L.eigsh(A, 2)), { rtol = 1e-12 })
  end)

  it("what is given is not changed, and callbacks see each step", function()
    local n = 20
    local A, b, x0 = band(n), ma.sin(ma.range(1, n)), ma.ones(n)
    local data = A.data:copy()
    for _, method in ipairs(SOLVERS) do
      local steps, last = 0, nil
      local o = { rtol = 1e-10, callback = function(x) steps, last = steps + 1, type(x) == "userdata" and x:copy() end }
      if method == "gmres" then o.callback_type, o.restart = "x", 4 end
      local x, info = L[method](A, b, x0, o)
      assert.equal(0, info)
      assert.is_true(steps > 1 and norm(x - last) == 0, method)
      assert.same({ 0, 0, 0 }, { norm(x0 - 1), norm(b - ma.sin(ma.range(1, n))), norm(A.data - data) })
      assert.matches("stop", select(2, pcall(L[method], A, b, { callback = function() error("stop") end })))
      fails("callback", function() L[method](A, b, { callback = 3 }) end)
      fails("wanted a vector of 20 elements", function() L[method](A, b, ma.ones(3)) end)
      fails("wanted a square matrix", function() L[method](A["1:5, :"], b) end)
      fails("M is 3 x 3; wanted 20 x 20", function() L[method](A, b, { M = ma.eye(3) }) end)
      fails("maxiter", function() L[method](A, b, { maxiter = -1 }) end)
      fails("wanted a matrix or a LinearOperator", function() L[method]("A", b) end)
    end
    for _, method in ipairs { "lsqr", "lsmr" } do
      fails("wanted a vector of 20 elements", function() L[method](A, ma.ones(3)) end)
      fails("wanted 0 or more", function() L[method](A, b, { atol = -1 }) end)
    end
  end)

  it("NaN and infinity end the iteration, and do not pass as solved", function()
    local A = band(9)
    for _, bad in ipairs { 0 / 0, math.huge } do
      local b = ma.ones(9)
      b[4] = bad
      for _, method in ipairs(SOLVERS) do
        local x, info = L[method](A, b, { maxiter = 20 })
        assert.is_true(info ~= 0 or not finite(x), method)
      end
    end
  end)

  it("go on from x0 where the right side is 0", function()
    for _, dtype in ipairs { "float64", "float32", "complex128" } do
      local a = sp.csr_matrix(ma.array({ { 4, -1 }, { -1, 4 } }, dtype))
      for _, name in ipairs { "lsqr", "lsmr" } do
        local x, istop = L[name](a, ma.zeros(2, dtype), { x0 = ma.array({ 1, 2 }, dtype) })
        assert.is_true(ma.abs(x):max():item() < 1e-5, name .. " of " .. dtype)
        assert.is_true(istop < 3)
        assert.equal(0, ma.abs((L[name](a, ma.zeros(2, dtype)))):max():item())
      end
    end
  end)

  it("solve 10^6 rows", function()
    local n = 1e6
    local A = band(n)
    local exact = ma.sin(ma.range(1, n))
    -- minres goes by |A| |x|, with the Frobenius norm of a small matrix for |A|.
    for method, rtol in pairs { cg = 1e-12, bicgstab = 1e-12, minres = 1e-14 } do
      assert.is_true(error_of(method, A, exact, { rtol = rtol }) <= 3 * 4e-12, method)
    end
    local x = L.lsqr(A, A:matmul(exact), { atol = 1e-12, btol = 1e-12 })
    assert.is_true(norm(x - exact) <= 9 * 4e-12 * norm(exact))
    assert.is_true(norm(L.spsolve_triangular(sp.tril(A, { format = "csr" }), sp.tril(A):matmul(exact)) - exact) <=
      16 * 3 * EPS * norm(exact))
    local w = L.eigsh(A, 1, { tol = 1e-3 })
    assert.is_true(math.abs(w(1) - 6) < 0.02)
  end)
end)
