/*
** edge.h: how an image continues beyond its edges, and how results become elements, as C11 and as CUDA C++, so that
** both devices agree. The rules have SciPy's numbers.
*/
#ifndef MOONARRAY_EDGE_H
#define MOONARRAY_EDGE_H

#ifndef __cplusplus
#include "kernels/scalar.h"
#endif

#define MA_EDGE_NEAREST 0
#define MA_EDGE_WRAP 1
#define MA_EDGE_REFLECT 2
#define MA_EDGE_MIRROR 3
#define MA_EDGE_CONSTANT 4
#define MA_EDGE_GRID_WRAP 5
#define MA_EDGE_GRID_CONSTANT 6

/* The place from which place p takes its element, both counted from 0; -1 if it is the constant. This is for filters,
** for which the rules of a grid, WRAP and CONSTANT do not differ from those without. */
MA_FN int64_t ma_edge_place(int64_t p, int64_t n, int mode) {
  int64_t period, q;
  if (p >= 0 && p < n) return p;
  if (mode == MA_EDGE_CONSTANT || mode == MA_EDGE_GRID_CONSTANT) return -1;
  if (mode == MA_EDGE_NEAREST) return p < 0 ? 0 : n - 1;
  if (mode == MA_EDGE_MIRROR && n == 1) return 0;
  period = mode == MA_EDGE_REFLECT ? 2 * n : mode == MA_EDGE_MIRROR ? 2 * n - 2 : n;
  q = p % period;
  if (q < 0) q += period;
  if (q < n) return q;
  return mode == MA_EDGE_REFLECT ? 2 * n - 1 - q : 2 * n - 2 - q;
}

/* The same for a coordinate between elements, in SciPy's arithmetic; -1 if it is the constant. Under GRID_CONSTANT a
** coordinate outside stays, since each element there counts by itself. NaN and numbers too large for a period are the
** constant. */
MA_FN double ma_edge_coordinate(double x, int64_t n, int mode) {
  double last = (double)(n - 1), period;
  if (x >= 0 && x <= last) return x;
  if (mode == MA_EDGE_CONSTANT || x != x) return -1;
  if (mode == MA_EDGE_GRID_CONSTANT) return x > -1e15 && x < 1e15 ? x : -1e15;
  if (mode == MA_EDGE_NEAREST) return x < 0 ? 0 : last;
  if (!(x > -1e15 && x < 1e15)) return -1;
  if (n <= 1) return 0;
  if (mode == MA_EDGE_MIRROR) {
    period = 2 * last;
    if (x < 0) {
      x = period * floor(-x / period) + x;
      return x <= -last ? x + period : -x;
    }
    x -= period * floor(x / period);
    return x >= (double)n ? period - x : x;
  }
  if (mode == MA_EDGE_REFLECT) {
    period = 2 * (double)n;
    if (x < 0) {
      if (x < -period) x = period * floor(-x / period) + x;
      return x < -(double)n ? x + period : (x > -1e-15 ? 1e-15 : -x) - 1;
    }
    x -= period * floor(x / period);
    return x >= (double)n ? period - x - 1 : x;
  }
  if (mode == MA_EDGE_WRAP) return x < 0 ? x + last * (floor(-x / last) + 1) : x - last * floor(x / last);
  period = (double)n; /* GRID_WRAP */
  return x < 0 ? x + period * (floor((-1 - x) / period) + 1) : x - period * floor(x / period);
}

/* ==== Results as elements ========================================================================================= */

/* Conversions of filters. Whole numbers are cut off and wrap. A value that no int64 holds becomes the nearest one, and
** NaN becomes 0. */
MA_FN int32_t ma_cut32(double x) {
  return x >= 2147483647.0 ? 2147483647 : x <= -2147483648.0 ? -2147483647 - 1 : x == x ? (int32_t)x : 0;
}
MA_FN int64_t ma_cut64(double x) {
  return x >= 9223372036854775807.0    ? 9223372036854775807LL
         : x <= -9223372036854775808.0 ? -9223372036854775807LL - 1
         : x == x                      ? (int64_t)x
                                       : 0;
}
MA_FN uint8_t ma_cut_b1(double x) { return x != 0; }
MA_FN int8_t ma_cut_i1(double x) { return (int8_t)ma_cut32(x); }
MA_FN int16_t ma_cut_i2(double x) { return (int16_t)ma_cut32(x); }
MA_FN int32_t ma_cut_i4(double x) { return ma_cut32(x); }
MA_FN int64_t ma_cut_i8(double x) { return ma_cut64(x); }
MA_FN uint8_t ma_cut_u1(double x) { return (uint8_t)ma_cut32(x); }
MA_FN uint16_t ma_cut_u2(double x) { return (uint16_t)ma_cut32(x); }
MA_FN uint32_t ma_cut_u4(double x) { return (uint32_t)ma_cut64(x); }
MA_FN uint64_t ma_cut_u8(double x) {
  if (x < 9223372036854775808.0) return (uint64_t)ma_cut64(x);
  return x >= 18446744073709551615.0 ? ~(uint64_t)0 : x == x ? (uint64_t)x : 0;
}
MA_FN uint16_t ma_cut_f2(double x) { return ma_float_to_f16(ma_narrow(x)); }
MA_FN uint16_t ma_cut_bf(double x) { return ma_float_to_bf16(ma_narrow(x)); }
MA_FN float ma_cut_f4(double x) { return (float)x; }
MA_FN double ma_cut_f8(double x) { return x; }

/* Conversions of interpolation. Whole numbers are rounded, halves away from 0, and values beyond the dtype's ends
** become the ends. */
MA_FN double ma_away(double x, double lo, double hi) {
  x = x > 0 ? x + 0.5 : lo < 0 ? x - 0.5 : 0;
  return x > hi ? hi : x < lo ? lo : x == x ? x : 0;
}
MA_FN uint8_t ma_near_b1(double x) { return x >= 1 || x <= -1; } /* cut off, as in SciPy */
MA_FN int8_t ma_near_i1(double x) { return (int8_t)ma_away(x, -128, 127); }
MA_FN int16_t ma_near_i2(double x) { return (int16_t)ma_away(x, -32768, 32767); }
MA_FN int32_t ma_near_i4(double x) { return (int32_t)ma_away(x, -2147483648.0, 2147483647.0); }
MA_FN int64_t ma_near_i8(double x) { return ma_cut64(ma_away(x, -9223372036854775808.0, 9223372036854775807.0)); }
MA_FN uint8_t ma_near_u1(double x) { return (uint8_t)ma_away(x, 0, 255); }
MA_FN uint16_t ma_near_u2(double x) { return (uint16_t)ma_away(x, 0, 65535); }
MA_FN uint32_t ma_near_u4(double x) { return (uint32_t)ma_away(x, 0, 4294967295.0); }
MA_FN uint64_t ma_near_u8(double x) { return ma_cut_u8(ma_away(x, 0, 18446744073709551615.0)); }
MA_FN uint16_t ma_near_f2(double x) { return ma_cut_f2(x); }
MA_FN uint16_t ma_near_bf(double x) { return ma_cut_bf(x); }
MA_FN float ma_near_f4(double x) { return (float)x; }
MA_FN double ma_near_f8(double x) { return x; }

#endif
