"""Golden values of reductions and scans.

    in ID DTYPE SHAPE hex                          SHAPE is 2x3, or () for a 0-d array
    mask ID SHAPE hex
    op NAME ID AXES OPTIONS -> DTYPE SHAPE hex     AXES: `all`, `none` (no axis at all) or 1,2; OPTIONS: `-` or k=v,...
    op NAME ID AXES OPTIONS error                  NumPy refuses

Inputs are multiples of 1/4 of small size, so that float sums are exact in every order and one rounding decides the
result; what cannot be exact (prod, var, std, logsumexp) is computed in long double and rounded once.
"""
import itertools
import warnings

import numpy as np

from values import (COMPLEXES, DTYPES, FLOATS, INTS, WIDER, hexes, is_complex, is_float, narrow, name_of, numpy_dtype)

warnings.simplefilter("ignore")
np.seterr(all="ignore")
lines = ["# made by reduce.py with NumPy %s" % np.__version__]

SHAPES = {"s0": (), "s1": (1,), "e1": (0,), "e2": (3, 0), "e3": (0, 2), "v": (37,), "m": (5, 7), "c": (2, 3, 4),
    "l": (1030,), "h": (2, 1, 3, 2)}


def text_of(shape):
    return "x".join(map(str, shape)) if shape else "()"


def make(name, shape, key):
    rng = np.random.default_rng([3, DTYPES.index(name), key])
    if name == "bool":
        return rng.random(shape) < 0.6
    if name in INTS:
        low = -9 if np.iinfo(name).min else 0
        return rng.integers(low, 10, shape).astype(name)
    quarters = rng.integers(-24, 25, shape) / 4
    if is_complex(name):
        quarters = quarters + 1j * rng.integers(-24, 25, shape) / 4
    return np.asarray(quarters).astype(numpy_dtype(name))


def axes_of(shape, name):
    every = [None]
    for k in range(1, len(shape) + 1):
        every += list(itertools.combinations(range(len(shape)), k)) if len(shape) < 4 else []
    if len(shape) == 4:
        every += [(0,), (2,), (1, 3), (0, 2), (0, 1, 2, 3)]
    if len(shape) == 1:
        every = [None, (0,)]
    return every


def axes_text(axes):
    return "all" if axes is None else "none" if axes == () else ",".join(str(a + 1) for a in axes)


def alike(x):
    return x.astype(np.float32) if name_of(x.dtype) == "bfloat16" else x


def out_dtype(result, name):
    dtype = name_of(result.dtype)
    return "bfloat16" if name == "bfloat16" and dtype == "float32" else dtype


def wide(x):
    name = name_of(x.dtype)
    return x.astype(np.clongdouble if is_complex(name) else np.longdouble) if is_float(name) or is_complex(name) else x


def logsumexp(x, axis=None, keepdims=False):
    x = wide(x) if x.dtype.kind in "fc" else x.astype(np.longdouble)
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    result = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return result if keepdims else np.squeeze(result, axis=axis)


REDUCTIONS = ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "count_nonzero",
    "ptp",
              "nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanargmin", "nanargmax"]
SCANS = ["cumsum", "cumprod", "nancumsum", "nancumprod"]
MASKS = {}


def emit(op, key, axes, options, x, f, **extra):
    """f(x, axis=...) in NumPy: its dtype comes from the dtype itself, its value from long double where rounding
    matters."""
    name = name_of(x.dtype)
    label = ",".join("%s=%s" % (k, v) for k, v in options.items()) or "-"
    head = "op %s %s %s %s" % (op, key, axes_text(axes), label)
    if op.endswith(("argmin", "argmax")) and axes is not None:
        if len(axes) != 1:
            return
        axes = axes[0]
    try:
        plain = f(alike(x), axis=axes, **extra)
    except (ValueError, TypeError):
        lines.append(head + " error")
        return
    dtype = out_dtype(np.asarray(plain), name)
    if "arg" in op:
        value = np.asarray(plain) + 1
    elif (is_float(name) or is_complex(name)) and op not in ("any", "all", "count_nonzero"):
        value = np.asarray(f(wide(x), axis=axes, **extra))
    else:
        value = np.asarray(plain)
    lines.append("%s -> %s %s %s" % (head, dtype, text_of(value.shape), hexes(narrow(value, dtype))))


for name in DTYPES:
    arrays = {}
    for tag, shape in SHAPES.items():
        if tag in ("l", "h") and name not in ("bool", "int8", "int64", "uint8", "float16", "bfloat16", "float32",
                "float64", "complex64"):
            continue
        if tag in ("e2", "e3", "s0", "s1") and name in ("int16", "uint16", "uint32", "complex128"):
            continue
        arrays[tag] = make(name, shape, len(arrays))
    if is_float(name) or is_complex(name):
        n = arrays["m"].copy()
        n[0, 2] = n[3, 3] = n[3, 0] = np.nan
        n[2, 5], n[4, 6] = np.inf, -np.inf
        n[:, 1] = 1
        arrays["n"] = n
        n = arrays["v"].copy()
        n[5] = n[20] = np.nan
        arrays["nv"] = n
    ties = arrays["v"].copy()
    ties[[3, 9, 30]] = ties.max() if not is_complex(name) else 6 + 6j
    ties[[2, 11]] = ties.min() if not is_complex(name) else -6 - 6j
    arrays["t"] = ties
    # prod is exact too when most factors are one
    arrays["p"] = np.where(np.arange(12).reshape(3, 4) % 3 == 0, make(name, (3, 4), 99),
        np.ones((3, 4), numpy_dtype(name)))
    for tag, x in arrays.items():
        lines.append("in %s.%s %s %s %s" % (tag, name, name, text_of(x.shape), hexes(x)))
        key = "%s.%s" % (tag, name)
        for op in REDUCTIONS:
            if is_complex(name) and tag in ("n",) and op not in ("nansum", "any", "all", "count_nonzero"):
                continue
            if op in ("prod", "nanprod") and tag not in ("p", "e1", "e2", "e3", "s0", "s1", "n", "nv"):
                if name not in INTS:
                    continue
            if tag in ("l", "t") and op.startswith("nan") and "arg" not in op:
                continue
            if is_complex(name) and op in ("ptp",):
                continue
            f = getattr(np, op)
            for axes in axes_of(x.shape, name):
                emit(op, key, axes, {}, x, f)
            if tag in ("m", "c") and name in ("int32", "float32", "float64"):
                emit(op, key, (1,), {"keepdims": "true"}, x, f, keepdims=True)
        for op in SCANS:
            if op in ("cumprod", "nancumprod") and tag not in ("p", "n", "e1"):
                continue
            if is_complex(name) and tag == "n":
                continue
            for axis in [None] + list(range(x.ndim)):
                emit(op, key, None if axis is None else (axis,), {}, x,
                     lambda x, axis, f=getattr(np, op): f(x, axis=axis[0] if isinstance(axis, tuple) else axis))
        if is_float(name) and tag in ("m", "c", "v", "s0", "n"):
            for axes in axes_of(x.shape, name):
                head = "op logsumexp %s %s -" % (key, axes_text(axes))
                value = np.asarray(logsumexp(x, axis=axes))
                lines.append("%s -> %s %s %s" % (head, name, text_of(value.shape), hexes(narrow(value, name))))
    if name in ("bool", "int8", "int32", "int64", "uint8", "float16", "float32", "float64", "complex64"):
        x = arrays["m"]
        key = "m.%s" % name
        for ddof in (1, 0.5):
            for op in ("var", "std"):
                emit(op, key, (0,), {"ddof": ddof}, x, getattr(np, op), ddof=ddof)
                emit(op, key, None, {"ddof": ddof}, x, getattr(np, op), ddof=ddof)
        for op, initial in (("sum", 3), ("prod", 2), ("min", 1), ("max", 5)):
            if name == "bool" or (op == "prod" and name not in INTS):
                continue
            emit(op, key, (1,), {"initial": initial}, x, getattr(np, op), initial=initial)
            emit(op, "e2.%s" % name, (1,), {"initial": initial}, arrays["e2"], getattr(np, op), initial=initial)
        mask = np.arange(35).reshape(5, 7) % 3 != 1
        if "mask" not in MASKS:
            MASKS["mask"] = mask
            lines.append("mask mask 5x7 %s" % hexes(mask))
        for op in ("sum", "mean", "var", "std", "any", "all", "nansum", "nanmean"):
            emit(op, key, (0,), {"where": "mask"}, x, getattr(np, op), where=mask)
            emit(op, key, None, {"where": "mask"}, x, getattr(np, op), where=mask)
        for op, initial in (("min", 1), ("max", 5)):
            if name != "bool":
                emit(op, key, (1,), {"where": "mask", "initial": initial}, x, getattr(np, op), where=mask,
                    initial=initial)
    for dtype in ("int64", "float32", "float64", "complex128"):
        x = arrays["m"]
        if is_complex(name) and dtype != "complex128" or is_float(name) and dtype == "int64" or name == "bfloat16":
            continue
        for op in ("sum", "mean"):
            value = np.asarray(getattr(np, op)(x, axis=0, dtype=dtype))
            if op == "mean" and dtype == "int64":
                continue
            lines.append("op %s m.%s 1 dtype=%s -> %s %s %s" % (op, name, dtype, dtype, text_of(value.shape),
                hexes(value)))

print("\n".join(lines))
