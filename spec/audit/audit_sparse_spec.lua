-- A random audit of ma.sparse: spec/golden/audit/audit_sparse.py has what it calls.

local helper = require "spec.helper"
local audit = require "spec.audit.audit"
local ma = helper.ma
local sp = ma.sparse

local function made(format, x) return sp[format .. "_matrix"](x) end
local function array(r) return type(r) == "table" and r.toarray and r:toarray() or r end

--- One axis of what a reduction gives as a matrix; counts as they are.
local REDUCED = { sum = true, mean = true, max = true, min = true, argmax = true, argmin = true, getnnz = true,
  count_nonzero = true }

local TWO = {
  add = function(a, b) return a + b end, subtract = function(a, b) return a - b end,
  multiply = function(a, b) return a:multiply(b) end, matmul = function(a, b) return a:matmul(b) end,
  maximum = function(a, b) return a:maximum(b) end, minimum = function(a, b) return a:minimum(b) end,
}

local own = {
  sparse = function(format, x, name, ...)
    local m = made(format, x)
    local r = array(m[name](m, ...))
    if not REDUCED[name] then return r end
    return (type(r) == "number" and ma.array(r) or r):reshape(-1)
  end,
  two = function(format, x, name, other, y) return array(TWO[name](made(format, x), made(other, y))) end,
  with_array = function(format, x, y) return array(made(format, x):dot(y)) end,
  scaled = function(format, x, s) return array(made(format, x) * s) end,
  at = function(format, x, row, column) return array(made(format, x)[{ row, column }]) end,
  join = function(name, x, y)
    if name == "kron" then return array(sp.kron(sp.csr_matrix(x), sp.coo_matrix(y))) end
    return array(sp[name]({ sp.csr_matrix(x), sp.coo_matrix(y) }))
  end,
  part = function(name, x, k) return array(sp[name](sp.csr_matrix(x), k)) end,
  norm = function(format, x, order, axis) return sp.linalg.norm(made(format, x), order, axis) end,
  components = function(x, directed) return (sp.csgraph.connected_components(sp.csr_matrix(x), directed)) end,
  laplacian = function(x, options) return array(sp.csgraph.laplacian(sp.csr_matrix(x), options)) end,
  paths = function(x, directed, unweighted)
    return sp.csgraph.shortest_path(sp.csr_matrix(x), { directed = directed, unweighted = unweighted })
  end,
  tree = function(x) return sp.csgraph.minimum_spanning_tree(sp.csr_matrix(x)):sum() end,
  solve = function(format, x, b) return sp.linalg.spsolve(made(format, x), b) end,
}

describe("an audit of ma.sparse:", function()
  for _, test in ipairs(audit.tests("sparse", own)) do it(test.name, test.run) end
end)
