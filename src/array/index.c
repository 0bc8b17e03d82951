/*
** index.c: applies an index without arrays to an array and makes a view. An item list is as the user wrote it:
** positions are 1-based, negatives count from the end. pick.c handles integer arrays and masks; it shares
** ma_indexed.
*/
#include "array/index.h"

#include <inttypes.h>
#include <stdio.h>

/* Number of the array's axes that `item` takes. */
static int item_axes(const ma_item *item) {
  switch (item->kind) {
  case MA_ITEM_POSITION:
  case MA_ITEM_RANGE: return 1;
  case MA_ITEM_ARRAY: return item->array->dtype == MA_BOOL ? item->array->ndim : 1;
  default: return 0;
  }
}

ma_status ma_index_position(int64_t position, int64_t extent, int axis, int64_t *offset) {
  if (position > 0 && position <= extent) *offset = position - 1;
  else if (position < 0 && position >= -extent) *offset = extent + position;
  else if (extent == 0) return ma_fail(MA_ERR_INDEX, "position %" PRId64 " on axis %d, which is empty", position, axis);
  else
    return ma_fail(MA_ERR_INDEX,
                   "position %" PRId64 " on axis %d; positions there are 1 to %" PRId64 ", or -%" PRId64
                   " to -1 from the end",
                   position, axis, extent, extent);
  return MA_OK;
}

/* Resolves the positions that `for i = lo, hi, step` visits: the first, 0-based, and their number. */
static ma_status resolve_range(const ma_item *item, int64_t extent, int axis, int64_t *first, int64_t *count) {
  int64_t step = item->step, lo, hi, last;
  lo = item->open & MA_OPEN_LO ? (step > 0 ? 1 : extent) : item->lo < 0 ? item->lo + extent + 1 : item->lo;
  hi = item->open & MA_OPEN_HI ? (step > 0 ? extent : 1) : item->hi < 0 ? item->hi + extent + 1 : item->hi;
  *first = 0, *count = 0;
  if (step > 0 ? lo > hi : lo < hi) return MA_OK;
  *count = step > 0 ? (hi - lo) / step + 1 : (int64_t)((uint64_t)(lo - hi) / (0 - (uint64_t)step)) + 1;
  last = lo + (*count - 1) * step;
  if (lo < 1 || lo > extent || last < 1 || last > extent)
    return ma_fail(MA_ERR_INDEX,
                   "a range that visits position %" PRId64 " on axis %d; positions there are 1 to %" PRId64,
                   lo < 1 || lo > extent ? lo : last, axis, extent);
  *first = lo - 1;
  return MA_OK;
}

static ma_status too_many(const ma_item *item, int nitem, int used, int ndim) {
  if (ndim == 1 && nitem == 2 && item[0].kind == MA_ITEM_POSITION && item[1].kind == MA_ITEM_POSITION)
    return ma_fail(MA_ERR_INDEX, "two positions for one axis; a range is v[{ {%" PRId64 ", %" PRId64 "} }]", item[0].lo,
                   item[1].lo);
  char list[200];
  size_t at = 0;
  int k = 0;
  for (; k < nitem && item[k].kind == MA_ITEM_POSITION && at + 24 < sizeof list; k++)
    at += (size_t)snprintf(list + at, sizeof list - at, k ? ", %" PRId64 : "%" PRId64, item[k].lo);
  if (k == nitem)
    return ma_fail(MA_ERR_INDEX, "an index for %d axes; the array has %d (a list of positions is a[ma.index{%s}])",
                   used, ndim, list);
  return ma_fail(MA_ERR_INDEX, "an index for %d axes; the array has %d", used, ndim);
}

/* Adds a kept axis to `indexed`. */
static ma_status keep_axis(ma_indexed *indexed, int64_t extent, int64_t stride) {
  if (indexed->ndim == MA_MAX_NDIM)
    return ma_fail(MA_ERR_INDEX, "an index that makes more than %d axes; that is the most an array has", MA_MAX_NDIM);
  indexed->shape[indexed->ndim] = extent;
  indexed->stride[indexed->ndim++] = stride;
  return MA_OK;
}

ma_status ma_index_start(ma_indexed *indexed, const ma_array *base, const ma_item *item, int nitem) {
  int used = 0, rest = 0, axis = 0;
  /* next to arrays, a single position counts as a picked axis too, which decides the place of the picked axes as in
  ** NumPy */
  bool picks = false;
  for (int k = 0; k < nitem; k++) {
    used += item_axes(&item[k]);
    rest += item[k].kind == MA_ITEM_REST;
    picks |= item[k].kind == MA_ITEM_ARRAY;
  }
  if (rest > 1) return ma_fail(MA_ERR_INDEX, "%d times '...'; an index has at most one", rest);
  if (used > base->ndim) return too_many(item, nitem, used, base->ndim);
  indexed->ndim = indexed->npicked = 0;
  indexed->offset = base->offset;
  indexed->place = -1;
  bool apart = false; /* a kept axis stands between two picked ones */
  int kept_after = 0;
  for (int k = 0; k < nitem; k++) {
    const ma_item *it = &item[k];
    if (it->kind == MA_ITEM_POSITION) {
      int64_t at = 0;
      MA_TRY(ma_index_position(it->lo, base->shape[axis], axis + 1, &at));
      indexed->offset += at * base->stride[axis++];
    } else if (it->kind == MA_ITEM_RANGE) {
      int64_t first, count;
      if (it->open == (MA_OPEN_LO | MA_OPEN_HI) && it->step == 1) first = 0, count = base->shape[axis];
      else MA_TRY(resolve_range(it, base->shape[axis], axis + 1, &first, &count));
      indexed->offset += first * base->stride[axis];
      MA_TRY(keep_axis(indexed, count, count > 1 ? base->stride[axis] * it->step : base->stride[axis]));
      axis++;
    } else if (it->kind == MA_ITEM_REST) {
      for (int n = base->ndim - used; n > 0; n--, axis++)
        MA_TRY(keep_axis(indexed, base->shape[axis], base->stride[axis]));
    } else if (it->kind == MA_ITEM_NEWAXIS) {
      MA_TRY(keep_axis(indexed, 1, 0));
    } else {
      indexed->picked[indexed->npicked].array = it->array;
      indexed->picked[indexed->npicked++].axis = axis;
      axis += item_axes(it);
    }
    if (!picks) continue;
    if (it->kind == MA_ITEM_POSITION || it->kind == MA_ITEM_ARRAY) {
      if (indexed->place < 0) indexed->place = indexed->ndim;
      else if (kept_after) apart = true;
      kept_after = 0;
    } else kept_after = 1;
  }
  if (!rest)
    for (; axis < base->ndim; axis++) MA_TRY(keep_axis(indexed, base->shape[axis], base->stride[axis]));
  if (apart) indexed->place = 0;
  return MA_OK;
}

ma_status ma_index_view(ma_array *view, const ma_array *base, const ma_item *item, int nitem) {
  ma_indexed indexed;
  MA_TRY(ma_index_start(&indexed, base, item, nitem));
  if (indexed.npicked) return ma_fail(MA_ERR_INTERNAL, "an index with arrays; a view has none");
  ma_index_close(&indexed, base, view);
  return MA_OK;
}

void ma_index_close(const ma_indexed *indexed, const ma_array *base, ma_array *view) {
  view->magic = MA_ARRAY_MAGIC;
  view->dtype = base->dtype;
  view->ndim = (uint8_t)indexed->ndim;
  view->readonly = base->readonly;
  view->is_view = 1;
  view->offset = indexed->offset;
  view->size = 1;
  for (int d = 0; d < indexed->ndim; d++) {
    view->shape[d] = indexed->shape[d];
    view->stride[d] = indexed->stride[d];
    view->size *= indexed->shape[d];
  }
  if (view->size == 0) view->offset = base->offset;
  view->buffer = base->buffer;
  if (view->buffer) ma_buffer_retain(view->buffer);
}
