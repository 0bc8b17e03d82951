"""Golden values of ma.testing: what NumPy's assertions say of pairs of arrays.

    FUNCTION DTYPE DTYPE SHAPE x y ARGUMENTS ok
    FUNCTION DTYPE DTYPE SHAPE x y ARGUMENTS REASON COUNT ABSOLUTE RELATIVE POSITIONS

x and y are bytes in hexadecimal, ARGUMENTS numbers apart by commas. REASON is nan, inf, value or differ; of the last,
how many elements differ, by how much at most (- where NumPy does not say) and the first five positions, as 1,2;3,1.
"""
import re
import warnings

import numpy as np
from numpy import testing

from values import hexes, name_of

warnings.simplefilter("ignore")
lines = ["# made by testing.py with NumPy %s" % np.__version__]
nan, inf = np.nan, np.inf


def report(message):
    for word, reason in (("nan location", "nan"), ("inf location", "inf"), ("inf values", "value"),
            ("mismatch)", "shape")):
        if word in message:
            return reason
    count = re.search(r"Mismatched elements: (\d+) /", message).group(1)
    most = [m.group(1) if m else "-" for m in (re.search("Max %s difference among violations: (.*)" % kind, message)
        for kind in ("absolute", "relative"))]
    places = re.findall(r"^ \[([\d, ]*)\]: ", message, re.M)
    places = ";".join(",".join(str(int(k) + 1) for k in place.split(",")) for place in places) or "-"
    return "differ %s %s %s %s" % (count, most[0], most[1], places)


def case(function, x, y, *arguments):
    try:
        getattr(testing, function)(x, y, *arguments)
        verdict = "ok"
    except AssertionError as error:
        verdict = report(str(error))
    shape = "x".join(map(str, x.shape)) or "()"
    assert x.shape == y.shape
    lines.append("%s %s %s %s %s %s %s %s" % (function, name_of(x.dtype), name_of(y.dtype), shape, hexes(x), hexes(y),
                                             ",".join("%.17g" % v for v in arguments) or "-", verdict))


DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
rng = np.random.default_rng(20)
for name in DTYPES:
    for shape in ((), (1,), (7,), (2, 5), (3, 2, 2), (0,), (2, 0)):
        x = rng.integers(0, 2 if name == "bool" else 5, shape).astype(name)
        near = (x + (1e-3 if x.dtype.kind in "fc" else 0) * rng.integers(0, 2, shape)).astype(name)
        far = rng.integers(0, 2 if name == "bool" else 5, shape).astype(name)
        wider = far.astype("float64") if name not in ("complex64", "complex128", "bool") else far
        for y in (x, near, far, wider):
            case("assert_array_equal", x, y)
            case("assert_allclose", x, y)
            case("assert_allclose", x, y, 1e-2, 1e-2)
            if name != "bool":
                case("assert_array_almost_equal", x, y)
                case("assert_array_almost_equal", x, y, 2)
                case("assert_array_almost_equal", x, y, -1)
            if name not in ("complex64", "complex128"):
                case("assert_array_less", x, y)
specials = [nan, inf, -inf, 0.0, -0.0, 1.0]
pairs = np.array([[a, b] for a in specials for b in specials])
for name in ("float16", "float32", "float64", "complex64", "complex128"):
    pool = np.array(specials, name)
    if name.startswith("complex"):
        pool = np.array([complex(a, b) for a in specials for b in specials], name)
    for k in range(40):
        x = rng.choice(pool, 4)
        y = np.where(rng.integers(0, 3, 4) > 0, x, rng.choice(pool, 4)).astype(name)
        case("assert_array_equal", x, y)
        case("assert_allclose", x, y)
        case("assert_array_almost_equal", x, y)
        if not name.startswith("complex"):
            case("assert_array_less", x, y)
print("\n".join(lines))
