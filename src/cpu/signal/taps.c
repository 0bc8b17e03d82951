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
#define WHOLE_PRODUCT(x, y) ((X)(1u * (x) * (y))) /* wraps: two uint16_t multiplied as ints would not */
#define EITHER(x, y) ((x) | (y))
#define BOTH(x, y) ((x) & (y))
#define SUFFIX b1
#define X uint8_t
#define ADD EITHER
#define TIMES BOTH
#include "cpu/signal/taps_loops.h"
#define SUFFIX i1
#define X uint8_t
#define ADD PLUS
#define TIMES WHOLE_PRODUCT
#include "cpu/signal/taps_loops.h"
#define SUFFIX i2
#define X uint16_t
#define ADD PLUS
#define TIMES WHOLE_PRODUCT
#include "cpu/signal/taps_loops.h"
#define SUFFIX i4
#define X uint32_t
#define ADD PLUS
#define TIMES PRODUCT
#include "cpu/signal/taps_loops.h"
#define SUFFIX i8
#define X uint64_t
#define ADD PLUS
#define TIMES PRODUCT
#include "cpu/signal/taps_loops.h"
#define SUFFIX f4
#define X float
#define ADD PLUS
#define TIMES PRODUCT
#define RESAMPLES
#include "cpu/signal/taps_loops.h"
#define SUFFIX f8
#define X double
#define ADD PLUS
#define TIMES PRODUCT
#define RESAMPLES
#include "cpu/signal/taps_loops.h"
#define SUFFIX c8
#define X ma_c64
#define ADD ma_cadd
#define TIMES ma_cmultiply
#define RESAMPLES
#include "cpu/signal/taps_loops.h"
#define SUFFIX c16
#define X ma_c128
#define ADD ma_cadd
#define TIMES ma_cmultiply
#define RESAMPLES
#include "cpu/signal/taps_loops.h"

/* ==== Floats of 16 bits =========================================================================================== */

#define PIECE 256 /* taps that meet their elements in float32 at once */

static void widen(float *to, const uint16_t *from, int64_t n, bool brain) {
  if (brain)
    for (int64_t k = 0; k < n; k++) to[k] = ma_bf16_to_float(from[k]);
  else
    for (int64_t k = 0; k < n; k++) to[k] = ma_f16_to_float(from[k]);
}

/* The sums are rounded once. */
static void correlate_f2(const ma_correlate *p, int64_t row, int64_t first, int n) {
  const bool brain = p->dtype == MA_BFLOAT16;
  const uint16_t *from = (const uint16_t *)p->from + row * p->columns, *taps = p->taps;
  uint16_t *to = (uint16_t *)p->to + row * p->to_columns + first;
  float sums[MA_BLOCK], elements[MA_BLOCK + PIECE], piece[PIECE];
  memset(sums, 0, sizeof(float) * (size_t)n);
  for (int64_t i = 0; i < p->tap_rows; i++, from += p->columns, taps += p->tap_columns)
    for (int64_t j = 0; j < p->tap_columns; j += PIECE) {
      int64_t ntap = within(p->tap_columns - j, 0, PIECE), c = first - p->before + j;
      int64_t lo = within(c, 0, p->columns), hi = within(c + n + ntap - 1, lo, p->columns);
      widen(piece, taps + j, ntap, brain);
      widen(elements, from + lo, hi - lo, brain);
      add_row_f4(sums, elements, hi - lo, c - lo, piece, ntap, n);
    }
  for (int k = 0; k < n; k++) to[k] = brain ? ma_float_to_bf16(sums[k]) : ma_float_to_f16(sums[k]);
}

static const struct {
  void (*correlate)(const ma_correlate *p, int64_t row, int64_t first, int n);
  void (*upfirdn)(const ma_upfirdn *p, const void *phase, int64_t length, int64_t row, int64_t first, int n);
  void (*phases)(const ma_upfirdn *p, void *phase, int64_t length);
} loops[MA_NDTYPE] = { [MA_BOOL] = { correlate_b1, NULL, NULL },
                       [MA_INT8] = { correlate_i1, NULL, NULL },
                       [MA_UINT8] = { correlate_i1, NULL, NULL },
                       [MA_INT16] = { correlate_i2, NULL, NULL },
                       [MA_UINT16] = { correlate_i2, NULL, NULL },
                       [MA_INT32] = { correlate_i4, NULL, NULL },
                       [MA_UINT32] = { correlate_i4, NULL, NULL },
                       [MA_INT64] = { correlate_i8, NULL, NULL },
                       [MA_UINT64] = { correlate_i8, NULL, NULL },
                       [MA_FLOAT16] = { correlate_f2, NULL, NULL },
                       [MA_BFLOAT16] = { correlate_f2, NULL, NULL },
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

MA_CPU_SLOT(ma_cpu_signal_correlate, ma_correlate, .name = "correlate", .run = correlate_run, .bytes = correlate_bytes)

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

MA_CPU_SLOT(ma_cpu_signal_upfirdn, ma_upfirdn, .name = "upfirdn", .run = upfirdn_run, .bytes = upfirdn_bytes)
