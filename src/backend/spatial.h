/* spatial.h: distances of vectors: the types that cross to a backend. kernels/spatial/metrics.h has the metrics. */
#ifndef MOONARRAY_SPATIAL_H
#define MOONARRAY_SPATIAL_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

typedef enum ma_metric {
#define METRIC(name, step, finish) MA_METRIC_##name,
#include "kernels/spatial/metrics.h"
  MA_NMETRIC
} ma_metric;

/* The distance of each of the m rows of x to each of the n rows of y; all arrays are contiguous. m, n > 0. */
typedef struct ma_pairs {
  ma_dtype dtype; /* float32 or float64: of all arrays */
  ma_metric metric;
  int64_t m, n, k; /* k: components of a vector; may be 0 */
  const void *x, *y;
  const void *weights; /* of the components; NULL: all are 1 */
  double p;            /* of minkowski */
  bool triangle;       /* x is y; only the pairs i < j are wanted, row after row without gaps; else an m x n matrix */
  void *to;
} ma_pairs;

/* Text of a kernel, to compile it without a device. */
ma_status ma_cuda_pairs_source(ma_dtype dtype, ma_metric metric, bool weighted, bool triangle, char **source);

#pragma GCC visibility pop
#endif
