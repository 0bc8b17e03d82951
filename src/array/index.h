/*
** index.h: what index.c and pick.c share: the walk of an item list over an array's axes.
*/
#ifndef MOONARRAY_INDEX_H
#define MOONARRAY_INDEX_H

#include "array/array.h"

#pragma GCC visibility push(hidden)

/* What remains of an array once an item list is applied: the kept axes, and the axes that arrays pick from. */
typedef struct ma_index_walk {
  int ndim; /* kept axes */
  int64_t shape[MA_MAX_NDIM], stride[MA_MAX_NDIM], offset;
  int place; /* the picked axes' place among the kept ones; -1 where nothing is picked */
  int npicked;
  /* axis: the first of the base that it takes, from 0 */
  struct {
    const ma_array *array;
    int axis;
  } picked[MA_MAX_ITEMS];
} ma_index_walk;

ma_status ma_index_start(ma_index_walk *walk, const ma_array *base, const ma_item *item, int nitem);
/* Makes `view` of the kept axes; takes a reference. */
void ma_index_close(const ma_index_walk *walk, const ma_array *base, ma_array *view);

#pragma GCC visibility pop
#endif
