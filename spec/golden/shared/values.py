"""What the golden scripts share: the dtypes, the sets of test values, and the text form of an array.

The records stand one a line, fields apart by spaces. An array is its elements' little-endian bytes in
hexadecimal, in C order; an element that NumPy leaves undefined is written in dashes. Positions and axes are 1-based, as
in Lua.
"""
import ml_dtypes
import numpy as np

DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 "
          "complex128").split()
INTS = [d for d in DTYPES if "int" in d]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEXES = ["complex64", "complex128"]
WIDER = {"float16": np.float32, "bfloat16": np.float32, "float32": np.float64, "float64": np.longdouble,
         "complex64": np.complex128, "complex128": np.clongdouble}


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def name_of(dtype):
    return np.dtype(dtype).name


def is_float(name):
    return name in FLOATS


def is_complex(name):
    return name in COMPLEXES


def hexes(array, undefined=None):
    """The bytes of `array`; one NaN for all, since its sign and payload mean nothing."""
    array = np.array(array, order="C", copy=True).reshape(-1)
    name = name_of(array.dtype)
    if is_float(name):
        array[np.isnan(array.astype(np.float64))] = np.nan
    elif is_complex(name):
        parts = array.view(np.float32 if name == "complex64" else np.float64)
        parts[np.isnan(parts)] = np.nan
    text = array.tobytes().hex()
    if undefined is None or not np.any(undefined):
        return text or "."
    width = 2 * array.dtype.itemsize
    undefined = np.broadcast_to(undefined, array.shape).reshape(-1)
    return "".join("-" * width if undefined[i] else text[i * width:(i + 1) * width] for i in range(array.size))


def narrow(values, name):
    """Rounds once, from whatever precision, to the dtype `name` (bfloat16 is rounded by hand: to nearest, ties to
    even)."""
    values = np.asarray(values)
    if name != "bfloat16":
        return values.astype(name)
    return values.astype(np.float32).astype(ml_dtypes.bfloat16)


def reals(name, seed=0):
    """The set "real": special values of the dtype first, then random ones of several sizes."""
    rng = np.random.default_rng([seed, DTYPES.index(name)])
    if name == "bool":
        return np.array([False, True])
    if name in INTS:
        info = np.iinfo(name)
        special = [0, 1, 2, 3, 5, 7, 10, 100, info.max, info.max - 1, info.max // 2]
        if info.min:
            special += [-1, -2, -3, -7, -100, info.min, info.min + 1]
        wide = rng.integers(info.min, info.max, 8, dtype=name, endpoint=True)
        low = rng.integers(-20 if info.min else 0, 20, 8).astype(name)
        return np.concatenate([np.array(special, dtype=name), wide, low])
    if is_complex(name):
        normal = rng.standard_normal(24) + 1j * rng.standard_normal(24)
        special = np.array([0, 1, -1, 1j, -1j, 2, -3, 0.5, 3 + 4j, -0.25 + 0.5j, 1 - 2j, -5 - 12j, 0.001 + 0.002j,
            9 - 3j])
        return np.concatenate([special, normal, 4 * normal[:8]]).astype(name)
    dtype = numpy_dtype(name)
    info = ml_dtypes.finfo(dtype)
    special = [0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3, -3, 7.25, -7.25, 100, -100, np.inf, -np.inf,
        np.nan,
               float(info.smallest_subnormal), -float(info.smallest_subnormal), float(info.tiny), -float(info.tiny),
               float(info.max), -float(info.max), float(info.eps), 1 + float(info.eps), 1 - float(info.eps) / 2, 0.1,
               -0.9]
    normal = np.concatenate([rng.standard_normal(10), 10 * rng.standard_normal(10), rng.uniform(-1, 1, 12),
                             np.exp(3 * rng.standard_normal(8)), -np.exp(2 * rng.standard_normal(4))])
    return np.concatenate([special, normal]).astype(dtype)


def moderate(name):
    """The set "finite": reals without what is infinite, NaN, subnormal or huge."""
    values = reals(name)
    if name == "bool":
        return values
    if name in INTS:
        return values[(values.astype(np.float64) < 50) & (values.astype(np.float64) > -50)]
    if is_complex(name):
        return values
    wide = np.abs(values.astype(np.float64))
    return values[(wide == 0) | ((wide > 1e-3) & (wide < 1e3))]
