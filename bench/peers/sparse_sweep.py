"""SciPy on the keys and matrices of bench/sparse_sweep.lua: microseconds of processor time of a call. Prints lines
`key value`. usage: sparse_sweep.py rows [pattern]"""
import gc
import math
import os
import re
import sys
import tempfile
import time
import warnings

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[name + "_NUM_THREADS"] = "1"

import numpy as np
import scipy.sparse as S
import scipy.sparse.csgraph as G
import scipy.sparse.linalg as L

warnings.simplefilter("ignore")
n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
pattern = sys.argv[2] if len(sys.argv) > 2 else ""


def spent_on(f, calls):
    start = time.process_time()
    for _ in range(calls):
        f()
    return time.process_time() - start


def key(name, f):
    if not re.search(pattern, name):
        return
    try:
        f()
    except Exception as why:
        print(f"{name} - {why}".splitlines()[0], flush=True)
        return
    calls, spent = 1, spent_on(f, 1)
    while spent < 0.002:
        calls *= 4
        spent = spent_on(f, calls)
    best, total, rounds = spent / calls, spent, 1
    while (total < 0.06 and rounds < 15) or (rounds < 3 and total < 3):
        spent = spent_on(f, calls)
        best, total, rounds = min(best, spent / calls), total + spent, rounds + 1
    print(f"{name} {best * 1e6:.5g}", flush=True)
    gc.collect()


def scattered(rows, per):
    k = np.arange(rows * per)
    row = k // per
    col = (row * 7919 + k % per * 104729 + k * k % 1009) % rows
    data = (k % 17 + 1) / 17
    return S.coo_matrix((data, (row.astype("i4"), col.astype("i4"))), shape=(rows, rows))


def poisson(points):
    line = S.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(points, points), format="csr")
    return S.kronsum(line, line, format="csr")


def changed(m, change):
    c = m.copy()
    change(c)
    return c


def put(where, value):
    def change(c):
        c[where] = value

    return change


small, middle = n <= 1000, n <= 20000
coo = scattered(n, 8)
a = coo.tocsr()
b = scattered(n, 7).tocsr()
csc = a.tocsc()
side = int(math.sqrt(n) / 2) * 2
grid = poisson(side)
points = side * side
x, y = np.arange(n) / n, np.arange(points) / points
wide = (np.arange(n * 4) % 101 / 101).reshape(n, 4)
dia, bsr = grid.todia(), grid.tobsr((2, 2))
extent = min(n, 2000)
part = a[:extent, :extent]
dense = part.toarray()
some = np.arange(n // 4) * 7919 % n
half = slice(n // 4 - 1, 3 * n // 4)
mask = np.arange(n) % 3 == 0
over = a > 0.5
messy = S.csr_matrix((np.concatenate([a.data, a.data]), np.concatenate([a.indices, a.indices]), a.indptr * 2), (n, n))
unsorted = S.csr_matrix((a.data, a.indices[::-1].copy(), a.indptr), (n, n))
holes = a.copy()
holes.data = np.where(a.data > 0.5, a.data, 0)
lower = S.tril(grid, format="csr")
ones = np.ones(points)
shifted = (grid + S.eye(points, format="csr")).tocsr()
graph = a

key("make_csr", lambda: S.csr_matrix((a.data, a.indices, a.indptr), (n, n)))
key("make_coo", lambda: S.coo_matrix((coo.data, (coo.row, coo.col)), (n, n)))
key("eye", lambda: S.eye(n, format="csr"))
key("diags", lambda: S.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr"))
key("random", lambda: S.random(n, n, 4 / n, format="csr", random_state=1))
key("coo_csr", lambda: coo.tocsr())
key("coo_csc", lambda: coo.tocsc())
key("csr_csc", lambda: a.tocsc())
key("csc_csr", lambda: csc.tocsr())
key("csr_coo", lambda: a.tocoo(copy=False))
key("csr_dia", lambda: grid.todia())
key("dia_csr", lambda: dia.tocsr())
key("csr_bsr", lambda: grid.tobsr((2, 2)))
key("bsr_csr", lambda: bsr.tocsr())
key("dense_csr", lambda: S.csr_matrix(dense))
key("dense_coo", lambda: S.coo_matrix(dense))
key("csr_dense", lambda: part.toarray())
key("copy", lambda: a.copy())
key("astype", lambda: a.astype("f4"))
key("transpose", lambda: a.T)

key("csr_vector", lambda: a @ x)
key("csc_vector", lambda: csc @ x)
key("coo_vector", lambda: coo @ x)
key("dia_vector", lambda: dia @ y)
key("bsr_vector", lambda: bsr @ y)
key("vector_csr", lambda: x @ a)
key("csr_4", lambda: a @ wide)
if middle:
    key("csr_csr", lambda: a @ b)
key("grid_grid", lambda: grid @ grid)
key("matrix_power", lambda: L.matrix_power(grid, 3))

key("add", lambda: a + b)
key("subtract", lambda: a - b)
key("multiply", lambda: a.multiply(b))
key("maximum", lambda: a.maximum(b))
key("scale", lambda: a * 2)
key("divide", lambda: a / 3)
key("times_row", lambda: a.multiply(x).tocsr())
key("greater", lambda: a > 0.5)
key("not_equal", lambda: a != b)
key("power", lambda: a.power(2))
key("sqrt", lambda: a.sqrt())
key("abs", lambda: abs(a))

for axis, name in enumerate(["columns", "rows"]):
    key("sum_" + name, lambda: a.sum(axis))
    key("mean_" + name, lambda: a.mean(axis))
    key("max_" + name, lambda: a.max(axis))
    key("argmax_" + name, lambda: a.argmax(axis))
    key("nnz_" + name, lambda: a.getnnz(axis))
key("sum", lambda: a.sum())
key("max", lambda: a.max())
key("argmax", lambda: a.argmax())
key("count_nonzero", lambda: a.count_nonzero())
key("diagonal", lambda: a.diagonal())
key("trace", lambda: a.trace())
key("norm", lambda: L.norm(a))
key("norm_1", lambda: L.norm(a, 1))
key("norm_rows", lambda: L.norm(a, 2, 1))

key("element", lambda: a[6, 8])
key("row", lambda: a[6])
key("column", lambda: a.getcol(6))
key("rows", lambda: a[half])
key("row_step", lambda: a[::2])
key("row_list", lambda: a[some])
key("row_mask", lambda: a[mask])
key("column_range", lambda: a[:, half])
key("column_list", lambda: a[:, some])
key("block", lambda: a[half, half])
key("pairs", lambda: a[some, some])
key("mask", lambda: a[over])
key("csc_columns", lambda: csc[:, half])
if small:
    key("dense_mask", lambda: a[dense > 0.5])
key("set_element", lambda: changed(a, put((6, 8), 5)))
key("set_row", lambda: changed(a, put(6, 0)))
key("set_pairs", lambda: changed(a, put((some, some), 2)))
key("setdiag", lambda: changed(a, lambda c: c.setdiag(5)))

key("tril", lambda: S.tril(a, format="csr"))
key("triu", lambda: S.triu(a, format="csr"))
key("find", lambda: S.find(a))
key("nonzero", lambda: a.nonzero())
key("kron", lambda: S.kron(S.eye(3), a, format="csr"))
if small:
    key("kron_all", lambda: S.kron(a, b, format="csr"))
key("kronsum", lambda: poisson(side))
key("vstack", lambda: S.vstack([a, b], format="csr"))
key("hstack", lambda: S.hstack([a, b], format="csr"))
key("bmat", lambda: S.bmat([[a, b], [b, a]], format="csr"))
key("block_diag", lambda: S.block_diag([a, b, a], format="csr"))
key("reshape", lambda: a.reshape((n // 2, 2 * n)).tocsr())
key("sum_duplicates", lambda: changed(messy, lambda c: c.sum_duplicates()))
key("sort_indices", lambda: changed(unsorted, lambda c: c.sort_indices()))
key("eliminate_zeros", lambda: changed(holes, lambda c: c.eliminate_zeros()))
key("canonical", lambda: S.csr_matrix((a.data, a.indices, a.indptr), (n, n)).has_canonical_format)
key("text", lambda: str(a))

path = os.path.join(tempfile.mkdtemp(), "a.npz")
key("save_npz", lambda: S.save_npz(path, a, compressed=False))
S.save_npz(path, a, compressed=False)
key("load_npz", lambda: S.load_npz(path))
os.remove(path)

if middle:
    key("spsolve", lambda: L.spsolve(grid.tocsc(), ones))
    factors = L.splu(grid.tocsc())
    key("splu", lambda: L.splu(grid.tocsc()))
    key("splu_solve", lambda: factors.solve(ones))
    if small:
        key("splu_scattered", lambda: L.splu(a.tocsc()))
        key("inv", lambda: L.inv(grid.tocsc()))
if n <= 100000:
    key("spilu", lambda: L.spilu(grid.tocsc(), 1e-3, 4))
key("triangular", lambda: L.spsolve_triangular(lower, ones))
o = {"rtol": 1e-30, "maxiter": 40}
key("cg", lambda: L.cg(shifted, ones, **o))
key("cgs", lambda: L.cgs(shifted, y, **o))
key("bicgstab", lambda: L.bicgstab(shifted, y, **o))
key("gmres", lambda: L.gmres(shifted, y, rtol=1e-30, maxiter=1, restart=20))
key("minres", lambda: L.minres(shifted, y, rtol=1e-30, maxiter=40))
key("lsqr", lambda: L.lsqr(shifted, y, atol=0, btol=0, conlim=0, iter_lim=40))
key("lsmr", lambda: L.lsmr(shifted, y, atol=0, btol=0, conlim=0, maxiter=40))
if middle:
    key("eigsh", lambda: L.eigsh(shifted, 4, tol=1e-6))
    key("svds", lambda: L.svds(a, 4, return_singular_vectors=False))
key("expm_multiply", lambda: L.expm_multiply(grid * -0.1, y))

key("components_weak", lambda: G.connected_components(graph))
key("components_strong", lambda: G.connected_components(graph, connection="strong"))
key("laplacian", lambda: G.laplacian(graph))
key("breadth_first", lambda: G.breadth_first_order(graph, 0))
key("depth_first", lambda: G.depth_first_order(graph, 0))
key("breadth_tree", lambda: G.breadth_first_tree(graph, 0))
key("dijkstra", lambda: G.dijkstra(graph, indices=0))
key("bellman_ford", lambda: G.bellman_ford(graph, indices=0))
if small:
    key("dijkstra_all", lambda: G.dijkstra(graph))
    key("johnson", lambda: G.johnson(graph))
    key("floyd_warshall", lambda: G.floyd_warshall(graph))
key("spanning_tree", lambda: G.minimum_spanning_tree(graph))
key("cuthill_mckee", lambda: G.reverse_cuthill_mckee(graph))
key("matching", lambda: G.maximum_bipartite_matching(graph))
key("rank", lambda: G.structural_rank(graph))
