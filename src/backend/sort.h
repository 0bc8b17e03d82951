/* sort.h: sorting, searching and histograms: the types that cross to a backend. kernels/sort/order.h has the order
** of elements; every sort is stable. Positions are 1-based int64. */
#ifndef MOONARRAY_SORT_H
#define MOONARRAY_SORT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_SORT_RANKS 16

/* `rows` rows of `n` contiguous elements, each sorted by itself; rows, n > 0. */
typedef struct ma_sort {
  ma_dtype dtype;
  int64_t rows, n;
  const void *from;
  void *to;           /* may be `from`; NULL: no sorted elements are wanted */
  int64_t *positions; /* position of each element before the sort, in its row; NULL: not wanted */
  /* Of each row only the elements at these places, from 0 on, must be where a sort puts them; between two such places
  ** the others may be in any order. nrank 0: all. A backend may sort all in any case. */
  int nrank;
  int64_t rank[MA_SORT_RANKS];
} ma_sort;

#define MA_TOP_MOST 1024

/* The first k of each row as a sort would put them, with `largest` as a sort of the opposite numbers would: NaN comes
** last. Equal elements are in the order of their places. `to` and `positions` have rows of k; 0 < k <= n, MA_TOP_MOST.
** The dtype is not complex. */
typedef struct ma_top {
  ma_dtype dtype;
  int64_t rows, n;
  int k;
  bool largest;
  const void *from;
  void *to;
  int64_t *positions;
} ma_top;

/* mask[i] = element i of n is among nkey others, or with `invert` is not. NaN is not. n, nkey > 0; not complex. */
typedef struct ma_member {
  ma_dtype dtype;
  int64_t n, nkey;
  const void *from, *keys;
  bool invert;
  uint8_t *mask;
} ma_member;

/* For each value the position in `sorted` at which it is inserted: before equal elements, or with `right` behind
** them. n, count > 0. */
typedef struct ma_search {
  ma_dtype dtype;
  int64_t n, count;
  const void *sorted, *values;
  const int64_t *sorter; /* positions that sort `sorted`; NULL: it is sorted */
  bool right;
  int64_t *positions;
} ma_search;

/* Counts the values in each bin: edge[k] <= x < edge[k + 1]; the last bin includes its upper edge. n may be 0. */
typedef struct ma_histogram {
  ma_dtype dtype;      /* of the values; not complex */
  ma_dtype edge_dtype; /* float32 or float64; values are converted to it and compared */
  int64_t n, bins;
  const void *values, *edges; /* edges: bins + 1, ascending */
  bool uniform;               /* all bins have the same width, up to the rounding of edges */
  int64_t *counts;
} ma_histogram;

/* Adds weights[i], or 1, to sums[numbers[i]]. All numbers are in 0 .. places - 1; n, places > 0. */
typedef struct ma_tally {
  int64_t n, places;
  const int64_t *numbers;
  const double *weights; /* NULL: 1 for each */
  void *sums;            /* double with weights, else int64_t */
} ma_tally;

/* result[i] = the piecewise linear function through the n points (at, value), at ascending, at x[i]; NaN at NaN.
** n, count > 0. */
typedef struct ma_interp {
  int64_t n, count;
  const double *x, *at, *value;
  double end[2]; /* left and right of all points; not given: the first and the last value */
  bool given[2];
  double *result;
} ma_interp;

/* Text of a kernel that sorts n elements; rows: of the kernel for short rows. */
ma_status ma_cuda_sort_source(ma_dtype dtype, bool rows, bool with_index, int64_t n, char **source);
ma_status ma_cuda_histogram_source(ma_dtype dtype, ma_dtype edges, char **source);

#pragma GCC visibility pop
#endif
