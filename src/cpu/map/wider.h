/* wider.h: FOR_AVX2 functions are compiled twice, for vectors of 16 bytes and for wider ones if the machine has them.
** FOR_AVX512 functions are compiled for AVX-512 too. */
#ifndef MA_CPU_WIDER_H
#define MA_CPU_WIDER_H

#include <stdint.h> /* defines __GLIBC__ if the C library is glibc */

/* The linker chooses by an ifunc. musl's loader does not support ifuncs, and a sanitizer is not ready when they run.
** gcc before 12 knows extensions of the processor, but no levels. */
#if !defined(__x86_64__) || !defined(__GNUC__) || defined(__clang__) || !defined(__GLIBC__) || \
  defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FOR_AVX2
#define FOR_AVX512
#elif __GNUC__ >= 12
#define FOR_AVX2 __attribute__((target_clones("default", "arch=x86-64-v3")))
#define FOR_AVX512 __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define FOR_AVX2 __attribute__((target_clones("default", "avx2")))
#define FOR_AVX512 __attribute__((target_clones("default", "avx2", "avx512f")))
#endif

#endif
