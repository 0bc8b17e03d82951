#!/usr/bin/env python3
"""Golden values of scipy.fft's functions over lengths, axes, norms, dtypes. usage: audit_fft.py [CALLS [SEED]]"""
import warnings

import numpy as np
from scipy import fft

import audit

warnings.simplefilter("ignore")
A = audit.Audit(2700)
print("# made by audit_fft.py")


def wanted(x):
    """float16 is computed in float32 on both sides, other numbers in float64."""
    return {"tol": 4e-6 if x.dtype in (np.float16, np.float32, np.complex64) else 1e-13, "scale": "norm"}


def one():
    name = A.pick("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst")
    dtypes = ["float64", "float32", "int32", "uint8", "bool"]
    if name not in ("rfft", "ihfft"):
        dtypes += ["complex64", "complex128"]
    x = A.elements(A.shape(1, 3, 5, empty=0.03), A.pick(*dtypes), special=0.03)
    if x.dtype == bool and name in ("dct", "idct", "dst", "idst"):
        x = x.astype(np.float64)
    d = A.whole(-x.ndim, x.ndim - 1)
    n = A.pick(None, None, A.whole(1, 9))
    norm = A.pick(None, "backward", "ortho", "forward")
    options = {k: v for k, v in {"n": n, "norm": norm}.items() if v is not None}
    if name[-3:] in ("dct", "dst"):
        options["type"] = A.whole(1, 4)
        if A.chance(0.2) and x.dtype.kind != "c":              # of complex numbers SciPy forgets it
            options["norm"], options["orthogonalize"] = "ortho", A.chance(0.5)
    if not np.isfinite(x).all() or options.get("type") == 1 and (n or x.shape[d]) == 1:
        return
    A.attempt("fft." + name, lambda: getattr(fft, name)(x, axis=d, **options),
              [A.layout(x), dict(options, axis=d + 1 if d >= 0 else d)], **wanted(x))


def many():
    name = A.pick("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn", "dctn", "idctn",
                  "dstn", "idstn")
    dtypes = ["float64", "float32", "int16"] + (["complex64", "complex128"] if name[0] != "r" else [])
    x = A.elements(A.shape(2, 3, 4, empty=0.03), A.pick(*dtypes), special=0)
    axes = A.random.sample(range(x.ndim), 2 if "2" in name else A.whole(1, x.ndim))
    s = [A.whole(1, 4) for _ in axes] if A.chance(0.4) else None
    options = {k: v for k, v in {"s": s, "norm": A.pick(None, "ortho", "forward")}.items() if v is not None}
    if A.chance(0.3) and not ("2" in name or s):
        axes = None
    if name[:4] in ("dctn", "idct", "dstn", "idst"):
        options["type"] = A.whole(1, 4)
    if options.get("type") == 1 and 1 in (s or x.shape):
        return
    if name.startswith("irfft") and s is None and x.shape[-1 if axes is None else axes[-1]] < 2:
        return                                                 # NumPy's error in place of no elements
    lua = dict(options)
    if axes is not None:
        options["axes"], lua["axes"] = axes, [d + 1 for d in axes]
    A.attempt("fft." + name, lambda: getattr(fft, name)(x, **options), [A.layout(x), lua], **wanted(x))


def shifts():
    name = A.pick("fftshift", "ifftshift", "fftfreq", "rfftfreq", "next_fast_len")
    if name.endswith("shift"):
        x = A.elements(A.shape(1, 3), A.pick("float32", "int64", "complex128", "bool"))
        axes = A.pick(None, [A.whole(0, x.ndim - 1)])
        A.attempt("fft." + name, lambda: getattr(fft, name)(x, axes=axes),
                  [A.layout(x)] + ([] if axes is None else [[d + 1 for d in axes]]))
    elif name.endswith("freq"):
        n, d = A.whole(1, 30), A.pick(1.0, 0.5, 3.0)
        A.attempt("fft." + name, lambda: getattr(fft, name)(n, d), [n, d], tol=1e-15)


for k in range(A.calls):
    A.pick(one, one, one, many, many, shifts)()
