/* rows.h: how a kernel of a row program walks the rows. rows.c chooses it and rows_text.c prints it. */
#ifndef MOONARRAY_CUDA_ROWS_H
#define MOONARRAY_CUDA_ROWS_H

#include "backend/rows.h"
#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

/* What has a row: lanes of a warp, a warp, a block, or spans of chunks. */
typedef enum ma_rows_way { MA_ROWS_LANES, MA_ROWS_WARP, MA_ROWS_BLOCK, MA_ROWS_SPANS } ma_rows_way;

#define MA_ROWS_THREADS 256 /* of a block, where a warp is by itself */

/* Everything that shapes the text beside the stages; compared as bytes, so cleared first. */
typedef struct ma_rows_variant {
  uint8_t way, j, whole, nkept, wide_out;
  uint8_t lanes;    /* that have a row */
  uint16_t wide;    /* bit k: array k is read in wide accesses */
  uint16_t threads; /* of a block, at most */
  uint16_t near; /* bit k: not wide, but elements of the warp's rows follow one another: it reads neighbours at once */
  uint8_t near_out; /* the result likewise */
  uint8_t room;     /* bytes of the largest element that a warp trades for that */
} ma_rows_variant;

typedef struct ma_rows_text {
  const ma_rows *rows;
  const ma_rows_variant *v;
} ma_rows_text;

extern const ma_cuda_family ma_rows_families[];       /* [1]: two kernels, for spans */
bool ma_rows_is_read(const ma_rows *rows, int array); /* in a stage's body: by every element */

#pragma GCC visibility pop
#endif
