/* extreme_loops.h: the loops of extreme.c for one index type and one kind of value (each.h). */

static inline bool NAME(same)(T a, T b) { return !DIFFERS(a, b) || (DIFFERS(a, a) && DIFFERS(b, b)); }

static T NAME(of_two)(pieces *p, T a, T b) {
  T *y = (T *)(void *)p->y, *z = (T *)(void *)p->z;
  y[0] = a;
  z[0] = b;
  p->loop(z, y, z, NULL, NULL, MA_LANE);
  return z[0];
}

/* Cuts rows into pieces from row *row, entry *k on. Returns their number. */
static int NAME(cut)(const ma_sparse *a, int64_t *row, int64_t stop, int64_t *k, pieces *p) {
  const I *indptr = a->indptr;
  const T *data = a->data;
  T *x = (T *)(void *)p->x;
  int n = 0;
  for (; n < PIECES && *row < stop; n++) {
    int64_t left = (int64_t)indptr[*row + 1] - 1 - *k;
    p->ends[n] = left <= PIECE;
    p->count[n] = left < PIECE ? (int)left : PIECE;
    p->begin[n] = p->at[n] = *k;
    x[n] = left ? data[*k] : ZERO;
    *k += p->count[n];
    *row += p->ends[n];
  }
  return n;
}

static void NAME(fold)(const ma_sparse *a, int n, pieces *p) {
  const T *data = a->data;
  T *x = (T *)(void *)p->x, *y = (T *)(void *)p->y, *z = (T *)(void *)p->z;
  int m = 0;
  for (int i = 0; i < n; i++)
    if (p->count[i] > 1) p->active[m++] = i;
  for (int step = 1, left = 0; m; step++, m = left, left = 0) {
    for (int j = 0; j < m; j++) {
      y[j] = x[p->active[j]];
      z[j] = data[p->begin[p->active[j]] + step];
    }
    p->loop(z, y, z, NULL, NULL, (m + MA_LANE - 1) / MA_LANE * MA_LANE);
    for (int j = 0; j < m; j++) {
      int i = p->active[j];
      if (!NAME(same)(z[j], y[j])) p->at[i] = p->begin[i] + step;
      x[i] = z[j];
      if (p->count[i] > step + 1) p->active[left++] = i;
    }
  }
}

/* The first column, from 1, that a sorted row has no entry for. */
static int64_t NAME(first_free)(const I *indices, int64_t begin, int64_t end) {
  int64_t low = begin, high = end;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (indices[middle] <= middle - begin + 1) low = middle + 1;
    else high = middle;
  }
  return low - begin + 1;
}

/* Writes the result of a row, the extreme of whose entries is `best` at entry `at`, -1: none. */
static void NAME(put)(const ma_sparse_extreme *e, int64_t row, T best, int64_t at, pieces *p) {
  const ma_sparse *a = &e->a;
  int64_t begin = ma_sparse_begin(a, row), end = ma_sparse_begin(a, row + 1), column = a->columns + 1;
  bool zeros = end - begin < a->columns;
  T whole = at >= 0 && zeros ? NAME(of_two)(p, best, ZERO) : best;
  if (e->to) {
    ((T *)e->to)[row] = whole;
    return;
  }
  if (at >= 0 && NAME(same)(whole, best)) column = ((const I *)a->indices)[at];
  int64_t free = zeros && !DIFFERS(whole, ZERO) ? NAME(first_free)(a->indices, begin, end) : column;
  e->at[row] = free < column ? free : column;
}

/* The extremes of the rows row .. stop - 1. */
static void NAME(extremes)(const ma_sparse_extreme *e, int64_t row, int64_t stop, pieces *p) {
  const T *x = (const T *)(const void *)p->x;
  int64_t next = row, k = row < stop ? ma_sparse_begin(&e->a, row) : 0, at = -1;
  T best = ZERO;
  while (row < stop) {
    int n = NAME(cut)(&e->a, &next, stop, &k, p);
    NAME(fold)(&e->a, n, p);
    for (int i = 0; i < n; i++) {
      if (p->count[i]) {
        T both = at < 0 ? x[i] : NAME(of_two)(p, best, x[i]);
        if (at < 0 || !NAME(same)(both, best)) at = p->at[i];
        best = both;
      }
      if (!p->ends[i]) continue;
      NAME(put)(e, row++, best, at, p);
      best = ZERO;
      at = -1;
    }
  }
}
