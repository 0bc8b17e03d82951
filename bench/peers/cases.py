"""The arrays of bench/keys/fields.lua, for the peers' scripts. `xp` is cupy or numpy."""


def image(xp, n):
    y, x = xp.arange(1, n + 1, dtype=float)[:, None], xp.arange(1, n + 1, dtype=float)[None, :]
    value = xp.sin(x * 12.9898 + y * 78.233) * 43758.5453
    rough = value - xp.floor(value)
    return (xp.sin(x * 0.05) * xp.cos(y * 0.03) * 0.25 + 0.25 + rough * 0.5).astype(xp.float32)


def spread(xp, n):
    return (xp.arange(n) * 40503 % 65536).astype(xp.float32) / 65536


SPECIAL = ["erf", "gammaln", "i0", "j0", "ndtri", "expit", "digamma"]
B = [0.00041655, 0.00166618, 0.00249927, 0.00166618, 0.00041655]
A = [1, -3.18063855, 3.86119435, -2.11215536, 0.43826514]


def run(xp, ndimage, signal, cdist, special, record, sizes, prefix):
    """Calls record(key, f) for each key. `sizes` is the edge of an image, samples, points, arguments."""
    n, samples, points, count = sizes
    u = image(xp, n)
    mask = u > 0.6
    half = xp.arange(1, n + 1, dtype=xp.float32) * 0.98 + 0.37 - 1
    coordinates = xp.stack([xp.broadcast_to(half[:, None], (n, n)), xp.broadcast_to(half, (n, n))])
    record(prefix + "gaussian_filter", lambda: ndimage.gaussian_filter(u, 3))
    record(prefix + "median_filter3", lambda: ndimage.median_filter(u, 3))
    record(prefix + "median_filter5", lambda: ndimage.median_filter(u, 5))
    record(prefix + "uniform_filter15", lambda: ndimage.uniform_filter(u, 15))
    record(prefix + "maximum_filter15", lambda: ndimage.maximum_filter(u, 15))
    record(prefix + "binary_dilation", lambda: ndimage.binary_dilation(mask))
    record(prefix + "label", lambda: ndimage.label(mask)[0])
    record(prefix + "distance_transform_edt", lambda: ndimage.distance_transform_edt(mask))
    record(prefix + "map_coordinates1", lambda: ndimage.map_coordinates(u, coordinates, order=1))
    record(prefix + "map_coordinates3", lambda: ndimage.map_coordinates(u, coordinates, order=3))
    record(prefix + "zoom", lambda: ndimage.zoom(u, 1.5, order=1))
    x = spread(xp, samples).astype(float)
    b, a = xp.array(B), xp.array(A)
    record(prefix + "lfilter", lambda: signal.lfilter(b, a, x))
    record(prefix + "stft", lambda: signal.stft(x, nperseg=1024)[2])
    p = spread(xp, points * 16).reshape(-1, 16)
    record(prefix + "cdist", lambda: cdist(p, p))
    z = spread(xp, count) * xp.float32(0.98) + xp.float32(0.01)
    out = xp.empty_like(z)
    for name in SPECIAL:
        function = getattr(special, name)
        record(prefix + "special_" + name, lambda: function(z, out=out))
