/* parts.c: a diagonal, and rows in the order of a list, of a sparse matrix. */
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#include <string.h>

#define GRAIN 16384 /* rows of a diagonal, and entries of a list's rows, that a thread takes at least */

typedef void diagonal_function(const ma_csr *a, int64_t shift, int64_t first, int64_t last, void *to);

#define EACH "cpu/sparse/parts_loops.h"
#include "cpu/sparse/each.h"

static diagonal_function *const diagonal_of[2][MA_NSPARSE_VALUE] = NAMES(diagonal);

typedef struct diagonal_job {
  ma_csr a;
  int64_t shift, n;
  void *to;
} diagonal_job;

static ma_status diagonal_range(void *context, int64_t first, int64_t last) {
  const diagonal_job *j = context;
  diagonal_of[j->a.index == MA_INT64][ma_sparse_value(j->a.dtype)](&j->a, j->shift, first, last, j->to);
  return MA_OK;
}

static ma_status diagonal_now(ma_stream *stream, const void *job) {
  const diagonal_job *j = job;
  MA_TRY(ma_cpu_sparse_check_rows(&j->a));
  return ma_cpu_parallel(j->n, GRAIN, diagonal_range, (void *)j);
}

static int64_t diagonal_bytes(const void *job) {
  const diagonal_job *j = job;
  return (j->a.rows + j->a.nnz) * ma_dtypes[j->a.index].itemsize + 2 * j->n * ma_dtypes[j->a.dtype].itemsize;
}

ma_status ma_cpu_sparse_diagonal(ma_stream *stream, const ma_csr *a, int64_t shift, int64_t n, void *to) {
  static const ma_task task = { .name = "sparse diagonal", .run = diagonal_now, .bytes = diagonal_bytes };
  return ma_cpu_submit(stream, &task, &(diagonal_job){ *a, shift, n, to }, sizeof(diagonal_job));
}

/* ==== Rows ======================================================================================================== */

typedef struct rows_job {
  const ma_csr *a;
  const int64_t *list;
  int64_t n;
  ma_csr_arrays *result;
  int64_t *wrong;
} rows_job;

typedef struct work {
  const rows_job *j;
  ma_csr to;
  ma_csr_room room;
} work;

/* The row, from 0, of element k of the list; -1 if there is none. */
static int64_t row_of(const rows_job *j, int64_t k) {
  int64_t row = j->list[k] < 0 ? j->a->rows + j->list[k] : j->list[k] - 1;
  return row >= 0 && row < j->a->rows ? row : -1;
}

static int64_t begin_of(const ma_csr *a, int64_t row) { return ma_sparse_at(a->index, a->indptr, row) - 1; }

static ma_status copy_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_csr *a = w->j->a;
  size_t index = ma_dtypes[a->index].itemsize, size = ma_dtypes[a->dtype].itemsize;
  int64_t stop = ma_cpu_sparse_row_at(&w->to, last);
  for (int64_t k = ma_cpu_sparse_row_at(&w->to, first); k < stop; k++) {
    size_t to = (size_t)begin_of(&w->to, k), n = (size_t)begin_of(&w->to, k + 1) - to;
    size_t from = (size_t)begin_of(a, row_of(w->j, k));
    memcpy((char *)w->room.indices + to * index, (const char *)a->indices + from * index, n * index);
    memcpy((char *)w->room.data + to * size, (const char *)a->data + from * size, n * size);
  }
  return MA_OK;
}

static ma_status rows_now(ma_stream *stream, const void *job) {
  const rows_job *j = job;
  const ma_csr *a = j->a;
  ma_buffer *memory = NULL;
  int64_t total = 0;
  MA_TRY(ma_cpu_sparse_check_rows(a));
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(j->n + 1) * 8, &memory));
  int64_t *left = memory->ptr;
  for (int64_t k = 0; k < j->n && !*j->wrong; k++) {
    int64_t row = row_of(j, k);
    left[k] = row < 0 ? 0 : begin_of(a, row + 1) - begin_of(a, row);
    total += left[k];
    if (row < 0) *j->wrong = k + 1;
  }
  work w = { .j = j };
  ma_status status = MA_OK;
  if (!*j->wrong) status = ma_cpu_sparse_room(stream, a->index, a->dtype, j->n, total, j->result, &w.room);
  if (status == MA_OK && !*j->wrong) {
    ma_cpu_sparse_ends(a->index, j->n, left, w.room.indptr);
    w.to = *a;
    w.to.rows = j->n;
    w.to.nnz = total;
    w.to.indptr = w.room.indptr;
    status = ma_cpu_sparse_by_rows(&w.to, GRAIN, copy_range, &w);
  }
  ma_buffer_release(memory);
  return status;
}

static int64_t rows_bytes(const void *job) {
  const rows_job *j = job;
  return j->n * (8 + 2 * ma_dtypes[j->a->index].itemsize);
}

ma_status ma_cpu_sparse_rows(ma_stream *stream, const ma_csr *a, const int64_t *list, int64_t n, ma_csr_arrays *result,
                             int64_t *wrong) {
  static const ma_task task = { .name = "sparse rows", .run = rows_now, .bytes = rows_bytes, .refused = "" };
  *wrong = 0;
  return ma_cpu_submit(stream, &task, &(rows_job){ a, list, n, result, wrong }, sizeof(rows_job));
}
