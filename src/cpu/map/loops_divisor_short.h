/*
** loops_divisor_short.h: loops_divisor.h for integers of 8 and 16 bits, in float: x + 1/2 over y lies at least 1/2y
** from a whole number, and the rounding of both operations moves it by less. The includer defines TYPE, SUFFIX and
** TARGET.
*/
#define DIVISION(name, value)                                             \
  static void GLUE(faster_##name, SUFFIX, TARGET)(LOOP_PARAMETERS) {      \
    const TYPE *xs = x_, *ys = y_;                                        \
    TYPE *r = r_, y = ys[0], odd = y < 1 || ys[MA_LANE - 1] != y;         \
    if (!odd) {                                                           \
      EACH_ELEMENT { odd |= (TYPE)(ys[i] ^ y); }                          \
    }                                                                     \
    if (odd) {                                                            \
      GLUE(name, SUFFIX, TARGET)(r_, x_, y_, z_, w_, n);                  \
      return;                                                             \
    }                                                                     \
    const float inverse = 1 / (float)y;                                   \
    EACH_ELEMENT {                                                        \
      int32_t x = xs[i];                                                  \
      int32_t q = (int32_t)__builtin_floorf(((float)x + 0.5f) * inverse); \
      r[i] = (TYPE)(value);                                               \
    }                                                                     \
  }
DIVISION(floor_divide, q)
DIVISION(remainder, x - q * y)
#undef DIVISION
