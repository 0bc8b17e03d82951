/* triangle_loops.h: the loops of triangle.c for one index type and one dtype (each.h). */

/* Solves for the columns first .. last - 1 of x. Row r, in the order of the elimination, is divided by its diagonal,
** once what the other unknowns of the row contribute was taken off (`forward`); or it is divided and then taken off the
** rows that follow (`backward`, for the transpose). Returns the first row from 1 that has no diagonal, or 0. */
static int64_t NAME(solve)(const ma_sparse_triangle *t, int64_t first, int64_t last) {
  const I *indptr = t->a.indptr, *indices = t->a.indices;
  const T *data = t->a.data;
  int64_t n = t->a.rows, width = t->width;
  bool down = t->lower != t->transposed;
  T *x = t->x;
  for (int64_t step = 0; step < n; step++) {
    int64_t r = down ? step : n - 1 - step;
    T *row = x + r * width, diagonal = ZERO;
    bool found = false;
    int64_t begin = (int64_t)indptr[r] - 1, end = (int64_t)indptr[r + 1] - 1;
    for (int64_t k = begin; k < end; k++) {
      int64_t c = (int64_t)indices[k] - 1;
      if (c == r) {
        diagonal = data[k];
        found = DIFFERS(diagonal, ZERO);
      } else if (!t->transposed && (c < r) == t->lower) {
        T v = data[k], *other = x + c * width;
        for (int64_t j = first; j < last; j++) row[j] = SUB(row[j], MUL(v, other[j]));
      }
    }
    if (!t->unit) {
      if (!found) return r + 1;
      for (int64_t j = first; j < last; j++) row[j] = DIV(row[j], diagonal);
    }
    if (!t->transposed) continue;
    for (int64_t k = begin; k < end; k++) {
      int64_t c = (int64_t)indices[k] - 1;
      if (c == r || (c < r) != t->lower) continue;
      T v = data[k], *other = x + c * width;
      for (int64_t j = first; j < last; j++) other[j] = SUB(other[j], MUL(v, row[j]));
    }
  }
  return 0;
}
