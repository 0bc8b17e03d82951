"""examples/nbody.lua in CuPy. usage: python3 examples/cupy/nbody.py [n] [steps]"""
import cupy as cp
from simulation import run

DT, SOFT = 1e-3, 1e-3


def start(n):
    index = cp.arange(n, dtype=cp.float32)
    angle, radius = index * 2.399963, cp.sqrt((index + 0.5) / n)
    x, y = radius * cp.cos(angle), radius * cp.sin(angle)
    return {"x": x, "y": y, "z": 0.05 * cp.sin(angle * 7), "vx": -y * 0.8, "vy": x * 0.8, "vz": cp.zeros(n, cp.float32),
            "m": cp.full(n, 1 / n, cp.float32)}


def step(s):
    dx, dy, dz = s["x"] - s["x"][:, None], s["y"] - s["y"][:, None], s["z"] - s["z"][:, None]
    squared = dx * dx + dy * dy + dz * dz + SOFT
    pull = s["m"] / (squared * cp.sqrt(squared))
    s["vx"] += (dx * pull).sum(1) * DT
    s["vy"] += (dy * pull).sum(1) * DT
    s["vz"] += (dz * pull).sum(1) * DT
    s["x"] += s["vx"] * DT
    s["y"] += s["vy"] * DT
    s["z"] += s["vz"] * DT


run("n-body", start, step)
