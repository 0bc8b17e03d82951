/* formats.c: products of matrices that are not by rows: of entries in any order, blocks and diagonals; and the elements
** of a product of two dense matrices at the places of entries. */
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <string.h>

typedef void add_function(void *to, const void *from, int64_t n);
typedef void rows_function(const ma_sparse *a, int64_t first, int64_t last, int64_t n, const void *x, void *y);
typedef void sampled_function(const ma_sparse *a, int64_t first, int64_t last, int64_t n, const void *x, const void *y,
                              void *to);

#define EACH "cpu/sparse/formats_loops.h"
#include "cpu/sparse/each.h"

static add_function *const add_of[2][MA_NSPARSE_VALUE] = NAMES(add);
static rows_function *const entries_of[2][MA_NSPARSE_VALUE] = NAMES(entries);
static rows_function *const blocks_of[2][MA_NSPARSE_VALUE] = NAMES(blocks);
static rows_function *const striped_of[2][MA_NSPARSE_VALUE] = NAMES(striped);
static sampled_function *const sampled_of[2][MA_NSPARSE_VALUE] = NAMES(sampled);

void ma_cpu_sparse_add(ma_dtype dtype, void *to, const void *from, int64_t n) {
  add_of[0][ma_sparse_value(dtype)](to, from, n);
}

/* ==== Entries in any order ======================================================================================= */

typedef struct work {
  const ma_sparse_product *p;
  int64_t parts, room; /* room: bytes of a result */
  char *partial;       /* parts - 1 further results */
} work;

static ma_status entries_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_sparse_product *p = w->p;
  const ma_sparse *a = &p->a;
  for (int64_t k = first; k < last; k++) {
    void *to = k == 0 ? p->y : w->partial + (k - 1) * w->room;
    memset(to, 0, (size_t)w->room);
    MA_SPARSE_LOOP(entries_of, a)(a, a->nnz * k / w->parts, a->nnz * (k + 1) / w->parts, p->width, p->x, to);
  }
  return MA_OK;
}

static ma_status check_entries(const ma_sparse *a) {
  MA_TRY(ma_cpu_sparse_inside(a->index, a->indptr, a->nnz, a->rows, "row"));
  return ma_cpu_sparse_inside(a->index, a->indices, a->nnz, a->columns, "column");
}

static ma_status entries(const ma_sparse_product *p) {
  const ma_sparse *a = &p->a;
  MA_TRY(check_entries(a));
  work w = { .p = p,
             .parts = ma_cpu_sparse_partials(a->nnz, a->rows),
             .room = a->rows * p->width * ma_dtypes[a->dtype].itemsize };
  ma_buffer *memory = NULL;
  if (w.parts > 1) MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)((w.parts - 1) * w.room), &memory));
  w.partial = memory ? memory->ptr : NULL;
  ma_status status = ma_cpu_parallel(w.parts, 1, entries_range, &w);
  for (int64_t k = 0; status == MA_OK && k < w.parts - 1; k++)
    ma_cpu_sparse_add(a->dtype, p->y, w.partial + k * w.room, a->rows * p->width);
  if (memory) ma_buffer_release(memory);
  return status;
}

/* ==== Blocks, diagonals ========================================================================================== */

static ma_status blocks_range(void *context, int64_t first, int64_t last) {
  const ma_sparse_product *p = context;
  int64_t row = ma_cpu_sparse_row_at(&p->a, first), stop = ma_cpu_sparse_row_at(&p->a, last);
  if (row < stop) MA_SPARSE_LOOP(blocks_of, &p->a)(&p->a, row, stop, p->width, p->x, p->y);
  return MA_OK;
}

static ma_status striped_range(void *context, int64_t first, int64_t last) {
  const ma_sparse_product *p = context;
  rows_function *fn = striped_of[0][ma_sparse_value(p->a.dtype)];
  for (int64_t at = first; at < last; at += TUNE_SPARSE_ROWS)
    fn(&p->a, at, at + TUNE_SPARSE_ROWS < last ? at + TUNE_SPARSE_ROWS : last, p->width, p->x, p->y);
  return MA_OK;
}

ma_status ma_cpu_sparse_formats(const ma_sparse_product *p) {
  const ma_sparse *a = &p->a;
  if (a->kind == MA_SPARSE_ENTRIES) return entries(p);
  if (a->kind == MA_SPARSE_DIAGONALS)
    return ma_cpu_parallel(a->rows, TUNE_THREAD_FAR / ((a->nnz + 1) * p->width) + 1, striped_range, (void *)p);
  MA_TRY(ma_cpu_sparse_check(a));
  return ma_cpu_sparse_by_rows(a, TUNE_THREAD_FAR / (a->height * a->width * p->width) + 1, blocks_range, (void *)p);
}

/* ==== Samples of a product ======================================================================================= */

typedef struct sampled_job {
  ma_sparse a;
  int64_t inner;
  const void *x, *y;
  void *to;
} sampled_job;

static ma_status sampled_range(void *context, int64_t first, int64_t last) {
  const sampled_job *j = context;
  MA_SPARSE_LOOP(sampled_of, &j->a)(&j->a, first, last, j->inner, j->x, j->y, j->to);
  return MA_OK;
}

static ma_status sampled_now(ma_stream *stream, const void *job) {
  const sampled_job *j = job;
  MA_TRY(check_entries(&j->a));
  return ma_cpu_parallel(j->a.nnz, TUNE_THREAD_STEPS / (j->inner + 8) + 1, sampled_range, (void *)j);
}

static int64_t sampled_bytes(const void *job) {
  const sampled_job *j = job;
  const ma_sparse *a = &j->a;
  return a->nnz * (2 * ma_dtypes[a->index].itemsize + ma_dtypes[a->dtype].itemsize) +
         (a->rows + a->columns) * j->inner * ma_dtypes[a->dtype].itemsize;
}

ma_status ma_cpu_sparse_sampled(ma_stream *stream, const ma_sparse *a, int64_t inner, const void *x, const void *y,
                                void *to) {
  static const ma_task task = { .name = "sparse sampled", .run = sampled_now, .bytes = sampled_bytes };
  return ma_cpu_submit(stream, &task, &(sampled_job){ *a, inner, x, y, to }, sizeof(sampled_job));
}
