/* taps.c: sums of products with weights on the CPU: correlation of rows and images, and filtering with a change of the
** rate. */
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "backend/signal.h"
#include "cpu/submit.h"
#include "kernels/scalar.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

static int64_t within(int64_t k, int64_t lo, int64_t hi) { return k < lo ? lo : k > hi ? hi : k; }

#define PLUS(x, y) ((x) + (y))
#define PRODUCT(x, y) ((x) * (y))
#define SUFFIX i8
#define X uint64_t
#define ADD PLUS
#define TIMES PRODUCT
#include "cpu/signal/taps_loops.h"
#define SUFFIX f4
#define X float
#define ADD PLUS
#define TIMES PRODUCT
#include "cpu/signal/taps_loops.h"
#define SUFFIX f8
#define X double
#define ADD PLUS
#define TIMES PRODUCT
#include "cpu/signal/taps_loops.h"
#define SUFFIX c8
#define X ma_c64
#define ADD ma_cadd
#define TIMES ma_cmultiply
#include "cpu/signal/taps_loops.h"
#define SUFFIX c16
#define X ma_c128
#define ADD ma_cadd
#define TIMES ma_cmultiply
#include "cpu/signal/taps_loops.h"

static const struct {
  void (*correlate)(const ma_correlate *p, int64_t row, int64_t first, int n);
  void (*upfirdn)(const ma_upfirdn *p, const void *phase, int64_t length, int64_t row, int64_t first, int n);
  void (*phases)(const ma_upfirdn *p, void *phase, int64_t length);
} loops[MA_NDTYPE] = { [MA_INT64] = { correlate_i8, upfirdn_i8, phases_i8 },
                       [MA_FLOAT32] = { correlate_f4, upfirdn_f4, phases_f4 },
                       [MA_FLOAT64] = { correlate_f8, upfirdn_f8, phases_f8 },
                       [MA_COMPLEX64] = { correlate_c8, upfirdn_c8, phases_c8 },
                       [MA_COMPLEX128] = { correlate_c16, upfirdn_c16, phases_c16 } };

static int64_t blocks_of(int64_t n) { return (n + MA_BLOCK - 1) / MA_BLOCK; }
static int64_t grain_of(int64_t products) { return TUNE_THREAD_STEPS / (MA_BLOCK * products + 1); }

static ma_status correlate_blocks(void *context, int64_t begin, int64_t end) {
  const ma_correlate *p = context;
  int64_t n = p->to_columns, across = blocks_of(n);
  for (int64_t k = begin; k < end; k++) {
    int64_t first = k % across * MA_BLOCK;
    loops[p->dtype].correlate(p, k / across, first, (int)(n - first < MA_BLOCK ? n - first : MA_BLOCK));
  }
  return MA_OK;
}

static ma_status correlate_run(ma_stream *stream, const void *job) {
  const ma_correlate *p = job;
  int64_t rows = p->rows - p->tap_rows + 1, across = blocks_of(p->to_columns);
  return ma_cpu_parallel(rows * across, grain_of(p->tap_rows * p->tap_columns), correlate_blocks, (void *)job);
}

static int64_t correlate_bytes(const void *job) {
  const ma_correlate *p = job;
  int64_t sums = (p->rows - p->tap_rows + 1) * p->to_columns;
  return (p->rows * p->columns + p->tap_rows * p->tap_columns + sums) * ma_dtypes[p->dtype].itemsize;
}

MA_CPU_SLOT(signal, correlate, ma_correlate, .name = "correlate", .run = correlate_run, .bytes = correlate_bytes)

typedef struct resampling {
  const ma_upfirdn *p;
  void *phase; /* the taps that meet elements at once, beside each other */
  int64_t length;
} resampling;

static ma_status upfirdn_blocks(void *context, int64_t begin, int64_t end) {
  const resampling *r = context;
  const ma_upfirdn *p = r->p;
  int64_t across = blocks_of(p->count);
  for (int64_t k = begin; k < end; k++) {
    int64_t first = k % across * MA_BLOCK, n = p->count - first < MA_BLOCK ? p->count - first : MA_BLOCK;
    loops[p->dtype].upfirdn(p, r->phase, r->length, k / across, first, (int)n);
  }
  return MA_OK;
}

static ma_status upfirdn_run(ma_stream *stream, const void *job) {
  const ma_upfirdn *p = job;
  resampling r = { .p = p, .length = (p->taps + p->up - 1) / p->up };
  size_t room = (size_t)(r.length * p->up) * ma_dtypes[p->dtype].itemsize;
  r.phase = calloc(1, room);
  if (!r.phase) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for the phases of a filter", room);
  loops[p->dtype].phases(p, r.phase, r.length);
  ma_status status = ma_cpu_parallel(p->rows * blocks_of(p->count), grain_of(r.length), upfirdn_blocks, &r);
  free(r.phase);
  return status;
}

static int64_t upfirdn_bytes(const void *job) {
  const ma_upfirdn *p = job;
  return (p->rows * (p->n + p->count) + p->taps) * ma_dtypes[p->dtype].itemsize;
}

MA_CPU_SLOT(signal, upfirdn, ma_upfirdn, .name = "upfirdn", .run = upfirdn_run, .bytes = upfirdn_bytes)
