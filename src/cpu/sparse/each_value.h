/* each_value.h: includes the file EACH for each kind of value; with EACH_FLOAT, for floats alone. See each.h. */
#ifndef EACH_FLOAT
#define T_SUFFIX b1
#include EACH
#undef T_SUFFIX
#define T_SUFFIX u1
#include EACH
#undef T_SUFFIX
#define T_SUFFIX u2
#include EACH
#undef T_SUFFIX
#define T_SUFFIX u4
#include EACH
#undef T_SUFFIX
#define T_SUFFIX u8
#include EACH
#undef T_SUFFIX
#endif
#define T_FLOAT
#define T_SUFFIX f4
#include EACH
#undef T_SUFFIX
#define T_SUFFIX f8
#include EACH
#undef T_SUFFIX
#define T_SUFFIX c8
#include EACH
#undef T_SUFFIX
#define T_SUFFIX c16
#include EACH
#undef T_SUFFIX
#undef T_FLOAT
