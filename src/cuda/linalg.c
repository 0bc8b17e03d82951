/* linalg.c: linear algebra by cuBLAS and cuSOLVER. */
#include "cuda.h"

#include "../linalg.h"

const ma_linalg_table ma_cuda_linalg = { .matmul = ma_cuda_matmul };
