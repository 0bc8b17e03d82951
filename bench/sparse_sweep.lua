--- Measures the operations of ma.sparse on matrices of one size, and prints `key value` lines: microseconds of
--- processor time of a call, which other work disturbs less than a clock does. One thread is compared with the one of
--- the peer, whose script for the same keys and matrices is peers/sparse_sweep.py.
--
-- usage: MOONARRAY_DEVICE=cpu MOONARRAY_NUM_THREADS=1 luajit bench/sparse_sweep.lua rows [pattern|pattern...]

local ma = require "moonarray"
local core = require "moonarray.core"

local n, pattern = tonumber(arg[1]) or 100, arg[2]
local S = ma.sparse
local L, G = S.linalg, S.csgraph

--- Waits for what a call left for later.
local function finish(x)
  if type(x) == "table" and S.issparse(x) then x = x.data end
  if type(x) == "userdata" then x:eval() end
end

local function time(fn, calls)
  local start = os.clock()
  for _ = 1, calls do finish(fn()) end
  core.flush("it is measured")
  return os.clock() - start
end

--- The least of some rounds of as many calls as take two milliseconds.
local function key(name, fn)
  local chosen = not pattern
  for one in (pattern or ""):gmatch("[^|]+") do chosen = chosen or name:find(one) end
  if not chosen then return end
  local ok, why = pcall(time, fn, 1)
  if not ok then
    print(name .. " - " .. tostring(why):gsub("\n.*", ""))
    return
  end
  collectgarbage()
  local calls, spent = 1, time(fn, 1)
  while spent < 0.002 do
    calls = calls * 4
    spent = time(fn, calls)
  end
  local best, total, rounds = spent / calls, spent, 1
  while (total < 0.06 and rounds < 15) or (rounds < 3 and total < 3) do
    spent = time(fn, calls)
    best, total, rounds = math.min(best, spent / calls), total + spent, rounds + 1
  end
  print(("%s %.5g"):format(name, best * 1e6))
  io.stdout:flush()
  collectgarbage()
end

local function scattered(rows, per)
  local k = ma.arange(0, rows * per, 1, "int64")
  local row = ma.floor_divide(k, per)
  local col = ma.remainder(row * 7919 + ma.remainder(k, per) * 104729 + k * k % 1009, rows)
  local data = (ma.remainder(k, 17) + 1):astype("float64") / 17
  return S.coo_matrix({ data, { row + 1, col + 1 } }, { shape = { rows, rows } })
end

local function poisson(points)
  local line = S.diags({ { -1 }, { 2 }, { -1 } }, { -1, 0, 1 }, { points, points }, "csr")
  return S.kronsum(line, line, "csr")
end

local small, middle = n <= 1000, n <= 20000
local coo = scattered(n, 8)
local a = coo:tocsr()
local b = scattered(n, 7):tocsr()
local csc = a:tocsc()
local side = math.floor(math.sqrt(n) / 2) * 2
local grid = poisson(side)
local points = side * side
local x, y = ma.arange(n) / n, ma.arange(points) / points
local wide = (ma.arange(n * 4) % 101 / 101):reshape(n, 4)
local dia, bsr = grid:todia(), grid:tobsr({ 2, 2 })
local extent = math.min(n, 2000)
local part = a[{ { 1, extent }, { 1, extent } }]
local dense = part:toarray()
local list = ma.remainder(ma.arange(0, n / 4, 1, "int64") * 7919, n) + 1
local half = { { math.floor(n / 4), math.floor(3 * n / 4) }, {} }
local columns = { {}, half[1] }
local mask = ma.remainder(ma.arange(n), 3):eq(0)
local over = a:gt(0.5)
local messy = S.csr_matrix({ ma.concatenate { a.data, a.data }, ma.concatenate { a.indices, a.indices },
  a.indptr * 2 - 1 }, { shape = { n, n } })
local unsorted = S.csr_matrix({ a.data, a.indices["::-1"], a.indptr }, { shape = { n, n } })
local holes = a:copy()
holes.data = ma.where(a.data:gt(0.5), a.data, 0)
local lower = S.tril(grid, { format = "csr" })
local ones = ma.ones(points)
local shifted = grid + S.eye(points, { format = "csr" })
local graph = a

key("make_csr", function() return S.csr_matrix({ a.data, a.indices, a.indptr }, { shape = { n, n } }) end)
key("make_coo", function() return S.coo_matrix({ coo.data, { coo.row, coo.col } }, { shape = { n, n } }) end)
key("eye", function() return S.eye(n, { format = "csr" }) end)
key("diags", function() return S.diags({ { -1 }, { 2 }, { -1 } }, { -1, 0, 1 }, { n, n }, "csr") end)
key("random", function() return S.random(n, n, 4 / n, { format = "csr", random_state = 1 }) end)
key("coo_csr", function() return coo:tocsr() end)
key("coo_csc", function() return coo:tocsc() end)
key("csr_csc", function() return a:tocsc() end)
key("csc_csr", function() return csc:tocsr() end)
key("csr_coo", function() return a:tocoo() end)
key("csr_dia", function() return grid:todia() end)
key("dia_csr", function() return dia:tocsr() end)
key("csr_bsr", function() return grid:tobsr({ 2, 2 }) end)
key("bsr_csr", function() return bsr:tocsr() end)
key("dense_csr", function() return S.csr_matrix(dense) end)
key("dense_coo", function() return S.coo_matrix(dense) end)
key("csr_dense", function() return part:toarray() end)
key("copy", function() return a:copy() end)
key("astype", function() return a:astype("float32") end)
key("transpose", function() return a.T end)

key("csr_vector", function() return a:matmul(x) end)
key("csc_vector", function() return csc:matmul(x) end)
key("coo_vector", function() return coo:matmul(x) end)
key("dia_vector", function() return dia:matmul(y) end)
key("bsr_vector", function() return bsr:matmul(y) end)
key("vector_csr", function() return a:rmatmul(x) end)
key("csr_4", function() return a:matmul(wide) end)
if middle then key("csr_csr", function() return a:matmul(b) end) end
key("grid_grid", function() return grid:matmul(grid) end)
key("matrix_power", function() return L.matrix_power(grid, 3) end)

key("add", function() return a + b end)
key("subtract", function() return a - b end)
key("multiply", function() return a * b end)
key("maximum", function() return a:maximum(b) end)
key("scale", function() return a * 2 end)
key("divide", function() return a / 3 end)
key("times_row", function() return (a * x):tocsr() end)
key("greater", function() return a:gt(0.5) end)
key("not_equal", function() return a:ne(b) end)
key("power", function() return a ^ 2 end)
key("sqrt", function() return a:sqrt() end)
key("abs", function() return a:abs() end)

for axis, name in pairs { "columns", "rows" } do
  key("sum_" .. name, function() return a:sum(axis) end)
  key("mean_" .. name, function() return a:mean(axis) end)
  key("max_" .. name, function() return a:max(axis) end)
  key("argmax_" .. name, function() return a:argmax(axis) end)
  key("nnz_" .. name, function() return a:getnnz(axis) end)
end
key("sum", function() return a:sum() end)
key("max", function() return a:max() end)
key("argmax", function() return a:argmax() end)
key("count_nonzero", function() return a:count_nonzero() end)
key("diagonal", function() return a:diagonal() end)
key("trace", function() return a:trace() end)
key("norm", function() return L.norm(a) end)
key("norm_1", function() return L.norm(a, 1) end)
key("norm_rows", function() return L.norm(a, 2, 2) end)

key("element", function() return a(7, 9) end)
key("row", function() return a[7] end)
key("column", function() return a:getcol(7) end)
key("rows", function() return a[half] end)
key("row_step", function() return a["::2, :"] end)
key("row_list", function() return a[list] end)
key("row_mask", function() return a[mask] end)
key("column_range", function() return a[columns] end)
key("column_list", function() return a[{ {}, list }] end)
key("block", function() return a[{ half[1], half[1] }] end)
key("pairs", function() return a[{ list, list }] end)
key("mask", function() return a[over] end)
key("csc_columns", function() return csc[columns] end)
if small then key("dense_mask", function() return a[dense:gt(0.5)] end) end
key("set_element", function()
  local c = a:copy()
  c[{ 7, 9 }] = 5
  return c
end)
key("set_row", function()
  local c = a:copy()
  c["7, :"] = 0
  return c
end)
key("set_pairs", function()
  local c = a:copy()
  c[{ list, list }] = 2
  return c
end)
key("setdiag", function()
  local c = a:copy()
  c:setdiag(5)
  return c
end)

key("tril", function() return S.tril(a, { format = "csr" }) end)
key("triu", function() return S.triu(a, { format = "csr" }) end)
key("find", function() return (S.find(a)) end)
key("nonzero", function() return (a:nonzero()) end)
key("kron", function() return S.kron(S.eye(3), a, "csr") end)
if small then key("kron_all", function() return S.kron(a, b, "csr") end) end
key("kronsum", function() return poisson(side) end)
key("vstack", function() return S.vstack({ a, b }, "csr") end)
key("hstack", function() return S.hstack({ a, b }, "csr") end)
key("bmat", function() return S.bmat({ { a, b }, { b, a } }, "csr") end)
key("block_diag", function() return S.block_diag({ a, b, a }, "csr") end)
key("reshape", function() return a:reshape({ n / 2, 2 * n }):tocsr() end)
key("sum_duplicates", function() return messy:copy():sum_duplicates() end)
key("sort_indices", function() return unsorted:copy():sort_indices() end)
key("eliminate_zeros", function() return holes:copy():eliminate_zeros() end)
key("canonical", function()
  return S.csr_matrix({ a.data, a.indices, a.indptr }, { shape = { n, n } }).has_canonical_format
end)
key("text", function() return tostring(a) end)

local path = os.tmpname()
key("save_npz", function() S.save_npz(path, a, { compressed = false }) end)
S.save_npz(path .. ".npz", a, { compressed = false })
key("load_npz", function() return S.load_npz(path .. ".npz") end)
os.remove(path)
os.remove(path .. ".npz")

if middle then
  key("spsolve", function() return L.spsolve(grid, ones) end)
  local factors = L.splu(grid)
  key("splu", function() return L.splu(grid).nnz end)
  key("splu_solve", function() return factors:solve(ones) end)
  key("splu_scattered", small and function() return L.splu(a).nnz end or function() return 0 end)
  key("inv", small and function() return L.inv(grid) end or function() return 0 end)
end
if middle or n <= 100000 then key("spilu", function() return L.spilu(grid, 1e-3, 4).nnz end) end
key("triangular", function() return L.spsolve_triangular(lower, ones) end)
local o = { rtol = 1e-30, maxiter = 40 }
key("cg", function() return (L.cg(shifted, ones, o)) end)
key("cgs", function() return (L.cgs(shifted, y, o)) end)
key("bicgstab", function() return (L.bicgstab(shifted, y, o)) end)
key("gmres", function() return (L.gmres(shifted, y, { rtol = 1e-30, maxiter = 1, restart = 20 })) end)
key("minres", function() return (L.minres(shifted, y, { rtol = 1e-30, maxiter = 40 })) end)
key("lsqr", function() return (L.lsqr(shifted, y, { atol = 0, btol = 0, conlim = 0, iter_lim = 40 })) end)
key("lsmr", function() return (L.lsmr(shifted, y, { atol = 0, btol = 0, conlim = 0, maxiter = 40 })) end)
if middle then
  key("eigsh", function() return (L.eigsh(shifted, 4, { tol = 1e-6 })) end)
  key("svds", function() return (L.svds(a, 4, { return_singular_vectors = false })) end)
end
key("expm_multiply", function() return L.expm_multiply(grid * -0.1, y) end)

key("components_weak", function() return (G.connected_components(graph)) end)
key("components_strong", function() return (G.connected_components(graph, { connection = "strong" })) end)
key("laplacian", function() return G.laplacian(graph) end)
key("breadth_first", function() return (G.breadth_first_order(graph, 1)) end)
key("depth_first", function() return (G.depth_first_order(graph, 1)) end)
key("breadth_tree", function() return G.breadth_first_tree(graph, 1) end)
key("dijkstra", function() return (G.dijkstra(graph, { indices = 1 })) end)
key("bellman_ford", function() return (G.bellman_ford(graph, { indices = 1 })) end)
if small then
  key("dijkstra_all", function() return (G.dijkstra(graph)) end)
  key("johnson", function() return (G.johnson(graph)) end)
  key("floyd_warshall", function() return (G.floyd_warshall(graph)) end)
end
key("spanning_tree", function() return G.minimum_spanning_tree(graph) end)
key("cuthill_mckee", function() return G.reverse_cuthill_mckee(graph) end)
key("matching", function() return G.maximum_bipartite_matching(graph) end)
key("rank", function() return G.structural_rank(graph) end)
