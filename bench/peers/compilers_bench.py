"""Compilers of array programs on the keys of keys/compilers.lua: jax.jit (XLA), torch.compile (Triton), numexpr.
usage: compilers_bench.py jax|torch|numexpr|numpy [PATTERN] [--json FILE] [--seconds N] [--each N]
MOONARRAY_DEVICE=cuda|cpu is the device (cuda for torch if there is one). Prints `key value` lines: large sizes in
milliseconds, small ones (host.*) in microseconds of the calling thread, KEY.first the milliseconds that the first call,
which compiles, takes longer than a later one. After N seconds no further key is begun, and a key is given up that has
not ended after so many for `each` (60). --json FILE writes them anew after each key, and values.KEY, a list of some
results, which the runner compares with ours. numpy has the steps of twenty operations alone, as PyTorch without its
compiler has."""
import json
import os
import re
import signal
import statistics
import sys
import time

import numpy as np


def option(name):
    if name not in sys.argv:
        return None
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


FILE, SECONDS, EACH = option("--json"), float(option("--seconds") or 1e9), int(option("--each") or 60)
PEER, PATTERN = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
ON_GPU = PEER in ("jax", "torch") and os.environ.get("MOONARRAY_DEVICE", "cuda") == "cuda"
PREFIX, HOST = ("dev.", "host.") if ON_GPU else ("cpu.", "cpu.host.")
RESULTS, START, LOOPS = {}, time.perf_counter(), 32

if PEER == "jax":
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("JAX_PLATFORMS", "cuda" if ON_GPU else "cpu")
    os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")
    # Products of float32 are cuBLAS's: to try Triton's beside it takes longer than all that is measured.
    os.environ.setdefault("XLA_FLAGS", "--xla_gpu_enable_triton_gemm=false")
    import jax
    import jax.numpy as jnp
elif PEER == "torch":
    import torch
    DEVICE = "cuda" if ON_GPU else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = False
elif PEER == "numexpr":
    import numexpr as ne


def evaluate(text, **names):
    """numexpr's, with numbers as float32."""
    given = {name: np.float32(a) if isinstance(a, (int, float)) else a for name, a in names.items()}
    return ne.evaluate(text, given)


# ==== What the peers have in common ====

def put(a):
    if PEER == "jax":
        return jnp.asarray(a)
    return torch.from_numpy(a).to(DEVICE) if PEER == "torch" else a


def compiled(f, **options):
    if PEER == "jax":
        return jax.jit(f)
    return torch.compile(f, dynamic=False, **options) if PEER == "torch" else f


def wait(results):
    if PEER == "jax":
        jax.block_until_ready(results)
    elif PEER == "torch" and ON_GPU:
        torch.cuda.synchronize()


def uniform(n, seed):
    return ((np.arange(n, dtype=np.int64) * 40503 + seed) % 65536).astype(np.float32) / np.float32(65536)


def matrix(rows, columns, seed):
    return uniform(rows * columns, seed).reshape(rows, columns)


def values(results):
    """For each array its mean and sixteen of its elements."""
    out = []
    for a in results if isinstance(results, (list, tuple)) else [results]:
        a = np.asarray(a.detach().cpu() if PEER == "torch" else a).astype(np.float64).reshape(-1)
        out.append(float(a.mean()))
        if a.size > 1:
            out += [float(a[k * (a.size - 1) // 15]) for k in range(16)]
    return out


# ==== Measuring ====

def small(f):
    """Microseconds for a call, the least of many rounds. On a GPU the device is waited for outside of the time."""
    calls = 8

    def once():
        start = time.perf_counter()
        for _ in range(calls):
            results = f()
        if not ON_GPU:
            wait(results)
        took = time.perf_counter() - start
        wait(results)
        return took

    while once() < 5e-3 and calls < 1000:
        calls *= 2
    best, rounds, finish = 1e9, 0, time.perf_counter() + 0.4
    while time.perf_counter() < finish or rounds < 5:
        best, rounds = min(best, once()), rounds + 1
    return best / calls * 1e6


def large(f):
    """Milliseconds for a call: the least of a quarter of a second on a CPU, a median between two events on a GPU. JAX
    has no events: there eight calls are timed together, until the last of them is done."""
    if PEER == "torch" and ON_GPU:
        times = []
        for _ in range(18):
            a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            a.record()
            f()
            b.record()
            b.synchronize()
            times.append(a.elapsed_time(b))
        return statistics.median(times[3:])
    calls = 8 if ON_GPU else 1
    best, rounds, finish = [], 0, time.perf_counter() + 0.25
    while time.perf_counter() < finish or rounds < 5:
        start = time.perf_counter()
        for _ in range(calls):
            results = f()
        wait(results)
        best.append((time.perf_counter() - start) / calls * 1e3)
        rounds += 1
    return statistics.median(best) if ON_GPU else min(best)


def seconds(f):
    start = time.perf_counter()
    results = f()
    wait(results)
    return time.perf_counter() - start, results


def write():
    if FILE:
        with open(FILE, "w", encoding="utf-8") as file:
            json.dump(RESULTS, file)


def late(*_):
    raise TimeoutError(f"not done after {EACH} s")


signal.signal(signal.SIGALRM, late)


def record(key, how, make, *size):
    if not re.search(PATTERN, key):
        return
    if time.perf_counter() - START > SECONDS:
        print(f"# {key}: no time is left", file=sys.stderr)
        return
    signal.alarm(EACH)
    try:
        f = make(*size)
        first, results = seconds(f)
        RESULTS["values." + key] = values(results)
        later, _ = seconds(f)
        if how is large:
            RESULTS[key + ".first"] = max(0, first - later) * 1e3
            print(f"{key + '.first':32s} {RESULTS[key + '.first']:12.5g}", flush=True)
        for _ in range(3):
            wait(f())
        RESULTS[key] = how(f)
        print(f"{key:32s} {RESULTS[key]:12.5g}", flush=True)
    except Exception as why:  # a program that this peer does not have, or cannot compile
        print(f"# {key}: {type(why).__name__}: {(str(why).splitlines() or [''])[0]}", file=sys.stderr)
    finally:
        signal.alarm(0)
        write()


class Absent(Exception):
    """The peer has no such program."""


def program(name, gpu, cpu, little):
    """A decorator: the function makes, of a size, what is measured."""
    def take(make):
        record(f"{PREFIX}fused.{name}", large, make, *(gpu if ON_GPU else cpu))
        record(f"{HOST}fused.{name}", small, make, *little)
        return make
    return take if PEER != "numpy" else lambda make: make


ROWS = ((16384, 4096), (2048, 2048), (32, 64))


@program("softmax", *ROWS)
def softmax(rows, columns):
    x = put(matrix(rows, columns, 0) * 8 - 4)
    if PEER == "numexpr":
        def f():
            top = x.max(1, keepdims=True)
            e = evaluate("exp(x - top)", x=x, top=top)
            return evaluate("e / s", e=e, s=e.sum(1, keepdims=True))
        return f
    f = compiled((lambda a: jax.nn.softmax(a, axis=1)) if PEER == "jax" else lambda a: torch.softmax(a, 1))
    return lambda: f(x)


@program("layer_norm", *ROWS)
def layer_norm(rows, columns):
    x, gain, bias = put(matrix(rows, columns, 0)), put(uniform(columns, 1)), put(uniform(columns, 2))
    if PEER == "numexpr":
        def f():
            mean = x.mean(1, keepdims=True)
            d = evaluate("x - mean", x=x, mean=mean)
            scale = np.sqrt(evaluate("sum(d * d, axis=1)", d=d) / np.float32(columns) + np.float32(1e-5))
            return evaluate("d / scale * gain + bias", d=d, scale=scale[:, None], gain=gain, bias=bias)
        return f

    def norm(a, g, b):
        if PEER == "torch":
            return torch.nn.functional.layer_norm(a, (columns,), g, b, 1e-5)
        return (a - a.mean(1, keepdims=True)) * jax.lax.rsqrt(a.var(1, keepdims=True) + 1e-5) * g + b

    f = compiled(norm)
    return lambda: f(x, gain, bias)


@program("logsumexp", *ROWS)
def logsumexp(rows, columns):
    x = put(matrix(rows, columns, 0) * 8 - 4)
    if PEER == "numexpr":
        def f():
            top = x.max(1, keepdims=True)
            return np.log(evaluate("sum(exp(x - top), axis=1)", x=x, top=top)) + top[:, 0]
        return f
    f = compiled((lambda a: jax.nn.logsumexp(a, axis=1)) if PEER == "jax" else lambda a: torch.logsumexp(a, 1))
    return lambda: f(x)


# ==== Elements ====

@program("gelu", (2**26,), (2**22,), (1000,))
def gelu(n):
    x = put(uniform(n, 0) * 8 - 4)
    if PEER == "numexpr":
        numbers = {"half": 0.5, "one": 1, "c": 0.7978845608, "k": 0.044715}
        return lambda: evaluate("half * x * (one + tanh(c * (x + k * x * x * x)))", x=x, **numbers)
    if PEER == "jax":
        f = jax.jit(lambda a: jax.nn.gelu(a, approximate=True))
    else:
        f = compiled(lambda a: torch.nn.functional.gelu(a, approximate="tanh"))
    return lambda: f(x)


#: The normal distribution by Abramowitz and Stegun's 26.2.17, for numexpr, which has no error function.
TAIL = ("where(d > zero, one, zero) - where(d > zero, one, -one) * c0 * exp(-half * d * d) * "
        "(w * (c1 + w * (c2 + w * (c3 + w * (c4 + w * c5)))))")


def black_scholes_numexpr(s, k, t, rate, volatility):
    numbers = {"one": 1, "zero": 0, "half": 0.5, "r": rate, "drift": rate + volatility**2 / 2, "vol": volatility,
               "c": 0.2316419, "c0": 0.3989422804, "c1": 0.319381530, "c2": -0.356563782, "c3": 1.781477937,
               "c4": -1.821255978, "c5": 1.330274429}

    def normal(d):
        return evaluate(TAIL, d=d, w=evaluate("one / (one + c * abs(d))", d=d, **numbers), **numbers)

    def f():
        d1 = evaluate("(log(s / k) + drift * t) / (vol * sqrt(t))", s=s, k=k, t=t, **numbers)
        n1, n2 = normal(d1), normal(evaluate("d1 - vol * sqrt(t)", d1=d1, t=t, **numbers))
        present = evaluate("k * exp(-r * t)", k=k, t=t, **numbers)
        call = evaluate("s * n1 - present * n2", s=s, n1=n1, n2=n2, present=present)
        return call, evaluate("call - s + present", call=call, s=s, present=present)
    return f


@program("black_scholes", (2**25,), (2**20,), (1000,))
def black_scholes(n):
    s, k = put(uniform(n, 0) * 100 + 50), put(uniform(n, 1) * 100 + 50)
    t, rate, volatility = put(uniform(n, 2) * 2 + np.float32(0.25)), 0.02, 0.3
    if PEER == "numexpr":
        return black_scholes_numexpr(s, k, t, rate, volatility)
    xp, ndtr = (jnp, jax.scipy.special.ndtr) if PEER == "jax" else (torch, torch.special.ndtr)

    def price(spot, strike, years):
        spread = volatility * xp.sqrt(years)
        d1 = (xp.log(spot / strike) + (rate + volatility**2 / 2) * years) / spread
        present = strike * xp.exp(-rate * years)
        call = spot * ndtr(d1) - present * ndtr(d1 - spread)
        return call, call - spot + present

    f = compiled(price)
    return lambda: f(s, k, t)


@program("mandelbrot", (4096,), (512,), (32,))
def mandelbrot(n):
    line = np.arange(n, dtype=np.float32) * np.float32(3 / n)
    cx, cy = put((line - 2).reshape(1, n)), put((line - np.float32(1.5)).reshape(n, 1))
    if PEER == "numexpr":
        numbers = {"two": 2, "four": 4, "one": 1, "zero": 0}

        def f():
            x = y = k = np.zeros((n, n), np.float32)
            for _ in range(LOOPS):
                here = {"x": x, "y": y, "inside": evaluate("x * x + y * y < four", x=x, y=y, **numbers), **numbers}
                k = evaluate("k + where(inside, one, zero)", k=k, **here)
                x = evaluate("where(inside, x * x - y * y + cx, x)", cx=cx, **here)
                y = evaluate("where(inside, two * x * y + cy, y)", cy=cy, **here)
            return k
        return f

    def once(a, b, x, y, k):
        xp = jnp if PEER == "jax" else torch
        inside = x * x + y * y < 4
        x, y = xp.where(inside, x * x - y * y + a, x), xp.where(inside, 2 * x * y + b, y)
        return x, y, k + inside

    def escape(a, b):
        x = a + 0 * b
        x = y = k = x - x
        if PEER == "jax":
            return jax.lax.fori_loop(0, LOOPS, lambda _, s: once(a, b, *s), (x, y, k))[2]
        for _ in range(LOOPS):
            x, y, k = once(a, b, x, y, k)
        return k

    f = compiled(escape)
    return lambda: f(cx, cy)


# ==== Grids ====

GRIDS = ((4096,), (1024,), (64,))


@program("gray_scott", *GRIDS)
def gray_scott(n):
    u, v = put(matrix(n, n, 0)), put(matrix(n, n, 1) / 2)
    if PEER == "numexpr":
        raise Absent("neighbours around the edge")

    def around(a):
        if PEER == "jax":
            return jnp.roll(a, 1, 0) + jnp.roll(a, -1, 0) + jnp.roll(a, 1, 1) + jnp.roll(a, -1, 1) - 4 * a
        return torch.roll(a, 1, 0) + torch.roll(a, -1, 0) + torch.roll(a, 1, 1) + torch.roll(a, -1, 1) - 4 * a

    def step(a, b):
        reaction = a * b * b
        return a + 0.21 * around(a) - reaction + 0.037 * (1 - a), b + 0.105 * around(b) + reaction - 0.097 * b

    f = compiled(step)
    return lambda: f(u, v)


@program("heat", *GRIDS)
def heat(n):
    u = put(matrix(n, n, 0))

    def flow(a):
        return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]

    if PEER == "numexpr":
        near = dict(zip("cnswe", (u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:])))

        def f():
            out = u.copy()
            out[1:-1, 1:-1] = evaluate("c + fifth * (n + s + w + e - four * c)", fifth=0.2, four=4, **near)
            return out
        return f

    def step(a):
        if PEER == "jax":
            return a.at[1:-1, 1:-1].add(0.2 * flow(a))
        return torch.nn.functional.pad(a[1:-1, 1:-1] + 0.2 * flow(a), (1, 1, 1, 1)) + a * edge

    if PEER == "torch":
        edge = torch.ones_like(u)
        edge[1:-1, 1:-1] = 0
    f = compiled(step)
    return lambda: f(u)


# ==== Pairs ====

@program("kmeans", (2**18, 16, 64), (2**14, 16, 64), (64, 4, 8))
def kmeans(n, d, k):
    points, centres = put(matrix(n, d, 0)), put(matrix(k, d, 1))
    if PEER == "numexpr":
        p, c = points[:, None, :], centres[None]
        return lambda: evaluate("sum((p - c) ** 2, axis=2)", p=p, c=c).argmin(1)
    f = compiled(lambda p, c: ((p[:, None, :] - c[None]) ** 2).sum(2).argmin(1))
    return lambda: f(points, centres)


@program("nbody", (16384,), (2048,), (64,))
def nbody(n):
    x, y, z, m = put(uniform(n, 0)), put(uniform(n, 1)), put(uniform(n, 2)), put(uniform(n, 3) / np.float32(n))
    if PEER == "numexpr":
        def g():
            dx, dy, dz = (evaluate("a - b", a=a[None], b=a[:, None]) for a in (x, y, z))
            squared = evaluate("dx * dx + dy * dy + dz * dz + soft", dx=dx, dy=dy, dz=dz, soft=1e-3)
            pull = evaluate("m / (squared * sqrt(squared))", m=m, squared=squared)
            return tuple(evaluate("sum(d * pull, axis=1)", d=d, pull=pull) for d in (dx, dy, dz))
        return g

    def forces(a, b, c, mass):
        dx, dy, dz = a - a[:, None], b - b[:, None], c - c[:, None]
        squared = dx * dx + dy * dy + dz * dz + 1e-3
        pull = mass / (squared * (jnp.sqrt if PEER == "jax" else torch.sqrt)(squared))
        return (dx * pull).sum(1), (dy * pull).sum(1), (dz * pull).sum(1)

    f = compiled(forces)
    return lambda: f(x, y, z, m)


# ==== Training ====

def mlp_jax(x, labels, start):
    def loss(p):
        y = jnp.maximum(x @ p[0] + p[1], 0) @ p[2] + p[3]
        return (jax.nn.logsumexp(y, axis=1) - (y * labels).sum(1)).mean()

    def step(state):
        p, m, v, t = state
        value, g = jax.value_and_grad(loss)(p)
        t = t + 1
        m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
        v = [0.999 * a + 0.001 * b * b for a, b in zip(v, g)]
        up, down = 1 / (1 - 0.9**t), 1 / (1 - 0.999**t)
        p = [a - 1e-3 * (b * up) / (jnp.sqrt(c * down) + 1e-8) for a, b, c in zip(p, m, v)]
        return value, (p, m, v, t)

    jitted = jax.jit(step, donate_argnums=0)
    zeros = [jnp.zeros_like(a) for a in start]
    state = [(start, zeros, [jnp.zeros_like(a) for a in start], jnp.float32(0))]

    def once():
        value, state[0] = jitted(state[0])
        return value
    return once


def mlp_torch(x, labels, start, **options):
    params = [torch.nn.Parameter(a) for a in start]
    adam = torch.optim.Adam(params, lr=1e-3, fused=ON_GPU, capturable=ON_GPU)
    classes = labels.argmax(1)

    def entropy(w1, b1, w2, b2):
        return torch.nn.functional.cross_entropy(torch.relu(x @ w1 + b1) @ w2 + b2, classes)

    loss = compiled(entropy, **options)

    def once():
        adam.zero_grad(set_to_none=True)
        value = loss(*params)
        value.backward()
        adam.step()
        return value
    return once


NETWORKS = ((256, 784, 512), (256, 784, 128), (16, 16, 32))


@program("mlp", *NETWORKS)
def mlp(batch, inputs, hidden, **options):
    if PEER == "numexpr":
        raise Absent("derivatives")
    x, labels = put(matrix(batch, inputs, 0)), put(np.eye(10, dtype=np.float32)[np.arange(batch) % 10])
    start = [put(a) for a in ((matrix(inputs, hidden, 1) - np.float32(0.5)) * np.float32(0.1),
                              np.zeros(hidden, np.float32),
                              (matrix(hidden, 10, 2) - np.float32(0.5)) * np.float32(0.1), np.zeros(10, np.float32))]
    once = mlp_jax(x, labels, start) if PEER == "jax" else mlp_torch(x, labels, start, **options)
    # The first call that is looked at is three steps, whose losses are the values.
    calls = []

    def f():
        calls.append(1)
        return [once(), once(), once()] if len(calls) == 1 else once()
    return f


@program("mlp_graph", *NETWORKS)
def mlp_graph(*size):
    if PEER == "torch" and not ON_GPU:
        raise Absent("graphs")
    return mlp(*size, **({"mode": "reduce-overhead"} if PEER == "torch" else {}))


# ==== A step of twenty operations on small arrays ====

def twenty(x, v, target):
    xp = {"jax": lambda: jnp, "torch": lambda: torch}.get(PEER, lambda: np)()
    d = target - x
    f = d / xp.sqrt(d * d + 0.01) * 0.5
    f = f - v * 0.1
    f = f + xp.sin(x * 2) * 0.05
    v = v + f * 0.01
    v = xp.clip(v, -1, 1) if PEER != "torch" else torch.clamp(v, -1, 1)
    x = x + v * 0.01
    return x - xp.floor(x), v


def stepping(step):
    def make(n):
        state, target = [put(uniform(n, 0)), put(uniform(n, 1) - np.float32(0.5))], put(uniform(n, 2))

        def f():
            state[:] = step(*state, target)
            return tuple(state)
        return f
    return make


def replayed(n):
    """A CUDA graph of PyTorch's operations."""
    x, v, target = put(uniform(n, 0)), put(uniform(n, 1) - np.float32(0.5)), put(uniform(n, 2))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        twenty(x, v, target)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        a, b = twenty(x, v, target)
        x.copy_(a)
        v.copy_(b)

    def f():
        graph.replay()
        return x, v
    return f


for size in (64, 512, 4096):
    if PEER in ("torch", "numpy"):
        record(f"{HOST}step20_{size}", small, stepping(twenty), size)
    if PEER in ("torch", "jax"):
        record(f"{HOST}step20_fuse_{size}", small, stepping(compiled(twenty)), size)
    if PEER == "torch" and ON_GPU:
        record(f"{HOST}step20_graph_{size}", small, replayed, size)
