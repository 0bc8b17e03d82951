/* regular.c: values between the corners of a grid's cells on the CPU, in blocks of points. */
#include "cpu/cpu.h"
#include "cpu/interpolate/interpolate.h"
#include "cpu/map/wider.h"
#include "cpu/submit.h"
#include "kernels/interpolate/regular.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

typedef struct block {
  double part[MA_MAX_NDIM][MA_LANES];
  int64_t place[MA_MAX_NDIM][MA_LANES];
  int flags[MA_LANES];
} block;

FOR_AVX512 static void find(const ma_regular *g, const double *points, int n, block *b) {
  double x[MA_LANES];
  memset(b->flags, 0, sizeof b->flags);
  for (int k = 0; k < g->axes; k++) {
    for (int i = 0; i < MA_LANES; i++) x[i] = points[(i < n ? i : 0) * g->axes + k];
    ma_regular_place(g->axis[k].x, g->axis[k].n, x, b->place[k], b->part[k], b->flags);
  }
}

/* The row of a corner in the grid, and the corner's weight, for each point. Returns false if an axis of one position
** has no such corner. */
FOR_AVX512 static bool corner_of(const ma_regular *g, const block *restrict b, int corner, int64_t *restrict at,
                                 double *restrict weight) {
  for (int i = 0; i < MA_LANES; i++) {
    at[i] = 0;
    weight[i] = 1;
  }
  for (int k = 0; k < g->axes; k++) {
    int up = corner >> (g->axes - 1 - k) & 1;
    if (up && g->axis[k].n == 1) return false;
    int64_t stride = g->axis[k].stride;
    for (int i = 0; i < MA_LANES; i++) {
      at[i] += (b->place[k][i] + up) * stride;
      weight[i] *= up ? b->part[k][i] : 1 - b->part[k][i];
    }
  }
  return true;
}

FOR_AVX512 static void add_corners(const ma_regular *g, int n, const block *b, double *to) {
  double weight[MA_LANES], sum[MA_LANES];
  const double *restrict rows = g->rows;
  int64_t at[MA_LANES], count = g->count;
  for (int corner = 0; corner < 1 << g->axes; corner++) {
    if (!corner_of(g, b, corner, at, weight)) continue;
    if (count == 1)
      for (int i = 0; i < MA_LANES; i++) {
        double term = rows[at[i]] * weight[i];
        sum[i] = corner ? sum[i] + term : term;
      }
    else
      for (int i = 0; i < n; i++)
        for (int64_t c = 0; c < count; c++) {
          double term = rows[at[i] * count + c] * weight[i];
          to[i * count + c] = corner ? to[i * count + c] + term : term;
        }
  }
  if (count == 1) memcpy(to, sum, (size_t)n * sizeof *sum);
}

static void take_nearest(const ma_regular *g, int n, const block *b, double *to) {
  for (int i = 0; i < n; i++) {
    int64_t at = 0;
    for (int k = 0; k < g->axes; k++) at += (b->place[k][i] + (b->part[k][i] > 0.5)) * g->axis[k].stride;
    memcpy(to + i * g->count, g->rows + at * g->count, (size_t)g->count * sizeof *to);
  }
}

static void fill(const ma_regular *g, double *row, double value) {
  for (int64_t c = 0; c < g->count; c++) row[c] = g->is_complex && c % 2 ? 0 : value;
}

static ma_status run_blocks(void *context, int64_t first, int64_t last) {
  const ma_regular *g = context;
  block b;
  for (int64_t from = first * MA_LANES; from < last * MA_LANES && from < g->n; from += MA_LANES) {
    int n = g->n - from < MA_LANES ? (int)(g->n - from) : MA_LANES;
    double *to = g->to + from * g->count;
    find(g, g->points + from * g->axes, n, &b);
    if (g->nearest) take_nearest(g, n, &b, to);
    else add_corners(g, n, &b, to);
    for (int i = 0; i < n; i++) {
      if (g->fills && b.flags[i] & 1) fill(g, to + i * g->count, g->fill);
      if (b.flags[i] & 2) fill(g, to + i * g->count, NAN);
      if (g->outside) g->outside[from + i] = b.flags[i] & 1;
    }
  }
  return MA_OK;
}

static ma_status run(ma_stream *stream, const void *job) {
  return ma_cpu_parallel((((const ma_regular *)job)->n + MA_LANES - 1) / MA_LANES, TUNE_THREAD_SLOW / MA_LANES,
                         run_blocks, (void *)job);
}

static int64_t bytes(const void *job) {
  const ma_regular *g = job;
  return g->n * (int64_t)sizeof(double) * (g->axes + g->count);
}

MA_CPU_SLOT(ma_cpu_interpolate_regular, ma_regular, .name = "grid", .run = run, .bytes = bytes)
