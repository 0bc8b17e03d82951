"""Golden results of indexing, from NumPy.

A record: shape  items  result shape  sum(result[k] * k)  sum(a[k] * k) after a[items] = 0, 1, 2 ...
The array is 1, 2, 3 ... in C order; k counts from 1 in C order. Items are joined by ';', positions count from 1:
p3 a position, r2:5:1 a range, * a whole axis, ... the rest, _ a new axis, i2x3|1,2,3,4,5,6 positions, m4|0110 a mask.
Picked places are distinct, so that what is stored does not depend on an order.
"""
import numpy as np

rng = np.random.default_rng(20)


def pick_position(n):
    i = int(rng.integers(n))
    return (i, f"p{i + 1}") if rng.random() < 0.5 else (i - n, f"p{i - n}")


def pick_range(n):
    lo, hi = sorted(int(v) for v in rng.integers(0, n, 2))
    step = int(rng.integers(1, 4))
    if rng.random() < 0.4:
        return slice(hi, None if lo == 0 else lo - 1, -step), f"r{hi + 1}:{lo + 1}:{-step}"
    return slice(lo, hi + 1, step), f"r{lo + 1}:{hi - n}:{step}"


def text_of(values, one):
    return "x".join(map(str, values.shape)) + "|" + ",".join(str(int(v) + (1 if v >= 0 else 0) * one)
        for v in values.ravel())


def case():
    shape = tuple(int(v) for v in rng.integers(1, 6, rng.integers(1, 5)))
    items, texts, d, rest = [], [], 0, False
    block = [(), (2,), (3,), (2, 1), (1, 3), (2, 3)][rng.integers(6)]
    arrays = rng.random() < 0.75
    while d < len(shape):
        n, r = shape[d], rng.random()
        if arrays and r < 0.4:
            if rng.random() < 0.35:
                k = int(rng.integers(1, min(3, len(shape) - d) + 1))
                mask = rng.random(shape[d:d + k]) < 0.5
                if block != () and any(t[0] in "im" for t in texts):   # masks and arrays broadcast only by luck
                    continue
                block = None
                items.append(mask)
                texts.append("m" + "x".join(map(str, mask.shape)) + "|" + "".join("01"[int(v)] for v in mask.ravel()))
                d += k
                arrays = False
                continue
            if block is None:
                break
            size = int(np.prod(block))
            if size > n and any(t[0] == "i" for t in texts) is False and len(shape) - d < 2:
                items.append(slice(None)); texts.append("*"); d += 1
                continue
            index = rng.integers(-n, n, block)
            items.append(index)
            texts.append("i" + text_of(index, 1))
            d += 1
        elif r < 0.55:
            i, t = pick_position(n)
            items.append(i); texts.append(t); d += 1
        elif r < 0.75:
            s, t = pick_range(n)
            items.append(s); texts.append(t); d += 1
        elif r < 0.85:
            items.append(slice(None)); texts.append("*"); d += 1
        elif r < 0.92 and not rest:
            items.append(Ellipsis); texts.append("..."); rest = True
            d += int(rng.integers(0, len(shape) - d + 1))
        elif r < 0.97:
            items.append(None); texts.append("_")
        else:
            break
    if rest and d < len(shape):        # the rest would take other axes than the items were made for
        return shape, (), []
    return shape, tuple(items), texts


seen = 0
while seen < 200:
    shape, items, texts = case()
    a = np.arange(1, np.prod(shape) + 1).reshape(shape)
    if not texts:
        continue
    try:
        got = a[items]
    except IndexError:
        continue
    if np.ndim(got) == 0 and not any(t[0] in "im_." for t in texts) or np.ndim(got) > 8:
        continue
    if np.unique(got).size != np.size(got):      # a place picked twice
        continue
    weights = np.arange(1, np.size(got) + 1)
    stored = a.copy()
    stored[items] = np.arange(np.size(got)).reshape(np.shape(got))
    total = (stored.ravel() * np.arange(1, a.size + 1)).sum()
    print("x".join(map(str, shape)), ";".join(texts), "x".join(map(str, np.shape(got))) or "()",
          int((np.ravel(got) * weights).sum()), int(total))
    seen += 1
