"""Golden .npy files of C structs, with bytes between and behind the fields.

A record: name  the file in hexadecimal
The values of a field are 1, 2, ... in C order, times its place in the list; spec/files/struct_files_spec.lua has the
same structs.
"""
import io

import ml_dtypes
import numpy as np


def record(name, shape, fields, itemsize):
    dtype = np.dtype({"names": [f[0] for f in fields], "formats": [f[1] for f in fields],
                      "offsets": [f[2] for f in fields], "itemsize": itemsize})
    value = np.zeros(shape, dtype)
    for place, (field, format, _) in enumerate(fields, 1):
        part = value[field]
        numbers = np.arange(1, part.size + 1).reshape(part.shape) * place
        if format == "V2":                        # NumPy has no bfloat16
            part[...] = numbers.astype(ml_dtypes.bfloat16).view("V2")
        else:
            part[...] = numbers
    out = io.BytesIO()
    np.save(out, value)
    print(name, out.getvalue().hex(), sep="\t")


unit = [("x", "<f4", 0), ("y", "<f4", 4), ("hp", "<i4", 8)]
record("unit", (4,), unit, 12)
record("one", (), unit, 12)
record("none", (0,), unit, 12)
record("some", (3,), [("y", "<f4", 4)], 12)
record("body", (2, 3), [("kind", "u1", 0), ("m", ("<f4", (2, 3)), 4), ("v", "<f8", 40), ("k", ("<i2", (3,)), 48),
                        ("c", "<c8", 56), ("on", "?", 64), ("half", "<f2", 66), ("brain", "V2", 68)], 72)
