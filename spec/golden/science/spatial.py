"""Golden values of distances and neighbours, in the form of array/expressions.py: calls in Lua and what SciPy gives
for the same. SciPy's results are float64; where the operands are float32, ours are too."""
import warnings

import cases
import numpy as np
import scipy
from cases import P, f, g, r, strided
from scipy.spatial import distance as d
from scipy.spatial import KDTree, distance_matrix

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


f4, b = "float32", bool
real = "euclidean sqeuclidean cityblock chebyshev canberra braycurtis cosine correlation hamming minkowski".split()
of_bools = "russellrao jaccard dice rogerstanimoto sokalsneath yule hamming".split()

matrices = {
    "f(5, 4)": f(5, 4), "f(3, 4)": f(3, 4), "r(6, 4)": r(6, 4), "strided(3, 4)": strided(3, 4),
    "f(4, 5):transpose()": f(4, 5).T, "g(5, 4)": g(5, 4), "f(7, 4)['::-2']": f(7, 4)[::-2],
}
singles = {"f(5, 4):astype('float32')": f(5, 4).astype(f4), "f(19, 4):astype('float32')": f(19, 4).astype(f4)}

section = "cdist"
for metric in real:
    for a, x in matrices.items():
        for c, y in list(matrices.items())[1:4:2]:
            if metric == "chebyshev" and "g(" in a:
                continue  # SciPy's depends on the order there; ours is NaN
            case("D.cdist(%s, %s, '%s')" % (a, c, metric), d.cdist(x, y, metric))
    for a, x in singles.items():
        for c, y in singles.items():
            case("D.cdist(%s, %s, '%s')" % (a, c, metric), d.cdist(x, y, metric).astype(f4))
    for n, k in ((1, 1), (17, 3), (33, 40)):
        case("D.cdist(f(%d, %d), f(5, %d) + 1, '%s')" % (n, k, k, metric), d.cdist(f(n, k), f(5, k) + 1, metric))
        case("D.cdist(f(2, %d) + 1, f(%d, %d), '%s')" % (k, n, k, metric), d.cdist(f(2, k) + 1, f(n, k), metric))
        case("D.pdist(f(%d, %d), '%s')" % (n, k, metric), d.pdist(f(n, k), metric))
    case("D.cdist(f(5, 4), f(3, 4), '%s', {w = {1, 0.5, 2, 3}})" % metric,
        d.cdist(f(5, 4), f(3, 4), metric, w=np.array([1, 0.5, 2, 3])))
    case("D.pdist(f(5, 4), '%s', {w = {1, 0.5, 0, 3}})" % metric,
        d.pdist(f(5, 4), metric, w=np.array([1, 0.5, 0, 3])))
for metric in of_bools:
    for x, a in ((r(9, 7) > 3, "r(9, 7):gt(3)"), (r(4, 7) == 1, "r(4, 7):eq(1)"), (r(4, 7) > 99, "r(4, 7):gt(99)")):
        for y, c in ((r(5, 7) > 0, "r(5, 7):gt(0)"), (r(5, 7) < -9, "r(5, 7):lt(-9)")):
            case("D.cdist(%s, %s, '%s')" % (a, c, metric), d.cdist(x, y, metric))
            case("D.cdist(%s, %s, '%s', {w = {1, 2, 3, 4, 5, 0.5, 0.25}})" % (a, c, metric),
                d.cdist(x, y, metric, w=np.array([1, 2, 3, 4, 5, 0.5, 0.25])))
        case("D.pdist(%s, '%s')" % (a, metric), d.pdist(x, metric))
for p in (0.5, 1, 1.5, 2, 3, np.inf):
    lua = "ma.inf" if p == np.inf else str(p)
    case("D.cdist(f(5, 4), f(3, 4), 'minkowski', {p = %s})" % lua, d.cdist(f(5, 4), f(3, 4), "minkowski", p=p))
    case("D.pdist(f(5, 4), 'minkowski', {p = %s})" % lua, d.pdist(f(5, 4), "minkowski", p=p))
    case("D.cdist(f(5, 4), f(3, 4), 'minkowski', {p = %s, w = {1, 0.5, 2, 3}})" % lua,
        d.cdist(f(5, 4), f(3, 4), "minkowski", p=p, w=np.array([1, 0.5, 2, 3])))
    if p >= 1:
        case("ma.spatial.distance_matrix(f(5, 4), f(3, 4), %s)" % lua, distance_matrix(f(5, 4), f(3, 4), p))
        case("D.distance_matrix(r(5, 4), f(3, 4), {p = %s})" % lua, distance_matrix(r(5, 4), f(3, 4), p))
positive = r(6, 5) + 3
for x, a in ((positive, "(r(6, 5) + 3)"), (positive + 0.5, "(r(6, 5) + 3.5)")):
    case("D.cdist(%s, %s, 'jensenshannon')" % (a, a), d.cdist(x, x, "jensenshannon"))
    case("D.pdist(%s, 'js', {base = 2})" % a, d.pdist(x, "jensenshannon") / np.sqrt(np.log(2)))
q = positive / positive.sum(1, keepdims=True)
lua_q = "((r(6, 5) + 3) / (r(6, 5) + 3):sum(2, {keepdims = true}))"
case("D.cdist(%s, %s, 'hellinger'):round(6)" % (lua_q, lua_q),
    np.round(np.sqrt(np.maximum(1 - np.sqrt(q[:, None] * q[None]).sum(-1), 0)), 6))
with np.errstate(all="ignore"):
    case("D.cdist(%s, %s, 'kl_divergence')" % (lua_q, lua_q),
        np.where(q[:, None] > 0, q[:, None] * np.log(np.where(q[:, None] > 0, q[:, None] / q[None], 1)), 0).sum(-1))
case("D.cdist(f(9, 3), f(4, 3), 'seuclidean')", d.cdist(f(9, 3), f(4, 3), "seuclidean"))
case("D.cdist(f(9, 3), f(4, 3), 'seuclidean', {V = {1, 2, 0.5}})", d.cdist(f(9, 3), f(4, 3), "seuclidean",
    V=np.array([1, 2, 0.5])))
case("D.pdist(f(9, 3), 'seuclidean')", d.pdist(f(9, 3), "seuclidean"))
section = "mahalanobis"
case("D.cdist(f(9, 3), f(4, 3) ^ 2, 'mahalanobis')", d.cdist(f(9, 3), f(4, 3)**2, "mahalanobis"))
case("D.pdist(f(9, 3), 'mahalanobis')", d.pdist(f(9, 3), "mahalanobis"))
case("D.cdist(f(9, 3), f(4, 3), 'mahalanobis', {VI = {{2, 1, 0}, {1, 3, 0}, {0, 0, 1}}})",
    d.cdist(f(9, 3), f(4, 3), "mahalanobis", VI=np.array([[2, 1, 0], [1, 3, 0], [0, 0, 1.]])))

section = "shape"
case("D.cdist(ma.zeros({0, 3}), f(4, 3))", d.cdist(np.zeros((0, 3)), f(4, 3)))
case("D.cdist(f(4, 3), ma.zeros({0, 3}), 'cosine')", d.cdist(f(4, 3), np.zeros((0, 3)), "cosine"))
case("D.pdist(f(1, 3))", d.pdist(f(1, 3)))
case("D.pdist(f(2, 3))", d.pdist(f(2, 3)))
for n in (2, 3, 4, 9):
    size = n * (n - 1) // 2
    case("D.squareform(f(%d))" % size, d.squareform(f(size)))
    case("D.squareform(r(%d):astype('int32'))" % size, d.squareform(r(size).astype("int32")))
    case("D.squareform(D.squareform(f(%d)))" % size, f(size))
    case("D.squareform(f(%d, %d), {checks = false})" % (n, n), d.squareform(f(n, n), checks=False))
case("D.squareform(f(3), 'tomatrix')", d.squareform(f(3), "tomatrix"))
case("D.squareform(ma.zeros({1, 1}))", d.squareform(np.zeros((1, 1))))

section = "two"
u, v = f(6), r(6)[::-1]
for metric in real:
    more = {"minkowski": "ma.spatial.distance.minkowski(f(6), r(6)['::-1'], 3)"}.get(metric,
        "D.%s(f(6), r(6)['::-1'])" % metric)
    case(more, np.float64(d.minkowski(u, v, 3) if metric == "minkowski" else getattr(d, metric)(u, v)))
    if metric != "minkowski":
        case("D.%s(f(6), r(6)['::-1'], {w = {1, 2, 1, 2, 1, 0.5}})" % metric,
            np.float64(getattr(d, metric)(u, v, w=np.array([1, 2, 1, 2, 1, 0.5]))))
for metric in of_bools:
    case("D.%s(r(6):gt(0), r(6)['::-1']:gt(0))" % metric, np.float64(getattr(d, metric)(r(6) > 0, v > 0)))
case("D.jensenshannon({1, 2, 3}, {2, 2, 0}, 2)", np.float64(d.jensenshannon([1., 2, 3], [2., 2, 0], 2)))
case("D.seuclidean({1, 2, 3}, {2, 2, 0}, {1, 2, 4})", np.float64(d.seuclidean([1., 2, 3], [2., 2, 0], [1., 2, 4])))
case("D.mahalanobis({1, 2}, {2, 0}, {{2, 1}, {1, 3}})",
    np.float64(d.mahalanobis([1., 2], [2., 0], np.array([[2, 1], [1, 3.]]))))

section = "tree"
for n, m in ((1, 2), (7, 3), (8, 1), (9, 3), (150, 3), (60, 12), (300, 2)):
    tree, at = KDTree(P(n, m)), P(n + 20, m)[-7:] * 1.3
    make, points = "ma.spatial.KDTree(P(%d, %d))" % (n, m), "(P(%d, %d)[{{-7, -1}, {}}] * 1.3)" % (n + 20, m)
    for p in (2, 1, 3, np.inf):
        lua = "ma.inf" if p == np.inf else str(p)
        if p == 1 and m < 3:
            continue  # many of these points are equally far
        for k in (1, 3, 64):
            if k < n and (k < 64 or p == 2) or k == 3:
                dist, place = tree.query(at, k, p=p)
                case("%s:query(%s, %d, {p = %s})" % (make, points, k, lua), dist, place + 1)
        dist, place = tree.query(at, 4, p=p, distance_upper_bound=0.3)
        case("%s:query(%s, {k = 4, p = %s, distance_upper_bound = 0.3})" % (make, points, lua), dist, place + 1)
        radius = 0.25 if m < 5 else 1.2
        found = tree.query_ball_point(at, radius, p=p, return_sorted=True)
        case("ma.concatenate(%s:query_ball_point(%s, %s, %s))" % (make, points, radius, lua),
            np.concatenate([np.array(v, dtype=np.int64) for v in found]) + 1)
        case("%s:query_ball_point(%s, %s, %s, {return_length = true})" % (make, points, radius, lua),
            tree.query_ball_point(at, radius, p=p, return_length=True))
        case("%s:count_neighbors(ma.spatial.KDTree(%s), {0.1, %s}, %s)" % (make, points, radius, lua),
            tree.count_neighbors(KDTree(at), [0.1, radius], p=p))
    dist, place = tree.query(at, [1, 3])
    case("%s:query(%s, {1, 3})" % (make, points), dist, place + 1)
    dist, place = tree.query(at[0], 2)
    case("%s:query(%s[1], 2)" % (make, points), dist, place + 1)
    case("%s:query_ball_point(%s[1], 0.4)" % (make, points), np.array(tree.query_ball_point(at[0], 0.4,
        return_sorted=True), dtype=np.int64) + 1)
    case("%s:query_ball_point(%s, ma.range(1, 7) / 7, {return_length = true})" % (make, points),
        tree.query_ball_point(at, np.arange(1, 8) / 7, return_length=True))
    case("pairs_sorted(%s:query_pairs(0.2))" % make, np.array(sorted(tree.query_pairs(0.2)), np.int64).reshape(-1,
        2) + 1)

print("# made by spatial.py with NumPy %s and SciPy %s" % (np.__version__, scipy.__version__))
print("\n".join(lines))
