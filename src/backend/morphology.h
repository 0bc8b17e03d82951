/* morphology.h: binary morphology, labels and distances of images: the types that cross to a backend. An image is a
** contiguous array of one axis at least, without an extent of 0. A row is its elements along the last axis. */
#ifndef MOONARRAY_BACKEND_MORPHOLOGY_H
#define MOONARRAY_BACKEND_MORPHOLOGY_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

typedef struct ma_picture {
  int ndim;
  int64_t shape[MA_MAX_NDIM];
} ma_picture;

/*
** Steps of a binary dilation: an element becomes true if any element that the structure reaches from it is true. With
** `erode` it stays true if all of them are. Elements beyond the edges have the value `border`. Where the mask is false,
** elements keep their values.
*/
typedef struct ma_binary {
  ma_picture image;
  const void *from, *mask; /* bool; a NULL mask is true everywhere */
  void *to;                /* bool; overlaps neither */
  /* The structure in device memory as nrun runs along the last axis. A run is ndim + 1 numbers: its distances along the
  ** axes before the last one, and its first and last distance along that. */
  const int32_t *runs;
  int64_t nrun;
  bool erode, border;
  bool centred;       /* the structure reaches the element itself, so an element changes at most once */
  int64_t iterations; /* steps; below 1: until a step changes nothing */
} ma_binary;

/*
** Numbers the connected components of the true elements from 1 on, in the order of their first elements. False elements
** become 0. The structure is symmetric and reaches at most one element along each axis. `links` has one row of ndim
** numbers for each row before an element's own that the structure reaches: the distances along the axes before the
** last one, and what it reaches there: 1 for the element before, 2 for that below, 4 for that behind, or their sum.
*/
typedef struct ma_label {
  ma_picture image;
  const void *from;     /* bool; for a flood, NULL is true everywhere */
  const int32_t *links; /* in device memory */
  int64_t nlink;
  bool joined;      /* neighbours in a row are connected */
  ma_dtype dtype;   /* of the labels: int32, or int64 */
  void *to;         /* labels; for a flood a bool for each element */
  int64_t *count;   /* in device memory: the number of components; not for a flood */
  const void *seed; /* for a flood: bool; may be `to` */
  bool inverted;    /* for a flood */
} ma_label;
/*
** A flood is the last step of a dilation without end: where `from` is true, an element of `to` is true if its component
** has an element that is true in `seed`; elsewhere it is the seed's. If `inverted`, false stands for true in `seed`
** and `to`.
*/

/* The least box around each label: label k, of 1 .. count, has 2 * ndim numbers in `boxes`, which are the first and the
** last position along each axis. For a label that is nowhere the first position is beyond the last one. Other
** labels are left out. */
typedef struct ma_boxes {
  ma_picture image;
  ma_dtype dtype; /* int32 or int64 */
  const void *labels;
  int64_t count;
  int64_t *boxes;
} ma_boxes;

/* Euclidean distances of the true elements of `from` to the nearest false one; infinite if there is none. No extent is
** 2^31 or more. */
typedef struct ma_distance {
  ma_picture image;
  const void *from;             /* bool */
  double sampling[MA_MAX_NDIM]; /* the distance of neighbours along each axis; above 0 */
  double *squares;
  int64_t *places; /* offset of the nearest false element in C order, -1 if there is none; NULL: not wanted */
  bool rooted;     /* distances are wanted, not their squares */
} ma_distance;

/* Sums over the elements of each of `count` labels, first, first + 1 and so on; other elements are left out. Without
** values the elements are counted. With centres, one for each label, squares of distances from these are added up. With
** `inner`, values are multiplied by i / inner % extent, where i is the element's offset. */
typedef struct ma_groups {
  int64_t n, first, count; /* all above 0 but `first` */
  ma_dtype label_dtype;    /* int32 or int64 */
  const void *labels;
  ma_dtype dtype; /* float32 or float64 */
  const void *values;
  const double *centres; /* NULL: not these sums */
  int64_t inner, extent; /* 0: not these sums */
  double *sums;
} ma_groups;

#pragma GCC visibility pop
#endif
