/* compact.h: the elements that a mask keeps, or their places, where the backend finds them in one pass (its
** `compact`). */
#ifndef MOONARRAY_COMPACT_H
#define MOONARRAY_COMPACT_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

/* The elements of the program's first output where its second, of bool, is true, as an array of `dtype`; of one output,
** of bool, the places from 1 where it is. Operands are of one shape, whose size is not 0, and lie in memory in C order.
** Waits. */
ma_status ma_compact_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_dtype dtype, ma_array *result, ma_stream *stream);
/* The same with what is pending in the operands taken in; *ran is false where they are better computed first. */
ma_status ma_compact_joined(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                            ma_dtype dtype, ma_array *result, bool *ran, ma_stream *stream);

#pragma GCC visibility pop
#endif
