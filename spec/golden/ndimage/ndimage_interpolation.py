"""Golden values of ma.ndimage's interpolation, in the form of array/expressions.py: calls in Lua and what SciPy gives
for the same. Coordinates and axes count from 1 in Lua.
"""
import warnings

import cases
import numpy as np
import scipy.ndimage as nd
from cases import c, f, g, lua, r, strided

warnings.simplefilter("ignore")
section = ""
lines = []
MODES = ["constant", "nearest", "reflect", "mirror", "wrap", "grid-mirror", "grid-wrap", "grid-constant"]
# At short lines SciPy's coefficients of mode "reflect" are off by about the pole to the power of twice the length: it
# reads the first element where it has put a sum. So these modes have longer lines.
REFLECT = ["reflect", "grid-mirror"]
DTYPES = ["bool", "uint8", "int16", "int32", "float32", "float64"]


def of_lua(name, value):
    if name == "axis":
        return value - 1 if value > 0 else value
    if name == "axes":
        return tuple(of_lua("axis", v) for v in value)
    if name == "coordinates":
        return np.array(value) - 1
    return value


def case(function, image, expression, *arguments, **options):
    text = [expression] + [lua(v) for _, v in arguments]
    if options:
        text.append("{" + ", ".join("%s = %s" % (k, lua(v)) for k, v in options.items()) + "}")
    given = {k: of_lua(k, v) for k, v in list(arguments) + list(options.items())}
    result = getattr(nd, function)(image, **given)
    lines.append(cases.line(section, "ma.ndimage.%s(%s)" % (function, ", ".join(text)), result))


def each_dtype(*shape):
    for dtype in DTYPES:
        image = (f(*shape) if dtype[0] == "f" else r(*shape) + 3).astype(dtype)
        text = ", ".join(map(str, shape))
        text = "f(%s)" % text if dtype[0] == "f" else "(r(%s) + 3)" % text
        yield image, text + ":astype('%s')" % dtype


def layouts(function, *arguments, **options):
    case(function, f(4, 6).T, "f(4, 6).T", *arguments, **options)
    case(function, strided(3, 4), "strided(3, 4)", *arguments, **options)
    case(function, f(1, 1), "f(1, 1)", *arguments, **options)
    case(function, f(5, 6)[::-1, ::2], "f(5, 6)['::-1, ::2']", *arguments, **options)


section = "spline"
for order in (2, 3, 4, 5):
    for mode in MODES:
        if mode in REFLECT + ["nearest"]:
            case("spline_filter1d", f(24), "f(24)", ("order", order), mode=mode)
            case("spline_filter1d", f(22, 2), "f(22, 2)", ("order", order), axis=1, mode=mode)
        else:
            case("spline_filter1d", f(9), "f(9)", ("order", order), mode=mode)
            case("spline_filter", f(4, 5), "f(4, 5)", ("order", order), mode=mode)
    case("spline_filter1d", f(4, 5), "f(4, 5)", ("order", order), axis=1)
    case("spline_filter1d", f(50), "f(50)", ("order", order))
    case("spline_filter1d", f(2), "f(2)", ("order", order))
    case("spline_filter", f(3, 4, 20), "f(3, 4, 20)", ("order", order))
case("spline_filter1d", f(4, 5), "f(4, 5)", ("order", 1))
case("spline_filter", r(4, 5), "r(4, 5)")
case("spline_filter", f(4, 5), "f(4, 5)", output="float32")
case("spline_filter", c(4, 5), "c(4, 5)", output="complex128")
case("spline_filter1d", f(0, 3), "f(0, 3)")
layouts("spline_filter")

section = "map"
PLACES = [[1, 1.25, 2.5, 4, 3.9, 1.01, 2, 0.4, -3.3, 5.7, 12.2, 4.000001],
          [1, 3.7, 2.2, 5, 1.1, 4.99, 3, 2, 2.5, -1, 3, 0.99]]
for order in range(6):
    for mode in MODES:
        long = order > 1 and mode in REFLECT
        image, text = (f(22, 23), "f(22, 23)") if long else (f(4, 5), "f(4, 5)")
        case("map_coordinates", image, text, ("coordinates", PLACES), order=order, mode=mode, cval=0.5)
        image, text = (f(24), "f(24)") if long else (f(7), "f(7)")
        case("map_coordinates", image, text, ("coordinates", [[1, 2.2, 7, 7.4, 0.6, -6.5, 15.3, 8, 0]]), order=order,
             mode=mode)
    for image, text in each_dtype(4, 5):
        if image.dtype != bool or order < 2:
            case("map_coordinates", image, text, ("coordinates", PLACES), order=order, mode="mirror")
    case("map_coordinates", f(4, 5), "f(4, 5)", ("coordinates", PLACES), order=order, prefilter=False)
    case("map_coordinates", f(3, 4, 5), "f(3, 4, 5)",
         ("coordinates", [[1.5, 3, 2.2], [1.1, 4, 2.9], [3.3, 5, 1.7]]), order=order)
case("map_coordinates", f(4, 5), "f(4, 5)", ("coordinates", [[[1, 2.5], [3, 4]], [[1.5, 2], [3.5, 5]]]))
case("map_coordinates", c(4, 5), "c(4, 5)", ("coordinates", PLACES), cval=1 + 2j)
case("map_coordinates", r(4, 5), "r(4, 5)", ("coordinates", PLACES), output="float64")
case("map_coordinates", f(1, 1), "f(1, 1)", ("coordinates", [[1, 1.4], [1, 1]]), mode="nearest")
layouts("map_coordinates", ("coordinates", [[1, 2.5, 3], [1.5, 2, 3.5]]))

section = "affine"
MATRIX = [[0.8, -0.3], [0.25, 1.1]]
for order in range(6):
    for mode in MODES:
        if order > 1 and mode in REFLECT:
            case("affine_transform", f(22, 23), "f(22, 23)", ("matrix", MATRIX), offset=[0.4, -0.7],
                 output_shape=[4, 5], order=order, mode=mode)
        else:
            case("affine_transform", f(5, 6), "f(5, 6)", ("matrix", MATRIX), offset=[0.4, -0.7], order=order, mode=mode,
                 cval=0.5)
    case("affine_transform", f(5, 6), "f(5, 6)", ("matrix", [0.6, 1.2]), offset=[0.4, 0.7], order=order)
    case("rotate", f(5, 6), "f(5, 6)", ("angle", 30), order=order)
for image, text in each_dtype(4, 5):
    case("affine_transform", image, text, ("matrix", MATRIX), mode="nearest", order=1 if image.dtype == bool else 3)
case("affine_transform", f(5, 6), "f(5, 6)", ("matrix", [[0.8, -0.3, 0.4], [0.25, 1.1, -0.7]]))
case("affine_transform", f(5, 6), "f(5, 6)", ("matrix", [[0.8, -0.3, 0.4], [0.25, 1.1, -0.7], [0, 0, 1]]))
case("affine_transform", f(5, 6), "f(5, 6)", ("matrix", MATRIX), output_shape=[3, 8])
case("affine_transform", f(5, 6), "f(5, 6)", ("matrix", [[1], [0.5]]), output_shape=[4])
case("affine_transform", f(3, 4, 5), "f(3, 4, 5)", ("matrix", [[1, 0.1, 0], [0, 0.9, 0.2], [-0.1, 0, 1]]), offset=0.25)
case("affine_transform", c(4, 5), "c(4, 5)", ("matrix", MATRIX), cval=1j)
layouts("affine_transform", ("matrix", MATRIX))
for angle in (0, 45, 90, 180, 270, -90, 123.4, 360):
    for reshape in (True, False):
        case("rotate", f(5, 6), "f(5, 6)", ("angle", angle), reshape=reshape)
for mode in MODES:
    if mode not in REFLECT:
        case("rotate", f(5, 6), "f(5, 6)", ("angle", 20), reshape=False, mode=mode, cval=0.5)
case("rotate", f(3, 4, 5), "f(3, 4, 5)", ("angle", 30))
case("rotate", f(3, 4, 5), "f(3, 4, 5)", ("angle", 30), axes=[1, 3], order=1)
case("rotate", f(3, 4, 5), "f(3, 4, 5)", ("angle", 30), axes=[-1, 2], mode="nearest")
case("rotate", c(4, 5), "c(4, 5)", ("angle", 30))
layouts("rotate", ("angle", 30))

section = "zoom"
for order in range(6):
    for mode in MODES:
        if order > 1 and mode in REFLECT:
            case("shift", f(24), "f(24)", ("shift", 0.6), order=order, mode=mode)
            case("zoom", f(22, 23), "f(22, 23)", ("zoom", [0.3, 0.4]), order=order, mode=mode)
            case("zoom", f(24), "f(24)", ("zoom", 1.2), order=order, mode=mode, grid_mode=True)
        else:
            case("shift", f(4, 5), "f(4, 5)", ("shift", [0.6, -1.3]), order=order, mode=mode, cval=0.5)
            case("zoom", f(4, 5), "f(4, 5)", ("zoom", [1.5, 0.7]), order=order, mode=mode, cval=0.5)
            case("zoom", f(6), "f(6)", ("zoom", 1.7), order=order, mode=mode, grid_mode=True)
    case("zoom", f(4, 5), "f(4, 5)", ("zoom", 2), order=order)
    case("shift", f(7), "f(7)", ("shift", 2), order=order)
    for image, text in each_dtype(4, 5):
        if image.dtype == bool and order > 1:
            continue
        case("zoom", image, text, ("zoom", 1.6), order=order)
        case("shift", image, text, ("shift", 0.4), order=order, mode="nearest")
case("zoom", f(4, 5), "f(4, 5)", ("zoom", 1))
case("zoom", f(4, 5), "f(4, 5)", ("zoom", 1), prefilter=False)
case("zoom", f(4, 5), "f(4, 5)", ("zoom", [0, 2]))
case("zoom", f(4, 5), "f(4, 5)", ("zoom", [0.25, 0.5]))
case("zoom", f(3, 4, 5), "f(3, 4, 5)", ("zoom", [1.3, 1, 2]))
case("zoom", c(4, 5), "c(4, 5)", ("zoom", 1.5))
case("zoom", r(4, 5), "r(4, 5)", ("zoom", 1.5), output="float32")
case("zoom", g(4, 5), "g(4, 5)", ("zoom", 1.5), order=1)
case("shift", f(3, 4, 5), "f(3, 4, 5)", ("shift", [0.5, 1, -0.25]), mode="wrap")
case("shift", c(4, 5), "c(4, 5)", ("shift", 0.5), cval=1 + 1j)
layouts("zoom", ("zoom", 1.5))
layouts("shift", ("shift", 0.75))

print("\n".join(lines))
