/* loops_cast.c: conversions between register types, and between memory and registers of one dtype. */
#ifndef LOOPS
#define LOOPS "loops_cast.c"
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

/* Some are called by others, which must not be copies of them. */
#define SIMPLE_LOOP(name, X, Y, value)                          \
  static __attribute__((noinline)) void name(LOOP_PARAMETERS) { \
    const X *xs = x_;                                           \
    Y *r = r_;                                                  \
    EACH_ELEMENT {                                              \
      X x = xs[i];                                              \
      r[i] = value;                                             \
    }                                                           \
  }
#define CAST(from, X, to, Y) SIMPLE_LOOP(GLUE(from, to, TARGET), X, Y, ma_to_##to(x))
#define ENTRY(from, to, TO) [MA_##TO] = GLUE(from, to, TARGET)

/* clang-format off */
#define TO_SIGNED(DO, from, X) \
  DO(from, X, i1, int8_t) DO(from, X, i2, int16_t) DO(from, X, i4, int32_t) DO(from, X, i8, int64_t)
#define TO_UNSIGNED(DO, from, X) \
  DO(from, X, u1, uint8_t) DO(from, X, u2, uint16_t) DO(from, X, u4, uint32_t) DO(from, X, u8, uint64_t)
#define TO_HALF(DO, from, X) DO(from, X, f2, float) DO(from, X, bf, float)
#define TO_WIDE(DO, from, X) \
  DO(from, X, f4, float) DO(from, X, f8, double) DO(from, X, c8, ma_c64) DO(from, X, c16, ma_c128)

#define TO_REAL(DO, from, X) TO_HALF(DO, from, X) TO_WIDE(DO, from, X)

/* Neither the sign of the result nor that of an operand as wide as it changes a bit, so these loops of integers are
** made for signed ones alone. 16-bit floats hold all integers of 8 bits. */
#define CASTS_i1 CAST(i1, int8_t, b1, uint8_t) TO_SIGNED(CAST, i1, int8_t) TO_WIDE(CAST, i1, int8_t)
#define CASTS_i2 CAST(i2, int16_t, b1, uint8_t) TO_SIGNED(CAST, i2, int16_t) TO_WIDE(CAST, i2, int16_t)
#define CASTS_i4 CAST(i4, int32_t, b1, uint8_t) TO_SIGNED(CAST, i4, int32_t) TO_WIDE(CAST, i4, int32_t)
#define CASTS_i8 CAST(i8, int64_t, b1, uint8_t) TO_SIGNED(CAST, i8, int64_t) TO_REAL(CAST, i8, int64_t)
#define CASTS_u1 \
  CAST(u1, uint8_t, i2, int16_t) CAST(u1, uint8_t, i4, int32_t) CAST(u1, uint8_t, i8, int64_t) \
  TO_WIDE(CAST, u1, uint8_t)
#define CASTS_u2 CAST(u2, uint16_t, i4, int32_t) CAST(u2, uint16_t, i8, int64_t) TO_WIDE(CAST, u2, uint16_t)
#define CASTS_u4 CAST(u4, uint32_t, i8, int64_t) TO_WIDE(CAST, u4, uint32_t)
#define CASTS_u8 TO_REAL(CAST, u8, uint64_t)
#define ALL_CASTS(from, X) \
  CAST(from, X, b1, uint8_t) TO_SIGNED(CAST, from, X) TO_UNSIGNED(CAST, from, X) TO_REAL(CAST, from, X)
/* clang-format on */

/* To 16-bit floats in two steps, which are no slower than one: from complex64 by way of its real part, from integers by
** way of double. */
#define WAY_i2 f8
#define WAY_i4 f8
#define WAY_u2 f8
#define WAY_u4 f8
#define WAY_c8 f4
#define BY_WAY(from, X, to, Y) BY_WAY_(from, X, to, Y, WAY_##from)
#define BY_WAY_(from, X, to, Y, way) BY_WAY__(from, X, to, Y, way)
#define BY_WAY__(from, X, to, Y, way)                                        \
  static void GLUE(from, to, TARGET)(LOOP_PARAMETERS) {                      \
    double some[16 * MA_LANE];                                               \
    for (int i = 0; i < n; i += 16 * MA_LANE) {                              \
      int m = n - i < 16 * MA_LANE ? n - i : 16 * MA_LANE;                   \
      GLUE(from, way, TARGET)(some, (const X *)x_ + i, NULL, NULL, NULL, m); \
      GLUE(way, to, TARGET)((Y *)r_ + i, some, NULL, NULL, NULL, m);         \
    }                                                                        \
  }

#define WIDE_ENTRIES(from) \
  ENTRY(from, f4, FLOAT32), ENTRY(from, f8, FLOAT64), ENTRY(from, c8, COMPLEX64), ENTRY(from, c16, COMPLEX128)
#define REAL_ENTRIES(from) ENTRY(from, f2, FLOAT16), ENTRY(from, bf, BFLOAT16), WIDE_ENTRIES(from)
#define BYTE_ENTRIES(from) ENTRY(from, f4, FLOAT16), ENTRY(from, f4, BFLOAT16), WIDE_ENTRIES(from)
/* From which integer come the results of 1, 2, 4 and 8 bytes, and bools. */
#define INTEGER_ENTRIES(one, two, four, eight, any)                                                                 \
  ENTRY(any, b1, BOOL), ENTRY(one, i1, INT8), ENTRY(one, i1, UINT8), ENTRY(two, i2, INT16), ENTRY(two, i2, UINT16), \
    ENTRY(four, i4, INT32), ENTRY(four, i4, UINT32), ENTRY(eight, i8, INT64), ENTRY(eight, i8, UINT64)
#define ALL_ENTRIES(from)                                                                             \
  ENTRY(from, b1, BOOL), ENTRY(from, i1, INT8), ENTRY(from, i2, INT16), ENTRY(from, i4, INT32),       \
    ENTRY(from, i8, INT64), ENTRY(from, u1, UINT8), ENTRY(from, u2, UINT16), ENTRY(from, u4, UINT32), \
    ENTRY(from, u8, UINT64), REAL_ENTRIES(from)

/* For float16: how many elements the instruction set converts at once; 0: it has no such instruction. */
#define CONVERTS_base 0
#define CONVERTS_avx2 8
#define CONVERTS_avx512 16

#include "cpu/map/loops.h"
#else

/* clang-format off */
CASTS_i1 CASTS_i2 CASTS_i4 CASTS_i8 CASTS_u1 CASTS_u2 CASTS_u4 CASTS_u8
ALL_CASTS(f4, float)
ALL_CASTS(f8, double)
ALL_CASTS(c16, ma_c128)
TO_HALF(BY_WAY, i2, int16_t)
TO_HALF(BY_WAY, i4, int32_t)
TO_HALF(BY_WAY, u2, uint16_t)
TO_HALF(BY_WAY, u4, uint32_t)
CAST(c8, ma_c64, b1, uint8_t)
TO_WIDE(CAST, c8, ma_c64)
TO_SIGNED(CAST, c8, ma_c64)
TO_UNSIGNED(CAST, c8, ma_c64)
TO_HALF(BY_WAY, c8, ma_c64)

ma_loop *const JOIN(ma_cast_loops, TARGET)[MA_NCAST_FROM][MA_NDTYPE] = {
  { INTEGER_ENTRIES(i1, i1, i1, i1, i1), BYTE_ENTRIES(i1) },
  { INTEGER_ENTRIES(i2, i2, i2, i2, i2), REAL_ENTRIES(i2) },
  { INTEGER_ENTRIES(i4, i4, i4, i4, i4), REAL_ENTRIES(i4) },
  { INTEGER_ENTRIES(i8, i8, i8, i8, i8), REAL_ENTRIES(i8) },
  { INTEGER_ENTRIES(i1, u1, u1, u1, i1), BYTE_ENTRIES(u1) },
  { INTEGER_ENTRIES(i2, i2, u2, u2, i2), REAL_ENTRIES(u2) },
  { INTEGER_ENTRIES(i4, i4, i4, u4, i4), REAL_ENTRIES(u4) },
  { INTEGER_ENTRIES(i8, i8, i8, i8, i8), REAL_ENTRIES(u8) },
  { ALL_ENTRIES(f4) },
  { ALL_ENTRIES(f8) },
  { ALL_ENTRIES(c8) },
  { ALL_ENTRIES(c16) }
};
/* clang-format on */

#if JOIN(CONVERTS, TARGET)
#if JOIN(CONVERTS, TARGET) == 16
#define FLOATS __m512
#define HALVES __m256i
#define LOAD_FLOATS _mm512_loadu_ps
#define STORE_FLOATS _mm512_storeu_ps
#define LOAD_HALVES _mm256_loadu_si256
#define STORE_HALVES _mm256_storeu_si256
#define WIDEN _mm512_cvtph_ps
#define NARROW _mm512_cvtps_ph
#else
#define FLOATS __m256
#define HALVES __m128i
#define LOAD_FLOATS _mm256_loadu_ps
#define STORE_FLOATS _mm256_storeu_ps
#define LOAD_HALVES _mm_loadu_si128
#define STORE_HALVES _mm_storeu_si128
#define WIDEN _mm256_cvtph_ps
#define NARROW _mm256_cvtps_ph
#endif
/* As ma_float_to_f16: to the nearest, and of a NaN remains the sign alone, which the instruction does not do. */
static inline __attribute__((always_inline)) HALVES JOIN(narrow, TARGET)(FLOATS x) {
  typedef int16_t bits __attribute__((vector_size(sizeof(HALVES))));
  bits h = (bits)NARROW(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return (HALVES)(h & ~(((h & 0x7fff) > 0x7c00) & 0x01ff));
}

#define HALF_LOOP(name, X, Y, load, store, value)                             \
  static __attribute__((noinline)) void JOIN(name, TARGET)(LOOP_PARAMETERS) { \
    const X *xs = x_;                                                         \
    Y *r = r_;                                                                \
    if (n < 0 || n % MA_LANE != 0) __builtin_unreachable();                   \
    for (int i = 0; i < n; i += JOIN(CONVERTS, TARGET)) {                     \
      __auto_type x = load((const void *)(xs + i));                           \
      store((void *)(r + i), value);                                          \
    }                                                                         \
  }
HALF_LOOP(load_f16, uint16_t, float, LOAD_HALVES, STORE_FLOATS, WIDEN(x))
HALF_LOOP(store_f16, float, uint16_t, LOAD_FLOATS, STORE_HALVES, JOIN(narrow, TARGET)(x))
HALF_LOOP(round_f16, float, float, LOAD_FLOATS, STORE_FLOATS, WIDEN(JOIN(narrow, TARGET)(x)))
#undef HALF_LOOP
#undef FLOATS
#undef HALVES
#undef LOAD_FLOATS
#undef STORE_FLOATS
#undef LOAD_HALVES
#undef STORE_HALVES
#undef WIDEN
#undef NARROW
#else
SIMPLE_LOOP(JOIN(load_f16, TARGET), uint16_t, float, ma_f16_to_float(x))
SIMPLE_LOOP(JOIN(store_f16, TARGET), float, uint16_t, ma_float_to_f16(x))
SIMPLE_LOOP(JOIN(round_f16, TARGET), float, float, ma_round_f16(x))
#endif
SIMPLE_LOOP(JOIN(load_bool, TARGET), uint8_t, uint8_t, x != 0)
SIMPLE_LOOP(JOIN(load_bf16, TARGET), uint16_t, float, ma_bf16_to_float(x))
SIMPLE_LOOP(JOIN(store_bf16, TARGET), float, uint16_t, ma_float_to_bf16(x))
SIMPLE_LOOP(JOIN(round_bf16, TARGET), float, float, ma_round_bf16(x))
ma_loop *const JOIN(ma_load_loops, TARGET)[MA_NDTYPE] = {
  [MA_BOOL] = JOIN(load_bool, TARGET), [MA_FLOAT16] = JOIN(load_f16, TARGET), [MA_BFLOAT16] = JOIN(load_bf16, TARGET)
};
ma_loop *const JOIN(ma_store_loops, TARGET)[MA_NDTYPE] = {
  [MA_FLOAT16] = JOIN(store_f16, TARGET), [MA_BFLOAT16] = JOIN(store_bf16, TARGET)
};
ma_loop *const JOIN(ma_round_loops, TARGET)[MA_NDTYPE] = {
  [MA_FLOAT16] = JOIN(round_f16, TARGET), [MA_BFLOAT16] = JOIN(round_bf16, TARGET)
};
#endif
