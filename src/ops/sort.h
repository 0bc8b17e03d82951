/* sort.h: sorts, searches and histograms of arrays. */
#ifndef MOONARRAY_OPS_SORT_H
#define MOONARRAY_OPS_SORT_H

#include "ops/ops.h"
#include "backend/sort.h"

#pragma GCC visibility push(hidden)

/* Sorts along an axis into `values`, `positions` or both (NULL: not wanted). A result whose buffer is NULL is made.
** Given `values` are `from`; given positions are written like an assignment. `ranks` has the places that matter, as in
** ma_sort; NULL: all. */
ma_status ma_sort_run(const ma_array *from, int axis, const ma_sort *ranks, ma_array *values, ma_array *positions,
                      ma_stream *stream);
/* The k first elements of a sort along an axis, and their positions; with `largest` of a sort the other way round, NaN
** last. *ran is false, and nothing is made, where a sort of all elements is the way. 0 < k <= the axis. */
ma_status ma_top_run(const ma_array *from, int axis, int64_t k, bool largest, ma_array *values, ma_array *positions,
                     bool *ran, ma_stream *stream);
/* `sorted` has one axis. The result has the shape of `values`. Both have the same dtype. */
ma_status ma_search_run(const ma_array *sorted, const ma_array *values, const ma_array *sorter, bool right,
                        ma_array *positions, ma_stream *stream);
/* Values at x of the piecewise linear function through points; all are of float64. `end`: the values left and right
** of all points, if given. */
ma_status ma_interp_run(const ma_array *x, const ma_array *at, const ma_array *value, const double *const *end,
                        ma_array *result, ma_stream *stream);
/* How often each of the numbers 0 .. places - 1 occurs in an int64 array of one axis, which holds no others; with
** float64 weights, which may be NULL, their sums. */
ma_status ma_tally_run(const ma_array *numbers, const ma_array *weights, int64_t places, ma_array *sums,
                       ma_stream *stream);
/* Which elements are among `keys`, of the same dtype, which have one axis and one element at least; with `invert` which
** are not. *ran is false, and nothing is made, where a search is the way. */
ma_status ma_member_run(const ma_array *from, const ma_array *keys, bool invert, ma_array *mask, bool *ran,
                        ma_stream *stream);
ma_status ma_histogram_run(const ma_array *values, const ma_array *edges, bool uniform, ma_array *counts,
                           ma_stream *stream);
ma_status ma_extremes_run(const ma_array *from, ma_array *two, ma_stream *stream);
ma_status ma_spread_run(const ma_array *two, ma_dtype edge_dtype, int64_t bins, ma_array *edges, ma_stream *stream);
ma_status ma_changes_run(const ma_array *sorted, bool equal_nan, ma_array *mask, ma_stream *stream);

#pragma GCC visibility pop
#endif
