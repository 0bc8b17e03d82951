/* direct.h: operations on a few elements in host memory, without a program; see backend/direct.h. */
#ifndef MOONARRAY_DEFER_DIRECT_H
#define MOONARRAY_DEFER_DIRECT_H

#include "backend/direct.h"
#include "defer/defer.h"

#pragma GCC visibility push(hidden)

/* Computes op(arg ...) into `result`, which is given or made, if the operands are small. Otherwise does
** nothing and sets *ran to false. */
ma_status ma_direct_apply(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream, bool *ran);
/* The same for a copy, of another dtype or its own, which lies in the order of `axes`, outermost first. */
ma_status ma_direct_cast(const ma_array *array, ma_dtype dtype, const int *axes, ma_array *result, ma_stream *stream,
                         bool *ran);
/* The same for a value, of the array's dtype, that is written to every element. */
ma_status ma_direct_fill(ma_array *to, ma_value value, ma_stream *stream, bool *ran);
/* The same for the reduction of all elements to a new array without axes. */
ma_status ma_direct_reduce(ma_reduce_op op, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran);

#pragma GCC visibility pop
#endif
