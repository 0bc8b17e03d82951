/*
** merge.c: reductions over ranks. Sums and products are MPI's own. Its minima and maxima lose a NaN or keep it as the
** order of ranks has it, and it knows no float16: these are functions of ours, which MPI calls.
*/
#include "distributed/distributed.h"

#include <pthread.h>

#define EXTREME(name, type, better)                                               \
  static void name(void *from, void *into, int *count, ma_mpi_handle *mpi_type) { \
    const type *restrict a = from;                                                \
    type *restrict b = into;                                                      \
    for (int i = 0; i < *count; i++) b[i] = better ? a[i] : b[i];                 \
  }
EXTREME(min_float32, float, a[i] < b[i] || a[i] != a[i])
EXTREME(max_float32, float, a[i] > b[i] || a[i] != a[i])
EXTREME(min_float64, double, a[i] < b[i] || a[i] != a[i])
EXTREME(max_float64, double, a[i] > b[i] || a[i] != a[i])

/* The bits of a float16 or bfloat16 as a number of the same order; both zeros are 0. */
static inline int order_of(uint16_t bits) { return bits & 0x8000 ? -(bits & 0x7fff) : bits; }
#define IS_NAN(bits, infinity) (((bits)&0x7fff) > (infinity))
EXTREME(min_float16, uint16_t, IS_NAN(a[i], 0x7c00) || (order_of(a[i]) < order_of(b[i]) && !IS_NAN(b[i], 0x7c00)))
EXTREME(max_float16, uint16_t, IS_NAN(a[i], 0x7c00) || (order_of(a[i]) > order_of(b[i]) && !IS_NAN(b[i], 0x7c00)))
EXTREME(min_bfloat16, uint16_t, IS_NAN(a[i], 0x7f80) || (order_of(a[i]) < order_of(b[i]) && !IS_NAN(b[i], 0x7f80)))
EXTREME(max_bfloat16, uint16_t, IS_NAN(a[i], 0x7f80) || (order_of(a[i]) > order_of(b[i]) && !IS_NAN(b[i], 0x7f80)))

static const struct {
  ma_dtype dtype;
  ma_merge merge;
  ma_mpi_merge *function;
} ours[] = {
  { MA_FLOAT32, MA_MERGE_min, min_float32 },   { MA_FLOAT32, MA_MERGE_max, max_float32 },
  { MA_FLOAT64, MA_MERGE_min, min_float64 },   { MA_FLOAT64, MA_MERGE_max, max_float64 },
  { MA_FLOAT16, MA_MERGE_min, min_float16 },   { MA_FLOAT16, MA_MERGE_max, max_float16 },
  { MA_BFLOAT16, MA_MERGE_min, min_bfloat16 }, { MA_BFLOAT16, MA_MERGE_max, max_bfloat16 },
};
enum { NOURS = sizeof ours / sizeof *ours };

ma_mpi_handle ma_type_of_size(int itemsize) {
  switch (itemsize) {
  case 1: return ma_mpi.UINT8_T;
  case 2: return ma_mpi.UINT16_T;
  case 4: return ma_mpi.UINT32_T;
  case 8: return ma_mpi.UINT64_T;
  default: return ma_mpi.C_DOUBLE_COMPLEX;
  }
}

static ma_mpi_handle type_of(ma_dtype dtype) {
  switch (dtype) {
  case MA_INT8: return ma_mpi.INT8_T;
  case MA_INT16: return ma_mpi.INT16_T;
  case MA_INT32: return ma_mpi.INT32_T;
  case MA_INT64: return ma_mpi.INT64_T;
  case MA_FLOAT32: return ma_mpi.FLOAT;
  case MA_FLOAT64: return ma_mpi.DOUBLE;
  case MA_COMPLEX64: return ma_mpi.C_FLOAT_COMPLEX;
  case MA_COMPLEX128: return ma_mpi.C_DOUBLE_COMPLEX;
  default: return ma_type_of_size(ma_dtypes[dtype].itemsize);
  }
}

static ma_status own_operation(ma_merge merge, ma_dtype dtype, ma_mpi_handle *op) {
  static ma_mpi_handle made[NOURS];
  for (int i = 0; i < NOURS; i++) {
    if (ours[i].dtype != dtype || ours[i].merge != merge) continue;
    if (!made[i]) MA_TRY(ma_mpi_check(ma_mpi.Op_create(ours[i].function, 1, &made[i])));
    *op = made[i];
  }
  return MA_OK;
}

ma_status ma_merge_of(ma_merge merge, ma_dtype dtype, ma_mpi_handle *type, ma_mpi_handle *op) {
  static const char *const names[] = { "sum", "prod", "min", "max" };
  const ma_mpi_handle theirs[] = { ma_mpi.SUM, ma_mpi.PROD, ma_mpi.MIN, ma_mpi.MAX };
  bool extreme = merge == MA_MERGE_min || merge == MA_MERGE_max;
  *type = type_of(dtype);
  *op = 0;
  MA_TRY(own_operation(merge, dtype, op));
  if (*op) return MA_OK;
  bool lacks = extreme ? ma_dtypes[dtype].kind == MA_KIND_COMPLEX : dtype == MA_FLOAT16 || dtype == MA_BFLOAT16;
  if (lacks) return ma_fail(MA_ERR_TYPE, "%s of %s over ranks does not exist", names[merge], ma_dtypes[dtype].name);
  if (dtype == MA_BOOL) merge = merge == MA_MERGE_sum || merge == MA_MERGE_max ? MA_MERGE_max : MA_MERGE_min;
  *op = theirs[merge];
  return MA_OK;
}
