/*
** lapack.c: factorisations and solutions by LAPACK. A call for one matrix uses the library's threads. A batch is
** divided over the backend's threads, and the library uses one thread meanwhile. Each piece of a batch has a workspace
** of the size that LAPACK reports.
*/
#include "backend/linalg.h"
#include "cpu/cpu.h"

#include "cpu/library/library.h"
#include "cpu/library/systems.h"
#include "cpu/map/wider.h"
#include "cpu/submit.h"
#include "tuning.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One call of a slot, and the memory for one of its matrices. */
typedef struct job job;
struct job {
  const char *name; /* name of the slot */
  ma_dtype dtype;
  void (*one)(const job *j, int64_t matrix, char *scratch, ma_blas_int *info); /* info is initially 0 */
  const ma_matrices *a, *b, *c;                                                /* b: right sides, or U, or V; c: V^H */
  size_t b_item; /* bytes of an element of b; 0: those of the dtype */
  int64_t k;
  const int64_t *pivot;
  int64_t *pivot_out;
  char *tau, *values; /* k and min(m, n) elements for each matrix */
  int32_t *info;
  char task, trans; /* of svd; of solving */
  bool lower, unit, vectors;
  /* Workspaces: elements of the dtype, of its real dtype, ints, and a copy of the matrix. */
  int64_t work, real_work, int_work;
};

static bool is_double(ma_dtype dtype) { return dtype == MA_FLOAT64 || dtype == MA_COMPLEX128; }
static bool is_complex(ma_dtype dtype) { return ma_dtypes[dtype].kind == MA_KIND_COMPLEX; }
static size_t item(const job *j) { return ma_dtypes[j->dtype].itemsize; }
static size_t real_item(const job *j) { return is_double(j->dtype) ? 8 : 4; }
static size_t up(size_t n) { return (n + 63) & ~(size_t)63; }

static void *matrix_of(const job *j, const ma_matrices *a, int64_t k) {
  return (char *)a->data + (size_t)(k * a->step) * item(j);
}
static char *real_scratch(const job *j, char *scratch) { return scratch + up((size_t)j->work * item(j)); }
static ma_blas_int *int_scratch(const job *j, char *scratch) {
  return (ma_blas_int *)(real_scratch(j, scratch) + up((size_t)j->real_work * real_item(j)));
}

/* name(dtype): the function of that dtype; all four have one type. */
#define PICK(dtype, real, complex)              \
  ((dtype) == MA_FLOAT32     ? ma_cl.s##real    \
   : (dtype) == MA_FLOAT64   ? ma_cl.d##real    \
   : (dtype) == MA_COMPLEX64 ? ma_cl.c##complex \
                             : ma_cl.z##complex)
#define PICK_REAL(dtype, name) (is_double(dtype) ? ma_cl.d##name : ma_cl.s##name)
#define PICK_COMPLEX(dtype, name) (is_double(dtype) ? ma_cl.z##name : ma_cl.c##name)

/* ==== Running a job over its batch ================================================================================ */

static size_t scratch_size(const job *j) {
  return up((size_t)j->work * item(j)) + up((size_t)j->real_work * real_item(j)) +
         up((size_t)j->int_work * sizeof(ma_blas_int)) + 64;
}

static ma_status run_range(void *context, int64_t first, int64_t last) {
  const job *j = context;
  char *scratch = aligned_alloc(64, scratch_size(j));
  if (!scratch) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for LAPACK's workspace", scratch_size(j));
  for (int64_t k = first; k < last; k++) {
    ma_blas_int info = 0;
    j->one(j, k, scratch, &info);
    if (j->info) j->info[k] = (int32_t)info;
  }
  free(scratch);
  return MA_OK;
}

static ma_status run_now(ma_stream *stream, const void *given) {
  const job *j = given;
  if (j->pivot_out && j->a->rows <= MA_LINALG_SMALL && j->a->columns <= MA_LINALG_SMALL)
    return ma_cpu_small_lu(j->dtype, j->a, j->pivot_out, j->info);
  int64_t count = j->a->count;
  double flops = (double)j->a->rows * (double)j->a->columns *
                 (double)(j->a->rows < j->a->columns ? j->a->rows : j->a->columns);
  /* A thread is worth waking for about ten microseconds of work; large matrices are left to the library's threads. */
  int64_t grain = flops >= 3e4 ? 1 : (int64_t)(3e4 / flops) + 1;
  bool here = count < 2 * grain || (count < ma_cpu_threads() && flops > 1e7);
  /* OpenBLAS wakes threads to invert a matrix of any size, for 7 us each. */
  if (here && flops > 1e6) return run_range((void *)j, 0, count);
  ma_cpu_openblas_alone(true);
  ma_status status = here ? run_range((void *)j, 0, count) : ma_cpu_parallel(count, grain, run_range, (void *)j);
  ma_cpu_openblas_alone(false);
  return status;
}

static const char *job_name(const void *given) { return ((const job *)given)->name; }

static int64_t job_bytes(const void *given) {
  const job *j = given;
  const ma_matrices *all[] = { j->a, j->b, j->c };
  int64_t bytes = 0;
  for (int k = 0; k < 3; k++)
    if (all[k] && all[k]->data)
      bytes += all[k]->rows * all[k]->columns * all[k]->count * (int64_t)(k == 1 && j->b_item ? j->b_item : item(j));
  return bytes;
}

/* Runs a job. It is refused in a graph, which would use the workspace of this call later. */
static ma_status run(ma_stream *stream, const job *j) {
  static const ma_task task = { .name_of = job_name, .run = run_now, .bytes = job_bytes, .refused = "a factorisation" };
  return ma_cpu_submit(stream, &task, j, sizeof *j);
}

/* Begins a call. Extents beyond 32 bits fail if LAPACK's integers have no more bits. */
static ma_status begin(const ma_matrices *a, const ma_matrices *b) {
  MA_TRY(ma_cpu_need(MA_CPU_lapack));
  int64_t most = a->rows > a->columns ? a->rows : a->columns;
  if (b && b->columns > most) most = b->columns;
  if (most > INT_MAX / 16 && !ma_cpu_lapack_is_wide())
    return ma_fail(MA_ERR_VALUE, "a matrix with an extent of %lld; LAPACK's 32-bit integers allow %d", (long long)most,
                   INT_MAX / 16);
  return MA_OK;
}

static ma_status check_work(double wanted) {
  if (wanted > INT_MAX && !ma_cpu_lapack_is_wide())
    return ma_fail(MA_ERR_VALUE, "a workspace of %.0f elements; LAPACK's 32-bit integers allow %d", wanted, INT_MAX);
  return MA_OK;
}

/* The size that a query left in the first element; above 2^24 a float32 has lost its last bits. */
static int64_t asked(const job *j, const void *element) {
  double n = is_double(j->dtype) ? *(const double *)element : (double)*(const float *)element;
  if (!is_double(j->dtype) && n >= 16777216) n *= 1.0000002;
  return n < 1 ? 1 : (int64_t)n;
}

/* Runs a job with the workspace that a query asked for. */
static ma_status run_asked(ma_stream *stream, job *j, const void *element) {
  j->work = asked(j, element);
  MA_TRY(check_work((double)j->work));
  return run(stream, j);
}

static const ma_blas_int query = -1;

/* ==== Cholesky, LU, triangular systems ============================================================================ */

/* Matrices of so few rows take less time here than a call of LAPACK. */

/* Does what potrf does with "L": the lower triangle becomes the factor. The result is 0, or the 1-based column whose
** pivot is not above 0. */
#define CHOLESKY(name, T, root)                                             \
  static FOR_AVX2 int name(T *a, int n, int64_t ld) {                       \
    for (int j = 0; j < n; j++) {                                           \
      T *column = a + j * ld, pivot = column[j];                            \
      if (!(pivot > 0)) return j + 1;                                       \
      column[j] = pivot = root(pivot);                                      \
      for (int i = j + 1; i < n; i++) column[i] /= pivot;                   \
      for (int k = j + 1; k < n; k++)                                       \
        for (int i = k; i < n; i++) a[k * ld + i] -= column[i] * column[k]; \
    }                                                                       \
    return 0;                                                               \
  }
CHOLESKY(cholesky_f4, float, sqrtf)
CHOLESKY(cholesky_f8, double, sqrt)
#undef CHOLESKY

/* The 1-based column of the first pivot that is NaN, which not every library sees; 0: there is none. */
static int64_t nan_pivot(const job *j, const char *a) {
  bool narrow = j->dtype == MA_FLOAT32 || j->dtype == MA_COMPLEX64;
  for (int64_t i = 0; i < j->a->rows; i++) {
    const void *pivot = a + (size_t)(i * (j->a->ld + 1)) * item(j);
    if (narrow ? isnan(*(const float *)pivot) : isnan(*(const double *)pivot)) return i + 1;
  }
  return 0;
}

static void cholesky_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  void *a = matrix_of(j, j->a, k);
  if (j->a->rows <= TUNE_CHOLESKY_ROWS && j->dtype == MA_FLOAT64) {
    *info = cholesky_f8(a, (int)j->a->rows, j->a->ld);
    return;
  }
  if (j->a->rows <= TUNE_CHOLESKY_ROWS && j->dtype == MA_FLOAT32) {
    *info = cholesky_f4(a, (int)j->a->rows, j->a->ld);
    return;
  }
  ma_blas_int n = j->a->rows, ld = j->a->ld;
  PICK(j->dtype, potrf, potrf)("L", &n, a, &ld, info, 1);
  if (*info == 0) *info = nan_pivot(j, a);
}

ma_status ma_cpu_linalg_cholesky(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info) {
  MA_TRY(begin(a, NULL));
  return run(stream, &(job){ .name = "cholesky", .dtype = dtype, .one = cholesky_one, .a = a, .info = info });
}

/* Element i of a list of the library's integers. */
static int64_t get_int(const ma_blas_int *list, int64_t i) {
  return ma_cpu_lapack_is_wide() ? list[i] : ((const int32_t *)list)[i];
}

static void set_int(ma_blas_int *list, int64_t i, int64_t value) {
  if (ma_cpu_lapack_is_wide()) list[i] = (ma_blas_int)value;
  else ((int32_t *)list)[i] = (int32_t)value;
}

static void lu_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int m = j->a->rows, n = j->a->columns, ld = j->a->ld, *pivot = int_scratch(j, scratch);
  PICK(j->dtype, getrf, getrf)(&m, &n, matrix_of(j, j->a, k), &ld, pivot, info);
  for (int64_t i = 0; i < j->k; i++) j->pivot_out[k * j->k + i] = get_int(pivot, i);
}

ma_status ma_cpu_linalg_lu(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t *pivot, int32_t *info) {
  MA_TRY(begin(a, NULL));
  int64_t k = a->rows < a->columns ? a->rows : a->columns;
  return run(
    stream,
    &(job){
      .name = "lu", .dtype = dtype, .one = lu_one, .a = a, .pivot_out = pivot, .info = info, .k = k, .int_work = k });
}

static void lu_solve_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int n = j->a->rows, right = j->b->columns, ld = j->a->ld, ldb = j->b->ld, *pivot = int_scratch(j, scratch);
  for (int64_t i = 0; i < n; i++) {
    int64_t p = j->pivot[k * n + i]; /* the user may have changed them, and getrs would write anywhere */
    set_int(pivot, i, p < 1 || p > n ? i + 1 : p);
  }
  PICK(j->dtype, getrs, getrs)
  (&j->trans, &n, &right, matrix_of(j, j->a, k), &ld, pivot, matrix_of(j, j->b, k), &ldb, info, 1);
}

ma_status ma_cpu_linalg_lu_solve(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a,
                                 const int64_t *pivot, const ma_matrices *b) {
  MA_TRY(begin(a, b));
  return run(stream, &(job){ .name = "lu_solve",
                             .dtype = dtype,
                             .one = lu_solve_one,
                             .a = a,
                             .b = b,
                             .pivot = pivot,
                             .trans = trans,
                             .int_work = a->rows });
}

static void triangular_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  static const float one32[2] = { 1, 0 };
  static const double one64[2] = { 1, 0 };
  ma_blas_int n = j->a->rows, right = j->b->columns, ld = j->a->ld, ldb = j->b->ld;
  const void *one = is_double(j->dtype) ? (const void *)one64 : one32;
  PICK(j->dtype, trsm, trsm)
  ("L", j->lower ? "L" : "U", &j->trans, j->unit ? "U" : "N", &n, &right, one, matrix_of(j, j->a, k), &ld,
   matrix_of(j, j->b, k), &ldb, 1, 1, 1, 1);
}

ma_status ma_cpu_linalg_triangular_solve(ma_stream *stream, ma_dtype dtype, bool lower, char trans, bool unit,
                                         const ma_matrices *a, const ma_matrices *b) {
  MA_TRY(begin(a, b));
  return run(stream, &(job){ .name = "triangular_solve",
                             .dtype = dtype,
                             .one = triangular_one,
                             .a = a,
                             .b = b,
                             .lower = lower,
                             .trans = trans,
                             .unit = unit });
}

/* ==== QR ========================================================================================================== */

static void call_qr(const job *j, void *a, void *tau, void *work, const ma_blas_int *lwork, ma_blas_int *info) {
  ma_blas_int m = j->a->rows, n = j->a->columns, ld = j->a->ld;
  PICK(j->dtype, geqrf, geqrf)(&m, &n, a, &ld, tau, work, lwork, info);
}

static void qr_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int lwork = j->work;
  call_qr(j, matrix_of(j, j->a, k), j->tau + (size_t)(k * j->k) * item(j), scratch, &lwork, info);
}

ma_status ma_cpu_linalg_qr(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *tau, int32_t *info) {
  MA_TRY(begin(a, NULL));
  job j = { .name = "qr",
            .dtype = dtype,
            .one = qr_one,
            .a = a,
            .tau = tau,
            .info = info,
            .k = a->rows < a->columns ? a->rows : a->columns };
  double size[2] = { 0 };
  ma_blas_int ignored = 0;
  call_qr(&j, a->data, tau, size, &query, &ignored);
  return run_asked(stream, &j, size);
}

static void call_form(const job *j, void *a, const void *tau, void *work, const ma_blas_int *lwork, ma_blas_int *info) {
  ma_blas_int m = j->a->rows, n = j->a->columns, k = j->k, ld = j->a->ld;
  PICK(j->dtype, orgqr, ungqr)(&m, &n, &k, a, &ld, tau, work, lwork, info);
}

static void form_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int lwork = j->work;
  call_form(j, matrix_of(j, j->a, k), j->tau + (size_t)(k * j->k) * item(j), scratch, &lwork, info);
}

ma_status ma_cpu_linalg_qr_form(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t k, const void *tau,
                                int32_t *info) {
  MA_TRY(begin(a, NULL));
  job j = { .name = "qr_form", .dtype = dtype, .one = form_one, .a = a, .tau = (void *)tau, .info = info, .k = k };
  double size[2] = { 0 };
  ma_blas_int ignored = 0;
  call_form(&j, a->data, tau, size, &query, &ignored);
  return run_asked(stream, &j, size);
}

static void call_apply(const job *j, const void *a, const void *tau, void *b, void *work, const ma_blas_int *lwork,
                       ma_blas_int *info) {
  ma_blas_int m = j->b->rows, n = j->b->columns, k = j->k, ld = j->a->ld, ldb = j->b->ld;
  const char *trans = j->trans == 'N' ? "N" : is_complex(j->dtype) ? "C" : "T";
  PICK(j->dtype, ormqr, unmqr)("L", trans, &m, &n, &k, a, &ld, tau, b, &ldb, work, lwork, info, 1, 1);
}

static void apply_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int lwork = j->work;
  call_apply(j, matrix_of(j, j->a, k), j->tau + (size_t)(k * j->k) * item(j), matrix_of(j, j->b, k), scratch, &lwork,
             info);
}

ma_status ma_cpu_linalg_qr_apply(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, int64_t k,
                                 const void *tau, const ma_matrices *b, int32_t *info) {
  MA_TRY(begin(a, b));
  job j = { .name = "qr_apply",
            .dtype = dtype,
            .one = apply_one,
            .a = a,
            .b = b,
            .tau = (void *)tau,
            .info = info,
            .k = k,
            .trans = trans };
  double size[2] = { 0 };
  ma_blas_int ignored = 0;
  call_apply(&j, a->data, tau, b->data, size, &query, &ignored);
  return run_asked(stream, &j, size);
}

/* ==== SVD ========================================================================================================= */

static void call_svd(const job *j, int64_t k, void *s, void *work, const ma_blas_int *lwork, void *rwork,
                     ma_blas_int *iwork, ma_blas_int *info) {
  ma_blas_int m = j->a->rows, n = j->a->columns, ld = j->a->ld, ldu = j->task == 'N' ? 1 : j->b->ld,
              ldv = j->task == 'N' ? 1 : j->c->ld;
  void *a = matrix_of(j, j->a, k), *u = j->task == 'N' ? work : matrix_of(j, j->b, k),
       *vh = j->task == 'N' ? work : matrix_of(j, j->c, k);
  if (is_complex(j->dtype))
    PICK_COMPLEX(j->dtype, gesdd)(&j->task, &m, &n, a, &ld, s, u, &ldu, vh, &ldv, work, lwork, rwork, iwork, info, 1);
  else PICK_REAL(j->dtype, gesdd)(&j->task, &m, &n, a, &ld, s, u, &ldu, vh, &ldv, work, lwork, iwork, info, 1);
}

static void svd_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int lwork = j->work;
  call_svd(j, k, j->values + (size_t)(k * j->k) * real_item(j), scratch, &lwork, real_scratch(j, scratch),
           int_scratch(j, scratch), info);
}

ma_status ma_cpu_linalg_svd(ma_stream *stream, ma_dtype dtype, char task, const ma_matrices *a, void *s,
                            const ma_matrices *u, const ma_matrices *vh, int32_t *info) {
  MA_TRY(begin(a, NULL));
  int64_t least = a->rows < a->columns ? a->rows : a->columns, most = a->rows + a->columns - least;
  job j = { .name = "svd",
            .dtype = dtype,
            .one = svd_one,
            .a = a,
            .b = u,
            .c = vh,
            .values = s,
            .info = info,
            .task = task,
            .k = least,
            .int_work = 8 * least };
  MA_TRY(check_work(4.0 * (double)least * (double)least + 7.0 * (double)least));
  if (is_complex(dtype)) { /* the documented bound; older LAPACKs want 7 without vectors */
    int64_t few = 5 * least + 7, many = 2 * most + 2 * least + 1;
    j.real_work = task == 'N' ? 7 * least : least * (few > many ? few : many);
  }
  double size[2] = { 0 };
  ma_blas_int ignored = 0;
  call_svd(&j, 0, s, size, &query, size, &ignored, &ignored);
  return run_asked(stream, &j, size);
}

/* ==== Eigenvalues ================================================================================================= */

static void call_eigh(const job *j, void *a, void *w, void *work, const ma_blas_int *lwork, void *rwork,
                      const ma_blas_int *lrwork, ma_blas_int *iwork, const ma_blas_int *liwork, ma_blas_int *info) {
  ma_blas_int n = j->a->rows, ld = j->a->ld;
  const char *vectors = j->vectors ? "V" : "N", *uplo = j->lower ? "L" : "U";
  if (is_complex(j->dtype))
    PICK_COMPLEX(j->dtype, heevd)(vectors, uplo, &n, a, &ld, w, work, lwork, rwork, lrwork, iwork, liwork, info, 1, 1);
  else PICK_REAL(j->dtype, syevd)(vectors, uplo, &n, a, &ld, w, work, lwork, iwork, liwork, info, 1, 1);
}

static void eigh_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int lwork = j->work, lrwork = j->real_work, liwork = j->int_work;
  call_eigh(j, matrix_of(j, j->a, k), j->values + (size_t)(k * j->k) * real_item(j), scratch, &lwork,
            real_scratch(j, scratch), &lrwork, int_scratch(j, scratch), &liwork, info);
}

ma_status ma_cpu_linalg_eigh(ma_stream *stream, ma_dtype dtype, bool vectors, bool lower, const ma_matrices *a, void *w,
                             int32_t *info) {
  MA_TRY(begin(a, NULL));
  job j = { .name = "eigh",
            .dtype = dtype,
            .one = eigh_one,
            .a = a,
            .values = w,
            .info = info,
            .vectors = vectors,
            .lower = lower,
            .k = a->rows };
  double size[2] = { 0 }, real_size[2] = { 0 };
  ma_blas_int ignored = 0, ints = 1;
  MA_TRY(check_work(2.0 * (double)a->rows * (double)a->rows + 6.0 * (double)a->rows + 1));
  call_eigh(&j, a->data, w, size, &query, real_size, &query, &ints, &query, &ignored);
  j.real_work = is_complex(dtype) ? asked(&j, real_size) : 0;
  j.int_work = ints;
  return run_asked(stream, &j, size);
}

/* Brings the results of the real routines together. These return the real and imaginary parts of values in two lists,
** and of a pair's vectors in two columns. */
#define SPREAD(name, real)                                                                                           \
  static void name(int64_t n, void *values, const void *re_values, const void *im_values, void *vectors, int64_t ld, \
                   const void *from) {                                                                               \
    real *w = values, *v = vectors;                                                                                  \
    const real *wr = re_values, *wi = im_values, *packed = from;                                                     \
    for (int64_t i = 0; i < n; i++) {                                                                                \
      w[2 * i] = wr[i];                                                                                              \
      w[2 * i + 1] = wi[i];                                                                                          \
    }                                                                                                                \
    for (int64_t c = 0; v && c < n; c++) {                                                                           \
      bool pair = wi[c] != 0 && c + 1 < n;                                                                           \
      const real *re = packed + (size_t)c * n, *im = re + n;                                                         \
      real *at = v + 2 * c * ld, *next = at + 2 * ld;                                                                \
      for (int64_t i = 0; i < n; i++) {                                                                              \
        at[2 * i] = re[i];                                                                                           \
        at[2 * i + 1] = pair ? im[i] : 0;                                                                            \
      }                                                                                                              \
      for (int64_t i = 0; pair && i < n; i++) {                                                                      \
        next[2 * i] = re[i];                                                                                         \
        next[2 * i + 1] = -im[i];                                                                                    \
      }                                                                                                              \
      c += pair;                                                                                                     \
    }                                                                                                                \
  }
SPREAD(spread32, float)
SPREAD(spread64, double)

static void call_eig(const job *j, void *a, void *w, void *wi, void *v, ma_blas_int ldv, void *work,
                     const ma_blas_int *lwork, void *rwork, ma_blas_int *info) {
  ma_blas_int n = j->a->rows, ld = j->a->ld, one = 1;
  const char *right = j->vectors ? "V" : "N";
  if (is_complex(j->dtype))
    PICK_COMPLEX(j->dtype, geev)("N", right, &n, a, &ld, w, work, &one, v, &ldv, work, lwork, rwork, info, 1, 1);
  else PICK_REAL(j->dtype, geev)("N", right, &n, a, &ld, w, wi, work, &one, v, &ldv, work, lwork, info, 1, 1);
}

static void eig_one(const job *j, int64_t k, char *scratch, ma_blas_int *info) {
  ma_blas_int n = j->a->rows, lwork = j->work;
  size_t size = 2 * real_item(j); /* for the complex results */
  char *real = real_scratch(j, scratch), *w = j->values + (size_t)(k * n) * size;
  char *v = j->vectors ? (char *)j->b->data + (size_t)(k * j->b->step) * size : NULL;
  if (is_complex(j->dtype)) {
    call_eig(j, matrix_of(j, j->a, k), w, NULL, j->vectors ? v : scratch, j->vectors ? j->b->ld : 1, scratch, &lwork,
             real, info);
    return;
  }
  char *wr = real, *wi = wr + (size_t)n * real_item(j), *packed = wi + (size_t)n * real_item(j);
  call_eig(j, matrix_of(j, j->a, k), wr, wi, j->vectors ? packed : scratch, j->vectors ? n : 1, scratch, &lwork, NULL,
           info);
  if ((int32_t)*info != 0) /* after a failure there is no result */
    return;
  if (is_double(j->dtype)) spread64(n, w, wr, wi, v, v ? j->b->ld : 0, packed);
  else spread32(n, w, wr, wi, v, v ? j->b->ld : 0, packed);
}

ma_status ma_cpu_linalg_eig(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *w, const ma_matrices *v,
                            int32_t *info) {
  MA_TRY(begin(a, NULL));
  job j = {
    .name = "eig", .dtype = dtype, .one = eig_one, .a = a, .b = v, .values = w, .info = info, .vectors = v->data != NULL
  };
  j.b_item = 2 * real_item(&j);
  ma_blas_int ignored = 0, n = a->rows;
  double size[2] = { 0 };
  call_eig(&j, a->data, size, size, size, n, size, &query, size, &ignored);
  j.real_work = 2 * a->rows + (j.vectors && !is_complex(dtype) ? a->rows * a->rows : 0);
  return run_asked(stream, &j, size);
}
