"""examples/reaction_diffusion.lua in CuPy. usage: python3 examples/cupy/reaction_diffusion.py [n] [steps]"""
import cupy as cp
from simulation import run

FEED, KILL = 0.037, 0.06


def start(n):
    u, v = cp.ones((n, n), cp.float32), cp.zeros((n, n), cp.float32)
    for k in range(1, 21):
        row, column = 1 + k * 7919 % (n - 10), 1 + k * 104729 % (n - 10)
        u[row:row + 8, column:column + 8] = 0.5
        v[row:row + 8, column:column + 8] = 0.25
    return {"u": u, "v": v}


def laplacian(a):
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - a[1:-1, 1:-1] * 4


def step(s):
    u, v = s["u"][1:-1, 1:-1], s["v"][1:-1, 1:-1]
    reaction = u * v * v
    du = laplacian(s["u"]) * 0.21 - reaction + (1 - u) * FEED
    dv = laplacian(s["v"]) * 0.105 + reaction - v * (FEED + KILL)
    u += du
    v += dv


run("reaction-diffusion", start, step)
