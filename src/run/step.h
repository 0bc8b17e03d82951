/* step.h: runs a program one operation at a time until its own kernel is compiled. */
#ifndef MOONARRAY_STEP_H
#define MOONARRAY_STEP_H

#include "run/run.h"

#pragma GCC visibility push(hidden)

/* As ma_program_run, with the same bits, but as one run for each operation together with the casts of its operands.
** So only kernels of single operations are needed. An intermediate result is released after its last reader. */
ma_status ma_program_step(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                          ma_array *const *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
