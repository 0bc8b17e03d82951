/* monoid_types.h: includes monoid_loops.h for each register type in TYPES and the monoid MONOID, and undefines all
** three. */
#if TYPES & I1
#define TYPE i1
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & I2
#define TYPE i2
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & I4
#define TYPE i4
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & I8
#define TYPE i8
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & U1
#define TYPE u1
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & U2
#define TYPE u2
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & U4
#define TYPE u4
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & U8
#define TYPE u8
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & F4
#define TYPE f4
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & F8
#define TYPE f8
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & C8
#define TYPE c8
#include "cpu/reduce/monoid_loops.h"
#endif
#if TYPES & C16
#define TYPE c16
#include "cpu/reduce/monoid_loops.h"
#endif
#undef MONOID
#undef TYPES
#undef MASKED
