/*
** pool.c: the caching pool of a device. Freed blocks are kept for the next request of their size, since asking the driver (or,
** on the CPU, touching fresh pages) costs more than most kernels.
**
** Small requests (up to 1 MiB) are rounded to one of four sizes an octave and carved from slabs of 2 MiB, so that they never
** break up a large block. Large ones are whole blocks of the backend, reused when one fits with little waste.
** Work on a device is queued in one order, so a block may be handed out again while the last kernel that used it still runs.
*/
#include "fork.h"
#include "moonarray.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BLOCK   512
#define MAX_SMALL   (1 << 20)
#define SLAB_SIZE   (2 << 20)
#define LARGE_UNIT  (1 << 20)
#define NCLASS      45                   /* 512 * 2^(k/4), k = 0..44, is 1 MiB */
#define CPU_KEEP    ((size_t)1 << 30)    /* most bytes that the CPU's pool caches: host memory is not ours alone */

typedef struct block {
  ma_buffer buffer;                      /* first: a buffer of ours is its block */
  struct block *next;                    /* in a free list */
  ma_pool *pool;
  struct slab *slab;                     /* NULL: a large block */
  size_t size;
  int class;
} block;

typedef struct slab {
  struct slab *next;
  void *ptr;
  int nused;
  int nblock;
  block blocks[];
} slab;

struct ma_pool {
  ma_device *device;
  pthread_mutex_t lock;
  block *small[NCLASS];                  /* free blocks by class, last in first out: the warmest comes back first */
  block *large;                          /* free, in ascending order of size */
  slab *slabs;
  size_t used, peak, reserved, limit, keep;
  int64_t nfree;
  int64_t nlive, live_bytes;             /* written under the lock, read by anybody */
  int refs;                              /* under the lock; 0: dropped, and goes with its last block */
  struct ma_pool *vacant;                /* in the list of pools that are gone */
  struct ma_pool *next;
};

static ma_pool *pools;                   /* all of the process: a list that only grows, so that it is read without a lock */
static ma_pool *vacant;                  /* those that are gone: each serves again as a new pool of its device */
static pthread_mutex_t vacant_lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(vacant_lock, MA_FORK_LEAF)

static size_t class_size(int class)
{
  /* Quarter steps of an octave, linear within it, in multiples of 128 bytes. */
  size_t base = (size_t)MIN_BLOCK << (class / 4);
  return base + base / 4 * (size_t)(class % 4);
}

static int size_class(size_t nbytes)
{
  if (nbytes <= MIN_BLOCK)
    return 0;
  int octave = 63 - __builtin_clzll((unsigned long long)(nbytes - 1) / MIN_BLOCK);
  size_t base = (size_t)MIN_BLOCK << octave;
  int quarter = (int)((nbytes - base + base / 4 - 1) / (base / 4));
  return octave * 4 + quarter;
}

static ma_pool *reuse_pool(const ma_device *device)
{
  pthread_mutex_lock(&vacant_lock);
  ma_pool **at = &vacant;
  while (*at && (*at)->device != device)
    at = &(*at)->vacant;
  ma_pool *found = *at;
  if (found)
    *at = found->vacant;
  pthread_mutex_unlock(&vacant_lock);
  return found;
}

ma_status ma_pool_new(ma_device *device, ma_pool **pool)
{
  *pool = reuse_pool(device);
  if (*pool) {
    (*pool)->refs = 1;
    return MA_OK;
  }
  ma_pool *made = calloc(1, sizeof *made);
  if (!made)
    return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a pool");
  made->device = device;
  made->refs = 1;
  made->keep = device->backend == &ma_cpu_backend ? CPU_KEEP : SIZE_MAX;
  if (!ma_config_int(MA_CONFIG_POOL))
    made->keep = 0;
  pthread_mutex_init(&made->lock, NULL);
  ma_fork_guard(&made->lock, MA_FORK_POOL);
  made->next = __atomic_load_n(&pools, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&pools, &made->next, made, true, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
    ;
  *pool = made;
  return MA_OK;
}

static void count_live_locked(ma_pool *pool, int64_t count, int64_t bytes)
{
  __atomic_store_n(&pool->nlive, pool->nlive + count, __ATOMIC_RELAXED);
  __atomic_store_n(&pool->live_bytes, pool->live_bytes + bytes, __ATOMIC_RELAXED);
}

int64_t ma_pool_live_count(void)
{
  int64_t sum = 0;
  for (const ma_pool *pool = __atomic_load_n(&pools, __ATOMIC_ACQUIRE); pool; pool = pool->next)
    sum += __atomic_load_n(&pool->nlive, __ATOMIC_RELAXED);
  return sum;
}

int64_t ma_pool_live_bytes(void)
{
  int64_t sum = 0;
  for (const ma_pool *pool = __atomic_load_n(&pools, __ATOMIC_ACQUIRE); pool; pool = pool->next)
    sum += __atomic_load_n(&pool->live_bytes, __ATOMIC_RELAXED);
  return sum;
}

/* ==== Giving back ================================================================================================ */

static void free_large_locked(ma_pool *pool, block *b)
{
  pool->device->backend->free(pool->device, b->buffer.ptr);
  pool->reserved -= b->size;
  free(b);
}

static void free_slab_locked(ma_pool *pool, slab *s)
{
  int class = s->blocks[0].class;
  for (block **at = &pool->small[class]; *at;) {
    if ((*at)->slab == s) {
      *at = (*at)->next;
      pool->nfree--;
    } else {
      at = &(*at)->next;
    }
  }
  pool->device->backend->free(pool->device, s->ptr);
  pool->reserved -= SLAB_SIZE;
  free(s);
}

static void free_all_locked(ma_pool *pool)
{
  while (pool->large) {
    block *b = pool->large;
    pool->large = b->next;
    pool->nfree--;
    free_large_locked(pool, b);
  }
  for (slab **at = &pool->slabs; *at;) {
    slab *s = *at;
    if (s->nused == 0) {
      *at = s->next;
      free_slab_locked(pool, s);
    } else {
      at = &s->next;
    }
  }
}

/* The largest blocks go first when more is cached than may be kept. */
static void trim_locked(ma_pool *pool)
{
  while (pool->large && pool->reserved - pool->used > pool->keep) {
    block **at = &pool->large;
    while ((*at)->next)
      at = &(*at)->next;
    block *b = *at;
    *at = NULL;
    pool->nfree--;
    free_large_locked(pool, b);
  }
}

/* Dropped by everybody and without a block in use: what is cached goes back, and the pool waits to serve again. */
static void end_pool(ma_pool *pool)
{
  pthread_mutex_lock(&pool->lock);
  free_all_locked(pool);
  pool->limit = pool->peak = 0;
  pthread_mutex_unlock(&pool->lock);
  pthread_mutex_lock(&vacant_lock);
  pool->vacant = vacant;
  vacant = pool;
  pthread_mutex_unlock(&vacant_lock);
}

void ma_pool_retain(ma_pool *pool)
{
  pthread_mutex_lock(&pool->lock);
  pool->refs++;
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_drop(ma_pool *pool)
{
  if (!pool)
    return;
  pthread_mutex_lock(&pool->lock);
  bool last = --pool->refs == 0 && pool->nlive == 0;
  pthread_mutex_unlock(&pool->lock);
  if (last)
    end_pool(pool);
}

static void release_block(ma_buffer *buffer)
{
  block *b = (block *)buffer;
  ma_pool *pool = b->pool;
  pthread_mutex_lock(&pool->lock);
  pool->used -= b->size;
  pool->nfree++;
  count_live_locked(pool, -1, -(int64_t)buffer->nbytes);
  if (b->slab) {
    b->slab->nused--;
    b->next = pool->small[b->class];
    pool->small[b->class] = b;
    if (pool->keep == 0)
      free_all_locked(pool);
  } else {
    block **at = &pool->large;
    while (*at && (*at)->size < b->size)
      at = &(*at)->next;
    b->next = *at;
    *at = b;
    trim_locked(pool);
  }
  bool last = pool->refs == 0 && pool->nlive == 0;
  pthread_mutex_unlock(&pool->lock);
  if (last)
    end_pool(pool);
}

/* ==== Handing out ================================================================================================ */

static ma_status reserve_locked(ma_pool *pool, size_t nbytes, void **ptr)
{
  const ma_backend *backend = pool->device->backend;
  bool over = pool->limit && (nbytes > pool->limit || pool->reserved > pool->limit - nbytes);
  if (!over && backend->alloc(pool->device, nbytes, ptr) == MA_OK) {
    pool->reserved += nbytes;
    return MA_OK;
  }
  free_all_locked(pool);
  over = pool->limit && (nbytes > pool->limit || pool->reserved > pool->limit - nbytes);
  if (!over) {
    ma_status status = backend->alloc(pool->device, nbytes, ptr);
    if (status == MA_OK)
      pool->reserved += nbytes;
    if (status != MA_ERR_MEMORY)
      return status;
  }
  return ma_fail(MA_ERR_MEMORY, "out of memory on %s: no room for %zu bytes beside %zu in use (limit %zu, 0 is none); "
                 "free arrays by x:free() or collectgarbage(), or use smaller blocks",
                 pool->device->name, nbytes, pool->used, pool->limit);
}

static ma_status new_slab_locked(ma_pool *pool, int class)
{
  size_t size = class_size(class);
  int nblock = (int)(SLAB_SIZE / size);
  slab *s = calloc(1, sizeof *s + (size_t)nblock * sizeof(block));
  if (!s)
    return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a slab's headers");
  ma_status status = reserve_locked(pool, SLAB_SIZE, &s->ptr);
  if (status != MA_OK) {
    free(s);
    return status;
  }
  s->nblock = nblock;
  s->next = pool->slabs;
  pool->slabs = s;
  for (int k = nblock - 1; k >= 0; k--) {
    block *b = &s->blocks[k];
    b->buffer.device = pool->device;
    b->buffer.ptr = (char *)s->ptr + (size_t)k * size;
    b->buffer.release = release_block;
    b->buffer.owner = pool;
    b->pool = pool;
    b->slab = s;
    b->size = size;
    b->class = class;
    b->next = pool->small[class];
    pool->small[class] = b;
  }
  pool->nfree += nblock;
  return MA_OK;
}

static ma_status take_small_locked(ma_pool *pool, size_t nbytes, block **taken)
{
  int class = size_class(nbytes);
  if (!pool->small[class])
    MA_TRY(new_slab_locked(pool, class));
  block *b = pool->small[class];
  pool->small[class] = b->next;
  pool->nfree--;
  b->slab->nused++;
  *taken = b;
  return MA_OK;
}

static ma_status take_large_locked(ma_pool *pool, size_t nbytes, block **taken)
{
  if (nbytes > SIZE_MAX / 2)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes are more than any device has", nbytes);
  size_t size = (nbytes + LARGE_UNIT - 1) / LARGE_UNIT * LARGE_UNIT;
  for (block **at = &pool->large; *at; at = &(*at)->next) {
    block *b = *at;
    if (b->size < size)
      continue;
    if (b->size > size + size / 4)                     /* too much would lie idle */
      break;
    *at = b->next;
    pool->nfree--;
    *taken = b;
    return MA_OK;
  }
  block *b = calloc(1, sizeof *b);
  if (!b)
    return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a block's header");
  ma_status status = reserve_locked(pool, size, &b->buffer.ptr);
  if (status != MA_OK) {
    free(b);
    return status;
  }
  b->buffer.device = pool->device;
  b->buffer.release = release_block;
  b->buffer.owner = pool;
  b->pool = pool;
  b->size = size;
  *taken = b;
  return MA_OK;
}

/* The specs' faults: counts down to the first allocation that fails, then through those that do. */
static int64_t fail_after, fail_times;

void ma_pool_fail(int64_t n, int64_t times)
{
  __atomic_store_n(&fail_times, times, __ATOMIC_RELAXED);
  __atomic_store_n(&fail_after, n, __ATOMIC_RELAXED);
}

static bool made_to_fail(void)
{
  if (__atomic_load_n(&fail_after, __ATOMIC_RELAXED) > 1) {
    __atomic_sub_fetch(&fail_after, 1, __ATOMIC_RELAXED);
    return false;
  }
  if (__atomic_sub_fetch(&fail_times, 1, __ATOMIC_RELAXED) <= 0)
    __atomic_store_n(&fail_after, 0, __ATOMIC_RELAXED);
  return true;
}

ma_status ma_pool_alloc(ma_pool *pool, size_t nbytes, ma_buffer **buffer)
{
  block *b = NULL;
  if (__atomic_load_n(&fail_after, __ATOMIC_RELAXED) && made_to_fail())
    return ma_fail(MA_ERR_MEMORY, "out of memory on %s: the allocation of %zu bytes was made to fail", pool->device->name, nbytes);
  pthread_mutex_lock(&pool->lock);
  ma_status status = nbytes <= MAX_SMALL ? take_small_locked(pool, nbytes, &b) : take_large_locked(pool, nbytes, &b);
  if (status == MA_OK) {
    pool->used += b->size;
    if (pool->used > pool->peak)
      pool->peak = pool->used;
    count_live_locked(pool, 1, (int64_t)nbytes);
  }
  pthread_mutex_unlock(&pool->lock);
  if (status != MA_OK)
    return status;
  b->buffer.refs = 1;
  b->buffer.nbytes = nbytes;
  *buffer = &b->buffer;
  return MA_OK;
}

/* ==== Which pool serves ========================================================================================== */

#define MAX_OVERRIDES 65                 /* every device */
static int noverride;                    /* atomic, of all threads: without any, nobody looks */
static __thread struct { ma_device *device; ma_pool *pool; } overrides[MAX_OVERRIDES];

ma_pool *ma_pool_swap(ma_device *device, ma_pool *pool)
{
  int at = 0;
  while (at < MAX_OVERRIDES - 1 && overrides[at].device && overrides[at].device != device)
    at++;
  ma_pool *before = overrides[at].pool;
  overrides[at].device = device;
  overrides[at].pool = pool;
  __atomic_add_fetch(&noverride, (pool != NULL) - (before != NULL), __ATOMIC_RELAXED);
  return before;
}

ma_pool *ma_pool_serving(ma_device *device)
{
  if (__atomic_load_n(&noverride, __ATOMIC_RELAXED))
    for (int at = 0; at < MAX_OVERRIDES && overrides[at].device; at++)
      if (overrides[at].device == device && overrides[at].pool)
        return overrides[at].pool;
  ma_pool *pool = __atomic_load_n(&device->allocator, __ATOMIC_ACQUIRE);
  return pool ? pool : device->pool;
}

void ma_pool_set_allocator(ma_device *device, ma_pool *pool)
{
  if (pool)
    ma_pool_retain(pool);
  ma_pool_drop(__atomic_exchange_n(&device->allocator, pool, __ATOMIC_ACQ_REL));
}

void ma_pool_free_device(ma_device *device)
{
  for (ma_pool *pool = __atomic_load_n(&pools, __ATOMIC_ACQUIRE); pool; pool = pool->next)
    if (pool->device == device)
      ma_pool_free_all(pool);
}

void ma_pool_free_all(ma_pool *pool)
{
  pthread_mutex_lock(&pool->lock);
  free_all_locked(pool);
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_statistics(ma_pool *pool, ma_pool_stats *stats)
{
  pthread_mutex_lock(&pool->lock);
  *stats = (ma_pool_stats){ .used_bytes = pool->used, .free_bytes = pool->reserved - pool->used, .total_bytes = pool->reserved,
                            .peak_bytes = pool->peak, .limit = pool->limit, .n_free_blocks = pool->nfree };
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_set_limit(ma_pool *pool, size_t bytes)
{
  pthread_mutex_lock(&pool->lock);
  pool->limit = bytes;
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_reset_peak(ma_pool *pool)
{
  pthread_mutex_lock(&pool->lock);
  pool->peak = pool->used;
  pthread_mutex_unlock(&pool->lock);
}
