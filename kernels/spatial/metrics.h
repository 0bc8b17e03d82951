/*
** metrics.h: the distances of pairs of vectors, one row each, for C11 and CUDA C++.
** METRIC(name, step, finish)
**   step     adds one component to the sums s, t and u, which begin at 0: x and y are the components, w is the weight
**   finish   the distance: s, t, u and n, the sum of the weights
** p is the parameter of minkowski. T is float or double. MADD(a, b, c) is a * b + c; a GPU rounds it once.
** Who includes this defines METRIC, and T, ABS, SQRT, LOG, POW and MADD where the pieces stand as code.
** lua/moonarray/spatial/distance.lua has the metrics that are one of these after a change of the vectors.
*/
METRIC(euclidean, T d = x - y; s = MADD(w * d, d, s);, SQRT(s))
METRIC(sqeuclidean, T d = x - y; s = MADD(w * d, d, s);, s)
METRIC(cityblock, s += w * ABS(x - y);, s)
METRIC(chebyshev, T d = w > 0 ? ABS(x - y) : 0; s = ((d > s) | (d != d)) ? d : s;, s)
METRIC(minkowski, s += w * POW(ABS(x - y), p);, POW(s, 1 / p))
METRIC(canberra, T d = ABS(x) + ABS(y); T e = w * ABS(x - y) / (d == 0 ? 1 : d); s += e;, s)
METRIC(braycurtis, s += w * ABS(x - y); t += w * ABS(x + y);, s / t)
METRIC(cosine, s = MADD(w * x, y, s); t = MADD(w * x, x, t); u = MADD(w * y, y, u);, 1 - MOST1(s / (SQRT(t) * SQRT(u))))
METRIC(hamming, s += x != y ? w : 0;, s / n)
METRIC(jensenshannon, T m = x + y; T a = x > 0 ? x / m * 2 : 1; T b = y > 0 ? y / m * 2 : 1;
       s += x * LOG(a) + y * LOG(b);, SQRT((s < 0 ? 0 : s) / 2))
METRIC(kl_divergence, T a = x > 0 ? x / y : 1; s += w * (x * LOG(a));, s)
METRIC(hellinger, s += w * SQRT(x * y);, SQRT(s > 1 ? 0 : 1 - s))
METRIC(russellrao, s += ((x != 0) & (y != 0)) ? w : 0;, (n - s) / n)
METRIC(jaccard, s += (x != 0) != (y != 0) ? w : 0; t += ((x != 0) | (y != 0)) ? w : 0;, t == 0 ? 0 : s / t)
METRIC(dice, s += ((x != 0) & (y != 0)) ? w : 0; t += (x != 0) != (y != 0) ? w : 0;, t / (2 * s + t))
METRIC(rogerstanimoto, s += (x != 0) != (y != 0) ? w : 0;, 2 * s / (n + s))
METRIC(sokalsneath, s += ((x != 0) & (y != 0)) ? w : 0; t += (x != 0) != (y != 0) ? w : 0;, 2 * t / (s + 2 * t))
METRIC(yule, s += ((x != 0) & (y != 0)) ? w : 0; t += ((x != 0) & (y == 0)) ? w : 0; u += ((x == 0) & (y != 0)) ? w : 0;
       , (t * u == 0 ? 0 : 2 * t * u / (s * (n - s - t - u) + t * u)))
#undef METRIC
