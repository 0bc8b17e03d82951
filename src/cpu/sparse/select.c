/* select.c: some entries of a sparse matrix: where a mask is true, those that are not 0, those of some columns. The
** entries of each part of the rows are counted, then copied. */
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#include <string.h>

#define PART 16384 /* rows and entries of a part */

typedef struct work work;
typedef int64_t count_function(const work *w, int64_t first, int64_t last);
typedef void pick_function(const work *w, int64_t row, int64_t stop, int64_t at, int64_t end);

struct work {
  const ma_csr *a;
  const uint8_t *mask;
  uint64_t low, span, step;     /* columns low, low + step, ... below low + span */
  const int64_t *ends, *places; /* of columns by a list */
  ma_csr_room to;
  count_function *count;
  pick_function *pick;
  int64_t parts, *at; /* at: where each part begins in the result, and the number of all */
};

/* Which entries are chosen, and the columns that they get. */
#define MASKED (w->mask[k] != 0)
#define BETWEEN ((uint64_t)index[k] - w->low < w->span)
#define STEPPED (BETWEEN && ((uint64_t)index[k] - w->low) % w->step == 0)

/* The number of those among the entries first .. last - 1. Columns by a list: the places of column c, from 0, are
** w->places[w->ends[c]] .. w->places[w->ends[c + 1] - 1]. */
#define COUNT(name, I, suffix, number)                                                       \
  WIDER static int64_t count_##name##_##suffix(const work *w, int64_t first, int64_t last) { \
    const I *index = w->a->indices;                                                          \
    int64_t n = 0;                                                                           \
    (void)index;                                                                             \
    for (int64_t k = first; k < last; k++) n += (number);                                    \
    return n;                                                                                \
  }
#define COUNTS(I, suffix)            \
  COUNT(masked, I, suffix, MASKED)   \
  COUNT(between, I, suffix, BETWEEN) \
  COUNT(stepped, I, suffix, STEPPED) \
  COUNT(listed, I, suffix, w->ends[index[k]] - w->ends[(int64_t)index[k] - 1])
COUNTS(int32_t, i4)
COUNTS(int64_t, i8)

#define EACH "cpu/sparse/select_loops.h"
#include "cpu/sparse/each.h"

/* How many values are not 0, by their bits: of floats without the sign. Complex numbers have two parts. */
#define COUNT_FULL(name, U, parts, shift)                                              \
  WIDER static int64_t count_full_##name(const work *w, int64_t first, int64_t last) { \
    const U *value = (const U *)w->a->data + first * parts;                            \
    int64_t n = 0;                                                                     \
    for (int64_t k = 0; k < (last - first) * parts; k += parts)                        \
      n += (U)((U)(value[k] | value[k + parts - 1]) << shift) != 0;                    \
    return n;                                                                          \
  }
COUNT_FULL(1, uint8_t, 1, 0)
COUNT_FULL(2, uint16_t, 1, 0)
COUNT_FULL(4, uint32_t, 1, 0)
COUNT_FULL(8, uint64_t, 1, 0)
COUNT_FULL(f4, uint32_t, 1, 1)
COUNT_FULL(f8, uint64_t, 1, 1)
COUNT_FULL(c8, uint32_t, 2, 1)
COUNT_FULL(c16, uint64_t, 2, 1)

static count_function *const count_full_of[MA_NSPARSE_VALUE] = { count_full_1,  count_full_1,  count_full_2,
                                                                 count_full_4,  count_full_8,  count_full_f4,
                                                                 count_full_f8, count_full_c8, count_full_c16 };
static pick_function *const pick_full_of[2][MA_NSPARSE_VALUE] = NAMES(pick_full);
static pick_function *const pick_masked_of[2][MA_NSPARSE_VALUE] = NAMES(pick_masked);
static pick_function *const pick_between_of[2][MA_NSPARSE_VALUE] = NAMES(pick_between);
static pick_function *const pick_stepped_of[2][MA_NSPARSE_VALUE] = NAMES(pick_stepped);
static pick_function *const pick_listed_of[2][MA_NSPARSE_VALUE] = NAMES(pick_listed);

#define PICK(w, name) ((w)->pick = pick_##name##_of[(w)->a->index == MA_INT64][ma_sparse_value((w)->a->dtype)])
#define CHOOSE(w, name) ((w)->count = (w)->a->index == MA_INT64 ? count_##name##_i8 : count_##name##_i4, PICK(w, name))

static int64_t begin_of(const ma_csr *a, int64_t row) { return ma_sparse_at(a->index, a->indptr, row) - 1; }

static int64_t row_of(const work *w, int64_t part) {
  return part == w->parts ? w->a->rows : ma_cpu_sparse_row_at(w->a, part * PART);
}

static ma_status count_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  for (int64_t k = first; k < last; k++)
    w->at[k] = w->count(w, begin_of(w->a, row_of(w, k)), begin_of(w->a, row_of(w, k + 1)));
  return MA_OK;
}

static ma_status pick_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  for (int64_t k = first; k < last; k++) w->pick(w, row_of(w, k), row_of(w, k + 1), w->at[k], w->at[k + 1]);
  return MA_OK;
}

/* The entries that w->count and w->pick choose. `some`: no result if that is all. */
static ma_status choose(ma_stream *stream, work *w, bool some, ma_csr_arrays *result) {
  const ma_csr *a = w->a;
  ma_buffer *memory = NULL;
  int64_t used = begin_of(a, a->rows), total = 0;
  w->parts = (a->rows + used + PART - 1) / PART;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(w->parts + 1) * 8, &memory));
  w->at = memory->ptr;
  ma_status status = ma_cpu_parallel(w->parts, 1, count_range, w);
  for (int64_t k = 0; status == MA_OK && k <= w->parts; k++) {
    int64_t n = k < w->parts ? w->at[k] : 0;
    w->at[k] = total;
    total += n;
  }
  if (status == MA_OK && !(some && total == a->nnz)) {
    status = ma_cpu_sparse_room(stream, a->index, a->dtype, a->rows, total, result, &w->to);
    if (status == MA_OK) {
      if (a->index == MA_INT32) *(int32_t *)w->to.indptr = 1;
      else *(int64_t *)w->to.indptr = 1;
      status = ma_cpu_parallel(w->parts, 1, pick_range, w);
      if (status != MA_OK) ma_cpu_sparse_drop(result);
    }
  }
  ma_buffer_release(memory);
  return status;
}

/* ==== By a mask, or by the values ================================================================================ */

typedef struct select_job {
  const ma_csr *a;
  const uint8_t *mask;
  ma_csr_arrays *result;
} select_job;

static ma_status select_now(ma_stream *stream, const void *job) {
  const select_job *j = job;
  MA_TRY(ma_cpu_sparse_check_rows(j->a));
  work w = { .a = j->a, .mask = j->mask };
  if (j->mask) CHOOSE(&w, masked);
  else PICK(&w, full), w.count = count_full_of[ma_sparse_value(j->a->dtype)];
  return choose(stream, &w, !j->mask, j->result);
}

static int64_t select_bytes(const void *job) {
  const select_job *j = job;
  return ma_cpu_sparse_bytes(j->a) + (j->mask ? j->a->nnz : 0);
}

ma_status ma_cpu_sparse_select(ma_stream *stream, const ma_csr *a, const uint8_t *mask, ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse select", .run = select_now, .bytes = select_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(select_job){ a, mask, result }, sizeof(select_job));
}

/* ==== Columns ==================================================================================================== */

typedef struct columns_job {
  const ma_sparse_columns *c;
  ma_csr_arrays *result;
  int64_t *wrong;
} columns_job;

static int64_t column_of(const ma_sparse_columns *c, int64_t k) {
  int64_t column = c->list[k] < 0 ? c->a.columns + c->list[k] : c->list[k] - 1;
  return column >= 0 && column < c->a.columns ? column : -1;
}

/* The places of each column in the list, as count_listed says: in `ends`, of columns + 1 elements, and `places`. */
static bool turn_list(const ma_sparse_columns *c, int64_t *ends, int64_t *places, int64_t *wrong) {
  memset(ends, 0, (size_t)(c->a.columns + 1) * 8);
  for (int64_t k = 0; k < c->count; k++) {
    int64_t column = column_of(c, k);
    if (column < 0) {
      *wrong = k + 1;
      return false;
    }
    ends[column]++;
  }
  for (int64_t column = 0, at = 0; column <= c->a.columns; column++) {
    int64_t n = ends[column];
    ends[column] = at;
    at += n;
  }
  for (int64_t k = 0; k < c->count; k++) places[ends[column_of(c, k)]++] = k + 1;
  places[c->count] = 0; /* which is read for columns behind the last that is in the list */
  /* Each has moved to the begin of the next one. */
  memmove(ends + 1, ends, (size_t)c->a.columns * 8);
  ends[0] = 0;
  return true;
}

typedef struct sorting {
  const ma_csr *a;
  ma_sparse_arrange *arrange;
} sorting;

static ma_status arrange_range(void *context, int64_t first, int64_t last) {
  const sorting *s = context;
  const ma_csr *a = s->a;
  int64_t stop = ma_cpu_sparse_row_at(a, last);
  for (int64_t r = ma_cpu_sparse_row_at(a, first); r < stop; r++)
    MA_TRY(s->arrange((void *)a->indices, (void *)a->data, begin_of(a, r), begin_of(a, r + 1), a->nnz));
  return MA_OK;
}

static ma_status listed(ma_stream *stream, const columns_job *j, work *w) {
  const ma_sparse_columns *c = j->c;
  ma_buffer *memory = NULL;
  MA_TRY(ma_cpu_sparse_inside(c->a.index, c->a.indices, c->a.nnz, c->a.columns, "indices"));
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(c->a.columns + 2 + c->count) * 8, &memory));
  int64_t *ends = memory->ptr, *places = ends + c->a.columns + 1;
  w->ends = ends;
  w->places = places;
  CHOOSE(w, listed);
  ma_status status = MA_OK;
  if (turn_list(c, ends, places, j->wrong)) {
    status = choose(stream, w, false, j->result);
    if (status == MA_OK && c->sort) {
      ma_csr made = c->a;
      made.indptr = w->to.indptr;
      made.indices = w->to.indices;
      made.data = w->to.data;
      made.nnz = begin_of(&made, made.rows);
      sorting s = { &made, ma_cpu_sparse_arrange(made.index, made.dtype) };
      status = ma_cpu_sparse_by_rows(&made, PART, arrange_range, &s);
      if (status != MA_OK) ma_cpu_sparse_drop(j->result);
    }
  }
  ma_buffer_release(memory);
  return status;
}

static ma_status columns_now(ma_stream *stream, const void *job) {
  const columns_job *j = job;
  const ma_sparse_columns *c = j->c;
  MA_TRY(ma_cpu_sparse_check_rows(&c->a));
  work w = { .a = &c->a };
  if (c->list) return listed(stream, j, &w);
  w.low = (uint64_t)c->first;
  w.step = (uint64_t)c->step;
  w.span = c->count ? (uint64_t)(c->count - 1) * w.step + 1 : 0;
  if (c->step == 1) CHOOSE(&w, between);
  else CHOOSE(&w, stepped);
  return choose(stream, &w, false, j->result);
}

static int64_t columns_bytes(const void *job) {
  const ma_sparse_columns *c = ((const columns_job *)job)->c;
  return ma_cpu_sparse_bytes(&c->a) + (c->list ? c->count * 8 : 0);
}

ma_status ma_cpu_sparse_columns_of(ma_stream *stream, const ma_sparse_columns *columns, ma_csr_arrays *result,
                                   int64_t *wrong) {
  static const ma_task task = { .name = "sparse columns", .run = columns_now, .bytes = columns_bytes, .refused = "" };
  *wrong = 0;
  return ma_cpu_submit(stream, &task, &(columns_job){ columns, result, wrong }, sizeof(columns_job));
}
