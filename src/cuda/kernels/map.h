/* map.h: how one elementwise kernel walks its operands: chosen by map.c, printed by map_text.c. */
#ifndef MOONARRAY_CUDA_MAP_H
#define MOONARRAY_CUDA_MAP_H

#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

#define MA_MAP_BLOCK 256 /* threads of a block, unless a kernel of the user's own wants another number */

/* How an operand moves along the inner axis. */
typedef enum ma_walk {
  MA_WALK_BROADCAST, /* it does not: one load a group */
  MA_WALK_VECTOR,    /* contiguous, and every group aligned for wide accesses */
  MA_WALK_ELEMENT,   /* contiguous */
  MA_WALK_STRIDED,
  MA_WALK_TALL_VECTOR, /* tiled kernels: contiguous along the other axis, read through shared memory */
  MA_WALK_TALL_ELEMENT
} ma_walk;

/* All that shapes a kernel's text beside the program. Bytes alone: it is the first part of the kernel's key. */
typedef struct ma_map_variant {
  uint8_t tile;   /* 0: plain; else the extent of the square tiles */
  uint8_t nouter; /* axes beside the inner one, or beside the tile's two */
  uint8_t width;  /* consecutive inner elements of a group: a thread's piece of work */
  uint8_t unroll; /* groups of a thread, all loaded before the first is computed */
  uint16_t block; /* threads of a block */
  uint8_t walk[MA_MAX_OPERANDS];
} ma_map_variant;

typedef struct ma_map_text {
  const ma_program *program;
  const ma_map_variant *variant;
} ma_map_text;

extern const ma_cuda_family ma_map_family;
ma_dtype ma_map_operand_dtype(const ma_program *program, int k); /* outputs first, then inputs */
bool ma_map_uses_index(const ma_program *program);               /* one more operand follows the inputs: the index */
bool ma_map_is_heavy(const ma_program *program);                 /* does an instruction expand to many? */

#pragma GCC visibility pop
#endif
