#!/usr/bin/env python3
"""Golden values of functions of scipy.stats on random samples. usage: audit_stats.py [CALLS [SEED]]"""
import warnings

import numpy as np
from scipy import stats

import audit

warnings.simplefilter("ignore")
A = audit.Audit(2700)
print("# made by audit_stats.py")


def sample(shape=None, positive=False, special=0.1, dtypes=("float64", "float64", "float32", "int32", "uint8")):
    x = A.elements(shape or A.shape(1, 3), A.pick(*dtypes), special, positive=positive)
    if A.chance(0.05):
        x = np.full_like(x, x.flat[0]) if x.size else x
    if x.dtype == np.float64 and A.chance(0.05):
        x = x * A.pick(1e-100, 1e100)
    return x


def axis_of(x):
    """axis for SciPy and for Lua."""
    if A.chance(0.2):
        return None, "none"
    d = A.whole(-x.ndim, x.ndim - 1)
    return d, d + 1 if d >= 0 else d


def near(*arrays):
    return 2e-5 if any(x.dtype == np.float32 for x in arrays) else 1e-11


def wide(x):
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def scores():
    x = sample(special=0.05)
    d, axis = axis_of(x)
    if not x.size:
        return
    name = A.pick("zscore", "zscore", "trim_mean")
    if name == "zscore":
        ddof = A.pick(0, 0, 1)
        policy = A.pick("propagate", "omit") if np.isnan(wide(x)).any() else "propagate"
        if not np.isfinite(wide(x)).all() and policy == "omit" or np.abs(x).max() > 1e15:
            return
        A.attempt("stats.zscore", lambda: stats.zscore(wide(x), axis=d, ddof=ddof, nan_policy=policy),
                  [A.layout(x), {"axis": axis, "ddof": ddof, "nan_policy": policy}], tol=near(x), scale="norm")
    else:
        part = A.pick(0.0, 0.1, 0.25, 0.4)
        if not np.isfinite(wide(x)).all():
            return
        A.attempt("stats.trim_mean", lambda: np.asarray(stats.trim_mean(wide(x), part, axis=d)),
                  [A.layout(x), part, {"axis": axis}], tol=near(x), scale=float(np.abs(x).max()))


def entropies():
    two = A.chance(0.6)
    p = sample(positive=True)
    q = sample(p.shape, positive=True) if two else None
    d, axis = axis_of(p)
    options = {"base": A.pick(None, 2, 10), "keepdims": A.chance(0.3)}
    if any(np.isinf(wide(x)).any() for x in (p, q) if x is not None):
        return
    policy = A.pick("propagate", "omit")
    options["nan_policy"] = policy
    args = [wide(p)] + ([wide(q)] if two else [])
    lua = [A.layout(p)] + ([A.layout(q)] if two else [])
    options = {k: v for k, v in options.items() if v is not None}
    results = stats.entropy(*args, axis=d, **options) if p.size else None
    if results is None or np.any(np.abs(results) < 1e-3):      # sums that cancel
        return
    A.attempt("stats.entropy", lambda: np.asarray(results), lua + [dict(options, axis=axis)],
              tol=1e-4 if near(*args) > 1e-9 else 1e-10)


def ranks():
    x = sample(dtypes=("float64", "float32", "int32", "uint8", "int64", "bool"))
    method = A.pick("average", "min", "max", "dense", "ordinal")
    policy = A.pick("propagate", "omit")
    d, axis = axis_of(x)
    if x.dtype.kind == "f" and np.isnan(x).any() and method == "ordinal":
        return
    options = {"axis": axis, "nan_policy": policy}
    A.attempt("stats.rankdata", lambda: stats.rankdata(x, method, axis=d, nan_policy=policy),
              [A.layout(x), method, options])


def correlations():
    name = A.pick("pearsonr", "pearsonr", "spearmanr")
    shape = A.shape(1, 2, longest=6, empty=0)
    x, y = sample(shape, special=0.05), sample(shape, special=0.05)
    if x.ndim == 2:
        d, axis = A.pick((0, 1), (1, 2))
    else:
        d, axis = 0, 1
    if x.shape[d] < 3 or not (np.isfinite(wide(x)).all() and np.isfinite(wide(y)).all()):
        return
    alternative = A.pick("two-sided", "less", "greater")
    if name == "spearmanr":
        if x.ndim == 2:
            return
        A.attempt("stats.spearmanr", lambda: tuple(np.asarray(v) for v in stats.spearmanr(wide(x), wide(y),
                  alternative=alternative)), [A.layout(x), A.layout(y), {"alternative": alternative}], tol=1e-7,
                  scale=1, loose=True)
        return

    def results():
        a, b = (wide(v).astype(np.float64) for v in (x, y))
        with np.errstate(all="ignore"):
            a, b = a / (abs(a).max() or 1), b / (abs(b).max() or 1)
        r = stats.pearsonr(a, b, alternative=alternative, axis=d)
        dtype = np.result_type(wide(x), wide(y))
        return np.asarray(r.statistic).astype(dtype), np.asarray(r.pvalue).astype(dtype)

    A.attempt("stats.pearsonr", results, [A.layout(x), A.layout(y), {"alternative": alternative, "axis": axis}],
              tol=2e-3 if near(wide(x), wide(y)) > 1e-9 else 1e-7, scale=1)


def others():
    name = A.pick("zmap", "boxcox_llf")
    x = sample(special=0)
    if not x.size or np.abs(x).max() > 1e15:
        return
    d, axis = axis_of(x)
    if name == "zmap":
        y = sample(x.shape, special=0)
        if np.abs(y).max() > 1e15 or (np.std(wide(y), axis=d) < 1e-6 * np.abs(y).max() + 1e-20).any():
            return
        A.attempt("stats.zmap", lambda: stats.zmap(wide(x), wide(y), axis=d),
                  [A.layout(x), A.layout(y), {"axis": axis}], tol=near(wide(x), wide(y)), scale="norm")
    else:
        x = np.abs(wide(x)).astype(np.float64) + 0.5
        if d is None or x.shape[d] < 2 or np.std(x, axis=d).min() < 1e-3 or x.max() > 1e3:
            return
        lmb = A.pick(0, 1, 0.5, -2)
        A.attempt("stats.boxcox_llf", lambda: np.asarray(stats.boxcox_llf(lmb, x, axis=d)),
                  [lmb, A.layout(x), {"axis": axis}], tol=1e-9, scale=1)


def densities():
    d, n = A.whole(1, 2), A.whole(4, 9)
    x, points = A.numpy.integers(0, 40, (d, n)) / 4, A.numpy.integers(-4, 44, (d, A.whole(1, 4))) / 4
    width = A.pick("scott", "silverman", 0.5)
    weights = A.pick(None, A.numpy.integers(1, 5, n) / 2)
    if np.linalg.cond(np.atleast_2d(np.cov(x))) < 1e3:
        A.attempt("density", lambda: stats.gaussian_kde(x, width, weights)(points),
                  [A.layout(x), A.layout(points), width] + ([] if weights is None else [weights]), tol=1e-9,
                  scale="norm")


for k in range(A.calls):
    A.pick(scores, entropies, ranks, correlations, others, densities)()
