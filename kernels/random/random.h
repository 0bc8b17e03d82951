/*
** random.h: random numbers as C11 and as CUDA C++, with the same bits on both devices: Philox4x32-10, which is a
** function of the seed, the draw's number and a place; and uniform, integer, normal and other numbers from its words.
**
** Block k of a draw, four words of 32 bits, has the counter (k / 65536, attempt, k % 65536, draw) and the seed as key.
** uniform, normal and integers use a block for neighbouring elements. In the other distributions element i uses the
** blocks i of attempts 0, 1, 2 ... log, exp and the like are implemented here with multiplications, additions and
** explicit fma, which round in the same way everywhere.
*/
#ifndef MOONARRAY_RANDOM_BITS_H
#define MOONARRAY_RANDOM_BITS_H

#ifndef __cplusplus
#include "kernels/scalar.h"
#endif

#define MA_RANDOM_ROUNDS 24   /* rounds of a permutation */
#define MA_RANDOM_ATTEMPTS 64 /* attempts for a bounded integer; each fails in less than half of the cases */

typedef struct ma_words {
  uint32_t x, y, z, w;
} ma_words;

/* Parameters of a kernel, with the same layout on both sides. */
typedef struct ma_random_job {
  void *data;
  int64_t n;
  uint64_t key;
  /* integers: low .. low + span - 1; 0 stands for 2^64; words below the threshold are drawn again */
  uint64_t span, threshold;
  int64_t low;
  int64_t count; /* permutation: of 0 .. count - 1; choice: entries in the table */
  double param[3];
  const double *array[3]; /* in place of param: a number for each element */
  const double *table;    /* choice: running sums of the weights */
  uint32_t draw, bits;    /* bits: of the domain of a permutation */
  uint32_t attempt;       /* the first one: 0, but for the later turns of a loop (element.h) */
  uint32_t round[MA_RANDOM_ROUNDS];
  /* In a graph: the cell with the key and the first draw, from which `draw` counts. NULL: `key` and `draw` are used. */
  const struct ma_random_cell *cell;
} ma_random_job;

typedef struct ma_random_cell {
  uint64_t key;
  uint32_t draw, unused;
} ma_random_cell;

/* ==== Words ====================================================================================================== */

/* Multiplies two words of 32 bits. With 64-bit factors, NVRTC would also add upper halves that are 0. */
MA_FN uint64_t ma_product(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  uint64_t product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
#else
  return (uint64_t)a * b;
#endif
}

/* The first two rounds of a block, in two parts: one depends only on the lower 16 bits of its number, the other on the
** rest. Many blocks share either part. */
typedef struct ma_near_part {
  uint32_t x, z, w;
} ma_near_part;
typedef struct ma_away_part {
  uint32_t x, y, z;
} ma_away_part;

MA_FN ma_near_part ma_philox_near(uint64_t key, uint32_t lower, uint32_t attempt) {
  ma_near_part n;
  uint64_t q = ma_product(0xCD9E8D57u, lower),
           p = ma_product(0xD2511F53u, (uint32_t)(q >> 32) ^ attempt ^ (uint32_t)key);
  n.x = (uint32_t)q ^ ((uint32_t)key + 0x9E3779B9u);
  n.z = (uint32_t)(p >> 32) ^ ((uint32_t)(key >> 32) + 0xBB67AE85u);
  n.w = (uint32_t)p;
  return n;
}

MA_FN ma_away_part ma_philox_away(uint64_t key, uint32_t upper, uint32_t draw) {
  ma_away_part a;
  uint64_t p = ma_product(0xD2511F53u, upper),
           q = ma_product(0xCD9E8D57u, (uint32_t)(p >> 32) ^ draw ^ (uint32_t)(key >> 32));
  a.x = (uint32_t)(q >> 32);
  a.y = (uint32_t)q;
  a.z = (uint32_t)p;
  return a;
}

MA_FN ma_words ma_philox_rest(uint64_t key, ma_near_part near, ma_away_part away) {
  uint32_t k0 = (uint32_t)key + 2 * 0x9E3779B9u, k1 = (uint32_t)(key >> 32) + 2 * 0xBB67AE85u;
  uint32_t x = away.x ^ near.x, y = away.y, z = away.z ^ near.z, w = near.w;
#define MA_PHILOX_ROUND                                                      \
  {                                                                          \
    uint64_t p = ma_product(0xD2511F53u, x), q = ma_product(0xCD9E8D57u, z); \
    x = (uint32_t)(q >> 32) ^ y ^ k0;                                        \
    y = (uint32_t)q;                                                         \
    z = (uint32_t)(p >> 32) ^ w ^ k1;                                        \
    w = (uint32_t)p;                                                         \
    k0 += 0x9E3779B9u;                                                       \
    k1 += 0xBB67AE85u;                                                       \
  }
  MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND
    MA_PHILOX_ROUND
#undef MA_PHILOX_ROUND
      ma_words r;
  r.x = x;
  r.y = y;
  r.z = z;
  r.w = w;
  return r;
}

MA_FN ma_words ma_philox(uint64_t key, uint64_t block, uint32_t attempt, uint32_t draw) {
  return ma_philox_rest(key, ma_philox_near(key, (uint32_t)block & 65535, attempt),
                        ma_philox_away(key, (uint32_t)(block >> 16), draw));
}

/* Makes the round keys of a permutation. */
MA_FN void ma_random_rounds(ma_random_job *job) {
  for (uint32_t k = 0; k < MA_RANDOM_ROUNDS; k += 4) {
    ma_words w = ma_philox(job->key, k / 4, 0, job->draw);
    job->round[k] = w.x;
    job->round[k + 1] = w.y;
    job->round[k + 2] = w.z;
    job->round[k + 3] = w.w;
  }
}

/* The job with the contents of its cell, if it belongs to a graph. */
MA_FN ma_random_job ma_random_placed(ma_random_job job) {
  job.key = job.cell->key;
  job.draw += job.cell->draw;
  if (job.bits) ma_random_rounds(&job);
  return job;
}

#ifdef __cplusplus
#define MA_CALLED static __device__ __noinline__
#define MA_FAR MA_CALLED /* large, but on the CPU it is compiled for each instruction set */
MA_FN uint64_t ma_bits8(double x) { return (uint64_t)__double_as_longlong(x); }
MA_FN double ma_from_bits8(uint64_t u) { return __longlong_as_double((long long)u); }
MA_FN uint64_t ma_high64(uint64_t x, uint64_t y) { return __umul64hi(x, y); }
#define ma_fmaf(x, y, z) fmaf(x, y, z)
#define ma_fma(x, y, z) fma(x, y, z)
#else
#define MA_CALLED static __attribute__((noinline, unused))
#define MA_FAR MA_FN
MA_FN uint64_t ma_bits8(double x) {
  uint64_t u;
  memcpy(&u, &x, 8);
  return u;
}
MA_FN double ma_from_bits8(uint64_t u) {
  double x;
  memcpy(&x, &u, 8);
  return x;
}
MA_FN uint64_t ma_high64(uint64_t x, uint64_t y) { return (uint64_t)((unsigned __int128)x * y >> 64); }
#define ma_fmaf(x, y, z) __builtin_fmaf(x, y, z)
#define ma_fma(x, y, z) __builtin_fma(x, y, z)
#endif

/* A function that is not inlined, because many draws call it. */
MA_CALLED ma_words ma_philox_far(uint64_t key, uint64_t block, uint32_t attempt, uint32_t draw) {
  return ma_philox(key, block, attempt, draw);
}

/* ==== Mathematics that rounds in the same way everywhere ========================================================== */

/* The square root of x, 2^-71 <= x < 2^43, without the test for numbers that the approximate root cannot start from. */
MA_FN float ma_root_f(float x) {
#ifdef __CUDA_ARCH__
  float s;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"(x));
  float y = x * s;
  return fmaf(fmaf(-y, y, x), 0.5f * s, y);
#else
  return ma_sqrt(x);
#endif
}

/* log x for normal x > 0. */
MA_FN double ma_log_d(double x) {
  /* The exponent + 1023, for a mantissa from sqrt(1/2) on. */
  uint64_t b = ma_bits8(x), e = (b + 0x00095f6200000000u) >> 52;
  double k = ma_from_bits8(0x4330000000000000u | e) - 4503599627371519.0; /* 2^52 + 1023 */
  double f = ma_from_bits8(b - (e << 52) + 0x3ff0000000000000u) - 1.0;
  double h = 0.5 * f * f, s = f / (2.0 + f), z = s * s, p = 1.479819860511658591e-01;
  p = ma_fma(p, z, 1.531383769920937332e-01);
  p = ma_fma(p, z, 1.818357216161805012e-01);
  p = ma_fma(p, z, 2.222219843214978396e-01);
  p = ma_fma(p, z, 2.857142874366239149e-01);
  p = ma_fma(p, z, 3.999999999940941908e-01);
  p = ma_fma(p, z, 6.666666666666735130e-01);
  return ma_fma(k, 6.93147180369123816490e-01, f - (h - ma_fma(s, ma_fma(p, z, h), k * 1.90821492927058770002e-10)));
}

/* sin and cos of x, |x| <= pi / 4. */
MA_FN double ma_sin_d(double x) {
  double z = x * x, p = 1.58969099521155010221e-10;
  p = ma_fma(p, z, -2.50507602534068634195e-08);
  p = ma_fma(p, z, 2.75573137070700676789e-06);
  p = ma_fma(p, z, -1.98412698298579493134e-04);
  p = ma_fma(p, z, 8.33333333332248946124e-03);
  p = ma_fma(p, z, -1.66666666666666324348e-01);
  return ma_fma(p, z * x, x);
}

MA_FN double ma_cos_d(double x) {
  double z = x * x, p = -1.13596475577881948265e-11;
  p = ma_fma(p, z, 2.08757232129817482790e-09);
  p = ma_fma(p, z, -2.75573143513906633035e-07);
  p = ma_fma(p, z, 2.48015872894767294178e-05);
  p = ma_fma(p, z, -1.38888888888741095749e-03);
  p = ma_fma(p, z, 4.16666666666666019037e-02);
  return ma_fma(p, z * z, ma_fma(-0.5, z, 1.0));
}

/* ==== Numbers from words ========================================================================================== */

/* In [0, 1), with 24 bits, or fewer for a dtype with fewer, so that no number is rounded up to 1. */
MA_FN float ma_uniform_f(uint32_t w, int bits) {
  return (float)(int32_t)(w >> (32 - bits)) * ma_from_bits((uint32_t)(127 - bits) << 23);
}

MA_FN double ma_uniform_d(uint32_t high, uint32_t low) {
  return ma_fma((double)(int32_t)(high >> 5), 67108864.0, (double)(int32_t)(low >> 6)) * (1.0 / 9007199254740992.0);
}

/*
** Two normal numbers from two words, by Box and Muller. The first word gives the radius and its sign, the second an
** angle of y pi, at most half a turn. The radius is by -2 log (m / 2^31) = -2 k log 2 + f P(f), where m / 2^31 = 2^k (1
** + f); adding 2^-25 keeps it from 0. The relative errors of the polynomials are below 2e-7.
*/
MA_FN void ma_normals_f(uint32_t u, uint32_t v, float *first, float *second) {
  uint32_t t = ma_bits(ma_absolute((float)(int32_t)u) + 0.5f) - 0x4eb504f3u, k = t & 0xff800000u;
  float f = ma_from_bits(t - k + 0x3f3504f3u) - 1.0f, y = (float)(int32_t)v * 0x1p-32f, z = y * y, p = 0.20213768f,
        s = 0.077560388f, c = 0.0060288124f;
  p = ma_fmaf(p, f, -0.3244515f);
  p = ma_fmaf(p, f, 0.34501663f);
  p = ma_fmaf(p, f, -0.3980033f);
  p = ma_fmaf(p, f, 0.49939817f);
  p = ma_fmaf(p, f, -0.6667012f);
  p = ma_fmaf(p, f, 1.0000073f);
  p = ma_fmaf(p, f, -1.9999999f);
  float r = ma_root_f(ma_fmaf((float)(int32_t)k, -1.6525917e-7f, ma_fmaf(p, f, 0x1p-25f)));
  r = ma_from_bits(ma_bits(r) ^ (u & 0x80000000u));
  s = ma_fmaf(s, z, -0.5982421f);
  s = ma_fmaf(s, z, 2.5500698f);
  s = ma_fmaf(s, z, -5.16771f);
  s = ma_fmaf(s, z, 3.1415927f);
  c = ma_fmaf(c, z, -0.05718024f);
  c = ma_fmaf(c, z, 0.31949684f);
  c = ma_fmaf(c, z, -0.934802f);
  c = ma_fmaf(c, z, 1.0f);
  *first = r * (c * ma_fmaf(-4.0f, z, 1.0f));
  *second = r * (s * y);
}

/* The same from four words. */
MA_FN void ma_normals_d(ma_words w, double *first, double *second) {
  uint64_t n = ((uint64_t)w.x << 32 | w.y) >> 12;
  double r = ma_sqrt(-2.0 * ma_log_d(ma_from_bits8(0x3ff0000000000000u | n) - (1.0 - 0x1p-53)));
  uint32_t q = (w.z + 0x20000000u) >> 30;
  double t = ma_fma((double)(int32_t)(w.w >> 1), 0x1p-61, (double)(int32_t)(w.z - (q << 30)) * 0x1p-30);
  double x = t * 1.57079632679489661923, s = ma_sin_d(x), c = ma_cos_d(x);
  uint64_t swap = 0u - (uint64_t)(q & 1), a = ma_bits8(s), b = ma_bits8(c), other = (a ^ b) & swap;
  *first = r * ma_from_bits8((b ^ other) ^ (uint64_t)((q + 1) & 2) << 62);
  *second = r * ma_from_bits8((a ^ other) ^ (uint64_t)(q & 2) << 62);
}

/* Word `place` (0 .. 3), or 64-bit word (0, 1), of a block. */
MA_FN uint32_t ma_word32(ma_words w, int place) { return place == 0 ? w.x : place == 1 ? w.y : place == 2 ? w.z : w.w; }
MA_FN uint64_t ma_word64(ma_words w, int place) {
  return place == 0 ? (uint64_t)w.y << 32 | w.x : (uint64_t)w.w << 32 | w.z;
}

/* word * span for 1 <= span <= 2^32, in one multiplication. */
MA_FN uint64_t ma_times_span(uint32_t word, uint64_t span) {
#ifdef __CUDA_ARCH__
  uint64_t m;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(m) : "r"(word), "r"((uint32_t)span - 1), "l"((uint64_t)word));
  return m;
#else
  return word * span;
#endif
}

/* A number in 0 .. span - 1 without bias (Lemire): the high half of word * span. The word is drawn again if the low
** half is among the few surplus values. */
MA_FN uint32_t ma_bounded(const ma_random_job *job, uint32_t word, uint64_t block, int place) {
  uint64_t m = (uint64_t)word * job->span;
  for (uint32_t attempt = 1; (uint32_t)m < (uint32_t)job->threshold && attempt < MA_RANDOM_ATTEMPTS; attempt++)
    m = ma_word32(ma_philox_far(job->key, block, job->attempt + attempt, job->draw), place) * job->span;
  return (uint32_t)(m >> 32);
}

MA_FN uint64_t ma_bounded64(const ma_random_job *job, uint64_t word, uint64_t block, int place) {
  if (job->span == 0) return word;
  for (uint32_t attempt = 1; word * job->span < job->threshold && attempt < MA_RANDOM_ATTEMPTS; attempt++)
    word = ma_word64(ma_philox_far(job->key, block, job->attempt + attempt, job->draw), place);
  return ma_high64(word, job->span);
}

#endif
