#!/usr/bin/env python3
"""Golden values of filters, convolutions, spectra, rates and windows over random signals.
usage: audit_signal.py [CALLS [SEED]]"""
import warnings

import numpy as np
from scipy import signal

import audit

warnings.simplefilter("ignore")
A = audit.Audit(2700)
print("# made by audit_signal.py")
DTYPES = ["float64", "float64", "float32", "int32", "uint8", "complex128", "complex64"]


def samples(shape=None, dtypes=DTYPES, longest=7):
    return A.elements(shape or A.shape(1, 2, longest, empty=0), A.pick(*dtypes), special=0)


def near(*arrays, worse=1):
    narrow = any(x.dtype in (np.float32, np.complex64) for x in arrays)
    return {"tol": (2e-5 if narrow else 1e-11) * worse, "scale": "norm"}


def axis_of(x):
    d = A.whole(-x.ndim, x.ndim - 1)
    return d, d + 1 if d >= 0 else d


def convolutions():
    n = A.whole(1, 3)
    shape = [A.shape(n, n, 5, empty=0) for _ in range(2)]
    x, y = (samples(s) for s in shape)
    mode = A.pick("full", "same", "valid")
    name = A.pick("convolve", "correlate", "fftconvolve", "oaconvolve", "convolve2d", "correlate2d")
    if name in ("convolve", "correlate"):
        method = A.pick("auto", "direct", "fft")
        if method != "direct" and x.dtype.kind in "iu" and y.dtype.kind in "iu":
            method = "direct"
        A.attempt("signal." + name, lambda: getattr(signal, name)(x, y, mode, method),
                  [A.layout(x), A.layout(y), mode, method], loose=True, **dict(near(x, y), scale=50))
    elif name.endswith("2d"):
        if name == "correlate2d" and mode == "valid" and "c" in (x.dtype.kind, y.dtype.kind):
            return                                             # SciPy conjugates the other one if they are swapped
        if n == 2:
            boundary = A.pick("fill", "wrap", "symm")
            fill = A.pick(0, 1)
            A.attempt("signal." + name, lambda: getattr(signal, name)(x, y, mode, boundary, fill),
                      [A.layout(x), A.layout(y), mode, boundary, fill], loose=True, **dict(near(x, y), scale=50))
    else:
        A.attempt("signal." + name, lambda: getattr(signal, name)(x, y, mode), [A.layout(x), A.layout(y), mode],
                  loose=True, **near(x, y, worse=10))


def coefficients(n):
    b = A.elements((A.whole(1, n),), "float64", special=0)
    a = A.elements((A.whole(1, n),), "float64", special=0) / 40
    a[0] = A.pick(1.0, 2.0, -0.5)
    return b, a


def filters():
    x = samples(longest=9)
    d, axis = axis_of(x)
    b, a = coefficients(4)
    name = A.pick("lfilter", "lfilter", "sosfilt", "filtfilt", "sosfiltfilt", "deconvolve", "detrend", "savgol_filter",
                  "medfilt", "hilbert", "order_filter")
    if name == "lfilter":
        if A.chance(0.4) and x.dtype.kind == "f":
            shape = list(x.shape)
            shape[d] = max(len(a), len(b)) - 1
            zi = A.elements(tuple(shape), "float64", special=0)
            if zi.size:
                A.attempt("signal.lfilter", lambda: signal.lfilter(b, a, x, d, zi), [b, a, A.layout(x), axis, zi],
                          loose=True, **near(x))
            return
        A.attempt("signal.lfilter", lambda: signal.lfilter(b, a, x, d), [b, a, A.layout(x), axis], loose=True,
                  **near(x))
    elif name == "filtfilt":
        options = {"padtype": A.pick("odd", "even", "constant"), "padlen": A.pick(0, 1, 2)}
        if np.abs(b).max() > 0 and b[0] != 0 and x.dtype.kind != "u":        # SciPy's odd extension wraps
            A.attempt("signal.filtfilt", lambda: signal.filtfilt(b, a, x, d, **options),
                      [b, a, A.layout(x), dict(options, axis=axis)], loose=True, **near(x, worse=10))
    elif name in ("sosfilt", "sosfiltfilt"):
        if x.dtype.kind == "u":
            return
        sos = signal.butter(A.whole(1, 4), A.whole(1, 9) / 10, A.pick("low", "high"), output="sos")
        A.attempt("signal." + name, lambda: getattr(signal, name)(sos, x, d), [sos, A.layout(x), axis], loose=True,
                  **near(x, worse=10))
    elif name == "deconvolve":
        if x.ndim == 1 and x.dtype == np.float64:
            y = A.elements((A.whole(1, 4),), "float64", special=0)
            y[0] = A.pick(1.0, 2.0, -4.0)
            A.attempt("signal.deconvolve", lambda: tuple(np.asarray(v, np.float64) for v in signal.deconvolve(x, y)),
                      [A.layout(x), y], tol=1e-9, scale=1e3)
    elif name == "detrend":
        kind = A.pick("linear", "constant")
        A.attempt("signal.detrend", lambda: signal.detrend(x, d, kind), [A.layout(x), axis, kind],
                  tol=1e-4 if x.dtype in (np.float32, np.complex64) else 1e-11, scale=10, loose=True)
    elif name == "savgol_filter":
        length = A.whole(1, 7)
        order = A.whole(0, length - 1)
        mode = A.pick("mirror", "nearest", "constant", "wrap", "interp")
        options = {"deriv": A.pick(0, 0, 1), "mode": mode, "axis": d}
        if x.dtype.kind != "c":
            A.attempt("signal.savgol_filter", lambda: signal.savgol_filter(x, length, order, **options),
                      [A.layout(x), length, order, dict(options, axis=axis)], loose=True,
                      **dict(near(x, worse=100), scale=10))
    elif name == "hilbert":
        if x.dtype.kind != "c":
            A.attempt("signal.hilbert", lambda: signal.hilbert(x, axis=d), [A.layout(x), {"axis": axis}], loose=True,
                      **near(x))
    elif x.dtype.kind != "c":
        size = A.pick(1, 3, [A.pick(1, 3, 5) for _ in range(x.ndim)])
        if name == "medfilt":
            A.attempt("signal.medfilt", lambda: signal.medfilt(x, size), [A.layout(x), size])
        else:
            domain = A.elements(tuple(A.pick(1, 3) for _ in range(x.ndim)), "bool")
            rank = A.whole(0, max(int(domain.sum()) - 1, 0))
            if domain.any():
                A.attempt("signal.order_filter", lambda: signal.order_filter(x, domain * 1.0, rank),
                          [A.layout(x), domain * 1.0, rank + 1])


def rates():
    x = samples(longest=8)
    d, axis = axis_of(x)
    name = A.pick("resample", "resample_poly", "upfirdn", "decimate")
    if name == "resample":
        num = A.whole(1, 20)
        A.attempt("signal.resample", lambda: signal.resample(x, num, axis=d), [A.layout(x), num, {"axis": axis}],
                  loose=True, **near(x))
        return
    if x.shape[d] < 2 or x.dtype.kind == "c" and name != "upfirdn":
        return
    if name == "resample_poly":
        up, down = A.whole(1, 5), A.whole(1, 5)
        padtype = A.pick("constant", "line", "mean", "median", "maximum", "minimum", "edge", "wrap", "reflect",
                         "symmetric", "smooth", "antisymmetric", "antireflect")
        if padtype == "median" and x.ndim > 1 or x.dtype.kind == "u":        # SciPy's differences wrap
            return
        A.attempt("signal.resample_poly", lambda: signal.resample_poly(x, up, down, axis=d, padtype=padtype),
                  [A.layout(x), up, down, {"axis": axis, "padtype": padtype}], loose=True,
                  **dict(near(x, worse=10), scale=10))
    elif name == "upfirdn":
        h = A.elements((A.whole(1, 6),), "float64", special=0)
        up, down = A.whole(1, 4), A.whole(1, 4)
        mode = A.pick("constant", "edge", "wrap", "reflect", "symmetric", "smooth", "antisymmetric", "antireflect",
                      "line")
        A.attempt("signal.upfirdn", lambda: signal.upfirdn(h, x, up, down, d, mode),
                  [h, A.layout(x), up, down, axis, {"mode": mode}], loose=True, **dict(near(x), scale=100))


def spectra():
    n = A.whole(8, 14)
    x = A.elements((n,) if A.chance(0.9) else (2, n), A.pick("float64", "float32", "complex128"), special=0)
    name = A.pick("welch", "periodogram", "csd", "spectrogram", "stft", "coherence")
    options = {"fs": A.pick(1.0, 10.0), "window": A.pick("hann", "boxcar", "hamming")}
    if name != "coherence":
        options["scaling"] = A.pick("density", "spectrum") if name != "stft" else A.pick("psd", "spectrum")
        options["detrend"] = A.pick("constant", "linear", False)
    if name != "periodogram":
        options["nperseg"] = A.pick(4, 7, 8)
        if name == "stft":
            options["detrend"] = False
    how = {"tol": 1e-4 if x.dtype == np.float32 else 1e-10, "scale": "norm", "loose": True}
    if name in ("csd", "coherence"):
        y = A.elements(x.shape, "float64", special=0)
        if name == "coherence":
            return
        A.attempt("signal.csd", lambda: signal.csd(x, y, **options), [A.layout(x), A.layout(y), options], **how)
    else:
        A.attempt("signal." + name, lambda: getattr(signal, name)(x, **options), [A.layout(x), options], **how)


def windows():
    n = A.whole(0, 12)
    name = A.pick("boxcar", "triang", "blackman", "hamming", "hann", "bartlett", "flattop", "parzen", "bohman",
                  "blackmanharris", "nuttall", "barthann", "cosine", "tukey", "gaussian", "kaiser", "exponential",
                  "general_hamming", "taylor", "lanczos", "chebwin")
    more = {"gaussian": [A.pick(1.0, 2.5)], "kaiser": [A.pick(0.5, 8.0)], "general_hamming": [0.6],
            "chebwin": [50.0]}.get(name, [])
    sym = A.chance(0.5)
    A.attempt("signal.windows." + name, lambda: getattr(signal.windows, name)(n, *more, sym=sym),
              [n] + more + [{"sym": sym}], tol=1e-10, scale=1)


def peaks():
    x = A.elements((A.whole(1, 24),), A.pick("float64", "float32", "int32", "uint8", "int8"), special=0)
    name = A.pick("find_peaks", "find_peaks", "peak_prominences", "argrelmax", "argrelmin")
    if name == "find_peaks":
        options = {}
        for key, value in (("height", A.pick(0, [-2, 3])), ("threshold", 0.5), ("distance", A.whole(1, 4)),
                           ("prominence", A.pick(0, 2)), ("width", A.pick(0, 1)), ("plateau_size", A.pick(1, 2))):
            if A.chance(0.3):
                options[key] = value
        heights = x[signal.find_peaks(x)[0]]
        if "distance" in options and len(set(heights)) < len(heights):
            return                                             # SciPy keeps any of two equal ones
        python = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}

        def results():
            p, found = signal.find_peaks(x, **python)
            for key in ("left_bases", "right_bases", "left_ips", "right_ips", "left_edges", "right_edges"):
                if key in found:
                    found[key] = found[key] + 1
            return p + 1, found

        A.attempt("signal.find_peaks", results, [A.layout(x), options], tol=1e-12)
    elif name == "peak_prominences":
        p, _ = signal.find_peaks(x)
        if len(p):
            A.attempt("signal.peak_prominences", lambda: (lambda a, b, c: (a, b + 1, c + 1))(
                *signal.peak_prominences(x, p)), [A.layout(x), p + 1], tol=1e-12)
    else:
        order, mode = A.whole(1, 3), A.pick("clip", "wrap")
        A.attempt("signal." + name, lambda: getattr(signal, name)(x, order=order, mode=mode)[0] + 1,
                  [A.layout(x), {"order": order, "mode": mode}], loose=True)


def designs():
    name = A.pick("butter", "cheby1", "cheby2", "ellip", "bessel", "firwin", "freqz", "group_delay", "tf2zpk_back",
                  "tf2sos_response")
    order, kind = A.whole(1, 5), A.pick("lowpass", "highpass", "bandpass", "bandstop")
    wn = [0.2, 0.45] if kind.startswith("band") else A.pick(0.2, 0.5, 0.7)
    more = {"cheby1": [1.0], "cheby2": [30.0], "ellip": [1.0, 40.0]}.get(name, [])
    if name in ("butter", "cheby1", "cheby2", "ellip", "bessel"):
        A.attempt("signal." + name, lambda: getattr(signal, name)(order, *more, wn, kind), [order] + more + [wn, kind],
                  tol=1e-7, scale="norm")
    elif name == "firwin":
        n = A.whole(3, 15) | 1
        A.attempt("signal.firwin", lambda: signal.firwin(n, wn, pass_zero=kind), [n, wn, {"pass_zero": kind}],
                  tol=1e-10, scale="norm")
    elif name == "freqz":
        b, a = coefficients(4)
        A.attempt("signal.freqz", lambda: signal.freqz(b, a, 4), [b, a, 4], tol=1e-10, scale="norm")
    elif name == "tf2zpk_back":
        b, a = coefficients(6)
        if b[0] != 0 and a.size:
            A.attempt("back", lambda: (b / a[0], a / a[0]), [b, a], tol=1e-12, scale="norm", loose=True)


for k in range(A.calls):
    A.pick(convolutions, convolutions, filters, filters, filters, rates, spectra, windows, peaks, designs)()
