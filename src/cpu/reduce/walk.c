/* walk.c: a walk's memory and addresses, and its units of work: neighbouring rows, or a span of them. */
#include "cpu/reduce/walk.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

/* ==== Memory ===================================================================================================== */

static char *take(char *memory, size_t *used, size_t n) {
  size_t at = *used;
  *used += (n + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN;
  return (char *)((uintptr_t)memory + at); /* a place behind its end is not used: then there is another memory */
}

/* Divides the memory of a worker; returns how much it needs. */
static size_t divide(ma_row_worker *w, char *memory) {
  const ma_row_job *j = w->j;
  const size_t values = MA_BLOCK * sizeof(ma_c128), n = ((size_t)j->batch + 63) & ~(size_t)63, spans = (size_t)j->nspan;
  size_t used = 0;
  if (j->scans) {
    if (j->down) w->room = take(memory, &used, ma_row_scan_bytes(j));
    return used;
  }
  size_t held = (j->count < MA_BLOCK ? MA_BLOCK : (size_t)j->count) + MA_LANE;
  if (j->down) held = (size_t)(j->count * j->batch);
  for (int k = 0; k < j->nheld; k++) w->held[k] = take(memory, &used, held * ma_dtypes[j->program->held[k]].itemsize);
  for (int k = 0; k < MA_MAX_OUTPUTS && j->program; k++) w->value[k] = take(memory, &used, values);
  if (j->nspan > 1) w->room = take(memory, &used, (spans / 2 + 1) * MA_MAX_PARTIAL);
  if (j->blanks) w->blank = take(memory, &used, values);
  for (int k = 0; j->packed >> k; k++)
    if (j->packed >> k & 1)
      w->packed[k] = take(memory, &used,
                          ((size_t)(j->count * j->batch) + MA_LANE) *
                            ma_dtypes[j->body[0].program->input_dtype[k]].itemsize);
  for (int k = 0; k < j->nfold; k++) {
    const ma_monoid *monoid = j->fold[k].monoid;
    w->fold[k] = j->nstage > 1 ? take(memory, &used, values) : NULL;
    if (!j->down) {
      w->total[k] = take(memory, &used, (j->spreads || n > spans ? n : spans) * monoid->partial);
      continue;
    }
    ma_columns_place(&w->tree[k], monoid, take(memory, &used, ma_columns_bytes(monoid, j->batch)), j->batch);
    w->total[k] = w->tree[k].total;
    for (int i = 0; i < RED_LEAF; i++) w->leaf[k][i] = take(memory, &used, n * monoid->value);
  }
  for (int i = 0; i < RED_LEAF && j->down; i++) w->mask[i] = (uint8_t *)take(memory, &used, n);
  return used;
}

void ma_row_close(ma_row_worker *w) {
  for (int t = 0; t < w->nblock; t++) ma_block_close(t & 1 ? &w->head[t / 2] : &w->body[t / 2]);
  if (w->buffer) ma_buffer_release(w->buffer);
}

ma_status ma_row_open(ma_row_worker *w, const ma_row_job *j, bool reads) {
  ma_status status = MA_OK;
  w->j = j;
  w->nblock = 0;
  w->buffer = NULL;
  for (int t = 0; t < 2 * j->nstage && reads && status == MA_OK; t++) {
    if (t & 1 && !j->program) break;
    status = t & 1 ? ma_block_open(&w->head[t / 2], &j->head[t / 2]) : ma_block_open(&w->body[t / 2], &j->body[t / 2]);
    w->nblock += status == MA_OK;
  }
  size_t size = divide(w, w->near);
  if (status == MA_OK && size > sizeof w->near) status = ma_buffer_new(ma_device_cpu(), size, &w->buffer);
  if (status != MA_OK) ma_row_close(w);
  else if (w->buffer) divide(w, w->buffer->ptr);
  return status;
}

/* ==== Addresses ================================================================================================== */

void ma_row_place(ma_row_worker *w, int64_t row) {
  const ma_row_job *j = w->j;
  const ma_space *space = j->space;
  for (int o = 0; o < space->noperand; o++) w->data[o] = j->data[o];
  for (int d = j->nkept - 1; d >= 0 && row > 0; d--) {
    int64_t i = row % space->shape[d];
    row /= space->shape[d];
    for (int o = 0; o < space->noperand; o++) w->data[o] += i * space->stride[o][d];
  }
}

/* Sets where a stage's inputs are. Rows in the worker's own memory are packed. */
void ma_row_aim(const ma_row_worker *w, int t, bool body, const void **data, int64_t *across, int64_t *along) {
  const ma_row_job *j = w->j;
  const ma_program *program = body ? j->body[t].program : j->head[t].program;
  for (int k = 0; k < program->ninput; k++) {
    ma_row_source from = { MA_FROM_INPUT, (uint8_t)k };
    if (j->program) from = (body ? &j->program->stage[t].body : &j->program->stage[t].head)->from[k];
    int operand = j->first + from.index;
    int64_t size = ma_dtypes[program->input_dtype[k]].itemsize;
    along[k] = 0;
    across[k] = size;
    switch (from.kind) {
    case MA_FROM_INPUT:
      data[k] = w->data[operand];
      across[k] = j->space->stride[operand][j->nkept - 1];
      along[k] = j->space->stride[operand][j->nkept];
      if (!(j->packed >> k & 1)) break;
      data[k] = w->packed[k];
      across[k] = size;
      along[k] = size * w->npacked;
      break;
    case MA_FROM_FOLD: data[k] = w->fold[from.index]; break;
    case MA_FROM_HEAD: data[k] = w->value[from.index]; break;
    default:
      data[k] = w->held[from.index];
      across[k] = j->held_across * size;
      along[k] = j->held_along * size;
    }
  }
}

int ma_row_targets(const ma_row_worker *w, int t, ma_row_target *to) {
  const ma_row_job *j = w->j;
  int n = 0;
  if (!j->program) return 0;
  const ma_row_stage *stage = &j->program->stage[t];
  for (int k = 0; k < j->nheld; k++) {
    int64_t size = ma_dtypes[j->program->held[k]].itemsize;
    if (stage->held[k] != MA_NOWHERE)
      to[n++] = (ma_row_target){ stage->held[k], false, w->held[k], j->held_across * size, j->held_along * size };
  }
  if (stage->result != MA_NOWHERE)
    to[n++] = (ma_row_target){ stage->result, true, w->data[j->nfold], j->space->stride[j->nfold][j->nkept - 1],
                               j->space->stride[j->nfold][j->nkept] };
  return n;
}

bool ma_row_redirect(ma_row_worker *w, int t, const ma_row_target *target, char *to, int64_t step, int n) {
  const ma_plan *plan = &w->j->body[t];
  const ma_program *p = plan->program;
  ma_dtype dtype = ma_program_dtype(p, p->output[target->output]);
  int reg = plan->output[target->output], size = ma_dtypes[dtype].itemsize;
  if (reg < MA_REG_CODE || ma_cpu_store(dtype) != NULL) return false;
  for (int i = 0; i < p->noutput; i++)
    if (i != target->output && plan->output[i] == reg) return false;
  bool fits = step == size && (n % MA_LANE == 0 || !target->result) &&
              ((uintptr_t)to & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
  w->body[t].where[reg] = fits ? to : w->body[t].arena + plan->place[reg];
  return fits;
}

/* ==== A stage of some rows ======================================================================================= */

/* Computes what does not change along each of n rows. */
static void run_head(ma_row_worker *w, int t, int n) {
  const void *data[MA_MAX_INPUTS], *out[MA_MAX_OUTPUTS];
  int64_t across[MA_MAX_INPUTS], along[MA_MAX_INPUTS];
  if (!w->j->program) return;
  const ma_program *program = &w->j->program->stage[t].head.program;
  if (!program->noutput) return;
  ma_row_aim(w, t, false, data, across, along);
  ma_block_row(&w->head[t], data, across, n, out);
  for (int k = 0; k < program->noutput; k++) {
    ma_dtype dtype = ma_program_dtype(program, program->output[k]);
    ma_block_store(w->value[k], ma_dtypes[dtype].itemsize, out[k], dtype, n);
  }
}

/* Writes the results of n neighbouring rows from their partial results, which are overwritten. */
static void put(ma_row_worker *w, int k, char *partial, int n) {
  const ma_row_job *j = w->j;
  const ma_monoid *monoid = j->fold[k].monoid;
  const ma_finish *finish = &j->fold[k].finish;
  _Alignas(MA_ALIGN) char out[MA_BLOCK * sizeof(ma_c128)];
  int64_t step = j->space->stride[k][j->nkept - 1];
  for (int i = 0; i < n && j->has_initial; i++) {
    char *at = partial + (size_t)i * monoid->partial;
    monoid->merge(at, j->initial, at, 1);
  }
  for (int i = 0; i < n && finish->result == MA_NDTYPE; i++) /* for the slot reduce.merge */
    memcpy(w->data[k] + i * step, partial + (size_t)i * monoid->partial, monoid->partial);
  if (finish->result == MA_NDTYPE) return;
  monoid->finish(out, partial, n, finish);
  ma_block_store(w->data[k], step, out, finish->result, n);
  if (w->fold[k]) ma_block_store(w->fold[k], ma_dtypes[finish->result].itemsize, out, finish->result, n);
}

/* Moves the inputs' addresses to the start of segment k of a row; returns its number of elements. */
static int64_t place_segment(ma_row_worker *w, int64_t k) {
  const ma_row_job *j = w->j;
  int64_t n = j->count, first = j->starts[k] - 1, stop = k + 1 < j->run ? j->starts[k + 1] - 1 : n;
  if (first < 0) first = 0;
  if (first >= n) first = n - 1;
  if (stop > n) stop = n;
  for (int o = 1; o < j->space->noperand; o++) w->data[o] += first * j->space->stride[o][j->nkept];
  return stop > first ? stop - first : 1;
}

/* Segments first .. first+n-1 of a row, whose elements they share. */
static void reduce_segments(ma_row_worker *w, int64_t first, int n) {
  char *data[MA_MAX_OPERANDS];
  memcpy(data, w->data, sizeof data);
  for (int i = 0; i < n; i++) {
    char *to = w->total[0] + (size_t)i * w->j->fold[0].monoid->partial;
    int64_t count = place_segment(w, first + i);
    ma_row_along(w, 0, 1, 0, count, &to);
    memcpy(w->data, data, sizeof data);
  }
}

static int64_t span_end(const ma_row_job *j, int64_t s) {
  return (s + 1) * j->span < j->count ? (s + 1) * j->span : j->count;
}

/* Reduces all of n neighbouring rows, of which the first has number `at` on its axis. If there are several spans, it is
** one row. */
static void run_whole(ma_row_worker *w, int64_t at, int n) {
  const ma_row_job *j = w->j;
  char *to[MA_MAX_FOLDS];
  w->follows = false;
  for (int t = 0; t < j->nstage; t++) {
    run_head(w, t, n);
    for (int64_t s = 0; s < j->nspan && !j->starts; s++) {
      for (int k = 0; k < j->nfold; k++) to[k] = w->total[k] + s * j->fold[k].monoid->partial;
      (j->down ? ma_row_down : ma_row_along)(w, t, n, s * j->span, span_end(j, s), to);
    }
    if (j->starts) reduce_segments(w, at, n);
    for (int k = 0; k < j->nfold; k++) {
      if (j->fold[k].stage != t) continue;
      char *total = j->down ? to[k] : w->total[k];
      if (j->nspan > 1) total = (void *)j->fold[k].monoid->tree(total, w->room, (int)j->nspan);
      put(w, k, total, n);
    }
  }
}

/* Reduces span s of n neighbouring rows, of which the first has number `row`. If an earlier span decided the result,
** this one gives a partial result that changes nothing. */
static void run_part(ma_row_worker *w, int64_t row, int n, int64_t s, bool follows) {
  const ma_row_job *j = w->j;
  char *to[MA_MAX_FOLDS];
  for (int k = 0; k < j->nfold; k++)
    to[k] = n > 1 ? w->total[k] : j->partial[k] + (size_t)(row * j->nspan + s) * j->fold[k].monoid->partial;
  w->follows = follows && n == 1;
  run_head(w, 0, n);
  if (j->settled && __atomic_load_n(j->settled, __ATOMIC_RELAXED) < s) {
    uint8_t other = !j->settles;
    j->fold[0].monoid->total(to[0], &other, NULL, 1, 0, NULL);
  } else {
    (j->down ? ma_row_down : ma_row_along)(w, 0, n, s * j->span, span_end(j, s), to);
    if (j->settled && *(uint8_t *)to[0] == j->settles && s < __atomic_load_n(j->settled, __ATOMIC_RELAXED))
      __atomic_store_n(j->settled, s, __ATOMIC_RELAXED);
  }
  for (int k = 0; k < j->nfold; k++) {
    const ma_monoid *monoid = j->fold[k].monoid;
    size_t size = monoid->partial;
    if (monoid->follow && w->follows) monoid->merge(w->sofar[k], w->sofar[k], to[k], 1);
    else if (monoid->follow) memcpy(w->sofar[k], to[k], size);
    for (int i = 0; i < n; i++) {
      char *at = j->partial[k] + (size_t)((row + i) * j->nspan + s) * size;
      if (at != to[k]) memcpy(at, to[k] + (size_t)i * size, size);
    }
  }
}

/* ==== Units ====================================================================================================== */

static int64_t groups(const ma_row_job *j) { return (j->run + j->batch - 1) / j->batch; }

/* The neighbouring rows of unit u. The units of the same columns follow one another along the axis along which inputs
** repeat. *again: the unit before has these columns too. */
static int64_t row_of_unit(const ma_row_job *j, int64_t u, int64_t *at, bool *again) {
  const int64_t *shape = j->space->shape, ngroup = groups(j);
  int64_t place = 0, inner = 1;
  if (j->packed) {
    for (int d = j->repeats + 1; d < j->nkept - 1; d++) inner *= shape[d];
    place = u % shape[j->repeats];
    u /= shape[j->repeats];
  }
  *again = place > 0;
  *at = u % ngroup * j->batch;
  u /= ngroup;
  if (j->packed) u = (u / inner * shape[j->repeats] + place) * inner + u % inner;
  return u * j->run + *at;
}

/* Packs the inputs that repeat, of n columns. */
static void pack_columns(ma_row_worker *w, int n) {
  const ma_row_job *j = w->j;
  w->npacked = n;
  for (int k = 0; j->packed >> k; k++) {
    const int64_t *stride = j->space->stride[j->first + k];
    if (j->packed >> k & 1)
      ma_gather_tile(w->packed[k], w->data[j->first + k], stride[j->nkept], stride[j->nkept - 1], (int)j->count, n,
                     ma_dtypes[j->body[0].program->input_dtype[k]].itemsize);
  }
}

static ma_status run_units(void *context, int64_t first, int64_t last) {
  const ma_row_job *j = context;
  const int64_t nspan = j->spreads ? j->nspan : 1;
  ma_row_worker w;
  MA_TRY(ma_row_open(&w, j, !j->in_place));
  for (int64_t u = first; u < last; u++) {
    bool again;
    int64_t s = u % nspan, at, row = row_of_unit(j, u / nspan, &at, &again);
    int n = (int)(j->run - at < j->batch ? j->run - at : j->batch);
    ma_row_place(&w, row);
    if (j->packed && (u == first || !again)) pack_columns(&w, n);
    if (j->scans) ma_row_scan(&w, n);
    else if (j->spreads) run_part(&w, row, n, s, s > 0 && u > first);
    else run_whole(&w, at, n);
  }
  if (j->streamed) ma_stream_end();
  ma_row_close(&w);
  return MA_OK;
}

static ma_status merge_spans(void *context, int64_t first, int64_t last) {
  const ma_row_job *j = context;
  ma_row_worker w;
  MA_TRY(ma_row_open(&w, j, false));
  for (int64_t row = first; row < last; row++) {
    ma_row_place(&w, row);
    for (int k = 0; k < j->nfold; k++) {
      char *partial = j->partial[k] + (size_t)(row * j->nspan) * j->fold[k].monoid->partial;
      put(&w, k, (void *)j->fold[k].monoid->tree(partial, w.room, (int)j->nspan), 1);
    }
  }
  ma_row_close(&w);
  return MA_OK;
}

static ma_status run_spans(ma_row_job *j, int64_t n, int64_t grain) {
  if (j->settled) { /* the first span alone is often enough */
    MA_TRY(run_units(j, 0, 1));
    if (*j->settled == 0) j->nspan = 1;
  }
  if (j->nspan > 1) MA_TRY(ma_cpu_parallel(n, grain, run_units, j));
  return ma_cpu_parallel(j->nrow, TUNE_THREAD_ELEMENTS / j->nspan + 1, merge_spans, j);
}

ma_status ma_row_job_run(ma_row_job *j) {
  ma_status status = MA_OK;
  int64_t n = j->nrow / j->run * groups(j), length = j->spreads ? j->span : j->count; /* of a row's part in a unit */
  if (j->starts) length = j->count / j->run + 8;
  int64_t grain = TUNE_THREAD_ELEMENTS / (j->batch * length) + 1;
  if (!j->spreads) return ma_cpu_parallel(n, grain, run_units, j);
  for (int k = 0; k < j->nfold; k++) j->partial[k] = NULL;
  for (int k = 0; k < j->nfold && status == MA_OK; k++) {
    size_t size = (size_t)(j->nrow * j->nspan) * j->fold[k].monoid->partial;
    j->partial[k] = malloc(size);
    if (!j->partial[k]) status = ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for partial results", size);
  }
  if (status == MA_OK) status = run_spans(j, n * j->nspan, grain);
  for (int k = 0; k < j->nfold; k++) free(j->partial[k]);
  return status;
}
