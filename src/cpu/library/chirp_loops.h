/*
** chirp_loops.h: a row of chirp.c in one precision. The includer defines REAL and SUFFIX, which are undefined at the
** end.
*/
#define PAIR GLUE(pair, SUFFIX)
#define NAMED(name) GLUE(name, SUFFIX)

typedef struct PAIR {
  REAL re, im;
} PAIR;

static inline PAIR NAMED(times)(PAIR a, PAIR b) {
  return (PAIR){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static void NAMED(transform)(const ma_chirp *c, bool back, void *work) {
  (c->single ? ma_cl.execute_c2cf : ma_cl.execute_c2c)(c->plan[back], work, work);
}

static void NAMED(prepare)(ma_chirp *c) {
  PAIR *t = c->turns, *b = c->spectrum;
  int64_t n = c->n, m = c->m, square = 0; /* k^2 modulo 2 n */
  for (int64_t k = 0; k < n; k++) {
    double angle = PI * (double)square / (double)n;
    t[k] = (PAIR){ (REAL)cos(angle), (REAL)-sin(angle) };
    square = (square + 2 * k + 1) % (2 * n);
  }
  PAIR *w = c->twist;
  for (int64_t k = 0; k <= n && c->paired; k++) {
    double angle = PI * (double)k / (double)n;
    w[k] = (PAIR){ (REAL)cos(angle), (REAL)-sin(angle) };
  }
  for (int64_t k = 0; k < m; k++) b[k] = (PAIR){ 0, 0 };
  for (int64_t k = 0; k < n; k++) b[k] = b[k ? m - k : 0] = (PAIR){ t[k].re, -t[k].im };
  NAMED(transform)(c, false, b);
  for (int64_t k = 0; k < m; k++) b[k] = (PAIR){ b[k].re / (REAL)m, b[k].im / (REAL)m };
}

/* Loads the row's elements in the order of their places. In a transform to reals, those behind n / 2 are conjugates of
** others. Where the exponent has the sign +, all elements are conjugated, here and in the result. */
static void NAMED(load)(const ma_chirp *c, const ma_fft *fft, const REAL *x, PAIR *work) {
  const PAIR *t = c->turns, *pairs = (const PAIR *)(const void *)x;
  int64_t n = c->n;
  REAL sign = fft->inverse ? -1 : 1;
  if (fft->kind == MA_FFT_COMPLEX) {
    for (int64_t k = 0; k < n; k++) work[k] = NAMED(times)((PAIR){ pairs[k].re, sign * pairs[k].im }, t[k]);
  } else if (fft->kind == MA_FFT_TO_REAL) {
    work[0] = NAMED(times)((PAIR){ pairs[0].re, 0 }, t[0]);
    for (int64_t k = 1; 2 * k <= n; k++) {
      PAIR a = { pairs[k].re, 2 * k < n ? pairs[k].im : 0 };
      work[k] = NAMED(times)((PAIR){ a.re, -a.im }, t[k]);
      work[n - k] = NAMED(times)(a, t[n - k]);
    }
  } else {
    for (int64_t k = 0; k < n; k++) work[k] = (PAIR){ x[k] * t[k].re, x[k] * t[k].im };
  }
  for (int64_t k = n; k < c->m; k++) work[k] = (PAIR){ 0, 0 };
}

static void NAMED(store)(const ma_chirp *c, const ma_fft *fft, const PAIR *work, REAL *y) {
  const PAIR *t = c->turns;
  PAIR *pairs = (PAIR *)(void *)y;
  int64_t n = c->n, last = fft->kind == MA_FFT_COMPLEX ? n : n / 2 + 1;
  REAL sign = fft->inverse && fft->kind == MA_FFT_COMPLEX ? -1 : 1;
  if (fft->kind == MA_FFT_TO_REAL) {
    for (int64_t k = 0; k < n; k++) y[k] = work[k].re * t[k].re - work[k].im * t[k].im;
    return;
  }
  for (int64_t k = 0; k < last; k++) {
    PAIR a = NAMED(times)(work[k], t[k]);
    pairs[k] = (PAIR){ a.re, sign * a.im };
  }
}

/* Loads pairs of reals. A transform to reals first makes the terms of the pairs' transform out of its own,
** conjugated. */
static void NAMED(load_pairs)(const ma_chirp *c, const ma_fft *fft, const PAIR *x, PAIR *work) {
  const PAIR *t = c->turns, *w = c->twist;
  int64_t n = c->n;
  if (fft->kind == MA_FFT_TO_REAL) {
    for (int64_t k = 0; k < n; k++) {
      PAIR a = { x[k].re, k ? x[k].im : 0 }, b = { x[n - k].re, k ? -x[n - k].im : 0 };
      PAIR p = NAMED(times)((PAIR){ w[k].re, -w[k].im }, (PAIR){ a.re - b.re, a.im - b.im });
      work[k] = NAMED(times)((PAIR){ a.re + b.re - p.im, -(a.im + b.im + p.re) }, t[k]);
    }
  } else {
    for (int64_t k = 0; k < n; k++) work[k] = NAMED(times)(x[k], t[k]);
  }
  for (int64_t k = n; k < c->m; k++) work[k] = (PAIR){ 0, 0 };
}

static void NAMED(store_pairs)(const ma_chirp *c, const ma_fft *fft, PAIR *work, PAIR *y) {
  const PAIR *t = c->turns, *w = c->twist;
  const REAL half = (REAL)0.5;
  int64_t n = c->n;
  for (int64_t k = 0; k < n; k++) work[k] = NAMED(times)(work[k], t[k]);
  if (fft->kind == MA_FFT_TO_REAL) {
    for (int64_t k = 0; k < n; k++) y[k] = (PAIR){ work[k].re, -work[k].im };
    return;
  }
  work[n] = work[0]; /* m > n */
  for (int64_t k = 0; k <= n; k++) {
    PAIR a = work[k], b = { work[n - k].re, -work[n - k].im };
    PAIR p = NAMED(times)(w[k], (PAIR){ half * (a.re - b.re), half * (a.im - b.im) });
    y[k] = (PAIR){ half * (a.re + b.re) + p.im, half * (a.im + b.im) - p.re };
  }
}

static void NAMED(row)(const ma_chirp *c, const ma_fft *fft, const void *from, void *to, PAIR *work) {
  const PAIR *b = c->spectrum;
  if (c->paired) NAMED(load_pairs)(c, fft, from, work);
  else NAMED(load)(c, fft, from, work);
  NAMED(transform)(c, false, work);
  for (int64_t k = 0; k < c->m; k++) work[k] = NAMED(times)(work[k], b[k]);
  NAMED(transform)(c, true, work);
  if (c->paired) NAMED(store_pairs)(c, fft, work, to);
  else NAMED(store)(c, fft, work, to);
}

#undef PAIR
#undef NAMED
#undef REAL
#undef SUFFIX
