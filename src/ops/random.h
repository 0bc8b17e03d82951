/* random.h: arrays filled with draws of random numbers. */
#ifndef MOONARRAY_OPS_RANDOM_H
#define MOONARRAY_OPS_RANDOM_H

#include "ops/ops.h"
#include "backend/random.h"

#pragma GCC visibility push(hidden)

/*
** Fills `out` (any layout) with the draw that `random` describes but for its dtype, n and data. A param[k] that is not
** NULL gives one value for each element: float64, contiguous, of as many elements as `out`. `table` is for choice:
** float64, contiguous. Uniform and normal numbers may wait, so that what uses them takes the draw in (run/drawn.c).
*/
ma_status ma_random_draw(const ma_random *random, const ma_array *const *param, const ma_array *table, ma_array *out,
                         ma_stream *stream);
/* The same at once, of parameters that are numbers. */
ma_status ma_random_fill(const ma_random *random, ma_array *out, ma_stream *stream);
/* The one element of a draw, as the CPU makes it at once. Sets the dtype, n and data of `random`. */
ma_status ma_random_number(ma_random *random, ma_dtype dtype, ma_value *value);
/* The first out->size elements of a random permutation of 1 .. count. Only the source of `random` is used. */
ma_status ma_random_permute(const ma_random *random, int64_t count, ma_array *out, ma_stream *stream);

#pragma GCC visibility pop
#endif
