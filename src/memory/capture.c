/* capture.c: captures, which graph.h describes: what a stream records, from its begin to its end. */
#include "base/fork.h"
#include "memory/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSAL                                                                                                   \
  "inside a graph capture; what waits for the device or brings its values to the host cannot be recorded, do it " \
  "before or after"
#define NO_VALUES "inside a graph capture; an array that the capture made has no values before the graph is launched"
#define OTHER_THREAD "a stream that another thread records; wanted a stream of this one's own"
#define NULL_STREAM                                                                                          \
  "inside a graph capture; the null stream waits for the stream that records, record on a stream made with " \
  "non_blocking = true"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static ma_capture *captures; /* in progress */

/* The capture of the calling thread; NULL: none. */
static ma_capture *mine(void) {
  pthread_t self = pthread_self();
  pthread_mutex_lock(&lock);
  ma_capture *c = captures;
  while (c && !pthread_equal(c->thread, self)) c = c->next;
  pthread_mutex_unlock(&lock);
  return c;
}

/* ==== The buffers of a capture =================================================================================== */

static uint32_t place_of(const ma_capture *c, const ma_buffer *buffer) {
  return (uint32_t)(((uintptr_t)buffer >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (uint32_t)(c->nslot - 1);
}

static ma_capture_use *find(const ma_capture *c, const ma_buffer *buffer) {
  if (!c->nslot) return NULL;
  for (uint32_t i = place_of(c, buffer); c->slot[i]; i = (i + 1) & (uint32_t)(c->nslot - 1))
    if (c->use[c->slot[i] - 1].buffer == buffer) return &c->use[c->slot[i] - 1];
  return NULL;
}

static void file(ma_capture *c, int index) {
  uint32_t i = place_of(c, c->use[index].buffer);
  while (c->slot[i]) i = (i + 1) & (uint32_t)(c->nslot - 1);
  c->slot[i] = index + 1;
}

static ma_status make_room(ma_capture *c) {
  if (c->nuse < c->room) return MA_OK;
  int room = c->room ? 2 * c->room : 32;
  ma_capture_use *use = realloc(c->use, (size_t)room * sizeof *use);
  if (use) c->use = use;
  int32_t *slot = use ? calloc((size_t)room * 2, sizeof *slot) : NULL;
  if (!slot) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph of %d buffers", room);
  free(c->slot);
  c->slot = slot;
  c->nslot = 2 * room;
  c->room = room;
  for (int k = 0; k < c->nuse; k++) file(c, k);
  return MA_OK;
}

static ma_status add(ma_capture *c, ma_buffer *buffer, bool own, bool written) {
  MA_TRY(make_room(c));
  ma_buffer_retain(buffer);
  bool known = !own && !buffer->movable;
  buffer->movable = false; /* the graph knows the address */
  c->use[c->nuse] = (ma_capture_use){ .buffer = buffer, .written = written, .used = !own, .own = own, .known = known };
  file(c, c->nuse++);
  return MA_OK;
}

ma_status ma_capture_use_of(ma_capture *c, ma_buffer *buffer, bool write) {
  ma_capture_use *use = find(c, buffer);
  if (!use) return add(c, buffer, false, write);
  use->used = true;
  use->written |= write;
  return MA_OK;
}

bool ma_capture_alone(const ma_capture *c, const ma_buffer *buffer) {
  const ma_capture_use *use = find(c, buffer);
  return use && !use->known;
}

bool ma_capture_is_fresh(const ma_capture *c, const ma_buffer *buffer) {
  const ma_capture_use *use = find(c, buffer);
  return use && use->own && !use->used && !use->known;
}

static bool is_host(const ma_stream *stream) { return !stream || ma_is_host(stream->device); }

/* Checks a use that is not recorded. Three kinds are refused, because their result would not be what the caller
** means. */
static ma_status check_other(ma_capture *c, const ma_buffer *buffer, const ma_stream *stream, bool write) {
  ma_capture_use *use = find(c, buffer);
  const char *why = NULL;
  /* If the host writes a constant now, before recorded work reads it, the memory is no longer the graph's own. */
  if (use && use->own && is_host(stream) && write && !use->used) use->own = false;
  else if (use && use->own) why = NO_VALUES;
  else if (!is_host(stream) && !stream->handle && stream->device == c->device &&
           !(c->stream->flags & MA_STREAM_NON_BLOCKING))
    why = NULL_STREAM;
  if (!why) return MA_OK;
  ma_capture_drop(c, why);
  return ma_fail(MA_ERR_VALUE, "%s", why);
}

ma_status ma_capture_note(ma_buffer *buffer, ma_stream *stream, bool write, bool *noted) {
  ma_capture *c = stream ? stream->capture : NULL;
  *noted = c != NULL;
  if (c && !pthread_equal(c->thread, pthread_self())) return ma_fail(MA_ERR_VALUE, OTHER_THREAD);
  if (c) return ma_capture_use_of(c, buffer, write);
  c = mine();
  return c ? check_other(c, buffer, stream, write) : MA_OK;
}

/* ==== Memory made while recording ================================================================================ */

/* The capture that owns new memory. New memory is meant for the stream that was made current last. If that is not
** the recording stream, the memory belongs to the graph only once it is used there. */
static ma_capture *owner_of(const ma_device *device) {
  ma_capture *c = mine();
  bool owns = c && c->device == device && !c->elsewhere &&
              __atomic_load_n(&device->hint, __ATOMIC_RELAXED) == c->stream;
  return owns ? c : NULL;
}

/* Finds a block of the graph that is free again. On the CPU there is none: the host may write constants into new memory
** while it records, so no block is handed out twice. */
bool ma_capture_reuse(ma_device *device, size_t nbytes, ma_buffer **buffer) {
  const ma_capture *c = owner_of(device);
  ma_buffer *best = NULL;
  if (!c || ma_is_host(device)) return false;
  for (int k = 0; k < c->nuse; k++) {
    ma_buffer *b = c->use[k].buffer;
    if (c->use[k].own && b->nbytes >= nbytes && b->nbytes / 2 <= nbytes && (!best || b->nbytes < best->nbytes) &&
        __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) == 1)
      best = b;
  }
  if (!best) return false;
  ma_buffer_retain(best);
  *buffer = best;
  return true;
}

ma_status ma_capture_own(ma_buffer *buffer) {
  ma_capture *c = owner_of(buffer->device);
  return c ? add(c, buffer, true, true) : MA_OK;
}

/* ==== Captures =================================================================================================== */

static ma_status check_begin(const ma_stream *stream) {
  if (stream == ma_device_null_stream(stream->device))
    return ma_fail(MA_ERR_VALUE,
                   "the null stream; work is recorded on a stream such as moonarray.Stream{non_blocking = true}");
  if (stream->capture || mine())
    return ma_fail(MA_ERR_VALUE, "%s stream of this thread is recorded already; wanted its end_capture() before",
                   stream->capture ? "this" : "another");
  return MA_OK;
}

ma_status ma_capture_begin(ma_stream *stream, ma_capture **capture) {
  MA_TRY(check_begin(stream));
  ma_capture *c = calloc(1, sizeof *c);
  if (!c) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  c->device = stream->device;
  c->thread = pthread_self();
  snprintf(c->why, sizeof c->why, "it was ended already");
  c->stream = stream;
  ma_status status = ma_stream_begin_capture(stream, c, &c->handle);
  if (status != MA_OK) {
    free(c);
    return status;
  }
  __atomic_store_n(&stream->device->hint, stream, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  c->next = captures;
  captures = c;
  pthread_mutex_unlock(&lock);
  __atomic_add_fetch(&ma_uses_watched, 1, __ATOMIC_RELAXED);
  *capture = c;
  return MA_OK;
}

static ma_status stop(ma_capture *c, bool keep) {
  ma_status status = ma_stream_end_capture(c->stream, c->handle, keep);
  pthread_mutex_lock(&lock);
  ma_capture **at = &captures;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  pthread_mutex_unlock(&lock);
  __atomic_sub_fetch(&ma_uses_watched, 1, __ATOMIC_RELAXED);
  c->stream = NULL;
  ma_leaving_sweep();
  return status;
}

static void clear(ma_capture *c) {
  if (c->handle) c->device->backend->graph.free(c->device, c->handle);
  c->handle = NULL;
  c->ready = false;
  for (int k = 0; k < c->nuse; k++) ma_buffer_release(c->use[k].buffer);
  for (ma_capture_hold *h = c->hold, *next; h; h = next) {
    next = h->next;
    h->release(h->what);
    free(h);
  }
  for (ma_capture_source *s = c->source, *next; s; s = next) {
    next = s->next;
    ma_buffer_release(s->cell);
    free(s);
  }
  free(c->use);
  free(c->slot);
  c->use = NULL;
  c->slot = NULL;
  c->hold = NULL;
  c->source = NULL;
  c->nuse = c->room = c->nslot = 0;
}

ma_status ma_capture_end(ma_capture *c) {
  if (!c->stream) return ma_fail(MA_ERR_VALUE, "the capture was dropped: %s", c->why);
  ma_status status = stop(c, true);
  c->ready = status == MA_OK;
  if (status != MA_OK) clear(c);
  return status;
}

void ma_capture_drop(ma_capture *c, const char *why) {
  if (!c->stream) return;
  stop(c, false);
  snprintf(c->why, sizeof c->why, "%s", why);
  clear(c);
}

void ma_capture_drop_device(ma_device *device, const char *why) {
  ma_capture *found;
  do {
    pthread_mutex_lock(&lock);
    for (found = captures; found && found->device != device;) found = found->next;
    pthread_mutex_unlock(&lock);
    if (found) ma_capture_drop(found, why);
  } while (found);
}

void ma_capture_free(ma_capture *c) {
  if (!c) return;
  ma_capture_drop(c, "");
  clear(c);
  free(c);
}

/* Drops the capture of the calling thread. One of another thread is left alone, since it may have ended by now. */
static ma_status drop_own(const ma_stream *stream, const char *why) {
  if (!__atomic_load_n(&stream->capture, __ATOMIC_RELAXED)) return MA_OK;
  ma_capture *c = mine();
  if (!c || c->stream != stream) return ma_fail(MA_ERR_VALUE, OTHER_THREAD);
  ma_capture_drop(c, why);
  return ma_fail(MA_ERR_VALUE, "%s", why);
}

ma_status ma_capture_refuse(ma_stream *stream) { return drop_own(stream, REFUSAL); }

ma_status ma_capture_refuse_work(ma_stream *stream, const char *what) {
  char why[160];
  if (!__atomic_load_n(&stream->capture, __ATOMIC_RELAXED)) return MA_OK;
  snprintf(why, sizeof why, "inside a graph capture; %s cannot be recorded, do it before or after", what);
  return drop_own(stream, why);
}

int ma_capture_count(void) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (const ma_capture *c = captures; c; c = c->next) n++;
  pthread_mutex_unlock(&lock);
  return n;
}

ma_status ma_capture_keep(ma_capture *c, void *what, void (*release)(void *what)) {
  ma_capture_hold *h = c->hold;
  while (h && h->what != what) h = h->next;
  ma_capture_hold *made = h ? NULL : malloc(sizeof *made);
  if (!made) {
    release(what);
    return h ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a graph");
  }
  *made = (ma_capture_hold){ c->hold, what, release };
  c->hold = made;
  return MA_OK;
}
