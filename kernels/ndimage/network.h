/* network.h: the comparisons that find the element of one rank among a few. It is Batcher's sort by odd-even merges,
** without the comparisons that do not lead to that element. For both backends. */
#ifndef MOONARRAY_NETWORK_H
#define MOONARRAY_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MA_NETWORK_MOST 64 /* elements */

typedef struct ma_comparator {
  uint8_t low, high; /* places; the lesser element goes to `low` */
  uint8_t keep;      /* 1: the lesser is wanted, 2: the greater, 3: both */
} ma_comparator;

typedef struct ma_network {
  int n, rank, ncomparator;
  ma_comparator comparator[800];
} ma_network;

static inline void ma_network_add(ma_network *w, int low, int high) {
  w->comparator[w->ncomparator++] = (ma_comparator){ (uint8_t)low, (uint8_t)high, 3 };
}

/* The shortest known network for the middle of 9. */
static inline void ma_network_nine(ma_network *w) {
  static const char pairs[] = "12457801346712457803584736142547426442";
  for (int k = 0; k < 19; k++) {
    int a = pairs[2 * k] - '0', b = pairs[2 * k + 1] - '0';
    ma_network_add(w, a, b);
  }
}

static inline void ma_network_sort(ma_network *w) {
  int n = w->n;
  for (int p = 1; p < n; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j < n - k; j += 2 * k)
        for (int i = 0; i < k && i + j + k < n; i++)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) ma_network_add(w, i + j, i + j + k);
}

/* Makes a network for 2 <= n <= MA_NETWORK_MOST and 0 <= rank < n, by which the element of that rank arrives at place
** `rank`. */
static inline void ma_network_make(ma_network *w, int n, int rank) {
  bool wanted[MA_NETWORK_MOST] = { false };
  int kept = 0;
  w->n = n;
  w->rank = rank;
  w->ncomparator = 0;
  if (n == 9 && rank == 4) ma_network_nine(w);
  else ma_network_sort(w);
  wanted[rank] = true;
  for (int k = w->ncomparator - 1; k >= 0; k--) {
    ma_comparator *c = &w->comparator[k];
    c->keep = (uint8_t)(wanted[c->low] | wanted[c->high] << 1);
    if (c->keep) wanted[c->low] = wanted[c->high] = true;
  }
  for (int k = 0; k < w->ncomparator; k++)
    if (w->comparator[k].keep) w->comparator[kept++] = w->comparator[k];
  w->ncomparator = kept;
}

#endif
