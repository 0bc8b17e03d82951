/*
** stencil.h: a program over the neighbours of each position of a field: the type that crosses to a backend. A program's
** input is the element of a field at an offset from the position; what lies outside an axis follows from the axis's
** edge. One run computes all positions, and no result shares memory with a field.
*/
#ifndef MOONARRAY_STENCIL_H
#define MOONARRAY_STENCIL_H

#include "backend/drawn.h"

#pragma GCC visibility push(hidden)

#define MA_STENCIL_NDIM 3                                          /* fewer axes have leading ones of extent 1 */
#define MA_STENCIL_OFFSET 4096                                     /* of a neighbour, at most */
#define MA_STENCIL_EXTENT (((int64_t)1 << 30) - MA_STENCIL_OFFSET) /* of an axis, at most */
#define MA_STENCIL_FIELDS (MA_MAX_INPUTS + MA_MAX_OUTPUTS)

/* A field may be a draw, whose elements are made where they are read. It has no memory, but the strides of an array in
** C order, and is read at the position itself alone. */
typedef struct ma_stencil_field {
  const char *data; /* of the first element; NULL: the field is a draw */
  int64_t stride[MA_STENCIL_NDIM];
  ma_dtype dtype;
  ma_value outside; /* the given value for an edge of MA_EDGE_CONSTANT, of this dtype */
  ma_drawn drawn;
} ma_stencil_field;

/* The number of an element in C order. */
#define MA_STENCIL_NUMBER(s, z, y, x) (((z) * (s)->shape[1] + (y)) * (s)->shape[2] + (x))

/* One input of the program. */
typedef struct ma_stencil_read {
  uint8_t field;
  int32_t offset[MA_STENCIL_NDIM];
} ma_stencil_read;

typedef struct ma_stencil_result {
  char *data;
  int64_t stride[MA_STENCIL_NDIM];
} ma_stencil_result;

/* When a backend that can run programs without a compiler, which a CPU can, compiles one all the same. */
typedef enum ma_stencil_compile {
  MA_COMPILE_LATER, /* by a thread in the background, when it has run for a while */
  MA_COMPILE_NOW,   /* before the first run */
  MA_COMPILE_NEVER
} ma_stencil_compile;

typedef struct ma_stencil {
  const ma_program *program;
  uint64_t id; /* the caller's: stencils of one id differ in addresses, strides, extents, scalars, dtypes of results */
  uint8_t compile; /* ma_stencil_compile */
  bool yields;     /* a GPU leaves a kernel that is not compiled to a thread, and the run fails with MA_ERR_LACK */
  int64_t shape[MA_STENCIL_NDIM]; /* no extent is 0 */
  uint8_t edge[MA_STENCIL_NDIM];  /* MA_EDGE_... of kernels/ndimage/edge.h */
  /* Positions that lack a neighbour get the element of the field of the result's number, cast to the result's dtype. */
  bool leave;
  bool open; /* all reads of positions are of memory that may be read: no edge's rule is asked; not with `leave` */
  int nfield;
  uint8_t nreach, reach[MA_MAX_INPUTS];                /* the fields that a body reads at offsets which it computes */
  int32_t low[MA_STENCIL_NDIM], high[MA_STENCIL_NDIM]; /* how far reads go before and behind a position; not negative */
  ma_stencil_read read[MA_MAX_INPUTS];
  ma_stencil_field field[MA_STENCIL_FIELDS];
  ma_stencil_result result[MA_MAX_OUTPUTS];
  ma_value scalar[MA_MAX_SCALARS];
} ma_stencil;

#pragma GCC visibility pop
#endif
