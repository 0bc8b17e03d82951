/* banded.c: banded systems, factored without exchanges of rows: the matrices of splines need none. */
#include "cpu/cpu.h"
#include "cpu/library/library.h"
#include "cpu/map/wider.h"
#include "cpu/submit.h"
#include "tuning.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void factor(const ma_banded *s) {
  int64_t l = s->lower, w = l + 1 + s->upper;
  for (int64_t i = 0; i < s->n; i++) {
    const double *row = s->bands + i * w + l;
    double inverse = 1 / row[0];
    int64_t below = least(l, s->n - 1 - i), right = least(s->upper, s->n - 1 - i);
    for (int64_t r = 1; r <= below; r++) {
      double *to = s->bands + (i + r) * w + l - r, f = to[0] * inverse;
      to[0] = f;
      for (int64_t c = 1; c <= right; c++) to[c] -= f * row[c];
    }
  }
}

FOR_AVX2 static void less(double *restrict to, const double *restrict from, double by, int64_t n) {
  for (int64_t j = 0; j < n; j++) to[j] -= by * from[j];
}

static void solve_one(const ma_banded *s) {
  int64_t l = s->lower, w = l + 1 + s->upper;
  double *b = s->b;
  for (int64_t i = 0; i < s->n; i++) {
    const double *row = s->bands + i * w + l;
    double x = b[i];
    for (int64_t r = 1; r <= least(l, i); r++) x -= row[-r] * b[i - r];
    b[i] = x;
  }
  for (int64_t i = s->n - 1; i >= 0; i--) {
    const double *row = s->bands + i * w + l;
    double x = b[i];
    for (int64_t c = 1; c <= least(s->upper, s->n - 1 - i); c++) x -= row[c] * b[i + c];
    b[i] = x / row[0];
  }
}

/* Solves for blocks first .. last - 1 of right sides. */
static ma_status solve_range(void *context, int64_t first, int64_t last) {
  const ma_banded *s = context;
  int64_t l = s->lower, w = l + 1 + s->upper, m = s->columns;
  for (int64_t at = first; at < last; at++) {
    double *b = s->b + at * TUNE_BANDED_COLUMNS;
    int64_t n = least(TUNE_BANDED_COLUMNS, m - at * TUNE_BANDED_COLUMNS);
    for (int64_t i = 0; i < s->n; i++)
      for (int64_t r = 1; r <= least(l, i); r++) less(b + i * m, b + (i - r) * m, s->bands[i * w + l - r], n);
    for (int64_t i = s->n - 1; i >= 0; i--) {
      const double *row = s->bands + i * w + l;
      for (int64_t c = 1; c <= least(s->upper, s->n - 1 - i); c++) less(b + i * m, b + (i + c) * m, row[c], n);
      for (int64_t j = 0; j < n; j++) b[i * m + j] /= row[0];
    }
  }
  return MA_OK;
}

static ma_status banded_now(ma_stream *stream, const void *job) {
  const ma_banded *s = job;
  factor(s);
  if (s->columns == 1) {
    solve_one(s);
    return MA_OK;
  }
  return ma_cpu_parallel((s->columns + TUNE_BANDED_COLUMNS - 1) / TUNE_BANDED_COLUMNS,
                         1 + TUNE_THREAD_STEPS / TUNE_BANDED_COLUMNS / (s->n + 1), solve_range, (void *)s);
}

static int64_t banded_bytes(const void *job) {
  const ma_banded *s = job;
  return s->n * (2 * (s->lower + 1 + s->upper) + 4 * s->columns) * 8;
}

MA_CPU_SLOT(ma_cpu_linalg_banded, ma_banded, .name = "banded", .run = banded_now, .bytes = banded_bytes)
