/*
** loops_fused.c: loops of the special functions whose polynomials multiply and add in one instruction, as a GPU's do,
** for machines that have it: half the steps of a polynomial, which wait for each other.
*/
#include "cpu/map/loops.h"

#ifdef MA_MANY_TARGETS
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#undef ma_fma_f4
#undef ma_fma_f8
#define ma_fma_f4(x, y, z) __builtin_fmaf(x, y, z)
#define ma_fma_f8(x, y, z) __builtin_fma(x, y, z)

#define ONLY_FLOATS
#define TARGET fused
#include "cpu/map/loops_special.h"
#ifdef __clang__
#pragma clang attribute pop
#endif

ma_loop *ma_cpu_fused_loop(ma_opcode op, ma_dtype dtype) {
  __builtin_cpu_init();
  if (ma_dtypes[dtype].kind != MA_KIND_FLOAT || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return NULL;
  return dtype == MA_FLOAT64 ? loops_f8_fused[op] : loops_f4_fused[op];
}
#else
ma_loop *ma_cpu_fused_loop(ma_opcode op, ma_dtype dtype) {
  (void)op, (void)dtype;
  return NULL;
}
#endif
