/*
** recurrence.h: one element through a recursive filter, as C11 and as CUDA C++, for numbers that MA_ADD, MA_SUB and
** MA_MUL(coefficient, number) compute with: on the CPU vectors of several rows' elements.
**
** MA_FILTER_STEP: the transposed direct form. c has b[0] and then b[k], a[k] for k = 1 .. n, with a[0] = 1; z has n > 0
** states. MA_SECTIONS_STEP: sections of order two, one behind the other; c has b0, b1, b2, a1, a2 of each; z has two
** states of each. x becomes the result.
*/
#ifndef MOONARRAY_RECURRENCE_H
#define MOONARRAY_RECURRENCE_H

#ifdef __cplusplus
#define MA_UNROLLED _Pragma("unroll")
#else
#define MA_UNROLLED
#endif

#define MA_FILTER_STEP(T, x, z, c, n)                                                \
  do {                                                                               \
    T y_ = MA_ADD(MA_MUL((c)[0], x), (z)[0]);                                        \
    MA_UNROLLED for (int k_ = 0; k_ < (n)-1; k_++)(z)[k_] = MA_ADD(                  \
      MA_SUB(MA_MUL((c)[2 * k_ + 1], x), MA_MUL((c)[2 * k_ + 2], y_)), (z)[k_ + 1]); \
    (z)[(n)-1] = MA_SUB(MA_MUL((c)[2 * (n)-1], x), MA_MUL((c)[2 * (n)], y_));        \
    x = y_;                                                                          \
  } while (0)

#define MA_SECTIONS_STEP(T, x, z, c, n)                                                                       \
  do {                                                                                                        \
    MA_UNROLLED for (int k_ = 0; k_ < (n); k_++) {                                                            \
      T y_ = MA_ADD(MA_MUL((c)[5 * k_], x), (z)[2 * k_]);                                                     \
      (z)[2 * k_] = MA_ADD(MA_SUB(MA_MUL((c)[5 * k_ + 1], x), MA_MUL((c)[5 * k_ + 3], y_)), (z)[2 * k_ + 1]); \
      (z)[2 * k_ + 1] = MA_SUB(MA_MUL((c)[5 * k_ + 2], x), MA_MUL((c)[5 * k_ + 4], y_));                      \
      x = y_;                                                                                                 \
    }                                                                                                         \
  } while (0)

#endif
