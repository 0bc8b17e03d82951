/*
** loops_make.h: the loops of every operation for one register type. The includer defines
**     TARGET             the instruction set, a part of the names (loops.h)
**     TYPE, REAL_TYPE    the register type and its real type
**     SUFFIX             of dtype.def, a part of the names
**     KIND               which of ops.def's bodies: its ma_kind
**     FASTER_LOOPS       where some entries of the table are others, and FASTER_FILE, which makes them
** and gets the table loops_SUFFIX_TARGET by opcode. TYPE, REAL_TYPE and SUFFIX are undefined at the end.
*/
#define NO NONE_, 0 /* ops.def's word: makes the third argument of SELECT_ a 0 */
#define SELECT(does, name, nin, in, out, ...) SELECT_(does, name, nin, in, out, __VA_ARGS__, 1, )
#define SELECT_(does, name, nin, in, out, body, is, ...) SELECT__(does, is, name, nin, in, out, body)
#define SELECT__(does, is, name, nin, in, out, body) does##_##is(name, nin, in, out, body)

#define TYPE_1(a, ...) a
#define TYPE_2(a, b, ...) b
#define TYPE_3(a, b, c, ...) c
#define TYPE_4(a, b, c, d, ...) d
#define OPERANDS_1(in) const TYPE_1 in *xs = x_;
#define OPERANDS_2(in) OPERANDS_1(in) const TYPE_2 in *ys = y_;
#define OPERANDS_3(in) OPERANDS_2(in) const TYPE_3 in *zs = z_;
#define OPERANDS_4(in) OPERANDS_3(in) const TYPE_4 in *ws = w_;
#define VALUES_1(in)   \
  TYPE_1 in x = xs[i]; \
  (void)x;
#define VALUES_2(in)                \
  VALUES_1(in) TYPE_2 in y = ys[i]; \
  (void)y;
#define VALUES_3(in)                \
  VALUES_2(in) TYPE_3 in z = zs[i]; \
  (void)z;
#define VALUES_4(in)                \
  VALUES_3(in) TYPE_4 in w = ws[i]; \
  (void)w;

/* An operation may share the loop of another one: SHARED_KIND_name is then `0, other, suffix, 0`, and no loop is
** made. */
#define SHARES(does, name, ...) SHARES_(does, (name, __VA_ARGS__), GLUE(SHARED, KIND, name), name, SUFFIX, 1, )
#define SHARES_(...) SHARES__(__VA_ARGS__)
#define SHARES__(does, row, probe, owner, suffix, own, ...) does(own, row, owner, suffix)

#define MAKE_0(name, nin, in, out, body)
#define MAKE_1(name, nin, in, out, body) SHARES(MAKES, name, nin, in, out, body)
#define MAKES(own, row, owner, suffix) MAKES_(own, row)
#define MAKES_(own, row) MAKES_##own row
#define MAKES_0(name, nin, in, out, body)
#define MAKES_1(name, nin, in, out, body)                   \
  static void GLUE(name, SUFFIX, TARGET)(LOOP_PARAMETERS) { \
    typedef TYPE T __attribute__((unused));                 \
    typedef REAL_TYPE REAL __attribute__((unused));         \
    OPERANDS_##nin(in) out *r = r_;                         \
    EACH_ELEMENT { VALUES_##nin(in) r[i] = body; }          \
  }
#ifndef ONLY_SPECIAL
/* x > y is y < x: the loop of the one, which must not be copied into that of the other. */
#define OTHER_WAY(name)                                                              \
  static __attribute__((noinline)) void GLUE(name, SUFFIX, TARGET)(LOOP_PARAMETERS); \
  static void GLUE(swapped_##name, SUFFIX, TARGET)(LOOP_PARAMETERS) {                \
    GLUE(name, SUFFIX, TARGET)(r_, y_, x_, z_, w_, n);                               \
  }
OTHER_WAY(less)
OTHER_WAY(less_equal)
#undef OTHER_WAY
#endif
/* clang-format off */
#define SHARED_0_greater 0, swapped_less, SUFFIX, 0
#define SHARED_1_greater 0, swapped_less, SUFFIX, 0
#define SHARED_2_greater 0, swapped_less, SUFFIX, 0
#define SHARED_3_greater 0, swapped_less, SUFFIX, 0
#define SHARED_4_greater 0, swapped_less, SUFFIX, 0
#define SHARED_0_greater_equal 0, swapped_less_equal, SUFFIX, 0
#define SHARED_1_greater_equal 0, swapped_less_equal, SUFFIX, 0
#define SHARED_2_greater_equal 0, swapped_less_equal, SUFFIX, 0
#define SHARED_3_greater_equal 0, swapped_less_equal, SUFFIX, 0
#define SHARED_4_greater_equal 0, swapped_less_equal, SUFFIX, 0
/* clang-format on */

#define DOES MAKE
#include "cpu/map/loops_kind.h"

#ifdef FASTER_FILE
#include FASTER_FILE
#endif
#ifdef FASTER_LOOPS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#define ENTRY_0(name, nin, in, out, body)
#define ENTRY_1(name, nin, in, out, body) SHARES(ENTERS, name, 0)
#define ENTERS(own, row, owner, suffix) ENTERS_(row, owner, suffix)
#define ENTERS_(row, owner, suffix) [ENTERED row] = GLUE(owner, suffix, TARGET),
#define ENTERED(name, zero) MA_OP_##name
static ma_loop *const GLUE(loops, SUFFIX, TARGET)[MA_NOP] = {
#define DOES ENTRY
#include "cpu/map/loops_kind.h"
#ifdef FASTER_LOOPS
  FASTER_LOOPS
#endif
};
#ifdef FASTER_LOOPS
#pragma GCC diagnostic pop
#endif

#undef NO
#undef SELECT
#undef SELECT_
#undef SELECT__
#undef TYPE_1
#undef TYPE_2
#undef TYPE_3
#undef TYPE_4
#undef OPERANDS_1
#undef OPERANDS_2
#undef OPERANDS_3
#undef OPERANDS_4
#undef VALUES_1
#undef VALUES_2
#undef VALUES_3
#undef VALUES_4
#undef MAKE_0
#undef MAKE_1
#undef ENTRY_0
#undef ENTRY_1
#undef SHARES
#undef SHARES_
#undef SHARES__
#undef MAKES
#undef MAKES_
#undef MAKES_0
#undef MAKES_1
#undef ENTERS
#undef ENTERS_
#undef ENTERED
#undef TYPE
#undef REAL_TYPE
#undef SUFFIX
