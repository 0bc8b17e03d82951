/* signal.c: the backend's functions of signals over arrays: checks, and the making of results. The Lua layer gives
** contiguous arrays of one dtype. */
#include "ops/fields/signal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct ma_signal_slots ma_signal_slots;

static ma_status table_of(const ma_array *a, const ma_signal_slots **table) {
  ma_device *device = ma_array_device(a);
  *table = &device->backend->signal;
  return (*table)->correlate ? MA_OK
                             : ma_fail(MA_ERR_DEVICE, "signals on %s; that device has none of it", device->name);
}

/* Takes an operand, which must be contiguous and of the dtype. */
static ma_status take(const ma_array *a, ma_dtype dtype, ma_stream *stream, const void **data) {
  if (a->dtype != dtype)
    return ma_fail(MA_ERR_TYPE, "a %s array; %s is wanted", ma_dtypes[a->dtype].name, ma_dtypes[dtype].name);
  if (!ma_array_is_contiguous(a)) return ma_fail(MA_ERR_VALUE, "an array that is not contiguous; one that is");
  return ma_array_read(a, stream, data);
}

static ma_status make(ma_array *result, const ma_array *like, ma_dtype dtype, int ndim, const int64_t *shape,
                      ma_stream *stream, void **data) {
  MA_TRY(ma_array_new(result, ma_array_device(like), dtype, ndim, shape));
  ma_status status = ma_array_write(result, stream, data);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

static int64_t rows_of(const ma_array *a) { return a->ndim == 2 ? a->shape[0] : 1; }
static int64_t columns_of(const ma_array *a) { return a->shape[a->ndim - 1]; }

static ma_status check_rows(const ma_array *a) {
  if (a->ndim < 1 || a->ndim > 2 || a->size == 0)
    return ma_fail(MA_ERR_VALUE, "%d axes with %" PRId64 " elements; one axis or two, with elements", a->ndim, a->size);
  return MA_OK;
}

static ma_status check_float(const ma_array *a) {
  if (a->dtype == MA_FLOAT32 || a->dtype == MA_FLOAT64 || ma_dtypes[a->dtype].kind == MA_KIND_COMPLEX) return MA_OK;
  return ma_fail(MA_ERR_TYPE, "%s elements; floats from 32 bits on or complex", ma_dtypes[a->dtype].name);
}

ma_status ma_correlate_run(const ma_array *a, const ma_array *taps, int64_t before, int64_t count, ma_array *result,
                           ma_stream *stream) {
  ma_correlate c = { .dtype = (ma_dtype)a->dtype, .before = before };
  const ma_signal_slots *table;
  result->buffer = NULL;
  MA_TRY(table_of(a, &table));
  MA_TRY(check_rows(a));
  MA_TRY(check_rows(taps));
  if (taps->ndim != a->ndim || rows_of(taps) > rows_of(a) || columns_of(taps) > columns_of(a))
    return ma_fail(MA_ERR_VALUE, "more taps than elements; at most as many along each axis");
  if (!ma_is_host(ma_array_device(a)) && c.dtype != MA_INT64) MA_TRY(check_float(a));
  c.rows = rows_of(a);
  c.columns = columns_of(a);
  c.tap_rows = rows_of(taps);
  c.tap_columns = columns_of(taps);
  int64_t inside = c.columns - c.tap_columns + 1;
  c.to_columns = count < 0 ? inside : count;
  if (before < 0 || before >= c.tap_columns || c.to_columns < 1 || c.to_columns - before > c.columns)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " sums, the first %" PRId64 " elements early; each meets an element",
                   c.to_columns, before);
  if (!ma_is_host(ma_array_device(a)) && (before || c.to_columns > inside))
    return ma_fail(MA_ERR_DEVICE, "taps beside a row on %s; the CPU's rows alone", ma_array_device(a)->name);
  int64_t shape[2] = { c.rows - c.tap_rows + 1, c.to_columns };
  MA_TRY(take(a, c.dtype, stream, &c.from));
  MA_TRY(take(taps, c.dtype, stream, &c.taps));
  MA_TRY(make(result, a, c.dtype, a->ndim, a->ndim == 2 ? shape : shape + 1, stream, &c.to));
  ma_status status = table->correlate(stream, &c);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

/* Makes *line the vector in a dtype, without gaps, and backwards if `turns` says so. If the vector is like that
** already, it is taken itself. */
static ma_status take_line(const ma_array *a, ma_dtype dtype, bool turns, ma_array *copy, const ma_array **line,
                           ma_stream *stream) {
  *line = a;
  if (a->dtype == dtype && !turns && ma_array_is_contiguous(a)) return MA_OK;
  ma_array view = *a; /* holds no reference */
  if (turns) {
    view.offset += (a->size - 1) * a->stride[0];
    view.stride[0] = -a->stride[0];
  }
  *line = copy;
  return ma_array_copy(copy, &view, dtype, stream);
}

ma_status ma_sums_run(const ma_array *a, const ma_array *v, bool turns, ma_dtype dtype, int64_t first, int64_t count,
                      ma_array *result, ma_stream *stream) {
  ma_array long_line, short_line;
  long_line.buffer = short_line.buffer = result->buffer = NULL;
  ma_status status = take_line(a, dtype, false, &long_line, &a, stream);
  if (status == MA_OK) status = take_line(v, dtype, turns, &short_line, &v, stream);
  if (status == MA_OK) status = ma_correlate_run(a, v, v->size - first, count, result, stream);
  ma_array_release(&short_line);
  ma_array_release(&long_line);
  return status;
}

ma_status ma_upfirdn_run(const ma_array *a, const ma_array *taps, int64_t up, int64_t down, int64_t first,
                         int64_t count, ma_array *result, ma_stream *stream) {
  ma_upfirdn u = { .dtype = (ma_dtype)a->dtype, .up = up, .down = down, .first = first, .count = count };
  const ma_signal_slots *table;
  result->buffer = NULL;
  MA_TRY(table_of(a, &table));
  MA_TRY(check_rows(a));
  MA_TRY(check_rows(taps));
  MA_TRY(check_float(a));
  if (up < 1 || down < 1 || first < 0 || count < 1 || taps->ndim != 1 || up > INT32_MAX || down > INT32_MAX ||
      count > INT64_MAX / down - first)
    return ma_fail(MA_ERR_VALUE, "up %" PRId64 ", down %" PRId64 ", %" PRId64 " elements; from 1 to 2^31 - 1", up, down,
                   count);
  u.rows = rows_of(a);
  u.n = columns_of(a);
  u.taps = taps->size;
  int64_t shape[2] = { u.rows, count };
  MA_TRY(take(a, u.dtype, stream, &u.from));
  MA_TRY(take(taps, u.dtype, stream, &u.tap));
  MA_TRY(make(result, a, u.dtype, a->ndim, a->ndim == 2 ? shape : shape + 1, stream, &u.to));
  ma_status status = table->upfirdn(stream, &u);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

/* ==== Recursive filters ========================================================================================== */

/* How many powers of the filter's matrix are needed. The CPU reads none for rows that it does not cut
** (src/cpu/signal/recurrence.c). */
static int levels_for(const ma_array *a, int64_t n) {
  int levels = 18;
  if (n < 8192 && strcmp(ma_array_device(a)->backend->name, "cpu") == 0) return 0;
  while (levels < 62 && (int64_t)1 << (levels - 2) < n) levels++;
  return levels;
}

ma_status ma_recurrence_run(const ma_array *a, const ma_array *coefficients, const ma_array *powers,
                            const ma_array *start, int sections, ma_array *result, ma_array *end, ma_stream *stream) {
  ma_recurrence r = { .dtype = (ma_dtype)a->dtype, .sections = sections };
  ma_dtype wide = ma_dtypes[a->dtype].kind == MA_KIND_COMPLEX ? MA_COMPLEX128 : MA_FLOAT64;
  const ma_signal_slots *table;
  result->buffer = NULL;
  if (end) end->buffer = NULL;
  MA_TRY(table_of(a, &table));
  MA_TRY(check_rows(a));
  MA_TRY(check_float(a));
  r.rows = rows_of(a);
  r.n = columns_of(a);
  int64_t order = sections ? 2 * sections : (coefficients->size - 1) / 2;
  int64_t count = sections ? 5 * sections : 2 * order + 1;
  int levels = levels_for(a, r.n);
  if (order < 1 || order > 4096 || sections < 0 || coefficients->size != count ||
      (levels > 0 && (!powers || powers->ndim != 3 || powers->shape[1] != order || powers->shape[2] != order ||
                      powers->shape[0] < levels)))
    return ma_fail(MA_ERR_VALUE,
                   "a filter of %" PRId64 " states with %" PRId64 " coefficients; 1 to 4096 with %" PRId64, order,
                   coefficients->size, count);
  if (start && start->size != r.rows * order)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " states; %" PRId64 " in each of %" PRId64 " rows", start->size, order,
                   r.rows);
  r.order = (int)order;
  MA_TRY(take(a, r.dtype, stream, &r.from));
  MA_TRY(take(coefficients, wide, stream, &r.coefficients));
  if (levels > 0) MA_TRY(take(powers, wide, stream, &r.powers));
  if (start) MA_TRY(take(start, wide, stream, &r.start));
  MA_TRY(make(result, a, r.dtype, a->ndim, a->shape, stream, &r.to));
  int64_t shape[2] = { r.rows, order };
  ma_status status = end ? make(end, a, wide, 2, shape, stream, &r.end) : MA_OK;
  if (status == MA_OK) status = table->recurrence(stream, &r);
  if (status == MA_OK) return MA_OK;
  ma_array_release(result);
  if (end) ma_array_release(end);
  return status;
}

/* ==== Peaks ====================================================================================================== */

static ma_status read_peaks(const ma_array *x, const ma_array *peaks, ma_peaks *p, ma_stream *stream) {
  MA_TRY(check_rows(x));
  if (x->ndim != 1 || peaks->ndim != 1 || peaks->size == 0)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " peaks in %d axes; at least one in a vector", peaks->size, x->ndim);
  p->n = x->size;
  p->count = peaks->size;
  MA_TRY(take(x, MA_FLOAT64, stream, (const void **)&p->x));
  return take(peaks, MA_INT64, stream, (const void **)&p->peaks);
}

/* Makes `n` vectors, with a number for each peak, and runs. If it fails, all are released. */
static ma_status measure(const ma_array *x, ma_peaks *p, ma_array *const *result, void **const *at,
                         const ma_dtype *dtypes, int n, ma_stream *stream) {
  const ma_signal_slots *table;
  ma_status status = table_of(x, &table);
  int made = 0;
  while (status == MA_OK && made < n) {
    status = make(result[made], x, dtypes[made], 1, &p->count, stream, at[made]);
    made += status == MA_OK;
  }
  if (status == MA_OK) status = table->peaks(stream, p);
  while (status != MA_OK && made > 0) ma_array_release(result[--made]);
  return status;
}

ma_status ma_prominences_run(const ma_array *x, const ma_array *peaks, int64_t window, ma_array *const *three,
                             ma_stream *stream) {
  ma_peaks p = { .window = window };
  void **const at[] = { (void **)&p.prominence, (void **)&p.left, (void **)&p.right };
  for (int k = 0; k < 3; k++) three[k]->buffer = NULL;
  MA_TRY(read_peaks(x, peaks, &p, stream));
  return measure(x, &p, three, at, (const ma_dtype[]){ MA_FLOAT64, MA_INT64, MA_INT64 }, 3, stream);
}

ma_status ma_widths_run(const ma_array *x, const ma_array *peaks, double part, const ma_array *const *given,
                        ma_array *const *four, ma_stream *stream) {
  static const ma_dtype dtypes[] = { MA_FLOAT64, MA_FLOAT64, MA_FLOAT64, MA_FLOAT64 };
  ma_peaks p = { .part = part };
  void **const at[] = { (void **)&p.width, (void **)&p.height, (void **)&p.left_at, (void **)&p.right_at };
  const void **const from[] = { (const void **)&p.prominence, (const void **)&p.left, (const void **)&p.right };
  for (int k = 0; k < 4; k++) four[k]->buffer = NULL;
  MA_TRY(read_peaks(x, peaks, &p, stream));
  for (int k = 0; k < 3; k++) {
    if (given[k]->size != p.count)
      return ma_fail(MA_ERR_VALUE, "%" PRId64 " prominences or bases of %" PRId64 " peaks; as many", given[k]->size,
                     p.count);
    MA_TRY(take(given[k], k ? MA_INT64 : MA_FLOAT64, stream, from[k]));
  }
  return measure(x, &p, four, at, dtypes, 4, stream);
}

ma_status ma_maxima_run(const ma_array *x, ma_array *const *three, bool *plateaus, ma_stream *stream) {
  ma_maxima m = { .dtype = (ma_dtype)x->dtype, .n = x->size };
  ma_maxima_found found = { .places = NULL };
  ma_device *device = ma_array_device(x);
  for (int k = 0; k < 3; k++) three[k]->buffer = NULL;
  if (!device->backend->signal.maxima) return ma_fail(MA_ERR_DEVICE, "maxima on %s; the host finds them", device->name);
  if (x->ndim != 1 || (m.dtype != MA_FLOAT64 && m.dtype != MA_INT64 && m.dtype != MA_UINT64))
    return ma_fail(MA_ERR_TYPE, "%s of %d axes; a vector of float64, int64 or uint64 is wanted",
                   ma_dtypes[m.dtype].name, x->ndim);
  if (m.n > 2) {
    MA_TRY(take(x, m.dtype, stream, &m.x));
    MA_TRY(device->backend->signal.maxima(stream, &m, &found));
  }
  ma_status status = MA_OK;
  int made = 0, each = found.plateaus ? 3 : 1;
  for (; made < each && status == MA_OK; made++) {
    void *data = NULL;
    status = ma_array_new(three[made], device, MA_INT64, 1, &found.count);
    if (status == MA_OK && found.count > 0) status = ma_array_write(three[made], stream, &data);
    for (int64_t i = 0; status == MA_OK && i < found.count; i++) ((int64_t *)data)[i] = found.places[i * each + made];
  }
  free(found.places);
  *plateaus = found.plateaus;
  for (int k = 0; k < made && status != MA_OK; k++)
    if (three[k]->buffer) ma_array_release(three[k]);
  return status;
}

ma_status ma_apart_run(const ma_array *peaks, const ma_array *order, double distance, ma_array *keep,
                       ma_stream *stream) {
  ma_apart a = { .n = peaks->size, .distance = distance };
  ma_device *device = ma_array_device(peaks);
  keep->buffer = NULL;
  if (!device->backend->signal.apart) return ma_fail(MA_ERR_DEVICE, "peaks on %s; the host does it", device->name);
  if (peaks->ndim != 1 || order->ndim != 1 || order->size != a.n || a.n == 0)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " peaks in an order of %" PRId64 "; as many in vectors, at least one", a.n,
                   order->size);
  MA_TRY(take(peaks, MA_INT64, stream, (const void **)&a.peaks));
  MA_TRY(take(order, MA_INT64, stream, (const void **)&a.order));
  MA_TRY(make(keep, peaks, MA_BOOL, 1, &a.n, stream, (void **)&a.keep));
  ma_status status = device->backend->signal.apart(stream, &a);
  if (status != MA_OK) ma_array_release(keep);
  return status;
}
