/*
** select.c: the elements that a mask keeps, and their positions. The mask is counted in tiles, which tells each tile
** where its elements go; then threads share the tiles. Eight elements that are all kept, or all left out, need no look
** at each.
*/
#include "base/inject.h"
#include "cpu/index/index.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <string.h>

typedef struct search {
  const uint8_t *mask;
  int64_t n, *first; /* first[t]: number of true elements before tile t */
  const char *from;  /* NULL: positions are written */
  char *to;
  void (*write)(const struct search *s, int64_t i, int64_t end, int64_t at, int64_t stop);
} search;

static ma_status count_tiles(void *context, int64_t from, int64_t to) {
  const search *s = context;
  for (int64_t i = from; i < to; i += TUNE_THREAD_STEPS) {
    int64_t end = i + TUNE_THREAD_STEPS < to ? i + TUNE_THREAD_STEPS : to;
    uint32_t count = 0;
    for (int64_t j = i; j < end; j++) count += s->mask[j] != 0;
    s->first[i / TUNE_THREAD_STEPS + 1] = count;
  }
  return MA_OK;
}

/* Writes the kept ones of mask elements i .. end - 1 to the places at .. stop - 1. To avoid a branch for each element,
** it always writes, so it may write one element more than the last. Near `stop`, where another thread's places begin,
** it branches. */
#define WRITER(size, type, value)                                                               \
  static void write_##size(const search *s, int64_t i, int64_t end, int64_t at, int64_t stop) { \
    typedef type item MA_UNALIGNED;                                                             \
    const item *from = (const item *)s->from;                                                   \
    item *to = (item *)s->to;                                                                   \
    (void)from;                                                                                 \
    for (; i + 8 <= end && at + 8 <= stop; i += 8) {                                            \
      uint64_t eight;                                                                           \
      memcpy(&eight, s->mask + i, 8);                                                           \
      if (eight == 0) continue;                                                                 \
      if (eight == UINT64_C(0x0101010101010101)) {                                              \
        for (int64_t j = i; j < i + 8; j++) to[at + j - i] = value;                             \
        at += 8;                                                                                \
        continue;                                                                               \
      }                                                                                         \
      for (int64_t j = i; j < i + 8; j++) {                                                     \
        to[at] = value;                                                                         \
        at += s->mask[j] != 0;                                                                  \
      }                                                                                         \
    }                                                                                           \
    for (int64_t j = i; j < end && at < stop; j++)                                              \
      if (s->mask[j]) to[at++] = value;                                                         \
  }
typedef struct __attribute__((packed, may_alias)) pair {
  uint64_t low, high;
} pair;
WRITER(0, int64_t, j + 1)
WRITER(1, uint8_t, from[j])
WRITER(2, uint16_t, from[j])
WRITER(4, uint32_t, from[j])
WRITER(8, uint64_t, from[j])
WRITER(16, pair, from[j])

static ma_status write_tiles(void *context, int64_t from, int64_t to) {
  const search *s = context;
  for (int64_t i = from; i < to; i += TUNE_THREAD_STEPS)
    s->write(s, i, i + TUNE_THREAD_STEPS < to ? i + TUNE_THREAD_STEPS : to, s->first[i / TUNE_THREAD_STEPS],
             s->first[i / TUNE_THREAD_STEPS + 1]);
  return MA_OK;
}

/* Makes `result` with the kept elements of s->from, or their positions. */
static ma_status run_search(ma_stream *stream, search *s, ma_dtype dtype, ma_array *result) {
  int64_t ntile = (s->n + TUNE_THREAD_STEPS - 1) / TUNE_THREAD_STEPS;
  ma_buffer *tiles;
  MA_TRY(ma_buffer_new(stream->device, (size_t)(ntile + 1) * sizeof(int64_t), &tiles));
  s->first = tiles->ptr;
  s->first[0] = 0;
  ma_status status = ma_cpu_parallel(s->n, TUNE_THREAD_STEPS, count_tiles, s);
  for (int64_t t = 0; t < ntile; t++) s->first[t + 1] += s->first[t];
  if (status == MA_OK) status = ma_array_new(result, stream->device, dtype, 1, &s->first[ntile]);
  if (status == MA_OK) {
    void *to = NULL;
    status = ma_array_write(result, NULL, &to);
    s->to = to;
    if (status == MA_OK) status = ma_cpu_parallel(s->n, TUNE_THREAD_STEPS, write_tiles, s);
    if (status != MA_OK) ma_array_release(result);
  }
  ma_buffer_release(tiles);
  return status;
}

/* ==== The slots =================================================================================================== */

typedef struct nonzero_job {
  const void *mask;
  int64_t n;
  ma_array *positions;
} nonzero_job;

static ma_status run_nonzero(ma_stream *stream, const void *job) {
  const nonzero_job *j = job;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "nonzero"));
  return run_search(stream, &(search){ .mask = j->mask, .n = j->n, .write = write_0 }, MA_INT64, j->positions);
}

static int64_t bytes_nonzero(const void *job) {
  const nonzero_job *j = job;
  return j->n + 8 * j->positions->size;
}

ma_status ma_cpu_index_nonzero(ma_stream *stream, const void *mask, int64_t n, ma_array *positions) {
  static const ma_task task = { .name = "nonzero", .run = run_nonzero, .bytes = bytes_nonzero, .refused = "" };
  return ma_cpu_submit(stream, &task, &(nonzero_job){ mask, n, positions }, sizeof(nonzero_job));
}

typedef struct select_job {
  const void *mask, *from;
  int64_t n;
  ma_dtype dtype;
  ma_array *result;
} select_job;

static ma_status run_select(ma_stream *stream, const void *job) {
  static void (*const writers[17])(const search *, int64_t, int64_t, int64_t, int64_t) = {
    [1] = write_1, [2] = write_2, [4] = write_4, [8] = write_8, [16] = write_16
  };
  const select_job *j = job;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a select"));
  search s = { .mask = j->mask, .n = j->n, .from = j->from, .write = writers[ma_dtypes[j->dtype].itemsize] };
  return run_search(stream, &s, j->dtype, j->result);
}

static int64_t bytes_select(const void *job) {
  const select_job *j = job;
  return j->n + 2 * j->result->size * ma_dtypes[j->dtype].itemsize;
}

ma_status ma_cpu_index_select(ma_stream *stream, const void *mask, const void *from, int64_t n, ma_dtype dtype,
                              ma_array *result) {
  static const ma_task task = { .name = "select", .run = run_select, .bytes = bytes_select, .refused = "" };
  return ma_cpu_submit(stream, &task, &(select_job){ mask, from, n, dtype, result }, sizeof(select_job));
}
