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
  uint32_t drawn;               /* bit k: array k is a draw */
  uint8_t edge[MA_STENCIL_NDIM];
  bool leave;
  bool alone;      /* there is no other form of it, so that the CPU runs it where a GPU lacks its kernel */
  uint8_t compile; /* ma_stencil_compile */
  double value;    /* for an edge of MA_EDGE_CONSTANT */
  /* By the caller's fields and axes at first; once the plan is settled, as the backend wants them. */
  ma_stencil_read read[MA_MAX_INPUTS];
  uint8_t nreach, reach[MA_MAX_INPUTS]; /* fields that a body reads at offsets which it computes, and as inputs too */
  ma_value scalar[MA_MAX_SCALARS];
  /* What ma_stencil_settle finds: */
  uint64_t id; /* no other plan of the process has it */
  int32_t low[MA_STENCIL_NDIM], high[MA_STENCIL_NDIM];
  uint8_t nused, used[MA_STENCIL_FIELDS]; /* the caller's fields that the backend gets */
  ma_value outside[MA_STENCIL_FIELDS];    /* `value` in the dtype of each of them */
} ma_stencil_plan;

/* Ends the making of a plan. From then on its edges and offsets are by three axes, and it has what is the same in each
** run. */
void ma_stencil_settle(ma_stencil_plan *plan);
/* Computes all results. `field` has the plan's fields, which have one shape, then its other arrays; for those that are
** draws, drawn[k] has array k. A result whose buffer is NULL is made; a given one must have the fields' shape, share no
** memory with a field, and take the dtype by same_kind casting. No extent is greater than MA_STENCIL_EXTENT. `yields`
** is for a caller with another form (ma_stencil of backend/stencil.h). */
ma_status ma_stencil_run(const ma_stencil_plan *plan, const ma_array *const *field, const ma_drawn *drawn,
                         ma_array *const *result, bool yields, ma_stream *stream);

#pragma GCC visibility pop
#endif
