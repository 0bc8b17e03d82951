"""Golden tables of the dtypes: promotion, weak scalars, safe and same-kind casts, and the values of every cast.

    promote A B C                 the common dtype
    weak KIND A C                 an array of A beside a scalar of int, float or complex
    can KIND A letters            which dtypes A casts to, in the order of the dtypes: "1" or "0"; KIND is safe or
                                  same_kind
    set A hex                     the values that are cast
    cast A B hex
    forced NAME A letters         for each dtype, "1" or "0": whether NAME of operands of A has a result of that dtype
                                  when asked for

bfloat16 beside a dtype that ml_dtypes does not combine it with follows float16's rule.
"""
import warnings

import numpy as np

from values import DTYPES, INTS, hexes, is_complex, is_float, narrow, name_of, numpy_dtype, reals

warnings.simplefilter("ignore")
np.seterr(all="ignore")
lines = ["# made by dtype.py with NumPy %s" % np.__version__]


def swap(name):
    return "float16" if name == "bfloat16" else "bfloat16" if name == "float16" else name


def promote(a, b):
    if {a, b} == {"bfloat16", "float16"}:
        return "float32"
    try:
        return name_of(np.promote_types(numpy_dtype(a), numpy_dtype(b)))
    except TypeError:
        return swap(promote(swap(a), swap(b)))


for a in DTYPES:
    for b in DTYPES:
        lines.append("promote %s %s %s" % (a, b, promote(a, b)))
for kind, scalar in (("int", 1), ("float", 1.5), ("complex", 1j)):
    for a in DTYPES:
        if a == "bfloat16":
            lines.append("weak %s %s %s" % (kind, a, "complex64" if kind == "complex" else a))
        else:
            lines.append("weak %s %s %s" % (kind, a, name_of(np.result_type(np.dtype(a), scalar))))
for kind in ("safe", "same_kind"):
    for a in DTYPES:
        row = ""
        for b in DTYPES:
            if a == b:
                row += "1"
            elif kind == "safe" or "bfloat16" not in (a, b):
                row += "1" if promote(a, b) == b and kind == "safe" or (
                    kind == "same_kind" and np.can_cast(np.dtype(a), np.dtype(b), "same_kind")) else "0"
            else:
                row += "1" if {a, b} == {"float16", "bfloat16"} or np.can_cast(
                    np.dtype(swap(a) if a == "bfloat16" else a), np.dtype(swap(b) if b == "bfloat16" else b),
                    "same_kind") else "0"
        lines.append("can %s %s %s" % (kind, a, row))
for a in DTYPES:
    if "bfloat16" != a:
        for b in DTYPES:
            if b != "bfloat16":
                assert np.can_cast(np.dtype(a), np.dtype(b), "safe") == (promote(a, b) == b), (a, b)

for a in DTYPES:
    x = reals(a)
    lines.append("set %s %s" % (a, hexes(x)))
    for b in DTYPES:
        undefined = np.zeros(x.shape, bool)
        if b in INTS and (is_float(a) or is_complex(a)):
            wide = x.real.astype(np.longdouble) if is_complex(a) else x.astype(np.float64).astype(np.longdouble)
            whole = np.trunc(wide)
            info = np.iinfo(b)
            undefined = ~((whole >= info.min) & (whole <= info.max))
        source = x.astype(np.float32) if a == "bfloat16" else x
        if is_complex(a) and not is_complex(b) and b != "bool":
            source = x.real
        y = source.astype(np.float32 if b == "bfloat16" else b)
        lines.append("cast %s %s %s" % (a, b, hexes(narrow(y, b), undefined)))

for name in ("absolute add arccos arctan2 bitwise_and bitwise_count ceil conjugate copysign divide divmod equal exp "
             "float_power floor "
             "floor_divide fmod frexp gcd greater heaviside hypot invert isfinite isnan left_shift less logaddexp "
             "logical_and logical_not "
             "maximum modf multiply negative positive power reciprocal remainder rint sign signbit sqrt square "
             "subtract trunc").split():
    ufunc = getattr(np, name)
    for a in DTYPES:
        if a == "bfloat16":
            continue
        row = ""
        for wanted in DTYPES:
            try:
                got = ufunc(*[np.ones(1, a)] * ufunc.nin, dtype=wanted) if wanted != "bfloat16" else None
                row += "-" if got is None else "1"
            except TypeError:
                row += "0"
        lines.append("forced %s %s %s" % (name, a, row))
print("\n".join(lines))
