/* write.c: runs programs at once into results that are given or made. Pending operands are evaluated first. Each given
** result is written in its own way of ways.def. */
#include "run/run.h"
#include "run/look.h"
#include "run/step.h"

#include <string.h>

ma_status ma_program_run_settled(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                                 ma_array *const *result, int ndim, const int64_t *shape, bool flat, ma_stream *stream,
                                 bool ready) {
  bool ran;
  MA_TRY(ma_run_program(program, input, scalar, result, ndim, shape, flat, stream, ready, &ran));
  if (ready) ma_figure_run(program, ran);
  return ran ? MA_OK : ma_program_step(program, input, scalar, result, stream);
}

/* ==== Results that are made ====================================================================================== */

/* Makes result k. */
static ma_status make(ma_array *made, ma_look *l, const ma_program *program, int k, const ma_array *const *input,
                      const ma_manner *how, ma_device *device) {
  ma_dtype dtype = ma_program_dtype(program, program->output[k]);
  const ma_array *model = NULL;
  bool as_they_lie = l->order != MA_ORDER_C; /* the result gets the order of an operand */
  if (as_they_lie && how->like) model = ma_operands_model(how->nlike, how->like, l->ndim, l->shape);
  else if (as_they_lie && l->facts & MA_FACT_GAPS) model = ma_operands_model(program->ninput, input, l->ndim, l->shape);
  /* A result too large for memory, by a broadcast; or one with the steps of an empty array. */
  if (l->size > INT32_MAX || !l->size) {
    MA_TRY(ma_operands_new(made, device, dtype, l->ndim, l->shape, NULL));
  } else {
    MA_TRY(ma_handle_new(device, (size_t)l->size * ma_dtypes[dtype].itemsize, &made->buffer));
    ma_look_describe(made, l, dtype);
  }
  if (ma_operands_lay_out(made, l->order, model)) l->facts |= MA_FACT_GAPS;
  return MA_OK;
}

/* ==== Results that are given ===================================================================================== */

typedef struct plan {
  int n, nresult;
  const ma_array *input[MA_MAX_INPUTS];
  ma_array *target[MA_MAX_OUTPUTS];
  ma_way way[MA_MAX_OUTPUTS];
  ma_array made[MA_MAX_OUTPUTS]; /* what is written in place of results */
  int nmoved;
  ma_array moved[MA_MAX_OUTPUTS]; /* inputs that are read from the copy of the old values */
} plan;

/* Lets inputs that have the same layout as the result be read from the buffer's clone, which has the same values. */
static void read_clone(plan *p, const ma_array *result, ma_buffer *clone) {
  for (int j = 0; j < p->n; j++) {
    const ma_array *input = p->input[j];
    if (input->buffer != result->buffer || ma_operands_same(input, result) || !ma_array_overlaps(input, result))
      continue;
    if (p->nmoved == MA_MAX_OUTPUTS) return;
    ma_array *moved = &p->moved[p->nmoved++];
    memcpy(moved, input, offsetof(ma_array, shape));
    memcpy(moved->shape, input->shape, input->ndim * sizeof *input->shape);
    memcpy(moved->stride, input->stride, input->ndim * sizeof *input->stride);
    moved->buffer = clone;
    p->input[j] = moved;
  }
}

static ma_status stand_in(ma_array *made, const ma_array *result) {
  MA_TRY(ma_array_new(made, result->buffer->device, (ma_dtype)result->dtype, result->ndim, result->shape));
  memcpy(made->stride, result->stride, result->ndim * sizeof *result->stride);
  made->offset = result->offset;
  return MA_OK;
}

/* Finds the way of given result k, and makes the array that is written in its place. */
static ma_status find_way(plan *p, const ma_look *l, const ma_program *program, ma_array *const *result, int k,
                          ma_stream *stream) {
  ma_array *to = result[k];
  ma_buffer *clone = NULL;
  MA_TRY(ma_array_check_writable(to));
  for (;;) {
    uint32_t facts = ma_look_result(p->n, p->input, p->nresult, result, k);
    p->way[k] = ma_way_of(facts | MA_FACT_ONE | (l->facts & MA_FACT_DEFERS));
    ma_way_trace(p->way[k], program, l->size);
    switch (p->way[k]) {
    case MA_WAY_exchange: p->target[k] = &p->made[k]; return stand_in(&p->made[k], to);
    case MA_WAY_settle: MA_TRY(ma_pending_settle(to->buffer, "it is written")); break;
    case MA_WAY_spare:
      MA_TRY(ma_hazard_clone(to->buffer, stream, &clone));
      if (clone) read_clone(p, to, clone);
      break;
    case MA_WAY_detour:
      p->target[k] = &p->made[k];
      return ma_array_new(&p->made[k], stream->device, (ma_dtype)to->dtype, to->ndim, to->shape);
    default: return MA_OK;
    }
  }
}

ma_status ma_program_copy(ma_array *to, const ma_array *from, ma_stream *stream) {
  ma_program program;
  ma_program_clear(&program);
  int reg = ma_program_input(&program, (ma_dtype)from->dtype);
  ma_program_output(&program, ma_program_cast(&program, reg, (ma_dtype)to->dtype));
  return ma_program_run(&program, &from, NULL, &to, stream);
}

static ma_status finish(plan *p, ma_array *to, int k, ma_stream *stream) {
  if (p->way[k] == MA_WAY_detour) return ma_program_copy(to, &p->made[k], stream);
  if (p->way[k] != MA_WAY_exchange) return MA_OK;
  if (to->buffer->pending) ma_pending_drop(to->buffer->pending);
  ma_handle_exchange(to->buffer, p->made[k].buffer);
  MA_FIGURE(exchanged, 1);
  return MA_OK;
}

/* ==== Running ==================================================================================================== */

ma_status ma_program_run_made(ma_look *l, const ma_program *program, const ma_array *const *input,
                              const ma_value *scalar, ma_array *const *result, const ma_manner *how,
                              ma_stream *stream) {
  ma_way_trace(ma_way_of(l->facts), program, l->size);
  MA_TRY(make(result[0], l, program, 0, input, how, stream->device));
  if (!l->size) return MA_OK;
  ma_status status = ma_program_run_settled(program, input, scalar, result, l->ndim, l->shape,
                                            !(l->facts & MA_FACT_GAPS), stream, how->ready);
  if (status != MA_OK) ma_array_release(result[0]);
  return status;
}

ma_status ma_program_run_now(ma_look *l, const ma_program *program, const ma_array *const *input,
                             const ma_value *scalar, ma_array *const *result, const ma_manner *how, ma_stream *stream) {
  ma_status status = MA_OK;
  plan p;
  for (int k = 0; l->facts & MA_FACT_WAITS && k < program->ninput; k++)
    MA_TRY(ma_pending_settle(input[k]->buffer, "an operation that runs at once"));
  l->facts &= ~(uint32_t)MA_FACT_WAITS;
  if ((l->facts & (MA_FACT_MADE | MA_FACT_ONE)) == (MA_FACT_MADE | MA_FACT_ONE))
    return ma_program_run_made(l, program, input, scalar, result, how, stream);
  p.n = program->ninput;
  p.nresult = program->noutput;
  p.nmoved = 0;
  for (int k = 0; k < p.n; k++) p.input[k] = input[k];
  for (int k = 0; k < p.nresult; k++) {
    p.way[k] = result[k]->buffer ? MA_WAY_place : MA_WAY_now;
    p.target[k] = result[k];
    p.made[k].buffer = NULL;
  }
  for (int k = 0; k < p.nresult && status == MA_OK; k++)
    status = p.way[k] == MA_WAY_now ? make(result[k], l, program, k, input, how, stream->device)
                                    : find_way(&p, l, program, result, k, stream);
  if (status == MA_OK && l->size > 0)
    status = ma_program_run_settled(program, p.input, scalar, p.target, l->ndim, l->shape, !(l->facts & MA_FACT_GAPS),
                                    stream, how->ready);
  for (int k = 0; k < p.nresult && status == MA_OK; k++) status = finish(&p, result[k], k, stream);
  for (int k = 0; k < p.nresult; k++) {
    ma_array_release(&p.made[k]);
    if (p.way[k] == MA_WAY_now && status != MA_OK) ma_array_release(result[k]);
  }
  return status;
}

ma_status ma_program_run_ready(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_array *const *result, ma_stream *stream) {
  ma_look l;
  const ma_manner how = { .ready = true };
  MA_TRY(ma_look_at(&l, program, input, result, MA_ORDER_K, &stream));
  ma_look_for_deferral(&l, stream);
  return ma_program_run_now(&l, program, input, scalar, result, &how, stream);
}
