/* monoid.h: the inner loops of reductions, a table of functions for each monoid of kernels/reduce/reduce.h and
** register type. Values are blocks of register type (cpu.h). Only these functions look into partial results. */
#ifndef MOONARRAY_CPU_MONOID_H
#define MOONARRAY_CPU_MONOID_H

#include "cpu/cpu.h"

#include "kernels/reduce/reduce.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_PARTIAL 40 /* bytes of a partial result, at most */

typedef struct ma_finish {
  int64_t count;
  double param;
  ma_dtype result;
  bool root, masked; /* root: std; masked: some elements were left out */
} ma_finish;

typedef struct ma_monoid {
  uint8_t partial, value; /* bytes of a partial result; bytes of a value */
  bool takes_mask;        /* else masked values are blanked first */
  /* Folds the chunk of n values that begins at element r. `sofar` is the result before it, or NULL; a chunk that
  ** cannot change it is only scanned. */
  void (*total)(void *to, const void *values, const uint8_t *mask, int n, int64_t r, const void *sofar);
  /* Folds n >= 1024 values at once. Returns false if the result depends on the tree. NULL: it always does. */
  bool (*whole)(void *to, const void *values, int n, int64_t r, const void *sofar);
  /* Folds one leaf of n columns. If bit j of `live` is set, row j is at values[j] with its mask at mask[j]. */
  void (*column)(void *to, const void *const *values, const uint8_t *const *mask, unsigned live, int n, int64_t r);
  /* The tree of `count` leaves (2, 4 or 8) of one value each, for n columns. NULL: not for this monoid. */
  void (*singles)(void *to, const void *const *values, int count, int n);
  /* The best so far of n columns, with 8 more rows: of `first` ones, or `last` ones. False where the tree decides which
  ** value is taken: there is a NaN, or the best is a zero. NULL if there is no best. */
  bool (*lead_down)(void *to, const void *const *values, int n, bool first, bool last);
  /* to[i] = x[i] merged with y[i] behind it; to may be x or y */
  void (*merge)(void *to, const void *x, const void *y, int n);
  const void *(*tree)(void *x, void *room, int n); /* the balanced tree; overwrites both */
  void (*blank)(void *to, const void *values, const uint8_t *mask, int n);
  /* Scans a segment of n values behind `base` and `before` (the fold of the earlier segments of its tile). Writes n
  ** running totals to `to`, unless it is NULL, and the segment's own total. */
  void (*segment)(void *to, void *total, const void *values, int n, const void *base, const void *before);
  void (*identity)(void *to); /* a partial result that changes nothing; for scans */
  /* writes the register type of finish->result */
  void (*finish)(void *to, const void *x, int n, const ma_finish *finish);
  /* Replace `column` if the order of merging does not matter, else NULL. follow: takes row k (0 .. 127) of n
  ** columns; `room` has the bytes of n partial results. settle: merges these rows, which began at element r, into
  ** the partial results at `to`. */
  void (*follow)(void *room, const void *values, int n, int k);
  void (*settle)(void *to, const void *room, int n, int64_t r, bool first);
  /* join: merges results of `column`, which may have another form; unfold (or NULL) converts that form to partial
  ** results. */
  void (*join)(void *to, const void *x, const void *y, int n);
  void (*unfold)(void *to, const void *from, int n);
  uint8_t short_row; /* with this many contiguous elements in a row, `total` is better */
  bool plain;        /* scans: a value, the partial result of it and the result are the same bytes */
  bool orderless;    /* scans: merging in whatever order gives the same bits */
} ma_monoid;

/* Without and with a mask; NULL: there is none for the dtype, or none of its own. */
extern const ma_monoid *const ma_monoids[2][RED_bxor + 1][MA_NDTYPE];
/* The monoid of `op` for values of `dtype`. */
const ma_monoid *ma_cpu_monoid(ma_reduce_op op, ma_dtype dtype, bool masked);
int ma_cpu_monoid_id(ma_reduce_op op); /* RED_sum ... */

#pragma GCC visibility pop
#endif
