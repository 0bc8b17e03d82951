/*
** inline.c: joins several programs into one: the value of a pending operand is computed where it is read and never
** stored. A value that two operands compute is computed once. A view of a pending result is taken in too if each of its
** axes steps along one axis of that result.
*/
#include "run/run.h"
#include "program/operands.h"
#include "run/pending.h"
#include "tuning.h"

/* ==== Views of pending results ==================================================================================== */

/* How a view walks over a pending result: its start, and for each axis of the view the axis of the collapsed space
** along which it steps. */
typedef struct walk {
  ma_space space; /* operand 0: the pending result; then its inputs */
  int64_t begin[MA_MAX_NDIM];
  int along[MA_MAX_NDIM]; /* -1: the axis has extent 1 */
  int64_t by[MA_MAX_NDIM];
} walk;

static bool is_whole(const ma_pending *p, const ma_array *view, int ndim) {
  size_t extents = p->bound.ndim * sizeof(int64_t);
  return view->dtype == p->dtype && view->offset == 0 && view->ndim == p->bound.ndim && ndim == p->bound.ndim &&
         !memcmp(view->shape, p->shape, extents) && !memcmp(view->stride, p->stride, extents);
}

/* Whether memory and launches count more than operations, as on a GPU; a spec wants it on the CPU too. */
static bool is_far(const ma_pending *p) {
  return !ma_is_host(p->stream->device) || __atomic_load_n(&ma_defer_from, __ATOMIC_RELAXED) <= 1;
}

/* The elements of a complex result whose real or imaginary parts the view has, made in `room`, and the operation that
** gives the part. Of another view *part is MA_NOP, and it is the view itself. So it is on the CPU, where who uses one
** part mostly uses the other too. */
static const ma_array *elements_of(const ma_pending *p, const ma_array *view, ma_array *room, ma_opcode *part) {
  int64_t item = ma_dtypes[p->dtype].itemsize, within = view->offset % item;
  *part = MA_NOP;
  if (view->dtype == p->dtype || view->dtype != ma_dtype_real((ma_dtype)p->dtype)) return view;
  if ((within != 0 && within != item / 2) || !is_far(p)) return view;
  *room = *view;
  room->dtype = p->dtype;
  room->offset -= within;
  *part = within ? MA_DO_imaginary_part : MA_DO_real_part;
  return room;
}

static void collapse(const ma_pending *p, ma_space *space) {
  size_t extents = p->bound.ndim * sizeof(int64_t);
  int64_t flip[MA_MAX_OPERANDS];
  space->ndim = p->bound.ndim;
  space->noperand = 1 + p->bound.ninput;
  memcpy(space->shape, p->shape, extents);
  memcpy(space->stride[0], p->stride, extents);
  for (int k = 0; k < p->bound.ninput; k++) memcpy(space->stride[1 + k], p->bound.step + k * p->bound.ndim, extents);
  ma_space_collapse(space, true, flip); /* flips nothing: a pending result has positive steps */
}

/* Whether the program is computed for each element of a view that repeats its results, while derivatives are computed:
** a reduction's derivative is spread over what it reduced, by a division or so. */
static bool repeats_along(const ma_pending *p) {
  if (!p->deferral->repeats || p->bound.ncode > TUNE_REPEAT_SPREAD) return false;
  for (int k = 0; k < p->bound.ncode; k++)
    if (ma_op_is_call(p->bound.code[k].op, p->bound.code[k].dtype)) return false;
  return true;
}

/* Sets where the walk starts. A pending result fills its buffer, so an offset determines a position, digit by digit. */
static bool place(walk *w, int64_t offset) {
  for (int e = 0; e < w->space.ndim; e++) {
    int64_t step = w->space.stride[0][e];
    w->begin[e] = step ? offset / step : 0;
    if (step) offset %= step;
    if (w->begin[e] >= w->space.shape[e]) return false;
  }
  return offset == 0;
}

static bool follow(walk *w, const ma_array *view, bool repeats) {
  int64_t low[MA_MAX_NDIM], high[MA_MAX_NDIM];
  if (!place(w, view->offset)) return false;
  for (int e = 0; e < w->space.ndim; e++) low[e] = high[e] = w->begin[e];
  for (int d = 0; d < view->ndim; d++) {
    int64_t step = view->stride[d], size = step < 0 ? -step : step;
    int e = 0;
    w->along[d] = -1;
    if (view->shape[d] == 1 || (size == 0 && repeats)) continue;
    while (e < w->space.ndim && (w->space.stride[0][e] > size || w->space.stride[0][e] == 0)) e++;
    if (size == 0 || e == w->space.ndim || step % w->space.stride[0][e] != 0) return false;
    w->along[d] = e;
    w->by[d] = step / w->space.stride[0][e];
    *(step < 0 ? &low[e] : &high[e]) += w->by[d] * (view->shape[d] - 1);
  }
  for (int e = 0; e < w->space.ndim; e++)
    if (low[e] < 0 || high[e] >= w->space.shape[e]) return false;
  return true;
}

/* Whether the view can be computed element by element, each element once. */
static bool can_follow(const ma_pending *p, const ma_array *view, int ndim, int64_t size, walk *w) {
  ma_opcode part;
  ma_array room;
  view = elements_of(p, view, &room, &part);
  if (view->dtype != p->dtype || view->size != size) return false;
  if (is_whole(p, view, ndim)) return true;
  collapse(p, &w->space);
  return follow(w, view, repeats_along(p));
}

/* ==== Building =================================================================================================== */

static void begin(ma_joined *j, int ndim, const int64_t *shape, bool merges) {
  ma_program_clear(&j->program);
  j->bound = (ma_bound){ .ndim = (uint8_t)ndim,
                         .merges = merges || (ma_deferral_current && ma_deferral_current->repeats),
                         .reading = j->reading,
                         .step = j->step,
                         .scalar = j->scalar,
                         .code = j->program.code };
  j->ntaken = 0;
  j->size = 1;
  for (int d = 0; d < ndim; d++) j->size *= j->shape[d] = shape[d];
}

static void finish(ma_joined *j) {
  ma_bound_program(&j->bound, &j->program);
  j->movable = true;
  for (int k = 0; k < j->bound.ninput; k++) j->movable &= j->reading[k].buffer->movable;
}

/* The part of a register's complex elements; -1: there is no room. */
static int add_part(ma_joined *j, int reg, ma_opcode part, ma_dtype loop) {
  if (part == MA_NOP || reg < 0) return reg;
  ma_instr instr = ma_instr_of(part, loop);
  instr.arg[0] = (uint8_t)reg;
  return ma_bound_instr(&j->bound, instr);
}

/* Takes in a pending program in place of elements of its result. Returns the result's register, or -1 if there is no
** room. reg[] gets the new registers. */
static int add_elements(ma_joined *j, const ma_pending *p, const ma_array *view, uint8_t *reg) {
  const ma_bound *from = &p->bound;
  int ndim = j->bound.ndim, lead = ndim - view->ndim;
  walk w;
  if (view->size != j->size) return -1; /* the operand of a row program has this size only when its reduction has run */
  if (is_whole(p, view, ndim)) return ma_splice(&j->bound, from, reg, true) ? reg[p->output] : -1;
  if (!can_follow(p, view, ndim, j->size, &w)) return -1;
  for (int k = 0; k < from->ninput; k++) {
    const int64_t *by = w.space.stride[1 + k];
    int64_t offset = from->reading[k].offset, step[MA_MAX_NDIM];
    for (int e = 0; e < w.space.ndim; e++) offset += w.begin[e] * by[e];
    for (int d = 0; d < ndim; d++)
      step[d] = d < lead || w.along[d - lead] < 0 ? 0 : w.by[d - lead] * by[w.along[d - lead]];
    int r = ma_bound_input(&j->bound, from->reading[k].buffer, offset, from->input_dtype[k], step, true);
    if (r < 0) return -1;
    reg[k] = (uint8_t)r;
  }
  return ma_splice_code(&j->bound, from->nscalar, from->scalar_dtype, from->scalar, from->ncode, from->code, reg, true)
           ? reg[p->output]
           : -1;
}

static int add_pending(ma_joined *j, const ma_pending *p, const ma_array *view, uint8_t *reg) {
  ma_opcode part;
  ma_array room;
  view = elements_of(p, view, &room, &part);
  return add_part(j, add_elements(j, p, view, reg), part, (ma_dtype)p->dtype);
}

static void take(ma_joined *j, ma_pending *p) {
  for (int k = 0; k < j->ntaken; k++)
    if (j->taken[k] == p) return;
  j->taken[j->ntaken++] = p;
}

/* ==== Row programs ================================================================================================ */

/* Whether the view is all of an elementwise result, broadcast along axes of extent 1, that waits for reductions of much
** larger operands. Such a result is computed where it is read, since running it would run the reductions. So is a
** division or so that spreads a derivative. */
static bool is_of_row(const ma_pending *p, const ma_array *view, int ndim, const int64_t *shape) {
  int64_t size = 1;
  if (p->folds || p->kept || view->dtype != p->dtype) return false;
  if (p->size == 1 && repeats_along(p)) return true; /* any view of it */
  if (view->ndim > ndim || !is_whole(p, view, view->ndim)) return false;
  for (int d = 0; d < ndim; d++) size *= shape[d];
  return p->size <= size / TUNE_ROWS_SMALLER && (ma_pending_waits(p) || repeats_along(p));
}

static int add_of_row(ma_joined *j, const ma_pending *p, uint8_t *reg) {
  const ma_bound *from = &p->bound;
  int ndim = j->bound.ndim, lead = ndim - from->ndim;
  for (int k = 0; k < from->ninput; k++) {
    int64_t step[MA_MAX_NDIM] = { 0 };
    for (int d = lead; d < ndim && p->size > 1; d++)
      step[d] = p->shape[d - lead] == j->shape[d] ? from->step[k * from->ndim + d - lead] : 0;
    int r = ma_bound_input(&j->bound, from->reading[k].buffer, from->reading[k].offset, from->input_dtype[k], step,
                           true);
    if (r < 0) return -1;
    reg[k] = (uint8_t)r;
  }
  return ma_splice_code(&j->bound, from->nscalar, from->scalar_dtype, from->scalar, from->ncode, from->code, reg, true)
           ? reg[p->output]
           : -1;
}

/* Whether p's value is computed by a reduction that has not run, where q is that reduction or waits for it. */
static bool reduces(ma_pending *q, const ma_pending *p) {
  if (q->folds) return ma_pending_within(q, p) >= 0;
  for (int k = 0; q->reads_folds && k < q->bound.ninput; k++) {
    ma_pending *fold = q->bound.reading[k].buffer->pending;
    if (fold && reduces(fold, p)) return true;
  }
  return false;
}

/* Whether another operand waits for a reduction of p's values. Then one row program serves both uses of p. */
static bool is_reduced(int n, const ma_array *const *input, const ma_pending *p) {
  for (int k = 0; k < n; k++) {
    ma_pending *q = input[k]->buffer->pending;
    if (q && q != p && reduces(q, p)) return true;
  }
  return false;
}

/* ==== Operands that another operand computes ====================================================================== */

/* The operand whose program computes the value of operand k on its way, and which was taken in before; *reg is the
** register there. -1 if there is none. */
static int computed_by(int n, const ma_array *const *input, int k, int ndim, int *reg) {
  const ma_pending *p = input[k]->buffer->pending;
  if (!p || p->folds || !p->absorbed || !is_whole(p, input[k], ndim)) return -1;
  for (int i = 0; i < n; i++) {
    ma_pending *q = input[i]->buffer->pending;
    if (q && !q->folds && !q->absorbed && is_whole(q, input[i], ndim) && (*reg = ma_pending_within(q, p)) >= 0)
      return i;
  }
  return -1;
}

static int add_operand(ma_joined *j, const ma_array *array, uint8_t *own) {
  int64_t stride[MA_MAX_NDIM];
  ma_pending *p = array->buffer->pending;
  if (!p || p->folds) {
    ma_operands_strides(array, j->bound.ndim, j->shape, stride);
    return ma_bound_input(&j->bound, array->buffer, array->offset, array->dtype, stride, true);
  }
  int r = is_of_row(p, array, j->bound.ndim, j->shape) ? add_of_row(j, p, own) : add_pending(j, p, array, own);
  if (r >= 0 && !p->absorbed) take(j, p);
  return r;
}

/* Whether an operand is taken in again, or has what was: then equal numbers are one, so that it is computed once. */
static bool merges(int n, const ma_array *const *input) {
  for (int k = 0; k < n; k++) {
    const ma_pending *p = input[k]->buffer->pending;
    if (p && (p->again || p->bound.merges)) return true;
  }
  return false;
}

static bool build(ma_joined *j, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                  int ndim, const int64_t *shape, bool merges) {
  uint8_t reg[MA_MAX_REGS], own[MA_MAX_REGS];
  int within[MA_MAX_INPUTS], by[MA_MAX_INPUTS];
  begin(j, ndim, shape, merges);
  for (int k = 0; k < program->ninput; k++) by[k] = computed_by(program->ninput, input, k, ndim, &within[k]);
  for (int k = 0; k < program->ninput; k++) {
    if (by[k] >= 0) continue;
    int r = add_operand(j, input[k], own);
    if (r < 0) return false;
    reg[k] = (uint8_t)r;
    for (int i = 0; i < program->ninput; i++)
      if (by[i] == k) reg[i] = own[within[i]];
  }
  if (!ma_splice_code(&j->bound, program->nscalar, program->scalar_dtype, scalar, program->ncode, program->code, reg,
                      true))
    return false;
  finish(j);
  for (int k = 0; k < program->noutput; k++) ma_program_output(&j->program, reg[program->output[k]]);
  return true;
}

/* ==== Which operands to take in =================================================================================== */

/* Whether both views have the same elements of a pending result, or parts of them. */
static bool same_elements(const ma_pending *p, const ma_array *a, const ma_array *b) {
  size_t extents = a->ndim * sizeof(int64_t);
  ma_array one, other;
  ma_opcode part;
  a = elements_of(p, a, &one, &part);
  b = elements_of(p, b, &other, &part);
  return a->offset == b->offset && a->dtype == b->dtype && a->ndim == b->ndim && !memcmp(a->shape, b->shape, extents) &&
         !memcmp(a->stride, b->stride, extents);
}

/* Bytes of the operands; what is broadcast counts once. */
static int64_t bytes_read(const ma_pending *p) {
  int64_t nbytes = 0;
  for (int k = 0; k < p->bound.ninput; k++) {
    int64_t n = ma_dtypes[p->bound.input_dtype[k]].itemsize;
    for (int d = 0; d < p->bound.ndim; d++) n *= p->bound.step[k * p->bound.ndim + d] ? p->shape[d] : 1;
    nbytes += n;
  }
  return nbytes;
}

/*
** Whether computing it a second time is cheaper than storing and reading it. So are a few additions over a broadcast,
** as in the differences of all pairs; and a second use of an operation on two arrays, since a store takes three passes
** over memory, and the second computation reads one array more.
*/
static bool is_cheap(const ma_pending *p) {
  for (int k = 0; k < p->bound.ncode; k++)
    if (!ma_op_is_light(p->bound.code[k].op)) return false;
  return p->bound.ncode <= 3 &&
         (bytes_read(p) <= p->size * ma_dtypes[p->dtype].itemsize / 8 || (p->bound.ninput <= 2 && !p->again));
}

/* What an operation costs, in additions. A power takes a host longer than to store it and to read it. */
static int cost_of(const ma_instr *instr, bool host) {
  if (ma_ops[instr->op].flags & MA_OPF_SPECIAL) return 2 * TUNE_REPEAT_COST;
  if (ma_op_is_extreme(instr->op)) return 2;
  if (ma_op_is_light(instr->op) || !ma_op_is_call(instr->op, instr->dtype)) return 1;
  return ma_ops[instr->op].nin == 1 ? 8 : host ? TUNE_REPEAT_COST + 1 : 24;
}

bool ma_pending_costs(const ma_pending *p, int most) {
  bool host = ma_is_host(p->stream->device);
  int cost = 0;
  for (int k = 0; k < p->bound.ncode && cost <= most; k++) cost += cost_of(&p->bound.code[k], host);
  return cost > most;
}

/* Whether to compute it a second time takes longer than to store it. */
static bool is_long(const ma_pending *p) {
  /* a host's caches have what is small */
  bool near = ma_is_host(p->stream->device) && p->size * ma_dtypes[p->dtype].itemsize < TUNE_REPEAT_NEAR;
  return ma_pending_costs(p, near ? TUNE_REPEAT_FEW : TUNE_REPEAT_COST);
}

static bool draws(const ma_pending *p) {
  for (int k = 0; k < p->bound.ncode; k++)
    if (ma_op_draws(p->bound.code[k].op)) return true;
  return false;
}

#define MOST_AGAIN 3

/*
** Whether a GPU computes it again for a few more uses. Its first user has it computed in any case, so to store it for a
** second takes a kernel that reads all of it again, and a store and a load more. Most users of a value end in one
** kernel, which computes it once. But what is made of broadcast operands alone, as of all pairs, is mostly reduced, and
** then by kernels that take short programs. Drawn numbers are mostly data, of which every use is another program.
*/
static bool is_again(const ma_pending *p) {
  return is_far(p) && p->again < MOST_AGAIN && bytes_read(p) >= p->size && !draws(p) &&
         !ma_pending_costs(p, TUNE_AGAIN_COST);
}

bool ma_pending_is_reread(const ma_pending *p) {
  return (p->awaited || p->bound.ncode > TUNE_REPEAT_FEW) && is_long(p);
}

/*
** Whether the program is computed again for each of its uses, as long as derivatives are computed: most of what a
** function computes is read again by what flows back, and then the joined program computes it once. Memory is slower
** than so many operations over so few arrays. A longer program runs at its first use, so that a chain of operations is
** computed in pieces, and not from its beginning for each of them.
*/
static bool repeats(const ma_pending *p) {
  return p->deferral->repeats && !is_long(p) &&
         bytes_read(p) <= TUNE_REPEAT_READS * p->size * ma_dtypes[p->dtype].itemsize;
}

/* Whether its elements in C order lie in that order, either way, and neighbours within so many bytes. */
static bool is_in_order(const ma_array *array, int64_t near) {
  int64_t last = 0;
  for (int d = array->ndim - 1; d >= 0; d--) {
    int64_t step = ma_magnitude(array->stride[d]);
    if (array->shape[d] == 1) continue;
    if (last ? step < last : step > near) return false;
    last = step;
  }
  return true;
}

/* Whether neighbours of a draw would be made far from each other, each with words that serve several: by a view that
** jumps, or since the result lies in another order. */
static bool is_scattered(int n, const ma_array *const *input, int k, int ndim, const int64_t *shape) {
  const ma_array *model = ma_operands_model(n, input, ndim, shape);
  return !is_in_order(input[k], 4 * ma_dtypes[input[k]->dtype].itemsize) || (model && !is_in_order(model, INT64_MAX));
}

/* Why operand k must be evaluated, or NULL if it can be taken in. */
static const char *objection(int n, const ma_array *const *input, int k, int ndim, const int64_t *shape, int64_t size) {
  ma_pending *p = input[k]->buffer->pending;
  walk w;
  int reg;
  if (p->folds || is_of_row(p, input[k], ndim, shape)) return NULL;
  if (p->absorbed && p->kept) return "a second use";
  if (p->absorbed && computed_by(n, input, k, ndim, &reg) < 0 && !is_reduced(n, input, p)) {
    if (!is_cheap(p) && !is_again(p) && !repeats(p)) return "a second use";
    if (p->again < MOST_AGAIN) p->again++;
  }
  if (!p->absorbed && ma_pending_learned(p))
    return p->deferral->repeats ? "derivatives read it again" : "used twice before";
  if (draws(p) && is_scattered(n, input, k, ndim, shape)) return "a draw that is read in another order";
  for (int i = 0; i < n; i++)
    if (i != k && input[i]->buffer == input[k]->buffer && !same_elements(p, input[i], input[k]))
      return "two views of it in one operation";
  if (!can_follow(p, input[k], ndim, size, &w))
    return input[k]->size != size ? "it is broadcast" : "a view that only memory has";
  return NULL;
}

/* The pending operand with the most instructions; NULL: none is pending. */
static ma_buffer *longest(int n, const ma_array *const *input) {
  const ma_pending *found = NULL;
  for (int k = 0; k < n; k++) {
    const ma_pending *p = input[k]->buffer->pending;
    if (p && !p->folds &&
        (!found || p->bound.ncode + p->bound.ninput + p->bound.nscalar >
                     found->bound.ncode + found->bound.ninput + found->bound.nscalar))
      found = p;
  }
  return found ? found->buffer : NULL;
}

ma_status ma_joined_make(ma_joined *j, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         int ndim, const int64_t *shape) {
  int n = program->ninput;
  begin(j, ndim, shape, false);
  for (int k = 0; k < n; k++) {
    const char *why = input[k]->buffer->pending ? objection(n, input, k, ndim, shape, j->size) : NULL;
    if (why) MA_TRY(ma_pending_settle(input[k]->buffer, why));
  }
  while (!build(j, program, input, scalar, ndim, shape, merges(n, input)) &&
         (merges(n, input) || !build(j, program, input, scalar, ndim, shape, true))) {
    ma_buffer *buffer = longest(n, input);
    if (!buffer)
      return ma_fail(MA_ERR_INTERNAL, "a program of %d instructions that does not fit one of its own size",
                     program->ncode);
    MA_TRY(ma_pending_settle(buffer, "the program would be too long"));
  }
  return MA_OK;
}

static bool shares_input(const ma_joined *j, const ma_pending *p) {
  for (int k = 0; k < p->bound.ninput; k++)
    for (int i = 0; i < j->bound.ninput; i++)
      if (j->reading[i].buffer == p->bound.reading[k].buffer) return true;
  return false;
}

/* Adds an output over the same shape, of whose instructions at most so many are not there yet; changes nothing if there
** is no room, or there are more. */
static void add_output(ma_joined *j, ma_pending *p, int most) {
  ma_bound before = j->bound;
  uint8_t reg[MA_MAX_REGS];
  if (ma_splice(&j->bound, &p->bound, reg, true) && j->bound.ncode - before.ncode <= most) {
    take(j, p);
    ma_program_output(&j->program, reg[p->output]);
  } else {
    j->bound = before;
  }
}

void ma_joined_group(ma_joined *j, int n, ma_buffer *const *buffer, bool wanted) {
  const ma_pending *first = buffer[0]->pending;
  int ndim = first->bound.ndim;
  bool merges = !wanted;
  for (int k = 0; k < n; k++) merges |= buffer[k]->pending && buffer[k]->pending->bound.merges;
  begin(j, ndim, first->shape, merges);
  for (int k = 0; k < n && j->ntaken < MA_MAX_OUTPUTS; k++) {
    ma_pending *p = buffer[k]->pending;
    bool alike = p && !p->folds && !p->reads_folds && p->stream == first->stream && p->bound.ndim == ndim &&
                 !memcmp(p->shape, first->shape, (size_t)ndim * sizeof *p->shape);
    for (int i = 0; i < j->ntaken; i++) alike &= j->taken[i] != p;
    if (alike && (p == first || !wanted || (p->kept && first->kept) || shares_input(j, p)))
      add_output(j, p, p == first || wanted ? MA_MAX_CODE : p->bound.ncode / 2);
  }
  finish(j);
}

void ma_joined_arrays(const ma_joined *j, ma_array *array, const ma_array **input) {
  int ndim = j->bound.ndim;
  size_t extents = (size_t)ndim * sizeof(int64_t);
  for (int k = 0; k < j->bound.ninput; k++) {
    ma_array *a = &array[k];
    a->magic = MA_ARRAY_MAGIC;
    a->dtype = j->bound.input_dtype[k];
    a->ndim = (uint8_t)ndim;
    a->readonly = 0;
    a->size = j->size;
    a->offset = j->reading[k].offset;
    a->buffer = j->reading[k].buffer;
    memcpy(a->shape, j->shape, extents);
    memcpy(a->stride, j->step + k * ndim, extents);
    input[k] = a;
  }
}
