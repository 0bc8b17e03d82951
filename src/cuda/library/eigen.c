/*
** eigen.c: eigenvalues by cuSOLVER.
**
** eigh uses Jacobi rotations (syevjBatched) for batches of the smallest matrices, XsyevBatched for those of up to 512
** rows, else Xsyevd, divide and conquer. The last two reduce the matrix to tridiagonal form by reflections. If the rest
** of the matrix shrinks by eps in each step (as for a matrix of ones), the lengths of the reflections underflow and the
** vectors are not orthonormal. This is checked, which waits, and such a matrix is computed again by rotations (syevj).
** eig uses Xgeev of CUDA 12.6 and newer.
*/
#include "cuda/library/solver.h"
#include "tuning.h"

#define ROTATED_COUNT 65536 /* matrices of one such call: it fails for 4,194,304, and wants workspace for each */
/* Bytes of workspace for one such call: for millions of matrices of 4 rows it asks for half a megabyte each. */
#define MOST_WORKSPACE ((size_t)1 << 30)

/* ==== Symmetric and Hermitian matrices ============================================================================ */

typedef int (*syevj_many_size)(cusolverDnHandle_t, int jobz, int uplo, int n, const void *, int ld, const void *w,
                               int *lwork, syevjInfo_t, int count);
typedef int (*syevj_many)(cusolverDnHandle_t, int jobz, int uplo, int n, void *, int ld, void *w, void *work, int lwork,
                          int *info, syevjInfo_t, int count);

/* Eigenvalues by rotations, which keep the vectors orthonormal. So nothing is checked, and nothing waits. */
static ma_status eigh_rotated(ma_solver *s, int mode, int uplo, const ma_matrices *a, char *w, int32_t *info) {
  syevj_many_size size = MA_BY_DTYPE(s, syevj_many_size, cusolverDnSsyevjBatched_bufferSize,
                                     cusolverDnDsyevjBatched_bufferSize, cusolverDnCheevjBatched_bufferSize,
                                     cusolverDnZheevjBatched_bufferSize);
  syevj_many call = MA_BY_DTYPE(s, syevj_many, cusolverDnSsyevjBatched, cusolverDnDsyevjBatched,
                                cusolverDnCheevjBatched, cusolverDnZheevjBatched);
  for (int64_t k = 0; k < a->count; k += ROTATED_COUNT) {
    int n = (int)(a->count - k < ROTATED_COUNT ? a->count - k : ROTATED_COUNT), rows = (int)a->rows, ld = (int)a->ld,
        lwork = 0;
    void *data = ma_solver_matrix(s, a, k), *values = w + (size_t)(k * a->rows) * s->real_item;
    int status = size(s->handle, mode, uplo, rows, data, ld, values, &lwork, s->rotations, n);
    if (status) return ma_solver_fail(s, "cusolverDnDsyevjBatched_bufferSize", status);
    MA_TRY(ma_solver_workspace(s, (size_t)lwork * s->item, 0));
    status = call(s->handle, mode, uplo, rows, data, ld, values, s->device, lwork, info + k, s->rotations, n);
    if (status) return ma_solver_fail(s, "cusolverDnDsyevjBatched", status);
  }
  return MA_OK;
}

static bool is_rotated(const ma_solver *s) {
  const ma_matrices *a = s->a;
  return a->count > 1 && a->rows <= (ma_solver_is_complex(s) ? TUNE_EIGEN_COMPLEX : TUNE_EIGEN_ROTATED) &&
         ma_solver_is_packed(a);
}

/* Computes pieces of the batch that the library's 32-bit positions can number, and whose workspace is not too large. */
static ma_status eigh_batched(ma_solver *s, int mode, int uplo, const ma_matrices *a, char *w, int32_t *info) {
  int64_t whole = INT32_MAX / (a->ld * a->columns), piece = whole < 1 ? 1 : a->count < whole ? a->count : whole;
  for (int64_t k = 0; k < a->count; k += piece) {
    int64_t n = a->count - k < piece ? a->count - k : piece;
    void *data = ma_solver_matrix(s, a, k), *values = w + (size_t)(k * a->rows) * s->real_item;
    size_t device, host;
    for (;; n = piece = (n + 1) / 2) {
      MA_CUSOLVER(s, cusolverDnXsyevBatched_bufferSize, s->handle, s->params, mode, uplo, a->rows, s->type, data, a->ld,
                  s->real, values, s->type, &device, &host, n);
      if (device <= MOST_WORKSPACE || n == 1) break;
    }
    MA_TRY(ma_solver_workspace(s, device, host));
    MA_CUSOLVER(s, cusolverDnXsyevBatched, s->handle, s->params, mode, uplo, a->rows, s->type, data, a->ld, s->real,
                values, s->type, s->device, s->device_bytes, s->host, s->host_bytes, info + k, n);
  }
  return MA_OK;
}

/* XsyevBatched of CUDA 12.6 sometimes fails for lower triangles of complex64. Their adjoints are upper triangles
** with the same values and vectors. */
static ma_status eigh_adjoint(ma_solver *s, int mode, char *w, int32_t *info) {
  const ma_matrices *a = s->a;
  ma_matrices upper = {
    .rows = a->rows, .columns = a->columns, .ld = a->rows, .step = a->rows * a->columns, .count = a->count
  };
  MA_TRY(ma_solver_scratch(s, (size_t)(upper.step * upper.count) * s->item, &upper.data));
  MA_TRY(
    ma_solver_copy(s, true, a->rows, a->columns, a->count, upper.data, upper.ld, upper.step, a->data, a->ld, a->step));
  MA_TRY(eigh_batched(s, mode, CUBLAS_FILL_MODE_UPPER, &upper, w, info));
  if (mode == CUSOLVER_EIG_MODE_NOVECTOR) return MA_OK;
  return ma_solver_copy(s, false, a->rows, a->columns, a->count, a->data, a->ld, a->step, upper.data, upper.ld,
                        upper.step);
}

static ma_status eigh_each(ma_solver *s, int mode, int uplo, char *w, int32_t *info) {
  const ma_matrices *a = s->a;
  size_t device, host;
  MA_CUSOLVER(s, cusolverDnXsyevd_bufferSize, s->handle, s->params, mode, uplo, a->rows, s->type, a->data, a->ld,
              s->real, w, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  for (int64_t k = 0; k < a->count; k++)
    MA_CUSOLVER(s, cusolverDnXsyevd, s->handle, s->params, mode, uplo, a->rows, s->type, ma_solver_matrix(s, a, k),
                a->ld, s->real, w + (size_t)(k * a->rows) * s->real_item, s->type, s->device, s->device_bytes, s->host,
                s->host_bytes, info + k);
  return MA_OK;
}

typedef int (*syevj_size)(cusolverDnHandle_t, int jobz, int uplo, int n, const void *, int ld, const void *w,
                          int *lwork, syevjInfo_t);
typedef int (*syevj)(cusolverDnHandle_t, int jobz, int uplo, int n, void *, int ld, void *w, void *work, int lwork,
                     int *info, syevjInfo_t);

/* Rotations for one matrix, with its vectors. */
static ma_status eigh_jacobi(ma_solver *s, int uplo, void *data, int64_t ld, void *w, int32_t *info) {
  syevj_size size = MA_BY_DTYPE(s, syevj_size, cusolverDnSsyevj_bufferSize, cusolverDnDsyevj_bufferSize,
                                cusolverDnCheevj_bufferSize, cusolverDnZheevj_bufferSize);
  syevj call = MA_BY_DTYPE(s, syevj, cusolverDnSsyevj, cusolverDnDsyevj, cusolverDnCheevj, cusolverDnZheevj);
  int n = (int)s->a->rows, mode = CUSOLVER_EIG_MODE_VECTOR, lwork = 0;
  MA_TRY(ma_solver_check_int(s, "cusolverDnDsyevj", 2, (int64_t[]){ s->a->rows, ld }));
  int status = size(s->handle, mode, uplo, n, data, (int)ld, w, &lwork, s->rotations);
  if (status) return ma_solver_fail(s, "cusolverDnDsyevj_bufferSize", status);
  MA_TRY(ma_solver_workspace(s, (size_t)lwork * s->item, 0));
  status = call(s->handle, mode, uplo, n, data, (int)ld, w, s->device, lwork, info, s->rotations);
  return status ? ma_solver_fail(s, "cusolverDnDsyevj", status) : MA_OK;
}

static ma_status eigh_by_size(ma_solver *s, int mode, int uplo, char *w, int32_t *info) {
  const ma_matrices *a = s->a;
  if (is_rotated(s)) return eigh_rotated(s, mode, uplo, a, w, info);
  bool batched = a->count > 1 && a->rows <= TUNE_BATCHED_ROWS && ma_solver_is_packed(a) &&
                 ma_cu.cusolverDnXsyevBatched && ma_cu.cusolverDnXsyevBatched_bufferSize;
  if (batched && uplo == CUBLAS_FILL_MODE_LOWER && s->dtype == MA_COMPLEX64) return eigh_adjoint(s, mode, w, info);
  return batched ? eigh_batched(s, mode, uplo, a, w, info) : eigh_each(s, mode, uplo, w, info);
}

/* Checks whether the vectors are orthonormal. Matrices whose vectors are not are computed again, from the copy. */
static ma_status eigh_checked(ma_solver *s, int uplo, char *w, int32_t *info) {
  const ma_matrices *a = s->a;
  int64_t n = a->rows;
  bool good = false;
  void *copy;
  MA_TRY(ma_solver_scratch(s, (size_t)(n * n * a->count) * s->item, &copy));
  MA_TRY(ma_solver_copy(s, false, n, n, a->count, copy, n, n * n, a->data, a->ld, a->step));
  MA_TRY(eigh_by_size(s, CUSOLVER_EIG_MODE_VECTOR, uplo, w, info));
  MA_TRY(ma_solver_orthonormal(s, 1, a, &good));
  for (int64_t k = 0; k < a->count && !good; k++) {
    ma_matrices one = *a;
    bool fine = false;
    one.data = ma_solver_matrix(s, a, k);
    one.count = 1;
    if (a->count > 1) MA_TRY(ma_solver_orthonormal(s, 1, &one, &fine));
    if (fine) continue;
    ma_trace("linalg", "vectors of matrix %lld are not orthonormal: syevj instead", (long long)k + 1);
    MA_TRY(ma_solver_copy(s, false, n, n, 1, one.data, a->ld, 0, (char *)copy + (size_t)(k * n * n) * s->item, n, 0));
    MA_TRY(eigh_jacobi(s, uplo, one.data, a->ld, w + (size_t)(k * n) * s->real_item, info + k));
  }
  return MA_OK;
}

ma_status ma_cuda_linalg_eigh(ma_stream *stream, ma_dtype dtype, bool vectors, bool lower, const ma_matrices *a,
                              void *w, int32_t *info) {
  ma_solver s;
  int uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  bool sure = !vectors || a->rows <= 3 || is_rotated(&s); /* 3: too few reflections to come near underflow */
  return ma_solver_end(
    &s, sure ? eigh_by_size(&s, vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR, uplo, w, info)
             : eigh_checked(&s, uplo, w, info));
}

/* ==== Any square matrix =========================================================================================== */

/* Spreads the vectors of a real matrix. Those of a pair of eigenvalues are x + iy and x - iy, and the library leaves x
** and y in two columns. `packed` has one more column on both sides, so that each column has neighbours. */
static ma_status spread(ma_solver *s, char *w, void *packed, void *v, int64_t ld) {
  int64_t n = s->a->rows, r = (int64_t)s->real_item;
  ma_dtype dtype = s->dtype;
  ma_program p;
  ma_program_clear(&p);
  int wi = ma_program_input(&p, dtype), before = ma_program_input(&p, dtype), here = ma_program_input(&p, dtype),
      behind = ma_program_input(&p, dtype);
  int zero = ma_program_scalar(&p, dtype);
  int first = ma_program_emit(&p, MA_DO_is_greater, dtype, (int[]){ wi, zero }),
      second = ma_program_emit(&p, MA_DO_is_less, dtype, (int[]){ wi, zero });
  int minus = ma_program_emit(&p, MA_DO_opposite, dtype, (int[]){ here });
  int im = ma_program_emit(&p, MA_DO_choose, dtype, (int[]){ second, minus, zero });
  ma_program_output(&p, ma_program_emit(&p, MA_DO_choose, dtype, (int[]){ second, before, here }));
  ma_program_output(&p, ma_program_emit(&p, MA_DO_choose, dtype, (int[]){ first, behind, im }));
  char *middle = (char *)packed + n * r;
  void *data[] = { v, (char *)v + r, w + r, middle - n * r, middle, middle + n * r };
  const int64_t steps[6][3] = { { 0, 2 * r * ld, 2 * r }, { 0, 2 * r * ld, 2 * r }, { 0, 2 * r, 0 },
                                { 0, n * r, r },          { 0, n * r, r },          { 0, n * r, r } };
  return ma_solver_map(s->stream, &p, 1, n, n, data, steps, &(ma_value){ .c = { 0, 0 } });
}

static ma_status eig_each(ma_solver *s, char *w, const ma_matrices *v, int32_t *info) {
  const ma_matrices *a = s->a;
  bool vectors = v->data != NULL, is_real = !ma_solver_is_complex(s);
  int mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR, none = CUSOLVER_EIG_MODE_NOVECTOR;
  int wtype = s->real == CUDA_R_64F ? CUDA_C_64F : CUDA_C_32F;
  int64_t n = a->rows, ld = vectors && !is_real ? v->ld : n;
  size_t device, host, size = 2 * s->real_item; /* for the complex results */
  void *packed = NULL, *to = NULL;
  if (vectors && is_real) MA_TRY(ma_solver_scratch(s, (size_t)(n * (n + 2)) * s->item, &packed));
  for (int64_t k = 0; k < a->count; k++) {
    char *data = ma_solver_matrix(s, a, k), *values = w + (size_t)(k * n) * size,
         *column = vectors ? (char *)v->data + (size_t)(k * v->step) * size : NULL;
    if (vectors) to = is_real ? (char *)packed + (size_t)n * s->item : column;
    MA_CUSOLVER(s, cusolverDnXgeev_bufferSize, s->handle, s->params, none, mode, n, s->type, data, a->ld, wtype, values,
                s->type, NULL, n, s->type, to, ld, s->type, &device, &host);
    MA_TRY(ma_solver_workspace(s, device, host));
    MA_CUSOLVER(s, cusolverDnXgeev, s->handle, s->params, none, mode, n, s->type, data, a->ld, wtype, values, s->type,
                NULL, n, s->type, to, ld, s->type, s->device, s->device_bytes, s->host, s->host_bytes, info + k);
    if (packed) MA_TRY(spread(s, values, packed, column, v->ld));
  }
  return MA_OK;
}

ma_status ma_cuda_linalg_eig(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *w, const ma_matrices *v,
                             int32_t *info) {
  ma_solver s;
  MA_TRY(ma_cuda_need(MA_CUDA_cusolver));
  if (!ma_cu.cusolverDnXgeev || !ma_cu.cusolverDnXgeev_bufferSize)
    return ma_fail(MA_ERR_LIBRARY, "%s has no cusolverDnXgeev; CUDA 12.6 or newer is wanted for eig, or x:to(\"cpu\")",
                   ma_cuda_library_path(MA_CUDA_cusolver));
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  return ma_solver_end(&s, eig_each(&s, w, v, info));
}
