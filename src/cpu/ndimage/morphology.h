/* morphology.h: the slots of morphology, in binary.c, label.c, boxes.c and distance.c. */
#ifndef MA_CPU_MORPHOLOGY_H
#define MA_CPU_MORPHOLOGY_H

#include "backend/morphology.h"

#pragma GCC visibility push(hidden)

/* Elements of the image, and its rows. */
static inline int64_t ma_picture_rows(const ma_picture *image) {
  int64_t rows = 1;
  for (int d = 0; d < image->ndim - 1; d++) rows *= image->shape[d];
  return rows;
}
static inline int64_t ma_picture_row(const ma_picture *image) { return image->shape[image->ndim - 1]; }
static inline int64_t ma_picture_size(const ma_picture *image) {
  return ma_picture_rows(image) * ma_picture_row(image);
}

/* The offsets of a row along the axes before the last one. */
static inline void ma_picture_place(const ma_picture *image, int64_t row, int64_t *place) {
  for (int d = image->ndim - 2; d >= 0; d--) {
    place[d] = row % image->shape[d];
    row /= image->shape[d];
  }
}
/* The row that lies at these distances from one, or -1 beyond the edges. */
static inline int64_t ma_picture_other(const ma_picture *image, const int64_t *place, const int32_t *distance) {
  int64_t row = 0;
  for (int d = 0; d < image->ndim - 1; d++) {
    int64_t at = place[d] + distance[d];
    if (at < 0 || at >= image->shape[d]) return -1;
    row = row * image->shape[d] + at;
  }
  return row;
}

#pragma GCC visibility pop
#endif
