#!/usr/bin/env python3
"""Golden values of special functions at random points that reach zeros, poles, subnormal and huge numbers.
usage: audit_special.py [POINTS [SEED [NAME...]]]

Values are mpmath's where the arguments are finite and it has a value, with a scale as special.py has it; at infinities,
NaN and poles they are SciPy's, but for those of `CHOSEN`, which docs/special.md names.
"""
import math
import signal
import sys
import warnings

import numpy as np
import scipy.special
from mpmath import mp, mpf

import audit
import audit_formulas
import special_functions

mp.dps = 50
inf, nan = math.inf, math.nan
EPS = {"float64": 2.0 ** -52, "float32": 2.0 ** -23}
LIMIT = {"float64": 10, "float32": 4, "complex128": 20, "complex64": 4}
MOST = {"float64": mpf(sys.float_info.max), "float32": mpf(float(np.finfo(np.float32).max))}
LEAST = {"float64": mpf(2) ** -1074, "float32": mpf(2) ** -149}
WILD = [0.0, -0.0, inf, -inf, nan, 5e-324, -5e-324, 1e-310, 2.3e-308, 1e-200, -1e-20, 1e-15, 1e-5, 0.5, -0.5, 1.0, -1.0,
        1.5, 2.0, 3.0, -2.0, -3.0, -1.5, 10.0, 30.0, 1e3, 1e5, 1e8, 1e10, 1e16, -1e16, 1e20, 1e100, 1e155, -1e155,
        1e300, -1e300, 1.7e308]


class Late(Exception):
    pass


def ring(*_):
    raise Late()


signal.signal(signal.SIGALRM, ring)


def wild(choose):
    """A number that a user would not expect."""
    kind = choose.random()
    if kind < 0.5:
        return choose.choice(WILD)
    if kind < 0.65:
        return float(choose.randint(-12, 40))
    if kind < 0.75:
        return choose.randint(-6, 12) + choose.choice((-1, 1)) * 10 ** choose.uniform(-14, -3)
    if kind < 0.9:
        return choose.choice((-1, 1, 1)) * 10 ** choose.uniform(-40, 20)
    return choose.choice((-1, 1)) * 10 ** choose.uniform(-320, 308)


def points_of(a, f, count):
    """Points of the function's own ranges, with some operands replaced by wild ones."""
    ranges = [samplers for _, samplers in f.ranges]
    for k in range(count):
        samplers = a.random.choice(ranges)
        point = [special_functions.draw(a.random, s) for s in samplers]
        for j in range(len(point)):
            if a.random.random() < (0.6 if len(point) == 1 else 0.4):
                point[j] = wild(a.random)
                if j in f.fixed and math.isfinite(point[j]):
                    point[j] = float(math.floor(min(abs(point[j]), 1e15)))
        yield tuple(point)


def exact(f, point):
    """mpmath's value, or None where it has none."""
    if not all(map(math.isfinite, point)):
        return None
    try:
        signal.setitimer(signal.ITIMER_REAL, 2)
        y = f.formula(*map(mpf, point))
        y = special_functions.real(y)
        return y if mp.isfinite(y) else None
    except (ValueError, ZeroDivisionError, ArithmeticError, NotImplementedError, TypeError, OverflowError):
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def scale_of(f, point, y):
    scale = abs(y)
    for k, x in enumerate(point):
        if k in f.fixed or x == 0:
            continue
        h = mpf(10) ** -20
        moved = [mpf(v) for v in point]
        try:
            signal.setitimer(signal.ITIMER_REAL, 2)
            moved[k] = mpf(x) * (1 + h)
            high = f.formula(*moved)
            moved[k] = mpf(x) * (1 - h)
            low = f.formula(*moved)
            slope = abs(high - low) / (2 * h)
            if mp.isfinite(slope):
                scale = max(scale, slope)
        except (ValueError, ZeroDivisionError, ArithmeticError, NotImplementedError, TypeError, OverflowError):
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return scale


def by_scipy(f, point, dtype):
    if f.name in CHOSEN:
        chosen = CHOSEN[f.name](*point)
        if chosen is not None:
            return chosen
    name = f.of or NAMES.get(f.name, f.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        more = {"derivative": True} if f.name == "spherical_yn_slope" else {}
        if f.name.startswith("spherical"):
            name, point = "spherical_yn", (int(point[0]) if math.isfinite(point[0]) else 0,) + point[1:]
        y = getattr(scipy.special, name)(*[np.float64(x) for x in point], **more)
    y = y[PART[f.name]] if f.name in PART else y
    return float(y)


NAMES = {"btdtr": "betainc", "btdtri": "betaincinv", "sici_si": "sici", "sici_ci": "sici", "shichi_shi": "shichi",
         "shichi_chi": "shichi", "ellipj_sn": "ellipj", "ellipj_cn": "ellipj", "ellipj_dn": "ellipj"}
PART = {"sici_si": 0, "sici_ci": 1, "shichi_shi": 0, "shichi_chi": 1, "ellipj_sn": 0, "ellipj_cn": 1, "ellipj_dn": 2}
CHOSEN = audit_formulas.CHOSEN
EXACT_AT_POLES = ("beta", "betaln", "poch", "binom")     # whose formulas know more than SciPy


def rounded(y, dtype):
    if abs(y) > MOST[dtype]:
        return inf if y > 0 else -inf
    return float(y)


def record(f, point, dtype):
    """Value and scale as floats, or None where nobody knows."""
    if f.name in CHOSEN and CHOSEN[f.name](*point) == audit_formulas.SKIP and f.name not in EXACT_AT_POLES:
        return None
    try:
        y = exact(f, point)
        scale = scale_of(f, point, y) if y is not None else 0
    except Late:
        return None
    if y is None:
        value = by_scipy(f, point, dtype)
        if value == audit_formulas.SKIP:
            return None
        return None if math.isfinite(value) and f.name in audit_formulas.UNSURE else (value, abs(value)
                                                                                     if math.isfinite(value) else 0.0)
    return rounded(y, dtype), float(min(scale, MOST["float64"]))


def write(a, f, points, dtype):
    """The calls of one function in one dtype, of one to seven points each."""
    records = []
    for point in points:
        if dtype == "float32":
            with np.errstate(all="ignore"):
                point = tuple(float(np.float32(x)) for x in point)
        found = record(f, point, dtype)
        if found is not None:
            records.append((point,) + found)
    while records:
        count = a.random.randint(1, 7)
        some, records = records[:count], records[count:]
        args = [a.layout(np.array([r[0][k] for r in some]).astype(dtype)) for k in range(len(some[0][0]))]
        with np.errstate(all="ignore"):
            want = np.array([r[1] for r in some]).astype(dtype)
        limit = 2 * LIMIT[dtype] if f.name in audit_formulas.INVERSES else LIMIT[dtype]
        a.write("special." + f.name, args, [want], tol=limit * EPS[dtype], scale=np.array([r[2] for r in some]))


def complex_number(choose):
    """Of moderate size, of any size, or close to an axis."""
    kind = choose.random()
    if kind < 0.4:
        return complex(choose.uniform(-6, 6), choose.uniform(-6, 6))
    size = 10 ** choose.uniform(-12, 1.8)
    angle = choose.uniform(-math.pi, math.pi)
    if kind < 0.7:
        return complex(size * math.cos(angle), size * math.sin(angle))
    small = choose.choice((0.0, 10 ** choose.uniform(-300, -3)))
    parts = [choose.choice((-1, 1)) * size, choose.choice((-1, 1)) * small]
    choose.shuffle(parts)
    return complex(*parts)


def write_complex(a, name, formula, dtype):
    """The calls of one function of complex numbers. An error is held against the modulus."""
    real = "float32" if dtype == "complex64" else "float64"
    records = []
    for _ in range(a.calls if dtype == "complex128" else a.calls // 3):
        z = complex(np.array(complex_number(a.random)).astype(dtype))
        try:
            signal.setitimer(signal.ITIMER_REAL, 2)
            with mp.workdps(80):
                y = mp.mpc(formula(mp.mpc(z)))
                h = mpf(10) ** -30
                slope = abs(formula(mp.mpc(z) * (1 + h)) - y) / h
        except (ValueError, ZeroDivisionError, ArithmeticError, NotImplementedError, TypeError, OverflowError, Late):
            continue
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not mp.isfinite(y) or abs(y) > MOST[real] / 16 or 0 < abs(y) < LEAST[real] * 2 ** 60 or slope > MOST[real]:
            continue
        records.append((z, complex(y), float(max(slope, abs(y)))))
    while records:
        count = a.random.randint(1, 7)
        some, records = records[:count], records[count:]
        a.write("special." + name, [a.layout(np.array([r[0] for r in some]).astype(dtype))],
                [np.array([r[1] for r in some]).astype(dtype)], tol=LIMIT[dtype] * EPS[real],
                scale=np.array([r[2] for r in some]))


def main():
    a = audit.Audit(150, 37)
    wanted = sys.argv[3:]
    print("# made by audit_special.py")
    for f in special_functions.functions:
        f = audit_formulas.better(f)
        if wanted and f.name not in wanted:
            continue
        a.begin(f.name)
        points = list(points_of(a, f, a.calls))
        write(a, f, points[:2 * a.calls // 3], "float64")
        write(a, f, points[2 * a.calls // 3:], "float32")
    for name, formula in audit_formulas.COMPLEX.items():
        if not wanted or name + "_complex" in wanted:
            a.begin(name + "_complex")
            write_complex(a, name, formula, "complex128")
            write_complex(a, name, formula, "complex64")


if __name__ == "__main__":
    main()
