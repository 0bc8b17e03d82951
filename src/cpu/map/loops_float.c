/* loops_float.c: loops of floats; the 16-bit floats use those of float. loops_faster.h replaces some. */
#ifndef LOOPS
#define LOOPS "loops_float.c"
#include <float.h>
#include <string.h>
#include "cpu/map/loops.h"
#else

#define FASTER_FILE "loops_faster.h"
#if JOIN(FUSES, TARGET)
#define FASTER_LOOPS FASTER(clip) FASTER(round) FASTER(fmod) FASTER(remainder) FASTER(floor_divide)
#else
#define FASTER_LOOPS FASTER(clip) FASTER(round)
#endif

#define KIND 3
#define TYPE float
#define REAL_TYPE float
#define SUFFIX f4
#define MASK int32_t
#define FUSED __builtin_fmaf
#define MOST_QUOTIENT 0x1p22f
#define MOST_DIVISOR FLT_MAX
#include "cpu/map/loops_make.h"
#define TYPE double
#define REAL_TYPE double
#define SUFFIX f8
#define MASK int64_t
#define FUSED __builtin_fma
#define MOST_QUOTIENT 0x1p51
#define MOST_DIVISOR DBL_MAX
#include "cpu/map/loops_make.h"
#undef KIND
#undef FASTER_LOOPS
#undef FASTER_FILE

ma_loop *const *const JOIN(ma_float_loops, TARGET)[2] = { GLUE(loops, f4, TARGET), GLUE(loops, f8, TARGET) };
#endif
