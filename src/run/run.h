/* run.h: programs over arrays, which run at once or are deferred. */
#ifndef MOONARRAY_RUN_RUN_H
#define MOONARRAY_RUN_RUN_H

#include "array/layout.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

enum {
  MA_RUN_JOINS = 1, /* pending inputs are taken in; if one was, a result whose buffer is NULL may be left pending */
  MA_RUN_LATER = 2, /* it may be left pending in any case */
  MA_RUN_DEFERS = MA_RUN_JOINS | MA_RUN_LATER
};
/* Runs a program over arrays, which are broadcast. A result whose buffer is NULL is made, with its axes in this
** order in memory, where K and A are those of the first input of full shape. A given one must have the broadcast shape
** and take the dtype by same_kind casting. */
ma_status ma_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                 ma_array *const *result, ma_order order, int how, ma_stream *stream);
static inline ma_status ma_program_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                                       ma_array *const *result, ma_stream *stream) {
  return ma_run(program, input, scalar, result, MA_ORDER_K, 0, stream);
}
/* As ma_program_run, but never waits for the compiler: a program of several operations runs stepwise until a thread
** has compiled its kernel (now.c). For programs that the user did not ask for by name. */
ma_status ma_program_run_ready(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_array *const *result, ma_stream *stream);

/* few.c: reduces all elements to a new array without axes, if they are few. Otherwise *ran is false. */
ma_status ma_reduce_few(ma_reduce_op op, const ma_array *array, ma_array *result, ma_stream *stream, bool *ran);

#pragma GCC visibility pop
#endif
