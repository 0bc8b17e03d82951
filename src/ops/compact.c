/* compact.c: elements that a mask keeps. The backend gets one ma_reduction over all axes in C order. A pending mask
** is taken into its program, so a[a:gt(0)] reads a once and writes no mask. */
#include "memory/wait.h"
#include "ops/ops.h"
#include "program/arrange.h"
#include "ops/compact.h"
#include "defer/pending.h"

/* Whether neighbours in C order are adjacent in memory for every operand that moves. */
static bool is_near(const ma_reduction *what) {
  const ma_space *space = &what->space;
  int last = space->ndim - 1;
  for (int k = 1; k < space->noperand; k++)
    if (space->shape[last] > 1 && space->stride[k][last] != 0 &&
        space->stride[k][last] != ma_dtypes[what->program->input_dtype[k - 1]].itemsize)
      return false;
  return true;
}

/* Works on operands of one shape in memory. `ran`: NULL, or set to false if nothing was done. */
static ma_status compact(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_dtype dtype, ma_array *result, bool *ran, ma_stream *stream) {
  ma_reduction what = { .starts = NULL };
  ma_space all = { .ndim = input[0]->ndim, .noperand = 1 + program->ninput };
  what.program = program;
  what.result = dtype;
  what.count = input[0]->size;
  what.data[0] = NULL;
  for (int d = 0; d < all.ndim; d++) {
    all.shape[d] = input[0]->shape[d];
    for (int k = 0; k < program->ninput; k++) all.stride[k + 1][d] = input[k]->stride[d];
  }
  for (int k = 0; k < program->ninput; k++) MA_TRY(ma_array_read(input[k], stream, (const void **)&what.data[k + 1]));
  for (int k = 0; k < program->nscalar; k++) what.scalar[k] = scalar[k];
  ma_reduce_arrange(&what, &all, 1, (1u << all.ndim) - 1);
  if (ran && (*ran = is_near(&what)) == false) return MA_OK;
  MA_TRY(ma_wait_check(ma_is_host(stream->device)));
  return stream->device->backend->index.compact(stream, &what, result, ran);
}

ma_status ma_compact_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_dtype dtype, ma_array *result, ma_stream *stream) {
  return compact(program, input, scalar, dtype, result, NULL, stream);
}

ma_status ma_compact_joined(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                            ma_dtype dtype, ma_array *result, bool *ran, ma_stream *stream) {
  ma_joined joined;
  ma_array array[MA_MAX_INPUTS];
  const ma_array *term[MA_MAX_INPUTS];
  bool pending = false;
  *ran = false;
  for (int k = 0; k < program->ninput; k++) pending |= input[k]->buffer->pending != NULL;
  if (!pending) return MA_OK;
  MA_TRY(ma_joined_make(&joined, program, input, scalar, input[0]->ndim, input[0]->shape));
  if (joined.ntaken == 0 || joined.program.ninput == 0) return MA_OK;
  ma_joined_arrays(&joined, array, term);
  ma_joined_absorb(&joined);
  ma_status status = compact(&joined.program, term, joined.scalar, dtype, result, ran, stream);
  if (status != MA_OK || !*ran) ma_joined_restore(&joined);
  return status;
}
