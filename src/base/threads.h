/* threads.h: the threads that divide the processor's work, whichever backend has it. */
#ifndef MOONARRAY_THREADS_H
#define MOONARRAY_THREADS_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

typedef ma_status ma_range_function(void *context, int64_t first, int64_t last);
/* Calls fn(context, first, last) for ranges that cover 0 .. n-1, on several threads if n >= 2 * grain. Ranges begin
** at multiples of `grain`, which counts as 1 if it is less. Returns the first failure with its message. A call inside
** fn runs serially. */
ma_status ma_cpu_parallel(int64_t n, int64_t grain, ma_range_function *fn, void *context);
int ma_cpu_threads(void); /* limit of the threads of a call */

#pragma GCC visibility pop
#endif
