/*
** buffer.c: reference counts over blocks of device memory. A buffer's header is either part of a pool's block (pool.c)
** or, for foreign memory, its own allocation.
*/
#include "base/fork.h"
#include "memory/graph.h"
#include "memory/handle.h"

#include <pthread.h>
#include <stdlib.h>

ma_deferral_hooks ma_defer_hooks;
int ma_uses_watched;

static int64_t nlost;

void ma_buffer_lost(int64_t n) {
  int64_t before = __atomic_fetch_add(&nlost, n, __ATOMIC_RELAXED);
  if (!before != !(before + n)) __atomic_add_fetch(&ma_uses_watched, before ? -1 : 1, __ATOMIC_RELAXED);
}

static int64_t wrapped_count, wrapped_bytes;                    /* pools count their own blocks */
static struct { int64_t count, lost; } wrapped_on[MA_MAX_GPUS]; /* by GPU id */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;        /* for wrapped_on */
MA_FORK_GUARD(lock, MA_FORK_LEAF)

static void count_wrapped(const ma_device *device, int n, bool lost) {
  if (ma_is_host(device)) return;
  pthread_mutex_lock(&lock);
  wrapped_on[device->id].count += n;
  lost = lost && wrapped_on[device->id].lost > 0;
  if (lost) wrapped_on[device->id].lost--;
  pthread_mutex_unlock(&lock);
  if (lost) ma_buffer_lost(-1);
}

void ma_buffer_lose_wrapped(ma_device *device) {
  pthread_mutex_lock(&lock);
  ma_buffer_lost(wrapped_on[device->id].count - wrapped_on[device->id].lost);
  wrapped_on[device->id].lost = wrapped_on[device->id].count;
  pthread_mutex_unlock(&lock);
}

static void release_nothing(ma_buffer *buffer) { ma_buffer_free_header(buffer); }

ma_status ma_buffer_wrap(ma_device *device, void *ptr, size_t nbytes, void (*release)(ma_buffer *), void *owner,
                         ma_buffer **buffer) {
  ma_buffer *header = malloc(sizeof *header);
  if (!header)
    return ma_fail(MA_ERR_MEMORY, "out of memory: no %zu bytes of host memory for a buffer's header", sizeof *header);
  *header = (ma_buffer){ .refs = 1,
                         .device = device,
                         .ptr = ptr,
                         .nbytes = nbytes,
                         .release = release ? release : release_nothing,
                         .owner = owner,
                         .generation = __atomic_load_n(&device->generation, __ATOMIC_RELAXED) };
  *buffer = header;
  count_wrapped(device, 1, false);
  __atomic_add_fetch(&wrapped_count, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&wrapped_bytes, (int64_t)nbytes, __ATOMIC_RELAXED);
  return MA_OK;
}

void ma_buffer_free_header(ma_buffer *buffer) {
  count_wrapped(buffer->device, -1,
                buffer->generation != __atomic_load_n(&buffer->device->generation, __ATOMIC_RELAXED));
  __atomic_sub_fetch(&wrapped_count, 1, __ATOMIC_RELAXED);
  __atomic_sub_fetch(&wrapped_bytes, (int64_t)buffer->nbytes, __ATOMIC_RELAXED);
  free(buffer);
}

void ma_buffer_retain(ma_buffer *buffer) {
  if (__builtin_expect(buffer->movable, 1)) ma_buffer_count_own(buffer, 1);
  else __atomic_add_fetch(&buffer->refs, 1, __ATOMIC_RELAXED);
}

void ma_buffer_release(ma_buffer *buffer) {
  if (!buffer) return;
  /* A caller that has the only reference needs no locked instruction to drop it, because nobody else can take one. */
  int left = __atomic_load_n(&buffer->refs, __ATOMIC_ACQUIRE) == 1 ? 0
             : buffer->movable                                     ? ma_buffer_count_own(buffer, -1)
                               : __atomic_sub_fetch(&buffer->refs, 1, __ATOMIC_ACQ_REL);
  if (left == 0) buffer->release(buffer);
  else if (__builtin_expect(left == buffer->nreaders, 0)) ma_defer_hooks.pin(buffer);
}

int64_t ma_buffer_live(void) { return ma_pool_live_count() + __atomic_load_n(&wrapped_count, __ATOMIC_RELAXED); }

int64_t ma_buffer_live_bytes(void) { return ma_pool_live_bytes() + __atomic_load_n(&wrapped_bytes, __ATOMIC_RELAXED); }
