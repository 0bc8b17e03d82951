/*
** pairs.c: distances of all pairs of rows. The second operand is laid out anew in tiles of LANES rows, so that the
** loops over the components are vectors over rows and every metric is vectorised.
*/
#include "cpu/cpu.h"
#include "cpu/map/vectormath.h"
#include "cpu/map/wider.h"
#include "backend/spatial.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

#define LANES 32 /* rows of a tile: their sums stay in registers */

typedef void loop(const void *row, const void *tile, const void *weight, int64_t k, double p, void *to);

#define MADD(a, b, c) ((a) * (b) + (c))
#define T float
#define NAME(metric) metric##_f4
#define TABLE loops_f4
#define ABS fabsf
#define SQRT sqrtf
#define LOG logf
#define POW powf
#include "cpu/spatial/pairs_loops.h"
#define T double
#define NAME(metric) metric##_f8
#define TABLE loops_f8
#define ABS fabs
#define SQRT sqrt
#define LOG log
#define POW pow
#include "cpu/spatial/pairs_loops.h"

typedef struct work {
  const ma_pairs *p;
  loop *loop;
  char *tiles;
  int64_t size, blocks; /* size: of an element; blocks: of TUNE_PAIRS_ROWS */
} work;

/* Lays out tiles first .. last - 1. */
static ma_status tile_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  int64_t k = w->p->k, n = w->p->n, size = w->size;
  for (int64_t at = first; at < last; at++)
    for (int64_t j = 0; j < LANES; j++) {
      int64_t row = at * LANES + j < n ? at * LANES + j : n - 1;
      const char *from = (const char *)w->p->y + row * k * size;
      char *to = w->tiles + (at * k * LANES + j) * size;
      if (size == 4)
        for (int64_t c = 0; c < k; c++) ((uint32_t *)(void *)to)[c * LANES] = ((const uint32_t *)(const void *)from)[c];
      else
        for (int64_t c = 0; c < k; c++) ((uint64_t *)(void *)to)[c * LANES] = ((const uint64_t *)(const void *)from)[c];
    }
  return MA_OK;
}

/* The distances of row i to the rows of a tile, from j0 on. */
static void row_tile(const work *w, int64_t i, int64_t j0, const char *tile) {
  const ma_pairs *p = w->p;
  char room[LANES * sizeof(double)];
  int64_t size = w->size, first = p->triangle && i + 1 > j0 ? i + 1 : j0, last = j0 + LANES < p->n ? j0 + LANES : p->n;
  if (first >= last) return;
  int64_t place = p->triangle ? i * p->n - i * (i + 1) / 2 + first - i - 1 : i * p->n + first;
  char *to = (char *)p->to + place * size;
  bool whole = last - first == LANES;
  w->loop((const char *)p->x + i * p->k * size, tile, p->weights, p->k, p->p, whole ? to : room);
  if (!whole) memcpy(to, room + (first - j0) * size, (size_t)((last - first) * size));
}

static void block(const work *w, int64_t at) {
  const ma_pairs *p = w->p;
  int64_t first = at * TUNE_PAIRS_ROWS, last = first + TUNE_PAIRS_ROWS < p->m ? first + TUNE_PAIRS_ROWS : p->m;
  for (int64_t j = p->triangle ? first / LANES * LANES : 0; j < p->n; j += LANES)
    for (int64_t i = first; i < last; i++) row_tile(w, i, j, w->tiles + j * p->k * w->size);
}

/* Computes a block of rows from the front and one from the back. In a triangle all such pairs have the same work. */
static ma_status block_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  for (int64_t at = first; at < last; at++) {
    block(w, at);
    if (w->blocks - 1 - at != at) block(w, w->blocks - 1 - at);
  }
  return MA_OK;
}

static ma_status pairs_now(ma_stream *stream, const void *job) {
  const ma_pairs *p = job;
  ma_buffer *memory = NULL;
  work w = { .p = p,
             .loop = (p->dtype == MA_FLOAT32 ? loops_f4 : loops_f8)[p->metric][p->weights != NULL],
             .size = ma_dtypes[p->dtype].itemsize,
             .blocks = (p->m + TUNE_PAIRS_ROWS - 1) / TUNE_PAIRS_ROWS };
  int64_t tiles = (p->n + LANES - 1) / LANES, work_of_block = 2 * p->n * (p->k + 4) * TUNE_PAIRS_ROWS;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(tiles * LANES * (p->k + 1) * w.size), &memory));
  w.tiles = memory->ptr;
  ma_status status = ma_cpu_parallel(tiles, 1 + TUNE_THREAD_STEPS / (LANES * (p->k + 1)), tile_range, &w);
  if (status == MA_OK)
    status = ma_cpu_parallel((w.blocks + 1) / 2, 1 + TUNE_THREAD_STEPS / work_of_block, block_range, &w);
  ma_buffer_release(memory);
  return status;
}

static int64_t pairs_bytes(const void *job) {
  const ma_pairs *p = job;
  int64_t results = p->triangle ? p->n * (p->n - 1) / 2 : p->m * p->n;
  return (p->m * p->k + (p->triangle ? 0 : p->n * p->k) + results) * ma_dtypes[p->dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_spatial_pairs, ma_pairs, .name = "pairs", .run = pairs_now, .bytes = pairs_bytes)
