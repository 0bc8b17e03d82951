-- Systems of the kinds that collections of sparse matrices hold, made by published generators, and what solves them:
-- the table of docs/sparse-linalg.md.
-- usage: luajit examples/sparse_systems.lua [size]
-- size is about the number of unknowns, 4000 without it. The program is the same on a GPU and on the CPU.

package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path        -- also from a checkout that is not installed
local ma = require "moonarray"
local sparse, linalg = ma.sparse, ma.sparse.linalg

local size = tonumber(arg and arg[1]) or 4000
local rng = ma.random.default_rng(7)

local function second_differences(n)
  return sparse.diags({ -1, 2, -1 }, { -1, 0, 1 }, { shape = { n, n } })
end

local function matrix(n, row, column, value)
  return sparse.coo_matrix({ value, { row, column } }, { shape = { n, n } }):tocsr()
end

--- The Laplacian of a graph with weights, plus a little on its diagonal, by which it is definite.
local function conductances(n, from, to, weight, ground)
  local row, column = ma.concatenate { from, to }, ma.concatenate { to, from }
  local sums = ma.full(n, ground)
  sums:iadd_at(row, ma.concatenate { weight, weight })
  return (sparse.diags({ sums }, { 0 }) - matrix(n, row, column, ma.concatenate { weight, weight })):tocsr()
end

-- ==== The matrices ===================================================================================================

--- Five-point and seven-point differences.
local function poisson_2d()
  local n = math.floor(math.sqrt(size))
  local T, I = second_differences(n), sparse.identity(n)
  return (sparse.kron(I, T) + sparse.kron(T, I)):tocsr()
end

local function poisson_3d()
  local n = math.floor(size ^ (1 / 3) + 0.5)
  local T, I = second_differences(n), sparse.identity(n)
  local plane = sparse.kron(I, T) + sparse.kron(T, I)
  return (sparse.kron(I, plane) + sparse.kron(T, sparse.identity(n * n))):tocsr()
end

--- Linear elements on triangles: the stiffness of a sheet whose points are moved at random, plus its mass.
local function elements()
  local n = math.floor(math.sqrt(size))
  local grid = ma.range(1, n * n):reshape(n, n)
  local move = rng:uniform(-0.3, 0.3, { 2, n, n })
  local x = (ma.range(1, n) + move[1]):reshape(n * n)
  local y = (ma.range(1, n):reshape(n, 1) + move[2]):reshape(n * n)
  local first = { 1, n - 1 }
  local a, b = grid[{ first, first }]:reshape((n - 1) ^ 2), grid[{ first, { 2, n } }]:reshape((n - 1) ^ 2)
  local c, d = grid[{ { 2, n }, first }]:reshape((n - 1) ^ 2), grid[{ { 2, n }, { 2, n } }]:reshape((n - 1) ^ 2)
  local corner = { ma.concatenate { a, b }, ma.concatenate { b, d }, ma.concatenate { c, c } }
  local px, py, ex, ey = {}, {}, {}, {}
  for k = 1, 3 do px[k], py[k] = x:take(corner[k]), y:take(corner[k]) end
  for k = 1, 3 do                                -- the edge across corner k
    local i, j = k % 3 + 1, (k + 1) % 3 + 1
    ex[k], ey[k] = px[j] - px[i], py[j] - py[i]
  end
  local area = ma.abs(ex[1] * ey[2] - ex[2] * ey[1]) / 2
  local rows, columns, values = {}, {}, {}
  for i = 1, 3 do
    for j = 1, 3 do
      rows[#rows + 1], columns[#columns + 1] = corner[i], corner[j]
      values[#values + 1] = (ex[i] * ex[j] + ey[i] * ey[j]) / (4 * area) + area * (i == j and 1e-3 / 6 or 1e-3 / 12)
    end
  end
  return matrix(n * n, ma.concatenate(rows), ma.concatenate(columns), ma.concatenate(values))
end

--- Roads: a grid of crossings of which a third of the streets is missing, with lengths at random.
local function roads()
  local n = math.floor(math.sqrt(size))
  local grid = ma.range(1, n * n):reshape(n, n)
  local inner, outer = { 1, n - 1 }, { 2, n }
  local from = ma.concatenate { grid[{ {}, inner }]:reshape(n * (n - 1)), grid[{ inner, {} }]:reshape(n * (n - 1)) }
  local to = ma.concatenate { grid[{ {}, outer }]:reshape(n * (n - 1)), grid[{ outer, {} }]:reshape(n * (n - 1)) }
  local kept = rng:random(from.size):gt(1 / 3)
  from, to = from[kept], to[kept]
  return conductances(n * n, from, to, 1 / (rng:random(from.size) + 0.2), 1e-3)
end

--- R-MAT (Chakrabarti, Zhan and Faloutsos, 2004): each bit of an edge's ends falls into one of four quarters.
local function power_law()
  local bits = math.floor(math.log(size) / math.log(2))
  local n, count = 2 ^ bits, 8 * 2 ^ bits
  local from, to = ma.ones(count, "int64"), ma.ones(count, "int64")
  for k = 0, bits - 1 do
    local p = rng:random(count)
    from = from + p:gt(0.76):astype("int64") * 2 ^ k
    to = to + (p:gt(0.57) * p:le(0.76) + p:gt(0.95)):astype("int64") * 2 ^ k
  end
  local out = ma.zeros(n)
  out:iadd_at(from, 1)
  local P = matrix(n, to, from, 1 / out:take(from))
  return (sparse.identity(n) - P * 0.85):tocsr()
end

--- A circuit: resistors over six decades between near nodes and to a few rails, and sources that other nodes control.
local function circuit()
  local n = size
  local count = 2 * n
  local from = rng:integers(1, n + 1, count)
  local near = (from + rng:integers(1, 40, count) - 1) % n + 1
  local rail = rng:integers(1, 6, count)
  local to = ma.where(rng:random(count):lt(0.05), rail, near)
  local apart = from:ne(to)
  from, to = from[apart], to[apart]
  local A = conductances(n, from, to, 10 ^ rng:uniform(-3, 3, from.size), 1e-3)
  local sources = math.floor(n / 10)
  return (A + matrix(n, rng:integers(1, n + 1, sources), rng:integers(1, n + 1, sources),
    rng:uniform(-5e-4, 5e-4, sources))):tocsr()
end

-- ==== Solving ========================================================================================================

local function time(fn)
  local start = ma.time()
  local x, info = fn()
  local _ = x:sum():item()                       -- waits
  return (ma.time() - start) * 1000, x, info
end

print(("%-12s %8s %9s  %-16s %6s %10s %10s"):format("matrix", "rows", "entries", "solver", "steps", "residual", "ms"))

local function show(name, A, solver, steps, x, b, ms)
  local residual = (ma.linalg.norm(b - A:matmul(x)) / ma.linalg.norm(b)):item()
  print(("%-12s %8d %9d  %-16s %6s %10.1e %10.1f"):format(name, A.shape[1], A.nnz, solver, steps, residual, ms))
end

local function iterate(name, A, b, method, M, label)
  local steps = 0
  linalg[method](A, b, { rtol = 1e-8, M = M, callback = function() steps = steps + 1 end })
  local ms, x, info = time(function() return linalg[method](A, b, { rtol = 1e-8, M = M }) end)
  show(name, A, label or method, info == 0 and tostring(steps) or "none", x, b, ms)
end

for _, case in ipairs {
  { "poisson 2-d", poisson_2d, "cg" }, { "poisson 3-d", poisson_3d, "cg" }, { "elements", elements, "cg" },
  { "roads", roads, "cg" }, { "power law", power_law, "bicgstab" }, { "circuit", circuit, "gmres" },
} do
  local name, make, method = case[1], case[2], case[3]
  local A = make()
  local b = rng:standard_normal(A.shape[1])
  if method == "cg" then
    iterate(name, A, b, method)
    iterate(name, A, b, method, sparse.diags({ 1 / A:diagonal() }, { 0 }):tocsr(), "cg + diagonal")
  else
    iterate(name, A, b, method, linalg.spilu(A, { drop_tol = 1e-3, fill_factor = 5 }), method .. " + spilu")
  end
  if name ~= "power law" then                     -- whose factors are nearly full
    local ms, x = time(function() return linalg.spsolve(A, b) end)
    show(name, A, "spsolve", "", x, b, ms)
  end
end
