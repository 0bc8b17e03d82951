/*
** made.c: matrices that are made of others, by the texts of kernels/sparse/made.h. The units of a result, its rows or
** rows of blocks, are divided into parts of about as many entries; the entries of each part are counted, and then
** written.
*/
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <string.h>

typedef int64_t count_function(const ma_sparse_make *m, int64_t first, int64_t last);
typedef bool fill_function(const ma_sparse_make *m, int64_t first, int64_t last, int64_t at, int64_t end);

#define EACH "cpu/sparse/made_loops.h"
#include "cpu/sparse/each.h"

enum { ENDS_A = 1, ENDS_B = 2, COLUMNS_A = 4, BY_A = 8 }; /* what is looked at; parts are of equal work in a's rows */

static const struct {
  const char *name;
  int flags;
  count_function *count[2][MA_NSPARSE_VALUE];
  fill_function *fill[2][MA_NSPARSE_VALUE];
} ways[MA_NMAKE] = {
#define WAY(kind, lower, name, flags) [MA_MAKE_##kind] = { name, flags, NAMES(count_##lower), NAMES(fill_##lower) }
  WAY(ROWS, rows, "sparse rows", ENDS_A),
  WAY(MASKED, masked, "sparse select", ENDS_A | BY_A),
  WAY(FULL, full, "sparse select", ENDS_A | BY_A),
  WAY(RANGE, range, "sparse columns", ENDS_A | BY_A),
  WAY(COLUMNS, columns, "sparse columns", ENDS_A | COLUMNS_A | BY_A),
  WAY(PUT, put, "sparse put", ENDS_A | ENDS_B | BY_A),
  WAY(STACK, stack, "sparse stack", 0),
  WAY(KRON, kron, "sparse kron", ENDS_A | ENDS_B),
  WAY(UNBLOCK, unblock, "sparse unblock", ENDS_A | COLUMNS_A | BY_A),
  WAY(STRIPES, stripes, "sparse stripes", 0),
  WAY(BLOCK, block, "sparse block", ENDS_A | COLUMNS_A),
};

typedef struct work {
  ma_sparse_make m;
  count_function *count;
  fill_function *fill;
  int64_t units, parts, *at; /* at: where each part begins in the result, and the number of all */
} work;

/* About how many entries the result has, or how many are looked at for it. */
static int64_t work_of(const ma_sparse_make *m) {
  int64_t n = m->a.nnz;
  switch (m->kind) {
  case MA_MAKE_ROWS: return m->a.rows ? n / m->a.rows * m->nlist : 0;
  case MA_MAKE_STACK:
    n = 0;
    for (int64_t k = 0; k < m->npiece; k++) n += m->pieces[k].a.nnz;
    return n;
  case MA_MAKE_KRON: return n * m->b.nnz;
  case MA_MAKE_UNBLOCK: return n * m->a.height * m->a.width;
  case MA_MAKE_STRIPES: return n * m->rows;
  default: return n;
  }
}

static int64_t unit_of(const work *w, int64_t part) {
  if (part == w->parts) return w->units;
  if (!(ways[w->m.kind].flags & BY_A)) return w->units * part / w->parts;
  return ma_cpu_sparse_row_at(&w->m.a, (w->units + ma_sparse_begin(&w->m.a, w->units)) * part / w->parts);
}

static ma_status count_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  for (int64_t k = first; k < last; k++) w->at[k] = w->count(&w->m, unit_of(w, k), unit_of(w, k + 1));
  return MA_OK;
}

static ma_status fill_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  for (int64_t k = first; k < last; k++)
    if (!w->fill(&w->m, unit_of(w, k), unit_of(w, k + 1), w->at[k], w->at[k + 1]))
      return ma_fail(MA_ERR_VALUE, "a row of a sparse matrix that is not sorted, for blocks");
  return MA_OK;
}

static ma_status check(const ma_sparse_make *m) {
  int flags = ways[m->kind].flags;
  for (int64_t k = 0; m->kind == MA_MAKE_STACK && k < m->npiece; k++) MA_TRY(ma_cpu_sparse_check_rows(&m->pieces[k].a));
  if (flags & ENDS_A) MA_TRY(ma_cpu_sparse_check_rows(&m->a));
  if (flags & ENDS_B) MA_TRY(ma_cpu_sparse_check_rows(&m->b));
  if (flags & COLUMNS_A) MA_TRY(ma_cpu_sparse_inside(m->a.index, m->a.indices, m->a.nnz, m->a.columns, "indices"));
  return MA_OK;
}

/* ==== Lists ====================================================================================================== */

/* The position, from 0, of element k of the list; -1 if there is none. */
static int64_t listed(const ma_sparse_make *m, int64_t k, int64_t extent) {
  int64_t at = m->list[k] < 0 ? extent + m->list[k] : m->list[k] - 1;
  return at >= 0 && at < extent ? at : -1;
}

static int64_t first_wrong(const ma_sparse_make *m, int64_t extent) {
  for (int64_t k = 0; k < m->nlist; k++)
    if (listed(m, k, extent) < 0) return k + 1;
  return 0;
}

/* Lists the places of each column in the list: ends[columns + 1], and behind it the places. One more place follows,
** which is read for columns behind the last one that the list has. */
static void turn_list(ma_sparse_make *m, int64_t *ends) {
  int64_t columns = m->a.columns, *places = ends + columns + 1;
  memset(ends, 0, (size_t)(columns + 1) * 8);
  for (int64_t k = 0; k < m->nlist; k++) ends[listed(m, k, columns)]++;
  for (int64_t column = 0, at = 0; column <= columns; column++) {
    int64_t n = ends[column];
    ends[column] = at;
    at += n;
  }
  for (int64_t k = 0; k < m->nlist; k++) places[ends[listed(m, k, columns)]++] = k + 1;
  places[m->nlist] = 0;
  /* each end has moved to the begin of the next column */
  memmove(ends + 1, ends, (size_t)columns * 8);
  ends[0] = 0;
  m->ends = ends;
  m->places = places;
}

/* ==== The work =================================================================================================== */

static ma_status fill(ma_stream *stream, work *w, ma_csr_arrays *result) {
  ma_sparse_make *m = &w->m;
  int64_t total = 0, each = m->kind == MA_MAKE_BLOCK ? m->height * m->width : 1;
  ma_csr_room to;
  MA_TRY(ma_cpu_parallel(w->parts, 1, count_range, w));
  for (int64_t k = 0; k <= w->parts; k++) {
    int64_t n = k < w->parts ? w->at[k] : 0;
    w->at[k] = total;
    total += n;
  }
  if (m->kind == MA_MAKE_FULL && total == m->a.nnz) return MA_OK;
  MA_TRY(ma_cpu_sparse_room(stream, m->a.index, m->a.dtype, m->rows, total, each, result, &to));
  m->to_indptr = to.indptr;
  m->to_indices = to.indices;
  m->to_data = to.data;
  ma_status status = ma_cpu_parallel(w->parts, 1, fill_range, w);
  if (status == MA_OK && m->kind == MA_MAKE_COLUMNS && m->sort) {
    ma_sparse made = m->a;
    made.indptr = to.indptr;
    made.indices = to.indices;
    made.data = to.data;
    made.nnz = total;
    status = ma_cpu_sparse_sort_rows(&made);
  }
  if (status != MA_OK) ma_cpu_sparse_drop(result);
  return status;
}

typedef struct make_job {
  const ma_sparse_make *make;
  ma_csr_arrays *result;
  int64_t *wrong;
} make_job;

static ma_status make_now(ma_stream *stream, const void *job) {
  const make_job *j = job;
  work w = { .m = *j->make };
  ma_sparse_make *m = &w.m;
  bool rows = m->kind == MA_MAKE_ROWS, columns = m->kind == MA_MAKE_COLUMNS;
  MA_TRY(check(m));
  if (rows || columns) *j->wrong = first_wrong(m, rows ? m->a.rows : m->a.columns);
  if (*j->wrong) return MA_OK;
  w.count = MA_SPARSE_LOOP(ways[m->kind].count, &m->a);
  w.fill = MA_SPARSE_LOOP(ways[m->kind].fill, &m->a);
  w.units = m->kind == MA_MAKE_UNBLOCK ? m->a.rows : m->rows;
  w.parts = w.units ? (work_of(m) + w.units + TUNE_THREAD_FAR - 1) / TUNE_THREAD_FAR : 0;
  if (w.parts > w.units) w.parts = w.units;
  int64_t next = m->kind == MA_MAKE_BLOCK ? m->a.rows : m->kind == MA_MAKE_STRIPES ? m->rows : 0;
  int64_t list = columns ? m->a.columns + 2 + m->nlist : 0;
  ma_buffer *memory = NULL;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(w.parts + 1 + next + list) * 8, &memory));
  w.at = memory->ptr;
  m->next = w.at + w.parts + 1;
  if (columns) turn_list(m, m->next);
  ma_status status = fill(stream, &w, j->result);
  ma_buffer_release(memory);
  return status;
}

static const char *name_of(const void *job) { return ways[((const make_job *)job)->make->kind].name; }

static int64_t bytes_of(const void *job) {
  const ma_sparse_make *m = ((const make_job *)job)->make;
  return 2 * work_of(m) * (ma_dtypes[m->a.index].itemsize + ma_dtypes[m->a.dtype].itemsize);
}

ma_status ma_cpu_sparse_make(ma_stream *stream, const ma_sparse_make *make, ma_csr_arrays *result, int64_t *wrong) {
  static const ma_task task = { .name_of = name_of, .run = make_now, .bytes = bytes_of, .refused = "" };
  *wrong = 0;
  return ma_cpu_submit(stream, &task, &(make_job){ make, result, wrong }, sizeof(make_job));
}
