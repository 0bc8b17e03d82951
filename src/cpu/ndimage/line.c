/*
** line.c: the least, the greatest and the mean of neighbours along one axis on the CPU, in a time that does not depend
** on their number: the method of van Herk, Gil and Werman. The line is cut into blocks of `size` elements. A window
** consists of the end of one block and the beginning of the next, whose results are found for all windows in one pass
** each. Every element of both parts is in the window, so NaN stays in the windows that have it.
*/
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "cpu/ndimage/ndimage.h"
#include "backend/filter.h"
#include "cpu/submit.h"
#include "kernels/ndimage/edge.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

typedef void combine_loop(void *to, const void *a, const void *b, int64_t n);

#define COMBINE(name, T, value)                                                        \
  FOR_AVX2 static void name(void *to, const void *from, const void *more, int64_t n) { \
    const T *x = from, *y = more;                                                      \
    T *r = to;                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                  \
      T a = x[i], b = y[i];                                                            \
      r[i] = value;                                                                    \
    }                                                                                  \
  }
COMBINE(min_f4, float, a <= b || a != a ? a : b)
COMBINE(max_f4, float, a >= b || a != a ? a : b)
COMBINE(min_f8, double, a <= b || a != a ? a : b)
COMBINE(max_f8, double, a >= b || a != a ? a : b)
COMBINE(add_f8, double, a + b)
COMBINE(min_i8, int64_t, a <= b ? a : b)
COMBINE(max_i8, int64_t, a >= b ? a : b)
COMBINE(min_u8, uint64_t, a <= b ? a : b)
COMBINE(max_u8, uint64_t, a >= b ? a : b)

static combine_loop *combine_of(const ma_line_filter *f) {
  bool least = f->op == MA_FILTER_MIN;
  if (f->op == MA_FILTER_MEAN) return add_f8;
  switch (f->compute) {
  case MA_FLOAT32: return least ? min_f4 : max_f4;
  case MA_FLOAT64: return least ? min_f8 : max_f8;
  case MA_INT64: return least ? min_i8 : max_i8;
  default: return least ? min_u8 : max_u8;
  }
}

FOR_AVX2 static void divide(double *x, double by, int64_t n) {
  for (int64_t i = 0; i < n; i++) x[i] /= by;
}

static void put_constant(const ma_line_filter *f, void *at) {
  if (f->compute == MA_FLOAT32) *(float *)at = (float)f->cval;
  else if (f->compute == MA_INT64) *(int64_t *)at = ma_cut64(f->cval);
  else if (f->compute == MA_UINT64) *(uint64_t *)at = ma_cut_u8(f->cval);
  else *(double *)at = f->cval;
}

/* Fills the rows of the tile that are beyond the image's edges. The image begins at row `before`. */
static void extend(const ma_line_filter *f, char *tile, size_t row) {
  size_t size = ma_dtypes[f->compute].itemsize;
  for (int64_t k = 0; k < f->n + f->size - 1; k++) {
    if (k == f->before) k += f->n;
    if (k >= f->n + f->size - 1) break;
    int64_t place = ma_edge_place(k - f->before, f->n, f->mode);
    char *at = tile + (size_t)k * row;
    if (place >= 0) memcpy(at, tile + (size_t)(f->before + place) * row, row);
    else
      for (size_t i = 0; i < row; i += size) put_constant(f, at + i);
  }
}

/* Replaces rows 0 .. n - 1 of the extended tile by the results. `ends` has room for `size` rows. */
static void filter(const ma_line_filter *f, char *tile, char *ends, char *begin, int64_t width) {
  combine_loop *combine = combine_of(f);
  size_t row = (size_t)width * ma_dtypes[f->compute].itemsize;
  int64_t rows = f->n + f->size - 1;
  for (int64_t first = 0; first < f->n; first += f->size) {
    int64_t next = first + f->size, last = next < f->n ? next : f->n;
    memcpy(ends + (size_t)(f->size - 1) * row, tile + (size_t)(next - 1) * row, row);
    for (int64_t j = f->size - 2; j >= 0; j--)
      combine(ends + (size_t)j * row, tile + (size_t)(first + j) * row, ends + (size_t)(j + 1) * row, width);
    memcpy(tile + (size_t)first * row, ends, row);
    for (int64_t i = first + 1; i < last && next < rows; i++) {
      const char *more = tile + (size_t)(next + i - first - 1) * row;
      if (i == first + 1) memcpy(begin, more, row);
      else combine(begin, begin, more, width);
      combine(tile + (size_t)i * row, ends + (size_t)(i - first) * row, begin, width);
    }
  }
  if (f->op == MA_FILTER_MEAN) divide((double *)(void *)tile, (double)f->size, f->n * width);
}

static int64_t width_of(const ma_line_filter *f) { return ma_tile_width(8 * (f->n + f->size), f->outer * f->inner); }

static ma_status run_lines(void *context, int64_t first, int64_t last) {
  const ma_line_filter *f = context;
  int64_t width = width_of(f), lines = f->outer * f->inner;
  size_t size = ma_dtypes[f->compute].itemsize, row = (size_t)width * size;
  char *tile = malloc((size_t)(f->n + 2 * f->size) * row);
  if (!tile) return ma_fail(MA_ERR_MEMORY, "out of memory for lines of %lld elements", (long long)f->n);
  char *ends = tile + (size_t)(f->n + f->size - 1) * row, *begin = ends + (size_t)f->size * row;
  ma_row_loop *load = ma_row_load(f->from_dtype, f->compute), *store = ma_row_store(f->compute, f->to_dtype, false);
  for (int64_t k = first; k < last; k++) {
    ma_tile t = { f->n, f->inner, k * width, width, size, ma_dtypes[f->from_dtype].itemsize };
    if (t.width > lines - t.first) t.width = lines - t.first;
    ma_tile_load(&t, tile + (size_t)(f->before * t.width) * size, f->from, load);
    extend(f, tile, (size_t)t.width * size);
    filter(f, tile, ends, begin, t.width);
    t.memory_size = ma_dtypes[f->to_dtype].itemsize;
    ma_tile_store(&t, f->to, tile, store);
  }
  free(tile);
  return MA_OK;
}

/* ==== Few long lines ============================================================================================== */

static int64_t piece_of(const ma_line_filter *f) {
  return 4 * f->size > TUNE_LINE_PIECE ? 4 * f->size : TUNE_LINE_PIECE;
}

/* A line is cut into pieces, which lie beside each other in a tile as if they were lines. */
static ma_status run_pieces(void *context, int64_t first, int64_t last) {
  const ma_line_filter *f = context;
  int64_t piece = piece_of(f), per_line = (f->n + piece - 1) / piece, rows = piece + f->size - 1;
  size_t size = ma_dtypes[f->compute].itemsize, from_size = ma_dtypes[f->from_dtype].itemsize,
         to_size = ma_dtypes[f->to_dtype].itemsize, row = TUNE_LINE_ABREAST * size;
  char *tile = malloc((size_t)(rows + f->size + 1) * row + (size_t)rows * 8);
  if (!tile) return ma_fail(MA_ERR_MEMORY, "out of memory for lines of %lld elements", (long long)f->n);
  char *ends = tile + (size_t)rows * row, *begin = ends + (size_t)f->size * row, *line = begin + row;
  ma_row_loop *load = ma_row_load(f->from_dtype, f->compute), *store = ma_row_store(f->compute, f->to_dtype, false);
  ma_line_filter part = *f;
  part.n = piece;
  for (int64_t group = first; group < last; group++) {
    int64_t groups = (per_line + TUNE_LINE_ABREAST - 1) / TUNE_LINE_ABREAST, outer = group / groups,
            at = group % groups * TUNE_LINE_ABREAST;
    int64_t width = per_line - at < TUNE_LINE_ABREAST ? per_line - at : TUNE_LINE_ABREAST;
    ma_tile t = { rows, 1, 0, width, size, 0 };
    for (int64_t c = 0; c < width; c++) {
      int64_t start = (at + c) * piece - f->before, lo = start < 0 ? -start : 0,
              hi = start + rows > f->n ? f->n - start : rows;
      const char *image = (const char *)f->from + (size_t)(outer * f->n) * from_size;
      if (lo < hi) load(line + (size_t)lo * size, image + (size_t)(start + lo) * from_size, hi - lo);
      for (int64_t k = 0; k < rows; k++) {
        if (k == lo && lo < hi) k = hi;
        if (k >= rows) break;
        int64_t place = ma_edge_place(start + k, f->n, f->mode);
        if (place < 0) put_constant(f, line + (size_t)k * size);
        else load(line + (size_t)k * size, image + (size_t)place * from_size, 1);
      }
      ma_tile_put(&t, tile, c, line);
    }
    filter(&part, tile, ends, begin, width);
    for (int64_t c = 0; c < width; c++) {
      int64_t start = (at + c) * piece, n = f->n - start < piece ? f->n - start : piece;
      ma_tile_get(&t, line, tile, c);
      store((char *)f->to + (size_t)(outer * f->n + start) * to_size, line, n);
    }
  }
  free(tile);
  return MA_OK;
}

static ma_status run_line(ma_stream *stream, const void *job) {
  const ma_line_filter *f = job;
  if (f->inner == 1 && f->outer < TUNE_LINE_FEW && f->n > 2 * piece_of(f)) {
    int64_t per_line = (f->n + piece_of(f) - 1) / piece_of(f),
            groups = (per_line + TUNE_LINE_ABREAST - 1) / TUNE_LINE_ABREAST;
    return ma_cpu_parallel(f->outer * groups, 4, run_pieces, (void *)job);
  }
  int64_t width = width_of(f), tiles = (f->outer * f->inner + width - 1) / width;
  return ma_cpu_parallel(tiles, TUNE_THREAD_STEPS / (width * f->n), run_lines, (void *)job);
}

static int64_t line_bytes(const void *job) {
  const ma_line_filter *f = job;
  return f->outer * f->n * f->inner * (ma_dtypes[f->from_dtype].itemsize + ma_dtypes[f->to_dtype].itemsize);
}

MA_CPU_SLOT(ma_cpu_filter_line, ma_line_filter, .name = "line filter", .run = run_line, .bytes = line_bytes)
