/*
** loops_divisor.h: integer quotients and remainders by one positive number, which most divisors are. They use its
** reciprocal in double. For |x| below 2^51 the quotient is wrong by one at most, and the remainder shows that. The
** includer defines TYPE, SUFFIX and TARGET as for loops_make.h, whose loops are the fallback; FAR(x), not 0 if |x| is
** not below 2^51; WIDEN(x) and NARROW(d), which convert to double and back.
*/
#define DIVISION(name, value)                                                           \
  static void GLUE(faster_##name, SUFFIX, TARGET)(LOOP_PARAMETERS) {                    \
    const TYPE *xs = x_, *ys = y_;                                                      \
    TYPE *r = r_, y = ys[0], odd = y < 1 || ys[MA_LANE - 1] != y;                       \
    if (!odd) {                                                                         \
      EACH_ELEMENT { odd |= (TYPE)(ys[i] ^ y) | FAR(xs[i]); }                           \
    }                                                                                   \
    if (odd || FAR(y)) {                                                                \
      GLUE(name, SUFFIX, TARGET)(r_, x_, y_, z_, w_, n);                                \
      return;                                                                           \
    }                                                                                   \
    double by = (double)y, inverse = 1 / by;                                            \
    EACH_ELEMENT {                                                                      \
      double x = WIDEN(xs[i]), q = ma_floor(x * inverse), m = __builtin_fma(-q, by, x); \
      q = m < 0 ? q - 1 : m >= by ? q + 1 : q;                                          \
      m = m < 0 ? m + by : m >= by ? m - by : m;                                        \
      r[i] = NARROW(value);                                                             \
    }                                                                                   \
  }
DIVISION(floor_divide, q)
DIVISION(remainder, m)
#undef DIVISION
#undef FAR
#undef WIDEN
#undef NARROW
