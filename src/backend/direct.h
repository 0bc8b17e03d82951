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
#define MA_DIRECT_MOST 8192 /* elements */

#define MA_DIRECT_ROWS 16384 /* bytes of an operand of rows that lie apart, at most */
#define MA_DIRECT_ROW 32     /* bytes of such a row, at least */

/* One operation. Operands are packed, or have packed rows; an element has the same form in memory as in a register. */
typedef struct ma_direct {
  bool reduces; /* `reduce` folds from[0] to one element; else `op`, which may be a cast, works element by element */
  ma_reduce_op reduce;
  ma_opcode op;
  ma_dtype loop, result;
  int n;                             /* 1 .. MA_DIRECT_MOST */
  void *to;                          /* overlaps no operand, or is exactly the memory of one */
  const void *from[MA_DIRECT_ARITY]; /* NULL: the operand is a scalar of dtype `loop` */
  ma_value scalar[MA_DIRECT_ARITY];
  int width;                     /* elements of a row; 0: all operands are packed. Not for casts and reductions */
  int64_t step[MA_DIRECT_ARITY]; /* bytes from a row of an operand to the next; 0: it is packed */
} ma_direct;

#pragma GCC visibility pop
#endif
