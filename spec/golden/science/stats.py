"""Golden values of ma.stats, in the form of array/expressions.py: calls in Lua and what SciPy gives for the same."""
import warnings

import cases
import numpy as np
import scipy
from cases import f, g, r, strided
from scipy import stats

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


f4 = "float32"
values = {
    "f(7)": f(7), "f(6, 5)": f(6, 5), "r(4, 3, 5)": r(4, 3, 5), "strided(5, 4)": strided(5, 4), "g(9, 4)": g(9, 4),
    "f(6, 5):transpose()": f(6, 5).T, "f(6, 5):astype('float32')": f(6, 5).astype(f4), "r(7):eq(4)": r(7) == 4,
    "f(8)['::-1']": f(8)[::-1], "r(3, 8):astype('int8')": r(3, 8).astype("int8"), "ma.full({3, 2}, 0.1)": np.full((3,
        2), 0.1),
}


def axes(x):
    return [("", 0), (", {axis = 'none'}", None)] + [(", {axis = %d}" % (d + 1), d) for d in range(1, x.ndim)]


section = "scores"
for a, x in values.items():
    for lua, axis in axes(x):
        case("S.zscore(%s%s)" % (a, lua), stats.zscore(x * 1.0 if x.dtype == bool else x, axis=axis))
        case("S.trim_mean(%s, 0.2%s)" % (a, lua), stats.trim_mean(x * 1.0 if x.dtype != np.float32 else x, 0.2,
            axis=axis))
    case("S.zscore(%s, 1, 1)" % a, stats.zscore(x * 1.0 if x.dtype == bool else x, axis=0, ddof=1))
    case("S.zscore(%s, {nan_policy = 'omit'})" % a,
        stats.zscore(x * 1.0 if x.dtype == bool else x, axis=0, nan_policy="omit"))
    case("S.trim_mean(%s, 0)" % a, stats.trim_mean(x * 1.0 if x.dtype != np.float32 else x, 0))
case("S.zmap(f(3, 5), f(6, 5))", stats.zmap(f(3, 5), f(6, 5)))
case("S.zmap(f(6, 2), f(6, 5), 2, 1)", stats.zmap(f(6, 2), f(6, 5), 1, 1))
case("S.zmap(f(3, 5), r(7), 'none')", stats.zmap(f(3, 5), r(7), None))
case("S.zmap(f(3, 4), g(9, 4), {nan_policy = 'omit'})", stats.zmap(f(3, 4), g(9, 4), nan_policy="omit"))
for lmb in (0, 1, 0.5, -2, 3):
    case("S.boxcox_llf(%s, r(9) + 4)" % lmb, stats.boxcox_llf(lmb, r(9) + 4.))
    case("S.boxcox_llf(%s, r(9, 4) + 4)" % lmb, stats.boxcox_llf(lmb, r(9, 4) + 4.))
    case("S.boxcox_llf(%s, r(9, 4) + 4, {axis = 2})" % lmb, stats.boxcox_llf(lmb, r(9, 4) + 4., axis=1))

section = "entropy"
positive = {"(r(8) + 3)": r(8) + 3., "(r(5, 4) + 4)": r(5, 4) + 4., "(r(5, 4) + 3)": r(5, 4) + 3.,
    "(f(5, 4) + 1):astype('float32')": (f(5, 4) + 1).astype(f4), "g(9, 4) + 1": g(9, 4) + 1, "f(5, 4)": f(5, 4)}
for a, x in positive.items():
    for lua, axis in axes(x):
        if axis is not None:
            case("S.entropy(%s%s)" % (a, lua), stats.entropy(x, axis=axis))
            case("S.entropy(%s, %s['::-1']%s)" % (a, "(" + a + ")", lua), stats.entropy(x, x[::-1], axis=axis))
    case("S.entropy(%s, {base = 2, keepdims = true})" % a, stats.entropy(x, base=2, keepdims=True))
case("S.entropy(r(5, 4) + 4, {4, 3, 2, 1}, {axis = 2})", stats.entropy(r(5, 4) + 4., np.array([[4., 3, 2, 1]]), axis=1))

section = "ranks"
for a, x in values.items():
    x = x * 1 if x.dtype == bool else x
    for method in ("average", "min", "max", "dense", "ordinal"):
        case("S.rankdata(%s, '%s')" % (a, method), stats.rankdata(x, method))
        for axis in range(x.ndim):
            case("S.rankdata(%s, '%s', {axis = %d})" % (a, method, axis + 1), stats.rankdata(x, method, axis=axis))
    case("S.rankdata(%s, {nan_policy = 'omit'})" % a, stats.rankdata(x, nan_policy="omit"))

section = "correlation"
for n in (3, 4, 9, 60):
    for side in ("two-sided", "less", "greater"):
        x, y = f(n), (r(n) * r(n) % 7)
        lua = "f(%d), (r(%d) * r(%d)) %% 7, {alternative = '%s'}" % (n, n, n, side)
        p = stats.pearsonr(x, y, alternative=side)
        case("S.pearsonr(%s)" % lua, p.statistic, p.pvalue)
        p = stats.spearmanr(x, y, alternative=side)
        case("S.spearmanr(%s)" % lua, p.statistic, p.pvalue)
p = stats.pearsonr(f(6, 5), f(6, 5)[::-1]**2, axis=0)
case("S.pearsonr(f(6, 5), f(6, 5)['::-1'] ^ 2)", p.statistic, p.pvalue)
p = stats.pearsonr(f(6, 5), f(6, 5)[::-1]**2, axis=1)
case("S.pearsonr(f(6, 5), f(6, 5)['::-1'] ^ 2, {axis = 2})", p.statistic, p.pvalue)
p = stats.spearmanr(f(9, 4)**2)
case("S.spearmanr(f(9, 4) ^ 2)", p.statistic, p.pvalue)
p = stats.spearmanr(f(4, 9)**2, axis=1)
case("S.spearmanr(f(4, 9) ^ 2, {axis = 2})", p.statistic, p.pvalue)
p = stats.spearmanr(f(9, 2), f(9, 2)[::-1])
case("S.spearmanr(f(9, 2), f(9, 2)['::-1'])", p.statistic, p.pvalue)

section = "kde"
data = {"f(7)": f(7), "f(2, 9) ^ 2": f(2, 9)**2, "f(40) ^ 2": f(40)**2, "f(3, 20) ^ 2": f(3, 20)**2}
for a, x in data.items():
    d, n = np.atleast_2d(x).shape
    at = f(d, 5)
    for lua, method in (("", None), (", 'silverman'", "silverman"), (", 0.7", 0.7)):
        k = stats.gaussian_kde(x, method)
        make = "S.gaussian_kde(%s%s)" % (a, lua)
        case("%s(f(%d, 5))" % (make, d), k(at))
        case("%s:logpdf(f(%d, 5) * 20)" % (make, d), k.logpdf(at * 20))
        case("%s.covariance" % make, k.covariance)
    w = np.arange(n) % 3 + 1
    k = stats.gaussian_kde(x, weights=w)
    make = "S.gaussian_kde(%s, {weights = ma.arange(%d) %% 3 + 1})" % (a, n)
    case("%s:pdf(f(%d, 5))" % (make, d), k.pdf(at))
    case("%s.covariance" % make, k.covariance)
    case("ma.asarray(%s.neff)" % make, np.float64(k.neff))
    case("%s:integrate_gaussian(f(%d), ma.eye(%d) * 2)" % (make, d, d), k.integrate_gaussian(f(d), np.eye(d) * 2))
    case("%s:integrate_kde(S.gaussian_kde(%s))" % (make, a), k.integrate_kde(stats.gaussian_kde(x)))
k = stats.gaussian_kde(f(7).astype(f4))
case("S.gaussian_kde(f(7):astype('float32'))(f(4)):astype('float64'):round(5)", np.round(k(f(4)), 5))

print("# made by stats.py with NumPy %s and SciPy %s" % (np.__version__, scipy.__version__))
print("\n".join(lines))
