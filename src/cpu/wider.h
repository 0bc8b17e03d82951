/* wider.h: WIDER functions are compiled twice, for vectors of 16 bytes and for wider ones where the machine has them; WIDEST ones for AVX-512 too. */
#ifndef MA_CPU_WIDER_H
#define MA_CPU_WIDER_H

/* A sanitizer is not there yet when the choice is made. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDER __attribute__((target_clones("default", "arch=x86-64-v3")))
#define WIDEST __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define WIDER
#define WIDEST
#endif

#endif
