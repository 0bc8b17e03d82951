/* signal.h: what ma.signal computes in C, over contiguous arrays. A result whose buffer is NULL is made. */
#ifndef MOONARRAY_OPS_SIGNAL_H
#define MOONARRAY_OPS_SIGNAL_H

#include "ops/ops.h"
#include "backend/signal.h"

#pragma GCC visibility push(hidden)

/* Arrays of one axis or two; one axis is one row. before: how far in front of a row the first sum's taps begin.
** count: the sums of a row; -1: as many as have all taps inside. */
ma_status ma_correlate_run(const ma_array *a, const ma_array *taps, int64_t before, int64_t count, ma_array *result,
                           ma_stream *stream);
/* Of the sums of products of two vectors on the CPU at every overlap, `count` from `first` (1, ..) on, in `dtype`.
** turns: v is taken backwards. */
ma_status ma_sums_run(const ma_array *a, const ma_array *v, bool turns, ma_dtype dtype, int64_t first, int64_t count,
                      ma_array *result, ma_stream *stream);
/* a: rows. `first` counts from 0. */
ma_status ma_upfirdn_run(const ma_array *a, const ma_array *taps, int64_t up, int64_t down, int64_t first,
                         int64_t count, ma_array *result, ma_stream *stream);
/* a: rows. powers: NULL for rows of less than 8192 elements on the CPU. start: rows of states, or NULL. end: NULL if it
** is not wanted. */
ma_status ma_recurrence_run(const ma_array *a, const ma_array *coefficients, const ma_array *powers,
                            const ma_array *start, int sections, ma_array *result, ma_array *end, ma_stream *stream);
/* three: prominences, left and right bases. */
ma_status ma_prominences_run(const ma_array *x, const ma_array *peaks, int64_t window, ma_array *const *three,
                             ma_stream *stream);
/* given: prominences, left and right bases. four: widths, heights, left and right places. */
ma_status ma_widths_run(const ma_array *x, const ma_array *peaks, double part, const ma_array *const *given,
                        ma_array *const *four, ma_stream *stream);
/* Places from 1 of local maxima of a float64, int64 or uint64 vector, into three[0]; *plateaus: whether stretches of
** equal elements are among them, then three[1] and three[2] are made too: their first and last places. Waits. */
ma_status ma_maxima_run(const ma_array *x, ma_array *const *three, bool *plateaus, ma_stream *stream);
/* Which peaks are `distance` away from higher ones; order: positions by height. On the host. */
ma_status ma_apart_run(const ma_array *peaks, const ma_array *order, double distance, ma_array *keep,
                       ma_stream *stream);

#pragma GCC visibility pop
#endif
