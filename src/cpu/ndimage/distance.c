/* distance.c: exact Euclidean distances on the CPU, by kernels/ndimage/distance.h: along the rows by two scans, then
** along each axis before. Neighbouring lines of those axes are copied into rows of their own. */
#include "cpu/cpu.h"
#include "cpu/ndimage/morphology.h"
#include "cpu/submit.h"
#include "kernels/ndimage/distance.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>

typedef struct distance {
  const ma_distance *w;
  int axis;
  int64_t inner, blocks; /* elements behind an element of the axis, and groups of lines among them */
} distance;

static void finish(double *square, int64_t n, bool root) {
  if (!root) return;
  for (int64_t i = 0; i < n; i++) square[i] = sqrt(square[i]);
}

static ma_status row_range(void *context, int64_t first, int64_t last) {
  const ma_distance *w = ((const distance *)context)->w;
  int64_t n = ma_picture_row(&w->image);
  double spacing = w->sampling[w->image.ndim - 1];
  for (int64_t row = first; row < last; row++) {
    const uint8_t *x = (const uint8_t *)w->from + row * n;
    double *square = w->squares + row * n;
    long long *place = w->places ? (long long *)w->places + row * n : NULL;
    int64_t near = -1, base = row * n;
    for (int64_t i = 0; i < n; i++) {
      if (!x[i]) near = i;
      square[i] = near < 0 ? INFINITY : (double)(i - near);
      if (place) place[i] = near < 0 ? -1 : base + near;
    }
    near = -1;
    for (int64_t i = n; i-- > 0;) {
      if (!x[i]) near = i;
      if (near >= 0 && (double)(near - i) < square[i]) {
        square[i] = (double)(near - i);
        if (place) place[i] = base + near;
      }
      square[i] *= spacing;
      square[i] *= square[i];
    }
    finish(square, n, w->image.ndim == 1 && w->rooted);
  }
  return MA_OK;
}

/* Memory for the lines of a block and an envelope. */
typedef struct room {
  double *square;
  long long *place;
  ma_envelope envelope;
} room;

static ma_status room_new(room *r, int64_t n, bool places) {
  size_t doubles = (size_t)n * (TUNE_DISTANCE_LINES + 2), longs = places ? (size_t)n * (TUNE_DISTANCE_LINES + 1) : 0;
  r->square = malloc(doubles * sizeof(double) + longs * sizeof(long long) + (size_t)n * sizeof(int));
  if (!r->square) return ma_fail(MA_ERR_MEMORY, "out of memory for distances along an axis of %lld", (long long)n);
  r->place = places ? (long long *)(void *)(r->square + doubles) : NULL;
  r->envelope = (ma_envelope){ .height = r->square + TUNE_DISTANCE_LINES * n,
                               .from = r->square + (TUNE_DISTANCE_LINES + 1) * n,
                               .place = places ? r->place + TUNE_DISTANCE_LINES * n : NULL,
                               .at = (int *)(void *)((long long *)(void *)(r->square + doubles) + longs),
                               .step = 1 };
  return MA_OK;
}

/* Copies k lines into rows, or with `back` from them. */
static void copy_lines(const distance *d, const room *r, int64_t at, int64_t k, bool back) {
  int64_t n = d->w->image.shape[d->axis];
  for (int64_t y = 0; y < n; y++)
    for (int64_t c = 0; c < k; c++) {
      double *square = d->w->squares + at + y * d->inner + c, *own = r->square + c * n + y;
      if (back) *square = *own;
      else *own = *square;
    }
  for (int64_t y = 0; y < n && r->place; y++)
    for (int64_t c = 0; c < k; c++) {
      long long *place = (long long *)d->w->places + at + y * d->inner + c, *own = r->place + c * n + y;
      if (back) *place = *own;
      else *own = *place;
    }
}

static ma_status line_range(void *context, int64_t first, int64_t last) {
  const distance *d = context;
  int64_t n = d->w->image.shape[d->axis];
  room r = { 0 };
  MA_TRY(room_new(&r, n, d->w->places != NULL));
  for (int64_t b = first; b < last; b++) {
    int64_t column = b % d->blocks * TUNE_DISTANCE_LINES, at = b / d->blocks * d->inner * n + column;
    int64_t k = d->inner - column < TUNE_DISTANCE_LINES ? d->inner - column : TUNE_DISTANCE_LINES;
    copy_lines(d, &r, at, k, false);
    for (int64_t c = 0; c < k; c++) {
      double *square = r.square + c * n;
      long long *place = r.place ? r.place + c * n : NULL;
      ma_distance_line line = { square, place, square, place, 1, (int)n, d->w->sampling[d->axis] };
      ma_distance_along(&r.envelope, &line);
      finish(square, n, d->axis == 0 && d->w->rooted);
    }
    copy_lines(d, &r, at, k, true);
  }
  free(r.square);
  return MA_OK;
}

static ma_status distance_now(ma_stream *stream, const void *job) {
  const ma_distance *w = job;
  distance d = { .w = w, .inner = 1 };
  int64_t size = ma_picture_size(&w->image);
  MA_TRY(ma_cpu_parallel(ma_picture_rows(&w->image), TUNE_THREAD_STEPS / ma_picture_row(&w->image) + 1, row_range, &d));
  for (d.axis = w->image.ndim - 2; d.axis >= 0; d.axis--) {
    int64_t n = w->image.shape[d.axis], grain;
    d.inner *= w->image.shape[d.axis + 1];
    d.blocks = (d.inner + TUNE_DISTANCE_LINES - 1) / TUNE_DISTANCE_LINES;
    grain = TUNE_THREAD_FAR / n / TUNE_DISTANCE_LINES + 1;
    MA_TRY(ma_cpu_parallel(size / n / d.inner * d.blocks, grain, line_range, &d));
  }
  return MA_OK;
}

static int64_t distance_bytes(const void *job) {
  const ma_distance *w = job;
  return ma_picture_size(&w->image) * (w->places ? 17 : 9);
}

MA_CPU_SLOT(ma_cpu_morphology_distance, ma_distance, .name = "distance", .run = distance_now, .bytes = distance_bytes)
