/*
** network.c: sorts up to some hundred thousand unsigned numbers by a sorting network, whose exchanges run as vectors
** and without branches. It needs AVX2 or AVX-512. With AVX-512 there is selection too.
*/
#include "cpu/sort/buckets.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_NETWORKS
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
#include "cpu/sort/network.h"
#define NAME(what) what##_narrow_avx512
#define NUMBER uint32_t
#define LANES 16
#define LESS(a, b) _mm512_cmplt_epu32_mask((__m512i)(a), (__m512i)(b))
#define PACK(mask, a) (VECTOR) _mm512_maskz_compress_epi32((__mmask16)(mask), (__m512i)(a))
#define PUT(to, count, a) _mm512_mask_storeu_epi32(to, (__mmask16)((1u << (count)) - 1), (__m512i)(a))
#define TURN _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define PUT_TURNED(end, count, a)                                            \
  _mm512_mask_storeu_epi32((end)-LANES, (__mmask16)(0xffff0000u >> (count)), \
                           _mm512_permutexvar_epi32(TURN, (__m512i)(a)))
#include "cpu/sort/select.h"

#define NAME(what) what##_wide_avx512
#define NUMBER uint64_t
#define LANES 8
#define MIN(a, b) (VECTOR) _mm512_min_epu64((__m512i)(a), (__m512i)(b))
#define MAX(a, b) (VECTOR) _mm512_max_epu64((__m512i)(a), (__m512i)(b))
#include "cpu/sort/network.h"
#define NAME(what) what##_wide_avx512
#define NUMBER uint64_t
#define LANES 8
#define LESS(a, b) _mm512_cmplt_epu64_mask((__m512i)(a), (__m512i)(b))
#define PACK(mask, a) (VECTOR) _mm512_maskz_compress_epi64((__mmask8)(mask), (__m512i)(a))
#define PUT(to, count, a) _mm512_mask_storeu_epi64(to, (__mmask8)((1u << (count)) - 1), (__m512i)(a))
#define TURN _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7)
#define PUT_TURNED(end, count, a) \
  _mm512_mask_storeu_epi64((end)-LANES, (__mmask8)(0xff00u >> (count)), _mm512_permutexvar_epi64(TURN, (__m512i)(a)))
#include "cpu/sort/select.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#define MOST 131072 /* numbers; more take less time in buckets, and with places by digits if twice as many */
static const ma_network network_of_avx2 = {
  { sort_narrow_avx2, NULL, NULL, NULL, 4, 16384, 16384, 0 },
  { sort_wide_avx2, NULL, NULL, NULL, 8, 16384, 16384, 0 },
};
static const ma_network network_of_avx512 = {
  { sort_narrow_avx512, select_narrow_avx512, count_narrow_avx512, split_narrow_avx512, 4, MOST, 2 * MOST,
    MA_NETWORK_MOST },
  { sort_wide_avx512, select_wide_avx512, count_wide_avx512, split_wide_avx512, 8, MOST, 2 * MOST, MA_NETWORK_MOST },
};
#endif

const ma_network *ma_cpu_network(void) {
#ifdef HAS_NETWORKS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return &network_of_avx512;
  if (__builtin_cpu_supports("avx2")) return &network_of_avx2;
#endif
  return NULL;
}
