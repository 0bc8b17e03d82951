"""Golden values of ma.ndimage's binary morphology and labels, in the form of array/expressions.py: calls in Lua and
what SciPy gives for the same."""
import zlib

import cases
import numpy as np
import scipy
from cases import f, g, r, strided
from scipy import ndimage as nd

section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


def one_in(n, expression, *results):
    """One case of n, which its text decides: all of them would take a megabyte."""
    if zlib.crc32(expression.encode()) % n == 0:
        case(expression, *results)


# Without it SciPy 1.17.1 goes on into the next row where the structure is wider than the image.
step_by_step = {"brute_force": True}


def arrays(text):
    """A table of numbers in Lua as an array."""
    return np.array(eval(text.replace("{", "[").replace("}", "]")))


def options(**given):
    """The same options for both languages: a table in Lua, keywords in Python."""
    lua, python = [], {}
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, tuple):
            text, python[name] = value
        elif isinstance(value, list):
            text, python[name] = "{%s}" % ", ".join(map(str, value)), value
        else:
            text, python[name] = str(value).lower() if isinstance(value, bool) else str(value), value
        lua.append("%s = %s" % (name, text))
    return "{ %s }" % ", ".join(lua), python


# Images, by what makes them in Lua.
spiral = ("{{1,1,1,1,1,1,1},{0,0,0,0,0,0,1},{1,1,1,1,1,0,1},{1,0,0,0,1,0,1},{1,0,1,1,1,0,1},{1,0,0,0,0,0,1},"
          "{1,1,1,1,1,1,1}}")
images = {
    "r(9, 11):gt(1)": r(9, 11) > 1, "r(40):gt(0)": r(40) > 0, "r(7, 20)": r(7, 20), "g(6, 7)": g(6, 7),
    "r(4, 5, 6):gt(0)": r(4, 5, 6) > 0, "r(6, 9):gt(-3)": r(6, 9) > -3, "ma.ones({5, 6})": np.ones((5, 6)),
    "ma.zeros({4, 3}, 'int8')": np.zeros((4, 3), "int8"), "ma.array(%s)" % spiral: arrays(spiral),
    "r(9, 11):transpose():gt(1)": r(9, 11).T > 1, "strided(5, 6)": strided(5, 6),
    "r(12, 13)['::-1, ::2']:lt(5)": r(12, 13)[::-1, ::2] < 5, "r(1, 30):gt(2)": r(1, 30) > 2,
    "r(30, 1):gt(2)": r(30, 1) > 2, "r(2, 3, 3, 4):gt(1)": r(2, 3, 3, 4) > 1, "ma.zeros({0, 4})": np.zeros((0, 4)),
    "((ma.arange(8):reshape(8, 1) + ma.arange(9)) % 2)": (np.arange(8)[:, None] + np.arange(9)) % 2,
    "f(5, 5):astype('float16')": f(5, 5).astype("float32"), "ma.asarray(3)": np.array(3.0),
    "ma.asarray(0)": np.array(0.0),
}
structures = {
    1: ["{1, 1, 1}", "{1, 0, 1}", "{0, 1}", "{1, 1, 0, 1, 1, 1, 1, 1}", "{1}"],
    2: ["{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}", "{{1, 0}, {0, 1}}", "{{0, 1, 0, 1}, {1, 1, 1, 0}}",
        "{{1, 1, 1, 1, 1, 1, 1}}",
        "{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}", "{{1}, {1}, {0}, {1}}", "{{0, 0}, {0, 0}}"],
    3: ["{{{1, 1}, {0, 1}}, {{1, 0}, {1, 1}}}"],
    4: [], 0: [],
}


def structure_pairs(ndim):
    yield None
    for text in structures[ndim]:
        yield (text, arrays(text))


def origins(structure, ndim):
    """0, and the ends of what is allowed."""
    yield None
    if structure is None or ndim == 0:
        return
    shape = structure[1].shape
    yield [-(n // 2) for n in shape]
    yield [n - 1 - n // 2 for n in shape]


section = "binary"
for lua, x in images.items():
    for structure in structure_pairs(x.ndim):
        for origin in origins(structure, x.ndim):
            for name in ("binary_erosion", "binary_dilation"):
                for border in (None, 1):
                    o, keywords = options(structure=structure, origin=origin, border_value=border)
                    one_in(7, "ma.ndimage.%s(%s, %s)" % (name, lua, o), getattr(nd, name)(x, **keywords))
        if x.ndim == 0 or x.size == 0:
            continue
        for name in ("binary_opening", "binary_closing"):
            o, keywords = options(structure=structure)
            one_in(4, "ma.ndimage.%s(%s, %s)" % (name, lua, o), getattr(nd, name)(x, **keywords))
        for iterations in (2, 3, 4, 7):
            for name in ("binary_erosion", "binary_dilation"):
                o, keywords = options(structure=structure, iterations=iterations, border_value=iterations == 3)
                one_in(7, "ma.ndimage.%s(%s, %s)" % (name, lua, o), getattr(nd, name)(x, **keywords, **step_by_step))

section = "mask"
for lua, x in images.items():
    if x.ndim == 0 or x.size == 0:
        continue
    shape = ", ".join(map(str, x.shape))
    mask = ("(r(%s) * 3 %% 7):lt(5)" % shape, (r(*x.shape) * 3) % 7 < 5)
    for structure in structure_pairs(x.ndim):
        centred = structure is None or structure[1][tuple(n // 2 for n in structure[1].shape)] != 0
        for iterations in (1, 3, -1) if centred else (1, 3):
            for name in ("binary_erosion", "binary_dilation"):
                for border in (False, True):
                    o, keywords = options(structure=structure, iterations=iterations, mask=mask, border_value=border)
                    one_in(7, "ma.ndimage.%s(%s, %s)" % (name, lua, o),
                        getattr(nd, name)(x, **keywords, **step_by_step))

section = "filled"
for lua, x in images.items():
    if x.ndim == 0 or x.size == 0:
        continue
    shape = ", ".join(map(str, x.shape))
    mask = ("(r(%s) * 3 %% 7):lt(5)" % shape, (r(*x.shape) * 3) % 7 < 5)
    for structure in structure_pairs(x.ndim):
        if structure is not None and not structure[1][tuple(n // 2 for n in structure[1].shape)]:
            continue
        o, keywords = options(structure=structure)
        case("ma.ndimage.binary_fill_holes(%s, %s)" % (lua, o), nd.binary_fill_holes(x, **keywords))
        o, keywords = options(structure=structure, mask=mask)
        case("ma.ndimage.binary_propagation(%s, %s)" % (lua, o), nd.binary_propagation(x, **keywords))
    for one in structure_pairs(x.ndim):
        for two in structure_pairs(x.ndim):
            if one is None and two is not None:
                continue
            o, keywords = options(structure1=one, structure2=two)
            one_in(4, "ma.ndimage.binary_hit_or_miss(%s, %s)" % (lua, o), nd.binary_hit_or_miss(x, **keywords))
o, keywords = options(structure1=("{{1, 1}}", np.array([[1, 1]])), origin1=[0, -1])
case("ma.ndimage.binary_hit_or_miss(r(9, 11), %s)" % o, nd.binary_hit_or_miss(r(9, 11), **keywords))
o, keywords = options(structure1=("{{1, 1}}", np.array([[1, 1]])), origin1=[0, -1], origin2=[0, 0])
case("ma.ndimage.binary_hit_or_miss(r(9, 11), %s)" % o, nd.binary_hit_or_miss(r(9, 11), **keywords))

section = "structures"
for rank in range(0, 5):
    for connectivity in range(0, rank + 2):
        case("ma.ndimage.generate_binary_structure(%d, %d)" % (rank, connectivity),
            nd.generate_binary_structure(rank, connectivity))
for ndim, texts in structures.items():
    for text in texts:
        if arrays(text).any():
            for n in (-1, 1, 2, 3, 5):
                case("ma.ndimage.iterate_structure(ma.array(%s), %d)" % (text, n),
                    nd.iterate_structure(arrays(text).astype(float), n))
wide, origin = nd.iterate_structure(nd.generate_binary_structure(2, 1), 3, 1)
case("ma.ndimage.iterate_structure(ma.ndimage.generate_binary_structure(2, 1), 3, 1)", wide, np.array(origin, float))

section = "label"
links = {
    1: ["{0, 1, 0}"],
    2: ["{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}", "{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}", "{{0, 1, 0}, {0, 1, 0}, {0, 1, 0}}",
        "{{0, 0, 0}, {1, 1, 1}, {0, 0, 0}}", "{{1, 0, 1}, {0, 1, 0}, {1, 0, 1}}", "{{1, 0, 1}, {1, 1, 1}, {1, 0, 1}}",
        "{{0, 0, 1}, {1, 1, 1}, {1, 0, 0}}", "{{0, 1, 1}, {0, 1, 0}, {1, 1, 0}}", "{{1, 1, 0}, {1, 1, 1}, {0, 1, 1}}"],
    3: ["ma.ones({3, 3, 3})", "ma.ndimage.generate_binary_structure(3, 2)"], 4: ["ma.ones({3, 3, 3, 3})"], 0: [],
}
values = {"ma.ones({3, 3, 3})": np.ones((3, 3, 3)), "ma.ones({3, 3, 3, 3})": np.ones((3, 3, 3, 3)),
          "ma.ndimage.generate_binary_structure(3, 2)": nd.generate_binary_structure(3, 2)}
for lua, x in images.items():
    x = np.array(x, order="C")           # SciPy numbers other layouts in other orders
    for text in [None] + links[x.ndim]:
        structure = None if text is None else (text, values[text] if text in values else arrays(text))
        o, keywords = options(structure=structure)
        labels, n = nd.label(x, **keywords)
        case("ma.ndimage.label(%s, %s)" % (lua, o), labels, np.float64(n))
for dtype in ("int8", "uint16", "int64", "float32", "float64"):
    labels, n = nd.label(r(9, 11) > 1, output=dtype)
    case("ma.ndimage.label(r(9, 11):gt(1), { output = '%s' })" % dtype, labels, np.float64(n))

print("# made by ndimage_morphology.py with SciPy %s" % scipy.__version__)
print("\n".join(lines))
