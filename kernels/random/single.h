/*
** single.h: distributions that reject nothing, in float, as C11 and as CUDA C++: what float16, bfloat16 and float32
** numbers are. Each is ma_single_<name>(w, a, b, c) of the first words of an element. Those of draws.h take the same
** words, so a number is that of float64 but for rounding. Nothing branches, so loops over these are vectorised.
*/
#ifndef MOONARRAY_SINGLE_H
#define MOONARRAY_SINGLE_H

#include "random.h"

#define MA_NAN_F (ma_from_bits(0x7fc00000u))

MA_FN float ma_choose_f(int first, float x, float y) {
#ifdef __cplusplus
  return first ? x : y;
#else
  uint32_t mask = 0u - (uint32_t)(first != 0);
  return ma_from_bits((ma_bits(x) & mask) | (ma_bits(y) & ~mask));
#endif
}

/* ==== Mathematics, to about 2e-7 of the result ==================================================================== */

/* log1p f, sqrt(1/2) - 1 <= f <= sqrt(2) - 1. */
MA_FN float ma_log1p_f(float f) {
  float p = 0.08262135f;
  p = ma_fmaf(p, f, -0.14146498f);
  p = ma_fmaf(p, f, 0.15002525f);
  p = ma_fmaf(p, f, -0.1659479f);
  p = ma_fmaf(p, f, 0.19957140f);
  p = ma_fmaf(p, f, -0.2500077f);
  p = ma_fmaf(p, f, 0.3333404f);
  p = ma_fmaf(p, f, -0.5f);
  return ma_fmaf(f * f, p, f);
}

/* A normal x > 0 is 2^(k / 2^23) (1 + f). */
MA_FN float ma_log_parts_f(float x, float *f) {
  uint32_t t = ma_bits(x) - 0x3f3504f3u, k = t & 0xff800000u;
  *f = ma_from_bits(t - k + 0x3f3504f3u) - 1.0f;
  return (float)(int32_t)k;
}

MA_FN float ma_log_of_parts_f(float k, float f) { return ma_fmaf(k, 8.2629582e-8f, ma_log1p_f(f)); } /* 2^-23 log 2 */

MA_FN float ma_log_f(float x) {
  float f, k = ma_log_parts_f(x, &f);
  return ma_log_of_parts_f(k, f);
}

/* x, or the bound that it is beyond. NaN stays NaN. */
MA_FN float ma_within_f(float x, float low, float high) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(high));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(y), "f"(low));
  return y;
#else
  return ma_choose_f(x > high, high, ma_choose_f(x < low, low, x));
#endif
}

/* exp r - 1 and k, of x = r + k log 2 that is kept to where float ends: exp x - 1 = 2^k (1 + y) - 1. */
MA_FN float ma_exp_parts_f(float x, uint32_t *k) {
  x = ma_within_f(x, -105.0f, 89.0f);
  float turns = ma_fmaf(x, 1.4426950f, 12582912.0f), whole = turns - 12582912.0f; /* rounds through 1.5 * 2^23 */
  float r = ma_fmaf(whole, -1.4286068e-6f, ma_fmaf(whole, -0.69314575f, x)), p = 0.00138355303f;
  p = ma_fmaf(p, r, 0.0083671184f);
  p = ma_fmaf(p, r, 0.041667756f);
  p = ma_fmaf(p, r, 0.16666539f);
  p = ma_fmaf(p, r, 0.49999997f);
  *k = ma_bits(turns); /* 0x4b400000 + k */
  return ma_fmaf(r * r, p, r);
}

MA_FN float ma_power_of_two_f(uint32_t k) { return ma_from_bits((127 + k) << 23); }

/* In two steps, because the power of two may exceed what a float is. */
MA_FN float ma_exp_f(float x) {
  uint32_t k, half;
  float y = ma_exp_parts_f(x, &k) + 1.0f;
  half = (k >> 1) - 0x25a00000u;
  return y * ma_power_of_two_f(half) * ma_power_of_two_f(k - 0x4b400000u - half);
}

MA_FN float ma_expm1_f(float x) { /* x >= 0 */
  uint32_t k, half;
  float y = ma_exp_parts_f(x, &k);
  half = (k >> 1) - 0x25a00000u;
  float scale = ma_power_of_two_f(k - 0x4b400000u - half);
  return (scale * y + (scale - ma_power_of_two_f(0 - half))) * ma_power_of_two_f(half);
}

/* ==== Numbers from words ========================================================================================== */

/* A uniform number u of the words of which x and y keep the upper 32 - i and 32 - j bits, and half a step. Gives the
** lesser of u and 1 - u: near both ends it has all digits. The upper bit of x says which it is. */
MA_FN float ma_lesser_f(uint32_t x, uint32_t y, int i, int j) {
  uint32_t above = 0u - (x >> 31);
  float high = (float)(int32_t)((x ^ above) >> i), low = (float)(int32_t)((y ^ above) >> j) + 0.5f;
  return ma_fmaf(high, ma_from_bits((uint32_t)(95 + i) << 23), low * ma_from_bits((uint32_t)(63 + i + j) << 23));
}

MA_FN int ma_is_above(uint32_t x) { return (int32_t)x < 0; }

/* -log of v, or where `rest` says so of 1 - v, for v up to 1/2. Near 1 the result has the digits of v. */
MA_FN float ma_minus_log_of_f(float v, int rest) {
  float f, k = ma_log_parts_f(ma_choose_f(rest, 1.0f - v, v), &f);
  return -ma_log_of_parts_f(k, ma_choose_f(k == 0, -v, f)); /* v alone has another exponent */
}

/* -log u, from 0 on. */
MA_FN float ma_minus_log_f(uint32_t x, uint32_t y, int i, int j) {
  return ma_minus_log_of_f(ma_lesser_f(x, y, i, j), ma_is_above(x));
}

/* An exponential number: -log (1 - u), of the 53 bits that ma_uniform_d takes; up to 37. */
MA_FN float ma_exponential_f(ma_words w) { return ma_minus_log_of_f(ma_lesser_f(w.x, w.y, 5, 6), !ma_is_above(w.x)); }
MA_FN float ma_minus_log_uniform_f(ma_words w) { return ma_minus_log_f(w.x, w.y, 5, 6); }

/* A number of ma_uniform_d and half a step, in (0, 1]. */
MA_FN float ma_open_f(uint32_t x, uint32_t y) {
  float v = ma_lesser_f(x, y, 5, 6);
  return ma_choose_f(ma_is_above(x), 1.0f - v, v);
}

/* The cosine and the sine of the angle of a pair of normal numbers (ma_normals_d), where their quotient is wanted. */
MA_FN void ma_turn_f(ma_words w, float *first, float *second) {
  uint32_t q = (w.z + 0x20000000u) >> 30;
  float x = ma_fmaf((float)(int32_t)(w.w >> 1), 0x1p-61f, (float)(int32_t)(w.z - (q << 30)) * 0x1p-30f) * 1.5707964f;
  float z = x * x, s = -0.00019518791f, c = 2.443067e-5f;
  s = ma_fmaf(s, z, 0.008332192f);
  s = ma_fmaf(s, z, -0.16666655f);
  s = ma_fmaf(x * z, s, x);
  c = ma_fmaf(c, z, -0.0013887301f);
  c = ma_fmaf(c, z, 0.041666646f);
  c = ma_fmaf(z * z, c, ma_fmaf(-0.5f, z, 1.0f));
  *first = ma_from_bits(ma_bits(ma_choose_f((int)(q & 1), s, c)) ^ ((q + 1) & 2) << 30);
  *second = ma_from_bits(ma_bits(ma_choose_f((int)(q & 1), c, s)) ^ (q & 2) << 30);
}

/* The cosine of 2^-32 of a turn times `place`: the sine of its distance from a quarter. */
MA_FN float ma_cosine_f(uint32_t place) {
  uint32_t less = place ^ (0u - (place >> 31)); /* as far from 0 as before, or less by one place */
  float x = (float)(int32_t)(0x40000000u - less) * 0x1p-30f, z = x * x, p = 0.00015148513f;
  p = ma_fmaf(p, z, -0.0046737664f);
  p = ma_fmaf(p, z, 0.07968968f);
  p = ma_fmaf(p, z, -0.6459637f);
  p = ma_fmaf(p, z, 1.5707964f);
  return p * x;
}

/* The two normal numbers of ma_normals_d. */
MA_FN float ma_radius_f(ma_words w) { return ma_root_f(2.0f * ma_minus_log_f(w.x, w.y, 0, 12)); }
MA_FN float ma_normal_of_f(ma_words w) { return ma_radius_f(w) * ma_cosine_f(w.z); }
MA_FN float ma_other_normal_f(ma_words w) { return ma_radius_f(w) * ma_cosine_f(w.z - 0x40000000u); }

/* ==== Distributions =============================================================================================== */

#define MA_SINGLE(name) MA_FN float ma_single_##name(ma_words w, double a, double b, double c)
#define MA_WHERE(condition, x) (ma_choose_f(condition, x, MA_NAN_F))

MA_SINGLE(standard_exponential)
{ return ma_exponential_f(w); }
MA_SINGLE(exponential)
{ return MA_WHERE(a >= 0, (float)a * ma_exponential_f(w)); }

MA_SINGLE(laplace)
{
  /* Without the bit that says on which side it lies, u is a number of 52 bits. */
  uint32_t above = 0u - (w.x >> 31);
  float x = (float)b * ma_minus_log_f((w.x ^ above) << 1, w.y ^ above, 6, 6);
  return MA_WHERE(b >= 0, (float)a + ma_choose_f(ma_is_above(w.x), x, -x));
}

MA_SINGLE(logistic)
{ return MA_WHERE(b >= 0, (float)a + (float)b * (ma_exponential_f(w) - ma_minus_log_uniform_f(w))); }
MA_SINGLE(lognormal)
{ return MA_WHERE(b >= 0, ma_exp_f((float)a + (float)b * ma_normal_of_f(w))); }
MA_SINGLE(gumbel)
{ return MA_WHERE(b >= 0, (float)a - (float)b * ma_log_f(ma_minus_log_uniform_f(w))); }

MA_SINGLE(weibull)
{
  float x = ma_exp_f(ma_log_f(ma_exponential_f(w)) * (1.0f / (float)a));
  return MA_WHERE(a >= 0, ma_choose_f(a == 0, 0.0f, x));
}

MA_SINGLE(pareto)
{ return MA_WHERE(a > 0, ma_expm1_f(ma_exponential_f(w) * (1.0f / (float)a))); }
MA_SINGLE(power)
{ return MA_WHERE(a > 0, ma_exp_f(-ma_minus_log_uniform_f(w) * (1.0f / (float)a))); }
MA_SINGLE(rayleigh)
{ return MA_WHERE(a >= 0, (float)a * ma_root_f(2.0f * ma_exponential_f(w))); }

MA_SINGLE(triangular)
{
  int above = ma_is_above(w.x);
  float v = ma_lesser_f(w.x, w.y, 5, 6), u = ma_choose_f(above, 1.0f - v, v), rest = ma_choose_f(above, v, 1.0f - v);
  float base = (float)(c - a), left = (float)(b - a) / base, right = (float)(c - b) / base, last = (float)c;
  int is_left = u <= left;
  float root = ma_root_f(ma_choose_f(is_left, u, rest));
  float x = ma_choose_f(is_left, (float)a + base * ma_sqrt(left) * root, last - base * ma_sqrt(right) * root);
  return MA_WHERE((a <= b) & (b <= c) & (a < c), ma_choose_f(x < last, x, last)); /* rounding may exceed it */
}

MA_SINGLE(standard_cauchy)
{
  float first, second;
  ma_turn_f(w, &first, &second);
  return first / second;
}

#endif
