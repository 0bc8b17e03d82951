/* sort.h: functions that sort.c and histogram.c share. */
#ifndef MA_CUDA_SORT_H
#define MA_CUDA_SORT_H

#include "backend/sort.h"

#pragma GCC visibility push(hidden)

ma_status ma_cuda_sort_rows(ma_stream *stream, const ma_sort *sort);
void ma_cuda_print_item(ma_ctext *text, ma_dtype dtype); /* prints `item`, the form of an element that order.h takes */

#pragma GCC visibility pop
#endif
