/*
** ops.c: the table of operations, made from kernels/ops.def, where each is defined once for both backends.
*/
#include "program/program.h"

#include <math.h>
#include <string.h>

/* The words in ops.def. */
enum {
  T = MA_SIG_T,
  BOOL = MA_SIG_BOOL,
  INT32 = MA_SIG_INT32,
  INT64 = MA_SIG_INT64,
  UINT8 = MA_SIG_UINT8,
  REAL = MA_SIG_REAL,
  TRUE_DIVIDE = MA_OPF_TRUE_DIVIDE,
  DOUBLE = MA_OPF_DOUBLE,
  NO_BOOL = MA_OPF_NO_BOOL,
  COMPARISON = MA_OPF_COMPARISON,
  INTERNAL = MA_OPF_INTERNAL,
  DRAWS = MA_OPF_DRAWS,
  FLOATS = 1 << MA_KIND_FLOAT,
  INEXACT = 1 << MA_KIND_FLOAT | 1 << MA_KIND_COMPLEX,
  REALS = (1 << MA_KIND_COMPLEX) - 1,
  ANY = (1 << MA_NKIND) - 1
};
#define EXACT(kinds) .exact = (kinds)
#define SIGNLESS .signless = true
#define LIGHT .light = true
#define IDENTITY(x) .folds = true, .identity = (x)
#define BEGINS .begins = true
#define ZERO .zero = true
#define EXTREME .extreme = true
#define EXPONENTS .exponents = true
#define TRUTHS(op) .truths = MA_OP_##op
#define BITS(op, with) .bits = MA_OP_##op, .mask = (with)
#define WIDTHS(f16, bf16) .widths = { MA_OP_##f16, MA_OP_##bf16 }

#define LIST(...) \
  { __VA_ARGS__ }
#define TEXT(body) sizeof(#body) == sizeof("NO") ? NULL : #body /* no body has two characters, see ops.def */
#define FACTS(...) __VA_ARGS__
#define OP(name, nin, in, out, flags, facts, b, i, u, f, c, doc) \
  { #name, nin, flags, LIST in, out, { TEXT(b), TEXT(i), TEXT(u), TEXT(f), TEXT(c) }, doc, .family = 0, FACTS facts },
#define SPECIAL(name, nin, in, header, flags, operands, f, c, doc) \
  { #name,                                                         \
    nin,                                                           \
    (flags) | MA_OPF_SPECIAL | MA_OPF_TRUE_DIVIDE,                 \
    LIST in,                                                       \
    T,                                                             \
    { NULL, NULL, NULL, TEXT(f), TEXT(c) },                        \
    doc,                                                           \
    .arguments = operands,                                         \
    .family = MA_SPECIAL_##header },

const ma_op_info ma_ops[MA_NOP] = {
#include "kernels/ops.def"
};

ma_opcode ma_op_named(const char *name) {
  int op = 0;
  while (op < MA_NOP && strcmp(ma_ops[op].name, name)) op++;
  return (ma_opcode)op;
}

ma_opcode ma_op_of_power(ma_opcode op, double exponent, ma_dtype loop) {
  static const struct {
    uint16_t op, cheaper;
    double exponent;
    uint8_t kinds;
  } powers[] = {
#define EXPONENT(op, exponent, cheaper, kinds) { MA_OP_##op, MA_OP_##cheaper, exponent, kinds },
#include "kernels/ops.def"
  };
  for (size_t k = 0; k < sizeof powers / sizeof *powers; k++)
    if (powers[k].op == op && powers[k].exponent == exponent && powers[k].kinds >> ma_dtypes[loop].kind & 1)
      return (ma_opcode)powers[k].cheaper;
  return op;
}

ma_dtype ma_sig_dtype(ma_sig sig, ma_dtype loop) {
  switch (sig) {
  case MA_SIG_BOOL: return MA_BOOL;
  case MA_SIG_INT32: return MA_INT32;
  case MA_SIG_INT64: return MA_INT64;
  case MA_SIG_UINT8: return MA_UINT8;
  case MA_SIG_REAL: return loop == MA_COMPLEX64 ? MA_FLOAT32 : loop == MA_COMPLEX128 ? MA_FLOAT64 : loop;
  default: return loop;
  }
}
