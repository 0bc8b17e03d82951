/*
** body_reduce.c: runs reductions that the user wrote over arrays: shapes, results, and the types that cross to a
** backend. The types are resolved (params.c). The tree is that of kernels/reduce/reduce.h, so both devices give the
** same bits.
*/
#include "ops/ops.h"
#include "compile/body.h"
#include "compile/prepare.h"
#include "program/arrange.h"
#include "kernel/body_reduce.h"

#include <string.h>

static ma_status common_shape(const ma_program *program, const ma_array *const *input, int *ndim, int64_t *shape,
                              ma_device **device) {
  *ndim = 0;
  *device = NULL;
  for (int k = 0; k < program->ninput; k++) {
    MA_TRY(ma_shape_broadcast(ndim, shape, input[k]->ndim, input[k]->shape));
    ma_device *its = input[k]->buffer->device;
    if (!*device) *device = its;
    MA_TRY(ma_device_meet(*device, its));
  }
  return MA_OK;
}

/* Makes a missing result. `target` is the array that the kernel writes: a temporary if the result overlaps an input. */
static ma_status prepare(const ma_program *program, const ma_array *const *input, int ndim, const int64_t *shape,
                         ma_device *device, int k, ma_array *result, ma_array *made, ma_array **target) {
  ma_dtype dtype = ma_program_dtype(program, program->output[k]);
  char has[256], wants[256];
  *target = result;
  if (!result->buffer) return ma_array_new(result, device, dtype, ndim, shape);
  MA_TRY(ma_device_meet(device, result->buffer->device));
  if (result->dtype != dtype)
    return ma_fail(MA_ERR_TYPE, "out of dtype %s; wanted %s", ma_dtypes[result->dtype].name, ma_dtypes[dtype].name);
  if (result->ndim != ndim || memcmp(result->shape, shape, (size_t)ndim * sizeof *shape))
    return ma_fail(MA_ERR_VALUE, "out of shape %s; the result has shape %s",
                   ma_shape_print(result->ndim, result->shape, has, sizeof has),
                   ma_shape_print(ndim, shape, wants, sizeof wants));
  MA_TRY(ma_array_check_writable(result));
  bool detour = false;
  for (int j = 0; j < program->ninput && !detour; j++) detour = ma_array_overlaps(result, input[j]);
  if (!detour) return MA_OK;
  *target = made;
  return ma_array_new(made, device, dtype, ndim, shape);
}

/* Fills the operands' steps over the broadcast shape: results, inputs, the index. */
static ma_status read_operands(const ma_program *program, const ma_array *const *input, ma_array *const *target,
                               uint32_t axes, bool keepdims, ma_stream *stream, ma_space *all, void **data) {
  int nout = program->noutput;
  int64_t step = 1;
  for (int k = 0; k < nout; k++) {
    MA_TRY(ma_array_write(target[k], stream, &data[k]));
    for (int d = 0, at = 0; d < all->ndim; d++) {
      bool reduced = axes >> d & 1;
      all->stride[k][d] = reduced ? 0 : target[k]->stride[at];
      at += !reduced || keepdims;
    }
  }
  for (int k = 0; k < program->ninput; k++) {
    MA_TRY(ma_array_read(input[k], stream, (const void **)&data[nout + k]));
    for (int d = 0; d < all->ndim; d++) {
      int own = d - (all->ndim - input[k]->ndim);
      all->stride[nout + k][d] = own >= 0 && input[k]->shape[own] == all->shape[d] ? input[k]->stride[own] : 0;
    }
  }
  all->noperand = nout + program->ninput;
  if (!ma_body_get(program->body)->uses_index) return MA_OK;
  data[all->noperand] = NULL;
  for (int d = all->ndim - 1; d >= 0; d--) {
    all->stride[all->noperand][d] = step;
    step *= all->shape[d];
  }
  all->noperand++;
  return MA_OK;
}

static ma_status run(const ma_program *program, const ma_array *const *input, const ma_value *scalar, const ma_raw *raw,
                     int ndim, const int64_t *shape, uint32_t axes, bool keepdims, ma_array *const *target,
                     ma_stream *stream) {
  ma_reduction r = { .starts = NULL };
  ma_space all;
  r.program = program;
  r.raw = raw;
  r.count = r.total = 1;
  all.ndim = ndim;
  for (int d = 0; d < ndim; d++) {
    r.total *= shape[d];
    if (axes >> d & 1) r.count *= shape[d];
    all.shape[d] = shape[d] ? shape[d] : 1; /* the count says that there are no elements */
  }
  MA_TRY(read_operands(program, input, target, axes, keepdims, stream, &all, r.data));
  if (program->nscalar) memcpy(r.scalar, scalar, program->nscalar * sizeof *scalar);
  ma_reduce_arrange(&r, &all, program->noutput, axes);
  ma_prepare_work();
  return ma_prepare_worked(stream->device->backend->reduce.run(stream, &r));
}

ma_status ma_body_reduce(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         const ma_raw *raw, uint32_t axes, bool keepdims, ma_array *const *result, ma_stream *stream) {
  ma_array made[MA_MAX_OUTPUTS], *target[MA_MAX_OUTPUTS] = { NULL };
  bool fresh[MA_MAX_OUTPUTS];
  ma_device *device;
  int ndim, nkept = 0;
  int64_t shape[MA_MAX_NDIM], kept[MA_MAX_NDIM], count = 1;
  MA_TRY(common_shape(program, input, &ndim, shape, &device));
  for (int d = 0; d < ndim; d++) {
    bool reduced = axes >> d & 1;
    if (reduced) count *= shape[d];
    if (!reduced || keepdims) kept[nkept++] = reduced ? 1 : shape[d];
  }
  if (count == 0 && !*ma_body_get(program->body)->identity)
    return ma_fail(MA_ERR_VALUE, "no elements to reduce; %s has no identity, which would say what nothing gives",
                   ma_body_get(program->body)->name);
  if (device != stream->device) stream = ma_device_null_stream(device);
  for (int k = 0; k < program->noutput; k++) {
    made[k].buffer = NULL;
    fresh[k] = !result[k]->buffer;
  }
  ma_status status = MA_OK;
  for (int k = 0; k < program->noutput && status == MA_OK; k++)
    status = prepare(program, input, nkept, kept, device, k, result[k], &made[k], &target[k]);
  if (status == MA_OK && target[0]->size > 0)
    status = run(program, input, scalar, raw, ndim, shape, axes, keepdims, target, stream);
  for (int k = 0; k < program->noutput; k++) {
    if (status == MA_OK && made[k].buffer) status = ma_array_assign(result[k], &made[k], stream);
    ma_array_release(&made[k]);
  }
  for (int k = 0; k < program->noutput && status != MA_OK; k++)
    if (fresh[k]) ma_array_release(result[k]);
  return status;
}
