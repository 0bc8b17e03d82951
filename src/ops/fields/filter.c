/* filter.c: filters and interpolation over arrays: shapes, dtypes and layouts are checked here, and images that do not
** lie in C order are copied. */
#include "ops/fields/filter.h"

static ma_status table_of(const ma_device *device, const ma_filter_slots **table) {
  *table = &device->backend->filter;
  return (*table)->window ? MA_OK : ma_fail(MA_ERR_DEVICE, "a filter on %s; that device has none", device->name);
}

static ma_status check_real(const ma_array *a) {
  return ma_dtypes[a->dtype].kind != MA_KIND_COMPLEX
           ? MA_OK
           : ma_fail(MA_ERR_TYPE, "%s elements; real numbers are wanted", ma_dtypes[a->dtype].name);
}

static ma_status check_result(const ma_array *from, const ma_array *to, bool same_shape) {
  MA_TRY(check_real(from));
  MA_TRY(check_real(to));
  if (!ma_array_is_contiguous(to) || ma_array_overlaps(from, to))
    return ma_fail(MA_ERR_VALUE, "a result that overlaps the image or is not contiguous; new memory is wanted");
  if (same_shape && !ma_array_has_shape(to, from->ndim, from->shape))
    return ma_fail(MA_ERR_VALUE, "a result of another shape than the image's; the same is wanted");
  return ma_device_meet(ma_array_device(from), ma_array_device(to));
}

/* The number of elements in front of an axis, and behind it. */
static void around(const ma_array *a, int axis, int64_t *outer, int64_t *inner) {
  *outer = *inner = 1;
  for (int d = 0; d < axis; d++) *outer *= a->shape[d];
  for (int d = axis + 1; d < a->ndim; d++) *inner *= a->shape[d];
}

ma_status ma_filter_window(const ma_array *from, ma_array *to, ma_window *window, ma_stream *stream) {
  const ma_filter_slots *table;
  ma_array image = { .buffer = NULL };
  MA_TRY(table_of(ma_array_device(from), &table));
  MA_TRY(check_result(from, to, true));
  if (from->size == 0) return MA_OK;
  MA_TRY(ma_array_packed(&image, from, (ma_dtype)from->dtype, stream));
  window->from_dtype = (ma_dtype)from->dtype;
  window->to_dtype = (ma_dtype)to->dtype;
  window->ndim = from->ndim;
  for (int d = 0; d < from->ndim; d++) window->shape[d] = from->shape[d];
  ma_status status = ma_array_read(&image, stream, &window->from);
  if (status == MA_OK) status = ma_array_write(to, stream, &window->to);
  if (status == MA_OK) status = table->window(stream, window);
  ma_array_release(&image);
  return status;
}

ma_status ma_filter_line(const ma_array *from, ma_array *to, int axis, ma_line_filter *line, ma_stream *stream) {
  const ma_filter_slots *table;
  ma_array image = { .buffer = NULL };
  MA_TRY(table_of(ma_array_device(from), &table));
  MA_TRY(check_result(from, to, true));
  if (from->size == 0) return MA_OK;
  MA_TRY(ma_array_packed(&image, from, (ma_dtype)from->dtype, stream));
  line->from_dtype = (ma_dtype)from->dtype;
  line->to_dtype = (ma_dtype)to->dtype;
  line->n = from->shape[axis];
  around(from, axis, &line->outer, &line->inner);
  ma_status status = ma_array_read(&image, stream, &line->from);
  if (status == MA_OK) status = ma_array_write(to, stream, &line->to);
  if (status == MA_OK) status = table->line(stream, line);
  ma_array_release(&image);
  return status;
}

ma_status ma_filter_spline(ma_array *data, int axis, ma_spline_filter *spline, ma_stream *stream) {
  const ma_filter_slots *table;
  MA_TRY(table_of(ma_array_device(data), &table));
  if (!ma_array_is_contiguous(data) || (data->dtype != MA_FLOAT32 && data->dtype != MA_FLOAT64))
    return ma_fail(MA_ERR_VALUE, "a spline of %s; contiguous float32 or float64 is wanted",
                   ma_dtypes[data->dtype].name);
  if (data->size == 0) return MA_OK;
  spline->dtype = (ma_dtype)data->dtype;
  spline->n = data->shape[axis];
  around(data, axis, &spline->outer, &spline->inner);
  MA_TRY(ma_array_write(data, stream, &spline->data));
  return table->spline(stream, spline);
}

/* The dtype of sums: float32 for images of floats of at most 32 bits, else float64. */
static ma_dtype sums_of(const ma_array *from) {
  return from->dtype == MA_FLOAT16 || from->dtype == MA_BFLOAT16 || from->dtype == MA_FLOAT32 ? MA_FLOAT32 : MA_FLOAT64;
}

ma_status ma_filter_transform(const ma_array *from, const ma_array *coordinates, ma_array *to, ma_transform *transform,
                              ma_stream *stream) {
  const ma_filter_slots *table;
  ma_array image = { .buffer = NULL }, places = { .buffer = NULL };
  MA_TRY(table_of(ma_array_device(from), &table));
  MA_TRY(check_result(from, to, false));
  if (from->ndim > MA_TRANSFORM_MOST_AXES || to->ndim > MA_TRANSFORM_MOST_AXES || from->ndim < 1)
    return ma_fail(MA_ERR_VALUE, "an image of %d axes; 1 to %d are wanted", from->ndim, MA_TRANSFORM_MOST_AXES);
  if (coordinates) {
    MA_TRY(check_real(coordinates));
    MA_TRY(ma_device_meet(ma_array_device(from), ma_array_device(coordinates)));
    if (coordinates->ndim < 1 || coordinates->shape[0] != from->ndim || coordinates->ndim != to->ndim + 1)
      return ma_fail(MA_ERR_VALUE, "coordinates of another shape; a row for each of %d axes is wanted", from->ndim);
  }
  if (to->size == 0) return MA_OK;
  if (from->size == 0) return ma_fail(MA_ERR_VALUE, "an image without elements; one at least is wanted");
  MA_TRY(ma_array_packed(&image, from, sums_of(from), stream));
  ma_status status = MA_OK;
  if (coordinates) {
    bool narrow = coordinates->dtype == MA_FLOAT32 || coordinates->dtype == MA_FLOAT16;
    status = ma_array_packed(&places, coordinates, narrow ? MA_FLOAT32 : MA_FLOAT64, stream);
    transform->coordinate_dtype = (ma_dtype)(status == MA_OK ? places.dtype : MA_FLOAT64);
    if (status == MA_OK) status = ma_array_read(&places, stream, &transform->coordinates);
  }
  transform->from_dtype = sums_of(from);
  transform->to_dtype = (ma_dtype)to->dtype;
  transform->ndim = from->ndim;
  transform->out_ndim = to->ndim;
  for (int d = 0; d < from->ndim; d++) transform->shape[d] = from->shape[d];
  for (int d = 0; d < to->ndim; d++) transform->out_shape[d] = to->shape[d];
  if (status == MA_OK) status = ma_array_read(&image, stream, &transform->from);
  if (status == MA_OK) status = ma_array_write(to, stream, &transform->to);
  if (status == MA_OK) status = table->transform(stream, transform);
  ma_array_release(&image);
  ma_array_release(&places);
  return status;
}
