/* body_run.h: one call of an elementwise kernel that the user wrote. */
#ifndef MOONARRAY_BODY_RUN_H
#define MOONARRAY_BODY_RUN_H

#include "ops/ops.h"
#include "kernel/params.h"

#pragma GCC visibility push(hidden)

typedef struct ma_body_call {
  const ma_body *body;
  const ma_program *program;       /* of the body: ma_params_program */
  ma_array *array[MA_MAX_PARAMS];  /* by parameter; without a buffer: an output to make; ignored for scalars */
  ma_value scalar[MA_MAX_SCALARS]; /* by place, in the resolved dtype */
  int64_t size;                    /* number of elements if no array determines it; -1: not given */
  int block_size;                  /* 0: the backend's choice */
} ma_body_call;

ma_status ma_body_run(const ma_body_call *call, ma_stream *stream);

#pragma GCC visibility pop
#endif
