#!/usr/bin/env python3
"""Golden values of windows, positions, bits, statistics, convolution and what else stands in a file of its own of
lua/moonarray/functions. A line is as in expressions: section, the Lua expression, then dtype, shape and elements of
each result.
"""
import cases
import numpy as np
from cases import c, f, g, r, strided

section = ""
REAL = ("int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64")
ALL = ("bool",) + REAL + ("complex64", "complex128")


def case(expression, *results):
    cases.case(section, expression, *results)


def true(x):
    return "true" if x else "false"


section = "window"
for name in ("bartlett", "blackman", "hamming", "hanning"):
    for m in (-3, 0, 1, 2, 3, 8, 33, 0.5, 2.5, 7.25):
        case("ma.%s(%s)" % (name, m), getattr(np, name)(m))
for m in (-2, 0, 1, 2, 3, 8, 33):
    for beta in (0, 0.5, 8.6, -3, 14):
        if m != 1:
            case("ma.kaiser(%d, %s)" % (m, beta), np.kaiser(m, beta))
case("ma.kaiser(1, 0)", np.kaiser(1, 0))

section = "indices"
for n in (0, 1, 4):
    case("ma.diag_indices(%d)" % n, *[x + 1 for x in np.diag_indices(n)])
    case("ma.diag_indices(%d, 3)" % n, *[x + 1 for x in np.diag_indices(n, 3)])
case("ma.diag_indices(3, 1)", *[x + 1 for x in np.diag_indices(3, 1)])
case("ma.diag_indices_from(r(3, 3, 3))", *[x + 1 for x in np.diag_indices_from(r(3, 3, 3))])
for name in ("tril_indices", "triu_indices"):
    indices, from_array = getattr(np, name), getattr(np, name + "_from")
    for n, m in ((4, 4), (3, 5), (5, 2), (1, 1), (0, 3), (3, 0), (1, 4)):
        for k in (0, 1, -1, 2, -2, 4, -4, 7, -7):
            case("ma.%s(%d, %d, %d)" % (name, n, k, m), *[x + 1 for x in indices(n, k, m)])
    case("ma.%s(3)" % name, *[x + 1 for x in indices(3)])
    case("ma.%s_from(r(3, 5), 1)" % name, *[x + 1 for x in from_array(r(3, 5), 1)])
    case("ma.%s_from(r(4, 2))" % name, *[x + 1 for x in from_array(r(4, 2))])
    case("r(4, 4)[{ma.%s(4, -1)}]" % name, r(4, 4)[indices(4, -1)])
case("ma.mask_indices(4, ma.triu, 1)", *[x + 1 for x in np.mask_indices(4, np.triu, 1)])
case("ma.mask_indices(3, ma.tril)", *[x + 1 for x in np.mask_indices(3, np.tril)])
case("ma.mask_indices(0, ma.tril)", *[x + 1 for x in np.mask_indices(0, np.tril)])
case("ma.ix_({1, 3}, {2, 4, 5})", *[x + 1 for x in np.ix_([0, 2], [1, 3, 4])])
case("ma.ix_({1, 3}, {}, ma.array{true, false, true})", *[x + 1 for x in np.ix_([0, 2], [], [True, False, True])])
case("ma.ix_(ma.array({2, 1}, 'int8'))", np.ix_(np.array([2, 1], "int8"))[0])
case("r(3, 5)[{ma.ix_({1, 3}, {2, 5})}]", r(3, 5)[np.ix_([0, 2], [1, 4])])
case("r(3, 5)[{ma.ix_({true, false, true}, {-1})}]", r(3, 5)[np.ix_([True, False, True], [-1])])

section = "join"
case("ma.r_(r(3), 0, 0, r(2))", np.r_[r(3), 0, 0, r(2)])
case("ma.r_('1:3', 7)", np.r_[1:4, 7])
case("ma.r_('0:8:4', '5:3:-1', '1:2:0.5')", np.r_[0:9:4, 5:2:-1, 1:2.5:0.5])
case("ma.r_('-1:1:6j', {0, 0, 0}, 5, 6)", np.r_[-1:1:6j, [0.0] * 3, 5, 6])
case("ma.r_(1, 2)", np.r_[1, 2])
case("ma.r_(1, 2.5)", np.r_[1, 2.5])
case("ma.r_(r(2):astype('int8'), 5)", np.r_[r(2).astype("int8"), 5])
case("ma.r_(r(2):astype('float32'), 2.5, ma.complex(0, 1))", np.r_[r(2).astype("float32"), 2.5, 1j])
case("ma.r_(r(2):gt(0), 3)", np.r_[r(2) > 0, 3])
case("ma.r_(r(2, 3), r(2, 3), {axis = -1})", np.r_["-1", r(2, 3), r(2, 3)])
case("ma.r_({1, 2, 3}, {4, 5, 6}, {axis = 1, ndmin = 2})", np.r_["0,2", [1.0, 2, 3], [4.0, 5, 6]])
case("ma.r_({1, 2, 3}, {4, 5, 6}, {axis = 1, ndmin = 2, trans1d = 1})", np.r_["0,2,0", [1.0, 2, 3], [4.0, 5, 6]])
case("ma.r_({1, 2, 3}, {4, 5, 6}, {axis = 2, ndmin = 2, trans1d = 1})", np.r_["1,2,0", [1.0, 2, 3], [4.0, 5, 6]])
case("ma.r_('1:3', {4, 5, 6}, {axis = 2, ndmin = 3, trans1d = 2})", np.r_["1,3,1", 1:4, [4.0, 5, 6]])
case("ma.r_(r(2, 3), r(2, 3), {axis = 1, ndmin = 4, trans1d = 1})", np.r_["0,4,0", r(2, 3), r(2, 3)])
case("ma.r_(r(2, 3), r(2, 3), {axis = 1, ndmin = 4, trans1d = -2})", np.r_["0,4,-2", r(2, 3), r(2, 3)])
case("ma.r_(r(0), 1)", np.r_[r(0), 1])
case("ma.c_({1, 2, 3}, {4, 5, 6})", np.c_[[1.0, 2, 3], [4.0, 5, 6]])
case("ma.c_(ma.array{{1, 2, 3}}, 0, 0, ma.array{{4, 5, 6}})",
    np.c_[np.array([[1.0, 2, 3]]), 0, 0, np.array([[4.0, 5, 6]])])
case("ma.c_('1:3', '4:6', r(3, 2))", np.c_[1:4, 4:7, r(3, 2)])

section = "bits"
for dtype in ("bool", "int8", "uint8", "uint16", "int64"):
    for bitorder in ("big", "little"):
        for axis in (None, 0, 1, -1):
            lua = "nil" if axis is None else axis + (axis >= 0)
            x = (r(3, 11) % 3 - 1).astype(dtype)
            case("ma.packbits((r(3, 11) %% 3 - 1):astype('%s'), %s, '%s')" % (dtype, lua, bitorder),
                np.packbits(x, axis, bitorder))
case("ma.packbits(ma.array({}, 'uint8'))", np.packbits(np.zeros(0, "uint8")))
case("ma.packbits(ma.zeros({0, 5}, 'uint8'), 2)", np.packbits(np.zeros((0, 5), "uint8"), 1))
case("ma.packbits(ma.zeros({5, 0}, 'uint8'), 2)", np.packbits(np.zeros((5, 0), "uint8"), 1))
case("ma.packbits(ma.uint8(3))", np.packbits(np.uint8(3)))
case("ma.packbits(strided(2, 9):ne(0), 2)", np.packbits(strided(2, 9) != 0, 1))
for bitorder in ("big", "little"):
    for axis in (None, 0, 1):
        for count in (None, 0, 3, 8, 20, -1, -7):
            lua = "nil" if axis is None else axis + 1
            option = "" if count is None else ", count = %d" % count
            x = (r(2, 2) * 37 % 256).astype("uint8")
            case("ma.unpackbits((r(2, 2) * 37 %% 256):astype('uint8'), %s, {bitorder = '%s'%s})"
                % (lua, bitorder, option),
                 np.unpackbits(x, axis, count, bitorder))
case("ma.unpackbits(ma.zeros(0, 'uint8'))", np.unpackbits(np.zeros(0, "uint8")))
case("ma.unpackbits(ma.uint8(5))", np.unpackbits(np.uint8(5)))
case("ma.unpackbits((strided(3, 2) % 256):astype('uint8'), 1)", np.unpackbits((strided(3, 2) % 256).astype("uint8"), 0))
for number in (0, 1, 2, 3, 5, 255, 256, 2**53, -1, -2, -3, -4, -5, -8, -128, -(2**53)):
    case("ma.binary_repr(%d) == '%s'" % (number, np.binary_repr(number)), True)
    if abs(number) < 300:
        for width in (9, 10, 16):
            case("ma.binary_repr(%d, %d) == '%s'" % (number, width, np.binary_repr(number, width)), True)
    for base in (2, 3, 10, 16, 36):
        for padding in (0, 3):
            case("ma.base_repr(%d, %d, %d) == '%s'" % (number, base, padding, np.base_repr(number, base, padding)),
                True)
for number, width in ((-1, 1), (-2, 2), (-4, 3), (-3, 3), (-128, 8), (5, 3), (0, 0), (0, 4), (1, 1)):
    case("ma.binary_repr(%d, %d) == '%s'" % (number, width, np.binary_repr(number, width)), True)
for number in (2**63 - 1, -(2**63), -1, 0, 12345678901234567):
    case("ma.base_repr(%s, 7) == '%s'" % ("-9223372036854775807LL - 1" if number == -(2**63) else "%dLL" % number,
        np.base_repr(number, 7)), True)
    case("ma.binary_repr(%s, 64) == '%s'" % ("-9223372036854775807LL - 1" if number == -(2**63) else "%dLL" % number,
        np.binary_repr(number, 64)), True)
case("ma.base_repr(18446744073709551615ULL, 36) == '%s'" % np.base_repr(2**64 - 1, 36), True)
case("ma.base_repr(ma.int32(-77), 8) == '%s'" % np.base_repr(-77, 8), True)

section = "statistics"
for dtype in ALL:
    x, call = r(3, 7).astype(dtype), "r(3, 7):astype('%s')" % dtype
    case("ma.cov(%s)" % call, np.cov(x))
    case("ma.corrcoef(%s)" % call, np.corrcoef(x))
    case("ma.cov(%s, {fweights = ma.arange(7), aweights = f(7) + 1})" % call,
        np.cov(x, fweights=np.arange(7), aweights=f(7) + 1))
for lua, x in (("r(7)", r(7)), ("f(3, 7)", f(3, 7)), ("f(7, 3).T", f(7, 3).T), ("strided(3, 5)", strided(3, 5)),
        ("c(3, 7)", c(3, 7)), ("g(3, 7)", g(3, 7))):
    for rowvar in (True, False):
        for lua_option, option in (("", {}), (", bias = true", {"bias": True}), (", ddof = 0", {"ddof": 0}),
                (", ddof = 2", {"ddof": 2}),
                                   (", ddof = 2, bias = true", {"ddof": 2, "bias": True}),
                                   (", ddof = 0, bias = false", {"ddof": 0, "bias": False})):
            case("ma.cov(%s, {rowvar = %s%s})" % (lua, true(rowvar), lua_option), np.cov(x, rowvar=rowvar, **option))
        n = x.shape[-1] if rowvar or x.ndim == 1 else x.shape[0]
        counts, weights = r(n) + 3, f(n) + 1
        for ddof in (0, 1, 3):
            case("ma.cov(%s, {rowvar = %s, ddof = %d, fweights = r(%d) + 3})" % (lua, true(rowvar), ddof, n),
                np.cov(x, rowvar=rowvar, ddof=ddof, fweights=counts))
            if not (np.iscomplexobj(x) and ddof == n):     # 0/0 or a rounding error over 0, by the order of a sum
                case("ma.cov(%s, {rowvar = %s, ddof = %d, aweights = f(%d) + 1})" % (lua, true(rowvar), ddof, n),
                     np.cov(x, rowvar=rowvar, ddof=ddof, aweights=weights))
            case("ma.cov(%s, {rowvar = %s, ddof = %d, fweights = r(%d) + 3, aweights = f(%d) + 1})"
                % (lua, true(rowvar), ddof, n, n),
                 np.cov(x, rowvar=rowvar, ddof=ddof, fweights=counts, aweights=weights))
        case("ma.corrcoef(%s, {rowvar = %s})" % (lua, true(rowvar)), np.corrcoef(x, rowvar=rowvar))
case("ma.cov(f(7), r(7))", np.cov(f(7), r(7)))
case("ma.cov(f(2, 7), r(7))", np.cov(f(2, 7), r(7)))
case("ma.cov(f(7, 2), r(7, 3), false)", np.cov(f(7, 2), r(7, 3), False))
case("ma.cov(f(7, 2), r(1, 7), {rowvar = false})", np.cov(f(7, 2), r(1, 7), rowvar=False))
case("ma.cov(f(2, 7), c(7))", np.cov(f(2, 7), c(7)))
case("ma.corrcoef(f(7), r(7))", np.corrcoef(f(7), r(7)))
case("ma.cov(f(2, 7), {dtype = 'float32'})", np.cov(f(2, 7), dtype="float32"))
case("ma.corrcoef(f(2, 7), {dtype = 'float32'})", np.corrcoef(f(2, 7), dtype="float32"))
case("ma.cov(r(0))", np.cov(r(0)))
case("ma.cov(r(0, 3))", np.cov(r(0, 3)))
case("ma.cov(r(3, 0))", np.cov(r(3, 0)))
case("ma.cov(f(3, 1))", np.cov(f(3, 1)))
case("ma.cov(ma.array(3))", np.cov(3.0))
case("ma.corrcoef(r(7))", np.corrcoef(r(7)))
case("ma.corrcoef({{1, 1, 1}, {1, 2, 3}})", np.corrcoef([[1.0, 1, 1], [1, 2, 3]]))
case("ma.corrcoef(f(3, 7), {fweights = ma.arange(7)})", np.corrcoef(np.repeat(f(3, 7), np.arange(7), axis=1)))

section = "convolve"
for mode in ("full", "same", "valid"):
    for n, m in ((1, 1), (5, 3), (3, 5), (6, 6), (9, 2), (2, 8), (7, 4)):
        for dtype in ALL:
            call = "r(%d):astype('%s'), (r(%d) * 2):astype('%s'), '%s'" % (n, dtype, m, dtype, mode)
            a, v = r(n).astype(dtype), (r(m) * 2).astype(dtype)
            case("ma.convolve(%s)" % call, np.convolve(a, v, mode))
            case("ma.correlate(%s)" % call, np.correlate(a, v, mode))
        case("ma.convolve(c(%d), c(%d), '%s')" % (n, m, mode), np.convolve(c(n), c(m), mode))
        case("ma.correlate(c(%d), c(%d), '%s')" % (n, m, mode), np.correlate(c(n), c(m), mode))
        case("ma.convolve(g(%d), f(%d), '%s')" % (n + 9, m, mode), np.convolve(g(n + 9), f(m), mode))
        case("ma.correlate(g(%d), f(%d), '%s')" % (n + 9, m, mode), np.correlate(g(n + 9), f(m), mode))
for a, b in (("int8", "uint8"), ("int32", "float32"), ("float16", "float32"), ("float32", "complex64"),
        ("int64", "uint64"), ("bool", "int8")):
    case("ma.convolve(r(7):astype('%s'), r(3):astype('%s'))" % (a, b), np.convolve(r(7).astype(a), r(3).astype(b)))
    case("ma.correlate(r(7):astype('%s'), r(3):astype('%s'), 'full')" % (a, b),
        np.correlate(r(7).astype(a), r(3).astype(b), "full"))
case("ma.convolve(strided(9), f(6)['::-2'])", np.convolve(strided(9), f(6)[::-2]))
case("ma.correlate(strided(9), f(6)['::-2'])", np.correlate(strided(9), f(6)[::-2]))
case("ma.convolve(2, {1, 2})", np.convolve(2.0, [1.0, 2]))
case("ma.correlate({1, ma.inf, 3, 4}, {1, 0, 2}, 'full')", np.correlate([1, np.inf, 3, 4], [1, 0, 2], "full"))
for mode in ("full", "same", "valid"):
    for dtype in ("bool", "int8", "float16", "float32", "complex64"):
        case("ma.convolve((r(30) / 4):astype('%s'), (r(12) / 2):astype('%s'), '%s')" % (dtype, dtype, mode),
             np.convolve((r(30) / 4).astype(dtype), (r(12) / 2).astype(dtype), mode))
    case("ma.convolve(f(20), ma.where(r(12):eq(4), ma.inf, r(12)), '%s')" % mode,
         np.convolve(f(20), np.where(r(12) == 4, np.inf, r(12)), mode))
    case("ma.convolve(f(5), {ma.inf, 1, ma.nan}, '%s')" % mode, np.convolve(f(5), [np.inf, 1, np.nan], mode))
    case("ma.correlate(r(5), {1, -ma.inf, 1}, '%s')" % mode, np.correlate(r(5), [1, -np.inf, 1], mode))
case("ma.convolve(r(100), r(60))", np.convolve(r(100), r(60)))
case("ma.correlate(r(300), r(295))", np.correlate(r(300), r(295)))
case("ma.convolve(r(40):astype('uint8'), r(30):astype('uint8'), 'same')",
    np.convolve(r(40).astype("uint8"), r(30).astype("uint8"), "same"))

section = "layout"
for lua, x in (("r(2, 3)", r(2, 3)), ("r(3, 2).T", r(3, 2).T), ("strided(2, 3)", strided(2, 3)),
        ("ma.array(3)", np.array(3.0)), ("r(4)", r(4)), ("r(0, 2).T", r(0, 2).T)):
    for name in ("ascontiguousarray", "asfortranarray"):
        case("ma.%s(%s)" % (name, lua), getattr(np, name)(x))
        case("ma.isfortran(ma.%s(%s))" % (name, lua), np.isfortran(getattr(np, name)(x)))
        case("ma.%s(%s, 'float32')" % (name, lua), getattr(np, name)(x, "float32"))
    case("ma.isfortran(%s)" % lua, np.isfortran(x))
    for flags in ("C", "F", "W", "O", "A"):
        case("ma.require(%s, nil, '%s')" % (lua, flags), np.require(x, None, flags))
        case("ma.isfortran(ma.require(%s, 'int16', {'%s'}))" % (lua, flags),
            np.isfortran(np.require(x, "int16", [flags])))
for dtypes in (("int8",), ("float16",), ("float16", "float32"), ("int64", "float16"), ("float32", "complex64"),
        ("float64", "complex64"), ("complex128", "int8")):
    arrays = [np.zeros(1, d) for d in dtypes]
    case("ma.common_type(%s) == '%s'" % (", ".join("ma.%s{0}" % d for d in dtypes), np.common_type(*arrays).__name__),
        True)
base = np.zeros((6, 8), "int32")
views = ((":, 1:4", np.s_[:, 0:4]), (":, 5:", np.s_[:, 4:]), ("::2, :", np.s_[::2, :]),
    ("2::2, ::-3", np.s_[1::2, ::-3]), (":, ::2", np.s_[:, ::2]),
         (":, 2::2", np.s_[:, 1::2]), ("::-1, ::-2", np.s_[::-1, ::-2]), ("3:4, 2:7:5", np.s_[2:4, 1:7:5]),
         ("2, :", np.s_[1, :]), (":, 3", np.s_[:, 2]))
for lua_a, a in views:
    for lua_b, b in views:
        given = "ma.numpy.zeros({6, 8}, 'int32')"
        for name in ("shares_memory", "may_share_memory"):
            case("(function(x) return ma.%s(x['%s'], x['%s']) end)(%s)" % (name, lua_a, lua_b, given),
                getattr(np, name)(base[a], base[b]))
            case("(function(x) return ma.%s(x['%s'].T, x.T.T['%s']) end)(%s)" % (name, lua_a, lua_b, given),
                getattr(np, name)(base[a].T, base[b]))
case("(function(x) return ma.shares_memory(x.real, x.imag), ma.may_share_memory(x.real, x.imag) end)(c(5))", False,
    True)

section = "mask"


def changed(function, a, *args):
    a = a.copy()
    function(a, *args)
    return a


for dtype in ALL:
    x, mask = r(3, 4).astype(dtype), r(3, 4) > 0
    call = "r(3, 4):astype('%s'), r(3, 4):gt(0)" % dtype
    for n in (1, 2, 5, 12, 20):
        values = (r(n) % 2).astype(dtype)
        for name in ("place", "putmask"):
            case("ma.%s(%s, (r(%d) %% 2):astype('%s'))" % (name, call, n, dtype),
                changed(getattr(np, name), x, mask, values))
for name in ("place", "putmask"):
    function = getattr(np, name)
    case("ma.%s(r(5), r(5), {7, 8})" % name, changed(function, r(5), r(5), [7, 8]))
    case("ma.%s(strided(3, 4), r(12):gt(2), {7, 8, 9})" % name, changed(function, strided(3, 4), r(12) > 2, [7, 8, 9]))
    case("ma.%s(r(4, 3):copy().T, r(3, 4):gt(2), {7, 8, 9})" % name,
        changed(function, r(4, 3).T, r(3, 4) > 2, [7, 8, 9]))
    case("ma.%s(f(4), r(4):lt(99), 2)" % name, changed(function, f(4), r(4) < 99, 2))
    case("ma.%s(r(0), r(0):gt(0), {1})" % name, changed(function, r(0), r(0) > 0, [1]))
    case("ma.%s(f(4), r(4):gt(99), {})" % name, changed(function, f(4), r(4) > 99, []))
    case("ma.%s(ma.array(3), ma.array(true), 5)" % name, changed(function, np.array(3.0), np.array(True), 5.0))
case("ma.putmask(r(2, 2), r(2, 2):gt(0), {})", changed(np.putmask, r(2, 2), r(2, 2) > 0, np.zeros(0, "int64")))
case("ma.piecewise(f(9), {f(9):lt(0), f(9):ge(0)}, {-1, 1})", np.piecewise(f(9), [f(9) < 0, f(9) >= 0], [-1, 1]))
case("ma.piecewise(f(9), {f(9):lt(0), f(9):gt(0)}, {function(x) return -x end, function(x) return x * x end, 7})",
     np.piecewise(f(9), [f(9) < 0, f(9) > 0], [lambda x: -x, lambda x: x * x, 7]))
case("ma.piecewise(r(3, 4), {r(3, 4):lt(0)}, {function(x, k) return x * k end, 2.75}, 3)",
    np.piecewise(r(3, 4), [r(3, 4) < 0], [lambda x, k: x * k, 2.75], 3))
case("ma.piecewise(r(4), r(4):lt(0), {5})", np.piecewise(r(4), r(4) < 0, [5]))
case("ma.piecewise(r(4), {true, false, true, true}, {5, 6})", np.piecewise(r(4), [True, False, True, True], [5, 6]))
case("ma.piecewise(r(2, 4), {r(2, 4):lt(0), r(2, 4):lt(3)}, {5, 6})",
    np.piecewise(r(2, 4), [r(2, 4) < 0, r(2, 4) < 3], [5, 6]))
case("ma.piecewise(r(4), ma.stack{r(4):lt(0), r(4):gt(3)}, {5, 6, 7})",
    np.piecewise(r(4), np.stack([r(4) < 0, r(4) > 3]), [5, 6, 7]))
case("ma.piecewise(r(0), {r(0):lt(0)}, {function() error('called') end})",
    np.piecewise(r(0), [r(0) < 0], [lambda x: 1 / 0]))
case("ma.piecewise(ma.array(3), {ma.array(true)}, {function(x) return x + 1 end})",
    np.piecewise(np.array(3.0), [np.array(True)], [lambda x: x + 1]))
case("ma.piecewise(g(9), {g(9):lt(0)}, {ma.negative, ma.nan})", np.piecewise(g(9), [g(9) < 0], [np.negative, np.nan]))
case("ma.piecewise(strided(3, 3), {strided(3, 3):lt(0)}, {1, 2})",
    np.piecewise(strided(3, 3), [strided(3, 3) < 0], [1, 2]))

section = "apply"
FUNCTIONS = (("ma.sum", np.sum), ("ma.cumsum", np.cumsum),
    ("function(v) return ma.stack{v, v * 2} end", lambda v: np.stack([v, v * 2])),
             ("function(v) return ma.outer(v, v) end", lambda v: np.outer(v, v)),
             ("function(v) return v(1) / 2 end", lambda v: v[0] / 2),
             ("function(v) return v(1) > 0 end", lambda v: v[0] > 0), ("ma.diag", np.diag),
             ("function() return ma.zeros(0) end", lambda v: np.zeros(0)))
for lua, x in (("r(2, 3, 4)", r(2, 3, 4)), ("f(3, 2)", f(3, 2)), ("r(5)", r(5)), ("strided(2, 3)", strided(2, 3)),
        ("r(3, 2).T", r(3, 2).T), ("g(3, 4)", g(3, 4))):
    for axis in range(-x.ndim, x.ndim):
        for text, function in FUNCTIONS:
            case("ma.apply_along_axis(%s, %d, %s)" % (text, axis + (axis >= 0), lua),
                np.apply_along_axis(function, axis, x))
case("ma.apply_along_axis(ma.add, 1, r(2, 3), 5)", np.apply_along_axis(np.add, 0, r(2, 3), 5))
for axes in ((0,), (0, 2), (2, 0), (-1, 1), (0, 1, 2)):
    lua = ", ".join(str(a + (a >= 0)) for a in axes)
    case("ma.apply_over_axes(ma.sum, r(2, 3, 4), {%s})" % lua, np.apply_over_axes(np.sum, r(2, 3, 4), axes))
    case("ma.apply_over_axes(ma.cumsum, r(2, 3, 4), {%s})" % lua, np.apply_over_axes(np.cumsum, r(2, 3, 4), axes))
case("ma.apply_over_axes(ma.max, f(2, 3), 2)", np.apply_over_axes(np.max, f(2, 3), 1))
case("ma.frompyfunc(math.max, 2, 1)(f(3), 0)", np.frompyfunc(max, 2, 1)(f(3), 0).astype(float))
case("ma.frompyfunc(function(x, y) return x + y, x > y end, 2, 2)(f(2, 1), f(3))", *[a.astype(t) for a, t in
     zip(np.frompyfunc(lambda x, y: (x + y, x > y), 2, 2)(f(2, 1), f(3)), (float, bool))])
case("ma.frompyfunc(function(x) return -x end, 1, 1)(f(0, 3))", np.zeros((0, 3)))

section = "scan"
for name in ("cumulative_sum", "cumulative_prod"):
    function = getattr(np, name)
    for dtype in ALL:
        x, lua = r(2, 3).astype(dtype), "r(2, 3):astype('%s')" % dtype
        for axis in (0, 1, -1):
            for initial in (False, True):
                case("ma.%s(%s, {axis = %d, include_initial = %s})" % (name, lua, axis + (axis >= 0), true(initial)),
                    function(x, axis=axis, include_initial=initial))
    case("ma.%s(3)" % name, function(3.0))
    case("ma.%s(3, {include_initial = true})" % name, function(3.0, include_initial=True))
    case("ma.%s(r(0))" % name, function(r(0)))
    case("ma.%s(r(0), {include_initial = true})" % name, function(r(0), include_initial=True))
    case("ma.%s(strided(4), {dtype = 'float32', include_initial = true})" % name,
        function(strided(4), dtype="float32", include_initial=True))
    case("ma.%s(r(3), {out = ma.zeros(4, 'int32'), include_initial = true})" % name,
        function(r(3), include_initial=True).astype("int32"))
    case("ma.%s(g(9))" % name, function(g(9)))

section = "sequence"
for name in ("linspace", "logspace", "geomspace"):
    function = getattr(np, name)
    positive = name == "geomspace"
    ends = ((("{1, 2, 3}", np.array([1.0, 2, 3])), ("4", 4)),
        (("ma.float32{1, 2}", np.array([1, 2], "float32")), ("ma.float32{2.5, 3}", np.array([2.5, 3], "float32"))),
            (("r(2, 1) + 4", r(2, 1) + 4), ("r(3) + 5", r(3) + 5)),
            (("2.5", 2.5), ("ma.float32{{1, 2}}", np.array([[1, 2]], "float32"))),
            (("ma.array(2, 'int8')", np.int8(2)), ("5", 5)),
            (("ma.array{2, 3} * ma.complex(1, 1)", np.array([2, 3]) * (1 + 1j)), ("4", 4.0)))
    for (lua_a, a), (lua_b, b) in ends:
        for num in (0, 1, 2, 5):
            for endpoint in (True, False):
                ndim = max(np.ndim(a), np.ndim(b))
                for axis in range(-ndim - 1, ndim + 1):
                    case("ma.%s(%s, %s, {num = %d, endpoint = %s, axis = %d})"
                        % (name, lua_a, lua_b, num, true(endpoint), axis + (axis >= 0)),
                         function(a, b, num, endpoint, axis=axis))
        if "complex" not in lua_a:
            case("ma.%s(%s, %s, {num = 4, dtype = 'int64'})" % (name, lua_a, lua_b), function(a, b, 4, dtype="int64"))
            case("ma.%s(%s, %s, {num = 4, dtype = 'float32', axis = -1})" % (name, lua_a, lua_b),
                function(a, b, 4, dtype="float32", axis=-1))
case("ma.linspace({1, 2}, {3, 8}, 3, true, true)", *np.linspace([1.0, 2], [3, 8], 3, True, True))
case("ma.linspace({1, 2}, {3, 8}, 1, true, true)", *np.linspace([1.0, 2], [3, 8], 1, True, True))
case("ma.linspace(ma.zeros(2), {5e-324, 1}, 3)", np.linspace([0.0, 0], [5e-324, 1], 3))
case("ma.linspace(ma.zeros{0, 2}, 1, 3)", np.linspace(np.zeros((0, 2)), 1, 3))
case("ma.linspace(strided(3), strided(3) + 1, 3)", np.linspace(strided(3), strided(3) + 1, 3))
case("ma.linspace({0, ma.nan}, 1, 3)", np.linspace([0, np.nan], 1, 3))
for axis in (0, 1, -1):
    case("ma.logspace(0, 2, {num = 3, base = {2, 4}, axis = %d})" % (axis + (axis >= 0)),
        np.logspace(0, 2, 3, base=[2.0, 4], axis=axis))
    case("ma.logspace({0, 1}, 2, {num = 3, base = {{2}, {4}}, axis = %d})" % (axis + (axis >= 0)),
        np.logspace([0.0, 1], 2, 3, base=[[2.0], [4]], axis=axis))
case("ma.geomspace({-1, 1}, {-8, 8}, 4)", np.geomspace([-1.0, 1], [-8, 8], 4))
case("ma.fromiter({1, 2, 3}, 'int16')", np.fromiter([1, 2, 3], "int16"))
case("ma.fromiter(('3 4 5'):gmatch('%d'), 'float32', 2)", np.fromiter([3, 4], "float32"))
case("ma.fromiter(function() end, 'int64')", np.fromiter([], "int64"))

section = "descending"


def descending(x, axis):
    """Stable, NaN last."""
    order = np.argsort(-x if x.dtype.kind in "fc" else ~x, axis=axis, kind="stable")
    return np.take_along_axis(x, order, axis), order


for dtype in ALL:
    x, lua = r(3, 40).astype(dtype), "r(3, 40):astype('%s')" % dtype
    for axis in (0, 1, -1):
        values, order = descending(x, axis)
        n = axis + (axis >= 0)
        case("ma.sort(%s, %d, {descending = true})" % (lua, n), values)
        case("ma.argsort(%s, %d, {descending = true})" % (lua, n), order + 1)
        case("(%s):sort(%d, {descending = true})" % (lua, n), values)
        for k in (0, 1, 3):
            cut = (slice(None), slice(0, k)) if axis else slice(0, k)
            case("ma.topk(%s, %d, %d)" % (lua, k, n), values[cut], order[cut] + 1)
    smallest = np.argsort(x, axis=1, kind="stable")[:, :4]
    case("ma.topk(%s, 4, {largest = false})" % lua, np.take_along_axis(x, smallest, 1), smallest + 1)
values, order = descending(g(5, 30), 1)
case("ma.sort(g(5, 30), {descending = true})", values)
case("ma.argsort(g(5, 30), {descending = true, stable = true})", order + 1)
case("ma.topk(g(5, 30), 30)", values, order + 1)
case("ma.sort(strided(3, 4), {descending = true})", np.sort(strided(3, 4))[:, ::-1])
case("ma.sort(r(0), {descending = true})", r(0))
case("ma.sort(ma.array(3), {descending = true})", np.array(3.0))
case("ma.argsort({0, -1, 1}, {descending = true, out = ma.zeros(3, 'int64')})", [3, 1, 2])

section = "pad"
WIDTHS = ((2, "2"), ((2, 3), "{2, 3}"), (((1, 0), (7, 9)), "{{1, 0}, {7, 9}}"), (0, "0"),
    (((0, 4), (3, 0)), "{{0, 4}, {3, 0}}"))
INPUTS = (("r(3, 4)", r(3, 4)), ("f(3, 4)", f(3, 4)), ("strided(3, 4)", strided(3, 4)), ("g(3, 4)", g(3, 4)),
    ("c(3, 4)", c(3, 4)),
          ("r(3, 4):astype('int8')", r(3, 4).astype("int8")),
          ("f(4, 3):astype('float32').T", f(4, 3).astype("float32").T), ("r(1, 4)", r(1, 4)))
for lua, x in INPUTS:
    for width, lua_width in WIDTHS:
        for option, given in (("", {}), (", {end_values = 3}", {"end_values": 3}),
                (", {end_values = {-4, 20}}", {"end_values": (-4, 20)}),
                              (", {end_values = {{1, 2}, {3, -5}}}", {"end_values": ((1, 2), (3, -5))})):
            case("ma.pad(%s, %s, 'linear_ramp'%s)" % (lua, lua_width, option), np.pad(x, width, "linear_ramp", **given))
        for mode in ("maximum", "mean", "median", "minimum"):
            if x.dtype.kind == "c" and mode == "median":
                continue
            for option, given in (("", {}), (", {stat_length = 1}", {"stat_length": 1}),
                    (", {stat_length = {2, 3}}", {"stat_length": (2, 3)}),
                                  (", {stat_length = {{3, 2}, {1, 9}}}", {"stat_length": ((3, 2), (1, 9))})):
                case("ma.pad(%s, %s, '%s'%s)" % (lua, lua_width, mode, option), np.pad(x, width, mode, **given))
        for mode in ("reflect", "symmetric"):
            for kind in ("even", "odd"):
                case("ma.pad(%s, %s, '%s', {reflect_type = '%s'})" % (lua, lua_width, mode, kind),
                    np.pad(x, width, mode, reflect_type=kind))
for mode in ("reflect", "symmetric"):
    for n in (1, 2, 3, 5):
        case("ma.pad(r(%d), {23, 31}, '%s', {reflect_type = 'odd'})" % (n, mode),
            np.pad(r(n), (23, 31), mode, reflect_type="odd"))
    case("ma.pad(r(3):gt(0), 2, '%s', {reflect_type = 'odd'})" % mode, np.pad(r(3) > 0, 2, mode, reflect_type="odd"))
case("ma.pad(r(5), {1, 4}, 'mean')", np.pad(r(5), (1, 4), "mean"))
case("ma.pad((r(5) + 3):astype('uint8'), {3, 4}, 'linear_ramp', {end_values = 200})",
    np.pad((r(5) + 3).astype("uint8"), (3, 4), "linear_ramp", end_values=200))
case("ma.pad(r(3):gt(0), 2, 'maximum')", np.pad(r(3) > 0, 2, "maximum"))
case("ma.pad(r(3, 2), {{1, 0}, {0, 2}}, 'empty')['2:4, 1:2']", r(3, 2))
case("ma.pad(r(0, 2), {{0, 0}, {1, 1}}, 'maximum')", np.pad(r(0, 2), ((0, 0), (1, 1)), "maximum"))


def border(vector, width, axis, options):
    vector[0] = 7 * width[0] * (axis + 1)
    vector[-1] = 8


case("ma.pad(r(2, 3), 1, function(v, width, axis) v[1] = 7 * width[1] * axis v[-1] = 8 end)",
    np.pad(r(2, 3), 1, border))

section = "bins"
SAMPLES = (("f(30)", f(30)), ("r(4, 9)", r(4, 9)), ("f(30):astype('float32')", f(30).astype("float32")),
    ("r(50):astype('int8')", r(50).astype("int8")),
           ("r(50):gt(0)", (r(50) > 0).astype("uint8")),
           ("ma.sin(ma.arange(500, 'float64')) * f(500)", np.sin(np.arange(500.0)) * f(500)), ("r(0)", r(0)),
           ("r(1)", r(1)), ("f(2)", f(2)), ("ma.ones(20)", np.ones(20)), ("strided(20)", strided(20)),
           ("ma.arange(1000) * 1000", np.arange(1000) * 1000),
           ("(r(40) + 3):astype('uint64')", (r(40) + 3).astype("uint64")), ("ma.exp(f(300) * 9)", np.exp(f(300) * 9)))
for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"):
    for lua, x in SAMPLES:
        case("ma.histogram_bin_edges(%s, '%s')" % (lua, rule), np.histogram_bin_edges(x, rule))
        case("ma.histogram_bin_edges(%s, '%s', {-0.5, 2})" % (lua, rule), np.histogram_bin_edges(x, rule, (-0.5, 2)))
        case("ma.histogram(%s, '%s')" % (lua, rule), *np.histogram(x, rule))

section = "reduceat"
ORDERED, CROSSED = (0, 2, 3, 7), (0, 4, 1, 5, 2, 6, 3, 7, 7)
MANY = tuple(int(k) for k in (np.arange(150) * 37 % 101) % 40)
UFUNCS = ("add", "multiply", "maximum", "minimum", "fmax", "logical_and", "logical_or", "logical_xor",
          "bitwise_and", "bitwise_or", "bitwise_xor", "gcd",
          "lcm", "hypot", "logaddexp", "logaddexp2", "subtract", "floor_divide", "power")


def tabulate(positions):
    return "{" + ", ".join(str(k + 1) for k in positions) + "}"


for name in UFUNCS:
    ufunc = getattr(np, name)
    for dtype in ("bool", "int8", "int64", "uint8", "float16", "float32", "float64", "complex64"):
        if name in ("logaddexp", "logaddexp2") and dtype in ("bool", "int8", "uint8", "float16"):
            continue                     # rounded to float16 at each step
        if name == "power" and dtype.startswith("float"):
            continue                     # NumPy's own power.reduce([0., 1, 0, 1]) is 0 where ((0 ** 1) ** 0) ** 1 is 1
        x, lua = (r(2, 9) % 3).astype(dtype), "(r(2, 9) %% 3):astype('%s')" % dtype
        wide, lua_wide = (r(40) % 2).astype(dtype), "(r(40) %% 2):astype('%s')" % dtype
        for indices in (ORDERED, CROSSED, (8,)):
            try:
                case("ma.%s.reduceat(%s, %s, 2)" % (name, lua, tabulate(indices)), ufunc.reduceat(x, indices, 1))
            except TypeError:
                continue
        try:
            rounds = name == "hypot" and dtype in ("bool", "int8", "uint8", "float16")
            if name not in ("power", "floor_divide") and not rounds:
                case("ma.%s.reduceat(%s, %s)" % (name, lua_wide, tabulate(MANY)), ufunc.reduceat(wide, MANY))
        except TypeError:
            continue
for name in ("add", "maximum", "logical_or", "hypot"):
    ufunc = getattr(np, name)
    case("ma.%s.reduceat(f(5, 4), {1, 4, 2}, 1)" % name, ufunc.reduceat(f(5, 4), [0, 3, 1], 0))
    case("ma.%s.reduceat(f(5, 4), {1, 4, 2})" % name, ufunc.reduceat(f(5, 4), [0, 3, 1]))
    case("ma.%s.reduceat(f(5, 4).T, ma.array({1, 4, 2}, 'int8'), -1)" % name, ufunc.reduceat(f(5, 4).T, [0, 3, 1], -1))
    case("ma.%s.reduceat(g(50), %s)" % (name, tabulate(MANY)), ufunc.reduceat(g(50), MANY))
    case("ma.%s.reduceat(f(50, 3), %s, 1)" % (name, tabulate(MANY)), ufunc.reduceat(f(50, 3), MANY, 0))
    case("ma.%s.reduceat(f(3, 50), %s, 2)" % (name, tabulate(MANY)), ufunc.reduceat(f(3, 50), MANY, 1))
    case("ma.%s.reduceat(f(5), {})" % name, ufunc.reduceat(f(5), []) if name != "logical_or" else np.zeros(0, bool))
case("ma.add.reduceat(r(9):astype('int8'), {1, 3}, {dtype = 'float32'})",
     np.add.reduceat(r(9).astype("int8"), [0, 2], dtype="float32"))
case("ma.add.reduceat(r(9), {1, -2}, {out = ma.zeros(2, 'float32')})", np.add.reduceat(r(9), [0, 7]).astype("float32"))
case("ma.add.reduceat(strided(9), {1, 3})", np.add.reduceat(strided(9), [0, 2]))
