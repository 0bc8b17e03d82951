#!/usr/bin/env python3
"""Golden values of sparse matrices of random small arrays. usage: audit_sparse.py [CALLS [SEED]]

The spec makes the matrices of arrays and formats, and gives results as arrays: sparse("csr", x, "sum", ...) and so on.
"""
import warnings

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import audit

warnings.simplefilter("ignore")
A = audit.Audit(2700)
print("# made by audit_sparse.py")
FORMATS = ["csr", "csr", "csc", "coo", "dia"]
DTYPES = ["float64", "float64", "float32", "int32", "int8", "uint8", "complex128", "complex64", "bool"]


def dense(shape=None, dtypes=DTYPES, longest=6, special=0.03):
    if shape is None:
        shape = (A.whole(1, longest), A.whole(1, longest)) if A.chance(0.95) else A.pick((0, 3), (3, 0))
    x = A.elements(shape, A.pick(*dtypes), special)
    return np.where(A.numpy.random(shape) < A.pick(0.3, 0.6), x, np.zeros((), x.dtype)).astype(x.dtype)


def made(x, format):
    return getattr(sp, format + "_matrix")(x)


def array(r):
    return np.asarray(r.toarray()) if sp.issparse(r) else np.asarray(r)


def near(*arrays):
    narrow = any(x.dtype in (np.float32, np.complex64) for x in arrays)
    return {"tol": 1e-5 if narrow else 1e-12, "scale": "norm"}


def finite(*arrays):
    return all(np.isfinite(x.astype(complex)).all() for x in arrays)


def reductions():
    x, format = dense(), A.pick("csr", "csc", "coo")
    name = A.pick("sum", "sum", "mean", "max", "min", "argmax", "argmin", "trace", "diagonal", "count_nonzero",
                  "getnnz")
    m = made(x, format)
    if name in ("trace", "diagonal"):
        k = A.whole(-2, 2)
        A.attempt("sparse", lambda: np.asarray(getattr(m, name)(k)), [format, A.layout(x), name, k], **near(x))
        return
    axis = A.pick(None, 0, 1)
    if name in ("max", "min", "argmax", "argmin"):
        if not finite(x) or x.dtype.kind == "c" or not x.size or x.dtype == bool:
            return
        if name.startswith("arg"):
            x = np.where(x != 0, A.numpy.permutation(x.size).reshape(x.shape) - x.size // 2, 0).astype(np.float64)
            m = made(x, format)
            want = np.argmax(x, axis) if name == "argmax" else np.argmin(x, axis)
            at_zero = (np.max(x, axis) if name == "argmax" else np.min(x, axis)) == 0
            if np.any(at_zero):
                return
            A.attempt("sparse", lambda: np.asarray(want).reshape(-1) + 1,
                      [format, A.layout(x), name, None if axis is None else axis + 1], loose=True)
            return
    if name == "getnnz" or name == "count_nonzero":
        if axis is not None and name == "count_nonzero":
            return
        A.attempt("sparse", lambda: np.asarray(getattr(m, name)(*([] if axis is None else [axis]))).reshape(-1),
                  [format, A.layout(x), name, None if axis is None else axis + 1], loose=True)
        return
    if not finite(x):
        return
    A.attempt("sparse", lambda: np.asarray(array(getattr(m, name)(axis))).reshape(-1),
              [format, A.layout(x), name, None if axis is None else axis + 1], **dict(near(x), scale=8))


def operations():
    x = dense(special=0)
    format, other = A.pick("csr", "csc", "coo"), A.pick("csr", "csc", "coo")
    name = A.pick("add", "subtract", "multiply", "matmul", "dense_matmul", "vector", "maximum", "minimum", "scaled")
    m = made(x, format)
    if name == "scaled":
        s = A.pick(2, 0.5, -1, 0)
        A.attempt("scaled", lambda: array(m * s), [format, A.layout(x), s], **dict(near(x), loose=True))
        return
    if name in ("matmul", "dense_matmul", "vector"):
        y = dense((x.shape[1], A.whole(1, 5)), special=0)
        if x.dtype == bool and y.dtype == bool:
            return
        if name == "vector":
            y = y[:, 0].copy()
        if name == "matmul":
            A.attempt("two", lambda: array(m @ made(y, other)), [format, A.layout(x), name, other, A.layout(y)],
                      **near(x, y))
        else:
            A.attempt("with_array", lambda: array(m @ y), [format, A.layout(x), A.layout(y)], **near(x, y))
        return
    y = dense(x.shape, special=0)
    if x.dtype == bool or y.dtype == bool or name in ("maximum", "minimum") and "c" in (x.dtype.kind, y.dtype.kind):
        return
    n = made(y, other)
    run = {"add": lambda: m + n, "subtract": lambda: m - n, "multiply": lambda: m.multiply(n),
           "maximum": lambda: m.maximum(n), "minimum": lambda: m.minimum(n)}[name]
    A.attempt("two", lambda: array(run()), [format, A.layout(x), name, other, A.layout(y)], **near(x, y))


def forms():
    x, format = dense(), A.pick(*FORMATS)
    m = made(x, format)
    name = A.pick("transpose", "conj", "tocsr", "tocsc", "tocoo", "todia", "power", "abs", "astype", "reshape")
    if name == "power":
        if format != "csr" or not finite(x) or x.dtype == bool:
            return
        A.attempt("sparse", lambda: array(m.power(2)), [format, A.layout(x), "power", 2], **near(x))
    elif name == "abs":
        if x.dtype == bool:
            return
        A.attempt("sparse", lambda: array(abs(m)), [format, A.layout(x), "abs"], **near(x))
    elif name == "astype":
        if finite(x):
            A.attempt("sparse", lambda: array(m.astype("float64" if x.dtype.kind != "c" else "complex64")),
                      [format, A.layout(x), "astype", "float64" if x.dtype.kind != "c" else "complex64"], **near(x))
    elif name == "reshape":
        if x.size:
            A.attempt("sparse", lambda: array(m.reshape((x.shape[1], x.shape[0]))),
                      [format, A.layout(x), "reshape", [x.shape[1], x.shape[0]]])
    else:
        A.attempt("sparse", lambda: array(getattr(m, name)()), [format, A.layout(x), name])


def a_range(n):
    """A slice, and the text or table that says the same in Lua; positions may be counted from the end."""
    lo = A.whole(0, n)
    hi = A.whole(lo, n)
    step = A.pick(1, 1, 2)
    if hi <= lo:
        return slice(lo, lo), [lo + 1, lo]
    if A.chance(0.3):
        return slice(lo, hi, step), [lo + 1, hi, step]
    last = hi - 1
    if A.chance(0.3):
        return slice(last, lo - 1 if lo else None, -1), [last + 1, lo + 1, -1]
    return slice(lo, hi), [lo + 1, hi - n - 1 if A.chance(0.3) else hi]


def an_item(n):
    kind = A.whole(0, 3)
    if kind == 0 and n:
        i = A.whole(-n, n - 1)
        return i, i + 1 if i >= 0 else i
    if kind == 1 and n:
        list = [A.whole(0, n - 1) for _ in range(A.whole(1, 4))]
        return np.array(list), np.array(list, dtype=np.int64) + 1
    if kind == 2:
        return slice(None), {}
    return a_range(n)


def indices():
    x, format = dense(), A.pick("csr", "csc")
    m = made(x, format)
    (row, lua_row), (column, lua_column) = an_item(x.shape[0]), an_item(x.shape[1])
    arrays = [isinstance(v, np.ndarray) for v in (row, column)]
    if any(arrays) and any(isinstance(v, slice) and v.step not in (None, 1) for v in (row, column)):
        return                                                 # SciPy takes other elements
    if all(arrays) or all(isinstance(v, int) for v in (row, column)):
        return
    A.attempt("at", lambda: array(m[row, column]), [format, A.layout(x), lua_row, lua_column])


def joined():
    x = dense(special=0, dtypes=["float64", "int32"])
    name = A.pick("hstack", "vstack", "kron", "tril", "triu", "eye", "diags")
    if name in ("hstack", "vstack"):
        y = dense(x.shape, special=0, dtypes=["float64", "int32"])
        A.attempt("join", lambda: array(getattr(sp, name)([made(x, "csr"), made(y, "coo")])),
                  [name, A.layout(x), A.layout(y)])
    elif name == "kron":
        y = dense(special=0, dtypes=["float64", "int32"])
        A.attempt("join", lambda: array(sp.kron(made(x, "csr"), made(y, "coo"))), [name, A.layout(x), A.layout(y)],
                  loose=True)
    elif name in ("tril", "triu"):
        k = A.whole(-3, 3)
        A.attempt("part", lambda: array(getattr(sp, name)(made(x, "csr"), k)), [name, A.layout(x), k])


def norms():
    x, format = dense(), A.pick("csr", "csc", "coo")
    if not finite(x) or not x.size or x.dtype == bool:
        return
    order, axis = A.pick((None, None), ("fro", None), (1, None), (np.inf, None), (-1, None), (1, 0), (2, 1),
                         (np.inf, 0), (None, 1))
    from scipy.sparse import linalg
    A.attempt("norm", lambda: np.asarray(linalg.norm(made(x, format), order, axis)),
              [format, A.layout(x), order, None if axis is None else axis + 1], loose=True, **near(x))


def graphs():
    n = A.whole(1, 6)
    x = dense((n, n), ["float64"], special=0)
    x = np.abs(np.round(x * 4))
    name = A.pick("connected_components", "laplacian", "shortest_path", "minimum_spanning_tree")
    if name == "connected_components":
        directed = A.chance(0.5)
        A.attempt("components", lambda: csgraph.connected_components(sp.csr_matrix(x), directed)[0],
                  [A.layout(x), directed])
    elif name == "laplacian":
        options = {"normed": A.chance(0.5), "use_out_degree": A.chance(0.3), "symmetrized": A.chance(0.3)}
        A.attempt("laplacian", lambda: array(csgraph.laplacian(sp.csr_matrix(x), **options)), [A.layout(x), options],
                  tol=1e-12, scale="norm")
    elif name == "shortest_path":
        directed, unweighted = A.chance(0.5), A.chance(0.3)
        A.attempt("paths", lambda: csgraph.shortest_path(sp.csr_matrix(x), directed=directed, unweighted=unweighted),
                  [A.layout(x), directed, unweighted], tol=1e-13)
    else:
        A.attempt("tree", lambda: np.asarray(csgraph.minimum_spanning_tree(sp.csr_matrix(x)).sum()), [A.layout(x)],
                  tol=1e-13)


def solves():
    from scipy.sparse import linalg
    n = A.whole(1, 6)
    x = dense((n, n), ["float64", "complex128"], special=0)
    x = x + 20 * np.eye(n)
    b = A.elements((n,), A.pick("float64", "complex128"), special=0)
    A.attempt("solve", lambda: linalg.spsolve(sp.csc_matrix(x), b), [A.pick("csr", "csc"), A.layout(x), A.layout(b)],
              tol=1e-10, scale="norm")


for k in range(A.calls):
    A.pick(reductions, reductions, operations, operations, forms, indices, indices, joined, norms, graphs, solves)()
