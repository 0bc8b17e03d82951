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
/* As ma_program_run, but nobody waits for a kernel to be compiled for a program of several operations: it is stepped until a thread
** has compiled it (ufunc.c). For programs that nobody asked for by name. */
ma_status ma_program_run_ready(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_array *const *result, ma_stream *stream);
/* Is it one operation and casts? Such a program has no steps. */
static inline bool ma_program_is_single(const ma_program *program)
{
  int n = 0;
  for (int k = 0; k < program->ncode; k++)
    n += program->code[k].op != MA_OP_cast;
  return n < 2 && program->noutput == 1;
}

#pragma GCC visibility pop
#endif
