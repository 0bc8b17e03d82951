/*
** product.c: a sparse matrix by rows times a vector or a dense matrix. Other kinds are in formats.c.
**
** The work is a walk with one step for each row and one for each entry: row r is at step indptr[r] - 1 + r, its entries
** are behind it. The walk is cut into parts of equal length, which threads take in turn. So neither a dense row nor
** many empty rows leave a thread alone. A row that is cut has several sums, which are added in their order at the end:
** the parts do not depend on the number of threads, and neither does the result.
*/
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

#define PART 16384   /* steps of a part */
#define PARTIALS 8   /* sums of a transposed product by rows, at most */
#define SHORT 131072 /* entries for which one thread is enough */

typedef void scatter_function(const ma_sparse_product *p, int64_t first, int64_t last, int64_t at, int64_t n, void *to);

#define EACH "cpu/sparse/product_loops.h"
#include "cpu/sparse/each.h"

static ma_sparse_part *const part_of[2][MA_NSPARSE_VALUE] = NAMES(part);
static scatter_function *const scatter_of[2][MA_NSPARSE_VALUE] = NAMES(scatter);

typedef struct work {
  const ma_sparse_product *p;
  ma_sparse_part *part;
  scatter_function *scatter;
  int64_t total, step, room; /* total: steps; step: of a part; room: bytes of a row of y */
  char *carry;               /* of each part, a row of y */
  int64_t *carried;          /* the row that it belongs to, from 0; -1: none */
  int64_t parts, slice;      /* of a transposed product */
  char *partial;             /* parts - 1 further results */
} work;

static ma_status part_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_sparse *a = &w->p->a;
  for (int64_t at = first; at < last; at++) {
    int64_t begin = at * w->step, end = begin + w->step < w->total ? begin + w->step : w->total;
    int64_t row = ma_cpu_sparse_row_at(a, begin), stop = ma_cpu_sparse_row_at(a, end);
    /* The entries of the part begin behind the step of row - 1, if that row began before the part, and go up to the
    ** step of `stop`. If the ends of rows do not ascend, the search may have found any rows. */
    int64_t from = begin - row, to = end - stop;
    if (row > stop || from < 0 || to > a->nnz) return ma_cpu_sparse_falls();
    MA_TRY(ma_cpu_sparse_ascend(a, row, stop));
    bool cut = row > 0 && from < ma_sparse_at(a->index, a->indptr, row) - 1;
    w->carried[at] = cut ? row - 1 : -1;
    if (w->p->x) MA_TRY(ma_cpu_sparse_columns(a, from, to));
    w->part(w->p, begin, end, row, stop, w->carry + at * w->room);
  }
  return MA_OK;
}

static ma_status forward(work *w) {
  const ma_sparse *a = &w->p->a;
  int64_t used = ma_sparse_at(a->index, a->indptr, a->rows) - 1;
  MA_TRY(ma_cpu_sparse_check_ends(a));
  w->step = w->p->width == 1 ? PART : PART / 4;
  w->total = a->rows + used;
  if (ma_cpu_sparse_row_at(a, w->total) != a->rows) return ma_cpu_sparse_falls();
  int64_t parts = (w->total + w->step - 1) / w->step;
  ma_buffer *memory = NULL;
  MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)(parts * (w->room + 8)), &memory));
  w->carried = memory->ptr;
  w->carry = (char *)(w->carried + parts);
  ma_status status = ma_cpu_parallel(parts, 1, part_range, w);
  for (int64_t k = 0; status == MA_OK && k < parts; k++)
    if (w->carried[k] >= 0)
      ma_cpu_sparse_add(a->dtype, (char *)w->p->y + w->carried[k] * w->room, w->carry + k * w->room, w->p->width);
  ma_buffer_release(memory);
  return status;
}

/* ==== Transposed ================================================================================================= */

static ma_status slice_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  int64_t at = first * w->slice, end = last * w->slice < w->p->width ? last * w->slice : w->p->width;
  w->scatter(w->p, 0, w->p->a.rows, at, end - at, w->p->y);
  return MA_OK;
}

/* Multiplies rows with equal numbers of entries, each part into a result of its own. Columns are checked where they are
** used, while they are in the cache. */
static ma_status partial_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_sparse *a = &w->p->a;
  int64_t size = a->columns * w->room;
  for (int64_t k = first; k < last; k++) {
    char *to = k == 0 ? w->p->y : w->partial + (k - 1) * size;
    int64_t row = ma_cpu_sparse_row_at(a, w->total * k / w->parts);
    int64_t stop = ma_cpu_sparse_row_at(a, w->total * (k + 1) / w->parts);
    memset(to, 0, (size_t)size);
    while (row < stop) {
      int64_t begin = ma_sparse_at(a->index, a->indptr, row) - 1, next = ma_cpu_sparse_row_at(a, begin + row + PART);
      if (next <= row) next = row + 1;
      if (next > stop) next = stop;
      MA_TRY(ma_cpu_sparse_columns(a, begin, ma_sparse_at(a->index, a->indptr, next) - 1));
      w->scatter(w->p, row, next, 0, w->p->width, to);
      row = next;
    }
  }
  return MA_OK;
}

static ma_status merge_range(void *context, int64_t first, int64_t last) {
  const work *w = context;
  const ma_sparse *a = &w->p->a;
  for (int64_t k = 0; k < w->parts - 1; k++)
    ma_cpu_sparse_add(a->dtype, (char *)w->p->y + first * w->room, w->partial + (k * a->columns + first) * w->room,
                      (last - first) * w->p->width);
  return MA_OK;
}

int64_t ma_cpu_sparse_partials(int64_t nnz, int64_t results) {
  int64_t parts = 1;
  if (nnz < SHORT) return 1;
  while (parts < PARTIALS && 4 * parts * results < nnz) parts *= 2;
  return parts;
}

static ma_status backward(work *w) {
  const ma_sparse_product *p = w->p;
  if (p->width / 2 >= TUNE_SPARSE_SLICE) {
    MA_TRY(ma_cpu_sparse_inside(p->a.index, p->a.indices, p->a.nnz, p->a.columns, "indices"));
    memset(p->y, 0, (size_t)(p->a.columns * w->room));
    w->slice = p->width % 8 == 0 && p->width >= 16 ? 8 : TUNE_SPARSE_SLICE;
    int64_t slices = (p->width + w->slice - 1) / w->slice;
    return ma_cpu_parallel(slices, p->a.nnz < SHORT / p->width ? slices : 1, slice_range, w);
  }
  ma_buffer *memory = NULL;
  w->parts = ma_cpu_sparse_partials(p->a.nnz, p->a.columns);
  w->total = p->a.rows + ma_sparse_at(p->a.index, p->a.indptr, p->a.rows) - 1;
  int64_t further = (w->parts - 1) * p->a.columns * w->room;
  if (further) MA_TRY(ma_buffer_new(ma_device_cpu(), (size_t)further, &memory));
  w->partial = memory ? memory->ptr : NULL;
  ma_status status = ma_cpu_parallel(w->parts, 1, partial_range, w);
  if (status == MA_OK && w->parts > 1) status = ma_cpu_parallel(p->a.columns, TUNE_THREAD_SLOW, merge_range, w);
  if (memory) ma_buffer_release(memory);
  return status;
}

static ma_status product_now(ma_stream *stream, const void *job) {
  const ma_sparse_product *p = job;
  if (p->a.kind != MA_SPARSE_ROWS) return ma_cpu_sparse_formats(p);
  work w = { .p = p,
             .part = p->width == 1 ? ma_cpu_sparse_vector(p->a.index, p->a.dtype) : MA_SPARSE_LOOP(part_of, &p->a),
             .scatter = MA_SPARSE_LOOP(scatter_of, &p->a),
             .room = p->width * ma_dtypes[p->a.dtype].itemsize };
  if (!p->transposed) return forward(&w);
  MA_TRY(ma_cpu_sparse_check_rows(&p->a));
  return backward(&w);
}

static int64_t product_bytes(const void *job) {
  const ma_sparse_product *p = job;
  const ma_sparse *a = &p->a;
  int64_t entries = a->nnz * (a->kind == MA_SPARSE_BLOCKS      ? a->height * a->width
                              : a->kind == MA_SPARSE_DIAGONALS ? a->length
                                                               : 1);
  return a->nnz * ma_dtypes[a->index].itemsize +
         (entries + (a->rows + a->columns) * p->width) * ma_dtypes[a->dtype].itemsize;
}

static int64_t offsets_of(const void *job) {
  const ma_sparse *a = &((const ma_sparse_product *)job)->a;
  return a->kind == MA_SPARSE_DIAGONALS ? a->nnz : 0;
}

/* The size of the job. The offsets of diagonals follow it, so that a copy of the job has them. */
static size_t product_size(const void *job) {
  return sizeof(ma_sparse_product) + 2 * (size_t)offsets_of(job) * sizeof(int64_t);
}

static void product_copy(void *to, const void *job) {
  ma_sparse_product *p = to;
  int64_t *list = (int64_t *)(void *)(p + 1), n = offsets_of(job);
  *p = *(const ma_sparse_product *)job;
  if (!n) return;
  memcpy(list, p->a.offsets, (size_t)n * sizeof *list);
  memcpy(list + n, p->a.places, (size_t)n * sizeof *list);
  p->a.offsets = list;
  p->a.places = list + n;
}

MA_CPU_SLOT(ma_cpu_sparse_product, ma_sparse_product, .name = "sparse product", .run = product_now,
            .bytes = product_bytes, .size = product_size, .copy = product_copy)
