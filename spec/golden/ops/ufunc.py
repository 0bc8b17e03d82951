"""Golden values of every elementwise operation.

    set NAME DTYPE hex                              one operand's values
    op NAME SETS DTYPES -> DTYPES hex [hex]         sets and dtypes of the operands, dtypes and values of the results
    op NAME SETS DTYPES error                       NumPy has no loop for these dtypes

Exact operations are NumPy's own results. Transcendental ones are computed one precision wider and rounded once, so that
the tolerance in ops_values.lua is ours alone. bfloat16, for which NumPy has no loops, takes the result dtype that
float16 has.

A row of ops_values.lua that no list here names is made from the row: exact where it is to be off by 0 ulp, else
one precision wider; `numpy` in it is the expression where NumPy has no function of the name.
"""
import re
import warnings

import ml_dtypes
import numpy as np

from values import (COMPLEXES, DTYPES, FLOATS, INTS, WIDER, hexes, is_complex, is_float, moderate, name_of, narrow,
    numpy_dtype,
                    reals)

warnings.simplefilter("ignore")
np.seterr(all="ignore")

FIRST = ["arccos", "arcsin", "arctan", "arccosh", "arcsinh", "arctanh", "cos", "sin", "tan", "cosh", "sinh", "tanh",
    "exp", "exp2",
         "expm1", "log", "log10", "log1p", "log2", "cbrt", "deg2rad", "rad2deg", "sinc", "i0", "sqrt", "angle"]
EXACT = ["absolute", "negative", "positive", "sign", "square", "reciprocal", "conjugate", "rint", "floor", "ceil",
    "trunc", "fix",
         "fabs", "invert", "bitwise_count", "isfinite", "isinf", "isnan", "logical_not", "signbit", "real", "imag",
         "nan_to_num",
         "modf", "frexp"]
PAIRS = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "divmod", "maximum", "minimum",
    "fmax",
         "fmin", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or",
         "logical_xor",
         "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "nextafter", "heaviside", "isclose"]
SMOOTH_PAIRS = ["arctan2", "hypot", "logaddexp", "logaddexp2"]

# Made below, each in a way of its own.
SPECIAL = ["power", "float_power", "left_shift", "right_shift", "gcd", "lcm", "ldexp", "where", "clip"]

ROW = re.compile(r'^ *\{ *"(\w+)", *\{([^}]*)\}, *(\{[^}]*\}|[\d.]+)(.*?)\},? *$', re.M | re.S)


def real_only(f):
    """f, without a loop for complex numbers."""
    def g(*args):
        if any(a.dtype.kind == "c" for a in args):
            raise TypeError("a complex number")
        return f(*args)
    return g


def rows_of_their_own():
    """(name, sets, is exact, function) of the rows of spec/ops/ops_values.lua that no list here names."""
    with open("spec/ops/ops_values.lua") as file:
        text = file.read()
    for name, sets, ulp, rest in ROW.findall(text):
        if name in FIRST + EXACT + PAIRS + SMOOTH_PAIRS + SPECIAL:
            continue
        sets = re.findall(r'"(\w+)"', sets)
        given = re.search(r'numpy *= *"([^"]*)"', rest)
        f = eval("lambda %s: %s" % (", ".join("xyzw"[:len(sets)]), given[1]), {"np": np}) if given else getattr(np,
            name, None)
        if f is None:
            raise SystemExit("NumPy has no %s: give its row in ops_values.lua numpy = \"an expression of x, y\""
                % name)
        yield name, sets, ulp == "0", real_only(f) if "real_only" in rest else f


lines = ["# made by ufunc.py with NumPy %s" % np.__version__]


def pair(name):
    values = reals(name)
    rng = np.random.default_rng([7, DTYPES.index(name)])
    if is_complex(name):
        return values, np.roll(values, 13)
    if name == "bool":
        few = values
    elif name in INTS:
        info = np.iinfo(name)
        few = np.array([0, 1, 2, 3, 10, 100, info.max, info.max - 1] + ([-1, -7, info.min] if info.min else []),
            dtype=name)
    else:
        few = np.array([0.0, -0.0, 1, -1, 2.5, -7.25, np.inf, -np.inf, np.nan,
            float(ml_dtypes.finfo(numpy_dtype(name)).max), 0.1],
                       dtype=numpy_dtype(name))
    x, y = np.repeat(few, len(few)), np.tile(few, len(few))
    if name == "bool":
        return x, y
    return np.concatenate([x, rng.choice(values, 63)]), np.concatenate([y, rng.choice(values, 63)])


def make_sets():
    sets = {}
    for name in DTYPES:
        rng = np.random.default_rng([11, DTYPES.index(name)])
        sets["real", name] = reals(name)
        x, y = pair(name)
        sets["x", name], sets["y", name] = x, y
        few = moderate(name)
        sets["finite", name] = few
        sets["finite_x", name] = np.repeat(few[:14], 14)
        sets["finite_y", name] = np.tile(few[:14], 14)
        if not is_complex(name) and not is_float(name) and name != "bool":
            bits = np.iinfo(name).bits
            count = np.array([0, 1, 2, 3, bits // 2, bits - 1, bits, bits + 1], dtype=name)
            base = np.concatenate([reals(name)[:16], rng.choice(reals(name), 8)])
            sets["shifted", name], sets["shift", name] = np.repeat(base, 8), np.tile(count, len(base))
            power = np.array([0, 1, 2, 3, 4, 7, 13, 31], dtype=name)
            sets["base", name], sets["exponent", name] = np.repeat(base, 8), np.tile(power, len(base))
        else:
            sets["base", name], sets["exponent", name] = x, y
        if name == "bool":
            sets["shifted", name], sets["shift", name] = x, y
        sets["condition", name] = np.arange(len(x)) % 3 == 0
        sets["low", name], sets["high", name] = (np.minimum(np.roll(x, 5), np.roll(x, 9)),
            np.maximum(np.roll(x, 5), np.roll(x, 9)))
    steps = np.array([0, 1, -1, 3, -7, 20, -30, 127, -150, 1100, -1074], dtype=np.int32)
    for name in ("float16", "bfloat16", "float32", "float64", "int32"):
        sets["mantissa", name] = np.repeat(reals(name)[:28], len(steps))
    sets["scale", "int32"] = np.tile(steps, 28)
    return sets


SETS = make_sets()
for (which, name), values in SETS.items():
    if which != "condition":
        lines.append("set %s %s %s" % (which, name, hexes(values)))
for name in DTYPES:
    lines.append("set condition_%s bool %s" % (name, hexes(SETS["condition", name])))


def alike(name):
    """The dtype that stands in for bfloat16 when NumPy is asked for a result dtype."""
    return "float16" if name == "bfloat16" else name


def outcome(f, args):
    """NumPy's result dtypes for operands of these dtypes, or None where it has no loop."""
    probe = [np.ones(2, alike(name_of(a.dtype))) for a in args]
    try:
        result = f(*probe)
    except TypeError:
        return None
    result = result if isinstance(result, tuple) else (result,)
    names = [name_of(r.dtype) for r in result]
    if any(name_of(a.dtype) == "bfloat16" for a in args):
        names = ["bfloat16" if n == "float16" else n for n in names]
    return names


def record(op, sets, args, f, out, values, undefined=None):
    text = " ".join(hexes(narrow(v, n), undefined) for v, n in zip(values, out))
    lines.append("op %s %s %s -> %s %s" % (op, ",".join(sets), ",".join(name_of(a.dtype) for a in args), ",".join(out),
        text))


def exact(op, sets, f=None, undefined=None, dtypes=DTYPES, operands=None):
    f = f or getattr(np, op)
    for name in dtypes:
        args = operands(name) if operands else [SETS[s, name] for s in sets if (s, name) in SETS]
        if len(args) < len(sets):
            continue
        out = outcome(f, args)
        if out is None:
            lines.append("op %s %s %s error" % (op, ",".join(sets), ",".join(name_of(a.dtype) for a in args)))
            continue
        wide = [a.astype(np.float32) if name_of(a.dtype) == "bfloat16" else a for a in args]
        result = f(*(args if op == "nextafter" else wide))
        result = result if isinstance(result, tuple) else (result,)
        record(op, sets, args, f, out, result, undefined(*args) if undefined else None)


def smooth(op, sets, f=None, undefined=None, dtypes=DTYPES, integers_exact=False):
    f = f or getattr(np, op)
    for name in dtypes:
        args = [SETS[s, name] for s in sets if (s, name) in SETS]
        out = outcome(f, args) if len(args) == len(sets) else []
        if out is None:
            lines.append("op %s %s %s error" % (op, ",".join(sets), ",".join(name_of(a.dtype) for a in args)))
        if not out:
            continue
        loop = out[0]
        if op == "angle" and is_complex(name):
            loop = name
        if loop not in WIDER:
            if integers_exact:
                record(op, sets, args, f, out, [f(*args)], undefined(*args) if undefined else None)
            continue
        wide = [a.astype(numpy_dtype(loop)).astype(WIDER[loop]) for a in args]
        result = f(*wide)
        skip = undefined(*args) if undefined else np.zeros(args[0].shape, bool)
        if op.startswith("logaddexp"):   # what is left where log(exp(x) + exp(y)) crosses 0
            skip = skip | (np.abs(result) < 0.1 * np.maximum(np.abs(wide[0]), np.abs(wide[1])))
        if is_complex(loop):
            skip = skip | ~np.isfinite(result)
        record(op, sets, args, f, out, [result], skip)


for op in FIRST:
    if op == "i0":
        for name in FLOATS:
            x = SETS["finite", name]
            record(op, ["finite"], [x], None, [name], [np.i0(x.astype(np.float64))])
    elif op == "sinc":
        for name in FLOATS:
            x = SETS["finite", name]
            y = np.sinc(x.astype(WIDER[name]))
            # sin(pi x) near its zeros is what pi's rounding leaves: no more than a few digits mean anything
            record(op, ["finite"], [x], None, [name], [y], np.abs(y) < 0.1)
    elif op == "sqrt":
        exact(op, ["real"], dtypes=[d for d in DTYPES if d not in COMPLEXES])
        smooth(op, ["real"], dtypes=COMPLEXES)
    elif op == "angle":
        smooth(op, ["real"], dtypes=FLOATS + COMPLEXES)
    else:
        smooth(op, ["real"])
for op in EXACT:
    skip = None
    if op == "reciprocal":
        skip = lambda x: (x == 0) if x.dtype.kind in "iub" else np.zeros(x.shape, bool)
    if op == "nan_to_num":
        for name in DTYPES:
            x = SETS["real", name]
            if name == "bfloat16":
                top = ml_dtypes.finfo(x.dtype).max
                y = np.where(np.isnan(x.astype(float)), np.zeros(1, x.dtype), np.clip(x, -top, top))
                record(op, ["real"], [x], None, [name], [y.astype(np.float32)])
            else:
                record(op, ["real"], [x], None, [name], [np.nan_to_num(x)])
        continue
    exact(op, ["real"], undefined=skip, dtypes=DTYPES if op != "fix" else [d for d in DTYPES if is_float(d)])
for op in PAIRS:
    # what NumPy does with infinite and NaN parts of complex products varies with the machine: the sets leave them out
    complex_smooth = op in ("multiply", "divide")
    exact(op, ["x", "y"], dtypes=[d for d in DTYPES if not (complex_smooth and d in COMPLEXES)])
    if complex_smooth:
        smooth(op, ["x", "y"], dtypes=COMPLEXES)
for op in SMOOTH_PAIRS:
    smooth(op, ["x", "y"])
smooth("power", ["base", "exponent"], integers_exact=True, undefined=lambda x,
    y: (y < 0) if y.dtype.kind == "i" else np.zeros(x.shape, bool))
smooth("float_power", ["finite_x", "finite_y"])
for op in ("left_shift", "right_shift"):
    exact(op, ["shifted", "shift"])
for op in ("gcd", "lcm"):
    exact(op, ["finite_x", "finite_y"])
for name in ("float16", "bfloat16", "float32", "float64", "int32"):
    x, k = SETS["mantissa", name], SETS["scale", "int32"]
    out = outcome(np.ldexp, [x, k])
    wide = x.astype(np.float32).astype(np.float64) if name in ("float16", "bfloat16",
        "float32") else x.astype(np.float64)
    record("ldexp", ["mantissa", "scale"], [x, k], None, out, [np.ldexp(wide, k)])
for name in DTYPES:
    c, x, y = SETS["condition", name], SETS["x", name], SETS["y", name]
    lines.append("op where condition_%s,x,y bool,%s,%s -> %s %s" % (name, name, name, name, hexes(np.where(c, x, y))))
    low, high = SETS["low", name], SETS["high", name]
    if name != "bool":
        lines.append("op clip x,low,high %s,%s,%s -> %s %s" % (name, name, name, name,
            hexes(np.minimum(np.maximum(x, low), high))))
for name in DTYPES:
    x = SETS["real", name]
    if name == "bool":
        continue
    for decimals in (0, 2, -1):
        if is_float(name) or is_complex(name) or decimals == 0:
            # NumPy's way overflows to infinity at the ends of the range, and rounds float16 after each of three steps
            y = np.round(x.astype(np.float32) if name in ("float16", "bfloat16") else x, decimals)
            lines.append("round %d %s -> %s %s" % (decimals, name, name,
                hexes(narrow(y, name), np.isinf(y) & np.isfinite(x.astype(y.dtype)))))

for op, sets, is_exact, f in rows_of_their_own():
    (exact if is_exact else smooth)(op, sets, f)

# Result dtypes of binary operations on every pair of dtypes: one letter a pair, `-` where NumPy has no loop.
LETTERS = dict(zip(DTYPES, "?bhilBHILeEfdFD"))
for op in PAIRS + SMOOTH_PAIRS + ["power", "left_shift", "right_shift", "gcd", "lcm", "float_power"]:
    if op in ("isclose",):
        continue
    row = ""
    for a in DTYPES:
        for b in DTYPES:
            if "bfloat16" in (a, b):
                row += "."
                continue
            try:
                r = getattr(np, op)(np.ones(1, a), np.ones(1, b))
            except TypeError:
                row += "-"
                continue
            row += LETTERS[name_of((r[0] if isinstance(r, tuple) else r).dtype)]
    lines.append("pairs %s %s" % (op, row))

print("\n".join(lines))
