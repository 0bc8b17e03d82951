/* run.c: factors with arrays. */
#include "ops/factors/run.h"
#include "array/array.h"
#include "memory/graph.h"

#include <stdlib.h>
#include <string.h>

void ma_pattern_close(ma_pattern *p) {
  free(p->start);
  free(p->row);
  *p = (ma_pattern){ 0 };
}

/* Whether ends rise from 1 to nnz + 1. `falls` is negative if an end is below the one before, or below 0. */
static bool is_rising(const int64_t *end, int64_t n, int64_t nnz) {
  int64_t falls = 0;
  for (int64_t j = 0; j < n; j++) falls |= end[j + 1] | (end[j + 1] - end[j]);
  return falls >= 0 && end[0] == 1 && end[n] == nnz + 1;
}

/* Copies the positions so that they count from 0. Returns the first one that is not in 0 .. m - 1, or nnz. */
static int64_t copy_positions(const int32_t *restrict row, int64_t nnz, int32_t m, int32_t *restrict to) {
  int32_t outside = 0; /* negative if a position is outside, as above */
  for (int64_t k = 0; k < nnz; k++) {
    int32_t at = row[k] - 1;
    outside |= at | (m - 1 - at);
    to[k] = at;
  }
  if (outside >= 0) return nnz;
  int64_t k = 0;
  while (k < nnz && (uint32_t)row[k] - 1 < (uint32_t)m) k++;
  return k;
}

/* A matrix as the arrays that the caller gave. */
typedef struct arrays {
  const int64_t *start;
  const int32_t *row;
  const void *value;
  int64_t nnz;
} arrays;

static ma_status arrays_of(const ma_compressed_arrays *a, ma_stream *stream, arrays *to) {
  const void *start, *row;
  if (a->rows < 0 || a->columns < 0 || a->rows > INT32_MAX - 2 || a->columns > INT32_MAX - 2)
    return ma_fail(MA_ERR_VALUE, "%lld x %lld; at most 2^31 - 3 rows and columns are taken", (long long)a->rows,
                   (long long)a->columns);
  if (a->start->dtype != MA_INT64 || a->row->dtype != MA_INT32 || a->start->size != a->columns + 1 ||
      (a->value->dtype != MA_FLOAT64 && a->value->dtype != MA_COMPLEX128) || !ma_array_is_contiguous(a->start) ||
      !ma_array_is_contiguous(a->row) || !ma_array_is_contiguous(a->value))
    return ma_fail(MA_ERR_TYPE, "arrays that are not those of a compressed matrix");
  MA_TRY(ma_array_read(a->start, stream, &start));
  MA_TRY(ma_array_read(a->row, stream, &row));
  MA_TRY(ma_array_read(a->value, stream, &to->value));
  to->start = start;
  to->row = row;
  to->nnz = to->start[a->columns] - 1;
  if (to->nnz < 0 || to->nnz > a->row->size || to->nnz > a->value->size || !is_rising(start, a->columns, to->nnz))
    return ma_fail(MA_ERR_INDEX, "an indptr that does not rise from 1 to the number of entries plus 1");
  return MA_OK;
}

ma_status ma_pattern_open(const ma_compressed_arrays *a, ma_stream *stream, ma_pattern *p) {
  arrays from;
  *p = (ma_pattern){ .m = (int32_t)a->rows, .n = (int32_t)a->columns };
  MA_TRY(arrays_of(a, stream, &from));
  p->value = from.value;
  p->start = malloc((size_t)(p->n + 1) * sizeof *p->start);
  p->row = malloc((size_t)(from.nnz + 1) * sizeof *p->row);
  if (!p->start || !p->row) {
    ma_pattern_close(p);
    return ma_fail(MA_ERR_MEMORY, "out of memory: a matrix of %lld entries", (long long)from.nnz);
  }
  for (int64_t j = 0; j <= a->columns; j++) p->start[j] = from.start[j] - 1;
  int64_t outside = copy_positions(from.row, from.nnz, p->m, p->row);
  if (outside == from.nnz) return MA_OK;
  ma_pattern_close(p);
  return ma_fail(MA_ERR_INDEX, "position %d in the indices of a matrix of %lld rows", from.row[outside],
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

/* Makes positions count from 1. */
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
