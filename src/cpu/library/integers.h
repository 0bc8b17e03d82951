/* integers.h: products of matrices of integers of 32 and 64 bits, which wrap. BLAS has none. */
#ifndef MOONARRAY_CPU_INTEGERS_H
#define MOONARRAY_CPU_INTEGERS_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* Computes c[i + j ld] = sum over k of a[i row + k column] b[k down + j across]. Steps are in elements. */
typedef struct ma_cpu_integers {
  const void *a, *b;
  void *c;
  int64_t m, n, k, row, column, down, across, ld;
  size_t itemsize; /* 4 or 8 */
} ma_cpu_integers;

ma_status ma_cpu_multiply_integers(const ma_cpu_integers *product);

#pragma GCC visibility pop
#endif
