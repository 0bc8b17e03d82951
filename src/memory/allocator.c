/* allocator.c: chooses the pool that serves an allocation: the one that the calling thread chose for the device,
** else the one that set_allocator chose for all threads, else the default. */
#include "memory/pool.h"
#include "base/fork.h"

#define MAX_OVERRIDES 65 /* one for each device */
static int noverride;    /* atomic: overrides of all threads; if 0, no thread looks for one */
static __thread struct {
  ma_device *device;
  ma_pool *pool;
} overrides[MAX_OVERRIDES];

ma_pool *ma_pool_swap(ma_device *device, ma_pool *pool) {
  int at = 0;
  while (at < MAX_OVERRIDES - 1 && overrides[at].device && overrides[at].device != device) at++;
  ma_pool *before = overrides[at].pool;
  overrides[at].device = device;
  overrides[at].pool = pool;
  __atomic_add_fetch(&noverride, (pool != NULL) - (before != NULL), __ATOMIC_RELAXED);
  return before;
}

/* Makes taking a pool and looking it up exclusive, because another thread may drop the pool in between. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_STREAM)

void ma_pool_set_allocator(ma_device *device, ma_pool *pool) {
  if (pool) ma_pool_retain(pool);
  pthread_mutex_lock(&lock);
  ma_pool *before = device->allocator;
  __atomic_store_n(&device->allocator, pool, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  ma_pool_drop(before);
}

void ma_pool_reset_allocators(void) {
  for (ma_pool *pool = ma_pool_first(); pool; pool = pool->next) ma_pool_set_allocator(pool->device, NULL);
}

/* ==== Kinds of memory ============================================================================================= */

ma_status ma_pool_new_kind(ma_device *device, ma_memory_kind kind, ma_pool **pool) {
  const ma_pool_memory *const *memories = device->backend->memory.kinds;
  const ma_pool_memory *memory = memories ? memories[kind] : NULL;
  *pool = NULL;
  if (memories && kind != MA_MEMORY_DEVICE && !memory)
    return ma_fail(MA_ERR_DEVICE, "%s has no memory of this kind", device->name);
  return ma_pool_make(kind == MA_MEMORY_PINNED ? ma_device_cpu() : device, device, kind, memory, pool);
}

ma_status ma_pool_pinned(ma_device *device, ma_pool **pool) {
  *pool = __atomic_load_n(&device->pinned, __ATOMIC_ACQUIRE);
  if (*pool) return MA_OK;
  ma_pool *made, *there = NULL;
  MA_TRY(ma_pool_new_kind(device, MA_MEMORY_PINNED, &made));
  if (__atomic_compare_exchange_n(&device->pinned, &there, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    *pool = made;
  } else {
    ma_pool_drop(made);
    *pool = there;
  }
  return MA_OK;
}

static ma_pool *pinned[MA_MAX_GPUS + 1]; /* by device; NULL: the default one */

static ma_pool **pinned_of(const ma_device *device) { return &pinned[ma_is_host(device) ? MA_MAX_GPUS : device->id]; }

void ma_pool_set_pinned(const ma_device *device, ma_pool *pool) {
  if (pool) ma_pool_retain(pool);
  pthread_mutex_lock(&lock);
  ma_pool *before = *pinned_of(device);
  *pinned_of(device) = pool;
  pthread_mutex_unlock(&lock);
  ma_pool_drop(before);
}

ma_status ma_pool_serving_pinned(ma_device *device, ma_pool **pool) {
  pthread_mutex_lock(&lock);
  *pool = *pinned_of(device);
  if (*pool) ma_pool_retain(*pool);
  pthread_mutex_unlock(&lock);
  if (*pool) return MA_OK;
  MA_TRY(ma_pool_pinned(device, pool));
  ma_pool_retain(*pool);
  return MA_OK;
}

void ma_pool_reset_pinned(void) {
  for (int k = 0; k <= MA_MAX_GPUS; k++) {
    pthread_mutex_lock(&lock);
    ma_pool *before = pinned[k];
    pinned[k] = NULL;
    pthread_mutex_unlock(&lock);
    ma_pool_drop(before);
  }
}

static ma_pool *override_of(const ma_device *device) {
  for (int at = 0; at < MAX_OVERRIDES && overrides[at].device; at++)
    if (overrides[at].device == device) return overrides[at].pool;
  return NULL;
}

/* Whether the pool cannot serve a graph. A pool of the driver allocates and frees in the order of a stream, which is
** not the order in which the graph will run. */
static bool cannot_serve(const ma_pool *pool) {
  return pool->kind == MA_MEMORY_ASYNC && __atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED);
}

ma_pool *ma_pool_serving(ma_device *device) {
  ma_pool *pool = __atomic_load_n(&noverride, __ATOMIC_RELAXED) ? override_of(device) : NULL;
  if (!pool) pool = __atomic_load_n(&device->allocator, __ATOMIC_ACQUIRE);
  return pool && !cannot_serve(pool) ? pool : device->pool;
}

ma_status ma_pool_serve(ma_device *device, size_t nbytes, ma_buffer **buffer) {
  ma_pool *pool = __atomic_load_n(&noverride, __ATOMIC_RELAXED) ? override_of(device) : NULL;
  if (pool && __builtin_expect(cannot_serve(pool), 0)) return ma_pool_alloc(device->pool, nbytes, buffer);
  if (!pool && __builtin_expect(__atomic_load_n(&device->allocator, __ATOMIC_RELAXED) != NULL, 0)) {
    pthread_mutex_lock(&lock);
    pool = device->allocator;
    if (pool && cannot_serve(pool)) pool = NULL;
    if (pool) ma_pool_retain(pool);
    pthread_mutex_unlock(&lock);
    if (pool) {
      ma_status status = ma_pool_alloc(pool, nbytes, buffer);
      ma_pool_drop(pool);
      return status;
    }
  }
  if (!pool) pool = device->pool;
  if (!pool) return ma_fail(MA_ERR_MEMORY, "out of memory: %s has no pool", device->name);
  return ma_pool_alloc(pool, nbytes, buffer);
}
