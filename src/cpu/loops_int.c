/*
** loops_int.c: the loops of bools and integers.
*/
#ifndef LOOPS
#define LOOPS "loops_int.c"
#include "loops.h"
#else

#define KIND 0
#define TYPE uint8_t
#define REAL_TYPE uint8_t
#define SUFFIX b1
#include "loops_make.h"
#undef KIND
#define KIND 1
#define TYPE int8_t
#define REAL_TYPE int8_t
#define SUFFIX i1
#include "loops_make.h"
#define TYPE int16_t
#define REAL_TYPE int16_t
#define SUFFIX i2
#include "loops_make.h"
#define TYPE int32_t
#define REAL_TYPE int32_t
#define SUFFIX i4
#include "loops_make.h"
#define TYPE int64_t
#define REAL_TYPE int64_t
#define SUFFIX i8
#include "loops_make.h"
#undef KIND
#define KIND 2
#define TYPE uint8_t
#define REAL_TYPE uint8_t
#define SUFFIX u1
#include "loops_make.h"
#define TYPE uint16_t
#define REAL_TYPE uint16_t
#define SUFFIX u2
#include "loops_make.h"
#define TYPE uint32_t
#define REAL_TYPE uint32_t
#define SUFFIX u4
#include "loops_make.h"
#define TYPE uint64_t
#define REAL_TYPE uint64_t
#define SUFFIX u8
#include "loops_make.h"
#undef KIND

ma_loop *const *const JOIN(ma_int_loops, TARGET)[9] = {
  GLUE(loops, b1, TARGET), GLUE(loops, i1, TARGET), GLUE(loops, i2, TARGET), GLUE(loops, i4, TARGET), GLUE(loops, i8, TARGET), GLUE(loops, u1, TARGET), GLUE(loops, u2, TARGET), GLUE(loops, u4, TARGET), GLUE(loops, u8, TARGET)
};
#endif
