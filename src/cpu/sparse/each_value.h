/* each_value.h: includes the file EACH for each kind of value; with EACH_FLOAT, for floats alone. See each.h. */
#ifndef EACH_FLOAT
#define T ma_sparse_bool
#define T_SUFFIX b1
#define ADD(a, b) ((T)((a) | (b)))
#define MUL(a, b) ((T)((a) & (b)))
#define ZERO 0
#define DIFFERS(a, b) ((a) != (b))
#define KEEP(a, yes) ((T)((a) & -(T)(yes)))
#include EACH
#undef T
#undef T_SUFFIX
#undef ADD
#undef MUL
#define ADD(a, b) ((T)((a) + (b)))
#define MUL(a, b) ((T)((uint32_t)(a) * (b)))
#define T uint8_t
#define T_SUFFIX u1
#include EACH
#undef T
#undef T_SUFFIX
#define T uint16_t
#define T_SUFFIX u2
#include EACH
#undef T
#undef T_SUFFIX
#undef MUL
#define MUL(a, b) ((a) * (b))
#define T uint32_t
#define T_SUFFIX u4
#include EACH
#undef T
#undef T_SUFFIX
#define T uint64_t
#define T_SUFFIX u8
#include EACH
#undef T
#undef T_SUFFIX
#undef ADD
#undef MUL
#undef ZERO
#undef DIFFERS
#undef KEEP
#endif

#define KEEP(a, yes) SPARSE_OF(keep, T_SUFFIX)(a, yes)
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define ZERO 0
#define DIFFERS(a, b) ((a) != (b))
#define T float
#define T_SUFFIX f4
#include EACH
#undef T
#undef T_SUFFIX
#define T double
#define T_SUFFIX f8
#include EACH
#undef T
#undef T_SUFFIX
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef ZERO
#undef DIFFERS

#define ADD(a, b) SPARSE_OF(add, T_SUFFIX)(a, b)
#define SUB(a, b) SPARSE_OF(sub, T_SUFFIX)(a, b)
#define MUL(a, b) SPARSE_OF(mul, T_SUFFIX)(a, b)
#define DIV(a, b) SPARSE_OF(div, T_SUFFIX)(a, b)
#define ZERO ((T){ 0, 0 })
#define DIFFERS(a, b) ((a).re != (b).re || (a).im != (b).im)
#define T ma_c64
#define T_SUFFIX c8
#include EACH
#undef T
#undef T_SUFFIX
#define T ma_c128
#define T_SUFFIX c16
#include EACH
#undef T
#undef T_SUFFIX
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef ZERO
#undef DIFFERS
#undef KEEP
