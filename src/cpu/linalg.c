/* linalg.c: linear algebra by BLAS and LAPACK. */
#include "../linalg.h"

#include "lapack.h"
#include "library.h"

const ma_linalg_table ma_cpu_linalg = {
  .matmul = NULL,
  .cholesky = ma_lapack_cholesky, .lu = ma_lapack_lu, .lu_solve = ma_lapack_lu_solve, .qr = ma_lapack_qr, .qr_form = ma_lapack_qr_form,
  .qr_apply = ma_lapack_qr_apply, .triangular_solve = ma_lapack_triangular_solve, .svd = ma_lapack_svd, .eigh = ma_lapack_eigh, .eig = ma_lapack_eig,
};
