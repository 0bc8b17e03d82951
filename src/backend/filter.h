/* filter.h: filters and interpolation of images: the types that cross to a backend. kernels/ndimage/edge.h has the
** rules beyond the edges, kernels/ndimage/spline.h the splines. Images are contiguous, in C order, and have at least
** one element; a result overlaps no image. `compute` is the dtype of the arithmetic. */
#ifndef MOONARRAY_FILTER_H
#define MOONARRAY_FILTER_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_FILTER_MOST_TAPS (1 << 20) /* places in a window */

/* What is made of the elements of a window. */
typedef enum ma_filter_op {
  MA_FILTER_CORRELATE, /* the sum of weight times element */
  MA_FILTER_MIN,       /* the least of element plus weight */
  MA_FILTER_MAX,       /* the greatest */
  MA_FILTER_RANK,      /* the element of that rank; NaN is the greatest */
  MA_FILTER_MEAN       /* of lines alone */
} ma_filter_op;

/* Each element of the result is made of the image's elements at fixed distances. */
typedef struct ma_window {
  ma_filter_op op;
  ma_dtype from_dtype, to_dtype;
  ma_dtype compute; /* CORRELATE: float32, float64; others also int64, uint64 */
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  int ntap;
  const int32_t *offset; /* host memory: ndim distances for each tap */
  const double *weight;  /* host memory: one for each tap; NULL: none */
  /* The taps k and ntap - 1 - k have the same weight (1) or opposite ones (-1), and the sum is SciPy's: the middle,
  ** then pairs from the outermost on. 0: nothing is known, and the sum is in the order of the taps. */
  int symmetry;
  int64_t rank; /* from 0 */
  uint8_t mode[MA_MAX_NDIM];
  double cval;
  const void *from;
  void *to;
} ma_window;

/* MIN, MAX or MEAN of `size` neighbours along the middle one of three axes, `before` of them in front of the element,
** in a time that does not depend on size. */
typedef struct ma_line_filter {
  ma_filter_op op;
  ma_dtype from_dtype, to_dtype, compute; /* MEAN: float64 */
  int64_t outer, n, inner, size, before;
  int mode;
  double cval;
  const void *from;
  void *to;
} ma_line_filter;

/* Replaces the elements along the middle axis by the coefficients of a spline through them. */
typedef struct ma_spline_filter {
  ma_dtype dtype; /* float32 or float64 */
  int64_t outer, n, inner;
  int order; /* 2 to 5 */
  int mode;  /* MIRROR, REFLECT or WRAP */
  void *data;
} ma_spline_filter;

#define MA_TRANSFORM_MOST_AXES 8
/* Each element of the result is a spline's value at a place of the image. */
typedef struct ma_transform {
  ma_dtype from_dtype; /* float32 or float64, which is also that of sums */
  ma_dtype to_dtype;
  int ndim, out_ndim;
  int64_t shape[MA_TRANSFORM_MOST_AXES], out_shape[MA_TRANSFORM_MOST_AXES]; /* of the image; of the result */
  int order; /* 0 to 5; the image has the coefficients of a spline of this order */
  int mode;
  double cval;
  double pad; /* elements that were put before and behind the image along each axis */
  /* The place of a result: coordinates, ndim values for each, counted from 1; or NULL: matrix times the result's
  ** distances from its first element, plus shift. */
  const void *coordinates;
  ma_dtype coordinate_dtype; /* float32 or float64 */
  bool diagonal; /* the matrix has no element off its diagonal, and ndim is out_ndim; `before` is added to distances */
  double matrix[MA_TRANSFORM_MOST_AXES][MA_TRANSFORM_MOST_AXES];
  double shift[MA_TRANSFORM_MOST_AXES], before[MA_TRANSFORM_MOST_AXES];
  const void *from;
  void *to;
} ma_transform;

/* Texts of kernels, without a device. */
ma_status ma_cuda_window_source(const ma_window *window, char **source);
ma_status ma_cuda_line_source(const ma_line_filter *line, char **source);
ma_status ma_cuda_spline_source(const ma_spline_filter *spline, char **source);
ma_status ma_cuda_transform_source(const ma_transform *transform, char **source);

/* Whether some tap is not at the place itself along the axis. */
static inline bool ma_window_reaches(const ma_window *w, int axis) {
  for (int k = 0; k < w->ntap; k++)
    if (w->offset[k * w->ndim + axis]) return true;
  return false;
}

#pragma GCC visibility pop
#endif
