/* sort.h: the slots of sorting, in sort.c, search.c, histogram.c and interp.c. */
#ifndef MA_CPU_SORT_H
#define MA_CPU_SORT_H

#include "backend/sort.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_sort_rows(ma_stream *stream, const ma_sort *sort);
ma_status ma_cpu_search(ma_stream *stream, const ma_search *search);
ma_status ma_cpu_tally(ma_stream *stream, const ma_tally *tally);
ma_status ma_cpu_interp(ma_stream *stream, const ma_interp *interp);
ma_status ma_cpu_histogram(ma_stream *stream, const ma_histogram *histogram);
ma_status ma_cpu_spread(ma_stream *stream, ma_dtype dtype, const void *two, ma_dtype edge_dtype, int64_t bins,
                        void *edges);
ma_status ma_cpu_extremes(ma_stream *stream, ma_dtype dtype, const void *from, int64_t n, void *two);
ma_status ma_cpu_changes(ma_stream *stream, ma_dtype dtype, const void *sorted, int64_t n, bool equal_nan,
                         uint8_t *mask);

#pragma GCC visibility pop
#endif
