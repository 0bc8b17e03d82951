/* look.c: what is read of a sparse matrix: where entries are, in which order they lie, their rows, a diagonal, and the
** extremes of the rows. */
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <inttypes.h>

typedef struct places_job {
  ma_sparse a;
  const int64_t *row, *column;
  int64_t n, *to;
} places_job;

/* The loops for places and for the order of entries, for one index type. */
#define LOOPS(I, suffix)                                                                               \
  static void find_##suffix(const places_job *j, int64_t first, int64_t last) {                        \
    const I *indptr = j->a.indptr, *indices = j->a.indices;                                            \
    int64_t before = -1, low = 0, end = 0;                                                             \
    for (int64_t k = first; k < last; k++) {                                                           \
      int64_t row = j->row[k] - 1, column = j->column[k];                                              \
      if (row < 0 || row >= j->a.rows) {                                                               \
        j->to[k] = 0;                                                                                  \
        before = -1;                                                                                   \
        continue;                                                                                      \
      }                                                                                                \
      /* Behind the pair before it, if it is of the same row: a mask's are in order. */                \
      if (row != before || column < j->column[k - 1]) low = (int64_t)indptr[row] - 1;                  \
      before = row;                                                                                    \
      end = (int64_t)indptr[row + 1] - 1;                                                              \
      int64_t high = end;                                                                              \
      while (low < high) {                                                                             \
        int64_t middle = low + (high - low) / 2;                                                       \
        if (indices[middle] < column) low = middle + 1;                                                \
        else high = middle;                                                                            \
      }                                                                                                \
      j->to[k] = low < end && indices[low] == column ? low + 1 : 0;                                    \
    }                                                                                                  \
  }                                                                                                    \
  FOR_AVX2 static void steps_##suffix(const I *p, int64_t n, int64_t *down, int64_t *equal) {          \
    int64_t falls = 0, stays = 0;                                                                      \
    for (int64_t at = 0; at < n; at += 4096) {                                                         \
      int64_t stop = at + 4096 < n ? at + 4096 : n;                                                    \
      int32_t f = 0, s = 0;                                                                            \
      for (int64_t k = at; k < stop; k++) {                                                            \
        f += p[k + 1] < p[k];                                                                          \
        s += p[k + 1] == p[k];                                                                         \
      }                                                                                                \
      falls += f;                                                                                      \
      stays += s;                                                                                      \
    }                                                                                                  \
    *down = falls;                                                                                     \
    *equal = stays;                                                                                    \
  }                                                                                                    \
  /* Counts all steps from an entry to the next one, and takes off those from a row to another. */     \
  static void look_##suffix(const ma_sparse *a, int64_t row, int64_t stop, bool *falls, bool *stays) { \
    const I *indptr = a->indptr, *indices = a->indices;                                                \
    int64_t begin = (int64_t)indptr[row] - 1, end = (int64_t)indptr[stop] - 1, down = 0, equal = 0;    \
    if (end - begin > 1) steps_##suffix(indices + begin, end - begin - 1, &down, &equal);              \
    for (int64_t last = begin; row < stop; row++) {                                                    \
      int64_t k = (int64_t)indptr[row] - 1;                                                            \
      if (k == last || k == end) continue;                                                             \
      last = k;                                                                                        \
      down -= indices[k] < indices[k - 1];                                                             \
      equal -= indices[k] == indices[k - 1];                                                           \
    }                                                                                                  \
    *falls = down > 0;                                                                                 \
    *stays = equal > 0;                                                                                \
  }
LOOPS(int32_t, i4)
LOOPS(int64_t, i8)

static ma_status places_range(void *context, int64_t first, int64_t last) {
  const places_job *j = context;
  if (j->a.index == MA_INT32) find_i4(j, first, last);
  else find_i8(j, first, last);
  return MA_OK;
}

static ma_status places_now(ma_stream *stream, const void *job) {
  const places_job *j = job;
  MA_TRY(ma_cpu_sparse_check_rows(&j->a));
  return ma_cpu_parallel(j->n, TUNE_THREAD_SLOW, places_range, (void *)j);
}

static int64_t places_bytes(const void *job) {
  const places_job *j = job;
  return j->a.rows * ma_dtypes[j->a.index].itemsize + j->n * 32;
}

ma_status ma_cpu_sparse_places(ma_stream *stream, const ma_sparse *a, const int64_t *row, const int64_t *column,
                               int64_t n, int64_t *to) {
  static const ma_task task = { .name = "sparse places", .run = places_now, .bytes = places_bytes };
  return ma_cpu_submit(stream, &task, &(places_job){ *a, row, column, n, to }, sizeof(places_job));
}

/* ==== The order of entries ======================================================================================= */

typedef struct look_job {
  const ma_sparse *a;
  bool *sorted, *canonical;
} look_job;

static ma_status look_range(void *context, int64_t first, int64_t last) {
  const look_job *j = context;
  const ma_sparse *a = j->a;
  int64_t row = ma_cpu_sparse_row_at(a, first), stop = ma_cpu_sparse_row_at(a, last);
  bool falls, stays;
  if (row >= stop) return MA_OK;
  if (a->index == MA_INT32) look_i4(a, row, stop, &falls, &stays);
  else look_i8(a, row, stop, &falls, &stays);
  if (falls) __atomic_store_n(j->sorted, false, __ATOMIC_RELAXED);
  if (falls || stays) __atomic_store_n(j->canonical, false, __ATOMIC_RELAXED);
  return MA_OK;
}

ma_status ma_cpu_sparse_sorted(const ma_sparse *a, bool *sorted, bool *canonical) {
  *sorted = *canonical = true;
  return ma_cpu_sparse_by_rows(a, TUNE_THREAD_ELEMENTS, look_range, &(look_job){ a, sorted, canonical });
}

static ma_status look_now(ma_stream *stream, const void *job) {
  const look_job *j = job;
  MA_TRY(ma_cpu_sparse_check_rows(j->a));
  return ma_cpu_sparse_sorted(j->a, j->sorted, j->canonical);
}

static int64_t look_bytes(const void *job) {
  const ma_sparse *a = ((const look_job *)job)->a;
  return (a->rows + a->nnz) * ma_dtypes[a->index].itemsize;
}

ma_status ma_cpu_sparse_look(ma_stream *stream, const ma_sparse *a, bool *sorted, bool *canonical) {
  static const ma_task task = { .name = "sparse look", .run = look_now, .bytes = look_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(look_job){ a, sorted, canonical }, sizeof(look_job));
}

/* ==== The row of each entry ====================================================================================== */

typedef struct expand_job {
  ma_sparse a;
  void *row;
} expand_job;

static ma_status expand_range(void *context, int64_t first, int64_t last) {
  const expand_job *j = context;
  const ma_sparse *a = &j->a;
  int64_t stop = ma_cpu_sparse_row_at(a, last);
  for (int64_t r = ma_cpu_sparse_row_at(a, first); r < stop; r++)
    if (a->index == MA_INT32) {
      const int32_t *p = a->indptr;
      for (int64_t k = p[r] - 1; k < p[r + 1] - 1; k++) ((int32_t *)j->row)[k] = (int32_t)(r + 1);
    } else {
      const int64_t *p = a->indptr;
      for (int64_t k = p[r] - 1; k < p[r + 1] - 1; k++) ((int64_t *)j->row)[k] = r + 1;
    }
  return MA_OK;
}

static ma_status expand_now(ma_stream *stream, const void *job) {
  const expand_job *j = job;
  int64_t used = ma_sparse_at(j->a.index, j->a.indptr, j->a.rows) - 1;
  MA_TRY(ma_cpu_sparse_check_rows(&j->a));
  if (used != j->a.nnz) return ma_fail(MA_ERR_VALUE, "indptr of %" PRId64 " entries; wanted %" PRId64, used, j->a.nnz);
  return ma_cpu_sparse_by_rows(&j->a, TUNE_THREAD_ELEMENTS, expand_range, (void *)job);
}

static int64_t expand_bytes(const void *job) {
  const expand_job *j = job;
  return (j->a.rows + 1 + j->a.nnz) * ma_dtypes[j->a.index].itemsize;
}

ma_status ma_cpu_sparse_expand(ma_stream *stream, const ma_sparse *a, void *row) {
  static const ma_task task = { .name = "sparse expand", .run = expand_now, .bytes = expand_bytes };
  return ma_cpu_submit(stream, &task, &(expand_job){ *a, row }, sizeof(expand_job));
}

/* ==== A diagonal ================================================================================================= */

typedef void diagonal_function(const ma_sparse *a, int64_t shift, int64_t first, int64_t last, void *to);

#define EACH "cpu/sparse/look_loops.h"
#include "cpu/sparse/each.h"

static diagonal_function *const diagonal_of[2][MA_NSPARSE_VALUE] = NAMES(diagonal);

typedef struct diagonal_job {
  ma_sparse a;
  int64_t shift, n;
  void *to;
} diagonal_job;

static ma_status diagonal_range(void *context, int64_t first, int64_t last) {
  const diagonal_job *j = context;
  MA_SPARSE_LOOP(diagonal_of, &j->a)(&j->a, j->shift, first, last, j->to);
  return MA_OK;
}

static ma_status diagonal_now(ma_stream *stream, const void *job) {
  const diagonal_job *j = job;
  MA_TRY(ma_cpu_sparse_check_rows(&j->a));
  return ma_cpu_parallel(j->n, TUNE_THREAD_FAR, diagonal_range, (void *)j);
}

static int64_t diagonal_bytes(const void *job) {
  const diagonal_job *j = job;
  return (j->a.rows + j->a.nnz) * ma_dtypes[j->a.index].itemsize + 2 * j->n * ma_dtypes[j->a.dtype].itemsize;
}

ma_status ma_cpu_sparse_diagonal(ma_stream *stream, const ma_sparse *a, int64_t shift, int64_t n, void *to) {
  static const ma_task task = { .name = "sparse diagonal", .run = diagonal_now, .bytes = diagonal_bytes };
  return ma_cpu_submit(stream, &task, &(diagonal_job){ *a, shift, n, to }, sizeof(diagonal_job));
}
