/* defer.c: decides whether a program runs now or is deferred. In both cases it takes in pending operands (inline.c).
** pending.c records a deferred program. */
#include "array/layout.h"
#include "defer/defer.h"
#include "program/operands.h"
#include "defer/pending.h"

int64_t ma_defer_from = 4096;

static bool may_defer(const ma_joined *joined, const ma_program *program, ma_array *const *result,
                      const ma_stream *stream) {
  if (!ma_is_deferring() || program->noutput != 1 || result[0]->buffer || !joined->movable || stream->capture)
    return false;
  for (int k = 0; k < joined->program.ninput; k++)
    if (joined->reading[k].buffer->device != stream->device) return false;
  return true;
}

bool ma_defer_is_small(const ma_stream *stream, int64_t size) {
  return ma_is_host(stream->device) && size < __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED);
}

/* Whether all arrays have one shape and a small size. It is faster than computing the broadcast shape. */
static bool are_small(int n, const ma_array *const *input, const ma_stream *stream) {
  for (int k = 0; k < n; k++)
    if (!ma_defer_is_small(stream, input[k]->size) ||
        (k && !ma_array_has_shape(input[k], input[0]->ndim, input[0]->shape)))
      return false;
  return true;
}

/* Runs the joined program into results that are given, or that must be computed now. */
static ma_status run_joined(ma_joined *joined, ma_array *const *result, ma_stream *stream, int nmodel,
                            const ma_array *const *like) {
  ma_array array[MA_MAX_INPUTS];
  const ma_array *input[MA_MAX_INPUTS];
  ma_joined_arrays(joined, array, input);
  ma_joined_absorb(joined);
  ma_status status = ma_program_run_like(&joined->program, input, joined->scalar, result, stream, true, nmodel, like);
  if (status != MA_OK) ma_joined_restore(joined);
  return status;
}

ma_status ma_program_defer_cast(ma_array *copy, const ma_array *from, ma_dtype dtype, const int *axes,
                                ma_stream *stream, bool *deferred) {
  ma_program program;
  ma_joined joined;
  copy->buffer = NULL;
  *deferred = false;
  if (from->size == 0 || (!from->buffer->pending && (!from->buffer->movable || ma_defer_is_small(stream, from->size))))
    return MA_OK;
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_cast(&program, ma_program_input(&program, (ma_dtype)from->dtype), dtype));
  MA_TRY(ma_joined_make(&joined, &program, &from, NULL, from->ndim, from->shape));
  if (!may_defer(&joined, &program, &copy, stream)) return MA_OK;
  MA_TRY(ma_operands_layout(copy, dtype, from->ndim, from->shape, NULL));
  ma_array_lay_out(copy, axes);
  MA_TRY(ma_pending_record(&joined, copy, stream));
  ma_joined_absorb(&joined);
  *deferred = true;
  return MA_OK;
}

/* Whether all of its memory will be exchanged (choose_way in write.c), which drops what is pending in it. */
static bool is_exchanged(const ma_array *to) {
  return to->buffer->movable && ma_is_deferring() && ma_hazard_covers(to);
}

ma_status ma_program_settle_results(int nresult, ma_array *const *result, bool exchange) {
  for (int k = 0; k < nresult; k++)
    if (result[k]->buffer && result[k]->buffer->pending &&
        !(exchange && nresult == 1 && !result[k]->buffer->pending->kept && !result[k]->buffer->pending->folds &&
          is_exchanged(result[k])))
      MA_TRY(ma_pending_evaluate(result[k]->buffer, "it is written"));
  return MA_OK;
}

/* bytes of an array whose update may be deferred: an update needs a second block, which costs more than a launch if
** it is larger */
#define MOST_UPDATE (256 << 10)

/* Whether an update in place may be deferred: it must write all of a small array, from the array itself and pending
** operands, as x:iadd(y * 2) does. */
static bool may_update(const ma_joined *joined, int n, const ma_array *const *input, int nresult,
                       ma_array *const *result, const ma_stream *stream) {
  const ma_array *to = result[0];
  bool itself = false;
  if (nresult != 1 || !to->buffer || !joined->ntaken || !joined->movable || !to->buffer->movable ||
      to->buffer->pending || to->readonly)
    return false;
  /* A CPU launches nothing, so it gains nothing; a spec wants it there too. */
  if (!stream->device->backend->map.attempt && __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED) > 1) return false;
  if (to->buffer->nbytes > MOST_UPDATE || to->offset != 0 || to->buffer->device != stream->device || stream->capture ||
      !ma_is_deferring())
    return false;
  for (int k = 0; k < n; k++) itself = itself || input[k]->buffer == to->buffer;
  return itself && ma_program_dtype(&joined->program, joined->program.output[0]) == (ma_dtype)to->dtype &&
         ma_array_is_contiguous(to) && ma_hazard_covers(to);
}

/* Updates run in groups, which have no reductions. */
static ma_status update(ma_joined *joined, ma_array *to, ma_stream *stream) {
  for (int k = 0; k < joined->bound.ninput; k++) MA_TRY(ma_pending_evaluate(joined->reading[k].buffer, "an update"));
  ma_joined_absorb(joined);
  ma_status status = ma_pending_update(joined, to, stream);
  if (status != MA_OK) ma_joined_restore(joined);
  return status;
}

/* Whether a row program can compute all of a given array into fresh memory, which the array gets in exchange. Without
** the exchange the values of reductions that wait would be needed first. */
static bool may_exchange(const ma_joined *joined, int nresult, ma_array *const *result, const ma_stream *stream) {
  const ma_array *to = result[0];
  bool waits = false;
  for (int k = 0; k < joined->bound.ninput; k++) waits = waits || joined->reading[k].buffer->pending;
  return waits && nresult == 1 && to->buffer && joined->movable && !to->readonly && is_exchanged(to) &&
         to->buffer->device == stream->device && !stream->capture && to->offset == 0 && ma_array_is_contiguous(to) &&
         ma_array_has_shape(to, joined->bound.ndim, joined->shape) &&
         ma_program_dtype(&joined->program, joined->program.output[0]) == (ma_dtype)to->dtype;
}

static ma_status exchange(ma_joined *joined, ma_array *to, ma_stream *stream) {
  ma_array made = *to;
  made.buffer = NULL;
  made.is_view = 0;
  MA_TRY(ma_pending_record(joined, &made, stream));
  ma_joined_absorb(joined);
  ma_status status = ma_pending_evaluate(made.buffer, "it is written");
  if (status == MA_OK) {
    if (to->buffer->pending) ma_pending_drop(to->buffer->pending);
    ma_handle_exchange(to->buffer, made.buffer);
    MA_FIGURE(exchanged, 1);
  } else {
    ma_joined_restore(joined);
  }
  ma_array_release(&made);
  return status;
}

ma_status ma_program_defer(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                           ma_array *const *result, ma_stream *stream) {
  int ndim, n = program->ninput, nresult = program->noutput;
  int64_t shape[MA_MAX_NDIM];
  ma_device *device = NULL;
  ma_joined joined;
  bool pending = false;
  for (int k = 0; k < n; k++) pending |= input[k]->buffer && input[k]->buffer->pending;
  bool records = ma_deferral_current && ma_deferral_current->on && nresult == 1 && !result[0]->buffer && n > 0;
  if (!pending && (!records || are_small(n, input, stream)))
    return ma_program_run(program, input, scalar, result, stream);

  MA_TRY(ma_operands_device(n, input, nresult, result, &device));
  MA_TRY(ma_operands_shape(n, input, nresult, result, &ndim, shape));
  if (device != stream->device) stream = ma_device_null_stream(device);
  int64_t size = 1;
  for (int d = 0; d < ndim; d++) size *= shape[d];
  if (size == 0 || (!pending && ma_defer_is_small(stream, size)))
    return ma_program_run(program, input, scalar, result, stream);
  MA_TRY(ma_program_settle_results(nresult, result, true));
  MA_TRY(ma_joined_make(&joined, program, input, scalar, ndim, shape));
  if (may_update(&joined, n, input, nresult, result, stream)) return update(&joined, result[0], stream);
  if (may_exchange(&joined, nresult, result, stream)) return exchange(&joined, result[0], stream);
  if (!may_defer(&joined, program, result, stream))
    return joined.ntaken ? run_joined(&joined, result, stream, n, input)
                         : ma_program_run(program, input, scalar, result, stream);
  const ma_array *model = ma_operands_model(n, input, ndim, shape);
  MA_TRY(ma_operands_layout(result[0], ma_program_dtype(program, program->output[0]), ndim, shape, model));
  MA_TRY(ma_pending_record(&joined, result[0], stream));
  ma_joined_absorb(&joined);
  return MA_OK;
}
