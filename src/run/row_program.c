/*
** row_program.c: runs pending reductions together. An elementwise program that reads results of reductions along the
** same axes runs with them as one row program, as in softmax. On a GPU so does one that gives a number for each row, as
** in log(sum(exp(x))). Reductions of the same operands run in one pass. Where the backend has no such run, the
** reductions run one by one, with the same bits.
*/
#include "program/arrange.h"
#include "program/stages.h"
#include "run/run.h"
#include "run/pending.h"
#include "tuning.h"

#include <string.h>

typedef struct gathering {
  ma_pending *root;
  bool ends;              /* the root gives a number for each row */
  ma_bound last;          /* the root's program over the operands of the reductions */
  int ndim;               /* of these operands */
  const int64_t *shape;   /* the same */
  const ma_pending *like; /* the first reduction; all have its axes */
  int nfold;
  ma_pending *fold[MA_MAX_FOLDS]; /* each behind those that it reads */
  ma_pending *foreign;            /* a reduction that has to run before; NULL: none */
  ma_bound bound;                 /* all of them and the root */
  ma_program program;
  ma_reading reading[MA_MAX_INPUTS]; /* hold no references */
  int64_t step[MA_MAX_INPUTS * MA_MAX_NDIM], last_step[MA_MAX_INPUTS * MA_MAX_NDIM], result_step[MA_MAX_NDIM];
  ma_value scalar[MA_MAX_SCALARS];
  uint8_t value[MA_MAX_FOLDS];
  int output;
} gathering;

bool ma_pending_waits(const ma_pending *p) {
  for (int k = 0; p->reads_folds && k < p->bound.ninput; k++)
    if (p->bound.reading[k].buffer->pending) return true;
  return false;
}

/* ==== Which reductions =========================================================================================== */

static bool is_alike(const gathering *g, const ma_pending *p) {
  return p->stream == g->root->stream && p->bound.ndim == g->ndim &&
         !memcmp(p->shape, g->shape, (size_t)g->ndim * sizeof *p->shape);
}

/* The steps of a fold's result over the operands' shape. The result is packed. */
static void result_steps(const ma_pending *fold, int64_t *step) {
  int64_t next = ma_dtypes[fold->dtype].itemsize;
  for (int d = fold->bound.ndim - 1; d >= 0; d--) {
    bool reduced = fold->fold.axes >> d & 1;
    step[d] = reduced ? 0 : next;
    if (!reduced) next *= fold->shape[d];
  }
}

/* Whether input k of a program over the reduction's operands is its whole result, broadcast back along its axes. */
static bool is_broadcast_back(const ma_bound *p, int k, const ma_pending *fold) {
  int64_t wanted[MA_MAX_NDIM];
  const int64_t *step = p->step + k * p->ndim;
  result_steps(fold, wanted);
  if (p->reading[k].offset != 0 || p->input_dtype[k] != fold->dtype) return false;
  for (int d = 0; d < p->ndim; d++)
    if (fold->shape[d] != 1 && step[d] != wanted[d]) return false;
  return true;
}

static bool has(const gathering *g, const ma_pending *fold) {
  for (int k = 0; k < g->nfold; k++)
    if (g->fold[k] == fold) return true;
  return false;
}

static bool add(gathering *g, ma_pending *fold) {
  if (!g->like) g->like = fold;
  if (g->nfold == MA_MAX_FOLDS || fold->fold.axes != g->like->fold.axes || !is_alike(g, fold)) return false;
  g->fold[g->nfold++] = fold;
  return true;
}

/* A reduction that the program reads and that has not run; one that waits for others if there is such, since these run
** with it. NULL: none. */
static ma_pending *first_to_run(const ma_bound *p) {
  ma_pending *found = NULL;
  for (int k = 0; k < p->ninput; k++) {
    ma_pending *fold = p->reading[k].buffer->pending;
    if (fold && (!found || (!ma_pending_waits(found) && ma_pending_waits(fold)))) found = fold;
  }
  return found;
}

/* Whether reduction k that the program reads can be a part of the row program. */
static bool belongs(const gathering *g, const ma_bound *p, int k) {
  const ma_pending *fold = p->reading[k].buffer->pending;
  return is_alike(g, fold) && is_broadcast_back(p, k, fold);
}

/* Adds the reductions that p reads, and before them those that these read. Returns false if g->foreign has to run
** first. */
static bool collect(gathering *g, const ma_bound *p) {
  for (int k = 0; k < p->ninput; k++) {
    ma_pending *fold = p->reading[k].buffer->pending;
    if (!fold) continue;
    if (belongs(g, p, k)) {
      if (has(g, fold)) continue;
      if (!collect(g, &fold->bound)) return false;
      if (add(g, fold)) continue;
    }
    g->foreign = fold;
    for (int i = k + 1; i < p->ninput && !ma_pending_waits(g->foreign); i++)
      if (p->reading[i].buffer->pending && !belongs(g, p, i)) g->foreign = p->reading[i].buffer->pending;
    return false;
  }
  return true;
}

/* Finds for each axis of the reduction's operands the axis of p that it becomes. -1: it is reduced, or has extent 1. */
static bool match_axes(const ma_pending *p, const ma_pending *fold, int *axis) {
  int e = 0, ndim = p->bound.ndim;
  for (int d = 0; d < fold->bound.ndim; d++) {
    axis[d] = -1;
    if (fold->fold.axes >> d & 1 || fold->shape[d] == 1) continue;
    while (e < ndim && p->shape[e] == 1) e++;
    if (e == ndim || p->shape[e] != fold->shape[d]) return false;
    axis[d] = e++;
  }
  while (e < ndim && p->shape[e] == 1) e++;
  return e == ndim;
}

static void steps_over(const int *axis, int ndim, const int64_t *from, int64_t *to) {
  for (int d = 0; d < ndim; d++) to[d] = axis[d] < 0 ? 0 : from[axis[d]];
}

/* Sets the space of the row program: that of the root or, if it has an element for each row of the reductions that it
** reads, that of their operands. */
static void set_space(gathering *g, ma_pending *p) {
  const ma_pending *fold = p->folds || ma_is_host(p->stream->device) ? NULL : first_to_run(&p->bound);
  int axis[MA_MAX_NDIM];
  g->root = p;
  g->ndim = p->bound.ndim;
  g->shape = p->shape;
  g->last = p->bound;
  g->ends = fold && fold->folds && !is_alike(g, fold) && match_axes(p, fold, axis);
  if (!g->ends) return;
  g->ndim = fold->bound.ndim;
  g->shape = fold->shape;
  g->last.ndim = (uint8_t)g->ndim;
  g->last.step = g->last_step;
  for (int k = 0; k < p->bound.ninput; k++)
    steps_over(axis, g->ndim, p->bound.step + k * p->bound.ndim, g->last_step + k * g->ndim);
  steps_over(axis, g->ndim, p->stride, g->result_step);
}

/* ==== One program ================================================================================================ */

static bool begin(gathering *g) {
  uint8_t reg[MA_MAX_REGS];
  ma_program_clear(&g->program);
  g->bound = (ma_bound){ .ndim = (uint8_t)g->ndim,
                         .merges = g->root->bound.merges,
                         .reading = g->reading,
                         .step = g->step,
                         .scalar = g->scalar,
                         .code = g->program.code };
  for (int k = 0; k < g->nfold; k++) {
    if (!ma_splice(&g->bound, &g->fold[k]->bound, reg, true)) return false;
    g->value[k] = reg[g->fold[k]->output];
  }
  g->output = -1;
  if (g->root->folds) return true;
  if (!ma_splice(&g->bound, &g->last, reg, true)) return false;
  g->output = reg[g->root->output];
  return true;
}

/* The bytes of an operand, of which elements that repeat count once. */
static int64_t bytes_of(const gathering *g, const ma_bound *bound, int k) {
  int64_t n = ma_dtypes[bound->input_dtype[k]].itemsize;
  for (int d = 0; d < g->ndim; d++) n *= bound->step[k * g->ndim + d] ? g->shape[d] : 1;
  return n;
}

static int largest(const gathering *g) {
  int most = 0;
  for (int k = 1; k < g->bound.ninput; k++)
    if (bytes_of(g, &g->bound, k) > bytes_of(g, &g->bound, most)) most = k;
  return most;
}

/* Whether the reduction reads what the others read already, and else little beside these `most` bytes, as where an
** array of all pairs is multiplied by one number for each row. */
static bool shares_most(gathering *g, const ma_pending *fold, int64_t most) {
  for (int k = 0; k < fold->bound.ninput; k++)
    if (ma_bound_input(&g->bound, fold->bound.reading[k].buffer, fold->bound.reading[k].offset,
                       fold->bound.input_dtype[k], fold->bound.step + k * fold->bound.ndim, false) < 0 &&
        bytes_of(g, &fold->bound, k) > most / TUNE_ROWS_BESIDE)
      return false;
  return true;
}

/* Whether the reduction waits for one that does not run before the root. */
static bool waits_for_others(const gathering *g, const ma_pending *p) {
  for (int k = 0; p->reads_folds && k < p->bound.ninput; k++) {
    ma_pending *fold = p->bound.reading[k].buffer->pending;
    if (fold && (fold == g->root || !has(g, fold) || !is_broadcast_back(&p->bound, k, fold))) return true;
  }
  return false;
}

static bool is_sibling(gathering *g, const ma_pending *p, int64_t most) {
  return p->folds && !has(g, p) && is_alike(g, p) && p->fold.axes == g->like->fold.axes && !waits_for_others(g, p) &&
         shares_most(g, p, most);
}

/* Adds reductions of the same operands, which are certainly or probably wanted too. */
static void add_siblings(gathering *g) {
  int seen = 0, of = largest(g);
  if (g->bound.ninput == 0) return;
  int64_t most = bytes_of(g, &g->bound, of);
  for (ma_reading *r = g->reading[of].buffer->readers; r && seen < TUNE_ROWS_LOOK; r = r->next, seen++) {
    ma_bound before = g->bound;
    uint8_t reg[MA_MAX_REGS];
    if (g->nfold == MA_MAX_FOLDS) return;
    if (!is_sibling(g, r->pending, most)) continue;
    if (ma_splice(&g->bound, &r->pending->bound, reg, true)) {
      g->value[g->nfold] = reg[r->pending->output];
      g->fold[g->nfold++] = r->pending;
    } else {
      g->bound = before;
    }
  }
}

/* ==== The run ==================================================================================================== */

static bool make_stages(const gathering *g, ma_row_program *program) {
  ma_unstaged all = { .program = &g->program, .nfold = g->nfold, .output = g->output, .ends = g->ends };
  for (int k = 0; k < g->bound.ninput; k++) {
    const int64_t *step = g->step + k * g->bound.ndim;
    all.fold[k] = -1;
    for (int f = 0; f < g->nfold; f++)
      if (g->reading[k].buffer->pending == g->fold[f]) all.fold[k] = f;
    all.flat[k] = true;
    for (int d = 0; d < g->bound.ndim; d++)
      if (g->like->fold.axes >> d & 1 && g->shape[d] > 1 && step[d]) all.flat[k] = false;
  }
  memcpy(all.value, g->value, sizeof all.value);
  for (int k = 0; k < g->nfold; k++) {
    const ma_pending *p = g->fold[k];
    program->fold[k] = (ma_row_fold){ .op = p->fold.op,
                                      .value = (uint8_t)ma_program_dtype(&g->program, g->value[k]),
                                      .result = p->dtype,
                                      .param = p->fold.param };
  }
  return ma_stages_make(&all, program);
}

/* Fills the space and the addresses. block[k] receives reduction k, the last one the result. */
static ma_status place(const gathering *g, ma_row_program *program, ma_buffer *const *block, ma_stream *stream,
                       bool *fits) {
  ma_reduction arranged;
  ma_space all;
  size_t extents = g->bound.ndim * sizeof(int64_t);
  int n = 0;
  all.ndim = g->bound.ndim;
  memcpy(all.shape, g->shape, extents);
  for (int k = 0; k < g->nfold; k++, n++) {
    result_steps(g->fold[k], all.stride[n]);
    MA_TRY(ma_buffer_use(block[k], stream, true));
    arranged.data[n] = block[k]->ptr;
  }
  if (program->writes) {
    memcpy(all.stride[n], g->ends ? g->result_step : g->root->stride, extents);
    MA_TRY(ma_buffer_use(block[g->nfold], stream, true));
    arranged.data[n++] = block[g->nfold]->ptr;
  }
  int nresult = n;
  for (int k = 0; k < g->bound.ninput; k++) {
    ma_buffer *buffer = g->reading[k].buffer;
    if (buffer->pending) continue;
    memcpy(all.stride[n], g->step + k * g->bound.ndim, extents);
    MA_TRY(ma_buffer_use(buffer, stream, false));
    arranged.data[n++] = (char *)buffer->ptr + g->reading[k].offset;
  }
  all.noperand = n;
  ma_reduce_arrange(&arranged, &all, nresult, g->like->fold.axes);
  *fits = arranged.space.ndim == arranged.nkept + 1;
  program->nkept = arranged.nkept;
  program->count = arranged.space.shape[arranged.nkept];
  ma_space_copy(&program->space, &arranged.space);
  memcpy(program->data, arranged.data, (size_t)n * sizeof *arranged.data);
  memcpy(program->scalar, g->scalar, g->bound.nscalar * sizeof *g->scalar);
  return MA_OK;
}

/* Whether only the programs that run here hold the reduction. A log-sum-exp's parts are such. */
static bool is_unread(const gathering *g, const ma_pending *fold) {
  const ma_buffer *buffer = fold->buffer;
  if (fold == g->root || buffer->recorded || __atomic_load_n(&buffer->refs, __ATOMIC_RELAXED) != buffer->nreaders)
    return false;
  for (const ma_reading *r = buffer->readers; r; r = r->next)
    if (r->pending != g->root && !has(g, r->pending)) return false;
  return true;
}

/* Gives the reductions their values. A reduction may hold the last reference to another one. */
static void fill(gathering *g, ma_buffer *const *block) {
  for (int k = 0; k < g->nfold; k++) ma_buffer_retain(g->fold[k]->buffer);
  ma_buffer *buffer[MA_MAX_FOLDS];
  for (int k = 0; k < g->nfold; k++) {
    buffer[k] = g->fold[k]->buffer;
    if (g->fold[k] != g->root) ma_pending_fill(g->fold[k], block[k]);
  }
  for (int k = 0; k < g->nfold; k++) ma_buffer_release(buffer[k]);
}

static ma_status run(gathering *g, ma_row_program *program, ma_buffer *own, ma_stream *stream, bool *ran) {
  ma_buffer *block[MA_MAX_FOLDS + 1] = { NULL };
  ma_status status = MA_OK;
  bool fits = false;
  for (int k = 0; k < g->nfold && status == MA_OK; k++) {
    if (g->fold[k] == g->root) block[k] = own;
    else status = ma_buffer_new(stream->device, g->fold[k]->buffer->nbytes, &block[k]);
  }
  block[g->nfold] = own;
  program->unread = 0;
  for (int k = 0; k < g->nfold; k++) program->unread |= (uint8_t)(is_unread(g, g->fold[k]) << k);
  if (status == MA_OK) status = place(g, program, block, stream, &fits);
  if (status == MA_OK && fits) status = stream->device->backend->reduce.row_program(stream, program, ran);
  if (__builtin_expect(status == MA_ERR_LACK, 0)) {
    ma_lack_forget();
    status = MA_OK; /* separate runs do it: *ran is false */
    *ran = false;
  }
  if (status == MA_OK && *ran) {
    fill(g, block);
    MA_FIGURE(fused, 1);
    return MA_OK;
  }
  for (int k = 0; k < g->nfold; k++)
    if (block[k] && block[k] != own) ma_buffer_release(block[k]);
  return status;
}

/* Runs reductions that the program still waits for, each by itself or with its own company. */
static ma_status settle(ma_pending *p) {
  for (ma_pending *fold; p->reads_folds && (fold = first_to_run(&p->bound));)
    MA_TRY(ma_pending_settle(fold->buffer, "a reduction by itself"));
  return MA_OK;
}

/* One attempt. *waits says afterwards whether the reductions that the program waited for ran by themselves. */
static ma_status evaluate(ma_pending *p, ma_buffer *block, ma_stream *stream, bool *ran, bool *waits) {
  gathering g;
  ma_row_program program;
  *waits = false;
  while (set_space(&g, p), g.nfold = 0, g.like = NULL, g.foreign = NULL, !collect(&g, &g.last))
    MA_TRY(ma_pending_settle(g.foreign->buffer, "a reduction along other axes"));
  if (p->folds && !add(&g, p)) return settle(p);
  if (g.nfold > 0 && begin(&g)) {
    if (p->folds || g.ends) add_siblings(&g);
    if (p->folds && g.nfold == 1) return MA_OK;
    ma_bound_program(&g.bound, &g.program);
    if (make_stages(&g, &program)) MA_TRY(run(&g, &program, block, stream, ran));
  }
  if (*ran) return MA_OK;
  *waits = ma_pending_waits(p);
  return settle(p);
}

ma_status ma_row_program_evaluate(ma_pending *p, ma_buffer *block, ma_stream *stream, bool *ran) {
  bool waits;
  *ran = false;
  if (ma_config_int(MA_CONFIG_VALIDATE) && !ma_is_host(stream->device)) return settle(p);
  MA_TRY(evaluate(p, block, stream, ran, &waits));
  /* A reduction that no longer waits may run with others of the same operands. */
  return !*ran && waits && p->folds ? evaluate(p, block, stream, ran, &waits) : MA_OK;
}
