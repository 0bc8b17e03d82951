"""The special functions of special.py: for each its mpmath formula, the ranges of its arguments, and its edges."""
import math
from dataclasses import dataclass, field
from typing import Callable

import mpmath
from mpmath import mp, mpf

inf, nan = float("inf"), float("nan")


@dataclass
class Function:
    name: str
    formula: Callable
    ranges: list                                    # (count, sampler of each operand); special.draw says what they are
    points: list = field(default_factory=list)      # chosen points
    edges: list = field(default_factory=list)       # where SciPy's values are taken
    fixed: tuple = ()                               # operands that are whole numbers: no derivative by them
    of: str = ""                                    # SciPy's name, if it is another


functions = []


def add(*args, **options):
    functions.append(Function(*args, **options))


def log(low, high):
    return ("log", low, high)


def slog(low, high):
    return ("slog", low, high)


def lin(low, high):
    return ("lin", low, high)


def whole(low, high):
    return ("int", low, high)


def wholes(low, high):
    return ("intlog", low, high)


def draw(random_numbers, sampler):
    kind, low, high = sampler
    if kind == "choice":
        return float(random_numbers.choice(low))
    if kind == "int":
        return float(random_numbers.randint(low, high))
    if kind == "lin":
        return random_numbers.uniform(low, high)
    x = math.exp(random_numbers.uniform(math.log(low), math.log(high)))
    if kind == "intlog":
        return float(round(x))
    if kind == "half":                   # 1 minus a number of any size
        return 1 - x
    return x if kind == "log" else random_numbers.choice((x, -x))


def real(z):
    """What mpmath gives with an imaginary part of rounding errors."""
    if abs(mp.im(z)) > abs(z) * mpf(10) ** -30:
        raise ValueError("complex")
    return mp.re(z)


usual = [0.0, -0.0, inf, -inf, nan]
pi = mp.pi

# ---- elementary ----
add("expit", lambda x: 1 / (1 + mp.exp(-x)), [(30, [lin(-40, 40)]), (20, [slog(1e-300, 700)])], edges=usual)
add("log_expit", lambda x: -mp.log1p(mp.exp(-x)), [(30, [lin(-40, 40)]), (20, [slog(1e-300, 700)])], edges=usual)
add("logit", lambda p: mp.log(p / (1 - p)), [(30, [lin(0, 1)]), (20, [log(1e-300, 1)]), (10, [("half", 1e-15, 0.1)])],
    points=[0.5, 0.3, 0.65], edges=usual + [1.0, 1.5, -0.5])
add("exprel", lambda x: mp.expm1(x) / x, [(30, [lin(-30, 30)]), (30, [slog(1e-17, 715)])], edges=[0.0, inf, nan])
add("exp10", lambda x: mp.mpf(10) ** x, [(40, [lin(-30, 30)]), (20, [slog(1e-30, 300)])], edges=usual)
add("xlogy", lambda x, y: x * mp.log(y), [(30, [slog(1e-10, 1e10), log(1e-300, 1e300)]),
    (30, [lin(-9, 9), log(1e-9, 1e9)])],
    edges=[(0., 0.), (0., nan), (0., inf), (1., 0.), (nan, 1.), (2., -1.)])
add("xlog1py", lambda x, y: x * mp.log1p(y), [(30, [slog(1e-10, 1e10), log(1e-300, 1e300)]),
    (30, [lin(-9, 9), log(1e-9, 1e9)])],
    edges=[(0., -1.), (0., nan), (1., -1.), (nan, 1.), (2., -2.)])
add("boxcox", lambda x, l: mp.expm1(l * mp.log(x)) / l, [(40, [log(1e-5, 1e5), slog(1e-15, 5)])],
    edges=[(2., 0.), (0., 1.), (0., -1.), (0., 0.), (-1., 1.), (nan, 1.), (1., nan)])
add("boxcox1p", lambda x, l: mp.expm1(l * mp.log1p(x)) / l, [(40, [log(1e-200, 1e5), slog(1e-15, 5)])],
    edges=[(2., 0.), (0., 1.), (-1., 1.), (-1., -1.), (nan, 1.)])
add("inv_boxcox", lambda y, l: mp.exp(mp.log1p(l * y) / l), [(40, [log(1e-5, 50), log(1e-10, 5)])],
    edges=[(2., 0.), (0., 1.), (-1., 1.), (nan, 1.)])
add("inv_boxcox1p", lambda y, l: mp.expm1(mp.log1p(l * y) / l), [(40, [log(1e-200, 50), log(1e-10, 5)])],
    edges=[(2., 0.), (0., 1.), (nan, 1.)])
add("cosm1", lambda x: -2 * mp.sin(x / 2) ** 2, [(30, [lin(-10, 10)]), (20, [slog(1e-140, 1e6)])], edges=[0.0, nan])
degree = pi / 180
add("sindg", lambda x: mp.sin(x * pi / 180), [(40, [lin(-800, 800)]), (20, [slog(1e-200, 1e9)])],
    points=[30.0, 45.0, 90.0, 180.0, 270.0], edges=[0.0, nan])
add("cosdg", lambda x: mp.cos(x * pi / 180), [(40, [lin(-800, 800)]), (20, [slog(1e-200, 1e9)])],
    points=[60.0, 45.0, 90.0, 180.0, 270.0], edges=[0.0, nan])
add("tandg", lambda x: mp.tan(x * pi / 180), [(40, [lin(-800, 800)]), (20, [slog(1e-200, 1e9)])],
    points=[30.0, 45.0, 135.0], edges=[0.0, 180.0, nan])
add("cotdg", lambda x: mp.cot(x * pi / 180), [(40, [lin(-800, 800)]), (20, [slog(1e-200, 1e9)])],
    points=[30.0, 45.0, 135.0], edges=[90.0, nan])
add("radian", lambda d, m, s: (d + m / 60 + s / 3600) * pi / 180, [(30, [lin(0, 360), lin(0, 60), lin(0, 60)])],
    edges=[(nan, 1., 1.), (0., 0., 0.)])
add("entr", lambda x: -x * mp.log(x), [(50, [log(1e-200, 1e100)]), (10, [lin(0.9, 1.1)])],
    edges=[0.0, -1.0, -inf, nan, 1.0])
add("rel_entr", lambda x, y: x * mp.log(x / y), [(40, [log(1e-100, 1e100), log(1e-100, 1e100)]),
    (20, [lin(1, 1.1), lin(1, 1.1)])], edges=[(0., 0.), (0., 1.), (1., 0.), (-1., 1.), (nan, 1.), (1., nan), (1., -1.)])
add("kl_div", lambda x, y: x * mp.log(x / y) - x + y, [(40, [log(1e-50, 1e50), log(1e-50, 1e50)]),
    (20, [lin(1, 1.1), lin(1, 1.1)]), (20, [lin(1, 3), lin(1, 3)])],
    edges=[(0., 0.), (0., 1.), (1., 0.), (-1., 1.), (nan, 1.), (1., nan)])
add("huber", lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), [(50, [log(1e-3, 1e3), slog(1e-3, 1e3)])],
    edges=[(-1., 1.), (0., 1.), (nan, 1.), (1., nan)])
add("pseudo_huber", lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1), [(50, [log(1e-5, 1e5), slog(1e-8, 1e8)])],
    edges=[(-1., 1.), (0., 1.), (1., 0.)])

# ---- erf ----
add("erf", mp.erf, [(40, [lin(-6, 6)]), (20, [slog(1e-300, 10)])], edges=usual)
add("erfc", mp.erfc, [(60, [lin(-6, 26)]), (10, [slog(1e-300, 10)])], edges=usual)
add("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x), [(40, [lin(-26, 30)]), (30, [log(1e-10, 1e100)])],
    points=[11.999, 12.0, 12.001], edges=usual)


def erfcinv(y):
    """Newton's steps on log(erfc) from what a double knows."""
    import scipy.special
    if y > 1:
        return -erfcinv(2 - y)
    x = mpf(float(scipy.special.erfcinv(float(y)))) if y > 1e-300 else mp.sqrt(-mp.log(y))
    for _ in range(8):
        e = mp.erfc(x)
        x += (mp.log(e) - mp.log(y)) * e * mp.sqrt(pi) / 2 * mp.exp(x * x)
    return x


add("erfi", mp.erfi, [(40, [lin(-6, 6)]), (30, [slog(1e-300, 26.6)])], points=[1.0, 26.64], edges=usual)
add("dawsn", lambda x: mp.sqrt(pi) / 2 * mp.exp(-x * x) * mp.erfi(x), [(40, [lin(-6, 6)]), (40, [slog(1e-300, 1e12)])],
    points=[0.9241388730045917, 1.0, 1.5019752682685503], edges=usual)
add("erfinv", lambda y: erfcinv(1 - y) if y > 0 else -erfcinv(1 + y), [(40, [lin(-1, 1)]), (15, [slog(1e-30, 1)]),
    (15, [("half", 1e-15, 0.1)])], edges=[0.0, -0.0, 1.0, -1.0, 1.5, nan])
add("erfcinv", erfcinv, [(40, [lin(0, 2)]), (30, [log(1e-300, 1)])], edges=[0.0, 1.0, 2.0, 2.5, -1.0, nan])
add("ndtr", mp.ncdf, [(60, [lin(-30, 9)]), (20, [slog(1e-100, 10)])], edges=usual)
add("ndtri", lambda p: -mp.sqrt(2) * erfcinv(2 * p), [(40, [lin(0, 1)]), (30, [log(1e-300, 1)])],
    edges=[0.0, 0.5, 1.0, 1.5, -1.0, nan])
add("log_ndtr", lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2) if x < 2 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2),
    [(40, [lin(-30, 9)]), (30, [slog(1e-100, 1e3)]), (10, [lin(9, 30)])], edges=[inf, -inf, nan])

# ---- gamma ----
real_gamma = [(50, [lin(-10, 33)]), (20, [lin(-160, 170)]), (20, [slog(1e-300, 10)])]
add("gamma", mp.gamma, real_gamma, points=[1.0, 2.0, 3.0, 171.5, -170.5],
    edges=[0.0, -0.0, inf, -inf, nan, -3.0, 172.0])
add("gammaln", lambda x: mp.log(abs(mp.gamma(x))), real_gamma + [(20, [log(1, 1e300)])],
    points=[1.0, 2.0, 3.0, 1.0001, 1.9999, -2.4570247], edges=[0.0, -3.0, inf, -inf, nan])
add("gammasgn", lambda x: mp.sign(mp.gamma(x)), [(40, [lin(-60, 20)])], edges=[0.0, -0.0, inf, -inf, nan, -3.0])
add("loggamma", mp.loggamma, [(40, [lin(0, 40)]), (20, [log(1e-300, 1e300)])], edges=[-1.5, inf, nan])
add("rgamma", mp.rgamma, real_gamma, points=[1.0, 2.0, 3.0], edges=[0.0, -3.0, inf, nan])
add("digamma", lambda x: mp.psi(0, x),
    [(50, [lin(-10, 33)]), (20, [lin(-160, 170)]), (20, [slog(1e-200, 10)]), (10, [log(1, 1e300)])],
    points=[1.4616321449683622, 1.4616321, 1.0, 10.0, -0.504083], edges=[0.0, -0.0, inf, -inf, nan, -3.0])

# ---- integrals ----
add("exp1", mp.e1, [(40, [log(1e-300, 700)]), (30, [lin(0, 4)])], points=[1.0, 1.0000001], edges=[0.0, inf, nan])
add("expi", mp.ei, [(30, [slog(1e-300, 700)]), (30, [lin(0, 2)]), (20, [lin(-20, 60)])],
    points=[0.37250741078136663, 40.0, 715.0], edges=[0.0, inf, -inf, nan])
add("expn", mp.expint, [(60, [whole(0, 60), log(1e-5, 100)]), (20, [wholes(1, 1e6), log(1e-3, 100)])], fixed=(0,),
    edges=[(0., 0.), (1., 0.), (2., 0.), (3., 0.), (2., inf), (2., nan)])
both = [(40, [lin(-30, 30)]), (30, [slog(1e-200, 1e6)])]
add("sici_si", mp.si, both, points=[4.0, 4.0001])
add("sici_ci", lambda x: mp.ci(abs(x)), both, points=[4.0, 4.0001, 0.6165054856207162, 3.3841804225511864])
add("shichi_shi", mp.shi, [(40, [lin(-60, 60)]), (30, [slog(1e-200, 700)])])
add("shichi_chi", lambda x: mp.chi(abs(x)), [(40, [lin(-60, 60)]), (30, [slog(1e-200, 700)])],
    points=[0.5238225713898644])

# ---- zeta ----


def hurwitz(x, q):
    """The Euler-Maclaurin sum: mpmath's own loses digits where q is large."""
    a, total = q, mpf(0)
    while a < 100 + x:
        total += a ** -x
        a += 1
    total += a ** (1 - x) / (x - 1) + a ** -x / 2
    return total + sum(mp.bernoulli(2 * k) / mp.factorial(2 * k) * mp.rf(x, 2 * k - 1) * a ** (1 - x - 2 * k)
                       for k in range(1, 25))


add("hurwitz_zeta", hurwitz, [(60, [lin(1, 40), log(1e-3, 1e3)]), (20, [lin(1, 3), lin(0, 20)]),
    (10, [lin(40, 200), lin(1, 60)])],
    edges=[(1., 2.), (2., 0.), (2., -1.), (nan, 1.), (2., nan), (0.5, 1.)], of="zeta")
add("riemann_zeta", mp.zeta, [(40, [lin(-30, 30)]), (20, [lin(-150, 10)]), (10, [slog(1e-10, 1)])],
    points=[0.0, 0.999999, 1.000001], edges=[1.0, inf, nan], of="zeta")
add("zetac", lambda x: mp.zeta(x) - 1, [(40, [lin(-30, 30)]), (20, [lin(-150, 60)]), (10, [slog(1e-10, 1)])],
    points=[0.0, 0.999999, 1.000001], edges=[1.0, inf, nan])
add("polygamma", mp.psi, [(50, [whole(0, 12), log(1e-3, 1e3)]), (20, [whole(1, 5), lin(-10, -0.1)])], fixed=(0,),
    edges=[(1., nan), (1., inf)])

# ---- elliptic ----
add("ellipk", mp.ellipk, [(40, [lin(-10, 1)]), (20, [("half", 1e-12, 0.5)]), (10, [slog(1e-200, 1)])],
    edges=[1.0, 1.5, -inf, nan])
add("ellipkm1", lambda p: pi / 2 / mp.agm(1, mp.sqrt(p)), [(40, [log(1e-300, 1)]), (10, [lin(0, 20)])],
    edges=[0.0, -1.0, inf, nan])
add("ellipe", mp.ellipe, [(40, [lin(-10, 1)]), (20, [("half", 1e-12, 0.5)]), (10, [slog(1e-200, 1)]),
    (10, [lin(-1e6, 0)])], edges=[1.0, 1.5, -inf, nan])
add("ellipkinc", mp.ellipf, [(60, [lin(-20, 20), lin(-3, 1)]), (20, [slog(1e-100, 1.5), lin(0, 1)]),
    (10, [lin(0, 1.5), lin(-1e4, 0)])], edges=[(0., 0.5), (1., 1.5), (nan, 0.5), (1., nan), (inf, 0.5), (1.6, 1.)])
add("ellipeinc", mp.ellipe, [(60, [lin(-20, 20), lin(-3, 1)]), (20, [slog(1e-100, 1.5), lin(0, 1)]),
    (10, [lin(0, 1.5), lin(-1e4, 0)])], edges=[(0., 0.5), (1., 1.5), (nan, 0.5), (1., nan)])
jacobi = [(50, [lin(-10, 10), lin(0, 1)]), (10, [lin(-3, 3), log(1e-12, 1e-6)])]
add("ellipj_sn", lambda u, m: mp.ellipfun("sn", u, m=m), jacobi)
add("ellipj_cn", lambda u, m: mp.ellipfun("cn", u, m=m), jacobi)
add("ellipj_dn", lambda u, m: mp.ellipfun("dn", u, m=m), jacobi)

# ---- bessel ----
near, far = (40, [lin(0, 30)]), (30, [log(1e-100, 1e8)])
add("j0", lambda x: mp.besselj(0, x), [near, far, (20, [lin(-10, 0)])],
    points=[2.404825557695773, 5.0, 5.520078110286311], edges=[0.0, -0.0, nan])
add("j1", lambda x: mp.besselj(1, x), [near, far, (20, [lin(-10, 0)])], points=[3.8317059702075125, 5.0],
    edges=[0.0, -0.0, nan])
add("y0", lambda x: mp.bessely(0, x), [near, far], points=[0.8935769662791675, 5.0], edges=[0.0, nan, -1.0])
add("y1", lambda x: mp.bessely(1, x), [near, far], points=[2.197141326031017, 5.0], edges=[0.0, nan, -1.0])
add("yn", mp.bessely, [(60, [whole(-5, 20), lin(0.5, 50)])], fixed=(0,), edges=[(2., 0.), (2., nan)])


def spherical(n, z):
    return mp.sqrt(pi / (2 * z)) * mp.bessely(n + 0.5, z)


add("spherical_yn_value", spherical, [(50, [whole(0, 20), lin(0.5, 50)])], fixed=(0,), of="spherical_yn",
    edges=[(0., 0.), (2., 0.), (2., inf), (2., nan)])
add("spherical_yn_slope", lambda n, z: n / z * spherical(n, z) - spherical(n + 1, z),
    [(40, [whole(0, 20), lin(0.5, 50)])], fixed=(0,))

# ---- bessel_modified ----
scaled = [(40, [lin(-20, 20)]), (20, [slog(1e-100, 1e8)])]
add("i0e", lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), scaled, points=[8.0], edges=usual)
add("i1e", lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), scaled, points=[8.0], edges=usual)
add("i1", lambda x: mp.besseli(1, x), [(40, [lin(-20, 20)]), (20, [slog(1e-100, 712)])], edges=[0.0, -0.0, nan])
decays = [(40, [lin(0, 20)]), (20, [log(1e-100, 600)])]
add("k0", lambda x: mp.besselk(0, x), decays, points=[2.0], edges=[0.0, inf, nan, -1.0])
add("k1", lambda x: mp.besselk(1, x), decays, points=[2.0], edges=[0.0, inf, nan, -1.0])
add("k0e", lambda x: mp.exp(x) * mp.besselk(0, x), decays + [(10, [log(1, 1e8)])], edges=[0.0, inf, nan, -1.0])
add("k1e", lambda x: mp.exp(x) * mp.besselk(1, x), decays + [(10, [log(1, 1e8)])], edges=[0.0, inf, nan, -1.0])

# ---- beta ----
pairs = [(50, [log(1e-3, 1e3), log(1e-3, 1e3)]), (20, [log(1, 1e6), log(1e-3, 30)])]
add("beta", mp.beta, pairs + [(20, [lin(-20, 20), lin(-20, 20)])], edges=[(nan, 1.), (1., nan), (-2., 2.), (1., 1.)])
add("betaln", lambda a, b: mp.log(abs(mp.beta(a, b))), pairs + [(20, [lin(-20, 20), lin(-20, 20)])],
    edges=[(nan, 1.), (-2., 2.)])
add("poch", lambda a, m: mp.gamma(a + m) / mp.gamma(a), [(50, [log(1e-2, 100), lin(-2, 30)]),
    (20, [log(10, 1e6), lin(-3, 3)]), (20, [lin(-20, 20), lin(-20, 20)])],
    edges=[(3., 0.), (nan, 1.), (2., 3.), (-2., 2.)])
add("binom", mp.binomial,
    [(30, [whole(0, 60), whole(0, 30)]), (40, [lin(0, 60), lin(0, 60)]), (10, [log(1, 1e6), lin(0, 5)])],
    edges=[(nan, 1.), (-1., 2.), (5., 6.), (5., -1.)])


# ---- gammainc ----
def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


shapes = [(40, [log(1e-3, 100), log(1e-3, 100)]), (20, [lin(0.1, 30), lin(0.1, 30)])]
large = [(a, a * (1 + s / a ** 0.5)) for a in (40., 250., 1e3, 3e4) for s in (-4., -1., 0., 0.5, 3.)]
add("gammainc", lower, shapes, points=large, edges=[(0., 1.), (1., 0.), (1., inf), (nan, 1.), (-1., 1.), (inf, 1.)])
add("gammaincc", upper, shapes, points=large, edges=[(0., 1.), (1., 0.), (1., inf), (nan, 1.), (-1., 1.), (inf, 1.)])


def solve(f, start, goal):
    """The root of log(f(x)) - log(goal) by the secant rule in log(x)."""
    return mp.exp(mp.findroot(lambda u: mp.log(f(mp.exp(u)) / goal), mp.log(mpf(start)), tol=1e-60))


def inverse(f, name):
    import scipy.special
    return lambda *args: solve(lambda x: f(*args[:-1], x),
                               float(getattr(scipy.special, name)(*map(float, args))), args[-1])


halves = [(20, [log(0.05, 50), lin(0, 1)]), (8, [log(0.5, 50), log(1e-50, 1)])]
add("gammaincinv", inverse(lower, "gammaincinv"), halves,
    points=[(300., 0.3), (300., 0.9)], edges=[(1., 0.), (1., 1.), (nan, 0.5), (1., 1.5)])
add("gammainccinv", inverse(upper, "gammainccinv"), halves,
    points=[(300., 0.3), (300., 0.9)], edges=[(1., 0.), (1., 1.), (nan, 0.5), (1., 1.5)])
counts = [(40, [whole(0, 40), log(0.1, 60)])]
add("pdtr", lambda k, m: upper(k + 1, m), counts, fixed=(0,), edges=[(1., 0.), (-1., 1.), (nan, 1.)])
add("pdtrc", lambda k, m: lower(k + 1, m), counts, fixed=(0,), edges=[(1., 0.), (-1., 1.), (nan, 1.)])
add("pdtri", lambda k, y: inverse(upper, "gammainccinv")(k + 1, y), [(15, [whole(0, 30), lin(0, 1)])], fixed=(0,))
add("chdtr", lambda v, x: lower(v / 2, x / 2), [(30, [log(0.5, 50), log(0.1, 100)])], edges=[(1., 0.), (nan, 1.)])
add("chdtrc", lambda v, x: upper(v / 2, x / 2), [(30, [log(0.5, 50), log(0.1, 100)])], edges=[(1., -1.), (nan, 1.)])
add("chdtri", lambda v, p: 2 * inverse(upper, "gammainccinv")(v / 2, p), [(15, [log(0.5, 50), lin(0, 1)])])
add("gdtr", lambda a, b, x: lower(b, a * x), [(30, [log(0.1, 10), log(0.1, 20), log(0.1, 20)])])
add("gdtrc", lambda a, b, x: upper(b, a * x), [(30, [log(0.1, 10), log(0.1, 20), log(0.1, 20)])])


# ---- betainc ----
def incomplete(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def complement(a, b, x):
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


triples = [(40, [log(0.01, 100), log(0.01, 100), lin(0, 1)]), (20, [log(0.5, 20), log(0.5, 20), log(1e-30, 1)])]
middle = [(200., 300., 0.4), (200., 300., 0.35), (1000., 10., 0.99), (5e3, 5e3, 0.49)]
add("betainc", incomplete, triples, points=middle, edges=[(1., 1., 0.), (1., 1., 1.), (nan, 1., 0.5), (1., 1., 1.5)])
add("betaincc", complement, triples, points=middle, edges=[(1., 1., 0.), (1., 1., 1.), (nan, 1., 0.5)])
add("btdtr", incomplete, [(20, triples[0][1])])
inverses = [(15, [log(0.3, 30), log(0.3, 30), lin(0, 1)]), (5, [log(0.5, 30), log(0.5, 30), log(1e-20, 1)])]
add("betaincinv", inverse(incomplete, "betaincinv"), inverses, edges=[(1., 2., 0.), (1., 2., 1.), (nan, 1., 0.5)])
add("btdtri", inverse(incomplete, "betaincinv"), inverses[:1])
trials = [(30, [whole(0, 20), whole(20, 60), lin(0, 1)])]
add("bdtr", lambda k, n, p: complement(k + 1, n - k, p), trials, fixed=(0, 1), edges=[(3., 3., 0.5), (4., 3., 0.5)])
add("bdtrc", lambda k, n, p: incomplete(k + 1, n - k, p), trials, fixed=(0, 1), edges=[(3., 3., 0.5), (4., 3., 0.5)])
add("bdtri", lambda k, n, y: 1 - inverse(incomplete, "betaincinv")(n - k, k + 1, y), [(10, trials[0][1])], fixed=(0, 1))
failures = [(30, [whole(0, 30), whole(1, 40), lin(0, 1)])]
add("nbdtr", lambda k, n, p: incomplete(n, k + 1, p), failures, fixed=(0, 1))
add("nbdtrc", lambda k, n, p: complement(n, k + 1, p), failures, fixed=(0, 1))
add("nbdtri", lambda k, n, y: inverse(incomplete, "betaincinv")(n, k + 1, y), [(10, failures[0][1])], fixed=(0, 1))
ratios = [(30, [log(0.5, 60), log(0.5, 60), log(0.01, 30)])]
add("fdtr", lambda m, n, x: incomplete(m / 2, n / 2, m * x / (n + m * x)), ratios, edges=[(1., 1., 0.), (1., 1., -1.)])
add("fdtrc", lambda m, n, x: complement(m / 2, n / 2, m * x / (n + m * x)), ratios, edges=[(1., 1., 0.), (1., 1., -1.)])


def fdtri(m, n, p):
    x = inverse(incomplete, "betaincinv")(m / 2, n / 2, p)
    return n * x / (m * (1 - x))


add("fdtri", fdtri, [(10, [log(1, 40), log(1, 40), lin(0, 1)])])
add("stdtr", lambda v, t: incomplete(v / 2, mpf(1) / 2, v / (v + t * t)) / 2 if t < 0
    else 1 - incomplete(v / 2, mpf(1) / 2, v / (v + t * t)) / 2, [(30, [log(0.5, 60), lin(-20, 20)])],
    edges=[(1., 0.), (1., inf), (nan, 1.)])


# ---- legendre ----
add("lpmv", lambda m, v, x: mp.legenp(v, m, x), [(30, [whole(0, 4), whole(4, 12), lin(-1, 1)]),
    (20, [whole(0, 3), lin(3, 7), lin(-0.8, 1)])], fixed=(0, 1), edges=[(0., 2., 1.), (1., 2., 1.), (0., 3., -1.)])
add("wright_bessel", lambda a, b, x: sum(x ** k * mp.rgamma(a * k + b) / mp.factorial(k) for k in range(400)),
    [(30, [lin(0.1, 3), lin(0, 10), log(0.01, 100)])], edges=[(1., 1., 0.), (nan, 1., 1.)])
