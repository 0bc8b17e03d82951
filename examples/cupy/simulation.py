"""Runs a simulation in CuPy and prints what examples/simulation.lua prints of ours: time a step, of the device and of
the calling thread."""
import sys
import time

import cupy as cp


def run(name, start, step):
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    sync = cp.cuda.Device().synchronize
    state = start(n)
    for _ in range(10):
        step(state)
    sync()
    begin = time.perf_counter()
    for _ in range(10, steps):
        step(state)
    host = time.perf_counter() - begin
    sync()
    total = time.perf_counter() - begin
    turns = max(1, steps - 10)
    print(f"{name}, n = {n}, CuPy {cp.__version__}, {steps} steps: "
          f"{total / turns * 1e3:.4f} ms a step, {host / turns * 1e3:.4f} of the host")
    return state
