/* check.c: positions of sparse matrices that must be inside, and memory for results. */
#include "cpu/map/wider.h"
#include "cpu/sparse/sparse.h"
#include "tuning.h"

#include <inttypes.h>

typedef struct look {
  ma_dtype index;
  const void *positions;
  int64_t extent;
  const char *what;
} look;

/* greatest: of all position - 1, taken without signs, so that a position of 0 or below is greater than every extent.
** falls: whether one of n + 1 numbers is less than the one before it. */
#define LOOPS(I, U, suffix)                                    \
  FOR_AVX2 static U greatest_##suffix(const I *p, int64_t n) { \
    U most = 0;                                                \
    for (int64_t k = 0; k < n; k++) {                          \
      U v = (U)p[k] - 1;                                       \
      most = v > most ? v : most;                              \
    }                                                          \
    return most;                                               \
  }                                                            \
  FOR_AVX2 static bool falls_##suffix(const I *p, int64_t n) { \
    I falls = 0;                                               \
    for (int64_t k = 0; k < n; k++) falls |= p[k + 1] < p[k];  \
    return falls != 0;                                         \
  }
LOOPS(int32_t, uint32_t, i4)
LOOPS(int64_t, uint64_t, i8)

static ma_status inside(const look *l, int64_t first, int64_t last) {
  uint64_t most = l->index == MA_INT32 ? greatest_i4((const int32_t *)l->positions + first, last - first)
                                       : greatest_i8((const int64_t *)l->positions + first, last - first);
  if (last == first || most < (uint64_t)l->extent) return MA_OK;
  for (int64_t k = first; k < last; k++) {
    int64_t at = ma_sparse_at(l->index, l->positions, k);
    if (at < 1 || at > l->extent)
      return ma_fail(MA_ERR_INDEX, "%s[%" PRId64 "] of a sparse matrix is %" PRId64 "; wanted 1 .. %" PRId64, l->what,
                     k + 1, at, l->extent);
  }
  return MA_OK;
}

static ma_status inside_range(void *context, int64_t first, int64_t last) { return inside(context, first, last); }

ma_status ma_cpu_sparse_columns(const ma_sparse *a, int64_t first, int64_t last) {
  look l = { a->index, a->indices, a->columns, "indices" };
  return inside(&l, first, last);
}

ma_status ma_cpu_sparse_inside(ma_dtype index, const void *positions, int64_t n, int64_t extent, const char *what) {
  look l = { index, positions, extent, what };
  return ma_cpu_parallel(n, TUNE_THREAD_ELEMENTS, inside_range, &l);
}

ma_status ma_cpu_sparse_falls(void) {
  return ma_fail(MA_ERR_INDEX, "indptr of a sparse matrix falls; wanted numbers that ascend");
}

ma_status ma_cpu_sparse_ascend(const ma_sparse *a, int64_t first, int64_t last) {
  bool falls = a->index == MA_INT32 ? falls_i4((const int32_t *)a->indptr + first, last - first)
                                    : falls_i8((const int64_t *)a->indptr + first, last - first);
  return falls ? ma_cpu_sparse_falls() : MA_OK;
}

static ma_status ascending_range(void *context, int64_t first, int64_t last) {
  return ma_cpu_sparse_ascend(context, first, last);
}

ma_status ma_cpu_sparse_check_ends(const ma_sparse *a) {
  int64_t begin = ma_sparse_at(a->index, a->indptr, 0), end = ma_sparse_at(a->index, a->indptr, a->rows);
  if (begin != 1 || end > a->nnz + 1)
    return ma_fail(MA_ERR_INDEX, "indptr of a sparse matrix runs from %" PRId64 " to %" PRId64 "; wanted 1 .. %" PRId64,
                   begin, end, a->nnz + 1);
  return MA_OK;
}

ma_status ma_cpu_sparse_check_rows(const ma_sparse *a) {
  MA_TRY(ma_cpu_sparse_check_ends(a));
  return ma_cpu_parallel(a->rows, TUNE_THREAD_ELEMENTS, ascending_range, (void *)a);
}

ma_status ma_cpu_sparse_check(const ma_sparse *a) {
  MA_TRY(ma_cpu_sparse_check_rows(a));
  return ma_cpu_sparse_inside(a->index, a->indices, a->nnz, a->columns, "indices");
}

int64_t ma_cpu_sparse_row_at(const ma_sparse *a, int64_t step) {
  int64_t low = 0, high = a->rows;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (ma_sparse_at(a->index, a->indptr, middle) - 1 + middle < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

ma_status ma_cpu_sparse_by_rows(const ma_sparse *a, int64_t grain, ma_range_function *fn, void *context) {
  int64_t steps = a->rows + ma_sparse_at(a->index, a->indptr, a->rows) - 1;
  return ma_cpu_parallel(steps, grain, fn, context);
}

int64_t ma_cpu_sparse_bytes(const ma_sparse *a) {
  return (a->rows + 1 + a->nnz) * ma_dtypes[a->index].itemsize + a->nnz * ma_dtypes[a->dtype].itemsize;
}

ma_status ma_cpu_sparse_room(ma_stream *stream, ma_dtype index, ma_dtype dtype, int64_t rows, int64_t nnz, int64_t each,
                             ma_csr_arrays *result, ma_csr_room *room) {
  int64_t ends = rows + 1, values = nnz * each;
  result->indptr.buffer = result->indices.buffer = result->data.buffer = NULL;
  if (index == MA_INT32 && nnz >= INT32_MAX)
    return ma_fail(MA_ERR_VALUE, "a sparse matrix of %" PRId64 " entries with int32 indices; wanted int64 indices",
                   nnz);
  ma_status status = ma_array_new(&result->indptr, ma_device_cpu(), index, 1, &ends);
  if (status == MA_OK) status = ma_array_new(&result->indices, ma_device_cpu(), index, 1, &nnz);
  if (status == MA_OK) status = ma_array_new(&result->data, ma_device_cpu(), dtype, 1, &values);
  if (status == MA_OK) status = ma_array_write(&result->indptr, stream, &room->indptr);
  if (status == MA_OK) status = ma_array_write(&result->indices, stream, &room->indices);
  if (status == MA_OK) status = ma_array_write(&result->data, stream, &room->data);
  if (status != MA_OK) ma_cpu_sparse_drop(result);
  else if (index == MA_INT32) *(int32_t *)room->indptr = 1;
  else *(int64_t *)room->indptr = 1;
  return status;
}

void ma_cpu_sparse_drop(ma_csr_arrays *result) {
  ma_array_release(&result->indptr);
  ma_array_release(&result->indices);
  ma_array_release(&result->data);
}

void ma_cpu_sparse_ends(ma_dtype index, int64_t rows, const int64_t *left, void *indptr) {
  int64_t at = 1;
  for (int64_t r = 0; r <= rows; r++) {
    if (index == MA_INT32) ((int32_t *)indptr)[r] = (int32_t)at;
    else ((int64_t *)indptr)[r] = at;
    if (r < rows) at += left[r];
  }
}
