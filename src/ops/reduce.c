/*
** reduce.c: the door of reductions and scans. NaN and `where` become part of the program before a reduction. Pending
** operands are taken into it, so ((a - b) ^ 2):mean() is one pass over a and b. A reduction may wait: then it can run
** together with others of the same operands, or with the expression that its result is broadcast back into
** (run/row_program.c). settled.c runs one over operands in memory.
*/
#include "ops/reduce.h"
#include "program/operands.h"
#include "run/pending.h"
#include "tuning.h"

#include <string.h>

/* ==== Pending operands ============================================================================================ */

/* The axis along which an operand's elements are closest to each other, or -1 if it has one element. */
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
  int last = joined->bound.ndim - 1, n = 0;
  while (last > 0 && (!(axes >> last & 1) || joined->shape[last] == 1)) last--;
  for (int k = 0; k < joined->program.ninput; k++) n += nearest_axis(joined, k) >= 0; /* one element has no place */
  return n > 6 || (!joins && joined->shape[last] % 4 != 0 && joined->program.ninput > 1);
}

/* Whether rows are columns in the memory of one operand while another, which is broadcast, would be walked along them:
** each element of the first one would come from another line of the cache. */
static bool is_across(const ma_joined *joined, uint32_t axes) {
  for (int k = 0; k < joined->program.ninput; k++) {
    int kept = nearest_axis(joined, k);
    if (kept < 0 || axes >> kept & 1) continue;
    for (int j = 0; j < joined->program.ninput; j++) {
      int reduced = nearest_axis(joined, j);
      if (reduced >= 0 && axes >> reduced & 1 && ma_joined_step(joined, k)[reduced] != 0) return true;
    }
  }
  return false;
}

/* Whether one pass over joined operands is faster. It is not if the operands have different orders in memory: a
** reduction walks in one order, while an elementwise kernel can rearrange them. A cast may follow. A program without
** operands is no reduction's. */
static bool is_worth(const ma_joined *joined, const ma_device *device, uint32_t axes) {
  int axis = -1;
  for (int k = 0; k < joined->program.ninput; k++) {
    int nearest = nearest_axis(joined, k);
    if (nearest < 0) continue;
    if (axis >= 0 && nearest != axis && ma_joined_step(joined, k)[axis] != 0) return false;
    axis = axis < 0 ? nearest : axis;
  }
  if (is_across(joined, axes)) return false;
  return joined->ntaken > 0 && joined->program.ninput > 0 && ma_program_fits(0, 0, joined->program.ncode + 1) &&
         !(device->backend->reduce.attempt && is_unwieldy(joined, axes));
}

/* Tries a reduction with the programs of pending operands taken in. *ran becomes false if they must be computed
** first. */
static ma_status run_joined(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                            const ma_value *scalar, bool *ran) {
  ma_joined joined;
  ma_array array[MA_MAX_INPUTS];
  const ma_array *term[MA_MAX_INPUTS];
  ma_device *device = NULL;
  int64_t shape[MA_MAX_NDIM];
  int ndim;
  MA_TRY(ma_operands_shape(program->ninput, input, 0, NULL, &ndim, shape));
  MA_TRY(ma_operands_device(program->ninput, input, 1, &r->result, &device));
  MA_TRY(ma_program_settle_results(1, &r->result, false));
  MA_TRY(ma_joined_make(&joined, program, input, scalar, ndim, shape));
  if (joined.size == 0 || !is_worth(&joined, device, r->options->axes)) return MA_OK;
  if (r->run == ma_scan_in_memory && ma_program_places(&joined.program)) return MA_OK;
  ma_joined_arrays(&joined, array, term);
  ma_joined_absorb(&joined);
  *ran = true;
  ma_status status = r->run(r, &joined.program, term, joined.scalar, ran);
  if (status != MA_OK || !*ran) ma_joined_restore(&joined);
  return status;
}

ma_status ma_reduce_over(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                         const ma_value *scalar, const char *why) {
  bool pending = false, ran = false;
  for (int k = 0; k < program->ninput; k++) pending |= input[k]->buffer->pending != NULL;
  if (pending && !program->body) MA_TRY(run_joined(r, program, input, scalar, &ran));
  if (ran) return MA_OK;
  for (int k = 0; k < program->ninput && pending; k++) MA_TRY(ma_pending_evaluate(input[k]->buffer, why));
  return r->run(r, program, input, scalar, NULL);
}

/* ==== Reductions that wait ======================================================================================= */

/* Runs a waiting reduction by itself. On a backend that compiles kernels, a long program runs by single operations
** until the kernel that has it is compiled. */
static ma_status run_fold(const ma_pending *p, ma_buffer *block, ma_stream *stream) {
  const ma_reduce_options options = { .axes = p->fold.axes, .keepdims = true, .ddof = p->fold.param };
  ma_array array[MA_MAX_INPUTS], target;
  const ma_reducing r = { (ma_reduce_op)p->fold.op, &options, &target, stream, NULL };
  const ma_array *input[MA_MAX_INPUTS];
  int64_t kept[MA_MAX_NDIM], count;
  ma_program program;
  ma_terms o;
  bool ran = true;
  o.ndim = p->bound.ndim;
  memcpy(o.shape, p->shape, (size_t)o.ndim * sizeof *o.shape);
  o.t.result = (ma_dtype)p->dtype;
  o.program = &program;
  MA_TRY(ma_array_shape(&target, o.t.result, ma_reduce_kept(&options, o.ndim, o.shape, kept, &count), kept));
  target.buffer = block;
  ma_program_clear(&program);
  ma_bound_program(&p->bound, &program);
  ma_program_output(&program, p->output);
  ma_pending_arrays(p, array, input);
  bool single = ma_program_is_single(&program);
  MA_TRY(ma_reduce_settled(&r, &o, input, p->bound.scalar, NULL, &target, single ? NULL : &ran));
  return ran ? MA_OK : ma_reduce_gathered(&r, &o, input, p->bound.scalar, NULL, &target, true);
}

static bool may_wait(const ma_reducing *r, const ma_program *program) {
  return ma_is_deferring() && !r->stream->capture && !r->result->buffer && !program->body && program->noutput == 1 &&
         program->ninput > 0 && !r->options->initial;
}

/* Whether it is worth waiting. While derivatives are computed, which mostly read the result, a launch is. */
static bool is_large(int64_t size, const ma_stream *stream) {
  if (ma_deferral_current->repeats && !ma_is_host(stream->device)) return true;
  int64_t from = __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED);
  return size >= (from > 1 ? TUNE_DEFER_FOLD * from : from);
}

/* Joins operands that are in memory, or whose programs can be taken in. A pending operand that should not be taken in
** is computed. */
static ma_status join(ma_joined *joined, const ma_terms *o, const ma_array *const *input, const ma_value *scalar,
                      uint32_t axes) {
  MA_TRY(ma_joined_make(joined, o->program, input, scalar, o->ndim, o->shape));
  if (!joined->ntaken || is_worth(joined, o->device, axes)) return MA_OK;
  for (int k = 0; k < o->program->ninput; k++)
    if (!ma_array_folds(input[k])) MA_TRY(ma_pending_evaluate(input[k]->buffer, "a reduction"));
  return ma_joined_make(joined, o->program, input, scalar, o->ndim, o->shape);
}

/* Lets the reduction wait; *waits is false if it must run now. */
static ma_status defer_fold(const ma_reducing *r, const ma_program *program, const ma_array *const *input,
                            const ma_value *scalar, bool *waits) {
  const ma_reduce_options *options = r->options;
  ma_joined joined;
  ma_terms o;
  int64_t kept[MA_MAX_NDIM], count, size = 1;
  *waits = false;
  MA_TRY(ma_operands_shape(program->ninput, input, 0, NULL, &o.ndim, o.shape));
  for (int d = 0; d < o.ndim; d++) size *= o.shape[d];
  if (size == 0 || !is_large(size, r->stream)) return MA_OK;
  o.device = NULL;
  MA_TRY(ma_operands_device(program->ninput, input, 1, &r->result, &o.device));
  if (o.device != r->stream->device) return MA_OK;
  MA_TRY(ma_reduce_type(r, program, &o));
  int nresult = ma_reduce_kept(options, o.ndim, o.shape, kept, &count);
  MA_TRY(ma_reduce_check_positions(r->op, options->dtype, count));
  if (o.t.declared != o.t.result) return MA_OK;
  MA_TRY(join(&joined, &o, input, scalar, options->axes));
  if (!joined.movable) return MA_OK;
  const ma_fold fold = { .op = (uint8_t)r->op, .axes = options->axes, .param = options->ddof, .run = run_fold };
  MA_TRY(ma_array_shape(r->result, o.t.result, nresult, kept));
  MA_TRY(ma_pending_record_fold(&joined, &fold, r->result, r->stream));
  ma_joined_absorb(&joined);
  *waits = true;
  return MA_OK;
}

/* ==== Reductions ================================================================================================== */

ma_status ma_reduce_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input,
                        const ma_value *scalar, const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  const ma_reducing r = { op, options, result, stream, ma_reduce_in_memory };
  bool waits = false, ran = false;
  if (op == MA_REDUCE_logaddexp) MA_TRY(ma_reduce_logsumexp(&r, program, input, scalar, &ran));
  if (!ran && may_wait(&r, program)) MA_TRY(defer_fold(&r, program, input, scalar, &waits));
  return waits || ran ? MA_OK : ma_reduce_over(&r, program, input, scalar, "a reduction");
}

void ma_reduce_source(ma_program *program, ma_value *scalar, ma_dtype dtype, ma_nan nan, bool masked) {
  ma_program_clear(program);
  int x = ma_program_input(program, dtype), mask = masked ? ma_program_input(program, MA_BOOL) : -1;
  if (ma_dtypes[dtype].kind < MA_KIND_FLOAT) nan = MA_NAN_KEEP;
  if (nan != MA_NAN_KEEP) {
    int args[3] = { ma_program_emit(program, MA_DO_is_nan, dtype, &x), mask, x };
    if (nan == MA_NAN_LEAVE_OUT) {
      args[0] = ma_program_emit(program, MA_DO_not, MA_BOOL, args);
      mask = masked ? ma_program_emit(program, MA_DO_both, MA_BOOL, args) : args[0];
    } else {
      scalar->c = (ma_c128){ nan == MA_NAN_AS_1, 0 };
      args[1] = ma_program_scalar(program, dtype);
      x = ma_program_emit(program, MA_DO_choose, dtype, args);
    }
  }
  ma_program_output(program, x);
  if (mask >= 0) ma_program_output(program, mask);
}

/* Fails if a position is 0, which says that a slice had only NaN. NumPy refuses that. */
static ma_status refuse_all_nan(const ma_array *positions, ma_stream *stream) {
  ma_array least = { .buffer = NULL };
  ma_value value = { .i = 1 };
  if (positions->size == 0) return MA_OK;
  MA_TRY(ma_reduce_all(MA_REDUCE_min, positions, &least, stream));
  ma_status status = ma_array_item(&least, stream, &value);
  ma_array_release(&least);
  if (status != MA_OK || value.i != 0) return status;
  return ma_fail(MA_ERR_VALUE, "All-NaN slice encountered; every slice needs an element that is not NaN");
}

ma_status ma_reduce_array(ma_reduce_op op, const ma_array *a, const ma_array *where, ma_nan nan,
                          const ma_reduce_options *options, ma_array *result, ma_stream *stream) {
  const ma_array *input[2] = { a, where };
  ma_program program;
  ma_value scalar;
  bool fresh = !result->buffer;
  if (where && !options->initial && !(ma_reduces[op].flags & MA_REDF_EMPTY))
    return ma_fail(MA_ERR_VALUE, "where without initial; %s has no identity, so initial must say what nothing gives",
                   ma_reduces[op].name);
  ma_reduce_source(&program, &scalar, (ma_dtype)a->dtype, nan, where != NULL);
  MA_TRY(ma_reduce_run(op, &program, input, &scalar, options, result, stream));
  if (nan != MA_NAN_LEAVE_OUT || !(ma_reduces[op].flags & MA_REDF_POSITION)) return MA_OK;
  ma_status status = refuse_all_nan(result, stream);
  if (status != MA_OK && fresh) ma_array_release(result);
  return status;
}

ma_status ma_reduce_all(ma_reduce_op op, const ma_array *a, ma_array *result, ma_stream *stream) {
  const ma_reduce_options options = { .axes = (1u << a->ndim) - 1, .dtype = MA_NDTYPE };
  bool ran;
  MA_TRY(ma_reduce_few(op, a, result, stream, &ran));
  return ran ? MA_OK : ma_reduce_array(op, a, NULL, MA_NAN_KEEP, &options, result, stream);
}

/* ==== Scans ======================================================================================================= */

ma_status ma_scan_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                      int axis, ma_dtype dtype, ma_array *result, ma_stream *stream) {
  const ma_reduce_options options = { .axes = 1u << axis, .dtype = dtype };
  const ma_reducing r = { op, &options, result, stream, ma_scan_in_memory };
  if (!(ma_reduces[op].flags & MA_REDF_SCAN))
    return ma_fail(MA_ERR_VALUE, "%s; there is no running form of it", ma_reduces[op].name);
  return ma_reduce_over(&r, program, input, scalar, "a scan");
}

ma_status ma_scan_array(ma_reduce_op op, const ma_array *a, ma_nan nan, int axis, ma_dtype dtype, ma_array *result,
                        ma_stream *stream) {
  ma_program program;
  ma_value scalar;
  ma_reduce_source(&program, &scalar, (ma_dtype)a->dtype, nan, false);
  return ma_scan_run(op, &program, &a, &scalar, axis, dtype, result, stream);
}
