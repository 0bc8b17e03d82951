#!/usr/bin/env python3
"""Golden values of interpolators of random values at points inside, at the ends, outside, NaN.
usage: audit_interpolate.py [CALLS [SEED]]

The spec has the functions that make an interpolator and call it: interp1d(x, y, points, options) and so on. A point
that is NaN has the value NaN, which SciPy forgets in constant pieces and beside fill values.
"""
import warnings

import numpy as np
from scipy import interpolate as ip

import audit

warnings.simplefilter("ignore")
A = audit.Audit(2700)
print("# made by audit_interpolate.py")
LOOSE = {"tol": 1e-9, "loose": True}


def grid(n):
    return np.cumsum(A.numpy.integers(1, 5, n)) / A.pick(1, 2, 4) - A.whole(0, 3)


def points(x, outside=True):
    low, high = (x[0] - 1, x[-1] + 1) if outside else (x[0], x[-1])
    shape = A.shape(0, 2, 3)
    p = low + (high - low) * A.numpy.integers(0, 33, shape) / 32
    p = np.where(A.numpy.random(shape) < 0.2, A.numpy.choice(x, shape), p)
    if p.size and A.chance(0.3):
        p = np.where(A.numpy.random(shape) < 0.3, np.nan, p)
    return np.asarray(p)


def values(n, complex=False, most=2):
    """y and the axis of interpolation."""
    shape = list(A.shape(0, most - 1, 3, empty=0))
    axis = A.whole(0, len(shape))
    shape.insert(axis, n)
    y = A.elements(tuple(shape), "complex128" if complex and A.chance(0.2) else "float64", special=0)
    return y, axis


def right(result, p, axis):
    """The result with NaN at points that are NaN."""
    result = np.array(result)
    if result.dtype.kind == "c":
        result[np.isnan(result)] = np.nan                      # one form of NaN
    bad = np.isnan(p)
    if bad.any():
        moved = np.moveaxis(result, list(range(axis, axis + p.ndim)), list(range(p.ndim))) if p.ndim else result[None]
        moved[bad if p.ndim else slice(None)] = np.nan
    return result


def put(name, function, arguments, p, axis, size):
    try:
        r = right(function(), p, axis)
    except Exception:
        return
    A.write(name, arguments, [r], scale=float(size), **LOOSE)


def size_of(y):
    return max(1.0, float(np.abs(y).max()))


def line():
    n = A.whole(2, 7)
    x = grid(n)
    y, axis = values(n, True)
    kind = A.pick("linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic")
    if n < 4 and kind in ("quadratic", "cubic"):
        return
    fill = A.pick("extrapolate", 7.0, [-1.0, 2.0], None)
    options = {"kind": kind, "axis": axis, "bounds_error": None if fill is None else False}
    p = points(x, fill is not None)
    if fill is None and not (np.isfinite(p).all() and p.size and p.min() >= x[0] and p.max() <= x[-1]):
        return
    if fill == "extrapolate" and kind in ("quadratic", "cubic", "zero"):
        return
    python = dict(options, fill_value=tuple(fill) if isinstance(fill, list) else np.nan if fill is None else fill)
    lua = {k: v for k, v in dict(options, axis=axis + 1, fill_value=fill).items() if v is not None}
    put("interp1d", lambda: ip.interp1d(x, y, **python)(p), [x, A.layout(y), p, lua], p, axis, 30 * size_of(y))


def cubics():
    n = A.whole(2, 8)
    x, (y, axis) = grid(n), values(n)
    name = A.pick("CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "CubicHermiteSpline")
    nu, extrapolate = A.pick(0, 0, 1, 2, 4), A.pick(True, False)
    p = points(x)
    more = [A.elements(y.shape, special=0)] if name == "CubicHermiteSpline" else []
    options = {"axis": axis, "extrapolate": extrapolate}
    if name == "CubicSpline":
        options["bc_type"] = A.pick("not-a-knot", "natural", "clamped")
    if name == "Akima1DInterpolator":
        options["method"] = A.pick("akima", "makima")
        if y.ndim > 1:
            return                                             # SciPy looks at the other columns
    put("piecewise", lambda: getattr(ip, name)(x, y, *more, **options)(p, nu=nu),
        [name, x, A.layout(y), more[0] if more else False, dict(options, axis=axis + 1), p, nu], p, axis,
        1e3 * size_of(y))


def integrals():
    n = A.whole(2, 7)
    x, (y, axis) = grid(n), values(n)
    a, b = A.whole(-8, 40) / 4, A.whole(-8, 40) / 4
    name, extrapolate = A.pick("CubicSpline", "PchipInterpolator", "BSpline"), A.pick(True, False)
    if name == "BSpline":
        k = A.whole(0, min(3, n - 1))
        s = ip.make_interp_spline(x, y, k, axis=axis)
        if k == 0 and max(a, b) >= x[-1]:                      # SciPy's antiderivative is 0 at its end
            return
        outside = not extrapolate and (max(a, b) <= x[0] or min(a, b) >= x[-1])
        inside = [min(max(v, x[0]), x[-1]) for v in (a, b)] if not extrapolate else [a, b]
        # SciPy gives NaN where the spline counts as 0
        zero = np.zeros(np.shape(y.take(0, axis)))
        A.attempt("integral", lambda: zero if outside else np.asarray(s.integrate(*inside)),
                  [name, x, A.layout(y), k, axis + 1, a, b, extrapolate], scale=1e3 * size_of(y), **LOOSE)
        return
    A.attempt("integral", lambda: np.asarray(getattr(ip, name)(x, y, axis=axis).integrate(a, b, extrapolate)),
              [name, x, A.layout(y), False, axis + 1, a, b, extrapolate], scale=1e5 * size_of(y), **LOOSE)


def splines():
    n, k = A.whole(2, 9), A.whole(0, 5)
    if n < k + 1:
        return
    x, (y, axis) = grid(n), values(n, True)
    p, nu, extrapolate = points(x), A.whole(0, min(k, 3)), A.pick(True, False, "periodic")
    put("spline", lambda: ip.make_interp_spline(x, y, k, axis=axis)(p, nu, extrapolate),
        [x, A.layout(y), k, axis + 1, p, nu, extrapolate], p, axis, 1e5 * size_of(y))


def pieces():
    k, m = A.whole(1, 4), A.whole(1, 4)
    x = grid(m + 1)
    c = A.elements((k, m) + A.shape(0, 2, 3, empty=0), A.pick("float64", "float64", "complex128"), special=0)
    p, nu, extrapolate = points(x), A.whole(0, 4), A.pick(True, False, "periodic")
    name = A.pick("PPoly", "PPoly", "BPoly")
    method = A.pick("", "", "derivative", "antiderivative")

    def result():
        f = getattr(ip, name)(c, x)
        if method:
            return getattr(f, method)(1)(p, 0, extrapolate)
        return f(p, nu, extrapolate)

    put("pieces", result, [name, A.layout(c), x, method, p, nu, extrapolate], p, 0, 1e5 * size_of(c))


def polynomials():
    n = A.whole(1, 5)
    x, (y, axis) = grid(n), values(n)
    p = points(x)
    name = A.pick("KroghInterpolator", "BarycentricInterpolator")
    put("polynomial", lambda: getattr(ip, name)(x, y, axis=axis)(p), [name, x, A.layout(y), axis + 1, p], p, axis,
        1e5 * size_of(y))


def grids():
    d = A.whole(1, 3)
    method = A.pick("linear", "nearest", "slinear", "cubic", "pchip")
    xs = [grid(A.whole(4, 5) if method in ("cubic", "pchip") else A.whole(2, 4)) for _ in range(d)]
    if method == "pchip" and d > 2:
        return
    y = A.elements(tuple(len(x) for x in xs) + A.shape(0, 1, 2, empty=0), special=0)
    q = np.stack([x[0] - 0.5 + (x[-1] - x[0] + 1) * A.numpy.integers(0, 34, 5) / 33 for x in xs], -1)
    fill = A.pick(np.nan, 7.0, None)
    if A.chance(0.3):
        q[A.whole(0, 4), A.whole(0, d - 1)] = np.nan
    if fill is None and method == "pchip":
        return
    try:
        r = ip.RegularGridInterpolator(xs, y, method, bounds_error=False, fill_value=fill)(q)
    except ValueError:
        return
    r[np.isnan(q).any(1)] = np.nan
    A.write("grid", [xs, A.layout(y), q, method, "extrapolate" if fill is None else fill], [r],
            scale=(1e7 if method == "cubic" else 1e3) * size_of(y), **LOOSE)         # SciPy solves for cubics by steps


def scattered():
    n, d = A.whole(6, 12), A.whole(1, 3)
    x = A.numpy.permutation(n * d).reshape(n, d) * 1.0 + A.numpy.random((n, d)) * 0.25
    y = A.elements((n,) + A.shape(0, 1, 2, empty=0), special=0)
    q = A.numpy.random((4, d)) * n * d
    kernel = A.pick("linear", "thin_plate_spline", "cubic", "gaussian", "multiquadric")
    if A.chance(0.5):
        A.attempt("nearest", lambda: ip.NearestNDInterpolator(x, y)(q), [x, A.layout(y), q], **LOOSE)
    elif n > d + 2:
        options = {"kernel": kernel, "epsilon": 0.3}
        A.attempt("radial", lambda: ip.RBFInterpolator(x, y, **options)(q), [x, A.layout(y), q, options],
                  scale=10 * size_of(y), tol=1e-7, loose=True)


for k in range(A.calls):
    A.pick(line, line, cubics, cubics, integrals, splines, pieces, pieces, polynomials, grids, scattered)()
