/* maxima.c: local maxima on the CPU. Without equal neighbours an element is compared with both, in vectors; else
** stretches of equal ones are walked. */
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "backend/signal.h"
#include "cpu/submit.h"

#include <stdlib.h>
#include <string.h>

typedef struct list {
  int64_t *place, count, room;
  int each; /* places of a maximum: 1, or 3 */
} list;

static ma_status make_room(list *l, int64_t more) {
  if (l->count + more <= l->room) return MA_OK;
  int64_t room = 2 * l->room + more;
  int64_t *place = realloc(l->place, (size_t)(room * l->each) * sizeof *place);
  if (!place) return ma_fail(MA_ERR_MEMORY, "out of memory for %lld peaks", (long long)room);
  l->place = place;
  l->room = room;
  return MA_OK;
}

/* NAME_block writes to above[i] whether x[i] exceeds both neighbours, and returns whether an element equals the one
** before it. NAME_walk does the same where elements are equal, with the first and the last place of each stretch. */
#define LOOPS(NAME, X)                                                      \
  FOR_AVX512 static bool NAME##_block(const X *x, int n, uint8_t *above) {  \
    unsigned equal = 0;                                                     \
    for (int i = 0; i < n; i++) {                                           \
      above[i] = (uint8_t)((x[i] > x[i - 1]) & (x[i] > x[i + 1]));          \
      equal |= x[i] == x[i - 1];                                            \
    }                                                                       \
    return equal;                                                           \
  }                                                                         \
  static ma_status NAME##_walk(const X *x, int64_t n, list *l) {            \
    for (int64_t i = 1; i < n - 1;) {                                       \
      int64_t next = i + 1;                                                 \
      while (next < n - 1 && x[next] == x[i]) next++;                       \
      if (x[i] > x[i - 1] && x[i] > x[next]) {                              \
        MA_TRY(make_room(l, 1));                                            \
        int64_t *to = l->place + 3 * l->count++;                            \
        to[0] = (i + 1 + next) / 2;                                         \
        to[1] = i + 1;                                                      \
        to[2] = next;                                                       \
      }                                                                     \
      i = next;                                                             \
    }                                                                       \
    return MA_OK;                                                           \
  }                                                                         \
  static ma_status NAME##_all(const void *data, int64_t n, list *l) {       \
    const X *x = data;                                                      \
    uint8_t above[MA_BLOCK];                                                \
    for (int64_t from = 1; from < n - 1; from += MA_BLOCK) {                \
      int count = n - 1 - from < MA_BLOCK ? (int)(n - 1 - from) : MA_BLOCK; \
      if (NAME##_block(x + from, count, above) || x[n - 1] == x[n - 2]) {   \
        l->count = l->room = 0;                                             \
        l->each = 3;                                                        \
        return NAME##_walk(x, n, l);                                        \
      }                                                                     \
      MA_TRY(make_room(l, count));                                          \
      for (int i = 0; i < count; i++) {                                     \
        l->place[l->count] = from + i + 1;                                  \
        l->count += above[i];                                               \
      }                                                                     \
    }                                                                       \
    return MA_OK;                                                           \
  }

LOOPS(f8, double)
LOOPS(i8, int64_t)
LOOPS(u8, uint64_t)

typedef struct job {
  ma_maxima of;
  ma_maxima_found *found;
} job;

static ma_status run_maxima(ma_stream *stream, const void *what) {
  const job *j = what;
  list l = { .each = 1 };
  ma_status status = (j->of.dtype == MA_FLOAT64 ? f8_all
                      : j->of.dtype == MA_INT64 ? i8_all
                                                : u8_all)(j->of.x, j->of.n, &l);
  *j->found = (ma_maxima_found){ .count = l.count, .plateaus = l.each == 3, .places = l.place };
  if (status != MA_OK) free(l.place);
  return status;
}

static int64_t bytes_maxima(const void *what) { return ((const job *)what)->of.n * 8; }

ma_status ma_cpu_signal_maxima(ma_stream *stream, const ma_maxima *maxima, ma_maxima_found *found) {
  static const ma_task task = { .name = "maxima", .run = run_maxima, .bytes = bytes_maxima, .refused = "" };
  job j = { .of = *maxima, .found = found };
  return ma_cpu_submit(stream, &task, &j, sizeof j);
}

/* ==== Peaks that are far from each other ========================================================================= */

static ma_status run_apart(ma_stream *stream, const void *what) {
  const ma_apart *a = what;
  const int64_t *at = a->peaks;
  memset(a->keep, 1, (size_t)a->n);
  for (int64_t i = a->n - 1; i >= 0; i--) {
    int64_t j = a->order[i] - 1, k;
    if (!a->keep[j]) continue;
    for (k = j - 1; k >= 0 && (double)(at[j] - at[k]) < a->distance; k--) a->keep[k] = 0;
    for (k = j + 1; k < a->n && (double)(at[k] - at[j]) < a->distance; k++) a->keep[k] = 0;
  }
  return MA_OK;
}

static int64_t bytes_apart(const void *what) { return ((const ma_apart *)what)->n * 17; }

MA_CPU_SLOT(ma_cpu_signal_apart, ma_apart, .name = "apart", .run = run_apart, .bytes = bytes_apart)
