/* loop.c: chooses the loop of an operation: the dtype in which NumPy 2 would compute, or one whose result has a
** given dtype; and cheaper operations in place of some. */
#include "program/loop.h"

/* The next dtype to try if an operation has no loop for t: bool -> int8 -> ... -> the float that holds t. */
static ma_dtype next_dtype(const ma_op_info *info, ma_dtype t) {
  switch (ma_dtypes[t].kind) {
  case MA_KIND_BOOL: return info->body[MA_KIND_SIGNED] ? MA_INT8 : MA_FLOAT16;
  case MA_KIND_SIGNED:
  case MA_KIND_UNSIGNED:
    return ma_dtypes[t].itemsize == 1 ? MA_FLOAT16 : ma_dtypes[t].itemsize == 2 ? MA_FLOAT32 : MA_FLOAT64;
  case MA_KIND_FLOAT: return ma_dtypes[t].itemsize == 8 ? MA_COMPLEX128 : MA_COMPLEX64;
  default: return MA_NDTYPE;
  }
}

static ma_status widen_to_loop(ma_opcode op, ma_dtype t, ma_dtype *loop) {
  const ma_op_info *info = &ma_ops[op];
  ma_dtype found = t;
  if (ma_dtypes[t].kind == MA_KIND_BOOL && info->flags & MA_OPF_NO_BOOL)
    return ma_fail(MA_ERR_TYPE, "bool operands; %s is not defined for bool: use xor_ or not_, or astype(\"int8\")",
                   info->name);
  if (info->flags & MA_OPF_TRUE_DIVIDE && ma_dtypes[t].kind < MA_KIND_FLOAT) found = MA_FLOAT64;
  if (info->flags & MA_OPF_DOUBLE) found = ma_dtypes[t].kind == MA_KIND_COMPLEX ? MA_COMPLEX128 : MA_FLOAT64;
  while (found != MA_NDTYPE && !info->body[ma_dtypes[found].kind]) found = next_dtype(info, found);
  if (found == MA_NDTYPE && info->body[MA_KIND_FLOAT])
    return ma_fail(MA_ERR_TYPE, "dtype %s; %s takes real numbers", ma_dtypes[t].name, info->name);
  if (found == MA_NDTYPE && info->body[MA_KIND_SIGNED] && ma_dtypes[t].kind >= MA_KIND_FLOAT)
    return ma_fail(MA_ERR_TYPE, "dtype %s; %s takes integers; " MA_TABLE_OF_INTEGERS, ma_dtypes[t].name, info->name);
  if (found == MA_NDTYPE) return ma_fail(MA_ERR_TYPE, "dtype %s; %s has no loop for it", ma_dtypes[t].name, info->name);
  *loop = found;
  return MA_OK;
}

static ma_dtype arg_dtype(const ma_arg *arg) { return arg->array ? (ma_dtype)arg->array->dtype : arg->dtype; }

static ma_status check_forced(const ma_op_info *info, const ma_arg *arg, ma_dtype dtype) {
  for (int k = 0; k < info->nin; k++)
    if (info->in[k] == MA_SIG_T && arg[k].weak == MA_STRONG && !ma_dtype_can_cast(arg_dtype(&arg[k]), dtype, true))
      return ma_fail(MA_ERR_TYPE, "operand %d of dtype %s; dtype = \"%s\" cannot take it by same_kind casting", k + 1,
                     ma_dtypes[arg_dtype(&arg[k])].name, ma_dtypes[dtype].name);
  return MA_OK;
}

/* Whether an operand of this dtype fits a place of a fixed dtype. Unsigned integers fit a wider signed one. */
bool ma_sig_takes(ma_sig sig, ma_dtype wanted, ma_dtype dtype) {
  if (sig == MA_SIG_T || sig == MA_SIG_BOOL || ma_dtypes[dtype].kind <= ma_dtypes[wanted].kind) return true;
  return ma_dtypes[dtype].kind == MA_KIND_UNSIGNED && ma_dtypes[dtype].itemsize < ma_dtypes[wanted].itemsize;
}

/* The loop where integers have none: each operand is converted to its own float first. So int8 with uint8 gives
** float16, and not the float32 of int16. */
static ma_dtype float_first(const ma_op_info *info, ma_dtype t) {
  bool floats = !info->body[MA_KIND_SIGNED] && !(info->flags & (MA_OPF_TRUE_DIVIDE | MA_OPF_DOUBLE | MA_OPF_NO_BOOL));
  return floats && ma_dtypes[t].kind < MA_KIND_FLOAT ? next_dtype(info, t) : t;
}

/* The loop that NumPy would choose for these operands. */
static ma_status natural_loop(ma_opcode op, const ma_arg *arg, ma_dtype *loop) {
  const ma_op_info *info = &ma_ops[op];
  ma_weak weak = MA_STRONG;
  for (int k = 0; k < info->nin; k++)
    if (info->in[k] == MA_SIG_T && arg[k].weak > weak) weak = arg[k].weak;
  uint32_t strong = 0;
  for (int k = 0; k < info->nin; k++)
    if (info->in[k] == MA_SIG_T && arg[k].weak == MA_STRONG)
      strong |= 1u << (weak == MA_STRONG ? float_first(info, arg_dtype(&arg[k])) : arg_dtype(&arg[k]));
  ma_dtype t = strong ? ma_dtype_promote_weak(ma_dtype_promote_set(strong), weak) : ma_dtype_of_weak(weak);
  return widen_to_loop(op, t, loop);
}

static ma_status fail_forced(ma_opcode op, ma_dtype dtype, ma_dtype given) {
  return ma_fail(MA_ERR_TYPE, "dtype = \"%s\"; %s has no result of that dtype for these operands, but %s",
                 ma_dtypes[dtype].name, ma_ops[op].name, ma_dtypes[given].name);
}

/* The loop whose result has the given dtype. If the operation's result has another one, it fails: no cast is added. */
static ma_status forced_loop(ma_opcode op, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop) {
  const ma_op_info *info = &ma_ops[op];
  ma_dtype own, wanted = dtype;
  if (info->out != MA_SIG_T) {
    MA_TRY(natural_loop(op, arg, &own));
    ma_dtype result = ma_sig_dtype((ma_sig)info->out, own);
    if (info->out != MA_SIG_REAL) { /* this result has the same dtype in every loop */
      *loop = own;
      return result == dtype ? MA_OK : fail_forced(op, dtype, result);
    }
    if (ma_dtypes[own].kind == MA_KIND_COMPLEX) {
      wanted = dtype == MA_FLOAT32 && own == MA_COMPLEX64 ? own : dtype == MA_FLOAT64 ? MA_COMPLEX128 : MA_NDTYPE;
      if (wanted == MA_NDTYPE) return fail_forced(op, dtype, result);
    }
  }
  MA_TRY(check_forced(info, arg, wanted));
  MA_TRY(widen_to_loop(op, wanted, loop));
  ma_dtype result = ma_sig_dtype((ma_sig)info->out, *loop);
  return result == dtype ? MA_OK : fail_forced(op, dtype, result);
}

ma_status ma_loop_find(ma_opcode op, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop) {
  return dtype == MA_NDTYPE ? natural_loop(op, arg, loop) : forced_loop(op, arg, dtype, loop);
}

ma_status ma_loop_find_all(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, ma_dtype *loop) {
  MA_TRY(ma_loop_find(ops[0], arg, dtype, loop));
  for (int k = 1; k < nout && dtype != MA_NDTYPE; k++) {
    ma_dtype result = ma_sig_dtype((ma_sig)ma_ops[ops[k]].out, *loop);
    if (result != dtype) return fail_forced(ops[k], dtype, result);
  }
  return MA_OK;
}

/* Handles a weak integer that the loop cannot hold. A comparison still has an answer; other operations fail. */
ma_status ma_loop_fit(ma_opcode op, const ma_arg *arg, ma_dtype *loop) {
  const ma_op_info *info = &ma_ops[op];
  for (int k = 0; k < info->nin; k++) {
    ma_value unused;
    if (!ma_weak_is_whole(arg[k].weak) || info->in[k] != MA_SIG_T ||
        ma_value_weak(arg[k].value, arg[k].weak, *loop, &unused) == MA_OK)
      continue;
    if (!(info->flags & MA_OPF_COMPARISON)) return MA_ERR_VALUE; /* the message is set */
    bool is_unsigned = ma_dtypes[*loop].kind == MA_KIND_UNSIGNED;
    if (arg[k].weak == MA_WEAK_WIDE) *loop = is_unsigned ? MA_UINT64 : MA_FLOAT64;
    else *loop = *loop == MA_UINT64 ? MA_FLOAT64 : MA_INT64;
  }
  return MA_OK;
}

ma_dtype ma_loop_constants(ma_dtype first, int n, const ma_arg *arg) {
  bool whole = true;
  for (int k = 0; k < n; k++) {
    if (arg[k].array || arg[k].weak == MA_STRONG || arg[k].weak == MA_WEAK_COMPLEX) return MA_NDTYPE;
    whole &= ma_weak_is_whole(arg[k].weak) || arg[k].value.c.re == 0; /* -0 is kept as a float */
  }
  return first == MA_NDTYPE || whole || ma_dtypes[first].kind >= MA_KIND_FLOAT ? first : MA_FLOAT64;
}

/* A cheaper operation for x to the power of a scalar 2, 1, 0.5, 0 or -1. NumPy uses the same ones. */
ma_opcode ma_loop_cheaper(ma_opcode op, const ma_arg *arg, ma_dtype loop) {
  if (!ma_op_takes_exponents(op) || !arg[0].array || arg[1].array) return op;
  double exponent = arg[1].weak == MA_WEAK_INT     ? (double)arg[1].value.i
                    : arg[1].weak == MA_WEAK_FLOAT ? arg[1].value.c.re
                                                   : 3;
  return ma_op_of_power(op, exponent, loop);
}
