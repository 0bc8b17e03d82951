/* morphology.h: the slots of morphology (binary.c, label.c, distance.c, groups.c), and what these share. */
#ifndef MA_CUDA_MORPHOLOGY_H
#define MA_CUDA_MORPHOLOGY_H

#include "backend/morphology.h"
#include "cuda/cuda.h"

#pragma GCC visibility push(hidden)

/* The texts of the kernels for images of ndim axes, to compile them without a device. */
ma_status ma_cuda_binary_source(int ndim, char **source);
ma_status ma_cuda_label_source(int ndim, bool wide, char **source);
/* term: 0 counts, 1 sums, 2 squares, 3 moments */
ma_status ma_cuda_groups_source(bool wide, ma_dtype dtype, int term, char **source);
ma_status ma_cuda_distance_source(char **source); /* the same for all numbers of axes */

/* An image as kernels/ndimage/image.cuh has it: extents of the axes before the last one. */
typedef struct ma_cuda_picture {
  int64_t n, rows;
  int64_t shape[MA_MAX_NDIM];
} ma_cuda_picture;

static inline ma_cuda_picture ma_cuda_picture_of(const ma_picture *image) {
  ma_cuda_picture found = { .n = image->shape[image->ndim - 1], .rows = 1 };
  for (int d = 0; d < image->ndim - 1; d++) found.rows *= found.shape[d] = image->shape[d];
  return found;
}

#pragma GCC visibility pop
#endif
