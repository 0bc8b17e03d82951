/* linalg.c: linear algebra by BLAS and LAPACK. */
#include "../linalg.h"

#include "library.h"

const ma_linalg_table ma_cpu_linalg = { .matmul = NULL };
