/* blocks.c: matrices of blocks and of diagonals: as CSR, and the product of blocks with a matrix. */
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#define GRAIN 16384 /* elements that a thread takes at least */

typedef void unblock_function(const ma_bsr *b, int64_t first, int64_t last, const ma_csr_room *to);
typedef void blocks_function(const ma_bsr *b, int64_t first, int64_t last, int64_t n, const void *x, void *y);
typedef void count_function(const ma_dia *d, int64_t first, int64_t last, int64_t *left);
typedef void stripes_function(const ma_dia *d, int64_t first, int64_t last, const ma_csr_room *to);

#define EACH "cpu/sparse/blocks_loops.h"
#include "cpu/sparse/each.h"

static unblock_function *const unblock_of[2][MA_NSPARSE_VALUE] = NAMES(unblock);
static blocks_function *const blocks_of[2][MA_NSPARSE_VALUE] = NAMES(blocks);
static count_function *const count_of[2][MA_NSPARSE_VALUE] = NAMES(count);
static stripes_function *const stripes_of[2][MA_NSPARSE_VALUE] = NAMES(stripes);

/* ==== Blocks ===================================================================================================== */

typedef struct block_job {
  ma_bsr b;
  int64_t n;
  const void *x;
  void *y;
  ma_csr_room to; /* of the CSR; indptr NULL: a product */
} block_job;

static ma_status block_range(void *context, int64_t first, int64_t last) {
  const block_job *j = context;
  const ma_csr *a = &j->b.a;
  int index = a->index == MA_INT64, value = ma_sparse_value(a->dtype);
  int64_t row = ma_cpu_sparse_row_at(a, first), stop = ma_cpu_sparse_row_at(a, last);
  if (row >= stop) return MA_OK;
  if (j->to.indptr) unblock_of[index][value](&j->b, row, stop, &j->to);
  else blocks_of[index][value](&j->b, row, stop, j->n, j->x, j->y);
  return MA_OK;
}

static ma_status block_now(ma_stream *stream, const void *job) {
  const block_job *j = job;
  MA_TRY(ma_cpu_sparse_check(&j->b.a));
  return ma_cpu_sparse_by_rows(&j->b.a, GRAIN / (j->b.height * j->b.width * j->n) + 1, block_range, (void *)j);
}

static int64_t block_bytes(const void *job) {
  const ma_bsr *b = &((const block_job *)job)->b;
  return 2 * b->a.nnz * b->height * b->width * ma_dtypes[b->a.dtype].itemsize;
}

ma_status ma_cpu_sparse_unblock(ma_stream *stream, const ma_bsr *b, const ma_csr_room *to) {
  static const ma_task task = { .name = "sparse unblock", .run = block_now, .bytes = block_bytes };
  return ma_cpu_submit(stream, &task, &(block_job){ .b = *b, .n = 1, .to = *to }, sizeof(block_job));
}

ma_status ma_cpu_sparse_blocks(ma_stream *stream, const ma_bsr *b, int64_t n, const void *x, void *y) {
  static const ma_task task = { .name = "sparse blocks", .run = block_now, .bytes = block_bytes };
  return ma_cpu_submit(stream, &task, &(block_job){ .b = *b, .n = n, .x = x, .y = y }, sizeof(block_job));
}

/* ==== Diagonals ================================================================================================== */

typedef struct dia_job {
  const ma_dia *d;
  ma_dtype index;
  ma_csr_arrays *result;
  int64_t *left; /* entries of each row */
  ma_csr_room to;
} dia_job;

static ma_status count_range(void *context, int64_t first, int64_t last) {
  const dia_job *j = context;
  count_of[0][ma_sparse_value(j->d->dtype)](j->d, first, last, j->left);
  return MA_OK;
}

static ma_status stripes_range(void *context, int64_t first, int64_t last) {
  const dia_job *j = context;
  stripes_of[j->index == MA_INT64][ma_sparse_value(j->d->dtype)](j->d, first, last, &j->to);
  return MA_OK;
}

static ma_status stripes_now(ma_stream *stream, const void *job) {
  dia_job j = *(const dia_job *)job;
  int64_t rows = j.d->rows, total = 0, grain = GRAIN / (j.d->count + 1) + 1;
  ma_buffer *memory = NULL;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(rows + 1) * 8, &memory));
  j.left = memory->ptr;
  ma_status status = ma_cpu_parallel(rows, grain, count_range, &j);
  for (int64_t r = 0; status == MA_OK && r < rows; r++) total += j.left[r];
  if (status == MA_OK) status = ma_cpu_sparse_room(stream, j.index, j.d->dtype, rows, total, j.result, &j.to);
  if (status == MA_OK) {
    ma_cpu_sparse_ends(j.index, rows, j.left, j.to.indptr);
    status = ma_cpu_parallel(rows, grain, stripes_range, &j);
  }
  ma_buffer_release(memory);
  return status;
}

static int64_t stripes_bytes(const void *job) {
  const ma_dia *d = ((const dia_job *)job)->d;
  return 3 * d->count * d->length * ma_dtypes[d->dtype].itemsize;
}

ma_status ma_cpu_sparse_stripes(ma_stream *stream, const ma_dia *d, ma_dtype index, ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse stripes", .run = stripes_now, .bytes = stripes_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(dia_job){ .d = d, .index = index, .result = result }, sizeof(dia_job));
}
