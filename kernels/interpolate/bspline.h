/*
** bspline.h: B-splines at MA_LANES points at once, as C11 and as CUDA C++. Positions count from 0. The degree + 1
** B-splines that are not 0 at a point have the numbers cell - degree .. cell. `cell` is the knot in front of the point:
** t[cell] <= x < t[cell + 1] for points inside the range where all B-splines are defined.
*/
#ifndef MOONARRAY_BSPLINE_H
#define MOONARRAY_BSPLINE_H

#ifndef __cplusplus
#include "kernels/scalar.h"
#endif

#define MA_EACH_LANE for (int i_ = 0; i_ < MA_LANES; i_++)

/* Counts, for each lane, how many of the n ascending positions `at` are not above x; for NaN it is all of them. All
** lanes take the same steps. */
MA_FN void ma_count_below(const double *__restrict__ at, int64_t n, const double *__restrict__ x,
                          int64_t *__restrict__ below) {
  MA_EACH_LANE below[i_] = 0;
  for (int64_t size = n; size > 0;) {
    int64_t half = size / 2, step = size - half;
    MA_EACH_LANE below[i_] += -(int64_t) !(at[below[i_] + half] > x[i_]) & step;
    size = half;
  }
}

/* The cells of points in a spline of n B-splines. The last cell has a width, except for degree 0, where the last
** B-spline may be only that of the last knot. */
MA_FN void ma_bspline_cells(const double *t, int64_t n, int degree, const double *x, int64_t *cell) {
  int64_t last = n;
  while (degree > 0 && last > degree + 1 && t[last - 1] == t[last]) last--;
  ma_count_below(t, n + degree + 1, x, cell);
  MA_EACH_LANE {
    int64_t c = cell[i_] > last ? last : cell[i_];
    cell[i_] = (c < degree + 1 ? degree + 1 : c) - 1;
  }
}

/* h[r] = the value of B-spline cell - degree + r, or of its nu-th derivative: de Boor's recurrence. */
MA_FN void ma_bspline_values(const double *__restrict__ t, int degree, int nu, const int64_t *__restrict__ cell,
                             const double *__restrict__ x, double (*__restrict__ h)[MA_LANES]) {
  double carried[MA_LANES] = { 0 };
  MA_EACH_LANE h[0][i_] = 1;
  for (int d = 1; d <= degree; d++) {
    for (int r = 1; r <= d; r++) MA_EACH_LANE {
        double high = t[cell[i_] + r], low = t[cell[i_] + r - d], width = high - low;
        double part = width > 0 ? h[r - 1][i_] / width : 0, before = carried[i_], left, right;
        if (d > degree - nu) {
          left = part * -d;
          right = part * d;
        } else {
          left = part * (high - x[i_]);
          right = part * (x[i_] - low);
        }
        h[r - 1][i_] = r > 1 ? before + left : left;
        carried[i_] = right;
      }
    MA_EACH_LANE h[d][i_] = carried[i_];
  }
  if (nu > degree)
    for (int r = 0; r <= degree; r++) MA_EACH_LANE h[r][i_] *= 0;
}

#endif
