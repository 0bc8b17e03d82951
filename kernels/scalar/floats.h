/* floats.h: floats of type T. */
MA_TEMPLATE uint8_t MA_SELF(ma_isnan)(T x) { return x != x; }
MA_TEMPLATE uint8_t MA_SELF(ma_isfinite)(T x) { return x - x == 0; }
MA_TEMPLATE uint8_t MA_SELF(ma_isinf)(T x) { return (x == x) & (x - x != 0); }
MA_TEMPLATE uint8_t MA_SELF(ma_signbit)(T x) { return ma_copysign((T)1, x) < 0; }
MA_TEMPLATE T MA_SELF(ma_sign)(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? (T)0 : x; }
MA_TEMPLATE T MA_SELF(ma_maximum)(T x, T y) { return ((x >= y) | (x != x)) ? x : y; }
MA_TEMPLATE T MA_SELF(ma_minimum)(T x, T y) { return ((x <= y) | (x != x)) ? x : y; }
MA_TEMPLATE T MA_SELF(ma_fmax)(T x, T y) { return ((x >= y) | (y != y)) ? x : y; }
MA_TEMPLATE T MA_SELF(ma_fmin)(T x, T y) { return ((x <= y) | (y != y)) ? x : y; }
MA_TEMPLATE T MA_SELF(ma_clip)(T x, T low, T high) { return MA_SELF(ma_minimum)(MA_SELF(ma_maximum)(x, low), high); }
MA_TEMPLATE T MA_SELF(ma_heaviside)(T x, T y) { return x != x ? x : x == 0 ? y : x < 0 ? (T)0 : (T)1; }
MA_TEMPLATE uint8_t MA_SELF(ma_isclose)(T x, T y, T relative, T absolute) {
  return (x == y) | ((ma_absolute(x - y) <= absolute + relative * ma_absolute(y)) & MA_SELF(ma_isfinite)(y));
}
MA_TEMPLATE T MA_SELF(ma_nan_to_num)(T x, T nan, T high, T low) {
  return x != x ? nan : x - x == 0 ? x : x > 0 ? high : low;
}

/* Floor division, and the remainder with the sign of y, as in Python and NumPy. */
MA_TEMPLATE T MA_SELF(ma_remainder)(T x, T y) {
  T r = ma_fmod(x, y);
  if (y == 0) return r;
  if (r == 0) return ma_copysign((T)0, y);
  return (y < 0) != (r < 0) ? r + y : r;
}
MA_TEMPLATE T MA_SELF(ma_floor_divide)(T x, T y) {
  if (y == 0) return x / y;
  T r = ma_fmod(x, y), q = (x - r) / y;
  if (r != 0 && (y < 0) != (r < 0)) q -= 1;
  if (q == 0) return ma_copysign((T)0, x / y);
  T whole = ma_floor(q);
  return q - whole > (T)0.5 ? whole + 1 : whole;
}

MA_TEMPLATE T MA_SELF(ma_ldexp)(T x, int64_t n) {
  int small = n > 10000 ? 10000 : n < -10000 ? -10000 : (int)n;
  return (T)ldexp((double)x, small);
}
MA_TEMPLATE T MA_SELF(ma_frexp_mantissa)(T x) {
  int e;
  return (T)frexp((double)x, &e);
}
MA_TEMPLATE int32_t MA_SELF(ma_frexp_exponent)(T x) {
  int e = 0;
  if (x - x == 0) (void)frexp((double)x, &e);
  return e;
}
MA_TEMPLATE T MA_SELF(ma_modf_fraction)(T x) { return ma_copysign(x == x && x - x != 0 ? (T)0 : x - ma_trunc(x), x); }

/* Rounds to 10^-n as NumPy does: scales, rounds and scales back. If scaling overflows, there is nothing to round. */
MA_TEMPLATE T MA_SELF(ma_round)(T x, int64_t n) {
  if (n == 0) return ma_rint(x);
  T f = (T)ma_power_of_ten(n < 0 ? -n : n);
  if (n < 0) return f - f != 0 ? ma_copysign((T)0, x) : ma_rint(x / f) * f;
  T scaled = x * f;
  return scaled - scaled != 0 ? x : ma_rint(scaled) / f;
}

MA_TEMPLATE T MA_SELF(ma_logaddexp)(T x, T y) {
  T d = x - y;
  T high = d > 0 ? x : y;
  return x == y ? x + (T)0.693147180559945309417 : d != d ? d : high + ma_log1p(ma_exp(-ma_absolute(d)));
}
MA_TEMPLATE T MA_SELF(ma_logaddexp2)(T x, T y) {
  T d = x - y;
  T high = d > 0 ? x : y;
  return x == y ? x + 1 : d != d ? d : high + (T)1.442695040888963407360 * ma_log1p(ma_exp2(-ma_absolute(d)));
}
MA_TEMPLATE T MA_SELF(ma_sinc)(T x) {
  T y = (T)3.141592653589793238463 * x;
  return x == 0 ? (T)1 : ma_sin(y) / y;
}

/* Chebyshev series of Cephes, for 0 .. 8 and above 8. */
MA_TEMPLATE T MA_SELF(ma_i0)(T x) {
  const double near[30] = { -4.4153416464793395e-18, 3.3307945188222384e-17,  -2.431279846547955e-16,
                            1.715391285555133e-15,   -1.1685332877993451e-14, 7.676185498604936e-14,
                            -4.856446783111929e-13,  2.95505266312964e-12,    -1.726826291441556e-11,
                            9.675809035373237e-11,   -5.189795601635263e-10,  2.6598237246823866e-09,
                            -1.300025009986248e-08,  6.046995022541919e-08,   -2.670793853940612e-07,
                            1.1173875391201037e-06,  -4.4167383584587505e-06, 1.6448448070728896e-05,
                            -5.754195010082104e-05,  0.00018850288509584165,  -0.0005763755745385824,
                            0.0016394756169413357,   -0.004324309995050576,   0.010546460394594998,
                            -0.02373741480589947,    0.04930528423967071,     -0.09490109704804764,
                            0.17162090152220877,     -0.3046826723431984,     0.6767952744094761 };
  const double far[25] = { -7.233180487874754e-18,  -4.830504485944182e-18,  4.46562142029676e-17,
                           3.461222867697461e-17,   -2.8276239805165836e-16, -3.425485619677219e-16,
                           1.7725601330565263e-15,  3.8116806693526224e-15,  -9.554846698828307e-15,
                           -4.150569347287222e-14,  1.54008621752141e-14,    3.8527783827421426e-13,
                           7.180124451383666e-13,   -1.7941785315068062e-12, -1.3215811840447713e-11,
                           -3.1499165279632416e-11, 1.1889147107846439e-11,  4.94060238822497e-10,
                           3.3962320257083865e-09,  2.266668990498178e-08,   2.0489185894690638e-07,
                           2.8913705208347567e-06,  6.889758346916825e-05,   0.0033691164782556943,
                           0.8044904110141088 };
  x = ma_absolute(x);
  int close = !(x > 8), n = close ? 30 : 25;
  T t = close ? x / 2 - 2 : 32 / x - 2, b0 = (T)(close ? near[0] : far[0]), b1 = 0, b2 = 0;
  for (int i = 1; i < n; i++) {
    b2 = b1;
    b1 = b0;
    b0 = t * b1 - b2 + (T)(close ? near[i] : far[i]);
  }
  T series = ma_exp(x) * ((T)0.5 * (b0 - b2));
  return close ? series : series / ma_sqrt(x);
}
