/*
** loops_special.c: loops of the special functions. They are compiled once, not for each instruction set: most have
** branches that no vector form would save. The 16-bit floats use those of float, which compute in double.
*/
#include "cpu/map/loops.h"

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
#include "kernels/special/legendre.h"

#define ONLY_SPECIAL
#define TARGET special

#define KIND 3
#define TYPE float
#define REAL_TYPE float
#define SUFFIX f4
#include "cpu/map/loops_make.h"
#define TYPE double
#define REAL_TYPE double
#define SUFFIX f8
#include "cpu/map/loops_make.h"
#undef KIND
#define KIND 4
#define TYPE ma_c64
#define REAL_TYPE float
#define SUFFIX c8
#include "cpu/map/loops_make.h"
#define TYPE ma_c128
#define REAL_TYPE double
#define SUFFIX c16
#include "cpu/map/loops_make.h"
#undef KIND

ma_loop *ma_cpu_special_loop(ma_opcode op, ma_dtype dtype) {
  switch (ma_dtypes[dtype].kind) {
  case MA_KIND_FLOAT: return dtype == MA_FLOAT64 ? loops_f8_special[op] : loops_f4_special[op];
  case MA_KIND_COMPLEX: return dtype == MA_COMPLEX128 ? loops_c16_special[op] : loops_c8_special[op];
  default: return NULL;
  }
}
