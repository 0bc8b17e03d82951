/* rows.h: what the files of sorts share: elements as numbers (kernels/sort/order.h), and sorts of numbers. */
#ifndef MA_CPU_ROWS_H
#define MA_CPU_ROWS_H

#include "cpu/cpu.h"
#include "tuning.h"

#include <string.h>

#pragma GCC visibility push(hidden)

#define MA_SORT_PAD 16 /* numbers are sorted in memory for a multiple of this, aligned to MA_ALIGN, at most */

static inline int bits_of(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

/* A random one of n. `chance` is the state of the random choice. */
static inline int64_t ma_sort_chance(uint64_t *chance, int64_t n) {
  *chance = *chance * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (int64_t)((double)(*chance >> 32) * 0x1p-32 * (double)n);
}

/* How many of n elements are taken to estimate where a place is. */
static inline int ma_sort_sample(int64_t n) { return n >= 1 << 18 ? TUNE_SORT_SAMPLE : n >= 1 << 13 ? 512 : 128; }

/* ==== Elements of a dtype ========================================================================================= */

/* Functions for one dtype. An element's number has 32 bits, or 64 if the element has 8 bytes. complex128 has two parts
** of 64 bits, of which `rest` takes the second one; other dtypes have no rest. */
typedef struct ma_sort_loops {
  /* Make the numbers of elements. They return whether one of them converts back to another element: -0, NaN, another
  ** byte for true. NULL for complex128. */
  bool (*numbers)(const void *from, int64_t n, void *to);
  /* Converts numbers back; `to` may be the numbers. Then `restore` replaces zeros and the last elements by those of
  ** `from`, in their order. Both are NULL for complex numbers. */
  void (*elements)(const void *numbers, int64_t n, void *to);
  void (*restore)(const void *from, void *to, int64_t n);
  /* The least and the greatest number; n > 0. */
  void (*span)(const void *from, int64_t n, bool rest, uint64_t two[2]);
  /* Make numbers that carry places: (number - low) >> shift, with `bits` bits of the place below it. `first` is the
  ** place of the first element. */
  void (*places)(const void *from, int64_t n, bool rest, uint64_t low, int shift, int bits, int64_t first,
                 uint64_t *to);
  void (*gather)(const void *from, const int64_t *positions, int64_t n, void *to);
  /* 1: no element is less than the one before it; -1: each is; 0: neither. */
  int (*way)(const void *from, int64_t n);
  void (*reverse)(const void *from, void *to, int64_t n); /* `to` may be `from` */
  void (*search)(const void *sorted, int64_t n, const int64_t *sorter, const void *values, int64_t count, bool right,
                 int64_t *positions);
  void (*extremes)(const void *from, int64_t n, void *two); /* NULL for complex numbers */
  void (*changes)(const void *sorted, int64_t first, int64_t last, bool equal_nan, uint8_t *mask);
} ma_sort_loops;

extern const ma_sort_loops ma_sort_loops_of[MA_NDTYPE];

/* ==== Numbers ===================================================================================================== */

/* The sorts of unsigned numbers of one size, by the instructions of this machine. */
typedef struct ma_network {
  void (*sort)(void *numbers, int n); /* n: a multiple of `pad`; numbers are aligned to MA_ALIGN */
  /* Moves the numbers below the first of two, those between them, and those above the second to three places. Each has
  ** room for all numbers and MA_SORT_PAD more, and the first one may be `numbers`. */
  void (*split)(const void *numbers, int64_t n, const uint64_t two[2], void *const to[3], int64_t count[3]);
  int most; /* numbers; more of them take less time in buckets */
  int pad;  /* 1 or MA_SORT_PAD */
} ma_network;

const ma_network *ma_cpu_network(int size); /* of a number: 4 or 8 bytes */

/* n numbers of `size` bytes: 4 or 8. */
typedef struct ma_numbers {
  int size;
  int64_t n;
  void *at;   /* aligned to MA_ALIGN, with room for MA_SORT_PAD more */
  void *room; /* for n numbers, for 2 (n + MA_SORT_PAD) if places matter; may be NULL if n <= TUNE_SORT_STACK */
  /* The places that matter, from 0. Each gets the number that a sort would put there, with no lesser one behind it and
  ** no greater one before it. nplace 0: all places matter. */
  const int64_t *place;
  int nplace;
} ma_numbers;

/* Sorts a sample of n numbers and chooses two of them. The numbers of the places `first` to `last` are almost surely
** between these (4 standard deviations). Returns a number that is near the first place's. */
uint64_t ma_cpu_sort_between(int size, void *sample, int64_t n, int64_t first, int64_t last, uint64_t two[2]);

/* Sorts numbers. Afterwards `at` and `room` may have changed places. */
ma_status ma_cpu_sort_numbers(ma_numbers *numbers, int threads);

#pragma GCC visibility pop
#endif
