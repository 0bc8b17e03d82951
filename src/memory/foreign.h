/*
** foreign.h: arrays over memory that is not ours, whoever hands it in: a Lua program by its address, an engine through
** the C interface, another library by DLPack, OpenGL by a mapping. One check and one way to wrap it for all of them.
*/
#ifndef MOONARRAY_FOREIGN_H
#define MOONARRAY_FOREIGN_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

typedef struct ma_foreign {
  ma_device *device;
  void *address; /* of the element at position (1, 1, ...) */
  ma_dtype dtype;
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  int64_t stride[MA_MAX_NDIM]; /* bytes; zero and negative are allowed */
  bool strided;                /* false: C order, `stride` is not read */
  bool readonly;
  bool known;        /* the driver itself gave the address: it is not asked for it */
  ma_stream *stream; /* where others queued what fills the memory; NULL: it is there */
} ma_foreign;

/*
** Fills a caller's array over the memory. `release` and `owner` are ma_buffer_wrap's: the owner is the array's once
** this is MA_OK, and remains the caller's on failure. What can be known of the memory is checked: NULL, alignment,
** extents that overflow, and on a GPU that the driver knows all of it as this device's.
*/
ma_status ma_foreign_array(const ma_foreign *foreign, void (*release)(ma_buffer *), void *owner, ma_array *array);

/* For a release: waits until no queued work uses the memory, so that its owner may free or reuse it. Reports
** nothing. */
void ma_foreign_settle(ma_buffer *buffer);

#pragma GCC visibility pop
#endif
