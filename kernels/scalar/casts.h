/* casts.h: ma_to_SUFFIX(x) for any register type. */
#define MA_INTEGERS(DO) \
  DO(i1, int8_t)        \
  DO(i2, int16_t) DO(i4, int32_t) DO(i8, int64_t) DO(u1, uint8_t) DO(u2, uint16_t) DO(u4, uint32_t) DO(u8, uint64_t)

#ifdef __cplusplus
#define MA_FROM_INTEGER(to, TO, value) \
  template <class X> MA_FN TO to(X x) { return value; }
#else
#define MA_FROM_INTEGER(to, TO, value)           \
  MA_FN TO to##_i1(int8_t x) { return value; }   \
  MA_FN TO to##_i2(int16_t x) { return value; }  \
  MA_FN TO to##_i4(int32_t x) { return value; }  \
  MA_FN TO to##_i8(int64_t x) { return value; }  \
  MA_FN TO to##_u1(uint8_t x) { return value; }  \
  MA_FN TO to##_u2(uint16_t x) { return value; } \
  MA_FN TO to##_u4(uint32_t x) { return value; } \
  MA_FN TO to##_u8(uint64_t x) { return value; }
#define MA_FROM(to, x)         \
  _Generic((x), int8_t         \
           : to##_i1, int16_t  \
           : to##_i2, int32_t  \
           : to##_i4, int64_t  \
           : to##_i8, uint8_t  \
           : to##_u1, uint16_t \
           : to##_u2, uint32_t \
           : to##_u4, uint64_t \
           : to##_u8, float    \
           : to##_f4, double   \
           : to##_f8, ma_c64   \
           : to##_c8, ma_c128  \
           : to##_c16)(x)
#endif
#define MA_FROM_FLOAT(to, TO, value)                  \
  MA_FN TO MA_NAME(to, f4)(float x) { return value; } \
  MA_FN TO MA_NAME(to, f8)(double x) { return value; }
#define MA_FROM_COMPLEX(to, TO, value)                 \
  MA_FN TO MA_NAME(to, c8)(ma_c64 x) { return value; } \
  MA_FN TO MA_NAME(to, c16)(ma_c128 x) { return value; }

/* Floats are truncated. Values out of range become the nearest end of it, and NaN gives 0. `above` is the first whole
** float that is too large. `below` is the last one that is too small, or the least value itself if the number below it
** is no float. */
#define MA_TO_INTEGER(to, TO, least, most, below, above)                                             \
  MA_FROM_INTEGER(to, TO, (TO)x)                                                                     \
  MA_FROM_FLOAT(to, TO, x != x ? (TO)0 : x <= below ? (TO)(least) : x >= above ? (TO)(most) : (TO)x) \
  MA_FN TO MA_NAME(to, c8)(ma_c64 x) { return MA_NAME(to, f4)(x.re); }                               \
  MA_FN TO MA_NAME(to, c16)(ma_c128 x) { return MA_NAME(to, f8)(x.re); }
MA_TO_INTEGER(ma_to_i1, int8_t, -128, 127, -128.0f, 127.0f)
MA_TO_INTEGER(ma_to_i2, int16_t, -32768, 32767, -32768.0f, 32767.0f)
MA_TO_INTEGER(ma_to_i4, int32_t, -2147483647 - 1, 2147483647, -2147483648.0f, 2147483648.0f)
MA_TO_INTEGER(ma_to_i8, int64_t, -9223372036854775807LL - 1, 9223372036854775807LL, -9223372036854775808.0f,
              9223372036854775808.0f)
MA_TO_INTEGER(ma_to_u1, uint8_t, 0, 255, 0.0f, 255.0f)
MA_TO_INTEGER(ma_to_u2, uint16_t, 0, 65535, 0.0f, 65535.0f)
MA_TO_INTEGER(ma_to_u4, uint32_t, 0, 4294967295u, 0.0f, 4294967296.0f)
MA_TO_INTEGER(ma_to_u8, uint64_t, 0, 18446744073709551615ULL, 0.0f, 18446744073709551616.0f)

MA_FROM_INTEGER(ma_to_b1, uint8_t, x != 0)
MA_FROM_FLOAT(ma_to_b1, uint8_t, x != 0)
MA_FROM_COMPLEX(ma_to_b1, uint8_t, (x.re != 0) | (x.im != 0))
MA_FROM_INTEGER(ma_to_f4, float, (float)x)
MA_FROM_FLOAT(ma_to_f4, float, (float)x)
MA_FROM_COMPLEX(ma_to_f4, float, (float)x.re)
MA_FROM_INTEGER(ma_to_f8, double, (double)x)
MA_FROM_FLOAT(ma_to_f8, double, (double)x)
MA_FROM_COMPLEX(ma_to_f8, double, (double)x.re)
MA_FROM_INTEGER(ma_to_f2, float, ma_round_f16(ma_narrow((double)x)))
MA_FROM_FLOAT(ma_to_f2, float, ma_round_f16(ma_narrow((double)x)))
MA_FROM_COMPLEX(ma_to_f2, float, ma_round_f16(ma_narrow((double)x.re)))
MA_FROM_INTEGER(ma_to_bf, float, ma_round_bf16(ma_narrow((double)x)))
MA_FROM_FLOAT(ma_to_bf, float, ma_round_bf16(ma_narrow((double)x)))
MA_FROM_COMPLEX(ma_to_bf, float, ma_round_bf16(ma_narrow((double)x.re)))
MA_FROM_INTEGER(ma_to_c8, ma_c64, ma_make_c64((float)x, 0))
MA_FROM_FLOAT(ma_to_c8, ma_c64, ma_make_c64((float)x, 0))
MA_FROM_COMPLEX(ma_to_c8, ma_c64, ma_make_c64((float)x.re, (float)x.im))
MA_FROM_INTEGER(ma_to_c16, ma_c128, ma_make_c128((double)x, 0))
MA_FROM_FLOAT(ma_to_c16, ma_c128, ma_make_c128((double)x, 0))
MA_FROM_COMPLEX(ma_to_c16, ma_c128, ma_make_c128((double)x.re, (double)x.im))

#ifndef __cplusplus
#define ma_to_b1(x) MA_FROM(ma_to_b1, x)
#define ma_to_i1(x) MA_FROM(ma_to_i1, x)
#define ma_to_i2(x) MA_FROM(ma_to_i2, x)
#define ma_to_i4(x) MA_FROM(ma_to_i4, x)
#define ma_to_i8(x) MA_FROM(ma_to_i8, x)
#define ma_to_u1(x) MA_FROM(ma_to_u1, x)
#define ma_to_u2(x) MA_FROM(ma_to_u2, x)
#define ma_to_u4(x) MA_FROM(ma_to_u4, x)
#define ma_to_u8(x) MA_FROM(ma_to_u8, x)
#define ma_to_f2(x) MA_FROM(ma_to_f2, x)
#define ma_to_bf(x) MA_FROM(ma_to_bf, x)
#define ma_to_f4(x) MA_FROM(ma_to_f4, x)
#define ma_to_f8(x) MA_FROM(ma_to_f8, x)
#define ma_to_c8(x) MA_FROM(ma_to_c8, x)
#define ma_to_c16(x) MA_FROM(ma_to_c16, x)
#endif
