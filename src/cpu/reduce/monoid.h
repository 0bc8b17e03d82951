/*
** monoid.h: the reductions' inner loops, one table of functions for each monoid of kernels/reduce/reduce.h and register
** type. Values come in blocks of register type (cpu.h); partial results are opaque to everybody else.
*/
#ifndef MOONARRAY_CPU_MONOID_H
#define MOONARRAY_CPU_MONOID_H

#include "cpu/cpu.h"

#include "kernels/reduce/reduce.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_PARTIAL 40 /* most bytes of a partial result */

typedef struct ma_finish {
  int64_t count;
  double param;
  ma_dtype result;
  bool root, masked; /* std; some elements were left out */
} ma_finish;

typedef struct ma_monoid {
  uint8_t partial, value; /* bytes of a partial result and of a value */
  bool takes_mask;        /* else masked values are blanked first */
  /* The chunk of n values that begins at element r. `sofar`: what is before it (may be NULL); a chunk that cannot
  ** change it need not be looked at closely. */
  void (*total)(void *to, const void *values, const uint8_t *mask, int n, int64_t r, const void *sofar);
  /* One leaf of n columns: row j, if bit j of `live` is set, is at values[j] with its mask at mask[j]. */
  void (*column)(void *to, const void *const *values, const uint8_t *const *mask, unsigned live, int n, int64_t r);
  void (*merge)(void *to, const void *x, const void *y, int n); /* to[i] = x[i] with y[i] behind it; to may be x or y */
  const void *(*tree)(void *x, void *room, int n);              /* the balanced tree; both are overwritten */
  void (*blank)(void *to, const void *values, const uint8_t *mask, int n);
  /* Scans a segment of n values behind `base` and `before` (the fold of the earlier segments of its tile): n running
  ** totals to `to`, unless it is NULL, and the segment's own total. */
  void (*segment)(void *to, void *total, const void *values, int n, const void *base, const void *before);
  void (*identity)(void *to); /* a partial result that changes nothing; for scans */
  void (*finish)(void *to, const void *x, int n, const ma_finish *finish); /* in the register type of finish->result */
  /* In place of `column`, where the order of merging does not matter, else NULL: row k (0 .. 127) of n columns, one
  ** after the other; `room` has n partial results' bytes. Then these rows, which began at element r, go to the partial
  ** results at `to`. */
  void (*follow)(void *room, const void *values, int n, int k);
  void (*settle)(void *to, const void *room, int n, int64_t r, bool first);
  /* `merge` of what `column` made, whose form may be another; `unfold`, unless it is NULL, turns that into partial
  ** results. */
  void (*join)(void *to, const void *x, const void *y, int n);
  void (*unfold)(void *to, const void *from, int n);
  uint8_t short_row; /* elements from which `total` is the better way, where a row's lie side by side */
} ma_monoid;

/* The monoid of `op` over values of dtype `dtype`. */
const ma_monoid *ma_cpu_monoid(ma_reduce_op op, ma_dtype dtype, bool masked);
int ma_cpu_monoid_id(ma_reduce_op op); /* RED_sum ... */

#pragma GCC visibility pop
#endif
