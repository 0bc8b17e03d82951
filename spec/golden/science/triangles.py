#!/usr/bin/env python3
"""Golden values of SciPy's triangulations of points in the plane and interpolation over them.

A line: NAME POINTS VALUES PLACES LINEAR SMOOTH SIMPLICES HULL, doubles in hexadecimal but for the last two:
the triangles with their points from 1, each from its least point on, in order, and the number of the hull's edges.
"""
import struct

import numpy as np
from scipy.interpolate import CloughTocher2DInterpolator, LinearNDInterpolator
from scipy.spatial import Delaunay


def hexadecimal(a):
    a = np.asarray(a, "f8").ravel()
    return struct.pack("<%dd" % a.size, *a).hex()


def from_least(triangle):
    k = triangle.index(min(triangle))
    return triangle[k:] + triangle[:k]


print("# made by triangles.py")
numbers = np.random.default_rng(17)
for name, n, scale in (("few", 5, 1), ("some", 60, 1), ("wide", 40, 1000)):
    points = numbers.random((n, 2)) * [1, scale]
    x, y = points[:, 0], points[:, 1] / scale
    values = np.stack([np.sin(5 * x) * y + x * x, 2 * x - 3 * y + 1], 1)
    places = numbers.uniform(-0.1, 1.1, (25, 2)) * [1, scale]
    places[:3] = points[:3]
    d = Delaunay(points)
    triangles = sorted(from_least([int(p) + 1 for p in s]) for s in d.simplices)
    print(name, hexadecimal(points), hexadecimal(values), hexadecimal(places),
          hexadecimal(LinearNDInterpolator(d, values)(places)),
          hexadecimal(CloughTocher2DInterpolator(d, values, tol=1e-13)(places)),
          ",".join(str(p) for t in triangles for p in t), len(d.convex_hull))
