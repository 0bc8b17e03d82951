/*
** cosine_loops.h: the rows of cosine and sine transforms for one precision. The includer defines REAL and SUFFIX, which
** are undefined at the end. `a` and `b` are memory for the inner transform's elements, x a row, y its result.
*/
#define PAIR GLUE(pair, SUFFIX)
#define NAMED(name) GLUE(name, SUFFIX)

typedef struct PAIR {
  REAL re, im;
} PAIR;

/* Puts the elements at even places first, then those at odd places backwards, multiplied by `sign`. */
FOR_AVX2 static void NAMED(fold)(REAL *restrict a, const REAL *restrict x, int64_t n, REAL sign) {
  for (int64_t i = 0; 2 * i < n; i++) a[i] = x[2 * i];
  for (int64_t i = 0; 2 * i + 1 < n; i++) a[n - 1 - i] = sign * x[2 * i + 1];
}

FOR_AVX2 static void NAMED(unfold)(REAL *restrict y, const REAL *restrict a, int64_t n, REAL scale, REAL sign) {
  for (int64_t i = 0; 2 * i < n; i++) y[2 * i] = scale * a[i];
  for (int64_t i = 0; 2 * i + 1 < n; i++) y[2 * i + 1] = sign * scale * a[n - 1 - i];
}

/* Writes the turned results upwards from y, or downwards if d is -1. */
ALWAYS static void NAMED(turn_out)(REAL *restrict y, int d, const PAIR *restrict b, const PAIR *restrict t, int64_t n,
                                   REAL scale) {
  for (int64_t k = 0; k <= n / 2; k++) y[d * k] = scale * (b[k].re * t[k].re + b[k].im * t[k].im);
  for (int64_t k = 1; k <= (n - 1) / 2; k++) y[d * (n - k)] = scale * (b[k].re * t[k].im - b[k].im * t[k].re);
}

ALWAYS static void NAMED(turn_in)(PAIR *restrict b, const REAL *restrict x, int d, const PAIR *restrict t, int64_t n) {
  for (int64_t k = 1; k <= n / 2; k++) {
    REAL u = x[d * k], v = x[d * (n - k)];
    b[k] = (PAIR){ u * t[k].re + v * t[k].im, u * t[k].im - v * t[k].re };
  }
}

ALWAYS static void NAMED(pair_in)(PAIR *restrict b, const REAL *restrict x, int d, const PAIR *restrict t, int64_t n) {
  for (int64_t k = 0; k < n / 2; k++) {
    REAL u = x[d * 2 * k], v = x[d * (n - 1 - 2 * k)];
    b[k] = (PAIR){ u * t[k].re + v * t[k].im, v * t[k].re - u * t[k].im };
  }
}

/* Writes a row of type 2. The row of a sine transform goes backwards. */
FOR_AVX2 static void NAMED(second_out)(bool sine, REAL *y, const PAIR *b, const PAIR *t, int64_t n, REAL scale) {
  if (sine) NAMED(turn_out)(y + n - 1, -1, b, t, n, scale);
  else NAMED(turn_out)(y, 1, b, t, n, scale);
}

FOR_AVX2 static void NAMED(third_in)(bool sine, PAIR *b, const REAL *x, const PAIR *t, int64_t n) {
  if (sine) NAMED(turn_in)(b, x + n - 1, -1, t, n);
  else NAMED(turn_in)(b, x, 1, t, n);
}

FOR_AVX2 static void NAMED(fourth_in)(bool sine, PAIR *b, const REAL *x, const PAIR *t, int64_t n) {
  if (sine) NAMED(pair_in)(b, x + n - 1, -1, t, n);
  else NAMED(pair_in)(b, x, 1, t, n);
}

/* Writes a row of type 4. v has the results of the inner transform. */
FOR_AVX2 static void NAMED(fourth_out)(REAL *restrict y, const PAIR *restrict v, const PAIR *restrict t, int64_t n,
                                       REAL scale, REAL sign) {
  for (int64_t k = 0; k < n / 2; k++) y[2 * k] = scale * (v[k].re * t[k].re + v[k].im * t[k].im);
  for (int64_t k = 0; k < n / 2; k++) y[n - 1 - 2 * k] = sign * (v[k].im * t[k].re - v[k].re * t[k].im);
}

static ma_status NAMED(second)(const cosine_job *j, REAL *a, REAL *b, const REAL *x, REAL *y) {
  int64_t n = j->fft->n[0];
  bool sine = j->fft->sine;
  NAMED(fold)(a, x, n, sine ? -1 : 1);
  MA_TRY(ma_cpu_fft_row(j->row, a, b));
  NAMED(second_out)(sine, y, (PAIR *)(void *)b, j->table[0], n, (REAL)(2 * j->fft->scale));
  y[sine ? n - 1 : 0] *= (REAL)j->fft->first;
  return MA_OK;
}

static ma_status NAMED(third)(const cosine_job *j, REAL *a, REAL *b, const REAL *x, REAL *y) {
  int64_t n = j->fft->n[0];
  bool sine = j->fft->sine;
  PAIR *pairs = (PAIR *)(void *)b;
  pairs[0] = (PAIR){ x[sine ? n - 1 : 0] * (REAL)j->fft->first, 0 };
  NAMED(third_in)(sine, pairs, x, j->table[0], n);
  MA_TRY(ma_cpu_fft_row(j->row, b, a));
  NAMED(unfold)(y, a, n, (REAL)j->fft->scale, sine ? -1 : 1);
  return MA_OK;
}

static ma_status NAMED(fourth)(const cosine_job *j, REAL *a, REAL *b, const REAL *x, REAL *y) {
  int64_t n = j->fft->n[0];
  REAL scale = (REAL)(2 * j->fft->scale), sign = j->fft->sine ? scale : -scale;
  NAMED(fourth_in)(j->fft->sine, (PAIR *)(void *)b, x, j->table[0], n);
  MA_TRY(ma_cpu_fft_row(j->row, b, a));
  NAMED(fourth_out)(y, (const PAIR *)(const void *)a, j->table[1], n, scale, sign);
  return MA_OK;
}

/* A row of type 1: the inner transform takes its even or odd extension. */
static ma_status NAMED(first)(const cosine_job *j, REAL *a, REAL *b, const REAL *x, REAL *y) {
  int64_t n = j->fft->n[0];
  REAL scale = (REAL)j->fft->scale, ends = (REAL)j->fft->first;
  const PAIR *v = (const PAIR *)(const void *)b;
  if (j->fft->sine) {
    a[0] = a[n + 1] = 0;
    for (int64_t i = 0; i < n; i++) a[1 + i] = x[i];
    for (int64_t i = 0; i < n; i++) a[n + 2 + i] = -x[n - 1 - i];
    MA_TRY(ma_cpu_fft_row(j->row, a, b));
    for (int64_t k = 0; k < n; k++) y[k] = -scale * v[k + 1].im;
    return MA_OK;
  }
  for (int64_t i = 0; i < n; i++) a[i] = x[i];
  for (int64_t i = 1; i < n - 1; i++) a[n - 1 + i] = x[n - 1 - i];
  a[0] *= ends;
  a[n - 1] *= ends;
  MA_TRY(ma_cpu_fft_row(j->row, a, b));
  for (int64_t k = 0; k < n; k++) y[k] = scale * v[k].re;
  y[0] /= ends;
  y[n - 1] /= ends;
  return MA_OK;
}

static ma_status NAMED(rows)(const cosine_job *j, void *a, void *b, int64_t from, int64_t end) {
  static ma_status (*const types[])(const cosine_job *, REAL *, REAL *, const REAL *,
                                    REAL *) = { NAMED(first), NAMED(second), NAMED(third), NAMED(fourth) };
  int64_t n = j->fft->n[0];
  for (int64_t i = from; i < end; i++)
    MA_TRY(types[j->fft->type - 1](j, a, b, (const REAL *)j->from + i * n, (REAL *)j->to + i * n));
  return MA_OK;
}

/* Fills t with cos and sin of first + step * k for k = 0 .. m - 1. They are products of those of 256 i and of the
** rest. */
static void NAMED(fill_table)(PAIR *t, int64_t m, double first, double step) {
  double c[256], s[256];
  for (int k = 0; k < 256; k++) {
    c[k] = cos(step * k);
    s[k] = sin(step * k);
  }
  for (int64_t i = 0; i < m; i += 256) {
    double p = cos(first + step * (double)i), q = sin(first + step * (double)i);
    for (int k = 0; k < 256 && i + k < m; k++)
      t[i + k] = (PAIR){ (REAL)(p * c[k] - q * s[k]), (REAL)(q * c[k] + p * s[k]) };
  }
}

#undef PAIR
#undef NAMED
#undef REAL
#undef SUFFIX
