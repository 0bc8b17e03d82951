/*
** operator.c: the most frequent form of an operator: packed arrays of one shape and of the dtype that it computes in,
** and numbers. A deferred one is written directly into its pending program, without intermediate structs. All other
** forms go through ufunc.c, defer.c and inline.c, which make the same bytes, since both ways build by splice.h.
*/
#include "defer/defer.h"
#include "program/loop.h"
#include "program/operands.h"
#include "defer/pending.h"

/* ==== Which operators ============================================================================================ */

enum { UNKNOWN, PLAIN, OTHER };

/* Whether the operator computes in `t` if arrays have that dtype and numbers are at most `weak`. The answer is
** cached. */
static inline bool is_plain(ma_opcode op, const ma_arg *arg, ma_dtype t, ma_weak weak) {
  static uint8_t known[MA_NOP][MA_NDTYPE][MA_WEAK_COMPLEX + 1];
  uint8_t answer = __atomic_load_n(&known[op][t][weak], __ATOMIC_RELAXED);
  if (__builtin_expect(answer == UNKNOWN, 0)) {
    const ma_op_info *info = &ma_ops[op];
    ma_dtype loop = MA_NDTYPE;
    bool same = op != MA_OP_nextafter && (op != MA_OP_power || ma_dtypes[t].kind >= MA_KIND_FLOAT);
    answer = same && ma_loop_find(op, arg, MA_NDTYPE, &loop) == MA_OK && loop == t ? PLAIN : OTHER;
    for (int k = 0; k < info->nin; k++)
      if (info->in[k] != MA_SIG_T) answer = OTHER;
    __atomic_store_n(&known[op][t][weak], answer, __ATOMIC_RELAXED);
  }
  return answer == PLAIN;
}

/* x ^ 2 and the like, if the replacement does not depend on the exponent's dtype. */
static ma_opcode cheaper(ma_opcode op, const ma_arg *arg) {
  if (op != MA_OP_power || !arg[0].array || arg[1].array || ma_dtypes[arg[0].array->dtype].kind < MA_KIND_FLOAT ||
      (arg[1].weak != MA_WEAK_INT && arg[1].weak != MA_WEAK_FLOAT))
    return op;
  return ma_loop_cheaper(op, arg, (ma_dtype)arg[0].array->dtype);
}

/* ==== Which operands ============================================================================================= */

/* All operands together, with a bound on the size of the program. */
typedef struct operands {
  const ma_array *first; /* all operands have its dtype and shape */
  ma_weak weak;          /* of the strongest number */
  int nin, narray, npending, ninput, nscalar, ncode;
  bool packed; /* all are without gaps */
} operands;

static inline bool same_extents(int ndim, const int64_t *a, const int64_t *b) {
  for (int d = 0; d < ndim; d++)
    if (a[d] != b[d]) return false;
  return true;
}

static inline bool in_c_order(const ma_array *array, bool *packed) {
  int64_t least = 1, step = ma_dtypes[array->dtype].itemsize;
  for (int d = array->ndim - 1; d >= 0; d--) {
    if (array->stride[d] < least) return false;
    *packed &= array->stride[d] == step;
    least = array->stride[d];
    step *= array->shape[d];
  }
  return true;
}

/* Counts a pending operand that is read as a whole. It is usually packed, and then so is the array. */
static inline bool takes_pending(const ma_array *array, const ma_pending *p, operands *m) {
  m->npending++;
  m->ninput += p->bound.ninput;
  m->nscalar += p->bound.nscalar;
  m->ncode += p->bound.ncode;
  m->packed &= p->packed;
  return !p->absorbed && array->offset == 0 && array->dtype == p->dtype && array->ndim == p->bound.ndim &&
         same_extents(array->ndim, array->shape, p->shape) && same_extents(array->ndim, array->stride, p->stride) &&
         (p->packed || in_c_order(array, &m->packed)) && !ma_pending_learned(p);
}

static inline bool takes(const ma_array *array, const ma_stream *stream, operands *m) {
  const ma_buffer *buffer = array->buffer;
  const ma_array *first = m->first;
  if (!buffer->movable || buffer->device != stream->device) return false;
  if (!first) m->first = array;
  else if (array->dtype != first->dtype || array->ndim != first->ndim ||
           !same_extents(first->ndim, array->shape, first->shape))
    return false;
  m->narray++;
  if (buffer->pending && !buffer->pending->folds) return takes_pending(array, buffer->pending, m);
  m->ninput++;
  return in_c_order(array, &m->packed);
}

static inline bool measure(ma_opcode op, const ma_arg *arg, const ma_stream *stream, operands *m) {
  *m = (operands){ .weak = MA_STRONG, .nin = ma_ops[op].nin, .ncode = 1, .packed = true };
  for (int k = 0; k < m->nin; k++) {
    if (arg[k].array) {
      if (!takes(arg[k].array, stream, m)) return false;
      continue;
    }
    if (arg[k].weak == MA_STRONG) return false;
    if (arg[k].weak > m->weak) m->weak = arg[k].weak;
    m->nscalar++;
  }
  if (!m->first || m->first->size == 0 || (ma_is_host(stream->device) && ma_defer_is_small(stream, m->first->size)))
    return false;
  return ma_program_fits(m->ninput, m->nscalar, m->ncode);
}

static bool read_scalars(const ma_arg *arg, int nin, ma_dtype t, ma_value *value) {
  for (int k = 0; k < nin; k++)
    if (!arg[k].array && ma_value_weak(arg[k].value, arg[k].weak, t, &value[k]) != MA_OK) return false;
  return true;
}

/* ==== The program ================================================================================================ */

static inline int add_operand(ma_pending *p, const ma_arg *arg, int k, const ma_instr *instr) {
  const ma_array *array = arg[k].array;
  const ma_pending *from = array->buffer->pending;
  uint8_t reg[MA_MAX_REGS];
  if (!from || from->folds)
    return ma_bound_input(&p->bound, array->buffer, array->offset, array->dtype, array->stride, true);
  for (int j = 0; j < k; j++)
    if (arg[j].array && arg[j].array->buffer == array->buffer) return instr->arg[j];
  ma_splice(&p->bound, &from->bound, reg, true);
  return reg[from->output];
}

static inline void lay_out(ma_array *result, ma_dtype dtype, const ma_array *first, ma_pending *p) {
  int64_t step = ma_dtypes[dtype].itemsize;
  result->dtype = (uint8_t)dtype;
  result->ndim = first->ndim;
  result->readonly = 0;
  result->is_view = 0;
  result->size = first->size;
  result->offset = 0;
  for (int d = first->ndim - 1; d >= 0; d--) {
    result->shape[d] = p->shape[d] = first->shape[d];
    result->stride[d] = p->stride[d] = step;
    step *= first->shape[d];
  }
}

/* Writes the whole program. Arrays come first, in the order of the general way. */
static inline void write_program(ma_pending *p, ma_opcode op, ma_dtype t, ma_dtype computed, const ma_arg *arg,
                                 const operands *m, const ma_value *value) {
  ma_instr instr = { .op = (uint16_t)op, .dtype = (uint8_t)t, .result = (uint8_t)computed };
  for (int k = 0; k < m->nin; k++)
    if (arg[k].array) instr.arg[k] = (uint8_t)add_operand(p, arg, k, &instr);
  for (int k = 0; m->narray < m->nin && k < m->nin; k++)
    if (!arg[k].array) instr.arg[k] = (uint8_t)ma_bound_scalar(&p->bound, (uint8_t)t, value[k], true);
  p->output = (uint8_t)ma_bound_instr(&p->bound, instr);
}

bool ma_operator_defer(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream) {
  ma_value value[MA_MAX_ARITY];
  ma_buffer *buffer;
  operands m;
  ma_deferral *deferral = ma_deferring();
  if (!deferral || stream->capture) return false;
  op = cheaper(op, arg);
  if (!measure(op, arg, stream, &m)) return false;
  ma_dtype t = (ma_dtype)m.first->dtype;
  if (!is_plain(op, arg, t, m.weak) || (m.narray < m.nin && !read_scalars(arg, m.nin, t, value))) return false;
  ma_dtype computed = ma_ops[op].out == MA_SIG_T ? t : ma_sig_dtype((ma_sig)ma_ops[op].out, t);
  ma_pending *p = ma_pending_new(deferral, m.ninput, m.nscalar, m.ncode, m.first->ndim);
  if (!p) return false;
  if (ma_handle_bare(stream->device, (size_t)m.first->size * ma_dtypes[computed].itemsize, &buffer) != MA_OK) {
    ma_pending_spare(p);
    return false;
  }

  p->packed = m.packed;
  lay_out(result, computed, m.first, p);
  write_program(p, op, t, computed, arg, &m, value);
  ma_pending_open(p, buffer, result, stream);
  for (int k = 0; m.npending && k < m.nin; k++) {
    ma_pending *from = arg[k].array ? arg[k].array->buffer->pending : NULL;
    if (from && !from->folds && !from->absorbed) ma_pending_absorb(from);
  }
  return true;
}

/* ==== Into given memory =========================================================================================== */

/* Whether the array is in memory, and either has exactly the elements that are written or none of them. */
static inline bool can_be_read(const ma_array *array, const ma_array *result, const ma_stream *stream) {
  if (array->buffer->pending || array->buffer->device != stream->device ||
      !ma_operand_is_packed(array, result->ndim, result->shape))
    return false;
  return (array->buffer == result->buffer && array->offset == result->offset && array->dtype == result->dtype) ||
         !ma_array_overlaps(array, result);
}

static inline bool can_be_written(const ma_array *result, const ma_stream *stream) {
  const ma_buffer *buffer = result->buffer;
  return !result->readonly && !buffer->pending && !buffer->readers && buffer->device == stream->device &&
         result->size > 0 && ma_operand_is_packed(result, result->ndim, result->shape);
}

/* Collects the arrays with their registers, and the strongest number; false: it is not the usual case. */
static bool read_operands(const ma_arg *arg, int nin, const ma_array *result, const ma_stream *stream, ma_call *call,
                          ma_weak *weak, ma_instr *instr) {
  *weak = MA_STRONG;
  for (int k = 0; k < nin; k++) {
    const ma_array *array = arg[k].array;
    if (!array && arg[k].weak == MA_STRONG) return false;
    if (!array) {
      *weak = arg[k].weak > *weak ? arg[k].weak : *weak;
      continue;
    }
    if ((call->program.ninput && array->dtype != call->program.input_dtype[0]) || !can_be_read(array, result, stream))
      return false;
    instr->arg[k] = (uint8_t)ma_call_input(call, array);
  }
  return call->program.ninput > 0;
}

static bool add_scalars(const ma_arg *arg, int nin, ma_dtype t, ma_call *call, ma_instr *instr) {
  ma_value value;
  for (int k = 0; k < nin; k++) {
    if (arg[k].array) continue;
    if (ma_value_weak(arg[k].value, arg[k].weak, t, &value) != MA_OK) return false;
    instr->arg[k] = (uint8_t)ma_call_scalar(call, t, value);
  }
  return true;
}

ma_status ma_operator_run(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream, bool *ran) {
  ma_call call;
  ma_map map;
  ma_weak weak;
  *ran = false;
  if (!can_be_written(result, stream)) return MA_OK;
  op = cheaper(op, arg);
  ma_instr instr = { .op = (uint16_t)op, .result = result->dtype };
  int nin = ma_ops[op].nin;
  ma_program_clear(&call.program);
  if (!read_operands(arg, nin, result, stream, &call, &weak, &instr)) return MA_OK;
  ma_dtype t = (ma_dtype)call.program.input_dtype[0];
  if (!is_plain(op, arg, t, weak) || ma_sig_dtype((ma_sig)ma_ops[op].out, t) != (ma_dtype)result->dtype ||
      !add_scalars(arg, nin, t, &call, &instr))
    return MA_OK;
  instr.dtype = (uint8_t)t;
  ma_program_output(&call.program, ma_program_add(&call.program, instr));

  map.program = &call.program;
  map.space.ndim = 1;
  map.space.noperand = 1 + call.program.ninput;
  map.space.shape[0] = result->size;
  map.space.stride[0][0] = ma_dtypes[result->dtype].itemsize;
  MA_TRY(ma_array_write(result, stream, &map.data[0]));
  for (int k = 0; k < call.program.ninput; k++) {
    map.space.stride[1 + k][0] = ma_dtypes[t].itemsize;
    MA_TRY(ma_array_read(call.input[k], stream, (const void **)&map.data[1 + k]));
  }
  for (int k = 0; k < call.program.nscalar; k++) map.scalar[k] = call.scalar[k];
  return ma_run_map(&map, stream, false, ran);
}
