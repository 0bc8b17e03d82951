#!/usr/bin/env python3
"""Golden values of calls of the Lua layer.

A line is: section, the Lua expression, then for each result its dtype, shape and elements (two numbers for a complex
one), all apart by tabs. r(shape) and f(shape) make the same small integers and floats on both sides.
"""
import cases
import numpy as np
from cases import c, f, g, r, strided

section = ""


def case(expression, *results):
    cases.case(section, expression, *results)


section = "create"
case("ma.logspace(0, 3, 4)", np.logspace(0, 3, 4))
case("ma.logspace(0, 3, 4, false)", np.logspace(0, 3, 4, endpoint=False))
case("ma.logspace(1, 4, {num = 5, base = 2, dtype = 'float32'})", np.logspace(1, 4, 5, base=2, dtype="float32"))
case("ma.geomspace(1, 1000, 4)", np.geomspace(1, 1000, 4))
case("ma.geomspace(-2, -162, 5)", np.geomspace(-2, -162, 5))
case("ma.geomspace(1, 256, {num = 9, endpoint = false})", np.geomspace(1, 256, 9, endpoint=False))
case("ma.geomspace(3, 7, 1)", np.geomspace(3, 7, 1))
case("ma.eye(3)", np.eye(3))
case("ma.eye(3, 4, 1)", np.eye(3, 4, 1))
case("ma.eye(4, 3, {k = -2, dtype = 'int32'})", np.eye(4, 3, -2, "int32"))
case("ma.eye(2, 'bool')", np.eye(2, dtype=bool))
case("ma.eye(2, 3, 9)", np.eye(2, 3, 9))
case("ma.eye(0)", np.eye(0))
case("ma.identity(3, 'complex64')", np.identity(3, "complex64"))
case("ma.diag({1, 2, 3})", np.diag([1., 2, 3]))
case("ma.diag(r(3), 1)", np.diag(r(3), 1))
case("ma.diag(r(3), -2)", np.diag(r(3), -2))
case("ma.diag(r(3, 4))", np.diag(r(3, 4)))
case("ma.diag(r(3, 4), 2)", np.diag(r(3, 4), 2))
case("ma.diag(r(3, 4), -1)", np.diag(r(3, 4), -1))
case("ma.diag(r(3, 4), 7)", np.diag(r(3, 4), 7))
case("ma.diagflat(r(2, 2), 1)", np.diagflat(r(2, 2), 1))
case("r(3, 4):trace()", np.trace(r(3, 4)))
case("r(2, 3, 4):trace(1, 2, 3)", np.trace(r(2, 3, 4), 1, 1, 2))
case("r(2, 3, 4):diagonal()", np.diagonal(r(2, 3, 4)))
case("r(2, 3, 4):diagonal(-1, 3, 1)", np.diagonal(r(2, 3, 4), -1, 2, 0))
case("ma.fill_diagonal(f(3, 3), 9)", np.array([[9 if i == j else f(3, 3)[i, j] for j in range(3)] for i in range(3)]))
case("ma.tri(3, 5, 2)", np.tri(3, 5, 2))
case("ma.tri(4, {k = -1, dtype = 'uint8'})", np.tri(4, k=-1, dtype="uint8"))
for k in (0, 1, -1, 5):
    case("ma.tril(r(3, 4), %d)" % k, np.tril(r(3, 4), k))
    case("ma.triu(f(2, 4, 3), %d)" % k, np.triu(f(2, 4, 3), k))
case("ma.tril(r(3))", np.tril(r(3)))
case("ma.triu(r(3, 3):gt(0))", np.triu(r(3, 3) > 0))
case("ma.vander(r(4))", np.vander(r(4)))
case("ma.vander(f(4), 3, true)", np.vander(f(4), 3, True))
case("ma.meshgrid(r(3), f(2))", *np.meshgrid(r(3), f(2)))
case("ma.meshgrid(r(3), f(2), {indexing = 'ij'})", *np.meshgrid(r(3), f(2), indexing="ij"))
case("ma.meshgrid(r(3), r(2), r(4), {sparse = true})", *np.meshgrid(r(3), r(2), r(4), sparse=True))
case("ma.meshgrid(r(3))", *np.meshgrid(r(3)))
case("ma.mgrid({1, 3}, {0, 4, 2})", np.mgrid[1:4, 0:5:2])
case("ma.ogrid({1, 3}, {0, 4, 2})", *np.ogrid[1:4, 0:5:2])
case("ma.indices({2, 3})", np.indices((2, 3)) + 1)
case("ma.indices({2, 3}, {sparse = true})", *[a + 1 for a in np.indices((2, 3), sparse=True)])
case("ma.fromfunction(function(i, j) return i * 10 + j end, {2, 3})",
    np.fromfunction(lambda i, j: (i + 1) * 10 + j + 1, (2, 3), dtype=int))

section = "shape"
a, b = r(2, 3, 4), r(3, 4)
case("r(2, 3, 4):reshape(4, 6)", a.reshape(4, 6))
case("r(2, 3, 4):reshape({6, -1})", a.reshape(6, -1))
case("r(2, 3, 4):reshape({4, 6}, {order = 'F'})", a.reshape((4, 6), order="F"))
case("r(2, 3, 4):transpose():reshape(-1)", a.T.reshape(-1))
case("r(1, 1):reshape({})", r(1, 1).reshape(()))
case("r(2, 3, 4):ravel()", a.ravel())
case("r(2, 3, 4):ravel('F')", a.ravel("F"))
case("r(3, 4):transpose():flatten()", b.T.flatten())
case("r(2, 3, 4):transpose()", a.T)
case("r(2, 3, 4):transpose(2, 3, 1)", a.transpose(1, 2, 0))
case("r(2, 3, 4):transpose({-1, 1, 2})", a.transpose(-1, 0, 1))
case("r(2, 3, 4):swapaxes(1, -1)", a.swapaxes(0, -1))
case("r(2, 3, 4):moveaxis(1, -1)", np.moveaxis(a, 0, -1))
case("r(2, 3, 4):moveaxis({1, 3}, {-1, 1})", np.moveaxis(a, [0, 2], [-1, 0]))
case("r(2, 3, 4):rollaxis(3)", np.rollaxis(a, 2))
case("r(2, 3, 4):rollaxis(1, 4)", np.rollaxis(a, 0, 3))
for axis in (1, 2, 3, -1, -3):
    for start in (1, 2, 3, -1, -2, -3):
        case("r(2, 3, 4):rollaxis(%d, %d)" % (axis, start), np.rollaxis(a, axis - (axis > 0), start - (start > 0)))
case("r(2, 3, 4):matrix_transpose()", np.matrix_transpose(a))
case("r(1, 3, 1):squeeze()", r(1, 3, 1).squeeze())
case("r(1, 3, 1):squeeze(-1)", r(1, 3, 1).squeeze(-1))
case("r(3):expand_dims(1)", np.expand_dims(r(3), 0))
case("r(3):expand_dims({1, -1})", np.expand_dims(r(3), (0, -1)))
case("r(3):broadcast_to({2, 3})", np.broadcast_to(r(3), (2, 3)))
case("ma.broadcast_arrays(r(3), r(2, 1))", *np.broadcast_arrays(r(3), r(2, 1)))
case("ma.atleast_1d(3, r(2))", np.atleast_1d(3.), r(2))
case("ma.atleast_2d(r(3))", np.atleast_2d(r(3)))
case("ma.atleast_3d(r(3), r(2, 2))", *np.atleast_3d(r(3), r(2, 2)))
case("r(2, 3, 4):flip()", np.flip(a))
case("r(2, 3, 4):flip(2)", np.flip(a, 1))
case("r(2, 3, 4):flip({1, -1})", np.flip(a, (0, -1)))
case("r(3, 4):flipud()", np.flipud(b))
case("r(3, 4):fliplr()", np.fliplr(b))
case("r(0, 4):flip()", np.flip(r(0, 4)))
for k in range(5):
    case("r(3, 4):rot90(%d)" % k, np.rot90(b, k))
case("r(2, 3, 4):rot90(-1, {2, 3})", np.rot90(a, -1, (1, 2)))
case("r(3, 4):roll(2)", np.roll(b, 2))
case("r(3, 4):roll(-5, 2)", np.roll(b, -5, 1))
case("r(3, 4):roll({1, 2}, {1, 2})", np.roll(b, (1, 2), (0, 1)))
case("r(3, 4):roll(1, {1, 2})", np.roll(b, 1, (0, 1)))
case("r(3, 4):roll(0, 1)", np.roll(b, 0, 0))
case("ma.concatenate({r(2, 3), f(1, 3)})", np.concatenate([r(2, 3), f(1, 3)]))
case("ma.concatenate({r(2, 3), r(2, 1), r(2, 0)}, 2)", np.concatenate([r(2, 3), r(2, 1), r(2, 0)], 1))
case("ma.concatenate({r(2), {5, 6}}, {dtype = 'float32'})", np.concatenate([r(2), [5, 6]], dtype="float32"))
case("ma.concat({r(2):astype('int8'), r(2):gt(0)})", np.concatenate([r(2).astype("int8"), r(2) > 0]))
case("ma.stack({r(3), f(3)})", np.stack([r(3), f(3)]))
case("ma.stack({r(2, 3), r(2, 3)}, 2)", np.stack([r(2, 3), r(2, 3)], 1))
case("ma.stack({r(2, 3), r(2, 3)}, -1)", np.stack([r(2, 3), r(2, 3)], -1))
case("ma.stack({1, 2})", np.stack([1., 2.]))
case("ma.hstack({r(3), r(2)})", np.hstack([r(3), r(2)]))
case("ma.hstack({r(2, 3), r(2, 1)})", np.hstack([r(2, 3), r(2, 1)]))
case("ma.vstack({r(3), r(2, 3)})", np.vstack([r(3), r(2, 3)]))
case("ma.dstack({r(3), r(3)})", np.dstack([r(3), r(3)]))
case("ma.column_stack({r(3), r(3, 2)})", np.column_stack([r(3), r(3, 2)]))
case("ma.append(r(3), 7.5)", np.append(r(3), 7.5))
case("ma.append(r(2, 3), r(1, 3), 1)", np.append(r(2, 3), r(1, 3), 0))
case("ma.block({{r(2, 2), r(2, 1)}, {r(1, 3)}})", np.block([[r(2, 2), r(2, 1)], [r(1, 3)]]))
case("ma.block({r(2), 1, r(1)})", np.block([r(2), 1., r(1)]))
case("unpack(ma.split(r(3, 4), 2, 2))", *np.split(b, 2, 1))
case("unpack(ma.split(r(12), {4, 6, 11}))", *np.split(r(12), [3, 5, 10]))
case("unpack(ma.array_split(r(11), 4))", *np.array_split(r(11), 4))
case("unpack(ma.array_split(r(2), 3))", *np.array_split(r(2), 3))
case("unpack(ma.hsplit(r(4), 2))", *np.hsplit(r(4), 2))
case("unpack(ma.hsplit(r(3, 4), 2))", *np.hsplit(b, 2))
case("unpack(ma.vsplit(r(3, 4), 3))", *np.vsplit(b, 3))
case("unpack(ma.dsplit(r(2, 3, 4), {2}))", *np.dsplit(a, [1]))
case("ma.unstack(r(2, 3, 4), {axis = 2})", a[:, 0], a[:, 1], a[:, 2])
case("ma.tile(r(3), 2)", np.tile(r(3), 2))
case("ma.tile(r(2, 3), {2, 1, 2})", np.tile(r(2, 3), (2, 1, 2)))
case("ma.tile(r(2, 3), {1})", np.tile(r(2, 3), 1))
case("ma.tile(r(2, 3), {2, 0})", np.tile(r(2, 3), (2, 0)))
case("ma.repeat_(r(2, 3), 2)", np.repeat(r(2, 3), 2))
case("ma.repeat_(r(2, 3), 2, 1)", np.repeat(r(2, 3), 2, 0))
case("ma.repeat_(r(2, 3), {0, 2, 1}, 2)", np.repeat(r(2, 3), [0, 2, 1], 1))
case("ma.repeat_(r(3), 1)", np.repeat(r(3), 1))
case("ma.resize(r(2, 3), {4, 4})", np.resize(r(2, 3), (4, 4)))
case("ma.resize(r(6), 4)", np.resize(r(6), 4))
for mode in ("edge", "wrap", "reflect", "symmetric"):
    for width, lua in (((2, 3), "{2, 3}"), (((1, 0), (7, 9)), "{{1, 0}, {7, 9}}"), (1, "1")):
        case("ma.pad(r(3, 4), %s, '%s')" % (lua, mode), np.pad(b, width, mode))
    case("ma.pad(r(1), 3, '%s')" % mode, np.pad(r(1), 3, mode))
case("ma.pad(r(3, 4), 2)", np.pad(b, 2))
case("ma.pad(r(3, 4), {{1, 2}, {0, 3}}, {constant_values = {{1, 2}, {3, 4}}})",
    np.pad(b, ((1, 2), (0, 3)), constant_values=((1, 2), (3, 4))))
case("ma.pad(f(4), {1, 2}, 'constant', {constant_values = 0.5})", np.pad(f(4), (1, 2), constant_values=0.5))
case("ma.delete(r(5), 2)", np.delete(r(5), 1))
case("ma.delete(r(3, 4), {1, -1}, 2)", np.delete(b, [0, -1], 1))
case("ma.delete(r(5), r(5):gt(0))", np.delete(r(5), r(5) > 0))
case("ma.delete(r(2, 3), 1)", np.delete(r(2, 3), 0))
case("ma.insert(r(4), 3, 99)", np.insert(r(4), 2, 99))
case("ma.insert(r(4), 5, {7, 8})", np.insert(r(4), 4, [7, 8]))
for at in (-1, -2, -4):
    case("ma.insert(r(4), %d, 99)" % at, np.insert(r(4), at, 99))
    case("ma.insert(r(4), {%d, 1, 5}, {7, 8, 9})" % at, np.insert(r(4), [at, 0, 4], [7, 8, 9]))
case("ma.insert(r(2, 3), -1, 99, -1)", np.insert(r(2, 3), -1, 99, -1))
case("ma.delete(r(4), {-1, 1})", np.delete(r(4), [-1, 0]))
case("ma.insert(r(4), {2, 2, 4}, {7, 8, 9})", np.insert(r(4), [1, 1, 3], [7, 8, 9]))
case("ma.insert(r(3, 4), 2, 5, 2)", np.insert(b, 1, 5, 1))
case("ma.insert(r(2, 3), 2, {50, 60, 70}, 1)", np.insert(r(2, 3), 1, [50, 60, 70], 0))
case("ma.trim_zeros({0, 0, 1, 0, 2, 0})", np.trim_zeros(np.array([0., 0, 1, 0, 2, 0])))
case("ma.trim_zeros({0, 0, 1, 0, 2, 0}, 'f')", np.trim_zeros(np.array([0., 0, 1, 0, 2, 0]), "f"))
case("ma.trim_zeros({0, 0})", np.trim_zeros(np.zeros(2)))

section = "numeric"
case("ma.diff(r(3, 4))", np.diff(b))
case("ma.diff(r(3, 4), 2, 1)", np.diff(b, 2, 0))
case("ma.diff(r(5), {prepend = 0, append = {1, 2}})", np.diff(r(5).astype(float), prepend=0, append=[1, 2]))
case("ma.diff(r(5):gt(0))", np.diff(r(5) > 0))
case("ma.diff(r(3), 4)", np.diff(r(3), 4))
case("ma.ediff1d(r(2, 3))", np.ediff1d(r(2, 3)))
case("ma.ediff1d(r(4), {1, 2}, 9)", np.ediff1d(r(4), [1, 2], 9))
case("ma.gradient(f(6))", np.gradient(f(6)))
case("ma.gradient(r(6), 2)", np.gradient(r(6), 2))
case("ma.gradient(f(6), {0, 1, 1.5, 3.5, 4, 6})", np.gradient(f(6), [0, 1, 1.5, 3.5, 4, 6]))
case("ma.gradient(f(6), {0, 1, 1.5, 3.5, 4, 6}, {edge_order = 2})",
    np.gradient(f(6), [0, 1, 1.5, 3.5, 4, 6], edge_order=2))
case("ma.gradient(f(4, 5))", *np.gradient(f(4, 5)))
case("ma.gradient(f(4, 5), 0.5, 2, {edge_order = 2})", *np.gradient(f(4, 5), 0.5, 2, edge_order=2))
case("ma.gradient(f(4, 5), {axis = 2})", np.gradient(f(4, 5), axis=1))
case("ma.gradient(f(2))", np.gradient(f(2)))
case("ma.trapezoid(r(5))", np.trapezoid(r(5)))
case("ma.trapezoid(f(3, 4), {dx = 0.5, axis = 1})", np.trapezoid(f(3, 4), dx=0.5, axis=0))
case("ma.trapezoid(f(3, 4), {0, 1, 3, 4})", np.trapezoid(f(3, 4), [0, 1, 3, 4]))
case("ma.unwrap({0, 1, 7, 2, -5, 9.5})", np.unwrap([0, 1, 7, 2, -5, 9.5]))
case("ma.unwrap(r(3, 4), {period = 4, axis = 1})", np.unwrap(r(3, 4), period=4, axis=0))
case("ma.average(f(3, 4))", np.average(f(3, 4)))
case("ma.average(f(3, 4), 1, {1, 2, 3})", np.average(f(3, 4), 0, [1, 2, 3]))
case("ma.average(r(3, 4), {weights = r(3, 4) * r(3, 4), returned = true})",
    *np.average(b, weights=b * b, returned=True))
case("ma.interp({-1, 0, 0.5, 1, 2.25, 3, 9}, {0, 1, 3}, {10, 20, 0})",
    np.interp([-1, 0, 0.5, 1, 2.25, 3, 9], [0, 1, 3], [10, 20, 0]))
case("ma.interp({-1, 0.5, 9}, {0, 1, 3}, {10, 20, 0}, -5.5, 7.5)",
    np.interp([-1, 0.5, 9], [0, 1, 3], [10, 20, 0], -5.5, 7.5))
case("ma.interp(1.5, {1, 2}, {3, 5})", np.interp(1.5, [1, 2], [3, 5]))
case("ma.fix({-1.5, 1.5})", np.fix([-1.5, 1.5]))
case("ma.iscomplex(ma.array({1, 2}, 'complex64'))", np.iscomplex(np.array([1, 2], "complex64")))
case("ma.isreal(f(3))", np.isreal(f(3)))
case("ma.isposinf({1, math.huge, -math.huge})", np.isposinf([1, np.inf, -np.inf]))
case("ma.isneginf({1, math.huge, -math.huge})", np.isneginf([1, np.inf, -np.inf]))
case("ma.where(r(2, 3):gt(0), r(2, 3), 0)", np.where(r(2, 3) > 0, r(2, 3), 0))
case("ma.where({true, false}, 1.5, r(2, 2))", np.where([True, False], 1.5, r(2, 2)))
case("r(2, 3):clip(0, 2)", r(2, 3).clip(0, 2))
case("f(6):clip({a_max = 0.25})", f(6).clip(max=0.25))
case("ma.clip(f(2, 3), f(3), 0.75)", np.clip(f(2, 3), f(3), 0.75))
case("ma.round({1.25, -0.5, 0.125, 2.5}, 1)", np.round([1.25, -0.5, 0.125, 2.5], 1))
case("ma.around({1234, 1250}, -2)", np.around([1234., 1250.], -2))
case("ma.round(r(3))", np.round(r(3)))
case("ma.angle(ma.array({1, 2}, 'complex128') * ma.complex(0, -1))", np.angle(np.array([1, 2]) * -1j))
case("ma.angle({-1, 1}, true)", np.angle([-1., 1.], deg=True))
case("ma.isclose({1, 1.000001, math.huge, 0/0}, {1, 1, math.huge, 0/0})",
    np.isclose([1, 1.000001, np.inf, np.nan], [1, 1, np.inf, np.nan]))
case("ma.isclose({0/0, 1}, {0/0, 2}, {equal_nan = true, rtol = 0.5})",
    np.isclose([np.nan, 1], [np.nan, 2], equal_nan=True, rtol=0.5))
case("ma.nan_to_num({0/0, math.huge, -math.huge, 2})", np.nan_to_num([np.nan, np.inf, -np.inf, 2]))
case("ma.nan_to_num({0/0, math.huge, -math.huge, 2}, {nan = 7, posinf = 8, neginf = 9})",
    np.nan_to_num([np.nan, np.inf, -np.inf, 2], nan=7, posinf=8, neginf=9))
case("ma.ptp(f(3, 4), 2)", np.ptp(f(3, 4), 1))

section = "semantics"
# A narrower dtype: elements are cast to it, then the sum is made in it, and cut off by it.
for name in ("sum", "prod", "cumsum", "cumprod"):
    call = getattr(np, name)
    for dtype in ("int8", "int32", "float32"):
        case("ma.%s(ma.array{1.5, 2.5, 300.75}, {dtype = '%s'})" % (name, dtype), call([1.5, 2.5, 300.75], dtype=dtype))
    case("ma.%s(r(3, 4):astype('int8'), {axis = 2, dtype = 'uint8'})" % name,
        call(r(3, 4).astype("int8"), axis=1, dtype="uint8"))
    case("ma.%s(f(6), {dtype = 'bool'})" % name, call(f(6), dtype=bool))
    case("ma.%s(f(6) * f(6) + 0.25, {dtype = 'bool'})" % name, call(f(6) * f(6) + 0.25, dtype=bool))
case("ma.prod(ma.full(70, 2), {dtype = 'bool'})", np.prod(np.full(70, 2.), dtype=bool))
for name in ("mean", "var", "std"):
    call = getattr(np, name)
    for dtype in ("int8", "int32", "uint8", "bool") if name == "mean" else ("int32", "float32"):
        case("ma.%s(%s, {dtype = '%s'})" % (name, "ma.absolute(r(3, 4))", dtype),
            call(np.absolute(r(3, 4)), dtype=dtype))
        if name != "std" or dtype == "float32":
            case("ma.%s(%s, {axis = 1, dtype = '%s'})" % (name, "ma.absolute(f(4, 5)) * 40", dtype),
                call(np.absolute(f(4, 5)) * 40, axis=0, dtype=dtype))
            case("ma.%s(%s, {dtype = '%s', keepdims = true, where = r(3, 4):gt(0)})"
                % (name, "ma.absolute(r(3, 4))", dtype),
                 call(np.absolute(r(3, 4)), dtype=dtype, keepdims=True, where=r(3, 4) > 0))
case("ma.var(ma.absolute(r(3, 4)), {dtype = 'int32', ddof = 2})", np.var(np.absolute(r(3, 4)), dtype="int32", ddof=2))
case("ma.var(r(4) + ma.complex(0, 1) * r(4), {dtype = 'int32'})", np.var(r(4) + 1j * r(4), dtype="int32"))
case("ma.nanmean(r(5), {dtype = 'int32'})", np.nanmean(r(5), dtype="int32"))
case("ma.nanvar(ma.array{1, 0/0}, {ddof = 2})", np.nan)
case("ma.var(ma.array{1, 2}, {ddof = 3})", np.var([1., 2], ddof=3))
# Ufuncs over nothing and over one element begin with their identity.
for name in ("hypot", "logaddexp", "logaddexp2", "add", "multiply"):
    case("ma.%s.reduce(f(0, 2))" % name, getattr(np, name).reduce(f(0, 2)))
    case("ma.%s.reduce(f(1, 2))" % name, getattr(np, name).reduce(f(1, 2)))
case("ma.gcd.reduce(r(2, 0), 2)", np.gcd.reduce(r(2, 0), 1))
case("ma.gcd.reduce(r(1, 2), 1)", np.gcd.reduce(r(1, 2), 0))
case("ma.lcm.reduce(r(1))", np.lcm.reduce(r(1)))
# Nothing has no median.
for lua, shape, axis in (("f(0)", (0,), None), ("f(2, 0)", (2, 0), 1), ("f(0, 2)", (0, 2), 1),
        ("f(0, 2)", (0, 2), None)):
    for name in ("median", "nanmedian"):
        case("ma.%s(%s, %s)" % (name, lua, "nil" if axis is None else axis + 1),
            getattr(np, name)(f(*shape), axis=axis))
    case("ma.nanquantile(%s, 0.5, %s)" % (lua, "nil" if axis is None else axis + 1),
        np.nanquantile(f(*shape), 0.5, axis=axis))
case("ma.quantile(f(0, 2), {0.25, 0.5}, 2)", np.quantile(f(0, 2), [0.25, 0.5], axis=1))
case("ma.quantile(f(3):astype('float32'), 0.25)", np.quantile(f(3).astype("float32"), 0.25))
# A mask without elements picks nothing, whatever the axes that its extents of 0 stand for.
for of, mask in (((0, 1), (0, 0)), ((2, 3), (0, 3)), ((2, 3), (2, 0)), ((2, 3), (0,)), ((2, 3, 4), (0, 0))):
    case("ma.zeros{%s}[ma.zeros({%s}, 'bool')]" % (", ".join(map(str, of)), ", ".join(map(str, mask))),
        np.zeros(of)[np.zeros(mask, bool)])
case("ma.interp(f(3):astype('float32'), ma.array({-1, 1}, 'float32'), ma.array({1, 2}, 'float32'))",
     np.interp(f(3).astype("float32"), np.array([-1, 1], "float32"), np.array([1, 2], "float32")))
for dtype in ("int8", "uint8", "int64", "float32"):
    for edge in ("0", "0.5", "r(2)"):
        value = eval(edge)
        case("ma.diff(r(4):astype('%s'), {prepend = %s})" % (dtype, edge), np.diff(r(4).astype(dtype), prepend=value))
    if dtype != "uint8":
        case("ma.unwrap(r(6):astype('%s'), {period = 4})" % dtype, np.unwrap(r(6).astype(dtype), period=4))
for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"):
    case("ma.ldexp(f(3), ma.array({1, 2, 3}, '%s'))" % dtype, np.ldexp(f(3), np.array([1, 2, 3], dtype)))
case("ma.less(r(4):astype('int8'), 2, {dtype = 'bool'})", np.less(r(4).astype("int8"), 2, dtype=bool))
case("ma.signbit({ma.nan, 0/0, -(0/0), 1})", np.signbit([np.nan, np.nan, np.nan, 1]))
case("ma.einsum('...j->j', f(3))", np.einsum("...j->j", f(3)))
# At infinities as the array API standard says, which NumPy leaves NaN in places.
inf, nan = np.inf, np.nan
for z, w in (((inf, 0), (inf, 0)), ((-inf, 1), (-1, 0)), ((-inf, inf), (-1, 0)), ((inf, inf), (inf, nan)),
        ((-inf, nan), (-1, 0)),
             ((inf, nan), (inf, nan)), ((nan, 0), (nan, 0)), ((nan, 1), (nan, nan)), ((0, inf), (nan, nan)),
             ((2, nan), (nan, nan)),
             ((inf, 1), (inf, inf)), ((nan, nan), (nan, nan))):
    text = ", ".join("ma.nan" if x != x else "math.huge" if x == inf else "-math.huge" if x == -inf else str(x)
        for x in z)
    case("ma.expm1(ma.complex(%s))" % text, np.array(complex(*w)))

section = "layout"


def strides(lua, a):
    """The strides, which mean something where there are elements, and the elements."""
    if a.size:
        case("ma.array((%s).strides, 'int64')" % lua, np.array(a.strides, dtype=np.int64))
    case(lua, a)


three = {
    "r(2, 3, 4)": r(2, 3, 4), "r(2, 3, 4):transpose()": r(2, 3, 4).T,
    "r(2, 3, 4):transpose(2, 1, 3)": r(2, 3, 4).transpose(1, 0, 2),
    "r(2, 3, 4)['::-1, :, ::-2']": r(2, 3, 4)[::-1, :, ::-2],
    "r(2, 3, 4):transpose(3, 1, 2)['..., ::-1']": r(2, 3, 4).transpose(2, 0, 1)[..., ::-1],
    "r(3, 4):broadcast_to({2, 3, 4})": np.broadcast_to(r(3, 4), (2, 3, 4)), "r(2, 0, 3):transpose()": r(2, 0, 3).T,
    "r(5)['::2']": r(5)[::2], "r()": r(),
}
for order in "CF":
    strides("ma.zeros({2, 3, 4}, 'int32', '%s')" % order, np.zeros((2, 3, 4), "int32", order))
    strides("ma.ones({2, 3}, {order = '%s'})" % order, np.ones((2, 3), order=order))
    strides("ma.full({2, 3}, 7.5, {order = '%s'})" % order, np.full((2, 3), 7.5, order=order))
    strides("ma.full({2, 3}, ma.range(0, 2), nil, '%s')" % order, np.full((2, 3), np.arange(3), order=order))
    strides("ma.array({{1, 2, 3}, {4, 5, 6}}, {order = '%s'})" % order, np.array([[1., 2, 3], [4, 5, 6]], order=order))
    strides("ma.eye(2, 3, 1, 'int8', '%s')" % order, np.eye(2, 3, 1, "int8", order))
    case("ma.array(ma.empty({2, 3}, 'int16', '%s').strides, 'int64')" % order,
        np.array(np.empty((2, 3), "int16", order).strides))
for lua, a in three.items():
    for order in "CFAK":
        for name in ("zeros", "ones"):
            strides("ma.%s_like(%s, {order = '%s'})" % (name, lua, order), getattr(np, name + "_like")(a, order=order))
        strides("ma.full_like(%s, 3, 'int16', '%s')" % (lua, order), np.full_like(a, 3, "int16", order))
        strides("(%s):copy('%s')" % (lua, order), a.copy(order))
        strides("(%s):astype('float32', {order = '%s'})" % (lua, order), a.astype("float32", order=order))
        strides("ma.array(%s, {order = '%s'})" % (lua, order), np.array(a, order=order))
        strides("ma.asarray(%s, 'float32', '%s')" % (lua, order), np.asarray(a, "float32", order))
        if a.size and a.strides.count(0) == 0:          # a view where it fits
            strides("ma.asarray(%s, {order = '%s'})" % (lua, order), np.asarray(a, order=order))
        case("ma.ravel(%s, '%s')" % (lua, order), np.ravel(a, order))
        case("(%s):flatten('%s')" % (lua, order), a.flatten(order))
        if order != "K" and a.size == 24:
            case("(%s):reshape({4, 6}, {order = '%s'})" % (lua, order), a.reshape((4, 6), order=order))
    strides("ma.zeros_like(%s)" % lua, np.zeros_like(a))
    strides("(%s):astype('int8')" % lua, a.astype("int8"))
    strides("ma.array(%s)" % lua, np.array(a))
    case("ma.array({(%s).flags.c_contiguous, (%s).flags.f_contiguous})" % (lua, lua),
        [a.flags.c_contiguous, a.flags.f_contiguous])
strides("ma.zeros_like(r(2, 3, 4):transpose(), {shape = {2, 5, 3}})", np.zeros_like(r(2, 3, 4).T, shape=(2, 5, 3)))
strides("ma.zeros_like(r(2, 3, 4):transpose(), {shape = {2, 5}})", np.zeros_like(r(2, 3, 4).T, shape=(2, 5)))
strides("ma.array(r(3):astype('int8'), 'int16', {ndmin = 3})", np.array(r(3).astype("int8"), "int16", ndmin=3))
# The same memory as another dtype.
for lua, a in (("r(2, 3)", r(2, 3)), ("f(2, 4)", f(2, 4)), ("r(3, 4)['::2']", r(3, 4)[::2]),
        ("r(4, 3):transpose(2, 1)['1:1']", r(4, 3).T[0:1])):
    for dtype in ("uint8", "int32", "float64", "uint64", "complex128"):
        if dtype == "complex128" and a.shape[-1] % 2 or dtype in ("uint8", "int32",
                "complex128") and a.strides[-1] != 8:
            continue
        if dtype == "float64" and a.dtype == np.int64:
            continue                                     # denormals, of which no digits are left in text
        strides("(%s):view('%s')" % (lua, dtype), a.view(dtype))
case("ma.array(1.5, 'float32'):view('int32')", np.float32(1.5).view("int32"))
case("(r(3):gt(0)):view('uint8')", (r(3) > 0).view("uint8"))
for dtype in ("int8", "uint16", "int32", "uint64", "bool"):
    case("r(2, 3):astype('%s'):byteswap()" % dtype, r(2, 3).astype(dtype).byteswap())
    case("r(2, 3):astype('%s'):transpose():byteswap(true)" % dtype, r(2, 3).astype(dtype).byteswap().T)
for dtype in ("float16", "float32", "float64", "complex64", "complex128"):
    bits = "uint%d" % (np.dtype(dtype).itemsize * (4 if "complex" in dtype else 8))
    case("r(2, 3):astype('%s'):byteswap():view('%s')" % (dtype, bits), r(2, 3).astype(dtype).byteswap().view(bits))
    case("r(2, 3):astype('%s'):transpose():byteswap(true):copy():view('%s')" % (dtype, bits),
        r(2, 3).T.astype(dtype).byteswap().copy().view(bits))
windows, strided_as = np.lib.stride_tricks.sliding_window_view, np.lib.stride_tricks.as_strided
strides("ma.lib.stride_tricks.sliding_window_view(r(6), 3)", windows(r(6), 3))
strides("ma.lib.stride_tricks.sliding_window_view(r(3, 4), {2, 3})", windows(r(3, 4), (2, 3)))
strides("ma.lib.stride_tricks.sliding_window_view(r(3, 4):transpose(), {2, 2}, {1, 2})",
    windows(r(3, 4).T, (2, 2), (0, 1)))
strides("ma.lib.stride_tricks.sliding_window_view(r(3, 4), {2, 3}, {2, 2})", windows(r(3, 4), (2, 3), (1, 1)))
strides("ma.lib.stride_tricks.sliding_window_view(r(3, 4)['::-1'], 2, -2)", windows(r(3, 4)[::-1], 2, -2))
strides("ma.lib.stride_tricks.as_strided(r(6), {4, 3}, {8, 8})", strided_as(r(6), (4, 3), (8, 8)))
strides("ma.lib.stride_tricks.as_strided(r(6), 3, 16)", strided_as(r(6), (3,), (16,)))
strides("ma.lib.stride_tricks.as_strided(r(6)['::-1'], {3, 2}, {-16, -8})", strided_as(r(6)[::-1], (3, 2), (-16, -8)))
strides("ma.lib.stride_tricks.as_strided(r(6), {2, 0}, {800, 8})", strided_as(r(6), (2, 0), (800, 8)))
strides("ma.lib.stride_tricks.as_strided(r(6), {shape = {}, strides = {}})", strided_as(r(6), (), ()))

section = "product"
for dtype in ("int8", "uint8", "int64", "float16", "float32", "float64", "complex64", "complex128"):
    wide = r(3, 4).astype(dtype), r(4, 5).astype(dtype)
    case("ma.matmul(r(3, 4):astype('%s'), r(4, 5):astype('%s'))" % (dtype, dtype), wide[0] @ wide[1])
for left, right in (("int8", "uint8"), ("int32", "float32"), ("float16", "float32"), ("float32", "complex64"),
        ("int64", "float32"), ("bool", "int8")):
    case("ma.matmul(r(3, 4):astype('%s'), r(4, 2):astype('%s'))" % (left, right),
        r(3, 4).astype(left) @ r(4, 2).astype(right))
case("ma.matmul(r(2, 3):gt(2), r(3, 2):gt(2))", (r(2, 3) > 2) @ (r(3, 2) > 2))
case("ma.matmul(f(4, 3):transpose(), f(4, 5))", f(4, 3).T @ f(4, 5))
case("ma.matmul(f(3, 4), f(5, 4):transpose())", f(3, 4) @ f(5, 4).T)
case("ma.matmul(f(3, 4):transpose():copy():transpose(), f(4, 5):transpose():copy():transpose())",
    np.asfortranarray(f(3, 4)) @ np.asfortranarray(f(4, 5)))
case("ma.matmul(strided(3, 4), strided(4, 5))", strided(3, 4) @ strided(4, 5))
case("ma.matmul(f(3, 4)['::-1, ::-1'], f(4, 5)[':, ::-1'])", f(3, 4)[::-1, ::-1] @ f(4, 5)[:, ::-1])
case("ma.matmul(ma.broadcast_to(f(4), {3, 4}), f(4, 2))", np.broadcast_to(f(4), (3, 4)) @ f(4, 2))
case("ma.matmul(f(2, 3, 4), f(4, 5))", f(2, 3, 4) @ f(4, 5))
case("ma.matmul(f(2, 1, 3, 4), f(3, 4, 2))", f(2, 1, 3, 4) @ f(3, 4, 2))
case("ma.matmul(f(3, 2, 4):transpose{2, 1, 3}, f(2, 4, 2))", f(3, 2, 4).transpose(1, 0, 2) @ f(2, 4, 2))
case("ma.matmul(f(4), f(2, 4, 3))", f(4) @ f(2, 4, 3))
case("ma.matmul(f(2, 3, 4), f(4))", f(2, 3, 4) @ f(4))
case("ma.matmul(f(4), f(4))", f(4) @ f(4))
for left, right in (((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0)), ((0, 2, 3), (3, 2)), ((2, 0, 3), (2, 3, 0)),
        ((0,), (0,))):
    text = "ma.matmul(f(%s), f(%s))" % (", ".join(map(str, left)), ", ".join(map(str, right)))
    case(text, f(*left) @ f(*right))
case("ma.dot(f(2, 3), f(3, 4))", np.dot(f(2, 3), f(3, 4)))
case("ma.dot(f(2, 3, 4), f(5, 4, 2))", np.dot(f(2, 3, 4), f(5, 4, 2)))
case("ma.dot(f(2, 3, 4), f(4))", np.dot(f(2, 3, 4), f(4)))
case("ma.dot(f(4), f(5, 4, 2))", np.dot(f(4), f(5, 4, 2)))
case("ma.dot(f(3), f(3))", np.dot(f(3), f(3)))
case("ma.dot(r(2, 0), r(0, 3))", np.dot(r(2, 0), r(0, 3)))
case("ma.vdot(c(2, 3), c(3, 2)['::-1'])", np.vdot(c(2, 3), c(3, 2)[::-1]))
case("ma.vdot(r(6), f(2, 3))", np.vdot(r(6), f(2, 3)))
case("ma.vecdot(c(2, 3), c(3))", np.vecdot(c(2, 3), c(3)))
case("ma.vecdot(f(3, 2), f(3, 2), 1)", np.vecdot(f(3, 2), f(3, 2), axis=0))
case("ma.vecdot(f(3), f(3, 2), 1)", np.vecdot(f(3), f(3, 2), axis=0))
case("ma.vecdot(f(3, 2), f(3, 4, 2), 1)", np.vecdot(f(3, 2)[:, None], f(3, 4, 2), axis=0))
case("ma.vecdot(r(3, 2), r(3, 2), {out = ma.empty(3, 'float32')})", np.vecdot(r(3, 2), r(3, 2)).astype("float32"))
for one, other in [("bool", "bool"), ("bool", "int8"), ("int8", "int8"), ("int16", "uint8"), ("uint32", "uint32"),
        ("int32", "float32"),
                   ("float16", "float16"), ("float16", "int8"), ("complex64", "float64")]:
    case("ma.vecdot(r(3, 40):astype('%s'), r(40):astype('%s'))" % (one, other),
        np.vecdot(r(3, 40).astype(one), r(40).astype(other)))
    case("ma.vdot(r(40):astype('%s'), r(40):astype('%s'))" % (one, other),
        np.vdot(r(40).astype(one), r(40).astype(other)))
# Products that float16 cannot hold, and sums that it can.
case("ma.vecdot(ma.array({300, 300, 2}, 'float16'), ma.array({300, -300, 3}, 'float16'))", np.float16(6))
case("ma.inner(f(2, 3), f(4, 3))", np.inner(f(2, 3), f(4, 3)))
case("ma.inner(f(2, 3, 4), f(4))", np.inner(f(2, 3, 4), f(4)))
case("ma.inner(r(3), c(2, 3))", np.inner(r(3), c(2, 3)))
case("ma.outer(r(2, 2), f(3))", np.outer(r(2, 2), f(3)))
case("ma.outer(r(0), f(3))", np.outer(r(0), f(3)))
case("ma.outer(r(2):astype('int8'), r(3):astype('float16'))", np.outer(r(2).astype("int8"), r(3).astype("float16")))
case("ma.kron(r(2, 3), f(3, 2))", np.kron(r(2, 3), f(3, 2)))
case("ma.kron(r(3), f(2, 1, 2))", np.kron(r(3), f(2, 1, 2)))
case("ma.kron(f(2, 1, 2), r(3))", np.kron(f(2, 1, 2), r(3)))
case("ma.kron(c(2), r(2, 2):transpose())", np.kron(c(2), r(2, 2).T))
case("ma.kron(r(0, 2), r(3))", np.kron(r(0, 2), r(3)))
case("ma.cross(f(4, 3), f(4, 3)[':, ::-1'])", np.cross(f(4, 3), f(4, 3)[:, ::-1]))
case("ma.cross(r(2, 1, 3), f(4, 3))", np.cross(r(2, 1, 3), f(4, 3)))
case("ma.cross(f(3, 4), f(3, 4)[':, ::-1'], {axis = 1})", np.cross(f(3, 4), f(3, 4)[:, ::-1], axis=0))
case("ma.cross(f(3, 4), f(4, 3), {axisa = 1, axisb = 2, axisc = 1})",
    np.cross(f(3, 4), f(4, 3), axisa=0, axisb=1, axisc=0))
case("ma.cross(r(0, 3), f(3))", np.cross(r(0, 3), f(3)))
case("ma.cross(c(3), c(3)['::-1'])", np.cross(c(3), c(3)[::-1]))
case("ma.tensordot(f(2, 3, 4), f(3, 4, 5))", np.tensordot(f(2, 3, 4), f(3, 4, 5)))
case("ma.tensordot(f(2, 3, 4), f(4, 3, 5), {{2, 3}, {2, 1}})", np.tensordot(f(2, 3, 4), f(4, 3, 5), ((1, 2), (1, 0))))
case("ma.tensordot(f(2, 3, 4), f(2, 5), {1, 1})", np.tensordot(f(2, 3, 4), f(2, 5), (0, 0)))
case("ma.tensordot(f(2, 3, 4), f(2, 3, 4), {{-1, -3}, {-1, -3}})",
    np.tensordot(f(2, 3, 4), f(2, 3, 4), ((-1, -3), (-1, -3))))
case("ma.tensordot(f(2, 3), f(2), 0)", np.tensordot(f(2, 3), f(2), 0))
case("ma.tensordot(f(2, 3), f(2, 3), 2)", np.tensordot(f(2, 3), f(2, 3), 2))
case("ma.tensordot(strided(2, 3, 4):transpose(), r(2, 3):transpose(), {{2, 3}, {1, 2}})",
     np.tensordot(strided(2, 3, 4).T, r(2, 3).T, ((1, 2), (0, 1))))
case("ma.tensordot(f(2, 0), f(0, 3), 1)", np.tensordot(f(2, 0), f(0, 3), 1))
case("ma.tensordot(f(0, 2), f(2, 3), 1)", np.tensordot(f(0, 2), f(2, 3), 1))
case("ma.trace(r(3, 4))", np.trace(r(3, 4)))
case("ma.trace(c(3, 3, 2), 1)", np.trace(c(3, 3, 2), 1))
case("ma.linalg.multi_dot{f(2, 9), f(9, 3), f(3, 8), f(8, 2)}",
    np.linalg.multi_dot([f(2, 9), f(9, 3), f(3, 8), f(8, 2)]))
case("ma.linalg.multi_dot{f(4), f(4, 3), f(3)}", np.linalg.multi_dot([f(4), f(4, 3), f(3)]))
case("ma.linalg.matrix_power(r(3, 3), 5)", np.linalg.matrix_power(r(3, 3), 5))
case("ma.linalg.matrix_power(f(2, 3, 3), 3)", np.linalg.matrix_power(f(2, 3, 3), 3))
for shape in ((0, 0), (0, 3), (3, 0), (2, 0, 3)):
    lua = "ma.zeros{" + ", ".join(map(str, shape)) + "}"
    for order in (1, 2, np.inf, "fro", "nuc"):
        text = "'%s'" % order if isinstance(order, str) else "math.huge" if order == np.inf else str(order)
        case("ma.linalg.matrix_norm(%s, {ord = %s})" % (lua, text), np.linalg.matrix_norm(np.zeros(shape), ord=order))
        if not isinstance(order, str):
            case("ma.linalg.vector_norm(%s, {ord = %s, axis = 1})" % (lua, text),
                np.linalg.vector_norm(np.zeros(shape), ord=order, axis=0))
case("ma.linalg.matmul(r(2, 3), r(3, 4))", np.linalg.matmul(r(2, 3), r(3, 4)))
case("ma.linalg.tensordot(r(2, 3, 4), r(3, 4, 2))", np.linalg.tensordot(r(2, 3, 4), r(3, 4, 2)))
case("ma.linalg.vecdot(c(2, 3), c(3))", np.linalg.vecdot(c(2, 3), c(3)))
case("ma.linalg.vecdot(f(3, 2), f(3, 2), 1)", np.linalg.vecdot(f(3, 2), f(3, 2), axis=0))
case("ma.linalg.cross(r(4, 3), r(3))", np.linalg.cross(r(4, 3), r(1, 3)))
case("ma.linalg.cross(r(3, 4), f(3, 4), 1)", np.linalg.cross(r(3, 4), f(3, 4), axis=0))
case("ma.linalg.outer(r(2), f(3))", np.linalg.outer(r(2), f(3)))
case("ma.linalg.diagonal(r(2, 3, 4), 1)", np.linalg.diagonal(r(2, 3, 4), offset=1))
case("ma.linalg.trace(r(2, 3, 4))", np.linalg.trace(r(2, 3, 4)))
case("ma.linalg.trace(r(2, 3, 4), -1, 'float32')", np.linalg.trace(r(2, 3, 4), offset=-1, dtype="float32"))
case("ma.linalg.matrix_power(r(3, 3):astype('float32'), 0)", np.linalg.matrix_power(r(3, 3).astype("float32"), 0))

OPERANDS = {"f": f, "r": r, "c": c, "strided": strided}


case("ma.average(r(2, 3), 2, {1, 2, 0.5})", np.average(r(2, 3), 1, [1, 2, 0.5]))


def einsum(subscripts, *operands):
    """operands: texts that mean the same in Python and in Lua, as 'f(2, 3)'."""
    case("ma.einsum('%s', %s)" % (subscripts, ", ".join(operands)),
        np.einsum(subscripts, *(eval(text, OPERANDS) for text in operands)))


for case_of in (
        ("ij,jk->ik", "f(2, 3)", "f(3, 4)"), ("ij,jk", "f(2, 3)", "f(3, 4)"), ("ba,cb", "f(3, 2)", "f(4, 3)"),
        ("ij,kj->ki", "strided(2, 3)", "r(4, 3)"),
        ("ij->ji", "r(2, 3)"), ("ij", "r(2, 3)"), ("ba", "r(2, 3)"), ("ij->i", "f(2, 3)"), ("ij->", "f(2, 3)"),
        ("ii", "f(3, 3)"), ("ii->i", "r(3, 3)"),
        ("iij->j", "f(3, 3, 2)"), ("iji->j", "f(3, 2, 3)"), ("iii->i", "r(3, 3, 3)"), ("iijj->ij", "r(2, 2, 3, 3)"),
        ("...ii->...i", "r(2, 3, 3)"),
        ("...->...", "r(2, 3)"), ("i...->...", "f(2, 3, 4)"), ("...i->i...", "f(2, 3, 4)"), ("i,i", "f(4)", "f(4)"),
        ("i,i->i", "f(4)", "r(4)"),
        ("i,j", "f(2)", "f(3)"), ("i,j->ji", "f(2)", "f(3)"), (",ij->ji", "f()", "f(2, 3)"), (",", "f()", "r()"),
        ("bij,bjk->bik", "f(2, 3, 4)", "f(2, 4, 5)"),
        ("bij,bjk->kib", "f(2, 3, 4)", "f(2, 4, 5)"), ("bij,bkj->bik", "c(2, 3, 4)", "r(2, 5, 4)"),
        ("...ij,...jk->...ik", "f(2, 1, 3, 4)", "f(3, 4, 2)"),
        ("...ij,jk", "f(2, 3, 4)", "f(4, 2)"), ("ij...,jk...->ik...", "f(2, 3, 2)", "f(3, 4, 2)"),
        ("bij,bjk->ik", "f(2, 3, 4)", "f(2, 4, 5)"),
        ("bij,kl->bk", "f(2, 3, 4)", "f(2, 2)"), ("ij,ij->", "f(3, 4)", "f(3, 4)"), ("ij,ji->", "f(3, 4)", "f(4, 3)"),
        ("ij,ij->ij", "f(3, 4)", "r(3, 4)"),
        ("ii,ij->j", "f(3, 3)", "f(3, 4)"), ("iij,jk->ik", "r(2, 2, 3)", "r(3, 4)"),
        ("ab,bc,cd->da", "f(2, 3)", "f(3, 4)", "f(4, 5)"),
        ("i,ij,j->", "f(3)", "f(3, 4)", "f(4)"), ("i,ij,j->ij", "r(3)", "r(3, 4)", "r(4)"),
        ("ijk,ilm,njm,nlk,abc->", "f(2, 3, 2)", "f(2, 2, 3)", "f(3, 3, 3)",
                                                                                            "f(3, 2, 2)", "f(1, 2, 2)"),
        ("ea,fb,abcd,gc,hd->efgh", "f(2, 2)", "f(2, 3)", "f(2, 3, 2, 3)", "f(2, 2)", "f(2, 3)"),
        ("aB,Bc->ac", "f(2, 3)", "f(3, 2)"),
        ("aB,Bc", "f(2, 3)", "f(3, 2)"), ("ij,jk->ik", "f(2, 0)", "f(0, 3)"), ("ij,jk->ik", "f(0, 2)", "f(2, 3)"),
        ("ij->j", "f(0, 3)"), ("ii->", "f(0, 0)"),
        ("ij,jk->ik", "f(2, 1)", "f(3, 4)"), ("i,i->", "f(1)", "f(5)"), ("ij,jk->ik", "c(2, 3)", "f(3, 2)"),
        ("i...,i...->...", "r(3, 1, 2)", "r(3, 4, 1)")):
    einsum(*case_of)
for dtype in ("bool", "int8", "uint16", "int32", "float16", "float32", "complex64"):
    x, y = r(3, 4).astype(dtype), r(4, 5).astype(dtype)
    case("ma.einsum('ij,jk->ki', r(3, 4):astype('%s'), r(4, 5):astype('%s'))" % (dtype, dtype),
        np.einsum("ij,jk->ki", x, y))
    case("ma.einsum('ij->i', r(3, 4):astype('%s'))" % dtype, np.einsum("ij->i", x))
# Sums that one operand alone has come before the products; they are in the dtype of the result all the same.
for one, other in [("bool", "float64"), ("bool", "int32"), ("int8", "float32"), ("uint8", "int64"),
        ("float32", "complex128")]:
    x, y, z = (r(5, 60) + 100).astype(one), r(5, 4).astype(other), r(4).astype(one)
    case("ma.einsum('ij,ik->k', (r(5, 60) + 100):astype('%s'), r(5, 4):astype('%s'))" % (one, other),
        np.einsum("ij,ik->k", x, y))
    case("ma.einsum('ij,k,ik->', (r(5, 60) + 100):astype('%s'), r(4):astype('%s'), r(5, 4):astype('%s'))"
        % (one, one, other), np.einsum("ij,k,ik->", x, z, y))
case("ma.einsum('i,j,i->j', ma.array({300, 300}, 'float16'), ma.array({1, 2}, 'float16'), ma.array({300, -300}, "
     "'float16'))", np.zeros(2, "float16"))
case("ma.einsum('ij,jk->ik', r(2, 3), r(3, 2), {dtype = 'float32'})",
    np.einsum("ij,jk->ik", r(2, 3), r(3, 2), dtype="float32", casting="unsafe"))

section = "fft"


def cf(*shape):
    return f(*shape) + 1j * f(*shape)[..., ::-1]


for name in ("fft", "ifft", "rfft", "ihfft", "irfft", "hfft"):
    transform = getattr(np.fft, name)
    for length in (1, 2, 3, 7, 8, 13, 30):
        if length > 1 or name not in ("irfft", "hfft"):
            case("ma.fft.%s(f(%d))" % (name, length), transform(f(length)))
        if name not in ("rfft", "ihfft"):
            if length > 1 or name not in ("irfft", "hfft"):
                case("ma.fft.%s(cf(%d))" % (name, length), transform(cf(length)))
    for norm in ("backward", "ortho", "forward"):
        case("ma.fft.%s(f(9), {norm = '%s'})" % (name, norm), transform(f(9), norm=norm))
    for length in (4, 5, 9, 12):
        case("ma.fft.%s(f(2, 9), %d)" % (name, length), transform(f(2, 9), length))
        case("ma.fft.%s(f(9, 2), {n = %d, axis = 1, norm = 'ortho'})" % (name, length),
            transform(f(9, 2), length, axis=0, norm="ortho"))
    case("ma.fft.%s(f(3, 4, 5), nil, 2)" % name, transform(f(3, 4, 5), axis=1))
    case("ma.fft.%s(f(4, 3, 5):transpose(), nil, -2)" % name, transform(f(4, 3, 5).T, axis=-2))
    case("ma.fft.%s(f(6, 8)['::-1, ::2'], {axis = 1})" % name, transform(f(6, 8)[::-1, ::2], axis=0))
    case("ma.fft.%s(ma.broadcast_to(f(4), {3, 4}))" % name, transform(np.broadcast_to(f(4), (3, 4))))
    case("ma.fft.%s(f(0, 4))" % name, transform(f(0, 4)))
    for dtype in ("bool", "int16", "uint8", "float32",
            "float64"):      # NumPy's results of float16 are of float16 in part
        case("ma.fft.%s(r(6):astype('%s'))" % (name, dtype), transform(r(6).astype(dtype)))
    if name not in ("rfft", "ihfft"):
        case("ma.fft.%s(cf(6):astype('complex64'))" % name, transform(cf(6).astype("complex64")))
for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"):
    transform = getattr(np.fft, name)
    given = "f" if name.startswith("rfft") else "cf"
    x = OPERANDS["f"] if given == "f" else cf
    case("ma.fft.%s(%s(3, 4))" % (name, given), transform(x(3, 4)))
    case("ma.fft.%s(%s(2, 3, 4))" % (name, given), transform(x(2, 3, 4)))
    case("ma.fft.%s(%s(2, 3, 4, 5))" % (name, given), transform(x(2, 3, 4, 5)))
    case("ma.fft.%s(%s(2, 3, 2, 3, 4), {norm = 'ortho'})" % (name, given), transform(x(2, 3, 2, 3, 4), norm="ortho"))
    case("ma.fft.%s(%s(3, 4, 5), {3, 6}, {3, 1})" % (name, given), transform(x(3, 4, 5), (3, 6), (2, 0)))
    case("ma.fft.%s(%s(3, 4, 5), {6, 3}, {1, 2}, 'forward')" % (name, given),
        transform(x(3, 4, 5), (6, 3), (0, 1), "forward"))
    case("ma.fft.%s(%s(3, 4, 5):transpose(), {axes = {2, 1}})" % (name, given), transform(x(3, 4, 5).T, axes=(1, 0)))
    case("ma.fft.%s(%s(4, 5):astype('%s'))" % (name, given, "float32" if given == "f" else "complex64"),
         transform(x(4, 5).astype("float32" if given == "f" else "complex64")))
    case("ma.fft.%s(%s(0, 3, 4), {axes = {2, 3}})" % (name, given), transform(x(0, 3, 4), axes=(1, 2)))
for length in (1, 2, 7, 8):
    case("ma.fft.fftfreq(%d)" % length, np.fft.fftfreq(length))
    case("ma.fft.fftfreq(%d, 0.25)" % length, np.fft.fftfreq(length, 0.25))
    case("ma.fft.rfftfreq(%d, 0.25)" % length, np.fft.rfftfreq(length, 0.25))
for shape, axes in (((7,), None), ((8,), None), ((3, 4), None), ((3, 4), (1,)), ((3, 4), (0,)), ((2, 3, 5), (0, 2)),
        ((0, 3), None)):
    for name in ("fftshift", "ifftshift"):
        text = "" if axes is None else ", {%s}" % ", ".join(str(a + 1) for a in axes)
        case("ma.fft.%s(r(%s)%s)" % (name, ", ".join(map(str, shape)), text), getattr(np.fft, name)(r(*shape), axes))

section = "sort"
case("ma.sort(r(3, 4))", np.sort(r(3, 4)))
case("ma.sort(r(3, 4), 1)", np.sort(r(3, 4), axis=0))
case("ma.sort(strided(3, 5))", np.sort(r(6, 10)[::2, ::2]))
case("ma.sort(r(3, 4):transpose(), -2)", np.sort(r(3, 4).T, axis=-2))
case("ma.sort(ma.array(5))", np.array(5.0))
case("ma.sort(r(0, 3))", np.sort(r(0, 3)))
case("ma.sort(r(3, 0))", np.sort(r(3, 0)))
case("ma.sort(g(3, 4))", np.sort(g(3, 4)))
case("r(3, 4):copy():sort(1)", np.sort(r(3, 4), axis=0))
case("ma.argsort(r(3, 9))", np.argsort(r(3, 9), kind="stable") + 1)
case("r(3, 9):argsort(1)", np.argsort(r(3, 9), axis=0, kind="stable") + 1)
case("ma.sort_complex(r(4))", np.sort_complex(r(4)))
case("ma.sort_complex(cf(7))", np.sort_complex(r(7) / 8 + 1j * r(7)[::-1] / 8))
case("ma.lexsort({r(20) % 3, r(20) % 2})", np.lexsort((r(20) % 3, r(20) % 2)) + 1)
case("ma.lexsort(r(3, 8) % 3)", np.lexsort(r(3, 8) % 3) + 1)
case("ma.lexsort({r(4, 6) % 3, r(4, 6) % 2}, 1)", np.lexsort((r(4, 6) % 3, r(4, 6) % 2), axis=0) + 1)
case("ma.partition(r(11), 4)['4:4']", np.partition(r(11), 3)[3:4])
case("ma.searchsorted(ma.arange(9), r(2, 5))", np.searchsorted(np.arange(9), r(2, 5)) + 1)
case("ma.searchsorted(ma.arange(9), r(2, 5), 'right')", np.searchsorted(np.arange(9), r(2, 5), "right") + 1)
case("ma.searchsorted(ma.arange(9), 2.5)", np.searchsorted(np.arange(9), 2.5) + 1)
case("ma.searchsorted(r(11), {0.5, 2, 9}, 'left', r(11):argsort())",
    np.searchsorted(r(11), [0.5, 2, 9], "left", np.argsort(r(11))) + 1)
case("ma.searchsorted({}, {1, 2})", np.searchsorted([], [1, 2]) + 1)
case("ma.digitize(f(8), {-0.25, 0, 0.25, 0.5})", np.digitize(f(8), [-0.25, 0, 0.25, 0.5]) + 1)
case("ma.digitize(f(8), {-0.25, 0, 0.25, 0.5}, true)", np.digitize(f(8), [-0.25, 0, 0.25, 0.5], True) + 1)
case("ma.digitize(f(8), {0.5, 0.25, 0, -0.25})", np.digitize(f(8), [0.5, 0.25, 0, -0.25]) + 1)
case("ma.digitize(f(8), {0.5, 0.25, 0, -0.25}, true)", np.digitize(f(8), [0.5, 0.25, 0, -0.25], True) + 1)
index = np.unique(r(4, 7), return_index=True, return_inverse=True, return_counts=True)
case("ma.unique(r(4, 7), true, true, true)", index[0], index[1] + 1, index[2] + 1, index[3])
case("ma.unique(r(4, 7), {return_counts = true})", index[0], index[3])
case("ma.unique(g(4, 7))", np.unique(g(4, 7)))
case("ma.unique(g(4, 7), {equal_nan = false})", np.unique(g(4, 7), equal_nan=False))
case("ma.unique(r(0))", np.unique(r(0)))
for call, x in (("r(6, 4) % 2", r(6, 4) % 2), ("r(3, 4, 5) % 3", r(3, 4, 5) % 3),
        ("(r(6, 2) % 3):astype('uint8')", (r(6, 2) % 3).astype("uint8")), ("g(6, 2)", g(6, 2)),
                ("f(7, 1)", f(7, 1)), ("r(0, 3)", r(0, 3)), ("r(4, 0)", r(4, 0)), ("r(12)", r(12)),
                ("r(40, 2) % 3 * ma.complex(1, 2)", r(40, 2) % 3 * (1 + 2j))):
    for axis in range(x.ndim):
        got = np.unique(x, return_index=True, return_inverse=True, return_counts=True, axis=axis)
        case("ma.unique(%s, true, true, true, %d)" % (call, axis + 1), got[0], got[1] + 1, got[2] + 1, got[3])
        case("ma.unique(%s, {axis = %d})" % (call, axis - x.ndim), got[0])
case("ma.unique_counts(r(9))", *np.unique(r(9), return_counts=True))
case("ma.unique_values(r(9))", np.sort(np.unique_values(r(9))))
case("ma.isin(r(3, 4), {1, 5, 2, 100})", np.isin(r(3, 4), [1, 5, 2, 100]))
case("ma.isin(r(3, 4), {1, 5}, {invert = true})", np.isin(r(3, 4), [1, 5], invert=True))
case("ma.isin(g(3, 4), g(9))", np.isin(g(3, 4), g(9)))
case("ma.isin(r(3), {})", np.isin(r(3), []))
case("ma.in1d(r(3, 4), {1, 5})", np.isin(r(3, 4).ravel(), [1, 5]))
case("ma.union1d(r(5), r(9) + 2)", np.union1d(r(5), r(9) + 2))
case("ma.intersect1d(r(9), r(5) + 2)", np.intersect1d(r(9), r(5) + 2))
index = np.intersect1d(r(19), r(15) + 2, return_indices=True)
case("ma.intersect1d(r(19), r(15) + 2, false, true)", index[0], index[1] + 1, index[2] + 1)
index = np.intersect1d(r(9), r(11) + 2, True, True)
case("ma.intersect1d(r(9), r(11) + 2, true, true)", index[0], index[1] + 1, index[2] + 1)
case("ma.setdiff1d(r(19), r(5) + 2)", np.setdiff1d(r(19), r(5) + 2))
case("ma.setdiff1d(r(19), r(5) + 2, true)", np.setdiff1d(r(19), r(5) + 2, True))
case("ma.setxor1d(r(9), r(7) + 2)", np.setxor1d(r(9), r(7) + 2))
case("ma.median(r(4, 5))", np.median(r(4, 5)))
case("ma.median(f(4, 5), 1)", np.median(f(4, 5), axis=0))
case("ma.median(r(2, 3, 4), {1, 3})", np.median(r(2, 3, 4), axis=(0, 2)))
case("ma.median(r(2, 3, 4), {1, 3}, {keepdims = true})", np.median(r(2, 3, 4), axis=(0, 2), keepdims=True))
case("ma.median(g(4, 5), 2)", np.median(g(4, 5), axis=1))
case("ma.nanmedian(g(4, 5), 2)", np.nanmedian(g(4, 5), axis=1))
case("ma.nanmedian(g(4, 6), {keepdims = true})", np.nanmedian(g(4, 6), keepdims=True))
case("ma.percentile(f(4, 5), 30)", np.percentile(f(4, 5), 30))
case("ma.percentile(f(4, 5), {0, 12.5, 75, 100}, 2)", np.percentile(f(4, 5), [0, 12.5, 75, 100], axis=1))
case("ma.quantile(r(7, 5), 0.3, 1)", np.quantile(r(7, 5), 0.3, axis=0))
case("ma.quantile(r(7, 5), {{0.1, 0.5}, {0.9, 1}}, 1)", np.quantile(r(7, 5), [[0.1, 0.5], [0.9, 1]], axis=0))
case("ma.quantile(g(7, 5), 0.3, 1)", np.quantile(g(7, 5), 0.3, axis=0))
case("ma.nanquantile(g(7, 5), 0.3, 1)", np.nanquantile(g(7, 5), 0.3, axis=0))
case("ma.nanpercentile(g(7, 5), {20, 60}, 2, {keepdims = true})",
    np.nanpercentile(g(7, 5), [20, 60], axis=1, keepdims=True))
for method in ("linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased",
        "normal_unbiased", "interpolated_inverted_cdf",
               "inverted_cdf", "averaged_inverted_cdf", "closest_observation"):
    case("ma.quantile(f(10), {0.05, 0.25, 0.5, 0.61, 0.99}, {method = '%s'})" % method,
        np.quantile(f(10), [0.05, 0.25, 0.5, 0.61, 0.99], method=method))
    case("ma.nanquantile(g(10), {0.05, 0.25, 0.5, 0.61, 0.99}, {method = '%s'})" % method,
        np.nanquantile(g(10), [0.05, 0.25, 0.5, 0.61, 0.99], method=method))
    q = [0, 1e-17, 0.1, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.95, 1]
    for n in (1, 2, 8, 9):
        case("ma.quantile(r(%d), {0, 1e-17, 0.1, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.95, 1}, {method = '%s'})"
            % (n, method), np.quantile(r(n), q, method=method))
    case("ma.nanquantile(r(3, 4):astype('uint8'), 0.5, 2, {method = '%s'})" % method,
        np.nanquantile(r(3, 4).astype("uint8"), 0.5, axis=1, method=method))
    case("ma.nanpercentile(g(4, 8), {0, 37.5, 50, 100}, 2, {method = '%s'})" % method,
        np.nanpercentile(g(4, 8), [0, 37.5, 50, 100], axis=1, method=method))
by_weight = {"method": "inverted_cdf"}
for call, weights in (("r(30) + 3", r(30) + 3), ("r(30):eq(7)", r(30) == 7), ("1 / (f(30) + 1)", 1 / (f(30) + 1))):
    case("ma.quantile(g(30), {0, 0.1, 0.5, 0.9, 1}, {method = 'inverted_cdf', weights = %s})" % call,
        np.quantile(g(30), [0, 0.1, 0.5, 0.9, 1], weights=weights, **by_weight))
    case("ma.nanquantile(g(30), {0, 0.1, 0.5, 0.9, 1}, {method = 'inverted_cdf', weights = %s})" % call,
        np.nanquantile(g(30), [0, 0.1, 0.5, 0.9, 1], weights=weights, **by_weight))
    case("ma.percentile(r(30):astype('int16'), 37.5, {method = 'inverted_cdf', weights = %s})" % call,
        np.percentile(r(30).astype("int16"), 37.5, weights=weights, **by_weight))
for axis in (1, 2, 3):
    for n in ((6, 5, 4), (6, 5, 4)[axis - 1]):
        weights = r(*n) + 3 if isinstance(n, tuple) else r(n) + 3
        call = "r(6, 5, 4) + 3" if isinstance(n, tuple) else "r(%d) + 3" % n
        case("ma.quantile(f(6, 5, 4), {0.25, 0.5}, %d, {method = 'inverted_cdf', weights = %s})" % (axis, call),
            np.quantile(f(6, 5, 4), [0.25, 0.5], axis=axis - 1, weights=weights, **by_weight))
case("ma.quantile(f(6, 5, 4), 0.4, {3, 1}, {method = 'inverted_cdf', weights = r(4, 6) + 3, keepdims = true})",
     np.quantile(f(6, 5, 4), 0.4, axis=(2, 0), weights=r(4, 6) + 3, keepdims=True, **by_weight))
case("ma.nanquantile(g(7, 5), {0.2, 0.6}, 2, {method = 'inverted_cdf', weights = r(7, 5) + 4})",
    np.nanquantile(g(7, 5), [0.2, 0.6], axis=1, weights=r(7, 5) + 4, **by_weight))
case("ma.bincount(r(9) + 3)", np.bincount(r(9) + 3))
case("ma.bincount(r(9) + 3, f(9))", np.bincount(r(9) + 3, f(9)))
case("ma.bincount(r(5) + 3, {minlength = 14})", np.bincount(r(5) + 3, minlength=14))
case("ma.bincount(r(0))", np.bincount(r(0)))
for call, args in (("", {}), (", 4", {"bins": 4}), (", 7, {-1, 0.5}", {"bins": 7, "range": (-1, 0.5)}),
        (", {-0.25, 0, 0.5}", {"bins": [-0.25, 0, 0.5]})):
    case("ma.histogram(f(4, 9)%s)" % call, *np.histogram(f(4, 9), **args))
    case("ma.histogram(f(4, 9):astype('float32')%s)" % call, *np.histogram(f(4, 9).astype("float32"), **args))
    case("ma.histogram(r(4, 9)%s)" % call, *np.histogram(r(4, 9), **args))
case("ma.histogram(f(40), 6, nil, true)", *np.histogram(f(40), 6, density=True))
case("ma.histogram(f(40), 6, {weights = r(40)})", *np.histogram(f(40), 6, weights=r(40)))
case("ma.histogram(f(40), {-0.25, 0, 0.5}, {weights = f(40)})", *np.histogram(f(40), [-0.25, 0, 0.5], weights=f(40)))
case("ma.histogram({2, 2, 2}, 3)", *np.histogram([2.0, 2, 2], 3))
case("ma.histogram(r(0), 3)", *np.histogram(np.zeros(0, dtype="int64"), 3))
case("ma.histogram_bin_edges(r(30), 5)", np.histogram_bin_edges(r(30), 5))
case("ma.histogram2d(f(30), r(30), {4, 3})", *np.histogram2d(f(30), r(30), (4, 3)))
case("ma.histogram2d(f(30), r(30), 3, {{-0.25, 0.5}, {0, 5}}, true)",
    *np.histogram2d(f(30), r(30), 3, ((-0.25, 0.5), (0, 5)), density=True))
case("(ma.histogramdd(f(20, 3), {2, 3, 4}))", np.histogramdd(f(20, 3), (2, 3, 4))[0])
case("ma.interp({0.1, 5, 9.5}, {5, 1, 3}, {1, 2, 4}, {period = 7})",
    np.interp([0.1, 5, 9.5], [5, 1, 3], [1, 2, 4], period=7))
case("ma.median(ma.zeros(0))", np.median(np.zeros(0)))
case("ma.median(ma.zeros({0, 2}, 'float32'), 1)", np.median(np.zeros((0, 2), "float32"), 0))
case("ma.median(ma.zeros({0, 2}), {axis = 1, keepdims = true})", np.median(np.zeros((0, 2)), 0, keepdims=True))
case("ma.nanmedian(ma.zeros{0, 2}, 1)", np.nanmedian(np.zeros((0, 2)), 0))
case("ma.nanquantile(ma.zeros(0), 0.5)", np.nanquantile(np.zeros(0), 0.5))
case("ma.hypot.reduce(ma.array{-3})", np.hypot.reduce(np.array([-3.0])))
case("ma.hypot.reduce(f(2, 3), 2)", np.hypot.reduce(f(2, 3), 1))
case("ma.hypot.accumulate(f(3))", np.hypot.accumulate(f(3)))
case("ma.gcd.reduce(r(1, 3))", np.gcd.reduce(r(1, 3)))
for name in ("sum", "prod", "cumsum", "cumprod"):
    case("ma.%s(f(5) * 8.5, {dtype = 'int32'})" % name, getattr(np, name)(f(5) * 8.5, dtype="int32"))
    case("ma.%s(r(5):astype('int8'), {dtype = 'uint8'})" % name, getattr(np, name)(r(5).astype("int8"), dtype="uint8"))
    case("ma.%s(c(5), {dtype = 'float64'})" % name, getattr(np, name)(cf(5) * 8, dtype="float64"))
for dtype in ("uint8", "uint16", "uint32"):
    case("ma.ldexp(f(5), (r(5) + 3):astype('%s'))" % dtype, np.ldexp(f(5), (r(5) + 3).astype(dtype)))
case("ma.eye(3, 3, 1LL)", np.eye(3, 3, 1))
for period in (4, 5):
    case("ma.unwrap((r(12) + 3) %% %d, {period = %d})" % (period, period),
        np.unwrap((r(12) + 3) % period, period=period))
    case("ma.unwrap((r(3, 4) %% %d):astype('int16'), {period = %d, axis = 1})" % (period, period),
        np.unwrap((r(3, 4) % period).astype("int16"), period=period, axis=0))
case("ma.unwrap(r(6), {period = 2.5})", np.unwrap(r(6), period=2.5))
case("ma.unwrap(r(6))", np.unwrap(r(6)))
points = np.arange(9, dtype="float32")
case("ma.interp(f(20) + 1, ma.arange(9, 'float32'), ma.sqrt(ma.arange(9, 'float32')))",
    np.interp(f(20) + 1, points, np.sqrt(points)))
case("ma.interp((f(20) + 1):astype('float32'), ma.arange(9, 'float32'), ma.arange(9, 'float32') / 3)",
    np.interp((f(20) + 1).astype("float32"), points, points / np.float32(3)))
case("ma.interp(f(5) + 1, ma.arange(9, 'float16'), cf(9):astype('complex64'))",
    np.interp(f(5) + 1, points, cf(9).astype("complex64")))
case("ma.diff(r(5):astype('int8'), {prepend = 300, append = -300})",
    np.diff(r(5).astype("int8"), prepend=300, append=-300))
case("ma.diff(r(5), {prepend = 1})", np.diff(r(5), prepend=1))
case("ma.diff(f(5):astype('float32'), {prepend = 1})", np.diff(f(5).astype("float32"), prepend=1))
