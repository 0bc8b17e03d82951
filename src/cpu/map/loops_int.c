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

/* Loops that several operations share (loops_make.h): of integers, many only move their operand, and those whose bits
** do not depend on the sign are made for signed integers alone. */
#define SIGNED_u1 i1
#define SIGNED_u2 i2
#define SIGNED_u4 i4
#define SIGNED_u8 i8
#define SIGNED JOIN(SIGNED, SUFFIX)
/* clang-format off */
#define SHARED_0_cast 0, copy, SUFFIX, 0
#define SHARED_0_absolute 0, copy, SUFFIX, 0
#define SHARED_0_real 0, copy, SUFFIX, 0
#define SHARED_0_conjugate 0, copy, SUFFIX, 0
#define SHARED_0_floor 0, copy, SUFFIX, 0
#define SHARED_0_ceil 0, copy, SUFFIX, 0
#define SHARED_0_trunc 0, copy, SUFFIX, 0
#define SHARED_0_nan_to_num 0, copy, SUFFIX, 0
#define SHARED_0_round 0, copy, SUFFIX, 0
#define SHARED_0_add 0, bitwise_or, SUFFIX, 0
#define SHARED_0_maximum 0, bitwise_or, SUFFIX, 0
#define SHARED_0_fmax 0, bitwise_or, SUFFIX, 0
#define SHARED_0_logical_or 0, bitwise_or, SUFFIX, 0
#define SHARED_0_multiply 0, bitwise_and, SUFFIX, 0
#define SHARED_0_minimum 0, bitwise_and, SUFFIX, 0
#define SHARED_0_fmin 0, bitwise_and, SUFFIX, 0
#define SHARED_0_logical_and 0, bitwise_and, SUFFIX, 0
#define SHARED_0_logical_xor 0, bitwise_xor, SUFFIX, 0
#define SHARED_0_invert 0, logical_not, SUFFIX, 0
#define SHARED_0_isinf 0, isnan, SUFFIX, 0
#define SHARED_0_signbit 0, isnan, SUFFIX, 0
#define SHARED_0_imag 0, isnan, SUFFIX, 0
#define SHARED_1_cast 0, copy, SUFFIX, 0
#define SHARED_1_positive 0, copy, SUFFIX, 0
#define SHARED_1_conjugate 0, copy, SUFFIX, 0
#define SHARED_1_real 0, copy, SUFFIX, 0
#define SHARED_1_floor 0, copy, SUFFIX, 0
#define SHARED_1_ceil 0, copy, SUFFIX, 0
#define SHARED_1_trunc 0, copy, SUFFIX, 0
#define SHARED_1_nan_to_num 0, copy, SUFFIX, 0
#define SHARED_1_fmax 0, maximum, SUFFIX, 0
#define SHARED_1_fmin 0, minimum, SUFFIX, 0
#define SHARED_1_isinf 0, isnan, SUFFIX, 0
#define SHARED_2_cast 0, copy, SIGNED, 0
#define SHARED_2_positive 0, copy, SIGNED, 0
#define SHARED_2_conjugate 0, copy, SIGNED, 0
#define SHARED_2_real 0, copy, SIGNED, 0
#define SHARED_2_floor 0, copy, SIGNED, 0
#define SHARED_2_ceil 0, copy, SIGNED, 0
#define SHARED_2_trunc 0, copy, SIGNED, 0
#define SHARED_2_nan_to_num 0, copy, SIGNED, 0
#define SHARED_2_copy 0, copy, SIGNED, 0
#define SHARED_2_absolute 0, copy, SIGNED, 0
#define SHARED_2_fmax 0, maximum, SUFFIX, 0
#define SHARED_2_fmin 0, minimum, SUFFIX, 0
#define SHARED_2_isnan 0, isnan, SIGNED, 0
#define SHARED_2_isinf 0, isnan, SIGNED, 0
#define SHARED_2_signbit 0, isnan, SIGNED, 0
#define SHARED_2_add 0, add, SIGNED, 0
#define SHARED_2_subtract 0, subtract, SIGNED, 0
#define SHARED_2_multiply 0, multiply, SIGNED, 0
#define SHARED_2_negative 0, negative, SIGNED, 0
#define SHARED_2_square 0, square, SIGNED, 0
#define SHARED_2_equal 0, equal, SIGNED, 0
#define SHARED_2_not_equal 0, not_equal, SIGNED, 0
#define SHARED_2_where 0, where, SIGNED, 0
#define SHARED_2_logical_and 0, logical_and, SIGNED, 0
#define SHARED_2_logical_or 0, logical_or, SIGNED, 0
#define SHARED_2_logical_xor 0, logical_xor, SIGNED, 0
#define SHARED_2_logical_not 0, logical_not, SIGNED, 0
#define SHARED_2_bitwise_and 0, bitwise_and, SIGNED, 0
#define SHARED_2_bitwise_or 0, bitwise_or, SIGNED, 0
#define SHARED_2_bitwise_xor 0, bitwise_xor, SIGNED, 0
#define SHARED_2_invert 0, invert, SIGNED, 0
#define SHARED_2_isfinite 0, isfinite, SIGNED, 0
#define SHARED_2_imag 0, imag, SIGNED, 0
/* clang-format on */

#include "cpu/map/loops.h"

#else

#define KIND 0
#define TYPE uint8_t
#define REAL_TYPE uint8_t
#define SUFFIX b1
#include "cpu/map/loops_make.h"
#undef KIND
#define KIND 1
#define FASTER_FILE "loops_divisor.h"
#define FASTER_LOOPS FASTER(floor_divide) FASTER(remainder)
#define TYPE int8_t
#define REAL_TYPE int8_t
#define SUFFIX i1
#define PART uint16_t
#define WHOLE uint32_t
#define BITS 16
#define FULL 0
#include "cpu/map/loops_make.h"
#define TYPE int16_t
#define REAL_TYPE int16_t
#define SUFFIX i2
#define PART uint16_t
#define WHOLE uint32_t
#define BITS 16
#define FULL 0
#include "cpu/map/loops_make.h"
#define TYPE int32_t
#define REAL_TYPE int32_t
#define SUFFIX i4
#define PART uint32_t
#define WHOLE uint64_t
#define BITS 32
#define FULL 0
#include "cpu/map/loops_make.h"
#undef FASTER_FILE
#undef FASTER_LOOPS
#if JOIN(FUSES, TARGET)
#define FASTER_FILE "loops_divisor.h"
#define FASTER_LOOPS FASTER(floor_divide) FASTER(remainder)
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
#define FASTER_FILE "loops_divisor.h"
#define FASTER_LOOPS FASTER(floor_divide) FASTER(remainder)
#define TYPE uint8_t
#define REAL_TYPE uint8_t
#define SUFFIX u1
#define PART uint16_t
#define WHOLE uint32_t
#define BITS 16
#define FULL 0
#include "cpu/map/loops_make.h"
#define TYPE uint16_t
#define REAL_TYPE uint16_t
#define SUFFIX u2
#define PART uint16_t
#define WHOLE uint32_t
#define BITS 16
#define FULL 1
#include "cpu/map/loops_make.h"
#define TYPE uint32_t
#define REAL_TYPE uint32_t
#define SUFFIX u4
#define PART uint32_t
#define WHOLE uint64_t
#define BITS 32
#define FULL 1
#include "cpu/map/loops_make.h"
#undef FASTER_FILE
#undef FASTER_LOOPS
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
