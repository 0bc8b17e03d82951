/* search.c: searches in sorted elements, their extremes, and where sorted elements change. */
#include "cpu/cpu.h"
#include "cpu/map/wider.h"
#include "cpu/sort/rows.h"
#include "backend/sort.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <stdlib.h>

typedef bool make_keys(const void *from, int64_t n, void *to);

#define KEY uint32_t
#define OF_KEY(name) name##_of_4
#include "cpu/sort/search.h"
#define KEY uint64_t
#define OF_KEY(name) name##_of_8
#include "cpu/sort/search.h"

/* ==== Searching ================================================================================================== */

typedef struct search {
  const ma_search *s;
  void *keys;
} search;

static ma_status search_range(void *context, int64_t first, int64_t last) {
  const search *work = context;
  const ma_search *s = work->s;
  const char *values = (const char *)s->values + first * ma_dtypes[s->dtype].itemsize;
  const ma_sort_loops *loops = &ma_sort_loops_of[s->dtype];
  if (work->keys && ma_dtypes[s->dtype].itemsize < 8)
    search_keys_of_4(loops->numbers, ma_dtypes[s->dtype].itemsize, work->keys, s->n, values, last - first, s->right,
                     s->positions + first);
  else if (work->keys)
    search_keys_of_8(loops->numbers, 8, work->keys, s->n, values, last - first, s->right, s->positions + first);
  else loops->search(s->sorted, s->n, s->sorter, values, last - first, s->right, s->positions + first);
  return MA_OK;
}

/* Searches. If there are enough values, the sorted elements are turned into keys first. */
static ma_status search_now(ma_stream *stream, const void *job) {
  search work = { job, NULL };
  const ma_search *s = job;
  size_t size = ma_dtypes[s->dtype].itemsize < 4 ? sizeof(uint32_t) : (size_t)ma_dtypes[s->dtype].itemsize;
  if (!s->sorter && s->count >= s->n / 16 && s->n < INT32_MAX && ma_sort_loops_of[s->dtype].numbers)
    work.keys = malloc((size_t)s->n * size);
  if (work.keys) ma_sort_loops_of[s->dtype].numbers(s->sorted, s->n, work.keys);
  ma_status status = ma_cpu_parallel(s->count, TUNE_THREAD_SLOW, search_range, &work);
  free(work.keys);
  return status;
}

static int64_t search_bytes(const void *job) {
  const ma_search *s = job;
  return (s->n + s->count) * ma_dtypes[s->dtype].itemsize + (s->count + (s->sorter ? s->n : 0)) * 8;
}

MA_CPU_SLOT(ma_cpu_sort_search, ma_search, .name = "search", .run = search_now, .bytes = search_bytes)

/* ==== Extremes ==================================================================================================== */

typedef struct extremes {
  ma_dtype dtype;
  const char *from;
  int64_t n, chunk;
  char *two;
} extremes;

static ma_status extremes_range(void *context, int64_t first, int64_t last) {
  const extremes *e = context;
  int64_t size = ma_dtypes[e->dtype].itemsize;
  for (int64_t c = first; c < last; c++) {
    int64_t at = c * e->chunk, n = e->n - at < e->chunk ? e->n - at : e->chunk;
    ma_sort_loops_of[e->dtype].extremes(e->from + at * size, n, e->two + 2 * c * size);
  }
  return MA_OK;
}

static ma_status extremes_now(ma_stream *stream, const void *job) {
  char room[2 * TUNE_SORT_CHUNKS * 16];
  extremes e = *(const extremes *)job;
  void *two = e.two;
  int64_t nchunk = e.n / TUNE_THREAD_STEPS < 1                  ? 1
                   : e.n / TUNE_THREAD_STEPS > TUNE_SORT_CHUNKS ? TUNE_SORT_CHUNKS
                                                                : e.n / TUNE_THREAD_STEPS;
  e.chunk = (e.n + nchunk - 1) / nchunk;
  e.two = room;
  MA_TRY(ma_cpu_parallel(nchunk, 1, extremes_range, &e));
  ma_sort_loops_of[e.dtype].extremes(room, 2 * nchunk, two);
  return MA_OK;
}

static int64_t extremes_bytes(const void *job) {
  const extremes *e = job;
  return (e->n + 2) * ma_dtypes[e->dtype].itemsize;
}

ma_status ma_cpu_sort_extremes(ma_stream *stream, ma_dtype dtype, const void *from, int64_t n, void *two) {
  static const ma_task task = { .name = "extremes", .run = extremes_now, .bytes = extremes_bytes };
  return ma_cpu_submit(stream, &task, &(extremes){ .dtype = dtype, .from = from, .n = n, .two = two },
                       sizeof(extremes));
}

/* ==== Changes ===================================================================================================== */

typedef struct changes {
  ma_dtype dtype;
  const void *sorted;
  int64_t n;
  bool equal_nan;
  uint8_t *mask;
} changes;

static ma_status changes_range(void *context, int64_t first, int64_t last) {
  const changes *c = context;
  ma_sort_loops_of[c->dtype].changes(c->sorted, first, last, c->equal_nan, c->mask);
  return MA_OK;
}

static ma_status changes_now(ma_stream *stream, const void *job) {
  return ma_cpu_parallel(((const changes *)job)->n, TUNE_THREAD_STEPS, changes_range, (void *)job);
}

static int64_t changes_bytes(const void *job) {
  const changes *c = job;
  return c->n * (ma_dtypes[c->dtype].itemsize + 1);
}

ma_status ma_cpu_sort_changes(ma_stream *stream, ma_dtype dtype, const void *sorted, int64_t n, bool equal_nan,
                              uint8_t *mask) {
  static const ma_task task = { .name = "changes", .run = changes_now, .bytes = changes_bytes };
  return ma_cpu_submit(stream, &task, &(changes){ dtype, sorted, n, equal_nan, mask }, sizeof(changes));
}
