#!/usr/bin/env python3
"""Golden values of functions of scipy.ndimage on random small images. usage: audit_ndimage.py [CALLS [SEED]]

Left out is what docs/ndimage.md says is otherwise: linear filters of bool images, prefilter = false in mode "nearest",
splines of mode "reflect" through short lines, and footprints whose axes descend.
"""
import math
import warnings

import numpy as np
from scipy import ndimage as nd

import audit

warnings.simplefilter("ignore")
MODES = "reflect constant nearest mirror wrap grid-mirror grid-wrap grid-constant".split()
REAL = "int8 uint8 int16 int32 uint16 int64 float32 float64 float64".split()
A = audit.Audit(2700)
print("# made by audit_ndimage.py")


def image(dtypes=REAL, most=3, **more):
    return A.elements(A.shape(1, most), A.pick(*dtypes), **more)


def some_axes(x):
    """axes for SciPy, ascending, or None."""
    if x.ndim == 0 or A.chance(0.6):
        return None
    return tuple(sorted(A.random.sample(range(x.ndim), A.whole(1, x.ndim))))


def in_lua(axes):
    return None if axes is None else [d + 1 for d in axes]


def given(**options):
    return {k: v for k, v in options.items() if v is not None}


def origins(sizes):
    return [A.whole(-(n // 2), (n - 1) // 2) if A.chance(0.5) else 0 for n in sizes]


def edges(count=None):
    mode = A.pick(*MODES)
    if count is not None and A.chance(0.2):
        mode = [A.pick(*MODES) for _ in range(count)]
    return {"mode": mode, "cval": A.pick(0, 0, 1, -2, 0.5)}


def loose(x):
    """How near a result of a filter is; it is computed in float32 if the image is of that, in SciPy in float64."""
    return {"tol": 2e-6 if x.dtype in (np.float32, np.complex64) else 1e-13, "scale": "norm"}


def call(name, x, more, options, axes=None, **how):
    """more: positional arguments behind the image."""
    options = dict(options)
    lua = dict(options)
    if axes is not None:
        options["axes"], lua["axes"] = axes, in_lua(axes)
    return A.attempt("ndimage." + name, lambda: getattr(nd, name)(x, *more, **options), [A.layout(x)] + list(more)
                     + [lua], **how)


def weights_of(shape, x):
    w = A.numpy.integers(-3, 4, shape)
    return w.astype(np.float64) if x.dtype.kind in "iu" or A.chance(0.5) else w / 4


def linear():
    x = image(REAL + ["complex64", "complex128"])
    if x.ndim == 0:
        return
    axis = A.whole(-x.ndim, x.ndim - 1)
    lua_axis = axis + 1 if axis >= 0 else axis
    kind = A.whole(0, 5)
    if kind == 0:
        w = weights_of((A.whole(1, 5),), x)
        options = dict(edges(), origin=origins(w.shape)[0])
        name = A.pick("correlate1d", "convolve1d")
        A.attempt("ndimage." + name, lambda: getattr(nd, name)(x, w, axis=axis, **options),
                  [A.layout(x), w, dict(options, axis=lua_axis)], **loose(x))
    elif kind == 1:
        axes = some_axes(x)
        n = x.ndim if axes is None else len(axes)
        w = weights_of(tuple(A.whole(1, 3) for _ in range(n)), x)
        call(A.pick("correlate", "convolve"), x, [w], dict(edges(n), origin=origins(w.shape)), axes, **loose(x))
    elif kind == 2 and x.dtype.kind in "fc":
        axes = some_axes(x)
        n = x.ndim if axes is None else len(axes)
        options = dict(edges(n), sigma=A.pick(0.5, 1.0, [A.pick(0.0, 0.4, 1.5) for _ in range(n)]))
        sigma = options.pop("sigma")
        if not np.isfinite(x).all():
            return
        name = A.pick("gaussian_filter", "gaussian_gradient_magnitude", "gaussian_laplace")
        if name == "gaussian_filter":
            options["order"] = A.pick(0, 0, 1, [A.whole(0, 2) for _ in range(n)])
            options["truncate"] = A.pick(4.0, 2.0)
        elif x.dtype.kind == "c" or isinstance(sigma, list) and 0 in sigma:
            return
        else:
            axes = None                                        # SciPy blurs along the others too
            if isinstance(sigma, list) and len(sigma) != x.ndim or isinstance(options["mode"], list):
                return
        call(name, x, [sigma], options, axes, **loose(x))
    elif kind == 3:
        name = A.pick("sobel", "prewitt")
        options = edges()
        A.attempt("ndimage." + name, lambda: getattr(nd, name)(x, axis=axis, **options),
                  [A.layout(x), dict(options, axis=lua_axis)], **loose(x))
    elif kind == 4:
        axes = some_axes(x)
        call("laplace", x, [], edges(x.ndim if axes is None else len(axes)), axes, **loose(x))
    elif x.dtype.kind in "fc":
        axes = some_axes(x)
        n = x.ndim if axes is None else len(axes)
        if not np.isfinite(x).all():                           # SciPy's running sums keep a NaN
            return
        size = A.pick(1, 2, 3, [A.whole(1, 4) for _ in range(n)])
        options = dict(edges(n), origin=origins([size] if isinstance(size, int) else size))
        if isinstance(size, int):
            options["origin"] = options["origin"][0]
        call("uniform_filter", x, [size], options, axes, **loose(x))


def order():
    x = image(REAL + ["bool"], special=0)
    axes = some_axes(x)
    n = x.ndim if axes is None else len(axes)
    sizes = [A.whole(1, 3) for _ in range(n)]
    options = dict(edges(n), origin=origins(sizes))
    if A.chance(0.5):
        footprint = A.elements(tuple(sizes), "bool")
        if not footprint.any():
            return
        options["footprint"] = footprint
        count = int(footprint.sum())
    else:
        options["size"], count = sizes, math.prod(sizes)
    if x.dtype.kind in "bu" or options["cval"] != int(options["cval"]) and x.dtype.kind == "i":
        options["cval"] = 1
    name = A.pick("minimum_filter", "maximum_filter", "median_filter", "rank_filter", "percentile_filter")
    if x.ndim == 1 and x.size < 3 and name not in ("minimum_filter", "maximum_filter"):
        return                                                 # SciPy's rank filter of lines mirrors others there
    if name == "rank_filter":
        rank = A.whole(-count, count - 1)
        lua = dict(options, axes=in_lua(axes)) if axes else options
        A.attempt("ndimage." + name, lambda: nd.rank_filter(x, rank, axes=axes, **options),
                  [A.layout(x), rank + 1 if rank >= 0 else rank, lua])
    else:
        call(name, x, [A.whole(-100, 100)] if name[0] == "p" else [], options, axes)


def lines():
    x = image(REAL, special=0)
    axis = A.whole(-x.ndim, x.ndim - 1)
    name = A.pick("minimum_filter1d", "maximum_filter1d", "uniform_filter1d")
    if name[0] == "u" and x.dtype.kind in "iu":
        return
    size = A.whole(1, 5)
    options = dict(edges(), origin=origins([size])[0])
    if x.dtype.kind in "iu":
        options["cval"] = A.pick(0, 1, 3)
    A.attempt("ndimage." + name, lambda: getattr(nd, name)(x, size, axis=axis, **options),
              [A.layout(x), size, dict(options, axis=axis + 1 if axis >= 0 else axis)], **loose(x))


def binary():
    x = A.elements(A.shape(1, 3), A.pick("bool", "bool", "int32", "float64"))
    axes = some_axes(x)
    n = x.ndim if axes is None else len(axes)
    structure = A.elements(tuple(A.whole(1, 3) for _ in range(n)), "bool")
    name = A.pick("binary_erosion", "binary_dilation", "binary_opening", "binary_closing", "binary_propagation",
                  "binary_fill_holes", "binary_hit_or_miss")
    options = {}
    if name in ("binary_propagation", "binary_fill_holes"):    # SciPy repeats others for ever, or writes outside
        if A.chance(0.5):
            options["structure"] = nd.generate_binary_structure(n, A.whole(1, n))
    elif A.chance(0.7) and structure.any():
        two = name == "binary_hit_or_miss"
        options["structure1" if two else "structure"] = structure
        options["origin1" if two else "origin"] = origins(structure.shape)
    if name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
        options["iterations"], options["border_value"] = A.pick(1, 1, 2, 3), A.pick(0, 1)
        if A.chance(0.3):
            options["mask"] = A.elements(x.shape, "bool")
    if x.dtype.kind == "f" and np.isnan(x).any():
        return
    call(name, x, [], options, axes)


def grey():
    x = image(REAL, special=0)
    axes = some_axes(x)
    n = x.ndim if axes is None else len(axes)
    sizes = [A.pick(1, 3, 3, 2) for _ in range(n)]
    options = edges()
    options["cval"] = int(options["cval"])
    if options["mode"].startswith("grid") or x.dtype.kind == "u" and options["cval"] < 0:
        return
    if all(s % 2 for s in sizes):
        options["origin"] = origins(sizes)
    kind = A.whole(0, 2)
    if kind == 0:
        options["size"] = sizes
    if kind == 1:
        options["footprint"] = np.ones(sizes, bool) if A.chance(0.3) else A.elements(tuple(sizes), "bool")
        if not options["footprint"].any():
            return
    if kind == 2:
        if x.dtype.kind in "u":
            return
        options["structure"] = A.numpy.integers(-3, 4, sizes).astype(float)
    call(A.pick("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
                "morphological_laplace", "white_tophat", "black_tophat"), x, [], options, axes)


def places():
    x = image(["int32", "float32", "float64", "float64", "complex128", "uint8"], 2, special=0)
    if min(x.shape) < 1:
        return
    order, kind = A.whole(0, 5), A.whole(0, 4)
    if kind == 4 and order == 0:                               # which of two neighbours depends on rounding
        return
    mode = A.pick("constant", "nearest", "mirror", "wrap", "grid-wrap", "grid-constant")
    options = {"order": order, "mode": mode, "cval": A.pick(0, 1)}
    if mode != "nearest" and A.chance(0.2):
        options["prefilter"] = False
    how = dict(loose(x), tol=3e-5 if x.dtype == np.float32 else 1e-11, scale=float(abs(x).max()))
    if mode == "nearest":                                      # SciPy's feel the end of what they repeat
        how["tol"] = 1e-3 if order > 3 else 3e-5
    if x.dtype.kind in "iu" and order > 0:
        options["output"] = "float64"
    if kind == 0:
        at = A.numpy.integers(-4, 24, (x.ndim, A.whole(0, 5))) / A.pick(1, 3, 4)
        A.attempt("ndimage.map_coordinates", lambda: nd.map_coordinates(x, at, **options),
                  [A.layout(x), at + 1, options], **how)
    elif kind == 1:
        call("shift", x, [A.pick(0.5, 1, [A.whole(-6, 6) / 3 for _ in range(x.ndim)])], options, **how)
    elif kind == 2:
        zoom = A.pick(2, 0.5, 1.3, [A.whole(1, 8) / 4 for _ in range(x.ndim)])
        # SciPy forgets grid_mode of complex images
        call("zoom", x, [zoom], dict(options, grid_mode=x.dtype.kind != "c" and A.chance(0.3)), **how)
    elif kind == 3:
        matrix = A.numpy.integers(-4, 5, (x.ndim, x.ndim)) / 4 + np.eye(x.ndim)
        if A.chance(0.3):
            matrix = np.abs(matrix.diagonal()) + 0.25
        offset = A.numpy.integers(-4, 5, x.ndim) / 4
        shape = A.pick(None, [A.whole(1, 4) for _ in range(x.ndim)])
        call("affine_transform", x, [matrix], dict(options, offset=offset, **given(output_shape=shape)), **how)
    elif x.ndim == 2:
        angle, reshape = A.whole(-8, 8) * A.pick(90, 11, 7), A.chance(0.5)
        call("rotate", x, [angle], dict(options, reshape=reshape), **how)


def splines():
    x = image(["int32", "float32", "float64", "complex128"], special=0)
    options = {"order": A.whole(2, 5), "mode": A.pick("mirror", "grid-wrap")}
    how = {"tol": 3e-5 if x.dtype == np.float32 else 1e-11, "scale": "norm"}
    if A.chance(0.5):
        call("spline_filter", x, [], options, **how)
    else:
        axis = A.whole(0, x.ndim - 1)
        options["order"] = A.whole(0, 5)
        A.attempt("ndimage.spline_filter1d", lambda: nd.spline_filter1d(x, axis=axis, **options),
                  [A.layout(x), dict(options, axis=axis + 1)], **how)


def labelled():
    x = image(REAL + ["bool"], special=0)
    if x.dtype != bool:                                        # no two alike, since SciPy takes any of those
        x = A.numpy.permutation(x.size).reshape(x.shape).astype(x.dtype)
    labels = A.numpy.integers(0, 4, x.shape).astype(A.pick("int32", "int64"))
    name = A.pick("sum", "mean", "variance", "standard_deviation", "minimum", "maximum", "median", "center_of_mass",
                  "minimum_position", "maximum_position", "sum_labels", "extrema")
    index = A.pick(None, 1, [1, 2], [3, 1, 7, 0])
    if x.size == 0 and name not in ("sum", "sum_labels", "mean"):
        return
    if x.dtype == bool and ("position" in name or name == "extrema"):
        return
    if name in ("center_of_mass", "minimum_position", "maximum_position", "extrema", "median"):
        index = A.pick(None, 1) if name == "center_of_mass" else index
        if index is None or isinstance(index, list):
            present = set(labels[labels > 0].tolist())
            if not present or isinstance(index, list):
                index = sorted(present)[:2] or None
            if index is None:
                return
        elif index not in labels:
            return
    with_labels = A.chance(0.8)

    def results():
        r = getattr(nd, name)(x, labels, index) if with_labels else getattr(nd, name)(x)
        if name == "center_of_mass":
            return np.asarray(r) + 1
        if name.endswith("position"):
            return np.asarray(r).astype(np.int64) + 1
        if name == "extrema":
            return r[0], r[1], np.asarray(r[2]).astype(np.int64) + 1, np.asarray(r[3]).astype(np.int64) + 1
        return np.asarray(r)

    arguments = [A.layout(x), labels] + ([] if index is None else [index]) if with_labels else [A.layout(x)]
    A.attempt("ndimage." + name, results, arguments, tol=1e-5 if x.dtype == np.float32 else 1e-12, scale="norm")


def components():
    x = A.elements(A.shape(1, 3), A.pick("bool", "int16", "float32"), special=0)
    structure = None
    if A.chance(0.5):
        structure = nd.generate_binary_structure(x.ndim, A.whole(1, x.ndim))
    A.attempt("ndimage.label", lambda: nd.label(x, structure), [A.layout(x), structure])
    if (x == 0).any():
        A.attempt("ndimage.distance_transform_edt", lambda: nd.distance_transform_edt(x != 0), [A.layout(x)], tol=1e-13)


def fourier():
    x = image(["float32", "float64", "complex64", "complex128"], special=0)
    name = A.pick("fourier_gaussian", "fourier_uniform", "fourier_shift", "fourier_ellipsoid")
    size = A.pick(1.5, [A.whole(1, 8) / 2 for _ in range(x.ndim)])
    if name == "fourier_shift":
        x = x.astype(np.complex128)
    options = {}
    if A.chance(0.4) and x.size:
        axis = A.whole(0, x.ndim - 1)
        options = {"n": 2 * x.shape[axis] - A.pick(1, 2), "axis": axis}
        if options["n"] < 1:
            return
    lua = dict(options, axis=options["axis"] + 1) if options else options
    A.attempt("ndimage." + name, lambda: getattr(nd, name)(x, size, **options), [A.layout(x), size, lua],
              tol=3e-6 if x.dtype in (np.float32, np.complex64) else 1e-12, scale="norm")


for k in range(A.calls):
    A.pick(linear, linear, order, order, lines, binary, binary, grey, grey, places, places, splines, labelled, labelled,
           components, fourier)()
