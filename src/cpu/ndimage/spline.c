/* spline.c: the coefficients of splines on the CPU: a recursive filter forwards and backwards along each line, over
** tiles of neighbouring lines. */
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "cpu/ndimage/ndimage.h"
#include "backend/filter.h"
#include "cpu/submit.h"
#include "kernels/ndimage/edge.h"
#include "kernels/ndimage/spline.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>

#define T float
#define NAMED(name) name##_f4
#include "cpu/ndimage/spline_loop.h"
#define T double
#define NAMED(name) name##_f8
#include "cpu/ndimage/spline_loop.h"

static int64_t width_of(const ma_spline_filter *f) {
  return ma_tile_width(f->n * ma_dtypes[f->dtype].itemsize, f->outer * f->inner);
}

static ma_status run_lines(void *context, int64_t first, int64_t last) {
  const ma_spline_filter *f = context;
  int64_t width = width_of(f), lines = f->outer * f->inner;
  size_t size = ma_dtypes[f->dtype].itemsize;
  void *tile = malloc((size_t)(f->n * width) * size);
  if (!tile) return ma_fail(MA_ERR_MEMORY, "out of memory for lines of %lld elements", (long long)f->n);
  for (int64_t k = first; k < last; k++) {
    ma_tile t = { f->n, f->inner, k * width, width, size, size };
    if (t.width > lines - t.first) t.width = lines - t.first;
    ma_tile_load(&t, tile, f->data, ma_row_load(f->dtype, f->dtype));
    if (f->dtype == MA_FLOAT32) filter_f4(tile, f, t.width);
    else filter_f8(tile, f, t.width);
    ma_tile_store(&t, f->data, tile, ma_row_store(f->dtype, f->dtype, false));
  }
  free(tile);
  return MA_OK;
}

static ma_status run_spline(ma_stream *stream, const void *job) {
  const ma_spline_filter *f = job;
  if (f->n == 1) return MA_OK;
  int64_t width = width_of(f), tiles = (f->outer * f->inner + width - 1) / width;
  return ma_cpu_parallel(tiles, TUNE_THREAD_STEPS / (width * f->n), run_lines, (void *)job);
}

static int64_t spline_bytes(const void *job) {
  const ma_spline_filter *f = job;
  return 2 * f->outer * f->n * f->inner * ma_dtypes[f->dtype].itemsize;
}

MA_CPU_SLOT(ma_cpu_filter_spline, ma_spline_filter, .name = "spline filter", .run = run_spline, .bytes = spline_bytes)
