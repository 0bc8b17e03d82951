#!/usr/bin/env python3
"""Golden texts of arrays, as NumPy prints them.

A case is `dtype shape options`, the elements on one line (two numbers for a complex one; seq: 0, 1, 2 ... / 8), and the
lines of the text, each behind a `|`. bool is written true and false, the imaginary unit i.
"""
import re

import numpy as np

random = np.random.default_rng(20)


def number(x):
    return "%.17g" % x if np.isfinite(x) else "nan" if np.isnan(x) else "inf" if x > 0 else "-inf"


def element(x):
    if x.dtype.kind == "c":
        return number(x.real) + " " + number(x.imag)
    if x.dtype.kind == "f":
        return number(x)
    return str(int(x))


def case(a, sequence=False, **options):
    with np.printoptions(**options):
        text = str(a) if a.ndim else np.array2string(a)
    text = re.sub(r"(?<=[0-9.a-z])j", "i", text).replace("True", "true").replace("False", "false")
    settings = " ".join("%s=%s" % (k, str(v).lower() if isinstance(v, bool) else v) for k, v in options.items())
    print(a.dtype, "x".join(map(str, a.shape)) or "-", settings)
    print("seq" if sequence else " ".join(element(x) for x in a.ravel()) or "-")
    for line in text.split("\n"):
        print("|" + line)
    print()


def bits(dtype, n):
    kind = {"float16": "u2", "float32": "u4", "float64": "u8"}[dtype]
    return random.integers(0, np.iinfo(kind).max, n, dtype=kind, endpoint=True).view(dtype)


np.seterr(all="ignore")
for dtype in ("float16", "float32", "float64"):
    case(np.array([0.1, 0.2, 0.3], dtype))
    case(np.array([1, 2, 3], dtype))
    case(np.array([[1.5, -2.25], [100, 1e-3]], dtype))
    case(np.array([1, 999.5, 1000], dtype))
    case(np.array([1e-4, 1e-3], dtype))
    case(np.array([9e-5, 1e-2], dtype))
    case(np.array([np.nan, 1, -np.inf, np.inf], dtype))
    case(np.array([np.nan, np.nan], dtype))
    case(np.array([0.0, -0.0], dtype))
    case(np.array([np.inf, 1e-5, 3000], dtype))
    case(np.array([1e-7, 1], dtype), suppress=True)
    case(np.array([1e-9, 1e-8, 6e-9, 0.5], dtype), suppress=True, precision=8)
    case(np.array([1.123456789, 2.5, 3], dtype), precision=3)
    case(np.array([1.123456789, 2.5, 3], dtype), precision=3, floatmode="fixed")
    case(np.array([1.123456789, 2.5, 3], dtype), floatmode="unique")
    case(np.array([1.123456789, 2.5, 3], dtype), floatmode="maxprec_equal", precision=4)
    case(np.array([1.5, -2.5], dtype), sign="+")
    case(np.array([1.5, 2.5], dtype), sign=" ")
    case(np.array([1.5, -2.5, np.nan], dtype), sign=" ")
    case(np.array([0.19999999, 1.9999999, 29999.99], dtype))
    case(np.array(12.5, dtype))
    case(random.standard_normal((4, 5)).astype(dtype))
    case(random.standard_normal((2, 3, 4)).astype(dtype), precision=4)
    case((random.standard_normal((3, 7)) * 1e3).round(2).astype(dtype))
    case((random.standard_normal((3, 2, 2, 2)) * 10).round(1).astype(dtype))
    case((random.standard_normal(40) ** 9).astype(dtype))
    case(np.arange(60).astype(dtype))
    case(np.arange(24).reshape(2, 3, 4).astype(dtype), linewidth=20)
    case(2.0 ** np.arange(-10, 11).astype(dtype))
    case(10.0 ** np.arange(-4, 5).astype(dtype))
    case(np.zeros((0, 3), dtype))
    case(np.ones((2, 1), dtype) / 3)
    case(bits(dtype, 24).reshape(4, 6))
    case(bits(dtype, 12), precision=4)
for _ in range(60):
    dtype = str(random.choice(["float16", "float32", "float64"]))
    shape = [int(n) for n in random.integers(1, 5, random.integers(1, 4))]
    a = random.standard_normal(shape) * 10.0 ** random.integers(-6, 7)
    if random.random() < 0.5:
        a = a.round(int(random.integers(0, 5)))
    if random.random() < 0.3:
        a = np.where(random.random(shape) < 0.3, random.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), a)
    options = dict(precision=int(random.integers(0, 10)), suppress=bool(random.random() < 0.3),
                   floatmode=str(random.choice(["maxprec", "maxprec", "fixed", "unique", "maxprec_equal"])),
                   linewidth=int(random.choice([30, 75])))
    case(a.astype(dtype), **options)
for dtype in ("complex64", "complex128"):
    case(np.array([1 + 2j, 3 - 4j], dtype))
    case(np.array([[1.5 + 2j, 0.25 - 4.125j], [1e-3j, 100]], dtype))
    case(np.array([complex(np.nan, 1), complex(1, -np.inf), 0.5j], dtype))
    case(np.array([1e10 + 1j, 1 - 1e-10j], dtype))
    case((random.standard_normal((3, 4)) + 1j * random.standard_normal((3, 4))).astype(dtype))
    case(np.array([1 + 2.5j, -3 - 4j], dtype), precision=1, floatmode="fixed")
    case(np.array(1 + 2.5j, dtype))
for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
    info = np.iinfo(dtype)
    case(np.array([1, 2, 100], dtype))
    case(np.array([[0, 5], [info.max // 2 ** 12 if info.bits == 64 else info.max,
        info.min // 2 ** 12 if info.bits == 64 else info.min]], dtype))
    case(np.arange(30).astype(dtype).reshape(3, 10) - (np.array(9, dtype) if dtype[0] == "i" else 0))
    case(np.array([1, 20, 3], dtype), sign="+")
    case(np.array([1, 20, 3], dtype), sign=" ")
case(np.array([-1, 20, 3]), sign=" ")
case(np.array([True, False]))
case(np.array([[True, True], [False, True]]))
case(np.array(True))
case(np.zeros(0, bool))
for dtype in ("float32", "float64", "int32"):
    for shape in ((1001,), (1000,), (40, 40), (2, 600), (600, 2), (7, 30, 6), (4, 7, 8, 9), (20, 1, 60)):
        a = np.arange(int(np.prod(shape))).reshape(shape)
        case((a if dtype == "int32" else a / 8).astype(dtype), sequence=True)
    case((np.arange(100) if dtype == "int32" else np.arange(100) / 8).astype(dtype), sequence=True, threshold=5,
        edgeitems=2)
    case((np.arange(90).reshape(9, 10) if dtype == "int32" else np.arange(90).reshape(9, 10) / 8).astype(dtype),
        sequence=True, threshold=50, edgeitems=1)
