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

/* log w for normal w > 0. If this is 1 - v without much rounding, the result has the digits of v. */
MA_FN float ma_log_near_f(float w, float v, int near) {
  uint32_t t = ma_bits(w) - 0x3f3504f3u, k = t & 0xff800000u;
  float f = ma_from_bits(t - k + 0x3f3504f3u) - 1.0f;
  f = ma_choose_f(near & (k == 0), -v, f);
  return ma_fmaf((float)(int32_t)k, 8.2629582e-8f, ma_log1p_f(f)); /* 2^-23 log 2 */
}

MA_FN float ma_log_f(float x) { return ma_log_near_f(x, 0.0f, 0); }

/* exp r and its exponent k, of x = r + k log 2 that is kept to where float ends: exp x - 1 = 2^k (1 + y) - 1. */
MA_FN float ma_exp_parts_f(float x, int32_t *k) {
  x = ma_choose_f(x > 89.0f, 89.0f, ma_choose_f(x < -105.0f, -105.0f, x));
  float whole = ma_fmaf(x, 1.4426950f, 12582912.0f) - 12582912.0f; /* rounds through 1.5 * 2^23 */
  float r = ma_fmaf(whole, -1.4286068e-6f, ma_fmaf(whole, -0.69314575f, x)), p = 0.00138355303f;
  p = ma_fmaf(p, r, 0.0083671184f);
  p = ma_fmaf(p, r, 0.041667756f);
  p = ma_fmaf(p, r, 0.16666539f);
  p = ma_fmaf(p, r, 0.49999997f);
  *k = (int32_t)ma_choose_f(whole == whole, whole, 0.0f);
  return ma_fmaf(r * r, p, r);
}

MA_FN float ma_power_of_two_f(int32_t k) { return ma_from_bits((uint32_t)(127 + k) << 23); }

MA_FN float ma_exp_f(float x) {
  int32_t k, half;
  float y = ma_exp_parts_f(x, &k) + 1.0f;
  half = k / 2;
  return y * ma_power_of_two_f(half) * ma_power_of_two_f(k - half);
}

MA_FN float ma_expm1_f(float x) { /* x >= 0 */
  int32_t k, half;
  float y = ma_exp_parts_f(x, &k);
  half = k / 2;
  float scale = ma_power_of_two_f(k - half);
  return (scale * y + (scale - ma_power_of_two_f(-half))) * ma_power_of_two_f(half);
}

/* ==== Numbers from words ========================================================================================== */

/* A uniform number u of the words of which x and y keep the upper 32 - i and 32 - j bits, and half a step. Gives the
** lesser of u and 1 - u: near both ends it has all digits. The upper bit of x says which it is. */
MA_FN float ma_lesser_f(uint32_t x, uint32_t y, int i, int j) {
  uint32_t above = 0u - (x >> 31);
  float high = (float)(int32_t)((x ^ above) >> i), low = (float)(int32_t)((y ^ above) >> j) + 0.5f;
  return ma_fmaf(high, ma_power_of_two_f(i - 32), low * ma_power_of_two_f(i + j - 64));
}

/* -log u, from 0 on. */
MA_FN float ma_minus_log_f(uint32_t x, uint32_t y, int i, int j) {
  int above = (int)(x >> 31);
  float v = ma_lesser_f(x, y, i, j);
  return -ma_log_near_f(ma_choose_f(above, 1.0f - v, v), v, above);
}

/* An exponential number: -log (1 - u), of the 53 bits that ma_uniform_d takes; up to 37. */
MA_FN float ma_exponential_f(ma_words w) { return ma_minus_log_f(~w.x, ~w.y, 5, 6); }
MA_FN float ma_minus_log_uniform_f(ma_words w) { return ma_minus_log_f(w.x, w.y, 5, 6); }

/* The cosine and the sine of the angle of a pair of normal numbers (ma_normals_d). */
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

MA_FN float ma_normal_of_f(ma_words w) {
  float first, second;
  ma_turn_f(w, &first, &second);
  return ma_sqrt(2.0f * ma_minus_log_f(w.x, w.y, 0, 12)) * first;
}

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
  return MA_WHERE(b >= 0, (float)a + ma_choose_f((int)above, x, -x));
}

MA_SINGLE(logistic)
{ return MA_WHERE(b >= 0, (float)a + (float)b * (ma_exponential_f(w) - ma_minus_log_uniform_f(w))); }
MA_SINGLE(lognormal)
{ return MA_WHERE(b >= 0, ma_exp_f((float)a + (float)b * ma_normal_of_f(w))); }
MA_SINGLE(gumbel)
{ return MA_WHERE(b >= 0, (float)a - (float)b * ma_log_f(ma_minus_log_uniform_f(w))); }

MA_SINGLE(weibull)
{
  float x = ma_exp_f(ma_log_f(ma_exponential_f(w)) / (float)a);
  return MA_WHERE(a >= 0, ma_choose_f(a == 0, 0.0f, x));
}

MA_SINGLE(pareto)
{ return MA_WHERE(a > 0, ma_expm1_f(ma_exponential_f(w) / (float)a)); }
MA_SINGLE(power)
{ return MA_WHERE(a > 0, ma_exp_f(-ma_minus_log_uniform_f(w) / (float)a)); }
MA_SINGLE(rayleigh)
{ return MA_WHERE(a >= 0, (float)a * ma_sqrt(2.0f * ma_exponential_f(w))); }

MA_SINGLE(triangular)
{
  int above = (int)(w.x >> 31);
  float v = ma_lesser_f(w.x, w.y, 5, 6), u = ma_choose_f(above, 1.0f - v, v), rest = ma_choose_f(above, v, 1.0f - v);
  float base = (float)(c - a), left = (float)(b - a) / base, right = (float)(c - b) / base, last = (float)c;
  float x = ma_choose_f(u <= left, (float)a + base * ma_sqrt(u * left), last - base * ma_sqrt(rest * right));
  return MA_WHERE((a <= b) & (b <= c) & (a < c), ma_choose_f(x < last, x, last)); /* rounding may exceed it */
}

MA_SINGLE(standard_cauchy)
{
  float first, second;
  ma_turn_f(w, &first, &second);
  return first / second;
}

#endif
