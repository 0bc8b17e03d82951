/* sparse.h: sparse matrices. Operands are arrays as the Lua layer made them; they are checked here. */
#ifndef MOONARRAY_OPS_SPARSE_H
#define MOONARRAY_OPS_SPARSE_H

#include "ops/ops.h"
#include "backend/sparse.h"

#pragma GCC visibility push(hidden)

/* A matrix in CSR as its arrays, all of one device; contiguous, of one axis. */
typedef struct ma_csr_parts {
  const ma_array *indptr, *indices, *data;
  int64_t rows, columns;
  int64_t longest;       /* entries of the longest row; 0: not known */
  const ma_array *order; /* of a product: the places of the entries' values in data, of the indices' dtype; or NULL */
} ma_csr_parts;

/* y = op(a) x for a vector or a matrix x of a's dtype. `y` is made if its buffer is NULL. */
ma_status ma_sparse_product_run(const ma_csr_parts *a, bool transposed, const ma_array *x, ma_array *y,
                                ma_stream *stream);
/* The sums of the rows; `y` is made. */
ma_status ma_sparse_sums_run(const ma_csr_parts *a, ma_array *y, ma_stream *stream);
/* Whether the library knows of every write into the array; then the array is as it was if buffer and count are. */
ma_status ma_sparse_writes(const ma_array *array, ma_stream *stream, bool *known, uintptr_t *buffer, uint32_t *writes);
/* Both operands have one dtype and one index dtype. */
ma_status ma_sparse_multiply_run(const ma_csr_parts *a, const ma_csr_parts *b, ma_csr_arrays *result, bool *sorted,
                                 ma_stream *stream);
ma_status ma_sparse_combine_run(const ma_csr_parts *a, const ma_csr_parts *b, const char *op, ma_csr_arrays *result,
                                ma_stream *stream);
/* The extremes of the rows by op, maximum, minimum, fmax or fmin; or with `positions` their columns, in int64. `to`
** stays without a buffer if the device has no such slot. */
ma_status ma_sparse_extreme_run(const ma_csr_parts *a, const char *op, bool positions, ma_array *to, ma_stream *stream);
/* In `a`, indptr stands for the rows: one for each entry. */
ma_status ma_sparse_compress_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_transpose_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream);
/* result->indptr stays without a buffer. */
ma_status ma_sparse_sort_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream);
/* The entries where `mask`, of bool, is true. result->data stays without a buffer if the device has no such slot. */
ma_status ma_sparse_select_run(const ma_csr_parts *a, const ma_array *mask, ma_csr_arrays *result, ma_stream *stream);
/* Diagonal `shift` of n elements; `to` is made. */
ma_status ma_sparse_diagonal_run(const ma_csr_parts *a, int64_t shift, int64_t n, ma_array *to, ma_stream *stream);
/* The rows of a list of int64. *wrong: 0, or the place in the list of a row that is not there, and no result. */
ma_status ma_sparse_rows_run(const ma_csr_parts *a, const ma_array *list, ma_csr_arrays *result, int64_t *wrong,
                             ma_stream *stream);
/* The row of each of `nnz` entries; a->indices and a->data are not used. */
ma_status ma_sparse_expand_run(const ma_csr_parts *a, int64_t nnz, ma_array *row, ma_stream *stream);
/* The results of these five stay without buffers, or *known is false, if the device has no
** such slot. */
ma_status ma_sparse_places_run(const ma_csr_parts *a, const ma_array *row, const ma_array *column, ma_array *to,
                               ma_stream *stream);
ma_status ma_sparse_look_run(const ma_csr_parts *a, bool *known, bool *sorted, bool *canonical, ma_stream *stream);
/* Of a matrix of blocks: data has three axes, rows and columns count blocks. */
ma_status ma_sparse_unblock_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_blocks_run(const ma_csr_parts *a, const ma_array *x, ma_array *y, ma_stream *stream);
/* d->data and what follows from `data` is filled in here. */
ma_status ma_sparse_stripes_run(ma_dia *d, const ma_array *data, ma_dtype index, ma_csr_arrays *result,
                                ma_stream *stream);
/* x = op(a)^-1 x in place; `info` is made, of one int32. */
ma_status ma_sparse_triangle_run(const ma_csr_parts *a, bool lower, bool unit, bool transposed, ma_array *x,
                                 ma_array *info, ma_stream *stream);

#pragma GCC visibility pop
#endif
