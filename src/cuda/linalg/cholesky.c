/* cholesky.c: Cholesky's factors of many small matrices by one kernel, which needs no list of addresses. cuSOLVER's
** potrfBatched takes several times as long. */
#include "cuda/library/solver.h"

typedef struct variant {
  uint8_t dtype, rows;
} variant;

/* The same struct is in kernels/linalg/cholesky.cuh. */
typedef struct cholesky_params {
  void *a;
  int32_t *info;
  int64_t count, step, ld;
  int32_t n;
} cholesky_params;

#define THREADS 128 /* of a block */

static void print_cholesky(ma_ctext *text, const void *what) {
  const variant *v = what;
  bool is_double = v->dtype == MA_FLOAT64 || v->dtype == MA_COMPLEX128;
  ma_ctext_add(text, "typedef %s real;\n#define COMPLEX %d\n#define N %d\n#define THREADS %d\n",
               is_double ? "double" : "float", ma_dtypes[v->dtype].kind == MA_KIND_COMPLEX, v->rows, THREADS);
  ma_ctext_put(text, ma_embedded("cholesky.cuh"));
}

static const ma_cuda_family cholesky_family = { "cholesky", { "cholesky" }, print_cholesky, NULL };

static variant variant_of(ma_dtype dtype, int64_t rows) {
  variant v = { .dtype = (uint8_t)dtype, .rows = 4 };
  while (v.rows < rows) v.rows = (uint8_t)(2 * v.rows);
  return v;
}

ma_status ma_cuda_cholesky_small(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info) {
  variant v = variant_of(dtype, a->rows);
  const variant general = variant_of(dtype, MA_LINALG_SMALL); /* for the most rows, which serves all */
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
  variant v = variant_of(dtype, rows);
  return ma_cuda_source(&cholesky_family, &v, source);
}
