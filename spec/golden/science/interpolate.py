"""Golden values of ma.interpolate, in the form of array/expressions.py: calls in Lua and what SciPy gives for the
same. X(n) are growing positions, and Q(n) points inside and outside of them."""
import warnings

import cases
import numpy as np
import scipy
from cases import P, Q, W, X, cf, f, r
from scipy import interpolate as I

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


def both(lua, fn, *more):
    """A call at points, its first and second derivative, and what `more` names."""
    case("%s(Q(9))" % lua, fn(Q(9)))
    case("%s(Q(9):reshape(2, 7))" % lua, fn(Q(9).reshape(2, 7)))
    for nu in (1, 2):
        if "BPoly" in lua and getattr(fn, "c", np.zeros(9)).shape[0] <= nu:
            continue
        case("%s(Q(9), %d)" % (lua, nu), fn(Q(9), nu))


def pieces(lua, fn):
    both(lua, fn)
    case("%s.c" % lua, fn.c)
    case("%s:antiderivative()(Q(9))" % lua, fn.antiderivative()(Q(9)))
    case("%s:antiderivative(2)(Q(9), 1)" % lua, fn.antiderivative(2)(Q(9), 1))
    case("%s:derivative()(Q(9))" % lua, fn.derivative()(Q(9)))
    for a, b in ((0.5, 3.1), (3, -1), (-2, 9)):
        case("ma.asarray(%s:integrate(%s, %s, true))" % (lua, a, b), fn.integrate(a, b, True))
    case("%s(Q(9), {extrapolate = false})" % lua, fn(Q(9), extrapolate=False))
    case("%s(Q(9), 0, 'periodic')" % lua, fn(Q(9), 0, "periodic"))


values = {"f(9)": f(9), "f(9, 3)": f(9, 3), "r(9)": r(9)}

section = "ppoly"
for a, c in (("f(4, 8)", f(4, 8)), ("f(1, 8)", f(1, 8)), ("cf(3, 8)", cf(3, 8)), ("f(3, 8, 2)", f(3, 8, 2))):
    pieces("I.PPoly(%s, X(9))" % a, I.PPoly(c, X(9)))
    lua, fn = "I.BPoly(%s, X(9))" % a, I.BPoly(c, X(9))
    both(lua, fn)
    case("%s:antiderivative()(Q(9))" % lua, fn.antiderivative()(Q(9)))
    case("I.from_bernstein_basis(%s).c" % lua, I.PPoly.from_bernstein_basis(fn).c)
    case("I.from_power_basis(I.PPoly(%s, X(9))).c" % a, I.BPoly.from_power_basis(I.PPoly(c, X(9))).c)
    case("ma.asarray(%s:integrate(0.5, 3))" % lua, fn.integrate(0.5, 3))
    case("%s(Q(9), {extrapolate = 'periodic'})" % lua, fn(Q(9), extrapolate="periodic"))
case("I.PPoly(f(4, 8), X(9)):roots()", I.PPoly(f(4, 8), X(9)).roots())
case("I.PPoly(f(4, 8), X(9)):roots(false, false)", I.PPoly(f(4, 8), X(9)).roots(False, False))
case("I.PPoly(f(4, 8), X(9)):solve(0.3, {extrapolate = false})", I.PPoly(f(4, 8), X(9)).solve(0.3, extrapolate=False))
case("I.PPoly(f(3, 8, 2), X(9)):roots()[2]", I.PPoly(f(3, 8, 2), X(9)).roots()[1])
p = I.PPoly(f(4, 8), X(9))
p.extend(f(3, 2), X(9)[-1] + [1, 3])
case("I.PPoly(f(4, 8), X(9)):extend(f(3, 2), X(9)(9) + ma.array{1, 3})(Q(9) * 2)", p(Q(9) * 2))

section = "cubic"
for a, y in values.items():
    for axis, lua in ((0, ""),) + (((1, ""),) if False else ()):
        pieces("I.CubicSpline(X(9), %s)" % a, I.CubicSpline(X(9), y))
        pieces("I.PchipInterpolator(X(9), %s)" % a, I.PchipInterpolator(X(9), y))
        pieces("I.Akima1DInterpolator(X(9), %s)" % a, I.Akima1DInterpolator(X(9), y))
        pieces("I.Akima1DInterpolator(X(9), %s, {method = 'makima', extrapolate = true})" % a,
            I.Akima1DInterpolator(X(9), y, method="makima", extrapolate=True))
        pieces("I.CubicHermiteSpline(X(9), %s, %s * 0.5)" % (a, a), I.CubicHermiteSpline(X(9), y, y * 0.5))
    for bc in ("natural", "clamped"):
        both("I.CubicSpline(X(9), %s, {bc_type = '%s'})" % (a, bc), I.CubicSpline(X(9), y, bc_type=bc))
both("I.CubicSpline(X(9), f(3, 9), 2)", I.CubicSpline(X(9), f(3, 9), axis=1))
both("I.CubicSpline(X(9), f(2, 9, 3), -2)", I.CubicSpline(X(9), f(2, 9, 3), axis=-2))
both("I.PchipInterpolator(X(9), f(3, 9), 2)", I.PchipInterpolator(X(9), f(3, 9), axis=1))
both("I.CubicSpline(X(9), cf(9))", I.CubicSpline(X(9), cf(9)))
both("I.CubicSpline(X(9), f(9), {bc_type = {{1, 0.5}, {2, -1}}})", I.CubicSpline(X(9), f(9), bc_type=((1, 0.5), (2,
    -1))))
both("I.CubicSpline(X(9), f(9), {bc_type = {'natural', 'not-a-knot'}})",
    I.CubicSpline(X(9), f(9), bc_type=("natural", "not-a-knot")))
both("I.CubicSpline(X(9), f(9, 2), {bc_type = {{2, {1, 2}}, 'clamped'}})",
    I.CubicSpline(X(9), f(9, 2), bc_type=((2, [1., 2]), "clamped")))
for n in (2, 3, 4, 5, 9, 40):
    y = f(n) * (np.arange(n) != n - 1) + f(1)[0] * (np.arange(n) == n - 1)
    lua = "(f(%d) * ma.arange(%d):ne(%d) + f(1) * ma.arange(%d):eq(%d))" % (n, n, n - 1, n, n - 1)
    case("I.CubicSpline(X(%d), %s, {bc_type = 'periodic'})(Q(%d))" % (n, lua, n),
        I.CubicSpline(X(n), y, bc_type="periodic")(Q(n)))
    for bc in ("not-a-knot", "natural", "clamped"):
        case("I.CubicSpline(X(%d), f(%d), {bc_type = '%s'})(Q(%d))" % (n, n, bc, n),
            I.CubicSpline(X(n), f(n), bc_type=bc)(Q(n)))
    case("I.pchip(X(%d), f(%d))(Q(%d))" % (n, n, n), I.PchipInterpolator(X(n), f(n))(Q(n)))
    case("I.Akima1DInterpolator(X(%d), f(%d))(Q(%d))" % (n, n, n), I.Akima1DInterpolator(X(n), f(n))(Q(n)))
case("I.CubicSpline(X(9), f(9) + 0.01):roots()", I.CubicSpline(X(9), f(9) + 0.01).roots())
case("I.pchip_interpolate(X(9), f(9), Q(9), 1)", I.pchip_interpolate(X(9), f(9), Q(9), 1))
case("I.pchip_interpolate(X(9), f(9), Q(9), {0, 2})[2]", I.pchip_interpolate(X(9), f(9), Q(9), [0, 2])[1])

section = "spline"
for k in (1, 2, 3, 4, 5):
    for a, y in list(values.items())[:2]:
        both("I.make_interp_spline(X(9), %s, %d)" % (a, k), I.make_interp_spline(X(9), y, k))
    case("I.make_interp_spline(X(9), f(9), %d).t" % k, I.make_interp_spline(X(9), f(9), k).t)
    case("I.make_interp_spline(X(9), f(9), %d).c" % k, I.make_interp_spline(X(9), f(9), k).c)
    t = np.r_[[X(9)[0]] * (k + 1), 1.3, 2, 2.6, [X(9)[-1]] * (k + 1)]
    lua_t = "ma.concatenate{ma.full(%d, X(9)(1)), {1.3, 2, 2.6}, ma.full(%d, X(9)(9))}" % (k + 1, k + 1)
    spline, lua = I.BSpline(t, f(k + 4, 2), k), "I.BSpline(%s, f(%d, 2), %d)" % (lua_t, k + 4, k)
    both(lua, spline)
    case("%s:derivative()(Q(9))" % lua, spline.derivative()(Q(9)))
    case("%s:derivative(%d).c" % (lua, k), spline.derivative(k).c[:4])
    case("%s:antiderivative(2)(Q(9))" % lua, spline.antiderivative(2)(Q(9)))
    case("%s:integrate(0.5, 3)" % lua, spline.integrate(0.5, 3))
    case("%s:integrate(0.5, 30, {extrapolate = false})" % lua, spline.integrate(0.5, 30, extrapolate=False))
    case("%s(Q(9), {extrapolate = 'periodic'})" % lua, spline(Q(9), extrapolate="periodic"))
    case("I.splder(%s)(Q(9))" % lua, I.splder(spline)(Q(9)))
    case("I.splantider(%s)(Q(9))" % lua, I.splantider(spline)(Q(9)))
    if k < 5:
        n = 30
        t = np.r_[[X(n)[0]] * (k + 1), 2.2, 5, 7.1, [X(n)[-1]] * (k + 1)]
        lua_t = "ma.concatenate{ma.full(%d, X(30)(1)), {2.2, 5, 7.1}, ma.full(%d, X(30)(30))}" % (k + 1, k + 1)
        case("I.make_lsq_spline(X(30), f(30, 2), %s, %d)(Q(30))" % (lua_t, k), I.make_lsq_spline(X(n), f(n, 2), t,
            k)(Q(n)))
        case("I.make_lsq_spline(X(30), f(30), %s, %d, {w = ma.arange(30) %% 3 + 1})(Q(30))" % (lua_t, k),
            I.make_lsq_spline(X(n), f(n), t, k, w=np.arange(n) % 3 + 1.)(Q(n)))
        u = I.LSQUnivariateSpline(X(n), f(n), [2.2, 5, 7.1], k=k)
        case("I.LSQUnivariateSpline(X(30), f(30), {2.2, 5, 7.1}, {k = %d})(Q(30))" % k, u(Q(n)))
        case("I.LSQUnivariateSpline(X(30), f(30), {2.2, 5, 7.1}, {k = %d}):get_residual()" % k, u.get_residual())
    u = I.InterpolatedUnivariateSpline(X(9), f(9), k=k)
    lua = "I.InterpolatedUnivariateSpline(X(9), f(9), {k = %d})" % k
    for ext in (0, 1, 3):
        case("%s(Q(9), 0, %d)" % (lua, ext), u(Q(9), 0, ext))
    case("%s(Q(9), 1)" % lua, u(Q(9), 1))
    case("%s:get_knots()" % lua, u.get_knots())
    case("%s:integral(0.5, 3)" % lua, np.float64(u.integral(0.5, 3)))
    case("%s:derivatives(1.1)" % lua, np.array(u.derivatives(1.1)))
    if k == 3:
        case("%s:roots()" % lua, u.roots())
both("I.make_interp_spline(X(9), f(9), {bc_type = 'natural'})", I.make_interp_spline(X(9), f(9), bc_type="natural"))
both("I.make_interp_spline(X(9), f(9), {bc_type = 'clamped'})", I.make_interp_spline(X(9), f(9), bc_type="clamped"))
both("I.make_interp_spline(X(9), f(9), 5, {bc_type = {{{1, 0.5}, {2, 0}}, {{2, 0}, {3, 1}}}})",
    I.make_interp_spline(X(9), f(9), 5, bc_type=([(1, 0.5), (2, 0)], [(2, 0), (3, 1)])))
both("I.make_interp_spline(X(9), f(2, 9), {axis = 2})", I.make_interp_spline(X(9), f(2, 9), axis=1))
both("I.make_interp_spline(X(9), cf(9))", I.make_interp_spline(X(9), cf(9)))
y = np.r_[f(8), f(1)]
for k in (3, 5):
    case("I.make_interp_spline(X(9), ma.concatenate{f(8), f(1)}, %d, {bc_type = 'periodic'})(Q(9))" % k,
        I.make_interp_spline(X(9), y, k, bc_type="periodic")(Q(9)))

m = 30
x, y = np.arange(m) * 1., np.arange(m) * 7 % 11 / 8 + np.arange(m)**2 / 90
lua_x, lua_y = "ma.arange(30)", "(ma.arange(30) * 7 % 11 / 8 + ma.arange(30) ^ 2 / 90)"
for k, s in ((3, None), (3, 0), (3, 1), (3, 4), (3, 0.05), (2, 2), (5, 1.5), (1, 1), (4, 1e4)):
    u = I.UnivariateSpline(x, y, k=k, s=s)
    lua = "I.UnivariateSpline(%s, %s, {k = %d%s})" % (lua_x, lua_y, k, "" if s is None else ", s = %s" % s)
    case("%s:get_knots()" % lua, u.get_knots())
    case("%s(ma.arange(-2, 32) + 0.3)" % lua, u(np.arange(-2, 32) + 0.3))
    case("%s:get_residual():round(5)" % lua, np.float64(np.round(u.get_residual(), 5)))
u = I.UnivariateSpline(x, y, w=np.arange(m) % 3 + 1, s=9, bbox=[-1, 30])
case("I.UnivariateSpline(%s, %s, ma.arange(30) %% 3 + 1, {-1, 30}, {s = 9})(ma.arange(-2, 32) + 0.3)" % (lua_x, lua_y),
    u(np.arange(-2, 32) + 0.3))

section = "polynomial"
for n in (1, 2, 5, 9):
    for a, y in (("f(%d)" % n, f(n)), ("f(%d, 2)" % n, f(n, 2)), ("cf(%d)" % n, cf(n))):
        for name in ("KroghInterpolator", "BarycentricInterpolator"):
            fn, lua = getattr(I, name)(X(n), y), "I.%s(X(%d), %s)" % (name, n, a)
            if n == 1 and name[0] == "B":
                continue
            case("%s(Q(%d))" % (lua, n), fn(Q(n)))
            case("%s(X(%d))" % (lua, n), fn(X(n)))
            for nu in (1, 3):
                case("%s:derivative(Q(%d), %d)" % (lua, n, nu), fn.derivative(Q(n), nu))
case("I.KroghInterpolator(X(5), f(5)):derivatives(Q(5), 3)", I.KroghInterpolator(X(5), f(5)).derivatives(Q(5), 3))
case("I.BarycentricInterpolator(X(5), f(5)):derivatives(Q(5), 3)",
    I.BarycentricInterpolator(X(5), f(5)).derivatives(Q(5), 3))
xi = np.array([0., 0, 0, 1, 2, 2])
case("I.KroghInterpolator({0, 0, 0, 1, 2, 2}, f(6))(Q(5))", I.KroghInterpolator(xi, f(6))(Q(5)))
case("I.krogh_interpolate(X(5), f(5), Q(5), 2)", I.krogh_interpolate(X(5), f(5), Q(5), 2))
case("I.barycentric_interpolate(X(5), f(3, 5), Q(5), 2)", I.barycentric_interpolate(X(5), f(3, 5), Q(5), 1))
case("I.barycentric_interpolate(X(5), f(5), Q(5), {der = 1})", I.barycentric_interpolate(X(5), f(5), Q(5), der=1))

section = "line"
for kind in ("linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic"):
    for a, y in (("f(9)", f(9)), ("f(2, 9)", f(2, 9))):
        for fill, lua in ((np.nan, "ma.nan"), ((1., 2.), "{1, 2}"), ("extrapolate", "'extrapolate'")):
            fn = I.interp1d(X(9), y, kind, bounds_error=False, fill_value=fill)
            case("I.interp1d(X(9), %s, '%s', {bounds_error = false, fill_value = %s})(Q(9))" % (a, kind, lua), fn(Q(9)))
    if kind not in ("nearest", "nearest-up"):
        case("I.interp1d(X(9), f(9), '%s')(X(9))" % kind, I.interp1d(X(9), f(9), kind)(X(9)))
    case("I.interp1d(X(9)['::-1'], f(9, 2), '%s', 1)(ma.full({2, 2}, 1.4))" % kind,
        I.interp1d(X(9)[::-1], f(9, 2), kind, 0)(np.full((2, 2), 1.4)))

section = "grid"


def tensor(grid, c, k):
    """The tensor spline. SciPy's own RegularGridInterpolator finds its coefficients to six digits only."""
    knots = []
    for d, x in enumerate(grid):
        spline = I.make_interp_spline(x, np.moveaxis(c, d, 0), k)
        knots.append(spline.t)
        c = np.moveaxis(spline.c, 0, d)
    return I.NdBSpline(tuple(knots), c, k)


grids = {
    1: ("{X(7)}", (X(7),), (7,)), 2: ("{X(7), X(8)}", (X(7), X(8)), (7, 8)),
    3: ("{X(7), X(8) * 2, X(6)}", (X(7), X(8) * 2, X(6)), (7, 8, 6)),
}
for d, (lua, grid, shape) in grids.items():
    for trailing in ((), (2,)):
        values = f(*shape, *trailing)
        lua_values = "f(%s)" % ", ".join(map(str, shape + trailing))
        points = P(11, d) * 5
        for method in ("linear", "nearest", "slinear", "cubic", "quintic", "pchip"):
            if method == "pchip" and trailing:
                continue
            fn = I.RegularGridInterpolator(grid, values, method, bounds_error=False, fill_value=None)
            if method in ("cubic", "quintic"):
                fn = tensor(grid, values, 3 if method == "cubic" else 5)
            case("I.RegularGridInterpolator(%s, %s, '%s', {fill_value = 'extrapolate', "
                "bounds_error = false})(P(11, %d) * 5)"
                % (lua, lua_values, method, d), fn(points))
            if method not in ("cubic", "quintic"):
                case("I.interpn(%s, %s, P(11, %d) * 5, '%s', false)" % (lua, lua_values, d, method),
                    I.interpn(grid, values, points, method, bounds_error=False))
fn = tensor((X(7), X(8)), f(7, 8), 3)
case("I.RegularGridInterpolator({X(7), X(8)}, f(7, 8), 'cubic')(P(5, 2) + 1, {nu = {1, 2}})", fn(P(5, 2) + 1, nu=(1,
    2)))
case("I.RegularGridInterpolator({X(7)['::-1'], X(8)}, f(7, 8))((P(6, 2) + 1):reshape(2, 3, 2))",
    I.RegularGridInterpolator((X(7)[::-1], X(8)), f(7, 8))((P(6, 2) + 1).reshape(2, 3, 2)))
case("I.interpn({X(7), X(8)}, f(7, 8), {X(5), X(5):reshape(5, 1)})",
    I.interpn((X(7), X(8)), f(7, 8), (X(5), X(5).reshape(5, 1))))
t = np.r_[0, 0, 0, 0, 1, 2, 2, 2, 2.]
case("I.NdBSpline({{0, 0, 0, 0, 1, 2, 2, 2, 2}, {0, 0, 1, 2, 3, 3}}, f(5, 4, 2), {3, 1})(P(6, 2) * 3)",
    I.NdBSpline((t, np.r_[0, 0, 1, 2, 3, 3.]), f(5, 4, 2), (3, 1))(P(6, 2) * 3))
case("I.NdBSpline({{0, 0, 0, 0, 1, 2, 2, 2, 2}, {0, 0, 1, 2, 3, 3}}, f(5, 4), {3, 1})(P(6, 2), {nu = {2, 1}})",
    I.NdBSpline((t, np.r_[0, 0, 1, 2, 3, 3.]), f(5, 4), (3, 1))(P(6, 2), nu=(2, 1)))
case("I.NdPPoly(f(3, 2, 4, 5), {X(5), X(6)})(P(7, 2) * 3)", I.NdPPoly(f(3, 2, 4, 5), (X(5), X(6)))(P(7, 2) * 3))
case("I.NdPPoly(f(3, 2, 4, 5, 2), {X(5), X(6)})(P(7, 2) * 3, {nu = {1, 0}})",
    I.NdPPoly(f(3, 2, 4, 5, 2), (X(5), X(6)))(P(7, 2) * 3, nu=(1, 0)))
case("I.NdPPoly(f(3, 2, 4, 5), {X(5), X(6)})(P(7, 2) * 3, {extrapolate = false})",
    I.NdPPoly(f(3, 2, 4, 5), (X(5), X(6)))(P(7, 2) * 3, extrapolate=False))

section = "scattered"
for kernel in "linear thin_plate_spline cubic quintic".split():
    for d in (1, 2, 3):
        if kernel == "quintic" and d == 1:
            continue  # the system is too near to a singular one
        fn = I.RBFInterpolator(W(20, d), f(20, 2), kernel=kernel)
        case("I.RBFInterpolator(W(20, %d), f(20, 2), {kernel = '%s'})(W(7, %d) * 1.2)" % (d, kernel, d), fn(W(7,
            d) * 1.2))
for kernel in "multiquadric inverse_multiquadric inverse_quadratic gaussian".split():
    fn = I.RBFInterpolator(W(12, 2), f(12), kernel=kernel, epsilon=3)
    case("I.RBFInterpolator(W(12, 2), f(12), {kernel = '%s', epsilon = 3})(W(7, 2))" % kernel, fn(W(7, 2)))
fn = I.RBFInterpolator(W(20, 2), f(20), neighbors=6, smoothing=0.1)
case("I.RBFInterpolator(W(20, 2), f(20), 6, 0.1)(W(7, 2) * 1.2)", fn(W(7, 2) * 1.2))
fn = I.RBFInterpolator(W(20, 2), f(20), smoothing=np.arange(20) / 20, degree=2)
case("I.RBFInterpolator(W(20, 2), f(20), {smoothing = ma.arange(20) / 20, degree = 2})(W(7, 2))", fn(W(7, 2)))
fn = I.NearestNDInterpolator(W(20, 2), f(20, 3))
case("I.NearestNDInterpolator(W(20, 2), f(20, 3))(W(7, 2) * 1.2)", fn(W(7, 2) * 1.2))
case("I.NearestNDInterpolator(W(20, 2), r(20))(W(4, 3)[1], W(4, 3)[2])", I.NearestNDInterpolator(W(20, 2), r(20))(W(4,
    3)[0],
    W(4, 3)[1]))
case("I.NearestNDInterpolator(W(20, 2) * {1, 9}, f(20), true)(W(7, 2) * {1, 9})",
    I.NearestNDInterpolator(W(20, 2) * [1, 9], f(20), True)(W(7, 2) * [1, 9]))

print("# made by interpolate.py with NumPy %s and SciPy %s" % (np.__version__, scipy.__version__))
print("\n".join(lines))
