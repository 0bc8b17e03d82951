/* linalg.c: linear algebra by cuBLAS and cuSOLVER, and many small systems by kernels/solve.c. */
#include "cuda/library/solver.h"

const ma_linalg_table ma_cuda_linalg = {
  .solves_turned = true, /* cuBLAS's trsm with few right sides then takes a third of the time */
  .matmul = ma_cuda_matmul,
  .cholesky = ma_cuda_cholesky,
  .lu = ma_cuda_lu,
  .lu_solve = ma_cuda_lu_solve,
  .solve = ma_cuda_solve,
  .inv = ma_cuda_inv,
  .triangular_solve = ma_cuda_triangular_solve,
  .qr = ma_cuda_qr,
  .qr_form = ma_cuda_qr_form,
  .qr_apply = ma_cuda_qr_apply,
  .svd = ma_cuda_svd,
  .eigh = ma_cuda_eigh,
  .eig = ma_cuda_eig,
};
