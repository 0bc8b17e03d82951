/*
** factor.c: Cholesky, LU, QR and triangular systems by cuSOLVER and cuBLAS. A batch of small matrices is passed to the
** batched functions, which take a list of addresses. Larger matrices are factored one by one by functions that use the
** whole GPU.
*/
#include "cuda/library/solver.h"
#include "tuning.h"

#define BLAS(s, handle, stream, call, name, ...)                    \
  do {                                                              \
    int status_ = (call)(__VA_ARGS__);                              \
    ma_cuda_blas_end(stream);                                       \
    if (status_ != 0) return ma_solver_blas_fail(s, name, status_); \
  } while (0)

/* ==== Cholesky ==================================================================================================== */

typedef int (*potrf_batched)(cusolverDnHandle_t, int uplo, int n, void *const *, int ld, int *info, int count);

static ma_status cholesky_batched(ma_solver *s, int32_t *info) {
  const ma_matrices *a = s->a;
  void **list;
  potrf_batched call = MA_BY_DTYPE(s, potrf_batched, cusolverDnSpotrfBatched, cusolverDnDpotrfBatched,
                                   cusolverDnCpotrfBatched, cusolverDnZpotrfBatched);
  MA_TRY(ma_solver_check_int(s, "cusolverDnDpotrfBatched", 2, (int64_t[]){ a->ld, a->count }));
  MA_TRY(ma_solver_addresses(s, a->data, a->step, a->count, &list));
  int status = call(s->handle, CUBLAS_FILL_MODE_LOWER, (int)a->rows, list, (int)a->ld, info, (int)a->count);
  return status ? ma_solver_fail(s, "cusolverDnDpotrfBatched", status) : MA_OK;
}

static ma_status cholesky_each(ma_solver *s, int32_t *info) {
  const ma_matrices *a = s->a;
  size_t device, host;
  MA_CUSOLVER(s, cusolverDnXpotrf_bufferSize, s->handle, s->params, CUBLAS_FILL_MODE_LOWER, a->rows, s->type, a->data,
              a->ld, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  for (int64_t k = 0; k < a->count; k++)
    MA_CUSOLVER(s, cusolverDnXpotrf, s->handle, s->params, CUBLAS_FILL_MODE_LOWER, a->rows, s->type,
                ma_solver_matrix(s, a, k), a->ld, s->type, s->device, s->device_bytes, s->host, s->host_bytes,
                info + k);
  return MA_OK;
}

ma_status ma_cuda_linalg_cholesky(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int32_t *info) {
  ma_solver s;
  if (a->count > 1 && a->rows <= MA_LINALG_SMALL) return ma_cuda_cholesky_small(stream, dtype, a, info);
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  return ma_solver_end(&s, a->count > 1 && a->rows <= TUNE_BATCHED_ROWS ? cholesky_batched(&s, info)
                                                                        : cholesky_each(&s, info));
}

/* ==== One triangular system ======================================================================================= */

typedef int (*trsm)(cublasHandle_t, int side, int uplo, int trans, int diag, int m, int n, const void *alpha,
                    const void *, int ld, void *, int ldb);
typedef int (*trsm_batched)(cublasHandle_t, int side, int uplo, int trans, int diag, int m, int n, const void *alpha,
                            void *const *, int ld, void *const *, int ldb, int count);

typedef struct triangle {
  int uplo, op, diag;
  const void *one;
} triangle;

static const void *one_of(const ma_solver *s) {
  static const ma_c64 one_single = { 1, 0 };
  static const ma_c128 one_double = { 1, 0 };
  return s->real_item == 8 ? (const void *)&one_double : &one_single;
}

static ma_status triangles_batched(ma_solver *s, const triangle *t) {
  const ma_matrices *a = s->a, *b = s->b;
  void **factors, **sides;
  cublasHandle_t handle;
  trsm_batched call = MA_BY_DTYPE(s, trsm_batched, cublasStrsmBatched, cublasDtrsmBatched, cublasCtrsmBatched,
                                  cublasZtrsmBatched);
  MA_TRY(ma_solver_check_int(s, "cublasDtrsmBatched", 4, (int64_t[]){ a->ld, a->count, b->ld, b->columns }));
  MA_TRY(ma_solver_addresses(s, a->data, a->step, a->count, &factors));
  MA_TRY(ma_solver_addresses(s, b->data, b->step, a->count, &sides));
  MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
  BLAS(s, handle, s->stream, call, "cublasDtrsmBatched", handle, CUBLAS_SIDE_LEFT, t->uplo, t->op, t->diag,
       (int)a->rows, (int)b->columns, t->one, factors, (int)a->ld, sides, (int)b->ld, (int)a->count);
  return MA_OK;
}

/* Solves for one matrix after the other. A matrix may have more right sides than cuBLAS counts, so they go in
** pieces. */
static ma_status triangles_each(ma_solver *s, const triangle *t) {
  const ma_matrices *a = s->a, *b = s->b;
  const int64_t piece = 1 << 30;
  cublasHandle_t handle;
  trsm call = MA_BY_DTYPE(s, trsm, cublasStrsm, cublasDtrsm, cublasCtrsm, cublasZtrsm);
  MA_TRY(ma_solver_check_int(s, "cublasDtrsm", 2, (int64_t[]){ a->ld, b->ld }));
  for (int64_t k = 0; k < a->count; k++)
    for (int64_t j = 0; j < b->columns; j += piece) {
      char *right = (char *)ma_solver_matrix(s, b, k) + (size_t)(j * b->ld) * s->item;
      int n = (int)(b->columns - j < piece ? b->columns - j : piece);
      MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
      BLAS(s, handle, s->stream, call, "cublasDtrsm", handle, CUBLAS_SIDE_LEFT, t->uplo, t->op, t->diag, (int)a->rows,
           n, t->one, ma_solver_matrix(s, a, k), (int)a->ld, right, (int)b->ld);
    }
  return MA_OK;
}

/* ==== LU ========================================================================================================== */

typedef int (*getrf_batched)(cublasHandle_t, int n, void *const *, int ld, int *pivot, int *info, int count);
typedef int (*getrs_batched)(cublasHandle_t, int trans, int n, int nrhs, void *const *, int ld, const int *pivot,
                             void *const *, int ldb, int *info, int count);

/* Converts int32 <-> int64. With `n` not 0, clamps positions to 1 .. n, because functions that use them would write
** anywhere. */
static ma_status convert_pivots(ma_stream *stream, void *to, ma_dtype to_dtype, const void *from, ma_dtype dtype,
                                int64_t count, int64_t n) {
  ma_program program;
  ma_program_clear(&program);
  int x = ma_program_input(&program, dtype);
  if (n) {
    int one = ma_program_scalar(&program, dtype), last = ma_program_scalar(&program, dtype);
    x = ma_program_emit(&program, MA_DO_greater_of, dtype, (int[]){ x, one });
    x = ma_program_emit(&program, MA_DO_lesser_of, dtype, (int[]){ x, last });
  }
  ma_program_output(&program, ma_program_cast(&program, x, to_dtype));
  const int64_t steps[2][3] = { { 0, 0, ma_dtypes[to_dtype].itemsize }, { 0, 0, ma_dtypes[dtype].itemsize } };
  return ma_solver_map(stream, &program, 1, 1, count, (void *[]){ to, (void *)(uintptr_t)from }, steps,
                       (ma_value[]){ { .i = 1 }, { .i = n } });
}

static ma_status lu_batched(ma_solver *s, int64_t *pivot, int32_t *info) {
  const ma_matrices *a = s->a;
  void **list, *pivots;
  cublasHandle_t handle;
  getrf_batched call = MA_BY_DTYPE(s, getrf_batched, cublasSgetrfBatched, cublasDgetrfBatched, cublasCgetrfBatched,
                                   cublasZgetrfBatched);
  MA_TRY(ma_solver_check_int(s, "cublasDgetrfBatched", 2, (int64_t[]){ a->ld, a->count }));
  MA_TRY(ma_solver_addresses(s, a->data, a->step, a->count, &list));
  MA_TRY(ma_solver_scratch(s, (size_t)(a->count * a->rows) * sizeof(int), &pivots));
  MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
  BLAS(s, handle, s->stream, call, "cublasDgetrfBatched", handle, (int)a->rows, list, (int)a->ld, pivots, info,
       (int)a->count);
  return convert_pivots(s->stream, pivot, MA_INT64, pivots, MA_INT32, a->count * a->rows, 0);
}

static ma_status lu_each(ma_solver *s, int64_t *pivot, int32_t *info) {
  const ma_matrices *a = s->a;
  size_t device, host;
  MA_CUSOLVER(s, cusolverDnXgetrf_bufferSize, s->handle, s->params, a->rows, a->columns, s->type, a->data, a->ld,
              s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  for (int64_t k = 0; k < a->count; k++)
    MA_CUSOLVER(s, cusolverDnXgetrf, s->handle, s->params, a->rows, a->columns, s->type, ma_solver_matrix(s, a, k),
                a->ld, pivot + k * ma_solver_least(a), s->type, s->device, s->device_bytes, s->host, s->host_bytes,
                info + k);
  return MA_OK;
}

ma_status ma_cuda_linalg_lu(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t *pivot, int32_t *info) {
  ma_solver s;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  bool batched = a->count > 1 && a->rows == a->columns && a->rows <= TUNE_BATCHED_ROWS;
  return ma_solver_end(&s, batched ? lu_batched(&s, pivot, info) : lu_each(&s, pivot, info));
}

static ma_status lu_solve_batched(ma_solver *s, int op, const int64_t *pivot) {
  const ma_matrices *a = s->a, *b = s->b;
  void **factors, **sides, *pivots;
  cublasHandle_t handle;
  int ignored; /* for errors in arguments; on the host */
  getrs_batched call = MA_BY_DTYPE(s, getrs_batched, cublasSgetrsBatched, cublasDgetrsBatched, cublasCgetrsBatched,
                                   cublasZgetrsBatched);
  MA_TRY(ma_solver_check_int(s, "cublasDgetrsBatched", 4, (int64_t[]){ a->ld, a->count, b->ld, b->columns }));
  MA_TRY(ma_solver_scratch(s, (size_t)(a->count * a->rows) * sizeof(int), &pivots));
  MA_TRY(convert_pivots(s->stream, pivots, MA_INT32, pivot, MA_INT64, a->count * a->rows, a->rows));
  MA_TRY(ma_solver_addresses(s, a->data, a->step, a->count, &factors));
  MA_TRY(ma_solver_addresses(s, b->data, b->step, a->count, &sides));
  MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
  BLAS(s, handle, s->stream, call, "cublasDgetrsBatched", handle, op, (int)a->rows, (int)b->columns, factors,
       (int)a->ld, pivots, sides, (int)b->ld, &ignored, (int)a->count);
  return MA_OK;
}

/*
** Converts exchanges `pivot` to an order of rows, and applies it to right sides. cuSOLVER's getrs makes one exchange
** after another over all right sides: for 4096 x 4096 that takes as long as the two triangular solves. Positions that
** the user changed are clamped.
*/
typedef struct order_params {
  const int64_t *pivot;
  int32_t *order;
  int64_t n;
} order_params;
typedef struct move_params {
  void *to;
  const void *from;
  const int32_t *order;
  int64_t rows, columns, to_ld, from_ld;
  int32_t how;
} move_params;
enum { ROWS, ROWS_BACK, COLUMNS_BACK };

static void print_order(ma_ctext *text, const void *what) {
  ma_ctext_put(text, "struct params { const i8 *pivot; i4 *order; i8 n; };\n"
                     "#define NEAR 8192\n#define AHEAD 1024\n"
                     "MA_KERNEL order_rows(const params p) {\n"
                     "  __shared__ i4 near[NEAR], ahead[AHEAD];\n"
                     "  const i8 *pivot = p.pivot + blockIdx.x * p.n;\n"
                     "  i4 *order = p.order + blockIdx.x * p.n, *list = p.n <= NEAR ? near : order;\n"
                     "  for (i8 i = threadIdx.x; i < p.n; i += blockDim.x) list[i] = (i4)i;\n"
                     "  for (i8 first = 0; first < p.n; first += AHEAD) {\n"
                     "    __syncthreads();\n"
                     "    for (i8 i = threadIdx.x; i < AHEAD && first + i < p.n; i += blockDim.x) {\n"
                     "      i8 at = pivot[first + i] - 1;\n"
                     "      ahead[i] = (i4)(at >= 0 && at < p.n ? at : first + i);\n"
                     "    }\n"
                     "    __syncthreads();\n"
                     "    if (threadIdx.x == 0)\n"
                     "      for (i4 i = 0; i < AHEAD && first + i < p.n; i++) {\n"
                     "        i4 at = ahead[i], was = list[first + i];\n"
                     "        list[first + i] = list[at];\n"
                     "        list[at] = was;\n"
                     "      }\n"
                     "  }\n"
                     "  __syncthreads();\n"
                     "  for (i8 i = threadIdx.x; i < p.n && list != order; i += blockDim.x) order[i] = list[i];\n"
                     "}\n");
}

static void print_move(ma_ctext *text, const void *what) {
  int size = *(const uint8_t *)what;
  ma_ctext_add(text, "typedef %s item;\n", size == 4 ? "u4" : size == 8 ? "uint2" : "uint4");
  ma_ctext_put(
    text, "struct params { item *to; const item *from; const i4 *order; i8 rows, columns, to_ld, from_ld; i4 how; };\n"
          "MA_KERNEL move_rows(const params p) {\n"
          "  for (i8 e = blockIdx.x * 256ll + threadIdx.x; e < p.rows * p.columns; e += gridDim.x * 256ll) {\n"
          "    i8 j = e / p.rows, i = e - j * p.rows;\n"
          "    if (p.how == 0) p.to[i + j * p.to_ld] = p.from[p.order[i] + j * p.from_ld];\n"
          "    else if (p.how == 1) p.to[p.order[i] + j * p.to_ld] = p.from[i + j * p.from_ld];\n"
          "    else p.to[i + p.order[j] * p.to_ld] = p.from[i + j * p.from_ld];\n"
          "  }\n"
          "}\n");
}

const ma_cuda_family ma_cuda_order_rows = { "order_rows", { "order_rows" }, print_order, NULL };
const ma_cuda_family ma_cuda_move_rows = { "move_rows", { "move_rows" }, print_move, NULL };

static ma_status order_rows(ma_solver *s, const int64_t *pivot, void **order) {
  const CUfunction *entry;
  int64_t n = s->a->rows, count = s->a->count;
  MA_TRY(ma_solver_check_int(s, "a kernel", 2, (int64_t[]){ n, count }));
  MA_TRY(ma_solver_scratch(s, (size_t)(n * count) * sizeof(int32_t), order));
  MA_TRY(ma_cuda_kernel(ma_cuda_state(s->stream), &ma_cuda_order_rows, "", 0, NULL, &entry));
  order_params p = { pivot, *order, n };
  return ma_cuda_launch(s->stream, entry[0], (unsigned)count, 256, 0, (void *[]){ &p }, "order_rows", n * count * 12);
}

static ma_status move(ma_solver *s, const move_params *p) {
  const CUfunction *entry;
  uint8_t size = (uint8_t)s->item;
  int64_t n = p->rows * p->columns, blocks = (n + 255) / 256;
  MA_TRY(ma_cuda_kernel(ma_cuda_state(s->stream), &ma_cuda_move_rows, &size, 1, &size, &entry));
  return ma_cuda_launch(s->stream, entry[0], (unsigned)(blocks < 65536 ? blocks : 65536), 256, 0,
                        (void *[]){ (void *)(uintptr_t)p }, "move_rows", 2 * n * (int64_t)s->item);
}

/* Permutes the right sides to the order of rows, or back. */
static ma_status move_rows(ma_solver *s, const int32_t *order, int how) {
  const ma_matrices *b = s->b;
  int64_t n = b->rows * b->columns;
  void *copy;
  MA_TRY(ma_solver_scratch(s, (size_t)(n * b->count) * s->item, &copy));
  MA_TRY(ma_solver_copy(s, false, b->rows, b->columns, b->count, copy, b->rows, n, b->data, b->ld, b->step));
  for (int64_t k = 0; k < b->count; k++)
    MA_TRY(move(s, &(move_params){ ma_solver_matrix(s, b, k), (char *)copy + (size_t)(k * n) * s->item,
                                   order + k * b->rows, b->rows, b->columns, b->ld, b->rows, how }));
  return MA_OK;
}

static ma_status lu_solve_each(ma_solver *s, int op, const int64_t *pivot) {
  triangle lower = { CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_UNIT, one_of(s) },
           upper = { CUBLAS_FILL_MODE_UPPER, op, CUBLAS_DIAG_NON_UNIT, one_of(s) };
  bool plain = op == CUBLAS_OP_N;
  void *order;
  MA_TRY(order_rows(s, pivot, &order));
  if (plain) MA_TRY(move_rows(s, order, ROWS));
  MA_TRY(triangles_each(s, plain ? &lower : &upper));
  MA_TRY(triangles_each(s, plain ? &upper : &lower));
  return plain ? MA_OK : move_rows(s, order, ROWS_BACK);
}

ma_status ma_cuda_linalg_lu_solve(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a,
                                  const int64_t *pivot, const ma_matrices *b) {
  ma_solver s;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, b));
  int op = ma_solver_op(&s, trans);
  return ma_solver_end(&s, a->count > 1 && a->rows <= TUNE_BATCHED_ROWS ? lu_solve_batched(&s, op, pivot)
                                                                        : lu_solve_each(&s, op, pivot));
}

/* ==== Triangular systems ========================================================================================== */

ma_status ma_cuda_linalg_triangular_solve(ma_stream *stream, ma_dtype dtype, bool lower, char trans, bool unit,
                                          const ma_matrices *a, const ma_matrices *b) {
  ma_solver s;
  ma_solver_open(&s, stream, dtype, a, b);
  MA_TRY(ma_cuda_need(MA_CUDA_cublas));
  MA_TRY(ma_cuda_enter(stream->device));
  triangle t = { lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, ma_solver_op(&s, trans),
                 unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, one_of(&s) };
  bool each = a->count == 1 || (a->count <= 8 && a->rows >= 64);
  return ma_solver_end(&s, each ? triangles_each(&s, &t) : triangles_batched(&s, &t));
}

/* ==== Inverses ==================================================================================================== */

/* a^-1 = U^-1 (L^-1 1) P. L^-1 is also triangular: for each block of columns only the rows from its first one on are
** computed. P exchanges columns, which are contiguous. */
static ma_status inv_one(ma_solver *s, const ma_matrices *x, int32_t *info) {
  const ma_matrices *a = s->a;
  int64_t n = a->rows, item = (int64_t)s->item, width = n / 4 < 256 ? 256 : (n / 4 + 31) / 32 * 32;
  triangle lower = { CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, one_of(s) },
           upper = { CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, one_of(s) };
  void *pivot, *order, *z;
  ma_program fill;
  ma_program_clear(&fill);
  ma_program_output(&fill, ma_program_scalar(&fill, s->dtype));
  MA_TRY(ma_solver_scratch(s, (size_t)n * sizeof(int64_t), &pivot));
  MA_TRY(ma_solver_scratch(s, (size_t)(n * n * item), &z));
  MA_TRY(lu_each(s, pivot, info));
  MA_TRY(order_rows(s, pivot, &order));
  MA_TRY(ma_solver_map(s->stream, &fill, 1, 1, n * n, &z, (const int64_t[1][3]){ { 0, 0, item } },
                       &(ma_value){ .c = { 0, 0 } }));
  MA_TRY(ma_solver_map(s->stream, &fill, 1, 1, n, &z, (const int64_t[1][3]){ { 0, 0, (n + 1) * item } },
                       &(ma_value){ .c = { 1, 0 } }));
  for (int64_t j = 0; j < n; j += width) {
    ma_matrices corner = { (char *)a->data + (size_t)(j * (a->ld + 1) * item), n - j, n - j, a->ld, 0, 1 };
    ma_matrices side = { (char *)z + (size_t)(j * (n + 1) * item), n - j, n - j < width ? n - j : width, n, 0, 1 };
    s->a = &corner, s->b = &side;
    ma_status status = triangles_each(s, &lower);
    s->a = a, s->b = x;
    MA_TRY(status);
  }
  ma_matrices all = { z, n, n, n, 0, 1 };
  s->b = &all;
  ma_status status = triangles_each(s, &upper);
  s->b = x;
  MA_TRY(status);
  return move(s, &(move_params){ x->data, z, order, n, n, x->ld, n, COLUMNS_BACK });
}

ma_status ma_cuda_linalg_inv(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, const ma_matrices *x,
                             int32_t *info) {
  ma_solver s;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, x));
  return ma_solver_end(&s, inv_one(&s, x, info));
}

/* ==== QR ========================================================================================================== */

typedef int (*geqrf_batched)(cublasHandle_t, int m, int n, void *const *, int ld, void *const *tau, int *info,
                             int count);

static ma_status qr_batched(ma_solver *s, void *tau) {
  const ma_matrices *a = s->a;
  void **list, **taus;
  cublasHandle_t handle;
  int ignored; /* for errors in arguments; on the host; the infos stay 0 */
  geqrf_batched call = MA_BY_DTYPE(s, geqrf_batched, cublasSgeqrfBatched, cublasDgeqrfBatched, cublasCgeqrfBatched,
                                   cublasZgeqrfBatched);
  MA_TRY(ma_solver_check_int(s, "cublasDgeqrfBatched", 2, (int64_t[]){ a->ld, a->count }));
  MA_TRY(ma_solver_addresses(s, a->data, a->step, a->count, &list));
  MA_TRY(ma_solver_addresses(s, tau, ma_solver_least(a), a->count, &taus));
  MA_TRY(ma_cuda_blas_begin(s->stream, &handle));
  BLAS(s, handle, s->stream, call, "cublasDgeqrfBatched", handle, (int)a->rows, (int)a->columns, list, (int)a->ld, taus,
       &ignored, (int)a->count);
  return MA_OK;
}

static ma_status qr_each(ma_solver *s, void *tau, int32_t *info) {
  const ma_matrices *a = s->a;
  size_t device, host;
  MA_CUSOLVER(s, cusolverDnXgeqrf_bufferSize, s->handle, s->params, a->rows, a->columns, s->type, a->data, a->ld,
              s->type, tau, s->type, &device, &host);
  MA_TRY(ma_solver_workspace(s, device, host));
  for (int64_t k = 0; k < a->count; k++)
    MA_CUSOLVER(s, cusolverDnXgeqrf, s->handle, s->params, a->rows, a->columns, s->type, ma_solver_matrix(s, a, k),
                a->ld, s->type, (char *)tau + (size_t)(k * ma_solver_least(a)) * s->item, s->type, s->device,
                s->device_bytes, s->host, s->host_bytes, info + k);
  return MA_OK;
}

ma_status ma_cuda_linalg_qr(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, void *tau, int32_t *info) {
  ma_solver s;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  bool batched = a->count > 1 && a->rows <= 256 && a->columns <= 256 && a->count >= a->rows / 16;
  if (!batched) return ma_solver_end(&s, qr_each(&s, tau, info));
  return ma_solver_end(&s, qr_batched(&s, tau));
}

typedef int (*gqr_size)(cusolverDnHandle_t, int m, int n, int k, const void *, int ld, const void *tau, int *lwork);
typedef int (*gqr)(cusolverDnHandle_t, int m, int n, int k, void *, int ld, const void *tau, void *work, int lwork,
                   int *info);

static ma_status form(ma_solver *s, int64_t k, const void *tau, int32_t *info) {
  const ma_matrices *a = s->a;
  gqr_size size = MA_BY_DTYPE(s, gqr_size, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize,
                              cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize);
  gqr call = MA_BY_DTYPE(s, gqr, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr, cusolverDnZungqr);
  int m = (int)a->rows, n = (int)a->columns, ld = (int)a->ld, lwork = 0;
  MA_TRY(ma_solver_check_int(s, "cusolverDnDorgqr", 2, (int64_t[]){ a->ld, a->columns }));
  int status = size(s->handle, m, n, (int)k, a->data, ld, tau, &lwork);
  if (status) return ma_solver_fail(s, "cusolverDnDorgqr_bufferSize", status);
  MA_TRY(ma_solver_workspace(s, (size_t)lwork * s->item, 0));
  for (int64_t i = 0; i < a->count; i++) {
    status = call(s->handle, m, n, (int)k, ma_solver_matrix(s, a, i), ld, (const char *)tau + (size_t)(i * k) * s->item,
                  s->device, lwork, info + i);
    if (status) return ma_solver_fail(s, "cusolverDnDorgqr", status);
  }
  return MA_OK;
}

ma_status ma_cuda_linalg_qr_form(ma_stream *stream, ma_dtype dtype, const ma_matrices *a, int64_t k, const void *tau,
                                 int32_t *info) {
  ma_solver s;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, NULL));
  return ma_solver_end(&s, form(&s, k, tau, info));
}

typedef int (*mqr_size)(cusolverDnHandle_t, int side, int trans, int m, int n, int k, const void *, int ld,
                        const void *tau, const void *, int ldc, int *lwork);
typedef int (*mqr)(cusolverDnHandle_t, int side, int trans, int m, int n, int k, const void *, int ld, const void *tau,
                   void *, int ldc, void *work, int lwork, int *info);

static ma_status apply(ma_solver *s, int op, int64_t k, const void *tau, int32_t *info) {
  const ma_matrices *a = s->a, *b = s->b;
  mqr_size size = MA_BY_DTYPE(s, mqr_size, cusolverDnSormqr_bufferSize, cusolverDnDormqr_bufferSize,
                              cusolverDnCunmqr_bufferSize, cusolverDnZunmqr_bufferSize);
  mqr call = MA_BY_DTYPE(s, mqr, cusolverDnSormqr, cusolverDnDormqr, cusolverDnCunmqr, cusolverDnZunmqr);
  int m = (int)b->rows, n = (int)b->columns, ld = (int)a->ld, ldb = (int)b->ld, lwork = 0;
  MA_TRY(ma_solver_check_int(s, "cusolverDnDormqr", 3, (int64_t[]){ a->ld, b->ld, b->columns }));
  int status = size(s->handle, CUBLAS_SIDE_LEFT, op, m, n, (int)k, a->data, ld, tau, b->data, ldb, &lwork);
  if (status) return ma_solver_fail(s, "cusolverDnDormqr_bufferSize", status);
  MA_TRY(ma_solver_workspace(s, (size_t)lwork * s->item, 0));
  for (int64_t i = 0; i < a->count; i++) {
    status = call(s->handle, CUBLAS_SIDE_LEFT, op, m, n, (int)k, ma_solver_matrix(s, a, i), ld,
                  (const char *)tau + (size_t)(i * k) * s->item, ma_solver_matrix(s, b, i), ldb, s->device, lwork,
                  info + i);
    if (status) return ma_solver_fail(s, "cusolverDnDormqr", status);
  }
  return MA_OK;
}

ma_status ma_cuda_linalg_qr_apply(ma_stream *stream, ma_dtype dtype, char trans, const ma_matrices *a, int64_t k,
                                  const void *tau, const ma_matrices *b, int32_t *info) {
  ma_solver s;
  MA_TRY(ma_solver_begin(&s, stream, dtype, a, b));
  return ma_solver_end(&s, apply(&s, ma_solver_op(&s, trans), k, tau, info));
}
