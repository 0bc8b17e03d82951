"""SciPy, or with --gpu CuPy, on the keys and matrices of keys/sparse.lua: milliseconds of a call. Prints `key value`
lines. usage: sparse_bench.py [--gpu] [divisor] [part of the keys' names]"""
import inspect
import math
import sys
import time

gpu = "--gpu" in sys.argv
words = [a for a in sys.argv[1:] if not a.startswith("--")]
divisor = float(words[0]) if words else 1
pattern = words[1] if len(words) > 1 else ""
if gpu:
    import cupy as np
    import cupyx.scipy.sparse as sp
    import cupyx.scipy.sparse.linalg as linalg
else:
    import numpy as np
    import scipy.sparse as sp
    import scipy.sparse.linalg as linalg


def once(f):
    if not gpu:
        start = time.perf_counter()
        f()
        return (time.perf_counter() - start) * 1e3
    a, b = np.cuda.Event(), np.cuda.Event()
    a.record()
    f()
    b.record()
    b.synchronize()
    return np.cuda.get_elapsed_time(a, b)


def key(name, f):
    if pattern not in name:
        return
    try:
        f()
        times, finish = [], time.perf_counter() + 0.5
        while time.perf_counter() < finish or len(times) < 5:
            times.append(once(f))
    except Exception as why:
        print(f"{name} - {why}".splitlines()[0], flush=True)
        return
    times.sort()
    value = times[len(times) // 2] if gpu else times[0]
    print(f"{('dev.' if gpu else 'cpu.') + name} {value:.6g}", flush=True)


def scattered(n, per):
    k = np.arange(n * per)
    row = k // per + 1
    col = (row * 7919 + k % per * 104729 + k * k % 1009) % n
    data = (k % 17 + 1) / 17
    return sp.coo_matrix((data, ((row - 1).astype("i4"), col.astype("i4"))), shape=(n, n))


def power_law(n, nnz):
    k = np.arange(nnz)
    u = (k * 40503 % 1048573 + 0.5) / 1048573
    row = np.minimum(np.floor(n * u**3).astype("i4"), n - 1)
    return sp.coo_matrix((np.ones(nnz), (row, (k * 104729 % n).astype("i4"))), shape=(n, n))


def poisson(n):
    line = sp.diags([-1., 2., -1.], [-1, 0, 1], shape=(n, n), format="csr")
    return sp.kronsum(line, line, format="csr")


n = int(1e6 / divisor)
coo = scattered(n, 16)
a = coo.tocsr()
x, wide = np.arange(n) / n, (np.arange(n * 32) % 101 / 101).reshape(n, 32)
a32, x32 = a.astype("f4"), x.astype("f4")
graph = power_law(n, 10 * n).tocsr()
side = int(math.sqrt(n))
grid = poisson(side)
small = scattered(n // 5, 8).tocsr()
other = scattered(n, 15).tocsr()
csc = a.tocsc()
vector = np.arange(side * side) / n
dense = scattered(n // 40, 40).tocsr()
hubs = power_law(n // 20, n // 2).tocsr()
below = sp.tril(grid, 0, format="csr")
block = small[:2000, :2000].toarray()
some = np.arange(int(1e5)) * 7919 % n

key("spmv", lambda: a @ x)
key("spmv_f4", lambda: a32 @ x32)
key("spmv_graph", lambda: graph @ x)
key("spmv_grid", lambda: grid @ vector)
key("spmv_csc", lambda: csc @ x)
key("spmm32", lambda: a @ wide)
key("spmm32_grid", lambda: grid @ wide[:side * side])
key("spgemm", lambda: small @ small)
key("spgemm_grid", lambda: grid @ grid)
key("spgemm_dense", lambda: dense @ dense)
key("spgemm_graph", lambda: hubs @ hubs)
key("triangle_grid", lambda: linalg.spsolve_triangular(below, vector))
key("coo_to_csr", lambda: coo.tocsr())
key("csr_to_csc", lambda: a.tocsc())
key("csr_to_coo", lambda: a.tocoo())
key("add", lambda: a + other)
key("multiply", lambda: a.multiply(other))
key("subtract_grid", lambda: grid - grid)
key("sum_rows", lambda: a.sum(1))
key("sum_columns", lambda: a.sum(0))
key("max_rows", lambda: a.max(1))
key("scale", lambda: a * 2)
key("greater", lambda: a > 0.5)
key("rows", lambda: a[999:n // 2])
key("row_list", lambda: a[some])
key("column_range", lambda: a[:, 999:n // 2])
key("diagonal", lambda: a.diagonal())
key("tril", lambda: sp.tril(a))
key("toarray", lambda: small[:2000, :2000].toarray())
key("from_dense", lambda: sp.csr_matrix(small[:2000, :2000].toarray()))
key("kron_eye", lambda: sp.kron(sp.eye(10), small, format="csr"))
key("vstack", lambda: sp.vstack([a, a], format="csr"))

# The bound of the residual is `tol` in older releases.
bound = "rtol" if "rtol" in inspect.signature(linalg.cg).parameters else "tol"
for points in (256, 2048):
    now = max(8, int(points / math.sqrt(divisor)))
    system, right = poisson(now), np.ones(now * now)
    key(f"cg_{points}", lambda: linalg.cg(system, right, maxiter=20000, **{bound: 1e-8}))
