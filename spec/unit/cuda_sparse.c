/*
** cuda_sparse.c: the kernels of sparse matrices on the GPU against plain loops here, on matrices with empty rows, dense
** rows, duplicates and unsorted rows. The values are small whole numbers, so every dtype is exact. Works with a real
** GPU and with the pretended one (spec/pretend). usage: [MOONARRAY_SPEC_PART=2/7] cuda_sparse [count [seed]]
*/
#include "sparse_cases.h"

/* ---- Products ---- */

static void try_product(const matrix *m, ma_dtype dtype, ma_dtype index, int64_t width, bool known) {
  ma_sparse a = give(m, dtype, index);
  int64_t *x = need((size_t)(m->columns * width) * 8), *y = need((size_t)(m->rows * width) * 8);
  bool ones = width == 1 && draw(3) == 0;
  for (int64_t k = 0; k < m->columns * width; k++) x[k] = ones ? 1 : draw(3);
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
                          .x = ones ? NULL : upload_as(dtype, x, m->columns * width, 0),
                          .y = blank((size_t)(m->rows * width) * size) };
  check(ma_cuda_sparse_product(stream, &p));
  int64_t *got = download_as(dtype, p.y, m->rows * width, 0);
  compare(width > 1 ? "wide product" : ones ? "sum" : "product", &a, got, y, m->rows * width);
  if (!ones) drop(p.x);
  drop(p.y);
  take_back(&a);
  free(got);
  free(x);
  free(y);
}

/* As `transposed` keeps it: the product of the transpose, whose values are another matrix's in another order. */
static void try_turned(const matrix *m, const matrix *t, ma_dtype dtype, ma_dtype index) {
  int64_t *x = need((size_t)m->columns * 8), *y = need((size_t)m->rows * 8), *order = need((size_t)m->nnz * 8), *got;
  int64_t *next = need((size_t)(t->rows + 1) * 8);
  memcpy(next, t->indptr, (size_t)(t->rows + 1) * 8);
  for (int64_t k = 0; k < m->nnz; k++) order[next[m->indices[k]]++] = k; /* of t's entries, where m has their values */
  for (int64_t k = 0; k < m->rows; k++) y[k] = draw(3);
  memset(x, 0, (size_t)m->columns * 8);
  for (int64_t r = 0; r < m->rows; r++)
    for (int64_t k = m->indptr[r]; k < m->indptr[r + 1]; k++) x[m->indices[k]] += m->value[k] * y[r];
  for (int64_t k = 0; k < m->columns; k++) x[k] = dtype == MA_BOOL ? x[k] != 0 : as(dtype, x[k]);
  ma_sparse a = give(t, dtype, index), values = give(m, dtype, index);
  a.order = upload_as(index, order, m->nnz, 1);
  drop(a.data);
  a.data = values.data;
  a.longest = draw(2) ? t->longest : 0;
  ma_sparse_product p = {
    .a = a, .width = 1, .x = upload_as(dtype, y, m->rows, 0), .y = blank((size_t)m->columns * ma_dtypes[dtype].itemsize)
  };
  check(ma_cuda_sparse_product(stream, &p));
  got = download_as(dtype, p.y, m->columns, 0);
  compare("product of values in another order", &a, got, x, m->columns);
  drop(p.x);
  drop(p.y);
  drop(a.order);
  drop(a.indptr);
  drop(a.indices);
  take_back(&values);
  free(x);
  free(y);
  free(order);
  free(next);
  free(got);
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

static void compare_matrix(const char *what, const ma_sparse *a, const void *indptr, const void *indices,
                           const void *data, const matrix *m) {
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

static void compare_made(const char *what, const ma_sparse *a, const ma_csr_arrays *made, const matrix *m) {
  const void *at[3] = { NULL };
  const ma_array *arrays[] = { &made->indptr, &made->indices, &made->data };
  for (int k = 0; k < 3; k++)
    if (arrays[k]->size) check(ma_array_read(arrays[k], stream, &at[k]));
  if (made->data.size != m->nnz) {
    printf("%s: %lld entries, not %lld\n", what, (long long)made->data.size, (long long)m->nnz);
    nwrong++;
  } else compare_matrix(what, a, at[0], at[1], at[2], m);
}

static ma_csr_room room_for(const ma_sparse *a, int64_t rows) {
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
  ma_sparse a = give(m, dtype, index);
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
  ma_csr_arrays made;
  check(ma_cuda_sparse_order(stream, &a, false, &made));
  compare_made("sorted rows", &a, &made, &s);
  ma_cuda_csr_drop(&made);
  matrix added = added_up(m, dtype == MA_BOOL);
  check(ma_cuda_sparse_order(stream, &a, true, &made));
  compare_made("rows without duplicates", &a, &made, &added);
  ma_cuda_csr_drop(&made);
  matrix_free(&added);
  drop(to);
  free(got);
  free(row);
  for (int64_t r = 0; r < t.rows; r++) {
    int64_t n = t.indptr[r + 1] - t.indptr[r];
    if (n > t.longest) t.longest = n;
  }
  try_turned(m, &t, dtype, index);
  matrix_free(&t);
  matrix_free(&s);
  take_back(&a);
}

static void swap(int64_t *a, int64_t i, int64_t j) {
  int64_t t = a[i];
  a[i] = a[j];
  a[j] = t;
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
  ma_sparse a = give(m, dtype, index);
  ma_sparse coo = a;
  coo.kind = MA_SPARSE_ENTRIES;
  coo.indptr = upload_as(index, row, m->nnz, 1);
  check(ma_cuda_sparse_order(stream, &coo, true, &made));
  compare_made("COO to CSR", &a, &made, &expected);
  ma_cuda_csr_drop(&made);
  drop(coo.indptr);
  free(row);
  matrix_free(&expected);
  take_back(&a);
}

/* ---- Diagonals, lists of rows ---- */

static void try_diagonal(const matrix *m, ma_dtype dtype, ma_dtype index) {
  int64_t shift = (int64_t)draw((uint32_t)(m->rows + m->columns - 1)) - (m->rows - 1);
  int64_t above = shift > 0 ? shift : 0, below = shift < 0 ? -shift : 0;
  int64_t n = m->rows - below < m->columns - above ? m->rows - below : m->columns - above;
  ma_sparse a = give(m, dtype, index);
  int64_t *y = need((size_t)n * 8), *got;
  memset(y, 0, (size_t)n * 8);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t k = m->indptr[i + below]; k < m->indptr[i + below + 1]; k++)
      if (m->indices[k] == i + above) y[i] += m->value[k];
    y[i] = dtype == MA_BOOL ? y[i] != 0 : as(dtype, y[i]);
  }
  void *to = blank((size_t)n * ma_dtypes[dtype].itemsize);
  check(ma_cuda_sparse_diagonal(stream, &a, shift, n, to));
  got = download_as(dtype, to, n, 0);
  compare("diagonal", &a, got, y, n);
  drop(to);
  free(got);
  free(y);
  take_back(&a);
}

static void try_rows(const matrix *m, ma_dtype dtype, ma_dtype index) {
  int64_t n = 1 + draw(200), *list = need((size_t)n * 8), wrong, bad = draw(4) ? 0 : 1 + (int64_t)draw((uint32_t)n);
  matrix to = blank_matrix(n, m->columns, 0);
  ma_csr_arrays made;
  for (int64_t k = 0; k < n; k++) {
    int64_t row = draw((uint32_t)m->rows);
    list[k] = draw(2) ? row + 1 : row - m->rows;
    to.nnz += m->indptr[row + 1] - m->indptr[row];
  }
  to.indices = realloc(to.indices, (size_t)to.nnz * 8 + 8);
  to.value = realloc(to.value, (size_t)to.nnz * 8 + 8);
  to.nnz = 0;
  for (int64_t k = 0; k < n; k++) {
    int64_t row = list[k] < 0 ? list[k] + m->rows : list[k] - 1;
    for (int64_t e = m->indptr[row]; e < m->indptr[row + 1]; e++) {
      to.indices[to.nnz] = m->indices[e];
      to.value[to.nnz++] = m->value[e];
    }
    to.indptr[k + 1] = to.nnz;
  }
  if (bad) list[bad - 1] = draw(2) ? m->rows + 1 : draw(2) ? 0 : -m->rows - 1;
  ma_sparse a = give(m, dtype, index);
  void *at = upload(list, (size_t)n * 8);
  ma_sparse_make job = { .kind = MA_MAKE_ROWS, .a = a, .rows = n, .list = at, .nlist = n };
  check(ma_cuda_sparse_make(stream, &job, &made, &wrong));
  if (wrong != bad) {
    printf("rows: the wrong one is %lld, not %lld\n", (long long)wrong, (long long)bad);
    nwrong++;
  }
  if (!wrong) {
    compare_made("rows", &a, &made, &to);
    ma_cuda_csr_drop(&made);
  }
  drop(at);
  free(list);
  take_back(&a);
  matrix_free(&to);
}

/* ---- Products of two matrices, triangles ---- */

static void try_multiply(const matrix *m, ma_dtype dtype, ma_dtype index) {
  int64_t columns = draw(4) ? 1 + draw(200) : 3000000; /* too many for short keys */
  matrix b = make_matrix(m->columns, columns, 3, draw(2), false), all = blank_matrix(m->rows, b.columns, 0);
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
  ma_sparse left = give(m, dtype, index), right = give(&b, dtype, index);
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
  uint32_t rarely = draw(2) ? 8 : 1;
  m.nnz = 0;
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t c = 0; c < rows; c++)
      if (c == r ? r != missing : draw(rarely) == 0) {
        m.indices[m.nnz] = c;
        m.value[m.nnz++] = 1 + draw(3);
      }
    m.indptr[r + 1] = m.nnz;
  }
  return m;
}

/* The differences of two matrices of one shape, some of which are zero, or their products entry by entry. */
static void try_combine(const matrix *m, ma_dtype dtype, ma_dtype index, bool product) {
  matrix other = make_matrix(m->rows, m->columns, 3, true, false), a = added_up(m, false), b = added_up(&other, false);
  matrix to = blank_matrix(m->rows, m->columns, a.nnz + b.nnz);
  int64_t n = 0;
  for (int64_t r = 0; r < m->rows; r++) {
    int64_t i = a.indptr[r], j = b.indptr[r];
    while (i < a.indptr[r + 1] || j < b.indptr[r + 1]) {
      bool left = i < a.indptr[r + 1] && (j >= b.indptr[r + 1] || a.indices[i] <= b.indices[j]);
      bool right = j < b.indptr[r + 1] && (i >= a.indptr[r + 1] || b.indices[j] <= a.indices[i]);
      to.indices[n] = left ? a.indices[i] : b.indices[j];
      int64_t x = left ? a.value[i] : 0, y = right ? b.value[j] : 0;
      to.value[n] = product ? x * y : x - y;
      n += as(dtype, to.value[n]) != 0;
      i += left;
      j += right;
    }
    to.indptr[r + 1] = n;
  }
  to.nnz = n;
  ma_sparse_combine c = { .a = give(&a, dtype, index),
                          .b = give(&b, dtype, index),
                          .op = product ? MA_OP_multiply : MA_OP_subtract,
                          .result = dtype };
  ma_csr_arrays made;
  check(ma_cuda_sparse_combine(stream, &c, &made));
  compare_made(product ? "product of entries" : "difference", &c.a, &made, &to);
  ma_cuda_csr_drop(&made);
  take_back(&c.a);
  take_back(&c.b);
  matrix_free(&other);
  matrix_free(&a);
  matrix_free(&b);
  matrix_free(&to);
}

/* The extremes of the rows and their columns. */
static void try_extreme(const matrix *m, ma_dtype dtype, ma_dtype index) {
  matrix all = added_up(m, false);
  int64_t *best = need((size_t)m->rows * 8), *at = need((size_t)m->rows * 8), *got;
  bool least = draw(2);
  for (int64_t k = 0; k < all.nnz; k++) all.value[k] = as(dtype, (int64_t)draw(5) - (least ? 3 : 1));
  for (int64_t r = 0; r < m->rows; r++) {
    int64_t k = all.indptr[r];
    for (int64_t c = 0; c < m->columns; c++) {
      int64_t v = k < all.indptr[r + 1] && all.indices[k] == c ? all.value[k++] : 0;
      if (c > 0 && (least ? v >= best[r] : v <= best[r])) continue;
      best[r] = v;
      at[r] = c + 1;
    }
  }
  ma_sparse_extreme e = { .a = give(&all, dtype, index),
                          .op = least     ? (draw(2) ? MA_OP_minimum : MA_OP_fmin)
                                : draw(2) ? MA_OP_maximum
                                          : MA_OP_fmax,
                          .to = blank((size_t)m->rows * ma_dtypes[dtype].itemsize) };
  if (draw(2)) e.a.longest = m->longest; /* not less than that without duplicates */
  check(ma_cuda_sparse_extreme(stream, &e));
  got = download_as(dtype, e.to, m->rows, 0);
  compare("extreme", &e.a, got, best, m->rows);
  free(got);
  drop(e.to);
  e.to = NULL;
  e.at = blank((size_t)m->rows * 8);
  check(ma_cuda_sparse_extreme(stream, &e));
  got = download_as(MA_INT64, e.at, m->rows, 0);
  compare("place of the extreme", &e.a, got, at, m->rows);
  free(got);
  drop(e.at);
  take_back(&e.a);
  matrix_free(&all);
  free(best);
  free(at);
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
  ma_sparse a = give(&m, dtype, index);
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
  ma_sparse a = give(m, dtype, index);
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
    void *x = blank((size_t)(most * 3) * 16);
    ma_sparse_product p = { .a = a, .width = 1 + draw(3), .x = x, .y = blank((size_t)(most * 3) * 16) };
    check(ma_cuda_sparse_product(stream, &p));
    p.a.longest = draw(2) ? 1 : 1000000;
    check(ma_cuda_sparse_product(stream, &p));
    check(ma_cuda_sparse_expand(stream, &a, room.indices));
    check(ma_cuda_sparse_transpose(stream, &a, &room));
    check(ma_cuda_sparse_order(stream, &a, false, &made));
    ma_cuda_csr_drop(&made);
    ma_sparse_combine c = { .a = a, .b = a, .op = MA_OP_multiply, .result = dtype };
    check(ma_cuda_sparse_combine(stream, &c, &made));
    ma_cuda_csr_drop(&made);
    ma_sparse_extreme e = { .a = p.a, .op = MA_OP_maximum, .to = (void *)(uintptr_t)p.y };
    check(ma_cuda_sparse_extreme(stream, &e));
    e = (ma_sparse_extreme){ .a = a, .op = MA_OP_fmin, .at = (int64_t *)(uintptr_t)p.y };
    check(ma_cuda_sparse_extreme(stream, &e));
    p.x = NULL;
    p.width = 1;
    check(ma_cuda_sparse_product(stream, &p));
    p.x = x;
    int64_t wrong, *list = upload(&(int64_t){ 1 }, 8);
    check(ma_cuda_sparse_diagonal(stream, &a, 0, m->rows < m->columns ? m->rows : m->columns, (void *)(uintptr_t)p.y));
    ma_sparse_piece piece = { .a = a };
    void *mask = blank((size_t)m->nnz + 1);
    bool canonical;
    check(ma_cuda_sparse_look(stream, &a, &sorted, &canonical));
    for (int kind = 0; kind < MA_NMAKE; kind++) {
      if (kind == MA_MAKE_KRON || kind == MA_MAKE_UNBLOCK || kind == MA_MAKE_STRIPES) continue;
      ma_sparse_make job = { .kind = kind,
                             .a = a,
                             .b = a,
                             .rows = kind == MA_MAKE_ROWS ? 1 : m->rows,
                             .columns = 1,
                             .mask = mask,
                             .list = list,
                             .nlist = 1,
                             .first = 1,
                             .step = 2,
                             .height = 1,
                             .width = 2,
                             .pieces = &piece,
                             .npiece = 1 };
      memset(&made, 0, sizeof made);
      check(ma_cuda_sparse_make(stream, &job, &made, &wrong));
      ma_cuda_csr_drop(&made);
    }
    drop(mask);
    drop(list);
    if (m->rows == m->columns) {
      check(ma_cuda_sparse_multiply(stream, &a, &a, &made, &sorted));
      ma_cuda_csr_drop(&made);
    }
    drop(x);
    drop(p.y);
  }
  drop_room(&room);
  take_back(&a);
}

/* MOONARRAY_SPEC_PART=2/7: every seventh dtype from the second on, since a dtype's kernels take the most time. */
static int part = 1, parts = 1;

static void run_case(void) {
  static const ma_dtype dtypes[] = { MA_FLOAT64, MA_FLOAT32, MA_COMPLEX64, MA_COMPLEX128, MA_BOOL, MA_INT8, MA_INT64 };
  static const int64_t rows[] = { 1, 2, 33, 300, 2000 }, columns[] = { 1, 7, 100, 3000 };
  ma_dtype dtype = dtypes[part - 1 + parts * draw((7 - part) / parts + 1)], index = draw(3) ? MA_INT32 : MA_INT64;
  matrix m = make_matrix(rows[draw(5)], columns[draw(4)], 1 + draw(30), draw(2), draw(2));
  try_product(&m, dtype, index, 1, true);
  try_product(&m, dtype, index, 1, false);
  if (m.rows < 1000) try_product(&m, dtype, index, 2 + draw(40), draw(2));
  if (m.nnz < 3000) try_multiply(&m, dtype, index);
  matrix few = make_matrix(1 + draw(200), 1 + draw(300), 2, false, draw(2));
  try_multiply(&few, dtype, index);
  try_spoiled(&few, dtype, index);
  matrix_free(&few);
  few = make_matrix(1 + draw(6), 1 + draw(1000), 1 + draw(1500), false, false); /* rows of up to 9000 products */
  try_multiply(&few, dtype, index);
  matrix_free(&few);
  if (dtype != MA_BOOL && dtype != MA_INT8 && dtype != MA_INT64) try_triangle(dtype, index);
  if (dtype != MA_BOOL) try_combine(&m, dtype, index, false);
  try_combine(&m, dtype, index, true);
  try_extreme(&m, dtype, index);
  try_diagonal(&m, dtype, index);
  try_rows(&m, dtype, index);
  try_order(&m, dtype, index);
  try_compress(&m, dtype, index); /* leaves m spoiled */
  matrix_free(&m);
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 40;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  const char *text = getenv("MOONARRAY_SPEC_PART");
  if (text && (sscanf(text, "%d/%d", &part, &parts) != 2 || part < 1 || part > parts || part > 7)) {
    printf("MOONARRAY_SPEC_PART is %s; wanted 2/7 or its kind\n", text);
    return 1;
  }
  if (ma_device_get("cuda", &gpu) != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  stream = ma_device_null_stream(gpu);
  printf("seed %llu\n", (unsigned long long)state);
  for (int i = 0; i < (count + parts - 1) / parts; i++) run_case();
  printf("%d cases, %d wrong\n", (count + parts - 1) / parts, nwrong);
  return nwrong != 0;
}
