/* direct.h: reductions of a few elements in host memory, without a program; see backend/direct.h. */
#ifndef MOONARRAY_RUN_DIRECT_H
#define MOONARRAY_RUN_DIRECT_H

#include "backend/direct.h"
#include "run/run.h"

#pragma GCC visibility push(hidden)

/* Reduces all elements to a new array without axes, if they are few. Otherwise does nothing and sets *ran to false. */
ma_status ma_direct_reduce(ma_reduce_op op, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran);

#pragma GCC visibility pop
#endif
