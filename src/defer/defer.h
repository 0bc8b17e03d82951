/* defer.h: programs over arrays: run at once, or left to wait. */
#ifndef MOONARRAY_DEFER_DEFER_H
#define MOONARRAY_DEFER_DEFER_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Runs a program over arrays, whose shapes are broadcast. A result whose buffer is NULL is made; another one must have
** the broadcast shape and take the dtype by same_kind casting. */
ma_status ma_program_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, ma_stream *stream);
/* The same, but what is pending in the inputs is taken in, and a result whose buffer is NULL may come to be pending
** itself. */
ma_status ma_program_defer(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                           ma_array *const *result, ma_stream *stream);

#pragma GCC visibility pop
#endif
