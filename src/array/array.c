/*
** array.c: arrays: a shape and strides over a buffer, and the two ways to their memory.
*/
#include "array/array.h"
#include "memory/handle.h"

#include <string.h>

void ma_array_set_shape(ma_array *array, int ndim, const int64_t *shape, int64_t size) {
  array->ndim = (uint8_t)ndim;
  array->size = size;
  for (int d = 0; d < ndim; d++) array->shape[d] = shape[d];
}

static ma_status check_shape(int ndim, const int64_t *shape, size_t itemsize, int64_t *size) {
  if (ndim > MA_MAX_NDIM) return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", ndim, MA_MAX_NDIM);
  return ma_shape_size(ndim, shape, itemsize, size);
}

static void describe(ma_array *array, ma_dtype dtype, int ndim, const int64_t *shape, int64_t size) {
  array->magic = MA_ARRAY_MAGIC;
  array->dtype = (uint8_t)dtype;
  array->readonly = 0;
  array->is_view = 0;
  array->offset = 0;
  ma_array_set_shape(array, ndim, shape, size);
  ma_shape_contiguous(ndim, shape, ma_dtypes[dtype].itemsize, array->stride);
}

/* On failure only the buffer changes: the array may be a freed one that records who freed it. */
ma_status ma_array_new(ma_array *array, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape) {
  int64_t size;
  size_t itemsize = ma_dtypes[dtype].itemsize;
  array->buffer = NULL;
  MA_TRY(check_shape(ndim, shape, itemsize, &size));
  MA_TRY(ma_handle_new(device, (size_t)size * itemsize, &array->buffer));
  describe(array, dtype, ndim, shape, size);
  return MA_OK;
}

ma_status ma_array_shape(ma_array *array, ma_dtype dtype, int ndim, const int64_t *shape) {
  int64_t size;
  array->buffer = NULL;
  MA_TRY(check_shape(ndim, shape, ma_dtypes[dtype].itemsize, &size));
  describe(array, dtype, ndim, shape, size);
  return MA_OK;
}

void ma_array_view(ma_array *view, const ma_array *base) {
  size_t extents = base->ndim * sizeof(int64_t);
  memcpy(view, base, offsetof(ma_array, shape));
  memcpy(view->shape, base->shape, extents);
  memcpy(view->stride, base->stride, extents);
  view->is_view = 1;
  ma_buffer_retain(view->buffer);
}

void ma_array_release(ma_array *array) {
  ma_buffer_release(array->buffer);
  array->buffer = NULL;
}

ma_device *ma_array_device(const ma_array *array) { return array->buffer->device; }

bool ma_array_serves(const ma_array *array, const ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape) {
  return !array->readonly && array->dtype == dtype && ma_array_device(array) == device &&
         ma_array_has_shape(array, ndim, shape) && ma_array_is_contiguous(array);
}

bool ma_array_is_contiguous(const ma_array *array) {
  int64_t step = ma_dtypes[array->dtype].itemsize;
  for (int d = array->ndim - 1; d >= 0; d--) {
    if (array->shape[d] != 1 && array->stride[d] != step) return array->size == 0;
    step *= array->shape[d];
  }
  return true;
}

bool ma_array_has_shape(const ma_array *array, int ndim, const int64_t *shape) {
  if (array->ndim != ndim) return false;
  for (int d = 0; d < ndim; d++)
    if (array->shape[d] != shape[d]) return false;
  return true;
}

/* The first byte that the array can touch, and the one after the last. */
static void bounds(const ma_array *array, uintptr_t *low, uintptr_t *high) {
  uintptr_t at = (uintptr_t)array->buffer->ptr + (uintptr_t)array->offset;
  *low = at;
  *high = at + ma_dtypes[array->dtype].itemsize;
  for (int d = 0; d < array->ndim; d++) {
    int64_t reach = array->stride[d] * (array->shape[d] - 1);
    if (reach < 0) *low += (uintptr_t)reach;
    else *high += (uintptr_t)reach;
  }
}

bool ma_array_spans_meet(const ma_array *a, const ma_array *b) {
  if (a->size == 0 || b->size == 0 || a->buffer->device != b->buffer->device) return false;
  if (a->buffer != b->buffer && (!a->buffer->ptr || !b->buffer->ptr || (a->buffer->movable && b->buffer->movable)))
    return false; /* one has no memory yet, or each has its own block */
  uintptr_t alow, ahigh, blow, bhigh;
  bounds(a, &alow, &ahigh);
  bounds(b, &blow, &bhigh);
  return alow < bhigh && blow < ahigh;
}

/* The greatest common divisor of `step` and an array's strides, or `least` or less if it is less than that. */
static uint64_t common_step(const ma_array *array, uint64_t step, uint64_t least) {
  for (int d = array->ndim - 1; d >= 0; d--) {
    if (array->shape[d] < 2) continue;
    for (uint64_t other = (uint64_t)ma_magnitude(array->stride[d]); other;) {
      uint64_t rest = step % other;
      step = other;
      other = rest;
    }
    if (step && step < least) return step;
  }
  return step;
}

/* All elements of both lie at multiples of a step from their first ones. If it is as wide as two elements, they may lie
** between each other, as two fields of structs do. */
static bool lies_between(const ma_array *a, const ma_array *b) {
  uint64_t width = ma_dtypes[a->dtype].itemsize, other = ma_dtypes[b->dtype].itemsize;
  uint64_t step = common_step(b, common_step(a, 0, width + other), width + other);
  if (step < width + other) return false;
  uintptr_t from = (uintptr_t)a->buffer->ptr + (uintptr_t)a->offset,
            to = (uintptr_t)b->buffer->ptr + (uintptr_t)b->offset;
  uint64_t apart = to >= from ? (to - from) % step : (step - (from - to) % step) % step;
  return apart >= width && step - apart >= other;
}

bool ma_array_overlaps(const ma_array *a, const ma_array *b) {
  return ma_array_spans_meet(a, b) && !lies_between(a, b);
}

ma_status ma_array_read(const ma_array *array, ma_stream *stream, const void **address) {
  if (__builtin_expect(array->buffer->pending != NULL, 0)) MA_TRY(ma_defer_hooks.evaluate(array->buffer, "it is read"));
  MA_TRY(ma_buffer_use(array->buffer, stream, false));
  *address = (const char *)array->buffer->ptr + array->offset;
  return MA_OK;
}

ma_status ma_array_refuse_write(void) {
  return ma_fail(MA_ERR_VALUE,
                 "a read-only array; a broadcast view or borrowed constant memory cannot be written, copy it first");
}

ma_status ma_array_write(ma_array *array, ma_stream *stream, void **address) {
  MA_TRY(ma_array_check_writable(array));
  if (__builtin_expect(array->buffer->pending || array->buffer->readers, 0))
    MA_TRY(ma_defer_hooks.write(array->buffer, stream));
  MA_TRY(ma_buffer_use(array->buffer, stream, true));
  *address = (char *)array->buffer->ptr + array->offset;
  return MA_OK;
}
