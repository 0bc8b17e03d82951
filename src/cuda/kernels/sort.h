/* sort.h: the slots of sorting (sort.c, histogram.c), and what these share; and that of join.c. */
#ifndef MA_CUDA_SORT_H
#define MA_CUDA_SORT_H

#include "backend/join.h"
#include "backend/sort.h"

#pragma GCC visibility push(hidden)

ma_status ma_cuda_sort_rows(ma_stream *stream, const ma_sort *sort);
ma_status ma_cuda_search(ma_stream *stream, const ma_search *search);
ma_status ma_cuda_histogram(ma_stream *stream, const ma_histogram *histogram);
ma_status ma_cuda_join(ma_stream *stream, const ma_join *join, bool *ran);
ma_status ma_cuda_tally(ma_stream *stream, const ma_tally *tally);
ma_status ma_cuda_interp(ma_stream *stream, const ma_interp *interp);
ma_status ma_cuda_extremes(ma_stream *stream, ma_dtype dtype, const void *from, int64_t n, void *two);
ma_status ma_cuda_spread(ma_stream *stream, ma_dtype dtype, const void *two, ma_dtype edge_dtype, int64_t bins,
                         void *edges);
ma_status ma_cuda_changes(ma_stream *stream, ma_dtype dtype, const void *sorted, int64_t n, bool equal_nan,
                          uint8_t *mask);
void ma_cuda_print_item(ma_ctext *text, ma_dtype dtype); /* prints `item`, the form of an element that order.h takes */

#pragma GCC visibility pop
#endif
