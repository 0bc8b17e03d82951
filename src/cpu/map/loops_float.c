/* loops_float.c: loops of floats; the 16-bit floats use those of float. loops_faster.h replaces some. */
#ifndef LOOPS
#define LOOPS "loops_float.c"
#include <float.h>
#include <string.h>
#include "cpu/map/loops.h"
#else

#define FASTER_FILE "loops_faster.h"
#if JOIN(FUSES, TARGET)
#define FASTER_LOOPS \
  FASTER(clip) FASTER(round) FASTER(exp) FASTER(log) FASTER(fmod) FASTER(remainder) FASTER(floor_divide)
#else
#define FASTER_LOOPS FASTER(clip) FASTER(round) FASTER(exp) FASTER(log)
#endif

#define KIND 3
#define TYPE float
#define REAL_TYPE float
#define SUFFIX f4
#define MASK int32_t
#define FUSED __builtin_fmaf
#define MOST_QUOTIENT 0x1p22f
#define MOST_DIVISOR FLT_MAX
#define EXP_TAME 87
#define EXP_LEAST 110
#define EXP_WIDE double
#define EXP_PART 1
#define EXP_JOINED(far) (float)(far)
#define LOG_LEAST 0x00800000
#define LOG_INFINITE 0x7f800000
#define LOG_MAGNITUDE 0x7fffffff
#define LOG_UNIT 103.27892990343184 /* 149 log 2 */
#include "cpu/map/loops_make.h"
#define TYPE double
#define REAL_TYPE double
#define SUFFIX f8
#define MASK int64_t
#define FUSED __builtin_fma
#define MOST_QUOTIENT 0x1p51
#define MOST_DIVISOR DBL_MAX
#define EXP_TAME 708
#define EXP_LEAST 750
#define EXP_WIDE double
#define EXP_PART 0.5
#define EXP_JOINED(far) ((far) * (far))
#define LOG_LEAST 0x0010000000000000
#define LOG_INFINITE 0x7ff0000000000000
#define LOG_MAGNITUDE 0x7fffffffffffffff
#define LOG_UNIT 744.4400719213812 /* 1074 log 2 */
#include "cpu/map/loops_make.h"
#undef KIND
#undef FASTER_LOOPS
#undef FASTER_FILE

ma_loop *const *const JOIN(ma_float_loops, TARGET)[2] = { GLUE(loops, f4, TARGET), GLUE(loops, f8, TARGET) };
#endif
