/* monoid.c: which loops a reduction has. scripts/monoids.awk prints them, and the table of them. */
#include "cpu/reduce/monoid.h"

int ma_cpu_monoid_id(ma_reduce_op op) {
  static const uint8_t ids[MA_NREDUCE] = {
#define REDUCE(name, monoid, ...) RED_##monoid,
#include "kernels/reduce/reduce.def"
#undef REDUCE
  };
  return ids[op];
}

const ma_monoid *ma_cpu_monoid(ma_reduce_op op, ma_dtype dtype, bool masked) {
  int id = ma_cpu_monoid_id(op);
  if (id == RED_band && dtype == MA_BOOL) id = RED_all;
  const ma_monoid *own = masked ? ma_monoids[1][id][dtype] : NULL;
  return own ? own : ma_monoids[0][id][dtype];
}
