/*
** external.c: memory and semaphores of other interfaces. Imported memory is one buffer, so uses of all arrays over it
** are kept in order together.
*/
#include "memory/foreign.h"
#include "memory/graph.h"
#include "memory/wait.h"

#include <stdlib.h>

const ma_external_facts ma_external_types[MA_NEXTERNAL] = {
#define TYPE(NAME, ...) { __VA_ARGS__ },
  MA_EXTERNAL_TYPES(TYPE)
#undef TYPE
};

/* ==== Memory ===================================================================================================== */

/* The buffer's owner is the backend's handle, or NULL once it was given back. A reset destroys it. */
static void let_go(ma_buffer *buffer) {
  ma_device *device = buffer->device;
  void *handle = __atomic_exchange_n(&buffer->owner, NULL, __ATOMIC_ACQ_REL);
  if (handle && buffer->generation == __atomic_load_n(&device->generation, __ATOMIC_RELAXED))
    device->backend->external.close_memory(device, handle, buffer->ptr);
}

static void release_memory(ma_buffer *buffer) {
  ma_foreign_settle(buffer);
  let_go(buffer);
  ma_buffer_free_header(buffer);
}

ma_status ma_external_memory(ma_device *device, const ma_external *external, ma_buffer **buffer) {
  void *handle = NULL, *address = NULL;
  MA_TRY(device->backend->external.open_memory(device, external, &handle, &address));
  ma_status status = ma_buffer_wrap(device, address, (size_t)external->size, release_memory, handle, buffer);
  if (status != MA_OK) device->backend->external.close_memory(device, handle, address);
  return status;
}

ma_status ma_external_take_back(ma_buffer *buffer) {
  bool lost = buffer->generation != __atomic_load_n(&buffer->device->generation, __ATOMIC_RELAXED);
  if (!lost) MA_TRY(ma_buffer_use(buffer, NULL, true));
  ma_buffer_withdraw(buffer);
  let_go(buffer);
  return MA_OK;
}

/* ==== Semaphores ================================================================================================= */

static bool is_lost(const ma_semaphore *s) {
  return s->generation != __atomic_load_n(&s->device->generation, __ATOMIC_RELAXED);
}

ma_status ma_semaphore_open(ma_device *device, const ma_external *external, ma_semaphore *s) {
  *s = (ma_semaphore){ .device = device, .generation = device->generation, .type = external->type };
  return device->backend->external.open_semaphore(device, external, &s->handle);
}

static ma_status note(ma_semaphore *s, ma_stream *stream) {
  for (int k = 0; k < s->nused; k++)
    if (s->used[k] == stream) return MA_OK;
  if (s->nused == s->room) {
    int room = s->room ? 2 * s->room : 2;
    ma_stream **used = realloc(s->used, (size_t)room * sizeof(void *));
    if (!used) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for the streams of a semaphore");
    s->used = used;
    s->room = room;
  }
  s->used[s->nused++] = stream;
  return MA_OK;
}

ma_status ma_semaphore_queue(ma_semaphore *s, ma_stream *stream, bool signal, uint64_t value) {
  if (is_lost(s))
    return ma_fail(MA_ERR_DEVICE, "a semaphore from before the reset of %s; import it again", s->device->name);
  /* Each launch would wait for the same value, and signal one that is already there. */
  MA_TRY(ma_capture_refuse_work(stream, signal ? "a signal of a semaphore" : "a wait for a semaphore"));
  MA_TRY(note(s, stream));
  return signal ? s->device->backend->external.signal(stream, s->handle, value)
                : s->device->backend->external.wait(stream, s->handle, value);
}

/* Waits for the stream's work, where it records for what was queued before: the recording has no semaphores. */
static bool await_work(ma_stream *stream) {
  ma_stream *side = NULL;
  if (!stream->capture) return ma_wait_for_sure(stream) == MA_OK;
  if (ma_stream_open(stream->device, MA_STREAM_NON_BLOCKING, 0, &side) != MA_OK) return false;
  bool awaited = ma_stream_wait(side, stream) == MA_OK && ma_wait_for_sure(side) == MA_OK;
  ma_stream_close(side);
  return awaited;
}

/* The driver wants nothing queued to use a semaphore that ends. If the device fails, the semaphore stays. */
void ma_semaphore_close(ma_semaphore *s) {
  bool idle = true;
  for (int k = 0; s->handle && !is_lost(s) && k < s->nused; k++) idle &= await_work(s->used[k]);
  if (s->handle && idle && !is_lost(s)) s->device->backend->external.close_semaphore(s->device, s->handle);
  free(s->used);
  s->used = NULL;
  s->nused = s->room = 0;
  s->handle = NULL;
}
