/*
** edge.h: which element stands for a position outside an axis, as C11 and as CUDA C++, so that both devices continue a
** field alike. Positions count from 0 here; twice the extent of an axis fits an int32.
*/
#ifndef MOONARRAY_EDGE_H
#define MOONARRAY_EDGE_H

#ifndef __cplusplus
#include "kernels/scalar.h"
#endif

#define MA_EDGE_CONSTANT 0 /* none: a given value */
#define MA_EDGE_WRAP 1     /* a b c | a b c | a b c */
#define MA_EDGE_NEAREST 2  /* a a a | a b c | c c c */
#define MA_EDGE_REFLECT 3  /* c b a | a b c | c b a */
#define MA_EDGE_MIRROR 4   /* b c b | a b c | b a b */

/* The rest of a division that is never negative. */
MA_FN int32_t ma_edge_rest(int32_t p, int32_t n) {
  int32_t rest = p % n;
  return rest < 0 ? rest + n : rest;
}

/* The place of position p, which is outside an axis of n > 0 elements; -1: the given value. */
MA_FN int32_t ma_edge_outside(int edge, int32_t p, int32_t n) {
  if (edge == MA_EDGE_CONSTANT) return -1;
  if (edge == MA_EDGE_WRAP) return ma_edge_rest(p, n);
  if (edge == MA_EDGE_NEAREST || n == 1) return p < 0 ? 0 : n - 1;
  if (edge == MA_EDGE_REFLECT) {
    p = ma_edge_rest(p, 2 * n);
    return p < n ? p : 2 * n - 1 - p;
  }
  p = ma_edge_rest(p, 2 * n - 2);
  return p < n ? p : 2 * n - 2 - p;
}

/* The same for any position. */
MA_FN int32_t ma_edge_place(int edge, int32_t p, int32_t n) {
  return (uint32_t)p < (uint32_t)n ? p : ma_edge_outside(edge, p, n);
}

#endif
