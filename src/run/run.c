/* run.c: the one door for programs over arrays. One look at the arrays says whether a program runs now or is deferred
** (ways.def). In both cases it takes in pending operands (inline.c). now.c runs it now, pending.c records a deferred
** program. */
#include "run/run.h"
#include "memory/graph.h"
#include "program/operands.h"
#include "run/look.h"
#include "run/step.h"
#include "tuning.h"

int ma_ways_traced;

enum { /* for the rows of ways.def */
#define FACT(name) name = MA_FACT_##name,
#include "run/ways.def"
};

static const struct {
  const char *name, *text;
} ways[] = {
#define WAY(name, has, lacks, text) { #name, text },
#include "run/ways.def"
};

const char *ma_way_name(const ma_program *program) { return program->body ? "kernel" : ma_program_name(program); }

void ma_way_print(ma_way way, const char *op, int64_t size) {
  if (__atomic_load_n(&ma_ways_traced, __ATOMIC_RELAXED) == 0)
    __atomic_store_n(&ma_ways_traced, ma_config_traces("way") ? 1 : -1, __ATOMIC_RELAXED);
  ma_trace("way", "%s: %s of %lld elements: %s", ways[way].name, op, (long long)size, ways[way].text);
}

/* ==== Looking ===================================================================================================== */

/* What one array adds to the facts; `first` is the first of all. */
static inline uint32_t look_one(const ma_array *array, const ma_array *first, const ma_device *device) {
  uint32_t facts = array->buffer->device == device ? 0 : AWAY;
  if (ma_operand_is_packed(array, first->ndim, first->shape)) return facts;
  return facts | GAPS | (array == first || ma_array_has_shape(array, first->ndim, first->shape) ? 0 : APART);
}

/* Whether an array that is not movable is so because of the function that is recorded. Then nobody but recorded work
** writes there before the recording ends, and what waits has run by then. */
static __attribute__((noinline)) bool is_recordings(const ma_buffer *buffer) {
  const ma_deferral *d = ma_deferral_current;
  return d && d->recording && ma_capture_alone(d->recording, buffer);
}

/* What an operand adds. */
static inline uint32_t look_at_operand(const ma_array *array, const ma_array *first, const ma_device *device) {
  uint32_t facts = look_one(array, first, device);
  if (array->buffer->pending) facts |= WAITS;
  if (__builtin_expect(!array->buffer->movable, 0) && !is_recordings(array->buffer)) facts |= KNOWN;
  return facts;
}

/* Some array is on another device. Replaces the stream by one of that device, if all are there. */
static __attribute__((noinline)) ma_status look_elsewhere(ma_look *l, const ma_program *program,
                                                          const ma_array *const *input, ma_array *const *result,
                                                          ma_stream **stream) {
  int n = program->ninput, nresult = program->noutput;
  ma_device *device = NULL;
  MA_TRY(ma_operands_device(n, input, nresult, result, &device));
  if (!device || device == (*stream)->device) return MA_OK;
  *stream = ma_device_null_stream(device);
  l->facts &= ~(uint32_t)AWAY;
  for (int k = 0; k < n + nresult; k++) {
    const ma_array *array = k < n ? input[k] : result[k - n];
    if (array->buffer && array->buffer->device != device) l->facts |= AWAY;
  }
  return MA_OK;
}

/* The facts with those of several results. Where there are no operands, *first becomes the first given result. */
static __attribute__((noinline)) uint32_t look_at_results(int nresult, ma_array *const *result, const ma_array **first,
                                                          const ma_device *device, uint32_t facts) {
  for (int k = 0; k < nresult; k++) {
    if (!result[k]->buffer) continue;
    if (!*first) *first = result[k];
    facts = (facts & ~(uint32_t)MADE) | look_one(result[k], *first, device);
  }
  return facts;
}

static bool shares_buffer(int nresult, ma_array *const *result, int k) {
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer == result[k]->buffer) return true;
  return false;
}

/* Whether writing result k while the inputs are read would change an input or another result. */
static bool overlaps(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k) {
  const ma_array *to = result[k];
  for (int j = 0; j < n; j++)
    if (ma_array_overlaps(to, input[j]) && !ma_operands_same(to, input[j])) return true;
  for (int j = 0; j < nresult; j++)
    if (j != k && result[j]->buffer && ma_array_overlaps(to, result[j])) return true;
  return false;
}

/* The one rule of when memory may be written: `place` in ways.def. */
uint32_t ma_look_result(int n, const ma_array *const *input, int nresult, ma_array *const *result, int k) {
  const ma_array *to = result[k];
  const ma_buffer *buffer = to->buffer;
  uint32_t facts = overlaps(n, input, nresult, result, k) ? OVERLAPS : 0;
  if (buffer->readers && !ma_hazard_is_apart(to)) facts |= READ;
  if (buffer->pending) facts |= HOLDS;
  if (facts && buffer->movable && !ma_array_folds(to) && ma_hazard_covers(to) && !shares_buffer(nresult, result, k))
    facts |= COVERS;
  return facts;
}

/* The broadcast shape of arrays that are not alike; false: there is none. */
static bool broadcast(ma_look *l, int n, const ma_array *const *input) {
  int64_t *shape = l->broadcast;
  l->ndim = 0;
  for (int k = 0; k < n; k++)
    if (input[k]->ndim > l->ndim) l->ndim = input[k]->ndim;
  for (int d = 0; d < l->ndim; d++) shape[d] = 1;
  for (int k = 0; k < n; k++) {
    const ma_array *array = input[k];
    int64_t *at = shape + l->ndim - array->ndim;
    for (int d = 0; d < array->ndim; d++) {
      if (at[d] == 1) at[d] = array->shape[d];
      else if (array->shape[d] != 1 && array->shape[d] != at[d]) return false;
    }
  }
  return true;
}

/* The arrays are not of one shape. */
static __attribute__((noinline)) ma_status look_apart(ma_look *l, const ma_program *program,
                                                      const ma_array *const *input, ma_array *const *result) {
  int n = program->ninput, nresult = program->noutput;
  if (!(l->facts & MADE) || !broadcast(l, n, input))
    MA_TRY(ma_operands_shape(n, input, nresult, result, &l->ndim, l->broadcast));
  l->shape = l->broadcast;
  return ma_shape_size(l->ndim, l->shape, 1, &l->size);
}

/* Whether a glance shows that none of the facts of a given result holds. */
static inline bool is_free(int n, const ma_array *const *input, const ma_array *to) {
  const ma_buffer *buffer = to->buffer;
  bool free = !buffer->readers && !buffer->pending;
  for (int k = 0; k < n; k++)
    free = free && (input[k] == to || (input[k]->buffer != buffer && input[k]->buffer->movable && buffer->movable));
  return free;
}

/* Looks at the arrays for a run whose result is made in this order. Replaces the stream by one of their device, if
** that is another. */
static inline __attribute__((always_inline)) ma_status look_at(ma_look *l, const ma_program *program,
                                                               const ma_array *const *input, ma_array *const *result,
                                                               ma_order order, ma_stream **stream) {
  int n = program->ninput;
  const ma_device *device = (*stream)->device;
  const ma_array *first = NULL;
  uint32_t facts = n ? MADE : MADE | KNOWN;
  if (n) facts |= look_at_operand(first = input[0], input[0], device);
  for (int k = 1; k < n; k++) facts |= look_at_operand(input[k], first, device);
  if (__builtin_expect(program->noutput != 1, 0)) {
    const ma_array *given = first;
    facts = look_at_results(program->noutput, result, &given, device, facts);
    first = given;
  } else {
    facts |= ONE;
    if (result[0]->buffer) {
      if (!n) first = result[0];
      facts = (facts & ~(uint32_t)MADE) | look_one(result[0], first, device);
    }
  }
  if (__builtin_expect(facts & AWAY, 0)) {
    l->facts = facts;
    MA_TRY(look_elsewhere(l, program, input, result, stream));
    facts = l->facts;
  }
  if (!first) {
    l->ndim = 0;
    l->size = 1;
    l->shape = l->broadcast;
  } else if (!(facts & APART)) {
    l->ndim = first->ndim;
    l->size = first->size;
    l->shape = first->shape;
  } else {
    l->facts = facts;
    MA_TRY(look_apart(l, program, input, result));
  }
  if (l->size == 0) facts |= EMPTY;
  if (ma_defer_is_small(*stream, l->size)) facts |= SMALL;
  if ((facts & (MADE | ONE)) == ONE && !is_free(n, input, result[0])) facts |= ma_look_result(n, input, 1, result, 0);
  l->order = order;
  l->facts = facts;
  return MA_OK;
}

/* While a function is recorded new results wait too. Given ones do not: a graph knows their memory, which must not be
** exchanged. */
static __attribute__((noinline)) void look_at_recording(ma_look *l, const ma_stream *stream) {
  ma_deferral *d = ma_deferral_current;
  if (!d || !d->on || d->recording != stream->capture || !(l->facts & MADE)) return;
  l->deferral = d;
  l->facts |= DEFERS;
}

/* Adds the fact that is dear to find, and matters to no way before `wait`. */
static inline void look_for_deferral(ma_look *l, const ma_stream *stream) {
  if ((l->deferral = ma_deferring()) && !stream->capture) l->facts |= DEFERS;
  else if (__builtin_expect(stream->capture != NULL, 0)) look_at_recording(l, stream);
}

/* ==== Results that are given ====================================================================================== */

/* Whether all of its memory will be exchanged (now.c), which drops what is pending in it. */
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
  uint32_t facts = joined->ntaken ? TAKEN : 0;
  if (nresult != 1 || !to->buffer) return facts;
  if (to->buffer->pending) facts |= HOLDS;
  if (to->buffer->movable && !to->readonly && to->offset == 0 && ma_array_is_contiguous(to) && ma_hazard_covers(to) &&
      ma_program_dtype(&joined->program, joined->program.output[0]) == (ma_dtype)to->dtype)
    facts |= WHOLE;
  for (int k = 0; k < joined->bound.ninput; k++)
    if (joined->reading[k].buffer->pending) facts |= FOLDS;
  for (int k = 0; k < n; k++)
    if (input[k]->buffer == to->buffer) facts |= ITSELF;
  /* A CPU launches nothing, so it gains nothing; a spec wants it there too. */
  bool launches = stream->device->backend->map.attempt || __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED) <= 1;
  if (launches && to->buffer->nbytes <= TUNE_DEFER_UPDATE) facts |= FEW;
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
  ma_status status = look_at(&l, &joined->program, input, result, order, &stream);
  if (status == MA_OK) look_for_deferral(&l, stream);
  if (status == MA_OK) status = ma_program_run_now(&l, &joined->program, input, joined->scalar, result, how, stream);
  if (status != MA_OK) ma_joined_restore(joined);
  return status;
}

/* Runs an update. Updates run in groups, which have no reductions. */
static ma_status update(ma_joined *joined, ma_array *to, ma_stream *stream) {
  for (int k = 0; k < joined->bound.ninput; k++) MA_TRY(ma_pending_settle(joined->reading[k].buffer, "an update"));
  ma_joined_absorb(joined);
  ma_status status = ma_pending_update(joined, NULL, to, stream);
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

/* What run_settled of now.c does, for one result and arrays that are all in C order without gaps. It waits for the
** compiler. */
static inline __attribute__((always_inline)) ma_status run_flat(const ma_program *program, const ma_array *const *input,
                                                                const ma_value *scalar, ma_array *result,
                                                                ma_stream *stream) {
  ma_map map;
  bool ran;
  map.program = program;
  map.space.noperand = 1 + program->ninput;
  map.space.ndim = 1;
  map.space.shape[0] = result->size;
  MA_TRY(ma_map_add(&map, 0, result, true, stream));
  ma_map_set_step(&map, 0, result);
  for (int k = 0; k < program->ninput; k++) {
    MA_TRY(ma_map_add(&map, 1 + k, input[k], false, stream));
    ma_map_set_step(&map, 1 + k, input[k]);
  }
  ma_map_set_numbers(&map, program->nscalar, scalar);
  if (ma_is_host(stream->device)) return stream->device->backend->map.run(stream, &map);
  ma_status status = ma_run_map(&map, stream, false, &ran);
  return ran ? status : ma_program_step(program, input, scalar, &result, stream);
}

static const ma_manner plain;

/* Runs a program with pending operands, or one whose result may be left pending. */
static __attribute__((noinline)) ma_status join(ma_look *l, const ma_program *program, const ma_array *const *input,
                                                const ma_value *scalar, ma_array *const *result, ma_stream *stream) {
  int n = program->ninput, nresult = program->noutput;
  const ma_manner how = { .ready = true, .nlike = n, .like = input };
  ma_joined joined;
  MA_TRY(ma_program_settle_results(nresult, result, true));
  MA_TRY(ma_joined_make(&joined, program, input, scalar, l->ndim, l->shape));
  uint32_t facts = (l->facts & ~(uint32_t)HOLDS) | /* settling the operands may have settled its own values */
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
  MA_TRY(look_at(&l, program, input, result, order, &stream));
  ma_way way = ma_way_of(l.facts);
  bool straight = !(l.facts & GAPS) && order != MA_ORDER_F; /* all arrays are in C order, the result too */
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
    ma_status status = run_flat(program, input, scalar, to, stream);
    if (__builtin_expect(status != MA_OK, 0) && way == MA_WAY_small) ma_array_release(to);
    return status;
  }
  if (way == MA_WAY_small) return ma_program_run_made(&l, program, input, scalar, result, &plain, stream);
  if (how & MA_RUN_LATER || (how & MA_RUN_JOINS && l.facts & WAITS)) l.facts |= LATER;
  look_for_deferral(&l, stream);
  bool waits = ma_way_from(MA_WAY_wait, l.facts) == MA_WAY_wait;
  if (waits && order != MA_ORDER_F && ma_record_straight(&l, program, input, scalar, result[0], stream)) {
    ma_way_trace(MA_WAY_wait, program, l.size);
    return MA_OK;
  }
  bool joins = how & MA_RUN_JOINS && (l.facts & (WAITS | EMPTY)) == WAITS;
  if (joins || waits) return join(&l, program, input, scalar, result, stream);
  return ma_program_run_now(&l, program, input, scalar, result, &plain, stream);
}

ma_status ma_program_run_ready(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                               ma_array *const *result, ma_stream *stream) {
  ma_look l;
  const ma_manner how = { .ready = true };
  MA_TRY(look_at(&l, program, input, result, MA_ORDER_K, &stream));
  look_for_deferral(&l, stream);
  return ma_program_run_now(&l, program, input, scalar, result, &how, stream);
}
