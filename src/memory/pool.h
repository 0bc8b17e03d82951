/*
** pool.h: the declarations that the files of the pools share. pool.c has the pools and their small blocks, segment.c
** the large blocks, allocator.c the choice of the pool that serves, figures.c the statistics, watch.c the log of what
** pools did.
*/
#ifndef MOONARRAY_POOL_H
#define MOONARRAY_POOL_H

#include "memory/memory.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

#define MA_POOL_UNIT ((size_t)32 << 10)   /* sizes of large blocks are multiples of this */
#define MA_POOL_SMALL ((size_t)256 << 10) /* largest small block, in bytes */
#define MA_POOL_MEDIUM ((size_t)16 << 20) /* largest block that is cut from a shared segment, in bytes */
#define MA_POOL_NCLASS 37 /* size classes of small blocks: 512 * 2^(k/4), k = 0..36; the last is 256 KiB */
#define MA_POOL_NROW 45   /* rows of a set of bins; each is an octave of sizes, cut into 16 */

/* ==== Where blocks come from ==== */

/* A source of device memory in place of the backend's alloc and free; each pool has a `state` of its own. */
typedef struct ma_pool_memory {
  bool uncached; /* by the pool, because the driver caches: every block is allocated by it and freed to it */
  ma_status (*open)(ma_device *device, void **state); /* may be NULL */
  void (*close)(ma_device *device, void *state);
  /* If `uncached`: the block is for work on `stream`, and is freed after the stream's work. */
  ma_status (*alloc)(ma_device *device, void *state, ma_stream *stream, size_t nbytes, void **ptr);
  void (*free)(ma_device *device, void *state, ma_stream *stream, void *ptr);
  void (*trim)(ma_device *device, void *state);
} ma_pool_memory;

/* ==== Blocks ==== */

/* A small block; all blocks of a slab have one size. It takes two cache lines, because programs allocate and free
** thousands of blocks in a row. */
typedef struct ma_block {
  ma_buffer buffer;      /* first, so that a pool's buffer is its block; owner is the slab */
  struct ma_block *next; /* in a free list */
} ma_block;

typedef struct ma_slab {
  struct ma_slab *next;
  ma_pool *pool;
  void *ptr;
  int class;
  int nused, nmade, nblock; /* blocks from nmade on were never handed out, and their headers are not set */
  ma_block blocks[] __attribute__((aligned(64)));
} ma_slab;

/* A piece of a segment, which is one block of the backend. A span without neighbours is a whole segment. Of two
** neighbours at least one is in use. */
typedef struct ma_span {
  ma_buffer buffer;             /* first */
  struct ma_span *left, *right; /* neighbours by address */
  struct ma_span *next, *prev;  /* in its bin while it is free */
  size_t size;
  bool free, medium;
} ma_span;

/* Free spans by size. A bin holds a sixteenth of an octave; a bit says whether it is empty. */
typedef struct ma_bins {
  uint64_t rows;
  uint16_t columns[MA_POOL_NROW];
  ma_span *bin[MA_POOL_NROW][16];
} ma_bins;

enum { MA_SPANS_PART, MA_SPANS_WHOLE, MA_NSPANS };

struct ma_pool {
  ma_device *device; /* the device of the arrays in its blocks */
  ma_device *source; /* the device whose driver allocates: for pinned memory a GPU, else the same device */
  ma_memory_kind kind;
  const ma_pool_memory *memory; /* NULL: the backend's alloc and free */
  void *state;                  /* for `memory` */
  bool uncached;                /* the pool itself caches nothing */
  pthread_mutex_t lock;
  /* Free blocks by class, last in first out: the block that was used last is still in the cache. */
  ma_block *small[MA_POOL_NCLASS];
  ma_slab *cutting[MA_POOL_NCLASS]; /* slabs with blocks that were never handed out */
  ma_slab *slabs;
  ma_bins bins[2][MA_NSPANS]; /* indexed by [medium] */
  size_t used, peak, reserved, limit, keep;
  /* Most bytes in use since all cached memory was last freed. It bounds the bytes that the pool keeps. */
  size_t most;
  int64_t nfree;
  int64_t nlive, live_bytes; /* written under the lock, read without it */
  int64_t nlarge;            /* of nlive: blocks larger than MA_POOL_SMALL */
  int64_t nlost;             /* of nlive: blocks whose memory was lost in a reset of the device */
  int refs;                  /* under the lock; 0: dropped, and freed with its last block */
  struct ma_pool *next, *vacant;
};

/* pool.c */
/* Allocates from the backend, within the limit. This and all functions below need the lock. */
ma_status ma_pool_reserve(ma_pool *pool, size_t nbytes, void **ptr);
void ma_pool_unreserve(ma_pool *pool, size_t nbytes, void *ptr);
/* Counts a block of `size` bytes that is handed out. */
void ma_pool_taken(ma_pool *pool, const ma_buffer *buffer, size_t nbytes, size_t size);
void ma_pool_returned(ma_pool *pool, const ma_buffer *buffer, size_t size); /* counts a block that returns */
/* Whether the block is of a time before a reset. It is then counted as returned, and the caller frees its header. */
bool ma_pool_is_stale(ma_pool *pool, const ma_buffer *buffer);
void ma_pool_unlock(ma_pool *pool); /* also frees the pool if it was dropped and this was its last block */

/* A pool of memory of `source` for arrays of `device`; NULL as `memory`: the backend's. */
ma_status ma_pool_make(ma_device *device, ma_device *source, ma_memory_kind kind, const ma_pool_memory *memory,
                       ma_pool **pool);

/* figures.c */
ma_pool *ma_pool_first(void);       /* first in the list of all pools, which is read without a lock */
void ma_pool_enlist(ma_pool *pool); /* adds a new pool, which stays there */
/* The out-of-memory error with the pool's figures; needs the lock. */
ma_status ma_pool_fail_memory(ma_pool *pool, size_t nbytes);

/* segment.c */
ma_status ma_span_take(ma_pool *pool, size_t nbytes, ma_buffer **buffer);
void ma_span_forget(ma_pool *pool); /* drops all free spans after their memory was lost */
bool ma_span_owns(const ma_buffer *buffer);
void ma_span_shrink(ma_buffer *buffer, size_t nbytes);
size_t ma_span_size(const ma_buffer *buffer);
/* Frees whole segments until `nbytes` are freed, or all; false: there was none. */
bool ma_span_trim(ma_pool *pool, size_t nbytes);

/* The stream that most likely uses the next block. */
static inline ma_stream *ma_pool_hint(ma_device *device) {
  ma_stream *hint = __atomic_load_n(&device->hint, __ATOMIC_RELAXED);
  return hint ? hint : ma_device_null_stream(device);
}

/* Whether work on `hint` can use a block with these marks without waiting. */
static inline bool ma_marks_suit(const ma_marks *marks, const ma_stream *hint) {
  return marks->nreader == 0 && (!marks->writer || marks->writer == hint);
}

/* ==== watch.c: a log of what pools did. Lua hooks read it later: pools cannot call Lua. =========================== */

/* ALLOC: allocated from the device; MALLOC: taken from the pool; FREE: returned to the pool. */
typedef enum ma_pool_act { MA_ACT_ALLOC, MA_ACT_MALLOC, MA_ACT_FREE, MA_NACT } ma_pool_act;

typedef struct ma_pool_event {
  ma_pool_act act;
  const ma_device *device;
  size_t size, mem_size; /* asked for; of the block */
  const void *ptr, *id;  /* id: equal for the malloc and the free of one block */
} ma_pool_event;

typedef struct ma_watch ma_watch;
extern int ma_nwatch;                  /* atomic: watches; if 0, a pool pays only for this comparison */
ma_watch *ma_watch_new(unsigned acts); /* bit k of `acts`: acts of number k are logged. NULL: no memory */
void ma_watch_free(ma_watch *watch);
/* Takes the oldest events; *lost: how many older ones were dropped. */
int ma_watch_take(ma_watch *watch, ma_pool_event *event, int n, int64_t *lost);
void ma_watch_skip(ma_watch *watch); /* drops all logged events */
void ma_watch_note(const ma_pool_event *event);

int64_t ma_pool_live_large(void); /* blocks larger than MA_POOL_SMALL that all pools have handed out */
/* Shrinks a block with one user to `nbytes`; the rest of a large block returns to the pool. False if the driver
** gives every block by itself. */
bool ma_pool_shrink(ma_buffer *block, size_t nbytes);

/* Whether the block is a pool's. Then it stays allocated until queued work is done. */
bool ma_pool_owns(const ma_buffer *block);

/* Sets the pool that serves pinned memory for a device, as ma_pool_set_allocator does for device memory. NULL: the
** default pool. */
void ma_pool_set_pinned(const ma_device *device, ma_pool *pool);
void ma_pool_reset_pinned(void); /* sets NULL for every device */
/* The pool that serves pinned memory for a device; gives a reference. */
ma_status ma_pool_serving_pinned(ma_device *device, ma_pool **pool);

#pragma GCC visibility pop
#endif
