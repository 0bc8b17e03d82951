/*
** chirp.c: transforms of rows whose length has a large prime factor p. FFTW would compute one through a transform of p
** - 1 elements, which is slow where p - 1 has a large prime factor too. Bluestein (1970): since 2 j k = j^2 + k^2 - (k
** - j)^2, the transform is a convolution with a chirp, exp(i pi k^2 / n). A convolution is two transforms of a length
** with small factors. An even number of reals is transformed as half as many pairs of them (Cooley, Lewis and Welch,
** 1970).
*/
#include "cpu/cpu.h"
#include "cpu/library/library.h"
#include "tuning.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

struct ma_chirp {
  int64_t n, m; /* n: of the row's elements, or of their pairs */
  bool single, paired;
  void *plan[2];          /* FFTW's, of m elements in place: forward and back */
  void *turns, *spectrum; /* exp(-i pi k^2 / n) for k = 0 .. n - 1; the transform of the chirp, over m */
  void *twist;            /* of pairs: exp(-i pi k / n) for k = 0 .. n */
};

#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define REAL float
#define SUFFIX f4
#include "cpu/library/chirp_loops.h"
#define REAL double
#define SUFFIX f8
#include "cpu/library/chirp_loops.h"

static int64_t greatest_prime(int64_t n) {
  for (int64_t p = 2; p * p <= n; p++)
    while (n % p == 0 && n > p) n /= p;
  return n;
}

bool ma_cpu_chirp_suits(const ma_fft *fft) {
  int64_t n = fft->n[fft->rank - 1];
  if (n < TUNE_CHIRP_LENGTH || n > INT32_MAX) return false;
  int64_t p = greatest_prime(n);
  return p >= TUNE_CHIRP_PRIME && greatest_prime(p - 1) >= TUNE_CHIRP_WITHIN;
}

/* The least number from n on whose prime factors are 2, 3 and 5. */
static int64_t fast_length(int64_t n) {
  int64_t best = INT64_MAX;
  for (int64_t five = 1; five < 5 * n; five *= 5)
    for (int64_t three = five; three < 3 * n; three *= 3) {
      int64_t length = three;
      while (length < n) length *= 2;
      if (length < best) best = length;
    }
  return best;
}

void ma_cpu_chirp_free(ma_chirp *c) {
  if (!c) return;
  for (int k = 0; k < 2; k++)
    if (c->plan[k]) (c->single ? ma_cl.destroy_planf : ma_cl.destroy_plan)(c->plan[k]);
  free(c->turns);
  free(c->spectrum);
  free(c->twist);
  free(c);
}

/* Makes the plan. The caller sees to it that nobody else plans meanwhile. */
ma_status ma_cpu_chirp_new(const ma_fft *fft, bool single, ma_chirp **made) {
  static _Alignas(64) ma_c128 place[4];
  size_t pair = single ? 8 : 16;
  ma_chirp *c = calloc(1, sizeof *c);
  *made = NULL;
  if (!c) return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a plan");
  c->n = fft->n[fft->rank - 1];
  c->paired = fft->kind != MA_FFT_COMPLEX && c->n % 2 == 0;
  if (c->paired) c->n /= 2;
  c->m = fast_length(2 * c->n - 1);
  c->single = single;
  ma_fftw_dim dim = { (ptrdiff_t)c->m, 1, 1 };
  for (int k = 0; k < 2; k++)
    c->plan[k] = (single ? ma_cl.plan_c2cf : ma_cl.plan_c2c)(1, &dim, 0, NULL, place, place, k ? 1 : -1, 1 << 6);
  c->turns = malloc((size_t)c->n * pair);
  if (posix_memalign(&c->spectrum, 64, (size_t)c->m * pair) != 0) c->spectrum = NULL;
  if (c->paired) c->twist = malloc((size_t)(c->n + 1) * pair);
  if (!c->turns || !c->spectrum || (c->paired && !c->twist) || !c->plan[0] || !c->plan[1]) {
    ma_cpu_chirp_free(c);
    return ma_fail(MA_ERR_MEMORY, "out of memory: no host memory for a plan of %lld elements",
                   (long long)fft->n[fft->rank - 1]);
  }
  if (single) prepare_f4(c);
  else prepare_f8(c);
  *made = c;
  return MA_OK;
}

ma_status ma_cpu_chirp_run(const ma_chirp *c, const ma_fft *fft, const void *from, void *to) {
  void *work;
  size_t bytes = (size_t)c->m * (c->single ? 8 : 16);
  if (posix_memalign(&work, 64, bytes) != 0)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a row of a transform", bytes);
  if (c->single) row_f4(c, fft, from, to, work);
  else row_f8(c, fft, from, to, work);
  free(work);
  return MA_OK;
}
