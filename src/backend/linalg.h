/*
** linalg.h: what crosses to a backend of linear algebra. linalg.c and product.c bring arrays into these forms, which
** are those of BLAS and LAPACK; a backend hands them to its library (cuBLAS and cuSOLVER, OpenBLAS or another BLAS and
** LAPACK).
*/
#ifndef MOONARRAY_LINALG_H
#define MOONARRAY_LINALG_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/*
** c = a b for matrices of m x k and k x n over `nbatch` axes of batches. Operand 0 is c, then a and b. Steps are in
** elements. Each matrix has a step of 1 along its rows or its columns (c along its columns' axis or its rows') and
** another of at least the extent along it, unless an extent is 1; batch steps are any, 0 where an operand is broadcast,
** for c never. No extent is 0.
*/
typedef struct ma_matmul {
  ma_dtype dtype; /* of all three: a float or complex one */
  int64_t m, n, k;
  void *data[3];
  int64_t row[3], column[3]; /* steps from one row to the next, from one column to the next */
  int nbatch;
  int64_t batch[MA_MAX_NDIM], step[3][MA_MAX_NDIM];
} ma_matmul;

/* Matrices in the order of Fortran: element (i, j) of matrix b lies i + j * ld + b * step elements behind `data`. */
typedef struct ma_matrices {
  void *data;
  int64_t rows, columns, ld, step, count;
} ma_matrices;

/*
** x = a^-1 b for `count` matrices of at most MA_LINALG_SMALL rows, as they lie: operand 0 is x, then a and b. Steps are
** in bytes and any, 0 along the batch where an operand is one for all; x shares no memory with the others. `info` is
** written whole.
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
** Factorisations of float32, float64, complex64 and complex128, in place. No extent and no count is 0; operands of one
** call have one count, and what is written has a step of its own for each matrix. Elements of what svd, eigh and eig
** get are finite. `info` is one int32 a matrix in the device's memory, with LAPACK's meaning (0: well); the core reads
** it, or does not (check = false). Scratch memory comes from the device's pool. A slot that is NULL: the backend has
** none of it.
*/
typedef struct ma_linalg_table {
  bool solves_turned; /* one matrix is solved with faster by the factors of its transposed */
  ma_status (*matmul)(ma_stream *stream, const ma_matmul *matmul);
  /* a = L L^H, lower; the part above is left as it was */
  ma_status (*cholesky)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info);
  /* a = P L U; pivot: min(rows, columns) int64 a matrix, from 1, in device memory */
  ma_status (*lu)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t *pivot, int32_t *info);
  /* b = op(a)^-1 b from lu's output; trans: 'N', 'T' or 'C' */
  ma_status (*lu_solve)(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, const int64_t *pivot,
                        const ma_matrices *b);
  /* small systems, in one pass over them */
  ma_status (*solve)(ma_stream *stream, const ma_linalg_systems *systems);
  /* x = a^-1 of one matrix; a is destroyed */
  ma_status (*inv)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, const ma_matrices *x, int32_t *info);
  /* a = Q R as reflectors below R's diagonal; tau: min(rows, columns) elements a matrix */
  ma_status (*qr)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *tau, int32_t *info);
  /* the first a->columns columns of Q from the first k reflectors, in a's place */
  ma_status (*qr_form)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t k, const void *tau,
                       int32_t *info);
  /* b = op(Q) b; trans: 'N', or 'C' for the adjoint, complex or not */
  ma_status (*qr_apply)(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, int64_t k, const void *tau,
                        const ma_matrices *b, int32_t *info);
  /* b = op(a)^-1 b for a triangle */
  ma_status (*triangular_solve)(ma_stream *stream, ma_dtype dtype, bool lower, char trans, bool unit,
                                const ma_matrices *a, const ma_matrices *b);
  /* a = U diag(s) V^H; job 'N': s alone, 'S': thin, 'A': full; a is destroyed. s: min(rows, columns) reals a matrix,
  ** descending. */
  ma_status (*svd)(ma_stream *stream, ma_dtype dtype, char job, const ma_matrices *a, void *s, const ma_matrices *u,
                   const ma_matrices *vh, int32_t *info);
  /* of the lower or upper triangle; with vectors, a becomes them. w: reals, ascending. */
  ma_status (*eigh)(ma_stream *stream, ma_dtype dtype, bool vectors, bool lower, const ma_matrices *a, void *w,
                    int32_t *info);
  /* w and v: complex of the same precision whatever the dtype; v->data NULL: values alone; a is destroyed */
  ma_status (*eig)(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *w, const ma_matrices *v,
                   int32_t *info);
} ma_linalg_table;

extern const ma_linalg_table ma_cpu_linalg, ma_cuda_linalg;

#pragma GCC visibility pop
#endif
