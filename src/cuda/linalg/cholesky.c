/* cholesky.c: Cholesky's factors of many small matrices by one kernel, which needs no list of addresses. cuSOLVER's
** potrfBatched takes several times as long. */
#include "cuda/linalg/small.h"
#include "cuda/library/solver.h"

/* The same struct is in kernels/linalg/cholesky.cuh. */
typedef struct cholesky_params {
  void *a;
  int32_t *info;
  int64_t count, step, ld;
  int32_t n;
} cholesky_params;

#define THREADS 128 /* of a block */

static void print_cholesky(ma_ctext *text, const void *what) { ma_small_print(text, what, THREADS, "cholesky.cuh"); }

static const ma_cuda_family cholesky_family = { "cholesky", { "cholesky" }, print_cholesky, NULL };

ma_status ma_cuda_cholesky_small(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info) {
  ma_small_variant v = ma_small_variant_of(dtype, a->rows);
  /* for the most rows, which serves all */
  const ma_small_variant general = ma_small_variant_of(dtype, MA_LINALG_SMALL);
  const CUfunction *entry;
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel_either(ma_cuda_state(stream), &cholesky_family, &v, &general, sizeof v, &entry));
  int per_block = THREADS / v.rows;
  int64_t blocks = (a->count + per_block - 1) / per_block;
  if (blocks > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld matrices; at most 2^31 times %d", (long long)a->count, per_block);
  cholesky_params p = { a->data, info, a->count, a->step, a->ld, (int32_t)a->rows };
  return ma_cuda_launch(stream, entry[0], (unsigned)blocks, THREADS, 0, (void *[]){ &p }, "cholesky",
                        a->count * a->rows * (a->rows + 1) * ma_dtypes[dtype].itemsize);
}

ma_status ma_cuda_cholesky_source(ma_dtype dtype, int64_t rows, char **source) {
  ma_small_variant v = ma_small_variant_of(dtype, rows);
  return ma_cuda_source(&cholesky_family, &v, source);
}
