/* morphology.h: binary morphology and labels of arrays. Structures are int32 arrays on the image's device, of the form
** that backend/morphology.h describes. Results are new arrays. */
#ifndef MOONARRAY_OPS_MORPHOLOGY_H
#define MOONARRAY_OPS_MORPHOLOGY_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

typedef struct ma_binary_options {
  bool erode, border, centred;
  int64_t iterations;
} ma_binary_options;

/* Dilates or erodes a bool array; `mask`, of the same shape, may be NULL. */
ma_status ma_binary_run(const ma_array *from, const ma_array *mask, const ma_array *runs,
                        const ma_binary_options *options, ma_array *to, ma_stream *stream);
/* Labels of the components of a bool array, as int32 or int64, and their number as a 0-d int64 array. */
ma_status ma_label_run(const ma_array *from, const ma_array *links, bool joined, ma_dtype dtype, ma_array *to,
                       ma_array *count, ma_stream *stream);
/* Floods the components of the bool array `mask` (NULL: all elements) that have a seed. */
ma_status ma_flood_run(const ma_array *seed, const ma_array *mask, const ma_array *links, bool joined, bool inverted,
                       ma_array *to, ma_stream *stream);
/* The least box around each label of an int32 or int64 array: int64, (count, axes, 2). */
ma_status ma_boxes_run(const ma_array *labels, int64_t count, ma_array *boxes, ma_stream *stream);
/* Distances of true elements to the nearest false one, in float64. `sampling` has a number for each axis. If `places`
** is not NULL, it becomes the offsets of the nearest ones in C order, as int64; -1 where there is none. */
ma_status ma_distance_run(const ma_array *from, const double *sampling, ma_array *distances, ma_array *places,
                          ma_stream *stream);

typedef struct ma_group_options {
  int64_t first, count;
  int64_t inner, extent; /* 0: no moments */
} ma_group_options;

/* Sums over the elements of each of the labels first .. first + count - 1, as float64 with one axis. `labels` (int32 or
** int64) and `values` (float32 or float64) have equally many elements. If `values` is NULL, elements are counted. If
** `centres` has a float64 for each label, squares of distances from these are summed. */
ma_status ma_groups_run(const ma_array *labels, const ma_array *values, const ma_array *centres,
                        const ma_group_options *options, ma_array *sums, ma_stream *stream);

#pragma GCC visibility pop
#endif
