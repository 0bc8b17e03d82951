/* passes.h: only for C. Defines the generic names of the other parts by _Generic, and includes integers.h, floats.h
** and complex.h once for each type. */
#define MA_TEMPLATE MA_FN
#define MA_COMPLEX MA_FN

#define MA_INTEGER(name, x)      \
  _Generic((x), int8_t           \
           : name##_i1, int16_t  \
           : name##_i2, int32_t  \
           : name##_i4, int64_t  \
           : name##_i8, uint8_t  \
           : name##_u1, uint16_t \
           : name##_u2, uint32_t \
           : name##_u4, uint64_t \
           : name##_u8)
#define ma_int_add(x, y)    \
  MA_INTEGER(ma_int_add, x) \
  (x, y)
#define ma_int_subtract(x, y)    \
  MA_INTEGER(ma_int_subtract, x) \
  (x, y)
#define ma_int_multiply(x, y)    \
  MA_INTEGER(ma_int_multiply, x) \
  (x, y)
#define ma_int_negative(x)       \
  MA_INTEGER(ma_int_negative, x) \
  (x)
#define ma_int_absolute(x)       \
  MA_INTEGER(ma_int_absolute, x) \
  (x)
#define ma_int_sign(x)       \
  MA_INTEGER(ma_int_sign, x) \
  (x)
#define ma_int_floor_divide(x, y)    \
  MA_INTEGER(ma_int_floor_divide, x) \
  (x, y)
#define ma_int_remainder(x, y)    \
  MA_INTEGER(ma_int_remainder, x) \
  (x, y)
#define ma_int_fmod(x, y)    \
  MA_INTEGER(ma_int_fmod, x) \
  (x, y)
#define ma_int_power(x, y)    \
  MA_INTEGER(ma_int_power, x) \
  (x, y)
#define ma_int_reciprocal(x)       \
  MA_INTEGER(ma_int_reciprocal, x) \
  (x)
#define ma_int_gcd(x, y)    \
  MA_INTEGER(ma_int_gcd, x) \
  (x, y)
#define ma_int_lcm(x, y)    \
  MA_INTEGER(ma_int_lcm, x) \
  (x, y)
#define ma_int_clip(x, low, high) \
  MA_INTEGER(ma_int_clip, x)      \
  (x, low, high)
#define ma_int_left_shift(x, y)    \
  MA_INTEGER(ma_int_left_shift, x) \
  (x, y)
#define ma_int_right_shift(x, y)    \
  MA_INTEGER(ma_int_right_shift, x) \
  (x, y)
#define ma_int_count(x)       \
  MA_INTEGER(ma_int_count, x) \
  (x)
#define ma_int_round(x, n)    \
  MA_INTEGER(ma_int_round, x) \
  (x, n)

#define ma_isnan(x) MA_FLOAT(ma_isnan, x)(x)
#define ma_isinf(x) MA_FLOAT(ma_isinf, x)(x)
#define ma_isfinite(x) MA_FLOAT(ma_isfinite, x)(x)
#define ma_signbit(x) MA_FLOAT(ma_signbit, x)(x)
#define ma_sign(x) MA_FLOAT(ma_sign, x)(x)
#define ma_floor_divide(x, y) MA_FLOAT(ma_floor_divide, x)(x, y)
#define ma_remainder(x, y) MA_FLOAT(ma_remainder, x)(x, y)
#define ma_maximum(x, y) MA_FLOAT(ma_maximum, x)(x, y)
#define ma_minimum(x, y) MA_FLOAT(ma_minimum, x)(x, y)
#define ma_fmax(x, y) MA_FLOAT(ma_fmax, x)(x, y)
#define ma_fmin(x, y) MA_FLOAT(ma_fmin, x)(x, y)
#define ma_clip(x, low, high) MA_FLOAT(ma_clip, x)(x, low, high)
#define ma_isclose(x, y, relative, absolute) MA_FLOAT(ma_isclose, x)(x, y, relative, absolute)
#define ma_nan_to_num(x, nan, high, low) MA_FLOAT(ma_nan_to_num, x)(x, nan, high, low)
#define ma_heaviside(x, y) MA_FLOAT(ma_heaviside, x)(x, y)
#define ma_ldexp(x, n) MA_FLOAT(ma_ldexp, x)(x, n)
#define ma_frexp_mantissa(x) MA_FLOAT(ma_frexp_mantissa, x)(x)
#define ma_frexp_exponent(x) MA_FLOAT(ma_frexp_exponent, x)(x)
#define ma_modf_fraction(x) MA_FLOAT(ma_modf_fraction, x)(x)
#define ma_round(x, n) MA_FLOAT(ma_round, x)(x, n)
#define ma_logaddexp(x, y) MA_FLOAT(ma_logaddexp, x)(x, y)
#define ma_logaddexp2(x, y) MA_FLOAT(ma_logaddexp2, x)(x, y)
#define ma_sinc(x) MA_FLOAT(ma_sinc, x)(x)
#define ma_i0(x) MA_FLOAT(ma_i0, x)(x)

#define MA_CFLOAT(name, x) _Generic((x), ma_c64 : name##_c8, ma_c128 : name##_c16)
#define ma_cadd(x, y) MA_CFLOAT(ma_cadd, x)(x, y)
#define ma_csubtract(x, y) MA_CFLOAT(ma_csubtract, x)(x, y)
#define ma_cmultiply(x, y) MA_CFLOAT(ma_cmultiply, x)(x, y)
#define ma_cdivide(x, y) MA_CFLOAT(ma_cdivide, x)(x, y)
#define ma_cnegative(x) MA_CFLOAT(ma_cnegative, x)(x)
#define ma_cconjugate(x) MA_CFLOAT(ma_cconjugate, x)(x)
#define ma_csquare(x) MA_CFLOAT(ma_csquare, x)(x)
#define ma_creciprocal(x) MA_CFLOAT(ma_creciprocal, x)(x)
#define ma_cabsolute(x) MA_CFLOAT(ma_cabsolute, x)(x)
#define ma_csign(x) MA_CFLOAT(ma_csign, x)(x)
#define ma_ctruth(x) MA_CFLOAT(ma_ctruth, x)(x)
#define ma_cequal(x, y) MA_CFLOAT(ma_cequal, x)(x, y)
#define ma_cless(x, y) MA_CFLOAT(ma_cless, x)(x, y)
#define ma_cless_equal(x, y) MA_CFLOAT(ma_cless_equal, x)(x, y)
#define ma_cmaximum(x, y) MA_CFLOAT(ma_cmaximum, x)(x, y)
#define ma_cminimum(x, y) MA_CFLOAT(ma_cminimum, x)(x, y)
#define ma_cfmax(x, y) MA_CFLOAT(ma_cfmax, x)(x, y)
#define ma_cfmin(x, y) MA_CFLOAT(ma_cfmin, x)(x, y)
#define ma_cclip(x, low, high) MA_CFLOAT(ma_cclip, x)(x, low, high)
#define ma_cisnan(x) MA_CFLOAT(ma_cisnan, x)(x)
#define ma_cisinf(x) MA_CFLOAT(ma_cisinf, x)(x)
#define ma_cisfinite(x) MA_CFLOAT(ma_cisfinite, x)(x)
#define ma_cisclose(x, y, relative, absolute) MA_CFLOAT(ma_cisclose, x)(x, y, relative, absolute)
#define ma_cnan_to_num(x, nan, high, low) MA_CFLOAT(ma_cnan_to_num, x)(x, nan, high, low)
#define ma_crint(x) MA_CFLOAT(ma_crint, x)(x)
#define ma_cround(x, n) MA_CFLOAT(ma_cround, x)(x, n)
#define ma_cexp(x) MA_CFLOAT(ma_cexp, x)(x)
#define ma_cexp2(x) MA_CFLOAT(ma_cexp2, x)(x)
#define ma_cexpm1(x) MA_CFLOAT(ma_cexpm1, x)(x)
#define ma_clog(x) MA_CFLOAT(ma_clog, x)(x)
#define ma_clog2(x) MA_CFLOAT(ma_clog2, x)(x)
#define ma_clog10(x) MA_CFLOAT(ma_clog10, x)(x)
#define ma_clog1p(x) MA_CFLOAT(ma_clog1p, x)(x)
#define ma_csqrt(x) MA_CFLOAT(ma_csqrt, x)(x)
#define ma_cpower(x, y) MA_CFLOAT(ma_cpower, x)(x, y)
#define ma_csin(x) MA_CFLOAT(ma_csin, x)(x)
#define ma_ccos(x) MA_CFLOAT(ma_ccos, x)(x)
#define ma_ctan(x) MA_CFLOAT(ma_ctan, x)(x)
#define ma_csinh(x) MA_CFLOAT(ma_csinh, x)(x)
#define ma_ccosh(x) MA_CFLOAT(ma_ccosh, x)(x)
#define ma_ctanh(x) MA_CFLOAT(ma_ctanh, x)(x)
#define ma_carcsin(x) MA_CFLOAT(ma_carcsin, x)(x)
#define ma_carccos(x) MA_CFLOAT(ma_carccos, x)(x)
#define ma_carctan(x) MA_CFLOAT(ma_carctan, x)(x)
#define ma_carcsinh(x) MA_CFLOAT(ma_carcsinh, x)(x)
#define ma_carccosh(x) MA_CFLOAT(ma_carccosh, x)(x)
#define ma_carctanh(x) MA_CFLOAT(ma_carctanh, x)(x)
#define ma_csinc(x) MA_CFLOAT(ma_csinc, x)(x)

#define U uint32_t
#define T int8_t
#define MA_SELF(name) name##_i1
#include "integers.h"
#undef T
#undef MA_SELF
#define T int16_t
#define MA_SELF(name) name##_i2
#include "integers.h"
#undef T
#undef MA_SELF
#define T int32_t
#define MA_SELF(name) name##_i4
#include "integers.h"
#undef T
#undef MA_SELF
#define T uint8_t
#define MA_SELF(name) name##_u1
#include "integers.h"
#undef T
#undef MA_SELF
#define T uint16_t
#define MA_SELF(name) name##_u2
#include "integers.h"
#undef T
#undef MA_SELF
#define T uint32_t
#define MA_SELF(name) name##_u4
#include "integers.h"
#undef T
#undef MA_SELF
#undef U
#define U uint64_t
#define T int64_t
#define MA_SELF(name) name##_i8
#include "integers.h"
#undef T
#undef MA_SELF
#define T uint64_t
#define MA_SELF(name) name##_u8
#include "integers.h"
#undef T
#undef MA_SELF
#undef U

#define T float
#define MA_SELF(name) name##_f4
#include "floats.h"
#undef T
#undef MA_SELF
#define T double
#define MA_SELF(name) name##_f8
#include "floats.h"
#undef T
#undef MA_SELF

#define C ma_c64
#define R float
#define MA_SELF(name) name##_c8
#include "complex.h"
#undef C
#undef R
#undef MA_SELF
#define C ma_c128
#define R double
#define MA_SELF(name) name##_c16
#include "complex.h"
#undef C
#undef R
#undef MA_SELF
