/* transpose.c: tiles whose elements lie beside each other along the other axis, turned by squares in registers. */
#include "cpu/cpu.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SQUARES 1
#define WITH_AVX2 __attribute__((target("avx2")))

/* Rows of a square are `step` bytes apart where they are read, and `row` where they are written. */
static inline void square_of_2(char *to, int64_t row, const char *from, int64_t step) {
  __m128d a = _mm_loadu_pd((const void *)from), b = _mm_loadu_pd((const void *)(from + step));
  _mm_storeu_pd((void *)to, _mm_unpacklo_pd(a, b));
  _mm_storeu_pd((void *)(to + row), _mm_unpackhi_pd(a, b));
}

static inline void square_of_4(char *to, int64_t row, const char *from, int64_t step) {
  __m128 a = _mm_loadu_ps((const void *)from), b = _mm_loadu_ps((const void *)(from + step));
  __m128 c = _mm_loadu_ps((const void *)(from + 2 * step)), d = _mm_loadu_ps((const void *)(from + 3 * step));
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps((void *)to, a);
  _mm_storeu_ps((void *)(to + row), b);
  _mm_storeu_ps((void *)(to + 2 * row), c);
  _mm_storeu_ps((void *)(to + 3 * row), d);
}

/* The same for 4 x 4 elements of 8 bytes. */
WITH_AVX2 static inline void wide_square(char *to, int64_t row, const char *from, int64_t step) {
  __m256d a = _mm256_loadu_pd((const void *)from), b = _mm256_loadu_pd((const void *)(from + step));
  __m256d c = _mm256_loadu_pd((const void *)(from + 2 * step)), d = _mm256_loadu_pd((const void *)(from + 3 * step));
  __m256d e = _mm256_unpacklo_pd(a, b), f = _mm256_unpackhi_pd(a, b), g = _mm256_unpacklo_pd(c, d);
  __m256d h = _mm256_unpackhi_pd(c, d);
  _mm256_storeu_pd((void *)to, _mm256_permute2f128_pd(e, g, 0x20));
  _mm256_storeu_pd((void *)(to + row), _mm256_permute2f128_pd(f, h, 0x20));
  _mm256_storeu_pd((void *)(to + 2 * row), _mm256_permute2f128_pd(e, g, 0x31));
  _mm256_storeu_pd((void *)(to + 3 * row), _mm256_permute2f128_pd(f, h, 0x31));
}

WITH_AVX2 static void squares_avx2(char *to, int64_t row, const char *from, int64_t step, int m0, int m1) {
  for (int j = 0; j < m1; j += 4)
    for (int i = 0; i < m0; i += 4) wide_square(to + i * row + j * 8, row, from + j * step + i * 8, step);
}

static void squares_of_2(char *to, int64_t row, const char *from, int64_t step, int m0, int m1) {
  for (int j = 0; j < m1; j += 2)
    for (int i = 0; i < m0; i += 2) square_of_2(to + i * row + j * 8, row, from + j * step + i * 8, step);
}

static void squares_of_4(char *to, int64_t row, const char *from, int64_t step, int m0, int m1) {
  for (int j = 0; j < m1; j += 4)
    for (int i = 0; i < m0; i += 4) square_of_4(to + i * row + j * 4, row, from + j * step + i * 4, step);
}
#endif

void ma_transpose_tile(char *to, int64_t row, const char *from, int64_t step, int n0, int n1, int size) {
  int m0 = 0, m1 = 0;
#ifdef SQUARES
  bool wide = size == 8 && __builtin_cpu_supports("avx2");
  int side = size == 4 || wide ? 4 : size == 8 ? 2 : 0;
  if (side) {
    m0 = n0 / side * side;
    m1 = n1 / side * side;
    (wide ? squares_avx2 : size == 8 ? squares_of_2 : squares_of_4)(to, row, from, step, m0, m1);
  }
#endif
  for (int i = 0; i < n0; i++) {
    int j = i < m0 ? m1 : 0;
    if (j < n1) ma_gather_row(to + i * row + j * size, from + j * step + i * size, step, size, n1 - j);
  }
}
