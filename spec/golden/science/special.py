#!/usr/bin/env python3
"""Golden values of special functions at chosen and at random points. usage: special.py [NAME...]

A line of points: point NAME COUNT ARGUMENTS VALUES SCALES, the last three as doubles in hexadecimal. The arguments of a
function stand one operand after the other. A scale is max(|f|, |x df/dx| over the operands x): errors are measured in
units of it. The values are mpmath's with 50 digits, rounded once. A line of edges: edge NAME COUNT ARGUMENTS VALUES,
what SciPy gives for infinities, NaN, zeros and poles.

special_functions.py has the functions with their mpmath formulas and the ranges of their arguments.
"""
import hashlib
import random
import struct
import sys
import warnings

import numpy as np
import scipy.special
from mpmath import mp, mpf

import special_functions
from special_functions import draw, real

mp.dps = 50


def single(x):
    """The nearest float32, as a float."""
    if abs(x) > 3e38 or (x != 0 and abs(x) < 1e-37):
        return x
    return struct.unpack("f", struct.pack("f", x))[0]


def points_of(f):
    random_numbers = random.Random(int.from_bytes(hashlib.md5(f.name.encode()).digest()[:4], "little"))
    for chosen in f.points:
        yield chosen if isinstance(chosen, tuple) else (chosen,)
    for count, samplers in f.ranges:
        for k in range(count):
            point = tuple(draw(random_numbers, s) for s in samplers)
            yield tuple(map(single, point)) if k % 2 else point


def value_and_scale(f, point):
    exact = [mpf(x) for x in point]
    y = real(f.formula(*exact))
    scale = abs(y)
    h = mpf(10) ** -18
    for k in range(len(point)):
        if k in f.fixed or point[k] == 0:
            continue
        moved = list(exact)
        moved[k] = moved[k] * (1 - h)
        scale = max(scale, abs((real(f.formula(*moved)) - y) / h))
    return y, scale


def pack(numbers):
    return np.array(numbers, "<f8").tobytes().hex()


def write_points(f):
    args, values, scales = [], [], []
    for point in points_of(f):
        try:
            y, scale = value_and_scale(f, point)
        except (ValueError, ZeroDivisionError, mp.NoConvergence):        # a pole
            continue
        if not mp.isfinite(y) or abs(y) > 1e308 or (y != 0 and abs(y) < 1e-300) or scale > 1e308:
            continue
        args.append(point)
        values.append(float(y))
        scales.append(float(scale))
    columns = [x for column in zip(*args) for x in column]
    print("point", f.name, len(args), pack(columns), pack(values), pack(scales), flush=True)


def write_edges(f):
    if not f.edges:
        return
    function = getattr(scipy.special, f.of or f.name)
    points = [p if isinstance(p, tuple) else (p,) for p in f.edges]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        values = [float(function(*map(float, p))) for p in points]
    columns = [x for column in zip(*points) for x in column]
    print("edge", f.name, len(points), pack(columns), pack(values), flush=True)


print("# made by special.py")
for f in special_functions.functions:
    if len(sys.argv) > 1 and f.name not in sys.argv[1:]:
        continue
    write_points(f)
    write_edges(f)
