/* run.h: runs of a settled program: all that it reads lies in memory, and nothing pending is still to read what it
** writes. */
#ifndef MOONARRAY_RUN_H
#define MOONARRAY_RUN_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Is it one operation and casts? Such a program has no steps. */
static inline bool ma_program_is_single(const ma_program *program) {
  int n = 0;
  for (int k = 0; k < program->ncode; k++) n += program->code[k].op != MA_OP_cast;
  return n < 2 && program->noutput == 1;
}
/* A kernel of several operations may still be to compile. With `may_decline` nobody waits for that: *ran is false,
** nothing is done, and a thread compiles it. */
ma_status ma_run_map(const ma_map *map, ma_stream *stream, bool may_decline, bool *ran);
/* The same for arrays: the results' shape is `shape`, to which the inputs broadcast. */
ma_status ma_run_program(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, int ndim, const int64_t *shape, ma_stream *stream, bool may_decline,
                         bool *ran);

#pragma GCC visibility pop
#endif
