/* interpolate.h: splines and grids over contiguous float64 arrays. A result whose buffer is NULL is made. */
#ifndef MOONARRAY_OPS_INTERPOLATE_H
#define MOONARRAY_OPS_INTERPOLATE_H

#include "ops/ops.h"
#include "backend/interpolate.h"

#pragma GCC visibility push(hidden)

/* The B-splines of a degree over the knots t, at the points x; nu: the order of the derivative. */
typedef struct ma_spline_of {
  const ma_array *t, *x;
  int64_t degree, nu;
} ma_spline_of;

/* Sums of B-splines. `rows` are the coefficients, float64 or complex128, in at least as many rows as there are
** B-splines. */
ma_status ma_bspline_sums(const ma_spline_of *spline, const ma_array *rows, ma_array *to, ma_stream *stream);
/* The B-splines at each point. `two` becomes the number of the first B-spline that is not 0, and degree + 1 rows of
** values. */
ma_status ma_bspline_basis(const ma_spline_of *spline, ma_array *const *two, ma_stream *stream);
/* The matrix of the B-splines at each point, in bands: row i has the B-splines i + shift - lower .. i + shift + upper,
** counted from 0. */
ma_status ma_bspline_bands(const ma_spline_of *spline, int64_t shift, int64_t lower, int64_t upper, ma_array *to,
                           ma_stream *stream);
/* Values on a grid. `points` has a row for each, with one coordinate for each axis. `rows` are those of the grid, in
** which the last axis is the fastest. `fill` is the value for points outside, or NULL. `outside` is NULL, or becomes
** whether a point is outside. */
ma_status ma_regular_run(const ma_array *points, const ma_array *rows, const ma_array *const *axis, bool nearest,
                         const double *fill, ma_array *to, ma_array *outside, ma_stream *stream);

#pragma GCC visibility pop
#endif
