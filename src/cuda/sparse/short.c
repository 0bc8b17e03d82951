/*
** short.c: products of two sparse matrices whose rows come from few products, as those of grids do, by
** kernels/sparse/csr_short.cuh: no product is written to memory or sorted there.
*/
#include "cuda/sparse/sparse.h"

#include <string.h>

#define THREADS 256
#define MOST 32 /* products that a warp takes */

typedef struct variant {
  uint8_t dtype, index;
} variant;

/* The same struct is in csr_short.cuh. */
typedef struct short_params {
  const void *a_indptr, *a_indices, *b_indptr, *b_indices, *a_data, *b_data;
  int64_t *counts;
  void *to_indptr, *to_indices, *to_data;
  int64_t rows, a_nnz, b_rows, b_columns, b_nnz;
} short_params;

static void print_short(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_put(text, "typedef u8 key;\n");
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
  ma_ctext_put(text, ma_embedded("csr_short.cuh"));
}

static const ma_cuda_family family = { "csr_short", { "short_most", "short_count", "short_fill" }, print_short, NULL };

static ma_status launch(ma_stream *stream, CUfunction function, short_params *p, int64_t per_block, const char *name,
                        int64_t nbytes) {
  int64_t blocks = (p->rows + per_block - 1) / per_block;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld rows; a GPU takes fewer at once", (long long)p->rows);
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, (void *[]){ p }, name, nbytes);
}

static ma_status set(ma_stream *stream, void *at, size_t nbytes) {
  MA_CU(cuMemsetD8Async, (CUdeviceptr)(uintptr_t)at, 0, nbytes, stream->handle);
  return MA_OK;
}

/* to[k] = the sum of counts[0] .. counts[k], the first of which is 1. */
static ma_status scan(ma_stream *stream, ma_dtype index, int64_t n, void *counts, void *to) {
  ma_program program;
  int64_t size = ma_dtypes[index].itemsize;
  ma_scan job = { .op = MA_REDUCE_sum, .program = &program, .result = index, .data = { to, counts } };
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, index));
  job.space = (ma_space){ .ndim = 2, .noperand = 2, .shape = { 1, n }, .stride = { { 0, size }, { 0, size } } };
  return ma_cuda_scan(stream, &job);
}

static ma_status last_of(ma_stream *stream, ma_dtype index, const char *indptr, int64_t rows, int64_t *nnz) {
  int32_t narrow = 0;
  size_t size = ma_dtypes[index].itemsize;
  if (size == 8) MA_TRY(ma_cuda_peek_bytes(stream, nnz, indptr + (size_t)rows * 8, 8));
  else {
    MA_TRY(ma_cuda_peek_bytes(stream, &narrow, indptr + (size_t)rows * 4, 4));
    *nnz = narrow;
  }
  --*nnz;
  return MA_OK;
}

static ma_status fill(ma_stream *stream, const ma_csr *a, const CUfunction *entry, short_params *p, void *counts,
                      ma_csr_arrays *result) {
  int64_t size = ma_dtypes[a->dtype].itemsize + ma_dtypes[a->index].itemsize, nnz;
  void *indptr;
  p->to_indptr = counts;
  MA_TRY(launch(stream, entry[1], p, THREADS / 32, "short_count", a->nnz * size));
  MA_TRY(ma_cuda_csr_array(stream, a->index, a->rows + 1, &result->indptr, &indptr));
  MA_TRY(scan(stream, a->index, a->rows + 1, counts, indptr));
  MA_TRY(last_of(stream, a->index, indptr, a->rows, &nnz));
  p->to_indptr = indptr;
  MA_TRY(ma_cuda_csr_array(stream, a->index, nnz, &result->indices, &p->to_indices));
  MA_TRY(ma_cuda_csr_array(stream, a->dtype, nnz, &result->data, &p->to_data));
  return launch(stream, entry[2], p, THREADS / 32, "short_fill", (a->nnz + nnz) * size);
}

ma_status ma_cuda_sparse_multiply_short(ma_stream *stream, const ma_csr *a, const ma_csr *b, ma_csr_arrays *result,
                                        bool *ran) {
  variant v = { (uint8_t)a->dtype, (uint8_t)a->index };
  const CUfunction *entry;
  ma_buffer *scratch;
  int64_t most = 0;
  *ran = false;
  if (a->nnz > a->rows * MOST) return MA_OK;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  MA_TRY(ma_cuda_scratch(stream, 16 + (size_t)(a->rows + 1) * ma_dtypes[a->index].itemsize, &scratch));
  short_params p = { .a_indptr = a->indptr,
                     .a_indices = a->indices,
                     .b_indptr = b->indptr,
                     .b_indices = b->indices,
                     .a_data = a->data,
                     .b_data = b->data,
                     .counts = scratch->ptr,
                     .rows = a->rows,
                     .a_nnz = a->nnz,
                     .b_rows = b->rows,
                     .b_columns = b->columns,
                     .b_nnz = b->nnz };
  ma_status status = set(stream, p.counts, sizeof *p.counts);
  if (status == MA_OK) status = launch(stream, entry[0], &p, THREADS, "short_most", a->nnz * 12);
  if (status == MA_OK) status = ma_cuda_peek_bytes(stream, &most, p.counts, sizeof most);
  if (status == MA_OK && most <= MOST) {
    *ran = true;
    status = fill(stream, a, entry, &p, (char *)scratch->ptr + 16, result);
  }
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_sparse_short_source(ma_dtype dtype, ma_dtype index, char **source) {
  variant v = { (uint8_t)dtype, (uint8_t)index };
  ma_ctext text = { 0 };
  ma_cuda_print(&text, &family, &v);
  if (text.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *source = text.bytes;
  return MA_OK;
}
