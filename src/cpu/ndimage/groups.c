/* groups.c: sums over the elements of each label, on the CPU. The elements are divided into chunks, by their number
** alone, which add up sums of their own; these are added in order. So the sums do not depend on the threads. */
#include "cpu/cpu.h"
#include "cpu/ndimage/morphology.h"
#include "cpu/submit.h"

#include <string.h>

#define CHUNK 65536
#define MOST_CHUNKS 16

typedef struct groups {
  const ma_groups *g;
  int64_t chunk;
  double *sums; /* by chunk */
} groups;

/* Adds up the elements first .. last - 1; neighbours with one label are added before they are stored. */
#define LOOP(label, value, term)                                         \
  do {                                                                   \
    const label *labels = g->labels;                                     \
    const value *x = g->values;                                          \
    double sum = 0;                                                      \
    int64_t group = -1;                                                  \
    for (int64_t i = first; i < last; i++) {                             \
      int64_t own = (int64_t)((uint64_t)labels[i] - (uint64_t)g->first); \
      if ((uint64_t)own >= (uint64_t)g->count) continue;                 \
      if (own != group) {                                                \
        if (group >= 0) sums[group] += sum;                              \
        group = own;                                                     \
        sum = 0;                                                         \
      }                                                                  \
      sum += (term);                                                     \
    }                                                                    \
    if (group >= 0) sums[group] += sum;                                  \
  } while (0)

#define VALUE ((double)x[i])
#define SQUARE ((VALUE - g->centres[own]) * (VALUE - g->centres[own]))
#define MOMENT (VALUE * (double)(i / g->inner % g->extent))
#define TERMS(label, value)                        \
  do {                                             \
    if (g->centres) LOOP(label, value, SQUARE);    \
    else if (g->inner) LOOP(label, value, MOMENT); \
    else LOOP(label, value, VALUE);                \
  } while (0)

static void add_up(const ma_groups *g, int64_t first, int64_t last, double *sums) {
  bool wide = g->label_dtype == MA_INT64;
  if (!g->values) {
    if (wide) LOOP(int64_t, double, ((void)x, 1.0));
    else LOOP(int32_t, double, ((void)x, 1.0));
  } else if (g->dtype == MA_FLOAT32) {
    if (wide) TERMS(int64_t, float);
    else TERMS(int32_t, float);
  } else if (wide) TERMS(int64_t, double);
  else TERMS(int32_t, double);
}

static ma_status chunk_range(void *context, int64_t from, int64_t to) {
  const groups *w = context;
  for (int64_t c = from; c < to; c++) {
    double *sums = w->sums + c * w->g->count;
    int64_t last = (c + 1) * w->chunk;
    memset(sums, 0, (size_t)w->g->count * sizeof *sums);
    add_up(w->g, c * w->chunk, last < w->g->n ? last : w->g->n, sums);
  }
  return MA_OK;
}

static ma_status groups_now(ma_stream *stream, const void *job) {
  groups w = { .g = job };
  int64_t chunks = w.g->n / CHUNK, count = w.g->count;
  if (chunks > MOST_CHUNKS) chunks = MOST_CHUNKS;
  if (chunks < 1 || count > w.g->n / chunks) chunks = 1;
  ma_buffer *memory = NULL;
  MA_TRY(ma_buffer_new(stream->device, (size_t)(chunks * count) * sizeof(double), &memory));
  w.sums = memory->ptr;
  w.chunk = (w.g->n + chunks - 1) / chunks;
  ma_status status = ma_cpu_parallel(chunks, 1, chunk_range, &w);
  for (int64_t k = 0; k < count && status == MA_OK; k++) {
    double sum = w.sums[k];
    for (int64_t c = 1; c < chunks; c++) sum += w.sums[c * count + k];
    w.g->sums[k] = sum;
  }
  ma_buffer_release(memory);
  return status;
}

static int64_t groups_bytes(const void *job) {
  const ma_groups *g = job;
  return g->n * (ma_dtypes[g->label_dtype].itemsize + (g->values ? ma_dtypes[g->dtype].itemsize : 0));
}

MA_CPU_SLOT(ma_cpu_morphology_groups, ma_groups, .name = "groups", .run = groups_now, .bytes = groups_bytes)
