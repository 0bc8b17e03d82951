/*
** tried.h: gamma numbers and what is made of them, in float, tried once: what float16, bfloat16 and float32 numbers are
** where the first attempt of each gamma number is taken without logarithms, as nine of ten are. What fails is drawn in
** double (draws.h), by the same words. Each is ma_tried_<name>(t, a, b, c); ma_may_<name> says for which parameters:
** all shapes are above 1. Nothing branches, so loops over these are vectorised.
*/
#ifndef MOONARRAY_TRIED_H
#define MOONARRAY_TRIED_H

#include "single.h"

/* The words of two attempts have two normal numbers and two uniform ones. */
typedef struct ma_tries {
  ma_words first, second;
  int failed;
} ma_tries;

/* Marsaglia and Tsang's attempt of a normal and a uniform number. */
MA_FN float ma_try_gamma_f(ma_tries *t, double shape, float x, float u) {
  float d = (float)shape - 0.33333334f, c = 1.0f / ma_root_f(9.0f * d), v = 1.0f + c * x, square = x * x;
  t->failed |= !((shape > 1) & (shape < 0x1p40) & (v > 0) & (u < 1.0f - 0.0331f * square * square));
  return d * (v * v * v);
}

MA_FN float ma_first_gamma_f(ma_tries *t, double shape) {
  return ma_try_gamma_f(t, shape, ma_normal_of_f(t->first), ma_open_f(t->second.x, t->second.y));
}

/* Behind another number that took the first normal number. */
MA_FN float ma_later_gamma_f(ma_tries *t, double shape, uint32_t x, uint32_t y) {
  return ma_try_gamma_f(t, shape, ma_other_normal_f(t->first), ma_open_f(x, y));
}

#define MA_TRIED(name, condition)                                               \
  MA_FN int ma_may_##name(double a, double b, double c) { return (condition); } \
  MA_FN float ma_tried_##name(ma_tries *t, double a, double b, double c)

MA_TRIED(standard_gamma, a > 1)
{ return ma_first_gamma_f(t, a); }
MA_TRIED(gamma, (a > 1) & (b >= 0))
{ return (float)b * ma_first_gamma_f(t, a); }
MA_TRIED(chisquare, a > 2)
{ return 2.0f * ma_first_gamma_f(t, a / 2); }

MA_TRIED(beta, (a > 1) & (b > 1))
{
  float x = ma_first_gamma_f(t, a), y = ma_later_gamma_f(t, b, t->second.z, t->second.w);
  return x / (x + y);
}

MA_TRIED(f, (a > 2) & (b > 2))
{
  float x = ma_first_gamma_f(t, a / 2), y = ma_later_gamma_f(t, b / 2, t->second.z, t->second.w);
  return x * (float)b / (y * (float)a);
}

MA_TRIED(noncentral_chisquare, (a > 3) & (b > 0))
{
  float chi = 2.0f * ma_first_gamma_f(t, (a - 1) / 2), x = ma_other_normal_f(t->first) + ma_sqrt((float)b);
  return chi + x * x;
}

MA_TRIED(standard_t, a > 2)
{
  float x = ma_normal_of_f(t->first), y = ma_later_gamma_f(t, a / 2, t->second.x, t->second.y);
  return x * ma_sqrt((float)(a / 2)) / ma_sqrt(y);
}

#endif
