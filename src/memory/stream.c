/* stream.c: queues of work. The struct and the queue of a closed stream are kept for the next stream with the same
** device, flags and priority. Queued work still runs, and the next user's work follows it. */
#include "base/fork.h"
#include "memory/graph.h"

#include <pthread.h>
#include <stdlib.h>

#define LEGACY ((void *)1) /* a handle of the driver that stands for the null stream */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_STREAM)
static ma_stream *closed, *every;
static int64_t live; /* atomic, so that it can be read under any lock */

static ma_stream *reopen_locked(const ma_device *device, uint32_t flags, int priority) {
  for (ma_stream **at = &closed; *at; at = &(*at)->next) {
    ma_stream *stream = *at;
    if (stream->device != device || stream->flags != flags || stream->priority != priority) continue;
    *at = stream->next;
    stream->next = NULL;
    return stream;
  }
  return NULL;
}

static void list(ma_stream *made) {
  made->every = __atomic_load_n(&every, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&every, &made->every, made, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
}

/* Makes a struct that is in no list yet. */
static ma_status make(ma_device *device, uint32_t flags, int priority, void *handle, ma_stream **stream) {
  ma_stream *made = calloc(1, sizeof *made);
  if (!made) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a stream");
  *made = (ma_stream){ .device = device, .flags = flags, .priority = priority, .handle = handle };
  if (!handle && device->backend->stream.create) {
    ma_status status = device->backend->stream.create(device, flags, priority, &made->handle);
    if (status != MA_OK) {
      free(made);
      return status;
    }
  }
  *stream = made;
  return MA_OK;
}

/* Brings a priority into the device's range, as the driver would. */
static ma_status clamp(ma_device *device, int *priority) {
  int least = 0, greatest = 0;
  if (device->backend->stream.priorities) MA_TRY(device->backend->stream.priorities(device, &least, &greatest));
  *priority = *priority > least ? least : *priority < greatest ? greatest : *priority;
  return MA_OK;
}

ma_status ma_stream_open(ma_device *device, uint32_t flags, int priority, ma_stream **stream) {
  MA_TRY(clamp(device, &priority));
  ma_status status = MA_OK;
  pthread_mutex_lock(&lock);
  *stream = reopen_locked(device, flags, priority);
  if (!*stream) {
    status = make(device, flags, priority, NULL, stream);
    if (status == MA_OK) list(*stream);
  }
  if (status == MA_OK) __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return status;
}

ma_status ma_stream_wrap(ma_device *device, void *handle, ma_stream **stream) {
  if (!handle || handle == LEGACY) {
    *stream = ma_device_null_stream(device);
    return MA_OK;
  }
  if (!device->backend->stream.look) return ma_fail(MA_ERR_VALUE, "%s has no streams of anybody else's", device->name);
  ma_stream *made;
  MA_TRY(make(device, MA_STREAM_FOREIGN, 0, handle, &made));
  ma_status status = device->backend->stream.look(made);
  if (status != MA_OK) {
    free(made);
    return status;
  }
  list(made);
  *stream = made;
  pthread_mutex_lock(&lock);
  __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return MA_OK;
}

void *ma_stream_expose(ma_stream *stream) {
  stream->exposed = true;
  if (stream->device->backend->stream.expose) stream->device->backend->stream.expose(stream);
  return stream->handle;
}

/* Closes a stream. The struct of a foreign one is kept, because marks refer to it. Its tail is its last work. */
void ma_stream_close(ma_stream *stream) {
  if (stream->capture) ma_capture_drop(stream->capture, "its stream was closed");
  pthread_mutex_lock(&lock);
  __atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
  if (__atomic_load_n(&stream->device->hint, __ATOMIC_RELAXED) == stream)
    __atomic_store_n(&stream->device->hint, NULL, __ATOMIC_RELAXED);
  if (!(stream->flags & MA_STREAM_FOREIGN)) {
    stream->next = closed;
    closed = stream;
  } else if (stream->device->backend->stream.end) {
    stream->ended = stream->device->backend->stream.end(stream) == MA_OK;
  }
  pthread_mutex_unlock(&lock);
}

/* Gives all streams of a device new queues, after a reset destroyed their handles and events. If no new queue can be
** made, a stream uses that of the null stream. */
ma_status ma_stream_renew_all(ma_device *device) {
  ma_status status = MA_OK;
  ma_device_null_stream(device)->tail = NULL;
  for (ma_stream *stream = __atomic_load_n(&every, __ATOMIC_ACQUIRE); stream; stream = stream->every) {
    if (stream->device != device) continue;
    stream->tail = NULL;
    stream->ended = false;
    stream->handle = NULL;
    if (status == MA_OK && device->backend->stream.create)
      status = device->backend->stream.create(device, stream->flags & ~(uint32_t)MA_STREAM_FOREIGN, stream->priority,
                                              &stream->handle);
  }
  return status;
}

int64_t ma_stream_live(void) { return __atomic_load_n(&live, __ATOMIC_RELAXED); }
