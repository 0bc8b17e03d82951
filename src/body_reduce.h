/*
** body_reduce.h: reductions whose map, combination and last step the user wrote: what the core, both backends and the binding
** share of them.
*/
#ifndef MOONARRAY_BODY_REDUCE_H
#define MOONARRAY_BODY_REDUCE_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/* ==== body_reduce.c: over arrays ================================================================================= */

/*
** Reduces the axes of the broadcast shape of the inputs that are set in `axes` (bit d: axis d, 0-based). A result whose
** buffer is NULL is made, with its output's dtype; another one has that dtype already and must have the right shape. `raw` is
** by place and of the same device. No elements without an identity is an error.
*/
ma_status ma_body_reduce(const ma_program *program, const ma_array *const *input, const ma_value *scalar, const ma_raw *raw,
                         uint32_t axes, bool keepdims, ma_array *const *result, ma_stream *stream);

/* ==== body_reduce_text.c: the user's texts as functions ========================================================== */

/*
** Puts the placeholders, the preamble, and
**   value, ma_hold(x), ma_unhold(v)      a partial result as plain bytes, and the user's reduce type
**   struct ma_extra                      the scalars s0 ..., raw arrays w0 ..., n, and kept: the number of results
**   ma_user_map(extra, x0 ..., i)        i: where the body uses the index
**   ma_user_merge(a, b), ma_user_identity(), ma_user_finish(extra, a, y0 &, ...)
** user.cuh stands in front. ma_body_print_reduction adds the instance of reduce.h.
*/
void ma_body_print_functions(ma_ctext *text, const ma_body *body);
void ma_body_print_reduction(ma_ctext *text, const ma_body *body);
const char *ma_body_type(ma_dtype dtype);                      /* its name in C++: "float32", "complex<float>" */
int ma_body_partial(const ma_body *body);                      /* bytes of a partial result, or what a type of the preamble may have at most */

#pragma GCC visibility pop
#endif
