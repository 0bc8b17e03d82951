/*
** sort.h: sorting and what follows from it: what crosses to a backend, and its forms over arrays. kernels/sort/order.h
** has the order of elements; every sort is stable. Positions are int64 and count from 1.
*/
#ifndef MOONARRAY_SORT_H
#define MOONARRAY_SORT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* `rows` rows of `n` neighbouring elements, each sorted by itself; rows, n > 0. */
typedef struct ma_sort {
  ma_dtype dtype;
  int64_t rows, n;
  const void *from;
  void *to;           /* may be `from`; NULL: not wanted */
  int64_t *positions; /* where each element was in its row; NULL: not wanted */
} ma_sort;

/* For each value the position in `sorted` before which it goes: left, before what is equal; right, behind it. n, count
** > 0. */
typedef struct ma_search {
  ma_dtype dtype;
  int64_t n, count;
  const void *sorted, *values;
  const int64_t *sorter; /* positions that sort `sorted`; NULL: it is sorted */
  bool right;
  int64_t *positions;
} ma_search;

/* How many values lie in each bin: edge[k] <= x < edge[k + 1], and the last bin has its upper edge too. n may be 0. */
typedef struct ma_histogram {
  ma_dtype dtype;      /* of the values; not complex */
  ma_dtype edge_dtype; /* float32 or float64; values are compared as that */
  int64_t n, bins;
  const void *values, *edges; /* edges: bins + 1, ascending */
  bool uniform;               /* all bins are equally wide, but for the rounding of edges */
  int64_t *counts;
} ma_histogram;

typedef struct ma_sort_table {
  ma_status (*sort)(ma_stream *stream, const ma_sort *sort);
  ma_status (*search)(ma_stream *stream, const ma_search *search);
  ma_status (*histogram)(ma_stream *stream, const ma_histogram *histogram);
  /* The least and the greatest of n > 0 elements of a dtype that is not complex, in this order, NaN being the
  ** greatest. */
  ma_status (*extremes)(ma_stream *stream, ma_dtype dtype, const void *from, int64_t n, void *two);
  /* bins + 1 edges, evenly spread from two[0] to two[1], each of `dtype`; half a unit to either side where these are
  ** equal. In the arithmetic of `edge_dtype`, float32 or float64, in NumPy's order. */
  ma_status (*spread)(ma_stream *stream, ma_dtype dtype, const void *two, ma_dtype edge_dtype, int64_t bins,
                      void *edges);
  /* Of n > 0 sorted elements: mask[i] says that element i is not equal to the one before; the first is not. NaN is
  ** equal to NaN, or to nothing. */
  ma_status (*changes)(ma_stream *stream, ma_dtype dtype, const void *sorted, int64_t n, bool equal_nan, uint8_t *mask);
} ma_sort_table;

extern const ma_sort_table ma_cpu_sort, ma_cuda_sort;

/* a kernel's text; rows: that of short ones */
ma_status ma_cuda_sort_source(ma_dtype dtype, bool rows, bool with_index, bool big, char **source);
ma_status ma_cuda_histogram_source(ma_dtype dtype, ma_dtype edges, char **source);

#pragma GCC visibility pop
#endif
