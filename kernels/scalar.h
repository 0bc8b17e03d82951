/*
** scalar.h: what the bodies of ops.def call, as C11 and as CUDA C++ (no headers there: NVRTC predeclares the mathematics).
** One name works for every width of a kind: in C by _Generic, in C++ by overloads. Kinds have names of their own:
**     ma_int_remainder(x, y)    integers          ma_remainder(x, y)    floats        ma_cexp(x)    complex
**     ma_to_i4(x)               any register type to the register of a dtype: suffixes of dtype.def
** Integers wrap and nothing is undefined. The parts between PASS lines are written once over a type T (or C, with its real
** type R): C++ reads them as templates, C includes this file again for each type.
*/
#if !defined(MA_SCALAR_H) || defined(MA_SCALAR_PASS)

#ifndef MA_SCALAR_H
#define MA_SCALAR_H

/* ==== The two languages ========================================================================================== */

#ifdef __cplusplus
#ifndef MA_INTEGER_TYPES               /* a prelude that has them already defines this */
#define MA_INTEGER_TYPES
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#endif
struct ma_c64 { float re, im; };
struct ma_c128 { double re, im; };
#define MA_FN __device__ __forceinline__
#define MA_NAME(name, suffix) name
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#define MA_FN static inline __attribute__((always_inline, unused))
#define MA_NAME(name, suffix) name##_##suffix
#ifndef MOONARRAY_H
typedef struct ma_c64 { float re, im; } ma_c64;
typedef struct ma_c128 { double re, im; } ma_c128;
#endif
#endif

MA_FN ma_c64 ma_make_c64(float re, float im) { ma_c64 z; z.re = re; z.im = im; return z; }
MA_FN ma_c128 ma_make_c128(double re, double im) { ma_c128 z; z.re = re; z.im = im; return z; }

/* ==== Bits and 16-bit floats ===================================================================================== */

#ifdef __cplusplus
MA_FN uint32_t ma_bits(float x) { return __float_as_uint(x); }
MA_FN float ma_from_bits(uint32_t x) { return __uint_as_float(x); }
#else
MA_FN uint32_t ma_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
MA_FN float ma_from_bits(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
#endif

MA_FN float ma_bf16_to_float(uint16_t x) { return ma_from_bits((uint32_t)x << 16); }
MA_FN uint16_t ma_float_to_bf16(float x)
{
  uint32_t u = ma_bits(x);
  return (uint16_t)(x != x ? (u >> 16 | 0x40) : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

#if defined(__cplusplus) && !defined(MOONARRAY_CPU)     /* cpu_cuda.h stands in front where a CPU runs it */
MA_FN float ma_f16_to_float(uint16_t x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }
MA_FN uint16_t ma_float_to_f16(float x) { uint16_t y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return y; }
#else
/* Without branches, so that loops of them become vectors. */
MA_FN float ma_f16_to_float(uint16_t x)
{
  uint32_t twice = (uint32_t)x << 17;
  uint32_t normal = ma_bits(ma_from_bits((twice >> 4) + ((uint32_t)0xe0 << 23)) * 0x1p-112f);
  uint32_t denormal = ma_bits(ma_from_bits(twice >> 17 | (uint32_t)126 << 23) - 0.5f);
  return ma_from_bits(((uint32_t)x & 0x8000) << 16 | (twice < (uint32_t)1 << 27 ? denormal : normal));
}
MA_FN uint16_t ma_float_to_f16(float x)
{
  uint32_t u = ma_bits(x), twice = u + u, bias = twice & 0xff000000u;
  float base = (ma_from_bits(u & 0x7fffffffu) * 0x1p+112f) * 0x1p-110f;      /* what overflows float16 becomes infinite here */
  if (bias < 0x71000000u) bias = 0x71000000u;
  u = ma_bits(ma_from_bits((bias >> 1) + 0x07800000u) + base);               /* the addition rounds to nearest even */
  u = (u >> 13 & 0x7c00) + (u & 0x0fff);
  return (uint16_t)((ma_bits(x) >> 16 & 0x8000) | (twice > 0xff000000u ? 0x7e00 : u));
}
#endif

MA_FN float ma_round_f16(float x) { return ma_f16_to_float(ma_float_to_f16(x)); }
MA_FN float ma_round_bf16(float x) { return ma_bf16_to_float(ma_float_to_bf16(x)); }

/* A double on its way to a 16-bit float: rounded to odd, so that the second rounding gives what a single one would have given. */
MA_FN float ma_narrow(double x)
{
  float y = (float)x;
  double back = (double)y;
  uint32_t u = ma_bits(y), away = (x < 0 ? -back : back) > (x < 0 ? -x : x);
  return back == x || x != x || y - y != 0 ? y : ma_from_bits((u - away) | 1);
}

/* ==== Casts: ma_to_SUFFIX(x) of any register type ================================================================ */

#define MA_INTEGERS(DO) DO(i1, int8_t) DO(i2, int16_t) DO(i4, int32_t) DO(i8, int64_t) \
  DO(u1, uint8_t) DO(u2, uint16_t) DO(u4, uint32_t) DO(u8, uint64_t)

#ifdef __cplusplus
#define MA_FROM_INTEGER(to, TO, value) template <class X> MA_FN TO to(X x) { return value; }
#else
#define MA_FROM_INTEGER(to, TO, value) \
  MA_FN TO to##_i1(int8_t x) { return value; } MA_FN TO to##_i2(int16_t x) { return value; } \
  MA_FN TO to##_i4(int32_t x) { return value; } MA_FN TO to##_i8(int64_t x) { return value; } \
  MA_FN TO to##_u1(uint8_t x) { return value; } MA_FN TO to##_u2(uint16_t x) { return value; } \
  MA_FN TO to##_u4(uint32_t x) { return value; } MA_FN TO to##_u8(uint64_t x) { return value; }
#define MA_FROM(to, x) _Generic((x), int8_t: to##_i1, int16_t: to##_i2, int32_t: to##_i4, int64_t: to##_i8, \
  uint8_t: to##_u1, uint16_t: to##_u2, uint32_t: to##_u4, uint64_t: to##_u8, \
  float: to##_f4, double: to##_f8, ma_c64: to##_c8, ma_c128: to##_c16)(x)
#endif
#define MA_FROM_FLOAT(to, TO, value) \
  MA_FN TO MA_NAME(to, f4)(float x) { return value; } MA_FN TO MA_NAME(to, f8)(double x) { return value; }
#define MA_FROM_COMPLEX(to, TO, value) \
  MA_FN TO MA_NAME(to, c8)(ma_c64 x) { return value; } MA_FN TO MA_NAME(to, c16)(ma_c128 x) { return value; }

/* Floats truncate; what is outside saturates and NaN is 0. `above` is the first whole float that is too large, `below` the last too small
** or, where that is no float, the least value itself. */
#define MA_TO_INTEGER(to, TO, least, most, below, above) \
  MA_FROM_INTEGER(to, TO, (TO)x) \
  MA_FROM_FLOAT(to, TO, x != x ? (TO)0 : x <= below ? (TO)(least) : x >= above ? (TO)(most) : (TO)x) \
  MA_FN TO MA_NAME(to, c8)(ma_c64 x) { return MA_NAME(to, f4)(x.re); } \
  MA_FN TO MA_NAME(to, c16)(ma_c128 x) { return MA_NAME(to, f8)(x.re); }
MA_TO_INTEGER(ma_to_i1, int8_t, -128, 127, -128.0f, 127.0f)
MA_TO_INTEGER(ma_to_i2, int16_t, -32768, 32767, -32768.0f, 32767.0f)
MA_TO_INTEGER(ma_to_i4, int32_t, -2147483647 - 1, 2147483647, -2147483648.0f, 2147483648.0f)
MA_TO_INTEGER(ma_to_i8, int64_t, -9223372036854775807LL - 1, 9223372036854775807LL, -9223372036854775808.0f, 9223372036854775808.0f)
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

/* ==== The C library's mathematics, one name for both widths ====================================================== */

#define MA_MATH1(name, call) \
  MA_FN float MA_NAME(name, f4)(float x) { return call##f(x); } MA_FN double MA_NAME(name, f8)(double x) { return call(x); }
#define MA_MATH2(name, call) \
  MA_FN float MA_NAME(name, f4)(float x, float y) { return call##f(x, y); } MA_FN double MA_NAME(name, f8)(double x, double y) { return call(x, y); }
MA_MATH1(ma_absolute, fabs)
MA_MATH1(ma_sqrt, sqrt)
MA_MATH1(ma_cbrt, cbrt)
MA_MATH1(ma_rint, rint)
MA_MATH1(ma_floor, floor)
MA_MATH1(ma_ceil, ceil)
MA_MATH1(ma_trunc, trunc)
MA_MATH1(ma_exp, exp)
MA_MATH1(ma_exp2, exp2)
MA_MATH1(ma_expm1, expm1)
MA_MATH1(ma_log, log)
MA_MATH1(ma_log2, log2)
MA_MATH1(ma_log10, log10)
MA_MATH1(ma_log1p, log1p)
MA_MATH1(ma_sin, sin)
MA_MATH1(ma_cos, cos)
MA_MATH1(ma_tan, tan)
MA_MATH1(ma_arcsin, asin)
MA_MATH1(ma_arccos, acos)
MA_MATH1(ma_arctan, atan)
MA_MATH1(ma_sinh, sinh)
MA_MATH1(ma_cosh, cosh)
MA_MATH1(ma_tanh, tanh)
MA_MATH1(ma_arcsinh, asinh)
MA_MATH1(ma_arccosh, acosh)
MA_MATH1(ma_arctanh, atanh)
MA_MATH2(ma_power, pow)
MA_MATH2(ma_fmod, fmod)
MA_MATH2(ma_arctan2, atan2)
MA_MATH2(ma_hypot, hypot)
MA_MATH2(ma_copysign, copysign)
MA_MATH2(ma_nextafter, nextafter)

#ifndef __cplusplus
#define MA_FLOAT(name, x) _Generic((x), float: name##_f4, double: name##_f8)
#define ma_absolute(x) MA_FLOAT(ma_absolute, x)(x)
#define ma_sqrt(x) MA_FLOAT(ma_sqrt, x)(x)
#define ma_cbrt(x) MA_FLOAT(ma_cbrt, x)(x)
#define ma_rint(x) MA_FLOAT(ma_rint, x)(x)
#define ma_floor(x) MA_FLOAT(ma_floor, x)(x)
#define ma_ceil(x) MA_FLOAT(ma_ceil, x)(x)
#define ma_trunc(x) MA_FLOAT(ma_trunc, x)(x)
#define ma_exp(x) MA_FLOAT(ma_exp, x)(x)
#define ma_exp2(x) MA_FLOAT(ma_exp2, x)(x)
#define ma_expm1(x) MA_FLOAT(ma_expm1, x)(x)
#define ma_log(x) MA_FLOAT(ma_log, x)(x)
#define ma_log2(x) MA_FLOAT(ma_log2, x)(x)
#define ma_log10(x) MA_FLOAT(ma_log10, x)(x)
#define ma_log1p(x) MA_FLOAT(ma_log1p, x)(x)
#define ma_sin(x) MA_FLOAT(ma_sin, x)(x)
#define ma_cos(x) MA_FLOAT(ma_cos, x)(x)
#define ma_tan(x) MA_FLOAT(ma_tan, x)(x)
#define ma_arcsin(x) MA_FLOAT(ma_arcsin, x)(x)
#define ma_arccos(x) MA_FLOAT(ma_arccos, x)(x)
#define ma_arctan(x) MA_FLOAT(ma_arctan, x)(x)
#define ma_sinh(x) MA_FLOAT(ma_sinh, x)(x)
#define ma_cosh(x) MA_FLOAT(ma_cosh, x)(x)
#define ma_tanh(x) MA_FLOAT(ma_tanh, x)(x)
#define ma_arcsinh(x) MA_FLOAT(ma_arcsinh, x)(x)
#define ma_arccosh(x) MA_FLOAT(ma_arccosh, x)(x)
#define ma_arctanh(x) MA_FLOAT(ma_arctanh, x)(x)
#define ma_power(x, y) MA_FLOAT(ma_power, x)(x, y)
#define ma_fmod(x, y) MA_FLOAT(ma_fmod, x)(x, y)
#define ma_arctan2(x, y) MA_FLOAT(ma_arctan2, x)(x, y)
#define ma_hypot(x, y) MA_FLOAT(ma_hypot, x)(x, y)
#define ma_copysign(x, y) MA_FLOAT(ma_copysign, x)(x, y)
#define ma_nextafter(x, y) MA_FLOAT(ma_nextafter, x)(x, y)
#endif

/* In the 16-bit floats as in all, the next magnitude has the next bit pattern. */
MA_FN uint16_t ma_next16(uint16_t x, int towards_zero) { return (uint16_t)(towards_zero ? x - 1 : x + 1); }
MA_FN float ma_nextafter_f16(float x, float y)
{
  uint16_t u = ma_float_to_f16(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return y > 0 ? 0x1p-24f : -0x1p-24f;
  return ma_f16_to_float(ma_next16(u, (x > 0) != (y > x)));
}
MA_FN float ma_nextafter_bf16(float x, float y)
{
  uint16_t u = ma_float_to_bf16(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return ma_bf16_to_float((uint16_t)(y > 0 ? 1 : 0x8001));
  return ma_bf16_to_float(ma_next16(u, (x > 0) != (y > x)));
}

/* 10^n, exact up to 22. */
MA_FN double ma_power_of_ten(int64_t n)
{
  double f = 1;
  for (int k = n > 400 ? 400 : (int)n; k > 0; k--) f *= 10;
  return f;
}

#define MA_MINUS(x) ((x) < 1 && (x) != 0)      /* x < 0, without a warning where x is unsigned */

/* ==== C: the names of what follows, and one pass for each type ==================================================== */

#ifdef __cplusplus
#define MA_TEMPLATE template <class T> MA_FN
#define MA_COMPLEX template <class C> MA_FN
#define MA_SELF(name) name
#define R decltype(C::re)
/* C++ leaves signed overflow undefined: unsigned arithmetic, at least as wide as int. */
template <class T> struct ma_wide { typedef uint32_t type; };
template <> struct ma_wide<int64_t> { typedef uint64_t type; };
template <> struct ma_wide<uint64_t> { typedef uint64_t type; };
#define U typename ma_wide<T>::type
#else
#define MA_TEMPLATE MA_FN
#define MA_COMPLEX MA_FN

#define MA_INTEGER(name, x) _Generic((x), int8_t: name##_i1, int16_t: name##_i2, int32_t: name##_i4, int64_t: name##_i8, \
  uint8_t: name##_u1, uint16_t: name##_u2, uint32_t: name##_u4, uint64_t: name##_u8)
#define ma_int_add(x, y) MA_INTEGER(ma_int_add, x)(x, y)
#define ma_int_subtract(x, y) MA_INTEGER(ma_int_subtract, x)(x, y)
#define ma_int_multiply(x, y) MA_INTEGER(ma_int_multiply, x)(x, y)
#define ma_int_negative(x) MA_INTEGER(ma_int_negative, x)(x)
#define ma_int_absolute(x) MA_INTEGER(ma_int_absolute, x)(x)
#define ma_int_sign(x) MA_INTEGER(ma_int_sign, x)(x)
#define ma_int_floor_divide(x, y) MA_INTEGER(ma_int_floor_divide, x)(x, y)
#define ma_int_remainder(x, y) MA_INTEGER(ma_int_remainder, x)(x, y)
#define ma_int_fmod(x, y) MA_INTEGER(ma_int_fmod, x)(x, y)
#define ma_int_power(x, y) MA_INTEGER(ma_int_power, x)(x, y)
#define ma_int_reciprocal(x) MA_INTEGER(ma_int_reciprocal, x)(x)
#define ma_int_gcd(x, y) MA_INTEGER(ma_int_gcd, x)(x, y)
#define ma_int_lcm(x, y) MA_INTEGER(ma_int_lcm, x)(x, y)
#define ma_int_clip(x, low, high) MA_INTEGER(ma_int_clip, x)(x, low, high)
#define ma_int_left_shift(x, y) MA_INTEGER(ma_int_left_shift, x)(x, y)
#define ma_int_right_shift(x, y) MA_INTEGER(ma_int_right_shift, x)(x, y)
#define ma_int_count(x) MA_INTEGER(ma_int_count, x)(x)
#define ma_int_round(x, n) MA_INTEGER(ma_int_round, x)(x, n)

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

#define MA_CFLOAT(name, x) _Generic((x), ma_c64: name##_c8, ma_c128: name##_c16)
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

#define MA_SCALAR_PASS 1
#define U uint32_t
#define T int8_t
#define MA_SELF(name) name##_i1
#include "scalar.h"
#undef T
#undef MA_SELF
#define T int16_t
#define MA_SELF(name) name##_i2
#include "scalar.h"
#undef T
#undef MA_SELF
#define T int32_t
#define MA_SELF(name) name##_i4
#include "scalar.h"
#undef T
#undef MA_SELF
#define T uint8_t
#define MA_SELF(name) name##_u1
#include "scalar.h"
#undef T
#undef MA_SELF
#define T uint16_t
#define MA_SELF(name) name##_u2
#include "scalar.h"
#undef T
#undef MA_SELF
#define T uint32_t
#define MA_SELF(name) name##_u4
#include "scalar.h"
#undef T
#undef MA_SELF
#undef U
#define U uint64_t
#define T int64_t
#define MA_SELF(name) name##_i8
#include "scalar.h"
#undef T
#undef MA_SELF
#define T uint64_t
#define MA_SELF(name) name##_u8
#include "scalar.h"
#undef T
#undef MA_SELF
#undef U
#undef MA_SCALAR_PASS

#define MA_SCALAR_PASS 2
#define T float
#define MA_SELF(name) name##_f4
#include "scalar.h"
#undef T
#undef MA_SELF
#define T double
#define MA_SELF(name) name##_f8
#include "scalar.h"
#undef T
#undef MA_SELF
#undef MA_SCALAR_PASS

#define MA_SCALAR_PASS 3
#define C ma_c64
#define R float
#define MA_SELF(name) name##_c8
#include "scalar.h"
#undef C
#undef R
#undef MA_SELF
#define C ma_c128
#define R double
#define MA_SELF(name) name##_c16
#include "scalar.h"
#undef C
#undef R
#undef MA_SELF
#undef MA_SCALAR_PASS
#endif
#define MA_SCALAR_LAST
#endif

/* ==== PASS 1: integers of type T, with U an unsigned type of at least its width ================================== */

#if MA_SCALAR_PASS == 1 || (defined(__cplusplus) && defined(MA_SCALAR_LAST))
MA_TEMPLATE T MA_SELF(ma_int_add)(T x, T y) { return (T)((U)x + (U)y); }
MA_TEMPLATE T MA_SELF(ma_int_subtract)(T x, T y) { return (T)((U)x - (U)y); }
MA_TEMPLATE T MA_SELF(ma_int_multiply)(T x, T y) { return (T)((U)x * (U)y); }
MA_TEMPLATE T MA_SELF(ma_int_negative)(T x) { return (T)((U)0 - (U)x); }
MA_TEMPLATE T MA_SELF(ma_int_absolute)(T x) { return MA_MINUS(x) ? (T)((U)0 - (U)x) : x; }
MA_TEMPLATE T MA_SELF(ma_int_sign)(T x) { return (T)((x > 0) - (MA_MINUS(x))); }
MA_TEMPLATE T MA_SELF(ma_int_clip)(T x, T low, T high) { x = x > low ? x : low; return x < high ? x : high; }

MA_TEMPLATE T MA_SELF(ma_int_floor_divide)(T x, T y)
{
  if (y == 0) return 0;
  if ((T)-1 < (T)1 && y == (T)-1) return (T)((U)0 - (U)x);
  T q = (T)(x / y);
  return (MA_MINUS(x)) != (MA_MINUS(y)) && (T)(q * y) != x ? (T)(q - 1) : q;
}
MA_TEMPLATE T MA_SELF(ma_int_fmod)(T x, T y)
{
  return y == 0 || ((T)-1 < (T)1 && y == (T)-1) ? (T)0 : (T)(x % y);
}
MA_TEMPLATE T MA_SELF(ma_int_remainder)(T x, T y)
{
  if (y == 0 || ((T)-1 < (T)1 && y == (T)-1)) return 0;
  T r = (T)(x % y);
  return r != 0 && (MA_MINUS(r)) != (MA_MINUS(y)) ? (T)(r + y) : r;
}
/* By squaring, wrapping. The callers refuse negative exponents; what is left of them is the whole quotient 1 / x^-y. */
MA_TEMPLATE T MA_SELF(ma_int_power)(T x, T y)
{
  if (MA_MINUS(y)) return x == 1 ? (T)1 : x == (T)-1 ? (y & 1 ? x : (T)1) : (T)0;
  U base = (U)x, power = 1;
  for (; y > 0; y = (T)(y >> 1)) {
    if (y & 1) power *= base;
    base *= base;
  }
  return (T)power;
}
MA_TEMPLATE T MA_SELF(ma_int_reciprocal)(T x) { return x == 1 || ((T)-1 < (T)1 && x == (T)-1) ? x : (T)0; }
MA_TEMPLATE T MA_SELF(ma_int_gcd)(T x, T y)
{
  U a = MA_MINUS(x) ? (U)0 - (U)x : (U)x, b = MA_MINUS(y) ? (U)0 - (U)y : (U)y;
  while (b != 0) {
    U r = a % b;
    a = b;
    b = r;
  }
  return (T)a;
}
MA_TEMPLATE T MA_SELF(ma_int_lcm)(T x, T y)
{
  U a = MA_MINUS(x) ? (U)0 - (U)x : (U)x, b = MA_MINUS(y) ? (U)0 - (U)y : (U)y, r = a, gcd = b;
  while (r != 0) {
    U next = gcd % r;
    gcd = r;
    r = next;
  }
  return gcd == 0 ? (T)0 : (T)(a / gcd * b);
}
MA_TEMPLATE T MA_SELF(ma_int_left_shift)(T x, T y) { return (uint64_t)y < 8 * sizeof(T) ? (T)((U)x << y) : (T)0; }
MA_TEMPLATE T MA_SELF(ma_int_right_shift)(T x, T y) { return (uint64_t)y < 8 * sizeof(T) ? (T)(x >> y) : MA_MINUS(x) ? (T)-1 : (T)0; }
MA_TEMPLATE uint8_t MA_SELF(ma_int_count)(T x)
{
  uint64_t u = MA_MINUS(x) ? (uint64_t)0 - (uint64_t)x : (uint64_t)x;
  u = u - (u >> 1 & 0x5555555555555555u);
  u = (u & 0x3333333333333333u) + (u >> 2 & 0x3333333333333333u);
  u = (u + (u >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (uint8_t)(u * 0x0101010101010101u >> 56);
}
/* To 10^-n, ties to even; n >= 0 changes nothing. */
MA_TEMPLATE T MA_SELF(ma_int_round)(T x, int64_t n)
{
  if (n >= 0) return x;
  if (n < -19) return 0;
  uint64_t u = MA_MINUS(x) ? (uint64_t)0 - (uint64_t)x : (uint64_t)x, unit = 1;
  for (; n < 0; n++) unit *= 10;
  uint64_t q = u / unit, r = u % unit;
  if (r > unit / 2 || (r == unit / 2 && (q & 1))) q++;
  return (T)(MA_MINUS(x) ? (uint64_t)0 - q * unit : q * unit);
}
#endif

/* ==== PASS 2: floats of type T =================================================================================== */

#if MA_SCALAR_PASS == 2 || (defined(__cplusplus) && defined(MA_SCALAR_LAST))
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
MA_TEMPLATE uint8_t MA_SELF(ma_isclose)(T x, T y, T relative, T absolute)
{
  return (x == y) | ((ma_absolute(x - y) <= absolute + relative * ma_absolute(y)) & MA_SELF(ma_isfinite)(y));
}
MA_TEMPLATE T MA_SELF(ma_nan_to_num)(T x, T nan, T high, T low)
{
  return x != x ? nan : x - x == 0 ? x : x > 0 ? high : low;
}

/* The whole quotient and the remainder with the sign of y, as Python and NumPy define them. */
MA_TEMPLATE T MA_SELF(ma_remainder)(T x, T y)
{
  T r = ma_fmod(x, y);
  if (y == 0) return r;
  if (r == 0) return ma_copysign((T)0, y);
  return (y < 0) != (r < 0) ? r + y : r;
}
MA_TEMPLATE T MA_SELF(ma_floor_divide)(T x, T y)
{
  if (y == 0) return x / y;
  T r = ma_fmod(x, y), q = (x - r) / y;
  if (r != 0 && (y < 0) != (r < 0)) q -= 1;
  if (q == 0) return ma_copysign((T)0, x / y);
  T whole = ma_floor(q);
  return q - whole > (T)0.5 ? whole + 1 : whole;
}

MA_TEMPLATE T MA_SELF(ma_ldexp)(T x, int64_t n)
{
  int small = n > 10000 ? 10000 : n < -10000 ? -10000 : (int)n;
  return (T)ldexp((double)x, small);
}
MA_TEMPLATE T MA_SELF(ma_frexp_mantissa)(T x) { int e; return (T)frexp((double)x, &e); }
MA_TEMPLATE int32_t MA_SELF(ma_frexp_exponent)(T x)
{
  int e = 0;
  if (x - x == 0) (void)frexp((double)x, &e);
  return e;
}
MA_TEMPLATE T MA_SELF(ma_modf_fraction)(T x) { return ma_copysign(x == x && x - x != 0 ? (T)0 : x - ma_trunc(x), x); }

/* To 10^-n as NumPy does: scaled, rounded and scaled back. Where scaling leaves the range there is nothing to round. */
MA_TEMPLATE T MA_SELF(ma_round)(T x, int64_t n)
{
  if (n == 0) return ma_rint(x);
  T f = (T)ma_power_of_ten(n < 0 ? -n : n);
  if (n < 0) return f - f != 0 ? ma_copysign((T)0, x) : ma_rint(x / f) * f;
  T scaled = x * f;
  return scaled - scaled != 0 ? x : ma_rint(scaled) / f;
}

MA_TEMPLATE T MA_SELF(ma_logaddexp)(T x, T y)
{
  T d = x - y;
  T high = d > 0 ? x : y;
  return x == y ? x + (T)0.693147180559945309417 : d != d ? d : high + ma_log1p(ma_exp(-ma_absolute(d)));
}
MA_TEMPLATE T MA_SELF(ma_logaddexp2)(T x, T y)
{
  T d = x - y;
  T high = d > 0 ? x : y;
  return x == y ? x + 1 : d != d ? d : high + (T)1.442695040888963407360 * ma_log1p(ma_exp2(-ma_absolute(d)));
}
MA_TEMPLATE T MA_SELF(ma_sinc)(T x)
{
  T y = (T)3.141592653589793238463 * x;
  return x == 0 ? (T)1 : ma_sin(y) / y;
}

/* Chebyshev series of Cephes, in 0 .. 8 and above it. */
MA_TEMPLATE T MA_SELF(ma_i0)(T x)
{
  const double near[30] = {
    -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15, -1.1685332877993451e-14,
    7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12, -1.726826291441556e-11, 9.675809035373237e-11,
    -5.189795601635263e-10, 2.6598237246823866e-09, -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07,
    1.1173875391201037e-06, -4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165,
    -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998, -0.02373741480589947,
    0.04930528423967071, -0.09490109704804764, 0.17162090152220877, -0.3046826723431984, 0.6767952744094761 };
  const double far[25] = {
    -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17, -2.8276239805165836e-16,
    -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15, -9.554846698828307e-15, -4.150569347287222e-14,
    1.54008621752141e-14, 3.8527783827421426e-13, 7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11,
    -3.1499165279632416e-11, 1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
    2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943, 0.8044904110141088 };
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
#endif

/* ==== PASS 3: complex numbers of type C with parts of type R ===================================================== */

#if MA_SCALAR_PASS == 3 || (defined(__cplusplus) && defined(MA_SCALAR_LAST))
MA_COMPLEX C MA_SELF(ma_cadd)(C x, C y) { x.re += y.re; x.im += y.im; return x; }
MA_COMPLEX C MA_SELF(ma_csubtract)(C x, C y) { x.re -= y.re; x.im -= y.im; return x; }
MA_COMPLEX C MA_SELF(ma_cmultiply)(C x, C y) { C z; z.re = x.re * y.re - x.im * y.im; z.im = x.re * y.im + x.im * y.re; return z; }
MA_COMPLEX C MA_SELF(ma_csquare)(C x) { C z; z.re = x.re * x.re - x.im * x.im; z.im = x.re * x.im + x.im * x.re; return z; }
MA_COMPLEX C MA_SELF(ma_cnegative)(C x) { x.re = -x.re; x.im = -x.im; return x; }
MA_COMPLEX C MA_SELF(ma_cconjugate)(C x) { x.im = -x.im; return x; }
MA_COMPLEX R MA_SELF(ma_cabsolute)(C x) { return ma_hypot(x.re, x.im); }
MA_COMPLEX uint8_t MA_SELF(ma_ctruth)(C x) { return (x.re != 0) | (x.im != 0); }
MA_COMPLEX uint8_t MA_SELF(ma_cisnan)(C x) { return (x.re != x.re) | (x.im != x.im); }
MA_COMPLEX uint8_t MA_SELF(ma_cisfinite)(C x) { return (x.re - x.re == 0) & (x.im - x.im == 0); }
MA_COMPLEX uint8_t MA_SELF(ma_cisinf)(C x) { return ((x.re == x.re) & (x.re - x.re != 0)) | ((x.im == x.im) & (x.im - x.im != 0)); }

/* Smith's method: no overflow where the quotient has none. */
MA_COMPLEX C MA_SELF(ma_cdivide)(C x, C y)
{
  C z;
  if (ma_absolute(y.re) >= ma_absolute(y.im)) {
    if (y.re == 0) { z.re = x.re / ma_absolute(y.re); z.im = x.im / ma_absolute(y.re); return z; }
    R ratio = y.im / y.re, scale = (R)1 / (y.re + y.im * ratio);
    z.re = (x.re + x.im * ratio) * scale;
    z.im = (x.im - x.re * ratio) * scale;
  } else {
    R ratio = y.re / y.im, scale = (R)1 / (y.im + y.re * ratio);
    z.re = (x.re * ratio + x.im) * scale;
    z.im = (x.im * ratio - x.re) * scale;
  }
  return z;
}
MA_COMPLEX C MA_SELF(ma_creciprocal)(C x)
{
  C z;
  if (ma_absolute(x.im) <= ma_absolute(x.re)) {
    R ratio = x.im / x.re, below = x.re + x.im * ratio;
    z.re = 1 / below;
    z.im = -ratio / below;
  } else {
    R ratio = x.re / x.im, below = x.re * ratio + x.im;
    z.re = ratio / below;
    z.im = -1 / below;
  }
  return z;
}
MA_COMPLEX C MA_SELF(ma_csign)(C x)
{
  R size = ma_hypot(x.re, x.im);
  C z;
  if (size != size || size == 0) { z.re = z.im = size; return z; }
  if (size - size == 0) { z.re = x.re / size; z.im = x.im / size; return z; }
  int wide = ma_isinf(x.re), high = ma_isinf(x.im);
  z.re = wide ? (high ? size - size : ma_copysign((R)1, x.re)) : (R)0;
  z.im = high ? (wide ? size - size : ma_copysign((R)1, x.im)) : (R)0;
  return z;
}

/* Order: by real part, then by imaginary part; a NaN part compares false. */
MA_COMPLEX uint8_t MA_SELF(ma_cequal)(C x, C y) { return (x.re == y.re) & (x.im == y.im); }
MA_COMPLEX uint8_t MA_SELF(ma_cless)(C x, C y)
{
  return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im < y.im));
}
MA_COMPLEX uint8_t MA_SELF(ma_cless_equal)(C x, C y)
{
  return ((x.re < y.re) & (x.im == x.im) & (y.im == y.im)) | ((x.re == y.re) & (x.im <= y.im));
}
MA_COMPLEX C MA_SELF(ma_cmaximum)(C x, C y) { return (MA_SELF(ma_cless_equal)(y, x) | MA_SELF(ma_cisnan)(x)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cminimum)(C x, C y) { return (MA_SELF(ma_cless_equal)(x, y) | MA_SELF(ma_cisnan)(x)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cfmax)(C x, C y) { return (MA_SELF(ma_cless_equal)(y, x) | MA_SELF(ma_cisnan)(y)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cfmin)(C x, C y) { return (MA_SELF(ma_cless_equal)(x, y) | MA_SELF(ma_cisnan)(y)) ? x : y; }
MA_COMPLEX C MA_SELF(ma_cclip)(C x, C low, C high) { return MA_SELF(ma_cminimum)(MA_SELF(ma_cmaximum)(x, low), high); }

MA_COMPLEX uint8_t MA_SELF(ma_cisclose)(C x, C y, R relative, R absolute)
{
  R distance = MA_SELF(ma_cabsolute)(MA_SELF(ma_csubtract)(x, y));
  return MA_SELF(ma_cequal)(x, y) | ((distance <= absolute + relative * MA_SELF(ma_cabsolute)(y)) & MA_SELF(ma_cisfinite)(y));
}
MA_COMPLEX C MA_SELF(ma_cnan_to_num)(C x, R nan, R high, R low)
{
  x.re = ma_nan_to_num(x.re, nan, high, low);
  x.im = ma_nan_to_num(x.im, nan, high, low);
  return x;
}
MA_COMPLEX C MA_SELF(ma_crint)(C x) { x.re = ma_rint(x.re); x.im = ma_rint(x.im); return x; }
MA_COMPLEX C MA_SELF(ma_cround)(C x, int64_t n) { x.re = ma_round(x.re, n); x.im = ma_round(x.im, n); return x; }
#endif

/* ==== Complex functions: computed in double, and rounded once for complex64. Special values as in C11, annex G. === */

#ifdef MA_SCALAR_LAST
#undef MA_SCALAR_LAST

#ifdef __cplusplus
#define MA_BIG inline __device__
#else
#define MA_BIG static inline __attribute__((unused))
#endif
#define MA_LN2 0.693147180559945309417
#define MA_PI_2 1.570796326794896619231
#define MA_EPSILON 0x1p-52

#define MA_CFUNCTION(name) \
  MA_FN ma_c64 MA_NAME(name, c8)(ma_c64 x) { return ma_to_c8(MA_NAME(name, c16)(ma_to_c16(x))); }

/* A product with an infinity that leaves zeros alone: the parts of exp(inf) * cis(y). */
MA_FN ma_c128 ma_cis_times(double factor, double y) { return ma_make_c128(factor * cos(y), factor * sin(y)); }

#ifndef MA_NO_COMPLEX_FUNCTIONS         /* defined by who calls none of those from here on */
MA_BIG ma_c128 MA_NAME(ma_cexp, c16)(ma_c128 z)
{
  double x = z.re, y = z.im;
  if (y == 0) return ma_make_c128(exp(x), y);
  if (x == 0) return ma_cis_times(1, y);
  if (y - y != 0) {
    if (x - x != 0 && x == x) return x > 0 ? ma_make_c128(x, y - y) : ma_make_c128(0, copysign(0.0, y));
    return ma_make_c128(y - y, y - y);
  }
  if (x > 709) {                       /* exp(x) may overflow where its product with a small cosine does not */
    ma_c128 half = ma_cis_times(exp(x * 0.5), y);
    return ma_make_c128(half.re * exp(x * 0.5), half.im * exp(x * 0.5));
  }
  return ma_cis_times(exp(x), y);
}
MA_CFUNCTION(ma_cexp)

MA_BIG ma_c128 MA_NAME(ma_cexp2, c16)(ma_c128 z) { return MA_NAME(ma_cexp, c16)(ma_make_c128(z.re * MA_LN2, z.im * MA_LN2)); }
MA_CFUNCTION(ma_cexp2)

MA_BIG ma_c128 MA_NAME(ma_cexpm1, c16)(ma_c128 z)
{
  double s = sin(z.im * 0.5);
  if (z.im == 0) return ma_make_c128(expm1(z.re), z.im);
  return ma_make_c128(expm1(z.re) * cos(z.im) - 2 * s * s, exp(z.re) * sin(z.im));
}
MA_CFUNCTION(ma_cexpm1)

/* x^2 as high + low, exactly. */
MA_FN double ma_square_exactly(double x, double *low)
{
  double t = x * 134217729.0, h = t - (t - x), l = x - h, square = x * x;
  *low = ((h * h - square) + 2 * h * l) + l * l;
  return square;
}
/* log(sqrt(x^2 + y^2)) */
MA_BIG double ma_log_hypot(double x, double y)
{
  double a = fabs(x), b = fabs(y);
  if (a < b) { double t = a; a = b; b = t; }
  if (a - a != 0 || b != b) return log(hypot(x, y));
  if (a > 0x1p1022) return log(hypot(a * 0.5, b * 0.5)) + MA_LN2;
  if (a < 0x1p-1000) return log(hypot(a * 0x1p100, b * 0x1p100)) - 100 * MA_LN2;
  if (a < 0.5 || a > 2) return log(hypot(a, b));
  double la, lb, sa = ma_square_exactly(a, &la), sb = 0;
  if (b > 0x1p-500) sb = ma_square_exactly(b, &lb); else lb = 0;
  if (sa + sb < 0.5 || sa + sb > 3) return log(hypot(a, b));
  double p = sa - 1, s = p + sb, t = s - p, low = (p - (s - t)) + (sb - t);     /* near |z| = 1 the logarithm is what is left of 1 */
  return 0.5 * log1p(s + (low + (la + lb)));
}
MA_BIG ma_c128 MA_NAME(ma_clog, c16)(ma_c128 z) { return ma_make_c128(ma_log_hypot(z.re, z.im), atan2(z.im, z.re)); }
MA_CFUNCTION(ma_clog)

MA_BIG ma_c128 MA_NAME(ma_clog2, c16)(ma_c128 z)
{
  z = MA_NAME(ma_clog, c16)(z);
  return ma_make_c128(z.re * 1.442695040888963407360, z.im * 1.442695040888963407360);
}
MA_CFUNCTION(ma_clog2)
MA_BIG ma_c128 MA_NAME(ma_clog10, c16)(ma_c128 z)
{
  z = MA_NAME(ma_clog, c16)(z);
  return ma_make_c128(z.re * 0.434294481903251827651, z.im * 0.434294481903251827651);
}
MA_CFUNCTION(ma_clog10)
MA_BIG ma_c128 MA_NAME(ma_clog1p, c16)(ma_c128 z)
{
  double re = fabs(z.re) < 0.5 && fabs(z.im) < 0.5 ? 0.5 * log1p(z.re * (2 + z.re) + z.im * z.im) : ma_log_hypot(z.re + 1, z.im);
  return ma_make_c128(re, atan2(z.im, z.re + 1));
}
MA_CFUNCTION(ma_clog1p)

MA_BIG ma_c128 MA_NAME(ma_csqrt, c16)(ma_c128 z)
{
  double x = z.re, y = z.im, scale = 1;
  if (x == 0 && y == 0) return ma_make_c128(0, y);
  if (y == y && y - y != 0) return ma_make_c128(fabs(y), y);
  if (x != x) return ma_make_c128(x, x);
  if (x - x != 0) return x > 0 ? ma_make_c128(x, y == y ? copysign(0.0, y) : y) : ma_make_c128(y == y ? 0 : y, copysign(x, y));
  if (y != y) return ma_make_c128(y, y);
  if (fabs(x) > 0x1p1020 || fabs(y) > 0x1p1020) { x *= 0x1p-4; y *= 0x1p-4; scale = 0x1p2; }
  else if (fabs(x) < 0x1p-960 && fabs(y) < 0x1p-960) { x *= 0x1p108; y *= 0x1p108; scale = 0x1p-54; }
  double t = sqrt((fabs(x) + hypot(x, y)) * 0.5);
  return x >= 0 ? ma_make_c128(t * scale, y / (2 * t) * scale) : ma_make_c128(fabs(y) / (2 * t) * scale, copysign(t, y) * scale);
}
MA_CFUNCTION(ma_csqrt)

MA_BIG ma_c128 MA_NAME(ma_cpower, c16)(ma_c128 x, ma_c128 y)
{
  if (y.re == 0 && y.im == 0) return ma_make_c128(1, 0);
  if (x.re == 0 && x.im == 0) {
    if (y.re > 0) return ma_make_c128(0, 0);
    double nan = x.re / x.re;
    return ma_make_c128(nan, nan);
  }
  if (y.im == 0 && y.re == rint(y.re) && fabs(y.re) < 100) {
    ma_c128 p = ma_make_c128(1, 0), base = x;
    int n = (int)fabs(y.re);
    if (n == 1 && y.re > 0) return x;
    for (; n > 0; n >>= 1) {
      if (n & 1) p = ma_cmultiply(p, base);
      base = ma_csquare(base);
    }
    return y.re < 0 ? ma_cdivide(ma_make_c128(1, 0), p) : p;
  }
  return MA_NAME(ma_cexp, c16)(ma_cmultiply(y, MA_NAME(ma_clog, c16)(x)));
}
MA_FN ma_c64 MA_NAME(ma_cpower, c8)(ma_c64 x, ma_c64 y) { return ma_to_c8(MA_NAME(ma_cpower, c16)(ma_to_c16(x), ma_to_c16(y))); }

MA_BIG ma_c128 MA_NAME(ma_csinh, c16)(ma_c128 z)
{
  double x = z.re, y = z.im;
  if (y == 0) return ma_make_c128(sinh(x), y);
  if (y - y != 0) return ma_make_c128(x == 0 ? x : x == x && x - x != 0 ? fabs(x) : y - y, y - y);
  if (fabs(x) > 709) {
    double h = exp(fabs(x) * 0.5);
    return ma_make_c128(copysign(0.5, x) * h * cos(y) * h, 0.5 * h * sin(y) * h);
  }
  return ma_make_c128(sinh(x) * cos(y), cosh(x) * sin(y));
}
MA_CFUNCTION(ma_csinh)
MA_BIG ma_c128 MA_NAME(ma_ccosh, c16)(ma_c128 z)
{
  double x = z.re, y = z.im;
  if (y == 0) return ma_make_c128(cosh(x), copysign(0.0, x) * y);
  if (y - y != 0) return ma_make_c128(x == x && x - x != 0 ? fabs(x) : y - y, x == 0 ? 0 : y - y);
  if (fabs(x) > 709) {
    double h = exp(fabs(x) * 0.5);
    return ma_make_c128(0.5 * h * cos(y) * h, copysign(0.5, x) * h * sin(y) * h);
  }
  return ma_make_c128(cosh(x) * cos(y), sinh(x) * sin(y));
}
MA_CFUNCTION(ma_ccosh)
MA_BIG ma_c128 MA_NAME(ma_ctanh, c16)(ma_c128 z)
{
  double x = z.re, y = z.im;
  if (x != x) return ma_make_c128(x, y == 0 ? y : x);
  if (x - x != 0) return ma_make_c128(copysign(1.0, x), copysign(0.0, y - y != 0 ? y : sin(y) * cos(y)));
  if (y - y != 0) return ma_make_c128(x == 0 ? x : y - y, y - y);
  if (fabs(x) >= 22) {
    double e = exp(-fabs(x));
    return ma_make_c128(copysign(1.0, x), 4 * sin(y) * cos(y) * e * e);
  }
  double t = tan(y), beta = 1 + t * t, s = sinh(x), rho = sqrt(1 + s * s), below = 1 + beta * s * s;
  return ma_make_c128(beta * rho * s / below, t / below);
}
MA_CFUNCTION(ma_ctanh)

/* f(z) = -i * fh(iz): the function of z with its parts exchanged, exchanged */
#define MA_CTURNED(name, hyperbolic) \
  MA_BIG ma_c128 MA_NAME(name, c16)(ma_c128 z) \
  { \
    ma_c128 w = MA_NAME(hyperbolic, c16)(ma_make_c128(z.im, z.re)); \
    return ma_make_c128(w.im, w.re); \
  } \
  MA_CFUNCTION(name)
MA_CTURNED(ma_csin, ma_csinh)
MA_CTURNED(ma_ctan, ma_ctanh)
MA_BIG ma_c128 MA_NAME(ma_ccos, c16)(ma_c128 z) { return MA_NAME(ma_ccosh, c16)(ma_make_c128(-z.im, z.re)); }
MA_CFUNCTION(ma_ccos)

/*
** Inverse functions after Hull, Fairgrieve and Tang (1997). With r and s the distances of x + iy from i and -i, and
** a = (r + s) / 2: asinh has the real part log(a + sqrt(a^2 - 1)) and the imaginary part asin(y / a), each computed
** without cancellation. (ma_half_excess is (hypot(a, b) - b) / 2.)
*/
typedef struct ma_ellipse { double log_a, sine, adjacent, opposite; int by_sine; } ma_ellipse;
MA_FN double ma_half_excess(double a, double b, double h) { return b < 0 ? (h - b) / 2 : b == 0 ? a / 2 : a * a / (h + b) / 2; }
MA_BIG ma_ellipse ma_ellipse_of(double x, double y)
{
  ma_ellipse e;
  double r = hypot(x, y + 1), s = hypot(x, y - 1), a = (r + s) / 2;
  if (a < 1) a = 1;
  if (a >= 10) e.log_a = log(a + sqrt(a * a - 1));
  else if (y == 1 && x < MA_EPSILON * MA_EPSILON / 128) e.log_a = sqrt(x);
  else if (x >= MA_EPSILON * fabs(y - 1)) {
    double excess = ma_half_excess(x, 1 + y, r) + ma_half_excess(x, 1 - y, s);
    e.log_a = log1p(excess + sqrt(excess * (a + 1)));
  } else if (y < 1) e.log_a = x / sqrt((1 - y) * (1 + y));
  else e.log_a = log1p((y - 1) + sqrt((y - 1) * (y + 1)));
  e.opposite = y;
  e.sine = y / a;
  e.adjacent = 0;
  e.by_sine = 0;
  if (y < 0x1p-509) {
    e.adjacent = a * (2 / MA_EPSILON);
    e.opposite = y * (2 / MA_EPSILON);
  } else if (e.sine <= 0.6417) e.by_sine = 1;
  else if (y == 1 && x < MA_EPSILON / 128) e.adjacent = sqrt(x) * sqrt((a + y) / 2);
  else if (x >= MA_EPSILON * fabs(y - 1)) {
    double rest = ma_half_excess(x, y + 1, r) + ma_half_excess(x, y - 1, s);
    e.adjacent = sqrt(rest * (a + y));
  } else if (y > 1) {
    e.adjacent = x * (4 / MA_EPSILON / MA_EPSILON) * y / sqrt((y + 1) * (y - 1));
    e.opposite = y * (4 / MA_EPSILON / MA_EPSILON);
  } else e.adjacent = sqrt((1 - y) * (1 + y));
  return e;
}
MA_BIG ma_c128 MA_NAME(ma_carcsinh, c16)(ma_c128 z)
{
  double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y);
  if (x != x || y != y) {
    if (x == x && x - x != 0) return ma_make_c128(x, y);
    if (y == y && y - y != 0) return ma_make_c128(fabs(y), x);
    return ma_make_c128(x + y, y == 0 ? y : x + y);
  }
  if (ax > 1 / MA_EPSILON || ay > 1 / MA_EPSILON)
    return ma_make_c128(copysign(ma_log_hypot(x, y) + MA_LN2, x), copysign(atan2(ay, ax), y));
  if (ax < 0x1p-27 && ay < 0x1p-27) return z;
  ma_ellipse e = ma_ellipse_of(ax, ay);
  return ma_make_c128(copysign(e.log_a, x), copysign(e.by_sine ? asin(e.sine) : atan2(e.opposite, e.adjacent), y));
}
MA_CFUNCTION(ma_carcsinh)
MA_BIG ma_c128 MA_NAME(ma_carcsin, c16)(ma_c128 z)
{
  ma_c128 w = MA_NAME(ma_carcsinh, c16)(ma_make_c128(z.im, z.re));
  return ma_make_c128(w.im, w.re);
}
MA_CFUNCTION(ma_carcsin)
MA_BIG ma_c128 MA_NAME(ma_carccos, c16)(ma_c128 z)
{
  double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), re, im;
  if (x != x || y != y) {
    if (x == x && x - x != 0) return ma_make_c128(y, -fabs(x));
    if (y == y && y - y != 0) return ma_make_c128(x, -y);
    return ma_make_c128(x == 0 ? MA_PI_2 : x + y, x + y);
  }
  if (ax > 1 / MA_EPSILON || ay > 1 / MA_EPSILON) {
    re = fabs(atan2(y, x));
    im = ma_log_hypot(x, y) + MA_LN2;
  } else if (x == 1 && y == 0) return ma_make_c128(0, -y);
  else if (ax < 0x1p-27 && ay < 0x1p-27) return ma_make_c128(MA_PI_2 - (x - 6.123233995736766036e-17), -y);
  else {
    ma_ellipse e = ma_ellipse_of(ay, ax);
    re = e.by_sine ? acos(copysign(e.sine, x)) : atan2(e.adjacent, copysign(e.opposite, x));
    im = e.log_a;
  }
  return ma_make_c128(re, copysign(1.0, y) > 0 ? -im : im);
}
MA_CFUNCTION(ma_carccos)
MA_BIG ma_c128 MA_NAME(ma_carccosh, c16)(ma_c128 z)
{
  ma_c128 w = MA_NAME(ma_carccos, c16)(z);
  if (w.re != w.re && w.im != w.im) return ma_make_c128(w.im, w.re);
  if (w.re != w.re) return ma_make_c128(fabs(w.im), w.re);
  if (w.im != w.im) return ma_make_c128(w.im, w.re);
  return ma_make_c128(fabs(w.im), copysign(w.re, z.im));
}
MA_CFUNCTION(ma_carccosh)
MA_BIG ma_c128 MA_NAME(ma_carctanh, c16)(ma_c128 z)
{
  double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), re, im;
  if (y == 0 && ax <= 1) return ma_make_c128(atanh(x), y);
  if (x == 0) return ma_make_c128(x, atan(y));
  if (x != x || y != y) {
    if (x == x && x - x != 0) return ma_make_c128(copysign(0.0, x), y);
    if (y == y && y - y != 0) return ma_make_c128(copysign(0.0, x), copysign(MA_PI_2, y));
    return ma_make_c128(x + y, x + y);
  }
  if (ax > 1 / MA_EPSILON || ay > 1 / MA_EPSILON) {
    if (ax - ax != 0 || ay - ay != 0) re = 0;
    else re = ax > ay ? 1 / (ax + ay * (ay / ax)) : ax / ay / (ax * (ax / ay) + ay);
    return ma_make_c128(copysign(re, x), copysign(MA_PI_2, y));
  }
  if (ax < 0x1p-27 && ay < 0x1p-27) return z;
  re = ax == 1 && ay < MA_EPSILON ? (MA_LN2 - log(ay)) / 2
     : log1p(4 * ax / ((ax - 1) * (ax - 1) + (ay < 0x1p-511 ? 0 : ay * ay))) / 4;
  im = ax == 1 ? atan2(2.0, -ay) / 2 : atan2(2.0 * ay, (1 - ax) * (1 + ax) - (ay < MA_EPSILON ? 0 : ay * ay)) / 2;
  return ma_make_c128(copysign(re, x), copysign(im, y));
}
MA_CFUNCTION(ma_carctanh)
MA_BIG ma_c128 MA_NAME(ma_carctan, c16)(ma_c128 z)
{
  ma_c128 w = MA_NAME(ma_carctanh, c16)(ma_make_c128(z.im, z.re));
  return ma_make_c128(w.im, w.re);
}
MA_CFUNCTION(ma_carctan)

MA_BIG ma_c128 MA_NAME(ma_csinc, c16)(ma_c128 z)
{
  if (z.re == 0 && z.im == 0) return ma_make_c128(1, 0);
  ma_c128 y = ma_make_c128(z.re * (2 * MA_PI_2), z.im * (2 * MA_PI_2));
  return ma_cdivide(MA_NAME(ma_csin, c16)(y), y);
}
MA_CFUNCTION(ma_csinc)
#endif

#undef MA_CFUNCTION
#undef MA_CTURNED
#undef MA_TEMPLATE
#undef MA_COMPLEX
#undef MA_SELF
#undef R
#undef U
#endif

#endif
