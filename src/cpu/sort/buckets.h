/*
** buckets.h: the order of a dtype as loops over its numbers (kernels/sort/order.h), the sort of a long row of values,
** and networks.
*/
#ifndef MA_CPU_BUCKETS_H
#define MA_CPU_BUCKETS_H

#include "cpu/cpu.h"

#pragma GCC visibility push(hidden)

#define MA_SORT_SMALL 512 /* most elements of a row that is merged */
#define MA_SORT_BLOCK 256 /* elements whose digits are taken at once */

static inline int bits_of(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

typedef struct ma_sort_loops {
  /* At most MA_SORT_SMALL elements at once; `to` may be `from`; `to` or `positions` may be NULL. */
  void (*small)(const void *from, void *to, int64_t *positions, int n);
  /* The least and the greatest number, of complex128 that of its real part; n > 0. */
  void (*span)(const void *from, int64_t n, uint64_t two[2]);
  /* ((number - low) >> shift) & mask of each of n <= MA_SORT_BLOCK elements. Not of 16 bytes. */
  void (*digits)(const void *from, int n, uint64_t low, int shift, uint32_t mask, uint32_t *digits);
  /* (number - low) >> shift, and below it `bits` of each element's place; whether an element is not what its number
  ** gives back. */
  bool (*narrow)(const void *from, int n, uint64_t low, int bits, uint32_t *numbers);
  bool (*wide)(const void *from, int n, uint64_t low, int shift, int bits, uint64_t *numbers);
  /* Back from those without places. Not of complex numbers, nor the next. */
  void (*from_narrow)(const uint32_t *numbers, int n, uint64_t low, void *to);
  void (*from_wide)(const uint64_t *numbers, int n, uint64_t low, void *to);
  /* The elements whose number others have too, zeros and the last ones, each into room for n + 1; counts what is below
  ** zero, zeros, last ones. */
  void (*shared)(const void *from, int n, void *zeros, void *lasts, int counts[3]);
  /* Places in the order of leading bits, to that of all; false: too many are wrong. */
  bool (*settle)(const void *from, uint32_t *places, int n);
  void (*gather)(const void *from, const uint32_t *places, int n, void *to);
} ma_sort_loops;

#define MA_NETWORK_MOST 65536  /* most numbers that any network sorts */
#define MA_NETWORK_PAD 16      /* what their count is a multiple of */
#define MA_NETWORK_BLOCK 32768 /* bytes that are sorted before they are merged with others */

/* Sorts of up to so many unsigned numbers of 32 and of 64 bits, which begin at a multiple of 64. `sorted`: runs of so
** many, a power of two and a block at least, are sorted already; or 0. */
typedef struct ma_network {
  void (*narrow)(void *numbers, int n, int sorted), (*wide)(void *numbers, int n, int sorted);
  int most_narrow, most_wide;
} ma_network;

const ma_network *ma_cpu_network(void); /* NULL: this machine has none */

/* Sorts n > 0 elements by a network; `to` may be `from`; `to` or `positions` may be NULL. False, with nothing written,
** where none suits them. */
bool ma_cpu_sort_short(const ma_sort_loops *loops, int size, const void *from, void *to, int64_t *positions, int64_t n);

/* Sorts n < 2^32 elements of `size` <= 8 bytes, stably; `to` may be `from`; scratch has room for all of them. At most
** `threads` at once. */
ma_status ma_cpu_sort_buckets(const ma_sort_loops *loops, int size, int threads, const void *from, void *to,
                              void *scratch, int64_t n);

#pragma GCC visibility pop
#endif
