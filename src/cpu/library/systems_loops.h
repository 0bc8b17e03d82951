/*
** systems_loops.h: the elimination of systems.c for one dtype. The text before it defines NAME, X (a real number),
** INDEX (an integer of its size), and COMPLEX (1: an element is a pair of X).
*/
#define LANES (VECTOR / (int)sizeof(X))
typedef X NAME(lanes) __attribute__((vector_size(VECTOR)));
typedef INDEX NAME(mask) __attribute__((vector_size(VECTOR)));
typedef struct NAME(cell) {
  NAME(lanes) re;
#if COMPLEX
  NAME(lanes) im;
#endif
} NAME(cell);
#define CELL NAME(cell)
#define SELECT(m, x, y) ((NAME(lanes))(((NAME(mask))(x) & (m)) | ((NAME(mask))(y) & ~(m))))
#define SIZE(x) ((NAME(lanes))((NAME(mask))(x) & (NAME(mask))ABOVE_SIGN))
#define ABOVE_SIGN ((NAME(mask)){ 0 } + (INDEX)((~(uint64_t)0 >> 1) >> (64 - 8 * sizeof(X))))
#if COMPLEX
#define WEIGHT(z) (SIZE((z).re) + SIZE((z).im))
#define LESS(a, l, u)                            \
  do {                                           \
    (a).re -= (l).re * (u).re - (l).im * (u).im; \
    (a).im -= (l).re * (u).im + (l).im * (u).re; \
  } while (0)
#else
#define WEIGHT(z) SIZE((z).re)
#define LESS(a, l, u) ((a).re -= (l).re * (u).re)
#endif

/* a / b; complex ones by Smith's algorithm. */
static inline __attribute__((always_inline)) void NAME(divide)(CELL *a, const CELL *b) {
#if COMPLEX
  NAME(mask) wide = SIZE(b->re) >= SIZE(b->im);
  NAME(lanes) p = SELECT(wide, b->re, b->im), q = SELECT(wide, b->im, b->re), r = q / p, d = p + q * r;
  NAME(lanes) x = SELECT(wide, a->re, a->im), y = SELECT(wide, a->im, a->re);
  a->re = (x + y * r) / d;
  a->im = SELECT(wide, y - x * r, x * r - y) / d;
#else
  a->re /= b->re;
#endif
}

/* Elements (i, j) of `live` matrices, from or to the cells of rows of `columns`; steps in bytes. */
static void NAME(load)(CELL *to, const char *from, int live, int rows, int columns, int64_t step, int64_t row,
                       int64_t column) {
  if (live < LANES) memset(to, 0, (size_t)rows * (size_t)columns * sizeof *to);
  for (int lane = 0; lane < live; lane++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++) {
        const X *x = (const X *)(const void *)(from + lane * step + i * row + j * column);
        X *cell = (X *)&to[i * columns + j] + lane;
        cell[0] = x[0];
        if (COMPLEX) cell[LANES] = x[1];
      }
}

static void NAME(store)(const CELL *from, char *to, int live, int rows, int columns, int64_t step, int64_t row,
                        int64_t column) {
  for (int lane = 0; lane < live; lane++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++) {
        X *x = (X *)(void *)(to + lane * step + i * row + j * column);
        const X *cell = (const X *)&from[i * columns + j] + lane;
        x[0] = cell[0];
        if (COMPLEX) x[1] = cell[LANES];
      }
}

/* Exchanges row k with row (*at)[lane] in each lane. In `few`, bit i is set if some lane has row i. */
static inline __attribute__((always_inline)) void NAME(exchange)(CELL *a, int columns, int k, const NAME(mask) * at,
                                                                 uint32_t few) {
  for (few &= ~(UINT32_C(1) << k); few; few &= few - 1) {
    int i = __builtin_ctz(few);
    NAME(mask) here = *at == (INDEX)i;
    for (int j = 0; j < columns; j++) {
      CELL x = a[k * columns + j], y = a[i * columns + j];
      a[k * columns + j].re = SELECT(here, y.re, x.re);
      a[i * columns + j].re = SELECT(here, x.re, y.re);
#if COMPLEX
      a[k * columns + j].im = SELECT(here, y.im, x.im);
      a[i * columns + j].im = SELECT(here, x.im, y.im);
#endif
    }
  }
}

/* Does what LAPACK's getrf does, in rows of cells: pivot[k] is the row, from 0, with which row k is exchanged. */
FOR_AVX512 static void NAME(factor)(CELL *a, int m, int n, NAME(mask) * pivot, uint32_t *few, NAME(mask) * failed) {
  NAME(mask) wrong = { 0 };
  for (int k = 0; k < m && k < n; k++) {
    NAME(lanes) best = { 0 }, one = best + 1;
    NAME(mask) at = { 0 };
    at += (INDEX)k;
    for (int i = k; i < m; i++) {
      NAME(lanes) size = WEIGHT(a[i * n + k]);
      size = SELECT(size == size, size, best + (X)INFINITY); /* NaN spreads as a pivot */
      NAME(mask) more = size > best;
      best = SELECT(more, size, best);
      at = (more & ((NAME(mask)){ 0 } + (INDEX)i)) | (~more & at);
    }
    few[k] = 0;
    for (int lane = 0; lane < LANES; lane++) few[k] |= UINT32_C(1) << at[lane];
    pivot[k] = at;
    NAME(exchange)(a, n, k, &at, few[k]);
    NAME(mask) none = best == 0;
    wrong |= none & (NAME(mask))(wrong == 0) & ((NAME(mask)){ 0 } + (INDEX)(k + 1));
    CELL by = a[k * n + k];
    by.re = SELECT(none, one, by.re);
    for (int i = k + 1; i < m; i++) {
      CELL factor = a[i * n + k];
      NAME(divide)(&factor, &by);
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; j++) LESS(a[i * n + j], factor, a[k * n + j]);
    }
  }
  *failed = wrong;
}

/* Replaces b by a^-1 b, where `a` has the factors. Rows of b have `right` cells. */
FOR_AVX512 static void NAME(substitute)(const CELL *a, int n, CELL *b, int right, const NAME(mask) * pivot,
                                        const uint32_t *few) {
  for (int k = 0; k < n; k++) NAME(exchange)(b, right, k, &pivot[k], few[k]);
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++)
      for (int c = 0; c < right; c++) LESS(b[i * right + c], a[i * n + k], b[k * right + c]);
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      for (int c = 0; c < right; c++) LESS(b[i * right + c], a[i * n + k], b[k * right + c]);
    for (int c = 0; c < right; c++) NAME(divide)(&b[i * right + c], &a[i * n + i]);
  }
}

static void NAME(solve)(const ma_linalg_systems *s, int64_t first, int live, void *memory) {
  int n = (int)s->rows;
  CELL *a = memory, *b = a + n * n;
  NAME(mask) pivot[MA_LINALG_SMALL], failed;
  uint32_t few[MA_LINALG_SMALL];
  NAME(load)(a, (const char *)s->data[1] + first * s->step[1], live, n, n, s->step[1], s->row[1], s->column[1]);
  NAME(factor)(a, n, n, pivot, few, &failed);
  for (int lane = 0; lane < live; lane++) s->info[first + lane] = (int32_t)failed[lane];
  for (int64_t c = 0; c < s->right; c += RIGHT) {
    int right = s->right - c < RIGHT ? (int)(s->right - c) : RIGHT;
    NAME(load)
    (b, (const char *)s->data[2] + first * s->step[2] + c * s->column[2], live, n, right, s->step[2], s->row[2],
     s->column[2]);
    NAME(substitute)(a, n, b, right, pivot, few);
    NAME(store)
    (b, (char *)s->data[0] + first * s->step[0] + c * s->column[0], live, n, right, s->step[0], s->row[0],
     s->column[0]);
  }
}

static void NAME(lu)(const ma_matrices *a, int64_t *positions, int32_t *info, int64_t first, int live, void *memory) {
  int m = (int)a->rows, n = (int)a->columns, least = m < n ? m : n;
  int64_t item = (int64_t)sizeof(X) << COMPLEX;
  NAME(mask) pivot[MA_LINALG_SMALL], failed;
  uint32_t few[MA_LINALG_SMALL];
  char *data = (char *)a->data + first * a->step * item;
  NAME(load)(memory, data, live, m, n, a->step * item, item, a->ld * item);
  NAME(factor)(memory, m, n, pivot, few, &failed);
  NAME(store)(memory, data, live, m, n, a->step * item, item, a->ld * item);
  for (int lane = 0; lane < live; lane++) {
    info[first + lane] = (int32_t)failed[lane];
    for (int k = 0; k < least; k++) positions[(first + lane) * least + k] = (int64_t)pivot[k][lane] + 1;
  }
}

#undef LANES
#undef CELL
#undef SELECT
#undef SIZE
#undef ABOVE_SIGN
#undef WEIGHT
#undef LESS
#undef NAME
#undef X
#undef INDEX
#undef COMPLEX
