/* foreign.h: arrays over memory that the library does not own: an address that a Lua program gives, memory from the
** C interface or DLPack, an OpenGL mapping. All of them are checked and wrapped here. */
#ifndef MOONARRAY_FOREIGN_H
#define MOONARRAY_FOREIGN_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

typedef struct ma_foreign {
  ma_device *device;
  void *address; /* address of the element at position (1, 1, ...) */
  ma_dtype dtype;
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  int64_t stride[MA_MAX_NDIM]; /* bytes; zero and negative are allowed */
  bool strided;                /* false: C order, `stride` is not read */
  bool readonly;
  bool known;        /* the driver itself gave the address: do not ask it again */
  ma_stream *stream; /* the stream on which the owner queued the work that fills the memory; NULL: it is filled */
} ma_foreign;

/*
** Fills a caller's array over the memory. `release` and `owner` are those of ma_buffer_wrap. On success the array has
** the owner; on failure the caller keeps it. Checked are NULL, alignment, extents that overflow, and on a GPU that the
** driver knows the whole range as memory of this device.
*/
ma_status ma_foreign_array(const ma_foreign *foreign, void (*release)(ma_buffer *), void *owner, ma_array *array);

/* For a release function: waits until no queued work uses the memory, so that its owner may free or reuse it. It waits
** where the program may not, and reports no error. */
void ma_foreign_settle(ma_buffer *buffer);

#pragma GCC visibility pop
#endif
