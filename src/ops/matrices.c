/* matrices.c: brings arrays into the form of LAPACK and cuSOLVER, and reports failures. Results are in Fortran's
** order, as the libraries write them: each is the transposed view of an array in C order. */
#include "ops/ops.h"
#include "ops/matrices.h"

#include "memory/wait.h"
#include "memory/graph.h"
#include "tuning.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ma_arrays_release(int n, ma_array *const *array) {
  for (int k = 0; k < n; k++)
    if (array[k]) ma_array_release(array[k]);
}

ma_dtype ma_linalg_dtype(ma_dtype dtype) {
  if (ma_dtypes[dtype].kind < MA_KIND_FLOAT) return MA_FLOAT64;
  return dtype == MA_FLOAT16 || dtype == MA_BFLOAT16 ? MA_FLOAT32 : dtype;
}

ma_status ma_matrices_table(const ma_array *a, ma_stream *stream, const ma_linalg_slots **table) {
  ma_device *device = ma_array_device(a);
  if (ma_is_host(device)) /* cuSOLVER's factorisations can be recorded */
    MA_TRY(ma_capture_refuse_work(stream, "a factorisation"));
  *table = &device->backend->linalg;
  return (*table)->matmul
           ? MA_OK
           : ma_fail(MA_ERR_LIBRARY, "no linear algebra on %s; x:to(\"cpu\") moves an array", device->name);
}

void ma_matrices_swap(ma_array *a) {
  int i = a->ndim - 2, j = a->ndim - 1;
  int64_t shape = a->shape[i], stride = a->stride[i];
  a->shape[i] = a->shape[j], a->stride[i] = a->stride[j];
  a->shape[j] = shape, a->stride[j] = stride;
}

ma_status ma_matrices_new(ma_array *array, const ma_array *model, ma_dtype dtype, int64_t rows, int64_t columns) {
  int64_t shape[MA_MAX_NDIM];
  memcpy(shape, model->shape, model->ndim * sizeof *shape);
  shape[model->ndim - 2] = columns;
  shape[model->ndim - 1] = rows;
  MA_TRY(ma_array_new(array, ma_array_device(model), dtype, model->ndim, shape));
  ma_matrices_swap(array);
  return MA_OK;
}

ma_status ma_matrices_vectors(ma_array *array, const ma_array *model, ma_dtype dtype, int64_t n) {
  int64_t shape[MA_MAX_NDIM];
  memcpy(shape, model->shape, model->ndim * sizeof *shape);
  shape[model->ndim - 2] = n;
  return ma_array_new(array, ma_array_device(model), dtype, model->ndim - 1, shape);
}

ma_status ma_matrices_info(ma_array *info, const ma_array *model, ma_stream *stream) {
  MA_TRY(ma_matrices_new(info, model, MA_INT32, 1, 1));
  ma_status status = info->size ? ma_array_fill(info, (ma_value){ .i = 0 }, MA_INT64, stream) : MA_OK;
  if (status != MA_OK) ma_array_release(info);
  return status;
}

bool ma_matrices_is_fortran(const ma_array *a, ma_matrices *m) {
  int64_t item = ma_dtypes[a->dtype].itemsize, step = a->stride[a->ndim - 1];
  m->rows = ma_rows_of(a), m->columns = ma_columns_of(a), m->count = 1;
  if (m->rows > 1 && a->stride[a->ndim - 2] != item) return false;
  if (m->columns > 1 && (step < m->rows * item || step % item)) return false;
  m->ld = m->columns > 1 ? step / item : m->rows;
  m->step = m->ld * m->columns;
  for (int d = a->ndim - 3; d >= 0; d--) {
    if (a->shape[d] == 1) continue;
    if (m->count == 1) {
      if (a->stride[d] % item || a->stride[d] < m->ld * m->columns * item) return false;
      m->step = a->stride[d] / item;
    } else if (a->stride[d] != m->step * m->count * item) {
      return false;
    }
    m->count *= a->shape[d];
  }
  return true;
}

ma_status ma_matrices_take(const ma_array *a, ma_stream *stream, bool write, ma_matrices *m) {
  if (!ma_matrices_is_fortran(a, m)) return ma_fail(MA_ERR_INTERNAL, "matrices that do not lie in Fortran's order");
  const void *data;
  if (write) return ma_array_write((ma_array *)a, stream, &m->data);
  MA_TRY(ma_array_read(a, stream, &data));
  m->data = (void *)data;
  return MA_OK;
}

ma_status ma_matrices_copy(ma_array *copy, const ma_array *a, ma_dtype dtype, const ma_array *model,
                           ma_stream *stream) {
  MA_TRY(ma_matrices_new(copy, model ? model : a, dtype, ma_rows_of(a), ma_columns_of(a)));
  ma_status status = copy->size ? ma_array_assign(copy, a, stream) : MA_OK;
  if (status != MA_OK) ma_array_release(copy);
  return status;
}

ma_status ma_matrices_keep(ma_array *result, const ma_array *condition, bool negate, ma_value other,
                           ma_dtype other_dtype, ma_stream *stream) {
  ma_program program;
  ma_dtype dtype = (ma_dtype)result->dtype;
  ma_program_clear(&program);
  int c = ma_program_cast(&program, ma_program_input(&program, (ma_dtype)condition->dtype), MA_BOOL),
      x = ma_program_input(&program, dtype);
  int y = ma_program_scalar(&program, dtype);
  int args[] = { c, negate ? y : x, negate ? x : y };
  ma_program_output(&program, ma_program_emit(&program, MA_DO_choose, dtype, args));
  ma_value scalar = ma_value_cast(other, other_dtype, dtype);
  return ma_program_run(&program, (const ma_array *const[]){ condition, result }, &scalar, &result, stream);
}

ma_status ma_matrices_identity(ma_array *a, ma_stream *stream) {
  if (!a->size) return MA_OK;
  MA_TRY(ma_array_fill(a, (ma_value){ .i = 0 }, MA_INT64, stream));
  ma_array diagonal;
  ma_array_view(&diagonal, a);
  int d = --diagonal.ndim;
  int64_t n = ma_least(ma_rows_of(a), ma_columns_of(a));
  diagonal.stride[d - 1] += diagonal.stride[d];
  diagonal.size = n ? a->size / (ma_rows_of(a) * ma_columns_of(a)) * n : 0;
  diagonal.shape[d - 1] = n;
  ma_status status = ma_array_fill(&diagonal, (ma_value){ .i = 1 }, MA_INT64, stream);
  ma_array_release(&diagonal);
  return status;
}

/* ==== Failures ==================================================================================================== */

static ma_status tell(const ma_array *info, int64_t k, int32_t value, const char *failure) {
  char which[64];
  if (info->ndim == 2) snprintf(which, sizeof which, "the matrix");
  else snprintf(which, sizeof which, "matrix %" PRId64 " of the batch", k + 1);
  if (value == MA_NOT_FINITE)
    return ma_fail(MA_ERR_VALUE, "%s has elements that are not finite; {check = false} gives NaN for it", which);
  if (value < 0) return ma_fail(MA_ERR_LIBRARY, "%s: argument %d refused by the library", which, -value);
  return ma_fail(MA_ERR_VALUE, "%s %s", which, failure);
}

/* Whether any of the infos is not 0. It is found by a reduction on their device. */
static ma_status any_failed(const ma_array *info, bool *any, ma_stream *stream) {
  ma_array result = MA_NO_ARRAY;
  ma_program program;
  ma_value value = { .i = 0 };
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_input(&program, MA_INT32));
  ma_reduce_options options = { .axes = (1u << info->ndim) - 1, .dtype = MA_NDTYPE };
  MA_TRY(ma_reduce_run(MA_REDUCE_any, &program, &info, NULL, &options, &result, stream));
  ma_status status = ma_array_item(&result, stream, &value);
  ma_array_release(&result);
  *any = ma_value_cast(value, MA_BOOL, MA_INT64).i != 0;
  return status;
}

/* Turns infos into an error. Copying millions of infos from a device takes longer than factoring the matrices, so they
** are copied only if one is not 0. */
static ma_status check_info(const ma_array *info, const char *failure, ma_stream *stream) {
  ma_device *device = ma_array_device(info);
  size_t nbytes = (size_t)info->size * sizeof(int32_t);
  if (stream->capture)
    return ma_fail(MA_ERR_VALUE, "a check of the result, which waits, while a graph is recorded; {check = false}");
  const void *source;
  MA_TRY(ma_wait_check_array(info));
  if (!ma_is_host(device) && info->size > TUNE_FEW_INFOS) {
    bool any;
    MA_TRY(any_failed(info, &any, stream));
    if (!any) return MA_OK;
  }
  MA_TRY(ma_array_read(info, stream, &source));
  int32_t *host = malloc(nbytes);
  if (!host) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes", nbytes);
  ma_status status = device->backend->memory.copy(stream, host, source, nbytes, MA_COPY_TO_HOST);
  for (int64_t k = 0; status == MA_OK && k < info->size; k++)
    if (host[k]) status = tell(info, k, host[k], failure);
  free(host);
  return status;
}

ma_status ma_matrices_conclude(const ma_array *info, bool check, const char *failure, int n, ma_array *const *result,
                               unsigned vectors, ma_stream *stream) {
  if (check) return check_info(info, failure, stream);
  ma_array flat = *info; /* shares the reference */
  flat.ndim--;
  for (int k = 0; k < n; k++)
    if (result[k] && result[k]->buffer)
      MA_TRY(ma_matrices_keep(result[k], vectors >> k & 1 ? &flat : info, true, (ma_value){ .c = { NAN, NAN } },
                              MA_COMPLEX128, stream));
  return MA_OK;
}
