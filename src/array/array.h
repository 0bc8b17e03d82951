/* array.h: arrays, the two ways to their memory, views, and indices as they are written. */
#ifndef MOONARRAY_ARRAY_ARRAY_H
#define MOONARRAY_ARRAY_ARRAY_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

/* ==== array.c, view.c: arrays and views =========================================================================== */

/* Fills a caller's struct: every field, but only the first ndim extents. On failure `array->buffer` is NULL. */
ma_status ma_array_new(ma_array *array, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape);
/* Fills everything but the memory: buffer is NULL. */
ma_status ma_array_shape(ma_array *array, ma_dtype dtype, int ndim, const int64_t *shape);
/* Sets ndim, size and extents, but no strides. */
void ma_array_set_shape(ma_array *array, int ndim, const int64_t *shape, int64_t size);
void ma_array_view(ma_array *view, const ma_array *base); /* the same elements; takes a reference */
void ma_array_release(ma_array *array);                   /* drops the reference; harmless if called twice */
ma_device *ma_array_device(const ma_array *array);
bool ma_array_is_contiguous(const ma_array *array);
bool ma_array_has_shape(const ma_array *array, int ndim, const int64_t *shape);
/* Whether it is memory that a result of this kind may be written to as it lies: contiguous, not read-only. */
bool ma_array_serves(const ma_array *array, const ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape);
bool ma_array_overlaps(const ma_array *a, const ma_array *b);   /* may share bytes; fields of structs do not */
bool ma_array_spans_meet(const ma_array *a, const ma_array *b); /* between their first and last bytes */

/* The only two ways to an array's memory, for work on `stream` (NULL: the host, on a CPU array). Both put the work
** in order with other streams. A pending array is computed before it is read. Before a write, pending programs that
** still read the array get the old values. Addresses that were returned earlier stay valid. */
ma_status ma_array_read(const ma_array *array, ma_stream *stream, const void **address);
ma_status ma_array_write(ma_array *array, ma_stream *stream, void **address);
ma_status ma_array_refuse_write(void);
static inline ma_status ma_array_check_writable(const ma_array *array) { /* an error if it is read-only */
  return __builtin_expect(array->readonly, 0) ? ma_array_refuse_write() : MA_OK;
}

/* Views. `view` may not be `base`. Each takes a reference on the buffer. */
/* A read-only view. */
ma_status ma_array_broadcast(ma_array *view, const ma_array *base, int ndim, const int64_t *shape);
ma_status ma_array_transpose(ma_array *view, const ma_array *base, const int *axes); /* NULL: reversed */
/* `shape` may hold one -1; `full` receives the shape without it. If the strides allow no view, view->buffer is NULL. */
ma_status ma_array_reshape_view(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, int64_t *full);
/* The real or imaginary parts of a complex array. */
ma_status ma_array_part(ma_array *view, const ma_array *base, bool imaginary);

/* ==== index.c: the indexing grammar =============================================================================== */

/* One item of an index as it was written. Positions and ends are 1-based; a negative one counts from the end and is
** not yet resolved. */
typedef enum ma_item_kind {
  MA_ITEM_POSITION, /* the position is `lo`; the axis is dropped */
  MA_ITEM_RANGE,    /* the positions that `for i = lo, hi, step` visits; ends may be open */
  MA_ITEM_REST,     /* "...": all axes that no other item takes */
  MA_ITEM_NEWAXIS,  /* a new axis of extent 1 */
  MA_ITEM_ARRAY     /* positions (an integer dtype) or a mask (bool) over as many axes as it has */
} ma_item_kind;
#define MA_OPEN_LO 1 /* from the first position (from the last for a negative step) */
#define MA_OPEN_HI 2 /* to the last position (to the first for a negative step) */
#define MA_MAX_ITEMS (2 * MA_MAX_NDIM + 1)
typedef struct ma_item {
  uint8_t kind, open;
  int64_t lo, hi, step;
  const ma_array *array;
} ma_item;

/* The view that items without arrays select. A position that the host knows and that is out of range is an error
** here. */
ma_status ma_index_view(ma_array *view, const ma_array *base, const ma_item *item, int nitem);
/* Converts a position that the host knows to an offset from 0; the error names the 1-based axis and its extent. */
ma_status ma_index_position(int64_t position, int64_t extent, int axis, int64_t *offset);

#pragma GCC visibility pop
#endif
