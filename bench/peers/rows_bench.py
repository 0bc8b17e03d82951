"""CuPy, PyTorch or NumPy on the keys of keys/rows.lua. usage: rows_bench.py cupy|torch|numpy [PATTERN] [--json FILE]
Prints `key value` lines: milliseconds, medians; on a GPU between two CUDA events. --json FILE writes them as one
object."""
import json
import re
import statistics
import sys
import time

FILE = None
if "--json" in sys.argv:
    FILE = sys.argv[sys.argv.index("--json") + 1]
    del sys.argv[sys.argv.index("--json"):]
PEER, PATTERN = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
RESULTS = {}
ON_GPU = PEER != "numpy"

if PEER == "torch":
    import torch
    import torch.nn.functional as functional
elif PEER == "cupy":
    import cupy as xp
else:
    import numpy as xp


def events():
    module = torch.cuda.Event(enable_timing=True) if PEER == "torch" else xp.cuda.Event()
    return module


def timed(f):
    if not ON_GPU:
        start = time.perf_counter()
        f()
        return (time.perf_counter() - start) * 1e3
    a, b = events(), events()
    a.record()
    f()
    b.record()
    b.synchronize()
    return a.elapsed_time(b) if PEER == "torch" else xp.cuda.get_elapsed_time(a, b)


def record(key, f, n=15):
    key = ("dev." if ON_GPU else "cpu.") + key
    if not re.search(PATTERN, key):
        return
    for _ in range(3):
        f()
    RESULTS[key] = statistics.median(timed(f) for _ in range(n))
    print(f"{key:32s} {RESULTS[key]:12.5g}", flush=True)


def spread(n):
    if PEER == "torch":
        x = torch.arange(n, device="cuda") * 40503 % 65536
        return (x.to(torch.float32) / 65536 - 0.5) * 8
    return ((xp.arange(n) * 40503 % 65536).astype(xp.float32) / 65536 - 0.5) * 8


def softmax(x, axis=1):
    e = xp.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def standardised(x):
    if PEER == "torch":
        return (x - x.mean(0)) / x.std(0, correction=0)
    return (x - x.mean(0)) / x.std(0)


def log_softmax(x):
    d = x - x.max(1, keepdims=True)
    return d - xp.log(xp.exp(d).sum(1, keepdims=True))


def layer_norm(x):
    return (x - x.mean(1, keepdims=True)) / xp.sqrt(x.var(1, keepdims=True) + xp.float32(1e-5))


def softmax_by_hand(x):
    e = torch.exp(x - x.amax(1, keepdim=True))
    return e / e.sum(1, keepdim=True)


SHAPES = [(8192, 8192), (16384, 4096), (65536, 1000), (1000000, 70), (64, 16384), (3001, 513),
          (2000003, 33)] if ON_GPU else [
    (2048, 2048), (4096, 1000), (60000, 70), (16, 100000), (1001, 513), (200003, 33)]
for rows, columns in SHAPES:
    x = spread(rows * columns).reshape(rows, columns)
    suffix = f"_{rows}x{columns}"
    if PEER == "torch":
        record("softmax" + suffix, lambda: torch.softmax(x, 1))
        record("softmax_by_hand" + suffix, lambda: softmax_by_hand(x))
        record("log_softmax" + suffix, lambda: torch.log_softmax(x, 1))
        record("layer_norm" + suffix, lambda: functional.layer_norm(x, (columns,)))
    else:
        record("softmax" + suffix, lambda: softmax(x))
        record("log_softmax" + suffix, lambda: log_softmax(x))
        record("layer_norm" + suffix, lambda: layer_norm(x))

TALL = [(8192, 8192), (1024, 65536), (3001, 5003), (70, 1000000), (16384, 4096), (1000000, 70)] if ON_GPU else [
    (2048, 2048), (316, 316), (70, 60000), (100000, 16)]
for rows, columns in TALL:
    x = spread(rows * columns).reshape(rows, columns)
    suffix = f"_down_{rows}x{columns}"
    record("softmax" + suffix, (lambda: torch.softmax(x, 0)) if PEER == "torch" else lambda: softmax(x, 0))
    record("standardised" + suffix, lambda: standardised(x))

a = spread(2**27 if ON_GPU else 2**22)
record("ptp", lambda: a.max() - a.min())
record("mean_std", lambda: (a.mean(), a.std()))
record("min_max_mean_std", lambda: (a.min(), a.max(), a.mean(), a.std()))

if FILE:
    with open(FILE, "w", encoding="utf-8") as f:
        json.dump(RESULTS, f)
