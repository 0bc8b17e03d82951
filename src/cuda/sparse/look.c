/* look.c: what is read of a sparse matrix, by kernels/sparse/csr_look.cuh: a diagonal, the places of entries, their
** order. */
#include "cuda/sparse/sparse.h"

#include "memory/graph.h"

#include <string.h>

#define THREADS 256
#define PART (8 * THREADS) /* entries of a block, the same as in csr_order.cuh */
#define LANES 2

typedef struct variant {
  uint8_t dtype, index;
} variant;

static void print_look(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_put(text, "typedef u8 key;\n");
  ma_ctext_put(text, ma_embedded("csr_order.cuh"));
  ma_ctext_put(text, ma_embedded("csr_look.cuh"));
}

enum { DIAGONAL, PLACES, LOOK };
static const ma_cuda_family family = { "csr_look", { "csr_diagonal", "csr_places", "csr_look" }, print_look, NULL };

static ma_status find(ma_stream *stream, const ma_sparse *a, const CUfunction **entry) {
  variant v = { (uint8_t)a->dtype, (uint8_t)a->index };
  return ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, entry);
}

static look_params params_of(const ma_sparse *a) {
  return (look_params){ .indptr = a->indptr, .indices = a->indices, .data = a->data, .rows = a->rows, .nnz = a->nnz };
}

static ma_status launch(ma_stream *stream, CUfunction function, void **list, int64_t n, int64_t per_block,
                        const char *name, int64_t nbytes) {
  int64_t blocks = (n + per_block - 1) / per_block;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld elements; a GPU takes fewer at once", (long long)n);
  return ma_cuda_launch(stream, function, (unsigned)blocks, THREADS, 0, list, name, nbytes);
}

ma_status ma_cuda_sparse_diagonal(ma_stream *stream, const ma_sparse *a, int64_t shift, int64_t n, void *to) {
  const CUfunction *entry;
  look_params p = params_of(a);
  p.shift = shift;
  p.n = n;
  p.to = to;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(find(stream, a, &entry));
  return launch(stream, entry[DIAGONAL], (void *[]){ &p }, n, THREADS / LANES, "csr_diagonal",
                (a->nnz + a->rows) * ma_dtypes[a->index].itemsize + 2 * n * ma_dtypes[a->dtype].itemsize);
}

ma_status ma_cuda_sparse_places(ma_stream *stream, const ma_sparse *a, const int64_t *row, const int64_t *column,
                                int64_t n, int64_t *to) {
  const CUfunction *entry;
  look_params p = params_of(a);
  p.row = row;
  p.column = column;
  p.n = n;
  p.to = to;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(find(stream, a, &entry));
  return launch(stream, entry[PLACES], (void *[]){ &p }, n, THREADS, "csr_places",
                n * 24 + a->rows * ma_dtypes[a->index].itemsize);
}

ma_status ma_cuda_sparse_look(ma_stream *stream, const ma_sparse *a, bool *sorted, bool *canonical) {
  const CUfunction *entry;
  ma_buffer *scratch;
  uint32_t seen[2];
  look_params p = params_of(a);
  *sorted = *canonical = true;
  if (a->nnz < 2 || a->rows == 0) return MA_OK;
  MA_TRY(ma_cuda_enter(stream->device));
  if (stream->capture) return ma_capture_refuse(stream);
  MA_TRY(find(stream, a, &entry));
  MA_TRY(ma_cuda_scratch(stream, sizeof seen, &scratch));
  p.to = scratch->ptr;
  CUresult cleared = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)p.to, 0, sizeof seen, ma_cuda_queue(stream));
  ma_status status = cleared == CUDA_SUCCESS ? MA_OK : ma_cuda_fail(MA_CU_cuMemsetD8Async, cleared);
  if (status == MA_OK)
    status = launch(stream, entry[LOOK], (void *[]){ &p }, a->nnz, PART, "csr_look",
                    (a->nnz + a->rows) * ma_dtypes[a->index].itemsize);
  if (status == MA_OK) status = ma_cuda_peek_bytes(stream, seen, p.to, sizeof seen);
  ma_buffer_release(scratch);
  if (status != MA_OK) return status;
  *sorted = !seen[0];
  *canonical = !seen[0] && !seen[1];
  return MA_OK;
}

ma_status ma_cuda_sparse_look_source(ma_dtype dtype, ma_dtype index, char **source) {
  variant v = { (uint8_t)dtype, (uint8_t)index };
  return ma_cuda_source(&family, &v, source);
}
