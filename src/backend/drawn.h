/*
** drawn.h: a draw of random numbers of which parts are made where they are read. It is apart from random.h, whose
** macros would change the texts of operations.
*/
#ifndef MOONARRAY_DRAWN_H
#define MOONARRAY_DRAWN_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

typedef struct ma_drawn {
  uint8_t kind; /* ma_random_kind: uniform in [0, 1), normal, or integers */
  ma_dtype dtype;
  uint64_t key, span; /* integers: `span` values from `low` on */
  int64_t low;
  uint32_t draw, turn;               /* the turn of a loop: kernels/random/element.h */
  struct ma_capture_source *source;  /* as in ma_random */
  const struct ma_random_cell *cell; /* of the source */
} ma_drawn;

#pragma GCC visibility pop
#endif
