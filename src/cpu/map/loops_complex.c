/* loops_complex.c: loops of complex numbers. */
#ifndef LOOPS
#define LOOPS "loops_complex.c"
#include "cpu/map/loops.h"
#else

#define KIND 4
#define TYPE ma_c64
#define REAL_TYPE float
#define SUFFIX c8
#include "cpu/map/loops_make.h"
#define TYPE ma_c128
#define REAL_TYPE double
#define SUFFIX c16
#include "cpu/map/loops_make.h"
#undef KIND

ma_loop *const *const JOIN(ma_complex_loops, TARGET)[2] = { GLUE(loops, c8, TARGET), GLUE(loops, c16, TARGET) };
#endif
