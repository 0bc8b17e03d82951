/* layout.h: in which order an array's elements lie in memory, and arrays that look at memory otherwise. */
#ifndef MOONARRAY_ARRAY_LAYOUT_H
#define MOONARRAY_ARRAY_LAYOUT_H

#include "array/array.h"

#pragma GCC visibility push(hidden)

/* NumPy's: by rows; by columns; by columns where the model lies so and by rows else; as the model lies. */
typedef enum ma_order { MA_ORDER_C, MA_ORDER_F, MA_ORDER_A, MA_ORDER_K } ma_order;

bool ma_array_is_fortran(const ma_array *array); /* without gaps, the first axis fastest */
/* Does it lie in the order? A: in either; K: always. */
bool ma_array_in_order(const ma_array *array, ma_order order);
/* The axes, outermost first. `model` is asked for A and K; NULL, or one of another number of axes, is by rows. */
void ma_order_axes(ma_order order, const ma_array *model, int ndim, int *axes);
/* The order in which NumPy reads elements "as they lie": as K, but repeats (steps of 0) keep their places. */
void ma_order_reading(const ma_array *array, int *axes);
/* Gives a fresh array, which lies by rows, the strides of another order of axes. */
void ma_array_lay_out(ma_array *array, const int *axes);

/* The same bytes as elements of another dtype: where the widths differ the last axis becomes longer or shorter. */
ma_status ma_array_reinterpret(ma_array *view, const ma_array *base, ma_dtype dtype);
/* What lies at `offset` in each row of bytes along the last axis, as elements of another dtype: n axes of them, side by
** side. The caller knows that they lie inside of a row. */
ma_status ma_array_field(ma_array *view, const ma_array *rows, ma_dtype dtype, int64_t offset, int n,
                         const int64_t *shape);
/* Strides in bytes from the base's first element on; an error if an element would lie outside the base's memory. An
** array whose elements may share bytes is read-only. */
ma_status ma_array_strided(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, const int64_t *stride);
/* All of the memory that an array looks into, as one axis of its dtype. */
ma_status ma_array_whole(ma_array *view, const ma_array *base);

#pragma GCC visibility pop
#endif
