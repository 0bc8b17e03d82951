/* operands.h: what every run over broadcast arrays asks of them: one device, a shape, results, strides. In ufunc.c. */
#ifndef MOONARRAY_OPERANDS_H
#define MOONARRAY_OPERANDS_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* The device of all; *device NULL at first. Results without a buffer are to be made and are passed over. */
ma_status ma_operands_device(int n, const ma_array *const *input, int nresult, ma_array *const *result, ma_device **device);
/* The broadcast shape of all; a given result must have it. */
ma_status ma_operands_shape(int n, const ma_array *const *input, int nresult, ma_array *const *result, int *ndim, int64_t *shape);
bool ma_operands_have_shape(const ma_array *a, int ndim, const int64_t *shape);
/* Of this shape, and in C order without gaps. */
static inline bool ma_operand_is_packed(const ma_array *array, int ndim, const int64_t *shape)
{
  int64_t step = ma_dtypes[array->dtype].itemsize;
  if (array->ndim != ndim)
    return false;
  for (int d = ndim - 1; d >= 0; d--) {
    if (array->shape[d] != shape[d] || (shape[d] != 1 && array->stride[d] != step))
      return false;
    step *= shape[d];
  }
  return true;
}
/* A new result, laid out as `model` (of that shape; NULL: in C order). */
ma_status ma_operands_new(ma_array *result, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape, const ma_array *model);
/* The same without memory: dtype, shape and strides. */
ma_status ma_operands_layout(ma_array *result, ma_dtype dtype, int ndim, const int64_t *shape, const ma_array *model);
const ma_array *ma_operands_model(int n, const ma_array *const *input, int ndim, const int64_t *shape);
/* The run itself, over operands that are checked. `deferred`: it may go by single operations while its kernel is compiled. */
ma_status ma_operands_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar, ma_array *const *result,
                          int ndim, const int64_t *shape, ma_stream *stream, bool deferred);
/* Its last step: runs what is laid out. *ran is false where the kernel is not there yet and single operations are to do (ma_program_step). */
ma_status ma_operands_map(const ma_map *map, ma_stream *stream, bool deferred, bool *ran);
/* As ma_program_run, with `deferred`; what it makes lies in memory as the first of the `nmodel` arrays of full shape does: the operands as the
** caller wrote them. */
ma_status ma_operands_run_like(const ma_program *program, const ma_array *const *input, const ma_value *scalar, ma_array *const *result,
                               ma_stream *stream, bool deferred, int nmodel, const ma_array *const *like);
/* In defer.c. Before pending programs are joined into one that writes given results: what is pending in these is computed. Done later, it would let
** go of arrays that the joined program still reads. `exchange`: not where all of the memory will be exchanged, which drops it. */
ma_status ma_operands_settle(int nresult, ma_array *const *result, bool exchange);
bool ma_operands_same(const ma_array *a, const ma_array *b);   /* the same elements in the same order */
void ma_operands_strides(const ma_array *array, int ndim, const int64_t *shape, int64_t *stride);

#pragma GCC visibility pop
#endif
