/*
** random.h: random numbers as C11 and as CUDA C++, so that both devices draw the same bits: Philox4x32-10, a function of the seed, the
** draw's number and a place, and what makes of its words uniforms, integers, normals and the other distributions.
**
** Block k of a draw, four words of 32 bits, takes the counter (k / 65536, attempt, k % 65536, draw) and the seed as key. uniform,
** normal and integers spread a block over neighbouring elements; in the others element i takes the blocks i of attempts 0, 1, 2 ...
** log, exp and their kind are our own here, of multiplications, additions and explicit fma, which round alike everywhere.
*/
#ifndef MOONARRAY_RANDOM_BITS_H
#define MOONARRAY_RANDOM_BITS_H

#ifndef __cplusplus
#include "scalar.h"
#endif

#define MA_RANDOM_ROUNDS 24            /* of a permutation */
#define MA_RANDOM_ATTEMPTS 64          /* of a bounded integer: each fails in less than half of the cases */

typedef struct ma_words { uint32_t x, y, z, w; } ma_words;

/* What a kernel is given, in the same layout on both sides. */
typedef struct ma_random_job {
  void *data;
  int64_t n;
  uint64_t key;
  uint64_t span, threshold;            /* integers: low .. low + span - 1, 0 stands for 2^64; words below the threshold are drawn anew */
  int64_t low;
  int64_t count;                       /* permutation: of 0 .. count - 1; choice: entries of the table */
  double param[3];
  const double *array[3];              /* in place of param: one an element */
  const double *table;                 /* choice: running sums of the weights */
  uint32_t draw, bits;                 /* bits: of a permutation's domain */
  uint32_t round[MA_RANDOM_ROUNDS];
} ma_random_job;

/* ==== Words ====================================================================================================== */

MA_FN ma_words ma_philox(uint64_t key, uint64_t block, uint32_t attempt, uint32_t draw)
{
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  uint32_t x = (uint32_t)(block >> 16), y = attempt, z = (uint32_t)block & 65535, w = draw;
#define MA_PHILOX_ROUND { \
    uint64_t p = (uint64_t)0xD2511F53u * x, q = (uint64_t)0xCD9E8D57u * z; \
    x = (uint32_t)(q >> 32) ^ y ^ k0; \
    y = (uint32_t)q; \
    z = (uint32_t)(p >> 32) ^ w ^ k1; \
    w = (uint32_t)p; \
    k0 += 0x9E3779B9u; \
    k1 += 0xBB67AE85u; }
  MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND
  MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND MA_PHILOX_ROUND
#undef MA_PHILOX_ROUND
  ma_words r;
  r.x = x; r.y = y; r.z = z; r.w = w;
  return r;
}

#ifdef __cplusplus
#define MA_CALLED static __device__ __noinline__
#define MA_FAR MA_CALLED              /* large, but for the CPU compiled anew for each instruction set */
MA_FN uint64_t ma_bits8(double x) { return (uint64_t)__double_as_longlong(x); }
MA_FN double ma_from_bits8(uint64_t u) { return __longlong_as_double((long long)u); }
MA_FN uint64_t ma_high64(uint64_t x, uint64_t y) { return __umul64hi(x, y); }
#define ma_fmaf(x, y, z) fmaf(x, y, z)
#define ma_fma(x, y, z) fma(x, y, z)
#else
#define MA_CALLED static __attribute__((noinline, unused))
#define MA_FAR MA_FN
MA_FN uint64_t ma_bits8(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
MA_FN double ma_from_bits8(uint64_t u) { double x; memcpy(&x, &u, 8); return x; }
MA_FN uint64_t ma_high64(uint64_t x, uint64_t y) { return (uint64_t)((unsigned __int128)x * y >> 64); }
#define ma_fmaf(x, y, z) __builtin_fmaf(x, y, z)
#define ma_fma(x, y, z) __builtin_fma(x, y, z)
#endif

/* One that is called, where many draws share it. */
MA_CALLED ma_words ma_philox_far(uint64_t key, uint64_t block, uint32_t attempt, uint32_t draw) { return ma_philox(key, block, attempt, draw); }

/* ==== Mathematics that rounds alike everywhere =================================================================== */

/* log x for normal x > 0. */
MA_FN float ma_log_f(float x)
{
  uint32_t b = ma_bits(x);
  int32_t e = (int32_t)(b - 0x3f3504f3u) >> 23;
  float f = ma_from_bits(b - ((uint32_t)e << 23)) - 1.0f, k = (float)e, z = f * f, p = 7.0376836292e-2f;
  p = ma_fmaf(p, f, -1.1514610310e-1f);
  p = ma_fmaf(p, f, 1.1676998740e-1f);
  p = ma_fmaf(p, f, -1.2420140846e-1f);
  p = ma_fmaf(p, f, 1.4249322787e-1f);
  p = ma_fmaf(p, f, -1.6668057665e-1f);
  p = ma_fmaf(p, f, 2.0000714765e-1f);
  p = ma_fmaf(p, f, -2.4999993993e-1f);
  p = ma_fmaf(p, f, 3.3333331174e-1f);
  p = ma_fmaf(p * f, z, ma_fmaf(k, -2.12194440e-4f, -0.5f * z));
  return ma_fmaf(k, 0.693359375f, f + p);
}

MA_FN double ma_log_d(double x)
{
  uint64_t b = ma_bits8(x), e = (b + 0x00095f6200000000u) >> 52;       /* the exponent + 1023, of a mantissa from sqrt(1/2) on */
  double k = ma_from_bits8(0x4330000000000000u | e) - 4503599627371519.0;      /* 2^52 + 1023 */
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
MA_FN float ma_sin_f(float x)
{
  float z = x * x;
  return ma_fmaf(ma_fmaf(ma_fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f), z, -1.6666654611e-1f), z * x, x);
}

MA_FN float ma_cos_f(float x)
{
  float z = x * x;
  return ma_fmaf(ma_fmaf(ma_fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f), z, 4.166664568298827e-2f), z * z, ma_fmaf(-0.5f, z, 1.0f));
}

MA_FN double ma_sin_d(double x)
{
  double z = x * x, p = 1.58969099521155010221e-10;
  p = ma_fma(p, z, -2.50507602534068634195e-08);
  p = ma_fma(p, z, 2.75573137070700676789e-06);
  p = ma_fma(p, z, -1.98412698298579493134e-04);
  p = ma_fma(p, z, 8.33333333332248946124e-03);
  p = ma_fma(p, z, -1.66666666666666324348e-01);
  return ma_fma(p, z * x, x);
}

MA_FN double ma_cos_d(double x)
{
  double z = x * x, p = -1.13596475577881948265e-11;
  p = ma_fma(p, z, 2.08757232129817482790e-09);
  p = ma_fma(p, z, -2.75573143513906633035e-07);
  p = ma_fma(p, z, 2.48015872894767294178e-05);
  p = ma_fma(p, z, -1.38888888888741095749e-03);
  p = ma_fma(p, z, 4.16666666666666019037e-02);
  return ma_fma(p, z * z, ma_fma(-0.5, z, 1.0));
}

/* ==== From words to numbers ====================================================================================== */

/* [0, 1), of 24 bits; of fewer where the dtype has fewer, so that no number is rounded up to 1. */
MA_FN float ma_uniform_f(uint32_t w, int bits) { return (float)(int32_t)(w >> (32 - bits)) * ma_from_bits((uint32_t)(127 - bits) << 23); }

MA_FN double ma_uniform_d(uint32_t high, uint32_t low)
{
  return ma_fma((double)(int32_t)(high >> 5), 67108864.0, (double)(int32_t)(low >> 6)) * (1.0 / 9007199254740992.0);
}

/* Two normals of two words, by Box and Muller: the radius of the first, the angle of the second. */
MA_FN void ma_normals_f(uint32_t u, uint32_t v, float *first, float *second)
{
  float r = ma_sqrt(-2.0f * ma_log_f(((float)(int32_t)(u >> 1) + 0.5f) * 4.656612873077393e-10f));
  uint32_t q = (v + 0x20000000u) >> 30;
  float x = (float)(int32_t)(v - (q << 30)) * 1.4629180792671596e-9f;          /* pi / 2 / 2^30 */
  float s = ma_sin_f(x), c = ma_cos_f(x);
  uint32_t swap = 0u - (q & 1), a = ma_bits(s), b = ma_bits(c), other = (a ^ b) & swap;
  *first = r * ma_from_bits((b ^ other) ^ ((q + 1) & 2) << 30);
  *second = r * ma_from_bits((a ^ other) ^ (q & 2) << 30);
}

/* The same of four words. */
MA_FN void ma_normals_d(ma_words w, double *first, double *second)
{
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
MA_FN uint32_t ma_word(ma_words w, int place) { return place == 0 ? w.x : place == 1 ? w.y : place == 2 ? w.z : w.w; }
MA_FN uint64_t ma_word64(ma_words w, int place) { return place == 0 ? (uint64_t)w.y << 32 | w.x : (uint64_t)w.w << 32 | w.z; }

/* 0 .. span - 1 without bias: the high half of word * span, where the low half is not among the few that would be too many (Lemire). */
MA_FN uint32_t ma_bounded(const ma_random_job *job, uint32_t word, uint64_t block, int place)
{
  uint64_t m = (uint64_t)word * job->span;
  for (uint32_t attempt = 1; (uint32_t)m < (uint32_t)job->threshold && attempt < MA_RANDOM_ATTEMPTS; attempt++)
    m = ma_word(ma_philox_far(job->key, block, attempt, job->draw), place) * job->span;
  return (uint32_t)(m >> 32);
}

MA_FN uint64_t ma_bounded64(const ma_random_job *job, uint64_t word, uint64_t block, int place)
{
  if (job->span == 0) return word;
  for (uint32_t attempt = 1; word * job->span < job->threshold && attempt < MA_RANDOM_ATTEMPTS; attempt++)
    word = ma_word64(ma_philox_far(job->key, block, attempt, job->draw), place);
  return ma_high64(word, job->span);
}

#endif
