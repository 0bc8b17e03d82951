/* memory.h: devices, streams, the order of work, buffers and pools. */
#ifndef MOONARRAY_MEMORY_MEMORY_H
#define MOONARRAY_MEMORY_MEMORY_H

#include "backend/backend.h"

#pragma GCC visibility push(hidden)

/* ==== backends.c: the one file that knows the backends by name ==================================================== */

/* The backends, the host's first; device.c keeps them. Called once, before any other function. */
void ma_device_set_backends(const ma_backend *host, const ma_backend *gpu);
/* "cpu", "cuda"; NULL: there is none of that name. Opens nothing. */
const ma_backend *ma_backend_find(const char *name);
static inline bool ma_is_host(const ma_device *device) { return device->backend->is_host; }

ma_status ma_device_default(ma_device **device);               /* the GPU if it is usable, else the CPU */
ma_device *ma_device_cpu(void);                                /* always there */
ma_status ma_device_get(const char *name, ma_device **device); /* "cpu", "cuda", "cuda:1"; an error names the reason */
int ma_device_count(const char *backend);                      /* "cuda": 0 where there is none */
const char *ma_device_why_not(void);                           /* why the default is not a GPU; "" if it is */
ma_stream *ma_device_null_stream(ma_device *device);
/* Does a kernel on `device` read and write the memory of `of` as its own? True of one device, and of GPUs with peer
** access, which is enabled here. */
bool ma_device_reaches(ma_device *device, ma_device *of);
/* Makes a device usable again after a kernel that faulted. Whatever lay in its memory is lost, and using it an error;
** streams are empty and go on. Nothing else may use the device meanwhile. */
ma_status ma_device_reset(ma_device *device);

/* fault.c: "position 9 on axis 1", and what was wanted: "1..4" */
void ma_fault_print(const ma_fault *fault, char *found, size_t nfound, char *wanted, size_t nwanted);

/* ==== stream.c: queues of work ==================================================================================== */

ma_status ma_stream_open(ma_device *device, uint32_t flags, int priority, ma_stream **stream);
/* somebody else's; it must live until ma_stream_close */
ma_status ma_stream_wrap(ma_device *device, void *handle, ma_stream **stream);
void ma_stream_close(ma_stream *stream); /* its work goes on; not for a null stream */
int64_t ma_stream_live(void);            /* opened and not closed, in the process */
/* What `stream` is given from now on begins after what `on` was given until now. A CPU stream, or NULL, is the host: it
** waits here. */
ma_status ma_stream_wait(ma_stream *stream, ma_stream *on);
ma_status ma_stream_renew_all(ma_device *device); /* after a reset: fresh queues in the same structs */

/* ==== order.c, buffer.c, pool.c: memory =========================================================================== */

/* Atomic: how many reasons there are to look at every use: streams that record a graph, devices that were reset and
** whose older memory is refused, and a fork. */
extern int ma_uses_watched;
/*
** Announces work on `stream` (NULL: the host itself, at once) that reads or writes the buffer: the stream waits for
** other streams' work on it. Call it before the work is queued; one stream's own uses cost a comparison.
*/
ma_status ma_buffer_order(ma_buffer *buffer, ma_stream *stream, bool write);
static inline ma_status ma_buffer_use(ma_buffer *buffer, ma_stream *stream, bool write) {
  bool known = __atomic_load_n(&buffer->marks.writer, __ATOMIC_RELAXED) == stream &&
               !__atomic_load_n(&buffer->marks.nreader, __ATOMIC_RELAXED);
  if (__builtin_expect(known && !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED), 1)) return MA_OK;
  return ma_buffer_order(buffer, stream, write);
}
void ma_marks_merge(ma_marks *into, const ma_marks *from); /* of two blocks that become one; may wait */
void ma_buffer_withdraw(ma_buffer *buffer); /* its owner took the memory back: every later use is an error */
void ma_buffer_settle(ma_buffer *buffer, const ma_stream *stream); /* the stream's work on it is known to be done */

ma_status ma_buffer_new(ma_device *device, size_t nbytes, ma_buffer **buffer); /* from the pool; contents undefined */
/* Foreign memory: `release(buffer)` must free the ma_buffer's owner, then call ma_buffer_free_header. NULL release:
** none. */
ma_status ma_buffer_wrap(ma_device *device, void *ptr, size_t nbytes, void (*release)(ma_buffer *), void *owner,
                         ma_buffer **buffer);
void ma_buffer_free_header(ma_buffer *buffer);
void ma_buffer_retain(ma_buffer *buffer);
void ma_buffer_release(ma_buffer *buffer);
/* Of what is movable: that is one Lua state's, so nobody else counts meanwhile, and a locked addition waits for every
** store before it. */
static inline int ma_buffer_count_own(ma_buffer *buffer, int n) {
  int refs = __atomic_load_n(&buffer->refs, __ATOMIC_RELAXED) + n;
  __atomic_store_n(&buffer->refs, refs, __ATOMIC_RELAXED);
  return refs;
}
int64_t ma_buffer_live(void); /* blocks of memory not yet released, in the process: the leak check of the specs */
int64_t ma_buffer_live_bytes(void);

typedef struct ma_pool_stats {
  size_t used_bytes, free_bytes, total_bytes, peak_bytes, limit;
  int64_t n_free_blocks;
} ma_pool_stats;
/* A pool is counted: `ma_pool_new` gives one reference, and after the last `ma_pool_drop` it lives on until its blocks
** are back. */
ma_status ma_pool_new(ma_device *device, ma_pool **pool);
typedef enum ma_memory_kind {
  MA_MEMORY_DEVICE,
  MA_MEMORY_MANAGED, /* moves between host and device by itself */
  MA_MEMORY_PINNED,  /* the host's, which the GPU reads and writes directly: the buffers are the CPU's */
  MA_MEMORY_ASYNC,   /* from a pool of the driver, which caches: MemoryAsyncPool */
  MA_NMEMORY
} ma_memory_kind;
/* on the CPU all kinds are ordinary memory */
ma_status ma_pool_new_kind(ma_device *device, ma_memory_kind kind, ma_pool **pool);
ma_status ma_pool_pinned(ma_device *device, ma_pool **pool); /* the device's default one; no reference */
void ma_pool_retain(ma_pool *pool);
void ma_pool_drop(ma_pool *pool); /* NULL is harmless */
/* The pool that serves the calling thread's allocations on `device` (NULL: the device's own). Takes the caller's
** reference on `pool` over and gives the caller the one on the pool before:
**     ma_pool_retain(pool); before = ma_pool_swap(device, pool); ... ma_pool_drop(ma_pool_swap(device, before)); */
ma_pool *ma_pool_swap(ma_device *device, ma_pool *pool);
ma_pool *ma_pool_serving(ma_device *device); /* that pool, else the set allocator, else the default; no reference */
ma_status ma_pool_serve(ma_device *device, size_t nbytes, ma_buffer **buffer); /* a block of it */
/* for all threads; takes a reference of its own; NULL: the default pool */
void ma_pool_set_allocator(ma_device *device, ma_pool *pool);
void ma_pool_reset_allocators(void); /* NULL for every device */
ma_status ma_pool_alloc(ma_pool *pool, size_t nbytes, ma_buffer **buffer);
int64_t ma_pool_live_count(void); /* blocks handed out by all pools, and the bytes that were asked for */
int64_t ma_pool_live_bytes(void);
void ma_pool_free_all(ma_pool *pool);        /* gives cached blocks back to the backend */
void ma_pool_free_device(ma_device *device); /* the same for every pool of a device */
void ma_pool_statistics(ma_pool *pool, ma_pool_stats *stats);
void ma_pool_set_limit(ma_pool *pool, size_t bytes); /* 0: none */
void ma_pool_reset_peak(ma_pool *pool);              /* peak_bytes: most bytes in use since */
/* after a reset: all its pools' blocks are gone, those in use when they come back */
void ma_pool_forget(ma_device *device);
/* Makes the nth next allocation of any pool (1: the very next) and those after it fail, `times` in all; n = 0: none.
** For the specs. */
void ma_pool_fail(int64_t n, int64_t times);

#pragma GCC visibility pop
#endif
