--- ma.sparse, milliseconds of a call. The peers' script for the same keys and matrices is peers/sparse_bench.py.

local ma = require "moonarray"
local timing = ...

local divisor, on_gpu, record = timing.divisor, timing.on_gpu, timing.record
local measure = on_gpu and timing.events or timing.least
local prefix = timing.prefix
local S = ma.sparse

local function key(name, fn)
  record(prefix .. name, measure, function()
    local result = fn()
    return S.issparse(result) and result.data:eval() or timing.eval(result)
  end)
end

--- Rows of `per` entries at places that a multiplier spreads; the same in peers/sparse_bench.py.
local function scattered(n, per)
  local k = ma.arange(0, n * per, 1, "int64")
  local row = ma.floor_divide(k, per) + 1
  local col = ma.remainder(row * 7919 + ma.remainder(k, per) * 104729 + k * k % 1009, n) + 1
  local data = (ma.remainder(k, 17) + 1):astype("float64") / 17
  return S.coo_matrix({ data, { row, col } }, { shape = { n, n } })
end

--- A graph whose vertex v has about n / v edges: few rows have most of the entries.
local function power_law(n, nnz)
  local k = ma.arange(0, nnz, 1, "int64")
  local u = (ma.remainder(k * 40503, 1048573):astype("float64") + 0.5) / 1048573
  local row = ma.minimum(ma.floor(n * u ^ 3):astype("int64"), n - 1) + 1
  local col = ma.remainder(k * 104729, n) + 1
  return S.coo_matrix({ ma.ones(nnz), { row, col } }, { shape = { n, n } })
end

local function poisson(n)
  local line = S.diags({ { -1 }, { 2 }, { -1 } }, { -1, 0, 1 }, { n, n }, "csr")
  return S.kronsum(line, line, "csr")
end

local n = math.floor(1e6 / divisor)
local coo = scattered(n, 16)
local a = coo:tocsr()
local x, wide = ma.arange(n) / n, (ma.arange(n * 32) % 101 / 101):reshape(n, 32)
local a32 = a:astype("float32")
local x32 = x:astype("float32")
local graph = power_law(n, 10 * n):tocsr()
local side = math.floor(math.sqrt(n))
local grid = poisson(side)
local small = scattered(math.floor(n / 5), 8):tocsr()
local other = scattered(n, 15):tocsr()
local csc = a:tocsc()
local vector = ma.arange(side * side) / n
local dense = scattered(math.floor(n / 40), 40):tocsr()
local hubs = power_law(math.floor(n / 20), math.floor(n / 2)):tocsr()
local below = S.tril(grid, 0, "csr")

key("spmv", function() return a:matmul(x) end)
key("spmv_f4", function() return a32:matmul(x32) end)
key("spmv_graph", function() return graph:matmul(x) end)
key("spmv_grid", function() return grid:matmul(vector) end)
key("spmv_csc", function() return csc:matmul(x) end)
key("spmm32", function() return a:matmul(wide) end)
key("spmm32_grid", function() return grid:matmul(wide["1:" .. side * side .. ", :"]) end)
key("spgemm", function() return small:matmul(small) end)
key("spgemm_grid", function() return grid:matmul(grid) end)
key("spgemm_dense", function() return dense:matmul(dense) end)
key("spgemm_graph", function() return hubs:matmul(hubs) end)
key("triangle_grid", function() return S.linalg.spsolve_triangular(below, vector) end)
key("coo_to_csr", function() return coo:tocsr() end)
key("csr_to_csc", function() return a:tocsc() end)
key("csr_to_coo", function() return a:tocoo() end)
key("add", function() return a + other end)
key("multiply", function() return a * other end)
key("subtract_grid", function() return grid - grid end)
key("sum_rows", function() return a:sum(2) end)
key("sum_columns", function() return a:sum(1) end)
key("max_rows", function() return a:max(2) end)
key("scale", function() return a * 2 end)
key("greater", function() return a:gt(0.5) end)
key("rows", function() return a[{ { 1000, math.floor(n / 2) }, {} }] end)
key("row_list", function() return a[ma.remainder(ma.arange(0, 1e5, 1, "int64") * 7919, n) + 1] end)
key("column_range", function() return a[{ {}, { 1000, math.floor(n / 2) } }] end)
key("diagonal", function() return a:diagonal() end)
key("tril", function() return S.tril(a) end)
key("toarray", function() return small["1:2000, 1:2000"]:toarray() end)
key("from_dense", function() return S.csr_matrix(small["1:2000, 1:2000"]:toarray()) end)
key("kron_eye", function() return S.kron(S.eye(10), small, "csr") end)
key("vstack", function() return S.vstack({ a, a }, "csr") end)

--- Poisson's equation to 1e-8 by conjugate gradients.
for _, points in ipairs { 256, 2048 } do
  local points_now = math.max(8, math.floor(points / math.sqrt(divisor)))
  local system, right = poisson(points_now), ma.ones(points_now * points_now)
  key("cg_" .. points, function() return (S.linalg.cg(system, right, { rtol = 1e-8, maxiter = 20000 })) end)
end
