-- Derivatives of factors, determinants and what is made of them: forward, back, and of derivatives.

local ma = require "moonarray"
local linalg = ma.linalg
local check = ma.testing.check_grad
local orders = require "spec.grad.grad_orders"

-- A pretended GPU has no library of factors.
local able = pcall(function() return linalg.det(ma.eye(2)):item() end)
local given = able and it or pending

local function numbers(seed, ...) return ma.random.default_rng(seed):standard_normal { ... }:astype("float64") end

--- A complex matrix of the two matrices of real numbers in x.
local function complex(x)
  local shape = { x.shape[2], x.shape[3] }
  return x["1"]:reshape(shape) + ma.complex(0, 1) * x["2"]:reshape(shape)
end

local SHAPES = { square = { 3, 3 }, tall = { 4, 2 }, wide = { 2, 4 }, batch = { 2, 2, 2 } }

--- Runs a test for matrices of each of these shapes.
local function each_shape(names, run)
  for name in names:gmatch "%S+" do run(numbers(7, unpack(SHAPES[name]))) end
end

describe("derivatives of eigenvalues", function()
  given("are those of the triangle that is read", function()
    each_shape("square batch", function(a)
      orders(function(x) return linalg.eigh(x) end, { a })
      orders(function(x) return linalg.eigvalsh(x, "U") end, { a })
    end)
    local upper = ma.grad(function(x) return linalg.eigvalsh(x):max() end)(numbers(7, 3, 3))["..., 3"]
    assert.same({ 0, 0 }, upper["1:2"]:totable())
  end)

  given("are right of complex matrices, for what has no phase", function()
    orders(function(x)
      local w, v = linalg.eigh(complex(x))
      return w, ma.abs(v), ma.matmul(v * ma.exp(w), ma.conj(v.T))
    end, { numbers(3, 2, 3, 3) })
    check(function(x)
      local w, v = linalg.eig(complex(x))
      return w, ma.abs(v)
    end, { numbers(3, 2, 3, 3) })
    orders(function(x) return linalg.eigvals(x), ma.abs((select(2, linalg.eig(x)))) end, { numbers(5, 3, 3) })
    orders(function(x) return linalg.eigvals(x) end, { numbers(5, 3, 3) })
  end)

  given("have no part of vectors whose eigenvalues are equal", function()
    local g = ma.grad(function(x)
      local w, v = linalg.eigh(x)
      return (v * ma.arange(9):reshape(3, 3)):sum() + w:sum()
    end)(ma.diag(ma.array({ 2, 2, 5 }, "float64")))
    assert(ma.isfinite(g):all())
    assert.same({ 1, 0, 1 }, { g[{ 1, 1 }], g[{ 2, 1 }], g[{ 2, 2 }] })
  end)
end)

describe("derivatives of singular values", function()
  given("and of their vectors are right", function()
    each_shape("square tall wide batch", function(a)
      orders(function(x) return linalg.svd(x, false) end, { a })
      orders(function(x) return linalg.svdvals(x) end, { a })
    end)
    check(function(x) return linalg.svd(x), linalg.svd(x, true, true, true) end, { numbers(7, 4, 4) })
    check(function(x)
      return linalg.norm(x, 2), linalg.norm(x, "nuc"), linalg.norm(x, -2), linalg.cond(x)
    end, { numbers(7, 4, 4) })
  end)

  given("are right of complex matrices, for what has no phase", function()
    for _, shape in ipairs { { 4, 4 }, { 5, 3 }, { 3, 5 } } do
      check(function(x)
        local u, s, vh = linalg.svd(complex(x), false)
        return s, ma.abs(u), ma.abs(vh), ma.matmul(u * s ^ 2, vh)
      end, { numbers(9, 2, unpack(shape)) })
    end
  end)

  given("are none for vectors that the matrix does not determine", function()
    local a = numbers(7, 5, 3)
    check(function(x)
      local _, s, vh = linalg.svd(x)
      return s, vh
    end, { a })
    local ok, why = pcall(ma.grad(function(x) return (linalg.svd(x)):sum() end), a)
    assert(not ok and why:find("linalg.svd: singular vectors beyond the singular values", 1, true), why)
  end)
end)

describe("derivatives of least squares", function()
  given("are those of the pseudo-inverse", function()
    each_shape("square tall wide batch", function(a) orders(function(x) return linalg.pinv(x) end, { a }) end)
    check(function(x) return linalg.pinv(x, nil, true) end, { numbers(7, 4, 4) })
    check(function(x) return linalg.pinv(x, nil, true) end, { ma.eye(3) * 2 })
    local flat = ma.matmul(numbers(1, 4, 2), numbers(2, 2, 4))         -- of rank 2
    local function along(t) return linalg.pinv(ma.matmul(ma.exp(t), flat), 1e-9) end
    check(along, { numbers(4, 4, 4) * 0.1 }, { rtol = 1e-4, atol = 1e-4 })
  end)

  given("are right of all that lstsq gives", function()
    local function all(a, b)
      local x, residuals, _, s = linalg.lstsq(a, b)
      return x, residuals, s
    end
    orders(all, { numbers(7, 5, 3), numbers(8, 5, 2) })
    orders(all, { numbers(7, 8, 3), numbers(8, 8) })
    orders(all, { numbers(7, 3, 5), numbers(8, 3, 2) })
    orders(all, { numbers(7, 2, 4, 3), numbers(8, 2, 4, 2) })
    check(function(x, b) return (linalg.lstsq(complex(x), complex(b))) end,
      { numbers(7, 2, 5, 3), numbers(8, 2, 5, 2) })
  end)
end)

describe("derivatives of QR", function()
  given("are right for each shape", function()
    each_shape("square tall wide batch", function(a)
      orders(function(x) return linalg.qr(x) end, { a })
      orders(function(x) return linalg.qr(x, "r") end, { a })
    end)
    for _, shape in ipairs { { 4, 4 }, { 5, 3 }, { 3, 5 } } do
      check(function(x) return linalg.qr(complex(x)) end, { numbers(9, 2, unpack(shape)) })
    end
    check(function(x) return linalg.qr(x, "complete") end, { numbers(7, 3, 5) })
    local ok, why = pcall(ma.grad(function(x) return (linalg.qr(x, "complete")):sum() end), numbers(7, 5, 3))
    assert(not ok and why:find('linalg.qr: mode "complete" of a matrix with more rows', 1, true), why)
    ok, why = pcall(ma.grad(function(x) return (linalg.qr(x, "raw")):sum() end), numbers(7, 5, 3))
    assert(not ok and why:find("linalg.qr: has no derivative", 1, true), why)
  end)
end)

describe("derivatives of determinants", function()
  given("are right of matrices that have an inverse", function()
    each_shape("square batch", function(a) orders(function(x) return linalg.det(x), linalg.slogdet(x) end, { a }) end)
    check(function(x) return linalg.det(complex(x)), linalg.slogdet(complex(x)) end, { numbers(9, 2, 3, 3) })
  end)

  given("are the cofactors of those that have none", function()
    local singular = ma.array({ { 1, 2, 3 }, { 2, 4, 6 }, { 1, 0, 1 } }, "float64")
    check(function(x) return linalg.det(x) end, { singular })
    check(function(x) return linalg.det(x) end, { ma.zeros({ 3, 3 }, "float64") })
    check(function(x) return linalg.det(x) end,
      { ma.stack { singular, singular * 0, singular + ma.eye(3), ma.diag(ma.array({ 1, 1, 0 }, "float64")) } })
    check(function(x) return linalg.det(complex(x)) end, { ma.stack { singular, singular * 0 } })
    local slope = ma.grad(function(x) return linalg.det(x) end)
    local ok, why = pcall(ma.grad(function(x) return (slope(x):sum()) end), singular)
    assert(not ok and why:find("linalg.det: a singular matrix has a first derivative alone", 1, true), why)
    ok, why = pcall(ma.grad(function(x) return (select(2, linalg.slogdet(x))) end), singular)
    assert(not ok and why:find("linalg.slogdet: the matrix is singular", 1, true), why)
  end)
end)

describe("derivatives of equations", function()
  given("are right of complex ones", function()
    local a, b = numbers(9, 2, 4, 4), numbers(8, 2, 4, 2)
    check(function(x, y) return linalg.solve(complex(x), complex(y)), linalg.inv(complex(x)) end, { a, b })
    for _, trans in ipairs { "N", "T", "C" } do
      check(function(x, y)
        local m = complex(x) + 3 * ma.eye(4)
        return linalg.solve_triangular(m, complex(y), trans), linalg.solve_triangular(m, complex(y), trans, true, true)
      end, { a, b })
    end
    check(function(x)
      local m = complex(x)
      return linalg.cholesky(ma.matmul(m, ma.conj(m.T)) + ma.eye(4)), linalg.cholesky(m * 0.1 + 4 * ma.eye(4)),
        (linalg.lu_factor(m))
    end, { a })
  end)
end)

describe("derivatives of functions of matrices", function()
  given("are made of products and equations", function()
    local a = numbers(7, 3, 3) * 0.5
    orders(function(x) return linalg.expm(x) end, { a }, { rtol = 1e-4, atol = 1e-4 })
    orders(function(x) return linalg.matrix_power(x, 5), linalg.matrix_power(x, -2) end, { a + 2 * ma.eye(3) },
      { rtol = 1e-4, atol = 1e-4 })
    check(function(x) return linalg.expm(ma.stack { x, x * 9 }) end, { a }, { rtol = 1e-5, atol = 1e-4 })
  end)
end)
