/* run.h: factors with arrays of the CPU, contiguous ones. Positions in arrays count from 1. */
#ifndef MOONARRAY_FACTORS_RUN_H
#define MOONARRAY_FACTORS_RUN_H

#include "ops/factors/factors.h"

#pragma GCC visibility push(hidden)

/* A compressed matrix as its arrays: int64, int32, and float64 or complex128. */
typedef struct ma_compressed_arrays {
  int64_t rows, columns;
  const ma_array *start, *row, *value;
} ma_compressed_arrays;

/* Checks the arrays, which a user may have written, and copies the positions, from 0 on. */
ma_status ma_pattern_open(const ma_compressed_arrays *a, ma_stream *stream, ma_pattern *p);
void ma_pattern_close(ma_pattern *p);

/* lstart, lrow, lvalue, ustart, urow, uvalue, place, column */
#define MA_NFACTOR_ARRAYS 8

/* Computes factors. `to` is MA_NFACTOR_ARRAYS empty arrays, which are filled unless *singular. If options->threshold is
** negative, the order decides on it. */
ma_status ma_factor_run(const ma_compressed_arrays *a, ma_order_kind order, ma_factor_options options,
                        ma_stream *stream, ma_array *const *to, int32_t *singular);

#pragma GCC visibility pop
#endif
