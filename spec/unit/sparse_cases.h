/* sparse_cases.h: for cuda_sparse.c: random numbers, matrices as plain loops have them, and their way to the device and
** back. */
#include "memory/memory.h"
#include "cuda/sparse/sparse.h"
#include "unit.h"

#include <time.h>

static void *need(size_t nbytes) {
  void *p = malloc(nbytes ? nbytes : 1);
  if (!p) exit(1);
  return p;
}

/* ---- Matrices: from 0, values whole ---- */

typedef struct matrix {
  int64_t rows, columns, nnz, longest;
  int64_t *indptr, *indices, *value;
} matrix;

static void matrix_free(matrix *m) {
  free(m->indptr);
  free(m->indices);
  free(m->value);
}

/* Rows of any length: most short, some empty, some longer than a block's part. */
static matrix make_matrix(int64_t rows, int64_t columns, uint32_t mean, bool uneven, bool sorted) {
  matrix m = { .rows = rows, .columns = columns };
  m.indptr = need((size_t)(rows + 1) * 8);
  m.indptr[0] = 0;
  for (int64_t r = 0; r < rows; r++) {
    int64_t n = uneven ? (draw(3) == 0 ? 0 : draw(40) == 0 ? draw(60 * mean) : draw(2 * mean)) : draw(2 * mean);
    if (columns == 0) n = 0;
    if (sorted && n > columns) n = columns;
    m.indptr[r + 1] = m.indptr[r] + n;
    if (n > m.longest) m.longest = n;
  }
  m.nnz = m.indptr[rows];
  m.indices = need((size_t)m.nnz * 8);
  m.value = need((size_t)m.nnz * 8);
  for (int64_t r = 0; r < rows; r++) {
    int64_t n = m.indptr[r + 1] - m.indptr[r], at = 0;
    for (int64_t k = 0; k < n; k++) {
      int64_t left = columns - at - (n - k - 1);
      at += sorted ? draw((uint32_t)(left > 2 * columns / (n + 1) + 1 ? 2 * columns / (n + 1) + 1 : left)) : 0;
      m.indices[m.indptr[r] + k] = sorted ? at++ : draw((uint32_t)columns);
    }
  }
  for (int64_t k = 0; k < m.nnz; k++) m.value[k] = 1 + draw(3);
  return m;
}

/* ---- Device memory ---- */

static ma_device *gpu;
static ma_stream *stream;

static void *upload(const void *from, size_t nbytes) {
  void *p;
  check(gpu->backend->memory.alloc(gpu, nbytes ? nbytes : 1, &p));
  if (nbytes) check(gpu->backend->memory.copy(stream, p, from, nbytes, MA_COPY_TO_DEVICE));
  return p;
}
static void *blank(size_t nbytes) {
  void *p, *host = need(nbytes);
  memset(host, 0xa5, nbytes);
  p = upload(host, nbytes);
  free(host);
  return p;
}
static void drop(const void *p) { gpu->backend->memory.free(gpu, (void *)(uintptr_t)p); }

/* Whole numbers as a dtype, plus `more`. */
static void *upload_as(ma_dtype dtype, const int64_t *from, int64_t n, int64_t more) {
  size_t size = ma_dtypes[dtype].itemsize;
  char *bytes = need((size_t)n * size);
  for (int64_t k = 0; k < n; k++)
    ma_value_store(bytes + (size_t)k * size, dtype, ma_value_cast((ma_value){ .i = from[k] + more }, MA_INT64, dtype));
  void *p = upload(bytes, (size_t)n * size);
  free(bytes);
  return p;
}
static int64_t *download_as(ma_dtype dtype, const void *from, int64_t n, int64_t more) {
  size_t size = ma_dtypes[dtype].itemsize;
  char *bytes = need((size_t)n * size);
  int64_t *to = need((size_t)n * 8);
  check(gpu->backend->memory.copy(stream, bytes, from, (size_t)n * size, MA_COPY_TO_HOST));
  for (int64_t k = 0; k < n; k++)
    to[k] = ma_value_cast(ma_value_load(bytes + (size_t)k * size, dtype), dtype, MA_INT64).i + more;
  free(bytes);
  return to;
}

static ma_sparse give(const matrix *m, ma_dtype dtype, ma_dtype index) {
  return (ma_sparse){ .dtype = dtype,
                      .index = index,
                      .rows = m->rows,
                      .columns = m->columns,
                      .nnz = m->nnz,
                      .longest = 0,
                      .indptr = upload_as(index, m->indptr, m->rows + 1, 1),
                      .indices = upload_as(index, m->indices, m->nnz, 1),
                      .data = upload_as(dtype, m->value, m->nnz, 0) };
}
static void take_back(const ma_sparse *a) {
  drop(a->indptr);
  drop(a->indices);
  drop(a->data);
}

static int nwrong;
static void compare(const char *what, const ma_sparse *a, const int64_t *got, const int64_t *expected, int64_t n) {
  for (int64_t k = 0; k < n; k++)
    if (got[k] != expected[k]) {
      printf("%s, %s, %s, %lld x %lld, %lld entries: [%lld] is %lld, not %lld\n", what, ma_dtypes[a->dtype].name,
             ma_dtypes[a->index].name, (long long)a->rows, (long long)a->columns, (long long)a->nnz, (long long)k,
             (long long)got[k], (long long)expected[k]);
      nwrong++;
      return;
    }
}

static int64_t as(ma_dtype dtype, int64_t x) {
  return ma_value_cast(ma_value_cast((ma_value){ .i = x }, MA_INT64, dtype), dtype, MA_INT64).i;
}
