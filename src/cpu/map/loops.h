/*
** loops.h: instruction sets for which the loops are compiled, and the tables from which loops.c chooses. loops_int.c,
** loops_float.c, loops_complex.c and loops_cast.c have the loops. Such a file sets LOOPS to the header that is compiled
** for each instruction set, and includes this one.
*/
#ifndef MOONARRAY_CPU_LOOPS_H
#define MOONARRAY_CPU_LOOPS_H

#include "cpu/cpu.h"
#include "cpu/map/vectormath.h"
#include "kernels/scalar.h"

/* The instruction sets; the last one that the machine has is used. A build for a sanitizer has only one. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MA_MANY_TARGETS
#define MA_TARGETS(DO) DO(base) DO(avx2) DO(avx512)
#else
#define MA_TARGETS(DO) DO(base)
#endif

#define MA_NCAST_FROM 12 /* register types: i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16 */

ma_loop *ma_cpu_special_loop(ma_opcode op, ma_dtype dtype); /* loops_special.c */
ma_loop *ma_cpu_fused_loop(ma_opcode op, ma_dtype dtype);   /* loops_fused.c; NULL: there is none */

#define DECLARE(target)                                                                                                \
  extern ma_loop *const *const ma_int_loops_##target[9];     /* by dtype b1 i1 i2 i4 i8 u1 u2 u4 u8, then by opcode */ \
  extern ma_loop *const *const ma_float_loops_##target[2];   /* f4 f8 */                                               \
  extern ma_loop *const *const ma_complex_loops_##target[2]; /* c8 c16 */                                              \
  extern ma_loop *const ma_cast_loops_##target[MA_NCAST_FROM][MA_NDTYPE];                                              \
  extern ma_loop *const ma_load_loops_##target[MA_NDTYPE], *const ma_store_loops_##target[MA_NDTYPE],                  \
                                                             *const ma_round_loops_##target[MA_NDTYPE];
MA_TARGETS(DECLARE)
#undef DECLARE

#define GLUE_(a, b, c) a##_##b##_##c
#define GLUE(a, b, c) GLUE_(a, b, c)
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* n is a multiple of MA_LANE, so no scalar tail is compiled. ivdep: the result may be an operand, but never a
** shifted one. */
#ifdef __clang__ /* clang checks for overlap at run time */
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH_ELEMENT                                      \
  if (n < 0 || n % MA_LANE != 0) __builtin_unreachable(); \
  INDEPENDENT                                             \
  for (int i = 0; i < n; i++)

/* For the faster loops: whether the instruction set has fused multiply-add; and an entry that replaces one of the
** table. */
#ifdef __FP_FAST_FMA
#define FUSES_base 1
#else
#define FUSES_base 0
#endif
#define FUSES_avx2 1
#define FUSES_avx512 1
/* Whether another instruction set with the same scalar instructions came before. */
#define AGAIN_base 0
#define AGAIN_avx2 0
#define AGAIN_avx512 1
#define FASTER(name) [MA_OP_##name] = GLUE(faster_##name, SUFFIX, TARGET),

#define LOOP_PARAMETERS void *r_, const void *x_, const void *y_, const void *z_, const void *w_, int n

typedef uint8_t BOOL, UINT8;
typedef int32_t INT32;
typedef int64_t INT64;

#endif

#ifdef LOOPS
#define TARGET base
#include LOOPS
#undef TARGET
#ifdef MA_MANY_TARGETS
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif
#define TARGET avx2
#include LOOPS
#undef TARGET
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,prefer-vector-width=512")
#endif
#define TARGET avx512
#include LOOPS
#undef TARGET
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#endif
