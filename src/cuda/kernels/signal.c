/* signal.c: kernels of signals on a GPU: sums of products with weights, recursive filters, peaks. */
#include "backend/signal.h"
#include "cuda/cuda.h"

#include <string.h>

#define MOST_ORDER 16 /* states that a thread keeps in registers */

typedef struct variant {
  uint8_t dtype, order, sections, log_threads, log_items;
} variant;

static const char *number_of(ma_dtype dtype) {
  static const char *const names[MA_NDTYPE] = { [MA_INT64] = "i8",
                                                [MA_FLOAT32] = "float",
                                                [MA_FLOAT64] = "double",
                                                [MA_COMPLEX64] = "ma_c64",
                                                [MA_COMPLEX128] = "ma_c128" };
  return names[dtype];
}

static void print_taps(ma_ctext *text, const void *what) {
  const variant *v = what;
  ma_ctext_put(text, ma_embedded("number.cuh"));
  ma_ctext_add(text, "typedef %s X;\n", number_of((ma_dtype)v->dtype));
  ma_ctext_put(text, ma_embedded("taps.cuh"));
}

static void print_types(ma_ctext *text, const variant *v) {
  ma_ctext_put(text, ma_embedded("number.cuh"));
  ma_ctext_add(text, "typedef %s X;\ntypedef %s T;\n", number_of((ma_dtype)v->dtype),
               ma_dtypes[v->dtype].kind == MA_KIND_COMPLEX ? "ma_c128" : "double");
}

static void print_recurrence(ma_ctext *text, const void *what) {
  const variant *v = what;
  print_types(text, v);
  ma_ctext_put(text, ma_embedded("recurrence.h"));
  ma_ctext_add(text,
               "#define ORDER %d\n#define SECTIONS %d\n#define THREADS %d\n#define LOG_THREADS %d\n"
               "#define ITEMS %d\n#define LOG_ITEMS %d\n",
               v->order, v->sections, 1 << v->log_threads, v->log_threads, 1 << v->log_items, v->log_items);
  ma_ctext_put(text, ma_embedded("recurrence.cuh"));
}

static void print_wide(ma_ctext *text, const void *what) {
  print_types(text, what);
  ma_ctext_put(text, ma_embedded("recurrence_wide.cuh"));
}

static void print_peaks(ma_ctext *text, const void *what) {
  ma_ctext_put(text, ma_embedded("peaks.h"));
  ma_ctext_put(text, ma_embedded("peaks.cuh"));
}

static const ma_cuda_family taps = { "taps", { "correlate", "correlate_rows", "upfirdn" }, print_taps, NULL },
                            recurrence = { "recurrence", { "ends", "starts", "filter" }, print_recurrence, NULL },
                            wide = { "recurrence_wide", { "filter_wide" }, print_wide, NULL },
                            peaks = { "peaks", { "prominences", "widths" }, print_peaks, NULL };

static ma_status grid_of(int64_t blocks, unsigned *grid) {
  if (blocks > INT32_MAX) return ma_fail(MA_ERR_VALUE, "%lld blocks of a kernel; at most 2^31", (long long)blocks);
  *grid = (unsigned)blocks;
  return MA_OK;
}

static ma_status kernel_of(ma_stream *stream, const ma_cuda_family *family, const variant *v,
                           const CUfunction **entry) {
  MA_TRY(ma_cuda_enter(stream->device));
  return ma_cuda_kernel(ma_cuda_state(stream), family, v, sizeof *v, v, entry);
}

/* ==== Sums of products =========================================================================================== */

ma_status ma_cuda_signal_correlate(ma_stream *stream, const ma_correlate *c) {
  struct {
    const void *from, *taps;
    void *to;
    int64_t columns, tap_rows, tap_columns, to_rows, to_columns, across;
  } job = { .from = c->from,
            .taps = c->taps,
            .to = c->to,
            .columns = c->columns,
            .tap_rows = c->tap_rows,
            .tap_columns = c->tap_columns,
            .to_rows = c->rows - c->tap_rows + 1,
            .to_columns = c->to_columns };
  variant v = { .dtype = (uint8_t)c->dtype };
  const CUfunction *entry;
  bool by_rows = c->tap_rows == 1;
  int64_t across = by_rows ? MA_THREADS * MA_TAPS_SPAN : 32, down = by_rows ? 1 : MA_THREADS / 32 * MA_TAPS_SPAN;
  unsigned grid = 0;
  job.across = (job.to_columns + across - 1) / across;
  MA_TRY(grid_of(job.across * ((job.to_rows + down - 1) / down), &grid));
  MA_TRY(kernel_of(stream, &taps, &v, &entry));
  return ma_cuda_launch(stream, entry[by_rows], grid, MA_THREADS, 0, (void *[]){ &job }, "correlate",
                        (c->rows * c->columns + job.to_rows * job.to_columns) * ma_dtypes[c->dtype].itemsize);
}

ma_status ma_cuda_signal_upfirdn(ma_stream *stream, const ma_upfirdn *u) {
  struct {
    const void *from, *tap;
    void *to;
    int64_t n, taps, up, down, first, count, total;
  } job = { u->from, u->tap, u->to, u->n, u->taps, u->up, u->down, u->first, u->count, u->rows * u->count };
  variant v = { .dtype = (uint8_t)u->dtype };
  const CUfunction *entry;
  unsigned grid = 0;
  MA_TRY(grid_of((job.total + MA_THREADS - 1) / MA_THREADS, &grid));
  MA_TRY(kernel_of(stream, &taps, &v, &entry));
  return ma_cuda_launch(stream, entry[2], grid, MA_THREADS, 0, (void *[]){ &job }, "upfirdn",
                        u->rows * (u->n + u->count) * ma_dtypes[u->dtype].itemsize);
}

/* ==== Recursive filters ========================================================================================== */

/* The same struct is in kernels/signal/recurrence.cuh. */
typedef struct params {
  const void *from;
  void *to;
  const void *coefficients, *powers, *start;
  void *end, *states;
  int64_t n, tiles;
  int32_t log_share;
} params;

static size_t state_bytes(const ma_recurrence *r) {
  return (size_t)r->order * (ma_dtypes[r->dtype].kind == MA_KIND_COMPLEX ? 16 : 8);
}

static variant variant_of(const ma_recurrence *r) {
  return (variant){ .dtype = (uint8_t)r->dtype,
                    .order = (uint8_t)r->order,
                    .sections = (uint8_t)r->sections,
                    .log_threads = r->n <= 512 ? 5 : 7,
                    .log_items = 4 };
}

/* Launches one of the three kernels in so many blocks. */
static ma_status launch(ma_stream *stream, const ma_recurrence *r, const variant *v, CUfunction function,
                        int64_t blocks, const params *p, int64_t passes) {
  unsigned grid = 0;
  MA_TRY(grid_of(blocks, &grid));
  return ma_cuda_launch(stream, function, grid, 1u << v->log_threads, 0, (void *[]){ (void *)p }, "recurrence",
                        passes * r->rows * r->n * ma_dtypes[r->dtype].itemsize);
}

static ma_status filter_wide(ma_stream *stream, const ma_recurrence *r) {
  struct {
    const void *from;
    void *to;
    const void *coefficients, *start;
    void *end, *states;
    int64_t n;
    int32_t order;
  } job = { .from = r->from,
            .to = r->to,
            .coefficients = r->coefficients,
            .start = r->start,
            .end = r->end,
            .n = r->n,
            .order = r->order };
  variant v = { .dtype = (uint8_t)r->dtype };
  const CUfunction *entry;
  ma_buffer *states;
  unsigned grid = 0;
  if (r->sections) return ma_fail(MA_ERR_VALUE, "%d sections at once; at most %d", r->sections, MOST_ORDER / 2);
  MA_TRY(grid_of(r->rows, &grid));
  MA_TRY(kernel_of(stream, &wide, &v, &entry));
  MA_TRY(ma_cuda_scratch(stream, 2 * (size_t)r->rows * state_bytes(r), &states));
  job.states = states->ptr;
  ma_status status = ma_cuda_launch(stream, entry[0], grid, r->order < 128 ? 64 : MA_THREADS, 0, (void *[]){ &job },
                                    "recurrence", 2 * r->rows * r->n * ma_dtypes[r->dtype].itemsize);
  ma_buffer_release(states);
  return status;
}

ma_status ma_cuda_signal_recurrence(ma_stream *stream, const ma_recurrence *r) {
  variant v = variant_of(r);
  int64_t tile = (int64_t)1 << (v.log_threads + v.log_items), share = 1;
  const CUfunction *entry;
  ma_buffer *states = NULL;
  params p = { .from = r->from,
               .to = r->to,
               .coefficients = r->coefficients,
               .powers = r->powers,
               .start = r->start,
               .end = r->end,
               .n = r->n,
               .tiles = (r->n + tile - 1) / tile };
  ma_status status = MA_OK;
  if (r->order > MOST_ORDER) return filter_wide(stream, r);
  MA_TRY(kernel_of(stream, &recurrence, &v, &entry));
  for (; share << v.log_threads < p.tiles; share *= 2) p.log_share++;
  if (p.tiles > 1) {
    MA_TRY(ma_cuda_scratch(stream, (size_t)(r->rows * p.tiles) * state_bytes(r), &states));
    p.states = states->ptr;
    status = launch(stream, r, &v, entry[0], r->rows * p.tiles, &p, 1);
    if (status == MA_OK) status = launch(stream, r, &v, entry[1], r->rows, &p, 0);
  }
  if (status == MA_OK) status = launch(stream, r, &v, entry[2], r->rows * p.tiles, &p, 2);
  ma_buffer_release(states);
  return status;
}

/* ==== Peaks ====================================================================================================== */

ma_status ma_cuda_signal_peaks(ma_stream *stream, const ma_peaks *given) {
  ma_peaks job = *given;
  variant v = { .dtype = MA_FLOAT64 };
  const CUfunction *entry;
  unsigned grid = 0;
  MA_TRY(grid_of((given->count + MA_THREADS - 1) / MA_THREADS, &grid));
  MA_TRY(kernel_of(stream, &peaks, &v, &entry));
  return ma_cuda_launch(stream, entry[given->width != NULL], grid, MA_THREADS, 0, (void *[]){ &job },
                        given->width ? "widths" : "prominences", given->n * 8 + given->count * 32);
}

ma_status ma_cuda_signal_source(int which, ma_dtype dtype, int order, int sections, bool small, char **source) {
  static const ma_cuda_family *const families[] = { &taps, &recurrence, &wide, &peaks };
  ma_recurrence r = { .dtype = dtype, .order = order, .sections = sections, .n = small ? 100 : 10000 };
  variant v = variant_of(&r);
  return ma_cuda_source(families[which], &v, source);
}
