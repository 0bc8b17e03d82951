"""Golden values of polynomials: writes polynomial.txt, in the form of expressions.txt: calls in Lua and what NumPy gives for the same.

A line is: section, the Lua expression, then for each result its dtype, shape and elements (two numbers for a complex one), apart by
tabs. A line of the section "text" has a text, its newlines as "\\n".
"""
import os
import warnings

import numpy as np

warnings.simplefilter("ignore")
section = ""
lines = []


def r(*shape):
    return (np.arange(int(np.prod(shape)), dtype=np.int64) * 7 % 11 - 3).reshape(shape)


def f(*shape):
    return r(*shape) / 8


def g(*shape):
    x = f(*shape)
    x[x == 0.5] = np.nan
    return x


def c(*shape):
    return r(*shape) + 1j * r(*shape)[..., ::-1]


def cf(*shape):
    return c(*shape) / 8


def strided(*shape):
    return r(*[2 * n for n in shape])[tuple(slice(None, None, 2) for _ in shape)]


def number(x):
    return "%.17g" % x if np.isfinite(x) else "nan" if np.isnan(x) else "inf" if x > 0 else "-inf"


def element(x):
    if x.dtype.kind == "c":
        return number(x.real) + " " + number(x.imag)
    return number(x) if x.dtype.kind == "f" else str(int(x))


def case(expression, *results):
    fields = [section, expression]
    for a in results:
        a = np.asarray(getattr(a, "coef", a))
        fields += [str(a.dtype), ",".join(map(str, a.shape)), " ".join(element(x) for x in a.ravel())]
    lines.append("\t".join(fields))


def text(expression, result):
    lines.append("\t".join(["text", expression, str(result).replace("\n", "\\n")]))


# Vectors and points, by what makes them in Lua.
inputs = {
    "r(4)": r(4), "f(5)": f(5), "cf(3)": cf(3), "f(4):astype('float32')": f(4).astype("float32"), "r(3):astype('int32')": r(3).astype("int32"),
    "r(3):astype('int8')": r(3).astype("int8"), "cf(4):astype('complex64')": cf(4).astype("complex64"), "strided(3)": strided(3),
    "f(6)['::-1']": f(6)[::-1], "f(4):astype('float16')": f(4).astype("float16"), "f(1)": f(1), "g(8)": g(8), "r(5):eq(4)": r(5) == 4,
    "ma.concatenate({ma.zeros(2), f(3)})": np.concatenate([np.zeros(2), f(3)]), "ma.zeros(3)": np.zeros(3),
    "r(3):astype('uint8')": r(3).astype("uint8"),
}
points = {
    "f(2, 3)": f(2, 3), "r(3)": r(3), "ma.asarray(2, 'int64')": np.array(2), "f(4):astype('float32')": f(4).astype("float32"), "cf(2, 2)": cf(2, 2),
    "g(9)": g(9), "ma.zeros({0, 2})": np.zeros((0, 2)), "f(3, 2):transpose()": f(3, 2).T, "strided(2, 3)": strided(2, 3),
    "r(3):gt(0)": r(3) > 0, "ma.array({1, ma.inf, -ma.inf, 0})": np.array([1, np.inf, -np.inf, 0]), "f(3):astype('float16')": f(3).astype("float16"),
}

section = "classic"
for a, x in inputs.items():
    for b, y in inputs.items():
        case("ma.polyadd(%s, %s)" % (a, b), np.polyadd(x, y))
        if not (x.dtype == bool and y.dtype == bool):
            case("ma.polysub(%s, %s)" % (a, b), np.polysub(x, y))
        case("ma.polymul(%s, %s)" % (a, b), np.polymul(x, y))
        if x.dtype != np.float16 and y.dtype != np.float16 and y[0] != 0 and not np.isnan(x).any() and not np.isnan(y).any():
            case("ma.polydiv(%s, %s)" % (a, b), *np.polydiv(x, y))
    for b, y in points.items():
        case("ma.polyval(%s, %s)" % (a, b), np.polyval(x, y))
    for m in (0, 1, 2, 7):
        if x.dtype != bool or m:
            case("ma.polyder(%s, %d)" % (a, m), np.polyder(x, m))
    if x.dtype not in (bool, np.float16):
        case("ma.polyint(%s)" % a, np.polyint(x))
        case("ma.polyint(%s, 3, 2.5)" % a, np.polyint(x, 3, 2.5))
        case("ma.polyint(%s, 2, {1, -2})" % a, np.polyint(x, 2, [1., -2]))
        case("ma.polyint(%s, 0)" % a, np.polyint(x, 0))
    if x.dtype != bool:
        case("ma.poly(%s)" % a, np.poly(x))
case("ma.polyval(ma.zeros(0), f(3))", np.polyval(np.zeros(0), f(3)))
case("ma.polyval(r(3, 2), f(4, 2))", np.polyval(r(3, 2), f(4, 2)))
case("ma.polyadd(3, r(3))", np.polyadd(3., r(3)))
case("ma.poly(ma.zeros(0))", np.poly([]))
case("ma.poly({1, ma.complex(0, 2), ma.complex(0, -2), ma.complex(3, 1), ma.complex(3, -1)})", np.poly([1, 2j, -2j, 3 + 1j, 3 - 1j]))
case("ma.poly({1, ma.complex(0, 2), ma.complex(0, -2.5)})", np.poly([1, 2j, -2.5j]))
case("ma.poly(ma.arange(1, 30) / 8)", np.poly(np.arange(1, 30) / 8))
case("ma.polymul(f(40), f(60))", np.polymul(f(40), f(60)))

section = "roots"
case("ma.poly(f(3, 3))", np.poly(f(3, 3)))
case("ma.poly(cf(2, 2))", np.poly(cf(2, 2)))
for p in ("{1, -3, 2}", "{1, -6, 11, -6}", "{0, 0, 2, 1, 0, 0}", "{1, 0, 1}", "{2, 1, 3, 5, 7}", "{0, 0}", "{}", "{5}", "{1, 0, 0}"):
    case("sorted(ma.roots(%s))" % p, np.sort(np.roots(np.array(eval(p.replace("{", "[").replace("}", "]")), float))))
case("sorted(ma.roots(cf(4)))", np.sort(np.roots(cf(4))))
case("sorted(ma.roots(r(5)))", np.sort(np.roots(r(5))))
case("sorted(ma.roots(ma.array({1, -3, 2}, 'float32')))", np.sort(np.roots(np.array([1, -3, 2], "float32"))))
case("sorted(ma.roots(strided(4)))", np.sort(np.roots(strided(4))))

section = "fit"
t = np.arange(12) / 4 - 1
lua_t, lua_y = "(ma.arange(12) / 4 - 1)", "f(12)"
weights = 1 + np.arange(12) % 3
for deg in (0, 1, 3, 5):
    case("ma.polyfit(%s, %s, %d)" % (lua_t, lua_y, deg), np.polyfit(t, f(12), deg))
    case("ma.polyfit(%s, f(12, 2), %d)" % (lua_t, deg), np.polyfit(t, f(12, 2), deg))
    case("ma.polyfit(%s, %s, %d, {w = 1 + ma.arange(12) %% 3})" % (lua_t, lua_y, deg), np.polyfit(t, f(12), deg, w=weights))
    case("ma.polyfit(%s, f(12, 2), %d, {w = 1 + ma.arange(12) %% 3})" % (lua_t, deg), np.polyfit(t, f(12, 2), deg, w=weights))
    case("ma.polyfit(%s, cf(12), %d)" % (lua_t, deg), np.polyfit(t, cf(12), deg))
    case("ma.polyfit(ma.arange(12), r(12), %d)" % deg, np.polyfit(np.arange(12), r(12), deg))
    coefficients, residuals, rank, s, rcond = np.polyfit(t, f(12), deg, full=True)
    case("ma.polyfit(%s, %s, %d, {full = true})" % (lua_t, lua_y, deg), coefficients, residuals, np.int64(rank), s, np.float64(rcond))
    for kind, lua in ((True, "true"), ("unscaled", "'unscaled'")):
        case("ma.polyfit(%s, %s, %d, {cov = %s})" % (lua_t, lua_y, deg, lua), *np.polyfit(t, f(12), deg, cov=kind))
        case("ma.polyfit(%s, f(12, 2), %d, {cov = %s})" % (lua_t, deg, lua), *np.polyfit(t, f(12, 2), deg, cov=kind))
case("ma.polyfit(%s, %s, 2, 0.3)" % (lua_t, lua_y), np.polyfit(t, f(12), 2, 0.3))
case("ma.polyfit({1, 2}, {1, 4}, 3)", np.polyfit([1., 2], [1., 4], 3))
case("ma.polyfit(%s['::2'], f(12)['::-2'], 2)" % lua_t, np.polyfit(t[::2], f(12)[::-2], 2))

section = "poly1d"
p, q = np.poly1d(f(4)), np.poly1d(r(3))
P, Q = "ma.poly1d(f(4))", "ma.poly1d(r(3))"
for operator in "+-*":
    case("(%s %s %s).coeffs" % (P, operator, Q), eval("p %s q" % operator))
    case("(2.5 %s %s).coeffs" % (operator, P), eval("2.5 %s p" % operator))
    case("(%s %s 2.5).coeffs" % (P, operator), eval("p %s 2.5" % operator))
    case("(%s %s {1, 2}).coeffs" % (P, operator), eval("p %s [1., 2]" % operator))
    case("(%s %s f(3)).coeffs" % (P, operator), eval("p %s f(3)" % operator))
case("(%s / 2).coeffs" % P, p / 2)
case("(2 / %s).coeffs" % P, 2 / p)
case("(%s / %s).coeffs" % (P, Q), (p / q)[0])
case("(%s %% %s).coeffs" % (P, Q), (p / q)[1])
case("(-%s).coeffs" % P, -p)
case("(%s - %s).coeffs" % (P, P), p - p)
for n in (0, 1, 2, 5):
    case("(%s ^ %d).coeffs" % (P, n), p ** n)
    case("(%s ^ %d).coeffs" % (Q, n), q ** n)
case("%s(f(2, 3))" % P, p(f(2, 3)))
case("%s(%s).coeffs" % (P, Q), p(q))
case("%s:deriv().coeffs" % P, p.deriv())
case("%s:deriv(2).coeffs" % Q, q.deriv(2))
case("%s:deriv(9).coeffs" % Q, q.deriv(9))
case("%s:integ().coeffs" % P, p.integ())
case("%s:integ(2, {1, 2}).coeffs" % P, p.integ(2, [1., 2]))
case("ma.poly1d({0, 0, 1, 0}).c", np.poly1d([0, 0, 1., 0]).c)
case("ma.poly1d({0, 0}).c", np.poly1d([0., 0]).c)
case("ma.poly1d(ma.zeros(0, 'float32')).c", np.poly1d(np.zeros(0, "float32")).c)
case("ma.poly1d(5).c", np.poly1d(5.).c)
case("ma.poly1d(r(4), true).c", np.poly1d(r(4), True).c)
case("ma.poly1d(g(8)).c", np.poly1d(g(8)).c)
for lua, value in (("{1, 2, 3}", [1., 2, 3]), ("{5}", [5.]), ("{0}", [0.]), ("{-1, 0, 2.5}", [-1, 0, 2.5]), ("{1, -2, 0, -0.123456, 1e10}", [1, -2, 0, -.123456, 1e10]),
                   ("r(5)", r(5)), ("cf(3)", cf(3)), ("ma.array({ma.complex(0, 2), ma.complex(1, -1), 3})", [2j, 1 - 1j, 3]), ("f(30)", f(30)),
                   ("ma.array({1, ma.nan, ma.inf})", [1, np.nan, np.inf]), ("{1, 0}", [1., 0])):
    text("ma.poly1d(%s)" % lua, str(np.poly1d(value)).replace("j", "i"))
text("ma.poly1d({1, 2, 3}, {variable = 'z'})", np.poly1d([1., 2, 3], variable="z"))

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "polynomial.txt"), "w") as file:
    file.write("# made by polynomial.py with NumPy %s\n" % np.__version__)
    file.write("\n".join(lines) + "\n")
print("polynomial.txt", len(lines), "records,", os.path.getsize(os.path.join(here, "polynomial.txt")), "bytes")
