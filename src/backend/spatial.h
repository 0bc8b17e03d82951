/*
** spatial.h: distances of vectors and trees of points: the types that cross to a backend. kernels/spatial/metrics.h has
** the metrics.
*/
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

/* ==== k-d trees ================================================================================================== */

#define MA_TREE_LEVELS 40 /* a tree has fewer */

/* kernels/spatial/tree.h says how the points lie. All arrays are contiguous. */
typedef struct ma_tree {
  ma_dtype dtype; /* float32 or float64: of coordinates and distances */
  int32_t axes, levels, leaf;
  const void *points, *boxes;
  const int64_t *positions;
  double p; /* of the norm; 1 at least, may be infinite */
} ma_tree;

/* The form of a norm for tree.h. */
static inline int32_t ma_tree_form(double p) { return p == 1 ? 1 : p == 2 ? 2 : p > 1e300 ? 0 : 3; }

/* The k nearest points of each of `count` queries; count, k > 0. */
typedef struct ma_nearest {
  ma_tree tree;
  int64_t count, k;
  int64_t none; /* the position of what is not found */
  const void *queries;
  double bound, eps; /* only what is nearer than bound; the k-th may be 1 + eps times as far as the right one */
  void *distances;   /* count x k */
  int64_t *found;    /* 1-based positions, count x k */
} ma_nearest;

/* The points within a distance of each of `count` queries: their number, or if `found` is not NULL their positions,
** from place offsets[i] on. With `later` query i is the point at place i of the tree, and only those behind it
** count. */
typedef struct ma_within {
  ma_tree tree;
  int64_t count;
  const void *queries, *radii; /* radii: one for each query */
  int64_t *counts;
  const int64_t *offsets;
  int64_t *found;
  bool later;
} ma_within;

/* Text of a kernel, to compile it without a device. */
ma_status ma_cuda_tree_source(ma_dtype dtype, char **source);
ma_status ma_cuda_pairs_source(ma_dtype dtype, ma_metric metric, bool weighted, bool triangle, int64_t rows,
                               char **source);

#pragma GCC visibility pop
#endif
