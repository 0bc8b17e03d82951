"""Golden files of Torch7's torch.save.

A record: name  dtype  shape  elements in hexadecimal  the file in hexadecimal
The files are written as File.lua and Tensor.c of torch7 say; each holds one tensor, binary and as text.
"""
import struct

import numpy as np

rng = np.random.default_rng(7)
KINDS = {"Byte": "u1", "Char": "i1", "Short": "i2", "Int": "i4", "Long": "i8", "Half": "f2", "Float": "f4",
         "Double": "f8", "Cuda": "f4", "CudaLong": "i8"}


class Binary:
    def int(self, v):
        return struct.pack("<i", v)

    def longs(self, values):
        return struct.pack(f"<{len(values)}q", *values)

    def string(self, text):
        return self.int(len(text)) + text

    def elements(self, a):
        return a.tobytes()


class Text:
    def int(self, v):
        return b"%d\n" % v

    def longs(self, values):
        return " ".join(map(str, values)).encode() + b"\n" if values else b""

    def string(self, text):
        return self.int(len(text)) + text + b"\n"

    def elements(self, a):
        if a.dtype.itemsize == 1:
            return a.tobytes() + b"\n"
        if a.dtype == "f2":
            a = a.view("u2")
        return " ".join(repr(v) for v in a.tolist()).encode() + b"\n"


def tensor(out, kind, storage, shape, strides, offset):
    def start(index, what):
        return out.int(4) + out.int(index) + out.string(b"V 1") + out.string(f"torch.{kind}{what}".encode())

    return (start(1, "Tensor") + out.int(len(shape)) + out.longs(shape) + out.longs(strides) + out.longs([offset + 1])
            + start(2, "Storage") + out.longs([storage.size]) + out.elements(storage))


for kind, dtype in KINDS.items():
    storage = (rng.integers(-100, 100, 24) if dtype[0] != "u" else rng.integers(0, 256, 24)).astype(dtype)
    if dtype[0] == "f":
        storage = (storage / 8).astype(dtype)
    for shape, strides, offset in (((2, 3, 4), (12, 4, 1), 0), ((3, 2), (2, 7), 3), ((5,), (0,), 23)):
        want = np.lib.stride_tricks.as_strided(storage[offset:], shape, [s * storage.itemsize for s in strides])
        for name, out in (("binary", Binary()), ("text", Text())):
            file = tensor(out, kind, storage, shape, strides, offset)
            print(name, want.dtype.name, ",".join(map(str, shape)), want.tobytes().hex(), file.hex(), sep="\t")
