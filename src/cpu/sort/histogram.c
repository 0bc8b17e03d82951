/* histogram.c: counts values in bins on the CPU, over chunks that threads share; sums by number; the edges of bins. */
#include "cpu/cpu.h"
#include "backend/sort.h"
#include "cpu/submit.h"
#include "cpu/map/wider.h"
#include "kernels/scalar.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

/* ==== Values as doubles, which compare like the float32 and float64 =============================================== */

typedef void load_loop(const void *from, double *to, int n);

#define LOAD(suffix, type, value)                                  \
  static void load_##suffix(const void *from, double *to, int n) { \
    const type *x = from;                                          \
    for (int i = 0; i < n; i++) to[i] = (double)(value);           \
  }
LOAD(b1, uint8_t, x[i] != 0)
LOAD(i1, int8_t, x[i])
LOAD(i2, int16_t, x[i])
LOAD(i4, int32_t, x[i])
LOAD(i8, int64_t, x[i])
LOAD(u1, uint8_t, x[i])
LOAD(u2, uint16_t, x[i])
LOAD(u4, uint32_t, x[i])
LOAD(u8, uint64_t, x[i])
LOAD(f2, uint16_t, ma_f16_to_float(x[i]))
LOAD(bf, uint16_t, ma_bf16_to_float(x[i]))
LOAD(f4, float, x[i])
LOAD(f8, double, x[i])
#define load_c8 NULL
#define load_c16 NULL

static load_loop *const load_of[MA_NDTYPE] = {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) [MA_##ID] = load_##suffix,
#include "base/dtype.def"
#undef DTYPE
};

/* ==== Counting =================================================================================================== */

typedef struct work {
  const ma_histogram *h;
  const double *edge;
  int64_t chunk;
  int64_t *counts; /* bins for each chunk */
} work;

/* For each of n <= MA_BLOCK values, the last edge that is not above it, where edge[0] <= x < edge[bins]. A group of
** values is searched at once, without branches. */
FOR_AVX512 static void find_bins(const double *restrict edge, int64_t bins, const double *restrict x, int n,
                                 int64_t *restrict bin) {
  int64_t lo[TUNE_SEARCH_GROUP], hi[TUNE_SEARCH_GROUP];
  for (int first = 0; first < n; first += TUNE_SEARCH_GROUP) { /* a block is a multiple of a group */
    for (int i = 0; i < TUNE_SEARCH_GROUP; i++) lo[i] = 0, hi[i] = bins;
    for (int64_t left = bins - 1; left > 0; left /= 2)
      for (int i = 0; i < TUNE_SEARCH_GROUP; i++) {
        int64_t middle = lo[i] + (hi[i] - lo[i]) / 2;
        int64_t below = -(int64_t)((x[first + i] < edge[middle]) & (hi[i] - lo[i] > 1));
        hi[i] = (hi[i] & ~below) | (middle & below);
        lo[i] = (lo[i] & below) | (middle & ~below);
      }
    for (int i = 0; i < TUNE_SEARCH_GROUP; i++) bin[first + i] = lo[i];
  }
}

/* Corrects the bin that arithmetic gives, by comparing with the edges. The outer edges end both loops. */
static inline int64_t guess_bin(const double *edge, int64_t last, double x, double scale) {
  int64_t k = (int64_t)((x - edge[0]) * scale);
  if (k < 0 || k > last) k = k < 0 ? 0 : last;
  while (x < edge[k]) k--;
  while (x >= edge[k + 1]) k++;
  return k;
}

/* Counts in four places for each bin, in turn, so that values of one bin do not wait for each other. The first place is
** for values of no bin. */
static void add_few(const int64_t *bin, int n, int64_t last, int64_t *counts) {
  int32_t part[4][TUNE_HISTOGRAM_FEW + 1];
  for (int p = 0; p < 4; p++) memset(part[p], 0, (size_t)(last + 2) * sizeof part[p][0]);
  for (int i = 0; i < n; i++) part[i % 4][bin[i] + 1]++;
  for (int64_t k = 0; k <= last; k++) counts[k] += part[0][k + 1] + part[1][k + 1] + part[2][k + 1] + part[3][k + 1];
}

static void count_block(const work *w, const double *x, int n, int64_t *counts) {
  int64_t found[MA_BLOCK], last = w->h->bins - 1;
  const double *edge = w->edge;
  double low = edge[0], high = edge[last + 1], scale = (double)(last + 1) / (high - low);
  bool guess = w->h->uniform && scale - scale == 0;
  if (guess) {
    for (int i = 0; i < n; i++)
      found[i] = x[i] >= low && x[i] < high ? guess_bin(edge, last, x[i], scale) : x[i] == high ? last : -1;
  } else {
    find_bins(edge, last + 1, x, n, found);
    for (int i = 0; i < n; i++) found[i] = x[i] >= low && x[i] < high ? found[i] : x[i] == high ? last : -1;
  }
  if (last < TUNE_HISTOGRAM_FEW) add_few(found, n, last, counts);
  else
    for (int i = 0; i < n; i++)
      if (found[i] >= 0) counts[found[i]]++;
}

static ma_status count_chunks(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_histogram *h = w->h;
  double block[MA_BLOCK] = { 0 };
  int64_t size = ma_dtypes[h->dtype].itemsize;
  for (int64_t c = first; c < last; c++) {
    int64_t end = (c + 1) * w->chunk < h->n ? (c + 1) * w->chunk : h->n;
    for (int64_t i = c * w->chunk; i < end; i += MA_BLOCK) {
      int n = end - i < MA_BLOCK ? (int)(end - i) : MA_BLOCK;
      load_of[h->dtype]((const char *)h->values + i * size, block, n);
      count_block(w, block, n, w->counts + c * h->bins);
    }
  }
  return MA_OK;
}

static ma_status histogram_now(ma_stream *stream, const void *job) {
  const ma_histogram *h = job;
  memset(h->counts, 0, (size_t)h->bins * sizeof *h->counts);
  if (h->n == 0) return MA_OK;
  int64_t nchunk = h->n / TUNE_THREAD_STEPS, most = 4 * (int64_t)ma_cpu_threads();
  if (nchunk > most) nchunk = most;
  if (nchunk > TUNE_SORT_CHUNKS) nchunk = TUNE_SORT_CHUNKS;
  if (nchunk < 1 || h->bins > h->n / 8) nchunk = 1; /* many bins: adding them up would cost more than threads save */
  work w = { .h = h, .chunk = (h->n + nchunk - 1) / nchunk, .counts = h->counts };
  size_t edges = (size_t)(h->bins + 1) * sizeof(double),
         counts = nchunk > 1 ? (size_t)(nchunk * h->bins) * sizeof(int64_t) : 0;
  char *room = malloc(edges + counts);
  if (!room) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for %lld bins", (long long)h->bins);
  double *edge = (double *)(void *)room;
  for (int64_t k = 0; k <= h->bins; k++)
    edge[k] = h->edge_dtype == MA_FLOAT32 ? (double)((const float *)h->edges)[k] : ((const double *)h->edges)[k];
  w.edge = edge;
  if (nchunk > 1) {
    w.counts = (int64_t *)(void *)(room + edges);
    memset(w.counts, 0, counts);
  }
  ma_status status = ma_cpu_parallel(nchunk, 1, count_chunks, &w);
  for (int64_t c = 0; nchunk > 1 && c < nchunk; c++)
    for (int64_t k = 0; k < h->bins; k++) h->counts[k] += w.counts[c * h->bins + k];
  free(room);
  return status;
}

static int64_t histogram_bytes(const void *job) {
  const ma_histogram *h = job;
  return h->n * ma_dtypes[h->dtype].itemsize + (h->bins + 1) * ma_dtypes[h->edge_dtype].itemsize + h->bins * 8;
}

MA_CPU_SLOT(ma_cpu_sort_histogram, ma_histogram, .name = "histogram", .run = histogram_now, .bytes = histogram_bytes)

/* ==== Sums by number ============================================================================================= */

/* Adds up one element after the other, so that weights are added in their order. */
static ma_status tally_now(ma_stream *stream, const void *job) {
  const ma_tally *t = job;
  const int64_t *restrict number = t->numbers;
  memset(t->sums, 0, (size_t)t->places * sizeof(int64_t));
  if (t->weights) {
    const double *restrict weight = t->weights;
    double *restrict sum = t->sums;
    for (int64_t i = 0; i < t->n; i++) sum[number[i]] += weight[i];
  } else {
    int64_t *restrict count = t->sums;
    for (int64_t i = 0; i < t->n; i++) count[number[i]]++;
  }
  return MA_OK;
}

static int64_t tally_bytes(const void *job) {
  const ma_tally *t = job;
  return t->n * (t->weights ? 16 : 8) + t->places * 8;
}

MA_CPU_SLOT(ma_cpu_sort_tally, ma_tally, .name = "tally", .run = tally_now, .bytes = tally_bytes)

/* ==== Edges ====================================================================================================== */

#define SPREAD(name, type)                                                                                            \
  static void name(type start, type stop, int64_t bins, type *edge) {                                                 \
    if (start == stop) start -= (type)0.5, stop += (type)0.5;                                                         \
    type delta = stop - start, step = delta / (type)bins;                                                             \
    for (int64_t k = 0; k < bins; k++) edge[k] = (step == 0 ? (type)k / (type)bins * delta : (type)k * step) + start; \
    edge[bins] = stop;                                                                                                \
  }
SPREAD(spread_f4, float)
SPREAD(spread_f8, double)

typedef struct spread {
  ma_dtype dtype, edge_dtype;
  const void *two;
  int64_t bins;
  void *edges;
} spread;

static ma_status spread_now(ma_stream *stream, const void *job) {
  const struct spread *s = job;
  double ends[2];
  load_of[s->dtype](s->two, ends, 2);
  if (s->edge_dtype == MA_FLOAT32) spread_f4((float)ends[0], (float)ends[1], s->bins, s->edges);
  else spread_f8(ends[0], ends[1], s->bins, s->edges);
  return MA_OK;
}

static int64_t spread_bytes(const void *job) {
  const struct spread *s = job;
  return 2 * ma_dtypes[s->dtype].itemsize + (s->bins + 1) * ma_dtypes[s->edge_dtype].itemsize;
}

ma_status ma_cpu_sort_spread(ma_stream *stream, ma_dtype dtype, const void *two, ma_dtype edge_dtype, int64_t bins,
                             void *edges) {
  static const ma_task task = { .name = "spread", .run = spread_now, .bytes = spread_bytes };
  return ma_cpu_submit(stream, &task, &(spread){ dtype, edge_dtype, two, bins, edges }, sizeof(spread));
}
