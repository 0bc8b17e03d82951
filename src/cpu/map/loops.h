/*
** loops.h: the CPU's loops. scripts/loops.awk prints them from kernels/ops.def into the build folder, a file
** loops_KIND_TARGET.c for each kind of dtypes and instruction set, a function for each operation and dtype, and a table
** of them, from which loops.c chooses. Functions in KIND.loops take the place of some.
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

#define DECLARE(target)                                                                                   \
  extern ma_loop *const ma_int_loops_##target[9][MA_NOP];       /* by dtype b1 i1 i2 i4 i8 u1 u2 u4 u8 */ \
  extern ma_loop *const ma_float_loops_##target[2][MA_NOP];     /* f4 f8 */                               \
  extern ma_loop *const ma_single_loops_##target[2][2][MA_NOP]; /* by operand x y, then f4 f8 */          \
  extern ma_loop *const ma_complex_loops_##target[2][MA_NOP];   /* c8 c16 */                              \
  extern ma_loop *const ma_cast_loops_##target[MA_NCAST_FROM][MA_NDTYPE];                                 \
  extern ma_loop *const ma_load_loops_##target[MA_NDTYPE], *const ma_store_loops_##target[MA_NDTYPE],     \
                                                             *const ma_round_loops_##target[MA_NDTYPE];
MA_TARGETS(DECLARE)
#undef DECLARE
/* Of the special functions, for any machine: f4 f8 c8 c16. Their loops are not compiled for each instruction set: most
** have branches that no vector form would save. */
extern ma_loop *const ma_special_loops[4][MA_NOP];
/* f4 f8, with polynomials that multiply and add in one instruction, as a GPU's do: half the steps of a polynomial,
** which wait for each other. */
#ifdef MA_MANY_TARGETS
extern ma_loop *const ma_fused_loops[2][MA_NOP];
#endif

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

#endif
