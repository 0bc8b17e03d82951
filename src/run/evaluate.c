/* evaluate.c: computes the results of pending programs, one by one or together. Files below call it by
** ma_pending_settle, as memory does by its hooks. */
#include "run/run.h"
#include "program/operands.h"
#include "run/pending.h"
#include "run/step.h"
#include "tuning.h"

#include <pthread.h>
#include <string.h>

static bool traced(void) {
  static int known; /* 0: not read yet */
  if (__builtin_expect(__atomic_load_n(&known, __ATOMIC_RELAXED) == 0, 0))
    __atomic_store_n(&known, ma_config_traces("fuse") ? 1 : -1, __ATOMIC_RELAXED);
  return __atomic_load_n(&known, __ATOMIC_RELAXED) > 0;
}

/* The stream on which a pending program runs. The null stream replaces one that takes no more work, or that would
** record it. */
static ma_stream *stream_for(const ma_pending *p) {
  return p->stream->ended || p->stream->capture ? ma_device_null_stream(p->stream->device) : p->stream;
}

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static ma_status run(ma_pending *p, ma_buffer *block, ma_stream *stream) {
  ma_program program;
  ma_array term[MA_MAX_INPUTS], made, *result = &made;
  const ma_array *input[MA_MAX_INPUTS];
  bool ran;
  if (p->folds || p->reads_folds) {
    MA_TRY(ma_row_program_evaluate(p, block, stream, &ran));
    if (ran) return MA_OK;
    if (p->folds) return p->fold.run(p, block, stream);
  }
  ma_program_clear(&program);
  ma_bound_program(&p->bound, &program);
  ma_program_output(&program, p->output);
  ma_pending_describe(&made, block, (ma_dtype)p->dtype, p, 0, p->stride);
  ma_pending_arrays(p, term, input);
  bool flat = p->packed || (ma_operand_is_packed(&made, made.ndim, p->shape) &&
                            ma_operands_packed(program.ninput, input, made.ndim, p->shape));
  return ma_program_run_settled(&program, input, p->bound.scalar, &result, made.ndim, p->shape, flat, stream, true);
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
    status = ma_program_run_settled(&j->program, input, j->scalar, result, j->bound.ndim, j->shape, flat,
                                    stream_for(j->taken[0]), true);
  }
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

ma_status ma_pending_evaluate(ma_buffer *buffer, const char *why) {
  ma_buffer *like[MA_MAX_GROUP];
  int n = buffer->pending && buffer->pending->kept ? updates_like(buffer->pending, like) : 1;
  return n > 1 ? ma_pending_evaluate_all(n, like, why) : evaluate_one(buffer, why);
}

ma_status ma_pending_evaluate_all(int n, ma_buffer *const *buffer, const char *why) {
  ma_joined joined;
  for (; n > 0; n--, buffer++) {
    if (!buffer[0]->pending) continue;
    joined.ntaken = 0;
    if (n > 1 && !buffer[0]->pending->folds && !buffer[0]->pending->reads_folds) ma_joined_group(&joined, n, buffer);
    MA_TRY(joined.ntaken > 1 ? evaluate_group(&joined, why) : evaluate_one(buffer[0], why));
  }
  return MA_OK;
}

static ma_status flush_ring(ma_link *ring, const char *why) {
  while (ring->next != ring) {
    ma_buffer *buffer[MA_MAX_GROUP];
    int n = 0;
    for (ma_link *link = ring->next; link != ring && n < MA_MAX_GROUP; link = link->next)
      ma_buffer_retain(buffer[n++] = ((ma_pending *)link)->buffer);
    ma_status status = ma_pending_evaluate_all(n, buffer, why);
    while (n > 0) ma_buffer_release(buffer[--n]); /* one may have held another one */
    MA_TRY(status);
  }
  return MA_OK;
}

ma_status ma_pending_flush(const char *why, bool all) {
  ma_deferral *d = ma_deferral_current;
  if (!d) return MA_OK;
  MA_TRY(flush_ring(&d->open, why));
  return all ? flush_ring(&d->absorbed, why) : MA_OK;
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
