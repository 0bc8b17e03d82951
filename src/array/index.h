/* index.h: what an item list makes of the axes of an array, for index.c and pick.c. */
#ifndef MOONARRAY_INDEX_H
#define MOONARRAY_INDEX_H

#include "array/array.h"

#pragma GCC visibility push(hidden)

/* The result of an item list: the axes that are kept, and the axes that arrays pick from. */
typedef struct ma_indexed {
  int ndim; /* kept axes */
  int64_t shape[MA_MAX_NDIM], stride[MA_MAX_NDIM], offset;
  int place; /* where the picked axes stand among the kept ones; -1: nothing is picked */
  int npicked;
  /* The arrays that pick, each with the first axis of the base (0-based) that it takes. */
  struct {
    const ma_array *array;
    int axis;
  } picked[MA_MAX_ITEMS];
} ma_indexed;

ma_status ma_index_start(ma_indexed *indexed, const ma_array *base, const ma_item *item, int nitem);
/* Makes `view` from the kept axes; takes a reference. */
void ma_index_close(const ma_indexed *indexed, const ma_array *base, ma_array *view);

#pragma GCC visibility pop
#endif
