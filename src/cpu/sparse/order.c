/*
** order.c: sparse matrices in another order of their entries: COO to CSR, the transpose, sorted rows.
**
** Entries are counted by row (or column), which gives the place of each row; then they are put there, in their order.
** Threads take parts of the entries. Each part has counters of its own, so the order is the same for any number.
*/
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUN 32       /* entries that are sorted by their ranks */
#define STEPS 8192   /* steps of a walk that a thread takes at least */
#define BLOCK 16384  /* counters of a block */
#define AHEAD 16     /* entries before which the place of one is fetched */
#define SHORT 100000 /* entries for which one thread is enough */

typedef void spread_function(const void *keys, const void *others, const void *values, int64_t first, int64_t last,
                             void *next, void *to_others, void *to_values);
typedef void turn_function(const ma_csr *a, int64_t first, int64_t last, void *next, void *to_others, void *to_values);
typedef int64_t unite_function(void *indices, void *values, int64_t first, int64_t last);

/* The place of each of n keys, at most RUN, in their sorted order: how many go before it. A processor compares them
** side by side, and there is no branch that it could mispredict. All arrays have RUN elements; `key` gets a copy of the
** keys. m is a multiple of a vector's lanes. */
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
  WIDER static void rank_of_##suffix(const I *from, I *key, int64_t n, I *rank) {                               \
    if (n <= 8) rank_##suffix(from, key, n, 8, rank);                                                           \
    else if (n <= 16) rank_##suffix(from, key, n, 16, rank);                                                    \
    else rank_##suffix(from, key, n, RUN, rank);                                                                \
  }
RANK(int32_t, i4)
RANK(int64_t, i8)

#define EACH "cpu/sparse/order_loops.h"
#include "cpu/sparse/each.h"

static spread_function *const spread_of[2][MA_NSPARSE_VALUE] = NAMES(spread);
static turn_function *const turn_of[2][MA_NSPARSE_VALUE] = NAMES(turn);
static ma_sparse_arrange *const arrange_of[2][MA_NSPARSE_VALUE] = NAMES(arrange);
static unite_function *const unite_of[2][MA_NSPARSE_VALUE] = NAMES(unite);

ma_sparse_arrange *ma_cpu_sparse_arrange(ma_dtype index, ma_dtype dtype) {
  return arrange_of[index == MA_INT64][ma_sparse_value(dtype)];
}

/* ==== Counting =================================================================================================== */

typedef struct count {
  ma_dtype index;
  const void *keys; /* of n entries, 1 .. extent */
  int64_t n, extent, parts, blocks;
  char *counters;   /* parts * extent of the index dtype: counts, then places from 0 */
  int64_t *begins;  /* of each block of keys */
  void *indptr;     /* extent + 1, from 1 */
  const ma_csr *by; /* parts are of its rows; NULL: of the list */
} count;

/* Where part k begins in the list, or the row at which it begins. */
static int64_t begin_of(const count *c, int64_t k) {
  if (!c->by) return c->n * k / c->parts;
  return ma_cpu_sparse_row_at(c->by, (c->by->rows + c->n) * k / c->parts);
}

static int64_t entry_of(const count *c, int64_t k) {
  if (!c->by) return begin_of(c, k);
  return ma_sparse_at(c->index, c->by->indptr, begin_of(c, k)) - 1;
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
  c->parts = c->n < SHORT ? 1 : 1 + c->n / (2 * c->extent + 1) < most ? 1 + c->n / (2 * c->extent + 1) : most;
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

typedef struct turned {
  count count;
  turn_function *turn;
  ma_csr_room to;
} turned;

static ma_status turn_range(void *context, int64_t first, int64_t last) {
  const turned *t = context;
  const count *c = &t->count;
  int64_t size = ma_dtypes[c->index].itemsize;
  for (int64_t part = first; part < last; part++)
    t->turn(c->by, begin_of(c, part), begin_of(c, part + 1), c->counters + part * c->extent * size, t->to.indices,
            t->to.data);
  return MA_OK;
}

typedef struct turn_job {
  ma_csr a;
  ma_csr_room to;
} turn_job;

static ma_status transpose_now(ma_stream *stream, const void *job) {
  const turn_job *j = job;
  const ma_csr *a = &j->a;
  ma_buffer *memory = NULL;
  MA_TRY(ma_cpu_sparse_check(a));
  turned t = { .count = { .index = a->index,
                          .keys = a->indices,
                          .n = ma_sparse_at(a->index, a->indptr, a->rows) - 1,
                          .extent = a->columns,
                          .indptr = j->to.indptr,
                          .by = a },
               .turn = turn_of[a->index == MA_INT64][ma_sparse_value(a->dtype)],
               .to = j->to };
  ma_status status = count_entries(&t.count, &memory);
  if (status == MA_OK) status = ma_cpu_parallel(t.count.parts, 1, turn_range, &t);
  if (memory) ma_buffer_release(memory);
  return status;
}

static int64_t turn_bytes(const void *job) { return 2 * ma_cpu_sparse_bytes(&((const turn_job *)job)->a); }

ma_status ma_cpu_sparse_transpose(ma_stream *stream, const ma_csr *a, const ma_csr_room *to) {
  static const ma_task task = { .name = "sparse transpose", .run = transpose_now, .bytes = turn_bytes };
  return ma_cpu_submit(stream, &task, &(turn_job){ *a, *to }, sizeof(turn_job));
}

/* ==== Sorted rows ================================================================================================ */

typedef struct rows_work {
  const ma_csr *a; /* its indptr; indices and data are those of `to` */
  ma_csr_room to;
  ma_sparse_arrange *arrange;
  unite_function *unite; /* NULL: duplicates stay */
  int64_t *left;         /* of each row: entries that are left */
} rows_work;

static ma_status rows_range(void *context, int64_t first, int64_t last) {
  const rows_work *w = context;
  const ma_csr *a = w->a;
  int64_t stop = ma_cpu_sparse_row_at(a, last);
  for (int64_t r = ma_cpu_sparse_row_at(a, first); r < stop; r++) {
    int64_t begin = ma_sparse_at(a->index, a->indptr, r) - 1, end = ma_sparse_at(a->index, a->indptr, r + 1) - 1;
    MA_TRY(w->arrange(w->to.indices, w->to.data, begin, end, a->nnz));
    if (w->unite) w->left[r] = w->unite(w->to.indices, w->to.data, begin, end);
  }
  return MA_OK;
}

static ma_status sort_now(ma_stream *stream, const void *job) {
  const turn_job *j = job;
  const ma_csr *a = &j->a;
  MA_TRY(ma_cpu_sparse_check_rows(a));
  if (j->to.indices != a->indices) memcpy(j->to.indices, a->indices, (size_t)(a->nnz * ma_dtypes[a->index].itemsize));
  if (j->to.data != a->data) memcpy(j->to.data, a->data, (size_t)(a->nnz * ma_dtypes[a->dtype].itemsize));
  rows_work w = { .a = a, .to = j->to, .arrange = arrange_of[a->index == MA_INT64][ma_sparse_value(a->dtype)] };
  return ma_cpu_sparse_by_rows(a, STEPS, rows_range, &w);
}

ma_status ma_cpu_sparse_sort(ma_stream *stream, const ma_csr *a, const ma_csr_room *to) {
  static const ma_task task = { .name = "sparse sort", .run = sort_now, .bytes = turn_bytes };
  return ma_cpu_submit(stream, &task, &(turn_job){ *a, *to }, sizeof(turn_job));
}

/* ==== COO to CSR ================================================================================================= */

typedef struct compress_job {
  const ma_coo *a;
  ma_csr_arrays *result;
} compress_job;

typedef struct compressing {
  count count;
  const ma_coo *a;
  ma_csr_room to;
  spread_function *spread;
} compressing;

static ma_status spread_range(void *context, int64_t first, int64_t last) {
  const compressing *t = context;
  const count *c = &t->count;
  int64_t size = ma_dtypes[c->index].itemsize;
  for (int64_t part = first; part < last; part++)
    t->spread(t->a->row, t->a->column, t->a->data, begin_of(c, part), begin_of(c, part + 1),
              c->counters + part * c->extent * size, t->to.indices, t->to.data);
  return MA_OK;
}

typedef struct closing {
  const ma_csr *a;
  const void *indptr; /* of the result */
  const char *indices, *data;
  ma_csr_room to;
} closing;

/* Copies what is left of each row to its place. */
static ma_status close_range(void *context, int64_t first, int64_t last) {
  const closing *c = context;
  ma_dtype index = c->a->index;
  int64_t i = ma_dtypes[index].itemsize, v = ma_dtypes[c->a->dtype].itemsize, stop = ma_cpu_sparse_row_at(c->a, last);
  for (int64_t r = ma_cpu_sparse_row_at(c->a, first); r < stop; r++) {
    int64_t from = ma_sparse_at(index, c->a->indptr, r) - 1, to = ma_sparse_at(index, c->indptr, r) - 1;
    int64_t n = ma_sparse_at(index, c->indptr, r + 1) - 1 - to;
    memcpy((char *)c->to.indices + to * i, c->indices + from * i, (size_t)(n * i));
    memcpy((char *)c->to.data + to * v, c->data + from * v, (size_t)(n * v));
  }
  return MA_OK;
}

/* A result of the first left[r] entries of each row. */
static ma_status close_rows(ma_stream *stream, const ma_csr *loose, const int64_t *left, ma_csr_arrays *result) {
  ma_csr_room room;
  int64_t total = 0;
  for (int64_t r = 0; r < loose->rows; r++) total += left[r];
  MA_TRY(ma_cpu_sparse_room(stream, loose->index, loose->dtype, loose->rows, total, result, &room));
  ma_cpu_sparse_ends(loose->index, loose->rows, left, room.indptr);
  closing c = { loose, room.indptr, loose->indices, loose->data, room };
  return ma_cpu_sparse_by_rows(loose, STEPS, close_range, &c);
}

static void take_over(ma_csr_arrays *result, ma_csr_arrays *made) {
  *result = *made;
  made->indptr.buffer = made->indices.buffer = made->data.buffer = NULL;
}

/* Sorts the rows of `loose`, whose arrays are those of `made`, and adds up duplicates; without any the result takes
** these arrays. */
static ma_status unite_rows(ma_stream *stream, const ma_csr *loose, ma_csr_arrays *made, const ma_csr_room *room,
                            ma_csr_arrays *result) {
  ma_buffer *memory = NULL;
  int index = loose->index == MA_INT64, value = ma_sparse_value(loose->dtype);
  bool sorted, canonical;
  MA_TRY(ma_cpu_sparse_order(loose, &sorted, &canonical));
  if (canonical) {
    take_over(result, made);
    return MA_OK;
  }
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(loose->rows * 8 + 8), &memory));
  rows_work w = { loose, *room, arrange_of[index][value], unite_of[index][value], memory->ptr };
  ma_status status = ma_cpu_sparse_by_rows(loose, STEPS, rows_range, &w);
  int64_t left = 0;
  for (int64_t r = 0; status == MA_OK && r < loose->rows; r++) left += w.left[r];
  if (status == MA_OK && left < loose->nnz) {
    status = close_rows(stream, loose, w.left, result);
  } else if (status == MA_OK) {
    take_over(result, made);
  }
  ma_buffer_release(memory);
  return status;
}

static ma_status compress_rows(ma_stream *stream, const ma_coo *a, ma_csr_arrays *made, ma_csr_room *room,
                               ma_csr_arrays *result) {
  ma_buffer *memory = NULL;
  int index = a->index == MA_INT64, value = ma_sparse_value(a->dtype);
  compressing t = {
    .count = { .index = a->index, .keys = a->row, .n = a->nnz, .extent = a->rows, .indptr = room->indptr },
    .a = a,
    .to = *room,
    .spread = spread_of[index][value]
  };
  ma_status status = count_entries(&t.count, &memory);
  if (status == MA_OK) status = ma_cpu_parallel(t.count.parts, 1, spread_range, &t);
  if (memory) ma_buffer_release(memory);
  if (status != MA_OK) return status;
  ma_csr loose = { .dtype = a->dtype,
                   .index = a->index,
                   .rows = a->rows,
                   .columns = a->columns,
                   .nnz = a->nnz,
                   .indptr = room->indptr,
                   .indices = room->indices,
                   .data = room->data };
  return unite_rows(stream, &loose, made, room, result);
}

static ma_status compress_now(ma_stream *stream, const void *job) {
  const ma_coo *a = ((const compress_job *)job)->a;
  ma_csr_arrays made;
  ma_csr_room room;
  MA_TRY(ma_cpu_sparse_inside(a->index, a->row, a->nnz, a->rows, "row"));
  MA_TRY(ma_cpu_sparse_inside(a->index, a->column, a->nnz, a->columns, "column"));
  MA_TRY(ma_cpu_sparse_room(stream, a->index, a->dtype, a->rows, a->nnz, &made, &room));
  ma_status status = compress_rows(stream, a, &made, &room, ((const compress_job *)job)->result);
  ma_cpu_sparse_drop(&made);
  return status;
}

static int64_t compress_bytes(const void *job) {
  const ma_coo *a = ((const compress_job *)job)->a;
  return 2 * a->nnz * (2 * ma_dtypes[a->index].itemsize + ma_dtypes[a->dtype].itemsize);
}

ma_status ma_cpu_sparse_compress(ma_stream *stream, const ma_coo *a, ma_csr_arrays *result) {
  static const ma_task task = {
    .name = "sparse compress", .run = compress_now, .bytes = compress_bytes, .refused = ""
  };
  return ma_cpu_submit(stream, &task, &(compress_job){ a, result }, sizeof(compress_job));
}

typedef struct unite_job {
  const ma_csr *a;
  ma_csr_arrays *result;
} unite_job;

static ma_status unite_now(ma_stream *stream, const void *job) {
  const unite_job *j = job;
  const ma_csr *a = j->a;
  ma_csr_arrays made;
  ma_csr_room room;
  MA_TRY(ma_cpu_sparse_check_rows(a));
  size_t index = ma_dtypes[a->index].itemsize, value = ma_dtypes[a->dtype].itemsize;
  int64_t used = ma_sparse_at(a->index, a->indptr, a->rows) - 1;
  MA_TRY(ma_cpu_sparse_room(stream, a->index, a->dtype, a->rows, used, &made, &room));
  memcpy(room.indptr, a->indptr, (size_t)(a->rows + 1) * index);
  memcpy(room.indices, a->indices, (size_t)used * index);
  memcpy(room.data, a->data, (size_t)used * value);
  ma_csr loose = *a;
  loose.nnz = used;
  loose.indptr = room.indptr;
  loose.indices = room.indices;
  loose.data = room.data;
  ma_status status = unite_rows(stream, &loose, &made, &room, j->result);
  ma_cpu_sparse_drop(&made);
  return status;
}

static int64_t unite_bytes(const void *job) { return 2 * ma_cpu_sparse_bytes(((const unite_job *)job)->a); }

ma_status ma_cpu_sparse_unite(ma_stream *stream, const ma_csr *a, ma_csr_arrays *result) {
  static const ma_task task = { .name = "sparse unite", .run = unite_now, .bytes = unite_bytes, .refused = "" };
  return ma_cpu_submit(stream, &task, &(unite_job){ a, result }, sizeof(unite_job));
}

/* ==== The row of each entry ====================================================================================== */

typedef struct expand_job {
  ma_csr a;
  void *row;
} expand_job;

static ma_status expand_range(void *context, int64_t first, int64_t last) {
  const expand_job *j = context;
  const ma_csr *a = &j->a;
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
  return ma_cpu_sparse_by_rows(&j->a, STEPS, expand_range, (void *)job);
}

static int64_t expand_bytes(const void *job) {
  const expand_job *j = job;
  return (j->a.rows + 1 + j->a.nnz) * ma_dtypes[j->a.index].itemsize;
}

ma_status ma_cpu_sparse_expand(ma_stream *stream, const ma_csr *a, void *row) {
  static const ma_task task = { .name = "sparse expand", .run = expand_now, .bytes = expand_bytes };
  return ma_cpu_submit(stream, &task, &(expand_job){ *a, row }, sizeof(expand_job));
}
