/*
** body_reduce.h: reductions whose map, combination and last step the user wrote: what the core, both backends and the
** binding share of them.
*/
#ifndef MOONARRAY_BODY_REDUCE_H
#define MOONARRAY_BODY_REDUCE_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

/* ==== body_reduce.c: over arrays ================================================================================= */

/*
** Reduces the axes of the broadcast shape of the inputs that are set in `axes` (bit d: axis d, 0-based). A result whose
** buffer is NULL is made, with its output's dtype; another one has that dtype already and must have the right shape.
** `raw` is by place and of the same device. No elements without an identity is an error.
*/
ma_status ma_body_reduce(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         const ma_raw *raw, uint32_t axes, bool keepdims, ma_array *const *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
