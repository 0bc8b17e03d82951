/*
** vectormath.h: tells the compiler which functions of the C library have vector forms. glibc's libmvec has them, to
** within 4 ulp, but its headers declare them only under -ffast-math, which is never used here because it changes the
** whole process.
*/
#ifndef MOONARRAY_CPU_VECTORMATH_H
#define MOONARRAY_CPU_VECTORMATH_H

#include <math.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define VECTOR1(name)                                              \
  __attribute__((simd("notinbranch"))) extern double name(double); \
  __attribute__((simd("notinbranch"))) extern float name##f(float);
#define VECTOR2(name)                                                      \
  __attribute__((simd("notinbranch"))) extern double name(double, double); \
  __attribute__((simd("notinbranch"))) extern float name##f(float, float);
VECTOR1(exp)
VECTOR1(exp2)
VECTOR1(expm1)
VECTOR1(log)
VECTOR1(log2)
VECTOR1(log10)
VECTOR1(log1p)
VECTOR1(cbrt)
VECTOR1(sin)
VECTOR1(cos)
VECTOR1(tan)
VECTOR1(asin)
VECTOR1(acos)
VECTOR1(atan)
VECTOR1(sinh)
VECTOR1(cosh)
VECTOR1(tanh)
VECTOR1(asinh)
VECTOR1(acosh)
VECTOR1(atanh)
VECTOR2(pow)
VECTOR2(atan2)
VECTOR2(hypot)
#undef VECTOR1
#undef VECTOR2
#endif
#endif
#endif
