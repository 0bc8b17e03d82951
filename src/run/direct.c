/* direct.c: recognises the reduction of all elements of a small array, and runs it without a program. All other cases,
** and all errors, are left to reduce.c. The results have the same bits. */
#include "base/inject.h"
#include "run/direct.h"
#include "run/pending.h"
#include "program/operands.h"

#include <string.h>

/* Whether arrays of this size are computed directly on the stream's device. Not while uses are watched. */
static bool takes_size(const ma_stream *stream, int64_t size) {
  return stream->device->backend->map.direct && !__atomic_load_n(&ma_takes_long_way, __ATOMIC_RELAXED) && size > 0 &&
         size <= MA_DIRECT_MOST && ma_defer_is_small(stream, size) &&
         !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED);
}

static bool is_plain(ma_dtype t) { return ma_dtypes[t].itemsize == ma_dtypes[t].regsize; }

/* The dtype in which the reduction combines elements; MA_NDTYPE: it takes none of this dtype, or has another one for
** its result. */
static ma_dtype find_folded(ma_reduce_op op, ma_dtype t) {
  const ma_reduce_info *info = &ma_reduces[op];
  ma_kind kind = ma_dtypes[t].kind;
  if (!is_plain(t) || (info->flags & MA_REDF_INTEGER && kind >= MA_KIND_FLOAT) ||
      (info->flags & MA_REDF_FLOAT && kind == MA_KIND_COMPLEX))
    return MA_NDTYPE;
  if (info->flags & MA_REDF_TRUTH) return MA_BOOL;
  if (info->flags & MA_REDF_POSITION || (info->result == MA_RESULT_REAL && kind == MA_KIND_COMPLEX)) return t;
  return ma_reduce_dtype(op, t);
}

static inline ma_dtype folded_dtype(ma_reduce_op op, ma_dtype t) {
  static uint8_t known[MA_NREDUCE][MA_NDTYPE]; /* one more than the answer */
  uint8_t answer = __atomic_load_n(&known[op][t], __ATOMIC_RELAXED);
  if (__builtin_expect(!answer, 0))
    __atomic_store_n(&known[op][t], answer = (uint8_t)(find_folded(op, t) + 1), __ATOMIC_RELAXED);
  return (ma_dtype)(answer - 1);
}

/* The order of the elements; false if there are too many axes. They stay in C order, which decides among equals. */
static bool arrange(ma_direct *d, const ma_array *array) {
  d->space.ndim = array->ndim;
  d->space.noperand = 1;
  memcpy(d->space.shape, array->shape, array->ndim * sizeof *array->shape);
  memcpy(d->space.stride[0], array->stride, array->ndim * sizeof *array->stride);
  ma_space_collapse(&d->space, false, NULL);
  return d->space.ndim <= 3 && d->n * ma_dtypes[d->loop].itemsize <= MA_DIRECT_APART;
}

static ma_status run(ma_direct *d, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran) {
  MA_TRY(ma_array_new(result, stream->device, d->result, 0, NULL));
  ma_status status = ma_buffer_use(array->buffer, stream, false);
  if (status == MA_OK) status = ma_buffer_use(result->buffer, stream, true);
  d->from = (const char *)array->buffer->ptr + array->offset;
  d->to = result->buffer->ptr;
  if (status == MA_OK) status = stream->device->backend->map.direct(stream, d, ran);
  if (status != MA_OK || !*ran) ma_array_release(result);
  return status;
}

ma_status ma_direct_reduce(ma_reduce_op op, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran) {
  ma_dtype t = (ma_dtype)array->dtype, folded;
  *ran = false;
  if (!takes_size(stream, array->size) || !array->ndim || array->buffer->pending ||
      array->buffer->device != stream->device || (folded = folded_dtype(op, t)) == MA_NDTYPE)
    return MA_OK;
  ma_direct d;
  d.reduce = op;
  d.loop = t;
  d.folded = folded;
  d.result = ma_reduce_dtype(op, folded);
  d.n = (int)array->size;
  d.apart = t == MA_BOOL || !ma_array_is_contiguous(array);
  return d.apart && !arrange(&d, array) ? MA_OK : run(&d, array, result, stream, ran);
}
