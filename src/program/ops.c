/*
** ops.c: the table of operations, made from kernels/ops.def, where each is defined once for both backends.
*/
#include "program/program.h"

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
  INTERNAL = MA_OPF_INTERNAL
};

#define LIST(...) \
  { __VA_ARGS__ }
#define TEXT(body) sizeof(#body) == sizeof("NO") ? NULL : #body /* no body has two characters, see ops.def */
#define OP(name, nin, in, out, flags, b, i, u, f, c, doc) \
  { #name, nin, flags, LIST in, out, { TEXT(b), TEXT(i), TEXT(u), TEXT(f), TEXT(c) }, doc, NULL, 0 },
#define SPECIAL(name, nin, in, family, flags, arguments, f, c, doc)    \
  { #name,   nin,       (flags) | MA_OPF_SPECIAL | MA_OPF_TRUE_DIVIDE, \
    LIST in, T,         { NULL, NULL, NULL, TEXT(f), TEXT(c) },        \
    doc,     arguments, MA_SPECIAL_##family },

const ma_op_info ma_ops[MA_NOP] = {
#include "kernels/ops.def"
};

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
