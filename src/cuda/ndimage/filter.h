/* filter.h: what the files of filters on a GPU share: the head of a kernel's text, and the slots. */
#ifndef MA_CUDA_FILTER_H
#define MA_CUDA_FILTER_H

#include "cuda/cuda.h"
#include "backend/filter.h"

#pragma GCC visibility push(hidden)

/* Prints edge.h and the names `image`, `result`, `T` and `CUT` for these dtypes. */
void ma_cuda_filter_head(ma_ctext *text, ma_dtype from, ma_dtype to, ma_dtype compute);
const char *ma_cuda_compute_name(ma_dtype compute); /* "float" */
/* Blocks of 256 threads for so many threads, or an error if a launch cannot have them. */
ma_status ma_cuda_filter_blocks(int64_t threads, int64_t per_block, unsigned *blocks);

/* along.c: W neighbours along one axis, for windows and for lines. */
#define MA_ALONG_MOST 33
typedef struct ma_along {
  ma_filter_op op;
  ma_dtype from_dtype, to_dtype, compute;
  int64_t outer, n, inner;
  int count, symmetry, mode;
  bool last_first; /* the first weight belongs to the last neighbour */
  int64_t before;
  double cval;
  const double *weight; /* CORRELATE */
  const void *from;
  void *to;
} ma_along;
ma_status ma_cuda_along(ma_stream *stream, const ma_along *along);
ma_status ma_cuda_along_source(const ma_along *along, char **source);

#pragma GCC visibility pop
#endif
