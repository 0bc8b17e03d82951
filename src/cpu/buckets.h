/*
** buckets.h: the order of a dtype as loops over its numbers (kernels/order.h), and the sort of a long row of values.
*/
#ifndef MA_CPU_BUCKETS_H
#define MA_CPU_BUCKETS_H

#include "cpu.h"

#pragma GCC visibility push(hidden)

#define MA_SORT_SMALL 512              /* most elements of a row that is merged */
#define MA_SORT_BLOCK 256              /* elements whose digits are taken at once */

typedef struct ma_sort_loops {
  /* At most MA_SORT_SMALL elements at once; `to` may be `from`; `to` or `positions` may be NULL. */
  void (*small)(const void *from, void *to, int64_t *positions, int n);
  /* The least and the greatest number, n > 0. Not of 16 bytes, nor the next. */
  void (*span)(const void *from, int64_t n, uint64_t two[2]);
  /* ((number - low) >> shift) & mask of each of n <= MA_SORT_BLOCK elements. */
  void (*digits)(const void *from, int n, uint64_t low, int shift, uint32_t mask, uint32_t *digits);
} ma_sort_loops;

/* Sorts n < 2^32 elements of `size` <= 8 bytes, stably; `to` may be `from`; scratch has room for all of them. At most `threads` at once. */
ma_status ma_cpu_sort_buckets(const ma_sort_loops *loops, int size, int threads, const void *from, void *to, void *scratch, int64_t n);

#pragma GCC visibility pop
#endif
