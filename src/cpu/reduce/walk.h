/* walk.h: what the walks of reduce.c share. */
#ifndef MOONARRAY_CPU_WALK_H
#define MOONARRAY_CPU_WALK_H

#include "cpu/reduce/columns.h"

#pragma GCC visibility push(hidden)

#define MA_REDUCE_COLUMNS MA_BLOCK /* columns in a block, at most */

typedef struct ma_reduce_job {
  const ma_reduction *reduction;
  const ma_space *space; /* the reduction's space, or one with another kept axis last */
  const ma_monoid *monoid;
  ma_finish finish;
  ma_plan plan;                 /* not made if values are read in place */
  bool in_place, masked, large; /* large: limited by memory */
  int64_t span, nspan;          /* elements in a span; spans for a result */
  int64_t kept;                 /* results */
  int64_t run, ncolumn, nblock; /* by columns: extent of the last kept axis, columns in a block, blocks of that axis */
  char *partial;                /* kept * nspan partial results, NULL if there is one span */
  int settles;                  /* the bool value that decides the result; -1: none */
  int64_t *settled; /* atomic: a span in which the deciding value was found, INT64_MAX: none yet; NULL: not used */
} ma_reduce_job;

typedef struct ma_reader { /* one for each thread */
  const ma_reduce_job *j;
  ma_block block;
  char *blank; /* values with masked ones blanked */
} ma_reader;

/* Addresses for result k (a C-order position among the kept axes). */
void ma_reduce_place(const ma_reduce_job *j, int64_t k, void **data);
/* Writes results k .. k+n-1, all on the last kept axis, from their partial results, which are overwritten. */
void ma_reduce_put(const ma_reduce_job *j, void *const *data, void *partial, int n);

ma_status ma_reader_open(ma_reader *reader, const ma_reduce_job *j);
void ma_reader_close(ma_reader *reader);
/* If the monoid has a value that changes nothing, masked elements become that value, and it takes no mask. */
void ma_reader_blank(const ma_reader *reader, const void **values, int n);

/* Reduces blocks of columns; a task of many threads. */
ma_status ma_reduce_columns(void *job, int64_t first, int64_t last);

#pragma GCC visibility pop
#endif
