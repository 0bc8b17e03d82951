/* run.c: the one door for programs over arrays. One look at the arrays says whether a program runs now or is deferred
** (ways.def). In both cases it takes in pending operands (inline.c). pending.c records a deferred program. */
#include "run/run.h"
#include "run/look.h"
#include "tuning.h"

#include <string.h>

int64_t ma_defer_from = TUNE_DEFER_FROM;

/* Whether all of its memory will be exchanged (write.c), which drops what is pending in it. */
static bool is_exchanged(const ma_array *to) {
  return to->buffer->movable && ma_is_deferring() && ma_hazard_covers(to);
}

ma_status ma_program_settle_results(int nresult, ma_array *const *result, bool exchange) {
  for (int k = 0; k < nresult; k++)
    if (result[k]->buffer && result[k]->buffer->pending &&
        !(exchange && nresult == 1 && !result[k]->buffer->pending->kept && !result[k]->buffer->pending->folds &&
          is_exchanged(result[k])))
      MA_TRY(ma_pending_settle(result[k]->buffer, "it is written"));
  return MA_OK;
}

/* ==== Programs that take in pending ones ========================================================================= */

/* The facts about a given result that decide whether a joined program may wait, or run by rows. */
static uint32_t look_at_joined(const ma_joined *joined, int n, const ma_array *const *input, int nresult,
                               ma_array *const *result, const ma_stream *stream) {
  const ma_array *to = result[0];
  uint32_t facts = joined->ntaken ? MA_FACT_TAKEN : 0;
  if (nresult != 1 || !to->buffer) return facts;
  if (to->buffer->pending) facts |= MA_FACT_HOLDS;
  if (to->buffer->movable && !to->readonly && to->offset == 0 && ma_array_is_contiguous(to) && ma_hazard_covers(to) &&
      ma_program_dtype(&joined->program, joined->program.output[0]) == (ma_dtype)to->dtype)
    facts |= MA_FACT_WHOLE;
  for (int k = 0; k < joined->bound.ninput; k++)
    if (joined->reading[k].buffer->pending) facts |= MA_FACT_FOLDS;
  for (int k = 0; k < n; k++)
    if (input[k]->buffer == to->buffer) facts |= MA_FACT_ITSELF;
  /* A CPU launches nothing, so it gains nothing; a spec wants it there too. */
  bool launches = stream->device->backend->map.attempt || __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED) <= 1;
  if (launches && to->buffer->nbytes <= TUNE_DEFER_UPDATE) facts |= MA_FACT_FEW;
  return facts;
}

/* Runs the joined program into results that are given, or that must be computed now. */
static ma_status run_joined(ma_joined *joined, ma_array *const *result, ma_order order, const ma_manner *how,
                            ma_stream *stream) {
  ma_array array[MA_MAX_INPUTS];
  const ma_array *input[MA_MAX_INPUTS];
  ma_look l;
  ma_joined_arrays(joined, array, input);
  ma_joined_absorb(joined);
  ma_status status = ma_look_at(&l, &joined->program, input, result, order, &stream);
  if (status == MA_OK) ma_look_for_deferral(&l, stream);
  if (status == MA_OK) status = ma_program_run_now(&l, &joined->program, input, joined->scalar, result, how, stream);
  if (status != MA_OK) ma_joined_restore(joined);
  return status;
}

/* Runs an update. Updates run in groups, which have no reductions. */
static ma_status update(ma_joined *joined, ma_array *to, ma_stream *stream) {
  for (int k = 0; k < joined->bound.ninput; k++) MA_TRY(ma_pending_settle(joined->reading[k].buffer, "an update"));
  ma_joined_absorb(joined);
  ma_status status = ma_pending_update(joined, to, stream);
  if (status != MA_OK) ma_joined_restore(joined);
  return status;
}

static ma_status run_rows(ma_joined *joined, ma_array *to, ma_stream *stream) {
  ma_array made = *to;
  made.buffer = NULL;
  made.is_view = 0;
  MA_TRY(ma_pending_record(joined, &made, stream));
  ma_joined_absorb(joined);
  ma_status status = ma_pending_settle(made.buffer, "it is written");
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

/* Leaves the result pending. */
static ma_status record(ma_joined *joined, ma_array *result, ma_order order, const ma_manner *how, ma_stream *stream) {
  const ma_array *model = ma_operands_model(how->nlike, how->like, joined->bound.ndim, joined->shape);
  ma_dtype dtype = ma_program_dtype(&joined->program, joined->program.output[0]);
  MA_TRY(ma_array_shape(result, dtype, joined->bound.ndim, joined->shape));
  ma_operands_lay_out(result, order, model);
  MA_TRY(ma_pending_record(joined, result, stream));
  ma_joined_absorb(joined);
  return MA_OK;
}

/* ==== The door =================================================================================================== */

static const ma_manner plain;

/* Runs a program with pending operands, or one whose result may be left pending. */
static __attribute__((noinline)) ma_status join(ma_look *l, const ma_program *program, const ma_array *const *input,
                                                const ma_value *scalar, ma_array *const *result, ma_stream *stream) {
  int n = program->ninput, nresult = program->noutput;
  const ma_manner how = { .ready = true, .nlike = n, .like = input };
  ma_joined joined;
  MA_TRY(ma_program_settle_results(nresult, result, true));
  MA_TRY(ma_joined_make(&joined, program, input, scalar, l->ndim, l->shape));
  uint32_t facts = (l->facts & ~(uint32_t)MA_FACT_HOLDS) | /* settling the operands may have settled its own values */
                   look_at_joined(&joined, n, input, nresult, result, stream);
  ma_way way = ma_way_of(facts);
  if (way == MA_WAY_wait || way == MA_WAY_update || way == MA_WAY_row_program)
    ma_way_trace(way, &joined.program, l->size);
  switch (way) {
  case MA_WAY_wait: return record(&joined, result[0], l->order, &how, stream);
  case MA_WAY_update: return update(&joined, result[0], stream);
  case MA_WAY_row_program: return run_rows(&joined, result[0], stream);
  default:
    return joined.ntaken ? run_joined(&joined, result, l->order, &how, stream)
                         : ma_program_run_now(l, program, input, scalar, result, &plain, stream);
  }
}

ma_status ma_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                 ma_array *const *result, ma_order order, int how, ma_stream *stream) {
  ma_look l;
  MA_TRY(ma_look_at(&l, program, input, result, order, &stream));
  if (how & MA_RUN_LATER || (how & MA_RUN_JOINS && l.facts & MA_FACT_WAITS)) l.facts |= MA_FACT_LATER;
  ma_way way = ma_way_of(l.facts);
  bool straight = !(l.facts & MA_FACT_GAPS) && order != MA_ORDER_F; /* all arrays are in C order, the result too */
  if (straight && (way == MA_WAY_small || (way == MA_WAY_place && l.size))) {
    ma_array *to = result[0];
    ma_way_trace(way, program, l.size);
    if (way == MA_WAY_small) {
      ma_dtype dtype = ma_program_dtype(program, program->output[0]);
      MA_TRY(ma_handle_new(stream->device, (size_t)l.size * ma_dtypes[dtype].itemsize, &to->buffer));
      ma_look_describe(to, &l, dtype);
    } else {
      MA_TRY(ma_array_check_writable(to));
    }
    ma_status status = ma_run_flat(program, input, scalar, to, stream);
    if (__builtin_expect(status != MA_OK, 0) && way == MA_WAY_small) ma_array_release(to);
    return status;
  }
  if (way == MA_WAY_small) return ma_program_run_made(&l, program, input, scalar, result, &plain, stream);
  ma_look_for_deferral(&l, stream);
  bool waits = ma_way_from(MA_WAY_wait, l.facts) == MA_WAY_wait;
  if (waits && order != MA_ORDER_F && ma_record_straight(&l, program, input, scalar, result[0], stream)) {
    ma_way_trace(MA_WAY_wait, program, l.size);
    return MA_OK;
  }
  bool joins = how & MA_RUN_JOINS && (l.facts & (MA_FACT_WAITS | MA_FACT_EMPTY)) == MA_FACT_WAITS;
  if (joins || waits) return join(&l, program, input, scalar, result, stream);
  return ma_program_run_now(&l, program, input, scalar, result, &plain, stream);
}
