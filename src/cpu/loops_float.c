/*
** loops_float.c: the loops of floats; the 16-bit floats use those of float.
*/
#ifndef LOOPS
#define LOOPS "loops_float.c"
#include "loops.h"
#else

#define KIND 3
#define TYPE float
#define REAL_TYPE float
#define SUFFIX f4
#include "loops_make.h"
#define TYPE double
#define REAL_TYPE double
#define SUFFIX f8
#include "loops_make.h"
#undef KIND

ma_loop *const *const JOIN(ma_float_loops, TARGET)[2] = {
  GLUE(loops, f4, TARGET), GLUE(loops, f8, TARGET)
};
#endif
