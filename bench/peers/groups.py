"""The keys of bench/keys/groups.lua for NumPy and CuPy. `xp` is numpy or cupy."""
import math
import os
import tempfile


def sizes(large):
    return [("small", 1000), ("middle", 100003), ("large", large)]


def run(xp, rng, record, large, prefix):
    """Calls record(key, make) for each key and size: make() gives the function that is measured."""
    gpu = prefix == "dev."

    def uniform(n, dtype="float32"):
        return rng.random(int(n), dtype=dtype)

    def whole(n, high, dtype="int64"):
        return (uniform(n, "float64") * high).astype(dtype)

    def group(name, make):
        for size, n in sizes(large):
            record(f"{prefix}{name}.{size}", lambda: make(n))

    def bincount(n, places):
        where, weights = whole(n, places), uniform(n, "float64")
        return lambda: xp.bincount(where, weights)

    group("bincount_weights", lambda n: bincount(n, 1000))
    group("bincount_weights_many", lambda n: bincount(n, n))

    def at(n, name):
        places, values, into = whole(n, max(100, n / 64)), uniform(n), xp.zeros(n, "float32")
        function = getattr(xp, name).at
        return lambda: function(into, places, values)

    for name in ("add", "minimum"):
        group(name + "_at", lambda n: at(n, name))

    def scatter(n):
        places, values, into = rng.permutation(n), uniform(n), xp.zeros(n, "float32")

        def f():
            into[places] = values
        return f

    group("scatter", scatter)

    def lookup(n):
        places, entries = whole(n, 256, "uint8"), uniform(256)
        return lambda: entries[places]

    group("lookup", lookup)

    def masked(n):
        a, mask = uniform(n), xp.arange(n) // 100 % 3 == 0
        return lambda: a[mask]

    group("mask_clustered", masked)

    def isin(n):
        a, few = whole(n, 1000), xp.array([3, 70, 512, 900])
        return lambda: xp.isin(a, few)

    group("isin_few", isin)

    def isin_many(n):
        a, many = whole(n, n), whole(max(10, n // 40), n)
        return lambda: xp.isin(a, many)

    group("isin_many", isin_many)

    def histogram2d(n):
        a, b = uniform(n), uniform(n)
        return lambda: xp.histogram2d(a, b, 50)

    group("histogram2d", histogram2d)

    def run_lengths(n):
        a = whole(n, 100) // 20

        def f():
            ends = xp.flatnonzero(a[1:] != a[:-1])
            return xp.diff(xp.concatenate((ends, xp.array([n - 1]))))
        return f

    group("run_lengths", run_lengths)

    def largest(a, k):
        """The k largest of each row with their positions, sorted."""
        places = xp.argpartition(a, a.shape[-1] - k, -1)[..., -k:]
        order = xp.argsort(-xp.take_along_axis(a, places, -1), -1)
        places = xp.take_along_axis(places, order, -1)
        return xp.take_along_axis(a, places, -1), places

    def unary(make, function):
        def f(n):
            a = make(n)
            return lambda: function(a)
        return f

    group("topk_rows", unary(lambda n: uniform(n // 1000 * 1000).reshape(-1, 1000), lambda a: largest(a, 10)))
    group("topk", unary(uniform, lambda a: largest(a, 10)))
    group("partition", unary(uniform, lambda a: xp.partition(a, a.size // 2 - 1)))
    group("argpartition", unary(uniform, lambda a: xp.argpartition(a, a.size // 2 - 1)))
    group("median", unary(uniform, xp.median))
    group("sort_sorted", unary(lambda n: xp.arange(n, dtype="float32"), xp.sort))
    group("sort_reversed", unary(lambda n: n - xp.arange(n, dtype="float64"), xp.sort))
    group("argsort_sorted", unary(lambda n: xp.arange(n, dtype="float64"), xp.argsort))

    group("permutation", lambda n: lambda: rng.permutation(n))
    group("integers", lambda n: lambda: rng.integers(0, 1000, n))
    if hasattr(rng, "choice"):
        group("choice", lambda n: lambda: rng.choice(1000, n))
    group("exponential", lambda n: lambda: rng.exponential(1, n))
    group("poisson", lambda n: lambda: rng.poisson(5, n))
    group("gamma", lambda n: lambda: rng.gamma(2, 1, n))

    def poisson_rates(n):
        rates = uniform(n, "float64") * 20
        return lambda: rng.poisson(rates)

    group("poisson_rates", poisson_rates)
    group("normal_scaled", lambda n: lambda: rng.standard_normal(n, dtype="float32") * xp.float32(3) + xp.float32(2))
    group("mean_drawn", lambda n: lambda: (rng.random(n, dtype="float32") ** 2 + xp.float32(1)).mean())
    group("dropout", unary(uniform, lambda x: x * (rng.random(x.size, dtype="float32") < 0.8)))

    def parts(n, count):
        return [uniform(n // count) for _ in range(count)]

    group("concatenate100", unary(lambda n: parts(n, 100), xp.concatenate))
    group("stack16", unary(lambda n: parts(n, 16), lambda a: xp.stack(a, 1)))

    def square(n):
        rows = int(math.sqrt(n))
        return uniform(rows * rows).reshape(rows, rows)

    group("roll", unary(uniform, lambda a: xp.roll(a, a.size // 3)))
    group("roll_axis", unary(square, lambda a: xp.roll(a, 3, 1)))
    group("repeat", unary(lambda n: uniform(n // 4), lambda a: xp.repeat(a, 4)))
    group("strided_copy", unary(lambda n: square(n)[1:-1, 1:-1], lambda a: a.get() if gpu else a.copy()))

    for dtype in ("uint8", "float32"):
        group("transposed_" + dtype, unary(lambda n, dtype=dtype: (square(n) * 100).astype(dtype).T,
                                           xp.ascontiguousarray))

    def points(n, width):
        return uniform(n // width * width).reshape(-1, width)

    def points_move(n):
        p, move = points(n, 3), uniform(3)
        return lambda: p + move

    def points_scale(n):
        p = points(n, 3)
        scale = uniform(len(p)).reshape(-1, 1)
        return lambda: p * scale

    def points_differ(n):
        side = int(math.sqrt(n / 2))
        a, b = uniform(side * 2).reshape(side, 1, 2), uniform(side * 2).reshape(1, side, 2)
        return lambda: a - b

    group("points_move", points_move)
    group("points_scale", points_scale)
    group("points_taken", unary(lambda n: points(n, 8)[:, 2:5], lambda a: a + xp.float32(1)))
    group("points_differ", points_differ)

    def save(n):
        a, path = uniform(n), os.path.join(tempfile.mkdtemp(), "a.npy")
        return lambda: xp.save(path, a)

    def load(n):
        path = os.path.join(tempfile.mkdtemp(), "a.npy")
        xp.save(path, uniform(n))
        return lambda: xp.load(path)

    group("npy_save", save)
    group("npy_load", load)

    def npz_deflated(n):
        path = os.path.join(tempfile.mkdtemp(), "a.npz")
        xp.savez_compressed(path, a=uniform(n))
        return lambda: xp.load(path)["a"]

    def array_nested(n):
        rows = min(n, 1000003) // 10
        values = uniform(rows * 10, "float64").reshape(rows, 10).tolist()
        return lambda: xp.array(values)

    group("npz_deflated", npz_deflated)
    group("array_nested", array_nested)
    group("sum_transposed", unary(lambda n: square(n).T, lambda a: (a.sum(0), a.sum(1))))

    def cube(n):
        rows = int(n ** (1 / 3))
        return uniform(rows ** 3).reshape(rows, rows, rows)

    group("sum_middle", unary(cube, lambda a: a.sum(1)))
    group("max_columns", unary(lambda n: uniform(n // 10 * 10).reshape(-1, 10), lambda a: a.max(0)))
    group("dot", unary(lambda n: (uniform(n), uniform(n)), lambda p: xp.dot(*p)))
    group("norm", unary(uniform, xp.linalg.norm))

    def pairwise(n):
        points = int(math.sqrt(n))
        x, y = uniform(points * 3).reshape(points, 1, 3), uniform(points * 3).reshape(1, points, 3)
        return lambda: ((x - y) ** 2).sum(2)

    group("pairwise", pairwise)

    def rows_of(n, components, dtype="float32"):
        count = max(2, int(math.sqrt(n / components)))
        return [rng.random((count, components), dtype=dtype) for _ in range(2)]

    def by_product(x, y):
        return xp.maximum((x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * (x @ y.T), 0)

    def pairs(components, f, dtype="float32"):
        def make(n):
            x, y = rows_of(n, components(n) if callable(components) else components, dtype)
            return lambda: f(x, y)
        return make

    for dtype, suffix in (("float32", ""), ("float64", "_f64")):
        group("pair_distances" + suffix, pairs(64, lambda x, y: ((x[:, None] - y) ** 2).sum(2), dtype))
        group("inner_products" + suffix, pairs(64, lambda x, y: x @ y.T, dtype))
    group("inner_products_long", pairs(lambda n: 2048 if n > 1e6 else 512, lambda x, y: x @ y.T))
    group("pair_maxima", pairs(32, lambda x, y: xp.abs(x[:, None] - y).max(2)))

    def kmeans(n):
        points, centres = rng.random((int(n) // 512, 16), dtype="float32"), rng.random((32, 16), dtype="float32")
        return lambda: by_product(points, centres).argmin(1)

    group("kmeans_assign", kmeans)

    def nbody(n):
        x, y, z, m = (uniform(int(math.sqrt(n))) for _ in range(4))

        def f():
            dx, dy, dz = x[:, None] - x, y[:, None] - y, z[:, None] - z
            return (m[:, None] * m / xp.sqrt(dx * dx + dy * dy + dz * dz + xp.float32(1e-4))).sum()
        return f

    group("nbody_energy", nbody)
    for method in ("exact", "matmul"):
        group("sqdist_" + method, pairs(64, by_product))

    knots = xp.linspace(0, 10, 1000)
    values = xp.sin(knots)
    group("interp_smooth", unary(lambda n: xp.linspace(0, 10, n), lambda x: xp.interp(x, knots, values)))
    group("interp_random", unary(lambda n: uniform(n, "float64") * 10, lambda x: xp.interp(x, knots, values)))
    group("log_subnormal", unary(lambda n: uniform(n) * xp.float32(1e-39), xp.log))
    group("exp_inf", unary(lambda n: xp.full(n, -math.inf, "float32"), xp.exp))
    group("exp_inf_f64", unary(lambda n: xp.full(n, -math.inf, "float64"), xp.exp))

    if gpu:
        import cupyx.scipy.interpolate as interpolate
        import cupyx.scipy.linalg as linalg
    else:
        import scipy.interpolate as interpolate
        import scipy.linalg as linalg

    def triangles(n):
        count = max(10, min(n, 4000037) // 200)
        points, at = uniform(count * 2, "float64").reshape(count, 2), uniform(count * 2, "float64").reshape(count, 2)
        values = uniform(count, "float64")
        return lambda: interpolate.LinearNDInterpolator(points, values)(at)

    group("triangles", triangles)

    def mandelbrot(n):
        c = ((uniform(n) * 3 - 2) + 1j * (uniform(n) * 2 - 1)).astype("complex64")

        def f():
            z, steps = c, xp.zeros(n, "int32")
            for _ in range(10):
                inside = z.real ** 2 + z.imag ** 2 < 4
                z, steps = xp.where(inside, z * z + c, z), steps + inside
            return steps
        return f

    group("mandelbrot", mandelbrot)

    def quaternions(n):
        w, a, b, c, x, y, z = [uniform(n // 8) for _ in range(7)]

        def f():
            p, q, r = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
            return x + w * p + (b * r - c * q), y + w * q + (c * p - a * r), z + w * r + (a * q - b * p)
        return f

    group("quaternions", quaternions)

    def rays(n):
        ox, oy, oz, dx, dy, dz = [uniform(n // 12) - xp.float32(0.5) for _ in range(6)]

        def f():
            near, which = xp.full(n // 12, math.inf, "float32"), xp.zeros(n // 12, "int32")
            for k in range(1, 13):
                x, y, z = ox - k * 0.07, oy + k * 0.05, oz - k * 0.03
                b, c = x * dx + y * dy + z * dz, x * x + y * y + z * z - 0.04
                inside = b * b - c
                t = -b - xp.sqrt(xp.maximum(inside, 0))
                hit = (inside > 0) & (t > 1e-4) & (t < near)
                near, which = xp.where(hit, t, near), xp.where(hit, k, which)
            return near, which
        return f

    group("rays", rays)

    def batch(n, rows):
        count = max(1, n // (rows * rows))
        x = uniform(count * rows * rows, "float64").reshape(count, rows, rows)
        return xp.matmul(x, x.swapaxes(1, 2)) + xp.eye(rows) * rows

    for rows in (4, 16):
        def solve(n):
            p = batch(n, rows)
            right = uniform(p.shape[0] * rows, "float64").reshape(-1, rows, 1)
            return lambda: xp.linalg.solve(p, right)

        group(f"solve_batch{rows}", solve)
        group(f"cholesky_batch{rows}", unary(lambda n: batch(n, rows), xp.linalg.cholesky))
        group(f"inv_batch{rows}", unary(lambda n: batch(n, rows), xp.linalg.inv))
        group(f"eigh_batch{rows}", unary(lambda n: batch(n, rows), xp.linalg.eigh))

    group("cholesky_batch32", unary(lambda n: batch(n, 32), xp.linalg.cholesky))

    def expm(n):
        rows = min(math.isqrt(int(n)), 512)
        a = uniform(rows * rows, "float64").reshape(rows, rows) * (10 / rows)
        return lambda: linalg.expm(a)

    def lstsq(n):
        a, b = uniform(n // 16 * 16, "float64").reshape(-1, 16), uniform(n // 16, "float64")
        return lambda: xp.linalg.lstsq(a, b, rcond=None)

    def product(*shapes, dtype):
        a, b = [uniform(i * j, dtype).reshape(i, j) for i, j in shapes]
        return lambda: a @ b

    group("expm", expm)
    group("lstsq", lstsq)
    group("matmul_thin", lambda n: product((n // 8, 8), (8, 8), dtype="float32"))
    group("matmul_long", lambda n: product((32, n // 32), (n // 32, 16), dtype="float64"))
    group("outer", unary(lambda n: [uniform(math.isqrt(int(n)), "float64") for _ in range(2)], lambda p: xp.outer(*p)))

    def matmul_of(dtype):
        def matmul(n):
            rows = min(math.isqrt(int(n)), 2048 if gpu else 512)
            x = whole(rows * rows, 100, dtype).reshape(rows, rows)
            return lambda: x @ x
        return matmul

    for dtype in ("int8", "int32", "int64"):
        group("matmul_" + dtype, matmul_of(dtype))

    def laplace(n):
        rows = 64 if n == 1000 else int(math.sqrt(n))
        u = uniform(rows * rows, "float64").reshape(rows, rows)

        def f():
            inside = u[1:-1, 1:-1]
            u[1:-1, 1:-1] = inside + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inside)
        return f

    group("laplace", laplace)
    group("operators", unary(lambda n: (uniform(n, "float64"), uniform(n, "float64")), lambda p: p[0] + p[1]))

    x, y = xp.array([1.0, 2, 3]), xp.array([4.0, 5, 6])

    def write():
        x[1] = 1.5

    host = prefix + "host."
    record(host + "add3", lambda: lambda: x + y, True)
    record(host + "array3", lambda: lambda: xp.array([1.0, 2, 3]), True)
    record(host + "cast1", lambda: lambda: x.astype("float32"), True)
    record(host + "write1", lambda: write, True)
    record(host + "read1", lambda: (lambda: x[1].item()) if gpu else lambda: x[1], True)
    record(host + "sum3", lambda: lambda: x.sum(), True)
    record(host + "max3", lambda: lambda: x.max().item(), True)
