/*
** combine.c: an operation on two sparse matrices, element by element. Rows are merged into blocks of pairs, one of
** which may be a zero; the loop of the operation (loops.c) runs over the block, and what is not zero is kept. Threads
** take parts of the rows with about equal numbers of entries; at the end the parts are copied behind each other.
*/
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <string.h>

typedef struct meeting {
  _Alignas(MA_ALIGN) char x[MA_BLOCK * 16];
  _Alignas(MA_ALIGN) char y[MA_BLOCK * 16];
  _Alignas(MA_ALIGN) char z[MA_BLOCK * 16];
  int64_t column[MA_BLOCK];
  int row_end[MA_BLOCK]; /* of rows that ended in this block */
  int n, nrow;
  int64_t row, row_begin, count; /* the row that ends next; where it began in the part; entries of the part */
  int64_t *left;                 /* entries of each row of the result */
  ma_loop *loop;
  void (*flush)(struct meeting *m);
  char *to_index, *to_data; /* of the part */
} meeting;

typedef void walk_function(const ma_sparse *a, const ma_sparse *b, int64_t first, int64_t last, meeting *m);
typedef void flush_function(meeting *m);

#define EACH "cpu/sparse/combine_loops.h"
#include "cpu/sparse/each.h"

static walk_function *const walk_of[2][MA_NSPARSE_VALUE] = NAMES(walk);
static flush_function *const flush_of[2][MA_NSPARSE_VALUE] = NAMES(flush);

typedef struct work {
  const ma_sparse_combine *c;
  ma_loop *loop;
  walk_function *walk;
  flush_function *flush;
  int64_t total, parts;
  int64_t *left, *count;    /* of rows, of parts */
  char *to_index, *to_data; /* with room for the entries of both */
  ma_csr_room to;
} work;

/* Rows and entries of both matrices before row r. */
static int64_t before(const work *w, int64_t r) {
  const ma_sparse *a = &w->c->a, *b = &w->c->b;
  return r + ma_sparse_at(a->index, a->indptr, r) + ma_sparse_at(b->index, b->indptr, r) - 2;
}

static int64_t row_of(const work *w, int64_t part) {
  int64_t low = 0, high = w->c->a.rows;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (before(w, middle) < part * TUNE_THREAD_ELEMENTS) low = middle + 1;
    else high = middle;
  }
  return low;
}

static ma_status part_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_sparse_combine *c = w->c;
  meeting m;
  memset(m.x, 0, sizeof m.x);
  memset(m.y, 0, sizeof m.y);
  m.n = m.nrow = 0;
  m.loop = w->loop;
  m.flush = w->flush;
  m.left = w->left;
  for (int64_t k = first; k < last; k++) {
    int64_t row = row_of(w, k), stop = row_of(w, k + 1), at = before(w, row) - row;
    m.row = row;
    m.row_begin = m.count = 0;
    m.to_index = w->to_index + at * ma_dtypes[c->a.index].itemsize;
    m.to_data = w->to_data + at * ma_dtypes[c->result].itemsize;
    w->walk(&c->a, &c->b, row, stop, &m);
    m.flush(&m);
    w->count[k] = m.count;
  }
  return MA_OK;
}

static ma_status copy_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  int64_t index = ma_dtypes[w->c->a.index].itemsize, value = ma_dtypes[w->c->result].itemsize;
  for (int64_t k = first; k < last; k++) {
    int64_t row = row_of(w, k), from = before(w, row) - row;
    if (w->count[k] == 0) continue;
    int64_t at = ma_sparse_at(w->c->a.index, w->to.indptr, row) - 1;
    memcpy((char *)w->to.indices + at * index, w->to_index + from * index, (size_t)(w->count[k] * index));
    memcpy((char *)w->to.data + at * value, w->to_data + from * value, (size_t)(w->count[k] * value));
  }
  return MA_OK;
}

typedef struct combine_job {
  const ma_sparse_combine *combine;
  ma_csr_arrays *result;
} combine_job;

static ma_status run(ma_stream *stream, work *w, ma_csr_arrays *result) {
  MA_TRY(ma_cpu_parallel(w->parts, 1, part_range, w));
  const ma_sparse_combine *c = w->c;
  int64_t total = 0;
  for (int64_t k = 0; k < w->parts; k++) total += w->count[k];
  MA_TRY(ma_cpu_sparse_room(stream, c->a.index, c->result, c->a.rows, total, 1, result, &w->to));
  ma_cpu_sparse_ends(c->a.index, c->a.rows, w->left, w->to.indptr);
  return ma_cpu_parallel(w->parts, 1, copy_range, w);
}

static ma_status combine_now(ma_stream *stream, const void *job) {
  const combine_job *j = job;
  const ma_sparse_combine *c = j->combine;
  ma_buffer *memory = NULL;
  MA_TRY(ma_cpu_sparse_check(&c->a));
  MA_TRY(ma_cpu_sparse_check(&c->b));
  int index = c->a.index == MA_INT64;
  work w = { .c = c,
             .loop = ma_cpu_loop(c->op, c->a.dtype),
             .walk = walk_of[index][ma_sparse_value(c->a.dtype)],
             .flush = flush_of[index][ma_sparse_value(c->result)] };
  if (!w.loop) return ma_fail(MA_ERR_TYPE, "%s of %s", ma_ops[c->op].name, ma_dtypes[c->a.dtype].name);
  w.total = before(&w, c->a.rows);
  w.parts = (w.total + TUNE_THREAD_ELEMENTS - 1) / TUNE_THREAD_ELEMENTS;
  /* One more, because an entry is written before it is known whether it stays. */
  int64_t entries = w.total - c->a.rows + 1, value = ma_dtypes[c->result].itemsize;
  size_t size = (size_t)(entries * (value + ma_dtypes[c->a.index].itemsize) + 16 + (c->a.rows + w.parts) * 8);
  MA_TRY(ma_buffer_new(ma_device_cpu(), size, &memory));
  w.to_data = memory->ptr;
  w.left = (int64_t *)(void *)(w.to_data + (entries * value + 15) / 16 * 16);
  w.count = w.left + c->a.rows;
  w.to_index = (char *)(w.count + w.parts);
  ma_status status = run(stream, &w, j->result);
  ma_buffer_release(memory);
  return status;
}

static int64_t combine_bytes(const void *job) {
  const ma_sparse_combine *c = ((const combine_job *)job)->combine;
  return ma_cpu_sparse_bytes(&c->a) + ma_cpu_sparse_bytes(&c->b);
}

ma_status ma_cpu_sparse_combine(ma_stream *stream, const ma_sparse_combine *combine, ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse combine", .run = combine_now, .bytes = combine_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(combine_job){ combine, result }, sizeof(combine_job));
}
