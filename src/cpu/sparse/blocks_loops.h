/* blocks_loops.h: the loops of blocks.c for one index type and one kind of value (each.h). */

/* Rows of blocks first .. last - 1 as rows of CSR. */
static void NAME(unblock)(const ma_bsr *b, int64_t first, int64_t last, const ma_csr_room *to) {
  const I *indptr = b->a.indptr, *indices = b->a.indices;
  const T *data = b->a.data;
  I *to_ptr = to->indptr, *to_index = to->indices;
  T *to_data = to->data;
  int64_t height = b->height, width = b->width, size = height * width;
  for (int64_t r = first; r < last; r++) {
    int64_t begin = (int64_t)indptr[r] - 1, end = (int64_t)indptr[r + 1] - 1, at = begin * size;
    for (int64_t i = 0; i < height; i++) {
      to_ptr[r * height + i] = (I)(at + 1);
      for (int64_t k = begin; k < end; k++) {
        const T *from = data + k * size + i * width;
        int64_t column = ((int64_t)indices[k] - 1) * width + 1;
        for (int64_t j = 0; j < width; j++) {
          to_index[at + j] = (I)(column + j);
          to_data[at + j] = from[j];
        }
        at += width;
      }
    }
    if (r + 1 == b->a.rows) to_ptr[b->a.rows * height] = (I)(at + 1);
  }
}

/* Rows of blocks first .. last - 1 times a vector; height and width are constants where blocks are small squares. */
static inline __attribute__((always_inline)) void NAME(rows)(const ma_bsr *b, int64_t first, int64_t last,
                                                             const int64_t height, const int64_t width,
                                                             const T *restrict x, T *restrict y) {
  const I *indptr = b->a.indptr, *indices = b->a.indices;
  const T *data = b->a.data;
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

static void NAME(blocks)(const ma_bsr *b, int64_t first, int64_t last, int64_t n, const void *x_, void *y_) {
  const I *indptr = b->a.indptr, *indices = b->a.indices;
  const T *data = b->a.data, *x = x_;
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

/* The entry of a diagonal in a row, from 0; false where it is outside or 0. `column` counts from 1. */
static inline bool NAME(at)(const ma_dia *d, int64_t k, int64_t row, T *value, int64_t *column) {
  int64_t j = row + d->offsets[k];
  if (j < 0 || j >= d->columns || j >= d->length) return false;
  *value = ((const T *)d->data)[d->places[k] * d->length + j];
  *column = j + 1;
  T zero = ZERO;
  return DIFFERS(*value, zero);
}

static void NAME(count)(const ma_dia *d, int64_t first, int64_t last, int64_t *left) {
  for (int64_t r = first; r < last; r++) {
    int64_t n = 0, column;
    T value;
    for (int64_t k = 0; k < d->count; k++) n += NAME(at)(d, k, r, &value, &column);
    left[r] = n;
  }
}

static void NAME(stripes)(const ma_dia *d, int64_t first, int64_t last, const ma_csr_room *to) {
  I *index = to->indices;
  T *data = to->data;
  int64_t at = (int64_t)((const I *)to->indptr)[first] - 1, column;
  for (int64_t r = first; r < last; r++) {
    T value;
    for (int64_t k = 0; k < d->count; k++) {
      if (!NAME(at)(d, k, r, &value, &column)) continue;
      index[at] = (I)column;
      data[at++] = value;
    }
  }
}
