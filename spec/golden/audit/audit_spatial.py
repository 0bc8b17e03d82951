#!/usr/bin/env python3
"""Golden values of distances and neighbours of random points. usage: audit_spatial.py [CALLS [SEED]]"""
import warnings

import numpy as np
from scipy import spatial
from scipy.spatial import distance

import audit

warnings.simplefilter("ignore")
A = audit.Audit(2700)
print("# made by audit_spatial.py")
REAL = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "canberra", "braycurtis", "cosine",
        "correlation", "jensenshannon", "seuclidean", "hamming"]
BOOL = ["russellrao", "jaccard", "dice", "rogerstanimoto", "sokalsneath", "yule", "hamming"]


def points(n, m, metric):
    if metric in BOOL and metric != "hamming":
        return A.elements((n, m), "bool")
    x = A.elements((n, m), A.pick("float64", "float64", "float32", "int32"), special=0.05,
                   positive=metric == "jensenshannon")
    return np.abs(x) if metric == "jensenshannon" else x


def near(*arrays):
    return 3e-5 if any(x.dtype == np.float32 for x in arrays) else 1e-10


def matrices():
    metric = A.pick(*REAL, *BOOL)
    n, k, m = A.whole(1, 5), A.whole(1, 5), A.whole(1, 6)
    x, y = points(n, m, metric), points(k, m, metric)
    options = {}
    if metric == "minkowski":
        options["p"] = A.pick(1, 2, 3, 1.5)
    if metric == "seuclidean":
        options["V"] = A.numpy.integers(1, 5, m) / 2
    if metric in ("euclidean", "cityblock", "hamming", "jaccard") and A.chance(0.2):
        options["w"] = A.numpy.integers(1, 5, m) / 2
    if not all(np.isfinite(v.astype(float)).all() for v in (x, y)) and metric in ("cosine", "correlation", "hamming",
                                                                               "jensenshannon", "chebyshev"):
        return
    if metric == "jensenshannon" and min(v.sum(1).min() for v in (x, y)) == 0:
        return
    f4 = x.dtype == np.float32 or y.dtype == np.float32
    if A.chance(0.5):
        r = distance.cdist(x.astype(float) if x.dtype != bool else x, y.astype(float) if y.dtype != bool else y, metric,
                           **options)
        name, arguments = "spatial.distance.cdist", [A.layout(x), A.layout(y), metric, options]
    else:
        if n < 2:
            return
        f4 = x.dtype == np.float32
        r = distance.pdist(x.astype(float) if x.dtype != bool else x, metric, **options)
        name, arguments = "spatial.distance.pdist", [A.layout(x), metric, options]
    if metric == "jensenshannon":                              # SciPy's root of a sum just below 0
        r = np.nan_to_num(r)
    scale = 1.0 if metric in ("cosine", "correlation", "jensenshannon", "braycurtis") else "norm"
    tol = 1e-3 if f4 and metric in ("jensenshannon", "cosine", "correlation") else 3e-5 if f4 else 1e-7 if metric in (
        "jensenshannon", "euclidean") else 1e-10
    A.attempt(name, lambda: r, arguments, tol=tol, scale=scale, loose=True)


def pairs():
    metric = A.pick("euclidean", "cityblock", "chebyshev", "canberra", "braycurtis", "cosine", "correlation", "hamming",
                    "russellrao", "jaccard", "dice", "rogerstanimoto", "sokalsneath", "yule", "sqeuclidean")
    m = A.whole(1, 8)
    u, v = points(1, m, metric)[0], points(1, m, metric)[0]
    if not np.isfinite(u.astype(float)).all() or not np.isfinite(v.astype(float)).all():
        return
    with_weights = A.chance(0.3) and metric not in ("yule", "dice")
    w = A.numpy.integers(1, 5, m) / 2 if with_weights else None
    lua = [A.layout(u), A.layout(v)] + ([w] if with_weights else [])
    f = [x if x.dtype == bool else x.astype(float) for x in (u, v)]
    A.attempt("spatial.distance." + metric, lambda: np.asarray(float(getattr(distance, metric)(*f, w=w))), lua,
              tol=near(u, v), scale=1.0, loose=True)


def squares():
    n = A.whole(1, 7)
    v = A.elements((n * (n - 1) // 2,), A.pick("float64", "int32", "bool"), special=0)
    if v.size == 0:
        return
    m = distance.squareform(v)
    if A.chance(0.5):
        A.attempt("spatial.distance.squareform", lambda: m, [A.layout(v)])
    else:
        A.attempt("spatial.distance.squareform", lambda: distance.squareform(m), [A.layout(m)])


def neighbours():
    n, m, count = A.whole(1, 12), A.whole(1, 3), A.whole(1, 4)
    x = A.numpy.permutation(n * m).reshape(n, m) * 1.0 + A.numpy.random((n, m)) * 0.25
    q = A.numpy.random((A.whole(0, 4), m)) * n * m
    k = min(count, n)
    p = A.pick(1, 2, np.inf)
    if k == 1:
        return

    def results():
        d, i = spatial.KDTree(x).query(q, k, p=p)
        return d, i + 1

    A.attempt("nearest", results, [A.layout(x), A.layout(q), k, p], tol=1e-13, scale="norm", loose=True)


for k in range(A.calls):
    A.pick(matrices, matrices, pairs, squares, neighbours)()
