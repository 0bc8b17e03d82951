/*
** linalg.h: linear algebra: the types that cross to a backend. linalg.c and product.c bring arrays into these forms,
** which BLAS and LAPACK use too; a backend passes them to its library (cuBLAS and cuSOLVER, or a BLAS and LAPACK for
** the CPU).
*/
#ifndef MOONARRAY_LINALG_H
#define MOONARRAY_LINALG_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/*
** c = a b for matrices of m x k and k x n, over `nbatch` axes of batches. Operand 0 is c; a and b follow. Steps are in
** elements. Each matrix has a step of 1 along its rows or along its columns, and along the other a step of at least the
** extent, unless an extent is 1. Batch steps are arbitrary; an operand that is broadcast has 0, but c never. No extent
** is 0.
*/
typedef struct ma_matmul {
  ma_dtype dtype; /* of all three: a float or complex dtype, or integers of 32 or 64 bits, whose sums wrap */
  int64_t m, n, k;
  void *data[3];
  int64_t row[3], column[3]; /* steps from one row to the next, from one column to the next */
  int nbatch;
  int64_t batch[MA_MAX_NDIM], step[3][MA_MAX_NDIM];
} ma_matmul;

/* Matrices in Fortran's order: element (i, j) of matrix b is i + j * ld + b * step elements behind `data`. */
typedef struct ma_matrices {
  void *data;
  int64_t rows, columns, ld, step, count;
} ma_matrices;

#define MA_LINALG_SMALL 32
/*
** x = a^-1 b for `count` matrices of at most MA_LINALG_SMALL rows, in any layout. Operand 0 is x; a and b follow. Steps
** are in bytes; an operand that all systems share has step 0 along the batch. x shares no memory with a and b. Every
** element of `info` is written.
*/
typedef struct ma_linalg_systems {
  ma_dtype dtype;
  int64_t rows, right, count; /* right: columns of b and x */
  void *data[3];
  int64_t step[3], row[3], column[3];
  int32_t *info;
} ma_linalg_systems;

/* A banded system of n rows, all float64, contiguous: row i of `bands` has the elements of columns i - lower .. i +
** upper, those outside of the matrix too, and row i of b the `columns` right sides. n, columns > 0. */
typedef struct ma_banded {
  int64_t n, lower, upper, columns;
  double *bands, *b;
} ma_banded;

#pragma GCC visibility pop
#endif
