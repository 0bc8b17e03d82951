"""examples/heat.lua in CuPy. usage: python3 examples/cupy/heat.py [n] [steps]"""
import math

import cupy as cp
from simulation import run


def start(n):
    x = cp.linspace(0, 1, n, dtype=cp.float32)
    y = x.reshape(n, 1)
    conductivity = 0.15 + 0.1 * cp.sin(x * 40) * cp.sin(y * 30)
    source = 0.5 * cp.exp(-((x - 0.6) ** 2 + (y - 0.5) ** 2) * 200)
    return {"u": cp.zeros((n, n), cp.float32), "k": conductivity[1:-1, 1:-1].copy(), "q": source[1:-1, 1:-1].copy(),
        "t": 0}


def step(s):
    u = s["u"]
    s["t"] += 1
    u[0] = 50 + 50 * math.sin(s["t"] / 40)
    inside = u[1:-1, 1:-1]
    flow = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - inside * 4
    inside[...] = inside + flow * s["k"] + s["q"] - (inside - 10) * 0.0005


run("heat", start, step)
