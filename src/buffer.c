/*
** buffer.c: reference counts over blocks of device memory. A buffer's header is either part of a pool's block (pool.c) or, for
** foreign memory, its own allocation.
*/
#include "moonarray.h"

#include <stdlib.h>

static int64_t live_count, live_bytes;

static void count_live(int64_t count, int64_t bytes)
{
  __atomic_add_fetch(&live_count, count, __ATOMIC_RELAXED);
  __atomic_add_fetch(&live_bytes, bytes, __ATOMIC_RELAXED);
}

ma_status ma_buffer_new(ma_device *device, size_t nbytes, ma_buffer **buffer)
{
  if (!device->pool)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %s has no pool", device->name);
  MA_TRY(ma_pool_alloc(device->pool, nbytes, buffer));
  count_live(1, (int64_t)nbytes);
  return MA_OK;
}

static void release_nothing(ma_buffer *buffer)
{
  ma_buffer_free_header(buffer);
}

ma_status ma_buffer_wrap(ma_device *device, void *ptr, size_t nbytes, void (*release)(ma_buffer *), void *owner, ma_buffer **buffer)
{
  ma_buffer *header = malloc(sizeof *header);
  if (!header)
    return ma_fail(MA_ERR_MEMORY, "out of memory: no %zu bytes of host memory for a buffer's header", sizeof *header);
  *header = (ma_buffer){ .refs = 1, .device = device, .ptr = ptr, .nbytes = nbytes, .release = release ? release : release_nothing, .owner = owner };
  *buffer = header;
  count_live(1, (int64_t)nbytes);
  return MA_OK;
}

void ma_buffer_free_header(ma_buffer *buffer)
{
  free(buffer);
}

void ma_buffer_retain(ma_buffer *buffer)
{
  __atomic_add_fetch(&buffer->refs, 1, __ATOMIC_RELAXED);
}

void ma_buffer_release(ma_buffer *buffer)
{
  if (!buffer || __atomic_sub_fetch(&buffer->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  count_live(-1, -(int64_t)buffer->nbytes);
  buffer->release(buffer);
}

int64_t ma_buffer_live(void) { return __atomic_load_n(&live_count, __ATOMIC_RELAXED); }
int64_t ma_buffer_live_bytes(void) { return __atomic_load_n(&live_bytes, __ATOMIC_RELAXED); }
