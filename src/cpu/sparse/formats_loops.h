/* formats_loops.h: the loops of formats.c for one index type and one kind of value (each.h). */
#ifdef T_FLOAT
#define CLONES3 FOR_AVX512
#else
#define CLONES3 /* the products of integers and bools are compiled for one instruction set */
#endif

static void NAME(add)(void *to, const void *from, int64_t n) {
  T *y = to;
  const T *x = from;
  for (int64_t k = 0; k < n; k++) y[k] = ADD(y[k], x[k]);
}

/* y[row of each entry] += entry * x, for the entries first .. last - 1 and n columns. */
static void NAME(entries)(const ma_sparse *a, int64_t first, int64_t last, int64_t n, const void *x_, void *y_) {
  const I *restrict row = a->indptr, *restrict column = a->indices;
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

/* Samples the product of x with the transpose of y at the entries first .. last - 1. */
CLONES3 static void NAME(sampled)(const ma_sparse *a, int64_t first, int64_t last, int64_t n, const void *x_,
                                  const void *y_, void *to_) {
  const I *row = a->indptr, *column = a->indices;
  const T *x = x_, *y = y_;
  T *to = to_;
  const int64_t bytes = n * (int64_t)sizeof(T) < TUNE_SPARSE_AHEAD_BYTES ? n * (int64_t)sizeof(T)
                                                                         : TUNE_SPARSE_AHEAD_BYTES;
  for (int64_t k = first; k < last; k++) {
    if (k + TUNE_SPARSE_AHEAD < last) {
      const char *next = (const char *)(y + ((int64_t)column[k + TUNE_SPARSE_AHEAD] - 1) * n);
      for (int64_t b = 0; b < bytes; b += MA_ALIGN) __builtin_prefetch(next + b);
    }
    const T *left = x + ((int64_t)row[k] - 1) * n, *right = y + ((int64_t)column[k] - 1) * n;
    if (n >= 64) to[k] = NAME(dot)(32, left, right, n);
    else if (n >= 8) to[k] = NAME(dot)(8, left, right, n);
    else to[k] = NAME(dot)(2, left, right, n);
  }
}

/* Multiplies rows of blocks first .. last - 1 with a vector. height and width are constants where blocks are small
** squares. */
static inline __attribute__((always_inline)) void NAME(rows)(const ma_sparse *b, int64_t first, int64_t last,
                                                             const int64_t height, const int64_t width,
                                                             const T *restrict x, T *restrict y) {
  const I *indptr = b->indptr, *indices = b->indices;
  const T *data = b->data;
  for (int64_t r = first; r < last; r++) {
    T *to = y + r * height;
    for (int64_t i = 0; i < height; i++) to[i] = ZERO;
    for (int64_t k = (int64_t)indptr[r] - 1; k < (int64_t)indptr[r + 1] - 1; k++) {
      const T *from = x + ((int64_t)indices[k] - 1) * width, *block = data + k * height * width;
      for (int64_t i = 0; i < height; i++) {
        T sum = to[i];
        for (int64_t j = 0; j < width; j++) sum = ADD(sum, MUL(block[i * width + j], from[j]));
        to[i] = sum;
      }
    }
  }
}

static void NAME(blocks)(const ma_sparse *b, int64_t first, int64_t last, int64_t n, const void *x_, void *y_) {
  const I *indptr = b->indptr, *indices = b->indices;
  const T *data = b->data, *x = x_;
  T *y = y_;
  int64_t height = b->height, width = b->width;
  if (n == 1) {
    if (height != width) NAME(rows)(b, first, last, height, width, x, y);
    else if (height == 2) NAME(rows)(b, first, last, 2, 2, x, y);
    else if (height == 3) NAME(rows)(b, first, last, 3, 3, x, y);
    else if (height == 4) NAME(rows)(b, first, last, 4, 4, x, y);
    else NAME(rows)(b, first, last, height, width, x, y);
    return;
  }
  for (int64_t r = first; r < last; r++) {
    T *to = y + r * height * n;
    for (int64_t c = 0; c < height * n; c++) to[c] = ZERO;
    for (int64_t k = (int64_t)indptr[r] - 1; k < (int64_t)indptr[r + 1] - 1; k++) {
      const T *from = x + ((int64_t)indices[k] - 1) * width * n, *block = data + k * height * width;
      for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < width; j++) {
          T v = block[i * width + j];
          for (int64_t c = 0; c < n; c++) to[i * n + c] = ADD(to[i * n + c], MUL(v, from[j * n + c]));
        }
    }
  }
}

/* The rows begin .. end - 1, among first .. last - 1, in which a diagonal lies, and its elements there. Returns false
** if it lies in none. */
static bool NAME(within)(const ma_sparse *d, int64_t k, int64_t first, int64_t last, int64_t *begin, int64_t *end,
                         const T **data) {
  int64_t shift = d->offsets[k], width = d->columns < d->length ? d->columns : d->length;
  *begin = first > -shift ? first : -shift;
  *end = last < width - shift ? last : width - shift;
  if (*begin >= *end) return false;
  *data = (const T *)d->data + d->places[k] * d->length + (*begin + shift);
  return true;
}

/* Rows first .. last - 1 of y = d x for n columns. For a few rows at a time, diagonals are added in their order. */
static void NAME(striped)(const ma_sparse *d, int64_t first, int64_t last, int64_t n, const void *x_, void *y_) {
  T *restrict y = y_;
  for (int64_t c = first * n; c < last * n; c++) y[c] = ZERO;
  for (int64_t k = 0; k < d->nnz; k++) {
    const T *data;
    int64_t begin, end;
    if (!NAME(within)(d, k, first, last, &begin, &end, &data)) continue;
    const T *restrict x = (const T *)x_ + (begin + d->offsets[k]) * n;
    T *restrict to = y + begin * n;
    if (n == 1)
      for (int64_t i = 0; i < end - begin; i++) to[i] = ADD(to[i], MUL(data[i], x[i]));
    else
      for (int64_t i = 0; i < end - begin; i++)
        for (int64_t c = 0; c < n; c++) to[i * n + c] = ADD(to[i * n + c], MUL(data[i], x[i * n + c]));
  }
}
#undef CLONES3
