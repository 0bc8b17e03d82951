-- Sparse matrices of 10^6 rows, on the default device: products, conversions, systems and graphs of which the results
-- are known. Errors of solutions are bounded by eps times a bound of the condition. make test-sparse-large runs it.
-- usage: luajit spec/sparse/large_sparse.lua [rows]

local ma = require "moonarray"
local S, L = ma.sparse, ma.sparse.linalg

local n = math.floor(math.sqrt(tonumber(arg[1]) or 1e6))
local rows, eps = n * n, 2 ^ -52

local function check(what, is_right)
  print((is_right and "right  " or "WRONG  ") .. what)
  if not is_right then os.exit(1) end
end
local function equal(a, b) return a.shape == b.shape and a:ne(b):sum():item() == 0 end
local function size(x) return ma.abs(x):max():item() end

-- ==== A grid: five entries a row ====================================================================================

local line = S.diags({ -1, 2, -1 }, { -1, 0, 1 }, { shape = { n, n } })
local A = S.kronsum(line, line, "csr")
local ones = ma.ones(rows)
local side = ma.zeros(n)
side[1], side[n] = 1, 1
local edges = (side:reshape(n, 1) + side):reshape(rows)        -- neighbours that a point lacks
check("entries of a grid", A.nnz == 5 * rows - 4 * n)
check("grid @ ones", equal(A:matmul(ones), edges))
check("ones @ grid", equal(A.T:matmul(ones), edges) and equal(A:sum(1), edges) and equal(A:sum(2), edges))
check("diagonals", equal(A:diagonal(), ma.full(rows, 4)) and equal(A:diagonal(n), ma.full(rows - n, -1)))
local square = A:matmul(A)
check("grid @ grid", equal(square:matmul(ones), A:matmul(edges)) and equal(square:diagonal(), 20 - edges))
local coo, csc = A:tocoo(), A:tocsc()
check("conversions", equal(csc.indices, A.indices) and equal(csc.data, A.data))
check("conversions back", equal(coo:tocsr().indices, A.indices))
local back = S.coo_matrix({ ma.flip(coo.data), { ma.flip(coo.row), ma.flip(coo.col) } }, { shape = { rows, rows } })
check("a coo matrix in the opposite order", equal(back:tocsr().indptr, A.indptr) and equal(back:tocsr().data, A.data))
check("grid - grid", (A - A).nnz == 0 and (A + A).nnz == A.nnz)
local some = ma.range(rows, 1, { step = -7, dtype = "int64" })
check("rows of a list", equal(A[some]:sum(2), edges:take(some)))

-- ==== Rows of all lengths ===========================================================================================

local at = math.floor(rows / 2)
local row = ma.concatenate({ ma.full(rows, at, "int64"), ma.range(1, rows, { step = 3, dtype = "int64" }) })
local col = ma.concatenate({ ma.range(1, rows, { dtype = "int64" }), ma.range(1, rows, { step = 3, dtype = "int64" }) })
local uneven = S.coo_matrix({ ma.ones(row.size), { row, col } }, { shape = { rows, rows } }):tocsr()
local product = uneven:matmul(ones)
check("a dense row among empty ones", product:sum():item() == row.size and product(at) >= rows)
check("its transpose", equal(uneven.T:matmul(ones):sum(), ma.array(row.size, "float64")))
check("its diagonal", uneven:diagonal():sum():item() == math.ceil(rows / 3) + 1)

-- ==== Systems =======================================================================================================

-- The eigenvalues of tri(-1, 4, -1) lie in 2 .. 6, those of the grid plus 1 in 1 .. 9.
local band = S.diags({ -1, 4, -1 }, { -1, 0, 1 }, { shape = { rows, rows } }):tocsc()
local x = ma.sin(ma.range(1, rows))
local b = band:matmul(x)
local found = L.spsolve(band, b)
check("spsolve of a band", size(found - x) <= 16 * eps * 3 * size(x))
check("its residual", size(b - band:matmul(found)) <= 16 * eps * 6 * size(x))
local lower = S.tril(band, 0, "csr")
check("spsolve_triangular", size(L.spsolve_triangular(lower, lower:matmul(x)) - x) <= 16 * eps * 3 * size(x))
local shifted = (A + S.eye(rows, { format = "csr" })):tocsr()
b = shifted:matmul(x)
local y, info = L.cg(shifted, b, { rtol = 1e-13 })
local error_of = ma.linalg.norm(y - x):item() / ma.linalg.norm(x):item()
check("cg of a grid", info == 0 and error_of <= 9 * (1e-13 + 16 * eps))

-- ==== Graphs ========================================================================================================

local step = ma.range(1, rows - 1, { dtype = "int64" })
local joined = (step % n):ne(0):astype("float64")               -- a path is cut behind each n nodes
local path = S.coo_matrix({ joined, { step, step + 1 } }, { shape = { rows, rows } }):tocsr()
path:eliminate_zeros()
check("connected_components", (S.csgraph.connected_components(path)) == n)
local far = S.csgraph.dijkstra(path, { indices = 1, directed = false })
check("dijkstra", far(n) == n - 1 and far(n + 1) == math.huge)
print(("%d rows on %s"):format(rows, ones.device))
