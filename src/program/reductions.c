/* reductions.c: the table of reductions, made from kernels/reduce/reduce.def, and the dtypes of their results. */
#include "program/program.h"

#define EMPTY MA_REDF_EMPTY
#define TRUTH MA_REDF_TRUTH
#define POSITION MA_REDF_POSITION
#define SCAN MA_REDF_SCAN
#define INTEGER MA_REDF_INTEGER
#define FLOAT MA_REDF_FLOAT

const ma_reduce_info ma_reduces[MA_NREDUCE] = {
#define REDUCE(name, monoid, result, flags, doc) { #name, #monoid, doc, MA_RESULT_##result, flags },
#include "kernels/reduce/reduce.def"
#undef REDUCE
};

ma_dtype ma_reduce_dtype(ma_reduce_op op, ma_dtype from) {
  ma_kind kind = ma_dtypes[from].kind;
  switch (ma_reduces[op].result) {
  case MA_RESULT_SUM:
    return kind == MA_KIND_BOOL || kind == MA_KIND_SIGNED ? MA_INT64 : kind == MA_KIND_UNSIGNED ? MA_UINT64 : from;
  case MA_RESULT_MEAN: return kind < MA_KIND_FLOAT ? MA_FLOAT64 : from;
  case MA_RESULT_REAL: return kind < MA_KIND_FLOAT ? MA_FLOAT64 : ma_dtype_real(from);
  case MA_RESULT_BOOL: return MA_BOOL;
  case MA_RESULT_INT64: return MA_INT64;
  default: return from;
  }
}

bool ma_reduce_of_op(ma_opcode op, ma_reduce_op *reduce) {
  static const struct {
    ma_opcode op;
    ma_reduce_op reduce;
  } pairs[] = {
    { MA_OP_add, MA_REDUCE_sum },
    { MA_OP_multiply, MA_REDUCE_prod },
    { MA_OP_minimum, MA_REDUCE_min },
    { MA_OP_maximum, MA_REDUCE_max },
    { MA_OP_fmin, MA_REDUCE_fmin },
    { MA_OP_fmax, MA_REDUCE_fmax },
    { MA_OP_logical_and, MA_REDUCE_all },
    { MA_OP_logical_or, MA_REDUCE_any },
    { MA_OP_logical_xor, MA_REDUCE_logical_xor },
    { MA_OP_bitwise_and, MA_REDUCE_bitwise_and },
    { MA_OP_bitwise_or, MA_REDUCE_bitwise_or },
    { MA_OP_bitwise_xor, MA_REDUCE_bitwise_xor },
    { MA_OP_logaddexp, MA_REDUCE_logaddexp },
  };
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    if (pairs[k].op == op) {
      *reduce = pairs[k].reduce;
      return true;
    }
  return false;
}
