/* bspline.c: B-splines at points on the CPU, in blocks of points whose vectors the compiler makes. */
#include "cpu/cpu.h"
#include "cpu/interpolate/interpolate.h"
#include "cpu/map/wider.h"
#include "cpu/submit.h"
#include "kernels/interpolate/bspline.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

typedef double lanes[MA_LANES];

FOR_AVX512 static void find(const ma_bspline *s, const double *x, int64_t *cell, lanes *h) {
  ma_bspline_cells(s->t, s->n, s->degree, x, cell);
  ma_bspline_values(s->t, s->degree, s->nu, cell, x, h);
}

FOR_AVX512 static void add_up(const ma_bspline *s, const int64_t *restrict cell, lanes *restrict h,
                              double *restrict sum) {
  const double *restrict rows = s->rows - s->degree;
  for (int r = 0; r <= s->degree; r++) MA_EACH_LANE {
      double term = rows[cell[i_] + r] * h[r][i_];
      sum[i_] = r ? sum[i_] + term : term;
    }
}

static void put_sums(const ma_bspline *s, int64_t from, int n, const int64_t *cell, lanes *h) {
  lanes sum;
  if (s->count == 1) {
    add_up(s, cell, h, sum);
    memcpy(s->to + from, sum, (size_t)n * sizeof *sum);
    return;
  }
  for (int i = 0; i < n; i++) {
    double *to = s->to + (from + i) * s->count;
    const double *row = s->rows + (cell[i] - s->degree) * s->count;
    for (int64_t c = 0; c < s->count; c++) to[c] = row[c] * h[0][i];
    for (int r = 1; r <= s->degree; r++)
      for (int64_t c = 0; c < s->count; c++) to[c] += row[r * s->count + c] * h[r][i];
  }
}

static void put_basis(const ma_bspline *s, int64_t from, int n, const int64_t *cell, lanes *h) {
  for (int i = 0; i < n; i++) s->first[from + i] = cell[i] - s->degree + 1;
  for (int r = 0; r <= s->degree; r++) memcpy(s->basis + r * s->m + from, h[r], (size_t)n * sizeof(double));
}

static void put_bands(const ma_bspline *s, int64_t from, int n, const int64_t *cell, lanes *h) {
  memset(s->bands + from * s->width, 0, (size_t)(n * s->width) * sizeof(double));
  for (int i = 0; i < n; i++) {
    int64_t at = cell[i] - s->degree - (from + i) - s->shift + s->lower;
    for (int r = 0; r <= s->degree; r++)
      if (at + r >= 0 && at + r < s->width) s->bands[(from + i) * s->width + at + r] = h[r][i];
  }
}

static ma_status run_blocks(void *context, int64_t first, int64_t last) {
  const ma_bspline *s = context;
  lanes *h = malloc((size_t)(s->degree + 1) * sizeof *h), x;
  int64_t cell[MA_LANES];
  if (!h) return ma_fail(MA_ERR_MEMORY, "out of memory for B-splines of degree %d", (int)s->degree);
  for (int64_t from = first * MA_LANES; from < last * MA_LANES && from < s->m; from += MA_LANES) {
    int n = s->m - from < MA_LANES ? (int)(s->m - from) : MA_LANES;
    for (int i = 0; i < MA_LANES; i++) x[i] = s->x[from + (i < n ? i : 0)];
    find(s, x, cell, h);
    if (s->to) put_sums(s, from, n, cell, h);
    else if (s->first) put_basis(s, from, n, cell, h);
    else put_bands(s, from, n, cell, h);
  }
  free(h);
  return MA_OK;
}

static ma_status run(ma_stream *stream, const void *job) {
  int64_t blocks = (((const ma_bspline *)job)->m + MA_LANES - 1) / MA_LANES;
  return ma_cpu_parallel(blocks, TUNE_THREAD_SLOW / MA_LANES, run_blocks, (void *)job);
}

static int64_t bytes(const void *job) {
  const ma_bspline *s = job;
  return s->m * (int64_t)sizeof(double) * (1 + (s->to ? s->count : s->first ? s->degree + 2 : s->width));
}

MA_CPU_SLOT(ma_cpu_interpolate_bspline, ma_bspline, .name = "splines", .run = run, .bytes = bytes)
