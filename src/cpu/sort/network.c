/*
** network.c: sorts up to some hundred thousand unsigned numbers by a sorting network, whose exchanges run as vectors
** and without branches; and splits numbers by two of them. There are forms for AVX2 and AVX-512. Any
** other processor sorts by digits.
*/
#include "cpu/sort/rows.h"
#include "tuning.h"

#include <string.h>

#define NAME(what) what##_narrow
#define NUMBER uint32_t
#include "cpu/sort/network.h"

#define NAME(what) what##_wide
#define NUMBER uint64_t
#include "cpu/sort/network.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define NAME(what) what##_narrow_avx2
#define NUMBER uint32_t
#define LANES 8
#define MIN(a, b) (VECTOR) _mm256_min_epu32((__m256i)(a), (__m256i)(b))
#define MAX(a, b) (VECTOR) _mm256_max_epu32((__m256i)(a), (__m256i)(b))
#include "cpu/sort/network.h"

#define NAME(what) what##_wide_avx2
#define NUMBER int64_t
#define LANES 4
#define BIAS INT64_MIN
#define MIN(a, b) (VECTOR) _mm256_blendv_epi8((__m256i)(b), (__m256i)(a), (__m256i)((b) > (a)))
#define MAX(a, b) (VECTOR) _mm256_blendv_epi8((__m256i)(a), (__m256i)(b), (__m256i)((b) > (a)))
#include "cpu/sort/network.h"

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2")
#endif

#define NAME(what) what##_narrow_avx512
#define NUMBER uint32_t
#define LANES 16
#define MIN(a, b) (VECTOR) _mm512_min_epu32((__m512i)(a), (__m512i)(b))
#define MAX(a, b) (VECTOR) _mm512_max_epu32((__m512i)(a), (__m512i)(b))
#define LESS(a, b) _mm512_cmplt_epu32_mask((__m512i)(a), (__m512i)(b))
#define PACK(mask, a) (VECTOR) _mm512_maskz_compress_epi32((__mmask16)(mask), (__m512i)(a))
#include "cpu/sort/network.h"

#define NAME(what) what##_wide_avx512
#define NUMBER uint64_t
#define LANES 8
#define MIN(a, b) (VECTOR) _mm512_min_epu64((__m512i)(a), (__m512i)(b))
#define MAX(a, b) (VECTOR) _mm512_max_epu64((__m512i)(a), (__m512i)(b))
#define LESS(a, b) _mm512_cmplt_epu64_mask((__m512i)(a), (__m512i)(b))
#define PACK(mask, a) (VECTOR) _mm512_maskz_compress_epi64((__mmask8)(mask), (__m512i)(a))
#include "cpu/sort/network.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#define HAS_NETWORKS
#endif

_Static_assert(TUNE_SORT_STACK <= TUNE_SORT_PLAIN && TUNE_SORT_SAMPLE <= TUNE_SORT_PLAIN,
               "rows on the stack and samples are sorted without buckets");

/* The greatest counts are those above which buckets are faster. */
const ma_network *ma_cpu_network(int size) {
#ifdef HAS_NETWORKS
  static const ma_network of_avx2[] = { { sort_narrow_avx2, split_narrow_avx2, TUNE_SORT_AVX2, MA_SORT_PAD },
                                        { sort_wide_avx2, split_wide_avx2, TUNE_SORT_AVX2, MA_SORT_PAD } };
  static const ma_network of_avx512[] = { { sort_narrow_avx512, split_narrow_avx512, TUNE_SORT_AVX512, MA_SORT_PAD },
                                          { sort_wide_avx512, split_wide_avx512, TUNE_SORT_AVX512, MA_SORT_PAD } };
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return &of_avx512[size == 8];
  if (__builtin_cpu_supports("avx2")) return &of_avx2[size == 8];
#endif
  static const ma_network of_any[] = { { sort_narrow, split_narrow, TUNE_SORT_PLAIN, 1 },
                                       { sort_wide, split_wide, TUNE_SORT_PLAIN, 1 } };
  return &of_any[size == 8];
}
