/* reductions.c: the table of reductions, made from kernels/reduce/reduce.def, and the dtypes of their results. */
#include "program/program.h"

#include <math.h>

#define EMPTY MA_REDF_EMPTY
#define INITIAL MA_REDF_INITIAL
#define TRUTH MA_REDF_TRUTH
#define POSITION MA_REDF_POSITION
#define SCAN MA_REDF_SCAN
#define INTEGER MA_REDF_INTEGER
#define FLOAT MA_REDF_FLOAT

const ma_reduce_info ma_reduces[MA_NREDUCE] = {
#define REDUCE(name, monoid, result, flags, empty, op, doc) \
  { #name, #monoid, doc, MA_RESULT_##result, flags, MA_OP_##op, empty },
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
  for (int k = 0; k < MA_NREDUCE; k++)
    if (ma_reduces[k].op == op) {
      *reduce = (ma_reduce_op)k;
      return true;
    }
  return false;
}
