#!/usr/bin/env python3
"""Golden values of the design of filters, their responses, spectra, other rates, smoothing, peaks and waveforms, as
Lua expressions with what SciPy gives. The form is that of expressions.py."""

import numpy as np
import scipy.signal as ss
from cases import c, case, f, r


def lua(v):
    if v is None:
        return "nil"
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, str):
        return "'%s'" % v
    if isinstance(v, dict):
        return "{" + ", ".join("%s = %s" % (k, lua(x)) for k, x in v.items()) + "}"
    if isinstance(v, (list, tuple, np.ndarray)):
        return "{" + ", ".join(lua(x) for x in v) + "}"
    if isinstance(v, complex):
        return "ma.complex(%.17g, %.17g)" % (v.real, v.imag)
    return "%.17g" % v


def in_order(x):
    return np.sort_complex(np.round(np.asarray(x, complex), 7) + 0)


def same(section, name, *args, wide=False, n=None, **kwargs):
    """The same call on both sides. wide: the results are complex128 here."""
    results = getattr(ss, name)(*args, **kwargs)
    results = list(results) if isinstance(results, tuple) else [results]
    if wide:
        results[0], results[1] = np.asarray(results[0], complex), np.asarray(results[1], complex)
    if wide and section == "sets":
        text = ", ".join([lua(a) for a in args] + ([lua(kwargs)] if kwargs else []))
        case(section, "(function(z, p, k) return sorted(z), sorted(p), k end)(ma.signal.%s(%s))" % (name, text),
             in_order(results[0]), in_order(results[1]), float(results[2]))
        return
    results = [np.asarray(x, float) if np.asarray(x).dtype.kind in "iu" else x for x in results]
    text = ", ".join([lua(a) for a in args] + ([lua(kwargs)] if kwargs else []))
    case(section, "ma.signal.%s(%s)" % (name, text), *results)


# ==== design
for n in (0, 1, 2, 5, 8):
    same("design", "buttap", n, wide=True)
    same("design", "cheb1ap", n, 1.5, wide=True)
    same("design", "cheb2ap", n, 40, wide=True)
    if n != 1:
        same("design", "ellipap", n, 1, 40, wide=True)
for n in (1, 2, 5):
    for norm in ("phase", "delay", "mag"):
        same("sets", "besselap", n, norm, wide=True)
for kind, wn in (("low", 0.3), ("high", 0.25), ("band", [0.2, 0.45]), ("stop", [0.3, 0.6])):
    for n in (1, 3, 4):
        for output in ("ba", "sos", "zpk"):
            wide = output == "zpk"
            section = "sets" if wide else "design"
            same(section, "butter", n, wn, kind, output=output, wide=wide)
            same(section, "cheby1", n, 1, wn, kind, output=output, wide=wide)
            same(section, "cheby2", n, 40, wn, kind, output=output, wide=wide)
            same(section, "ellip", n, 1, 40, wn, kind, output=output, wide=wide)
    same("design", "butter", 4, np.array(wn) * 3, kind, analog=True)
    same("design", "ellip", 3, 1, 40, np.array(wn) * 3, kind, True)
    same("design", "butter", 3, np.array(wn) * 500, kind, fs=1000)
    same("design", "bessel", 4, wn, kind)
    same("design", "bessel", 3, wn, kind, norm="mag")
same("design", "iirfilter", 5, [0.2, 0.3], rs=60, btype="band", ftype="cheby2", output="sos")
for wp, ws in ((0.2, 0.3), (0.3, 0.2), ([0.2, 0.5], [0.1, 0.6]), ([0.1, 0.6], [0.2, 0.5])):
    for name in ("buttord", "cheb1ord", "cheb2ord", "ellipord"):
        same("order", name, wp, ws, 1, 40)
    same("order", "buttord", np.array(wp) * 5, np.array(ws) * 5, 1, 40, analog=True)
    same("order", "buttord", np.array(wp) * 50, np.array(ws) * 50, 1, 40, fs=100)
    same("order", "iirdesign", wp, ws, 1, 40)
    same("order", "iirdesign", wp, ws, 2, 30, ftype="butter", output="sos")
for kind in ("butter", "cheby", "ellip"):
    case("order", "ma.signal.band_stop_obj(0.3, 1, {0.2, 0.8}, {0.4, 0.6}, 1, 40, '%s')" % kind,
         ss._filter_design.band_stop_obj(0.3, 0, np.array([0.2, 0.8]), np.array([0.4, 0.6]), 1, 40, kind))
same("design", "iirnotch", 0.3, 30)
same("design", "iirpeak", 60, 5, 200)
for ftype in ("notch", "peak"):
    same("design", "iircomb", 20, 10, ftype, fs=200)
    same("design", "iircomb", 20, 10, ftype, fs=200, pass_zero=True)
same("design", "gammatone", 440, "fir", fs=16000)
same("design", "gammatone", 440, "fir", 3, 20, 16000)
same("design", "gammatone", 440, "iir", fs=16000)
b, a = [1.0, 2, 3], [2.0, -1, 0.5, 0.25]
same("design", "normalize", [0.0, 2, 4], [2.0, 1])
for name in ("lp2lp", "lp2hp", "bilinear"):
    same("design", name, b, a, 2.5)
for name in ("lp2bp", "lp2bs"):
    same("design", name, b, a, 2.5, 0.5)
z, p = [-1.0, 0.5 + 1j, 0.5 - 1j], [-0.25, -0.3 + 0.4j, -0.3 - 0.4j, -2]
for name in ("lp2lp_zpk", "lp2hp_zpk", "bilinear_zpk"):
    same("design", name, z, p, 2.0, 2.5, wide=True)
for name in ("lp2bp_zpk", "lp2bs_zpk"):
    same("sets", name, z, p, 2.0, 2.5, 0.5, wide=True)
same("design", "zpk2tf", z, p, 2.0)
for pairing in ("nearest", "keep_odd", "minimal"):
    same("design", "zpk2sos", z + [-1.0], p, 2.0, pairing)
    same("design", "zpk2sos", [0.5], [0.25, 0.3 + 0.4j, 0.3 - 0.4j], 2.0, pairing)
    same("design", "zpk2sos", [-1, -1, -1], [0.25, 0.5, 0.6], 2.0, pairing)
same("design", "zpk2sos", [], [-1.0, -2], 2.0, analog=True)
same("design", "zpk2sos", [], [], 2.0)
same("design", "tf2sos", b, [1, -0.5, 0.25, 0.1])
same("sets", "tf2zpk", b, a, wide=True)
sos = ss.butter(5, 0.2, output="sos")
same("design", "sos2tf", sos)
same("sets", "sos2zpk", ss.ellip(4, 1, 40, 0.3, output="sos"), wide=True)
same("design", "kaiser_beta", 65.0)
same("design", "kaiser_atten", 47, 0.1)
same("design", "kaiserord", 65.0, 0.1)
for args, kwargs in (((7, 0.3), {}), ((8, 0.3), {}), ((9, [0.2, 0.5]), {}), ((9, [0.2, 0.5]), {"pass_zero": False}),
                     ((9, 0.4), {"pass_zero": False}), ((9, 0.4), {"pass_zero": "highpass"}),
                     ((9, [0.2, 0.5]), {"pass_zero": "bandstop"}), ((9, 0.3), {"window": "boxcar", "scale": False}),
                     ((9, 0.3), {"width": 0.2}), ((9, 30), {"fs": 100}), ((9, 0.3), {"window": ("kaiser", 4)})):
    same("design", "firwin", *args, **kwargs)
same("transform", "firwin2", 9, [0, 0.3, 0.5, 1], [1, 1, 0, 0])
same("transform", "firwin2", 8, [0, 0.5, 0.5, 1], [1, 1, 0, 0], window="hann")
same("transform", "firwin2", 9, [0, 0.5, 1], [0, 1, 0], antisymmetric=True)
same("transform", "firwin2", 8, [0, 0.5, 1], [0, 1, 1], nfreqs=65, antisymmetric=True)
same("design", "firls", 9, [0, 0.3, 0.5, 1], [1, 1, 0, 0])
same("design", "firls", 11, [0, 0.3, 0.5, 1], [1, 0.5, 0, 0], weight=[1, 10])
same("design", "firls", 7, [0, 30, 40, 100], [0, 1, 0, 0], fs=200)
for args in ((7, 2), (7, 3, 1), (8, 2), (9, 4, 2, 0.5)):
    same("design", "savgol_coeffs", *args)
    same("design", "savgol_coeffs", *args, use="dot")
case("design", "ma.signal.savgol_coeffs(7, 2, {pos = 2})", ss.savgol_coeffs(7, 2, pos=1))
case("design", "ma.signal.qmf(f(6))", np.array([-1 if k % 2 else 1 for k in range(6)]) * f(6)[::-1])

# ==== responses
b4, a4 = ss.butter(4, 0.3)
for kwargs in ({}, {"whole": True}, {"fs": 100}, {"include_nyquist": True}):
    case("response", "ma.signal.freqz(%s, %s, 9, %s)" % (lua(b4), lua(a4), lua(kwargs) if kwargs else "{fs = nil}"),
         *ss.freqz(b4, a4, 9, **kwargs))
case("response", "ma.signal.freqz({1, 2, 3}, 1, {0.1, 0.5, 2})", *ss.freqz([1, 2, 3], 1, [0.1, 0.5, 2]))
case("response", "ma.signal.freqz(ma.arange(100) / 100, 1, 64)", *ss.freqz(np.arange(100) / 100, 1, 64))
case("response", "ma.signal.freqz_zpk({0.5, ma.complex(0, 1)}, {0.25}, 2, 5)", *ss.freqz_zpk([0.5, 1j], [0.25], 2, 5))
case("response", "ma.signal.sosfreqz(%s, 7)" % lua(sos), *ss.sosfreqz(sos, 7))
case("response", "ma.signal.freqz_sos(%s, 7, true, 10)" % lua(sos), *ss.sosfreqz(sos, 7, True, 10))
case("response", "ma.signal.group_delay({%s, %s}, 7)" % (lua(b4), lua(a4)), *ss.group_delay((b4, a4), 7))
case("response", "ma.signal.freqs({1}, {1, 1}, 7)", *ss.freqs([1], [1, 1], 7))
case("response", "ma.signal.freqs({1, 3}, {1, 0.5, 9}, 7)", *ss.freqs([1, 3], [1, 0.5, 9], 7))
case("response", "ma.signal.freqs({1, 3}, {1, 0.5, 9}, {1, 2})", *ss.freqs([1, 3], [1, 0.5, 9], [1., 2.]))
case("response", "ma.signal.freqs_zpk({-1}, {-2, -3}, 4, 7)", *ss.freqs_zpk([-1], [-2, -3], 4, 7))
case("response", "ma.signal.findfreqs({1, 0}, {1, 8, 25}, 9)", ss._filter_design.findfreqs([1, 0], [1, 8, 25], 9))

# ==== spectra
x = np.cos(np.arange(90) ** 1.2)
lx = "ma.cos(ma.arange(90) ^ 1.2)"
y = np.sin(np.arange(90) ** 1.1)
ly = "ma.sin(ma.arange(90) ^ 1.1)"
options = ({"nperseg": 16}, {"nperseg": 16, "noverlap": 4, "fs": 10.0}, {"nperseg": 15, "nfft": 20},
           {"nperseg": 16, "detrend": "linear"}, {"nperseg": 16, "detrend": False, "scaling": "spectrum"},
           {"nperseg": 16, "return_onesided": False}, {"nperseg": 16, "average": "median"},
           {"nperseg": 32, "window": ("kaiser", 4)}, {})
for o in options:
    case("spectral", "ma.signal.welch(%s, %s)" % (lx, lua(o) if o else "1"), *ss.welch(x, **o))
    case("spectral", "ma.signal.csd(%s, %s, %s)" % (lx, ly, lua(o) if o else "1"), *ss.csd(x, y, **o))
case("spectral", "ma.signal.welch(%s:reshape(3, 30), {nperseg = 8})" % lx, *ss.welch(x.reshape(3, 30), nperseg=8))
case("spectral", "ma.signal.welch(%s:reshape(30, 3), {nperseg = 8, axis = 1})" % lx,
     *ss.welch(x.reshape(30, 3), nperseg=8, axis=0))
case("spectral", "ma.signal.welch(%s * ma.complex(1, 2), {nperseg = 8})" % lx, *ss.welch(x * (1 + 2j), nperseg=8))
case("spectral", "ma.signal.welch(%s, {window = ma.ones(8)})" % lx, *ss.welch(x, window=np.ones(8)))
for o in ({}, {"fs": 5.0, "window": "hann"}, {"nfft": 64}, {"nfft": 128}, {"scaling": "spectrum"},
          {"detrend": "linear"}):
    case("spectral", "ma.signal.periodogram(%s, %s)" % (lx, lua(o) if o else "1"), *ss.periodogram(x, **o))
case("spectral", "ma.signal.coherence(%s, %s, {nperseg = 16})" % (lx, ly), *ss.coherence(x, y, nperseg=16))
for mode in ("psd", "complex", "magnitude", "angle"):
    case("spectral", "ma.signal.spectrogram(%s, {nperseg = 32, mode = '%s'})" % (lx, mode),
         *ss.spectrogram(x, nperseg=32, mode=mode))
for o in ({"nperseg": 16}, {"nperseg": 16, "boundary": "even"}, {"nperseg": 16, "boundary": "odd"},
          {"nperseg": 16, "boundary": "constant"}, {"nperseg": 16, "boundary": None}, {"nperseg": 16, "padded": False},
          {"nperseg": 16, "noverlap": 12, "scaling": "psd"}, {"nperseg": 16, "return_onesided": False}):
    text = lua({k: "none" if v is None else v for k, v in o.items()})
    case("spectral", "ma.signal.stft(%s, %s)" % (lx, text), *ss.stft(x, **o))
case("spectral", "ma.signal.stft(%s:reshape(30, 3), {nperseg = 8, axis = 1})" % lx,
     *ss.stft(x.reshape(30, 3), nperseg=8, axis=0))
_, _, z16 = ss.stft(x, nperseg=16)
_, _, z12 = ss.stft(x, nperseg=16, noverlap=12, return_onesided=False)
case("spectral", "ma.signal.istft((select(3, ma.signal.stft(%s, {nperseg = 16}))), {nperseg = 16})" % lx,
     *ss.istft(z16, nperseg=16))
spectra = "(select(3, ma.signal.stft(%s, {nperseg = 16, noverlap = 12, return_onesided = false})))" % lx
case("spectral", "ma.signal.istft(%s, {noverlap = 12, input_onesided = false})" % spectra,
     *ss.istft(z12, noverlap=12, input_onesided=False))
_, _, z2 = ss.stft(x.reshape(2, 45), nperseg=8)
case("spectral", "(select(2, ma.signal.istft((select(3, ma.signal.stft(%s:reshape(2, 45), {nperseg = 8}))))))" % lx,
     ss.istft(z2)[1])
for kind in ("linear", "constant"):
    case("spectral", "ma.signal.detrend(f(3, 7), 2, '%s')" % kind, ss.detrend(f(3, 7), 1, kind))
    case("spectral", "ma.signal.detrend(f(7, 3), 1, '%s')" % kind, ss.detrend(f(7, 3), 0, kind))
case("spectral", "ma.signal.detrend(f(20), {bp = {5, 12}})", ss.detrend(f(20), bp=[5, 12]))
for name in ("check_COLA", "check_NOLA"):
    for window, n, m in (("hann", 16, 8), ("boxcar", 16, 5), ("hann", 16, 3), ("bartlett", 10, 5)):
        case("spectral", "ma.signal.%s('%s', %d, %d)" % (name, window, n, m), getattr(ss, name)(window, n, m))
t = np.sort(np.abs(np.sin(np.arange(40)))) * 20
case("lomb", "ma.signal.lombscargle(ma.sort(ma.abs(ma.sin(ma.arange(40)))) * 20, f(40), {0.5, 1, 2.25})",
     ss.lombscargle(t, f(40), [0.5, 1, 2.25]))
case("lomb", "ma.signal.lombscargle(ma.sort(ma.abs(ma.sin(ma.arange(40)))) * 20, f(40), {0.5, 1, 2.25}, true, true)",
     ss.lombscargle(t, f(40) - f(40).mean(), [0.5, 1, 2.25], normalize=True))
case("spectral", "ma.signal.vectorstrength(f(9), 0.75)", *ss.vectorstrength(f(9), 0.75))
case("spectral", "ma.signal.vectorstrength(f(9), {0.75, 2})", *ss.vectorstrength(f(9), [0.75, 2]))

# ==== other rates
for n in (5, 8, 9, 11, 16, 20):
    case("rates", "ma.signal.resample(f(10), %d)" % n, ss.resample(f(10), n))
    case("rates", "ma.signal.resample(f(9), %d)" % n, ss.resample(f(9), n))
    case("rates", "ma.signal.resample(c(10), %d)" % n, ss.resample(c(10), n))
    case("rates", "ma.signal.resample(f(10, 2), %d, {window = 'hamming'})" % n,
         ss.resample(f(10, 2), n, window="hamming"))
case("rates", "ma.signal.resample(f(2, 10), 15, ma.arange(10) / 4, 2)",
     *ss.resample(f(2, 10), 15, np.arange(10) / 4, 1))
for up, down in ((2, 1), (1, 2), (3, 2), (2, 5), (4, 2)):
    case("direct", "ma.signal.resample_poly(f(20), %d, %d)" % (up, down), ss.resample_poly(f(20), up, down))
    case("direct", "ma.signal.resample_poly(f(2, 20), %d, %d, 2, {padtype = 'line'})" % (up, down),
         ss.resample_poly(f(2, 20), up, down, 1, padtype="line"))
    for pad in ("mean", "median", "minimum", "maximum"):
        case("direct", "ma.signal.resample_poly(f(20), %d, %d, {padtype = '%s'})" % (up, down, pad),
             ss.resample_poly(f(20), up, down, padtype=pad))
case("direct", "ma.signal.resample_poly(f(20), 3, 2, 1, {1, 2, 1}, 'constant', 2)",
     ss.resample_poly(f(20), 3, 2, 0, [1, 2, 1], "constant", 2))
case("direct", "ma.signal.decimate(f(90), 3)", ss.decimate(f(90), 3))
case("direct", "ma.signal.decimate(f(2, 90), 4, {ftype = 'fir'})", ss.decimate(f(2, 90), 4, ftype="fir"))
case("direct", "ma.signal.decimate(f(90, 2), 3, {axis = 1, zero_phase = false})", ss.decimate(f(90, 2), 3, axis=0,
                                                                                           zero_phase=False))
case("direct", "ma.signal.decimate(f(90), 3, 20, 'fir', 1, false)", ss.decimate(f(90), 3, 20, "fir", 0, False))
for n in (8, 9):
    case("rates", "ma.signal.hilbert(f(%d))" % n, ss.hilbert(f(n)))
    case("rates", "ma.signal.hilbert(f(3, %d), 12)" % n, ss.hilbert(f(3, n), 12))
    case("rates", "ma.signal.hilbert(f(%d, 3), {axis = 1})" % n, ss.hilbert(f(n, 3), axis=0))
case("rates", "ma.signal.hilbert2(f(6, 8))", ss.hilbert2(f(6, 8)))

# ==== smoothing
for mode in ("mirror", "nearest", "constant", "wrap", "interp"):
    for length, order, deriv in ((5, 2, 0), (7, 3, 1), (6, 2, 0)):
        case("direct",
             "ma.signal.savgol_filter(f(15), %d, %d, %d, {mode = '%s', cval = 1.5})" % (length, order, deriv, mode),
             ss.savgol_filter(f(15), length, order, deriv, mode=mode, cval=1.5))
    case("direct", "ma.signal.savgol_filter(f(15, 2), 5, 2, {axis = 1, mode = '%s', delta = 0.5, deriv = 1})" % mode,
         ss.savgol_filter(f(15, 2), 5, 2, 1, 0.5, 0, mode))
case("direct", "ma.signal.medfilt(f(15))", ss.medfilt(f(15)))
case("direct", "ma.signal.medfilt(f(5, 7), {3, 5})", ss.medfilt(f(5, 7), (3, 5)))
case("direct", "ma.signal.medfilt2d(f(5, 7), 3)", ss.medfilt2d(f(5, 7), 3))
case("direct", "ma.signal.order_filter(f(5, 7), {{0, 1, 0}, {1, 1, 1}, {0, 1, 0}}, 2)",
     ss.order_filter(f(5, 7), np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), 1))
case("direct", "ma.signal.wiener(f(15))", ss.wiener(f(15)))
case("direct", "ma.signal.wiener(f(7, 8), {3, 5}, 0.25)", ss.wiener(f(7, 8), (3, 5), 0.25))

# ==== peaks
v = np.round(np.cos(np.arange(120) ** 1.3) * 8) + np.arange(120) % 7 // 3
lv = "(ma.rint(ma.cos(ma.arange(120) ^ 1.3) * 8) + ma.floor_divide(ma.arange(120) % 7, 3))"
places = {"left_bases", "right_bases", "left_edges", "right_edges", "left_ips", "right_ips"}
for o in ({}, {"height": 3}, {"height": [1, 6]}, {"threshold": 1}, {"distance": 5}, {"prominence": 2},
          {"prominence": 1, "wlen": 9}, {"width": 1}, {"width": [1, 3], "rel_height": 0.75}, {"plateau_size": 1},
          {"plateau_size": [2, 4]}, {"height": 0.25, "distance": 3, "prominence": 0.5, "width": 0.5,
              "plateau_size": 1}):
    # heights that differ, where the order of equal ones would decide
    signal, ls = (np.cos(np.arange(120) ** 1.3), "ma.cos(ma.arange(120) ^ 1.3)") if "distance" in o else (v, lv)
    peaks, found = ss.find_peaks(signal, **o)
    names = sorted(found)
    text = "(function(p, t) return p%s end)(ma.signal.find_peaks(%s%s))" % (
        "".join(", t." + n for n in names), ls, ", " + lua(o) if o else "")
    case("peaks", text, peaks + 1, *[found[n] + (n in places) for n in names])
peaks = ss.find_peaks(v)[0]
lp = "(ma.signal.find_peaks(%s))" % lv
prominence, left, right = ss.peak_prominences(v, peaks)
case("peaks", "ma.signal.peak_prominences(%s, %s)" % (lv, lp), prominence, left + 1, right + 1)
prominence, left, right = ss.peak_prominences(v, peaks, 8)
case("peaks", "ma.signal.peak_prominences(%s, %s, 8)" % (lv, lp), prominence, left + 1, right + 1)
for part in (0.5, 0.9, 0):
    w, h, left, right = ss.peak_widths(v, peaks, part)
    case("peaks", "ma.signal.peak_widths(%s, %s, %g)" % (lv, lp, part), w, h, left + 1, right + 1)
case("peaks", "(ma.signal.find_peaks({1, 1, 1}))", np.zeros(0, int))
case("peaks", "(ma.signal.find_peaks({0, ma.nan, 0, 1, 0}))", ss.find_peaks([0, np.nan, 0, 1, 0])[0] + 1)
for mode in ("clip", "wrap"):
    for order in (1, 2, 30):
        case("peaks", "ma.signal.argrelmax(f(20), 1, %d, '%s')" % (order, mode),
             ss.argrelmax(f(20), 0, order, mode)[0] + 1)
        case("peaks", "ma.signal.argrelmin(f(6, 5), 2, %d, '%s')" % (order, mode),
             *[p + 1 for p in ss.argrelmin(f(6, 5), 1, order, mode)])
case("peaks", "ma.signal.argrelextrema(f(20), ma.greater_equal)", ss.argrelextrema(f(20), np.greater_equal)[0] + 1)

# ==== waveforms
t = np.arange(-20, 40) / 4
lt = "(ma.arange(-20, 40) / 4)"
for width in (1, 0, 0.25, 0.5):
    case("wave", "ma.signal.sawtooth(%s, %g)" % (lt, width), ss.sawtooth(t, width))
    case("wave", "ma.signal.square(%s, %g)" % (lt, width), ss.square(t, width))
case("wave", "ma.signal.square(%s, f(60))" % lt, ss.square(t, f(60)))
case("wave", "ma.signal.gausspulse(%s / 1000, {retquad = true, retenv = true})" % lt,
     *ss.gausspulse(t / 1000, retquad=True, retenv=True))
case("wave", "ma.signal.gausspulse('cutoff', 5)", ss.gausspulse("cutoff", 5))
for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
    case("wave", "ma.signal.chirp(%s, 1, 5, 3, '%s', 30)" % (lt, method), ss.chirp(t, 1, 5, 3, method, 30))
    case("wave", "ma.signal.chirp(%s, 3, 5, 1, '%s', {vertex_zero = false})" % (lt, method),
         ss.chirp(t, 3, 5, 1, method, vertex_zero=False))
case("wave", "ma.signal.sweep_poly(%s, {0.025, -0.36, 1.25, 2})" % lt,
     ss.sweep_poly(t, np.poly1d([0.025, -0.36, 1.25, 2])))
case("wave", "ma.signal.unit_impulse(5)", ss.unit_impulse(5))
case("wave", "ma.signal.unit_impulse({3, 4}, 'mid', 'int32')", ss.unit_impulse((3, 4), "mid", "int32"))
case("wave", "ma.signal.unit_impulse({3, 4}, {2, 3})", ss.unit_impulse((3, 4), (1, 2)))
for n in (2, 5, 8):
    case("wave", "ma.signal.max_len_seq(%d)" % n, *ss.max_len_seq(n))
case("wave", "ma.signal.max_len_seq(5, {1, 0, 1, 0, 0}, 12, {3})", *ss.max_len_seq(5, [1, 0, 1, 0, 0], 12, [3]))
