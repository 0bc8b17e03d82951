/* signal.h: what ma.signal computes in C, over contiguous arrays. A result whose buffer is NULL is made. */
#ifndef MOONARRAY_OPS_SIGNAL_H
#define MOONARRAY_OPS_SIGNAL_H

#include "ops/ops.h"
#include "backend/signal.h"

#pragma GCC visibility push(hidden)

/* Correlates rows: `a` has one axis or two, and one axis is one row. `before` is how far in front of a row the taps of
** the first sum begin. `count` is the number of a row's sums; -1: those whose taps are all inside. */
ma_status ma_correlate_run(const ma_array *a, const ma_array *taps, int64_t before, int64_t count, ma_array *result,
                           ma_stream *stream);
/* Sums of products of two vectors on the CPU, in `dtype`. Of the sums at every overlap it makes `count`, from number
** `first` (1, ..) on. `turns` says that v is taken backwards. */
ma_status ma_sums_run(const ma_array *a, const ma_array *v, bool turns, ma_dtype dtype, int64_t first, int64_t count,
                      ma_array *result, ma_stream *stream);
/* Filters rows with a change of their rate. `first` counts from 0. */
ma_status ma_upfirdn_run(const ma_array *a, const ma_array *taps, int64_t up, int64_t down, int64_t first,
                         int64_t count, ma_array *result, ma_stream *stream);
/* Filters rows by a recurrence. `powers` is NULL for rows of less than 8192 elements on the CPU. `start` has rows of
** states, or is NULL. `end` is NULL if it is not wanted. */
ma_status ma_recurrence_run(const ma_array *a, const ma_array *coefficients, const ma_array *powers,
                            const ma_array *start, int sections, ma_array *result, ma_array *end, ma_stream *stream);
/* Makes three vectors: prominences, left bases and right bases. */
ma_status ma_prominences_run(const ma_array *x, const ma_array *peaks, int64_t window, ma_array *const *three,
                             ma_stream *stream);
/* `given` are prominences, left bases and right bases. Makes four vectors: widths, heights, left places and right
** places. */
ma_status ma_widths_run(const ma_array *x, const ma_array *peaks, double part, const ma_array *const *given,
                        ma_array *const *four, ma_stream *stream);
/* The places, from 1, of local maxima of a float64, int64 or uint64 vector, as three[0]. *plateaus says whether some
** are stretches of equal elements. Then three[1] and three[2] are made too, their first and last places. Waits. */
ma_status ma_maxima_run(const ma_array *x, ma_array *const *three, bool *plateaus, ma_stream *stream);
/* Which peaks are `distance` away from all higher ones. `order` has the positions by height. Computed on the host. */
ma_status ma_apart_run(const ma_array *peaks, const ma_array *order, double distance, ma_array *keep,
                       ma_stream *stream);

#pragma GCC visibility pop
#endif
