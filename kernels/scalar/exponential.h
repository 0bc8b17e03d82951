/*
** exponential.h: e^x for x <= 0, for log-sum-exp. No library's, so that vectors of any width and both devices have the
** same bits.
**
** It is 2^k e^f: the last bits of x / log 2 + WHOLE are k, and e^f is 1 + f + f^2 SERIES. 2^k is 2^64 too large until
** the last step, which rounds what is subnormal. HIGH + LOW is log 2; the product of k with HIGH is exact. Below LEAST
** it is 0.
*/
#define RED_EXP(NAME, T, BITS, LEAST, WHOLE, MANTISSA, BIAS, HIGH, LOW, SERIES) \
  MA_FN T NAME(T x) {                                                           \
    union {                                                                     \
      T value;                                                                  \
      BITS bits;                                                                \
    } k, power;                                                                 \
    x = x < LEAST ? (T)LEAST : x;                                               \
    k.value = x * (T)1.44269504088896340736 + (T)WHOLE;                         \
    power.bits = (k.bits + (BIAS + 64)) << MANTISSA;                            \
    T whole = k.value - (T)WHOLE, f = x - whole * (T)HIGH - whole * (T)LOW;     \
    return (1 + f * (1 + f * (SERIES))) * power.value * (T)0x1p-64;             \
  }
#define RED_EXP_8(NAME, REST)                                                                                 \
  RED_EXP(NAME, double, unsigned long long, RED_LEAST_8, 6755399441055744, 52, 1023, 0.693147180369123816490, \
          1.90821492927058770002e-10,                                                                         \
          0.5 + f * (1. / 6 + f * (1. / 24 + f * (1. / 120 + f * (1. / 720 + f * (REST))))))
#define RED_LEAST_4 -104
#define RED_LEAST_8 -746

/* Its series, to 3e-9, has a term less than Taylor's. */
RED_EXP(red_exp_4, float, unsigned, RED_LEAST_4, 12582912, 23, 127, 0.693359375, -2.12194440054690583e-4,
        0.4999999343f + f * (0.1666652039f + f * (0.0416683909f + f * (0.0083687457f + f * 0.0013814534f))))
RED_EXP_8(red_exp_8,
          1. / 5040 + f * (1. / 40320 +
                           f * (1. / 362880 + f * (1. / 3628800 + f * (1. / 39916800 +
                                                                       f * (1. / 479001600 + f * (1. / 6227020800)))))))
RED_EXP_8(red_exp_8_short, 1. / 5040) /* to 5e-9, for sums of float32 */
#undef RED_EXP
#undef RED_EXP_8

/* The terms of log-sum-exp beside the greatest: e^(x - top), but 0 for what equals the greatest, which is counted. */
MA_FN float MA_NAME(ma_beside, f4)(float x, float top) { return red_exp_4(x == top ? RED_LEAST_4 : x - top); }
MA_FN double MA_NAME(ma_beside, f8)(double x, double top) { return red_exp_8(x == top ? RED_LEAST_8 : x - top); }
#undef RED_LEAST_4
#undef RED_LEAST_8
#ifndef __cplusplus
#define ma_beside(x, top) MA_FLOAT(ma_beside, x)(x, top)
#endif
