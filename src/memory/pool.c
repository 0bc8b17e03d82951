/*
** pool.c: the caching pools of a device. Freed blocks are kept for the next request of their size, because asking the
** driver (or touching new pages on the CPU) takes longer than most kernels.
**
** Small requests (up to 256 KiB) are rounded to one of four sizes an octave and cut from slabs of 2 MiB; segment.c
** serves larger ones. A block may be handed out while the last kernel that used it still runs: its marks stay with it
** (order.c), and a use on another stream waits for that kernel.
**
** A pool's struct is never freed, because the list of pools is read without a lock. The struct of an ended pool is
** reused for a new pool of its kind.
*/
#include "base/fork.h"
#include "memory/graph.h"
#include "memory/pool.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#define MIN_BLOCK 512
#define SLAB_SIZE ((size_t)2 << 20)
/* bytes that a pool of host memory caches, at most, since other programs need memory too */

static ma_pool *vacant; /* structs of ended pools */
static pthread_mutex_t vacant_lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(vacant_lock, MA_FORK_LEAF)

static size_t class_size(int class) {
  /* Four sizes an octave, linear within it, in multiples of 128 bytes. */
  size_t base = (size_t)MIN_BLOCK << (class / 4);
  return base + base / 4 * (size_t)(class % 4);
}

static int size_class(size_t nbytes) {
  if (nbytes <= MIN_BLOCK) return 0;
  /* the size is rounded to a quarter of its octave, MIN_BLOCK / 4 << octave */
  int octave = 63 - __builtin_clzll((unsigned long long)(nbytes - 1) / MIN_BLOCK), shift = octave + 7;
  size_t base = (size_t)MIN_BLOCK << octave;
  int quarter = (int)((nbytes - base + ((size_t)1 << shift) - 1) >> shift);
  return octave * 4 + quarter;
}

/* ==== The backend ================================================================================================ */

static ma_stream *hinted_stream(const ma_pool *pool) {
  ma_stream *hint = ma_pool_hint(pool->source);
  return !__atomic_load_n(&hint->capture, __ATOMIC_RELAXED) ? hint : ma_device_null_stream(pool->source);
}

static ma_status source_alloc(ma_pool *pool, size_t nbytes, void **ptr) {
  if (pool->memory)
    return pool->memory->alloc(pool->source, pool->state, pool->memory->uncached ? hinted_stream(pool) : NULL, nbytes,
                               ptr);
  return pool->source->backend->memory.alloc(pool->source, nbytes, ptr);
}

static void source_free(ma_pool *pool, ma_stream *stream, void *ptr) {
  if (pool->memory) pool->memory->free(pool->source, pool->state, stream, ptr);
  else pool->source->backend->memory.free(pool->source, ptr);
}

static void note(const ma_pool *pool, ma_pool_act act, size_t size, size_t mem_size, const void *ptr, const void *id) {
  ma_pool_event event = {
    .act = act, .device = pool->source, .size = size, .mem_size = mem_size, .ptr = ptr, .id = id
  };
  ma_watch_note(&event);
}

static void free_cached(ma_pool *pool);

static bool over_limit(const ma_pool *pool, size_t nbytes) {
  return pool->limit && (nbytes > pool->limit || pool->reserved > pool->limit - nbytes);
}

ma_status ma_pool_reserve(ma_pool *pool, size_t nbytes, void **ptr) {
  if (over_limit(pool, nbytes)) ma_span_trim(pool, pool->reserved - (nbytes > pool->limit ? 0 : pool->limit - nbytes));
  ma_status status = over_limit(pool, nbytes) ? MA_ERR_MEMORY : source_alloc(pool, nbytes, ptr);
  if (status == MA_ERR_MEMORY) {
    free_cached(pool);
    if (over_limit(pool, nbytes)) return ma_pool_fail_memory(pool, nbytes);
    status = source_alloc(pool, nbytes, ptr);
  }
  if (status != MA_OK) return status == MA_ERR_MEMORY ? ma_pool_fail_memory(pool, nbytes) : status;
  pool->reserved += nbytes;
  if (__atomic_load_n(&ma_nwatch, __ATOMIC_RELAXED)) note(pool, MA_ACT_ALLOC, nbytes, nbytes, *ptr, *ptr);
  return MA_OK;
}

void ma_pool_unreserve(ma_pool *pool, size_t nbytes, void *ptr) {
  source_free(pool, NULL, ptr);
  pool->reserved -= nbytes;
}

/* ==== Pools ====================================================================================================== */

static ma_pool *reuse_pool(const ma_device *device, const ma_device *source, ma_memory_kind kind) {
  pthread_mutex_lock(&vacant_lock);
  ma_pool **at = &vacant;
  while (*at && ((*at)->device != device || (*at)->source != source || (*at)->kind != kind)) at = &(*at)->vacant;
  ma_pool *found = *at;
  if (found) *at = found->vacant;
  pthread_mutex_unlock(&vacant_lock);
  return found;
}

static ma_pool *make_pool(ma_device *device, ma_device *source, ma_memory_kind kind) {
  ma_pool *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  pool->device = device;
  pool->source = source;
  pool->kind = kind;
  pthread_mutex_init(&pool->lock, NULL);
  ma_fork_guard(&pool->lock, MA_FORK_POOL);
  ma_pool_enlist(pool);
  return pool;
}

/* Adds the struct to the list for reuse. */
static void retire_pool(ma_pool *pool) {
  pthread_mutex_lock(&vacant_lock);
  pool->vacant = vacant;
  vacant = pool;
  pthread_mutex_unlock(&vacant_lock);
}

ma_status ma_pool_make(ma_device *device, ma_device *source, ma_memory_kind kind, const ma_pool_memory *memory,
                       ma_pool **pool) {
  ma_pool *made = reuse_pool(device, source, kind);
  if (!made) made = make_pool(device, source, kind);
  if (!made) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a pool");
  void *state = NULL;
  ma_status status = memory && memory->open ? memory->open(source, &state) : MA_OK;
  if (status != MA_OK) {
    retire_pool(made);
    return status;
  }
  pthread_mutex_lock(&made->lock);
  made->memory = memory;
  made->state = state;
  made->uncached = (memory && memory->uncached) || !ma_config_int(MA_CONFIG_POOL);
  made->keep = kind == MA_MEMORY_PINNED ? TUNE_MIB(TUNE_POOL_PINNED)
               : ma_is_host(source)     ? TUNE_MIB(TUNE_POOL_KEPT)
                                        : SIZE_MAX;
  made->limit = made->peak = made->most = 0;
  made->refs = 1;
  pthread_mutex_unlock(&made->lock);
  *pool = made;
  return MA_OK;
}

ma_status ma_pool_new(ma_device *device, ma_pool **pool) {
  *pool = NULL;
  return ma_pool_make(device, device, MA_MEMORY_DEVICE, NULL, pool);
}

/* Frees what is cached, when the pool was dropped by everybody and no block is in use. */
static void end_pool(ma_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  free_cached(pool);
  void *state = pool->state;
  pool->state = NULL;
  pthread_mutex_unlock(&pool->lock);
  if (pool->memory && pool->memory->close) pool->memory->close(pool->source, state);
  retire_pool(pool);
}

void ma_pool_retain(ma_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->refs++;
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_drop(ma_pool *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  pool->refs--;
  ma_pool_unlock(pool);
}

void ma_pool_unlock(ma_pool *pool) {
  bool last = pool->refs == 0 && pool->nlive == 0;
  pthread_mutex_unlock(&pool->lock);
  if (__builtin_expect(last, 0)) end_pool(pool);
}

/* ==== Counting =================================================================================================== */

static void count_live(ma_pool *pool, int64_t count, int64_t bytes) {
  __atomic_store_n(&pool->nlive, pool->nlive + count, __ATOMIC_RELAXED);
  __atomic_store_n(&pool->live_bytes, pool->live_bytes + bytes, __ATOMIC_RELAXED);
  if (llabs(bytes) > (int64_t)MA_POOL_SMALL) __atomic_store_n(&pool->nlarge, pool->nlarge + count, __ATOMIC_RELAXED);
}

void ma_pool_taken(ma_pool *pool, const ma_buffer *buffer, size_t nbytes, size_t size) {
  pool->used += size;
  if (pool->used > pool->peak) pool->peak = pool->used;
  if (pool->used > pool->most) pool->most = pool->used;
  count_live(pool, 1, (int64_t)nbytes);
  if (__builtin_expect(__atomic_load_n(&ma_nwatch, __ATOMIC_RELAXED), 0))
    note(pool, MA_ACT_MALLOC, nbytes, size, buffer->ptr, buffer);
}

void ma_pool_returned(ma_pool *pool, const ma_buffer *buffer, size_t size) {
  pool->used -= size;
  count_live(pool, -1, -(int64_t)buffer->nbytes);
  if (__builtin_expect(__atomic_load_n(&ma_nwatch, __ATOMIC_RELAXED), 0))
    note(pool, MA_ACT_FREE, buffer->nbytes, size, buffer->ptr, buffer);
}

/* After a reset the driver no longer has the memory, so the block is forgotten without a call to the driver. */
bool ma_pool_is_stale(ma_pool *pool, const ma_buffer *buffer) {
  if (__builtin_expect(buffer->generation == pool->device->generation, 1)) return false;
  count_live(pool, -1, -(int64_t)buffer->nbytes);
  if (pool->nlost) {
    pool->nlost--;
    ma_buffer_lost(-1);
  }
  return true;
}

/* ==== Small blocks =============================================================================================== */

static void release_small(ma_buffer *buffer) {
  ma_block *block = (ma_block *)buffer;
  ma_slab *slab = buffer->owner;
  ma_pool *pool = slab->pool;
  int class = slab->class;
  pthread_mutex_lock(&pool->lock);
  if (__builtin_expect(ma_pool_is_stale(pool, buffer), 0)) {
    if (--slab->nused == 0) free(slab);
    ma_pool_unlock(pool);
    return;
  }
  ma_pool_returned(pool, buffer, class_size(class));
  pool->nfree++;
  slab->nused--;
  block->next = pool->small[class];
  pool->small[class] = block;
  ma_pool_unlock(pool);
}

static ma_status new_slab(ma_pool *pool, int class) {
  int nblock = (int)(SLAB_SIZE / class_size(class));
  ma_slab *slab = aligned_alloc(64, (sizeof *slab + (size_t)nblock * sizeof(ma_block) + 63) & ~(size_t)63);
  if (!slab) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a slab's headers");
  *slab = (ma_slab){ .pool = pool, .class = class, .nblock = nblock };
  ma_status status = ma_pool_reserve(pool, SLAB_SIZE, &slab->ptr);
  if (status != MA_OK) {
    free(slab);
    return status;
  }
  slab->next = pool->slabs;
  pool->slabs = slab;
  pool->cutting[class] = slab;
  pool->nfree += nblock;
  return MA_OK;
}

static ma_block *cut_block(ma_pool *pool, int class) {
  ma_slab *slab = pool->cutting[class];
  int k = slab->nmade++;
  if (slab->nmade == slab->nblock) pool->cutting[class] = NULL;
  ma_block *block = &slab->blocks[k];
  block->buffer = (ma_buffer){ .device = pool->device,
                               .ptr = (char *)slab->ptr + (size_t)k * class_size(class),
                               .release = release_small,
                               .owner = slab };
  return block;
}

/* Fetches ahead what the next calls will take, since it has left the cache by now: the header of the block after the
** next, and the first bytes of the next block. That block's header was fetched by the call before. It fetches as many
** bytes as are taken now. */
static inline void fetch_ahead(const ma_pool *pool, const ma_block *next, size_t nbytes) {
  if (!next) return;
  if (next->next) {
    __builtin_prefetch(next->next, 1);
    __builtin_prefetch((char *)next->next + 64, 1);
  }
  if (!ma_is_host(pool->device)) return;
  for (size_t k = 0; k < nbytes && k < TUNE_POOL_FETCHED; k += 64) __builtin_prefetch((char *)next->buffer.ptr + k, 1);
}

/* Takes the block that returned last, or a near one for which work on the hinted stream need not wait. */
static ma_block *pop_block(ma_pool *pool, int class, size_t nbytes) {
  ma_block **take = &pool->small[class];
  const ma_stream *hint = ma_pool_hint(pool->device);
  if (!ma_marks_suit(&(*take)->buffer.marks, hint)) {
    ma_block **at = &(*take)->next;
    for (int n = 1; *at && n < TUNE_POOL_LOOK; at = &(*at)->next, n++)
      if (ma_marks_suit(&(*at)->buffer.marks, hint)) {
        take = at;
        break;
      }
  }
  ma_block *block = *take;
  *take = block->next;
  fetch_ahead(pool, block->next, nbytes);
  return block;
}

static ma_status take_small(ma_pool *pool, size_t nbytes, ma_buffer **buffer) {
  int class = size_class(nbytes);
  if (!pool->small[class] && !pool->cutting[class]) MA_TRY(new_slab(pool, class));
  ma_block *block = pool->small[class] ? pop_block(pool, class, nbytes) : cut_block(pool, class);
  pool->nfree--;
  ((ma_slab *)block->buffer.owner)->nused++;
  ma_pool_taken(pool, &block->buffer, nbytes, class_size(class));
  *buffer = &block->buffer;
  return MA_OK;
}

/* Removes the blocks of unused slabs from the free list. */
static void forget_idle(ma_pool *pool, int class) {
  for (ma_block **at = &pool->small[class]; *at;) {
    if (((ma_slab *)(*at)->buffer.owner)->nused == 0) *at = (*at)->next;
    else at = &(*at)->next;
  }
  if (pool->cutting[class] && pool->cutting[class]->nused == 0) pool->cutting[class] = NULL;
}

static void free_idle_slabs(ma_pool *pool) {
  for (int class = 0; class < MA_POOL_NCLASS; class ++) forget_idle(pool, class);
  for (ma_slab **at = &pool->slabs; *at;) {
    ma_slab *slab = *at;
    if (slab->nused > 0) {
      at = &slab->next;
      continue;
    }
    *at = slab->next;
    pool->nfree -= slab->nblock;
    ma_pool_unreserve(pool, SLAB_SIZE, slab->ptr);
    free(slab);
  }
}

static void free_cached(ma_pool *pool) {
  ma_span_trim(pool, SIZE_MAX);
  free_idle_slabs(pool);
  pool->most = pool->used;
  if (pool->memory && pool->memory->trim && pool->refs > 0) pool->memory->trim(pool->source, pool->state);
}

void ma_pool_free_all(ma_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  free_cached(pool);
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_free_device(ma_device *device) {
  ma_leaving_sweep();
  for (ma_pool *pool = ma_pool_first(); pool; pool = pool->next)
    if (pool->source == device) ma_pool_free_all(pool);
}

/* Forgets the pool's memory; the caller holds the lock. A source of memory with a state in the context is opened again.
** If that fails, its allocations fail. */
static void forget(ma_pool *pool) {
  ma_span_forget(pool);
  ma_buffer_lost(pool->nlive - pool->nlost);
  pool->nlost = pool->nlive;
  for (ma_slab *slab = pool->slabs, *next; slab; slab = next) {
    next = slab->next;
    if (slab->nused == 0) free(slab);
  }
  pool->slabs = NULL;
  memset(pool->small, 0, sizeof pool->small);
  memset(pool->cutting, 0, sizeof pool->cutting);
  pool->used = pool->peak = pool->reserved = pool->most = 0;
  pool->nfree = 0;
  if (pool->memory && pool->memory->open && pool->refs > 0 && pool->memory->open(pool->source, &pool->state) != MA_OK)
    pool->state = NULL;
}

void ma_pool_forget(ma_device *device) {
  for (ma_pool *pool = ma_pool_first(); pool; pool = pool->next) {
    if (pool->source != device) continue;
    pthread_mutex_lock(&pool->lock);
    if (pool->device == device) forget(pool);
    else free_cached(pool); /* host memory, which the new context does not know yet */
    pthread_mutex_unlock(&pool->lock);
  }
}

/* ==== Blocks that are not cached: MOONARRAY_POOL=0, and the driver's own pools ==================================== */

static void release_uncached(ma_buffer *buffer) {
  ma_pool *pool = buffer->owner;
  ma_stream *stream = NULL;
  pthread_mutex_lock(&pool->lock);
  bool stale = ma_pool_is_stale(pool, buffer);
  ma_pool_unlock(pool);
  if (__builtin_expect(stale, 0)) {
    free(buffer);
    return;
  }
  if (pool->memory && pool->memory->uncached) {
    ma_stream *writer = buffer->marks.writer; /* a stream that records a graph must not record this */
    stream = writer && !__atomic_load_n(&writer->capture, __ATOMIC_RELAXED) ? writer : hinted_stream(pool);
    ma_buffer_order(buffer, stream, true); /* it is free after all its users */
  }
  size_t size = buffer->nbytes ? buffer->nbytes : 1;
  pthread_mutex_lock(&pool->lock);
  ma_pool_returned(pool, buffer, size);
  source_free(pool, stream, buffer->ptr);
  pool->reserved -= size;
  ma_pool_unlock(pool);
  free(buffer);
}

static ma_status take_uncached(ma_pool *pool, size_t nbytes, ma_buffer **buffer) {
  size_t size = nbytes ? nbytes : 1;
  ma_buffer *made = calloc(1, sizeof *made);
  if (!made) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a block's header");
  *made = (ma_buffer){ .device = pool->device, .release = release_uncached, .owner = pool };
  /* Other streams may use it after that stream's work until now. */
  if (pool->memory && pool->memory->uncached) made->marks.writer = hinted_stream(pool);
  ma_status status = ma_pool_reserve(pool, size, &made->ptr);
  if (status != MA_OK) {
    free(made);
    return status;
  }
  ma_pool_taken(pool, made, nbytes, size);
  *buffer = made;
  return MA_OK;
}

/* ==== Handing out ================================================================================================ */

/* Failures for specs: counts down to the first allocation that fails, then the failures. */
static int64_t fail_after, fail_times;

void ma_pool_fail(int64_t n, int64_t times) {
  __atomic_store_n(&fail_times, times, __ATOMIC_RELAXED);
  __atomic_store_n(&fail_after, n, __ATOMIC_RELAXED);
}

static bool made_to_fail(void) {
  if (__atomic_load_n(&fail_after, __ATOMIC_RELAXED) > 1) {
    __atomic_sub_fetch(&fail_after, 1, __ATOMIC_RELAXED);
    return false;
  }
  if (__atomic_sub_fetch(&fail_times, 1, __ATOMIC_RELAXED) <= 0) __atomic_store_n(&fail_after, 0, __ATOMIC_RELAXED);
  return true;
}

ma_status ma_pool_alloc(ma_pool *pool, size_t nbytes, ma_buffer **buffer) {
  if (__atomic_load_n(&fail_after, __ATOMIC_RELAXED) && made_to_fail())
    return ma_fail(MA_ERR_MEMORY, "out of memory on %s: the allocation of %zu bytes was made to fail",
                   pool->device->name, nbytes);
  pthread_mutex_lock(&pool->lock);
  ma_status status = __builtin_expect(pool->uncached, 0) ? take_uncached(pool, nbytes, buffer)
                     : nbytes <= MA_POOL_SMALL           ? take_small(pool, nbytes, buffer)
                                                         : ma_span_take(pool, nbytes, buffer);
  /* There is no room for a slab, but perhaps for one block. */
  if (status == MA_ERR_MEMORY && nbytes <= MA_POOL_SMALL && !pool->uncached)
    status = ma_span_take(pool, nbytes, buffer);
  pthread_mutex_unlock(&pool->lock);
  if (status != MA_OK) return status;
  (*buffer)->refs = 1;
  (*buffer)->recorded = 0;
  (*buffer)->generation = __atomic_load_n(&pool->device->generation, __ATOMIC_RELAXED);
  (*buffer)->nbytes = nbytes;
  return MA_OK;
}

bool ma_pool_shrink(ma_buffer *block, size_t nbytes) {
  bool large = ma_span_owns(block);
  if (!large && block->release != release_small) return false;
  const ma_slab *slab = large ? NULL : block->owner;
  ma_pool *pool = large ? block->owner : slab->pool;
  size_t size = large ? ma_span_size(block) : class_size(slab->class);
  pthread_mutex_lock(&pool->lock);
  bool there = block->generation == pool->device->generation;
  if (there) {
    ma_pool_returned(pool, block, size); /* and is handed out again with fewer bytes */
    if (large) ma_span_shrink(block, nbytes);
    block->nbytes = nbytes;
    ma_pool_taken(pool, block, nbytes, large ? ma_span_size(block) : size);
  }
  ma_pool_unlock(pool);
  return there;
}

bool ma_pool_owns(const ma_buffer *block) {
  return block && (block->release == release_small || block->release == release_uncached || ma_span_owns(block));
}
