/* kept.c: factors of a sparse matrix on its device, with the arrays that they need. */
#include "ops/factors/kept.h"
#include "memory/graph.h"

#include <inttypes.h>
#include <stdlib.h>

struct ma_kept_factors {
  ma_device *device;
  void *made; /* of the backend */
  uint32_t generation;
  int64_t rows;
  ma_array part[3]; /* indptr, indices, data */
};

static bool is_there(const ma_kept_factors *f) {
  return f->generation == __atomic_load_n(&f->device->generation, __ATOMIC_ACQUIRE);
}

void ma_kept_factors_free(ma_kept_factors *f) {
  if (f->made) f->device->backend->factors.free(f->device, f->made, is_there(f));
  for (int k = 0; k < 3; k++) ma_array_release(&f->part[k]);
  free(f);
}

static bool is_taken(int dtype) {
  return dtype == MA_FLOAT32 || dtype == MA_FLOAT64 || dtype == MA_COMPLEX64 || dtype == MA_COMPLEX128;
}

static bool is_vector(const ma_array *a, int dtype, int64_t size) {
  return a->dtype == dtype && a->ndim == 1 && a->size == size && ma_array_is_contiguous(a);
}

static ma_status describe(const ma_sparse_parts *parts, ma_stream *stream, ma_sparse *a) {
  int64_t nnz = parts->data->size;
  int index = parts->indices->dtype;
  if (parts->rows != parts->columns || !is_taken(parts->data->dtype) || (index != MA_INT32 && index != MA_INT64) ||
      !is_vector(parts->data, parts->data->dtype, nnz) || !is_vector(parts->indices, index, nnz) ||
      !is_vector(parts->indptr, index, parts->rows + 1))
    return ma_fail(MA_ERR_TYPE, "arrays that are not those of a square matrix of floats");
  *a = (ma_sparse){ .dtype = (ma_dtype)parts->data->dtype,
                    .index = (ma_dtype)index,
                    .rows = parts->rows,
                    .columns = parts->columns,
                    .nnz = nnz };
  MA_TRY(ma_array_read(parts->indptr, stream, &a->indptr));
  MA_TRY(ma_array_read(parts->indices, stream, &a->indices));
  return ma_array_read(parts->data, stream, &a->data);
}

bool ma_kept_factors_there(ma_device *device) {
  return device->backend->factors.there && device->backend->factors.there(device);
}

ma_status ma_kept_factors_new(const ma_sparse_parts *parts, ma_stream *stream, ma_kept_factors **made) {
  ma_device *device = ma_array_device(parts->data);
  ma_sparse a;
  *made = NULL;
  if (parts->rows == 0 || !ma_kept_factors_there(device)) return MA_OK;
  MA_TRY(ma_capture_refuse_work(stream, "a factorisation"));
  MA_TRY(describe(parts, stream, &a));
  ma_kept_factors *f = calloc(1, sizeof *f);
  if (!f) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for factors");
  f->device = device;
  f->rows = parts->rows;
  f->generation = __atomic_load_n(&device->generation, __ATOMIC_ACQUIRE);
  const ma_array *from[3] = { parts->indptr, parts->indices, parts->data };
  for (int k = 0; k < 3; k++) ma_array_view(&f->part[k], from[k]);
  ma_status status = device->backend->factors.make(stream, &a, &f->made);
  if (status == MA_OK && f->made) *made = f;
  else ma_kept_factors_free(f);
  return status;
}

ma_status ma_kept_factors_solve(ma_kept_factors *f, const ma_array *b, ma_array *x, ma_stream *stream) {
  const void *from, *part;
  void *to;
  x->buffer = NULL;
  MA_TRY(ma_capture_refuse_work(stream, "a solution by factors"));
  if (!is_there(f))
    return ma_fail(MA_ERR_DEVICE, "factors on %s, which was reset since; make them anew", f->device->name);
  if (ma_array_device(b) != f->device) return ma_device_apart(f->device, ma_array_device(b));
  if (b->ndim != 2 || b->shape[1] != f->rows || b->dtype != f->part[2].dtype || !ma_array_is_contiguous(b))
    return ma_fail(MA_ERR_VALUE, "right sides that do not fit the factors of %" PRId64 " rows", f->rows);
  MA_TRY(ma_array_new(x, f->device, (ma_dtype)b->dtype, 2, b->shape));
  ma_status status = ma_array_read(b, stream, &from);
  for (int k = 0; k < 3 && status == MA_OK; k++) status = ma_array_read(&f->part[k], stream, &part);
  /* The data are not written, but solutions use memory of the factors. So those of several streams must wait for each
  ** other. */
  if (status == MA_OK) status = ma_buffer_use(f->part[2].buffer, stream, true);
  if (status == MA_OK) status = ma_array_write(x, stream, &to);
  if (status == MA_OK && b->size > 0)
    status = f->device->backend->factors.solve(stream, f->made, b->shape[0], from, to);
  if (status != MA_OK) ma_array_release(x);
  return status;
}
