/* step.h: a program run one operation at a time, while nobody has compiled it as a whole. */
#ifndef MOONARRAY_STEP_H
#define MOONARRAY_STEP_H

#include "defer/defer.h"

#pragma GCC visibility push(hidden)

/*
** As ma_program_run, and to the same bits, but as one run for each operation (with the casts of its operands, as
** ma_ufunc_apply runs it), so that no kernel is wanted but those of single operations. Results between are released
** with their last reader.
*/
ma_status ma_program_step(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                          ma_array *const *result, ma_stream *stream);
/* As ma_program_run, but nobody waits for a kernel to be compiled for a program of several operations: it is stepped
** until a thread has compiled it (write.c). For programs that nobody asked for by name. */
ma_status ma_program_run_ready(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_array *const *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
