/*
** whole.c: transforms of real elements with all terms. FFTW computes the first n / 2 + 1 of each row; the others are
** conjugates of terms of the row at the opposite place. Where the exponent has the sign +, all are conjugated.
*/
#include "cpu/library/library.h"

/* The number of the row that is opposite to `row` along all axes before the last one. */
static int64_t opposite(const ma_fft *fft, int64_t row) {
  int64_t other = 0, step = 1;
  for (int d = fft->rank - 2; d >= 0; d--) {
    int64_t n = fft->n[d], at = row % n;
    other += (at ? n - at : 0) * step;
    step *= n;
    row /= n;
  }
  return other;
}

#define FILL(suffix, pair)                                                                      \
  static void fill_##suffix(pair *to, const pair *from, int64_t n, bool inverse) {              \
    if (inverse) {                                                                              \
      for (int64_t k = 1; k <= (n - 1) / 2; k++) to[n - k] = from[k];                           \
    } else {                                                                                    \
      for (int64_t k = 1; k <= (n - 1) / 2; k++) to[n - k] = (pair){ from[k].re, -from[k].im }; \
    }                                                                                           \
  }                                                                                             \
  static void conjugate_##suffix(pair *row, int64_t n) {                                        \
    for (int64_t k = 0; k <= n / 2; k++) row[k].im = -row[k].im;                                \
  }
FILL(f4, ma_c64)
FILL(f8, ma_c128)

void ma_cpu_fft_fill(const ma_fft *fft, void *terms) {
  int64_t n = fft->n[fft->rank - 1], rows = 1;
  for (int d = 0; d < fft->rank - 1; d++) rows *= fft->n[d];
  for (int64_t row = 0; row < rows; row++) {
    int64_t from = opposite(fft, row);
    if (fft->dtype == MA_COMPLEX128) fill_f8((ma_c128 *)terms + row * n, (ma_c128 *)terms + from * n, n, fft->inverse);
    else fill_f4((ma_c64 *)terms + row * n, (ma_c64 *)terms + from * n, n, fft->inverse);
  }
  for (int64_t row = 0; row < rows && fft->inverse; row++) {
    if (fft->dtype == MA_COMPLEX128) conjugate_f8((ma_c128 *)terms + row * n, n);
    else conjugate_f4((ma_c64 *)terms + row * n, n);
  }
}
