/* blocks.c: matrices of blocks and of diagonals: as CSR and of it, and their products with a matrix. */
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#include <stdlib.h>

#define GRAIN 16384 /* elements that a thread takes at least */
#define ROWS 1024   /* rows of diagonals that are taken at a time, so that they stay in the cache */

typedef void unblock_function(const ma_bsr *b, int64_t first, int64_t last, const ma_csr_room *to);
typedef void blocks_function(const ma_bsr *b, int64_t first, int64_t last, int64_t n, const void *x, void *y);
typedef void count_function(const ma_dia *d, int64_t first, int64_t last, int64_t *left);
typedef void stripes_function(const ma_dia *d, int64_t first, int64_t last, int64_t *next, const ma_csr_room *to);
typedef void striped_function(const ma_dia *d, int64_t first, int64_t last, int64_t n, const void *x, void *y);
typedef bool into_blocks_function(const ma_csr *a, int64_t height, int64_t width, int64_t first, int64_t last,
                                  int64_t *place, int64_t *left, const ma_csr_room *to);

#define EACH "cpu/sparse/blocks_loops.h"
#include "cpu/sparse/each.h"

static unblock_function *const unblock_of[2][MA_NSPARSE_VALUE] = NAMES(unblock);
static blocks_function *const blocks_of[2][MA_NSPARSE_VALUE] = NAMES(blocks);
static count_function *const count_of[2][MA_NSPARSE_VALUE] = NAMES(count);
static stripes_function *const stripes_of[2][MA_NSPARSE_VALUE] = NAMES(stripes);
static striped_function *const striped_of[2][MA_NSPARSE_VALUE] = NAMES(striped);
static into_blocks_function *const into_blocks_of[2][MA_NSPARSE_VALUE] = NAMES(block);

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

/* ==== Into blocks ================================================================================================ */

typedef struct into_job {
  const ma_csr *a;
  int64_t height, width;
  ma_csr_arrays *result;
  int64_t *left; /* blocks of each row of blocks */
  bool write;    /* else they are counted */
  ma_csr_room to;
} into_job;

static ma_status into_range(void *context, int64_t first, int64_t last) {
  const into_job *j = context;
  const ma_csr *a = j->a;
  int64_t *place = malloc((size_t)j->height * 8);
  if (!place) return ma_fail(MA_ERR_MEMORY, "out of memory: blocks of %lld rows", (long long)j->height);
  bool sorted = into_blocks_of[a->index == MA_INT64][ma_sparse_value(a->dtype)](
    a, j->height, j->width, first, last, place, j->left, j->write ? &j->to : NULL);
  free(place);
  return sorted ? MA_OK : ma_fail(MA_ERR_VALUE, "a row of a sparse matrix that is not sorted, for blocks");
}

/* Arrays of the blocks, which are counted; their data is a vector. */
static ma_status into_room(ma_stream *stream, into_job *j, int64_t rows) {
  int64_t blocks = 0;
  for (int64_t r = 0; r < rows; r++) blocks += j->left[r];
  ma_csr_arrays *result = j->result;
  MA_TRY(ma_cpu_sparse_room(stream, j->a->index, j->a->dtype, rows, blocks, result, &j->to));
  int64_t elements = blocks * j->height * j->width;
  ma_array_release(&result->data);
  ma_status status = ma_array_new(&result->data, ma_device_cpu(), j->a->dtype, 1, &elements);
  if (status == MA_OK) status = ma_array_write(&result->data, stream, &j->to.data);
  if (status == MA_OK) ma_cpu_sparse_ends(j->a->index, rows, j->left, j->to.indptr);
  else ma_cpu_sparse_drop(result);
  return status;
}

static ma_status into_now(ma_stream *stream, const void *job) {
  into_job j = *(const into_job *)job;
  int64_t rows = j.a->rows / j.height, grain = GRAIN / (8 * j.height) + 1;
  ma_buffer *memory = NULL;
  MA_TRY(ma_cpu_sparse_check(j.a));
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(rows + 1) * 8, &memory));
  j.left = memory->ptr;
  ma_status status = ma_cpu_parallel(rows, grain, into_range, &j);
  if (status == MA_OK) status = into_room(stream, &j, rows);
  if (status == MA_OK) {
    j.write = true;
    status = ma_cpu_parallel(rows, grain, into_range, &j);
    if (status != MA_OK) ma_cpu_sparse_drop(j.result);
  }
  ma_buffer_release(memory);
  return status;
}

static int64_t into_bytes(const void *job) { return 2 * ma_cpu_sparse_bytes(((const into_job *)job)->a); }

ma_status ma_cpu_sparse_block(ma_stream *stream, const ma_csr *a, int64_t height, int64_t width,
                              ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse block", .run = into_now, .bytes = into_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(into_job){ .a = a, .height = height, .width = width, .result = result },
                       sizeof(into_job));
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
  stripes_of[j->index == MA_INT64][ma_sparse_value(j->d->dtype)](j->d, first, last, j->left, &j->to);
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

typedef struct striped_job {
  ma_dia d;
  int64_t n;
  const void *x;
  void *y;
} striped_job;

static ma_status striped_range(void *context, int64_t first, int64_t last) {
  const striped_job *j = context;
  striped_function *fn = striped_of[0][ma_sparse_value(j->d.dtype)];
  for (int64_t at = first; at < last; at += ROWS) fn(&j->d, at, at + ROWS < last ? at + ROWS : last, j->n, j->x, j->y);
  return MA_OK;
}

static ma_status striped_now(ma_stream *stream, const void *job) {
  const striped_job *j = job;
  return ma_cpu_parallel(j->d.rows, GRAIN / ((j->d.count + 1) * j->n) + 1, striped_range, (void *)j);
}

static int64_t striped_bytes(const void *job) {
  const striped_job *j = job;
  return (j->d.count * j->d.length + (j->d.rows + j->d.columns) * j->n) * ma_dtypes[j->d.dtype].itemsize;
}

/* The offsets follow the job, so that a copy of it has them. */
static size_t striped_size(const void *job) {
  return sizeof(striped_job) + 2 * (size_t)((const striped_job *)job)->d.count * sizeof(int64_t);
}

static void striped_copy(void *to, const void *job) {
  striped_job *j = to;
  const ma_dia *d = &((const striped_job *)job)->d;
  int64_t *list = (int64_t *)(void *)(j + 1);
  *j = *(const striped_job *)job;
  for (int64_t k = 0; k < d->count; k++) {
    list[k] = d->offsets[k];
    list[d->count + k] = d->places[k];
  }
  j->d.offsets = list;
  j->d.places = list + d->count;
}

ma_status ma_cpu_sparse_striped(ma_stream *stream, const ma_dia *d, int64_t n, const void *x, void *y) {
  static const ma_task task = {
    .name = "sparse striped", .run = striped_now, .bytes = striped_bytes, .size = striped_size, .copy = striped_copy
  };
  return ma_cpu_submit(stream, &task, &(striped_job){ *d, n, x, y }, sizeof(striped_job));
}
