/*
** loops_divisor.h: integer quotients and remainders by one positive number, which most divisors are. The includer
** defines TYPE, SUFFIX, KIND and TARGET as for loops_make.h, whose loops are the fallback.
**
** Integers of up to 32 bits: the quotient is the upper half of a product with a whole number, by Granlund and
** Montgomery: where 2^l is the least power of 2 that is not below y, and m is 2^(BITS - 1 + l) / y and a bit more,
** t m / 2^(BITS - 1 + l) gives floor(t / y) for t of fewer than BITS bits. For t of BITS bits m has a bit more, which
** is added by itself. A negative x is -1 - t, and so is its quotient. The includer defines PART, an unsigned integer of
** BITS bits, no shorter than TYPE; WHOLE, one of twice as many bits; and FULL, whether t has BITS bits.
**
** Integers of 64 bits: the reciprocal in double. For |x| below 2^51 the quotient is wrong by one at most, and the
** remainder shows that. The includer defines FAR(x), not 0 if |x| is not below 2^51; WIDEN(x) and NARROW(d), which
** convert to double and back.
*/
#ifdef BITS
#define FAR(x) 0
#define HIGH(x, y) (PART)((WHOLE)(x) * (y) >> BITS)
static inline __attribute__((always_inline)) PART GLUE(multiplier, SUFFIX, TARGET)(uint64_t y, int l) {
#if FULL
  return (PART)((((UINT64_C(1) << l) - y) << BITS) / y + 1);
#else
  return (PART)((UINT64_C(1) << (BITS - 1 + l)) / y + 1);
#endif
}

static inline __attribute__((always_inline)) TYPE GLUE(quotient, SUFFIX, TARGET)(TYPE x, PART m, int l) {
#if FULL
  PART high = HIGH(x, m), rest = (PART)((PART)(x - high) >> (l > 0));
  return (TYPE)((PART)(high + rest) >> (l > 0 ? l - 1 : 0));
#elif KIND == 1
  TYPE sign = (TYPE)(x >> (8 * sizeof(TYPE) - 1));
  PART t = (PART)(TYPE)(x ^ sign), q = (PART)(HIGH((PART)(t + t), m) >> l);
  return (TYPE)((TYPE)q ^ sign);
#else
  return (TYPE)(HIGH((PART)(x + x), m) >> l);
#endif
}

#define RECIPROCAL                                               \
  const int l = y > 1 ? 32 - __builtin_clz((uint32_t)y - 1) : 0; \
  const PART multiplier = GLUE(multiplier, SUFFIX, TARGET)((uint64_t)y, l);
#define DIVIDE TYPE x = xs[i], q = GLUE(quotient, SUFFIX, TARGET)(x, multiplier, l);
#define REST x - q *y
#define NARROW(x) (TYPE)(x)
#else
#define RECIPROCAL double by = (double)y, inverse = 1 / by;
#define DIVIDE                                                                      \
  double x = WIDEN(xs[i]), q = ma_floor(x * inverse), m = __builtin_fma(-q, by, x); \
  q = m < 0 ? q - 1 : m >= by ? q + 1 : q;                                          \
  m = m < 0 ? m + by : m >= by ? m - by : m;
#define REST m
#endif

#define DIVISION(name, value)                                        \
  static void GLUE(faster_##name, SUFFIX, TARGET)(LOOP_PARAMETERS) { \
    const TYPE *xs = x_, *ys = y_;                                   \
    TYPE *r = r_, y = ys[0], odd = y < 1 || ys[MA_LANE - 1] != y;    \
    if (!odd) {                                                      \
      EACH_ELEMENT { odd |= (TYPE)(ys[i] ^ y) | FAR(xs[i]); }        \
    }                                                                \
    if (odd || FAR(y)) {                                             \
      GLUE(name, SUFFIX, TARGET)(r_, x_, y_, z_, w_, n);             \
      return;                                                        \
    }                                                                \
    RECIPROCAL                                                       \
    EACH_ELEMENT {                                                   \
      DIVIDE                                                         \
      r[i] = NARROW(value);                                          \
    }                                                                \
  }
DIVISION(floor_divide, q)
DIVISION(remainder, REST)
#undef DIVISION
#undef RECIPROCAL
#undef DIVIDE
#undef REST
#undef FAR
#undef WIDEN
#undef NARROW
#undef HIGH
#undef PART
#undef WHOLE
#undef BITS
#undef FULL
