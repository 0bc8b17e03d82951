/* loops_cast.c: conversions between register types, and between memory and registers of one dtype. */
#ifndef LOOPS
#define LOOPS "loops_cast.c"
/* clang-format off */
#define EACH_TO(DO, from, X) \
  DO(b1, BOOL, from, X, uint8_t) \
  DO(i1, INT8, from, X, int8_t) DO(i2, INT16, from, X, int16_t) \
  DO(i4, INT32, from, X, int32_t) DO(i8, INT64, from, X, int64_t) \
  DO(u1, UINT8, from, X, uint8_t) DO(u2, UINT16, from, X, uint16_t) \
  DO(u4, UINT32, from, X, uint32_t) DO(u8, UINT64, from, X, uint64_t) \
  DO(f2, FLOAT16, from, X, float) DO(bf, BFLOAT16, from, X, float) \
  DO(f4, FLOAT32, from, X, float) DO(f8, FLOAT64, from, X, double) \
  DO(c8, COMPLEX64, from, X, ma_c64) DO(c16, COMPLEX128, from, X, ma_c128)
#define EACH_FROM(DO) \
  DO(i1, int8_t) DO(i2, int16_t) DO(i4, int32_t) DO(i8, int64_t) \
  DO(u1, uint8_t) DO(u2, uint16_t) DO(u4, uint32_t) DO(u8, uint64_t) \
  DO(f4, float) DO(f8, double) DO(c8, ma_c64) DO(c16, ma_c128)
/* clang-format on */

#define SIMPLE_LOOP(name, X, Y, value) \
  static void name(LOOP_PARAMETERS) {  \
    const X *xs = x_;                  \
    Y *r = r_;                         \
    EACH_ELEMENT {                     \
      X x = xs[i];                     \
      r[i] = value;                    \
    }                                  \
  }
#define CAST(to, TO, from, X, Y) SIMPLE_LOOP(GLUE(from, to, TARGET), X, Y, ma_to_##to(x))
#define CASTS(from, X) EACH_TO(CAST, from, X)
#define CAST_ENTRY(to, TO, from, X, Y) [MA_##TO] = GLUE(from, to, TARGET),
#define CAST_ENTRIES(from, X) { EACH_TO(CAST_ENTRY, from, X) },

#include "cpu/map/loops.h"
#else

EACH_FROM(CASTS)
ma_loop *const JOIN(ma_cast_loops, TARGET)[MA_NCAST_FROM][MA_NDTYPE] = { EACH_FROM(CAST_ENTRIES) };

SIMPLE_LOOP(JOIN(load_bool, TARGET), uint8_t, uint8_t, x != 0)
SIMPLE_LOOP(JOIN(load_f16, TARGET), uint16_t, float, ma_f16_to_float(x))
SIMPLE_LOOP(JOIN(load_bf16, TARGET), uint16_t, float, ma_bf16_to_float(x))
SIMPLE_LOOP(JOIN(store_f16, TARGET), float, uint16_t, ma_float_to_f16(x))
SIMPLE_LOOP(JOIN(store_bf16, TARGET), float, uint16_t, ma_float_to_bf16(x))
SIMPLE_LOOP(JOIN(round_f16, TARGET), float, float, ma_round_f16(x))
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
