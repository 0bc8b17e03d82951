/* buckets.h: loops over the numbers of a dtype (kernels/sort/order.h), the sort of a long row of values, and
** networks. */
#ifndef MA_CPU_BUCKETS_H
#define MA_CPU_BUCKETS_H

#include "cpu/cpu.h"

#include <string.h>

#pragma GCC visibility push(hidden)

#define MA_SORT_SMALL 512 /* elements in a row that is merged, at most */
#define MA_SORT_BLOCK 256 /* elements whose digits are computed at once */

static inline int bits_of(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

/* Copies `count` elements from all over a row of n > 0; `chance` is any number, and another one afterwards. */
static inline void ma_sample(const void *from, size_t size, int64_t n, int count, uint64_t *chance, void *to) {
  for (int k = 0; k < count; k++) {
    *chance = *chance * UINT64_C(6364136223846793005) + 1442695040888963407;
    uint64_t at = (*chance >> 32) * (uint64_t)n >> 32;
    memcpy((char *)to + (size_t)k * size, (const char *)from + at * size, size);
  }
}

typedef struct ma_sort_loops {
  /* Sorts at most MA_SORT_SMALL elements; `to` may be `from`; `to` or `positions` may be NULL. */
  void (*small)(const void *from, void *to, int64_t *positions, int n);
  /* The least and the greatest number; for complex128 those of its real part; n > 0. */
  void (*span)(const void *from, int64_t n, uint64_t two[2]);
  /* ((number - low) >> shift) & mask for n <= MA_SORT_BLOCK elements. Not for 16-byte elements. */
  void (*digits)(const void *from, int n, uint64_t low, int shift, uint32_t mask, uint32_t *digits);
  /* (number - low) >> shift, with `bits` of each element's place below it. Returns whether an element differs from
  ** the one that its number converts back to. */
  bool (*narrow)(const void *from, int n, uint64_t low, int bits, uint32_t *numbers);
  bool (*wide)(const void *from, int n, uint64_t low, int shift, int bits, uint64_t *numbers);
  /* Convert back from numbers without places. These and the next are not for complex numbers. */
  void (*from_narrow)(const uint32_t *numbers, int n, uint64_t low, void *to);
  void (*from_wide)(const uint64_t *numbers, int n, uint64_t low, void *to);
  /* Elements whose number is not unique, zeros and the last ones, each into room for n + 1. Counts elements below
  ** zero, zeros and last ones. */
  void (*shared)(const void *from, int n, void *zeros, void *lasts, int counts[3]);
  /* Corrects places that are in the order of leading bits to full order; false: too many are wrong. */
  bool (*settle)(const void *from, uint32_t *places, int n);
  void (*gather)(const void *from, const uint32_t *places, int n, void *to);
} ma_sort_loops;

#define MA_NETWORK_MOST 524288 /* numbers that any network takes, at most */
#define MA_NETWORK_PAD 16      /* their count is a multiple of this */
#define MA_NETWORK_BLOCK 32768 /* bytes that are sorted before they are merged with others */

/* The places of a row that matter, from 0; all if n is 0. */
typedef struct ma_places {
  const int64_t *place;
  int n;
} ma_places;

/* Whether any of the places from `first` to `end` - 1 matters. */
static inline bool ma_places_any(const ma_places *p, int64_t first, int64_t end) {
  bool any = p->n == 0;
  for (int k = 0; k < p->n; k++) any |= p->place[k] >= first && p->place[k] < end;
  return any;
}

/* Where the next elements of three parts of a row go; those of `above` go in front of it. */
typedef struct ma_parts {
  void *below, *middle, *above;
} ma_parts;

/* Sorts of unsigned numbers of one size. */
typedef struct ma_number_sort {
  /* n numbers, a multiple of MA_NETWORK_PAD, aligned to 64. `sorted`: length of runs that are sorted already, a power
  ** of two and at least a block; or 0. */
  void (*sort)(void *numbers, int n, int sorted);
  /* Sorts any n numbers, of which the first one has place `base`, only near the places that matter. `room`: for
  ** MA_SELECT_ROOM more numbers. NULL: this machine has none. */
  void (*select)(void *numbers, int n, void *room, const ma_places *places, int64_t base);
  /* Counts numbers below `low` and above `high`; moves the elements, of the numbers' size, to their parts. `middle` may
  ** be `elements`. NULL as `select`. */
  void (*count)(const void *numbers, int n, uint64_t low, uint64_t high, int64_t counts[2]);
  void (*split)(const void *numbers, const void *elements, int n, uint64_t low, uint64_t high, ma_parts *parts);
  int size, most, most_placed, most_selected; /* numbers; those with places in them; those of a selection */
} ma_number_sort;

#define MA_SELECT_ROOM 64

typedef struct ma_network {
  ma_number_sort narrow, wide; /* numbers of 32 bits, of 64 */
} ma_network;

const ma_network *ma_cpu_network(void); /* NULL: this machine has none */

/* Sorts n > 0 elements by a network, of which the first has place `base`; `to` may be `from`; `to` or `positions` may
** be NULL. If no network suits, returns false and writes nothing. */
bool ma_cpu_sort_short(const ma_sort_loops *loops, int size, const void *from, void *to, int64_t *positions, int64_t n,
                       const ma_places *places, int64_t base);

/* Sorts n elements of `size` <= 8 bytes of which many are equal; `to` may be `from`. Returns false and writes nothing
** if there are too many different ones, or different ones that are equal. `some`: only some places matter. */
bool ma_cpu_sort_counted(const ma_sort_loops *loops, int size, int threads, const void *from, void *to, int64_t n,
                         bool some);

/* Moves n elements into three parts one behind the other: what is below place `at`; what is around it, a small part in
** most cases; and what is above, turned. Sets their sizes. `room` is for n elements, and may be `from`. Returns false
** and writes nothing if this machine cannot. */
bool ma_cpu_sort_parts(const ma_sort_loops *loops, int size, int threads, const void *from, void *room, void *to,
                       int64_t n, int64_t at, int64_t sizes[3]);

/* Turns n > 0 elements back; or if `only_last`, moves the greatest of them to the end. */
void ma_cpu_sort_turned(const ma_sort_loops *loops, int size, void *elements, int64_t n, bool only_last);

/* Sorts n < 2^32 elements of `size` <= 8 bytes, stably, with at most `threads` threads; `to` may be `from`; scratch
** has room for all. If only some places matter, the others may be in any order. */
ma_status ma_cpu_sort_buckets(const ma_sort_loops *loops, int size, int threads, const void *from, void *to,
                              void *scratch, int64_t n, const ma_places *places);

/* Writes the positions of n elements of `size` <= 8 bytes, no complex numbers: of those below the element `kth`, of
** those equal to it, and of those above it. */
ma_status ma_cpu_argpartition(const ma_sort_loops *loops, int size, int threads, const void *from, const void *kth,
                              int64_t *positions, int64_t n);

#pragma GCC visibility pop
#endif
