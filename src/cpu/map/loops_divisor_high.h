/*
** loops_divisor_high.h: loops_divisor.h for integers of up to 32 bits. The quotient is the upper half of a product with
** a whole number, by Granlund and Montgomery: where 2^l is the least power of 2 that is not below y, and m is
** 2^(BITS - 1 + l) / y and a bit more, t m / 2^(BITS - 1 + l) gives floor(t / y) for t of fewer than BITS bits. For t
** of BITS bits m has a bit more, which is added by itself. A negative x is -1 - t, and so is its quotient. The includer
** defines TYPE, SUFFIX, KIND and TARGET as for loops_make.h; PART, an unsigned integer of BITS bits, no shorter than
** TYPE; WHOLE, one of twice as many bits; and FULL, whether t has BITS bits.
*/
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

#define DIVISION(name, value)                                        \
  static void GLUE(faster_##name, SUFFIX, TARGET)(LOOP_PARAMETERS) { \
    const TYPE *xs = x_, *ys = y_;                                   \
    TYPE *r = r_, y = ys[0], odd = y < 1 || ys[MA_LANE - 1] != y;    \
    if (!odd) {                                                      \
      EACH_ELEMENT { odd |= (TYPE)(ys[i] ^ y); }                     \
    }                                                                \
    if (odd) {                                                       \
      GLUE(name, SUFFIX, TARGET)(r_, x_, y_, z_, w_, n);             \
      return;                                                        \
    }                                                                \
    const int l = y > 1 ? 32 - __builtin_clz((uint32_t)y - 1) : 0;   \
    const PART m = GLUE(multiplier, SUFFIX, TARGET)((uint64_t)y, l); \
    EACH_ELEMENT {                                                   \
      TYPE x = xs[i], q = GLUE(quotient, SUFFIX, TARGET)(x, m, l);   \
      r[i] = (TYPE)(value);                                          \
    }                                                                \
  }
DIVISION(floor_divide, q)
DIVISION(remainder, x - q * y)
#undef DIVISION
#undef HIGH
#undef PART
#undef WHOLE
#undef BITS
#undef FULL
