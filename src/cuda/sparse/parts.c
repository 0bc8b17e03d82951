/* parts.c: a diagonal, and rows in the order of a list, of a sparse matrix, by kernels/sparse/csr_parts.cuh. */
#include "cuda/sparse/sparse.h"

#include "memory/graph.h"

#include <string.h>

#define THREADS 256
#define PART (8 * THREADS) /* entries of a block, the same as in csr_order.cuh */
#define LANES 2

typedef struct variant {
  uint8_t dtype, index;
} variant;

/* The same struct is in csr_parts.cuh. */
typedef struct parts_params {
  const void *indptr, *indices, *data;
  const int64_t *list;
  uint64_t *wrong;
  void *to_indptr, *to_indices, *to_data;
  int64_t rows, nnz, n, shift;
} parts_params;

static void print_parts(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_put(text, "typedef u8 key;\n");
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
  ma_ctext_put(text, ma_embedded("csr_parts.cuh"));
}

enum { DIAGONAL, COUNT, COPY };
static const ma_cuda_family family = { "csr_parts", { "csr_diagonal", "list_count", "list_copy" }, print_parts, NULL };

static ma_status find(ma_stream *stream, const ma_csr *a, const CUfunction **entry) {
  variant v = { (uint8_t)a->dtype, (uint8_t)a->index };
  return ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, entry);
}

static parts_params params_of(const ma_csr *a) {
  return (parts_params){ .indptr = a->indptr, .indices = a->indices, .data = a->data, .rows = a->rows, .nnz = a->nnz };
}

static ma_status launch(ma_stream *stream, CUfunction function, void **list, int64_t n, int64_t per_block,
                        const char *name, int64_t nbytes) {
  int64_t blocks = (n + per_block - 1) / per_block;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld elements; a GPU takes fewer at once", (long long)n);
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, list, name, nbytes);
}

ma_status ma_cuda_sparse_diagonal(ma_stream *stream, const ma_csr *a, int64_t shift, int64_t n, void *to) {
  const CUfunction *entry;
  parts_params p = params_of(a);
  p.shift = shift;
  p.n = n;
  p.to_data = to;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(find(stream, a, &entry));
  return launch(stream, entry[DIAGONAL], (void *[]){ &p }, n, THREADS / LANES, "csr_diagonal",
                (a->nnz + a->rows) * ma_dtypes[a->index].itemsize + 2 * n * ma_dtypes[a->dtype].itemsize);
}

/* ==== Rows ======================================================================================================== */

/* The first place in the list whose row is missing, and the result's last end, which are read together. */
typedef struct report {
  uint64_t wrong;
  int64_t end;
} report;

static ma_status count(ma_stream *stream, const ma_csr *a, const CUfunction *entry, parts_params *p, report *at,
                       report *seen) {
  size_t size = ma_dtypes[a->index].itemsize;
  void *lengths = p->to_indptr, *last;
  int32_t narrow;
  MA_CU(cuMemsetD8Async, (CUdeviceptr)(uintptr_t)at, 0xff, sizeof *at, stream->handle);
  p->wrong = &at->wrong;
  p->to_indptr = at + 1;
  MA_TRY(launch(stream, entry[COUNT], (void *[]){ p }, p->n, THREADS, "list_count", p->n * 24));
  MA_TRY(ma_cuda_csr_ends(stream, a->index, p->n + 1, at + 1, lengths));
  last = (char *)lengths + (size_t)p->n * size;
  p->to_indptr = lengths;
  MA_TRY(ma_cuda_copy(stream, &at->end, last, size, MA_COPY_WITHIN));
  MA_TRY(ma_cuda_peek_bytes(stream, seen, at, sizeof *seen));
  memcpy(&narrow, &seen->end, sizeof narrow);
  if (size == 4) seen->end = (uint32_t)narrow;
  return seen->wrong == UINT64_MAX ? ma_cuda_csr_fits(a->index, seen->end - 1) : MA_OK;
}

static ma_status rows(ma_stream *stream, const ma_csr *a, parts_params *p, report *at, ma_csr_arrays *result,
                      int64_t *wrong) {
  const CUfunction *entry;
  report seen;
  MA_TRY(find(stream, a, &entry));
  MA_TRY(ma_cuda_csr_array(stream, a->index, p->n + 1, &result->indptr, &p->to_indptr));
  MA_TRY(count(stream, a, entry, p, at, &seen));
  if (seen.wrong != UINT64_MAX) {
    *wrong = (int64_t)seen.wrong + 1;
    return MA_OK;
  }
  p->nnz = seen.end - 1;
  MA_TRY(ma_cuda_csr_array(stream, a->index, p->nnz, &result->indices, &p->to_indices));
  MA_TRY(ma_cuda_csr_array(stream, a->dtype, p->nnz, &result->data, &p->to_data));
  if (p->nnz == 0) return MA_OK;
  int64_t from = a->nnz;
  return launch(stream, entry[COPY], (void *[]){ p, &from }, p->nnz, PART, "list_copy",
                2 * p->nnz * (ma_dtypes[a->dtype].itemsize + ma_dtypes[a->index].itemsize));
}

ma_status ma_cuda_sparse_rows(ma_stream *stream, const ma_csr *a, const int64_t *list, int64_t n, ma_csr_arrays *result,
                              int64_t *wrong) {
  ma_buffer *scratch;
  *wrong = 0;
  MA_TRY(ma_cuda_enter(stream->device));
  if (n == 0) return ma_cuda_csr_empty(stream, a->dtype, a->index, 0, result);
  if (stream->capture) return ma_capture_refuse(stream);
  memset(result, 0, sizeof *result);
  MA_TRY(ma_cuda_scratch(stream, sizeof(report) + (size_t)(n + 1) * ma_dtypes[a->index].itemsize, &scratch));
  parts_params p = params_of(a);
  p.list = list;
  p.n = n;
  ma_status status = rows(stream, a, &p, scratch->ptr, result, wrong);
  if (status != MA_OK || *wrong) ma_cuda_csr_drop(result);
  ma_buffer_release(scratch);
  return status;
}

ma_status ma_cuda_sparse_parts_source(ma_dtype dtype, ma_dtype index, char **source) {
  variant v = { (uint8_t)dtype, (uint8_t)index };
  ma_ctext text = { 0 };
  ma_cuda_print(&text, &family, &v);
  if (text.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *source = text.bytes;
  return MA_OK;
}
