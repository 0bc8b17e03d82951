#!/usr/bin/env python3
"""Golden values of windows, convolutions, filters over signals and cupyx.signal's functions, as Lua expressions with
what SciPy gives, or for cupyx.signal what its formulas give in NumPy. The form is that of expressions.py."""

import numpy as np
import scipy.signal as ss
from cases import c, case, f, r


# ==== windows
plain = ("barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen "
         "triang").split()
for name in plain:
    for m in (0, 1, 2, 7, 8):
        case("windows", "ma.signal.windows.%s(%d)" % (name, m), getattr(ss.windows, name)(m))
        if m > 1:
            case("windows", "ma.signal.windows.%s(%d, false)" % (name, m), getattr(ss.windows, name)(m, sym=False))
for lua, python in (("chebwin(9, 100)", ss.windows.chebwin(9, 100)), ("chebwin(8, 60)", ss.windows.chebwin(8, 60)),
                    ("chebwin(8, 60, false)", ss.windows.chebwin(8, 60, False)),
                    ("exponential(7)", ss.windows.exponential(7)),
                    ("exponential(7, 0, 2.5, false)", ss.windows.exponential(7, 0, 2.5, False)),
                    ("gaussian(8, 1.5)", ss.windows.gaussian(8, 1.5)),
                    ("gaussian(8, 2, {sym = false})", ss.windows.gaussian(8, 2, False)),
                    ("general_cosine(8, {0.4, 0.3, 0.2})", ss.windows.general_cosine(8, [0.4, 0.3, 0.2])),
                    ("general_gaussian(7, 1.5, 2)", ss.windows.general_gaussian(7, 1.5, 2)),
                    ("general_hamming(7, 0.75)", ss.windows.general_hamming(7, 0.75)),
                    ("kaiser(9, 8.6)", ss.windows.kaiser(9, 8.6)), ("kaiser(8, 0)", ss.windows.kaiser(8, 0)),
                    ("kaiser(8, 4, false)", ss.windows.kaiser(8, 4, False)),
                    ("kaiser_bessel_derived(8, 4)", ss.windows.kaiser_bessel_derived(8, 4)),
                    ("taylor(9)", ss.windows.taylor(9)), ("taylor(8, 5, 40, false)",
                        ss.windows.taylor(8, 5, 40, False)),
                    ("taylor(8, {nbar = 1})", ss.windows.taylor(8, 1)),
                    ("tukey(11)", ss.windows.tukey(11)), ("tukey(8, 0.3)", ss.windows.tukey(8, 0.3)),
                    ("tukey(8, 0)", ss.windows.tukey(8, 0)), ("tukey(8, 1, false)", ss.windows.tukey(8, 1, False))):
    case("windows", "ma.signal.windows." + lua, python)
for lua, python in (("'hann', 8", ("hann", 8)), ("'hann', 8, false", ("hann", 8, False)),
                    ("{'kaiser', 4}, 8", (("kaiser", 4), 8)), ("4.5, 7", (4.5, 7)), ("'tukey', 9", ("tukey", 9)),
                    ("{'tukey', 0.2}, 9", (("tukey", 0.2), 9)), ("'ham', 6", ("ham", 6)),
                    ("{'general gaussian', 1.5, 2}, 6", (("general gaussian", 1.5, 2), 6)),
                    ("'blackman_symmetric', 6", ("blackman_symmetric", 6))):
    case("windows", "ma.signal.get_window(%s)" % lua, ss.get_window(*python))

# ==== convolution
for mode in ("full", "same", "valid"):
    for la, lb, a, b in (("r(7)", "r(3)", r(7), r(3)), ("r(3)", "r(8)", r(3), r(8)), ("f(9)", "f(4)", f(9), f(4)),
                         ("c(6)", "c(3)", c(6), c(3)), ("f(4, 6)", "f(2, 3)", f(4, 6), f(2, 3)),
                         ("r(5, 6)", "r(3, 2)", r(5, 6), r(3, 2)), ("f(3, 4, 5)", "f(2, 2, 3)", f(3, 4, 5), f(2, 2, 3)),
                         ("f(2, 3)", "f(4, 6)", f(2, 3), f(4, 6)), ("f(5):astype('float32')", "f(3)",
                                                                     f(5).astype("float32"), f(3))):
        for name in ("convolve", "correlate"):
            for method in ("direct", "fft") if "float32" not in la else ("direct",):
                if name == "correlate" and mode == "same" and a.size < b.size:
                    continue                # SciPy's two methods differ there
                case("convolve", "ma.signal.%s(%s, %s, '%s', '%s')" % (name, la, lb, mode, method),
                     getattr(ss, name)(a, b, mode, method))
    case("convolve", "ma.signal.correlation_lags(7, 3, '%s')" % mode, ss.correlation_lags(7, 3, mode))
    case("convolve", "ma.signal.correlation_lags(4, 8, '%s')" % mode, ss.correlation_lags(4, 8, mode))
    for name in ("fftconvolve", "oaconvolve"):
        case("convolve", "ma.signal.%s(f(40), f(3), '%s')" % (name, mode), getattr(ss, name)(f(40), f(3), mode))
        case("convolve", "ma.signal.%s(f(3), f(50), '%s')" % (name, mode), getattr(ss, name)(f(3), f(50), mode))
        case("convolve", "ma.signal.%s(f(3, 40), f(3, 5), '%s', {axes = 2})" % (name, mode),
             getattr(ss, name)(f(3, 40), f(3, 5), mode, axes=1))
        case("convolve", "ma.signal.%s(f(3, 40), f(1, 5), '%s', 2)" % (name, mode),
             getattr(ss, name)(f(3, 40), f(1, 5), mode, axes=1))
        case("convolve", "ma.signal.%s(f(6, 60), c(2, 4), '%s')" % (name, mode),
             getattr(ss, name)(f(6, 60), c(2, 4), mode))
    for boundary in ("fill", "wrap", "symm"):
        for name in ("convolve2d", "correlate2d"):
            for la, lb, a, b in (("f(4, 5)", "f(3, 2)", f(4, 5), f(3, 2)), ("r(4, 5)", "r(2, 3)", r(4, 5), r(2, 3)),
                                 ("c(3, 4)", "c(2, 2)", c(3, 4), c(2, 2))):
                case("convolve", "ma.signal.%s(%s, %s, '%s', '%s')" % (name, la, lb, mode, boundary),
                     getattr(ss, name)(a, b, mode, boundary))
    case("convolve", "ma.signal.convolve2d(f(4, 5), f(3, 2), '%s', 'fill', 1.5)" % mode,
         ss.convolve2d(f(4, 5), f(3, 2), mode, "fill", 1.5))
case("convolve", "ma.signal.correlate2d(f(2, 2), f(4, 5), 'valid')", ss.correlate2d(f(2, 2), f(4, 5), "valid"))
case("convolve", "ma.signal.convolve(f(3) * 0 + ma.nan, f(2), 'full', 'direct')", np.full(4, np.nan))

# ==== filters over signals
b4, a4 = ss.butter(4, 0.3)
b3 = [0.25, 0.5, 0.25]
a3 = [2.0, -1.5, 0.75]
sos = ss.butter(5, 0.2, output="sos")


def table(v):
    v = np.asarray(v)
    if v.ndim == 2:
        return "{" + ", ".join(table(row) for row in v) + "}"
    return "{" + ", ".join("%.17g" % x for x in v) + "}"


for la, lb, a, b in ((table(a4), table(b4), a4, b4), (table(a3), table(b3), np.array(a3), np.array(b3)),
                     ("{1, -0.5}", "{1}", np.array([1, -0.5]), np.array([1.0])),
                     ("{4}", table(b3), np.array([4.0]), np.array(b3)),
                     ("{1, 0, 0, 0.25}", "{1, 2}", np.array([1, 0, 0, 0.25]), np.array([1.0, 2]))):
    for lx, x in (("f(30)", f(30)), ("f(3, 12)", f(3, 12)), ("f(12, 3)", f(12, 3)), ("c(20) / 8", c(20) / 8)):
        axis = 0 if x.shape[0] == 12 else x.ndim - 1
        case("filter", "ma.signal.lfilter(%s, %s, %s, %d)" % (lb, la, lx, axis + 1), ss.lfilter(b, a, x, axis))
        if x.dtype.kind == "f" and x.shape[axis] > 3 * max(len(a), len(b)):
            for pad in ("odd", "even", "constant"):
                case("filter", "ma.signal.filtfilt(%s, %s, %s, %d, '%s')" % (lb, la, lx, axis + 1, pad),
                     ss.filtfilt(b, a, x, axis, pad))
            case("filter", "ma.signal.filtfilt(%s, %s, %s, %d, 'none')" % (lb, la, lx, axis + 1),
                 ss.filtfilt(b, a, x, axis, None))
    order = max(len(a), len(b)) - 1
    case("filter", "ma.signal.lfilter(%s, %s, f(9), 1, f(%d))" % (lb, la, order), *ss.lfilter(b, a, f(9), 0, f(order)))
    case("filter", "ma.signal.lfilter(%s, %s, f(9, 2), 1, f(%d, 2))" % (lb, la, order),
         *ss.lfilter(b, a, f(9, 2), 0, f(order, 2)))
    case("filter", "ma.signal.lfilter(%s, %s, f(2, 1), 2, f(2, %d))" % (lb, la, order),
         *ss.lfilter(b, a, f(2, 1), 1, f(2, order)))
    case("filter", "ma.signal.lfilter_zi(%s, %s)" % (lb, la), ss.lfilter_zi(b, a))
    case("filter", "ma.signal.lfiltic(%s, %s, {1, 2}, {3})" % (lb, la), ss.lfiltic(b, a, [1, 2], [3]))
    case("gust", "ma.signal.filtfilt(%s, %s, f(40), {method = 'gust'})" % (lb, la),
         ss.filtfilt(b, a, f(40), method="gust"))
    case("gust", "ma.signal.filtfilt(%s, %s, f(2, 40), {method = 'gust', irlen = 12})" % (lb, la),
         ss.filtfilt(b, a, f(2, 40), method="gust", irlen=12))
case("filter", "ma.signal.lfilter(%s, %s, f(30):astype('float32'))" % (table(b4), table(a4)),
     ss.lfilter(b4, a4, f(30)).astype("float32"))
case("filter", "ma.signal.lfilter(ma.array(%s), %s, f(30):astype('float32'))" % (table(b4), table(a4)),
     ss.lfilter(b4, a4, f(30)))
case("filter", "ma.signal.lfilter({1, 2}, {1, ma.complex(0.25, 0.5)}, f(20))",
     ss.lfilter([1, 2], [1, 0.25 + 0.5j], f(20)))
case("filter", "ma.signal.lfilter({1}, {1, 0.5}, r(10))", ss.lfilter([1], [1, 0.5], r(10)))
case("filter", "ma.signal.lfilter({1}, {1, 0.5}, ma.zeros({2, 0}))", np.zeros((2, 0)))
case("filter", "ma.signal.lfilter({1}, {1, 0.5}, {1, ma.nan, 1})", ss.lfilter([1], [1, 0.5], [1, np.nan, 1]))
t = table(sos)
case("filter", "ma.signal.sosfilt(%s, f(30))" % t, ss.sosfilt(sos, f(30)))
case("filter", "ma.signal.sosfilt(%s, f(9, 3), 1)" % t, ss.sosfilt(sos, f(9, 3), 0))
case("filter", "ma.signal.sosfilt(%s, c(9, 3), 1)" % t, ss.sosfilt(sos, c(9, 3), 0))
case("filter", "ma.signal.sosfilt(%s, f(9), 1, f(3, 2))" % t, *ss.sosfilt(sos, f(9), 0, f(3, 2)))
case("filter", "ma.signal.sosfilt(%s, f(2, 9, 2), 2, f(3, 2, 2, 2))" % t,
     *ss.sosfilt(sos, f(2, 9, 2), 1, f(3, 2, 2, 2)))
case("filter", "ma.signal.sosfilt_zi(%s)" % t, ss.sosfilt_zi(sos))
case("filter", "ma.signal.sosfiltfilt(%s, f(40))" % t, ss.sosfiltfilt(sos, f(40)))
case("filter", "ma.signal.sosfiltfilt(%s, f(40, 2), 1, 'even', 5)" % t, ss.sosfiltfilt(sos, f(40, 2), 0, "even", 5))
many = ss.butter(21, 0.3, output="sos")
case("filter", "ma.signal.sosfilt(%s, f(30), 1, ma.zeros({11, 2}))" % table(many),
     *ss.sosfilt(many, f(30), 0, np.zeros((11, 2))))
case("filter", "ma.signal.deconvolve(f(9), {2, 1, 0.5})", *ss.deconvolve(f(9), [2, 1, 0.5]))
case("filter", "ma.signal.deconvolve(f(2), {2, 1, 0.5})", *ss.deconvolve(f(2), [2, 1, 0.5]))
for up, down in ((1, 1), (2, 1), (1, 3), (3, 2), (5, 4)):
    case("filter", "ma.signal.upfirdn(f(7), f(2, 11), %d, %d)" % (up, down), ss.upfirdn(f(7), f(2, 11), up, down))
    case("filter", "ma.signal.upfirdn(f(7), f(11, 2), %d, %d, 1)" % (up, down), ss.upfirdn(f(7), f(11, 2), up, down, 0))
    case("filter", "ma.signal.upfirdn(c(4), f(11), %d, %d)" % (up, down), ss.upfirdn(c(4), f(11), up, down))
    for mode in ("constant", "wrap", "edge", "symmetric", "reflect"):
        python = {"edge": "constant"}.get(mode, "constant" if mode == "constant" else mode)
        value = {"edge": None}.get(mode, 0)
        if mode == "constant":
            case("filter", "ma.signal.upfirdn(f(5), f(11), %d, %d, {mode = 'constant', cval = 1.5})" % (up, down),
                 ss.upfirdn(f(5), f(11), up, down, mode="constant", cval=1.5))
        elif mode != "edge":
            case("filter", "ma.signal.upfirdn(f(5), f(11), %d, %d, {mode = '%s'})" % (up, down, python),
                 ss.upfirdn(f(5), f(11), up, down, mode=python))

# ==== cupyx.signal's names, by their formulas
x24 = f(4, 6) + 1j * f(4, 6)[::-1]
lx24 = "(f(4, 6) + f(4, 6)['::-1'] * ma.complex(0, 1))"


def compression(x, template, normalize, window, nfft):
    if window is not None:
        template = template * ss.get_window(window, len(template))
    if normalize:
        template = template / np.linalg.norm(template)
    nfft = nfft or x.shape[1]
    return np.fft.ifft(np.fft.fft(x, nfft) * np.conj(np.fft.fft(template, nfft)), nfft)


for normalize, window, nfft in ((False, None, None), (True, None, None), (True, "hamming", 8)):
    case("cupyx", "ma.signal.pulse_compression(%s, f(5), %s, %s, %s)" % (
        lx24, str(normalize).lower(), "'%s'" % window if window else "nil", nfft or "nil"),
        compression(x24, f(5), normalize, window, nfft))
for window, nfft in ((None, None), ("hann", None), (("kaiser", 3), 8)):
    x = x24 if window is None else x24 * ss.get_window(window, 4)[:, None]
    lua = {None: "nil", "hann": "'hann'"}.get(window, "{'kaiser', 3}")
    case("cupyx", "ma.signal.pulse_doppler(%s, %s, %s)" % (lx24, lua, nfft or "nil"), np.fft.fft(x, nfft, axis=0))
case("cupyx", "ma.signal.cfar_alpha(0.001, 16)", 16 * (0.001 ** (-1 / 16) - 1))


def cfar(a, guard, reference, pfa):
    ndim = a.ndim
    guard, reference = np.broadcast_to(guard, ndim), np.broadcast_to(reference, ndim)
    reach = guard + reference
    threshold = np.zeros(a.shape)
    for place in np.ndindex(a.shape):
        if any(p < e or p >= n - e for p, e, n in zip(place, reach, a.shape)):
            continue
        around = a[tuple(slice(p - e, p + e + 1) for p, e in zip(place, reach))]
        beside = a[tuple(slice(p - e, p + e + 1) for p, e in zip(place, guard))]
        n = around.size - beside.size
        threshold[place] = (around.sum() - beside.sum()) * (pfa ** (-1 / n) - 1)
    return threshold, a - threshold > 0


noise = np.abs(f(40)) + 0.1
noise[17] = 90
case("cupyx", "ma.signal.ca_cfar(ma.where(ma.arange(40):eq(17), 90, ma.abs(f(40)) + 0.1), 1, 4)",
     *cfar(noise, 1, 4, 1e-3))
image = np.abs(f(14, 15)) + 0.1
image[6, 7] = 400
case("cupyx", "ma.signal.ca_cfar(ma.where(ma.arange(210):reshape(14, 15):eq(97), 400, "
     "ma.abs(f(14, 15)) + 0.1), {1, 0}, {2, 3}, 0.01)", *cfar(image, (1, 0), (2, 3), 0.01))
wave = np.cos(np.arange(60).reshape(3, 20) ** 1.3) + 1j * np.sin(np.arange(60).reshape(3, 20) ** 1.7)
lwave = ("(ma.cos(ma.arange(60):reshape(3, 20) ^ 1.3) + ma.sin(ma.arange(60):reshape(3, 20) ^ 1.7) * ma.complex(0, 1))")
steer = np.exp(1j * np.arange(3)[:, None])
lsteer = "ma.exp(ma.arange(3):reshape(3, 1) * ma.complex(0, 1))"
cov = np.cov(wave)
w = np.linalg.inv(cov) @ steer
case("inverse", "ma.signal.mvdr(%s, %s)" % (lwave, lsteer), w / (steer.conj().T @ w))
x = np.cos(np.arange(16) ** 1.5) + 2 * (np.arange(16) == 3)
lx = "(ma.cos(ma.arange(16) ^ 1.5) + ma.arange(16):eq(3) * 2)"


def unwrapped(phase):
    n = phase.shape[-1]
    u = np.unwrap(phase)
    center = (n + 1) // 2
    delay = np.round(u[..., center] / np.pi)
    return u - np.pi * delay[..., None] * np.arange(n) / center, delay


spectrum = np.fft.fft(x)
phase, delay = unwrapped(np.angle(spectrum))
ceps = np.fft.ifft(np.log(np.abs(spectrum)) + 1j * phase).real
case("cupyx", "ma.signal.real_cepstrum(%s)" % lx, np.fft.ifft(np.log(np.abs(spectrum))).real)
case("cupyx", "ma.signal.real_cepstrum(%s, 20)" % lx, np.fft.ifft(np.log(np.abs(np.fft.fft(x, 20)))).real)
case("cupyx", "ma.signal.complex_cepstrum(%s)" % lx, ceps, delay)
case("cupyx", "ma.signal.inverse_complex_cepstrum(ma.signal.complex_cepstrum(%s))" % lx, x)
for n in (16, 15):
    y = x[:n]
    odd = n % 2
    weight = np.concatenate(([1.0], 2 * np.ones((n + odd) // 2 - 1), np.ones(1 - odd), np.zeros((n + odd) // 2 - 1)))
    real = np.fft.ifft(np.log(np.abs(np.fft.fft(y)))).real
    case("cupyx", "ma.signal.minimum_phase(%s[{{1, %d}}], %d)" % (lx, n, n),
         np.fft.ifft(np.exp(np.fft.fft(weight * real))).real)
taps = ss.firwin(31, [0.2, 0.5, 0.7, 0.9])
for method in ("homomorphic", "hilbert"):
    case("cupyx" if method == "homomorphic" else "least", "ma.signal.minimum_phase(%s, '%s')" % (table(taps), method),
         ss.minimum_phase(taps, method))
case("cupyx", "ma.signal.minimum_phase(%s, {half = false, n_fft = 1024})" % table(taps),
     ss.minimum_phase(taps, "homomorphic", 1024, half=False))
case("cupyx", "ma.signal.freq_shift(f(9), 3, 20)", f(9) * np.exp(-2j * np.pi * 3 / 20 * np.arange(9)))


def channels(x, h, n):
    taps, points = len(h) // n, len(x) // n
    h = np.conj(h.reshape(taps, n))
    y = np.empty((n, points), complex)
    register = np.zeros((n, taps), complex)
    for k in range(points):
        register[:, 1:] = register[:, :-1]
        register[:, 0] = np.conj(x[k * n:k * n + n][::-1])
        y[:, k] = np.conj(np.fft.fft(np.sum(register * h.T, axis=1)))
    return y


case("cupyx", "ma.signal.channelize_poly(c(26) / 8, f(12), 4)", channels(c(26) / 8, f(12), 4))
case("cupyx", "ma.signal.channelize_poly(f(20), f(8), 4)", channels(f(20), f(8), 4))


def higher(x, h):
    most = max(h.shape)
    y = np.zeros(len(x) - most + 1)
    for n in range(len(y)):
        for place in np.ndindex(h.shape):
            y[n] += h[place] * np.prod([x[n + w - 1 - k] for k, w in zip(place, h.shape)])
    return y


case("cupyx", "ma.signal.convolve1d2o(f(12), f(3, 3))", higher(f(12), f(3, 3)))
case("cupyx", "ma.signal.convolve1d2o(f(12), f(2, 4), 'valid', 'direct')", higher(f(12), f(2, 4)))
case("cupyx", "ma.signal.convolve1d3o(f(12), f(3, 3, 3))", higher(f(12), f(3, 3, 3)))
case("cupyx", "ma.signal.convolve1d3o(f(12), f(2, 3, 4))", higher(f(12), f(2, 3, 4)))
case("cupyx", "ma.signal.firfilter({1, 2, 3}, f(8))", ss.lfilter([1, 2, 3], 1, f(8)))
case("cupyx", "ma.signal.firfilter({1, 2, 3}, f(8), 1, {1, 2})", *ss.lfilter([1, 2, 3], 1, f(8), 0, [1, 2]))
case("cupyx", "ma.signal.firfilter({1, 2, 3}, f(1), 1, {1, 2})", *ss.lfilter([1, 2, 3], 1, f(1), 0, [1, 2]))
case("cupyx", "ma.signal.firfilter_zi({1, 2, 3})", ss.lfilter_zi([1, 2, 3], 1))
case("cupyx", "ma.signal.firfilter2({1, 2, 3}, f(20))", ss.filtfilt([1, 2, 3], 1, f(20)))
