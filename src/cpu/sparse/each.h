/*
** each.h: includes the file EACH for each index type and each kind of value. It sees:
**   I, T                     the types of positions and values
**   NAME(f)                  f with suffixes for both
**   ADD, MUL, DIFFERS(a, b)  their arithmetic; ZERO; KEEP(a, yes): a or ZERO; for floats also SUB and DIV
** and the table NAMES(f) in the form { { f_i4_b1, ... }, { f_i8_b1, ... } }, by ma_sparse_value. With EACH_FLOAT
** defined the kinds are floats alone, and the table is FLOAT_NAMES(f).
*/
#ifndef MA_CPU_SPARSE_EACH_H
#define MA_CPU_SPARSE_EACH_H

typedef uint8_t ma_sparse_bool;

#define SPARSE_PASTE_(f, i, t) f##_##i##_##t
#define SPARSE_PASTE(f, i, t) SPARSE_PASTE_(f, i, t)
#define NAME(f) SPARSE_PASTE(f, I_SUFFIX, T_SUFFIX)
#define SPARSE_OF(f, t) SPARSE_PASTE(sparse, f, t)
#define NAMES_OF(f, i)                                                                                              \
  {                                                                                                                 \
    f##_##i##_b1, f##_##i##_u1, f##_##i##_u2, f##_##i##_u4, f##_##i##_u8, f##_##i##_f4, f##_##i##_f8, f##_##i##_c8, \
      f##_##i##_c16                                                                                                 \
  }
#define FLOAT_NAMES_OF(f, i) \
  { NULL, NULL, NULL, NULL, NULL, f##_##i##_f4, f##_##i##_f8, f##_##i##_c8, f##_##i##_c16 }
#define FLOAT_NAMES(f) \
  { FLOAT_NAMES_OF(f, i4), FLOAT_NAMES_OF(f, i8) }
#define NAMES(f) \
  { NAMES_OF(f, i4), NAMES_OF(f, i8) }

/* a, or 0 unless `yes`; without a branch, which a processor could not predict in a merge. */
static inline float sparse_keep_f4(float a, bool yes) {
  union {
    float f;
    uint32_t u;
  } v = { a };
  v.u &= -(uint32_t)yes;
  return v.f;
}
static inline double sparse_keep_f8(double a, bool yes) {
  union {
    double f;
    uint64_t u;
  } v = { a };
  v.u &= -(uint64_t)yes;
  return v.f;
}
static inline ma_c64 sparse_keep_c8(ma_c64 a, bool yes) {
  return (ma_c64){ sparse_keep_f4(a.re, yes), sparse_keep_f4(a.im, yes) };
}
static inline ma_c128 sparse_keep_c16(ma_c128 a, bool yes) {
  return (ma_c128){ sparse_keep_f8(a.re, yes), sparse_keep_f8(a.im, yes) };
}
static inline ma_c64 sparse_add_c8(ma_c64 a, ma_c64 b) { return (ma_c64){ a.re + b.re, a.im + b.im }; }
static inline ma_c128 sparse_add_c16(ma_c128 a, ma_c128 b) { return (ma_c128){ a.re + b.re, a.im + b.im }; }
static inline ma_c64 sparse_sub_c8(ma_c64 a, ma_c64 b) { return (ma_c64){ a.re - b.re, a.im - b.im }; }
static inline ma_c128 sparse_sub_c16(ma_c128 a, ma_c128 b) { return (ma_c128){ a.re - b.re, a.im - b.im }; }
static inline ma_c64 sparse_mul_c8(ma_c64 a, ma_c64 b) {
  return (ma_c64){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}
static inline ma_c128 sparse_mul_c16(ma_c128 a, ma_c128 b) {
  return (ma_c128){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

#endif

#define I int32_t
#define I_SUFFIX i4
#include "cpu/sparse/each_value.h"
#undef I
#undef I_SUFFIX
#define I int64_t
#define I_SUFFIX i8
#include "cpu/sparse/each_value.h"
#undef I
#undef I_SUFFIX
#undef EACH
