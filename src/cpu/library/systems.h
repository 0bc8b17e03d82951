/* systems.h: factors and solutions of small matrices. */
#ifndef MOONARRAY_CPU_SYSTEMS_H
#define MOONARRAY_CPU_SYSTEMS_H

#include "backend/linalg.h"

#pragma GCC visibility push(hidden)

/* The slot `lu` for matrices of at most MA_LINALG_SMALL rows and columns, on the calling thread's behalf. */
ma_status ma_cpu_small_lu(ma_dtype dtype, const ma_matrices *a, int64_t *pivot, int32_t *info);

#pragma GCC visibility pop
#endif
