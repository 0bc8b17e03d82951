/* gemv.h: products with a vector, for linalg.c. */
#ifndef MOONARRAY_CPU_GEMV_H
#define MOONARRAY_CPU_GEMV_H

#include "backend/linalg.h"

#pragma GCC visibility push(hidden)

/* Whether an operand is a vector and gemv can read the other one. Then the product is done, and *status is its
** result. */
bool ma_cpu_gemv(const ma_matmul *g, ma_status *status);

#pragma GCC visibility pop
#endif
