"""Golden values of ma.ndimage's measurements, distances, grey morphology and filters of Fourier transforms, in the
form of array/expressions.py: calls in Lua and what SciPy gives for the same. Positions count from 1 there, from 0
here."""
import warnings
import zlib

import cases
import numpy as np
import scipy
from cases import c, f, r, strided
from scipy import ndimage as nd
from scipy import special

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


def one_in(n, expression, *results):
    """One case of n, which its text decides."""
    if zlib.crc32(expression.encode()) % n == 0:
        case(expression, *results)


# Images with their labels, by what makes them in Lua. No two extremes of a label are equal, since SciPy takes either.
images = {
    "ma.arange(30) * 7 % 31": np.arange(30) * 7 % 31,
    "((ma.arange(42) * 11 % 43):reshape(6, 7) - 20) / 4": ((np.arange(42) * 11 % 43).reshape(6, 7) - 20) / 4,
    "(ma.arange(60) * 17 % 61):reshape(3, 4, 5):astype('uint8')":
        (np.arange(60) * 17 % 61).reshape(3, 4, 5).astype("uint8"),
    "(ma.arange(42) * 5 % 43):reshape(6, 7):transpose():astype('float32')":
        (np.arange(42) * 5 % 43).reshape(6, 7).T.astype("float32"),
    "(ma.arange(42) * 5 % 43):reshape(6, 7)['::-2, 2:7']": (np.arange(42) * 5 % 43).reshape(6, 7)[::-2, 1:],
}
indices = {
    "1": 1, "2": 2, "9": 9, "{1, 2, 3}": [1, 2, 3], "{3, 1}": [3, 1], "{2, 2, 0, 7}": [2, 2, 0, 7], "{-1, 5}": [-1, 5],
    "ma.array({{1, 2}, {3, 0}})": np.array([[1., 2], [3, 0]]),
    "ma.array({4, 1, 3}, 'int32')": np.array([4, 1, 3], "int32"),
}


def labels_of(x):
    shape = ", ".join(map(str, x.shape))
    for text, values in (("r(%s) %% 5" % shape, r(*x.shape) % 5), ("(r(%s) %% 4):astype('int8')" % shape,
                                                            (r(*x.shape) % 4).astype("int8"))):
        yield text, values
    if x.ndim > 1:
        yield "r(%d) %% 4" % x.shape[-1], r(x.shape[-1]) % 4


def all_calls():
    for lua, x in images.items():
        yield "%s" % lua, (x,), x, True
        for text, labels in labels_of(x):
            yield "%s, %s" % (lua, text), (x, labels), x, True
            for index_text, index in indices.items():
                there = bool(np.isin(index, np.broadcast_to(labels, x.shape)).all())
                yield "%s, %s, %s" % (lua, text, index_text), (x, labels, index), x, there


section = "measure"
for lua, arguments, x, there in all_calls():
    for name in ("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "median"):
        if name == "median" and not there:
            continue
        if name in ("minimum", "maximum") and not there and np.isscalar(arguments[2]):
            continue
        if not there and np.isscalar(arguments[2]) and name != "sum_labels":
            continue
        exact = x.astype("float64") if name in ("variance", "standard_deviation") else x
        value = np.asarray(getattr(nd, name)(exact, *arguments[1:]))
        if name == "sum_labels":
            value = value.astype("float64")
        if name in ("mean", "variance", "standard_deviation"):
            value = value.astype("float64")
        wanted = "ma.ndimage.%s(%s)" % (name, lua)
        if name in ("sum_labels", "mean", "variance", "standard_deviation"):
            wanted += ":astype('float64')"
        one_in(2, wanted, value)
    if not there:
        continue
    for name in ("minimum_position", "maximum_position"):
        one_in(2, "ma.ndimage.%s(%s)" % (name, lua), np.array(getattr(nd, name)(*arguments)) + 1
            if len(arguments) < 3 or np.ndim(arguments[2]) < 2
            else np.array(getattr(nd, name)(arguments[0], arguments[1], arguments[2].ravel())).reshape(
                arguments[2].shape + (x.ndim,)) + 1)
    flat = arguments[:2] + (np.ravel(arguments[2]),) if len(arguments) == 3 and np.ndim(arguments[2]) else arguments
    value = np.array(nd.center_of_mass(*flat)) + 1
    if len(arguments) == 3 and np.ndim(arguments[2]):
        value = value.reshape(np.shape(arguments[2]) + (x.ndim,))
    one_in(2, "ma.ndimage.center_of_mass(%s)" % lua, value)
    counts = nd.histogram(x, -3, 30, 7, *flat[1:])
    if len(arguments) == 3 and np.ndim(arguments[2]):
        counts = np.array([list(h) for h in counts], dtype="int64").reshape(np.shape(arguments[2]) + (7,))
    head = lua.split(", ")
    first = next(text for text in images if lua.startswith(text))
    one_in(2, "ma.ndimage.histogram(%s, -3, 30, 7%s)" % (first, lua[len(first):]), np.asarray(counts, dtype="int64"))
low, high, low_at, high_at = nd.extrema(np.arange(30) * 7 % 31, r(30) % 5, [1, 2, 4])
case("ma.ndimage.extrema(ma.arange(30) * 7 % 31, r(30) % 5, {1, 2, 4})", low, high, np.array(low_at) + 1,
    np.array(high_at) + 1)
case("ma.ndimage.labeled_comprehension(f(40), r(40) % 5, {4, 9, 1}, function(v) return v:max() - v:min() end, "
    "'float64', -1)",
    nd.labeled_comprehension(f(40), r(40) % 5, [4, 9, 1], lambda v: v.max() - v.min(), float, -1))
case("ma.ndimage.labeled_comprehension(f(40), r(40) % 5, {4, 9, 1}, function(v, p) return (v * p):sum() end, "
    "'float64', 0, true)", nd.labeled_comprehension(
        f(40), r(40) % 5, [4, 9, 1], lambda v, p: (v * (p + 1)).sum(), float, 0, True))
case("ma.ndimage.labeled_comprehension(r(6, 7), r(6, 7) % 3, nil, function(v) return v:sum() end, 'int32', 0)",
    nd.labeled_comprehension(r(6, 7), r(6, 7) % 3, None, lambda v: v.sum(), "int32", 0).astype("int32"))
case("ma.ndimage.labeled_comprehension(r(6, 7), nil, nil, function(v) return v:sum() end, 'float32', 0)",
    nd.labeled_comprehension(r(6, 7), None, None, lambda v: v.sum(), "float32", 0).astype("float32"))
for value, places in nd.value_indices(r(5, 6)).items():
    for d in range(2):
        case("ma.ndimage.value_indices(r(5, 6))[%d][%d]" % (value, d + 1), places[d] + 1)

section = "distance"
masks = {
    "r(12, 13):gt(-2)": r(12, 13) > -2, "r(40):ne(3)": r(40) != 3, "r(5, 6, 7):gt(-3)": r(5, 6, 7) > -3,
    "r(3, 4, 3, 4)": r(3, 4, 3, 4), "strided(9, 8):gt(-2)": strided(9, 8) > -2, "r(2, 50):transpose()": r(2, 50).T,
}
for lua, x in masks.items():
    for text, sampling in (("nil", None), ("2.5", 2.5), ("{%s}" % ", ".join(str(d + 0.5) for d in range(x.ndim)),
                                                   [d + 0.5 for d in range(x.ndim)])):
        case("ma.ndimage.distance_transform_edt(%s, %s)" % (lua, text), nd.distance_transform_edt(x, sampling))

section = "grey"  # no result of whole numbers is below 0: SciPy 1.17.1 lets some of their terms wrap
greys = {
    "r(9, 8)": r(9, 8), "f(20)": f(20), "r(4, 5, 3):astype('float32')": r(4, 5, 3).astype("float32"),
    "(r(6, 7) + 60):astype('uint8')": (r(6, 7) + 60).astype("uint8"), "strided(5, 4)": strided(5, 4),
    "f(7, 6):transpose()": f(7, 6).T,
}
windows = {
    1: [("structure = {0, 1, 2}", {"structure": [0, 1, 2]}), ("structure = {1, 0}", {"structure": [1, 0]}),
        ("size = 3", {"size": 3}), ("footprint = {1, 0, 1, 1}", {"footprint": [1, 0, 1, 1]})],
    2: [("structure = {{0, 1, 0}, {1, 2, 1}, {0, 1, 0}}", {"structure": [[0, 1, 0], [1, 2, 1], [0, 1, 0]]}),
        ("structure = {{0, 1, -1, 2}, {1, 2, 1, 0}}", {"structure": [[0, 1, -1, 2], [1, 2, 1, 0]]}),
        ("structure = {{1, 2}, {3, 4}}, footprint = {{1, 0}, {1, 1}}",
            {"structure": [[1, 2], [3, 4]], "footprint": [[1, 0], [1, 1]]}),
        ("size = {2, 3}", {"size": (2, 3)}),
        ("footprint = {{0, 1, 0}, {1, 1, 1}}", {"footprint": [[0, 1, 0], [1, 1, 1]]})],
    3: [("structure = ma.ones({2, 3, 1})", {"structure": np.ones((2, 3, 1))}), ("size = 3", {"size": 3})],
}
for lua, x in greys.items():
    for text, window in windows[x.ndim]:
        for mode in ("reflect", "constant", "nearest", "mirror", "wrap"):
            for name in ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
                         "morphological_laplace", "white_tophat", "black_tophat"):
                if x.dtype == np.uint8 and name == "morphological_laplace":
                    continue
                one_in(6, "ma.ndimage.%s(%s, { %s, mode = '%s', cval = 20 })" % (name, lua, text, mode),
                    getattr(nd, name)(x, mode=mode, cval=20, **window))
for name in ("grey_erosion", "grey_dilation"):
    for origin in ([1, 0], [-1, 1]):
        for text, window in windows[2][:1]:
            case("ma.ndimage.%s(r(9, 8), { %s, origin = {%d, %d} })" % (name, text, *origin),
                getattr(nd, name)(r(9, 8), origin=origin, **window))
    # SciPy 1.17.1 adds all weights but the first to whole numbers as whole numbers; so fractions are for floats.
    case("ma.ndimage.%s(f(9, 8), { structure = {{0, 1.5, 0.1}}, output = 'float32' })" % name,
        getattr(nd, name)(f(9, 8), structure=[[0, 1.5, 0.1]], output="float32"))
    case("ma.ndimage.%s(f(9, 8):astype('float32'), { structure = {{0, 1.5, 0.1}} })" % name,
        getattr(nd, name)(f(9, 8).astype("float32"), structure=[[0, 1.5, 0.1]]))
    case("ma.ndimage.%s(r(3, 4), { structure = ma.ones({9, 11}), mode = 'reflect' })" % name,
        getattr(nd, name)(r(3, 4), structure=np.ones((9, 11)), mode="reflect"))
case("ma.ndimage.white_tophat(r(6, 7):gt(2), 3)", nd.white_tophat(r(6, 7) > 2, 3))
case("ma.ndimage.black_tophat(r(6, 7):gt(2), 3)", nd.black_tophat(r(6, 7) > 2, 3))

section = "fourier"
transforms = {
    "c(8, 9) / 8": c(8, 9) / 8, "f(12)": f(12),
    "(c(5, 4, 3) / 8):astype('complex64')": (c(5, 4, 3) / 8).astype("complex64"),
    "f(6, 5):astype('float32')": f(6, 5).astype("float32"), "r(7, 4)": r(7, 4), "c(9, 8):transpose()": c(9, 8).T,
}
for lua, x in transforms.items():
    for name in ("gaussian", "uniform", "ellipsoid", "shift"):
        for value in (1.5, list(np.arange(x.ndim) + 0.5)):
            text = str(value) if np.isscalar(value) else "{%s}" % ", ".join(map(str, value))
            for n, axis in ((-1, -1), (10, -1), (11, 0)):
                if name == "shift" and x.dtype.kind != "c" and x.dtype != np.int64:
                    continue
                if name == "ellipsoid" and x.ndim == 2:
                    continue  # SciPy's own Bessel function has errors of 1e-8
                one_in(2, "ma.ndimage.fourier_%s(%s, %s, %d, %d)" % (name, lua, text, n,
                    axis if axis < 0 else axis + 1),
                    getattr(nd, "fourier_" + name)(x, value, n, axis))


def ellipse(x, size, n, axis):
    """What fourier_ellipsoid is for two axes."""
    f = [np.fft.fftfreq(x.shape[d]) if n < 0 or d != axis % 2 else np.arange(x.shape[d]) / n for d in range(2)]
    radius = np.pi * np.hypot(f[0][:, None] * size[0], f[1] * size[1])
    return x * np.where(radius > 0, 2 * special.j1(radius) / np.where(radius > 0, radius, 1), 1)


for lua, x in transforms.items():
    if x.ndim == 2 and x.dtype not in ("float32", "complex64"):
        case("ma.ndimage.fourier_ellipsoid(%s, 2.5)" % lua, ellipse(x, [2.5, 2.5], -1, -1))
        case("ma.ndimage.fourier_ellipsoid(%s, {1.5, 4}, 11)" % lua, ellipse(x, [1.5, 4], 11, -1))

print("# made by ndimage_measure.py with SciPy %s" % scipy.__version__)
print("\n".join(lines))
