"""NumPy on the keys of keys/groups.lua: milliseconds of a call (host.*: microseconds), the least of many rounds, since
the machine may be shared. Prints `key value` lines; `--json FILE` writes them as one object, `--only TEXT` takes the
keys that match."""
import json
import math
import re
import sys
import time

import numpy as np

import groups

results = {}
only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""


def record(key, make, host=False):
    if not re.search(only, key):
        return
    f = make()

    def timed(calls):
        start = time.perf_counter()
        for _ in range(calls):
            f()
        return (time.perf_counter() - start) * 1e3

    calls = 1
    timed(1)
    while timed(calls) < 1:
        calls *= 4
    best, finish, rounds = math.inf, time.perf_counter() + 0.25, 0
    while time.perf_counter() < finish or rounds < 5:
        best, rounds = min(best, timed(calls) / calls), rounds + 1
    results[key] = best * 1e3 if host else best
    print(f"{key:32s} {results[key]:12.5g}", flush=True)


groups.run(np, np.random.default_rng(1), record, 4000037, "cpu.")
if "--json" in sys.argv:
    with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
        json.dump(results, file)
