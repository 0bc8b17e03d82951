/*
** product_loops.h: the loops of product.c for one index type and one kind of value (each.h).
**
** `part` computes a stretch of the work: the rows and entries at the steps first .. last - 1 of a walk that takes one
** step for each row and one for each entry (product.c). A row that began before the stretch gives its sum to `carry`.
**
** The products of integers and bools are compiled for one instruction set.
*/
#ifdef DIV
#define CLONES2 WIDER
#define CLONES3 WIDEST
#else
#define CLONES2
#define CLONES3
#endif

/* The sums of `w` columns over the entries first .. last - 1, for columns `at` .. at + w - 1. w is a constant. */
static inline __attribute__((always_inline)) void NAME(sums)(const int w, const I *restrict indices,
                                                             const T *restrict data, int64_t first, int64_t last,
                                                             const T *restrict x, int64_t width, int64_t at,
                                                             T *restrict to) {
  T sum[32];
  for (int c = 0; c < w; c++) sum[c] = ZERO;
  for (int64_t k = first; k < last; k++) {
    T v = data[k];
    const T *row = x + ((int64_t)indices[k] - 1) * width + at;
    for (int c = 0; c < w; c++) sum[c] = ADD(sum[c], MUL(v, row[c]));
  }
  for (int c = 0; c < w; c++) to[c] = sum[c];
}

static inline __attribute__((always_inline)) void NAME(row)(const ma_sparse_product *p, int64_t first, int64_t last,
                                                            T *to) {
  const I *indices = p->a.indices;
  const T *data = p->a.data, *x = p->x;
  int64_t width = p->width, at = 0;
  for (; at + 32 <= width; at += 32) NAME(sums)(32, indices, data, first, last, x, width, at, to + at);
  for (; at + 8 <= width; at += 8) NAME(sums)(8, indices, data, first, last, x, width, at, to + at);
  for (; at + 4 <= width; at += 4) NAME(sums)(4, indices, data, first, last, x, width, at, to + at);
  for (; at < width; at++) NAME(sums)(1, indices, data, first, last, x, width, at, to + at);
}

CLONES3 static void NAME(part)(const ma_sparse_product *p, int64_t begin, int64_t end, int64_t row, int64_t stop,
                               void *carry) {
  const I *indptr = p->a.indptr;
  int64_t width = p->width;
  if (row > 0) {
    int64_t first = begin - row, last = (int64_t)indptr[row] - 1 < end - row ? (int64_t)indptr[row] - 1 : end - row;
    if (first < last) NAME(row)(p, first, last, carry);
  }
  for (; row < stop; row++) {
    int64_t first = (int64_t)indptr[row] - 1, last = (int64_t)indptr[row + 1] - 1, most = end - row - 1;
    NAME(row)(p, first, last < most ? last : most, (T *)p->y + row * width);
  }
}

static void NAME(add)(void *to, const void *from, int64_t n) {
  T *y = to;
  const T *x = from;
  for (int64_t k = 0; k < n; k++) y[k] = ADD(y[k], x[k]);
}

static void NAME(scatter_vector)(const I *restrict indptr, const I *restrict indices, const T *restrict data,
                                 const T *restrict x, T *restrict y, int64_t first, int64_t last) {
  int64_t k = (int64_t)indptr[first] - 1;
  for (int64_t r = first; r < last; r++) {
    T v = x[r];
    int64_t end = (int64_t)indptr[r + 1] - 1;
    for (; k < end; k++) {
      int64_t at = (int64_t)indices[k] - 1; /* an address has room for the 1, after it is made wide */
      y[at] = ADD(y[at], MUL(data[k], v));
    }
  }
}

/* y[columns of the entries] += entries * x for rows first .. last - 1, of the columns `at` .. at + n - 1 of x. */
CLONES2 static void NAME(scatter)(const ma_sparse_product *p, int64_t first, int64_t last, int64_t at, int64_t n,
                                  void *to) {
  const I *indptr = p->a.indptr, *indices = p->a.indices;
  const T *data = p->a.data, *x = p->x;
  T *y = to;
  int64_t width = p->width;
  if (width == 1) {
    NAME(scatter_vector)(indptr, indices, data, x, y, first, last);
    return;
  }
  for (int64_t r = first; r < last; r++) {
    const T *from = x + r * width + at;
    for (int64_t k = (int64_t)indptr[r] - 1; k < (int64_t)indptr[r + 1] - 1; k++) {
      T v = data[k], *row = y + ((int64_t)indices[k] - 1) * width + at;
      for (int64_t c = 0; c < n; c++) row[c] = ADD(row[c], MUL(v, from[c]));
    }
  }
}

/* y[rows of the entries first .. last - 1] += entries * x, of n columns. */
static void NAME(entries)(const ma_coo *a, int64_t first, int64_t last, int64_t n, const void *x_, void *y_) {
  const I *restrict row = a->row, *restrict column = a->column;
  const T *restrict data = a->data, *restrict x = x_;
  T *restrict y = y_;
  if (n == 1) {
    for (int64_t k = first; k < last; k++) {
      int64_t at = (int64_t)row[k] - 1;
      y[at] = ADD(y[at], MUL(data[k], x[(int64_t)column[k] - 1]));
    }
    return;
  }
  for (int64_t k = first; k < last; k++) {
    T v = data[k], *to = y + ((int64_t)row[k] - 1) * n;
    const T *from = x + ((int64_t)column[k] - 1) * n;
    for (int64_t c = 0; c < n; c++) to[c] = ADD(to[c], MUL(v, from[c]));
  }
}

/* The sum of x[k] * y[k], as w sums that are added by halves at the end. w is a constant, a power of 2. */
static inline __attribute__((always_inline)) T NAME(dot)(const int w, const T *restrict x, const T *restrict y,
                                                         int64_t n) {
  T sum[32];
  int64_t k = 0;
  for (int c = 0; c < w; c++) sum[c] = ZERO;
  for (; k + w <= n; k += w)
    for (int c = 0; c < w; c++) sum[c] = ADD(sum[c], MUL(x[k + c], y[k + c]));
  for (int c = 0; k < n; k++, c++) sum[c] = ADD(sum[c], MUL(x[k], y[k]));
  for (int half = w / 2; half > 0; half /= 2)
    for (int c = 0; c < half; c++) sum[c] = ADD(sum[c], sum[c + half]);
  return sum[0];
}

/* The entries first .. last - 1 of the product of x with the transpose of y. */
CLONES3 static void NAME(sampled)(const ma_coo *a, int64_t first, int64_t last, int64_t n, const void *x_,
                                  const void *y_, void *to_) {
  const I *row = a->row, *column = a->column;
  const T *x = x_, *y = y_;
  T *to = to_;
  const int64_t bytes = n * (int64_t)sizeof(T) < AHEAD_BYTES ? n * (int64_t)sizeof(T) : AHEAD_BYTES;
  for (int64_t k = first; k < last; k++) {
    if (k + AHEAD < last) {
      const char *next = (const char *)(y + ((int64_t)column[k + AHEAD] - 1) * n);
      for (int64_t b = 0; b < bytes; b += MA_ALIGN) __builtin_prefetch(next + b);
    }
    const T *left = x + ((int64_t)row[k] - 1) * n, *right = y + ((int64_t)column[k] - 1) * n;
    if (n >= 64) to[k] = NAME(dot)(32, left, right, n);
    else if (n >= 8) to[k] = NAME(dot)(8, left, right, n);
    else to[k] = NAME(dot)(2, left, right, n);
  }
}
#undef CLONES2
#undef CLONES3
