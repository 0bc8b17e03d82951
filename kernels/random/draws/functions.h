/* functions.h: a part of draws.h: mathematics that rounds in the same way everywhere, for any double. */

MA_FN double ma_own_log(double x) {
  if (x > 0 && x < 0x1p-1022) return ma_log_d(x * 0x1p54) - 54 * 6.93147180559945309417e-01;
  if (x > 0 && x <= 1.79769313486231570815e308) return ma_log_d(x);
  return x == 0 ? -ma_from_bits8(0x7ff0000000000000u) : x > 0 ? x : MA_NAN;
}

/* The same, called, for what takes several. */
MA_FAR double ma_log_far(double x) { return ma_own_log(x); }

MA_FN double ma_own_log1p(double x) {
  double u = 1 + x;
  return u > 0 && u < 0x1p60 ? ma_log_d(u) + (x - (u - 1)) / u : ma_own_log(u);
}

MA_FN double ma_power_of_two(int32_t k) { return ma_from_bits8((uint64_t)(uint32_t)(1023 + k) << 52); }

/* For -745.2 <= x <= 709.78. */
MA_FN double ma_tame_exp(double x) {
  /* rounds through 1.5 * 2^52 */
  double k = ma_fma(x, 1.44269504088896338700, 6755399441055744.0) - 6755399441055744.0;
  double high = ma_fma(-k, 6.93147180369123816490e-01, x), low = k * 1.90821492927058770002e-10, r = high - low,
         t = r * r;
  double p = 4.13813679705723846039e-08;
  p = ma_fma(p, t, -1.65339022054652515390e-06);
  p = ma_fma(p, t, 6.61375632143793436117e-05);
  p = ma_fma(p, t, -2.77777777770155933842e-03);
  p = ma_fma(p, t, 1.66666666666666019037e-01);
  double c = r - t * p, y = 1 + (high - (low - r * c / (2 - c)));
  int32_t n = (int32_t)k, half = n / 2;
  return y * ma_power_of_two(half) * ma_power_of_two(n - half);
}

MA_FN double ma_own_exp(double x) {
  if (!(x <= 709.782712893384)) return x > 0 ? ma_from_bits8(0x7ff0000000000000u) : x;
  return x < -745.2 ? 0 : ma_tame_exp(x);
}

MA_FN double ma_own_expm1(double x) {
  double u = ma_own_exp(x), v = u - 1;
  if (u == 1) return x;
  if (v == -1 || !(u < 0x1p60)) return v;
  return v * x / ma_own_log(u);
}

/* arctan of y >= 0. */
MA_FN double ma_own_arctan(double y) {
  double add = 0, sign = 1;
  if (y > 1) {
    y = 1 / y;
    add = MA_PI / 2;
    sign = -1;
  }
  if (y > 0.41421356237309503) {
    y = (y - 1) / (y + 1);
    add += sign * (MA_PI / 4);
  }
  double z = y * y, p = 1.62858201153657823623e-02;
  p = ma_fma(p, z, -3.65315727442169155270e-02);
  p = ma_fma(p, z, 4.97687799461593236017e-02);
  p = ma_fma(p, z, -5.83357013379057348645e-02);
  p = ma_fma(p, z, 6.66107313738753120669e-02);
  p = ma_fma(p, z, -7.69187620504482999495e-02);
  p = ma_fma(p, z, 9.09088713343650656196e-02);
  p = ma_fma(p, z, -1.11111104054623557880e-01);
  p = ma_fma(p, z, 1.42857142725034663711e-01);
  p = ma_fma(p, z, -1.99999999998764832476e-01);
  p = ma_fma(p, z, 3.33333333333329318027e-01);
  return ma_fma(sign, ma_fma(-p * z, y, y), add);
}

/* log Gamma(x), x >= 1. */
MA_FN double ma_own_loggamma(double x) {
  double product = 1;
  while (x < 7) {
    product = product * x;
    x = x + 1;
  }
  double z = 1 / (x * x), p = -1.39243221690590e+00;
  p = ma_fma(p, z, 1.796443723688307e-01);
  p = ma_fma(p, z, -2.955065359477124e-02);
  p = ma_fma(p, z, 6.410256410256410e-03);
  p = ma_fma(p, z, -1.917526917526918e-03);
  p = ma_fma(p, z, 8.417508417508418e-04);
  p = ma_fma(p, z, -5.952380952380952e-04);
  p = ma_fma(p, z, 7.936507936507937e-04);
  p = ma_fma(p, z, -2.777777777777778e-03);
  p = ma_fma(p, z, 8.333333333333333e-02);
  return p / x + 9.1893853320467274178e-01 + (x - 0.5) * ma_log_far(x) - x - (product == 1 ? 0 : ma_log_far(product));
}

/* ==== The same without branches, for draws that reject nothing: loops over these are vectorised =================== */

/* x or y. gcc cannot vectorise the conditions that it makes of a conditional expression. */
MA_FN double ma_choose(int first, double x, double y) {
#ifdef __cplusplus
  return first ? x : y;
#else
  uint64_t mask = 0u - (uint64_t)(first != 0);
  return ma_from_bits8((ma_bits8(x) & mask) | (ma_bits8(y) & ~mask));
#endif
}

/* log x, where `log` is what ma_log_d gave for x. */
MA_FN double ma_plain_log_of(double x, double log) {
  double odd = ma_choose(x == 0, -ma_from_bits8(0x7ff0000000000000u), ma_choose(x > 0, x, MA_NAN));
  return ma_choose((x > 0) & (x <= 1.79769313486231570815e308), log, odd);
}

MA_FN double ma_plain_log(double x) {
  int tiny = (x > 0) & (x < 0x1p-1022);
  double log = ma_log_d(ma_choose(tiny, x * 0x1p54, x));
  return ma_plain_log_of(x, log - ma_choose(tiny, 54 * 6.93147180559945309417e-01, 0));
}

MA_FN double ma_plain_log1p(double x) {
  double u = 1 + x, log = ma_log_d(u), rest = (x - (u - 1)) / u;
  return ma_plain_log_of(u, ma_choose((u > 0) & (u < 0x1p60), log + rest, log));
}

MA_FN double ma_plain_exp(double x) {
  int tame = (x <= 709.782712893384) & (x >= -745.2);
  double odd = ma_choose(x > 0, ma_from_bits8(0x7ff0000000000000u), ma_choose(x < 0, 0, x));
  return ma_choose(tame, ma_tame_exp(ma_choose(tame, x, 0)), odd);
}

MA_FN double ma_plain_expm1(double x) {
  double u = ma_plain_exp(x), v = u - 1, near = v * x / ma_plain_log(u);
  return ma_choose(u == 1, x, ma_choose((v == -1) | !(u < 0x1p60), v, near));
}

MA_FN double ma_plain_pow(double x, double y) { /* x >= 0 */
  return ma_choose(y == 0, 1, ma_plain_exp(y * ma_plain_log(x)));
}
