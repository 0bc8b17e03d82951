/*
** timeline.c: the work of streams on a timeline. An event is recorded behind each piece of work. A piece begins where
** the one before it on its stream ended, or where the host had sent it, if that was later. Only where something else
** may have come between (work of another stream, or what ma_cuda_queue was asked for), there is an event before it too.
** So a launch costs one call of the driver. Events are read when the timeline ends, or once they are needed again:
** nothing waits for them before. Where the driver refuses something, the span is left out, and the next call finds what
** is wrong.
*/
#include "base/fork.h"
#include "cuda/cuda.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define READY 4096            /* events that a device has from its first timeline on */
#define MOST_EVENTS (1 << 16) /* of a device */
#define AT_ONCE 64            /* further events, made where the device has passed none */
#define FAR 1000              /* ms from the first event, after which a later one takes its place: times are floats */
#define MOST_LINES 128
#define COMPARISONS 8 /* of the two clocks; the best counts */

typedef struct piece {
  CUevent from, to;         /* from: NULL where it follows the piece before it */
  double began, ended;      /* once they are read: ns of the device's clock */
  int64_t called, sent;     /* when the host asked for it, and when that call returned */
  const ma_cuda_line *line; /* NULL: the events could not be read */
  const char *name;         /* a word of the timeline */
  int64_t nbytes;
  ma_track_kind kind;
} piece;

/* What is noted of a device. Its clock is that of its events: ns since the first `base`. */
typedef struct queue {
  const ma_device *device; /* NULL: nothing was noted on it */
  uint32_t generation;
  bool open;                /* in a timeline */
  const ma_cuda_line *last; /* of the last piece: streams may wait for each other */
  CUstream side;            /* where clocks are compared */
  CUevent base;
  double base_at; /* ns */
  double offset;  /* the host's clock minus the device's, when the timeline began */
  piece *pieces;  /* [read, n) are to be read */
  size_t read, n, room;
  CUevent *idle;
  size_t nidle, nevent;
} queue;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_SPAN)
static queue queues[MA_MAX_GPUS];
static ma_cuda_line lines[MOST_LINES]; /* of streams in the timeline; a queue's thread may look at one at any time */
static int nline;

/* ==== Events ===================================================================================================== */

static void put_idle(queue *q, CUevent event) { q->idle[q->nidle++] = event; }

static bool make_events(queue *q, size_t n) {
  CUevent *idle = q->nevent + n <= MOST_EVENTS ? realloc(q->idle, (q->nevent + n) * sizeof(CUevent)) : NULL;
  if (!idle) return false;
  q->idle = idle;
  for (; n > 0 && ma_cu.cuEventCreate(&idle[q->nidle], CU_EVENT_DEFAULT) == CUDA_SUCCESS; n--) {
    q->nidle++;
    q->nevent++;
  }
  return q->nidle > 0;
}

/* When the device passed an event; CUDA_ERROR_NOT_READY: it has not. */
static CUresult when(const queue *q, CUevent event, double *at) {
  float after = 0;
  CUresult result = ma_cu.cuEventElapsedTime(&after, q->base, event);
  *at = q->base_at + (double)after * 1e6;
  return result;
}

/* Reads the oldest piece if the device has passed it; false: it has not, or there is none. */
static bool read_one(queue *q) {
  if (q->read == q->n) return false;
  piece *p = &q->pieces[q->read];
  CUresult result = when(q, p->to, &p->ended);
  if (result == CUDA_ERROR_NOT_READY) return false;
  ma_cuda_line *line = &lines[p->line - lines];
  p->began = line->ended;
  if (result == CUDA_SUCCESS && p->from) result = when(q, p->from, &p->began);
  if (result == CUDA_SUCCESS) line->ended = p->ended;
  else p->line = NULL;
  if (p->from) put_idle(q, p->from);
  if (result == CUDA_SUCCESS && p->ended > q->base_at + FAR * 1e6) {
    put_idle(q, q->base);
    q->base = p->to;
    q->base_at = p->ended;
  } else put_idle(q, p->to);
  q->read++;
  return true;
}

static CUevent take_event(queue *q) {
  if (q->nidle == 0 && !read_one(q)) make_events(q, AT_ONCE);
  return q->nidle ? q->idle[--q->nidle] : NULL;
}

/* ==== Clocks ===================================================================================================== */

/* The host's clock minus the device's: the middle of the times at which an event was recorded and seen, of all that
** these times leave possible. *at: the device's time meanwhile. */
static bool compare(queue *q, double *offset, double *at) {
  double least = -INFINITY, most = INFINITY;
  CUevent event = take_event(q);
  CUresult result = event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  for (int k = 0; result == CUDA_SUCCESS && k < COMPARISONS; k++) {
    double before = (double)ma_nanoseconds();
    result = ma_cu.cuEventRecord(event, q->side);
    if (result != CUDA_SUCCESS) break;
    do result = ma_cu.cuEventQuery(event);
    while (result == CUDA_ERROR_NOT_READY);
    double after = (double)ma_nanoseconds();
    if (result == CUDA_SUCCESS) result = when(q, event, at);
    least = fmax(least, before - *at);
    most = fmin(most, after - *at);
  }
  if (event) put_idle(q, event);
  *offset = (least + most) / 2;
  return result == CUDA_SUCCESS;
}

/* An event that the device has passed is where its clock begins. */
static bool find_base(queue *q) {
  double at;
  if (!q->base && !(q->base = take_event(q))) return false;
  q->base_at = 0;
  return ma_cu.cuEventRecord(q->base, q->side) == CUDA_SUCCESS && ma_cu.cuEventSynchronize(q->base) == CUDA_SUCCESS &&
         compare(q, &q->offset, &at);
}

/* ==== Queues ===================================================================================================== */

/* A reset of the device has destroyed its events. What the driver still has of them goes with the process. */
static void forget(queue *q) {
  free(q->pieces);
  free(q->idle);
  *q = (queue){ .device = NULL };
}

/* Makes the device's queue ready for this timeline, and its context current. */
static bool open_queue(queue *q, const ma_device *device) {
  uint32_t generation = __atomic_load_n(&device->generation, __ATOMIC_ACQUIRE);
  if (q->device && q->generation != generation) forget(q);
  if (q->open) return true;
  q->device = device;
  q->generation = generation;
  if (ma_cuda_enter(device) != MA_OK || (q->nevent < READY && !make_events(q, READY - q->nevent))) return false;
  if (!q->side && ma_cu.cuStreamCreateWithPriority(&q->side, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) return false;
  return q->open = find_base(q);
}

static bool is_open(const queue *q) {
  return q->open && q->generation == __atomic_load_n(&q->device->generation, __ATOMIC_ACQUIRE);
}

static ma_cuda_line *line_of(ma_stream *stream) {
  if (stream->line || nline == MOST_LINES) return stream->line;
  lines[nline] = (ma_cuda_line){ .stream = stream };
  __atomic_store_n(&stream->line, &lines[nline++], __ATOMIC_RELEASE);
  return stream->line;
}

/* ==== Work ======================================================================================================= */

ma_cuda_span ma_cuda_span_begin(ma_stream *stream) {
  ma_cuda_send_before(stream);
  return ma_cuda_span_start(stream);
}

ma_cuda_span ma_cuda_span_start(ma_stream *stream) {
  ma_cuda_span span = { .on = false };
  if (!ma_timeline_is_on() || stream->capture) return span;
  pthread_mutex_lock(&lock);
  queue *q = &queues[stream->device->id];
  ma_cuda_line *line = open_queue(q, stream->device) ? line_of(stream) : NULL;
  span.on = line != NULL;
  if (line &&
      (q->last != line || stream->exposed || (stream->flags & MA_STREAM_FOREIGN) ||
       __atomic_load_n(&line->held, __ATOMIC_RELAXED) > 0 || !__atomic_load_n(&line->joined, __ATOMIC_RELAXED))) {
    span.from = take_event(q);
    span.on = span.from && ma_cu.cuEventRecord(span.from, stream->handle) == CUDA_SUCCESS;
  }
  if (span.from && !span.on) put_idle(q, span.from);
  span.called = ma_nanoseconds();
  pthread_mutex_unlock(&lock);
  return span;
}

static bool make_room(queue *q) {
  if (q->n < q->room) return true;
  size_t room = q->room ? 2 * q->room : READY;
  piece *grown = realloc(q->pieces, room * sizeof *grown);
  if (!grown) return false;
  q->pieces = grown;
  q->room = room;
  return true;
}

static bool note(queue *q, const ma_stream *stream, piece *p) {
  if (!stream->line || !make_room(q) || !(p->to = take_event(q))) return false;
  if (ma_cu.cuEventRecord(p->to, stream->handle) == CUDA_SUCCESS && (p->name = ma_timeline_promise(p->name)) != NULL) {
    q->pieces[q->n++] = *p;
    return true;
  }
  put_idle(q, p->to);
  return false;
}

void ma_cuda_span_end(ma_stream *stream, ma_track_kind kind, ma_cuda_span span, const char *name, int64_t nbytes) {
  if (!span.on) return;
  int64_t sent = kind == MA_TRACK_COPY ? span.called : ma_nanoseconds(); /* the call of a copy may wait for its end */
  pthread_mutex_lock(&lock);
  queue *q = &queues[stream->device->id];
  ma_cuda_line *line = stream->line;
  bool noted = is_open(q) && note(q, stream,
                                  &(piece){ .from = span.from,
                                            .called = span.called,
                                            .sent = sent,
                                            .line = line,
                                            .name = name,
                                            .nbytes = nbytes,
                                            .kind = kind });
  if (line) __atomic_store_n(&line->joined, noted, __ATOMIC_RELAXED);
  if (noted) q->last = line;
  /* The timeline may have ended meanwhile, even by a reset. */
  if (!noted && span.from && q->device && q->generation == stream->device->generation) put_idle(q, span.from);
  pthread_mutex_unlock(&lock);
}

/* ==== From the start to the end ================================================================================== */

/* A piece cannot begin before it was asked for. Clocks drift apart, by `drift` in each ns, and are compared to some
** microseconds: where a short piece would have ended before it was sent, it begins when the host asked for it. */
static void note_piece(const queue *q, const piece *p, double drift) {
  if (!p->line) return;
  int64_t ended = (int64_t)(p->ended + q->offset + p->ended * drift),
          began = (int64_t)(p->began + q->offset + p->began * drift), asked = p->sent < ended ? p->sent : p->called;
  if (!p->from && began < asked) began = asked;
  ma_timeline_note(&(ma_timespan){ .kind = p->kind,
                                   .stream = p->line->stream,
                                   .device = q->device->name,
                                   .name = p->name,
                                   .began = began < ended ? began : ended,
                                   .ended = ended,
                                   .nbytes = p->nbytes });
}

/* No rule forbids this wait: the program does not wait here, its trace does. */
static void settle(queue *q) {
  double offset, at = 0;
  bool there = is_open(q) && ma_cuda_enter(q->device) == MA_OK;
  while (there && q->read < q->n)
    if (!read_one(q)) there = ma_cu.cuEventSynchronize(q->pieces[q->read].to) == CUDA_SUCCESS;
  double drift = there && compare(q, &offset, &at) && at > 0 ? (offset - q->offset) / at : 0;
  for (size_t k = 0; k < q->read; k++) note_piece(q, &q->pieces[k], drift);
  for (; q->read < q->n; q->read++) put_idle(q, q->pieces[q->read].to);
  free(q->pieces);
  q->pieces = NULL;
  q->read = q->n = q->room = 0;
  q->open = false;
  q->last = NULL;
}

void ma_cuda_device_timeline(bool begins) {
  pthread_mutex_lock(&lock);
  for (int k = 0; begins && ma_cuda_registered(k); k++)
    open_queue(&queues[ma_cuda_registered(k)->id], ma_cuda_registered(k));
  for (int id = 0; !begins && id < MA_MAX_GPUS; id++)
    if (queues[id].device) settle(&queues[id]);
  for (int k = 0; !begins && k < nline; k++) __atomic_store_n(&lines[k].stream->line, NULL, __ATOMIC_RELEASE);
  if (!begins) nline = 0;
  pthread_mutex_unlock(&lock);
}
