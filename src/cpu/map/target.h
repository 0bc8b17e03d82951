/*
** target.h: what follows is compiled for an instruction set. The includer defines one of TARGET_base, TARGET_avx2,
** TARGET_avx512, TARGET_fused (avx2 for vectors of 16 bytes), and TARGET_end, which ends it. Headers of the C library
** come before.
*/
#if defined(TARGET_base)
#ifdef __FP_FAST_FMA
#define FUSES 1
#else
#define FUSES 0
#endif
#elif defined(TARGET_end)
#undef FUSES
#if defined(MA_MANY_TARGETS) && defined(__clang__)
#pragma clang attribute pop
#elif defined(MA_MANY_TARGETS)
#pragma GCC pop_options
#endif
#else
#define FUSES 1 /* multiplies and adds in one instruction */
#ifdef __clang__
#ifdef TARGET_avx2
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#elif defined(TARGET_fused)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), \
                             apply_to = function)
#endif
#else
#pragma GCC push_options
#ifdef TARGET_avx2
#pragma GCC target("avx2,fma,f16c")
#elif defined(TARGET_fused)
#pragma GCC target("avx2,fma")
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,prefer-vector-width=512")
#endif
#endif
#endif
#undef TARGET_base
#undef TARGET_avx2
#undef TARGET_avx512
#undef TARGET_fused
#undef TARGET_end
