/* foreign.h: arrays over memory that the library does not own: an address that a Lua program gives, memory from the
** C interface or DLPack, an OpenGL mapping, memory of Vulkan or Direct3D. All of them are checked and wrapped here. */
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

/* The same within a buffer, `offset` bytes from its beginning; takes a reference. `address` is not read. */
ma_status ma_foreign_within(ma_buffer *whole, uint64_t offset, const ma_foreign *foreign, ma_array *array);

/* For a release function: waits until no queued work uses the memory, so that its owner may free or reuse it. It waits
** where the program may not, and reports no error. */
void ma_foreign_settle(ma_buffer *buffer);

/* ==== external.c: memory and semaphores of other interfaces ======================================================= */

/* Imports the memory as one buffer, which lets go of it when the last array over it is gone. */
ma_status ma_external_memory(ma_device *device, const ma_external *external, ma_buffer **buffer);
/* Waits for the work on it and lets go of the memory now; every later use of its arrays is an error. */
ma_status ma_external_take_back(ma_buffer *buffer);

typedef struct ma_semaphore {
  ma_device *device;
  void *handle;     /* the backend's; NULL: closed */
  ma_stream **used; /* streams that waited for it or signalled it */
  int nused, room;
  uint32_t generation; /* of the device; a reset ends it */
  ma_external_type type;
} ma_semaphore;
ma_status ma_semaphore_open(ma_device *device, const ma_external *external, ma_semaphore *semaphore);
/* Queues that the stream waits for the value, or signals it. */
ma_status ma_semaphore_queue(ma_semaphore *semaphore, ma_stream *stream, bool signal, uint64_t value);
/* Waits for what was queued. Harmless if it is closed. */
void ma_semaphore_close(ma_semaphore *semaphore);

#pragma GCC visibility pop
#endif
