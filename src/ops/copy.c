/* copy.c: copies arrays: with a cast, to another layout, to another device; and reads one element for the host. */
#include "ops/ops.h"
#include "memory/wait.h"
#include "memory/graph.h"
#include "memory/handle.h"
#include "run/kept.h"
#include "memory/pool.h"

#include <inttypes.h>
#include <string.h>

static ma_stream *stream_on(ma_stream *stream, ma_device *device) {
  return stream && stream->device == device ? stream : ma_device_null_stream(device);
}

/* Makes the program of a fill, which is kept under the key, or else is `own`. */
static __attribute__((noinline)) const ma_program *make_filling(uint64_t key, ma_dtype dtype, ma_program *own) {
  ma_program_clear(own);
  ma_program_output(own, ma_program_scalar(own, dtype));
  const ma_program *kept = ma_kept_add(key, own);
  return kept ? kept : own;
}

/* Copies within a device, and casts if needed. */
static ma_status assign_within(ma_array *to, const ma_array *from, ma_stream *stream) {
  ma_program own;
  const ma_program *program = ma_kept_cast((ma_dtype)from->dtype, (ma_dtype)to->dtype, &own);
  return ma_run(program, &from, NULL, &to, MA_ORDER_K, MA_RUN_DEFERS, stream_on(stream, to->buffer->device));
}

/* Whether the host array is pinned memory of a pool. The device may copy such memory while the host continues, because
** its marks make later users wait. */
static bool is_queueable(const ma_array *host, const ma_stream *stream) {
  const ma_backend *backend = stream->device->backend;
  return !stream->capture && backend->memory.is_pinned && ma_pool_owns(ma_handle_block(host->buffer)) &&
         backend->memory.is_pinned(stream->device, (char *)host->buffer->ptr + host->offset);
}

/* Copies the bytes of a contiguous array into contiguous memory of another device. Work on the host's side is
** complete when the call returns, or is ordered by the marks of the buffer. */
static ma_status move_bytes(ma_array *to, const ma_array *from, ma_stream *stream) {
  const void *source;
  void *target = NULL;
  ma_device *origin = ma_array_device(from), *device = ma_array_device(to);
  bool from_host = ma_is_host(origin), to_host = ma_is_host(device);
  ma_copy_kind kind = to_host ? MA_COPY_TO_HOST : from_host ? MA_COPY_TO_DEVICE : MA_COPY_WITHIN;
  size_t nbytes = (size_t)from->size * ma_dtypes[from->dtype].itemsize;
  if (kind != MA_COPY_WITHIN || !stream || stream->device != origin) /* between two GPUs a stream of either works */
    stream = stream_on(stream, to_host ? origin : device);
  if (nbytes && kind != MA_COPY_WITHIN && is_queueable(to_host ? to : from, stream))
    return ma_array_queue_copy(to_host ? (ma_array *)from : to, to_host ? to : (ma_array *)from, from_host, stream);
  MA_TRY(ma_array_read(from, from_host ? NULL : stream, &source));
  MA_TRY(ma_array_write(to, to_host ? NULL : stream, &target));
  if (kind == MA_COPY_WITHIN) MA_TRY(ma_capture_refuse_work(stream, "a copy between devices"));
  if (nbytes && kind == MA_COPY_WITHIN)
    return stream->device->backend->memory.copy_between(stream, device, target, origin, source, nbytes);
  return nbytes ? stream->device->backend->memory.copy(stream, target, source, nbytes, kind) : MA_OK;
}

ma_status ma_array_queue_copy(ma_array *array, ma_array *host, bool upload, ma_stream *stream) {
  const void *source;
  void *target = NULL;
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  MA_TRY(ma_capture_refuse_work(stream, "a copy from or to pinned memory"));
  MA_TRY(ma_array_read(upload ? host : array, stream, &source));
  MA_TRY(ma_array_write(upload ? array : host, stream, &target));
  return stream->device->backend->memory.copy_queued(stream, target, source, nbytes,
                                                     upload ? MA_COPY_TO_DEVICE : MA_COPY_TO_HOST);
}

/* Casts and packs on the source device, moves the bytes, and scatters them on the target device. */
static ma_status assign_across(ma_array *to, const ma_array *from, ma_stream *stream) {
  ma_array packed = { .buffer = NULL }, landed = { .buffer = NULL };
  const ma_array *source = from;
  ma_status status = MA_OK;
  if (from->dtype != to->dtype || !ma_array_is_contiguous(from)) {
    if ((status = ma_array_copy(&packed, from, (ma_dtype)to->dtype, stream)) != MA_OK) goto done;
    source = &packed;
  }
  if (ma_array_has_shape(to, source->ndim, source->shape) && ma_array_is_contiguous(to)) {
    status = move_bytes(to, source, stream);
    goto done;
  }
  if ((status = ma_array_new(&landed, ma_array_device(to), (ma_dtype)to->dtype, source->ndim, source->shape)) ==
        MA_OK &&
      (status = move_bytes(&landed, source, stream)) == MA_OK)
    status = assign_within(to, &landed, stream);
done:
  ma_array_release(&packed);
  ma_array_release(&landed);
  return status;
}

/* The shape of `from` must broadcast to that of `to`. */
static ma_status check_fits(const ma_array *to, const ma_array *from) {
  char has[256], wants[256];
  int64_t shape[MA_MAX_NDIM];
  int ndim = from->ndim;
  bool fits = from->ndim <= to->ndim;
  for (int d = 0; d < from->ndim && fits; d++)
    fits = from->shape[d] == to->shape[to->ndim - from->ndim + d] || from->shape[d] == 1;
  if (fits) return MA_OK;
  memcpy(shape, from->shape, from->ndim * sizeof *shape);
  MA_TRY(ma_shape_broadcast(&ndim, shape, to->ndim, to->shape));
  ma_shape_print(from->ndim, from->shape, has, sizeof has);
  if (!to->ndim)
    return ma_fail(MA_ERR_VALUE,
                   "a value of shape %s for one element; a range in an index is a table in the table, "
                   "as in a[{1, {2, 4}}]",
                   has);
  return ma_fail(MA_ERR_VALUE, "a value of shape %s for a place of shape %s; wanted a shape that broadcasts to it", has,
                 ma_shape_print(to->ndim, to->shape, wants, sizeof wants));
}

ma_status ma_array_assign(ma_array *to, const ma_array *from, ma_stream *stream) {
  MA_TRY(check_fits(to, from));
  if (ma_array_device(to) == ma_array_device(from)) return assign_within(to, from, stream);
  return assign_across(to, from, stream);
}

ma_status ma_array_fill(ma_array *to, ma_value value, ma_dtype dtype, ma_stream *stream) {
  ma_program own;
  if (dtype != (ma_dtype)to->dtype) value = ma_value_cast(value, dtype, (ma_dtype)to->dtype);
  uint64_t key = ma_kept_key(MA_NOP, (ma_dtype)to->dtype);
  const ma_program *program = ma_kept_find(key);
  if (!program) program = make_filling(key, (ma_dtype)to->dtype, &own);
  return ma_program_run(program, NULL, &value, &to, stream_on(stream, to->buffer->device));
}

ma_status ma_array_fill_sequence(ma_array *to, ma_sequence *sequence, ma_stream *stream) {
  stream = stream_on(stream, to->buffer->device);
  sequence->dtype = (ma_dtype)to->dtype;
  sequence->n = to->size;
  if (to->size == 0) return MA_OK;
  MA_TRY(ma_array_write(to, stream, &sequence->to));
  return stream->device->backend->map.sequence(stream, sequence);
}

ma_status ma_array_copy(ma_array *copy, const ma_array *from, ma_dtype dtype, ma_stream *stream) {
  return ma_array_copy_in(copy, from, dtype, MA_ORDER_C, stream);
}

ma_status ma_array_copy_in(ma_array *copy, const ma_array *from, ma_dtype dtype, ma_order order, ma_stream *stream) {
  ma_program own;
  const ma_program *program = ma_kept_cast((ma_dtype)from->dtype, dtype, &own);
  int how = from->dtype == dtype ? MA_RUN_JOINS : MA_RUN_JOINS | MA_RUN_LATER;
  copy->buffer = NULL;
  return ma_run(program, &from, NULL, &copy, order, how, stream_on(stream, from->buffer->device));
}

ma_status ma_array_packed(ma_array *pack, const ma_array *from, ma_dtype dtype, ma_stream *stream) {
  if (from->dtype != dtype || !ma_array_is_contiguous(from)) return ma_array_copy(pack, from, dtype, stream);
  ma_array_view(pack, from);
  return MA_OK;
}

ma_status ma_array_reshape(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, ma_stream *stream) {
  int64_t full[MA_MAX_NDIM];
  MA_TRY(ma_array_reshape_view(view, base, ndim, shape, full));
  if (view->buffer) return MA_OK;
  MA_TRY(ma_array_copy(view, base, (ma_dtype)base->dtype, stream));
  ma_array_set_shape(view, ndim, full, base->size);
  ma_shape_contiguous(ndim, full, ma_dtypes[base->dtype].itemsize, view->stride);
  return MA_OK;
}

ma_status ma_array_repeat(ma_array *copy, const ma_array *base, const int64_t *times, bool each, ma_stream *stream) {
  int64_t shape[MA_MAX_NDIM] = { 0 }, size;
  int ndim = base->ndim;
  ma_array view;
  for (int d = 0; d < ndim; d++)
    if (__builtin_mul_overflow(base->shape[d], times[d], &shape[d])) shape[d] = INT64_MAX;
  MA_TRY(ma_shape_size(ndim, shape, ma_dtypes[base->dtype].itemsize, &size));
  ma_array_view(&view, base);
  view.ndim = 0;
  view.size = size;
  ma_status status = MA_OK;
  for (int d = 0; d < ndim && status == MA_OK; d++)
    for (int k = 0; k < 2; k++) { /* a repeated axis gets an axis of step 0 in front of it or behind it */
      bool again = each ? k == 1 : k == 0;
      if (again && times[d] == 1) continue;
      if (view.ndim == MA_MAX_NDIM) {
        status = ma_fail(MA_ERR_VALUE, "%d axes and one more for each repeated one; at most %d", ndim, MA_MAX_NDIM);
        break;
      }
      view.shape[view.ndim] = again ? times[d] : base->shape[d];
      view.stride[view.ndim++] = again ? 0 : base->stride[d];
    }
  if (status == MA_OK) status = ma_array_copy(copy, &view, (ma_dtype)base->dtype, stream);
  ma_array_release(&view);
  MA_TRY(status);
  ma_array_set_shape(copy, ndim, shape, size);
  ma_shape_contiguous(ndim, shape, ma_dtypes[base->dtype].itemsize, copy->stride);
  return MA_OK;
}

ma_status ma_array_to(ma_array *copy, const ma_array *from, ma_device *device, ma_stream *stream) {
  MA_TRY(ma_array_new(copy, device, (ma_dtype)from->dtype, from->ndim, from->shape));
  ma_status status = ma_array_assign(copy, from, stream);
  if (status != MA_OK) ma_array_release(copy);
  return status;
}

ma_status ma_array_item(const ma_array *array, ma_stream *stream, ma_value *value) {
  if (array->size != 1)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " elements; one is wanted (a[{i, j}] reads one, a:totable() all)",
                   array->size);
  unsigned char element[16];
  const void *source;
  ma_device *device = ma_array_device(array);
  stream = stream_on(stream, device);
  MA_TRY(ma_wait_check_array(array));
  MA_TRY(ma_array_read(array, stream, &source));
  MA_TRY(device->backend->memory.copy(stream, element, source, ma_dtypes[array->dtype].itemsize, MA_COPY_TO_HOST));
  *value = ma_value_load(element, (ma_dtype)array->dtype);
  return MA_OK;
}
