/* run.h: programs over arrays, which run at once or are deferred. */
#ifndef MOONARRAY_RUN_RUN_H
#define MOONARRAY_RUN_RUN_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Runs a program over arrays, which are broadcast. A result whose buffer is NULL is made; a given one must have the
** broadcast shape and take the dtype by same_kind casting. */
ma_status ma_program_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, ma_stream *stream);
/* The same, but takes in the pending programs of the inputs, and may leave a result whose buffer is NULL pending. */
ma_status ma_program_defer(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                           ma_array *const *result, ma_stream *stream);
/* A result that is made, with its axes in this order in memory, outermost first. Pending inputs are taken in; the
** result may be left pending if one was or if `later`. */
ma_status ma_program_make(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                          ma_array *result, const int *axes, bool later, ma_stream *stream);

#pragma GCC visibility pop
#endif
