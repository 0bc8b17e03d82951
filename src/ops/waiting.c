/*
** waiting.c: reductions of pending operands, and reductions that wait. Pending operands are taken into the program, so
** ((a - b) ^ 2):mean() is one pass over a and b. A reduction that waits can run together with others of the same
** operands, or with the expression that its result is broadcast back into (run/rows.c).
*/
#include "ops/reduce.h"
#include "program/operands.h"
#include "run/step.h"

/* ==== Pending operands ============================================================================================ */

bool ma_reduce_any_pending(const ma_program *program, const ma_array *const *input) {
  for (int k = 0; k < program->ninput; k++)
    if (input[k]->buffer->pending) return true;
  return false;
}

/* The axis along which an operand's elements are closest; -1: it has one element. */
static int nearest_axis(const ma_joined *joined, int k) {
  const int64_t *step = ma_joined_step(joined, k);
  int nearest = -1;
  for (int d = 0; d < joined->bound.ndim; d++)
    if (step[d] && joined->shape[d] > 1 && (nearest < 0 || ma_magnitude(step[d]) <= ma_magnitude(step[nearest])))
      nearest = d;
  return nearest;
}

/*
** Whether the joined kernel would be slow to compile and slow to run. A reduction's kernel has the program 32 times.
** With many operands, or with rows that end inside a group of neighbours, where each element's place needs divisions,
** that gives some hundred kilobytes. An elementwise kernel and a plain reduction are then faster.
*/
static bool is_unwieldy(const ma_joined *joined, uint32_t axes) {
  int inner = -1;
  bool joins = true; /* the reduced axes merge into one for every operand */
  for (int d = joined->bound.ndim - 1; d >= 0; d--) {
    if (!(axes >> d & 1) || joined->shape[d] == 1) continue;
    for (int k = 0; k < joined->program.ninput && inner >= 0; k++)
      joins = joins && ma_joined_step(joined, k)[d] == ma_joined_step(joined, k)[inner] * joined->shape[inner];
    if (inner >= 0 && !joins) break;
    inner = d;
  }
  int last = joined->bound.ndim - 1;
  while (last > 0 && (!(axes >> last & 1) || joined->shape[last] == 1)) last--;
  return joined->program.ninput > 6 || (!joins && joined->shape[last] % 4 != 0 && joined->program.ninput > 1);
}

/* It is not if the operands have different orders in memory: a reduction walks
** in one order, while an elementwise kernel can rearrange them. A cast may follow. */
bool ma_reduce_is_worth(const ma_joined *joined) {
  int axis = -1;
  for (int k = 0; k < joined->program.ninput; k++) {
    int nearest = nearest_axis(joined, k);
    if (nearest < 0) continue;
    if (axis >= 0 && nearest != axis && ma_joined_step(joined, k)[axis] != 0) return false;
    axis = axis < 0 ? nearest : axis;
  }
  return joined->ntaken > 0 && ma_program_fits(0, 0, joined->program.ncode + 1);
}

/* Tries with the programs of pending operands taken in; *ran is false if they must be evaluated first. */
static ma_status reduce_joined(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                               const ma_value *scalar, const ma_reduce_options *options, ma_array *result, bool *ran,
                               ma_stream *stream) {
  ma_joined joined;
  ma_array array[MA_MAX_INPUTS];
  const ma_array *term[MA_MAX_INPUTS];
  ma_device *device;
  int64_t shape[MA_MAX_NDIM];
  int ndim;
  *ran = false;
  MA_TRY(ma_reduce_shape(program, input, result, &ndim, shape, &device));
  MA_TRY(ma_program_settle_results(1, &result, false));
  MA_TRY(ma_joined_make(&joined, program, input, scalar, ndim, shape));
  if (joined.size == 0 || !ma_reduce_is_worth(&joined) ||
      (device->backend->reduce.attempt && is_unwieldy(&joined, options->axes)))
    return MA_OK;
  ma_joined_arrays(&joined, array, term);
  ma_joined_absorb(&joined);
  *ran = true;
  ma_status status = ma_reduce_in_memory(op, &joined.program, term, joined.scalar, options, result, ran, stream);
  if (status != MA_OK || !*ran) ma_joined_restore(&joined);
  else MA_FIGURE(fused, 1);
  return status;
}

ma_status ma_reduce_evaluate(const ma_program *program, const ma_array *const *input, const char *why) {
  for (int k = 0; k < program->ninput; k++) MA_TRY(ma_pending_evaluate(input[k]->buffer, why));
  return MA_OK;
}

/* ==== Reductions that wait ======================================================================================= */

#define FEW 16 /* times the elements from which operators wait: a reduction of fewer takes less time than waiting */

/* Runs a waiting reduction by itself. On a backend that compiles kernels, a long program runs by single operations
** until the kernel that has it is compiled. */
static ma_status run_fold(const ma_pending *p, ma_buffer *block, ma_stream *stream) {
  ma_reduction reduction = { .op = (ma_reduce_op)p->fold.op, .result = (ma_dtype)p->dtype, .param = p->fold.param };
  ma_program program, plain;
  ma_array array[MA_MAX_INPUTS], target = { .magic = MA_ARRAY_MAGIC, .dtype = p->dtype, .size = 1, .buffer = block },
                                 all;
  const ma_array *input[MA_MAX_INPUTS];
  int64_t step = ma_dtypes[p->dtype].itemsize;
  int ndim = p->bound.ndim;
  bool ran = true;
  target.ndim = (uint8_t)ndim;
  for (int d = ndim - 1; d >= 0; d--) {
    target.shape[d] = p->fold.axes >> d & 1 ? 1 : p->shape[d];
    target.stride[d] = step;
    target.size *= target.shape[d];
    step *= target.shape[d];
  }
  ma_program_clear(&program);
  ma_bound_program(&p->bound, &program);
  ma_program_output(&program, p->output);
  ma_pending_arrays(p, array, input);
  reduction.program = &program;
  bool single = ma_program_is_single(&program);
  MA_TRY(ma_reduce_settled(&reduction, input, p->bound.scalar, p->fold.axes, true, ndim, p->shape, &target,
                           single ? NULL : &ran, stream));
  if (!single) ma_figure_run(&program, ran);
  if (ran) return MA_OK;

  ma_array *made = &all;
  const ma_array *values = &all;
  all.buffer = NULL;
  MA_TRY(ma_array_new(made, stream->device, ma_program_dtype(&program, program.output[0]), ndim, p->shape));
  ma_status status = ma_program_run_ready(&program, input, p->bound.scalar, &made, stream);
  ma_program_clear(&plain);
  ma_program_output(&plain, ma_program_input(&plain, (ma_dtype)all.dtype));
  reduction.program = &plain;
  if (status == MA_OK)
    status = ma_reduce_settled(&reduction, &values, NULL, p->fold.axes, true, ndim, p->shape, &target, NULL, stream);
  ma_array_release(&all);
  return status;
}

static bool may_wait(const ma_program *program, const ma_reduce_options *options, const ma_array *result,
                     const ma_stream *stream) {
  return ma_is_deferring() && !stream->capture && !result->buffer && !program->body && program->noutput == 1 &&
         program->ninput > 0 && !options->initial;
}

static bool is_large(int64_t size) {
  int64_t from = __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED);
  return size >= (from > 1 ? FEW * from : from);
}

/* The joined program of operands that are in memory or whose programs it took in; a pending operand that it should not
** take in runs. */
static ma_status join(ma_joined *joined, const ma_program *program, const ma_array *const *input,
                      const ma_value *scalar, uint32_t axes, int ndim, const int64_t *shape, const ma_device *device) {
  MA_TRY(ma_joined_make(joined, program, input, scalar, ndim, shape));
  if (!joined->ntaken ||
      (ma_reduce_is_worth(joined) && !(device->backend->reduce.attempt && is_unwieldy(joined, axes))))
    return MA_OK;
  for (int k = 0; k < program->ninput; k++)
    if (!ma_array_folds(input[k])) MA_TRY(ma_pending_evaluate(input[k]->buffer, "a reduction"));
  return ma_joined_make(joined, program, input, scalar, ndim, shape);
}

/* Lets the reduction wait; *waits is false if it must run now. */
static ma_status defer_fold(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                            const ma_value *scalar, const ma_reduce_options *options, ma_array *result,
                            ma_stream *stream, bool *waits) {
  ma_joined joined;
  ma_program cast;
  ma_device *device;
  ma_reduce_dtypes t;
  int64_t shape[MA_MAX_NDIM], kept[MA_MAX_NDIM], count = 1, size = 1;
  int ndim, nresult = 0;
  *waits = false;
  MA_TRY(ma_reduce_shape(program, input, result, &ndim, shape, &device));
  for (int d = 0; d < ndim; d++) {
    bool reduced = options->axes >> d & 1;
    size *= shape[d];
    count *= reduced ? shape[d] : 1;
    if (!reduced || options->keepdims) kept[nresult++] = reduced ? 1 : shape[d];
  }
  if (size == 0 || device != stream->device || !is_large(size)) return MA_OK;
  MA_TRY(ma_reduce_types(op, ma_program_dtype(program, program->output[0]), options->dtype, result, &t));
  MA_TRY(ma_reduce_check_positions(op, options->dtype, count));
  if (t.declared != t.result) return MA_OK;
  if (ma_program_dtype(program, program->output[0]) != t.loop || t.first != MA_NDTYPE) {
    MA_TRY(ma_reduce_cast(program, &t, &cast));
    program = &cast;
  }
  MA_TRY(join(&joined, program, input, scalar, options->axes, ndim, shape, device));
  if (!joined.movable) return MA_OK;
  const ma_fold fold = { .op = (uint8_t)op, .axes = options->axes, .param = options->ddof, .run = run_fold };
  MA_TRY(ma_array_shape(result, t.result, nresult, kept));
  MA_TRY(ma_pending_record_fold(&joined, &fold, result, stream));
  ma_joined_absorb(&joined);
  *waits = true;
  return MA_OK;
}

ma_status ma_reduce_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  if (may_wait(program, options, result, stream)) {
    bool waits;
    MA_TRY(defer_fold(op, program, input, scalar, options, result, stream, &waits));
    if (waits) return MA_OK;
  }
  if (ma_reduce_any_pending(program, input)) {
    bool ran = false;
    if (!program->body) MA_TRY(reduce_joined(op, program, input, scalar, options, result, &ran, stream));
    if (ran) return MA_OK;
    MA_TRY(ma_reduce_evaluate(program, input, "a reduction"));
  }
  return ma_reduce_in_memory(op, program, input, scalar, options, result, NULL, stream);
}
