/* signal.h: signals: the types that cross to a backend. Rows are contiguous, and no extent is 0. */
#ifndef MOONARRAY_SIGNAL_H
#define MOONARRAY_SIGNAL_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* to[r][c] = sum over i, j of taps[i][j] * from[r + i][c - before + j], without the taps that stand beside a row: such
** there are on the CPU alone. dtype: any on the CPU, where sums of whole numbers wrap, those of bools are true where a
** product is, and those of 16-bit floats are rounded once; else int64, float32, float64 or a complex dtype. There are
** not more taps than elements along either axis. */
typedef struct ma_correlate {
  ma_dtype dtype;
  int64_t rows, columns, tap_rows, tap_columns, before;
  int64_t to_columns; /* columns - tap_columns + 1 if all taps stand inside */
  const void *from, *taps;
  void *to; /* rows - tap_rows + 1 by to_columns */
} ma_correlate;

/* Each row with up - 1 zeros between its elements, filtered by `taps`, of which every down-th element is kept: the
** `count` kept elements from number `first` (from 0) on. Elements outside of a row are 0. dtype: a float or complex
** dtype but float16 and bfloat16. */
typedef struct ma_upfirdn {
  ma_dtype dtype;
  int64_t rows, n, taps, up, down, first, count;
  const void *from, *tap;
  void *to; /* rows by count */
} ma_upfirdn;

/*
** Rows of n elements through a recursive filter with a state of `order` numbers. Coefficients, states and powers are
** float64, or complex128 if dtype is complex. kernels/signal/recurrence.h has the step and the order of coefficients.
** powers[j] is the matrix that takes a state over 2^j elements that are 0, by rows; there is one for each power of two
** up to n, and one more.
*/
typedef struct ma_recurrence {
  ma_dtype dtype; /* of the rows: float32, float64 or their complex forms */
  int64_t rows, n;
  int order, sections; /* sections: 0 for one filter, else order / 2 sections one behind the other */
  const void *coefficients, *powers, *from;
  void *to;
  const void *start; /* rows of states; NULL: zeros */
  void *end;         /* states behind the last element; NULL: not wanted */
} ma_recurrence;

/* The prominences and bases of peaks, or if `width` is not NULL their widths from these. Positions count from 1. */
typedef struct ma_peaks {
  int64_t n, count, window; /* window: elements around a peak that are looked at; below 2: all */
  double part;              /* of the prominence, below the peak, at which the width is measured */
  const double *x;
  const int64_t *peaks;
  double *prominence;
  int64_t *left, *right;
  double *width, *height, *left_at, *right_at;
} ma_peaks;

/* The elements that are above both neighbours, and stretches of equal ones. Positions count from 1. */
typedef struct ma_maxima {
  ma_dtype dtype; /* float64, int64 or uint64 */
  int64_t n;
  const void *x;
} ma_maxima;

/* `count` middles of maxima, and if any has more than one element then `count` first and `count` last ones. */
typedef struct ma_maxima_found {
  int64_t count;
  bool plateaus;
  int64_t *places; /* the caller frees them */
} ma_maxima_found;

/* Of n peaks in ascending order those that are kept where none may be nearer than `distance` to a kept higher one. Of
** equally high ones the last is the higher. */
typedef struct ma_apart {
  int64_t n;
  double distance;
  const int64_t *peaks, *order; /* order: from 1, by height */
  uint8_t *keep;
} ma_apart;

/* Text of kernels, for spec/unit/nvrtc_signal.c. */
ma_status ma_cuda_signal_source(int which, ma_dtype dtype, int order, int sections, bool small, char **source);

#pragma GCC visibility pop
#endif
