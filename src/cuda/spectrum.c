/*
** spectrum.c: singular values and eigenvalues by cuSOLVER.
**
** svd: matrices up to 32 x 32 by Jacobi rotations, a whole batch in one call (gesvdjBatched). Larger ones by the polar decomposition
** (Xgesvdp), some four times as fast as the QR algorithm (Xgesvd). It shifts singular values of a matrix that is close to singular, and tells
** by how much: where that is over eps n sigma1, or the vectors are not orthonormal, Xgesvd does it over again. Knowing that waits.
** eigh: XsyevBatched for batches of small matrices, else Xsyevd, divide and conquer. eig: Xgeev, of CUDA 12.6 and newer.
*/
#include "solver.h"

#include <float.h>
#include <math.h>

#define JACOBI 32                      /* rows and columns that gesvdjBatched takes */
#define SMALL 512                      /* rows up to which a batch is one call of XsyevBatched */

static int64_t most(const ma_matrices *a) { return a->rows > a->columns ? a->rows : a->columns; }
static int64_t least(const ma_matrices *a) { return a->rows < a->columns ? a->rows : a->columns; }
static double epsilon(const ma_solver *s) { return s->real_item == 8 ? DBL_EPSILON : FLT_EPSILON; }

/* Behind each other, as the batched functions want matrices that have no list of addresses. */
static bool is_packed(const ma_matrices *a) { return a->count == 1 || a->step == a->ld * a->columns; }

/* ==== SVD by Jacobi rotations ===================================================================================== */

typedef int (*gesvdj_size)(cusolverDnHandle_t, int jobz, int m, int n, const void *, int ld, const void *s, const void *u, int ldu, const void *v, int ldv,
                           int *lwork, gesvdjInfo_t, int count);
typedef int (*gesvdj)(cusolverDnHandle_t, int jobz, int m, int n, void *, int ld, void *s, void *u, int ldu, void *v, int ldv, void *work, int lwork,
                      int *info, gesvdjInfo_t, int count);

/* It leaves U and V whole and packed, and V itself. */
static ma_status svd_jacobi(ma_solver *s, char job, void *values, const ma_matrices *u, const ma_matrices *vh, int32_t *info) {
  const ma_matrices *a = s->a;
  gesvdj_size size = MA_BY_DTYPE(s, gesvdj_size, cusolverDnSgesvdjBatched_bufferSize, cusolverDnDgesvdjBatched_bufferSize,
                                 cusolverDnCgesvdjBatched_bufferSize, cusolverDnZgesvdjBatched_bufferSize);
  gesvdj call = MA_BY_DTYPE(s, gesvdj, cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched, cusolverDnCgesvdjBatched, cusolverDnZgesvdjBatched);
  int m = (int)a->rows, n = (int)a->columns, ld = (int)a->ld, mode = job == 'N' ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR, lwork = 0;
  int64_t count = a->count;
  void *left, *right;
  MA_TRY(ma_solver_check_int(s, "cusolverDnDgesvdjBatched", 2, (int64_t[]){ a->ld, count }));
  bool direct = job != 'N' && u->columns == a->rows && u->ld == a->rows && is_packed(u);
  if (direct) left = u->data;
  else MA_TRY(ma_solver_scratch(s, (size_t)(a->rows * a->rows * count) * s->item, &left));
  MA_TRY(ma_solver_scratch(s, (size_t)(a->columns * a->columns * count) * s->item, &right));
  int status = size(s->handle, mode, m, n, a->data, ld, values, left, m, right, n, &lwork, s->jacobi, (int)count);
  if (status) return ma_solver_fail(s, "cusolverDnDgesvdjBatched_bufferSize", status);
  MA_TRY(ma_solver_workspace(s, (size_t)lwork * s->item, 0));
  status = call(s->handle, mode, m, n, a->data, ld, values, left, m, right, n, s->device, lwork, info, s->jacobi, (int)count);
  if (status) return ma_solver_fail(s, "cusolverDnDgesvdjBatched", status);
  if (job == 'N') return MA_OK;
  if (!direct) MA_TRY(ma_solver_copy(s, false, u->rows, u->columns, count, u->data, u->ld, u->step, left, a->rows, a->rows * a->rows));
  return ma_solver_copy(s, true, vh->rows, vh->columns, count, vh->data, vh->ld, vh->step, right, a->columns, a->columns * a->columns);
}

/* ==== Are columns orthonormal? ==================================================================================== */

static ma_status fill(ma_solver *s, void *to, int64_t n, int64_t step, double value) {
  ma_program program;
  ma_program_clear(&program);
  ma_program_output(&program, ma_program_scalar(&program, s->dtype));
  return ma_solver_map(s->stream, &program, 1, 1, n, (void *[]){ to }, (int64_t[1][3]){ { 0, 0, step * (int64_t)s->item } }, &(ma_value){ .c = { value, 0 } });
}

/* The Frobenius norm of n reals; cuBLAS takes 2^31 - 1 at once. Waits. */
static ma_status norm_locked(ma_solver *s, cublasHandle_t handle, const char *x, int64_t n, double *norm) {
  *norm = 0;
  for (int64_t piece = 1 << 30, at = 0; at < n; at += piece) {
    double part = 0;
    float single = 0;
    int status = ma_cu.cublasNrm2Ex(handle, (int)(n - at < piece ? n - at : piece), x + (size_t)at * s->real_item, s->real, 1,
                                    s->real_item == 8 ? (void *)&part : &single, s->real, s->real);
    if (status) return ma_solver_blas_fail(s, "cublasNrm2Ex", status);
    *norm = hypot(*norm, s->real_item == 8 ? part : single);
  }
  return MA_OK;
}

/* gram = Q^H Q - gram, which is the identity. */
static ma_status defect_locked(ma_solver *s, cublasHandle_t handle, const void *q, int64_t rows, int64_t columns, int64_t ld, void *gram, double *defect) {
  static const ma_c64 one_single = { 1, 0 }, minus_single = { -1, 0 };
  static const ma_c128 one_double = { 1, 0 }, minus_double = { -1, 0 };
  bool is_double = s->real_item == 8, is_complex = ma_solver_is_complex(s);
  const void *one = is_double ? (const void *)&one_double : &one_single, *minus = is_double ? (const void *)&minus_double : &minus_single;
  int status = ma_cu.cublasGemmStridedBatchedEx(handle, ma_solver_op(s, 'C'), CUBLAS_OP_N, (int)columns, (int)columns, (int)rows, one, q, s->type, (int)ld, 0,
                                                q, s->type, (int)ld, 0, minus, gram, s->type, (int)columns, 0, 1,
                                                is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  if (status) return ma_solver_blas_fail(s, "cublasGemmStridedBatchedEx", status);
  return norm_locked(s, handle, gram, columns * columns * (is_complex ? 2 : 1), defect);
}

/* `gram` has room for columns x columns. Waits. */
static ma_status is_orthonormal(ma_solver *s, const void *q, int64_t rows, int64_t columns, int64_t ld, void *gram, bool *orthonormal) {
  cublasHandle_t handle;
  double defect = 0;
  *orthonormal = false;
  if (ld > INT32_MAX || columns > INT32_MAX) return MA_OK;
  MA_TRY(fill(s, gram, columns * columns, 1, 0));
  MA_TRY(fill(s, gram, columns, columns + 1, 1));
  MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
  ma_status status = defect_locked(s, handle, q, rows, columns, ld, gram, &defect);
  ma_cuda_blas_end(s->stream);
  *orthonormal = status == MA_OK && defect <= 4 * epsilon(s) * (double)(columns > 16 ? columns : 16);
  return status;
}

/* ==== SVD of one larger matrix ==================================================================================== */

/*
** The functions want at least as many rows as columns: a wide matrix is turned, A^H = U' S V'^H gives A = V' S U'^H. `tall` is the matrix
** in that position, a copy, of rows x columns; `left` is U' and `square` V' (or V'^H), where they do not go to the results at once.
*/
typedef struct tall_svd {
  char job;
  bool wide;
  int64_t rows, columns, kept;         /* kept: columns of U' */
  void *tall, *left, *square, *gram;
  char *a, *values, *u, *vh;           /* of the matrix in question */
  int64_t ldu, ldvh;
  int32_t *info;
} tall_svd;

static ma_status take_tall(ma_solver *s, const tall_svd *t) {
  return ma_solver_copy(s, t->wide, t->rows, t->columns, 1, t->tall, t->rows, 0, t->a, s->a->ld, 0);
}

/* *good: the result is as accurate as Xgesvd's. The values and the vectors are there only then. */
static ma_status svd_polar(ma_solver *s, const tall_svd *t, bool *good) {
  bool vectors = t->job != 'N';        /* they are computed all the same: whether they are orthonormal says whether the values are right */
  int mode = CUSOLVER_EIG_MODE_VECTOR, economy = t->job != 'A';
  void *u = t->wide || !vectors ? t->left : t->u, *v = t->wide && vectors ? t->u : t->square;
  int64_t ldu = t->wide || !vectors ? t->rows : t->ldu, ldv = t->wide && vectors ? t->ldu : t->columns;
  size_t device, host;
  double shift = 0;
  union { double f64; float f32; } first;
  int32_t info;
  MA_TRY(take_tall(s, t));
  MA_CUSOLVER(s, cusolverDnXgesvdp_bufferSize, s->handle, s->params, mode, economy, t->rows, t->columns, s->type, t->tall, t->rows, s->real, t->values,
              s->type, u, ldu, s->type, v, ldv, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  MA_CUSOLVER(s, cusolverDnXgesvdp, s->handle, s->params, mode, economy, t->rows, t->columns, s->type, t->tall, t->rows, s->real, t->values, s->type, u, ldu,
              s->type, v, ldv, s->type, s->device, s->device_bytes, s->host, s->host_bytes, t->info, &shift);
  MA_TRY(ma_cuda_peek_bytes(s->stream, &info, t->info, sizeof info));
  MA_TRY(ma_cuda_peek_bytes(s->stream, &first, t->values, s->real_item));
  double sigma = s->real_item == 8 ? first.f64 : first.f32;
  *good = info == 0 && shift <= epsilon(s) * (double)t->rows * sigma;
  if (*good) MA_TRY(is_orthonormal(s, u, t->rows, t->kept, ldu, t->gram, good));
  if (*good) MA_TRY(is_orthonormal(s, v, t->columns, t->columns, ldv, t->gram, good));
  if (!*good) ma_trace("linalg", "Xgesvdp: info %d, shift %g, largest value %g: Xgesvd instead", info, shift, sigma);
  if (!*good || !vectors) return MA_OK;
  if (t->wide) return ma_solver_copy(s, true, t->kept, t->rows, 1, t->vh, t->ldvh, 0, u, ldu, 0);
  return ma_solver_copy(s, true, t->columns, t->columns, 1, t->vh, t->ldvh, 0, v, ldv, 0);
}

static ma_status svd_qr(ma_solver *s, const tall_svd *t) {
  bool vectors = t->job != 'N', turned = t->wide || !vectors;
  void *u = turned ? t->left : t->u, *vh = turned ? t->square : t->vh;
  int64_t ldu = turned ? t->rows : t->ldu, ldvh = turned ? t->columns : t->ldvh;
  signed char job = (signed char)t->job;
  size_t device, host;
  MA_TRY(take_tall(s, t));
  MA_CUSOLVER(s, cusolverDnXgesvd_bufferSize, s->handle, s->params, job, job, t->rows, t->columns, s->type, t->tall, t->rows, s->real, t->values, s->type, u,
              ldu, s->type, vh, ldvh, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  MA_CUSOLVER(s, cusolverDnXgesvd, s->handle, s->params, job, job, t->rows, t->columns, s->type, t->tall, t->rows, s->real, t->values, s->type, u, ldu,
              s->type, vh, ldvh, s->type, s->device, s->device_bytes, s->host, s->host_bytes, t->info);
  if (!turned || !vectors) return MA_OK;
  MA_TRY(ma_solver_copy(s, true, t->columns, t->columns, 1, t->u, t->ldu, 0, vh, ldvh, 0));
  return ma_solver_copy(s, true, t->kept, t->rows, 1, t->vh, t->ldvh, 0, u, ldu, 0);
}

static ma_status svd_each(ma_solver *s, char job, void *values, const ma_matrices *u, const ma_matrices *vh, int32_t *info) {
  const ma_matrices *a = s->a;
  tall_svd t = { .job = job, .wide = a->rows < a->columns, .rows = most(a), .columns = least(a) };
  t.kept = job == 'A' ? t.rows : t.columns;
  bool vectors = job != 'N';
  MA_TRY(ma_solver_scratch(s, (size_t)(t.rows * t.columns) * s->item, &t.tall));
  MA_TRY(ma_solver_scratch(s, !vectors || t.wide ? (size_t)(t.rows * (vectors ? t.kept : t.columns)) * s->item : 16, &t.left));
  MA_TRY(ma_solver_scratch(s, (size_t)(t.columns * t.columns) * s->item, &t.square));
  MA_TRY(ma_solver_scratch(s, (size_t)(t.kept * t.kept) * s->item, &t.gram));
  for (int64_t k = 0; k < a->count; k++) {
    bool good = false;
    t.a = ma_solver_matrix(s, a, k);
    t.values = (char *)values + (size_t)(k * t.columns) * s->real_item;
    t.info = info + k;
    if (vectors) {
      t.u = ma_solver_matrix(s, u, k), t.ldu = u->ld;
      t.vh = ma_solver_matrix(s, vh, k), t.ldvh = vh->ld;
    }
    MA_TRY(svd_polar(s, &t, &good));
    if (!good) MA_TRY(svd_qr(s, &t));
  }
  return MA_OK;
}

ma_status ma_cuda_svd(ma_stream *stream, ma_dtype dtype, char job, const ma_matrices *a, void *values, const ma_matrices *u, const ma_matrices *vh, int32_t *info) {
  ma_solver s;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  bool jacobi = most(a) <= JACOBI && is_packed(a);
  return ma_solver_end(&s, jacobi ? svd_jacobi(&s, job, values, u, vh, info) : svd_each(&s, job, values, u, vh, info));
}

/* ==== Symmetric and Hermitian matrices ============================================================================ */

/* In pieces that 32-bit positions inside the library can number. */
static ma_status eigh_batched(ma_solver *s, int mode, int uplo, const ma_matrices *a, char *w, int32_t *info) {
  int64_t whole = INT32_MAX / (a->ld * a->columns), piece = whole < 1 ? 1 : a->count < whole ? a->count : whole;
  for (int64_t k = 0; k < a->count; k += piece) {
    int64_t n = a->count - k < piece ? a->count - k : piece;
    void *data = ma_solver_matrix(s, a, k), *values = w + (size_t)(k * a->rows) * s->real_item;
    size_t device, host;
    MA_CUSOLVER(s, cusolverDnXsyevBatched_bufferSize, s->handle, s->params, mode, uplo, a->rows, s->type, data, a->ld, s->real, values, s->type, &device,
                &host, n);
    MA_TRY(ma_solver_workspace(s, device, host));
    MA_CUSOLVER(s, cusolverDnXsyevBatched, s->handle, s->params, mode, uplo, a->rows, s->type, data, a->ld, s->real, values, s->type, s->device,
                s->device_bytes, s->host, s->host_bytes, info + k, n);
  }
  return MA_OK;
}

/* CUDA 12.6's XsyevBatched fails now and then on lower triangles of complex64: their adjoints, upper ones, have the same values and vectors. */
static ma_status eigh_adjoint(ma_solver *s, int mode, char *w, int32_t *info) {
  const ma_matrices *a = s->a;
  ma_matrices upper = { .rows = a->rows, .columns = a->columns, .ld = a->rows, .step = a->rows * a->columns, .count = a->count };
  MA_TRY(ma_solver_scratch(s, (size_t)(upper.step * upper.count) * s->item, &upper.data));
  MA_TRY(ma_solver_copy(s, true, a->rows, a->columns, a->count, upper.data, upper.ld, upper.step, a->data, a->ld, a->step));
  MA_TRY(eigh_batched(s, mode, CUBLAS_FILL_MODE_UPPER, &upper, w, info));
  if (mode == CUSOLVER_EIG_MODE_NOVECTOR) return MA_OK;
  return ma_solver_copy(s, false, a->rows, a->columns, a->count, a->data, a->ld, a->step, upper.data, upper.ld, upper.step);
}

static ma_status eigh_each(ma_solver *s, int mode, int uplo, char *w, int32_t *info) {
  const ma_matrices *a = s->a;
  size_t device, host;
  MA_CUSOLVER(s, cusolverDnXsyevd_bufferSize, s->handle, s->params, mode, uplo, a->rows, s->type, a->data, a->ld, s->real, w, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  for (int64_t k = 0; k < a->count; k++)
    MA_CUSOLVER(s, cusolverDnXsyevd, s->handle, s->params, mode, uplo, a->rows, s->type, ma_solver_matrix(s, a, k), a->ld, s->real,
                w + (size_t)(k * a->rows) * s->real_item, s->type, s->device, s->device_bytes, s->host, s->host_bytes, info + k);
  return MA_OK;
}

ma_status ma_cuda_eigh(ma_stream *stream, ma_dtype dtype, bool vectors, bool lower, const ma_matrices *a, void *w, int32_t *info) {
  ma_solver s;
  int mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR, uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  bool batched = a->count > 1 && a->rows <= SMALL && is_packed(a) && ma_cu.cusolverDnXsyevBatched && ma_cu.cusolverDnXsyevBatched_bufferSize;
  if (batched && lower && dtype == MA_COMPLEX64) return ma_solver_end(&s, eigh_adjoint(&s, mode, w, info));
  return ma_solver_end(&s, batched ? eigh_batched(&s, mode, uplo, a, w, info) : eigh_each(&s, mode, uplo, w, info));
}

/* ==== Any square matrix =========================================================================================== */

/*
** Of a real matrix, a pair's vectors are x + iy and x - iy, and the library leaves x and y in the pair's two columns. `packed` has one
** column more in front and one behind, so that each column has neighbours.
*/
static ma_status spread(ma_solver *s, char *w, void *packed, void *v, int64_t ld) {
  int64_t n = s->a->rows, r = (int64_t)s->real_item;
  ma_dtype dtype = s->dtype;
  ma_program p;
  ma_program_clear(&p);
  int wi = ma_program_input(&p, dtype), before = ma_program_input(&p, dtype), here = ma_program_input(&p, dtype), behind = ma_program_input(&p, dtype);
  int zero = ma_program_scalar(&p, dtype);
  int first = ma_program_emit(&p, MA_OP_greater, dtype, (int[]){ wi, zero }), second = ma_program_emit(&p, MA_OP_less, dtype, (int[]){ wi, zero });
  int minus = ma_program_emit(&p, MA_OP_negative, dtype, (int[]){ here });
  int im = ma_program_emit(&p, MA_OP_where, dtype, (int[]){ second, minus, zero });
  ma_program_output(&p, ma_program_emit(&p, MA_OP_where, dtype, (int[]){ second, before, here }));
  ma_program_output(&p, ma_program_emit(&p, MA_OP_where, dtype, (int[]){ first, behind, im }));
  char *middle = (char *)packed + n * r;
  void *data[] = { v, (char *)v + r, w + r, middle - n * r, middle, middle + n * r };
  const int64_t steps[6][3] = { { 0, 2 * r * ld, 2 * r }, { 0, 2 * r * ld, 2 * r }, { 0, 2 * r, 0 }, { 0, n * r, r }, { 0, n * r, r }, { 0, n * r, r } };
  return ma_solver_map(s->stream, &p, 1, n, n, data, steps, &(ma_value){ .c = { 0, 0 } });
}

static ma_status eig_each(ma_solver *s, char *w, const ma_matrices *v, int32_t *info) {
  const ma_matrices *a = s->a;
  bool vectors = v->data != NULL, is_real = !ma_solver_is_complex(s);
  int mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR, none = CUSOLVER_EIG_MODE_NOVECTOR;
  int wtype = s->real == CUDA_R_64F ? CUDA_C_64F : CUDA_C_32F;
  int64_t n = a->rows, ld = vectors && !is_real ? v->ld : n;
  size_t device, host, size = 2 * s->real_item;      /* of the complex results */
  void *packed = NULL, *to = NULL;
  if (vectors && is_real) MA_TRY(ma_solver_scratch(s, (size_t)(n * (n + 2)) * s->item, &packed));
  for (int64_t k = 0; k < a->count; k++) {
    char *data = ma_solver_matrix(s, a, k), *values = w + (size_t)(k * n) * size, *column = vectors ? (char *)v->data + (size_t)(k * v->step) * size : NULL;
    if (vectors) to = is_real ? (char *)packed + (size_t)n * s->item : column;
    MA_CUSOLVER(s, cusolverDnXgeev_bufferSize, s->handle, s->params, none, mode, n, s->type, data, a->ld, wtype, values, s->type, NULL, n, s->type, to, ld,
                s->type, &device, &host);
    MA_TRY(ma_solver_workspace(s, device, host));
    MA_CUSOLVER(s, cusolverDnXgeev, s->handle, s->params, none, mode, n, s->type, data, a->ld, wtype, values, s->type, NULL, n, s->type, to, ld, s->type,
                s->device, s->device_bytes, s->host, s->host_bytes, info + k);
    if (packed) MA_TRY(spread(s, values, packed, column, v->ld));
  }
  return MA_OK;
}

ma_status ma_cuda_eig(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *w, const ma_matrices *v, int32_t *info) {
  ma_solver s;
  MA_TRY(ma_cuda_need(MA_CUDA_cusolver));
  if (!ma_cu.cusolverDnXgeev || !ma_cu.cusolverDnXgeev_bufferSize)
    return ma_fail(MA_ERR_LIBRARY, "%s has no cusolverDnXgeev; CUDA 12.6 or newer is wanted for eig, or x:to(\"cpu\")", ma_cuda_library_path(MA_CUDA_cusolver));
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  return ma_solver_end(&s, eig_each(&s, w, v, info));
}
