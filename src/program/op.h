/* op.h: what is true of an operation, read from its row of kernels/ops.def, where each fact is explained. No other
** place asks which operation it has before it. */
#ifndef MOONARRAY_PROGRAM_OP_H
#define MOONARRAY_PROGRAM_OP_H

#include "moonarray.h"

#pragma GCC visibility push(hidden)

static inline bool ma_op_is_exact(int op, int loop) { return ma_ops[op].exact >> ma_dtypes[loop].kind & 1; }
static inline bool ma_op_is_signless(int op) { return ma_ops[op].signless; }
static inline bool ma_op_is_light(int op) { return ma_ops[op].light; }
static inline bool ma_op_is_extreme(int op) { return ma_ops[op].extreme; }
static inline bool ma_op_gives_zero(int op) { return ma_ops[op].zero; }
static inline bool ma_op_draws(int op) { return ma_ops[op].flags & MA_OPF_DRAWS; }
static inline bool ma_op_takes_exponents(int op) { return ma_ops[op].exponents; }

/* Whether its body calls a function of kernels/scalar.h, which is mostly long. */
static inline bool ma_op_is_call(int op, int loop) {
  const char *body = ma_ops[op].body[ma_dtypes[loop].kind];
  return body && body[0] == 'm' && body[1] == 'a' && body[2] == '_';
}

/* Whether the result is the first operand as it is: the body is `(x)`. */
static inline bool ma_op_is_move(int op, int loop) {
  const char *body = ma_ops[op].body[ma_dtypes[loop].kind];
  return body && body[0] == '(' && body[1] == 'x' && body[2] == ')' && op != MA_CAST;
}

/* The value of folding nothing; false: there is none. */
static inline bool ma_op_identity(int op, double *value) {
  *value = ma_ops[op].identity;
  return ma_ops[op].folds;
}

/* Whether a fold begins with the identity, since of one element it gives another. */
static inline bool ma_op_begins(int op) { return ma_ops[op].begins; }

/* The operation on bytes that does the same to bools; MA_CAST: there is none. */
static inline ma_opcode ma_op_of_truths(int op) { return (ma_opcode)ma_ops[op].truths; }
/* The operation on the bits of a 16-bit float that does the same, with *mask as its second operand if that is not 0;
** MA_CAST: there is none. */
static inline ma_opcode ma_op_of_bits(int op, uint16_t *mask) {
  *mask = ma_ops[op].mask;
  return (ma_opcode)ma_ops[op].bits;
}

/* Whether the result depends on the dtype in memory: registers hold 16-bit floats as float. */
static inline bool ma_op_has_widths(int op) { return ma_ops[op].widths[0] != 0; }
static inline ma_opcode ma_op_of_width(ma_opcode op, ma_dtype loop) {
  if (__builtin_expect(!ma_op_has_widths(op), 1)) return op;
  return loop == MA_FLOAT16    ? (ma_opcode)ma_ops[op].widths[0]
         : loop == MA_BFLOAT16 ? (ma_opcode)ma_ops[op].widths[1]
                               : op;
}

ma_opcode ma_op_named(const char *name); /* MA_NOP: none has that name */
/* The cheaper operation on x alone that gives `x op exponent`; `op` itself: there is none. */
ma_opcode ma_op_of_power(ma_opcode op, double exponent, ma_dtype loop);

#pragma GCC visibility pop
#endif
