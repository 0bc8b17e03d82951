#!/usr/bin/env python3
"""Golden values of SciPy's place_poles.

A line: METHOD STATES INPUTS A B POLES GAIN STEPS, matrices and poles (real and imaginary parts in turn) as doubles in
hexadecimal, and the steps that the eigenvectors took."""
import struct

import numpy as np
from scipy.signal import place_poles


def hexadecimal(a):
    a = np.asarray(a, "f8").ravel()
    return struct.pack("<%dd" % a.size, *a).hex()


A4 = np.array([[1.380, -0.2077, 6.715, -5.676], [-0.5814, -4.290, 0, 0.6750], [1.067, 4.273, -6.654, 5.893],
               [0.0480, 4.273, 1.343, -2.104]])
B4 = np.array([[0, 5.679], [1.136, 1.136], [0, 0], [-3.146, 0]])
numbers = np.random.default_rng(1)
A5, B5 = numbers.standard_normal((5, 5)).round(2), numbers.standard_normal((5, 3)).round(2)
real, pairs = [-0.2, -0.5, -5.0566, -8.6659], [-1 + 2j, -1 - 2j, -3 + 1j, -3 - 1j]

print("# made by poles.py")
for method, A, B, poles in (("YT", A4, B4, real), ("KNV0", A4, B4, real), ("YT", A4, B4, [-1 + 2j, -3, -1 - 2j, -4]),
                            ("YT", A4, B4, pairs), ("YT", A4, B4[:, :1], [-1, -2, -3, -4]),
                            ("YT", A5, B5, [-1, -2, -3, -4 + 1j, -4 - 1j]), ("YT", A5, B5[:, :2], [-1, -2, -3, -4, -5]),
                            ("KNV0", A5, B5, [-1, -1.5, -2, -3, -4]), ("YT", A4, np.eye(4), pairs)):
    f = place_poles(A, B, poles, method=method)
    parts = np.array([[p.real, p.imag] for p in np.asarray(poles, complex)])
    print(method, *B.shape, hexadecimal(A), hexadecimal(B), hexadecimal(parts), hexadecimal(f.gain_matrix), f.nb_iter)
