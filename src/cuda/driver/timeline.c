/*
** timeline.c: the work of streams on a timeline. An event before the work and one behind it are read later, when the
** device has passed both, so nothing waits for them before the timeline ends. Where the driver refuses something, the
** span is left out, and the next call finds what is wrong.
*/
#include "base/fork.h"
#include "cuda/cuda.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_EVENTS (1 << 16) /* of a device */
#define AT_ONCE 64            /* events made, and pairs read, when none is free */
#define FAR 1000              /* ms from the first event, after which a later one takes its place: times are floats */

typedef struct pair {
  CUevent from, to;
  const ma_stream *stream;
  const char *name; /* a word of the timeline */
  int64_t nbytes;
  ma_track_kind kind;
} pair;

/* What waits to be read of a device. `base` is an event whose time on the host's clock is known. */
typedef struct queue {
  ma_device *device; /* NULL: nothing was noted on it */
  uint32_t generation;
  CUevent base;
  double base_time; /* ns */
  pair *pair;       /* [first, n) are to be read */
  size_t first, n, room;
  CUevent *idle;
  size_t nidle, nevent;
} queue;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* may be held while a stream is opened */
MA_FORK_GUARD(lock, MA_FORK_DEVICE)
static queue queues[MA_MAX_GPUS];

/* ==== Events ===================================================================================================== */

/* An event of a stream without other work has passed when the wait for it ends. */
static bool find_base(queue *q) {
  ma_stream *side = NULL;
  if (ma_stream_open(q->device, MA_STREAM_NON_BLOCKING, 0, &side) != MA_OK) return false;
  bool found = ma_cu.cuEventCreate(&q->base, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
  for (int k = 0; found && k < 2; k++) { /* the first time takes longer */
    found = ma_cu.cuEventRecord(q->base, side->handle) == CUDA_SUCCESS &&
            ma_cu.cuEventSynchronize(q->base) == CUDA_SUCCESS;
    q->base_time = (double)ma_nanoseconds();
  }
  ma_stream_close(side);
  return found;
}

static void put_idle(queue *q, CUevent event) { q->idle[q->nidle++] = event; }

static void make_events(queue *q) {
  CUevent *idle = q->nevent < MOST_EVENTS ? realloc(q->idle, (q->nevent + AT_ONCE) * sizeof(CUevent)) : NULL;
  if (!idle) return;
  q->idle = idle;
  for (int k = 0; k < AT_ONCE && ma_cu.cuEventCreate(&idle[q->nidle], CU_EVENT_DEFAULT) == CUDA_SUCCESS; k++) {
    q->nidle++;
    q->nevent++;
  }
}

/* ==== Reading ==================================================================================================== */

static void note(queue *q, const pair *p) {
  float after = 0, took = 0;
  if (ma_cu.cuEventElapsedTime(&after, q->base, p->from) != CUDA_SUCCESS ||
      ma_cu.cuEventElapsedTime(&took, p->from, p->to) != CUDA_SUCCESS)
    return;
  double began = q->base_time + (double)after * 1e6;
  ma_timeline_note(&(ma_timespan){ .kind = p->kind,
                                   .stream = p->stream,
                                   .device = q->device->name,
                                   .name = p->name,
                                   .began = (int64_t)began,
                                   .ended = (int64_t)(began + (double)took * 1e6),
                                   .nbytes = p->nbytes });
}

/* Reads the oldest pair if the device has passed it; false: it has not, or there is none. */
static bool read_one(queue *q) {
  if (q->first == q->n) return false;
  const pair *p = &q->pair[q->first];
  float after = 0;
  if (ma_cu.cuEventQuery(p->to) != CUDA_SUCCESS) return false;
  note(q, p);
  if (ma_cu.cuEventElapsedTime(&after, q->base, p->to) == CUDA_SUCCESS && after > FAR) {
    put_idle(q, q->base);
    q->base = p->to;
    q->base_time += (double)after * 1e6;
  } else put_idle(q, p->to);
  put_idle(q, p->from);
  if (++q->first == q->n) q->first = q->n = 0;
  return true;
}

static CUevent take_event(queue *q) {
  for (int k = 0; q->nidle == 0 && k < AT_ONCE && read_one(q); k++) {}
  if (q->nidle == 0) make_events(q);
  return q->nidle ? q->idle[--q->nidle] : NULL;
}

/* A reset of the device has destroyed its events. */
static void forget(queue *q, bool there) {
  for (size_t k = q->first; there && k < q->n; k++) {
    ma_cu.cuEventDestroy(q->pair[k].from);
    ma_cu.cuEventDestroy(q->pair[k].to);
  }
  for (size_t k = 0; there && k < q->nidle; k++) ma_cu.cuEventDestroy(q->idle[k]);
  if (there && q->base) ma_cu.cuEventDestroy(q->base);
  free(q->pair);
  free(q->idle);
  *q = (queue){ .device = NULL };
}

/* ==== Work ======================================================================================================= */

/* The queue of the stream's device; NULL: its work cannot be timed. */
static queue *queue_of(const ma_stream *stream) {
  ma_device *device = stream->device;
  queue *q = &queues[device->id];
  if (q->device && q->generation != device->generation) forget(q, false);
  if (q->device) return q;
  *q = (queue){ .device = device, .generation = device->generation };
  make_events(q);
  if (q->nidle && find_base(q)) return q;
  forget(q, true);
  return NULL;
}

CUevent ma_cuda_span_begin(ma_stream *stream) {
  pthread_mutex_lock(&lock);
  queue *q = queue_of(stream);
  CUevent from = q ? take_event(q) : NULL;
  if (from && ma_cu.cuEventRecord(from, ma_cuda_queue(stream)) != CUDA_SUCCESS) {
    put_idle(q, from);
    from = NULL;
  }
  pthread_mutex_unlock(&lock);
  return from;
}

static bool make_room(queue *q) {
  if (q->n < q->room) return true;
  pair *grown = realloc(q->pair, (q->room + MOST_EVENTS / 16) * sizeof *grown);
  if (!grown) return false;
  q->pair = grown;
  q->room += MOST_EVENTS / 16;
  return true;
}

void ma_cuda_span_end(ma_stream *stream, ma_track_kind kind, CUevent from, const char *name, int64_t nbytes) {
  queue *q = &queues[stream->device->id];
  pthread_mutex_lock(&lock);
  if (!from || !q->device || q->generation != stream->device->generation) { /* the timeline ended meanwhile */
    if (from) ma_cu.cuEventDestroy(from);
    pthread_mutex_unlock(&lock);
    return;
  }
  CUevent to = take_event(q);
  bool recorded = to && make_room(q) && ma_cu.cuEventRecord(to, ma_cuda_queue(stream)) == CUDA_SUCCESS;
  if (recorded) q->pair[q->n++] = (pair){ from, to, stream, ma_timeline_word(name), nbytes, kind };
  else {
    put_idle(q, from);
    if (to) put_idle(q, to);
  }
  pthread_mutex_unlock(&lock);
}

/* No rule forbids this wait: the program does not wait here, its trace does. */
void ma_cuda_device_settle(void) {
  pthread_mutex_lock(&lock);
  for (int id = 0; id < MA_MAX_GPUS; id++) {
    queue *q = &queues[id];
    if (!q->device) continue;
    bool there = q->generation == q->device->generation && ma_cuda_enter(q->device) == MA_OK;
    while (there && q->first < q->n && ma_cu.cuEventSynchronize(q->pair[q->first].to) == CUDA_SUCCESS && read_one(q)) {}
    forget(q, there);
  }
  pthread_mutex_unlock(&lock);
}
