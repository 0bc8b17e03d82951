/* run.c: factors and triangular solves with arrays. */
#include "ops/direct/run.h"
#include "array/array.h"
#include "memory/graph.h"
#include "base/threads.h"

#include <stdlib.h>
#include <string.h>

void ma_pattern_close(ma_pattern *p) {
  free(p->start);
  free(p->row);
  *p = (ma_pattern){ 0 };
}

/* Positions from 0 on, of those from 1 on: the first that is not 1 .. m, or nnz. */
static int64_t copy_positions(const int32_t *restrict row, int64_t nnz, int32_t m, int32_t *restrict to) {
  uint32_t most = 0;
  for (int64_t k = 0; k < nnz; k++) {
    uint32_t at = (uint32_t)row[k] - 1; /* great for 0 and below */
    most = at > most ? at : most;
    to[k] = (int32_t)at;
  }
  if (most < (uint32_t)m) return nnz;
  int64_t k = 0;
  while (k < nnz && (uint32_t)to[k] < (uint32_t)m) k++;
  return k;
}

ma_status ma_pattern_open(const ma_compressed_arrays *a, ma_stream *stream, ma_pattern *p) {
  const void *start, *row;
  *p = (ma_pattern){ .m = (int32_t)a->rows, .n = (int32_t)a->columns };
  if (a->rows < 0 || a->columns < 0 || a->rows > INT32_MAX - 2 || a->columns > INT32_MAX - 2)
    return ma_fail(MA_ERR_VALUE, "%lld x %lld; at most 2^31 - 3 rows and columns are taken", (long long)a->rows,
                   (long long)a->columns);
  if (a->start->dtype != MA_INT64 || a->row->dtype != MA_INT32 || a->start->size != a->columns + 1 ||
      (a->value->dtype != MA_FLOAT64 && a->value->dtype != MA_COMPLEX128) || !ma_array_is_contiguous(a->start) ||
      !ma_array_is_contiguous(a->row) || !ma_array_is_contiguous(a->value))
    return ma_fail(MA_ERR_TYPE, "arrays that are not those of a compressed matrix");
  MA_TRY(ma_array_read(a->start, stream, &start));
  MA_TRY(ma_array_read(a->row, stream, &row));
  MA_TRY(ma_array_read(a->value, stream, &p->value));
  const int64_t *from = start;
  int64_t nnz = from[p->n] - 1;
  bool right = from[0] == 1 && nnz >= 0 && nnz <= a->row->size && nnz <= a->value->size;
  for (int32_t j = 0; right && j < p->n; j++) right = from[j] <= from[j + 1] && from[j + 1] <= nnz + 1;
  if (!right) return ma_fail(MA_ERR_INDEX, "an indptr that does not rise from 1 to the number of entries plus 1");
  p->start = malloc((size_t)(p->n + 1) * sizeof *p->start);
  p->row = malloc((size_t)(nnz + 1) * sizeof *p->row);
  if (!p->start || !p->row) {
    ma_pattern_close(p);
    return ma_fail(MA_ERR_MEMORY, "out of memory: a matrix of %lld entries", (long long)nnz);
  }
  for (int32_t j = 0; j <= p->n; j++) p->start[j] = from[j] - 1;
  int64_t outside = copy_positions(row, nnz, p->m, p->row);
  if (outside == nnz) return MA_OK;
  ma_pattern_close(p);
  return ma_fail(MA_ERR_INDEX, "position %d in the indices of a matrix of %lld rows", ((const int32_t *)row)[outside],
                 (long long)a->rows);
}

static ma_status give(ma_array *to, const ma_array *like, ma_dtype dtype, const void *from, int64_t n,
                      ma_stream *stream) {
  void *address;
  MA_TRY(ma_array_new(to, ma_array_device(like), dtype, 1, &n));
  MA_TRY(ma_array_write(to, stream, &address));
  if (n > 0) memcpy(address, from, (size_t)n * ma_dtypes[dtype].itemsize);
  return MA_OK;
}

/* Positions from 1 on. */
static void count_from_one(ma_factors *f) {
  int64_t nl = f->lstart[f->n], nu = f->ustart[f->n];
  for (int64_t k = 0; k < nl; k++) f->lrow[k]++;
  for (int64_t k = 0; k < nu; k++) f->urow[k]++;
  for (int32_t k = 0; k < f->n; k++) f->place[k]++, f->column[k]++;
  for (int32_t k = 0; k <= f->n; k++) f->lstart[k]++, f->ustart[k]++;
}

static ma_status give_factors(ma_factors *f, const ma_array *like, ma_stream *stream, ma_array *const *to) {
  ma_dtype dtype = (ma_dtype)like->dtype;
  int64_t nl = f->lstart[f->n], nu = f->ustart[f->n], n = f->n;
  count_from_one(f);
  const struct {
    ma_dtype dtype;
    const void *from;
    int64_t n;
  } each[MA_NFACTOR_ARRAYS] = {
    { MA_INT64, f->lstart, n + 1 }, { MA_INT32, f->lrow, nl },     { dtype, f->lvalue, nl },
    { MA_INT64, f->ustart, n + 1 }, { MA_INT32, f->urow, nu },     { dtype, f->uvalue, nu },
    { MA_INT32, f->place, n },      { MA_INT32, f->column, f->n },
  };
  for (int k = 0; k < MA_NFACTOR_ARRAYS; k++) MA_TRY(give(to[k], like, each[k].dtype, each[k].from, each[k].n, stream));
  return MA_OK;
}

ma_status ma_factor_run(const ma_compressed_arrays *a, ma_order_kind kind, ma_factor_options options, ma_stream *stream,
                        ma_array *const *to, int32_t *singular) {
  ma_pattern p = { 0 };
  ma_factors f = { 0 };
  bool symmetric;
  *singular = 0;
  for (int k = 0; k < MA_NFACTOR_ARRAYS; k++) to[k]->buffer = NULL;
  MA_TRY(ma_capture_refuse_work(stream, "a factorisation"));
  MA_TRY(ma_pattern_open(a, stream, &p));
  int32_t *order = malloc(((size_t)p.n + 1) * sizeof *order);
  ma_status status = order ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: an order of %d columns", p.n);
  if (status == MA_OK) status = ma_order_columns(&p, kind, order, &symmetric);
  if (status == MA_OK) {
    if (options.threshold < 0) options.threshold = symmetric ? 0.1 : 1;
    status = ma_factor(&p, a->value->dtype == MA_COMPLEX128, order, &options, &f);
  }
  if (status == MA_OK) *singular = f.singular;
  if (status == MA_OK && !f.singular) status = give_factors(&f, a->value, stream, to);
  ma_factors_free(&f);
  free(order);
  ma_pattern_close(&p);
  if (status != MA_OK)
    for (int k = 0; k < MA_NFACTOR_ARRAYS; k++) ma_array_release(to[k]);
  return status;
}

typedef struct solves {
  ma_triangle triangle;
  ma_solve_form form;
  double *b;
  int32_t singular;
} solves;

static ma_status solve_rows(void *context, int64_t first, int64_t last) {
  solves *s = context;
  size_t row = (size_t)s->triangle.n * (s->triangle.is_complex ? 2 : 1);
  for (int64_t k = first; k < last; k++) {
    int32_t singular;
    ma_triangle_solve(&s->triangle, s->form, s->b + row * (size_t)k, &singular);
    if (singular) __atomic_store_n(&s->singular, singular, __ATOMIC_RELAXED);
  }
  return MA_OK;
}

ma_status ma_triangle_run(const ma_compressed_arrays *a, bool lower, bool unit, ma_solve_form form, ma_array *b,
                          ma_stream *stream, int32_t *singular) {
  ma_pattern p = { 0 };
  void *address;
  *singular = 0;
  MA_TRY(ma_capture_refuse_work(stream, "a triangular solve"));
  if (b->ndim != 2 || b->shape[1] != a->columns || a->rows != a->columns || b->dtype != a->value->dtype ||
      !ma_array_is_contiguous(b))
    return ma_fail(MA_ERR_VALUE, "right sides that do not fit the triangle");
  MA_TRY(ma_pattern_open(a, stream, &p));
  ma_status status = ma_array_write(b, stream, &address);
  if (status == MA_OK && b->size > 0) {
    solves s = { .form = form, .b = address };
    s.triangle = (ma_triangle){ .n = p.n,
                                .is_complex = b->dtype == MA_COMPLEX128,
                                .lower = lower,
                                .unit = unit,
                                .start = p.start,
                                .row = p.row,
                                .value = p.value };
    status = ma_cpu_parallel(b->shape[0], p.start[p.n] > 4096 ? 1 : 16, solve_rows, &s);
    *singular = s.singular;
  }
  ma_pattern_close(&p);
  return status;
}
