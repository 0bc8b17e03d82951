/*
** sparse.h: sparse matrices: the types that cross to a backend. All matrices are in CSR; a CSC matrix is the CSR of its
** transpose. `indptr` and `indices` count from 1, so that row r (from 0) has the entries indptr[r] - 1 .. indptr[r + 1]
** - 2. All arrays are contiguous, and lie in device memory. Positions were checked when the matrix was made, but a user
** can write into the arrays since: a backend may not read outside of them.
*/
#ifndef MOONARRAY_SPARSE_H
#define MOONARRAY_SPARSE_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* dtype: any but float16 and bfloat16. Rows may be unsorted and hold a column several times, unless said otherwise. */
typedef struct ma_csr {
  ma_dtype dtype, index; /* index: int32 or int64, of indptr and indices */
  int64_t rows, columns, nnz;
  const void *indptr, *indices, *data;
  int64_t longest;   /* entries of the longest row; 0: not known */
  const void *order; /* of products on a GPU: entry k has the value data[order[k] - 1]; NULL: its own */
} ma_csr;

/* y = op(a) x. x and y are matrices in C order of a's dtype with `width` columns; 1: vectors. rows * width > 0. */
typedef struct ma_sparse_product {
  ma_csr a;
  bool transposed; /* op(a) is a's transpose, without conjugation */
  int64_t width;
  const void *x; /* NULL: a vector of ones, for a matrix that is not transposed */
  void *y;
} ma_sparse_product;

/* Entries with their rows and columns, both from 1, in any order. */
typedef struct ma_coo {
  ma_dtype dtype, index;
  int64_t rows, columns, nnz;
  const void *row, *column, *data;
} ma_coo;

/* CSR of blocks in C order: `a` has a row for each row of blocks and an entry for each block; its data is height *
** width elements for each. */
typedef struct ma_bsr {
  ma_csr a;
  int64_t height, width;
} ma_bsr;

/* Diagonals: data has a row of `length` elements for each; data[d][j] is in column j, so in row j - offsets[d]. */
typedef struct ma_dia {
  ma_dtype dtype;
  int64_t rows, columns, count, length;
  const int64_t *offsets; /* in host memory; ascending unless it is for a product */
  const int64_t *places;  /* in host memory: the row of data of each */
  const void *data;
} ma_dia;

/* The arrays of a CSR matrix that a call fills, with room for nnz entries. */
typedef struct ma_csr_room {
  void *indptr, *indices, *data;
} ma_csr_room;

/* op(a, b) where either has an entry; entries that become 0 are dropped. a and b have one shape, dtype and index dtype,
** sorted rows and no column twice. */
typedef struct ma_sparse_combine {
  ma_csr a, b;
  ma_opcode op; /* of two operands, with op(0, 0) = 0 */
  ma_dtype result;
} ma_sparse_combine;

/* The extreme of each row, in which elements that are not stored take part as zeros. Of equal elements the first
** counts. a->rows and a->columns are above 0; no row holds a column twice. */
typedef struct ma_sparse_extreme {
  ma_csr a;
  ma_opcode op; /* maximum, minimum, fmax or fmin */
  void *to;     /* the values, of a's dtype; or NULL */
  int64_t *at;  /* the columns, from 1, of a matrix with sorted rows; or NULL */
} ma_sparse_extreme;

/* x = op(a)^-1 x of a triangular matrix with sorted rows and no column twice; entries of the other triangle are passed
** over. x: rows * width elements in C order. */
typedef struct ma_sparse_triangle {
  ma_csr a; /* float32, float64, complex64 or complex128 */
  bool lower, unit, transposed;
  int64_t width;
  void *x;
  int32_t *info; /* in device memory: 0, or the first row from 1 whose diagonal is 0 or missing */
} ma_sparse_triangle;

/* Matrices beside and below each other. Pieces are by rows of blocks from the top, in each from the left; the pieces of
** a row of blocks have as many rows, and rows of blocks follow each other without a gap from 0 to `rows`. */
typedef struct ma_sparse_piece {
  ma_csr a; /* all of one dtype and index dtype */
  int64_t top, left;
} ma_sparse_piece;

typedef struct ma_sparse_stack {
  int64_t rows, columns, count;
  const ma_sparse_piece *pieces; /* in host memory; at least one */
} ma_sparse_stack;

/* Columns of a matrix in another order: those of a list in device memory, from 1, or negative from the end; or first,
** first + step, ... */
typedef struct ma_sparse_columns {
  ma_csr a;
  const int64_t *list; /* NULL: `first` and `step`, from 1, which stay within the columns; step > 0 */
  int64_t first, step, count;
  bool sort; /* rows of the result are to be sorted, because those of `a` are; without a list they stay in order */
} ma_sparse_columns;

/* A new CSR matrix that a call made. */
typedef struct ma_csr_arrays {
  ma_array indptr, indices, data;
} ma_csr_arrays;

#pragma GCC visibility pop
#endif
