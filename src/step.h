/* step.h: a program run one operation at a time, while nobody has compiled it as a whole. */
#ifndef MOONARRAY_STEP_H
#define MOONARRAY_STEP_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

/*
** As ma_program_run, and to the same bits, but as one run for each operation (with the casts of its operands, as ma_ufunc_apply runs
** it), so that no kernel is wanted but those of single operations. Results between are released with their last reader.
*/
ma_status ma_program_step(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                          ma_array *const *result, ma_stream *stream);
/* Runs that ma_program_step makes of it; 1: the program is a single operation itself. */
int ma_program_steps(const ma_program *program);

#pragma GCC visibility pop
#endif
