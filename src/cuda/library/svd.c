/*
** svd.c: singular values by cuSOLVER. Matrices up to 32 x 32 use Jacobi rotations, a whole batch in one call
** (gesvdjBatched). Larger ones use the polar decomposition (Xgesvdp), about four times as fast as the QR algorithm
** (Xgesvd). It perturbs the singular values of a matrix that is nearly singular, and reports by how much. Xgesvd
** computes a matrix again if that is more than eps n sigma1, if the vectors are not orthonormal, or if values without
** vectors do not have the norm of the matrix. This check waits.
*/
#include "cuda/library/solver.h"

#include <float.h>
#include <math.h>

#define JACOBI 32 /* rows and columns that gesvdjBatched takes */

static int64_t most(const ma_matrices *a) { return a->rows > a->columns ? a->rows : a->columns; }
static double epsilon(const ma_solver *s) { return s->real_item == 8 ? DBL_EPSILON : FLT_EPSILON; }

/* ==== SVD by Jacobi rotations ===================================================================================== */

typedef int (*gesvdj_size)(cusolverDnHandle_t, int jobz, int m, int n, const void *, int ld, const void *s,
                           const void *u, int ldu, const void *v, int ldv, int *lwork, gesvdjInfo_t, int count);
typedef int (*gesvdj)(cusolverDnHandle_t, int jobz, int m, int n, void *, int ld, void *s, void *u, int ldu, void *v,
                      int ldv, void *work, int lwork, int *info, gesvdjInfo_t, int count);

/* gesvdjBatched writes complete U and V, contiguous, and V itself instead of V^H. */
static ma_status svd_jacobi(ma_solver *s, char job, void *values, const ma_matrices *u, const ma_matrices *vh,
                            int32_t *info) {
  const ma_matrices *a = s->a;
  gesvdj_size size = MA_BY_DTYPE(s, gesvdj_size, cusolverDnSgesvdjBatched_bufferSize,
                                 cusolverDnDgesvdjBatched_bufferSize, cusolverDnCgesvdjBatched_bufferSize,
                                 cusolverDnZgesvdjBatched_bufferSize);
  gesvdj call = MA_BY_DTYPE(s, gesvdj, cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched, cusolverDnCgesvdjBatched,
                            cusolverDnZgesvdjBatched);
  int m = (int)a->rows, n = (int)a->columns, ld = (int)a->ld,
      mode = job == 'N' ? CUSOLVER_EIG_MODE_NOVECTOR : CUSOLVER_EIG_MODE_VECTOR, lwork = 0;
  int64_t count = a->count;
  void *left, *right;
  MA_TRY(ma_solver_check_int(s, "cusolverDnDgesvdjBatched", 2, (int64_t[]){ a->ld, count }));
  bool direct = job != 'N' && u->columns == a->rows && u->ld == a->rows && ma_solver_is_packed(u);
  if (direct) left = u->data;
  else MA_TRY(ma_solver_scratch(s, (size_t)(a->rows * a->rows * count) * s->item, &left));
  MA_TRY(ma_solver_scratch(s, (size_t)(a->columns * a->columns * count) * s->item, &right));
  int status = size(s->handle, mode, m, n, a->data, ld, values, left, m, right, n, &lwork, s->jacobi, (int)count);
  if (status) return ma_solver_fail(s, "cusolverDnDgesvdjBatched_bufferSize", status);
  MA_TRY(ma_solver_workspace(s, (size_t)lwork * s->item, 0));
  status = call(s->handle, mode, m, n, a->data, ld, values, left, m, right, n, s->device, lwork, info, s->jacobi,
                (int)count);
  if (status) return ma_solver_fail(s, "cusolverDnDgesvdjBatched", status);
  if (job == 'N') return MA_OK;
  if (!direct)
    MA_TRY(
      ma_solver_copy(s, false, u->rows, u->columns, count, u->data, u->ld, u->step, left, a->rows, a->rows * a->rows));
  return ma_solver_copy(s, true, vh->rows, vh->columns, count, vh->data, vh->ld, vh->step, right, a->columns,
                        a->columns * a->columns);
}

/* ==== SVD of one larger matrix ==================================================================================== */

/*
** The functions need at least as many rows as columns. A wide matrix is transposed: A^H = U' S V'^H gives A = V' S
** U'^H. `tall` is a copy of the matrix in that form, rows x columns. `left` is U' and `square` is V' (or V'^H), if they
** are not written to the results directly.
*/
typedef struct tall_svd {
  char job;
  bool wide;
  int64_t rows, columns, kept; /* kept: columns of U' */
  void *tall, *left, *square;
  char *a, *values, *u, *vh; /* of the current matrix */
  int64_t ldu, ldvh;
  int32_t *info;
} tall_svd;

static ma_status take_tall(ma_solver *s, const tall_svd *t) {
  return ma_solver_copy(s, t->wide, t->rows, t->columns, 1, t->tall, t->rows, 0, t->a, s->a->ld, 0);
}

/* *good: the result is as accurate as that of Xgesvd; only then are the values and vectors set. */
static ma_status svd_polar(ma_solver *s, const tall_svd *t, bool *good) {
  bool vectors = t->job != 'N';
  int mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR, economy = t->job != 'A';
  void *u = t->wide || !vectors ? t->left : t->u, *v = t->wide && vectors ? t->u : t->square;
  int64_t ldu = t->wide || !vectors ? t->rows : t->ldu, ldv = t->wide && vectors ? t->ldu : t->columns;
  size_t device, host;
  double shift = 0, size = 0, sum = 0;
  union {
    double f64;
    float f32;
  } first;
  int32_t info;
  MA_TRY(take_tall(s, t));
  if (!vectors) MA_TRY(ma_solver_norm(s, t->tall, t->rows * t->columns * (ma_solver_is_complex(s) ? 2 : 1), &size));
  MA_CUSOLVER(s, cusolverDnXgesvdp_bufferSize, s->handle, s->params, mode, economy, t->rows, t->columns, s->type,
              t->tall, t->rows, s->real, t->values, s->type, u, ldu, s->type, v, ldv, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  MA_CUSOLVER(s, cusolverDnXgesvdp, s->handle, s->params, mode, economy, t->rows, t->columns, s->type, t->tall, t->rows,
              s->real, t->values, s->type, u, ldu, s->type, v, ldv, s->type, s->device, s->device_bytes, s->host,
              s->host_bytes, t->info, &shift);
  /* Queues the checks while the library's last kernels run, then waits once. */
  const ma_matrices both[] = { { .data = u, .rows = t->rows, .columns = t->kept, .ld = ldu, .count = 1 },
                               { .data = v, .rows = t->columns, .columns = t->columns, .ld = ldv, .count = 1 } };
  if (vectors) MA_TRY(ma_solver_orthonormal(s, 2, both, good));
  else MA_TRY(ma_solver_norm(s, t->values, t->columns, &sum));
  MA_TRY(ma_cuda_peek_bytes(s->stream, &info, t->info, sizeof info));
  MA_TRY(ma_cuda_peek_bytes(s->stream, &first, t->values, s->real_item));
  double sigma = s->real_item == 8 ? first.f64 : first.f32;
  if (!vectors) *good = fabs(sum - size) <= epsilon(s) * (double)t->rows * size;
  *good = *good && info == 0 && shift <= epsilon(s) * (double)t->rows * sigma;
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
  MA_CUSOLVER(s, cusolverDnXgesvd_bufferSize, s->handle, s->params, job, job, t->rows, t->columns, s->type, t->tall,
              t->rows, s->real, t->values, s->type, u, ldu, s->type, vh, ldvh, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  MA_CUSOLVER(s, cusolverDnXgesvd, s->handle, s->params, job, job, t->rows, t->columns, s->type, t->tall, t->rows,
              s->real, t->values, s->type, u, ldu, s->type, vh, ldvh, s->type, s->device, s->device_bytes, s->host,
              s->host_bytes, t->info);
  if (!turned || !vectors) return MA_OK;
  MA_TRY(ma_solver_copy(s, true, t->columns, t->columns, 1, t->u, t->ldu, 0, vh, ldvh, 0));
  return ma_solver_copy(s, true, t->kept, t->rows, 1, t->vh, t->ldvh, 0, u, ldu, 0);
}

static ma_status svd_each(ma_solver *s, char job, void *values, const ma_matrices *u, const ma_matrices *vh,
                          int32_t *info) {
  const ma_matrices *a = s->a;
  tall_svd t = { .job = job, .wide = a->rows < a->columns, .rows = most(a), .columns = ma_solver_least(a) };
  t.kept = job == 'A' ? t.rows : t.columns;
  bool vectors = job != 'N';
  MA_TRY(ma_solver_scratch(s, (size_t)(t.rows * t.columns) * s->item, &t.tall));
  MA_TRY(ma_solver_scratch(s, !vectors || t.wide ? (size_t)(t.rows * (vectors ? t.kept : t.columns)) * s->item : 16,
                           &t.left));
  MA_TRY(ma_solver_scratch(s, (size_t)(t.columns * t.columns) * s->item, &t.square));
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

/* A batch of larger matrices uses linalg/jacobi.c, without a handle, and does not wait. */
ma_status ma_cuda_linalg_svd(ma_stream *stream, ma_dtype dtype, char job, const ma_matrices *a, void *values,
                             const ma_matrices *u, const ma_matrices *vh, int32_t *info) {
  ma_solver s;
  bool library = most(a) <= JACOBI && ma_solver_is_packed(a);
  ma_solver_open(&s, stream, dtype, a, NULL);
  if (!library && a->count > 1 && ma_solver_jacobi_takes(&s, job)) {
    MA_TRY(ma_cuda_enter(stream->device));
    return ma_solver_end(&s, ma_solver_jacobi(&s, job, values, u, vh, info));
  }
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  return ma_solver_end(&s, library ? svd_jacobi(&s, job, values, u, vh, info) : svd_each(&s, job, values, u, vh, info));
}
