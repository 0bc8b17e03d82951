/*
** pool.h: what the files of the pools share. pool.c has the pools and their small blocks, segment.c the large blocks,
** allocator.c which pool serves, figures.c what they hold, watch.c the log of what pools did.
*/
#ifndef MOONARRAY_POOL_H
#define MOONARRAY_POOL_H

#include "memory/memory.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

#define MA_POOL_UNIT ((size_t)32 << 10)   /* sizes of large blocks are multiples of it */
#define MA_POOL_SMALL ((size_t)256 << 10) /* most bytes of a small block */
#define MA_POOL_MEDIUM ((size_t)16 << 20) /* most bytes of a block that shares its segment with others from the start */
#define MA_POOL_NCLASS 37                 /* of small blocks: 512 * 2^(k/4), k = 0..36, is 256 KiB */
#define MA_POOL_NROW 45                   /* of a set of bins: an octave each, cut into 16 */

/* ==== Where blocks come from ==== */

/* A way to get memory of a device, beside the backend's alloc and free; `state` is one pool's own. */
typedef struct ma_pool_memory {
  bool direct; /* the driver keeps what is free: every block comes from it and goes back */
  ma_status (*open)(ma_device *device, void **state); /* NULL: nothing to do */
  void (*close)(ma_device *device, void *state);
  /* The block is for work on `stream`, or free after it, where `direct`. */
  ma_status (*alloc)(ma_device *device, void *state, ma_stream *stream, size_t nbytes, void **ptr);
  void (*free)(ma_device *device, void *state, ma_stream *stream, void *ptr);
  void (*trim)(ma_device *device, void *state);
} ma_pool_memory;

/* ==== Blocks ==== */

/* A small block; its slab is cut into blocks of one size. Two cache lines, for thousands come and go one after the
** other. */
typedef struct ma_block {
  ma_buffer buffer;      /* first: a buffer of a pool is its block; owner is the slab */
  struct ma_block *next; /* in a free list */
} ma_block;

typedef struct ma_slab {
  struct ma_slab *next;
  ma_pool *pool;
  void *ptr;
  int class;
  int nused, nmade, nblock; /* blocks from nmade on were never handed out and have no header yet */
  ma_block blocks[] __attribute__((aligned(64)));
} ma_slab;

/* A piece of a segment, which is one block of the backend: all of it while there are no neighbours. No two neighbours
** are free. */
typedef struct ma_span {
  ma_buffer buffer;             /* first */
  struct ma_span *left, *right; /* neighbours by address */
  struct ma_span *next, *prev;  /* in its bin, while it is free */
  size_t size;
  bool free, medium;
} ma_span;

/* Free spans by size: a bin is a sixteenth of an octave, and a bit says whether there is something in it. */
typedef struct ma_bins {
  uint64_t rows;
  uint16_t columns[MA_POOL_NROW];
  ma_span *bin[MA_POOL_NROW][16];
} ma_bins;

enum { MA_SPANS_PART, MA_SPANS_WHOLE, MA_NSPANS };

struct ma_pool {
  ma_device *device; /* whose arrays its blocks are for */
  ma_device *source; /* whose driver gives them: a GPU's for pinned memory, else the same */
  ma_memory_kind kind;
  const ma_pool_memory *memory; /* NULL: the backend's alloc and free */
  void *state;                  /* for `memory` */
  bool direct;                  /* nothing is cached here */
  pthread_mutex_t lock;
  ma_block *small[MA_POOL_NCLASS];  /* free blocks by class, last in first out: the warmest comes back first */
  ma_slab *cutting[MA_POOL_NCLASS]; /* slabs with blocks that were not made yet */
  ma_slab *slabs;
  ma_bins bins[2][MA_NSPANS]; /* [medium] */
  size_t used, peak, reserved, limit, keep;
  size_t most; /* bytes in use, at most, since everything cached was given back: what may be held follows it */
  int64_t nfree;
  int64_t nlive, live_bytes; /* written under the lock, read by anybody */
  int64_t nlarge;            /* of nlive: blocks of more than MA_POOL_SMALL bytes */
  int64_t nlost;             /* of nlive: memory that went with a reset of the device */
  int refs;                  /* under the lock; 0: dropped, and goes with its last block */
  struct ma_pool *next, *vacant;
};

/* pool.c */
/* from the backend, within the limit; locked, as are all below */
ma_status ma_pool_reserve(ma_pool *pool, size_t nbytes, void **ptr);
void ma_pool_unreserve(ma_pool *pool, size_t nbytes, void *ptr);
/* counts a block of `size` bytes that is handed out */
void ma_pool_taken(ma_pool *pool, const ma_buffer *buffer, size_t nbytes, size_t size);
void ma_pool_returned(ma_pool *pool, const ma_buffer *buffer, size_t size); /* and one that comes back */
/* of before a reset: it is counted as returned, and its header is the caller's to free */
bool ma_pool_is_stale(ma_pool *pool, const ma_buffer *buffer);
void ma_pool_unlock(ma_pool *pool); /* ends the pool if it was dropped and this was its last block */

ma_pool *ma_pool_first(void); /* of the list of all pools, which is read without a lock */

/* figures.c */
ma_status ma_pool_fail_memory(ma_pool *pool, size_t nbytes); /* the error with the figures; locked */

/* segment.c */
ma_status ma_span_take(ma_pool *pool, size_t nbytes, ma_buffer **buffer);
void ma_span_forget(ma_pool *pool); /* drops all free spans; the memory is gone */
bool ma_span_owns(const ma_buffer *buffer);
void ma_span_shrink(ma_buffer *buffer, size_t nbytes);
size_t ma_span_size(const ma_buffer *buffer);
/* gives whole segments back, as few as hold `nbytes` or all; false: there was none */
bool ma_span_trim(ma_pool *pool, size_t nbytes);

/* The stream that the next block is for, most likely. */
static inline ma_stream *ma_pool_hint(ma_device *device) {
  ma_stream *hint = __atomic_load_n(&device->hint, __ATOMIC_RELAXED);
  return hint ? hint : ma_device_null_stream(device);
}

/* True if a user on `hint` would wait for nobody. */
static inline bool ma_marks_suit(const ma_marks *marks, const ma_stream *hint) {
  return marks->nreader == 0 && (!marks->writer || marks->writer == hint);
}

/* ==== watch.c: what pools did, for hooks in Lua, which nobody may call from here ==== */

/* from the device; from the pool; back to it */
typedef enum ma_pool_act { MA_ACT_ALLOC, MA_ACT_MALLOC, MA_ACT_FREE, MA_NACT } ma_pool_act;

typedef struct ma_pool_event {
  ma_pool_act act;
  const ma_device *device;
  size_t size, mem_size; /* asked for; of the block */
  const void *ptr, *id;  /* id: the same for a block's malloc and free */
} ma_pool_event;

typedef struct ma_watch ma_watch;
extern int ma_nwatch;                  /* atomic: without any, a pool pays for this comparison alone */
ma_watch *ma_watch_new(unsigned acts); /* bit k: the act of number k is logged. NULL: no memory */
void ma_watch_free(ma_watch *watch);
/* the oldest, and how many were lost before them */
int ma_watch_take(ma_watch *watch, ma_pool_event *event, int n, int64_t *lost);
void ma_watch_skip(ma_watch *watch); /* forgets what is logged */
void ma_watch_note(const ma_pool_event *event);

int64_t ma_pool_live_large(void); /* blocks of more than MA_POOL_SMALL bytes that all pools handed out */
/* A block that nobody else uses is of `nbytes` from now on; what a large one then has too much goes back. False where
** blocks come from the driver one by one. */
bool ma_pool_shrink(ma_buffer *block, size_t nbytes);

bool ma_pool_owns(const ma_buffer *buffer); /* is its block a pool's, so that it outlives what is queued? */

/* For the C unit: a pool whose blocks come from `memory`. */
ma_status ma_pool_new_from(ma_device *device, ma_device *source, ma_memory_kind kind, const ma_pool_memory *memory,
                           ma_pool **pool);

/* Of pinned memory, as set_allocator is of the device's: the pool that serves for a device, with a reference; NULL: the
** default one. */
void ma_pool_set_pinned(const ma_device *device, ma_pool *pool);
void ma_pool_reset_pinned(void);
ma_status ma_pool_serving_pinned(ma_device *device, ma_pool **pool);

#pragma GCC visibility pop
#endif
