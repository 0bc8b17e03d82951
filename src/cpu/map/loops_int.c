/* loops_int.c: loops of bools and integers. */
#ifndef LOOPS
#define LOOPS "loops_int.c"
#include <stdint.h>
#include <string.h>

/* Converts int64 to double through the bits: 1.5 2^52 holds the number in its low bits. */
static inline double widen(int64_t x) {
  double d;
  x += INT64_C(0x4338000000000000);
  memcpy(&d, &x, sizeof d);
  return d - 0x1.8p52;
}

static inline int64_t narrow(double d) {
  int64_t x;
  d += 0x1.8p52;
  memcpy(&x, &d, sizeof x);
  return x - INT64_C(0x4338000000000000);
}

#include "cpu/map/loops.h"

#else

#define KIND 0
#define TYPE uint8_t
#define REAL_TYPE uint8_t
#define SUFFIX b1
#include "cpu/map/loops_make.h"
#undef KIND
#define KIND 1
#define TYPE int8_t
#define REAL_TYPE int8_t
#define SUFFIX i1
#include "cpu/map/loops_make.h"
#define TYPE int16_t
#define REAL_TYPE int16_t
#define SUFFIX i2
#include "cpu/map/loops_make.h"
#if JOIN(FUSES, TARGET)
#define FASTER_FILE "loops_divisor.h"
#define FASTER_LOOPS FASTER(floor_divide) FASTER(remainder)
#define FAR(x) 0
#define WIDEN(x) (double)(x)
#define NARROW(d) (int32_t)(d)
#endif
#define TYPE int32_t
#define REAL_TYPE int32_t
#define SUFFIX i4
#include "cpu/map/loops_make.h"
#if JOIN(FUSES, TARGET)
#define FAR(x) (int64_t)((uint64_t)((x) + (INT64_C(1) << 51)) >> 52)
#define WIDEN(x) widen(x)
#define NARROW(d) narrow(d)
#endif
#define TYPE int64_t
#define REAL_TYPE int64_t
#define SUFFIX i8
#include "cpu/map/loops_make.h"
#undef FASTER_FILE
#undef FASTER_LOOPS
#undef KIND
#define KIND 2
#define TYPE uint8_t
#define REAL_TYPE uint8_t
#define SUFFIX u1
#include "cpu/map/loops_make.h"
#define TYPE uint16_t
#define REAL_TYPE uint16_t
#define SUFFIX u2
#include "cpu/map/loops_make.h"
#define TYPE uint32_t
#define REAL_TYPE uint32_t
#define SUFFIX u4
#include "cpu/map/loops_make.h"
#define TYPE uint64_t
#define REAL_TYPE uint64_t
#define SUFFIX u8
#include "cpu/map/loops_make.h"
#undef KIND

ma_loop *const *const JOIN(ma_int_loops,
                           TARGET)[9] = { GLUE(loops, b1, TARGET), GLUE(loops, i1, TARGET), GLUE(loops, i2, TARGET),
                                          GLUE(loops, i4, TARGET), GLUE(loops, i8, TARGET), GLUE(loops, u1, TARGET),
                                          GLUE(loops, u2, TARGET), GLUE(loops, u4, TARGET), GLUE(loops, u8, TARGET) };
#endif
