/* trace.c: builds the tape of a function while it is traced. trace.h describes it. Loops, casts and cheaper
** operations are chosen by the functions that ufunc.c uses, so fused and unfused results have the same bits. */
#include "ops/ops.h"
#include "program/loop.h"
#include "program/splice.h"
#include "kernel/trace.h"

#include <math.h>
#include <string.h>

void ma_tape_clear(ma_tape *tape) {
  tape->nnode = tape->nnumber = tape->nguard = tape->nreduce = 0;
  tape->uses_ndim = tape->full = false;
  tape->first = MA_NDTYPE;
}

/* ==== Nodes ====================================================================================================== */

/* Finds an equal node, or adds one. */
static ma_status add_node(ma_tape *tape, const ma_node *node, ma_operand *made) {
  made->kind = MA_TRACED_NODE;
  for (int k = 0; k < tape->nnode; k++) {
    const ma_node *old = &tape->node[k];
    if (old->kind == node->kind && !memcmp(&old->instr, &node->instr, sizeof node->instr)) {
      made->id = (uint8_t)k;
      return MA_OK;
    }
  }
  tape->full = tape->nnode == MA_MAX_TRACE_NODES;
  if (tape->full)
    return ma_fail(MA_ERR_VALUE, "more than %d operations; a fused function has at most %d instructions",
                   MA_MAX_TRACE_NODES, MA_MAX_CODE);
  tape->node[tape->nnode] = *node;
  made->id = (uint8_t)tape->nnode++;
  return MA_OK;
}

ma_status ma_tape_input(ma_tape *tape, int argument, ma_dtype dtype, int ndim, ma_operand *made) {
  ma_node node = { .kind = MA_NODE_INPUT,
                   .instr = { .result = (uint8_t)dtype, .arg = { (uint8_t)argument } },
                   .arrays = 1u << argument };
  tape->ndim[argument] = (uint8_t)ndim;
  return add_node(tape, &node, made);
}

static ma_status add_code(ma_tape *tape, ma_instr instr, const ma_operand *arg, ma_operand *made) {
  ma_node node = { .kind = MA_NODE_CODE, .instr = instr };
  for (int k = 0; k < ma_ops[instr.op].nin; k++) {
    node.instr.arg[k] = arg[k].id;
    node.arrays |= tape->node[arg[k].id].arrays;
  }
  return add_node(tape, &node, made);
}

ma_dtype ma_tape_dtype(const ma_tape *tape, ma_operand operand) {
  return (ma_dtype)tape->node[operand.id].instr.result;
}

int ma_tape_ndim(ma_tape *tape, ma_operand operand) {
  int ndim = 0;
  tape->uses_ndim = true;
  for (int k = 0; k < MA_MAX_TRACE_ARGS; k++)
    if (tape->node[operand.id].arrays >> k & 1 && tape->ndim[k] > ndim) ndim = tape->ndim[k];
  return ndim;
}

static ma_status cast_node(ma_tape *tape, ma_operand from, ma_dtype to, ma_operand *made) {
  ma_dtype dtype = ma_tape_dtype(tape, from);
  *made = from;
  return dtype == to ? MA_OK : add_code(tape, ma_instr_cast(dtype, to), &from, made);
}

/* ==== Numbers and guards ========================================================================================= */

static ma_arg arg_of(const ma_number *number) {
  return (ma_arg){ .value = number->value, .dtype = (ma_dtype)number->dtype, .weak = (ma_weak)number->weak };
}

/* Constants are compared by their bits: -0 is not 0, and NaN is the same NaN. */
static bool same_value(const ma_number *a, const ma_number *b) {
  return a->kind == b->kind && a->op == b->op && !memcmp(a->from, b->from, sizeof a->from) && a->dtype == b->dtype &&
         a->weak == b->weak && a->plain == b->plain &&
         /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
         (a->kind != MA_NUMBER_CONSTANT || !memcmp(&a->value, &b->value, sizeof a->value));
}

static ma_status add_number(ma_tape *tape, const ma_number *number, ma_operand *made) {
  made->kind = MA_TRACED_NUMBER;
  for (int k = 0; k < tape->nnumber; k++)
    if (same_value(&tape->number[k], number)) {
      made->id = (uint8_t)k;
      return MA_OK;
    }
  tape->full = tape->nnumber == MA_MAX_TRACE_NUMBERS;
  if (tape->full)
    return ma_fail(MA_ERR_VALUE, "more than %d numbers; a fused function has at most %d scalars", MA_MAX_TRACE_NUMBERS,
                   MA_MAX_SCALARS);
  tape->number[tape->nnumber] = *number;
  made->id = (uint8_t)tape->nnumber++;
  return MA_OK;
}

ma_status ma_tape_number(ma_tape *tape, int argument, const ma_arg *scalar, bool plain, ma_operand *made) {
  ma_number number = { .kind = argument < 0 ? MA_NUMBER_CONSTANT : MA_NUMBER_ARGUMENT,
                       .from = { (uint8_t)(argument < 0 ? 0 : argument) },
                       .dtype = (uint8_t)scalar->dtype,
                       .weak = (uint8_t)scalar->weak,
                       .plain = plain };
  memset(&number.value, 0, sizeof number.value); /* constants are compared as bytes */
  if (ma_dtypes[scalar->dtype].kind >= MA_KIND_FLOAT) number.value.c = scalar->value.c;
  else number.value.i = scalar->value.i;
  if (ma_dtypes[scalar->dtype].kind == MA_KIND_FLOAT) number.value.c.im = 0;
  return add_number(tape, &number, made);
}

ma_status ma_tape_outside(ma_tape *tape, int argument, const ma_arg *scalar, ma_operand *made) {
  MA_TRY(ma_tape_number(tape, argument, scalar, true, made));
  tape->number[made->id].kind = MA_NUMBER_OUTSIDE;
  return MA_OK;
}

static double number_of(ma_value value, int weak) {
  return weak == MA_WEAK_INT ? (double)value.i : weak == MA_WEAK_WIDE ? (double)value.u : value.c.re;
}

#define TWO_63 9223372036854775808.0

/* Converts a result of arithmetic as a Lua argument is converted: whole numbers become integers, except -0, and a
** NaN has no sign. */
static void settle(double x, ma_value *value, uint8_t *dtype, uint8_t *weak) {
  bool whole = x >= -TWO_63 && x < TWO_63 && (double)(int64_t)x == x && !(x == 0 && signbit(x));
  memset(value, 0, sizeof *value);
  if (whole) value->i = (int64_t)x;
  else value->c.re = x == x ? x : (double)NAN;
  *dtype = whole ? MA_INT64 : MA_FLOAT64;
  *weak = whole ? MA_WEAK_INT : MA_WEAK_FLOAT;
}

static double arithmetic(int op, double a, double b) {
#define OPERATOR(name, metamethod, in_place, value) \
  if (op == MA_OP_##name) return value;
#include "kernels/ops.def"
  return NAN;
}

ma_status ma_tape_arithmetic(ma_tape *tape, ma_opcode op, ma_operand a, ma_operand b, ma_operand *made) {
  const ma_number *x = &tape->number[a.id], *y = &tape->number[b.id];
  ma_number number = { .kind = MA_NUMBER_DERIVED, .op = (uint16_t)op, .from = { a.id, b.id }, .plain = true };
  settle(arithmetic(op, number_of(x->value, x->weak), number_of(y->value, y->weak)), &number.value, &number.dtype,
         &number.weak);
  return add_number(tape, &number, made);
}

/* A result as what it is in Lua: src/bind/lua/value.c says which integers are numbers. */
static void settle_result(ma_value value, ma_dtype dtype, ma_number *number) {
  const int64_t exact = INT64_C(1) << 53;
  ma_kind kind = ma_dtypes[dtype].kind;
  bool wide = kind == MA_KIND_UNSIGNED && value.i < 0;
  number->plain = kind == MA_KIND_FLOAT;
  number->value = value;
  number->dtype = kind == MA_KIND_BOOL      ? MA_BOOL
                  : kind == MA_KIND_COMPLEX ? MA_COMPLEX128
                  : wide                    ? MA_UINT64
                                            : MA_INT64;
  number->weak = kind == MA_KIND_BOOL      ? MA_STRONG
                 : kind == MA_KIND_COMPLEX ? MA_WEAK_COMPLEX
                 : wide                    ? MA_WEAK_WIDE
                                           : MA_WEAK_INT;
  if (kind == MA_KIND_FLOAT) settle(value.c.re, &number->value, &number->dtype, &number->weak);
  else if (number->weak == MA_WEAK_INT) number->plain = value.i >= -exact && value.i <= exact;
}

static ma_status compute(int op, const ma_arg *arg, uint32_t plain, ma_number *number) {
  ma_opcode of = (ma_opcode)op;
  ma_value value;
  ma_dtype dtype;
  MA_TRY(ma_ufunc_numbers(&of, 1, arg, plain, &value, &dtype));
  settle_result(value, dtype, number);
  return MA_OK;
}

/* An operation on numbers alone. */
static ma_status add_function(ma_tape *tape, ma_opcode op, const ma_operand *operand, ma_operand *made) {
  ma_number number = { .kind = MA_NUMBER_FUNCTION, .op = (uint16_t)op };
  ma_arg arg[MA_MAX_ARITY];
  uint32_t plain = 0;
  for (int k = 0; k < ma_ops[op].nin; k++) {
    const ma_number *from = &tape->number[operand[k].id];
    number.from[k] = operand[k].id;
    arg[k] = arg_of(from);
    plain |= (uint32_t)from->plain << k;
  }
  MA_TRY(compute(op, arg, plain, &number));
  return add_number(tape, &number, made);
}

static int exponent_class(ma_value value, int weak, ma_dtype loop) {
  static const double cheap[] = { 2, 1, 0.5, -1 };
  if (weak != MA_WEAK_INT && weak != MA_WEAK_FLOAT) return 0;
  double x = number_of(value, weak);
  for (int k = 0; k < 4; k++)
    if (x == cheap[k]) return k + 1;
  return ma_dtypes[loop].kind == MA_KIND_SIGNED && x < 0 ? 5 : 0;
}

static int guard_value(const ma_guard *guard, ma_value value, int weak) {
  ma_value unused;
  switch (guard->kind) {
  case MA_GUARD_WEAK: return weak;
  case MA_GUARD_FIT:
    return !ma_weak_is_whole(weak) || ma_value_weak(value, (ma_weak)weak, (ma_dtype)guard->dtype, &unused) == MA_OK;
  case MA_GUARD_ZERO: return weak == MA_WEAK_FLOAT && value.c.re == 0;
  default: return exponent_class(value, weak, (ma_dtype)guard->dtype);
  }
}

/* Makes the plan depend on this property of the number. */
static ma_status guard(ma_tape *tape, ma_guard_kind kind, ma_operand operand, ma_dtype dtype) {
  const ma_number *number = &tape->number[operand.id];
  ma_guard guard = { .kind = (uint8_t)kind, .number = operand.id, .dtype = (uint8_t)dtype };
  if (number->kind == MA_NUMBER_CONSTANT) return MA_OK;
  guard.expected = (uint8_t)guard_value(&guard, number->value, number->weak);
  for (int k = 0; k < tape->nguard; k++)
    if (!memcmp(&tape->guard[k], &guard, sizeof guard)) return MA_OK;
  tape->full = tape->nguard == MA_MAX_TRACE_GUARDS;
  if (tape->full)
    return ma_fail(MA_ERR_VALUE, "%d uses of numbers whose value decides the operation; at most %d",
                   MA_MAX_TRACE_GUARDS + 1, MA_MAX_TRACE_GUARDS);
  tape->guard[tape->nguard++] = guard;
  return MA_OK;
}

/* Converts the number to a scalar of that dtype. One that does not fit is an error at once, as it is unfused. */
ma_status ma_tape_convert(const ma_arg *number, ma_dtype to, ma_value *value) {
  if (number->weak != MA_STRONG) return ma_value_weak(number->value, number->weak, to, value);
  *value = ma_value_cast(number->value, number->dtype, to);
  return MA_OK;
}

static ma_status scalar_node(ma_tape *tape, ma_operand number, ma_dtype dtype, ma_operand *made) {
  ma_value value;
  ma_arg arg = arg_of(&tape->number[number.id]);
  ma_node node = { .kind = MA_NODE_SCALAR, .instr = { .result = (uint8_t)dtype, .arg = { number.id } } };
  MA_TRY(ma_tape_convert(&arg, dtype, &value));
  return add_node(tape, &node, made);
}

/* ==== Operations ================================================================================================= */

/* loop.c looks only at the dtypes of arrays, so nodes are passed as arrays without memory. */
static void stand_in(const ma_tape *tape, int nin, const ma_operand *operand, ma_array *array, ma_arg *arg) {
  for (int k = 0; k < nin; k++) {
    if (operand[k].kind == MA_TRACED_NUMBER) {
      arg[k] = arg_of(&tape->number[operand[k].id]);
      continue;
    }
    array[k].buffer = NULL;
    array[k].size = array[k].ndim = 0;
    array[k].dtype = tape->node[operand[k].id].instr.result;
    arg[k] = (ma_arg){ .array = &array[k], .weak = MA_STRONG };
  }
}

static bool is_minus_zero(const ma_arg *arg) {
  return !arg->array && arg->weak == MA_WEAK_FLOAT && arg->value.c.re == 0;
}

/* Beside integers alone, -0 becomes the integer 0, as in any operation. What decides it is guarded: a number from
** outside may be another one, or whole, in another call. */
static ma_status settle_zero(ma_tape *tape, int nin, ma_operand *operand, ma_arg *arg) {
  bool inexact = false, any = false, fraction = false;
  int nnumber = 0;
  for (int k = 0; k < nin; k++) {
    inexact |= arg[k].array && ma_dtypes[arg[k].array->dtype].kind >= MA_KIND_FLOAT;
    any |= arg[k].array != NULL;
    nnumber += !arg[k].array;
    fraction |= !arg[k].array && arg[k].weak >= MA_WEAK_FLOAT && !is_minus_zero(&arg[k]);
  }
  for (int k = 0; k < nin && any && !inexact; k++) {
    if (arg[k].array || (arg[k].weak != MA_WEAK_FLOAT && arg[k].weak != MA_WEAK_INT)) continue;
    if (arg[k].weak == MA_WEAK_FLOAT || tape->number[operand[k].id].kind >= MA_NUMBER_OUTSIDE)
      MA_TRY(guard(tape, MA_GUARD_ZERO, operand[k], MA_FLOAT64));
    if (nnumber > 1 && tape->number[operand[k].id].kind >= MA_NUMBER_OUTSIDE)
      MA_TRY(guard(tape, MA_GUARD_WEAK, operand[k], MA_INT64));
    if (fraction || !is_minus_zero(&arg[k])) continue;
    arg[k] = (ma_arg){ .array = NULL, .value = { .i = 0 }, .dtype = MA_INT64, .weak = MA_WEAK_INT };
    MA_TRY(ma_tape_number(tape, -1, &arg[k], true, &operand[k]));
  }
  return MA_OK;
}

/* Whether a Lua number at place k leads to this loop whether it is whole or not. */
static bool is_any_number(const ma_opcode *ops, int nout, const ma_arg *given, int k, ma_dtype dtype, ma_dtype loop) {
  ma_arg arg[MA_MAX_ARITY];
  if (given[k].weak != MA_WEAK_INT && given[k].weak != MA_WEAK_FLOAT) return false;
  memcpy(arg, given, ma_ops[ops[0]].nin * sizeof *arg);
  for (int whole = 0; whole < 2; whole++) {
    ma_dtype found;
    arg[k] = whole ? (ma_arg){ .value = { .i = 1 }, .dtype = MA_INT64, .weak = MA_WEAK_INT }
                   : (ma_arg){ .value = { .c = { 0.5, 0 } }, .dtype = MA_FLOAT64, .weak = MA_WEAK_FLOAT };
    if (ma_loop_find_all(ops, nout, arg, dtype, &found) != MA_OK || found != loop) return false;
  }
  return true;
}

/* Adds guards for the values on which the choice of the loop and of the operation depended. */
static ma_status guard_numbers(ma_tape *tape, const ma_opcode *ops, int nout, const ma_operand *operand,
                               const ma_arg *arg, ma_dtype dtype, ma_dtype loop) {
  const ma_op_info *info = &ma_ops[ops[0]];
  for (int k = 0; k < info->nin; k++) {
    if (operand[k].kind != MA_TRACED_NUMBER) continue;
    if (tape->number[operand[k].id].kind >= MA_NUMBER_OUTSIDE && !is_any_number(ops, nout, arg, k, dtype, loop))
      MA_TRY(guard(tape, MA_GUARD_WEAK, operand[k], MA_INT64));
    if (info->flags & MA_OPF_COMPARISON && ma_weak_is_whole(arg[k].weak))
      MA_TRY(guard(tape, MA_GUARD_FIT, operand[k], loop));
    if (info->exponents && k == 1) MA_TRY(guard(tape, MA_GUARD_EXPONENT, operand[k], loop));
  }
  return MA_OK;
}

static ma_status operand_node(ma_tape *tape, ma_operand operand, ma_sig sig, ma_dtype loop, ma_operand *made) {
  ma_dtype wanted = ma_sig_dtype(sig, loop);
  if (operand.kind == MA_TRACED_NUMBER) return scalar_node(tape, operand, wanted, made);
  ma_dtype dtype = ma_tape_dtype(tape, operand);
  if (!ma_sig_takes(sig, wanted, dtype))
    return ma_fail(MA_ERR_TYPE, "an operand of dtype %s; %s is wanted", ma_dtypes[dtype].name, ma_dtypes[wanted].name);
  return cast_node(tape, operand, wanted, made);
}

/* Masked elements become 0, as without `out`. */
static ma_status mask_node(ma_tape *tape, ma_operand mask, ma_operand *node) {
  ma_dtype dtype = ma_tape_dtype(tape, *node);
  ma_arg nothing = { .value = { .i = 0 }, .dtype = MA_INT64, .weak = MA_STRONG };
  ma_operand arg[3] = { mask, *node, mask };
  MA_TRY(cast_node(tape, mask, MA_BOOL, &arg[0]));
  MA_TRY(ma_tape_number(tape, -1, &nothing, false, &arg[2]));
  MA_TRY(scalar_node(tape, arg[2], dtype, &arg[2]));
  return add_code(tape, ma_instr_of(MA_DO_choose, dtype), arg, node);
}

ma_status ma_tape_apply(ma_tape *tape, const ma_opcode *ops, int nout, const ma_operand *given, ma_dtype dtype,
                        const ma_operand *where, ma_operand *made) {
  ma_array array[MA_MAX_ARITY];
  ma_arg arg[MA_MAX_ARITY];
  ma_operand operand[MA_MAX_ARITY], node[MA_MAX_ARITY];
  ma_dtype loop;
  int nin = ma_ops[ops[0]].nin;
  bool alone = dtype == MA_NDTYPE && !where;
  for (int k = 0; k < nin; k++) alone &= given[k].kind == MA_TRACED_NUMBER;
  for (int k = 0; k < nout && alone; k++) MA_TRY(add_function(tape, ops[k], given, &made[k]));
  if (alone) return MA_OK;
  memcpy(operand, given, (size_t)nin * sizeof *operand);
  stand_in(tape, nin, operand, array, arg);
  MA_TRY(settle_zero(tape, nin, operand, arg));
  MA_TRY(ma_loop_find_all(ops, nout, arg, dtype, &loop));
  MA_TRY(guard_numbers(tape, ops, nout, operand, arg, dtype, loop));
  MA_TRY(ma_loop_fit(ops[0], arg, &loop));
  MA_TRY(ma_ufunc_exponent(ops[0], arg, loop, NULL));
  if (ma_op_takes_exponents(ops[0]) && ma_dtypes[loop].kind == MA_KIND_SIGNED && arg[1].array &&
      ma_dtypes[arg[1].array->dtype].kind == MA_KIND_SIGNED)
    return ma_fail(
      MA_ERR_TYPE,
      "an integer to the power of a signed integer array, whose exponents a fused function cannot look at; "
      "make one a float array, or the exponents unsigned");
  ma_opcode first = ma_loop_cheaper(ops[0], arg, loop);
  nin = ma_ops[first].nin;
  for (int k = 0; k < nin; k++) MA_TRY(operand_node(tape, operand[k], (ma_sig)ma_ops[first].in[k], loop, &node[k]));
  for (int k = 0; k < nout; k++) {
    MA_TRY(add_code(tape, ma_instr_of(k ? ops[k] : first, loop), node, &made[k]));
    if (where) MA_TRY(mask_node(tape, *where, &made[k]));
  }
  return MA_OK;
}

ma_status ma_tape_cast(ma_tape *tape, ma_operand operand, ma_dtype dtype, ma_operand *made) {
  return operand.kind == MA_TRACED_NUMBER ? scalar_node(tape, operand, dtype, made)
                                          : cast_node(tape, operand, dtype, made);
}

ma_status ma_tape_constants(ma_tape *tape, int n, const ma_operand *operand, ma_dtype *dtype) {
  ma_arg arg[MA_MAX_ARITY];
  for (int k = 0; k < n; k++) {
    if (operand[k].kind != MA_TRACED_NUMBER) return MA_OK;
    arg[k] = arg_of(&tape->number[operand[k].id]);
  }
  ma_dtype found = ma_loop_constants(tape->first, n, arg);
  if (found == MA_NDTYPE) return MA_OK;
  *dtype = found;
  bool any = ma_dtypes[tape->first].kind >= MA_KIND_FLOAT;
  for (int k = 0; k < n && !any; k++) {
    if (tape->number[operand[k].id].kind >= MA_NUMBER_OUTSIDE) MA_TRY(guard(tape, MA_GUARD_WEAK, operand[k], MA_INT64));
    if (arg[k].weak == MA_WEAK_FLOAT) MA_TRY(guard(tape, MA_GUARD_ZERO, operand[k], MA_FLOAT64));
  }
  return MA_OK;
}

/* A result that is a number becomes an array of the dtype of constants, or of the number's own without fields. */
ma_status ma_tape_result(ma_tape *tape, ma_operand *operand) {
  ma_dtype dtype = MA_NDTYPE;
  if (operand->kind != MA_TRACED_NUMBER) return MA_OK;
  MA_TRY(ma_tape_constants(tape, 1, operand, &dtype));
  if (dtype == MA_NDTYPE) {
    if (tape->number[operand->id].kind >= MA_NUMBER_OUTSIDE) MA_TRY(guard(tape, MA_GUARD_WEAK, *operand, MA_INT64));
    dtype = (ma_dtype)tape->number[operand->id].dtype;
  }
  return scalar_node(tape, *operand, dtype, operand);
}

ma_status ma_tape_reduce(ma_tape *tape, const ma_traced_reduce *reduce, ma_operand *made) {
  if (tape->nreduce == MA_MAX_TRACE_RESULTS)
    return ma_fail(MA_ERR_VALUE, "more than %d reductions; a fused function has at most %d results",
                   MA_MAX_TRACE_RESULTS, MA_MAX_TRACE_RESULTS);
  if (!tape->node[reduce->node].arrays)
    return ma_fail(MA_ERR_VALUE, "a reduction of numbers alone; one argument that it depends on must be an array");
  made->kind = MA_TRACED_REDUCE;
  made->id = (uint8_t)tape->nreduce;
  tape->reduce[tape->nreduce++] = *reduce;
  return MA_OK;
}

/* ==== What results use ============================================================================================ */

typedef struct liveness {
  bool node[MA_MAX_TRACE_NODES], number[MA_MAX_TRACE_NUMBERS];
} liveness;

static void mark(const ma_tape *tape, const ma_operand *result, liveness *live) {
  if (result->kind == MA_TRACED_NODE) live->node[result->id] = true;
  else if (result->kind == MA_TRACED_NUMBER) live->number[result->id] = true;
  else {
    const ma_traced_reduce *reduce = &tape->reduce[result->id];
    live->node[reduce->node] = true;
    if (reduce->mask != 255) live->node[reduce->mask] = true;
  }
}

static bool compares(int op) { return ma_ops[op].out == MA_SIG_BOOL && !(ma_ops[op].flags & MA_OPF_INTERNAL); }

int ma_tape_unused(const ma_tape *tape, int nresult, const ma_operand *result, uint32_t *uses) {
  liveness live = { { false }, { false } };
  int unused = -1;
  *uses = 0;
  for (int k = 0; k < nresult; k++) mark(tape, &result[k], &live);
  for (int k = tape->nnode - 1; k >= 0; k--) {
    const ma_node *node = &tape->node[k];
    if (!live.node[k]) {
      if (node->kind == MA_NODE_CODE && compares(node->instr.op)) unused = k;
      continue;
    }
    *uses |= node->arrays;
    if (node->kind == MA_NODE_SCALAR) live.number[node->instr.arg[0]] = true;
    for (int a = 0; node->kind == MA_NODE_CODE && a < ma_ops[node->instr.op].nin; a++)
      live.node[node->instr.arg[a]] = true;
  }
  for (int k = 0; k < tape->nguard; k++) /* what settle_zero took as 0 decided a result */
    if (tape->guard[k].kind == MA_GUARD_ZERO && tape->guard[k].expected) live.number[tape->guard[k].number] = true;
  for (int k = tape->nnumber - 1; k >= 0; k--) {
    const ma_number *number = &tape->number[k];
    bool computed = number->kind >= MA_NUMBER_DERIVED;
    if (!live.number[k]) {
      if (number->kind == MA_NUMBER_FUNCTION && compares(number->op)) unused = MA_MAX_TRACE_NODES + k;
      continue;
    }
    if (number->kind != MA_NUMBER_CONSTANT) *uses |= MA_USES_NUMBER;
    for (int a = 0; computed && a < ma_ops[number->op].nin; a++) live.number[number->from[a]] = true;
  }
  return unused;
}

bool ma_tape_computes(const ma_tape *tape) {
  bool computes = tape->nreduce > 0;
  for (int k = 0; k < tape->nnode; k++) computes |= tape->node[k].kind == MA_NODE_CODE;
  for (int k = 0; k < tape->nnumber; k++) computes |= tape->number[k].kind >= MA_NUMBER_DERIVED;
  return computes;
}

/* ==== Numbers of a call ========================================================================================== */

/* Computes a number of a call from the earlier ones. Bit k of `plain`: number k is a Lua number. */
static bool compute_number(const ma_number *n, const ma_arg *number, uint64_t plain, ma_number *made) {
  ma_arg arg[MA_MAX_ARITY];
  uint32_t bits = 0;
  *made = *n;
  for (int k = 0; k < ma_ops[n->op].nin; k++) {
    arg[k] = number[n->from[k]];
    bits |= (uint32_t)(plain >> n->from[k] & 1) << k;
  }
  if (n->kind == MA_NUMBER_FUNCTION) return compute(n->op, arg, bits, made) == MA_OK;
  if (ma_ops[n->op].nin == 1) arg[1] = arg[0];
  settle(arithmetic(n->op, number_of(arg[0].value, arg[0].weak), number_of(arg[1].value, arg[1].weak)), &made->value,
         &made->dtype, &made->weak);
  return true;
}

bool ma_fused_numbers(const ma_fused *plan, const ma_arg *argument, ma_arg *number) {
  uint64_t plain = 0;
  for (int k = 0; k < plan->nnumber; k++) {
    const ma_number *n = &plan->number[k];
    ma_number made = *n;
    if (n->kind >= MA_NUMBER_DERIVED && !compute_number(n, number, plain, &made)) return false;
    bool given = n->kind == MA_NUMBER_ARGUMENT || n->kind == MA_NUMBER_OUTSIDE;
    number[k] = given ? argument[n->from[0]] : arg_of(&made);
    plain |= (uint64_t)made.plain << k;
  }
  return true;
}

bool ma_fused_holds(const ma_fused *plan, const ma_arg *number) {
  for (int k = 0; k < plan->nguard; k++) {
    const ma_arg *n = &number[plan->guard[k].number];
    if (guard_value(&plan->guard[k], n->value, n->weak) != plan->guard[k].expected) return false;
  }
  return true;
}

bool ma_fused_fits(const ma_fused *plan, const ma_arg *number) {
  ma_value unused;
  for (int r = 0; r < plan->nrun; r++)
    for (int k = 0; k < plan->run[r].program.nscalar; k++)
      if (plan->run[r].varies >> k & 1 &&
          ma_tape_convert(&number[plan->run[r].number[k]], (ma_dtype)plan->run[r].program.scalar_dtype[k], &unused))
        return false;
  return true;
}
