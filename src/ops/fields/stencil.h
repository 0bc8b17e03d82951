/* stencil.h: stencils over arrays: each result is a program over the neighbours of its position. */
#ifndef MOONARRAY_OPS_STENCIL_H
#define MOONARRAY_OPS_STENCIL_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

/* A stencil for fields of certain dtypes and a number of axes: plain bytes. The program's fields are the caller's, then
** other arrays, which are read at the position itself: of the fields' shape, or of no axes. */
typedef struct ma_stencil_plan {
  ma_program program;
  uint8_t ndim, nfield, narray; /* narray: number of arrays behind the fields */
  uint8_t edge[MA_STENCIL_NDIM];
  bool leave;
  uint8_t compile; /* ma_stencil_compile */
  uint64_t id;     /* no other plan of the process has it */
  double value;    /* for an edge of MA_EDGE_CONSTANT */
  int32_t low[MA_STENCIL_NDIM], high[MA_STENCIL_NDIM];
  ma_stencil_read read[MA_MAX_INPUTS]; /* offsets are by the caller's axes */
  ma_value scalar[MA_MAX_SCALARS];
} ma_stencil_plan;

/* Ends the making of a plan: sets low and high from the reads, and the id. */
void ma_stencil_settle(ma_stencil_plan *plan);
/* Computes all results. `field` has the plan's fields, which have one shape, then its other arrays. A result whose
** buffer is NULL is made; a given one must have the fields' shape, share no memory with a field, and take the dtype by
** same_kind casting. No extent is greater than
** MA_STENCIL_EXTENT. */
ma_status ma_stencil_run(const ma_stencil_plan *plan, const ma_array *const *field, ma_array *const *result,
                         ma_stream *stream);

#pragma GCC visibility pop
#endif
