/*
** combine.c: picks whose values are combined with what is there, one after another, since positions may repeat. The
** usual operations have plain loops; the others use the loops of blocks, a pick at a time.
*/
#include "cpu/index/index.h"
#include "kernels/scalar.h"

#include <string.h>

/* ==== Plain loops ================================================================================================= */

#define COMBINER(operation, suffix, type, combined)                                                             \
  static void operation##_##suffix(const char *side, int64_t stride, char *array, const int64_t *offset, int n, \
                                   bool holes) {                                                                \
    for (int i = 0; i < n; i++) {                                                                               \
      if (holes && offset[i] == MA_OUTSIDE) continue;                                                           \
      item_##suffix *at = (item_##suffix *)(void *)(array + offset[i]);                                         \
      type x = *at, y = *(const item_##suffix *)(const void *)(side + i * stride);                              \
      *at = combined;                                                                                           \
    }                                                                                                           \
  }
#define ORDERED(suffix, type)                    \
  COMBINER(maximum, suffix, type, x > y ? x : y) \
  COMBINER(minimum, suffix, type, x < y ? x : y)
#define WHOLE(suffix, type)                \
  typedef type item_##suffix MA_UNALIGNED; \
  ORDERED(suffix, type)
/* Loops that signed and unsigned numbers share: their sums and products have the same bits. */
#define WRAPPED(suffix, type)               \
  WHOLE(suffix, type)                       \
  COMBINER(add, suffix, type, x + y)        \
  COMBINER(subtract, suffix, type, x - y)   \
  COMBINER(multiply, suffix, type, x *y)    \
  COMBINER(bitwise_and, suffix, type, x &y) \
  COMBINER(bitwise_or, suffix, type, x | y) \
  COMBINER(bitwise_xor, suffix, type, x ^ y)
#define FLOATING(suffix, type)                      \
  typedef type item_##suffix MA_UNALIGNED;          \
  COMBINER(add, suffix, type, x + y)                \
  COMBINER(subtract, suffix, type, x - y)           \
  COMBINER(multiply, suffix, type, x *y)            \
  COMBINER(divide, suffix, type, x / y)             \
  COMBINER(maximum, suffix, type, ma_maximum(x, y)) \
  COMBINER(minimum, suffix, type, ma_minimum(x, y)) \
  COMBINER(fmax, suffix, type, ma_fmax(x, y))       \
  COMBINER(fmin, suffix, type, ma_fmin(x, y))
WHOLE(i4, int32_t)
WHOLE(i8, int64_t)
WRAPPED(u4, uint32_t)
WRAPPED(u8, uint64_t)
FLOATING(f4, float)
FLOATING(f8, double)

static ma_put_loop *const combiners[MA_NOP][MA_NDTYPE] = {
#define WRAPPED_INTEGERS(op) [MA_INT32] = op##_u4, [MA_UINT32] = op##_u4, [MA_INT64] = op##_u8, [MA_UINT64] = op##_u8,
#define INTEGERS(op) [MA_INT32] = op##_i4, [MA_UINT32] = op##_u4, [MA_INT64] = op##_i8, [MA_UINT64] = op##_u8,
#define FLOATS(op) [MA_FLOAT32] = op##_f4, [MA_FLOAT64] = op##_f8
#define NONE(op)
#define COMBINE(op, integers, floats) [MA_OP_##op] = { integers(op) floats(op) },
#include "cpu/index/combine.def"
};

/* ==== Any operation =============================================================================================== */

typedef struct lane {
  _Alignas(MA_ALIGN) char bytes[MA_LANE * sizeof(ma_c128)];
} lane;

ma_status ma_cpu_combine(const ma_gather *g, const char *side, int64_t stride, char *array, const int64_t *offset,
                         int n, bool holes) {
  ma_put_loop *plain = combiners[g->op][g->dtype];
  if (plain) {
    plain(side, stride, array, offset, n, holes);
    return MA_OK;
  }
  size_t size = ma_dtypes[g->dtype].itemsize;
  ma_loop *loop = ma_cpu_loop((ma_opcode)g->op, g->dtype), *round = ma_cpu_round(g->dtype);
  ma_loop *load = ma_cpu_load(g->dtype), *store = ma_cpu_store(g->dtype);
  lane memory = { { 0 } }, x = { { 0 } }, y = { { 0 } };
  if (!loop)
    return ma_fail(MA_ERR_TYPE, "%s of %s; there is no such loop", ma_ops[g->op].name, ma_dtypes[g->dtype].name);
  for (int i = 0; i < n; i++) {
    if (offset[i] == MA_OUTSIDE) continue;
    char *at = array + offset[i];
    for (int operand = 0; operand < 2; operand++) {
      lane *to = operand ? &y : &x;
      memcpy(load ? memory.bytes : to->bytes, operand ? side + i * stride : at, size);
      if (load) load(to->bytes, memory.bytes, NULL, NULL, NULL, MA_LANE);
    }
    loop(x.bytes, x.bytes, y.bytes, NULL, NULL, MA_LANE);
    if (round) round(x.bytes, x.bytes, NULL, NULL, NULL, MA_LANE);
    if (store) store(memory.bytes, x.bytes, NULL, NULL, NULL, MA_LANE);
    memcpy(at, store ? memory.bytes : x.bytes, size);
  }
  return MA_OK;
}
