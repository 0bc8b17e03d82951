/* gemv.h: products with a vector, for linalg.c. */
#ifndef MOONARRAY_CPU_GEMV_H
#define MOONARRAY_CPU_GEMV_H

#include "backend/linalg.h"

#pragma GCC visibility push(hidden)

/* Whether the product has a vector for an operand and gemv can read the other one; it is then done, and *status says
** how it went. */
bool ma_cpu_gemv(const ma_matmul *g, ma_status *status);

#pragma GCC visibility pop
#endif
