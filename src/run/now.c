/* now.c: runs programs at once. A settled program, whose inputs are in memory, becomes a map for the backend. A given
** result is written in its own way of ways.def. Pending programs run when somebody reads them, one by one or together:
** files below call that by ma_pending_settle, as memory does by its hooks. */
#include "memory/graph.h"
#include "program/operands.h"
#include "run/run.h"
#include "run/look.h"
#include "run/step.h"
#include "run/substitute.h"
#include "tuning.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ==== Settled programs ============================================================================================ */

/* Nothing is pending here, and no pending program reads what is written, so buffers are taken as they are. */

ma_status ma_run_map(const ma_map *map, ma_stream *stream, bool may_decline, bool *ran) {
  const ma_backend *backend = stream->device->backend;
  *ran = true;
  if (!ma_is_host(stream->device) && ma_config_int(MA_CONFIG_VALIDATE) && !stream->capture)
    return ma_validate_map(stream, map);
  bool single = ma_program_is_single(map->program);
  bool waits = !may_decline || !backend->map.attempt || single || stream->capture; /* a graph keeps what is recorded */
  ma_status status = waits ? backend->map.run(stream, map) : backend->map.attempt(stream, map, ran);
  if (__builtin_expect(status != MA_ERR_LACK, 1)) return status;
  if (single) return ma_substitute_map(stream, map);
  ma_lack_forget();
  *ran = false; /* its operations run one by one */
  return MA_OK;
}

static inline int64_t stride_along(const ma_array *array, int d, int ndim, int64_t extent) {
  int at = d - (ndim - array->ndim);
  return at >= 0 && array->shape[at] == extent ? array->stride[at] : 0;
}

/* Sets the axes of a map whose result is in C order without gaps: they stay in their order, and are merged. */
static void add_axes_in_order(ma_map *map, const ma_array *const *input, ma_array *const *result, int ndim,
                              const int64_t *shape) {
  int nresult = map->program->noutput, nall = map->space.noperand, last = -1;
  int64_t step[MA_MAX_OPERANDS];
  for (int d = 0; d < ndim; d++) {
    int64_t extent = shape[d];
    if (extent == 1) continue;
    bool joins = last >= 0;
    for (int k = 0; k < nall; k++) {
      step[k] = stride_along(k < nresult ? result[k] : input[k - nresult], d, ndim, extent);
      joins = joins && map->space.stride[k][last] == step[k] * extent;
    }
    if (!joins) last++;
    map->space.shape[last] = joins ? map->space.shape[last] * extent : extent;
    for (int k = 0; k < nall; k++) map->space.stride[k][last] = step[k];
  }
  map->space.ndim = last + 1;
  if (last >= 0) return;
  map->space.ndim = 1;
  map->space.shape[0] = 1;
  for (int k = 0; k < nall; k++) map->space.stride[k][0] = 0;
}

/* Sets the axes of a map whose operands are not all in C order without gaps. */
static void add_axes(ma_map *map, const ma_array *const *input, ma_array *const *result, int ndim,
                     const int64_t *shape) {
  int64_t flip[MA_MAX_OPERANDS];
  int nresult = map->program->noutput, nall = map->space.noperand;
  if (ma_operand_is_packed(result[0], ndim, shape)) {
    add_axes_in_order(map, input, result, ndim, shape);
    return;
  }
  map->space.ndim = ndim;
  memcpy(map->space.shape, shape, (size_t)ndim * sizeof *shape);
  for (int k = 0; k < nall; k++)
    ma_operands_strides(k < nresult ? result[k] : input[k - nresult], ndim, shape, map->space.stride[k]);
  ma_space_collapse(&map->space, true, flip);
  for (int k = 0; k < nall; k++) map->data[k] = (char *)map->data[k] + flip[k];
}

/* Runs a settled program into given results. `flat`: all arrays are in C order without gaps. */
static ma_status run_settled(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                             ma_array *const *result, int ndim, const int64_t *shape, bool flat, ma_stream *stream,
                             bool ready) {
  ma_map map;
  bool ran;
  int nresult = program->noutput, n = program->ninput;
  map.program = program;
  map.space.noperand = n + nresult;
  map.space.ndim = 1;
  map.space.shape[0] = result[0]->size;
  for (int k = 0; k < nresult; k++) MA_TRY(ma_map_add(&map, k, result[k], true, stream));
  for (int k = 0; k < n; k++) MA_TRY(ma_map_add(&map, nresult + k, input[k], false, stream));
  if (!flat) add_axes(&map, input, result, ndim, shape);
  for (int k = 0; flat && k < nresult + n; k++) ma_map_set_step(&map, k, k < nresult ? result[k] : input[k - nresult]);
  ma_map_set_numbers(&map, program->nscalar, scalar);
  MA_TRY(ma_run_map(&map, stream, ready, &ran));
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
  ma_status status = run_settled(program, input, scalar, result, l->ndim, l->shape, !(l->facts & MA_FACT_GAPS), stream,
                                 how->ready);
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
    status = run_settled(program, p.input, scalar, p.target, l->ndim, l->shape, !(l->facts & MA_FACT_GAPS), stream,
                         how->ready);
  for (int k = 0; k < p.nresult && status == MA_OK; k++) status = finish(&p, result[k], k, stream);
  for (int k = 0; k < p.nresult; k++) {
    ma_array_release(&p.made[k]);
    if (p.way[k] == MA_WAY_now && status != MA_OK) ma_array_release(result[k]);
  }
  return status;
}

/* ==== Pending programs ============================================================================================ */

static bool traced(void) {
  static int known; /* 0: not read yet */
  if (__builtin_expect(__atomic_load_n(&known, __ATOMIC_RELAXED) == 0, 0))
    __atomic_store_n(&known, ma_config_traces("fuse") ? 1 : -1, __ATOMIC_RELAXED);
  return __atomic_load_n(&known, __ATOMIC_RELAXED) > 0;
}

/* The stream on which a pending program runs. The null stream replaces one that takes no more work, that would record
** it, or whose recording it was a part of. */
static ma_stream *stream_for(const ma_pending *p) {
  bool records = p->stream->capture != NULL;
  return p->stream->ended || records != p->recorded ? ma_device_null_stream(p->stream->device) : p->stream;
}

/* The memory of a recorded result is the graph's, whoever holds the array. */
static ma_status own_recorded(const ma_pending *p) {
  if (__builtin_expect(!p->recorded || !p->stream->capture, 1)) return MA_OK;
  MA_TRY(ma_capture_own(p->buffer));
  return ma_buffer_use(p->buffer, p->stream, true);
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

/* Whether a reduction has others to run with, at a first look. */
static bool has_company(const ma_pending *p) {
  if (p->reads_folds) return true;
  for (int k = 0; k < p->bound.ninput; k++)
    for (const ma_reading *r = p->bound.reading[k].buffer->readers; r; r = r->next)
      if (r->pending != p && r->pending->folds) return true;
  return false;
}

static ma_status run(ma_pending *p, ma_buffer *block, ma_stream *stream) {
  ma_program program;
  ma_array term[MA_MAX_INPUTS], made, *result = &made;
  const ma_array *input[MA_MAX_INPUTS];
  bool ran;
  if (p->folds ? has_company(p) : p->reads_folds && ma_pending_waits(p)) {
    MA_TRY(ma_row_program_evaluate(p, block, stream, &ran));
    if (ran) return MA_OK;
  }
  if (p->folds) return p->fold.run(p, block, stream); /* ops/reduce.c */
  if (p->draws) return ma_drawn_fill(p, block, stream);
  ma_program_clear(&program);
  ma_bound_program(&p->bound, &program);
  ma_program_output(&program, p->output);
  ma_pending_describe(&made, block, (ma_dtype)p->dtype, p, 0, p->stride);
  ma_pending_arrays(p, term, input);
  bool flat = p->packed || (ma_operand_is_packed(&made, made.ndim, p->shape) &&
                            ma_operands_packed(program.ninput, input, made.ndim, p->shape));
  return run_settled(&program, input, p->bound.scalar, &result, made.ndim, p->shape, flat, stream, true);
}

static ma_status evaluate_one(ma_buffer *buffer, const char *why) {
  ma_pending *p = buffer->pending;
  ma_buffer *block;
  if (!p) return MA_OK;
  if (traced())
    ma_trace("fuse", "%d instruction%s over %d array%s, %lld elements of %s: %s%s", p->bound.ncode,
             plural(p->bound.ncode), p->bound.ninput, plural(p->bound.ninput), (long long)p->size,
             ma_dtypes[p->dtype].name, why, p->absorbed ? ", after it was part of another" : "");
  if (p->absorbed && !p->kept && !p->folds) ma_pending_learn(p);
  MA_TRY(ma_buffer_new(buffer->device, buffer->nbytes, &block));
  ma_status status = run(p, block, stream_for(p));
  if (status == MA_OK) status = own_recorded(p);
  if (status != MA_OK) {
    ma_buffer_release(block);
    return status;
  }
  ma_pending_fill(p, block);
  return MA_OK;
}

/* Evaluates a group: the first program and those that joined it. */
static ma_status evaluate_group(const ma_joined *j, const char *why) {
  ma_array term[MA_MAX_INPUTS], made[MA_MAX_OUTPUTS], *result[MA_MAX_OUTPUTS];
  const ma_array *input[MA_MAX_INPUTS];
  ma_buffer *block[MA_MAX_OUTPUTS];
  int n = j->ntaken, nblock = 0;
  ma_status status = MA_OK;
  if (traced())
    ma_trace("fuse", "%d results together, %d instructions over %d array%s, %lld elements: %s", n, j->program.ncode,
             j->program.ninput, plural(j->program.ninput), (long long)j->size, why);
  for (; nblock < n && status == MA_OK; nblock += status == MA_OK)
    status = ma_buffer_new(j->taken[nblock]->buffer->device, j->taken[nblock]->buffer->nbytes, &block[nblock]);
  for (int k = 0; k < n && status == MA_OK; k++) {
    ma_pending_describe(&made[k], block[k], (ma_dtype)j->taken[k]->dtype, j->taken[k], 0, j->taken[k]->stride);
    result[k] = &made[k];
  }
  if (status == MA_OK) {
    ma_joined_arrays(j, term, input);
    bool flat = ma_operands_packed(n, (const ma_array *const *)result, j->bound.ndim, j->shape) &&
                ma_operands_packed(j->program.ninput, input, j->bound.ndim, j->shape);
    status = run_settled(&j->program, input, j->scalar, result, j->bound.ndim, j->shape, flat, stream_for(j->taken[0]),
                         true);
  }
  for (int k = 0; k < n && status == MA_OK; k++) status = own_recorded(j->taken[k]);
  for (int k = 0; k < nblock; k++) {
    if (status != MA_OK) {
      ma_buffer_release(block[k]);
      continue;
    }
    ma_pending_fill(j->taken[k], block[k]);
  }
  return status;
}

/* Runs an update together with similar ones, which are certainly wanted too. That saves launches, although each
** reads other arrays. */
static int updates_like(const ma_pending *p, ma_buffer **buffer) {
  ma_link *ring = &p->deferral->open, *link = ring->prev;
  int n = 0;
  buffer[n++] = p->buffer;
  for (int seen = 0; link != ring && seen < TUNE_DEFER_LOOK && n < MA_MAX_GROUP; link = link->prev, seen++) {
    const ma_pending *q = (ma_pending *)link;
    if (q != p && q->kept && q->stream == p->stream && q->bound.ndim == p->bound.ndim &&
        !memcmp(q->shape, p->shape, p->bound.ndim * sizeof *p->shape))
      buffer[n++] = q->buffer;
  }
  return n;
}

/* Open programs of the same shape that read one of its arrays: by themselves they may compute it again. */
static int sharers(const ma_pending *p, ma_buffer **buffer) {
  int n = 0, seen = 0;
  buffer[n++] = p->buffer;
  if (p->folds || p->draws || p->bound.ninput == 0 || !ma_pending_costs(p, TUNE_REPEAT_FEW)) return n;
  const ma_reading *r = p->bound.reading[0].buffer->readers;
  for (; r && seen < TUNE_DEFER_LOOK && n < MA_MAX_GROUP; r = r->next, seen++) {
    const ma_pending *q = r->pending;
    if (q != p && !q->absorbed && q->size == p->size && q->recorded == p->recorded) buffer[n++] = q->buffer;
  }
  return n;
}

/* Runs it together with open programs that compute most of what it does. If they fail, it runs by itself. */
static ma_status evaluate_sharing(ma_buffer *buffer, const char *why) {
  ma_buffer *like[MA_MAX_GROUP];
  ma_joined joined;
  int n = sharers(buffer->pending, like);
  bool ran = false;
  if (n > 1) {
    for (int k = 0; k < n; k++) ma_buffer_retain(like[k]); /* to make room may collect some */
    ma_joined_group(&joined, n, like, false);
    ran = joined.ntaken > 1 && evaluate_group(&joined, why) == MA_OK;
    while (n > 0) ma_buffer_release(like[--n]);
  }
  return ran ? MA_OK : evaluate_one(buffer, why);
}

ma_status ma_pending_evaluate(ma_buffer *buffer, const char *why) {
  ma_buffer *like[MA_MAX_GROUP];
  if (!buffer->pending) return MA_OK;
  if (!buffer->pending->kept) return evaluate_sharing(buffer, why);
  return ma_pending_evaluate_all(updates_like(buffer->pending, like), like, why);
}

ma_status ma_pending_evaluate_all(int n, ma_buffer *const *buffer, const char *why) {
  ma_joined joined;
  for (; n > 0; n--, buffer++) {
    if (!buffer[0]->pending) continue;
    joined.ntaken = 0;
    if (n > 1 && !buffer[0]->pending->folds && !buffer[0]->pending->reads_folds)
      ma_joined_group(&joined, n, buffer, true);
    MA_TRY(joined.ntaken > 1 ? evaluate_group(&joined, why) : evaluate_one(buffer[0], why));
  }
  return MA_OK;
}

/* Evaluates the first programs of a ring that has some; those that fail by themselves are put aside if `aside`. */
static ma_status flush_some(ma_link *ring, const char *why, bool aside) {
  ma_buffer *buffer[MA_MAX_GROUP];
  ma_link *link = ring->next;
  int n = 0;
  do ma_buffer_retain(buffer[n++] = ((ma_pending *)link)->buffer);
  while ((link = link->next) != ring && n < MA_MAX_GROUP);
  ma_status status = ma_pending_evaluate_all(n, buffer, why);
  for (int k = 0; k < n && aside && status != MA_OK; k++)
    if (n == 1 || evaluate_one(buffer[k], why) != MA_OK) ma_pending_put_aside(buffer[k]->pending);
  while (n > 0) ma_buffer_release(buffer[--n]); /* one may have held another one */
  return status;
}

static ma_status flush_ring(ma_link *ring, const char *why) {
  while (ring->next != ring) MA_TRY(flush_some(ring, why, false));
  return MA_OK;
}

ma_status ma_pending_flush(const char *why, bool all) {
  ma_deferral *d = ma_deferral_current;
  if (!d) return MA_OK;
  MA_TRY(flush_ring(&d->open, why));
  if (all) MA_TRY(flush_ring(&d->failed, why));
  return all ? flush_ring(&d->absorbed, why) : MA_OK;
}

ma_status ma_pending_finish(const char *why) {
  ma_link *ring = &ma_deferral_current->open;
  ma_status first = MA_OK;
  char *message = NULL;
  while (ring->next != ring) {
    ma_status status = flush_some(ring, why, true);
    if (status == MA_OK || first != MA_OK) continue;
    first = status;
    message = strdup(ma_message());
  }
  if (message) ma_fail(first, "%s", message);
  free(message);
  return first;
}

/* ==== Hooks of memory ============================================================================================ */

static bool is_on(void) { return ma_is_deferring(); }

/* Counts the bytes of a buffer as pinned, because its last other holder let go of it. */
static void pin(ma_buffer *buffer) {
  if (buffer->pinned) return;
  buffer->pinned = true;
  buffer->readers->pending->deferral->pinned += (int64_t)buffer->nbytes;
}

static void set_hooks(void) {
  ma_defer_hooks = (ma_deferral_hooks){
    .is_on = is_on, .evaluate = ma_pending_evaluate, .write = ma_hazard_write, .drop = ma_pending_drop, .pin = pin
  };
}

void ma_deferral_start(ma_deferral *deferral, bool on) {
  static pthread_once_t hooked = PTHREAD_ONCE_INIT;
  pthread_once(&hooked, set_hooks);
  ma_deferral_enlist(deferral, on);
}
