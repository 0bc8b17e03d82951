/* sparse.h: sparse matrices. Operands are arrays as the Lua layer made them; they are checked here. */
#ifndef MOONARRAY_OPS_SPARSE_H
#define MOONARRAY_OPS_SPARSE_H

#include "ops/ops.h"
#include "backend/sparse.h"

#pragma GCC visibility push(hidden)

/* A matrix as its arrays, all of one device and contiguous; backend/sparse.h says what they hold. */
typedef struct ma_sparse_parts {
  ma_sparse_kind kind;
  const ma_array *indptr, *indices, *data;
  int64_t rows, columns;           /* of BLOCKS too those of the matrix */
  int64_t longest;                 /* entries of the longest row; 0: not known */
  const ma_array *order;           /* the places of the entries' values in data, of the indices' dtype; or NULL */
  const int64_t *offsets, *places; /* of DIAGONALS */
  int64_t noffset;
} ma_sparse_parts;

/* y = op(a) x for a vector or a matrix x of a's dtype; x NULL: the sums of the rows. `y` is made if its buffer is
** NULL. */
ma_status ma_sparse_product_run(const ma_sparse_parts *a, bool transposed, const ma_array *x, ma_array *y,
                                ma_stream *stream);
/* Whether the library knows of every write into the array; then the array is as it was if buffer and count are. */
ma_status ma_sparse_writes(const ma_array *array, ma_stream *stream, bool *known, uintptr_t *buffer, uint32_t *writes);
/* Both operands have one dtype and one index dtype. */
ma_status ma_sparse_multiply_run(const ma_sparse_parts *a, const ma_sparse_parts *b, ma_csr_arrays *result,
                                 bool *sorted, ma_stream *stream);
ma_status ma_sparse_combine_run(const ma_sparse_parts *a, const ma_sparse_parts *b, const char *op,
                                ma_csr_arrays *result, ma_stream *stream);
/* The extremes of the rows by op, maximum, minimum, fmax or fmin; or with `positions` their columns, in int64. */
ma_status ma_sparse_extreme_run(const ma_sparse_parts *a, const char *op, bool positions, ma_array *to,
                                ma_stream *stream);
/* Sorted rows; of ENTRIES, and with `sum`, those of one place are added up. */
ma_status ma_sparse_order_run(const ma_sparse_parts *a, bool sum, ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_transpose_run(const ma_sparse_parts *a, ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_expand_run(const ma_sparse_parts *a, ma_array *row, ma_stream *stream);
ma_status ma_sparse_places_run(const ma_sparse_parts *a, const ma_array *row, const ma_array *column, ma_array *to,
                               ma_stream *stream);
ma_status ma_sparse_look_run(const ma_sparse_parts *a, bool *sorted, bool *canonical, ma_stream *stream);
/* Diagonal `shift` of n elements; `to` is made. */
ma_status ma_sparse_diagonal_run(const ma_sparse_parts *a, int64_t shift, int64_t n, ma_array *to, ma_stream *stream);
/* The elements of x y^T at row[k], column[k] of a matrix of x's rows and y's. */
ma_status ma_sparse_sampled_run(const ma_array *row, const ma_array *column, const ma_array *x, const ma_array *y,
                                ma_array *to, ma_stream *stream);
/* A matrix made of one or two (b may be NULL), and of a list or a mask where the kind asks for one. m->kind is set, and
** first, step, columns, sort, height, width and m->a.index (of MA_MAKE_STRIPES) where it asks for them. No result:
** *wrong is a place in the list, or all entries are full. */
ma_status ma_sparse_make_run(const ma_sparse_parts *a, const ma_sparse_parts *b, const ma_array *chosen,
                             ma_sparse_make *m, ma_csr_arrays *result, int64_t *wrong, ma_stream *stream);
/* m->npiece matrices; `pieces` has top and left of each, and m->rows and m->columns are set. */
ma_status ma_sparse_stack_run(const ma_sparse_parts *parts, ma_sparse_piece *pieces, ma_sparse_make *m,
                              ma_csr_arrays *result, ma_stream *stream);
/* x = op(a)^-1 x in place; `info` is made, of one int32. */
ma_status ma_sparse_triangle_run(const ma_sparse_parts *a, bool lower, bool unit, bool transposed, ma_array *x,
                                 ma_array *info, ma_stream *stream);

static inline void ma_sparse_clear(ma_csr_arrays *arrays) {
  arrays->indptr.buffer = arrays->indices.buffer = arrays->data.buffer = NULL;
}

#pragma GCC visibility pop
#endif
