/*
** cosine.c: cosine and sine transforms of rows, types 1 to 4. Each is a Fourier transform of as many or twice as many
** elements between two orders of the row (lua/moonarray/fft/cosine.lua says whose). A thread takes a row through all
** steps while it lies in the first caches; over whole arrays each step would be a pass over memory.
*/
#include "cpu/cpu.h"
#include "cpu/library/library.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

typedef struct cosine_job {
  const ma_fft *fft;
  const void *row; /* fft.c's, for the inner transform */
  const void *from;
  void *to;
  const void *table[2]; /* of turns, before and behind the inner transform */
} cosine_job;

#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define REAL float
#define SUFFIX f4
#include "cpu/library/cosine_loops.h"
#define REAL double
#define SUFFIX f8
#include "cpu/library/cosine_loops.h"

/* The Fourier transform of one row inside of the transform. */
void ma_cpu_cosine_inner(const ma_fft *fft, ma_fft *inner) {
  static const ma_fft_kind kinds[] = { MA_FFT_TO_COMPLEX, MA_FFT_TO_COMPLEX, MA_FFT_TO_REAL, MA_FFT_COMPLEX };
  int64_t n = fft->n[0];
  *inner = (ma_fft){ .kind = kinds[fft->type - 1], .dtype = fft->dtype, .inverse = fft->type == 3, .rank = 1 };
  inner->n[0] = fft->type == 1 ? fft->sine ? 2 * n + 2 : 2 * n - 2 : fft->type == 4 ? n / 2 : n;
  inner->batch = 1;
}

static ma_status run_range(void *context, int64_t first, int64_t end) {
  const cosine_job *j = context;
  size_t bytes = (size_t)(2 * j->fft->n[0] + 4) * sizeof(double);
  void *a, *b;
  if (posix_memalign(&a, 64, bytes) != 0) a = NULL;
  if (posix_memalign(&b, 64, bytes) != 0) b = NULL;
  ma_status status = !a || !b ? ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a row of a transform", 2 * bytes)
                     : j->fft->dtype == MA_COMPLEX128 ? rows_f8(j, a, b, first, end)
                                                      : rows_f4(j, a, b, first, end);
  free(a);
  free(b);
  return status;
}

static void fill(const ma_fft *fft, void *table, int64_t m, double first, double step) {
  if (fft->dtype == MA_COMPLEX128) fill_table_f8(table, m, first, step);
  else fill_table_f4(table, m, first, step);
}

/* The turns of the rows, which belong to the plan: memory that the caller frees, NULL for type 1. */
ma_status ma_cpu_cosine_tables(const ma_fft *fft, void **tables) {
  int64_t n = fft->n[0], m = n / 2 + 1;
  size_t pair = fft->dtype == MA_COMPLEX128 ? 16 : 8;
  *tables = NULL;
  if (fft->type == 1) return MA_OK;
  *tables = malloc((fft->type == 4 ? 2 : 1) * (size_t)m * pair);
  if (!*tables)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for angles of a transform", 2 * (size_t)m * pair);
  if (fft->type == 4) {
    fill(fft, *tables, n / 2, PI / (4 * (double)n), PI / (double)n);
    fill(fft, (char *)*tables + (size_t)m * pair, n / 2, 0, PI / (double)n);
  } else {
    fill(fft, *tables, m, 0, PI / (2 * (double)n));
  }
  return MA_OK;
}

ma_status ma_cpu_cosine(const ma_fft *fft, const void *row, const void *tables, const void *from, void *to) {
  cosine_job j = { .fft = fft, .row = row, .from = from, .to = to };
  int64_t n = fft->n[0], m = n / 2 + 1;
  j.table[0] = tables;
  if (fft->type == 4) j.table[1] = (const char *)tables + (size_t)m * (fft->dtype == MA_COMPLEX128 ? 16 : 8);
  return ma_cpu_parallel(fft->batch, 8192 / (n + 1) + 1, run_range, &j);
}
