/*
** direct.h: one operation on a few packed elements of the host's memory, which is what `a + b` or `a:sum()` of small
** arrays is: computed where it is called, since a program, its plan and its iteration space cost more to make than the
** work itself.
*/
#ifndef MOONARRAY_DIRECT_H
#define MOONARRAY_DIRECT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_DIRECT_ARITY 2
#define MA_DIRECT_MOST 8192 /* elements */

/* What a backend gets: everything is packed, and lies in memory as in a register. */
typedef struct ma_direct {
  bool reduces; /* by `reduce`, from[0] to one element; else by `op`, element by element */
  ma_reduce_op reduce;
  ma_opcode op;
  ma_dtype loop, result;
  int n;                             /* 1 .. MA_DIRECT_MOST */
  void *to;                          /* memory of its own, or just that of operands */
  const void *from[MA_DIRECT_ARITY]; /* NULL: the scalar, of dtype `loop` */
  ma_value scalar[MA_DIRECT_ARITY];
} ma_direct;

#pragma GCC visibility pop
#endif
