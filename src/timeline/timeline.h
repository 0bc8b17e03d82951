/*
** timeline.h: what is done around each piece of work: MOONARRAY_DEBUG=2 prints it, MOONARRAY_SYNC=1 waits for it, and
** ma.profiler.trace has spans of time noted here. Whoever works notes his own. At the end they are printed as JSON in
** Chrome's format.
*/
#ifndef MOONARRAY_TIMELINE_H
#define MOONARRAY_TIMELINE_H

#include "base/base.h"

#include <time.h>

#pragma GCC visibility push(hidden)

typedef enum ma_observe {
  MA_OBSERVE_UNKNOWN, /* nobody has looked at the switches yet */
  MA_OBSERVE_NOTHING,
  MA_OBSERVE_WAIT,  /* wait after each launch */
  MA_OBSERVE_PRINT, /* print a line for each launch, copy and operation */
  MA_OBSERVE_SPAN   /* note a span for each of them */
} ma_observe;
extern int ma_observing; /* atomic: an ma_observe */
ma_observe ma_observe_find(void);
static inline ma_observe ma_observe_now(void) {
  int known = __atomic_load_n(&ma_observing, __ATOMIC_RELAXED);
  return __builtin_expect(known == MA_OBSERVE_UNKNOWN, 0) ? ma_observe_find() : (ma_observe)known;
}
static inline bool ma_timeline_is_on(void) {
  return __atomic_load_n(&ma_observing, __ATOMIC_RELAXED) == MA_OBSERVE_SPAN;
}

/* Nanoseconds of the clock of ma.time. */
static inline int64_t ma_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The kinds of tracks. Each thread has its own of a kind, and each stream of a GPU those of MA_TRACK_STREAM and
** MA_TRACK_COPY. Frames follow from the calls of ma.update. */
typedef enum ma_track_kind {
  MA_TRACK_FRAME,
  MA_TRACK_RANGE,
  MA_TRACK_CALL,
  MA_TRACK_WAIT,
  MA_TRACK_WORK, /* of the CPU */
  MA_TRACK_STREAM,
  MA_TRACK_COPY,
  MA_TRACK_COMPILATION,
  MA_TRACK_COLLECTION,
  MA_NTRACK_KIND
} ma_track_kind;

/* The innermost call of the program on a thread: what it calls, and where. The texts are those of one timeline. */
typedef struct ma_caller {
  int64_t timeline;
  const char *name, *place;
  int line;
} ma_caller;
extern __thread ma_caller ma_caller_now;

typedef struct ma_timespan {
  ma_track_kind kind;
  const void *stream; /* of MA_TRACK_STREAM and MA_TRACK_COPY; NULL: the calling thread */
  const char *device; /* of the stream */
  const char *name;
  const char *arrays, *place; /* of a call, or NULL; a wait has those of the call that waits */
  int line;
  int64_t began, ended;
  int64_t nbytes; /* moved; 0: unknown */
} ma_timespan;

/* Keeps room for a span of a stream, which is noted later: a copy of its name as below, or NULL if there is no room, or
** no timeline. */
const char *ma_timeline_promise(const char *name);
/* Notes a span, whose texts are copied; those of a call are the caller's (ma_caller_now). What there is no room for is
** counted. Harmless while no timeline is on. */
void ma_timeline_note(const ma_timespan *span);
/* The texts are copies, the same for equal texts, that live until ma_timeline_free; "" without memory. */
ma_caller ma_timeline_caller(const char *name, const char *place, int line);
/* 0 where no timeline is on; else the time, for one of the next two, which do nothing for 0. */
static inline int64_t ma_timeline_begin(void) {
  return __builtin_expect(ma_timeline_is_on(), 0) ? ma_nanoseconds() : 0;
}
void ma_timeline_end(ma_track_kind kind, int64_t began, const char *name, int64_t nbytes);

ma_status ma_timeline_start(void); /* fails if one is on */
void ma_timeline_stop(void);       /* nobody begins a span any more */
void ma_timeline_print(ma_ctext *text);
void ma_timeline_free(void);

#pragma GCC visibility pop
#endif
