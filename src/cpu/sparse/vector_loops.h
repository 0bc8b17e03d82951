/* vector_loops.h: the loops of vector.c for one index type and one kind of value (each.h). */

/* The sum of a row. A long row has four sums side by side, so that an addition need not wait for the one before it. */
static inline __attribute__((always_inline)) T NAME(sum)(const I *restrict indices, const T *restrict data,
                                                         int64_t first, int64_t last, const T *restrict x) {
  T s0 = ZERO;
  int64_t k = first;
  if (last - first >= 8) {
    T s1 = ZERO, s2 = ZERO, s3 = ZERO;
    for (; k + 4 <= last; k += 4) {
      s0 = ADD(s0, MUL(data[k], x[(int64_t)indices[k] - 1]));
      s1 = ADD(s1, MUL(data[k + 1], x[(int64_t)indices[k + 1] - 1]));
      s2 = ADD(s2, MUL(data[k + 2], x[(int64_t)indices[k + 2] - 1]));
      s3 = ADD(s3, MUL(data[k + 3], x[(int64_t)indices[k + 3] - 1]));
    }
    s0 = ADD(ADD(s0, s1), ADD(s2, s3));
  }
  for (; k < last; k++) s0 = ADD(s0, MUL(data[k], x[(int64_t)indices[k] - 1]));
  return s0;
}

/* Two rows of n entries each. n is a constant, because the time of a loop of a few instructions depends on where it
** lies in memory. */
static inline __attribute__((always_inline)) void NAME(pair)(const int n, const I *restrict indices,
                                                             const T *restrict data, const T *restrict x,
                                                             T *restrict y) {
  T one = ZERO, two = ZERO;
#pragma GCC unroll 8
  for (int k = 0; k < n; k++) {
    one = ADD(one, MUL(data[k], x[(int64_t)indices[k] - 1]));
    two = ADD(two, MUL(data[k + n], x[(int64_t)indices[k + n] - 1]));
  }
  y[0] = one;
  y[1] = two;
}

/* Whole rows. Two short rows of one length are taken together, because the additions of one row wait for each other. */
static void NAME(rows)(const I *restrict indptr, const I *restrict indices, const T *restrict data, const T *restrict x,
                       T *restrict y, int64_t row, int64_t stop) {
  int64_t first = (int64_t)indptr[row] - 1;
  while (row < stop) {
    int64_t last = (int64_t)indptr[row + 1] - 1, n = last - first;
    if (n < 8 && row + 1 < stop && (int64_t)indptr[row + 2] - 1 - last == n) {
      switch (n) {
      case 0: NAME(pair)(0, indices, data, x, y + row); break;
      case 1: NAME(pair)(1, indices + first, data + first, x, y + row); break;
      case 2: NAME(pair)(2, indices + first, data + first, x, y + row); break;
      case 3: NAME(pair)(3, indices + first, data + first, x, y + row); break;
      case 4: NAME(pair)(4, indices + first, data + first, x, y + row); break;
      case 5: NAME(pair)(5, indices + first, data + first, x, y + row); break;
      case 6: NAME(pair)(6, indices + first, data + first, x, y + row); break;
      default: NAME(pair)(7, indices + first, data + first, x, y + row);
      }
      row += 2;
      first = last + n;
    } else {
      y[row++] = NAME(sum)(indices, data, first, last, x);
      first = last;
    }
  }
}

/* The sum of the entries themselves, in the order of NAME(sum). */
static T NAME(total)(const T *restrict data, int64_t first, int64_t last) {
  T s0 = ZERO;
  int64_t k = first;
  if (last - first >= 8) {
    T s1 = ZERO, s2 = ZERO, s3 = ZERO;
    for (; k + 4 <= last; k += 4) {
      s0 = ADD(s0, data[k]);
      s1 = ADD(s1, data[k + 1]);
      s2 = ADD(s2, data[k + 2]);
      s3 = ADD(s3, data[k + 3]);
    }
    s0 = ADD(ADD(s0, s1), ADD(s2, s3));
  }
  for (; k < last; k++) s0 = ADD(s0, data[k]);
  return s0;
}

static T NAME(stretch)(const ma_sparse_product *p, int64_t first, int64_t last) {
  return p->x ? NAME(sum)(p->a.indices, p->a.data, first, last, p->x) : NAME(total)(p->a.data, first, last);
}

static void NAME(vector)(const ma_sparse_product *p, int64_t begin, int64_t end, int64_t row, int64_t stop,
                         void *carry) {
  const I *indptr = p->a.indptr;
  T *y = p->y;
  if (row > 0) {
    int64_t first = begin - row, last = (int64_t)indptr[row] - 1 < end - row ? (int64_t)indptr[row] - 1 : end - row;
    if (first < last) *(T *)carry = NAME(stretch)(p, first, last);
  }
  if (row >= stop) return;
  if (p->x) NAME(rows)(indptr, p->a.indices, p->a.data, p->x, y, row, stop - 1);
  else
    for (int64_t r = row; r < stop - 1; r++)
      y[r] = NAME(total)(p->a.data, (int64_t)indptr[r] - 1, (int64_t)indptr[r + 1] - 1);
  int64_t last = (int64_t)indptr[stop] - 1;
  y[stop - 1] = NAME(stretch)(p, (int64_t)indptr[stop - 1] - 1, last < end - stop ? last : end - stop);
}
