/* sort.h: the slots of sorting (sort.c, histogram.c), and what these share; and that of join.c. */
#ifndef MA_CUDA_SORT_H
#define MA_CUDA_SORT_H

#include "backend/join.h"
#include "backend/sort.h"

#pragma GCC visibility push(hidden)

void ma_cuda_print_item(ma_ctext *text, ma_dtype dtype); /* prints `item`, the form of an element that order.h takes */

#pragma GCC visibility pop
#endif
