"""Golden values of ma.ndimage's filters, in the form of array/expressions.py: calls in Lua and what SciPy gives for
the same.

A call is written once, in Lua; python() makes it Python: positions and axes count from 1 in Lua.
"""
import warnings

import cases
import numpy as np
import scipy.ndimage as nd
from cases import c, f, g, lua, r, strided

warnings.simplefilter("ignore")
section = ""
lines = []
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-wrap", "grid-constant"]
DTYPES = ["uint8", "int16", "int32", "float32", "float64"]


def of_lua(name, value):
    """The value of an option as SciPy takes it."""
    if name == "axis":
        return value - 1 if value > 0 else value
    if name == "axes":
        return tuple(of_lua("axis", v) for v in value) if isinstance(value, list) else of_lua("axis", value)
    if name == "rank":
        return value - 1 if value > 0 else value
    if name in ("weights", "footprint"):
        return np.array(value)
    return value


def case(function, image, expression, *arguments, **options):
    """arguments: (name, value) pairs in the order of the call; options: those in the table."""
    text = [expression] + [lua(v) for _, v in arguments]
    if options:
        text.append("{" + ", ".join("%s = %s" % (k, lua(v)) for k, v in options.items()) + "}")
    given = {k: of_lua(k, v) for k, v in list(arguments) + list(options.items())}
    result = getattr(nd, function)(image, **given)
    lines.append(cases.line(section, "ma.ndimage.%s(%s)" % (function, ", ".join(text)), result))


def each_dtype(*shape):
    for dtype in DTYPES:
        image = (f(*shape) if dtype[0] == "f" else r(*shape) + 3).astype(dtype)
        text = "%s(%s)" % ("f" if dtype[0] == "f" else "", ", ".join(map(str, shape)))
        text = text if dtype[0] == "f" else "(r%s + 3)" % text
        yield image, text + ":astype('%s')" % dtype


def layouts(function, *arguments, **options):
    """Images that do not lie in C order, without elements, of one element."""
    case(function, f(4, 6).T, "f(4, 6).T", *arguments, **options)
    case(function, strided(3, 4), "strided(3, 4)", *arguments, **options)
    case(function, f(0, 4), "f(0, 4)", *arguments, **options)
    case(function, f(1, 1), "f(1, 1)", *arguments, **options)
    case(function, f(5, 6)[::-1, ::2], "f(5, 6)['::-1, ::2']", *arguments, **options)


# ==== correlate1d, convolve1d =========================================================================================

section = "line"
for function in ("correlate1d", "convolve1d"):
    for weights in ([1, 2, 1], [-1, 0, 1], [0.5, 0.25, -1, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9], [2.0]):
        w = ("weights", weights)
        for mode in MODES:
            case(function, f(7), "f(7)", w, mode=mode, cval=1.5)
        case(function, f(4, 5), "f(4, 5)", w)
        case(function, f(4, 5), "f(4, 5)", w, axis=1)
        case(function, f(2, 3, 4), "f(2, 3, 4)", w, axis=2, mode="wrap")
        case(function, f(3, 4, 20), "f(3, 4, 20)", w, axis=2, mode="mirror")
        case(function, f(3), "f(3)", w, mode="reflect")
        for image, text in each_dtype(4, 5):
            case(function, image, text, w, axis=1, mode="nearest")
    for origin in (-1, 1):
        case(function, f(6), "f(6)", ("weights", [1, 2, 4]), origin=origin)
        case(function, f(6), "f(6)", ("weights", [1, 2, 4, 8]), origin=origin, mode="wrap")
    case(function, f(6), "f(6)", ("weights", [1, 2, 4, 8]), origin=-2)
    layouts(function, ("weights", [1, 3, 2]))
    case(function, g(3, 4), "g(3, 4)", ("weights", [1, 3, 2]))
    case(function, r(4, 5), "r(4, 5)", ("weights", [0.5, 0.25]), output="float32")
    case(function, f(4, 5), "f(4, 5)", ("weights", [0.5, 4]), output="int32")
    case(function, c(3, 4), "c(3, 4)", ("weights", [1, 3, 2]), mode="constant", cval=2 + 3j)
    case(function, c(3, 4), "c(3, 4)", ("weights", [1, 3 + 1j, 2j]), axis=1)
    case(function, f(3, 4), "f(3, 4)", ("weights", [1, 3 + 1j, 2j]))
    case(function, f(3000), "f(3000)", ("weights", [1, 2, 4]))

# ==== correlate, convolve ============================================================================================

section = "window"
WINDOWS = [[[1, 2], [3, 4]], [[0, 1, 0], [1, -4, 1], [0, 1, 0]], [[1, 2, 3]], [[1], [2], [4], [8]],
           [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [0, 1, 0, 1, 0], [1, 0, 1, 0, 1], [2, 2, 2, 2, 2]]]
for function in ("correlate", "convolve"):
    for weights in WINDOWS:
        w = ("weights", weights)
        for mode in MODES[:5]:
            case(function, f(4, 5), "f(4, 5)", w, mode=mode, cval=0.75)
    w = ("weights", WINDOWS[0])
    for mode in MODES[5:]:
        case(function, f(2, 2), "f(2, 2)", ("weights", WINDOWS[4]), mode=mode, cval=2)
    for image, text in each_dtype(4, 5):
        case(function, image, text, ("weights", WINDOWS[1]))
    for origin in (-1, [0, 0], [-1, 0]):
        case(function, f(4, 5), "f(4, 5)", w, origin=origin)
    case(function, f(3, 4, 5), "f(3, 4, 5)", w, axes=[1, 3])
    case(function, f(3, 4, 5), "f(3, 4, 5)", w, axes=[1, 2], mode="wrap")
    case(function, f(3, 4, 5), "f(3, 4, 5)", ("weights", [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[1, 0], [0, 2]]]))
    case(function, f(7), "f(7)", ("weights", [1, 2, 3]), mode="mirror")
    layouts(function, w)
    case(function, g(3, 4), "g(3, 4)", ("weights", [[0, 1], [2, 0]]))
    case(function, c(3, 4), "c(3, 4)", w)
    case(function, c(3, 4), "c(3, 4)", ("weights", [[1j, 2], [3, 1 - 2j]]))
    case(function, f(3, 4), "f(3, 4)", ("weights", [[1j, 2], [3, 1 - 2j]]))
    case(function, r(3, 4), "r(3, 4)", ("weights", [[0, 0], [0, 0]]))
    case(function, f(40, 50), "f(40, 50)", ("weights", WINDOWS[4]), mode="nearest")

# ==== Gaussians =======================================================================================================

section = "gaussian"
for order in (0, 1, 2, 3):
    for sigma in (0.7, 2):
        case("gaussian_filter1d", f(9), "f(9)", ("sigma", sigma), order=order)
        case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", sigma), order=order, mode="mirror")
for mode in MODES:
    case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", 1.3), mode=mode, cval=0.5)
    case("gaussian_laplace", f(4, 5), "f(4, 5)", ("sigma", 1.1), mode=mode, cval=0.5)
    case("gaussian_gradient_magnitude", f(4, 5), "f(4, 5)", ("sigma", 1.1), mode=mode, cval=0.5)
for image, text in each_dtype(5, 6):
    case("gaussian_filter", image, text, ("sigma", 1))
    if image.dtype.kind == "f":
        case("gaussian_laplace", image, text, ("sigma", 1))
        case("gaussian_gradient_magnitude", image, text, ("sigma", 1))
case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", [1, 0]))
case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", [0.5, 2]), order=[0, 1], mode=["wrap", "nearest"])
case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", 0))
case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", 1), truncate=2)
case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", 1), radius=2)
case("gaussian_filter", f(4, 5), "f(4, 5)", ("sigma", 1), radius=[2, 7])
case("gaussian_filter", f(3, 4, 5), "f(3, 4, 5)", ("sigma", 1), axes=[1, 3])
case("gaussian_filter", f(3, 4, 5), "f(3, 4, 5)", ("sigma", [1, 2, 0.5]))
case("gaussian_filter", c(4, 5), "c(4, 5)", ("sigma", 1), mode="constant", cval=1 + 2j)
case("gaussian_filter", r(4, 5), "r(4, 5)", ("sigma", 1), output="float32")
case("gaussian_laplace", f(3, 4, 5), "f(3, 4, 5)", ("sigma", [1, 2]), axes=[1, 3])
case("gaussian_laplace", f(3, 4), "f(3, 4)", ("sigma", [1, 2]), truncate=2)
case("gaussian_gradient_magnitude", f(3, 4), "f(3, 4)", ("sigma", [1, 2]))
layouts("gaussian_filter", ("sigma", 1))
layouts("gaussian_laplace", ("sigma", 1))
layouts("gaussian_gradient_magnitude", ("sigma", 1))

# ==== Derivatives =====================================================================================================

section = "derivative"
for function in ("sobel", "prewitt"):
    for mode in MODES:
        case(function, f(4, 5), "f(4, 5)", mode=mode, cval=0.5)
    case(function, f(4, 5), "f(4, 5)", axis=1)
    case(function, f(3, 4, 5), "f(3, 4, 5)", axis=2)
    case(function, f(6), "f(6)")
    case(function, f(4, 5), "f(4, 5)", mode=["wrap", "nearest"])
    case(function, c(3, 4), "c(3, 4)", mode="constant", cval=1j)
    for image, text in each_dtype(4, 5):
        case(function, image, text)
    layouts(function)
for mode in MODES:
    case("laplace", f(4, 5), "f(4, 5)", mode=mode, cval=0.5)
for image, text in each_dtype(4, 5):
    case("laplace", image, text)
case("laplace", f(3, 4, 5), "f(3, 4, 5)", axes=[1, 3])
case("laplace", f(3, 4, 5), "f(3, 4, 5)", mode="wrap")
case("laplace", c(3, 4), "c(3, 4)")
layouts("laplace")

# ==== Means and extremes =============================================================================================

section = "mean"
for size in (1, 2, 3, 4, 7, 12):
    for mode in MODES:
        case("uniform_filter1d", f(7), "f(7)", ("size", size), mode=mode, cval=0.5)
    case("uniform_filter1d", f(4, 5), "f(4, 5)", ("size", size), axis=1)
    case("uniform_filter", f(4, 5), "f(4, 5)", ("size", size))
    for image, text in each_dtype(4, 5):
        case("uniform_filter", image, text, ("size", size))
case("uniform_filter", f(4, 5), "f(4, 5)")
case("uniform_filter", f(4, 5), "f(4, 5)", ("size", [3, 1]), origin=[1, 0], mode=["wrap", "nearest"])
case("uniform_filter1d", f(9), "f(9)", ("size", 4), origin=1)
case("uniform_filter1d", f(9), "f(9)", ("size", 4), origin=-2)
case("uniform_filter", f(3, 4, 5), "f(3, 4, 5)", ("size", 3), axes=[1, 3])
case("uniform_filter", c(4, 5), "c(4, 5)", ("size", 3), mode="constant", cval=1 + 2j)
case("uniform_filter", r(4, 5), "r(4, 5)", ("size", 3), output="float32")
case("uniform_filter1d", f(40, 3, 20), "f(40, 3, 20)", ("size", 6), axis=1)
layouts("uniform_filter", ("size", 3))

section = "extreme"
FOOTPRINTS = [[[0, 1, 0], [1, 1, 1], [0, 1, 0]], [[1, 0], [0, 1]], [[1, 1], [1, 1]], [[0, 1]]]
for function in ("minimum_filter", "maximum_filter"):
    for size in (1, 2, 3, 5, 9):
        for mode in MODES:
            case(function + "1d", f(7), "f(7)", ("size", size), mode=mode, cval=0.25)
        case(function + "1d", f(4, 5), "f(4, 5)", ("size", size), axis=1)
        case(function, f(4, 5), "f(4, 5)", ("size", size))
        for image, text in each_dtype(4, 5):
            case(function, image, text, ("size", size))
    for footprint in FOOTPRINTS:
        for mode in MODES[:5]:
            case(function, f(4, 5), "f(4, 5)", footprint=footprint, mode=mode, cval=0.25)
        for image, text in each_dtype(4, 5):
            case(function, image, text, footprint=footprint)
    case(function, f(4, 5), "f(4, 5)", ("size", [2, 3]), origin=[0, -1], mode=["wrap", "nearest"])
    case(function, f(4, 5), "f(4, 5)", footprint=FOOTPRINTS[0], origin=[1, -1])
    case(function + "1d", f(9), "f(9)", ("size", 4), origin=-2)
    case(function + "1d", f(9), "f(9)", ("size", 4), origin=1)
    case(function, f(3, 4, 5), "f(3, 4, 5)", ("size", 3), axes=[1, 3])
    case(function, f(3, 4, 5), "f(3, 4, 5)", footprint=FOOTPRINTS[1], axes=[1, 3])
    case(function + "1d", f(40, 3, 20), "f(40, 3, 20)", ("size", 6), axis=1)
    layouts(function, ("size", 3))
    layouts(function, footprint=FOOTPRINTS[1])

# ==== Ranks ===========================================================================================================

section = "rank"
for mode in MODES:
    for size in (2, 3, 5):
        case("median_filter", f(5, 6), "f(5, 6)", ("size", size), mode=mode, cval=0.25)
    case("rank_filter", f(5, 6), "f(5, 6)", ("rank", 3), ("size", 4), mode=mode, cval=0.25)
for size in (1, 3, 4, 7, 9, 11):
    case("median_filter", f(15, 16), "f(15, 16)", ("size", size))
for image, text in each_dtype(5, 6):
    case("median_filter", image, text, ("size", 3))
    case("median_filter", image, text, footprint=FOOTPRINTS[0])
    case("rank_filter", image, text, ("rank", -2), ("size", 3))
    case("percentile_filter", image, text, ("percentile", 30), ("size", 3))
for percentile in (0, 20, 50, 80, 100, -20, 33.3):
    case("percentile_filter", f(5, 6), "f(5, 6)", ("percentile", percentile), ("size", [3, 2]))
for rank in (1, 2, 4, 5, -1, -3):
    case("rank_filter", f(5, 6), "f(5, 6)", ("rank", rank), footprint=FOOTPRINTS[0])
    case("rank_filter", f(9), "f(9)", ("rank", rank), ("size", 6), mode="wrap")
case("median_filter", f(5, 6), "f(5, 6)", ("size", 3), origin=[1, -1])
case("median_filter", f(3, 4, 5), "f(3, 4, 5)", ("size", 3))
case("median_filter", f(3, 4, 5), "f(3, 4, 5)", ("size", 3), axes=[1, 3])
case("median_filter", f(20), "f(20)", ("size", 5))
case("median_filter", r(5, 6), "r(5, 6)", ("size", 3), output="float32")
layouts("median_filter", ("size", 3))

print("\n".join(lines))
