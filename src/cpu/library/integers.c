/*
** integers.c: products of matrices of integers, by tiles in registers. A block of DEPTH terms of a is packed in strips
** of LANES rows, and of b in strips of COLUMNS columns, so that a tile reads both in order: for each term it multiplies
** a strip of a by COLUMNS elements of b. The blocks of a stay in the second cache while all of b passes.
*/
#include "cpu/library/integers.h"

#include "cpu/map/wider.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 256      /* terms of a block */
#define ROWS_BYTES 512 /* of a column of a block of a */
#define LANES_BYTES 64 /* of a column of a strip */
#define COLUMNS 4

#define NAME(x) x##_4
#define X uint32_t
#include "cpu/library/integers_loops.h"
#define NAME(x) x##_8
#define X uint64_t
#include "cpu/library/integers_loops.h"

ma_status ma_cpu_multiply_integers(const ma_cpu_integers *p) {
  const size_t size = (size_t)DEPTH * (ROWS_BYTES + COLUMNS * p->itemsize);
  char *packed = aligned_alloc(64, size);
  if (!packed) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for blocks of a product", size);
  (p->itemsize == 4 ? multiply_4 : multiply_8)(p, packed, packed + (size_t)DEPTH * ROWS_BYTES);
  free(packed);
  return MA_OK;
}
