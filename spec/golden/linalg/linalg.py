"""Golden values of linear algebra.

    in ID SHAPE real|complex value ...             SHAPE is 2x3; complex values are re and im in turn
    out ID CALL RESULT SHAPE value ...             CALL is Lua over ma.linalg with `a` (and `b`) for the input; RESULT
                                                   its number

Inputs are float64 or complex128. expm is summed in long double.
"""

import numpy as np

rng = np.random.default_rng(51)
lines = ["# made by linalg.py with NumPy %s" % np.__version__]


def text_of(x):
    x = np.asarray(x)
    shape = "x".join(map(str, x.shape)) if x.shape else "()"
    values = np.stack([x.real, x.imag], -1).ravel() if np.iscomplexobj(x) else x.ravel().astype(float)
    return "%s %s %s" % (shape, "complex" if np.iscomplexobj(x) else "real", " ".join("%.17g" % v for v in values))


def expm(a):
    x = np.asarray(a, np.clongdouble if np.iscomplexobj(a) else np.longdouble)
    squarings = 12
    x = x / 2**squarings
    result = np.broadcast_to(np.eye(a.shape[-1], dtype=x.dtype), x.shape).copy()
    term = result.copy()
    for k in range(1, 20):
        term = np.einsum("...ij,...jk->...ik", term, x) / k
        result = result + term
    for _ in range(squarings):
        result = np.einsum("...ij,...jk->...ik", result, result)
    return result.astype(complex if np.iscomplexobj(a) else float)


def normal(shape, complex_=False):
    x = np.round(rng.standard_normal(shape) * 64) / 64
    return x + 1j * np.round(rng.standard_normal(shape) * 64) / 64 if complex_ else x


low_rank = normal((5, 2)) @ normal((2, 4))
inputs = {
    "one": normal((1, 1)), "two": normal((2, 2)), "five": normal((5, 5)), "complex": normal((4, 4), True),
    "batch": normal((2, 3, 3, 3)),
    "singular": np.arange(9.0).reshape(3, 3), "hilbert": 1 / (1 + np.add.outer(np.arange(6), np.arange(6))),
    "tall": normal((7, 3)),
    "wide": normal((3, 7)), "lowrank": low_rank, "complextall": normal((6, 3), True), "vector": normal((7,)),
    "tensor": normal((2, 3, 4)),
    "wilk": np.diag(np.full(3, 1e-9)) + np.diag(np.full(2, 30.0), 1),
}
right = {k: normal((v.shape[0], 2), k.startswith("complex")) for k, v in inputs.items() if v.ndim == 2}

for name, x in inputs.items():
    lines.append("in %s %s" % (name, text_of(x)))
for name, x in right.items():
    lines.append("in %s.b %s" % (name, text_of(x)))


def out(name, call, *results):
    for k, r in enumerate(results):
        lines.append("out %s %s %d %s" % (name, call.replace(" ", ""), k + 1, text_of(r)))


inf = {np.inf: "math.huge", -np.inf: "-math.huge"}
for name, x in inputs.items():
    square = x.ndim >= 2 and x.shape[-1] == x.shape[-2]
    if square:
        out(name, "det(a)", np.linalg.det(x))
        if name != "singular":
            sign, log = np.linalg.slogdet(x)
            out(name, "slogdet(a)", sign, log)
            for p in [None, 1, -1, 2, -2, np.inf, -np.inf, "fro"]:
                if name != "wilk":
                    out(name, "cond(a,%s)" % ("nil" if p is None else inf.get(p, repr(p))), np.linalg.cond(x, p))
        out(name, "expm(a)", expm(x))
    if x.ndim == 2:
        for p in [None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"]:
            out(name, "norm(a,%s)" % ("nil" if p is None else inf.get(p, repr(p))), np.linalg.norm(x, p))
        if name not in ("hilbert", "singular", "wilk"):
            out(name, "pinv(a,1e-12)", np.linalg.pinv(x, 1e-12))
            solution, residual, rank, s = np.linalg.lstsq(x, right[name], 1e-12)
            out(name, "lstsq(a,b,1e-12)", solution, residual, np.float64(rank), s)
        out(name, "matrix_rank(a)", np.float64(np.linalg.matrix_rank(x)))
        out(name, "svdvals(a)", np.linalg.svdvals(x))
for p in [None, 0, 1, 2, 3, 0.5, -1, -2, np.inf, -np.inf]:
    out("vector", "norm(a,%s)" % ("nil" if p is None else inf.get(p, repr(p))), np.linalg.norm(inputs["vector"], p))
x = inputs["tensor"]
for axis, lua in [(0, "1"), (1, "2"), (-1, "-1"), ((0, 1), "{1,2}"), ((2, 0), "{3,1}"), ((-1, -2), "{-1,-2}")]:
    orders = [None, 1, 2, -2, np.inf, -np.inf] + (["fro", "nuc", -1] if isinstance(axis, tuple) else [0, 3])
    for p in orders:
        for keep in (False, True):
            order = "nil" if p is None else inf.get(p, repr(p))
            out("tensor", "norm(a,%s,%s,%s)" % (order, lua, "true" if keep else "false"),
                np.linalg.norm(x, p, axis, keep))
out("tensor", "norm(a)", np.linalg.norm(x))
out("tensor", "vector_norm(a,{axis={1,3},ord=3})", np.linalg.vector_norm(x, axis=(0, 2), ord=3))
out("tensor", "matrix_norm(a,{ord='nuc',keepdims=true})", np.linalg.matrix_norm(x, ord="nuc", keepdims=True))
print("\n".join(lines))
