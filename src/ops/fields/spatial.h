/* spatial.h: distances of vectors, and neighbours. */
#ifndef MOONARRAY_OPS_SPATIAL_H
#define MOONARRAY_OPS_SPATIAL_H

#include "ops/ops.h"
#include "backend/spatial.h"

#pragma GCC visibility push(hidden)

/* The metric of a name, or MA_NMETRIC if there is none. */
ma_metric ma_metric_find(const char *name);
/* Distances of the rows of x to those of y. If `y` is NULL, they are those of the pairs i < j of rows of x, as one
** axis. All operands are matrices of one dtype, float32 or float64. `weights` are those of the components, or NULL. */
ma_status ma_pairs_run(const ma_array *x, const ma_array *y, ma_metric metric, double p, const ma_array *weights,
                       ma_array *to, ma_stream *stream);

/* The arrays of a k-d tree (kernels/spatial/tree.h): points (leaves, axes, leaf), boxes (2 leaves, 2, axes), positions
** (leaves, leaf). */
typedef struct ma_tree_arrays {
  ma_device *device;
  const ma_array *points, *boxes, *positions;
  double p;
} ma_tree_arrays;

/* The nearest points. `queries` is (count, axes), contiguous. Both results are (count, k). */
ma_status ma_nearest_run(const ma_tree_arrays *tree, const ma_array *queries, int64_t k, double bound, double eps,
                         int64_t none, ma_array *distances, ma_array *found, ma_stream *stream);
/* The points within each radius: their number, or if `offsets` is given the positions of all `total` points. Those of
** query i begin at the 0-based place offsets[i]. `later` is as in ma_within. */
ma_status ma_within_run(const ma_tree_arrays *tree, const ma_array *queries, const ma_array *radii,
                        const ma_array *offsets, int64_t total, bool later, ma_array *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
