/* special.h: what the bodies of kernels/special.def call, for the instruction set of target.h. The fused form of
** a file multiplies and adds in one instruction. */
#ifdef FUSED
#undef ma_fma_f4
#undef ma_fma_f8
#define ma_fma_f4(x, y, z) __builtin_fmaf(x, y, z)
#define ma_fma_f8(x, y, z) __builtin_fma(x, y, z)
#endif

#include "kernels/special/base.h"
#include "kernels/special/elementary.h"
#include "kernels/special/erf.h"
#include "kernels/special/gamma.h"
#include "kernels/special/integrals.h"
#include "kernels/special/zeta.h"
#include "kernels/special/elliptic.h"
#include "kernels/special/bessel.h"
#include "kernels/special/bessel_modified.h"
#include "kernels/special/beta.h"
#include "kernels/special/gammainc.h"
#include "kernels/special/betainc.h"
#include "kernels/special/complex.h"
#include "kernels/special/faddeeva.h"
#include "kernels/special/legendre.h"
/* What draws has loops of its own (random/drawn.c). */
#define ma_drawn_uniform(type, place, key, draw) ((void)(key), (void)(draw), (place))
#define ma_drawn_normal(type, place, key, draw) ((void)(key), (void)(draw), (place))
