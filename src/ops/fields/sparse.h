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
/* ---- sparse_formats.c: results stay without buffers, or *known is false, if the device has no such slot ---- */

ma_status ma_sparse_places_run(const ma_csr_parts *a, const ma_array *row, const ma_array *column, ma_array *to,
                               ma_stream *stream);
ma_status ma_sparse_look_run(const ma_csr_parts *a, bool *known, bool *sorted, bool *canonical, ma_stream *stream);
/* Of a matrix of blocks: data has three axes, rows and columns count blocks. */
ma_status ma_sparse_unblock_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_blocks_run(const ma_csr_parts *a, const ma_array *x, ma_array *y, ma_stream *stream);
/* d->data and what follows from `data` is filled in here. */
ma_status ma_sparse_stripes_run(ma_dia *d, const ma_array *data, ma_dtype index, ma_csr_arrays *result,
                                ma_stream *stream);
/* y = d x; the rest of *d is filled in here. */
ma_status ma_sparse_striped_run(ma_dia *d, const ma_array *data, const ma_array *x, ma_array *y, ma_stream *stream);
/* y = a x; in `a`, indptr stands for the rows, one for each entry. */
ma_status ma_sparse_entries_run(const ma_csr_parts *a, const ma_array *x, ma_array *y, ma_stream *stream);
/* The elements of x y^T at row[k], column[k] of a matrix of x's rows and y's. */
ma_status ma_sparse_sampled_run(const ma_array *row, const ma_array *column, const ma_array *x, const ma_array *y,
                                ma_array *to, ma_stream *stream);
/* The entries that are not 0; no result if all are. */
ma_status ma_sparse_drop_run(const ma_csr_parts *a, bool *known, ma_csr_arrays *result, ma_stream *stream);
/* The CSR of blocks, whose data is a vector; rows are sorted and hold no column twice. */
ma_status ma_sparse_block_run(const ma_csr_parts *a, int64_t height, int64_t width, ma_csr_arrays *result,
                              ma_stream *stream);
/* `pieces` has top and left of each, and the rest is filled in here. */
ma_status ma_sparse_stack_run(const ma_csr_parts *parts, ma_sparse_piece *pieces, ma_sparse_stack *stack,
                              ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_kron_run(const ma_csr_parts *a, const ma_csr_parts *b, ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_unite_run(const ma_csr_parts *a, ma_csr_arrays *result, ma_stream *stream);
ma_status ma_sparse_put_run(const ma_csr_parts *a, const ma_csr_parts *b, ma_csr_arrays *result, ma_stream *stream);
/* list: of int64, or NULL for job->first, step and count. *wrong: 0, or the place in the list of a column that is not
** there, and no result. */
ma_status ma_sparse_columns_run(const ma_csr_parts *a, const ma_array *list, ma_sparse_columns *job,
                                ma_csr_arrays *result, int64_t *wrong, ma_stream *stream);

/* ---- sparse.c ---- */

/* x = op(a)^-1 x in place; `info` is made, of one int32. */
ma_status ma_sparse_triangle_run(const ma_csr_parts *a, bool lower, bool unit, bool transposed, ma_array *x,
                                 ma_array *info, ma_stream *stream);

/* The matrix for a backend; `first` is the number of elements that its first array has. */
ma_status ma_sparse_csr_of(const ma_csr_parts *parts, int64_t first, ma_stream *stream, ma_csr *a);
/* The entries of a matrix whose indptr stands for the rows. */
ma_coo ma_sparse_entries_of(const ma_csr *a);
/* Fails unless both have one dtype and one index dtype. */
ma_status ma_sparse_one_kind(const ma_csr *a, const ma_csr *b);
bool ma_sparse_is_vector(const ma_array *a, int64_t size); /* contiguous */
bool ma_sparse_is_taken(ma_dtype dtype);                   /* by sparse matrices */
ma_status ma_sparse_check_index(const ma_array *a, const ma_array *like, int64_t size, const char *what);
/* Arrays for a->nnz entries of a's dtypes; rows < 0: no indptr. On failure some are made. */
ma_status ma_sparse_make_room(ma_csr_arrays *arrays, const ma_csr *a, int64_t rows, ma_device *device,
                              ma_stream *stream, ma_csr_room *room);
void ma_sparse_release(ma_csr_arrays *arrays);
static inline void ma_sparse_clear(ma_csr_arrays *arrays) {
  arrays->indptr.buffer = arrays->indices.buffer = arrays->data.buffer = NULL;
}

#pragma GCC visibility pop
#endif
