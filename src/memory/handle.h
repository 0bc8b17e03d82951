/*
** handle.h: handles. A handle is a buffer that holds a block of a pool, so that the memory behind all views of an array
** can be allocated late or exchanged. A pending program (run/pending.h) fills it. `run` is above this floor, so it
** is reached through the hooks below.
*/
#ifndef MOONARRAY_HANDLE_H
#define MOONARRAY_HANDLE_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

/* The functions of `run` that memory calls. They are set when the first Lua state begins to defer; until then no
** buffer is pending. */
typedef struct ma_deferral_hooks {
  bool (*is_on)(void); /* whether the calling thread's state defers; NULL: no state has deferred yet */
  ma_status (*evaluate)(ma_buffer *buffer, const char *why); /* fills a pending buffer; `why` is for the trace */
  ma_status (*write)(ma_buffer *buffer, ma_stream *stream);  /* called before a part of the buffer is written */
  void (*drop)(struct ma_pending *pending);                  /* called when the buffer of the program is freed */
  void (*pin)(ma_buffer *buffer); /* called when only pending readers still hold the buffer */
} ma_deferral_hooks;
extern ma_deferral_hooks ma_defer_hooks;

/* One array that a pending program reads, in the list of the array's buffer. */
typedef struct ma_reading {
  ma_buffer *buffer; /* a reference */
  struct ma_pending *pending;
  struct ma_reading *next, **prev;
  int64_t offset;
} ma_reading;

/* A handle with new memory, or a plain block if nothing defers. */
ma_status ma_handle_new(ma_device *device, size_t nbytes, ma_buffer **buffer);
/* A handle over a block. Takes the block over; on failure the block is released. */
ma_status ma_handle_wrap(ma_buffer *block, ma_buffer **buffer);
ma_status ma_handle_bare(ma_device *device, size_t nbytes, ma_buffer **buffer); /* a handle without memory */
void ma_handle_fill(ma_buffer *handle, ma_buffer *block);                       /* takes the block over */
/* Exchanges the memory of two handles of equal size, with its marks. Pending readers of a follow their memory; b
** must have none. */
void ma_handle_exchange(ma_buffer *a, ma_buffer *b);
void ma_handle_move_readers(ma_buffer *from, ma_buffer *to);
/* The block behind a handle, the buffer itself if it is no handle, NULL if there is no memory yet. */
const ma_buffer *ma_handle_block(const ma_buffer *buffer);

#pragma GCC visibility pop
#endif
