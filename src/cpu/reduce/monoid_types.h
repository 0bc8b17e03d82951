/* monoid_types.h: includes monoid_loops.h for each register type in TYPES (RED_MASK: integers of the same width) and
** the monoid MONOID, and undefines all three. */
#if TYPES & I1
#define TYPE i1
#define RED_MASK int8_t
#define RED_V int8_t
#define RED_W int64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW INT8_MIN
#define RED_HIGH INT8_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & I2
#define TYPE i2
#define RED_MASK int16_t
#define RED_V int16_t
#define RED_W int64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW INT16_MIN
#define RED_HIGH INT16_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & I4
#define TYPE i4
#define RED_MASK int32_t
#define RED_V int32_t
#define RED_W int64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW INT32_MIN
#define RED_HIGH INT32_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & I8
#define TYPE i8
#define RED_MASK int64_t
#define RED_V int64_t
#define RED_W int64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW INT64_MIN
#define RED_HIGH INT64_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & U1
#define TYPE u1
#define RED_MASK int8_t
#define RED_V uint8_t
#define RED_W uint64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW 0
#define RED_HIGH UINT8_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & U2
#define TYPE u2
#define RED_MASK int16_t
#define RED_V uint16_t
#define RED_W uint64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW 0
#define RED_HIGH UINT16_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & U4
#define TYPE u4
#define RED_MASK int32_t
#define RED_V uint32_t
#define RED_W uint64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW 0
#define RED_HIGH UINT32_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & U8
#define TYPE u8
#define RED_MASK int64_t
#define RED_V uint64_t
#define RED_W uint64_t
#define RED_CLASS RED_INT
#define RED_FLOATS 0
#define RED_LOW 0
#define RED_HIGH UINT64_MAX
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & F4
#define TYPE f4
#define RED_MASK int32_t
#define RED_V float
#define RED_W double
#define RED_CLASS RED_FLOAT
#define RED_FLOATS 1
#define RED_LOW (-INFINITY)
#define RED_HIGH INFINITY
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & F8
#define TYPE f8
#define RED_MASK int64_t
#define RED_V double
#define RED_W double
#define RED_CLASS RED_FLOAT
#define RED_FLOATS 1
#define RED_LOW (-(double)INFINITY)
#define RED_HIGH ((double)INFINITY)
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & C8
#define TYPE c8
#define RED_MASK int64_t
#define RED_V ma_c64
#define RED_W ma_c128
#define RED_CLASS RED_COMPLEX
#define RED_FLOATS 0
#define RED_LOW ((ma_c64){ -INFINITY, -INFINITY })
#define RED_HIGH ((ma_c64){ INFINITY, INFINITY })
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#if TYPES & C16
#define TYPE c16
#define RED_MASK int64_t
#define RED_V ma_c128
#define RED_W ma_c128
#define RED_CLASS RED_COMPLEX
#define RED_FLOATS 0
#define RED_LOW ((ma_c128){ -INFINITY, -INFINITY })
#define RED_HIGH ((ma_c128){ INFINITY, INFINITY })
#include "cpu/reduce/monoid_loops.h"
#undef TYPE
#undef RED_FLOATS
#endif
#undef MONOID
#undef TYPES
#undef MASKED
