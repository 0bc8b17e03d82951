/*
** direct.h: one operation on a few packed elements in host memory, such as `a + b` or `a:sum()` of small arrays. It is
** computed at the call, without a program: a program, its plan and its iteration space would take longer to make than
** the work itself.
*/
#ifndef MOONARRAY_DIRECT_H
#define MOONARRAY_DIRECT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_DIRECT_ARITY 2
#define MA_DIRECT_NDIM 3
#define MA_DIRECT_MOST 8192   /* elements */
#define MA_DIRECT_APART 16384 /* bytes of an operand that is packed first, at most */

/* One operation. An element of a loop's operands has the same form in memory as in a register, but for a bool. */
typedef struct ma_direct {
  bool reduces; /* `reduce` folds from[0] to one element; else `op`, which may be a cast, works element by element */
  ma_reduce_op reduce;
  ma_opcode op; /* a cast from `loop` to itself copies, or fills from a scalar, elements of any dtype */
  ma_dtype loop, result, folded;     /* folded: the dtype to which the elements of a reduction are cast first */
  int n;                             /* 1 .. MA_DIRECT_MOST */
  void *to;                          /* overlaps no operand, or is exactly the memory of one */
  const void *from[MA_DIRECT_ARITY]; /* NULL: the operand is a scalar of dtype `loop` */
  ma_value scalar[MA_DIRECT_ARITY];
  /* Operands that are not packed, or are bools, whose bytes may be any, are packed first. The result is packed. */
  bool apart[MA_DIRECT_ARITY];
  int ndim; /* of shape and stride, which are set if an operand is apart */
  int64_t shape[MA_DIRECT_NDIM], stride[MA_DIRECT_ARITY][MA_DIRECT_NDIM]; /* in the order of the result's elements */
} ma_direct;

#pragma GCC visibility pop
#endif
