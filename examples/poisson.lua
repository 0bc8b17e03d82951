-- Poisson's equation on a square, -(u_xx + u_yy) = f with u = 0 at its edges, by five-point differences on n x n
-- points: conjugate gradients, plain and with incomplete factors, and the picture of their residuals.
-- usage: luajit examples/poisson.lua [n] [picture.png]
-- The program is the same on a GPU and on the CPU.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"
local sparse, linalg = ma.sparse, ma.sparse.linalg

local n = tonumber(arg and arg[1]) or 64
local path = arg and arg[2]
local h = 1 / (n + 1)

-- The matrix of second differences along a line, and by Kronecker products that of the square.
local line = sparse.diags({ -1, 2, -1 }, { -1, 0, 1 }, { shape = { n, n } })
local one = sparse.identity(n)
local A = (sparse.kron(one, line) + sparse.kron(line, one)):tocsr()

-- f for which the solution is known: u = sin(pi x) sin(2 pi y).
local places = ma.range(1, n) * h
local u = ma.sin(ma.pi * places):reshape(n, 1) * ma.sin(2 * ma.pi * places)
local rng = ma.random.default_rng(1)
local f = (5 * ma.pi ^ 2 * u + rng:standard_normal { n, n }):reshape(n * n)
local b = f * h ^ 2

local function solve(name, M)
  local residuals = {}
  local size = ma.linalg.norm(b):item()
  local x, info = linalg.cg(A, b, { rtol = 1e-8, M = M, callback = function(now)
    residuals[#residuals + 1] = ma.linalg.norm(b - A:matmul(now)):item() / size
  end })
  assert(info == 0, "no solution after as many steps as there are unknowns times 10")
  print(("%-24s %4d steps, residual %.1e"):format(name, #residuals, residuals[#residuals]))
  return x, residuals
end

print(("%d x %d points, a matrix of %d entries on %s"):format(n, n, A.nnz, A.device))
local plain, slow = solve("conjugate gradients")
local factors = linalg.spilu(A, { drop_tol = 1e-2 })
local better, fast = solve("with incomplete factors", factors)
local direct = linalg.spsolve(A, b)
print(("largest difference from spsolve: %.1e and %.1e"):format(ma.abs(plain - direct):max():item(),
  ma.abs(better - direct):max():item()))

if path then
  local fig = ma.plot.figure()
  fig:plot(ma.range(1, #slow), slow, { label = "plain" })
  fig:plot(ma.range(1, #fast), fast, { label = "with spilu" })
  fig:title(("cg, %d x %d points"):format(n, n)):xlabel("step"):ylabel("|b - A x| / |b|"):yscale("log"):grid():legend()
  fig:save(path)
  print("wrote " .. path)
end
