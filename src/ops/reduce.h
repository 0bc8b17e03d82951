/* reduce.h: what the files of reductions share: reduce.c runs them, waiting.c takes in pending operands and lets
** reductions wait. */
#ifndef MOONARRAY_OPS_REDUCE_H
#define MOONARRAY_OPS_REDUCE_H

#include "ops/ops.h"

#include "run/pending.h"

#pragma GCC visibility push(hidden)

/* The dtypes of a reduction: `loop` is that of elements when they are combined, `result` that of the combination. */
typedef struct ma_reduce_dtypes {
  ma_dtype first; /* elements are cast to it before `loop`: MA_NDTYPE (no cast), or bool */
  ma_dtype loop, result, declared;
} ma_reduce_dtypes;

/* ==== reduce.c ==================================================================================================== */

ma_status ma_reduce_types(ma_reduce_op op, ma_dtype from, ma_dtype dtype, const ma_array *out, ma_reduce_dtypes *t);
/* Fails if a dtype for positions cannot hold all of 1..count. */
ma_status ma_reduce_check_positions(ma_reduce_op op, ma_dtype dtype, int64_t count);
/* The broadcast shape of the inputs, and the one device of all. */
ma_status ma_reduce_shape(const ma_program *program, const ma_array *const *input, const ma_array *out, int *ndim,
                          int64_t *shape, ma_device **device);
/* Casts the output of the program to the dtype of the reduction. */
ma_status ma_reduce_cast(const ma_program *program, const ma_reduce_dtypes *t, ma_program *cast);
/* Reduces operands in memory, over at least one element. As ma_reduce_run; `ran`: NULL, or set to false if the kernel
** is not compiled yet; then nothing was done. */
ma_status ma_reduce_in_memory(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, const ma_reduce_options *options, ma_array *result, bool *ran,
                              ma_stream *stream);
/* The same into a target of the result's dtype and shape, which overlaps no input. op, program, result, param and the
** initial value of the reduction are set, and the program casts to the dtype of its loop. */
ma_status ma_reduce_settled(ma_reduction *reduction, const ma_array *const *input, const ma_value *scalar,
                            uint32_t axes, bool keepdims, int ndim, const int64_t *shape, ma_array *target, bool *ran,
                            ma_stream *stream);

/* ==== waiting.c =================================================================================================== */

bool ma_reduce_any_pending(const ma_program *program, const ma_array *const *input);
ma_status ma_reduce_evaluate(const ma_program *program, const ma_array *const *input, const char *why);
/* Whether one pass over joined operands is the faster way. */
bool ma_reduce_is_worth(const ma_joined *joined);

#pragma GCC visibility pop
#endif
