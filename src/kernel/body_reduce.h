/* body_reduce.h: reductions whose map, combination and last step the user wrote. */
#ifndef MOONARRAY_BODY_REDUCE_H
#define MOONARRAY_BODY_REDUCE_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

/* ==== body_reduce.c: over arrays ================================================================================= */

/*
** Reduces axes of the inputs' broadcast shape; bit d of `axes`: axis d (0-based) is reduced. A result whose buffer is
** NULL is made with the dtype of its output; a given one must have that dtype and the right shape. `raw` is by place,
** on the same device. It is an error if there are no elements and no identity.
*/
ma_status ma_body_reduce(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         const ma_raw *raw, uint32_t axes, bool keepdims, ma_array *const *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
