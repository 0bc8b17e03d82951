"""What audit_special.py needs beside the formulas of special_functions.py: forms that keep their digits for arguments
of any size, and the values that are chosen where SciPy's are not taken."""
import dataclasses
import math

from mpmath import mp, mpf

import special_functions

inf, nan = math.inf, math.nan


def wide(formula):
    """With as many digits as the sum of the largest and the least argument needs."""
    def of(*args):
        sizes = [abs(mp.log10(abs(x))) for x in args if x != 0]
        with mp.workdps(60 + int(2 * max(sizes, default=0))):
            return +formula(*args)
    return of


def is_pole(x):
    return x <= 0 and x == mp.floor(x)


def size_of_gammas(over, under):
    """log |product of gamma(over) / product of gamma(under)|, and its sign."""
    total, sign = mpf(0), 1
    for x in over:
        total, sign = total + mp.re(mp.loggamma(x)), sign * sign_of_gamma(x)
    for x in under:
        total, sign = total - mp.re(mp.loggamma(x)), sign * sign_of_gamma(x)
    return total, sign


def sign_of_gamma(x):
    return 1 if x > 0 or mp.floor(x) % 2 == 0 else -1


def quotient(over, under, log=False):
    if any(map(is_pole, over)):
        raise ValueError("a pole")
    if any(map(is_pole, under)):
        if log:
            raise ValueError("a pole")
        return mpf(0)
    size, sign = size_of_gammas(over, under)
    return size if log else sign * mp.exp(size)


def beta(a, b, log=False):
    for x, y in ((a, b), (b, a)):
        if is_pole(x):      # finite where the other is a whole number and the sum is a pole too
            if y == mp.floor(y) and y > 0 and 1 - x - y > 0:
                value = quotient([1 - x - y, y], [1 - x], log)
                return value if log or y % 2 == 0 else -value
            raise ValueError("a pole")
    return quotient([a, b], [a + b], log)


def rising(a, m):
    if is_pole(a):
        if not is_pole(a + m):
            return mpf(0)
        value = quotient([1 - a], [1 - a - m])
        return -value if m % 2 else value
    return quotient([a + m], [a])


def only(condition, formula):
    """A formula of a domain: SciPy's values elsewhere."""
    return lambda *args: formula(*args) if condition(*args) else none()


def formula_of(name):
    return next(f.formula for f in special_functions.functions if f.name == name)


# ---- the incomplete gamma functions ----
def fraction(a, x):
    """Q(a, x) / front by Legendre's continued fraction, x > a."""
    tiny = mpf(10) ** -1000
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    for i in range(1, 200000):
        n = -i * (i - a)
        b += 2
        d = 1 / (n * d + b or tiny)
        c = b + n / c or tiny
        h *= c * d
        if abs(c * d - 1) < mp.eps:
            return h
    raise ValueError("no convergence")


def lower_and_upper(a, x):
    """P and Q of positive finite numbers."""
    size = max(abs(mp.log10(a)), abs(mp.log10(x)))
    if size > 25 and a > 1e8:
        if x < a / 2:
            return mpf(0), mpf(1)
        if x > 2 * a:
            return mpf(1), mpf(0)
        raise ValueError("too large")
    with mp.workdps(50 + int(2 * size)):
        front = mp.exp(a * mp.log(x) - x - mp.loggamma(a))      # x^a exp(-x) / gamma(a)
        if x > a + 1 and x > 1:
            q = front * fraction(a, x)
            return 1 - q, q
        term = total = 1 / a
        k = 0
        while term > total * mp.eps:
            k += 1
            term *= x / (a + k)
            total += term
            if k > 200000:
                raise ValueError("no convergence")
        p = front * total
        return p, 1 - p


def lower(a, x):
    return lower_and_upper(a, x)[0] if a > 0 and x > 0 else none()


def upper(a, x):
    return lower_and_upper(a, x)[1] if a > 0 and x > 0 else none()


def none():
    raise ValueError("SciPy's value")


# ---- the incomplete beta function ----
def beta_fraction(a, b, x):
    """I_x(a, b) for x < (a + 1) / (a + b + 2)."""
    tiny = mpf(10) ** -2000
    c, d = mpf(1), 1 / (1 - (a + b) * x / (a + 1) or tiny)
    h = d
    for m in range(1, 100000):
        for n in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                  -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / (1 + n * d or tiny)
            c = 1 + n / c or tiny
            h *= c * d
        if abs(c * d - 1) < mp.eps:
            size, _ = size_of_gammas([a + b], [a, b])
            return mp.exp(size + a * mp.log(x) + b * mp.log1p(-x)) * h / a
    raise ValueError("no convergence")


def both_of_beta(a, b, x, y):
    """I_x(a, b) and its complement for y = 1 - x, which may be closer to 0 than 1 - x shows."""
    sizes = [abs(mp.log10(v)) for v in (a, b, x, y)]
    with mp.workdps(60 + int(2 * max(sizes))):
        if x * (a + b + 2) < a + 1:
            p = beta_fraction(a, b, x)
            return p, 1 - p
        q = beta_fraction(b, a, 1 - x if x > 0.5 and x + y == 1 else y)
        return 1 - q, q


def incomplete(a, b, x):
    return both_of_beta(a, b, x, exact_rest(x))[0] if a > 0 and b > 0 and 0 < x < 1 else none()


def complement(a, b, x):
    return both_of_beta(a, b, x, exact_rest(x))[1] if a > 0 and b > 0 and 0 < x < 1 else none()


def exact_rest(x):
    with mp.workdps(700):
        return 1 - x


def ratio_of_beta(a, b, r):
    """I_x(a, b) and its complement for x / (1 - x) = r."""
    with mp.workdps(700):
        x, y = r / (1 + r), 1 / (1 + r)
    return both_of_beta(a, b, x, y)


# ---- inverses: the root by bisection of the logarithm, then Newton's steps in a secant's form ----
def root(sides, goal, upper_goal, least=-750, most=750):
    """log of the t at which sides(t) is (goal, 1 - goal), increasing in t; the smaller side is compared."""
    low, high = mpf(least), mpf(most)
    by_lower = goal <= 0.5
    want = mp.log(goal if by_lower else upper_goal)

    def off(u):
        p, q = sides(mp.exp(u))
        side = p if by_lower else q
        return (mp.log(side) - want if side > 0 else -mpf(10) ** 9) * (1 if by_lower else -1)
    with mp.workdps(25):
        if off(low) > 0:
            return None
        for _ in range(40):
            middle = (low + high) / 2
            if off(middle) > 0:
                high = middle
            else:
                low = middle
    return mp.findroot(off, (low, high), solver="anderson", tol=mpf(10) ** -60, verify=False)


def gamma_inverse(a, p, q):
    u = root(lambda t: lower_and_upper(a, t), p, q)
    return mpf(0) if u is None else mp.exp(u)


def beta_inverse_ratio(a, b, p, q):
    u = root(lambda t: ratio_of_beta(a, b, t), p, q)
    return mpf(0) if u is None else mp.exp(u)


def inside(p):
    return p if 0 < p < 1 else none()


def share(r):
    return r / (1 + r)


def student(v, t):
    if v <= 0 or t == 0:
        none()
    p, q = ratio_of_beta(v / 2, mpf(1) / 2, v / (t * t))
    return p / 2 if t < 0 else 1 - p / 2


def floored(k):
    return mp.floor(k)


BETTER = {
    "beta": wide(beta),
    "betaln": wide(lambda a, b: beta(a, b, True)),
    "poch": wide(rising),
    "binom": wide(lambda n, k: quotient([n + 1], [k + 1, n - k + 1])),
    "gammaln": lambda x: none() if is_pole(x) else mp.re(mp.loggamma(x)),
    "gammainc": lower,
    "gammaincc": upper,
    "gammaincinv": lambda a, p: gamma_inverse(a, inside(p), 1 - p) if a > 0 else none(),
    "gammainccinv": lambda a, q: gamma_inverse(a, 1 - inside(q), q) if a > 0 else none(),
    "pdtr": lambda k, m: upper(floored(k) + 1, m) if k >= 0 else none(),
    "pdtrc": lambda k, m: lower(floored(k) + 1, m) if k >= 0 else none(),
    "pdtri": lambda k, y: gamma_inverse(floored(k) + 1, 1 - inside(y), y) if k >= 0 else none(),
    "chdtr": lambda v, x: lower(v / 2, x / 2),
    "chdtrc": lambda v, x: upper(v / 2, x / 2),
    "chdtri": lambda v, p: 2 * gamma_inverse(v / 2, 1 - inside(p), p) if v > 0 else none(),
    "gdtr": lambda a, b, x: lower(b, a * x) if a > 0 else none(),
    "gdtrc": lambda a, b, x: upper(b, a * x) if a > 0 else none(),
    "betainc": incomplete,
    "betaincc": complement,
    "btdtr": incomplete,
    "betaincinv": lambda a, b, p: share(beta_inverse_ratio(a, b, inside(p), 1 - p)) if a > 0 and b > 0 else none(),
    "btdtri": lambda a, b, p: share(beta_inverse_ratio(a, b, inside(p), 1 - p)) if a > 0 and b > 0 else none(),
    "bdtr": lambda k, n, p: complement(floored(k) + 1, n - floored(k), p) if 0 <= floored(k) < n else none(),
    "bdtrc": lambda k, n, p: incomplete(floored(k) + 1, n - floored(k), p) if 0 <= floored(k) < n else none(),
    "bdtri": lambda k, n, y: 1 / (1 + beta_inverse_ratio(n - floored(k), floored(k) + 1, inside(y), 1 - y))
    if 0 <= floored(k) < n else none(),
    "nbdtr": lambda k, n, p: incomplete(n, floored(k) + 1, p) if k >= 0 else none(),
    "nbdtrc": lambda k, n, p: complement(n, floored(k) + 1, p) if k >= 0 else none(),
    "nbdtri": lambda k, n, y: share(beta_inverse_ratio(n, floored(k) + 1, inside(y), 1 - y))
    if k >= 0 and n > 0 else none(),
    "fdtr": lambda m, n, x: ratio_of_beta(m / 2, n / 2, m * x / n)[0] if m > 0 and n > 0 and x > 0 else none(),
    "fdtrc": lambda m, n, x: ratio_of_beta(m / 2, n / 2, m * x / n)[1] if m > 0 and n > 0 and x > 0 else none(),
    "fdtri": lambda m, n, p: n / m * beta_inverse_ratio(m / 2, n / 2, inside(p), 1 - p) if m > 0 and n > 0 else none(),
    "stdtr": student,
}

for name in ("k0", "k1", "k0e", "k1e", "y0", "y1", "exp1", "loggamma"):
    BETTER[name] = only(lambda x: x > 0, formula_of(name))
for name in ("sindg", "cosdg", "tandg", "cotdg"):
    BETTER[name] = wide(formula_of(name))
for name in ("boxcox", "inv_boxcox", "inv_boxcox1p", "boxcox1p"):
    BETTER[name] = wide(formula_of(name))
for name in ("ellipj_sn", "ellipj_cn", "ellipj_dn"):
    BETTER[name] = only(lambda u, m: 0 <= m <= 1, formula_of(name))
for name in ("ellipkinc", "ellipeinc"):
    BETTER[name] = only(lambda phi, m: m < 1, formula_of(name))
BETTER["boxcox"] = only(lambda x, l: x > 0, BETTER["boxcox"])
BETTER["boxcox1p"] = only(lambda x, l: x > -1, BETTER["boxcox1p"])
BETTER["inv_boxcox"] = only(lambda y, l: l * y > -1, BETTER["inv_boxcox"])
BETTER["inv_boxcox1p"] = only(lambda y, l: l * y > -1, BETTER["inv_boxcox1p"])
BETTER["lpmv"] = only(lambda m, v, x: abs(x) <= 1, formula_of("lpmv"))
BETTER["wright_bessel"] = only(lambda a, b, x: a >= 0 and b >= 0 and x >= 0, formula_of("wright_bessel"))
BETTER["expn"] = only(lambda n, x: x > 0, formula_of("expn"))
BETTER["yn"] = only(lambda n, x: x > 0, formula_of("yn"))
BETTER["hurwitz_zeta"] = only(lambda x, q: x > 1 and q > 0, formula_of("hurwitz_zeta"))
BETTER["polygamma"] = only(lambda n, x: n >= 0, formula_of("polygamma"))
BETTER["kl_div"] = only(lambda x, y: x > 0 and y > 0, wide(formula_of("kl_div")))
BETTER["huber"] = only(lambda d, r: d >= 0, formula_of("huber"))
BETTER["pseudo_huber"] = only(lambda d, r: d > 0, lambda d, r: r * r / (mp.sqrt(1 + (r / d) ** 2) + 1))
BETTER["erfinv"] = lambda y: mp.erfinv(y) if abs(y) < 1e-5 else formula_of("erfinv")(y)
BETTER["spherical_yn_value"] = lambda n, z: spherical(n, z) if z > 0 else (-1) ** int(n + 1) * spherical(n, -z)
BETTER["spherical_yn_slope"] = lambda n, z: (lambda f: n / z * f(n, z) - f(n + 1, z))(BETTER["spherical_yn_value"])


def spherical(n, z):
    if z == 0:
        none()
    return mp.sqrt(mp.pi / (2 * z)) * mp.bessely(n + mpf(1) / 2, z)


# Where the arguments are finite, mpmath has no value, and SciPy's is not to be trusted: such points are left out.
UNSURE = {"beta", "betaln", "poch", "binom"} | {name for name in BETTER if "inc" in name or "dtr" in name}

# Inverses of distributions have twice the bound, for probabilities that are not subnormal.
INVERSES = ("gammaincinv", "gammainccinv", "pdtri", "chdtri", "betaincinv", "btdtri", "bdtri", "nbdtri", "fdtri")

SKIP = "skip"       # a point without one right value, as the sign of infinity at a pole


def at_gammas(*args):
    """Beta functions and their kin at infinities and poles."""
    if any(x != x for x in args):
        return nan
    return SKIP if any(math.isinf(x) for x in args) or any(x <= 0 and x == math.floor(x) for x in args) else None


def order_below(limit):
    return lambda n, x: SKIP if not abs(n) <= limit or x == 0 else None


def moderate(u, m):
    """Beyond, the rounding of u is more than a turn."""
    return SKIP if abs(u) > 1e15 else None


def never(*args):
    return nan if math.isinf(args[0]) else None


def normal_probability(*args):
    return SKIP if 0 < args[-1] < 2.3e-308 else inner(*args[:-1])


def inner(*args):
    """SciPy's distributions have no value at some ends of their parameters where there is a limit."""
    return SKIP if any(map(math.isinf, args)) or len(args) == 3 and (args[1] == 0 or args[0] == args[1]) else None


CHOSEN = {name: inner for name in BETTER if name.endswith(("dtr", "dtrc")) and name not in ("ndtr", "log_ndtr")}
CHOSEN |= {name: normal_probability for name in INVERSES}
CHOSEN |= {
    "sindg": never, "cosdg": never, "tandg": never, "cotdg": never,
    "beta": at_gammas, "betaln": at_gammas, "poch": at_gammas, "binom": at_gammas,
    "ellipeinc": lambda phi, m: math.copysign(inf, phi) if m == -inf and math.isfinite(phi) and phi else None,
    "pseudo_huber": lambda d, r: r * r / 2 if d == inf and math.isfinite(r) else None,
    "hurwitz_zeta": lambda x, q: SKIP if x == inf else None,
    "ellipj_sn": moderate, "ellipj_cn": moderate, "ellipj_dn": moderate,
    "yn": order_below(1e4), "spherical_yn_value": order_below(1e4), "spherical_yn_slope": order_below(1e4),
}


# ---- of complex numbers ----
def dawson(z):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z)


def faddeeva(z):
    return mp.exp(-z * z) * mp.erfc(-1j * z)


def normal(z):
    return mp.erfc(-z / mp.sqrt(2)) / 2


def log_normal(z):
    return mp.log1p(-normal(-z)) if z.real > 5 else mp.log(normal(z))


def off_cut(formula):
    """Beside the negative axis alone, where functions differ on what they take it for."""
    return lambda z: none() if z.imag == 0 and z.real <= 0 else formula(z)


COMPLEX = {
    "erf": mp.erf, "erfc": mp.erfc, "erfcx": lambda z: mp.exp(z * z) * mp.erfc(z), "erfi": mp.erfi, "dawsn": dawson,
    "wofz": faddeeva, "ndtr": normal, "log_ndtr": log_normal, "digamma": lambda z: mp.psi(0, z),
    "gamma": mp.gamma, "loggamma": off_cut(mp.loggamma), "rgamma": mp.rgamma, "lambertw": off_cut(mp.lambertw),
    "exp1": off_cut(mp.e1), "expi": lambda z: mp.ei(z) if z.imag or z.real > 0 else none(),
}


def better(f):
    return dataclasses.replace(f, formula=BETTER[f.name]) if f.name in BETTER else f
