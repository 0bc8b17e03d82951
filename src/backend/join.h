/* join.h: arrays put beside each other: what crosses to a backend. */
#ifndef MOONARRAY_JOIN_H
#define MOONARRAY_JOIN_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_JOIN_PARTS 128

/* In each row of the result, chunk[k] bytes of each part in turn; chunk[k] > 0, and rows of a part follow each
** other. */
typedef struct ma_join {
  int64_t rows, pitch; /* rows; bytes from row to row in the result */
  int count;
  void *to;
  const void *from[MA_JOIN_PARTS];
  int64_t chunk[MA_JOIN_PARTS];
} ma_join;

ma_status ma_cuda_join_source(int wide, char **source);

#pragma GCC visibility pop
#endif
