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

/* The rows begin .. end - 1 of first .. last - 1 in which a diagonal lies, and its elements there; false if in none. */
static bool NAME(within)(const ma_dia *d, int64_t k, int64_t first, int64_t last, int64_t *begin, int64_t *end,
                         const T **data) {
  int64_t shift = d->offsets[k], width = d->columns < d->length ? d->columns : d->length;
  *begin = first > -shift ? first : -shift;
  *end = last < width - shift ? last : width - shift;
  if (*begin >= *end) return false;
  *data = (const T *)d->data + d->places[k] * d->length + (*begin + shift);
  return true;
}

static void NAME(count)(const ma_dia *d, int64_t first, int64_t last, int64_t *left) {
  const T zero = ZERO, *data;
  int64_t begin, end;
  for (int64_t r = first; r < last; r++) left[r] = 0;
  for (int64_t k = 0; k < d->count; k++)
    if (NAME(within)(d, k, first, last, &begin, &end, &data))
      for (int64_t i = 0; i < end - begin; i++) left[begin + i] += DIFFERS(data[i], zero);
}

/* `next` has room for an element for each row: where its next entry goes. */
static void NAME(stripes)(const ma_dia *d, int64_t first, int64_t last, int64_t *restrict next, const ma_csr_room *to) {
  const I *indptr = to->indptr;
  const T zero = ZERO, *data;
  int64_t begin, end, stop = (int64_t)indptr[last] - 1;
  I *restrict index = to->indices;
  T *restrict value = to->data;
  for (int64_t r = first; r < last; r++) next[r] = (int64_t)indptr[r] - 1;
  for (int64_t k = 0; k < d->count; k++) {
    if (!NAME(within)(d, k, first, last, &begin, &end, &data)) continue;
    const T *restrict from = data;
    int64_t *restrict place = next + begin, column = begin + d->offsets[k] + 1;
    for (int64_t i = 0; i < end - begin; i++) {
      int64_t at = place[i];
      if (!DIFFERS(from[i], zero) || at >= stop) continue;
      index[at] = (I)(column + i);
      value[at] = from[i];
      place[i] = at + 1;
    }
  }
}

/* Rows first .. last - 1 of y = d x for n columns. Diagonals are added in their order, for some rows at a time. */
static void NAME(striped)(const ma_dia *d, int64_t first, int64_t last, int64_t n, const void *x_, void *y_) {
  T *restrict y = y_;
  for (int64_t c = first * n; c < last * n; c++) y[c] = ZERO;
  for (int64_t k = 0; k < d->count; k++) {
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

/* The blocks of rows of blocks first .. last - 1 of a CSR; place[i] is where row i of a row of blocks is. With `to`
** they are written from place to->indptr[first] on, else they are counted. Returns false if a row is not sorted. */
static bool NAME(block)(const ma_csr *a, int64_t height, int64_t width, int64_t first, int64_t last, int64_t *place,
                        int64_t *left, const ma_csr_room *to) {
  const I *indptr = a->indptr, *index = a->indices;
  const T *value = a->data;
  for (int64_t r = first; r < last; r++) {
    const I *ends = indptr + r * height + 1;
    int64_t n = 0, base = to ? (int64_t)((const I *)to->indptr)[r] - 1 : 0;
    for (int64_t i = 0; i < height; i++) place[i] = (int64_t)indptr[r * height + i] - 1;
    for (;; n++) {
      int64_t least = INT64_MAX;
      for (int64_t i = 0; i < height; i++)
        if (place[i] < (int64_t)ends[i] - 1 && index[place[i]] < least) least = index[place[i]];
      if (least == INT64_MAX) break;
      int64_t block = (least - 1) / width, begin = block * width;
      if (!to) {
        for (int64_t i = 0; i < height; i++)
          for (; place[i] < (int64_t)ends[i] - 1 && index[place[i]] <= begin + width; place[i]++) {}
        continue;
      }
      if (n >= left[r]) return false;
      T *out = (T *)to->data + (base + n) * height * width;
      ((I *)to->indices)[base + n] = (I)(block + 1);
      for (int64_t c = 0; c < height * width; c++) out[c] = ZERO;
      for (int64_t i = 0; i < height; i++, out += width)
        for (; place[i] < (int64_t)ends[i] - 1 && index[place[i]] <= begin + width; place[i]++) {
          if (index[place[i]] <= begin) return false;
          out[index[place[i]] - begin - 1] = value[place[i]];
        }
    }
    if (!to) left[r] = n;
  }
  return true;
}
