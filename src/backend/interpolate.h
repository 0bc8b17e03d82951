/* interpolate.h: splines and grids: the types that cross to a backend. All arrays are contiguous. */
#ifndef MOONARRAY_INTERPOLATE_H
#define MOONARRAY_INTERPOLATE_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_SPLINE_DEGREES 255 /* the largest degree */

/*
** The n B-splines over the knots t at m points x: their sum, or those that are not 0. One of these is wanted:
** to      m rows of `count` numbers: the sums over the B-splines times the rows of coefficients
** first   for each point the number, from 1, of the first B-spline that is not 0; with basis: degree + 1 rows of m
** bands   m rows of `width` numbers of a matrix whose row i has the values of all B-splines at point i: those from
**         column i + shift - lower on, both from 0
*/
typedef struct ma_bspline {
  int64_t n, m, count, shift, lower, width;
  const double *t, *x, *rows;
  double *to;
  int64_t *first;
  double *basis, *bands;
  int32_t degree, nu; /* nu: the order of the derivative */
} ma_bspline;

/* The values at n points, of a coordinate for each axis, between the corners of their cell in a grid, or at the nearest
** one. The grid has rows of `count` numbers. */
typedef struct ma_regular {
  int64_t n, count;
  const double *points, *rows;
  double *to;       /* n rows */
  uint8_t *outside; /* for each point whether it is; NULL: not wanted */
  double fill;
  struct {
    const double *x;
    int64_t n, stride; /* stride: in rows */
  } axis[MA_MAX_NDIM];
  int32_t axes;
  uint8_t nearest, fills; /* fills: points outside become `fill`, else the outer cells go on */
  uint8_t is_complex;     /* numbers are pairs of numbers; what is filled in is real */
} ma_regular;

/* Text of kernels, for spec/unit/nvrtc_interpolate.c: of a spline of a degree, or if axes > 0 of a grid. */
ma_status ma_cuda_interpolate_source(int degree, int axes, char **source);

#pragma GCC visibility pop
#endif
