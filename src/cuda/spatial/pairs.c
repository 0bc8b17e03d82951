/* pairs.c: distances of all pairs of rows, by kernels/spatial/pairs.cuh. */
#include "cuda/cuda.h"
#include "backend/spatial.h"
#include "tuning.h"

#include <string.h>

typedef struct variant {
  uint8_t dtype, metric, weighted, triangle, groups;
} variant;

typedef struct metric_text {
  const char *step, *finish;
} metric_text;

static const metric_text metrics[MA_NMETRIC] = {
#define METRIC(name, step, finish) { #step, #finish },
#include "kernels/spatial/metrics.h"
};

static bool calls(const metric_text *m) { return strstr(m->step, "LOG") || strstr(m->step, "POW"); }

/* How many groups of pairs a thread has. It has two where their sums fit in registers and enough blocks are left. */
static int groups_of(ma_dtype dtype, ma_metric metric, int64_t rows, int64_t columns) {
  const metric_text *m = &metrics[metric];
  bool one = !strstr(m->step, "t =") && !strstr(m->step, "t +=") && !strchr(m->step, '/') && !calls(m);
  int64_t edge = 2 * MA_PAIRS_ALONG;
  return dtype == MA_FLOAT32 && one && (rows + edge - 1) / edge * ((columns + edge - 1) / edge) >= TUNE_FULL_BLOCKS ? 2
                                                                                                                    : 1;
}

/* The threads of a block. Blocks whose threads have two groups are small, so that some compute while others read or
** write. */
static int threads_of(int groups) { return groups == 2 ? 128 : 256; }

static void print_pairs(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_add(text, "typedef %s T;\n#define WEIGHTED %d\n#define TRIANGLE %d\n",
               v->dtype == MA_FLOAT32 ? "float" : "double", v->weighted, v->triangle);
  const metric_text *m = &metrics[v->metric];
  ma_ctext_add(text, "#define STEP %s\n#define FINISH %s\n#define UNROLL %d\n#define GROUPS %d\n#define THREADS %d\n",
               m->step, m->finish,
               calls(m)                                 ? 1
               : strchr(m->step, '/') || v->groups == 2 ? 4
                                                        : 16,
               v->groups, threads_of(v->groups));
  ma_ctext_put(text, ma_embedded("pairs.cuh"));
}

static const ma_cuda_family family = { "pairs", { "pairs" }, print_pairs, NULL };

static variant variant_of(ma_dtype dtype, ma_metric metric, bool weighted, bool triangle, int groups) {
  return (variant){ (uint8_t)dtype, (uint8_t)metric, weighted, triangle, (uint8_t)groups };
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

ma_status ma_cuda_spatial_pairs(ma_stream *stream, const ma_pairs *pairs) {
  int groups = groups_of(pairs->dtype, pairs->metric, pairs->m, pairs->n);
  variant v = variant_of(pairs->dtype, pairs->metric, pairs->weights != NULL, pairs->triangle, groups);
  const CUfunction *entry;
  int threads = threads_of(groups);
  int64_t size = ma_dtypes[pairs->dtype].itemsize, wide = MA_PAIRS_ALONG * groups, high = threads / 4;
  int64_t rows = (pairs->m + high - 1) / high;
  params p = { .x = pairs->x,
               .y = pairs->y,
               .weights = pairs->weights,
               .to = pairs->to,
               .m = pairs->m,
               .n = pairs->n,
               .k = pairs->k,
               .columns = (pairs->n + wide - 1) / wide };
  if (pairs->dtype == MA_FLOAT32) p.p.f4 = (float)pairs->p;
  else p.p.f8 = pairs->p;
  if (rows > INT32_MAX / p.columns)
    return ma_fail(MA_ERR_VALUE, "%lld by %lld distances; at most 2^31 tiles of %d by %d on a GPU", (long long)pairs->m,
                   (long long)pairs->n, (int)high, (int)wide);
  MA_TRY(ma_cuda_enter(stream->device));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(stream), &family, &v, sizeof v, &v, &entry));
  return ma_cuda_launch(stream, entry[0], (unsigned)(rows * p.columns), (unsigned)threads, 0, (void *[]){ &p }, "pairs",
                        (pairs->m * pairs->n / (pairs->triangle ? 2 : 1) + (pairs->m + pairs->n) * pairs->k) * size);
}

ma_status ma_cuda_pairs_source(ma_dtype dtype, ma_metric metric, bool weighted, bool triangle, int64_t rows,
                               char **source) {
  variant v = variant_of(dtype, metric, weighted, triangle, groups_of(dtype, metric, rows, rows));
  return ma_cuda_source(&family, &v, source);
}
