/* triangle_loops.h: the loops of triangle.c for one index type and one dtype (each.h). */

/* Some columns of the right side, and the matrix in locals. So the matrix need not be read again after an element was
** written. */
typedef struct NAME(system) {
  const I *indptr, *indices;
  const T *data;
  T *x;
  int64_t width, first, last;
  bool lower;
} NAME(system);

/* Subtracts from row r of the right side what the unknowns contribute that come before it in the substitution. Returns
** the row's diagonal. */
static inline __attribute__((always_inline)) T NAME(gather)(const NAME(system) s, int64_t r) {
  T *row = s.x + r * s.width, sum = row[s.first], diagonal = ZERO;
  bool one = s.width == 1;
  for (int64_t k = (int64_t)s.indptr[r] - 1, end = (int64_t)s.indptr[r + 1] - 1; k < end; k++) {
    int64_t c = (int64_t)s.indices[k] - 1;
    T v = s.data[k];
    if (s.lower ? c >= r : c <= r) diagonal = c == r ? v : diagonal;
    else if (one) sum = SUB(sum, MUL(v, s.x[c]));
    else
      for (int64_t j = s.first; j < s.last; j++) row[j] = SUB(row[j], MUL(v, s.x[c * s.width + j]));
  }
  if (one) row[0] = sum;
  return diagonal;
}

static inline __attribute__((always_inline)) T NAME(diagonal)(const NAME(system) s, int64_t r) {
  for (int64_t k = (int64_t)s.indptr[r] - 1, end = (int64_t)s.indptr[r + 1] - 1; k < end; k++)
    if ((int64_t)s.indices[k] - 1 == r) return s.data[k];
  return ZERO;
}

/* Subtracts row r's part from the rows that follow. This is for the transpose. */
static inline __attribute__((always_inline)) void NAME(scatter)(const NAME(system) s, int64_t r) {
  const T *row = s.x + r * s.width, x = row[s.first];
  bool one = s.width == 1;
  for (int64_t k = (int64_t)s.indptr[r] - 1, end = (int64_t)s.indptr[r + 1] - 1; k < end; k++) {
    int64_t c = (int64_t)s.indices[k] - 1;
    if (c == r || (c < r) != s.lower) continue;
    T v = s.data[k], *other = s.x + c * s.width;
    if (one) other[0] = SUB(other[0], MUL(v, x));
    else
      for (int64_t j = s.first; j < s.last; j++) other[j] = SUB(other[j], MUL(v, row[j]));
  }
}

/* Eliminates one column. Returns the first row, from 1, that has no diagonal, or 0. */
static inline __attribute__((always_inline)) int64_t NAME(eliminate)(const ma_sparse_triangle *t,
                                                                     const NAME(system) s) {
  int64_t n = t->a.rows;
  bool down = t->lower != t->transposed, unit = t->unit, transposed = t->transposed;
  for (int64_t step = 0; step < n; step++) {
    int64_t r = down ? step : n - 1 - step;
    T diagonal = !transposed ? NAME(gather)(s, r) : unit ? ZERO : NAME(diagonal)(s, r);
    if (!unit) {
      if (!DIFFERS(diagonal, ZERO)) return r + 1;
      for (int64_t j = s.first; j < s.last; j++) s.x[r * s.width + j] = DIV(s.x[r * s.width + j], diagonal);
    }
    if (transposed) NAME(scatter)(s, r);
  }
  return 0;
}

/* Solves for the columns first .. last - 1 of x. */
static int64_t NAME(solve)(const ma_sparse_triangle *t, int64_t first, int64_t last) {
  const I *indptr = t->a.indptr, *indices = t->a.indices;
  if (t->width == 1) return NAME(eliminate)(t, (NAME(system)){ indptr, indices, t->a.data, t->x, 1, 0, 1, t->lower });
  return NAME(eliminate)(t, (NAME(system)){ indptr, indices, t->a.data, t->x, t->width, first, last, t->lower });
}
