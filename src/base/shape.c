/* shape.c: extents and strides: sizes, broadcasting, and collapsing an iteration space to the fewest axes. */
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ma_status ma_shape_size(int ndim, const int64_t *shape, size_t itemsize, int64_t *size) {
  int64_t n = 1;
  bool empty = false;
  for (int d = 0; d < ndim; d++) {
    if (shape[d] < 0) return ma_fail(MA_ERR_VALUE, "extent %" PRId64 "; a shape has no negative extents", shape[d]);
    if (shape[d] == 0) empty = true;
    /* The other extents of an empty array must be addressable too: strides are products of them. */
    else if (__builtin_mul_overflow(n, shape[d], &n) || n > INT64_MAX / (int64_t)itemsize)
      return ma_fail(MA_ERR_VALUE, "a shape of too many elements; its bytes must be countable in 63 bits");
  }
  *size = empty ? 0 : n;
  return MA_OK;
}

void ma_shape_contiguous(int ndim, const int64_t *shape, size_t itemsize, int64_t *stride) {
  int64_t step = (int64_t)itemsize;
  for (int d = ndim - 1; d >= 0; d--) {
    stride[d] = step;
    step *= shape[d] ? shape[d] : 1;
  }
}

const char *ma_shape_print(int ndim, const int64_t *shape, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "(");
  for (int d = 0; d < ndim && used < size; d++)
    used += (size_t)snprintf(text + used, size - used, d ? ", %" PRId64 : "%" PRId64, shape[d]);
  if (used < size) snprintf(text + used, size - used, ndim == 1 ? ",)" : ")");
  return text;
}

ma_status ma_shape_broadcast(int *ndim, int64_t *shape, int other_ndim, const int64_t *other) {
  int n = *ndim > other_ndim ? *ndim : other_ndim;
  int64_t result[MA_MAX_NDIM];
  for (int d = 1; d <= n; d++) { /* from the last axis on */
    int64_t a = d <= *ndim ? shape[*ndim - d] : 1;
    int64_t b = d <= other_ndim ? other[other_ndim - d] : 1;
    if (a != b && a != 1 && b != 1) {
      char first[256], second[256];
      return ma_fail(MA_ERR_VALUE, "shapes %s and %s do not broadcast; extents must be equal or 1",
                     ma_shape_print(*ndim, shape, first, sizeof first),
                     ma_shape_print(other_ndim, other, second, sizeof second));
    }
    result[n - d] = a == 1 ? b : a;
  }
  memcpy(shape, result, (size_t)n * sizeof *shape);
  *ndim = n;
  return MA_OK;
}

ma_status ma_shape_axis(int64_t position, int ndim, int *axis) {
  if (position == 0 || position > ndim || position < -ndim) {
    if (ndim == 0) return ma_fail(MA_ERR_VALUE, "axis %" PRId64 " of a 0-d array; it has no axes", position);
    return ma_fail(MA_ERR_VALUE, "axis %" PRId64 " of an array with %d ax%s; axes are 1..%d or -%d..-1", position, ndim,
                   ndim == 1 ? "is" : "es", ndim, ndim);
  }
  *axis = (int)(position > 0 ? position - 1 : ndim + position);
  return MA_OK;
}

/* ==== Collapsing ================================================================================================= */

static void drop_axis(ma_space *space, int axis) {
  for (int d = axis; d + 1 < space->ndim; d++) {
    space->shape[d] = space->shape[d + 1];
    for (int k = 0; k < space->noperand; k++) space->stride[k][d] = space->stride[k][d + 1];
  }
  space->ndim--;
}

static void swap_axes(ma_space *space, int a, int b) {
  int64_t extent = space->shape[a];
  space->shape[a] = space->shape[b];
  space->shape[b] = extent;
  for (int k = 0; k < space->noperand; k++) {
    int64_t step = space->stride[k][a];
    space->stride[k][a] = space->stride[k][b];
    space->stride[k][b] = step;
  }
}

/* The first operand that moves along an axis sets its direction. */
static void flip_axis(ma_space *space, int axis, int64_t *flip) {
  for (int k = 0; k < space->noperand; k++) {
    if (space->stride[k][axis] == 0) continue;
    if (space->stride[k][axis] > 0) return;
    break;
  }
  for (int k = 0; k < space->noperand; k++) {
    flip[k] += space->stride[k][axis] * (space->shape[axis] - 1);
    space->stride[k][axis] = -space->stride[k][axis];
  }
}

/* Whether axis a should be outside axis b. The first operand decides for which both steps matter and differ. */
static bool lies_outside(const ma_space *space, int a, int b) {
  for (int k = 0; k < space->noperand; k++) {
    int64_t sa = ma_magnitude(space->stride[k][a]), sb = ma_magnitude(space->stride[k][b]);
    if (sa != sb && sa != 0 && sb != 0) return sa > sb;
    if (k == 0 && sa != sb) return sa > sb; /* a broadcast axis of a result (stride 0) goes innermost */
  }
  return false;
}

void ma_space_copy(ma_space *to, const ma_space *from) {
  memcpy(to, from, offsetof(ma_space, stride) + (size_t)from->noperand * sizeof *from->stride);
}

/* Removes the axes of extent 1; true: there is one of extent 0, and the space is empty. */
static bool drop_short_axes(ma_space *space) {
  for (int d = 0; d < space->ndim; d++)
    if (space->shape[d] == 0) {
      space->ndim = 1;
      space->shape[0] = 0;
      for (int k = 0; k < space->noperand; k++) space->stride[k][0] = 0;
      return true;
    }
  for (int d = space->ndim - 1; d >= 0; d--)
    if (space->shape[d] == 1) drop_axis(space, d);
  return false;
}

/* Whether the steps of all operands go on from axis d + 1 to axis d. */
static inline bool runs_on(const ma_space *space, int d, int nall) {
  int64_t extent = space->shape[d + 1];
  for (int k = 0; k < nall; k++)
    if (space->stride[k][d] != space->stride[k][d + 1] * extent) return false;
  return true;
}

void ma_space_collapse(ma_space *space, bool sort, int64_t *flip) {
  int nall = space->noperand;
  bool are_short = false;
  for (int k = 0; flip && k < nall; k++) flip[k] = 0;
  for (int d = 0, ndim = space->ndim; d < ndim; d++) are_short |= space->shape[d] < 2;
  if (are_short && drop_short_axes(space)) return;
  if (sort) {
    for (int d = 0; d < space->ndim; d++)
      if (space->stride[0][d] <= 0) flip_axis(space, d, flip);
    for (int d = 1; d < space->ndim; d++) /* insertion sort: stable, and the axes are usually almost sorted */
      for (int e = d; e > 0 && lies_outside(space, e, e - 1); e--) swap_axes(space, e, e - 1);
  }
  for (int d = space->ndim - 2; d >= 0; d--)
    if (runs_on(space, d, nall)) {
      space->shape[d + 1] *= space->shape[d];
      drop_axis(space, d);
    }
  if (space->ndim == 0) {
    space->ndim = 1;
    space->shape[0] = 1;
    for (int k = 0; k < nall; k++) space->stride[k][0] = 0;
  }
}
