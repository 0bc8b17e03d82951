/* operands.c: the device, shape, layout and strides of operands; operands.h has the contracts. */
#include "program/operands.h"

#include <string.h>

/* Finds the device for the work: that of the first array. The others must be there, or be reachable from there. */
ma_status ma_operands_device(int n, const ma_array *const *input, int nresult, ma_array *const *result,
                             ma_device **device) {
  for (int k = 0; k < n + nresult; k++) {
    const ma_array *array = k < n ? input[k] : result[k - n];
    if (!array->buffer) continue; /* a result to make */
    ma_device *its = array->buffer->device;
    if (!*device) *device = its;
    if (its != *device) MA_TRY(ma_device_meet(*device, its));
  }
  return MA_OK;
}

/* The broadcast of all shapes; a given result must have it already. */
ma_status ma_operands_shape(int n, const ma_array *const *input, int nresult, ma_array *const *result, int *ndim,
                            int64_t *shape) {
  *ndim = 0;
  bool any = false;
  for (int k = 0; k < n + nresult; k++) {
    const ma_array *array = k < n ? input[k] : result[k - n];
    if (!array->buffer) continue;
    if (!any) {
      *ndim = array->ndim;
      memcpy(shape, array->shape, array->ndim * sizeof *shape);
      any = true;
    } else if (!ma_array_has_shape(array, *ndim, shape)) {
      MA_TRY(ma_shape_broadcast(ndim, shape, array->ndim, array->shape));
    }
  }
  for (int k = 0; k < nresult; k++)
    if (result[k]->buffer && !ma_array_has_shape(result[k], *ndim, shape)) {
      char has[256], wants[256];
      return ma_fail(MA_ERR_VALUE, "out of shape %s; the result has shape %s",
                     ma_shape_print(result[k]->ndim, result[k]->shape, has, sizeof has),
                     ma_shape_print(*ndim, shape, wants, sizeof wants));
    }
  return MA_OK;
}

const ma_array *ma_operands_model(int n, const ma_array *const *input, int ndim, const int64_t *shape) {
  for (int k = 0; k < n; k++)
    if (ma_array_has_shape(input[k], ndim, shape)) return ma_array_is_contiguous(input[k]) ? NULL : input[k];
  return NULL;
}

bool ma_operands_lay_out(ma_array *result, ma_order order, const ma_array *model) {
  int axes[MA_MAX_NDIM];
  if (order == MA_ORDER_C || (!model && order != MA_ORDER_F)) return false;
  ma_order_axes(order, model, result->ndim, axes);
  ma_array_lay_out(result, axes);
  return true;
}

ma_status ma_operands_new(ma_array *result, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape,
                          const ma_array *model) {
  MA_TRY(ma_array_new(result, device, dtype, ndim, shape));
  ma_operands_lay_out(result, MA_ORDER_K, model);
  return MA_OK;
}

bool ma_operands_same(const ma_array *a, const ma_array *b) {
  return a->buffer == b->buffer && a->offset == b->offset && a->dtype == b->dtype &&
         ma_array_has_shape(a, b->ndim, b->shape) && !memcmp(a->stride, b->stride, a->ndim * sizeof *a->stride);
}
