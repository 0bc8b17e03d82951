/* spatial.h: distances of vectors, and neighbours. */
#ifndef MOONARRAY_OPS_SPATIAL_H
#define MOONARRAY_OPS_SPATIAL_H

#include "ops/ops.h"
#include "backend/spatial.h"

#pragma GCC visibility push(hidden)

/* The metric of a name; MA_NMETRIC: there is none. */
ma_metric ma_metric_find(const char *name);
/* Distances of the rows of x to those of y; `y` NULL: of the pairs i < j of rows of x, as one axis. All operands are
** matrices of one dtype, float32 or float64. weights: of the components, or NULL. */
ma_status ma_pairs_run(const ma_array *x, const ma_array *y, ma_metric metric, double p, const ma_array *weights,
                       ma_array *to, ma_stream *stream);

#pragma GCC visibility pop
#endif
