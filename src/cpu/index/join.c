/* join.c: arrays put beside each other, in one pass that threads share by bytes, whatever the parts' sizes. */
#include "backend/join.h"

#include "base/inject.h"
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "tuning.h"

typedef struct work {
  const ma_join *join;
  int64_t width; /* bytes of a row */
} work;

static ma_status join_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_join *j = w->join;
  int64_t row = first / w->width, in = first % w->width, before = 0;
  int k = 0;
  for (; in - before >= j->chunk[k]; k++) before += j->chunk[k];
  in -= before;
  while (first < last) {
    int64_t n = j->chunk[k] - in < last - first ? j->chunk[k] - in : last - first;
    ma_move_bytes((char *)j->to + row * j->pitch + before + in, (const char *)j->from[k] + row * j->chunk[k] + in,
                  (size_t)n);
    first += n;
    before += j->chunk[k];
    in = 0;
    if (++k == j->count) {
      k = 0;
      before = 0;
      row++;
    }
  }
  return MA_OK;
}

static int64_t width_of(const ma_join *join) {
  int64_t width = 0;
  for (int k = 0; k < join->count; k++) width += join->chunk[k];
  return width;
}

static ma_status join_now(ma_stream *stream, const void *job) {
  const ma_join *join = job;
  MA_TRY(ma_inject(MA_INJECT_LAUNCH, "a join"));
  work w = { join, width_of(join) };
  return ma_cpu_parallel(join->rows * w.width, TUNE_THREAD_BYTES, join_range, &w);
}

static int64_t join_bytes(const void *job) {
  const ma_join *join = job;
  return 2 * join->rows * width_of(join);
}

ma_status ma_cpu_index_join(ma_stream *stream, const ma_join *join, bool *ran) {
  static const ma_task task = { .name = "join", .run = join_now, .bytes = join_bytes };
  *ran = join->rows == 1 || width_of(join) / join->count >= TUNE_JOIN_SHORT;
  return *ran ? ma_cpu_submit(stream, &task, join, sizeof *join) : MA_OK;
}
