/* write.c: runs programs at once into results that are given or made. Pending operands are evaluated first. If a
** result's memory is also read in another way, the result is written by a detour. */
#include "defer/defer.h"
#include "program/operands.h"
#include "defer/pending.h"
#include "program/run.h"
#include "defer/step.h"

#include <string.h>

ma_status ma_program_run_settled(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                                 ma_array *const *result, int ndim, const int64_t *shape, ma_stream *stream,
                                 bool deferred) {
  bool ran;
  MA_TRY(ma_run_program(program, input, scalar, result, ndim, shape, stream, deferred, &ran));
  if (deferred) ma_figure_run(program, ran);
  return ran ? MA_OK : ma_program_step(program, input, scalar, result, stream);
}

/*
** How a result is written. If its memory is read in another order than it is written, or pending programs still read
** it, the values go elsewhere first. If the whole array is written, they go into new memory, which the array gets in
** exchange for its own. Otherwise they go into a temporary that is copied.
*/
typedef enum way { DIRECT, FRESH, EXCHANGE, DETOUR } way;

typedef struct plan {
  int n, nresult;
  const ma_array *input[MA_MAX_INPUTS];
  ma_array *target[MA_MAX_OUTPUTS];
  way way[MA_MAX_OUTPUTS];
  ma_array made[MA_MAX_OUTPUTS];
  int nmoved;
  ma_array moved[MA_MAX_OUTPUTS]; /* inputs that are read from the copy of the old values */
} plan;

static bool shares_buffer(int nresult, ma_array *const *result, int k) {
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer == result[k]->buffer) return true;
  return false;
}

/* Whether writing result k while the inputs are read would change an input or another result. */
static bool needs_detour(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k) {
  for (int j = 0; j < n; j++)
    if (ma_array_overlaps(result[k], input[j]) && !ma_operands_same(result[k], input[j])) return true;
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer && ma_array_overlaps(result[k], result[j])) return true;
  return false;
}

/* Reads inputs with the same layout as result k from the buffer's clone, which has the same values. */
static bool read_clone(plan *p, const ma_array *result, ma_buffer *clone) {
  for (int j = 0; j < p->n; j++) {
    const ma_array *input = p->input[j];
    if (input->buffer != result->buffer || ma_operands_same(input, result) || !ma_array_overlaps(input, result))
      continue;
    if (p->nmoved == MA_MAX_OUTPUTS) return false;
    ma_array *moved = &p->moved[p->nmoved++];
    memcpy(moved, input, offsetof(ma_array, shape));
    memcpy(moved->shape, input->shape, input->ndim * sizeof *input->shape);
    memcpy(moved->stride, input->stride, input->ndim * sizeof *input->stride);
    moved->buffer = clone;
    p->input[j] = moved;
  }
  return true;
}

static ma_status stand_in(ma_array *made, const ma_array *result) {
  MA_TRY(ma_array_new(made, result->buffer->device, (ma_dtype)result->dtype, result->ndim, result->shape));
  memcpy(made->stride, result->stride, result->ndim * sizeof *result->stride);
  made->offset = result->offset;
  return MA_OK;
}

static ma_status choose_way(plan *p, ma_array *const *result, int k, ma_stream *stream) {
  ma_array *to = result[k];
  ma_buffer *buffer = to->buffer, *clone = NULL;
  MA_TRY(ma_array_check_writable(to));
  if (ma_array_folds(to)) MA_TRY(ma_pending_evaluate(buffer, "it is written"));
  bool whole = buffer->movable && ma_hazard_covers(to) && !shares_buffer(p->nresult, result, k);
  bool detour = needs_detour(p->n, p->input, p->nresult, result, k);
  if (whole && (detour || buffer->readers || buffer->pending) && !__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED)) {
    MA_TRY(stand_in(&p->made[k], to));
    p->target[k] = &p->made[k];
    p->way[k] = EXCHANGE;
    if (p->made[k].buffer->movable) return MA_OK;
    ma_array_release(&p->made[k]); /* nothing defers here, so it has no handle */
    p->target[k] = to;
    p->way[k] = DIRECT;
  }
  MA_TRY(ma_pending_evaluate(buffer, "it is written"));
  if (buffer->readers) MA_TRY(ma_hazard_clone(buffer, stream, &clone));
  if (detour && clone && read_clone(p, to, clone)) detour = needs_detour(p->n, p->input, p->nresult, result, k);
  if (!detour) return MA_OK;
  MA_TRY(ma_array_new(&p->made[k], stream->device, (ma_dtype)to->dtype, to->ndim, to->shape));
  p->target[k] = &p->made[k];
  p->way[k] = DETOUR;
  return MA_OK;
}

ma_status ma_program_copy(ma_array *to, const ma_array *from, ma_stream *stream) {
  ma_program program;
  ma_program_clear(&program);
  int reg = ma_program_input(&program, (ma_dtype)from->dtype);
  ma_program_output(&program, ma_program_cast(&program, reg, (ma_dtype)to->dtype));
  return ma_program_run(&program, &from, NULL, &to, stream);
}

static ma_status finish(plan *p, ma_array *to, int k, ma_stream *stream) {
  if (p->way[k] == DETOUR) return ma_program_copy(to, &p->made[k], stream);
  if (p->way[k] != EXCHANGE) return MA_OK;
  if (to->buffer->pending) ma_pending_drop(to->buffer->pending);
  ma_handle_exchange(to->buffer, p->made[k].buffer);
  MA_FIGURE(exchanged, 1);
  return MA_OK;
}

ma_status ma_program_run_like(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                              ma_array *const *result, ma_stream *stream, bool deferred, int nmodel,
                              const ma_array *const *like) {
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  ma_device *device = NULL;
  ma_status status = MA_OK;
  plan p;
  p.n = program->ninput;
  p.nresult = program->noutput;
  p.nmoved = 0;
  MA_TRY(ma_operands_device(p.n, input, p.nresult, result, &device));
  MA_TRY(ma_operands_shape(p.n, input, p.nresult, result, &ndim, shape));
  if (!device) device = stream->device;
  else if (device != stream->device) stream = ma_device_null_stream(device);

  const ma_array *model = ma_operands_model(nmodel, like, ndim, shape);
  for (int k = 0; k < p.n; k++) {
    p.input[k] = input[k];
    if (input[k]->buffer->pending) MA_TRY(ma_pending_evaluate(input[k]->buffer, "an operation that runs at once"));
  }
  for (int k = 0; k < p.nresult; k++) {
    p.way[k] = result[k]->buffer ? DIRECT : FRESH;
    p.target[k] = result[k];
  }
  for (int k = 0; k < p.nresult && status == MA_OK; k++) {
    if (p.way[k] == FRESH)
      status = ma_operands_new(result[k], device, ma_program_dtype(program, program->output[k]), ndim, shape, model);
    else status = choose_way(&p, result, k, stream);
  }
  if (status == MA_OK && result[0]->size > 0)
    status = ma_program_run_settled(program, p.input, scalar, p.target, ndim, shape, stream, deferred);
  for (int k = 0; k < p.nresult && status == MA_OK; k++) status = finish(&p, result[k], k, stream);
  for (int k = 0; k < p.nresult; k++) {
    if (p.way[k] >= EXCHANGE) ma_array_release(&p.made[k]);
    if (p.way[k] == FRESH && status != MA_OK) ma_array_release(result[k]);
  }
  return status;
}

ma_status ma_program_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, ma_stream *stream) {
  return ma_program_run_like(program, input, scalar, result, stream, false, program->ninput, input);
}

ma_status ma_program_run_ready(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_array *const *result, ma_stream *stream) {
  return ma_program_run_like(program, input, scalar, result, stream, true, program->ninput, input);
}
