/* sequence.h: numbers in arithmetic progression: what crosses to a backend. */
#ifndef MOONARRAY_SEQUENCE_H
#define MOONARRAY_SEQUENCE_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* Element i is first + i * stride in int64, which wraps, if `whole`, else start + i * step in float64; then it is cast
** to the dtype of the n packed elements, n > 0. */
typedef struct ma_sequence {
  bool whole;
  int64_t first, stride;
  double start, step;
  bool closed; /* the last element is `last`, which rounding may miss; not if `whole` */
  double last;
  ma_dtype dtype;
  int64_t n;
  void *to;
} ma_sequence;

ma_status ma_cuda_sequence_source(bool whole, ma_dtype dtype, char **source);

#pragma GCC visibility pop
#endif
