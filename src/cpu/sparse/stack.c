/* stack.c: matrices beside and below each other, and Kronecker products. The places of all rows follow from the ends of
** the operands' rows, so that each part of the rows is written at once. */
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#include <string.h>

#define GRAIN 4096 /* rows that a thread takes at least */

typedef void beside_function(const ma_sparse_piece *p, int64_t n, int64_t first, int64_t last, int64_t at,
                             const ma_csr_room *to);
typedef void kron_function(const ma_csr *a, const ma_csr *b, int64_t first, int64_t last, const ma_csr_room *to);

#define EACH "cpu/sparse/stack_loops.h"
#include "cpu/sparse/each.h"

static beside_function *const beside_of[2][MA_NSPARSE_VALUE] = NAMES(beside);
static kron_function *const kron_of[2][MA_NSPARSE_VALUE] = NAMES(kron);

static int64_t end_of(const ma_csr *a, int64_t row) { return ma_sparse_at(a->index, a->indptr, row) - 1; }

/* ==== Beside and below =========================================================================================== */

typedef struct stack_job {
  const ma_sparse_stack *stack;
  ma_csr_arrays *result;
} stack_job;

typedef struct band {
  const ma_sparse_piece *p;
  int64_t n, at; /* pieces; entries of the rows above */
  ma_csr_room to;
} band;

/* Where the rows first .. last - 1 of a row of blocks begin: what is above, and what its pieces have before the row. */
#define ENDS(I, suffix)                                                          \
  static void ends_##suffix(const band *b, int64_t first, int64_t last) {        \
    I *restrict to = (I *)b->to.indptr + b->p->top;                              \
    for (int64_t r = first; r < last; r++) to[r] = (I)(b->at + 1);               \
    for (int64_t j = 0; j < b->n; j++) {                                         \
      const I *restrict indptr = b->p[j].a.indptr;                               \
      for (int64_t r = first; r < last; r++) to[r] = (I)(to[r] + indptr[r] - 1); \
    }                                                                            \
  }
ENDS(int32_t, i4)
ENDS(int64_t, i8)

static ma_status band_range(void *context, int64_t first, int64_t last) {
  const band *b = context;
  const ma_csr *a = &b->p->a;
  if (a->index == MA_INT32) ends_i4(b, first, last);
  else ends_i8(b, first, last);
  beside_of[a->index == MA_INT64][ma_sparse_value(a->dtype)](
    b->p, b->n, first, last, ma_sparse_at(a->index, b->to.indptr, b->p->top + first) - 1, &b->to);
  return MA_OK;
}

static ma_status stack_now(ma_stream *stream, const void *job) {
  const stack_job *j = job;
  const ma_sparse_stack *s = j->stack;
  const ma_csr *a = &s->pieces->a;
  int64_t total = 0;
  for (int64_t k = 0; k < s->count; k++) {
    MA_TRY(ma_cpu_sparse_check_rows(&s->pieces[k].a));
    total += end_of(&s->pieces[k].a, s->pieces[k].a.rows);
  }
  band b = { .p = s->pieces };
  MA_TRY(ma_cpu_sparse_room(stream, a->index, a->dtype, s->rows, total, j->result, &b.to));
  ma_status status = MA_OK;
  for (const ma_sparse_piece *end = s->pieces + s->count; status == MA_OK && b.p < end; b.p += b.n) {
    int64_t used = 0;
    for (b.n = 0; b.p + b.n < end && b.p[b.n].top == b.p->top; b.n++) used += end_of(&b.p[b.n].a, b.p->a.rows);
    status = ma_cpu_parallel(b.p->a.rows, GRAIN, band_range, &b);
    b.at += used;
  }
  if (status != MA_OK) ma_cpu_sparse_drop(j->result);
  else if (a->index == MA_INT32) ((int32_t *)b.to.indptr)[s->rows] = (int32_t)(total + 1);
  else ((int64_t *)b.to.indptr)[s->rows] = total + 1;
  return status;
}

static int64_t stack_bytes(const void *job) {
  const ma_sparse_stack *s = ((const stack_job *)job)->stack;
  int64_t bytes = 0;
  for (int64_t k = 0; k < s->count; k++) bytes += 2 * ma_cpu_sparse_bytes(&s->pieces[k].a);
  return bytes;
}

ma_status ma_cpu_sparse_stack(ma_stream *stream, const ma_sparse_stack *stack, ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse stack", .run = stack_now, .bytes = stack_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(stack_job){ stack, result }, sizeof(stack_job));
}

/* ==== Kronecker products ========================================================================================= */

typedef struct kron_job {
  ma_csr a, b;
  ma_csr_room to;
} kron_job;

static ma_status kron_range(void *context, int64_t first, int64_t last) {
  const kron_job *j = context;
  kron_of[j->a.index == MA_INT64][ma_sparse_value(j->a.dtype)](&j->a, &j->b, first, last, &j->to);
  return MA_OK;
}

static ma_status kron_now(ma_stream *stream, const void *job) {
  const kron_job *j = job;
  const ma_csr *a = &j->a, *b = &j->b;
  MA_TRY(ma_cpu_sparse_check_rows(a));
  MA_TRY(ma_cpu_sparse_check_rows(b));
  if (end_of(a, a->rows) != a->nnz || end_of(b, b->rows) != b->nnz)
    return ma_fail(MA_ERR_VALUE, "entries behind the last row of a sparse matrix; wanted none");
  int64_t rows = a->rows * b->rows, ends = a->nnz * b->nnz + 1;
  if (a->index == MA_INT32) ((int32_t *)j->to.indptr)[rows] = (int32_t)ends;
  else ((int64_t *)j->to.indptr)[rows] = ends;
  return ma_cpu_parallel(rows, GRAIN, kron_range, (void *)j);
}

static int64_t kron_bytes(const void *job) {
  const kron_job *j = job;
  return j->a.nnz * j->b.nnz * (ma_dtypes[j->a.index].itemsize + ma_dtypes[j->a.dtype].itemsize);
}

ma_status ma_cpu_sparse_kron(ma_stream *stream, const ma_csr *a, const ma_csr *b, const ma_csr_room *to) {
  static const ma_task task = { .name = "sparse kron", .run = kron_now, .bytes = kron_bytes };
  return ma_cpu_submit(stream, &task, &(kron_job){ *a, *b, *to }, sizeof(kron_job));
}
