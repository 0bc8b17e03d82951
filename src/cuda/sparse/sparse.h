/* sparse.h: the slots of sparse matrices, and what their files share. */
#ifndef MA_CUDA_SPARSE_H
#define MA_CUDA_SPARSE_H

#include "array/array.h"
#include "backend/sparse.h"
#include "cuda/cuda.h"

#define PARAM_INDEX void
#define PARAM_VALUE void
#include "kernels/sparse/params.h"

#pragma GCC visibility push(hidden)

/* multiply.c: the rows of A B of one class, or if `classes` is NULL all of them; the others are empty. Waits. */
ma_status ma_cuda_sparse_multiply_long(ma_stream *stream, const ma_sparse *a, const ma_sparse *b,
                                       const uint8_t *classes, uint32_t only, ma_csr_arrays *result);

/* ==== csr.c ======================================================================================================= */

/* Fails if positions cannot count as many entries. */
ma_status ma_cuda_csr_fits(ma_dtype index, int64_t nnz);
/* indptr of n - 1 rows: the sums of n counts, the first of which is 1 and the others lengths of rows. */
ma_status ma_cuda_csr_ends(ma_stream *stream, ma_dtype index, int64_t n, void *counts, void *indptr);

#define MA_CSR_CHUNK 1024 /* entries of a long row that a warp takes */

/* An empty list for rows of more than `limit` entries, with result_bytes for each chunk and `strips` counters of those
** that are done, in scratch memory that the caller releases. */
ma_status ma_cuda_csr_list(ma_stream *stream, int64_t nnz, int64_t limit, size_t result_bytes, size_t strips,
                           long_list *list, ma_buffer **memory);
/* Threads that take a row: a power of 2 from 1 to 32, at least n where it can be. */
uint8_t ma_cuda_csr_lanes(int64_t n);

/* ==== order.c ===================================================================================================== */

/* Keys of places: (row - 1) << shift | (column - 1), in 64 bits if `wide`. */
typedef struct ma_coo_keys {
  char *scratch; /* ma_cuda_coo_scratch bytes; the keys lie at ma_cuda_coo_keys_at */
  uint32_t shift;
  bool wide;
} ma_coo_keys;
ma_status ma_cuda_coo_keys(int64_t rows, int64_t columns, ma_coo_keys *keys);
size_t ma_cuda_coo_scratch(int64_t nnz);
void *ma_cuda_coo_keys_at(const ma_coo_keys *keys, int64_t nnz);
/* Sorts the keys of a's entries, whose rows and columns are not read, and adds up those of one place. Writes a->rows +
** 1 elements of indptr, which count from before + 1, and makes indices and data; waits. */
ma_status ma_cuda_coo_finish(ma_stream *stream, const ma_sparse *a, const ma_coo_keys *keys, void *indptr,
                             int64_t before, ma_csr_arrays *result);
/* counts[k] becomes the sum of those before it, and counts[parts] that of all. */
ma_status ma_cuda_csr_offsets(ma_stream *stream, ma_dtype dtype, ma_dtype index, bool wide, int64_t *counts,
                              int64_t parts);
/* The same, and *all is the sum of all; waits. */
ma_status ma_cuda_csr_scan(ma_stream *stream, ma_dtype dtype, ma_dtype index, bool wide, int64_t *counts, int64_t parts,
                           int64_t *all);
/* A new array of one axis, and its memory: NULL if n is 0. */
ma_status ma_cuda_csr_array(ma_stream *stream, ma_dtype dtype, int64_t n, ma_array *made, void **at);
ma_status ma_cuda_csr_empty(ma_stream *stream, ma_dtype dtype, ma_dtype index, int64_t rows, ma_csr_arrays *result);
void ma_cuda_csr_drop(ma_csr_arrays *made);
/* The transpose, in scratch memory that the caller releases. */
ma_status ma_cuda_csr_turn(ma_stream *stream, const ma_sparse *a, ma_sparse *turned, ma_buffer **memory);

/* Prints what csr.cuh needs, and csr.cuh. */
void ma_cuda_print_csr(ma_ctext *text, ma_dtype dtype, ma_dtype index);
/* Prints program() for an operation on two values as well. */
void ma_cuda_print_csr_op(ma_ctext *text, ma_opcode op, ma_dtype dtype, ma_dtype index);

/* ==== Texts ======================================================================================================= */

/* The text of the kernels of one product, to compile it without a device. way: 0 by rows, 1 wide, 2 streamed. */
ma_status ma_cuda_sparse_product_source(ma_dtype dtype, ma_dtype index, int way, bool list, char **source);
ma_status ma_cuda_sparse_striped_source(ma_dtype dtype, char **source);
ma_status ma_cuda_sparse_order_source(ma_dtype dtype, ma_dtype index, bool wide_keys, char **source);
ma_status ma_cuda_sparse_triangle_source(ma_dtype dtype, ma_dtype index, bool lower, bool unit, char **source);
ma_status ma_cuda_sparse_multiply_source(ma_dtype dtype, ma_dtype index, bool wide_keys, char **source);
/* The kernels of rows of up to `most` products: 8, 16 ... 512, 4096. */
ma_status ma_cuda_sparse_short_source(ma_dtype dtype, ma_dtype index, int most, bool wide_tags, char **source);
ma_status ma_cuda_sparse_look_source(ma_dtype dtype, ma_dtype index, char **source);
ma_status ma_cuda_sparse_make_source(ma_dtype dtype, ma_dtype index, int kind, char **source);
ma_status ma_cuda_sparse_sampled_source(ma_dtype dtype, ma_dtype index, char **source);
ma_status ma_cuda_sparse_extreme_source(ma_opcode op, ma_dtype dtype, ma_dtype index, bool list, bool arg,
                                        char **source);
ma_status ma_cuda_sparse_combine_source(ma_opcode op, ma_dtype dtype, ma_dtype index, ma_dtype result, char **source);

#pragma GCC visibility pop
#endif
