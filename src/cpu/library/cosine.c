/*
** cosine.c: cosine and sine transforms of rows, types 1 to 4. Each is a Fourier transform of as many or twice as many
** elements between two orders of the row (lua/moonarray/fft/cosine.lua says whose). A thread takes a row through all
** steps while it lies in the first caches; over whole arrays each step would be a pass over memory.
*/
#include "cpu/cpu.h"
#include "cpu/library/library.h"
#include "cpu/map/wider.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

typedef struct cosine_job {
  const ma_fft *fft;
  const void *row; /* fft.c's, for the inner transform */
  const void *from;
  void *to;
  const void *table[2]; /* of turns, before and behind the inner transform */
  char *memory;         /* for each part of the rows two pieces of `room` bytes */
  size_t room;
  int64_t parts;
} cosine_job;

#define ALWAYS __attribute__((always_inline)) inline
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

static ma_status run_parts(void *context, int64_t first, int64_t end) {
  const cosine_job *j = context;
  int64_t rows = j->fft->batch;
  bool wide = j->fft->dtype == MA_COMPLEX128;
  for (int64_t k = first; k < end; k++) {
    char *a = j->memory + 2 * (size_t)k * j->room, *b = a + j->room;
    MA_TRY((wide ? rows_f8 : rows_f4)(j, a, b, rows * k / j->parts, rows * (k + 1) / j->parts));
  }
  return MA_OK;
}

static void fill(const ma_fft *fft, void *table, int64_t m, double first, double step) {
  if (fft->dtype == MA_COMPLEX128) fill_table_f8(table, m, first, step);
  else fill_table_f4(table, m, first, step);
}

/* Makes the turns of the rows, which belong to the plan. The caller frees the memory. It is NULL for type 1. */
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
  int64_t most = fft->batch / (8192 / (n + 1) + 1), threads = ma_cpu_threads();
  ma_buffer *memory;
  j.parts = most < 1 ? 1 : most < threads ? most : threads;
  /* the memory is from the pool: the system would clear memory of the C library for every call */
  j.room = ((size_t)(fft->type == 1 ? 2 * n + 4 : n + 4) * (fft->dtype == MA_COMPLEX128 ? 8 : 4) + 63) & ~(size_t)63;
  MA_TRY(ma_buffer_new(ma_device_cpu(), 2 * (size_t)j.parts * j.room, &memory));
  j.memory = memory->ptr;
  ma_status status = ma_cpu_parallel(j.parts, 1, run_parts, &j);
  ma_buffer_release(memory);
  return status;
}
