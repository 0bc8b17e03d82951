/* mathematics.h: the C library's mathematics with one name for both widths; nextafter of the 16-bit floats; powers
** of ten. */
#define MA_MATH1(name, call)                                    \
  MA_FN float MA_NAME(name, f4)(float x) { return call##f(x); } \
  MA_FN double MA_NAME(name, f8)(double x) { return call(x); }
#define MA_MATH2(name, call)                                                \
  MA_FN float MA_NAME(name, f4)(float x, float y) { return call##f(x, y); } \
  MA_FN double MA_NAME(name, f8)(double x, double y) { return call(x, y); }
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
#if defined(__linux__) && !defined(__GLIBC__) && !defined(__CUDACC__)
/* musl's acoshf treats numbers far below -1 as if they were in its range. */
MA_FN float MA_NAME(ma_arccosh, f4)(float x) { return x < 1 ? (x - x) / (x - x) : acoshf(x); }
MA_FN double MA_NAME(ma_arccosh, f8)(double x) { return x < 1 ? (x - x) / (x - x) : acosh(x); }
#else
MA_MATH1(ma_arccosh, acosh)
#endif
MA_MATH1(ma_arctanh, atanh)
MA_MATH2(ma_power, pow)
MA_MATH2(ma_fmod, fmod)
MA_MATH2(ma_arctan2, atan2)
MA_MATH2(ma_hypot, hypot)
MA_MATH2(ma_copysign, copysign)
MA_MATH2(ma_nextafter, nextafter)

/* x * y + z in a polynomial. On a GPU it is one instruction with one rounding, since arithmetic limits the speed of
** functions that are polynomials. On a CPU it is two, since not every machine has that instruction. */
#if defined(__cplusplus) && !defined(MOONARRAY_CPU)
#define ma_fma_f4(x, y, z) fmaf(x, y, z)
#define ma_fma_f8(x, y, z) fma(x, y, z)
#else
#define ma_fma_f4(x, y, z) ((x) * (y) + (z))
#define ma_fma_f8(x, y, z) ((x) * (y) + (z))
#endif

#ifndef __cplusplus
#define MA_FLOAT(name, x) _Generic((x), float : name##_f4, double : name##_f8)
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

/* As in all floats, the next magnitude has the next bit pattern. */
MA_FN uint16_t ma_next16(uint16_t x, int towards_zero) { return (uint16_t)(towards_zero ? x - 1 : x + 1); }
MA_FN float ma_nextafter_f16(float x, float y) {
  uint16_t u = ma_float_to_f16(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return y > 0 ? 0x1p-24f : -0x1p-24f;
  return ma_f16_to_float(ma_next16(u, (x > 0) != (y > x)));
}
MA_FN float ma_nextafter_bf16(float x, float y) {
  uint16_t u = ma_float_to_bf16(x);
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return ma_bf16_to_float((uint16_t)(y > 0 ? 1 : 0x8001));
  return ma_bf16_to_float(ma_next16(u, (x > 0) != (y > x)));
}

/* 10^n, exact up to 22. */
MA_FN double ma_power_of_ten(int64_t n) {
  double f = 1;
  for (int k = n > 400 ? 400 : (int)n; k > 0; k--) f *= 10;
  return f;
}

#define MA_MINUS(x) ((x) < 1 && (x) != 0) /* x < 0, without a warning for an unsigned x */

/* -u, of unsigned u, which is then converted to T. ptxas of CUDA 13.0 for sm_90 compares the negation of an int16 as if
** it did not wrap: -(-32768) is 32768 there. It wraps a number of 32 bits that NVRTC could not narrow to 16. */
#if defined(__cplusplus) && defined(__CUDACC_RTC__)
MA_FN uint32_t ma_unseen(uint32_t x) {
  asm("" : "+r"(x));
  return x;
}
MA_FN uint64_t ma_unseen(uint64_t x) { return x; }
#define MA_NEGATED(T, u) (sizeof(T) == 2 ? ma_unseen(0 - (u)) : 0 - (u))
#else
#define MA_NEGATED(T, u) (0 - (u))
#endif
