/* select.c: the entries of a sparse matrix where a mask is true. Entries are counted by rows, then copied. */
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#define STEPS 16384 /* steps of a walk that a thread takes at least */

typedef void pick_function(const void *indices, const void *values, const uint8_t *mask, int64_t first, int64_t last,
                           int64_t at, int64_t end, const ma_csr_room *to);

#define EACH "cpu/sparse/select_loops.h"
#include "cpu/sparse/each.h"

static pick_function *const pick_of[2][MA_NSPARSE_VALUE] = NAMES(pick);

typedef struct work {
  const ma_csr *a;
  const uint8_t *mask;
  ma_csr_room to;
  pick_function *pick;
  int64_t *left; /* entries of each row of the result */
} work;

static int64_t begin_of(const ma_csr *a, int64_t row) { return ma_sparse_at(a->index, a->indptr, row) - 1; }

static ma_status count_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  int64_t stop = ma_cpu_sparse_row_at(w->a, last), row = ma_cpu_sparse_row_at(w->a, first);
  for (int64_t k = row < stop ? begin_of(w->a, row) : 0; row < stop; row++) {
    int64_t end = begin_of(w->a, row + 1), n = 0;
    for (; k < end; k++) n += w->mask[k] != 0;
    w->left[row] = n;
  }
  return MA_OK;
}

static ma_status pick_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_csr *a = w->a;
  int64_t stop = ma_cpu_sparse_row_at(a, last), row = ma_cpu_sparse_row_at(a, first);
  if (row < stop)
    w->pick(a->indices, a->data, w->mask, begin_of(a, row), begin_of(a, stop),
            ma_sparse_at(a->index, w->to.indptr, row) - 1, ma_sparse_at(a->index, w->to.indptr, stop) - 1, &w->to);
  return MA_OK;
}

typedef struct select_job {
  const ma_csr *a;
  const uint8_t *mask;
  ma_csr_arrays *result;
} select_job;

static ma_status select_now(ma_stream *stream, const void *job) {
  const select_job *j = job;
  const ma_csr *a = j->a;
  ma_buffer *memory = NULL;
  MA_TRY(ma_cpu_sparse_check_rows(a));
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(a->rows + 1) * 8, &memory));
  work w = {
    .a = a, .mask = j->mask, .pick = pick_of[a->index == MA_INT64][ma_sparse_value(a->dtype)], .left = memory->ptr
  };
  ma_status status = ma_cpu_sparse_by_rows(a, STEPS, count_range, &w);
  int64_t total = 0;
  for (int64_t r = 0; status == MA_OK && r < a->rows; r++) total += w.left[r];
  if (status == MA_OK) status = ma_cpu_sparse_room(stream, a->index, a->dtype, a->rows, total, j->result, &w.to);
  if (status == MA_OK) {
    ma_cpu_sparse_ends(a->index, a->rows, w.left, w.to.indptr);
    status = ma_cpu_sparse_by_rows(a, STEPS, pick_range, &w);
  }
  ma_buffer_release(memory);
  return status;
}

static int64_t select_bytes(const void *job) {
  const select_job *j = job;
  return ma_cpu_sparse_bytes(j->a) + j->a->nnz;
}

ma_status ma_cpu_sparse_select(ma_stream *stream, const ma_csr *a, const uint8_t *mask, ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse select", .run = select_now, .bytes = select_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(select_job){ a, mask, result }, sizeof(select_job));
}
