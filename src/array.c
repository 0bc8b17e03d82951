/*
** array.c: arrays and their views, and the copies between them. A view is arithmetic on a shape and strides; nothing here
** touches elements except through programs (ufunc.c) and the backend's copies.
*/
#include "graph.h"
#include "pending.h"
#include "pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void set_shape(ma_array *array, int ndim, const int64_t *shape, int64_t size)
{
  array->ndim = (uint8_t)ndim;
  array->size = size;
  for (int d = 0; d < ndim; d++)
    array->shape[d] = shape[d];
}

static ma_status check_shape(int ndim, const int64_t *shape, size_t itemsize, int64_t *size)
{
  if (ndim > MA_MAX_NDIM)
    return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", ndim, MA_MAX_NDIM);
  return ma_shape_size(ndim, shape, itemsize, size);
}

static void describe(ma_array *array, ma_dtype dtype, int ndim, const int64_t *shape, int64_t size)
{
  array->magic = MA_ARRAY_MAGIC;
  array->dtype = (uint8_t)dtype;
  array->readonly = 0;
  array->offset = 0;
  set_shape(array, ndim, shape, size);
  ma_shape_contiguous(ndim, shape, ma_dtypes[dtype].itemsize, array->stride);
}

/* On failure nothing but the buffer is touched: the array may be one that was freed and tells by whom. */
ma_status ma_array_new(ma_array *array, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape)
{
  int64_t size;
  size_t itemsize = ma_dtypes[dtype].itemsize;
  array->buffer = NULL;
  MA_TRY(check_shape(ndim, shape, itemsize, &size));
  MA_TRY(ma_handle_new(device, (size_t)size * itemsize, &array->buffer));
  describe(array, dtype, ndim, shape, size);
  return MA_OK;
}

ma_status ma_array_shape(ma_array *array, ma_dtype dtype, int ndim, const int64_t *shape)
{
  int64_t size;
  array->buffer = NULL;
  MA_TRY(check_shape(ndim, shape, ma_dtypes[dtype].itemsize, &size));
  describe(array, dtype, ndim, shape, size);
  return MA_OK;
}

void ma_array_view(ma_array *view, const ma_array *base)
{
  size_t extents = base->ndim * sizeof(int64_t);
  memcpy(view, base, offsetof(ma_array, shape));
  memcpy(view->shape, base->shape, extents);
  memcpy(view->stride, base->stride, extents);
  ma_buffer_retain(view->buffer);
}

void ma_array_release(ma_array *array)
{
  ma_buffer_release(array->buffer);
  array->buffer = NULL;
}

ma_device *ma_array_device(const ma_array *array) { return array->buffer->device; }

bool ma_array_is_contiguous(const ma_array *array)
{
  int64_t step = ma_dtypes[array->dtype].itemsize;
  for (int d = array->ndim - 1; d >= 0; d--) {
    if (array->shape[d] != 1 && array->stride[d] != step)
      return array->size == 0;
    step *= array->shape[d];
  }
  return true;
}

/* First and one past the last byte that an array can touch. */
static void bounds(const ma_array *array, uintptr_t *low, uintptr_t *high)
{
  uintptr_t at = (uintptr_t)array->buffer->ptr + (uintptr_t)array->offset;
  *low = at;
  *high = at + ma_dtypes[array->dtype].itemsize;
  for (int d = 0; d < array->ndim; d++) {
    int64_t reach = array->stride[d] * (array->shape[d] - 1);
    if (reach < 0)
      *low += (uintptr_t)reach;
    else
      *high += (uintptr_t)reach;
  }
}

bool ma_array_overlaps(const ma_array *a, const ma_array *b)
{
  if (a->size == 0 || b->size == 0 || a->buffer->device != b->buffer->device)
    return false;
  if (a->buffer != b->buffer && (!a->buffer->ptr || !b->buffer->ptr || (a->buffer->movable && b->buffer->movable)))
    return false;                                        /* one has no memory yet, or each has a block of its own */
  uintptr_t alow, ahigh, blow, bhigh;
  bounds(a, &alow, &ahigh);
  bounds(b, &blow, &bhigh);
  return alow < bhigh && blow < ahigh;
}

ma_status ma_array_read(const ma_array *array, ma_stream *stream, const void **address)
{
  if (__builtin_expect(array->buffer->pending != NULL, 0))
    MA_TRY(ma_pending_evaluate(array->buffer, "it is read"));
  MA_TRY(ma_buffer_use(array->buffer, stream, false));
  *address = (const char *)array->buffer->ptr + array->offset;
  return MA_OK;
}

ma_status ma_array_check_writable(const ma_array *array)
{
  if (array->readonly)
    return ma_fail(MA_ERR_VALUE, "a read-only array; a broadcast view or borrowed constant memory cannot be written, copy it first");
  return MA_OK;
}

ma_status ma_array_write(ma_array *array, ma_stream *stream, void **address)
{
  MA_TRY(ma_array_check_writable(array));
  if (__builtin_expect(array->buffer->pending || array->buffer->readers, 0))
    MA_TRY(ma_hazard_write(array->buffer, stream));
  MA_TRY(ma_buffer_use(array->buffer, stream, true));
  *address = (char *)array->buffer->ptr + array->offset;
  return MA_OK;
}

/* ==== Views ====================================================================================================== */

ma_status ma_array_broadcast(ma_array *view, const ma_array *base, int ndim, const int64_t *shape)
{
  view->buffer = NULL;
  int64_t size;
  MA_TRY(ma_shape_size(ndim, shape, ma_dtypes[base->dtype].itemsize, &size));
  bool fits = base->ndim <= ndim, repeats = false;
  for (int d = 1; fits && d <= base->ndim; d++)
    fits = base->shape[base->ndim - d] == shape[ndim - d] || base->shape[base->ndim - d] == 1;
  if (!fits) {
    char from[256], to[256];
    return ma_fail(MA_ERR_VALUE, "shape %s does not broadcast to %s; extents must be equal or 1",
                   ma_shape_print(base->ndim, base->shape, from, sizeof from), ma_shape_print(ndim, shape, to, sizeof to));
  }
  ma_array_view(view, base);
  int lead = ndim - base->ndim;
  for (int d = ndim - 1; d >= 0; d--) {
    bool same = d >= lead && base->shape[d - lead] == shape[d];
    view->stride[d] = same ? base->stride[d - lead] : 0;
    repeats |= !same;
  }
  set_shape(view, ndim, shape, size);
  view->readonly |= repeats;
  return MA_OK;
}

ma_status ma_array_transpose(ma_array *view, const ma_array *base, const int *axes)
{
  view->buffer = NULL;
  uint32_t seen = 0;
  for (int d = 0; axes && d < base->ndim; d++) {
    if (axes[d] < 0 || axes[d] >= base->ndim || seen >> axes[d] & 1)
      return ma_fail(MA_ERR_VALUE, "axes that are no permutation; each of 1..%d is wanted once", base->ndim);
    seen |= 1u << axes[d];
  }
  ma_array_view(view, base);
  for (int d = 0; d < base->ndim; d++) {
    int from = axes ? axes[d] : base->ndim - 1 - d;
    view->shape[d] = base->shape[from];
    view->stride[d] = base->stride[from];
  }
  return MA_OK;
}

/* Replaces one -1 in a shape and checks its size against `size`. */
static ma_status complete_shape(const ma_array *base, int ndim, const int64_t *shape, int64_t *full)
{
  int unknown = -1;
  int64_t known = 1;
  for (int d = 0; d < ndim; d++) {
    full[d] = shape[d];
    if (shape[d] == -1 && unknown < 0)
      unknown = d;
    else if (shape[d] < 0)
      return ma_fail(MA_ERR_VALUE, shape[d] == -1 ? "more than one -1 in a shape; one extent can be worked out"
                                                  : "a negative extent; a shape has none but one -1");
    else if (__builtin_mul_overflow(known, shape[d], &known))
      return ma_fail(MA_ERR_VALUE, "a shape of too many elements; the array has %" PRId64, base->size);
  }
  if (unknown >= 0 && known > 0 && base->size % known == 0)
    full[unknown] = base->size / known;
  if (unknown >= 0 ? known == 0 || base->size % known != 0 : known != base->size) {
    char from[256], to[256];
    return ma_fail(MA_ERR_VALUE, "shape %s of %" PRId64 " elements cannot become %s; the number of elements must be the same",
                   ma_shape_print(base->ndim, base->shape, from, sizeof from), base->size, ma_shape_print(ndim, shape, to, sizeof to));
  }
  return MA_OK;
}

/*
** Strides of `shape` over base's memory without a copy, or false. Runs of base's axes are matched with runs of new axes that
** have the same number of elements; a run can be split or joined only if its base axes run on in memory.
*/
static bool restride(const ma_array *base, int ndim, const int64_t *shape, int64_t *stride)
{
  int64_t old_shape[MA_MAX_NDIM], old_stride[MA_MAX_NDIM];
  int nold = 0;
  for (int d = 0; d < base->ndim; d++)
    if (base->shape[d] != 1) {
      old_shape[nold] = base->shape[d];
      old_stride[nold++] = base->stride[d];
    }
  int from = 0, to = 0;
  while (from < nold && to < ndim) {
    int from_end = from + 1, to_end = to + 1;
    int64_t old_count = old_shape[from], new_count = shape[to];
    while (old_count != new_count) {
      if (new_count < old_count)
        new_count *= shape[to_end++];
      else
        old_count *= old_shape[from_end++];
    }
    for (int d = from; d + 1 < from_end; d++)
      if (old_stride[d] != old_stride[d + 1] * old_shape[d + 1])
        return false;
    stride[to_end - 1] = old_stride[from_end - 1];
    for (int d = to_end - 1; d > to; d--)
      stride[d - 1] = stride[d] * shape[d];
    from = from_end;
    to = to_end;
  }
  for (; to < ndim; to++)                                /* what is left has extent 1 */
    stride[to] = ma_dtypes[base->dtype].itemsize;
  return true;
}

ma_status ma_array_reshape(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, ma_stream *stream)
{
  int64_t full[MA_MAX_NDIM], stride[MA_MAX_NDIM];
  view->buffer = NULL;
  if (ndim > MA_MAX_NDIM)
    return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", ndim, MA_MAX_NDIM);
  MA_TRY(complete_shape(base, ndim, shape, full));
  if (base->size == 0 || ma_array_is_contiguous(base))
    ma_shape_contiguous(ndim, full, ma_dtypes[base->dtype].itemsize, stride);
  else if (!restride(base, ndim, full, stride)) {
    MA_TRY(ma_array_copy(view, base, (ma_dtype)base->dtype, stream));
    set_shape(view, ndim, full, base->size);
    ma_shape_contiguous(ndim, full, ma_dtypes[base->dtype].itemsize, view->stride);
    return MA_OK;
  }
  ma_array_view(view, base);
  set_shape(view, ndim, full, base->size);
  memcpy(view->stride, stride, (size_t)ndim * sizeof *stride);
  return MA_OK;
}

ma_status ma_array_part(ma_array *view, const ma_array *base, bool imaginary)
{
  view->buffer = NULL;
  if (ma_dtypes[base->dtype].kind != MA_KIND_COMPLEX)
    return ma_fail(MA_ERR_TYPE, "dtype %s; a complex array has two parts", ma_dtypes[base->dtype].name);
  ma_array_view(view, base);
  view->dtype = (uint8_t)ma_dtype_real((ma_dtype)base->dtype);
  if (imaginary)
    view->offset += ma_dtypes[view->dtype].itemsize;
  return MA_OK;
}

/* ==== Copies ===================================================================================================== */

static ma_stream *stream_on(ma_stream *stream, ma_device *device)
{
  return stream && stream->device == device ? stream : ma_device_null_stream(device);
}

/* Same device: one program that casts, if need be. */
static ma_status assign_within(ma_array *to, const ma_array *from, ma_stream *stream)
{
  ma_program program;
  ma_program_clear(&program);
  int reg = ma_program_input(&program, (ma_dtype)from->dtype);
  ma_program_output(&program, ma_program_cast(&program, reg, (ma_dtype)to->dtype));
  return ma_program_defer(&program, &from, NULL, &to, stream_on(stream, ma_array_device(to)));
}

/* Pinned memory of a pool: the device may copy it while the host goes on, for its marks keep everybody off until then. */
static bool is_queueable(const ma_array *host, const ma_stream *stream)
{
  const ma_backend *backend = stream->device->backend;
  return !stream->capture && backend->host_is_pinned && ma_pool_owns(host->buffer) &&
         backend->host_is_pinned(stream->device, (char *)host->buffer->ptr + host->offset);
}

/* Bytes of a contiguous array into contiguous memory of another device. The host's side of a copy is done when the call returns, or
** ordered by the marks of its buffer. */
static ma_status move_bytes(ma_array *to, const ma_array *from, ma_stream *stream)
{
  const void *source;
  void *target = NULL;
  ma_device *origin = ma_array_device(from), *device = ma_array_device(to);
  bool from_host = ma_is_host(origin), to_host = ma_is_host(device);
  ma_copy_kind kind = to_host ? MA_COPY_TO_HOST : from_host ? MA_COPY_TO_DEVICE : MA_COPY_WITHIN;
  size_t nbytes = (size_t)from->size * ma_dtypes[from->dtype].itemsize;
  if (kind != MA_COPY_WITHIN || !stream || stream->device != origin)     /* between two GPUs a stream of either will do */
    stream = stream_on(stream, to_host ? origin : device);
  if (nbytes && kind != MA_COPY_WITHIN && is_queueable(to_host ? to : from, stream))
    return ma_array_queue_copy(to_host ? (ma_array *)from : to, to_host ? to : (ma_array *)from, from_host, stream);
  MA_TRY(ma_array_read(from, from_host ? NULL : stream, &source));
  MA_TRY(ma_array_write(to, to_host ? NULL : stream, &target));
  if (kind == MA_COPY_WITHIN)
    MA_TRY(ma_capture_refuse_work(stream, "a copy between devices"));
  if (nbytes && kind == MA_COPY_WITHIN)
    return stream->device->backend->copy_between(stream, device, target, origin, source, nbytes);
  return nbytes ? stream->device->backend->copy(stream, target, source, nbytes, kind) : MA_OK;
}

ma_status ma_array_queue_copy(ma_array *array, ma_array *host, bool upload, ma_stream *stream)
{
  const void *source;
  void *target = NULL;
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  MA_TRY(ma_capture_refuse_work(stream, "a copy from or to pinned memory"));
  MA_TRY(ma_array_read(upload ? host : array, stream, &source));
  MA_TRY(ma_array_write(upload ? array : host, stream, &target));
  return stream->device->backend->copy_queued(stream, target, source, nbytes, upload ? MA_COPY_TO_DEVICE : MA_COPY_TO_HOST);
}

static bool same_shape(const ma_array *a, const ma_array *b)
{
  return a->ndim == b->ndim && !memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape);
}

/* Casts and packs where the elements are, moves the bytes, spreads them where they go. */
static ma_status assign_across(ma_array *to, const ma_array *from, ma_stream *stream)
{
  ma_array packed = { .buffer = NULL }, landed = { .buffer = NULL };
  const ma_array *source = from;
  ma_status status = MA_OK;
  if (from->dtype != to->dtype || !ma_array_is_contiguous(from)) {
    if ((status = ma_array_copy(&packed, from, (ma_dtype)to->dtype, stream)) != MA_OK)
      goto done;
    source = &packed;
  }
  if (same_shape(to, source) && ma_array_is_contiguous(to)) {
    status = move_bytes(to, source, stream);
    goto done;
  }
  if ((status = ma_array_new(&landed, ma_array_device(to), (ma_dtype)to->dtype, source->ndim, source->shape)) == MA_OK &&
      (status = move_bytes(&landed, source, stream)) == MA_OK)
    status = assign_within(to, &landed, stream);
done:
  ma_array_release(&packed);
  ma_array_release(&landed);
  return status;
}

ma_status ma_array_assign(ma_array *to, const ma_array *from, ma_stream *stream)
{
  if (ma_array_device(to) == ma_array_device(from))
    return assign_within(to, from, stream);
  ma_array shaped = { .buffer = NULL };                  /* the shapes must fit before bytes cross */
  MA_TRY(ma_array_broadcast(&shaped, from, to->ndim, to->shape));
  ma_array_release(&shaped);
  return assign_across(to, from, stream);
}

ma_status ma_array_fill(ma_array *to, ma_value value, ma_dtype dtype, ma_stream *stream)
{
  ma_program program;
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_scalar(&program, (ma_dtype)to->dtype));
  ma_value cast = ma_value_cast(value, dtype, (ma_dtype)to->dtype);
  return ma_program_run(&program, NULL, &cast, &to, stream_on(stream, ma_array_device(to)));
}

ma_status ma_array_copy(ma_array *copy, const ma_array *from, ma_dtype dtype, ma_stream *stream)
{
  bool deferred = false;
  if (ma_deferral_current && ma_deferral_current->on && (from->dtype != dtype || from->buffer->pending))
    MA_TRY(ma_program_defer_cast(copy, from, dtype, stream_on(stream, ma_array_device(from)), &deferred));
  if (deferred)
    return MA_OK;
  MA_TRY(ma_array_new(copy, ma_array_device(from), dtype, from->ndim, from->shape));
  ma_status status = assign_within(copy, from, stream);
  if (status != MA_OK)
    ma_array_release(copy);
  return status;
}

ma_status ma_array_to(ma_array *copy, const ma_array *from, ma_device *device, ma_stream *stream)
{
  MA_TRY(ma_array_new(copy, device, (ma_dtype)from->dtype, from->ndim, from->shape));
  ma_status status = ma_array_assign(copy, from, stream);
  if (status != MA_OK)
    ma_array_release(copy);
  return status;
}

ma_status ma_array_item(const ma_array *array, ma_stream *stream, ma_value *value)
{
  if (array->size != 1)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements; one is wanted", array->size);
  unsigned char element[16];
  const void *source;
  ma_device *device = ma_array_device(array);
  stream = stream_on(stream, device);
  MA_TRY(ma_array_read(array, stream, &source));
  MA_TRY(device->backend->copy(stream, element, source, ma_dtypes[array->dtype].itemsize, MA_COPY_TO_HOST));
  *value = ma_value_load(element, (ma_dtype)array->dtype);
  return MA_OK;
}
