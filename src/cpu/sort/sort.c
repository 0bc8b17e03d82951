/*
** sort.c: sorts on the CPU. Short rows use a network (short.c) or are merged; longer rows of values are divided into
** buckets (buckets.c). Positions about one place come from the element there (argpartition.c). For others rows are
** sorted by digits of 8 bits, from the lowest up, over a few chunks that threads share: the digits of each chunk are
** counted, which gives the place of each element. A digit that all elements share is skipped.
*/
#include "cpu/cpu.h"
#include "cpu/sort/buckets.h"
#include "cpu/sort/sort.h"
#include "cpu/submit.h"
#include "cpu/map/wider.h"
#include "kernels/sort/order.h"

#include <stdlib.h>
#include <string.h>

#define RADIX 256
#define CHUNK 65536 /* elements in a chunk, at least */
#define MOST_CHUNKS 64
#define MOST_DIGITS 16
#define GROUP 32          /* values that are searched at once */
#define FAR_GROUPS 31     /* groups that are searched among all keys after one whose values were far from each other */
#define ORDERED 256       /* elements from which on a row is looked at for being in order */
#define RUN 8             /* elements that are sorted by comparing each with each */
#define ARGPARTITION 1024 /* elements of a row from which on the positions about one place come without a sort */

/* ==== Loops by dtype ============================================================================================= */

typedef void make_keys(const void *from, int64_t n, void *to);

#define KEY uint32_t
#define OF_KEY(name) name##_of_4
#define OF_SIZE(name) name##_of_1
#define NO_ITEM
#include "cpu/sort/sort_keys.h"
#define ITEM uint8_t
#include "cpu/sort/sort_keys.h"
#undef OF_SIZE
#define OF_SIZE(name) name##_of_2
#define ITEM uint16_t
#include "cpu/sort/sort_keys.h"
#undef OF_SIZE
#define OF_SIZE(name) name##_of_4
#define ITEM uint32_t
#include "cpu/sort/sort_keys.h"
#undef OF_SIZE
#undef OF_KEY
#undef KEY
#define KEY uint64_t
#define OF_KEY(name) name##_of_8
#define OF_SIZE(name) name##_of_8
#define NO_ITEM
#include "cpu/sort/sort_keys.h"
#define ITEM uint64_t
#include "cpu/sort/sort_keys.h"
#undef OF_SIZE
#undef OF_KEY
#undef KEY

#define BY_KEY(name) _Generic((KEY)0, uint32_t : name##_of_4, uint64_t : name##_of_8)
#define BY_SIZE(name) \
  _Generic((ITEM)0, uint8_t : name##_of_1, uint16_t : name##_of_2, uint32_t : name##_of_4, uint64_t : name##_of_8)
#define LESS(a, b) ((a) < (b))
#define DIGIT(key, d) ((key) >> (d)*8 & 255)
#define LEAD(key) (key)
#define LEADING KEY
#define SUFFIX b1
#define ITEM uint8_t
#define KEY uint32_t
#define ORDER ma_order_b1
#define UNORDER ma_unorder_b1
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX i1
#define ITEM uint8_t
#define KEY uint32_t
#define ORDER ma_order_i1
#define UNORDER ma_unorder_i1
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX i2
#define ITEM uint16_t
#define KEY uint32_t
#define ORDER ma_order_i2
#define UNORDER ma_unorder_i2
#include "cpu/sort/sort_row.h"
#undef ORDER
#define CLONES WIDEST
#define SUFFIX i4
#define ITEM uint32_t
#define KEY uint32_t
#define ORDER ma_order_i4
#define UNORDER ma_unorder_i4
#include "cpu/sort/sort_row.h"
#undef ORDER
#define CLONES WIDEST
#define SUFFIX i8
#define ITEM uint64_t
#define KEY uint64_t
#define ORDER ma_order_i8
#define UNORDER ma_unorder_i8
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX u1
#define ITEM uint8_t
#define KEY uint32_t
#define ORDER ma_order_u1
#define UNORDER ma_unorder_u1
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX u2
#define ITEM uint16_t
#define KEY uint32_t
#define ORDER ma_order_u2
#define UNORDER ma_unorder_u2
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX u4
#define ITEM uint32_t
#define KEY uint32_t
#define ORDER ma_order_u4
#define UNORDER ma_unorder_u4
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX u8
#define ITEM uint64_t
#define KEY uint64_t
#define ORDER ma_order_u8
#define UNORDER ma_unorder_u8
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX f2
#define ITEM uint16_t
#define KEY uint32_t
#define ORDER ma_order_f2
#define UNORDER ma_unorder_f2
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX bf
#define ITEM uint16_t
#define KEY uint32_t
#define ORDER ma_order_bf
#define UNORDER ma_unorder_bf
#include "cpu/sort/sort_row.h"
#undef ORDER
#define CLONES WIDEST
#define SUFFIX f4
#define ITEM uint32_t
#define KEY uint32_t
#define ORDER ma_order_f4
#define UNORDER ma_unorder_f4
#include "cpu/sort/sort_row.h"
#undef ORDER
#define CLONES WIDEST
#define SUFFIX f8
#define ITEM uint64_t
#define KEY uint64_t
#define ORDER ma_order_f8
#define UNORDER ma_unorder_f8
#include "cpu/sort/sort_row.h"
#undef ORDER
#define SUFFIX c8
#define ITEM uint64_t
#define KEY uint64_t
#define ORDER ma_order_c8
#include "cpu/sort/sort_row.h"
#undef ORDER
#undef LESS
#undef DIGIT
#undef LEAD
#undef LEADING
#define WIDE
#define LEAD(key) (key).hi
#define LEADING uint64_t
#define LESS(a, b) ((a).hi < (b).hi || ((a).hi == (b).hi && (a).lo < (b).lo))
#define DIGIT(key, d) (((d) < 8 ? (key).lo : (key).hi) >> ((d)&7) * 8 & 255)
#define SUFFIX c16
#define ITEM ma_order128
#define KEY ma_order128
#define ORDER ma_order_c16
#include "cpu/sort/sort_row.h"
#undef ORDER

#define extremes_c8 NULL
#define extremes_c16 NULL
#define digits_c16 NULL
#define keys_c16 NULL
#define search_keys_c16 NULL
#define from_narrow_c8 NULL
#define from_narrow_c16 NULL
#define from_wide_c8 NULL
#define from_wide_c16 NULL
#define shared_c8 NULL
#define shared_c16 NULL

typedef struct loops {
  ma_sort_loops rows;
  void (*count_all)(const void *, int64_t, uint32_t (*)[RADIX]);
  void (*count)(const void *, int64_t, int, uint32_t *);
  void (*move)(const void *, void *, int64_t, int, int64_t *);
  void (*move_both)(const void *, void *, const int64_t *, int64_t *, int64_t, int64_t, int, int64_t *);
  void (*search)(const void *, int64_t, const int64_t *, const void *, int64_t, bool, int64_t *);
  void (*keys)(const void *, int64_t, void *);
  void (*search_keys)(const void *, int64_t, const void *, int64_t, bool, int64_t *);
  void (*extremes)(const void *, int64_t, void *);
  void (*changes)(const void *, int64_t, int64_t, bool, uint8_t *);
  int (*way)(const void *, int64_t);
  void (*reverse)(const void *, void *, int64_t);
} loops;

static const loops loops_of[MA_NDTYPE] = {
#define DTYPE(ID, name, s, itemsize, kind, npy, reg)                                                                 \
  [MA_##ID] = { { small_##s, span_##s, digits_##s, narrow_##s, wide_##s, from_narrow_##s, from_wide_##s, shared_##s, \
                  settle_##s, gather_##s },                                                                          \
                count_all_##s,                                                                                       \
                count_##s,                                                                                           \
                move_##s,                                                                                            \
                move_both_##s,                                                                                       \
                search_##s,                                                                                          \
                keys_##s,                                                                                            \
                search_keys_##s,                                                                                     \
                extremes_##s,                                                                                        \
                changes_##s,                                                                                         \
                way_##s,                                                                                             \
                reverse_##s },
#include "base/dtype.def"
#undef DTYPE
};

/* ==== Rows by digits ============================================================================================= */

/* The sort of one row: a pass reads `from` and `at`, and writes `to` and `at_to`. */
typedef struct row {
  const loops *loop;
  int size, digit, nchunk;
  int64_t n, chunk; /* elements in the row and in a chunk */
  const char *from;
  char *to;
  const int64_t *at;
  int64_t *at_to;
  uint32_t (*all)[MOST_DIGITS][RADIX]; /* by chunk, for the original row */
  uint32_t (*count)[RADIX];            /* by chunk */
  int64_t (*next)[RADIX];              /* by chunk */
} row;

static int64_t chunk_size(const row *r, int64_t c) {
  return (c + 1) * r->chunk < r->n ? r->chunk : r->n - c * r->chunk;
}

static ma_status count_chunks(void *context, int64_t first, int64_t last) {
  const row *r = context;
  for (int64_t c = first; c < last; c++) {
    memset(r->count[c], 0, sizeof r->count[c]);
    r->loop->count(r->from + c * r->chunk * r->size, chunk_size(r, c), r->digit, r->count[c]);
  }
  return MA_OK;
}

static ma_status count_all_chunks(void *context, int64_t first, int64_t last) {
  const row *r = context;
  for (int64_t c = first; c < last; c++)
    r->loop->count_all(r->from + c * r->chunk * r->size, chunk_size(r, c), r->all[c]);
  return MA_OK;
}

static ma_status move_chunks(void *context, int64_t first, int64_t last) {
  const row *r = context;
  for (int64_t c = first; c < last; c++) {
    int64_t at = c * r->chunk;
    const char *from = r->from + at * r->size;
    if (!r->at_to) r->loop->move(from, r->to, chunk_size(r, c), r->digit, r->next[c]);
    else
      r->loop->move_both(from, r->to, r->at ? r->at + at : NULL, r->at_to, at + 1, chunk_size(r, c), r->digit,
                         r->next[c]);
  }
  return MA_OK;
}

/* Computes the place of each chunk's first element of each digit. */
static void place_chunks(row *r) {
  int64_t next = 0;
  for (int k = 0; k < RADIX; k++)
    for (int c = 0; c < r->nchunk; c++) {
      r->next[c][k] = next;
      next += r->count[c][k];
    }
}

/* Finds the digits in which elements differ; returns their number. */
static int active_digits(const row *r, int *digits) {
  int n = 0;
  for (int d = 0; d < r->size; d++)
    for (int k = 0; k < RADIX; k++) {
      int64_t count = 0;
      for (int c = 0; c < r->nchunk; c++) count += r->all[c][d][k];
      if (count == 0) continue;
      if (count < r->n) digits[n++] = d;
      break;
    }
  return n;
}

static void fill_positions(int64_t *positions, int64_t n) {
  for (int64_t i = 0; i < n; i++) positions[i] = i + 1;
}

/* Passes alternate between two memories, so that the last one ends in the result. */
static ma_status run_digits(row *r, const void *from, void *to, int64_t *positions, void *scratch, int64_t *more) {
  int digits[MOST_DIGITS];
  r->from = from;
  MA_TRY(ma_cpu_parallel(r->nchunk, 1, count_all_chunks, r));
  int left = active_digits(r, digits);
  size_t nbytes = (size_t)(r->n * r->size);
  if (left == 0) {
    if (to && to != from) memcpy(to, from, nbytes);
    if (positions) fill_positions(positions, r->n);
    return MA_OK;
  }
  char *memory[2] = { to ? to : (char *)scratch + nbytes, scratch };
  int flip = to == from && left & 1; /* else the first pass would overwrite what it reads */
  r->at = NULL;
  for (int k = 0; left > 0; k++) {
    left--;
    r->digit = digits[k];
    r->to = memory[(left ^ flip) & 1];
    r->at_to = !positions ? NULL : left & 1 ? more : positions;
    if (k == 0)
      for (int c = 0; c < r->nchunk; c++) memcpy(r->count[c], r->all[c][r->digit], sizeof r->count[c]);
    else MA_TRY(ma_cpu_parallel(r->nchunk, 1, count_chunks, r));
    place_chunks(r);
    MA_TRY(ma_cpu_parallel(r->nchunk, 1, move_chunks, r));
    r->from = r->to;
    r->at = r->at_to;
  }
  if (to && r->from != to) memcpy(to, r->from, nbytes);
  return MA_OK;
}

/* For positions, for 16-byte elements, and for more elements than 32 bits count. */
static ma_status sort_digits(const loops *loop, int64_t size, int threads, const char *from, char *to,
                             int64_t *positions, int64_t n) {
  int64_t nchunk = threads > 1 ? n / CHUNK : 1, most = 4 * (int64_t)threads;
  if (nchunk > most) nchunk = most;
  if (nchunk < (n >> 31) + 1) nchunk = (n >> 31) + 1; /* counts have 32 bits */
  if (nchunk > MOST_CHUNKS && n >> 31 < MOST_CHUNKS) nchunk = MOST_CHUNKS;
  row r = { .loop = loop, .size = (int)size, .nchunk = (int)nchunk, .n = n, .chunk = (n + nchunk - 1) / nchunk };
  size_t counts = (size_t)nchunk * sizeof *r.all, tables = counts + (size_t)nchunk * (sizeof *r.count + sizeof *r.next);
  size_t keys = (size_t)(n * size) * (to ? 1 : 2), places = positions ? (size_t)n * sizeof(int64_t) : 0;
  ma_buffer *memory = NULL; /* from the pool, which counts it, and collects if memory is short */
  MA_TRY(ma_buffer_new(ma_device_cpu(), tables + ((keys + 63) & ~(size_t)63) + places, &memory));
  char *at = memory->ptr;
  memset(at, 0, counts);
  r.all = (void *)at;
  r.count = (void *)(at + counts);
  r.next = (void *)(at + counts + (size_t)nchunk * sizeof *r.count);
  ma_status status = run_digits(&r, from, to, positions, at + tables,
                                (int64_t *)(void *)(at + tables + ((keys + 63) & ~(size_t)63)));
  ma_buffer_release(memory);
  return status;
}

static ma_status sort_buckets(const ma_sort *s, int threads, const char *from, char *to) {
  ma_buffer *memory = NULL;
  int size = ma_dtypes[s->dtype].itemsize;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)s->n * (size_t)size, &memory));
  ma_status status = ma_cpu_sort_buckets(&loops_of[s->dtype].rows, size, threads, from, to, memory->ptr, s->n,
                                         &(ma_places){ s->rank, s->nrank });
  ma_buffer_release(memory);
  return status;
}

/* A row that is in order already, or in the reverse one without equal elements; false: it is not. */
static bool sort_ordered(const loops *loop, int64_t size, const char *from, char *to, int64_t *positions, int64_t n) {
  bool alike = !memcmp(from, from + size, (size_t)((n - 1) * size)); /* each as the next: soon told, and frequent */
  int way = alike ? 1 : loop->way(from, n);
  if (way == 0) return false;
  if (way < 0 && to) loop->reverse(from, to, n);
  else if (to && to != from) memcpy(to, from, (size_t)(n * size));
  if (positions && way > 0) fill_positions(positions, n);
  for (int64_t i = 0; positions && way < 0 && i < n; i++) positions[i] = n - i;
  return true;
}

static ma_status sort_any(const ma_sort *s, const loops *loop, int threads, const char *from, char *to,
                          int64_t *positions) {
  int64_t size = ma_dtypes[s->dtype].itemsize;
  if (s->n >= ORDERED && sort_ordered(loop, size, from, to, positions, s->n)) return MA_OK;
  if (!positions && size <= 8 && ma_cpu_sort_counted(&loop->rows, (int)size, threads, from, to, s->n, s->nrank > 0))
    return MA_OK;
  if (s->n > RUN &&
      ma_cpu_sort_short(&loop->rows, (int)size, from, to, positions, s->n, &(ma_places){ s->rank, s->nrank }, 0))
    return MA_OK;
  if (s->n <= MA_SORT_SMALL) {
    loop->rows.small(from, to, positions, (int)s->n);
    return MA_OK;
  }
  if (!positions && size <= 8 && s->n < INT64_C(1) << 32) return sort_buckets(s, threads, from, to);
  return sort_digits(loop, size, threads, from, to, positions, s->n);
}

/* Positions of which one matters, by the element there. */
static ma_status argpartition(const ma_sort *s, const loops *loop, int threads, const char *from, int64_t *positions) {
  ma_buffer *memory = NULL;
  int size = ma_dtypes[s->dtype].itemsize;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)s->n * (size_t)size, &memory));
  char *values = memory->ptr;
  ma_status status = sort_any(s, loop, threads, from, values, NULL);
  if (status == MA_OK)
    status = ma_cpu_argpartition(&loop->rows, size, threads, from, values + s->rank[0] * size, positions, s->n);
  ma_buffer_release(memory);
  return status;
}

static ma_status sort_row(const ma_sort *s, int64_t i) {
  const loops *loop = &loops_of[s->dtype];
  int64_t size = ma_dtypes[s->dtype].itemsize;
  const char *from = (const char *)s->from + i * s->n * size;
  char *to = s->to ? (char *)s->to + i * s->n * size : NULL;
  int64_t *positions = s->positions ? s->positions + i * s->n : NULL;
  int threads = s->rows > 1 ? 1 : ma_cpu_threads();
  if (positions && !to && s->nrank == 1 && s->n >= ARGPARTITION && loop->rows.shared)
    return argpartition(s, loop, threads, from, positions);
  return sort_any(s, loop, threads, from, to, positions);
}

static ma_status sort_range(void *context, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; i++) MA_TRY(sort_row(context, i));
  return MA_OK;
}

static ma_status sort_now(ma_stream *stream, const void *job) {
  const ma_sort *sort = job;
  int64_t grain = CHUNK / 4 / sort->n;
  return ma_cpu_parallel(sort->rows, grain < 1 ? 1 : grain, sort_range, (void *)sort);
}

static int64_t sort_bytes(const void *job) {
  const ma_sort *s = job;
  return s->rows * s->n * (ma_dtypes[s->dtype].itemsize * (s->to ? 2 : 1) + (s->positions ? 8 : 0));
}

ma_status ma_cpu_sort_rows(ma_stream *stream, const ma_sort *sort) {
  static const ma_task task = { .name = "sort", .run = sort_now, .bytes = sort_bytes };
  return ma_cpu_submit(stream, &task, sort, sizeof *sort);
}

/* ==== Searching ================================================================================================== */

typedef struct search {
  const ma_search *s;
  void *keys;
} search;

static ma_status search_range(void *context, int64_t first, int64_t last) {
  const search *work = context;
  const ma_search *s = work->s;
  const char *values = (const char *)s->values + first * ma_dtypes[s->dtype].itemsize;
  const loops *loop = &loops_of[s->dtype];
  if (work->keys) loop->search_keys(work->keys, s->n, values, last - first, s->right, s->positions + first);
  else loop->search(s->sorted, s->n, s->sorter, values, last - first, s->right, s->positions + first);
  return MA_OK;
}

/* Searches keys instead of elements if there are enough values. */
static ma_status search_now(ma_stream *stream, const void *job) {
  search work = { job, NULL };
  const ma_search *s = job;
  size_t size = ma_dtypes[s->dtype].itemsize < 4 ? sizeof(uint32_t) : (size_t)ma_dtypes[s->dtype].itemsize;
  if (!s->sorter && s->count >= s->n / 16 && s->n < INT32_MAX && loops_of[s->dtype].keys)
    work.keys = malloc((size_t)s->n * size);
  if (work.keys) loops_of[s->dtype].keys(s->sorted, s->n, work.keys);
  ma_status status = ma_cpu_parallel(s->count, 1024, search_range, &work);
  free(work.keys);
  return status;
}

static int64_t search_bytes(const void *job) {
  const ma_search *s = job;
  return (s->n + s->count) * ma_dtypes[s->dtype].itemsize + (s->count + (s->sorter ? s->n : 0)) * 8;
}

ma_status ma_cpu_search(ma_stream *stream, const ma_search *search) {
  static const ma_task task = { .name = "search", .run = search_now, .bytes = search_bytes };
  return ma_cpu_submit(stream, &task, search, sizeof *search);
}

/* ==== Extremes ==================================================================================================== */

typedef struct extremes {
  ma_dtype dtype;
  const char *from;
  int64_t n, chunk;
  char *two;
} extremes;

static ma_status extremes_range(void *context, int64_t first, int64_t last) {
  const extremes *e = context;
  int64_t size = ma_dtypes[e->dtype].itemsize;
  for (int64_t c = first; c < last; c++) {
    int64_t at = c * e->chunk, n = e->n - at < e->chunk ? e->n - at : e->chunk;
    loops_of[e->dtype].extremes(e->from + at * size, n, e->two + 2 * c * size);
  }
  return MA_OK;
}

static ma_status extremes_now(ma_stream *stream, const void *job) {
  char room[2 * MOST_CHUNKS * 16];
  extremes e = *(const extremes *)job;
  void *two = e.two;
  int64_t nchunk = e.n / CHUNK < 1 ? 1 : e.n / CHUNK > MOST_CHUNKS ? MOST_CHUNKS : e.n / CHUNK;
  e.chunk = (e.n + nchunk - 1) / nchunk;
  e.two = room;
  MA_TRY(ma_cpu_parallel(nchunk, 1, extremes_range, &e));
  loops_of[e.dtype].extremes(room, 2 * nchunk, two);
  return MA_OK;
}

static int64_t extremes_bytes(const void *job) {
  const extremes *e = job;
  return (e->n + 2) * ma_dtypes[e->dtype].itemsize;
}

ma_status ma_cpu_extremes(ma_stream *stream, ma_dtype dtype, const void *from, int64_t n, void *two) {
  static const ma_task task = { .name = "extremes", .run = extremes_now, .bytes = extremes_bytes };
  return ma_cpu_submit(stream, &task, &(extremes){ .dtype = dtype, .from = from, .n = n, .two = two },
                       sizeof(extremes));
}

/* ==== Changes ===================================================================================================== */

typedef struct changes {
  ma_dtype dtype;
  const void *sorted;
  int64_t n;
  bool equal_nan;
  uint8_t *mask;
} changes;

static ma_status changes_range(void *context, int64_t first, int64_t last) {
  const changes *c = context;
  loops_of[c->dtype].changes(c->sorted, first, last, c->equal_nan, c->mask);
  return MA_OK;
}

static ma_status changes_now(ma_stream *stream, const void *job) {
  return ma_cpu_parallel(((const changes *)job)->n, CHUNK, changes_range, (void *)job);
}

static int64_t changes_bytes(const void *job) {
  const changes *c = job;
  return c->n * (ma_dtypes[c->dtype].itemsize + 1);
}

ma_status ma_cpu_changes(ma_stream *stream, ma_dtype dtype, const void *sorted, int64_t n, bool equal_nan,
                         uint8_t *mask) {
  static const ma_task task = { .name = "changes", .run = changes_now, .bytes = changes_bytes };
  return ma_cpu_submit(stream, &task, &(changes){ dtype, sorted, n, equal_nan, mask }, sizeof(changes));
}
