/* pairs.c: distances of all pairs of rows, by kernels/spatial/pairs.cuh. */
#include "cuda/cuda.h"
#include "cuda/spatial/spatial.h"

#include <string.h>

#define TILE 64 /* the same as in pairs.cuh */
#define THREADS 256

typedef struct variant {
  uint8_t dtype, metric, weighted, triangle;
} variant;

typedef struct metric_text {
  const char *step, *finish;
} metric_text;

static const metric_text metrics[MA_NMETRIC] = {
#define METRIC(name, step, finish) { #step, #finish },
#include "kernels/spatial/metrics.h"
};

static void print_pairs(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_add(text, "typedef %s T;\n#define WEIGHTED %d\n#define TRIANGLE %d\n",
               v->dtype == MA_FLOAT32 ? "float" : "double", v->weighted, v->triangle);
  const metric_text *m = &metrics[v->metric];
  bool calls = strstr(m->step, "LOG") || strstr(m->step, "POW");
  ma_ctext_add(text, "#define STEP %s\n#define FINISH %s\n#define UNROLL %d\n", m->step, m->finish,
               calls                  ? 1
               : strchr(m->step, '/') ? 4
                                      : 16);
  ma_ctext_put(text, ma_embedded("pairs.cuh"));
}

static const ma_cuda_family family = { "pairs", { "pairs" }, print_pairs, NULL };

static variant variant_of(ma_dtype dtype, ma_metric metric, bool weighted, bool triangle) {
  return (variant){ (uint8_t)dtype, (uint8_t)metric, weighted, triangle };
}

/* The parameter of the kernel, whose p is of the dtype and comes last. */
typedef struct params {
  const void *x, *y, *weights;
  void *to;
  int64_t m, n, k, columns;
  union {
    float f4;
    double f8;
  } p;
} params;

ma_status ma_cuda_pairs(ma_stream *stream, const ma_pairs *pairs) {
  variant v = variant_of(pairs->dtype, pairs->metric, pairs->weights != NULL, pairs->triangle);
  const CUfunction *entry;
  int64_t size = ma_dtypes[pairs->dtype].itemsize, rows = (pairs->m + TILE - 1) / TILE;
  params p = { .x = pairs->x,
               .y = pairs->y,
               .weights = pairs->weights,
               .to = pairs->to,
               .m = pairs->m,
               .n = pairs->n,
               .k = pairs->k,
               .columns = (pairs->n + TILE - 1) / TILE };
  if (pairs->dtype == MA_FLOAT32) p.p.f4 = (float)pairs->p;
  else p.p.f8 = pairs->p;
  if (rows > INT32_MAX / p.columns)
    return ma_fail(MA_ERR_VALUE, "%lld by %lld distances; at most 2^31 tiles of %d by %d on a GPU", (long long)pairs->m,
                   (long long)pairs->n, TILE, TILE);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], (unsigned)(rows * p.columns), THREADS, 0, (void *[]){ &p }, "pairs",
                        (pairs->m * pairs->n / (pairs->triangle ? 2 : 1) + (pairs->m + pairs->n) * pairs->k) * size);
}

ma_status ma_cuda_pairs_source(ma_dtype dtype, ma_metric metric, bool weighted, bool triangle, char **source) {
  variant v = variant_of(dtype, metric, weighted, triangle);
  ma_ctext text = { 0 };
  ma_cuda_print(&text, &family, &v);
  if (text.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's text");
  *source = text.bytes;
  return MA_OK;
}
