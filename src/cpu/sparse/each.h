/*
** each.h: includes the file EACH for each index type and each kind of value. It sees:
**   I, T                     the types of positions and values
**   NAME(f)                  f with suffixes for both
**   ADD, MUL, DIFFERS(a, b)  their arithmetic; ZERO; KEEP(a, yes): a or ZERO; for floats also SUB and DIV
**   T_FLOAT                  defined for floats
** and the table NAMES(f) in the form { { f_i4_b1, ... }, { f_i8_b1, ... } }, by ma_sparse_value. With EACH_FLOAT
** defined the kinds are floats alone, and the table is FLOAT_NAMES(f).
*/
#ifndef MA_CPU_SPARSE_EACH_H
#define MA_CPU_SPARSE_EACH_H

#define SPARSE_PASTE_(f, i, t) f##_##i##_##t
#define SPARSE_PASTE(f, i, t) SPARSE_PASTE_(f, i, t)
#define NAME(f) SPARSE_PASTE(f, I_SUFFIX, T_SUFFIX)
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

/* The arithmetic of each kind. `keep` has no branch, which a processor could not predict in a merge. */
#define SPARSE_FN static inline __attribute__((always_inline, unused))
#define SPARSE_NUMBER(type, s, sum, product)                                \
  typedef type sparse_type_##s;                                             \
  SPARSE_FN type sparse_add_##s(type a, type b) { return (type)(sum); }     \
  SPARSE_FN type sparse_mul_##s(type a, type b) { return (type)(product); } \
  SPARSE_FN bool sparse_differs_##s(type a, type b) { return a != b; }
#define SPARSE_INTEGER(type, s, sum, product) \
  SPARSE_NUMBER(type, s, sum, product)        \
  SPARSE_FN type sparse_keep_##s(type a, bool yes) { return (type)(a & -(type)yes); }
#define SPARSE_REAL(type, s, bits)                                \
  SPARSE_NUMBER(type, s, a + b, a * b)                            \
  SPARSE_FN type sparse_sub_##s(type a, type b) { return a - b; } \
  SPARSE_FN type sparse_div_##s(type a, type b) { return a / b; } \
  SPARSE_FN type sparse_keep_##s(type a, bool yes) {              \
    union {                                                       \
      type f;                                                     \
      bits u;                                                     \
    } v = { a };                                                  \
    v.u &= -(bits)yes;                                            \
    return v.f;                                                   \
  }
#define SPARSE_COMPLEX(type, s, part)                                                          \
  typedef type sparse_type_##s;                                                                \
  SPARSE_FN type sparse_add_##s(type a, type b) { return (type){ a.re + b.re, a.im + b.im }; } \
  SPARSE_FN type sparse_sub_##s(type a, type b) { return (type){ a.re - b.re, a.im - b.im }; } \
  SPARSE_FN type sparse_mul_##s(type a, type b) {                                              \
    return (type){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };                     \
  }                                                                                            \
  SPARSE_FN bool sparse_differs_##s(type a, type b) { return a.re != b.re || a.im != b.im; }   \
  SPARSE_FN type sparse_keep_##s(type a, bool yes) {                                           \
    return (type){ sparse_keep_##part(a.re, yes), sparse_keep_##part(a.im, yes) };             \
  }
SPARSE_INTEGER(uint8_t, b1, a | b, a &b)
SPARSE_INTEGER(uint8_t, u1, a + b, (uint32_t)a *b)
SPARSE_INTEGER(uint16_t, u2, a + b, (uint32_t)a *b)
SPARSE_INTEGER(uint32_t, u4, a + b, a *b)
SPARSE_INTEGER(uint64_t, u8, a + b, a *b)
SPARSE_REAL(float, f4, uint32_t)
SPARSE_REAL(double, f8, uint64_t)
SPARSE_COMPLEX(ma_c64, c8, f4)
SPARSE_COMPLEX(ma_c128, c16, f8)

#define SPARSE_OF_(f, t) sparse_##f##_##t
#define SPARSE_OF(f, t) SPARSE_OF_(f, t)
#define T SPARSE_OF(type, T_SUFFIX)
#define ZERO ((T){ 0 })
#define ADD(a, b) SPARSE_OF(add, T_SUFFIX)(a, b)
#define SUB(a, b) SPARSE_OF(sub, T_SUFFIX)(a, b)
#define MUL(a, b) SPARSE_OF(mul, T_SUFFIX)(a, b)
#define DIV(a, b) SPARSE_OF(div, T_SUFFIX)(a, b)
#define KEEP(a, yes) SPARSE_OF(keep, T_SUFFIX)(a, yes)
#define DIFFERS(a, b) SPARSE_OF(differs, T_SUFFIX)(a, b)

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
