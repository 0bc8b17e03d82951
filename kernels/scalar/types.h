/* types.h: differences between C and C++, bits, and the 16-bit floats. */
#ifdef __cplusplus
#ifndef MA_INTEGER_TYPES /* a prelude that has them already defines this */
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
struct ma_c64 {
  float re, im;
};
struct ma_c128 {
  double re, im;
};
#define MA_FN __device__ __forceinline__
#define MA_NAME(name, suffix) name
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#define MA_FN static inline __attribute__((always_inline, unused))
#define MA_NAME(name, suffix) name##_##suffix
#ifndef MOONARRAY_BASE_BASE_H
typedef struct ma_c64 {
  float re, im;
} ma_c64;
typedef struct ma_c128 {
  double re, im;
} ma_c128;
#endif
#endif

MA_FN ma_c64 ma_make_c64(float re, float im) {
  ma_c64 z;
  z.re = re;
  z.im = im;
  return z;
}
MA_FN ma_c128 ma_make_c128(double re, double im) {
  ma_c128 z;
  z.re = re;
  z.im = im;
  return z;
}

/* ==== Bits and 16-bit floats ===================================================================================== */

#ifdef __cplusplus
MA_FN uint32_t ma_bits(float x) { return __float_as_uint(x); }
MA_FN float ma_from_bits(uint32_t x) { return __uint_as_float(x); }
#else
MA_FN uint32_t ma_bits(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  return u;
}
MA_FN float ma_from_bits(uint32_t u) {
  float x;
  memcpy(&x, &u, 4);
  return x;
}
#endif

MA_FN float ma_bf16_to_float(uint16_t x) { return ma_from_bits((uint32_t)x << 16); }
MA_FN uint16_t ma_float_to_bf16(float x) {
  uint32_t u = ma_bits(x);
  return (uint16_t)(x != x ? (u >> 16 | 0x40) : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

#if defined(__cplusplus) && !defined(MOONARRAY_CPU) /* on a CPU, cpu_cuda.h precedes this text */
MA_FN float ma_f16_to_float(uint16_t x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}
MA_FN uint16_t ma_float_to_f16(float x) {
  uint16_t y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
#else
/* Without branches, so that loops over it are vectorised. */
MA_FN float ma_f16_to_float(uint16_t x) {
  uint32_t twice = (uint32_t)x << 17;
  uint32_t normal = ma_bits(ma_from_bits((twice >> 4) + ((uint32_t)0xe0 << 23)) * 0x1p-112f);
  uint32_t denormal = ma_bits(ma_from_bits(twice >> 17 | (uint32_t)126 << 23) - 0.5f);
  return ma_from_bits(((uint32_t)x & 0x8000) << 16 | (twice < (uint32_t)1 << 27 ? denormal : normal));
}
MA_FN uint16_t ma_float_to_f16(float x) {
  uint32_t u = ma_bits(x), twice = u + u, bias = twice & 0xff000000u;
  /* Values that overflow float16 become infinite here. */
  float base = (ma_from_bits(u & 0x7fffffffu) * 0x1p+112f) * 0x1p-110f;
  if (bias < 0x71000000u) bias = 0x71000000u;
  u = ma_bits(ma_from_bits((bias >> 1) + 0x07800000u) + base); /* the addition rounds to nearest even */
  u = (u >> 13 & 0x7c00) + (u & 0x0fff);
  return (uint16_t)((ma_bits(x) >> 16 & 0x8000) | (twice > 0xff000000u ? 0x7e00 : u));
}
#endif

MA_FN float ma_round_f16(float x) { return ma_f16_to_float(ma_float_to_f16(x)); }
MA_FN float ma_round_bf16(float x) { return ma_bf16_to_float(ma_float_to_bf16(x)); }

/* A double that becomes a 16-bit float is rounded to odd first, so that the second rounding gives the correctly
** rounded result. */
MA_FN float ma_narrow(double x) {
  float y = (float)x;
  double back = (double)y;
  uint32_t u = ma_bits(y), away = (x < 0 ? -back : back) > (x < 0 ? -x : x);
  return back == x || x != x || y - y != 0 ? y : ma_from_bits((u - away) | 1);
}
