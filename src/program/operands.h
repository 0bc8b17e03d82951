/* operands.h: the device, shape, layout and strides of the operands of a run over broadcast arrays. */
#ifndef MOONARRAY_OPERANDS_H
#define MOONARRAY_OPERANDS_H

#include "array/layout.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Finds the one device of all; *device is NULL at first. A result without a buffer is skipped. */
ma_status ma_operands_device(int n, const ma_array *const *input, int nresult, ma_array *const *result,
                             ma_device **device);
/* The broadcast shape of all; a given result must have it already. */
ma_status ma_operands_shape(int n, const ma_array *const *input, int nresult, ma_array *const *result, int *ndim,
                            int64_t *shape);
/* Whether the array has this shape and is in C order without gaps. */
static inline bool ma_operand_is_packed(const ma_array *array, int ndim, const int64_t *shape) {
  int64_t step = ma_dtypes[array->dtype].itemsize;
  if (array->ndim != ndim) return false;
  for (int d = ndim - 1; d >= 0; d--) {
    if (array->shape[d] != shape[d] || (shape[d] != 1 && array->stride[d] != step)) return false;
    step *= shape[d];
  }
  return true;
}
static inline bool ma_operands_packed(int n, const ma_array *const *array, int ndim, const int64_t *shape) {
  for (int k = 0; k < n; k++)
    if (!ma_operand_is_packed(array[k], ndim, shape)) return false;
  return true;
}
/* Makes a result with the layout of `model`, which has the same shape (NULL: C order). */
ma_status ma_operands_new(ma_array *result, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape,
                          const ma_array *model);
/* Gives a result that is in C order its order. K and A are those of `model`; NULL: they are C. false: so is this. */
bool ma_operands_lay_out(ma_array *result, ma_order order, const ma_array *model);
/* The operand whose layout a new result gets: the first of full shape, so that a chain of transposed arrays stays
** contiguous. NULL: it lies in C order. */
const ma_array *ma_operands_model(int n, const ma_array *const *input, int ndim, const int64_t *shape);
bool ma_operands_same(const ma_array *a, const ma_array *b); /* whether both are the same elements in the same order */
static inline void ma_operands_strides(const ma_array *array, int ndim, const int64_t *shape, int64_t *stride) {
  int own = array->ndim, lead = ndim - own;
  for (int d = 0; d < lead; d++) stride[d] = 0;
  for (int d = 0; d < own; d++) stride[lead + d] = array->shape[d] == shape[lead + d] ? array->stride[d] : 0;
}

#pragma GCC visibility pop
#endif
