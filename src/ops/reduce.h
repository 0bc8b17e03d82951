/* reduce.h: what the files of reductions share: reduce.c takes in pending operands and lets reductions wait, settled.c
** runs them over operands in memory. */
#ifndef MOONARRAY_OPS_REDUCE_H
#define MOONARRAY_OPS_REDUCE_H

#include "ops/ops.h"

#pragma GCC visibility push(hidden)

/* The dtypes of a reduction: `loop` is that of elements when they are combined, `result` that of the combination. */
typedef struct ma_reduce_dtypes {
  ma_dtype first; /* elements are cast to it before `loop`: MA_NDTYPE (no cast), or bool */
  ma_dtype loop, result, declared;
} ma_reduce_dtypes;

/* A reduction, a scan, or a part of a reduction, as its caller wants it. */
typedef struct ma_reducing {
  ma_reduce_op op;
  const ma_reduce_options *options; /* a scan has a dtype and one axis */
  ma_array *result;
  ma_stream *stream;
  /* Runs over operands in memory. If `ran` is not NULL, it becomes false if the kernel is not compiled yet; then
  ** nothing was done. */
  ma_status (*run)(const struct ma_reducing *r, const ma_program *program, const ma_array *const *input,
                   const ma_value *scalar, bool *ran);
} ma_reducing;

/* What the operands of a reduction are together. */
typedef struct ma_terms {
  int ndim;
  int64_t shape[MA_MAX_NDIM]; /* the broadcast one */
  ma_device *device;
  ma_reduce_dtypes t;
  const ma_program *program; /* casts to t.loop */
  ma_program cast;           /* where that is not the caller's */
} ma_terms;

/* ==== settled.c =================================================================================================== */

ma_status ma_reduce_begin(const ma_reducing *r, const ma_program *program, const ma_array *const *input, ma_terms *o);
/* Finds the dtypes and the program, and nothing else. */
ma_status ma_reduce_type(const ma_reducing *r, const ma_program *program, ma_terms *o);
/* Fails if a dtype for positions cannot hold all of 1..count. */
ma_status ma_reduce_check_positions(ma_reduce_op op, ma_dtype dtype, int64_t count);
/* The axes of the result, and how many elements each result has; returns the number of axes. */
int ma_reduce_kept(const ma_reduce_options *options, int ndim, const int64_t *shape, int64_t *kept, int64_t *count);
/* ma_reducing.run of a reduction. */
ma_status ma_reduce_in_memory(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, bool *ran);
/* ma_reducing.run of a scan. It cannot run in another way while its kernel is compiled, so on a backend that compiles,
** pending operands are computed first. */
ma_status ma_scan_in_memory(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                            const ma_value *scalar, bool *ran);
/* Reduces at least one element for each result into a target of the result's dtype and shape, which overlaps no
** input. */
ma_status ma_reduce_settled(const ma_reducing *r, const ma_terms *o, const ma_array *const *input,
                            const ma_value *scalar, const ma_value *initial, ma_array *target, bool *ran);
/* The same over elements that are first computed into C order. With `ready` they are computed by single operations
** until the kernel for that is compiled. */
ma_status ma_reduce_gathered(const ma_reducing *r, const ma_terms *o, const ma_array *const *input,
                             const ma_value *scalar, const ma_value *initial, ma_array *target, bool ready);

/* ==== steps.c ===================================================================================================== */

/* Runs logaddexp by other reductions. *ran is false if it is left to the monoid. */
ma_status ma_reduce_logsumexp(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, bool *ran);

/* ==== reduce.c ==================================================================================================== */

/* Runs a reduction over operands of which some may be pending. Their programs are taken in, or they are computed
** first. */
ma_status ma_reduce_over(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                         const ma_value *scalar, const char *why);

#pragma GCC visibility pop
#endif
