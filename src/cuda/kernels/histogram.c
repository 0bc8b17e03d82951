/* histogram.c: histograms, sums by number, searches, extremes and changes on a GPU. */
#include "cuda/cuda.h"
#include "cuda/kernels/sort.h"

#include <string.h>

#define SHARED_BINS 8192 /* words of shared memory in a block */
#define COUNT_THREADS 512
#define TALLY_BYTES 32768 /* of shared memory in a block */
#define MOST_COPIES 32    /* copies of the bins: one for each lane, so that lanes of a warp never collide */

typedef enum part { HISTOGRAM, SEARCH, EXTREMES, CHANGES, TALLY, INTERP } part;

/* Everything that the text depends on; compared as bytes. */
typedef struct variant {
  uint8_t part, dtype, edge;
} variant;

static void print_histogram(ma_ctext *text, const void *what) {
  static const char *const parts[] = { "HISTOGRAM", "SEARCH", "EXTREMES", "CHANGES" };
  const variant *v = what;
  const char *suffix = ma_cuda_suffix((ma_dtype)v->dtype);
  int size = ma_dtypes[v->dtype].itemsize;
  ma_ctext_put(text, ma_embedded("order.h"));
  ma_ctext_add(text, "#define %s\n", parts[v->part]);
  if (v->part == HISTOGRAM) {
    ma_ctext_add(text, "typedef dt_%s::mem item;\ntypedef %s edge;\n", suffix,
                 v->edge == MA_FLOAT32 ? "float" : "double");
    ma_ctext_add(text, "#define AS_EDGE(x) ((edge)dt_%s::load(x))\n#define SHARED_BINS %d\n", suffix, SHARED_BINS);
  } else {
    ma_cuda_print_item(text, (ma_dtype)v->dtype);
    ma_ctext_add(text, "typedef %s KEY;\n#define ORDER(x) ma_order_%s(x)\n#define IS_NAN(key) ma_order_nan_%s(key)\n",
                 size == 16  ? "ma_order128"
                 : size == 8 ? "u8"
                             : "u4",
                 suffix, suffix);
    if (v->part == EXTREMES) ma_ctext_add(text, "#define UNORDER(key) ma_unorder_%s(key)\n", suffix);
    ma_ctext_put(text, size == 16 ? "#define LESS(a, b) ((a).hi < (b).hi || ((a).hi == (b).hi && (a).lo < (b).lo))\n"
                                  : "#define LESS(a, b) ((a) < (b))\n");
  }
  ma_ctext_put(text, ma_embedded("histogram.cuh"));
}

static void print_tally(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_add(text, "#define WEIGHTED %d\n#define SHARED_BYTES %d\n", v->dtype == MA_FLOAT64, TALLY_BYTES);
  ma_ctext_put(text, ma_embedded("tally.cuh"));
}

static void print_interp(ma_ctext *text, const void *what) { ma_ctext_put(text, ma_embedded("interp.cuh")); }

static const ma_cuda_family families[] = {
  { "histogram", { "count_shared", "count_global", "spread_edges" }, print_histogram, NULL },
  { "search", { "search_sorted" }, print_histogram, NULL },
  { "extremes", { "find_extremes", "end_extremes" }, print_histogram, NULL },
  { "changes", { "find_changes" }, print_histogram, NULL },
  { "tally", { "tally_shared", "tally_global" }, print_tally, NULL },
  { "interp", { "interpolate" }, print_interp, NULL },
};

static ma_status kernels_of(ma_stream *stream, part part, ma_dtype dtype, ma_dtype edge, const CUfunction **entry) {
  variant v = { (uint8_t)part, (uint8_t)dtype, (uint8_t)edge };
  MA_TRY(ma_cuda_enter(stream->device));
  return ma_cuda_kernel(ma_cuda_state(stream), &families[part], &v, sizeof v, &v, entry);
}

static unsigned grid_of(const ma_stream *stream, int64_t n, int64_t per_block, int per_sm) {
  int64_t blocks = (n + per_block - 1) / per_block, most = (int64_t)ma_cuda_state(stream)->sm_count * per_sm;
  return (unsigned)(blocks < most ? blocks : most);
}

ma_status ma_cuda_sort_histogram(ma_stream *stream, const ma_histogram *h) {
  const CUfunction *entry;
  int64_t size = ma_dtypes[h->dtype].itemsize;
  struct {
    const void *values, *edges;
    uint64_t n;
    uint32_t bins, uniform, copies;
    int64_t *counts;
  } job = { h->values, h->edges, (uint64_t)h->n, (uint32_t)h->bins, h->uniform, MOST_COPIES, h->counts };
  if (h->bins > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld bins; at most 2^31 - 1 on a GPU", (long long)h->bins);
  MA_TRY(kernels_of(stream, HISTOGRAM, h->dtype, h->edge_dtype, &entry));
  CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)h->counts, 0, (size_t)h->bins * sizeof(int64_t),
                                          ma_cuda_queue(stream));
  if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
  while (job.copies > 1 && job.copies * h->bins > SHARED_BINS) job.copies /= 2;
  bool shared = h->bins <= SHARED_BINS;
  return ma_cuda_launch(stream, entry[shared ? 0 : 1], grid_of(stream, h->n, COUNT_THREADS * 4 * 16 / size, 3),
                        COUNT_THREADS, 0, (void *[]){ &job }, "histogram", h->n * size);
}

ma_status ma_cuda_sort_tally(ma_stream *stream, const ma_tally *t) {
  const CUfunction *entry;
  struct {
    const int64_t *numbers;
    const double *weights;
    uint64_t n;
    uint32_t places, copies;
    void *sums;
  } job = { t->numbers, t->weights, (uint64_t)t->n, (uint32_t)t->places, MOST_COPIES, t->sums };
  int64_t room = TALLY_BYTES / (t->weights ? 8 : 4);
  if (t->places > INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld numbers; at most 2^31 - 1 on a GPU", (long long)t->places);
  MA_TRY(kernels_of(stream, TALLY, t->weights ? MA_FLOAT64 : MA_INT64, 0, &entry));
  CUresult result = ma_cu.cuMemsetD8Async((CUdeviceptr)(uintptr_t)t->sums, 0, (size_t)t->places * sizeof(int64_t),
                                          ma_cuda_queue(stream));
  if (result != CUDA_SUCCESS) return ma_cuda_fail(MA_CU_cuMemsetD8Async, result);
  while (job.copies > 1 && job.copies * t->places > room) job.copies /= 2;
  bool shared = t->places <= room && t->places <= t->n;
  return ma_cuda_launch(stream, entry[shared ? 0 : 1], grid_of(stream, t->n, COUNT_THREADS * 16, 4), COUNT_THREADS, 0,
                        (void *[]){ &job }, "tally", t->n * (t->weights ? 16 : 8));
}

ma_status ma_cuda_sort_interp(ma_stream *stream, const ma_interp *interp) {
  const CUfunction *entry;
  struct {
    const double *x, *at, *value;
    double end[2];
    int64_t n, count;
    double *result;
    int32_t given[2];
  } job = { interp->x, interp->at,    interp->value,  { interp->end[0], interp->end[1] },
            interp->n, interp->count, interp->result, { interp->given[0], interp->given[1] } };
  MA_TRY(kernels_of(stream, INTERP, MA_FLOAT64, 0, &entry));
  return ma_cuda_launch(stream, entry[0], grid_of(stream, interp->count, MA_THREADS, 32), MA_THREADS, 0,
                        (void *[]){ &job }, "interpolate", interp->count * 16);
}

ma_status ma_cuda_sort_spread(ma_stream *stream, ma_dtype dtype, const void *two, ma_dtype edge_dtype, int64_t bins,
                              void *edges) {
  const CUfunction *entry;
  struct {
    const void *two;
    void *edges;
    uint32_t bins;
  } job = { two, edges, (uint32_t)bins };
  if (bins > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld bins; at most 2^31 - 1 on a GPU", (long long)bins);
  MA_TRY(kernels_of(stream, HISTOGRAM, dtype, edge_dtype, &entry));
  return ma_cuda_launch(stream, entry[2], grid_of(stream, bins + 1, MA_THREADS, 8), MA_THREADS, 0, (void *[]){ &job },
                        "spread_edges", 0);
}

ma_status ma_cuda_sort_search(ma_stream *stream, const ma_search *s) {
  const CUfunction *entry;
  struct {
    const void *sorted, *values;
    const int64_t *sorter;
    int64_t n, count;
    int64_t *positions;
    int32_t right;
  } job = { s->sorted, s->values, s->sorter, s->n, s->count, s->positions, s->right };
  MA_TRY(kernels_of(stream, SEARCH, s->dtype, 0, &entry));
  return ma_cuda_launch(stream, entry[0], grid_of(stream, s->count, MA_THREADS, 8), MA_THREADS, 0, (void *[]){ &job },
                        "search_sorted", s->count * (ma_dtypes[s->dtype].itemsize + 8));
}

ma_status ma_cuda_sort_extremes(ma_stream *stream, ma_dtype dtype, const void *from, int64_t n, void *two) {
  const CUfunction *entry;
  ma_buffer *partial = NULL;
  int64_t size = ma_dtypes[dtype].itemsize;
  unsigned grid = grid_of(stream, n, MA_THREADS * 4 * 16 / size, 8);
  struct {
    const void *from;
    uint64_t n;
    void *partial, *two;
  } job = { from, (uint64_t)n, NULL, two };
  MA_TRY(kernels_of(stream, EXTREMES, dtype, 0, &entry));
  MA_TRY(ma_cuda_scratch(stream, (size_t)grid * 2 * sizeof(uint64_t), &partial));
  job.partial = partial->ptr;
  ma_status status = ma_cuda_launch(stream, entry[0], grid, MA_THREADS, 0, (void *[]){ &job }, "find_extremes",
                                    n * size);
  job.n = grid;
  if (status == MA_OK)
    status = ma_cuda_launch(stream, entry[1], 1, MA_THREADS, 0, (void *[]){ &job }, "end_extremes", 0);
  ma_buffer_release(partial);
  return status;
}

ma_status ma_cuda_sort_changes(ma_stream *stream, ma_dtype dtype, const void *sorted, int64_t n, bool equal_nan,
                               uint8_t *mask) {
  const CUfunction *entry;
  struct {
    const void *sorted;
    uint64_t n;
    uint8_t *mask;
    int32_t equal_nan;
  } job = { sorted, (uint64_t)n, mask, equal_nan };
  MA_TRY(kernels_of(stream, CHANGES, dtype, 0, &entry));
  return ma_cuda_launch(stream, entry[0], grid_of(stream, n, MA_THREADS * 16, 16), MA_THREADS, 0, (void *[]){ &job },
                        "find_changes", n * (ma_dtypes[dtype].itemsize + 1));
}

ma_status ma_cuda_histogram_source(ma_dtype dtype, ma_dtype edge, char **source) {
  variant v = { edge == MA_NDTYPE  ? SEARCH
                : edge == MA_BOOL  ? EXTREMES
                : edge == MA_INT8  ? CHANGES
                : edge == MA_UINT8 ? TALLY
                : edge == MA_INT16 ? INTERP
                                   : HISTOGRAM,
                (uint8_t)dtype, (uint8_t)edge };
  return ma_cuda_source(&families[v.part], &v, source);
}
