/*
** top.c: the first few of the sorted elements of rows, and their positions. A row is read twice. First the least
** numbers (rows.h) are found: those below the k-th of what was read so far are kept, and when they are many they are
** sorted, and the k-th is looked at again. Then the positions are those of the numbers up to the k-th.
*/
#include "cpu/map/wider.h"
#include "cpu/sort/rows.h"
#include "backend/sort.h"
#include "cpu/cpu.h"
#include "cpu/submit.h"
#include "tuning.h"

#define MOST MA_TOP_MOST
#define BLOCK 256 /* numbers that are made at once */
#define PIECE 32  /* of them looked at at once */
#define FIRST 64  /* so many numbers more than k are sorted */

/* How a row is read as numbers. */
typedef struct reader {
  const ma_sort_loops *loops;
  const char *from;
  const void *numbers; /* of all elements of a short row, or NULL */
  int size;
  bool largest, has_nan;
  uint64_t last; /* the number of NaN */
} reader;

#define KEY uint32_t
#define OF_KEY(name) name##_of_4
#include "cpu/sort/top.h"
#define KEY uint64_t
#define OF_KEY(name) name##_of_8
#include "cpu/sort/top.h"

static ma_status top_range(void *context, int64_t first, int64_t last) {
  const ma_top *t = context;
  ma_kind kind = ma_dtypes[t->dtype].kind;
  reader r = { .loops = &ma_sort_loops_of[t->dtype],
               .size = ma_dtypes[t->dtype].itemsize,
               .largest = t->largest,
               .has_nan = kind == MA_KIND_FLOAT };
  uint64_t ones = UINT64_MAX;
  if (r.has_nan) r.loops->numbers(&ones, 1, &r.last);
  for (int64_t row = first; row < last; row++) {
    int64_t *positions = t->positions + row * t->k;
    r.from = (const char *)t->from + row * t->n * r.size;
    if (r.size == 8) top_row_of_8(&r, t->n, t->k, positions);
    else top_row_of_4(&r, t->n, t->k, positions);
    r.loops->gather(r.from, positions, t->k, (char *)t->to + row * t->k * r.size);
  }
  return MA_OK;
}

static ma_status top_now(ma_stream *stream, const void *job) {
  const ma_top *t = job;
  return ma_cpu_parallel(t->rows, TUNE_THREAD_ELEMENTS / t->n, top_range, (void *)t);
}

static int64_t top_bytes(const void *job) {
  const ma_top *t = job;
  return t->rows * (t->n * ma_dtypes[t->dtype].itemsize + t->k * (ma_dtypes[t->dtype].itemsize + 8));
}

MA_CPU_SLOT(ma_cpu_sort_top, ma_top, .name = "top", .run = top_now, .bytes = top_bytes)
