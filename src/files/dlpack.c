/* dlpack.c: exports arrays as DLPack tensors, and imports such tensors as arrays. */
#include "ops/ops.h"
#include "files/dlpack.h"
#include "run/pending.h"
#include "memory/foreign.h"
#include "memory/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(ma_dl_tensor) == 48 && offsetof(ma_dl_tensor, shape) == 24 &&
                 offsetof(ma_dl_tensor, byte_offset) == 40,
               "DLTensor");
_Static_assert(sizeof(ma_dl_managed) == 64 && offsetof(ma_dl_managed, deleter) == 56, "DLManagedTensor");
_Static_assert(sizeof(ma_dl_versioned) == 80 && offsetof(ma_dl_versioned, deleter) == 16 &&
                 offsetof(ma_dl_versioned, tensor) == 32,
               "DLManagedTensorVersioned");

static const uint8_t codes[MA_NKIND] = { [MA_KIND_BOOL] = MA_DL_BOOL,
                                         [MA_KIND_SIGNED] = MA_DL_INT,
                                         [MA_KIND_UNSIGNED] = MA_DL_UINT,
                                         [MA_KIND_FLOAT] = MA_DL_FLOAT,
                                         [MA_KIND_COMPLEX] = MA_DL_COMPLEX };

static uint8_t code_of(ma_dtype dtype) { return dtype == MA_BFLOAT16 ? MA_DL_BFLOAT : codes[ma_dtypes[dtype].kind]; }

/* ==== Export ====================================================================================================== */

/* One allocation for each exported tensor; `context` of both forms points to it. */
typedef struct exported {
  union {
    ma_dl_managed legacy;
    ma_dl_versioned versioned;
  } form;
  ma_buffer *buffer;
  int64_t extents[2 * MA_MAX_NDIM];
} exported;

static void end_export(exported *e) {
  ma_buffer_release(e->buffer);
  free(e);
}
static void delete_legacy(ma_dl_managed *self) { end_export(self->context); }
static void delete_versioned(ma_dl_versioned *self) { end_export(self->context); }

static void fill_tensor(exported *e, const ma_array *array, void *address, ma_dl_tensor *tensor) {
  const ma_device *device = ma_array_device(array);
  int itemsize = ma_dtypes[array->dtype].itemsize;
  bool host = ma_is_host(device);
  *tensor = (ma_dl_tensor){
    .data = address, .ndim = array->ndim, .shape = e->extents, .strides = e->extents + MA_MAX_NDIM
  };
  tensor->device.type = host ? MA_DL_CPU : MA_DL_CUDA;
  tensor->device.id = host ? 0 : device->id;
  tensor->dtype.code = code_of(array->dtype);
  tensor->dtype.bits = (uint8_t)(8 * itemsize);
  tensor->dtype.lanes = 1;
  for (int d = 0; d < array->ndim; d++) {
    tensor->shape[d] = array->shape[d];
    tensor->strides[d] = array->stride[d] / itemsize;
  }
}

static ma_status check_export(const ma_array *array, bool versioned) {
  int itemsize = ma_dtypes[array->dtype].itemsize;
  if (array->readonly && !versioned)
    return ma_fail(MA_ERR_VALUE,
                   "a read-only array; a tensor before DLPack 1.0 cannot say so: wanted version 1, or a copy");
  for (int d = 0; d < array->ndim; d++)
    if (array->stride[d] % itemsize)
      return ma_fail(MA_ERR_VALUE,
                     "a stride of %" PRId64
                     " bytes on axis %d; DLPack counts in whole elements of %d bytes: copy it first",
                     array->stride[d], d + 1, itemsize);
  return MA_OK;
}

/* Prepares the array: the receiver of the tensor may write it at any time from now on. */
static ma_status ready(ma_array *array, ma_stream *stream, void **address) {
  MA_TRY(ma_hazard_expose(array->buffer, stream));
  MA_TRY(array->readonly ? ma_array_read(array, stream, (const void **)address)
                         : ma_array_write(array, stream, address));
  ma_stream_expose(stream);
  return MA_OK;
}

ma_status ma_dlpack_export(ma_array *array, ma_stream *stream, bool versioned, void **managed) {
  void *address;
  MA_TRY(check_export(array, versioned));
  MA_TRY(ready(array, stream, &address));
  exported *e = calloc(1, sizeof *e);
  if (!e) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a tensor's record");
  e->buffer = array->buffer;
  ma_buffer_retain(e->buffer);
  fill_tensor(e, array, address, versioned ? &e->form.versioned.tensor : &e->form.legacy.tensor);
  if (versioned) {
    e->form.versioned.version.major = MA_DL_MAJOR;
    e->form.versioned.version.minor = MA_DL_MINOR;
    e->form.versioned.context = e;
    e->form.versioned.deleter = delete_versioned;
    e->form.versioned.flags = array->readonly ? MA_DL_READ_ONLY : 0;
  } else {
    e->form.legacy.context = e;
    e->form.legacy.deleter = delete_legacy;
  }
  *managed = &e->form;
  return MA_OK;
}

/* ==== Import ====================================================================================================== */

static const ma_dl_tensor *tensor_of(const void *managed, bool versioned) {
  return versioned ? &((const ma_dl_versioned *)managed)->tensor : &((const ma_dl_managed *)managed)->tensor;
}

void ma_dlpack_delete(void *managed, bool versioned) {
  if (versioned && ((ma_dl_versioned *)managed)->deleter) ((ma_dl_versioned *)managed)->deleter(managed);
  else if (!versioned && ((ma_dl_managed *)managed)->deleter) ((ma_dl_managed *)managed)->deleter(managed);
}

bool ma_dlpack_is_versioned(const void *managed) {
  const ma_dl_versioned *v = managed;
  return v->version.major > 0 && v->version.major < 16 && v->version.minor < 256;
}

static ma_status check_version(const void *managed, bool versioned) {
  const ma_dl_versioned *v = managed;
  if (versioned && v->version.major != MA_DL_MAJOR)
    return ma_fail(MA_ERR_VALUE, "a tensor of DLPack %u.%u; wanted major version %d", v->version.major,
                   v->version.minor, MA_DL_MAJOR);
  return MA_OK;
}

ma_status ma_dlpack_device(const void *managed, bool versioned, ma_device **device) {
  MA_TRY(check_version(managed, versioned));
  const ma_dl_tensor *t = tensor_of(managed, versioned);
  char name[32];
  switch (t->device.type) {
  case MA_DL_CPU:
  case MA_DL_CUDA_HOST: *device = ma_device_cpu(); return MA_OK;
  case MA_DL_CUDA:
  case MA_DL_CUDA_MANAGED:
    snprintf(name, sizeof name, "cuda:%d", (int)t->device.id);
    return ma_device_get(name, device);
  default:
    return ma_fail(MA_ERR_DEVICE,
                   "a tensor on DLPack's device type %d; wanted the CPU's (1), CUDA's (2), or CUDA's host (3) or "
                   "managed (13) memory",
                   (int)t->device.type);
  }
}

static ma_status find_dtype(const ma_dl_tensor *t, ma_dtype *dtype) {
  for (int k = 0; k < MA_NDTYPE && t->dtype.lanes == 1; k++) {
    if (code_of((ma_dtype)k) != t->dtype.code || 8 * ma_dtypes[k].itemsize != t->dtype.bits) continue;
    *dtype = (ma_dtype)k;
    return MA_OK;
  }
  if (t->dtype.lanes != 1)
    return ma_fail(MA_ERR_TYPE, "elements of %d lanes; wanted one, with the lanes as an axis", (int)t->dtype.lanes);
  return ma_fail(MA_ERR_TYPE, "elements of DLPack's type code %d with %d bits; no dtype is that", (int)t->dtype.code,
                 (int)t->dtype.bits);
}

static ma_status describe(const ma_dl_tensor *t, ma_foreign *f) {
  MA_TRY(find_dtype(t, &f->dtype));
  int64_t itemsize = ma_dtypes[f->dtype].itemsize;
  if (t->ndim < 0 || t->ndim > MA_MAX_NDIM)
    return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", (int)t->ndim, MA_MAX_NDIM);
  if (t->ndim && !t->shape) return ma_fail(MA_ERR_VALUE, "a tensor without a shape; wanted %d extents", (int)t->ndim);
  f->ndim = t->ndim;
  f->strided = t->strides != NULL;
  if (t->ndim) memcpy(f->shape, t->shape, (size_t)t->ndim * sizeof *f->shape);
  for (int d = 0; f->strided && d < t->ndim; d++)
    if (__builtin_mul_overflow(t->strides[d], itemsize, &f->stride[d]))
      return ma_fail(MA_ERR_VALUE, "a stride of %" PRId64 " elements; wanted one of memory that is there",
                     t->strides[d]);
  f->address = t->data ? (char *)t->data + t->byte_offset : NULL;
  return MA_OK;
}

/* Calls the deleter: the last view of an imported tensor does so, on any thread. */
static void release_legacy(ma_buffer *buffer) {
  void *managed = buffer->owner;
  ma_foreign_settle(buffer);
  ma_buffer_free_header(buffer);
  ma_dlpack_delete(managed, false);
}

static void release_versioned(ma_buffer *buffer) {
  void *managed = buffer->owner;
  ma_foreign_settle(buffer);
  ma_buffer_free_header(buffer);
  ma_dlpack_delete(managed, true);
}

/* The record of a tensor that this library exported; NULL: another library did. */
static const exported *find_own(const void *managed, bool versioned) {
  const ma_dl_versioned *v = managed;
  const ma_dl_managed *m = managed;
  if (versioned) return v->deleter == delete_versioned ? v->context : NULL;
  return m->deleter == delete_legacy ? m->context : NULL;
}

/* Makes an array over the same buffer, so that its uses and those of the exported array are kept in order. */
static ma_status import_own(const exported *e, const ma_foreign *f, ma_array *array) {
  MA_TRY(ma_buffer_check(e->buffer));
  array->magic = MA_ARRAY_MAGIC;
  array->dtype = (uint8_t)f->dtype;
  array->ndim = (uint8_t)f->ndim;
  array->readonly = f->readonly ? MA_CONSTANT : 0;
  array->is_view = 1;
  MA_TRY(ma_shape_size(f->ndim, f->shape, ma_dtypes[f->dtype].itemsize, &array->size));
  array->offset = array->size ? (char *)f->address - (char *)e->buffer->ptr : 0;
  memcpy(array->shape, f->shape, (size_t)f->ndim * sizeof *f->shape);
  memcpy(array->stride, f->stride, (size_t)f->ndim * sizeof *f->stride);
  array->buffer = e->buffer;
  ma_buffer_retain(e->buffer);
  return MA_OK;
}

ma_status ma_dlpack_import(void *managed, bool versioned, ma_stream *stream, ma_array *array) {
  ma_foreign f = { .stream = stream };
  array->buffer = NULL;
  MA_TRY(ma_dlpack_device(managed, versioned, &f.device));
  MA_TRY(describe(tensor_of(managed, versioned), &f));
  f.readonly = versioned && ((const ma_dl_versioned *)managed)->flags & MA_DL_READ_ONLY;
  const exported *own = find_own(managed, versioned);
  if (own) {
    MA_TRY(import_own(own, &f, array));
    ma_dlpack_delete(managed, versioned);
    return MA_OK;
  }
  return ma_foreign_array(&f, versioned ? release_versioned : release_legacy, managed, array);
}
