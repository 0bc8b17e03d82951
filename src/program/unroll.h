/* unroll.h: a reduction of a few elements as an elementwise program. */
#ifndef MOONARRAY_UNROLL_H
#define MOONARRAY_UNROLL_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Makes a map of a sum, product or mean: its inputs are those of the reduction once for each element, its program
** computes each element and combines them along the reduction's tree, so the bits are the same. False: another
** reduction, or the program has no room. map->program is `program`. */
bool ma_reduction_unroll(const ma_reduction *r, ma_program *program, ma_map *map);

#pragma GCC visibility pop
#endif
