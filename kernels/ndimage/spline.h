/*
** spline.h: splines of orders 0 to 5 as C11 and as CUDA C++: the weights of the elements around a place, and the poles
** of the recursive filter that turns elements into coefficients. M. Unser, A. Aldroubi, M. Eden, "B-spline signal
** processing", 1993; in SciPy's arithmetic.
*/
#ifndef MOONARRAY_SPLINE_H
#define MOONARRAY_SPLINE_H

#ifndef __cplusplus
#include "kernels/ndimage/edge.h"
#endif

/* The type in which weights are computed. A text for float images defines it as float. */
#ifndef MA_SPLINE_REAL
#define MA_SPLINE_REAL double
#endif
typedef MA_SPLINE_REAL ma_spline_real;

#define MA_SPLINE_MOST 6 /* elements along an axis that a value is made of */
#define MA_SPLINE_CONSTANT (-1)

/* Fills weight[0 .. order] for a place at the distance x behind the element in the middle. The first weight is that of
** the element ma_spline_start. order >= 1. */
MA_FN void ma_spline_weights(ma_spline_real x, int order, ma_spline_real *weight) {
#define C(number) ((ma_spline_real)(number))
  ma_spline_real y = x, z = C(1) - x, t, sum = 0;
  switch (order) {
  case 1: weight[0] = C(1) - x; break;
  case 2:
    weight[1] = C(0.75) - x * x;
    y = C(0.5) - x;
    weight[0] = C(0.5) * y * y;
    break;
  case 3:
    weight[1] = (y * y * (y - C(2)) * C(3) + C(4)) / C(6);
    weight[2] = (z * z * (z - C(2)) * C(3) + C(4)) / C(6);
    weight[0] = z * z * z / C(6);
    break;
  case 4:
    t = x * x;
    weight[2] = t * (t * C(0.25) - C(0.625)) + C(115.0 / 192.0);
    y = C(1) + x;
    weight[1] = y * (y * (y * (C(5) - y) / C(6) - C(1.25)) + C(5.0 / 24.0)) + C(55.0 / 96.0);
    weight[3] = z * (z * (z * (C(5) - z) / C(6) - C(1.25)) + C(5.0 / 24.0)) + C(55.0 / 96.0);
    t = (C(0.5) - x) * (C(0.5) - x);
    weight[0] = t * t / C(24);
    break;
  default:
    t = y * y;
    weight[2] = t * (t * (C(0.25) - y / C(12)) - C(0.5)) + C(0.55);
    t = z * z;
    weight[3] = t * (t * (C(0.25) - z / C(12)) - C(0.5)) + C(0.55);
    y += C(1);
    weight[1] = y * (y * (y * (y * (y / C(24) - C(0.375)) + C(1.25)) - C(1.75)) + C(0.625)) + C(0.425);
    z += C(1);
    weight[4] = z * (z * (z * (z * (z / C(24) - C(0.375)) + C(1.25)) - C(1.75)) + C(0.625)) + C(0.425);
    y = C(1) - x;
    t = y * y;
    weight[0] = y * t * t / C(120);
  }
  for (int k = 0; k < order; k++) sum += weight[k];
  weight[order] = C(1) - sum;
#undef C
}

/* The first element that the weights belong to. */
MA_FN int64_t ma_spline_start(double place, int order) {
  return (int64_t)floor(order & 1 ? place : place + 0.5) - order / 2;
}

/* What a value at a place along one axis of n elements is made of: the elements at[0 .. order], or MA_SPLINE_CONSTANT
** for one beyond the edges, and their weights. It returns false if the place itself is beyond the edges, so that the
** result is the constant. */
MA_FN int ma_spline_place(double place, int64_t n, int order, int mode, int64_t *at, ma_spline_real *weight) {
  double x = ma_edge_coordinate(place, n, mode);
  int inner = mode == MA_EDGE_CONSTANT || mode == MA_EDGE_WRAP ? MA_EDGE_MIRROR : mode; /* the rule for coefficients */
  int64_t start;
  if (place != place || (mode == MA_EDGE_GRID_CONSTANT ? !(x > -1e14) : !(x > -1 && x < (double)n + 1))) return 0;
  start = ma_spline_start(x, order);
  for (int k = 0; k <= order; k++) {
    int64_t p = start + k;
    if (p >= 0 && p < n) at[k] = p;
    else if (mode == MA_EDGE_GRID_CONSTANT) at[k] = MA_SPLINE_CONSTANT;
    else at[k] = (int64_t)ma_edge_coordinate((double)p, n, inner);
  }
  if (order) ma_spline_weights((ma_spline_real)(x - floor(order & 1 ? x : x + 0.5)), order, weight);
  else weight[0] = 1;
  return 1;
}

/* Fills the poles of the filter, and returns their number. 2 <= order <= 5. */
MA_FN int ma_spline_poles(int order, double *pole) {
  switch (order) {
  case 2: pole[0] = -0.17157287525380990239662255158060; return 1;
  case 3: pole[0] = -0.26794919243112270647255365849413; return 1;
  case 4:
    pole[0] = -0.36134122590022017709221284132568;
    pole[1] = -0.01372542929733912136033122693913;
    return 2;
  default:
    pole[0] = -0.43057534709997379185143286044940;
    pole[1] = -0.04309628820326465382271237682255;
    return 2;
  }
}

/* The factor for all elements before the filter. */
MA_FN double ma_spline_gain(int npole, const double *pole) {
  double gain = 1;
  for (int k = 0; k < npole; k++) gain *= (1 - pole[k]) * (1 - 1 / pole[k]);
  return gain;
}

#endif
