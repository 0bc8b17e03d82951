#!/usr/bin/env python3
"""Golden values of splines, wavelets, partial fractions and systems, as Lua expressions with what SciPy gives, or for
wavelets, which SciPy has no more, what their formulas give. The form is that of expressions.py."""

import numpy as np
import scipy.signal as ss
from cases import c, case, f, r


# ==== splines
for x, lx in ((f(40), "f(40)"), (f(7), "f(7)"), (f(2), "f(2)")):
    case("spline", "ma.signal.cspline1d(%s)" % lx, ss.cspline1d(x))
    case("spline", "ma.signal.qspline1d(%s)" % lx, ss.qspline1d(x))
case("spline", "ma.signal.cspline1d(f(1))", ss.cspline1d(f(1)))
case("spline", "ma.signal.qspline1d(f(1))", ss.qspline1d(f(1)))
case("spline", "ma.signal.cspline1d(f(40), 2.5)", ss.cspline1d(f(40), 2.5))
case("spline", "ma.signal.cspline1d_eval(f(9), ma.arange(-40, 60) / 4)",
     ss.cspline1d_eval(f(9), np.arange(-40, 60) / 4))
case("spline", "ma.signal.qspline1d_eval(f(9), ma.arange(-40, 60) / 4)",
     ss.qspline1d_eval(f(9), np.arange(-40, 60) / 4))
case("spline", "ma.signal.cspline1d_eval(f(9), {1, 2.25, 4}, 0.5, 1)",
     ss.cspline1d_eval(f(9), np.array([1, 2.25, 4]), 0.5, 1))
case("spline", "ma.signal.cspline2d(f(30, 28))", ss.cspline2d(f(30, 28)))
case("spline", "ma.signal.qspline2d(f(30, 28))", ss.qspline2d(f(30, 28)))
case("spline", "ma.signal.sepfir2d(f(6, 7), {1, 2, 3}, {1, 0, 2, 0.5, 1})",
     ss.sepfir2d(f(6, 7), [1.0, 2, 3], [1.0, 0, 2, 0.5, 1]))
case("spline", "ma.signal.symiirorder1(f(40), 0.5, 0.4)", ss.symiirorder1(f(40), 0.5, 0.4))
case("spline", "ma.signal.symiirorder1(f(3, 40), 0.5, -0.3)", ss.symiirorder1(f(3, 40), 0.5, -0.3))
case("smooth", "ma.signal.symiirorder2(f(40), 0.5, 0.8)", ss.symiirorder2(f(40), 0.5, 0.8))
case("spline", "ma.signal.gauss_spline(f(5), 3)", ss.gauss_spline(f(5), 3))


def smoothed(x, lam):
    """Both axes convolved with the response of the smoothing spline, over the signal mirrored at its ends."""
    root = np.sqrt(3 + 144 * lam)
    xi = 1 - 96 * lam + 24 * lam * root
    omega = np.arctan(np.sqrt((144 * lam - 1) / xi))
    r = (24 * lam - 1 - np.sqrt(xi)) / (24 * lam) * np.sqrt((48 * lam + 24 * lam * root) / xi)
    gain = 1 - 2 * r * np.cos(omega) + r * r
    c0 = gain**2 * (1 + r * r) / (1 - r * r) / (1 - 2 * r * r * np.cos(2 * omega) + r**4)
    k = np.arange(-100, 101)
    h = c0 * r**abs(k) * (np.cos(omega * abs(k)) + (1 - r * r) / (1 + r * r) / np.tan(omega) * np.sin(omega * abs(k)))
    for axis in (0, 1):
        wide = np.pad(x, [(100, 100) if d == axis else (0, 0) for d in (0, 1)], "symmetric")
        x = np.apply_along_axis(np.convolve, axis, wide, h, "valid")
    return x


# SciPy ends its sums where the square of a term is below 1e-11, which is too early.
case("spline", "ma.signal.cspline2d(f(30, 28), 0.5)", smoothed(f(30, 28), 0.5))
taps = np.array([1, 4, 1]) / 6
case("spline", "ma.signal.spline_filter(f(30, 28), 0.5)", ss.sepfir2d(smoothed(f(30, 28), 0.5), taps, taps))

# ==== wavelets
x = np.linspace(-1.5 * 2 * np.pi, 1.5 * 2 * np.pi, 9)
for complete in (True, False):
    wave = np.exp(6j * x) - (np.exp(-18) if complete else 0)
    case("wavelet", "ma.signal.morlet(9, 6, 1.5, %s)" % str(complete).lower(),
         wave * np.exp(-0.5 * x**2) * np.pi**-0.25)
x = (np.arange(9) - 4) / 2
case("wavelet", "ma.signal.morlet2(9, 2, 3)", np.sqrt(0.5) * np.exp(3j * x) * np.exp(-0.5 * x**2) * np.pi**-0.25)


def ricker(n, a):
    x = np.arange(n) - (n - 1) / 2
    return 2 / (np.sqrt(3 * a) * np.pi**0.25) * (1 - x**2 / a**2) * np.exp(-x**2 / (2 * a**2))


case("wavelet", "ma.signal.ricker(9, 2)", ricker(9, 2))
case("wavelet", "ma.signal.cwt(f(40), ma.signal.ricker, {1, 2, 5})",
     np.array([np.convolve(f(40), ricker(min(10 * w, 40), w)[::-1], "same") for w in (1, 2, 5)]))


# ==== partial fractions, forms, discrete time
def lua(v):
    if isinstance(v, (list, tuple, np.ndarray)):
        return "{" + ", ".join(lua(x) for x in v) + "}"
    if isinstance(v, complex):
        return "ma.complex(%.17g, %.17g)" % (v.real, v.imag)
    return "'%s'" % v if isinstance(v, str) else "%.17g" % v


def wide(results, *places):
    return [np.asarray(x, complex if k in places else float) for k, x in enumerate(results)]


for b, a in (([1, 2], [1, 3, 2]), ([5, 3, -2, 7], [-4, 0, 8, 3]), ([1, 2, 3, 4, 5], [1, 3, 2]), ([1], [1, 2, 1]),
             ([2, 1], [1, 4, 5, 2])):
    residues, poles, direct = ss.residue(b, a)
    case("fractions", "ma.signal.residue(%s, %s)" % (lua(b), lua(a)), *wide((residues, poles, direct), 0, 1))
    case("fractions", "ma.signal.invres(%s, %s, %s)" % (lua(residues), lua(poles), lua(direct)),
         *[np.real(x) for x in ss.invres(residues, poles, direct)])
for b, a in (([1, 2], [1, -0.75, 0.125]), ([1, 2, 3, 4], [2, -0.75, 0.125]), ([1], [1, -1, 0.25])):
    residues, poles, direct = ss.residuez(b, a)
    case("fractions", "ma.signal.residuez(%s, %s)" % (lua(b), lua(a)), *wide((residues, poles, direct), 0, 1))
    case("fractions", "ma.signal.invresz(%s, %s, %s)" % (lua(residues), lua(poles), lua(direct)),
         *[np.real(x) for x in ss.invresz(residues, poles, direct)])
for kind in ("min", "max", "avg"):
    case("fractions", "ma.signal.unique_roots({0, 1.3, 1.31, 2.8, 1.25, 2.2, 10.3}, 0.1, '%s')" % kind,
         *ss.unique_roots([0, 1.3, 1.31, 2.8, 1.25, 2.2, 10.3], 0.1, kind))
A, B, C, D = [[0, 1, 0], [-2, -3, 1], [0, 0.5, -1]], [[0, 1], [1, 0], [2, 1]], [[1, 0, 2], [0, 1, 1]], [[0, 1], [2, 0]]
A, B, C, D = [np.array(m, float) for m in (A, B, C, D)]
case("forms", "ma.signal.tf2ss({1, 2}, {2, 3, 4})", *ss.tf2ss([1, 2], [2, 3, 4]))
case("forms", "ma.signal.tf2ss({1, 2, 5}, {2, 3, 4})", *ss.tf2ss([1, 2, 5], [2, 3, 4]))
case("forms", "ma.signal.tf2ss({{0, 1, 2}, {1, 0, 3}}, {2, 3, 4})", *ss.tf2ss([[0, 1, 2], [1, 0, 3]], [2, 3, 4]))
for k in (0, 1):
    case("forms", "ma.signal.ss2tf(%s, %s, %s, %s, %d)" % (lua(A), lua(B), lua(C), lua(D), k + 1),
         *ss.ss2tf(A, B, C, D, k))
case("forms", "ma.signal.zpk2ss({-1}, {-2, -3}, 5)", *ss.zpk2ss([-1], [-2, -3], 5))
case("forms", "ma.signal.abcd_normalize(%s, {{1}, {2}, {3}}, %s)" % (lua(A), lua(C)),
     *ss._lti_conversion.abcd_normalize(A, [[1.0], [2], [3]], C, None))
for method, alpha in (("zoh", None), ("foh", None), ("bilinear", None), ("euler", None), ("backward_diff", None),
                      ("gbt", 0.3)):
    extra = ", 0.3" if alpha else ""
    case("forms", "ma.signal.cont2discrete({%s, %s, %s, %s}, 0.25, '%s'%s)" % (lua(A), lua(B), lua(C), lua(D), method,
                                                                             extra),
         *ss.cont2discrete((np.array(A), np.array(B), np.array(C), np.array(D)), 0.25, method, alpha))
    case("forms", "ma.signal.cont2discrete({{1, 2}, {2, 3, 4}}, 0.25, '%s'%s)" % (method, extra),
         *ss.cont2discrete(([1, 2], [2, 3, 4]), 0.25, method, alpha))
case("forms", "ma.signal.cont2discrete({%s, %s, %s, {{0, 0}, {0, 0}}}, 0.25, 'impulse')" % (lua(A), lua(B), lua(C)),
     *ss.cont2discrete((np.array(A), np.array(B), np.array(C), np.zeros((2, 2))), 0.25, "impulse"))

# ==== systems
t = np.arange(12) / 4
lt = "(ma.arange(12) / 4)"
for ls, system in (("{{1, 2}, {1, 3, 5}}", ([1, 2], [1, 3, 5])), ("{{-1}, {-2, -3}, 4}", ([-1], [-2, -3], 4)),
                   ("{%s, {{0}, {1}, {2}}, {{1, 0, 2}}, {{3}}}" % lua(A), (A, [[0], [1], [2]], [[1, 0, 2]], [[3]]))):
    case("systems", "ma.signal.lsim(%s, f(12), %s)" % (ls, lt), *ss.lsim(system, f(12), t))
    case("systems", "ma.signal.lsim(%s, f(12), %s, {interp = false})" % (ls, lt),
         *ss.lsim(system, f(12), t, interp=False))
    case("systems", "ma.signal.impulse(%s, {T = %s})" % (ls, lt), *ss.impulse(system, T=t))
    case("systems", "ma.signal.impulse(%s, {N = 9})" % ls, *ss.impulse(system, N=9))
    case("systems", "ma.signal.step(%s, {T = %s})" % (ls, lt), *ss.step(system, T=t))
    case("systems", "ma.signal.step(%s, {N = 9})" % ls, *ss.step(system, N=9))
    case("systems", "ma.signal.freqresp(%s, {0.5, 1, 3})" % ls, *ss.freqresp(system, [0.5, 1, 3]))
    case("systems", "ma.signal.bode(%s, {0.5, 1, 3})" % ls, *ss.bode(system, [0.5, 1, 3]))
case("systems", "ma.signal.lsim({{1}, {1, 3, 5}}, f(12), %s, {1, 2})" % lt,
     *ss.lsim(([1], [1, 3, 5]), f(12), t, [1, 2]))
case("systems", "ma.signal.freqresp({{1}, {1, 3, 5}}, {n = 7})", *ss.freqresp(([1], [1, 3, 5]), n=7))
for ls, system in (("{{1, 2}, {1, -0.5, 0.25}, 0.5}", ([1, 2], [1, -0.5, 0.25], 0.5)),
                   ("{{0.5}, {0.25, -0.5}, 4, 0.5}", ([0.5], [0.25, -0.5], 4, 0.5)),
                   ("{%s, %s, %s, %s, 0.5}" % (lua(A / 4), lua(B), lua(C), lua(D)), (A / 4, B, C, D, 0.5))):
    u, lu = (f(12, 2), "f(12, 2)") if len(system) == 5 else (f(12), "f(12)")
    case("systems", "ma.signal.dlsim(%s, %s)" % (ls, lu), *ss.dlsim(system, u))
    case("systems", "ma.signal.dlsim(%s, %s, %s)" % (ls, lu, lt), *ss.dlsim(system, u, t))
    for name in ("dimpulse", "dstep"):
        times, responses = getattr(ss, name)(system, n=7)
        case("systems", "(function(t, y) return t, y[1] end)(ma.signal.%s(%s, {n = 7}))" % (name, ls),
             times, responses[0])
    if len(system) < 5:
        case("systems", "ma.signal.dfreqresp(%s, {0.5, 1, 3})" % ls, *ss.dfreqresp(system, [0.5, 1, 3]))
        case("systems", "ma.signal.dbode(%s, {0.5, 1, 3})" % ls, *ss.dbode(system, [0.5, 1, 3]))
