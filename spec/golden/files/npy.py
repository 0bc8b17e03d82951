#!/usr/bin/env python3
"""Files as NumPy writes them, for spec/files/files_spec.lua, and NumPy's reading of ours.

usage: npy.py                prints a name and a file in hexadecimal a line: of archives, an array and text
       npy.py check FOLDER   reads what the spec wrote there; prints the number of arrays that are right, or says what
                             is not

Element k (from 0, in C order) of each array has the value that `expected` gives; the spec computes the same.
"""
import io
import os
import sys
import zipfile

import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


def expected(dtype, shape):
    n = int(np.prod(shape, dtype=np.int64))
    k = np.arange(n)
    if dtype == "bool":
        v = k % 3 == 0
    elif dtype.startswith("int"):
        v = k * 37 % 101 - 50
    elif dtype.startswith("uint"):
        v = k * 37 % 101
    elif dtype.startswith("complex"):
        v = (k - 2.5) * 1.25 - 0.5j * (k - 2.5)
    else:
        v = (k - 2.5) * 1.25
    if dtype == "bfloat16":                      # raw words: the upper halves of float32
        words = (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return words.view("V2").reshape(shape)
    return v.astype(dtype).reshape(shape)


def npy(array, version=(1, 0)):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def members():
    for dtype in DTYPES:
        yield f"{dtype}-2x3", npy(expected(dtype, (2, 3)))
    for dtype in ["int16", "float32", "complex128", "uint64"]:
        a = expected(dtype, (3, 4))
        yield f"{dtype}-3x4-big", npy(a.astype(a.dtype.newbyteorder(">")))
    yield "float64-4x3-fortran", npy(np.asfortranarray(expected("float64", (4, 3))))
    yield "int32-2x3x4-fortran", npy(np.asfortranarray(expected("int32", (2, 3, 4))))
    yield "float32-2x3-version2", npy(expected("float32", (2, 3)), (2, 0))
    yield "int8-5-version3", npy(expected("int8", (5,)), (3, 0))
    yield "float64--scalar", npy(expected("float64", ()))
    yield "int64-0x3-empty", npy(expected("int64", (0, 3)))
    yield "float32-1x1x1x1x1x1x1x1x1x2", npy(expected("float32", (1,) * 9 + (2,)))
    yield "int16-100x30", npy(expected("int16", (100, 30)))


def stored():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
        for key, data in members():
            info = zipfile.ZipInfo(key + ".npy")
            info.compress_type = zipfile.ZIP_STORED
            # half of them with zip64 fields, as np.savez writes them
            with z.open(info, "w", force_zip64=len(key) % 2 == 0) as f:
                f.write(data)
    return out.getvalue()


class Pipe(io.RawIOBase):
    """A file that cannot seek: zipfile then writes data descriptors."""

    def __init__(self):
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, b):
        self.data += bytes(b)
        return len(b)


def deflated():
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as z:
        for key, data in members():
            info = zipfile.ZipInfo(key + ".npy")
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, data)
    return bytes(pipe.data)


def text():
    out = io.BytesIO()
    np.savetxt(out, expected("float64", (4, 3)), delimiter=",", header="a,b,c", footer="the end")
    return out.getvalue()


def make():
    for name, file in ("plain", npy(expected("float64", (3, 4)))), ("stored", stored()), ("deflated", deflated()), (
            "text", text()):
        print(name, file.hex())


def check(folder):
    right = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".npy"):
            found = {name[:-4]: np.load(path)}
        elif name.endswith(".npz"):
            found = dict(np.load(path).items())
        elif name.endswith(".txt"):
            found = {name[:-4]: np.loadtxt(path, delimiter=",", dtype=complex if "complex" in name else None)}
        else:
            sys.exit(f"{name}: an unexpected file")
        for key, array in found.items():
            dtype, shape = key.split("-")[:2]
            want = expected(dtype, tuple(int(n) for n in shape.split("x") if n))
            if name.endswith(".txt"):
                want = want.astype(array.dtype)
            if array.dtype != want.dtype or array.shape != want.shape or array.tobytes() != want.tobytes():
                sys.exit(f"{name}, {key}: {array!r}; wanted {want!r}")
            right += 1
    print(right)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        make()
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        check(sys.argv[2])
    else:
        sys.exit(__doc__)
