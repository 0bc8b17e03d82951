"""Golden .npy files of texts and structured dtypes.

A record: name  the value  the file in hexadecimal
The value is written with lists in brackets, fields in braces by name, texts as x and their bytes in hexadecimal.
"""
import io

import numpy as np


def text_of(value):
    if isinstance(value, np.ndarray) and value.dtype.names is None and value.ndim > 0:
        return "[" + ",".join(text_of(item) for item in value) + "]" if value.size else "[]"
    if getattr(value.dtype, "names", None):
        return "{" + ",".join(f"{name}:{text_of(np.asarray(value[name]))}" for name in sorted(value.dtype.names)) + "}"
    item = value.item()
    if isinstance(item, str):
        return "x" + item.encode().hex()
    if isinstance(item, bytes):
        return "x" + item.hex()
    if isinstance(item, bool):
        return "true" if item else "false"
    return str(item) if isinstance(item, int) else f"{item:.17g}"


def record(name, array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version=version)
    print(name, text_of(array), out.getvalue().hex(), sep="\t")


words = np.array([["one", "zwei", "três"], ["четыре", "五", "🙂"]])
record("wide", words)
record("wide-fortran", np.asfortranarray(words))
record("wide-big", words.astype(">U6"))
record("wide-0d", np.array("alone"))
record("wide-empty", np.array([], dtype="U3"))
record("bytes", np.array([b"a", b"bcd", b"", b"e\x00f"]))
record("bytes-3d", np.array([b"%d" % k for k in range(12)]).reshape(2, 3, 2))
table = np.array([(1, 2.5, "ab", b"x", True), (-3, 1e-300, "ü", b"yz", False), (2**62, -0.25, "", b"", True)],
                 dtype=[("count", "<i8"), ("height", "<f8"), ("name", "<U3"), ("code", "S2"), ("good", "?")])
record("table", table)
record("table-big", table.astype([("count", ">i8"), ("height", ">f8"), ("name", ">U3"), ("code", "S2"), ("good", "?")]))
record("table-one", table[1])
record("table-empty", table[:0])
record("table-2d", np.asfortranarray(table[[0, 1, 2, 2, 1, 0]].reshape(2, 3)))
aligned = np.dtype([("a", "i1"), ("b", "<f8"), ("c", "<u2")], align=True)
record("padding", np.array([(1, 2, 3), (4, 5, 6)], dtype=aligned))
nested = np.dtype([("place", [("x", "<f4"), ("y", "<f4")], (2,)), ("m", "<i2", (2, 3)), ("tags", "U2", (2,))])
value = np.zeros(2, dtype=nested)
value["place"]["x"] = [[1, 2], [3, 4]]
value["m"] = np.arange(12).reshape(2, 2, 3)
value["tags"] = [["a", "b"], ["c", "dd"]]
record("nested", value)
record("nested-fortran", np.asfortranarray(value.reshape(2, 1).repeat(2, axis=1)))
record("title", np.array([(1, 2)], dtype=[(("the title", "a"), "<i4"), ("b", "<i4")]))
record("quotes", np.array([(1, 2)], dtype=[("it's", "<i4"), ('a"b\\c', "<i4")]))
record("version-3", np.array([(1, 2)], dtype=[("höhe", "<i4"), ("b", "<i4")]), version=(3, 0))
