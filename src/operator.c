/*
** operator.c: an operator that waits, as it comes most: over arrays of one shape that lie in memory in C order and have the dtype that it
** computes in, and numbers. Its pending program is written where it stays, of the operands' own, which are numbered anew from the second on.
** Whatever is otherwise goes the general way (ufunc.c, defer.c, inline.c), which would make the same program of the same bytes.
*/
#include "operands.h"
#include "pending.h"
#include "trace.h"

#include <string.h>

/* ==== Which operators ============================================================================================ */

enum { UNKNOWN, PLAIN, OTHER };

/* Is all of it computed in `t` where arrays have that dtype and numbers are no stronger than `weak`? Asked once. */
static bool is_plain(ma_opcode op, const ma_arg *arg, ma_dtype t, ma_weak weak)
{
  static uint8_t known[MA_NOP][MA_NDTYPE][MA_WEAK_COMPLEX + 1];
  uint8_t answer = __atomic_load_n(&known[op][t][weak], __ATOMIC_RELAXED);
  if (__builtin_expect(answer == UNKNOWN, 0)) {
    const ma_op_info *info = &ma_ops[op];
    ma_dtype loop = MA_NDTYPE;
    bool same = op != MA_OP_nextafter && (op != MA_OP_power || ma_dtypes[t].kind >= MA_KIND_FLOAT);
    answer = same && ma_ufunc_loop(op, arg, MA_NDTYPE, &loop) == MA_OK && loop == t ? PLAIN : OTHER;
    for (int k = 0; k < info->nin; k++)
      if (info->in[k] != MA_SIG_T)
        answer = OTHER;
    __atomic_store_n(&known[op][t][weak], answer, __ATOMIC_RELAXED);
  }
  return answer == PLAIN;
}

/* x ^ 2 and the like, where that does not depend on the exponent's dtype. */
static ma_opcode cheaper(ma_opcode op, const ma_arg *arg)
{
  if (op != MA_OP_power || !arg[0].array || arg[1].array || ma_dtypes[arg[0].array->dtype].kind < MA_KIND_FLOAT ||
      (arg[1].weak != MA_WEAK_INT && arg[1].weak != MA_WEAK_FLOAT))
    return op;
  return ma_ufunc_cheaper(op, arg, (ma_dtype)arg[0].array->dtype);
}

/* ==== Which operands ============================================================================================= */

static bool in_c_order(const ma_array *array)
{
  int64_t least = 1;
  for (int d = array->ndim - 1; d >= 0; d--) {
    if (array->stride[d] < least)
      return false;
    least = array->stride[d];
  }
  return true;
}

/* The operands together: how much the program will have at most. */
typedef struct operands {
  const ma_array *first;               /* all have its dtype and shape */
  ma_dtype dtype;
  ma_weak weak;                        /* of the strongest number */
  int nin, ninput, nscalar, ncode;
} operands;

static bool takes(const ma_array *array, const ma_array *first, const ma_stream *stream, operands *m)
{
  const ma_buffer *buffer = array->buffer;
  const ma_pending *p = buffer->pending;
  size_t extents = array->ndim * sizeof *array->shape;
  if (!buffer->movable || buffer->device != stream->device || !in_c_order(array))
    return false;
  if (array != first && (array->dtype != first->dtype || array->ndim != first->ndim || memcmp(array->shape, first->shape, extents)))
    return false;
  if (!p) {
    m->ninput++;
    return true;
  }
  m->ninput += p->ninput;
  m->nscalar += p->nscalar;
  m->ncode += p->ncode;
  return !p->absorbed && !ma_pending_learned(p) && array->offset == 0 && array->dtype == p->dtype && array->ndim == p->ndim &&
         !memcmp(array->shape, p->shape, extents) && !memcmp(array->stride, p->stride, extents);
}

static bool measure(ma_opcode op, const ma_arg *arg, const ma_stream *stream, operands *m)
{
  *m = (operands){ .weak = MA_STRONG, .nin = ma_ops[op].nin, .ncode = 1 };
  for (int k = 0; k < m->nin; k++) {
    const ma_array *array = arg[k].array;
    if (!array) {
      if (arg[k].weak == MA_STRONG)
        return false;
      m->weak = arg[k].weak > m->weak ? arg[k].weak : m->weak;
      m->nscalar++;
      continue;
    }
    if (!m->first)
      m->first = array;
    if (!takes(array, m->first, stream, m))
      return false;
  }
  if (!m->first || m->first->size == 0 || ma_defer_is_small(stream, m->first->size))
    return false;
  m->dtype = (ma_dtype)m->first->dtype;
  return m->ninput <= MA_MAX_INPUTS && m->nscalar <= MA_MAX_SCALARS && m->ncode <= MA_MAX_CODE;
}

static bool read_scalars(const ma_arg *arg, int nin, ma_dtype t, ma_value *value)
{
  for (int k = 0; k < nin; k++)
    if (!arg[k].array && ma_value_weak(arg[k].value, arg[k].weak, t, &value[k]) != MA_OK)
      return false;
  return true;
}

/* ==== The program ================================================================================================ */

static int add_term(ma_pending *p, ma_buffer *buffer, int64_t offset, uint8_t dtype, const int64_t *step)
{
  size_t extents = p->ndim * sizeof *step;
  for (int k = 0; k < p->ninput; k++)
    if (p->reading[k].buffer == buffer && p->reading[k].offset == offset && p->input_dtype[k] == dtype && !memcmp(p->step + k * p->ndim, step, extents))
      return k;
  int k = p->ninput++;
  p->input_dtype[k] = dtype;
  memcpy(p->step + k * p->ndim, step, extents);
  ma_pending_read(p, k, buffer, offset);
  return k;
}

static int add_instr(ma_pending *p, ma_instr instr)
{
  for (int k = 0; k < p->ncode; k++)
    if (!memcmp(&p->code[k], &instr, sizeof instr))
      return MA_REG_CODE + k;
  p->code[p->ncode] = instr;
  return MA_REG_CODE + p->ncode++;
}

static int add_scalar(ma_pending *p, uint8_t dtype, ma_value value)
{
  p->scalar_dtype[p->nscalar] = dtype;
  p->scalar[p->nscalar] = value;
  return MA_REG_SCALAR + p->nscalar++;
}

/* All of `from`, in place of what is pending; returns the register of its result. */
static int add_pending(ma_pending *p, const ma_pending *from)
{
  uint8_t reg[MA_MAX_REGS];
  for (int k = 0; k < from->ninput; k++)
    reg[k] = (uint8_t)add_term(p, from->reading[k].buffer, from->reading[k].offset, from->input_dtype[k], from->step + k * from->ndim);
  for (int k = 0; k < from->nscalar; k++)
    reg[MA_REG_SCALAR + k] = (uint8_t)add_scalar(p, from->scalar_dtype[k], from->scalar[k]);
  for (int k = 0; k < from->ncode; k++) {
    ma_instr instr = from->code[k];
    for (int a = 0; a < ma_ops[instr.op].nin; a++)
      instr.arg[a] = reg[instr.arg[a]];
    reg[MA_REG_CODE + k] = (uint8_t)add_instr(p, instr);
  }
  return reg[from->output];
}

/* The same where nothing is there yet: registers keep their numbers. */
static int copy_pending(ma_pending *p, const ma_pending *from)
{
  memcpy(p->input_dtype, from->input_dtype, sizeof p->input_dtype);
  memcpy(p->scalar_dtype, from->scalar_dtype, sizeof p->scalar_dtype);
  memcpy(p->scalar, from->scalar, from->nscalar * sizeof *p->scalar);
  memcpy(p->code, from->code, from->ncode * sizeof *p->code);
  memcpy(p->step, from->step, (size_t)from->ninput * from->ndim * sizeof *p->step);
  for (int k = 0; k < from->ninput; k++)
    ma_pending_read(p, k, from->reading[k].buffer, from->reading[k].offset);
  p->ninput = from->ninput;
  p->nscalar = from->nscalar;
  p->ncode = from->ncode;
  return from->output;
}

static int add_operand(ma_pending *p, const ma_arg *arg, int k, const int *reg)
{
  const ma_array *array = arg[k].array;
  const ma_pending *from = array->buffer->pending;
  if (!from)
    return add_term(p, array->buffer, array->offset, array->dtype, array->stride);
  for (int j = 0; j < k; j++)
    if (arg[j].array && arg[j].array->buffer == array->buffer)
      return reg[j];
  return p->ninput + p->nscalar ? add_pending(p, from) : copy_pending(p, from);
}

static void lay_out(ma_array *result, ma_dtype dtype, const ma_array *first, ma_pending *p)
{
  int64_t step = ma_dtypes[dtype].itemsize;
  result->dtype = (uint8_t)dtype;
  result->ndim = first->ndim;
  result->readonly = 0;
  result->size = first->size;
  result->offset = 0;
  for (int d = first->ndim - 1; d >= 0; d--) {
    result->shape[d] = p->shape[d] = first->shape[d];
    result->stride[d] = p->stride[d] = step;
    step *= first->shape[d];
  }
}

/* The register of each operand. Arrays come first, as they do in the general way. */
static void add_operands(ma_pending *p, const ma_arg *arg, int nin, const ma_value *value, int *reg)
{
  for (int k = 0; k < nin; k++)
    if (arg[k].array)
      reg[k] = add_operand(p, arg, k, reg);
  for (int k = 0; k < nin; k++)
    if (!arg[k].array)
      reg[k] = add_scalar(p, p->dtype, value[k]);
}

bool ma_operator_defer(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream)
{
  ma_value value[MA_MAX_ARITY];
  ma_buffer *buffer;
  operands m;
  int reg[MA_MAX_ARITY];
  if (!ma_is_deferring() || stream->capture)
    return false;
  op = cheaper(op, arg);
  if (!measure(op, arg, stream, &m) || !is_plain(op, arg, m.dtype, m.weak) || !read_scalars(arg, m.nin, m.dtype, value))
    return false;
  ma_dtype computed = ma_sig_dtype((ma_sig)ma_ops[op].out, m.dtype);
  ma_pending *p = ma_pending_new(m.ninput, m.nscalar, m.ncode, m.first->ndim);
  if (!p)
    return false;
  if (ma_handle_bare(stream->device, (size_t)m.first->size * ma_dtypes[computed].itemsize, &buffer) != MA_OK) {
    ma_pending_spare(p);
    return false;
  }

  p->ninput = p->nscalar = p->ncode = 0;
  p->dtype = (uint8_t)m.dtype;
  lay_out(result, computed, m.first, p);
  add_operands(p, arg, m.nin, value, reg);
  ma_instr instr = { .op = (uint8_t)op, .dtype = (uint8_t)m.dtype, .result = (uint8_t)computed };
  for (int k = 0; k < m.nin; k++)
    instr.arg[k] = (uint8_t)reg[k];
  p->output = (uint8_t)add_instr(p, instr);
  ma_pending_open(p, buffer, result, stream);
  for (int k = 0; k < m.nin; k++)
    if (arg[k].array && arg[k].array->buffer->pending && !arg[k].array->buffer->pending->absorbed)
      ma_pending_absorb(arg[k].array->buffer->pending);
  return true;
}
