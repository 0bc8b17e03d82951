/*
** order.c: sparse matrices in another order of their entries: the transpose, sorted rows, entries in any order by rows.
**
** Entries are counted by row (or column), which gives the place of each row; then they are put there, in their order.
** Threads take parts of the entries. Each part has counters of its own, so the order is the same for any number.
*/
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUN 32                     /* entries that are sorted by their ranks */
#define BLOCK TUNE_SPARSE_COUNTERS /* counters of a block */

/* Puts entries where `next` says, which counts on: of ENTRIES those first .. last - 1 into their rows, of ROWS those of
** the rows first .. last - 1 into their columns. */
typedef void spread_function(const ma_sparse *a, int64_t first, int64_t last, void *next, void *to_others,
                             void *to_values);
typedef ma_status arrange_function(void *indices, void *values, int64_t first, int64_t last, int64_t nnz);
typedef int64_t unite_function(void *indices, void *values, int64_t first, int64_t last);

/* The place of each of n keys, at most RUN, in their sorted order: how many keys go before it. A processor compares
** keys side by side, and there is no branch that it could mispredict. All arrays have RUN elements; `key` gets a copy
** of the keys. m is a multiple of a vector's lanes. */
#define RANK(I, suffix)                                                                                         \
  typedef I keys_##suffix __attribute__((vector_size(32), aligned(sizeof(I)), may_alias));                      \
  static inline                                                                                                 \
    __attribute__((always_inline)) void rank_##suffix(const I *from, I *key, int64_t n, const int m, I *rank) { \
    enum { LANES = 32 / sizeof(I) };                                                                            \
    keys_##suffix place = { 0 };                                                                                \
    for (int k = 0; k < LANES; k++) place[k] = k;                                                               \
    for (int at = 0; at < m; at += LANES) {                                                                     \
      keys_##suffix own = *(const keys_##suffix *)(const void *)(from + at), before = { 0 };                    \
      *(keys_##suffix *)(void *)(key + at) = own;                                                               \
      for (int64_t j = 0; j < n; j++) before -= (from[j] < own) | ((from[j] == own) & ((I)(j - at) < place));   \
      *(keys_##suffix *)(void *)(rank + at) = before;                                                           \
    }                                                                                                           \
  }                                                                                                             \
  FOR_AVX2 static void rank_of_##suffix(const I *from, I *key, int64_t n, I *rank) {                            \
    if (n <= 8) rank_##suffix(from, key, n, 8, rank);                                                           \
    else if (n <= 16) rank_##suffix(from, key, n, 16, rank);                                                    \
    else rank_##suffix(from, key, n, RUN, rank);                                                                \
  }
RANK(int32_t, i4)
RANK(int64_t, i8)

#define EACH "cpu/sparse/order_loops.h"
#include "cpu/sparse/each.h"

static spread_function *const spread_of[2][MA_NSPARSE_VALUE] = NAMES(spread);
static spread_function *const turn_of[2][MA_NSPARSE_VALUE] = NAMES(turn);
static arrange_function *const arrange_of[2][MA_NSPARSE_VALUE] = NAMES(arrange);
static unite_function *const unite_of[2][MA_NSPARSE_VALUE] = NAMES(unite);

/* ==== Counting =================================================================================================== */

typedef struct count {
  ma_dtype index;
  const void *keys; /* of n entries, 1 .. extent */
  int64_t n, extent, parts, blocks;
  char *counters;      /* parts * extent of the index dtype: counts, then places from 0 */
  int64_t *begins;     /* of each block of keys */
  void *indptr;        /* extent + 1, from 1 */
  const ma_sparse *by; /* parts are of its rows; NULL: of the list */
} count;

/* Where part k begins: a place in the list, or a row. */
static int64_t begin_of(const count *c, int64_t k) {
  if (!c->by) return c->n * k / c->parts;
  return ma_cpu_sparse_row_at(c->by, (c->by->rows + c->n) * k / c->parts);
}

static int64_t entry_of(const count *c, int64_t k) {
  if (!c->by) return begin_of(c, k);
  return ma_sparse_begin(c->by, begin_of(c, k));
}

#define COUNTERS(c, T) ((T *)(void *)(c)->counters)

static ma_status count_range(void *context, int64_t first, int64_t last) {
  const count *c = context;
  for (int64_t part = first; part < last; part++) {
    int64_t begin = entry_of(c, part), end = entry_of(c, part + 1);
    if (c->index == MA_INT32) {
      int32_t *counter = COUNTERS(c, int32_t) + part * c->extent;
      memset(counter, 0, (size_t)c->extent * 4);
      for (int64_t k = begin; k < end; k++) counter[(int64_t)((const int32_t *)c->keys)[k] - 1]++;
    } else {
      int64_t *counter = COUNTERS(c, int64_t) + part * c->extent;
      memset(counter, 0, (size_t)c->extent * 8);
      for (int64_t k = begin; k < end; k++) counter[((const int64_t *)c->keys)[k] - 1]++;
    }
  }
  return MA_OK;
}

#define PLACE(T)                                        \
  do {                                                  \
    T *counter = COUNTERS(c, T), *indptr = c->indptr;   \
    for (int64_t key = begin; key < end; key++) {       \
      indptr[key] = (T)(at + 1);                        \
      for (int64_t part = 0; part < c->parts; part++) { \
        T n = counter[part * c->extent + key];          \
        counter[part * c->extent + key] = (T)at;        \
        at += n;                                        \
      }                                                 \
    }                                                   \
    if (end == c->extent) indptr[end] = (T)(at + 1);    \
  } while (0)

static ma_status total_range(void *context, int64_t first, int64_t last) {
  const count *c = context;
  for (int64_t block = first; block < last; block++) {
    int64_t begin = block * BLOCK, end = begin + BLOCK < c->extent ? begin + BLOCK : c->extent, n = 0;
    for (int64_t part = 0; part < c->parts; part++)
      if (c->index == MA_INT32)
        for (int64_t key = begin; key < end; key++) n += COUNTERS(c, int32_t)[part * c->extent + key];
      else
        for (int64_t key = begin; key < end; key++) n += COUNTERS(c, int64_t)[part * c->extent + key];
    c->begins[block] = n;
  }
  return MA_OK;
}

static ma_status place_range(void *context, int64_t first, int64_t last) {
  const count *c = context;
  for (int64_t block = first; block < last; block++) {
    int64_t begin = block * BLOCK, end = begin + BLOCK < c->extent ? begin + BLOCK : c->extent, at = c->begins[block];
    if (c->index == MA_INT32) PLACE(int32_t);
    else PLACE(int64_t);
  }
  return MA_OK;
}

/* Fills indptr and the places of each part. The counters are in *memory, for the caller to release. */
static ma_status count_entries(count *c, ma_buffer **memory) {
  int64_t size = ma_dtypes[c->index].itemsize, most = ma_cpu_threads();
  int64_t parts = 1 + c->n / (2 * c->extent + 1);
  c->parts = c->n < TUNE_SPARSE_ALONE ? 1 : parts < most ? parts : most;
  c->blocks = (c->extent + BLOCK - 1) / BLOCK;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(c->blocks * 8 + c->parts * c->extent * size + 8), memory));
  c->begins = (*memory)->ptr;
  c->counters = (char *)(c->begins + c->blocks);
  ma_status status = ma_cpu_parallel(c->parts, 1, count_range, c);
  if (status == MA_OK) status = ma_cpu_parallel(c->blocks, 4, total_range, c);
  int64_t at = 0;
  for (int64_t block = 0; status == MA_OK && block < c->blocks; block++) {
    int64_t n = c->begins[block];
    c->begins[block] = at;
    at += n;
  }
  if (c->extent == 0) {
    if (c->index == MA_INT32) *(int32_t *)c->indptr = 1;
    else *(int64_t *)c->indptr = 1;
  }
  if (status == MA_OK) status = ma_cpu_parallel(c->blocks, 4, place_range, c);
  return status;
}

/* ==== The transpose ============================================================================================== */

typedef struct spreading {
  count count;
  const ma_sparse *a;
  ma_csr_room to;
  spread_function *spread;
} spreading;

static ma_status spread_range(void *context, int64_t first, int64_t last) {
  const spreading *s = context;
  const count *c = &s->count;
  int64_t size = ma_dtypes[c->index].itemsize;
  for (int64_t part = first; part < last; part++)
    s->spread(s->a, begin_of(c, part), begin_of(c, part + 1), c->counters + part * c->extent * size, s->to.indices,
              s->to.data);
  return MA_OK;
}

/* ENTRIES by rows, or the transpose of ROWS. */
static ma_status spread(const ma_sparse *a, const ma_csr_room *to) {
  bool entries = a->kind == MA_SPARSE_ENTRIES;
  ma_buffer *memory = NULL;
  spreading s = { .count = { .index = a->index,
                             .keys = entries ? a->indptr : a->indices,
                             .n = entries ? a->nnz : ma_sparse_begin(a, a->rows),
                             .extent = entries ? a->rows : a->columns,
                             .indptr = to->indptr,
                             .by = entries ? NULL : a },
                  .a = a,
                  .to = *to,
                  .spread = entries ? MA_SPARSE_LOOP(spread_of, a) : MA_SPARSE_LOOP(turn_of, a) };
  ma_status status = count_entries(&s.count, &memory);
  if (status == MA_OK) status = ma_cpu_parallel(s.count.parts, 1, spread_range, &s);
  if (memory) ma_buffer_release(memory);
  return status;
}

typedef struct turn_job {
  ma_sparse a;
  ma_csr_room to;
} turn_job;

static ma_status transpose_now(ma_stream *stream, const void *job) {
  const turn_job *j = job;
  MA_TRY(ma_cpu_sparse_check(&j->a));
  return spread(&j->a, &j->to);
}

static int64_t turn_bytes(const void *job) { return 2 * ma_cpu_sparse_bytes(&((const turn_job *)job)->a); }

ma_status ma_cpu_sparse_transpose(ma_stream *stream, const ma_sparse *a, const ma_csr_room *to) {
  static const ma_task task = { .name = "sparse transpose", .run = transpose_now, .bytes = turn_bytes };
  return ma_cpu_submit(stream, &task, &(turn_job){ *a, *to }, sizeof(turn_job));
}

/* ==== Sorted rows ================================================================================================ */

typedef struct rows_work {
  const ma_sparse *a; /* which is changed */
  arrange_function *arrange;
  unite_function *unite; /* NULL: duplicates stay */
  int64_t *left;         /* of each row: entries that are left */
} rows_work;

static ma_status rows_range(void *context, int64_t first, int64_t last) {
  const rows_work *w = context;
  const ma_sparse *a = w->a;
  void *indices = (void *)(uintptr_t)a->indices, *data = (void *)(uintptr_t)a->data;
  int64_t stop = ma_cpu_sparse_row_at(a, last);
  for (int64_t r = ma_cpu_sparse_row_at(a, first); r < stop; r++) {
    int64_t begin = ma_sparse_begin(a, r), end = ma_sparse_begin(a, r + 1);
    MA_TRY(w->arrange(indices, data, begin, end, a->nnz));
    if (w->unite) w->left[r] = w->unite(indices, data, begin, end);
  }
  return MA_OK;
}

ma_status ma_cpu_sparse_sort_rows(const ma_sparse *a) {
  rows_work w = { .a = a, .arrange = MA_SPARSE_LOOP(arrange_of, a) };
  return ma_cpu_sparse_by_rows(a, TUNE_SPARSE_STEPS, rows_range, &w);
}

typedef struct closing {
  const ma_sparse *a;
  ma_csr_room to;
} closing;

/* Copies what is left of each row to its place. */
static ma_status close_range(void *context, int64_t first, int64_t last) {
  const closing *c = context;
  ma_dtype index = c->a->index;
  int64_t i = ma_dtypes[index].itemsize, v = ma_dtypes[c->a->dtype].itemsize, stop = ma_cpu_sparse_row_at(c->a, last);
  for (int64_t r = ma_cpu_sparse_row_at(c->a, first); r < stop; r++) {
    int64_t from = ma_sparse_begin(c->a, r), to = ma_sparse_at(index, c->to.indptr, r) - 1;
    int64_t n = ma_sparse_at(index, c->to.indptr, r + 1) - 1 - to;
    memcpy((char *)c->to.indices + to * i, (const char *)c->a->indices + from * i, (size_t)(n * i));
    memcpy((char *)c->to.data + to * v, (const char *)c->a->data + from * v, (size_t)(n * v));
  }
  return MA_OK;
}

/* Makes a result of the first left[r] entries of each row. */
static ma_status close_rows(ma_stream *stream, const ma_sparse *loose, const int64_t *left, ma_csr_arrays *result) {
  closing c = { .a = loose };
  int64_t total = 0;
  for (int64_t r = 0; r < loose->rows; r++) total += left[r];
  MA_TRY(ma_cpu_sparse_room(stream, loose->index, loose->dtype, loose->rows, total, 1, result, &c.to));
  ma_cpu_sparse_ends(loose->index, loose->rows, left, c.to.indptr);
  return ma_cpu_sparse_by_rows(loose, TUNE_SPARSE_STEPS, close_range, &c);
}

static void take_over(ma_csr_arrays *result, ma_csr_arrays *made) {
  *result = *made;
  made->indptr.buffer = made->indices.buffer = made->data.buffer = NULL;
}

/* Sorts the rows of `loose`, whose arrays are those of `made`, and adds up duplicates. If there are none, the result
** takes these arrays over. */
static ma_status unite_rows(ma_stream *stream, const ma_sparse *loose, ma_csr_arrays *made, ma_csr_arrays *result) {
  ma_buffer *memory = NULL;
  bool sorted, canonical;
  MA_TRY(ma_cpu_sparse_sorted(loose, &sorted, &canonical));
  if (canonical) {
    take_over(result, made);
    return MA_OK;
  }
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(loose->rows * 8 + 8), &memory));
  rows_work w = { loose, MA_SPARSE_LOOP(arrange_of, loose), MA_SPARSE_LOOP(unite_of, loose), memory->ptr };
  ma_status status = ma_cpu_sparse_by_rows(loose, TUNE_SPARSE_STEPS, rows_range, &w);
  int64_t left = 0;
  for (int64_t r = 0; status == MA_OK && r < loose->rows; r++) left += w.left[r];
  if (status == MA_OK && left < loose->nnz) status = close_rows(stream, loose, w.left, result);
  else if (status == MA_OK) take_over(result, made);
  ma_buffer_release(memory);
  return status;
}

/* ==== The order of a matrix ====================================================================================== */

typedef struct order_job {
  const ma_sparse *a;
  bool sum;
  ma_csr_arrays *result;
} order_job;

static ma_status order_now(ma_stream *stream, const void *job) {
  const order_job *j = job;
  const ma_sparse *a = j->a;
  bool entries = a->kind == MA_SPARSE_ENTRIES;
  ma_status status = MA_OK;
  ma_csr_arrays made;
  ma_csr_room room;
  if (entries) {
    MA_TRY(ma_cpu_sparse_inside(a->index, a->indptr, a->nnz, a->rows, "row"));
    MA_TRY(ma_cpu_sparse_inside(a->index, a->indices, a->nnz, a->columns, "column"));
  } else MA_TRY(ma_cpu_sparse_check_rows(a));
  /* entries behind the last row are left out if others may be left out too */
  int64_t nnz = entries || !j->sum ? a->nnz : ma_sparse_begin(a, a->rows);
  MA_TRY(ma_cpu_sparse_room(stream, a->index, a->dtype, a->rows, nnz, 1, &made, &room));
  ma_sparse loose = *a;
  loose.kind = MA_SPARSE_ROWS;
  loose.nnz = nnz;
  loose.indptr = room.indptr;
  loose.indices = room.indices;
  loose.data = room.data;
  if (entries) {
    status = spread(a, &room);
  } else {
    memcpy(room.indptr, a->indptr, (size_t)(a->rows + 1) * ma_dtypes[a->index].itemsize);
    memcpy(room.indices, a->indices, (size_t)nnz * ma_dtypes[a->index].itemsize);
    memcpy(room.data, a->data, (size_t)nnz * ma_dtypes[a->dtype].itemsize);
  }
  if (status == MA_OK && j->sum) status = unite_rows(stream, &loose, &made, j->result);
  else if (status == MA_OK) {
    status = ma_cpu_sparse_sort_rows(&loose);
    if (status == MA_OK) take_over(j->result, &made);
  }
  ma_cpu_sparse_drop(&made);
  return status;
}

static int64_t order_bytes(const void *job) { return 2 * ma_cpu_sparse_bytes(((const order_job *)job)->a); }

ma_status ma_cpu_sparse_order(ma_stream *stream, const ma_sparse *a, bool sum, ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse order", .run = order_now, .bytes = order_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(order_job){ a, sum, result }, sizeof(order_job));
}
