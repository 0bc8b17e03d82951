/*
** product_loops.h: the loops of product.c for one index type and one kind of value (each.h).
**
** `part` computes a stretch of the work: the rows and entries at the steps first .. last - 1 of a walk that takes one
** step for each row and one for each entry (product.c). A row that began before the stretch gives its sum to `carry`.
**
** The products of integers and bools are compiled for one instruction set.
*/
#ifdef T_FLOAT
#define CLONES2 FOR_AVX2
#define CLONES3 FOR_AVX512
#else
#define CLONES2
#define CLONES3
#endif

/* The sums of `w` columns, at .. at + w - 1, over the entries first .. last - 1. w is a constant. */
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

static void NAME(scatter_vector)(const I *restrict indptr, const I *restrict indices, const T *restrict data,
                                 const T *restrict x, T *restrict y, int64_t first, int64_t last) {
  int64_t k = (int64_t)indptr[first] - 1;
  for (int64_t r = first; r < last; r++) {
    T v = x[r];
    int64_t end = (int64_t)indptr[r + 1] - 1;
    for (; k < end; k++) {
      /* Subtracting 1 takes no instruction once the position is as wide as an address. */
      int64_t at = (int64_t)indices[k] - 1;
      y[at] = ADD(y[at], MUL(data[k], v));
    }
  }
}

/* y[column of each entry] += entry * x for rows first .. last - 1, and columns `at` .. at + n - 1 of x. */
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
#undef CLONES2
#undef CLONES3
