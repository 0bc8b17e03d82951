/* loops_kind.h: a part of loops_make.h: applies DOES to the column of one KIND in every row of ops.def. A macro
** cannot choose the column, because NO expands to two arguments and would shift the others. Special functions have a
** file of loops of their own, which defines ONLY_SPECIAL. */
#ifndef ONLY_SPECIAL
#define SPECIAL(...)
#if KIND == 0
#define OP(name, nin, in, out, flags, facts, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, b)
#elif KIND == 1
#define OP(name, nin, in, out, flags, facts, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, i)
#elif KIND == 2
#define OP(name, nin, in, out, flags, facts, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, u)
#elif KIND == 3
#define OP(name, nin, in, out, flags, facts, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, f)
#elif KIND == 4
#define OP(name, nin, in, out, flags, facts, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, c)
#endif
#elif KIND == 3
#define SPECIAL(name, nin, in, family, flags, arguments, f, c, doc) SELECT(DOES, name, nin, in, T, f)
#else
#define SPECIAL(name, nin, in, family, flags, arguments, f, c, doc) SELECT(DOES, name, nin, in, T, c)
#endif
#include "kernels/ops.def"
#undef DOES
