#!/usr/bin/env python3
"""Golden values of linear algebra of random small matrices and stacks. usage: audit_linalg.py [CALLS [SEED]]"""
import warnings

import numpy as np
import scipy.linalg as sl

import audit

warnings.simplefilter("ignore")
A = audit.Audit(2700)
print("# made by audit_linalg.py")
DTYPES = ["float64", "float64", "float32", "complex128", "complex64", "int32", "bool"]


def stack(rows=None, columns=None, longest=3, dtypes=DTYPES):
    rows = A.whole(1, longest) if rows is None else rows
    columns = A.whole(1, longest) if columns is None else columns
    return A.elements(A.shape(0, 2, 3, empty=0.04) + (rows, columns), A.pick(*dtypes), special=0)


def near(x, worse=1):
    narrow = x.dtype in (np.float32, np.complex64)
    return {"tol": (2e-4 if narrow else 1e-11) * worse, "scale": "norm"}


def square(well=True, **more):
    n = A.whole(1, 3)
    x = stack(n, n, **more)
    if well and x.dtype != bool:
        x = (x + 20 * np.eye(n)).astype(x.dtype)
    if well and x.dtype == bool:
        x = np.broadcast_to(np.tril(np.ones((n, n), bool)), x.shape)
    return x


def values():
    x = square()
    name = A.pick("det", "inv", "slogdet", "matrix_power", "solve", "pinv", "cond", "matrix_rank")
    if name == "matrix_power":
        n = A.whole(-2, 3)
        A.attempt("linalg.matrix_power", lambda: np.linalg.matrix_power(x, n), [A.layout(x), n], **near(x, 10))
    elif name == "solve":
        b = A.elements(x.shape[:-1] + (A.whole(1, 3),), A.pick(*DTYPES), special=0)
        A.attempt("linalg.solve", lambda: np.linalg.solve(x, b), [A.layout(x), A.layout(b)], **near(x if x.dtype in (
            np.float32, np.complex64) else b, 10))
    elif name == "slogdet":
        A.attempt("linalg.slogdet", lambda: tuple(np.linalg.slogdet(x)), [A.layout(x)], **near(x))
    elif name in ("pinv", "matrix_rank"):
        y = stack(dtypes=("float64", "complex128", "float32"))
        batch = y.shape[:-2]
        tol = A.pick(None, 0.1, A.numpy.integers(1, 9, batch) / 10)
        if tol is not None:
            s = np.linalg.svd(y, compute_uv=False)
            if s.size and (abs(s / s.max(-1, keepdims=True).clip(1e-9) - np.asarray(tol)[..., None]) < 1e-3).any():
                return
        if y.dtype == np.float32 and name == "pinv":
            return
        options = {} if tol is None else {"rtol": tol}
        python = {"rtol": 1e-15} if tol is None and name == "pinv" else options
        s = np.linalg.svd(y, compute_uv=False)
        if s.size and tol is None and (s < 1e-3).any():
            return
        A.attempt("linalg." + name, lambda: np.asarray(getattr(np.linalg, name)(y, **python)), [A.layout(y), options],
                  **near(y, 1e3))
    else:
        p = A.pick(None, 1, np.inf, "fro", 2) if name == "cond" else None
        A.attempt("linalg." + name, lambda: np.asarray(getattr(np.linalg, name)(x, *([] if p is None else [p]))),
                  [A.layout(x), p], **near(x, 10))


def norms():
    x = A.elements(A.shape(1, 3), A.pick(*DTYPES), special=0.06)
    if x.dtype == bool:
        x = x.astype("int8")
    if A.chance(0.5):
        d, order = A.whole(-x.ndim, x.ndim - 1), A.pick(None, 1, 2, 0, np.inf, -np.inf, 3, -1)
        axis = d + 1 if d >= 0 else d
    else:
        if x.ndim < 2:
            return
        d = tuple(A.random.sample(range(x.ndim), 2))
        order, axis = A.pick(None, "fro", 1, -1, np.inf, -np.inf, 2, "nuc"), [v + 1 for v in d]
        if order in (2, "nuc") and not np.isfinite(x.astype(complex)).all():
            return
    keepdims = A.chance(0.3)
    if order == -1 and isinstance(d, int) and (x == 0).any() or not np.isfinite(x.astype(complex)).all() and (
            x.dtype.kind == "c"):
        return
    A.attempt("linalg.norm", lambda: np.asarray(np.linalg.norm(x, order, d, keepdims)),
              [A.layout(x), {k: v for k, v in {"ord": order, "axis": axis, "keepdims": keepdims}.items()
                             if v is not None}], **near(x))


def factors():
    x = stack()
    name = A.pick("svd", "qr", "cholesky", "eigh", "eigvalsh", "lu", "lstsq")
    if name == "svd":
        A.attempt("singular_values", lambda: np.linalg.svd(x, compute_uv=False), [A.layout(x)], **near(x))
    elif name == "qr":
        mode = A.pick("reduced", "complete")
        A.attempt("qr_product", lambda: np.matmul(*np.linalg.qr(x, mode)), [A.layout(x), mode], **near(x))
    elif name in ("cholesky", "eigh", "eigvalsh"):
        y = square(False, dtypes=("float64", "float32", "complex128", "complex64"))
        y = np.matmul(y, y.conj().swapaxes(-1, -2)) + np.eye(y.shape[-1], dtype=y.dtype)
        if name == "cholesky":
            A.attempt("linalg.cholesky", lambda: np.linalg.cholesky(y), [A.layout(y)], **near(y, 10))
        else:
            A.attempt("linalg.eigvalsh", lambda: np.linalg.eigvalsh(y), [A.layout(y)], **near(y))
    elif name == "lu":
        y = x if x.ndim == 2 else x.reshape(-1, x.shape[-1])
        if y.size and y.dtype != bool:
            A.attempt("lu_product", lambda: np.matmul(*sl.lu(y, permute_l=True)), [A.layout(y)], **near(y))
    elif x.ndim == 2 and x.size and np.linalg.matrix_rank(x) == min(x.shape):
        b = A.elements((x.shape[0],), "float64", special=0)
        s = np.linalg.svd(x, compute_uv=False)
        if s.min() > 0.2:
            A.attempt("least_squares", lambda: np.linalg.lstsq(x, b)[0], [A.layout(x), b], **near(x, 100))


def products():
    x = stack()
    y = stack(x.shape[-1])
    name = A.pick("matmul", "dot", "inner", "outer", "kron", "tensordot", "vdot", "trace", "cross", "einsum")
    n = A.whole(1, 4)
    u, v = (A.elements((n,), A.pick(*DTYPES), special=0) for _ in range(2))
    how = near(x if x.dtype in (np.float32, np.complex64) else y)
    if name == "matmul":
        A.attempt(name, lambda: np.matmul(x, y), [A.layout(x), A.layout(y)], **how)
    elif name in ("dot", "tensordot"):
        args = [] if name == "dot" else [1]
        A.attempt(name, lambda: np.asarray(getattr(np, name)(x, y, *args)), [A.layout(x), A.layout(y)] + args, **how)
    elif name in ("inner", "outer", "vdot", "kron"):
        A.attempt(name, lambda: np.asarray(getattr(np, name)(u, v)), [A.layout(u), A.layout(v)], tol=1e-5, scale=8)
    elif name == "trace":
        k = A.whole(-2, 2)
        A.attempt(name, lambda: np.asarray(np.trace(x, k)), [A.layout(x), k], **near(x))
    elif name == "cross":
        a, b = (A.elements((A.whole(1, 3), 3), A.pick("float64", "int32"), special=0) for _ in range(2))
        if len(a) == len(b):
            A.attempt(name, lambda: np.cross(a, b), [A.layout(a), A.layout(b)], tol=1e-13, scale="norm")
    else:
        a, b = x.reshape(-1, x.shape[-1]), y.reshape(y.shape[-2], -1) if y.ndim == 2 else y[(0,) * (y.ndim - 2)] if (
            y.size) else None
        if b is not None:
            text = A.pick("ij,jk->ik", "ij,jk->ki", "ij,jk->j", "ij,jk->", "ij,jk->ijk")
            A.attempt(name, lambda: np.asarray(np.einsum(text, a, b)), [text, A.layout(a), A.layout(b)], **how)


def known():
    name = A.pick("toeplitz", "hankel", "circulant", "companion", "hilbert", "helmert", "block_diag", "expm")
    n = A.whole(1, 5)
    c = A.elements((n,), A.pick("float64", "int32", "complex128"), special=0)
    if name in ("toeplitz", "hankel"):
        r = A.elements((A.whole(1, 5),), c.dtype, special=0)
        A.attempt("linalg." + name, lambda: getattr(sl, name)(c, r), [A.layout(c), A.layout(r)])
    elif name in ("circulant", "companion"):
        A.attempt("linalg." + name, lambda: getattr(sl, name)(c), [A.layout(c)], tol=1e-15)
    elif name in ("hilbert", "helmert"):
        A.attempt("linalg." + name, lambda: getattr(sl, name)(n), [n], tol=1e-12, scale="norm")
    elif name == "block_diag":
        a, b = stack(dtypes=["float64"]), stack(dtypes=["float64"])
        if a.ndim == b.ndim == 2:
            A.attempt("linalg.block_diag", lambda: sl.block_diag(a, b), [A.layout(a), A.layout(b)])
    else:
        x = square(False, dtypes=("float64", "complex128"))
        A.attempt("linalg.expm", lambda: sl.expm(x), [A.layout(x)], tol=1e-9, scale="norm")


for k in range(A.calls):
    A.pick(values, values, norms, factors, products, products, known)()
