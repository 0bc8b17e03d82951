/*
** handle.h: buffers that hold a block of a pool and are not it, so that the memory behind all views of an array can be
** made late or changed for other. What fills them late is a pending program (pending.h), which stands above: it is
** reached through the hooks below.
*/
#ifndef MOONARRAY_HANDLE_H
#define MOONARRAY_HANDLE_H

#include "memory/memory.h"

#pragma GCC visibility push(hidden)

/* What the deferral of programs does for memory. It is set when the first Lua state begins to defer; before, no buffer
** is pending. */
typedef struct ma_deferral_hooks {
  bool (*is_on)(void); /* does the calling thread's state defer? NULL: nothing was ever deferred */
  ma_status (*evaluate)(ma_buffer *buffer, const char *why); /* fills a pending buffer; `why` is for the trace */
  ma_status (*write)(ma_buffer *buffer, ma_stream *stream);  /* before somebody writes into a part of it */
  void (*drop)(struct ma_pending *pending);                  /* its buffer goes */
  void (*pin)(ma_buffer *buffer);                            /* the last holder but its pending readers let go of it */
} ma_deferral_hooks;
extern ma_deferral_hooks ma_defer_hooks;

/* One array that a pending program reads, in the list of its buffer. */
typedef struct ma_reading {
  ma_buffer *buffer; /* a reference */
  struct ma_pending *pending;
  struct ma_reading *next, **prev;
  int64_t offset;
} ma_reading;

/* With fresh memory; a plain block where nothing defers. */
ma_status ma_handle_new(ma_device *device, size_t nbytes, ma_buffer **buffer);
/* The same of a block, which is taken over, and is gone on failure. */
ma_status ma_handle_wrap(ma_buffer *block, ma_buffer **buffer);
ma_status ma_handle_bare(ma_device *device, size_t nbytes, ma_buffer **buffer); /* without any */
void ma_handle_fill(ma_buffer *handle, ma_buffer *block);                       /* takes the block over */
/* Their memory, of equal size, with its marks. What was to read a's goes with it; nothing reads b's yet. */
void ma_handle_exchange(ma_buffer *a, ma_buffer *b);
void ma_handle_move_readers(ma_buffer *from, ma_buffer *to);
/* the buffer itself if it is no handle; NULL: no memory yet */
const ma_buffer *ma_handle_block(const ma_buffer *buffer);

#pragma GCC visibility pop
#endif
