/* peaks.h: prominence and width of a peak, as C11 and as CUDA C++. Positions count from 0 here. */
#ifndef MOONARRAY_PEAKS_H
#define MOONARRAY_PEAKS_H

#ifndef __cplusplus
#include "kernels/scalar.h"
#endif

/* Walks down both sides to the lowest elements before a higher one, and measures the peak from the higher of these. */
MA_FN double ma_peak_prominence(const double *x, int64_t n, int64_t peak, int64_t window, int64_t *left,
                                int64_t *right) {
  int64_t first = 0, last = n - 1, half = window / 2, i;
  double top = x[peak], low = top, high_low;
  if (window >= 2) {
    if (peak - half > first) first = peak - half;
    if (peak + half < last) last = peak + half;
  }
  *left = *right = peak;
  for (i = peak; i >= first && x[i] <= top; i--)
    if (x[i] < low) {
      low = x[i];
      *left = i;
    }
  high_low = low;
  low = top;
  for (i = peak; i <= last && x[i] <= top; i++)
    if (x[i] < low) {
      low = x[i];
      *right = i;
    }
  return top - (low > high_low ? low : high_low);
}

/* The places at which a line at `height` meets both sides of the peak, between its bases. A height that is given may be
** above the peak. Then the neighbour on the other side may be missing or equally high, and no line is drawn there. */
MA_FN void ma_peak_width(const double *x, int64_t n, int64_t peak, double height, int64_t left, int64_t right,
                         double *from, double *to) {
  int64_t i = peak;
  while (i > left && height < x[i]) i--;
  *from = (double)i;
  if (x[i] < height && i + 1 < n && x[i + 1] != x[i]) *from += (height - x[i]) / (x[i + 1] - x[i]);
  i = peak;
  while (i < right && height < x[i]) i++;
  *to = (double)i;
  if (x[i] < height && i > 0 && x[i - 1] != x[i]) *to -= (height - x[i]) / (x[i - 1] - x[i]);
}

#endif
