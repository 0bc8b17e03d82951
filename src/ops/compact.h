/* compact.h: the elements that a mask keeps, or their positions, in one pass of the backend's slot `compact`. */
#ifndef MOONARRAY_COMPACT_H
#define MOONARRAY_COMPACT_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

/* The elements of the program's first output for which the second, a bool, is true, as an array of `dtype`. If the
** program has one bool output, the 1-based positions at which it is true. Operands have the same shape, of size > 0,
** and are in C order. Waits. */
ma_status ma_compact_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_dtype dtype, ma_array *result, ma_stream *stream);
/* The same, with the pending programs of the operands taken in. *ran is false if it is better to compute them first. */
ma_status ma_compact_joined(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                            ma_dtype dtype, ma_array *result, bool *ran, ma_stream *stream);

#pragma GCC visibility pop
#endif
