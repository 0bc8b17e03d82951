/* array.h: arrays, the two ways to their memory, views, and indices as they are written. */
#ifndef MOONARRAY_ARRAY_ARRAY_H
#define MOONARRAY_ARRAY_ARRAY_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

/* ==== array.c, view.c: arrays and views =========================================================================== */

/* Fill a caller's struct (every field above, no more than ndim extents). On failure `array->buffer` is NULL. */
ma_status ma_array_new(ma_array *array, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape);
/* all of it but the memory: buffer is NULL */
ma_status ma_array_shape(ma_array *array, ma_dtype dtype, int ndim, const int64_t *shape);
/* ndim, size and extents, no strides */
void ma_array_set_shape(ma_array *array, int ndim, const int64_t *shape, int64_t size);
void ma_array_view(ma_array *view, const ma_array *base); /* same elements; takes a reference */
void ma_array_release(ma_array *array);                   /* drops the reference; harmless twice */
ma_device *ma_array_device(const ma_array *array);
bool ma_array_is_contiguous(const ma_array *array);
bool ma_array_has_shape(const ma_array *array, int ndim, const int64_t *shape);
bool ma_array_overlaps(const ma_array *a, const ma_array *b); /* may share bytes (bounds test) */

/* The only two ways to an array's memory, for work on `stream` (NULL: the host, on a CPU array). The order with other
** streams is made here, and deferred evaluation hooks in here: a pending array is computed before it is read, and
** programs that are still to read what is written keep the old values. No address that was had before changes by it. */
ma_status ma_array_read(const ma_array *array, ma_stream *stream, const void **address);
ma_status ma_array_write(ma_array *array, ma_stream *stream, void **address);
ma_status ma_array_check_writable(const ma_array *array); /* an error if it is read-only */

/* Views. `view` may not be `base`. Each takes a reference on the buffer. */
ma_status ma_array_broadcast(ma_array *view, const ma_array *base, int ndim, const int64_t *shape); /* read-only view */
ma_status ma_array_transpose(ma_array *view, const ma_array *base, const int *axes);                /* NULL: reversed */
/* `shape` may hold one -1; `full` gets it without. Where the strides allow no view, view->buffer is NULL. */
ma_status ma_array_reshape_view(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, int64_t *full);
/* real or imaginary half of a complex array */
ma_status ma_array_part(ma_array *view, const ma_array *base, bool imaginary);

/* ==== index.c: the indexing grammar =============================================================================== */

/* One item of an index as written: positions and ends are 1-based, negatives count from the end and are not yet
** resolved. */
typedef enum ma_item_kind {
  MA_ITEM_POSITION, /* `lo`: drops the axis */
  MA_ITEM_RANGE,    /* the positions that `for i = lo, hi, step` visits; ends may be open */
  MA_ITEM_REST,     /* "...": whole axes, as many as are missing */
  MA_ITEM_NEWAXIS,  /* a new axis of extent 1 */
  MA_ITEM_ARRAY     /* positions (an integer dtype) or a mask (bool) over as many axes as it has */
} ma_item_kind;
#define MA_OPEN_LO 1 /* from the first (the last for a negative step) */
#define MA_OPEN_HI 2 /* to the last (the first for a negative step) */
#define MA_MAX_ITEMS (2 * MA_MAX_NDIM + 1)
typedef struct ma_item {
  uint8_t kind, open;
  int64_t lo, hi, step;
  const ma_array *array;
} ma_item;

/* The view that items without arrays select. Host-known positions out of range are an error here. */
ma_status ma_index_view(ma_array *view, const ma_array *base, const ma_item *item, int nitem);
/* A position known to the host -> the offset from 0, or the error that names the axis (from 1) and its extent. */
ma_status ma_index_position(int64_t position, int64_t extent, int axis, int64_t *offset);

#pragma GCC visibility pop
#endif
