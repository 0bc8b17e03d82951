/*
** cuda_sparse.c: the kernels of sparse matrices on the GPU against plain loops here, on matrices with empty rows, dense
** rows, duplicates and unsorted rows. The values are small whole numbers, so every dtype is exact. Works with a real
** GPU and with the pretended one (spec/pretend). usage: cuda_sparse [count [seed]]
*/
#include "memory/memory.h"
#include "cuda/sparse/sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state;
static uint32_t draw(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % n);
}

static void check(ma_status status) {
  if (status == MA_OK) return;
  fprintf(stderr, "%s\n", ma_message());
  exit(1);
}

static void *need(size_t nbytes) {
  void *p = malloc(nbytes ? nbytes : 1);
  if (!p) exit(1);
  return p;
}

/* ---- Matrices of this file: from 0, values whole ---- */

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

static ma_csr give(const matrix *m, ma_dtype dtype, ma_dtype index) {
  return (ma_csr){ .dtype = dtype,
                   .index = index,
                   .rows = m->rows,
                   .columns = m->columns,
                   .nnz = m->nnz,
                   .longest = 0,
                   .indptr = upload_as(index, m->indptr, m->rows + 1, 1),
                   .indices = upload_as(index, m->indices, m->nnz, 1),
                   .data = upload_as(dtype, m->value, m->nnz, 0) };
}
static void take_back(const ma_csr *a) {
  drop(a->indptr);
  drop(a->indices);
  drop(a->data);
}

static int nwrong;
static void compare(const char *what, const ma_csr *a, const int64_t *got, const int64_t *expected, int64_t n) {
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

/* ---- Products ---- */

static void try_product(const matrix *m, ma_dtype dtype, ma_dtype index, int64_t width, bool known) {
  ma_csr a = give(m, dtype, index);
  int64_t *x = need((size_t)(m->columns * width) * 8), *y = need((size_t)(m->rows * width) * 8);
  for (int64_t k = 0; k < m->columns * width; k++) x[k] = draw(3);
  for (int64_t r = 0; r < m->rows; r++)
    for (int64_t c = 0; c < width; c++) {
      int64_t sum = 0;
      for (int64_t k = m->indptr[r]; k < m->indptr[r + 1]; k++) sum += m->value[k] * x[m->indices[k] * width + c];
      y[r * width + c] = dtype == MA_BOOL ? sum != 0 : as(dtype, sum);
    }
  size_t size = ma_dtypes[dtype].itemsize;
  if (known) a.longest = m->longest;
  ma_sparse_product p = { .a = a,
                          .width = width,
                          .x = upload_as(dtype, x, m->columns * width, 0),
                          .y = blank((size_t)(m->rows * width) * size) };
  check(ma_cuda_sparse_product(stream, &p));
  int64_t *got = download_as(dtype, p.y, m->rows * width, 0);
  compare(width > 1 ? "wide product" : "product", &a, got, y, m->rows * width);
  drop(p.x);
  drop(p.y);
  take_back(&a);
  free(got);
  free(x);
  free(y);
}

/* ---- The order of entries ---- */

static matrix blank_matrix(int64_t rows, int64_t columns, int64_t nnz) {
  matrix m = { .rows = rows, .columns = columns, .nnz = nnz };
  m.indptr = need((size_t)(rows + 1) * 8);
  m.indices = need((size_t)nnz * 8);
  m.value = need((size_t)nnz * 8);
  memset(m.indptr, 0, (size_t)(rows + 1) * 8);
  return m;
}

static matrix transposed(const matrix *m) {
  matrix t = blank_matrix(m->columns, m->rows, m->nnz);
  for (int64_t k = 0; k < m->nnz; k++) t.indptr[m->indices[k] + 1]++;
  for (int64_t r = 0; r < t.rows; r++) t.indptr[r + 1] += t.indptr[r];
  for (int64_t r = 0; r < m->rows; r++)
    for (int64_t k = m->indptr[r]; k < m->indptr[r + 1]; k++) {
      int64_t at = t.indptr[m->indices[k]]++;
      t.indices[at] = r;
      t.value[at] = m->value[k];
    }
  for (int64_t r = t.rows; r > 0; r--) t.indptr[r] = t.indptr[r - 1];
  t.indptr[0] = 0;
  return t;
}

/* Twice transposed, rows are sorted, and entries of one place keep their order. */
static matrix ordered(const matrix *m) {
  matrix t = transposed(m), s = transposed(&t);
  matrix_free(&t);
  return s;
}

/* Sorted rows, where entries of one place are one. */
static matrix added_up(const matrix *m, bool or) {
  matrix s = ordered(m), to = blank_matrix(m->rows, m->columns, m->nnz);
  int64_t n = 0;
  for (int64_t r = 0; r < s.rows; r++) {
    for (int64_t k = s.indptr[r]; k < s.indptr[r + 1]; k++)
      if (k > s.indptr[r] && s.indices[k] == s.indices[k - 1]) to.value[n - 1] += or ? 0 : s.value[k];
      else {
        to.indices[n] = s.indices[k];
        to.value[n++] = s.value[k];
      }
    to.indptr[r + 1] = n;
  }
  to.nnz = n;
  matrix_free(&s);
  return to;
}

static void compare_matrix(const char *what, const ma_csr *a, const void *indptr, const void *indices, const void *data,
                           const matrix *m) {
  int64_t *got = download_as(a->index, indptr, m->rows + 1, -1);
  compare(what, a, got, m->indptr, m->rows + 1);
  free(got);
  got = download_as(a->index, indices, m->nnz, -1);
  compare(what, a, got, m->indices, m->nnz);
  free(got);
  got = download_as(a->dtype, data, m->nnz, 0);
  for (int64_t k = 0; k < m->nnz; k++) m->value[k] = as(a->dtype, m->value[k]);
  compare(what, a, got, m->value, m->nnz);
  free(got);
}

static ma_csr_room room_for(const ma_csr *a, int64_t rows) {
  return (ma_csr_room){ blank((size_t)(rows + 1) * ma_dtypes[a->index].itemsize),
                        blank((size_t)a->nnz * ma_dtypes[a->index].itemsize),
                        blank((size_t)a->nnz * ma_dtypes[a->dtype].itemsize) };
}
static void drop_room(const ma_csr_room *room) {
  drop(room->indptr);
  drop(room->indices);
  drop(room->data);
}

static void try_order(const matrix *m, ma_dtype dtype, ma_dtype index) {
  ma_csr a = give(m, dtype, index);
  matrix t = transposed(m), s = ordered(m);
  int64_t *row = need((size_t)m->nnz * 8), *got;
  for (int64_t r = 0; r < m->rows; r++)
    for (int64_t k = m->indptr[r]; k < m->indptr[r + 1]; k++) row[k] = r + 1;
  void *to = blank((size_t)m->nnz * ma_dtypes[index].itemsize);
  check(ma_cuda_sparse_expand(stream, &a, to));
  got = download_as(index, to, m->nnz, 0);
  compare("rows", &a, got, row, m->nnz);
  ma_csr_room room = room_for(&a, m->columns);
  check(ma_cuda_sparse_transpose(stream, &a, &room));
  compare_matrix("transpose", &a, room.indptr, room.indices, room.data, &t);
  drop_room(&room);
  room = room_for(&a, m->rows);
  check(ma_cuda_sparse_sort(stream, &a, &room));
  compare_matrix("sorted rows", &a, a.indptr, room.indices, room.data, &s);
  drop_room(&room);
  drop(to);
  free(got);
  free(row);
  matrix_free(&t);
  matrix_free(&s);
  take_back(&a);
}

static void swap(int64_t *a, int64_t i, int64_t j) {
  int64_t t = a[i];
  a[i] = a[j];
  a[j] = t;
}

static void compare_made(const char *what, const ma_csr *a, const ma_csr_arrays *made, const matrix *m) {
  const void *at[3] = { NULL };
  const ma_array *arrays[] = { &made->indptr, &made->indices, &made->data };
  for (int k = 0; k < 3; k++)
    if (arrays[k]->size) check(ma_array_read(arrays[k], stream, &at[k]));
  if (made->data.size != m->nnz) {
    printf("%s: %lld entries, not %lld\n", what, (long long)made->data.size, (long long)m->nnz);
    nwrong++;
  } else compare_matrix(what, a, at[0], at[1], at[2], m);
}

static void try_compress(const matrix *m, ma_dtype dtype, ma_dtype index) {
  matrix expected = added_up(m, dtype == MA_BOOL);
  int64_t *row = need((size_t)m->nnz * 8);
  ma_csr_arrays made;
  for (int64_t r = 0; r < m->rows; r++)
    for (int64_t k = m->indptr[r]; k < m->indptr[r + 1]; k++) row[k] = r;
  for (int64_t k = m->nnz - 1; k > 0; k--) { /* any order */
    int64_t j = draw((uint32_t)k + 1);
    swap(row, k, j);
    swap(m->indices, k, j);
    swap(m->value, k, j);
  }
  ma_csr a = give(m, dtype, index);
  ma_coo coo = { .dtype = dtype,
                 .index = index,
                 .rows = m->rows,
                 .columns = m->columns,
                 .nnz = m->nnz,
                 .row = upload_as(index, row, m->nnz, 1),
                 .column = a.indices,
                 .data = a.data };
  check(ma_cuda_sparse_compress(stream, &coo, &made));
  compare_made("COO to CSR", &a, &made, &expected);
  ma_cuda_csr_drop(&made);
  drop(coo.row);
  free(row);
  matrix_free(&expected);
  take_back(&a);
}

/* ---- Products of two matrices, triangles ---- */

static void try_multiply(const matrix *m, ma_dtype dtype, ma_dtype index) {
  matrix b = make_matrix(m->columns, 1 + draw(200), 3, draw(2), false), all = blank_matrix(m->rows, b.columns, 0);
  int64_t n = 0;
  for (int64_t k = 0; k < m->nnz; k++) n += b.indptr[m->indices[k] + 1] - b.indptr[m->indices[k]];
  all.nnz = n;
  all.indices = realloc(all.indices, (size_t)n * 8 + 8);
  all.value = realloc(all.value, (size_t)n * 8 + 8);
  n = 0;
  for (int64_t r = 0; r < m->rows; r++) {
    for (int64_t k = m->indptr[r]; k < m->indptr[r + 1]; k++)
      for (int64_t e = b.indptr[m->indices[k]]; e < b.indptr[m->indices[k] + 1]; e++) {
        all.indices[n] = b.indices[e];
        all.value[n++] = dtype == MA_BOOL ? 1 : m->value[k] * b.value[e];
      }
    all.indptr[r + 1] = n;
  }
  matrix expected = added_up(&all, dtype == MA_BOOL);
  ma_csr left = give(m, dtype, index), right = give(&b, dtype, index);
  ma_csr_arrays made;
  bool sorted;
  check(ma_cuda_sparse_multiply(stream, &left, &right, &made, &sorted));
  compare_made("product of two", &left, &made, &expected);
  ma_cuda_csr_drop(&made);
  take_back(&left);
  take_back(&right);
  matrix_free(&expected);
  matrix_free(&all);
  matrix_free(&b);
}

/* Sorted rows with their diagonal, but for row `missing`. */
static matrix make_square(int64_t rows, int64_t missing) {
  matrix m = blank_matrix(rows, rows, rows * rows);
  m.nnz = 0;
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t c = 0; c < rows; c++)
      if (c == r ? r != missing : draw(8) == 0) {
        m.indices[m.nnz] = c;
        m.value[m.nnz++] = 1 + draw(3);
      }
    m.indptr[r + 1] = m.nnz;
  }
  return m;
}

/* The differences of two matrices of one shape, some of which are zero. */
static void try_combine(const matrix *m, ma_dtype dtype, ma_dtype index) {
  matrix other = make_matrix(m->rows, m->columns, 3, true, false), a = added_up(m, false), b = added_up(&other, false);
  matrix to = blank_matrix(m->rows, m->columns, a.nnz + b.nnz);
  int64_t n = 0;
  for (int64_t r = 0; r < m->rows; r++) {
    int64_t i = a.indptr[r], j = b.indptr[r];
    while (i < a.indptr[r + 1] || j < b.indptr[r + 1]) {
      bool left = i < a.indptr[r + 1] && (j >= b.indptr[r + 1] || a.indices[i] <= b.indices[j]);
      bool right = j < b.indptr[r + 1] && (i >= a.indptr[r + 1] || b.indices[j] <= a.indices[i]);
      to.indices[n] = left ? a.indices[i] : b.indices[j];
      to.value[n] = (left ? a.value[i] : 0) - (right ? b.value[j] : 0);
      n += as(dtype, to.value[n]) != 0;
      i += left;
      j += right;
    }
    to.indptr[r + 1] = n;
  }
  to.nnz = n;
  ma_sparse_combine c = {
    .a = give(&a, dtype, index), .b = give(&b, dtype, index), .op = MA_OP_subtract, .result = dtype
  };
  ma_csr_arrays made;
  check(ma_cuda_sparse_combine(stream, &c, &made));
  compare_made("difference", &c.a, &made, &to);
  ma_cuda_csr_drop(&made);
  take_back(&c.a);
  take_back(&c.b);
  matrix_free(&other);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&to);
}

/* A matrix with a diagonal of 1 or 2, times a small x, and solved again. */
static void try_triangle(ma_dtype dtype, ma_dtype index) {
  int64_t rows = 1 + draw(100), width = draw(2) ? 1 : 2 + draw(40);
  matrix m = make_square(rows, draw(3) ? -1 : (int64_t)draw((uint32_t)rows));
  bool lower = draw(2), transposed_too = draw(2), unit = draw(2);
  int64_t *x = need((size_t)(rows * width) * 8), *b = need((size_t)(rows * width) * 8), *has = need((size_t)rows * 8);
  memset(b, 0, (size_t)(rows * width) * 8);
  memset(has, 0, (size_t)rows * 8);
  for (int64_t k = 0; k < rows * width; k++) x[k] = draw(5);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t k = m.indptr[r]; k < m.indptr[r + 1]; k++) {
      int64_t c = m.indices[k], i = transposed_too ? c : r, j = transposed_too ? r : c;
      if (c == r) {
        m.value[k] = 1 + draw(2);
        has[r] = m.value[k];
      } else if (lower ? c < r : c > r)
        for (int64_t w = 0; w < width; w++) b[i * width + w] += m.value[k] * x[j * width + w];
    }
  int32_t info = -1, first = 0;
  for (int64_t r = 0; r < rows; r++) {
    if (!unit && !has[r] && !first) first = (int32_t)r + 1;
    for (int64_t w = 0; w < width; w++) b[r * width + w] += (unit ? 1 : has[r]) * x[r * width + w];
  }
  ma_csr a = give(&m, dtype, index);
  ma_sparse_triangle t = { .a = a,
                           .lower = lower,
                           .unit = unit,
                           .transposed = transposed_too,
                           .width = width,
                           .x = upload_as(dtype, b, rows * width, 0),
                           .info = blank(4) };
  check(ma_cuda_sparse_triangle(stream, &t));
  check(gpu->backend->memory.copy(stream, &info, t.info, 4, MA_COPY_TO_HOST));
  if (info != first) {
    printf("triangle: info %d, not %d\n", info, first);
    nwrong++;
  }
  int64_t *got = download_as(dtype, t.x, rows * width, 0);
  if (!first) compare("triangle", &a, got, x, rows * width);
  free(got);
  drop(t.x);
  drop(t.info);
  take_back(&a);
  matrix_free(&m);
  free(x);
  free(b);
  free(has);
}

/* Arrays that a user wrote into: results are undefined, but no call reads or writes outside of its memory. */
static void try_spoiled(const matrix *m, ma_dtype dtype, ma_dtype index) {
  size_t size = ma_dtypes[index].itemsize;
  ma_csr a = give(m, dtype, index);
  ma_csr_room room = room_for(&a, m->rows > m->columns ? m->rows : m->columns);
  ma_csr_arrays made;
  bool sorted;
  for (int which = 0; which < 2; which++) {
    int64_t n = which ? m->rows + 1 : m->nnz;
    uint32_t *noise = need((size_t)n * size);
    for (size_t k = 0; k < (size_t)n * size / 4; k++) noise[k] = draw(3) ? draw(1u << 31) * 2 : draw(50);
    check(gpu->backend->memory.copy(stream, (void *)(uintptr_t)(which ? a.indptr : a.indices), noise, (size_t)n * size,
                                    MA_COPY_TO_DEVICE));
    free(noise);
    int64_t most = m->rows > m->columns ? m->rows : m->columns;
    ma_sparse_product p = {
      .a = a, .width = 1 + draw(3), .x = blank((size_t)(most * 3) * 16), .y = blank((size_t)(most * 3) * 16)
    };
    check(ma_cuda_sparse_product(stream, &p));
    p.a.longest = draw(2) ? 1 : 1000000;
    check(ma_cuda_sparse_product(stream, &p));
    check(ma_cuda_sparse_expand(stream, &a, room.indices));
    check(ma_cuda_sparse_transpose(stream, &a, &room));
    check(ma_cuda_sparse_sort(stream, &a, &room));
    ma_sparse_combine c = { .a = a, .b = a, .op = MA_OP_multiply, .result = dtype };
    check(ma_cuda_sparse_combine(stream, &c, &made));
    ma_cuda_csr_drop(&made);
    if (m->rows == m->columns) {
      check(ma_cuda_sparse_multiply(stream, &a, &a, &made, &sorted));
      ma_cuda_csr_drop(&made);
    }
    drop(p.x);
    drop(p.y);
  }
  drop_room(&room);
  take_back(&a);
}

static void run_case(void) {
  static const ma_dtype dtypes[] = { MA_FLOAT64, MA_FLOAT32, MA_COMPLEX64, MA_COMPLEX128, MA_BOOL, MA_INT8, MA_INT64 };
  static const int64_t rows[] = { 1, 2, 33, 300, 2000 }, columns[] = { 1, 7, 100, 3000 };
  ma_dtype dtype = dtypes[draw(7)], index = draw(3) ? MA_INT32 : MA_INT64;
  matrix m = make_matrix(rows[draw(5)], columns[draw(4)], 1 + draw(30), draw(2), draw(2));
  try_product(&m, dtype, index, 1, true);
  try_product(&m, dtype, index, 1, false);
  if (m.rows < 1000) try_product(&m, dtype, index, 2 + draw(40), draw(2));
  if (m.nnz < 3000) try_multiply(&m, dtype, index);
  matrix few = make_matrix(1 + draw(200), 1 + draw(300), 2, false, draw(2));
  try_multiply(&few, dtype, index);
  try_spoiled(&few, dtype, index);
  matrix_free(&few);
  if (dtype != MA_BOOL && dtype != MA_INT8 && dtype != MA_INT64) try_triangle(dtype, index);
  if (dtype != MA_BOOL) try_combine(&m, dtype, index);
  try_order(&m, dtype, index);
  try_compress(&m, dtype, index); /* leaves m spoiled */
  matrix_free(&m);
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 40;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  if (ma_device_get("cuda", &gpu) != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  stream = ma_device_null_stream(gpu);
  printf("seed %llu\n", (unsigned long long)state);
  for (int i = 0; i < count; i++) run_case();
  printf("%d cases, %d wrong\n", count, nwrong);
  return nwrong != 0;
}
