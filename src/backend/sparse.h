/*
** sparse.h: sparse matrices: the types that cross to a backend. Read this first, and then the slots in slots.def: all
** that ma.sparse does is put together of these.
**
** A matrix is one struct, ma_sparse (kernels/sparse/made.h), whose kind says how its arrays are read:
**
**   kind        Lua's      rows, columns   nnz         indptr             indices         data
**   ROWS        csr, csc   as they are     entries     where rows begin   their columns   their values
**   ENTRIES     coo        as they are     entries     their rows         their columns   their values
**   BLOCKS      bsr        in blocks       blocks      where rows begin   their columns   height * width values each
**   DIAGONALS   dia        as they are     diagonals   -                  -               nnz rows of `length`
**
** A CSC matrix is the CSR of its transpose. All positions count from 1, so that row r (from 0) has the entries
** indptr[r] - 1 .. indptr[r + 1] - 2. data[places[d]][j] of DIAGONALS is in column j, so in row j - offsets[d]. Rows
** may be unsorted and hold a column several times, unless said otherwise: then entries at one place are added up.
**
** All arrays are contiguous, and lie in device memory. Positions were checked when the matrix was made, but a user can
** write into the arrays since: a backend may not read outside of them.
*/
#ifndef MOONARRAY_SPARSE_H
#define MOONARRAY_SPARSE_H

#include "moonarray.h"

#include "kernels/sparse/made.h"

#pragma GCC visibility push(hidden)

typedef enum ma_sparse_kind { MA_SPARSE_ROWS, MA_SPARSE_ENTRIES, MA_SPARSE_BLOCKS, MA_SPARSE_DIAGONALS } ma_sparse_kind;

/* y = op(a) x. x and y are matrices in C order of a's dtype with `width` columns; 1: vectors. y is not empty. */
typedef struct ma_sparse_product {
  ma_sparse a;     /* of any kind and any dtype but float16 and bfloat16 */
  bool transposed; /* of ROWS: op(a) is a's transpose, without conjugation */
  int64_t width;
  const void *x; /* NULL: a vector of ones, for ROWS that are not transposed */
  void *y;
} ma_sparse_product;

/* The arrays of a CSR matrix that a call fills, with room for its entries. */
typedef struct ma_csr_room {
  void *indptr, *indices, *data;
} ma_csr_room;

/* op(a, b) where either has an entry; entries that become 0 are dropped. a and b have one shape, dtype and index dtype,
** sorted rows and no column twice. */
typedef struct ma_sparse_combine {
  ma_sparse a, b;
  ma_opcode op; /* of two operands, with op(0, 0) = 0 */
  ma_dtype result;
} ma_sparse_combine;

/* The extreme of each row, in which elements that are not stored take part as zeros. Of equal elements the first
** counts. a->rows and a->columns are above 0; no row holds a column twice. */
typedef struct ma_sparse_extreme {
  ma_sparse a;
  ma_opcode op; /* maximum, minimum, fmax or fmin */
  void *to;     /* the values, of a's dtype; or NULL */
  int64_t *at;  /* the columns, from 1, of a matrix with sorted rows; or NULL */
} ma_sparse_extreme;

/* x = op(a)^-1 x of a triangular matrix with sorted rows and no column twice; entries of the other triangle are passed
** over. x: rows * width elements in C order. */
typedef struct ma_sparse_triangle {
  ma_sparse a; /* float32, float64, complex64 or complex128 */
  bool lower, unit, transposed;
  int64_t width;
  void *x;
  int32_t *info; /* in device memory: 0, or the first row from 1 whose diagonal is 0 or missing */
} ma_sparse_triangle;

/* A new CSR matrix that a call made. */
typedef struct ma_csr_arrays {
  ma_array indptr, indices, data;
} ma_csr_arrays;

#pragma GCC visibility pop
#endif
