/* sampled.c: the elements of a product at the places of entries, by kernels/sparse/coo_sampled.cuh. */
#include "cuda/sparse/sparse.h"

#include <string.h>

#define THREADS 256

typedef struct variant {
  uint8_t dtype, index, lanes, vec;
} variant;

static void print_sampled(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_cuda_print_csr(text, (ma_dtype)v->dtype, (ma_dtype)v->index);
  ma_ctext_add(text, "#define LANES %d\n#define VEC %d\n", v->lanes, v->vec);
  ma_ctext_put(text, ma_embedded("coo_sampled.cuh"));
}

static const ma_cuda_family family = { "coo_sampled", { "coo_sampled" }, print_sampled, NULL };

/* How many elements a thread loads at once: 16 bytes of them, if every row begins at a multiple of 16. */
static uint8_t vec_for(ma_dtype dtype, int64_t inner, const void *x, const void *y) {
  size_t size = (size_t)ma_dtypes[dtype].itemsize, vec = 16 / size;
  while (vec > 1 && ((size_t)inner % vec || ((uintptr_t)x | (uintptr_t)y) % (vec * size))) vec /= 2;
  return (uint8_t)vec;
}

/* A thread has two loads of each operand on their way. */
ma_status ma_cuda_sparse_sampled(ma_stream *stream, const ma_sparse *a, int64_t inner, const void *x, const void *y,
                                 void *to) {
  variant v;
  const CUfunction *entry;
  memset(&v, 0, sizeof v);
  v.dtype = (uint8_t)a->dtype;
  v.index = (uint8_t)a->index;
  v.vec = vec_for(a->dtype, inner, x, y);
  v.lanes = ma_cuda_csr_lanes((inner + 2 * v.vec - 1) / (2 * v.vec));
  sampled_params p = { a->indptr, a->indices, x, y, to, a->rows, a->columns, a->nnz, inner };
  int64_t per_block = THREADS / v.lanes, blocks = (a->nnz + per_block - 1) / per_block;
  int64_t size = ma_dtypes[a->dtype].itemsize;
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld entries; a GPU takes fewer at once", (long long)a->nnz);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], (unsigned)blocks, THREADS, 0, (void *[]){ &p }, "coo_sampled",
                        a->nnz * (2 * ma_dtypes[a->index].itemsize + size) + (a->rows + a->columns) * inner * size);
}

ma_status ma_cuda_sparse_sampled_source(ma_dtype dtype, ma_dtype index, char **source) {
  variant v = {
    .dtype = (uint8_t)dtype, .index = (uint8_t)index, .lanes = 4, .vec = (uint8_t)(16 / ma_dtypes[dtype].itemsize)
  };
  return ma_cuda_source(&family, &v, source);
}
