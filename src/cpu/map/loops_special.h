/*
** loops_special.h: loops of the special functions of float and double, and of complex numbers unless ONLY_FLOATS is
** defined, for the instruction set TARGET.
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
#include "kernels/special/faddeeva.h"
#include "kernels/special/legendre.h"

#define ONLY_SPECIAL

/*
** The sine and cosine integrals: the sines and cosines of a block come from the vectorised loops. A result depends on
** its own operand alone.
*/
#define SICI_BLOCK (16 * MA_LANE)
#define SICI(part, type, suffix)                                                               \
  static void GLUE(faster_sici_##part, suffix, TARGET)(LOOP_PARAMETERS) {                      \
    const type *xs = x_;                                                                       \
    type *r = r_;                                                                              \
    double sizes[SICI_BLOCK], sines[SICI_BLOCK], cosines[SICI_BLOCK];                          \
    for (; n > 0; n -= SICI_BLOCK, xs += SICI_BLOCK, r += SICI_BLOCK) {                        \
      int m = n < SICI_BLOCK ? n : SICI_BLOCK;                                                 \
      for (int i = 0; i < m; i++) {                                                            \
        double t = fabs((double)xs[i]);                                                        \
        sizes[i] = t > 4 && t <= 1e300 ? t : 0;                                                \
      }                                                                                        \
      ma_cpu_loop(MA_DO_sine, MA_FLOAT64)(sines, sizes, NULL, NULL, NULL, m);                  \
      ma_cpu_loop(MA_DO_cosine, MA_FLOAT64)(cosines, sizes, NULL, NULL, NULL, m);              \
      for (int i = 0; i < m; i++) r[i] = (type)ma_sp_##part##_by(xs[i], sines[i], cosines[i]); \
    }                                                                                          \
  }
SICI(si, float, f4)
SICI(ci, float, f4)
SICI(si, double, f8)
SICI(ci, double, f8)
#undef SICI
#undef SICI_BLOCK

/*
** x log(x / y) - x + y: the logarithms come from the vectorised loop, and the form for y near x, which is -x
** ma_sp_log1pmx(d), is computed for all. What is no quotient of two numbers above 0 is computed once more by itself.
** The results are written last, since they may lie where an operand does.
*/
#define KL_BLOCK (4 * MA_LANE)
#define KL_DIV(type, suffix)                                                                             \
  static void GLUE(faster_kl_div, suffix, TARGET)(LOOP_PARAMETERS) {                                     \
    const type *xs = x_, *ys = y_;                                                                       \
    type *r = r_;                                                                                        \
    double ratios[KL_BLOCK], logs[KL_BLOCK], squares[KL_BLOCK], series[KL_BLOCK];                        \
    for (; n > 0; n -= KL_BLOCK, xs += KL_BLOCK, ys += KL_BLOCK, r += KL_BLOCK) {                        \
      int m = n < KL_BLOCK ? n : KL_BLOCK, strange = 0;                                                  \
      for (int i = 0; i < m; i++) {                                                                      \
        double x = xs[i], y = ys[i], q = x / y, d = (y - x) / x, s = d / (2 + d);                        \
        int good = (x > 0) & (y > 0) & (q > 1e-300) & (q < 1e300);                                       \
        ratios[i] = good ? q : 1;                                                                        \
        squares[i] = s * s;                                                                              \
        series[i] = ma_sp_odd_inverses[0];                                                               \
        strange |= !good;                                                                                \
      }                                                                                                  \
      ma_cpu_loop(MA_DO_logarithm, MA_FLOAT64)(logs, ratios, NULL, NULL, NULL, m);                       \
      for (int k = 1; k < 17; k++)                                                                       \
        for (int i = 0; i < m; i++) series[i] = ma_fma_f8(series[i], squares[i], ma_sp_odd_inverses[k]); \
      for (int i = 0; i < m; i++) {                                                                      \
        double x = xs[i], y = ys[i], d = (y - x) / x, s = d / (2 + d);                                   \
        double near = -x * (s * (2 * squares[i] * series[i] - d)), far = x * logs[i] - x + y;            \
        logs[i] = fabs(d) < 0.5 ? near : far;                                                            \
      }                                                                                                  \
      for (int i = 0; strange && i < m; i++) {                                                           \
        double x = xs[i], y = ys[i], q = x / y;                                                          \
        if (!(x > 0 && y > 0 && q > 1e-300 && q < 1e300)) logs[i] = ma_sp_kl_div(x, y);                  \
      }                                                                                                  \
      for (int i = 0; i < m; i++) r[i] = (type)logs[i];                                                  \
    }                                                                                                    \
  }
KL_DIV(float, f4)
KL_DIV(double, f8)
#undef KL_DIV
#undef KL_BLOCK
#define FASTER_LOOPS FASTER(sici_si) FASTER(sici_ci) FASTER(kl_div)

#define KIND 3
#define TYPE float
#define REAL_TYPE float
#define SUFFIX f4
#include "cpu/map/loops_make.h"
#define TYPE double
#define REAL_TYPE double
#define SUFFIX f8
#include "cpu/map/loops_make.h"
#undef FASTER_LOOPS
#ifndef ONLY_FLOATS
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
#endif
