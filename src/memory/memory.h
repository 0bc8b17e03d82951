/* memory.h: devices, streams, the order of work, buffers and pools. */
#ifndef MOONARRAY_MEMORY_MEMORY_H
#define MOONARRAY_MEMORY_MEMORY_H

#include "backend/backend.h"

#pragma GCC visibility push(hidden)

/* ==== backends.c: the one file that knows the backends by name ==================================================== */

/* Sets the backends, the host's first; device.c keeps them. Called once, before any other function. */
void ma_device_set_backends(const ma_backend *host, const ma_backend *gpu);
/* "cpu" or "cuda"; NULL if there is no backend of that name. Opens nothing. */
const ma_backend *ma_backend_find(const char *name);
static inline bool ma_is_host(const ma_device *device) { return device->backend->is_host; }
/* Atomic: why calls of the library may have to do more than to run. MA_DOOR_BARE: a GPU was opened in a process that
** has no compiler for it; set until one is opened, or the CPU is the default, since a call may open it and want a
** kernel.
** MA_DOOR_RECORDS: a function that is differentiated runs. */
typedef enum ma_door { MA_DOOR_BARE = 1, MA_DOOR_RECORDS = 2 } ma_door;
extern int ma_doors;
void ma_door_set(ma_door door, bool on);
void ma_door_record(int by); /* counts the functions that are differentiated in all Lua states */
static inline bool ma_gpu_is_bare(void) { return __atomic_load_n(&ma_doors, __ATOMIC_RELAXED) & MA_DOOR_BARE; }

ma_status ma_device_default(ma_device **device);               /* the GPU if it is usable, else the CPU */
ma_device *ma_device_cpu(void);                                /* never NULL */
ma_status ma_device_get(const char *name, ma_device **device); /* "cpu", "cuda", "cuda:1"; an error names the reason */
int ma_device_count(const char *backend); /* number of devices of a backend; 0 for "cuda" without a GPU */
const char *ma_device_why_not(void);      /* why the default is not a GPU; "" if it is */
ma_stream *ma_device_null_stream(ma_device *device);
/* Whether kernels on `device` can use the memory of `of` directly: the two are one device, or GPUs with peer access,
** which this call enables. */
bool ma_device_reaches(ma_device *device, ma_device *of);
/* MA_OK if ma_device_reaches is true, else the error of ma_device_apart. */
ma_status ma_device_meet(ma_device *device, ma_device *of);
/* The error for arrays on two devices that one call cannot take together. */
MA_COLD ma_status ma_device_apart(const ma_device *device, const ma_device *other);
/* Makes a device usable again after a kernel that faulted. The contents of its memory are lost, and using an array
** there is an error. Streams are emptied and stay usable. Nothing else may use the device during the call. */
ma_status ma_device_reset(ma_device *device);

/* fault.c: prints what was found, "position 9 on axis 1", and what was wanted, "1..4". */
void ma_fault_print(const ma_fault *fault, char *found, size_t nfound, char *wanted, size_t nwanted);

/* ==== stream.c: queues of work ==================================================================================== */

ma_status ma_stream_open(ma_device *device, uint32_t flags, int priority, ma_stream **stream);
/* Wraps a foreign stream, which must live until ma_stream_close. */
ma_status ma_stream_wrap(ma_device *device, void *handle, ma_stream **stream);
/* The handle of a stream of a device, for the program, which may queue work of its own from now on. */
void *ma_stream_expose(ma_stream *stream);
void ma_stream_close(ma_stream *stream); /* its queued work still runs; not for a null stream */
int64_t ma_stream_live(void);            /* streams that are open, in the process */
/* Work queued on `stream` from now on begins after the work queued on `on` until now. If `stream` is NULL or of the
** CPU, the calling thread waits. */
ma_status ma_stream_wait(ma_stream *stream, ma_stream *on);
ma_status ma_stream_renew_all(ma_device *device); /* after a reset: gives the same structs new queues */

/* ==== order.c, buffer.c, pool.c: memory =========================================================================== */

/* Atomic: number of reasons to check every use of a buffer: streams that record a graph, devices that were reset, a
** fork. */
extern int ma_uses_watched;
/*
** Announces that work on `stream` (NULL: the host, at once) reads or writes the buffer, and makes the stream wait for
** the work of other streams on it. Call it before the work is queued. If no other stream used the buffer, it costs a
** comparison.
*/
ma_status ma_buffer_order(ma_buffer *buffer, ma_stream *stream, bool write);
/* The address of a movable buffer's header and its count, kept by a reader, tell whether the memory was written since.
** Other buffers are also written by those who know the memory's address. */
static inline void ma_buffer_count_write(ma_buffer *buffer) {
  __atomic_store_n(&buffer->writes, __atomic_load_n(&buffer->writes, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}
static inline ma_status ma_buffer_use(ma_buffer *buffer, ma_stream *stream, bool write) {
  if (write) ma_buffer_count_write(buffer);
  bool known = __atomic_load_n(&buffer->marks.writer, __ATOMIC_RELAXED) == stream &&
               !__atomic_load_n(&buffer->marks.nreader, __ATOMIC_RELAXED);
  if (__builtin_expect(known && !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED), 1)) return MA_OK;
  return ma_buffer_order(buffer, stream, write);
}
void ma_marks_merge(ma_marks *into, const ma_marks *from); /* for two blocks that become one; may wait */
void ma_buffer_withdraw(ma_buffer *buffer); /* the memory's owner took it back: every later use is an error */
/* Notes that the work of `stream` on the buffer is done. */
void ma_buffer_settle(ma_buffer *buffer, const ma_stream *stream);

/* What the driver frees at once although queued work may still use it. It waits in a list until the streams of its
** marks are done. The list is looked through when something joins it, when a recording ends, since streams cannot be
** asked before, and when pools give memory back. */
typedef struct ma_leaving {
  struct ma_leaving *next;
  ma_marks marks;
  void (*free)(struct ma_leaving *leaving);
} ma_leaving;
void ma_leaving_add(ma_leaving *leaving); /* takes it over */
void ma_leaving_sweep(void);
/* Calls end(device, what), at once or after the last recording: for what waits for all streams, which spoils a
** recording of any of them. */
void ma_leave(ma_device *device, void *what, void (*end)(ma_device *device, void *what));

ma_status ma_buffer_new(ma_device *device, size_t nbytes, ma_buffer **buffer); /* from the pool; contents undefined */
/* Wraps foreign memory. `release(buffer)` must free the buffer's owner, then call ma_buffer_free_header. A NULL
** release does nothing. */
ma_status ma_buffer_wrap(ma_device *device, void *ptr, size_t nbytes, void (*release)(ma_buffer *), void *owner,
                         ma_buffer **buffer);
void ma_buffer_free_header(ma_buffer *buffer);
void ma_buffer_retain(ma_buffer *buffer);
void ma_buffer_release(ma_buffer *buffer);
/* Adds n to the references of a movable buffer without a locked instruction, which would wait for all earlier
** stores. One Lua state alone uses such a buffer, so no other thread counts at the same time. */
static inline int ma_buffer_count_own(ma_buffer *buffer, int n) {
  int refs = __atomic_load_n(&buffer->refs, __ATOMIC_RELAXED) + n;
  __atomic_store_n(&buffer->refs, refs, __ATOMIC_RELAXED);
  return refs;
}
int64_t ma_buffer_live(void); /* blocks that are not yet released, in the process; specs check it for leaks */
int64_t ma_buffer_live_bytes(void);

typedef struct ma_pool_stats {
  size_t used_bytes, free_bytes, total_bytes, peak_bytes, limit;
  int64_t n_free_blocks;
} ma_pool_stats;
/* Pools are counted. `ma_pool_new` gives one reference. After the last `ma_pool_drop` the pool lives until its
** blocks return. */
ma_status ma_pool_new(ma_device *device, ma_pool **pool);
typedef enum ma_memory_kind {
  MA_MEMORY_DEVICE,
  MA_MEMORY_MANAGED, /* the driver moves it between host and device */
  MA_MEMORY_PINNED,  /* host memory that the GPU accesses directly; its buffers belong to the CPU */
  MA_MEMORY_ASYNC,   /* from a pool of the driver, which caches (MemoryAsyncPool) */
  MA_NMEMORY
} ma_memory_kind;
/* On the CPU all kinds are ordinary memory. */
ma_status ma_pool_new_kind(ma_device *device, ma_memory_kind kind, ma_pool **pool);
ma_status ma_pool_pinned(ma_device *device, ma_pool **pool); /* the device's default pinned pool; gives no reference */
void ma_pool_retain(ma_pool *pool);
void ma_pool_drop(ma_pool *pool); /* NULL is harmless */
/* Makes `pool` serve the calling thread's allocations on `device` (NULL: the device's own pool). Takes over the
** caller's reference on `pool` and returns the previous pool with its reference:
**     ma_pool_retain(pool); before = ma_pool_swap(device, pool); ... ma_pool_drop(ma_pool_swap(device, before)); */
ma_pool *ma_pool_swap(ma_device *device, ma_pool *pool);
/* The thread's pool, else the set allocator, else the default pool. Gives no reference. */
ma_pool *ma_pool_serving(ma_device *device);
ma_status ma_pool_serve(ma_device *device, size_t nbytes, ma_buffer **buffer); /* a block from the serving pool */
/* Sets the allocator for all threads, and takes a reference of its own; NULL: the default pool. */
void ma_pool_set_allocator(ma_device *device, ma_pool *pool);
void ma_pool_reset_allocators(void); /* sets NULL for every device */
ma_status ma_pool_alloc(ma_pool *pool, size_t nbytes, ma_buffer **buffer);
int64_t ma_pool_live_count(void); /* blocks that all pools have handed out */
int64_t ma_pool_live_bytes(void);
void ma_pool_free_all(ma_pool *pool);        /* gives cached blocks back to the backend */
void ma_pool_free_device(ma_device *device); /* the same for every pool of a device */
void ma_pool_statistics(ma_pool *pool, ma_pool_stats *stats);
void ma_pool_set_limit(ma_pool *pool, size_t bytes); /* 0: none */
void ma_pool_reset_peak(ma_pool *pool);              /* restarts peak_bytes, the most bytes in use */
/* After a reset: forgets all blocks of the device's pools; blocks in use are forgotten when they return. */
void ma_pool_forget(ma_device *device);
/* For specs: makes the nth next allocation of any pool (1: the very next) and those after it fail, `times` in all;
** n = 0: none. */
void ma_pool_fail(int64_t n, int64_t times);

#pragma GCC visibility pop
#endif
