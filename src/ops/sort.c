/* sort.c: sorts of arrays. A backend sorts rows of contiguous elements; other layouts are copied into such rows and
** back. */
#include "ops/ops.h"
#include "ops/sort.h"

#include <inttypes.h>

static ma_status table_of(const ma_device *device, const ma_sort_slots **table) {
  *table = &device->backend->sort;
  return (*table)->sort ? MA_OK : ma_fail(MA_ERR_DEVICE, "a sort on %s; that device has none", device->name);
}

/* The view of `base` with `axis` moved to the end; with `back`, the inverse view. */
static ma_status turn(ma_array *view, const ma_array *base, int axis, bool back) {
  int axes[MA_MAX_NDIM], last = base->ndim - 1;
  for (int d = 0; d <= last; d++)
    if (back) axes[d] = d < axis ? d : d == axis ? last : d - 1;
    else axes[d] = d < axis ? d : d == last ? axis : d + 1;
  return ma_array_transpose(view, base, axes);
}

static ma_status sort_rows(const ma_array *from, const ma_sort *ranks, ma_array *to, ma_array *positions,
                           ma_stream *stream) {
  const ma_sort_slots *table;
  const void *source;
  void *target = NULL, *places = NULL;
  int64_t n = from->ndim ? from->shape[from->ndim - 1] : 1;
  if (from->size == 0) return MA_OK;
  MA_TRY(table_of(ma_array_device(from), &table));
  MA_TRY(ma_array_read(from, stream, &source));
  if (to) MA_TRY(ma_array_write(to, stream, &target));
  if (positions) MA_TRY(ma_array_write(positions, stream, &places));
  ma_sort sort = { .nrank = 0 };
  if (ranks) sort = *ranks;
  sort.dtype = (ma_dtype)from->dtype;
  sort.rows = from->size / n;
  sort.n = n;
  sort.from = source;
  sort.to = target;
  sort.positions = places;
  return table->sort(stream, &sort);
}

/* Turns a result in rows back, and copies it into `to` if that has memory. */
static ma_status deliver(ma_array *rows, int axis, ma_array *to, ma_stream *stream) {
  ma_array back = { .buffer = NULL };
  if (!to->buffer && (rows->ndim == 0 || axis == rows->ndim - 1)) {
    ma_array_view(to, rows);
    to->is_view = 0;
    return MA_OK;
  }
  if (rows->ndim == 0) ma_array_view(&back, rows);
  else MA_TRY(turn(&back, rows, axis, true));
  ma_status status = to->buffer ? ma_array_assign(to, &back, stream)
                                : ma_array_copy(to, &back, (ma_dtype)back.dtype, stream);
  ma_array_release(&back);
  return status;
}

/* Whether a given result can have the rows that a sort writes. */
static bool serves(const ma_array *to, const ma_array *from, const ma_array *rows, int axis, ma_dtype dtype) {
  return to->buffer && (rows->ndim == 0 || axis == rows->ndim - 1) &&
         ma_array_serves(to, ma_array_device(from), dtype, rows->ndim, rows->shape) && !ma_array_overlaps(to, from);
}

ma_status ma_sort_run(const ma_array *from, int axis, const ma_sort *ranks, ma_array *values, ma_array *positions,
                      ma_stream *stream) {
  ma_array turned = { .buffer = NULL }, rows = { .buffer = NULL }, sorted = { .buffer = NULL },
           places = { .buffer = NULL };
  ma_device *device = ma_array_device(from);
  ma_status status = MA_OK;
  bool in_place = values && values->buffer, copied, placed = false;
  if (in_place && (status = ma_array_check_writable(values)) != MA_OK) return status;
  if (from->ndim == 0) ma_array_view(&turned, from);
  else if ((status = turn(&turned, from, axis, false)) != MA_OK) return status;
  copied = !ma_array_is_contiguous(&turned);
  if ((status = ma_array_packed(&rows, &turned, (ma_dtype)from->dtype, stream)) != MA_OK) goto done;
  if (values && (copied || in_place)) ma_array_view(&sorted, &rows);
  else if (values && (status = ma_array_new(&sorted, device, (ma_dtype)from->dtype, rows.ndim, rows.shape)) != MA_OK)
    goto done;
  placed = positions && serves(positions, from, &rows, axis, MA_INT64);
  if (placed) ma_array_view(&places, positions);
  else if (positions && (status = ma_array_new(&places, device, MA_INT64, rows.ndim, rows.shape)) != MA_OK) goto done;
  if ((status = sort_rows(&rows, ranks, values ? &sorted : NULL, positions ? &places : NULL, stream)) != MA_OK)
    goto done;
  if (values && !(in_place && !copied)) status = deliver(&sorted, axis, values, stream);
  if (status == MA_OK && positions && !placed) status = deliver(&places, axis, positions, stream);
  if (status != MA_OK && values && !in_place) ma_array_release(values);
done:
  ma_array_release(&turned);
  ma_array_release(&rows);
  ma_array_release(&sorted);
  ma_array_release(&places);
  return status;
}

static ma_status top_rows(const ma_array *from, int64_t k, bool largest, ma_array *values, ma_array *positions,
                          ma_stream *stream) {
  int64_t n = from->shape[from->ndim - 1], shape[MA_MAX_NDIM];
  ma_device *device = ma_array_device(from);
  const void *source;
  void *to, *places;
  for (int d = 0; d < from->ndim; d++) shape[d] = d == from->ndim - 1 ? k : from->shape[d];
  MA_TRY(ma_array_new(values, device, (ma_dtype)from->dtype, from->ndim, shape));
  MA_TRY(ma_array_new(positions, device, MA_INT64, from->ndim, shape));
  if (from->size == 0) return MA_OK;
  MA_TRY(ma_array_read(from, stream, &source));
  MA_TRY(ma_array_write(values, stream, &to));
  MA_TRY(ma_array_write(positions, stream, &places));
  ma_top top = { (ma_dtype)from->dtype, from->size / n, n, (int)k, largest, source, to, places };
  return device->backend->sort.top(stream, &top);
}

ma_status ma_top_run(const ma_array *from, int axis, int64_t k, bool largest, ma_array *values, ma_array *positions,
                     bool *ran, ma_stream *stream) {
  ma_array turned = { .buffer = NULL }, rows = { .buffer = NULL }, first = { .buffer = NULL },
           places = { .buffer = NULL };
  *ran = from->ndim > 0 && k > 0 && k <= MA_TOP_MOST && 2 * k <= from->shape[axis] &&
         ma_dtypes[from->dtype].kind != MA_KIND_COMPLEX && ma_array_device(from)->backend->sort.top;
  if (!*ran) return MA_OK;
  MA_TRY(turn(&turned, from, axis, false));
  ma_status status = ma_array_packed(&rows, &turned, (ma_dtype)from->dtype, stream);
  if (status == MA_OK) status = top_rows(&rows, k, largest, &first, &places, stream);
  if (status == MA_OK) status = deliver(&first, axis, values, stream);
  if (status == MA_OK) status = deliver(&places, axis, positions, stream);
  ma_array_release(&turned);
  ma_array_release(&rows);
  ma_array_release(&first);
  ma_array_release(&places);
  return status;
}

/* ==== Searches and counts ========================================================================================= */

ma_status ma_search_run(const ma_array *sorted, const ma_array *values, const ma_array *sorter, bool right,
                        ma_array *positions, ma_stream *stream) {
  ma_array keys = { .buffer = NULL }, wanted = { .buffer = NULL }, order = { .buffer = NULL };
  const ma_sort_slots *table;
  ma_status status;
  const void *key = NULL, *want = NULL, *by = NULL;
  void *to = NULL;
  positions->buffer = NULL;
  if (sorted->ndim != 1) return ma_fail(MA_ERR_VALUE, "%d axes to search in; 1 is wanted", sorted->ndim);
  if (sorted->dtype != values->dtype)
    return ma_fail(MA_ERR_TYPE, "%s values in a %s array; one dtype is wanted", ma_dtypes[values->dtype].name,
                   ma_dtypes[sorted->dtype].name);
  if (sorter && (sorter->dtype != MA_INT64 || sorter->ndim != 1 || sorter->size != sorted->size))
    return ma_fail(MA_ERR_VALUE, "a sorter of %" PRId64 " positions, %s; %" PRId64 " of int64 are wanted", sorter->size,
                   ma_dtypes[sorter->dtype].name, sorted->size);
  ma_device *device = ma_array_device(values);
  MA_TRY(table_of(device, &table));
  if ((status = ma_array_new(positions, device, MA_INT64, values->ndim, values->shape)) != MA_OK) return status;
  if (values->size == 0) return MA_OK;
  if (sorted->size == 0) return ma_array_fill(positions, (ma_value){ .i = 1 }, MA_INT64, stream);
  if ((status = ma_array_packed(&keys, sorted, (ma_dtype)sorted->dtype, stream)) != MA_OK ||
      (status = ma_array_packed(&wanted, values, (ma_dtype)values->dtype, stream)) != MA_OK)
    goto done;
  if (sorter && (status = ma_array_packed(&order, sorter, (ma_dtype)sorter->dtype, stream)) != MA_OK) goto done;
  if ((status = ma_array_read(&keys, stream, &key)) != MA_OK ||
      (status = ma_array_read(&wanted, stream, &want)) != MA_OK)
    goto done;
  if (sorter && (status = ma_array_read(&order, stream, &by)) != MA_OK) goto done;
  if ((status = ma_array_write(positions, stream, &to)) != MA_OK) goto done;
  ma_search search = { (ma_dtype)keys.dtype, keys.size, wanted.size, key, want, by, right, to };
  status = table->search(stream, &search);
done:
  ma_array_release(&keys);
  ma_array_release(&wanted);
  ma_array_release(&order);
  if (status != MA_OK) ma_array_release(positions);
  return status;
}

ma_status ma_member_run(const ma_array *from, const ma_array *keys, bool invert, ma_array *mask, bool *ran,
                        ma_stream *stream) {
  const ma_array *given[2] = { from, keys };
  ma_array pack[2] = { { .buffer = NULL }, { .buffer = NULL } };
  const void *data[2] = { NULL, NULL };
  void *to = NULL;
  ma_device *device = ma_array_device(from);
  *ran = device->backend->sort.member && from->dtype == keys->dtype && keys->size > 0 &&
         ma_dtypes[from->dtype].kind != MA_KIND_COMPLEX;
  if (!*ran) return MA_OK;
  MA_TRY(ma_array_new(mask, device, MA_BOOL, from->ndim, from->shape));
  if (from->size == 0) return MA_OK;
  ma_status status = MA_OK;
  for (int k = 0; k < 2 && status == MA_OK; k++) {
    status = ma_array_packed(&pack[k], given[k], (ma_dtype)given[k]->dtype, stream);
    if (status == MA_OK) status = ma_array_read(&pack[k], stream, &data[k]);
  }
  if (status == MA_OK) status = ma_array_write(mask, stream, &to);
  ma_member member = { (ma_dtype)from->dtype, from->size, keys->size, data[0], data[1], invert, to };
  if (status == MA_OK) status = device->backend->sort.member(stream, &member);
  for (int k = 0; k < 2; k++) ma_array_release(&pack[k]);
  if (status != MA_OK) ma_array_release(mask);
  return status;
}

ma_status ma_histogram_run(const ma_array *values, const ma_array *edges, bool uniform, ma_array *counts,
                           ma_stream *stream) {
  ma_array wanted = { .buffer = NULL };
  const ma_sort_slots *table;
  const void *value = NULL, *edge = NULL;
  void *to = NULL;
  counts->buffer = NULL;
  if (edges->ndim != 1 || edges->size < 2 || !ma_array_is_contiguous(edges) ||
      (edges->dtype != MA_FLOAT32 && edges->dtype != MA_FLOAT64))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " edges of %s; two at least, contiguous, float32 or float64, are wanted",
                   edges->size, ma_dtypes[edges->dtype].name);
  if (ma_dtypes[values->dtype].kind == MA_KIND_COMPLEX)
    return ma_fail(MA_ERR_TYPE, "%s values; bins are of real numbers", ma_dtypes[values->dtype].name);
  ma_device *device = ma_array_device(values);
  MA_TRY(table_of(device, &table));
  int64_t bins = edges->size - 1;
  MA_TRY(ma_array_new(counts, device, MA_INT64, 1, &bins));
  ma_status status = ma_array_packed(&wanted, values, (ma_dtype)values->dtype, stream);
  if (status == MA_OK) status = ma_array_read(&wanted, stream, &value);
  if (status == MA_OK) status = ma_array_read(edges, stream, &edge);
  if (status == MA_OK) status = ma_array_write(counts, stream, &to);
  if (status == MA_OK) {
    ma_histogram histogram = {
      (ma_dtype)values->dtype, (ma_dtype)edges->dtype, values->size, bins, value, edge, uniform, to
    };
    status = table->histogram(stream, &histogram);
  }
  ma_array_release(&wanted);
  if (status != MA_OK) ma_array_release(counts);
  return status;
}

ma_status ma_tally_run(const ma_array *numbers, const ma_array *weights, int64_t places, ma_array *sums,
                       ma_stream *stream) {
  ma_array number = { .buffer = NULL }, weight = { .buffer = NULL };
  const ma_sort_slots *table;
  const void *from = NULL, *add = NULL;
  void *to = NULL;
  sums->buffer = NULL;
  if (numbers->dtype != MA_INT64 || numbers->size == 0 || places < 1 ||
      (weights && (weights->dtype != MA_FLOAT64 || weights->size != numbers->size)))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " numbers of %s; one at least of int64, and as many weights of float64",
                   numbers->size, ma_dtypes[numbers->dtype].name);
  MA_TRY(table_of(ma_array_device(numbers), &table));
  MA_TRY(ma_array_new(sums, ma_array_device(numbers), weights ? MA_FLOAT64 : MA_INT64, 1, &places));
  ma_status status = ma_array_packed(&number, numbers, (ma_dtype)numbers->dtype, stream);
  if (status == MA_OK && weights) status = ma_array_packed(&weight, weights, (ma_dtype)weights->dtype, stream);
  if (status == MA_OK) status = ma_array_read(&number, stream, &from);
  if (status == MA_OK && weights) status = ma_array_read(&weight, stream, &add);
  if (status == MA_OK) status = ma_array_write(sums, stream, &to);
  if (status == MA_OK) status = table->tally(stream, &(ma_tally){ numbers->size, places, from, add, to });
  ma_array_release(&number);
  ma_array_release(&weight);
  if (status != MA_OK) ma_array_release(sums);
  return status;
}

ma_status ma_interp_run(const ma_array *x, const ma_array *at, const ma_array *value, const double *const *end,
                        ma_array *result, ma_stream *stream) {
  const ma_array *from[3] = { x, at, value };
  ma_array pack[3] = { { .buffer = NULL }, { .buffer = NULL }, { .buffer = NULL } };
  const void *data[3] = { NULL, NULL, NULL };
  const ma_sort_slots *table;
  void *to = NULL;
  ma_status status = MA_OK;
  result->buffer = NULL;
  if (x->dtype != MA_FLOAT64 || at->dtype != MA_FLOAT64 || value->dtype != MA_FLOAT64 || at->size == 0 ||
      value->size != at->size)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " positions and %" PRId64 " values; as many of float64, at least one",
                   at->size, value->size);
  MA_TRY(table_of(ma_array_device(x), &table));
  MA_TRY(ma_array_new(result, ma_array_device(x), MA_FLOAT64, x->ndim, x->shape));
  if (x->size == 0) return MA_OK;
  for (int k = 0; k < 3 && status == MA_OK; k++) {
    status = ma_array_packed(&pack[k], from[k], (ma_dtype)from[k]->dtype, stream);
    if (status == MA_OK) status = ma_array_read(&pack[k], stream, &data[k]);
  }
  if (status == MA_OK) status = ma_array_write(result, stream, &to);
  if (status == MA_OK)
    status = table->interp(stream, &(ma_interp){ at->size,
                                                 x->size,
                                                 data[0],
                                                 data[1],
                                                 data[2],
                                                 { end[0] ? *end[0] : 0, end[1] ? *end[1] : 0 },
                                                 { end[0], end[1] },
                                                 to });
  for (int k = 0; k < 3; k++) ma_array_release(&pack[k]);
  if (status != MA_OK) ma_array_release(result);
  return status;
}

ma_status ma_extremes_run(const ma_array *from, ma_array *two, ma_stream *stream) {
  ma_array wanted = { .buffer = NULL };
  const ma_sort_slots *table;
  const void *source = NULL;
  void *to = NULL;
  two->buffer = NULL;
  if (from->size == 0)
    return ma_fail(MA_ERR_VALUE, "no elements; the least and the greatest of one at least are wanted");
  if (ma_dtypes[from->dtype].kind == MA_KIND_COMPLEX)
    return ma_fail(MA_ERR_TYPE, "%s elements; real numbers are wanted", ma_dtypes[from->dtype].name);
  MA_TRY(table_of(ma_array_device(from), &table));
  MA_TRY(ma_array_new(two, ma_array_device(from), (ma_dtype)from->dtype, 1, &(int64_t){ 2 }));
  ma_status status = ma_array_packed(&wanted, from, (ma_dtype)from->dtype, stream);
  if (status == MA_OK) status = ma_array_read(&wanted, stream, &source);
  if (status == MA_OK) status = ma_array_write(two, stream, &to);
  if (status == MA_OK) status = table->extremes(stream, (ma_dtype)from->dtype, source, from->size, to);
  ma_array_release(&wanted);
  if (status != MA_OK) ma_array_release(two);
  return status;
}

ma_status ma_changes_run(const ma_array *sorted, bool equal_nan, ma_array *mask, ma_stream *stream) {
  ma_array wanted = { .buffer = NULL };
  const ma_sort_slots *table;
  const void *source = NULL;
  void *to = NULL;
  mask->buffer = NULL;
  MA_TRY(table_of(ma_array_device(sorted), &table));
  MA_TRY(ma_array_new(mask, ma_array_device(sorted), MA_BOOL, 1, &sorted->size));
  if (sorted->size == 0) return MA_OK;
  ma_status status = ma_array_packed(&wanted, sorted, (ma_dtype)sorted->dtype, stream);
  if (status == MA_OK) status = ma_array_read(&wanted, stream, &source);
  if (status == MA_OK) status = ma_array_write(mask, stream, &to);
  if (status == MA_OK) status = table->changes(stream, (ma_dtype)sorted->dtype, source, sorted->size, equal_nan, to);
  ma_array_release(&wanted);
  if (status != MA_OK) ma_array_release(mask);
  return status;
}

ma_status ma_spread_run(const ma_array *two, ma_dtype edge_dtype, int64_t bins, ma_array *edges, ma_stream *stream) {
  const ma_sort_slots *table;
  const void *source = NULL;
  void *to = NULL;
  edges->buffer = NULL;
  if (two->ndim != 1 || two->size != 2 || !ma_array_is_contiguous(two) ||
      ma_dtypes[two->dtype].kind == MA_KIND_COMPLEX || bins < 1 ||
      (edge_dtype != MA_FLOAT32 && edge_dtype != MA_FLOAT64))
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " ends of %" PRId64 " bins; two real ones of a bin at least are wanted",
                   two->size, bins);
  MA_TRY(table_of(ma_array_device(two), &table));
  MA_TRY(ma_array_new(edges, ma_array_device(two), edge_dtype, 1, &(int64_t){ bins + 1 }));
  ma_status status = ma_array_read(two, stream, &source);
  if (status == MA_OK) status = ma_array_write(edges, stream, &to);
  if (status == MA_OK) status = table->spread(stream, (ma_dtype)two->dtype, source, edge_dtype, bins, to);
  if (status != MA_OK) ma_array_release(edges);
  return status;
}
