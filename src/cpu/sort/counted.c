/*
** counted.c: sorts of values among which there are few different ones, as small integers are. Each number between the
** least and the greatest is counted, and then written as often as it is there. Threads share chunks of the row, and
** pieces of the result.
*/
#include "cpu/sort/buckets.h"

#include <stdlib.h>
#include <string.h>

#define LEAST 1024   /* elements; fewer are sorted by a network */
#define MOST_BITS 16 /* of the greatest number less the least */
#define FEW_BITS 11  /* whose counts are kept four times, so that equal elements do not wait for each other */
#define CHUNK 65536  /* elements in a chunk and in a piece, at least */
#define MOST_CHUNKS 64

typedef struct counted {
  const ma_sort_loops *loops;
  int size, bits, nchunk;
  const char *from;
  char *to;
  int64_t n, chunk;
  uint64_t low;
  uint32_t *counts; /* by chunk and number */
  uint32_t *first;  /* by number: the place of the first element, with one more at the end */
  char *items;      /* by number */
  bool odd;         /* atomic: elements that share a number are not the same */
} counted;

#define COUNT(name, T)                                                               \
  static void name(const T *number, int n, int bits, uint32_t *count) {              \
    size_t part = bits <= FEW_BITS ? (size_t)1 << bits : 0;                          \
    uint32_t *second = count + part, *third = second + part, *fourth = third + part; \
    const T *end = number + n;                                                       \
    for (; end - number >= 4; number += 4) {                                         \
      count[number[0]]++;                                                            \
      second[number[1]]++;                                                           \
      third[number[2]]++;                                                            \
      fourth[number[3]]++;                                                           \
    }                                                                                \
    for (; number < end; number++) count[*number]++;                                 \
  }
COUNT(count_narrow, uint32_t)
COUNT(count_wide, uint64_t)
#undef COUNT

/* Adds the counts that were kept four times. */
static void add_four(uint32_t *restrict counts, const uint32_t *restrict four, size_t n) {
  for (size_t k = 0; k < n; k++) counts[k] = four[k] + four[n + k] + four[2 * n + k] + four[3 * n + k];
}

static ma_status count_chunks(void *context, int64_t first, int64_t last) {
  counted *s = context;
  _Alignas(MA_ALIGN) uint64_t numbers[MA_SORT_BLOCK];
  uint32_t four[4 << FEW_BITS];
  size_t nnumber = (size_t)1 << s->bits;
  bool odd = false, parts = s->bits <= FEW_BITS;
  for (int64_t c = first; c < last && !odd; c++) {
    uint32_t *counts = s->counts + (size_t)c * nnumber;
    /* cppcheck-suppress legacyUninitvar */ /* cleared at once */
    uint32_t *to = parts ? four : counts;
    memset(to, 0, (parts ? 4 : 1) * nnumber * sizeof *to);
    int64_t end = (c + 1) * s->chunk < s->n ? (c + 1) * s->chunk : s->n;
    for (int64_t i = c * s->chunk; i < end; i += MA_SORT_BLOCK) {
      int m = end - i < MA_SORT_BLOCK ? (int)(end - i) : MA_SORT_BLOCK;
      const char *x = s->from + i * s->size;
      if (s->size < 8) {
        odd |= s->loops->narrow(x, m, s->low, 0, (uint32_t *)numbers);
        count_narrow((const uint32_t *)numbers, m, s->bits, to);
      } else {
        odd |= s->loops->wide(x, m, s->low, 0, 0, numbers);
        count_wide(numbers, m, s->bits, to);
      }
    }
    if (parts) add_four(counts, to, nnumber);
  }
  if (odd) __atomic_store_n(&s->odd, true, __ATOMIC_RELAXED);
  return MA_OK;
}

/* Computes the places of the numbers, and the elements that they stand for. */
static void place_numbers(counted *s) {
  uint32_t next = 0, nnumber = 1u << s->bits;
  for (uint32_t k = 0; k < nnumber; k++) {
    s->first[k] = next;
    for (int c = 0; c < s->nchunk; c++) next += s->counts[(size_t)c * nnumber + k];
  }
  s->first[nnumber] = next;
  for (uint32_t k = 0; k < nnumber; k += MA_SORT_BLOCK) {
    uint32_t narrow[MA_SORT_BLOCK], m = nnumber - k < MA_SORT_BLOCK ? nnumber - k : MA_SORT_BLOCK;
    uint64_t wide[MA_SORT_BLOCK];
    for (uint32_t i = 0; i < m; i++) narrow[i] = (uint32_t)(wide[i] = k + i);
    if (s->size < 8) s->loops->from_narrow(narrow, (int)m, s->low, s->items + (size_t)k * (size_t)s->size);
    else s->loops->from_wide(wide, (int)m, s->low, s->items + (size_t)k * (size_t)s->size);
  }
}

/* Writes the elements at .. end - 1, of which the first has number k. */
#define FILL(name, T)                                                       \
  static void name(const counted *s, uint32_t k, int64_t at, int64_t end) { \
    const T *items = (const void *)s->items;                                \
    T *restrict to = (void *)s->to;                                         \
    for (; at < end; k++) {                                                 \
      int64_t stop = s->first[k + 1] < end ? s->first[k + 1] : end;         \
      T item = items[k];                                                    \
      for (; at < stop; at++) to[at] = item;                                \
    }                                                                       \
  }
FILL(fill_1, uint8_t)
FILL(fill_2, uint16_t)
FILL(fill_4, uint32_t)
FILL(fill_8, uint64_t)
#undef FILL

static ma_status fill_pieces(void *context, int64_t first, int64_t last) {
  static void (*const fill[9])(const counted *, uint32_t, int64_t,
                               int64_t) = { [1] = fill_1, [2] = fill_2, [4] = fill_4, [8] = fill_8 };
  const counted *s = context;
  int64_t at = first * s->chunk, end = last * s->chunk < s->n ? last * s->chunk : s->n;
  uint32_t k = 0, above = 1u << s->bits; /* first[k] <= at < first[above] */
  while (above - k > 1) {
    uint32_t middle = (k + above) / 2;
    if (s->first[middle] <= at) k = middle;
    else above = middle;
  }
  fill[s->size](s, k, at, end);
  return MA_OK;
}

/* Whether the numbers are few; finds the least one. */
static bool suits(counted *s, int most) {
  uint64_t some[2], all[2];
  if (s->n < LEAST || s->n >> 32 || !s->loops->shared) return false;
  s->loops->span(s->from, LEAST, some);
  if (bits_of(some[1] - some[0]) > most) return false;
  s->loops->span(s->from, s->n, all);
  s->low = all[0];
  s->bits = bits_of(all[1] - all[0]);
  return s->bits <= most && INT64_C(2) << s->bits <= s->n;
}

bool ma_cpu_sort_counted(const ma_sort_loops *loops, int size, int threads, const void *from, void *to, int64_t n,
                         bool some) {
  counted s = { .loops = loops, .size = size, .from = from, .to = to, .n = n };
  if (!suits(&s, some ? FEW_BITS : MOST_BITS)) return false;
  int64_t nchunk = threads > 1 ? n / CHUNK : 1, most = 4 * (int64_t)threads < MOST_CHUNKS ? 4 * threads : MOST_CHUNKS;
  s.nchunk = (int)(nchunk < 1 ? 1 : nchunk > most ? most : nchunk);
  s.chunk = (n + s.nchunk - 1) / s.nchunk;
  size_t nnumber = (size_t)1 << s.bits;
  s.counts = malloc((nnumber * (size_t)s.nchunk + nnumber + 1) * sizeof *s.counts + nnumber * (size_t)size + 8);
  if (!s.counts) return false;
  s.first = s.counts + nnumber * (size_t)s.nchunk;
  s.items = (char *)(((uintptr_t)(s.first + nnumber + 1) + 7) & ~(uintptr_t)7);
  ma_cpu_parallel(s.nchunk, 1, count_chunks, &s);
  if (!s.odd) {
    place_numbers(&s);
    ma_cpu_parallel(s.nchunk, 1, fill_pieces, &s);
  }
  free(s.counts);
  return !s.odd;
}
