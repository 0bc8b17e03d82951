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
