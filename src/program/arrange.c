/* arrange.c: the iteration space of a reduction or scan. The kept axes come first, in any order. The reduced axes
** follow in C order, on which the result depends. Neighbouring axes that merge for every operand are joined. */
#include "program/arrange.h"

static void copy_axis(ma_space *to, int at, const ma_space *from, int d) {
  to->shape[at] = from->shape[d];
  for (int k = 0; k < to->noperand; k++) to->stride[k][at] = from->stride[k][d];
}

/* Whether kept axis a is to lie outside of b. The inputs' steps decide, so that the innermost axis has small steps in
** memory. The first `nresult` operands are results. */
static bool lies_outside(const ma_space *space, int nresult, int a, int b) {
  for (int k = 0; k < space->noperand; k++) { /* the inputs, then the results */
    int j = (nresult + k) % space->noperand;
    int64_t sa = ma_magnitude(space->stride[j][a]), sb = ma_magnitude(space->stride[j][b]);
    if (sa != sb) return sa > sb;
  }
  return false;
}

/* Whether axes d and d + 1 merge for every operand. */
static bool runs_on(const ma_space *space, int d) {
  for (int k = 0; k < space->noperand; k++)
    if (space->stride[k][d] != space->stride[k][d + 1] * space->shape[d + 1]) return false;
  return true;
}

/* Appends axis d of `from` to `space`, joined with the last axis if they merge and are in the same group. */
static void append_axis(ma_space *space, int group, const ma_space *from, int d) {
  if (from->shape[d] == 1) return;
  copy_axis(space, space->ndim++, from, d);
  if (space->ndim - 2 >= group && runs_on(space, space->ndim - 2)) {
    int64_t extent = space->shape[space->ndim - 2] * space->shape[space->ndim - 1];
    copy_axis(space, space->ndim - 2, space, space->ndim - 1);
    space->shape[--space->ndim - 1] = extent;
  }
}

static void close_group(ma_space *space, int group) {
  if (space->ndim > group) return;
  space->shape[space->ndim] = 1;
  for (int k = 0; k < space->noperand; k++) space->stride[k][space->ndim] = 0;
  space->ndim++;
}

/* Turns axes of `mask` so that the inputs' steps along them are positive. */
static void flip_axes(ma_space *all, int nresult, uint32_t mask, void **data) {
  for (int d = 0; d < all->ndim; d++) {
    int k = nresult;
    while (k < all->noperand && all->stride[k][d] == 0) k++;
    if (!(mask >> d & 1) || k == all->noperand || all->stride[k][d] > 0) continue;
    for (k = 0; k < all->noperand; k++) {
      data[k] = (char *)data[k] + all->stride[k][d] * (all->shape[d] - 1);
      all->stride[k][d] = -all->stride[k][d];
    }
  }
}

/* Lists the axes of `mask`, outermost first; returns their number. */
static int sort_axes(const ma_space *all, int nresult, uint32_t mask, int *order) {
  int n = 0;
  for (int d = 0; d < all->ndim; d++) {
    if (!(mask >> d & 1) || all->shape[d] == 1) continue;
    int at = n++;
    for (; at > 0 && lies_outside(all, nresult, d, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = d;
  }
  return n;
}

/* Writes the axes of `mask` as the first group of `space`; returns the number of axes after joining. */
static int arrange_kept(ma_space *space, ma_space *all, int nresult, uint32_t mask, void **data) {
  int order[MA_MAX_NDIM];
  flip_axes(all, nresult, mask, data);
  space->ndim = 0;
  int nkept = sort_axes(all, nresult, mask, order);
  for (int k = 0; k < nkept; k++) append_axis(space, 0, all, order[k]);
  close_group(space, 0);
  return space->ndim;
}

void ma_reduce_arrange(ma_reduction *reduction, ma_space *all, int nresult, uint32_t axes) {
  ma_space *space = &reduction->space;
  space->noperand = all->noperand;
  reduction->nkept = arrange_kept(space, all, nresult, ~axes, reduction->data);
  for (int d = 0; d < all->ndim; d++)
    if (axes >> d & 1) append_axis(space, reduction->nkept, all, d);
  close_group(space, reduction->nkept);
}

void ma_scan_arrange(ma_scan *scan, ma_space *all, int axis) {
  ma_space *space = &scan->space;
  space->noperand = all->noperand;
  int nkept = arrange_kept(space, all, 1, ~(1u << axis), scan->data);
  append_axis(space, nkept, all, axis);
  close_group(space, nkept);
}

void ma_space_reach(const ma_space *space, int k, size_t itemsize, int64_t *low, int64_t *high) {
  *low = 0;
  *high = (int64_t)itemsize;
  for (int d = 0; d < space->ndim; d++) {
    int64_t far = (space->shape[d] - 1) * space->stride[k][d];
    *(far < 0 ? low : high) += far;
  }
}
