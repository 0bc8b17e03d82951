/*
** systems_one.h: the elimination of systems.c for a single matrix, where a vector would hold one element of it: here it
** holds elements of a column, or of a row of right sides. Each element takes the same steps in the same order as in
** systems_loops.h, so it has the same bits. The text before it defines ONE and X, a real number.
*/
#define STEP (VECTOR / (int)sizeof(X))
/* Room for a column, and for a row of right sides. Elements behind the last one are padding, so that only whole vectors
** are computed. */
#define TALL (MA_LINALG_SMALL + STEP)
typedef struct ONE(room) {
  X a[MA_LINALG_SMALL][TALL], b[MA_LINALG_SMALL][TALL];
} ONE(room);

typedef X ONE(part) __attribute__((vector_size(VECTOR), aligned(sizeof(X)), may_alias));

/* to[i] -= by * from[i] for i < n, and for some elements of the padding. */
static inline __attribute__((always_inline)) void ONE(less)(X *restrict to, const X *restrict from, X by, int64_t n) {
  for (int64_t i = 0; i < n; i += STEP) *(ONE(part) *)(to + i) -= *(const ONE(part) *)(from + i) * by;
}

/* Factors columns of m elements. pivot[k] is the row, from 0, with which row k is exchanged. Returns the 1-based number
** of the first pivot that is 0, or 0. */
FOR_AVX512 static int32_t ONE(factor)(X (*a)[TALL], int m, int n, int *pivot) {
  int32_t wrong = 0;
  for (int k = 0; k < m && k < n; k++) {
    X best = 0, *column = a[k];
    int at = k;
    for (int i = k; i < m; i++) {
      X size = column[i] < 0 ? -column[i] : column[i];
      if (size != size) size = best + (X)INFINITY; /* NaN spreads as a pivot */
      if (size > best) best = size, at = i;
    }
    pivot[k] = at;
    for (int j = 0; at != k && j < n; j++) {
      X x = a[j][k];
      a[j][k] = a[j][at];
      a[j][at] = x;
    }
    if (best == 0 && !wrong) wrong = k + 1;
    X by = best == 0 ? 1 : column[k];
    for (int64_t i = k + 1; i < m; i += STEP) *(ONE(part) *)(column + i) /= by;
    for (int j = k + 1; j < n; j++) ONE(less)(a[j] + k + 1, column + k + 1, a[j][k], m - k - 1);
  }
  return wrong;
}

/* Replaces b by a^-1 b, where `a` has the factors. Rows of b have `right` elements. */
FOR_AVX512 static void ONE(substitute)(const X (*a)[TALL], int n, X (*b)[TALL], int right, const int *pivot) {
  for (int k = 0; k < n; k++)
    for (int c = 0; pivot[k] != k && c < right; c++) {
      X x = b[k][c];
      b[k][c] = b[pivot[k]][c];
      b[pivot[k]][c] = x;
    }
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++) ONE(less)(b[i], b[k], a[k][i], right);
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) ONE(less)(b[i], b[k], a[k][i], right);
    for (int c = 0; c < right; c++) b[i][c] /= a[i][i];
  }
}

/* Elements (i, j), from or to lists of `n` elements j; steps in bytes. */
static void ONE(load)(X (*to)[TALL], const char *from, int rows, int n, int64_t row, int64_t column) {
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < n; j++) to[i][j] = *(const X *)(const void *)(from + i * row + j * column);
    for (int j = n; j < n + STEP && j < TALL; j++) to[i][j] = 0;
  }
}

static void ONE(store)(const X (*from)[TALL], char *to, int rows, int n, int64_t row, int64_t column) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) *(X *)(void *)(to + i * row + j * column) = from[i][j];
}

static void ONE(solve)(const ma_linalg_systems *s, int64_t k, void *memory) {
  ONE(room) *room = memory;
  int n = (int)s->rows, pivot[MA_LINALG_SMALL];
  ONE(load)(room->a, (const char *)s->data[1] + k * s->step[1], n, n, s->column[1], s->row[1]);
  s->info[k] = ONE(factor)(room->a, n, n, pivot);
  for (int64_t c = 0; c < s->right; c += MA_LINALG_SMALL) {
    int right = s->right - c < MA_LINALG_SMALL ? (int)(s->right - c) : MA_LINALG_SMALL;
    const char *from = (const char *)s->data[2] + k * s->step[2] + c * s->column[2];
    ONE(load)(room->b, from, n, right, s->row[2], s->column[2]);
    ONE(substitute)((const X(*)[TALL])room->a, n, room->b, right, pivot);
    char *to = (char *)s->data[0] + k * s->step[0] + c * s->column[0];
    ONE(store)((const X(*)[TALL])room->b, to, n, right, s->row[0], s->column[0]);
  }
}

static void ONE(lu)(const ma_matrices *a, int64_t *positions, int32_t *info, int64_t k, void *memory) {
  ONE(room) *room = memory;
  int m = (int)a->rows, n = (int)a->columns, least = m < n ? m : n, pivot[MA_LINALG_SMALL];
  int64_t item = (int64_t)sizeof(X);
  char *data = (char *)a->data + k * a->step * item;
  ONE(load)(room->a, data, n, m, a->ld * item, item);
  info[k] = ONE(factor)(room->a, m, n, pivot);
  ONE(store)((const X(*)[TALL])room->a, data, n, m, a->ld * item, item);
  for (int i = 0; i < least; i++) positions[k * least + i] = pivot[i] + 1;
}

#undef STEP
#undef TALL
#undef ONE
#undef X
