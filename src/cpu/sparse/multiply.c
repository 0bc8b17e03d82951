/*
** multiply.c: the product of two sparse matrices, row by row: row r is the sum of the rows of b that a's entries in row
** r name. A thread adds them up in a vector as long as a row of the result, and notes which columns it touched. Rows
** are divided into pieces by the number of their terms; each piece grows as its rows come, so that terms are computed
** once. At the end the pieces are copied behind each other.
*/
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
  char *indices, *data;
  int64_t n, room;
} piece;

/* Makes room for `more` entries. */
static ma_status piece_grow(piece *p, int64_t more, size_t index, size_t value) {
  if (p->n + more <= p->room) return MA_OK;
  int64_t room = p->room * 2 > p->n + more ? p->room * 2 : p->n + more + 1024;
  char *indices = realloc(p->indices, (size_t)room * index);
  if (indices) p->indices = indices;
  char *data = indices ? realloc(p->data, (size_t)room * value) : NULL;
  if (!data) return ma_fail(MA_ERR_MEMORY, "out of memory: %" PRId64 " entries of a sparse product", room);
  p->data = data;
  p->room = room;
  return MA_OK;
}

typedef ma_status rows_function(const ma_sparse *a, const ma_sparse *b, int64_t first, int64_t last, void *seen,
                                void *sums, piece *to, int64_t *left);

#define EACH "cpu/sparse/multiply_loops.h"
#include "cpu/sparse/each.h"

static rows_function *const rows_of[2][MA_NSPARSE_VALUE] = NAMES(rows);

typedef struct work {
  const ma_sparse *a, *b;
  rows_function *rows;
  int64_t *terms; /* of the rows before each, and of all */
  int64_t *left;  /* entries of each row of the result */
  int64_t *begin; /* the first row of each piece */
  piece *pieces;
  int64_t npiece;
  ma_csr_room to;
} work;

static ma_status terms_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_sparse *a = w->a, *b = w->b;
  int64_t stop = ma_cpu_sparse_row_at(a, last);
  for (int64_t r = ma_cpu_sparse_row_at(a, first); r < stop; r++) {
    int64_t n = 0, end = ma_sparse_at(a->index, a->indptr, r + 1) - 1;
    for (int64_t k = ma_sparse_at(a->index, a->indptr, r) - 1; k < end; k++) {
      int64_t row = ma_sparse_at(a->index, a->indices, k) - 1;
      n += ma_sparse_at(b->index, b->indptr, row + 1) - ma_sparse_at(b->index, b->indptr, row);
    }
    w->terms[r] = n;
  }
  return MA_OK;
}

static ma_status piece_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  size_t columns = (size_t)w->b->columns, index = ma_dtypes[w->a->index].itemsize,
         value = ma_dtypes[w->a->dtype].itemsize;
  size_t part = ma_cpu_aligned(columns * value);
  char *sums = malloc(part + columns * index + 1);
  if (!sums) return ma_fail(MA_ERR_MEMORY, "out of memory: a row of %zu columns of a sparse product", columns);
  void *seen = sums + part;
  memset(seen, 0, columns * index);
  ma_status status = MA_OK;
  for (int64_t k = first; status == MA_OK && k < last; k++)
    status = w->rows(w->a, w->b, w->begin[k], w->begin[k + 1], seen, sums, &w->pieces[k], w->left);
  free(sums);
  return status;
}

static ma_status copy_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  size_t index = ma_dtypes[w->a->index].itemsize, value = ma_dtypes[w->a->dtype].itemsize;
  for (int64_t k = first; k < last; k++) {
    const piece *p = &w->pieces[k];
    if (p->n == 0) continue;
    size_t at = (size_t)(ma_sparse_at(w->a->index, w->to.indptr, w->begin[k]) - 1);
    memcpy((char *)w->to.indices + at * index, p->indices, (size_t)p->n * index);
    memcpy((char *)w->to.data + at * value, p->data, (size_t)p->n * value);
  }
  return MA_OK;
}

/* A piece has a row, at least. */
static int64_t most_pieces(const ma_sparse *a) {
  int64_t most = (int64_t)ma_cpu_threads() * TUNE_SPARSE_PIECES;
  return most < a->rows ? most : a->rows + 1;
}

/* Cuts the rows into pieces of about equal numbers of terms. */
static void cut(work *w) {
  int64_t rows = w->a->rows, all = 0, n = 0, most = most_pieces(w->a);
  for (int64_t r = 0; r < rows; r++) all += w->terms[r];
  int64_t size = all / most > TUNE_THREAD_STEPS ? all / most : TUNE_THREAD_STEPS, in = 0;
  for (int64_t r = 0; r < rows; r++) {
    if (r == 0 || (in >= size && n < most)) {
      w->begin[n++] = r;
      in = 0;
    }
    in += w->terms[r];
  }
  w->begin[n] = rows;
  w->npiece = n;
}

static ma_status gather(ma_stream *stream, work *w, ma_csr_arrays *result) {
  int64_t total = 0;
  for (int64_t k = 0; k < w->npiece; k++) total += w->pieces[k].n;
  MA_TRY(ma_cpu_sparse_room(stream, w->a->index, w->a->dtype, w->a->rows, total, 1, result, &w->to));
  ma_cpu_sparse_ends(w->a->index, w->a->rows, w->left, w->to.indptr);
  return ma_cpu_parallel(w->npiece, 1, copy_range, w);
}

typedef struct multiply_job {
  const ma_sparse *a, *b;
  ma_csr_arrays *result;
  bool *sorted;
} multiply_job;

static ma_status multiply_now(ma_stream *stream, const void *job) {
  const multiply_job *j = job;
  work w = { .a = j->a, .b = j->b, .rows = rows_of[j->a->index == MA_INT64][ma_sparse_value(j->a->dtype)] };
  ma_buffer *memory = NULL;
  int64_t rows = j->a->rows, most = most_pieces(j->a) + 1;
  *j->sorted = false;
  MA_TRY(ma_cpu_sparse_check(j->a));
  MA_TRY(ma_cpu_sparse_check(j->b));
  size_t size = (size_t)(2 * rows + most + 1) * 8 + (size_t)most * sizeof(piece);
  MA_TRY(ma_buffer_new(ma_device_cpu(), size, &memory));
  memset(memory->ptr, 0, size);
  w.pieces = memory->ptr;
  w.begin = (int64_t *)(w.pieces + most);
  w.terms = w.begin + most + 1;
  w.left = w.terms + rows;
  ma_status status = ma_cpu_sparse_by_rows(j->a, TUNE_THREAD_FAR, terms_range, &w);
  if (status == MA_OK) {
    cut(&w);
    status = ma_cpu_parallel(w.npiece, 1, piece_range, &w);
  }
  if (status == MA_OK) status = gather(stream, &w, j->result);
  for (int64_t k = 0; k < w.npiece; k++) {
    free(w.pieces[k].indices);
    free(w.pieces[k].data);
  }
  ma_buffer_release(memory);
  return status;
}

static int64_t multiply_bytes(const void *job) {
  const multiply_job *j = job;
  return ma_cpu_sparse_bytes(j->a) + ma_cpu_sparse_bytes(j->b);
}

ma_status ma_cpu_sparse_multiply(ma_stream *stream, const ma_sparse *a, const ma_sparse *b, ma_csr_arrays *result,
                                 bool *sorted) {
  static const ma_task task = {
    .name = "sparse multiply", .run = multiply_now, .bytes = multiply_bytes, .refused = ""
  };
  return ma_cpu_submit(stream, &task, &(multiply_job){ a, b, result, sorted }, sizeof(multiply_job));
}
