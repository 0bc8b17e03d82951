/* collective.h: one call of several ranks. */
#ifndef MOONARRAY_BACKEND_COLLECTIVE_H
#define MOONARRAY_BACKEND_COLLECTIVE_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

typedef enum ma_collective_kind {
#define COLLECTIVE(name) MA_COLLECTIVE_##name,
#include "backend/collective.def"
  MA_NCOLLECTIVE
} ma_collective_kind;

typedef enum ma_merge { MA_MERGE_sum, MA_MERGE_prod, MA_MERGE_min, MA_MERGE_max, MA_NMERGE } ma_merge;

/* One call. Memory is contiguous; `from` and `to` do not overlap, but may be the same for all_reduce and broadcast. */
typedef struct ma_collective {
  ma_collective_kind kind;
  ma_merge merge;
  ma_dtype dtype;
  const void *from;
  void *to;
  int64_t nfrom, nto; /* elements of each */
  /* Elements for each rank: of `from` (scatter, reduce_scatter, all_to_all) and of `to` (gather, all_gather,
  ** all_to_all). NULL: equal parts. */
  const int64_t *from_parts, *to_parts;
  int root;   /* also the rank that send and sendrecv send to; -1: nobody */
  int source; /* that recv and sendrecv receive from; -1: nobody */
  int tag;
  int rank, size; /* of the group */
  double limit;   /* seconds; 0: none */
  const char *name;
} ma_collective;

#define MA_COMM_NAME 128 /* bytes of the name of a new communicator */

#pragma GCC visibility pop
#endif
