/* foreign.c: arrays over memory that the library does not own. */
#include "memory/foreign.h"
#include "memory/wait.h"

#include <inttypes.h>
#include <string.h>

/* The number that an element's address must be a multiple of. */
static int64_t alignment(ma_dtype dtype) {
  int64_t itemsize = ma_dtypes[dtype].itemsize;
  return ma_dtypes[dtype].kind == MA_KIND_COMPLEX ? itemsize / 2 : itemsize;
}

static ma_status check_alignment(const ma_foreign *f, const int64_t *stride) {
  int64_t align = alignment(f->dtype);
  if ((uintptr_t)f->address % (uintptr_t)align)
    return ma_fail(MA_ERR_VALUE, "the address %p; %s needs a multiple of %" PRId64, f->address,
                   ma_dtypes[f->dtype].name, align);
  for (int d = 0; d < f->ndim; d++)
    if (stride[d] % align)
      return ma_fail(MA_ERR_VALUE, "a stride of %" PRId64 " bytes on axis %d; %s needs a multiple of %" PRId64,
                     stride[d], d + 1, ma_dtypes[f->dtype].name, align);
  return MA_OK;
}

/* Measures the bytes that the elements span; `low` is how far they reach below the first element. */
static ma_status measure(const ma_foreign *f, const int64_t *stride, int64_t *low, int64_t *nbytes) {
  int64_t below = 0, above = ma_dtypes[f->dtype].itemsize, reach;
  for (int d = 0; d < f->ndim; d++)
    if (__builtin_mul_overflow(stride[d], f->shape[d] - 1, &reach) ||
        __builtin_add_overflow(reach < 0 ? below : above, reach, reach < 0 ? &below : &above))
      return ma_fail(MA_ERR_VALUE, "strides that span more than 2^63 bytes; wanted those of memory that is there");
  uintptr_t start = (uintptr_t)f->address;
  if (__builtin_sub_overflow(above, below, nbytes) || (uintptr_t)-below > start ||
      (uintptr_t)above > UINTPTR_MAX - start)
    return ma_fail(MA_ERR_VALUE, "strides that leave the address space from %p; wanted those of memory that is there",
                   f->address);
  *low = below;
  return MA_OK;
}

static ma_status check(const ma_foreign *f, const int64_t *stride, int64_t size, int64_t *low, int64_t *nbytes) {
  *low = *nbytes = 0;
  if (size == 0) return MA_OK;
  if (!f->address) return ma_fail(MA_ERR_VALUE, "a NULL pointer; wanted memory that is there");
  MA_TRY(check_alignment(f, stride));
  MA_TRY(measure(f, stride, low, nbytes));
  if (!f->known && f->device->backend->memory.check)
    MA_TRY(f->device->backend->memory.check(f->device, (char *)f->address + *low, (size_t)*nbytes));
  return MA_OK;
}

/* Fills everything but the buffer, as if it began with the lowest byte. */
static ma_status fill(const ma_foreign *f, ma_array *array, int64_t *low, int64_t *nbytes) {
  int64_t stride[MA_MAX_NDIM], size;
  size_t itemsize = ma_dtypes[f->dtype].itemsize;
  array->magic = MA_ARRAY_MAGIC;
  array->buffer = NULL;
  if (f->ndim < 0 || f->ndim > MA_MAX_NDIM)
    return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", f->ndim, MA_MAX_NDIM);
  MA_TRY(ma_shape_size(f->ndim, f->shape, itemsize, &size));
  if (f->strided) memcpy(stride, f->stride, (size_t)f->ndim * sizeof *stride);
  else ma_shape_contiguous(f->ndim, f->shape, itemsize, stride);
  MA_TRY(check(f, stride, size, low, nbytes));
  array->dtype = (uint8_t)f->dtype;
  array->ndim = (uint8_t)f->ndim;
  array->readonly = f->readonly ? MA_CONSTANT : 0;
  array->is_view = 1;
  array->size = size;
  array->offset = -*low;
  memcpy(array->shape, f->shape, (size_t)f->ndim * sizeof *stride);
  memcpy(array->stride, stride, (size_t)f->ndim * sizeof *stride);
  return MA_OK;
}

ma_status ma_foreign_array(const ma_foreign *f, void (*release)(ma_buffer *), void *owner, ma_array *array) {
  int64_t low, nbytes;
  MA_TRY(fill(f, array, &low, &nbytes));
  MA_TRY(ma_buffer_wrap(f->device, (char *)f->address + low, (size_t)nbytes, release, owner, &array->buffer));
  array->buffer->marks.writer = f->stream;
  return MA_OK;
}

ma_status ma_foreign_within(ma_buffer *whole, uint64_t offset, const ma_foreign *f, ma_array *array) {
  int64_t low, nbytes;
  ma_foreign here = *f;
  here.address = (char *)whole->ptr + offset;
  here.known = true;
  if (offset > whole->nbytes)
    return ma_fail(MA_ERR_VALUE, "the offset %" PRIu64 "; the memory has %zu bytes", offset, whole->nbytes);
  MA_TRY(fill(&here, array, &low, &nbytes));
  if (low < -(int64_t)offset || (uint64_t)(nbytes + low) > whole->nbytes - offset)
    return ma_fail(MA_ERR_VALUE, "%" PRId64 " bytes from the offset %" PRIu64 " on; the memory has %zu", nbytes, offset,
                   whole->nbytes);
  ma_buffer_retain(whole);
  array->buffer = whole;
  array->offset = (int64_t)offset;
  return MA_OK;
}

void ma_foreign_settle(ma_buffer *buffer) {
  ma_wait_rule rule = ma_wait_forbidden;
  ma_wait_forbidden = MA_WAIT_ALLOWED;
  if (!ma_is_host(buffer->device) && buffer->nbytes) ma_buffer_use(buffer, NULL, true);
  ma_wait_forbidden = rule;
}
