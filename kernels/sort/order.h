/*
** order.h: elements as unsigned numbers in the order of sorting, as C11 and as CUDA C++, so that both devices sort
** alike. NaN comes last, whatever its bits. -0 and +0 have the same number: a stable sort keeps the order of equal
** elements. Complex numbers are ordered by (re, im); those with NaN follow the others: NaN in im only, by re; NaN in re
** only, by im; NaN in both.
**
** ma_order_SUFFIX takes the bits in memory.
*/
#ifndef MOONARRAY_ORDER_H
#define MOONARRAY_ORDER_H

#ifndef __cplusplus
#include "kernels/scalar.h"
#endif

/* complex128: two words. */
typedef struct ma_order128 {
  uint64_t lo, hi;
} ma_order128;

MA_FN uint32_t ma_order_b1(uint8_t x) { return x != 0; }
MA_FN uint32_t ma_order_u1(uint8_t x) { return x; }
MA_FN uint32_t ma_order_u2(uint16_t x) { return x; }
MA_FN uint32_t ma_order_u4(uint32_t x) { return x; }
MA_FN uint64_t ma_order_u8(uint64_t x) { return x; }
MA_FN uint32_t ma_order_i1(uint8_t x) { return x ^ 0x80u; }
MA_FN uint32_t ma_order_i2(uint16_t x) { return x ^ 0x8000u; }
MA_FN uint32_t ma_order_i4(uint32_t x) { return x ^ 0x80000000u; }
MA_FN uint64_t ma_order_i8(uint64_t x) { return x ^ 0x8000000000000000u; }

/* The number of a 16-bit float of a format whose infinity has the bits `inf`. */
MA_FN uint32_t ma_order_16(uint32_t x, uint32_t inf) {
  uint32_t t = x & 0x8000u ? 0xffffu - x : x | 0x8000u;
  if (x == 0x8000u) t = 0x8000u;
  return (x & 0x7fffu) > inf ? 0xffffu : t;
}

MA_FN uint32_t ma_order_f2(uint16_t x) { return ma_order_16(x, 0x7c00u); }
MA_FN uint32_t ma_order_bf(uint16_t x) { return ma_order_16(x, 0x7f80u); }

MA_FN uint32_t ma_order_f4(uint32_t x) {
  uint32_t t = x ^ ((0u - (x >> 31)) | 0x80000000u);
  if (x == 0x80000000u) t = 0x80000000u;
  return (x & 0x7fffffffu) > 0x7f800000u ? 0xffffffffu : t;
}

MA_FN uint64_t ma_order_f8(uint64_t x) {
  uint64_t t = x ^ (((uint64_t)0 - (x >> 63)) | 0x8000000000000000u);
  if (x == 0x8000000000000000u) t = 0x8000000000000000u;
  return (x & 0x7fffffffffffffffu) > 0x7ff0000000000000u ? 0xffffffffffffffffu : t;
}

/* Plain numbers are for elements that are moved more than once, since they can be turned back. Those of -0 and NaN are
** not in the order of sorting. */
MA_FN uint32_t ma_order_plain_f2(uint16_t x) { return x & 0x8000u ? 0xffffu - x : x | 0x8000u; }
MA_FN uint32_t ma_order_plain_bf(uint16_t x) { return ma_order_plain_f2(x); }
MA_FN uint32_t ma_order_plain_f4(uint32_t x) { return x ^ ((0u - (x >> 31)) | 0x80000000u); }
MA_FN uint64_t ma_order_plain_f8(uint64_t x) { return x ^ (((uint64_t)0 - (x >> 63)) | 0x8000000000000000u); }

/* Converts a plain number to a number in order: the one of -0 becomes that of +0, and those of NaN (below -inf and
** above +inf) become the last one. */
MA_FN uint32_t ma_order_settle_f2(uint32_t t) {
  return t == 0x7fffu ? 0x8000u : t < 0x03ffu || t > 0xfc00u ? 0xffffu : t;
}
MA_FN uint32_t ma_order_settle_bf(uint32_t t) {
  return t == 0x7fffu ? 0x8000u : t < 0x007fu || t > 0xff80u ? 0xffffu : t;
}
MA_FN uint32_t ma_order_settle_f4(uint32_t t) {
  return t == 0x7fffffffu ? 0x80000000u : t - 0x007fffffu > 0xff000001u ? 0xffffffffu : t;
}
MA_FN uint64_t ma_order_settle_f8(uint64_t t) {
  return t == 0x7fffffffffffffffu                        ? 0x8000000000000000u
         : t - 0x000fffffffffffffu > 0xffe0000000000001u ? ~(uint64_t)0
                                                         : t;
}

/* Numbers above that of infinity are free for the values that come last. */
MA_FN uint64_t ma_order_c8(uint64_t x) {
  uint32_t re = ma_order_f4((uint32_t)x), im = ma_order_f4((uint32_t)(x >> 32)), none = 0xffffffffu;
  if (re != none && im != none) return (uint64_t)re << 32 | im;
  if (re != none) return (uint64_t)0xfffffff0u << 32 | re;
  return im != none ? (uint64_t)0xfffffff1u << 32 | im : ~(uint64_t)0;
}

MA_FN ma_order128 ma_order_c16(ma_order128 x) /* lo has the bits of re, hi those of im */
{
  uint64_t re = ma_order_f8(x.lo), im = ma_order_f8(x.hi), none = ~(uint64_t)0;
  ma_order128 t;
  t.hi = re != none && im != none ? re : re != none ? none - 15 : im != none ? none - 14 : none;
  t.lo = re != none && im == none ? re : im;
  return t;
}

/* Converts a number back to an element of a real dtype. All zeros become +0, and all NaNs become one NaN. For plain
** numbers it is the exact inverse. */
MA_FN uint8_t ma_unorder_b1(uint32_t key) { return (uint8_t)key; }
MA_FN uint8_t ma_unorder_u1(uint32_t key) { return (uint8_t)key; }
MA_FN uint16_t ma_unorder_u2(uint32_t key) { return (uint16_t)key; }
MA_FN uint32_t ma_unorder_u4(uint32_t key) { return key; }
MA_FN uint64_t ma_unorder_u8(uint64_t key) { return key; }
MA_FN uint8_t ma_unorder_i1(uint32_t key) { return (uint8_t)(key ^ 0x80u); }
MA_FN uint16_t ma_unorder_i2(uint32_t key) { return (uint16_t)(key ^ 0x8000u); }
MA_FN uint32_t ma_unorder_i4(uint32_t key) { return key ^ 0x80000000u; }
MA_FN uint64_t ma_unorder_i8(uint64_t key) { return key ^ 0x8000000000000000u; }
MA_FN uint16_t ma_unorder_f2(uint32_t key) { return (uint16_t)(key & 0x8000u ? key ^ 0x8000u : ~key); }
MA_FN uint16_t ma_unorder_bf(uint32_t key) { return ma_unorder_f2(key); }
MA_FN uint32_t ma_unorder_f4(uint32_t key) { return key & 0x80000000u ? key ^ 0x80000000u : ~key; }
MA_FN uint64_t ma_unorder_f8(uint64_t key) { return key & 0x8000000000000000u ? key ^ 0x8000000000000000u : ~key; }

/* Whether a number of ma_order_SUFFIX is that of NaN, or of a complex number with NaN. */
MA_FN int ma_order_nan_f2(uint32_t key) { return key == 0xffffu; }
MA_FN int ma_order_nan_bf(uint32_t key) { return key == 0xffffu; }
MA_FN int ma_order_nan_f4(uint32_t key) { return key == 0xffffffffu; }
MA_FN int ma_order_nan_f8(uint64_t key) { return key == ~(uint64_t)0; }
MA_FN int ma_order_nan_c8(uint64_t key) { return key >> 32 >= 0xfffffff0u; }
MA_FN int ma_order_nan_c16(ma_order128 key) { return key.hi >= ~(uint64_t)15; }
MA_FN int ma_order_nan_b1(uint32_t key) { return 0; }
MA_FN int ma_order_nan_i1(uint32_t key) { return 0; }
MA_FN int ma_order_nan_i2(uint32_t key) { return 0; }
MA_FN int ma_order_nan_i4(uint32_t key) { return 0; }
MA_FN int ma_order_nan_i8(uint64_t key) { return 0; }
MA_FN int ma_order_nan_u1(uint32_t key) { return 0; }
MA_FN int ma_order_nan_u2(uint32_t key) { return 0; }
MA_FN int ma_order_nan_u4(uint32_t key) { return 0; }
MA_FN int ma_order_nan_u8(uint64_t key) { return 0; }

#endif
