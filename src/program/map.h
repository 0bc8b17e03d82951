/* map.h: runs of settled programs. A program is settled if its inputs are in memory and no pending program still
** reads what it writes. */
#ifndef MOONARRAY_PROGRAM_MAP_H
#define MOONARRAY_PROGRAM_MAP_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Whether the program is one operation and casts, which cannot run stepwise. */
static inline bool ma_program_is_single(const ma_program *program) {
  int n = 0;
  for (int k = 0; k < program->ncode; k++) n += program->code[k].op != MA_CAST;
  return n < 2 && program->noutput == 1;
}
/* Runs the map. With `may_decline` it does not wait for the compiler: if the kernel is not compiled, it does
** nothing, sets *ran to false, and a thread compiles the kernel. */
ma_status ma_run_map(const ma_map *map, ma_stream *stream, bool may_decline, bool *ran);
/* The same for arrays. The results have `shape`; the inputs are broadcast to it. `flat`: it is known that all are in C
** order without gaps. */
ma_status ma_run_program(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, int ndim, const int64_t *shape, bool flat, ma_stream *stream,
                         bool may_decline, bool *ran);

/* The same for one result and arrays that are all in C order without gaps. It waits for the compiler. */
ma_status ma_run_flat(const ma_program *program, const ma_array *const *input, const ma_value *scalar, ma_array *result,
                      ma_stream *stream);

#pragma GCC visibility pop
#endif
