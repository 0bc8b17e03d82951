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

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define ZERO 0
#define DIFFERS(a, b) ((a) != (b))
#define T float
#define T_SUFFIX f4
#define KEEP(a, yes) sparse_keep_f4(a, yes)
#include EACH
#undef KEEP
#undef T
#undef T_SUFFIX
#define T double
#define T_SUFFIX f8
#define KEEP(a, yes) sparse_keep_f8(a, yes)
#include EACH
#undef KEEP
#undef T
#undef T_SUFFIX
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef ZERO
#undef DIFFERS

#define ZERO ((T){ 0, 0 })
#define DIFFERS(a, b) ((a).re != (b).re || (a).im != (b).im)
#define T ma_c64
#define T_SUFFIX c8
#define KEEP(a, yes) sparse_keep_c8(a, yes)
#define ADD(a, b) sparse_add_c8(a, b)
#define SUB(a, b) sparse_sub_c8(a, b)
#define MUL(a, b) sparse_mul_c8(a, b)
#define DIV(a, b) sparse_div_c8(a, b)
#include EACH
#undef KEEP
#undef T
#undef T_SUFFIX
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#define T ma_c128
#define T_SUFFIX c16
#define KEEP(a, yes) sparse_keep_c16(a, yes)
#define ADD(a, b) sparse_add_c16(a, b)
#define SUB(a, b) sparse_sub_c16(a, b)
#define MUL(a, b) sparse_mul_c16(a, b)
#define DIV(a, b) sparse_div_c16(a, b)
#include EACH
#undef KEEP
#undef T
#undef T_SUFFIX
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef ZERO
#undef DIFFERS
