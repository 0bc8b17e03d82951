"""CuPy on the keys of bench/keys/{fields,groups}.lua (`--only PATTERN`: those that match): milliseconds between two
CUDA events, medians. Prints `key value` lines; `--json FILE` writes them as one object, anew after each key, so that a
run that is cut short leaves what it has measured."""
import json
import re
import statistics
import sys
import time

import cupy as cp
import cupyx.scipy.ndimage as ndimage
import cupyx.scipy.signal as signal
import cupyx.scipy.special as special
from cupyx.scipy.spatial.distance import cdist

import cases
import groups

def option(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


only, path = option("--only") or "", option("--json")
results = {}


def keep(key, value):
    results[key] = value
    print(f"{key:32s} {value:12.5g}", flush=True)
    if path:
        with open(path, "w") as file:
            json.dump(results, file)


def record(key, f, n=7):
    if not re.search(only, key):
        return
    try:
        for _ in range(3):
            f()
        times = []
        for _ in range(n):
            a, b = cp.cuda.Event(), cp.cuda.Event()
            a.record()
            f()
            b.record()
            b.synchronize()
            times.append(cp.cuda.get_elapsed_time(a, b))
    except Exception as why:
        print(f"{key} - {why}".splitlines()[0], flush=True)
        return
    keep(key, statistics.median(times))


def stencils():
    """A 5-point and a 7-point step with edges that repeat, as ElementwiseKernel: what a user of CuPy writes."""
    five = cp.ElementwiseKernel(
        "raw float32 u, int32 h, int32 w", "float32 v",
        "int y = i / w, x = i % w;"
        "int a = y > 0 ? i - w : i, b = y < h - 1 ? i + w : i, c = x > 0 ? i - 1 : i, d = x < w - 1 ? i + 1 : i;"
        "v = u[i] + 0.1f * (u[a] + u[b] + u[c] + u[d] - 4 * u[i]);", "five")
    u = cases.image(cp, 8192)
    v = cp.empty_like(u)
    record("dev.stencil5", lambda: five(u, 8192, 8192, v))
    seven = cp.ElementwiseKernel(
        "raw float32 u, int32 n", "float32 v",
        "int x = i % n, y = i / n % n, z = i / (n * n), s = n * n;"
        "int a = z > 0 ? i - s : i, b = z < n - 1 ? i + s : i, c = y > 0 ? i - n : i, d = y < n - 1 ? i + n : i;"
        "int e = x > 0 ? i - 1 : i, f = x < n - 1 ? i + 1 : i;"
        "v = u[i] + 0.1f * (u[a] + u[b] + u[c] + u[d] + u[e] + u[f] - 6 * u[i]);", "seven")
    u = cp.arange(512**3, dtype=cp.float32).reshape(512, 512, 512) * cp.float32(1e-6)
    v = cp.empty_like(u)
    record("dev.stencil7", lambda: seven(u, 512, v))


def record_group(key, make, host=False):
    if not re.search(only, key):
        return
    try:
        f = make()
        if not host:
            record(key, f)
            return
        best = 1e9
        for _ in range(25):
            start = time.perf_counter()
            for _ in range(1000):
                f()
            best = min(best, (time.perf_counter() - start) * 1e3)
            cp.cuda.Stream.null.synchronize()
        keep(key, best)
    except Exception as why:
        print(f"{key} - {why}".splitlines()[0], flush=True)


groups.run(cp, cp.random.default_rng(1), record_group, 2**26 + 5, "dev.")
if re.search(only, "dev.stencil5") or re.search(only, "dev.stencil7"):
    stencils()
cases.run(cp, ndimage, signal, cdist, special, record, (4096, 2**22, 4096, 2**27), "dev.")
