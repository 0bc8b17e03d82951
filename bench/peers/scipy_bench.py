"""SciPy on the keys of bench/keys/fields.lua: milliseconds of a call, medians. Prints `key value` lines; `--json FILE`
writes them as one object."""
import json
import statistics
import sys
import time

import numpy as np
import scipy.ndimage as ndimage
import scipy.signal as signal
import scipy.special as special
from scipy.spatial.distance import cdist

import cases

results = {}


def record(key, f, n=5):
    f()
    times = []
    for _ in range(n):
        start = time.perf_counter()
        f()
        times.append((time.perf_counter() - start) * 1e3)
    results[key] = statistics.median(times)
    print(f"{key:32s} {results[key]:12.5g}", flush=True)


cases.run(np, ndimage, signal, cdist, special, record, (1024, 2**20, 1024, 2**21), "cpu.")
if "--json" in sys.argv:
    with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
        json.dump(results, file)
