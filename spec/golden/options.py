"""Golden values of options: writes options.txt, in the form of expressions.txt: calls in Lua and what NumPy gives for
the same. Positions are 1-based."""
import os
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

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "options.txt"), "w") as file:
    file.write("\n".join(lines) + "\n")
