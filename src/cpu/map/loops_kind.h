/*
** loops_kind.h: a part of loops_make.h: goes through ops.def with DOES for the column of one KIND. (A row's column
** cannot be chosen by a macro, since NO, which expands to two arguments, would shift the others.)
*/
#if KIND == 0
#define OP(name, nin, in, out, flags, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, b)
#elif KIND == 1
#define OP(name, nin, in, out, flags, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, i)
#elif KIND == 2
#define OP(name, nin, in, out, flags, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, u)
#elif KIND == 3
#define OP(name, nin, in, out, flags, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, f)
#elif KIND == 4
#define OP(name, nin, in, out, flags, b, i, u, f, c, doc) SELECT(DOES, name, nin, in, out, c)
#endif
#include "kernels/ops.def"
#undef DOES
