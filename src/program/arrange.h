/* arrange.h: makes the iteration space of a reduction or scan from the operands' steps over the broadcast shape. */
#ifndef MOONARRAY_ARRANGE_H
#define MOONARRAY_ARRANGE_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Fills the reduction's space and nkept, and may adjust its data addresses. The first `nresult` operands of `all`
** are results, with step 0 on the reduced axes. Bit d of `axes`: axis d is reduced. */
void ma_reduce_arrange(ma_reduction *reduction, ma_space *all, int nresult, uint32_t axes);
/* The same for a scan along `axis`; operand 0 is the result. */
void ma_scan_arrange(ma_scan *scan, ma_space *all, int axis);
/* The first byte of an operand's elements, counted from its address, and the one behind the last. */
void ma_space_reach(const ma_space *space, int k, size_t itemsize, int64_t *low, int64_t *high);

#pragma GCC visibility pop
#endif
