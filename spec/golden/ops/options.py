"""Golden values of options, in the form of array/expressions.py: calls in Lua and what NumPy gives for the same.
Positions are 1-based."""
import warnings

import cases
import numpy as np
from cases import c, f, g, r

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


section = "positions"
for name in ("argmax", "argmin", "nanargmax", "nanargmin"):
    call = getattr(np, name)
    for dtype in ("int8", "uint16", "int32", "uint64"):
        case("ma.%s(r(4, 5), {dtype = '%s'})" % (name, dtype), (call(r(4, 5)) + 1).astype(dtype))
        case("ma.%s(g(4, 5), {axis = 2, dtype = '%s'})" % (name, dtype), (call(g(4, 5), 1) + 1).astype(dtype))
        case("ma.%s(f(2, 3, 4):astype('float16'), {axis = 1, keepdims = true, dtype = '%s'})" % (name, dtype),
             (call(f(2, 3, 4).astype("float16"), 0, keepdims=True) + 1).astype(dtype))
case("r(4, 3):argmax(1, {dtype = 'int32'})", (r(4, 3).argmax(0) + 1).astype("int32"))

section = "matmul"
for x, y, z in ((0, 1), (0, 1), (0, 1)), ((1, 0), (0, 1), (1, 0)), ((-1, -2), (2, 0), (0, 2)), ((0, 2), (1, 2), (2, 1)):
    for kind in "rc":
        make = {"r": r, "c": c}[kind]
        left = {(0, 1): (3, 4, 2), (1, 0): (4, 3, 2), (-1, -2): (2, 4, 3), (0, 2): (3, 2, 4)}[x]
        right = {(0, 1): (4, 5, 2), (2, 0): (5, 2, 4), (1, 2): (2, 4, 5)}[y]

        def text(axes):
            return "{%s}" % ", ".join(str(a + (a >= 0)) for a in axes)

        case("ma.matmul(%s(%s), %s(%s), {axes = {%s, %s, %s}})"
             % (kind, str(left)[1:-1], kind, str(right)[1:-1], text(x), text(y), text(z)),
             np.matmul(make(*left), make(*right), axes=[x, y, z]))
case("ma.matmul(r(3), r(3, 4), {axes = {1, {1, 2}, 1}})", np.matmul(r(3), r(3, 4), axes=[0, (0, 1), 0]))
case("ma.matmul(r(4, 3), r(3), {axes = {{1, 2}, {1}, {1}}})", np.matmul(r(4, 3), r(3)))
case("ma.matmul(r(3, 4), r(3), {axes = {{2, 1}, 1, -1}})", np.matmul(r(3, 4), r(3), axes=[(1, 0), 0, -1]))
case("ma.matmul(r(3), r(3), {axes = {1, 1}})", np.matmul(r(3), r(3), axes=[0, 0, ()]))
case("ma.matmul(r(3), r(3), {axes = {1, 1, {}}})", np.matmul(r(3), r(3), axes=[0, 0, ()]))
case("ma.matmul(f(2, 3), f(2, 3), {axes = {{1, 2}, {2, 1}, {2, 1}}, dtype = 'float32'})",
     np.matmul(f(2, 3), f(2, 3), axes=[(0, 1), (1, 0), (1, 0)], dtype="float32", casting="same_kind"))

section = "pad"
for lua, width in (("{[2] = {1, 2}}", {1: (1, 2)}), ("{[-1] = 3}", {-1: 3}), ("{[-2] = {0, 2}}", {-2: (0, 2)}),
                   ("{[1] = {1, 1}, [-1] = 2}", {0: (1, 1), -1: 2})):
    for mode in ("constant", "edge", "reflect", "mean", "linear_ramp"):
        case("ma.pad(r(3, 4), %s, '%s')" % (lua, mode), np.pad(r(3, 4), width, mode))
case("ma.pad(r(3, 4), {[2] = {1, 2}}, 'constant', 7)", np.pad(r(3, 4), {1: (1, 2)}, constant_values=7))

section = "folds"
integers = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
for name in ("logaddexp", "logaddexp2", "hypot", "arctan2", "copysign", "divide", "power", "fmod"):
    call = getattr(np, name)
    for dtype in integers + ("float16", "float32", "float64"):
        lua = "(r(3, 4) + 4):astype('%s')" % dtype
        x = (r(3, 4) + 4).astype(dtype)
        case("ma.%s.reduce(%s)" % (name, lua), call.reduce(x))
        if name != "power":
            case("ma.%s.accumulate(%s, 2)" % (name, lua), call.accumulate(x, 1))
for dtype in ("float16", "float32", "float64"):
    case("ma.logaddexp.reduce(r(3, 4), 2, {dtype = '%s'})" % dtype,
         np.logaddexp.reduce(r(3, 4), 1, dtype=dtype))

section = "dtypes"
kinds = {"r": r, "f": f, "c": c}
for dtype in integers + ("float16", "float32", "float64", "complex64", "complex128"):
    lua, x = "(r(3, 4) + 3):astype('%s')" % dtype, (r(3, 4) + 3).astype(dtype)
    case("ma.sort_complex(%s)" % lua, np.sort_complex(x))
    case("ma.angle(%s)" % lua, np.angle(x))
    for other in ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"):
        weights = (r(3, 4) + 4).astype(other)
        case("ma.average(%s, 2, (r(3, 4) + 4):astype('%s'))" % (lua, other), np.average(x, 1, weights))
    if dtype[0] in "iu":
        for low, high in ((-1, 3), (-10**6, 10**6), (2, 400), (-200, 4)):
            if low <= np.iinfo(dtype).max and (low >= 0 or dtype[0] == "i" or high > 0):
                case("ma.clip(%s, %d, %d)" % (lua, low, high), np.clip(x, low, high))
    case("ma.round(%s)" % lua, np.round(x))
    for name in ("add", "maximum", "logical_or", "hypot", "divide", "power"):
        if name == "hypot" and dtype[0] == "c":
            continue
        case("ma.%s.reduce(%s)" % (name, lua.replace("(r(3, 4) + 3)", "(r(1) + 5):squeeze()")),
             getattr(np, name).reduce((r(1) + 5).squeeze().astype(dtype)))
    for name in ("var", "std"):
        for other in ("float32", "float64", "complex64", "complex128"):
            case("ma.%s(%s, 2, {dtype = '%s'})" % (name, lua, other), getattr(np, name)(x, 1, dtype=other))
case("ma.clip(r(5), {min = -1, max = 3})", np.clip(r(5), min=-1, max=3))
case("ma.clip(r(5), {max = 3})", np.clip(r(5), max=3))
for name in ("fmod", "subtract", "divide", "hypot"):
    dtype = "float32" if name in ("divide", "hypot") else "int16"
    case("ma.%s.reduce(f(2, 4) * 40, {dtype = '%s'})" % (name, dtype),
         getattr(np, name).reduce(f(2, 4) * 40, dtype=dtype))
    case("ma.%s.accumulate(f(2, 4) * 40, {dtype = '%s'})" % (name, dtype),
         getattr(np, name).accumulate(f(2, 4) * 40, dtype=dtype))
for dtype in ("float16", "float32", "float64", "int8"):
    x = r(7, 3).astype(dtype)
    for method in ("linear", "lower", "midpoint", "hazen", "inverted_cdf", "averaged_inverted_cdf"):
        for name in ("quantile", "nanquantile"):
            case("ma.%s(r(7, 3):astype('%s'), {0.1, 0.75}, 1, {method = '%s'})" % (name, dtype, method),
                 getattr(np, name)(x, [0.1, 0.75], 0, method=method))
            case("ma.%s(r(7, 3):astype('%s'), ma.float32(0.25), 1, {method = '%s'})" % (name, dtype, method),
                 getattr(np, name)(x, np.float32(0.25), 0, method=method))

for dtype in integers + ("float32", "complex64"):
    values = np.array([-3, 3, 0, 5]).astype(dtype) if dtype[0] not in "bu" else np.array([0, 2, 0, 5]).astype(dtype)
    lua = "ma.array({%s}, 'int64'):astype('%s')" % (", ".join(str(int(v.real)) for v in np.asarray(values)), dtype)
    for name in ("sum", "prod", "cumsum", "cumprod"):
        case("ma.%s(%s, {dtype = 'bool'})" % (name, lua), getattr(np, name)(values, dtype=bool))
    case("ma.add.reduceat(%s, {1, 3}, {dtype = 'bool'})" % lua, np.add.reduceat(values, [0, 2], dtype=bool))

section = "borders"
x = np.pad(r(2, 2, 3) + 9, ((1, 0), (2, 1), (0, 3)))
lua = "ma.pad(r(2, 2, 3) + 9, {{1, 0}, {2, 1}, {0, 3}})"
for trim in ("f", "b", "fb", "BF"):
    case("ma.trim_zeros(%s, '%s')" % (lua, trim), np.trim_zeros(x, trim))
    case("ma.trim_zeros(%s, '%s', 2)" % (lua, trim), np.trim_zeros(x, trim, 1))
    case("ma.trim_zeros(%s, '%s', {-1, 1})" % (lua, trim), np.trim_zeros(x, trim, (-1, 0)))
case("ma.trim_zeros(ma.zeros{2, 3})", np.trim_zeros(np.zeros((2, 3))))
case("ma.trim_zeros(ma.zeros{2, 3}, {axis = 2})", np.trim_zeros(np.zeros((2, 3)), axis=1))
case("ma.trim_zeros(ma.zeros{0, 3})", np.trim_zeros(np.zeros((0, 3))))
case("ma.trim_zeros(ma.array(2))", np.trim_zeros(np.array(2.0)))

section = "spread"
for name in ("nanvar", "nanstd", "var", "std"):
    for ddof in (0, 1, 2, 4.5, 5, 7):
        case("ma.%s(g(5, 4), 1, {ddof = %s})" % (name, ddof), getattr(np, name)(g(5, 4), 0, ddof=ddof))
        case("ma.%s(g(5, 4), {ddof = %s, keepdims = true})" % (name, 4 * ddof),
             getattr(np, name)(g(5, 4), ddof=4 * ddof, keepdims=True))
        case("ma.%s(g(5, 4), 2, {ddof = %s, where = f(5, 4):gt(-0.25)})" % (name, ddof),
             getattr(np, name)(g(5, 4), 1, ddof=ddof, where=f(5, 4) > -0.25))
        case("ma.%s(r(5, 4):astype('int8'), 1, {ddof = %s})" % (name, ddof),
             getattr(np, name)(r(5, 4).astype("int8"), 0, ddof=ddof))

print("\n".join(lines))
