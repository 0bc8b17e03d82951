"""What audit_special.py needs beside the formulas of special_functions.py: forms that keep their digits for arguments
of any size, and the values that are chosen where SciPy's are not taken."""
import dataclasses
import math

from mpmath import mp, mpf

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
    "beta": wide(lambda a, b: quotient([a, b], [a + b])),
    "betaln": wide(lambda a, b: quotient([a, b], [a + b], True)),
    "poch": wide(lambda a, m: none() if is_pole(a) else quotient([a + m], [a])),
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
    "gdtr": lambda a, b, x: lower(b, a * x),
    "gdtrc": lambda a, b, x: upper(b, a * x),
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

# Where the arguments are finite, mpmath has no value, and SciPy's is not to be trusted: such points are left out.
UNSURE = set(BETTER)

CHOSEN = {}


def better(f):
    return dataclasses.replace(f, formula=BETTER[f.name]) if f.name in BETTER else f
