/* view.c: views of arrays. They compute a shape and strides and touch no element. */
#include "array/array.h"

#include <inttypes.h>
#include <string.h>

ma_status ma_array_broadcast(ma_array *view, const ma_array *base, int ndim, const int64_t *shape) {
  view->buffer = NULL;
  int64_t size;
  MA_TRY(ma_shape_size(ndim, shape, ma_dtypes[base->dtype].itemsize, &size));
  bool fits = base->ndim <= ndim, repeats = false;
  for (int d = 1; fits && d <= base->ndim; d++)
    fits = base->shape[base->ndim - d] == shape[ndim - d] || base->shape[base->ndim - d] == 1;
  if (!fits) {
    char from[256], to[256];
    return ma_fail(MA_ERR_VALUE, "shape %s does not broadcast to %s; extents must be equal or 1",
                   ma_shape_print(base->ndim, base->shape, from, sizeof from),
                   ma_shape_print(ndim, shape, to, sizeof to));
  }
  ma_array_view(view, base);
  int lead = ndim - base->ndim;
  for (int d = ndim - 1; d >= 0; d--) {
    bool same = d >= lead && base->shape[d - lead] == shape[d];
    view->stride[d] = same ? base->stride[d - lead] : 0;
    repeats |= !same;
  }
  ma_array_set_shape(view, ndim, shape, size);
  if (repeats) view->readonly |= MA_REPEATS;
  return MA_OK;
}

ma_status ma_array_transpose(ma_array *view, const ma_array *base, const int *axes) {
  view->buffer = NULL;
  uint32_t seen = 0;
  for (int d = 0; axes && d < base->ndim; d++) {
    if (axes[d] < 0 || axes[d] >= base->ndim || seen >> axes[d] & 1)
      return ma_fail(MA_ERR_VALUE, "axes that are no permutation; each of 1..%d is wanted once", base->ndim);
    seen |= 1u << axes[d];
  }
  ma_array_view(view, base);
  for (int d = 0; d < base->ndim; d++) {
    int from = axes ? axes[d] : base->ndim - 1 - d;
    view->shape[d] = base->shape[from];
    view->stride[d] = base->stride[from];
  }
  return MA_OK;
}

/* Replaces a -1 in a shape, and compares its size with the base's. */
static ma_status complete_shape(const ma_array *base, int ndim, const int64_t *shape, int64_t *full) {
  int unknown = -1;
  int64_t known = 1;
  for (int d = 0; d < ndim; d++) {
    full[d] = shape[d];
    if (shape[d] == -1 && unknown < 0) unknown = d;
    else if (shape[d] < 0)
      return ma_fail(MA_ERR_VALUE, shape[d] == -1 ? "more than one -1 in a shape; one extent can be worked out"
                                                  : "a negative extent; a shape has none but one -1");
    else if (__builtin_mul_overflow(known, shape[d], &known))
      return ma_fail(MA_ERR_VALUE, "a shape of too many elements; the array has %" PRId64, base->size);
  }
  if (unknown >= 0 && known > 0 && base->size % known == 0) full[unknown] = base->size / known;
  if (unknown >= 0 ? known == 0 || base->size % known != 0 : known != base->size) {
    char from[256], to[256];
    return ma_fail(MA_ERR_VALUE,
                   "shape %s of %" PRId64 " elements cannot become %s; the number of elements must be the same",
                   ma_shape_print(base->ndim, base->shape, from, sizeof from), base->size,
                   ma_shape_print(ndim, shape, to, sizeof to));
  }
  return MA_OK;
}

/* Finds strides of `shape` over base's memory without a copy, or returns false. Groups of base's axes are matched
** with groups of new axes of equal size. A group can be split or joined only if its base axes merge into one. */
static bool restride(const ma_array *base, int ndim, const int64_t *shape, int64_t *stride) {
  int64_t old_shape[MA_MAX_NDIM], old_stride[MA_MAX_NDIM];
  int nold = 0;
  for (int d = 0; d < base->ndim; d++)
    if (base->shape[d] != 1) {
      old_shape[nold] = base->shape[d];
      old_stride[nold++] = base->stride[d];
    }
  int from = 0, to = 0;
  while (from < nold && to < ndim) {
    int from_end = from + 1, to_end = to + 1;
    int64_t old_count = old_shape[from], new_count = shape[to];
    while (old_count != new_count) {
      if (new_count < old_count) new_count *= shape[to_end++];
      else old_count *= old_shape[from_end++];
    }
    for (int d = from; d + 1 < from_end; d++)
      if (old_stride[d] != old_stride[d + 1] * old_shape[d + 1]) return false;
    stride[to_end - 1] = old_stride[from_end - 1];
    for (int d = to_end - 1; d > to; d--) stride[d - 1] = stride[d] * shape[d];
    from = from_end;
    to = to_end;
  }
  for (; to < ndim; to++) /* the remaining axes have extent 1 */
    stride[to] = ma_dtypes[base->dtype].itemsize;
  return true;
}

ma_status ma_array_reshape_view(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, int64_t *full) {
  int64_t stride[MA_MAX_NDIM];
  view->buffer = NULL;
  if (ndim > MA_MAX_NDIM) return ma_fail(MA_ERR_VALUE, "%d axes; an array has at most %d", ndim, MA_MAX_NDIM);
  MA_TRY(complete_shape(base, ndim, shape, full));
  if (base->size == 0 || ma_array_is_contiguous(base))
    ma_shape_contiguous(ndim, full, ma_dtypes[base->dtype].itemsize, stride);
  else if (!restride(base, ndim, full, stride)) return MA_OK;
  ma_array_view(view, base);
  ma_array_set_shape(view, ndim, full, base->size);
  memcpy(view->stride, stride, (size_t)ndim * sizeof *stride);
  return MA_OK;
}

ma_status ma_array_part(ma_array *view, const ma_array *base, bool imaginary) {
  view->buffer = NULL;
  if (ma_dtypes[base->dtype].kind != MA_KIND_COMPLEX)
    return ma_fail(MA_ERR_TYPE, "dtype %s; a complex array has two parts", ma_dtypes[base->dtype].name);
  ma_array_view(view, base);
  view->dtype = (uint8_t)ma_dtype_real((ma_dtype)base->dtype);
  if (imaginary) view->offset += ma_dtypes[view->dtype].itemsize;
  return MA_OK;
}
