"""Golden values of polynomials, in the form of array/expressions.py: calls in Lua and what NumPy gives for the same.

A line is: section, the Lua expression, then for each result its dtype, shape and elements (two numbers for a complex
one), apart by tabs. A line of the section "text" has a text, its newlines as "\\n".
"""
import re
import warnings

import cases
import numpy as np
from cases import c, f, g, r, strided

warnings.simplefilter("ignore")
section = ""
lines = []


def cf(*shape):
    return c(*shape) / 8


def case(expression, *results):
    lines.append(cases.line(section, expression, *(getattr(a, "coef", a) for a in results)))


def ordered(x):
    """In an order that the last digits do not change."""
    return np.sort(np.round(x, 4 if x.dtype in (np.float32, np.complex64) else 7) + 0)


def text(expression, result):
    lines.append("\t".join(["text", expression, str(result).replace("\n", "\\n")]))


# Vectors and points, by what makes them in Lua.
inputs = {
    "r(4)": r(4), "f(5)": f(5), "cf(3)": cf(3), "f(4):astype('float32')": f(4).astype("float32"),
    "r(3):astype('int32')": r(3).astype("int32"),
    "r(3):astype('int8')": r(3).astype("int8"), "cf(4):astype('complex64')": cf(4).astype("complex64"),
    "strided(3)": strided(3),
    "f(6)['::-1']": f(6)[::-1], "f(4):astype('float16')": f(4).astype("float16"), "f(1)": f(1), "g(8)": g(8),
    "r(5):eq(4)": r(5) == 4,
    "ma.concatenate({ma.zeros(2), f(3)})": np.concatenate([np.zeros(2), f(3)]), "ma.zeros(3)": np.zeros(3),
    "r(3):astype('uint8')": r(3).astype("uint8"),
}
points = {
    "f(2, 3)": f(2, 3), "r(3)": r(3), "ma.asarray(2, 'int64')": np.array(2),
    "f(4):astype('float32')": f(4).astype("float32"), "cf(2, 2)": cf(2, 2),
    "g(9)": g(9), "ma.zeros({0, 2})": np.zeros((0, 2)), "f(3, 2):transpose()": f(3, 2).T,
    "strided(2, 3)": strided(2, 3),
    "r(3):gt(0)": r(3) > 0, "ma.array({1, ma.inf, -ma.inf, 0})": np.array([1, np.inf, -np.inf, 0]),
    "f(3):astype('float16')": f(3).astype("float16"),
}

section = "classic"
for a, x in inputs.items():
    for b, y in inputs.items():
        case("ma.polyadd(%s, %s)" % (a, b), np.polyadd(x, y))
        if not (x.dtype == bool and y.dtype == bool):
            case("ma.polysub(%s, %s)" % (a, b), np.polysub(x, y))
        case("ma.polymul(%s, %s)" % (a, b), np.polymul(x, y))
        if (x.dtype != np.float16 and y.dtype != np.float16 and y[0] != 0
                and not np.isnan(x).any() and not np.isnan(y).any()):
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
case("ma.poly({1, ma.complex(0, 2), ma.complex(0, -2), ma.complex(3, 1), ma.complex(3, -1)})",
    np.poly([1, 2j, -2j, 3 + 1j, 3 - 1j]))
case("ma.poly({1, ma.complex(0, 2), ma.complex(0, -2.5)})", np.poly([1, 2j, -2.5j]))
case("ma.poly(ma.arange(1, 30) / 8)", np.poly(np.arange(1, 30) / 8))
case("ma.polymul(f(40), f(60))", np.polymul(f(40), f(60)))

section = "roots"
case("ma.poly(f(3, 3))", np.poly(f(3, 3)))
case("ma.poly(cf(2, 2))", np.poly(cf(2, 2)))
for p in ("{1, -3, 2}", "{1, -6, 11, -6}", "{0, 0, 2, 1, 0, 0}", "{1, 0, 1}", "{2, 1, 3, 5, 7}", "{0, 0}", "{}", "{5}",
        "{1, 0, 0}"):
    case("sorted(ma.roots(%s))" % p, ordered(np.roots(np.array(eval(p.replace("{", "[").replace("}", "]")), float))))
case("sorted(ma.roots(cf(4)))", ordered(np.roots(cf(4))))
case("sorted(ma.roots(r(5)))", ordered(np.roots(r(5))))
case("sorted(ma.roots(ma.array({1, -3, 2}, 'float32')))", ordered(np.roots(np.array([1, -3, 2], "float32"))))
case("sorted(ma.roots(strided(4)))", ordered(np.roots(strided(4))))

section = "fit"
t = np.arange(12) / 4 - 1
lua_t, lua_y = "(ma.arange(12) / 4 - 1)", "f(12)"
weights = 1 + np.arange(12) % 3
for deg in (0, 1, 3, 5):
    case("ma.polyfit(%s, %s, %d)" % (lua_t, lua_y, deg), np.polyfit(t, f(12), deg))
    case("ma.polyfit(%s, f(12, 2), %d)" % (lua_t, deg), np.polyfit(t, f(12, 2), deg))
    case("ma.polyfit(%s, %s, %d, {w = 1 + ma.arange(12) %% 3})" % (lua_t, lua_y, deg),
        np.polyfit(t, f(12), deg, w=weights))
    case("ma.polyfit(%s, f(12, 2), %d, {w = 1 + ma.arange(12) %% 3})" % (lua_t, deg),
        np.polyfit(t, f(12, 2), deg, w=weights))
    case("ma.polyfit(%s, cf(12), %d)" % (lua_t, deg), np.polyfit(t, cf(12), deg))
    case("ma.polyfit(ma.arange(12), r(12), %d)" % deg, np.polyfit(np.arange(12), r(12), deg))
    coefficients, residuals, rank, s, rcond = np.polyfit(t, f(12), deg, full=True)
    case("ma.polyfit(%s, %s, %d, {full = true})" % (lua_t, lua_y, deg), coefficients, residuals, np.int64(rank), s,
        np.float64(rcond))
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
for lua, value in (("{1, 2, 3}", [1., 2, 3]), ("{5}", [5.]), ("{0}", [0.]), ("{-1, 0, 2.5}", [-1, 0, 2.5]),
        ("{1, -2, 0, -0.123456, 1e10}", [1, -2, 0, -.123456, 1e10]),
                   ("r(5)", r(5)), ("cf(3)", cf(3)),
                   ("ma.array({ma.complex(0, 2), ma.complex(1, -1), 3})", [2j, 1 - 1j, 3]), ("f(30)", f(30)),
                   ("ma.array({1, ma.nan, ma.inf})", [1, np.nan, np.inf]), ("{1, 0}", [1., 0])):
    text("ma.poly1d(%s)" % lua, str(np.poly1d(value)).replace("j", "i"))
text("ma.poly1d({1, 2, 3}, {variable = 'z'})", np.poly1d([1., 2, 3], variable="z"))

# ==== numpy.polynomial ====

FAMILIES = {"polynomial": ("poly", "Polynomial"), "chebyshev": ("cheb", "Chebyshev"), "legendre": ("leg", "Legendre"),
            "hermite": ("herm", "Hermite"), "hermite_e": ("herme", "HermiteE"), "laguerre": ("lag", "Laguerre")}
vectors = {k: v for k, v in inputs.items() if v.dtype not in (bool, np.float16) and "zeros(3)" not in k
    and "g(8)" not in k}
vectors["ma.concatenate({f(3), ma.zeros(2)})"] = np.concatenate([f(3), np.zeros(2)])
values = {k: v for k, v in points.items() if v.dtype != np.float16 and v.dtype != bool}
trimmed = {k: v for k, v in vectors.items() if v[-1] != 0}

for module, (prefix, kind) in FAMILIES.items():
    section = module
    m = getattr(np.polynomial, module)
    lua = "ma.polynomial.%s.%s" % (module, prefix)

    def call(name, *arguments, **options):
        return getattr(m, prefix + name)(*arguments, **options)

    for a, c_ in vectors.items():
        for b, x in values.items():
            narrow = {c_.dtype, x.dtype} & {np.dtype("float32"), np.dtype("complex64")}
            section = "mixed" if narrow else module               # parts of it are computed in single precision
            case("%sval(%s, %s)" % (lua, b, a), call("val", x, c_))
        section = module
        for b, d in list(vectors.items())[:6]:
            case("%sadd(%s, %s)" % (lua, a, b), call("add", c_, d))
            case("%ssub(%s, %s)" % (lua, a, b), call("sub", c_, d))
            case("%smul(%s, %s)" % (lua, a, b), call("mul", c_, d))
            quotient, rest = call("div", c_, d)
            case("%sdiv(%s, %s)" % (lua, a, b), quotient, rest.astype(quotient.dtype))
        case("%smulx(%s)" % (lua, a), call("mulx", c_))
        for n in (0, 1, 2, 3):
            case("%spow(%s, %d)" % (lua, a, n), call("pow", c_, n))
        for n in (0, 1, 2, 9):
            case("%sder(%s, %d, 0.5)" % (lua, a, n), call("der", c_, n, 0.5))
        for n in (0, 1, 3):
            case("%sint(%s, %d)" % (lua, a, n), call("int", c_, n))
        case("%sint(%s, 2, {1, -2}, 0.5, 2)" % (lua, a), call("int", c_, 2, [1, -2], 0.5, 2))
        if len(c_) > 1 and c_.dtype.kind != "c":
            if len(np.trim_zeros(c_, "b")) > 1:
                case("%scompanion(%s)" % (lua, a), call("companion", c_))
        if len(np.trim_zeros(c_, "b")) > 1:
            section = "series roots"
            case("sorted(%sroots(%s))" % (lua, a), ordered(call("roots", c_)))
            section = module
        if c_.dtype != np.int8:
            kept = c_.dtype if c_.dtype.kind in "fc" else float
            case("%sfromroots(%s)" % (lua, a), call("fromroots", c_).astype(kept))
        case("%strim(%s, 0.3)" % (lua, a), call("trim", c_, 0.3))
    case("%sval(0.5, f(4):astype('float32'))" % lua, call("val", 0.5, f(4).astype("float32")))
    case("%sval(2, r(4))" % lua, call("val", 2., r(4)))
    case("%sval(f(2), f(4, 3))" % lua, call("val", f(2), f(4, 3)))
    case("%sval(f(3), f(4, 3), false)" % lua, call("val", f(3), f(4, 3), tensor=False))
    case("%sval(f(2, 2), f(4, 3, 2))" % lua, call("val", f(2, 2), f(4, 3, 2)))
    case("%sval2d(f(4), f(4) / 2, f(3, 2))" % lua, call("val2d", f(4), f(4) / 2, f(3, 2)))
    case("%sval2d(f(4), f(4) / 2, f(3, 2, 5))" % lua, call("val2d", f(4), f(4) / 2, f(3, 2, 5)))
    case("%sval2d(0.5, 0.25, f(3, 2))" % lua, call("val2d", 0.5, 0.25, f(3, 2)))
    case("%sval3d(f(2, 2), f(2, 2) / 2, f(2, 2) / 4, f(3, 2, 4))" % lua,
        call("val3d", f(2, 2), f(2, 2) / 2, f(2, 2) / 4, f(3, 2, 4)))
    case("%sgrid2d(f(4), f(3), f(3, 2))" % lua, call("grid2d", f(4), f(3), f(3, 2)))
    case("%sgrid3d(f(4), f(3), f(2), f(3, 2, 4))" % lua, call("grid3d", f(4), f(3), f(2), f(3, 2, 4)))
    for x in ("f(5)", "r(2, 3)", "f(3):astype('float32')", "cf(2)", "ma.asarray(0.5)", "g(6)", "ma.zeros({0})"):
        y = {"f(5)": f(5), "r(2, 3)": r(2, 3), "f(3):astype('float32')": f(3).astype("float32"), "cf(2)": cf(2),
            "ma.asarray(0.5)": 0.5, "g(6)": g(6),
             "ma.zeros({0})": np.zeros(0)}[x]
        for n in (0, 1, 4):
            case("%svander(%s, %d)" % (lua, x, n), call("vander", y, n))
    case("%svander2d(f(3), f(3) / 2, {2, 1})" % lua, call("vander2d", f(3), f(3) / 2, [2, 1]))
    case("%svander3d(r(2, 2), f(2, 2), f(2, 2) / 2, {1, 2, 1})" % lua,
        call("vander3d", r(2, 2), f(2, 2), f(2, 2) / 2, [1, 2, 1]))
    case("%sder(f(4, 3), {axis = 2})" % lua, call("der", f(4, 3), axis=1))
    case("%sder(f(4, 3), 2, 0.5)" % lua, call("der", f(4, 3), 2, 0.5))
    case("%sder(f(5, 2):transpose(), {m = 2, axis = -1})" % lua, call("der", f(5, 2).T, 2, axis=-1))
    case("%sint(f(4, 3), {axis = 2})" % lua, call("int", f(4, 3), axis=1))
    case("%sint(f(4, 3), 2, {1, 2}, 0.5, 3)" % lua, call("int", f(4, 3), 2, [1, 2], 0.5, 3))
    case("%sint({0}, 2, {1, 3})" % lua, call("int", [0.], 2, [1, 3]))
    case("%sline(1, 2)" % lua, call("line", 1., 2.))
    case("%sline(1, 0)" % lua, call("line", 1., 0.))
    case("%sfromroots({})" % lua, call("fromroots", []))
    case("%sroots({3})" % lua, call("roots", [3.]))
    if module != "polynomial":
        case("ma.polynomial.%s.poly2%s(f(5))" % (module, prefix), getattr(m, "poly2" + prefix)(f(5)))
        case("ma.polynomial.%s.%s2poly(f(5))" % (module, prefix), getattr(m, prefix + "2poly")(f(5)))
        case("ma.polynomial.%s.%s2poly(f(2))" % (module, prefix), getattr(m, prefix + "2poly")(f(2)))
        case("%sweight(f(5) / 2 + 0.1)" % lua, call("weight", f(5) / 2 + 0.1))
    else:
        for x, y in (("f(5)", f(5)), ("r(2, 3)", r(2, 3)), ("cf(2)", cf(2))):
            case("%svalfromroots(%s, f(3))" % (lua, x), call("valfromroots", y, f(3)))
            case("%svalfromroots(%s, r(3, 2))" % (lua, x), call("valfromroots", y, r(3, 2)))
        case("%svalfromroots(f(2), r(3, 2), false)" % lua, call("valfromroots", f(2), r(3, 2), tensor=False))
        case("%svalfromroots(0.5, r(3))" % lua, call("valfromroots", 0.5, r(3)))

    section = "series fit"
    for deg, list_ in ((0, "0"), (3, "3"), ([0, 2, 3], "{0, 2, 3}"), ([3, 1], "{3, 1}")):
        case("%sfit(%s, f(12), %s)" % (lua, lua_t, list_), call("fit", t, f(12), deg))
        case("%sfit(%s, f(12, 2), %s, {w = 1 + ma.arange(12) %% 3})" % (lua, lua_t, list_),
            call("fit", t, f(12, 2), deg, w=weights))
        case("%sfit(%s, cf(12), %s)" % (lua, lua_t, list_), call("fit", t, cf(12), deg))
    coefficients, (residuals, rank, s, rcond) = call("fit", t, f(12), 3, full=True)
    case("%sfit(%s, f(12), 3, {full = true})" % (lua, lua_t), coefficients, residuals, np.int64(rank), s,
        np.float64(rcond))
    case("%sfit(%s:astype('float32'), f(12):astype('float32'), 2)" % (lua, lua_t),
        call("fit", t.astype("float32"), f(12).astype("float32"), 2))

    section = "object"
    Class = getattr(np.polynomial, kind)
    p, q = Class(f(4)), Class(r(3))
    P, Q = "ma.polynomial.%s(f(4))" % kind, "ma.polynomial.%s(r(3))" % kind
    mapped, M = Class(f(5), [0, 4], [-2, 1], "t"), "ma.polynomial.%s(f(5), {0, 4}, {-2, 1}, 't')" % kind
    for operator in "+-*":
        case("(%s %s %s).coef" % (P, operator, Q), eval("p %s q" % operator))
        case("(2.5 %s %s).coef" % (operator, P), eval("2.5 %s p" % operator))
        case("(%s %s 2.5).coef" % (P, operator), eval("p %s 2.5" % operator))
        case("(%s %s {1, 2}).coef" % (P, operator), eval("p %s [1., 2]" % operator))
        case("(%s %s f(3)).coef" % (P, operator), eval("p %s f(3)" % operator))
    case("(%s / 2).coef" % P, p / 2)
    case("(%s / %s).coef" % (P, Q), p // q)
    case("(%s %% %s).coef" % (P, Q), p % q)
    case("(-%s).coef" % P, -p)
    case("(%s ^ 3).coef" % P, p ** 3)
    for o, O in ((p, P), (mapped, M)):
        case("%s(f(2, 3))" % O, o(f(2, 3)))
        case("%s(0.5)" % O, o(0.5))
        case("%s:deriv().coef" % O, o.deriv())
        case("%s:deriv(2).coef" % O, o.deriv(2))
        case("%s:integ().coef" % O, o.integ())
        case("%s:integ(2, {1, 2}, 0.5).coef" % O, o.integ(2, [1, 2], 0.5))
        section = "series roots"
        case("sorted(%s:roots())" % O, ordered(o.roots()))
        section = "object"
        case("%s:linspace(5)" % O, *o.linspace(5))
        case("%s:convert().coef" % O, o.convert())
        case("%s:truncate(2).coef" % O, o.truncate(2))
        case("%s:cutdeg(2).coef" % O, o.cutdeg(2))
        case("%s:trim(0.3).coef" % O, o.trim(0.3))
        for other in ("Polynomial", "Chebyshev", "Legendre", "Laguerre"):
            case("%s:convert(ma.polynomial.%s).coef" % (O, other), o.convert(kind=getattr(np.polynomial, other)))
            case("%s:convert(ma.polynomial.%s, {0, 2}).coef" % (O, other),
                o.convert([0, 2], getattr(np.polynomial, other)))
        text(O, str(o))
    case("%s(%s).coef" % (P, Q), p(q))
    section = "series fit"
    case("ma.polynomial.%s.fit(%s, f(12), 3).coef" % (kind, lua_t), Class.fit(t, f(12), 3))
    case("ma.polynomial.%s.fit(%s, f(12), 3, {domain = {}}).coef" % (kind, lua_t), Class.fit(t, f(12), 3, []))
    case("ma.polynomial.%s.fit(%s, f(12), {0, 2}, {domain = {-2, 2}, w = 1 + ma.arange(12) %% 3}).coef" % (kind, lua_t),
         Class.fit(t, f(12), [0, 2], [-2, 2], w=weights))
    section = "object"
    case("ma.polynomial.%s.fromroots({1, 2, -0.5}).coef" % kind, Class.fromroots([1, 2, -.5]))
    case("ma.polynomial.%s.fromroots({1, 2, -0.5}, {}).coef" % kind, Class.fromroots([1, 2, -.5], []))
    case("ma.polynomial.%s.identity({0, 4}).coef" % kind, Class.identity([0., 4]))
    case("ma.polynomial.%s.basis(3).coef" % kind, Class.basis(3).coef.astype(float))
    case("ma.polynomial.%s.cast(ma.polynomial.Legendre(f(4))).coef" % kind, Class.cast(np.polynomial.Legendre(f(4))))
    for lua_v, value in (("{1, -2, 0, -1e-7, 1e10}", [1, -2, 0, -1e-7, 1e10]), ("f(14)", f(14)), ("cf(3)", cf(3)),
            ("{5}", [5.]),
                         ("{1, ma.nan, -ma.inf}", [1, np.nan, -np.inf])):
        text("ma.polynomial.%s(%s)" % (kind, lua_v), re.sub(r"(?<=\d)j", "i", str(Class(value))))
text("ma.polynomial.Polynomial({1, 2}, {-1, 3})", str(np.polynomial.Polynomial([1., 2], [-1, 3])))
text("ma.polynomial.Polynomial({1, 2}, {-2, 2}, {-1, 1}, 'z')",
    str(np.polynomial.Polynomial([1., 2], [-2, 2], [-1, 1], "z")))

section = "utils"
pu = np.polynomial.polyutils
case("unpack(ma.polynomial.polyutils.as_series({r(3), f(4), ma.array({1, 0, 0})}))",
    *pu.as_series([r(3), f(4), [1., 0, 0]]))
case("unpack(ma.polynomial.polyutils.as_series({r(3), cf(2), ma.array({1, 0})}, false))",
    *pu.as_series([r(3), cf(2), [1., 0]], False))
case("unpack(ma.polynomial.polyutils.as_series({f(3):astype('float32'), 2}))",
    *pu.as_series([f(3).astype("float32"), np.float64(2)]))
case("ma.polynomial.polyutils.trimseq(ma.array({0, 1, 2, 0, 0}, 'int32'))",
    pu.trimseq(np.array([0, 1, 2, 0, 0], "int32")))
case("ma.polynomial.polyutils.trimseq({0, 0})", pu.trimseq(np.array([0., 0])))
case("ma.polynomial.polyutils.trimseq(ma.zeros(0))", pu.trimseq(np.zeros(0)))
case("ma.polynomial.polyutils.trimcoef({0, 1, 2, 1e-3, -1e-3}, 0.01)", pu.trimcoef([0, 1, 2, 1e-3, -1e-3], .01))
case("ma.polynomial.polyutils.trimcoef({1, 2}, 5)", pu.trimcoef([1., 2], 5))
case("ma.polynomial.polyutils.trimcoef(ma.array({1, ma.complex(0, 2), ma.complex(0, 0.1)}), 0.5)",
    pu.trimcoef([1, 2j, .1j], .5))
case("ma.polynomial.polyutils.getdomain(f(9))", pu.getdomain(f(9)))
case("ma.polynomial.polyutils.getdomain(cf(5))", pu.getdomain(cf(5)))
case("ma.polynomial.polyutils.mapparms({-1, 1}, {0, 5})", *pu.mapparms((-1, 1), (0, 5)))
case("ma.polynomial.polyutils.mapdomain(f(2, 3), {-1, 1}, {0, 5})", pu.mapdomain(f(2, 3), (-1, 1), (0, 5)))

print("# made by polynomial.py with NumPy %s" % np.__version__)
print("\n".join(lines))
