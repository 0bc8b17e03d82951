/*
** inline.c: one program of several: what pending operands would have stored is computed where it is read. A value that two of them
** compute alike is computed once. Views are taken in as well, where each of their axes steps along one axis of what is pending.
*/
#include "defer/defer.h"
#include "program/operands.h"
#include "defer/pending.h"

#include <string.h>

/* ==== Views of what is pending =================================================================================== */

/* How a view walks over a pending array: where it begins and, by axis of the view, which axis of the collapsed space it steps along. */
typedef struct walk {
  ma_space space;                      /* operand 0: what is pending; then its inputs */
  int64_t begin[MA_MAX_NDIM];
  int along[MA_MAX_NDIM];              /* -1: an axis of one element */
  int64_t by[MA_MAX_NDIM];
} walk;

static bool is_whole(const ma_pending *p, const ma_array *view, int ndim)
{
  size_t extents = p->ndim * sizeof(int64_t);
  return view->offset == 0 && view->ndim == p->ndim && ndim == p->ndim && !memcmp(view->shape, p->shape, extents) &&
         !memcmp(view->stride, p->stride, extents);
}

static void collapse(const ma_pending *p, ma_space *space)
{
  size_t extents = p->ndim * sizeof(int64_t);
  int64_t flip[MA_MAX_OPERANDS];
  space->ndim = p->ndim;
  space->noperand = 1 + p->ninput;
  memcpy(space->shape, p->shape, extents);
  memcpy(space->stride[0], p->stride, extents);
  for (int k = 0; k < p->ninput; k++)
    memcpy(space->stride[1 + k], p->step + k * p->ndim, extents);
  ma_space_collapse(space, true, flip);                  /* flips nothing: the steps of what is pending are positive */
}

/* What is pending fills its buffer, so that an offset is a position, digit by digit. */
static bool place(walk *w, int64_t offset)
{
  for (int e = 0; e < w->space.ndim; e++) {
    int64_t step = w->space.stride[0][e];
    w->begin[e] = step ? offset / step : 0;
    if (step)
      offset %= step;
    if (w->begin[e] >= w->space.shape[e])
      return false;
  }
  return offset == 0;
}

static bool follow(walk *w, const ma_array *view)
{
  int64_t low[MA_MAX_NDIM], high[MA_MAX_NDIM];
  if (!place(w, view->offset))
    return false;
  for (int e = 0; e < w->space.ndim; e++)
    low[e] = high[e] = w->begin[e];
  for (int d = 0; d < view->ndim; d++) {
    int64_t step = view->stride[d], size = step < 0 ? -step : step;
    int e = 0;
    w->along[d] = -1;
    if (view->shape[d] == 1)
      continue;
    while (e < w->space.ndim && (w->space.stride[0][e] > size || w->space.stride[0][e] == 0))
      e++;
    if (size == 0 || e == w->space.ndim || step % w->space.stride[0][e] != 0)
      return false;
    w->along[d] = e;
    w->by[d] = step / w->space.stride[0][e];
    *(step < 0 ? &low[e] : &high[e]) += w->by[d] * (view->shape[d] - 1);
  }
  for (int e = 0; e < w->space.ndim; e++)
    if (low[e] < 0 || high[e] >= w->space.shape[e])
      return false;
  return true;
}

/* Can the view be computed element by element, each once? */
static bool can_follow(const ma_pending *p, const ma_array *view, int ndim, int64_t size, walk *w)
{
  if (view->dtype != p->dtype || view->size != size)
    return false;
  if (is_whole(p, view, ndim))
    return true;
  collapse(p, &w->space);
  return follow(w, view);
}

/* ==== Building =================================================================================================== */

static int add_term(ma_joined *j, ma_buffer *buffer, int64_t offset, ma_dtype dtype, const int64_t *stride)
{
  ma_program *program = &j->program;
  size_t extents = (size_t)j->ndim * sizeof *stride;
  for (int k = 0; k < program->ninput; k++)
    if (j->term[k].buffer == buffer && j->term[k].offset == offset && program->input_dtype[k] == dtype &&
        !memcmp(j->term[k].stride, stride, extents))
      return k;
  if (program->ninput == MA_MAX_INPUTS)
    return -1;
  int k = program->ninput;
  j->term[k].buffer = buffer;
  j->term[k].offset = offset;
  memcpy(j->term[k].stride, stride, extents);
  j->movable &= buffer->movable;
  return ma_program_input(program, dtype);
}

/* Equal scalars share a place only where there would be none left: the text of a kernel does not depend on what they happen to be. */
static int add_scalar(ma_joined *j, ma_value value, ma_dtype dtype)
{
  ma_program *program = &j->program;
  size_t used = ma_dtypes[dtype].kind == MA_KIND_COMPLEX ? sizeof value : sizeof value.u;
  for (int k = 0; program->nscalar == MA_MAX_SCALARS && k < MA_MAX_SCALARS; k++)
    if (program->scalar_dtype[k] == dtype && !memcmp(&j->scalar[k], &value, used))
      return MA_REG_SCALAR + k;
  if (program->nscalar == MA_MAX_SCALARS)
    return -1;
  j->scalar[program->nscalar] = value;
  return ma_program_scalar(program, dtype);
}

static int add_instr(ma_program *program, const ma_instr *instr, const int8_t *reg)
{
  ma_instr renamed = *instr;
  for (int a = 0; a < ma_ops[instr->op].nin; a++)
    renamed.arg[a] = (uint8_t)reg[instr->arg[a]];
  for (int k = 0; k < program->ncode; k++)
    if (!memcmp(&program->code[k], &renamed, sizeof renamed))
      return MA_REG_CODE + k;
  if (program->ncode == MA_MAX_CODE)
    return -1;
  program->code[program->ncode] = renamed;
  return MA_REG_CODE + program->ncode++;
}

/* The scalars and instructions of a program whose inputs have their registers in `reg` already. */
static bool add_code(ma_joined *j, int nscalar, const uint8_t *scalar_dtype, const ma_value *scalar, int ncode, const ma_instr *code, int8_t *reg)
{
  for (int k = 0; k < nscalar; k++)
    if ((reg[MA_REG_SCALAR + k] = (int8_t)add_scalar(j, scalar[k], (ma_dtype)scalar_dtype[k])) < 0)
      return false;
  for (int k = 0; k < ncode; k++)
    if ((reg[MA_REG_CODE + k] = (int8_t)add_instr(&j->program, &code[k], reg)) < 0)
      return false;
  return true;
}

/* Takes in what is pending in place of a view of it; returns its register, -1: no room. reg[] is where its registers went. */
static int add_pending(ma_joined *j, ma_pending *p, const ma_array *view, int8_t *reg)
{
  walk w;
  bool whole = is_whole(p, view, j->ndim);
  if (!whole && !can_follow(p, view, j->ndim, j->size, &w))
    return -1;
  for (int k = 0; k < p->ninput; k++) {
    int64_t offset = p->reading[k].offset, stride[MA_MAX_NDIM];
    int lead = j->ndim - view->ndim;
    for (int e = 0; !whole && e < w.space.ndim; e++)
      offset += w.begin[e] * w.space.stride[1 + k][e];
    for (int d = 0; !whole && d < j->ndim; d++)
      stride[d] = d < lead || w.along[d - lead] < 0 ? 0 : w.by[d - lead] * w.space.stride[1 + k][w.along[d - lead]];
    int r = add_term(j, p->reading[k].buffer, offset, (ma_dtype)p->input_dtype[k], whole ? p->step + k * p->ndim : stride);
    if (r < 0)
      return -1;
    reg[k] = (int8_t)r;
  }
  return add_code(j, p->nscalar, p->scalar_dtype, p->scalar, p->ncode, p->code, reg) ? reg[p->output] : -1;
}

static void take(ma_joined *j, ma_pending *p)
{
  for (int k = 0; k < j->ntaken; k++)
    if (j->taken[k] == p)
      return;
  j->taken[j->ntaken++] = p;
}

/* ==== What another operand computes on its way =================================================================== */

/* The operand on whose way operand k, which was taken in before, is computed, and the register there; -1: none. */
static int computed_by(int n, const ma_array *const *input, int k, int ndim, int *reg)
{
  const ma_pending *p = input[k]->buffer->pending;
  if (!p || !p->absorbed || !is_whole(p, input[k], ndim))
    return -1;
  for (int i = 0; i < n; i++) {
    const ma_pending *q = input[i]->buffer->pending;
    if (q && !q->absorbed && is_whole(q, input[i], ndim) && (*reg = ma_pending_within(q, p)) >= 0)
      return i;
  }
  return -1;
}

static int add_operand(ma_joined *j, const ma_array *array, int8_t *own)
{
  int64_t stride[MA_MAX_NDIM];
  ma_pending *p = array->buffer->pending;
  if (!p) {
    ma_operands_strides(array, j->ndim, j->shape, stride);
    return add_term(j, array->buffer, array->offset, (ma_dtype)array->dtype, stride);
  }
  int r = add_pending(j, p, array, own);
  if (r >= 0 && !p->absorbed)
    take(j, p);
  return r;
}

static bool build(ma_joined *j, const ma_program *program, const ma_array *const *input, const ma_value *scalar)
{
  int8_t reg[MA_MAX_REGS], own[MA_MAX_REGS];
  int within[MA_MAX_INPUTS], by[MA_MAX_INPUTS];
  ma_program_clear(&j->program);
  j->ntaken = 0;
  j->movable = true;
  for (int k = 0; k < program->ninput; k++)
    by[k] = computed_by(program->ninput, input, k, j->ndim, &within[k]);
  for (int k = 0; k < program->ninput; k++) {
    if (by[k] >= 0)
      continue;
    int r = add_operand(j, input[k], own);
    if (r < 0)
      return false;
    reg[k] = (int8_t)r;
    for (int i = 0; i < program->ninput; i++)
      if (by[i] == k)
        reg[i] = own[within[i]];
  }
  if (!add_code(j, program->nscalar, program->scalar_dtype, scalar, program->ncode, program->code, reg))
    return false;
  for (int k = 0; k < program->noutput; k++)
    ma_program_output(&j->program, reg[program->output[k]]);
  return true;
}

/* ==== Which to take in =========================================================================================== */

static bool same_view(const ma_array *a, const ma_array *b)
{
  size_t extents = a->ndim * sizeof(int64_t);
  return a->offset == b->offset && a->dtype == b->dtype && a->ndim == b->ndim && !memcmp(a->shape, b->shape, extents) &&
         !memcmp(a->stride, b->stride, extents);
}

/*
** Is computing it again cheaper than running it and reading that? A few additions over what is broadcast, as differences of all pairs are;
** over two arrays for a second use: that is one array more to read, a run of its own would be three.
*/
static bool is_cheap(const ma_pending *p)
{
  int64_t nbytes = 0;
  for (int k = 0; k < p->ncode; k++)
    if (!ma_op_is_light(p->code[k].op))
      return false;
  for (int k = 0; k < p->ninput; k++) {
    int64_t n = ma_dtypes[p->input_dtype[k]].itemsize;
    for (int d = 0; d < p->ndim; d++)
      n *= p->step[k * p->ndim + d] ? p->shape[d] : 1;
    nbytes += n;
  }
  return p->ncode <= 3 && (nbytes <= p->size * ma_dtypes[p->dtype].itemsize / 8 || (p->ninput <= 2 && !p->again));
}

/* Why operand k is to be evaluated; NULL: it can be taken in. */
static const char *objection(const ma_joined *j, int n, const ma_array *const *input, int k)
{
  ma_pending *p = input[k]->buffer->pending;
  walk w;
  int reg;
  if (p->absorbed && p->kept)
    return "a second use";
  if (p->absorbed && computed_by(n, input, k, j->ndim, &reg) < 0) {
    if (!is_cheap(p))
      return "a second use";
    p->again = true;
  }
  if (!p->absorbed && ma_pending_learned(p))
    return "used twice before";
  for (int i = 0; i < n; i++)
    if (i != k && input[i]->buffer == input[k]->buffer && !same_view(input[i], input[k]))
      return "two views of it in one operation";
  if (!can_follow(p, input[k], j->ndim, j->size, &w))
    return input[k]->size != j->size ? "it is broadcast" : "a view that only memory has";
  return NULL;
}

/* The longest of the pending programs; NULL: there is none. */
static ma_buffer *longest(int n, const ma_array *const *input)
{
  const ma_pending *found = NULL;
  for (int k = 0; k < n; k++) {
    const ma_pending *p = input[k]->buffer->pending;
    if (p && (!found || p->ncode + p->ninput + p->nscalar > found->ncode + found->ninput + found->nscalar))
      found = p;
  }
  return found ? found->buffer : NULL;
}

ma_status ma_joined_make(ma_joined *j, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         int ndim, const int64_t *shape)
{
  int n = program->ninput;
  j->ndim = ndim;
  j->size = 1;
  for (int d = 0; d < ndim; d++)
    j->size *= shape[d];
  memcpy(j->shape, shape, (size_t)ndim * sizeof *shape);
  for (int k = 0; k < n; k++) {
    const char *why = input[k]->buffer->pending ? objection(j, n, input, k) : NULL;
    if (why)
      MA_TRY(ma_pending_evaluate(input[k]->buffer, why));
  }
  while (!build(j, program, input, scalar)) {
    ma_buffer *buffer = longest(n, input);
    if (!buffer)
      return ma_fail(MA_ERR_INTERNAL, "a program of %d instructions that does not fit one of its own size", program->ncode);
    MA_TRY(ma_pending_evaluate(buffer, "the program would be too long"));
  }
  return MA_OK;
}

static bool shares_input(const ma_joined *j, const ma_pending *p)
{
  for (int k = 0; k < p->ninput; k++)
    for (int i = 0; i < j->program.ninput; i++)
      if (j->term[i].buffer == p->reading[k].buffer)
        return true;
  return false;
}

/* One more output of a program over the same shape; false, and nothing changed, where that has no room for it. */
static bool add_output(ma_joined *j, ma_pending *p)
{
  const ma_program *program = &j->program;
  uint8_t ninput = program->ninput, nscalar = program->nscalar, ncode = program->ncode;
  ma_array whole = { .dtype = p->dtype, .ndim = p->ndim, .size = p->size };
  memcpy(whole.shape, p->shape, p->ndim * sizeof *p->shape);
  memcpy(whole.stride, p->stride, p->ndim * sizeof *p->stride);
  int8_t own[MA_MAX_REGS];
  int reg = add_pending(j, p, &whole, own);
  if (reg >= 0) {
    take(j, p);
    ma_program_output(&j->program, reg);
    return true;
  }
  j->program.ninput = ninput;
  j->program.nscalar = nscalar;
  j->program.ncode = ncode;
  return false;
}

void ma_joined_group(ma_joined *j, int n, ma_buffer *const *buffer)
{
  const ma_pending *first = buffer[0]->pending;
  ma_program_clear(&j->program);
  j->ntaken = 0;
  j->movable = true;
  j->ndim = first->ndim;
  j->size = first->size;
  memcpy(j->shape, first->shape, first->ndim * sizeof *first->shape);
  for (int k = 0; k < n && j->ntaken < MA_MAX_OUTPUTS; k++) {
    ma_pending *p = buffer[k]->pending;
    bool alike = p && p->stream == first->stream && p->ndim == first->ndim && !memcmp(p->shape, first->shape, p->ndim * sizeof *p->shape);
    for (int i = 0; i < j->ntaken; i++)
      alike &= j->taken[i] != p;
    if (alike && (p == first || (p->kept && first->kept) || shares_input(j, p)))
      add_output(j, p);
  }
}

void ma_joined_arrays(const ma_joined *j, ma_array *array, const ma_array **input)
{
  size_t extents = (size_t)j->ndim * sizeof(int64_t);
  for (int k = 0; k < j->program.ninput; k++) {
    ma_array *a = &array[k];
    a->magic = MA_ARRAY_MAGIC;
    a->dtype = j->program.input_dtype[k];
    a->ndim = (uint8_t)j->ndim;
    a->readonly = 0;
    a->size = j->size;
    a->offset = j->term[k].offset;
    a->buffer = j->term[k].buffer;
    memcpy(a->shape, j->shape, extents);
    memcpy(a->stride, j->term[k].stride, extents);
    input[k] = a;
  }
}
