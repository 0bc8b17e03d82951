/* integers.h: integers of type T, with U an unsigned type of at least its width. */
MA_TEMPLATE T MA_SELF(ma_int_add)(T x, T y) { return (T)((U)x + (U)y); }
MA_TEMPLATE T MA_SELF(ma_int_subtract)(T x, T y) { return (T)((U)x - (U)y); }
MA_TEMPLATE T MA_SELF(ma_int_multiply)(T x, T y) { return (T)((U)x * (U)y); }
MA_TEMPLATE T MA_SELF(ma_int_negative)(T x) { return (T)MA_NEGATED(T, (U)x); }
MA_TEMPLATE T MA_SELF(ma_int_absolute)(T x) { return MA_MINUS(x) ? (T)MA_NEGATED(T, (U)x) : x; }
MA_TEMPLATE T MA_SELF(ma_int_sign)(T x) { return (T)((x > 0) - (MA_MINUS(x))); }
MA_TEMPLATE T MA_SELF(ma_int_clip)(T x, T low, T high) {
  x = x > low ? x : low;
  return x < high ? x : high;
}

MA_TEMPLATE T MA_SELF(ma_int_floor_divide)(T x, T y) {
  if (y == 0) return 0;
  if ((T)-1 < (T)1 && y == (T)-1) return (T)MA_NEGATED(T, (U)x);
  T q = (T)(x / y);
  return (MA_MINUS(x)) != (MA_MINUS(y)) && (T)(q * y) != x ? (T)(q - 1) : q;
}
MA_TEMPLATE T MA_SELF(ma_int_fmod)(T x, T y) { return y == 0 || ((T)-1 < (T)1 && y == (T)-1) ? (T)0 : (T)(x % y); }
MA_TEMPLATE T MA_SELF(ma_int_remainder)(T x, T y) {
  if (y == 0 || ((T)-1 < (T)1 && y == (T)-1)) return 0;
  T r = (T)(x % y);
  return r != 0 && (MA_MINUS(r)) != (MA_MINUS(y)) ? (T)(r + y) : r;
}
/* x^y by squaring, wrapping. Callers refuse negative exponents; what they let pass gives the integer quotient 1 /
** x^-y. */
MA_TEMPLATE T MA_SELF(ma_int_power)(T x, T y) {
  if (MA_MINUS(y)) return x == 1 ? (T)1 : x == (T)-1 ? (y & 1 ? x : (T)1) : (T)0;
  U base = (U)x, power = 1;
  for (; y > 0; y = (T)(y >> 1)) {
    if (y & 1) power *= base;
    base *= base;
  }
  return (T)power;
}
MA_TEMPLATE T MA_SELF(ma_int_reciprocal)(T x) { return x == 1 || ((T)-1 < (T)1 && x == (T)-1) ? x : (T)0; }
MA_TEMPLATE T MA_SELF(ma_int_gcd)(T x, T y) {
  U a = MA_MINUS(x) ? (U)0 - (U)x : (U)x, b = MA_MINUS(y) ? (U)0 - (U)y : (U)y;
  while (b != 0) {
    U r = a % b;
    a = b;
    b = r;
  }
  return (T)a;
}
MA_TEMPLATE T MA_SELF(ma_int_lcm)(T x, T y) {
  U a = MA_MINUS(x) ? (U)0 - (U)x : (U)x, b = MA_MINUS(y) ? (U)0 - (U)y : (U)y, r = a, gcd = b;
  while (r != 0) {
    U next = gcd % r;
    gcd = r;
    r = next;
  }
  return gcd == 0 ? (T)0 : (T)(a / gcd * b);
}
MA_TEMPLATE T MA_SELF(ma_int_left_shift)(T x, T y) { return (uint64_t)y < 8 * sizeof(T) ? (T)((U)x << y) : (T)0; }
MA_TEMPLATE T MA_SELF(ma_int_right_shift)(T x, T y) {
  return (uint64_t)y < 8 * sizeof(T) ? (T)(x >> y) : MA_MINUS(x) ? (T)-1 : (T)0;
}
MA_TEMPLATE uint8_t MA_SELF(ma_int_count)(T x) {
  uint64_t u = MA_MINUS(x) ? (uint64_t)0 - (uint64_t)x : (uint64_t)x;
  u = u - (u >> 1 & 0x5555555555555555u);
  u = (u & 0x3333333333333333u) + (u >> 2 & 0x3333333333333333u);
  u = (u + (u >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (uint8_t)(u * 0x0101010101010101u >> 56);
}
/* Rounds to a multiple of 10^-n, ties to even. For n >= 0 nothing changes. */
MA_TEMPLATE T MA_SELF(ma_int_round)(T x, int64_t n) {
  if (n >= 0) return x;
  if (n < -19) return 0;
  uint64_t u = MA_MINUS(x) ? (uint64_t)0 - (uint64_t)x : (uint64_t)x, unit = 1;
  for (; n < 0; n++) unit *= 10;
  uint64_t q = u / unit, r = u % unit;
  if (r > unit / 2 || (r == unit / 2 && (q & 1))) q++;
  return (T)(MA_MINUS(x) ? (uint64_t)0 - q * unit : q * unit);
}
