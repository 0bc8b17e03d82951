/*
** regular.h: the place of MA_LANES points on an axis of a grid, as C11 and as CUDA C++; bspline.h is before this text.
*/
#ifndef MOONARRAY_REGULAR_H
#define MOONARRAY_REGULAR_H

#ifndef __cplusplus
#include "kernels/interpolate/bspline.h"
#endif

/* Finds the interval in which a point lies among the n >= 1 positions x of an axis: its lower end, from 0, and how far
** the point lies in it. Points outside belong to the outer intervals. `flags` is a sum: 1 for a point outside, 2 for
** NaN. */
MA_FN void ma_regular_place(const double *__restrict__ x, int64_t n, const double *__restrict__ point,
                            int64_t *__restrict__ place, double *__restrict__ part, int *__restrict__ flags) {
  const double first = x[0], last = x[n - 1];
  MA_EACH_LANE {
    flags[i_] |= (point[i_] < first) | (point[i_] > last) | (point[i_] != point[i_]) << 1;
    place[i_] = 0;
    part[i_] = 0;
  }
  if (n == 1) return;
  ma_count_below(x, n, point, place);
  MA_EACH_LANE {
    int64_t k = place[i_] > n - 1 ? n - 1 : place[i_];
    k = k < 1 ? 0 : k - 1;
    place[i_] = k;
    part[i_] = (point[i_] - x[k]) / (x[k + 1] - x[k]);
  }
}

#endif
