/* direct.h: the reduction of a few elements in host memory, such as `a:sum()` of a small array, to one. It is computed
** at the call, without a program. */
#ifndef MOONARRAY_DIRECT_H
#define MOONARRAY_DIRECT_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

#define MA_DIRECT_MOST 8192   /* elements */
#define MA_DIRECT_APART 16384 /* bytes of elements that are packed first, at most */

/* An element has the same form in memory as in a register, but for a bool. */
typedef struct ma_direct {
  ma_reduce_op reduce;
  ma_dtype loop, folded, result; /* of an element, to which it is cast first, and of the result */
  int n;                         /* 1 .. MA_DIRECT_MOST */
  void *to;
  const void *from;
  bool apart; /* the elements are not packed, or are bools, whose bytes may be any: they are packed first */
  ma_space space;
} ma_direct;

#pragma GCC visibility pop
#endif
