/* transpose.c: tiles whose elements lie beside each other along the other axis, turned by squares in registers. */
#include "cpu/cpu.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SQUARES 1
#define WITH_AVX2 __attribute__((target("avx2")))

/* Turns a square of 2 x 2 elements. Its rows are `step` bytes apart where they are read, and `row` bytes where they are
** written. */
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

/* 8 x 8 elements of a byte: pairs of rows are interleaved, then pairs of those, then of those. */
static inline void square_of_bytes(char *to, int64_t row, const char *from, int64_t step) {
  __m128i a[8], b[4], c[4];
  for (int k = 0; k < 8; k++) a[k] = _mm_loadl_epi64((const void *)(from + k * step));
  for (int k = 0; k < 4; k++) b[k] = _mm_unpacklo_epi8(a[2 * k], a[2 * k + 1]);
  for (int k = 0; k < 2; k++) {
    c[2 * k] = _mm_unpacklo_epi16(b[2 * k], b[2 * k + 1]);
    c[2 * k + 1] = _mm_unpackhi_epi16(b[2 * k], b[2 * k + 1]);
  }
  for (int k = 0; k < 4; k++) { /* rows 2 k and 2 k + 1 */
    __m128i d = k & 1 ? _mm_unpackhi_epi32(c[k >> 1], c[2 + (k >> 1)]) : _mm_unpacklo_epi32(c[k >> 1], c[2 + (k >> 1)]);
    _mm_storel_epi64((void *)(to + 2 * k * row), d);
    _mm_storel_epi64((void *)(to + (2 * k + 1) * row), _mm_unpackhi_epi64(d, d));
  }
}

/* 8 x 8 elements of two bytes, in the same way. */
static inline void square_of_pairs(char *to, int64_t row, const char *from, int64_t step) {
  __m128i a[8], b[8], c[8];
  for (int k = 0; k < 8; k++) a[k] = _mm_loadu_si128((const void *)(from + k * step));
  for (int k = 0; k < 4; k++) {
    b[k] = _mm_unpacklo_epi16(a[2 * k], a[2 * k + 1]);
    b[4 + k] = _mm_unpackhi_epi16(a[2 * k], a[2 * k + 1]);
  }
  for (int k = 0; k < 4; k++) {
    c[2 * k] = _mm_unpacklo_epi32(b[2 * k], b[2 * k + 1]);
    c[2 * k + 1] = _mm_unpackhi_epi32(b[2 * k], b[2 * k + 1]);
  }
  for (int k = 0; k < 8; k++) { /* c[0], c[1]: the first four rows' part of rows 0 to 3; c[2], c[3]: the others' */
    __m128i low = c[(k & 4) + (k >> 1 & 1)], high = c[(k & 4) + 2 + (k >> 1 & 1)];
    _mm_storeu_si128((void *)(to + k * row), k & 1 ? _mm_unpackhi_epi64(low, high) : _mm_unpacklo_epi64(low, high));
  }
}

/* The same as square_of_2 for 4 x 4 elements of 8 bytes. */
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

/* Turns all squares of n0 x n1 elements. Both extents are at least a square's side. The last squares overlap those
** before. */
#define EACH_SQUARE(square, side, size)                                       \
  for (int j = 0;; j = j + 2 * side < n1 ? j + side : n1 - side) {            \
    for (int i = 0;; i = i + 2 * side < n0 ? i + side : n0 - side) {          \
      square(to + i * row + j * size, row, from + j * step + i * size, step); \
      if (i == n0 - side) break;                                              \
    }                                                                         \
    if (j == n1 - side) break;                                                \
  }
static void squares_of_bytes(char *to, int64_t row, const char *from, int64_t step, int n0, int n1) {
  EACH_SQUARE(square_of_bytes, 8, 1)
}
static void squares_of_pairs(char *to, int64_t row, const char *from, int64_t step, int n0, int n1) {
  EACH_SQUARE(square_of_pairs, 8, 2)
}
static void squares_of_4(char *to, int64_t row, const char *from, int64_t step, int n0, int n1) {
  EACH_SQUARE(square_of_4, 4, 4)
}
static void squares_of_2(char *to, int64_t row, const char *from, int64_t step, int n0, int n1) {
  EACH_SQUARE(square_of_2, 2, 8)
}
static WITH_AVX2 void squares_avx2(char *to, int64_t row, const char *from, int64_t step, int n0, int n1) {
  EACH_SQUARE(wide_square, 4, 8)
}

/* By the bytes of an element: the side of a square, and the function. */
static const struct {
  int side;
  void (*turn)(char *to, int64_t row, const char *from, int64_t step, int n0, int n1);
} squares[17] = {
  [1] = { 8, squares_of_bytes }, [2] = { 8, squares_of_pairs }, [4] = { 4, squares_of_4 }, [8] = { 2, squares_of_2 }
};
#endif

void ma_transpose_tile(char *to, int64_t row, const char *from, int64_t step, int n0, int n1, int size) {
#ifdef SQUARES
  if (size == 8 && n0 >= 4 && n1 >= 4 && __builtin_cpu_supports("avx2")) {
    squares_avx2(to, row, from, step, n0, n1);
    return;
  }
  if (squares[size].side && n0 >= squares[size].side && n1 >= squares[size].side) {
    squares[size].turn(to, row, from, step, n0, n1);
    return;
  }
#endif
  for (int i = 0; i < n0; i++) ma_gather_row(to + i * row, from + i * size, step, size, n1);
}
