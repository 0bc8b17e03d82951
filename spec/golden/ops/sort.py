"""Golden values of sorts.

    in ID DTYPE SHAPE hex
    order ID AXIS hex hex                 the sorted array, stably, and the positions
    unique ID hex hex hex hex             distinct elements, first positions, inverse, counts
    search ID left hex right hex          positions of the array's elements in its distinct ones (without NaN)
"""
import numpy as np

from values import DTYPES, hexes, is_complex, name_of, numpy_dtype, reals

lines = ["# made by sort.py with NumPy %s" % np.__version__]


def comparable(x):
    return x.astype(np.float32) if name_of(x.dtype) == "bfloat16" else x


for name in DTYPES:
    rng = np.random.default_rng([17, DTYPES.index(name)])
    pool = reals(name)
    if is_complex(name):
        parts = [0.0, -0.0, 1, -2.5, np.inf, -np.inf, np.nan]
        pool = np.concatenate([pool, np.array([complex(a, b) for a in parts for b in parts])]).astype(numpy_dtype(name))
    arrays = {"v": rng.choice(pool, 3 * len(pool)), "m": rng.choice(pool, 60).reshape(5, 12), "one": pool[:1],
        "c": rng.choice(pool, 24).reshape(2, 3, 4)}
    for tag, x in arrays.items():
        key = "%s.%s" % (tag, name)
        lines.append("in %s %s %s %s" % (key, name, "x".join(map(str, x.shape)), hexes(x)))
        for axis in range(x.ndim):
            order = np.argsort(comparable(x), axis=axis, kind="stable")
            lines.append("order %s %d %s %s" % (key, axis + 1, hexes(np.take_along_axis(x, order, axis)),
                hexes(order + 1)))
        values, index, inverse, counts = np.unique(comparable(x), return_index=True, return_inverse=True,
            return_counts=True)
        lines.append("unique %s %s %s %s %s" % (key, hexes(x.ravel()[index]), hexes(index + 1), hexes(inverse + 1),
            hexes(counts)))
        keys = values[~np.isnan(values)]
        left, right = (np.searchsorted(keys, comparable(x), side) + 1 for side in ("left", "right"))
        lines.append("search %s %s %s" % (key, hexes(left), hexes(right)))

print("\n".join(lines))
