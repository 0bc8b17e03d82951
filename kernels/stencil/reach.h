/*
** reach.h: how a stencil's program reads fields at offsets that it computes, as CUDA C++; its types as C11 too. edge.h
** says where an offset leads that leaves an axis. The axes are those of the fields.
*/
#ifndef MOONARRAY_REACH_H
#define MOONARRAY_REACH_H

#ifndef __cplusplus
#include <stdint.h>
#endif

typedef struct ma_reach_field {
  const char *data, *outside; /* the first element; the value of an edge that is constant */
  int64_t stride[3];
} ma_reach_field;

/* What all positions of a run share. */
typedef struct ma_reach_frame {
  int64_t n[3], edge[3];
  const ma_reach_field *field;
} ma_reach_frame;

typedef struct ma_reach {
  const ma_reach_frame *frame;
  int64_t at[3]; /* the position */
} ma_reach;

#ifdef __cplusplus
/* These are seldom called. As they are `const`, a compiler computes once what several reads need. */
static __device__ __noinline__ __attribute__((const)) int64_t ma_reach_far(double x) {
  return x > 0 ? (int64_t)1 << 52 : x < 0 ? -((int64_t)1 << 52) : 0;
}
static __device__ __noinline__ __attribute__((const)) int64_t ma_reach_outside(int64_t at, int64_t offset, int64_t n,
                                                                               int64_t edge) {
  const int64_t far = (int64_t)1 << 52;
  return ma_edge_place(at + (offset > far ? far : offset < -far ? -far : offset), n, (int)edge);
}

/* An offset as a whole number: cut off, 0 for NaN, and not beyond 2^52. */
MA_FN int64_t ma_reach_whole(double x) {
  return x > -4503599627370496.0 && x < 4503599627370496.0 ? (int64_t)x : ma_reach_far(x);
}

/* The place on an axis at an offset, which may be any number; -1 if it is the constant. */
MA_FN int64_t ma_reach_place(const ma_reach *r, int axis, int64_t offset) {
  const uint64_t p = (uint64_t)r->at[axis] + (uint64_t)offset;
  if (p < (uint64_t)r->frame->n[axis]) return (int64_t)p;
  return ma_reach_outside(r->at[axis], offset, r->frame->n[axis], r->frame->edge[axis]);
}

/* Where the element of field k lies at these places; one of them may be -1. */
MA_FN const char *ma_reach_at(const ma_reach *r, int k, int64_t p0, int64_t p1, int64_t p2) {
  const ma_reach_field *f = &r->frame->field[k];
  if ((p0 | p1 | p2) < 0) return f->outside;
  return f->data + p0 * f->stride[0] + p1 * f->stride[1] + p2 * f->stride[2];
}
#endif

#endif
