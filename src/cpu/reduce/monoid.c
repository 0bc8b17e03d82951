/* monoid.c: kernels/reduce/reduce.h as vectorised loops, and the table of monoids by register type. */
#include "cpu/reduce/monoid.h"
#include "cpu/map/wider.h"

#include "kernels/scalar.h"

#include <math.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wtautological-compare" /* x != x tests for NaN, in loops of integers too */

/* Keeps the compiler from making vectors of a loop that is rare and whose vector code would be long. */
#define SCALAR_LOOP __asm__ volatile("")

/* The result may be an operand, but never a shifted one. */
#ifdef __clang__ /* clang checks for overlap at run time */
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define I1 1
#define I2 2
#define I4 4
#define I8 8
#define U1 16
#define U2 32
#define U4 64
#define U8 128
#define F4 256
#define F8 512
#define C8 1024
#define C16 2048
#define UNSIGNED (U1 | U2 | U4 | U8)
#define INEXACT (F4 | F8 | C8 | C16)
#define ALL (I1 | I2 | I4 | I8 | UNSIGNED | INEXACT)

/* For each register type: the type itself, the type of its sums, an integer as wide as it or its part, and its
** class. */
#define TYPES_OF(type, value, wide, mask) \
  typedef value value_##type;             \
  typedef wide wide_##type;               \
  typedef mask mask_##type;
TYPES_OF(i1, int8_t, int64_t, int8_t)
TYPES_OF(i2, int16_t, int64_t, int16_t)
TYPES_OF(i4, int32_t, int64_t, int32_t)
TYPES_OF(i8, int64_t, int64_t, int64_t)
TYPES_OF(u1, uint8_t, uint64_t, int8_t)
TYPES_OF(u2, uint16_t, uint64_t, int16_t)
TYPES_OF(u4, uint32_t, uint64_t, int32_t)
TYPES_OF(u8, uint64_t, uint64_t, int64_t)
TYPES_OF(f4, float, double, int32_t)
TYPES_OF(f8, double, double, int64_t)
TYPES_OF(c8, ma_c64, ma_c128, int64_t)
TYPES_OF(c16, ma_c128, ma_c128, int64_t)
#define CLASS_i1 RED_INT
#define CLASS_i2 RED_INT
#define CLASS_i4 RED_INT
#define CLASS_i8 RED_INT
#define CLASS_u1 RED_INT
#define CLASS_u2 RED_INT
#define CLASS_u4 RED_INT
#define CLASS_u8 RED_INT
#define CLASS_f4 RED_FLOAT
#define CLASS_f8 RED_FLOAT
#define CLASS_c8 RED_COMPLEX
#define CLASS_c16 RED_COMPLEX

#define MASKED 0
#define MONOID sum
#define TYPES (U8 | INEXACT)
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID prod
#define TYPES (U8 | INEXACT)
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID mean
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"

#define MASKED 1
#define MONOID mean
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID moments
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"

#define MASKED 1
#define MONOID moments
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"

#define BEATS(x, t) ((x) < (t))
#define ORDER min
#define MASKED 0
#define MONOID min
#define TYPES ALL
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID argmin
#define TYPES ALL
#include "cpu/reduce/monoid_types.h"
#undef BEATS
#undef ORDER

#define BEATS(x, t) ((x) > (t))
#define ORDER max
#define MASKED 0
#define MONOID max
#define TYPES ALL
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID argmax
#define TYPES ALL
#include "cpu/reduce/monoid_types.h"
#undef BEATS
#undef ORDER

#define ORDER min /* whose loops find the value where there is no NaN */
#define MASKED 0
#define MONOID fmin
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"
#undef ORDER

#define ORDER max
#define MASKED 0
#define MONOID fmax
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"
#undef ORDER

#define MASKED 1
#define MONOID argmin
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"

#define MASKED 1
#define MONOID argmax
#define TYPES INEXACT
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID all
#define TYPES U1
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID count
#define TYPES U1
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID logaddexp
#define TYPES (F4 | F8)
#include "cpu/reduce/monoid_types.h"

#define MASKED 1
#define MONOID logaddexp
#define TYPES (F4 | F8)
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID band
#define TYPES UNSIGNED
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID bor
#define TYPES UNSIGNED
#include "cpu/reduce/monoid_types.h"

#define MASKED 0
#define MONOID bxor
#define TYPES UNSIGNED
#include "cpu/reduce/monoid_types.h"

/* ==== The table ================================================================================================== */

#define WIDE(m, k) [MA_INT64] = &m##_u8_##k##_loops, [MA_UINT64] = &m##_u8_##k##_loops
#define REAL(m, k)                                                                                             \
  [MA_FLOAT16] = &m##_f4_##k##_loops, [MA_BFLOAT16] = &m##_f4_##k##_loops, [MA_FLOAT32] = &m##_f4_##k##_loops, \
  [MA_FLOAT64] = &m##_f8_##k##_loops
#define COMPLEX(m, k) [MA_COMPLEX64] = &m##_c8_##k##_loops, [MA_COMPLEX128] = &m##_c16_##k##_loops
#define SIGNED(m, k)                                                                                   \
  [MA_INT8] = &m##_i1_##k##_loops, [MA_INT16] = &m##_i2_##k##_loops, [MA_INT32] = &m##_i4_##k##_loops, \
  [MA_INT64] = &m##_i8_##k##_loops
#define NATURAL(m, k)                                                                                   \
  [MA_BOOL] = &m##_u1_##k##_loops, [MA_UINT8] = &m##_u1_##k##_loops, [MA_UINT16] = &m##_u2_##k##_loops, \
  [MA_UINT32] = &m##_u4_##k##_loops, [MA_UINT64] = &m##_u8_##k##_loops
/* Bitwise monoids ignore the sign. */
#define BITS(m)                                                                                           \
  NATURAL(m, 0), [MA_INT8] = &m##_u1_0_loops, [MA_INT16] = &m##_u2_0_loops, [MA_INT32] = &m##_u4_0_loops, \
                 [MA_INT64] = &m##_u8_0_loops
#define WHOLE(m, k) NATURAL(m, k), SIGNED(m, k)

static const ma_monoid *const monoids[2][RED_bxor + 1][MA_NDTYPE] = {
  {
    [RED_sum] = { WIDE(sum, 0), REAL(sum, 0), COMPLEX(sum, 0) },
    [RED_prod] = { WIDE(prod, 0), REAL(prod, 0), COMPLEX(prod, 0) },
    [RED_mean] = { REAL(mean, 0), COMPLEX(mean, 0) },
    [RED_moments] = { REAL(moments, 0), COMPLEX(moments, 0) },
    [RED_min] = { WHOLE(min, 0), REAL(min, 0), COMPLEX(min, 0) },
    [RED_max] = { WHOLE(max, 0), REAL(max, 0), COMPLEX(max, 0) },
    [RED_fmin] = { WHOLE(min, 0), REAL(fmin, 0), COMPLEX(fmin, 0) },
    [RED_fmax] = { WHOLE(max, 0), REAL(fmax, 0), COMPLEX(fmax, 0) },
    [RED_argmin] = { WHOLE(argmin, 0), REAL(argmin, 0), COMPLEX(argmin, 0) },
    [RED_argmax] = { WHOLE(argmax, 0), REAL(argmax, 0), COMPLEX(argmax, 0) },
    [RED_any] = { [MA_BOOL] = &bor_u1_0_loops },
    [RED_all] = { [MA_BOOL] = &all_u1_0_loops },
    [RED_count] = { [MA_BOOL] = &count_u1_0_loops },
    [RED_logaddexp] = { REAL(logaddexp, 0) },
    [RED_band] = { BITS(band) },
    [RED_bor] = { BITS(bor) },
    [RED_bxor] = { BITS(bxor) },
  },
  {
    [RED_mean] = { REAL(mean, 1), COMPLEX(mean, 1) },
    [RED_moments] = { REAL(moments, 1), COMPLEX(moments, 1) },
    [RED_argmin] = { REAL(argmin, 1), COMPLEX(argmin, 1) },
    [RED_argmax] = { REAL(argmax, 1), COMPLEX(argmax, 1) },
    [RED_logaddexp] = { REAL(logaddexp, 1) },
  }
};

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
  const ma_monoid *own = masked ? monoids[1][id][dtype] : NULL;
  return own ? own : monoids[0][id][dtype];
}
