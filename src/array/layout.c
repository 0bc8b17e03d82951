/* layout.c: orders of elements in memory, and views that look at memory otherwise. layout.h has the contracts. */
#include "array/layout.h"

#include <inttypes.h>
#include <string.h>

/* ==== Orders ===================================================================================================== */

bool ma_array_is_fortran(const ma_array *array) {
  int64_t step = ma_dtypes[array->dtype].itemsize;
  for (int d = 0; d < array->ndim; d++) {
    if (array->shape[d] != 1 && array->stride[d] != step) return array->size == 0;
    step *= array->shape[d];
  }
  return true;
}

bool ma_array_in_order(const ma_array *array, ma_order order) {
  switch (order) {
  case MA_ORDER_C: return ma_array_is_contiguous(array);
  case MA_ORDER_F: return ma_array_is_fortran(array);
  case MA_ORDER_A: return ma_array_is_contiguous(array) || ma_array_is_fortran(array);
  default: return true;
  }
}

/* By falling steps; axes of equal steps and those of extent 1 stay where they are. */
static void sort_axes(const ma_array *model, int *axes) {
  for (int d = 0; d < model->ndim; d++) {
    int at = d;
    for (; at > 0 && model->shape[d] != 1; at--) {
      if (ma_magnitude(model->stride[axes[at - 1]]) >= ma_magnitude(model->stride[d])) break;
      axes[at] = axes[at - 1];
    }
    axes[at] = d;
  }
}

void ma_order_axes(ma_order order, const ma_array *model, int ndim, int *axes) {
  if (model && model->ndim != ndim) model = NULL;
  if (order == MA_ORDER_A)
    order = model && ma_array_is_fortran(model) && !ma_array_is_contiguous(model) ? MA_ORDER_F : MA_ORDER_C;
  if (order == MA_ORDER_K && model && !ma_array_is_contiguous(model)) {
    sort_axes(model, axes);
    return;
  }
  for (int d = 0; d < ndim; d++) axes[d] = order == MA_ORDER_F ? ndim - 1 - d : d;
}

void ma_order_reading(const ma_array *array, int *axes) {
  for (int d = array->ndim - 1; d >= 0; d--) { /* innermost first, as NumPy's iterator */
    int64_t step = array->shape[d] == 1 ? 0 : ma_magnitude(array->stride[d]);
    int to = d;
    for (int at = d + 1; at < array->ndim && step; at++) {
      int64_t other = array->shape[axes[at]] == 1 ? 0 : ma_magnitude(array->stride[axes[at]]);
      if (other && other <= step) break;
      if (other) to = at;
    }
    for (int at = d; at < to; at++) axes[at] = axes[at + 1];
    axes[to] = d;
  }
}

void ma_array_lay_out(ma_array *array, const int *axes) {
  int64_t step = ma_dtypes[array->dtype].itemsize;
  for (int at = array->ndim - 1; at >= 0; at--) {
    array->stride[axes[at]] = step;
    step *= array->shape[axes[at]] ? array->shape[axes[at]] : 1;
  }
}

/* ==== The same memory otherwise ================================================================================== */

/* A device reads an element at a multiple of its width. Memory that is made later lies at one. */
static ma_status check_aligned(const ma_array *view) {
  uintptr_t width = ma_dtypes[view->dtype].itemsize;
  bool aligned = ((uintptr_t)view->buffer->ptr + (uintptr_t)view->offset) % width == 0;
  for (int d = 0; d < view->ndim && aligned; d++) aligned = view->shape[d] < 2 || view->stride[d] % (int64_t)width == 0;
  if (aligned || view->size == 0) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "elements that do not lie at multiples of the %d bytes of %s; copy the array first",
                 (int)width, ma_dtypes[view->dtype].name);
}

static ma_status conclude(ma_array *view, ma_status status) {
  if (status != MA_OK) ma_array_release(view);
  return status;
}

ma_status ma_array_reinterpret(ma_array *view, const ma_array *base, ma_dtype dtype) {
  int64_t from = ma_dtypes[base->dtype].itemsize, to = ma_dtypes[dtype].itemsize;
  int last = base->ndim - 1;
  view->buffer = NULL;
  if (from != to && last < 0)
    return ma_fail(MA_ERR_VALUE, "a 0-d array of %s; another dtype of as many bytes as %s is wanted, or an axis",
                   ma_dtypes[base->dtype].name, ma_dtypes[base->dtype].name);
  if (from != to && base->shape[last] != 1 && base->stride[last] != from && base->size)
    return ma_fail(MA_ERR_VALUE, "a last axis with gaps; to be seen as %s its elements must lie side by side",
                   ma_dtypes[dtype].name);
  int64_t bytes = from != to ? base->shape[last] * from : to;
  if (bytes % to)
    return ma_fail(MA_ERR_VALUE, "a last axis of %" PRId64 " bytes; a multiple of the %d of %s is wanted", bytes,
                   (int)to, ma_dtypes[dtype].name);
  ma_array_view(view, base);
  view->dtype = (uint8_t)dtype;
  if (from == to) return conclude(view, check_aligned(view));
  view->shape[last] = bytes / to;
  view->stride[last] = to;
  view->size = 1;
  for (int d = 0; d <= last; d++) view->size *= view->shape[d];
  return conclude(view, check_aligned(view));
}

ma_status ma_array_field(ma_array *view, const ma_array *rows, ma_dtype dtype, int64_t offset, int n,
                         const int64_t *shape) {
  int kept = rows->ndim - 1;
  int64_t full[MA_MAX_NDIM], size;
  view->buffer = NULL;
  if (kept + n > MA_MAX_NDIM) return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", kept + n, MA_MAX_NDIM);
  memcpy(full, rows->shape, (size_t)kept * sizeof *full);
  memcpy(full + kept, shape, (size_t)n * sizeof *full);
  MA_TRY(ma_shape_size(kept + n, full, ma_dtypes[dtype].itemsize, &size));
  ma_array_view(view, rows);
  view->dtype = (uint8_t)dtype;
  view->offset += offset;
  ma_array_set_shape(view, kept + n, full, size);
  int64_t step = ma_dtypes[dtype].itemsize;
  for (int d = kept + n - 1; d >= kept; step *= full[d--]) view->stride[d] = step;
  return conclude(view, check_aligned(view));
}

/* Adds the bytes that an axis steps over downwards and upwards; false where they are too many for int64. */
static bool reach(int64_t extent, int64_t stride, int64_t *low, int64_t *high) {
  int64_t way;
  if (__builtin_mul_overflow(extent - 1, stride, &way)) return false;
  return !__builtin_add_overflow(*(way < 0 ? low : high), way, way < 0 ? low : high);
}

/* Is it certain that no two elements share a byte? Axis by axis outwards, each must step over all within. */
static bool is_injective(const ma_array *view) {
  int axes[MA_MAX_NDIM];
  int64_t span = ma_dtypes[view->dtype].itemsize;
  sort_axes(view, axes);
  for (int at = view->ndim - 1; at >= 0; at--) {
    int64_t extent = view->shape[axes[at]], step = ma_magnitude(view->stride[axes[at]]);
    if (extent < 2) continue;
    if (step < span) return false;
    span += step * (extent - 1);
  }
  return true;
}

ma_status ma_array_strided(ma_array *view, const ma_array *base, int ndim, const int64_t *shape,
                           const int64_t *stride) {
  int64_t size, low = base->offset, high = low;
  bool inside = true;
  view->buffer = NULL;
  if (ndim > MA_MAX_NDIM) return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", ndim, MA_MAX_NDIM);
  MA_TRY(ma_shape_size(ndim, shape, ma_dtypes[base->dtype].itemsize, &size));
  for (int d = 0; d < ndim && inside && size; d++) inside = reach(shape[d], stride[d], &low, &high);
  if (size) inside = inside && !__builtin_add_overflow(high, ma_dtypes[base->dtype].itemsize, &high);
  if (!inside || (size && (low < 0 || (uint64_t)high > base->buffer->nbytes))) {
    char text[256];
    return ma_fail(MA_ERR_VALUE,
                   "elements of shape %s by these strides outside the array's memory; its %lld bytes hold "
                   "all of a view",
                   ma_shape_print(ndim, shape, text, sizeof text), (long long)base->buffer->nbytes);
  }
  ma_array_view(view, base);
  ma_array_set_shape(view, ndim, shape, size);
  memcpy(view->stride, stride, (size_t)ndim * sizeof *stride);
  ma_status status = check_aligned(view);
  if (status == MA_OK && !is_injective(view)) view->readonly |= MA_REPEATS;
  return conclude(view, status);
}

ma_status ma_array_whole(ma_array *view, const ma_array *base) {
  int64_t step = ma_dtypes[base->dtype].itemsize, extent = (int64_t)(base->buffer->nbytes / (size_t)step);
  ma_array_view(view, base);
  ma_array_set_shape(view, 1, &extent, extent);
  view->stride[0] = step;
  view->offset = 0;
  view->readonly &= (uint8_t)~MA_REPEATS;
  return conclude(view, check_aligned(view));
}
