-- Derivatives of products and solutions of sparse matrices, by dense operands and by entries.

local ma = require "moonarray"
local sparse = ma.sparse
local check = ma.testing.check_grad
local orders = require "spec.grad.grad_orders"

local function numbers(...) return ma.random.default_rng(5):standard_normal { ... } end

local DENSE = ma.array({ { 4, 0, 2, 0 }, { 0, 3, 0, 0 }, { 1, 0, 5, 0 }, { 0, 1, 0, 2 } }, "float64")
local INDICES, STARTS = ma.index { 1, 3, 2, 1, 3, 2, 4 }, ma.index { 1, 3, 4, 6, 8 }
local function of_entries(data) return sparse.csr_matrix({ data, INDICES, STARTS }, { 4, 4 }) end
local ENTRIES = ma.array({ 4, 2, 3, 1, 5, 1, 2 }, "float64")

describe("derivatives of sparse products", function()
  it("are right by the dense operand, for each format and side", function()
    for _, format in ipairs { "csr", "csc", "coo", "dia", "bsr" } do
      local a = sparse.csr_matrix(DENSE):asformat(format)
      orders(function(x) return a:dot(x) end, { numbers(4) })
      check(function(x) return a:dot(x), a.T:dot(x), a:rmatmul(x), ma.matmul(x, a) end, { numbers(4, 4) })
    end
  end)

  it("are right by the entries", function()
    assert.same(DENSE:totable(), of_entries(ENTRIES):toarray():totable())
    orders(function(data, x) return of_entries(data):dot(x) end, { ENTRIES, numbers(4) })
    orders(function(data, x) return of_entries(data):dot(x), of_entries(data * 2).T:dot(x) end,
      { ENTRIES, numbers(4, 2) })
  end)

  it("are right by the entries of two sparse matrices", function()
    local other = sparse.csr_matrix(ma.where(numbers(4, 6):gt(0), numbers(4, 6), 0))
    orders(function(data) return of_entries(data):dot(of_entries(data * 2)):toarray() end, { ENTRIES })
    orders(function(data, more) return of_entries(data):dot(of_entries(more)):dot(numbers(4, 3)) end,
      { ENTRIES, numbers(7) })
    orders(function(data) return of_entries(data):dot(other):toarray() end, { ENTRIES })
    orders(function(data) return other.T:matmul(of_entries(data)):toarray() end, { ENTRIES })
  end)

  it("are those of the matrix as an array", function()
    orders(function(data) return of_entries(data):toarray(), of_entries(data).T:todense() end, { ENTRIES })
  end)

  it("are errors where there are none", function()
    local ok, why = pcall(ma.grad(function(data)
      return sparse.dia_matrix({ data, { 0 } }, { 3, 3 }):dot(ma.ones(3)):sum()
    end), numbers(1, 3))
    assert(not ok and why:find("has no derivative", 1, true), why)
    ok, why = pcall(ma.grad(function(data)
      local a = of_entries(data)
      return sparse.csr_matrix({ data * ma.complex(1, 1), INDICES, STARTS }, { 4, 4 }):dot(a):toarray():real():sum()
    end), ENTRIES)
    assert(not ok and why:find("dot: has no derivative at complex values", 1, true), why)
  end)
end)

describe("derivatives of sparse solutions", function()
  it("are right by the right side and by the entries", function()
    local solve = sparse.linalg.spsolve
    local a = sparse.csc_matrix(DENSE)
    orders(function(b) return solve(a, b) end, { numbers(4) })
    check(function(b) return solve(a, b) end, { numbers(4, 2) })
    orders(function(data, b) return solve(of_entries(data), b) end, { ENTRIES, numbers(4) })
    check(function(data, b) return solve(of_entries(data), b) end, { ENTRIES, numbers(4, 2) })
  end)

  it("are right of triangles", function()
    local solve = sparse.linalg.spsolve_triangular
    for _, options in ipairs { {}, { lower = false }, { unit_diagonal = true },
      { lower = false, unit_diagonal = true } } do
      check(function(data, b) return solve(of_entries(data), b, options) end, { ENTRIES, numbers(4) })
    end
    orders(function(data, b) return solve(of_entries(data), b) end, { ENTRIES, numbers(4, 2) })
  end)

  it("are right of solvers by steps, and errors for what is no sparse matrix", function()
    local options = { rtol = 1e-13 }
    local definite = sparse.csr_matrix(ma.matmul(DENSE, DENSE.T) + ma.eye(4))
    check(function(b) return (sparse.linalg.cg(definite, b, options)) end, { numbers(4) })
    check(function(b) return (sparse.linalg.minres(definite, b, options)) end, { numbers(4) })
    for _, solve in ipairs { sparse.linalg.bicgstab, sparse.linalg.gmres } do
      check(function(data, b) return (solve(of_entries(data), b, options)) end, { ENTRIES, numbers(4) })
    end
    local ok, why = pcall(ma.grad(function(b) return (sparse.linalg.cg(DENSE, b)):sum() end), numbers(4))
    assert(not ok and why:find("cg: has a derivative for a sparse matrix and an array alone", 1, true), why)
  end)
end)
