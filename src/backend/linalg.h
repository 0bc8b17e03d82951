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
  ma_dtype dtype; /* a float or complex dtype, of all three */
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

/*
** x = a^-1 b for `count` matrices of at most MA_LINALG_SMALL rows, in any layout. Operand 0 is x; a and b follow. Steps
** are in bytes; an operand that all systems share has step 0 along the batch. x shares no memory with a and b. Every
** element of `info` is written.
*/
#define MA_LINALG_SMALL 32
typedef struct ma_linalg_systems {
  ma_dtype dtype;
  int64_t rows, right, count; /* right: columns of b and x */
  void *data[3];
  int64_t step[3], row[3], column[3];
  int32_t *info;
} ma_linalg_systems;

/*
** Factorisations of float32, float64, complex64 and complex128, in place. No extent and no count is 0. Operands of one
** call have the same count, and matrices that are written do not overlap. The elements that svd, eigh and eig get are
** finite. `info` is an int32 for each matrix, in device memory, with LAPACK's meaning (0: success); the core reads it
** unless `check` is false. Scratch memory is allocated from the device's pool. A slot may be NULL.
*/
typedef struct ma_linalg_table {
  bool solves_turned; /* a single matrix is solved faster from the factors of its transpose */
  ma_status (*matmul)(ma_stream *stream, const ma_matmul *matmul);
  /* a = L L^H, lower; elements above the diagonal keep their values */
  ma_status (*cholesky)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info);
  /* a = P L U; pivot: min(rows, columns) 1-based int64 for each matrix, in device memory */
  ma_status (*lu)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t *pivot, int32_t *info);
  /* b = op(a)^-1 b from the output of lu; trans: 'N', 'T' or 'C' */
  ma_status (*lu_solve)(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, const int64_t *pivot,
                        const ma_matrices *b);
  /* solves small systems in one pass */
  ma_status (*solve)(ma_stream *stream, const ma_linalg_systems *systems);
  /* x = a^-1 of one matrix; a is destroyed */
  ma_status (*inv)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, const ma_matrices *x, int32_t *info);
  /* a = Q R; Q as reflectors below the diagonal of R; tau: min(rows, columns) elements for each matrix */
  ma_status (*qr)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *tau, int32_t *info);
  /* the first a->columns columns of Q from the first k reflectors, in place of a */
  ma_status (*qr_form)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t k, const void *tau,
                       int32_t *info);
  /* b = op(Q) b; trans: 'N', or 'C' for the adjoint of a real or complex Q */
  ma_status (*qr_apply)(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, int64_t k, const void *tau,
                        const ma_matrices *b, int32_t *info);
  /* b = op(a)^-1 b for a triangular a */
  ma_status (*triangular_solve)(ma_stream *stream, ma_dtype dtype, bool lower, char trans, bool unit,
                                const ma_matrices *a, const ma_matrices *b);
  /* a = U diag(s) V^H; job 'N': only s, 'S': thin, 'A': full; destroys a. s: min(rows, columns) reals for each
  ** matrix, descending. */
  ma_status (*svd)(ma_stream *stream, ma_dtype dtype, char job, const ma_matrices *a, void *s, const ma_matrices *u,
                   const ma_matrices *vh, int32_t *info);
  /* Reads one triangle; with `vectors`, a becomes the eigenvectors. w: reals, ascending. */
  ma_status (*eigh)(ma_stream *stream, ma_dtype dtype, bool vectors, bool lower, const ma_matrices *a, void *w,
                    int32_t *info);
  /* w and v are complex, of the precision of dtype; v->data NULL: eigenvalues only; destroys a */
  ma_status (*eig)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *w, const ma_matrices *v,
                   int32_t *info);
} ma_linalg_table;

extern const ma_linalg_table ma_cpu_linalg, ma_cuda_linalg;

#pragma GCC visibility pop
#endif
