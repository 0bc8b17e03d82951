/* window_loop.h: the loops of window_loops.c for one dtype. Defined before: T, NAMED(name), FLOATING, and LANE:
** a signed integer of T's size. */

#define BLOCK 32 /* results of a network */

#if FLOATING
#define IS_NAN(x) ((x) != (x))
#else
#define IS_NAN(x) 0
#endif

/* The least of the taps. If some are NaN, the first NaN wins. */
FOR_AVX2 static void NAMED(least)(void *to, const ma_taps *t, int64_t n) {
  T *restrict r = to;
  for (int k = 0; k < t->n; k++) {
    const T *restrict x = t->row[k];
    T w = t->weight ? (T)t->weight[k] : 0;
    if (k == 0)
      for (int64_t i = 0; i < n; i++) r[i] = x[i] + w;
    else if (w == 0)
      for (int64_t i = 0; i < n; i++) r[i] = r[i] <= x[i] || IS_NAN(r[i]) ? r[i] : x[i];
    else
      for (int64_t i = 0; i < n; i++) {
        T y = x[i] + w;
        r[i] = r[i] <= y || IS_NAN(r[i]) ? r[i] : y;
      }
  }
}

FOR_AVX2 static void NAMED(greatest)(void *to, const ma_taps *t, int64_t n) {
  T *restrict r = to;
  for (int k = 0; k < t->n; k++) {
    const T *restrict x = t->row[k];
    T w = t->weight ? (T)t->weight[k] : 0;
    if (k == 0)
      for (int64_t i = 0; i < n; i++) r[i] = x[i] + w;
    else if (w == 0)
      for (int64_t i = 0; i < n; i++) r[i] = r[i] >= x[i] || IS_NAN(r[i]) ? r[i] : x[i];
    else
      for (int64_t i = 0; i < n; i++) {
        T y = x[i] + w;
        r[i] = r[i] >= y || IS_NAN(r[i]) ? r[i] : y;
      }
  }
}

/* ==== Ranks ======================================================================================================= */

#define SORTED(a, b) ((a) < (b) || IS_NAN(b)) /* NaN is the greatest */

/* gcc makes no vectors of a loop over two rows by itself, so it is written with vectors. */
typedef T NAMED(vector) __attribute__((vector_size(32)));
typedef LANE NAMED(mask) __attribute__((vector_size(32)));
#define VECTORS (int)(BLOCK * sizeof(T) / sizeof(NAMED(vector)))

/* Sorts BLOCK results at once. `nan` says that some windows have a NaN. */
static inline __attribute__((always_inline)) void NAMED(sort_block)(NAMED(vector) w[][BLOCK * sizeof(T) / 32],
                                                                    const ma_network *net, int nan) {
  for (int k = 0; k < net->ncomparator; k++) {
    ma_comparator c = net->comparator[k];
    NAMED(vector) *a = w[c.low], *b = w[c.high];
    for (int i = 0; i < VECTORS; i++) {
      NAMED(vector) x = a[i], y = b[i];
      NAMED(mask) right = x < y;
#if FLOATING
      if (nan) right |= y != y;
#endif
      NAMED(mask) change = ((NAMED(mask))x ^ (NAMED(mask))y) & right;
      if (c.keep & 1) a[i] = (NAMED(vector))((NAMED(mask))y ^ change);
      if (c.keep & 2) b[i] = (NAMED(vector))((NAMED(mask))x ^ change);
    }
  }
}

FOR_AVX2 static void NAMED(by_network)(T *r, const ma_taps *t, int64_t n) {
  _Alignas(64) NAMED(vector) wire[MA_NETWORK_MOST][BLOCK * sizeof(T) / 32];
  T(*w)[BLOCK] = (T(*)[BLOCK])wire;
  for (int64_t j = 0; j < n; j += BLOCK) {
    int m = n - j < BLOCK ? (int)(n - j) : BLOCK, nan = 0;
#if FLOATING
    NAMED(mask) none = { 0 };
#endif
    for (int k = 0; k < t->n; k++) {
      const T *x = (const T *)t->row[k] + j;
      if (m == BLOCK) memcpy(w[k], x, sizeof w[k]);
      else
        for (int i = 0; i < BLOCK; i++) w[k][i] = i < m ? x[i] : 0;
#if FLOATING
      for (int i = 0; i < VECTORS; i++) none |= wire[k][i] != wire[k][i];
#endif
    }
#if FLOATING
    for (int i = 0; i < (int)(32 / sizeof(T)); i++) nan |= none[i] != 0;
#endif
    if (nan) NAMED(sort_block)(wire, t->network, 1);
    else NAMED(sort_block)(wire, t->network, 0);
    memcpy(r + j, w[t->network->rank], (size_t)m * sizeof(T));
  }
}

static T NAMED(select)(T *x, int64_t n, int64_t rank) {
  int64_t lo = 0, hi = n - 1;
  while (lo < hi) {
    T pivot = x[lo + (hi - lo) / 2];
    int64_t i = lo, j = hi;
    while (i <= j) {
      while (SORTED(x[i], pivot) && !(IS_NAN(x[i]) && IS_NAN(pivot))) i++;
      while (SORTED(pivot, x[j]) && !(IS_NAN(x[j]) && IS_NAN(pivot))) j--;
      if (i <= j) {
        T y = x[i];
        x[i++] = x[j];
        x[j--] = y;
      }
    }
    if (rank <= j) hi = j;
    else if (rank >= i) lo = i;
    else break;
  }
  return x[rank];
}

static void NAMED(ranked)(void *to, const ma_taps *t, int64_t n) {
  T *r = to, *x = t->scratch;
  if (t->network) {
    NAMED(by_network)(r, t, n);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    for (int k = 0; k < t->n; k++) x[k] = ((const T *)t->row[k])[i];
    r[i] = NAMED(select)(x, t->n, t->rank);
  }
}

/* ==== Sums of products ============================================================================================ */

#if FLOATING
/* Adds several taps at once, in their order, so that a sum stays in its register. */
FOR_AVX2 static void NAMED(in_order)(T *restrict r, const ma_taps *t, int64_t n) {
  int k = 0;
  for (int64_t i = 0; i < n; i++) r[i] = 0;
  for (; k + 4 <= t->n; k += 4) {
    const T *x0 = t->row[k], *x1 = t->row[k + 1], *x2 = t->row[k + 2], *x3 = t->row[k + 3];
    T w0 = (T)t->weight[k], w1 = (T)t->weight[k + 1], w2 = (T)t->weight[k + 2], w3 = (T)t->weight[k + 3];
    for (int64_t i = 0; i < n; i++) r[i] = r[i] + x0[i] * w0 + x1[i] * w1 + x2[i] * w2 + x3[i] * w3;
  }
  for (; k < t->n; k++) {
    const T *x = t->row[k];
    T w = (T)t->weight[k];
    for (int64_t i = 0; i < n; i++) r[i] += x[i] * w;
  }
}

FOR_AVX2 static void NAMED(in_pairs)(T *restrict r, const ma_taps *t, int64_t n) {
  int half = t->n / 2, last = t->n - 1, k = 0;
  const T *middle = t->row[half];
  T w = (T)t->weight[half];
  for (int64_t i = 0; i < n; i++) r[i] = middle[i] * w;
  for (; k + 2 <= half; k += 2) {
    const T *x0 = t->row[k], *y0 = t->row[last - k], *x1 = t->row[k + 1], *y1 = t->row[last - k - 1];
    T w0 = (T)t->weight[k], w1 = (T)t->weight[k + 1];
    if (t->symmetry > 0)
      for (int64_t i = 0; i < n; i++) r[i] = r[i] + (x0[i] + y0[i]) * w0 + (x1[i] + y1[i]) * w1;
    else
      for (int64_t i = 0; i < n; i++) r[i] = r[i] + (x0[i] - y0[i]) * w0 + (x1[i] - y1[i]) * w1;
  }
  for (; k < half; k++) {
    const T *x = t->row[k], *y = t->row[last - k];
    w = (T)t->weight[k];
    if (t->symmetry > 0)
      for (int64_t i = 0; i < n; i++) r[i] += (x[i] + y[i]) * w;
    else
      for (int64_t i = 0; i < n; i++) r[i] += (x[i] - y[i]) * w;
  }
}

static void NAMED(correlate)(void *to, const ma_taps *t, int64_t n) {
  if (t->symmetry) NAMED(in_pairs)(to, t, n);
  else NAMED(in_order)(to, t, n);
}
#endif

#undef BLOCK
#undef VECTORS
#undef IS_NAN
#undef SORTED
#undef T
#undef NAMED
#undef FLOATING
#undef LANE
