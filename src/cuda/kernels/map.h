/* map.h: how an elementwise kernel walks its operands. map.c chooses it and map_text.c prints it. */
#ifndef MOONARRAY_CUDA_MAP_H
#define MOONARRAY_CUDA_MAP_H

#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

/* How an operand moves along the inner axis. */
typedef enum ma_map_walk {
  MA_MAP_BROADCAST, /* not at all: one load for each group */
  MA_MAP_VECTOR,    /* contiguous, with every group aligned for wide accesses */
  MA_MAP_ELEMENT,   /* contiguous */
  MA_MAP_STRIDED,
  MA_MAP_TALL_VECTOR, /* in tiled kernels: contiguous along the other axis, read through shared memory */
  MA_MAP_TALL_ELEMENT
} ma_map_walk;

/* Everything but the program that a kernel's text depends on. Its bytes are the first part of the kernel's key. */
typedef struct ma_map_variant {
  uint8_t tile;   /* 0: no tiles; else the extent of the square tiles */
  uint8_t nouter; /* axes besides the inner one, or besides the two of a tile */
  uint8_t width;  /* consecutive inner elements in a group, which one thread computes */
  uint8_t unroll; /* groups for a thread, all loaded before the first one is computed */
  uint16_t block; /* threads in a block */
  uint8_t walk[MA_MAX_OPERANDS];
} ma_map_variant;

/* One launch: a part of the map that fits 32-bit offsets. */
typedef struct ma_map_part {
  const ma_map *map;
  const ma_space *space;
  char *data[MA_MAX_OPERANDS];
  uint8_t itemsize[MA_MAX_OPERANDS];
  uint64_t places; /* by bit: operands that are the places of draws */
  int nreal;       /* operands without the index */
  bool checks;     /* looks for the kernel, but launches nothing */
  bool *ran;       /* NULL: compile the kernel if needed; else set to false if it is not loaded */
  int tall_axis;   /* for a tiled kernel */
  ma_map_variant v;
} ma_map_part;

typedef struct ma_map_text {
  const ma_program *program;
  const ma_map_variant *variant;
} ma_map_text;

extern const ma_cuda_family ma_map_family;
ma_dtype ma_map_operand_dtype(const ma_program *program, int k); /* outputs first, then inputs */
bool ma_map_is_heavy(const ma_program *program);                 /* whether an instruction expands to many */
int64_t ma_map_bytes(const ma_map_part *part);                   /* moved, for the log */

/* map_general.c: runs a part by the general form. Not taken: the program has none, or that is not compiled either. */
ma_status ma_map_run_general(ma_stream *stream, const ma_map_part *part, bool *taken);

#pragma GCC visibility pop
#endif
