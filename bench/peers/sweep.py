"""SciPy, NumPy or CuPy beside moonarray, call by call in turns: every call of a table at each of its sizes and dtypes.

usage, from the root: python3 bench/peers/sweep.py [--only TEXT] [--above RATIO] [--threads N] [--rounds N] [--table T]
[--cupy]. T is sweep (SciPy's functions) or ordinary (NumPy's, with --cupy CuPy's, both on a GPU).

Prints `ratio ours SciPy's key`, milliseconds, the least of the rounds; a ratio above 1 is where ours takes longer. One
thread beside one, timed by what it works, unless --threads or --cupy says otherwise. Each size and dtype of a part of
the table has a process of ours of its own, as a script has, so that no call is measured in the heap of others."""
import argparse
import math
import operator
import os
import re
import subprocess
import time

options = argparse.ArgumentParser()
options.add_argument("--table", default="sweep")
options.add_argument("--only", default="")
options.add_argument("--above", type=float, default=0)
options.add_argument("--threads", default="1")
options.add_argument("--rounds", type=int, default=5)
options.add_argument("--cupy", action="store_true")
options = options.parse_args()
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MOONARRAY_NUM_THREADS"):
    os.environ[name] = options.threads
os.environ.setdefault("LUA_PATH", "./lua/?.lua;./lua/?/init.lua;;")
os.environ.setdefault("LUA_CPATH", "./?.so;;")

import numpy as np                      # noqa: E402, after the threads are set
from scipy import fft, interpolate, ndimage, signal, spatial, special, stats        # noqa: E402
import scipy.spatial.distance           # noqa: E402, F401

scope = {"np": np, "fft": fft, "interpolate": interpolate, "ndimage": ndimage, "signal": signal, "spatial": spatial,
         "special": special, "stats": stats}


def fractions(n):
    x = np.sin(np.arange(n) * 12.9898 + 1) * 43758.5453
    return x - np.floor(x)


def line(n, dtype):
    u = fractions(n)
    turned = np.roll(u, n // 3)
    wave = (np.sin(np.linspace(0, n / 5, n)) + u * 0.3).astype(dtype)
    found = {"u": u, "p": u * 10, "q": u * 50, "s": u * 10 - 5, "v": turned, "w": turned * 10, "k": np.floor(u * 10),
             "half": u * 0.98 + 0.01, "t": np.linspace(0, 10, n), "wave": wave,
             "matrix": fractions(n * 8).reshape(8, n), "points": fractions(n * 3).reshape(n, 3),
             "others": np.roll(fractions(n * 3), 5).reshape(n, 3), "knots": np.linspace(0, 10, 100),
             "values": np.sin(np.linspace(0, 10, 100)), "grid": fractions(2000).reshape(50, 40),
             "g1": np.linspace(0, 10, 50), "g2": np.linspace(0, 10, 40),
             "at": np.stack([u * 10, turned * 10], -1), "fir": fractions(33) - 0.5, "second": np.roll(u, 3)}
    found = {key: value.astype(dtype) for key, value in found.items()}
    found["b"] = np.array([0.00041655, 0.00166618, 0.00249927, 0.00166618, 0.00041655])
    found["a"] = np.array([1, -3.18063855, 3.86119435, -2.11215536, 0.43826514])
    found["n"], found["peaks"] = n, signal.find_peaks(wave)[0]
    return found


def image(n, dtype):
    y, x = np.arange(1, n + 1.0)[:, None], np.arange(1, n + 1.0)[None, :]
    rough = fractions(n * n).reshape(n, n)
    u = np.sin(x * 0.05) * np.cos(y * 0.03) * 0.25 + 0.25 + rough * 0.5
    mask = u > 0.6
    labels = ndimage.label(mask)[0]
    return {"n": n, "u": (u * 255 if dtype == "uint8" else u).astype(dtype), "mask": mask, "labels": labels,
            "most": int(labels.max()), "few": np.floor(np.broadcast_to(x, (n, n)) / n * 15.99).astype(np.int32),
            "kernel": np.ones((5, 5)), "seed": mask & (rough > 0.9), "foot": np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]],
            bool), "at": np.stack([np.broadcast_to(y * 0.98 - 0.63, (n, n)), np.broadcast_to(x * 0.98 - 0.63, (n, n))]),
            "f": np.fft.fft2(u), "turn": np.array([[0.98, -0.17], [0.17, 0.98]])}


def ordinary(n, dtype):
    whole, kind = "int" in dtype, "float64" if dtype == "random" else dtype
    u = fractions(n)
    side, tall, cube, batch = math.isqrt(n), max(1, n // 10), int(n ** (1 / 3) + 1e-9), max(1, n // 16)

    def places(a):
        return (np.floor(fractions(a) * a)).astype("int64")

    def cast(a):
        return a > 0.5 if kind == "bool" else (np.floor(a * 100) if whole else a).astype(kind)

    x, long = cast(u), cast(fractions(2 * n))
    square = x[:side * side].reshape(side, side)
    small = cast(fractions(n * n if n <= 100 else 1)).reshape(n if n <= 100 else 1, -1)
    i = np.floor(u * 1000).astype("int64")
    found = {"n": n, "half": max(1, n // 2), "x": x, "y": cast(np.roll(u, n // 3)), "z": cast(u * 20 - 10),
    "f": x.copy(),
             "s": np.sort(x), "c": cast(u * 0 + 0.7), "sk": cast(u ** 8), "st": long[::2], "rev": x[::-1], "m": u > 0.5,
             "mc": np.arange(n) // 100 % 3 == 0, "idx": places(n), "q3": np.array([0.1, 0.5, 0.9]),
             "edges": np.linspace(0, 1, 30), "edges2": np.sin(np.linspace(0, 1, 30)), "k5": cast(fractions(5) * 3),
             "i": i, "few": np.array([3, 70, 512, 900]), "i01": (u > 0.5).astype("int64"), "i10": np.arange(0, 100, 10),
             "e10": cast(fractions(10)), "p3": cast(fractions(n * 3).reshape(n, 3)),
             "o3": cast(np.roll(fractions(n * 3), 5).reshape(n, 3)), "M": square, "T": square.T,
             "MM": square > (50 if whole else 0.5), "row": cast(fractions(side)), "vec": cast(fractions(side)),
             "col": cast(fractions(side)).reshape(side, 1), "rows": places(side), "order": np.argsort(square, 1),
             "B4": cast(fractions(batch * 16) + 1).reshape(batch, 4, 4) + np.eye(4, dtype="f4") * 4,
             "B41": cast(fractions(batch * 4)).reshape(batch, 4, 1), "M10": cast(fractions(100)).reshape(10, 10),
             "W": x[:tall * 10].reshape(-1, 10) if n >= 10 else x, "V": x[:tall * 10].reshape(10, -1) if n >= 10 else x,
             "C": x[:cube ** 3].reshape(cube, cube, cube),
             "half2": slice(0, max(1, n // 2)), "S": small + np.eye(len(small), dtype="f4") * 3,
             "v4": cast(fractions(len(small))),
             "list": [k * 0.5 for k in range(1, min(n, 1000) + 1)], "P3": cast(fractions(side * 3)).reshape(side, 3),
             "rng": np.random.default_rng(1), "mean2": np.array([1.0, 2]), "cov2": np.array([[2, 0.5], [0.5, 1]]),
             "a3": np.array([1.0, 2, 3]), "p10": np.ones(10) / 10, "iadd": operator.iadd}
    if dtype == "random":
        found["p3"] = np.array([0.2, 0.3, 0.5])

    def softmax(a, axis):
        e = np.exp(a - a.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    found["softmax"] = softmax
    found["pairs2"] = lambda p: ((p[:, None] - p[None]) ** 2).sum(2)
    return found


def translated(text):
    """A call of Lua as Python's: options lose their braces, other tables become tuples, ranges of labels arrays."""
    text, _, python = text.partition(" || ")
    if python:
        return python
    text = re.sub(r"_\(", "(", re.sub(r"\bma\.", "np.", text))
    text = re.sub(r"\{ *(\w+ *=[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r"\1", text)
    text = re.sub(r"\{", "(", re.sub(r"\}", ",)", text))
    text = re.sub(r"(query_pairs\(.*)\)$", r'\1, output_type="ndarray")', text)
    for lua, python in (("true", "True"), ("false", "False"), ("nil", "None"), (r"range\(1, ", "labels_to("),
                        (r":([a-z]\w*\()", r".\1")):
        text = re.sub(r"\b%s" % lua if lua[0].isalpha() else lua, python, text)
    return text


if options.cupy:
    import cupy
    scope["np"] = cupy
    os.environ["MOONARRAY_DEVICE"] = "cuda"
scope["labels_to"] = lambda most: scope["np"].arange(1, most + 1)
scope["range"] = lambda first, last: scope["np"].arange(first, last + 1)


def ours(child, kind, n, dtype, calls, text):
    child.stdin.write(f"{kind} {n} {dtype} {calls} {text}\n")
    child.stdin.flush()
    answer = child.stdout.readline().strip()
    return float(answer) if answer[:1].isdigit() else answer


def on_device(found):
    return {key: cupy.asarray(value) if isinstance(value, np.ndarray) else value for key, value in found.items()}


clock = time.process_time if options.threads == "1" and not options.cupy else time.perf_counter
settle = cupy.cuda.runtime.deviceSynchronize if options.cupy else lambda: None


def peers(function, calls):
    settle()
    start = clock()
    for _ in range(calls):
        function()
    settle()
    return (clock() - start) / calls * 1e3


def measure(child, kind, n, dtype, found, text):
    first = ours(child, kind, n, dtype, 2, text.partition(" || ")[0])
    key = f"{kind}.{n}.{dtype} {text}"
    if isinstance(first, str):
        print(f"     -          -          - {key}: {first}", flush=True)
        return
    try:
        python = translated(text)
        names = {**scope, **found}
        if " = " in python and "(" not in python:
            exec(f"def function(): {python}", names)        # noqa: S102, the tables are ours
            function = names["function"]
        else:
            function = eval("lambda: " + python, names)     # noqa: S307
        function()
        theirs = min(peers(function, 1), peers(function, 3))
    except Exception as error:          # noqa: BLE001, the table goes on
        print(f"     -          -          - {key}: peer: {str(error)[:80]}", flush=True)
        return
    for calls in (5, 20, 100, 1000):    # until it is compiled, planned, and its memory warm
        if first * calls < (1000 if calls <= 20 else 100):
            first = min(first, ours(child, kind, n, dtype, calls, text.partition(" || ")[0]))
    best = [min(first, 1e9), theirs]
    for _ in range(options.rounds if max(best) < 200 else 2):
        calls = [max(1, int(4 / max(t, 1e-4))) for t in best]
        best[0] = min(best[0], ours(child, kind, n, dtype, calls[0], text.partition(" || ")[0]))
        best[1] = min(best[1], peers(function, calls[1]))
    if best[0] >= options.above * best[1]:
        print(f"{best[0] / best[1]:6.2f} {best[0]:10.4g} {best[1]:10.4g} {key}", flush=True)


def section(kind, n, dtype, make, texts):
    child = subprocess.Popen(["luajit", "bench/sweep.lua"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    held = on_device(make(n, dtype)) if options.cupy else make(n, dtype)
    for text in texts:
        measure(child, kind, n, dtype, held, text)
    child.stdin.close()
    child.wait()


def main():
    makers, kind, sizes, dtypes = {"line": line, "image": image, "ordinary": ordinary}, "", [], []
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), options.table + ".txt")) as file:
        rows = [row.strip() for row in file if row.strip() and row[0] != "#"]
    parts = []
    for row in rows:
        if row.startswith("["):
            kind, sizes, dtypes = (part.split(",") for part in row.strip("[]").split())
            parts.append((kind[0], [int(n) for n in sizes], dtypes, []))
        else:
            parts[-1][3].append(row)
    for kind, sizes, dtypes, texts in parts:
        for n in sizes:
            for dtype in dtypes:
                chosen = [text for text in texts if re.search(options.only, f"{kind}.{n}.{dtype} {text}")]
                if chosen:
                    section(kind, n, dtype, makers[kind], chosen)


main()
