/*
** pairs_loops.h: the loops of pairs.c for one type: one row against a tile of LANES rows, whose components lie side by
** side. Defined before it: T, NAME(metric), TABLE, and what metrics.h asks for.
*/
#define MOST1(c) ((c) > 1 ? 1 : (c) < -1 ? -1 : (c))
#define METRIC(metric, step, finish)                                                                              \
  static inline __attribute__((always_inline)) void NAME(metric##_over)(                                          \
    const T *restrict row, const T *restrict tile, const T *restrict weight, int64_t k, T p, T *restrict to) {    \
    T s_of[LANES], t_of[LANES], u_of[LANES], n = weight ? 0 : (T)k;                                               \
    for (int j = 0; j < LANES; j++) s_of[j] = t_of[j] = u_of[j] = 0;                                              \
    for (int64_t c = 0; c < k; c++, tile += LANES) {                                                              \
      T x = row[c], w = weight ? weight[c] : 1;                                                                   \
      if (weight) n += w;                                                                                         \
      for (int j = 0; j < LANES; j++) {                                                                           \
        T y = tile[j], s = s_of[j], t = t_of[j], u = u_of[j];                                                     \
        step s_of[j] = s;                                                                                         \
        t_of[j] = t;                                                                                              \
        u_of[j] = u;                                                                                              \
      }                                                                                                           \
    }                                                                                                             \
    for (int j = 0; j < LANES; j++) {                                                                             \
      T s = s_of[j], t = t_of[j], u = u_of[j];                                                                    \
      to[j] = finish;                                                                                             \
      (void)t;                                                                                                    \
      (void)u;                                                                                                    \
      (void)n;                                                                                                    \
    }                                                                                                             \
  }                                                                                                               \
  FOR_AVX512 static void NAME(metric)(const void *row, const void *tile, const void *weight, int64_t k, double p, \
                                      void *to) {                                                                 \
    NAME(metric##_over)(row, tile, NULL, k, (T)p, to);                                                            \
  }                                                                                                               \
  FOR_AVX2 static void NAME(metric##_weighted)(const void *row, const void *tile, const void *weight, int64_t k,  \
                                               double p, void *to) {                                              \
    NAME(metric##_over)(row, tile, weight, k, (T)p, to);                                                          \
  }
#include "kernels/spatial/metrics.h"

static loop *const TABLE[MA_NMETRIC][2] = {
#define METRIC(metric, step, finish) { NAME(metric), NAME(metric##_weighted) },
#include "kernels/spatial/metrics.h"
};

#undef MOST1
#undef T
#undef NAME
#undef TABLE
#undef ABS
#undef SQRT
#undef LOG
#undef POW
