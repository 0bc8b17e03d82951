/* timeline.c: the spans of a timeline, and their JSON (timeline.h). */
#include "timeline/timeline.h"
#include "base/fork.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SPANS (1 << 20)
#define MOST_TRACKS 256
#define BUCKETS 1024 /* a power of 2 */

int ma_observing;
__thread ma_caller ma_caller_now;

ma_observe ma_observe_find(void) {
  int found = ma_config_int(MA_CONFIG_DEBUG) >= 2 ? MA_OBSERVE_PRINT
              : ma_config_int(MA_CONFIG_SYNC)     ? MA_OBSERVE_WAIT
                                                  : MA_OBSERVE_NOTHING,
      unknown = MA_OBSERVE_UNKNOWN; /* every thread would write the same value, unless a timeline began meanwhile */
  if (!__atomic_compare_exchange_n(&ma_observing, &unknown, found, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    found = unknown;
  return (ma_observe)found;
}

typedef struct word {
  struct word *next;
  uint64_t hash;
  char text[];
} word;

typedef struct track {
  ma_track_kind kind;
  const void *key; /* the stream, or the thread */
  const char *device;
  int number;    /* among those of its kind and device, from 1 on */
  int64_t ended; /* the end of the last span */
} track;

/* A span whose texts are words. */
typedef struct noted {
  int64_t began, ended, nbytes;
  const char *name, *arrays, *call, *place; /* call: that waited */
  int line, track;
} noted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static struct {
  bool on;
  int64_t began;
  word *words[BUCKETS];
  track track[MOST_TRACKS];
  int ntrack;
  noted *span;
  size_t n, room, promised, left_out; /* promised: spans of streams, which are noted later */
} the;

/* ==== Noting ===================================================================================================== */

static const char *word_locked(const char *text) {
  if (!text) return NULL;
  size_t n = strlen(text);
  uint64_t hash = ma_hash(text, n, 0);
  word **at = &the.words[hash % BUCKETS];
  for (const word *w = *at; w; w = w->next)
    if (w->hash == hash && !strcmp(w->text, text)) return w->text;
  word *made = malloc(sizeof *made + n + 1);
  if (!made) return "";
  made->next = *at;
  made->hash = hash;
  memcpy(made->text, text, n + 1);
  *at = made;
  return made->text;
}

const char *ma_timeline_promise(const char *name) {
  pthread_mutex_lock(&lock);
  bool fits = the.on && the.n + the.promised < MOST_SPANS;
  const char *copy = fits ? word_locked(name) : NULL;
  if (fits) the.promised++;
  else the.left_out += the.on;
  pthread_mutex_unlock(&lock);
  return copy;
}

ma_caller ma_timeline_caller(const char *name, const char *place, int line) {
  pthread_mutex_lock(&lock);
  ma_caller caller = { the.began, word_locked(name), word_locked(place), line };
  pthread_mutex_unlock(&lock);
  return caller;
}

/* The track of a span; -1: there are too many. */
static int track_locked(const ma_timespan *s) {
  static __thread char thread; /* its address stands for the thread */
  const void *key = s->stream ? s->stream : &thread;
  int number = 1;
  for (int k = 0; k < the.ntrack; k++) {
    const track *t = &the.track[k];
    if (t->kind != s->kind) continue;
    if (t->key == key) return k;
    number += !s->stream || !strcmp(t->device, s->device);
  }
  if (the.ntrack == MOST_TRACKS) return -1;
  the.track[the.ntrack] = (track){ s->kind, key, word_locked(s->device), number, 0 };
  return the.ntrack++;
}

static bool make_room_locked(void) {
  if (the.n + the.promised >= MOST_SPANS) return false;
  if (the.n < the.room) return true;
  size_t room = the.room ? 2 * the.room : 4096;
  noted *grown = realloc(the.span, room * sizeof *grown);
  if (!grown) return false;
  the.span = grown;
  the.room = room;
  return true;
}

/* The texts of a call are those of its caller, which are words already. */
static const char *text_locked(const ma_timespan *s, const char *text) {
  return s->kind == MA_TRACK_CALL ? text : word_locked(text);
}

/* Times of a GPU's events are rounded, but what a stream does does not overlap. */
static void note_locked(const ma_timespan *s) {
  int k = track_locked(s);
  if (s->stream && the.promised > 0) the.promised--;
  if (k < 0 || !make_room_locked()) {
    the.left_out++;
    return;
  }
  track *t = &the.track[k];
  int64_t late = s->stream && s->began < t->ended ? t->ended - s->began : 0;
  noted *n = &the.span[the.n++];
  *n = (noted){ .began = s->began + late,
                .ended = s->ended + late,
                .nbytes = s->nbytes,
                .name = text_locked(s, s->name),
                .arrays = word_locked(s->arrays),
                .place = text_locked(s, s->place),
                .line = s->line,
                .track = k };
  if (s->kind == MA_TRACK_WAIT && ma_caller_now.timeline == the.began) {
    n->call = ma_caller_now.name;
    n->place = ma_caller_now.place;
    n->line = ma_caller_now.line;
  }
  t->ended = s->ended + late;
}

void ma_timeline_note(const ma_timespan *span) {
  pthread_mutex_lock(&lock);
  /* A call that began in an earlier timeline has texts of that one. */
  if (the.on && (span->kind != MA_TRACK_CALL || ma_caller_now.timeline == the.began)) note_locked(span);
  pthread_mutex_unlock(&lock);
}

void ma_timeline_end(ma_track_kind kind, int64_t began, const char *name, int64_t nbytes) {
  if (__builtin_expect(began == 0, 1)) return;
  ma_timeline_note(
    &(ma_timespan){ .kind = kind, .name = name, .began = began, .ended = ma_nanoseconds(), .nbytes = nbytes });
}

/* ==== From the start to the end ================================================================================== */

ma_status ma_timeline_start(void) {
  pthread_mutex_lock(&lock);
  bool is_free = !the.on;
  if (is_free) {
    the.on = true;
    the.began = ma_nanoseconds();
    __atomic_store_n(&ma_observing, MA_OBSERVE_SPAN, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&lock);
  return is_free ? MA_OK : ma_fail(MA_ERR_VALUE, "inside of another trace; wanted one at a time");
}

void ma_timeline_stop(void) { __atomic_store_n(&ma_observing, MA_OBSERVE_UNKNOWN, __ATOMIC_RELAXED); }

void ma_timeline_free(void) {
  pthread_mutex_lock(&lock);
  for (int k = 0; k < BUCKETS; k++)
    for (word *w = the.words[k], *next; w; w = next) {
      next = w->next;
      free(w);
    }
  free(the.span);
  memset(&the, 0, sizeof the);
  pthread_mutex_unlock(&lock);
}

/* ==== JSON ======================================================================================================= */

static void put_string(ma_ctext *text, const char *string) {
  char plain[128];
  size_t n = 0;
  ma_ctext_put(text, "\"");
  for (const char *p = string; *p; p++) {
    unsigned char c = (unsigned char)*p;
    if (n + 8 > sizeof plain) {
      ma_ctext_put(text, plain);
      n = 0;
    }
    if (c == '"' || c == '\\') n += (size_t)snprintf(plain + n, sizeof plain - n, "\\%c", c);
    else if (c < 32) n += (size_t)snprintf(plain + n, sizeof plain - n, "\\u%04x", c);
    else plain[n++] = (char)c;
    plain[n] = 0;
  }
  if (n) ma_ctext_put(text, plain);
  ma_ctext_put(text, "\"");
}

/* Microseconds, with three digits behind the point. */
static void put_time(ma_ctext *text, const char *key, int64_t ns) {
  const char *sign = ns < 0 ? "-" : "";
  if (ns < 0) ns = -ns;
  ma_ctext_add(text, ",\"%s\":%s%" PRId64 ".%03d", key, sign, ns / 1000, (int)(ns % 1000));
}

static const struct {
  const char *title, *category;
} kinds[MA_NTRACK_KIND] = {
  [MA_TRACK_FRAME] = { "frames", "frame" },
  [MA_TRACK_RANGE] = { "ranges", "range" },
  [MA_TRACK_CALL] = { "calls", "call" },
  [MA_TRACK_WAIT] = { "waits", "wait" },
  [MA_TRACK_WORK] = { "work of the CPU", "work" },
  [MA_TRACK_STREAM] = { "work", "work" },
  [MA_TRACK_COPY] = { "copies", "copy" },
  [MA_TRACK_COMPILATION] = { "compilations", "compilation" },
  [MA_TRACK_COLLECTION] = { "collections", "collection" },
};

/* A track's name and its place among the others. */
static void put_track(ma_ctext *text, int id, const track *t) {
  char name[120];
  int n = snprintf(name, sizeof name, "%s", kinds[t->kind].title);
  if (t->device) snprintf(name + n, sizeof name - (size_t)n, " of %s, stream %d", t->device, t->number);
  else if (t->number > 1) snprintf(name + n, sizeof name - (size_t)n, ", thread %d", t->number);
  ma_ctext_add(text, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":", id);
  put_string(text, name);
  ma_ctext_add(text, "}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{", id);
  ma_ctext_add(text, "\"sort_index\":%d}}", (int)t->kind * MOST_TRACKS + t->number);
}

static void put_span(ma_ctext *text, int id, ma_track_kind kind, const char *name, int64_t began, int64_t ended) {
  ma_ctext_add(text, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"cat\":\"%s\",\"name\":", id, kinds[kind].category);
  put_string(text, name);
  put_time(text, "ts", began - the.began);
  put_time(text, "dur", ended - began);
}

static void put_argument(ma_ctext *text, const char *key, const char *value, const char **mark) {
  if (!value || !*value) return;
  ma_ctext_add(text, "%s\"%s\":", *mark, key);
  put_string(text, value);
  *mark = ",";
}

static void put_noted(ma_ctext *text, const noted *s) {
  ma_track_kind kind = the.track[s->track].kind;
  const char *mark = ",\"args\":{";
  char at[400];
  put_span(text, s->track + 2, kind, s->name, s->began, s->ended);
  put_argument(text, "arrays", s->arrays, &mark);
  put_argument(text, "call", s->call, &mark);
  if (s->place) {
    snprintf(at, sizeof at, "%s:%d", s->place, s->line);
    put_argument(text, "at", at, &mark);
  }
  if (s->nbytes > 0) ma_ctext_add(text, "%s\"bytes\":%" PRId64, mark, s->nbytes), mark = ",";
  ma_ctext_put(text, *mark == ',' && mark[1] ? "}" : "}}");
}

/* A frame ends where a call of ma.update does. */
static void put_frames(ma_ctext *text) {
  const track frames = { MA_TRACK_FRAME, NULL, NULL, 1, 0 };
  int64_t began = the.began;
  int n = 0;
  for (size_t k = 0; k < the.n; k++) {
    const noted *s = &the.span[k];
    const track *t = &the.track[s->track];
    char name[32];
    if (t->kind != MA_TRACK_CALL || t->number != 1 || strcmp(s->name, "update")) continue;
    if (n++ == 0) put_track(text, 1, &frames);
    snprintf(name, sizeof name, "frame %d", n);
    put_span(text, 1, MA_TRACK_FRAME, name, began, s->ended);
    ma_ctext_put(text, "}");
    began = s->ended;
  }
}

void ma_timeline_print(ma_ctext *text) {
  pthread_mutex_lock(&lock);
  ma_ctext_put(text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,");
  ma_ctext_put(text, "\"name\":\"process_name\",\"args\":{\"name\":\"moonarray\"}}");
  for (int k = 0; k < the.ntrack; k++) put_track(text, k + 2, &the.track[k]);
  put_frames(text);
  for (size_t k = 0; k < the.n; k++) put_noted(text, &the.span[k]);
  ma_ctext_add(text, "\n],\"otherData\":{\"spans_left_out\":%zu}}\n", the.left_out);
  pthread_mutex_unlock(&lock);
}
