/* banded.c: banded systems, by kernels/linalg/banded.cuh. */
#include "cuda/cuda.h"
#include "cuda/library/solver.h"

#define THREADS 32 /* few, so that a few hundred right sides are on many multiprocessors */

typedef struct variant {
  uint8_t lower, upper;
} variant;

static void print_banded(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_add(text, "#define LOWER %d\n#define UPPER %d\n", v->lower, v->upper);
  ma_ctext_put(text, ma_embedded("banded.cuh"));
}

const ma_cuda_family ma_cuda_banded_family = { "banded", { "factor_bands", "solve_bands" }, print_banded, NULL };

ma_status ma_cuda_linalg_banded(ma_stream *stream, const ma_banded *s) {
  variant v = { (uint8_t)s->lower, (uint8_t)s->upper };
  const CUfunction *entry;
  void *bands = s->bands, *b = s->b;
  int64_t n = s->n, columns = s->columns, blocks = (columns + THREADS - 1) / THREADS;
  if (blocks > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld right sides; at most 2^31 times %d", (long long)columns, THREADS);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &ma_cuda_banded_family, &v, sizeof v, &v, &entry));
  MA_TRY(ma_cuda_launch(stream, entry[0], 1, 32, 0, (void *[]){ &bands, &n }, "factor_bands",
                        2 * n * (s->lower + 1 + s->upper) * 8));
  return ma_cuda_launch(stream, entry[1], (unsigned)blocks, THREADS, 0, (void *[]){ &bands, &b, &n, &columns },
                        "solve_bands", 4 * n * columns * 8);
}
