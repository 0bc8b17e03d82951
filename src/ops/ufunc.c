/* ufunc.c: operations on arrays: finds the program of one call among those that are kept, or builds it. `a + b` on
** small arrays is the most frequent path, so nothing but the result is allocated. */
#include "ops/ops.h"
#include "program/loop.h"
#include "program/splice.h"
#include "run/kept.h"

#include <string.h>

/* An integer raised to a negative power has no integer result. Exponents in an array are read, which waits. */
ma_status ma_ufunc_exponent(ma_opcode op, const ma_arg *arg, ma_dtype loop, ma_stream *stream) {
  if (!ma_op_takes_exponents(op) || ma_dtypes[loop].kind != MA_KIND_SIGNED) return MA_OK;
  bool negative = false;
  if (!arg[1].array) {
    negative = ma_value_cast(arg[1].value, arg[1].dtype, MA_INT64).i < 0;
  } else if (ma_dtypes[arg[1].array->dtype].kind == MA_KIND_SIGNED && arg[1].array->size > 0) {
    ma_program program;
    ma_program_clear(&program);
    ma_program_output(&program, ma_program_input(&program, (ma_dtype)arg[1].array->dtype));
    ma_array least = { .buffer = NULL };
    ma_value value;
    ma_reduce_options all = { .axes = (1u << arg[1].array->ndim) - 1, .dtype = MA_NDTYPE };
    MA_TRY(ma_reduce_run(MA_REDUCE_min, &program, &arg[1].array, NULL, &all, &least, stream));
    ma_status status = ma_array_item(&least, stream, &value);
    ma_array_release(&least);
    MA_TRY(status);
    negative = value.i < 0;
  }
  if (negative)
    return ma_fail(MA_ERR_VALUE,
                   "an integer to a negative power; make the base a float array, as in a:astype(\"float64\") ^ -1");
  return MA_OK;
}

/* ==== The program of one call ==================================================================================== */

static ma_status add_operand(ma_call *c, const ma_arg *arg, ma_sig sig, ma_dtype loop, int *reg) {
  ma_dtype wanted = ma_sig_dtype(sig, loop);
  if (arg->array) {
    if (!ma_sig_takes(sig, wanted, (ma_dtype)arg->array->dtype))
      return ma_fail(MA_ERR_TYPE, "an operand of dtype %s; %s is wanted%s", ma_dtypes[arg->array->dtype].name,
                     ma_dtypes[wanted].name, wanted == MA_INT64 ? "; " MA_TABLE_OF_INTEGERS : "");
    *reg = ma_program_cast(&c->program, ma_call_input(c, arg->array), wanted);
    return MA_OK;
  }
  ma_value value;
  if (arg->weak == MA_STRONG) value = ma_value_cast(arg->value, arg->dtype, wanted);
  else MA_TRY(ma_value_weak(arg->value, arg->weak, wanted, &value));
  *reg = ma_call_scalar(c, wanted, value);
  return MA_OK;
}

/* Adds output k: cast to the dtype of the given result, and unchanged where `where` is false. */
static ma_status add_output(ma_call *c, int reg, const ma_array *where, const ma_array *result) {
  ma_dtype computed = ma_program_dtype(&c->program, reg);
  if (result->buffer) {
    ma_dtype wanted = (ma_dtype)result->dtype;
    if (!ma_dtype_can_cast(computed, wanted, true))
      return ma_fail(MA_ERR_TYPE, "a result of dtype %s; out of dtype %s cannot take it by same_kind casting",
                     ma_dtypes[computed].name, ma_dtypes[wanted].name);
    reg = ma_program_cast(&c->program, reg, wanted);
    if (where) {
      int args[3] = { ma_program_cast(&c->program, ma_call_input(c, where), MA_BOOL), reg, ma_call_input(c, result) };
      reg = ma_program_emit(&c->program, MA_DO_choose, wanted, args);
    }
  } else if (where) {
    /* Without out, NumPy leaves masked elements undefined; here they are 0. */
    int args[3] = { ma_program_cast(&c->program, ma_call_input(c, where), MA_BOOL), reg,
                    ma_call_scalar(c, computed, (ma_value){ .c = { 0, 0 } }) };
    reg = ma_program_emit(&c->program, MA_DO_choose, computed, args);
  }
  ma_program_output(&c->program, reg);
  return MA_OK;
}

/* The operation on x alone that gives x ^ 2 and the like, if there is one. Its result has x's dtype. */
static inline ma_opcode cheaper(ma_opcode op, const ma_arg *arg) {
  if (__builtin_expect(!ma_op_takes_exponents(op), 1) || !arg[0].array || arg[1].array) return op;
  ma_dtype t = (ma_dtype)arg[0].array->dtype;
  bool real = arg[1].weak == MA_WEAK_FLOAT && ma_dtypes[t].kind >= MA_KIND_FLOAT;
  return t != MA_BOOL && (real || arg[1].weak == MA_WEAK_INT) ? ma_loop_cheaper(op, arg, t) : op;
}

/* Whether x ^ y stays a power if x is cast to float first. */
static inline bool is_plain_power(ma_opcode op, const ma_arg *arg) {
  return __builtin_expect(!ma_op_takes_exponents(op), 1) || ma_loop_cheaper(op, arg, MA_FLOAT64) == op;
}

/* Adds the operands and the operations, whose registers are `computed`. *usual: the program depends on no values. */
static ma_status compute(ma_call *c, const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype,
                         ma_stream *stream, int *computed, bool *usual) {
  ma_dtype loop, found;
  int reg[MA_MAX_ARITY];
  MA_TRY(ma_loop_find_all(ops, nout, arg, dtype, &loop));
  found = loop;
  MA_TRY(ma_loop_fit(ops[0], arg, &loop));
  MA_TRY(ma_ufunc_exponent(ops[0], arg, loop, stream));
  ma_program_clear(&c->program);
  ma_opcode first = ma_loop_cheaper(ops[0], arg, loop);
  *usual = loop == found && (!ma_op_takes_exponents(ops[0]) || first == cheaper(ops[0], arg)) &&
           (!ma_op_takes_exponents(first) || ma_dtypes[loop].kind >= MA_KIND_FLOAT);
  int nin = ma_ops[first].nin;
  for (int k = 0; k < nin; k++) MA_TRY(add_operand(c, &arg[k], (ma_sig)ma_ops[first].in[k], loop, &reg[k]));
  for (int k = 0; k < nout; k++) computed[k] = ma_program_emit(&c->program, k ? ops[k] : first, loop, reg);
  return MA_OK;
}

/* Builds the program, and keeps it under the key, if that is not 0. */
static __attribute__((noinline)) ma_status apply(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype,
                                                 const ma_array *where, uint64_t key, ma_array *const *result,
                                                 ma_stream *stream) {
  ma_call c;
  bool usual;
  int computed[MA_MAX_OUTPUTS];
  MA_TRY(compute(&c, ops, nout, arg, dtype, stream, computed, &usual));
  for (int k = 0; k < nout; k++) MA_TRY(add_output(&c, computed[k], where, result[k]));
  const ma_program *kept = key && usual ? ma_kept_add(key, &c.program) : NULL;
  return ma_run(kept ? kept : &c.program, c.input, c.scalar, result, MA_ORDER_K, MA_RUN_DEFERS, stream);
}

/* The operands of a kept program, in its order. */
typedef struct operands {
  int ninput, nscalar;
  const ma_array *input[MA_MAX_ARITY];
  const ma_arg *number[MA_MAX_ARITY];
  ma_value scalar[MA_MAX_ARITY];
} operands;

static inline uint64_t operand_key(operands *o, const ma_arg *arg, int k) {
  if (!arg->array) {
    o->number[o->nscalar++] = arg;
    return arg->weak == MA_STRONG ? ma_kept_strong(k, arg->dtype) : ma_kept_weak(k, arg->weak);
  }
  for (int j = 0; j < o->ninput; j++)
    if (o->input[j] == arg->array) return ma_kept_same(k, j);
  o->input[o->ninput++] = arg->array;
  return ma_kept_array(k, arg->array->dtype);
}

/* Whether every number fits the dtype in which the operation computes. */
static inline bool read_numbers(operands *o, const ma_program *program) {
  for (int j = 0; j < o->nscalar; j++) {
    const ma_arg *number = o->number[j];
    ma_dtype dtype = (ma_dtype)program->scalar_dtype[j];
    if (number->weak == MA_STRONG) o->scalar[j] = ma_value_cast(number->value, number->dtype, dtype);
    else if (ma_value_weak(number->value, number->weak, dtype, &o->scalar[j]) != MA_OK) return false;
  }
  return true;
}

void ma_arg_widen(ma_arg *arg) {
  if (arg->weak == MA_WEAK_INT)
    *arg = (ma_arg){ .value = { .c = { (double)arg->value.i, 0 } }, .dtype = MA_FLOAT64, .weak = MA_WEAK_FLOAT };
}

/* Makes float64 of the whole Lua numbers that are to be. */
static void widen_all(const ma_op_info *info, ma_arg *arg, uint32_t plain) {
  bool whole = !info->body[MA_KIND_FLOAT];
  for (int k = 0; k < info->nin; k++) whole |= ma_weak_is_whole(arg[k].weak) && !(plain >> k & 1);
  for (int k = 0; k < info->nin && !whole; k++)
    if (info->in[k] == MA_SIG_T || info->in[k] == MA_SIG_REAL) ma_arg_widen(&arg[k]);
}

ma_status ma_ufunc_numbers(const ma_opcode *ops, int nout, const ma_arg *given, uint32_t plain, ma_value *result,
                           ma_dtype *dtype) {
  _Alignas(16) char element[MA_MAX_OUTPUTS][16];
  ma_stream *stream = ma_device_null_stream(ma_device_cpu());
  ma_call c;
  ma_map map;
  ma_arg arg[MA_MAX_ARITY];
  bool usual;
  int computed[MA_MAX_OUTPUTS];
  memcpy(arg, given, ma_ops[ops[0]].nin * sizeof *arg);
  if (plain != MA_WEAK_NUMBERS) widen_all(&ma_ops[ops[0]], arg, plain);
  MA_TRY(compute(&c, ops, nout, arg, MA_NDTYPE, stream, computed, &usual));
  map.program = &c.program;
  map.space.ndim = 1;
  map.space.noperand = nout;
  map.space.shape[0] = 1;
  for (int k = 0; k < nout; k++) {
    ma_program_output(&c.program, computed[k]);
    dtype[k] = ma_program_dtype(&c.program, computed[k]);
    map.space.stride[k][0] = ma_dtypes[dtype[k]].itemsize;
    map.data[k] = element[k];
  }
  for (int k = 0; k < c.program.nscalar; k++) map.scalar[k] = c.scalar[k];
  MA_TRY(stream->device->backend->map.run(stream, &map));
  for (int k = 0; k < nout; k++) result[k] = ma_value_load(element[k], dtype[k]);
  return MA_OK;
}

ma_status ma_ufunc_operator(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream) {
  operands o;
  ma_opcode chosen = cheaper(op, arg);
  uint64_t key = ma_kept_key(chosen, result->buffer ? (ma_dtype)result->dtype : MA_NDTYPE);
  o.ninput = o.nscalar = 0;
  int nin = ma_ops[chosen].nin;
#pragma GCC unroll 4
  for (int k = 0; k < MA_MAX_ARITY; k++) {
    if (k == nin) break;
    key |= operand_key(&o, &arg[k], k);
  }
  const ma_program *program = is_plain_power(chosen, arg) ? ma_kept_find(key) : NULL;
  if (program && read_numbers(&o, program))
    return ma_run(program, o.input, o.scalar, &result, MA_ORDER_K, MA_RUN_DEFERS, stream);
  return apply(&op, 1, arg, MA_NDTYPE, NULL, program ? 0 : key, &result, stream);
}

ma_status ma_ufunc_apply(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, const ma_array *where,
                         ma_array *const *result, ma_stream *stream) {
  if (nout == 1 && dtype == MA_NDTYPE && !where) return ma_ufunc_operator(ops[0], arg, result[0], stream);
  return apply(ops, nout, arg, dtype, where, 0, result, stream);
}
